package syntax

import "strings"

// isTerminator reports whether a word ends a list when it stands where a command begins.
func isTerminator(s string) bool {
	switch s {
	case "then", "else", "elif", "fi", "do", "done", "esac", "}":
		return true
	}
	return false
}

// reservedAt returns the plain word at the position when it is delimited, without consuming it.
func (p *Parser) reservedAt() string {
	p.peek()
	end := p.pos
	for {
		for end >= len(p.src) {
			if !p.fill() {
				return p.src[p.pos:end]
			}
		}
		c := p.src[end]
		if isMeta(c) {
			if (c == '<' || c == '>') && p.peekAt(end-p.pos+1) == '(' {
				return "" // a process substitution continues the word
			}
			return p.src[p.pos:end]
		}
		if c == '\\' && p.peekAt(end-p.pos+1) == '\n' {
			p.lineAt(p.pos)
			p.src = p.src[:end] + p.src[end+2:]
			continue
		}
		if c == '"' || c == '\'' || c == '$' || c == '`' || c == '\\' {
			return ""
		}
		end++
	}
}

// list parses commands up to something that ends them. When line is set a newline ends the list too.
func (p *Parser) list(line bool) *List {
	p.enter()
	defer p.leave()
	l := &List{}
	for {
		if line {
			p.skipBlank()
		} else {
			p.skipLines()
		}
		if p.endOfList() {
			return l
		}
		p.aliasHere()
		if p.endOfList() {
			return l
		}
		item := Item{Cmd: p.andOr()}
		p.skipBlank()
		switch c := p.peek(); {
		case c == '&' && p.peekAt(1) != '&':
			p.pos++
			item.Background = true
		case c == ';' && p.peekAt(1) != ';' && p.peekAt(1) != '&':
			p.pos++
		case c == '\n' && !line:
			p.newline()
		case c == '\n' || c == ')' || c == ';' || p.atEnd():
			l.Items = append(l.Items, item)
			return l
		case isTerminator(p.reservedAt()):
			// the end of a compound command needs no separator before a reserved word
			l.Items = append(l.Items, item)
			return l
		default:
			p.unexpected()
		}
		l.Items = append(l.Items, item)
	}
}

func (p *Parser) endOfList() bool {
	switch p.peek() {
	case 0:
		return p.pos >= len(p.src)
	case '\n', ')':
		return true
	case ';':
		if n := p.peekAt(1); n == ';' || n == '&' {
			return true
		}
		p.unexpected()
	case '&':
		if p.peekAt(1) != '>' {
			p.unexpected()
		}
		return false
	case '|':
		p.unexpected()
	}
	return isTerminator(p.reservedAt())
}

// body parses a list that must not be empty.
func (p *Parser) body() *List {
	l := p.list(false)
	if len(l.Items) == 0 {
		p.unexpected()
	}
	return l
}

// expect consumes the reserved word w.
func (p *Parser) expect(w string) {
	p.skipLines()
	if p.reservedAt() != w {
		p.unexpected()
	}
	p.pos += len(w)
}

func (p *Parser) andOr() Command {
	first := p.pipeline()
	var rest []AndOrPart
	for {
		p.skipBlank()
		and, or := p.hasPrefix("&&"), p.hasPrefix("||")
		if !and && !or {
			break
		}
		p.pos += 2
		p.skipLines()
		p.aliasHere()
		rest = append(rest, AndOrPart{Or: or, Cmd: p.pipeline()})
	}
	if rest == nil {
		return first
	}
	return &AndOr{First: first, Rest: rest}
}

func (p *Parser) pipeline() Command {
	pl := &Pipeline{}
	p.skipBlank()
	pl.Line = p.lineAt(p.pos)
	prefix := false
	for {
		p.skipBlank()
		w := p.reservedAt()
		if w == "" && p.peek() == '!' {
			w = "!"
		}
		if w == "!" && !(p.peekAt(1) == '(' && p.extglob()) {
			p.pos++
			pl.Negate = !pl.Negate
			prefix = true
			continue
		}
		if w == "time" && !prefix || w == "time" && !pl.Timed {
			p.pos += len(w)
			pl.Timed = true
			prefix = true
			p.skipBlank()
			if p.reservedAt() == "-p" {
				p.pos += 2
				pl.TimedPosix = true
				p.skipBlank()
			}
			if p.reservedAt() == "--" {
				p.pos += 2
			}
			continue
		}
		break
	}
	if prefix && p.endOfPipeline() {
		return pl
	}
	p.aliasHere()
	for {
		cmd := p.command()
		p.skipBlank()
		if p.peek() != '|' || p.peekAt(1) == '|' {
			pl.Cmds = append(pl.Cmds, cmd)
			break
		}
		p.pos++
		if p.peek() == '&' {
			p.pos++
			cmd = withStderr(cmd)
		}
		pl.Cmds = append(pl.Cmds, cmd)
		p.skipLines()
		p.aliasHere()
	}
	if !prefix && len(pl.Cmds) == 1 {
		return pl.Cmds[0]
	}
	return pl
}

func (p *Parser) endOfPipeline() bool {
	switch p.peek() {
	case 0:
		return p.pos >= len(p.src)
	case '\n', ';', ')', '|':
		return true
	case '&':
		return p.peekAt(1) != '>'
	}
	return isTerminator(p.reservedAt())
}

// withStderr adds the redirection that |& stands for.
func withStderr(cmd Command) Command {
	r := &Redir{FD: 2, Op: ">&", Target: LitWord("1")}
	switch c := cmd.(type) {
	case *Simple:
		c.Redirs = append(c.Redirs, r)
		return c
	case *Redirected:
		c.Redirs = append(c.Redirs, r)
		return c
	}
	return &Redirected{Cmd: cmd, Redirs: []*Redir{r}}
}

// command parses one command with its redirections.
func (p *Parser) command() Command {
	p.enter()
	defer p.leave()
	p.skipBlank()
	if p.peek() == '(' {
		return p.redirected(p.paren())
	}
	w := p.reservedAt()
	if c := p.compound(w); c != nil {
		return p.redirected(c)
	}
	switch w {
	case "function":
		return p.functionKeyword()
	case "coproc":
		return p.coproc()
	}
	if isTerminator(w) {
		p.unexpected()
	}
	return p.simple()
}

// paren parses (( expression )) or ( list ).
func (p *Parser) paren() Command {
	if p.peekAt(1) == '(' {
		if c := p.arithCommand(); c != nil {
			return c
		}
	}
	p.pos++
	body := p.body()
	p.closeParen()
	return &Subshell{Body: body, Line: p.lineAt(p.pos)}
}

func (p *Parser) closeParen() {
	p.skipLines()
	if p.peek() != ')' {
		p.unexpected()
	}
	p.pos++
}

func (p *Parser) arithCommand() Command {
	start := p.pos
	text, ok := p.matchArith(start + 2)
	if !ok {
		p.pos = start
		return nil
	}
	return &Arith{X: NewArith(text, p.lineAt(start)), Line: p.lineAt(p.pos)}
}

func (p *Parser) redirected(c Command) Command {
	redirs := p.redirs(nil)
	if redirs == nil {
		return c
	}
	return &Redirected{Cmd: c, Redirs: redirs}
}

// compound parses the compound command that begins with the reserved word w, or returns nil.
func (p *Parser) compound(w string) Command {
	line := p.lineAt(p.pos)
	switch w {
	case "{":
		p.pos++
		body := p.body()
		p.expect("}")
		return &Group{Body: body}
	case "if":
		p.pos += len(w)
		return p.ifClause()
	case "while", "until":
		p.pos += len(w)
		cond := p.body()
		return &While{Until: w == "until", Cond: cond, Body: p.doGroup()}
	case "for", "select":
		p.pos += len(w)
		return p.forClause(w == "select", line)
	case "case":
		p.pos += len(w)
		return p.caseClause(line)
	case "[[":
		p.pos += len(w)
		return p.condClause()
	}
	return nil
}

func (p *Parser) ifClause() *If {
	c := &If{Cond: p.body()}
	p.expect("then")
	c.Then = p.body()
	p.skipLines()
	switch p.reservedAt() {
	case "elif":
		p.pos += 4
		p.enter()
		c.Elif = p.ifClause()
		p.leave()
		return c
	case "else":
		p.pos += 4
		c.Else = p.body()
	}
	p.expect("fi")
	return c
}

func (p *Parser) doGroup() *List {
	p.expect("do")
	body := p.body()
	p.expect("done")
	return body
}

func (p *Parser) forClause(sel bool, line int) Command {
	p.skipBlank()
	if !sel && p.hasPrefix("((") {
		return p.arithFor(line)
	}
	start := p.pos
	w := p.word(wordNormal)
	if w == nil {
		p.unexpected()
	}
	f := &For{Name: w.Src, Line: line, Select: sel}
	if !IsName(w.Src) && !sel {
		p.fail(start, false, "`%s': not a valid identifier", w.Src)
	}
	p.skipBlank()
	if p.peek() == ';' {
		p.pos++
		f.Body = p.loopBody()
		return f
	}
	p.skipLines()
	if p.reservedAt() == "in" {
		p.pos += 2
		f.In = true
		f.Words = p.wordList()
		p.skipBlank()
		if p.peek() == ';' && p.peekAt(1) != ';' {
			p.pos++
		} else if p.peek() != '\n' {
			p.unexpected()
		}
	}
	f.Body = p.loopBody()
	return f
}

// wordList parses words up to the end of the command.
func (p *Parser) wordList() []*Word {
	words := []*Word{}
	for {
		p.skipBlank()
		w := p.word(wordNormal)
		if w == nil {
			return words
		}
		words = append(words, w)
	}
}

// loopBody parses do … done or { … }.
func (p *Parser) loopBody() *List {
	p.skipLines()
	if p.reservedAt() == "{" {
		p.pos++
		body := p.body()
		p.expect("}")
		return body
	}
	return p.doGroup()
}

func (p *Parser) arithFor(line int) Command {
	start := p.pos
	text, ok := p.matchArith(start + 2)
	if !ok {
		p.fail(start, false, "syntax error: `((' is not closed by `))'")
	}
	parts := splitArith(text)
	if len(parts) != 3 {
		p.fail(start, false, "syntax error: arithmetic expression required")
	}
	f := &ArithFor{Line: line}
	f.Init, f.Cond, f.Step = NewArith(parts[0], line), NewArith(parts[1], line), NewArith(parts[2], line)
	p.skipBlank()
	if p.peek() == ';' {
		p.pos++
	}
	f.Body = p.loopBody()
	return f
}

// splitArith splits the three expressions of an arithmetic for at semicolons outside of quotes and parentheses.
func splitArith(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case '\'', '"':
			if end := strings.IndexByte(s[i+1:], s[i]); end >= 0 {
				i += end + 1
			}
		case ';':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}

func (p *Parser) caseClause(line int) Command {
	c := &Case{Line: line}
	p.skipLines()
	c.Word = p.word(wordNormal)
	if c.Word == nil {
		p.unexpected()
	}
	p.expect("in")
	for {
		p.skipLines()
		if p.reservedAt() == "esac" {
			p.pos += 4
			return c
		}
		item, last := p.caseItem()
		c.Items = append(c.Items, item)
		if last {
			p.expect("esac")
			return c
		}
	}
}

// caseItem parses one branch; last is set when no operator ended it.
func (p *Parser) caseItem() (item *CaseItem, last bool) {
	item = &CaseItem{Op: ";;"}
	if p.peek() == '(' {
		p.pos++
	}
	for {
		p.skipBlank()
		w := p.word(wordPattern)
		if w == nil {
			p.unexpected()
		}
		item.Patterns = append(item.Patterns, w)
		p.skipBlank()
		if p.peek() != '|' {
			break
		}
		p.pos++
	}
	if p.peek() != ')' {
		p.unexpected()
	}
	p.pos++
	item.Body = p.list(false)
	p.skipLines()
	for _, op := range [...]string{";;&", ";;", ";&"} {
		if p.hasPrefix(op) {
			p.pos += len(op)
			item.Op = op
			return item, false
		}
	}
	return item, true
}

func (p *Parser) functionKeyword() Command {
	line := p.lineAt(p.pos)
	p.pos += len("function")
	p.skipBlank()
	w := p.word(wordNormal)
	if w == nil {
		p.unexpected()
	}
	p.skipBlank()
	if p.peek() == '(' {
		save := p.pos
		p.pos++
		p.skipBlank()
		if p.peek() == ')' {
			p.pos++
		} else {
			p.pos = save
		}
	}
	return p.functionBody(w.Src, line, true)
}

func (p *Parser) functionBody(name string, line int, keyword bool) Command {
	p.skipLines()
	var c Command
	if p.peek() == '(' {
		c = p.paren()
	} else {
		c = p.compound(p.reservedAt())
	}
	if c == nil {
		p.unexpected()
	}
	return &Func{Name: name, Body: p.redirected(c), Line: line, Keyword: keyword}
}

func (p *Parser) coproc() Command {
	p.pos += len("coproc")
	p.skipBlank()
	name := "COPROC"
	save := p.pos
	if w := p.word(wordNormal); w != nil && IsName(w.Src) {
		p.skipBlank()
		if p.peek() == '(' || isCompoundStart(p.reservedAt()) {
			name = w.Src
			save = p.pos
		}
	}
	p.pos = save
	return &Coproc{Name: name, Cmd: p.command()}
}

func isCompoundStart(w string) bool {
	switch w {
	case "{", "if", "while", "until", "for", "select", "case", "[[":
		return true
	}
	return false
}
