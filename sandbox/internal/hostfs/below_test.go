package hostfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/vfs"
)

func below(t *testing.T, dir, name string, o hostfs.Options) *hostfs.FS {
	t.Helper()
	fs, err := hostfs.NewBelow(dir, name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fs.Close() })
	return fs
}

func mkdirs(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, n := range names {
		if err := os.MkdirAll(filepath.Join(dir, n), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAPartIsOpenedWithoutFollowingLinks(t *testing.T) {
	dir := t.TempDir()
	mkdirs(t, dir, "data/sub", "private")
	for link, target := range map[string]string{"out": "/etc", "in": "private", "data/up": ".."} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"out", "in", "data/up", "data/up/private", "in/../data", "..", ".", "", "/etc", "missing", "data/../private"} {
		if fs, err := hostfs.NewBelow(dir, name, hostfs.Options{}); err == nil {
			fs.Close()
			t.Errorf("%q was opened", name)
		}
	}
	fs := below(t, dir, "data/sub", hostfs.Options{})
	if errno := fs.Mkdir("new", 0o755); errno != vfs.OK {
		t.Error(errno)
	}
	if _, err := os.Stat(filepath.Join(dir, "data/sub/new")); err != nil {
		t.Error(err)
	}
}

// TestWhatIsProtectedIsProtectedInAPart opens parts of a directory that has protected paths.
func TestWhatIsProtectedIsProtectedInAPart(t *testing.T) {
	dir := t.TempDir()
	mkdirs(t, dir, "a/.git", "skills/tea", "sub/skills", "real", "a/b")
	if err := os.Symlink("real", filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	o := hostfs.Options{Protect: hostfs.Protection{"/skills", "/a/b/c", ".git/hooks"}}
	for _, c := range []struct {
		part, make string
		want       vfs.Errno
	}{
		{"skills", "x", vfs.EROFS},
		{"skills/tea", "x", vfs.EROFS},
		{"sub", "skills/x", vfs.OK},
		{"a/.git", "hooks", vfs.EROFS},
		{"a/.git", "objects", vfs.OK},
		{"real", "hooks", vfs.EROFS}, // behind the link .git
		{"real", "x", vfs.OK},
		{"a/b", "c", vfs.EROFS},
		{"a/b", "d", vfs.OK},
		{"a", "b/c", vfs.EROFS},
	} {
		if got := below(t, dir, c.part, o).Mkdir(c.make, 0o755); got != c.want {
			t.Errorf("%s in %s: errno %d, want %d", c.make, c.part, got, c.want)
		}
	}
}
