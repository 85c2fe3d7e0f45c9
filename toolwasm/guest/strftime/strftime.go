// Package strftime formats times by the directives of GNU date: those of C's strftime with
// the GNU flags, field widths, nanoseconds (%N) and zone forms (%:z).
//
// Names are those of the C locale. A directive that does not exist is copied as it is.
package strftime

import (
	"strconv"
	"time"
)

// maxWidth bounds a field width, so that a format of a few bytes cannot ask for a text of any size.
const maxWidth = 4096

// Format returns t, in its own location, by layout.
func Format(layout string, t time.Time) string {
	return string(Append(make([]byte, 0, len(layout)*2), layout, t))
}

// Append appends t by layout to dst.
func Append(dst []byte, layout string, t time.Time) []byte {
	f := formatter{t: t, dst: dst}
	f.format(layout, style{})
	return f.dst
}

// style is what the flags of a directive ask for, and what nested formats inherit.
type style struct {
	pad    byte // 0: the directive's own; '-', '_', '0' or '+'
	upper  bool
	change bool // '#': the opposite case
	width  int  // -1: none
}

type formatter struct {
	t   time.Time
	dst []byte
}

func (f *formatter) format(layout string, outer style) {
	for i := 0; i < len(layout); {
		if layout[i] != '%' {
			f.dst = append(f.dst, layout[i])
			i++
			continue
		}
		start := i
		st, colons, next := parseFlags(layout, i+1)
		st.upper = st.upper || outer.upper
		if next >= len(layout) || !f.directive(layout[next], colons, st) {
			end := min(next+1, len(layout))
			f.dst = append(f.dst, layout[start:end]...)
			i = end
			continue
		}
		i = next + 1
	}
}

// parseFlags reads the flags, width, modifier and colons of a directive from i on, and returns where its letter is.
func parseFlags(s string, i int) (st style, colons, next int) {
	st.width = -1
flags:
	for ; i < len(s); i++ {
		switch s[i] {
		case '_', '-', '0', '+':
			st.pad = s[i]
		case '^':
			st.upper = true
		case '#':
			st.change = true
		default:
			break flags
		}
	}
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		st.width = min(max(st.width, 0)*10+int(s[i]-'0'), maxWidth)
	}
	if i < len(s) && (s[i] == 'E' || s[i] == 'O') {
		i++
	}
	for i < len(s) && s[i] == ':' {
		colons++
		i++
	}
	return st, colons, i
}

// directive appends one directive; false means that it does not exist.
func (f *formatter) directive(c byte, colons int, st style) bool {
	if colons > 0 {
		if c != 'z' || colons > 3 {
			return false
		}
		f.zone(colons, st)
		return true
	}
	return f.textDirective(c, st) || f.dateDirective(c, st) || f.clockDirective(c, st)
}

func (f *formatter) textDirective(c byte, st style) bool {
	switch c {
	case '%':
		if st != (style{upper: st.upper, width: -1}) {
			return false
		}
		f.dst = append(f.dst, '%')
	case 'n':
		f.text("\n", st)
	case 't':
		f.text("\t", st)
	case 'a':
		f.name(f.t.Weekday().String()[:3], st)
	case 'A':
		f.name(f.t.Weekday().String(), st)
	case 'b', 'h':
		f.name(f.t.Month().String()[:3], st)
	case 'B':
		f.name(f.t.Month().String(), st)
	case 'p':
		f.meridian(st)
	case 'P':
		st.upper = false
		f.text(lower(f.half()), st)
	case 'Z':
		f.zoneName(st)
	case 'c':
		f.nested("%a %b %e %H:%M:%S %Y", st)
	case 'D', 'x':
		f.nested("%m/%d/%y", st)
	case 'T', 'X':
		f.nested("%H:%M:%S", st)
	case 'R':
		f.nested("%H:%M", st)
	case 'r':
		f.nested("%I:%M:%S %p", st)
	case 'F':
		f.isoDate(st)
	default:
		return false
	}
	return true
}

func (f *formatter) dateDirective(c byte, st style) bool {
	year, yday := f.t.Year(), f.t.YearDay()-1
	wday := int(f.t.Weekday())
	switch c {
	case 'C':
		f.century(year, st)
	case 'd':
		f.number(f.t.Day(), 2, '0', st)
	case 'e':
		f.number(f.t.Day(), 2, '_', st)
	case 'g':
		y, _ := f.t.ISOWeek()
		f.number(abs(y%100), 2, '0', st)
	case 'G':
		y, _ := f.t.ISOWeek()
		f.year(y, st)
	case 'j':
		f.number(yday+1, 3, '0', st)
	case 'm':
		f.number(int(f.t.Month()), 2, '0', st)
	case 'q':
		f.number((int(f.t.Month())+2)/3, 1, '0', st)
	case 'u':
		f.number((wday+6)%7+1, 1, '0', st)
	case 'U':
		f.number((yday-wday+7)/7, 2, '0', st)
	case 'V':
		_, w := f.t.ISOWeek()
		f.number(w, 2, '0', st)
	case 'w':
		f.number(wday, 1, '0', st)
	case 'W':
		f.number((yday-(wday+6)%7+7)/7, 2, '0', st)
	case 'y':
		f.number(abs(year%100), 2, '0', st)
	case 'Y':
		f.year(year, st)
	default:
		return false
	}
	return true
}

func (f *formatter) clockDirective(c byte, st style) bool {
	switch c {
	case 'H':
		f.number(f.t.Hour(), 2, '0', st)
	case 'I':
		f.number(hour12(f.t.Hour()), 2, '0', st)
	case 'k':
		f.number(f.t.Hour(), 2, '_', st)
	case 'l':
		f.number(hour12(f.t.Hour()), 2, '_', st)
	case 'M':
		f.number(f.t.Minute(), 2, '0', st)
	case 'N':
		f.nanoseconds(st)
	case 's':
		f.padded(strconv.FormatInt(f.t.Unix(), 10), 1, '0', st)
	case 'S':
		f.number(f.t.Second(), 2, '0', st)
	case 'z':
		f.zone(0, st)
	default:
		return false
	}
	return true
}

func hour12(h int) int { return (h+11)%12 + 1 }

func abs(n int) int { return max(n, -n) }

func (f *formatter) half() string {
	if f.t.Hour() < 12 {
		return "AM"
	}
	return "PM"
}

// meridian writes AM or PM; "#" makes it small, and wins over "^".
func (f *formatter) meridian(st style) {
	s := f.half()
	if st.change {
		s, st.upper = lower(s), false
	}
	f.text(s, st)
}

func (f *formatter) zoneName(st style) {
	name, _ := f.t.Zone()
	if st.change {
		name, st.upper = lower(name), false
	}
	f.text(name, st)
}

// name writes the name of a day or month, where "#" means capitals.
func (f *formatter) name(s string, st style) {
	st.upper = st.upper || st.change
	f.text(s, st)
}

func (f *formatter) text(s string, st style) {
	if st.upper {
		s = upper(s)
	}
	f.fill(st.width-len(s), st)
	f.dst = append(f.dst, s...)
}

// fill writes n padding characters of a text.
func (f *formatter) fill(n int, st style) {
	if st.pad == '-' {
		return
	}
	c := byte(' ')
	if st.pad == '0' || st.pad == '+' {
		c = '0'
	}
	for ; n > 0; n-- {
		f.dst = append(f.dst, c)
	}
}

func (f *formatter) nested(layout string, st style) {
	in := formatter{t: f.t}
	in.format(layout, style{upper: st.upper})
	f.text(string(in.dst), st)
}

func (f *formatter) isoDate(st style) {
	year := style{pad: '+', width: 4}
	if st.pad != 0 || st.width >= 0 {
		const rest = len("-mm-dd")
		year = style{pad: st.pad, width: max(st.width-rest, 0)}
	}
	f.year(f.t.Year(), year)
	f.format("-%m-%d", style{})
}

func (f *formatter) year(y int, st style) {
	f.signed(y, 4, st, y > 9999)
}

func (f *formatter) century(y int, st style) {
	c := y / 100
	if y < 0 && y%100 != 0 {
		c--
	}
	f.signed(c, 2, st, c > 99)
}

// signed writes a number that the "+" flag gives a sign when it is long or wider than usual.
func (f *formatter) signed(n, digits int, st style, long bool) {
	if st.pad != '+' {
		f.number(n, digits, '0', st)
		return
	}
	s := strconv.Itoa(n)
	if n >= 0 && (long || st.width > digits) {
		s = "+" + s
	}
	f.padded(s, digits, '0', st)
}

func (f *formatter) number(n, digits int, pad byte, st style) {
	f.padded(strconv.Itoa(n), digits, pad, st)
}

// padded writes a decimal number, with its sign before zeros and after spaces.
func (f *formatter) padded(s string, digits int, pad byte, st style) {
	if st.pad != 0 {
		pad = st.pad
	}
	width := digits
	if st.width >= 0 {
		width = st.width
	}
	sign := ""
	if s[0] == '-' || s[0] == '+' {
		sign, s = s[:1], s[1:]
	}
	n := width - len(s) - len(sign)
	switch pad {
	case '-':
		f.dst = append(f.dst, sign...)
	case '_':
		f.repeat(' ', n)
		f.dst = append(f.dst, sign...)
	default:
		f.dst = append(f.dst, sign...)
		f.repeat('0', n)
	}
	f.dst = append(f.dst, s...)
}

func (f *formatter) repeat(c byte, n int) {
	for ; n > 0; n-- {
		f.dst = append(f.dst, c)
	}
}

// nanoseconds writes the fraction of the second: the width is a number of digits, cut off and not rounded.
func (f *formatter) nanoseconds(st style) {
	const digits = 9
	width := st.width
	if width <= 0 {
		width = digits
	}
	s := strconv.Itoa(1e9 + f.t.Nanosecond())[1:]
	n := digits
	for width < n || n > 1 && s[n-1] == '0' {
		n--
	}
	f.dst = append(f.dst, s[:n]...)
	switch {
	case st.pad == '_':
		f.repeat(' ', width-n)
	case st.pad != '-' || st.width <= 0:
		f.repeat('0', width-n)
	}
}

// zone writes the offset from UTC: +hhmm, +hh:mm, +hh:mm:ss, or with three colons as many parts as it needs.
func (f *formatter) zone(colons int, st style) {
	_, off := f.t.Zone()
	sign := "+"
	if off < 0 {
		sign, off = "-", -off
	}
	h, m, s := off/3600, off/60%60, off%60
	if colons == 0 {
		f.padded(sign+strconv.Itoa(h*100+m), len("+hhmm"), '0', st)
		return
	}
	rest := ""
	switch {
	case colons == 1:
		rest = ":" + two(m)
	case colons == 2 || s != 0:
		rest = ":" + two(m) + ":" + two(s)
	case m != 0:
		rest = ":" + two(m)
	}
	st.width = max(st.width-len(rest), len("+hh"))
	f.padded(sign+strconv.Itoa(h), len("+hh"), '0', st)
	f.dst = append(f.dst, rest...)
}

func two(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

func upper(s string) string { return mapCase(s, 'a', 'z', 'A') }

func lower(s string) string { return mapCase(s, 'A', 'Z', 'a') }

func mapCase(s string, from, to, base byte) string {
	b := []byte(s)
	for i, c := range b {
		if c >= from && c <= to {
			b[i] = c - from + base
		}
	}
	return string(b)
}
