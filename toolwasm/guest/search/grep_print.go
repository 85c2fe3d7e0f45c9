package search

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"openclaw/toolwasm/guest/command"
)

// colors are the sequences for the parts of the output; an empty one prints no sequence.
type colors struct {
	match, context, name, number, offset, separator string
	selectedLine, contextLine                       string
	eraseOff                                        bool
}

// parseColors reads GREP_COLORS, and GREP_COLOR as older versions had it.
func parseColors(p *command.Proc) colors {
	c := colors{match: "01;31", context: "01;31", name: "35", number: "32", offset: "32", separator: "36"}
	spec, _ := p.Env.Get("GREP_COLORS")
	for _, item := range strings.Split(spec, ":") {
		name, value, _ := strings.Cut(item, "=")
		switch name {
		case "mt":
			c.match, c.context = value, value
		case "ms":
			c.match = value
		case "mc":
			c.context = value
		case "fn":
			c.name = value
		case "ln":
			c.number = value
		case "bn":
			c.offset = value
		case "se":
			c.separator = value
		case "sl":
			c.selectedLine = value
		case "cx":
			c.contextLine = value
		case "ne":
			c.eraseOff = true
		}
	}
	return c
}

func (g *grep) colorOn(seq string) {
	if seq == "" {
		return
	}
	_, _ = g.out.WriteString("\x1b[" + seq + "m")
	if !g.colors.eraseOff {
		_, _ = g.out.WriteString("\x1b[K")
	}
}

func (g *grep) colorOff(seq string) {
	if seq == "" {
		return
	}
	_, _ = g.out.WriteString("\x1b[m")
	if !g.colors.eraseOff {
		_, _ = g.out.WriteString("\x1b[K")
	}
}

func (g *grep) colored(seq, text string) {
	g.colorOn(seq)
	_, _ = g.out.WriteString(text)
	g.colorOff(seq)
}

func (g *grep) coloredBytes(seq string, text []byte) {
	g.colorOn(seq)
	_, _ = g.out.Write(text)
	g.colorOff(seq)
}

// prefixName prints the file's name and what follows it, when names are asked for.
func (s *search) prefixName(sep byte) {
	if !s.g.names {
		return
	}
	s.g.colored(s.g.colors.name, s.name)
	if s.o.nameNull {
		_ = s.g.out.WriteByte(0)
		return
	}
	s.g.colored(s.g.colors.separator, string(rune(sep)))
}

func (s *search) listName() {
	s.g.colored(s.g.colors.name, s.name)
	end := byte('\n')
	if s.o.nameNull {
		end = 0
	}
	_ = s.g.out.WriteByte(end)
}

// head prints what stands before a line, or before a match with -o.
func (s *search) head(line, offset int64, sep byte, empty bool) {
	g := s.g
	s.prefixName(sep)
	if s.o.number {
		s.headNumber(g.colors.number, line, sep)
	}
	if s.o.offset {
		s.headNumber(g.colors.offset, offset, sep)
	}
	if s.o.tab && !empty && (g.names || s.o.number || s.o.offset) {
		_ = g.out.WriteByte('\t')
	}
}

// headNumber prints a number that stands before a line, and what follows it.
func (s *search) headNumber(color string, n int64, sep byte) {
	g := s.g
	text := g.out.AvailableBuffer()
	if s.o.tab && g.names {
		text = append(text, ' ')
	}
	text = strconv.AppendInt(text, n, 10)
	if !s.o.color {
		_, _ = g.out.Write(append(text, sep))
		return
	}
	g.colored(color, string(text)) // the colour is written where the text stands
	g.colored(g.colors.separator, string(rune(sep)))
}

// print writes a line, selected if sep is a colon.
func (s *search) print(r record, sep byte) {
	g := s.g
	selected := sep == ':'
	if s.emit != nil {
		s.emit(r, selected)
		return
	}
	matching := selected != s.o.invert
	if s.o.only {
		if matching && selected {
			s.printMatches(r)
		}
		return
	}
	if s.bare() {
		_, _ = g.out.Write(r.text)
		_ = g.out.WriteByte(g.delim)
		return
	}
	s.head(r.line, r.offset, sep, len(r.text) == 0)
	if s.o.color {
		s.printColored(r.text, matching, selected)
	} else {
		_, _ = g.out.Write(r.text)
	}
	_ = g.out.WriteByte(g.delim)
	if s.o.flush {
		_ = g.out.Flush()
	}
}

// bare reports whether lines are printed as they are.
func (s *search) bare() bool {
	o := s.o
	return !s.g.names && !o.number && !o.offset && !o.color && !o.flush
}

// eachMatch calls f with the bounds of each match in a line that is not empty.
func (s *search) eachMatch(line []byte, f func(start, end int)) {
	for from := 0; from <= len(line); {
		start, end := s.g.m.find(line, from)
		if start < 0 {
			return
		}
		if start == end {
			if start >= len(line) {
				return
			}
			_, w := utf8.DecodeRune(line[start:])
			from = start + w
			continue
		}
		f(start, end)
		from = end
	}
}

// printMatches is -o.
func (s *search) printMatches(r record) {
	g := s.g
	s.eachMatch(r.text, func(start, end int) {
		s.head(r.line, r.offset+int64(start), ':', false)
		g.coloredBytes(g.colors.match, r.text[start:end])
		_ = g.out.WriteByte(g.delim)
	})
	if s.o.flush {
		_ = g.out.Flush()
	}
}

func (s *search) printColored(line []byte, matching, selected bool) {
	g := s.g
	whole, match := g.colors.contextLine, g.colors.context
	if selected {
		whole, match = g.colors.selectedLine, g.colors.match
	}
	at := 0
	if matching {
		s.eachMatch(line, func(start, end int) {
			if start > at {
				g.coloredBytes(whole, line[at:start])
			}
			g.coloredBytes(match, line[start:end])
			at = end
		})
	}
	if at < len(line) {
		g.coloredBytes(whole, line[at:])
	}
}
