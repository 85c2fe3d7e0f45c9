package wasi

import "openclaw/sandbox/internal/vfs"

// Dup returns another handle of an open descriptor's file, with a position in common as dup(2) has. It serves /dev/fd.
func (s *System) Dup(fd int) (vfs.File, vfs.Errno) {
	if fd < 0 || fd >= len(s.table.slots) || s.table.slots[fd] == nil {
		return nil, vfs.EBADF
	}
	d := s.table.slots[fd]
	if e := s.open(d); e != vfs.OK {
		return nil, e
	}
	h, ok := d.file.(holder)
	if !ok {
		h = hold(d.file, new(int))
		d.file = h.another()
	}
	return h.another(), vfs.OK
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

// holder is a file with several handles; the last one that is closed closes it.
type holder interface {
	vfs.File
	another() vfs.File
}

func hold(f vfs.File, count *int) holder {
	h := held{File: f, count: count}
	if p, ok := f.(vfs.Poller); ok {
		return heldStream{held: h, Poller: p}
	}
	return h
}

type held struct {
	vfs.File
	count *int
}

func (h held) another() vfs.File {
	*h.count++
	return h
}

func (h held) Close() vfs.Errno {
	if *h.count--; *h.count > 0 {
		return vfs.OK
	}
	return h.File.Close()
}

// heldStream keeps a stream pollable.
type heldStream struct {
	held
	vfs.Poller
}

func (h heldStream) another() vfs.File {
	*h.count++
	return h
}
