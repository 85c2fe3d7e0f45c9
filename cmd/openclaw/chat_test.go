package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// chatPatience bounds what the tests wait for.
const chatPatience = 20 * time.Second

// interactive is a conversation whose lines on standard error can be waited for.
type interactive struct {
	*talking
	lines  chan string
	stdout strings.Builder
}

func startInteractive(t *testing.T, script string) *interactive {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "script.json")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &talking{t: t, cmd: exec.Command(os.Args[0], "chat", "--model", "script/"+path)}
	i := &interactive{talking: c, lines: make(chan string, 100)}
	c.cmd.Args[0] = "openclaw"
	c.cmd.Env = append(os.Environ(), "OPENCLAW_STATE_DIR="+filepath.Join(dir, "state"))
	c.cmd.Stdout = &i.stdout
	stderr, err := c.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(i.lines)
		for s := bufio.NewScanner(stderr); s.Scan(); {
			i.lines <- s.Text()
		}
	}()
	return i
}

// until waits for a line.
func (i *interactive) until(part string) {
	i.t.Helper()
	deadline := time.After(chatPatience)
	for {
		select {
		case line, ok := <-i.lines:
			if !ok {
				i.t.Fatalf("it ended before it said %q", part)
			}
			if strings.Contains(line, part) {
				return
			}
		case <-deadline:
			i.t.Fatalf("it never said %q", part)
		}
	}
}

func (i *interactive) interrupt() {
	i.t.Helper()
	if err := i.cmd.Process.Signal(syscall.SIGINT); err != nil {
		i.t.Fatal(err)
	}
}

// end waits for the end and gives the exit status.
func (i *interactive) end() int {
	for range i.lines { // until it ends
	}
	_ = i.cmd.Wait() // the status says it
	return i.cmd.ProcessState.ExitCode()
}

func TestCtrlCStopsAndTwiceLeaves(t *testing.T) {
	compileToolbox(t)
	i := startInteractive(t, `{"turns":[{"calls":[{"name":"exec","arguments":{"command":"true"}}]},{"delayMs":600000,"text":"Never."}]}`)
	i.say("begin")
	i.until("· exec true")
	i.interrupt()
	i.until("· stopped")
	i.say("/status")
	i.say("/stop it please") // a sentence: it begins a run
	i.say("/queue followup")
	i.say("later")
	i.until("· taken (followup)")
	time.Sleep(leaveWithin)
	i.interrupt()
	i.until("taken back")
	i.interrupt()
	if status := i.end(); status != 130 {
		t.Errorf("exit status %d", status)
	}
	if out := i.stdout.String(); !strings.Contains(out, "Idle; 0 messages wait") {
		t.Errorf("standard output %q", out)
	}
}

func TestTheEndOfTheInputWaitsForWhatIsQueued(t *testing.T) {
	compileToolbox(t)
	i := startInteractive(t, `{"turns":[{"delayMs":200,"text":"1"},{"text":"2"},{"text":"3"}]}`)
	for _, line := range []string{"/queue followup debounce:10", "a", "b", "c"} {
		i.say(line)
	}
	_ = i.in.Close()
	if status := i.end(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if out := i.stdout.String(); !strings.HasSuffix(out, "\n1\n2\n3\n") {
		t.Errorf("standard output %q", out)
	}
}
