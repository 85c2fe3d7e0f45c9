package search

import (
	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/regex"
)

// perlMatcher matches Perl's patterns.
type perlMatcher struct {
	p   *command.Proc
	re  *regex.Perl
	loc []int
}

func newPerlMatcher(p *command.Proc, o *grepOptions) matcher {
	if len(o.patterns) == 0 {
		return nothing{}
	}
	if len(o.patterns) > 1 {
		p.Errorf("the -P option only supports a single pattern")
		p.Exit(statusTrouble)
	}
	flags := regex.Newline
	if o.ignoreCase {
		flags |= regex.IgnoreCase
	}
	if o.line {
		flags |= regex.WholeLine
	} else if o.word {
		flags |= regex.WholeWord
	}
	re, err := regex.CompilePerl(o.patterns[0], flags)
	if err != nil {
		p.Errorf("%s", err.Error())
		p.Exit(statusTrouble)
	}
	re.SetYield(p.Yield)
	m := &lineMatcher{matcher: &perlMatcher{p: p, re: re}, delim: '\n', candidate: re.CandidateLine}
	if o.null {
		m.delim = 0
		m.candidate = func(b []byte, from int) (int, bool) { return re.Candidate(b, from), false }
	}
	return m
}

func (m *perlMatcher) scan(line []byte, _ int) int {
	_, end := m.find(line, 0)
	return end
}

func (m *perlMatcher) find(line []byte, from int) (start, end int) {
	loc, err := m.re.Find(m.loc, line, from)
	if err != nil {
		m.p.Errorf("%s", err.Error())
		m.p.Exit(statusTrouble)
	}
	if loc == nil {
		return -1, -1
	}
	m.loc = loc
	return loc[0], loc[1]
}
