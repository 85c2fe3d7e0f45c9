package memfs

import (
	"math"
	"sort"
	"sync"

	"openclaw/sandbox/internal/vfs"
)

// Open implements [vfs.FS].
func (fs *FS) Open(path string, flags vfs.OpenFlag, perm uint32) (vfs.File, vfs.Errno) {
	if flags&vfs.Create != 0 && flags&vfs.Directory != 0 {
		return nil, vfs.EINVAL
	}
	if errno := fs.options.Quota.OpenHandle(); errno != vfs.OK {
		return nil, errno
	}
	f, errno := fs.open(path, flags, perm)
	if errno != vfs.OK {
		fs.options.Quota.CloseHandle()
		return nil, errno
	}
	return f, vfs.OK
}

func (fs *FS) open(path string, flags vfs.OpenFlag, perm uint32) (vfs.File, vfs.Errno) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	w, errno := fs.walk(path)
	if errno != vfs.OK {
		return nil, errno
	}
	if flags&vfs.Create != 0 && w.leaf != "" && w.slash {
		return nil, vfs.EISDIR
	}
	exclusive := flags&vfs.Create != 0 && flags&vfs.Exclusive != 0
	n, errno := w.lookup(flags&vfs.NoFollow == 0 && !exclusive)
	switch {
	case errno == vfs.EXDEV || errno == vfs.ELOOP:
		return nil, errno
	case flags&vfs.Create != 0 && w.slash && w.leaf != "":
		return nil, vfs.EISDIR
	case errno == vfs.ENOENT && flags&vfs.Create != 0 && w.leaf != "":
		n, errno = w.make(vfs.TypeRegular, perm, 0)
	case errno == vfs.OK:
		errno = fs.mayOpen(n, flags)
	}
	if errno != vfs.OK {
		return nil, errno
	}
	n.opened++
	if n.kind == vfs.TypeDirectory {
		return &directory{fs: fs, node: n}, vfs.OK
	}
	if flags&vfs.Truncate != 0 {
		fs.resize(n, 0)
	}
	return &file{
		fs:       fs,
		node:     n,
		readable: flags&vfs.Read != 0,
		writable: flags&vfs.Write != 0,
		append:   flags&vfs.Append != 0,
	}, vfs.OK
}

// mayOpen says whether n, which exists, can be opened.
func (fs *FS) mayOpen(n *node, flags vfs.OpenFlag) vfs.Errno {
	changing := flags&(vfs.Write|vfs.Truncate) != 0
	switch {
	case flags&vfs.Create != 0 && flags&vfs.Exclusive != 0:
		return vfs.EEXIST
	case n.kind == vfs.TypeDirectory:
		if changing || flags&vfs.Create != 0 {
			return vfs.EISDIR
		}
	case flags&vfs.Directory != 0:
		return vfs.ENOTDIR
	case n.kind == vfs.TypeSymlink:
		return vfs.ELOOP
	case changing && fs.frozen:
		return vfs.EROFS
	}
	return vfs.OK
}

// file is an open regular file.
type file struct {
	fs                 *FS
	node               *node
	readable, writable bool

	mu     sync.Mutex // taken before the lock of the tree
	closed bool
	append bool
	pos    int64
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
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	return f.fs.stat(f.node), vfs.OK
}

func (f *file) Read(p []byte) (int, vfs.Errno) {
	if errno := f.lock(f.readable); errno != vfs.OK {
		return 0, errno
	}
	defer f.mu.Unlock()
	n := f.get(p, f.pos)
	f.pos += int64(n)
	return n, vfs.OK
}

func (f *file) Pread(p []byte, off int64) (int, vfs.Errno) {
	if errno := f.lock(f.readable); errno != vfs.OK {
		return 0, errno
	}
	defer f.mu.Unlock()
	if off < 0 {
		return 0, vfs.EINVAL
	}
	return f.get(p, off), vfs.OK
}

func (f *file) get(p []byte, off int64) int {
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	return f.node.content.readAt(p, off)
}

func (f *file) Write(p []byte) (int, vfs.Errno) {
	if errno := f.lock(f.writable); errno != vfs.OK {
		return 0, errno
	}
	defer f.mu.Unlock()
	end, errno := f.put(p, f.pos)
	if errno != vfs.OK {
		return 0, errno
	}
	f.pos = end
	return len(p), vfs.OK
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
	if _, errno := f.put(p, off); errno != vfs.OK {
		return 0, errno
	}
	return len(p), vfs.OK
}

// put writes p at off, or at the end in append mode, and says where that ends.
func (f *file) put(p []byte, off int64) (end int64, errno vfs.Errno) {
	if len(p) == 0 {
		return off, vfs.OK
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.append {
		off = f.node.content.size
	}
	if off > math.MaxInt64-int64(len(p)) {
		return off, vfs.EFBIG
	}
	end = off + int64(len(p))
	if errno := f.fs.charge(f.node, end); errno != vfs.OK {
		return off, errno
	}
	f.node.content.writeAt(p, off)
	f.fs.modified(f.node)
	return end, vfs.OK
}

// charge charges what makes n size bytes long.
func (fs *FS) charge(n *node, size int64) vfs.Errno {
	if size <= n.content.size {
		return vfs.OK
	}
	if size > maxFileSize {
		return vfs.EFBIG
	}
	if errno := fs.options.Quota.CheckSize(size); errno != vfs.OK {
		return errno
	}
	return fs.options.Quota.Grow(size - n.content.size)
}

func (fs *FS) resize(n *node, size int64) vfs.Errno {
	if errno := fs.charge(n, size); errno != vfs.OK {
		return errno
	}
	fs.options.Quota.Shrink(n.content.size - size)
	n.content.resize(size)
	fs.modified(n)
	return vfs.OK
}

// adopt makes data the content of f.
func (f *file) adopt(data []byte) vfs.Errno {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if errno := f.fs.resize(f.node, int64(len(data))); errno != vfs.OK {
		return errno
	}
	f.node.content.adopt(data)
	return vfs.OK
}

func (f *file) Seek(off vfs.Offset, whence int) (int64, vfs.Errno) {
	if errno := f.lock(true); errno != vfs.OK {
		return 0, errno
	}
	defer f.mu.Unlock()
	pos, errno := vfs.Position(off, whence, f.pos, func() (int64, vfs.Errno) {
		f.fs.mu.RLock()
		defer f.fs.mu.RUnlock()
		return f.node.content.size, vfs.OK
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
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.fs.resize(f.node, size)
}

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
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if off+size <= f.node.content.size {
		return vfs.OK
	}
	return f.fs.resize(f.node, off+size)
}

func (f *file) Sync() vfs.Errno     { return f.alive() }
func (f *file) Datasync() vfs.Errno { return f.alive() }

func (f *file) alive() vfs.Errno {
	errno := f.lock(true)
	if errno == vfs.OK {
		f.mu.Unlock()
	}
	return errno
}

func (f *file) Chmod(mode uint32) vfs.Errno {
	if errno := f.lock(true); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.fs.chmod(f.node, mode)
}

func (f *file) Utimes(atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	if errno := f.lock(true); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.fs.utimes(f.node, atime, mtime, flags)
}

func (f *file) SetAppend(on bool) vfs.Errno {
	if errno := f.lock(true); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	f.append = on
	return vfs.OK
}

func (f *file) Readdir() ([]vfs.Dirent, vfs.Errno) { return nil, vfs.ENOTDIR }

func (f *file) Close() vfs.Errno {
	if errno := f.lock(true); errno != vfs.OK {
		return errno
	}
	defer f.mu.Unlock()
	f.closed = true
	f.fs.closeNode(f.node)
	return vfs.OK
}

// closeNode counts one handle of n less.
func (fs *FS) closeNode(n *node) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n.opened--
	fs.reap(n)
	fs.options.Quota.CloseHandle()
}

// directory is an open directory.
type directory struct {
	vfs.DirectoryBase
	fs   *FS
	node *node

	mu     sync.Mutex // taken before the lock of the tree
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
	d.fs.mu.RLock()
	defer d.fs.mu.RUnlock()
	return d.fs.stat(d.node), vfs.OK
}

// Readdir returns the entries in the order of their names.
func (d *directory) Readdir() ([]vfs.Dirent, vfs.Errno) {
	if errno := d.lock(); errno != vfs.OK {
		return nil, errno
	}
	defer d.mu.Unlock()
	d.fs.mu.RLock()
	defer d.fs.mu.RUnlock()
	entries := make([]vfs.Dirent, 0, len(d.node.entries))
	for name, n := range d.node.entries {
		entries = append(entries, vfs.Dirent{Name: name, Ino: n.ino, Type: n.kind})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
	return entries, vfs.OK
}

func (d *directory) Chmod(mode uint32) vfs.Errno {
	if errno := d.lock(); errno != vfs.OK {
		return errno
	}
	defer d.mu.Unlock()
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	return d.fs.chmod(d.node, mode)
}

func (d *directory) Utimes(atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	if errno := d.lock(); errno != vfs.OK {
		return errno
	}
	defer d.mu.Unlock()
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	return d.fs.utimes(d.node, atime, mtime, flags)
}

func (d *directory) Close() vfs.Errno {
	if errno := d.lock(); errno != vfs.OK {
		return errno
	}
	defer d.mu.Unlock()
	d.closed = true
	d.fs.closeNode(d.node)
	return vfs.OK
}
