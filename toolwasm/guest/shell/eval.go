package shell

import (
	"errors"
	"io"
	"strings"

	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/shell/syntax"
)

// parserOptions are what a parser needs to know of the shell.
func (sh *Shell) parserOptions() syntax.Options {
	opts := syntax.Options{Extglob: func() bool { return sh.shopt.has(shoptExtglob) }}
	opts.Warn = func(line int, text string) {
		sh.flush()
		sh.write(2, sh.baseName()+": line "+itoa(line)+": warning: "+text+"\n")
	}
	opts.Alias = func(name string) (string, bool) {
		if len(sh.aliases) == 0 || !sh.shopt.has(shoptExpandAliases) && !sh.opt.has(optPosix) {
			return "", false
		}
		s, ok := sh.aliases[name]
		return s, ok
	}
	return opts
}

// source says how a text is run.
type source struct {
	text string
	line int
	more func() (string, bool)
	// label is what messages about syntax errors name: "-c", "eval", a file.
	label string
	// echo is set for the input of the shell itself, which set -v shows.
	echo bool
}

// runSource parses and runs a text line by line: what stands before a syntax error is run. A line that is given up does not keep
// the next from running, except in a subshell.
func (sh *Shell) runSource(s source) {
	opts := sh.parserOptions()
	opts.More = s.more
	p := syntax.New(s.text, max(s.line, 1), opts)
	for sh.ctl == ctlNone {
		before := ""
		if s.echo && sh.opt.has(optVerbose) {
			before = p.Rest()
		}
		list, err := p.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if before != "" {
			sh.write(2, strings.TrimSuffix(before, p.Rest()))
		}
		if err != nil {
			sh.syntaxError(err, s.label)
			return
		}
		if sh.opt.has(optNoexec) {
			continue
		}
		sh.list(list)
		if sh.ctl == ctlAbort && sh.subshells == 0 {
			sh.ctl = ctlNone
		}
	}
}

// syntaxError reports a syntax error; the status is 2.
func (sh *Shell) syntaxError(err error, label string) {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return
	}
	sh.line = e.Line
	if label != "" {
		label += ": "
	}
	sh.write(2, sh.baseName()+": "+label+"line "+itoa(e.Line)+": "+e.Msg+"\n")
	if e.Text != "" && !e.EOF {
		if len(e.Text) > maxErrorText {
			e.Text = e.Text[:maxErrorText] + "…"
		}
		sh.write(2, sh.baseName()+": "+label+"line "+itoa(e.Line)+": `"+e.Text+"'\n")
	}
	if !e.Cond || label == "eval" {
		sh.status = 2
	}
}

// list runs commands one after the other.
func (sh *Shell) list(l *syntax.List) {
	for i := range l.Items {
		item := &l.Items[i]
		if item.Background {
			sh.background(item.Cmd)
		} else {
			sh.run(item.Cmd)
		}
		if sh.ctl != ctlNone {
			return
		}
	}
}

// run runs a command and leaves its status in sh.status.
func (sh *Shell) run(c syntax.Command) {
	if !sh.step() {
		return
	}
	if sh.self.pending.Load() != 0 {
		sh.runPendingTraps()
		if sh.ctl != ctlNone {
			return
		}
	}
	switch c := c.(type) {
	case *syntax.Simple:
		sh.simple(c)
		sh.checkError()
	case *syntax.AndOr:
		sh.andOr(c)
	case *syntax.Pipeline:
		sh.pipeline(c)
	case *syntax.Arith:
		sh.begin(c, c.Line)
		sh.arithCommand(c)
		sh.checkError()
	case *syntax.Cond:
		sh.begin(c, c.Line)
		sh.debugTrap(c)
		sh.status = sh.cond(c)
		sh.checkError()
	case *syntax.Subshell:
		sh.runParen(c)
		sh.begin(c, c.Line)
		sh.checkError()
	case *syntax.Redirected:
		sh.redirected(c)
	default:
		sh.compound(c)
	}
}

// begin notes the command that runs for BASH_COMMAND and LINENO.
func (sh *Shell) begin(c syntax.Command, line int) {
	sh.line = line
	if !sh.inTrap {
		sh.current = c
	}
}

// compound runs a compound command without redirections.
func (sh *Shell) compound(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.Group:
		sh.list(c.Body)
	case *syntax.If:
		sh.ifClause(c)
	case *syntax.While:
		sh.while(c)
	case *syntax.For:
		sh.forClause(c)
	case *syntax.ArithFor:
		sh.arithFor(c)
	case *syntax.Case:
		sh.caseClause(c)
	case *syntax.Func:
		sh.define(c)
	case *syntax.Coproc:
		sh.coproc(c)
	}
}

// checkError applies the ERR trap and set -e to the command that has just run.
func (sh *Shell) checkError() {
	if sh.status == 0 || sh.noErr > 0 || sh.ctl != ctlNone {
		return
	}
	sh.errTrap()
	if sh.opt.has(optErrexit) && sh.ctl == ctlNone {
		sh.ctl = ctlExit
	}
}

func (sh *Shell) andOr(c *syntax.AndOr) {
	sh.noErr++
	sh.run(c.First)
	sh.noErr--
	for i := range c.Rest {
		if sh.ctl != ctlNone {
			return
		}
		part := &c.Rest[i]
		if part.Or == (sh.status == 0) {
			continue
		}
		if i == len(c.Rest)-1 {
			sh.run(part.Cmd)
			return
		}
		sh.noErr++
		sh.run(part.Cmd)
		sh.noErr--
	}
}

func (sh *Shell) ifClause(c *syntax.If) {
	for c != nil {
		sh.noErr++
		sh.list(c.Cond)
		sh.noErr--
		if sh.ctl != ctlNone {
			return
		}
		if sh.status == 0 {
			sh.list(c.Then)
			return
		}
		if c.Else != nil {
			sh.list(c.Else)
			return
		}
		c = c.Elif
	}
	sh.status = 0
}

// loopControl handles break and continue after the body of a loop; true ends the loop.
func (sh *Shell) loopControl() bool {
	switch sh.ctl {
	case ctlNone:
		return false
	case ctlBreak:
		sh.ctlCount--
		if sh.ctlCount == 0 {
			sh.ctl = ctlNone
		}
		return true
	case ctlContinue:
		sh.ctlCount--
		if sh.ctlCount == 0 {
			sh.ctl = ctlNone
			return false
		}
		return true
	}
	return true
}

func (sh *Shell) while(c *syntax.While) {
	sh.loops++
	defer func() { sh.loops-- }()
	status := 0
	for {
		sh.noErr++
		sh.list(c.Cond)
		sh.noErr--
		if sh.ctl != ctlNone {
			if sh.loopControl() {
				break
			}
			continue
		}
		if (sh.status == 0) == c.Until {
			break
		}
		sh.list(c.Body)
		status = sh.status
		if sh.loopControl() {
			break
		}
		if !sh.step() {
			break
		}
	}
	if sh.ctl == ctlNone || sh.ctl == ctlBreak || sh.ctl == ctlContinue {
		sh.status = status
	}
}

func (sh *Shell) forClause(c *syntax.For) {
	sh.line = c.Line
	var words []string
	if c.In {
		for _, w := range c.Words {
			words = sh.fields(words, w)
		}
	} else {
		words = sh.params
	}
	if sh.ctl != ctlNone {
		return
	}
	sh.loops++
	defer func() { sh.loops-- }()
	if c.Select {
		sh.selectClause(c, words)
		return
	}
	status := 0
	for _, w := range words {
		sh.line = c.Line
		if sh.opt.has(optXtrace) {
			sh.trace("for " + c.Name + " in " + c.WordsText())
		}
		sh.debugTrap(c)
		if err := sh.assignLoop(c.Name, w); err != nil {
			sh.status = 1
			return
		}
		sh.list(c.Body)
		status = sh.status
		if sh.loopControl() {
			break
		}
		if !sh.step() {
			return
		}
	}
	if sh.ctl == ctlNone || sh.ctl == ctlBreak || sh.ctl == ctlContinue {
		sh.status = status
	}
}

// assignLoop gives the variable of a loop its value; a name reference is pointed elsewhere.
func (sh *Shell) assignLoop(name, value string) error {
	if v := sh.find(name); v != nil && v.attrs&attrNameref != 0 {
		if !syntax.IsName(value) {
			sh.errorf("`%s': invalid variable name for name reference", value)
			return errReported
		}
		v.setStr(value)
		return nil
	}
	return sh.set(name, value)
}

func (sh *Shell) arithFor(c *syntax.ArithFor) {
	sh.line = c.Line
	sh.loops++
	defer func() { sh.loops-- }()
	sh.debugTrap(c)
	if !sh.arithStep(c.Init) {
		return
	}
	status := 0
	for {
		sh.line = c.Line
		sh.debugTrap(c)
		if strings.TrimSpace(c.Cond.Src) != "" {
			v, ok := sh.arithIn("((: ", c.Cond)
			if !ok || sh.ctl != ctlNone {
				sh.status = 1
				return
			}
			if v == 0 {
				break
			}
		}
		sh.list(c.Body)
		status = sh.status
		if sh.loopControl() {
			break
		}
		sh.line = c.Line
		sh.debugTrap(c)
		if !sh.step() || !sh.arithStep(c.Step) {
			return
		}
	}
	if sh.ctl == ctlNone || sh.ctl == ctlBreak || sh.ctl == ctlContinue {
		sh.status = status
	}
}

func (sh *Shell) arithStep(a *syntax.ArithText) bool {
	if _, ok := sh.arithIn("((: ", a); !ok {
		sh.status = 1
		return false
	}
	return sh.ctl == ctlNone
}

func (sh *Shell) arithCommand(c *syntax.Arith) {
	sh.debugTrap(c)
	if sh.opt.has(optXtrace) {
		sh.trace("(( " + c.X.Src + " ))")
	}
	v, ok := sh.arithIn("((: ", c.X)
	switch {
	case sh.ctl != ctlNone:
	case !ok || v == 0:
		sh.status = 1
	default:
		sh.status = 0
	}
}

func (sh *Shell) caseClause(c *syntax.Case) {
	sh.line = c.Line
	s := sh.str(c.Word)
	if sh.ctl != ctlNone {
		return
	}
	if sh.opt.has(optXtrace) {
		sh.trace("case " + quoteWord(s) + " in")
	}
	sh.debugTrap(c)
	flags := sh.patternFlags()
	if sh.shopt.has(shoptNocasematch) {
		flags |= glob.IgnoreCase
	}
	sh.status = 0
	through := false
	for _, item := range c.Items {
		if !through && !sh.matchesAny(item, s, flags) {
			if sh.ctl != ctlNone {
				return
			}
			continue
		}
		sh.status = 0
		sh.list(item.Body)
		if sh.ctl != ctlNone || item.Op == ";;" {
			return
		}
		through = item.Op == ";&"
	}
}

func (sh *Shell) matchesAny(item *syntax.CaseItem, s string, flags glob.Flags) bool {
	for _, w := range item.Patterns {
		if w.Plain && flags&glob.IgnoreCase == 0 {
			if w.Lit == s {
				return true
			}
			continue
		}
		if sh.pattern(w, flags).Match(s) && sh.ctl == ctlNone {
			return true
		}
	}
	return false
}

// runParen runs ( list ).
func (sh *Shell) runParen(c *syntax.Subshell) {
	if !sh.enter("subshell") {
		return
	}
	defer func() { sh.depth-- }()
	sub := sh.subshell()
	if sub == nil {
		sh.status = statusFork
		return
	}
	sub.jobs.inherited = nil
	sub.runSubshell(c.Body)
	sh.status = sub.status
}

// redirected runs a compound command with redirections.
func (sh *Shell) redirected(c *syntax.Redirected) {
	subs := len(sh.procSubs)
	undo, ok := sh.redirect(c.Redirs)
	if ok {
		sh.run(c.Cmd)
	} else if sh.ctl == ctlNone {
		sh.status = 1
	}
	sh.flush()
	sh.undo(undo)
	sh.closeProcSubs(subs)
	if !ok {
		sh.checkError()
	}
}

// define makes a function.
func (sh *Shell) define(c *syntax.Func) {
	if f := sh.funcs[c.Name]; f != nil && f.readonly {
		sh.errorf("%s: readonly function", c.Name)
		sh.status = 1
		return
	}
	if sh.opt.has(optPosix) && isSpecialBuiltin(c.Name) {
		sh.errorf("`%s': is a special builtin", c.Name)
		sh.exit(2)
		return
	}
	sh.ownFuncs()
	sh.funcs[c.Name] = &function{name: c.Name, def: c, source: sh.sourceName()}
	sh.status = 0
}

// ownFuncs makes the table of functions the shell's own before it is changed.
func (sh *Shell) ownFuncs() {
	if sh.funcsOwn {
		return
	}
	funcs := make(map[string]*function, len(sh.funcs)+1)
	for n, f := range sh.funcs {
		g := *f
		funcs[n] = &g
	}
	sh.funcs, sh.funcsOwn = funcs, true
}

// sourceName is the file that the running code stands in.
func (sh *Shell) sourceName() string {
	for i := len(sh.frames) - 1; i >= 0; i-- {
		if sh.frames[i].source != "" {
			return sh.frames[i].source
		}
	}
	if sh.script != "" {
		return sh.script
	}
	return "environment"
}
