package bundle

import (
	"strings"
	"unicode/utf8"
)

// Section is a section of a module.
type Section struct {
	ID   byte   `json:"id"`
	Name string `json:"name"` // of a custom section its own, of another what it holds
	Size int    `json:"size"` // bytes of its content

	start   int // of the section in the file
	content int // of its content
}

// ofSkill tells whether a section makes a module a skill.
func (s Section) ofSkill() bool { return s.ID == custom && strings.HasPrefix(s.Name, sectionPrefix) }

// Ids of sections.
const (
	custom byte = iota
	typeSection
	importSection
	functionSection
	tableSection
	memorySection
	globalSection
	exportSection
	startSection
	elementSection
	codeSection
	dataSection
	dataCountSection
	tagSection
)

// sectionNames are the contents of sections, and sectionOrder the order in which they stand.
var (
	sectionNames = []string{
		"", "types", "imports", "functions", "tables", "memories", "globals", "exports", "start", "elements", "code", "data", "data count", "tags",
	}
	sectionOrder = []int{
		typeSection: 1, importSection: 2, functionSection: 3, tableSection: 4, memorySection: 5, tagSection: 6, globalSection: 7, exportSection: 8,
		startSection: 9, elementSection: 10, dataCountSection: 11, codeSection: 12, dataSection: 13,
	}
)

// Bounds of what is read of sections.
const (
	maxSectionName = 128
	pageSize       = 64 << 10
	maxPages       = 1 << 16 // that 32 bits can address
)

// header begins every module: a magic number and the version. Components have another one.
const header = "\x00asm\x01\x00\x00\x00"

// shape is what is known of a module without having read its code.
type shape struct {
	sections []Section
	memory   int64 // bytes to begin with
}

// walk finds the sections of a module. Nothing is allocated by a length that the module gives.
func walk(file []byte) (*shape, error) {
	switch {
	case len(file) > MaxFile:
		return nil, fail("", ErrTooLarge, "%d bytes, more than %d", len(file), MaxFile)
	case len(file) < len(header) || string(file[:4]) != header[:4]:
		return nil, fail("", ErrNotModule, "")
	case string(file[:len(header)]) != header:
		return nil, fail("", ErrNotModule, "of version 1: it is a component, or of another time")
	}
	w := &shape{}
	in := cursor{file: file, at: len(header), end: len(file)}
	last := 0
	for in.at < in.end {
		s, body, err := in.section()
		if err != nil {
			return nil, err
		}
		if s.ID != custom {
			if sectionOrder[s.ID] <= last {
				return nil, fail("section "+s.Name, ErrMalformed, "it stands twice, or too late")
			}
			last = sectionOrder[s.ID]
		}
		if w.sections = append(w.sections, s); len(w.sections) > MaxSections {
			return nil, fail("", ErrTooLarge, "more than %d sections", MaxSections)
		}
		if err := w.look(s, body); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// look reads what must be known of a section before anybody compiles the module.
func (w *shape) look(s Section, body cursor) error {
	switch s.ID {
	case functionSection, codeSection:
		n, err := body.number(s.Name)
		if err != nil {
			return err
		}
		if n > MaxFunctions {
			return fail("section "+s.Name, ErrTooLarge, "%d functions, more than %d", n, MaxFunctions)
		}
	case importSection:
		return w.lookImports(s, body)
	case memorySection:
		n, err := body.number(s.Name)
		if err != nil {
			return err
		}
		if n > 1 {
			return fail("section "+s.Name, ErrMalformed, "%d memories", n)
		}
		if n == 1 {
			return w.lookMemory(s, &body)
		}
	}
	return nil
}

// lookImports counts the imports. One that is a memory is not taken: a program of its own has its memory.
func (w *shape) lookImports(s Section, body cursor) error {
	n, err := body.number(s.Name)
	if err != nil {
		return err
	}
	if n > MaxImports {
		return fail("section "+s.Name, ErrTooLarge, "%d imports, more than %d", n, MaxImports)
	}
	return nil
}

func (w *shape) lookMemory(s Section, body *cursor) error {
	if _, err := body.take(s.Name); err != nil { // flags
		return err
	}
	pages, err := body.number(s.Name)
	if err != nil {
		return err
	}
	if pages > maxPages {
		return fail("section "+s.Name, ErrMalformed, "%d pages", pages)
	}
	w.memory = int64(pages) * pageSize
	return nil
}

// cursor reads a part of the file.
type cursor struct {
	file    []byte
	at, end int
}

func (c *cursor) take(where string) (byte, error) {
	if c.at >= c.end {
		return 0, fail("section "+where, ErrMalformed, "it ends too early")
	}
	c.at++
	return c.file[c.at-1], nil
}

// number reads an unsigned number of 32 bits (LEB128).
func (c *cursor) number(where string) (uint32, error) {
	const bits = 32
	n := uint64(0)
	for shift := 0; shift < bits; shift += 7 {
		b, err := c.take(where)
		if err != nil {
			return 0, err
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if n > 1<<bits-1 {
				break
			}
			return uint32(n), nil
		}
	}
	return 0, fail("section "+where, ErrMalformed, "a number is too large")
}

// section reads the head of a section and steps over its content.
func (c *cursor) section() (Section, cursor, error) {
	s := Section{start: c.at}
	s.ID, _ = c.take("")
	if int(s.ID) >= len(sectionNames) {
		return s, cursor{}, fail("", ErrMalformed, "there are no sections of kind %d", s.ID)
	}
	s.Name = sectionNames[s.ID]
	size, err := c.number(s.Name)
	if err != nil {
		return s, cursor{}, err
	}
	if int64(size) > int64(c.end-c.at) {
		return s, cursor{}, fail("section "+s.Name, ErrMalformed, "it has %d bytes, and the file only %d more", size, c.end-c.at)
	}
	body := cursor{file: c.file, at: c.at, end: c.at + int(size)}
	c.at = body.end
	if s.ID == custom {
		if s.Name, err = body.name(); err != nil {
			return s, cursor{}, err
		}
	}
	s.content, s.Size = body.at, body.end-body.at
	return s, body, nil
}

// name reads the name of a custom section.
func (c *cursor) name() (string, error) {
	n, err := c.number("custom")
	if err != nil {
		return "", err
	}
	if n > maxSectionName || int(n) > c.end-c.at {
		return "", fail("section custom", ErrMalformed, "its name has %d bytes", n)
	}
	name := string(c.file[c.at : c.at+int(n)])
	c.at += int(n)
	if !utf8.ValidString(name) {
		return "", fail("section custom", ErrMalformed, "its name is not valid UTF-8")
	}
	return name, nil
}

// strip is a module without the sections of a skill.
func strip(file []byte, sections []Section) []byte {
	out := make([]byte, 0, len(file))
	out = append(out, header...)
	for _, s := range sections {
		if !s.ofSkill() {
			out = append(out, file[s.start:s.content+s.Size]...)
		}
	}
	return out
}

// appendSection adds a custom section to a module.
func appendSection(module []byte, name string, content []byte) []byte {
	body := append(appendNumber(nil, len(name)), name...)
	module = append(module, custom)
	module = appendNumber(module, len(body)+len(content))
	return append(append(module, body...), content...)
}

func appendNumber(b []byte, n int) []byte {
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}
