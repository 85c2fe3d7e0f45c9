package regex

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// span is an inclusive range of runes.
type span struct{ lo, hi rune }

// set is a set of characters. ASCII is a bitmap; beyond it spans and classes are asked, so that making a set of a
// Unicode class costs nothing.
type set struct {
	ascii   [2]uint64
	spans   []span // beyond ASCII
	classes []func(rune) bool
	negated bool // concerns what is beyond ASCII; the bitmap is already as it should be
	fold    bool // beyond ASCII, a rune belongs when any of its cases does
}

func (s *set) addRange(lo, hi rune) {
	for r := lo; r <= hi && r < utf8.RuneSelf; r++ {
		s.ascii[r>>6] |= 1 << (r & 63)
	}
	if hi >= utf8.RuneSelf {
		s.spans = append(s.spans, span{max(lo, utf8.RuneSelf), hi})
	}
}

func (s *set) addClass(c class) {
	for r := rune(0); r < utf8.RuneSelf; r++ {
		if c.ascii(byte(r)) {
			s.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	if c.beyond != nil {
		s.classes = append(s.classes, c.beyond)
	}
}

// foldCase adds the other cases of what the set holds.
func (s *set) foldCase() {
	for c := 'a'; c <= 'z'; c++ {
		u := c - 'a' + 'A'
		if s.hasASCII(byte(c)) || s.hasASCII(byte(u)) {
			s.ascii[c>>6] |= 1 << (c & 63)
			s.ascii[u>>6] |= 1 << (u & 63)
		}
	}
	s.fold = true
}

func (s *set) negate() {
	s.ascii[0], s.ascii[1] = ^s.ascii[0], ^s.ascii[1]
	s.negated = !s.negated
}

func (s *set) remove(c byte) { s.ascii[c>>6] &^= 1 << (c & 63) }

func (s *set) hasASCII(c byte) bool { return s.ascii[c>>6]>>(c&63)&1 != 0 }

// has reports whether a valid rune belongs to the set.
func (s *set) has(r rune) bool {
	if r < utf8.RuneSelf {
		return s.hasASCII(byte(r))
	}
	if !s.fold {
		return s.holds(r) != s.negated
	}
	in := s.holds(r)
	for f := unicode.SimpleFold(r); f != r && !in; f = unicode.SimpleFold(f) {
		if f >= utf8.RuneSelf {
			in = s.holds(f)
		}
	}
	return in != s.negated
}

func (s *set) holds(r rune) bool {
	for _, sp := range s.spans {
		if r >= sp.lo && r <= sp.hi {
			return true
		}
	}
	for _, c := range s.classes {
		if c(r) {
			return true
		}
	}
	return false
}

// single returns the one character of the set, if it has just one.
func (s *set) single() (rune, bool) {
	if s.negated || s.fold || len(s.classes) > 0 {
		return 0, false
	}
	var found []rune
	for r := rune(0); r < utf8.RuneSelf && len(found) < 2; r++ {
		if s.hasASCII(byte(r)) {
			found = append(found, r)
		}
	}
	for _, sp := range s.spans {
		if sp.lo != sp.hi {
			return 0, false
		}
		found = append(found, sp.lo)
	}
	if len(found) != 1 {
		return 0, false
	}
	return found[0], true
}

func (s *set) equal(o *set) bool {
	return s.ascii == o.ascii && s.negated == o.negated && s.fold == o.fold && len(s.classes) == 0 && len(o.classes) == 0 &&
		slices.Equal(s.spans, o.spans)
}

// class is a named class of characters; beyond is nil when it holds ASCII only.
type class struct {
	ascii  func(byte) bool
	beyond func(rune) bool
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isAlpha(c byte) bool { return isLower(c | 0x20) }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }
func isWord(c byte) bool  { return isAlnum(c) || c == '_' }
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isGraph(c byte) bool { return c > ' ' && c < 0x7f }

// isWordRune says what \w and the word boundaries take for a word's character beyond ASCII.
func isWordRune(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.M) // C.UTF-8 counts digits of other scripts as letters
}

func isSpaceRune(r rune) bool {
	switch r {
	case 0x85, 0xa0, 0x2007, 0x202f: // no-break spaces do not separate
		return false
	}
	return unicode.IsSpace(r)
}

func isPunctRune(r rune) bool {
	return !isWordRune(r) && !isSpaceRune(r) && unicode.IsGraphic(r)
}

// namedClass finds a class by its POSIX name.
func namedClass(name string) (class, bool) {
	switch name {
	case "alpha":
		return class{isAlpha, isWordRune}, true
	case "digit":
		return class{isDigit, nil}, true
	case "alnum":
		return class{isAlnum, isWordRune}, true
	case "upper":
		return class{isUpper, unicode.IsUpper}, true
	case "lower":
		return class{isLower, unicode.IsLower}, true
	case "space":
		return class{isSpace, isSpaceRune}, true
	case "blank":
		return class{
			func(c byte) bool { return c == ' ' || c == '\t' },
			func(r rune) bool { return isSpaceRune(r) && r != 0x2028 && r != 0x2029 },
		}, true
	case "punct":
		return class{func(c byte) bool { return isGraph(c) && !isAlnum(c) }, isPunctRune}, true
	case "print":
		return class{func(c byte) bool { return isGraph(c) || c == ' ' }, unicode.IsGraphic}, true
	case "graph":
		return class{isGraph, func(r rune) bool { return unicode.IsGraphic(r) && !isSpaceRune(r) }}, true
	case "cntrl":
		return class{func(c byte) bool { return c < ' ' || c == 0x7f }, unicode.IsControl}, true
	case "xdigit":
		return class{func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }, nil}, true
	}
	return class{}, false
}

var wordClass = class{isWord, isWordRune}

// spaceClass is what \s matches.
var spaceClass = class{isSpace, isSpaceRune}

// sameFold reports whether two characters differ in case only.
func sameFold(a, b rune) bool {
	for f := unicode.SimpleFold(a); f != a; f = unicode.SimpleFold(f) {
		if f == b {
			return true
		}
	}
	return false
}
