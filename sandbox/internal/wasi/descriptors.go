package wasi

import "openclaw/sandbox/internal/vfs"

// The flags of a descriptor.
const (
	fdflagAppend uint16 = 1 << iota
	fdflagDsync
	fdflagNonblock
	fdflagRsync
	fdflagSync

	fdflagsAll = fdflagSync<<1 - 1
)

// descriptor is one open file.
type descriptor struct {
	file   vfs.File   // nil while a preopened directory has not been used as a file
	stream vfs.Poller // file, when its reads and writes can have to wait

	holders *holders // of file, when there is another besides this descriptor

	path    string // within the FS, for what is opened relative to it
	preopen string // the guest's name of a preopened directory, else empty
	open    bool   // paths may lead out of the directory, within the FS

	kind      vfs.FileType
	kindKnown bool

	// granted limits what the guest may do with the descriptor. What it was not
	// asked to narrow stays set, so the rights that count are granted ∩ kind.
	granted    uint64
	inheriting uint64
	flags      uint16

	entries []vfs.Dirent // the directory as fd_readdir last read it from the start
}

func newDescriptor(f vfs.File, granted, inheriting uint64, flags uint16) *descriptor {
	d := &descriptor{file: f, granted: granted, inheriting: inheriting, flags: flags}
	d.stream, _ = f.(vfs.Poller)
	return d
}

func (d *descriptor) nonblock() bool { return d.flags&fdflagNonblock != 0 }

// open makes sure that the descriptor has a file behind it.
func (s *System) open(d *descriptor) vfs.Errno {
	if d.file != nil {
		return vfs.OK
	}
	f, e := s.fs.Open(d.path, vfs.Read|vfs.Directory, 0)
	if e != vfs.OK {
		return e
	}
	d.file = f
	return vfs.OK
}

// typeOf asks for the type of a file once and remembers it.
func (s *System) typeOf(d *descriptor) (vfs.FileType, vfs.Errno) {
	if d.kindKnown {
		return d.kind, vfs.OK
	}
	st, e := d.file.Stat()
	if e != vfs.OK {
		return vfs.TypeUnknown, e
	}
	d.kind, d.kindKnown = st.Type, true
	return d.kind, vfs.OK
}

// rights are what a guest sees as the rights of a descriptor.
func (s *System) rights(d *descriptor) uint64 {
	kind, e := s.typeOf(d)
	if e != vfs.OK {
		return 0
	}
	return d.granted & rightsOf(kind, d.stream != nil)
}

// file returns an open descriptor that has a file and holds the right.
func (s *System) file(fd uint32, right uint64) (*descriptor, vfs.Errno) {
	d := s.table.get(fd)
	if d == nil {
		return nil, vfs.EBADF
	}
	if e := s.open(d); e != vfs.OK {
		return nil, e
	}
	if d.granted&right != right {
		return nil, missing(right)
	}
	return d, vfs.OK
}

// seekable returns a descriptor that is no directory, for the calls that make
// no sense on one.
func (s *System) seekable(fd uint32, right uint64) (*descriptor, vfs.Errno) {
	return s.either(fd, right, false, vfs.EISDIR)
}

// directory returns an open directory that holds the right.
func (s *System) directory(fd uint32, right uint64) (*descriptor, vfs.Errno) {
	return s.either(fd, right, true, vfs.ENOTDIR)
}

// either returns an open descriptor that is a directory, or is none, and holds the right. other is the answer to one of
// the other kind.
func (s *System) either(fd uint32, right uint64, directory bool, other vfs.Errno) (*descriptor, vfs.Errno) {
	d := s.table.get(fd)
	if d == nil {
		return nil, vfs.EBADF
	}
	kind, e := s.typeOf(d)
	if e != vfs.OK {
		return nil, e
	}
	if (kind == vfs.TypeDirectory) != directory {
		return nil, other
	}
	if d.granted&right != right {
		return nil, missing(right)
	}
	return d, vfs.OK
}

// missing is the answer to a call that its descriptor has no right to. Programs
// know what POSIX says to reading a file that was opened for writing.
func missing(right uint64) vfs.Errno {
	if right&(rightFDRead|rightFDWrite) != 0 {
		return vfs.EBADF
	}
	return vfs.ENOTCAPABLE
}

// table maps descriptor numbers to open files. New ones get the lowest free number.
type table struct {
	slots []*descriptor
	free  int // no slot below it is free
	limit int
}

func (t *table) get(fd uint32) *descriptor {
	if uint64(fd) >= uint64(len(t.slots)) {
		return nil
	}
	return t.slots[fd]
}

// full reports whether put would fail.
func (t *table) full() bool {
	for t.free < len(t.slots) && t.slots[t.free] != nil {
		t.free++
	}
	return t.free >= t.limit
}

func (t *table) put(d *descriptor) (uint32, bool) {
	if t.full() {
		return 0, false
	}
	fd := t.free
	if fd == len(t.slots) {
		t.slots = append(t.slots, nil)
	}
	t.slots[fd] = d
	t.free++
	return uint32(fd), true
}

// drop closes an open descriptor and frees its number.
func (t *table) drop(fd uint32) vfs.Errno {
	d := t.slots[fd]
	t.slots[fd] = nil
	t.free = min(t.free, int(fd))
	return d.close()
}

// renumber moves the file at from to the number to, closing what was there.
func (t *table) renumber(from, to uint32) vfs.Errno {
	if t.get(from) == nil || t.get(to) == nil {
		return vfs.EBADF
	}
	if from == to {
		return vfs.OK
	}
	d := t.slots[from]
	t.slots[from] = nil
	e := t.drop(to)
	t.slots[to] = d
	t.free = min(t.free, int(from))
	return e
}
