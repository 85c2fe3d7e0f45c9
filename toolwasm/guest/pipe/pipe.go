// Package pipe provides the in-process pipe that connects the commands of a pipeline.
//
// It behaves as a POSIX pipe does: writes block while the buffer is full, reads block while it
// is empty, the reader sees end of file after the last writer has closed, and a write
// without a reader fails with [ErrBroken].
package pipe

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Capacity is how many bytes a pipe holds before its writer waits, as on Linux.
const Capacity = 64 << 10

// ErrBroken reports a write to a pipe that nobody can read any more (EPIPE).
var ErrBroken = errors.New("pipe: write: broken pipe")

// pipe is the state that both ends share. The buffer is a ring that grows up to Capacity, so
// that the many pipes which carry a line or two stay small.
type pipe struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced when a waiter exists and the state moves on
	waiting int
	buf     []byte
	start   int
	n       int
	readers int
	writers int
}

// Reader is the reading end of a pipe.
type Reader struct {
	p    *pipe
	once sync.Once
}

// Writer is the writing end of a pipe.
type Writer struct {
	p    *pipe
	once sync.Once
}

// New returns the two ends of a new pipe.
func New() (*Reader, *Writer) {
	p := &pipe{readers: 1, writers: 1, changed: make(chan struct{})}
	return &Reader{p: p}, &Writer{p: p}
}

// Dup returns another reading end; the pipe breaks when all are closed.
func (r *Reader) Dup() *Reader {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.p.readers++
	return &Reader{p: r.p}
}

// Dup returns another writing end; the reader sees the end of file when all are closed.
func (w *Writer) Dup() *Writer {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	w.p.writers++
	return &Writer{p: w.p}
}

// wake lets every waiter look again. The caller holds mu.
func (p *pipe) wake() {
	if p.waiting == 0 {
		return
	}
	p.waiting = 0
	close(p.changed)
	p.changed = make(chan struct{})
}

// wait releases mu until the state changes or ctx is done, and takes mu again.
func (p *pipe) wait(ctx context.Context) error {
	p.waiting++
	c := p.changed
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Read reads what is there, waiting for the first byte.
func (r *Reader) Read(b []byte) (int, error) { return r.ReadContext(context.Background(), b) }

// ReadContext is Read that gives up with ctx's cause when ctx is done.
func (r *Reader) ReadContext(ctx context.Context, b []byte) (int, error) {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if ready, err := p.await(ctx, len(b)); !ready {
		return 0, err
	}
	n := 0
	for n < len(b) && p.n > 0 {
		n += p.take(b[n:], p.contiguous())
	}
	p.wake()
	return n, nil
}

// await waits for the first byte for a read of size bytes. It is not ready when there is nothing to be read. The caller
// holds mu.
func (p *pipe) await(ctx context.Context, size int) (ready bool, err error) {
	for p.n == 0 {
		if size == 0 {
			return false, nil
		}
		if p.writers == 0 {
			return false, io.EOF
		}
		if err := p.wait(ctx); err != nil {
			return false, err
		}
	}
	return true, nil
}

// contiguous is what the buffer holds up to its end.
func (p *pipe) contiguous() []byte { return p.buf[p.start:min(p.start+p.n, len(p.buf))] }

// take moves as much as b has room for from the beginning of part, which is some of the front of the buffer.
func (p *pipe) take(b, part []byte) int {
	n := copy(b, part)
	p.n -= n
	p.start += n
	if p.start == len(p.buf) || p.n == 0 {
		p.start = 0
	}
	return n
}

// Buffered returns how many bytes can be read without waiting, and whether a read would not wait at all.
func (r *Reader) Buffered() (n int, ready bool) {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	return r.p.n, r.p.n > 0 || r.p.writers == 0
}

// Close gives up the reading end. It is idempotent.
func (r *Reader) Close() error {
	r.once.Do(func() {
		r.p.mu.Lock()
		defer r.p.mu.Unlock()
		r.p.readers--
		r.p.wake()
	})
	return nil
}

// Write writes all of b, waiting for room.
func (w *Writer) Write(b []byte) (int, error) { return w.WriteContext(context.Background(), b) }

// WriteContext is Write that gives up with ctx's cause when ctx is done.
func (w *Writer) WriteContext(ctx context.Context, b []byte) (int, error) {
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for n < len(b) {
		if p.readers == 0 {
			return n, ErrBroken
		}
		if p.n == Capacity {
			if err := p.wait(ctx); err != nil {
				return n, err
			}
			continue
		}
		p.grow(len(b) - n)
		n += p.put(b[n:])
		p.wake()
	}
	if n == 0 && p.readers == 0 {
		return 0, ErrBroken
	}
	return n, nil
}

// grow makes room for want more bytes, up to Capacity in all.
func (p *pipe) grow(want int) {
	const smallest = 512
	need := min(p.n+want, Capacity)
	if need <= len(p.buf) {
		return
	}
	size := max(len(p.buf), smallest)
	for size < need {
		size *= 2
	}
	buf := make([]byte, min(size, Capacity))
	k := copy(buf, p.contiguous())
	copy(buf[k:], p.buf[:p.n-k])
	p.buf, p.start = buf, 0
}

// put copies as much of b as there is room for.
func (p *pipe) put(b []byte) int {
	n := 0
	for n < len(b) && p.n < len(p.buf) {
		at := (p.start + p.n) % len(p.buf)
		end := len(p.buf)
		if at < p.start {
			end = p.start
		}
		k := copy(p.buf[at:end], b[n:])
		n += k
		p.n += k
	}
	return n
}

// Close gives up the writing end. It is idempotent.
func (w *Writer) Close() error {
	w.once.Do(func() {
		w.p.mu.Lock()
		defer w.p.mu.Unlock()
		w.p.writers--
		w.p.wake()
	})
	return nil
}
