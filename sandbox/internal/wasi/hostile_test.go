package wasi_test

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"testing"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// TestEveryCallEndsAtTheDeadline checks that no host call does anything once the context is done: a guest may make
// hundreds of thousands of them between two refills of its fuel.
func TestEveryCallEndsAtTheDeadline(t *testing.T) {
	cause := errors.New("the deadline")
	ctx, end := context.WithCancelCause(context.Background())
	end(cause)
	for _, f := range wasi.Functions() {
		switch f.Name {
		case "proc_exit", "umask": // the one ends the guest, the other is nothing but an assignment
			continue
		}
		g, _ := onDir(t)
		g.ctx = ctx
		if _, err := g.try(f.Name, make([]uint64, len(f.Params))...); !errors.Is(err, cause) {
			t.Errorf("%s: error %v, want that of the context", f.Name, err)
		}
	}
}

// depthFile tells how deep the host's stack is when it is read.
type depthFile struct {
	vfs.File
	depth int
}

func (d *depthFile) Read([]byte) (int, vfs.Errno) {
	pc := make([]uintptr, 1<<16)
	d.depth = runtime.Callers(0, pc)
	return 0, vfs.OK
}

// deepStream is a depthFile that can have to wait.
type deepStream struct {
	*depthFile
	vfs.Poller
}

// TestHandlesOfHandlesDoNotNest checks that a guest that opens its own file again, and that again, cannot use up the
// host's stack.
func TestHandlesOfHandlesDoNotNest(t *testing.T) {
	pipe := stream.NewPipe()
	for name, f := range map[string]func(*depthFile) vfs.File{
		"file":   func(d *depthFile) vfs.File { return d },
		"stream": func(d *depthFile) vfs.File { return deepStream{d, pipe.ReadEnd().(vfs.Poller)} },
	} {
		t.Run(name, func(t *testing.T) {
			bottom := &depthFile{File: stream.ToWriter(nil)}
			counted := &closeCounter{File: f(bottom)}
			var in vfs.File = counted
			if p, ok := counted.File.(vfs.Poller); ok {
				in = struct {
					*closeCounter
					vfs.Poller
				}{counted, p}
			}
			s := wasi.New(wasi.Config{Stdin: in})
			const rounds = 1000
			for range rounds {
				again, e := s.Dup(0)
				if e != vfs.OK {
					t.Fatalf("errno %d", e)
				}
				// The handle takes the place of the file it was made of, as with fd_renumber or dup2.
				s2 := wasi.New(wasi.Config{Stdin: again})
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = s2
			}
			g := &guest{t: t, ctx: context.Background(), s: s, mem: make([]byte, 4096)}
			g.want(vfs.OK, "fd_read", 0, g.iovec(64, 8), 1, g.space(4))
			if bottom.depth == 0 || bottom.depth > 50 {
				t.Errorf("a read through %d handles is %d calls deep", rounds, bottom.depth)
			}
			if counted.closed != 0 {
				t.Errorf("the file was closed while it was open")
			}
			if err := s.Close(); err != nil || counted.closed != 1 {
				t.Errorf("closed %d times, error %v", counted.closed, err)
			}
		})
	}
}

// TestManySmallBuffersAreNoWayPastTheDeadline checks that a transfer looks at the context by what it has moved, however
// the buffers are cut.
func TestManySmallBuffersAreNoWayPastTheDeadline(t *testing.T) {
	const (
		size    = 1<<20 - 1
		buffers = 1024
	)
	ctx, end := context.WithCancelCause(context.Background())
	cause := errors.New("the deadline")
	reads := 0
	s := wasi.New(wasi.Config{Stdin: &countedReads{File: stream.ToWriter(nil), onRead: func() {
		if reads++; reads == 10 {
			end(cause)
		}
	}}})
	defer s.Close()
	g := &guest{t: t, ctx: ctx, s: s, mem: make([]byte, 2<<20)}
	vector := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 1<<20), size)
	copy(g.mem[64:], slices.Repeat(vector, buffers))
	if _, err := g.try("fd_read", 0, 64, buffers, 0); !errors.Is(err, cause) {
		t.Errorf("error %v, want that of the context", err)
	}
	if reads > 12 {
		t.Errorf("%d reads, 10 of them before the deadline", reads)
	}
}

type countedReads struct {
	vfs.File
	onRead func()
}

func (c *countedReads) Read(p []byte) (int, vfs.Errno) {
	c.onRead()
	return len(p), vfs.OK
}
