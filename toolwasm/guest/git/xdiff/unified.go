package xdiff

import (
	"bytes"
	"strconv"
)

// Options say how changes are shown.
type Options struct {
	Flags     Flags
	Context   int
	Interhunk int  // hunks so many lines apart are shown as one
	Function  bool // whole functions as context
	// IgnoreBlankLines leaves out changes whose lines are all blank.
	IgnoreBlankLines bool
}

// Hunk is a group of changes that are shown together.
type Hunk struct {
	Changes []Change
	A, NA   int // lines of the old text, with context
	B, NB   int
	Heading string // of the section that it is in
}

// maxHeading bounds what is shown of the line that a section begins with.
const maxHeading = 80

// Hunks compares two texts and groups what differs.
func Hunks(a, b [][]byte, opt Options, yield func()) []Hunk {
	changes := Compare(a, b, opt.Flags, yield)
	if opt.IgnoreBlankLines {
		changes = dropBlank(a, b, changes)
	}
	return groupChanges(a, b, changes, opt)
}

func dropBlank(a, b [][]byte, changes []Change) []Change {
	blank := func(lines [][]byte) bool {
		for _, l := range lines {
			if len(bytes.TrimSpace(l)) > 0 {
				return false
			}
		}
		return true
	}
	var kept []Change
	for _, c := range changes {
		if !blank(a[c.A:c.A+c.NA]) || !blank(b[c.B:c.B+c.NB]) {
			kept = append(kept, c)
		}
	}
	return kept
}

// groupChanges puts changes that are near each other into one hunk.
func groupChanges(a, b [][]byte, changes []Change, opt Options) []Hunk {
	var hunks []Hunk
	heading, searched := "", -1
	near := 2*opt.Context + opt.Interhunk
	for i := 0; i < len(changes); {
		j := i + 1
		for j < len(changes) && changes[j].A-(changes[j-1].A+changes[j-1].NA) <= near {
			j++
		}
		first, last := changes[i], changes[j-1]
		before := opt.Context
		after := min(opt.Context, len(a)-(last.A+last.NA), len(b)-(last.B+last.NB))
		if opt.Function {
			before, after = max(before, first.A-functionStart(a, first.A)), max(after, functionEnd(a, last.A+last.NA)-(last.A+last.NA))
			after = min(after, len(b)-(last.B+last.NB))
			for j < len(changes) && changes[j].A <= last.A+last.NA+after {
				last = changes[j]
				j++
				after = min(max(opt.Context, functionEnd(a, last.A+last.NA)-(last.A+last.NA)), len(a)-(last.A+last.NA), len(b)-(last.B+last.NB))
			}
		}
		h := Hunk{Changes: changes[i:j]}
		h.A, h.B = max(first.A-before, 0), max(first.B-before, 0)
		h.NA, h.NB = last.A+last.NA+after-h.A, last.B+last.NB+after-h.B
		for k := h.A - 1; k > searched; k-- {
			if name, ok := functionLine(a[k]); ok {
				heading = name
				break
			}
		}
		searched = max(h.A-1, searched)
		h.Heading = heading
		hunks = append(hunks, h)
		i = j
	}
	return hunks
}

func functionStart(lines [][]byte, at int) int {
	for i := min(at, len(lines)-1); i >= 0; i-- {
		if _, ok := functionLine(lines[i]); ok {
			return i
		}
	}
	return 0
}

func functionEnd(lines [][]byte, at int) int {
	for i := at; i < len(lines); i++ {
		if _, ok := functionLine(lines[i]); ok {
			for i > at && len(bytes.TrimSpace(lines[i-1])) == 0 {
				i--
			}
			return i
		}
	}
	return len(lines)
}

// functionLine tells whether a section begins with a line, and what is shown of it.
func functionLine(l []byte) (string, bool) {
	if len(l) == 0 {
		return "", false
	}
	c := l[0]
	if (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && c != '$' {
		return "", false
	}
	return string(bytes.TrimRight(l[:min(len(l), maxHeading)], " \t\n\v\f\r")), true
}

// Header is the line that a hunk begins with, without a newline.
func (h *Hunk) Header() string {
	s := "@@ -" + span(h.A, h.NA) + " +" + span(h.B, h.NB) + " @@"
	if h.Heading != "" {
		s += " " + h.Heading
	}
	return s
}

func span(start, n int) string {
	if n == 0 {
		return strconv.Itoa(start) + ",0"
	}
	if n == 1 {
		return strconv.Itoa(start + 1)
	}
	return strconv.Itoa(start+1) + "," + strconv.Itoa(n)
}

// NoNewline is shown after a line that ends a text without a newline.
const NoNewline = "\n\\ No newline at end of file\n"

// Each calls f for each line of a hunk with ' ', '-' or '+', in the order in which they are shown.
func (h *Hunk) Each(a, b [][]byte, f func(mark byte, line []byte)) {
	at := h.B
	for _, c := range h.Changes {
		for ; at < c.B; at++ {
			f(' ', b[at])
		}
		for i := range c.NA {
			f('-', a[c.A+i])
		}
		for i := range c.NB {
			f('+', b[c.B+i])
		}
		at = c.B + c.NB
	}
	for ; at < h.B+h.NB; at++ {
		f(' ', b[at])
	}
}
