package memfs_test

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"openclaw/sandbox/internal/memfs"
	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

func want(t testing.TB, what string, got, expected vfs.Errno) {
	t.Helper()
	if got != expected {
		t.Errorf("%s: errno %d, want %d", what, got, expected)
	}
}

func open(t testing.TB, fs vfs.FS, path string, flags vfs.OpenFlag) vfs.File {
	t.Helper()
	f, errno := fs.Open(path, flags, 0o644)
	if errno != vfs.OK {
		t.Fatalf("open %s: errno %d", path, errno)
	}
	return f
}

func content(t testing.TB, fs vfs.FS, path string) string {
	t.Helper()
	f := open(t, fs, path, vfs.Read)
	defer f.Close()
	st, _ := f.Stat()
	data := make([]byte, st.Size)
	n, errno := f.Read(data)
	want(t, "read "+path, errno, vfs.OK)
	return string(data[:n])
}

// TestContentIsThatOfAPlainSlice writes, cuts and reads at random, around the borders of chunks.
func TestContentIsThatOfAPlainSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := quota.New(quota.Limits{}, nil)
		fs := memfs.New(memfs.Options{Quota: q})
		initial := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "initial")
		given := bytes.Clone(initial)
		if errno := fs.WriteFile("f", given, 0o644); errno != vfs.OK {
			t.Fatalf("errno %d", errno)
		}
		model := bytes.Clone(initial)
		f, _ := fs.Open("f", vfs.Read|vfs.Write, 0)
		offset := rapid.OneOf(rapid.Int64Range(0, 300), rapid.Int64Range(65500, 65600), rapid.Int64Range(131000, 131100))
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			off := offset.Draw(t, "offset")
			switch rapid.IntRange(0, 2).Draw(t, "op") {
			case 0:
				data := bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, rapid.SampledFrom([]int{1, 10, 300, 70000}).Draw(t, "length"))
				if n, errno := f.Pwrite(data, off); n != len(data) || errno != vfs.OK {
					t.Fatalf("write: %d, errno %d", n, errno)
				}
				if grown := int(off) + len(data); grown > len(model) {
					model = append(model, make([]byte, grown-len(model))...)
				}
				copy(model[off:], data)
			case 1:
				if errno := f.Truncate(off); errno != vfs.OK {
					t.Fatalf("truncate: errno %d", errno)
				}
				if int(off) <= len(model) {
					model = model[:off:off]
				}
				model = append(model, make([]byte, int(off)-len(model))...)
			case 2:
				got := make([]byte, 500)
				n, _ := f.Pread(got, off)
				expected := model[min(int(off), len(model)):min(int(off)+500, len(model))]
				if !bytes.Equal(got[:n], expected) {
					t.Fatalf("read at %d: %d bytes differ", off, n)
				}
			}
			if used := q.Usage().Bytes; used != int64(len(model)) {
				t.Fatalf("%d bytes are charged, want %d", used, len(model))
			}
		}
		got := make([]byte, len(model)+1)
		n, _ := f.Pread(got, 0)
		if !bytes.Equal(got[:n], model) {
			t.Fatal("content differs")
		}
		if !bytes.Equal(given, initial) {
			t.Fatal("the slice of the caller was changed")
		}
		f.Close()
		fs.Unlink("f")
		if u := q.Usage(); u != (quota.Usage{}) {
			t.Fatalf("%+v is left", u)
		}
	})
}

func TestUnlinkedFilesLiveWhileOpen(t *testing.T) {
	q := quota.New(quota.Limits{Bytes: 100}, nil)
	fs := memfs.New(memfs.Options{Quota: q})
	f := open(t, fs, "f", vfs.Read|vfs.Write|vfs.Create)
	f.Write(make([]byte, 80))
	want(t, "unlink", fs.Unlink("f"), vfs.OK)
	g := open(t, fs, "f", vfs.Write|vfs.Create)
	_, errno := g.Write(make([]byte, 80))
	want(t, "write while the old file is there", errno, vfs.EDQUOT)
	if st, _ := f.Stat(); st.Nlink != 0 || st.Size != 80 {
		t.Errorf("%+v", st)
	}
	f.Close()
	_, errno = g.Write(make([]byte, 80))
	want(t, "write when it is gone", errno, vfs.OK)
	g.Close()
	want(t, "close again", g.Close(), vfs.EBADF)
}

func TestAHoleCostsNoMemoryButQuota(t *testing.T) {
	fs := memfs.New(memfs.Options{Quota: quota.New(quota.Limits{Bytes: 1 << 40}, nil)})
	f := open(t, fs, "f", vfs.Read|vfs.Write|vfs.Create)
	defer f.Close()
	want(t, "large", f.Truncate(32<<30), vfs.OK)
	if st, _ := f.Stat(); st.Size != 32<<30 || st.Blocks != 0 {
		t.Errorf("%+v", st)
	}
	want(t, "too large", f.Truncate(1<<39), vfs.EFBIG)
	_, errno := f.Pwrite([]byte("x"), math.MaxInt64)
	want(t, "past all", errno, vfs.EFBIG)
	want(t, "allocate past all", f.Allocate(math.MaxInt64, 2), vfs.EFBIG)
}

func TestHardLinksShareAFile(t *testing.T) {
	fs := memfs.New(memfs.Options{})
	want(t, "write", fs.WriteFile("d/a", []byte("one"), 0o644), vfs.OK)
	want(t, "link", fs.Link("d/a", "b", false), vfs.OK)
	f := open(t, fs, "b", vfs.Write|vfs.Append)
	f.Write([]byte(" two"))
	f.Close()
	if got := content(t, fs, "d/a"); got != "one two" {
		t.Errorf("content %q", got)
	}
	if st, _ := fs.Stat("b", true); st.Nlink != 2 {
		t.Errorf("nlink %d", st.Nlink)
	}
	fs.Unlink("d/a")
	if st, _ := fs.Stat("b", true); st.Nlink != 1 {
		t.Errorf("nlink %d", st.Nlink)
	}
}

func TestLinksOutOfTheTree(t *testing.T) {
	closed := memfs.New(memfs.Options{})
	closed.MkdirAll("d", 0o755)
	want(t, "absolute", closed.Symlink("/x", "l"), vfs.EPERM)
	want(t, "relative", closed.Symlink("../../x", "d/l"), vfs.EPERM)
	want(t, "to the root", closed.Symlink("..", "d/l"), vfs.OK)
	if _, ok := closed.Expand("d/l/../x", true); !ok {
		t.Error("a path that leaves by its own .. is not expanded")
	}

	within := memfs.New(memfs.Options{OutsideLinks: true})
	within.MkdirAll("d", 0o755)
	want(t, "absolute", within.Symlink("/w/x", "abs"), vfs.OK)
	want(t, "relative", within.Symlink("../../y", "d/rel"), vfs.OK)
	for path, expected := range map[string]string{
		"abs": "/w/x", "abs/z": "/w/x/z", "d/rel/z/": "../y/z/", "d/../../q": "../q", "abs/": "/w/x/", "d/..": "",
	} {
		got, ok := within.Expand(path, true)
		if got != expected || ok != (expected != "") {
			t.Errorf("expand %s: %q, %v", path, got, ok)
		}
		if _, errno := within.Stat(path, true); ok && errno != vfs.EXDEV {
			t.Errorf("stat %s: errno %d", path, errno)
		}
	}
	if _, ok := within.Expand("abs", false); ok {
		t.Error("a link that is not followed is expanded")
	}
}

func TestAFrozenTreeIsReadOnly(t *testing.T) {
	fs := memfs.New(memfs.Options{})
	fs.WriteFile("bin/tool", []byte("x"), 0o755)
	fs.Freeze()
	for what, errno := range map[string]vfs.Errno{
		"mkdir": fs.Mkdir("d", 0o755), "rmdir": fs.Rmdir("bin"), "unlink": fs.Unlink("bin/tool"), "symlink": fs.Symlink("x", "l"),
		"link": fs.Link("bin/tool", "l", false), "rename": fs.Rename("bin/tool", "l"), "chmod": fs.Chmod("bin/tool", 0, true),
		"utimes": fs.Utimes("bin/tool", 1, 1, vfs.SetMtime, true), "write": fs.WriteFile("new", nil, 0o644),
	} {
		want(t, what, errno, vfs.EROFS)
	}
	for _, flags := range []vfs.OpenFlag{vfs.Write, vfs.Read | vfs.Truncate, vfs.Write | vfs.Append} {
		_, errno := fs.Open("bin/tool", flags, 0)
		want(t, "open", errno, vfs.EROFS)
	}
	f := open(t, fs, "bin/tool", vfs.Read)
	defer f.Close()
	want(t, "fchmod", f.Chmod(0), vfs.EROFS)
	if got := content(t, fs, "bin/tool"); got != "x" {
		t.Errorf("content %q", got)
	}
}

func TestQuotaIsChargedForWhatIsStored(t *testing.T) {
	q := quota.New(quota.Limits{Bytes: 50, Files: 4, FileSize: 30, Handles: 2, Depth: 3}, nil)
	fs := memfs.New(memfs.Options{Quota: q})
	base := q.Usage()
	want(t, "file", fs.WriteFile("a", make([]byte, 30), 0o644), vfs.OK)
	want(t, "large", fs.WriteFile("b", make([]byte, 31), 0o644), vfs.EFBIG)
	want(t, "full", fs.WriteFile("b", make([]byte, 21), 0o644), vfs.EDQUOT)
	want(t, "link", fs.Symlink(strings.Repeat("x", 21), "l"), vfs.EDQUOT)
	want(t, "short link", fs.Symlink(strings.Repeat("x", 20), "l"), vfs.OK)
	want(t, "directory", fs.Mkdir("d", 0o755), vfs.OK)
	want(t, "fifth", fs.Mkdir("e", 0o755), vfs.EDQUOT)
	want(t, "deep", fs.Mkdir("d/d/d/d", 0o755), vfs.ENOENT)
	f, g := open(t, fs, "a", vfs.Read), open(t, fs, ".", vfs.Read)
	_, errno := fs.Open("a", vfs.Read, 0)
	want(t, "third handle", errno, vfs.EMFILE)
	f.Close()
	g.Close()
	for _, name := range []string{"a", "b", "l"} {
		want(t, "unlink "+name, fs.Unlink(name), vfs.OK)
	}
	want(t, "rmdir", fs.Rmdir("d"), vfs.OK)
	if q.Usage() != base {
		t.Errorf("%+v is left, want %+v", q.Usage(), base)
	}
}

func TestDirectoriesAreListedInOrder(t *testing.T) {
	fs := memfs.New(memfs.Options{})
	for _, name := range []string{"b", "a", "c/x"} {
		fs.WriteFile(name, nil, 0o644)
	}
	d := open(t, fs, ".", vfs.Read|vfs.Directory)
	defer d.Close()
	entries, errno := d.Readdir()
	want(t, "readdir", errno, vfs.OK)
	names := ""
	for _, e := range entries {
		names += e.Name
		if st, _ := fs.Stat(e.Name, false); st.Ino != e.Ino || st.Type != e.Type {
			t.Errorf("%+v is not %+v", e, st)
		}
	}
	if names != "abc" {
		t.Errorf("names %q", names)
	}
	_, errno = d.Read(nil)
	want(t, "read", errno, vfs.EISDIR)
}

func TestManyGuestsAtOnce(t *testing.T) {
	q := quota.New(quota.Limits{}, nil)
	fs := memfs.New(memfs.Options{Quota: q})
	var guests sync.WaitGroup
	for id := range 8 {
		guests.Go(func() {
			name := string(rune('a' + id))
			for range 100 {
				fs.Mkdir("shared", 0o755)
				fs.WriteFile("shared/"+name, []byte(name), 0o644)
				fs.Rename("shared/"+name, "shared/x")
				if f, errno := fs.Open("shared/x", vfs.Read, 0); errno == vfs.OK {
					f.Read(make([]byte, 1))
					fs.Unlink("shared/x")
					f.Close()
				}
				fs.Rmdir("shared")
			}
		})
	}
	guests.Wait()
	for _, name := range []string{"x", "a", "b", "c", "d", "e", "f", "g", "h"} {
		fs.Unlink("shared/" + name)
	}
	fs.Rmdir("shared")
	if u := q.Usage(); u != (quota.Usage{}) {
		t.Errorf("%+v is left", u)
	}
}

// TestNamesAreCharged checks that hard links are not a way to fill the host's memory with names.
func TestNamesAreCharged(t *testing.T) {
	q := quota.New(quota.Limits{Files: 3}, nil)
	fs := memfs.New(memfs.Options{Quota: q})
	if errno := fs.WriteFile("a", nil, 0o644); errno != vfs.OK {
		t.Fatal(errno)
	}
	for i, expected := range []vfs.Errno{vfs.OK, vfs.OK, vfs.EDQUOT} {
		if errno := fs.Link("a", string(rune('b'+i)), false); errno != expected {
			t.Errorf("link %d: errno %d, want %d", i, errno, expected)
		}
	}
	for _, name := range []string{"c", "a", "b"} {
		if errno := fs.Unlink(name); errno != vfs.OK {
			t.Errorf("unlink: errno %d", errno)
		}
	}
	if u := q.Usage(); u != (quota.Usage{}) {
		t.Errorf("%+v", u)
	}
}
