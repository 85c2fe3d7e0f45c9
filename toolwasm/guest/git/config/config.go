// Package config reads git's configuration files and changes them in place, leaving comments and order as they are.
//
// It promises to give the values that git gives, and never to follow an include: what a configuration could name outside
// the workspace stays outside.
package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxSize bounds a configuration file.
const MaxSize = 4 << 20

// ErrSyntax reports a file that is no configuration.
var ErrSyntax = errors.New("config: parse: bad config line")

// SyntaxError says where a file is no configuration.
type SyntaxError struct{ Line int }

func (e *SyntaxError) Error() string { return fmt.Sprintf("%v %d", ErrSyntax, e.Line) }

// Is makes errors.Is find ErrSyntax.
func (e *SyntaxError) Is(target error) bool { return target == ErrSyntax }

// Entry is one variable with its value.
type Entry struct {
	Key      string // "section.name" or "section.Sub section.name", section and name in lower case
	Value    string
	HasValue bool // "name" alone means true
	start    int  // of its text in the file
	end      int
	inline   bool // it shares its line with a section's header
}

// Section is the header of a section.
type section struct {
	name       string // "section" or "section.Sub"
	start, end int    // of the header's text
}

// File is a parsed configuration file.
type File struct {
	text     string
	Entries  []Entry
	sections []section
}

// Parse reads a configuration file.
func Parse(text string) (*File, error) {
	p := parser{text: text, file: &File{text: text}}
	p.at = len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	for {
		p.skipBlank(true)
		if p.at >= len(text) {
			return p.file, nil
		}
		var ok bool
		if text[p.at] == '[' {
			ok = p.header()
		} else {
			ok = p.variable()
		}
		if !ok {
			return nil, &SyntaxError{1 + strings.Count(text[:min(p.at, len(text))], "\n")}
		}
	}
}

type parser struct {
	text    string
	at      int
	file    *File
	section string
	headEnd int // where the last header ended
}

// skipBlank skips white space, and comments and newlines too.
func (p *parser) skipBlank(lines bool) {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\t' || c == '\r':
			p.at++
		case c == '\n' && lines:
			p.at++
		case (c == '#' || c == ';') && lines:
			end := strings.IndexByte(p.text[p.at:], '\n')
			if end < 0 {
				p.at = len(p.text)
				return
			}
			p.at += end
		default:
			return
		}
	}
}

func (p *parser) header() bool {
	start := p.at
	p.at++
	begin := p.at
	for p.at < len(p.text) && (isKeyChar(p.text[p.at]) || p.text[p.at] == '.') {
		p.at++
	}
	name := strings.ToLower(p.text[begin:p.at])
	p.skipBlank(false)
	if p.at >= len(p.text) {
		return false
	}
	if p.text[p.at] == '"' {
		sub, ok := p.subsection()
		if !ok {
			return false
		}
		name += "." + sub
	}
	if p.at >= len(p.text) || p.text[p.at] != ']' || name == "" {
		return false
	}
	p.at++
	p.section, p.headEnd = name, p.at
	p.file.sections = append(p.file.sections, section{name, start, p.at})
	return true
}

func (p *parser) subsection() (string, bool) {
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case '"':
			p.at++
			return b.String(), true
		case '\n':
			return "", false
		case '\\':
			p.at++
			if p.at >= len(p.text) || p.text[p.at] == '\n' {
				return "", false
			}
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

func isKeyChar(c byte) bool {
	return c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (p *parser) variable() bool {
	start := p.at
	for p.at < len(p.text) && isKeyChar(p.text[p.at]) {
		p.at++
	}
	if c := p.text[start] | 0x20; p.at == start || c < 'a' || c > 'z' || p.section == "" {
		return false
	}
	e := Entry{Key: p.section + "." + strings.ToLower(p.text[start:p.at]), start: start}
	e.inline = p.headEnd > 0 && !strings.Contains(p.text[p.headEnd:start], "\n")
	p.skipBlank(false)
	if p.at < len(p.text) && p.text[p.at] == '=' {
		p.at++
		p.skipBlank(false)
		value, ok := p.value()
		if !ok {
			return false
		}
		e.Value, e.HasValue = value, true
	} else if p.at < len(p.text) && p.text[p.at] != '\n' && p.text[p.at] != '#' && p.text[p.at] != ';' {
		return false
	}
	if end := strings.IndexByte(p.text[p.at:], '\n'); end >= 0 {
		p.at += end + 1
	} else {
		p.at = len(p.text)
	}
	e.end = p.at
	p.file.Entries = append(p.file.Entries, e)
	return true
}

// value reads up to the end of the line, with quotes, escapes, continuations and comments taken care of.
func (p *parser) value() (string, bool) {
	var b strings.Builder
	quoted, spaces := false, 0
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == '\n' || c == '\r' && strings.HasPrefix(p.text[p.at:], "\r\n"):
			return b.String(), !quoted
		case !quoted && (c == ' ' || c == '\t'):
			spaces++
			continue
		case !quoted && (c == '#' || c == ';'):
			return b.String(), true
		}
		if b.Len() > 0 {
			b.WriteString(strings.Repeat(" ", spaces))
		}
		spaces = 0
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			p.at++
			if p.at >= len(p.text) {
				return "", false
			}
			switch p.text[p.at] {
			case '\n':
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'b':
				b.WriteByte('\b')
			case '\\', '"':
				b.WriteByte(p.text[p.at])
			default:
				return "", false
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), !quoted
}

// CanonicalKey returns a key with its section and name in lower case. It is not ok without both.
func CanonicalKey(key string) (canonical string, ok bool) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 1 || last == len(key)-1 {
		return "", false
	}
	sect, name := strings.ToLower(key[:first]), strings.ToLower(key[last+1:])
	for i := range len(sect) {
		if !isKeyChar(sect[i]) {
			return "", false
		}
	}
	for i := range len(name) {
		if !isKeyChar(name[i]) {
			return "", false
		}
	}
	if name[0] < 'a' || name[0] > 'z' {
		return "", false
	}
	return sect + key[first:last] + "." + name, true
}

// Text returns the file's content.
func (f *File) Text() string { return f.text }

// Get returns the last value of a canonical key.
func (f *File) Get(key string) (string, bool) {
	for _, e := range slices.Backward(f.Entries) {
		if e.Key == key {
			return e.Value, true
		}
	}
	return "", false
}

// Has reports whether there is a section of the name.
func (f *File) Has(name string) bool {
	return slices.ContainsFunc(f.sections, func(s section) bool { return s.name == name })
}

// Set replaces the last value of a key, or adds one. What is written keeps the case of the key as given.
func (f *File) Set(key, value string) (*File, error) {
	canonical, _ := CanonicalKey(key)
	for _, e := range slices.Backward(f.Entries) {
		if e.Key == canonical {
			return Parse(f.text[:e.start] + strings.TrimPrefix(line(key, value), "\t") + f.text[e.end:])
		}
	}
	return f.Add(key, value)
}

// Add adds a value at the end of its section.
func (f *File) Add(key, value string) (*File, error) {
	canonical, ok := CanonicalKey(key)
	if !ok {
		return nil, fmt.Errorf("config: set %q: invalid key", key)
	}
	name := canonical[:strings.LastIndexByte(canonical, '.')]
	for i, s := range slices.Backward(f.sections) {
		if s.name != name {
			continue
		}
		end, limit := s.end, len(f.text)
		if i+1 < len(f.sections) {
			limit = f.sections[i+1].start
		}
		for _, e := range f.Entries {
			if e.start >= s.end && e.start < limit {
				end = e.end
			}
		}
		if end == s.end {
			if n := strings.IndexByte(f.text[end:limit], '\n'); n >= 0 {
				end += n + 1
			}
		}
		before := f.text[:end]
		if !strings.HasSuffix(before, "\n") {
			before += "\n"
		}
		return Parse(before + line(key, value) + f.text[end:])
	}
	text := f.text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return Parse(text + header(name) + line(key, value))
}

// Unset removes the values of a key; a section that is left empty goes too.
func (f *File) Unset(key string) (*File, error) {
	var b strings.Builder
	at := 0
	for _, e := range f.Entries {
		if e.Key != key {
			continue
		}
		b.WriteString(strings.TrimRight(f.text[at:e.start], " \t"))
		if e.inline {
			b.WriteByte('\n')
		}
		at = e.end
	}
	b.WriteString(f.text[at:])
	g, err := Parse(b.String())
	if err != nil {
		return nil, err
	}
	return g.dropEmpty(key[:strings.LastIndexByte(key, '.')])
}

// dropEmpty removes the sections of a name that hold neither variables nor comments.
func (f *File) dropEmpty(name string) (*File, error) {
	for i, s := range f.sections {
		limit := len(f.text)
		if i+1 < len(f.sections) {
			limit = f.sections[i+1].start
		}
		if s.name == name && strings.TrimSpace(f.text[s.end:limit]) == "" {
			return Parse(f.text[:s.start] + f.text[limit:])
		}
	}
	return f, nil
}

// RemoveSection removes all sections of a name with what they hold.
func (f *File) RemoveSection(name string) (*File, error) {
	for i, s := range slices.Backward(f.sections) {
		if s.name != name {
			continue
		}
		limit := len(f.text)
		if i+1 < len(f.sections) {
			limit = f.sections[i+1].start
		}
		g, err := Parse(f.text[:s.start] + f.text[limit:])
		if err != nil {
			return nil, err
		}
		return g.RemoveSection(name)
	}
	return f, nil
}

// RenameSection gives all sections of a name another.
func (f *File) RenameSection(from, to string) (*File, error) {
	text := f.text
	for _, s := range slices.Backward(f.sections) {
		if s.name == from {
			text = text[:s.start] + strings.TrimSuffix(header(to), "\n") + text[s.end:]
		}
	}
	return Parse(text)
}

func header(name string) string {
	sect, sub, ok := strings.Cut(name, ".")
	if !ok {
		return "[" + sect + "]\n"
	}
	return "[" + sect + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sub) + "\"]\n"
}

func line(key, value string) string {
	name := key[strings.LastIndexByte(key, '.')+1:]
	text := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value)
	if strings.HasPrefix(value, " ") || strings.HasSuffix(value, " ") || strings.ContainsAny(value, "#;\r") {
		text = `"` + text + `"`
	}
	return "\t" + name + " = " + text + "\n"
}

// Bool reads a value as git reads a boolean.
func Bool(value string, hasValue bool) (b, ok bool) {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	case "":
		return !hasValue, true
	}
	return false, false
}
