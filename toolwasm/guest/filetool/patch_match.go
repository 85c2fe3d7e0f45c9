package filetool

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"openclaw/toolwasm/guest/command"
)

// level is how much a line of a file may differ from the line of a patch that it is taken for.
type level int

const (
	exactly        level = iota
	lessTrailing         // white space at the end does not count
	lessIndent           // nor does any at the beginning
	lessTypography       // nor how Unicode writes quotes, dashes, spaces and letters
	levels
)

// comparable is a line as it is compared at a level.
func (l level) comparable(line string) string {
	switch l {
	case lessTrailing:
		return strings.TrimRightFunc(line, unicode.IsSpace)
	case lessIndent:
		return strings.TrimSpace(line)
	case lessTypography:
		if !isASCII(line) {
			line = string(foldText(line, false))
		}
		return strings.TrimSpace(line)
	}
	return line
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// fileLine is a line of a file with its ending, "" for a last line without one.
type fileLine struct{ text, ending string }

// splitLines takes a text apart, losslessly.
func splitLines(content []byte) (mark string, lines []fileLine) {
	mark, rest := string(content[:bomLen(content)]), string(content[bomLen(content):])
	lines = make([]fileLine, 0, bytes.Count(content, []byte{'\n'})+1)
	for rest != "" {
		line, after, ended := strings.Cut(rest, "\n")
		l := fileLine{text: line}
		if ended {
			l.ending = "\n"
			if text, ok := strings.CutSuffix(line, "\r"); ok {
				l = fileLine{text, "\r\n"}
			}
		}
		lines = append(lines, l)
		rest = after
	}
	return mark, lines
}

// text is a file whose lines a patch is matched against.
type text struct {
	p     *command.Proc
	lines []fileLine
	// folded remembers the lines as the dearest level compares them.
	folded []string
}

func (t *text) at(i int, l level) string {
	if l != lessTypography {
		return l.comparable(t.lines[i].text)
	}
	if t.folded == nil {
		t.folded = make([]string, len(t.lines))
		for j, line := range t.lines {
			t.folded[j] = l.comparable(line.text)
			if j%yieldLines == 0 {
				t.p.Yield()
			}
		}
	}
	return t.folded[i]
}

// seek returns where the wanted lines are at or after from, at one level, up to limit places.
func (t *text) seek(wanted []string, from int, l level, limit int) []int {
	compared := make([]string, len(wanted))
	for i, w := range wanted {
		compared[i] = l.comparable(w)
	}
	var found []int
	for i := from; i+len(wanted) <= len(t.lines) && len(found) < limit; i++ {
		if i%yieldLines == 0 {
			t.p.Yield()
		}
		if t.matches(compared, i, l) {
			found = append(found, i)
		}
	}
	return found
}

func (t *text) matches(compared []string, at int, l level) bool {
	for i, w := range compared {
		if t.at(at+i, l) != w {
			return false
		}
	}
	return true
}

// replacement is what a chunk does: the file's lines from start to end, exclusive, become those of ops.
type replacement struct {
	start, end int
	ops        []op
}

// errNoPlace reports a chunk whose lines are not there.
var errNoPlace = errors.New("these lines were not found")

// place finds where a chunk belongs, at or after position from, and where the next one may begin.
func (t *text) place(c chunk, from int) (replacement, int, error) {
	anchored := c.context != ""
	at := from
	if anchored {
		i, err := t.anchor(c, from)
		if err != nil {
			return replacement{}, 0, err
		}
		at = i + 1
	}
	if len(c.wanted()) == 0 {
		return t.insertion(c, at, from, anchored)
	}
	for _, ops := range readings(c) {
		start, err := t.find(chunk{ops: ops, atEOF: c.atEOF}, at, anchored)
		if err == errNoPlace {
			continue
		}
		if err != nil {
			return replacement{}, 0, err
		}
		end := start + len(chunk{ops: ops}.wanted())
		return replacement{start, end, ops}, end, nil
	}
	return replacement{}, 0, t.notFound(c, at)
}

// readings are the ways to understand a chunk: as it stands, and without the empty lines at its end, which often only
// separate it from what follows.
func readings(c chunk) [][]op {
	all := [][]op{c.ops}
	ops := c.ops
	for n := len(ops) - 1; n > 0 && ops[n].kind == ' ' && ops[n].text == ""; n-- {
		if ops = ops[:n]; len(chunk{ops: ops}.wanted()) > 0 {
			all = append(all, ops)
		}
	}
	return all
}

// insertion places a chunk that only adds lines: after its context, or else at the end of the file.
func (t *text) insertion(c chunk, at, from int, anchored bool) (replacement, int, error) {
	if !anchored || c.atEOF {
		return replacement{len(t.lines), len(t.lines), c.ops}, from, nil
	}
	return replacement{at, at, c.ops}, at, nil
}

// anchor finds the line after @@. A line that only resembles it must be the only one that does.
func (t *text) anchor(c chunk, from int) (int, error) {
	for l := exactly; l < levels; l++ {
		found := t.seek([]string{c.context}, from, l, maxListed+1)
		if len(found) == 0 {
			continue
		}
		if l == exactly || len(found) == 1 || t.samePlace(c, found) {
			return found[0], nil
		}
		return 0, fmt.Errorf("the line after %s is not in the file exactly as given, and several resemble it, at %s; give it exactly, or another one", markChunk, places(found))
	}
	return 0, fmt.Errorf("the line after %s (%q) was not found%s%s", markChunk, cut(c.context, maxQuoted), t.after(from), t.hint([]string{c.context}))
}

// maxQuoted bounds what a message quotes of a line.
const maxQuoted = 120

// samePlace reports whether a chunk ends up at one place whichever of its possible anchors is taken.
func (t *text) samePlace(c chunk, anchors []int) bool {
	if len(anchors) > maxListed || len(c.wanted()) == 0 {
		return false
	}
	place := -1
	for _, a := range anchors {
		at, err := t.find(c, a+1, true)
		if err != nil || place >= 0 && at != place {
			return false
		}
		place = at
	}
	return true
}

// find returns where a chunk's lines are: the first place at the strictest level that has any. A place that only
// resembles the lines must be the only one, or the chunk must be anchored by its context or the end of the file.
func (t *text) find(c chunk, from int, anchored bool) (int, error) {
	wanted := c.wanted()
	if c.atEOF {
		from, anchored = max(from, len(t.lines)-len(wanted)), true
	}
	for l := exactly; l < levels; l++ {
		found := t.seek(wanted, from, l, maxListed+1)
		switch {
		case len(found) == 0:
			continue
		case l == exactly, anchored, len(found) == 1:
			return found[0], nil
		}
		return 0, fmt.Errorf("these lines are not in the file exactly as given, and several places resemble them, at %s; name a line before the right one after %s", places(found), markChunk)
	}
	return 0, errNoPlace
}

// places lists positions as line numbers.
func places(found []int) string {
	lines := make([]int, 0, len(found))
	for _, i := range found[:min(len(found), maxListed)] {
		lines = append(lines, i+1)
	}
	if len(found) > maxListed {
		return listLines(lines) + " and more"
	}
	return listLines(lines)
}

func (t *text) notFound(c chunk, from int) error {
	wanted := c.wanted()
	if c.atEOF && len(t.seek(wanted, 0, lessIndent, 1)) > 0 {
		return fmt.Errorf("these lines are not at the end of the file, as %q demands", markEOF)
	}
	return fmt.Errorf("%w%s%s", errNoPlace, t.after(from), t.hint(wanted))
}

// after tells from where on a search went.
func (t *text) after(from int) string {
	if from == 0 {
		return ""
	}
	return fmt.Sprintf(" after line %d, where the chunk before or the line after %s ends (chunks stand in the order of the file)", from, markChunk)
}

func (t *text) hint(wanted []string) string {
	lines := make([]string, len(t.lines))
	for i, l := range t.lines {
		lines[i] = l.text
	}
	return hint(t.p, lines, wanted)
}

// patched works out what the chunks make of a file.
func patched(p *command.Proc, content []byte, chunks []chunk) ([]byte, error) {
	mark, lines := splitLines(content)
	t := &text{p: p, lines: lines}
	var list []replacement
	from := 0
	for _, c := range chunks {
		r, next, err := t.place(c, from)
		if err != nil {
			return nil, &patchError{c.line, err.Error()}
		}
		list = append(list, r)
		from = next
	}
	if !slices.ContainsFunc(list, replacement.changes) {
		return content, nil
	}
	// Lines that are added at the end may have been given before others: they still go last.
	slices.SortStableFunc(list, func(a, b replacement) int { return a.start - b.start })
	return t.apply(mark, list), nil
}

func (r replacement) changes() bool {
	return slices.ContainsFunc(r.ops, func(o op) bool { return o.kind != ' ' })
}

// apply writes the file with its replacements. Kept lines stay as the file has them.
func (t *text) apply(mark string, list []replacement) []byte {
	w := lineWriter{ending: t.firstEnding()}
	w.out.WriteString(mark)
	at := 0
	for _, r := range list {
		w.lines(t.lines[at:r.start])
		at = r.start
		if at < r.end && t.lines[at].ending != "" {
			w.ending = t.lines[at].ending
		}
		for _, o := range r.ops {
			switch o.kind {
			case '+':
				w.add(o.text)
			case ' ':
				w.lines(t.lines[at : at+1])
				at++
			default:
				w.sawEnding(t.lines[at])
				at++
			}
		}
	}
	w.lines(t.lines[at:])
	return w.finish()
}

// firstEnding is the ending of the file's first line, for lines that have no neighbour before them.
func (t *text) firstEnding() string {
	if len(t.lines) > 0 && t.lines[0].ending != "" {
		return t.lines[0].ending
	}
	return "\n"
}

// lineWriter puts a file together. Lines without an ending get the one of their neighbour.
type lineWriter struct {
	out    bytes.Buffer
	ending string
	open   bool // the last line has no ending yet
}

func (w *lineWriter) sawEnding(l fileLine) {
	if l.ending != "" {
		w.ending = l.ending
	}
}

func (w *lineWriter) lines(list []fileLine) {
	for _, l := range list {
		w.close()
		w.out.WriteString(l.text)
		w.out.WriteString(l.ending)
		w.open = l.ending == ""
		w.sawEnding(l)
	}
}

func (w *lineWriter) add(line string) {
	w.close()
	w.out.WriteString(line)
	w.out.WriteString(w.ending)
}

func (w *lineWriter) close() {
	if w.open {
		w.out.WriteString(w.ending)
		w.open = false
	}
}

// finish ends the last line: a file that was changed ends with a newline.
func (w *lineWriter) finish() []byte {
	w.close()
	return w.out.Bytes()
}
