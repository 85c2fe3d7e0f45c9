package awk

import "fmt"

// maxNesting bounds how deeply a program's expressions and statements nest.
const maxNesting = 1000

// parser reads a program by recursive descent.
type parser struct {
	*lexer
	prog  *program
	depth int
	fn    *function // the function being read
	loops int
	calls []*node
}

// bail carries an error up through the recursive descent.
type bail struct{ err error }

// parse reads a program made of the given sources.
func parse(sources []source) (prog *program, err error) {
	prog = &program{funcs: map[string]*function{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case bail:
			prog, err = nil, e.err
		default:
			panic(e)
		}
	}()
	var calls []*node
	for _, s := range sources {
		p := &parser{lexer: newLexer(s), prog: prog}
		p.advance()
		p.program()
		calls = append(calls, p.calls...)
	}
	for _, c := range calls {
		if prog.funcs[c.str] == nil {
			return nil, &syntaxError{where: fmt.Sprintf("%s:%d", c.src, c.line), msg: fmt.Sprintf("fatal: function `%s' not defined", c.str), fatal: true}
		}
	}
	return prog, nil
}

func (p *parser) advance() {
	if err := p.next(); err != nil {
		panic(bail{err})
	}
}

func (p *parser) fail(format string, args ...any) {
	panic(bail{p.errorAt(p.at, p.tokLine, format, args...)})
}

func (p *parser) unexpected() {
	if p.tok == tNewline || p.tok == tEOF {
		p.fail("unexpected newline or end of string")
	}
	p.fail("syntax error")
}

func (p *parser) expect(text string) {
	if !p.is(text) {
		p.unexpected()
	}
	p.advance()
}

func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) newlines() {
	for p.tok == tNewline {
		p.advance()
	}
}

// enter counts a level of nesting; leave ends it.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxNesting {
		p.fail("program nests too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) node(o op, kids ...*node) *node {
	return &node{op: o, line: p.tokLine, src: p.src.name, kids: kids}
}

// mark and reset let the parser try one reading of an ambiguous construct and go back.
func (p *parser) mark() (lexer, int) { return *p.lexer, len(p.calls) }

func (p *parser) reset(l lexer, calls int) {
	*p.lexer = l
	p.calls = p.calls[:calls]
}

func (p *parser) program() {
	for {
		for p.tok == tNewline || p.is(";") {
			p.advance()
		}
		if p.tok == tEOF {
			return
		}
		p.item()
	}
}

func (p *parser) item() {
	switch {
	case p.is("function"):
		p.function()
	case p.is("BEGIN"):
		p.special(&p.prog.begin)
	case p.is("END"):
		p.special(&p.prog.end)
	case p.is("BEGINFILE"):
		p.special(&p.prog.beginFile)
	case p.is("ENDFILE"):
		p.special(&p.prog.endFile)
	case p.is("@"):
		p.directive()
	default:
		p.rule()
	}
}

// directive refuses what would bring other files or libraries into the program.
func (p *parser) directive() {
	p.advance()
	switch p.text {
	case "include", "load":
		p.fail("@%s is not supported", p.text)
	case "namespace":
		p.fail("@namespace is not supported")
	}
	p.unexpected()
}

func (p *parser) special(list *[]*node) {
	name := p.text
	p.advance()
	if !p.is("{") {
		p.fail("%s blocks must have an action part", name)
	}
	*list = append(*list, p.block())
}

func (p *parser) rule() {
	var r rule
	if !p.is("{") {
		r.pattern = p.expr(0)
		if p.accept(",") {
			p.newlines()
			r.end = p.expr(0)
		}
	}
	if p.is("{") {
		r.action = p.block()
	} else {
		p.endStatement()
	}
	p.prog.rules = append(p.prog.rules, r)
}

func (p *parser) function() {
	p.advance()
	if p.tok != tName && p.tok != tFuncName {
		p.unexpected()
	}
	f := &function{name: p.text, line: p.tokLine}
	if p.prog.funcs[f.name] != nil {
		p.fail("function name `%s' previously defined", f.name)
	}
	p.advance()
	p.expect("(")
	for !p.is(")") {
		if p.tok != tName {
			p.unexpected()
		}
		p.param(f)
		p.advance()
		p.newlines()
		if !p.accept(",") {
			break
		}
		p.newlines()
	}
	p.expect(")")
	p.newlines()
	p.fn = f
	p.prog.funcs[f.name] = f
	p.prog.order = append(p.prog.order, f)
	if !p.is("{") {
		p.unexpected()
	}
	f.body = p.block()
	p.fn = nil
}

func (p *parser) param(f *function) {
	if p.text == f.name {
		p.fail("function `%s': cannot use function name as parameter name", f.name)
	}
	for i, old := range f.params {
		if old == p.text {
			p.fail("function `%s': parameter #%d, `%s', duplicates parameter #%d", f.name, len(f.params)+1, p.text, i+1)
		}
	}
	f.params = append(f.params, p.text)
}

// block reads statements in braces.
func (p *parser) block() *node {
	p.enter()
	defer p.leave()
	b := p.node(opBlock)
	p.expect("{")
	for {
		for p.tok == tNewline || p.is(";") {
			p.advance()
		}
		if p.accept("}") {
			return b
		}
		if p.tok == tEOF {
			p.unexpected()
		}
		b.kids = append(b.kids, p.statement())
	}
}

// endStatement consumes what ends a simple statement. A closing brace is left for the block.
func (p *parser) endStatement() {
	switch {
	case p.tok == tNewline || p.is(";"):
		p.advance()
	case p.is("}") || p.tok == tEOF:
	default:
		p.unexpected()
	}
}

// body reads the statement that a loop or condition governs; a lone semicolon is an empty one.
func (p *parser) body() *node {
	p.newlines()
	if p.is(";") {
		p.advance()
		return p.node(opBlock)
	}
	return p.statement()
}

func (p *parser) statement() *node {
	p.enter()
	defer p.leave()
	if p.is("{") {
		return p.block()
	}
	if p.tok == tKeyword {
		if n := p.compound(); n != nil {
			return n
		}
	}
	n := p.simple()
	p.endStatement()
	return n
}

// compound reads a statement that ends with another one, or nil.
func (p *parser) compound() *node {
	switch p.text {
	case "if":
		return p.ifStatement()
	case "while":
		n := p.node(opWhile)
		p.advance()
		n.kids = append(n.kids, p.condition())
		if p.accept(";") {
			n.kids = append(n.kids, p.node(opBlock))
			return n
		}
		n.kids = append(n.kids, p.loopBody())
		return n
	case "do":
		return p.doStatement()
	case "for":
		return p.forStatement()
	case "switch":
		return p.switchStatement()
	case "function", "BEGIN", "END", "else", "case", "default":
		p.unexpected()
	}
	return nil
}

func (p *parser) condition() *node {
	p.expect("(")
	c := p.expr(0)
	p.expect(")")
	return c
}

func (p *parser) loopBody() *node {
	p.loops++
	b := p.body()
	p.loops--
	return b
}

func (p *parser) ifStatement() *node {
	n := p.node(opIf)
	p.advance()
	n.kids = append(n.kids, p.condition(), p.body(), nil)
	l, calls := p.mark()
	for p.tok == tNewline || p.is(";") {
		p.advance()
	}
	if !p.is("else") {
		p.reset(l, calls)
		return n
	}
	p.advance()
	n.kids[2] = p.body()
	return n
}

func (p *parser) doStatement() *node {
	n := p.node(opDo)
	p.advance()
	body := p.loopBody()
	for p.tok == tNewline || p.is(";") {
		p.advance()
	}
	p.expect("while")
	n.kids = []*node{p.condition(), body}
	p.endStatement()
	return n
}

func (p *parser) forStatement() *node {
	n := p.node(opFor)
	p.advance()
	p.expect("(")
	if in := p.forIn(n); in != nil {
		return in
	}
	var init, cond, step *node
	if !p.is(";") {
		init = p.simple()
	}
	p.expect(";")
	p.newlines()
	if !p.is(";") {
		cond = p.expr(0)
	}
	p.expect(";")
	p.newlines()
	if !p.is(")") {
		step = p.simple()
	}
	p.expect(")")
	if p.accept(";") {
		n.kids = []*node{init, cond, step, p.node(opBlock)}
		return n
	}
	n.kids = []*node{init, cond, step, p.loopBody()}
	return n
}

// forIn reads "NAME in ARRAY)" and the body, or goes back and returns nil.
func (p *parser) forIn(n *node) *node {
	if p.tok != tName {
		return nil
	}
	l, calls := p.mark()
	v := p.node(opVar)
	v.str = p.text
	p.advance()
	if !p.accept("in") || p.tok != tName {
		p.reset(l, calls)
		return nil
	}
	arr := p.nameOrIndex()
	if !p.is(")") {
		p.reset(l, calls)
		return nil
	}
	p.advance()
	n.op = opForIn
	if p.accept(";") {
		n.kids = []*node{v, arr, p.node(opBlock)}
		return n
	}
	n.kids = []*node{v, arr, p.loopBody()}
	return n
}

func (p *parser) switchStatement() *node {
	n := p.node(opSwitch)
	p.advance()
	n.kids = append(n.kids, p.condition())
	p.newlines()
	p.expect("{")
	p.loops++
	defer func() { p.loops-- }()
	for {
		for p.tok == tNewline || p.is(";") {
			p.advance()
		}
		if p.accept("}") {
			return n
		}
		n.kids = append(n.kids, p.caseClause())
	}
}

func (p *parser) caseClause() *node {
	c := p.node(opCase, nil)
	switch {
	case p.accept("default"):
	case p.accept("case"):
		c.kids[0] = p.caseValue()
	default:
		p.unexpected()
	}
	p.expect(":")
	for {
		for p.tok == tNewline || p.is(";") {
			p.advance()
		}
		if p.is("case") || p.is("default") || p.is("}") {
			return c
		}
		c.kids = append(c.kids, p.statement())
	}
}

// caseValue reads the constant of a case: a number, a string or a regular expression.
func (p *parser) caseValue() *node {
	if p.is("-") || p.is("+") {
		neg := p.is("-")
		p.advance()
		n := p.primary(0)
		if n.op != opNumber {
			p.unexpected()
		}
		if neg {
			n.num = -n.num
		}
		return n
	}
	n := p.primary(0)
	switch n.op {
	case opNumber, opString, opRegex, opTyped, opGroup:
		return n
	}
	p.unexpected()
	return nil
}

// simple reads a statement that governs no other.
func (p *parser) simple() *node {
	n := p.node(opNone)
	if p.tok != tKeyword {
		n.op, n.kids = opExpr, []*node{p.expr(0)}
		return n
	}
	switch p.text {
	case "print", "printf":
		return p.print()
	case "break", "continue":
		if p.loops == 0 {
			p.fail("`%s' is not allowed outside a loop%s", p.text, map[string]string{"break": " or switch"}[p.text])
		}
		n.op = map[string]op{"break": opBreak, "continue": opContinue}[p.text]
		p.advance()
	case "next":
		n.op = opNext
		p.advance()
	case "nextfile":
		n.op = opNextFile
		p.advance()
	case "exit", "return":
		n.op = opExit
		if p.text == "return" {
			n.op = opReturn
			if p.fn == nil {
				p.fail("`return' used outside function context")
			}
		}
		p.advance()
		if !p.statementEnds() {
			n.kids = []*node{p.expr(0)}
		}
	case "delete":
		n.op = opDelete
		p.advance()
		group := p.accept("(")
		if p.tok != tName {
			p.unexpected()
		}
		n.kids = []*node{p.nameOrIndex()}
		if group {
			p.expect(")")
		}
	default:
		n.op, n.kids = opExpr, []*node{p.expr(0)}
	}
	return n
}

func (p *parser) statementEnds() bool {
	return p.tok == tNewline || p.tok == tEOF || p.is(";") || p.is("}")
}

// print reads print and printf with their redirection.
func (p *parser) print() *node {
	n := p.node(opPrint, nil)
	if p.text == "printf" {
		n.op = opPrintf
	}
	p.advance()
	if !p.printEnds() {
		n.kids = append(n.kids, p.printArgs()...)
	}
	if n.op == opPrintf && len(n.kids) == 1 {
		p.unexpected()
	}
	for _, r := range []string{">", ">>", "|&", "|"} {
		if p.is(r) {
			n.str = r
			p.advance()
			n.kids[0] = p.concat(noGreater)
			break
		}
	}
	return n
}

func (p *parser) printEnds() bool {
	return p.statementEnds() || p.is(">") || p.is(">>") || p.is("|") || p.is("|&") || p.is(")")
}

// printArgs reads the arguments: "(a, b)" is a list of them only when nothing of an expression follows.
func (p *parser) printArgs() []*node {
	if p.is("(") {
		l, calls := p.mark()
		p.advance()
		args := p.list(0)
		p.expect(")")
		if p.printEnds() {
			return args
		}
		p.reset(l, calls)
	}
	return p.list(noGreater)
}

// list reads expressions separated by commas.
func (p *parser) list(f flags) []*node {
	p.newlines()
	args := []*node{p.expr(f)}
	for {
		p.newlinesInParens(f)
		if !p.accept(",") {
			return args
		}
		p.newlines()
		args = append(args, p.expr(f))
	}
}

// newlinesInParens skips nothing outside of parentheses, where a newline ends the statement.
func (p *parser) newlinesInParens(f flags) {
	if f&noGreater == 0 && p.tok == tNewline {
		l, calls := p.mark()
		p.newlines()
		if !p.is(")") && !p.is(",") {
			p.reset(l, calls)
		}
	}
}
