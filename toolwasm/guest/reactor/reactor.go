// Package reactor is what stands around the commands of a guest program: it turns a call of the host into a
// [command.Proc] and the command's status into the call's.
//
// How to make a program: write its commands as a package (toolwasm/guest/NAME, with Commands() []command.Command) and two
// files that name them. toolwasm/guest/programs/NAME/main_wasip1.go is the guest,
//
//	//go:build wasip1
//
//	// The NAME program as a guest.
//	package main
//
//	import (
//		"openclaw/toolwasm/guest/NAME"
//		"openclaw/toolwasm/guest/reactor"
//	)
//
//	var program = reactor.New("NAME", NAME.Commands())
//
//	func main() {}
//
//	//go:wasmexport openclaw_run
//	func run() int32 { return program.Call() }
//
// and main_native.go beside it, with "//go:build !wasip1", is the same program for trying and measuring it without a
// sandbox: its main is reactor.New("NAME", NAME.Commands()).Main(). Nothing else is needed: `go run
// ./toolwasm/internal/mktoolbox NAME` builds the guest reproducibly into toolwasm/embedded, from where package toolwasm
// offers it to the shell under the names of its commands, and a test compares the committed file with its source.
//
// The host initialises a program once, with no files, arguments or streams, keeps an image of its memory and starts
// each call from that image. So what package-level variables hold is made once and read-only afterwards, and what
// depends on the call (arguments, environment, streams, time, randomness) is read by the commands from their Proc.
package reactor

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// firstPID is the process id of the first command: nothing of the host's numbering is visible.
const firstPID = 2

// StatusNoDirectory is what Run returns when there is no such working directory. No command can: theirs end at 255.
const StatusNoDirectory = 256

// Program is a set of commands that live in one guest.
type Program struct {
	// Name stands before messages of the program itself. A call by a name that is no command's runs the command of this
	// name, when there is one, so that a program can be installed under any name.
	Name  string
	Table command.Table
	// Spawner runs other commands for those of the table.
	Spawner command.Spawner
	// RunsPrograms adds the programs of the host to the table, in each call.
	RunsPrograms bool
}

// New makes a program whose commands run no others.
func New(name string, commands ...[]command.Command) *Program {
	prepare()
	return &Program{Name: name, Table: command.NewTable(commands...), Spawner: alone{}}
}

// WithSpawner makes a program whose commands run others through spawner, programs of the host among them.
func WithSpawner(name string, table command.Table, spawner command.Spawner) *Program {
	prepare()
	return &Program{Name: name, Table: table, Spawner: spawner, RunsPrograms: true}
}

// Process is what the host gives a program to run.
type Process struct {
	Args   []string // Args[0] names the command
	Env    []string
	Dir    string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Inherited finds a further descriptor that the program was started with; see [command.Proc].
	Inherited func(n int) command.Stream
}

// Run runs one command to its end and returns its exit status.
func (g *Program) Run(ctx context.Context, ps Process) int {
	if len(ps.Args) == 0 {
		fmt.Fprintf(ps.Stderr, "%s: no command given\n", g.Name)
		return command.StatusNotFound
	}
	if err := enter(ps.Dir); err != nil {
		fmt.Fprintf(ps.Stderr, "%s: cannot work in %s: %s\n", g.Name, ps.Dir, sys.Strerror(err))
		return StatusNoDirectory
	}
	c, ok := g.find(path.Base(ps.Args[0]))
	if !ok {
		fmt.Fprintf(ps.Stderr, "%s: %s: command not found\n", g.Name, path.Base(ps.Args[0]))
		return command.StatusNotFound
	}
	return command.Start(&command.Proc{
		Ctx: ctx, Name: c.Name, Args: ps.Args[1:], Dir: ps.Dir, Env: command.Vars(ps.Env),
		Stdin: ps.Stdin, Stdout: ps.Stdout, Stderr: ps.Stderr, Inherited: ps.Inherited,
		Umask: fs.FileMode(sys.Umask()), PID: firstPID, Table: g.Table, Spawner: g.Spawner,
	}, c)
}

func (g *Program) find(name string) (command.Command, bool) {
	c, ok := g.Table[name]
	if !ok {
		c, ok = g.Table[g.Name]
	}
	return c, ok
}

// enter checks that a directory can be worked in, as chdir(2) would.
func enter(dir string) error {
	info, err := sys.Stat(dir)
	if err == nil && !info.IsDir() {
		return syscall.ENOTDIR
	}
	return err
}

// alone is the spawner of a program that runs nothing else.
type alone struct{}

// Spawn implements [command.Spawner].
func (alone) Spawn(parent *command.Proc, spec command.Spec) int {
	if len(spec.Argv) == 0 {
		return 0
	}
	parent.Errorf("%s: command not found", spec.Argv[0])
	return command.StatusNotFound
}

// Shell implements [command.Spawner].
func (alone) Shell(parent *command.Proc, _ string, _ command.Spec) int {
	parent.Errorf("sh: command not found")
	return command.StatusNotFound
}

// LookPath implements [command.Spawner].
func (alone) LookPath(*command.Proc, string) (string, bool) { return "", false }
