package filetool

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"openclaw/toolwasm/guest/sys"
)

// Limits of edit and apply_patch.
const (
	// maxEditFile bounds the file that is edited: it is held in memory several times over.
	maxEditFile = 16 << 20
	// maxListed bounds the line numbers that a message lists, and the occurrences that are looked for.
	maxListed = 20
)

// edit is one replacement.
type edit struct{ oldText, newText string }

// editDetails are the details of an edit.
type editDetails struct {
	Path         string `json:"path"`
	Replacements int    `json:"replacements"`
	// Lines are the first lines of the replacements, in the file as it is now, in the order in which they were given.
	Lines []int `json:"lines"`
	// Fuzzy lists the edits, counted from 0, that only matched with invisible differences taken out.
	Fuzzy []int `json:"fuzzy,omitempty"`
}

// editTool replaces texts in a file, each of which must occur exactly once.
func editTool(c *call, raw []byte) (*result, error) {
	args, err := parseObject(raw, "", "path", "edits")
	if err != nil {
		return nil, err
	}
	name, err := args.path()
	if err != nil {
		return nil, err
	}
	edits, err := parseEdits(args)
	if err != nil {
		return nil, err
	}
	r, err := c.edit(name, edits)
	if err != nil {
		return nil, failure("edit", name, err)
	}
	return r, nil
}

func parseEdits(args object) ([]edit, error) {
	list, err := args.list("edits")
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, badArgument("edits: at least one is needed")
	}
	edits := make([]edit, len(list))
	for i, raw := range list {
		o, err := parseObject(raw, fmt.Sprintf("edits[%d].", i), "oldText", "newText")
		if err != nil {
			return nil, err
		}
		if edits[i].oldText, err = o.text("oldText"); err != nil {
			return nil, err
		}
		if edits[i].newText, err = o.text("newText"); err != nil {
			return nil, err
		}
		if edits[i].oldText == "" {
			return nil, badArgument("edits[%d].oldText: must not be empty", i)
		}
	}
	return edits, nil
}

func (c *call) edit(name string, edits []edit) (*result, error) {
	at, content, err := c.existing(name)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(content) {
		return nil, errors.New("the file is not UTF-8 text")
	}
	m := &matcher{call: c, src: content, plain: plainView(content)}
	regions := make([]region, len(edits))
	for i, e := range edits {
		if regions[i], err = m.match(i, len(edits), e); err != nil {
			return nil, err
		}
	}
	if err := overlap(regions); err != nil {
		return nil, err
	}
	after, lines := splice(content, regions)
	if bytes.Equal(after, content) {
		return nil, errors.New("no change: the new text is what the file already holds")
	}
	if err := commit(c.disk, c.p.Umask, c.journal, []change{{name: name, at: at, content: after}}); err != nil {
		return nil, err
	}
	return editResult(name, regions, lines), nil
}

// existing reads a file that is to be changed.
func (c *call) existing(name string) (location, []byte, error) {
	at, err := c.target(name)
	if err != nil {
		return at, nil, err
	}
	if !at.exists {
		return at, nil, errors.New(reason(fs.ErrNotExist))
	}
	if at.info.Size > maxEditFile {
		return at, nil, fmt.Errorf("the file has %d bytes, more than the %d that can be edited", at.info.Size, maxEditFile)
	}
	content, err := sys.ReadFile(at.path)
	if err != nil {
		return at, nil, errors.New(reason(err))
	}
	if int64(len(content)) != at.info.Size {
		return at, nil, errChangedMeanwhile
	}
	return at, content, nil
}

func editResult(name string, regions []region, lines []int) *result {
	d := editDetails{Path: name, Replacements: len(regions), Lines: lines}
	for i, r := range regions {
		if r.fuzzy {
			d.Fuzzy = append(d.Fuzzy, i)
		}
	}
	text := fmt.Sprintf("Edited %s: replaced %s, at %s.", name, count(len(regions), "block"), listLines(lines))
	if len(d.Fuzzy) > 0 {
		text += " Some white space, quotes or dashes of the file differ from oldText; only what matched was replaced."
	}
	return &result{Text: text, Details: d}
}

// region is what one edit replaces.
type region struct {
	span
	index   int
	newText string
	fuzzy   bool
}

// matcher finds the regions of a file's edits.
type matcher struct {
	call   *call
	src    []byte
	plain  *view
	folded *view // made when it is needed
}

// match finds the one place that an edit is meant for.
func (m *matcher) match(i, of int, e edit) (region, error) {
	found := m.plain.find([]byte(lf(e.oldText)), false, maxListed+1)
	fuzzy := len(found) == 0
	if fuzzy {
		found = m.fuzzy(e.oldText)
	}
	what := "oldText"
	if of > 1 {
		what = fmt.Sprintf("edits[%d].oldText", i)
	}
	switch len(found) {
	case 0:
		return region{}, fmt.Errorf("%s was not found in the file%s", what, m.hint(e.oldText))
	case 1:
		return region{span: found[0], index: i, newText: lf(e.newText), fuzzy: fuzzy}, nil
	}
	return region{}, ambiguous(what, m.src, found)
}

func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// fuzzy finds where oldText occurs once invisible differences are taken out.
func (m *matcher) fuzzy(oldText string) []span {
	if m.folded == nil {
		m.folded = foldedView(m.src)
	}
	m.call.p.Yield()
	kept := foldText(oldText, true)
	trimmed := foldText(oldText, false)
	found := m.folded.find(kept, false, maxListed+1)
	// White space at the end of oldText may be missing in the file, but only where the line ends there.
	if len(trimmed) < len(kept) {
		found = append(found, m.folded.find(trimmed, true, maxListed+1)...)
	}
	return found
}

func ambiguous(what string, src []byte, found []span) error {
	lines := make([]int, 0, len(found))
	for _, s := range found {
		lines = append(lines, lineAt(src, s.start))
	}
	times := fmt.Sprintf("%d times", len(found))
	if len(found) > maxListed {
		times, lines = fmt.Sprintf("more than %d times", maxListed), lines[:maxListed]
	}
	return fmt.Errorf("%s occurs %s in the file, at %s; it must occur exactly once, so add lines around it", what, times, listLines(lines))
}

// lineAt is the number of the line that holds position at.
func lineAt(src []byte, at int) int { return bytes.Count(src[:at], []byte{'\n'}) + 1 }

// listLines is "line 3" or "lines 3, 7 and 9".
func listLines(lines []int) string {
	lines = slices.Compact(slices.Clone(lines))
	if len(lines) == 1 {
		return fmt.Sprintf("line %d", lines[0])
	}
	var b strings.Builder
	b.WriteString("lines ")
	for i, n := range lines {
		switch {
		case i == 0:
		case i == len(lines)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// overlap refuses edits of the same text.
func overlap(regions []region) error {
	order := sorted(regions)
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1], order[i]; b.start < a.end {
			first, second := min(a.index, b.index), max(a.index, b.index)
			return fmt.Errorf("edits[%d] and edits[%d] overlap in the file; make one edit of them", first, second)
		}
	}
	return nil
}

func sorted(regions []region) []region {
	return slices.SortedFunc(slices.Values(regions), func(a, b region) int { return a.start - b.start })
}

// splice puts the new texts in place of their regions, and tells at which line each begins then.
func splice(src []byte, regions []region) (after []byte, lines []int) {
	lines = make([]int, len(regions))
	after = make([]byte, 0, len(src))
	at, line, counted := 0, 1, 0
	for _, r := range sorted(regions) {
		after = append(after, src[at:r.start]...)
		line += bytes.Count(after[counted:], []byte{'\n'})
		counted = len(after)
		lines[r.index] = line
		after = appendText(after, r.newText, endingsOf(src, r.span))
		at = r.end
	}
	return append(after, src[at:]...), lines
}

// appendText appends text with the line endings of what it replaces: its first newline like the first one there, and so
// on; when there are no more, like the last.
func appendText(dst []byte, text string, endings []string) []byte {
	for i := 0; ; i++ {
		line, rest, more := strings.Cut(text, "\n")
		dst = append(dst, line...)
		if !more {
			return dst
		}
		dst = append(dst, endings[min(i, len(endings)-1)]...)
		text = rest
	}
}

// endingsOf lists the line endings in a span, or when it has none the one that its line or a neighbour has.
func endingsOf(src []byte, s span) []string {
	var endings []string
	for at := s.start; ; {
		i := bytes.IndexByte(src[at:s.end], '\n')
		if i < 0 {
			break
		}
		endings = append(endings, endingAt(src, at+i))
		at += i + 1
	}
	if len(endings) > 0 {
		return endings
	}
	if i := bytes.IndexByte(src[s.end:], '\n'); i >= 0 {
		return []string{endingAt(src, s.end+i)}
	}
	if i := bytes.LastIndexByte(src[:s.start], '\n'); i >= 0 {
		return []string{endingAt(src, i)}
	}
	return []string{"\n"}
}

// endingAt is the line ending whose "\n" is at position i.
func endingAt(src []byte, i int) string {
	if i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
