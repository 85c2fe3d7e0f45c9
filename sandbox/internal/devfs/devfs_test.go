package devfs_test

import (
	"strings"
	"testing"

	"openclaw/sandbox/internal/devfs"
	"openclaw/sandbox/internal/memfs"
	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

// handles is a guest with three files open: 0, 1 and 7 are the same file in memory.
type handles struct{ fs *memfs.FS }

func (h handles) List() []int { return []int{0, 1, 7} }

func (h handles) Dup(fd int) (vfs.File, vfs.Errno) {
	if fd != 0 && fd != 1 && fd != 7 {
		return nil, vfs.EBADF
	}
	return h.fs.Open("stream", vfs.Read|vfs.Write|vfs.Append, 0)
}

func newFS(t *testing.T, q *quota.Quota) *devfs.FS {
	memory := memfs.New(memfs.Options{})
	if errno := memory.WriteFile("stream", []byte("input"), 0o600); errno != vfs.OK {
		t.Fatalf("errno %d", errno)
	}
	return devfs.New(devfs.Options{Handles: handles{memory}, Random: strings.NewReader("random bytes"), Quota: q})
}

func want(t *testing.T, what string, got, expected vfs.Errno) {
	t.Helper()
	if got != expected {
		t.Errorf("%s: errno %d, want %d", what, got, expected)
	}
}

func TestDevices(t *testing.T) {
	q := quota.New(quota.Limits{}, nil)
	fs := newFS(t, q)
	for _, c := range []struct {
		name         string
		read         string
		readErrno    vfs.Errno
		written      int
		writtenErrno vfs.Errno
	}{
		{"null", "", vfs.OK, 4, vfs.OK},
		{"zero", "\x00\x00\x00\x00", vfs.OK, 4, vfs.OK},
		{"full", "\x00\x00\x00\x00", vfs.OK, 0, vfs.ENOSPC},
		{"random", "rand", vfs.OK, 4, vfs.OK},
		{"urandom", "om b", vfs.OK, 4, vfs.OK},
		{"stdin", "inpu", vfs.OK, 4, vfs.OK},
		{"stdout", "inpu", vfs.OK, 4, vfs.OK},
		{"fd/7", "inpu", vfs.OK, 4, vfs.OK},
		{"fd/../fd//7", "inpu", vfs.OK, 4, vfs.OK},
	} {
		f, errno := fs.Open(c.name, vfs.Read|vfs.Write|vfs.Create|vfs.Truncate, 0o644)
		if errno != vfs.OK {
			t.Errorf("open %s: errno %d", c.name, errno)
			continue
		}
		buf := []byte("????")
		n, errno := f.Read(buf)
		if string(buf[:n]) != c.read || errno != c.readErrno {
			t.Errorf("read %s: %q, errno %d", c.name, buf[:n], errno)
		}
		if n, errno := f.Write([]byte("data")); n != c.written || errno != c.writtenErrno {
			t.Errorf("write %s: %d, errno %d", c.name, n, errno)
		}
		want(t, "close "+c.name, f.Close(), vfs.OK)
		want(t, "close again "+c.name, f.Close(), vfs.EBADF)
	}
	if u := q.Usage(); u.Handles != 0 {
		t.Errorf("%d handles are left", u.Handles)
	}
}

func TestDevicesKnowTheirRights(t *testing.T) {
	fs := newFS(t, nil)
	r, _ := fs.Open("zero", vfs.Read, 0)
	w, _ := fs.Open("null", vfs.Write, 0)
	_, errno := r.Write([]byte("x"))
	want(t, "write", errno, vfs.EBADF)
	_, errno = w.Read(make([]byte, 1))
	want(t, "read", errno, vfs.EBADF)
	want(t, "truncate", w.Truncate(0), vfs.EINVAL)
	if st, errno := w.Stat(); st.Type != vfs.TypeCharDevice || errno != vfs.OK {
		t.Errorf("stat: %+v, errno %d", st, errno)
	}
}

func TestOpenRefusals(t *testing.T) {
	fs := newFS(t, nil)
	for _, c := range []struct {
		path  string
		flags vfs.OpenFlag
		errno vfs.Errno
	}{
		{"tty", vfs.Read, vfs.ENXIO},
		{"stderr", vfs.Write, vfs.ENOENT}, // closed in this guest
		{"fd/2", vfs.Read, vfs.ENOENT},
		{"fd/07", vfs.Read, vfs.ENOENT},
		{"fd/-1", vfs.Read, vfs.ENOENT},
		{"fd/x", vfs.Read, vfs.ENOENT},
		{"none", vfs.Read, vfs.ENOENT},
		{"none", vfs.Write | vfs.Create, vfs.EROFS},
		{"none/x", vfs.Write | vfs.Create, vfs.ENOENT},
		{"null", vfs.Write | vfs.Create | vfs.Exclusive, vfs.EEXIST},
		{"null", vfs.Read | vfs.Directory, vfs.ENOTDIR},
		{"null/", vfs.Read, vfs.ENOTDIR},
		{"null/.", vfs.Read, vfs.ENOTDIR},
		{"null/..", vfs.Read, vfs.ENOTDIR},
		{".", vfs.Write, vfs.EISDIR},
		{"fd", vfs.Write, vfs.EISDIR},
		{"..", vfs.Read, vfs.EXDEV},
		{"fd/../../x", vfs.Read, vfs.EXDEV},
		{"", vfs.Read, vfs.ENOENT},
		{"kmsg\x00", vfs.Read, vfs.EINVAL},
	} {
		_, errno := fs.Open(c.path, c.flags, 0)
		want(t, "open "+c.path, errno, c.errno)
	}
}

func TestDirectoriesAreListed(t *testing.T) {
	fs := newFS(t, nil)
	for dir, expected := range map[string]string{
		".":  "fd null zero full random urandom tty stdin stdout stderr",
		"fd": "0 1 7",
	} {
		d, errno := fs.Open(dir, vfs.Read|vfs.Directory, 0)
		want(t, "open "+dir, errno, vfs.OK)
		entries, _ := d.Readdir()
		var names []string
		for _, e := range entries {
			names = append(names, e.Name)
			path := dir + "/" + e.Name
			if st, errno := fs.Stat(path, false); errno != vfs.OK || st.Ino != e.Ino || st.Type != e.Type {
				t.Errorf("%s: %+v is not %+v", path, e, st)
			}
		}
		if got := strings.Join(names, " "); got != expected {
			t.Errorf("%s holds %s", dir, got)
		}
		d.Close()
	}
}

func TestStatFollowsToTheStream(t *testing.T) {
	fs := newFS(t, nil)
	for path, kind := range map[string]vfs.FileType{"stdin": vfs.TypeRegular, "fd/1": vfs.TypeRegular, "null": vfs.TypeCharDevice, "fd": vfs.TypeDirectory} {
		if st, errno := fs.Stat(path, true); st.Type != kind || errno != vfs.OK {
			t.Errorf("%s: type %d, errno %d", path, st.Type, errno)
		}
	}
}

func TestNothingInItCanBeChanged(t *testing.T) {
	fs := newFS(t, nil)
	for what, c := range map[string][2]vfs.Errno{
		"mkdir":          {fs.Mkdir("x", 0o755), vfs.EROFS},
		"mkdir existing": {fs.Mkdir("null", 0o755), vfs.EEXIST},
		"rmdir":          {fs.Rmdir("fd"), vfs.EROFS},
		"rmdir file":     {fs.Rmdir("null"), vfs.ENOTDIR},
		"unlink":         {fs.Unlink("null"), vfs.EROFS},
		"unlink dir":     {fs.Unlink("fd"), vfs.EISDIR},
		"unlink none":    {fs.Unlink("x"), vfs.ENOENT},
		"symlink":        {fs.Symlink("null", "x"), vfs.EROFS},
		"rename":         {fs.Rename("null", "x"), vfs.EROFS},
		"link":           {fs.Link("null", "x", false), vfs.EROFS},
		"chmod":          {fs.Chmod("null", 0, true), vfs.EROFS},
		"touch":          {fs.Utimes("null", 0, 0, vfs.SetMtimeNow, true), vfs.OK},
	} {
		want(t, what, c[0], c[1])
	}
}
