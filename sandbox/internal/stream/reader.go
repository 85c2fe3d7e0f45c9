package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"openclaw/sandbox/internal/vfs"
)

// pollAhead is how many bytes are asked for when a guest wants to know whether
// there is input before it has said how much it would read.
const pollAhead = 4 << 10

// Option adjusts an adapter.
type Option func(*options)

type options struct{ tty bool }

// TTY makes the guest see a terminal.
func TTY() Option { return func(o *options) { o.tty = true } }

func apply(list []Option) options {
	var o options
	for _, f := range list {
		f(&o)
	}
	return o
}

// FromReader makes a guest's stream of a host's reader. Bytes are taken from r
// only when the guest reads or polls, and never more than it asked for, so what
// it does not read is still there for others.
//
// A reader that can make its caller wait is read on a goroutine of its own,
// which the guest's first read starts. It ends when the stream is closed or ctx
// is done: at once when r has a working SetReadDeadline, else when the read it
// is in returns. Close does not close r.
func FromReader(ctx context.Context, r io.Reader, opts ...Option) vfs.File {
	o := apply(opts)
	if r == nil || prompt(r) {
		return &promptReader{r: r, tty: o.tty}
	}
	p := &pulledReader{r: r, tty: o.tty, asks: make(chan int, 1), quit: make(chan struct{}), ended: make(chan struct{})}
	p.detach = context.AfterFunc(ctx, p.shutdown)
	return p
}

// prompt reports whether reads of r never wait for anything.
func prompt(r io.Reader) bool {
	switch r := r.(type) {
	case *bytes.Reader, *strings.Reader, *bytes.Buffer:
		return true
	case *os.File:
		st, err := r.Stat()
		return err == nil && st.Mode().IsRegular()
	}
	return false
}

// promptReader reads where the guest stands.
type promptReader struct {
	vfs.StreamBase
	r   io.Reader
	tty bool

	mu     sync.Mutex
	closed bool
}

func (p *promptReader) Stat() (vfs.Stat, vfs.Errno) { return stat(p.tty), vfs.OK }

func (p *promptReader) Read(b []byte) (int, vfs.Errno) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, vfs.EBADF
	}
	if p.r == nil || len(b) == 0 {
		return 0, vfs.OK
	}
	n, err := p.r.Read(b)
	if n == 0 && err != nil && !errors.Is(err, io.EOF) {
		return 0, errnoOf(err)
	}
	return n, vfs.OK
}

func (p *promptReader) Write([]byte) (int, vfs.Errno) { return 0, vfs.EBADF }

func (p *promptReader) Close() vfs.Errno {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return vfs.OK
}

// Readable tells how much is left where that is known for nothing.
func (p *promptReader) Readable() (bool, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sized, ok := p.r.(interface{ Len() int }); ok {
		return true, sized.Len()
	}
	return true, pollAhead
}

func (p *promptReader) Writable() (bool, int)         { return true, 0 }
func (p *promptReader) Notify(chan<- struct{}) func() { return func() {} }

// pulledReader reads on a goroutine, one read for each time the guest asked.
type pulledReader struct {
	vfs.StreamBase
	r      io.Reader
	tty    bool
	asks   chan int      // how many bytes to read next; at most one is under way
	quit   chan struct{} // closed by shutdown
	ended  chan struct{} // closed by the goroutine
	detach func() bool   // from the context

	mu          sync.Mutex
	buf         []byte // read and not yet taken
	want        int    // the guest's last request
	started     bool
	asked       bool
	closed      bool
	interrupted bool  // the deadline of r has been set
	err         error // why there is nothing more
	watchers    watchers

	store []byte // what buf lies in; only the goroutine changes it, while buf is empty
}

func (p *pulledReader) Stat() (vfs.Stat, vfs.Errno) { return stat(p.tty), vfs.OK }

func (p *pulledReader) Read(b []byte) (int, vfs.Errno) {
	if len(b) == 0 {
		return 0, vfs.OK
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return 0, vfs.EBADF
	case len(p.buf) > 0:
		n := copy(b, p.buf)
		p.buf = p.buf[n:]
		return n, vfs.OK
	case errors.Is(p.err, io.EOF):
		if p.tty {
			p.err = nil // a terminal can be read again after an end of file
		}
		return 0, vfs.OK
	case p.err != nil:
		return 0, errnoOf(p.err)
	}
	p.want = min(len(b), Capacity)
	p.ask()
	return 0, vfs.EAGAIN
}

// ask has the goroutine read once more. The lock is held.
func (p *pulledReader) ask() {
	if p.asked {
		return
	}
	if !p.started {
		p.started = true
		go p.pull()
	}
	if p.want == 0 {
		p.want = pollAhead
	}
	p.asked = true
	p.asks <- p.want
}

func (p *pulledReader) pull() {
	defer close(p.ended)
	for {
		select {
		case n := <-p.asks:
			p.readOnce(n)
		case <-p.quit:
			p.restore()
			return
		}
	}
}

func (p *pulledReader) readOnce(want int) {
	if cap(p.store) < want {
		p.store = make([]byte, want)
	}
	n, err := p.r.Read(p.store[:want])
	p.mu.Lock()
	p.buf, p.asked = p.store[:n], false
	if err != nil {
		p.err = err
	}
	p.mu.Unlock()
	p.watchers.notify()
}

// restore takes away the deadline that ended the last read.
func (p *pulledReader) restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.interrupted {
		p.setDeadline(time.Time{})
	}
}

func (p *pulledReader) setDeadline(t time.Time) bool {
	d, ok := p.r.(interface{ SetReadDeadline(time.Time) error })
	return ok && d.SetReadDeadline(t) == nil
}

func (p *pulledReader) Write([]byte) (int, vfs.Errno) { return 0, vfs.EBADF }

// shutdown ends the goroutine as soon as that is possible.
func (p *pulledReader) shutdown() {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	if p.asked {
		p.interrupted = p.setDeadline(time.Unix(1, 0))
	}
	close(p.quit)
	p.mu.Unlock()
	p.watchers.notify()
}

// Close waits for the goroutine unless that is in a read that cannot be interrupted.
func (p *pulledReader) Close() vfs.Errno {
	p.detach()
	p.shutdown()
	p.mu.Lock()
	wait := p.started && (p.interrupted || !p.asked)
	p.mu.Unlock()
	if wait {
		<-p.ended
	}
	return vfs.OK
}

func (p *pulledReader) Readable() (bool, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.buf) > 0 || p.err != nil || p.closed {
		return true, len(p.buf)
	}
	p.ask()
	return false, 0
}

func (p *pulledReader) Writable() (bool, int)                  { return true, 0 }
func (p *pulledReader) Notify(c chan<- struct{}) (stop func()) { return p.watchers.add(c) }
