package namespace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/sandbox/internal/devfs"
	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/memfs"
	"openclaw/sandbox/internal/namespace"
	"openclaw/sandbox/internal/vfs"
)

func want(t testing.TB, what string, got, expected vfs.Errno) {
	t.Helper()
	if got != expected {
		t.Errorf("%s: errno %d, want %d", what, got, expected)
	}
}

func slurp(fs vfs.FS, path string) (string, vfs.Errno) {
	f, errno := fs.Open(path, vfs.Read, 0)
	if errno != vfs.OK {
		return "", errno
	}
	defer f.Close()
	buf := make([]byte, 100)
	n, errno := f.Read(buf)
	return string(buf[:n]), errno
}

func put(fs vfs.FS, path, content string) vfs.Errno {
	f, errno := fs.Open(path, vfs.Write|vfs.Create|vfs.Truncate, 0o644)
	if errno != vfs.OK {
		return errno
	}
	defer f.Close()
	_, errno = f.Write([]byte(content))
	return errno
}

func names(t testing.TB, fs vfs.FS, path string) string {
	t.Helper()
	d, errno := fs.Open(path, vfs.Read|vfs.Directory, 0)
	if errno != vfs.OK {
		t.Fatalf("open %s: errno %d", path, errno)
	}
	defer d.Close()
	entries, errno := d.Readdir()
	want(t, "readdir "+path, errno, vfs.OK)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name)
	}
	return strings.Join(out, " ")
}

// newTree is a guest's tree: a workspace of the host with a directory outside beside it, a skill, and the rest.
func newTree(t testing.TB) (fs *namespace.FS, workspace string) {
	t.Helper()
	base := t.TempDir()
	workspace = filepath.Join(base, "WS")
	for _, dir := range []string{"WS/sub/deep", "OUT"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"WS/file": "workspace", "WS/sub/file": "sub", "OUT/secret": "SECRET"} {
		if err := os.WriteFile(filepath.Join(base, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"WS/link": "sub/deep", "WS/out": "../OUT", "WS/up": "..", "WS/abs": "/workspace/file", "WS/evil": "/etc/passwd",
	} {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	host, err := hostfs.New(workspace, hostfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	skill, bin := memfs.New(memfs.Options{}), memfs.New(memfs.Options{})
	skill.WriteFile("SKILL.md", []byte("skill"), 0o644)
	skill.Freeze()
	bin.WriteFile("cat", []byte("cat"), 0o755)
	bin.Freeze()
	fs, err = namespace.New([]namespace.Mount{
		{Path: "/workspace", FS: host},
		{Path: "/tmp", FS: memfs.New(memfs.Options{OutsideLinks: true})},
		{Path: "/dev", FS: devfs.New(devfs.Options{})},
		{Path: "/skills/a", FS: skill},
		{Path: "/usr/bin", FS: bin},
	}, namespace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return fs, workspace
}

func TestOnlyWhatIsMountedExists(t *testing.T) {
	fs, _ := newTree(t)
	for path, expected := range map[string]string{
		".": "dev skills tmp usr workspace", "skills": "a", "usr": "bin", "usr/bin": "cat", "skills/a": "SKILL.md", "tmp": "",
	} {
		if got := names(t, fs, path); got != expected {
			t.Errorf("%s holds %q, want %q", path, got, expected)
		}
	}
	for _, path := range []string{"etc/passwd", "etc", "proc/self/environ", "home", "skills/b", "usr/lib", "root"} {
		_, errno := fs.Stat(path, true)
		want(t, path, errno, vfs.ENOENT)
	}
}

func TestPathsAreResolvedAcrossMounts(t *testing.T) {
	fs, _ := newTree(t)
	want(t, "write", put(fs, "tmp/x", "tmp"), vfs.OK)
	want(t, "mkdir", fs.Mkdir("tmp/d", 0o755), vfs.OK)
	for path, expected := range map[string]string{
		"workspace/file":                   "workspace",
		"./workspace//file":                "workspace",
		"tmp/../workspace/file":            "workspace",
		"workspace/../tmp/x":               "tmp",
		"workspace/link/../file":           "sub", // .. after a link goes up from where the link leads
		"workspace/link/../../file":        "workspace",
		"workspace/link/../../../tmp/x":    "tmp",
		"workspace/sub/../../tmp/d/../x":   "tmp",
		"../../tmp/x":                      "tmp", // above the root is the root
		"skills/a/../../usr/bin/cat":       "cat",
		"skills/../skills/a/SKILL.md":      "skill",
		"usr/bin/../../../../tmp/x":        "tmp",
		"dev/../tmp/x":                     "tmp",
		"dev/fd/../../tmp/x":               "tmp",
		"tmp/d/../../workspace/../tmp/./x": "tmp",
	} {
		if got, errno := slurp(fs, path); got != expected || errno != vfs.OK {
			t.Errorf("%s: %q, errno %d, want %q", path, got, errno, expected)
		}
	}
	for path, errno := range map[string]vfs.Errno{
		"workspace/none/../file":       vfs.ENOENT,
		"workspace/file/../file":       vfs.ENOTDIR,
		"none/../tmp/x":                vfs.ENOENT,
		"workspace/file/":              vfs.ENOTDIR,
		"workspace/../none":            vfs.ENOENT,
		"workspace/out/secret":         vfs.EXDEV,
		"workspace/up/OUT/secret":      vfs.EXDEV,
		"workspace/up/tmp/x":           vfs.EXDEV, // a link of the host does not lead into the guest's tree
		"workspace/abs":                vfs.EXDEV,
		"workspace/evil":               vfs.EXDEV,
		"workspace/../OUT/secret":      vfs.ENOENT,
		"workspace/../../OUT/secret":   vfs.ENOENT,
		"workspace/link/../../../OUT":  vfs.ENOENT,
		"workspace/link/../../up/../x": vfs.EXDEV,
	} {
		_, got := slurp(fs, path)
		want(t, path, got, errno)
	}
}

func TestLinksInMemoryLeadAnywhereInTheTree(t *testing.T) {
	fs, workspace := newTree(t)
	for name, target := range map[string]string{
		"tmp/abs": "/workspace/file", "tmp/rel": "../workspace/sub", "tmp/root": "/", "tmp/loop": "/tmp/loop", "tmp/new": "/workspace/new",
		"tmp/out": "/workspace/out/secret", "tmp/etc": "/etc/passwd", "tmp/far": "../../../workspace/file",
	} {
		want(t, "symlink "+name, fs.Symlink(target, name), vfs.OK)
	}
	for path, expected := range map[string]string{
		"tmp/abs": "workspace", "tmp/rel/file": "sub", "tmp/rel/../file": "workspace", "tmp/root/workspace/file": "workspace",
		"tmp/root/tmp/root/tmp/abs": "workspace", "tmp/far": "workspace", "workspace/../tmp/rel/file": "sub",
	} {
		if got, errno := slurp(fs, path); got != expected || errno != vfs.OK {
			t.Errorf("%s: %q, errno %d, want %q", path, got, errno, expected)
		}
	}
	for path, errno := range map[string]vfs.Errno{"tmp/loop": vfs.ELOOP, "tmp/loop/x": vfs.ELOOP, "tmp/out": vfs.EXDEV, "tmp/etc": vfs.ENOENT} {
		_, got := slurp(fs, path)
		want(t, path, got, errno)
	}
	want(t, "create through a link", put(fs, "tmp/new", "made"), vfs.OK)
	if data, err := os.ReadFile(filepath.Join(workspace, "new")); err != nil || string(data) != "made" {
		t.Errorf("new holds %q, %v", data, err)
	}
	if st, errno := fs.Stat("tmp/abs", false); st.Type != vfs.TypeSymlink || errno != vfs.OK {
		t.Errorf("lstat: %+v, errno %d", st, errno)
	}
	if target, errno := fs.Readlink("tmp/abs"); target != "/workspace/file" || errno != vfs.OK {
		t.Errorf("readlink: %q, errno %d", target, errno)
	}
	want(t, "mkdir through a directory link", fs.Mkdir("tmp/rel/made", 0o755), vfs.OK)
	want(t, "rename through a directory link", fs.Rename("tmp/rel/made", "workspace/made"), vfs.OK)
	want(t, "rename of a mount point through a link", fs.Rename("tmp/root/workspace", "tmp/root/x"), vfs.EBUSY)
	want(t, "unlink of the link", fs.Unlink("tmp/abs"), vfs.OK)
	want(t, "link by a link", fs.Link("tmp/far", "workspace/hard", true), vfs.OK)
	for path, expected := range map[string]string{"tmp/rel/deep": "workspace/sub/deep", "tmp/root": ".", "workspace/..": ".", "workspace/link/../..": "workspace"} {
		if got, errno := fs.Canonical(path); got != expected || errno != vfs.OK {
			t.Errorf("canonical %s: %q, errno %d, want %q", path, got, errno, expected)
		}
	}
}

func TestMountPointsStay(t *testing.T) {
	fs, _ := newTree(t)
	for _, path := range []string{"workspace", "workspace/", "skills", "skills/a", ".", "usr/bin", "workspace/sub/..", "tmp/.."} {
		if path != "workspace/sub/.." { // its root to the mount itself, which answers in its own way
			want(t, "rmdir "+path, fs.Rmdir(path), vfs.EBUSY)
			want(t, "rename "+path, fs.Rename(path, "tmp/x"), vfs.EBUSY)
		}
		want(t, "rename to "+path, fs.Rename("workspace/sub", path), vfs.EBUSY)
		want(t, "unlink "+path, fs.Unlink(path), vfs.EISDIR)
		want(t, "mkdir "+path, fs.Mkdir(path, 0o755), vfs.EEXIST)
		want(t, "symlink "+path, fs.Symlink("x", path), vfs.EEXIST)
		_, errno := fs.Open(path, vfs.Write|vfs.Create, 0o644)
		want(t, "create "+path, errno, vfs.EISDIR)
	}
}

func TestVirtualDirectoriesAreReadOnly(t *testing.T) {
	fs, _ := newTree(t)
	for what, errno := range map[string]vfs.Errno{
		"mkdir":          fs.Mkdir("new", 0o755),
		"mkdir slash":    fs.Mkdir("skills/new/", 0o755),
		"create":         put(fs, "new", ""),
		"symlink":        fs.Symlink("tmp", "new"),
		"rename to":      fs.Rename("workspace/file", "new"),
		"link to":        fs.Link("workspace/file", "skills/new", false),
		"chmod":          fs.Chmod(".", 0o777, true),
		"utimes":         fs.Utimes("skills", 0, 0, vfs.SetMtimeNow, true),
		"write to skill": put(fs, "skills/a/x", ""),
	} {
		want(t, what, errno, vfs.EROFS)
	}
	want(t, "deeper", fs.Mkdir("new/x", 0o755), vfs.ENOENT)
	want(t, "unlink", fs.Unlink("new"), vfs.ENOENT)
	st, errno := fs.Stat("skills", true)
	if errno != vfs.OK || st.Type != vfs.TypeDirectory || st.Mode != 0o555 {
		t.Errorf("%+v, errno %d", st, errno)
	}
}

func TestRenamesAndLinksBetweenMountsAreEXDEV(t *testing.T) {
	fs, _ := newTree(t)
	put(fs, "tmp/x", "")
	want(t, "rename", fs.Rename("tmp/x", "workspace/x"), vfs.EXDEV)
	want(t, "rename by ..", fs.Rename("workspace/../tmp/x", "tmp/../workspace/x"), vfs.EXDEV)
	want(t, "link", fs.Link("workspace/file", "tmp/y", false), vfs.EXDEV)
	want(t, "within", fs.Rename("workspace/../tmp/x", "tmp/y"), vfs.OK)
}

func TestAMountInsideAnotherCoversIt(t *testing.T) {
	outer, inner := memfs.New(memfs.Options{}), memfs.New(memfs.Options{})
	outer.WriteFile("a/b/file", []byte("covered"), 0o644)
	outer.WriteFile("a/other", []byte("outer"), 0o644)
	outer.Symlink("a/b/file", "link")
	outer.Symlink("a", "dir")
	inner.WriteFile("file", []byte("inner"), 0o644)
	fs, err := namespace.New([]namespace.Mount{{Path: "/w/a/b", FS: inner}, {Path: "/w", FS: outer}, {Path: "/w/new/m", FS: inner}}, namespace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, expected := range map[string]string{
		"w/a/b/file": "inner", "w/a/other": "outer", "w/link": "inner", "w/dir/b/file": "inner", "w/a/b/../other": "outer", "w/new/m/file": "inner",
		"w/dir/../a/b/file": "inner",
	} {
		if got, errno := slurp(fs, path); got != expected || errno != vfs.OK {
			t.Errorf("%s: %q, errno %d, want %q", path, got, errno, expected)
		}
	}
	if got := names(t, fs, "w"); got != "dir link a new" {
		t.Errorf("w holds %q", got)
	}
	want(t, "rename of the way to a mount", fs.Rename("w/a", "w/x"), vfs.EBUSY)
	want(t, "rename of a mount by a link", fs.Rename("w/dir/b", "w/x"), vfs.EBUSY)
	want(t, "rename out of it", fs.Rename("w/dir/b/file", "w/x"), vfs.EXDEV)
}

func TestMountsMustMakeSense(t *testing.T) {
	m := memfs.New(memfs.Options{})
	for _, mounts := range [][]namespace.Mount{
		{{Path: "tmp", FS: m}},
		{{Path: "/tmp/", FS: m}},
		{{Path: "/a/../b", FS: m}},
		{{Path: "", FS: m}},
		{{Path: "/a\x00", FS: m}},
		{{Path: "/a", FS: m}, {Path: "/a", FS: m}},
		{{Path: "/a"}},
	} {
		if _, err := namespace.New(mounts, namespace.Options{}); err == nil {
			t.Errorf("%v is accepted", mounts)
		}
	}
}

func TestCommonPathsDoNotAllocate(t *testing.T) {
	m := memfs.New(memfs.Options{})
	m.WriteFile("a/b/c", nil, 0o644)
	fs, err := namespace.New([]namespace.Mount{{Path: "/workspace", FS: m}, {Path: "/tmp", FS: m}}, namespace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { fs.Stat("workspace/a/b/c", true) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
