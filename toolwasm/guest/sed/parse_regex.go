package sed

import (
	"strings"
	"unicode/utf8"

	"openclaw/toolwasm/guest/regex"
)

// addresses reads the addresses before a command.
func (ps *parser) addresses(c *cmd) {
	if !ps.address(&c.a1, false) {
		return
	}
	ch := ps.blank()
	if ch != ',' {
		ps.back()
		ps.checkZero(c)
		return
	}
	ps.blank()
	ps.back()
	if !ps.address(&c.a2, true) {
		ps.next()
		ps.fail("unexpected `,'")
	}
	ps.checkZero(c)
}

// checkZero refuses line 0 except in 0,/regex/.
func (ps *parser) checkZero(c *cmd) {
	if c.a1.kind != addrLine || c.a1.n != 0 {
		return
	}
	if c.a2.kind != addrRegex || ps.opts.posix {
		ps.blank()
		ps.fail("invalid usage of line address 0")
	}
	c.a1.kind = addrZero
	c.active = true
}

// address reads one address. It reports false when there is none.
func (ps *parser) address(a *address, second bool) bool {
	c := ps.next()
	switch {
	case c == '/' || c == '\\':
		delim := c
		if c == '\\' {
			delim = ps.next()
		}
		ps.regexAddress(a, delim)
	case c >= '0' && c <= '9':
		ps.back()
		ps.lineAddress(a)
	case c == '$':
		a.kind = addrLast
	case second && (c == '+' || c == '~'):
		a.kind = addrPlus
		if c == '~' {
			a.kind = addrMultiple
		}
		c = ps.peek()
		if c < '0' || c > '9' {
			ps.fail("expected number") // GNU takes this for 0, and then does nothing useful
		}
		a.n = ps.digits()
	default:
		ps.back()
		return false
	}
	return true
}

func (ps *parser) lineAddress(a *address) {
	a.kind, a.n = addrLine, ps.digits()
	if c := ps.blank(); c != '~' || ps.opts.posix {
		ps.back()
		return
	}
	c := ps.blank()
	ps.back()
	if c < '0' || c > '9' {
		return
	}
	a.step = ps.digits()
	if a.step > 0 {
		a.kind = addrStep
	}
}

func (ps *parser) regexAddress(a *address, delim int) {
	src, ok := ps.delimited(delim, true)
	if !ok {
		ps.fail("unterminated address regex")
	}
	var flags regex.Flags
	for {
		switch c := ps.blank(); c {
		case 'I':
			flags |= regex.IgnoreCase
		case 'M':
			flags |= regex.Newline
		default:
			ps.back()
			a.kind, a.re = addrRegex, ps.compile(src, flags)
			return
		}
	}
}

// delimited reads up to the delimiter. The backslash before an escaped delimiter goes; in a pattern \n is a newline and
// the delimiter may stand in brackets.
func (ps *parser) delimited(delim int, pattern bool) (string, bool) {
	if delim == atEnd || delim == '\n' || delim == '\\' {
		return "", false
	}
	var b strings.Builder
	for {
		c := ps.next()
		switch {
		case c == atEnd || c == '\n' && pattern:
			ps.back()
			return "", false
		case c == delim:
			return b.String(), true
		case c == '\n':
			ps.back()
			return "", false
		case c == '\\':
			c = ps.next()
			switch {
			case c == atEnd:
				ps.back()
				return "", false
			case c == delim && (pattern || c != '&'):
			case c == 'n' && pattern:
				c = '\n'
			case c == '\n' && pattern:
			default:
				b.WriteByte('\\')
			}
		case c == '[' && pattern:
			b.WriteByte('[')
			ps.bracket(&b, delim)
			continue
		}
		b.WriteByte(byte(c))
	}
}

// bracket copies a bracket expression after its [, if there is a whole one; otherwise nothing.
func (ps *parser) bracket(b *strings.Builder, delim int) {
	text := ps.chunks[ps.at].text
	n := bracketEnd(text[ps.pos:])
	if n < 0 {
		return
	}
	body := text[ps.pos : ps.pos+n]
	ps.pos += n
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' || i+1 == len(body) {
			b.WriteByte(body[i])
			continue
		}
		i++
		switch {
		case body[i] == 'n':
			b.WriteByte('\n')
		case int(body[i]) == delim && delim != ']':
			b.WriteByte(body[i])
		default:
			b.WriteByte('\\')
			b.WriteByte(body[i])
		}
	}
}

// bracketEnd returns the length of a bracket expression's rest, its ] included, or -1.
func bracketEnd(s string) int {
	i := 0
	if i < len(s) && s[i] == '^' {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for i < len(s) {
		switch {
		case s[i] == '\n':
			return -1
		case s[i] == ']':
			return i + 1
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(".:=", s[i+1]) >= 0:
			end := strings.Index(s[i+2:], s[i+1:i+2]+"]")
			if end < 0 {
				return -1
			}
			i += 2 + end + 2
			continue
		}
		i++
	}
	return -1
}

// compile makes the pattern of a regular expression; the empty one is the last one used.
func (ps *parser) compile(src string, flags regex.Flags) *pattern {
	if src == "" {
		if flags != 0 {
			ps.fail("cannot specify modifiers on empty regexp")
		}
		return &pattern{}
	}
	if ps.opts.extended {
		flags |= regex.ERE
	}
	if !ps.opts.posix {
		src = unescapePattern(src)
	}
	re, err := regex.Compile(src, flags)
	if err != nil {
		ps.fail("%s", err.Error())
	}
	re.SetYield(ps.outs.p.Yield)
	return &pattern{re, src, flags}
}

// unescapePattern replaces the escapes that sed adds to regular expressions by the bytes they stand for.
func unescapePattern(src string) string {
	if !strings.Contains(src, `\`) {
		return src
	}
	var b strings.Builder
	for i := 0; i < len(src); i++ {
		if src[i] != '\\' || i+1 == len(src) {
			b.WriteByte(src[i])
			continue
		}
		if c, n, ok := escapeByte(src[i+1:]); ok {
			b.WriteByte(c)
			i += n
			continue
		}
		i++
		b.WriteByte('\\')
		b.WriteByte(src[i])
	}
	return b.String()
}

// substitute reads the command s.
func (ps *parser) substitute(c *cmd) {
	delim := ps.next()
	src, ok := ps.delimited(delim, true)
	if !ok {
		ps.fail("unterminated `s' command")
	}
	repl, ok := ps.delimited(delim, false)
	if !ok {
		ps.fail("unterminated `s' command")
	}
	s := &substitution{}
	flags := ps.substituteFlags(s)
	s.pat = ps.compile(src, flags)
	ps.replacement(s, repl)
	if s.pat.re != nil && s.refs > s.pat.re.NumSubexp() {
		ps.fail("invalid reference \\%d on `s' command's RHS", s.refs)
	}
	c.sub = s
}

func (ps *parser) substituteFlags(s *substitution) regex.Flags {
	var flags regex.Flags
	for {
		c := ps.next()
		switch c {
		case 'i', 'I':
			flags |= regex.IgnoreCase
		case 'm', 'M':
			flags |= regex.Newline
		case 'e':
			ps.fail("the flag `e' of `s' is not supported: it would run a program")
		case 'p':
			if s.print {
				ps.fail("multiple `p' options to `s' command")
			}
			s.print = true
		case 'g':
			if s.global {
				ps.fail("multiple `g' options to `s' command")
			}
			s.global = true
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if s.nth != 0 {
				ps.fail("multiple number options to `s' command")
			}
			ps.back()
			if s.nth = ps.digits(); s.nth == 0 {
				ps.fail("number option to `s' command may not be zero")
			}
		case 'w':
			if ps.opts.sandbox {
				ps.fail("e/r/w commands disabled in sandbox mode")
			}
			s.out = ps.open(ps.fileName())
			return flags
		case '}', '#':
			ps.back()
			return flags
		case atEnd, '\n', ';':
			return flags
		case ' ', '\t', '\r':
		default:
			ps.fail("unknown option to `s'")
		}
	}
}

// replacement reads the right side of s.
func (ps *parser) replacement(s *substitution, src string) {
	var text []byte
	flush := func() {
		if len(text) > 0 {
			s.parts = append(s.parts, part{kind: partText, text: text})
			text = nil
		}
	}
	group := func(n int) {
		flush()
		s.parts = append(s.parts, part{kind: partGroup, group: n})
		s.refs = max(s.refs, n)
	}
	for i := 0; i < len(src); i++ {
		c := src[i]
		if c == '&' {
			group(0)
			continue
		}
		if c != '\\' || i+1 == len(src) {
			text = append(text, c)
			continue
		}
		i++
		c = src[i]
		if c >= '0' && c <= '9' {
			group(int(c - '0'))
			continue
		}
		if ps.opts.posix {
			text = append(text, c)
			continue
		}
		if kind, ok := caseOperator(c); ok {
			flush()
			s.parts = append(s.parts, part{kind: kind})
			continue
		}
		if b, n, ok := escapeByte(src[i:]); ok {
			text = append(text, b)
			i += n - 1
			continue
		}
		if c == 'n' {
			c = '\n'
		}
		text = append(text, c)
	}
	flush()
	switch {
	case len(s.parts) == 0:
		s.simple = true
	case len(s.parts) == 1 && s.parts[0].kind == partText:
		s.simple, s.plain = true, s.parts[0].text
	}
}

func caseOperator(c byte) (partKind, bool) {
	switch c {
	case 'U':
		return partUpper, true
	case 'L':
		return partLower, true
	case 'u':
		return partUpperOnce, true
	case 'l':
		return partLowerOnce, true
	case 'E':
		return partEnd, true
	}
	return 0, false
}

// translate reads the command y.
func (ps *parser) translate(c *cmd) {
	delim := ps.next()
	from, ok := ps.delimited(delim, false)
	if !ok {
		ps.fail("unterminated `y' command")
	}
	to, ok := ps.delimited(delim, false)
	if !ok {
		ps.fail("unterminated `y' command")
	}
	a, b := ps.characters(from), ps.characters(to)
	if len(a) != len(b) {
		ps.back()
		ps.next()
		ps.fail("strings for `y' command are different lengths")
	}
	ps.end()
	t := &translation{}
	for i := range t.bytes {
		t.bytes[i] = byte(i)
	}
	for i := range a {
		if a[i] < utf8.RuneSelf && b[i] < utf8.RuneSelf {
			if t.bytes[a[i]] == byte(a[i]) {
				t.bytes[a[i]] = byte(b[i])
			}
			continue
		}
		if t.runes == nil {
			t.runes = map[rune]rune{}
		}
		if _, dup := t.runes[a[i]]; !dup {
			t.runes[a[i]] = b[i]
		}
	}
	c.table = t
}

// characters decodes one of y's strings.
func (ps *parser) characters(s string) []rune {
	var out []rune
	for i := 0; i < len(s); {
		if s[i] == '\\' && i+1 < len(s) {
			if b, n, ok := escapeByte(s[i+1:]); ok && !ps.opts.posix {
				out = append(out, rune(b))
				i += 1 + n
				continue
			}
			i++
			if s[i] == 'n' {
				out = append(out, '\n')
				i++
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		out = append(out, r)
		i += n
	}
	return out
}
