package jq

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxNesting bounds how deeply a program nests.
const maxNesting = 2000

// op is the kind of a node of a program's tree.
type op uint8

const (
	opIdentity op = iota
	opRecurse     // ..
	opLiteral     // val
	opFormat      // str: @name
	opString      // kids: the parts; str: the format for interpolated values
	opIndex       // kids: target, key
	opSlice       // kids: target, from or nil, to or nil
	opEach        // kids: target
	opArray       // kids: body or none
	opObject      // kids: key, value, key, value …
	opNeg         // kids: operand
	opPipe        // kids: left, right
	opComma       // kids
	opBinary      // str: operator; kids
	opAlt         // a // b
	opAnd         //
	opOr          //
	opUpdate      // str: = |= += …; kids
	opIf          // cond, then, else or nil
	opTry         // body, handler or nil
	opReduce      // source, start, update; pats
	opForeach     // source, start, update, extract or nil; pats
	opBind        // source, body; pats: alternatives
	opLabel       // str; body
	opBreak       // str
	opVar         // str
	opCall        // str; kids: arguments
	opDef         // def, then kids[0]
	opLoc         // $__loc__: val
)

// node is a node of a program's tree.
type node struct {
	op   op
	str  string
	val  any
	kids []*node
	pats []*pattern
	def  *definition
	pos  int
}

// pattern is a destructuring pattern: a variable, an array of patterns or an object of them.
type pattern struct {
	name   string // variable
	array  []*pattern
	object []patternKey
	kind   byte // '$', '[' or '{'
}

// patternKey is an entry of an object pattern: the key, bound to name when that is not "", and what its value is matched with.
type patternKey struct {
	name string
	key  *node
	val  *pattern // may be nil
}

// definition is def NAME(PARAMS): BODY;
type definition struct {
	name   string
	params []string // "$x" is a parameter that is a variable too
	body   *node
}

// imported is an import or include.
type imported struct {
	path    string
	as      string // "" for include
	data    bool   // import … as $name
	meta    *node
	include bool
}

// module is a parsed program or library.
type module struct {
	meta    *node
	imports []imported
	defs    []*definition
	body    *node // nil when there are only definitions
}

// syntaxError is a mistake in a program.
type syntaxError struct {
	msg  string
	line int
	col  int
	text string // the line
}

func (e *syntaxError) Error() string {
	if e.line == 0 {
		return e.msg
	}
	return fmt.Sprintf("%s at <top-level>, line %d, column %d:\n    %s\n    %s^", e.msg, e.line, e.col, e.text, strings.Repeat(" ", max(0, e.col-1)))
}

// tok is a kind of token.
type tok uint8

const (
	tEOF tok = iota
	tNumber
	tQuote   // the opening quote of a string
	tFormat  // @name
	tField   // .name
	tVar     // $name; text is the name, with its namespace
	tIdent   // also keywords
	tPunct   // text
	tInvalid // text
)

type parser struct {
	src   string
	pos   int // after the current token
	tok   tok
	text  string
	at    int // where the current token begins
	depth int
	noAs  bool // in the source of reduce and foreach, whose "as" is not a binding
}

// bail carries an error up through the recursive descent.
type bail struct{ err error }

// parse reads a program or a library.
func parse(src string) (m *module, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case bail:
			m, err = nil, e.err
		default:
			panic(e)
		}
	}()
	p := &parser{src: src}
	p.next()
	return p.module(), nil
}

func (p *parser) fail(format string, args ...any) {
	p.failAt(p.at, format, args...)
}

func (p *parser) failAt(at int, format string, args ...any) {
	at = min(at, len(p.src))
	start := strings.LastIndexByte(p.src[:at], '\n') + 1
	end := strings.IndexByte(p.src[at:], '\n')
	if end < 0 {
		end = len(p.src) - at
	}
	panic(bail{&syntaxError{
		msg: "syntax error, " + fmt.Sprintf(format, args...), line: strings.Count(p.src[:at], "\n") + 1,
		col: at - start + 1, text: p.src[start : at+end],
	}})
}

func (p *parser) unexpected() {
	switch p.tok {
	case tEOF:
		p.fail("unexpected end of file")
	case tInvalid:
		p.fail("unexpected INVALID_CHARACTER")
	}
	p.fail("unexpected '%s'", p.src[p.at:p.pos])
}

func isIdentStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool      { return c >= '0' && c <= '9' }
func isIdent(c byte) bool      { return isIdentStart(c) || isDigit(c) }

// skipBlanks skips white space and comments. A backslash continues a comment on the next line.
func (p *parser) skipBlanks() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		case '#':
			for p.pos < len(p.src) && p.src[p.pos] != '\n' {
				if p.src[p.pos] == '\\' && p.pos+1 < len(p.src) {
					p.pos++
					if p.src[p.pos] == '\r' && strings.HasPrefix(p.src[p.pos:], "\r\n") {
						p.pos++
					}
				}
				p.pos++
			}
		default:
			return
		}
	}
}

const puncts = "|= += -= *= /= %= //= == != <= >= // .. ?// :: | , ; : ( ) [ ] { } = < > + - * / % ? . $"

// next reads the next token.
func (p *parser) next() {
	p.skipBlanks()
	p.at = p.pos
	if p.pos >= len(p.src) {
		p.tok, p.text = tEOF, ""
		return
	}
	rest := p.src[p.pos:]
	switch c := rest[0]; {
	case c == '"':
		p.pos++
		p.tok, p.text = tQuote, `"`
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		p.number(rest)
	case c == '.' && len(rest) > 1 && isIdentStart(rest[1]):
		p.pos += 1 + identLen(rest[1:])
		p.tok, p.text = tField, p.src[p.at+1:p.pos]
	case c == '@' && len(rest) > 1 && isIdent(rest[1]):
		p.pos += 1 + identLen(rest[1:])
		p.tok, p.text = tFormat, p.src[p.at:p.pos]
	case isIdentStart(c):
		p.pos += qualifiedLen(rest)
		p.tok, p.text = tIdent, p.src[p.at:p.pos]
	default:
		p.punct(rest)
	}
}

func identLen(s string) int {
	n := 0
	for n < len(s) && isIdent(s[n]) {
		n++
	}
	return n
}

// qualifiedLen is the length of a name with its namespaces: a::b.
func qualifiedLen(s string) int {
	n := identLen(s)
	for strings.HasPrefix(s[n:], "::") && n+2 < len(s) && isIdentStart(s[n+2]) {
		n += 2 + identLen(s[n+2:])
	}
	return n
}

func (p *parser) number(s string) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n < len(s) && s[n] == '.' && !strings.HasPrefix(s[n:], "..") {
		n++
		for n < len(s) && isDigit(s[n]) {
			n++
		}
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		m := n + 1
		if m < len(s) && (s[m] == '+' || s[m] == '-') {
			m++
		}
		if m < len(s) && isDigit(s[m]) {
			for m < len(s) && isDigit(s[m]) {
				m++
			}
			n = m
		}
	}
	p.pos += n
	p.tok, p.text = tNumber, s[:n]
}

func (p *parser) punct(rest string) {
	if rest[0] == '$' {
		after := p.pos + 1
		q := *p
		q.pos = after
		q.skipBlanks()
		if n := qualifiedLen(p.src[q.pos:]); n > 0 && isIdentStart(p.src[q.pos]) {
			p.tok, p.text = tVar, p.src[q.pos:q.pos+n]
			p.pos = q.pos + n
			return
		}
	}
	for t := range strings.FieldsSeq(puncts) {
		if strings.HasPrefix(rest, t) {
			p.pos += len(t)
			p.tok, p.text = tPunct, t
			return
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	p.pos += n
	p.tok, p.text = tInvalid, rest[:n]
}

func (p *parser) is(text string) bool { return p.tok == tPunct && p.text == text }

func (p *parser) isWord(text string) bool { return p.tok == tIdent && p.text == text }

func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) acceptWord(text string) bool {
	if !p.isWord(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.unexpected()
	}
}

func (p *parser) expectWord(text string) {
	if !p.acceptWord(text) {
		p.unexpected()
	}
}

func (p *parser) node(o op, kids ...*node) *node { return &node{op: o, kids: kids, pos: p.at} }

func (p *parser) module() *module {
	m := &module{}
	if p.acceptWord("module") {
		m.meta = p.term()
		p.expect(";")
	}
	for p.isWord("import") || p.isWord("include") {
		m.imports = append(m.imports, p.imported())
	}
	for p.isWord("def") {
		m.defs = append(m.defs, p.definition())
	}
	if p.tok == tEOF {
		return m
	}
	m.body = p.pipe()
	if p.tok != tEOF {
		p.unexpected()
	}
	return m
}

func (p *parser) imported() imported {
	i := imported{include: p.text == "include"}
	p.next()
	if p.tok != tQuote {
		p.unexpected()
	}
	s := p.str("")
	if s.op != opLiteral {
		p.fail("import path must be constant")
	}
	i.path = s.val.(string)
	if !i.include {
		p.expectWord("as")
		switch p.tok {
		case tVar:
			i.data = true
		case tIdent:
		default:
			p.unexpected()
		}
		i.as = p.text
		p.next()
	}
	if !p.is(";") {
		i.meta = p.term()
	}
	p.expect(";")
	return i
}

func (p *parser) definition() *definition {
	p.expectWord("def")
	if p.tok != tIdent {
		p.unexpected()
	}
	d := &definition{name: p.text}
	p.next()
	if p.accept("(") {
		for {
			switch p.tok {
			case tIdent:
				d.params = append(d.params, p.text)
			case tVar:
				d.params = append(d.params, "$"+p.text)
			default:
				p.unexpected()
			}
			p.next()
			if p.accept(")") {
				break
			}
			p.expect(";")
		}
	}
	p.expect(":")
	d.body = p.pipe()
	p.expect(";")
	return d
}

func (p *parser) enter() {
	p.depth++
	if p.depth > maxNesting {
		p.fail("program nests too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

// pipe reads the loosest construct: definitions, bindings and pipes.
func (p *parser) pipe() *node {
	p.enter()
	defer p.leave()
	defer func(old bool) { p.noAs = old }(p.noAs)
	p.noAs = false
	if p.isWord("def") {
		n := p.node(opDef)
		n.def = p.definition()
		n.kids = []*node{p.pipe()}
		return n
	}
	if p.isWord("label") {
		n := p.node(opLabel)
		p.next()
		if p.tok != tVar {
			p.unexpected()
		}
		n.str = p.text
		p.next()
		p.expect("|")
		n.kids = []*node{p.pipe()}
		return n
	}
	left := p.comma()
	if !p.is("|") {
		return left
	}
	n := p.node(opPipe)
	p.next()
	n.kids = []*node{left, p.pipe()}
	return n
}

func (p *parser) comma() *node {
	left := p.binary(0)
	if !p.is(",") {
		return left
	}
	n := p.node(opComma, left)
	for p.accept(",") {
		n.kids = append(n.kids, p.binary(0))
	}
	return n
}

// operator describes a binary operator: how tightly it binds, and how it associates.
type operator struct {
	op    op
	prec  int
	assoc byte // 'l', 'r' or 'n'
}

func (p *parser) operator() (operator, bool) {
	if p.tok == tIdent {
		switch p.text {
		case "or":
			return operator{opOr, 3, 'l'}, true
		case "and":
			return operator{opAnd, 4, 'l'}, true
		}
		return operator{}, false
	}
	if p.tok != tPunct {
		return operator{}, false
	}
	switch p.text {
	case "//":
		return operator{opAlt, 1, 'r'}, true
	case "=", "|=", "+=", "-=", "*=", "/=", "%=", "//=":
		return operator{opUpdate, 2, 'n'}, true
	case "==", "!=", "<", "<=", ">", ">=":
		return operator{opBinary, 5, 'n'}, true
	case "+", "-":
		return operator{opBinary, 6, 'l'}, true
	case "*", "/", "%":
		return operator{opBinary, 7, 'l'}, true
	}
	return operator{}, false
}

// binary reads operators that bind at least as tightly as least.
func (p *parser) binary(least int) *node {
	p.enter()
	defer p.leave()
	left := p.unary()
	for {
		o, ok := p.operator()
		if !ok || o.prec < least {
			return left
		}
		n := p.node(o.op)
		n.str = p.text
		p.next()
		next := o.prec + 1
		if o.assoc == 'r' {
			next = o.prec
		}
		n.kids = []*node{left, p.binary(next)}
		left = n
		if o.assoc != 'n' {
			continue
		}
		if again, ok := p.operator(); ok && again.prec == o.prec {
			p.unexpected()
		}
	}
}

func (p *parser) unary() *node {
	if !p.is("-") {
		return p.postfix()
	}
	p.enter()
	defer p.leave()
	n := p.node(opNeg)
	p.next()
	const multiplicative = 7
	n.kids = []*node{p.binary(multiplicative)}
	return n
}

// postfix reads a term and the binding that may follow it.
func (p *parser) postfix() *node {
	if p.isWord("def") {
		n := p.node(opDef)
		n.def = p.definition()
		n.kids = []*node{p.pipe()}
		return n
	}
	t := p.term()
	if p.noAs || !p.isWord("as") {
		return t
	}
	n := p.node(opBind)
	p.next()
	n.pats = p.patterns()
	p.expect("|")
	n.kids = []*node{t, p.pipe()}
	return n
}

func (p *parser) patterns() []*pattern {
	pats := []*pattern{p.pattern()}
	for p.accept("?//") {
		pats = append(pats, p.pattern())
	}
	return pats
}

func (p *parser) pattern() *pattern {
	p.enter()
	defer p.leave()
	switch {
	case p.tok == tVar:
		pt := &pattern{kind: '$', name: p.text}
		p.next()
		return pt
	case p.accept("["):
		pt := &pattern{kind: '['}
		for {
			pt.array = append(pt.array, p.pattern())
			if p.accept("]") {
				return pt
			}
			p.expect(",")
		}
	case p.accept("{"):
		pt := &pattern{kind: '{'}
		for {
			pt.object = append(pt.object, p.patternKey())
			if p.accept("}") {
				return pt
			}
			p.expect(",")
		}
	}
	p.unexpected()
	return nil
}

func (p *parser) patternKey() patternKey {
	var k patternKey
	switch p.tok {
	case tVar:
		k.name = p.text
		k.key = p.node(opLiteral)
		k.key.val = p.text
		p.next()
		if p.accept(":") {
			k.val = p.pattern()
		}
		return k
	case tIdent:
		k.key = p.node(opLiteral)
		k.key.val = p.text
		p.next()
	case tQuote:
		k.key = p.str("")
	default:
		if !p.accept("(") {
			p.unexpected()
		}
		k.key = p.pipe()
		if k.key.op == opLiteral {
			if _, ok := k.key.val.(string); !ok {
				p.failAt(k.key.pos, "Cannot use %s as object key", show(k.key.val))
			}
		}
		p.expect(")")
	}
	p.expect(":")
	k.val = p.pattern()
	return k
}
