package awk

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// token is a kind of lexical element.
type token int

const (
	tEOF token = iota
	tNewline
	tNumber
	tString
	tRegex
	tTypedRegex // @/re/
	tName
	tFuncName // a name directly followed by "("
	tBuiltin
	tKeyword
	tPunct
)

// keywords are the reserved words of the language.
const keywords = " BEGIN BEGINFILE END ENDFILE break case continue default delete do else exit for func function getline if in next nextfile print printf return switch while "

// builtins are the functions that the language defines.
const builtins = " length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper" +
	" system close fflush strftime mktime systime asort asorti patsplit strtonum and or xor compl lshift rshift typeof isarray" +
	" mkbool dcgettext dcngettext bindtextdomain "

func isWordIn(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// source is a piece of program text and what messages call it.
type source struct {
	name string // "cmd. line" or a file's name
	text string
}

// syntaxError is a mistake in the program text.
type syntaxError struct {
	where string // source and line: "cmd. line:1"
	line  string // the text of the line, "" when it would not help
	col   int
	msg   string
	fatal bool
}

func (e *syntaxError) Error() string { return e.where + ": " + e.msg }

// lexer turns program text into tokens.
type lexer struct {
	src  source
	pos  int
	line int

	tok     token
	text    string  // names, keywords, punctuation; the value of strings and regexes
	num     float64 // tNumber
	at      int     // offset of the token
	tokLine int
	last    token // the token before, to decide whether a newline ends something
}

func newLexer(s source) *lexer { return &lexer{src: s, line: 1} }

func (l *lexer) errorAt(at, line int, format string, args ...any) error {
	start := strings.LastIndexByte(l.src.text[:at], '\n') + 1
	end := strings.IndexByte(l.src.text[at:], '\n')
	if end < 0 {
		end = len(l.src.text) - at
	}
	return &syntaxError{
		where: fmt.Sprintf("%s:%d", l.src.name, line), line: l.src.text[start : at+end], col: at - start,
		msg: fmt.Sprintf(format, args...),
	}
}

// is reports whether the current token is the given punctuation or keyword.
func (l *lexer) is(text string) bool {
	return (l.tok == tPunct || l.tok == tKeyword) && l.text == text
}

// next reads the next token.
func (l *lexer) next() error {
	l.last = l.tok
	if err := l.blanks(); err != nil {
		return err
	}
	l.at, l.tokLine = l.pos, l.line
	if l.pos >= len(l.src.text) {
		l.tok, l.text = tEOF, ""
		return nil
	}
	switch c := l.src.text[l.pos]; {
	case c == '\n':
		l.pos++
		l.line++
		l.tok, l.text = tNewline, "\n"
	case isLetter(c):
		l.word()
	case isDigit(c) || c == '.' && l.pos+1 < len(l.src.text) && isDigit(l.src.text[l.pos+1]):
		l.number()
	case c == '"':
		return l.str()
	case c == '@' && strings.HasPrefix(l.src.text[l.pos:], "@/"):
		l.pos += 2
		text, err := l.regexBody()
		l.tok, l.text = tTypedRegex, text
		return err
	default:
		return l.punct()
	}
	return nil
}

// blanks skips what separates tokens: blanks, comments and continued lines.
func (l *lexer) blanks() error {
	t := l.src.text
	for l.pos < len(t) {
		switch c := t[l.pos]; {
		case c == ' ' || c == '\t' || c == '\r':
			l.pos++
		case c == '\\' && strings.HasPrefix(t[l.pos+1:], "\n"):
			l.pos += 2
			l.line++
		case c == '\\' && strings.HasPrefix(t[l.pos+1:], "\r\n"):
			l.pos += 3
			l.line++
		case c == '\\':
			return l.errorAt(l.pos, l.line, "backslash not last character on line")
		case c == '#':
			for l.pos < len(t) && t[l.pos] != '\n' {
				l.pos++
			}
		default:
			return nil
		}
	}
	return nil
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func (l *lexer) word() {
	t := l.src.text
	start := l.pos
	for l.pos < len(t) && (isLetter(t[l.pos]) || isDigit(t[l.pos])) {
		l.pos++
	}
	// A namespace qualifier is part of the name; awk:: is the namespace that everything is in.
	if strings.HasPrefix(t[l.pos:], "::") && l.pos+2 < len(t) && isLetter(t[l.pos+2]) {
		l.pos += 2
		for l.pos < len(t) && (isLetter(t[l.pos]) || isDigit(t[l.pos])) {
			l.pos++
		}
	}
	l.text = strings.TrimPrefix(t[start:l.pos], "awk::")
	switch {
	case isWordIn(keywords, l.text):
		l.tok = tKeyword
		if l.text == "func" {
			l.text = "function"
		}
	case isWordIn(builtins, l.text):
		l.tok = tBuiltin
	case l.pos < len(t) && t[l.pos] == '(':
		l.tok = tFuncName
	default:
		l.tok = tName
	}
}

func (l *lexer) number() {
	t := l.src.text[l.pos:]
	l.tok = tNumber
	if len(t) > 2 && t[0] == '0' && t[1]|0x20 == 'x' && isHex(t[2]) {
		n := 2
		for n < len(t) && isHex(t[n]) {
			n++
		}
		l.num, l.text = parseBase(t[2:n], 16), t[:n]
		l.pos += n
		return
	}
	v, n := parseNumber(t)
	l.num, l.text = v, t[:n]
	// A leading zero makes program text octal, unless it has an 8, a 9 or a fraction.
	if n > 1 && t[0] == '0' && strings.Trim(t[:n], "01234567") == "" {
		l.num = parseBase(t[:n], 8)
	}
	l.pos += n
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func parseBase(digits string, base float64) float64 {
	v := 0.0
	for i := range len(digits) {
		v = v*base + float64(hexValue(digits[i]))
	}
	return v
}

func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 0
}

func (l *lexer) str() error {
	t := l.src.text
	for i := l.pos + 1; i < len(t); i++ {
		switch t[i] {
		case '"':
			l.tok, l.text = tString, unescape(t[l.pos+1:i])
			l.pos = i + 1
			return nil
		case '\\':
			i++
			if i < len(t) && t[i] == '\n' {
				l.line++
			}
		case '\n':
			return l.errorAt(l.pos, l.tokLine, "unterminated string")
		}
	}
	return l.errorAt(l.pos, l.tokLine, "unterminated string")
}

// regex re-reads the current "/" or "/=" as the start of a regular expression.
func (l *lexer) regex() error {
	l.pos = l.at + 1
	text, err := l.regexBody()
	l.tok, l.text = tRegex, text
	return err
}

// regexBody reads up to the closing slash. A slash in brackets does not end the expression.
func (l *lexer) regexBody() (string, error) {
	t := l.src.text
	start := l.pos
	bracket := -1 // offset just after an open "[" or "[^"
	for ; l.pos < len(t); l.pos++ {
		switch c := t[l.pos]; {
		case c == '\n':
			return "", l.errorAt(l.at, l.tokLine, "unterminated regexp")
		case c == '\\':
			l.pos++
		case bracket >= 0:
			if c == '[' && l.pos+1 < len(t) && strings.IndexByte(":.=", t[l.pos+1]) >= 0 {
				if end := strings.Index(t[l.pos+2:], t[l.pos+1:l.pos+2]+"]"); end >= 0 {
					l.pos += end + 3
					continue
				}
			}
			if c == ']' && l.pos > bracket {
				bracket = -1
			}
		case c == '[':
			bracket = l.pos + 1
			if bracket < len(t) && t[bracket] == '^' {
				bracket++
			}
		case c == '/':
			l.pos++
			return strings.ReplaceAll(t[start:l.pos-1], `\/`, "/"), nil
		}
	}
	return "", l.errorAt(l.at, l.tokLine, "unterminated regexp")
}

// punctuation, longest first.
const punctuation = "**= && || |& >> ++ -- += -= *= /= %= ^= ** == <= >= != !~ { } ( ) [ ] ; , + - * / % ^ ! > < | ? : ~ $ = @"

func (l *lexer) punct() error {
	rest := l.src.text[l.pos:]
	for p := range strings.FieldsSeq(punctuation) {
		if strings.HasPrefix(rest, p) {
			l.pos += len(p)
			l.tok, l.text = tPunct, p
			switch p {
			case "**":
				l.text = "^"
			case "**=":
				l.text = "^="
			}
			return nil
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return l.errorAt(l.pos, l.line, "invalid char '%c' in expression", r)
}

// unescape resolves the escape sequences of a string constant. An unknown one stands for its character.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case '\n':
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
		case 'v':
			b = append(b, '\v')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v, n := octal(s[i:])
			b = append(b, v)
			i += n - 1
		case 'x':
			n := 1
			for n < 3 && i+n < len(s) && isHex(s[i+n]) {
				n++
			}
			if n == 1 {
				b = append(b, 'x')
				continue
			}
			b = append(b, byte(parseBase(s[i+1:i+n], 16)))
			i += n - 1
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// octal reads up to three octal digits.
func octal(s string) (v byte, n int) {
	for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
		v = v<<3 | s[n] - '0'
		n++
	}
	return v, n
}
