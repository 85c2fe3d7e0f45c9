package stream

import (
	"io"
	"sync/atomic"

	"openclaw/sandbox/internal/vfs"
)

// ToWriter makes a guest's stream of a host's writer. It writes where the guest
// stands, so a writer that waits makes the guest wait: one that may do so for
// long should be made [Interruptible]. Several guests may have it at once if w can be used by several goroutines. Close does not close w.
func ToWriter(w io.Writer, opts ...Option) vfs.File {
	return &writer{w: w, tty: apply(opts).tty}
}

type writer struct {
	vfs.StreamBase
	w      io.Writer
	tty    bool
	closed atomic.Bool
}

func (w *writer) Stat() (vfs.Stat, vfs.Errno)  { return stat(w.tty), vfs.OK }
func (w *writer) Read([]byte) (int, vfs.Errno) { return 0, vfs.EBADF }

func (w *writer) Write(b []byte) (int, vfs.Errno) {
	if w.closed.Load() {
		return 0, vfs.EBADF
	}
	if len(b) == 0 {
		return 0, vfs.OK
	}
	n, err := w.w.Write(b)
	if err != nil && n == 0 {
		return 0, errnoOf(err)
	}
	return n, vfs.OK
}

func (w *writer) Close() vfs.Errno {
	w.closed.Store(true)
	return vfs.OK
}

func (w *writer) Readable() (bool, int)         { return true, 0 }
func (w *writer) Writable() (bool, int)         { return true, Capacity }
func (w *writer) Notify(chan<- struct{}) func() { return func() {} }
