package differ

import (
	"bytes"
)

// applier puts the hunks of one file in their places.
type applier struct {
	lines      [][]byte // of the file
	looseSpace bool     // -l
	yield      func()
	out        [][]byte
	frozen     int // lines of the file that are already copied
	inOffset   int // how far the file has moved against the patch
	outOffset  int // how many lines hunks have added
}

// side returns the lines of a hunk as the file has them before (old) or after it.
func (h *hunk) side(drop byte) []hunkLine {
	out := make([]hunkLine, 0, len(h.lines))
	for _, l := range h.lines {
		if l.op != drop {
			out = append(out, l)
		}
	}
	return out
}

// contexts are the numbers of context lines at the beginning and the end.
func (h *hunk) contexts() (prefix, suffix int) {
	for prefix < len(h.lines) && h.lines[prefix].op == ' ' {
		prefix++
	}
	if prefix == len(h.lines) {
		return prefix, prefix
	}
	for h.lines[len(h.lines)-1-suffix].op == ' ' {
		suffix++
	}
	return prefix, suffix
}

// firstLine is where the hunk expects its old lines, from 1. A hunk without old lines comes after the line it names.
func (h *hunk) firstLine() int {
	if h.oldLines == 0 {
		return h.oldStart + 1
	}
	return h.oldStart
}

// locate finds the line (from 1) where the hunk fits with so much fuzz, 0 for nowhere.
func (a *applier) locate(h *hunk, fuzz int) int {
	old := h.side('+')
	guess := h.firstLine() + a.inOffset
	if len(old) == 0 {
		if guess <= a.frozen {
			return 0 // before a hunk that is already applied: the output would be garbled
		}
		return min(guess, len(a.lines)+1)
	}
	prefix, suffix := h.contexts()
	context := max(prefix, suffix)
	prefixFuzz, suffixFuzz := fuzz+prefix-context, fuzz+suffix-context
	maxUp := len(a.lines) - (len(old) - max(suffixFuzz, 0)) + 1 - guess
	maxDown := min(guess-(a.frozen+1), guess-1)
	try := func(offset, pf, sf int) bool { return a.matches(old, guess+offset, pf, sf) }
	if prefixFuzz < 0 && h.firstLine() <= 1 {
		if suffixFuzz < 0 && (len(old) != len(a.lines) || prefix < a.frozen) {
			return 0
		}
		if offset := 1 - guess; a.frozen <= prefix && offset <= maxUp && try(offset, 0, max(suffixFuzz, 0)) {
			return guess + offset
		}
		return 0
	}
	prefixFuzz = max(prefixFuzz, 0)
	if suffixFuzz < 0 {
		offset := guess - (len(a.lines) - len(old) + 1)
		if offset <= maxDown && try(-offset, prefixFuzz, 0) {
			return guess - offset
		}
		return 0
	}
	for offset := 0; offset <= max(maxUp, maxDown); offset++ {
		if offset&0xfff == 0xfff {
			a.yield()
		}
		if offset <= maxUp && try(offset, prefixFuzz, suffixFuzz) {
			return guess + offset
		}
		if offset > 0 && offset <= maxDown && try(-offset, prefixFuzz, suffixFuzz) {
			return guess - offset
		}
	}
	return 0
}

// matches reports whether the file has the lines at line where (from 1), some at both ends left out.
func (a *applier) matches(old []hunkLine, where, prefixFuzz, suffixFuzz int) bool {
	for i := prefixFuzz; i < len(old)-suffixFuzz; i++ {
		at := where - 1 + i
		if at < 0 || at >= len(a.lines) || !a.equal(a.lines[at], old[i].text) {
			return false
		}
	}
	return true
}

func (a *applier) equal(x, y []byte) bool {
	if !a.looseSpace {
		return bytes.Equal(x, y)
	}
	return bytes.Equal(squeeze(nil, text(x)), squeeze(nil, text(y)))
}

// result tells where a hunk went.
type result struct {
	where  int // in the file, from 1; 0 when it failed
	fuzz   int
	offset int
	shown  int // the line that messages name
}

// find looks for the hunk's place with growing fuzz.
func (a *applier) find(h *hunk, maxFuzz int) result {
	prefix, suffix := h.contexts()
	limit := min(maxFuzz, max(prefix, suffix))
	for fuzz := 0; fuzz <= limit; fuzz++ {
		if where := a.locate(h, fuzz); where > 0 {
			return result{where: where, fuzz: fuzz, offset: where - h.firstLine(), shown: where + a.outOffset}
		}
	}
	return result{shown: h.firstLine() + a.outOffset}
}

// apply replaces the old lines at the place that find has found.
func (a *applier) apply(h *hunk, r result) {
	a.inOffset = r.offset
	at := r.where - 1
	// With fuzz a hunk may be taken for one that is past the end.
	a.out = append(a.out, a.lines[a.frozen:min(max(at, a.frozen), len(a.lines))]...)
	for _, l := range h.lines {
		switch l.op {
		case ' ':
			// The file's own line is kept: with fuzz or -l it may differ from the patch's, or be past the end.
			if at < len(a.lines) {
				a.out = append(a.out, a.lines[at])
			}
			at++
		case '-':
			at++
		default:
			a.out = append(a.out, l.text)
		}
	}
	a.frozen = min(at, len(a.lines))
	a.outOffset += h.newLines - h.oldLines
}

// finish copies the rest, and returns the whole.
func (a *applier) finish() []byte {
	a.out = append(a.out, a.lines[a.frozen:]...)
	var b bytes.Buffer
	for i, l := range a.out {
		b.Write(l)
		if !complete(l) && i+1 < len(a.out) {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
