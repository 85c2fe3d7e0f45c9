package sed

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"openclaw/toolwasm/guest/regex"
)

// substitute is s.
func (m *machine) substitute(s *substitution) {
	re := m.regexp(s.pat)
	if s.pat.re == nil && s.refs > re.NumSubexp() {
		m.cleanUp()
		m.p.Errorf("invalid reference \\%d on `s' command's RHS", s.refs)
		m.p.Exit(statusUsage)
	}
	out, done := m.rewrite(re, s, m.pat.b, false)
	if !done {
		return
	}
	m.build, m.pat.b = m.pat.b, out
	m.replaced = true
	if s.print {
		m.out.line(m.pat.b, m.delim, m.pat.terminated)
	}
	if s.out != nil {
		s.out.line(m.pat.b, m.delim, m.pat.terminated)
	}
}

// rewrite returns b with what s puts in the place of matches, in the buffer for it, and whether there were any. With lines, b
// holds many lines, each of which counts by itself.
func (m *machine) rewrite(re *regex.Regexp, s *substitution, b []byte, lines bool) (out []byte, done bool) {
	out = m.build[:0]
	copied, count := 0, 0
	for found := m.find(re, b, 0); found; {
		start, end := m.loc[0], m.loc[1]
		from, last := end, end
		if count++; count >= s.nth {
			out = appendText(out, b[copied:start])
			out = m.replace(out, s, b)
			copied, done = end, true
			if !s.global {
				next := -1
				if lines {
					next = bytes.IndexByte(b[end:], '\n')
				}
				if next < 0 {
					break
				}
				from, last, count = end+next+1, -1, 0
			}
		}
		if start == end && last >= 0 {
			// After an empty match one character is left as it is.
			if end == len(b) {
				break
			}
			_, w := utf8.DecodeRune(b[end:])
			from += w
		}
		found = m.findNext(re, b, from, last)
	}
	if !done {
		return out, false
	}
	return append(out, b[copied:]...), true
}

// fewBytes is up to how many bytes are copied one by one, because that takes less time than to have them copied.
const fewBytes = 12

func appendText(out, text []byte) []byte {
	if len(text) > fewBytes {
		return append(out, text...)
	}
	for i := 0; i < len(text); i++ {
		out = append(out, text[i])
	}
	return out
}

// find finds the first match at from or later.
func (m *machine) find(re *regex.Regexp, b []byte, from int) bool {
	loc := re.Find(m.loc, b, from, false)
	if loc == nil {
		return false
	}
	m.loc = loc
	return true
}

// findNext finds the next match at from or later that is not an empty one just where the last one ended.
func (m *machine) findNext(re *regex.Regexp, b []byte, from, last int) bool {
	if !m.find(re, b, from) {
		return false
	}
	if m.loc[0] != m.loc[1] || m.loc[0] != last {
		return true
	}
	if last == len(b) {
		return false
	}
	_, w := utf8.DecodeRune(b[last:])
	return m.find(re, b, last+w)
}

// replace appends the replacement of the match in m.loc.
func (m *machine) replace(out []byte, s *substitution, b []byte) []byte {
	if s.simple {
		return appendText(out, s.plain)
	}
	var mode, once partKind
	for i := range s.parts {
		p := &s.parts[i]
		text := p.text
		switch p.kind {
		case partText:
		case partGroup:
			lo, hi := m.loc[2*p.group], m.loc[2*p.group+1]
			if lo < 0 {
				continue
			}
			text = b[lo:hi]
		case partUpperOnce, partLowerOnce:
			once = p.kind
			continue
		default:
			mode, once = p.kind, 0
			continue
		}
		if len(text) == 0 {
			continue
		}
		if once != 0 {
			r, w := utf8.DecodeRune(text)
			out = appendCased(out, text[:w], r, w, once)
			text = text[w:]
			once = 0
		}
		out = appendMode(out, text, mode)
	}
	return out
}

func appendMode(out, text []byte, mode partKind) []byte {
	if mode != partUpper && mode != partLower {
		return append(out, text...)
	}
	for len(text) > 0 {
		r, w := utf8.DecodeRune(text)
		out = appendCased(out, text[:w], r, w, mode)
		text = text[w:]
	}
	return out
}

// appendCased appends a character in another case; what is not UTF-8 stays as it is.
func appendCased(out, raw []byte, r rune, w int, kind partKind) []byte {
	if r == utf8.RuneError && w == 1 {
		return append(out, raw...)
	}
	if kind == partUpper || kind == partUpperOnce {
		return utf8.AppendRune(out, unicode.ToUpper(r))
	}
	return utf8.AppendRune(out, unicode.ToLower(r))
}

// translate is y.
func (m *machine) translate(t *translation) {
	if t.runes == nil {
		for i, c := range m.pat.b {
			m.pat.b[i] = t.bytes[c]
		}
		return
	}
	out := m.build[:0]
	for b := m.pat.b; len(b) > 0; {
		r, w := utf8.DecodeRune(b)
		switch to, ok := t.runes[r]; {
		case ok && (r != utf8.RuneError || w > 1):
			out = utf8.AppendRune(out, to)
		case w == 1:
			out = append(out, t.bytes[b[0]])
		default:
			out = append(out, b[:w]...)
		}
		b = b[w:]
	}
	m.build, m.pat.b = m.pat.b, out
}

// list is l: b in a form that shows every byte, folded at width, with $ for its end.
func list(b []byte, width int, delim byte) []byte {
	var out bytes.Buffer
	column := 0
	for _, c := range b {
		item := visible(c)
		if width > 0 && column+len(item) > width-1 {
			out.WriteByte('\\')
			out.WriteByte(delim)
			column = 0
		}
		out.WriteString(item)
		column += len(item)
	}
	out.WriteByte('$')
	return out.Bytes()
}

func visible(c byte) string {
	const escapes = "\a\b\f\n\r\t\v\\"
	if i := bytes.IndexByte([]byte(escapes), c); i >= 0 {
		return `\` + `abfnrtv\`[i:i+1]
	}
	if c >= ' ' && c < 0x7f {
		return string(rune(c))
	}
	return string([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
}
