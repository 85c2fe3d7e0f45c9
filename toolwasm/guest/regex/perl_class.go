package regex

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// classEscape reads an escape that stands for a class, after the backslash.
func (p *perlParser) classEscape() (s *set, negate, ok bool) {
	c := p.src[p.pos]
	negate = isUpper(c)
	switch c | 0x20 {
	case 'w':
		s = classSet(asciiWord)
	case 'd':
		s = classSet(asciiDigit)
	case 's':
		s = classSet(asciiSpace)
	case 'h':
		s = &set{}
		for _, r := range []rune{'\t', ' ', 0xa0, 0x1680, 0x180e, 0x202f, 0x205f, 0x3000} {
			s.addRange(r, r)
		}
		s.addRange(0x2000, 0x200a)
	case 'v':
		s = &set{}
		s.addRange('\n', '\r')
		for _, r := range []rune{0x85, 0x2028, 0x2029} {
			s.addRange(r, r)
		}
	case 'n':
		if c != 'N' || strings.HasPrefix(p.src[p.pos:], "N{") {
			return nil, false, false
		}
		s = &set{}
		s.addRange('\n', '\n')
	case 'p':
		s, negate = p.property()
		return s, negate, true
	default:
		return nil, false, false
	}
	p.pos++
	return s, negate, true
}

// property reads \pL, \p{Lu}, \P{…} or \p{^…}, at the p.
func (p *perlParser) property() (*set, bool) {
	negate := p.src[p.pos] == 'P'
	p.pos++
	name := ""
	switch {
	case p.rest("{"):
		p.pos++
		name = p.until("}")
	case p.more():
		name = string(p.rune())
	}
	if strings.HasPrefix(name, "^") {
		negate, name = !negate, name[1:]
	}
	in, ok := perlProperty(name)
	if !ok {
		perlFail(`unknown property after \P or \p`)
	}
	return classSet(class{func(c byte) bool { return in(rune(c)) }, in}), negate
}

func perlProperty(name string) (func(rune) bool, bool) {
	switch name {
	case "Any":
		return func(rune) bool { return true }, true
	case "L&":
		return func(r rune) bool { return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt) }, true
	case "Xan":
		return func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }, true
	case "Xwd":
		return func(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.N) }, true
	case "Xsp", "Xps":
		return unicode.IsSpace, true
	}
	table := unicode.Categories[name]
	if table == nil {
		table = unicode.Scripts[name]
	}
	if table == nil {
		return nil, false
	}
	return func(r rune) bool { return unicode.Is(table, r) }, true
}

// charEscape reads an escape that stands for one character, after the backslash.
func (p *perlParser) charEscape() rune {
	if !p.more() {
		perlFail(`\ at end of pattern`)
	}
	c := p.src[p.pos]
	if c >= utf8.RuneSelf {
		return p.rune()
	}
	p.pos++
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'f':
		return '\f'
	case 'a':
		return '\a'
	case 'e':
		return 0x1b
	case 'c':
		if !p.more() {
			perlFail(`\c at end of pattern`)
		}
		r := unicode.ToUpper(p.rune()) ^ 0x40
		return r
	case 'x':
		if p.rest("{") {
			p.pos++
			return p.codePoint(p.until("}"), 16)
		}
		return p.digitsUpTo(16, 2)
	case 'o':
		if p.rest("{") {
			p.pos++
			return p.codePoint(p.until("}"), 8)
		}
		perlFail(`missing opening brace after \o`)
	case 'N':
		if p.rest("{U+") {
			p.pos += 3
			return p.codePoint(p.until("}"), 16)
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		p.pos--
		return p.digitsUpTo(8, 3)
	}
	if isAlnum(c) {
		perlFail(`unrecognized character follows \`)
	}
	return rune(c)
}

func (p *perlParser) codePoint(s string, base int) rune {
	v, err := strconv.ParseUint(strings.TrimSpace(s), base, 32)
	if err != nil || v > unicode.MaxRune {
		perlFail(`character code point value in \x{} or \o{} is too large`)
	}
	return rune(v)
}

// digitsUpTo reads at most n digits of a base.
func (p *perlParser) digitsUpTo(base, n int) rune {
	v := 0
	for range n {
		if !p.more() {
			break
		}
		d, err := strconv.ParseUint(p.src[p.pos:p.pos+1], base, 8)
		if err != nil {
			break
		}
		v = v*base + int(d)
		p.pos++
	}
	return rune(v)
}

// bracket reads a character class after its [.
func (p *perlParser) bracket() *perlNode {
	s := &set{}
	negate := false
	if p.rest("^") {
		negate = true
		p.pos++
	}
	quoted := false
	for first := true; ; first = false {
		switch {
		case !p.more():
			perlFail("missing terminating ] for character class")
		case quoted && p.rest(`\E`):
			quoted = false
			p.pos += 2
			continue
		case quoted:
			r := p.rune()
			s.addRange(r, r)
			continue
		case p.rest(`\Q`):
			quoted = true
			p.pos += 2
			continue
		case p.rest(`\E`):
			p.pos += 2
			continue
		case p.rest("]") && !first:
			p.pos++
			return p.setNode(s, negate)
		case p.rest("[:") && p.posixClass(s):
			continue
		}
		lo, class := p.member(s)
		if class || !p.rest("-") || p.rest("-]") {
			continue
		}
		at := p.pos
		p.pos++
		if !p.more() {
			continue
		}
		probe := &set{}
		hi, class := p.member(probe)
		if class {
			// The hyphen stands for itself before a class.
			p.pos = at
			s.addRange('-', '-')
			p.pos++
			continue
		}
		if hi < lo {
			perlFail("range out of order in character class")
		}
		s.addRange(lo, hi)
	}
}

// member reads one member of a class and adds it. It reports whether it was itself a class.
func (p *perlParser) member(s *set) (r rune, class bool) {
	if !p.rest(`\`) {
		r = p.rune()
		s.addRange(r, r)
		return r, false
	}
	p.pos++
	if !p.more() {
		perlFail(`\ at end of pattern`)
	}
	if sub, negate, ok := p.classEscape(); ok {
		if negate {
			sub.negate()
		}
		s.ascii[0] |= sub.ascii[0]
		s.ascii[1] |= sub.ascii[1]
		s.classes = append(s.classes, sub.has)
		return 0, true
	}
	if p.rest("b") {
		p.pos++
		s.addRange('\b', '\b')
		return '\b', false
	}
	r = p.charEscape()
	s.addRange(r, r)
	return r, false
}

// posixClass reads [:name:] or [:^name:].
func (p *perlParser) posixClass(s *set) bool {
	end := strings.Index(p.src[p.pos+2:], ":]")
	if end < 0 {
		return false
	}
	name := p.src[p.pos+2 : p.pos+2+end]
	negate := strings.HasPrefix(name, "^")
	name = strings.TrimPrefix(name, "^")
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	c, ok := namedClass(name)
	if name == "word" {
		c, ok = asciiWord, true
	}
	if !ok {
		perlFail("unknown POSIX class name")
	}
	sub := classSet(class{c.ascii, nil})
	if negate {
		sub.negate()
	}
	s.ascii[0] |= sub.ascii[0]
	s.ascii[1] |= sub.ascii[1]
	s.classes = append(s.classes, sub.has)
	p.pos += 2 + end + 2
	return true
}
