package refs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"refs/heads/a": true, "HEAD": true, "refs/heads/a.b": true, "refs/heads/@": true,
		"": false, "@": false, "/a": false, "a/": false, "a//b": false, "a/../b": false, "a/.b": false, "a.lock": false, "a.lock/b": false,
		"a b": false, "a~1": false, "a^": false, "a:b": false, "a?": false, "a*": false, "a[": false, `a\b`: false, "a@{b": false, "a.": false, "a\x01": false,
	} {
		if got := refs.ValidName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestPackedReferencesAreReadAndRemoved(t *testing.T) {
	dir := t.TempDir()
	id := object.EmptyTree()
	text := "# pack-refs with: peeled fully-peeled sorted \n" + id.String() + " refs/heads/a\n" + id.String() + " refs/tags/t\n^" + id.String() + "\n"
	if err := os.WriteFile(filepath.Join(dir, "packed-refs"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s := refs.Open(dir, dir, 0o022)
	if list := s.List("refs/"); len(list) != 2 {
		t.Fatalf("%v", list)
	}
	if err := s.Delete("refs/heads/a"); err != nil {
		t.Fatal(err)
	}
	if list := refs.Open(dir, dir, 0o022).List("refs/"); len(list) != 1 || list[0].Name != "refs/tags/t" {
		t.Errorf("%v", list)
	}
}

func TestALockIsRespected(t *testing.T) {
	dir := t.TempDir()
	s := refs.Open(dir, dir, 0o022)
	if err := s.Set("refs/heads/a", object.EmptyTree()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "refs/heads/a.lock"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var locked *refs.LockedError
	if err := s.Set("refs/heads/a", object.ID{}); !errors.As(err, &locked) {
		t.Errorf("got %v", err)
	}
	if id, _, err := s.Resolve("refs/heads/a"); err != nil || id != object.EmptyTree() {
		t.Errorf("%v %v", id, err)
	}
}
