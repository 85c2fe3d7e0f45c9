package hostfs

import (
	"math"
	"sync"

	"openclaw/sandbox/internal/vfs"
)

// file is an open regular file. Its position is its own, not the host's, so that every read and write is positioned
// except one at the end of a file in append mode.
type file struct {
	fs   *FS
	h    handle
	node *inode
	path string // canonical, when it was opened

	readable, writable bool

	mu     sync.Mutex
	closed bool
	append bool
	dirty  bool // noted as changed
	pos    int64
}

// newFile makes a file of an open handle, whose place in the quota is taken already.
func (fs *FS) newFile(h handle, st vfs.Stat, flags vfs.OpenFlag, path string) *file {
	return &file{
		fs:       fs,
		h:        h,
		node:     fs.inodes.acquire(st),
		path:     path,
		readable: flags&vfs.Read != 0,
		writable: flags&vfs.Write != 0,
		append:   flags&vfs.Append != 0,
	}
}

// lock locks f for an operation that needs the given right.
func (f *file) lock(right bool) vfs.Errno {
	f.mu.Lock()
	if f.closed || !right {
		f.mu.Unlock()
		return vfs.EBADF
	}
	return vfs.OK
}

func (f *file) Stat() (vfs.Stat, vfs.Errno) {
	if errno := f.lock(true); errno != vfs.OK {
		return vfs.Stat{}, errno
	}
	defer f.mu.Unlock()
	return f.h.stat()
}

func (f *file) Read(p []byte) (int, vfs.Errno) {
	if errno := f.lock(f.readable); errno != vfs.OK {
		return 0, errno
	}
	defer f.mu.Unlock()
	n, errno := f.h.pread(p, f.pos)
	f.pos += int64(n)
	return n, errno
}

func (f *file) Pread(p []byte, off int64) (int, vfs.Errno) {
	if errno := f.lock(f.readable); errno != vfs.OK {
		return 0, errno
	}
	defer f.mu.Unlock()
	if off < 0 {
		return 0, vfs.EINVAL
	}
	return f.h.pread(p, off)
}

func (f *file) Write(p []byte) (int, vfs.Errno) {
	if errno := f.lock(f.writable); errno != vfs.OK {
		return 0, errno
	}
	defer f.mu.Unlock()
	n, end, errno := f.put(p, f.pos)
	if errno == vfs.OK {
		f.pos = end
	}
	return n, errno
}

// Pwrite of a file in append mode appends, whatever off is, as on Linux and in WASI.
func (f *file) Pwrite(p []byte, off int64) (int, vfs.Errno) {
	if errno := f.lock(f.writable); errno != vfs.OK {
		return 0, errno
	}
	defer f.mu.Unlock()
	if off < 0 {
		return 0, vfs.EINVAL
	}
	n, _, errno := f.put(p, off)
	return n, errno
}

// put writes p at off, or at the end in append mode, and says where what it wrote ends.
func (f *file) put(p []byte, off int64) (n int, end int64, errno vfs.Errno) {
	if len(p) == 0 {
		return 0, off, vfs.OK
	}
	node, q := f.node, f.fs.options.Quota
	node.mu.Lock()
	defer node.mu.Unlock()
	if errno := node.measure(f.h); errno != vfs.OK {
		return 0, off, errno
	}
	if f.append {
		off = node.size
	}
	if off > math.MaxInt64-int64(len(p)) {
		return 0, off, vfs.EFBIG
	}
	want := off + int64(len(p))
	if errno := node.extend(q, want); errno != vfs.OK {
		return 0, off, errno
	}
	if f.append {
		n, end, errno = f.h.appendWrite(p)
	} else {
		n, errno = f.h.pwrite(p, off)
		end = off + int64(n)
	}
	if n > 0 {
		node.settle(q, want, off+int64(n))
		f.touched()
	} else {
		node.settle(q, want, node.size)
	}
	return n, end, errno
}

// touched notes the first change through this handle.
func (f *file) touched() {
	if !f.dirty {
		f.dirty = true
		f.fs.changed(Modified, f.path)
	}
}

func (f *file) Seek(off vfs.Offset, whence int) (int64, vfs.Errno) {
	if errno := f.lock(true); errno != vfs.OK {
		return 0, errno
	}
	defer f.mu.Unlock()
	pos, errno := vfs.Position(off, whence, f.pos, func() (int64, vfs.Errno) {
		st, errno := f.h.stat()
		return st.Size, errno
	})
	if errno == vfs.OK {
		f.pos = pos
	}
	return pos, errno
}

func (f *file) Truncate(size int64) vfs.Errno {
	if errno := f.lock(true); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	if size < 0 || !f.writable {
		return vfs.EINVAL
	}
	return f.resize(size)
}

// resize sets the length of the file, whatever the guest may do with it.
func (f *file) resize(size int64) vfs.Errno {
	return f.reshape(func(int64) int64 { return size })
}

// reshape sets the length of the file to what next makes of it.
func (f *file) reshape(next func(size int64) int64) vfs.Errno {
	node, q := f.node, f.fs.options.Quota
	node.mu.Lock()
	defer node.mu.Unlock()
	if errno := node.measure(f.h); errno != vfs.OK {
		return errno
	}
	size := next(node.size)
	if errno := node.extend(q, size); errno != vfs.OK {
		return errno
	}
	if errno := f.h.truncate(size); errno != vfs.OK {
		node.settle(q, size, node.size)
		return errno
	}
	if size < node.size {
		q.Shrink(node.size - size)
	}
	node.size = size
	f.touched()
	return vfs.OK
}

// Allocate makes the file longer, with a hole; the quota counts that as written.
func (f *file) Allocate(off, size int64) vfs.Errno {
	if errno := f.lock(f.writable); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	if off < 0 || size <= 0 {
		return vfs.EINVAL
	}
	if off > math.MaxInt64-size {
		return vfs.EFBIG
	}
	st, errno := f.h.stat()
	if errno != vfs.OK {
		return errno
	}
	if off+size <= st.Size {
		return vfs.OK
	}
	return f.reshape(func(now int64) int64 { return max(now, off+size) })
}

func (f *file) Sync() vfs.Errno {
	if errno := f.lock(true); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	return f.h.sync()
}

func (f *file) Datasync() vfs.Errno {
	if errno := f.lock(true); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	return f.h.datasync()
}

// Chmod fails with EPERM on a file with several names that was not opened for writing: only then was the name given
// its own copy.
func (f *file) Chmod(mode uint32) vfs.Errno {
	return f.setAttributes(func() vfs.Errno { return f.h.chmod(mode) })
}

// Utimes fails as Chmod does.
func (f *file) Utimes(atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	if !flags.Valid() {
		return vfs.EINVAL
	}
	return f.setAttributes(func() vfs.Errno { return f.h.utimes(atime, mtime, flags) })
}

func (f *file) setAttributes(set func() vfs.Errno) vfs.Errno {
	if errno := f.lock(true); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	if !f.writable {
		if errno := f.fs.mayChangeOpen(f.path, vfs.TypeRegular); errno != vfs.OK {
			return errno
		}
		st, errno := f.h.stat()
		if errno != vfs.OK {
			return errno
		}
		if st.Nlink > 1 {
			return vfs.EPERM
		}
	}
	errno := set()
	if errno == vfs.OK {
		f.touched()
	}
	return errno
}

// mayChangeOpen is mayChange for what is open already.
func (fs *FS) mayChangeOpen(path string, kind vfs.FileType) vfs.Errno {
	if fs.options.ReadOnly {
		return vfs.EROFS
	}
	state := fs.guards.state(path)
	if state == protected || state == leading && kind != vfs.TypeDirectory {
		return vfs.EROFS
	}
	return vfs.OK
}

func (f *file) SetAppend(on bool) vfs.Errno {
	if errno := f.lock(true); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	if on == f.append {
		return vfs.OK
	}
	if errno := f.h.setAppend(on); errno != vfs.OK {
		return errno
	}
	f.append = on
	return vfs.OK
}

func (f *file) Readdir() ([]vfs.Dirent, vfs.Errno) { return nil, vfs.ENOTDIR }

func (f *file) Close() vfs.Errno {
	if errno := f.lock(true); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	errno := f.discard()
	f.fs.options.Quota.CloseHandle()
	return errno
}

// discard closes f without giving back its place among the open files.
func (f *file) discard() vfs.Errno {
	f.closed = true
	errno := f.h.close()
	f.fs.inodes.release(f.node)
	return errno
}

// directory is an open directory.
type directory struct {
	vfs.DirectoryBase
	fs   *FS
	h    handle
	path string

	mu     sync.Mutex
	closed bool
}

func (d *directory) lock() vfs.Errno {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return vfs.EBADF
	}
	return vfs.OK
}

func (d *directory) Stat() (vfs.Stat, vfs.Errno) {
	if errno := d.lock(); errno != vfs.OK {
		return vfs.Stat{}, errno
	}
	defer d.mu.Unlock()
	return d.h.stat()
}

func (d *directory) Readdir() ([]vfs.Dirent, vfs.Errno) {
	if errno := d.lock(); errno != vfs.OK {
		return nil, errno
	}
	defer d.mu.Unlock()
	return d.h.readdir(d.fs.ctx)
}

func (d *directory) Chmod(mode uint32) vfs.Errno {
	return d.setAttributes(func() vfs.Errno { return d.h.chmod(mode) })
}

func (d *directory) Utimes(atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	if !flags.Valid() {
		return vfs.EINVAL
	}
	return d.setAttributes(func() vfs.Errno { return d.h.utimes(atime, mtime, flags) })
}

func (d *directory) setAttributes(set func() vfs.Errno) vfs.Errno {
	if errno := d.lock(); errno != vfs.OK {
		return errno
	}
	defer d.mu.Unlock()
	if errno := d.fs.mayChangeOpen(d.path, vfs.TypeDirectory); errno != vfs.OK {
		return errno
	}
	errno := set()
	if errno == vfs.OK {
		d.fs.changed(Modified, d.path)
	}
	return errno
}

func (d *directory) Sync() vfs.Errno {
	if errno := d.lock(); errno != vfs.OK {
		return errno
	}
	defer d.mu.Unlock()
	return d.h.sync()
}

func (d *directory) Close() vfs.Errno {
	if errno := d.lock(); errno != vfs.OK {
		return errno
	}
	defer d.mu.Unlock()
	d.closed = true
	d.fs.options.Quota.CloseHandle()
	return d.h.close()
}
