package wasi

import (
	"encoding/binary"

	"openclaw/sandbox/internal/vfs"
)

// memory is a guest's linear memory. Nothing in this package indexes it but
// through these methods, which check every range.
type memory []byte

// bytes returns n bytes at ptr.
func (m memory) bytes(ptr, n uint32) ([]byte, bool) {
	end := uint64(ptr) + uint64(n)
	if end > uint64(len(m)) {
		return nil, false
	}
	return m[ptr:end:end], true
}

// array returns count elements of size bytes at ptr.
func (m memory) array(ptr, count, size uint32) ([]byte, bool) {
	n := uint64(count) * uint64(size)
	if uint64(ptr)+n > uint64(len(m)) {
		return nil, false
	}
	return m[ptr : uint64(ptr)+n], true
}

func (m memory) putU32(ptr, v uint32) vfs.Errno {
	b, ok := m.bytes(ptr, 4)
	if !ok {
		return vfs.EFAULT
	}
	binary.LittleEndian.PutUint32(b, v)
	return vfs.OK
}

func (m memory) putU64(ptr uint32, v uint64) vfs.Errno {
	b, ok := m.bytes(ptr, 8)
	if !ok {
		return vfs.EFAULT
	}
	binary.LittleEndian.PutUint64(b, v)
	return vfs.OK
}

const iovecSize = 8

// vectors is a checked array of iovecs.
type vectors struct {
	m    memory
	raw  []byte // the iovecs not looked at yet
	rest []byte // of the buffer being used
}

// iovecs checks the array itself; the buffers are checked one by one by next.
func (m memory) iovecs(ptr, count uint32) (vectors, vfs.Errno) {
	if count > maxIovecs {
		return vectors{}, vfs.EINVAL
	}
	raw, ok := m.array(ptr, count, iovecSize)
	if !ok {
		return vectors{}, vfs.EFAULT
	}
	return vectors{m: m, raw: raw}, vfs.OK
}

// next returns the next piece of the buffers, no longer than room. An empty one is the end.
func (v *vectors) next(room int) ([]byte, vfs.Errno) {
	for len(v.rest) == 0 {
		if len(v.raw) == 0 {
			return nil, vfs.OK
		}
		ptr, n := binary.LittleEndian.Uint32(v.raw), binary.LittleEndian.Uint32(v.raw[4:])
		buf, ok := v.m.bytes(ptr, n)
		if !ok && n > 0 {
			return nil, vfs.EFAULT
		}
		v.raw, v.rest = v.raw[iovecSize:], buf
	}
	n := min(room, len(v.rest))
	piece := v.rest[:n]
	v.rest = v.rest[n:]
	return piece, vfs.OK
}
