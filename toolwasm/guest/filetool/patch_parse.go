package filetool

import (
	"fmt"
	"strings"
)

// The lines that give a patch its structure.
const (
	markBegin  = "*** Begin Patch"
	markEnd    = "*** End Patch"
	markAdd    = "*** Add File:"
	markDelete = "*** Delete File:"
	markUpdate = "*** Update File:"
	markMove   = "*** Move to:"
	markEOF    = "*** End of File"
	markChunk  = "@@"
)

// action is what a section of a patch does to its file.
type action int

const (
	addFile action = iota
	deleteFile
	updateFile
)

// section is the part of a patch that is about one file.
type section struct {
	action action
	path   string
	moveTo string // of an update, "" when the file stays where it is
	added  []string
	chunks []chunk
	line   int // of its header, in the patch
}

// chunk is one place of a file that is changed.
type chunk struct {
	context string // the text after @@, "" when there is none
	ops     []op
	atEOF   bool
	line    int // in the patch
}

// op is one line of a chunk: kept (' '), removed ('-') or added ('+').
type op struct {
	kind byte
	text string
}

// wanted are the lines that the file must have.
func (c chunk) wanted() []string {
	var lines []string
	for _, o := range c.ops {
		if o.kind != '+' {
			lines = append(lines, o.text)
		}
	}
	return lines
}

// patchError is a mistake in a patch.
type patchError struct {
	line int
	text string
}

func (e *patchError) Error() string { return fmt.Sprintf("line %d of the patch: %s", e.line, e.text) }

// parser reads a patch line by line.
type parser struct {
	lines []string
	at    int // the next line
	first int // the number of lines[0] in the text that was given
}

// parsePatch reads a whole patch. It looks at no file.
func parsePatch(text string) ([]section, error) {
	p := newParser(text)
	if len(p.lines) == 0 {
		return nil, p.fail("the patch is empty")
	}
	p.unwrap()
	if strings.TrimSpace(p.lines[0]) != markBegin {
		return nil, p.fail("the first line must be %q", markBegin)
	}
	end := len(p.lines) - 1
	if end == 0 || strings.TrimSpace(p.lines[end]) != markEnd {
		p.at = end
		return nil, p.fail("the last line must be %q", markEnd)
	}
	p.lines, p.at = p.lines[:end], 1
	var sections []section
	for p.at < len(p.lines) {
		s, err := p.section()
		if err != nil {
			return nil, err
		}
		sections = append(sections, s)
	}
	if len(sections) == 0 {
		return nil, p.fail("the patch names no file")
	}
	return sections, nil
}

// newParser splits a patch into lines, without the blank ones around it.
func newParser(text string) *parser {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	p := &parser{lines: lines, first: 1}
	for len(p.lines) > 0 && strings.TrimSpace(p.lines[0]) == "" {
		p.lines = p.lines[1:]
		p.first++
	}
	for n := len(p.lines); n > 0 && strings.TrimSpace(p.lines[n-1]) == ""; n-- {
		p.lines = p.lines[:n-1]
	}
	return p
}

// unwrap takes the patch out of a here-document that was given along with it.
func (p *parser) unwrap() {
	const least = 4 // two lines of the wrapper, two of the patch
	if len(p.lines) < least {
		return
	}
	word, ok := strings.CutPrefix(strings.TrimSpace(p.lines[0]), "<<")
	last := len(p.lines) - 1
	if ok && strings.Trim(word, `'"`) != "" && strings.Trim(word, `'"`) == strings.TrimSpace(p.lines[last]) {
		p.lines = p.lines[1:last]
		p.first++
	}
}

// fail reports a mistake at the next line.
func (p *parser) fail(format string, args ...any) error {
	return &patchError{p.first + p.at, fmt.Sprintf(format, args...)}
}

// header takes the next line if it is the given header, and returns the path after it.
func (p *parser) header(mark string) (path string, ok bool) {
	if p.at >= len(p.lines) {
		return "", false
	}
	path, ok = strings.CutPrefix(strings.TrimSpace(p.lines[p.at]), mark)
	if ok {
		p.at++
	}
	return strings.TrimSpace(path), ok
}

func (p *parser) section() (section, error) {
	s := section{line: p.first + p.at}
	var ok bool
	if s.path, ok = p.header(markAdd); ok {
		s.action = addFile
		return p.checked(s, p.addition(&s))
	}
	if s.path, ok = p.header(markDelete); ok {
		s.action = deleteFile
		return p.checked(s, nil)
	}
	if s.path, ok = p.header(markUpdate); ok {
		s.action = updateFile
		return p.checked(s, p.update(&s))
	}
	return s, p.fail("%q is no header; there are %q, %q and %q", p.lines[p.at], markAdd, markDelete, markUpdate)
}

// checked refuses what no path can be.
func (p *parser) checked(s section, err error) (section, error) {
	switch {
	case s.path == "":
		return s, &patchError{s.line, "the path is missing"}
	case strings.IndexByte(s.path+s.moveTo, 0) >= 0:
		return s, &patchError{s.line, "the path holds a NUL byte"}
	}
	return s, err
}

func (p *parser) addition(s *section) error {
	for ; p.at < len(p.lines); p.at++ {
		line, ok := strings.CutPrefix(p.lines[p.at], "+")
		if !ok {
			break
		}
		s.added = append(s.added, line)
	}
	return nil
}

func (p *parser) update(s *section) error {
	if to, ok := p.header(markMove); ok {
		if to == "" {
			p.at--
			return p.fail("the path is missing")
		}
		s.moveTo = to
	}
	for p.at < len(p.lines) && !strings.HasPrefix(p.lines[p.at], "***") {
		if strings.TrimSpace(p.lines[p.at]) == "" {
			p.at++ // between chunks
			continue
		}
		c, err := p.chunk(len(s.chunks) == 0)
		if err != nil {
			return err
		}
		s.chunks = append(s.chunks, c)
	}
	if len(s.chunks) == 0 {
		return &patchError{s.line, fmt.Sprintf("the update of %s has no lines", s.path)}
	}
	return nil
}

// chunk reads the lines up to the next chunk or header. Only the first chunk of a file may leave out its @@ line.
func (p *parser) chunk(first bool) (chunk, error) {
	c := chunk{line: p.first + p.at}
	line := p.lines[p.at]
	context, named := strings.CutPrefix(line, markChunk+" ")
	switch {
	case named:
		if c.context = context; strings.TrimSpace(context) == "" {
			c.context = ""
		}
		p.at++
	case strings.TrimRight(line, " \t") == markChunk:
		p.at++
	case !first:
		return c, p.fail("%q begins no chunk; a line with %s is expected", line, markChunk)
	}
	for ; p.at < len(p.lines); p.at++ {
		o, ok := parseOp(p.lines[p.at])
		if !ok {
			break
		}
		c.ops = append(c.ops, o)
	}
	if len(c.ops) == 0 {
		return c, p.noLines()
	}
	if p.at < len(p.lines) && strings.TrimSpace(p.lines[p.at]) == markEOF {
		c.atEOF = true
		p.at++
	}
	return c, nil
}

func (p *parser) noLines() error {
	if p.at < len(p.lines) && !strings.HasPrefix(p.lines[p.at], "***") {
		return p.fail("%q is no line of a chunk: each begins with a blank (kept), - (removed) or + (added)", p.lines[p.at])
	}
	return p.fail("the chunk before it has no lines")
}

func parseOp(line string) (op, bool) {
	if line == "" {
		return op{kind: ' '}, true
	}
	switch line[0] {
	case ' ', '-', '+':
		return op{kind: line[0], text: line[1:]}, true
	}
	return op{}, false
}
