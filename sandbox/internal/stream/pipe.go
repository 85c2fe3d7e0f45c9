package stream

import (
	"io"
	"sync"

	"openclaw/sandbox/internal/vfs"
)

// Pipe is a bounded pipe in memory. Each of its two ends can be used from a
// guest or from the host; closing an end from either side closes it for both.
type Pipe struct {
	mu        sync.Mutex
	changed   sync.Cond // for the host's side; the guest's has watchers
	capacity  int
	ring      []byte // allocated by the first write
	head, len int
	noReader  bool
	noWriter  bool
	watchers  watchers

	onDemand bool
	wanted   int // with onDemand: how many bytes a reader waits for
	onClosed func()
}

// NewPipe makes an empty pipe with both ends open.
func NewPipe() *Pipe { return newPipe(Capacity) }

// NewSmallPipe makes a pipe that holds no more than capacity bytes.
func NewSmallPipe(capacity int) *Pipe { return newPipe(min(max(capacity, 1), Capacity)) }

// NewDemandPipe makes a pipe that takes bytes only while a reader waits for them, and no more than it asked for: what
// the reader does not ask for stays with the writer, who may give it to somebody else.
func NewDemandPipe() *Pipe {
	p := newPipe(Capacity)
	p.onDemand = true
	return p
}

func newPipe(capacity int) *Pipe {
	p := &Pipe{capacity: capacity}
	p.changed.L = &p.mu
	return p
}

// OnClosed has f called once both ends are closed. It is set before the pipe is used.
func (p *Pipe) OnClosed(f func()) { p.onClosed = f }

// room is how many bytes can be written now. The lock is held.
func (p *Pipe) room() int {
	if p.onDemand {
		return p.wanted
	}
	return p.capacity - p.len
}

// Atomic is the longest write that a guest's end takes whole or not at all, as PIPE_BUF says of a system's: what several
// write in pieces no longer than that does not mix. Of a longer one it takes multiples of that, so that a writer who waits for
// a reader has, most often, nothing of its last piece taken when the reader leaves.
const Atomic = 4096

// taken is how many of n bytes are taken now. The lock is held.
func (p *Pipe) taken(n int) int {
	room := p.room()
	if n <= room || !p.atomic() {
		return min(n, room)
	}
	return room - room%Atomic
}

// atomic reports whether the pipe has room for atomic writes at all.
func (p *Pipe) atomic() bool { return !p.onDemand && p.capacity > Atomic }

// want notes that a reader waits for n bytes, and reports whether that is news. The lock is held.
func (p *Pipe) want(n int) bool {
	if !p.onDemand || p.wanted > 0 {
		return false
	}
	p.wanted = min(n, p.capacity)
	return true
}

// ReadEnd is the end to give to a guest that reads. Its Read answers EAGAIN
// while the pipe is empty and 0 once the write end is closed too.
func (p *Pipe) ReadEnd() vfs.File { return &readEnd{p: p} }

// WriteEnd is the end to give to a guest that writes. Its Write takes what
// fits, answers EAGAIN when nothing does, and EPIPE once the read end is closed.
func (p *Pipe) WriteEnd() vfs.File { return &writeEnd{p: p} }

// Reader is the end for a host that reads.
func (p *Pipe) Reader() io.ReadCloser { return hostReader{p} }

// Writer is the end for a host that writes. It fails with io.ErrClosedPipe
// once either end is closed.
func (p *Pipe) Writer() io.WriteCloser { return hostWriter{p} }

// take moves bytes out of the ring. The lock is held.
func (p *Pipe) take(b []byte) int {
	total := 0
	for total < len(b) && p.len > 0 {
		n := copy(b[total:], p.ring[p.head:min(p.head+p.len, len(p.ring))])
		p.head = (p.head + n) % len(p.ring)
		p.len -= n
		total += n
	}
	if p.len == 0 {
		p.head = 0
	}
	return total
}

// give moves bytes into the ring. The lock is held.
func (p *Pipe) give(b []byte) int {
	if p.ring == nil {
		p.ring = make([]byte, p.capacity)
	}
	b = b[:min(len(b), p.room())]
	p.wanted = 0
	total := 0
	for total < len(b) && p.len < len(p.ring) {
		tail := (p.head + p.len) % len(p.ring)
		n := copy(p.ring[tail:min(tail+len(p.ring)-p.len, len(p.ring))], b[total:])
		p.len += n
		total += n
	}
	return total
}

// announce tells both sides that something changed. The lock is not held.
func (p *Pipe) announce() {
	p.changed.Broadcast()
	p.watchers.notify()
}

func (p *Pipe) closeReader() {
	p.mu.Lock()
	was := p.noReader
	p.noReader, p.ring, p.len, p.head = true, nil, 0, 0
	last := p.noWriter
	p.mu.Unlock()
	p.closed(was, last)
}

// closed tells that an end has been closed, unless it was before.
func (p *Pipe) closed(before, last bool) {
	if before {
		return
	}
	p.announce()
	if last && p.onClosed != nil {
		p.onClosed()
	}
}

func (p *Pipe) closeWriter() {
	p.mu.Lock()
	was := p.noWriter
	p.noWriter = true
	last := p.noReader
	p.mu.Unlock()
	p.closed(was, last)
}

type readEnd struct {
	vfs.StreamBase
	p *Pipe
}

func (r *readEnd) Stat() (vfs.Stat, vfs.Errno) { return stat(false), vfs.OK }

func (r *readEnd) Read(b []byte) (int, vfs.Errno) {
	p := r.p
	p.mu.Lock()
	if p.noReader {
		p.mu.Unlock()
		return 0, vfs.EBADF
	}
	n := p.take(b)
	ended := p.noWriter || len(b) == 0
	news := n == 0 && !ended && p.want(len(b))
	p.mu.Unlock()
	if n > 0 || news {
		p.announce()
	}
	if n > 0 || ended {
		return n, vfs.OK
	}
	return 0, vfs.EAGAIN
}

func (r *readEnd) Write([]byte) (int, vfs.Errno) { return 0, vfs.EBADF }

func (r *readEnd) Close() vfs.Errno {
	r.p.closeReader()
	return vfs.OK
}

func (r *readEnd) Readable() (bool, int) {
	p := r.p
	p.mu.Lock()
	ready, n := p.len > 0 || p.noWriter || p.noReader, p.len
	news := !ready && p.want(pollAhead)
	p.mu.Unlock()
	if news {
		p.announce()
	}
	return ready, n
}

func (r *readEnd) Writable() (bool, int)                  { return true, 0 }
func (r *readEnd) Notify(c chan<- struct{}) (stop func()) { return r.p.watchers.add(c) }

type writeEnd struct {
	vfs.StreamBase
	p *Pipe
}

func (w *writeEnd) Stat() (vfs.Stat, vfs.Errno)  { return stat(false), vfs.OK }
func (w *writeEnd) Read([]byte) (int, vfs.Errno) { return 0, vfs.EBADF }

func (w *writeEnd) Write(b []byte) (int, vfs.Errno) {
	p := w.p
	p.mu.Lock()
	if p.noWriter {
		p.mu.Unlock()
		return 0, vfs.EBADF
	}
	if p.noReader {
		p.mu.Unlock()
		return 0, vfs.EPIPE
	}
	n := 0
	if len(b) > 0 {
		n = p.give(b[:p.taken(len(b))])
	}
	p.mu.Unlock()
	if n > 0 {
		p.announce()
		return n, vfs.OK
	}
	if len(b) == 0 {
		return 0, vfs.OK
	}
	return 0, vfs.EAGAIN
}

func (w *writeEnd) Close() vfs.Errno {
	w.p.closeWriter()
	return vfs.OK
}

func (w *writeEnd) Readable() (bool, int) { return true, 0 }

func (w *writeEnd) Writable() (bool, int) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	if w.p.noReader || w.p.noWriter {
		return true, 0
	}
	room := w.p.room()
	if w.p.atomic() {
		return room >= Atomic, room
	}
	return room > 0, room
}

func (w *writeEnd) Notify(c chan<- struct{}) (stop func()) { return w.p.watchers.add(c) }

type hostReader struct{ p *Pipe }

func (r hostReader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	p := r.p
	p.mu.Lock()
	for p.len == 0 && !p.noWriter && !p.noReader {
		if p.want(len(b)) {
			p.watchers.notify()
		}
		p.changed.Wait()
	}
	closed := p.noReader
	n := p.take(b)
	p.mu.Unlock()
	switch {
	case closed:
		return 0, io.ErrClosedPipe
	case n == 0:
		return 0, io.EOF
	}
	p.announce()
	return n, nil
}

func (r hostReader) Close() error {
	r.p.closeReader()
	return nil
}

type hostWriter struct{ p *Pipe }

func (w hostWriter) Write(b []byte) (int, error) {
	total := 0
	for total < len(b) {
		n, err := w.some(b[total:])
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}

// some waits until at least one byte fits.
func (w hostWriter) some(b []byte) (int, error) {
	p := w.p
	p.mu.Lock()
	for p.room() == 0 && !p.noReader && !p.noWriter {
		p.changed.Wait()
	}
	if p.noReader || p.noWriter {
		p.mu.Unlock()
		return 0, io.ErrClosedPipe
	}
	n := p.give(b)
	p.mu.Unlock()
	p.announce()
	return n, nil
}

func (w hostWriter) Close() error {
	w.p.closeWriter()
	return nil
}
