package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// aliasHere replaces the word at the position by its alias, as often as the result begins with another one.
func (p *Parser) aliasHere() {
	if p.opts.Alias == nil {
		return
	}
	for {
		p.skipBlank()
		w := p.reservedAt()
		if w == "" || p.inAlias(w) {
			return
		}
		value, ok := p.opts.Alias(w)
		if !ok {
			return
		}
		end := p.pos + len(w)
		line := p.lineAt(p.pos)
		rest := p.src[end:]
		p.aliases = append(p.aliases, aliasSpan{name: w, end: len(rest)})
		p.src = value + rest
		p.pos, p.base, p.lastPos, p.lastLine = 0, line, 0, line
		p.aliasNext = -1
		if n := len(value); n > 0 && (value[n-1] == ' ' || value[n-1] == '\t') {
			p.aliasNext = len(rest)
		}
	}
}

// inAlias reports whether the position lies inside the replacement of the alias name, which is not expanded again.
func (p *Parser) inAlias(name string) bool {
	left := len(p.src) - p.pos
	for len(p.aliases) > 0 && left <= p.aliases[len(p.aliases)-1].end {
		p.aliases = p.aliases[:len(p.aliases)-1]
	}
	for _, a := range p.aliases {
		if a.name == name && left > a.end {
			return true
		}
	}
	return false
}

// simple parses a simple command or the definition of a function.
func (p *Parser) simple() Command {
	p.skipBlank()
	start := p.pos
	c := &Simple{Line: p.lineAt(start)}
	for {
		p.skipBlank()
		if r := p.redir(); r != nil {
			c.Redirs = append(c.Redirs, r)
			continue
		}
		if len(c.Words) == 0 {
			if a := p.assign(); a != nil {
				c.Assigns = append(c.Assigns, a)
				if len(c.Assigns)+len(c.Redirs) == 1 {
					c.Line = p.lineAt(p.pos)
				}
				continue
			}
			if len(c.Assigns)+len(c.Redirs) > 0 {
				p.aliasHere()
			}
		} else if p.aliasNext >= 0 && len(p.src)-p.pos <= p.aliasNext {
			p.aliasNext = -1
			p.aliasHere()
		}
		w := p.argument(c)
		if w == nil {
			break
		}
		c.Words = append(c.Words, w)
		c.Decl = c.Decl || isDeclWord(c.Words)
		if len(c.Words) == 1 && len(c.Assigns)+len(c.Redirs) == 0 {
			if f := p.functionParens(w, c.Line); f != nil {
				return f
			}
			p.skipBlank()
			c.Line = p.lineAt(p.pos) // of what follows the first word, as bash counts
		}
	}
	if len(c.Words)+len(c.Assigns)+len(c.Redirs) == 0 {
		p.unexpected()
	}
	if p.peek() == '(' {
		p.unexpected()
	}
	return c
}

// isDeclWord reports whether the words so far name a command whose arguments are assignments.
func isDeclWord(words []*Word) bool {
	switch words[len(words)-1].Src {
	case "declare", "typeset", "local", "export", "readonly":
	default:
		return false
	}
	for _, w := range words[:len(words)-1] {
		if w.Src != "command" && w.Src != "builtin" {
			return false
		}
	}
	return true
}

// argument parses a word of a simple command.
func (p *Parser) argument(c *Simple) *Word {
	if !c.Decl && !takesCompound(c.Words) {
		return p.word(wordNormal)
	}
	start := p.pos
	if a := p.assign(); a != nil {
		if a.IsArray && len(c.Words) > 1 && !p.allDecl(c.Words) {
			p.pos = start
			return p.word(wordNormal)
		}
		if !c.Decl && a.IsArray {
			return ParseWord(p.src[start:p.pos], p.lineAt(start))
		}
		if !c.Decl {
			p.pos = start
			return p.word(wordNormal)
		}
		return &Word{Assign: a, Src: p.src[start:p.pos], Line: p.lineAt(start)}
	}
	return p.word(wordNormal)
}

// takesCompound reports whether the arguments of a command may look like compound assignments although it is no
// declaration.
func takesCompound(words []*Word) bool {
	if len(words) == 0 {
		return false
	}
	return words[0].Src == "let" || words[0].Src == "eval" || words[0].Src == "alias"
}

// allDecl reports whether the command itself, not one that a prefix runs, takes compound assignments.
func (p *Parser) allDecl(words []*Word) bool {
	return words[0].Src != "command" && words[0].Src != "builtin"
}

// functionParens parses "() body" after the first word of a command.
func (p *Parser) functionParens(w *Word, line int) Command {
	p.skipBlank()
	if p.peek() != '(' {
		return nil
	}
	save := p.pos
	p.pos++
	p.skipBlank()
	if p.peek() != ')' {
		p.pos = save
		return nil
	}
	p.pos++
	if strings.ContainsAny(w.Src, "$`") {
		p.fail(save, false, "`%s': not a valid identifier", w.Src)
	}
	return p.functionBody(w.Src, line, false)
}

// assign parses an assignment at the position, or returns nil.
func (p *Parser) assign() *Assign {
	start := p.pos
	if !isNameStart(p.peek()) {
		return nil
	}
	end := p.pos
	for end < len(p.src) && isNameChar(p.src[end]) {
		end++
	}
	a := &Assign{Name: p.src[start:end]}
	if end < len(p.src) && p.src[end] == '[' {
		close, ok := p.subscriptEnd(end + 1)
		if !ok {
			return nil
		}
		a.Index = NewSubscript(p.src[end+1:close], p.lineAt(start))
		end = close + 1
	}
	rest := p.src[end:]
	switch {
	case strings.HasPrefix(rest, "+="):
		a.Append = true
		end += 2
	case strings.HasPrefix(rest, "="):
		end++
	default:
		return nil
	}
	p.pos = end
	if p.peek() == '(' {
		p.pos++
		p.array(a)
	} else {
		a.Value = p.word(wordAssign)
		if a.Value == nil {
			a.Value = &Word{Plain: true}
		}
	}
	a.Src = p.src[start:p.pos]
	return a
}

// subscriptEnd finds the "]" that ends the subscript beginning at from.
func (p *Parser) subscriptEnd(from int) (int, bool) {
	depth := 0
	for i := from; ; i++ {
		for i >= len(p.src) {
			return 0, false
		}
		switch p.src[i] {
		case '\n':
			return 0, false
		case '[':
			depth++
		case ']':
			if depth == 0 {
				return i, i > from
			}
			depth--
		case '\\':
			i++
		case '\'':
			n := strings.IndexByte(p.src[i+1:], '\'')
			if n < 0 {
				return 0, false
			}
			i += n + 1
		case '"', '`', '$':
			n := p.skipQuoted(i)
			if n < 0 {
				return 0, false
			}
			i = n - 1
		}
	}
}

// skipQuoted returns the position after the quoted string or expansion that begins at i, -1 when it does not end.
func (p *Parser) skipQuoted(i int) (end int) {
	sub := &Parser{src: p.src, pos: i, base: p.base, lastLine: p.base, depth: p.depth, opts: Options{Extglob: p.opts.Extglob}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			end = -1
		default:
			panic(e)
		}
	}()
	switch p.src[i] {
	case '"':
		sub.pos++
		sub.dquote()
	case '`':
		sub.pos++
		sub.backquote(false)
	default:
		if sub.dollar(false) == nil {
			return i + 1
		}
	}
	return sub.pos
}

// array parses the elements of a compound assignment after "(".
func (p *Parser) array(a *Assign) {
	a.IsArray = true
	a.Array = []*ArrayElem{}
	for {
		p.skipLines()
		if p.peek() == ')' {
			p.pos++
			return
		}
		if p.atEnd() {
			p.fail(p.pos, true, "unexpected EOF while looking for matching `)'")
		}
		e := p.arrayElem()
		if e == nil {
			p.unexpected()
		}
		a.Array = append(a.Array, e)
	}
}

func (p *Parser) arrayElem() *ArrayElem {
	if p.peek() == '[' {
		if e := p.indexedElem(); e != nil {
			return e
		}
	}
	w := p.word(wordNormal)
	if w == nil {
		return nil
	}
	return &ArrayElem{Value: w}
}

func (p *Parser) indexedElem() *ArrayElem {
	end, ok := p.subscriptEnd(p.pos + 1)
	if !ok {
		return nil
	}
	e := &ArrayElem{Index: NewSubscript(p.src[p.pos+1:end], p.lineAt(p.pos))}
	rest := p.src[end+1:]
	switch {
	case strings.HasPrefix(rest, "+="):
		e.Append = true
		p.pos = end + 3
	case strings.HasPrefix(rest, "="):
		p.pos = end + 2
	default:
		return nil
	}
	e.Value = p.word(wordAssign)
	if e.Value == nil {
		e.Value = &Word{Plain: true}
	}
	return e
}

// redirs parses any number of redirections.
func (p *Parser) redirs(list []*Redir) []*Redir {
	for {
		p.skipBlank()
		r := p.redir()
		if r == nil {
			return list
		}
		list = append(list, r)
	}
}

var redirOps = [...]string{"<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|", "<", ">"}

// redir parses a redirection at the position, or returns nil.
func (p *Parser) redir() *Redir {
	start := p.pos
	r := &Redir{FD: -1}
	at := p.redirPrefix(r)
	if at < 0 {
		return nil
	}
	p.pos = at
	op := p.redirOp(r)
	if op == "" {
		p.pos = start
		return nil
	}
	r.Op = op
	r.Line = p.lineAt(start)
	p.pos += len(op)
	p.skipBlank()
	if op == "<<" || op == "<<-" {
		r.Target = p.word(wordDelim)
	} else {
		r.Target = p.word(wordNormal)
	}
	if r.Target == nil {
		p.unexpected()
	}
	if op == "<<" || op == "<<-" {
		p.docs = append(p.docs, r)
	}
	return r
}

// redirPrefix parses the descriptor before an operator and returns the operator's position, -1 if there is none.
func (p *Parser) redirPrefix(r *Redir) int {
	c := p.peek()
	switch {
	case c == '<' || c == '>' || c == '&':
		return p.pos
	case c >= '0' && c <= '9':
		end := p.pos
		for end < len(p.src) && p.src[end] >= '0' && p.src[end] <= '9' {
			end++
		}
		if end >= len(p.src) || p.src[end] != '<' && p.src[end] != '>' {
			return -1
		}
		n, err := strconv.Atoi(p.src[p.pos:end])
		if err != nil {
			return -1
		}
		r.FD = n
		return end
	case c == '{':
		end := strings.IndexByte(p.src[p.pos:], '}')
		if end < 0 || !isFDVar(p.src[p.pos+1:p.pos+end]) {
			return -1
		}
		end += p.pos + 1
		if end >= len(p.src) || p.src[end] != '<' && p.src[end] != '>' {
			return -1
		}
		r.FDVar = p.src[p.pos+1 : end-1]
		return end
	}
	return -1
}

func isFDVar(s string) bool {
	name, _, indexed := strings.Cut(s, "[")
	return IsName(name) && (!indexed || strings.HasSuffix(s, "]"))
}

func (p *Parser) redirOp(r *Redir) string {
	if p.peek() == '&' {
		if r.FD >= 0 || r.FDVar != "" {
			return ""
		}
		for _, op := range [...]string{"&>>", "&>"} {
			if p.hasPrefix(op) {
				return op
			}
		}
		return ""
	}
	if (p.hasPrefix("<(") || p.hasPrefix(">(")) && r.FD < 0 {
		return ""
	}
	for _, op := range redirOps {
		if p.hasPrefix(op) {
			return op
		}
	}
	return ""
}

// readDocs reads the bodies of the here-documents that are due.
func (p *Parser) readDocs() {
	docs := p.docs
	p.docs = nil
	for _, r := range docs {
		p.readDoc(r)
	}
}

func (p *Parser) readDoc(r *Redir) {
	delim, quoted := Unquote(r.Target)
	line := p.lineAt(p.pos)
	var b strings.Builder
	for {
		if p.atEnd() {
			p.unendedDoc(r, delim, b.String())
			break
		}
		text := p.docLine(r.Op == "<<-", !quoted)
		if text == delim || text == delim+"\n" {
			break
		}
		b.WriteString(text)
	}
	r.DocText = b.String()
	if quoted {
		r.Doc = &Word{Parts: []Part{&Quoted{Text: r.DocText}}, Src: r.DocText, Line: line}
		return
	}
	r.Doc = ParseDoc(r.DocText, line, p.depth)
}

// unendedDoc warns of a here-document that the end of the input ends.
func (p *Parser) unendedDoc(r *Redir, delim, text string) {
	if p.opts.Warn == nil {
		return
	}
	end := len(p.src)
	if strings.HasSuffix(text, "\n") && strings.HasSuffix(p.src, "\n") {
		end--
	}
	p.opts.Warn(p.lineAt(end), fmt.Sprintf("here-document at line %d delimited by end-of-file (wanted `%s')", r.Line, delim))
}

// docLine reads one line of a here-document with its newline; a continued line includes the next.
func (p *Parser) docLine(strip, join bool) string {
	var b strings.Builder
	for {
		if strip && b.Len() == 0 {
			for p.peek() == '\t' {
				p.pos++
			}
		}
		p.peek()
		end := strings.IndexByte(p.src[p.pos:], '\n')
		for end < 0 && p.fill() {
			end = strings.IndexByte(p.src[p.pos:], '\n')
		}
		if end < 0 {
			b.WriteString(p.src[p.pos:])
			p.pos = len(p.src)
			b.WriteByte('\n') // as every line has
			return b.String()
		}
		text := p.src[p.pos : p.pos+end]
		p.pos += end + 1
		if join && endsInBackslash(text) {
			b.WriteString(text[:len(text)-1])
			if p.atEnd() {
				return b.String()
			}
			continue
		}
		b.WriteString(text)
		b.WriteByte('\n')
		return b.String()
	}
}

// endsInBackslash reports whether the last backslash of a line is not itself quoted.
func endsInBackslash(s string) bool {
	n := 0
	for n < len(s) && s[len(s)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
