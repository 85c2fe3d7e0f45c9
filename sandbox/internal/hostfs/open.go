package hostfs

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"openclaw/sandbox/internal/vfs"
)

// openAttempts bounds how often an open starts anew because the host changed the entry in the middle of it.
const openAttempts = 16

// Open implements [vfs.FS].
func (fs *FS) Open(path string, flags vfs.OpenFlag, perm uint32) (vfs.File, vfs.Errno) {
	if flags&vfs.Create != 0 && flags&vfs.Directory != 0 {
		return nil, vfs.EINVAL
	}
	if errno := fs.options.Quota.OpenHandle(); errno != vfs.OK {
		return nil, errno
	}
	w, errno := fs.enter(path)
	defer w.leave()
	var f vfs.File
	if errno == vfs.OK {
		f, errno = w.open(flags, perm)
	}
	if errno != vfs.OK {
		fs.options.Quota.CloseHandle()
		return nil, errno
	}
	return f, vfs.OK
}

func (w *walk) open(flags vfs.OpenFlag, perm uint32) (vfs.File, vfs.Errno) {
	follow := flags&vfs.NoFollow == 0 && flags&(vfs.Create|vfs.Exclusive) != vfs.Create|vfs.Exclusive
	for range openAttempts {
		if flags&vfs.Create != 0 && w.leaf != "" && w.slash {
			return nil, vfs.EISDIR
		}
		st, errno := w.lookup(follow)
		if flags&vfs.Create != 0 && w.leaf != "" && w.slash {
			return nil, vfs.EISDIR // the slash is that of a link's target
		}
		var f vfs.File
		switch {
		case errno == vfs.ENOENT && flags&vfs.Create != 0 && w.leaf != "":
			f, errno = w.create(flags, perm)
			if errno == vfs.EEXIST && flags&vfs.Exclusive == 0 {
				continue
			}
		case errno == vfs.OK:
			f, errno = w.openExisting(st, flags)
		}
		if errno != vfs.EAGAIN {
			return f, errno
		}
	}
	return nil, vfs.EBUSY
}

// create makes the leaf and opens it.
func (w *walk) create(flags vfs.OpenFlag, perm uint32) (vfs.File, vfs.Errno) {
	fs := w.fs
	if errno := w.mayChange(vfs.TypeRegular); errno != vfs.OK {
		return nil, errno
	}
	if errno := fs.options.Quota.AddFile(); errno != vfs.OK {
		return nil, errno
	}
	h, errno := w.parent().openFile(w.leaf, flags, true, perm)
	if errno != vfs.OK {
		fs.options.Quota.RemoveFile()
		return nil, errno
	}
	st, errno := h.stat()
	if errno != vfs.OK {
		h.close()
		return nil, errno
	}
	path := w.canonical()
	fs.changed(Created, path)
	return fs.newFile(h, st, flags, path), vfs.OK
}

// openExisting opens the leaf, which is st, or the directory that the walk is in. EAGAIN asks the caller to look at
// the leaf again.
func (w *walk) openExisting(st vfs.Stat, flags vfs.OpenFlag) (vfs.File, vfs.Errno) {
	switch {
	case flags&vfs.Create != 0 && flags&vfs.Exclusive != 0:
		return nil, vfs.EEXIST
	case st.Type == vfs.TypeDirectory:
		return w.openDirectory(flags)
	case flags&vfs.Directory != 0:
		return nil, vfs.ENOTDIR
	case st.Type == vfs.TypeSymlink:
		return nil, vfs.ELOOP
	case st.Type == vfs.TypeRegular:
		return w.openRegular(st, flags)
	}
	return nil, refusal(st.Type)
}

// refusal is why what is neither a file nor a directory cannot be opened: a FIFO or socket, as if nobody were at its
// other end; a device, because the sandbox has none.
func refusal(kind vfs.FileType) vfs.Errno {
	if kind == vfs.TypeFIFO || kind == vfs.TypeSocket {
		return vfs.ENXIO
	}
	return vfs.EPERM
}

func (w *walk) openDirectory(flags vfs.OpenFlag) (vfs.File, vfs.Errno) {
	if flags&(vfs.Create|vfs.Write|vfs.Truncate) != 0 {
		return nil, vfs.EISDIR
	}
	d := w.parent()
	if w.leaf != "" {
		sub, errno := d.openDir(w.leaf)
		if errno == vfs.ENOTDIR || errno == vfs.ELOOP {
			return nil, vfs.EAGAIN
		}
		if errno != vfs.OK {
			return nil, errno
		}
		defer sub.close()
		d = sub
	}
	h, errno := d.openSelf()
	if errno != vfs.OK {
		return nil, errno
	}
	return &directory{fs: w.fs, h: h, path: w.canonical()}, vfs.OK
}

func (w *walk) openRegular(st vfs.Stat, flags vfs.OpenFlag) (vfs.File, vfs.Errno) {
	fs := w.fs
	changing := flags&(vfs.Write|vfs.Truncate) != 0
	if changing {
		if errno := w.mayChange(vfs.TypeRegular); errno != vfs.OK {
			return nil, errno
		}
	}
	if st.Nlink > 1 {
		if fs.options.HardLinks == RefuseHardLinks {
			return nil, vfs.EPERM
		}
		if changing {
			if errno := w.separate(flags&vfs.Truncate == 0); errno != vfs.OK {
				return nil, errno
			}
		}
	}
	h, errno := w.parent().openFile(w.leaf, flags&^vfs.Truncate|writeToTruncate(flags), false, 0)
	if errno == vfs.ELOOP {
		return nil, vfs.EAGAIN
	}
	if errno != vfs.OK {
		return nil, errno
	}
	// What was opened need not be what was looked at. Only what the handle says counts.
	st, errno = h.stat()
	if errno == vfs.OK {
		errno = w.mayKeep(st, changing)
	}
	if errno != vfs.OK {
		h.close()
		return nil, errno
	}
	f := fs.newFile(h, st, flags, w.canonical())
	if flags&vfs.Truncate != 0 {
		if errno := f.resize(0); errno != vfs.OK {
			f.discard()
			return nil, errno
		}
	}
	return f, vfs.OK
}

// mayKeep judges what was just opened at the leaf, which is st by its handle. EAGAIN asks the caller to open the leaf
// again.
func (w *walk) mayKeep(st vfs.Stat, changing bool) vfs.Errno {
	switch {
	case st.Type != vfs.TypeRegular:
		return vfs.EAGAIN
	case st.Nlink > 1 && w.fs.options.HardLinks == RefuseHardLinks:
		return vfs.EPERM
	case !changing:
		return vfs.OK
	case st.Nlink > 1:
		// Not every system can say how many names a file has before it is open.
		if errno := w.separate(true); errno != vfs.OK {
			return errno
		}
		return vfs.EAGAIN
	}
	// The one name that is left must be this one. Had another guest removed it since the file was opened, the one
	// that is left would be outside. A system may count a name out before it stops finding it: hence the wait.
	w.parent().settle()
	now, errno := w.parent().lstat(w.leaf)
	if errno != vfs.OK || idOf(now) != idOf(st) && now.Ino != 0 {
		return vfs.EAGAIN
	}
	return vfs.OK
}

// writeToTruncate is the right that cutting a file takes, also from a guest that then only reads.
func writeToTruncate(flags vfs.OpenFlag) vfs.OpenFlag {
	if flags&vfs.Truncate != 0 {
		return vfs.Write
	}
	return 0
}

// copyBuffer is how much of a file is copied at once.
const copyBuffer = 128 << 10

// separate gives the leaf its own copy of the file it is one name of, with the content if keep is set. The others keep
// the old one.
func (w *walk) separate(keep bool) vfs.Errno {
	fs, d := w.fs, w.parent()
	from, errno := d.openFile(w.leaf, vfs.Read, false, 0)
	if errno != vfs.OK {
		return errno
	}
	defer from.close()
	st, errno := from.stat()
	if errno != vfs.OK {
		return errno
	}
	if st.Type != vfs.TypeRegular {
		return vfs.EAGAIN
	}
	size := st.Size
	if !keep {
		size = 0
	}
	if errno := fs.options.Quota.CheckSize(size); errno != vfs.OK {
		return errno
	}
	if errno := fs.options.Quota.Grow(size); errno != vfs.OK {
		return errno
	}
	errno = replaceByCopy(fs.ctx, d, w.leaf, from, st, size)
	if errno != vfs.OK {
		fs.options.Quota.Shrink(size)
	}
	return errno
}

// replaceByCopy puts a new file with the first size bytes and the attributes of from in the place of name. Until all
// of that is there, name is the old file.
func replaceByCopy(ctx context.Context, d dir, name string, from handle, st vfs.Stat, size int64) vfs.Errno {
	temporary := temporaryName()
	to, errno := d.openFile(temporary, vfs.Write, true, 0o600)
	if errno != vfs.OK {
		return errno
	}
	defer to.close()
	errno = copyContent(ctx, to, from, size)
	if errno == vfs.OK {
		to.copyOwner(from)
		errno = to.chmod(st.Mode)
	}
	if errno == vfs.OK {
		errno = to.utimes(st.Atime, st.Mtime, vfs.SetAtime|vfs.SetMtime)
	}
	if errno == vfs.OK {
		errno = d.rename(temporary, d, name)
	}
	if errno != vfs.OK {
		_ = d.unlink(temporary)
	}
	return errno
}

func copyContent(ctx context.Context, to, from handle, size int64) vfs.Errno {
	buf := make([]byte, min(size, copyBuffer))
	for off := int64(0); off < size; {
		if ctx.Err() != nil {
			return vfs.ECANCELED
		}
		n, errno := from.pread(buf[:min(size-off, int64(len(buf)))], off)
		if errno != vfs.OK {
			return errno
		}
		if n == 0 { // cut meanwhile
			return vfs.OK
		}
		for chunk := buf[:n]; len(chunk) > 0; {
			n, errno := to.pwrite(chunk, off)
			if errno != vfs.OK {
				return errno
			}
			if n == 0 {
				return vfs.EIO
			}
			chunk, off = chunk[n:], off+int64(n)
		}
	}
	return vfs.OK
}

// temporaryName is a name that nobody else uses.
func temporaryName() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return ".openclaw-" + hex.EncodeToString(random[:]) + ".tmp"
}
