package hostfs_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

func protectedWorld(t *testing.T) (*world, *hostfs.FS) {
	w := newWorld(t)
	for _, name := range []string{".git/config", ".git/hooks/pre-commit", ".git/HEAD", "sub/.git/config", ".envrc", "AGENTS.md", "docs/AGENTS.md", "docs/keep/x", "plain"} {
		w.write(name, "host")
	}
	w.link(".git", "gitlink")
	w.link(".git/config", "configlink")
	w.link(".git/hooks", "hooklink")
	protect := append(hostfs.DefaultProtection(), "/AGENTS.md", "/docs/keep")
	return w, w.mount(hostfs.Options{Protect: protect})
}

func TestProtectedPathsAreReadOnly(t *testing.T) {
	w, fs := protectedWorld(t)
	paths := []string{
		".git/config", "sub/.git/config", ".envrc", "AGENTS.md", "docs/keep/x", ".git/hooks/pre-commit",
		"gitlink/config", "configlink", "hooklink/pre-commit", "docs/../.git/config", "gitlink/hooks/../config", "./.git//config",
	}
	for _, path := range paths {
		if got, errno := slurp(fs, path); got != "host" || errno != vfs.OK {
			t.Errorf("read %s: %q, errno %d", path, got, errno)
		}
		want(t, "write "+path, put(fs, path, "guest"), vfs.EROFS)
		want(t, "append "+path, opened(fs, path, vfs.Write|vfs.Append), vfs.EROFS)
		want(t, "cut "+path, opened(fs, path, vfs.Read|vfs.Truncate), vfs.EROFS)
		want(t, "chmod "+path, fs.Chmod(path, 0o777, true), vfs.EROFS)
		want(t, "utimes "+path, fs.Utimes(path, 1, 1, vfs.SetMtime, true), vfs.EROFS)
		want(t, "link from "+path, fs.Link(path, "made", true), vfs.EROFS)
		if path == "configlink" {
			continue // what follows would be done to the link
		}
		want(t, "unlink "+path, fs.Unlink(path), vfs.EROFS)
		want(t, "rename from "+path, fs.Rename(path, "made"), vfs.EROFS)
		want(t, "rename to "+path, fs.Rename("plain", path), vfs.EROFS)
		f, errno := fs.Open(path, vfs.Read, 0)
		want(t, "open", errno, vfs.OK)
		want(t, "fd chmod "+path, f.Chmod(0o777), vfs.EROFS)
		want(t, "fd utimes "+path, f.Utimes(1, 1, vfs.SetMtime), vfs.EROFS)
		f.Close()
	}
	want(t, "a link to one can go", fs.Unlink("configlink"), vfs.OK)
	if w.exists("made") {
		t.Error("something was made")
	}
}

// TestProtectionKnowsAllSpellings checks names that some filesystem takes for a protected one: where two are one file, the
// guest would otherwise write it under the other name.
func TestProtectionKnowsAllSpellings(t *testing.T) {
	w := newWorld(t)
	fs := w.mount(hostfs.Options{Protect: append(hostfs.DefaultProtection(), "/Grüße")})
	for _, name := range []string{
		".ENVRC", ".env\u200crc", ".hu\u017fky", ".vsc\u2134de", ".\uff47itconfig", ".g\u2170tconfig", ".idea\ufeff", "gru\u0308\u1e9ee", "GRÜSSE",
	} {
		want(t, fmt.Sprintf("%q", name), put(fs, name, "guest"), vfs.EROFS)
	}
	want(t, "another", put(fs, ".envrç", "guest"), vfs.OK)
}

func TestProtectedPathsCannotBeMade(t *testing.T) {
	w := newWorld(t)
	w.mkdir(".git")
	w.mkdir("dir/hooks")
	w.write("dir2/config", "")
	w.write("plain", "")
	w.link(".git", "gitlink")
	fs := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})
	for _, path := range []string{
		".git/hooks", ".git/config", ".GIT/Hooks", ".Git/CONFIG", "sub/.vscode", "gitlink/hooks", ".vscode", ".envrc", ".ENVRC", ".gitmodules",
		".git/commondir", ".git/info", ".vs\u200ccode",
	} {
		w.mkdir("sub")
		if path == ".GIT/Hooks" || path == ".Git/CONFIG" {
			want(t, "mkdir", fs.Mkdir(path[:4], 0o755), vfs.OK) // another directory here, the same one on a Mac
		}
		want(t, "create "+path, put(fs, path, ""), vfs.EROFS)
		want(t, "mkdir "+path, fs.Mkdir(path, 0o755), vfs.EROFS)
		want(t, "mkdir "+path+"/", fs.Mkdir(path+"/", 0o755), vfs.EROFS)
		want(t, "symlink "+path, fs.Symlink("x", path), vfs.EROFS)
		want(t, "link "+path, fs.Link("plain", path, false), vfs.EROFS)
		want(t, "rename "+path, fs.Rename("plain", path), vfs.EROFS)
		want(t, "rename directory "+path, fs.Rename("dir", path), vfs.EROFS)
	}
	w.link(".envrc", "dangling")
	want(t, "create through a link", put(fs, "dangling", ""), vfs.EROFS)
}

func TestTheWayToAProtectedPathIsARealDirectory(t *testing.T) {
	w := newWorld(t)
	w.write("dir/hooks/pre-commit", "evil")
	w.write("dir2/Config", "evil")
	w.write("harmless/HEAD", "")
	w.write("plain", "gitdir: dir")
	fs := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})
	want(t, "link", fs.Symlink("dir", ".git"), vfs.EROFS)
	want(t, "file", put(fs, ".git", "gitdir: dir"), vfs.EROFS)
	want(t, "hard link", fs.Link("plain", ".git", false), vfs.EROFS)
	want(t, "renamed file", fs.Rename("plain", ".git"), vfs.EROFS)
	want(t, "renamed directory with hooks", fs.Rename("dir", ".git"), vfs.EROFS)
	want(t, "renamed directory with a configuration", fs.Rename("dir2", "sub/.git"), vfs.ENOENT)
	want(t, "renamed directory with a configuration", fs.Rename("dir2", ".GIT"), vfs.EROFS)
	want(t, "harmless directory", fs.Rename("harmless", ".git"), vfs.OK)
	want(t, "and back", fs.Rename(".git", "harmless"), vfs.OK)
	want(t, "new directory", fs.Mkdir(".git", 0o755), vfs.OK)
	want(t, "a file in it", put(fs, ".git/HEAD", "ref"), vfs.OK)
}

func TestTheWayToAProtectedPathCannotBeMoved(t *testing.T) {
	w, fs := protectedWorld(t)
	for _, dir := range []string{".git", "sub/.git", "docs", "gitlink/../.git"} {
		want(t, "rename "+dir, fs.Rename(dir, "moved"), vfs.EBUSY)
	}
	want(t, "a whole repository may move", fs.Rename("sub", "moved"), vfs.OK)
	want(t, "and is protected there", put(fs, "moved/.git/config", "evil"), vfs.EROFS)
	want(t, "its sibling is not", put(fs, "docs/AGENTS.md", "guest"), vfs.OK)
	if got := w.read("moved/.git/config"); got != "host" {
		t.Errorf("config holds %q", got)
	}
}

func TestAGitFileOfTheHostCannotBeRedirected(t *testing.T) {
	w := newWorld(t)
	w.write(".git", "gitdir: /elsewhere")
	fs := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})
	want(t, "write", put(fs, ".git", "gitdir: evil"), vfs.EROFS)
	want(t, "unlink", fs.Unlink(".git"), vfs.EROFS)
	want(t, "rename", fs.Rename(".git", "x"), vfs.EROFS)
}

func TestProtectionPatternsMustBePlain(t *testing.T) {
	w := newWorld(t)
	for _, pattern := range []string{"", "/", "../x", "a//b", "a/./b", "a/..", "x\x00"} {
		if fs, err := hostfs.New(w.ws, hostfs.Options{Protect: hostfs.Protection{pattern}}); err == nil {
			fs.Close()
			t.Errorf("%q is accepted", pattern)
		}
	}
}

func TestReadOnlyIsAPropertyOfTheMount(t *testing.T) {
	w := newWorld(t)
	w.write("file", "content")
	w.mkdir("dir")
	w.link("file", "link")
	fs := w.mount(hostfs.Options{ReadOnly: true})
	for name, errno := range map[string]vfs.Errno{
		"create":      put(fs, "new", "x"),
		"write":       put(fs, "file", "x"),
		"append":      opened(fs, "file", vfs.Write|vfs.Append),
		"read write":  opened(fs, "file", vfs.Read|vfs.Write),
		"cut":         opened(fs, "file", vfs.Read|vfs.Truncate),
		"mkdir":       fs.Mkdir("new", 0o755),
		"rmdir":       fs.Rmdir("dir"),
		"unlink":      fs.Unlink("file"),
		"symlink":     fs.Symlink("file", "new"),
		"link":        fs.Link("file", "new", false),
		"link link":   fs.Link("link", "new", true),
		"rename":      fs.Rename("file", "new"),
		"rename over": fs.Rename("file", "link"),
		"rename dir":  fs.Rename("dir", "new/"),
		"chmod":       fs.Chmod("file", 0o777, true),
		"utimes":      fs.Utimes("file", 1, 1, vfs.SetMtime, true),
		"utimes link": fs.Utimes("link", 1, 1, vfs.SetMtime, false),
		"chmod root":  fs.Chmod(".", 0o777, true),
	} {
		want(t, name, errno, vfs.EROFS)
	}
	f, errno := fs.Open("file", vfs.Read, 0)
	want(t, "open", errno, vfs.OK)
	defer f.Close()
	want(t, "fd chmod", f.Chmod(0o777), vfs.EROFS)
	want(t, "fd utimes", f.Utimes(1, 1, vfs.SetMtime), vfs.EROFS)
	_, errno = f.Write([]byte("x"))
	want(t, "fd write", errno, vfs.EBADF)
	want(t, "fd truncate", f.Truncate(0), vfs.EINVAL)
	d, errno := fs.Open("dir", vfs.Read, 0)
	want(t, "open dir", errno, vfs.OK)
	defer d.Close()
	want(t, "dir chmod", d.Chmod(0o777), vfs.EROFS)
	want(t, "existing", fs.Mkdir("dir", 0o755), vfs.EEXIST)
	if got := w.read("file"); got != "content" {
		t.Errorf("file holds %q", got)
	}
}

func TestWhatALinkOfTheHostProtectsIsProtected(t *testing.T) {
	w := newWorld(t)
	w.write("real/config", "host")
	w.mkdir("editor")
	w.link("real", ".git")
	w.link("./editor/../editor", ".vscode")
	w.link("later", ".husky")
	w.link("../OUT", ".idea")
	fs := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection()})
	for _, path := range []string{"real/config", ".git/config", "real/hooks", "editor/tasks.json", "later", "real/commondir"} {
		want(t, "write "+path, put(fs, path, "guest"), vfs.EROFS)
	}
	want(t, "rename", fs.Rename("real", "moved"), vfs.EBUSY)
	want(t, "unlink", fs.Unlink(".git"), vfs.EROFS)
	want(t, "what is not protected", put(fs, "real/HEAD", "ref"), vfs.OK)
}

func TestManyGuestsAtOnce(t *testing.T) {
	w := newWorld(t)
	q := quota.New(quota.Limits{}, nil)
	fs := w.mount(hostfs.Options{Protect: hostfs.DefaultProtection(), Quota: q, Changes: hostfs.NewChanges(1000)})
	var guests sync.WaitGroup
	for id := range 64 {
		guests.Go(func() {
			dir := "d" + strconv.Itoa(id)
			want(t, "mkdir", fs.Mkdir(dir, 0o755), vfs.OK)
			for i := range 5 {
				name := dir + "/f" + strconv.Itoa(i)
				want(t, "write", put(fs, name, dir), vfs.OK)
				want(t, "rename", fs.Rename(name, name+"x"), vfs.OK)
				if got, errno := slurp(fs, name+"x"); got != dir || errno != vfs.OK {
					t.Errorf("%s: %q, errno %d", name, got, errno)
				}
				want(t, "unlink", fs.Unlink(name+"x"), vfs.OK)
			}
			want(t, "rmdir", fs.Rmdir(dir), vfs.OK)
		})
	}
	guests.Wait()
	if u := q.Usage(); u != (quota.Usage{}) {
		t.Errorf("%+v is left", u)
	}
}
