// Package devfs is the guest's /dev as a [vfs.FS]: a read-only directory with the devices that scripts rely on, none
// of which is one of the host's, and the guest's own streams and open files by name.
//
//	null zero full random urandom   as on Linux
//	stdin stdout stderr fd/N        opening gives another handle of the guest's own file N
//	tty                             exists, but there is no terminal: opening is ENXIO
package devfs

import (
	"crypto/rand"
	"io"
	"strconv"
	"time"

	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

// Handles is the guest's table of open files.
type Handles interface {
	// Dup gives another handle of the open file fd, which the caller closes, or EBADF.
	Dup(fd int) (vfs.File, vfs.Errno)
	// List says which numbers are open.
	List() []int
}

// Options say what is behind the devices.
type Options struct {
	// Handles is behind stdin, stdout, stderr and fd. Nil is a guest without open files.
	Handles Handles
	// Random is behind random and urandom. Nil is the host's generator.
	Random io.Reader
	// Quota is charged for open devices. Nil is no limit.
	Quota *quota.Quota
	// Now is the clock, in nanoseconds since the Unix epoch. Nil is the host's.
	Now func() int64
}

// FS is a /dev. It is safe for concurrent use if what its options hold is.
type FS struct {
	options Options
	born    int64
}

var (
	_ vfs.FS            = (*FS)(nil)
	_ vfs.Expander      = (*FS)(nil)
	_ vfs.Canonicalizer = (*FS)(nil)
)

// New makes a /dev.
func New(options Options) *FS {
	if options.Random == nil {
		options.Random = rand.Reader
	}
	if options.Now == nil {
		options.Now = func() int64 { return time.Now().UnixNano() }
	}
	return &FS{options: options, born: options.Now()}
}

// entry is what a path names.
type entry uint8

const (
	entryNone entry = iota
	entryRoot
	entryFds
	entryNull
	entryZero
	entryFull
	entryRandom
	entryUrandom
	entryTTY
	entryStdin
	entryStdout
	entryStderr
	entryFd // a number in fd
)

var names = [...]string{
	entryFds:     "fd",
	entryNull:    "null",
	entryZero:    "zero",
	entryFull:    "full",
	entryRandom:  "random",
	entryUrandom: "urandom",
	entryTTY:     "tty",
	entryStdin:   "stdin",
	entryStdout:  "stdout",
	entryStderr:  "stderr",
}

func named(name string) entry {
	for i, n := range names {
		if n == name && n != "" {
			return entry(i)
		}
	}
	return entryNone
}

// device numbers of this package, away from those that hosts use.
const (
	deviceNumber = 0x64657600_00000000
	firstFdIno   = 0x1000
)

// place is where a path leads. There are no links, so a path is resolved by its text.
type place struct {
	entry entry
	fd    int
	slash bool   // a slash or a dot follows
	out   string // where the path leaves
	path  string // canonical
}

func (p place) isDir() bool { return p.entry == entryRoot || p.entry == entryFds }

// find resolves path. With ENOENT, place says in which directory something is missing; entryNone when that is too.
func (fs *FS) find(path string) (place, vfs.Errno) {
	at := place{entry: entryRoot, path: "."}
	if errno := vfs.CheckPath(path); errno != vfs.OK {
		return place{}, errno
	}
	for rest := path; !vfs.OnlySlashes(rest); {
		name, after := vfs.NextName(rest)
		if !at.isDir() {
			return place{}, vfs.ENOTDIR
		}
		switch {
		case name == ".":
		case name == "..":
			if at.entry == entryRoot {
				return place{out: ".." + after}, vfs.EXDEV
			}
			at = place{entry: entryRoot, path: "."}
		default:
			next, errno := fs.child(at.entry, name)
			if errno == vfs.ENOENT && vfs.OnlySlashes(after) {
				return at, errno
			}
			if errno != vfs.OK {
				return place{}, errno
			}
			at = next
		}
		at.slash = after != ""
		rest = after
	}
	if at.slash && !at.isDir() {
		return at, vfs.ENOTDIR
	}
	return at, vfs.OK
}

func (fs *FS) child(dir entry, name string) (place, vfs.Errno) {
	if dir == entryRoot {
		e := named(name)
		if e == entryNone {
			return place{}, vfs.ENOENT
		}
		return place{entry: e, fd: int(e) - int(entryStdin), path: name}, vfs.OK
	}
	fd, err := strconv.Atoi(name)
	if err != nil || fd < 0 || strconv.Itoa(fd) != name {
		return place{}, vfs.ENOENT
	}
	for _, open := range fs.list() {
		if open == fd {
			return place{entry: entryFd, fd: fd, path: "fd/" + name}, vfs.OK
		}
	}
	return place{}, vfs.ENOENT
}

func (fs *FS) list() []int {
	if fs.options.Handles == nil {
		return nil
	}
	return fs.options.Handles.List()
}

func (fs *FS) dup(fd int) (vfs.File, vfs.Errno) {
	if fs.options.Handles == nil {
		return nil, vfs.ENOENT
	}
	f, errno := fs.options.Handles.Dup(fd)
	if errno == vfs.EBADF {
		return nil, vfs.ENOENT
	}
	return f, errno
}

// stat describes the entry itself.
func (fs *FS) stat(at place) vfs.Stat {
	st := vfs.Stat{
		Dev: deviceNumber, Ino: uint64(at.entry), Nlink: 1,
		Atime: fs.born, Mtime: fs.born, Ctime: fs.born,
		Mode: 0o666, Type: vfs.TypeCharDevice,
	}
	if at.entry == entryFd {
		st.Ino = firstFdIno + uint64(at.fd)
	}
	if at.isDir() {
		st.Mode, st.Type, st.Nlink = 0o555, vfs.TypeDirectory, 2
	}
	return st
}

// Stat implements [vfs.FS]. Following, the streams and fd/N are what they stand for.
func (fs *FS) Stat(path string, follow bool) (vfs.Stat, vfs.Errno) {
	at, errno := fs.find(path)
	if errno != vfs.OK {
		return vfs.Stat{}, errno
	}
	if !follow || at.entry < entryStdin {
		return fs.stat(at), vfs.OK
	}
	f, errno := fs.dup(at.fd)
	if errno != vfs.OK {
		return vfs.Stat{}, errno
	}
	defer f.Close()
	return f.Stat()
}

// Open implements [vfs.FS].
func (fs *FS) Open(path string, flags vfs.OpenFlag, _ uint32) (vfs.File, vfs.Errno) {
	at, errno := fs.find(path)
	create := flags&vfs.Create != 0
	switch {
	case create && flags&vfs.Directory != 0:
		return nil, vfs.EINVAL
	case errno == vfs.ENOENT && create && at.entry != entryNone:
		return nil, vfs.EROFS
	case errno != vfs.OK:
		return nil, errno
	case create && flags&vfs.Exclusive != 0:
		return nil, vfs.EEXIST
	case at.isDir():
		return fs.openDir(at, flags)
	case flags&vfs.Directory != 0:
		return nil, vfs.ENOTDIR
	case at.entry == entryTTY:
		return nil, vfs.ENXIO
	case at.entry >= entryStdin:
		return fs.dup(at.fd)
	}
	if errno := fs.options.Quota.OpenHandle(); errno != vfs.OK {
		return nil, errno
	}
	return &device{
		fs: fs, at: at,
		readable: flags&vfs.Read != 0,
		writable: flags&vfs.Write != 0,
	}, vfs.OK
}

func (fs *FS) openDir(at place, flags vfs.OpenFlag) (vfs.File, vfs.Errno) {
	if flags&(vfs.Create|vfs.Write|vfs.Truncate) != 0 {
		return nil, vfs.EISDIR
	}
	if errno := fs.options.Quota.OpenHandle(); errno != vfs.OK {
		return nil, errno
	}
	return &directory{fs: fs, at: at}, vfs.OK
}

// Expand implements [vfs.Expander].
func (fs *FS) Expand(path string, _ bool) (string, bool) {
	at, errno := fs.find(path)
	return at.out, errno == vfs.EXDEV
}

// Canonical implements [vfs.Canonicalizer].
func (fs *FS) Canonical(path string) (string, vfs.Errno) {
	at, errno := fs.find(path)
	if errno != vfs.OK {
		return "", errno
	}
	return at.path, vfs.OK
}

// Readlink implements [vfs.FS]. There are no links.
func (fs *FS) Readlink(path string) (string, vfs.Errno) { return "", fs.existing(path, vfs.EINVAL) }

// existing is errno for what exists.
func (fs *FS) existing(path string, errno vfs.Errno) vfs.Errno {
	if _, missing := fs.find(path); missing != vfs.OK {
		return missing
	}
	return errno
}

// vacant is EROFS where something could be made, were it allowed.
func (fs *FS) vacant(path string) vfs.Errno {
	at, errno := fs.find(path)
	switch {
	case errno == vfs.OK:
		return vfs.EEXIST
	case errno == vfs.ENOENT && at.entry != entryNone:
		return vfs.EROFS
	}
	return errno
}

// Mkdir implements [vfs.FS].
func (fs *FS) Mkdir(path string, _ uint32) vfs.Errno { return fs.vacant(path) }

// Symlink implements [vfs.FS].
func (fs *FS) Symlink(_, path string) vfs.Errno { return fs.vacant(path) }

// Rmdir implements [vfs.FS].
func (fs *FS) Rmdir(path string) vfs.Errno {
	if at, errno := fs.find(path); errno == vfs.OK && !at.isDir() {
		return vfs.ENOTDIR
	}
	return fs.existing(path, vfs.EROFS)
}

// Unlink implements [vfs.FS].
func (fs *FS) Unlink(path string) vfs.Errno {
	if at, errno := fs.find(path); errno == vfs.OK && at.isDir() {
		return vfs.EISDIR
	}
	return fs.existing(path, vfs.EROFS)
}

// Rename implements [vfs.FS].
func (fs *FS) Rename(oldPath, newPath string) vfs.Errno {
	if _, errno := fs.find(newPath); errno == vfs.EXDEV {
		return errno
	}
	return fs.existing(oldPath, vfs.EROFS)
}

// Link implements [vfs.FS].
func (fs *FS) Link(oldPath, newPath string, _ bool) vfs.Errno {
	if errno := fs.existing(oldPath, vfs.OK); errno != vfs.OK {
		return errno
	}
	return fs.vacant(newPath)
}

// Chmod implements [vfs.FS].
func (fs *FS) Chmod(path string, _ uint32, _ bool) vfs.Errno { return fs.existing(path, vfs.EROFS) }

// Utimes implements [vfs.FS]. Touching a device is harmless and does nothing, as scripts expect of /dev/null.
func (fs *FS) Utimes(path string, _, _ int64, flags vfs.TimeFlag, _ bool) vfs.Errno {
	if !flags.Valid() {
		return vfs.EINVAL
	}
	return fs.existing(path, vfs.OK)
}

// Statfs implements [vfs.FS].
func (fs *FS) Statfs(path string) (vfs.Statfs, vfs.Errno) {
	return vfs.Statfs{BlockSize: 4096}, fs.existing(path, vfs.OK)
}
