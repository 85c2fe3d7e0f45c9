package differ

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// source is one side of a comparison.
type source struct {
	name  string // as the user gave it
	label string // as headers show it
	data  []byte
	lines [][]byte // with their newlines
	stamp string   // the time in headers; "" when a label replaces it
	none  bool     // the file does not exist and counts as empty
}

// split cuts the data into lines.
func (s *source) split() {
	n := bytes.Count(s.data, []byte{'\n'})
	s.lines = make([][]byte, 0, n+1)
	rest := s.data
	for len(rest) > 0 {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			s.lines = append(s.lines, rest)
			return
		}
		s.lines = append(s.lines, rest[:i+1])
		rest = rest[i+1:]
	}
}

// complete reports whether line i ends in a newline.
func complete(line []byte) bool { return len(line) > 0 && line[len(line)-1] == '\n' }

// text is a line without its newline.
func text(line []byte) []byte { return bytes.TrimSuffix(line, []byte{'\n'}) }

// binaryProbe is how much of a file is looked at to tell text from data.
const binaryProbe = 32 << 10

func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), binaryProbe)], 0) >= 0
}

// whitespace says which white space counts.
type whitespace struct {
	ignoreAll      bool // -w
	ignoreChange   bool // -b
	ignoreTrailing bool // -Z
	ignoreTabs     bool // -E
	ignoreCase     bool // -i
	stripCR        bool // --strip-trailing-cr
}

func (w whitespace) exact() bool { return w == whitespace{} }

// key returns what of a line is compared.
func (w whitespace) key(line, buf []byte) []byte {
	body, newline := text(line), complete(line)
	if w.stripCR && newline {
		body = bytes.TrimSuffix(body, []byte{'\r'})
	}
	buf = buf[:0]
	switch {
	case w.ignoreAll:
		for _, c := range body {
			if !isSpace(c) {
				buf = append(buf, c)
			}
		}
	case w.ignoreChange:
		buf = squeeze(buf, body)
	case w.ignoreTabs:
		buf = expandTabs(buf, body)
	default:
		buf = append(buf, body...)
	}
	if w.ignoreTrailing && !w.ignoreAll {
		buf = bytes.TrimRight(buf, " \t\v\f\r")
	}
	if w.ignoreCase {
		buf = foldCase(buf)
	}
	// Where white space counts, a last line without a newline differs from one with it.
	if newline || w.ignoreAll || w.ignoreChange || w.ignoreTrailing {
		buf = append(buf, '\n')
	}
	return buf
}

func isSpace(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') }

// squeeze makes runs of white space one blank, and drops them at the end.
func squeeze(buf, body []byte) []byte {
	for i := 0; i < len(body); i++ {
		if !isSpace(body[i]) {
			buf = append(buf, body[i])
			continue
		}
		for i+1 < len(body) && isSpace(body[i+1]) {
			i++
		}
		buf = append(buf, ' ')
	}
	return bytes.TrimSuffix(buf, []byte{' '})
}

func expandTabs(buf, body []byte) []byte {
	column := 0
	for _, c := range body {
		switch c {
		case '\t':
			for ok := true; ok; ok = column%tabStop != 0 {
				buf = append(buf, ' ')
				column++
			}
		case '\b':
			column = max(column-1, 0)
			buf = append(buf, c)
		default:
			buf = append(buf, c)
			column++
		}
	}
	return buf
}

// tabStop is the distance of tab stops.
const tabStop = 8

func foldCase(b []byte) []byte {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return bytes.Map(unicode.ToLower, b)
		}
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}

// classify numbers the lines of both files so that equal numbers mean equal lines.
func classify(a, b *source, w whitespace, yield func()) (x, y []int32, classes int) {
	t := newClasses(len(a.lines) + len(b.lines))
	exact := w.exact()
	var buf []byte
	number := func(lines [][]byte) []int32 {
		out := make([]int32, len(lines))
		for i, line := range lines {
			if i&0xfff == 0 {
				yield()
			}
			if exact {
				out[i] = t.number(line, line)
				continue
			}
			buf = w.key(line, buf)
			out[i] = t.number(buf, nil)
		}
		return out
	}
	x = number(a.lines)
	y = number(b.lines)
	return x, y, len(t.keys)
}

// classes gives numbers to keys: a hash table of numbers alone, since a map with strings for keys takes more memory than the files.
type classes struct {
	seed  maphash.Seed
	slots []int32 // 1 + the number of a key, 0 where there is none
	keys  [][]byte
}

// newClasses makes a table for at most n keys.
func newClasses(n int) *classes {
	return &classes{seed: maphash.MakeSeed(), slots: make([]int32, 1<<bits.Len(uint(n+n/2)))}
}

// number returns the number of a key. stable has the same bytes and stays as it is; without it a new key is copied.
func (t *classes) number(key, stable []byte) int32 {
	mask := uint64(len(t.slots) - 1)
	for at := maphash.Bytes(t.seed, key) & mask; ; at = (at + 1) & mask {
		n := t.slots[at]
		if n != 0 && !bytes.Equal(t.keys[n-1], key) {
			continue
		}
		if n != 0 {
			return n - 1
		}
		if stable == nil {
			stable = bytes.Clone(key)
		}
		t.keys = append(t.keys, stable)
		t.slots[at] = int32(len(t.keys))
		return int32(len(t.keys) - 1)
	}
}
