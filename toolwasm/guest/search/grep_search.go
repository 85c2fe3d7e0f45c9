package search

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// grepBuffer is how much is read at once. The buffer grows beyond it when a line is longer.
const grepBuffer = 256 << 10

// search is the search of one file.
type search struct {
	g    *grep
	o    *grepOptions
	name string
	r    io.Reader

	base     int64 // offset in the file of the buffer's first byte
	line     int64 // lines before the buffer
	counted  int   // up to where in the buffer lines are counted in line
	selected int

	pending int      // lines of context still to be printed
	recent  []record // the last lines that were not printed, for context before
	printed bool     // something was printed
	gap     bool     // lines were left out since

	taken int  // lines of the buffer that were looked at for being text
	valid bool // the whole buffer is text

	binary       bool // the file has been found to be binary: no more lines are printed
	binaryNotice bool
	stopped      bool

	// What rg does differently; nil for grep.
	emit   func(r record, selected bool) // prints a line
	gapped func()                        // prints what stands between groups of lines
	onNUL  func(offset int64) (stop bool)
}

// record is a line that may be printed later.
type record struct {
	text   []byte
	line   int64
	offset int64
}

// run searches the file to its end or until there is nothing more to find.
func (s *search) run() error {
	g := s.g
	if g.buf == nil {
		g.buf = make([]byte, grepBuffer)
	}
	held := 0 // bytes of an unfinished line at the beginning of the buffer
	for !s.stopped {
		if held == len(g.buf) {
			g.buf = append(g.buf, make([]byte, len(g.buf))...)
		}
		n, err := s.r.Read(g.buf[held:])
		s.checkBinary(g.buf[held : held+n])
		if s.stopped {
			return nil
		}
		end := held + n
		if err != nil {
			if end > 0 {
				s.lines(g.buf[:end])
			}
			if err == io.EOF {
				err = nil
			}
			return err
		}
		last := bytes.LastIndexByte(g.buf[held:end], g.delim)
		if last < 0 {
			held = end
			continue
		}
		whole := held + last + 1
		s.lines(g.buf[:whole])
		held = copy(g.buf, g.buf[whole:end])
	}
	return nil
}

// checkBinary looks for NUL bytes, which make a file binary. They then end lines, as newlines do.
func (s *search) checkBinary(b []byte) {
	if s.onNUL != nil {
		if i := bytes.IndexByte(b, 0); i >= 0 && s.onNUL(s.base+int64(i)) {
			s.stopped = true
		}
		return
	}
	if s.o.binary == binaryText || s.g.delim == 0 {
		return
	}
	if !s.binary {
		if bytes.IndexByte(b, 0) < 0 {
			return
		}
		s.binary = true
		if s.o.binary == binaryWithout {
			s.stopped = true
			s.selected = 0
			return
		}
	}
	for i, c := range b {
		if c == 0 {
			b[i] = '\n'
		}
	}
}

// lines searches a buffer of whole lines, of which the last may lack its end.
func (s *search) lines(b []byte) {
	s.counted = 0
	s.taken, s.valid = 0, false
	if s.bulk() && !s.o.invert && !s.o.context && !s.o.quiet && s.o.list == listNone {
		s.countMatching(b)
		s.base += int64(len(b))
		return
	}
	pos := 0
	for pos < len(b) && !s.stopped {
		if s.enough() {
			s.trailing(b, pos)
			break
		}
		at := s.g.m.scan(b, pos)
		if at < 0 {
			pos = s.others(b, pos, len(b))
			continue
		}
		start, end := pos, len(b)
		if at > len(b)-1 && b[len(b)-1] == s.g.delim {
			// The match is empty and after the last line's end: it is in no line.
			pos = s.others(b, pos, len(b))
			continue
		}
		if i := bytes.LastIndexByte(b[pos:at], s.g.delim); i >= 0 {
			start = pos + i + 1
		}
		if i := bytes.IndexByte(b[at:], s.g.delim); i >= 0 {
			end = at + i + 1
		}
		if start > pos {
			if reached := s.others(b, pos, start); reached < start {
				pos = reached
				continue
			}
		}
		if s.stopped || s.enough() {
			pos = start
			continue
		}
		if s.o.invert {
			s.pass(b, start, end)
		} else {
			s.take(b, start, end)
		}
		pos = end
	}
	s.count(b, len(b))
	s.base += int64(len(b))
}

// countMatching counts the lines that match.
func (s *search) countMatching(b []byte) {
	for pos := 0; pos < len(b); {
		at := s.g.m.scan(b, pos)
		if at < 0 || at > len(b)-1 && b[len(b)-1] == s.g.delim {
			break
		}
		s.selected++
		i := bytes.IndexByte(b[at:], s.g.delim)
		if i < 0 {
			break
		}
		pos = at + i + 1
	}
	s.count(b, len(b))
}

// enough reports whether as many lines have been selected as are wanted.
func (s *search) enough() bool { return s.o.maxCount >= 0 && s.selected >= s.o.maxCount }

// others handles lines that do not match and returns how far it got.
func (s *search) others(b []byte, from, to int) int {
	if !s.o.invert {
		s.pass(b, from, to)
		return to
	}
	if s.bulk() {
		s.takeAll(b, from, to)
		return to
	}
	for from < to && !s.stopped && !s.enough() {
		end := to
		if i := bytes.IndexByte(b[from:to], s.g.delim); i >= 0 {
			end = from + i + 1
		}
		s.take(b, from, end)
		from = end
	}
	return from
}

// bulk reports whether selected lines can be handled together: nothing stands before them and nothing depends on
// each.
func (s *search) bulk() bool {
	o := s.o
	return o.count && o.maxCount < 0 && !s.g.discard
}

func (s *search) takeAll(b []byte, from, to int) {
	n := countByte(b[from:to], s.g.delim)
	if b[to-1] != s.g.delim {
		n++
	}
	s.selected += n
}

// take handles a selected line.
func (s *search) take(b []byte, start, end int) {
	s.selected++
	if s.o.quiet || s.o.list != listNone {
		s.stopped = true
		return
	}
	if s.o.count {
		return
	}
	if s.binary {
		s.binaryNotice, s.stopped = true, true
		return
	}
	line := b[start:end]
	if line[len(line)-1] == s.g.delim {
		line = line[:len(line)-1]
	}
	if s.o.binary != binaryText && !s.isText(b, line) {
		// The line is not text: it is not printed, and the file is reported at the end.
		s.binaryNotice = true
		if s.o.binary == binaryWithout {
			s.stopped = true
		}
		return
	}
	rec := record{text: line, offset: s.base + int64(start)}
	if s.o.number {
		s.count(b, start)
		rec.line = s.line + 1
	}
	if s.o.context {
		s.separate()
		for _, r := range s.recent {
			s.print(r, '-')
		}
		s.recent = s.recent[:0]
		s.pending = s.o.after
	}
	s.print(rec, ':')
	s.printed = true
}

// manyTaken is how many lines of a buffer are looked at singly for being text before the whole buffer is.
const manyTaken = 16

// isText reports whether a line of b is valid UTF-8.
func (s *search) isText(b, line []byte) bool {
	if s.taken++; s.taken == manyTaken {
		s.valid = utf8.Valid(b)
	}
	return s.valid || utf8.Valid(line)
}

// separate prints what stands between groups of lines.
func (s *search) separate() {
	if s.printed && s.gap && s.gapped != nil {
		s.gapped()
	} else if s.printed && s.gap && !s.o.noSeparator {
		s.g.colored(s.g.colors.separator, s.o.separator)
		_ = s.g.out.WriteByte('\n')
	}
	s.gap = false
}

// trailing prints the lines of context after the last line that is wanted, whether they match or not.
func (s *search) trailing(b []byte, from int) {
	for s.pending > 0 && from < len(b) {
		end := len(b)
		if i := bytes.IndexByte(b[from:], s.g.delim); i >= 0 {
			end = from + i + 1
		}
		s.print(s.record(b, from, end), '-')
		from = end
		s.pending--
	}
	if s.pending == 0 {
		s.stopped = true
	}
}

// pass handles lines that are not selected: context.
func (s *search) pass(b []byte, from, to int) {
	if !s.o.context && s.pending == 0 {
		return
	}
	for s.pending > 0 && from < to {
		end := to
		if i := bytes.IndexByte(b[from:to], s.g.delim); i >= 0 {
			end = from + i + 1
		}
		if !s.binary {
			s.print(s.record(b, from, end), '-')
		}
		s.pending--
		from = end
	}
	if from == to {
		return
	}
	keep := s.tail(b, from, to)
	if keep > from || len(s.recent) > 0 && s.o.before == 0 {
		s.gap = true
	}
	for keep < to {
		end := to
		if i := bytes.IndexByte(b[keep:to], s.g.delim); i >= 0 {
			end = keep + i + 1
		}
		if len(s.recent) == s.o.before {
			s.gap = true
			copy(s.recent, s.recent[1:])
			s.recent = s.recent[:len(s.recent)-1]
		}
		r := s.record(b, keep, end)
		r.text = bytes.Clone(r.text)
		s.recent = append(s.recent, r)
		keep = end
	}
}

// tail returns where the last lines of b[from:to] begin that can be context.
func (s *search) tail(b []byte, from, to int) int {
	if s.o.before == 0 {
		return to
	}
	at := to
	for range s.o.before {
		i := bytes.LastIndexByte(b[from:max(at-1, from)], s.g.delim)
		if i < 0 {
			return from
		}
		at = from + i + 1
	}
	return at
}

func (s *search) record(b []byte, start, end int) record {
	r := record{text: b[start:end], offset: s.base + int64(start)}
	if n := len(r.text); r.text[n-1] == s.g.delim {
		r.text = r.text[:n-1]
	}
	if s.o.number {
		s.count(b, start)
		r.line = s.line + 1
	}
	return r
}

// count brings the number of lines up to place to.
func (s *search) count(b []byte, to int) {
	if s.o.number && to > s.counted {
		s.line += int64(countByte(b[s.counted:to], s.g.delim))
		s.counted = to
	}
}

// countByte is bytes.Count for one byte, eight at a time: the library's own goes byte by byte in WebAssembly.
func countByte(b []byte, c byte) int {
	const (
		ones = 0x0101010101010101
		low  = 0x7f * ones
	)
	pattern := uint64(c) * ones
	n := 0
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b) ^ pattern
		n += bits.OnesCount64(^((x&low + low) | x | low)) // the high bit of each byte of x that is zero
	}
	for _, d := range b {
		if d == c {
			n++
		}
	}
	return n
}

func writeInt(w *bufio.Writer, n int) {
	var buf [20]byte
	_, _ = w.Write(strconv.AppendInt(buf[:0], int64(n), 10))
}
