package wasi_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// tree makes files (content), directories (name ends in "/") and links (content begins with "-> ").
func tree(t *testing.T, dir string, entries map[string]string) {
	t.Helper()
	for name, content := range entries {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case name[len(name)-1] == '/':
			err = os.MkdirAll(path, 0o755)
		case len(content) > 3 && content[:3] == "-> ":
			err = os.Symlink(content[3:], path)
		default:
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestPathsStayBelowTheirDirectory(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{
		"outside":        "o",
		"d/inside":       "i",
		"d/deep/er/file": "f",
		"d/up":           "-> ..",
		"d/out":          "-> ../outside",
		"d/in":           "-> deep/er",
		"d/in2":          "-> ../d/inside",
		"d/absolute":     "-> /outside",
		"d/home":         "-> /d/inside",
		"d/loop":         "-> loop",
		"d/dangling":     "-> nothing",
	})
	d := g.open(firstPreopen, "d", 0, oDirectory, 0, 0)
	tests := []struct {
		dirfd  uint64
		path   string
		lookup uint64
		want   vfs.Errno
	}{
		{d, "inside", 0, vfs.OK},
		{d, "./inside", 0, vfs.OK},
		{d, "deep/../inside", 0, vfs.OK},
		{d, "deep/er/../../inside", followLinks, vfs.OK},
		{d, "..", 0, vfs.EPERM},
		{d, "../", 0, vfs.EPERM},
		{d, "../d/inside", 0, vfs.EPERM},
		{d, "deep/../../d", 0, vfs.EPERM},
		{d, "/d/inside", 0, vfs.EPERM},
		{d, "up/outside", 0, vfs.EPERM},
		{d, "out", followLinks, vfs.EPERM},
		{d, "out", 0, vfs.ELOOP},
		{d, "out/", 0, vfs.EPERM},
		{d, "in/file", 0, vfs.OK},
		{d, "in/../er/file", 0, vfs.OK},
		{d, "in2", followLinks, vfs.EPERM},
		{d, "absolute", followLinks, vfs.EPERM},
		{d, "home", followLinks, vfs.OK},
		{d, "loop", followLinks, vfs.ELOOP},
		{d, "loop/x", 0, vfs.ELOOP},
		{d, "dangling", followLinks, vfs.ENOENT},
		{d, "inside/", 0, vfs.ENOTDIR},
		{d, "inside/..", 0, vfs.ENOTDIR},
		{d, "absent/..", 0, vfs.ENOENT},
		{d, "", 0, vfs.ENOENT},
		{d, "inside\x00", 0, vfs.EINVAL},
		{firstPreopen, "..", 0, vfs.EPERM},
		{firstPreopen, "d/../../etc", 0, vfs.EPERM},
		{firstPreopen, "/d", 0, vfs.EPERM},
		{firstPreopen, "d/in/../../../outside", 0, vfs.OK},
		{firstPreopen, "d/in/../../../../outside", 0, vfs.EPERM},
		{firstPreopen, "d/up/outside", 0, vfs.OK},
		{firstPreopen, "outside/x", 0, vfs.ENOTDIR},
		{99, "inside", 0, vfs.EBADF},
		{0, "inside", 0, vfs.ENOTDIR},
	}
	for _, tt := range tests {
		fd, e := g.tryOpen(tt.dirfd, tt.path, tt.lookup, 0, 0, 0)
		if e != tt.want {
			t.Errorf("open %q from %d with lookup %d: errno %d, want %d", tt.path, tt.dirfd, tt.lookup, e, tt.want)
		}
		if e == vfs.OK {
			g.want(vfs.OK, "fd_close", fd)
		}
	}
}

func TestPathTooLongIsRefusedBeforeItIsRead(t *testing.T) {
	g, _ := onDir(t)
	for _, n := range []uint64{vfs.MaxPath, 1 << 20, 1<<32 - 1} {
		g.want(vfs.ENAMETOOLONG, "path_create_directory", firstPreopen, 0, n)
	}
	g.want(vfs.EFAULT, "path_create_directory", firstPreopen, uint64(len(g.mem)-1), 2)
}

func TestOperationsOnNamesLeaveTheLinkAlone(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"d/file": "x", "d/link": "-> file", "d/dirlink": "-> sub", "d/sub/": ""})
	d := g.open(firstPreopen, "d", 0, oDirectory, 0, 0)
	if e := g.path("path_remove_directory", d, "dirlink/"); e != vfs.ENOTDIR {
		t.Errorf("rmdir of a link with a slash: errno %d", e)
	}
	if e := g.path("path_unlink_file", d, "link"); e != vfs.OK {
		t.Errorf("unlink: errno %d", e)
	}
	if e := g.path("path_remove_directory", d, "sub/../dirlink"); e != vfs.ENOTDIR {
		t.Errorf("rmdir of a link: errno %d", e)
	}
	if _, err := os.Stat(filepath.Join(dir, "d/file")); err != nil {
		t.Error("unlink followed the link")
	}
	if e := g.path("path_create_directory", d, ".."); e != vfs.EPERM {
		t.Errorf("mkdir ..: errno %d", e)
	}
}

func TestOpenDirectorySurvivesItsOwnRename(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"a/b/file": "x", "ab/": ""})
	b := g.open(firstPreopen, "a/b", 0, oDirectory, 0, 0)
	from, n := g.text("a")
	to, m := g.text("c")
	g.want(vfs.OK, "path_rename", firstPreopen, from, n, firstPreopen, to, m)
	g.open(b, "file", 0, 0, rightRead, 0)
}

func TestOpenFlags(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"file": "content", "d/": "", "link": "-> file"})
	tests := []struct {
		path                          string
		lookup, oflags, rights, flags uint64
		want                          vfs.Errno
	}{
		{"file", 0, 0, rightRead, 0, vfs.OK},
		{"file", 0, oCreat | oExcl, rightRead, 0, vfs.EEXIST},
		{"link", followLinks, oCreat | oExcl, rightRead, 0, vfs.EEXIST},
		{"file", 0, oDirectory, rightRead, 0, vfs.ENOTDIR},
		{"d", 0, 0, rightRead, 0, vfs.OK},
		{"d", 0, 0, rightRead | rightWrite, 0, vfs.EISDIR},
		{"d", 0, oDirectory, rightRead | rightWrite, 0, vfs.EISDIR},
		{"link", 0, 0, rightRead, 0, vfs.ELOOP},
		{"link", followLinks, 0, rightRead, 0, vfs.OK},
		{"file", 0, 1 << 4, rightRead, 0, vfs.EINVAL},
		{"file", 0, 0, rightRead, 1 << 5, vfs.EINVAL},
		{"new/", 0, oCreat, rightWrite, 0, vfs.EISDIR},
		{"file", 0, oTrunc, 0, 0, vfs.OK},
	}
	for _, tt := range tests {
		if _, e := g.tryOpen(firstPreopen, tt.path, tt.lookup, tt.oflags, tt.rights, tt.flags); e != tt.want {
			t.Errorf("open %s oflags %d rights %d: errno %d, want %d", tt.path, tt.oflags, tt.rights, e, tt.want)
		}
	}
	if st, err := os.Stat(filepath.Join(dir, "file")); err != nil || st.Size() != 0 {
		t.Errorf("not truncated: %v %v", st, err)
	}
}

func TestReadlinkIsCutOffAtTheBuffer(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"link": "-> some/where"})
	buf, out := g.space(16), g.space(4)
	for size, want := range map[uint64]string{0: "", 4: "some", 16: "some/where"} {
		if e := g.path("path_readlink", firstPreopen, "link", buf, size, out); e != vfs.OK {
			t.Fatalf("errno %d", e)
		}
		if got := string(g.mem[buf : buf+uint64(g.u32(out))]); got != want {
			t.Errorf("with %d bytes: %q, want %q", size, got, want)
		}
	}
}

func TestDescriptorsAreBounded(t *testing.T) {
	dir := t.TempDir()
	tree(t, dir, map[string]string{"file": ""})
	g := newGuest(t, wasi.Config{FS: mount(t, dir), MaxFiles: 6})
	for range 2 {
		g.open(firstPreopen, "file", 0, 0, rightRead, 0)
	}
	if _, e := g.tryOpen(firstPreopen, "made", 0, oCreat, rightRead, 0); e != vfs.EMFILE {
		t.Errorf("errno %d, want EMFILE", e)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("the file was made all the same")
	}
	g.want(vfs.OK, "fd_close", 4)
	if fd := g.open(firstPreopen, "file", 0, 0, rightRead, 0); fd != 4 {
		t.Errorf("descriptor %d, want the lowest free one, 4", fd)
	}
}

func TestReaddirCanStartAgainAnywhere(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"one": "", "two": "", "three/": "", "four": "-> one"})
	all, whole := g.readdir(firstPreopen, 4096, 0)
	if len(all) != 6 || !whole || all[0].name != "." || all[1].name != ".." {
		t.Fatalf("entries %v", all)
	}
	for i := range all {
		rest, _ := g.readdir(firstPreopen, 4096, all[i].next)
		if len(rest) != len(all)-i-1 || len(rest) > 0 && rest[0] != all[i+1] {
			t.Errorf("after %q come %v", all[i].name, rest)
		}
	}
	if rest, _ := g.readdir(firstPreopen, 4096, 1<<40); len(rest) != 0 {
		t.Errorf("beyond the end come %v", rest)
	}
	for size := range 24 + len("..") + 30 {
		buf, out := g.space(64), g.space(4)
		g.want(vfs.OK, "fd_readdir", firstPreopen, buf, uint64(size), 0, out)
		if got := int(g.u32(out)); got != size {
			t.Errorf("a buffer of %d bytes got %d", size, got)
		}
	}
}

func TestReaddirSeesTheDirectoryAnewFromTheStart(t *testing.T) {
	g, dir := onDir(t)
	before, _ := g.readdir(firstPreopen, 4096, 0)
	tree(t, dir, map[string]string{"new": ""})
	after, _ := g.readdir(firstPreopen, 4096, 0)
	if len(before) != 2 || len(after) != 3 {
		t.Errorf("%d entries, then %d", len(before), len(after))
	}
}

// crowd is a tree of one directory with many entries, which counts how often it is read.
type crowd struct {
	vfs.FS
	size, reads int
}

type crowdDir struct {
	vfs.File
	of *crowd
}

func (c *crowd) Open(path string, flags vfs.OpenFlag, perm uint32) (vfs.File, vfs.Errno) {
	f, e := c.FS.Open(path, flags, perm)
	return &crowdDir{File: f, of: c}, e
}

func (d *crowdDir) Readdir() ([]vfs.Dirent, vfs.Errno) {
	d.of.reads++
	list := make([]vfs.Dirent, d.of.size)
	for i := range list {
		list[i] = vfs.Dirent{Name: strconv.Itoa(i), Ino: uint64(i + 1), Type: vfs.TypeRegular}
	}
	return list, vfs.OK
}

func TestLargeDirectoriesAreNotAllKept(t *testing.T) {
	const handles = 5
	c := &crowd{FS: mount(t, t.TempDir()), size: 30_000}
	g := newGuest(t, wasi.Config{FS: c})
	var fds []uint64
	for range handles {
		fds = append(fds, g.open(firstPreopen, ".", 0, oDirectory, rightReaddir, 0))
	}
	for _, fd := range fds {
		g.readdir(fd, 64, 0)
	}
	last := fds[handles-1]
	for _, fd := range []uint64{last, fds[0]} {
		list, _ := g.readdir(fd, 64, 1000)
		if len(list) == 0 || list[0].name != "998" {
			t.Errorf("descriptor %d goes on with %v", fd, list)
		}
	}
	if c.reads != handles+1 {
		t.Errorf("read %d times, want %d: the first one was to be forgotten, the last one not", c.reads, handles+1)
	}
}
