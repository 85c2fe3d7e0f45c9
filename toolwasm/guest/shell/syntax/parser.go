package syntax

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxDepth bounds how deep commands and expansions may nest, so that neither the parser nor an evaluator of its tree
// needs more stack than a small guest has.
const MaxDepth = 2000

// Error is a syntax error.
type Error struct {
	Line int
	Msg  string
	// Text is the source line at which the parser gave up; "" at the end of the input.
	Text string
	// EOF is set when the input ended in the middle of a command.
	EOF bool
	// Cond is set for a mistake in [[ ]], after which bash stops reading but reports no failure.
	Cond bool
}

func (e *Error) Error() string { return fmt.Sprintf("syntax: parse line %d: %s", e.Line, e.Msg) }

// Options are what a parser asks its shell.
type Options struct {
	// Warn, if not nil, is told of what is suspicious but no mistake.
	Warn func(line int, text string)
	// Alias returns the value of an alias. Nil when aliases are not expanded.
	Alias func(name string) (string, bool)
	// Extglob tells whether extended patterns are part of words.
	Extglob func() bool
	// More returns further input; false at its end. Nil when the source is complete.
	More func() (string, bool)
}

// Parser reads commands from a source text.
type Parser struct {
	src  string
	pos  int
	opts Options

	base     int // line number of src[0]
	lastPos  int // position and line of the latest lineAt
	lastLine int

	docs    []*Redir // here-documents whose bodies begin at the next newline
	depth   int
	aliases []aliasSpan
	// aliasNext is the position at which a word may be an alias although it is not in command position, because the
	// alias before it ended in a blank.
	aliasNext int
	inCond    bool
}

// aliasSpan is a region of the source that an alias was replaced by.
type aliasSpan struct {
	name string
	end  int // counted from the end of the source, which does not move
}

// New returns a parser of src, whose first line has the given number.
func New(src string, line int, opts Options) *Parser {
	return &Parser{src: src, opts: opts, base: line, lastLine: line, aliasNext: -1}
}

// fail ends parsing; Next recovers it.
func (p *Parser) fail(pos int, eof bool, format string, args ...any) {
	panic(&Error{Line: p.lineAt(pos), Msg: fmt.Sprintf(format, args...), Text: p.lineText(pos), EOF: eof})
}

func (p *Parser) lineText(pos int) string {
	if pos >= len(p.src) {
		return ""
	}
	start := strings.LastIndexByte(p.src[:pos], '\n') + 1
	text, _, _ := strings.Cut(p.src[start:], "\n")
	return text
}

// lineAt returns the line number of a position.
func (p *Parser) lineAt(pos int) int {
	if pos > len(p.src) {
		pos = len(p.src)
	}
	if pos < p.lastPos {
		p.lastPos, p.lastLine = 0, p.base
	}
	p.lastLine += strings.Count(p.src[p.lastPos:pos], "\n")
	p.lastPos = pos
	return p.lastLine
}

// Line returns the line number that the parser has come to.
func (p *Parser) Line() int { return p.lineAt(p.pos) }

// Rest returns the source that has not been parsed.
func (p *Parser) Rest() string { return p.src[p.pos:] }

// Next parses the next complete line: a list up to a newline. It returns io.EOF at the end of the source, a *Error for a
// syntax error; the list may be empty.
func (p *Parser) Next() (list *List, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			list, err = nil, e
		default:
			panic(e)
		}
	}()
	p.drop()
	p.depth, p.docs = 0, p.docs[:0]
	p.skipBlank()
	for p.peek() == '\n' {
		p.pos++
		p.skipBlank()
	}
	if p.pos >= len(p.src) {
		return nil, io.EOF
	}
	list = p.list(true)
	p.skipBlank()
	switch {
	case p.pos >= len(p.src):
		p.readDocs()
	case p.src[p.pos] == '\n':
		p.newline()
	default:
		p.unexpected()
	}
	return list, nil
}

// drop forgets the source that has been parsed, so that a long one does not pile up.
func (p *Parser) drop() {
	const keep = 4096
	if p.pos < keep || p.opts.More == nil {
		return
	}
	p.base = p.lineAt(p.pos)
	p.src = p.src[p.pos:]
	p.pos, p.lastPos, p.lastLine = 0, 0, p.base
	p.aliasNext = -1
}

// fill asks for more input when the position is at the end of what there is.
func (p *Parser) fill() bool {
	if p.opts.More == nil {
		return false
	}
	more, ok := p.opts.More()
	if !ok {
		p.opts.More = nil
		return false
	}
	p.src += more
	return true
}

// peek returns the character at the position, 0 at the end.
func (p *Parser) peek() byte {
	for p.pos >= len(p.src) {
		if !p.fill() {
			return 0
		}
	}
	return p.src[p.pos]
}

func (p *Parser) peekAt(n int) byte {
	for p.pos+n >= len(p.src) {
		if !p.fill() {
			return 0
		}
	}
	return p.src[p.pos+n]
}

func (p *Parser) atEnd() bool { return p.peek() == 0 && p.pos >= len(p.src) }

// hasPrefix reports whether the source continues with s.
func (p *Parser) hasPrefix(s string) bool {
	for len(p.src)-p.pos < len(s) {
		if strings.IndexByte(p.src[p.pos:], '\n') >= 0 || !p.fill() {
			break
		}
	}
	return strings.HasPrefix(p.src[p.pos:], s)
}

// skipBlank skips blanks, continued lines and comments.
func (p *Parser) skipBlank() {
	for {
		switch p.peek() {
		case ' ', '\t', '\r':
			if p.src[p.pos] == '\r' && !p.hasPrefix("\r\n") {
				return
			}
			if p.src[p.pos] == '\r' {
				return
			}
			p.pos++
		case '\\':
			if p.peekAt(1) != '\n' {
				return
			}
			p.pos += 2
		case '#':
			for p.peek() != '\n' && !p.atEnd() {
				p.pos++
			}
			return
		case '<', '>', '&', '|', ';':
			p.joinOperator()
			return
		default:
			return
		}
	}
}

// joinOperator removes continued lines from the middle of an operator.
func (p *Parser) joinOperator() {
	const longest = 3
	for n := 1; n < longest; n++ {
		for p.peekAt(n) == '\\' && p.peekAt(n+1) == '\n' {
			p.lineAt(p.pos)
			p.src = p.src[:p.pos+n] + p.src[p.pos+n+2:]
		}
		if strings.IndexByte("<>&|;", p.peekAt(n)) < 0 {
			return
		}
	}
}

// skipLines skips blanks and newlines.
func (p *Parser) skipLines() {
	for {
		p.skipBlank()
		if p.peek() != '\n' {
			return
		}
		p.newline()
	}
}

// newline consumes a newline and the here-documents that begin after it.
func (p *Parser) newline() {
	p.pos++
	p.readDocs()
}

// enter and leave count the nesting.
func (p *Parser) enter() {
	p.depth++
	if p.depth > MaxDepth {
		p.fail(p.pos, false, "commands are nested too deeply (limit %d)", MaxDepth)
	}
}

func (p *Parser) leave() { p.depth-- }

// unexpected fails with bash's message about the token at the position.
func (p *Parser) unexpected() {
	p.skipBlank()
	tok := p.token()
	if tok == "" {
		p.fail(p.pos, true, "syntax error: unexpected end of file")
	}
	if tok == "\n" {
		tok = "newline"
	}
	p.fail(p.pos, false, "syntax error near unexpected token `%s'", tok)
}

// token returns the text of the token at the position, for messages.
func (p *Parser) token() string {
	if p.atEnd() {
		return ""
	}
	for _, op := range [...]string{"\n", ";;&", ";;", ";&", "&&", "||", "|&", "<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|", "&>>", "&>", ";", "|", "&", "(", ")", "<", ">"} {
		if strings.HasPrefix(p.src[p.pos:], op) {
			return op
		}
	}
	end := p.pos
	for end < len(p.src) && !isMeta(p.src[end]) {
		end++
	}
	return p.src[p.pos:end]
}

// isMeta reports whether c ends an unquoted word.
func isMeta(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '|', '&', ';', '(', ')', '<', '>':
		return true
	}
	return false
}

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isNameChar(c byte) bool { return isNameStart(c) || c >= '0' && c <= '9' }

// IsName reports whether s is a valid name of a variable.
func IsName(s string) bool {
	if s == "" || !isNameStart(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isNameChar(s[i]) {
			return false
		}
	}
	return true
}

// ParseAll parses a whole text, for code that is run as one unit (a backquoted command).
func ParseAll(src string, line int, opts Options) (*List, error) {
	p := New(src, line, opts)
	all := &List{}
	for {
		l, err := p.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all.Items = append(all.Items, l.Items...)
	}
}

// List returns the parsed command of a backquoted substitution.
func (c *CmdSubst) List(opts Options) (*List, error) {
	if !c.IsBack {
		return c.Body, nil
	}
	if l := c.parsed.Load(); l != nil {
		return l, nil
	}
	l, err := ParseAll(c.Back, c.Line, opts)
	if err != nil {
		return l, err
	}
	c.parsed.Store(l)
	return l, nil
}
