package awk

import (
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// kind tells what a value is.
type kind uint8

const (
	kUninit   kind = iota
	kNum           // n
	kStr           // s
	kInput         // s from outside; whether it looks like a number has not been looked at
	kStrNum        // s from outside, looks like the number n
	kIndex         // s, an integer subscript as "for in" gives it: a string that compares as the number n
	kRegex         // s, made by @/…/
	kArray         // a
	kUntyped       // a variable that was passed to a function before it had a value: a, should it become an array
	kindCount      // not a kind
)

// value is an awk value. The zero value is the uninitialised one.
type value struct {
	k kind
	n float64
	s string
	a *array
}

func number(n float64) value { return value{k: kNum, n: n} }
func text(s string) value    { return value{k: kStr, s: s} }

// input is a string from outside, which is a number too when it looks like one.
func input(s string) value { return value{k: kInput, s: s} }

func boolean(b bool) value {
	if b {
		return value{k: kNum, n: 1}
	}
	return value{k: kNum}
}

// settle decides whether a string from outside is a number.
func (v value) settle() value {
	if v.k != kInput {
		return v
	}
	if n, ok := looksNumeric(v.s); ok {
		v.k, v.n = kStrNum, n
		return v
	}
	v.k = kStr
	return v
}

// num is the numeric value.
func (v *value) num() float64 {
	switch v.k {
	case kNum, kStrNum, kIndex:
		return v.n
	case kStr, kInput, kRegex:
		return toNumber(v.s)
	}
	return 0
}

// truth is the value as a condition.
func (v *value) truth() bool {
	switch v.k {
	case kNum, kStrNum:
		return v.n != 0
	case kStr, kIndex, kRegex:
		return v.s != ""
	case kInput:
		if n, ok := looksNumeric(v.s); ok {
			return n != 0
		}
		return v.s != ""
	}
	return false
}

// isNumber reports whether a settled value compares as a number.
func (v *value) isNumber() bool {
	return v.k != kStr && v.k != kInput && v.k != kRegex
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// toNumber converts the number that s begins with; anything else is 0.
func toNumber(s string) float64 {
	// Nearly all numbers are short integers without anything around them.
	m, i := leadingDigits(s)
	if i > 0 && i <= maxExact && (i == len(s) || s[i] != '.' && s[i]|0x20 != 'e') {
		return float64(m)
	}
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	n, _ := parseNumber(s)
	return n
}

// leadingDigits is the number that s begins with, of which i digits are read; beyond maxExact of them it is anything.
func leadingDigits(s string) (n int64, i int) {
	for i < len(s) {
		d := s[i] - '0'
		if d > 9 {
			break
		}
		n = n*10 + int64(d)
		i++
	}
	return n, i
}

// looksNumeric reports whether all of s, blanks around it aside, is a number.
func looksNumeric(s string) (float64, bool) {
	if s == "" {
		return 0, false
	}
	if c := s[0]; c > '9' && len(s) < 64 { // the usual word
		return 0, false
	}
	if n, i := leadingDigits(s); i == len(s) && i <= maxExact {
		return float64(n), true
	}
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	if s == "" {
		return 0, false
	}
	n, used := parseNumber(s)
	return n, used == len(s)
}

// pow10 holds the powers of ten that a float64 holds exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// maxExact is the number of digits that a float64 mantissa always holds.
const maxExact = 15

// parseNumber reads the decimal number that s begins with and returns how many bytes it takes.
func parseNumber(s string) (float64, int) {
	i := 0
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	var mant uint64
	digits, point, scale := 0, false, 0
	start := i
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		if digits > 0 || c != '0' {
			digits++
		}
		if digits <= maxExact {
			mant = mant*10 + uint64(c-'0')
		}
		if point {
			scale++
		}
	}
	seen := i - start
	if point {
		seen--
	}
	if seen == 0 {
		return special(s, start)
	}
	end, hasExp := exponent(s, i)
	if hasExp || digits > maxExact || scale >= len(pow10) {
		v, _ := strconv.ParseFloat(s[:end], 64) // out of range gives the infinity or zero that C gives
		return v, end
	}
	v := float64(mant)
	if scale > 0 {
		v /= pow10[scale]
	}
	if neg {
		v = -v
	}
	return v, i
}

// exponent finds the end of the exponent that may stand at i.
func exponent(s string, i int) (end int, ok bool) {
	if i >= len(s) || s[i]|0x20 != 'e' {
		return i, false
	}
	j := i + 1
	if j < len(s) && (s[j] == '-' || s[j] == '+') {
		j++
	}
	if j >= len(s) || !isDigit(s[j]) {
		return i, false
	}
	for j < len(s) && isDigit(s[j]) {
		j++
	}
	return j, true
}

// special reads the four words with a sign that are numbers: +inf -inf +nan -nan.
func special(s string, start int) (float64, int) {
	if start != 1 || len(s) < 4 || len(s) > 4 && (isLetter(s[4]) || isDigit(s[4])) {
		return 0, 0
	}
	switch strings.ToLower(s[1:4]) {
	case "inf":
		if s[0] == '-' {
			return math.Inf(-1), 4
		}
		return math.Inf(1), 4
	case "nan":
		if s[0] == '-' {
			return math.Copysign(math.NaN(), -1), 4
		}
		return math.NaN(), 4
	}
	return 0, 0
}

// maxInt64 bounds the values that are printed as integers without a detour.
const maxInt64 = 1 << 62

// appendNumber formats a number as print and concatenation do: integers exactly, others by format.
func (in *interp) appendNumber(dst []byte, n float64, format string) []byte {
	if n == math.Trunc(n) && n > -maxInt64 && n < maxInt64 {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0):
		return append(dst, nonFinite(n, true)...)
	case n == math.Trunc(n):
		return strconv.AppendFloat(dst, n, 'f', 0, 64)
	case format == "%.6g":
		return appendG(dst, n, 6, false, false)
	}
	return in.appendFormat(dst, format, []value{number(n)})
}

func (in *interp) numStr(n float64) string {
	if n == math.Trunc(n) && n > -maxInt64 && n < maxInt64 {
		return strconv.FormatInt(int64(n), 10)
	}
	var buf [32]byte
	return string(in.appendNumber(buf[:0], n, in.convfmt))
}

// nonFinite is how gawk writes the numbers that are none.
func nonFinite(n float64, sign bool) string {
	word := "inf"
	if math.IsNaN(n) {
		word = "nan"
	}
	switch {
	case math.Signbit(n):
		return "-" + word
	case sign:
		return "+" + word
	}
	return word
}

// str is the string value.
func (in *interp) str(v *value) string {
	switch v.k {
	case kNum:
		return in.numStr(v.n)
	case kArray:
		in.fatal("attempt to use array in a scalar context")
	}
	return v.s
}

// compare orders two values: as numbers when both are, as strings otherwise. ok is false when a NaN takes part.
func (in *interp) compare(a, b value) (order int, ok bool) {
	a, b = a.settle(), b.settle()
	if a.isNumber() && b.isNumber() {
		switch {
		case a.n < b.n:
			return -1, true
		case a.n > b.n:
			return 1, true
		case a.n == b.n:
			return 0, true
		}
		return compareNaN(a.n, b.n), false
	}
	s, t := in.str(&a), in.str(&b)
	if in.ignoreCase {
		return compareFold(s, t), true
	}
	return strings.Compare(s, t), true
}

// compareNaN puts NaN after all other numbers.
func compareNaN(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	}
	return -1
}

func compareFold(s, t string) int {
	return strings.Compare(strings.ToLower(s), strings.ToLower(t))
}

// bytesOf shows a string as bytes that must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// stringOf shows bytes that are never written to again as a string.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// within reports whether s is part of what buf has room for.
func within(s string, buf []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
	base := uintptr(unsafe.Pointer(unsafe.SliceData(buf)))
	return at >= base && at < base+uintptr(cap(buf))
}
