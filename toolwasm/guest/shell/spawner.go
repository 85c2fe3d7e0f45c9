package shell

import (
	"errors"
	"io"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
)

var (
	errIsDir    error = syscall.EISDIR
	errTooLarge       = errors.New("shell: read script: too large")
)

// spawner runs commands by the rules of the shell for those that run others: xargs, find, env, timeout.
type spawner struct {
	sys   *system
	depth int // how deep the shell that started the command is nested
}

// NewSpawner returns what commands such as xargs and find use to run others.
func NewSpawner(table command.Table) command.Spawner { return &spawner{sys: newSystem(table)} }

// child makes the process that spec describes.
func child(parent *command.Proc, spec command.Spec) *command.Proc {
	p := &command.Proc{
		Ctx: parent.Ctx, Dir: parent.Dir, Env: parent.Env, Files: parent.Files, Umask: parent.Umask,
		Stdin: inherit[io.Reader](parent.Stdin), Stdout: inherit[io.Writer](parent.Stdout), Stderr: inherit[io.Writer](parent.Stderr),
		Spawner: parent.Spawner, Table: parent.Table,
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
	return p
}

// inherit hands a stream on without the wrapping that ends the parent when it breaks.
func inherit[T any](s T) T {
	if u, ok := command.Unwrap(s).(T); ok {
		return u
	}
	return s
}

// Spawn implements [command.Spawner].
func (s *spawner) Spawn(parent *command.Proc, spec command.Spec) int {
	if len(spec.Argv) == 0 {
		return 0
	}
	_ = parent.Flush()
	p := child(parent, spec)
	p.Name = parent.Name
	sh := s.shell(p, parent)
	defer s.endShell(sh)
	t, status := sh.resolve(spec.Argv[0])
	if status != 0 {
		msg := "No such file or directory"
		if status == command.StatusNotExec {
			msg = sh.whyNotExec(spec.Argv[0])
		}
		name := spec.Argv[0]
		if hint := sh.advice(name); hint != "" {
			msg += hint
		}
		sh.write(2, parent.Name+": "+quoted(parent.Name, name)+": "+msg+"\n")
		return status
	}
	return sh.start(t, spec.Argv)
}

// quoted quotes a name as the command that could not run it does.
func quoted(by, name string) string {
	switch by {
	case "env", "find", "timeout", "nice", "nohup":
		return "‘" + name + "’"
	}
	return name
}

// shell makes a shell that only starts one command.
func (s *spawner) shell(p, parent *command.Proc) *Shell {
	p.PID = s.sys.pid()
	sh := newShell(p, s.sys)
	sh.arg0 = parent.Name
	sh.depth = s.depth
	sh.env = p.Env
	return sh
}

func (s *spawner) endShell(sh *Shell) {
	sh.exiting = true
	sh.finish()
	sh.close()
}

// Shell implements [command.Spawner].
func (s *spawner) Shell(parent *command.Proc, script string, spec command.Spec) int {
	_ = parent.Flush()
	p := child(parent, spec)
	p.PID = s.sys.pid()
	p.Name = "sh"
	p.Args = append([]string{"-c", script}, spec.Argv...)
	return command.Start(p, command.Command{Name: "sh", Run: runSh})
}

// LookPath implements [command.Spawner].
func (s *spawner) LookPath(p *command.Proc, name string) (string, bool) {
	q := child(p, command.Spec{})
	sh := s.shell(q, p)
	defer s.endShell(sh)
	if strings.Contains(name, "/") {
		_, status := sh.resolvePath(name)
		return name, status == 0
	}
	full, ok := sh.lookPath(name)
	return full, ok
}
