package jq

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// literal is a number as it was written, when a float64 does not hold it exactly as text. It keeps its digits until
// something is computed with it.
type literal struct {
	text  string // canonical
	f     float64
	known bool // f has been computed
}

// float is the number that is computed with.
func (l *literal) float() float64 {
	if !l.known {
		l.f, _ = strconv.ParseFloat(l.text, 64) // out of range gives an infinity, as it should
		l.known = true
	}
	return l.f
}

// exactDigits is the number of significant digits that a float64 always keeps.
const exactDigits = 15

// parseNumber makes a number of its JSON text.
func parseNumber(s string) (any, bool) {
	if n, ok := smallInteger(s); ok {
		return n, true
	}
	if isCanonical(s) {
		return &literal{text: s}, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, false
	}
	text, plain := canonical(s)
	if plain && text == formatFloat(f) {
		return f, true
	}
	return &literal{text: text, f: f, known: true}, true
}

// isCanonical recognises the usual decimal fractions, which are written as they are read.
func isCanonical(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	whole, frac, ok := strings.Cut(digits, ".")
	if !ok || whole == "" || frac == "" || whole[0] == '0' && len(whole) > 1 {
		return false
	}
	for i := range len(whole) {
		if !isDigit(whole[i]) {
			return false
		}
	}
	for i := range len(frac) {
		if !isDigit(frac[i]) {
			return false
		}
	}
	// A number below 10^-6 would be written with an exponent.
	const smallest = "000000"
	return whole != "0" || !strings.HasPrefix(frac, smallest[:5]) || len(frac) < len(smallest)
}

// smallInteger is the fast way for what nearly all numbers are.
func smallInteger[T string | []byte](s T) (float64, bool) {
	digits := s
	if len(s) > 0 && s[0] == '-' {
		digits = s[1:]
	}
	if len(digits) == 0 || len(digits) > exactDigits || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	var n int64
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if s[0] == '-' {
		if n == 0 {
			return math.Copysign(0, -1), true
		}
		n = -n
	}
	return float64(n), true
}

// canonical writes a decimal number as the General Decimal Arithmetic specification's to-scientific-string does: digits
// are kept, the exponent shows only when the number is very small or has one that is positive.
func canonical(s string) (text string, plain bool) {
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	mant, exp := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
		if err != nil {
			e = math.MaxInt32 // the number is an infinity or a zero anyway
			if strings.HasPrefix(s[i+1:], "-") {
				e = -e
			}
		}
		mant, exp = s[:i], e
	}
	whole, frac, _ := strings.Cut(mant, ".")
	exp -= len(frac)
	digits := strings.TrimLeft(whole+frac, "0")
	if digits == "" {
		digits = "0"
	}
	adjusted := exp + len(digits) - 1
	const smallest = -6
	switch {
	case exp == 0:
		return sign + digits, true
	case exp < 0 && adjusted >= smallest:
		point := len(digits) + exp
		if point <= 0 {
			digits = strings.Repeat("0", 1-point) + digits
			point = 1
		}
		return sign + digits[:point] + "." + digits[point:], true
	}
	text = sign + digits[:1]
	if len(digits) > 1 {
		text += "." + digits[1:]
	}
	if adjusted < 0 {
		return text + "E" + strconv.Itoa(adjusted), false
	}
	return text + "E+" + strconv.Itoa(adjusted), false
}

// toFloat is the number that is computed with.
func toFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case *literal:
		return v.float(), true
	}
	return 0, false
}

// formatFloat writes a computed number: the shortest digits that read back the same, in plain notation up to 10^17.
func formatFloat(f float64) string { return string(appendFloat(nil, f)) }

func appendFloat(dst []byte, f float64) []byte {
	const maxPlain = 1e15 // beyond it the number of digits decides
	if f == math.Trunc(f) && math.Abs(f) < maxPlain && (f != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	switch {
	case math.IsNaN(f):
		return append(dst, "null"...)
	case f > math.MaxFloat64:
		f = math.MaxFloat64
	case f < -math.MaxFloat64:
		f = -math.MaxFloat64
	case f == 0:
		return append(dst, "-0"...)
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	mark := strings.IndexByte(string(e), 'e')
	exp, _ := strconv.Atoi(string(e[mark+1:]))
	digits := mark
	if f < 0 {
		digits--
	}
	if digits > 1 {
		digits-- // the point
	}
	const fewest, most = -4, 15
	if exp >= fewest && exp+1 <= digits+most {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	return append(dst, e...)
}

func compareNumbers(a, b any) int {
	x, _ := toFloat(a)
	y, _ := toFloat(b)
	if x == y { // rounding keeps the order, but makes equal what differs in late digits
		la, oka := a.(*literal)
		lb, okb := b.(*literal)
		if oka && okb && la.text != lb.text {
			if c, ok := compareLiterals(la.text, lb.text); ok {
				return c
			}
		}
		return 0
	}
	if math.IsNaN(x) { // nan is less than everything, itself included
		return -1
	}
	if math.IsNaN(y) {
		return 1
	}
	return cmp.Compare(x, y)
}

// maxComparedExponent bounds the exponents of literals that are compared exactly.
const maxComparedExponent = 5000

func compareLiterals(a, b string) (int, bool) {
	x, okx := exact(a)
	y, oky := exact(b)
	if !okx || !oky {
		return 0, false
	}
	return x.Cmp(y), true
}

func exact(s string) (*big.Rat, bool) {
	if i := strings.IndexByte(s, 'E'); i >= 0 {
		if e, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+")); err != nil || e > maxComparedExponent || e < -maxComparedExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(s)
}

// negate keeps the digits of a literal.
func negate(v any) (any, bool) {
	switch v := v.(type) {
	case float64:
		return -v, true
	case *literal:
		text, ok := strings.CutPrefix(v.text, "-")
		if !ok {
			text = "-" + v.text
		}
		return &literal{text: text}, true
	}
	return nil, false
}
