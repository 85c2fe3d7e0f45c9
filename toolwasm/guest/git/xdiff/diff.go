// Package xdiff finds and shows the differences of two texts as git does, line for line: the comparison, the heuristics that
// bound it, where a change comes to rest, and what a hunk is headed with. It merges three texts in the same way.
//
// Its results are those of git's own library, so that hunks, statistics and conflicts look alike.
package xdiff

import (
	"bytes"
	"math"
)

// Flags change which lines count as equal and how hard is looked.
type Flags uint8

const (
	// IgnoreAllSpace leaves all white space out of the comparison (-w).
	IgnoreAllSpace Flags = 1 << iota
	// IgnoreSpaceChange takes any run of white space for one blank (-b).
	IgnoreSpaceChange
	// IgnoreSpaceAtEOL leaves white space at the end of lines out.
	IgnoreSpaceAtEOL
	// IgnoreCRAtEOL leaves a carriage return at the end of lines out.
	IgnoreCRAtEOL
	// Minimal looks for the smallest difference whatever it costs.
	Minimal
	// NoIndent leaves the indentation out of where a change comes to rest.
	NoIndent
)

const spaceFlags = IgnoreAllSpace | IgnoreSpaceChange | IgnoreSpaceAtEOL | IgnoreCRAtEOL

// Change is one difference: lines [A, A+NA) of the old text became [B, B+NB) of the new one.
type Change struct{ A, NA, B, NB int }

// Lines splits a text after its newlines.
func Lines(text []byte) [][]byte {
	if len(text) == 0 {
		return nil
	}
	lines := make([][]byte, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		lines = append(lines, text[:n])
		text = text[n:]
	}
	return lines
}

// side is one of the two texts while they are compared.
type side struct {
	lines   [][]byte
	class   []int32 // what each line is, as a number: equal lines have equal numbers
	changed []bool  // with one more at either end, see mark
	index   []int   // the lines that are compared
	effect  []int32 // and their classes
}

func (s *side) isChanged(i int) bool { return s.changed[i+1] }
func (s *side) mark(i int, on bool)  { s.changed[i+1] = on }

// Compare returns the changes that make b of a. yield is called now and then.
func Compare(a, b [][]byte, flags Flags, yield func()) []Change {
	x, y := classify(a, b, flags)
	prepare(x, y, flags)
	run(x, y, flags, yield)
	compact(x, y, flags)
	compact(y, x, flags)
	return script(x, y)
}

// classify numbers the lines of both texts.
func classify(a, b [][]byte, flags Flags) (x, y *side) {
	numbers := make(map[string]int32, len(a)+len(b)/4)
	number := func(lines [][]byte) *side {
		s := &side{lines: lines, class: make([]int32, len(lines)), changed: make([]bool, len(lines)+2)}
		for i, l := range lines {
			key := l
			if flags&spaceFlags != 0 {
				key = normalize(l, flags)
			}
			n, ok := numbers[string(key)]
			if !ok {
				n = int32(len(numbers))
				numbers[string(key)] = n
			}
			s.class[i] = n
		}
		return s
	}
	return number(a), number(b)
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// normalize is a line without what does not count.
func normalize(l []byte, flags Flags) []byte {
	out := make([]byte, 0, len(l))
	switch {
	case flags&IgnoreAllSpace != 0:
		for _, c := range l {
			if !isSpace(c) {
				out = append(out, c)
			}
		}
		return out
	case flags&IgnoreSpaceChange != 0:
		space := false
		for _, c := range l {
			if isSpace(c) {
				space = true
				continue
			}
			if space {
				out = append(out, ' ')
			}
			space = false
			out = append(out, c)
		}
		return out
	case flags&IgnoreSpaceAtEOL != 0:
		return bytes.TrimRight(l, " \t\n\v\f\r")
	}
	l = bytes.TrimSuffix(l, []byte("\n"))
	return bytes.TrimSuffix(l, []byte("\r"))
}

// Bounds of the search for lines that are worth comparing.
const (
	maxEqual  = 1024 // a line that is there more often is doubtful
	scanRange = 100
	keepRatio = 4
)

// roughRoot is about the square root.
func roughRoot(n int) int {
	r := 1
	for ; n > 0; n >>= 2 {
		r <<= 1
	}
	return r
}

// prepare leaves out the common beginning and end, and lines that the other text does not have.
func prepare(x, y *side, flags Flags) {
	start := 0
	for start < len(x.class) && start < len(y.class) && x.class[start] == y.class[start] {
		start++
	}
	tail := 0
	for limit := min(len(x.class), len(y.class)) - start; tail < limit &&
		x.class[len(x.class)-1-tail] == y.class[len(y.class)-1-tail]; {
		tail++
	}
	countX, countY := counts(x.class), counts(y.class)
	x.discard(start, len(x.class)-tail, countY, flags)
	y.discard(start, len(y.class)-tail, countX, flags)
}

func counts(classes []int32) map[int32]int {
	m := make(map[int32]int, len(classes))
	for _, c := range classes {
		m[c]++
	}
	return m
}

func (s *side) discard(start, end int, other map[int32]int, flags Flags) {
	limit := min(roughRoot(len(s.class)), maxEqual)
	kind := make([]uint8, end-start) // 0: not in the other text, 2: there very often
	for i := range kind {
		switch n := other[s.class[start+i]]; {
		case n == 0:
		case n >= limit && flags&Minimal == 0:
			kind[i] = 2
		default:
			kind[i] = 1
		}
	}
	for i, k := range kind {
		if k == 1 || k == 2 && !surrounded(kind, i) {
			s.index = append(s.index, start+i)
			s.effect = append(s.effect, s.class[start+i])
		} else {
			s.mark(start+i, true)
		}
	}
}

// surrounded reports whether a doubtful line stands among lines that the other text does not have.
func surrounded(kind []uint8, i int) bool {
	lo, hi := max(i-scanRange, 0), min(i+scanRange, len(kind)-1)
	count := func(from, to, step int) (missing, doubtful int) {
		doubtful = 1
		for j := from; j != to+step; j += step {
			switch kind[j] {
			case 0:
				missing++
			case 2:
				doubtful++
			default:
				return missing, doubtful
			}
		}
		return missing, doubtful
	}
	missing0, doubtful0 := 0, 1
	if i > lo {
		missing0, doubtful0 = count(i-1, lo, -1)
	}
	if missing0 == 0 {
		return false
	}
	missing1, doubtful1 := 0, 1
	if i < hi {
		missing1, doubtful1 = count(i+1, hi, 1)
	}
	if missing1 == 0 {
		return false
	}
	missing1 += missing0
	doubtful1 += doubtful0
	return doubtful1*keepRatio < doubtful1+missing1
}

// Bounds of the comparison itself.
const (
	snakeLength   = 20  // so many equal lines make a path promising
	heuristicCost = 256 // before shortcuts are taken
	minCost       = 256
	farFactor     = 4
)

// comparer is the linear-space comparison of Myers.
type comparer struct {
	x, y     *side
	fwd, bwd []int
	offset   int
	maxCost  int
	minimal  bool
	yield    func()
}

func run(x, y *side, flags Flags, yield func()) {
	diagonals := len(x.effect) + len(y.effect) + 3
	c := &comparer{
		x: x, y: y, yield: yield, minimal: flags&Minimal != 0, offset: len(y.effect) + 1,
		maxCost: max(roughRoot(diagonals), minCost),
		fwd:     make([]int, diagonals+2), bwd: make([]int, diagonals+2),
	}
	c.compare(0, len(x.effect), 0, len(y.effect), c.minimal)
}

type split struct {
	x, y           int
	minLow, minTop bool
}

func (c *comparer) compare(x0, x1, y0, y1 int, minimal bool) {
	for {
		for x0 < x1 && y0 < y1 && c.x.effect[x0] == c.y.effect[y0] {
			x0++
			y0++
		}
		for x0 < x1 && y0 < y1 && c.x.effect[x1-1] == c.y.effect[y1-1] {
			x1--
			y1--
		}
		if x0 == x1 {
			for ; y0 < y1; y0++ {
				c.y.mark(c.y.index[y0], true)
			}
			return
		}
		if y0 == y1 {
			for ; x0 < x1; x0++ {
				c.x.mark(c.x.index[x0], true)
			}
			return
		}
		s := c.split(x0, x1, y0, y1, minimal)
		c.compare(x0, s.x, y0, s.y, s.minLow)
		x0, y0, minimal = s.x, s.y, s.minTop
	}
}

// split finds where a shortest path through the box passes its middle, or a good enough point.
func (c *comparer) split(x0, x1, y0, y1 int, minimal bool) split {
	a, b, o := c.x.effect, c.y.effect, c.offset
	fwd, bwd := c.fwd, c.bwd
	dmin, dmax := x0-y1, x1-y0
	fmid, bmid := x0-y0, x1-y1
	odd := (fmid-bmid)&1 != 0
	fmin, fmax, bmin, bmax := fmid, fmid, bmid, bmid
	fwd[o+fmid], bwd[o+bmid] = x0, x1
	for cost := 1; ; cost++ {
		c.yield()
		snake := false
		if fmin > dmin {
			fmin--
			fwd[o+fmin-1] = -1
		} else {
			fmin++
		}
		if fmax < dmax {
			fmax++
			fwd[o+fmax+1] = -1
		} else {
			fmax--
		}
		for d := fmax; d >= fmin; d -= 2 {
			i := fwd[o+d+1]
			if fwd[o+d-1] >= i {
				i = fwd[o+d-1] + 1
			}
			from, j := i, i-d
			for i < x1 && j < y1 && a[i] == b[j] {
				i++
				j++
			}
			snake = snake || i-from > snakeLength
			fwd[o+d] = i
			if odd && bmin <= d && d <= bmax && bwd[o+d] <= i {
				return split{i, j, true, true}
			}
		}
		if bmin > dmin {
			bmin--
			bwd[o+bmin-1] = math.MaxInt
		} else {
			bmin++
		}
		if bmax < dmax {
			bmax++
			bwd[o+bmax+1] = math.MaxInt
		} else {
			bmax--
		}
		for d := bmax; d >= bmin; d -= 2 {
			i := bwd[o+d-1]
			if i >= bwd[o+d+1] {
				i = bwd[o+d+1] - 1
			}
			from, j := i, i-d
			for i > x0 && j > y0 && a[i-1] == b[j-1] {
				i--
				j--
			}
			snake = snake || from-i > snakeLength
			bwd[o+d] = i
			if !odd && fmin <= d && d <= fmax && i <= fwd[o+d] {
				return split{i, j, true, true}
			}
		}
		if minimal {
			continue
		}
		if snake && cost > heuristicCost {
			if s, ok := c.promising(x0, x1, y0, y1, fmin, fmax, bmin, bmax, fmid, bmid, cost); ok {
				return s
			}
		}
		if cost >= c.maxCost {
			return c.furthest(x0, x1, y0, y1, fmin, fmax, bmin, bmax)
		}
	}
}

// promising looks for a path that has come far and ends in many equal lines.
func (c *comparer) promising(x0, x1, y0, y1, fmin, fmax, bmin, bmax, fmid, bmid, cost int) (split, bool) {
	a, b := c.x.effect, c.y.effect
	best, s := 0, split{minLow: true}
	for d := fmax; d >= fmin; d -= 2 {
		i := c.fwd[c.offset+d]
		j := i - d
		v := i - x0 + j - y0 - abs(d-fmid)
		if v <= farFactor*cost || v <= best || x0+snakeLength > i || i >= x1 || y0+snakeLength > j || j >= y1 {
			continue
		}
		for k := 1; a[i-k] == b[j-k]; k++ {
			if k == snakeLength {
				best, s.x, s.y = v, i, j
				break
			}
		}
	}
	if best > 0 {
		return s, true
	}
	s = split{minTop: true}
	for d := bmax; d >= bmin; d -= 2 {
		i := c.bwd[c.offset+d]
		j := i - d
		v := x1 - i + y1 - j - abs(d-bmid)
		if v <= farFactor*cost || v <= best || x0 >= i || i > x1-snakeLength || y0 >= j || j > y1-snakeLength {
			continue
		}
		for k := 0; a[i+k] == b[j+k]; k++ {
			if k == snakeLength-1 {
				best, s.x, s.y = v, i, j
				break
			}
		}
	}
	return s, best > 0
}

// furthest takes the path that has come furthest when the search has cost enough.
func (c *comparer) furthest(x0, x1, y0, y1, fmin, fmax, bmin, bmax int) split {
	fbest, fx := -1, -1
	for d := fmax; d >= fmin; d -= 2 {
		i := min(c.fwd[c.offset+d], x1)
		j := i - d
		if y1 < j {
			i, j = y1+d, y1
		}
		if fbest < i+j {
			fbest, fx = i+j, i
		}
	}
	bbest, bx := math.MaxInt, math.MaxInt
	for d := bmax; d >= bmin; d -= 2 {
		i := max(x0, c.bwd[c.offset+d])
		j := i - d
		if j < y0 {
			i, j = y0+d, y0
		}
		if i+j < bbest {
			bbest, bx = i+j, i
		}
	}
	if x1+y1-bbest < fbest-(x0+y0) {
		return split{fx, fbest - fx, true, false}
	}
	return split{bx, bbest - bx, false, true}
}

func abs(n int) int { return max(n, -n) }

// script lists the changes that the marks make.
func script(x, y *side) []Change {
	var list []Change
	i, j := 0, 0
	for i < len(x.lines) || j < len(y.lines) {
		if !x.isChanged(i) && !y.isChanged(j) {
			i++
			j++
			continue
		}
		c := Change{A: i, B: j}
		for x.isChanged(i) {
			i++
		}
		for y.isChanged(j) {
			j++
		}
		c.NA, c.NB = i-c.A, j-c.B
		list = append(list, c)
	}
	return list
}
