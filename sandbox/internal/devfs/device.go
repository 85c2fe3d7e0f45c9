package devfs

import (
	"io"
	"strconv"
	"sync/atomic"

	"openclaw/sandbox/internal/vfs"
)

// device is an open device.
type device struct {
	vfs.StreamBase
	fs                 *FS
	at                 place
	readable, writable bool
	closed             atomic.Bool
}

func (d *device) Stat() (vfs.Stat, vfs.Errno) {
	if d.closed.Load() {
		return vfs.Stat{}, vfs.EBADF
	}
	return d.fs.stat(d.at), vfs.OK
}

func (d *device) Read(p []byte) (int, vfs.Errno) {
	if d.closed.Load() || !d.readable {
		return 0, vfs.EBADF
	}
	switch d.at.entry {
	case entryNull:
		return 0, vfs.OK
	case entryRandom, entryUrandom:
		if _, err := io.ReadFull(d.fs.options.Random, p); err != nil {
			return 0, vfs.EIO
		}
	default:
		clear(p)
	}
	return len(p), vfs.OK
}

func (d *device) Write(p []byte) (int, vfs.Errno) {
	if d.closed.Load() || !d.writable {
		return 0, vfs.EBADF
	}
	if d.at.entry == entryFull && len(p) > 0 {
		return 0, vfs.ENOSPC
	}
	return len(p), vfs.OK
}

// Pread and Pwrite ignore the offset, and Seek stays at zero, as the memory devices of Linux do.
func (d *device) Pread(p []byte, _ int64) (int, vfs.Errno)  { return d.Read(p) }
func (d *device) Pwrite(p []byte, _ int64) (int, vfs.Errno) { return d.Write(p) }

func (d *device) Seek(vfs.Offset, int) (int64, vfs.Errno) {
	if d.closed.Load() {
		return 0, vfs.EBADF
	}
	return 0, vfs.OK
}

func (d *device) Utimes(_, _ int64, flags vfs.TimeFlag) vfs.Errno {
	if !flags.Valid() {
		return vfs.EINVAL
	}
	return vfs.OK
}

func (d *device) Close() vfs.Errno {
	if d.closed.Swap(true) {
		return vfs.EBADF
	}
	d.fs.options.Quota.CloseHandle()
	return vfs.OK
}

// directory is /dev or /dev/fd, open.
type directory struct {
	vfs.DirectoryBase
	fs     *FS
	at     place
	closed atomic.Bool
}

func (d *directory) Stat() (vfs.Stat, vfs.Errno) {
	if d.closed.Load() {
		return vfs.Stat{}, vfs.EBADF
	}
	return d.fs.stat(d.at), vfs.OK
}

func (d *directory) Readdir() ([]vfs.Dirent, vfs.Errno) {
	if d.closed.Load() {
		return nil, vfs.EBADF
	}
	var entries []vfs.Dirent
	if d.at.entry == entryFds {
		for _, fd := range d.fs.list() {
			at := place{entry: entryFd, fd: fd}
			entries = append(entries, d.fs.dirent(strconv.Itoa(fd), at))
		}
		return entries, vfs.OK
	}
	for i, name := range names {
		if name != "" {
			entries = append(entries, d.fs.dirent(name, place{entry: entry(i)}))
		}
	}
	return entries, vfs.OK
}

func (fs *FS) dirent(name string, at place) vfs.Dirent {
	st := fs.stat(at)
	return vfs.Dirent{Name: name, Ino: st.Ino, Type: st.Type}
}

func (d *directory) Chmod(uint32) vfs.Errno                      { return vfs.EROFS }
func (d *directory) Utimes(int64, int64, vfs.TimeFlag) vfs.Errno { return vfs.EROFS }

func (d *directory) Close() vfs.Errno {
	if d.closed.Swap(true) {
		return vfs.EBADF
	}
	d.fs.options.Quota.CloseHandle()
	return vfs.OK
}
