package hostfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/vfs"
)

// beneath is what openat2 says of a path, and which file it finds.
func beneath(root int, path string, flags uint64) (ino uint64, errno vfs.Errno) {
	fd, err := unix.Openat2(root, path, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC | flags,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return 0, hostErrno(err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, hostErrno(err)
	}
	return st.Ino, vfs.OK
}

func openat2Works() bool {
	fd, err := unix.Openat2(unix.AT_FDCWD, ".", &unix.OpenHow{Flags: unix.O_PATH, Resolve: unix.RESOLVE_BENEATH})
	if err == nil {
		unix.Close(fd)
	}
	return !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM)
}

// drawWorkspace fills a workspace with directories, files, and links to everywhere.
func drawWorkspace(t *rapid.T, ws, out string) {
	targets := []string{
		"..", "../..", "../OUT", "../OUT/secret", out, filepath.Join(out, "secret"), "/", "/etc/passwd", ".", "./", "a/", "b/../..",
		"a", "b", "c", "d", "../a", "../../c", "a/b", "../WS/a", "/proc/self/root", "none", "l",
	}
	dir := ws
	for range rapid.IntRange(1, 14).Draw(t, "entries") {
		name := filepath.Join(dir, rapid.SampledFrom([]string{"a", "b", "c", "d", "l"}).Draw(t, "name"))
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			if f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
				f.WriteString("inside")
				f.Close()
			}
		case 1:
			os.Mkdir(name, 0o755)
			dir = name
		case 2, 3:
			os.Symlink(rapid.SampledFrom(targets).Draw(t, "target"), name)
		case 4:
			dir = ws
		}
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			dir = ws
		}
	}
}

// TestResolvesAsOpenat2Beneath compares what random paths lead to, in random workspaces, with what the kernel's own
// confined resolution says; and then lets random operations loose.
func TestResolvesAsOpenat2Beneath(t *testing.T) {
	if !openat2Works() {
		t.Skip("no openat2")
	}
	rapid.Check(t, func(rt *rapid.T) {
		base, err := os.MkdirTemp("", "beneath")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(base)
		ws, out := filepath.Join(base, "WS"), filepath.Join(base, "OUT")
		os.Mkdir(ws, 0o755)
		os.Mkdir(out, 0o755)
		os.WriteFile(filepath.Join(out, "secret"), []byte(secret), 0o644)
		before := snapshot(t, out)
		drawWorkspace(rt, ws, out)
		fs, err := hostfs.New(ws, hostfs.Options{Protect: hostfs.DefaultProtection()})
		if err != nil {
			rt.Fatal(err)
		}
		defer fs.Close()
		root, err := unix.Open(ws, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			rt.Fatal(err)
		}
		defer unix.Close(root)
		for range 20 {
			path := drawPath(rt, "path")
			for follow, flags := range map[bool]uint64{true: 0, false: unix.O_NOFOLLOW} {
				ino, expected := beneath(root, path, flags)
				st, errno := fs.Stat(path, follow)
				if errno != expected || st.Ino != ino {
					rt.Fatalf("stat %s (follow: %v): file %d, errno %d, want %d, %d", path, follow, st.Ino, errno, ino, expected)
				}
			}
			if got, _ := slurp(fs, path); strings.Contains(got, secret) {
				rt.Fatalf("read %s: got what is outside", path)
			}
		}
		for range 30 {
			apply(fs, drawStep(rt))
		}
		if now := snapshot(t, out); now != before {
			rt.Fatalf("outside changed\nfrom:\n%s\nto:\n%s", before, now)
		}
		if entries, err := os.ReadDir(base); err != nil || len(entries) != 2 {
			rt.Fatalf("beside the workspace are %v, %v", entries, err)
		}
	})
}
