package zipfs

import (
	"archive/zip"
	"errors"
	"io"
	"sync"

	"openclaw/sandbox/internal/vfs"
)

// openEntry opens a file, unpacking it when it is the first to.
func (f *FS) openEntry(n *node, readable bool) (vfs.File, vfs.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	content, errno := f.content(n)
	if errno != vfs.OK {
		return nil, errno
	}
	n.open++
	return &file{fs: f, node: n, content: content, readable: readable}, vfs.OK
}

// content is what the file holds. The lock is held.
func (f *FS) content(n *node) (io.ReaderAt, vfs.Errno) {
	e := n.entry
	size := int64(e.UncompressedSize64)
	if e.Method == zip.Store {
		off, err := e.DataOffset()
		if err != nil || size < 0 || e.CompressedSize64 != e.UncompressedSize64 {
			return nil, vfs.EIO
		}
		return io.NewSectionReader(f.archive, off, size), vfs.OK
	}
	if n.open > 0 {
		return bytesAt(n.data), vfs.OK
	}
	if e.CompressedSize64 > min(f.size, maxPacked) || size < 0 || size > int64(e.CompressedSize64+1)*mostRatio {
		return nil, vfs.EIO // more than its bytes, or the archive's, can hold; found before memory is taken for it
	}
	if size > MaxUnpacked-f.unpacked {
		return nil, vfs.ENFILE
	}
	data, err := unpack(e, size)
	if err != nil {
		return nil, vfs.EIO
	}
	n.data = data
	f.unpacked += size
	return bytesAt(data), vfs.OK
}

// A compressed byte holds at most 1032 bytes, in deflate's format.
const (
	mostRatio = 1032
	maxPacked = 1 << 40
)

var errSize = errors.New("zipfs: the file is longer than the archive says")

// unpack reads a compressed file that is said to have a size.
func unpack(e *zip.File, size int64) ([]byte, error) {
	r, err := e.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || err != io.EOF { // the end is where the checksum is compared
		return nil, errors.Join(errSize, err)
	}
	return data, nil
}

// release notes that a file has been closed.
func (f *FS) release(n *node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n.open--; n.open == 0 && n.data != nil {
		f.unpacked -= int64(len(n.data))
		n.data = nil
	}
	f.quota.CloseHandle()
}

// bytesAt reads from memory.
type bytesAt []byte

func (b bytesAt) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(b)) {
		return 0, io.EOF
	}
	n := copy(p, b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// file is an open file.
type file struct {
	fs       *FS
	node     *node
	content  io.ReaderAt
	readable bool

	mu     sync.Mutex
	pos    int64
	closed bool
}

func (f *file) Stat() (vfs.Stat, vfs.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return vfs.Stat{}, vfs.EBADF
	}
	return f.fs.stat(f.node), vfs.OK
}

func (f *file) Read(p []byte) (int, vfs.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, errno := f.read(p, f.pos)
	f.pos += int64(n)
	return n, errno
}

func (f *file) Pread(p []byte, off int64) (int, vfs.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.read(p, off)
}

func (f *file) read(p []byte, off int64) (int, vfs.Errno) {
	if f.closed || !f.readable {
		return 0, vfs.EBADF
	}
	n, err := f.content.ReadAt(p, off)
	if n == 0 && err != nil && err != io.EOF {
		return 0, vfs.EIO
	}
	return n, vfs.OK
}

func (f *file) Seek(off vfs.Offset, whence int) (int64, vfs.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, vfs.EBADF
	}
	pos, errno := vfs.Position(off, whence, f.pos, func() (int64, vfs.Errno) { return f.fs.stat(f.node).Size, vfs.OK })
	if errno != vfs.OK {
		return 0, errno
	}
	f.pos = pos
	return pos, vfs.OK
}

func (f *file) Write([]byte) (int, vfs.Errno)               { return 0, vfs.EBADF }
func (f *file) Pwrite([]byte, int64) (int, vfs.Errno)       { return 0, vfs.EBADF }
func (f *file) Truncate(int64) vfs.Errno                    { return vfs.EINVAL }
func (f *file) Allocate(int64, int64) vfs.Errno             { return vfs.EBADF }
func (f *file) Sync() vfs.Errno                             { return vfs.OK }
func (f *file) Datasync() vfs.Errno                         { return vfs.OK }
func (f *file) Chmod(uint32) vfs.Errno                      { return vfs.EROFS }
func (f *file) Utimes(int64, int64, vfs.TimeFlag) vfs.Errno { return vfs.EROFS }
func (f *file) SetAppend(bool) vfs.Errno                    { return vfs.OK }
func (f *file) Readdir() ([]vfs.Dirent, vfs.Errno)          { return nil, vfs.ENOTDIR }

func (f *file) Close() vfs.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return vfs.EBADF
	}
	f.closed = true
	f.fs.release(f.node)
	return vfs.OK
}

// directory is an open directory.
type directory struct {
	vfs.DirectoryBase
	fs   *FS
	node *node

	mu     sync.Mutex
	closed bool
}

func (d *directory) Stat() (vfs.Stat, vfs.Errno)                 { return d.fs.stat(d.node), vfs.OK }
func (d *directory) Chmod(uint32) vfs.Errno                      { return vfs.EROFS }
func (d *directory) Utimes(int64, int64, vfs.TimeFlag) vfs.Errno { return vfs.EROFS }

func (d *directory) Readdir() ([]vfs.Dirent, vfs.Errno) {
	list := make([]vfs.Dirent, 0, len(d.node.kids))
	for name, n := range d.node.kids {
		list = append(list, vfs.Dirent{Name: name, Ino: n.ino, Type: d.fs.stat(n).Type})
	}
	return list, vfs.OK
}

func (d *directory) Close() vfs.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return vfs.EBADF
	}
	d.closed = true
	d.fs.quota.CloseHandle()
	return vfs.OK
}
