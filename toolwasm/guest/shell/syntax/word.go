package syntax

import "strings"

// wordMode says where a word stands, which decides what ends it and where a tilde is special.
type wordMode uint8

const (
	wordNormal  wordMode = iota
	wordAssign           // the value of an assignment: ~ after :
	wordPattern          // a pattern of case
	wordDelim            // the delimiter of a here-document: nothing expands
	wordCond             // an operand of [[ ]]
	wordCondPat          // the right side of == in [[ ]]: extended patterns
	wordRegex            // the right side of =~
)

// builder collects the parts of a word, joining neighbouring literals.
type builder struct {
	parts []Part
	lit   strings.Builder
}

func (b *builder) flush() {
	if b.lit.Len() == 0 {
		return
	}
	b.parts = append(b.parts, &Lit{Text: b.lit.String()})
	b.lit.Reset()
}

func (b *builder) add(part Part) {
	b.flush()
	if q, ok := part.(*Quoted); ok && len(b.parts) > 0 {
		if prev, ok := b.parts[len(b.parts)-1].(*Quoted); ok && q.Text != "" && prev.Text != "" {
			b.parts[len(b.parts)-1] = &Quoted{Text: prev.Text + q.Text}
			return
		}
	}
	b.parts = append(b.parts, part)
}

func (p *Parser) extglob() bool {
	return p.inCond || p.opts.Extglob != nil && p.opts.Extglob()
}

// word parses a word at the position; nil when there is none.
func (p *Parser) word(mode wordMode) *Word {
	p.peek()
	start := p.pos
	var b builder
	if p.peek() == '~' {
		p.tilde(&b, mode)
	}
	equals := mode == wordAssign // whether a tilde may follow ":"
	parens := 0
	for {
		c := p.peek()
		if c == 0 && p.pos >= len(p.src) {
			break
		}
		if p.quotation(&b) {
			continue
		}
		switch c {
		case '$':
			if mode != wordDelim {
				p.wordPiece(&b)
				continue
			}
			if p.delimSubst(&b) {
				continue
			}
		case '<', '>':
			if p.peekAt(1) == '(' && mode != wordDelim {
				b.add(p.procSubst())
				continue
			}
		}
		if mode == wordRegex {
			if c == '(' {
				parens++
			} else if c == ')' && parens > 0 {
				parens--
			} else if parens == 0 && isMeta(c) && c != '|' || c == '\n' {
				break
			}
			if c == '|' && parens == 0 && p.peekAt(1) == '|' {
				break
			}
			b.lit.WriteByte(c)
			p.pos++
			continue
		}
		if isMeta(c) {
			break
		}
		if p.extglobAt(c, mode) {
			p.extglobPattern(&b)
			continue
		}
		b.lit.WriteByte(c)
		p.pos++
		if (c == ':' && equals || c == '=' && !equals) && p.peek() == '~' {
			if c == ':' || p.isAssignPrefix(start) {
				p.tilde(&b, wordAssign)
			}
		}
		if c == '=' && !equals && mode == wordNormal && p.isAssignPrefix(start) {
			equals = true
		}
	}
	if p.pos == start {
		return nil
	}
	b.flush()
	return p.finish(&b, start)
}

// delimSubst takes $(…) as it is written into the word that ends a here-document.
func (p *Parser) delimSubst(b *builder) bool {
	start := p.pos
	if p.peekAt(1) == '(' && p.dollar(false) != nil {
		b.lit.WriteString(p.src[start:p.pos])
		return true
	}
	p.pos = start
	return false
}

// isAssignPrefix reports whether the source from start to the position is NAME=.
func (p *Parser) isAssignPrefix(start int) bool {
	s := p.src[start : p.pos-1]
	return IsName(s) || len(s) > 1 && s[len(s)-1] == '+' && IsName(s[:len(s)-1])
}

func (p *Parser) finish(b *builder, start int) *Word {
	w := &Word{Parts: b.parts, Src: p.src[start:p.pos], Line: p.lineAt(start)}
	Settle(w)
	return w
}

// Settle finds out whether the word is plain, and whether braces may expand in it.
func Settle(w *Word) {
	w.Plain = true
	var text strings.Builder
	for _, part := range w.Parts {
		switch x := part.(type) {
		case *Lit:
			if strings.IndexByte(x.Text, '{') >= 0 {
				w.Brace = true
			}
			if strings.ContainsAny(x.Text, "*?[{(\\") {
				w.Plain = false
			}
			text.WriteString(x.Text)
		case *Quoted:
			text.WriteString(x.Text)
		case *DblQuoted:
			w.plainQuoted(x, &text)
		default:
			w.Plain = false
		}
	}
	if w.Plain {
		w.Lit = text.String()
	}
}

func (w *Word) plainQuoted(q *DblQuoted, text *strings.Builder) {
	for _, part := range q.Parts {
		x, ok := part.(*Quoted)
		if !ok {
			w.Plain = false
			return
		}
		text.WriteString(x.Text)
	}
}

// LitWord makes a word of plain text.
func LitWord(s string) *Word {
	return &Word{Parts: []Part{&Quoted{Text: s}}, Lit: s, Plain: true, Src: s}
}

// backslash parses a backslash outside of quotes.
func (p *Parser) backslash(b *builder) {
	c := p.peekAt(1)
	if c == 0 && p.pos+1 >= len(p.src) {
		p.pos++
		b.lit.WriteByte('\\')
		return
	}
	if c == '\n' {
		p.pos += 2
		return
	}
	n := 1
	for c >= 0xc0 && p.pos+1+n < len(p.src) && p.src[p.pos+1+n]&0xc0 == 0x80 {
		n++
	}
	b.add(&Quoted{Text: p.src[p.pos+1 : p.pos+1+n]})
	p.pos += 1 + n
}

// squote parses '…' and returns what it holds.
func (p *Parser) squote() string {
	start := p.pos
	p.pos++
	for {
		if end := strings.IndexByte(p.src[p.pos:], '\''); end >= 0 {
			text := p.src[p.pos : p.pos+end]
			p.pos += end + 1
			return text
		}
		if !p.fill() {
			p.fail(start, true, "unexpected EOF while looking for matching `''")
		}
	}
}

// tilde parses ~user at the position when it is one.
func (p *Parser) tilde(b *builder, mode wordMode) {
	if mode == wordDelim {
		return
	}
	end := p.pos + 1
	for end < len(p.src) && (isNameChar(p.src[end]) || strings.IndexByte("+-.", p.src[end]) >= 0) {
		end++
	}
	if end < len(p.src) {
		c := p.src[end]
		if c != '/' && !isMeta(c) && !(c == ':' && mode == wordAssign) && !(c == '}' && mode == wordNormal) {
			return
		}
		if c == '}' {
			return
		}
	}
	b.add(&Tilde{User: p.src[p.pos+1 : end]})
	p.pos = end
}

func (p *Parser) extglobAt(c byte, mode wordMode) bool {
	if strings.IndexByte("?*+@!", c) < 0 || p.peekAt(1) != '(' {
		return false
	}
	return mode == wordCondPat || mode != wordDelim && p.extglob()
}

// extglobPattern parses the operator and the parenthesised patterns of an extended pattern into b.
func (p *Parser) extglobPattern(b *builder) {
	p.enter()
	defer p.leave()
	start := p.pos
	b.lit.WriteString(p.src[p.pos : p.pos+2])
	p.pos += 2
	for depth := 1; depth > 0; {
		c := p.peek()
		if c == 0 && p.pos >= len(p.src) {
			p.fail(start, true, "unexpected EOF while looking for matching `)'")
		}
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		p.wordPiece(b)
	}
}

// dquote parses the inside of a double-quoted string and its closing quote.
func (p *Parser) dquote() []Part {
	p.enter()
	defer p.leave()
	start := p.pos - 1
	parts := p.quotedParts(func(c byte) bool { return c == '"' }, func() {
		p.fail(start, true, "unexpected EOF while looking for matching `\"'")
	}, true)
	p.pos++
	return parts
}

// quotedParts parses text under the rules of double quotes up to a character for which end holds. When quote is set
// \" stands for a quote.
func (p *Parser) quotedParts(end func(byte) bool, eof func(), quote bool) []Part {
	var parts []Part
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			parts = append(parts, &Quoted{Text: text.String()})
			text.Reset()
		}
	}
	for {
		c := p.peek()
		if c == 0 && p.pos >= len(p.src) {
			eof()
			break
		}
		if end(c) {
			break
		}
		switch c {
		case '\\':
			n := p.peekAt(1)
			switch {
			case n == '\n':
				p.pos += 2
			case n == '$' || n == '`' || n == '\\' || n == '"' && quote:
				text.WriteByte(n)
				p.pos += 2
			default:
				text.WriteByte('\\')
				p.pos++
			}
			continue
		case '$':
			if part := p.dollar(true); part != nil {
				flush()
				parts = append(parts, part)
				continue
			}
		case '`':
			p.pos++
			flush()
			parts = append(parts, p.backquote(quote))
			continue
		}
		text.WriteByte(c)
		p.pos++
	}
	flush()
	return parts
}

// backquote parses `…` after the opening quote. In double quotes \" stands for a quote too.
func (p *Parser) backquote(quoted bool) Part {
	start := p.pos - 1
	var text strings.Builder
	for {
		c := p.peek()
		if c == 0 && p.pos >= len(p.src) {
			p.fail(start, true, "unexpected EOF while looking for matching ``'")
		}
		if c == '`' {
			break
		}
		if c == '\\' {
			n := p.peekAt(1)
			if n == '$' || n == '`' || n == '\\' || n == '"' && quoted {
				text.WriteByte(n)
				p.pos += 2
				continue
			}
		}
		text.WriteByte(c)
		p.pos++
	}
	p.pos++
	return &CmdSubst{Back: text.String(), IsBack: true, Line: p.lineAt(start), Src: p.src[start:p.pos]}
}

// Unquote returns a word's text without its quotes, nothing expanded, and whether it had any.
func Unquote(w *Word) (text string, quoted bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		quoted = unquotePart(&b, part) || quoted
	}
	return b.String(), quoted
}

func unquotePart(b *strings.Builder, part Part) bool {
	switch x := part.(type) {
	case *Lit:
		b.WriteString(x.Text)
		return false
	case *Quoted:
		b.WriteString(x.Text)
	case *DblQuoted:
		for _, q := range x.Parts {
			unquotePart(b, q)
		}
	case *CmdSubst:
		b.WriteString(x.Src)
		return false
	case *Param:
		b.WriteString(x.Src)
		return false
	case *Tilde:
		b.WriteString("~" + x.User)
		return false
	}
	return true
}

// ParseDoc parses the body of a here-document, or other text in which only expansions are special. Text that is not
// well-formed stands for itself.
func ParseDoc(text string, line, depth int) *Word {
	parts, err := parseQuoted(text, line, depth, false)
	if err != nil {
		parts = []Part{&Quoted{Text: text}}
	}
	w := &Word{Parts: []Part{&DblQuoted{Parts: parts}}, Src: text, Line: line}
	Settle(w)
	return w
}

func parseQuoted(text string, line, depth int, quote bool) (parts []Part, err error) {
	p := New(text, line, Options{})
	p.depth = depth
	defer recoverError(&err)
	return p.quotedParts(func(byte) bool { return false }, func() {}, quote), nil
}

// ParseWord parses text as one word, blanks included: a subscript, or a value that is expanded again.
func ParseWord(text string, line int) *Word {
	w, err := parseWord(text, line)
	if err != nil {
		return LitWord(text)
	}
	return w
}

func parseWord(text string, line int) (w *Word, err error) {
	p := New(text, line, Options{})
	defer recoverError(&err)
	var b builder
	for !p.atEnd() {
		p.wordPiece(&b)
	}
	b.flush()
	return p.finish(&b, 0), nil
}

// wordPiece parses one piece of a word in which blanks and operators are not special.
func (p *Parser) wordPiece(b *builder) {
	if p.quotation(b) {
		return
	}
	c := p.peek()
	if c == '$' {
		if part := p.dollar(false); part != nil {
			b.add(part)
			return
		}
	}
	b.lit.WriteByte(c)
	p.pos++
}

// quotation parses what means the same everywhere outside of quotes: a backslash, quotes and a command in backquotes. It
// reports whether one stands at the position.
func (p *Parser) quotation(b *builder) bool {
	switch p.peek() {
	case '\\':
		p.backslash(b)
	case '\'':
		b.add(&Quoted{Text: p.squote()})
	case '"':
		p.pos++
		b.add(&DblQuoted{Parts: p.dquote()})
	case '`':
		p.pos++
		b.add(p.backquote(false))
	default:
		return false
	}
	return true
}

func recoverError(err *error) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		*err = e
	default:
		panic(e)
	}
}
