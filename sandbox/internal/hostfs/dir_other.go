//go:build !linux && !darwin

package hostfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"openclaw/sandbox/internal/vfs"
)

// dir is a directory of a system on which only [os.Root] confines: the root, and a canonical path below it. Between
// two operations the host can put a link where a directory was; then another place inside the root is reached, never
// one outside.
type dir struct {
	root *os.Root
	path string
}

// rootDir keeps the root open.
type rootDir struct{ root *os.Root }

func openRootDir(root *os.Root) (rootDir, dir, error) {
	if !countsNames {
		return rootDir{}, dir{}, fmt.Errorf("hard links cannot be recognised on this system: %w", errors.ErrUnsupported)
	}
	return rootDir{root}, dir{root, "."}, nil
}

func (r rootDir) Close() error { return r.root.Close() }

func (d dir) at(name string) string { return path.Join(d.path, name) }

func (d dir) openDir(name string) (dir, vfs.Errno) {
	st, errno := d.lstat(name)
	if errno != vfs.OK {
		return dir{}, errno
	}
	if st.Type != vfs.TypeDirectory {
		return dir{}, vfs.ENOTDIR
	}
	return dir{d.root, d.at(name)}, vfs.OK
}

func (d dir) openBeneath(string) (dir, vfs.Errno) { return dir{}, vfs.ENOSYS }

func (d dir) openSelf() (handle, vfs.Errno) {
	f, err := d.root.Open(d.path)
	return handle{f, d}, errnoOf(err)
}

func (d dir) openFile(name string, flags vfs.OpenFlag, create bool, perm uint32) (handle, vfs.Errno) {
	how := os.O_RDONLY
	switch {
	case flags&vfs.Read != 0 && flags&vfs.Write != 0:
		how = os.O_RDWR
	case flags&vfs.Write != 0, flags&vfs.Truncate != 0:
		how = os.O_WRONLY
	}
	if flags&vfs.Sync != 0 {
		how |= os.O_SYNC
	}
	if create {
		how |= os.O_CREATE | os.O_EXCL
	}
	f, err := d.root.OpenFile(d.at(name), how, os.FileMode(perm&modePerm))
	return handle{f, dir{d.root, d.at(name)}}, errnoOf(err)
}

func (d dir) pin(name string) (handle, vfs.Errno) { return d.openFile(name, vfs.Read, false, 0) }

func (d dir) stat() (vfs.Stat, vfs.Errno) {
	info, err := d.root.Lstat(d.path)
	if err != nil {
		return vfs.Stat{}, errnoOf(err)
	}
	return statOf(info), vfs.OK
}

func (d dir) lstat(name string) (vfs.Stat, vfs.Errno) {
	return dir{d.root, d.at(name)}.stat()
}

func (d dir) readlink(name string) (string, vfs.Errno) {
	target, err := d.root.Readlink(d.at(name))
	if err != nil {
		if st, errno := d.lstat(name); errno == vfs.OK && st.Type != vfs.TypeSymlink {
			return "", vfs.EINVAL
		}
		return "", errnoOf(err)
	}
	return toSlash(target), vfs.OK
}

func (d dir) mkdir(name string, perm uint32) vfs.Errno {
	return errnoOf(d.root.Mkdir(d.at(name), os.FileMode(perm&modePerm)))
}

func (d dir) rmdir(name string) vfs.Errno {
	st, errno := d.lstat(name)
	if errno != vfs.OK {
		return errno
	}
	if st.Type != vfs.TypeDirectory {
		return vfs.ENOTDIR
	}
	return errnoOf(d.root.Remove(d.at(name)))
}

func (d dir) unlink(name string) vfs.Errno {
	st, errno := d.lstat(name)
	if errno != vfs.OK {
		return errno
	}
	if st.Type == vfs.TypeDirectory {
		return vfs.EISDIR
	}
	return errnoOf(d.root.Remove(d.at(name)))
}

func (d dir) rename(name string, to dir, newName string) vfs.Errno {
	return errnoOf(d.root.Rename(d.at(name), to.at(newName)))
}

func (d dir) link(name string, to dir, newName string) vfs.Errno {
	return errnoOf(d.root.Link(d.at(name), to.at(newName)))
}

func (d dir) symlink(target, name string) vfs.Errno {
	return errnoOf(d.root.Symlink(target, d.at(name)))
}

func (d dir) utimesLink(string, int64, int64, vfs.TimeFlag) vfs.Errno { return vfs.ENOTSUP }

func (d dir) settle() {}
func (d dir) close()  {}

// handle is an open file, and where it was opened.
type handle struct {
	file *os.File
	at   dir
}

func (h handle) stat() (vfs.Stat, vfs.Errno) {
	info, err := h.file.Stat()
	if err != nil {
		return vfs.Stat{}, errnoOf(err)
	}
	st := statOf(info)
	if st.Dev, st.Ino, st.Nlink, err = identify(h.file); err != nil {
		return vfs.Stat{}, errnoOf(err)
	}
	return st, vfs.OK
}

func (h handle) pread(p []byte, off int64) (int, vfs.Errno) {
	n, err := h.file.ReadAt(p, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, errnoOf(err)
}

func (h handle) pwrite(p []byte, off int64) (int, vfs.Errno) {
	n, err := h.file.WriteAt(p, off)
	return n, errnoOf(err)
}

func (h handle) appendWrite(p []byte) (int, int64, vfs.Errno) {
	end, err := h.file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, 0, errnoOf(err)
	}
	n, err := h.file.WriteAt(p, end)
	return n, end + int64(n), errnoOf(err)
}

func (h handle) setAppend(bool) vfs.Errno      { return vfs.OK }
func (h handle) truncate(size int64) vfs.Errno { return errnoOf(h.file.Truncate(size)) }
func (h handle) sync() vfs.Errno               { return errnoOf(h.file.Sync()) }
func (h handle) datasync() vfs.Errno           { return h.sync() }
func (h handle) close() vfs.Errno              { return errnoOf(h.file.Close()) }
func (h handle) copyOwner(handle)              {}

func (h handle) chmod(mode uint32) vfs.Errno {
	return errnoOf(h.at.root.Chmod(h.at.path, os.FileMode(mode&modePerm)))
}

func (h handle) utimes(atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	st, errno := h.stat()
	if errno != vfs.OK {
		return errno
	}
	atime, mtime = chosenTimes(st, atime, mtime, flags, time.Now().UnixNano())
	return errnoOf(h.at.root.Chtimes(h.at.path, time.Unix(0, atime), time.Unix(0, mtime)))
}

func (h handle) readdir(ctx context.Context) ([]vfs.Dirent, vfs.Errno) {
	f, err := h.at.root.Open(h.at.path)
	if err != nil {
		return nil, errnoOf(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, errnoOf(err)
	}
	return statEntries(ctx, h.at, names)
}

func statOf(info fs.FileInfo) vfs.Stat {
	mtime := info.ModTime().UnixNano()
	return vfs.Stat{
		Nlink: 1,
		Size:  info.Size(),
		Atime: mtime,
		Mtime: mtime,
		Ctime: mtime,
		Mode:  uint32(info.Mode().Perm()),
		Type:  typeOf(info.Mode()),
	}
}

func typeOf(mode fs.FileMode) vfs.FileType {
	switch {
	case mode.IsRegular():
		return vfs.TypeRegular
	case mode.IsDir():
		return vfs.TypeDirectory
	case mode&fs.ModeSymlink != 0:
		return vfs.TypeSymlink
	case mode&fs.ModeNamedPipe != 0:
		return vfs.TypeFIFO
	case mode&fs.ModeSocket != 0:
		return vfs.TypeSocket
	case mode&fs.ModeCharDevice != 0:
		return vfs.TypeCharDevice
	case mode&fs.ModeDevice != 0:
		return vfs.TypeBlockDevice
	}
	return vfs.TypeUnknown
}
