package differ

// The comparison of two sequences: the linear-space divide and conquer of Myers, with the cost limit that keeps very
// different inputs from taking quadratic time, and the sliding of changes that makes hunks read well.

// change is one difference: lines [a, a+na) of the first file became [b, b+nb) of the second.
type change struct {
	a, na int
	b, nb int
}

// minCostLimit is the least number of edit steps that are explored before settling for a good enough split.
const minCostLimit = 4096

// comparer finds which elements of two sequences of symbols changed.
type comparer struct {
	x, y      []int32
	markX     func(int) // tells that an element of x is not common
	markY     func(int)
	fd, bd    []int // furthest positions by diagonal, forwards and backwards
	offset    int   // of diagonal 0
	costLimit int
	yield     func()
}

// compare calls markX and markY for the elements of x and y that are not common. yield is called now and then.
func compare(x, y []int32, minimal bool, markX, markY func(int), yield func()) {
	c := &comparer{x: x, y: y, markX: markX, markY: markY, yield: yield}
	diagonals := len(x) + len(y) + 3
	c.offset = len(y) + 1
	limit := 1
	for n := diagonals; n != 0; n >>= 2 {
		limit <<= 1
	}
	c.costLimit = max(minCostLimit, limit)
	if minimal {
		c.costLimit = diagonals
	}
	c.run(0, len(x), 0, len(y))
}

// run compares x[xo:xl] with y[yo:yl].
func (c *comparer) run(xo, xl, yo, yl int) {
	for xo < xl && yo < yl && c.x[xo] == c.y[yo] {
		xo++
		yo++
	}
	for xo < xl && yo < yl && c.x[xl-1] == c.y[yl-1] {
		xl--
		yl--
	}
	switch {
	case xo == xl:
		for ; yo < yl; yo++ {
			c.markY(yo)
		}
	case yo == yl:
		for ; xo < xl; xo++ {
			c.markX(xo)
		}
	default:
		c.yield()
		xm, ym := c.middle(xo, xl, yo, yl)
		c.run(xo, xm, yo, ym)
		c.run(xm, xl, ym, yl)
	}
}

// middle finds a point on a shortest edit path, by searching from both ends until the paths meet.
func (c *comparer) middle(xo, xl, yo, yl int) (xm, ym int) {
	dmin, dmax := xo-yl, xl-yo
	fmid, bmid := xo-yo, xl-yl
	fmin, fmax := fmid, fmid
	bmin, bmax := bmid, bmid
	odd := (fmid-bmid)&1 != 0
	if c.fd == nil { // files that only grew never get here
		diagonals := len(c.x) + len(c.y) + 3
		c.fd, c.bd = make([]int, diagonals), make([]int, diagonals)
	}
	fd, bd, o := c.fd, c.bd, c.offset
	fd[o+fmid], bd[o+bmid] = xo, xl
	for cost := 1; ; cost++ {
		if fmin > dmin {
			fmin--
			fd[o+fmin-1] = -1
		} else {
			fmin++
		}
		if fmax < dmax {
			fmax++
			fd[o+fmax+1] = -1
		} else {
			fmax--
		}
		for d := fmax; d >= fmin; d -= 2 {
			low, high := fd[o+d-1], fd[o+d+1]
			x := low + 1
			if low < high {
				x = high
			}
			y := x - d
			for x < xl && y < yl && c.x[x] == c.y[y] {
				x++
				y++
			}
			fd[o+d] = x
			if odd && bmin <= d && d <= bmax && bd[o+d] <= x {
				return x, y
			}
		}
		const farAway = int(^uint(0) >> 1)
		if bmin > dmin {
			bmin--
			bd[o+bmin-1] = farAway
		} else {
			bmin++
		}
		if bmax < dmax {
			bmax++
			bd[o+bmax+1] = farAway
		} else {
			bmax--
		}
		for d := bmax; d >= bmin; d -= 2 {
			low, high := bd[o+d-1], bd[o+d+1]
			x := high - 1
			if low < high {
				x = low
			}
			y := x - d
			for xo < x && yo < y && c.x[x-1] == c.y[y-1] {
				x--
				y--
			}
			bd[o+d] = x
			if !odd && fmin <= d && d <= fmax && x <= fd[o+d] {
				return x, y
			}
		}
		if cost&0xff == 0 {
			c.yield()
		}
		if cost >= c.costLimit {
			return c.bestSoFar(xo, xl, yo, yl, fmin, fmax, bmin, bmax)
		}
	}
}

// bestSoFar gives up the search for the shortest path and takes the point that has come furthest.
func (c *comparer) bestSoFar(xo, xl, yo, yl, fmin, fmax, bmin, bmax int) (int, int) {
	o := c.offset
	bestForward, fx := -1, xo
	for d := fmax; d >= fmin; d -= 2 {
		x := min(c.fd[o+d], xl)
		y := x - d
		if yl < y {
			x, y = yl+d, yl
		}
		if x+y > bestForward {
			bestForward, fx = x+y, x
		}
	}
	bestBackward, bx := int(^uint(0)>>1), xl
	for d := bmax; d >= bmin; d -= 2 {
		x := max(xo, c.bd[o+d])
		y := x - d
		if y < yo {
			x, y = yo+d, yo
		}
		if x+y < bestBackward {
			bestBackward, bx = x+y, x
		}
	}
	if (xl+yl)-bestBackward < bestForward-(xo+yo) {
		return fx, bestForward - fx
	}
	return bx, bestBackward - bx
}

// flags are marks on the lines of a file, with a false one before the first and after the last.
type flags []bool

func newFlags(n int) flags { return make(flags, n+2) }

func (f flags) at(i int) bool     { return f[i+1] }
func (f flags) set(i int, v bool) { f[i+1] = v }

// slide moves runs of changes so that hunks read well: runs that can meet are joined, a run ends where the other file
// has a change too if it can, and otherwise as late as possible.
func slide(lines []int32, changed, other flags) {
	n := len(lines)
	i, j := 0, 0
	for {
		for i < n && !changed.at(i) {
			for other.at(j) {
				j++
			}
			i++
			j++
		}
		if i == n {
			return
		}
		start := i
		for i++; changed.at(i); i++ {
		}
		for other.at(j) {
			j++
		}
		corresponding := n
		for length := -1; length != i-start; {
			length = i - start
			for start > 0 && lines[start-1] == lines[i-1] {
				start--
				i--
				changed.set(start, true)
				changed.set(i, false)
				for start > 0 && changed.at(start-1) {
					start--
				}
				for j--; other.at(j); j-- {
				}
			}
			corresponding = n
			if other.at(j - 1) {
				corresponding = i
			}
			for i != n && lines[start] == lines[i] {
				changed.set(start, false)
				changed.set(i, true)
				start++
				i++
				for changed.at(i) {
					i++
				}
				for j++; other.at(j); j++ {
					corresponding = i
				}
			}
		}
		for corresponding < i {
			start--
			i--
			changed.set(start, true)
			changed.set(i, false)
			for j--; other.at(j); j-- {
			}
		}
	}
}
