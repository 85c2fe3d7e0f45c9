// Package glob matches shell patterns: * ? [set] with classes, backslash escapes and ksh's extended patterns
// ?(a|b) *(…) +(…) @(…) !(…), as fnmatch(3) and bash do in the C.UTF-8 locale.
//
// Matching takes time polynomial in the length of the text whatever the pattern is. A Pattern is immutable and safe for
// concurrent use.
package glob

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Flags change what a pattern means.
type Flags uint8

const (
	// Extglob gives ?( *( +( @( !( their meaning.
	Extglob Flags = 1 << iota
	// IgnoreCase matches letters of either case.
	IgnoreCase
	// Pathname keeps * ? and sets from matching a slash.
	Pathname
	// Period keeps * ? and sets from matching a leading dot (with Pathname also one after a slash).
	Period
	// NoEscape makes the backslash an ordinary character.
	NoEscape
)

// MaxNesting bounds how deep extended patterns may nest.
const MaxNesting = 100

// ErrNesting reports a pattern whose extended patterns nest too deeply.
var ErrNesting = errors.New("glob: compile pattern: nested too deeply")

type kind uint8

const (
	literal  kind = iota // text
	anyChar              // ?
	anyText              // *
	set                  // […]
	extended             // ?(…) and its kin
)

// node is one element of a compiled pattern.
type node struct {
	kind kind
	text string
	set  *charset
	op   byte // of an extended pattern: ? * + @ !
	alts [][]node
}

// Pattern is a compiled pattern.
type Pattern struct {
	nodes []node
	flags Flags
	// exact is set when the pattern is plain text.
	exact bool
	lit   string
	// fixed is set when every element matches exactly one character or a literal.
	fixed bool
	ext   bool
}

// Compile translates a pattern. A "[" that is not closed and an extended pattern that is not closed are ordinary characters.
func Compile(pattern string, flags Flags) (*Pattern, error) {
	c := compiler{src: pattern, flags: flags}
	nodes := c.sequence(false, 0)
	if c.tooDeep {
		return nil, ErrNesting
	}
	p := &Pattern{nodes: nodes, flags: flags, fixed: true}
	for _, n := range nodes {
		if n.kind == anyText || n.kind == extended {
			p.fixed = false
		}
		if n.kind == extended {
			p.ext = true
		}
	}
	if flags&IgnoreCase == 0 {
		switch {
		case len(nodes) == 0:
			p.exact = true
		case len(nodes) == 1 && nodes[0].kind == literal:
			p.exact, p.lit = true, nodes[0].text
		}
	}
	return p, nil
}

// Literal returns the text that the pattern matches when it matches only one.
func (p *Pattern) Literal() (string, bool) { return p.lit, p.exact }

// HasMeta reports whether s has a character that makes it more than plain text to Compile, escapes aside.
func HasMeta(s string, extglob bool) bool {
	open := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*', '?':
			return true
		case '[':
			open = true
		case ']':
			if open {
				return true
			}
		case '\\':
			i++
		case '+', '@', '!':
			if extglob && i+1 < len(s) && s[i+1] == '(' {
				return true
			}
		}
	}
	return false
}

// Quote returns a pattern that matches s alone.
func Quote(s string) string {
	if !strings.ContainsAny(s, `*?[]\+@!()|-^`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`*?[]\+@!()|-^`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

type compiler struct {
	src     string
	pos     int
	flags   Flags
	tooDeep bool
}

// sequence compiles up to the end, or inside parentheses up to "|" or ")".
func (c *compiler) sequence(inner bool, depth int) []node {
	var nodes []node
	var lit []byte
	flush := func() {
		if len(lit) > 0 {
			nodes = append(nodes, node{kind: literal, text: string(lit)})
			lit = nil
		}
	}
	for c.pos < len(c.src) {
		ch := c.src[c.pos]
		if inner && (ch == '|' || ch == ')') {
			break
		}
		if c.flags&Extglob != 0 && c.pos+1 < len(c.src) && c.src[c.pos+1] == '(' && strings.IndexByte("?*+@!", ch) >= 0 {
			if n, ok := c.extended(depth); ok {
				flush()
				nodes = append(nodes, n)
				continue
			}
		}
		switch ch {
		case '*':
			flush()
			if len(nodes) == 0 || nodes[len(nodes)-1].kind != anyText {
				nodes = append(nodes, node{kind: anyText})
			}
			c.pos++
			continue
		case '?':
			flush()
			nodes = append(nodes, node{kind: anyChar})
			c.pos++
			continue
		case '[':
			if s, end := c.charset(c.pos); s != nil {
				flush()
				nodes = append(nodes, node{kind: set, set: s})
				c.pos = end
				continue
			}
		case '\\':
			if c.flags&NoEscape == 0 && c.pos+1 < len(c.src) {
				c.pos++
			}
		}
		lit = append(lit, c.src[c.pos])
		c.pos++
	}
	flush()
	return nodes
}

// extended compiles op(alt|alt…).
func (c *compiler) extended(depth int) (node, bool) {
	if depth >= MaxNesting {
		c.tooDeep = true
		return node{}, false
	}
	save := c.pos
	n := node{kind: extended, op: c.src[c.pos]}
	c.pos += 2
	for {
		n.alts = append(n.alts, c.sequence(true, depth+1))
		if c.pos >= len(c.src) {
			c.pos = save
			return node{}, false
		}
		c.pos++
		if c.src[c.pos-1] == ')' {
			return n, true
		}
	}
}

// decode returns the character at the beginning of s; a byte that is not UTF-8 is a character of its own.
func decode(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return 0xdc00 + rune(s[0]), 1
	}
	return r, n
}

func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}
