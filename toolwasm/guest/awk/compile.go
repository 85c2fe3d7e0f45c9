package awk

import (
	"fmt"
	"math"
	"strings"
)

// control says how a statement ended.
type control uint8

const (
	ctlNone control = iota
	ctlBreak
	ctlContinue
	ctlNext
	ctlNextFile
	ctlExit
	ctlReturn
	ctlFatal
)

// stmt is a compiled statement.
type stmt func(*interp) control

// expr is a compiled expression: one function for each kind of result that is asked of it, so that "s += $1" makes no
// value of its field.
type expr struct {
	val   func(*interp) value
	num   func(*interp) float64
	str   func(*interp) string
	truth func(*interp) bool
	konst bool
}

// compiled is a program ready to run.
type compiled struct {
	globals   []string
	slots     map[string]int
	funcs     []*compiledFunc
	funcIndex map[string]int

	begin, end, beginFile, endFile []stmt
	rules                          []compiledRule
	warnings                       []string
}

type compiledFunc struct {
	name   string
	params int
	body   stmt
}

type compiledRule struct {
	pattern *expr
	end     *expr
	active  bool // within a range
	action  stmt
}

// applies reports whether the rule's pattern selects the current record.
func (r *compiledRule) applies(in *interp) bool {
	if r.end == nil {
		return r.pattern == nil || r.pattern.truth(in)
	}
	if !r.active && !r.pattern.truth(in) {
		return false
	}
	r.active = !r.end.truth(in)
	return true
}

// compiler turns the tree into closures with all names resolved.
type compiler struct {
	out    *compiled
	prog   *program
	locals map[string]int
}

// compile resolves the names of a program and prepares it to run.
func compile(prog *program) (out *compiled, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case bail:
			err = e.err
		default:
			panic(e)
		}
	}()
	c := &compiler{prog: prog, out: &compiled{slots: map[string]int{}, funcIndex: map[string]int{}}}
	for name := range strings.FieldsSeq(specialNames) {
		c.global(name)
	}
	for i, f := range prog.order {
		if strings.Contains(" "+specialNames+" ", " "+f.name+" ") {
			c.fail(f.body, "function `%s': cannot use special variable as function name", f.name)
		}
		c.out.funcIndex[f.name] = i
		c.out.funcs = append(c.out.funcs, &compiledFunc{name: f.name, params: len(f.params)})
	}
	for i, f := range prog.order {
		c.locals = map[string]int{}
		for j, name := range f.params {
			if _, ok := c.out.funcIndex[name]; ok {
				c.fail(f.body, "function `%s': cannot use function `%s' as a parameter name", f.name, name)
			}
			c.locals[name] = j
		}
		c.out.funcs[i].body = c.stmt(f.body)
	}
	c.locals = nil
	c.out.begin = c.blocks(prog.begin)
	c.out.end = c.blocks(prog.end)
	c.out.beginFile = c.blocks(prog.beginFile)
	c.out.endFile = c.blocks(prog.endFile)
	for _, r := range prog.rules {
		c.out.rules = append(c.out.rules, c.rule(r))
	}
	return c.out, nil
}

func (c *compiler) fail(n *node, format string, args ...any) {
	panic(bail{&syntaxError{where: fmt.Sprintf("%s:%d", n.src, n.line), msg: "error: " + fmt.Sprintf(format, args...)}})
}

func (c *compiler) blocks(ns []*node) []stmt {
	var out []stmt
	for _, n := range ns {
		out = append(out, c.stmt(n))
	}
	return out
}

func (c *compiler) rule(r rule) compiledRule {
	var out compiledRule
	if r.pattern != nil {
		out.pattern = c.expr(r.pattern)
	}
	if r.end != nil {
		out.end = c.expr(r.end)
	}
	if r.action != nil {
		out.action = c.stmt(r.action)
	}
	return out
}

func (c *compiler) global(name string) int {
	if slot, ok := c.out.slots[name]; ok {
		return slot
	}
	slot := len(c.out.globals)
	c.out.globals = append(c.out.globals, name)
	c.out.slots[name] = slot
	return slot
}

// stmt compiles a statement.
func (c *compiler) stmt(n *node) stmt {
	switch n.op {
	case opBlock:
		return c.sequence(n.kids)
	case opExpr:
		return c.exprStmt(n.kids[0])
	case opPrint:
		return c.print(n)
	case opPrintf:
		return c.printf(n)
	case opIf:
		return c.ifStmt(n)
	case opWhile:
		return c.loop(nil, c.expr(n.kids[0]), nil, c.stmt(n.kids[1]))
	case opDo:
		return c.doLoop(c.expr(n.kids[0]), c.stmt(n.kids[1]))
	case opFor:
		return c.forLoop(n)
	case opForIn:
		return c.forIn(n)
	case opSwitch:
		return c.switchStmt(n)
	case opBreak:
		return func(*interp) control { return ctlBreak }
	case opContinue:
		return func(*interp) control { return ctlContinue }
	case opNext:
		return func(*interp) control { return ctlNext }
	case opNextFile:
		return func(*interp) control { return ctlNextFile }
	case opExit:
		return c.exit(n)
	case opReturn:
		return c.returnStmt(n)
	case opDelete:
		return c.deleteStmt(n.kids[0])
	}
	c.fail(n, "unexpected statement")
	return nil
}

func (c *compiler) sequence(kids []*node) stmt {
	list := make([]stmt, len(kids))
	for i, k := range kids {
		list[i] = c.stmt(k)
	}
	switch len(list) {
	case 0:
		return func(*interp) control { return ctlNone }
	case 1:
		return list[0]
	case 2:
		a, b := list[0], list[1]
		return func(in *interp) control {
			if r := a(in); r != ctlNone {
				return r
			}
			return b(in)
		}
	}
	return func(in *interp) control {
		for _, s := range list {
			if r := s(in); r != ctlNone {
				return r
			}
		}
		return ctlNone
	}
}

// exprStmt evaluates an expression for its effect, in the form that costs least.
func (c *compiler) exprStmt(n *node) stmt {
	for n.op == opGroup {
		n = n.kids[0]
	}
	if n.op == opPostInc { // nobody sees the old value
		pre := *n
		pre.op = opPreInc
		n = &pre
	}
	if n.op == opAssign {
		if do := c.assignEffect(n); do != nil {
			return func(in *interp) control {
				do(in)
				return ctlNone
			}
		}
	}
	e := c.expr(n)
	switch n.op {
	case opPreInc, opBinary, opNeg, opPlus:
		f := e.num
		return func(in *interp) control {
			f(in)
			return ctlNone
		}
	case opAssign:
		if n.str != "=" {
			f := e.num
			return func(in *interp) control {
				f(in)
				return ctlNone
			}
		}
	}
	f := e.val
	return func(in *interp) control {
		f(in)
		return ctlNone
	}
}

func (c *compiler) ifStmt(n *node) stmt {
	cond, then := c.expr(n.kids[0]).truth, c.stmt(n.kids[1])
	if n.kids[2] == nil {
		return func(in *interp) control {
			if cond(in) {
				return then(in)
			}
			return ctlNone
		}
	}
	other := c.stmt(n.kids[2])
	return func(in *interp) control {
		if cond(in) {
			return then(in)
		}
		return other(in)
	}
}

func (c *compiler) forLoop(n *node) stmt {
	var init, step stmt
	var cond *expr
	if n.kids[0] != nil {
		init = c.stmt(n.kids[0])
	}
	if n.kids[1] != nil {
		cond = c.expr(n.kids[1])
	}
	if n.kids[2] != nil {
		step = c.stmt(n.kids[2])
	}
	return c.loop(init, cond, step, c.stmt(n.kids[3]))
}

func (c *compiler) loop(init stmt, cond *expr, step, body stmt) stmt {
	test := func(*interp) bool { return true }
	if cond != nil {
		test = cond.truth
	}
	return func(in *interp) control {
		if init != nil {
			init(in)
		}
		for test(in) {
			in.tick()
			switch r := body(in); r {
			case ctlNone, ctlContinue:
			case ctlBreak:
				return ctlNone
			default:
				return r
			}
			if step != nil {
				step(in)
			}
		}
		return ctlNone
	}
}

func (c *compiler) doLoop(cond *expr, body stmt) stmt {
	return func(in *interp) control {
		for {
			in.tick()
			switch r := body(in); r {
			case ctlNone, ctlContinue:
			case ctlBreak:
				return ctlNone
			default:
				return r
			}
			if !cond.truth(in) {
				return ctlNone
			}
		}
	}
}

func (c *compiler) forIn(n *node) stmt {
	target := c.lvalue(n.kids[0])
	arr := c.array(n.kids[1])
	body := c.stmt(n.kids[2])
	return func(in *interp) control {
		for _, k := range in.sortedKeys(arr(in)) {
			in.tick()
			v := text(k.s)
			if k.isInt {
				v = value{k: kIndex, s: k.String(), n: float64(k.n)}
			}
			target.set(in, v)
			switch r := body(in); r {
			case ctlNone, ctlContinue:
			case ctlBreak:
				return ctlNone
			default:
				return r
			}
		}
		return ctlNone
	}
}

// switchStmt falls through from case to case as C's does.
func (c *compiler) switchStmt(n *node) stmt {
	subject := c.expr(n.kids[0])
	type clause struct {
		match func(*interp, value) bool
		body  stmt
	}
	var clauses []clause
	fallback := -1
	for i, k := range n.kids[1:] {
		cl := clause{body: c.sequence(k.kids[1:])}
		if k.kids[0] == nil {
			if fallback >= 0 {
				c.fail(k, "duplicate `default' detected in switch body")
			}
			fallback = i
		} else {
			cl.match = c.caseMatch(k.kids[0])
		}
		clauses = append(clauses, cl)
	}
	return func(in *interp) control {
		v := subject.val(in).settle()
		at := fallback
		for i, cl := range clauses {
			if cl.match != nil && cl.match(in, v) {
				at = i
				break
			}
		}
		if at < 0 {
			return ctlNone
		}
		for _, cl := range clauses[at:] {
			switch r := cl.body(in); r {
			case ctlNone:
			case ctlBreak:
				return ctlNone
			default:
				return r
			}
		}
		return ctlNone
	}
}

func (c *compiler) caseMatch(n *node) func(*interp, value) bool {
	for n.op == opGroup {
		n = n.kids[0]
	}
	if n.op == opRegex || n.op == opTyped {
		re := n.str
		return func(in *interp, v value) bool { return in.compileRegexp(re).match(in.str(&v)) }
	}
	want := c.expr(n)
	return func(in *interp, v value) bool {
		w := want.val(in)
		// A number matches numbers only, a string strings only.
		if (w.k == kNum) != (v.k == kNum || v.k == kStrNum) {
			return false
		}
		order, ok := in.compare(v, w)
		return ok && order == 0
	}
}

func (c *compiler) exit(n *node) stmt {
	var status *expr
	if len(n.kids) > 0 {
		status = c.expr(n.kids[0])
	}
	return func(in *interp) control {
		if status != nil {
			in.status = int(math.Trunc(status.num(in))) & 0xff
		}
		in.exiting = true
		return ctlExit
	}
}

func (c *compiler) returnStmt(n *node) stmt {
	if len(n.kids) == 0 {
		return func(in *interp) control {
			in.ret = value{}
			return ctlReturn
		}
	}
	e := c.expr(n.kids[0])
	return func(in *interp) control {
		in.ret = in.keep(e.val(in))
		return ctlReturn
	}
}

func (c *compiler) deleteStmt(n *node) stmt {
	if n.op == opVar {
		arr := c.array(n)
		return func(in *interp) control {
			arr(in).clear()
			return ctlNone
		}
	}
	arr, sub := c.array(n.kids[0]), c.subscript(n.kids[1:])
	return func(in *interp) control {
		a := arr(in)
		a.remove(sub(in))
		return ctlNone
	}
}
