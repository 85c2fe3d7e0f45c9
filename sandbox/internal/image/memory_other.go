//go:build !unix

package image

import "io"

// mapped has nothing to keep where memory is a plain slice.
type mapped struct{}

// grow makes the first size bytes usable and returns them.
func (m *Memory) grow(size int64) []byte {
	if m.buf == nil {
		buf := make([]byte, max(size, m.image.size))
		if !m.load(buf) {
			return nil
		}
		return buf[:size]
	}
	if size <= int64(cap(m.buf)) {
		return m.buf[:size]
	}
	buf := make([]byte, size, min(2*size, m.limit))
	copy(buf, m.buf)
	return buf
}

func (m *Memory) load(buf []byte) bool {
	if m.image.file == nil {
		copy(buf, m.image.data)
		return true
	}
	_, err := m.image.file.ReadAt(buf[:m.image.size], 0)
	return err == nil || err == io.EOF
}

// Free gives the memory back; nothing may use it afterwards.
func (m *Memory) unmap() { m.buf = nil }
