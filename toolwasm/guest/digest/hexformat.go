package digest

import (
	"math"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/format"
)

// dumpFormat is a FORMAT of hexdump: units that are applied to a block of bytes one after another.
type dumpFormat struct{ units []dumpUnit }

// dumpUnit is [repeat][/bytes] "text".
type dumpUnit struct {
	repeat, size int
	fixed        bool // the repeat count was given
	pieces       []dumpPiece
}

// dumpPiece is text with at most one directive.
type dumpPiece struct {
	before string
	kind   byte // 0 for text alone; d u f c s; 'C' _c, 'P' _p, 'U' _u, 'a' _a, 'A' _A
	spec   format.Spec
	size   int
	after  string
	short  string // after, without the blanks at its end
}

const maxDumpRepeat = 1 << 16

// parseDumpFormat reads a FORMAT; msg is the mistake in it.
func parseDumpFormat(s string) (f *dumpFormat, msg string) {
	f = &dumpFormat{}
	whole := s
	for {
		s = strings.TrimLeft(s, " \t\n")
		if s == "" {
			return f, ""
		}
		u := dumpUnit{repeat: 1}
		if d := leadingDigits(s); d != "" {
			n, err := strconv.Atoi(d)
			if err != nil || n > maxDumpRepeat {
				return nil, "bad format {" + whole + "}"
			}
			u.repeat, u.fixed = n, true
			s = strings.TrimLeft(s[len(d):], " \t\n")
		}
		if strings.HasPrefix(s, "/") {
			s = strings.TrimLeft(s[1:], " \t\n")
			d := leadingDigits(s)
			n, err := strconv.Atoi(d)
			if err != nil || n > maxDumpRepeat {
				return nil, "bad format {" + whole + "}"
			}
			u.size = n
			s = strings.TrimLeft(s[len(d):], " \t\n")
		}
		if !strings.HasPrefix(s, `"`) {
			return nil, "bad format {" + whole + "}"
		}
		end := strings.IndexByte(s[1:], '"')
		if end < 0 {
			return nil, "bad format {" + whole + "}"
		}
		if msg := u.parse(unescapeDump(s[1 : 1+end])); msg != "" {
			return nil, msg
		}
		f.units = append(f.units, u)
		s = s[end+2:]
	}
}

func unescapeDump(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte("abfnrtv", s[i]); at >= 0 {
			b.WriteByte("\a\b\f\n\r\t\v"[at])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// parse cuts the text of a unit into pieces.
func (u *dumpUnit) parse(s string) string {
	for s != "" {
		var p dumpPiece
		at := strings.IndexByte(s, '%')
		if at < 0 {
			u.pieces = append(u.pieces, dumpPiece{before: s})
			break
		}
		if strings.HasPrefix(s[at+1:], "%") {
			u.pieces = append(u.pieces, dumpPiece{before: s[:at+1]})
			s = s[at+2:]
			continue
		}
		p.before = s[:at]
		n, msg := p.directive(s[at+1:], u.size)
		if msg != "" {
			return msg
		}
		s = s[at+1+n:]
		if next := strings.IndexByte(s, '%'); next >= 0 {
			p.after, s = s[:next], s[next:]
		} else {
			p.after, s = s, ""
		}
		p.short = p.after
		if s == "" {
			p.short = strings.TrimRight(p.after, " \t\n")
		}
		u.pieces = append(u.pieces, p)
	}
	if u.size == 0 {
		for _, p := range u.pieces {
			u.size += p.size
		}
	}
	return ""
}

// directive reads a directive after its "%" and returns its length.
func (p *dumpPiece) directive(s string, size int) (int, string) {
	letters := 0
	for letters < len(s) && strings.IndexByte("0123456789.#-+ ", s[letters]) >= 0 {
		letters++
	}
	if letters == len(s) {
		return 0, "bad format {%" + s + "}"
	}
	verb := s[letters]
	n := letters + 1
	flags := s[:letters]
	switch verb {
	case '_':
		return p.special(s, flags, n)
	case 'd', 'i':
		p.kind, p.size = 'd', integerDump(size)
	case 'o', 'u', 'x', 'X':
		p.kind, p.size = 'u', integerDump(size)
	case 'e', 'E', 'f', 'g', 'G':
		p.kind, p.size = 'f', 8
		if size == 4 {
			p.size = 4
		}
	case 'c':
		p.kind, p.size = 'c', 1
	case 's':
		p.kind, p.size = 's', max(size, 1)
	default:
		return 0, "bad conversion character %" + string(verb)
	}
	if p.size == 0 {
		return 0, "bad byte count for conversion character " + string(verb)
	}
	p.spec, _, _ = format.Parse(s[:n])
	if p.kind == 's' && size == 0 && p.spec.Prec > 0 {
		p.size = min(p.spec.Prec, maxDumpRepeat)
	}
	return n, ""
}

func integerDump(size int) int {
	switch size {
	case 0:
		return 4
	case 1, 2, 4, 8:
		return size
	}
	return 0
}

func (p *dumpPiece) special(s, flags string, n int) (int, string) {
	if n >= len(s) {
		return 0, "bad format {%" + s + "}"
	}
	c := s[n]
	n++
	switch c {
	case 'a', 'A':
		if n >= len(s) || strings.IndexByte("dox", s[n]) < 0 {
			return 0, "bad conversion character %_" + string(c)
		}
		p.kind = c
		p.spec, _, _ = format.Parse(flags + s[n:n+1])
		n++
	case 'c', 'p', 'u':
		p.kind, p.size = c-'a'+'A', 1
		p.spec, _, _ = format.Parse(flags + "s")
	default:
		return 0, "bad conversion character %_" + string(c)
	}
	return n, ""
}

// bytes is how many bytes of a block the format looks at.
func (f *dumpFormat) bytes() int {
	n := 0
	for _, u := range f.units {
		n += u.repeat * u.size
	}
	return n
}

// fill repeats the last unit until the block is used up, unless its count was given.
func (f *dumpFormat) fill(size int) {
	if len(f.units) == 0 {
		return
	}
	for i := len(f.units) - 1; i >= 0; i-- {
		u := &f.units[i]
		if u.size == 0 {
			continue
		}
		if left := size - f.bytes(); left > 0 && !u.fixed {
			u.repeat += left / u.size
		}
		return
	}
}

// append writes a block that begins at offset at. Behind end directives become blanks.
func (f *dumpFormat) append(b, block []byte, at, end int64) []byte {
	pos := 0
	for i := range f.units {
		u := &f.units[i]
		for r := range u.repeat {
			for k := range u.pieces {
				p := &u.pieces[k]
				if p.kind == 'A' {
					continue
				}
				b = append(b, p.before...)
				if p.kind != 0 {
					past := end >= 0 && at+int64(pos) >= end
					b = p.append(b, block[min(pos, len(block)):], at+int64(pos), past)
				}
				if u.repeat > 1 && r == u.repeat-1 {
					b = append(b, p.short...)
				} else {
					b = append(b, p.after...)
				}
				pos += p.size
			}
		}
	}
	return b
}

// appendEnd writes what stands once at the end: the directives with the last offset.
func (f *dumpFormat) appendEnd(b []byte, at int64) []byte {
	for _, u := range f.units {
		for _, p := range u.pieces {
			if p.kind == 'A' {
				b = append(b, p.before...)
				b = p.spec.AppendUint(b, uint64(at))
				b = append(b, p.after...)
			}
		}
	}
	return b
}

func (p *dumpPiece) append(b, data []byte, at int64, past bool) []byte {
	if p.kind == 'a' {
		return p.spec.AppendUint(b, uint64(at))
	}
	if past || len(data) < p.size {
		blank := format.Spec{Width: p.spec.Width, Prec: -1, Verb: 's'}
		return blank.AppendString(b, "")
	}
	switch p.kind {
	case 'c':
		spec := format.Spec{Width: p.spec.Width, Minus: p.spec.Minus, Prec: -1, Verb: 's'}
		return spec.AppendString(b, string(data[:1]))
	case 's':
		s := string(data[:p.size])
		if i := strings.IndexByte(s, 0); i >= 0 {
			s = s[:i]
		}
		return p.spec.AppendString(b, s)
	case 'C':
		return p.spec.AppendString(b, shownChar(data[0]))
	case 'P':
		c := data[0]
		if c < ' ' || c > '~' {
			c = '.'
		}
		return p.spec.AppendString(b, string([]byte{c}))
	case 'U':
		return p.spec.AppendString(b, unixName(data[0]))
	}
	v := loadUint(data[:p.size], false)
	switch p.kind {
	case 'd':
		shift := 64 - 8*p.size
		return p.spec.AppendInt(b, int64(v<<shift)>>shift)
	case 'f':
		if p.size == 4 {
			return p.spec.AppendFloat(b, float64(math.Float32frombits(uint32(v))))
		}
		return p.spec.AppendFloat(b, math.Float64frombits(v))
	}
	return p.spec.AppendUint(b, v)
}

// unixName is the name of a character for %_u.
func unixName(c byte) string {
	switch {
	case c == '\n':
		return "lf"
	case c == 0x11:
		return "dcl"
	case c < ' ' || c == 0x7f:
		return namedChar(c)
	case c > 0x7f:
		return strconv.FormatUint(uint64(c), 16)
	}
	return string([]byte{c})
}
