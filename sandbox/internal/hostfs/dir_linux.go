package hostfs

import (
	"bytes"
	"context"
	"encoding/binary"
	"strconv"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"openclaw/sandbox/internal/vfs"
)

// pathFlags open a directory only to find names in it, which needs no permission to read it.
const pathFlags = unix.O_PATH

// noOpenat2 is set when the kernel has no openat2, or a filter forbids it.
var noOpenat2 atomic.Bool

func (d dir) openBeneath(path string) (dir, vfs.Errno) {
	if noOpenat2.Load() {
		return dir{}, vfs.ENOSYS
	}
	fd, err := unix.Openat2(d.fd, path, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_SYMLINKS,
	})
	if err == unix.ENOSYS || err == unix.EPERM {
		noOpenat2.Store(true)
	}
	return dir{fd}, errnoOf(err)
}

// pin opens without any right to the content: that is always allowed, has no effect on a FIFO or a device, and serves
// to ask and change attributes.
func (d dir) pin(name string) (handle, vfs.Errno) {
	fd, err := openat(d.fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	return handle{fd}, errnoOf(err)
}

// chmodFd works on handles of every kind: fchmod refuses those that were opened without a right to the content.
func (h handle) chmodFd(mode uint32) vfs.Errno {
	err := unix.Fchmod(h.fd, mode)
	if err != unix.EBADF {
		return errnoOf(err)
	}
	err = unix.Fchmodat(h.fd, "", mode, unix.AT_EMPTY_PATH)
	if err == unix.ENOSYS || err == unix.EOPNOTSUPP || err == unix.EINVAL {
		// Before Linux 6.6. The name under /proc leads to this very file, whatever has its name now.
		err = unix.Chmod("/proc/self/fd/"+strconv.Itoa(h.fd), mode)
	}
	return errnoOf(err)
}

func (h handle) utimes(atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	ts := timespecs(atime, mtime, flags)
	err := unix.UtimesNanoAt(h.fd, "", ts[:], unix.AT_EMPTY_PATH)
	if err == unix.EINVAL || err == unix.ENOENT {
		// Before Linux 5.8.
		err = unix.UtimesNanoAt(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(h.fd), ts[:], 0)
	}
	return errnoOf(err)
}

func (d dir) utimesLink(name string, atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	h, errno := d.pin(name)
	if errno != vfs.OK {
		return errno
	}
	defer h.close()
	st, errno := h.stat()
	if errno != vfs.OK {
		return errno
	}
	d.settle()
	if now, _ := d.lstat(name); st.Type != vfs.TypeSymlink || st.Nlink > 1 || idOf(now) != idOf(st) {
		return vfs.EPERM // it is not only this name that would change
	}
	ts := timespecs(atime, mtime, flags)
	return errnoOf(unix.UtimesNanoAt(h.fd, "", ts[:], unix.AT_EMPTY_PATH))
}

func timespecs(atime, mtime int64, flags vfs.TimeFlag) [2]unix.Timespec {
	pick := func(set, now vfs.TimeFlag, t int64) unix.Timespec {
		switch {
		case flags&now != 0:
			return unix.Timespec{Nsec: unix.UTIME_NOW}
		case flags&set != 0:
			return unix.NsecToTimespec(t)
		}
		return unix.Timespec{Nsec: unix.UTIME_OMIT}
	}
	return [2]unix.Timespec{
		pick(vfs.SetAtime, vfs.SetAtimeNow, atime),
		pick(vfs.SetMtime, vfs.SetMtimeNow, mtime),
	}
}

func (h handle) datasync() vfs.Errno { return errnoOf(unix.Fdatasync(h.fd)) }

// direntBuffer is how much of a directory is read at once.
const direntBuffer = 32 << 10

func (h handle) readdir(ctx context.Context) ([]vfs.Dirent, vfs.Errno) {
	if _, err := unix.Seek(h.fd, 0, 0); err != nil {
		return nil, errnoOf(err)
	}
	buf := make([]byte, direntBuffer)
	var entries []vfs.Dirent
	for {
		n, err := unix.Getdents(h.fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, errnoOf(err)
		}
		if n <= 0 {
			return entries, h.identify(entries)
		}
		entries = appendDirents(entries, buf[:n])
		if errno := mayGoOn(ctx, len(entries)); errno != vfs.OK {
			return nil, errno
		}
	}
}

// identify finds out what entries are of which the filesystem does not say so.
func (h handle) identify(entries []vfs.Dirent) vfs.Errno {
	for i := range entries {
		if entries[i].Type != vfs.TypeUnknown {
			continue
		}
		st, errno := dir(h).lstat(entries[i].Name)
		if errno != vfs.OK && errno != vfs.ENOENT {
			return errno
		}
		entries[i].Type = st.Type
	}
	return vfs.OK
}

// appendDirents decodes the kernel's struct linux_dirent64.
func appendDirents(entries []vfs.Dirent, buf []byte) []vfs.Dirent {
	const (
		inoOffset  = 0
		lenOffset  = unsafe.Offsetof(unix.Dirent{}.Reclen)
		typeOffset = unsafe.Offsetof(unix.Dirent{}.Type)
		nameOffset = unsafe.Offsetof(unix.Dirent{}.Name)
	)
	for len(buf) > int(nameOffset) {
		size := int(binary.NativeEndian.Uint16(buf[lenOffset:]))
		if size <= int(nameOffset) || size > len(buf) {
			break
		}
		record := buf[:size]
		buf = buf[size:]
		name := record[nameOffset:]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if s := string(name); s != "." && s != ".." {
			entries = append(entries, vfs.Dirent{
				Name: s,
				Ino:  binary.NativeEndian.Uint64(record[inoOffset:]),
				Type: typeOf(uint32(record[typeOffset]) << 12),
			})
		}
	}
	return entries
}
