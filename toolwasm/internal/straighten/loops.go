package straighten

import (
	"slices"
	"sort"
)

// region is a loop: the basic blocks at the places [lo, hi] of the order. It is entered at lo only.
type region struct{ lo, hi int }

func (g region) size() int            { return g.hi - g.lo }
func (g region) has(p int) bool       { return p >= g.lo && p <= g.hi }
func (g region) within(o region) bool { return g.lo >= o.lo && g.hi <= o.hi }

// layout is an order of the basic blocks in which loops are together.
type layout struct {
	f     *goFunction
	order []int // the blocks
	place []int // by block
	loops []region
	edges [][2]int // by block: from and to
}

func newLayout(f *goFunction) *layout {
	l := &layout{f: f}
	for i := range f.blocks {
		l.order = append(l.order, i)
		l.place = append(l.place, i)
		b := &f.blocks[i]
		for _, o := range b.ops {
			if o.kind == kindJump || o.kind == kindJumpIf {
				l.edges = append(l.edges, [2]int{i, o.target})
			}
		}
		if b.fall >= 0 {
			l.edges = append(l.edges, [2]int{i, b.fall})
		}
	}
	return l
}

// maxBlocks bounds the functions in which loops are looked for, which takes time by the square of their number.
const maxBlocks = 4000

// findLoops puts the loops together that can be entered at one place only, inner ones first.
func (l *layout) findLoops() {
	if len(l.order) > maxBlocks {
		return
	}
	last := map[int]int{} // by block: the last block that jumps back to it
	for _, e := range l.edges {
		if e[1] <= e[0] {
			last[e[1]] = max(last[e[1]], e[0])
		}
	}
	var found []region // of blocks, as they stand at first
	for to, from := range last {
		found = append(found, region{to, from})
	}
	sort.Slice(found, func(i, j int) bool {
		if found[i].size() != found[j].size() {
			return found[i].size() < found[j].size()
		}
		return found[i].lo < found[j].lo
	})
	for _, g := range found {
		l.tryLoop(g)
	}
}

// tryLoop makes a loop of the blocks in g, if that is possible. Rotations within loops leave a set of
// consecutive blocks consecutive, unless it overlaps one of them.
func (l *layout) tryLoop(g region) {
	r := region{len(l.order), -1}
	for b := g.lo; b <= g.hi; b++ {
		r.lo, r.hi = min(r.lo, l.place[b]), max(r.hi, l.place[b])
	}
	for grown := true; grown; {
		grown = false
		for _, o := range l.loops {
			if o.hi < r.lo || o.lo > r.hi || o.within(r) || r.within(o) && r != o {
				continue
			}
			r = region{min(r.lo, o.lo), max(r.hi, o.hi)}
			grown = true
		}
	}
	entry, ok := l.entry(r)
	if !ok {
		return
	}
	for _, o := range l.loops {
		if o == r || o.has(entry) && o.lo != entry && o.within(r) || r.within(o) && entry != r.lo {
			return
		}
	}
	if !l.ordered(r, entry) {
		return
	}
	l.rotate(r, entry)
	l.loops = append(l.loops, r)
}

// entry returns the one place of r that is entered from outside.
func (l *layout) entry(r region) (place int, ok bool) {
	place = -1
	enter := func(p int) bool {
		if place >= 0 && place != p {
			return false
		}
		place = p
		return true
	}
	for p := r.lo; p <= r.hi; p++ {
		if l.f.blocks[l.order[p]].entered && !enter(p) {
			return 0, false
		}
	}
	for _, e := range l.edges {
		if !r.has(l.place[e[0]]) && r.has(l.place[e[1]]) && !enter(l.place[e[1]]) {
			return 0, false
		}
	}
	return place, place >= 0
}

// ordered reports whether every jump back inside r, once it begins with entry, leads to the beginning of a loop around it.
func (l *layout) ordered(r region, entry int) bool {
	after := func(p int) int {
		if p < entry {
			return p + r.hi + 1 - entry
		}
		return p - entry + r.lo
	}
	for _, e := range l.edges {
		from, to := l.place[e[0]], l.place[e[1]]
		if !r.has(from) || !r.has(to) || to == entry || after(to) > after(from) {
			continue
		}
		if !slices.ContainsFunc(l.loops, func(o region) bool { return o.lo == to && o.has(from) }) {
			return false
		}
	}
	return true
}

// rotate puts the part of r from entry on before the rest.
func (l *layout) rotate(r region, entry int) {
	if entry == r.lo {
		return
	}
	rest := slices.Clone(l.order[r.lo:entry])
	copy(l.order[r.lo:], l.order[entry:r.hi+1])
	copy(l.order[r.hi+1-len(rest):], rest)
	for p := r.lo; p <= r.hi; p++ {
		l.place[l.order[p]] = p
	}
	for i, o := range l.loops {
		if !o.within(r) {
			continue
		}
		by := r.lo - entry
		if o.lo < entry {
			by = r.hi + 1 - entry
		}
		l.loops[i] = region{o.lo + by, o.hi + by}
	}
}
