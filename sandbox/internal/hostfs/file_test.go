package hostfs_test

import (
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

func open(t testing.TB, fs vfs.FS, path string, flags vfs.OpenFlag) vfs.File {
	t.Helper()
	f, errno := fs.Open(path, flags, 0o644)
	if errno != vfs.OK {
		t.Fatalf("open %s: errno %d", path, errno)
	}
	return f
}

func TestAppendGoesToTheEnd(t *testing.T) {
	w := newWorld(t)
	w.write("log", "one\n")
	fs := w.mount(hostfs.Options{})
	f := open(t, fs, "log", vfs.Read|vfs.Write|vfs.Append)
	f.Write([]byte("two\n"))
	if n, errno := f.Pwrite([]byte("three\n"), 0); n != 6 || errno != vfs.OK {
		t.Errorf("pwrite: %d, errno %d", n, errno)
	}
	want(t, "end appending", f.SetAppend(false), vfs.OK)
	f.Pwrite([]byte("ONE"), 0)
	want(t, "append again", f.SetAppend(true), vfs.OK)
	f.Seek(0, 0)
	f.Write([]byte("four\n"))
	if pos, _ := f.Seek(0, 1); pos != 19 {
		t.Errorf("position %d", pos)
	}
	want(t, "close", f.Close(), vfs.OK)
	want(t, "close again", f.Close(), vfs.EBADF)
	if got := w.read("log"); got != "ONE\ntwo\nthree\nfour\n" {
		t.Errorf("log holds %q", got)
	}
}

func TestAppendsOfManyHandlesDoNotOverwriteEachOther(t *testing.T) {
	w := newWorld(t)
	q := quota.New(quota.Limits{}, nil)
	fs := w.mount(hostfs.Options{Quota: q})
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			f := open(t, fs, "log", vfs.Write|vfs.Append|vfs.Create)
			defer f.Close()
			for range 50 {
				f.Write([]byte("0123456789"))
			}
		})
	}
	writers.Wait()
	if got := len(w.read("log")); got != 4000 || q.Usage().Bytes != 4000 {
		t.Errorf("%d bytes, %d charged", got, q.Usage().Bytes)
	}
}

func TestFilesKnowTheirRights(t *testing.T) {
	w := newWorld(t)
	w.write("f", "content")
	fs := w.mount(hostfs.Options{})
	r, wr := open(t, fs, "f", vfs.Read), open(t, fs, "f", vfs.Write)
	defer r.Close()
	defer wr.Close()
	_, errno := r.Write([]byte("x"))
	want(t, "write", errno, vfs.EBADF)
	_, errno = r.Pwrite([]byte("x"), 0)
	want(t, "pwrite", errno, vfs.EBADF)
	want(t, "truncate", r.Truncate(0), vfs.EINVAL)
	want(t, "allocate", r.Allocate(0, 100), vfs.EBADF)
	_, errno = wr.Read(make([]byte, 1))
	want(t, "read", errno, vfs.EBADF)
	_, errno = r.Pread(make([]byte, 1), -1)
	want(t, "pread before the start", errno, vfs.EINVAL)
	_, errno = r.Seek(-1, 0)
	want(t, "seek before the start", errno, vfs.EINVAL)
	_, errno = r.Seek(math.MaxInt64, 2)
	want(t, "seek past all", errno, vfs.EOVERFLOW)
	_, errno = wr.Pwrite([]byte("x"), math.MaxInt64)
	want(t, "write past all", errno, vfs.EFBIG)
	want(t, "allocate past all", wr.Allocate(math.MaxInt64, 5), vfs.EFBIG)
	_, errno = r.Readdir()
	want(t, "readdir", errno, vfs.ENOTDIR)
	want(t, "both times twice", wr.Utimes(0, 0, vfs.SetAtime|vfs.SetAtimeNow), vfs.EINVAL)
}

func TestSetIDBitsDoNotReachTheHost(t *testing.T) {
	w := newWorld(t)
	fs := w.mount(hostfs.Options{})
	f, errno := fs.Open("f", vfs.Write|vfs.Create, 0o6755)
	want(t, "create", errno, vfs.OK)
	defer f.Close()
	want(t, "mkdir", fs.Mkdir("d", 0o6755), vfs.OK)
	check := func(what string) {
		t.Helper()
		for _, name := range []string{"f", "d"} {
			info, err := os.Stat(w.host(name))
			w.must(err)
			if info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
				t.Errorf("%s: %s has mode %s", what, name, info.Mode())
			}
		}
	}
	check("made")
	want(t, "chmod", fs.Chmod("f", 0o6777, true), vfs.OK)
	want(t, "chmod", fs.Chmod("d", 0o6777, true), vfs.OK)
	check("chmod")
	want(t, "fchmod", f.Chmod(0o4777), vfs.OK)
	check("fchmod")
}

func TestUtimesSetsWhatItIsAskedTo(t *testing.T) {
	w := newWorld(t)
	w.write("f", "")
	w.link("f", "l")
	fs := w.mount(hostfs.Options{})
	want(t, "both", fs.Utimes("f", 1e9+1, 2e9+2, vfs.SetAtime|vfs.SetMtime, true), vfs.OK)
	want(t, "one", fs.Utimes("f", 0, 3e9+3, vfs.SetMtime, true), vfs.OK)
	st, _ := fs.Stat("f", true)
	if st.Atime != 1e9+1 || st.Mtime != 3e9+3 {
		t.Errorf("atime %d, mtime %d", st.Atime, st.Mtime)
	}
	want(t, "link", fs.Utimes("l", 5e9, 6e9, vfs.SetAtime|vfs.SetMtime, false), vfs.OK)
	if st, _ := fs.Stat("l", false); st.Mtime != 6e9 {
		t.Errorf("link has mtime %d", st.Mtime)
	}
	want(t, "now", fs.Utimes("f", 0, 0, vfs.SetMtimeNow|vfs.SetAtimeNow, true), vfs.OK)
	if st, _ := fs.Stat("f", true); st.Mtime < 1e18 {
		t.Errorf("mtime %d", st.Mtime)
	}
}

func TestAttributesOfUnreadableFilesCanBeChanged(t *testing.T) {
	w := newWorld(t)
	w.write("f", "")
	fs := w.mount(hostfs.Options{})
	want(t, "chmod", fs.Chmod("f", 0, true), vfs.OK)
	want(t, "utimes", fs.Utimes("f", 1, 1, vfs.SetMtime, true), vfs.OK)
	want(t, "chmod back", fs.Chmod("f", 0o644, true), vfs.OK)
}

func TestPathsThatAreNoPaths(t *testing.T) {
	w := newWorld(t)
	fs := w.mount(hostfs.Options{})
	deep := strings.Repeat("d/", vfs.MaxDepth+1) + "f"
	for path, errno := range map[string]vfs.Errno{
		"": vfs.ENOENT, "a\x00b": vfs.EINVAL, strings.Repeat("x", 256): vfs.ENAMETOOLONG, strings.Repeat("x/", 2048): vfs.ENAMETOOLONG,
		"a/" + strings.Repeat("x", 256) + "/b": vfs.ENAMETOOLONG, deep: vfs.ENOENT,
	} {
		for _, op := range []vfs.Errno{opened(fs, path, vfs.Read), put(fs, path, ""), fs.Mkdir(path, 0o755), fs.Unlink(path)} {
			if len(path) > 40 {
				path = path[:40]
			}
			want(t, path, op, errno)
		}
	}
}

func TestAClosedMountRefusesPaths(t *testing.T) {
	w := newWorld(t)
	w.write("f", "content")
	fs := w.mount(hostfs.Options{})
	f := open(t, fs, "f", vfs.Read)
	defer f.Close()
	w.must(fs.Close())
	w.must(fs.Close())
	want(t, "open", opened(fs, "f", vfs.Read), vfs.EBADF)
	want(t, "rename", fs.Rename("f", "g"), vfs.EBADF)
	if n, errno := f.Read(make([]byte, 10)); n != 7 || errno != vfs.OK {
		t.Errorf("read: %d, errno %d", n, errno)
	}
}

func TestWhatIsNoDirectoryIsNoMount(t *testing.T) {
	w := newWorld(t)
	w.write("f", "")
	for _, name := range []string{"f", "none"} {
		if fs, err := hostfs.New(w.host(name), hostfs.Options{}); err == nil {
			fs.Close()
			t.Errorf("%s is mounted", name)
		}
	}
}

func TestChangesAreNetEffects(t *testing.T) {
	w := newWorld(t)
	w.write("old", "")
	w.write("gone", "")
	w.write("read", "")
	w.write("replaced", "")
	w.link(".", "here")
	changes := hostfs.NewChanges(100)
	fs := w.mount(hostfs.Options{Changes: changes})
	put(fs, "here/new", "x")
	put(fs, "temporary", "x")
	fs.Unlink("temporary")
	put(fs, "here/here/old", "x")
	fs.Unlink("gone")
	slurp(fs, "read")
	open(t, fs, "read", vfs.Write).Close()
	put(fs, "next", "x")
	fs.Rename("next", "replaced")
	fs.Mkdir("dir", 0o755)
	got, complete := changes.List()
	text := ""
	for _, c := range got {
		text += c.Kind.String() + " " + c.Path + "\n"
	}
	if expected := "created dir\nremoved gone\ncreated new\nmodified old\nmodified replaced\n"; text != expected || !complete {
		t.Errorf("changes\n%s(complete: %v), want\n%s", text, complete, expected)
	}
	few := hostfs.NewChanges(2)
	fs = w.mount(hostfs.Options{Changes: few})
	for _, name := range []string{"1", "2", "3"} {
		put(fs, name, "")
	}
	if got, complete := few.List(); len(got) != 2 || complete {
		t.Errorf("%v, complete: %v", got, complete)
	}
}
