package shell_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/shell"
)

// openTerminal opens a terminal and returns the end that programs are given.
func openTerminal(t *testing.T) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return terminal
}

func TestTestTellsATerminal(t *testing.T) {
	const script = `for n in 0 1 9; do if [ -t $n ]; then echo "$n yes"; fi; done
[[ -t 0 ]] && echo again
[ -t 0 ] </dev/null || echo "not the null device"
echo | { [ -t 0 ] || echo "no pipe"; }
exec 9<&0; [ -t 9 ] && echo "a copy"`
	const want = "0 yes\nagain\nnot the null device\nno pipe\na copy\n"
	var out, errs bytes.Buffer
	runIn(t.Context(), command.NewTable(shell.Commands()), t.TempDir(), script, openTerminal(t), &out, &errs)
	if out.String() != want || errs.Len() > 0 {
		t.Errorf("%q, %q, want %q", out.String(), errs.String(), want)
	}
}
