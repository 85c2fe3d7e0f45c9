//go:build linux || darwin

package hostfs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/vfs"
)

// operation is one thing a guest does with a path.
type operation struct {
	name string
	do   func(fs vfs.FS, path string) vfs.Errno
}

// following are the operations that follow a link in the last component.
var following = []operation{
	{"read", func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Read) }},
	{"write", func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Write) }},
	{"append", func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Write|vfs.Append|vfs.Create) }},
	{"truncate", func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Write|vfs.Create|vfs.Truncate) }},
	{"cut only", func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Read|vfs.Truncate) }},
	{"list", func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Read|vfs.Directory) }},
	{"stat", func(fs vfs.FS, p string) vfs.Errno { _, e := fs.Stat(p, true); return e }},
	{"chmod", func(fs vfs.FS, p string) vfs.Errno { return fs.Chmod(p, 0o600, true) }},
	{"utimes", func(fs vfs.FS, p string) vfs.Errno {
		return fs.Utimes(p, 1, 1, vfs.SetAtime|vfs.SetMtime, true)
	}},
	{"link", func(fs vfs.FS, p string) vfs.Errno { return fs.Link(p, "made", true) }},
	{"statfs", func(fs vfs.FS, p string) vfs.Errno { _, e := fs.Statfs(p); return e }},
}

// inside are operations with a path that goes on below a link.
var inside = append([]operation{
	{"create", func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Write|vfs.Create|vfs.Exclusive) }},
	{"lstat", func(fs vfs.FS, p string) vfs.Errno { _, e := fs.Stat(p, false); return e }},
	{"readlink", func(fs vfs.FS, p string) vfs.Errno { _, e := fs.Readlink(p); return e }},
	{"mkdir", func(fs vfs.FS, p string) vfs.Errno { return fs.Mkdir(p, 0o755) }},
	{"rmdir", func(fs vfs.FS, p string) vfs.Errno { return fs.Rmdir(p) }},
	{"unlink", func(fs vfs.FS, p string) vfs.Errno { return fs.Unlink(p) }},
	{"symlink", func(fs vfs.FS, p string) vfs.Errno { return fs.Symlink("x", p) }},
	{"rename from", func(fs vfs.FS, p string) vfs.Errno { return fs.Rename(p, "made") }},
	{"rename to", func(fs vfs.FS, p string) vfs.Errno { return fs.Rename("plain", p) }},
	{"link from", func(fs vfs.FS, p string) vfs.Errno { return fs.Link(p, "made", false) }},
	{"link to", func(fs vfs.FS, p string) vfs.Errno { return fs.Link("plain", p, false) }},
	{"chmod nofollow", func(fs vfs.FS, p string) vfs.Errno { return fs.Chmod(p, 0o600, false) }},
	{"utimes nofollow", func(fs vfs.FS, p string) vfs.Errno { return fs.Utimes(p, 1, 1, vfs.SetMtime, false) }},
}, following...)

func TestLinksThatLeaveAreEXDEV(t *testing.T) {
	w := newWorld(t)
	w.write("plain", "plain")
	w.mkdir("sub/deep")
	w.link("../OUT/secret", "rel")
	w.link(filepath.Join(w.out, "secret"), "abs")
	w.link("../OUT", "dir")
	w.link(w.out, "absdir")
	w.link("../OUT/new", "dangling")
	w.link(filepath.Join(w.out, "new"), "absdangling")
	w.link("..", "up")
	w.link("../..", "sub/up")
	w.link("rel", "chain")
	w.link("sub/../../OUT/secret", "winding")
	w.link("../WS/plain", "outandback")
	w.link("/etc/passwd", "evil")
	w.link("/", "sub/root")
	w.link("/proc/self/root", "proc")
	fs := w.mount(hostfs.Options{})

	final := []string{
		"rel", "abs", "dir", "absdir", "dangling", "absdangling", "up", "sub/up", "chain", "winding", "outandback",
		"evil", "sub/root", "proc",
		"dir/", "up/", "dir/.", "up/.", "evil/", "sub/../rel", "./rel", "sub//../rel",
	}
	below := []string{
		"dir/secret", "absdir/secret", "dir/new", "up/OUT/secret", "up/OUT/new", "up/WS/plain", "sub/up/OUT/secret",
		"dir/dir/inner", "sub/root/etc/passwd", "proc/etc/passwd", "dir/dir/", "up/..", "dir/..",
		"../OUT/secret", "..", "../", "../.", "../..", "./..", "sub/../..", "sub/../../OUT/secret", "sub/deep/../../../OUT",
		"../WS/plain", "../OUT/new", "sub/deep/../../..",
	}
	run := func(ops []operation, paths []string) {
		for _, op := range ops {
			for _, path := range paths {
				errno := op.do(fs, path)
				if errno == vfs.EISDIR && strings.HasSuffix(path, "/") {
					errno = vfs.EXDEV // creating with a slash at the end is EISDIR on Linux, whatever is there
				}
				want(t, op.name+" "+path, errno, vfs.EXDEV)
				if w.exists("made") {
					t.Fatalf("%s %s made something", op.name, path)
				}
			}
		}
	}
	run(following, final)
	run(inside, below)
	w.untouched()
	if got := w.read("plain"); got != "plain" {
		t.Errorf("plain holds %q", got)
	}
}

func TestLinksThatLeaveCanBeSeenAndRemoved(t *testing.T) {
	w := newWorld(t)
	w.link("../OUT/secret", "rel")
	fs := w.mount(hostfs.Options{})
	st, errno := fs.Stat("rel", false)
	if errno != vfs.OK || st.Type != vfs.TypeSymlink {
		t.Errorf("lstat: %+v, errno %d", st, errno)
	}
	if target, errno := fs.Readlink("rel"); target != "../OUT/secret" || errno != vfs.OK {
		t.Errorf("readlink: %q, errno %d", target, errno)
	}
	want(t, "open without following", opened(fs, "rel", vfs.Read|vfs.NoFollow), vfs.ELOOP)
	want(t, "exclusive create", opened(fs, "rel", vfs.Write|vfs.Create|vfs.Exclusive), vfs.EEXIST)
	want(t, "rename", fs.Rename("rel", "moved"), vfs.OK)
	want(t, "unlink", fs.Unlink("moved"), vfs.OK)
	w.untouched()
}

func TestLinksThatStayInsideWork(t *testing.T) {
	w := newWorld(t)
	w.write("sub/file", "content")
	w.link("sub/file", "file")
	w.link("sub", "dir")
	w.link("../sub/./../sub/file", "sub/winding")
	w.link("sub/new", "dangling")
	w.link("loop", "loop")
	fs := w.mount(hostfs.Options{})
	for _, path := range []string{"file", "dir/file", "sub/winding", "dir/winding", "dir/../file", "dir/../dir/file"} {
		if got, errno := slurp(fs, path); got != "content" || errno != vfs.OK {
			t.Errorf("%s: %q, errno %d", path, got, errno)
		}
	}
	want(t, "create through a dangling link", put(fs, "dangling", "made"), vfs.OK)
	if got := w.read("sub/new"); got != "made" {
		t.Errorf("sub/new holds %q", got)
	}
	want(t, "loop", opened(fs, "loop", vfs.Read), vfs.ELOOP)
	for path, canonical := range map[string]string{"dir/winding": "sub/file", "dir/..": ".", "dir/": "sub", ".": "."} {
		if got, errno := fs.Canonical(path); got != canonical || errno != vfs.OK {
			t.Errorf("canonical %s: %q, errno %d", path, got, errno)
		}
	}
}

func TestAtMostFortyLinksAreFollowed(t *testing.T) {
	w := newWorld(t)
	w.write("l0", "end")
	name := func(i int) string { return "l" + string(rune('A'+i/26)) + string(rune('a'+i%26)) }
	w.link("l0", name(0))
	for i := 1; i < 45; i++ {
		w.link(name(i-1), name(i))
	}
	fs := w.mount(hostfs.Options{})
	want(t, "40 links", opened(fs, name(39), vfs.Read), vfs.OK)
	want(t, "41 links", opened(fs, name(40), vfs.Read), vfs.ELOOP)
}

func TestLinksOutsideCannotBeMade(t *testing.T) {
	w := newWorld(t)
	w.mkdir("a/b/c")
	fs := w.mount(hostfs.Options{})
	for target, expected := range map[string]vfs.Errno{
		"/etc/passwd": vfs.EPERM, "/": vfs.EPERM, "..": vfs.OK, "../..": vfs.OK, "../../..": vfs.EPERM,
		"../../../OUT": vfs.EPERM, "x/../../../..": vfs.EPERM, "x/../../..": vfs.EPERM, "x/..": vfs.EPERM, "./..//../../y": vfs.EPERM, "": vfs.ENOENT,
		"ok\x00": vfs.EINVAL,
	} {
		errno := fs.Symlink(target, "a/b/link")
		want(t, "symlink to "+target, errno, expected)
		if errno == vfs.OK {
			want(t, "unlink", fs.Unlink("a/b/link"), vfs.OK)
		}
	}
	want(t, "in the root", fs.Symlink("..", "link"), vfs.EPERM)
	// The depth is that of the real directory, not of the path given.
	want(t, "shortcut", fs.Symlink("a/b/c", "short"), vfs.OK)
	want(t, "through a link", fs.Symlink("../../..", "short/link"), vfs.OK)
	want(t, "through a link, too far", fs.Symlink("../../../..", "short/link2"), vfs.EPERM)
}

// TestLinksCannotLeaveTogether checks that no links of a guest lead a program of the host outside, each by itself within
// bounds: the first is another name of the root, so that ".." after it is outside.
func TestLinksCannotLeaveTogether(t *testing.T) {
	w := newWorld(t)
	w.mkdir("s")
	fs := w.mount(hostfs.Options{})
	want(t, "a link to the root", fs.Symlink("..", "s/root"), vfs.OK)
	fs.Symlink("root/../OUT/secret", "s/loot")
	if data, err := os.ReadFile(w.host("s/loot")); err == nil {
		t.Errorf("a program of the host reads %q", data)
	}
}

func TestLinksCannotBeMovedToWhereTheyLeave(t *testing.T) {
	w := newWorld(t)
	w.mkdir("a/b/c")
	fs := w.mount(hostfs.Options{})
	want(t, "symlink", fs.Symlink("../../x", "a/b/link"), vfs.OK)
	want(t, "rename up", fs.Rename("a/b/link", "link"), vfs.EPERM)
	want(t, "hard link up", fs.Link("a/b/link", "link", false), vfs.EPERM)
	want(t, "rename down", fs.Rename("a/b/link", "a/b/c/link"), vfs.OK)
	want(t, "rename back", fs.Rename("a/b/c/link", "a/b/link"), vfs.OK)
	want(t, "directory up", fs.Rename("a/b", "b"), vfs.EPERM)
	want(t, "directory aside", fs.Rename("a/b", "a/d"), vfs.OK)
	want(t, "unlink", fs.Unlink("a/d/link"), vfs.OK)
	want(t, "directory up without it", fs.Rename("a/d", "d"), vfs.OK)
}

func TestSpecialFilesCannotBeOpened(t *testing.T) {
	w := newWorld(t)
	w.must(unix.Mkfifo(w.host("fifo"), 0o644))
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	w.must(err)
	defer unix.Close(socket)
	// The name of a socket is short; t.TempDir's need not be.
	t.Chdir(w.ws)
	w.must(unix.Bind(socket, &unix.SockaddrUnix{Name: "socket"}))
	refusals := map[string]vfs.Errno{"fifo": vfs.ENXIO, "socket": vfs.ENXIO}
	types := map[string]vfs.FileType{"fifo": vfs.TypeFIFO, "socket": vfs.TypeSocket}
	if unix.Mknod(w.host("device"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))) == nil {
		refusals["device"], types["device"] = vfs.EPERM, vfs.TypeCharDevice
	} else {
		t.Log("no device: mknod is not permitted here")
	}
	fs := w.mount(hostfs.Options{})
	for name, kind := range types {
		w.link(name, "to-"+name)
		for _, path := range []string{name, "to-" + name} {
			for _, op := range following[:5] {
				done := make(chan vfs.Errno, 1)
				go func() { done <- op.do(fs, path) }()
				select {
				case errno := <-done:
					want(t, op.name+" "+path, errno, refusals[name])
				case <-time.After(5 * time.Second):
					t.Fatalf("%s %s waits", op.name, path)
				}
			}
			want(t, "chmod "+path, fs.Chmod(path, 0o600, true), vfs.EPERM)
		}
		if st, errno := fs.Stat(name, true); errno != vfs.OK || st.Type != kind {
			t.Errorf("stat %s: type %d, errno %d", name, st.Type, errno)
		}
		if got := list(t, fs, ".")[name]; got != kind {
			t.Errorf("%s is listed as %d", name, got)
		}
		want(t, "rename "+name, fs.Rename(name, "moved"), vfs.OK)
		want(t, "unlink "+name, fs.Unlink("moved"), vfs.OK)
	}
}

func TestWritesDoNotReachOtherNamesOfAFile(t *testing.T) {
	changes := map[string]func(fs vfs.FS, path string) vfs.Errno{
		"overwrite": func(fs vfs.FS, p string) vfs.Errno { return put(fs, p, "new") },
		"write at": func(fs vfs.FS, p string) vfs.Errno {
			f, errno := fs.Open(p, vfs.Write|vfs.Read, 0)
			if errno != vfs.OK {
				return errno
			}
			defer f.Close()
			_, errno = f.Pwrite([]byte("x"), 2)
			return errno
		},
		"append": func(fs vfs.FS, p string) vfs.Errno {
			f, errno := fs.Open(p, vfs.Write|vfs.Append, 0)
			if errno != vfs.OK {
				return errno
			}
			defer f.Close()
			_, errno = f.Write([]byte("more"))
			return errno
		},
		"truncate": func(fs vfs.FS, p string) vfs.Errno {
			f, errno := fs.Open(p, vfs.Write, 0)
			if errno != vfs.OK {
				return errno
			}
			defer f.Close()
			return f.Truncate(1)
		},
		"cut":    func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Read|vfs.Truncate) },
		"chmod":  func(fs vfs.FS, p string) vfs.Errno { return fs.Chmod(p, 0o777, true) },
		"utimes": func(fs vfs.FS, p string) vfs.Errno { return fs.Utimes(p, 5, 5, vfs.SetAtime|vfs.SetMtime, true) },
		"fd utimes": func(fs vfs.FS, p string) vfs.Errno {
			f, errno := fs.Open(p, vfs.Write, 0)
			if errno != vfs.OK {
				return errno
			}
			defer f.Close()
			return f.Utimes(5, 5, vfs.SetAtime|vfs.SetMtime)
		},
	}
	for name, change := range changes {
		for _, path := range []string{"linked", "sub/link", "sub/../linked"} {
			w := newWorld(t)
			w.mkdir("sub")
			w.must(os.Link(filepath.Join(w.out, "secret"), w.host("linked")))
			w.link("../linked", "sub/link")
			fs := w.mount(hostfs.Options{})
			if got, errno := slurp(fs, path); got != secret || errno != vfs.OK {
				t.Errorf("reading: %q, errno %d", got, errno)
			}
			want(t, name, change(fs, path), vfs.OK)
			w.untouched()
			if st, errno := fs.Stat(path, true); errno != vfs.OK || st.Nlink != 1 {
				t.Errorf("%s: nlink %d, errno %d", name, st.Nlink, errno)
			}
			if names := list(t, fs, "."); len(names) != 2 {
				t.Errorf("%s leaves %v", name, names)
			}
		}
	}
}

func TestOpenForReadingDoesNotGiveAttributesOfOtherNames(t *testing.T) {
	w := newWorld(t)
	w.must(os.Link(filepath.Join(w.out, "secret"), w.host("linked")))
	fs := w.mount(hostfs.Options{})
	f, errno := fs.Open("linked", vfs.Read, 0)
	want(t, "open", errno, vfs.OK)
	defer f.Close()
	want(t, "chmod", f.Chmod(0o777), vfs.EPERM)
	want(t, "utimes", f.Utimes(1, 1, vfs.SetMtime), vfs.EPERM)
	w.untouched()
}

func TestCopyKeepsContentModeAndTimes(t *testing.T) {
	w := newWorld(t)
	name := filepath.Join(w.out, "secret")
	w.must(os.Chmod(name, 0o640))
	w.must(os.Chtimes(name, time.Unix(100, 5), time.Unix(200, 7)))
	w.must(os.Link(name, w.host("linked")))
	fs := w.mount(hostfs.Options{})
	f, errno := fs.Open("linked", vfs.Write|vfs.Append, 0)
	want(t, "open", errno, vfs.OK)
	defer f.Close()
	st, _ := f.Stat()
	if st.Mode != 0o640 || st.Mtime != 200e9+7 || w.read("linked") != secret {
		t.Errorf("mode %o, mtime %d, content %q", st.Mode, st.Mtime, w.read("linked"))
	}
}

func TestRefusedHardLinks(t *testing.T) {
	w := newWorld(t)
	w.must(os.Link(filepath.Join(w.out, "secret"), w.host("linked")))
	w.write("plain", "")
	fs := w.mount(hostfs.Options{HardLinks: hostfs.RefuseHardLinks})
	for _, op := range following {
		if op.name != "list" && op.name != "stat" && op.name != "statfs" {
			want(t, op.name, op.do(fs, "linked"), vfs.EPERM)
		}
	}
	want(t, "link", fs.Link("plain", "second", false), vfs.EPERM)
	w.untouched()
}

func TestNamesTheGuestLinkedItselfSeparateOnWrite(t *testing.T) {
	w := newWorld(t)
	fs := w.mount(hostfs.Options{})
	want(t, "write", put(fs, "a", "one"), vfs.OK)
	want(t, "link", fs.Link("a", "b", false), vfs.OK)
	if got, _ := slurp(fs, "b"); got != "one" {
		t.Errorf("b holds %q", got)
	}
	want(t, "write", put(fs, "b", "two"), vfs.OK)
	if a, b := w.read("a"), w.read("b"); a != "one" || b != "two" {
		t.Errorf("a holds %q, b %q", a, b)
	}
}
