package namespace

import "openclaw/sandbox/internal/vfs"

// Open implements [vfs.FS].
func (fs *FS) Open(path string, flags vfs.OpenFlag, perm uint32) (vfs.File, vfs.Errno) {
	exclusive := flags&vfs.Create != 0 && flags&vfs.Exclusive != 0
	follow := flags&vfs.NoFollow == 0 && !exclusive
	for range vfs.MaxLinks {
		p, errno := fs.resolve(path, follow)
		if errno != vfs.OK {
			return nil, errno
		}
		f, errno := fs.open(p, flags, perm)
		if errno != vfs.EXDEV {
			return f, errno
		}
		next, ok := p.expand(follow)
		if !ok {
			return nil, errno
		}
		path = next
	}
	return nil, vfs.ELOOP
}

func (fs *FS) open(p place, flags vfs.OpenFlag, perm uint32) (vfs.File, vfs.Errno) {
	switch {
	case p.missing != "":
		return nil, p.lacking(flags&vfs.Create != 0)
	case p.mount() == nil:
		return fs.openVirtual(p.node, flags)
	case !p.exact() || len(p.node.children) == 0:
		return p.mount().fs.Open(p.inMount(), flags, perm)
	}
	f, errno := p.mount().fs.Open(p.inMount(), flags, perm)
	if errno == vfs.ENOENT {
		return fs.openVirtual(p.node, flags) // the directory on the way to a mount does not exist in the outer one
	}
	if errno != vfs.OK {
		return nil, errno
	}
	return &merged{File: f, node: p.node}, vfs.OK
}

func (fs *FS) openVirtual(n *node, flags vfs.OpenFlag) (vfs.File, vfs.Errno) {
	switch {
	case flags&vfs.Create != 0 && flags&vfs.Directory != 0:
		return nil, vfs.EINVAL
	case flags&vfs.Create != 0 && flags&vfs.Exclusive != 0:
		return nil, vfs.EEXIST
	case flags&(vfs.Create|vfs.Write|vfs.Truncate) != 0:
		return nil, vfs.EISDIR
	}
	return &directory{fs: fs, node: n}, vfs.OK
}

// Stat implements [vfs.FS].
func (fs *FS) Stat(path string, follow bool) (vfs.Stat, vfs.Errno) {
	for range vfs.MaxLinks {
		p, errno := fs.resolve(path, follow)
		if errno != vfs.OK {
			return vfs.Stat{}, errno
		}
		st, errno := fs.statPlace(p, follow)
		if errno != vfs.EXDEV {
			return st, errno
		}
		next, ok := p.expand(follow)
		if !ok {
			return vfs.Stat{}, errno
		}
		path = next
	}
	return vfs.Stat{}, vfs.ELOOP
}

func (fs *FS) statPlace(p place, follow bool) (vfs.Stat, vfs.Errno) {
	switch {
	case p.missing != "":
		return vfs.Stat{}, vfs.ENOENT
	case p.mount() == nil:
		return fs.stat(p.node), vfs.OK
	}
	st, errno := p.mount().fs.Stat(p.inMount(), follow || p.exact())
	if errno == vfs.ENOENT && p.exact() {
		return fs.stat(p.node), vfs.OK
	}
	return st, errno
}

// Readlink implements [vfs.FS].
func (fs *FS) Readlink(path string) (string, vfs.Errno) {
	return at(fs, path, false, func(p place) (string, vfs.Errno) {
		switch {
		case p.missing != "":
			return "", vfs.ENOENT
		case p.exact():
			return "", vfs.EINVAL
		}
		return p.mount().fs.Readlink(p.path)
	})
}

// change does to the place of a path what do says, unless it is a node, for which the answer is taken.
func (fs *FS) change(path string, follow, create bool, taken vfs.Errno, do func(mount vfs.FS, path string) vfs.Errno) vfs.Errno {
	_, errno := at(fs, path, follow, func(p place) (struct{}, vfs.Errno) {
		switch {
		case p.missing != "":
			return struct{}{}, p.lacking(create)
		case p.exact():
			return struct{}{}, taken
		}
		return struct{}{}, do(p.mount().fs, p.path)
	})
	return errno
}

// Mkdir implements [vfs.FS].
func (fs *FS) Mkdir(path string, perm uint32) vfs.Errno {
	return fs.change(path, false, true, vfs.EEXIST, func(mount vfs.FS, path string) vfs.Errno {
		return mount.Mkdir(path, perm)
	})
}

// Rmdir implements [vfs.FS].
func (fs *FS) Rmdir(path string) vfs.Errno {
	return fs.change(path, false, false, vfs.EBUSY, vfs.FS.Rmdir)
}

// Unlink implements [vfs.FS].
func (fs *FS) Unlink(path string) vfs.Errno {
	return fs.change(path, false, false, vfs.EISDIR, vfs.FS.Unlink)
}

// Symlink implements [vfs.FS].
func (fs *FS) Symlink(target, path string) vfs.Errno {
	return fs.change(path, false, true, vfs.EEXIST, func(mount vfs.FS, path string) vfs.Errno {
		return mount.Symlink(target, path)
	})
}

// Chmod implements [vfs.FS].
func (fs *FS) Chmod(path string, mode uint32, follow bool) vfs.Errno {
	return fs.setAttributes(path, follow, func(mount vfs.FS, path string) vfs.Errno {
		return mount.Chmod(path, mode, follow)
	})
}

// Utimes implements [vfs.FS].
func (fs *FS) Utimes(path string, atime, mtime int64, flags vfs.TimeFlag, follow bool) vfs.Errno {
	return fs.setAttributes(path, follow, func(mount vfs.FS, path string) vfs.Errno {
		return mount.Utimes(path, atime, mtime, flags, follow)
	})
}

func (fs *FS) setAttributes(path string, follow bool, do func(mount vfs.FS, path string) vfs.Errno) vfs.Errno {
	_, errno := at(fs, path, follow, func(p place) (struct{}, vfs.Errno) {
		switch {
		case p.missing != "":
			return struct{}{}, vfs.ENOENT
		case p.mount() == nil:
			return struct{}{}, vfs.EROFS
		}
		return struct{}{}, do(p.mount().fs, p.inMount())
	})
	return errno
}

// Statfs implements [vfs.FS].
func (fs *FS) Statfs(path string) (vfs.Statfs, vfs.Errno) {
	return at(fs, path, true, func(p place) (vfs.Statfs, vfs.Errno) {
		switch {
		case p.missing != "":
			return vfs.Statfs{}, vfs.ENOENT
		case p.mount() == nil:
			return vfs.Statfs{BlockSize: 4096}, vfs.OK
		}
		return p.mount().fs.Statfs(p.inMount())
	})
}

// Rename implements [vfs.FS].
func (fs *FS) Rename(oldPath, newPath string) vfs.Errno {
	return fs.pair(oldPath, newPath, false, func(from, to place) vfs.Errno {
		switch {
		case from.lacksParent(), to.lacksParent():
			return vfs.ENOENT
		case from.exact() || to.exact():
			return vfs.EBUSY
		case from.missing != "":
			return vfs.ENOENT
		case to.missing != "":
			return to.lacking(true)
		case from.mount() != to.mount():
			return vfs.EXDEV
		}
		return from.mount().fs.Rename(from.path, to.path)
	})
}

// Link implements [vfs.FS].
func (fs *FS) Link(oldPath, newPath string, follow bool) vfs.Errno {
	return fs.pair(oldPath, newPath, follow, func(from, to place) vfs.Errno {
		switch {
		case from.missing != "":
			return vfs.ENOENT
		case to.exact():
			return vfs.EEXIST
		case to.missing != "":
			return to.lacking(true)
		case from.exact():
			return vfs.EPERM
		case from.mount() != to.mount():
			return vfs.EXDEV
		}
		return from.mount().fs.Link(from.path, to.path, follow)
	})
}

// pair calls do with the places of two paths, and again with where they go on as long as one leaves a mount.
func (fs *FS) pair(oldPath, newPath string, follow bool, do func(from, to place) vfs.Errno) vfs.Errno {
	for range 2 * vfs.MaxLinks {
		from, errno := fs.resolve(oldPath, follow)
		if errno != vfs.OK {
			return errno
		}
		to, errno := fs.resolve(newPath, false)
		if errno != vfs.OK {
			return errno
		}
		if errno := do(from, to); errno != vfs.EXDEV {
			return errno
		}
		oldNext, oldLeaves := from.expand(follow)
		newNext, newLeaves := to.expand(false)
		if !oldLeaves && !newLeaves {
			return vfs.EXDEV
		}
		if oldLeaves {
			oldPath = oldNext
		}
		if newLeaves {
			newPath = newNext
		}
	}
	return vfs.ELOOP
}

// Canonical implements [vfs.Canonicalizer], for paths of the whole tree.
func (fs *FS) Canonical(path string) (string, vfs.Errno) {
	return at(fs, path, true, func(p place) (string, vfs.Errno) {
		switch {
		case p.missing != "":
			return "", vfs.ENOENT
		case p.exact():
			return dotted(p.node.path), vfs.OK
		}
		c, ok := p.mount().fs.(vfs.Canonicalizer)
		if !ok {
			return "", vfs.ENOTSUP
		}
		canonical, errno := c.Canonical(p.path)
		switch {
		case errno != vfs.OK:
			return "", errno
		case canonical == ".":
			return dotted(p.mount().path), vfs.OK
		case p.mount().path == "":
			return canonical, vfs.OK
		}
		return p.mount().path + "/" + canonical, vfs.OK
	})
}

func dotted(path string) string {
	if path == "" {
		return "."
	}
	return path
}
