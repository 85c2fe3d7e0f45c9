//go:build !linux && !wasip1

package sys

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// On systems other than Linux the toolbox is only ever tried natively: what the os package tells is enough.

// OpenFile opens a file; mode applies to a file that it creates.
func OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}

// Stat describes a file, following symbolic links.
func Stat(path string) (Info, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return Info{}, err
	}
	return info(path, fi), nil
}

// Lstat describes a file or the symbolic link itself.
func Lstat(path string) (Info, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return Info{}, err
	}
	return info(path, fi), nil
}

// Fstat describes an open file.
func Fstat(f *os.File) (Info, error) {
	fi, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	return info(f.Name(), fi), nil
}

func info(path string, fi fs.FileInfo) Info {
	const blockSize = 512
	return Info{
		Name: filepath.Base(path), Ino: pathID(path), Nlink: 1, Size: fi.Size(),
		Blocks: (fi.Size() + blockSize - 1) / blockSize,
		Mode:   fi.Mode(), UID: UID, GID: GID, Mtime: fi.ModTime(), Atime: fi.ModTime(), Ctime: fi.ModTime(),
	}
}

// pathID stands in for an inode number: the os package does not tell one on every system.
func pathID(path string) uint64 {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	id := uint64(offset)
	for i := range len(path) {
		id = (id ^ uint64(path[i])) * prime
	}
	return id
}

// Chmod sets the permission bits of a file.
func Chmod(path string, mode fs.FileMode) error { return os.Chmod(path, mode) }

// Statfs describes the filesystem that holds path: nothing is known about it.
func Statfs(path string) (Space, error) {
	_, err := os.Stat(path)
	return Space{}, err
}

// lchtimes leaves a symbolic link as it is: there is no portable way.
func lchtimes(path string, atime, mtime time.Time) error {
	fi, err := os.Lstat(path)
	if err != nil || fi.Mode()&fs.ModeSymlink != 0 {
		return err
	}
	return os.Chtimes(path, atime, mtime)
}

// physical returns a path that the system resolves as POSIX says: here it is the path itself.
func physical(path string) string { return path }

// MemoryLimit is how many bytes of memory the call may take: natively there is no limit of its own.
func MemoryLimit() int64 { return 0 }
