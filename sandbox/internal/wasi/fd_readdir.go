package wasi

import (
	"encoding/binary"

	"openclaw/sandbox/internal/vfs"
)

const (
	direntSize = 24
	dotEntries = 2 // "." and ".." come first
)

// fdReaddir writes entries from a cookie on until the buffer is full; the last
// one is cut off where the buffer ends. The cookie of an entry is its number,
// so that a guest can go back to any of them; cookie 0 reads the directory anew.
func fdReaddir(s *System, m memory, a args) vfs.Errno {
	d, e := s.directory(a.u32(0), rightFDReaddir)
	if e != vfs.OK {
		return e
	}
	buf, ok := m.bytes(a.u32(1), a.u32(2))
	if !ok {
		return vfs.EFAULT
	}
	cookie := a.u64(3)
	if cookie == 0 || d.entries == nil {
		if e := s.rewind(d); e != vfs.OK {
			return e
		}
	}
	used := 0
	for cookie < uint64(len(d.entries)) && used < len(buf) {
		used += putDirent(buf[used:], &d.entries[cookie], cookie+1)
		cookie++
	}
	return m.putU32(a.u32(4), uint32(used))
}

// rewind reads a whole directory.
func (s *System) rewind(d *descriptor) vfs.Errno {
	if e := s.open(d); e != vfs.OK {
		return e
	}
	self, e := d.file.Stat()
	if e != vfs.OK {
		return e
	}
	list, e := d.file.Readdir()
	if e != vfs.OK {
		return e
	}
	entries := make([]vfs.Dirent, dotEntries, dotEntries+len(list))
	entries[0] = vfs.Dirent{Name: ".", Ino: self.Ino, Type: vfs.TypeDirectory}
	entries[1] = vfs.Dirent{Name: "..", Ino: s.parentIno(d, self.Ino), Type: vfs.TypeDirectory}
	d.entries = append(entries, list...)
	s.forgetEntries(d)
	return vfs.OK
}

// forgetEntries keeps a guest from having the host hold many large directories:
// beyond the bound only the one being read is kept, and others are read anew
// when the guest goes on with them.
func (s *System) forgetEntries(keep *descriptor) {
	total := 0
	for _, d := range s.table.slots {
		if d != nil && d != keep {
			total += len(d.entries)
		}
	}
	if total <= maxEntries {
		return
	}
	for _, d := range s.table.slots {
		if d != nil && d != keep {
			d.entries = nil
		}
	}
}

// parentIno is the inode of "..", which for the root is the root.
func (s *System) parentIno(d *descriptor, self uint64) uint64 {
	if d.path == "." {
		return self
	}
	st, e := s.fs.Stat(d.path+"/..", true)
	if e != vfs.OK {
		return self
	}
	return st.Ino
}

// putDirent writes as much of an entry as fits and returns its length.
func putDirent(buf []byte, entry *vfs.Dirent, next uint64) int {
	var head [direntSize]byte
	binary.LittleEndian.PutUint64(head[:], next)
	binary.LittleEndian.PutUint64(head[8:], entry.Ino)
	binary.LittleEndian.PutUint32(head[16:], uint32(len(entry.Name)))
	head[20] = guestType(entry.Type)
	n := copy(buf, head[:])
	return n + copy(buf[n:], entry.Name)
}
