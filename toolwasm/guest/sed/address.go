package sed

import "openclaw/toolwasm/guest/regex"

// selects reports whether the addresses of a command select the current line.
func (m *machine) selects(c *cmd) bool {
	if c.a1.kind == addrNone {
		return true
	}
	if c.a2.kind == addrNone {
		return m.matches(&c.a1)
	}
	if c.active {
		return m.insideRange(c)
	}
	if !m.begins(c) {
		return false
	}
	m.openRange(c)
	return true
}

// begins reports whether a range begins at the current line. One that begins at a line number begins late when the command
// is not reached there, but not past an end that is a line number too, and never twice.
func (m *machine) begins(c *cmd) bool {
	if c.a1.kind != addrLine {
		return m.matches(&c.a1)
	}
	line := m.in.line
	if c.closed || line < c.a1.n {
		return false
	}
	return line == c.a1.n || c.a2.kind != addrLine || line <= c.a2.n
}

// openRange begins a range at the current line, which may be the whole of it.
func (m *machine) openRange(c *cmd) {
	line := m.in.line
	switch c.a2.kind {
	case addrStep:
		// Such an end may be where the range begins.
		c.active = !m.matches(&c.a2)
		c.closed = !c.active
		return
	case addrLine:
		c.end = c.a2.n
	case addrPlus:
		c.end = line + c.a2.n
	case addrMultiple:
		c.end = line
		if c.a2.n > 0 {
			c.end = (line/c.a2.n + 1) * c.a2.n
		}
	default:
		c.active = true
		return
	}
	c.active = c.end > line
	c.closed = !c.active
}

// insideRange decides about a line after the first of a range.
func (m *machine) insideRange(c *cmd) bool {
	switch c.a2.kind {
	case addrLine, addrPlus, addrMultiple:
		c.active = m.in.line < c.end
		c.closed = !c.active
		// A line beyond the end, which the command met late, still belongs to a range that is counted.
		return m.in.line <= c.end || c.a2.kind == addrPlus || c.a2.kind == addrMultiple
	}
	if m.matches(&c.a2) {
		c.active, c.closed = false, true
	}
	return true
}

func (m *machine) matches(a *address) bool {
	switch a.kind {
	case addrLine:
		return m.in.line == a.n
	case addrStep:
		return m.in.line >= a.n && (m.in.line-a.n)%a.step == 0
	case addrLast:
		return m.in.last()
	case addrRegex:
		return m.regexp(a.re).Match(m.pat.b, false)
	}
	return false
}

// regexp returns what a pattern stands for, and remembers it as the last one used.
func (m *machine) regexp(pat *pattern) *regex.Regexp {
	if pat.re != nil {
		m.lastRe = pat.re
		return pat.re
	}
	if m.lastRe == nil {
		m.cleanUp()
		m.p.Errorf("no previous regular expression")
		m.p.Exit(statusUsage)
	}
	return m.lastRe
}
