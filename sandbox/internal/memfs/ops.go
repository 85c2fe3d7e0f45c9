package memfs

import (
	"strings"

	"openclaw/sandbox/internal/vfs"
)

// Stat implements [vfs.FS].
func (fs *FS) Stat(path string, follow bool) (vfs.Stat, vfs.Errno) {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	w, errno := fs.walk(path)
	if errno != vfs.OK {
		return vfs.Stat{}, errno
	}
	n, errno := w.lookup(follow)
	if errno != vfs.OK {
		return vfs.Stat{}, errno
	}
	return fs.stat(n), vfs.OK
}

// Readlink implements [vfs.FS].
func (fs *FS) Readlink(path string) (string, vfs.Errno) {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	w, errno := fs.walk(path)
	if errno != vfs.OK {
		return "", errno
	}
	n, errno := w.lookup(false)
	switch {
	case errno != vfs.OK:
		return "", errno
	case n.kind != vfs.TypeSymlink:
		return "", vfs.EINVAL
	}
	return n.target, vfs.OK
}

// change runs a change of the tree, at the place that path names.
func (fs *FS) change(path string, do func(w *walk) vfs.Errno) vfs.Errno {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	w, errno := fs.walk(path)
	if errno != vfs.OK {
		return errno
	}
	return do(&w)
}

// make puts a new node at the leaf, which must be vacant, and charges size bytes for it.
func (w *walk) make(kind vfs.FileType, mode uint32, size int) (*node, vfs.Errno) {
	fs := w.fs
	switch {
	case w.leaf == "" || w.dir.entries[w.leaf] != nil:
		return nil, vfs.EEXIST
	case w.slash && kind != vfs.TypeDirectory:
		return nil, vfs.ENOENT
	case fs.frozen:
		return nil, vfs.EROFS
	}
	if errno := fs.options.Quota.AddFile(); errno != vfs.OK {
		return nil, errno
	}
	if errno := fs.options.Quota.Grow(int64(size)); errno != vfs.OK {
		fs.options.Quota.RemoveFile()
		return nil, errno
	}
	n := fs.newNode(kind, mode)
	fs.attach(w.dir, strings.Clone(w.leaf), n)
	return n, vfs.OK
}

// Mkdir implements [vfs.FS].
func (fs *FS) Mkdir(path string, perm uint32) vfs.Errno {
	return fs.change(path, func(w *walk) vfs.Errno {
		_, errno := w.make(vfs.TypeDirectory, perm, 0)
		return errno
	})
}

// Symlink implements [vfs.FS].
func (fs *FS) Symlink(target, path string) vfs.Errno {
	switch {
	case target == "":
		return vfs.ENOENT
	case strings.IndexByte(target, 0) >= 0:
		return vfs.EINVAL
	case len(target) >= vfs.MaxPath:
		return vfs.ENAMETOOLONG
	}
	return fs.change(path, func(w *walk) vfs.Errno {
		if w.leaf != "" && w.dir.entries[w.leaf] == nil && !w.slash && !fs.frozen &&
			!fs.options.OutsideLinks && leaves(target, w.depth) {
			return vfs.EPERM
		}
		n, errno := w.make(vfs.TypeSymlink, 0o777, len(target))
		if errno == vfs.OK {
			n.target = strings.Clone(target)
		}
		return errno
	})
}

// Rmdir implements [vfs.FS].
func (fs *FS) Rmdir(path string) vfs.Errno {
	return fs.change(path, func(w *walk) vfs.Errno {
		switch {
		case w.leaf == "" && w.dotdot:
			return vfs.ENOTEMPTY
		case w.leaf == "":
			return vfs.EINVAL
		}
		n := w.dir.entries[w.leaf]
		switch {
		case n == nil:
			return vfs.ENOENT
		case fs.frozen:
			return vfs.EROFS
		case n.kind != vfs.TypeDirectory:
			return vfs.ENOTDIR
		case len(n.entries) > 0:
			return vfs.ENOTEMPTY
		}
		fs.detach(w.dir, w.leaf)
		fs.drop(n)
		return vfs.OK
	})
}

// Unlink implements [vfs.FS].
func (fs *FS) Unlink(path string) vfs.Errno {
	return fs.change(path, func(w *walk) vfs.Errno {
		if w.leaf == "" {
			return vfs.EISDIR
		}
		n := w.dir.entries[w.leaf]
		switch {
		case n == nil:
			return vfs.ENOENT
		case n.kind == vfs.TypeDirectory:
			return vfs.EISDIR
		case w.slash:
			return vfs.ENOTDIR
		case fs.frozen:
			return vfs.EROFS
		}
		fs.detach(w.dir, w.leaf)
		fs.drop(n)
		return vfs.OK
	})
}

// Rename implements [vfs.FS].
func (fs *FS) Rename(oldPath, newPath string) vfs.Errno {
	return fs.change(oldPath, func(from *walk) vfs.Errno {
		to, errno := fs.walk(newPath)
		switch {
		case errno != vfs.OK:
			return errno
		case from.leaf == "" || to.leaf == "":
			return vfs.EBUSY
		case fs.frozen:
			return vfs.EROFS
		}
		return fs.rename(from, &to)
	})
}

func (fs *FS) rename(from, to *walk) vfs.Errno {
	n, replaced := from.dir.entries[from.leaf], to.dir.entries[to.leaf]
	if errno := mayRename(n, replaced, from, to); errno != vfs.OK {
		return errno
	}
	if n == replaced {
		return vfs.OK
	}
	if replaced != nil {
		fs.detach(to.dir, to.leaf)
		fs.drop(replaced)
	}
	fs.detach(from.dir, from.leaf)
	fs.attach(to.dir, strings.Clone(to.leaf), n)
	n.ctime = fs.options.Now()
	return vfs.OK
}

func mayRename(n, replaced *node, from, to *walk) vfs.Errno {
	switch {
	case n == nil:
		return vfs.ENOENT
	case (from.slash || to.slash) && n.kind != vfs.TypeDirectory:
		return vfs.ENOTDIR
	case n.above(to.dir):
		return vfs.EINVAL
	case replaced == nil || replaced == n:
		return vfs.OK
	case replaced.above(from.dir):
		return vfs.ENOTEMPTY
	case n.kind == vfs.TypeDirectory && replaced.kind != vfs.TypeDirectory:
		return vfs.ENOTDIR
	case n.kind != vfs.TypeDirectory && replaced.kind == vfs.TypeDirectory:
		return vfs.EISDIR
	case len(replaced.entries) > 0:
		return vfs.ENOTEMPTY
	}
	return vfs.OK
}

// above reports whether n is d or a directory above it.
func (n *node) above(d *node) bool {
	for ; d != nil; d = d.parent {
		if d == n {
			return true
		}
	}
	return false
}

// Link implements [vfs.FS].
func (fs *FS) Link(oldPath, newPath string, follow bool) vfs.Errno {
	return fs.change(oldPath, func(from *walk) vfs.Errno {
		n, errno := from.lookup(follow)
		if errno != vfs.OK {
			return errno
		}
		to, errno := fs.walk(newPath)
		switch {
		case errno != vfs.OK:
			return errno
		case to.leaf == "" || to.dir.entries[to.leaf] != nil:
			return vfs.EEXIST
		case to.slash:
			return vfs.ENOENT
		case fs.frozen:
			return vfs.EROFS
		case n.kind == vfs.TypeDirectory:
			return vfs.EPERM
		}
		if errno := fs.options.Quota.AddFile(); errno != vfs.OK {
			return errno
		}
		fs.attach(to.dir, strings.Clone(to.leaf), n)
		n.nlink++
		n.ctime = fs.options.Now()
		return vfs.OK
	})
}

// Chmod implements [vfs.FS].
func (fs *FS) Chmod(path string, mode uint32, follow bool) vfs.Errno {
	return fs.change(path, func(w *walk) vfs.Errno {
		n, errno := w.lookup(follow)
		switch {
		case errno != vfs.OK:
			return errno
		case n.kind == vfs.TypeSymlink:
			return vfs.ENOTSUP
		}
		return fs.chmod(n, mode)
	})
}

func (fs *FS) chmod(n *node, mode uint32) vfs.Errno {
	if fs.frozen {
		return vfs.EROFS
	}
	n.mode = mode & modeMask
	n.ctime = fs.options.Now()
	return vfs.OK
}

// Utimes implements [vfs.FS].
func (fs *FS) Utimes(path string, atime, mtime int64, flags vfs.TimeFlag, follow bool) vfs.Errno {
	return fs.change(path, func(w *walk) vfs.Errno {
		n, errno := w.lookup(follow)
		if errno != vfs.OK {
			return errno
		}
		return fs.utimes(n, atime, mtime, flags)
	})
}

func (fs *FS) utimes(n *node, atime, mtime int64, flags vfs.TimeFlag) vfs.Errno {
	if !flags.Valid() {
		return vfs.EINVAL
	}
	if fs.frozen {
		return vfs.EROFS
	}
	now := fs.options.Now()
	switch {
	case flags&vfs.SetAtime != 0:
		n.atime = atime
	case flags&vfs.SetAtimeNow != 0:
		n.atime = now
	}
	switch {
	case flags&vfs.SetMtime != 0:
		n.mtime = mtime
	case flags&vfs.SetMtimeNow != 0:
		n.mtime = now
	}
	n.ctime = now
	return vfs.OK
}

// Statfs implements [vfs.FS].
func (fs *FS) Statfs(path string) (vfs.Statfs, vfs.Errno) {
	if _, errno := fs.Stat(path, true); errno != vfs.OK {
		return vfs.Statfs{}, errno
	}
	return fs.options.Quota.Statfs(), vfs.OK
}
