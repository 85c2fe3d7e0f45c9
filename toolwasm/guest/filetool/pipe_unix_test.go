//go:build unix

package filetool

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestNoToolWaitsForAPipe(t *testing.T) {
	w := newWorkdir(t, nil)
	if err := syscall.Mkfifo(w.path("p"), 0o644); err != nil {
		t.Skip(err)
	}
	for tool, a := range map[string]args{
		"read": {"path": "p"}, "write": {"path": "p", "content": "x"}, "edit": {"path": "p", "edits": edits("a", "b")},
		"apply_patch": {"input": patch("*** Update File: p", "@@", "+x")},
	} {
		if got := w.call(tool, a); got.status != statusFailed || !strings.Contains(got.Text, "named pipe") {
			t.Errorf("%s: status %d: %s", tool, got.status, got.Text)
		}
	}
	if info, err := os.Lstat(w.path("p")); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the pipe is gone: %v %v", info, err)
	}
}
