// Package image keeps the memory that a guest starts with, and gives each call a private copy of it.
//
// Where the system can, the copy is a copy-on-write mapping of one file: its cost is that of the pages that the guest changes,
// not that of the guest's memory. Elsewhere it is a plain copy.
//
// The address range that the limit allows is reserved at once and filled in as the guest grows, so that growing never moves
// memory. A [Memory] is used by one guest at a time.
package image

import (
	"fmt"
	"os"
	"path/filepath"
)

// pageSize is the unit in which the system maps memory; a WebAssembly page is a multiple of it.
const pageSize = 4096

// Image is the initial content of a guest's memory. It is immutable and safe for concurrent use.
type Image struct {
	size int64    // bytes; a multiple of the WebAssembly page size
	file *os.File // nil: the image is data, or all zero when that is nil too
	data []byte
}

// Size is the size of the memory that the image describes, in bytes.
func (i *Image) Size() int64 { return i.size }

// Open opens an image that Write has written.
func Open(name string) (*Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("image: open: %w", err)
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("image: open %s: %w", name, err)
	}
	return &Image{size: st.Size(), file: f}, nil
}

// Content describes an image: its size, and what is in it that is not zero.
type Content struct {
	Size     int64
	Segments []Segment // no two overlap
}

// Segment is some bytes of an image.
type Segment struct {
	Offset int64
	Bytes  []byte
}

// bytes is the content in memory.
func (c Content) bytes() []byte {
	b := make([]byte, c.Size)
	for _, s := range c.Segments {
		copy(b[s.Offset:], s.Bytes)
	}
	return b
}

// Write writes content to a file that appears under its name only when it is whole.
func Write(name string, content Content) error {
	return Replace(name, content.writeTo)
}

// Replace makes or replaces a file of mode 0600 with what fill writes: the old content, or none, stays until the new one is complete.
func Replace(name string, fill func(*os.File) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return fmt.Errorf("image: write: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("image: write %s: %w", name, err)
		}
	}()
	if err = fill(f); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// writeTo makes an empty file the image. Pages of zeros, as most of a fresh heap is, are left out.
func (c Content) writeTo(f *os.File) error {
	if err := f.Truncate(c.Size); err != nil {
		return err
	}
	for _, s := range c.Segments {
		if err := s.writeTo(f); err != nil {
			return err
		}
	}
	return nil
}

func (s Segment) writeTo(f *os.File) error {
	for at := 0; at < len(s.Bytes); {
		end := at
		for end < len(s.Bytes) && !isZero(s.Bytes[end:min(end+pageSize, len(s.Bytes))]) {
			end = min(end+pageSize, len(s.Bytes))
		}
		if end > at {
			if _, err := f.WriteAt(s.Bytes[at:end], s.Offset+int64(at)); err != nil {
				return err
			}
		}
		at = end + pageSize // past the page of zeros that ended the run
	}
	return nil
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// Close lets the image go; memories made from it stay valid.
func (i *Image) Close() error {
	if i.file == nil {
		return nil
	}
	return i.file.Close()
}

// Memory is one guest's linear memory. It implements wazero's experimental.LinearMemory.
type Memory struct {
	image *Image
	limit int64 // bytes, never grown beyond
	buf   []byte
	peak  int64
	over  bool
	mapped

	// OnExceed, when set, is called when the guest asks for more than the limit. It may panic to end the guest.
	OnExceed func()
	// Account, when set, is what several memories together may take. It is set before the first Reallocate.
	Account Account
	taken   int64
}

// Account bounds memories together, in bytes.
type Account interface {
	Take(n int64) bool
	Give(n int64)
}

// NewMemory returns a memory that starts as the image and may grow to limit bytes.
func (i *Image) NewMemory(limit int64) *Memory { return &Memory{image: i, limit: limit} }

// Limit is the most that the memory may grow to, in bytes.
func (m *Memory) Limit() int64 { return m.limit }

// Peak is the most the memory has been, in bytes.
func (m *Memory) Peak() int64 { return m.peak }

// Exceeded reports whether the guest asked for more than the limit.
func (m *Memory) Exceeded() bool { return m.over }

// Reallocate grows the memory to size bytes, or to that of the image, which may be more than the module declares because
// its initialisation asked for more. It returns nil when that is more than the limit, or more than the system has.
func (m *Memory) Reallocate(size uint64) []byte {
	size = max(size, uint64(m.image.size))
	if size > uint64(m.limit) || !m.take(int64(size)) {
		m.over = true
		if m.OnExceed != nil {
			m.OnExceed()
		}
		return nil
	}
	buf := m.grow(int64(size))
	if buf == nil {
		return nil
	}
	m.buf = buf
	m.peak = max(m.peak, int64(size))
	return buf
}

// take charges the account for what size is more than before.
func (m *Memory) take(size int64) bool {
	if m.Account == nil || size <= m.taken {
		return true
	}
	if !m.Account.Take(size - m.taken) {
		return false
	}
	m.taken = size
	return true
}

// Free gives the memory back to the system; nothing may use it afterwards.
func (m *Memory) Free() {
	if m.Account != nil && m.taken > 0 {
		m.Account.Give(m.taken)
		m.taken = 0
	}
	m.unmap()
}
