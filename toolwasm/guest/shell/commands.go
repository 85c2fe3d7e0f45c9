package shell

import (
	"errors"
	"io"
	"os"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

const bashHelp = `Usage: bash [options] [script [argument]...]
       bash [options] -c commands [name [argument]...]
       bash [options] -s [argument]...
Run shell commands from a script, from the argument of -c, or from standard input.

  -c COMMANDS     run COMMANDS; the next operand becomes $0
  -s              read commands from standard input
  -e -u -x -v -n -f -a -C …  as with set
  -o OPTION       set an option (pipefail, errexit …); +o unsets it
  -O OPTION       set an option of shopt; +O unsets it
  --posix         behave as POSIX says where bash differs
  --norc --noprofile --login --  accepted
  --version       print the version
  --help          print this text
`

const shHelp = `Usage: sh [options] [script [argument]...]
       sh [options] -c commands [name [argument]...]
Run shell commands as bash does in POSIX mode, with the echo of other shells: it always expands escapes and
knows -n alone. The options are those of bash.
`

// Commands lists what the package adds to the toolbox: the shell, and those of its builtins that are useful as
// commands of their own.
func Commands() []command.Command {
	list := []command.Command{
		{Name: "bash", Run: runBash, Help: bashHelp},
		{Name: "sh", Run: runSh, Help: shHelp},
	}
	for _, name := range []string{"[", "echo", "false", "kill", "printf", "pwd", "test", "true"} {
		list = append(list, command.Command{Name: name, Run: builtinCommand(name)})
	}
	return list
}

// builtinCommand runs a builtin as a command.
func builtinCommand(name string) command.Func {
	return func(p *command.Proc) int {
		sh := newShell(p, systemOf(p))
		sh.arg0 = name
		b := findBuiltin(name)
		sh.status = b(sh, nil, append([]string{name}, p.Args...))
		sh.exiting = true
		sh.finish()
		sh.close()
		return sh.status
	}
}

func systemOf(p *command.Proc) *system {
	if s, ok := p.Spawner.(*spawner); ok {
		return s.sys
	}
	return newSystem(p.Table)
}

func runBash(p *command.Proc) int { return runShell(p, false) }

func runSh(p *command.Proc) int { return runShell(p, true) }

// invocation is a command line of the shell.
type invocation struct {
	command  string
	hasCmd   bool
	stdin    bool
	operands []string
}

// runShell is the main function of bash and sh.
func runShell(p *command.Proc, posix bool) int {
	sh := newShell(p, systemOf(p))
	if s, ok := p.Spawner.(*spawner); ok {
		sh.depth = s.depth
	}
	sh.arg0 = p.Name
	if posix {
		sh.dash = true
		sh.opt |= optPosix
		sh.shopt |= shoptExpandAliases
	}
	inv, status, ok := sh.parseArgs(p.Args)
	if !ok {
		sh.status = status
	} else {
		sh.main(inv)
	}
	sh.finish()
	sh.reap()
	sh.close()
	return sh.status
}

// parseArgs reads the options of the shell.
func (sh *Shell) parseArgs(args []string) (inv invocation, status int, ok bool) {
	for len(args) > 0 {
		a := args[0]
		if a == "-" || a == "--" {
			args = args[1:]
			break
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			break
		}
		args = args[1:]
		if strings.HasPrefix(a, "--") {
			if status, ok := sh.longOption(a); !ok {
				return inv, status, false
			}
			if a == "--rcfile" || a == "--init-file" {
				args = args[min(1, len(args)):]
			}
			continue
		}
		if args, status, ok = sh.shortOptions(&inv, a, args); !ok {
			return inv, status, false
		}
	}
	if inv.hasCmd {
		if len(args) == 0 {
			sh.write(2, sh.arg0+": -c: option requires an argument\n")
			return inv, 2, false
		}
		inv.command, args = args[0], args[1:]
	}
	inv.operands = args
	return inv, 0, true
}

func (sh *Shell) longOption(a string) (status int, ok bool) {
	switch a {
	case "--posix":
		sh.opt |= optPosix
		sh.shopt |= shoptExpandAliases
	case "--norc", "--noprofile", "--login", "--noediting", "--restricted", "--rcfile", "--init-file":
	case "--verbose":
		sh.opt |= optVerbose
	case "--version":
		sh.print("GNU bash, version " + version + " (x86_64-pc-linux-gnu), as the sandbox's shell understands it\n")
		sh.flush()
		return 0, false
	case "--help":
		sh.print(bashHelp)
		sh.flush()
		return 0, false
	default:
		sh.write(2, sh.arg0+": "+a+": invalid option\n")
		return 2, false
	}
	return 0, true
}

func (sh *Shell) shortOptions(inv *invocation, a string, args []string) (rest []string, status int, ok bool) {
	on := a[0] == '-'
	for _, c := range []byte(a[1:]) {
		switch c {
		case 'c':
			inv.hasCmd = true
		case 's':
			inv.stdin = true
		case 'i', 'l', 'r', 'D':
		case 'o', 'O':
			if len(args) == 0 {
				return args, sh.listOptions(c, on), false
			}
			if !sh.namedOption(c, args[0], on) {
				sh.write(2, sh.arg0+": "+args[0]+": invalid option name\n")
				return args, 2, false
			}
			args = args[1:]
		default:
			o, known := optionByLetter(c)
			if !known {
				sh.write(2, sh.arg0+": "+a[:1]+string(c)+": invalid option\n")
				return args, 2, false
			}
			sh.opt.put(o, on)
		}
	}
	return args, 0, true
}

func (sh *Shell) listOptions(c byte, on bool) int {
	if c == 'o' {
		sh.showOptions(on)
	} else {
		sh.showShopts(!on, nil)
	}
	sh.flush()
	return 0
}

func (sh *Shell) namedOption(c byte, name string, on bool) bool {
	if c == 'o' {
		o, ok := optionByName(name)
		sh.opt.put(o, on)
		return ok
	}
	o, ok := shoptByName(name)
	sh.shopt.put(o, on)
	return ok
}

// main runs what the command line asks for.
func (sh *Shell) main(inv invocation) {
	switch {
	case inv.hasCmd:
		sh.startFlag = "c"
		if len(inv.operands) > 0 {
			sh.arg0 = inv.operands[0]
			sh.params = inv.operands[1:]
		}
		sh.runSource(source{text: inv.command, label: "-c", echo: true})
	case len(inv.operands) > 0 && !inv.stdin:
		sh.runFile(inv.operands[0], inv.operands[1:])
	default:
		sh.startFlag = "s"
		sh.params = inv.operands
		sh.runSource(source{more: sh.inputLines(), echo: true})
	}
	if sh.ctl == ctlAbort {
		sh.ctl = ctlNone
	}
}

// inputLines reads commands from standard input, a line at a time: what follows belongs to the commands.
func (sh *Shell) inputLines() func() (string, bool) {
	return func() (string, bool) {
		f := sh.fd(0)
		if f == nil {
			return "", false
		}
		line, err := sh.readThrough(nil, f, '\n', maxInputLine)
		if len(line) == maxInputLine && line[maxInputLine-1] != '\n' {
			sh.write(2, sh.baseName()+": standard input: line too long\n")
			sh.status, sh.ctl = 2, ctlExit
			return "", false
		}
		if len(line) == 0 && err != nil {
			return "", false
		}
		return string(line), true
	}
}

// runFile runs a script file.
func (sh *Shell) runFile(name string, args []string) {
	data, err := sh.readScript(name)
	if err != nil {
		sh.write(2, sh.arg0+": "+name+": "+strerror(err)+"\n")
		sh.status = command.StatusNotFound
		if !errors.Is(err, os.ErrNotExist) {
			sh.status = command.StatusNotExec
		}
		return
	}
	if isBinary(data[:min(len(data), headSize)]) {
		sh.write(2, sh.arg0+": "+name+": cannot execute binary file\n")
		sh.status = command.StatusNotExec
		return
	}
	sh.arg0, sh.script, sh.params = name, name, args
	sh.runSource(source{text: string(data), echo: true})
}

// readScript reads a script; a name without slash is also looked up in PATH.
func (sh *Shell) readScript(name string) ([]byte, error) {
	const longest = 16 << 20
	full := sh.path(name)
	if n, ok := deviceFD(full); ok {
		f := sh.fd(n)
		if f == nil {
			return nil, os.ErrNotExist
		}
		f.sync()
		r, _ := f.stream.(io.Reader)
		if r == nil {
			return nil, os.ErrInvalid
		}
		return sh.readAll(r, longest)
	}
	info, err := sys.Stat(full)
	if err != nil && !strings.Contains(name, "/") {
		if found, ok := sh.lookPath(name); ok {
			full = sh.path(found)
			info, err = sys.Stat(full)
		}
	}
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errIsDir
	}
	f, err := sys.OpenFile(full, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return sh.readAll(f, longest)
}

// readAll reads a text of bounded size.
func (sh *Shell) readAll(r io.Reader, limit int) ([]byte, error) {
	var data []byte
	buf := make([]byte, 32<<10)
	for {
		n, err := sh.readFrom(r, buf)
		data = append(data, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		if len(data) > limit {
			return nil, errTooLarge
		}
	}
}
