package hostfs

import "openclaw/sandbox/internal/vfs"

// maxScanned bounds how many entries of a directory tree are looked at when it is moved to where links in it could lead
// outside. A larger one must be copied, which judges each link.
const maxScanned = 1 << 16

// Rename implements [vfs.FS]. It is the one operation that can change the canonical paths of others, so it excludes
// them: what they decided about a path holds until they have acted.
func (fs *FS) Rename(oldPath, newPath string) vfs.Errno {
	defer fs.mu.lockRename()()
	from, errno := fs.walk(oldPath)
	defer from.release()
	if errno != vfs.OK {
		return errno
	}
	to, errno := fs.walk(newPath)
	defer to.release()
	if errno != vfs.OK {
		return errno
	}
	if from.leaf == "" || to.leaf == "" {
		return vfs.EBUSY
	}
	if fs.options.ReadOnly {
		return vfs.EROFS
	}
	return rename(from, to)
}

func rename(from, to *walk) vfs.Errno {
	st, errno := from.parent().lstat(from.leaf)
	if errno != vfs.OK {
		return errno
	}
	if (from.slash || to.slash) && st.Type != vfs.TypeDirectory {
		return vfs.ENOTDIR
	}
	replaced, errno := to.parent().lstat(to.leaf)
	if errno != vfs.OK && errno != vfs.ENOENT {
		return errno
	}
	exists := errno == vfs.OK
	if errno := mayRename(from, to, st); errno != vfs.OK {
		return errno
	}
	if errno := from.parent().rename(from.leaf, to.parent(), to.leaf); errno != vfs.OK {
		return errno
	}
	fs := from.fs
	if exists && st.Ino != 0 && idOf(replaced) == idOf(st) {
		return vfs.OK // two names of one file: both stay as they are
	}
	if exists {
		fs.inodes.unlinked(replaced)
		fs.changed(Removed, to.canonical())
	}
	fs.changed(Removed, from.canonical())
	fs.changed(Created, to.canonical())
	return vfs.OK
}

// mayRename checks what the host does not: protected paths, and links that would lead outside.
func mayRename(from, to *walk, st vfs.Stat) vfs.Errno {
	for _, w := range []*walk{from, to} {
		if errno := w.mayChange(st.Type); errno != vfs.OK {
			return errno
		}
	}
	if st.Type == vfs.TypeSymlink {
		return mayMoveLink(from, to)
	}
	if st.Type != vfs.TypeDirectory {
		return vfs.OK
	}
	guards := from.fs.guards
	found, errno := from.fs.holds(from.parent(), from.leaf, guards.below(from.canonical()))
	if found {
		return vfs.EBUSY
	}
	if errno != vfs.OK {
		return errno
	}
	found, errno = from.fs.holds(from.parent(), from.leaf, guards.below(to.canonical()))
	if found {
		return vfs.EROFS
	}
	if errno != vfs.OK {
		return errno
	}
	if to.depth() >= from.depth() {
		return vfs.OK // further down, links lead less far up
	}
	scan := linkScan{fs: from.fs, budget: maxScanned}
	return scan.tree(from.parent(), from.leaf, from.depth()+1, to.depth()+1)
}

// mayMoveLink fails with EPERM when the link at from would lead outside at to, and did not before.
func mayMoveLink(from, to *walk) vfs.Errno {
	target, errno := from.parent().readlink(from.leaf)
	if errno != vfs.OK {
		return errno
	}
	if leaves(target, to.depth()) && !leaves(target, from.depth()) {
		return vfs.EPERM
	}
	return vfs.OK
}

// linkScan looks for links in a directory tree that would lead outside after it is moved.
type linkScan struct {
	fs     *FS
	budget int
}

// tree scans the directory name in d, whose entries are now and will be so many levels below the root.
func (s *linkScan) tree(d dir, name string, now, then int) vfs.Errno {
	sub, errno := d.openDir(name)
	if errno != vfs.OK {
		return errno
	}
	defer sub.close()
	entries, errno := s.fs.list(sub)
	if errno != vfs.OK {
		return errno
	}
	if s.budget -= len(entries); s.budget < 0 {
		return vfs.EXDEV
	}
	for _, entry := range entries {
		switch entry.Type {
		case vfs.TypeSymlink:
			target, errno := sub.readlink(entry.Name)
			if errno != vfs.OK {
				return errno
			}
			if leaves(target, then) && !leaves(target, now) {
				return vfs.EPERM
			}
		case vfs.TypeDirectory:
			if now >= vfs.MaxDepth {
				return vfs.EXDEV
			}
			if errno := s.tree(sub, entry.Name, now+1, then+1); errno != vfs.OK {
				return errno
			}
		}
	}
	return vfs.OK
}

// Link implements [vfs.FS]. A link out of a protected path would be another way to it, so it is refused as a link into
// one is.
func (fs *FS) Link(oldPath, newPath string, follow bool) vfs.Errno {
	from, errno := fs.enter(oldPath)
	defer from.leave()
	if errno != vfs.OK {
		return errno
	}
	st, errno := from.lookup(follow)
	if errno != vfs.OK {
		return errno
	}
	to, errno := fs.walk(newPath)
	defer to.release()
	if errno != vfs.OK {
		return errno
	}
	if errno := to.vacant(); errno != vfs.OK {
		return errno
	}
	if to.slash {
		return vfs.ENOENT
	}
	for _, w := range []*walk{from, to} {
		if errno := w.mayChange(vfs.TypeRegular); errno != vfs.OK {
			return errno
		}
	}
	switch {
	case st.Type == vfs.TypeDirectory, fs.options.HardLinks == RefuseHardLinks:
		return vfs.EPERM
	case st.Type == vfs.TypeSymlink:
		if errno := mayMoveLink(from, to); errno != vfs.OK {
			return errno
		}
	}
	if errno := fs.options.Quota.AddFile(); errno != vfs.OK {
		return errno
	}
	if errno := from.parent().link(from.leaf, to.parent(), to.leaf); errno != vfs.OK {
		fs.options.Quota.RemoveFile()
		return errno
	}
	fs.changed(Created, to.canonical())
	return vfs.OK
}
