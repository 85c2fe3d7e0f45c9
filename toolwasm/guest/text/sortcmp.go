package text

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/version"
)

// comparer orders lines by a list of keys.
type comparer struct {
	keys    []sortKey
	tab     int // -1: fields are parted by blanks
	reverse bool
	stable  bool // no last comparison of whole lines
	unique  bool
	seed    uint64 // of the hash that -R orders by
}

// lines orders two lines as sort does.
func (c *comparer) lines(a, b []byte) int {
	for i := range c.keys {
		if d := c.key(&c.keys[i], a, b); d != 0 {
			return d
		}
	}
	if len(c.keys) > 0 && (c.unique || c.stable) {
		return 0
	}
	return c.whole(a, b)
}

// whole is the last resort: the lines byte by byte.
func (c *comparer) whole(a, b []byte) int {
	d := bytes.Compare(a, b)
	if c.reverse {
		return -d
	}
	return d
}

func (c *comparer) key(k *sortKey, a, b []byte) int {
	af, at := k.find(a, c.tab)
	bf, bt := k.find(b, c.tab)
	d := c.values(&k.ordering, a[af:at], b[bf:bt])
	if k.reverse {
		return -d
	}
	return d
}

// values compares two keys, without regard to "reverse".
func (c *comparer) values(o *ordering, a, b []byte) int {
	switch {
	case o.numeric:
		return compareNumbers(parseNumber(a), parseNumber(b))
	case o.general:
		return compareUint(generalRank(a), generalRank(b))
	case o.human:
		return compareHuman(a, b)
	case o.month:
		return monthOf(a) - monthOf(b)
	}
	if o.transforms() {
		a, b = o.transform(nil, a, len(a)), o.transform(nil, b, len(b))
	}
	switch {
	case o.random:
		if d := compareUint(c.hash(a), c.hash(b)); d != 0 {
			return d
		}
	case o.version:
		return version.Compare(a, b)
	}
	return bytes.Compare(a, b)
}

// hash is FNV-1a, begun with the seed and mixed at the end.
func (c *comparer) hash(b []byte) uint64 {
	const prime = 1099511628211
	h := c.seed
	for _, ch := range b {
		h = (h ^ uint64(ch)) * prime
	}
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return h ^ h>>32
}

func compareUint(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// transform appends at most n bytes of what is compared of a key.
func (o *ordering) transform(dst, b []byte, n int) []byte {
	for _, ch := range b {
		if len(dst) >= n {
			break
		}
		if o.dictionary && !isDictionary(ch) || o.printable && (ch < ' ' || ch > '~') {
			continue
		}
		if o.fold && ch >= 'a' && ch <= 'z' {
			ch -= 'a' - 'A'
		}
		dst = append(dst, ch)
	}
	return dst
}

func isDictionary(c byte) bool {
	return isBlank(c) || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// number is a decimal number as text: compared digit by digit, it has no limit of size.
type number struct {
	neg bool
	whole,
	frac []byte // without leading and without trailing zeros
}

// parseNumber reads the number that a key begins with; none is 0.
func parseNumber(b []byte) number {
	i := skipBlanks(b, 0)
	var n number
	if i < len(b) && b[i] == '-' {
		n.neg = true
		i++
	}
	for i < len(b) && b[i] == '0' {
		i++
	}
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	n.whole = b[start:i]
	if i < len(b) && b[i] == '.' {
		i++
		start = i
		for i < len(b) && b[i]-'0' <= 9 {
			i++
		}
		for i > start && b[i-1] == '0' {
			i--
		}
		n.frac = b[start:i]
	}
	if len(n.whole) == 0 && len(n.frac) == 0 {
		n.neg = false
	}
	return n
}

func compareNumbers(a, b number) int {
	if a.neg != b.neg {
		if a.neg {
			return -1
		}
		return 1
	}
	d := len(a.whole) - len(b.whole)
	if d == 0 {
		d = bytes.Compare(a.whole, b.whole)
	}
	if d == 0 {
		d = bytes.Compare(a.frac, b.frac)
	}
	if a.neg {
		return -d
	}
	return d
}

// rank is an integer that orders as the number does; exact tells that nothing was lost.
func (n number) rank() (r int64, exact bool) {
	const digits = 18
	if len(n.whole) > digits {
		r = math.MaxInt64
	} else {
		for _, c := range n.whole {
			r = r*10 + int64(c-'0')
		}
		exact = len(n.frac) == 0
	}
	if !n.neg {
		return r, exact
	}
	if !exact && r < math.MaxInt64 {
		r++ // towards minus infinity
	}
	return -r, exact
}

// compareHuman orders numbers with a unit: by sign, then by the unit, then by value.
func compareHuman(a, b []byte) int {
	if d := unitOf(a) - unitOf(b); d != 0 {
		return d
	}
	return compareNumbers(parseNumber(a), parseNumber(b))
}

// unitOf is the power that the suffix of a number stands for, negative for a negative number.
func unitOf(b []byte) int {
	b = b[skipBlanks(b, 0):]
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	i, nonzero := 0, false
	digits := func() {
		for i < len(b) && b[i]-'0' <= 9 {
			nonzero = nonzero || b[i] != '0'
			i++
		}
	}
	digits()
	if i < len(b) && b[i] == '.' {
		i++
		digits()
	}
	if !nonzero || i == len(b) {
		return 0
	}
	unit := strings.IndexByte("KMGTPEZYRQ", b[i])
	if b[i] == 'k' {
		unit = 0
	}
	if neg {
		return -(unit + 1)
	}
	return unit + 1
}

// generalRank orders by floating-point value: no number, NaN, numbers.
func generalRank(b []byte) uint64 {
	const nan = 1
	b = b[skipBlanks(b, 0):]
	f, ok := leadingFloat(b)
	switch {
	case !ok:
		return 0
	case math.IsNaN(f):
		return nan
	}
	return floatRank(f)
}

// floatRank maps floats to integers in the same order, above the ranks of what is no number.
func floatRank(f float64) uint64 {
	if f == 0 {
		f = 0 // minus zero is zero
	}
	u := math.Float64bits(f)
	if u>>63 != 0 {
		return ^u
	}
	return u | 1<<63
}

// leadingFloat reads the number that b begins with as strtod does.
func leadingFloat(b []byte) (float64, bool) {
	i := 0
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		i++
	}
	if f, ok := namedFloat(b, i); ok {
		return f, true
	}
	if i+1 < len(b) && b[i] == '0' && b[i+1]|0x20 == 'x' {
		if f, ok := hexFloat(b, i); ok {
			return f, true
		}
	}
	digits := 0
	run := func() {
		for i < len(b) && b[i]-'0' <= 9 {
			i++
			digits++
		}
	}
	run()
	if i < len(b) && b[i] == '.' {
		i++
		run()
	}
	if digits == 0 {
		return 0, false
	}
	if end := exponentEnd(b, i, 'e'); end > 0 {
		i = end
	}
	f, err := strconv.ParseFloat(string(b[:i]), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// exponentEnd returns the end of an exponent at i, 0 when there is none.
func exponentEnd(b []byte, i int, letter byte) int {
	if i >= len(b) || b[i]|0x20 != letter {
		return 0
	}
	i++
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		i++
	}
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return 0
	}
	return i
}

func namedFloat(b []byte, i int) (float64, bool) {
	word := b[i:min(i+3, len(b))]
	neg := i > 0 && b[0] == '-'
	switch {
	case bytes.EqualFold(word, []byte("inf")):
		if neg {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	case bytes.EqualFold(word, []byte("nan")):
		return math.NaN(), true
	}
	return 0, false
}

func hexFloat(b []byte, i int) (float64, bool) {
	i += 2
	digits := 0
	run := func() {
		for i < len(b) && strings.IndexByte("0123456789abcdefABCDEF", b[i]) >= 0 {
			i++
			digits++
		}
	}
	run()
	if i < len(b) && b[i] == '.' {
		i++
		run()
	}
	if digits == 0 {
		return 0, false
	}
	text := string(b[:i])
	if end := exponentEnd(b, i, 'p'); end > 0 {
		text = string(b[:end])
	} else {
		text += "p0"
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// monthOf is 1 to 12 for a key that begins with the name of a month, else 0.
func monthOf(b []byte) int {
	b = b[skipBlanks(b, 0):]
	if len(b) < 3 {
		return 0
	}
	const names = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
	var w [3]byte
	for i := range w {
		w[i] = b[i]
		if w[i] >= 'a' && w[i] <= 'z' {
			w[i] -= 'a' - 'A'
		}
	}
	for i := 0; i < len(names); i += 3 {
		if names[i:i+3] == string(w[:]) {
			return i/3 + 1
		}
	}
	return 0
}

// abbreviate maps the start of a key to an integer that orders as the key does, as far as it goes. exact tells
// that equal integers mean equal keys.
func (c *comparer) abbreviate(o *ordering, key []byte) (a uint64, exact bool) {
	const bias = 1 << 63
	switch {
	case o.numeric:
		r, exact := parseNumber(key).rank()
		return uint64(r) + bias, exact
	case o.general:
		return generalRank(key), true
	case o.human:
		const unitBits, biasUnit = 59, 16
		return uint64(unitOf(key)+biasUnit) << unitBits, false
	case o.month:
		return uint64(monthOf(key)), true
	case o.version:
		return 0, false
	case o.random:
		if o.transforms() {
			return 0, false
		}
		return c.hash(key), false
	case o.transforms():
		var buf [8]byte
		return prefix8(o.transform(buf[:0], key, len(buf))), false
	}
	return prefix8(key), false
}

// prefix8 is the first eight bytes as a big-endian integer, filled with zeros.
func prefix8(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var v uint64
	for i, c := range b {
		v |= uint64(c) << (56 - 8*i)
	}
	return v
}
