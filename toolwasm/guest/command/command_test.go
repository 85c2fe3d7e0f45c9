package command_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/pipe"
)

// started is what a command left behind.
type started struct {
	out, err string
	status   int
}

func start(run command.Func, change func(*command.Proc), args ...string) started {
	var out, errs bytes.Buffer
	c := command.Command{Name: "it", Run: run, Help: "Usage: it\n"}
	p := &command.Proc{
		Ctx: context.Background(), Name: "it", Args: args, Dir: "/", Env: command.Vars{}, Stdin: strings.NewReader(""),
		Stdout: &out, Stderr: &errs, Table: command.NewTable([]command.Command{c}),
	}
	if change != nil {
		change(p)
	}
	status := command.Start(p, c)
	return started{out.String(), errs.String(), status}
}

// options parses -a and says what it got.
func options(p *command.Proc) int {
	opts, operands := p.Options(2, getopt.Spec{Short: "a"})
	fmt.Fprintf(p.Out(), "%d%v", len(opts), operands)
	return 0
}

func TestStart(t *testing.T) {
	for name, c := range map[string]struct {
		run  command.Func
		args []string
		want started
	}{
		"buffered output is written": {
			run:  func(p *command.Proc) int { fmt.Fprint(p.Out(), "text"); return 3 },
			want: started{"text", "", 3},
		},
		"Exit ends the command and keeps its output": {
			run: func(p *command.Proc) int {
				fmt.Fprint(p.Out(), "text")
				p.Exit(4)
				return 0
			},
			want: started{"text", "", 4},
		},
		"help is answered":                         {run: options, args: []string{"--help"}, want: started{"Usage: it\n", "", 0}},
		"options are parsed":                       {run: options, args: []string{"x", "-a"}, want: started{"1[x]", "", 0}},
		"a wrong option names the way to the help": {run: options, args: []string{"-x"}, want: started{"", "it: invalid option -- 'x'\nTry 'it --help' for more information.\n", 2}},
		"help is answered among other arguments":   {run: options, args: []string{"x", "--help"}, want: started{"Usage: it\n", "", 0}},
		"help behind -- is an operand":             {run: options, args: []string{"--", "--help"}, want: started{"0[--help]", "", 0}},
		"failures read as GNU's": {
			run: func(p *command.Proc) int {
				_, err := p.Open("none such")
				return p.Fail("none such", err)
			},
			want: started{"", "it: none such: No such file or directory\n", 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := start(c.run, nil, c.args...); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestErrorsComeAfterTheOutputBeforeThem(t *testing.T) {
	var both bytes.Buffer
	start(func(p *command.Proc) int {
		fmt.Fprint(p.Out(), "first\n")
		p.Errorf("second %d", 2)
		return 0
	}, func(p *command.Proc) { p.Stdout, p.Stderr = &both, &both })
	if got, want := both.String(), "first\nit: second 2\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWriteErrorFailsTheCommand(t *testing.T) {
	write := func(status int) command.Func {
		return func(p *command.Proc) int { fmt.Fprint(p.Out(), "x"); return status }
	}
	full := func(p *command.Proc) { p.Stdout = failingWriter{syscall.ENOSPC} }
	for status, want := range map[int]int{0: 1, 5: 5} {
		got := start(write(status), full)
		if got.status != want || got.err != "it: write error: No space left on device\n" {
			t.Errorf("status %d becomes %d, %q", status, got.status, got.err)
		}
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

func TestBrokenPipeEndsTheCommandQuietly(t *testing.T) {
	for name, w := range map[string]io.Writer{
		"of the guest":  brokenPipe(),
		"of the system": failingWriter{syscall.EPIPE},
	} {
		t.Run(name, func(t *testing.T) {
			after := false
			got := start(func(p *command.Proc) int {
				fmt.Fprint(p.Out(), "x")
				_ = p.Flush()
				after = true
				return 0
			}, func(p *command.Proc) { p.Stdout = w })
			if got.status != command.StatusBrokenPipe || got.err != "" || after {
				t.Errorf("got %+v, went on: %v", got, after)
			}
		})
	}
}

func brokenPipe() io.Writer {
	r, w := pipe.New()
	_ = r.Close()
	return w
}

func TestSignalEndsTheCommand(t *testing.T) {
	const sigint, sigterm = 2, 15
	for name, act := range map[string]func(*command.Proc){
		"that computes": func(p *command.Proc) { p.Yield() },
		"that writes":   func(p *command.Proc) { _, _ = p.Stdout.Write([]byte("x")) },
		"that reads":    func(p *command.Proc) { _, _ = p.Stdin.Read(make([]byte, 1)) },
	} {
		for cause, want := range map[error]int{&command.Signal{Number: sigint}: sigint, errors.New("other"): sigterm} {
			ctx, cancel := context.WithCancelCause(context.Background())
			after := false
			got := start(func(p *command.Proc) int {
				cancel(cause)
				act(p)
				after = true
				return 0
			}, func(p *command.Proc) { p.Ctx = ctx })
			if got.status != command.StatusSignalBase+want || after {
				t.Errorf("%s: %v: status %d, went on: %v", name, cause, got.status, after)
			}
		}
	}
}

func TestSignalEndsAWaitForAPipe(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	r, w := pipe.New()
	defer w.Close()
	got := start(func(p *command.Proc) int {
		go cancel(&command.Signal{Number: 9})
		_, _ = io.ReadAll(p.Stdin)
		return 0
	}, func(p *command.Proc) { p.Ctx, p.Stdin = ctx, r })
	if want := command.StatusSignalBase + 9; got.status != want {
		t.Errorf("status %d, want %d", got.status, want)
	}
}

func TestOutputIsFlushedBeforeWaitingForInput(t *testing.T) {
	inR, inW := pipe.New()
	outR, outW := pipe.New()
	done := make(chan started)
	go func() {
		done <- start(func(p *command.Proc) int {
			fmt.Fprint(p.Out(), "question?")
			b := make([]byte, 6)
			_, _ = io.ReadFull(p.Stdin, b)
			return len(b)
		}, func(p *command.Proc) { p.Stdin, p.Stdout = inR, outW })
	}()
	b := make([]byte, len("question?"))
	if _, err := io.ReadFull(outR, b); err != nil || string(b) != "question?" {
		t.Errorf("before the answer: %q, %v", b, err)
	}
	_, _ = io.WriteString(inW, "answer")
	if got := <-done; got.status != 6 {
		t.Errorf("got %+v", got)
	}
}

func TestVarsLaterOneWins(t *testing.T) {
	v := command.Vars{"A=1", "AB=2", "A=3=", "C", "D="}
	for name, want := range map[string]string{"A": "3=", "AB": "2", "D": ""} {
		if got, ok := v.Get(name); got != want || !ok {
			t.Errorf("Get(%s) = %q, %v; want %q", name, got, ok, want)
		}
	}
	for _, name := range []string{"B", "C", ""} {
		if got, ok := v.Get(name); ok {
			t.Errorf("Get(%s) = %q", name, got)
		}
	}
}

func TestTableNamesAreSorted(t *testing.T) {
	table := command.NewTable([]command.Command{{Name: "b"}, {Name: "c", Help: "old"}}, []command.Command{{Name: "a"}, {Name: "c", Help: "new"}})
	if got := table.Names(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("Names = %q", got)
	}
	if table["c"].Help != "new" {
		t.Error("the earlier command of a name stayed")
	}
}
