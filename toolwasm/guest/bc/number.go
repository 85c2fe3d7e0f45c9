package bc

import (
	"math/big"
	"strconv"
	"strings"
)

// num is a decimal number: mant / 10^scale. Numbers are immutable. Most fit into small; big is nil then.
type num struct {
	small int64
	big   *big.Int
	scale int
}

const (
	// maxScale bounds the digits after the point.
	maxScale = 1 << 18
	// maxDigits bounds the digits of a number.
	maxDigits = 1 << 20
	// smallLimit bounds the small numbers that are multiplied without looking for overflow.
	smallLimit = 1 << 31
)

func integer(n int64) num { return num{small: n} }

func fromBig(b *big.Int, scale int) num {
	if b.IsInt64() {
		return num{small: b.Int64(), scale: scale}
	}
	return num{big: b, scale: scale}
}

func (n num) mant() *big.Int {
	if n.big != nil {
		return n.big
	}
	return big.NewInt(n.small)
}

func (n num) isZero() bool { return n.big == nil && n.small == 0 }

func (n num) sign() int {
	if n.big != nil {
		return n.big.Sign()
	}
	switch {
	case n.small < 0:
		return -1
	case n.small > 0:
		return 1
	}
	return 0
}

// pow10 is 10^n.
func pow10(n int) *big.Int {
	const small = 19
	if n < small {
		v := int64(1)
		for range n {
			v *= 10
		}
		return big.NewInt(v)
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// rescale gives the number another scale; digits that do not fit are cut off.
func (n num) rescale(scale int) num {
	switch {
	case scale == n.scale:
		return n
	case n.isZero():
		return num{scale: scale}
	case scale > n.scale:
		return fromBig(new(big.Int).Mul(n.mant(), pow10(scale-n.scale)), scale)
	}
	return fromBig(new(big.Int).Quo(n.mant(), pow10(n.scale-scale)), scale)
}

func (n num) neg() num {
	if n.big == nil && n.small != -1<<63 {
		return num{small: -n.small, scale: n.scale}
	}
	return fromBig(new(big.Int).Neg(n.mant()), n.scale)
}

func (n num) add(o num) num {
	if n.scale != o.scale {
		s := max(n.scale, o.scale)
		n, o = n.rescale(s), o.rescale(s)
	}
	if n.big == nil && o.big == nil {
		s := n.small + o.small
		if (s > n.small) == (o.small > 0) {
			return num{small: s, scale: n.scale}
		}
	}
	return fromBig(new(big.Int).Add(n.mant(), o.mant()), n.scale)
}

func (n num) sub(o num) num { return n.add(o.neg()) }

func (n num) cmp(o num) int {
	if n.scale == o.scale && n.big == nil && o.big == nil {
		switch {
		case n.small < o.small:
			return -1
		case n.small > o.small:
			return 1
		}
		return 0
	}
	return n.sub(o).sign()
}

// product multiplies exactly.
func (n num) product(o num) num {
	scale := n.scale + o.scale
	if n.big == nil && o.big == nil && abs(n.small) < smallLimit && abs(o.small) < smallLimit {
		return num{small: n.small * o.small, scale: scale}
	}
	return fromBig(new(big.Int).Mul(n.mant(), o.mant()), scale)
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// mul multiplies with the scale that the language gives a product.
func (n num) mul(o num, scale int) num {
	p := n.product(o)
	want := min(n.scale+o.scale, max(scale, n.scale, o.scale))
	return p.rescale(want)
}

// div divides, cutting off after scale digits. The divisor must not be zero.
func (n num) div(o num, scale int) num {
	shift := scale + o.scale - n.scale
	a, b := n.mant(), o.mant()
	if shift >= 0 {
		a = new(big.Int).Mul(a, pow10(shift))
	} else {
		b = new(big.Int).Mul(b, pow10(-shift))
	}
	return fromBig(new(big.Int).Quo(a, b), scale)
}

// mod is what a division leaves.
func (n num) mod(o num, scale int) num {
	q := n.div(o, scale)
	s := max(n.scale, scale+o.scale)
	return n.sub(q.product(o)).rescale(s)
}

// digits is about how many digits the number has.
func (n num) digits() int {
	const bitsPerDigit = 3
	return n.mant().BitLen()/bitsPerDigit + 1
}

// pow raises to a whole power.
func (n num) pow(exp int64, scale int) (num, bool) {
	if exp == 0 {
		return integer(1), true
	}
	e := abs(exp)
	if !n.isZero() && n.abs1() && float64(n.digits())*float64(e) > maxDigits || float64(n.scale)*float64(e) > maxDigits {
		return num{}, false
	}
	p := fromBig(new(big.Int).Exp(n.mant(), big.NewInt(e), nil), n.scale*int(e))
	if exp < 0 {
		if p.isZero() {
			return num{}, false
		}
		return integer(1).div(p, scale), true
	}
	return p.rescale(min(p.scale, max(scale, n.scale))), true
}

// abs1 reports whether the number's digits are other than a single 1, so that powers grow.
func (n num) abs1() bool { return n.big != nil || abs(n.small) != 1 }

// sqrt is the square root of a number that is not negative.
func (n num) sqrt(scale int) num {
	s := max(scale, n.scale)
	return fromBig(new(big.Int).Sqrt(n.rescale(2*s).mant()), s)
}

// whole is the number without its fraction; ok is false when it is too large for an int64.
func (n num) whole() (v int64, ok bool) {
	w := n.rescale(0)
	return w.small, w.big == nil
}

// length is the number of digits that count.
func (n num) length() int {
	s := new(big.Int).Abs(n.mant()).String()
	return max(len(s), n.scale)
}

// decimal writes the number in base ten. A zero before the point is left out.
func (n num) decimal() string {
	if n.isZero() {
		return "0"
	}
	sign := ""
	if n.sign() < 0 {
		sign = "-"
	}
	var s string
	if n.big == nil {
		s = strings.TrimPrefix(strconv.FormatInt(n.small, 10), "-")
	} else {
		s = new(big.Int).Abs(n.big).String()
	}
	if n.scale == 0 {
		return sign + s
	}
	if len(s) < n.scale {
		s = strings.Repeat("0", n.scale-len(s)) + s
	}
	return sign + s[:len(s)-n.scale] + "." + s[len(s)-n.scale:]
}

// inBase writes the number in another base. spend is told of each step.
func (n num) inBase(base int, spend func(*big.Int)) string {
	if n.isZero() {
		return "0"
	}
	var b strings.Builder
	m := new(big.Int).Abs(n.mant())
	if n.sign() < 0 {
		b.WriteByte('-')
	}
	unit := pow10(n.scale)
	whole, frac := new(big.Int).QuoRem(m, unit, new(big.Int))
	digit := digitWriter(&b, base)
	if whole.Sign() > 0 {
		for _, d := range digitsOf(whole, base, spend) {
			digit(d, true)
		}
	}
	if n.scale == 0 {
		return b.String()
	}
	b.WriteByte('.')
	bigBase := big.NewInt(int64(base))
	// As many digits as it takes for the base's powers to have as many decimal digits as the scale.
	limit := pow10(n.scale)
	blank := false
	for t := big.NewInt(1); t.Cmp(limit) < 0; t.Mul(t, bigBase) {
		spend(t)
		frac.Mul(frac, bigBase)
		d := new(big.Int)
		d.QuoRem(frac, unit, frac)
		digit(int(d.Int64()), blank)
		blank = true
	}
	return b.String()
}

// digitsOf lists the digits of a number in a base.
func digitsOf(n *big.Int, base int, spend func(*big.Int)) []int {
	var ds []int
	const hex = 16
	if base <= hex {
		text := n.Text(base)
		for i := range len(text) {
			ds = append(ds, strings.IndexByte("0123456789abcdef", text[i]))
		}
		return ds
	}
	b := big.NewInt(int64(base))
	n = new(big.Int).Set(n)
	d := new(big.Int)
	for n.Sign() > 0 {
		spend(n)
		n.QuoRem(n, b, d)
		ds = append(ds, int(d.Int64()))
	}
	for i, j := 0, len(ds)-1; i < j; i, j = i+1, j-1 {
		ds[i], ds[j] = ds[j], ds[i]
	}
	return ds
}

// digitWriter writes digits: one character each up to base sixteen, a blank and a decimal number each beyond.
func digitWriter(b *strings.Builder, base int) func(d int, blank bool) {
	const hex = 16
	if base <= hex {
		return func(d int, _ bool) { b.WriteByte("0123456789ABCDEF"[d]) }
	}
	width := len(strconv.Itoa(base - 1))
	return func(d int, blank bool) {
		s := strconv.Itoa(d)
		if blank {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Repeat("0", width-len(s)) + s)
	}
}

// parseNumber reads a number written in a base. A single digit may be larger than the base; others count as the largest.
func parseNumber(s string, base int) num {
	whole, frac, _ := strings.Cut(s, ".")
	if base == 10 && !strings.ContainsAny(s, "ABCDEF") {
		if m, ok := new(big.Int).SetString(whole+frac, 10); ok {
			return fromBig(m, len(frac))
		}
		return num{scale: len(frac)}
	}
	single := len(whole)+len(frac) == 1
	value := func(c byte) int64 {
		v := int64(c - '0')
		if c >= 'A' {
			v = int64(c-'A') + 10
		}
		if v >= int64(base) && !single {
			v = int64(base) - 1
		}
		return v
	}
	b := big.NewInt(int64(base))
	m := new(big.Int)
	for i := range len(whole) {
		m.Mul(m, b)
		m.Add(m, big.NewInt(value(whole[i])))
	}
	if frac == "" {
		return fromBig(m, 0)
	}
	f, unit := new(big.Int), big.NewInt(1)
	for i := range len(frac) {
		f.Mul(f, b)
		f.Add(f, big.NewInt(value(frac[i])))
		unit.Mul(unit, b)
	}
	f.Mul(f, pow10(len(frac)))
	f.Quo(f, unit)
	return fromBig(m, 0).add(fromBig(f, len(frac)))
}
