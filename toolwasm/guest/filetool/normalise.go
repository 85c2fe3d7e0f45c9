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
type view struct {
	text []byte
	base int   // where the source of text begins: after the byte order mark
	runs []run // in order; all that lies between them is the same in both
}

// run is a place where a view and its source differ. It has no inner positions: a match begins and ends at its edges.
type run struct{ from, fromLen, to, toLen int }

// plainView is src without its byte order mark and with "\n" for every line ending.
func plainView(src []byte) *view {
	v := &view{base: bomLen(src)}
	src = src[v.base:]
	if !bytes.Contains(src, []byte("\r\n")) {
		v.text = src
		return v
	}
	v.text = make([]byte, 0, len(src))
	for at := 0; at < len(src); {
		i := bytes.Index(src[at:], []byte("\r\n"))
		if i < 0 {
			v.text = append(v.text, src[at:]...)
			break
		}
		v.text = append(v.text, src[at:at+i]...)
		at += i
		v.replace(at, 2, "\n")
		at += 2
	}
	return v
}

func bomLen(src []byte) int {
	if bytes.HasPrefix(src, []byte(bom)) {
		return len(bom)
	}
	return 0
}

// replace appends what stands for n bytes of the source. Positions in runs do not count the byte order mark.
func (v *view) replace(from, n int, with string) {
	v.runs = append(v.runs, run{from: from, fromLen: n, to: len(v.text), toLen: len(with)})
	v.text = append(v.text, with...)
}

// foldedView is src with the differences taken out that a reader does not see: compatibility forms are normalised (NFKC),
// typographic quotes, dashes and spaces are plain ones, no line has white space at its end, and line endings are "\n".
func foldedView(src []byte) *view {
	base := bomLen(src)
	v := fold(src[base:], false)
	v.base = base
	return v
}

// foldText is a text in folded form. With keepTail the white space at the end of a last line without an ending stays.
func foldText(s string, keepTail bool) []byte { return fold([]byte(s), keepTail).text }

func fold(src []byte, keepTail bool) *view {
	f := folder{view: &view{text: make([]byte, 0, len(src))}, src: src}
	for f.at < len(f.src) {
		f.line(keepTail)
	}
	return f.view
}

type folder struct {
	*view
	src []byte
	at  int // how much of src is done
	buf []byte
}

func (f *folder) line(keepTail bool) {
	start := len(f.text)
	end, ending := len(f.src), 0
	if i := bytes.IndexByte(f.src[f.at:], '\n'); i >= 0 {
		end, ending = f.at+i, 1
		if i > 0 && f.src[end-1] == '\r' {
			end, ending = end-1, 2
		}
	}
	for f.at < end {
		f.segment(end)
	}
	if ending > 0 || !keepTail {
		f.trim(start)
	}
	if ending == 0 {
		return
	}
	if ending == 2 {
		f.replace(f.at, ending, "\n")
	} else {
		f.text = append(f.text, '\n')
	}
	f.at += ending
}

// segment takes the next stretch of the line that normalises by itself.
func (f *folder) segment(end int) {
	plain := f.at
	for plain < end && f.src[plain] < utf8.RuneSelf {
		plain++
	}
	if plain < end && plain > f.at {
		plain-- // a mark that follows may combine with the last letter
	}
	if plain > f.at {
		f.text = append(f.text, f.src[f.at:plain]...)
		f.at = plain
		return
	}
	n := norm.NFKC.NextBoundary(f.src[f.at:end], true)
	if n <= 0 {
		n = 1
	}
	seg := f.src[f.at : f.at+n]
	f.buf = norm.NFKC.Append(f.buf[:0], seg...)
	if folded := foldRunes(f.buf); !bytes.Equal(folded, seg) {
		f.replace(f.at, n, string(folded))
	} else {
		f.text = append(f.text, seg...)
	}
	f.at += n
}

// trim removes the white space at the end of a line that began at start.
func (f *folder) trim(start int) {
	end := start + len(bytes.TrimRightFunc(f.text[start:], unicode.IsSpace))
	if end == len(f.text) {
		return
	}
	for n := len(f.runs); n > 0 && f.runs[n-1].to >= end; n-- {
		f.runs = f.runs[:n-1]
	}
	from := end
	if n := len(f.runs); n > 0 {
		last := f.runs[n-1]
		end = max(end, last.to+last.toLen)
		from = last.from + last.fromLen + end - last.to - last.toLen
	}
	f.text = f.text[:end]
	f.replace(from, f.at-from, "")
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
// counterpart. White space that was taken out at the end of a line belongs to the line's text: it is before n when n is a
// start, and also when it is the end of something on that line.
func (v *view) source(n int, end bool) (int, bool) {
	i := sort.Search(len(v.runs), func(i int) bool { return v.runs[i].to >= n })
	at := n
	if i > 0 {
		r := v.runs[i-1]
		if n < r.to+r.toLen {
			return 0, false
		}
		at = r.from + r.fromLen + n - r.to - r.toLen
	}
	nextLine := end && n > 0 && v.text[n-1] == '\n'
	if i < len(v.runs) && v.runs[i].to == n && v.runs[i].toLen == 0 && !nextLine {
		at = v.runs[i].from + v.runs[i].fromLen
	}
	return v.base + at, true
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
	from, ok1 := v.source(start, false)
	to, ok2 := v.source(end, true)
	return span{from, to}, ok1 && ok2
}
