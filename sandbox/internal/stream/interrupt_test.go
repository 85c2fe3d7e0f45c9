package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
)

func TestInterruptibleWriterEndsWithItsContext(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	cause := errors.New("time is up")
	ctx, cancel := context.WithCancelCause(context.Background())
	i := stream.Interruptible(ctx, w)
	defer i.Close()
	go cancel(cause)
	if _, err := i.Write([]byte("nobody reads this")); !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}
	if _, err := i.Write([]byte("nor this")); !errors.Is(err, cause) {
		t.Errorf("again: error %v, want %v", err, cause)
	}
}

func TestInterruptibleWriterWritesEverythingInOrder(t *testing.T) {
	r, w := io.Pipe()
	i := stream.Interruptible(context.Background(), w)
	want := strings.Repeat("0123456789", stream.Capacity)
	go func() {
		_, _ = io.WriteString(i, want)
		_ = i.Close()
		_ = i.Close()
		_ = w.Close()
	}()
	got, err := io.ReadAll(r)
	if err != nil || string(got) != want {
		t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
	}
	if _, err := i.Write([]byte("x")); err == nil {
		t.Error("wrote after the close")
	}
}

func TestInterruptibleWriterPassesErrorsOn(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close()
	i := stream.Interruptible(context.Background(), w)
	defer i.Close()
	if _, e := stream.ToWriter(i).Write([]byte("x")); e != vfs.EPIPE {
		t.Errorf("errno %d, want EPIPE", e)
	}
}

func TestInterruptibleUsesPromptWritersDirectly(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // what needs a goroutine would fail now
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, w := range []io.Writer{nil, io.Discard, new(bytes.Buffer), new(strings.Builder), file} {
		i := stream.Interruptible(ctx, w)
		if n, err := i.Write([]byte("abc")); n != 3 || err != nil {
			t.Errorf("%T: %d, %v", w, n, err)
		}
		i.Close()
	}
}

// slowWriter takes its time, and keeps what it was given without any locking: the race detector tells when somebody looks
// at it before it has done.
type slowWriter struct {
	begun chan struct{}
	kept  []byte
}

func (s *slowWriter) Write(p []byte) (int, error) {
	close(s.begun)
	time.Sleep(5 * time.Millisecond)
	s.kept = append(s.kept, p...)
	return len(p), nil
}

func TestASlowWriterIsNotInUseAfterClose(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	slow := &slowWriter{begun: make(chan struct{})}
	w := stream.Interruptible(ctx, slow)
	go func() {
		<-slow.begun
		cancel()
	}()
	if _, err := w.Write([]byte("text")); !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v, want that of the context", err)
	}
	w.Close()
	if string(slow.kept) != "text" {
		t.Errorf("the writer has %q", slow.kept)
	}
}
