// Package commandtest runs commands of the toolbox in tests: natively, each in a directory of its
// own, with a spawner that knows only the commands it is given.
package commandtest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/command"
)

// Result is what a command left behind.
type Result struct {
	Stdout, Stderr string
	Status         int
}

// Runner runs commands in a directory that is removed with the test.
type Runner struct {
	t     testing.TB
	table command.Table
	Dir   string
	Env   []string
}

// New returns a Runner for the given commands.
func New(t testing.TB, lists ...[]command.Command) *Runner {
	t.Helper()
	return &Runner{t: t, table: command.NewTable(lists...), Dir: t.TempDir(), Env: []string{"PATH=/usr/bin", "HOME=/home/agent", "TZ=UTC"}}
}

// Write makes a file in the runner's directory.
func (r *Runner) Write(name, content string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Read returns the content of a file in the runner's directory.
func (r *Runner) Read(name string) string {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.Dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

// Run runs argv with the given standard input.
func (r *Runner) Run(stdin string, argv ...string) Result {
	return r.RunContext(context.Background(), stdin, argv...)
}

// RunContext is Run for a command that is to be ended.
func (r *Runner) RunContext(ctx context.Context, stdin string, argv ...string) Result {
	var out, errs bytes.Buffer
	p := &command.Proc{
		Ctx: ctx, Name: argv[0], Args: argv[1:], Dir: r.Dir, Env: command.Vars(r.Env), Stdin: strings.NewReader(stdin),
		Stdout: &out, Stderr: &errs, Umask: 0o022, PID: 2, Table: r.table, Spawner: spawner{r.table},
	}
	status := command.Start(p, r.table[argv[0]])
	return Result{out.String(), errs.String(), status}
}

// spawner runs commands of a table.
type spawner struct{ table command.Table }

func (s spawner) Spawn(parent *command.Proc, spec command.Spec) int {
	c, ok := s.table[spec.Argv[0]]
	if !ok {
		return command.StatusNotFound
	}
	p := &command.Proc{
		Ctx: parent.Ctx, Name: c.Name, Args: spec.Argv[1:], Dir: parent.Dir, Env: parent.Env, Stdin: parent.Stdin,
		Stdout: parent.Stdout, Stderr: parent.Stderr, Umask: parent.Umask, Table: s.table, Spawner: s,
	}
	if spec.Ctx != nil {
		p.Ctx = spec.Ctx
	}
	if spec.Dir != "" {
		p.Dir = spec.Dir
	}
	if spec.Env != nil {
		p.Env = spec.Env
	}
	if spec.Stdin != nil {
		p.Stdin = spec.Stdin
	}
	if spec.Stdout != nil {
		p.Stdout = spec.Stdout
	}
	if spec.Stderr != nil {
		p.Stderr = spec.Stderr
	}
	return command.Start(p, c)
}

func (s spawner) Shell(parent *command.Proc, script string, spec command.Spec) int {
	spec.Argv = strings.Fields(script)
	return s.Spawn(parent, spec)
}

func (s spawner) LookPath(_ *command.Proc, name string) (string, bool) {
	_, ok := s.table[name]
	return "/usr/bin/" + name, ok
}
