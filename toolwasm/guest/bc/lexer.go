package bc

import (
	"bufio"
	"io"
	"strings"
)

// tok is a kind of token.
type tok uint8

const (
	tEOF tok = iota
	tNewline
	tNumber
	tString
	tName
	tPunct
	tBad
)

// source is an input that is read line by line, so that a program can be fed as it answers.
type source struct {
	name string // as in messages
	r    *bufio.Reader
}

// lexer turns the lines of its sources into tokens.
type lexer struct {
	sources []source
	buf     string
	pos     int
	line    int
	eof     bool

	tok  tok
	text string
}

// fill appends the next line to what is being read; false at the end of all sources.
func (l *lexer) fill() bool {
	for len(l.sources) > 0 {
		s, err := l.sources[0].r.ReadString('\n')
		if s != "" {
			l.buf, l.pos = l.buf[l.pos:]+s, 0
			return true
		}
		if err == io.EOF && len(l.sources) == 1 {
			l.eof = true
			return false
		}
		l.sources = l.sources[1:]
		l.line = 0
	}
	return false
}

func (l *lexer) peek(n int) byte {
	if l.pos+n < len(l.buf) {
		return l.buf[l.pos+n]
	}
	return 0
}

// skipBlanks skips blanks, comments and continued lines.
func (l *lexer) skipBlanks() {
	for {
		if l.pos >= len(l.buf) {
			if !l.fill() {
				return
			}
			continue
		}
		switch c := l.buf[l.pos]; {
		case c == ' ' || c == '\t' || c == '\r':
			l.pos++
		case c == '\\' && l.peek(1) == '\n':
			l.pos += 2
			l.line++
		case c == '#':
			for l.pos < len(l.buf) && l.buf[l.pos] != '\n' {
				l.pos++
			}
		case c == '/' && l.peek(1) == '*':
			l.comment()
		default:
			return
		}
	}
}

func (l *lexer) comment() {
	l.pos += 2
	for {
		if i := strings.Index(l.buf[l.pos:], "*/"); i >= 0 {
			l.line += strings.Count(l.buf[l.pos:l.pos+i], "\n")
			l.pos += i + 2
			return
		}
		// Nothing but a star at the end can be part of the comment's end.
		rest := len(l.buf)
		if strings.HasSuffix(l.buf, "*") {
			rest--
		}
		l.line += strings.Count(l.buf[l.pos:max(l.pos, rest)], "\n")
		l.pos = max(l.pos, rest)
		if !l.fill() {
			l.pos = len(l.buf)
			return
		}
	}
}

const punctuation = "++ -- += -= *= /= %= ^= == <= >= != && || + - * / % ^ = < > ! ( ) [ ] { } ; , . &"

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isNumeral reports whether c is a digit of a base up to sixteen.
func isNumeral(c byte) bool { return isDigit(c) || c >= 'A' && c <= 'F' }

// next reads the next token.
func (l *lexer) next() {
	l.skipBlanks()
	if l.pos >= len(l.buf) {
		l.tok, l.text = tEOF, ""
		return
	}
	switch c := l.buf[l.pos]; {
	case c == '\n':
		l.pos++
		l.line++
		l.tok, l.text = tNewline, "\n"
	case isLower(c):
		start := l.pos
		for l.pos < len(l.buf) && (isLower(l.buf[l.pos]) || isDigit(l.buf[l.pos]) || l.buf[l.pos] == '_') {
			l.pos++
		}
		l.tok, l.text = tName, l.buf[start:l.pos]
	case isNumeral(c) || c == '.' && isNumeral(l.peek(1)):
		l.number()
	case c == '"':
		l.str()
	default:
		l.punct()
	}
}

// number reads a number, which may be continued on further lines.
func (l *lexer) number() {
	var b strings.Builder
	point := false
	for {
		if l.pos >= len(l.buf) && !l.fill() {
			break
		}
		c := l.buf[l.pos]
		switch {
		case isNumeral(c) || c == '.' && !point:
			point = point || c == '.'
			b.WriteByte(c)
			l.pos++
			continue
		case c == '\\' && l.peek(1) == '\n':
			l.pos += 2
			l.line++
			if l.pos >= len(l.buf) {
				l.fill()
			}
			continue
		}
		break
	}
	l.tok, l.text = tNumber, b.String()
}

// str reads a string, which may go over lines.
func (l *lexer) str() {
	l.pos++
	start := l.pos
	for {
		if i := strings.IndexByte(l.buf[start:], '"'); i >= 0 {
			l.tok, l.text = tString, l.buf[start:start+i]
			l.line += strings.Count(l.text, "\n")
			l.pos = start + i + 1
			return
		}
		l.pos = start
		if !l.fill() {
			l.tok, l.text = tBad, l.buf[start:]
			l.pos = len(l.buf)
			return
		}
		start = 0
	}
}

func (l *lexer) punct() {
	rest := l.buf[l.pos:]
	for p := range strings.FieldsSeq(punctuation) {
		if strings.HasPrefix(rest, p) {
			l.pos += len(p)
			l.tok, l.text = tPunct, p
			return
		}
	}
	l.tok, l.text = tBad, rest[:1]
	l.pos++
}

// skipLine gives up what is left of the current line.
func (l *lexer) skipLine() {
	if l.tok == tNewline || l.tok == tEOF {
		return
	}
	for {
		if i := strings.IndexByte(l.buf[l.pos:], '\n'); i >= 0 {
			l.pos += i + 1
			l.line++
			return
		}
		l.pos = len(l.buf)
		if !l.fill() {
			return
		}
	}
}
