package differ

// Discarding lines before the comparison: lines that have no counterpart are certainly changed, and lines that are
// very common tell little when they stand among such. Leaving both out makes the comparison fast, and its result
// the one that people know from diff.

// The marks of a line.
const (
	keep        = iota
	discard     // no counterpart
	provisional // too many counterparts
)

// discards decides which lines of the two files are left out of the comparison.
func discards(x, y []int32, classes int) (dx, dy []uint8) {
	countX, countY := make([]int, classes), make([]int, classes)
	for _, e := range x {
		countX[e]++
	}
	for _, e := range y {
		countY[e]++
	}
	dx, dy = markLines(x, countY), markLines(y, countX)
	settle(dx)
	settle(dy)
	return dx, dy
}

func markLines(lines []int32, counts []int) []uint8 {
	const fewest, perBlock = 5, 64
	many := fewest // times about the square root of the number of lines
	for n := len(lines) / perBlock >> 2; n > 0; n >>= 2 {
		many *= 2
	}
	marks := make([]uint8, len(lines))
	for i, e := range lines {
		switch n := counts[e]; {
		case n == 0:
			marks[i] = discard
		case n > many:
			marks[i] = provisional
		}
	}
	return marks
}

// settle cancels provisional marks except within runs that certain ones begin and end.
func settle(marks []uint8) {
	for i := 0; i < len(marks); i++ {
		switch marks[i] {
		case provisional:
			marks[i] = keep
		case discard:
			i += settleRun(marks[i:])
		}
	}
}

// settleRun looks at the run that marks begins with, and returns how far the caller can skip.
func settleRun(marks []uint8) int {
	end, doubtful := 0, 0
	for end < len(marks) && marks[end] != keep {
		if marks[end] == provisional {
			doubtful++
		}
		end++
	}
	for end > 0 && marks[end-1] == provisional {
		end--
		doubtful--
		marks[end] = keep
	}
	run := marks[:end]
	if doubtful*4 > len(run) {
		for i := range run {
			if run[i] == provisional {
				run[i] = keep
			}
		}
		return 0
	}
	cancelSubruns(run)
	cancelEdge(len(run), func(i int) *uint8 { return &run[i] })
	cancelEdge(len(run), func(i int) *uint8 { return &run[len(run)-1-i] })
	return len(run) - 1
}

// cancelSubruns cancels runs of provisional marks that are long for the run they stand in.
func cancelSubruns(run []uint8) {
	least := 1
	for n := len(run) >> 2 >> 2; n > 0; n >>= 2 {
		least <<= 1
	}
	least++
	consecutive := 0
	for j := 0; j < len(run); j++ {
		if run[j] != provisional {
			consecutive = 0
			continue
		}
		consecutive++
		switch {
		case consecutive == least:
			j -= consecutive // go over the subrun again, and cancel it
		case consecutive > least:
			run[j] = keep
		}
	}
}

// cancelEdge cancels provisional marks near an end of the run.
func cancelEdge(n int, at func(int) *uint8) {
	const edge, enough = 8, 3
	consecutive := 0
	for j := range n {
		m := at(j)
		if j >= edge && *m == discard {
			return
		}
		switch *m {
		case provisional:
			consecutive = 0
			*m = keep
		case keep:
			consecutive = 0
		default:
			consecutive++
		}
		if consecutive == enough {
			return
		}
	}
}

// script returns the changes that turn the lines x into y, in order. Symbols are below classes. horizon lines of the
// common beginning and end take part in the comparison.
func script(x, y []int32, classes, horizon int, minimal bool, yield func()) []change {
	prefix := 0
	for prefix < len(x) && prefix < len(y) && x[prefix] == y[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < min(len(x), len(y))-prefix && x[len(x)-1-suffix] == y[len(y)-1-suffix] {
		suffix++
	}
	prefix, suffix = max(0, prefix-horizon), max(0, suffix-horizon)
	x, y = x[prefix:len(x)-suffix], y[prefix:len(y)-suffix]
	changedX, changedY := newFlags(len(x)), newFlags(len(y))
	dx, dy := make([]uint8, len(x)), make([]uint8, len(y))
	if !minimal {
		dx, dy = discards(x, y, classes)
	}
	sx, ix := remaining(x, dx, changedX)
	sy, iy := remaining(y, dy, changedY)
	compare(sx, sy, minimal, func(i int) { changedX.set(ix[i], true) }, func(i int) { changedY.set(iy[i], true) }, yield)
	slide(x, changedX, changedY)
	slide(y, changedY, changedX)
	return collect(changedX, changedY, len(x), len(y), prefix)
}

// remaining returns the lines that are compared with their places, and marks the others as changed.
func remaining(lines []int32, marks []uint8, changed flags) (kept []int32, at []int) {
	for i, e := range lines {
		if marks[i] == keep {
			kept = append(kept, e)
			at = append(at, i)
		} else {
			changed.set(i, true)
		}
	}
	return kept, at
}

func collect(changedX, changedY flags, nx, ny, prefix int) []change {
	var list []change
	i, j := 0, 0
	for i < nx || j < ny {
		if !changedX.at(i) && !changedY.at(j) {
			i++
			j++
			continue
		}
		c := change{a: i, b: j}
		for changedX.at(i) {
			i++
		}
		for changedY.at(j) {
			j++
		}
		c.na, c.nb = i-c.a, j-c.b
		c.a += prefix
		c.b += prefix
		list = append(list, c)
	}
	return list
}
