package index_test

import (
	"bytes"
	"crypto/sha1"
	"testing"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/object"
)

func sample() *index.Index {
	x := &index.Index{}
	x.Put(index.Entry{Name: "b", Mode: object.FileMode, Size: 3})
	x.Put(index.Entry{Name: "a/x", Mode: object.ExecMode})
	x.Put(index.Entry{Name: "c", Mode: object.FileMode, Stage: index.Theirs})
	x.Put(index.Entry{Name: "c", Mode: object.FileMode, Stage: index.Base})
	x.Put(index.Entry{Name: "d", Mode: object.LinkMode, IntentToAdd: true})
	return x
}

func TestWhatIsEncodedIsDecoded(t *testing.T) {
	x := sample()
	y, err := index.Decode(x.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if len(y.Entries) != len(x.Entries) {
		t.Fatalf("%d entries, want %d", len(y.Entries), len(x.Entries))
	}
	for i := range x.Entries {
		if x.Entries[i] != y.Entries[i] {
			t.Errorf("entry %d: %+v, want %+v", i, y.Entries[i], x.Entries[i])
		}
	}
	if got := y.Unmerged(); len(got) != 1 || got[0] != "c" {
		t.Errorf("unmerged: %v", got)
	}
}

func TestPutTakesThePlaceOfWhatCannotBeBeside(t *testing.T) {
	x := sample()
	x.Put(index.Entry{Name: "a", Mode: object.FileMode})
	if x.Has("a/x") {
		t.Error("a file and a directory of one name")
	}
	x.Put(index.Entry{Name: "b/y", Mode: object.FileMode})
	if x.Has("b") {
		t.Error("a directory and a file of one name")
	}
	x.Put(index.Entry{Name: "c", Mode: object.FileMode})
	if len(x.Unmerged()) != 0 {
		t.Error("the conflict is still there")
	}
}

func TestDamageIsReported(t *testing.T) {
	good := sample().Encode()
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x55
		if _, err := index.Decode(bad); err == nil {
			t.Errorf("a change of byte %d was not noticed", i)
		}
	}
}

// FuzzDecode feeds bytes with a checksum that fits.
func FuzzDecode(f *testing.F) {
	good := sample().Encode()
	f.Add(good[:len(good)-sha1.Size])
	f.Add([]byte("DIRC\x00\x00\x00\x04\xff\xff\xff\xff"))
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00link\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha1.Sum(body)
		x, err := index.Decode(append(bytes.Clone(body), sum[:]...))
		if err != nil {
			return
		}
		if _, err := index.Decode(x.Encode()); err != nil {
			t.Errorf("what was decoded cannot be encoded: %v", err)
		}
	})
}
