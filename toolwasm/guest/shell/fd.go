package shell

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/sys"
)

// file is an open file description: descriptors of any number of shells refer to it, and it is closed when the last
// one is.
type file struct {
	stream command.Stream
	refs   *atomic.Int32 // nil for a stream that belongs to somebody else
	// ahead is what has been read of a seekable file and not been used. Only the read builtin leaves
	// something here, and gives it back (sync) before anybody else reads.
	ahead []byte
	seeks bool
	probe bool // seeks is known
}

func borrowedFile(s command.Stream) *file { return &file{stream: s} }

func ownedFile(s command.Stream) *file {
	f := &file{stream: s, refs: &atomic.Int32{}}
	f.refs.Store(1)
	return f
}

// ref makes another descriptor refer to the file.
func (f *file) ref() *file {
	if f == nil {
		return nil
	}
	if f.refs != nil {
		f.refs.Add(1)
	}
	f.sync()
	return f
}

// unref drops a reference.
func (f *file) unref() {
	if f == nil || f.refs == nil || f.refs.Add(-1) != 0 {
		return
	}
	if c, ok := f.stream.(io.Closer); ok {
		_ = c.Close()
	}
}

// sync moves the offset of a file back to where the shell's reader has come.
func (f *file) sync() {
	if len(f.ahead) == 0 {
		return
	}
	if s, ok := f.stream.(io.Seeker); ok {
		_, _ = s.Seek(int64(-len(f.ahead)), io.SeekCurrent)
	}
	f.ahead = nil
}

// seekable reports whether what is read too much can be given back.
func (f *file) seekable() bool {
	if f.probe {
		return f.seeks
	}
	f.probe = true
	switch s := f.stream.(type) {
	case *os.File:
		info, err := sys.Fstat(s)
		if err == nil && info.IsRegular() {
			_, err = s.Seek(0, io.SeekCurrent)
			f.seeks = err == nil
		}
	case *text:
		f.seeks = true
	}
	return f.seeks
}

// fd returns the file of a descriptor, nil when it is not open.
func (sh *Shell) fd(n int) *file {
	if n < 0 || n >= len(sh.fds) {
		return nil
	}
	return sh.fds[n]
}

// setFD makes a descriptor refer to a file, whose reference it takes over, and returns what it referred to.
func (sh *Shell) setFD(n int, f *file) *file {
	for n >= len(sh.fds) {
		if f == nil {
			return nil
		}
		sh.fds = append(sh.fds, nil)
	}
	old := sh.fds[n]
	sh.fds[n] = f
	return old
}

// freeFD returns the lowest unused descriptor from a number on.
func (sh *Shell) freeFD(from int) int {
	for from < len(sh.fds) && sh.fds[from] != nil {
		from++
	}
	return from
}

// closeFDs drops all descriptors when a shell ends.
func (sh *Shell) closeFDs() {
	for i, f := range sh.fds {
		f.syncUnref()
		sh.fds[i] = nil
	}
}

func (f *file) syncUnref() {
	if f != nil {
		f.sync()
		f.unref()
	}
}

// writer returns the stream of a descriptor that can be written, nil otherwise.
func (sh *Shell) writer(n int) io.Writer {
	f := sh.fd(n)
	if f == nil {
		return nil
	}
	w, _ := f.stream.(io.Writer)
	return w
}

// reader returns the stream of a descriptor for a command, nil when it cannot be read.
func (sh *Shell) reader(n int) io.Reader {
	f := sh.fd(n)
	if f == nil {
		return nil
	}
	f.sync()
	r, _ := f.stream.(io.Reader)
	return r
}

// closedStream is what a command gets for a descriptor that is closed.
type closedStream struct{}

func (closedStream) Read([]byte) (int, error)  { return 0, syscall.EBADF }
func (closedStream) Write([]byte) (int, error) { return 0, syscall.EBADF }

// text is a here-document: a file that exists in memory alone.
type text struct {
	s   string
	pos int
}

func (t *text) Read(b []byte) (int, error) {
	if t.pos >= len(t.s) {
		return 0, io.EOF
	}
	n := copy(b, t.s[t.pos:])
	t.pos += n
	return n, nil
}

func (t *text) Seek(off int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		off += int64(t.pos)
	case io.SeekEnd:
		off += int64(len(t.s))
	}
	if off < 0 {
		return 0, syscall.EINVAL
	}
	t.pos = int(min(off, int64(len(t.s))))
	return off, nil
}

// capture collects the output of a command substitution.
type capture struct {
	mu   sync.Mutex
	buf  []byte
	full bool
	done chan struct{}
}

func (c *capture) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.buf)+len(b) > maxValue {
		c.full = true
		return 0, pipe.ErrBroken // what writes ends as if nobody read it
	}
	c.buf = append(c.buf, b...)
	return len(b), nil
}

// text returns what has been written, without trailing newlines; nothing is written any more.
func (c *capture) text() string {
	n := len(c.buf)
	for n > 0 && c.buf[n-1] == '\n' {
		n--
	}
	return unsafe.String(unsafe.SliceData(c.buf), n)
}

// Close tells that no descriptor refers to the capture any more.
func (c *capture) Close() error {
	close(c.done)
	return nil
}

type contextReader interface {
	ReadContext(context.Context, []byte) (int, error)
}

// readFrom reads with the shell's context.
func (sh *Shell) readFrom(r io.Reader, b []byte) (int, error) {
	if cr, ok := r.(contextReader); ok {
		return cr.ReadContext(sh.ctx, b)
	}
	return r.Read(b)
}

// lineReader is the part of a pipe that reads no further than a delimiter.
type lineReader interface {
	ReadThrough(ctx context.Context, b []byte, delim byte) (int, error)
}

var _ lineReader = (*pipe.Reader)(nil)

// errValueTooLarge tells that input does not fit into a variable.
var errValueTooLarge = fmt.Errorf("shell: read value: exceeds %d bytes", maxValue)

// readValue is readThrough for what becomes a value: more than fits is an error, never cut off.
func (sh *Shell) readValue(dst []byte, f *file, delim byte) ([]byte, error) {
	dst, err := sh.readThrough(dst, f, delim, maxValue+1-len(dst))
	if len(dst) > maxValue {
		return nil, errValueTooLarge
	}
	return dst, err
}

// readThrough reads from a descriptor up to and including delim, never further, at most limit bytes. It returns
// io.EOF with what there was before the end.
func (sh *Shell) readThrough(dst []byte, f *file, delim byte, limit int) ([]byte, error) {
	const chunk = 8192
	r, ok := f.stream.(io.Reader)
	if !ok {
		return dst, syscall.EBADF
	}
	if f.seekable() {
		return sh.readAhead(dst, f, r, delim, limit)
	}
	if lr, ok := r.(lineReader); ok {
		var b [chunk]byte
		for limit > 0 {
			n, err := lr.ReadThrough(sh.ctx, b[:min(chunk, limit)], delim)
			dst = append(dst, b[:n]...)
			limit -= n
			if err != nil || n > 0 && b[n-1] == delim {
				return dst, err
			}
		}
		return dst, nil
	}
	var b [1]byte
	for limit > 0 {
		n, err := sh.readFrom(r, b[:])
		if n == 1 {
			dst = append(dst, b[0])
			limit--
			if b[0] == delim {
				return dst, nil
			}
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// readAhead is readThrough for a file whose offset can be set back.
func (sh *Shell) readAhead(dst []byte, f *file, r io.Reader, delim byte, limit int) ([]byte, error) {
	const chunk = 8192
	for limit > 0 {
		if len(f.ahead) == 0 {
			buf := make([]byte, chunk)
			n, err := r.Read(buf)
			if n == 0 {
				if err == nil {
					err = io.EOF
				}
				return dst, err
			}
			f.ahead = buf[:n]
		}
		n := bytes.IndexByte(f.ahead, delim) + 1
		found := n > 0
		if !found {
			n = len(f.ahead)
		}
		if n > limit {
			n, found = limit, false
		}
		dst = append(dst, f.ahead[:n]...)
		f.ahead = f.ahead[n:]
		limit -= n
		if found {
			return dst, nil
		}
	}
	return dst, nil
}
