// Package format writes the directives of printf(3): what printf, awk and seq share.
//
// Parse reads one directive; its Append methods format a value onto a byte slice, so that a caller's loop need not
// allocate.
package format

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxWidth bounds the width and the precision of a directive: what a script could otherwise use to take all memory.
const MaxWidth = 1 << 24

// Spec is a directive.
type Spec struct {
	Minus, Plus, Space, Zero, Alt, Group bool

	Width int // 0 for none
	Prec  int // -1 for none
	// WidthArg and PrecArg tell that the width or the precision is "*" and comes from an argument.
	WidthArg, PrecArg bool
	// Pos is N of %N$…, 0 when not given.
	Pos  int
	Verb byte
	// Chars makes widths and precisions of strings count characters instead of bytes.
	Chars bool
}

// Parse reads a directive; s begins after "%". It returns the directive's length without its "%", the verb included; ok
// is false when s ends before the verb. Length modifiers (l, h, j, z, t, L, q) are skipped.
func Parse(s string) (spec Spec, n int, ok bool) {
	spec.Prec = -1
	i := spec.position(s)
	for ; i < len(s) && spec.flag(s[i]); i++ {
	}
	if i < len(s) && s[i] == '*' {
		spec.WidthArg = true
		i++
	} else {
		spec.Width, i = number(s, i)
	}
	if i < len(s) && s[i] == '.' {
		i++
		if i < len(s) && s[i] == '*' {
			spec.PrecArg = true
			i++
		} else {
			neg := i < len(s) && s[i] == '-'
			if neg {
				i++
			}
			spec.Prec, i = number(s, i)
			if neg {
				spec.Prec = -1
			}
		}
	}
	for i < len(s) && strings.IndexByte("lhjztL", s[i]) >= 0 {
		i++
	}
	if i >= len(s) {
		return spec, i, false
	}
	spec.Verb = s[i]
	return spec, i + 1, true
}

// position reads "N$".
func (f *Spec) position(s string) int {
	n, i := number(s, 0)
	if i > 0 && i < len(s) && s[i] == '$' && n > 0 {
		f.Pos = n
		return i + 1
	}
	return 0
}

func (f *Spec) flag(c byte) bool {
	switch c {
	case '-':
		f.Minus = true
	case '+':
		f.Plus = true
	case ' ':
		f.Space = true
	case '0':
		f.Zero = true
	case '#':
		f.Alt = true
	case '\'':
		f.Group = true
	default:
		return false
	}
	return true
}

func number(s string, i int) (v, end int) {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		v = min(v*10+int(s[i]-'0'), MaxWidth)
		i++
	}
	return v, i
}

// SetWidth applies a width that came from an argument: a negative one adjusts to the left.
func (f *Spec) SetWidth(w int) {
	if w < 0 {
		f.Minus = true
		w = -w
	}
	f.Width = max(0, min(w, MaxWidth))
}

// SetPrec applies a precision that came from an argument: a negative one is none.
func (f *Spec) SetPrec(p int) { f.Prec = max(-1, min(p, MaxWidth)) }

// AppendString formats %s.
func (f *Spec) AppendString(dst []byte, v string) []byte {
	if f.Prec >= 0 {
		v = f.cut(v)
	}
	n := len(v)
	if f.Chars {
		n = utf8.RuneCountInString(v)
	}
	return f.pad(dst, v, n)
}

func (f *Spec) cut(v string) string {
	if !f.Chars {
		return v[:min(f.Prec, len(v))]
	}
	left := f.Prec
	for i := range v {
		if left == 0 {
			return v[:i]
		}
		left--
	}
	return v
}

func (f *Spec) pad(dst []byte, v string, n int) []byte {
	if f.Minus {
		return spaces(append(dst, v...), f.Width-n)
	}
	return append(spaces(dst, f.Width-n), v...)
}

func spaces(dst []byte, n int) []byte { return fill(dst, ' ', n) }

func fill(dst []byte, c byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, c)
	}
	return dst
}

// AppendInt formats a signed integer with %d or %i, and as unsigned with %u %o %x %X.
func (f *Spec) AppendInt(dst []byte, v int64) []byte {
	if f.Verb != 'd' && f.Verb != 'i' {
		return f.AppendUint(dst, uint64(v))
	}
	abs := uint64(v)
	if v < 0 {
		abs = -abs
	}
	var buf [32]byte
	digits := strconv.AppendUint(buf[:0], abs, 10)
	if f.Group {
		digits = group(digits)
	}
	return f.integer(dst, f.sign(v < 0), digits, abs == 0)
}

// AppendUint formats an unsigned integer with %u %o %x %X (and %d %i).
func (f *Spec) AppendUint(dst []byte, v uint64) []byte {
	base := 10
	prefix := ""
	switch f.Verb {
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
		if f.Alt && v != 0 {
			prefix = "0" + string(f.Verb)
		}
	}
	var buf [72]byte
	digits := strconv.AppendUint(buf[:0], v, base)
	if f.Verb == 'X' {
		for i, c := range digits {
			if c >= 'a' {
				digits[i] = c - 'a' + 'A'
			}
		}
	}
	if f.Verb == 'o' && f.Alt && digits[0] != '0' {
		digits = append([]byte{'0'}, digits...)
	}
	if f.Group && base == 10 {
		digits = group(digits)
	}
	return f.integer(dst, prefix, digits, v == 0)
}

// group returns the digits as they are: the C.UTF-8 locale has no thousands separator.
func group(digits []byte) []byte { return digits }

func (f *Spec) sign(neg bool) string {
	switch {
	case neg:
		return "-"
	case f.Plus:
		return "+"
	case f.Space:
		return " "
	}
	return ""
}

func (f *Spec) integer(dst []byte, prefix string, digits []byte, zero bool) []byte {
	if f.Prec == 0 && zero {
		digits = digits[:0]
		if f.Verb == 'o' && f.Alt {
			digits = append(digits, '0')
		}
	}
	zeros := max(0, f.Prec-len(digits))
	if f.Prec < 0 && f.Zero && !f.Minus {
		zeros = max(0, f.Width-len(prefix)-len(digits))
	}
	return f.number(dst, prefix, zeros, digits)
}

// number writes padding, prefix, zeros and digits.
func (f *Spec) number(dst []byte, prefix string, zeros int, digits []byte) []byte {
	blanks := f.Width - len(prefix) - zeros - len(digits)
	if !f.Minus {
		dst = spaces(dst, blanks)
	}
	dst = append(dst, prefix...)
	dst = fill(dst, '0', zeros)
	dst = append(dst, digits...)
	if f.Minus {
		dst = spaces(dst, blanks)
	}
	return dst
}

// AppendFloat formats a number with %f %e %g %a or their capital forms.
func (f *Spec) AppendFloat(dst []byte, v float64) []byte {
	prefix := f.sign(math.Signbit(v))
	v = math.Abs(v)
	upper := f.Verb < 'a'
	if math.IsInf(v, 0) || math.IsNaN(v) {
		text := "inf"
		if math.IsNaN(v) {
			text = "nan"
		}
		if upper {
			text = strings.ToUpper(text)
		}
		return f.number(dst, prefix, 0, []byte(text))
	}
	digits := f.floatDigits(v, f.Verb|0x20)
	if upper {
		for i, c := range digits {
			if c >= 'a' && c <= 'z' {
				digits[i] = c - 'a' + 'A'
			}
		}
	}
	if f.Verb|0x20 == 'a' {
		prefix += string(digits[:2])
		digits = digits[2:]
	}
	zeros := 0
	if f.Zero && !f.Minus {
		zeros = max(0, f.Width-len(prefix)-len(digits))
	}
	return f.number(dst, prefix, zeros, digits)
}

// floatDigits formats a number that is not negative, in lower case.
func (f *Spec) floatDigits(v float64, verb byte) []byte {
	const defaultPrec = 6
	prec := f.Prec
	if prec < 0 && verb != 'a' {
		prec = defaultPrec
	}
	switch verb {
	case 'a':
		return hexDigits(v, f.Prec)
	case 'g':
		return f.general(v, max(prec, 1))
	}
	out := strconv.AppendFloat(nil, v, verb, prec, 64)
	if f.Alt && prec == 0 {
		out = addPoint(out)
	}
	return out
}

// general formats %g: the shorter of %e and %f, without trailing zeros unless the # flag is set.
func (f *Spec) general(v float64, prec int) []byte {
	exp := strconv.AppendFloat(nil, v, 'e', prec-1, 64)
	at := strings.LastIndexByte(string(exp), 'e')
	x, _ := strconv.Atoi(string(exp[at+1:]))
	if x < -4 || x >= prec {
		mantissa, tail := exp[:at], string(exp[at:])
		if f.Alt {
			return append(addPoint(mantissa), tail...)
		}
		return append(trimZeros(mantissa), tail...)
	}
	out := strconv.AppendFloat(nil, v, 'f', prec-1-x, 64)
	if f.Alt {
		return addPoint(out)
	}
	return trimZeros(out)
}

func trimZeros(b []byte) []byte {
	if strings.IndexByte(string(b), '.') < 0 {
		return b
	}
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	return b
}

// addPoint makes sure that a mantissa has a decimal point.
func addPoint(b []byte) []byte {
	if strings.IndexByte(string(b), '.') >= 0 {
		return b
	}
	at := strings.IndexByte(string(b), 'e')
	if at < 0 {
		return append(b, '.')
	}
	return append(append(append([]byte{}, b[:at]...), '.'), b[at:]...)
}

// hexDigits formats %a: an exponent without leading zeros.
func hexDigits(v float64, prec int) []byte {
	out := string(strconv.AppendFloat(nil, v, 'x', prec, 64))
	mantissa, exp, _ := strings.Cut(out, "p")
	digits := strings.TrimLeft(exp[1:], "0")
	if digits == "" {
		digits = "0"
	}
	return []byte(mantissa + "p" + exp[:1] + digits)
}
