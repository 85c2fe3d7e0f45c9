package wasi

import (
	"reflect"
	"sync/atomic"

	"openclaw/sandbox/internal/vfs"
)

// holders counts what has to be closed before a File is. The holders may be in several systems.
type holders struct{ n atomic.Int32 }

// release reports whether the last holder has gone.
func (h *holders) release() bool {
	if h == nil {
		return true
	}
	return h.n.Add(-1) == 0
}

// share makes d one holder more of the file that other has, if that is the same.
func (d *descriptor) share(other *descriptor) bool {
	if !reflect.TypeOf(d.file).Comparable() || d.file != other.file {
		return false
	}
	d.holders = other.hold()
	return true
}

// hold counts one holder more.
func (d *descriptor) hold() *holders {
	if d.holders == nil {
		d.holders = &holders{}
		d.holders.n.Store(1)
	}
	d.holders.n.Add(1)
	return d.holders
}

// close gives up the descriptor's share of its file.
func (d *descriptor) close() vfs.Errno {
	if d.file == nil || !d.holders.release() {
		return vfs.OK
	}
	return d.file.Close()
}

// Dup returns another handle of an open descriptor's file, with a position in
// common as dup(2) has. It serves /dev/fd, and hands files on to other programs.
func (s *System) Dup(fd int) (vfs.File, vfs.Errno) {
	d := s.given
	if fd != givenAsRoot || d == nil {
		if fd < 0 || fd >= len(s.table.slots) || s.table.slots[fd] == nil {
			return nil, vfs.EBADF
		}
		d = s.table.slots[fd]
	}
	if e := s.open(d); e != vfs.OK {
		return nil, e
	}
	// Of a handle another is made of the same file, not one of the handle: a guest that opens /dev/fd/N over and over
	// would otherwise build a chain, and each call through it would take as much of the host's stack.
	switch f := d.file.(type) {
	case *handle:
		return f.another(), vfs.OK
	case *streamHandle:
		return &streamHandle{handle: f.another(), Poller: f.Poller}, vfs.OK
	}
	h := &handle{File: d.file, holders: d.hold()}
	if d.stream != nil {
		return &streamHandle{handle: h, Poller: d.stream}, vfs.OK
	}
	return h, vfs.OK
}

// Files lists the numbers of the open descriptors.
func (s *System) Files() []int {
	var list []int
	for fd, d := range s.table.slots {
		if d != nil {
			list = append(list, fd)
		}
	}
	return list
}

// handle is a further handle of a file.
type handle struct {
	vfs.File
	holders *holders
	closed  bool
}

func (h *handle) another() *handle {
	h.holders.n.Add(1)
	return &handle{File: h.File, holders: h.holders}
}

func (h *handle) Close() vfs.Errno {
	if h.closed {
		return vfs.EBADF
	}
	h.closed = true
	if !h.holders.release() {
		return vfs.OK
	}
	return h.File.Close()
}

// streamHandle keeps a stream pollable.
type streamHandle struct {
	*handle
	vfs.Poller
}
