// Package sys is the operating system as the toolbox sees it: files by absolute path, with the
// modes, links and owners that POSIX has and WASI preview 1 leaves out.
//
// Inside the sandbox it calls the WASI host and the openclaw_v1 extension; natively, which is
// how most of the toolbox is tested, it calls the host's system. Paths are always absolute.
package sys

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// The owner that every file in the sandbox has: the guest knows no other user.
const (
	UID   = 1000
	GID   = 1000
	User  = "agent"
	Group = "agent"
	Host  = "sandbox"
)

// Info describes a file.
type Info struct {
	Name   string
	Dev    uint64
	Ino    uint64
	Nlink  uint64
	Size   int64
	Blocks int64 // units of 512 bytes
	Mode   fs.FileMode
	Mtime  time.Time
	Atime  time.Time
	Ctime  time.Time
	UID    int
	GID    int
}

// IsDir reports whether the file is a directory.
func (i Info) IsDir() bool { return i.Mode.IsDir() }

// IsRegular reports whether the file is a regular file.
func (i Info) IsRegular() bool { return i.Mode.IsRegular() }

// IsLink reports whether the file is a symbolic link.
func (i Info) IsLink() bool { return i.Mode&fs.ModeSymlink != 0 }

// Same reports whether both describe one file. Streams have no number; each is a file of its own.
func (i Info) Same(j Info) bool {
	return i.Dev == j.Dev && i.Ino == j.Ino && (i.Ino != 0 || i.Dev != 0)
}

// Space describes a filesystem.
type Space struct {
	BlockSize          uint64
	Blocks, BlocksFree uint64
	Files, FilesFree   uint64
}

// ReadDir lists a directory, sorted by name.
func ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(physical(path)) }

// Mkdir makes a directory with the given mode, whatever the umask is: callers take theirs off before.
func Mkdir(path string, mode fs.FileMode) error {
	if err := os.Mkdir(physical(path), mode.Perm()); err != nil {
		return err
	}
	return Chmod(path, mode)
}

// Unlink removes a name that is not a directory.
func Unlink(path string) error { return wrap("unlink", path, syscall.Unlink(physical(path))) }

// Rmdir removes an empty directory.
func Rmdir(path string) error { return wrap("rmdir", path, syscall.Rmdir(physical(path))) }

// Rename moves a name, replacing what the new one held.
func Rename(from, to string) error {
	return wrap("rename", to, syscall.Rename(physical(from), physical(to)))
}

// Link makes another name for a file.
func Link(from, to string) error { return wrap("link", to, syscall.Link(physical(from), physical(to))) }

// Symlink makes path a symbolic link to target.
func Symlink(target, path string) error {
	return wrap("symlink", path, syscall.Symlink(target, physical(path)))
}

// Readlink returns what a symbolic link holds.
func Readlink(path string) (string, error) { return os.Readlink(physical(path)) }

// Chtimes sets the times of a file; a zero time is left as it is.
func Chtimes(path string, atime, mtime time.Time) error {
	return os.Chtimes(physical(path), atime, mtime)
}

// Lchtimes is Chtimes for a symbolic link itself.
func Lchtimes(path string, atime, mtime time.Time) error { return lchtimes(path, atime, mtime) }

// Truncate sets the size of a file.
func Truncate(path string, size int64) error { return os.Truncate(physical(path), size) }

// ReadFile reads a whole file.
func ReadFile(path string) ([]byte, error) { return os.ReadFile(physical(path)) }

func wrap(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// Strerror returns the text of the error number behind err in GNU's words, or err's own text when there is none.
func Strerror(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "Unexpected end of file"
	}
	if errors.Is(err, fs.ErrClosed) {
		return "Bad file descriptor"
	}
	var no syscall.Errno
	if !errors.As(err, &no) {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			no = syscall.ENOENT
		case errors.Is(err, fs.ErrExist):
			no = syscall.EEXIST
		case errors.Is(err, fs.ErrPermission):
			no = syscall.EACCES
		default:
			var pe *fs.PathError
			if errors.As(err, &pe) {
				return pe.Err.Error()
			}
			return err.Error()
		}
	}
	return errnoText(no)
}

func errnoText(no syscall.Errno) string {
	switch no {
	case syscall.EPERM:
		return "Operation not permitted"
	case syscall.ENOENT:
		return "No such file or directory"
	case syscall.EIO:
		return "Input/output error"
	case syscall.ENXIO:
		return "No such device or address"
	case syscall.E2BIG:
		return "Argument list too long"
	case syscall.EBADF:
		return "Bad file descriptor"
	case syscall.EAGAIN:
		return "Resource temporarily unavailable"
	case syscall.ENOMEM:
		return "Cannot allocate memory"
	case syscall.EACCES:
		return "Permission denied"
	case syscall.EBUSY:
		return "Device or resource busy"
	case syscall.EEXIST:
		return "File exists"
	case syscall.EXDEV:
		return "Invalid cross-device link"
	case syscall.ENODEV:
		return "No such device"
	case syscall.ENOTDIR:
		return "Not a directory"
	case syscall.EISDIR:
		return "Is a directory"
	case syscall.EINVAL:
		return "Invalid argument"
	case syscall.ENFILE:
		return "Too many open files in system"
	case syscall.EMFILE:
		return "Too many open files"
	case syscall.ENOTTY:
		return "Inappropriate ioctl for device"
	case syscall.EFBIG:
		return "File too large"
	case syscall.ENOSPC:
		return "No space left on device"
	case syscall.ESPIPE:
		return "Illegal seek"
	case syscall.EROFS:
		return "Read-only file system"
	case syscall.EMLINK:
		return "Too many links"
	case syscall.EPIPE:
		return "Broken pipe"
	case syscall.ERANGE:
		return "Numerical result out of range"
	case syscall.ENAMETOOLONG:
		return "File name too long"
	case syscall.ENOTEMPTY:
		return "Directory not empty"
	case syscall.ELOOP:
		return "Too many levels of symbolic links"
	case syscall.ENOSYS:
		return "Function not implemented"
	case syscall.ENOTSUP:
		return "Operation not supported"
	case syscall.EDQUOT:
		return "Disk quota exceeded"
	case syscall.ETXTBSY:
		return "Text file busy"
	case syscall.EINTR:
		return "Interrupted system call"
	}
	return no.Error()
}

// defaultUmask is what a process has that was not started with another.
const defaultUmask = 0o022
