package sandbox_test

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"openclaw/sandbox"
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

// TestATerminalIsOneToTheGuest checks each stream by itself.
func TestATerminalIsOneToTheGuest(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, telling)
	terminal := openTerminal(t)
	for name, c := range map[string]struct {
		cmd  sandbox.Command
		want int
	}{
		"input":  {sandbox.Command{Stdin: terminal}, 1},
		"output": {sandbox.Command{Stdout: terminal}, 2},
		"errors": {sandbox.Command{Stderr: terminal}, 4},
	} {
		if result, err := box.Run(t.Context(), sandbox.Grant{}, program, c.cmd); err != nil || result.ExitCode != c.want {
			t.Errorf("%s: result %+v, error %v, want the bits %d", name, result, err, c.want)
		}
	}
}
