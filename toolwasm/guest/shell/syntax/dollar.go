package syntax

import (
	"strings"
)

// dollar parses what begins with "$" at the position; nil when the dollar stands for itself.
func (p *Parser) dollar(quoted bool) Part {
	c := p.peekAt(1)
	start := p.pos
	switch {
	case c == '\'' && !quoted:
		p.pos += 2
		return &Quoted{Text: p.ansiC(start)}
	case c == '"' && !quoted:
		p.pos += 2
		return &DblQuoted{Parts: p.dquote()}
	case c == '(':
		return p.dollarParen()
	case c == '{':
		return p.braceParam(quoted)
	case c == '[':
		return p.oldArith()
	case isNameStart(c):
		p.pos++
		for isNameChar(p.peek()) {
			p.pos++
		}
		return &Param{Name: p.src[start+1 : p.pos], Src: p.src[start:p.pos], Line: p.lineAt(start)}
	case c >= '0' && c <= '9' || c != 0 && strings.IndexByte("@*#?-$!", c) >= 0:
		p.pos += 2
		return &Param{Name: p.src[start+1 : p.pos], Src: p.src[start:p.pos], Special: true, Line: p.lineAt(start)}
	}
	return nil
}

// ansiC parses $'…' after the opening quote.
func (p *Parser) ansiC(start int) string {
	from := p.pos
	for {
		c := p.peek()
		if c == 0 && p.pos >= len(p.src) {
			p.fail(start, true, "unexpected EOF while looking for matching `''")
		}
		if c == '\'' {
			break
		}
		if c == '\\' {
			p.peekAt(1)
			p.pos++
		}
		p.pos++
	}
	text := p.src[from:p.pos]
	p.pos++
	return UnescapeANSI(text)
}

// dollarParen parses $(…) and $((…)).
func (p *Parser) dollarParen() Part {
	start := p.pos
	if p.peekAt(2) == '(' {
		if text, ok := p.matchArith(start + 3); ok {
			return &ArithSubst{X: NewArith(text, p.lineAt(start))}
		}
		p.pos = start
	}
	p.pos += 2
	body := p.nested(start)
	return &CmdSubst{Body: body, Src: p.src[start:p.pos], Line: p.lineAt(start)}
}

// nested parses a list up to ")".
func (p *Parser) nested(start int) *List {
	p.enter()
	defer p.leave()
	inCond := p.inCond
	p.inCond = false
	docs := p.docs
	p.docs = nil
	body := p.list(false)
	p.skipLines()
	p.docs = append(docs, p.docs...)
	p.inCond = inCond
	if p.atEnd() {
		p.fail(start, true, "unexpected EOF while looking for matching `)'")
	}
	if p.peek() != ')' {
		p.unexpected()
	}
	p.pos++
	return body
}

func (p *Parser) procSubst() Part {
	start := p.pos
	out := p.peek() == '>'
	p.pos += 2
	body := p.nested(start)
	return &ProcSubst{Out: out, Body: body, Src: p.src[start:p.pos]}
}

// oldArith parses $[expression].
func (p *Parser) oldArith() Part {
	start := p.pos
	depth := 0
	for i := p.pos + 2; ; i++ {
		for i >= len(p.src) {
			if !p.fill() {
				p.fail(start, true, "unexpected EOF while looking for matching `]'")
			}
		}
		switch p.src[i] {
		case '[':
			depth++
		case ']':
			if depth == 0 {
				p.pos = i + 1
				return &ArithSubst{X: NewArith(p.src[start+2:i], p.lineAt(start))}
			}
			depth--
		}
	}
}

// matchArith finds the "))" that closes an arithmetic expression beginning at from, and moves the position after it. It
// reports false when the parentheses do not close in a pair, which makes the construct a nested subshell.
func (p *Parser) matchArith(from int) (string, bool) {
	depth := 0
	for i := from; ; i++ {
		for i >= len(p.src) {
			if !p.fill() {
				return "", false
			}
		}
		switch p.src[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth > 0 {
				depth--
				continue
			}
			for i+1 >= len(p.src) && p.fill() {
			}
			if i+1 < len(p.src) && p.src[i+1] == ')' {
				p.pos = i + 2
				return p.src[from:i], true
			}
			return "", false
		case '\'':
			if n := strings.IndexByte(p.src[i+1:], '\''); n >= 0 {
				i += n + 1
			}
		case '"', '`':
			if n := p.skipQuoted(i); n > 0 {
				i = n - 1
			}
		case '$':
			if i+1 < len(p.src) && (p.src[i+1] == '(' || p.src[i+1] == '{') {
				if n := p.skipQuoted(i); n > 0 {
					i = n - 1
				}
			}
		}
	}
}

// braceParam parses ${…}.
func (p *Parser) braceParam(quoted bool) Part {
	p.enter()
	defer p.leave()
	start := p.pos
	line := p.lineAt(start)
	p.pos += 2
	x := &Param{Line: line}
	if !p.paramHead(x) || !p.paramOp(x, quoted, start) {
		p.pos = start + 2
		p.skipBraces(start)
		return &Param{Op: OpBad, Src: p.src[start:p.pos], Line: line}
	}
	x.Src = p.src[start:p.pos]
	return x
}

// skipBraces moves the position after the "}" that closes ${ of an expansion that is not valid.
func (p *Parser) skipBraces(start int) {
	var b builder
	for {
		if p.atEnd() {
			p.fail(start, true, "unexpected EOF while looking for matching `}'")
		}
		if p.peek() == '}' {
			p.pos++
			return
		}
		p.wordPiece(&b)
	}
}

// paramHead parses the prefix, the name and the subscript of ${…}.
func (p *Parser) paramHead(x *Param) bool {
	c := p.peek()
	if c == '#' && !p.hashIsParam() {
		p.pos++
		x.Op = OpLength
		c = p.peek()
	}
	if c == '!' && x.Op != OpLength {
		if n := p.peekAt(1); isNameChar(n) || n == '#' || n == '@' || n == '*' || n == '?' {
			if !(n == '?' || n == '#') || p.peekAt(2) == '}' {
				p.pos++
				x.Indirect = true
				c = n
			}
		}
	}
	start := p.pos
	switch {
	case isNameStart(c):
		for isNameChar(p.peek()) {
			p.pos++
		}
	case c >= '0' && c <= '9':
		for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
			p.pos++
		}
		x.Special = true
	case c != 0 && strings.IndexByte("@*#?-$!", c) >= 0:
		p.pos++
		x.Special = true
	default:
		return false
	}
	x.Name = p.src[start:p.pos]
	if x.Special || p.peek() != '[' {
		return true
	}
	end, ok := p.subscriptEnd(p.pos + 1)
	if !ok {
		return false
	}
	x.Index = NewSubscript(p.src[p.pos+1:end], x.Line)
	p.pos = end + 1
	return true
}

// hashIsParam tells ${#} and ${#-default} (the parameter #) from ${#name} (a length).
func (p *Parser) hashIsParam() bool {
	c, after := p.peekAt(1), p.peekAt(2)
	switch c {
	case '}', ':', '=', '+', '%', '/', '^', ',':
		return true
	case '-', '?', '#', '@', '*', '!', '$':
		// ${#-} is the length of $-, ${#-x} the parameter # with a default
		return after != '}' && !(c == '@' && after == '[')
	}
	return false
}

// paramOp parses the operation of ${…} and the closing brace.
func (p *Parser) paramOp(x *Param, quoted bool, start int) bool {
	c := p.peek()
	if c == '}' {
		p.pos++
		if x.Indirect && x.Index != nil && (x.Index.At || x.Index.Star) {
			x.Op, x.Indirect = OpKeys, false
			x.Mod = '@'
			if x.Index.Star {
				x.Mod = '*'
			}
		}
		return true
	}
	if x.Op == OpLength {
		return false
	}
	if x.Indirect && (c == '*' || c == '@') && p.peekAt(1) == '}' && !x.Special {
		x.Op, x.Indirect, x.Mod = OpNames, false, c
		p.pos += 2
		return true
	}
	p.pos++
	switch c {
	case ':':
		return p.colonOp(x, quoted, start)
	case '-', '=', '?', '+':
		x.Op = valueOp(c)
		x.Arg = p.braceWord(quoted, false, "", start)
	case '#', '%':
		x.Op = OpTrimPrefix
		if c == '%' {
			x.Op = OpTrimSuffix
		}
		x.Double = p.take(c)
		x.Arg = p.braceWord(quoted, true, "", start)
	case '/':
		p.replaceOp(x, quoted, start)
	case '^', ',', '~':
		x.Op = map[byte]ParamOp{'^': OpUpper, ',': OpLower, '~': OpToggle}[c]
		x.Double = p.take(c)
		x.Arg = p.braceWord(quoted, true, "", start)
	case '@':
		x.Mod = p.peek()
		if x.Mod == 0 || strings.IndexByte("QEPAaKkULu", x.Mod) < 0 || p.peekAt(1) != '}' {
			return false
		}
		x.Op = OpTransform
		p.pos++
	default:
		return false
	}
	if p.peek() != '}' {
		return false
	}
	p.pos++
	return true
}

func valueOp(c byte) ParamOp {
	switch c {
	case '-':
		return OpDefault
	case '=':
		return OpAssign
	case '?':
		return OpError
	}
	return OpAlt
}

// take consumes c when it is next.
func (p *Parser) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.pos++
	return true
}

// colonOp parses what follows "${name:": an operator or a slice.
func (p *Parser) colonOp(x *Param, quoted bool, start int) bool {
	c := p.peek()
	if c != 0 && strings.IndexByte("-=?+", c) >= 0 {
		p.pos++
		x.Op, x.Colon = valueOp(c), true
		x.Arg = p.braceWord(quoted, false, "", start)
		return p.take('}')
	}
	x.Op = OpSlice
	off, ok := p.sliceText(":}")
	if !ok {
		return false
	}
	x.Offset = NewArith(off, x.Line)
	if p.take(':') {
		n, ok := p.sliceText("}")
		if !ok {
			return false
		}
		x.Length = NewArith(n, x.Line)
	}
	return p.take('}')
}

// sliceText reads an arithmetic expression up to one of the characters of stops, outside of quotes, parentheses and
// the ":" of a conditional expression.
func (p *Parser) sliceText(stops string) (string, bool) {
	start := p.pos
	depth, quest := 0, 0
	for {
		c := p.peek()
		if c == 0 && p.pos >= len(p.src) {
			return "", false
		}
		if depth == 0 && strings.IndexByte(stops, c) >= 0 && !(c == ':' && quest > 0) {
			return p.src[start:p.pos], true
		}
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '?':
			quest++
		case ':':
			quest--
		case '\\':
			p.pos++
		case '\'':
			p.squote()
			continue
		case '"', '`', '$':
			n := p.skipQuoted(p.pos)
			if n < 0 {
				return "", false
			}
			p.pos = n
			continue
		}
		p.pos++
	}
}

// replaceOp parses what follows "${name/".
func (p *Parser) replaceOp(x *Param, quoted bool, start int) {
	x.Op = OpReplace
	switch c := p.peek(); c {
	case '/':
		x.Double = true
		p.pos++
	case '#', '%':
		x.Anchor = c
		p.pos++
	}
	if x.Anchor != 0 && p.peek() == '/' {
		x.Arg = &Word{Plain: true}
	} else {
		x.Arg = p.braceWord(quoted, true, "/", start)
	}
	if p.take('/') {
		x.HasRepl = true
		x.Repl = p.braceWord(quoted, true, "", start)
	}
}

// braceWord parses the word of an operation up to "}" or one of stops. Inside double quotes single quotes are
// literal, except in patterns.
func (p *Parser) braceWord(quoted, pattern bool, stops string, start int) *Word {
	var b builder
	from := p.pos
	if !quoted && p.peek() == '~' {
		p.braceTilde(&b)
	}
	for {
		c := p.peek()
		if c == 0 && p.pos >= len(p.src) {
			p.fail(start, true, "unexpected EOF while looking for matching `}'")
		}
		if c == '}' {
			break
		}
		if stops != "" && strings.IndexByte(stops, c) >= 0 && p.pos > from {
			break
		}
		switch {
		case quoted && !pattern && c == '\'':
			b.lit.WriteByte(c)
			p.pos++
		case quoted && !pattern && c == '\\':
			p.quotedBackslash(&b)
		case quoted && c == '$' && p.peekAt(1) == '\'' && !pattern:
			b.lit.WriteByte(c)
			p.pos++
		default:
			if (c == '<' || c == '>') && !quoted && p.peekAt(1) == '(' {
				b.add(p.procSubst())
				continue
			}
			p.wordPiece(&b)
		}
	}
	b.flush()
	w := p.finish(&b, from)
	if len(w.Parts) == 0 {
		w.Plain = true
	}
	return w
}

func (p *Parser) braceTilde(b *builder) {
	end := p.pos + 1
	for end < len(p.src) && (isNameChar(p.src[end]) || strings.IndexByte("+-.", p.src[end]) >= 0) {
		end++
	}
	if end < len(p.src) && (p.src[end] == '/' || p.src[end] == '}') {
		b.add(&Tilde{User: p.src[p.pos+1 : end]})
		p.pos = end
	}
}

// quotedBackslash parses a backslash in the word of an expansion that stands in double quotes.
func (p *Parser) quotedBackslash(b *builder) {
	n := p.peekAt(1)
	switch n {
	case '\n':
		p.pos += 2
	case '$', '`', '\\', '"', '}':
		b.add(&Quoted{Text: string(n)})
		p.pos += 2
	default:
		b.lit.WriteByte('\\')
		p.pos++
	}
}
