//go:build linux || darwin

package hostfs

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"openclaw/sandbox/internal/vfs"
)

// dir is an open directory of a Unix system.
type dir struct{ fd int }

// rootDir keeps the root open.
type rootDir struct {
	root *os.Root
	file *os.File
}

func openRootDir(root *os.Root) (rootDir, dir, error) {
	file, err := root.Open(".")
	if err != nil {
		return rootDir{}, dir{}, err
	}
	return rootDir{root, file}, dir{int(file.Fd())}, nil
}

func (r rootDir) Close() error {
	err := r.file.Close()
	if rootErr := r.root.Close(); err == nil {
		err = rootErr
	}
	return err
}

func (d dir) openDir(name string) (dir, vfs.Errno) {
	fd, err := openat(d.fd, name, pathFlags|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	return dir{fd}, errnoOf(err)
}

func (d dir) openSelf() (handle, vfs.Errno) {
	fd, err := openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return handle{fd}, errnoOf(err)
}

// quietFlags keep an open from following, from waiting (a FIFO put where a file was), and from taking a terminal.
const quietFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

func (d dir) openFile(name string, flags vfs.OpenFlag, create bool, perm uint32) (handle, vfs.Errno) {
	how := quietFlags
	switch {
	case flags&vfs.Read != 0 && flags&vfs.Write != 0:
		how |= unix.O_RDWR
	case flags&vfs.Write != 0, flags&vfs.Truncate != 0:
		how |= unix.O_WRONLY
	default:
		how |= unix.O_RDONLY
	}
	if flags&vfs.Append != 0 {
		how |= unix.O_APPEND
	}
	if flags&vfs.Sync != 0 {
		how |= unix.O_SYNC
	}
	if create {
		how |= unix.O_CREAT | unix.O_EXCL
	}
	fd, err := openat(d.fd, name, how, perm&modePerm)
	return handle{fd}, errnoOf(err)
}

func (d dir) stat() (vfs.Stat, vfs.Errno) { return handle(d).stat() }

func (d dir) lstat(name string) (vfs.Stat, vfs.Errno) {
	var st unix.Stat_t
	err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return vfs.Stat{}, errnoOf(err)
	}
	return statOf(&st), vfs.OK
}

func (d dir) readlink(name string) (string, vfs.Errno) {
	buf := make([]byte, 256)
	for {
		n, err := unix.Readlinkat(d.fd, name, buf)
		if err != nil {
			return "", errnoOf(err)
		}
		if n < len(buf) {
			return string(buf[:n]), vfs.OK
		}
		if len(buf) > vfs.MaxPath {
			return "", vfs.ENAMETOOLONG
		}
		buf = make([]byte, 4*len(buf))
	}
}

func (d dir) mkdir(name string, perm uint32) vfs.Errno {
	return errnoOf(unix.Mkdirat(d.fd, name, perm&modeMask))
}

func (d dir) rmdir(name string) vfs.Errno {
	return errnoOf(unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR))
}

func (d dir) unlink(name string) vfs.Errno {
	return errnoOf(unix.Unlinkat(d.fd, name, 0))
}

func (d dir) rename(name string, to dir, newName string) vfs.Errno {
	return errnoOf(unix.Renameat(d.fd, name, to.fd, newName))
}

func (d dir) link(name string, to dir, newName string) vfs.Errno {
	return errnoOf(unix.Linkat(d.fd, name, to.fd, newName, 0))
}

func (d dir) symlink(target, name string) vfs.Errno {
	return errnoOf(unix.Symlinkat(target, d.fd, name))
}

// noName is longer than a name can be.
var noName = strings.Repeat("x", vfs.MaxName+1)

// settle asks to remove what cannot exist. That takes the kernel's lock of the directory, which a removal under way
// holds until the name it removes is gone.
func (d dir) settle() { _ = unix.Unlinkat(d.fd, noName, 0) }

func (d dir) close() { unix.Close(d.fd) }

// handle is an open file or directory of a Unix system.
type handle struct{ fd int }

func (h handle) stat() (vfs.Stat, vfs.Errno) {
	var st unix.Stat_t
	if err := unix.Fstat(h.fd, &st); err != nil {
		return vfs.Stat{}, errnoOf(err)
	}
	return statOf(&st), vfs.OK
}

func (h handle) pread(p []byte, off int64) (int, vfs.Errno) {
	for {
		n, err := unix.Pread(h.fd, p, off)
		if err != unix.EINTR {
			return max(n, 0), errnoOf(err)
		}
	}
}

func (h handle) pwrite(p []byte, off int64) (int, vfs.Errno) {
	for {
		n, err := unix.Pwrite(h.fd, p, off)
		if err != unix.EINTR {
			return max(n, 0), errnoOf(err)
		}
	}
}

func (h handle) appendWrite(p []byte) (int, int64, vfs.Errno) {
	for {
		n, err := unix.Write(h.fd, p)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, 0, errnoOf(err)
		}
		end, err := unix.Seek(h.fd, 0, 1)
		return n, end, errnoOf(err)
	}
}

func (h handle) setAppend(on bool) vfs.Errno {
	flags, err := unix.FcntlInt(uintptr(h.fd), unix.F_GETFL, 0)
	if err != nil {
		return errnoOf(err)
	}
	flags &^= unix.O_APPEND
	if on {
		flags |= unix.O_APPEND
	}
	_, err = unix.FcntlInt(uintptr(h.fd), unix.F_SETFL, flags)
	return errnoOf(err)
}

func (h handle) truncate(size int64) vfs.Errno {
	for {
		if err := unix.Ftruncate(h.fd, size); err != unix.EINTR {
			return errnoOf(err)
		}
	}
}

func (h handle) sync() vfs.Errno          { return errnoOf(unix.Fsync(h.fd)) }
func (h handle) chmod(m uint32) vfs.Errno { return h.chmodFd(m & modeMask) }
func (h handle) close() vfs.Errno         { return errnoOf(unix.Close(h.fd)) }

func (h handle) copyOwner(from handle) {
	var theirs, ours unix.Stat_t
	if unix.Fstat(from.fd, &theirs) != nil || unix.Fstat(h.fd, &ours) != nil {
		return
	}
	if theirs.Uid == ours.Uid && theirs.Gid == ours.Gid {
		return
	}
	if unix.Fchown(h.fd, int(theirs.Uid), int(theirs.Gid)) != nil {
		_ = unix.Fchown(h.fd, -1, int(theirs.Gid))
	}
}

func openat(fd int, name string, flags int, perm uint32) (int, error) {
	for {
		fd, err := unix.Openat(fd, name, flags, perm)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

func statOf(st *unix.Stat_t) vfs.Stat {
	return vfs.Stat{
		Dev:    uint64(st.Dev),
		Ino:    st.Ino,
		Nlink:  uint64(st.Nlink),
		Size:   st.Size,
		Blocks: st.Blocks,
		Atime:  st.Atim.Nano(),
		Mtime:  st.Mtim.Nano(),
		Ctime:  st.Ctim.Nano(),
		Mode:   uint32(st.Mode) & 0o7777,
		Type:   typeOf(uint32(st.Mode)),
	}
}

func typeOf(mode uint32) vfs.FileType {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return vfs.TypeRegular
	case unix.S_IFDIR:
		return vfs.TypeDirectory
	case unix.S_IFLNK:
		return vfs.TypeSymlink
	case unix.S_IFIFO:
		return vfs.TypeFIFO
	case unix.S_IFSOCK:
		return vfs.TypeSocket
	case unix.S_IFCHR:
		return vfs.TypeCharDevice
	case unix.S_IFBLK:
		return vfs.TypeBlockDevice
	}
	return vfs.TypeUnknown
}
