package pipe_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"

	"openclaw/toolwasm/guest/pipe"
)

func TestReaderSeesEndAfterLastWriterClosed(t *testing.T) {
	r, w := pipe.New()
	second := w.Dup()
	mustWrite(t, w, "a")
	close2(t, w) // idempotent: the second close is not the other writer's
	mustWrite(t, second, "b")
	close2(t, second)
	got, err := io.ReadAll(r)
	if err != nil || string(got) != "ab" {
		t.Errorf("ReadAll = %q, %v; want ab", got, err)
	}
}

func TestWriteWithoutReaderBreaks(t *testing.T) {
	r, w := pipe.New()
	second := r.Dup()
	close2(t, r)
	mustWrite(t, w, "x") // the other reader is still there
	close2(t, second)
	for _, b := range [][]byte{[]byte("y"), nil} {
		if n, err := w.Write(b); n != 0 || !errors.Is(err, pipe.ErrBroken) {
			t.Errorf("Write(%q) = %d, %v; want ErrBroken", b, n, err)
		}
	}
}

func TestWriterThatWaitsBreaksWhenReaderCloses(t *testing.T) {
	r, w := pipe.New()
	mustWrite(t, w, string(make([]byte, pipe.Capacity)))
	result := make(chan error)
	go func() {
		_, err := w.Write([]byte("more"))
		result <- err
	}()
	close2(t, r)
	if err := <-result; !errors.Is(err, pipe.ErrBroken) {
		t.Errorf("Write = %v, want ErrBroken", err)
	}
}

func TestWritesLargerThanCapacityArriveWhole(t *testing.T) {
	r, w := pipe.New()
	want := bytes.Repeat([]byte("0123456789abcde"), pipe.Capacity/4)
	go func() {
		_, _ = w.Write(want)
		_ = w.Close()
	}()
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("ReadAll: %d bytes, %v; want %d", len(got), err, len(want))
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	r, w := pipe.New()
	if _, err := r.ReadContext(ctx, make([]byte, 1)); !errors.Is(err, cause) {
		t.Errorf("ReadContext = %v, want the cause", err)
	}
	if _, err := r.ReadThrough(ctx, make([]byte, 1), '\n'); !errors.Is(err, cause) {
		t.Errorf("ReadThrough = %v, want the cause", err)
	}
	n, err := w.WriteContext(ctx, make([]byte, pipe.Capacity+5))
	if n != pipe.Capacity || !errors.Is(err, cause) {
		t.Errorf("WriteContext = %d, %v; want %d and the cause", n, err, pipe.Capacity)
	}
}

func TestEmptyReadDoesNotWait(t *testing.T) {
	r, _ := pipe.New()
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("Read(nil) = %d, %v", n, err)
	}
	if n, err := r.ReadThrough(context.Background(), nil, '\n'); n != 0 || err != nil {
		t.Errorf("ReadThrough(nil) = %d, %v", n, err)
	}
}

func TestBufferedTellsWhetherReadWouldWait(t *testing.T) {
	r, w := pipe.New()
	check := func(wantN int, wantReady bool) {
		t.Helper()
		if n, ready := r.Buffered(); n != wantN || ready != wantReady {
			t.Errorf("Buffered = %d, %v; want %d, %v", n, ready, wantN, wantReady)
		}
	}
	check(0, false)
	mustWrite(t, w, "abc")
	check(3, true)
	if _, err := io.ReadFull(r, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	check(0, false)
	close2(t, w)
	check(0, true)
}

func TestReadThroughStopsAfterDelimiter(t *testing.T) {
	r, w := pipe.New()
	mustWrite(t, w, "one\ntwo\nrest")
	close2(t, w)
	buf := make([]byte, 64)
	for _, want := range []string{"one\n", "two\n", "rest", ""} {
		n, err := r.ReadThrough(context.Background(), buf, '\n')
		if string(buf[:n]) != want || (err == io.EOF) != (want == "") {
			t.Errorf("ReadThrough = %q, %v; want %q", buf[:n], err, want)
		}
	}
}

// TestPipeIsAQueueOfBytes holds the ring against the simplest thing that could be right.
func TestPipeIsAQueueOfBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, w := pipe.New()
		var model []byte
		next := byte(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			size := rapid.IntRange(0, 9000).Draw(t, "size")
			switch rapid.IntRange(0, 2).Draw(t, "op") {
			case 0:
				b := make([]byte, min(size, pipe.Capacity-len(model)))
				for i := range b {
					b[i] = next
					next++
				}
				if n, err := w.Write(b); n != len(b) || err != nil {
					t.Fatalf("Write of %d = %d, %v", len(b), n, err)
				}
				model = append(model, b...)
			case 1:
				model = model[sameRead(t, model, size, func(b []byte) (int, error) { return r.Read(b) }, len(model)):]
			case 2:
				delim := byte(rapid.IntRange(0, 255).Draw(t, "delim"))
				limit := len(model)
				if at := bytes.IndexByte(model, delim); at >= 0 {
					limit = at + 1
				}
				read := func(b []byte) (int, error) { return r.ReadThrough(context.Background(), b, delim) }
				model = model[sameRead(t, model, size, read, limit):]
			}
		}
	})
}

// sameRead reads size bytes and wants as many of the model as there are up to limit. It returns how many these are.
func sameRead(t *rapid.T, model []byte, size int, read func([]byte) (int, error), limit int) int {
	if len(model) == 0 {
		return 0 // a read would wait
	}
	b := make([]byte, size)
	n, err := read(b)
	if want := min(size, limit); n != want || err != nil || !bytes.Equal(b[:n], model[:n]) {
		t.Fatalf("read of %d = %d, %v; want %d bytes of the model", size, n, err, want)
	}
	return n
}

func mustWrite(t *testing.T, w io.Writer, s string) {
	t.Helper()
	if n, err := io.WriteString(w, s); n != len(s) || err != nil {
		t.Fatalf("Write(%q) = %d, %v", s, n, err)
	}
}

func close2(t *testing.T, c io.Closer) {
	t.Helper()
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatalf("Close = %v", err)
		}
	}
}
