package wasi

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
)

// The bounds on what a guest may ask for when it starts programs.
const (
	// MaxRequest is the most bytes in a request to start a program: name, directory, arguments and environment.
	MaxRequest = 4 << 20
	// MaxStrings is the most arguments, and the most variables, that a program can be given.
	MaxStrings = 1 << 17
	// MaxGiven is the most descriptors that a program can be given, and the first number that none of them can have.
	MaxGiven = 256

	// StatusBytes is how much a process descriptor holds once its program has ended.
	StatusBytes = 4
	maxSignal   = 64
)

// Programs starts other programs for a guest.
type Programs interface {
	// Names lists the programs that can be started.
	Names() []ProgramName
	// Spawn starts a program, which takes over the files of the request: they are closed when it fails, too.
	Spawn(ctx context.Context, request Request) (Process, vfs.Errno)
	// Pipe makes a pipe; EMFILE when the guest may have no more.
	Pipe(onDemand bool) (*stream.Pipe, vfs.Errno)
}

// ProgramName is a program as a guest sees it.
type ProgramName struct {
	Name string
	// First tells that the program goes before a command of the guest's own that has the same name.
	First bool
}

// Request says what to start, and how.
type Request struct {
	Program   string
	Dir       string
	Args, Env []string
	Umask     uint32
	Files     []Given
}

// Process is a program that has been started, as a file: a stream that stays empty while the program runs, holds StatusBytes
// afterwards (its exit status, little-endian), and then ends. Closing it kills the program.
type Process interface {
	vfs.File
	vfs.Poller
	// Kill ends the program as a signal of that number would.
	Kill(signal uint32)
}

// Given is an open file that one guest hands on to another, under a number of its own there.
type Given struct {
	FD      int
	file    vfs.File
	path    string
	granted uint64
}

// CloseGiven closes files that nobody took over.
func CloseGiven(list []Given) {
	for _, g := range list {
		g.file.Close()
	}
}

// rootFD is where the first preopened directory has to be: guests look for it there.
const rootFD = 3

// givenAsRoot is the one number that a given file cannot have in the table, as the root directory has it: such a file is reached
// by its name in /dev/fd.
const givenAsRoot = rootFD

// take makes the files that the guest is given its own.
func (s *System) take(list []Given, flags uint16) {
	for _, g := range list {
		d := newDescriptor(g.file, g.granted, 0, flags)
		d.path = g.path
		if g.FD == givenAsRoot {
			s.given = d
			continue
		}
		s.table.set(g.FD, d)
	}
}

// set puts a descriptor under a number that is free.
func (t *table) set(fd int, d *descriptor) {
	if fd >= len(t.slots) {
		t.slots = slices.Grow(t.slots, fd+1-len(t.slots))[:fd+1]
	}
	t.slots[fd] = d
}

func extPrograms(s *System, m memory, a args) vfs.Errno {
	if s.programs == nil {
		return m.putU32(a.u32(2), 0)
	}
	var list []byte
	for _, p := range s.programs.Names() {
		flag := byte('-')
		if p.First {
			flag = '+'
		}
		list = append(append(append(list, flag), p.Name...), 0)
	}
	buf, ok := m.bytes(a.u32(0), a.u32(1))
	if !ok {
		return vfs.EFAULT
	}
	if len(list) <= len(buf) {
		copy(buf, list)
	}
	return m.putU32(a.u32(2), uint32(len(list)))
}

const pipeOnDemand = 1

func extPipe(s *System, m memory, a args) vfs.Errno {
	flags := a.u32(0)
	if flags&^pipeOnDemand != 0 {
		return vfs.EINVAL
	}
	const twoDescriptors = 8
	out, ok := m.bytes(a.u32(1), twoDescriptors)
	if !ok {
		return vfs.EFAULT
	}
	if s.programs == nil {
		return vfs.ENOSYS
	}
	pipe, e := s.programs.Pipe(flags&pipeOnDemand != 0)
	if e != vfs.OK {
		return e
	}
	ends := [2]vfs.File{pipe.ReadEnd(), pipe.WriteEnd()}
	granted := [2]uint64{rightsAll &^ rightFDWrite, rightsAll &^ rightFDRead}
	for i, f := range ends {
		fd, ok := s.table.put(newDescriptor(f, granted[i], 0, fdflagNonblock))
		if !ok {
			if i == 1 {
				_ = s.table.drop(binary.LittleEndian.Uint32(out))
			}
			ends[0].Close()
			ends[1].Close()
			return vfs.EMFILE
		}
		binary.LittleEndian.PutUint32(out[4*i:], fd)
	}
	return vfs.OK
}

func extSpawn(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	if a.u32(1) > MaxRequest {
		return vfs.E2BIG, nil
	}
	text, ok := m.bytes(a.u32(0), a.u32(1))
	if !ok {
		return vfs.EFAULT, nil
	}
	if _, ok := m.bytes(a.u32(2), 4); !ok {
		return vfs.EFAULT, nil
	}
	if s.programs == nil {
		return vfs.ENOSYS, nil
	}
	if s.table.full() {
		return vfs.EMFILE, nil
	}
	request, e := s.request(text)
	if e != vfs.OK {
		return e, nil
	}
	process, e := s.programs.Spawn(ctx, request)
	if e != vfs.OK {
		return e, nil
	}
	fd, ok := s.table.put(newDescriptor(process, rightsAll&^rightFDWrite, 0, fdflagNonblock))
	if !ok {
		process.Close()
		return vfs.EMFILE, nil
	}
	return m.putU32(a.u32(2), fd), nil
}

// requestHeader is the fixed part of a request: six numbers.
const (
	requestHeader = 24
	requestFile   = 8 // a descriptor: its number in the program, and in the guest
)

// request reads what a guest asks for. The length of the text bounds everything in it.
func (s *System) request(text []byte) (r Request, e vfs.Errno) {
	if len(text) < requestHeader {
		return r, vfs.EINVAL
	}
	var n [requestHeader / 4]uint32
	for i := range n {
		n[i] = binary.LittleEndian.Uint32(text[4*i:])
	}
	rest := text[requestHeader:]
	umask, nameLen, dirLen, argCount, envCount, fileCount := n[0], n[1], n[2], n[3], n[4], n[5]
	if umask&^0o777 != 0 || fileCount > MaxGiven || uint64(fileCount)*requestFile > uint64(len(rest)) {
		return r, vfs.EINVAL
	}
	files, rest := rest[:fileCount*requestFile], rest[fileCount*requestFile:]
	if uint64(nameLen)+uint64(dirLen) > uint64(len(rest)) {
		return r, vfs.EINVAL
	}
	r = Request{Umask: umask, Program: string(rest[:nameLen]), Dir: string(rest[nameLen : nameLen+dirLen])}
	rest = rest[nameLen+dirLen:]
	if argCount > MaxStrings || envCount > MaxStrings {
		return r, vfs.E2BIG
	}
	if uint64(argCount)+uint64(envCount) > uint64(len(rest)) { // each takes a byte at least
		return r, vfs.EINVAL
	}
	var ok bool
	if r.Args, rest, ok = cutStrings(rest, argCount); !ok {
		return r, vfs.EINVAL
	}
	if r.Env, rest, ok = cutStrings(rest, envCount); !ok || len(rest) > 0 {
		return r, vfs.EINVAL
	}
	r.Files, e = s.give(files)
	return r, e
}

// cutStrings takes NUL-terminated strings off the front of b.
func cutStrings(b []byte, count uint32) (list []string, rest []byte, ok bool) {
	list = make([]string, 0, count)
	for range count {
		text, after, found := bytes.Cut(b, []byte{0})
		if !found {
			return nil, nil, false
		}
		list, b = append(list, string(text)), after
	}
	return list, b, true
}

// give opens further handles of the descriptors that a request lists.
func (s *System) give(files []byte) (list []Given, e vfs.Errno) {
	seen := map[uint32]bool{}
	for ; len(files) > 0; files = files[requestFile:] {
		there, here := binary.LittleEndian.Uint32(files), binary.LittleEndian.Uint32(files[4:])
		d := s.table.get(here)
		switch {
		case d == nil:
			e = vfs.EBADF
		case there >= MaxGiven || seen[there]:
			e = vfs.EINVAL
		}
		if e != vfs.OK {
			break
		}
		seen[there] = true
		var f vfs.File
		if f, e = s.Dup(int(here)); e != vfs.OK {
			break
		}
		list = append(list, Given{FD: int(there), file: f, path: d.path, granted: d.granted})
	}
	if e != vfs.OK {
		CloseGiven(list)
		return nil, e
	}
	return list, vfs.OK
}

func extKill(s *System, _ memory, a args) vfs.Errno {
	d := s.table.get(a.u32(0))
	if d == nil {
		return vfs.EBADF
	}
	process, ok := d.file.(Process)
	if !ok {
		return vfs.ECHILD
	}
	if a.u32(1) == 0 || a.u32(1) > maxSignal {
		return vfs.EINVAL
	}
	process.Kill(a.u32(1))
	return vfs.OK
}

// Complain writes a message to the guest's standard error, as far as that can be done before ctx is done. It is for what the
// guest cannot say itself any more.
func (s *System) Complain(ctx context.Context, text string) {
	const stderr = 2
	d := s.table.get(stderr)
	if d == nil || d.file == nil {
		return
	}
	for b := []byte(text); len(b) > 0; {
		n, e := d.file.Write(b)
		b = b[n:]
		switch {
		case e == vfs.EAGAIN && d.stream != nil:
			if s.poll.waitFor(ctx, d.stream, vfs.Poller.Writable) != nil {
				return
			}
		case e != vfs.OK:
			return
		}
	}
}
