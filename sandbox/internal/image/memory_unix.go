//go:build unix

package image

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapped is the reserved address range.
type mapped struct {
	base     unsafe.Pointer
	reserved uintptr
	ready    uintptr // bytes from base that are readable and writable
}

// grow makes the first size bytes usable and returns them.
func (m *Memory) grow(size int64) []byte {
	if m.base == nil && !m.reserve() {
		return nil
	}
	if uintptr(size) > m.ready {
		at := unsafe.Add(m.base, m.ready)
		if err := unix.Mprotect(unsafe.Slice((*byte)(at), uintptr(size)-m.ready), unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return nil
		}
		m.ready = uintptr(size)
	}
	return unsafe.Slice((*byte)(m.base), m.reserved)[:size]
}

// reserve takes the address range and lays the image over its beginning.
func (m *Memory) reserve() bool {
	size := uintptr(max(m.limit, m.image.size, pageSize))
	base, err := unix.MmapPtr(-1, 0, nil, size, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return false
	}
	m.base, m.reserved = base, size
	if m.image.size == 0 {
		return true
	}
	if m.image.file != nil {
		_, err = unix.MmapPtr(int(m.image.file.Fd()), 0, base, uintptr(m.image.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED)
		runtime.KeepAlive(m.image.file)
	} else {
		err = unix.Mprotect(unsafe.Slice((*byte)(base), m.image.size), unix.PROT_READ|unix.PROT_WRITE)
		copy(unsafe.Slice((*byte)(base), m.image.size), m.image.data)
	}
	if err != nil {
		m.unmap()
		return false
	}
	m.ready = uintptr(m.image.size)
	return true
}

// unmap gives the address range back.
func (m *Memory) unmap() {
	if m.base == nil {
		return
	}
	_ = unix.MunmapPtr(m.base, m.reserved)
	m.mapped, m.buf = mapped{}, nil
}
