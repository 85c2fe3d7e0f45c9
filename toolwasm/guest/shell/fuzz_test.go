package shell_test

import (
	"context"
	"io"
	"runtime"
	"testing"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/shell"
	"openclaw/toolwasm/guest/shell/syntax"
)

// FuzzScript runs scripts for a short time: whatever they are, the shell neither panics nor outlives its context.
func FuzzScript(f *testing.F) {
	for _, b := range behaviours(f) {
		f.Add(b.script)
	}
	table := command.NewTable(shell.Commands())
	f.Fuzz(func(t *testing.T, script string) {
		const longest = 2000
		if len(script) > longest {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		done := make(chan struct{})
		go func() {
			defer close(done)
			runIn(ctx, table, t.TempDir(), "cd /dev/null; "+script, nil, io.Discard, io.Discard)
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			buf := make([]byte, 1<<16)
			t.Fatalf("still running: %q\n%s", script, buf[:runtime.Stack(buf, true)])
		}
	})
}

// FuzzParse parses any text and formats what it has parsed.
func FuzzParse(f *testing.F) {
	for _, b := range behaviours(f) {
		f.Add(b.script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		l, err := syntax.ParseAll(script, 1, syntax.Options{Extglob: func() bool { return true }})
		if err != nil {
			return
		}
		for _, it := range l.Items {
			syntax.Format(it.Cmd)
		}
	})
}
