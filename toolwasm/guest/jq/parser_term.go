package jq

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// reserved are the words that are not names of functions.
const reserved = " __loc__ and as break catch def elif else end foreach if import include label module or reduce then try "

func isReserved(s string) bool { return strings.Contains(reserved, " "+s+" ") }

// term reads an operand with its suffixes.
func (p *parser) term() *node {
	t := p.primary()
	for {
		next := p.suffix(t)
		if next == nil {
			return t
		}
		t = next
	}
}

// suffix reads one suffix, or returns nil.
func (p *parser) suffix(t *node) *node {
	switch {
	case p.tok == tField:
		n := p.node(opIndex, t, p.literal(p.text))
		p.next()
		return n
	case p.is("."):
		p.next()
		switch {
		case p.tok == tQuote:
			n := p.node(opIndex, t)
			n.kids = append(n.kids, p.str(""))
			return n
		case p.is("["):
			return p.brackets(t)
		}
		p.unexpected()
	case p.is("["):
		return p.brackets(t)
	case p.is("?"):
		n := p.node(opTry, t, nil)
		p.next()
		return n
	}
	return nil
}

func (p *parser) literal(v any) *node {
	n := p.node(opLiteral)
	n.val = v
	return n
}

// brackets reads [], [key] and [from:to].
func (p *parser) brackets(t *node) *node {
	n := p.node(opEach, t)
	p.expect("[")
	if p.accept("]") {
		return n
	}
	var from *node
	if !p.is(":") {
		from = p.pipe()
	}
	if p.accept("]") {
		n.op = opIndex
		n.kids = append(n.kids, from)
		return n
	}
	p.expect(":")
	n.op = opSlice
	n.kids = append(n.kids, from, nil)
	if !p.is("]") {
		n.kids[2] = p.pipe()
	} else if from == nil {
		p.unexpected()
	}
	p.expect("]")
	return n
}

func (p *parser) primary() *node {
	p.enter()
	defer p.leave()
	n := p.node(opIdentity)
	switch p.tok {
	case tNumber:
		v, ok := parseNumber(p.text)
		if !ok {
			p.unexpected()
		}
		n.op, n.val = opLiteral, v
		p.next()
		return n
	case tQuote:
		return p.str("")
	case tFormat:
		name := p.text
		p.next()
		if p.tok == tQuote {
			return p.str(name)
		}
		n.op, n.str = opFormat, name
		return n
	case tField:
		f := p.node(opIndex, n, p.literal(p.text))
		p.next()
		return f
	case tVar:
		return p.variable()
	case tIdent:
		return p.word()
	case tPunct:
		return p.punctuated()
	}
	p.unexpected()
	return nil
}

func (p *parser) variable() *node {
	n := p.node(opVar)
	n.str = p.text
	if p.text == "__loc__" {
		n.op = opLoc
		loc := newObject(2)
		loc.set("file", "<top-level>")
		loc.set("line", float64(strings.Count(p.src[:p.at], "\n")+1))
		n.val = loc
	}
	p.next()
	return n
}

func (p *parser) punctuated() *node {
	n := p.node(opIdentity)
	switch p.text {
	case ".":
		p.next()
		switch {
		case p.tok == tQuote:
			f := p.node(opIndex, n)
			f.kids = append(f.kids, p.str(""))
			return f
		case p.is("["):
			return p.brackets(n)
		}
		return n
	case "..":
		n.op = opRecurse
		p.next()
		return n
	case "(":
		p.next()
		body := p.pipe()
		p.expect(")")
		return body
	case "[":
		n.op = opArray
		p.next()
		if !p.is("]") {
			n.kids = []*node{p.pipe()}
		}
		p.expect("]")
		return n
	case "{":
		return p.object()
	case "-":
		return p.unary()
	}
	p.unexpected()
	return nil
}

// word reads keywords and calls.
func (p *parser) word() *node {
	n := p.node(opCall)
	switch p.text {
	case "if":
		return p.ifTerm()
	case "try":
		n.op = opTry
		p.next()
		n.kids = []*node{p.postTerm(), nil}
		if p.acceptWord("catch") {
			n.kids[1] = p.postTerm()
		}
		return n
	case "reduce", "foreach":
		return p.fold()
	case "break":
		n.op = opBreak
		p.next()
		if p.tok != tVar {
			p.fail("break requires a label to break to")
		}
		n.str = p.text
		p.next()
		return n
	}
	if isReserved(p.text) {
		p.unexpected()
	}
	n.str = p.text
	p.next()
	if p.accept("(") {
		for {
			n.kids = append(n.kids, p.pipe())
			if p.accept(")") {
				break
			}
			p.expect(";")
		}
	}
	return constant(n)
}

// constant replaces the calls that are constants.
func constant(n *node) *node {
	if len(n.kids) > 0 {
		return n
	}
	switch n.str {
	case "null":
		n.op, n.val = opLiteral, nil
	case "true":
		n.op, n.val = opLiteral, true
	case "false":
		n.op, n.val = opLiteral, false
	}
	return n
}

// postTerm reads the body of try and catch.
func (p *parser) postTerm() *node {
	if p.is("-") {
		return p.unary()
	}
	return p.term()
}

func (p *parser) ifTerm() *node {
	n := p.node(opIf)
	p.next()
	cond := p.pipe()
	p.expectWord("then")
	then := p.pipe()
	n.kids = []*node{cond, then, nil}
	switch {
	case p.isWord("elif"):
		p.enter()
		n.kids[2] = p.ifTerm()
		p.leave()
		return n
	case p.acceptWord("else"):
		n.kids[2] = p.pipe()
	}
	p.expectWord("end")
	return n
}

func (p *parser) fold() *node {
	n := p.node(opReduce)
	if p.text == "foreach" {
		n.op = opForeach
	}
	p.next()
	old := p.noAs
	p.noAs = true
	src := p.binary(0)
	p.noAs = old
	p.expectWord("as")
	n.pats = p.patterns()
	p.expect("(")
	start := p.pipe()
	p.expect(";")
	n.kids = []*node{src, start, p.pipe()}
	if n.op == opForeach {
		n.kids = append(n.kids, nil)
		if p.accept(";") {
			n.kids[3] = p.pipe()
		}
	}
	p.expect(")")
	return n
}

func (p *parser) object() *node {
	n := p.node(opObject)
	p.expect("{")
	for !p.accept("}") {
		k, v := p.entry()
		n.kids = append(n.kids, k, v)
		if p.accept("}") {
			return n
		}
		p.expect(",")
	}
	return n
}

// entry reads a key and its value; a key alone takes the value from the input or the variable.
func (p *parser) entry() (key, val *node) {
	switch p.tok {
	case tVar:
		v := p.variable()
		key = p.literal(v.str)
		if p.is(":") {
			break // {$x: 1} is {"x": 1} to no version
		}
		return key, v
	case tIdent:
		key = p.literal(p.text)
		p.next()
	case tNumber:
		p.fail("May need parentheses around object key expression")
	case tQuote:
		key = p.str("")
	case tFormat:
		name := p.text
		p.next()
		if p.tok == tQuote {
			key = p.str(name)
		} else {
			key = p.node(opFormat)
			key.str = name
		}
	default:
		if !p.accept("(") {
			p.unexpected()
		}
		key = p.pipe()
		if key.op == opLiteral {
			if _, ok := key.val.(string); !ok {
				p.failAt(key.pos, "Object keys must be strings")
			}
		}
		p.expect(")")
		p.expect(":")
		return key, p.entryValue()
	}
	if p.accept(":") {
		return key, p.entryValue()
	}
	return key, p.node(opIndex, p.node(opIdentity), key)
}

// entryValue reads what stands after the colon: anything but a comma.
func (p *parser) entryValue() *node {
	left := p.binary(0)
	for p.is("|") {
		n := p.node(opPipe)
		p.next()
		n.kids = []*node{left, p.binary(0)}
		left = n
	}
	return left
}

// str reads a string after its opening quote. Interpolated values go through the given format.
func (p *parser) str(format string) *node {
	n := p.node(opString)
	n.str = format
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			n.kids = append(n.kids, p.literal(b.String()))
			b.Reset()
		}
	}
	for {
		if p.pos >= len(p.src) {
			p.failAt(p.at, "unterminated string literal")
		}
		c := p.src[p.pos]
		switch {
		case c == '"':
			p.pos++
			p.next()
			if len(n.kids) == 0 {
				n.op, n.val = opLiteral, b.String()
				return n
			}
			flush()
			return n
		case c != '\\':
			b.WriteByte(c)
			p.pos++
		case strings.HasPrefix(p.src[p.pos:], `\(`):
			flush()
			p.pos += 2
			p.next()
			inner := p.pipe()
			if !p.is(")") {
				p.unexpected()
			}
			n.kids = append(n.kids, p.interpolated(inner))
		default:
			p.escape(&b)
		}
	}
}

// interpolated marks a part that is not text, although it may be a literal.
func (p *parser) interpolated(inner *node) *node {
	return &node{op: opPipe, kids: []*node{inner, p.node(opIdentity)}, pos: inner.pos}
}

func (p *parser) escape(b *strings.Builder) {
	if p.pos+1 >= len(p.src) {
		p.failAt(p.pos, "unterminated string literal")
	}
	c := p.src[p.pos+1]
	if c == 'u' {
		r, n := unicodeEscape(p.src[p.pos:])
		if n == 0 {
			p.failAt(p.pos, "invalid escape in string literal")
		}
		b.WriteRune(r)
		p.pos += n
		return
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		p.failAt(p.pos, "invalid escape '\\%c' in string literal", c)
	}
	b.WriteByte("\"\\/\b\f\n\r\t"[i])
	p.pos += 2
}

// unicodeEscape reads \uXXXX, or two of them that make a surrogate pair. n is 0 when it is none.
func unicodeEscape(s string) (r rune, n int) {
	const size = len(`\uXXXX`)
	one := func(s string) (rune, bool) {
		if len(s) < size || s[0] != '\\' || s[1] != 'u' {
			return 0, false
		}
		v, err := strconv.ParseUint(s[2:size], 16, 32)
		return rune(v), err == nil
	}
	r, ok := one(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, size
	}
	if low, ok := one(s[size:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 2 * size
		}
	}
	return utf8.RuneError, size
}
