package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// await reads from a guest's stream as the WASI host does, waiting when it must.
func await(t *testing.T, f vfs.File, p []byte) (int, vfs.Errno) {
	t.Helper()
	c := make(chan struct{}, 1)
	stop := f.(vfs.Poller).Notify(c)
	defer stop()
	for {
		n, e := f.Read(p)
		if e != vfs.EAGAIN {
			return n, e
		}
		if ready, _ := f.(vfs.Poller).Readable(); ready {
			continue
		}
		select {
		case <-c:
		case <-time.After(10 * time.Second):
			t.Fatal("nothing came")
		}
	}
}

func all(t *testing.T, f vfs.File) string {
	t.Helper()
	var out []byte
	buf := make([]byte, 100)
	for {
		n, e := await(t, f, buf)
		if e != vfs.OK {
			t.Fatalf("read: errno %d", e)
		}
		if n == 0 {
			return string(out)
		}
		out = append(out, buf[:n]...)
	}
}

func TestPipeKeepsOrderAndBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := stream.NewPipe()
		r, w := p.ReadEnd(), p.WriteEnd()
		var model []byte
		next := byte(0)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			n := rapid.IntRange(0, stream.Capacity+10).Draw(t, "n")
			buf := make([]byte, n)
			if rapid.Bool().Draw(t, "write") {
				for i := range buf {
					buf[i] = next
					next++
				}
				took, e := w.Write(buf)
				want := n
				if room := stream.Capacity - len(model); n > room {
					want = room - room%stream.Atomic
				}
				if took != want || (e == vfs.EAGAIN) != (want == 0 && n > 0) {
					t.Fatalf("wrote %d of %d with %d in the pipe: errno %d", took, n, len(model), e)
				}
				model = append(model, buf[:took]...)
				next -= byte(n - took)
			} else {
				got, e := r.Read(buf)
				want := min(n, len(model))
				if (e == vfs.EAGAIN) != (want == 0 && n > 0) || !bytes.Equal(buf[:got], model[:want]) {
					t.Fatalf("read %d of %d with %d in the pipe: errno %d", got, n, len(model), e)
				}
				model = model[want:]
			}
			if ready, n := r.(vfs.Poller).Readable(); ready != (len(model) > 0) || n != len(model) {
				t.Fatalf("readable %t %d with %d in the pipe", ready, n, len(model))
			}
			if ready, n := w.(vfs.Poller).Writable(); ready != (stream.Capacity-len(model) >= stream.Atomic) || n != stream.Capacity-len(model) {
				t.Fatalf("writable %t %d with %d in the pipe", ready, n, len(model))
			}
		}
	})
}

func TestPipeEnds(t *testing.T) {
	p := stream.NewPipe()
	r, w := p.ReadEnd(), p.WriteEnd()
	if n, e := w.Write([]byte("last")); n != 4 || e != vfs.OK {
		t.Fatal(n, e)
	}
	w.Close()
	w.Close()
	if _, e := w.Write([]byte("x")); e != vfs.EBADF {
		t.Errorf("write to a closed end: errno %d", e)
	}
	if got := all(t, r); got != "last" {
		t.Errorf("read %q", got)
	}
	r.Close()
	if _, e := r.Read(make([]byte, 1)); e != vfs.EBADF {
		t.Errorf("read from a closed end: errno %d", e)
	}
}

func TestPipeWithoutAReaderIsBroken(t *testing.T) {
	p := stream.NewPipe()
	w := p.WriteEnd()
	p.ReadEnd().Close()
	if ready, n := w.(vfs.Poller).Writable(); !ready || n != 0 {
		t.Errorf("writable %t %d", ready, n)
	}
	if _, e := w.Write([]byte("x")); e != vfs.EPIPE {
		t.Errorf("errno %d, want EPIPE", e)
	}
	if _, err := p.Writer().Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("host's side: %v", err)
	}
}

func TestPipeBetweenHostAndHost(t *testing.T) {
	p := stream.NewPipe()
	want := strings.Repeat("0123456789", stream.Capacity)
	go func() {
		w := p.Writer()
		_, _ = io.WriteString(w, want)
		_ = w.Close()
	}()
	got, err := io.ReadAll(p.Reader())
	if err != nil || string(got) != want {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestClosingReleasesAHostThatWaits(t *testing.T) {
	for name, wait := range map[string]func(p *stream.Pipe) error{
		"reader": func(p *stream.Pipe) error {
			_, err := p.Reader().Read(make([]byte, 1))
			return err
		},
		"writer": func(p *stream.Pipe) error {
			_, err := p.Writer().Write(make([]byte, stream.Capacity+1))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := stream.NewPipe()
			done := make(chan error)
			go func() { done <- wait(p) }()
			p.ReadEnd().Close()
			if err := <-done; !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestReaderGivesWhatTheHostHas(t *testing.T) {
	const want = "some text that is longer than one of the test's reads"
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(want); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]io.Reader{
		"text":      strings.NewReader(want),
		"file":      file,
		"slow":      iotest.OneByteReader(strings.NewReader(want)),
		"with end":  iotest.DataErrReader(strings.NewReader(want)),
		"hesitant":  &hesitant{Reader: strings.NewReader(want)},
		"buffered":  bytes.NewBufferString(want),
		"elsewhere": iotest.HalfReader(strings.NewReader(want)),
	} {
		t.Run(name, func(t *testing.T) {
			f := stream.FromReader(context.Background(), r)
			defer f.Close()
			if got := all(t, f); got != want {
				t.Errorf("read %q", got)
			}
			if n, e := await(t, f, make([]byte, 1)); n != 0 || e != vfs.OK {
				t.Errorf("after the end: %d, errno %d", n, e)
			}
		})
	}
}

// hesitant comes back with nothing each other time, as a reader may.
type hesitant struct {
	io.Reader
	turn bool
}

func (h *hesitant) Read(p []byte) (int, error) {
	if h.turn = !h.turn; h.turn {
		return 0, nil
	}
	return h.Reader.Read(p)
}

// counting counts what is taken from it.
type counting struct {
	io.Reader
	taken int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.taken += n
	return n, err
}

func TestReaderTakesOnlyWhatIsAskedFor(t *testing.T) {
	host := &counting{Reader: strings.NewReader(strings.Repeat("x", 1000))}
	f := stream.FromReader(context.Background(), host)
	f.Close()
	if host.taken != 0 {
		t.Errorf("%d bytes taken without a read", host.taken)
	}
	f = stream.FromReader(context.Background(), host)
	for range 3 {
		if n, e := await(t, f, make([]byte, 5)); n != 5 || e != vfs.OK {
			t.Fatal(n, e)
		}
	}
	f.Close()
	if host.taken != 15 {
		t.Errorf("%d bytes taken for 15", host.taken)
	}
}

func TestReaderPassesErrorsOn(t *testing.T) {
	for want, err := range map[vfs.Errno]error{
		vfs.EIO:    errors.New("some failure"),
		vfs.EPIPE:  io.ErrClosedPipe,
		vfs.EISDIR: &os.PathError{Op: "read", Path: "x", Err: syscall.EISDIR},
	} {
		f := stream.FromReader(context.Background(), iotest.ErrReader(err))
		if _, e := await(t, f, make([]byte, 1)); e != want {
			t.Errorf("%v: errno %d, want %d", err, e, want)
		}
		f.Close()
	}
}

func TestClosingEndsAReadOfAPipeOfTheHost(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	f := stream.FromReader(context.Background(), r)
	if _, e := f.Read(make([]byte, 1)); e != vfs.EAGAIN {
		t.Fatalf("errno %d", e)
	}
	f.Close()
	// The host's reader works as before.
	if _, err := w.Write([]byte("later")); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 8)
	if n, err := r.Read(buf); err != nil || string(buf[:n]) != "later" {
		t.Errorf("read %q, %v", buf[:n], err)
	}
}

func TestContextEndsAReadOfAConnection(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	ctx, cancel := context.WithCancel(context.Background())
	f := stream.FromReader(ctx, a)
	if _, e := f.Read(make([]byte, 1)); e != vfs.EAGAIN {
		t.Fatalf("errno %d", e)
	}
	cancel()
	if _, e := await(t, f, make([]byte, 1)); e != vfs.EBADF {
		t.Errorf("errno %d, want EBADF", e)
	}
	f.Close()
	f.Close()
}

func TestTerminalIsACharacterDevice(t *testing.T) {
	for _, tt := range []struct {
		f    vfs.File
		want vfs.FileType
	}{
		{stream.FromReader(context.Background(), strings.NewReader(""), stream.TTY()), vfs.TypeCharDevice},
		{stream.FromReader(context.Background(), strings.NewReader("")), vfs.TypeFIFO},
		{stream.ToWriter(io.Discard, stream.TTY()), vfs.TypeCharDevice},
		{stream.ToWriter(io.Discard), vfs.TypeFIFO},
	} {
		if st, e := tt.f.Stat(); e != vfs.OK || st.Type != tt.want {
			t.Errorf("type %d, want %d", st.Type, tt.want)
		}
		tt.f.Close()
	}
}

func TestWriterPassesErrorsOn(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close()
	f := stream.ToWriter(w)
	if _, e := f.Write([]byte("x")); e != vfs.EPIPE {
		t.Errorf("errno %d, want EPIPE", e)
	}
	f.Close()
	if _, e := f.Write([]byte("x")); e != vfs.EBADF {
		t.Errorf("closed: errno %d, want EBADF", e)
	}
}

func TestEndsAreForOneDirection(t *testing.T) {
	p := stream.NewPipe()
	in := []vfs.File{p.ReadEnd(), stream.FromReader(context.Background(), strings.NewReader("")), stream.FromReader(context.Background(), iotest.OneByteReader(strings.NewReader("")))}
	out := []vfs.File{p.WriteEnd(), stream.ToWriter(io.Discard)}
	for _, f := range in {
		if _, e := f.Write([]byte("x")); e != vfs.EBADF {
			t.Errorf("write to %T: errno %d", f, e)
		}
		if ready, _ := f.(vfs.Poller).Writable(); !ready {
			t.Errorf("waiting to write to %T would not end", f)
		}
		f.Close()
	}
	for _, f := range out {
		if _, e := f.Read(make([]byte, 1)); e != vfs.EBADF {
			t.Errorf("read from %T: errno %d", f, e)
		}
		if ready, _ := f.(vfs.Poller).Readable(); !ready {
			t.Errorf("waiting to read from %T would not end", f)
		}
		f.Close()
	}
}
