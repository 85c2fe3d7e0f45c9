package js

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind says what a token is.
type kind uint8

const (
	word     kind = iota // identifiers, keywords and private names
	number               // numeric literals
	text                 // string literals and templates without substitutions
	template             // the pieces of a template around its substitutions
	regexp               // regular expression literals
	punct                // everything else
)

// token is one token of a source text. Brackets, the pieces of a template among them, know their partner.
type token struct {
	kind       kind
	start, end int
	newline    bool // a line ends between the token before and this one
	pair       int  // of an opening bracket the index of the closing one, and the other way round; else -1
	block      bool // a "{" that begins statements and not an object
}

// source is a text as tokens. It is not parsed: the engine does that, after what it does not know has been rewritten.
type source struct {
	src    string
	tokens []token
}

func (s *source) text(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.src[s.tokens[i].start:s.tokens[i].end]
}

// is reports whether token i is a word or punctuator with the given text.
func (s *source) is(i int, want string) bool {
	return i >= 0 && i < len(s.tokens) && (s.tokens[i].kind == word || s.tokens[i].kind == punct) && s.text(i) == want
}

func (s *source) kind(i int) (kind, bool) {
	if i < 0 || i >= len(s.tokens) {
		return 0, false
	}
	return s.tokens[i].kind, true
}

// scanner turns a text into tokens. What is not JavaScript becomes some token too: the engine reports the mistake.
type scanner struct {
	source
	pos     int
	newline bool
	open    []int // indices of brackets not closed yet
}

func scan(src string) *source {
	sc := &scanner{source: source{src: src}}
	if strings.HasPrefix(src, "#!") {
		sc.lineComment()
	}
	for sc.skipBlanks(); sc.pos < len(src); sc.skipBlanks() {
		sc.next()
	}
	return &sc.source
}

func (sc *scanner) add(k kind, end int) int {
	sc.tokens = append(sc.tokens, token{kind: k, start: sc.pos, end: end, newline: sc.newline, pair: -1})
	sc.pos, sc.newline = end, false
	return len(sc.tokens) - 1
}

func (sc *scanner) skipBlanks() {
	for sc.pos < len(sc.src) {
		rest := sc.src[sc.pos:]
		switch c := rest[0]; {
		case c == '\n' || c == '\r':
			sc.newline = true
			sc.pos++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			sc.pos++
		case strings.HasPrefix(rest, "//"):
			sc.lineComment()
		case strings.HasPrefix(rest, "/*"):
			sc.blockComment()
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) && r != '\ufeff' && r != '\u2028' && r != '\u2029' {
				return
			}
			sc.newline = sc.newline || r == '\u2028' || r == '\u2029'
			sc.pos += n
		default:
			return
		}
	}
}

func (sc *scanner) lineComment() {
	if n := strings.IndexAny(sc.src[sc.pos:], "\r\n"); n >= 0 {
		sc.pos += n
		return
	}
	sc.pos = len(sc.src)
}

func (sc *scanner) blockComment() {
	body := sc.src[sc.pos+2:]
	n := strings.Index(body, "*/")
	if n < 0 {
		sc.pos = len(sc.src)
		return
	}
	sc.newline = sc.newline || strings.ContainsAny(body[:n], "\r\n")
	sc.pos += n + 4
}

func (sc *scanner) next() {
	c := sc.src[sc.pos]
	switch {
	case c == '"' || c == '\'':
		sc.add(text, sc.stringEnd(c))
	case c == '`':
		sc.template()
	case c >= '0' && c <= '9' || c == '.' && sc.digitAt(sc.pos+1):
		sc.add(number, sc.numberEnd())
	case isWordByte(c) || c == '#' || c == '\\':
		sc.add(word, sc.wordEnd())
	case c == '/' && sc.regexpAllowed():
		sc.add(regexp, sc.regexpEnd())
	case c == '(' || c == '[' || c == '{':
		block := c == '{' && sc.statementStart()
		i := sc.add(punct, sc.pos+1)
		sc.tokens[i].block = block
		sc.open = append(sc.open, i)
	case c == '}' && sc.inTemplate():
		sc.templateRest(sc.close(template))
	case c == ')' || c == ']' || c == '}':
		sc.close(punct)
	default:
		sc.add(punct, sc.punctEnd())
	}
}

// close adds a closing bracket and joins it to the opening one.
func (sc *scanner) close(k kind) int {
	i := sc.add(k, sc.pos+1)
	if n := len(sc.open); n > 0 {
		o := sc.open[n-1]
		sc.open = sc.open[:n-1]
		sc.tokens[o].pair, sc.tokens[i].pair = i, o
	}
	return i
}

func (sc *scanner) inTemplate() bool {
	return len(sc.open) > 0 && sc.tokens[sc.open[len(sc.open)-1]].kind == template
}

func (sc *scanner) template() {
	end, more := sc.templateEnd(sc.pos + 1)
	if !more {
		sc.add(text, end)
		return
	}
	sc.open = append(sc.open, sc.add(template, end))
}

// templateRest extends token i, the "}" of a substitution, by the text up to the next one.
func (sc *scanner) templateRest(i int) {
	end, more := sc.templateEnd(sc.pos)
	if !more {
		sc.tokens[i].end, sc.pos = end, end
		return
	}
	// The piece closes one substitution and opens the next: two tokens, so that each has one partner.
	sc.tokens[i].end, sc.pos = end-2, end-2
	sc.open = append(sc.open, sc.add(template, end))
}

// templateEnd finds the end of a template's text: behind "`", or behind "${" when there is more to come.
func (sc *scanner) templateEnd(from int) (end int, more bool) {
	for i := from; i < len(sc.src); i++ {
		switch {
		case sc.src[i] == '\\':
			i++
		case sc.src[i] == '`':
			return i + 1, false
		case strings.HasPrefix(sc.src[i:], "${"):
			return i + 2, true
		}
	}
	return len(sc.src), false
}

func (sc *scanner) stringEnd(quote byte) int {
	for i := sc.pos + 1; i < len(sc.src); i++ {
		switch sc.src[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(sc.src)
}

func (sc *scanner) digitAt(i int) bool {
	return i < len(sc.src) && sc.src[i] >= '0' && sc.src[i] <= '9'
}

func (sc *scanner) numberEnd() int {
	i := sc.pos
	hex := strings.HasPrefix(sc.src[i:], "0x") || strings.HasPrefix(sc.src[i:], "0X")
	for ; i < len(sc.src); i++ {
		c := sc.src[i]
		if (c == '+' || c == '-') && !hex && (sc.src[i-1] == 'e' || sc.src[i-1] == 'E') && i > sc.pos {
			continue
		}
		if c != '.' && !isWordByte(c) {
			return i
		}
	}
	return i
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

func (sc *scanner) wordEnd() int {
	i := sc.pos + 1
	for i < len(sc.src) && (isWordByte(sc.src[i]) || sc.src[i] == '\\' || sc.src[i] == '{' && sc.src[i-1] == 'u' && i > 1 && sc.src[i-2] == '\\') {
		if sc.src[i] >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(sc.src[i:])
			if unicode.IsSpace(r) || r == '\ufeff' || r == '\u2028' || r == '\u2029' {
				return i
			}
			i += n
			continue
		}
		i++
	}
	return i
}

func (sc *scanner) regexpEnd() int {
	class := false
	for i := sc.pos + 1; i < len(sc.src); i++ {
		switch c := sc.src[i]; {
		case c == '\\':
			i++
		case c == '\n':
			return i
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for i++; i < len(sc.src) && isWordByte(sc.src[i]); i++ {
			}
			return i
		}
	}
	return len(sc.src)
}

// longPuncts are the punctuators of more than one character whose pieces would mean something else here.
var longPuncts = [...]string{">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**"}

func (sc *scanner) punctEnd() int {
	rest := sc.src[sc.pos:]
	for _, p := range longPuncts {
		if strings.HasPrefix(rest, p) && (p != "?." || !sc.digitAt(sc.pos+2)) {
			return sc.pos + len(p)
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	return sc.pos + n
}

// operators are the words after which an operand follows.
var operators = map[string]bool{
	"return": true, "typeof": true, "instanceof": true, "in": true, "of": true, "new": true, "delete": true, "void": true, "throw": true,
	"case": true, "do": true, "else": true, "yield": true, "await": true, "extends": true, "default": true,
}

// regexpAllowed tells a regular expression from a division by what stands before it.
func (sc *scanner) regexpAllowed() bool {
	last := len(sc.tokens) - 1
	k, ok := sc.kind(last)
	switch {
	case !ok:
		return true
	case k == word:
		return operators[sc.text(last)] && !sc.is(last-1, ".")
	case k == number || k == text || k == regexp:
		return false
	case k == template:
		return sc.tokens[last].pair < 0 || sc.src[sc.tokens[last].end-1] == '{'
	}
	switch sc.text(last) {
	case ")":
		return sc.headBefore(sc.tokens[last].pair)
	case "]":
		return false
	case "}":
		open := sc.tokens[last].pair
		return open >= 0 && sc.tokens[open].block
	case "++", "--":
		return false
	}
	return true
}

// headBefore reports whether the parenthesis at i belongs to a statement's head: what follows it is a statement.
func (sc *scanner) headBefore(i int) bool {
	return sc.is(i-1, "if") || sc.is(i-1, "while") || sc.is(i-1, "for") || sc.is(i-1, "with") || sc.is(i-1, "await") && sc.is(i-2, "for")
}

// statementStart reports whether a "{" here would begin a block and not an object.
func (sc *scanner) statementStart() bool {
	last := len(sc.tokens) - 1
	k, ok := sc.kind(last)
	if !ok {
		return true
	}
	if k == word {
		w := sc.text(last)
		return !operators[w] || w == "do" || w == "else"
	}
	if k != punct {
		return k == text || k == number // of a class member or a label's line: not an operand
	}
	switch sc.text(last) {
	case ")", ";", "=>", "]":
		return true
	case "{":
		return sc.tokens[last].block
	case "}":
		open := sc.tokens[last].pair
		return open >= 0 && sc.tokens[open].block
	case ":":
		return !sc.inObject()
	}
	return false
}

// inObject reports whether the innermost open bracket makes a value.
func (sc *scanner) inObject() bool {
	n := len(sc.open)
	return n > 0 && !sc.tokens[sc.open[n-1]].block
}
