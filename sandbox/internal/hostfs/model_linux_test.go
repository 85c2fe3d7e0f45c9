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
	"openclaw/sandbox/internal/memfs"
	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

// kernel is the reference: what Linux itself does with the paths of a directory.
type kernel struct{ fd int }

func hostErrno(err error) vfs.Errno {
	var errno unix.Errno
	if err == nil || !errors.As(err, &errno) {
		return vfs.OK
	}
	for host, ours := range map[unix.Errno]vfs.Errno{
		unix.ENOENT: vfs.ENOENT, unix.EEXIST: vfs.EEXIST, unix.ENOTDIR: vfs.ENOTDIR, unix.EISDIR: vfs.EISDIR,
		unix.ENOTEMPTY: vfs.ENOTEMPTY, unix.EINVAL: vfs.EINVAL, unix.ELOOP: vfs.ELOOP, unix.EBUSY: vfs.EBUSY,
		unix.EPERM: vfs.EPERM, unix.EXDEV: vfs.EXDEV, unix.ENAMETOOLONG: vfs.ENAMETOOLONG, unix.EACCES: vfs.EACCES,
		unix.EOPNOTSUPP: vfs.ENOTSUP, unix.EBADF: vfs.EBADF,
	} {
		if host == errno {
			return ours
		}
	}
	return vfs.EIO
}

// step is one operation, on the reference and on the filesystem under test.
type step struct {
	op    string
	a, b  string
	flags vfs.OpenFlag
	text  string
	n     int64
}

func (k kernel) apply(s step) vfs.Errno {
	switch s.op {
	case "open":
		return k.open(s)
	case "mkdir":
		return hostErrno(unix.Mkdirat(k.fd, s.a, 0o755))
	case "rmdir":
		return hostErrno(unix.Unlinkat(k.fd, s.a, unix.AT_REMOVEDIR))
	case "unlink":
		return hostErrno(unix.Unlinkat(k.fd, s.a, 0))
	case "rename":
		return hostErrno(unix.Renameat(k.fd, s.a, k.fd, s.b))
	case "link":
		return hostErrno(unix.Linkat(k.fd, s.a, k.fd, s.b, 0))
	case "symlink":
		return hostErrno(unix.Symlinkat(s.b, k.fd, s.a))
	case "readlink":
		_, err := unix.Readlinkat(k.fd, s.a, make([]byte, 100))
		return hostErrno(err)
	case "stat", "lstat":
		flags := 0
		if s.op == "lstat" {
			flags = unix.AT_SYMLINK_NOFOLLOW
		}
		var st unix.Stat_t
		return hostErrno(unix.Fstatat(k.fd, s.a, &st, flags))
	case "chmod":
		return hostErrno(unix.Fchmodat(k.fd, s.a, uint32(s.n)&0o077|0o700, 0))
	}
	panic(s.op)
}

func (k kernel) open(s step) vfs.Errno {
	how := unix.O_CLOEXEC
	switch {
	case s.flags&vfs.Read != 0 && s.flags&vfs.Write != 0:
		how |= unix.O_RDWR
	case s.flags&vfs.Write != 0:
		how |= unix.O_WRONLY
	}
	for flag, bit := range map[vfs.OpenFlag]int{
		vfs.Create: unix.O_CREAT, vfs.Exclusive: unix.O_EXCL, vfs.Truncate: unix.O_TRUNC, vfs.Append: unix.O_APPEND,
		vfs.Directory: unix.O_DIRECTORY, vfs.NoFollow: unix.O_NOFOLLOW,
	} {
		if s.flags&flag != 0 {
			how |= bit
		}
	}
	fd, err := unix.Openat(k.fd, s.a, how, 0o644)
	if err != nil {
		return hostErrno(err)
	}
	defer unix.Close(fd)
	if s.flags&vfs.Write != 0 {
		if _, err := unix.Write(fd, []byte(s.text)); err != nil {
			return hostErrno(err)
		}
		if s.n >= 0 {
			return hostErrno(unix.Ftruncate(fd, s.n))
		}
	}
	return vfs.OK
}

func apply(fs vfs.FS, s step) vfs.Errno {
	switch s.op {
	case "open":
		f, errno := fs.Open(s.a, s.flags, 0o644)
		if errno != vfs.OK {
			return errno
		}
		defer f.Close()
		if s.flags&vfs.Write != 0 {
			if _, errno := f.Write([]byte(s.text)); errno != vfs.OK {
				return errno
			}
			if s.n >= 0 {
				return f.Truncate(s.n)
			}
		}
		return vfs.OK
	case "mkdir":
		return fs.Mkdir(s.a, 0o755)
	case "rmdir":
		return fs.Rmdir(s.a)
	case "unlink":
		return fs.Unlink(s.a)
	case "rename":
		return fs.Rename(s.a, s.b)
	case "link":
		return fs.Link(s.a, s.b, false)
	case "symlink":
		return fs.Symlink(s.b, s.a)
	case "readlink":
		_, errno := fs.Readlink(s.a)
		return errno
	case "stat", "lstat":
		_, errno := fs.Stat(s.a, s.op == "stat")
		return errno
	case "chmod":
		return fs.Chmod(s.a, uint32(s.n)&0o077|0o700, true)
	}
	panic(s.op)
}

func drawPath(t *rapid.T, label string) string {
	names := []string{"a", "b", "c", "d", "l"}
	n := rapid.IntRange(1, 4).Draw(t, label+" length")
	var parts []string
	for range n {
		parts = append(parts, rapid.SampledFrom(append(names, "a", "b", ".", "..")).Draw(t, label))
	}
	path := strings.Join(parts, "/")
	if rapid.IntRange(0, 5).Draw(t, label+" slash") == 0 {
		path += "/"
	}
	return path
}

func drawStep(t *rapid.T) step {
	s := step{
		op: rapid.SampledFrom([]string{
			"open", "open", "open", "mkdir", "mkdir", "rmdir", "unlink", "rename", "rename", "link", "symlink", "symlink",
			"readlink", "stat", "lstat", "chmod",
		}).Draw(t, "op"),
		a:    drawPath(t, "path"),
		b:    drawPath(t, "second"),
		text: rapid.StringN(0, 10, 10).Draw(t, "text"),
		n:    rapid.Int64Range(-3, 40).Draw(t, "n"),
	}
	if s.op != "open" {
		return s
	}
	s.flags = vfs.OpenFlag(rapid.IntRange(1, 3).Draw(t, "access"))
	for _, flag := range []vfs.OpenFlag{vfs.Create, vfs.Exclusive, vfs.Truncate, vfs.Append, vfs.Directory, vfs.NoFollow} {
		if rapid.IntRange(0, 3).Draw(t, "flag") == 0 {
			s.flags |= flag
		}
	}
	if s.flags&vfs.Create == 0 {
		s.flags &^= vfs.Exclusive // without O_CREAT it means nothing
	}
	if s.flags&vfs.Write == 0 {
		s.flags &^= vfs.Truncate // unspecified
	}
	return s
}

// leavesTree reports whether the reference would be asked to go where a mount does not let anyone.
func (k kernel) leavesTree(s step) bool {
	for _, path := range []string{s.a, s.b} {
		for _, flags := range []uint64{0, unix.O_NOFOLLOW} {
			fd, err := unix.Openat2(k.fd, path, &unix.OpenHow{Flags: unix.O_PATH | flags, Resolve: unix.RESOLVE_BENEATH})
			if err == nil {
				unix.Close(fd)
			}
			if errors.Is(err, unix.EXDEV) {
				return true
			}
		}
	}
	return false
}

// tree describes what a filesystem holds, without times.
func tree(t testing.TB, fs vfs.FS, dir string) string {
	f, errno := fs.Open(dir, vfs.Read|vfs.Directory, 0)
	if errno != vfs.OK {
		return dir + " errno\n"
	}
	defer f.Close()
	entries, _ := f.Readdir()
	lines := map[string]string{}
	var names []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name)
		st, errno := fs.Stat(path, false)
		if errno != vfs.OK || st.Type != e.Type {
			return path + " does not agree with its directory\n"
		}
		line := path + " "
		switch st.Type {
		case vfs.TypeDirectory:
			line += "dir " + os.FileMode(st.Mode).String() + "\n" + tree(t, fs, path)
		case vfs.TypeSymlink:
			target, _ := fs.Readlink(path)
			line += "-> " + target + "\n"
		default:
			content, _ := slurp(fs, path)
			line += os.FileMode(st.Mode).String() + " " + content + "\n"
		}
		lines[e.Name] = line
		names = append(names, e.Name)
	}
	text := ""
	for _, name := range sorted(names) {
		text += lines[name]
	}
	return text
}

func sorted(names []string) []string {
	for i := range names {
		for j := i; j > 0 && names[j] < names[j-1]; j-- {
			names[j], names[j-1] = names[j-1], names[j]
		}
	}
	return names
}

// TestBehavesAsLinuxDoes runs random operations on the kernel's own files, on a host directory, and in memory, and
// compares each errno and the trees in the end. Hard-linked files are opened for reading only: their separation is
// where the host directory differs on purpose.
func TestBehavesAsLinuxDoes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base, err := os.MkdirTemp("", "model")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(base)
		for _, dir := range []string{"kernel", "host"} {
			if err := os.Mkdir(filepath.Join(base, dir), 0o755); err != nil {
				rt.Fatal(err)
			}
		}
		fd, err := unix.Open(filepath.Join(base, "kernel"), unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			rt.Fatal(err)
		}
		defer unix.Close(fd)
		reference := kernel{fd}
		hostQuota, memQuota := quota.New(quota.Limits{}, nil), quota.New(quota.Limits{}, nil)
		host, err := hostfs.New(filepath.Join(base, "host"), hostfs.Options{Quota: hostQuota})
		if err != nil {
			rt.Fatal(err)
		}
		defer host.Close()
		memory := memfs.New(memfs.Options{Quota: memQuota})
		linked := false
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			s := drawStep(rt)
			if reference.leavesTree(s) || s.op == "symlink" && strings.Contains(s.b, "..") {
				continue
			}
			if linked && s.op == "open" {
				s.flags = vfs.Read
			}
			if linked && s.op == "chmod" {
				continue
			}
			expected := reference.apply(s)
			linked = linked || s.op == "link" && expected == vfs.OK
			if got := apply(host, s); got != expected {
				rt.Fatalf("host: %+v: errno %d, want %d", s, got, expected)
			}
			if got := apply(memory, s); got != expected {
				rt.Fatalf("memory: %+v: errno %d, want %d", s, got, expected)
			}
		}
		plain, err := hostfs.New(filepath.Join(base, "kernel"), hostfs.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer plain.Close()
		expected := tree(t, plain, ".")
		if got := tree(t, host, "."); got != expected {
			rt.Fatalf("host tree\n%s\nwant\n%s", got, expected)
		}
		if got := tree(t, memory, "."); got != expected {
			rt.Fatalf("memory tree\n%s\nwant\n%s", got, expected)
		}
		emptied(rt, host, hostQuota)
		emptied(rt, memory, memQuota)
	})
}

// emptied removes everything, after which nothing may be charged.
func emptied(rt *rapid.T, fs vfs.FS, q *quota.Quota) {
	removeAll(fs, ".")
	if u := q.Usage(); u != (quota.Usage{}) {
		rt.Fatalf("%T: %+v is charged for nothing", fs, u)
	}
}

func removeAll(fs vfs.FS, dir string) {
	f, errno := fs.Open(dir, vfs.Read|vfs.Directory, 0)
	if errno != vfs.OK {
		return
	}
	entries, _ := f.Readdir()
	f.Close()
	for _, e := range entries {
		path := dir + "/" + e.Name
		if e.Type == vfs.TypeDirectory {
			removeAll(fs, path)
			fs.Rmdir(path)
			continue
		}
		fs.Unlink(path)
	}
}
