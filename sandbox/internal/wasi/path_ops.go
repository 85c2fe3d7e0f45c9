package wasi

import (
	"strings"

	"openclaw/sandbox/internal/vfs"
)

// The flags of path_open.
const (
	oflagCreat uint32 = 1 << iota
	oflagDirectory
	oflagExcl
	oflagTrunc

	oflagsAll = oflagTrunc<<1 - 1
)

// The modes of new files and directories before the umask.
const (
	newFileMode = 0o666
	newDirMode  = 0o777
)

func pathOpen(s *System, m memory, a args) vfs.Errno {
	l := lookup(a.u32(1))
	oflags, requested, fdflags := a.u32(4), a.u64(5), a.u32(7)
	right := rightPathOpen
	if oflags&oflagCreat != 0 {
		right |= rightPathCreateFile
	}
	if oflags&oflagTrunc != 0 {
		right |= rightPathFilestatSetSize
	}
	if oflags&oflagCreat != 0 && oflags&oflagExcl != 0 && l == lastFollow {
		l = lastNoFollow // an exclusive creation never follows
	}
	path, dir, e := s.at(m, a.u32(0), a.u32(2), a.u32(3), right, l)
	if e != vfs.OK {
		return e
	}
	if oflags&^oflagsAll != 0 || fdflags > uint32(fdflagsAll) {
		return vfs.EINVAL
	}
	const access = rightFDRead | rightFDWrite
	if requested&access&^dir.inheriting != 0 {
		return vfs.ENOTCAPABLE
	}
	if _, ok := m.bytes(a.u32(8), 4); !ok {
		return vfs.EFAULT
	}
	if s.table.full() {
		return vfs.EMFILE
	}
	f, e := s.fs.Open(path, openFlags(l, oflags, requested, fdflags), newFileMode&^s.umask)
	if e != vfs.OK {
		return e
	}
	// What a guest may do with a file is what its directory hands on. Of what it
	// asks for only reading and writing matter, as in other hosts: programs count on that.
	granted := dir.inheriting&^access | requested&access
	d := newDescriptor(f, granted, dir.inheriting, uint16(fdflags))
	d.path = strings.TrimRight(path, "/")
	fd, _ := s.table.put(d)
	return m.putU32(a.u32(8), fd)
}

func openFlags(l last, oflags uint32, requested uint64, fdflags uint32) vfs.OpenFlag {
	var flags vfs.OpenFlag
	if requested&rightFDWrite != 0 || oflags&oflagTrunc != 0 {
		flags |= vfs.Write
	}
	if requested&rightFDRead != 0 || flags&vfs.Write == 0 {
		flags |= vfs.Read
	}
	if l != lastFollow {
		flags |= vfs.NoFollow
	}
	for _, f := range [...]struct {
		set  bool
		flag vfs.OpenFlag
	}{
		{oflags&oflagCreat != 0, vfs.Create},
		{oflags&oflagDirectory != 0, vfs.Directory},
		{oflags&oflagExcl != 0, vfs.Exclusive},
		{oflags&oflagTrunc != 0, vfs.Truncate},
		{fdflags&uint32(fdflagAppend) != 0, vfs.Append},
		{fdflags&uint32(fdflagNonblock) != 0, vfs.Nonblock},
	} {
		if f.set {
			flags |= f.flag
		}
	}
	return flags
}

// statPath describes the file that directory, lookup flags and path, the first four arguments, name.
func (s *System) statPath(m memory, a args) (vfs.Stat, vfs.Errno) {
	l := lookup(a.u32(1))
	path, _, e := s.at(m, a.u32(0), a.u32(2), a.u32(3), rightPathFilestatGet, l)
	if e != vfs.OK {
		return vfs.Stat{}, e
	}
	return s.fs.Stat(path, l == lastFollow)
}

func pathFilestatGet(s *System, m memory, a args) vfs.Errno {
	st, e := s.statPath(m, a)
	if e != vfs.OK {
		return e
	}
	return putFilestat(m, a.u32(4), &st)
}

func pathFilestatSetTimes(s *System, m memory, a args) vfs.Errno {
	l := lookup(a.u32(1))
	path, _, e := s.at(m, a.u32(0), a.u32(2), a.u32(3), rightPathFilestatSetTimes, l)
	if e != vfs.OK {
		return e
	}
	flags, e := timeFlags(a.i64(4), a.i64(5), a.u32(6))
	if e != vfs.OK {
		return e
	}
	return s.fs.Utimes(path, a.i64(4), a.i64(5), flags, l == lastFollow)
}

func pathCreateDirectory(s *System, m memory, a args) vfs.Errno {
	path, _, e := s.at(m, a.u32(0), a.u32(1), a.u32(2), rightPathCreateDirectory, lastEntry)
	if e != vfs.OK {
		return e
	}
	return s.fs.Mkdir(path, newDirMode&^s.umask)
}

func pathRemoveDirectory(s *System, m memory, a args) vfs.Errno {
	path, _, e := s.at(m, a.u32(0), a.u32(1), a.u32(2), rightPathRemoveDirectory, lastEntry)
	if e != vfs.OK {
		return e
	}
	return s.fs.Rmdir(path)
}

func pathUnlinkFile(s *System, m memory, a args) vfs.Errno {
	path, _, e := s.at(m, a.u32(0), a.u32(1), a.u32(2), rightPathUnlinkFile, lastEntry)
	if e != vfs.OK {
		return e
	}
	return s.fs.Unlink(path)
}

func pathLink(s *System, m memory, a args) vfs.Errno {
	l := lookup(a.u32(1))
	oldPath, _, e := s.at(m, a.u32(0), a.u32(2), a.u32(3), rightPathLinkSource, l)
	if e != vfs.OK {
		return e
	}
	newPath, _, e := s.at(m, a.u32(4), a.u32(5), a.u32(6), rightPathLinkTarget, lastEntry)
	if e != vfs.OK {
		return e
	}
	return s.fs.Link(oldPath, newPath, l == lastFollow)
}

func pathRename(s *System, m memory, a args) vfs.Errno {
	oldPath, _, e := s.at(m, a.u32(0), a.u32(1), a.u32(2), rightPathRenameSource, lastEntry)
	if e != vfs.OK {
		return e
	}
	newPath, _, e := s.at(m, a.u32(3), a.u32(4), a.u32(5), rightPathRenameTarget, lastEntry)
	if e != vfs.OK {
		return e
	}
	if e := s.fs.Rename(oldPath, newPath); e != vfs.OK {
		return e
	}
	s.moved(strings.TrimRight(oldPath, "/"), strings.TrimRight(newPath, "/"))
	return vfs.OK
}

// moved keeps open directories usable after they, or one above them, got a new name.
func (s *System) moved(oldPath, newPath string) {
	for _, d := range s.table.slots {
		if d == nil || d.path == "" {
			continue
		}
		rest, ok := strings.CutPrefix(d.path, oldPath)
		if ok && (rest == "" || rest[0] == '/') {
			d.path = newPath + rest
		}
	}
}

func pathSymlink(s *System, m memory, a args) vfs.Errno {
	target, e := pathBytes(m, a.u32(0), a.u32(1))
	if e != vfs.OK {
		return e
	}
	path, _, e := s.at(m, a.u32(2), a.u32(3), a.u32(4), rightPathSymlink, lastEntry)
	if e != vfs.OK {
		return e
	}
	return s.fs.Symlink(string(target), path)
}

// pathReadlink copies as much of the target as fits.
func pathReadlink(s *System, m memory, a args) vfs.Errno {
	path, _, e := s.at(m, a.u32(0), a.u32(1), a.u32(2), rightPathReadlink, lastNoFollow)
	if e != vfs.OK {
		return e
	}
	buf, ok := m.bytes(a.u32(3), a.u32(4))
	if !ok {
		return vfs.EFAULT
	}
	target, e := s.fs.Readlink(path)
	if e != vfs.OK {
		return e
	}
	return m.putU32(a.u32(5), uint32(copy(buf, target)))
}
