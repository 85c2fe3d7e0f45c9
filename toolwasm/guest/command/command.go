// Package command is what every program of the toolbox is written against: a process-like
// context, [Proc], and a table of named functions.
//
// A command sees files, streams, arguments and environment only through its Proc, so that
// hundreds of "processes" can live in one guest, each with its own directory and streams. It
// behaves as a process would: writing to a pipe that nobody reads ends it with status
// 141, cancellation ends it at its next read, write or [Proc.Yield], and what it has buffered is written
// when it returns.
package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"sort"

	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/sys"
)

// Exit statuses that have a meaning across commands.
const (
	StatusOK          = 0
	StatusInternal    = 70 // a fault of the command's own program
	StatusNotFound    = 127
	StatusNotExec     = 126
	StatusSignalBase  = 128
	StatusBrokenPipe  = StatusSignalBase + 13
	defaultBufferSize = 32 << 10
)

// Func is the body of a command. It returns the exit status.
type Func func(p *Proc) int

// Command is one entry of the toolbox.
type Command struct {
	Name string
	Run  Func
	// Help is the text of --help, beginning with "Usage: ". A command with an empty Help handles --help itself
	// (echo, test, true …).
	Help string
}

// Table finds commands by name.
type Table map[string]Command

// NewTable makes a table of the given commands.
func NewTable(lists ...[]Command) Table {
	t := Table{}
	for _, l := range lists {
		for _, c := range l {
			t[c.Name] = c
		}
	}
	return t
}

// Names lists the commands, sorted.
func (t Table) Names() []string {
	names := make([]string, 0, len(t))
	for n := range t {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Environ is the environment of a command.
type Environ interface {
	// Get returns the value of an exported variable.
	Get(name string) (string, bool)
	// List returns "NAME=value" strings in the order in which the variables were made.
	List() []string
}

// Vars is an Environ of "NAME=value" strings; a later one wins.
type Vars []string

// Get implements [Environ].
func (v Vars) Get(name string) (string, bool) {
	for i := len(v) - 1; i >= 0; i-- {
		s := v[i]
		if len(s) > len(name) && s[len(name)] == '=' && s[:len(name)] == name {
			return s[len(name)+1:], true
		}
	}
	return "", false
}

// List implements [Environ].
func (v Vars) List() []string { return v }

// Stream is an open file description that a descriptor of a command refers to: an *os.File, an end of a pipe, or a
// text. It implements io.Reader, io.Writer or both.
type Stream any

// Spawner runs other commands for a command: by the rules of the shell (functions excepted), a name from the
// table, a script with #! or a path.
type Spawner interface {
	// Spawn runs argv to its end in a process of its own. The child takes what spec leaves empty from the parent.
	Spawn(parent *Proc, spec Spec) (status int)
	// Shell runs a script as `sh -c script name args…` would, in a process of its own.
	Shell(parent *Proc, script string, spec Spec) (status int)
	// LookPath tells which file or command a name stands for, as `which` prints it.
	LookPath(p *Proc, name string) (string, bool)
}

// Spec says how a child differs from its parent.
type Spec struct {
	Argv   []string
	Dir    string          // "" for the parent's
	Env    Environ         // nil for the parent's
	Stdin  io.Reader       // nil for the parent's
	Stdout io.Writer       // nil for the parent's
	Stderr io.Writer       // nil for the parent's
	Ctx    context.Context // nil for the parent's; when done the child ends
}

// Proc is a running command.
type Proc struct {
	// Ctx is done when the command has been killed; its cause may be a *Signal.
	Ctx  context.Context
	Name string   // as in messages: argv[0] without directories
	Args []string // without the name
	Dir  string   // the working directory, absolute
	Env  Environ

	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Files holds further descriptors (3 and up), for /dev/fd/N. May be nil.
	Files map[int]Stream
	// Inherited, when set, finds a descriptor that is not in Files, nil when it is not open.
	Inherited func(n int) Stream

	Umask fs.FileMode
	PID   int
	Spawner
	// Table is the toolbox that the command is part of.
	Table Table

	out *bufio.Writer
}

// Signal is the cause of a context whose command has been sent a signal.
type Signal struct{ Number int }

func (s *Signal) Error() string { return fmt.Sprintf("command: killed by signal %d", s.Number) }

// exit unwinds a command; Start recovers it.
type exit struct{ status int }

// Start runs a command's function on p and returns its status. It is where a broken pipe, a signal and Exit become
// statuses, --help is answered and buffered output is written.
func Start(p *Proc, c Command) (status int) {
	p.Stdout = &output{p: p, w: p.Stdout}
	p.Stderr = &output{p: p, w: p.Stderr}
	if p.Stdin != nil {
		p.Stdin = &input{p: p, r: p.Stdin}
	}
	defer func() {
		if containFaults {
			status = p.contain(recover(), status)
		}
	}()
	status = guard(func() int {
		if c.Help != "" && len(p.Args) == 1 && p.Args[0] == "--help" {
			fmt.Fprint(p.Out(), c.Help)
			return 0
		}
		return c.Run(p)
	})
	return guard(func() int {
		if err := p.Flush(); err != nil {
			p.Errorf("write error: %s", sys.Strerror(err))
			if status == 0 {
				return 1
			}
		}
		return status
	})
}

// containFaults tells that a fault of one command ends that command only: in the guest all share one program, and a panic would end the
// whole script. Tests run natively and are to see it.
const containFaults = runtime.GOOS == "wasip1"

// contain reports a fault, if there was one.
func (p *Proc) contain(fault any, status int) int {
	if fault == nil {
		return status
	}
	if e, ok := fault.(exit); ok {
		return e.status // of a signal that came while the command was being ended
	}
	_ = guard(func() int {
		fmt.Fprintf(p.Stderr, "%s: internal error: %v\n", p.Name, fault)
		return 0
	})
	return StatusInternal
}

func guard(f func() int) (status int) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exit:
			status = e.status
		default:
			panic(e)
		}
	}()
	return f()
}

// Exit ends the command now with the given status; what it has buffered is still written.
func (p *Proc) Exit(status int) { panic(exit{status}) }

// Out returns the buffered standard output. It is flushed when the command returns, and before it waits for its
// standard input.
func (p *Proc) Out() *bufio.Writer {
	if p.out == nil {
		p.out = bufio.NewWriterSize(p.Stdout, defaultBufferSize)
	}
	return p.out
}

// Flush writes what Out holds.
func (p *Proc) Flush() error {
	if p.out == nil {
		return nil
	}
	return p.out.Flush()
}

// Yield lets other commands of the guest run, and ends this one when it has been killed. Loops that neither read nor
// write call it every few thousand steps.
func (p *Proc) Yield() {
	sys.Yield()
	p.check()
}

// check ends the command when its context is done.
func (p *Proc) check() {
	if p.Ctx == nil || p.Ctx.Err() == nil {
		return
	}
	panic(exit{SignalStatus(p.Ctx)})
}

// SignalStatus is the exit status of a command whose context is done: 128 plus the signal's number.
func SignalStatus(ctx context.Context) int {
	var s *Signal
	if errors.As(context.Cause(ctx), &s) {
		return StatusSignalBase + s.Number
	}
	const sigterm = 15
	return StatusSignalBase + sigterm
}

// Errorf writes "name: message" and a newline to standard error, after what standard output holds.
func (p *Proc) Errorf(format string, args ...any) {
	_ = p.Flush()
	fmt.Fprintf(p.Stderr, "%s: %s\n", p.Name, fmt.Sprintf(format, args...))
}

// Fail reports err about subject as GNU does ("name: subject: No such file or directory") and returns 1.
func (p *Proc) Fail(subject string, err error) int {
	p.Errorf("%s: %s", subject, sys.Strerror(err))
	return 1
}

// Usage reports a mistake in the command line in GNU's form and returns status.
func (p *Proc) Usage(status int, format string, args ...any) int {
	p.Errorf(format, args...)
	fmt.Fprintf(p.Stderr, "Try '%s --help' for more information.\n", p.Name)
	return status
}

// Options parses the command line; on a mistake it reports it and ends the command with status.
func (p *Proc) Options(status int, spec getopt.Spec) ([]getopt.Option, []string) {
	opts, operands, err := getopt.Parse(p.Args, spec)
	if err == nil {
		return opts, operands
	}
	if p.helpAsked() {
		fmt.Fprint(p.Out(), p.Table[p.Name].Help)
		p.Exit(0)
	}
	p.Exit(p.Usage(status, "%s", err.Error()))
	return nil, nil
}

// helpAsked reports whether --help stands among other arguments of a command that has a help text.
func (p *Proc) helpAsked() bool {
	if p.Table[p.Name].Help == "" {
		return false
	}
	for _, a := range p.Args {
		if a == "--" {
			return false
		}
		if a == "--help" {
			return true
		}
	}
	return false
}

// output ends the command as SIGPIPE would when its reader has gone.
type output struct {
	p *Proc
	w io.Writer
}

type contextWriter interface {
	WriteContext(context.Context, []byte) (int, error)
}

type contextReader interface {
	ReadContext(context.Context, []byte) (int, error)
}

func (o *output) Write(b []byte) (n int, err error) {
	o.p.check()
	if w, ok := o.w.(contextWriter); ok && o.p.Ctx != nil {
		n, err = w.WriteContext(o.p.Ctx, b)
	} else {
		n, err = o.w.Write(b)
	}
	if err == nil {
		return n, nil
	}
	o.p.check()
	if IsBrokenPipe(err) {
		if o.p.out != nil {
			o.p.out.Reset(io.Discard)
		}
		panic(exit{StatusBrokenPipe})
	}
	return n, err
}

// Unwrap returns the stream that the writer stands for.
func (o *output) Unwrap() Stream { return o.w }

type input struct {
	p *Proc
	r io.Reader
}

func (i *input) Read(b []byte) (n int, err error) {
	i.p.check()
	if i.p.out != nil && i.p.out.Buffered() > 0 {
		if err := i.flushBeforeWaiting(); err != nil {
			return 0, err
		}
	}
	if r, ok := i.r.(contextReader); ok && i.p.Ctx != nil {
		n, err = r.ReadContext(i.p.Ctx, b)
	} else {
		n, err = i.r.Read(b)
	}
	if err != nil && err != io.EOF {
		i.p.check()
	}
	return n, err
}

// flushBeforeWaiting keeps a pipeline moving: a reader that is about to wait shows what it has so far.
func (i *input) flushBeforeWaiting() error {
	if r, ok := i.r.(*pipe.Reader); ok {
		if _, ready := r.Buffered(); ready {
			return nil
		}
		return i.p.out.Flush()
	}
	return nil
}

// Unwrap returns the stream that the reader stands for.
func (i *input) Unwrap() Stream { return i.r }

// Unwrap returns the stream behind Proc.Stdin, Stdout or Stderr: an *os.File when it is one.
func Unwrap(s any) Stream {
	for {
		u, ok := s.(interface{ Unwrap() Stream })
		if !ok {
			return s
		}
		s = u.Unwrap()
	}
}
