package xdiff_test

import (
	"bytes"
	"testing"

	"openclaw/toolwasm/guest/git/xdiff"

	"pgregory.net/rapid"
)

func nothing() {}

// apply makes the new text of the old one.
func apply(a, b [][]byte, changes []xdiff.Change) []byte {
	var out []byte
	at := 0
	for _, c := range changes {
		out = append(out, bytes.Join(a[at:c.A], nil)...)
		out = append(out, bytes.Join(b[c.B:c.B+c.NB], nil)...)
		at = c.A + c.NA
	}
	return append(out, bytes.Join(a[at:], nil)...)
}

func texts(t *rapid.T, label string) []byte {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "\n", "  c\n", "d"}), 0, 40).Draw(t, label)
	var b []byte
	for _, l := range lines {
		b = append(b, l...)
	}
	return b
}

func TestChangesMakeTheNewTextOfTheOld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := xdiff.Lines(texts(t, "a")), xdiff.Lines(texts(t, "b"))
		for _, flags := range []xdiff.Flags{0, xdiff.Minimal, xdiff.NoIndent} {
			if got := apply(a, b, xdiff.Compare(a, b, flags, nothing)); !bytes.Equal(got, bytes.Join(b, nil)) {
				t.Fatalf("got %q", got)
			}
		}
	})
}

func TestMergesOfOneSideAreThatSide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, side := texts(t, "base"), texts(t, "side")
		for _, sides := range [][2][]byte{{base, side}, {side, base}, {side, side}} {
			got, conflicts := xdiff.Merge(base, sides[0], sides[1], xdiff.MergeOptions{}, nothing)
			if conflicts != 0 || !bytes.Equal(got, side) {
				t.Fatalf("%d conflicts, %q, want %q", conflicts, got, side)
			}
		}
	})
}

func TestConflictsAreMarked(t *testing.T) {
	got, n := xdiff.Merge([]byte("1\n2\n3\n"), []byte("1\nx\n3\n"), []byte("1\ny\n3\n"), xdiff.MergeOptions{Ours: "A", Theirs: "B", Base: "O"}, nothing)
	if want := "1\n<<<<<<< A\nx\n=======\ny\n>>>>>>> B\n3\n"; n != 1 || string(got) != want {
		t.Errorf("%d %q", n, got)
	}
}
