//go:build linux

package sys

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// OpenFile opens a file; mode applies exactly, whatever the umask is, to a file that it creates.
func OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}

// Stat describes a file, following symbolic links.
func Stat(path string) (Info, error) { return stat(path, syscall.Stat) }

// Lstat describes a file or the symbolic link itself.
func Lstat(path string) (Info, error) { return stat(path, syscall.Lstat) }

// Fstat describes an open file.
func Fstat(f *os.File) (Info, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(int(f.Fd()), &st); err != nil {
		return Info{}, wrap("stat", f.Name(), err)
	}
	return info(filepath.Base(f.Name()), &st), nil
}

func stat(path string, call func(string, *syscall.Stat_t) error) (Info, error) {
	var st syscall.Stat_t
	if err := call(path, &st); err != nil {
		return Info{}, wrap("stat", path, err)
	}
	return info(filepath.Base(path), &st), nil
}

func info(name string, st *syscall.Stat_t) Info {
	return Info{
		Name: name, Dev: uint64(st.Dev), Ino: st.Ino, Nlink: uint64(st.Nlink), Size: st.Size, Blocks: st.Blocks,
		Mode: fileMode(st.Mode), UID: UID, GID: GID,
		Mtime: time.Unix(st.Mtim.Unix()), Atime: time.Unix(st.Atim.Unix()), Ctime: time.Unix(st.Ctim.Unix()),
	}
}

func fileMode(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	switch m & syscall.S_IFMT {
	case syscall.S_IFBLK:
		mode |= fs.ModeDevice
	case syscall.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case syscall.S_IFDIR:
		mode |= fs.ModeDir
	case syscall.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case syscall.S_IFLNK:
		mode |= fs.ModeSymlink
	case syscall.S_IFSOCK:
		mode |= fs.ModeSocket
	}
	if m&syscall.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if m&syscall.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if m&syscall.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// Chmod sets the permission, setuid, setgid and sticky bits of a file.
func Chmod(path string, mode fs.FileMode) error { return os.Chmod(path, mode) }

// Statfs describes the filesystem that holds path.
func Statfs(path string) (Space, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return Space{}, wrap("statfs", path, err)
	}
	return Space{BlockSize: uint64(st.Bsize), Blocks: st.Blocks, BlocksFree: st.Bavail, Files: st.Files, FilesFree: st.Ffree}, nil
}

func lchtimes(path string, atime, mtime time.Time) error {
	ts := []unix.Timespec{timespec(atime), timespec(mtime)}
	return wrap("chtimes", path, unix.UtimesNanoAt(unix.AT_FDCWD, path, ts, unix.AT_SYMLINK_NOFOLLOW))
}

func timespec(t time.Time) unix.Timespec {
	if t.IsZero() {
		return unix.Timespec{Nsec: unix.UTIME_OMIT}
	}
	return unix.NsecToTimespec(t.UnixNano())
}

// physical returns a path that the system resolves as POSIX says: here it is the path itself.
func physical(path string) string { return path }

// MemoryLimit is how many bytes of memory the call may take: natively there is no limit of its own.
func MemoryLimit() int64 { return 0 }
