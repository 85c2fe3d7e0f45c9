package awk

import "slices"

// flags say what an expression must not contain at its top level.
type flags uint8

const (
	noGreater flags = 1 << iota // in print, where ">" redirects
	noIn
)

// expr reads an assignment or anything that binds tighter.
func (p *parser) expr(f flags) *node {
	p.enter()
	defer p.leave()
	left := p.ternary(f)
	if p.tok != tPunct {
		return left
	}
	switch p.text {
	case "=", "+=", "-=", "*=", "/=", "%=", "^=":
	default:
		return left
	}
	target, wrap := assignable(left)
	if target == nil {
		p.fail("syntax error")
	}
	n := p.node(opAssign)
	n.str = p.text
	p.advance()
	p.newlines()
	n.kids = []*node{target, p.expr(f)}
	return wrap(n)
}

// assignable finds the lvalue that an assignment operator applies to. In "!x = y" and "a && b = c" that is the last
// operand, although the operators before bind tighter: no other reading makes sense.
func assignable(n *node) (target *node, wrap func(*node) *node) {
	if isLvalue(n) {
		return n, func(a *node) *node { return a }
	}
	switch n.op {
	case opNot, opNeg, opPlus, opAnd, opOr, opCompare, opMatch, opCond, opConcat, opBinary:
		last := len(n.kids) - 1
		t, w := assignable(n.kids[last])
		if t == nil {
			return nil, nil
		}
		return t, func(a *node) *node {
			n.kids[last] = w(a)
			return n
		}
	}
	return nil, nil
}

func isLvalue(n *node) bool { return n.op == opVar || n.op == opIndex || n.op == opField }

func (p *parser) ternary(f flags) *node {
	cond := p.or(f)
	if !p.is("?") {
		return cond
	}
	n := p.node(opCond)
	p.advance()
	p.newlines()
	yes := p.expr(f &^ noGreater)
	p.newlines()
	p.expect(":")
	p.newlines()
	n.kids = []*node{cond, yes, p.expr(f)}
	return n
}

func (p *parser) or(f flags) *node { return p.logical("||", opOr, p.and, f) }

func (p *parser) and(f flags) *node { return p.logical("&&", opAnd, p.in, f) }

// logical parses operands joined by an operator behind which a line may end.
func (p *parser) logical(operator string, o op, operand func(flags) *node, f flags) *node {
	left := operand(f)
	for p.is(operator) {
		n := p.node(o)
		p.advance()
		p.newlines()
		n.kids = []*node{left, operand(f)}
		left = n
	}
	return left
}

// binary parses operands joined by operators of one rank, from the left.
func (p *parser) binary(o op, operand func(flags) *node, f flags, operators ...string) *node {
	left := operand(f)
	for p.tok == tPunct && slices.Contains(operators, p.text) {
		n := p.node(o)
		n.str = p.text
		p.advance()
		n.kids = []*node{left, operand(f)}
		left = n
	}
	return left
}

func (p *parser) in(f flags) *node {
	left := p.match(f)
	for f&noIn == 0 && p.is("in") {
		n := p.node(opIn)
		p.advance()
		if p.tok != tName {
			p.unexpected()
		}
		n.kids = []*node{left, p.nameOrIndex()}
		left = n
	}
	if left.op == opList {
		p.unexpected()
	}
	return left
}

func (p *parser) match(f flags) *node { return p.binary(opMatch, p.comparison, f, "~", "!~") }

func (p *parser) comparison(f flags) *node {
	left := p.pipes(f)
	if p.tok != tPunct {
		return left
	}
	switch p.text {
	case ">":
		if f&noGreater != 0 {
			return left
		}
	case "<", "<=", "==", "!=", ">=":
	default:
		return left
	}
	n := p.node(opCompare)
	n.str = p.text
	p.advance()
	n.kids = []*node{left, p.pipes(f)}
	return n
}

// pipes reads a concatenation and what reads from it as a command: cmd | getline.
func (p *parser) pipes(f flags) *node {
	left := p.concat(f)
	for p.is("|") || p.is("|&") {
		l, calls := p.mark()
		n := p.node(opGetline)
		n.str = p.text
		p.advance()
		if !p.accept("getline") {
			p.reset(l, calls)
			return left
		}
		n.kids = []*node{p.optLvalue(), left}
		left = n
	}
	return left
}

func (p *parser) concat(f flags) *node {
	left := p.additive(f)
	if left.op == opList || !p.startsOperand() {
		return left
	}
	n := p.node(opConcat, left)
	for p.startsOperand() {
		n.kids = append(n.kids, p.additive(f))
	}
	return n
}

// startsOperand reports whether the token begins another operand of a concatenation. Signs do not: they are binary here.
func (p *parser) startsOperand() bool {
	switch p.tok {
	case tNumber, tString, tName, tFuncName, tBuiltin, tTypedRegex:
		return true
	case tPunct:
		switch p.text {
		case "$", "!", "(", "++", "--", "@":
			return true
		}
	}
	return false
}

func (p *parser) additive(f flags) *node { return p.binary(opBinary, p.multiplicative, f, "+", "-") }

func (p *parser) multiplicative(f flags) *node { return p.binary(opBinary, p.unary, f, "*", "/", "%") }

func (p *parser) unary(f flags) *node {
	o := unaryOp(p)
	if o == opNone {
		return p.power(f)
	}
	p.enter()
	defer p.leave()
	n := p.node(o)
	p.advance()
	n.kids = []*node{p.unary(f)}
	return n
}

func unaryOp(p *parser) op {
	if p.tok != tPunct {
		return opNone
	}
	switch p.text {
	case "!":
		return opNot
	case "-":
		return opNeg
	case "+":
		return opPlus
	}
	return opNone
}

func (p *parser) power(f flags) *node {
	base := p.postfix(f)
	if !p.is("^") {
		return base
	}
	p.enter()
	defer p.leave()
	n := p.node(opBinary)
	n.str = "^"
	p.advance()
	n.kids = []*node{base, p.exponent(f)}
	return n
}

// exponent is a power that may have a sign: 2^-3.
func (p *parser) exponent(f flags) *node {
	o := unaryOp(p)
	if o == opNone {
		return p.power(f)
	}
	p.enter()
	defer p.leave()
	n := p.node(o)
	p.advance()
	n.kids = []*node{p.exponent(f)}
	return n
}

func (p *parser) postfix(f flags) *node {
	operand := p.primary(f)
	if !isLvalue(operand) || !p.is("++") && !p.is("--") {
		return operand
	}
	n := p.node(opPostInc, operand)
	n.num = step(p.text)
	p.advance()
	return n
}

func step(text string) float64 {
	if text == "++" {
		return 1
	}
	return -1
}

func (p *parser) primary(f flags) *node {
	n := p.node(opNone)
	n.str, n.num = p.text, p.num
	switch p.tok {
	case tNumber:
		n.op = opNumber
	case tString:
		n.op = opString
	case tTypedRegex:
		n.op = opTyped
	case tName:
		return p.nameOrIndex()
	case tFuncName:
		return p.call()
	case tBuiltin:
		return p.builtin()
	case tKeyword:
		if p.text == "getline" {
			return p.getline(f)
		}
		p.unexpected()
	case tPunct:
		return p.punctuated(f)
	default:
		p.unexpected()
	}
	p.advance()
	return n
}

// punctuated reads the operands that begin with punctuation.
func (p *parser) punctuated(f flags) *node {
	n := p.node(opNone)
	switch p.text {
	case "/", "/=":
		if err := p.regex(); err != nil {
			panic(bail{err})
		}
		n.op, n.str = opRegex, p.text
		p.advance()
		return n
	case "(":
		return p.group()
	case "$":
		p.enter()
		defer p.leave()
		p.advance()
		n.op, n.kids = opField, []*node{p.fieldIndex(f)}
		return n
	case "++", "--":
		n.op, n.num = opPreInc, step(p.text)
		p.advance()
		n.kids = []*node{p.lvalue()}
		return n
	case "-", "+", "!":
		return p.unary(f)
	case "@":
		return p.indirect()
	}
	p.unexpected()
	return nil
}

// fieldIndex reads what follows "$", which binds tighter than everything but ++, -- and parentheses.
func (p *parser) fieldIndex(f flags) *node {
	o := unaryOp(p)
	if o == opNone {
		return p.primary(f)
	}
	n := p.node(o)
	p.advance()
	n.kids = []*node{p.fieldIndex(f)}
	return n
}

func (p *parser) lvalue() *node {
	n := p.primary(0)
	if !isLvalue(n) {
		p.fail("syntax error")
	}
	return n
}

// optLvalue reads the variable of getline, if there is one.
func (p *parser) optLvalue() *node {
	if p.tok == tName || p.is("$") {
		return p.lvalue()
	}
	return nil
}

func (p *parser) group() *node {
	n := p.node(opGroup)
	p.advance()
	n.kids = p.list(0)
	p.expect(")")
	if len(n.kids) == 1 {
		return n
	}
	if !p.is("in") {
		p.unexpected()
	}
	n.op = opList
	return n
}

func (p *parser) nameOrIndex() *node {
	n := p.node(opVar)
	n.str = p.text
	p.advance()
	for p.is("[") {
		p.enter()
		p.advance()
		subs := p.list(0)
		p.expect("]")
		p.leave()
		i := p.node(opIndex)
		i.kids = append([]*node{n}, subs...)
		n = i
	}
	return n
}

func (p *parser) args() []*node {
	p.expect("(")
	p.newlines()
	if p.accept(")") {
		return nil
	}
	args := p.list(0)
	p.newlines()
	p.expect(")")
	return args
}

func (p *parser) call() *node {
	n := p.node(opCall)
	n.str = p.text
	p.advance()
	n.kids = p.args()
	p.calls = append(p.calls, n)
	return n
}

func (p *parser) indirect() *node {
	p.advance()
	if p.tok != tFuncName {
		p.unexpected()
	}
	n := p.node(opIndirect)
	v := p.node(opVar)
	v.str = p.text
	p.advance()
	n.kids = append([]*node{v}, p.args()...)
	return n
}

func (p *parser) builtin() *node {
	n := p.node(opBuiltin)
	n.str = p.text
	p.advance()
	if p.is("(") {
		n.kids = p.args()
	} else if n.str != "length" {
		p.unexpected()
	}
	if lo, hi := arity(n.str); len(n.kids) < lo || len(n.kids) > hi {
		p.fail("%d is invalid as number of arguments for %s", len(n.kids), n.str)
	}
	return n
}

// arity is the least and the greatest number of arguments of a built-in function.
func arity(name string) (lo, hi int) {
	const many = 1 << 20
	switch name {
	case "length", "srand", "fflush":
		return 0, 1
	case "rand", "systime":
		return 0, 0
	case "substr", "sub", "gsub", "match":
		return 2, 3
	case "index", "atan2", "lshift", "rshift":
		return 2, 2
	case "split", "patsplit":
		return 2, 4
	case "gensub":
		return 3, 4
	case "sprintf":
		return 1, many
	case "and", "or", "xor":
		return 2, many
	case "strftime":
		return 0, 3
	case "mktime", "close", "bindtextdomain":
		return 1, 2
	case "asort", "asorti", "dcgettext":
		return 1, 3
	case "dcngettext":
		return 3, 5
	}
	return 1, 1
}

func (p *parser) getline(f flags) *node {
	n := p.node(opGetline)
	p.advance()
	n.kids = []*node{p.optLvalue(), nil}
	if p.is("<") {
		n.str = "<"
		p.advance()
		n.kids[1] = p.postfix(f)
	}
	return n
}
