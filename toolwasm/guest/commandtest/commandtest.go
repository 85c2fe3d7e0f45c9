// Package commandtest runs commands of the toolbox in tests: natively, each in a directory of its own. Commands that
// run others do so through the shell's own spawner, and find the shell's builtins beside the commands they are given.
package commandtest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/shell"
)

// umask is what the commands take off the modes of files they make.
const umask = 0o022

// Result is what a command left behind.
type Result struct {
	Stdout, Stderr string
	Status         int
}

// Runner runs commands in one directory.
type Runner struct {
	t     testing.TB
	table command.Table
	Dir   string
	Env   []string
}

// New returns a Runner for the given commands in a directory that is removed with the test.
func New(t testing.TB, lists ...[]command.Command) *Runner {
	t.Helper()
	return In(t, t.TempDir(), lists...)
}

// In returns a Runner for the given commands in a directory of the caller's.
func In(t testing.TB, dir string, lists ...[]command.Command) *Runner {
	t.Helper()
	clearUmask()
	lists = append([][]command.Command{shell.Commands()}, lists...)
	return &Runner{
		t: t, table: command.NewTable(lists...), Dir: dir,
		Env: []string{"PATH=/usr/bin", "HOME=/home/agent", "TZ=UTC"},
	}
}

// Write makes a file in the runner's directory.
func (r *Runner) Write(name, content string) {
	r.t.Helper()
	Must(r.t, os.WriteFile(filepath.Join(r.Dir, name), []byte(content), 0o644))
}

// Read returns the content of a file in the runner's directory.
func (r *Runner) Read(name string) string {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.Dir, name))
	Must(r.t, err)
	return string(b)
}

// Run runs argv with the given standard input.
func (r *Runner) Run(stdin string, argv ...string) Result {
	r.t.Helper()
	return r.RunContext(context.Background(), stdin, argv...)
}

// RunContext is Run for a command that is to be ended.
func (r *Runner) RunContext(ctx context.Context, stdin string, argv ...string) Result {
	r.t.Helper()
	c, ok := r.table[argv[0]]
	if !ok {
		r.t.Fatalf("no command %s", argv[0])
	}
	var out, errs bytes.Buffer
	status := command.Start(&command.Proc{
		Ctx: ctx, Name: c.Name, Args: argv[1:], Dir: r.Dir, Env: command.Vars(r.Env), Stdin: strings.NewReader(stdin),
		Stdout: &out, Stderr: &errs, Umask: umask, PID: 2, Table: r.table, Spawner: shell.NewSpawner(r.table),
	}, c)
	return Result{out.String(), errs.String(), status}
}

// Step is one command of a case with what it says.
type Step struct {
	Args   string // split at blanks; "_" stands for a blank
	Stdin  string
	Stdout string
	Stderr string
	Status int
}

// Check runs the steps one after the other.
func (r *Runner) Check(steps []Step) {
	r.t.Helper()
	for _, s := range steps {
		args := strings.Fields(s.Args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		got := r.Run(s.Stdin, args...)
		if want := (Result{s.Stdout, s.Stderr, s.Status}); got != want {
			r.t.Errorf("%s\n got %+v\nwant %+v", s.Args, got, want)
		}
	}
}

// RunIn is Run in any directory, for packages whose tests make one per case.
func RunIn(commands []command.Command) func(t testing.TB, dir, stdin string, argv ...string) Result {
	return func(t testing.TB, dir, stdin string, argv ...string) Result {
		t.Helper()
		return In(t, dir, commands).Run(stdin, argv...)
	}
}

// CheckIn is Check in any directory.
func CheckIn(commands []command.Command) func(t testing.TB, dir string, steps []Step) {
	return func(t testing.TB, dir string, steps []Step) {
		t.Helper()
		In(t, dir, commands).Check(steps)
	}
}

// Tree makes a directory with the files of a case: "name/" is a directory, "name -> target" a link, "name = text" a
// file.
func Tree(t testing.TB, lines ...string) string {
	t.Helper()
	clearUmask()
	dir := t.TempDir()
	for _, l := range lines {
		Must(t, makeEntry(dir, l))
	}
	return dir
}

func makeEntry(dir, line string) error {
	name, target, isLink := strings.Cut(line, " -> ")
	text := ""
	if !isLink {
		name, text, _ = strings.Cut(line, " = ")
	}
	full := filepath.Join(dir, name)
	if strings.HasSuffix(name, "/") {
		return os.MkdirAll(full, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	if isLink {
		return os.Symlink(target, full)
	}
	return os.WriteFile(full, []byte(text), 0o644)
}

// Must ends the test when there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
