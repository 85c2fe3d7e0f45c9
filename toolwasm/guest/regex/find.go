package regex

import "bytes"

// Match reports whether b holds a match. notBOL says that b begins inside a line, so ^ does not match there.
func (re *Regexp) Match(b []byte, notBOL bool) bool {
	return re.MatchEnd(b, 0, notBOL) >= 0
}

// MatchEnd returns where the match that ends first ends, of those that begin at from or later, or -1 when there is none. In
// a buffer of lines, and a pattern compiled with [Lines], it lies in the first line that matches.
func (re *Regexp) MatchEnd(b []byte, from int, notBOL bool) int {
	if lit := re.lit.whole; lit != nil {
		i := lit.index(b[from:])
		if i < 0 {
			return -1
		}
		return from + i + len(lit.lit)
	}
	t := text{b, notBOL, re.prog.raw}
	if re.lit.need != nil {
		if re.lines && !re.prog.backrefs {
			if re.rarity.common {
				return re.scanner().first(t, from)
			}
			end, next, done := re.matchLine(t, from)
			if done {
				return end
			}
			return re.scanner().first(t, next)
		}
		if re.lit.need.index(b[from:]) < 0 {
			return -1
		}
	}
	if re.prog.backrefs {
		_, end := re.backtrack(t, from, true)
		return end
	}
	if re.lines && re.lit.bol && re.lit.first != nil {
		return re.matchLineStart(t, from)
	}
	return re.scanner().first(t, from)
}

// matchLineStart is MatchEnd for a pattern that matches at the beginning of lines only, in a buffer of lines.
func (re *Regexp) matchLineStart(t text, from int) int {
	m := re.matcher()
	for p := re.lineStart(t, from); p >= 0 && p < len(t.b); p = re.lineStart(t, p+1) {
		if !re.lit.first[t.b[p]] {
			continue
		}
		if end, _ := m.longest(t, p); end >= 0 {
			return end
		}
	}
	return -1
}

// Find returns the bounds of the leftmost-longest match that begins at from or later, and of its groups, in the manner of
// regexp.FindSubmatchIndex, in dst if it is large enough; nil when there is none. What stands before from is the
// left context of ^ and \b; notBOL is about the beginning of b.
func (re *Regexp) Find(dst []int, b []byte, from int, notBOL bool) []int {
	t := text{b, notBOL, re.prog.raw}
	if from > len(b) {
		return nil
	}
	if re.prog.backrefs {
		start, end := re.backtrack(t, from, false)
		if start < 0 {
			return nil
		}
		return re.result(dst, start, end, re.bt.best)
	}
	if re.lines && re.lit.need != nil && re.lit.whole == nil && re.lit.prefix == nil && !re.rarity.common {
		if from = re.matchingLine(t, from); from < 0 {
			return nil
		}
	}
	start, end := re.bounds(t, from)
	if start < 0 {
		return nil
	}
	return re.submatches(dst, t, start, end)
}

// matchingLine goes on to the next line with a match, of a pattern that no empty text matches, or returns -1.
func (re *Regexp) matchingLine(t text, from int) int {
	end := re.MatchEnd(t.b, from, t.notBOL)
	if end < 0 {
		return -1
	}
	return from + bytes.LastIndexByte(t.b[from:end], '\n') + 1
}

// FindPrefix is Find for a match that begins exactly at from.
func (re *Regexp) FindPrefix(dst []int, b []byte, from int, notBOL bool) []int {
	t := text{b, notBOL, re.prog.raw}
	if re.prog.backrefs {
		end := re.backtrackAt(t, from, false)
		if end < 0 {
			return nil
		}
		return re.result(dst, from, end, re.bt.best)
	}
	end, _ := re.matcher().longest(t, from)
	if end < 0 {
		return nil
	}
	return re.submatches(dst, t, from, end)
}

func (re *Regexp) submatches(dst []int, t text, start, end int) []int {
	if re.noSub || re.nsub == 0 {
		return append(dst[:0], start, end)
	}
	return re.result(dst, start, end, re.groups(t, start, end))
}

func (re *Regexp) result(dst []int, start, end int, groups []int) []int {
	dst = append(dst[:0], start, end)
	if re.noSub {
		return dst
	}
	return append(dst, groups[:2*re.nsub]...)
}

func (re *Regexp) scanner() *dfa {
	if re.scan == nil {
		re.scan = newDFA(re.prog, true, re.yield)
	}
	return re.scan
}

func (re *Regexp) matcher() *dfa {
	if re.match == nil {
		re.match = newDFA(re.prog, false, re.yield)
	}
	return re.match
}

// Limits on trying one beginning after the other before a search that is linear for sure takes over: both count bytes, beyond
// which trying has cost more than a multiple of the text it has got past.
const (
	tryBytes  = 256
	tryFactor = 4
	lastBytes = 8192
)

// bounds finds the leftmost-longest match of a pattern without back-references.
func (re *Regexp) bounds(t text, from int) (start, end int) {
	if lit := re.lit.whole; lit != nil {
		i := lit.index(t.b[from:])
		if i < 0 {
			return -1, -1
		}
		return from + i, from + i + len(lit.lit)
	}
	switch {
	case re.lit.edge == lineStartEdge && (from > 0 || !t.notBOL):
		p := re.lineStart(t, from)
		return p, p
	case re.lit.edge == lineEndEdge:
		p := re.lineEnd(t, from)
		return p, p
	}
	if from == 0 && re.lit.need != nil && re.lit.need.index(t.b) < 0 {
		return -1, -1
	}
	m := re.matcher()
	cost, scanned := 0, false
	for p := re.candidate(t, from); p >= 0; {
		end, reach := m.longest(t, p)
		if end >= 0 {
			return p, end
		}
		cost += reach - p
		next := p + 1
		if p < len(t.b) {
			next = p + t.width(p)
		}
		p = re.candidate(t, next)
		switch {
		case p < 0:
		case !scanned && cost > tryBytes+tryFactor*(p-from):
			if re.scanner().first(t, p) < 0 {
				return -1, -1
			}
			scanned = true
		case scanned && cost > lastBytes+tryFactor*tryFactor*(p-from):
			return re.leftmost(t, p)
		}
	}
	return -1, -1
}

// candidate returns the next place at or after p where a match may begin, or -1.
func (re *Regexp) candidate(t text, p int) int {
	if p > len(t.b) {
		return -1
	}
	if re.lit.bol {
		return re.lineStart(t, p)
	}
	if re.lit.prefix != nil {
		i := re.lit.prefix.index(t.b[p:])
		if i < 0 {
			return -1
		}
		return p + i
	}
	first := re.lit.first
	if first == nil {
		return p
	}
	for i, c := range t.b[p:] {
		if first[c] {
			return p + i
		}
	}
	return -1
}

// lineStart returns the next place where ^ or \` can match.
func (re *Regexp) lineStart(t text, p int) int {
	if p == 0 {
		return 0
	}
	if !re.prog.newline {
		return -1
	}
	i := bytes.IndexByte(t.b[p-1:], '\n')
	if i < 0 {
		return -1
	}
	return p + i
}

// lineEnd returns the next place where $ matches.
func (re *Regexp) lineEnd(t text, p int) int {
	if re.prog.newline {
		if i := bytes.IndexByte(t.b[p:], '\n'); i >= 0 {
			return p + i
		}
	}
	return len(t.b)
}
