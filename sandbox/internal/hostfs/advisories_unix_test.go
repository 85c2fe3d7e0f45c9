//go:build linux || darwin

package hostfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/vfs"
)

// Each test here is a published hole of another confined filesystem.

// CVE-2025-22873: opening "../" opened the parent of the root.
func TestCVE202522873ParentWithASlash(t *testing.T) {
	w := newWorld(t)
	w.mkdir("sub")
	fs := w.mount(hostfs.Options{})
	for _, path := range []string{"../", "..//", "sub/../../", "./../", ".././"} {
		want(t, "open "+path, opened(fs, path, vfs.Read), vfs.EXDEV)
		want(t, "open directory "+path, opened(fs, path, vfs.Read|vfs.Directory), vfs.EXDEV)
		_, errno := fs.Stat(path, true)
		want(t, "stat "+path, errno, vfs.EXDEV)
	}
}

// CVE-2026-27139: the entries of a directory were described by their path, after the directory had been replaced.
func TestCVE202627139ListingAfterTheDirectoryIsReplaced(t *testing.T) {
	w := newWorld(t)
	w.write("dir/secret", "inside")
	fs := w.mount(hostfs.Options{})
	d, errno := fs.Open("dir", vfs.Read|vfs.Directory, 0)
	want(t, "open", errno, vfs.OK)
	defer d.Close()
	inside, err := os.Stat(w.host("dir/secret"))
	w.must(err)
	w.must(os.Rename(w.host("dir"), w.host("moved")))
	w.link("../OUT", "dir")
	entries, errno := d.Readdir()
	want(t, "readdir", errno, vfs.OK)
	if len(entries) != 1 || entries[0].Name != "secret" {
		t.Fatalf("entries %+v", entries)
	}
	var st unix.Stat_t
	w.must(unix.Stat(w.host("moved/secret"), &st))
	if entries[0].Ino != st.Ino || entries[0].Type != vfs.TypeRegular {
		t.Errorf("entry %+v is not that of %s", entries[0], inside.Name())
	}
}

// CVE-2022-41720: a name that the system takes for a device. The check itself is tested in names_test.go.
func TestCVE202241720RootIsNotJoinedAsText(t *testing.T) {
	w := newWorld(t)
	fs := w.mount(hostfs.Options{})
	for _, path := range []string{"/etc/passwd", "//etc/passwd", w.out + "/secret"} {
		want(t, "open "+path, opened(fs, path, vfs.Read), vfs.ENOENT)
	}
}

// RUSTSEC-2026-0269, GHSA-vqjp-4c8c-hfgg and GHSA-hp8f-xmx4-4qrg: a slash at the end made the kernel follow a last
// component that was not to be followed.
func TestRUSTSEC20260269SlashAfterALink(t *testing.T) {
	w := newWorld(t)
	w.mkdir("plain")
	w.write("file", "")
	w.link("../OUT/dir", "out")
	w.link("../OUT/new", "dangling")
	w.link("plain", "in")
	fs := w.mount(hostfs.Options{})
	for _, link := range []string{"out/", "out//", "dangling/", "out/."} {
		want(t, "open", opened(fs, link, vfs.Read|vfs.NoFollow), vfs.EXDEV)
		want(t, "list", opened(fs, link, vfs.Read|vfs.Directory|vfs.NoFollow), vfs.EXDEV)
		_, errno := fs.Stat(link, false)
		want(t, "lstat", errno, vfs.EXDEV)
		want(t, "chmod", fs.Chmod(link, 0, false), vfs.EXDEV)
		want(t, "utimes", fs.Utimes(link, 1, 1, vfs.SetMtime, false), vfs.EXDEV)
		_, errno = fs.Readlink(link)
		want(t, "readlink", errno, vfs.EXDEV)
	}
	for _, link := range []string{"out/", "dangling/", "in/"} {
		want(t, "mkdir", fs.Mkdir(link, 0o755), vfs.EEXIST)
		want(t, "rmdir", fs.Rmdir(link), vfs.ENOTDIR)
		want(t, "unlink", fs.Unlink(link), vfs.ENOTDIR)
		want(t, "rename from", fs.Rename(link, "made"), vfs.ENOTDIR)
		want(t, "rename to", fs.Rename("plain", link), vfs.ENOTDIR)
		want(t, "symlink", fs.Symlink("x", link), vfs.EEXIST)
		want(t, "link", fs.Link("file", link, false), vfs.EEXIST)
	}
	w.untouched()
}

func TestSlashAtTheEndMeansADirectory(t *testing.T) {
	w := newWorld(t)
	w.write("f", "content")
	w.mkdir("d")
	w.link("f", "lf")
	w.link("d", "ld")
	w.link("d/", "lslash")
	w.link("f/", "lfslash")
	fs := w.mount(hostfs.Options{})
	stat := func(path string) vfs.Errno { _, errno := fs.Stat(path, true); return errno }
	lstat := func(path string) (vfs.FileType, vfs.Errno) {
		st, errno := fs.Stat(path, false)
		return st.Type, errno
	}
	for _, c := range []struct {
		what     string
		got, exp vfs.Errno
	}{
		{"open f/", opened(fs, "f/", vfs.Read), vfs.ENOTDIR},
		{"write f/", opened(fs, "f/", vfs.Write), vfs.ENOTDIR},
		{"create f/", put(fs, "f/", ""), vfs.EISDIR},
		{"create new/", put(fs, "new/", ""), vfs.EISDIR},
		{"create d/", put(fs, "d/", ""), vfs.EISDIR},
		{"open d/", opened(fs, "d/", vfs.Read), vfs.OK},
		{"open lf/", opened(fs, "lf/", vfs.Read), vfs.ENOTDIR},
		{"open ld/", opened(fs, "ld/", vfs.Read), vfs.OK},
		{"open lslash", opened(fs, "lslash", vfs.Read), vfs.OK},
		{"open lfslash", opened(fs, "lfslash", vfs.Read), vfs.ENOTDIR},
		{"stat f/", stat("f/"), vfs.ENOTDIR},
		{"stat d/", stat("d/"), vfs.OK},
		{"unlink f/", fs.Unlink("f/"), vfs.ENOTDIR},
		{"unlink d/", fs.Unlink("d/"), vfs.EISDIR},
		{"unlink none/", fs.Unlink("none/"), vfs.ENOENT},
		{"rmdir f/", fs.Rmdir("f/"), vfs.ENOTDIR},
		{"rmdir d/.", fs.Rmdir("d/."), vfs.EINVAL},
		{"rmdir d/..", fs.Rmdir("d/.."), vfs.ENOTEMPTY},
		{"mkdir m/", fs.Mkdir("m/", 0o755), vfs.OK},
		{"mkdir m/.", fs.Mkdir("m/.", 0o755), vfs.EEXIST},
		{"mkdir n/.", fs.Mkdir("n/.", 0o755), vfs.ENOENT},
		{"rename f/", fs.Rename("f/", "g"), vfs.ENOTDIR},
		{"rename f g/", fs.Rename("f", "g/"), vfs.ENOTDIR},
		{"rename m/ n/", fs.Rename("m/", "n/"), vfs.OK},
		{"rename n/.", fs.Rename("n/.", "o"), vfs.EBUSY},
		{"rename into itself", fs.Rename("n", "n/o"), vfs.EINVAL},
		{"symlink s/", fs.Symlink("x", "s/"), vfs.ENOENT},
		{"link s/", fs.Link("f", "s/", false), vfs.ENOENT},
		{"link f/", fs.Link("f/", "s", false), vfs.ENOTDIR},
		{"rmdir n/", fs.Rmdir("n/"), vfs.OK},
	} {
		want(t, c.what, c.got, c.exp)
	}
	if kind, errno := lstat("ld/"); kind != vfs.TypeDirectory || errno != vfs.OK {
		t.Errorf("lstat ld/: type %d, errno %d", kind, errno)
	}
}

// RUSTSEC-2026-0188, GHSA-4ch3-9j33-3pmj: what could not be written could be linked or renamed to where it could.
func TestRUSTSEC20260188ReadOnlyIsNotLeftByLinkOrRename(t *testing.T) {
	w := newWorld(t)
	w.write("file", "content")
	w.write(".vscode/tasks.json", "content")
	readOnly := w.mount(hostfs.Options{ReadOnly: true})
	want(t, "link", readOnly.Link("file", "second", false), vfs.EROFS)
	want(t, "rename", readOnly.Rename("file", "second"), vfs.EROFS)
	guarded := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})
	want(t, "link", guarded.Link(".vscode/tasks.json", "second", false), vfs.EROFS)
	want(t, "rename", guarded.Rename(".vscode/tasks.json", "second"), vfs.EROFS)
	want(t, "rename of all", guarded.Rename(".vscode", "second"), vfs.EROFS)
}

// CVE-2024-38358, GHSA-55f3-3qvg-8pv5: a guest made a link to outside and went through it.
func TestCVE202438358GuestMadeLinks(t *testing.T) {
	w := newWorld(t)
	w.mkdir("a")
	fs := w.mount(hostfs.Options{})
	want(t, "absolute", fs.Symlink(w.out, "l"), vfs.EPERM)
	want(t, "relative", fs.Symlink("../OUT", "l"), vfs.EPERM)
	// In two steps, each of which stays inside by its text.
	want(t, "first", fs.Symlink("a", "l"), vfs.OK)
	want(t, "second", fs.Symlink("l/../../OUT", "m"), vfs.EPERM)
	want(t, "deep", fs.Mkdir("a/b", 0o755), vfs.OK)
	want(t, "up", fs.Symlink("../..", "a/b/up"), vfs.OK)
	want(t, "moved", fs.Rename("a/b/up", "a/up"), vfs.EPERM)
	want(t, "behind a link", fs.Symlink("a/b/up/..", "n"), vfs.EPERM)
	w.link("a/b/up/..", "n")
	want(t, "through what the host made", opened(fs, "n/OUT/secret", vfs.Read), vfs.EXDEV)
}

// A write through a dangling link created its target outside, because only the nearest existing parent was checked.
func TestDanglingLinkDoesNotCreateOutside(t *testing.T) {
	w := newWorld(t)
	w.link("../OUT/new", "a")
	w.link("a", "b")
	w.mkdir("sub")
	w.link("../b", "sub/c")
	fs := w.mount(hostfs.Options{})
	for _, path := range []string{"a", "b", "sub/c", "sub/../a"} {
		want(t, "write "+path, put(fs, path, "x"), vfs.EXDEV)
		want(t, "mkdir "+path, fs.Mkdir(path, 0o755), vfs.EEXIST)
	}
	if _, err := os.Lstat(filepath.Join(w.out, "new")); err == nil {
		t.Error("OUT/new was made")
	}
}
