package stream

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"time"
)

// Interruptible makes a writer whose Write returns once ctx is done, even if
// w's own does not: the deadline of a call holds against a reader at the other
// end that has stopped reading. It is for one goroutine at a time.
//
// Writers that never wait are used directly. For any other a goroutine does the
// writing, started by the first Write and ended by Close, or, when ctx ended a
// Write, by w's Write returning, for which Close waits a little: a writer that is
// only slow is not in use any more afterwards. Nothing is written after Write has
// returned but what it was given. Close does not close w.
func Interruptible(ctx context.Context, w io.Writer) io.WriteCloser {
	if w == nil || neverWaits(w) {
		return direct{w}
	}
	return &interruptible{ctx: ctx, w: w}
}

// neverWaits reports whether writes to w only touch memory or a disk.
func neverWaits(w io.Writer) bool {
	if w == io.Discard {
		return true
	}
	switch w := w.(type) {
	case *bytes.Buffer, *strings.Builder:
		return true
	case *os.File:
		st, err := w.Stat()
		return err == nil && st.Mode().IsRegular()
	}
	return false
}

// direct is a writer that needs no help.
type direct struct{ w io.Writer }

func (d direct) Write(p []byte) (int, error) {
	if d.w == nil {
		return len(p), nil
	}
	return d.w.Write(p)
}

func (direct) Close() error { return nil }

type interruptible struct {
	ctx     context.Context
	w       io.Writer
	buf     []byte // what is being written: p itself may be gone before w has done with it
	pieces  chan []byte
	results chan written
	pending bool // ctx ended a Write before w's own returned
	closed  bool
}

// closeGrace is how long Close waits for a Write that nobody else waits for any more.
const closeGrace = 50 * time.Millisecond

type written struct {
	n   int
	err error
}

func (i *interruptible) Write(p []byte) (int, error) {
	total := 0
	for total < len(p) {
		n, err := i.some(p[total:])
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func (i *interruptible) some(p []byte) (int, error) {
	if i.closed {
		return 0, io.ErrClosedPipe
	}
	if i.ctx.Err() != nil {
		return 0, context.Cause(i.ctx)
	}
	if i.pieces == nil {
		i.pieces, i.results = make(chan []byte, 1), make(chan written, 1)
		go pump(i.w, i.pieces, i.results)
	}
	i.buf = append(i.buf[:0], p[:min(len(p), Capacity)]...)
	i.pieces <- i.buf
	select {
	case r := <-i.results:
		if r.err == nil && r.n < len(i.buf) {
			r.err = io.ErrShortWrite
		}
		return r.n, r.err
	case <-i.ctx.Done():
		i.pending = true
		return 0, context.Cause(i.ctx)
	}
}

func pump(w io.Writer, pieces <-chan []byte, results chan<- written) {
	for p := range pieces {
		n, err := w.Write(p)
		results <- written{n, err}
	}
}

func (i *interruptible) Close() error {
	if i.closed || i.pieces == nil {
		i.closed = true
		return nil
	}
	i.closed = true
	close(i.pieces)
	if i.pending {
		select {
		case <-i.results:
		case <-time.After(closeGrace):
		}
	}
	return nil
}
