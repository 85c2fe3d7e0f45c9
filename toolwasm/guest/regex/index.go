package regex

import (
	"bytes"
	"runtime"
)

// finder searches for one string.
type finder struct {
	lit []byte // in lower case where either will do
	// caseBits is what is to be set in each byte of the text before it is compared; nil when the string is searched for as it is.
	caseBits []byte
	// skip tells by the last byte of a window how far the next window is at least: 0 when this one may be the string. It is only made
	// where the library has no fast search of its own.
	skip *[256]uint8
	// again is how far the next window is when this one ends like the string but is another.
	again int
}

// minSkipping is the shortest string for which skipping pays.
const minSkipping = 3

func newFinder(lit literal) *finder {
	f := &finder{}
	folded := false
	for _, c := range lit {
		f.lit = append(f.lit, c.c)
		f.caseBits = append(f.caseBits, c.caseBit)
		folded = folded || c.caseBit != 0
	}
	if !folded {
		f.caseBits = nil
	}
	if folded || runtime.GOARCH == "wasm" && len(lit) >= minSkipping {
		f.prepare()
	}
	return f
}

// plainFinder searches for a string as it is.
func plainFinder(s []byte) *finder {
	lit := make(literal, len(s))
	for i, c := range s {
		lit[i].c = c
	}
	return newFinder(lit)
}

func (f *finder) prepare() {
	n := min(len(f.lit), maxLiteral)
	f.skip = new([256]uint8)
	for i := range f.skip {
		f.skip[i] = uint8(n)
	}
	set := func(i, skip int) {
		f.skip[f.lit[i]] = uint8(skip)
		if f.caseBits != nil && f.caseBits[i] != 0 {
			f.skip[f.lit[i]&^caseBit] = uint8(skip)
		}
	}
	for i := range n - 1 {
		set(i, n-1-i)
	}
	f.again = int(f.skip[f.lit[n-1]])
	set(n-1, 0)
}

// index returns the first place of the string in b, or -1.
func (f *finder) index(b []byte) int {
	if f.skip == nil {
		return bytes.Index(b, f.lit)
	}
	// Horspool's algorithm: look at the last byte of a window and skip by it.
	n := len(f.lit)
	skip := f.skip
	for i := n - 1; i < len(b); {
		// Skipping nothing does no harm, so several skips need but one look at the result.
		for i < len(b)-3*n {
			i += int(skip[b[i]])
			i += int(skip[b[i]])
			i += int(skip[b[i]])
			if skip[b[i]] == 0 {
				break
			}
		}
		if k := skip[b[i]]; k != 0 {
			i += int(k)
			continue
		}
		if f.is(b[i-n+1 : i+1]) {
			return i - n + 1
		}
		i += f.again
	}
	return -1
}

// is reports whether a text as long as the string is the string.
func (f *finder) is(b []byte) bool {
	if f.caseBits == nil {
		return string(b) == string(f.lit)
	}
	for i, c := range b {
		if c|f.caseBits[i] != f.lit[i] {
			return false
		}
	}
	return true
}

// The search for lines that hold a string which every match contains, so that only they are looked at closely, is given up for
// good where nearly every line does: it is of no use then.
const (
	tryLines   = 32 // lines that are looked at before judging
	rareFactor = 64 // bytes between lines at which looking pays
)

// rarity is how often the string that every match contains has been found in lines.
type rarity struct {
	lines, bytes int
	common       bool // too often for looking for it to pay
}

// note counts a line that was found by passing so many bytes.
func (r *rarity) note(passed int) {
	r.lines++
	r.bytes += passed
	if r.lines < tryLines {
		return
	}
	r.common = r.bytes < r.lines*rareFactor
	r.lines, r.bytes = 0, 0
}

// matchLine is MatchEnd for a buffer of lines and a pattern of which a string is known. done is false when the search is to go on
// at next without regard to the string.
func (re *Regexp) matchLine(t text, from int) (end, next int, done bool) {
	scan := re.scanner()
	for pos := from; pos <= len(t.b); {
		if re.rarity.common {
			return -1, pos, false
		}
		i := re.lit.need.index(t.b[pos:])
		if i < 0 {
			return -1, 0, true
		}
		at := pos + i
		start, stop := pos, len(t.b)
		if k := bytes.LastIndexByte(t.b[pos:at], '\n'); k >= 0 {
			start = pos + k + 1
		}
		if k := bytes.IndexByte(t.b[at:], '\n'); k >= 0 {
			stop = at + k
		}
		re.rarity.note(stop - pos)
		if end := scan.first(text{t.b[:stop], t.notBOL, t.raw}, start); end >= 0 {
			return end, 0, true
		}
		pos = stop + 1
	}
	return -1, 0, true
}
