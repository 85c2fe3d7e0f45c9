package xdiff

import "bytes"

// Style is how a conflict is shown.
type Style int

const (
	// StyleMerge shows both sides.
	StyleMerge Style = iota
	// StyleDiff3 shows what they began from as well.
	StyleDiff3
)

// Favor settles conflicts.
type Favor int

// Which side conflicts are settled for, if at all.
const (
	FavorNone Favor = iota
	FavorOurs
	FavorTheirs
	FavorUnion
)

// MergeOptions say how to merge.
type MergeOptions struct {
	Ours, Base, Theirs string // the labels of a conflict
	Style              Style
	Favor              Favor
	MarkerSize         int
	Flags              Flags
}

// DefaultMarker is the length of the marks around a conflict.
const DefaultMarker = 7

// region is a stretch of the base with what each side made of it.
type region struct {
	mode   int // 1: ours counts, 2: theirs, 3: both, 4: ours, as they are alike; 0: conflict
	i1, n1 int // of ours
	i2, n2 int // of theirs
	i0, n0 int // of the base
}

// Merge merges two texts that come from one. It returns how many conflicts the result holds.
func Merge(base, ours, theirs []byte, opt MergeOptions, yield func()) ([]byte, int) {
	b, x, y := Lines(base), Lines(ours), Lines(theirs)
	c1, c2 := Compare(b, x, opt.Flags, yield), Compare(b, y, opt.Flags, yield)
	if len(c1) == 0 {
		return theirs, 0
	}
	if len(c2) == 0 {
		return ours, 0
	}
	regions := combine(b, x, y, c1, c2, opt)
	if opt.Style == StyleMerge {
		regions = refine(x, y, regions, opt, yield)
		regions = simplify(regions)
	}
	return assemble(b, x, y, regions, opt)
}

// combine walks both lists of changes at once: what overlaps, or touches, is a conflict.
func combine(b, x, y [][]byte, c1, c2 []Change, opt MergeOptions) []region {
	var list []region
	add := func(r region) {
		if n := len(list); n > 0 {
			m := &list[n-1]
			if r.i1 <= m.i1+m.n1 || r.i2 <= m.i2+m.n2 {
				if r.mode != m.mode {
					m.mode = 0
				}
				m.n0 = r.i0 + r.n0 - m.i0
				m.n1 = r.i1 + r.n1 - m.i1
				m.n2 = r.i2 + r.n2 - m.i2
				return
			}
		}
		list = append(list, r)
	}
	i, j := 0, 0
	for i < len(c1) && j < len(c2) {
		p, q := c1[i], c2[j]
		switch {
		case p.A+p.NA < q.A:
			add(region{mode: 1, i1: p.B, n1: p.NB, i2: q.B - q.A + p.A, n2: p.NA, i0: p.A, n0: p.NA})
			i++
			continue
		case q.A+q.NA < p.A:
			add(region{mode: 2, i1: p.B - p.A + q.A, n1: q.NA, i2: q.B, n2: q.NB, i0: q.A, n0: q.NA})
			j++
			continue
		}
		if p.A != q.A || p.NA != q.NA || p.NB != q.NB || !equalLines(x[p.B:p.B+p.NB], y[q.B:q.B+q.NB]) {
			off := p.A - q.A
			ffo := off + p.NA - q.NA
			r := region{i0: p.A, i1: p.B, i2: q.B}
			if off > 0 {
				r.i0 -= off
				r.i1 -= off
			} else {
				r.i2 += off
			}
			r.n0 = p.A + p.NA - r.i0
			r.n1 = p.B + p.NB - r.i1
			r.n2 = q.B + q.NB - r.i2
			if ffo < 0 {
				r.n0 -= ffo
				r.n1 -= ffo
			} else {
				r.n2 += ffo
			}
			add(r)
		}
		e1, e2 := p.A+p.NA, q.A+q.NA
		if e1 >= e2 {
			j++
		}
		if e2 >= e1 {
			i++
		}
	}
	for ; i < len(c1); i++ {
		p := c1[i]
		add(region{mode: 1, i0: p.A, n0: p.NA, i1: p.B, n1: p.NB, i2: p.A + len(y) - len(b), n2: p.NA})
	}
	for ; j < len(c2); j++ {
		q := c2[j]
		add(region{mode: 2, i0: q.A, n0: q.NA, i1: q.A + len(x) - len(b), n1: q.NA, i2: q.B, n2: q.NB})
	}
	return list
}

func equalLines(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// refine takes the lines out of conflicts that both sides have.
func refine(x, y [][]byte, list []region, opt MergeOptions, yield func()) []region {
	var out []region
	for _, m := range list {
		if m.mode != 0 || m.n1 == 0 || m.n2 == 0 {
			out = append(out, m)
			continue
		}
		changes := Compare(x[m.i1:m.i1+m.n1], y[m.i2:m.i2+m.n2], opt.Flags, yield)
		if len(changes) == 0 {
			m.mode = 4 // both sides alike: take ours
			out = append(out, m)
			continue
		}
		for k, c := range changes {
			r := region{i1: m.i1 + c.A, n1: c.NA, i2: m.i2 + c.B, n2: c.NB}
			if k == 0 {
				r.i0, r.n0 = m.i0, m.n0
			} else {
				r.i0 = m.i0 + m.n0
			}
			out = append(out, r)
		}
	}
	return out
}

// fewBetween is how few lines between two conflicts are not worth telling them apart.
const fewBetween = 3

// simplify joins conflicts that stand close together.
func simplify(list []region) []region {
	var out []region
	for _, m := range list {
		if n := len(out); n > 0 && m.mode == 0 && out[n-1].mode == 0 {
			p := &out[n-1]
			if m.i1-(p.i1+p.n1) <= fewBetween {
				p.n1 = m.i1 + m.n1 - p.i1
				p.n2 = m.i2 + m.n2 - p.i2
				p.n0 = m.i0 + m.n0 - p.i0
				continue
			}
		}
		out = append(out, m)
	}
	return out
}

func assemble(b, x, y [][]byte, list []region, opt MergeOptions) ([]byte, int) {
	var out bytes.Buffer
	conflicts, at := 0, 0
	if opt.MarkerSize == 0 {
		opt.MarkerSize = DefaultMarker
	}
	for _, m := range list {
		if m.mode == 0 && opt.Favor != FavorNone {
			m.mode = int(opt.Favor)
		}
		writeLines(&out, x[at:m.i1])
		switch m.mode {
		case 0:
			conflicts++
			writeConflict(&out, b, x, y, m, opt)
		case 1, 4:
			writeLines(&out, x[m.i1:m.i1+m.n1])
		case 3:
			writeLines(&out, x[m.i1:m.i1+m.n1])
			endLine(&out)
			writeLines(&out, y[m.i2:m.i2+m.n2])
		case 2:
			writeLines(&out, y[m.i2:m.i2+m.n2])
		}
		at = m.i1 + m.n1
	}
	writeLines(&out, x[at:])
	return out.Bytes(), conflicts
}

func writeLines(out *bytes.Buffer, lines [][]byte) {
	for _, l := range lines {
		out.Write(l)
	}
}

// endLine makes sure that what follows begins a line.
func endLine(out *bytes.Buffer) {
	if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
		out.WriteByte('\n')
	}
}

func writeConflict(out *bytes.Buffer, b, x, y [][]byte, m region, opt MergeOptions) {
	crlf := m.n1 > 0 && bytes.HasSuffix(x[m.i1], []byte("\r\n"))
	mark := func(c byte, label string) {
		endLine(out)
		out.Write(bytes.Repeat([]byte{c}, opt.MarkerSize))
		if label != "" {
			out.WriteString(" " + label)
		}
		if crlf {
			out.WriteByte('\r')
		}
		out.WriteByte('\n')
	}
	mark('<', opt.Ours)
	writeLines(out, x[m.i1:m.i1+m.n1])
	if opt.Style == StyleDiff3 {
		mark('|', opt.Base)
		writeLines(out, b[m.i0:m.i0+m.n0])
	}
	mark('=', "")
	writeLines(out, y[m.i2:m.i2+m.n2])
	mark('>', opt.Theirs)
}
