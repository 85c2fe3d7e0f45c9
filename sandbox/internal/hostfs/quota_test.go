package hostfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

func TestQuotaOfBytes(t *testing.T) {
	w := newWorld(t)
	w.write("old", "0123456789")
	q := quota.New(quota.Limits{Bytes: 100}, nil)
	fs := w.mount(hostfs.Options{Quota: q})
	used := func(what string, n int64) {
		t.Helper()
		if got := q.Usage().Bytes; got != n {
			t.Errorf("%s: %d bytes are charged, want %d", what, got, n)
		}
	}
	f := open(t, fs, "f", vfs.Read|vfs.Write|vfs.Create)
	f.Write(make([]byte, 60))
	used("written", 60)
	f.Pwrite(make([]byte, 60), 0)
	used("overwritten", 60)
	_, errno := f.Pwrite(make([]byte, 10), 95)
	want(t, "past the limit", errno, vfs.EDQUOT)
	want(t, "a hole past the limit", f.Truncate(101), vfs.EDQUOT)
	want(t, "allocation past the limit", f.Allocate(50, 51), vfs.EDQUOT)
	used("refused", 60)
	want(t, "a hole", f.Truncate(90), vfs.OK)
	used("hole", 90)
	want(t, "cut", f.Truncate(20), vfs.OK)
	used("cut", 20)
	f.Pwrite([]byte("x"), 79)
	used("written after a hole", 80)
	want(t, "unlink", fs.Unlink("f"), vfs.OK)
	used("unlinked but open", 80)
	_, errno = f.Pwrite(make([]byte, 30), 80)
	want(t, "unlinked, past the limit", errno, vfs.EDQUOT)
	f.Close()
	used("closed", 0)
	want(t, "what was there before", fs.Unlink("old"), vfs.OK)
	used("below zero", 0)
	if hit := q.Hit(); !slices.Equal(hit, []quota.Kind{quota.Bytes}) {
		t.Errorf("hit %v", hit)
	}
}

func TestQuotaIsGivenBackByRenameAndLastName(t *testing.T) {
	w := newWorld(t)
	q := quota.New(quota.Limits{}, nil)
	fs := w.mount(hostfs.Options{Quota: q})
	put(fs, "a", "0123456789")
	put(fs, "b", "01234")
	want(t, "rename over", fs.Rename("a", "b"), vfs.OK)
	want(t, "link", fs.Link("b", "c", false), vfs.OK)
	want(t, "rename of two names of a file", fs.Rename("b", "c"), vfs.OK)
	if u := q.Usage(); u.Bytes != 10 || u.Files != 2 {
		t.Errorf("%+v", u)
	}
	fs.Unlink("b")
	if u := q.Usage(); u.Bytes != 10 || u.Files != 1 {
		t.Errorf("%+v", u)
	}
	fs.Unlink("c")
	if u := q.Usage(); u != (quota.Usage{}) {
		t.Errorf("%+v", u)
	}
}

func TestQuotaOfFilesSizeHandlesAndDepth(t *testing.T) {
	w := newWorld(t)
	w.mkdir("1/2/3/4/5")
	q := quota.New(quota.Limits{Files: 3, FileSize: 10, Handles: 2, Depth: 4}, nil)
	fs := w.mount(hostfs.Options{Quota: q})
	want(t, "file", put(fs, "a", "0123456789"), vfs.OK)
	want(t, "too large", put(fs, "a", "0123456789x"), vfs.EFBIG)
	want(t, "directory", fs.Mkdir("d", 0o755), vfs.OK)
	want(t, "link", fs.Symlink("a", "l"), vfs.OK)
	want(t, "fourth file", put(fs, "b", ""), vfs.EDQUOT)
	want(t, "fourth directory", fs.Mkdir("b", 0o755), vfs.EDQUOT)
	want(t, "fourth link", fs.Symlink("a", "b"), vfs.EDQUOT)
	want(t, "fourth name", fs.Link("a", "b", false), vfs.EDQUOT)
	want(t, "unlink", fs.Unlink("l"), vfs.OK)
	want(t, "room again", fs.Link("a", "b", false), vfs.OK)
	want(t, "unlink a name", fs.Unlink("b"), vfs.OK)
	want(t, "and again", fs.Mkdir("e", 0o755), vfs.OK)
	f, g := open(t, fs, "a", vfs.Read), open(t, fs, ".", vfs.Read)
	want(t, "third handle", opened(fs, "a", vfs.Read), vfs.EMFILE)
	f.Close()
	want(t, "second handle", opened(fs, "a", vfs.Read), vfs.OK)
	want(t, "failing", opened(fs, "none", vfs.Read), vfs.ENOENT)
	g.Close()
	want(t, "depth 4", opened(fs, "1/2/3/4", vfs.Read), vfs.OK)
	want(t, "depth 5", opened(fs, "1/2/3/4/5", vfs.Read), vfs.ENAMETOOLONG)
	want(t, "depth 4 by a longer path", opened(fs, "1/2/3/../3/./4", vfs.Read), vfs.OK)
	if hit := q.Hit(); len(hit) != 4 || q.Usage().Handles != 0 {
		t.Errorf("hit %v, %+v", hit, q.Usage())
	}
	st, errno := fs.Statfs(".")
	if errno != vfs.OK || st.Files != 3 || st.FilesFree != 0 {
		t.Errorf("%+v, errno %d", st, errno)
	}
}

func TestSeparatingAHardLinkIsCharged(t *testing.T) {
	w := newWorld(t)
	w.must(os.WriteFile(filepath.Join(w.out, "big"), make([]byte, 300<<10), 0o644))
	w.must(os.Link(filepath.Join(w.out, "big"), w.host("big")))
	q := quota.New(quota.Limits{Bytes: 200 << 10}, nil)
	fs := w.mount(hostfs.Options{Quota: q})
	want(t, "open", opened(fs, "big", vfs.Write), vfs.EDQUOT)
	want(t, "chmod", fs.Chmod("big", 0o600, true), vfs.EDQUOT)
	if names := list(t, fs, "."); len(names) != 1 || q.Usage().Bytes != 0 || q.Usage().Files != 0 {
		t.Errorf("%v is left, %+v", names, q.Usage())
	}
	want(t, "replacing the content", put(fs, "big", "small"), vfs.OK)
	if u := q.Usage(); u.Bytes != 5 || u.Files != 0 {
		t.Errorf("%+v, want the content of its own and no further name", u)
	}
}

// TestQuotaHoldsForFilesThatOthersCut checks that content is charged to who writes it, also where the file had been longer:
// two guests, or a guest and a program of the host, could otherwise fill the disk by turns.
func TestQuotaHoldsForFilesThatOthersCut(t *testing.T) {
	w := newWorld(t)
	q := quota.New(quota.Limits{Bytes: 100}, nil)
	fs, other := w.mount(hostfs.Options{Quota: q}), w.mount(hostfs.Options{Quota: q})
	for i := range 3 {
		name := fmt.Sprint("f", i)
		f := open(t, fs, name, vfs.Write|vfs.Create)
		_, errno := f.Write(make([]byte, 80))
		g := open(t, other, name, vfs.Write)
		if i == 0 {
			want(t, "write", errno, vfs.OK)
			want(t, "cut", f.Truncate(0), vfs.OK)
			_, errno = g.Write(make([]byte, 80))
			want(t, "write through the other mount", errno, vfs.OK)
		} else {
			want(t, "write another file", errno, vfs.EDQUOT)
		}
		f.Close()
		g.Close()
	}
	if u := q.Usage(); u.Bytes != 80 {
		t.Errorf("%+v, and 80 bytes are on disk", u)
	}
}

// TestAllocateDoesNotCutWhatOthersAppend races an allocation against a longer write.
func TestAllocateDoesNotCutWhatOthersAppend(t *testing.T) {
	w := newWorld(t)
	fs := w.mount(hostfs.Options{})
	for range 200 {
		f, g := open(t, fs, "f", vfs.Write|vfs.Create|vfs.Truncate), open(t, fs, "f", vfs.Write)
		done := make(chan vfs.Errno)
		go func() { done <- g.Allocate(0, 10) }()
		f.Pwrite([]byte("x"), 999)
		want(t, "allocate", <-done, vfs.OK)
		if st, _ := f.Stat(); st.Size != 1000 {
			t.Fatalf("the file has %d bytes, want 1000", st.Size)
		}
		f.Close()
		g.Close()
	}
}

// TestNoDescriptorsLeak does much that fails half-way, and counts what is open before and after.
func TestNoDescriptorsLeak(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	w := newWorld(t)
	before := count()
	fs, err := hostfs.New(w.ws, hostfs.Options{Protect: hostfs.DefaultProtection(), Quota: quota.New(quota.Limits{Bytes: 1000, Files: 50, Depth: 6}, nil)})
	w.must(err)
	w.write("a/b/c/d/file", "x")
	w.link("../OUT", "out")
	w.link("a/b", "in")
	w.link("loop", "loop")
	w.must(os.Link(filepath.Join(w.out, "secret"), w.host("hard")))
	for i := range 50 {
		for _, path := range []string{
			"a/b/c/d/file", "in/c/../c/d/file", "a/b/none", "a/b/c/d/file/x", "out/secret", "in/../../..", "loop", "loop/x", "hard",
			"a/b/c/d/e/f/g", "in/c/d/e/f/g/h", "a/b/c/../../..", ".git/config", "in/",
		} {
			for _, op := range append(leakOps(i), operationsForLeaks...) {
				op(fs, path)
			}
		}
	}
	w.must(fs.Close())
	if after := count(); after != before {
		t.Errorf("%d descriptors are open, %d were", after, before)
	}
}

var operationsForLeaks = []func(fs vfs.FS, path string) vfs.Errno{
	func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Read) },
	func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Read|vfs.Write) },
	func(fs vfs.FS, p string) vfs.Errno { return opened(fs, p, vfs.Read|vfs.Directory) },
	func(fs vfs.FS, p string) vfs.Errno { return fs.Chmod(p, 0o700, true) },
	func(fs vfs.FS, p string) vfs.Errno { return fs.Utimes(p, 1, 1, vfs.SetMtime, true) },
	func(fs vfs.FS, p string) vfs.Errno { return fs.Utimes(p, 1, 1, vfs.SetMtime, false) },
	func(fs vfs.FS, p string) vfs.Errno { _, errno := fs.Stat(p, true); return errno },
	func(fs vfs.FS, p string) vfs.Errno { _, errno := fs.Readlink(p); return errno },
}

// leakOps make things with a name of their own below path.
func leakOps(i int) []func(fs vfs.FS, path string) vfs.Errno {
	name := fmt.Sprintf("/made%d", i)
	return []func(fs vfs.FS, path string) vfs.Errno{
		func(fs vfs.FS, p string) vfs.Errno { return put(fs, p+name, "x") },
		func(fs vfs.FS, p string) vfs.Errno { return fs.Mkdir(p+name+"d", 0o755) },
		func(fs vfs.FS, p string) vfs.Errno { return fs.Link(p+name, p+name+"l", true) },
		func(fs vfs.FS, p string) vfs.Errno { return fs.Rename(p+name+"d", "moved") },
		func(fs vfs.FS, p string) vfs.Errno { return fs.Rename("moved", p+name+"e") },
		func(fs vfs.FS, p string) vfs.Errno { return fs.Rmdir(p + name + "e") },
		func(fs vfs.FS, p string) vfs.Errno { return fs.Unlink(p + name + "l") },
		func(fs vfs.FS, p string) vfs.Errno { return fs.Unlink(p + name) },
	}
}
