// Package stream holds the streams between a host and its guests: bounded pipes
// in memory, and adapters around the host's own readers and writers.
//
// The guest's side of every stream is a [vfs.File] and a [vfs.Poller] whose
// Read and Write never wait: they answer EAGAIN, and whoever calls does the
// waiting through Notify, so that it can also stop waiting. The host's side is
// an io.Reader or io.Writer that waits as usual and is released by Close.
//
// Closing is idempotent on both sides, and nothing is left running afterwards
// but a read of a host's reader, or a write to a host's writer, that cannot be
// interrupted.
package stream

import (
	"errors"
	"io"
	"io/fs"
	"sync"
	"syscall"

	"openclaw/sandbox/internal/vfs"
)

// Capacity is how many bytes a pipe holds, and the most that is read ahead from a host's reader.
const Capacity = 64 << 10

const fifoMode = 0o600

// stat describes a stream to a guest: a terminal is a character device, anything else a pipe.
func stat(tty bool) vfs.Stat {
	st := vfs.Stat{Type: vfs.TypeFIFO, Nlink: 1, Mode: fifoMode}
	if tty {
		st.Type = vfs.TypeCharDevice
	}
	return st
}

// watchers are the channels that want to know of changes.
type watchers struct {
	mu   sync.Mutex
	list []chan<- struct{}
}

func (w *watchers) add(c chan<- struct{}) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, c)
	return func() { w.remove(c) }
}

// remove takes out one entry for c, which may be there more than once.
func (w *watchers) remove(c chan<- struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, other := range w.list {
		if other != c {
			continue
		}
		end := len(w.list) - 1
		w.list[i], w.list[end] = w.list[end], nil
		w.list = w.list[:end]
		return
	}
}

func (w *watchers) notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.list {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// errnoOf is what a guest learns of a failure on the host's side.
func errnoOf(err error) vfs.Errno {
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe), errors.Is(err, fs.ErrClosed):
		return vfs.EPIPE
	case errors.Is(err, syscall.ENOSPC):
		return vfs.ENOSPC
	case errors.Is(err, syscall.EDQUOT):
		return vfs.EDQUOT
	case errors.Is(err, syscall.EFBIG):
		return vfs.EFBIG
	case errors.Is(err, syscall.EISDIR):
		return vfs.EISDIR
	}
	return vfs.EIO
}
