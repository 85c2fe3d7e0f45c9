package hostfs

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"openclaw/sandbox/internal/vfs"
)

// pathFlags open a directory to find names in it. There is no O_PATH here, so it must be readable.
const pathFlags = unix.O_RDONLY

func (d dir) openBeneath(string) (dir, vfs.Errno) { return dir{}, vfs.ENOSYS }

func (d dir) pin(name string) (handle, vfs.Errno) {
	fd, err := openat(d.fd, name, quietFlags|unix.O_RDONLY, 0)
	if err == unix.EACCES {
		fd, err = openat(d.fd, name, quietFlags|unix.O_WRONLY, 0)
	}
	return handle{fd}, errnoOf(err)
}

func (h handle) chmodFd(mode uint32) vfs.Errno { return errnoOf(unix.Fchmod(h.fd, mode)) }
func (h handle) datasync() vfs.Errno           { return h.sync() }

func (h handle) utimes(atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	st, errno := h.stat()
	if errno != vfs.OK {
		return errno
	}
	atime, mtime = chosenTimes(st, atime, mtime, flags, time.Now().UnixNano())
	return errnoOf(unix.Futimes(h.fd, []unix.Timeval{unix.NsecToTimeval(atime), unix.NsecToTimeval(mtime)}))
}

func (d dir) utimesLink(name string, atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	st, errno := d.lstat(name)
	if errno != vfs.OK {
		return errno
	}
	if st.Type != vfs.TypeSymlink || st.Nlink > 1 {
		return vfs.EPERM
	}
	atime, mtime = chosenTimes(st, atime, mtime, flags, time.Now().UnixNano())
	ts := []unix.Timespec{unix.NsecToTimespec(atime), unix.NsecToTimespec(mtime)}
	return errnoOf(unix.UtimesNanoAt(d.fd, name, ts, unix.AT_SYMLINK_NOFOLLOW))
}

func (h handle) readdir(ctx context.Context) ([]vfs.Dirent, vfs.Errno) {
	fd, err := openat(h.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, errnoOf(err)
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, errnoOf(err)
	}
	return statEntries(ctx, dir(h), names)
}
