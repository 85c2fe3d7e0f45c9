package tools

import (
	"errors"
	"io"
	"sync"
)

// maxInput bounds what waits in a command's standard input.
const maxInput = 1 << 20

// Errors of writing to a command.
var (
	errInputClosed = errors.New("its standard input is closed")
	errInputFull   = errors.New("it does not read its standard input, which is full")
)

// input is the standard input of a command: a pipe that never makes the writer wait.
type input struct {
	mu     sync.Mutex
	filled *sync.Cond
	buf    []byte
	closed bool
}

func newInput() *input {
	in := &input{}
	in.filled = sync.NewCond(&in.mu)
	return in
}

// Read implements io.Reader. It waits for something to be there, or for the end.
func (in *input) Read(b []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.buf) == 0 && !in.closed {
		in.filled.Wait()
	}
	if len(in.buf) == 0 {
		return 0, io.EOF
	}
	n := copy(b, in.buf)
	in.buf = in.buf[n:]
	return n, nil
}

// write adds all of b or nothing.
func (in *input) write(b []byte) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.closed:
		return errInputClosed
	case len(in.buf)+len(b) > maxInput:
		return errInputFull
	}
	in.buf = append(in.buf, b...)
	in.filled.Signal()
	return nil
}

// close is the end of the input: what is in it is still read.
func (in *input) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
	in.filled.Broadcast()
}

// open tells whether more can be written.
func (in *input) open() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return !in.closed
}
