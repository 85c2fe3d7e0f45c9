package text

import (
	"bytes"
	"cmp"
	"io"
	"slices"

	"openclaw/toolwasm/guest/command"
)

const (
	slotBits = 20
	slotSize = 1 << slotBits
	slotMask = slotSize - 1

	firstSortBuffer = 32 << 10
)

// store holds the lines to be sorted in buffers, so that it grows without copying what it holds. The address of a line
// is a number: its slot, a megabyte of a buffer, and the place in the slot.
type store struct {
	buffers []buffer
	slots   [][]byte // each reaches to the end of its buffer
	used    int      // of the last buffer
	start   int      // where the line that is not complete begins in the last buffer
	size    int64
	lines   int64
	delim   byte
}

type buffer struct {
	data []byte
	slot int // the first of its slots
}

// entry is a line with the start of its first key.
type entry struct {
	abbr     uint64
	off      uint32
	len      uint32
	key, end uint32 // of the first key, in the line
}

func (s *store) line(e *entry) []byte {
	slot := s.slots[e.off>>slotBits]
	at := e.off & slotMask
	return slot[at : at+e.len]
}

// read stores lines of r until its end, or until full says that it is enough; the line that is not complete then is
// kept for the next call.
func (s *store) read(p *command.Proc, r io.Reader, full func() bool) (eof bool, err error) {
	for !full() {
		p.Yield()
		room := s.room()
		n, err := r.Read(room)
		if i := bytes.LastIndexByte(room[:n], s.delim); i >= 0 {
			s.start = s.used + i + 1
			s.lines += int64(countByte(room[:i+1], s.delim))
		}
		s.used += n
		s.size += int64(n)
		if err == io.EOF {
			s.finishLine()
			return true, nil
		}
		if err != nil {
			return true, err
		}
	}
	return false, nil
}

// finishLine ends a last line that has no delimiter.
func (s *store) finishLine() {
	if s.start == s.used {
		return
	}
	s.room()[0] = s.delim
	s.used++
	s.start = s.used
	s.lines++
}

// room returns where the next bytes go, at least one. A line that is not complete moves to the new buffer.
func (s *store) room() []byte {
	last := len(s.buffers) - 1
	if last >= 0 && s.used < len(s.buffers[last].data) {
		return s.buffers[last].data[s.used:]
	}
	size := firstSortBuffer
	var begun []byte
	if last >= 0 {
		b := &s.buffers[last]
		begun = b.data[s.start:s.used]
		b.data = b.data[:s.start]
		const growth = 8
		size = max(min(s.used*growth, slotSize), 2*len(begun))
	}
	s.addBuffer(make([]byte, size))
	s.used, s.start = copy(s.buffers[last+1].data, begun), 0
	return s.buffers[last+1].data[s.used:]
}

func (s *store) addBuffer(data []byte) {
	s.buffers = append(s.buffers, buffer{data: data, slot: len(s.slots)})
	for at := 0; at == 0 || at < len(data); at += slotSize {
		s.slots = append(s.slots, data[at:])
	}
}

// takeBegun returns a copy of the line that is not complete and forgets it.
func (s *store) takeBegun() []byte {
	if len(s.buffers) == 0 {
		return nil
	}
	begun := bytes.Clone(s.buffers[len(s.buffers)-1].data[s.start:s.used])
	s.used = s.start
	return begun
}

// seal cuts the last buffer to what is used of it.
func (s *store) seal() {
	if last := len(s.buffers) - 1; last >= 0 {
		s.buffers[last].data = s.buffers[last].data[:s.start]
	}
}

// memory is a set of lines being sorted.
type memory struct {
	p *command.Proc
	c *comparer
	store
	entries []entry
	exact   bool
	byteKey bool // the first key, or the whole line, is compared byte by byte
	flip    bool // the first comparison is reversed
	steps   int
}

func newMemory(p *command.Proc, c *comparer, delim byte) *memory {
	m := &memory{p: p, c: c}
	m.delim = delim
	return m
}

// footprint is roughly how much memory sorting what is stored takes.
func (m *memory) footprint() int64 {
	const entrySize = 24
	return m.size + m.lines*entrySize
}

// sort orders the lines.
func (m *memory) sort() {
	m.seal()
	m.index()
	m.quick(m.entries, 0, maxPartitions)
}

// maxPartitions bounds the recursion of quick before it leaves an unlucky range to the library's sort.
const maxPartitions = 96

// index makes the entries.
func (m *memory) index() {
	m.entries = make([]entry, 0, m.lines)
	first := m.begin()
	for _, b := range m.buffers {
		base := b.slot << slotBits
		for at := 0; at < len(b.data); {
			n := bytes.IndexByte(b.data[at:], m.delim)
			e := entry{off: uint32(base + at), len: uint32(n), end: uint32(n)}
			m.abbreviate(&e, b.data[at:at+n], first)
			m.entries = append(m.entries, e)
			at += n + 1
		}
		m.p.Yield()
	}
}

// begin sets how lines are compared by the first key, which it returns, or by themselves when there is none.
func (m *memory) begin() (first *sortKey) {
	m.exact = true
	m.byteKey, m.flip = true, m.c.reverse
	if len(m.c.keys) > 0 {
		first = &m.c.keys[0]
		m.byteKey, m.flip = first.plain(), first.reverse
	}
	return first
}

func (m *memory) abbreviate(e *entry, line []byte, first *sortKey) {
	if first == nil {
		e.abbr = prefix8(line)
		m.exact = false
	} else {
		from, to := first.find(line, m.c.tab)
		e.key, e.end = uint32(from), uint32(to)
		abbr, exact := m.c.abbreviate(&first.ordering, line[from:to])
		e.abbr = abbr
		m.exact = m.exact && exact
	}
	if m.flip {
		e.abbr = ^e.abbr
	}
}

// quick sorts entries by abbreviation and, where these are equal, by what follows. The abbreviations are of the
// bytes from depth on.
func (m *memory) quick(es []entry, depth uint32, budget int) {
	for len(es) > 1 {
		if m.steps++; m.steps&0xfff == 0 {
			m.p.Yield()
		}
		const small = 12
		if len(es) <= small {
			m.insertion(es, depth)
			return
		}
		if budget--; budget < 0 {
			slices.SortFunc(es, func(a, b entry) int { return cmp.Compare(a.abbr, b.abbr) })
			m.runs(es, depth)
			return
		}
		lt, gt := partition(es)
		m.resolve(es[lt:gt], depth)
		if lt < len(es)-gt {
			m.quick(es[:lt], depth, budget)
			es = es[gt:]
			continue
		}
		m.quick(es[gt:], depth, budget)
		es = es[:lt]
	}
}

// partition moves what is smaller than a pivot to the front and what is greater to the end.
func partition(es []entry) (lt, gt int) {
	n := len(es)
	pivot := median(es[n/4].abbr, es[n/2].abbr, es[n-n/4-1].abbr)
	if n > 256 {
		k := n / 16
		pivot = median(
			median(es[k].abbr, es[3*k].abbr, es[5*k].abbr),
			median(es[7*k].abbr, es[8*k].abbr, es[9*k].abbr),
			median(es[11*k].abbr, es[13*k].abbr, es[15*k].abbr))
	}
	lt, gt = 0, n
	for i := 0; i < gt; {
		switch a := es[i].abbr; {
		case a < pivot:
			es[i], es[lt] = es[lt], es[i]
			lt++
			i++
		case a > pivot:
			gt--
			es[i], es[gt] = es[gt], es[i]
		default:
			i++
		}
	}
	return lt, gt
}

func median(a, b, c uint64) uint64 {
	if a > b {
		a, b = b, a
	}
	return min(b, max(a, c))
}

func (m *memory) insertion(es []entry, depth uint32) {
	for i := 1; i < len(es); i++ {
		e := es[i]
		j := i
		for j > 0 && es[j-1].abbr > e.abbr {
			es[j] = es[j-1]
			j--
		}
		es[j] = e
	}
	m.runs(es, depth)
}

// runs resolves each run of equal abbreviations in sorted entries.
func (m *memory) runs(es []entry, depth uint32) {
	for i := 0; i < len(es); {
		j := i + 1
		for j < len(es) && es[j].abbr == es[i].abbr {
			j++
		}
		if j-i > 1 {
			m.resolve(es[i:j], depth)
		}
		i = j
	}
}

// resolve sorts entries with equal abbreviations.
func (m *memory) resolve(es []entry, depth uint32) {
	if len(es) < 2 {
		return
	}
	const few = 8
	switch {
	case len(es) <= few || !m.byteKey && !m.exact:
		m.byComparison(es)
	case !m.byteKey:
		m.ties(es)
	default:
		m.deeper(es, depth)
	}
}

// deeper sorts entries whose keys agree in the eight bytes from depth on. Keys that end there come first, the
// shorter ones before the longer ones (they differ in NUL bytes only); the others go on with the next eight bytes.
func (m *memory) deeper(es []entry, depth uint32) {
	next := depth + 8
	ended := 0
	shortest, longest := uint32(8), uint32(0)
	for i := range es {
		if left := es[i].end - es[i].key - depth; left <= 8 {
			shortest, longest = min(shortest, left), max(longest, left)
			es[i], es[ended] = es[ended], es[i]
			ended++
		}
	}
	done, rest := es[:ended], es[ended:]
	if m.flip && ended > 0 && len(rest) > 0 {
		// Reversed, the longer keys come first.
		slices.Reverse(es)
		rest, done = es[:len(rest)], es[len(rest):]
	}
	switch {
	case shortest < longest:
		m.byComparison(done)
	case len(done) > 1:
		m.ties(done)
	}
	if len(rest) < 2 {
		return
	}
	for i := range rest {
		e := &rest[i]
		slot := m.slots[e.off>>slotBits]
		at := e.off&slotMask + e.key
		e.abbr = prefix8(slot[at+next : at+e.end-e.key])
		if m.flip {
			e.abbr = ^e.abbr
		}
	}
	m.quick(rest, next, maxPartitions)
}

// ties sorts entries whose first keys are equal by the keys that follow, or by the whole lines.
func (m *memory) ties(es []entry) {
	if len(m.c.keys) == 0 || len(m.c.keys) == 1 && (m.c.stable || m.c.unique) {
		slices.SortFunc(es, func(a, b entry) int { return cmp.Compare(a.off, b.off) })
		return
	}
	c := *m.c
	c.keys = c.keys[1:]
	rest := memory{p: m.p, c: &c, store: m.store}
	first := rest.begin()
	for i := range es {
		e := &es[i]
		e.key, e.end = 0, e.len
		rest.abbreviate(e, m.line(e), first)
	}
	rest.quick(es, 0, maxPartitions)
}

// byComparison sorts entries by comparing the lines; equal ones keep the order in which they were read.
func (m *memory) byComparison(es []entry) {
	c := m.c
	skip := 0
	if m.exact && len(c.keys) > 0 && !m.byteKey {
		skip = 1
	}
	rest := comparer{tab: c.tab, reverse: c.reverse, stable: c.stable, unique: c.unique, seed: c.seed}
	if skip < len(c.keys) {
		rest.keys = c.keys[skip:]
	}
	noWhole := len(c.keys) > 0 && (c.unique || c.stable)
	slices.SortFunc(es, func(a, b entry) int {
		if m.steps++; m.steps&0xffff == 0 {
			m.p.Yield()
		}
		la, lb := m.line(&a), m.line(&b)
		for i := range rest.keys {
			if d := rest.key(&rest.keys[i], la, lb); d != 0 {
				return d
			}
		}
		if !noWhole {
			if d := c.whole(la, lb); d != 0 {
				return d
			}
		}
		return cmp.Compare(a.off, b.off)
	})
}
