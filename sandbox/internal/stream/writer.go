package stream

import (
	"io"
	"sync"

	"openclaw/sandbox/internal/vfs"
)

// Policy says what becomes of output beyond a limit.
type Policy uint8

const (
	// Discard takes the output and throws it away: the guest does not notice.
	Discard Policy = iota
	// Refuse answers EPIPE, as if the reader had gone.
	Refuse
)

// Limit bounds the output of one or more writers together. A nil Limit bounds nothing.
type Limit struct {
	policy  Policy
	reached func()

	mu   sync.Mutex
	left int64
	hit  bool
}

// NewLimit makes a limit of n bytes. reached, which may be nil, is called once,
// from the write that first does not fit.
func NewLimit(n int64, policy Policy, reached func()) *Limit {
	return &Limit{policy: policy, reached: reached, left: max(n, 0)}
}

// Reached reports whether some output did not fit.
func (l *Limit) Reached() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hit
}

// reserve says how many of n bytes may be written.
func (l *Limit) reserve(n int) int {
	if l == nil {
		return n
	}
	l.mu.Lock()
	granted := int(min(int64(n), l.left))
	l.left -= int64(granted)
	first := granted < n && !l.hit
	l.hit = l.hit || granted < n
	l.mu.Unlock()
	if first && l.reached != nil {
		l.reached()
	}
	return granted
}

// ToWriter makes a guest's stream of a host's writer. It writes where the guest
// stands, so a writer that waits makes the guest wait: one that may do so for
// long should be made [Interruptible]. Close does not close w.
func ToWriter(w io.Writer, limit *Limit, opts ...Option) vfs.File {
	return &writer{w: w, limit: limit, tty: apply(opts).tty}
}

type writer struct {
	vfs.StreamBase
	w      io.Writer
	limit  *Limit
	tty    bool
	closed bool
}

func (w *writer) Stat() (vfs.Stat, vfs.Errno)  { return stat(w.tty), vfs.OK }
func (w *writer) Read([]byte) (int, vfs.Errno) { return 0, vfs.EBADF }

func (w *writer) Write(b []byte) (int, vfs.Errno) {
	if w.closed {
		return 0, vfs.EBADF
	}
	if len(b) == 0 {
		return 0, vfs.OK
	}
	granted := w.limit.reserve(len(b))
	if granted > 0 {
		n, err := w.w.Write(b[:granted])
		if err != nil && n == 0 {
			return 0, errnoOf(err)
		}
		if n < granted {
			return n, vfs.OK
		}
	}
	if granted == len(b) || w.limit.policy == Discard {
		return len(b), vfs.OK
	}
	if granted == 0 {
		return 0, vfs.EPIPE
	}
	return granted, vfs.OK
}

func (w *writer) Close() vfs.Errno {
	w.closed = true
	return vfs.OK
}

func (w *writer) Readable() (bool, int)         { return true, 0 }
func (w *writer) Writable() (bool, int)         { return true, Capacity }
func (w *writer) Notify(chan<- struct{}) func() { return func() {} }
