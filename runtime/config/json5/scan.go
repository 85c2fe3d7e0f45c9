package json5

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// identifier reads the name that text begins with. The width is 0 if there is none.
func identifier(text string) (name string, width int) {
	var b strings.Builder
	for width < len(text) {
		r, n := utf8.DecodeRuneInString(text[width:])
		if r == '\\' {
			r, n = identifierEscape(text[width:])
		}
		if n == 0 || !identifierRune(r, width == 0) {
			break
		}
		b.WriteRune(r)
		width += n
	}
	return b.String(), width
}

func identifierEscape(text string) (r rune, width int) {
	if !strings.HasPrefix(text, `\u`) {
		return 0, 0
	}
	r, ok := hexRune(text[2:], 4)
	if !ok {
		return 0, 0
	}
	return r, 6
}

func identifierRune(r rune, first bool) bool {
	switch {
	case r == utf8.RuneError:
		return false
	case r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r):
		return true
	case first:
		return false
	}
	return unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc) || r == '\u200c' || r == '\u200d'
}

// hexRune reads exactly the given number of hexadecimal digits.
func hexRune(text string, digits int) (rune, bool) {
	if len(text) < digits || strings.ContainsAny(text[:digits], "+-_") {
		return 0, false
	}
	v, err := strconv.ParseUint(text[:digits], 16, 32)
	return rune(v), err == nil
}

// number reads a number and keeps its text.
func (p *parser) number() (string, error) {
	start := p.at
	if c := p.peek(); c == '+' || c == '-' {
		p.at++
	}
	if name, width := identifier(p.rest()); name == "Infinity" || name == "NaN" {
		p.at += width
		return p.doc.Text[start:p.at], nil
	}
	if err := p.magnitude(); err != nil {
		return "", err
	}
	if _, width := identifier(p.rest()); width > 0 || p.peek() == '.' || p.peek() >= '0' && p.peek() <= '9' {
		return "", p.fail("%s in a number", p.next())
	}
	return p.doc.Text[start:p.at], nil
}

func (p *parser) magnitude() error {
	if isHexStart(p.rest()) {
		p.at += 2
		if p.digits(isHexDigit) == 0 {
			return p.fail("%s where a hexadecimal digit is wanted", p.next())
		}
		return nil
	}
	start := p.at
	whole := p.digits(isDigit)
	if whole > 1 && p.doc.Text[start] == '0' {
		p.at = start
		return p.fail("a number with leading zeros")
	}
	fraction := 0
	if p.peek() == '.' {
		p.at++
		fraction = p.digits(isDigit)
	}
	if whole+fraction == 0 {
		return p.fail("%s where a digit is wanted", p.next())
	}
	if c := p.peek(); c != 'e' && c != 'E' {
		return nil
	}
	p.at++
	if c := p.peek(); c == '+' || c == '-' {
		p.at++
	}
	if p.digits(isDigit) == 0 {
		return p.fail("%s where a digit is wanted", p.next())
	}
	return nil
}

func isHexStart(text string) bool {
	return strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")
}

func (p *parser) digits(is func(byte) bool) int {
	start := p.at
	for p.at < len(p.doc.Text) && is(p.doc.Text[p.at]) {
		p.at++
	}
	return p.at - start
}

func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isHexDigit(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// str reads a quoted string.
func (p *parser) str() (string, error) {
	start := p.at
	quote := p.peek()
	p.at++
	var b strings.Builder
	for p.at < len(p.doc.Text) {
		switch c := p.peek(); c {
		case quote:
			p.at++
			return b.String(), nil
		case '\n', '\r':
			return "", p.fail("a string that goes over the end of its line")
		case '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
			p.at++
		}
	}
	p.at = start
	return "", p.fail("a string that does not end")
}

// escapes are those of one letter.
var escapes = map[rune]string{'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v"}

func (p *parser) escape(b *strings.Builder) error {
	text := p.rest()[1:]
	r, width := utf8.DecodeRuneInString(text)
	switch {
	case text == "":
		return p.fail("a string that does not end")
	case r == 'x':
		v, ok := hexRune(text[1:], 2)
		if !ok {
			return p.fail(`\x without two hexadecimal digits`)
		}
		b.WriteRune(v)
		p.at += 4
		return nil
	case r == 'u':
		return p.unicodeEscape(b)
	case strings.HasPrefix(text, "\r\n"):
		width = 2
	case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029': // the string goes on in the next line
	case r == '0' && (len(text) == 1 || !isDigit(text[1])):
		b.WriteByte(0)
	case r >= '0' && r <= '9':
		return p.fail("an octal escape")
	case escapes[r] != "":
		b.WriteString(escapes[r])
	default:
		b.WriteRune(r)
	}
	p.at += 1 + width
	return nil
}

// unicodeEscape reads \uXXXX, or two of them that make one character.
func (p *parser) unicodeEscape(b *strings.Builder) error {
	const width = len(`\uXXXX`)
	r, ok := hexRune(p.rest()[2:], 4)
	if !ok {
		return p.fail(`\u without four hexadecimal digits`)
	}
	if !utf16.IsSurrogate(r) {
		b.WriteRune(r)
		p.at += width
		return nil
	}
	if rest := p.rest()[width:]; strings.HasPrefix(rest, `\u`) {
		if low, ok := hexRune(rest[2:], 4); ok {
			if pair := utf16.DecodeRune(r, low); pair != unicode.ReplacementChar {
				b.WriteRune(pair)
				p.at += 2 * width
				return nil
			}
		}
	}
	return p.fail("half of a surrogate pair")
}
