// Package vfs is the filesystem contract inside the sandbox: what the WASI host
// asks of a mount, and what a mount promises.
//
// A path given to an FS is relative to that FS, uses '/' between components, has no
// leading slash, and names the root as ".". It may end in "/" (the result must then be
// a directory, by the rules of POSIX) and may hold ".." components; an FS never lets a
// path, whatever links it crosses, reach anything outside its root.
//
// Operations return an [Errno]; OK is success. Implementations are safe for use by
// several guests at once.
package vfs

import "math"

// FileType is the kind of a file. The numbers are those of WASI preview 1.
type FileType uint8

const (
	TypeUnknown     FileType = 0
	TypeBlockDevice FileType = 1
	TypeCharDevice  FileType = 2
	TypeDirectory   FileType = 3
	TypeRegular     FileType = 4
	TypeSocket      FileType = 6
	TypeSymlink     FileType = 7
	// TypeFIFO has no number in WASI preview 1; the WASI host reports it as TypeUnknown.
	TypeFIFO FileType = 128
)

// Stat describes a file. Times are nanoseconds since the Unix epoch.
type Stat struct {
	Dev, Ino            uint64
	Nlink               uint64
	Size                int64
	Blocks              int64 // allocated, in units of 512 bytes
	Atime, Mtime, Ctime int64
	Mode                uint32 // permission, setuid, setgid and sticky bits only (07777)
	Type                FileType
}

// OpenFlag says how a file is opened.
type OpenFlag uint32

const (
	Read      OpenFlag = 1 << iota
	Write              // for writing; with neither Read nor Write only Stat and the like work
	Create             // make the file when it does not exist
	Exclusive          // with Create: fail when it exists
	Truncate           // cut an existing regular file to length zero
	Append             // every write goes to the end
	Directory          // fail with ENOTDIR when it is not a directory
	NoFollow           // fail with ELOOP when the last component is a symbolic link
	Nonblock           // a stream answers EAGAIN instead of waiting
	Sync
)

// TimeFlag says which of the two times Utimes sets, and from what.
type TimeFlag uint8

const (
	SetAtime TimeFlag = 1 << iota
	SetAtimeNow
	SetMtime
	SetMtimeNow
)

// Dirent is one entry of a directory. Dirents never include "." and "..".
type Dirent struct {
	Name string
	Ino  uint64
	Type FileType
}

// Statfs describes the space of a filesystem, as the quota of the session shows it.
type Statfs struct {
	BlockSize          uint64
	Blocks, BlocksFree uint64
	Files, FilesFree   uint64
}

// FS is one mount, or a tree of mounts.
type FS interface {
	// Open opens or creates a file. perm applies to a new file; the caller has already taken the umask off.
	Open(path string, flags OpenFlag, perm uint32) (File, Errno)
	// Stat describes path; follow says whether a symbolic link in the last component is followed.
	Stat(path string, follow bool) (Stat, Errno)
	Readlink(path string) (string, Errno)
	Mkdir(path string, perm uint32) Errno
	Rmdir(path string) Errno
	Unlink(path string) Errno
	// Rename and Link fail with EXDEV when the two names are on different mounts.
	Rename(oldPath, newPath string) Errno
	Link(oldPath, newPath string, follow bool) Errno
	// Symlink makes path a link that holds target.
	Symlink(target, path string) Errno
	Chmod(path string, mode uint32, follow bool) Errno
	Utimes(path string, atime, mtime int64, flags TimeFlag, follow bool) Errno
	Statfs(path string) (Statfs, Errno)
}

// File is an open file. Methods that make no sense for its kind return EISDIR, ENOTDIR,
// ESPIPE or EINVAL as Linux does, and EBADF when it was not opened for that.
type File interface {
	Stat() (Stat, Errno)
	// Read and Write use the file's own position. Read returns 0, OK at the end.
	Read(p []byte) (int, Errno)
	Write(p []byte) (int, Errno)
	Pread(p []byte, off int64) (int, Errno)
	Pwrite(p []byte, off int64) (int, Errno)
	// Seek moves the position; whence is 0 (start), 1 (current) or 2 (end).
	Seek(off Offset, whence int) (int64, Errno)
	Truncate(size int64) Errno
	// Allocate makes sure that the file is at least off+size long.
	Allocate(off, size int64) Errno
	Sync() Errno
	Datasync() Errno
	Chmod(mode uint32) Errno
	Utimes(atime, mtime int64, flags TimeFlag) Errno
	// SetAppend switches append mode, for fd_fdstat_set_flags.
	SetAppend(on bool) Errno
	// Readdir returns the whole directory, sorted by nothing in particular. It is called again after a rewind.
	Readdir() ([]Dirent, Errno)
	Close() Errno
}

// Poller is implemented by files whose reads and writes can have to wait: streams. Read and Write of such a file never
// wait, with Nonblock or without: they answer EAGAIN, and the caller does the waiting, which it can then also end.
type Poller interface {
	// Readable and Writable report whether the operation would not block now (an end of stream or an error does not
	// block), and how many bytes can be moved.
	Readable() (ready bool, n int)
	Writable() (ready bool, n int)
	// Notify arranges for c (of capacity 1 or more) to get a value, without blocking, whenever readiness may have
	// changed. The returned function ends the arrangement.
	Notify(c chan<- struct{}) (stop func())
}

// Offset is a distance in a file, in bytes. It is an int64 by another name: implementations of File.Seek use it so that
// go vet, which knows the name Seek from package io only, does not take the method for a misspelt io.Seeker.
type Offset = int64

// Position is where a Seek from the position now leads. size tells where the end is, when that is asked for.
func Position(off Offset, whence int, now int64, size func() (int64, Errno)) (int64, Errno) {
	var base int64
	switch whence {
	case 0:
	case 1:
		base = now
	case 2:
		var errno Errno
		if base, errno = size(); errno != OK {
			return 0, errno
		}
	default:
		return 0, EINVAL
	}
	if off > 0 && base > math.MaxInt64-off {
		return 0, EOVERFLOW
	}
	if base+off < 0 {
		return 0, EINVAL
	}
	return base + off, OK
}

// Valid reports whether f asks for each time at most once.
func (f TimeFlag) Valid() bool {
	return f&(SetAtime|SetAtimeNow) != SetAtime|SetAtimeNow && f&(SetMtime|SetMtimeNow) != SetMtime|SetMtimeNow
}
