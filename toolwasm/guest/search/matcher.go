package search

import (
	"bytes"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/regex"
)

// matcher finds matches of grep's patterns.
type matcher interface {
	// scan returns a place in the first line of b, which holds whole lines, that matches and begins at from or later, or -1.
	scan(b []byte, from int) int
	// find returns the bounds of the first match in a line that begins at from or later, or -1.
	find(line []byte, from int) (start, end int)
}

// newMatcher compiles the patterns; a mistake in them ends the command.
func newMatcher(p *command.Proc, o *grepOptions) matcher {
	if o.dialect == perl {
		return newPerlMatcher(p, o)
	}
	flags := regex.NoSub | regex.Lenient
	switch o.dialect {
	case extended:
		flags |= regex.ERE
	case fixed:
		flags |= regex.Fixed
	}
	if o.ignoreCase {
		flags |= regex.IgnoreCase
	}
	if o.line {
		flags |= regex.WholeLine
	} else if o.word {
		flags |= regex.WholeWord
	}
	if !o.null {
		flags |= regex.Lines
	}
	if len(o.patterns) == 0 {
		return nothing{}
	}
	re, err := regex.CompileList(o.patterns, flags)
	if err != nil {
		p.Errorf("%s", err.Error())
		p.Exit(statusTrouble)
	}
	re.SetYield(p.Yield)
	m := posixMatcher{re: re}
	if o.null {
		return &lineMatcher{matcher: &m, delim: 0}
	}
	if re.HasBackrefs() {
		return &lineMatcher{matcher: &m, delim: '\n'}
	}
	return &m
}

// nothing is the matcher of no pattern at all.
type nothing struct{}

func (nothing) scan([]byte, int) int        { return -1 }
func (nothing) find([]byte, int) (int, int) { return -1, -1 }

// posixMatcher searches whole buffers of lines at once.
type posixMatcher struct {
	re  *regex.Regexp
	loc []int
}

func (m *posixMatcher) scan(b []byte, from int) int { return m.re.MatchEnd(b, from, false) }

func (m *posixMatcher) find(line []byte, from int) (start, end int) {
	loc := m.re.Find(m.loc, line, from, false)
	if loc == nil {
		return -1, -1
	}
	m.loc = loc
	return loc[0], loc[1]
}

// lineMatcher searches line by line, for patterns that cannot be kept from matching across lines.
type lineMatcher struct {
	matcher
	delim byte
	// candidate, if set, returns a place in the next line that can match, or -1; sure says that it does.
	candidate func(b []byte, from int) (at int, sure bool)
}

func (m *lineMatcher) scan(b []byte, from int) int {
	for from < len(b) {
		if m.candidate != nil {
			at, sure := m.candidate(b, from)
			if at < 0 || sure {
				return at
			}
			from += bytes.LastIndexByte(b[from:at], m.delim) + 1
		}
		end := len(b)
		if i := bytes.IndexByte(b[from:], m.delim); i >= 0 {
			end = from + i
		}
		if m.matcher.scan(b[from:end], 0) >= 0 {
			return from
		}
		from = end + 1
	}
	return -1
}
