package shell_test

import (
	"context"
	"io"
	"strings"
	"sync"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/shell"
)

// lockedWriter is a stream as processes share it: each write is whole.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// runIn runs a script as `bash -c` does in a directory and returns its status.
func runIn(ctx context.Context, table command.Table, dir, script string, stdin io.Reader, stdout, stderr io.Writer, args ...string) int {
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	stdout, stderr = &lockedWriter{w: stdout}, &lockedWriter{w: stderr}
	return command.Start(&command.Proc{
		Ctx: ctx, Name: "bash", Args: append([]string{"-c", script}, args...), Dir: dir,
		Env:   command.Vars{"HOME=/home/agent", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"},
		Stdin: stdin, Stdout: stdout, Stderr: stderr, Umask: 0o022, PID: 2, Table: table, Spawner: shell.NewSpawner(table),
	}, table["bash"])
}
