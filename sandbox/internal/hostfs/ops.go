package hostfs

import "openclaw/sandbox/internal/vfs"

// Stat implements [vfs.FS].
func (fs *FS) Stat(path string, follow bool) (vfs.Stat, vfs.Errno) {
	w, errno := fs.enter(path)
	defer w.leave()
	if errno != vfs.OK {
		return vfs.Stat{}, errno
	}
	st, errno := w.lookup(follow)
	if errno != vfs.OK {
		return vfs.Stat{}, errno
	}
	return st, vfs.OK
}

// Readlink implements [vfs.FS].
func (fs *FS) Readlink(path string) (string, vfs.Errno) {
	w, errno := fs.enter(path)
	defer w.leave()
	if errno != vfs.OK {
		return "", errno
	}
	if w.leaf != "" && !w.slash {
		return w.parent().readlink(w.leaf)
	}
	if _, errno := w.lookup(true); errno != vfs.OK {
		return "", errno
	}
	return "", vfs.EINVAL
}

// vacant fails with EEXIST unless the leaf is a name that is not taken.
func (w *walk) vacant() vfs.Errno {
	if w.leaf == "" {
		return vfs.EEXIST
	}
	_, errno := w.parent().lstat(w.leaf)
	switch errno {
	case vfs.ENOENT:
		return vfs.OK
	case vfs.OK:
		return vfs.EEXIST
	}
	return errno
}

// make makes one inode at the vacant leaf.
func (w *walk) make(kind vfs.FileType, host func(d dir, name string) vfs.Errno) vfs.Errno {
	if errno := w.vacant(); errno != vfs.OK {
		return errno
	}
	if w.slash && kind != vfs.TypeDirectory {
		return vfs.ENOENT
	}
	if errno := w.mayChange(kind); errno != vfs.OK {
		return errno
	}
	q := w.fs.options.Quota
	if errno := q.AddFile(); errno != vfs.OK {
		return errno
	}
	if errno := host(w.parent(), w.leaf); errno != vfs.OK {
		q.RemoveFile()
		return errno
	}
	w.fs.changed(Created, w.canonical())
	return vfs.OK
}

// Mkdir implements [vfs.FS].
func (fs *FS) Mkdir(path string, perm uint32) vfs.Errno {
	w, errno := fs.enter(path)
	defer w.leave()
	if errno != vfs.OK {
		return errno
	}
	return w.make(vfs.TypeDirectory, func(d dir, name string) vfs.Errno { return d.mkdir(name, perm) })
}

// Symlink implements [vfs.FS]. A target that is absolute or leaves the root is EPERM.
func (fs *FS) Symlink(target, path string) vfs.Errno {
	switch {
	case target == "":
		return vfs.ENOENT
	case vfs.CheckPath(target) == vfs.EINVAL:
		return vfs.EINVAL
	case len(target) >= vfs.MaxPath:
		return vfs.ENAMETOOLONG
	}
	w, errno := fs.enter(path)
	defer w.leave()
	if errno != vfs.OK {
		return errno
	}
	return w.make(vfs.TypeSymlink, func(d dir, name string) vfs.Errno {
		if leaves(target, w.depth()) {
			return vfs.EPERM
		}
		return d.symlink(target, name)
	})
}

// Rmdir implements [vfs.FS].
func (fs *FS) Rmdir(path string) vfs.Errno {
	w, errno := fs.enter(path)
	defer w.leave()
	switch {
	case errno != vfs.OK:
		return errno
	case w.leaf == "" && w.end == endDotDot:
		return vfs.ENOTEMPTY
	case w.leaf == "":
		return vfs.EINVAL
	}
	st, errno := w.parent().lstat(w.leaf)
	if errno != vfs.OK {
		return errno
	}
	if errno := w.mayChange(st.Type); errno != vfs.OK {
		return errno
	}
	if errno := w.parent().rmdir(w.leaf); errno != vfs.OK {
		return errno
	}
	w.removed(st)
	return vfs.OK
}

// Unlink implements [vfs.FS]. It never follows a link, not even one with a slash after it.
func (fs *FS) Unlink(path string) vfs.Errno {
	w, errno := fs.enter(path)
	defer w.leave()
	if errno != vfs.OK {
		return errno
	}
	if w.leaf == "" {
		return vfs.EISDIR
	}
	st, errno := w.parent().lstat(w.leaf)
	switch {
	case errno != vfs.OK:
		return errno
	case st.Type == vfs.TypeDirectory:
		return vfs.EISDIR
	case w.slash:
		return vfs.ENOTDIR
	}
	if errno := w.mayChange(st.Type); errno != vfs.OK {
		return errno
	}
	if errno := w.parent().unlink(w.leaf); errno != vfs.OK {
		return errno
	}
	w.removed(st)
	return vfs.OK
}

// removed accounts for the leaf, which was st.
func (w *walk) removed(st vfs.Stat) {
	w.fs.inodes.unlinked(st)
	w.fs.changed(Removed, w.canonical())
}

// Chmod implements [vfs.FS].
func (fs *FS) Chmod(path string, mode uint32, follow bool) vfs.Errno {
	return fs.setAttributes(path, follow,
		func(h handle) vfs.Errno { return h.chmod(mode) },
		func(dir, string) vfs.Errno { return vfs.ENOTSUP })
}

// Utimes implements [vfs.FS].
func (fs *FS) Utimes(path string, atime, mtime int64, flags vfs.TimeFlag, follow bool) vfs.Errno {
	if !flags.Valid() {
		return vfs.EINVAL
	}
	return fs.setAttributes(path, follow,
		func(h handle) vfs.Errno { return h.utimes(atime, mtime, flags) },
		func(d dir, name string) vfs.Errno { return d.utimesLink(name, atime, mtime, flags) })
}

// setAttributes applies set to the file or directory at path, or setLink to a link that is not to be followed.
func (fs *FS) setAttributes(path string, follow bool, set func(handle) vfs.Errno, setLink func(dir, string) vfs.Errno) vfs.Errno {
	w, errno := fs.enter(path)
	defer w.leave()
	if errno != vfs.OK {
		return errno
	}
	errno = vfs.EAGAIN
	for range openAttempts {
		if errno = w.setAttributes(follow, set, setLink); errno != vfs.EAGAIN {
			break
		}
	}
	if errno == vfs.EAGAIN {
		return vfs.EBUSY
	}
	if errno == vfs.OK {
		fs.changed(Modified, w.canonical())
	}
	return errno
}

func (w *walk) setAttributes(follow bool, set func(handle) vfs.Errno, setLink func(dir, string) vfs.Errno) vfs.Errno {
	st, errno := w.lookup(follow)
	if errno != vfs.OK {
		return errno
	}
	if errno := w.mayChange(st.Type); errno != vfs.OK {
		return errno
	}
	switch {
	case st.Type == vfs.TypeSymlink:
		return setLink(w.parent(), w.leaf)
	case st.Type == vfs.TypeRegular && st.Nlink > 1:
		if w.fs.options.HardLinks == RefuseHardLinks {
			return vfs.EPERM
		}
		if errno := w.separate(true); errno != vfs.OK {
			return errno
		}
	case st.Type != vfs.TypeRegular && st.Type != vfs.TypeDirectory:
		return vfs.EPERM
	}
	h, errno := w.pin()
	if errno == vfs.ELOOP {
		return vfs.EAGAIN
	}
	if errno != vfs.OK {
		return errno
	}
	defer h.close()
	// What is held need not be what was looked at.
	st, errno = h.stat()
	if errno == vfs.OK && st.Type != vfs.TypeDirectory {
		errno = w.mayKeep(st, true)
	}
	if errno != vfs.OK {
		return errno
	}
	return set(h)
}

// pin holds what the walk stands at.
func (w *walk) pin() (handle, vfs.Errno) {
	if w.leaf == "" {
		return w.parent().openSelf()
	}
	return w.parent().pin(w.leaf)
}

// Statfs implements [vfs.FS]. It shows the quota; the host's disk is no business of a guest.
func (fs *FS) Statfs(path string) (vfs.Statfs, vfs.Errno) {
	if _, errno := fs.Stat(path, true); errno != vfs.OK {
		return vfs.Statfs{}, errno
	}
	return fs.options.Quota.Statfs(), vfs.OK
}
