// Package shell runs shell scripts as bash 5.2 does, inside one process.
//
// A [Shell] evaluates the tree that package syntax makes of a script. Subshells are copies of it, pipelines and background
// jobs are copies that run on goroutines of their own; commands come from the toolbox's table and run through
// command.Start. All that a script starts ends when its shell ends. A hostile script may use up its limits, which are
// constants of this package, but cannot crash the guest.
package shell

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/regex"
	"openclaw/toolwasm/guest/shell/syntax"
	"openclaw/toolwasm/guest/sys"
)

// control says what leaves the commands that are being run.
type control uint8

const (
	ctlNone     control = iota
	ctlBreak            // break n
	ctlContinue         // continue n
	ctlReturn           // return
	ctlAbort            // an expansion failed: the rest of the line is not run
	ctlExit             // exit
)

// frame is a function call or a sourced file.
type frame struct {
	name     string
	source   string
	callLine int
	fn       *function
	scope    int
	saved    []saved
	params   []string
	savedOpt *option
}

// function is a defined function. It is immutable but for exported.
type function struct {
	name     string
	def      *syntax.Func
	source   string
	exported bool
	readonly bool
	traced   bool
}

// hashEntry is a remembered command.
type hashEntry struct {
	path string
	hits int
}

// Shell is one shell or subshell.
type Shell struct {
	sys    *system
	ctx    context.Context
	parent *command.Proc // the process that the shell is
	self   *process
	pid    int // $$
	ppid   int

	vars      map[string]*variable
	funcs     map[string]*function
	funcsOwn  bool
	aliases   map[string]string
	params    []string
	arg0      string
	env       command.Environ // overrides the exported variables when not nil
	script    string          // the script file's name, "" for -c and standard input
	frames    []*frame
	calls     int // how many function calls have been made, for scope numbers
	seq       int
	fds       []*file
	opt       option
	shopt     shopt
	dir       string
	dirs      []string
	umask     fs.FileMode
	hashed    map[string]hashEntry
	limits    map[byte]resourceLimit // what ulimit has set
	jobs      jobTable
	family    *family
	traps     traps
	startFlag string // the letters c and s of $-

	ctl         control
	ctlCount    int
	status      int
	pipestatus  []int
	loops       int
	noErr       int // > 0 where errexit and the ERR trap do not apply
	depth       int
	steps       int
	line        int
	current     syntax.Command
	substStatus int // status of the latest command substitution of a command, -1 when it had none
	lastArg     string
	optPos      int
	subshells   int
	started     time.Time
	seed        uint32
	seeded      bool
	lastRandom  int
	disabled    map[string]bool // builtins turned off by enable -n
	traceLevel  int             // how many substitutions, evals and sourced files are within each other
	dash        bool            // started as sh
	inTrap      bool
	inSignal    bool
	exiting     bool
	out         []byte // what the running builtin has printed
	scratch     []byte
	temps       []saved // what temporary variables hide, outermost first
	argBuf      []string
	trapLevel   int
	tracing     bool

	ifs      [256]ifsClass
	ifsValid bool
	bytes    bool // a character is a byte: the locale is C
	ifsFirst string

	exprs    map[string]*syntax.ArithText
	patterns map[string]*glob.Pattern
	regexps  map[string]*regex.Regexp
	procSubs []*procSubst
	onExit   []func()
}

// newShell makes the shell of a process.
func newShell(p *command.Proc, sys *system) *Shell {
	sh := &Shell{
		sys: sys, parent: p, pid: p.PID, ppid: 1, vars: map[string]*variable{}, funcs: map[string]*function{}, funcsOwn: true,
		aliases: map[string]string{}, arg0: "bash", opt: defaultOptions, shopt: defaultShopt,
		dir: p.Dir, umask: p.Umask, substStatus: -1, started: time.Now(), steps: 1,
	}
	ctx, cancel := context.WithCancelCause(p.Ctx)
	sh.ctx = ctx
	sh.self = sys.adopt(p.PID, cancel)
	jobs, cancelJobs := context.WithCancelCause(p.Ctx)
	sh.family = &family{ctx: jobs, cancel: cancelJobs}
	sh.fds = make([]*file, 3, 8)
	for i, s := range []any{p.Stdin, p.Stdout, p.Stderr} {
		if s := command.Unwrap(s); s != nil {
			sh.fds[i] = borrowedFile(s)
		}
	}
	for n, s := range p.Files {
		sh.setFD(n, borrowedFile(command.Unwrap(s)))
	}
	sh.importEnv(p.Env)
	return sh
}

// importEnv makes variables and functions of the environment.
func (sh *Shell) importEnv(env command.Environ) {
	if env == nil {
		env = command.Vars(nil)
	}
	for _, kv := range env.List() {
		name, value, ok := cutAssign(kv)
		if !ok {
			continue
		}
		if fn, ok := exportedFunction(name); ok {
			sh.importFunction(fn, value)
			continue
		}
		if !syntax.IsName(name) {
			continue
		}
		v := sh.create(name)
		v.setStr(value)
		v.attrs |= attrExport
	}
	sh.initSpecial()
	sh.loadLocale()
	sh.initLevel()
}

func cutAssign(kv string) (name, value string, ok bool) {
	for i := 1; i < len(kv); i++ {
		if kv[i] == '=' {
			return kv[:i], kv[i+1:], true
		}
	}
	return "", "", false
}

// initLevel sets SHLVL, PWD and OLDPWD.
func (sh *Shell) initLevel() {
	level := sh.create("SHLVL")
	n, _ := syntax.ParseNumber(level.str)
	level.setStr(fmt.Sprint(n + 1))
	level.attrs |= attrExport
	pwd := sh.create("PWD")
	if !sh.sameDir(pwd.str, sh.dir) {
		pwd.setStr(sh.dir)
	}
	sh.dir = pwd.str
	pwd.attrs |= attrExport
	sh.create("OLDPWD").attrs |= attrExport
}

// clone makes a subshell. It shares nothing that either may change.
func (sh *Shell) clone() *Shell {
	c := *sh
	c.vars = make(map[string]*variable, len(sh.vars)+8)
	for n, v := range sh.vars {
		c.vars[n] = v.copyFor()
	}
	sh.funcsOwn, c.funcsOwn = false, false
	c.aliases = maps.Clone(sh.aliases)
	c.params = sh.params
	c.frames = make([]*frame, len(sh.frames))
	for i, f := range sh.frames {
		g := *f
		g.saved = slices.Clone(f.saved)
		for k := range g.saved {
			if g.saved[k].v != nil {
				g.saved[k].v = g.saved[k].v.copyFor()
			}
		}
		c.frames[i] = &g
	}
	c.fds = slices.Clone(sh.fds)
	for _, f := range c.fds {
		f.ref()
	}
	c.pipestatus = slices.Clone(sh.pipestatus)
	c.temps = slices.Clone(sh.temps)
	for i := range c.temps {
		if v := c.temps[i].v; v != nil {
			c.temps[i].v = v.copyFor()
		}
	}
	c.dirs = slices.Clone(sh.dirs)
	c.hashed = maps.Clone(sh.hashed)
	c.limits = maps.Clone(sh.limits)
	c.disabled = maps.Clone(sh.disabled)
	c.jobs = sh.jobs.forSubshell()
	c.traps = sh.traps.forSubshell()
	c.exprs, c.patterns, c.regexps = nil, nil, nil
	c.procSubs, c.onExit = nil, nil
	c.out, c.scratch, c.argBuf = nil, nil, nil
	c.subshells++
	c.seeded, c.seed = false, 0
	c.loops = 0
	c.exiting = false
	return &c
}

// exit makes the shell leave everything and end with status.
func (sh *Shell) exit(status int) {
	sh.status = status & 0xff
	sh.ctl = ctlExit
}

// abort gives up the current line after a failed expansion, with status 1.
func (sh *Shell) abort() {
	if sh.ctl == ctlNone {
		sh.status = 1
		sh.ctl = ctlAbort
	}
}

// step is called for every command: it lets others run, and notices that the shell has been killed.
func (sh *Shell) step() bool {
	sh.steps++
	if sh.steps%yieldEvery == 0 {
		sys.Yield()
		if sh.ctx.Err() != nil {
			sh.die()
		}
	}
	if sh.self.killed.Load() != 0 {
		sh.die()
	}
	return sh.ctl == ctlNone
}

// die ends the shell as a signal would. A signal from kill leaves it its EXIT trap, unless it is KILL.
func (sh *Shell) die() {
	n := int(sh.self.killed.Load())
	if n == 0 {
		sh.exit(command.SignalStatus(sh.ctx))
	} else {
		sh.exit(command.StatusSignalBase + n)
	}
	if n == 0 || n == signalNumber("KILL") {
		sh.exiting = true
	}
}

// enter counts a nesting; false when it is too deep, which has been reported.
func (sh *Shell) enter(what string) bool {
	if sh.depth >= maxDepth {
		sh.errorf("%s: maximum nesting level exceeded (%d)", what, maxDepth)
		sh.abort()
		return false
	}
	sh.depth++
	return true
}

// errorf writes a message in bash's form to standard error.
func (sh *Shell) errorf(format string, args ...any) {
	sh.flush()
	sh.write(2, fmt.Sprintf("%s: line %d: %s\n", sh.baseName(), sh.line, fmt.Sprintf(format, args...)))
}

func (sh *Shell) warnf(format string, args ...any) { sh.errorf(format, args...) }

// write writes text to a descriptor, ignoring failures.
func (sh *Shell) write(fd int, text string) {
	if w := sh.writer(fd); w != nil {
		_, _ = sh.writeTo(w, []byte(text))
	}
}

// flush writes what the running builtin has printed. A broken pipe ends the shell as SIGPIPE would.
func (sh *Shell) flush() bool {
	if len(sh.out) == 0 {
		return true
	}
	b := sh.out
	sh.out = sh.out[:0]
	w := sh.writer(1)
	if w == nil {
		sh.errorf("write error: Bad file descriptor")
		return false
	}
	_, err := sh.writeTo(w, b)
	return sh.wrote(err)
}

// wrote turns the error of a write into what a process would see.
func (sh *Shell) wrote(err error) bool {
	if err == nil {
		return true
	}
	if sh.ctx.Err() != nil {
		sh.die()
		return false
	}
	if command.IsBrokenPipe(err) {
		const sigpipe = 13
		if sh.self.ignored.Load()&(1<<sigpipe) == 0 {
			sh.exit(command.StatusBrokenPipe)
			sh.exiting = true
			return false
		}
	}
	sh.errorf("write error: %s", strerror(err))
	return false
}

// print adds to what the running builtin prints.
func (sh *Shell) print(s string) { sh.out = append(sh.out, s...) }

func (sh *Shell) printf(format string, args ...any) { sh.out = fmt.Appendf(sh.out, format, args...) }

// writeTo writes with the shell's context, so that a full pipe does not outlive it.
func (sh *Shell) writeTo(w io.Writer, b []byte) (int, error) {
	type contextWriter interface {
		WriteContext(context.Context, []byte) (int, error)
	}
	if cw, ok := w.(contextWriter); ok {
		return cw.WriteContext(sh.ctx, b)
	}
	return w.Write(b)
}
