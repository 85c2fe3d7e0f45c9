package wasi

import (
	"encoding/binary"
	"math"

	"openclaw/sandbox/internal/vfs"
)

func fdClose(s *System, _ memory, a args) vfs.Errno {
	if s.table.get(a.u32(0)) == nil {
		return vfs.EBADF
	}
	return s.table.drop(a.u32(0))
}

func fdRenumber(s *System, _ memory, a args) vfs.Errno {
	return s.table.renumber(a.u32(0), a.u32(1))
}

func fdSync(s *System, _ memory, a args) vfs.Errno {
	d, e := s.file(a.u32(0), rightFDSync)
	if e != vfs.OK {
		return e
	}
	return d.file.Sync()
}

func fdDatasync(s *System, _ memory, a args) vfs.Errno {
	d, e := s.file(a.u32(0), rightFDDatasync)
	if e != vfs.OK {
		return e
	}
	return d.file.Datasync()
}

// adviceLast is the highest advice that preview 1 knows.
const adviceLast = 5

// fdAdvise checks its arguments as posix_fadvise does; the advice itself is not needed.
func fdAdvise(s *System, _ memory, a args) vfs.Errno {
	d := s.table.get(a.u32(0))
	if d == nil {
		return vfs.EBADF
	}
	kind, e := s.typeOf(d)
	switch {
	case e != vfs.OK:
		return e
	case kind == vfs.TypeDirectory:
		return vfs.EBADF
	case d.granted&rightFDAdvise == 0:
		return vfs.ENOTCAPABLE
	case kind != vfs.TypeRegular:
		return vfs.ESPIPE
	case a.u32(3) > adviceLast, a.i64(1) < 0, a.i64(2) < 0:
		return vfs.EINVAL
	}
	return vfs.OK
}

func fdAllocate(s *System, _ memory, a args) vfs.Errno {
	d, e := s.writable(a.u32(0))
	if e != vfs.OK {
		return e
	}
	if d.granted&rightFDAllocate == 0 {
		return vfs.ENOTCAPABLE
	}
	off, size := a.i64(1), a.i64(2)
	if off < 0 || size <= 0 {
		return vfs.EINVAL
	}
	if off > math.MaxInt64-size {
		return vfs.EFBIG
	}
	return d.file.Allocate(off, size)
}

const fdstatSize = 24

func fdFdstatGet(s *System, m memory, a args) vfs.Errno {
	d := s.table.get(a.u32(0))
	if d == nil {
		return vfs.EBADF
	}
	buf, ok := m.bytes(a.u32(1), fdstatSize)
	if !ok {
		return vfs.EFAULT
	}
	kind, e := s.typeOf(d)
	if e != vfs.OK {
		return e
	}
	clear(buf)
	buf[0] = guestType(kind)
	binary.LittleEndian.PutUint16(buf[2:], d.flags)
	binary.LittleEndian.PutUint64(buf[8:], s.rights(d))
	binary.LittleEndian.PutUint64(buf[16:], d.inheriting)
	return vfs.OK
}

func fdFdstatSetFlags(s *System, _ memory, a args) vfs.Errno {
	d := s.table.get(a.u32(0))
	if d == nil {
		return vfs.EBADF
	}
	if d.granted&rightFDSetFlags == 0 {
		return vfs.ENOTCAPABLE
	}
	if a.u32(1) > uint32(fdflagsAll) {
		return vfs.EINVAL
	}
	flags := uint16(a.u32(1))
	if d.file != nil && (flags^d.flags)&fdflagAppend != 0 {
		if e := d.file.SetAppend(flags&fdflagAppend != 0); e != vfs.OK {
			return e
		}
	}
	d.flags = flags
	return vfs.OK
}

// fdFdstatSetRights takes rights away; it never gives any.
func fdFdstatSetRights(s *System, _ memory, a args) vfs.Errno {
	d := s.table.get(a.u32(0))
	if d == nil {
		return vfs.EBADF
	}
	base, inheriting := a.u64(1), a.u64(2)
	if base&^s.rights(d) != 0 || inheriting&^d.inheriting != 0 {
		return vfs.ENOTCAPABLE
	}
	d.granted, d.inheriting = base, inheriting
	return vfs.OK
}

const filestatSize = 64

// statFD describes the open file that the first argument names.
func (s *System) statFD(a args) (vfs.Stat, vfs.Errno) {
	d, e := s.file(a.u32(0), rightFDFilestatGet)
	if e != vfs.OK {
		return vfs.Stat{}, e
	}
	return d.file.Stat()
}

func fdFilestatGet(s *System, m memory, a args) vfs.Errno {
	st, e := s.statFD(a)
	if e != vfs.OK {
		return e
	}
	return putFilestat(m, a.u32(1), &st)
}

func putFilestat(m memory, ptr uint32, st *vfs.Stat) vfs.Errno {
	buf, ok := m.bytes(ptr, filestatSize)
	if !ok {
		return vfs.EFAULT
	}
	binary.LittleEndian.PutUint64(buf, st.Dev)
	binary.LittleEndian.PutUint64(buf[8:], st.Ino)
	binary.LittleEndian.PutUint64(buf[16:], uint64(guestType(st.Type)))
	binary.LittleEndian.PutUint64(buf[24:], st.Nlink)
	binary.LittleEndian.PutUint64(buf[32:], uint64(st.Size))
	binary.LittleEndian.PutUint64(buf[40:], uint64(st.Atime))
	binary.LittleEndian.PutUint64(buf[48:], uint64(st.Mtime))
	binary.LittleEndian.PutUint64(buf[56:], uint64(st.Ctime))
	return vfs.OK
}

func fdFilestatSetSize(s *System, _ memory, a args) vfs.Errno {
	d, e := s.seekable(a.u32(0), rightFDFilestatSetSize)
	if e != vfs.OK {
		return e
	}
	if a.i64(1) < 0 {
		return vfs.EINVAL
	}
	if d.granted&rightFDWrite == 0 {
		return vfs.EINVAL
	}
	return d.file.Truncate(a.i64(1))
}

func fdFilestatSetTimes(s *System, _ memory, a args) vfs.Errno {
	d, e := s.file(a.u32(0), rightFDFilestatSetTimes)
	if e != vfs.OK {
		return e
	}
	flags, e := timeFlags(a.i64(1), a.i64(2), a.u32(3))
	if e != vfs.OK {
		return e
	}
	return d.file.Utimes(a.i64(1), a.i64(2), flags)
}

// timeFlags checks the fstflags of a call, which have the numbers of vfs.TimeFlag.
func timeFlags(atime, mtime int64, raw uint32) (vfs.TimeFlag, vfs.Errno) {
	const all = uint32(vfs.SetAtime | vfs.SetAtimeNow | vfs.SetMtime | vfs.SetMtimeNow)
	if raw&^all != 0 {
		return 0, vfs.EINVAL
	}
	flags := vfs.TimeFlag(raw)
	const (
		bothAtime = vfs.SetAtime | vfs.SetAtimeNow
		bothMtime = vfs.SetMtime | vfs.SetMtimeNow
	)
	if flags&bothAtime == bothAtime || flags&bothMtime == bothMtime {
		return 0, vfs.EINVAL
	}
	if flags&vfs.SetAtime != 0 && atime < 0 || flags&vfs.SetMtime != 0 && mtime < 0 {
		return 0, vfs.EINVAL
	}
	return flags, vfs.OK
}

const (
	prestatSize = 8
	prestatDir  = 0 // the only kind of preopen there is
)

// fdPrestatGet answers EBADF for whatever is not a preopen: that is how guests
// find the end of the list.
func fdPrestatGet(s *System, m memory, a args) vfs.Errno {
	d := s.table.get(a.u32(0))
	if d == nil || d.preopen == "" {
		return vfs.EBADF
	}
	buf, ok := m.bytes(a.u32(1), prestatSize)
	if !ok {
		return vfs.EFAULT
	}
	binary.LittleEndian.PutUint32(buf, prestatDir)
	binary.LittleEndian.PutUint32(buf[4:], uint32(len(d.preopen)))
	return vfs.OK
}

func fdPrestatDirName(s *System, m memory, a args) vfs.Errno {
	d := s.table.get(a.u32(0))
	if d == nil || d.preopen == "" {
		return vfs.EBADF
	}
	if uint64(a.u32(2)) < uint64(len(d.preopen)) {
		return vfs.ENAMETOOLONG
	}
	buf, ok := m.bytes(a.u32(1), uint32(len(d.preopen)))
	if !ok {
		return vfs.EFAULT
	}
	copy(buf, d.preopen)
	return vfs.OK
}
