package differ

import (
	"fmt"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/getopt"
)

// formats are the settings of --line-format, --GTYPE-group-format and their kin: output by the user's own templates.
type formats struct {
	line  [3]*string // unchanged, old, new
	group [4]*string // unchanged, old, new, changed
}

// The indexes into formats.
const (
	unchanged = iota
	oldOnly
	newOnly
	changedBoth
)

func (f *formats) option(d *differ, o getopt.Option) bool {
	arg := o.Arg
	switch o.Name {
	case "line-format":
		f.line = [3]*string{&arg, &arg, &arg}
	case "unchanged-line-format":
		f.line[unchanged] = &arg
	case "old-line-format":
		f.line[oldOnly] = &arg
	case "new-line-format":
		f.line[newOnly] = &arg
	case "unchanged-group-format":
		f.group[unchanged] = &arg
	case "old-group-format":
		f.group[oldOnly] = &arg
	case "new-group-format":
		f.group[newOnly] = &arg
	case "changed-group-format":
		f.group[changedBoth] = &arg
	case "D":
		f.ifdef(arg)
	default:
		return false
	}
	d.setStyle(styleFormats)
	return true
}

// ifdef makes the group formats of -D.
func (f *formats) ifdef(name string) {
	set := func(i int, s string) {
		if f.group[i] == nil {
			f.group[i] = &s
		}
	}
	name = strings.ReplaceAll(name, "%", "%%")
	set(unchanged, "%=")
	set(oldOnly, "#ifndef "+name+"\n%<#endif /* ! "+name+" */\n")
	set(newOnly, "#ifdef "+name+"\n%>#endif /* "+name+" */\n")
	set(changedBoth, "#ifndef "+name+"\n%<#else /* "+name+" */\n%>#endif /* "+name+" */\n")
}

// defaults fills what the user left out.
func (f *formats) defaults() {
	whole := "%l\n"
	for i := range f.line {
		if f.line[i] == nil {
			f.line[i] = &whole
		}
	}
	old, fresh, both := "%<", "%>", "%="
	if f.group[changedBoth] != nil {
		old, fresh = *f.group[changedBoth], *f.group[changedBoth]
	}
	if f.group[oldOnly] == nil {
		f.group[oldOnly] = &old
	}
	if f.group[newOnly] == nil {
		f.group[newOnly] = &fresh
	}
	if f.group[unchanged] == nil {
		f.group[unchanged] = &both
	}
	if f.group[changedBoth] == nil {
		joined := *f.group[oldOnly] + *f.group[newOnly]
		f.group[changedBoth] = &joined
	}
}

// group is a run of lines of one kind.
type group struct {
	kind   int
	a0, a1 int
	b0, b1 int
}

func (f *formats) write(o *formatter, changes []change) {
	explicit := f.line
	f.defaults()
	at, bt := 0, 0
	emit := func(g group) {
		if g.a0 < g.a1 || g.b0 < g.b1 {
			f.writeGroup(o, *f.group[g.kind], g, explicit)
		}
	}
	for _, c := range changes {
		emit(group{kind: unchanged, a0: at, a1: c.a, b0: bt, b1: c.b})
		g := group{kind: changedBoth, a0: c.a, a1: c.a + c.na, b0: c.b, b1: c.b + c.nb}
		switch {
		case c.nb == 0:
			g.kind = oldOnly
		case c.na == 0:
			g.kind = newOnly
		}
		emit(g)
		at, bt = g.a1, g.b1
	}
	emit(group{kind: unchanged, a0: at, a1: len(o.a.lines), b0: bt, b1: len(o.b.lines)})
}

func (f *formats) writeGroup(o *formatter, format string, g group, explicit [3]*string) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 >= len(format) {
			_ = o.w.WriteByte(format[i])
			continue
		}
		i++
		switch format[i] {
		case '%':
			_ = o.w.WriteByte('%')
		case '<':
			f.lines(o, oldOnly, o.a.lines, g.a0, g.a1, explicit)
		case '>':
			f.lines(o, newOnly, o.b.lines, g.b0, g.b1, explicit)
		case '=':
			f.lines(o, unchanged, o.a.lines, g.a0, g.a1, explicit)
		default:
			n := conversion(o, format[i:], func(c byte) (int, bool) { return groupNumber(c, g) })
			i += n - 1
		}
	}
}

// groupNumber is the value of a letter in a group format.
func groupNumber(c byte, g group) (int, bool) {
	first, last := g.a0, g.a1
	if c >= 'A' && c <= 'Z' {
		first, last = g.b0, g.b1
		c += 'a' - 'A'
	}
	switch c {
	case 'e':
		return first, true
	case 'f':
		return first + 1, true
	case 'l':
		return last, true
	case 'm':
		return last + 1, true
	case 'n':
		return last - first, true
	}
	return 0, false
}

// conversion writes c'x', c'\NNN' or a printf conversion with a number letter, and returns how long it is. What is neither
// is copied with its percent sign.
func conversion(o *formatter, s string, number func(byte) (int, bool)) int {
	if strings.HasPrefix(s, "c'") {
		if end := strings.IndexByte(s[2:], '\''); end > 0 {
			lit := s[2 : 2+end]
			if lit[0] == '\\' {
				if n, err := strconv.ParseUint(lit[1:], 8, 8); err == nil {
					_ = o.w.WriteByte(byte(n))
				}
			} else {
				_, _ = o.w.WriteString(lit)
			}
			return 2 + end + 1
		}
	}
	i := strings.IndexAny(s, "doxX")
	if i >= 0 && strings.Trim(s[:i], "-'0123456789.") == "" && i+1 < len(s) {
		if v, ok := number(s[i+1]); ok {
			fmt.Fprintf(o.w, "%"+strings.ReplaceAll(s[:i], "'", "")+s[i:i+1], v)
			return i + 2
		}
	}
	_ = o.w.WriteByte('%')
	_ = o.w.WriteByte(s[0])
	return 1
}

func (f *formats) lines(o *formatter, kind int, lines [][]byte, from, to int, explicit [3]*string) {
	for i := from; i < to; i++ {
		if explicit[kind] == nil {
			_, _ = o.w.Write(lines[i])
			continue
		}
		f.writeLine(o, *explicit[kind], lines[i], i+1)
	}
}

func (f *formats) writeLine(o *formatter, format string, line []byte, number int) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 >= len(format) {
			_ = o.w.WriteByte(format[i])
			continue
		}
		i++
		switch format[i] {
		case '%':
			_ = o.w.WriteByte('%')
		case 'L':
			_, _ = o.w.Write(line)
		case 'l':
			_, _ = o.w.Write(text(line))
		default:
			i += conversion(o, format[i:], func(c byte) (int, bool) { return number, c == 'n' }) - 1
		}
	}
}
