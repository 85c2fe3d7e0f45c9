package object_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"openclaw/toolwasm/guest/git/object"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	db := object.Open(t.TempDir(), 0o022, func() {})
	for _, text := range []string{"", "x", "hello\n"} {
		id, err := db.Write(object.BlobKind, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		kind, data, err := db.Read(id)
		if err != nil || kind != object.BlobKind || string(data) != text {
			t.Errorf("%q: %v %q %v", text, kind, data, err)
		}
	}
}

func TestNamesAreGits(t *testing.T) {
	if got := object.Hash(object.BlobKind, []byte("hello\n")).String(); got != "ce013625030ba8dba906f756967f9e9ca394464a" {
		t.Error(got)
	}
	if got := object.Hash(object.TreeKind, nil); got != object.EmptyTree() {
		t.Error(got)
	}
}

func TestValidPath(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "a/b": true, ".gitignore": true, "a/.gitx": true, "git": true, "x.git": true,
		"": false, "/a": false, "a/": false, "a//b": false, ".": false, "..": false, "a/../b": false, ".git": false, "a/.GIT/x": false,
		".git ": false, ".git...": false, "git~1": false, ".g\u200cit": false, ".git:x": false, "a\x00b": false, `x\.git\config`: false,
	} {
		if got := object.ValidPath(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// FuzzIdx reads indexes of packs, and looks for an object in those that are taken.
func FuzzIdx(f *testing.F) {
	f.Add([]byte("\xfftOc\x00\x00\x00\x02"))
	empty := binary.BigEndian.AppendUint32([]byte("\xfftOc"), 2)
	empty = append(empty, make([]byte, 256*4+40)...)
	f.Add(empty)
	f.Fuzz(func(t *testing.T, data []byte) {
		index, err := object.DecodeIdx(data)
		if err != nil {
			return
		}
		_, _ = index.FindOffset(object.EmptyTree())
	})
}

// FuzzPack reads objects of a pack whose bytes are anything, by an index that names its first object.
func FuzzPack(f *testing.F) {
	f.Add([]byte{0x30, 0x78, 0x9c, 0x03, 0, 0, 0, 0, 1})
	f.Add([]byte{0x64, 0x01, 0x78, 0x9c})
	f.Add(append([]byte{0x74}, make([]byte, 40)...))
	f.Fuzz(func(t *testing.T, entry []byte) {
		dir := t.TempDir()
		id := object.EmptyTree()
		id[0], id[1] = 0, 7
		if err := os.MkdirAll(filepath.Join(dir, "pack"), 0o755); err != nil {
			t.Fatal(err)
		}
		pack := append([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"), entry...)
		pack = append(pack, make([]byte, 20)...)
		idx := binary.BigEndian.AppendUint32([]byte("\xfftOc"), 2)
		for range 256 {
			idx = binary.BigEndian.AppendUint32(idx, 1)
		}
		idx = append(idx, id[:]...)
		idx = binary.BigEndian.AppendUint32(idx, 0)
		idx = binary.BigEndian.AppendUint32(idx, 12)
		idx = append(idx, make([]byte, 40)...)
		for name, data := range map[string][]byte{"p.pack": pack, "p.idx": idx} {
			if err := os.WriteFile(filepath.Join(dir, "pack", name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		db := object.Open(dir, 0o022, func() {})
		defer db.Close()
		_, _, _ = db.Read(id)
		_, _, _ = db.Info(id)
	})
}

// FuzzDecode decodes trees, commits and tags.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("100644 a\x00aaaaaaaaaaaaaaaaaaaa"))
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <b> 1 +0000\n\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if entries, err := object.ParseTree(data); err == nil {
			object.EncodeTree(entries)
		}
		if c, err := object.ParseCommit(object.ID{}, data); err == nil {
			c.Encode()
			c.Subject()
		}
		_, _ = object.ParseTag(data)
	})
}
