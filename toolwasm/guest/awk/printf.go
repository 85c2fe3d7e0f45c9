package awk

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxWidth bounds the width and the precision of a conversion.
const maxWidth = 1 << 24

// conversion is one % directive of a format.
type conversion struct {
	minus, plus, space, alt, zero bool

	width   int
	prec    int
	hasPrec bool
	verb    byte
}

// formatter walks through a format.
type formatter struct {
	in   *interp
	dst  []byte
	args []value
	next int
	fmt  string
}

// appendFormat formats args as printf does.
func (in *interp) appendFormat(dst []byte, format string, args []value) []byte {
	f := formatter{in: in, dst: dst, args: args, fmt: format}
	for i := 0; i < len(format); {
		j := strings.IndexByte(format[i:], '%')
		if j < 0 {
			f.dst = append(f.dst, format[i:]...)
			break
		}
		f.dst = append(f.dst, format[i:i+j]...)
		i = f.directive(i + j)
	}
	return f.dst
}

func (f *formatter) arg() (value, bool) {
	if f.next >= len(f.args) {
		return value{}, false
	}
	f.next++
	return f.args[f.next-1], true
}

// need is arg that is fatal when there is none.
func (f *formatter) need() value {
	v, ok := f.arg()
	if !ok {
		f.in.fatal("not enough arguments to satisfy format string\n\t`%s'", f.fmt)
	}
	return v
}

// directive formats the directive at i and returns the offset after it.
func (f *formatter) directive(i int) int {
	var c conversion
	s := f.fmt
	start := i
	i++
	if i == len(s) {
		f.dst = append(f.dst, '%')
		return i
	}
	if s[i] == '%' {
		f.dst = append(f.dst, '%')
		return i + 1
	}
	i = f.position(i, nil)
	i = c.flags(s, i)
	i = f.width(&c, i)
	i = f.precision(&c, i)
	for i < len(s) && strings.IndexByte("hlLqjzt", s[i]) >= 0 {
		i++
	}
	if i >= len(s) {
		f.dst = append(f.dst, s[start:]...)
		return len(s)
	}
	c.verb = s[i]
	if !f.convert(&c) {
		f.dst = append(f.dst, s[start:i+1]...)
	}
	return i + 1
}

// position reads "N$", which picks an argument: the next one, or the value that goes to v.
func (f *formatter) position(i int, v *value) int {
	j := i
	for j < len(f.fmt) && isDigit(f.fmt[j]) {
		j++
	}
	if j == i || j >= len(f.fmt) || f.fmt[j] != '$' {
		return i
	}
	n, err := strconv.Atoi(f.fmt[i:j])
	if err != nil || n < 1 {
		f.in.fatal("argument index with `$' must be > 0")
	}
	if n > len(f.args) {
		f.in.fatal("argument index %d greater than total number of supplied arguments", n)
	}
	if v != nil {
		*v = f.args[n-1]
	} else {
		f.next = n - 1
	}
	return j + 1
}

func (c *conversion) flags(s string, i int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '-':
			c.minus = true
		case '+':
			c.plus = true
		case ' ':
			c.space = true
		case '#':
			c.alt = true
		case '0':
			c.zero = true
		case '\'': // groups of thousands, which the C locale does not separate
		default:
			return i
		}
	}
	return i
}

// star reads the argument of "*".
func (f *formatter) star(i int) (n, next int) {
	var v value
	if j := f.position(i, &v); j != i {
		i = j
	} else {
		v = f.need()
	}
	return clampWidth(f.in.numOf(&v)), i
}

func clampWidth(n float64) int {
	return int(math.Max(-maxWidth, math.Min(maxWidth, n)))
}

func (f *formatter) width(c *conversion, i int) int {
	if i < len(f.fmt) && f.fmt[i] == '*' {
		c.width, i = f.star(i + 1)
		if c.width < 0 {
			c.minus, c.width = true, -c.width
		}
		return i
	}
	c.width, i = digits(f.fmt, i)
	return i
}

func (f *formatter) precision(c *conversion, i int) int {
	if i >= len(f.fmt) || f.fmt[i] != '.' {
		return i
	}
	i++
	c.hasPrec = true
	if i < len(f.fmt) && f.fmt[i] == '*' {
		c.prec, i = f.star(i + 1)
		if c.prec < 0 {
			c.hasPrec, c.prec = false, 0
		}
		return i
	}
	if i < len(f.fmt) && f.fmt[i] == '-' { // a negative precision is none
		_, i = digits(f.fmt, i+1)
		c.hasPrec = false
		return i
	}
	c.prec, i = digits(f.fmt, i)
	return i
}

func digits(s string, i int) (n, next int) {
	for i < len(s) && isDigit(s[i]) {
		n = min(n*10+int(s[i]-'0'), maxWidth)
		i++
	}
	return n, i
}

// convert formats the next argument; false when the letter is no conversion.
func (f *formatter) convert(c *conversion) bool {
	switch c.verb {
	case 'd', 'i', 'u', 'o', 'x', 'X':
		v := f.need()
		f.integer(c, f.in.numOf(&v))
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		v := f.need()
		f.float(c, f.in.numOf(&v))
	case 'c':
		f.char(c, f.need().settle())
	case 's':
		v := f.need()
		s := f.in.str(&v)
		if c.hasPrec {
			s = s[:f.in.charsLen(s, c.prec)]
		}
		if c.width == 0 {
			f.dst = append(f.dst, s...)
			break
		}
		f.pad(c, s, c.width-f.in.count(s))
	case '%':
		f.dst = append(f.dst, '%')
	default:
		return false
	}
	return true
}

func (f *formatter) pad(c *conversion, s string, fill int) {
	if !c.minus {
		f.fill(fill)
	}
	f.dst = append(f.dst, s...)
	if c.minus {
		f.fill(fill)
	}
}

func (f *formatter) fill(n int) {
	for ; n > 0; n-- {
		f.dst = append(f.dst, ' ')
	}
}

// char formats %c: the character with a number, or the first one of a string.
func (f *formatter) char(c *conversion, v value) {
	s := v.s
	if v.k == kNum || v.k == kStrNum {
		n := v.num()
		switch {
		case f.in.bytes || n < 0 || n > utf8.MaxRune || n >= 0xd800 && n < 0xe000:
			s = string([]byte{byte(int64(n))})
		default:
			s = string(rune(n))
		}
	} else if s != "" {
		s = s[:f.in.charsLen(s, 1)]
	}
	f.pad(c, s, c.width-1)
}

// integer formats an integral conversion. A number that no integer can hold is formatted as a float.
func (f *formatter) integer(c *conversion, n float64) {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		f.special(c, n)
		return
	}
	n = math.Trunc(n)
	if *c == (conversion{verb: 'd'}) && math.Abs(n) < maxInt64 {
		f.dst = strconv.AppendInt(f.dst, int64(n), 10)
		return
	}
	if c.verb != 'd' && c.verb != 'i' && n < 0 {
		if n < math.MinInt64 {
			g := *c
			g.verb, g.hasPrec = 'g', false
			f.float(&g, n)
			return
		}
		f.unsigned(c, uint64(int64(n)))
		return
	}
	var buf [64]byte
	var ds []byte
	base := baseOf(c.verb)
	if abs := math.Abs(n); abs < maxInt64 {
		ds = strconv.AppendUint(buf[:0], uint64(abs), base)
	} else {
		b, _ := big.NewFloat(abs).Int(nil)
		ds = b.Append(buf[:0], base)
	}
	if c.verb == 'X' {
		ds = []byte(strings.ToUpper(string(ds)))
	}
	f.number(c, integerPrefix(c, n), string(ds))
}

// unsigned formats the two's complement of a negative number.
func (f *formatter) unsigned(c *conversion, n uint64) {
	ds := strconv.FormatUint(n, baseOf(c.verb))
	if c.verb == 'X' {
		ds = strings.ToUpper(ds)
	}
	f.number(c, integerPrefix(c, 1), ds)
}

func baseOf(verb byte) int {
	switch verb {
	case 'o':
		return 8
	case 'x', 'X':
		return 16
	}
	return 10
}

func integerPrefix(c *conversion, n float64) string {
	switch c.verb {
	case 'd', 'i':
		return sign(c, math.Signbit(n) && n != 0)
	case 'x', 'X':
		if c.alt && n != 0 {
			return "0" + string(c.verb)
		}
	case 'o':
		if c.alt && n != 0 {
			return "0"
		}
	}
	return ""
}

func sign(c *conversion, negative bool) string {
	switch {
	case negative:
		return "-"
	case c.plus:
		return "+"
	case c.space:
		return " "
	}
	return ""
}

// number pads the digits of an integer.
func (f *formatter) number(c *conversion, prefix, ds string) {
	if c.hasPrec {
		if c.prec == 0 && ds == "0" {
			ds = ""
		}
		if n := c.prec - len(ds); n > 0 {
			ds = strings.Repeat("0", n) + ds
		}
	}
	fill := c.width - len(prefix) - len(ds)
	if c.zero && !c.minus && !c.hasPrec && fill > 0 {
		ds = strings.Repeat("0", fill) + ds
		fill = 0
	}
	if !c.minus {
		f.fill(fill)
	}
	f.dst = append(f.dst, prefix...)
	f.dst = append(f.dst, ds...)
	if c.minus {
		f.fill(fill)
	}
}

func (f *formatter) special(c *conversion, n float64) {
	f.pad(c, nonFinite(n, true), c.width-4)
}

// float formats a floating conversion as C does.
func (f *formatter) float(c *conversion, n float64) {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		f.special(c, n)
		return
	}
	prec := 6
	if c.hasPrec {
		prec = c.prec
	}
	var buf [64]byte
	abs := math.Abs(n)
	ds := buf[:0]
	switch c.verb {
	case 'e', 'E', 'f', 'F':
		ds = strconv.AppendFloat(ds, abs, lower(c.verb), prec, 64)
		if c.alt && prec == 0 {
			ds = addPoint(ds)
		}
	case 'g', 'G':
		ds = appendG(ds, abs, prec, c.alt, false)
	case 'a', 'A':
		if !c.hasPrec {
			prec = -1
		}
		ds = strconv.AppendFloat(ds, abs, 'x', prec, 64)
		ds = hexExponent(ds)
	}
	if c.verb <= 'Z' {
		ds = []byte(strings.ToUpper(string(ds)))
	}
	plain := *c
	plain.hasPrec = false
	f.number(&plain, sign(c, math.Signbit(n)), string(ds))
}

func lower(c byte) byte {
	if c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// addPoint puts a decimal point after the digits, before an exponent.
func addPoint(ds []byte) []byte {
	if i := strings.IndexByte(string(ds), 'e'); i >= 0 {
		return append(append(append([]byte{}, ds[:i]...), '.'), ds[i:]...)
	}
	return append(ds, '.')
}

// hexExponent turns Go's two-digit exponent of %x into C's shortest.
func hexExponent(ds []byte) []byte {
	i := strings.IndexByte(string(ds), 'p')
	if i < 0 {
		return ds
	}
	exp := strings.TrimLeft(string(ds[i+2:]), "0")
	if exp == "" {
		exp = "0"
	}
	return append(ds[:i+2], exp...)
}

// appendG formats as C's %g: the shorter of fixed and exponential, without trailing zeros unless alt.
func appendG(dst []byte, n float64, prec int, alt, upper bool) []byte {
	if prec == 0 {
		prec = 1
	}
	var buf [64]byte
	e := strconv.AppendFloat(buf[:0], n, 'e', prec-1, 64)
	mark := strings.LastIndexByte(string(e), 'e')
	exp, _ := strconv.Atoi(string(e[mark+1:]))
	start := len(dst)
	if exp < -4 || exp >= prec {
		mant := e[:mark]
		if !alt {
			mant = trimZeros(mant)
		} else if prec == 1 {
			mant = append(append([]byte{}, mant...), '.')
		}
		dst = append(dst, mant...)
		return append(dst, e[mark:]...)
	}
	dst = strconv.AppendFloat(dst, n, 'f', prec-1-exp, 64)
	if alt {
		if strings.IndexByte(string(dst[start:]), '.') < 0 {
			dst = append(dst, '.')
		}
		return dst
	}
	return dst[:start+len(trimZeros(dst[start:]))]
}

// trimZeros removes the zeros at the end of a fraction.
func trimZeros(ds []byte) []byte {
	if strings.IndexByte(stringOf(ds), '.') < 0 {
		return ds
	}
	n := len(ds)
	for ds[n-1] == '0' {
		n--
	}
	if ds[n-1] == '.' {
		n--
	}
	return ds[:n]
}
