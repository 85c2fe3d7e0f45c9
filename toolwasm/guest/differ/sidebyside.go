package differ

import (
	"unicode/utf8"
)

// gutter is the space between the columns of side by side output.
const gutter = 3

// columns are the settings of -y.
type columns struct {
	width          int
	suppressCommon bool
	leftColumn     bool
}

// sideBySide is the layout in numbers.
type sideBySide struct {
	*formatter
	columns
	half, right int
}

func newSideBySide(f *formatter, c columns) *sideBySide {
	t := tabStop
	if f.expand {
		t = 1
	}
	off := (c.width + t + gutter) / (2 * t) * t
	s := &sideBySide{formatter: f, columns: c}
	s.half = max(0, min(off-gutter, c.width-off))
	s.right = off
	if s.half == 0 {
		s.right = c.width
	}
	return s
}

func (s *sideBySide) write(changes []change) {
	at, bt := 0, 0
	common := func(to int) {
		for ; at < to; at, bt = at+1, bt+1 {
			switch {
			case s.suppressCommon:
			case s.leftColumn:
				s.row(s.a.lines[at], '(', nil)
			default:
				s.row(s.a.lines[at], ' ', s.b.lines[bt])
			}
		}
	}
	for _, c := range changes {
		common(c.a)
		at, bt = c.a, c.b
		for at < c.a+c.na && bt < c.b+c.nb {
			s.row(s.a.lines[at], '|', s.b.lines[bt])
			at++
			bt++
		}
		for ; bt < c.b+c.nb; bt++ {
			s.row(nil, '>', s.b.lines[bt])
		}
		for ; at < c.a+c.na; at++ {
			s.row(s.a.lines[at], '<', nil)
		}
	}
	common(len(s.a.lines))
}

func (s *sideBySide) row(left []byte, mark byte, right []byte) {
	column := 0
	newline := false
	code := map[byte]string{'<': colorOld, '>': colorNew}[mark]
	if code != "" {
		s.paint(code)
	}
	if left != nil {
		newline = complete(left)
		column = s.halfLine(text(left), 0)
	}
	if mark != ' ' {
		column = s.moveTo(column, (s.half+s.right-1)/2) + 1
		if mark == '|' && newline != complete(right) {
			mark = '\\'
			if newline {
				mark = '/'
			}
		}
		_ = s.w.WriteByte(mark)
	}
	if right != nil {
		newline = newline || complete(right)
		if len(text(right)) > 0 {
			column = s.moveTo(column, s.right)
			s.halfLine(text(right), column)
		}
	}
	if code != "" {
		s.paint(colorReset)
	}
	if newline {
		_ = s.w.WriteByte('\n')
	}
}

// moveTo writes blanks, and tabs where they may be, from one column to another.
func (s *sideBySide) moveTo(from, to int) int {
	if !s.expand {
		for tab := from + tabStop - from%tabStop; tab <= to; tab += tabStop {
			_ = s.w.WriteByte('\t')
			from = tab
		}
	}
	for ; from < to; from++ {
		_ = s.w.WriteByte(' ')
	}
	return to
}

// halfLine writes as much of a line as fits in half the width, beginning in the given column, and returns how
// far it came.
func (s *sideBySide) halfLine(b []byte, indent int) int {
	in, out := 0, 0 // columns of the line, and of what has been written
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == '\t':
			spaces := tabStop - in%tabStop
			if in == out {
				stop := out + spaces
				if s.expand {
					for ; out < min(stop, s.half); out++ {
						_ = s.w.WriteByte(' ')
					}
				} else if stop < s.half {
					out = stop
					_ = s.w.WriteByte('\t')
				}
			}
			in += spaces
		case r == '\r' || r < ' ':
			_ = s.w.WriteByte(b[0])
		default:
			in++
			if in <= s.half {
				for ; out < in-1; out++ {
					_ = s.w.WriteByte(' ')
				}
				out = in
				_, _ = s.w.Write(b[:n])
			}
		}
		b = b[n:]
	}
	return indent + out
}
