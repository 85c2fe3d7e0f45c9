package search

import (
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"openclaw/toolwasm/guest/command"
)

// perlMatcher matches Perl's patterns. The library works on characters, so places are translated.
type perlMatcher struct {
	p     *command.Proc
	re    *regexp2.Regexp
	line  []byte // the line that runes and index are of
	runes []rune
	index []int // by character: its place in line
	count int
}

// yieldLines is how many lines are matched between calls of Yield.
const yieldLines = 256

func newPerlMatcher(p *command.Proc, o *grepOptions) matcher {
	if len(o.patterns) == 0 {
		return nothing{}
	}
	if len(o.patterns) > 1 {
		p.Errorf("the -P option only supports a single pattern")
		p.Exit(statusTrouble)
	}
	pattern := o.patterns[0]
	switch {
	case o.line:
		pattern = `^(?:` + pattern + `)$`
	case o.word:
		pattern = `(?<!\w)(?:` + pattern + `)(?!\w)`
	}
	flags := regexp2.None
	if o.ignoreCase {
		flags |= regexp2.IgnoreCase
	}
	re, err := regexp2.Compile(pattern, flags)
	if err != nil {
		p.Errorf("%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		p.Exit(statusTrouble)
	}
	m := &perlMatcher{p: p, re: re}
	delim := byte('\n')
	if o.null {
		delim = 0
	}
	return &lineMatcher{matcher: m, delim: delim}
}

func (m *perlMatcher) scan(line []byte, _ int) int {
	start, _ := m.find(line, 0)
	return start
}

func (m *perlMatcher) find(line []byte, from int) (start, end int) {
	if m.count++; m.count%yieldLines == 0 {
		m.p.Yield()
	}
	m.decode(line)
	at := 0
	for at < len(m.index) && m.index[at] < from {
		at++
	}
	match, err := m.re.FindRunesMatchStartingAt(m.runes, at)
	if err != nil || match == nil {
		return -1, -1
	}
	return m.index[match.Index], m.index[match.Index+match.Length]
}

func (m *perlMatcher) decode(line []byte) {
	m.runes, m.index = m.runes[:0], m.index[:0]
	for i := 0; i < len(line); {
		r, w := utf8.DecodeRune(line[i:])
		m.runes = append(m.runes, r)
		m.index = append(m.index, i)
		i += w
	}
	m.index = append(m.index, len(line))
}
