package filetool

import (
	"bytes"
	"sort"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// bom is the byte order mark that some editors put at the start of a UTF-8 file.
const bom = "\uFEFF"

// view is a text in the form in which it is compared, with the way back to the bytes that it was made from.
//
// A view has the lines of its source, so that a position in it is found by its line, and what is remembered of a whole file is
// no more than its text: the line is taken apart again when a match in it is to be placed.
type view struct {
	src    []byte
	text   []byte
	base   int // where the source of text begins: after the byte order mark
	folded bool
	cursor
}

// cursor is the line of a view that was looked at last, and where it begins.
type cursor struct {
	textLine, srcLine int
	runs              []run
	known             bool // runs are of this line
}

// run is a place where a folded line and its source differ; between runs both are the same. It has no inner positions: a
// match begins and ends at its edges.
type run struct{ from, fromLen, to, toLen int32 }

func (r run) fromEnd() int { return int(r.from + r.fromLen) }

func (r run) toEnd() int { return int(r.to + r.toLen) }

// plainView is src without its byte order mark and with "\n" for every line ending.
func plainView(src []byte) *view {
	v := newView(src)
	if v.text = src[v.base:]; bytes.Contains(v.text, []byte("\r\n")) {
		v.text = bytes.ReplaceAll(v.text, []byte("\r\n"), []byte("\n"))
	}
	return v
}

func newView(src []byte) *view {
	n := bomLen(src)
	return &view{src: src, base: n, cursor: cursor{srcLine: n}}
}

func bomLen(src []byte) int {
	if bytes.HasPrefix(src, []byte(bom)) {
		return len(bom)
	}
	return 0
}

// foldedView is src with the differences taken out that a reader does not see: compatibility forms are normalised (NFKC),
// typographic quotes, dashes and spaces are plain ones, no line has white space at its end, and line endings are "\n".
func foldedView(src []byte) *view {
	v := newView(src)
	v.folded = true
	v.text = foldText(src[v.base:], false)
	return v
}

// foldText is a text in folded form. With keepTail the white space at the end of a last line without an ending stays.
func foldText[T ~string | ~[]byte](s T, keepTail bool) []byte {
	src := []byte(s)
	text := make([]byte, 0, len(src))
	var f folder
	for at := 0; at < len(src); {
		line, next := lineOf(src, at)
		f.fold(line, next > at+len(line) || !keepTail)
		text = append(text, f.text...)
		if next > at+len(line) {
			text = append(text, '\n')
		}
		at = next
	}
	return text
}

// lineOf returns the line that begins at position at, without its ending, and where the next one begins.
func lineOf(src []byte, at int) (line []byte, next int) {
	i := bytes.IndexByte(src[at:], '\n')
	if i < 0 {
		return src[at:], len(src)
	}
	return bytes.TrimSuffix(src[at:at+i], []byte("\r")), at + i + 1
}

// folder folds one line after another.
type folder struct {
	src  []byte
	at   int // how much of src is done
	text []byte
	runs []run
	buf  []byte
}

func (f *folder) fold(line []byte, trim bool) {
	f.src, f.at, f.text, f.runs = line, 0, f.text[:0], f.runs[:0]
	for f.at < len(line) {
		f.segment()
	}
	if trim {
		f.trim()
	}
}

// replace appends what stands for n bytes of the source.
func (f *folder) replace(from, n int, with []byte) {
	f.runs = append(f.runs, run{int32(from), int32(n), int32(len(f.text)), int32(len(with))})
	f.text = append(f.text, with...)
}

// segment takes the next stretch of the line that normalises by itself.
func (f *folder) segment() {
	rest := f.src[f.at:]
	plain := 0
	for plain < len(rest) && rest[plain] < utf8.RuneSelf {
		plain++
	}
	if plain < len(rest) && plain > 0 {
		plain-- // a mark that follows may combine with the last letter
	}
	if plain > 0 {
		f.text = append(f.text, rest[:plain]...)
		f.at += plain
		return
	}
	// A typographic character before plain text needs no normalising: that is by far the most usual.
	if r, n := utf8.DecodeRune(rest); n == len(rest) || rest[n] < utf8.RuneSelf {
		if c, ok := foldRune(r); ok {
			f.replace(f.at, n, []byte{c})
			f.at += n
			return
		}
	}
	n := max(norm.NFKC.NextBoundary(rest, true), 1)
	f.buf = norm.NFKC.Append(f.buf[:0], rest[:n]...)
	if folded := foldRunes(f.buf); !bytes.Equal(folded, rest[:n]) {
		f.replace(f.at, n, folded)
	} else {
		f.text = append(f.text, folded...)
	}
	f.at += n
}

// trim removes the white space at the end of the line.
func (f *folder) trim() {
	end := len(bytes.TrimRightFunc(f.text, unicode.IsSpace))
	if end == len(f.text) {
		return
	}
	for n := len(f.runs); n > 0 && int(f.runs[n-1].to) >= end; n-- {
		f.runs = f.runs[:n-1]
	}
	from := end
	if n := len(f.runs); n > 0 {
		last := f.runs[n-1]
		end = max(end, last.toEnd())
		from = last.fromEnd() + end - last.toEnd()
	}
	f.text = f.text[:end]
	f.replace(from, f.at-from, nil)
}

// foldRunes replaces typographic characters, in place: none of them is shorter than what stands for it.
func foldRunes(b []byte) []byte {
	out := b[:0]
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if plain, ok := foldRune(r); ok {
			out = append(out, plain)
		} else {
			out = append(out, b[i:i+n]...)
		}
		i += n
	}
	return out
}

// foldRune returns the plain character for a typographic one.
func foldRune(r rune) (byte, bool) {
	switch r {
	case '‘', '’', '‚', '‛':
		return '\'', true
	case '“', '”', '„', '‟':
		return '"', true
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return '-', true
	case '\u00A0', '\u202F', '\u205F', '\u3000':
		return ' ', true
	}
	if r >= '\u2000' && r <= '\u200A' {
		return ' ', true
	}
	return 0, false
}

// source returns where position n of the view is in the source. It is false for a place inside a run, which has no
// counterpart. White space that was taken out at the end of a line is before n when n is a start, and also when it is the end
// of something on that line.
func (v *view) source(n int, end bool) (int, bool) {
	v.seek(n)
	column := n - v.textLine
	if !v.folded || end && column == 0 {
		return v.srcLine + column, true
	}
	if !v.known {
		var f folder
		line, _ := lineOf(v.src, v.srcLine)
		f.fold(line, true)
		v.runs, v.known = f.runs, true
	}
	return v.column(column)
}

// column returns where a column of the line is in the source.
func (v *view) column(n int) (int, bool) {
	i := sort.Search(len(v.runs), func(i int) bool { return int(v.runs[i].to) >= n })
	at := n
	if i > 0 {
		r := v.runs[i-1]
		if n < r.toEnd() {
			return 0, false
		}
		at = r.fromEnd() + n - r.toEnd()
	}
	if i < len(v.runs) && int(v.runs[i].to) == n && v.runs[i].toLen == 0 {
		at = v.runs[i].fromEnd()
	}
	return v.srcLine + at, true
}

// seek goes to the line of position n.
func (v *view) seek(n int) {
	if n < v.textLine {
		v.cursor = cursor{srcLine: v.base}
	}
	for {
		i := bytes.IndexByte(v.text[v.textLine:n], '\n')
		if i < 0 {
			return
		}
		v.textLine += i + 1
		_, v.srcLine = lineOf(v.src, v.srcLine)
		v.known = false
	}
}

// span is a stretch of a source.
type span struct{ start, end int }

// find returns where pattern occurs, overlapping occurrences included, up to limit of them. With lineEnd only those
// count that reach the end of a line.
func (v *view) find(pattern []byte, lineEnd bool, limit int) []span {
	var found []span
	for at := 0; len(found) < limit && len(pattern) > 0; {
		i := bytes.Index(v.text[at:], pattern)
		if i < 0 {
			break
		}
		at += i
		if s, ok := v.span(at, at+len(pattern), lineEnd); ok {
			found = append(found, s)
		}
		at++
	}
	return found
}

func (v *view) span(start, end int, lineEnd bool) (span, bool) {
	if lineEnd && end < len(v.text) && v.text[end] != '\n' {
		return span{}, false
	}
	from, ok := v.source(start, false)
	if !ok {
		return span{}, false
	}
	here := v.cursor // where the next occurrence is looked for: the way to it is not gone twice
	to, ok := v.source(end, true)
	v.cursor = here
	return span{from, to}, ok
}
