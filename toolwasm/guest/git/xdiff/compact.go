package xdiff

// Where a change comes to rest: a run of changed lines that could as well stand higher or lower is moved to the end, to
// where the other text has a change too, or to where the indentation reads best.

// group is a run of changed lines, perhaps an empty one.
type group struct{ start, end int }

func (s *side) first() group {
	g := group{}
	for s.isChanged(g.end) {
		g.end++
	}
	return g
}

func (s *side) next(g *group) bool {
	if g.end == len(s.lines) {
		return false
	}
	g.start = g.end + 1
	g.end = g.start
	for s.isChanged(g.end) {
		g.end++
	}
	return true
}

func (s *side) previous(g *group) bool {
	if g.start == 0 {
		return false
	}
	g.end = g.start - 1
	g.start = g.end
	for s.isChanged(g.start - 1) {
		g.start--
	}
	return true
}

func (s *side) slideDown(g *group) bool {
	if g.end >= len(s.lines) || s.class[g.start] != s.class[g.end] {
		return false
	}
	s.mark(g.start, false)
	s.mark(g.end, true)
	g.start++
	g.end++
	for s.isChanged(g.end) {
		g.end++
	}
	return true
}

func (s *side) slideUp(g *group) bool {
	if g.start == 0 || s.class[g.start-1] != s.class[g.end-1] {
		return false
	}
	g.start--
	g.end--
	s.mark(g.start, true)
	s.mark(g.end, false)
	for s.isChanged(g.start - 1) {
		g.start--
	}
	return true
}

// maxSlide bounds how far a change is moved to where it reads better.
const maxSlide = 100

func compact(s, other *side, flags Flags) {
	g, o := s.first(), other.first()
	for {
		if g.end > g.start {
			s.settle(&g, other, &o, flags)
		}
		if !s.next(&g) {
			return
		}
		other.next(&o)
	}
}

// settle moves one group. o stays the group of the other text that belongs to it.
func (s *side) settle(g *group, other *side, o *group, flags Flags) {
	var size, earliest, matching int
	for {
		size = g.end - g.start
		matching = -1
		for s.slideUp(g) {
			other.previous(o)
		}
		earliest = g.end
		if o.end > o.start {
			matching = g.end
		}
		for s.slideDown(g) {
			other.next(o)
			if o.end > o.start {
				matching = g.end
			}
		}
		if size == g.end-g.start {
			break
		}
	}
	switch {
	case g.end == earliest:
	case matching != -1:
		for o.end == o.start {
			if !s.slideUp(g) {
				return
			}
			other.previous(o)
		}
	case flags&NoIndent == 0:
		best := s.bestShift(*g, size, earliest)
		for g.end > best {
			if !s.slideUp(g) {
				return
			}
			other.previous(o)
		}
	}
}

func (s *side) bestShift(g group, size, earliest int) int {
	shift := max(earliest, g.end-size-1, g.end-maxSlide)
	best, bestScore := -1, score{}
	for ; shift <= g.end; shift++ {
		var sc score
		sc.add(s.measure(shift))
		sc.add(s.measure(shift - size))
		if best == -1 || sc.compare(bestScore) <= 0 {
			best, bestScore = shift, sc
		}
	}
	return best
}

// Bounds of what is looked at around a place where a change could begin or end.
const (
	maxIndent = 200
	maxBlanks = 20
	tabWidth  = 8
)

// indent is how far a line is indented, -1 for a blank one.
func indent(l []byte) int {
	n := 0
	for _, c := range l {
		switch {
		case !isSpace(c):
			return n
		case c == ' ':
			n++
		case c == '\t':
			n += tabWidth - n%tabWidth
		}
		if n >= maxIndent {
			return maxIndent
		}
	}
	return -1
}

// surroundings is what stands around a place between two lines.
type surroundings struct {
	atEnd                 bool
	indent                int
	preBlank, postBlank   int
	preIndent, postIndent int
}

func (s *side) measure(at int) surroundings {
	m := surroundings{indent: -1, preIndent: -1, postIndent: -1}
	if at >= len(s.lines) {
		m.atEnd = true
	} else {
		m.indent = indent(s.lines[at])
	}
	for i := at - 1; i >= 0; i-- {
		if m.preIndent = indent(s.lines[i]); m.preIndent != -1 {
			break
		}
		if m.preBlank++; m.preBlank == maxBlanks {
			m.preIndent = 0
			break
		}
	}
	for i := at + 1; i < len(s.lines); i++ {
		if m.postIndent = indent(s.lines[i]); m.postIndent != -1 {
			break
		}
		if m.postBlank++; m.postBlank == maxBlanks {
			m.postIndent = 0
			break
		}
	}
	return m
}

// What a place costs or gains. The figures are git's: another choice would show other diffs.
const (
	startOfFile           = 1
	endOfFile             = 21
	perBlank              = -30
	perBlankAfter         = 6
	moreIndented          = -4
	moreIndentedBlank     = 10
	lessThanBoth          = 24
	lessThanBothBlank     = 17
	lessIndented          = 23
	lessIndentedBlank     = 17
	indentWeight      int = 60
)

type score struct{ indent, penalty int }

func (s *score) add(m surroundings) {
	if m.preIndent == -1 && m.preBlank == 0 {
		s.penalty += startOfFile
	}
	if m.atEnd {
		s.penalty += endOfFile
	}
	after := 0
	if m.indent == -1 {
		after = 1 + m.postBlank
	}
	blanks := m.preBlank + after
	s.penalty += perBlank*blanks + perBlankAfter*after
	in := m.indent
	if in == -1 {
		in = m.postIndent
	}
	s.indent += in
	pick := func(plain, withBlank int) {
		if blanks > 0 {
			plain = withBlank
		}
		s.penalty += plain
	}
	switch {
	case in == -1 || m.preIndent == -1 || in == m.preIndent:
	case in > m.preIndent:
		pick(moreIndented, moreIndentedBlank)
	case m.postIndent != -1 && m.postIndent > in:
		pick(lessThanBoth, lessThanBothBlank)
	default:
		pick(lessIndented, lessIndentedBlank)
	}
}

func (s score) compare(t score) int {
	c := 0
	if s.indent > t.indent {
		c = 1
	} else if s.indent < t.indent {
		c = -1
	}
	return indentWeight*c + s.penalty - t.penalty
}
