package wasi_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

func TestRightsOnlyShrink(t *testing.T) {
	g, _ := onDir(t)
	fd := g.open(firstPreopen, "file", 0, oCreat, rightRead|rightWrite, 0)
	if _, e := g.write(fd, "x"); e != vfs.OK {
		t.Fatalf("write: errno %d", e)
	}
	stat := g.space(24)
	g.want(vfs.OK, "fd_fdstat_get", fd, stat)
	base := g.u64(stat + 8)
	g.want(vfs.OK, "fd_fdstat_set_rights", fd, base&^rightWrite, 0)
	if _, e := g.write(fd, "x"); e != vfs.EBADF {
		t.Errorf("write without the right: errno %d", e)
	}
	g.want(vfs.ENOTCAPABLE, "fd_fdstat_set_rights", fd, base, 0)
	g.want(vfs.ENOTCAPABLE, "fd_fdstat_set_rights", firstPreopen, 1<<6, 0)
}

func TestDirectoryHandsOnWhatItMay(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"file": "x"})
	stat := g.space(24)
	g.want(vfs.OK, "fd_fdstat_get", firstPreopen, stat)
	base, inheriting := g.u64(stat+8), g.u64(stat+16)
	g.want(vfs.OK, "fd_fdstat_set_rights", firstPreopen, base, inheriting&^rightWrite)
	if _, e := g.tryOpen(firstPreopen, "file", 0, 0, rightWrite, 0); e != vfs.ENOTCAPABLE {
		t.Errorf("open for writing: errno %d", e)
	}
	g.open(firstPreopen, "file", 0, 0, rightRead, 0)
}

func TestAppendFlagCanBeSwitched(t *testing.T) {
	g, dir := onDir(t)
	fd := g.open(firstPreopen, "file", 0, oCreat, rightWrite, fdAppend)
	pos := g.space(8)
	write := func(s string) {
		t.Helper()
		g.want(vfs.OK, "fd_seek", fd, 0, 0, pos)
		if n, e := g.write(fd, s); n != len(s) || e != vfs.OK {
			t.Fatalf("write: %d bytes, errno %d", n, e)
		}
	}
	write("one")
	write("two")
	g.want(vfs.OK, "fd_fdstat_set_flags", fd, 0)
	write("ONE")
	g.want(vfs.EINVAL, "fd_fdstat_set_flags", fd, 1<<5)
	if b, _ := os.ReadFile(filepath.Join(dir, "file")); string(b) != "ONEtwo" {
		t.Errorf("file holds %q", b)
	}
}

func TestVectorsAreCheckedAndBounded(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"file": "abcdef"})
	fd := g.open(firstPreopen, "file", 0, 0, rightRead, 0)
	out, end := g.space(4), uint64(len(g.mem))
	g.want(vfs.EINVAL, "fd_read", fd, 0, 1025, out)
	g.want(vfs.EINVAL, "fd_read", fd, 0, 1<<32-1, out)
	g.want(vfs.EFAULT, "fd_read", fd, end-4, 1, out)
	g.want(vfs.EFAULT, "fd_read", fd, g.iovec(end-1, 2), 1, out)
	g.want(vfs.EFAULT, "fd_read", fd, g.iovec(1, 1<<32-1), 1, out)
	g.want(vfs.EFAULT, "fd_read", fd, g.iovec(0, 1), 1, end-3)
	g.want(vfs.OK, "fd_read", fd, end, 0, out)
	g.want(vfs.EINVAL, "fd_pread", fd, g.iovec(0, 1), 1, 1<<63, out)

	// Two buffers, the first of them empty.
	iov := g.space(24)
	copy(g.mem[iov:], g.mem[g.iovec(0, 0):][:8])
	copy(g.mem[iov+8:], g.mem[g.iovec(64, 2):][:8])
	copy(g.mem[iov+16:], g.mem[g.iovec(128, 100):][:8])
	g.want(vfs.OK, "fd_pread", fd, iov, 3, 1, out)
	if n := g.u32(out); n != 5 || string(g.mem[64:66]) != "bc" || string(g.mem[128:131]) != "def" {
		t.Errorf("%d bytes: %q %q", n, g.mem[64:66], g.mem[128:131])
	}
}

func TestDirectoriesAndStreamsRefuseWhatMakesNoSense(t *testing.T) {
	g, _ := onDir(t)
	out, iov := g.space(8), g.iovec(0, 1)
	g.want(vfs.EISDIR, "fd_read", firstPreopen, iov, 1, out)
	g.want(vfs.EBADF, "fd_write", firstPreopen, iov, 1, out)
	g.want(vfs.EISDIR, "fd_seek", firstPreopen, 0, 0, out)
	g.want(vfs.EBADF, "fd_advise", firstPreopen, 0, 0, 0)
	g.want(vfs.EBADF, "fd_allocate", firstPreopen, 0, 1)
	g.want(vfs.ESPIPE, "fd_seek", 0, 0, 1, out)
	g.want(vfs.ESPIPE, "fd_tell", 0, out)
	g.want(vfs.ESPIPE, "fd_advise", 0, 0, 0, 0)
	g.want(vfs.ESPIPE, "fd_pread", 0, iov, 1, 0, out)
	g.want(vfs.EBADF, "fd_write", 0, iov, 1, out)
	g.want(vfs.EBADF, "fd_read", 1, iov, 1, out)
	g.want(vfs.ENOTDIR, "fd_readdir", 0, 0, 8, 0, out)
	g.want(vfs.ENOTSOCK, "sock_shutdown", 0, 0)
	g.want(vfs.ENOTSOCK, "sock_accept", 1, 0, out)
	g.want(vfs.EBADF, "sock_recv", 77, iov, 1, 0, out, out)
	g.want(vfs.EBADF, "fd_prestat_get", 0, out)
	g.want(vfs.EBADF, "fd_prestat_get", 4, out)
}

func TestAdviseAndTimesCheckTheirArguments(t *testing.T) {
	g, _ := onDir(t)
	fd := g.open(firstPreopen, "file", 0, oCreat, rightRead|rightWrite, 0)
	g.want(vfs.OK, "fd_advise", fd, 0, 0, 5)
	g.want(vfs.EINVAL, "fd_advise", fd, 0, 0, 6)
	g.want(vfs.EINVAL, "fd_advise", fd, 1<<63, 0, 0)
	g.want(vfs.EINVAL, "fd_allocate", fd, 0, 0)
	g.want(vfs.EFBIG, "fd_allocate", fd, 1<<63-1, 1)
	g.want(vfs.EINVAL, "fd_filestat_set_times", fd, 0, 0, 3)
	g.want(vfs.EINVAL, "fd_filestat_set_times", fd, 0, 0, 12)
	g.want(vfs.EINVAL, "fd_filestat_set_times", fd, 0, 0, 16)
	g.want(vfs.EINVAL, "fd_filestat_set_times", fd, 1<<63, 0, 1)
	g.want(vfs.OK, "fd_filestat_set_times", fd, 5, 7, 5)
	st := g.space(64)
	g.want(vfs.OK, "fd_filestat_get", fd, st)
	if a, m := g.u64(st+40), g.u64(st+48); a != 5 || m != 7 {
		t.Errorf("times %d and %d", a, m)
	}
	g.want(vfs.EINVAL, "fd_filestat_set_size", fd, 1<<63)
}

func TestRenumberMovesAndCloses(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"a": "A", "b": "B"})
	a := g.open(firstPreopen, "a", 0, 0, rightRead, 0)
	b := g.open(firstPreopen, "b", 0, 0, rightRead, 0)
	g.want(vfs.EBADF, "fd_renumber", a, 100)
	g.want(vfs.EBADF, "fd_renumber", 100, a)
	g.want(vfs.OK, "fd_renumber", a, a)
	g.want(vfs.OK, "fd_renumber", a, b)
	g.want(vfs.EBADF, "fd_close", a)
	if s, e := g.read(b, 8); s != "A" || e != vfs.OK {
		t.Errorf("read %q, errno %d", s, e)
	}
}

// closeCounter counts how often a stream is closed.
type closeCounter struct {
	vfs.File
	closed int
}

func (c *closeCounter) Close() vfs.Errno {
	c.closed++
	return vfs.OK
}

func TestSharedStreamIsClosedOnceAndLast(t *testing.T) {
	var out bytes.Buffer
	f := &closeCounter{File: stream.ToWriter(&out)}
	s := wasi.New(wasi.Config{Stdout: f, Stderr: f})
	g := &guest{t: t, ctx: context.Background(), s: s, mem: make([]byte, 4096)}
	g.want(vfs.OK, "fd_close", 1)
	if _, e := g.write(2, "still there"); e != vfs.OK || f.closed != 0 {
		t.Errorf("errno %d, closed %d times", e, f.closed)
	}
	if err := s.Close(); err != nil || f.closed != 1 {
		t.Errorf("closed %d times, %v", f.closed, err)
	}
}

func TestDuplicatesKeepAFileOpen(t *testing.T) {
	var out bytes.Buffer
	f := &closeCounter{File: stream.ToWriter(&out)}
	s := wasi.New(wasi.Config{Stdout: f})
	first, e := s.Dup(1)
	if e != vfs.OK {
		t.Fatal(e)
	}
	second, _ := s.Dup(1)
	if e := second.Close(); e != vfs.OK {
		t.Errorf("close: errno %d", e)
	}
	if e := second.Close(); e != vfs.EBADF {
		t.Errorf("close again: errno %d", e)
	}
	if err := s.Close(); err != nil || f.closed != 0 {
		t.Errorf("closed %d times, %v", f.closed, err)
	}
	if _, e := first.Write([]byte("x")); e != vfs.OK || out.String() != "x" {
		t.Errorf("write: errno %d, output %q", e, out.String())
	}
	if first.Close(); f.closed != 1 {
		t.Errorf("closed %d times, want once", f.closed)
	}
	if _, e := s.Dup(1); e != vfs.EBADF {
		t.Errorf("duplicate of a closed descriptor: errno %d", e)
	}
}

func TestDuplicateOfAStreamCanBePolled(t *testing.T) {
	p := stream.NewPipe()
	s := wasi.New(wasi.Config{Stdin: p.ReadEnd()})
	defer s.Close()
	f, e := s.Dup(0)
	if e != vfs.OK {
		t.Fatal(e)
	}
	defer f.Close()
	poller, ok := f.(vfs.Poller)
	if !ok {
		t.Fatal("not a stream")
	}
	if ready, _ := poller.Readable(); ready {
		t.Error("readable while empty")
	}
	if got, want := s.Files(), []int{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("open descriptors %v, want %v", got, want)
	}
}

func TestOnlyATerminalLooksLikeOne(t *testing.T) {
	tty := stream.FromReader(context.Background(), strings.NewReader(""), stream.TTY())
	g := newGuest(t, wasi.Config{Stdin: tty, Stdout: stream.NewPipe().WriteEnd()})
	const seekOrTell = 1<<2 | 1<<5
	stat := g.space(24)
	for fd, want := range map[uint64]bool{0: true, 1: false, 2: false} {
		g.want(vfs.OK, "fd_fdstat_get", fd, stat)
		isTTY := g.mem[stat] == byte(vfs.TypeCharDevice) && g.u64(stat+8)&seekOrTell == 0
		if isTTY != want {
			t.Errorf("descriptor %d: terminal %t, want %t", fd, isTTY, want)
		}
	}
}

func TestNonblockingStreamAnswersAgain(t *testing.T) {
	p := stream.NewPipe()
	g := newGuest(t, wasi.Config{Stdin: p.ReadEnd()})
	g.want(vfs.OK, "fd_fdstat_set_flags", 0, fdNonblock)
	if _, e := g.read(0, 8); e != vfs.EAGAIN {
		t.Errorf("errno %d, want EAGAIN", e)
	}
	saved := newGuest(t, wasi.Config{Stdin: stream.NewPipe().ReadEnd(), NonblockStdio: true})
	if _, e := saved.read(0, 8); e != vfs.EAGAIN {
		t.Errorf("started non-blocking: errno %d, want EAGAIN", e)
	}
}

func TestBlockingReadWaitsForDataAndForTheEnd(t *testing.T) {
	p := stream.NewPipe()
	g := newGuest(t, wasi.Config{Stdin: p.ReadEnd()})
	go func() {
		w := p.Writer()
		_, _ = w.Write([]byte("late"))
		_ = w.Close()
	}()
	for _, want := range []string{"late", ""} {
		if s, e := g.read(0, 64); s != want || e != vfs.OK {
			t.Fatalf("read %q, errno %d, want %q", s, e, want)
		}
	}
}

func TestBlockingWriteGoesThroughWhole(t *testing.T) {
	p := stream.NewPipe()
	g := newGuest(t, wasi.Config{Stdout: p.WriteEnd()})
	read := make(chan int)
	go func() {
		total, buf := 0, make([]byte, 1000)
		r := p.Reader()
		for total < 3*stream.Capacity {
			n, err := r.Read(buf)
			if err != nil {
				break
			}
			total += n
		}
		_ = r.Close()
		read <- total
	}()
	big := strings.Repeat("x", 3*stream.Capacity)
	if n, e := g.write(1, big); n != len(big) || e != vfs.OK {
		t.Errorf("wrote %d, errno %d", n, e)
	}
	if n := <-read; n != len(big) {
		t.Errorf("read %d", n)
	}
	if _, e := g.write(1, "more"); e != vfs.EPIPE {
		t.Errorf("write without a reader: errno %d, want EPIPE", e)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	cause := errors.New("cancelled by the test")
	calls := map[string]func(g *guest) error{
		"fd_read": func(g *guest) error {
			_, err := g.try("fd_read", 0, g.iovec(g.space(8), 8), 1, g.space(4))
			return err
		},
		"fd_write": func(g *guest) error {
			_, err := g.try("fd_write", 1, g.iovec(g.space(8), 8), 1, g.space(4))
			return err
		},
		"poll_oneoff": func(g *guest) error {
			in, out, n := g.subscribe([]subscription{
				{kind: 0, fd: 1, timeout: uint64(time.Hour)},
				{kind: 1, fd: 0},
			})
			_, err := g.try("poll_oneoff", in, out, n, g.space(4))
			return err
		},
		"poll_oneoff without a timeout": func(g *guest) error {
			in, out, n := g.subscribe([]subscription{{kind: 1, fd: 0}})
			_, err := g.try("poll_oneoff", in, out, n, g.space(4))
			return err
		},
		"random_get": func(g *guest) error {
			for {
				if _, err := g.try("random_get", 0, uint64(len(g.mem))); err != nil {
					return err
				}
			}
		},
		"sched_yield": func(g *guest) error {
			for {
				if _, err := g.try("sched_yield"); err != nil {
					return err
				}
			}
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			full := stream.NewPipe().WriteEnd()
			if n, _ := full.Write(make([]byte, stream.Capacity)); n != stream.Capacity {
				t.Fatalf("filled %d bytes", n)
			}
			g := newGuest(t, wasi.Config{Stdin: stream.NewPipe().ReadEnd(), Stdout: full})
			ctx, cancel := context.WithCancelCause(context.Background())
			g.ctx = ctx
			time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
			if err := call(g); !errors.Is(err, cause) {
				t.Errorf("error %v, want the cause", err)
			}
		})
	}
}

func TestLargeTransfersGoThroughInPieces(t *testing.T) {
	g, _ := onDir(t)
	const size = 3<<20 + 17
	g.mem = make([]byte, 8<<20)
	fd := g.open(firstPreopen, "file", 0, oCreat, rightRead|rightWrite, 0)
	from, to, out := g.space(size), g.space(size), g.space(4)
	for i := range size {
		g.mem[from+uint64(i)] = byte(i * 7)
	}
	g.want(vfs.OK, "fd_pwrite", fd, g.iovec(from, size), 1, 100, out)
	if n := g.u32(out); n != size {
		t.Fatalf("wrote %d", n)
	}
	g.want(vfs.OK, "fd_pread", fd, g.iovec(to, size), 1, 100, out)
	if n := g.u32(out); n != size || !bytes.Equal(g.mem[from:from+size], g.mem[to:to+size]) {
		t.Errorf("read %d, or something else", n)
	}
}

func TestLargeTransferEndsBetweenTwoPieces(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	g := newGuest(t, wasi.Config{Stdout: stream.ToWriter(cancelling{cancel})})
	g.ctx, g.mem = ctx, make([]byte, 8<<20)
	if _, err := g.try("fd_write", 1, g.iovec(0, 4<<20), 1, g.space(4)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestWriteToAStalledHostEndsWithTheContext(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	cause := errors.New("time is up")
	ctx, cancel := context.WithCancelCause(context.Background())
	g := newGuest(t, wasi.Config{Stdout: stream.ToWriter(stream.Interruptible(ctx, w))})
	g.ctx = ctx
	go cancel(cause)
	if _, err := g.try("fd_write", 1, g.iovec(0, 10), 1, g.space(4)); !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}
}

// cancelling is a writer that ends the call it is written to by.
type cancelling struct{ cancel func() }

func (c cancelling) Write(p []byte) (int, error) {
	c.cancel()
	return len(p), nil
}

// syncCounter counts how often a file is made durable.
type syncCounter struct {
	vfs.File
	sync, data int
}

func (s *syncCounter) Sync() vfs.Errno {
	s.sync++
	return vfs.OK
}

func (s *syncCounter) Datasync() vfs.Errno {
	s.data++
	return vfs.OK
}

func TestSyncFlagsMakeEachWriteDurable(t *testing.T) {
	f := &syncCounter{File: stream.ToWriter(io.Discard)}
	g := newGuest(t, wasi.Config{Stdout: f})
	for _, tt := range []struct {
		flags      uint64
		sync, data int
	}{{0, 0, 0}, {2, 0, 1}, {16, 1, 0}, {18, 1, 0}} {
		f.sync, f.data = 0, 0
		g.want(vfs.OK, "fd_fdstat_set_flags", 1, tt.flags)
		if _, e := g.write(1, "x"); e != vfs.OK || f.sync != tt.sync || f.data != tt.data {
			t.Errorf("flags %d: errno %d, %d and %d times", tt.flags, e, f.sync, f.data)
		}
	}
	real := newGuest(t, wasi.Config{Stdout: stream.ToWriter(io.Discard)})
	real.want(vfs.OK, "fd_fdstat_set_flags", 1, 16)
	if _, e := real.write(1, "x"); e != vfs.OK {
		t.Errorf("a stream that is to be durable: errno %d", e)
	}
}
