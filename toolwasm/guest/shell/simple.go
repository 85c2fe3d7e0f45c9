package shell

import (
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/shell/syntax"
)

func itoa(n int) string { return strconv.Itoa(n) }

// simple runs a simple command.
func (sh *Shell) simple(c *syntax.Simple) {
	sh.line = c.Line
	if sh.traps.active&trapDebug != 0 {
		if sh.debugTrap(c); sh.ctl != ctlNone {
			return
		}
	}
	sh.runSimple(c)
}

// runSimple runs a simple command whose DEBUG trap has run.
func (sh *Shell) runSimple(c *syntax.Simple) {
	sh.begin(c, c.Line)
	sh.substStatus = -1
	subs := len(sh.procSubs)
	if len(c.Words) == 0 {
		sh.assignOnly(c)
		return
	}
	args := sh.takeArgs()
	for i, w := range c.Words {
		if w.Assign != nil {
			arg := assignMark + itoa(i)
			if !w.Assign.IsArray { // whose elements the builtin expands
				arg += assignMark + sh.assignValue(w.Assign.Value)
			}
			args = append(args, arg)
			if sh.ctl != ctlNone {
				sh.giveArgs(args)
				return
			}
			continue
		}
		args = sh.fields(args, w)
		if sh.ctl != ctlNone {
			sh.giveArgs(args)
			return
		}
	}
	if len(args) == 0 {
		sh.assignOnly(c)
	} else {
		sh.execute(c, args)
	}
	sh.giveArgs(args)
	if len(sh.procSubs) > subs {
		sh.closeProcSubs(subs)
	}
}

// takeArgs and giveArgs lend a slice for the words of a command; commands nest, so it is taken away while in use.
func (sh *Shell) takeArgs() []string {
	a := sh.argBuf
	sh.argBuf = nil
	return a[:0]
}

func (sh *Shell) giveArgs(a []string) {
	const keep = 256
	if cap(a) <= keep {
		clear(a)
		sh.argBuf = a
	}
}

// assignOnly runs a command without words: its assignments and redirections.
func (sh *Shell) assignOnly(c *syntax.Simple) {
	subs := len(sh.procSubs)
	for _, a := range c.Assigns {
		if err := sh.assign(a); err != nil {
			if sh.ctl == ctlExit {
				return // with the status of what made it end
			}
			if sh.ctl == ctlNone && !a.IsArray {
				sh.assignFailed()
			}
			sh.status = 1
			return
		}
		if sh.opt.has(optXtrace) {
			sh.traceAssign(a)
		}
	}
	ok := sh.emptyRedirects(c.Redirs)
	if sh.lastArg != "" {
		sh.setLast("")
	}
	sh.closeProcSubs(subs)
	switch {
	case sh.ctl != ctlNone:
	case !ok:
		sh.status = 1
	case sh.substStatus >= 0:
		sh.status = sh.substStatus
	default:
		sh.status = 0
	}
}

// emptyRedirects makes the redirections of no command: files are made, variables for descriptors are not.
func (sh *Shell) emptyRedirects(list []*syntax.Redir) bool {
	if len(list) == 0 || sh.ctl != ctlNone {
		return true
	}
	plain := make([]*syntax.Redir, len(list))
	for i, r := range list {
		c := *r
		if c.FDVar != "" {
			c.FDVar, c.FD = "", firstHighFD
		}
		plain[i] = &c
	}
	undo, ok := sh.redirect(plain)
	sh.undo(undo)
	return ok
}

// assignFailed is what an assignment to a read-only variable does: the line is given up.
func (sh *Shell) assignFailed() {
	sh.abort()
	if sh.opt.has(optPosix) {
		sh.ctl = ctlExit
	}
}

// execute runs a command whose words have been expanded.
func (sh *Shell) execute(c *syntax.Simple, args []string) {
	if sh.opt.has(optXtrace) && !declaresArray(c) {
		sh.traceCommand(c, args)
	}
	name := args[0]
	if fn := sh.funcs[name]; fn != nil && !(sh.opt.has(optPosix) && isSpecialBuiltin(name)) {
		sh.withContext(c, func(temp int) { sh.call(fn, args, temp) })
		sh.setLast(lastWord(c, args))
		return
	}
	if b, ok := sh.builtin(name); ok {
		sh.runBuiltin(c, b, args)
		sh.begin(c, c.Line) // eval and source have run others
		if sh.opt.has(optXtrace) && declaresArray(c) {
			sh.traceCommand(c, args) // after the arrays, as bash does
		}
		if name != "exec" || sh.ctl == ctlNone {
			sh.setLast(lastWord(c, args))
		}
		return
	}
	sh.withContext(c, func(int) { sh.external(args) })
	sh.setLast(lastWord(c, args))
}

// lastWord is the last word of a command as $_ has it.
func lastWord(c *syntax.Simple, args []string) string {
	last := args[len(args)-1]
	a, value := markedAssign(c, last)
	switch {
	case a == nil:
		return last
	case a.IsArray:
		return a.Name
	}
	return assignTarget(a) + value
}

// setLast remembers $_.
func (sh *Shell) setLast(last string) {
	if last == sh.lastArg {
		return
	}
	sh.lastArg = last
	v := sh.vars["_"]
	if v == nil {
		v = sh.create("_")
	}
	v.setStr(last)
}

// withContext runs f with the command's redirections and temporary variables.
func (sh *Shell) withContext(c *syntax.Simple, f func(temp int)) {
	temp := len(sh.temps)
	if len(c.Redirs) == 0 && len(c.Assigns) == 0 {
		f(temp)
		return
	}
	undo, ok := sh.redirect(c.Redirs)
	if ok {
		if ok = sh.tempVars(c.Assigns); ok {
			f(temp)
		}
		sh.endTemp(temp)
	}
	if !ok && sh.ctl == ctlNone {
		sh.status = 1
	}
	sh.flush()
	sh.undo(undo)
}

// tempVars makes the variables of "name=value command": exported, for the time of the command. What they hide goes
// onto sh.temps.
func (sh *Shell) tempVars(assigns []*syntax.Assign) bool {
	for _, a := range assigns {
		old := sh.vars[a.Name]
		if old != nil && old.attrs&attrReadonly != 0 {
			sh.errorf("%s: readonly variable", a.Name)
			if sh.opt.has(optPosix) {
				sh.exit(1)
				return false
			}
			continue
		}
		value := ""
		if !a.IsArray {
			value = sh.assignValue(a.Value)
		}
		if sh.ctl != ctlNone {
			return false
		}
		v := &variable{attrs: attrExport | attrTemp, seq: sh.nextSeq()}
		if old != nil {
			v.attrs |= old.attrs & (attrInteger | attrCase)
			if a.Append {
				value = old.str + value
			}
		}
		sh.temps = append(sh.temps, saved{a.Name, old})
		sh.vars[a.Name] = v
		_ = sh.set(a.Name, value)
	}
	return true
}

func (sh *Shell) nextSeq() int {
	sh.seq++
	return sh.seq
}

// endTemp takes temporary variables back, down to the first n.
func (sh *Shell) endTemp(n int) {
	for i := len(sh.temps) - 1; i >= n; i-- {
		if sh.temps[i].name != "" {
			sh.restore(sh.temps[i])
		}
	}
	sh.temps = sh.temps[:min(n, len(sh.temps))]
}

// adoptTemps makes the temporary variables of a function call local to it.
func (sh *Shell) adoptTemps(f *frame, n int) {
	for _, t := range sh.temps[n:] {
		if v := sh.vars[t.name]; v != nil && t.name != "" {
			v.scope = f.scope
			f.saved = append(f.saved, t)
		}
	}
	sh.temps = sh.temps[:n]
}

// runBuiltin runs a builtin with the command's redirections and variables.
func (sh *Shell) runBuiltin(c *syntax.Simple, b builtin, args []string) {
	special := isSpecialBuiltin(args[0])
	undo, ok := sh.redirect(c.Redirs)
	if !ok {
		sh.undo(undo)
		if sh.ctl == ctlNone {
			sh.status = 1
			if special && sh.opt.has(optPosix) {
				sh.exit(1)
			}
		}
		return
	}
	if len(c.Assigns) == 0 {
		sh.setStatus(b(sh, c, args))
	} else {
		sh.assignedBuiltin(c, b, args, special)
	}
	if !sh.flush() && sh.ctl == ctlNone && sh.status == 0 {
		sh.status = 1
	}
	if args[0] == "exec" && len(args) == 1 && sh.status == 0 {
		sh.keepRedirects(undo)
		return
	}
	sh.undo(undo)
}

// assignedBuiltin runs a builtin with temporary variables, which last when it is a special one in POSIX mode.
func (sh *Shell) assignedBuiltin(c *syntax.Simple, b builtin, args []string, special bool) {
	temp := len(sh.temps)
	if sh.tempVars(c.Assigns) {
		sh.setStatus(b(sh, c, args))
	} else if sh.ctl == ctlNone {
		sh.status = 1
	}
	if special && sh.opt.has(optPosix) {
		sh.temps = sh.temps[:temp]
		return
	}
	sh.endTemp(temp)
}

// setStatus takes over the status of a builtin, unless an expansion in it has given up the line.
func (sh *Shell) setStatus(status int) {
	if sh.ctl == ctlAbort && status == 0 {
		status = 1
	}
	sh.status = status
}

// call runs a function with the temporary variables from temp on.
func (sh *Shell) call(fn *function, args []string, temp int) {
	if limit, ok := sh.get("FUNCNEST"); ok {
		if n, _ := plainInt(limit); n > 0 && sh.functionDepth() >= int(n) {
			sh.errorf("%s: maximum function nesting level exceeded (%d)", fn.name, n)
			sh.abort()
			return
		}
	}
	if sh.depth >= maxDepth {
		sh.errorf("%s: maximum function nesting level exceeded (%d)", fn.name, maxDepth)
		sh.abort()
		return
	}
	sh.depth++
	sh.calls++
	f := &frame{name: fn.name, source: fn.source, callLine: sh.line, fn: fn, scope: sh.calls, params: sh.params}
	sh.frames = append(sh.frames, f)
	if len(sh.temps) > temp {
		sh.adoptTemps(f, temp)
	}
	sh.params = append([]string(nil), args[1:]...)
	loops := sh.loops
	sh.loops = 0
	line := sh.line
	hidden := sh.hideTraps(fn)

	sh.run(fn.def.Body)

	if sh.ctl == ctlReturn {
		sh.ctl = ctlNone
	}
	sh.returnTrap()
	sh.unhideTraps(hidden)
	sh.line = line
	sh.loops = loops
	sh.params = f.params
	sh.leaveFrame(f)
	sh.depth--
}

// leaveFrame ends a call: its local variables and options.
func (sh *Shell) leaveFrame(f *frame) {
	for i := len(f.saved) - 1; i >= 0; i-- {
		sh.restore(f.saved[i])
	}
	if f.savedOpt != nil {
		sh.opt = *f.savedOpt
	}
	sh.frames = sh.frames[:len(sh.frames)-1]
}

func (sh *Shell) functionDepth() int {
	n := 0
	for _, f := range sh.frames {
		if f.fn != nil {
			n++
		}
	}
	return n
}

// scope is the number of the running function call, 0 outside of functions.
func (sh *Shell) scope() int {
	for i := len(sh.frames) - 1; i >= 0; i-- {
		if sh.frames[i].fn != nil {
			return sh.frames[i].scope
		}
	}
	return 0
}

// callFrame is the frame of the running function call, nil outside of functions.
func (sh *Shell) callFrame() *frame {
	for i := len(sh.frames) - 1; i >= 0; i-- {
		if sh.frames[i].fn != nil {
			return sh.frames[i]
		}
	}
	return nil
}

// external runs a command that is neither function nor builtin.
func (sh *Shell) external(args []string) {
	name := args[0]
	t, status := sh.resolve(name)
	if status != 0 {
		sh.notFound(name, status)
		return
	}
	sh.status = sh.start(t, args)
}

// target is what a command name stands for.
type target struct {
	cmd  *command.Command
	file string // a script
	// interp is the interpreter that the script's first line names, with its argument.
	interp []string
}

// start runs a resolved command to its end as a process of its own.
func (sh *Shell) start(t target, args []string) int {
	if t.cmd == nil {
		return sh.startScript(t, args)
	}
	p := sh.proc(args)
	sh.syncFDs()
	status := command.Start(p, *t.cmd)
	if sh.ctx.Err() != nil {
		sh.die()
	}
	return status
}

// proc makes the process of a command.
func (sh *Shell) proc(args []string) *command.Proc {
	p := &command.Proc{
		Ctx: sh.ctx, Name: baseOf(args[0]), Args: append([]string(nil), args[1:]...), Dir: sh.dir, Env: sh.environment(),
		Stdin: closedStream{}, Stdout: closedStream{}, Stderr: closedStream{}, Umask: sh.umask, PID: sh.sys.pid(),
		Spawner: &spawner{sys: sh.sys}, Table: sh.sys.table,
	}
	if r := sh.reader(0); r != nil {
		p.Stdin = r
	}
	if w := sh.writer(1); w != nil {
		p.Stdout = w
	}
	if w := sh.writer(2); w != nil {
		p.Stderr = w
	}
	for n := 3; n < len(sh.fds); n++ {
		if f := sh.fds[n]; f != nil {
			if p.Files == nil {
				p.Files = map[int]command.Stream{}
			}
			p.Files[n] = f.stream
		}
	}
	return p
}

// environment is what the shell's commands get: its exported variables, or what it has been given as a whole.
func (sh *Shell) environment() command.Environ {
	if sh.env != nil {
		return sh.env
	}
	return environ{sh}
}

// assignMark begins the argument that stands for an assignment of a declaration command: the number of its word follows
// and, after another mark, the expanded value, unless that is an array. No other argument has a NUL.
const assignMark = "\x00"

// markedAssign returns the assignment that an argument stands for, nil when it is an ordinary one.
func markedAssign(c *syntax.Simple, arg string) (a *syntax.Assign, value string) {
	n, ok := strings.CutPrefix(arg, assignMark)
	if !ok || c == nil {
		return nil, ""
	}
	n, value, _ = strings.Cut(n, assignMark)
	i, err := strconv.Atoi(n)
	if err != nil || i >= len(c.Words) {
		return nil, ""
	}
	return c.Words[i].Assign, value
}

// declaresArray reports whether a declaration command has an argument name=(…).
func declaresArray(c *syntax.Simple) bool {
	if !c.Decl {
		return false
	}
	for _, w := range c.Words {
		if w.Assign != nil && w.Assign.IsArray {
			return true
		}
	}
	return false
}

func baseOf(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// syncFDs gives back what the shell has read ahead of files that a command may read.
func (sh *Shell) syncFDs() {
	for _, f := range sh.fds {
		if f != nil && len(f.ahead) > 0 {
			f.sync()
		}
	}
}
