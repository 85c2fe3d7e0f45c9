package json5

import (
	"math"
	"strconv"
	"strings"
)

// Float64 is a Number's value; a number too large for a float64 is an infinity.
func (n *Node) Float64() float64 {
	text, negative := unsigned(n.Str)
	v := math.NaN()
	switch {
	case text == "Infinity":
		v = math.Inf(1)
	case text == "NaN":
	case isHex(text):
		v = hexFloat(text[2:])
	default:
		v, _ = strconv.ParseFloat(text, 64) // an infinity when out of range
	}
	if negative {
		return -v
	}
	return v
}

// Int64 is a Number's value if it is a whole number that an int64 holds, however it is written: 5, 5.0, 0x5, 5e0.
func (n *Node) Int64() (int64, bool) {
	text, negative := unsigned(n.Str)
	sign := ""
	if negative {
		sign = "-"
	}
	if isHex(text) {
		v, err := strconv.ParseInt(sign+text[2:], 16, 64)
		if err != nil {
			return 0, false
		}
		return v, true
	}
	if v, err := strconv.ParseInt(sign+text, 10, 64); err == nil {
		return v, true
	}
	const exact = 1 << 53 // up to here each whole number has its own float64
	v := n.Float64()
	if v != math.Trunc(v) || math.Abs(v) > exact || strings.Trim(text, "0123456789") == "" {
		return 0, false
	}
	return int64(v), true
}

func unsigned(text string) (rest string, negative bool) {
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		return rest, true
	}
	return strings.TrimPrefix(text, "+"), false
}

func isHex(text string) bool {
	return len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
}

func hexFloat(digits string) float64 {
	v := 0.0
	for i := range len(digits) {
		d, _ := strconv.ParseUint(digits[i:i+1], 16, 8)
		v = v*16 + float64(d)
	}
	return v
}

func sameNumber(n, m *Node) bool {
	if a, ok := n.Int64(); ok {
		b, ok := m.Int64()
		return ok && a == b
	}
	a, b := n.Float64(), m.Float64()
	return a == b || math.IsNaN(a) && math.IsNaN(b)
}
