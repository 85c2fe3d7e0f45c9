package shell

import (
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/regex"
	"openclaw/toolwasm/guest/shell/syntax"
)

// cond evaluates [[ ]]; the status is 2 after a mistake.
func (sh *Shell) cond(c *syntax.Cond) int {
	ok, err := sh.condExpr(c.X)
	switch {
	case sh.ctl != ctlNone:
		return sh.status
	case err:
		return 2
	case ok:
		return 0
	}
	return 1
}

// condExpr evaluates an expression; failed tells that it could not be.
func (sh *Shell) condExpr(x syntax.CondExpr) (ok, failed bool) {
	switch x := x.(type) {
	case *syntax.CondGroup:
		return sh.condExpr(x.X)
	case *syntax.CondNot:
		ok, failed = sh.condExpr(x.X)
		return !ok, failed
	case *syntax.CondLogic:
		ok, failed = sh.condExpr(x.X)
		if failed || ok == x.Or {
			return ok, failed
		}
		return sh.condExpr(x.Y)
	case *syntax.CondUnary:
		return sh.condUnary(x)
	case *syntax.CondBinary:
		return sh.condBinary(x)
	}
	return false, true
}

func (sh *Shell) condUnary(x *syntax.CondUnary) (ok, failed bool) {
	s := sh.str(x.X)
	if sh.ctl != ctlNone {
		return false, true
	}
	switch x.Op {
	case "", "-n":
		sh.traceCond(x.Op, s)
		return s != "", false
	}
	sh.traceCond(x.Op, s)
	return sh.testUnary(x.Op, s), false
}

func (sh *Shell) traceCond(words ...string) {
	if !sh.opt.has(optXtrace) {
		return
	}
	text := "[["
	if words[0] == "" {
		words[0] = "-n"
	}
	for _, w := range words {
		text += " " + quoteWord(w)
	}
	sh.trace(text + " ]]")
}

func (sh *Shell) condBinary(x *syntax.CondBinary) (ok, failed bool) {
	l := sh.str(x.X)
	if sh.ctl != ctlNone {
		return false, true
	}
	switch x.Op {
	case "=", "==", "!=":
		flags := glob.Extglob
		if sh.shopt.has(shoptNocasematch) {
			flags |= glob.IgnoreCase
		}
		p := sh.pattern(x.Y, flags)
		if sh.ctl != ctlNone {
			return false, true
		}
		if sh.opt.has(optXtrace) {
			sh.trace("[[ " + quoteWord(l) + " " + x.Op + " " + sh.patternText(x.Y) + " ]]")
		}
		return p.Match(l) == (x.Op != "!="), false
	case "=~":
		return sh.condRegex(l, x.Y)
	case "<":
		return l < sh.str(x.Y), false
	case ">":
		return l > sh.str(x.Y), false
	}
	r := sh.str(x.Y)
	if sh.ctl != ctlNone {
		return false, true
	}
	if sh.opt.has(optXtrace) {
		sh.trace("[[ " + quoteWord(l) + " " + x.Op + " " + quoteWord(r) + " ]]")
	}
	switch x.Op {
	case "-nt", "-ot", "-ef":
		return sh.testFiles(x.Op, l, r), false
	}
	a, ok := sh.evalStringIn("[[: ", l)
	if !ok {
		return false, false
	}
	b, ok := sh.evalStringIn("[[: ", r)
	if !ok {
		return false, false
	}
	return compareInts(x.Op, a, b), false
}

func compareInts(op string, a, b int64) bool {
	switch op {
	case "-eq":
		return a == b
	case "-ne":
		return a != b
	case "-lt":
		return a < b
	case "-le":
		return a <= b
	case "-gt":
		return a > b
	}
	return a >= b
}

// regexText expands the right side of =~.
func (sh *Shell) regexText(w *syntax.Word) string {
	x := expander{sh: sh, mode: modeRegex}
	for _, p := range w.Parts {
		x.part(p, false)
	}
	return string(x.cur)
}

func (sh *Shell) condRegex(s string, w *syntax.Word) (ok, failed bool) {
	text := sh.regexText(w)
	if sh.ctl != ctlNone {
		return false, true
	}
	re := sh.regexp(text)
	if re == nil {
		return false, true
	}
	m := re.Find(nil, []byte(s), 0, false)
	if m == nil {
		_ = sh.setArray("BASH_REMATCH", nil)
		return false, false
	}
	groups := make([]string, len(m)/2)
	for i := range groups {
		if m[2*i] >= 0 {
			groups[i] = s[m[2*i]:m[2*i+1]]
		}
	}
	_ = sh.setArray("BASH_REMATCH", groups)
	return true, false
}

// regexp returns a compiled expression from the shell's cache, nil when it is not valid.
func (sh *Shell) regexp(text string) *regex.Regexp {
	key := text
	flags := regex.ERE
	if sh.shopt.has(shoptNocasematch) {
		flags |= regex.IgnoreCase
		key = "i" + "\x00" + text
	}
	if re := sh.regexps[key]; re != nil {
		return re
	}
	re, err := regex.Compile(text, flags)
	if err != nil {
		return nil
	}
	re.SetYield(func() {
		sh.steps += yieldEvery - sh.steps%yieldEvery - 1
		sh.step()
	})
	if sh.regexps == nil {
		sh.regexps = map[string]*regex.Regexp{}
	}
	if len(sh.regexps) >= cacheSize {
		clear(sh.regexps)
	}
	sh.regexps[key] = re
	return re
}
