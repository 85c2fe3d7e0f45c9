package bc

import "fmt"

// maxNesting bounds how deeply a program nests.
const maxNesting = 1000

// syntaxError is a mistake in the program.
type syntaxError struct{ msg string }

// parser reads statements and makes closures of them.
type parser struct {
	lexer
	in    *interp
	depth int
	loops int
	fn    *function
}

func (p *parser) fail(format string, args ...any) {
	panic(syntaxError{fmt.Sprintf(format, args...)})
}

func (p *parser) unexpected() {
	if p.tok == tBad {
		p.fail("illegal character: %s", p.text)
	}
	p.fail("syntax error")
}

func (p *parser) is(text string) bool { return p.tok == tPunct && p.text == text }

func (p *parser) isName(text string) bool { return p.tok == tName && p.text == text }

func (p *parser) accept(text string) bool {
	if !p.is(text) {
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

func (p *parser) newlines() {
	for p.tok == tNewline {
		p.next()
	}
}

func (p *parser) enter() {
	p.depth++
	if p.depth > maxNesting {
		p.fail("program nests too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

// statementEnds reports whether nothing more of a statement can come.
func (p *parser) statementEnds() bool {
	return p.tok == tNewline || p.tok == tEOF || p.is(";") || p.is("}")
}

// line reads the statements of a line. The newline stays the current token, so that what has been read can run before more
// is asked for.
func (p *parser) line1() []stmt {
	var list []stmt
	for {
		for p.is(";") {
			p.next()
		}
		if p.tok == tNewline || p.tok == tEOF {
			return list
		}
		list = append(list, p.statement())
		if !p.statementEnds() || p.is("}") {
			p.unexpected()
		}
	}
}

func (p *parser) statement() stmt {
	p.enter()
	defer p.leave()
	switch p.tok {
	case tString:
		s := p.text
		p.next()
		return func(in *interp) control {
			in.out(s)
			return ctlNone
		}
	case tPunct:
		if p.is("{") {
			return p.block()
		}
	case tName:
		if s := p.keyword(); s != nil {
			return s
		}
	}
	return p.expressionStatement()
}

// statementsToBrace parses what stands in braces, the opening one excepted.
func (p *parser) statementsToBrace() []stmt {
	var list []stmt
	for {
		for p.tok == tNewline || p.is(";") {
			p.next()
		}
		if p.accept("}") {
			return list
		}
		if p.tok == tEOF {
			p.unexpected()
		}
		list = append(list, p.statement())
		if !p.statementEnds() {
			p.unexpected()
		}
	}
}

func (p *parser) block() stmt {
	p.expect("{")
	list := p.statementsToBrace()
	return func(in *interp) control {
		for _, s := range list {
			if c := s(in); c != ctlNone {
				return c
			}
		}
		return ctlNone
	}
}

// keyword reads the statements that begin with a word, or returns nil.
func (p *parser) keyword() stmt {
	switch p.text {
	case "if":
		return p.ifStatement()
	case "while":
		return p.whileStatement()
	case "for":
		return p.forStatement()
	case "break", "continue":
		c := ctlBreak
		if p.text == "continue" {
			c = ctlContinue
		}
		if p.loops == 0 {
			p.fail("%s outside a while or for", p.text)
		}
		p.next()
		return func(*interp) control { return c }
	case "return":
		return p.returnStatement()
	case "print":
		return p.printStatement()
	case "halt":
		p.next()
		return func(*interp) control { return ctlHalt }
	case "quit":
		// It ends the program when it is read, wherever it stands.
		panic(quit{})
	case "limits":
		p.next()
		return func(in *interp) control {
			in.out(limitsText)
			return ctlNone
		}
	case "warranty":
		p.next()
		return func(in *interp) control { return ctlNone }
	}
	return nil
}

func (p *parser) condition() expr {
	p.expect("(")
	c := p.expression()
	p.expect(")")
	return c
}

func (p *parser) body() stmt {
	p.newlines()
	if p.is(";") { // an empty statement
		return func(*interp) control { return ctlNone }
	}
	return p.statement()
}

func (p *parser) ifStatement() stmt {
	p.next()
	cond := p.condition()
	then := p.body()
	if !p.isName("else") {
		return func(in *interp) control {
			if cond(in).isZero() {
				return ctlNone
			}
			return then(in)
		}
	}
	p.next()
	other := p.body()
	return func(in *interp) control {
		if cond(in).isZero() {
			return other(in)
		}
		return then(in)
	}
}

func (p *parser) loopBody() stmt {
	p.loops++
	defer func() { p.loops-- }()
	return p.body()
}

func (p *parser) whileStatement() stmt {
	p.next()
	cond := p.condition()
	return loop(nil, cond, nil, p.loopBody())
}

func (p *parser) forStatement() stmt {
	p.next()
	p.expect("(")
	part := func(end string) expr {
		if p.accept(end) {
			return nil
		}
		e := p.expression()
		p.expect(end)
		return e
	}
	init, cond, step := part(";"), part(";"), part(")")
	return loop(init, cond, step, p.loopBody())
}

func loop(init, cond, step expr, body stmt) stmt {
	return func(in *interp) control {
		if init != nil {
			init(in)
		}
		for cond == nil || !cond(in).isZero() {
			in.tick()
			switch c := body(in); c {
			case ctlNone, ctlContinue:
			case ctlBreak:
				return ctlNone
			default:
				return c
			}
			if step != nil {
				step(in)
			}
		}
		return ctlNone
	}
}

func (p *parser) returnStatement() stmt {
	if p.fn == nil {
		p.fail("return outside of a function")
	}
	p.next()
	if p.statementEnds() {
		return func(in *interp) control {
			in.ret = num{}
			return ctlReturn
		}
	}
	e := p.expression()
	return func(in *interp) control {
		in.ret = e(in)
		return ctlReturn
	}
}

func (p *parser) printStatement() stmt {
	p.next()
	var parts []stmt
	for {
		if p.tok == tString {
			s := unescape(p.text)
			parts = append(parts, func(in *interp) control {
				in.out(s)
				return ctlNone
			})
			p.next()
		} else {
			e := p.expression()
			parts = append(parts, func(in *interp) control {
				in.last = e(in)
				in.out(in.format(in.last))
				return ctlNone
			})
		}
		if !p.accept(",") {
			break
		}
	}
	return func(in *interp) control {
		for _, s := range parts {
			s(in)
		}
		return ctlNone
	}
}

// unescape resolves the escapes of print.
func unescape(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'a':
			b = append(b, '\a')
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'q':
			b = append(b, '"')
		case '\\':
			b = append(b, '\\')
		case 'e':
			b = append(b, '\x1b')
		}
	}
	return string(b)
}

func (p *parser) expressionStatement() stmt {
	e, silent := p.expr0()
	if silent {
		return func(in *interp) control {
			e(in)
			return ctlNone
		}
	}
	return func(in *interp) control {
		v := e(in)
		if in.void {
			in.void = false
			return ctlNone
		}
		in.last = v
		in.out(in.format(v))
		in.out("\n")
		return ctlNone
	}
}

// definition reads define NAME(…) { … }.
func (p *parser) definition() {
	p.next()
	void := false
	if p.isName("void") {
		p.next()
		void = true
	}
	if p.tok != tName {
		p.unexpected()
	}
	f := p.in.function(p.text)
	p.next()
	fresh := &function{name: f.name, void: void}
	p.expect("(")
	fresh.params = p.parameters(")")
	p.expect(")")
	p.newlines()
	p.expect("{")
	p.newlines()
	if p.isName("auto") {
		p.next()
		fresh.autos = p.parameters("")
		if !p.statementEnds() {
			p.unexpected()
		}
	}
	defer func(fn *function, loops int) { p.fn, p.loops = fn, loops }(p.fn, p.loops)
	p.fn, p.loops = fresh, 0
	fresh.body, fresh.defined = p.statementsToBrace(), true
	*f = *fresh
}

// parameters reads a list of names; name[] is an array, *name[] one by reference.
func (p *parser) parameters(end string) []param {
	var list []param
	if end != "" && p.is(end) {
		return nil
	}
	for {
		var v param
		if p.accept("*") || p.accept("&") {
			v.ref = true
		}
		if p.tok != tName {
			p.unexpected()
		}
		v.name = p.text
		p.next()
		if p.accept("[") {
			p.expect("]")
			v.array = p.in.array(v.name)
		} else {
			v.scalar = p.in.variable(v.name)
		}
		list = append(list, v)
		if !p.accept(",") {
			return list
		}
	}
}
