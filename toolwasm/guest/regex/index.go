package regex

import (
	"bytes"
	"runtime"
)

// finder searches for one string.
type finder struct {
	lit []byte
	// skip tells by the last byte of a window how far the next window can be. It is only made where
	// the library has no fast search of its own.
	skip *[256]uint8
}

// minSkipping is the shortest string for which skipping pays.
const minSkipping = 3

func newFinder(lit []byte) *finder {
	f := &finder{lit: lit}
	if runtime.GOARCH == "wasm" && len(lit) >= minSkipping {
		f.prepare()
	}
	return f
}

func (f *finder) prepare() {
	n := min(len(f.lit), maxLiteral)
	f.skip = new([256]uint8)
	for i := range f.skip {
		f.skip[i] = uint8(n)
	}
	for i := range n - 1 {
		f.skip[f.lit[i]] = uint8(n - 1 - i)
	}
}

// index returns the first place of the string in b, or -1.
func (f *finder) index(b []byte) int {
	if f.skip == nil {
		return bytes.Index(b, f.lit)
	}
	// Horspool's algorithm: look at the last byte of a window and skip by it.
	n := len(f.lit)
	last := f.lit[n-1]
	for i := n - 1; i < len(b); {
		c := b[i]
		if c == last && string(b[i-n+1:i+1]) == string(f.lit) {
			return i - n + 1
		}
		i += int(f.skip[c])
	}
	return -1
}

// lineFinder finds lines that hold a string that every match contains, so that only they are searched. Where nearly
// every line does it is of no use, and it says so.
const (
	tryLines   = 32 // lines that are looked at before judging
	rareFactor = 64 // bytes between lines at which looking pays
)

// matchLine is MatchEnd for a buffer of lines and a pattern of which a string is known. done is false when the search is to go on
// at next without regard to the string.
func (re *Regexp) matchLine(t text, from int) (end, next int, done bool) {
	scan := re.scanner()
	pos := from
	for tries := 1; pos <= len(t.b); tries++ {
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
		if end := scan.first(text{t.b[:stop], t.notBOL, t.raw}, start); end >= 0 {
			return end, 0, true
		}
		pos = stop + 1
		if tries >= tryLines && pos-from < tries*rareFactor {
			return -1, min(pos, len(t.b)), false
		}
	}
	return -1, 0, true
}
