package shell

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// isToolDir reports whether a directory of PATH holds the toolbox: its commands seem to be installed in /usr/bin, which
// /bin is another name of.
func isToolDir(dir string) bool {
	switch strings.TrimRight(dir, "/") {
	case "/usr/bin", "/bin":
		return true
	}
	return false
}

// toolAt returns the command of the toolbox that a path runs. Scripts name their interpreter in other places too.
func (sh *Shell) toolAt(full string) *command.Command {
	dir, base := path.Split(full)
	switch {
	case isToolDir(dir), dir == "/usr/local/bin/", dir == "/usr/sbin/", dir == "/sbin/":
	default:
		return nil
	}
	if c, ok := sh.sys.table[base]; ok {
		return &c
	}
	return nil
}

// toolInfo describes the file that a command of the toolbox seems to be.
func (sh *Shell) toolInfo(full string) (sys.Info, bool) {
	dir, base := path.Split(full)
	if !isToolDir(dir) || sh.toolAt(full) == nil {
		return sys.Info{}, false
	}
	const mode, size = 0o555, 1 // nobody can write it, and it is not empty
	return sys.Info{Name: base, Mode: mode, Nlink: 1, Size: size}, true
}

// resolve finds the command of a name that is neither function nor builtin. The status is 127 or 126 when it cannot be run.
func (sh *Shell) resolve(name string) (t target, status int) {
	if name == "" {
		return t, command.StatusNotFound
	}
	if strings.Contains(name, "/") {
		return sh.resolvePath(name)
	}
	full, found := sh.lookPath(name)
	if !found {
		if full != "" {
			return t, command.StatusNotExec
		}
		return t, command.StatusNotFound
	}
	return sh.resolvePath(full)
}

// lookPath searches PATH. A file that is not executable is returned with found false.
func (sh *Shell) lookPath(name string) (full string, found bool) {
	if h, ok := sh.hashed[name]; ok {
		h.hits++
		sh.hashed[name] = h
		return h.path, true
	}
	list, set := sh.get("PATH")
	if !set || list == "" {
		list = "."
	}
	hidden := ""
	for _, dir := range strings.Split(list, ":") {
		if dir == "" {
			dir = "."
		}
		full := strings.TrimRight(dir, "/") + "/" + name
		if isToolDir(dir) {
			if _, ok := sh.sys.table[name]; ok {
				sh.remember(name, full)
				return full, true
			}
		}
		info, err := sys.Stat(sh.path(full))
		if err != nil || info.IsDir() {
			continue
		}
		if info.Mode&0o111 != 0 && isScript(sh.path(full)) {
			sh.remember(name, full)
			return full, true
		}
		if hidden == "" && info.Mode&0o111 == 0 {
			hidden = full
		}
	}
	return hidden, false
}

func (sh *Shell) remember(name, full string) {
	if !sh.opt.has(optHashall) {
		return
	}
	if sh.hashed == nil {
		sh.hashed = map[string]hashEntry{}
	}
	sh.hashed[name] = hashEntry{path: full, hits: 1}
}

// isScript tells a text file from a program of the machine, which a sandbox cannot run.
func isScript(full string) bool {
	head, err := readHead(full)
	return err == nil && !bytes.HasPrefix(head, []byte("\x7fELF"))
}

// headSize is how much of a file tells what it is.
const headSize = 256

func readHead(full string) ([]byte, error) {
	f, err := sys.OpenFile(full, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return head[:n], nil
}

// resolvePath finds what a path with a slash runs.
func (sh *Shell) resolvePath(name string) (t target, status int) {
	full := sh.path(name)
	if c := sh.toolAt(full); c != nil {
		return target{cmd: c}, 0
	}
	info, err := sys.Stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return t, command.StatusNotFound
	case err != nil, info.IsDir(), info.Mode&0o111 == 0:
		return t, command.StatusNotExec
	}
	head, err := readHead(full)
	if err != nil {
		return t, command.StatusNotExec
	}
	if isBinary(head) {
		return t, command.StatusNotExec
	}
	t = target{file: name}
	if line, ok := bytes.CutPrefix(head, []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		interp, arg, _ := strings.Cut(strings.Trim(string(line), " \t\r"), " ")
		t.interp = []string{interp}
		if arg = strings.TrimSpace(arg); arg != "" {
			t.interp = append(t.interp, arg)
		}
	}
	return t, 0
}

// isBinary reports whether a file is no text: a NUL in its first line.
func isBinary(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.IndexByte(line, 0) >= 0
}

// notFound reports why a command cannot be run.
func (sh *Shell) notFound(name string, status int) {
	sh.status = status
	switch {
	case status == command.StatusNotFound && strings.Contains(name, "/"):
		sh.errorf("%s: No such file or directory", name)
	case status == command.StatusNotFound:
		if fn := sh.funcs["command_not_found_handle"]; fn != nil {
			sh.call(fn, []string{fn.name, name}, len(sh.temps))
			return
		}
		sh.errorf("%s: command not found%s", name, sh.advice(name))
	default:
		sh.errorf("%s: %s", name, sh.whyNotExec(name))
	}
}

func (sh *Shell) whyNotExec(name string) string {
	full := sh.path(name)
	if !strings.Contains(name, "/") {
		return "Permission denied"
	}
	info, err := sys.Stat(full)
	switch {
	case err != nil:
		return strerror(err)
	case info.IsDir():
		return "Is a directory"
	case info.Mode&0o111 == 0:
		return "Permission denied"
	}
	return "cannot execute binary file: Exec format error"
}

// startScript runs a script file as a process of its own.
func (sh *Shell) startScript(t target, args []string) int {
	if !sh.enter(args[0]) {
		return 1
	}
	defer func() { sh.depth-- }()
	if len(t.interp) == 0 {
		return sh.runChild(append([]string{"bash", t.file}, args[1:]...))
	}
	argv := t.interp
	if baseOf(argv[0]) == "env" && len(argv) == 2 {
		argv = strings.Fields(argv[1])
		if len(argv) > 0 && argv[0] == "-S" {
			argv = argv[1:]
		}
	}
	if len(argv) == 0 {
		return 0
	}
	argv = append(append(append([]string(nil), argv...), t.file), args[1:]...)
	it, status := sh.resolveInterp(argv[0])
	if status != 0 {
		sh.errorf("%s: cannot execute: required file not found%s", t.file, sh.advice(baseOf(argv[0])))
		return command.StatusNotFound
	}
	if it.cmd == nil {
		return sh.startScript(it, argv)
	}
	if isShellName(it.cmd.Name) {
		return sh.runChild(argv)
	}
	return sh.start(it, argv)
}

func (sh *Shell) resolveInterp(name string) (target, int) {
	if c, ok := sh.sys.table[baseOf(name)]; ok {
		return target{cmd: &c}, 0
	}
	return sh.resolve(name)
}

func isShellName(name string) bool { return name == "bash" || name == "sh" }

// runChild runs a new shell with the arguments of bash.
func (sh *Shell) runChild(argv []string) int {
	c, ok := sh.sys.table[baseOf(argv[0])]
	if !ok {
		c = command.Command{Name: "bash", Run: runBash}
	}
	p := sh.proc(argv)
	p.Spawner = &spawner{sys: sh.sys, depth: sh.depth}
	sh.syncFDs()
	status := command.Start(p, c)
	if sh.ctx.Err() != nil {
		sh.die()
	}
	return status
}

func strerror(err error) string { return sys.Strerror(err) }

// sameDir reports whether PWD from the environment names the directory the shell is in.
func (sh *Shell) sameDir(pwd, dir string) bool {
	if pwd == dir {
		return true
	}
	if !strings.HasPrefix(pwd, "/") || path.Clean(pwd) != pwd {
		return false
	}
	a, errA := sys.Stat(pwd)
	b, errB := sys.Stat(dir)
	return errA == nil && errB == nil && a.Same(b)
}
