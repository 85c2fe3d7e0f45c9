package git

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/git/xdiff"
)

// peek returns the commit that HEAD of another repository names.
func (g *git) peek(gitDir string) (object.ID, error) {
	id, _, err := refs.Open(gitDir, commonDir(gitDir), g.p.Umask).Resolve(refs.Head)
	return id, err
}

// base85 is the alphabet of binary patches.
const base85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// binaryHunk prints a file as a binary patch does: compressed, 52 bytes a line.
func (r *repo) binaryHunk(data []byte) {
	const perLine = 52
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(data)
	z.Close()
	r.g.printf("literal %d\n", len(data))
	for b := packed.Bytes(); len(b) > 0; {
		n := min(len(b), perLine)
		length := byte('A' + n - 1)
		if n > 26 {
			length = byte('a' + n - 27)
		}
		r.g.out.WriteByte(length)
		r.g.print(encode85(b[:n]) + "\n")
		b = b[n:]
	}
	r.g.print("\n")
}

func encode85(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		var word uint32
		for i := range 4 {
			word <<= 8
			if i < len(b) {
				word |= uint32(b[i])
			}
		}
		var digits [5]byte
		for i := 4; i >= 0; i-- {
			digits[i] = base85[word%85]
			word /= 85
		}
		out.Write(digits[:])
		b = b[min(4, len(b)):]
	}
	return out.String()
}

// checkSpace reports new lines with white space at their ends and marks of conflicts, as --check does.
func (r *repo) checkSpace(list []change, o *diffOptions) bool {
	bad := false
	for i := range list {
		c := &list[i]
		if c.new.mode == 0 || c.status == 'U' {
			continue
		}
		a, err := r.content(&c.old)
		r.g.check(err)
		b, err := r.content(&c.new)
		r.g.check(err)
		if isBinary(b) {
			continue
		}
		lines := xdiff.Lines(b)
		for _, ch := range xdiff.Compare(xdiff.Lines(a), lines, 0, r.g.step) {
			for n := ch.B; n < ch.B+ch.NB; n++ {
				if problem := spaceProblem(lines[n]); problem != "" {
					bad = true
					r.g.printf("%s:%d: %s.\n+%s\n", c.new.path, n+1, problem, strings.TrimSuffix(string(lines[n]), "\n"))
				}
			}
		}
		if n := trailingBlank(lines); n > 0 && n <= len(lines) {
			before := xdiff.Lines(a)
			if trailingBlank(before) == 0 {
				bad = true
				r.g.printf("%s:%d: new blank line at EOF.\n", c.new.path, n)
			}
		}
	}
	return bad
}

// trailingBlank returns the number of the first of the blank lines at the end, 0 when there are none.
func trailingBlank(lines [][]byte) int {
	n := len(lines)
	for n > 0 && len(bytes.TrimSpace(lines[n-1])) == 0 {
		n--
	}
	if n == len(lines) {
		return 0
	}
	return n + 1
}

func spaceProblem(l []byte) string {
	text := strings.TrimSuffix(string(l), "\n")
	var problems []string
	if strings.TrimRight(text, " \t\r\v\f") != text {
		problems = append(problems, "trailing whitespace")
	}
	blank := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	if strings.Contains(blank, " \t") {
		problems = append(problems, "space before tab in indent")
	}
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"} {
		if strings.HasPrefix(text, mark) && (len(text) == len(mark) || text[len(mark)] == ' ') {
			problems = append(problems, "leftover conflict marker")
		}
	}
	return strings.Join(problems, ", ")
}

// showWords prints hunks with the words that went and came in marks.
func (r *repo) showWords(hunks []xdiff.Hunk, a, b [][]byte) {
	for i := range hunks {
		h := &hunks[i]
		r.g.print(h.Header() + "\n")
		at := h.B
		for _, c := range h.Changes {
			for ; at < c.B; at++ {
				r.g.out.Write(b[at])
			}
			r.words(bytes.Join(a[c.A:c.A+c.NA], nil), bytes.Join(b[c.B:c.B+c.NB], nil))
			at = c.B + c.NB
		}
		for ; at < h.B+h.NB; at++ {
			r.g.out.Write(b[at])
		}
	}
}

// words prints one change word by word.
func (r *repo) words(a, b []byte) {
	x, xs := splitAtSpace(a)
	y, ys := splitAtSpace(b)
	at, last := 0, 0 // words of y and bytes of b that have been printed
	var out strings.Builder
	for _, c := range xdiff.Compare(x, y, xdiff.NoIndent, r.g.step) {
		if c.B > at {
			out.Write(b[last:ys[c.B-1].end])
			last = ys[c.B-1].end
		}
		if c.B < len(ys) && c.NB > 0 {
			out.Write(b[last:ys[c.B].start])
			last = ys[c.B].start
		} else if c.NA > 0 && c.NB == 0 {
			gap := b[last:]
			if c.B < len(ys) {
				gap = b[last:ys[c.B].start]
			}
			lead := gap
			if n := bytes.IndexByte(gap, '\n'); n >= 0 {
				lead = gap[:n]
			}
			out.Write(lead)
			last += len(lead)
		}
		if c.NA > 0 {
			fmt.Fprintf(&out, "[-%s-]", a[xs[c.A].start:xs[c.A+c.NA-1].end])
		}
		if c.NB > 0 {
			fmt.Fprintf(&out, "{+%s+}", b[ys[c.B].start:ys[c.B+c.NB-1].end])
			last = ys[c.B+c.NB-1].end
		}
		at = c.B + c.NB
	}
	out.Write(b[last:])
	text := out.String()
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	r.g.print(text)
}

// span is where a word stands.
type span struct{ start, end int }

func splitAtSpace(b []byte) (words [][]byte, at []span) {
	for i := 0; i < len(b); {
		for i < len(b) && bytes.IndexByte([]byte(" \t\n\r\v\f"), b[i]) >= 0 {
			i++
		}
		start := i
		for i < len(b) && bytes.IndexByte([]byte(" \t\n\r\v\f"), b[i]) < 0 {
			i++
		}
		if i > start {
			words, at = append(words, b[start:i]), append(at, span{start, i})
		}
	}
	return words, at
}
