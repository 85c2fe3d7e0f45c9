package wasi

import (
	"context"
	"encoding/binary"

	"openclaw/sandbox/internal/vfs"
)

// The layouts of the extension module, which docs/abi.md describes.
const (
	extStatSize   = 72
	extStatfsSize = 40
	permBits      = 0o7777
)

func extPathStat(s *System, m memory, a args) vfs.Errno {
	st, e := s.statPath(m, a)
	if e != vfs.OK {
		return e
	}
	return putExtStat(m, a.u32(4), &st)
}

func extFdStat(s *System, m memory, a args) vfs.Errno {
	st, e := s.statFD(a)
	if e != vfs.OK {
		return e
	}
	return putExtStat(m, a.u32(1), &st)
}

func putExtStat(m memory, ptr uint32, st *vfs.Stat) vfs.Errno {
	buf, ok := m.bytes(ptr, extStatSize)
	if !ok {
		return vfs.EFAULT
	}
	for i, v := range [...]uint64{
		st.Dev, st.Ino, st.Nlink, uint64(st.Size), uint64(st.Blocks),
		uint64(st.Atime), uint64(st.Mtime), uint64(st.Ctime),
	} {
		binary.LittleEndian.PutUint64(buf[8*i:], v)
	}
	binary.LittleEndian.PutUint32(buf[64:], st.Mode)
	binary.LittleEndian.PutUint32(buf[68:], uint32(st.Type))
	return vfs.OK
}

func extPathChmod(s *System, m memory, a args) vfs.Errno {
	l := lookup(a.u32(1))
	path, _, e := s.at(m, a.u32(0), a.u32(2), a.u32(3), rightPathFilestatSetTimes, l)
	if e != vfs.OK {
		return e
	}
	if a.u32(4)&^permBits != 0 {
		return vfs.EINVAL
	}
	return s.fs.Chmod(path, a.u32(4), l == lastFollow)
}

func extFdChmod(s *System, _ memory, a args) vfs.Errno {
	d, e := s.file(a.u32(0), rightFDFilestatSetTimes)
	if e != vfs.OK {
		return e
	}
	if a.u32(1)&^permBits != 0 {
		return vfs.EINVAL
	}
	return d.file.Chmod(a.u32(1))
}

// extUmask returns the old mask, and so is the one function without an errno.
func extUmask(_ context.Context, s *System, _ []byte, a []uint64) (uint64, error) {
	s.calls++
	old := s.umask
	s.umask = args(a).u32(0) & 0o777
	return uint64(old), nil
}

// extMemoryLimit tells a guest that manages its memory when to be sparing with it.
func extMemoryLimit(ctx context.Context, s *System, _ []byte, _ []uint64) (uint64, error) {
	s.calls++
	return uint64(s.memoryLimit), done(ctx)
}

func extPathStatfs(s *System, m memory, a args) vfs.Errno {
	path, _, e := s.at(m, a.u32(0), a.u32(1), a.u32(2), rightPathFilestatGet, lastFollow)
	if e != vfs.OK {
		return e
	}
	st, e := s.fs.Statfs(path)
	if e != vfs.OK {
		return e
	}
	buf, ok := m.bytes(a.u32(3), extStatfsSize)
	if !ok {
		return vfs.EFAULT
	}
	for i, v := range [...]uint64{st.BlockSize, st.Blocks, st.BlocksFree, st.Files, st.FilesFree} {
		binary.LittleEndian.PutUint64(buf[8*i:], v)
	}
	return vfs.OK
}
