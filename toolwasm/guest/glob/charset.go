package glob

import (
	"strings"
	"unicode"
)

// charset is a compiled bracket expression.
type charset struct {
	negate  bool
	ascii   [4]uint32 // the members below 128
	ranges  []runeRange
	classes []func(rune) bool
	fold    bool
}

type runeRange struct{ lo, hi rune }

func (s *charset) addRange(lo, hi rune) {
	for r := lo; r <= hi && r < 128; r++ {
		s.ascii[r>>5] |= 1 << (r & 31)
	}
	if hi >= 128 {
		s.ranges = append(s.ranges, runeRange{max(lo, 128), hi})
	}
}

func (s *charset) addClass(f func(rune) bool) {
	for r := rune(0); r < 128; r++ {
		if f(r) {
			s.ascii[r>>5] |= 1 << (r & 31)
		}
	}
	s.classes = append(s.classes, f)
}

func (s *charset) has(r rune) bool {
	if r < 128 {
		return s.ascii[r>>5]&(1<<(r&31)) != 0
	}
	for _, x := range s.ranges {
		if r >= x.lo && r <= x.hi {
			return true
		}
	}
	for _, f := range s.classes {
		if f(r) {
			return true
		}
	}
	return false
}

func (s *charset) match(r rune) bool {
	in := s.has(r)
	if !in && s.fold {
		in = s.has(fold(r)) || s.has(unicode.ToUpper(r))
	}
	return in != s.negate
}

// charset compiles the bracket expression at position at; nil when it is not closed.
func (c *compiler) charset(at int) (*charset, int) {
	s := &charset{fold: c.flags&IgnoreCase != 0}
	i := at + 1
	src := c.src
	if i < len(src) && (src[i] == '!' || src[i] == '^') {
		s.negate = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(src) {
			return nil, 0
		}
		if src[i] == ']' && !first {
			return s, i + 1
		}
		if src[i] == '/' && c.flags&Pathname != 0 {
			return nil, 0
		}
		if src[i] == '[' && i+1 < len(src) && src[i+1] == ':' {
			if n, ok := s.class(src[i+2:]); ok {
				i += 2 + n
				continue
			}
		}
		lo, n := c.member(i)
		if n == 0 {
			return nil, 0
		}
		i += n
		if i+1 < len(src) && src[i] == '-' && src[i+1] != ']' {
			hi, n := c.member(i + 1)
			if n == 0 {
				return nil, 0
			}
			i += 1 + n
			s.addRange(lo, hi)
			continue
		}
		s.addRange(lo, lo)
	}
}

// member reads one character of a set: plain, escaped, [.x.] or [=x=].
func (c *compiler) member(i int) (rune, int) {
	s := c.src[i:]
	if s[0] == '\\' && c.flags&NoEscape == 0 {
		if len(s) < 2 {
			return 0, 0
		}
		r, n := decode(s[1:])
		return r, 1 + n
	}
	if len(s) > 4 && s[0] == '[' && (s[1] == '.' || s[1] == '=') {
		if end := strings.Index(s[2:], string(s[1])+"]"); end > 0 {
			r, n := decode(s[2:])
			if n == end {
				return r, end + 4
			}
		}
	}
	return decode(s)
}

// class adds [:name:], whose text begins after "[:", and returns its length with the closing ":]".
func (s *charset) class(text string) (int, bool) {
	end := strings.Index(text, ":]")
	if end < 0 {
		return 0, false
	}
	f := class(text[:end])
	if f == nil {
		for _, c := range []byte(text[:end]) {
			if c < 'a' || c > 'z' {
				return 0, false
			}
		}
		return end + 2, true // an unknown class has no members
	}
	s.addClass(f)
	return end + 2, true
}

// class returns the predicate of a POSIX character class, nil when there is none of that name.
func class(name string) func(rune) bool {
	switch name {
	case "alpha":
		return unicode.IsLetter
	case "digit":
		return func(r rune) bool { return r >= '0' && r <= '9' }
	case "alnum":
		return func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	case "upper":
		return unicode.IsUpper
	case "lower":
		return unicode.IsLower
	case "space":
		return func(r rune) bool { return r == ' ' || r >= 9 && r <= 13 || r > 127 && r != 0xa0 && unicode.IsSpace(r) }
	case "blank":
		return func(r rune) bool { return r == ' ' || r == '\t' || r > 0xff && unicode.Is(unicode.Zs, r) }
	case "punct":
		return func(r rune) bool {
			if r < 128 {
				return r > 32 && r < 127 && !isAlnum(r)
			}
			return unicode.IsPunct(r) || unicode.IsSymbol(r)
		}
	case "print":
		return unicode.IsPrint
	case "graph":
		return func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
	case "cntrl":
		return unicode.IsControl
	case "xdigit":
		return func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F' }
	case "word":
		return func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	case "ascii":
		return func(r rune) bool { return r < 128 }
	}
	return nil
}

func isAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
