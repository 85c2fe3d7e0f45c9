package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"syscall"
	"testing"

	"openclaw/runtime/session"
)

// TestTailFollowsASession reads what another process would append, across a new window, until it is interrupted.
func TestTailFollowsASession(t *testing.T) {
	state := t.TempDir()
	t.Setenv("OPENCLAW_STATE_DIR", state)
	store, err := session.Open(t.Context(), session.Options{Path: session.Path(state, "main")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w, err := store.Claim(t.Context(), session.ClaimOptions{Key: "agent:main:main", Create: &session.CreateOptions{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Release(context.Background(), session.StatusDone) })
	say := func(text string) {
		t.Helper()
		e, err := session.NewMessage(map[string]string{"role": "user", "content": text})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	say("before the last")
	say("the last")

	ctx, cancel := context.WithCancelCause(t.Context())
	read, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		var problems strings.Builder
		ended <- run(ctx, []string{"openclaw", "sessions", "tail", "main", "--follow", "--limit", "1", "--json"}, streams{strings.NewReader(""), write, &problems})
		if problems.Len() > 0 {
			t.Error(problems.String())
		}
		write.Close()
	}()
	lines := bufio.NewScanner(read)
	want := func(text string) {
		t.Helper()
		if !lines.Scan() || !strings.Contains(lines.Text(), `"content":"`+text+`"`) || !strings.HasSuffix(lines.Text(), "}") {
			t.Fatalf("read %q, wanted %q", lines.Text(), text)
		}
	}
	want("the last")
	say("next")
	want("next")
	say("end of the window")
	for _, text := range []string{"first window", "second window"} {
		if _, err := w.Rollover(t.Context(), session.ReasonReset, ""); err != nil {
			t.Fatal(err)
		}
		say(text)
	}
	want("end of the window")
	want("first window")
	want("second window")
	cancel(signalError{syscall.SIGINT})
	if lines.Scan() {
		t.Errorf("more: %q", lines.Text())
	}
	if status := <-ended; status != 130 {
		t.Errorf("status %d", status)
	}
}
