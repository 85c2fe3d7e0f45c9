package hostfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/vfs"
)

const secret = "SECRET"

// world is a workspace WS beside a directory OUT that nothing may reach.
type world struct {
	t       testing.TB
	ws, out string
	before  string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{t: t, ws: filepath.Join(base, "WS"), out: filepath.Join(base, "OUT")}
	for _, dir := range []string{w.ws, w.out, filepath.Join(w.out, "dir")} {
		w.must(os.Mkdir(dir, 0o755))
	}
	w.must(os.WriteFile(filepath.Join(w.out, "secret"), []byte(secret), 0o644))
	w.must(os.WriteFile(filepath.Join(w.out, "dir", "inner"), []byte(secret), 0o644))
	w.before = snapshot(t, w.out)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// host makes the path of a file in the workspace.
func (w *world) host(name string) string { return filepath.Join(w.ws, name) }

func (w *world) mkdir(name string) { w.t.Helper(); w.must(os.MkdirAll(w.host(name), 0o755)) }

func (w *world) write(name, content string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.host(name)), 0o755))
	w.must(os.WriteFile(w.host(name), []byte(content), 0o644))
}

func (w *world) link(target, name string) { w.t.Helper(); w.must(os.Symlink(target, w.host(name))) }

func (w *world) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.host(name))
	w.must(err)
	return string(data)
}

func (w *world) exists(name string) bool {
	_, err := os.Lstat(w.host(name))
	return err == nil
}

func (w *world) mount(options hostfs.Options) *hostfs.FS {
	w.t.Helper()
	fs, err := hostfs.New(w.ws, options)
	w.must(err)
	w.t.Cleanup(func() { fs.Close() })
	return fs
}

// untouched fails the test when anything in OUT is not as it was.
func (w *world) untouched() {
	w.t.Helper()
	if now := snapshot(w.t, w.out); now != w.before {
		w.t.Errorf("outside changed\nfrom:\n%s\nto:\n%s", w.before, now)
	}
}

// snapshot is everything about a tree that a guest could change, access times apart.
func snapshot(t testing.TB, root string) string {
	t.Helper()
	text := ""
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		text += path + " " + info.Mode().String() + " " + info.ModTime().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " -> " + target
		}
		text += "\n"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// opened tells how opening goes.
func opened(fs vfs.FS, path string, flags vfs.OpenFlag) vfs.Errno {
	f, errno := fs.Open(path, flags, 0o644)
	if errno == vfs.OK {
		f.Close()
	}
	return errno
}

// slurp reads a file through the filesystem.
func slurp(fs vfs.FS, path string) (string, vfs.Errno) {
	f, errno := fs.Open(path, vfs.Read, 0)
	if errno != vfs.OK {
		return "", errno
	}
	defer f.Close()
	var data []byte
	buf := make([]byte, 4096)
	for {
		n, errno := f.Read(buf)
		if errno != vfs.OK || n == 0 {
			return string(data), errno
		}
		data = append(data, buf[:n]...)
	}
}

// put writes a file through the filesystem, as a shell's > does.
func put(fs vfs.FS, path, content string) vfs.Errno {
	f, errno := fs.Open(path, vfs.Write|vfs.Create|vfs.Truncate, 0o644)
	if errno != vfs.OK {
		return errno
	}
	defer f.Close()
	_, errno = f.Write([]byte(content))
	return errno
}

func list(t testing.TB, fs vfs.FS, path string) map[string]vfs.FileType {
	t.Helper()
	f, errno := fs.Open(path, vfs.Read|vfs.Directory, 0)
	if errno != vfs.OK {
		t.Fatalf("open %s: errno %d", path, errno)
	}
	defer f.Close()
	entries, errno := f.Readdir()
	if errno != vfs.OK {
		t.Fatalf("readdir %s: errno %d", path, errno)
	}
	names := make(map[string]vfs.FileType)
	for _, e := range entries {
		names[e.Name] = e.Type
	}
	return names
}

func want(t testing.TB, what string, got, expected vfs.Errno) {
	t.Helper()
	if got != expected {
		t.Errorf("%s: errno %d, want %d", what, got, expected)
	}
}
