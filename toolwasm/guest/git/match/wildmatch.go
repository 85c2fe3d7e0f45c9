// Package match decides which paths of a working tree a pattern means: ignore files, attributes and the pathspecs of
// command lines.
//
// Patterns are git's: "*" and "?" stop at slashes, "**" does not. Matching is bounded however a pattern is written: what
// takes too many steps does not match.
package match

import (
	"strings"
	"unicode/utf8"
)

// maxSteps bounds the work for one pattern and one text.
const maxSteps = 1 << 20

// Glob reports whether pattern matches all of text. With slashes, "*", "?" and sets do not match "/", and "**" between slashes
// matches any directories.
func Glob(pattern, text string, slashes, fold bool) bool {
	if fold {
		pattern, text = strings.ToLower(pattern), strings.ToLower(text)
	}
	m := matcher{slashes: slashes}
	return m.match(pattern, text, true)
}

type matcher struct {
	slashes bool
	steps   int
}

// match reports whether the rest of a pattern matches the rest of a text. atStart says that the pattern begins or a slash
// stands before it.
func (m *matcher) match(p, s string, atStart bool) bool {
	for p != "" {
		if m.steps++; m.steps > maxSteps {
			return false
		}
		switch p[0] {
		case '*':
			return m.star(p, s, atStart)
		case '?':
			_, n := utf8.DecodeRuneInString(s)
			if s == "" || m.slashes && s[0] == '/' {
				return false
			}
			p, s = p[1:], s[n:]
		case '[':
			end, ok := m.set(p, s)
			if !ok {
				return false
			}
			_, n := utf8.DecodeRuneInString(s)
			p, s = p[end:], s[n:]
		default:
			if p[0] == '\\' && len(p) > 1 {
				p = p[1:]
			}
			if s == "" || s[0] != p[0] {
				return false
			}
			atStart = p[0] == '/'
			p, s = p[1:], s[1:]
			continue
		}
		atStart = false
	}
	return s == ""
}

func (m *matcher) star(p, s string, atStart bool) bool {
	stars := 0
	for stars < len(p) && p[stars] == '*' {
		stars++
	}
	rest := p[stars:]
	deep := !m.slashes
	if m.slashes && stars == 2 && atStart && (rest == "" || rest[0] == '/') {
		if rest == "" {
			return true
		}
		if m.match(rest[1:], s, true) { // "**/" matches nothing as well
			return true
		}
		deep = true
	}
	for i := 0; ; i++ {
		if m.match(rest, s[i:], false) {
			return true
		}
		if i >= len(s) || !deep && s[i] == '/' || m.steps > maxSteps {
			return false
		}
	}
}

// set matches one character against "[…]" and returns where the set ends.
func (m *matcher) set(p, s string) (end int, ok bool) {
	if s == "" {
		return 0, false
	}
	c, _ := utf8.DecodeRuneInString(s)
	i, negated, found := 1, false, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		negated = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(p) {
			return 0, false
		}
		if p[i] == ']' && !first {
			break
		}
		if strings.HasPrefix(p[i:], "[:") {
			if n := strings.Index(p[i+2:], ":]"); n >= 0 {
				found = found || inClass(p[i+2:i+2+n], c)
				i += n + 4
				continue
			}
		}
		lo, n := setRune(p[i:])
		i += n
		hi := lo
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi, n = setRune(p[i+1:])
			i += 1 + n
		}
		found = found || lo <= c && c <= hi
	}
	if m.slashes && c == '/' {
		return 0, false
	}
	return i + 1, found != negated
}

func setRune(p string) (rune, int) {
	if p[0] == '\\' && len(p) > 1 {
		r, n := utf8.DecodeRuneInString(p[1:])
		return r, n + 1
	}
	return utf8.DecodeRuneInString(p)
}

func inClass(name string, c rune) bool {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "alnum":
		return lower || upper || digit
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return strings.ContainsRune(" \t\n\v\f\r", c)
	case "blank":
		return c == ' ' || c == '\t'
	case "xdigit":
		return digit || c|0x20 >= 'a' && c|0x20 <= 'f'
	case "punct":
		return c > ' ' && c < 0x7f && !lower && !upper && !digit
	}
	return false
}
