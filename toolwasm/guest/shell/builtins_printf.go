package shell

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"openclaw/toolwasm/guest/format"
	"openclaw/toolwasm/guest/shell/syntax"
	"openclaw/toolwasm/guest/strftime"
)

func formatFloat(v float64, prec int) string { return strconv.FormatFloat(v, 'f', prec, 64) }

// appendEscapes appends s with the escapes of echo -e (echo set) or printf %b replaced; stop tells that \c ended the
// output.
func appendEscapes(dst []byte, s string, echo bool) (out []byte, stop bool) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			dst = append(dst, s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == 'c':
			return dst, true
		case c == '0':
			v, n := octal(s[i+1:], 3)
			dst = append(dst, byte(v))
			i += n
		case c >= '1' && c <= '7' && !echo:
			v, n := octal(s[i:], 3)
			dst = append(dst, byte(v))
			i += n - 1
		case !echo && (c == '"' || c == '\'' || c == '?'):
			if c == '?' {
				dst = append(dst, '\\')
			}
			dst = append(dst, c)
		default:
			var n int
			dst, n = appendEscape(dst, s[i:])
			i += n - 1
		}
	}
	return dst, false
}

// appendEscape appends what the escape whose letter s begins with stands for, and returns its length.
func appendEscape(dst []byte, s string) ([]byte, int) {
	switch c := s[0]; c {
	case 'a', 'b', 'f', 'n', 'r', 't', 'v', 'e', 'E', '\\':
		return append(dst, simpleEscape(c)), 1
	case 'x':
		v, n := hex(s[1:], 2)
		if n == 0 {
			return append(dst, '\\', 'x'), 1
		}
		return append(dst, byte(v)), 1 + n
	case 'u', 'U':
		width := 4
		if c == 'U' {
			width = 8
		}
		v, n := hex(s[1:], width)
		if n == 0 {
			return append(dst, '\\', c), 1
		}
		return utf8.AppendRune(dst, rune(v)), 1 + n
	default:
		return append(dst, '\\', c), 1
	}
}

func simpleEscape(c byte) byte {
	switch c {
	case 'a':
		return 7
	case 'b':
		return 8
	case 'f':
		return 12
	case 'n':
		return 10
	case 'r':
		return 13
	case 't':
		return 9
	case 'v':
		return 11
	case 'e', 'E':
		return 27
	}
	return c
}

func octal(s string, width int) (v, n int) {
	for n < len(s) && n < width && s[n] >= '0' && s[n] <= '7' {
		v = v*8 + int(s[n]-'0')
		n++
	}
	return v, n
}

func hex(s string, width int) (v, n int) {
	for n < len(s) && n < width {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if d < 0 || s[n] < '0' {
			break
		}
		v = v*16 + d
		n++
	}
	return v, n
}

// printer is one call of printf.
type printer struct {
	sh     *Shell
	args   []string
	pos    int
	used   bool // a directive has taken an argument in this round
	out    []byte
	status int
	stop   bool
}

// builtinPrintf is printf.
func builtinPrintf(sh *Shell, args []string) int {
	const usage = "printf [-v var] format [arguments]"
	rest := args[1:]
	variable := ""
	for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		if rest[0] == "--" {
			rest = rest[1:]
			break
		}
		if !strings.HasPrefix(rest[0], "-v") {
			return sh.usage("printf", rest[0][:2]+": invalid option", usage)
		}
		if variable = rest[0][2:]; variable == "" {
			if len(rest) < 2 {
				return sh.usage("printf", "-v: option requires an argument", usage)
			}
			variable, rest = rest[1], rest[1:]
		}
		rest = rest[1:]
		base, _, _ := strings.Cut(variable, "[")
		if !syntax.IsName(base) {
			sh.errorf("printf: `%s': not a valid identifier", variable)
			return 2
		}
	}
	if len(rest) == 0 {
		return sh.usage("printf", "", usage)
	}
	p := printer{sh: sh, args: rest[1:]}
	p.run(rest[0])
	if variable == "" {
		sh.out = append(sh.out, p.out...)
		return p.status
	}
	if sh.setName(variable, string(p.out)) != nil {
		return 1
	}
	return p.status
}

// run prints the format again until the arguments are used up.
func (p *printer) run(f string) {
	for {
		p.used = false
		p.round(f)
		if p.stop || p.pos >= len(p.args) || !p.used || p.sh.ctl != ctlNone {
			return
		}
		if len(p.out) > maxValue {
			p.sh.errorf("printf: output exceeds %d bytes", maxValue)
			p.status = 1
			return
		}
		p.sh.step()
	}
}

func (p *printer) round(f string) {
	for i := 0; i < len(f) && !p.stop; i++ {
		switch {
		case f[i] == '\\' && i+1 < len(f):
			i += p.escape(f[i+1:])
		case f[i] == '%':
			n := p.directive(f[i+1:])
			i += n
		default:
			p.out = append(p.out, f[i])
		}
	}
}

// escape is a backslash in the format.
func (p *printer) escape(s string) int {
	switch c := s[0]; {
	case c >= '0' && c <= '7':
		v, n := octal(s, 3)
		p.out = append(p.out, byte(v))
		return n
	case c == '"' || c == '\'' || c == '?':
		p.out = append(p.out, c)
		return 1
	}
	var n int
	p.out, n = appendEscape(p.out, s)
	return n
}

// next returns the next argument; present is false when there is none.
func (p *printer) next() (s string, present bool) {
	p.used = true
	if p.pos >= len(p.args) {
		return "", false
	}
	p.pos++
	return p.args[p.pos-1], true
}

// directive formats one directive and returns its length after the %.
func (p *printer) directive(s string) int {
	if strings.HasPrefix(s, "%") {
		p.out = append(p.out, '%')
		return 1
	}
	layout, cut, length := timeLayout(s)
	spec, n, ok := format.Parse(cut)
	if !ok {
		p.fail("`%" + s + "': missing format character")
		p.stop = true
		return len(s)
	}
	if spec.WidthArg {
		w, _ := p.next()
		spec.SetWidth(int(p.integer(w)))
	}
	if spec.PrecArg {
		w, _ := p.next()
		spec.SetPrec(int(p.integer(w)))
	}
	if spec.Width >= format.MaxWidth || spec.Prec >= format.MaxWidth {
		p.fail("%" + s[:n] + ": field exceeds " + itoa(format.MaxWidth) + " characters")
		p.stop = true
		return n + length
	}
	p.format(spec, layout)
	return n + length
}

// timeLayout takes "(layout)" out of %(layout)T.
func timeLayout(s string) (layout, rest string, length int) {
	open := 0
	for open < len(s) && strings.IndexByte("-+ #0123456789.*", s[open]) >= 0 {
		open++
	}
	if open >= len(s) || s[open] != '(' {
		return "", s, 0
	}
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s[open+1 : i], s[:open] + s[i+1:], i + 1 - open
			}
		}
	}
	return "", s, 0
}

func (p *printer) fail(msg string) {
	p.sh.errorf("printf: %s", msg)
	p.status = 1
}

func (p *printer) format(spec format.Spec, layout string) {
	switch spec.Verb {
	case 's':
		s, _ := p.next()
		p.out = spec.AppendString(p.out, s)
	case 'c':
		s, _ := p.next()
		if len(s) > 1 {
			s = s[:1]
		}
		spec.Prec = -1
		if s == "" {
			p.out = append(p.out, 0)
			return
		}
		p.out = spec.AppendString(p.out, s)
	case 'b':
		s, _ := p.next()
		b, stop := appendEscapes(nil, s, false)
		p.out = spec.AppendString(p.out, string(b))
		p.stop = stop
	case 'q', 'Q':
		s, _ := p.next()
		if spec.Verb == 'Q' && spec.Prec >= 0 {
			s = s[:min(spec.Prec, len(s))]
			spec.Prec = -1
		}
		p.out = spec.AppendString(p.out, backslashQuote(s))
	case 'd', 'i':
		s, _ := p.next()
		p.out = spec.AppendInt(p.out, p.integer(s))
	case 'u', 'o', 'x', 'X':
		s, _ := p.next()
		p.out = spec.AppendUint(p.out, p.unsigned(s))
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		s, present := p.next()
		if !present {
			s = "0"
		}
		p.out = spec.AppendFloat(p.out, p.float(s))
	case 'T':
		p.time(spec, layout)
	case 'n':
		s, _ := p.next()
		if syntax.IsName(s) {
			_ = p.sh.set(s, itoa(len(p.out)))
		}
	default:
		p.fail("`" + string(spec.Verb) + "': invalid format character")
		p.stop = true
	}
}

func (p *printer) time(spec format.Spec, layout string) {
	s, present := p.next()
	t := time.Now()
	switch n := p.integer(s); {
	case !present || n == -1:
	case n == -2:
		t = p.sh.started
	default:
		t = time.Unix(n, 0)
	}
	if layout == "" {
		layout = "%X"
	}
	p.out = spec.AppendString(p.out, strftime.Format(layout, p.sh.inZone(t)))
}

// inZone applies TZ.
func (sh *Shell) inZone(t time.Time) time.Time {
	name, set := sh.get("TZ")
	if !set || name == "" || name == "UTC" || name == "UTC0" || name == "GMT" {
		return t.UTC()
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return t.UTC()
	}
	return t.In(loc)
}

// charValue is 'c and "c: the code of the character.
func charValue(s string) (int64, bool) {
	if len(s) < 1 || s[0] != '\'' && s[0] != '"' {
		return 0, false
	}
	if len(s) == 1 {
		return 0, true
	}
	r, n := utf8.DecodeRuneInString(s[1:])
	if r == utf8.RuneError && n == 1 {
		return int64(s[1]), true
	}
	return int64(r), true
}

// integer reads a number as strtoimax does, reporting what is wrong with it.
func (p *printer) integer(s string) int64 {
	if v, ok := charValue(s); ok {
		return v
	}
	t := strings.TrimLeft(s, " \t\n\v\f\r")
	end := numberEnd(t)
	v, err := strconv.ParseInt(t[:end], 0, 64)
	if err != nil && end > 0 {
		if isRange(err) {
			p.sh.errorf("printf: warning: %s: Numerical result out of range", s)
			return v
		}
		v, err = strconv.ParseInt(t[:end], 8, 64)
	}
	p.check(s, t, end, err)
	return v
}

func (p *printer) unsigned(s string) uint64 {
	if v, ok := charValue(s); ok {
		return uint64(v)
	}
	t := strings.TrimLeft(s, " \t\n\v\f\r")
	if strings.HasPrefix(t, "-") {
		return uint64(p.integer(s))
	}
	end := numberEnd(t)
	v, err := strconv.ParseUint(strings.TrimPrefix(t[:end], "+"), 0, 64)
	if err != nil && isRange(err) {
		p.sh.errorf("printf: warning: %s: Numerical result out of range", s)
		return v
	}
	p.check(s, t, end, err)
	return v
}

func isRange(err error) bool {
	return strings.HasSuffix(err.Error(), strconv.ErrRange.Error())
}

// check reports a number that is none, or that something follows.
func (p *printer) check(s, t string, end int, err error) {
	switch {
	case t == "" && s == "":
	case end == 0 || err != nil || end < len(t):
		msg := ": invalid number"
		if len(t) > 1 && t[0] == '0' && end > 0 && end < len(t) && t[end] >= '8' && t[end] <= '9' {
			msg = ": invalid octal number"
		}
		p.fail(s + msg)
	}
}

// numberEnd is the length of the C integer constant at the beginning of s.
func numberEnd(s string) int {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	start := i
	digits := "0123456789"
	switch {
	case strings.HasPrefix(s[i:], "0x") || strings.HasPrefix(s[i:], "0X"):
		if len(s) > i+2 && strings.IndexByte("0123456789abcdefABCDEF", s[i+2]) >= 0 {
			i += 2
			digits = "0123456789abcdefABCDEF"
			start = i
		}
	case strings.HasPrefix(s[i:], "0"):
		digits = "01234567"
	}
	for i < len(s) && strings.IndexByte(digits, s[i]) >= 0 {
		i++
	}
	if i == start {
		return 0
	}
	return i
}

func (p *printer) float(s string) float64 {
	if v, ok := charValue(s); ok {
		return float64(v)
	}
	t := strings.TrimLeft(s, " \t\n\v\f\r")
	if t == "" && s == "" {
		return 0
	}
	for end := len(t); end > 0; end-- {
		if strings.IndexByte(t[:end], '_') >= 0 {
			continue
		}
		text := t[:end]
		if lower := strings.ToLower(text); strings.Contains(lower, "0x") && !strings.Contains(lower, "p") {
			text += "p0"
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(v, 0) {
			continue
		}
		if end < len(t) {
			p.fail(s + ": invalid number")
		}
		return v
	}
	p.fail(s + ": invalid number")
	return 0
}

// backslashQuote quotes a string as printf %q does.
func backslashQuote(s string) string {
	if s == "" {
		return "''"
	}
	if needsANSI(s) {
		return ansiQuote(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if strings.IndexByte(" \t!\"$&'()*,;<>?[\\]^`{|}", c) >= 0 || i == 0 && (c == '#' || c == '~') || i > 0 && c == '~' && (s[i-1] == ':' || s[i-1] == '=') {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
