package regex

import (
	"strings"
	"unicode/utf8"
)

// bracket reads a bracket expression after its [.
func (p *parser) bracket() *node {
	s := &set{}
	negate := false
	if p.rest("^") {
		negate = true
		p.pos++
	}
	var invalid []byte // bytes that are not UTF-8, wanted by themselves
	for first := true; ; first = false {
		if p.pos >= len(p.src) {
			fail(msgUnmatchedBracket)
		}
		if p.src[p.pos] == ']' && !first {
			p.pos++
			break
		}
		if p.rest("[:") {
			p.className(s)
			continue
		}
		lo, raw := p.bracketChar()
		if raw {
			invalid = p.byteRange(invalid, lo)
			continue
		}
		if !p.rest("-") || p.rest("-]") {
			s.addRange(lo, lo)
			continue
		}
		p.pos++
		if p.pos >= len(p.src) {
			fail(msgUnmatchedBracket)
		}
		if p.rest("[:") {
			fail(msgBadRange)
		}
		hi, raw := p.bracketChar()
		if raw || hi < lo {
			fail(msgBadRange)
		}
		s.addRange(lo, hi)
	}
	n := p.setNode(s, negate)
	if len(invalid) == 0 || negate {
		return n
	}
	alt := &node{kind: nodeAlt, subs: []*node{n}}
	for _, c := range invalid {
		alt.subs = append(alt.subs, &node{kind: nodeByte, n: int(c)})
	}
	return alt
}

// byteRange adds a byte that is not UTF-8, or a range that begins with one.
func (p *parser) byteRange(list []byte, lo rune) []byte {
	hi := lo
	if p.rest("-") && !p.rest("-]") {
		p.pos++
		if p.pos >= len(p.src) {
			fail(msgUnmatchedBracket)
		}
		var raw bool
		if hi, raw = p.bracketChar(); !raw || hi < lo {
			fail(msgBadRange)
		}
	}
	for c := lo; c <= hi; c++ {
		list = append(list, byte(c))
	}
	return list
}

func (p *parser) rest(prefix string) bool { return strings.HasPrefix(p.src[p.pos:], prefix) }

// className reads [:name:].
func (p *parser) className(s *set) {
	end := strings.Index(p.src[p.pos+2:], ":]")
	if end < 0 {
		fail(msgUnmatchedBracket)
	}
	name := p.src[p.pos+2 : p.pos+2+end]
	if p.has(IgnoreCase) && (name == "upper" || name == "lower") {
		name = "alpha"
	}
	c, ok := namedClass(name)
	if !ok {
		fail(msgBadClass)
	}
	s.addClass(c)
	p.pos += 2 + end + 2
}

// bracketChar reads one end of a range: a character, [.x.] or [=x=]. raw says that it is an invalid byte.
func (p *parser) bracketChar() (r rune, raw bool) {
	for _, mark := range []string{".", "="} {
		if !p.rest("[" + mark) {
			continue
		}
		body := p.src[p.pos+2:]
		end := -1
		if len(body) > 0 {
			// The element may be the mark itself, as in [...].
			end = strings.Index(body[1:], mark+"]") + 1
		}
		if end <= 0 {
			fail(msgUnmatchedBracket)
		}
		name := body[:end]
		r, n := utf8.DecodeRuneInString(name)
		if n != len(name) {
			fail(msgBadCollation)
		}
		p.pos += 2 + end + 2
		return r, false
	}
	if p.has(Awk) && p.src[p.pos] == '\\' && p.pos+1 < len(p.src) {
		p.pos++
		if r, n, ok := cEscape(p.src[p.pos:]); ok {
			p.pos += n
			return r, false
		}
	}
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	if r == utf8.RuneError && n == 1 {
		r, raw = rune(p.src[p.pos]), true
	}
	p.pos += n
	return r, raw
}
