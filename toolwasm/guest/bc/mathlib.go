package bc

import "math/big"

// guardDigits are computed beyond the scale and cut off in the end.
const guardDigits = 12

// fixed is fixed-point arithmetic with a number of digits after the point.
type fixed struct {
	unit *big.Int
}

func newFixed(digits int) fixed { return fixed{pow10(digits)} }

func (f fixed) mul(a, b *big.Int) *big.Int {
	r := new(big.Int).Mul(a, b)
	return r.Quo(r, f.unit)
}

func (f fixed) div(a, b *big.Int) *big.Int {
	r := new(big.Int).Mul(a, f.unit)
	return r.Quo(r, b)
}

// mathCall computes a function of the math library. args are one or, for j, two numbers.
func (in *interp) mathCall(name string, args []num) num {
	x := args[len(args)-1]
	scale := in.scale
	switch name {
	case "e":
		return in.exp(x, scale)
	case "l":
		return in.log(x, scale)
	case "s":
		return in.sine(x, scale, false)
	case "c":
		return in.sine(x, scale, true)
	case "a":
		return in.atan(x, scale)
	}
	return in.bessel(args[0], x, scale)
}

// maxExponent bounds the argument of e(), as the result has about 0.43 times as many digits.
const maxExponent = maxDigits

func (in *interp) exp(x num, scale int) num {
	n, ok := x.whole()
	if !ok || abs(n) > maxExponent {
		if x.sign() < 0 {
			return num{scale: scale}
		}
		in.fail("exponent too large in raise")
	}
	if x.sign() < 0 {
		digits := scale + guardDigits
		return integer(1).div(in.exp(x.neg(), digits), scale)
	}
	// The whole part costs digits before the point; halving the argument costs one more for each time.
	const perHalving, digitsPerUnit = 1, 2
	halvings := 8
	for w := n; w > 0; w >>= 1 {
		halvings++
	}
	digits := scale + guardDigits + halvings*perHalving + int(n)/digitsPerUnit
	f := newFixed(digits)
	y := new(big.Int).Rsh(x.rescale(digits).mant(), uint(halvings))
	sum, term := new(big.Int).Set(f.unit), new(big.Int).Set(f.unit)
	for i := int64(1); term.Sign() != 0; i++ {
		in.spendOn(f.unit)
		term = f.mul(term, y)
		term.Quo(term, big.NewInt(i))
		sum.Add(sum, term)
	}
	for range halvings {
		in.spendOn(f.unit)
		sum = f.mul(sum, sum)
	}
	return fromBig(sum, digits).rescale(scale)
}

// log uses the series of artanh after bringing the argument near 1 by square roots.
func (in *interp) log(x num, scale int) num {
	if x.sign() <= 0 {
		return integer(1).sub(fromBig(pow10(scale), 0)).rescale(scale)
	}
	extra := max(x.length()-x.scale, 0) + x.scale
	digits := scale + guardDigits + min(extra, scale+x.length())
	f := newFixed(digits)
	y := x.rescale(digits).mant()
	if y.Sign() == 0 {
		y = big.NewInt(1)
	}
	low := new(big.Int).Quo(new(big.Int).Mul(f.unit, big.NewInt(9)), big.NewInt(10))
	high := new(big.Int).Quo(new(big.Int).Mul(f.unit, big.NewInt(11)), big.NewInt(10))
	doublings := uint(0)
	for y.Cmp(low) < 0 || y.Cmp(high) > 0 {
		in.spendOn(f.unit)
		y = new(big.Int).Sqrt(new(big.Int).Mul(y, f.unit))
		doublings++
	}
	z := f.div(new(big.Int).Sub(y, f.unit), new(big.Int).Add(y, f.unit))
	z2 := f.mul(z, z)
	sum, term := new(big.Int).Set(z), new(big.Int).Set(z)
	for i := int64(3); ; i += 2 {
		in.spendOn(f.unit)
		term = f.mul(term, z2)
		t := new(big.Int).Quo(term, big.NewInt(i))
		if t.Sign() == 0 {
			break
		}
		sum.Add(sum, t)
	}
	sum.Lsh(sum, doublings+1)
	return fromBig(sum, digits).rescale(scale)
}

// pi with so many digits, by Machin's formula.
func (in *interp) pi(f fixed) *big.Int {
	atanInv := func(n int64) *big.Int {
		term := new(big.Int).Quo(f.unit, big.NewInt(n))
		sum := new(big.Int).Set(term)
		n2 := big.NewInt(n * n)
		for i := int64(3); term.Sign() != 0; i += 2 {
			in.spendOn(f.unit)
			term.Quo(term, n2)
			term.Neg(term)
			sum.Add(sum, new(big.Int).Quo(term, big.NewInt(i)))
		}
		return sum
	}
	const a, b = 5, 239
	r := new(big.Int).Mul(atanInv(a), big.NewInt(4))
	r.Sub(r, atanInv(b))
	return r.Mul(r, big.NewInt(4))
}

func (in *interp) sine(x num, scale int, cosine bool) num {
	if x.isZero() {
		if cosine {
			return integer(1).rescale(scale)
		}
		return num{scale: scale}
	}
	digits := scale + guardDigits + max(x.length()-x.scale, 0)
	f := newFixed(digits)
	pi := in.pi(f)
	half := new(big.Int).Rsh(pi, 1)
	y := new(big.Int).Set(x.rescale(digits).mant())
	if cosine {
		y.Add(y, half)
	}
	// Reduce to [-pi/2, pi/2].
	turns := new(big.Int).Add(y, half)
	turns.Div(turns, pi)
	y.Sub(y, new(big.Int).Mul(turns, pi))
	y2 := f.mul(y, y)
	sum, term := new(big.Int).Set(y), new(big.Int).Set(y)
	for i := int64(2); term.Sign() != 0; i += 2 {
		in.spendOn(f.unit)
		term = f.mul(term, y2)
		term.Quo(term, big.NewInt(-i*(i+1)))
		sum.Add(sum, term)
	}
	if turns.Bit(0) == 1 {
		sum.Neg(sum)
	}
	return fromBig(sum, digits).rescale(scale)
}

// atan halves its argument until the series converges fast.
func (in *interp) atan(x num, scale int) num {
	if x.isZero() {
		return num{scale: scale}
	}
	digits := scale + guardDigits + max(x.length()-x.scale, 0)
	f := newFixed(digits)
	y := new(big.Int).Set(x.rescale(digits).mant())
	limit := new(big.Int).Quo(f.unit, big.NewInt(8))
	doublings := uint(0)
	for y.CmpAbs(limit) > 0 {
		in.spendOn(f.unit)
		// tan(a/2) = t / (1 + sqrt(1 + t^2))
		s := new(big.Int).Mul(y, y)
		s.Add(s, new(big.Int).Mul(f.unit, f.unit))
		s.Sqrt(s)
		y = f.div(y, s.Add(s, f.unit))
		doublings++
	}
	y2 := f.mul(y, y)
	sum, term := new(big.Int).Set(y), new(big.Int).Set(y)
	for i := int64(3); term.Sign() != 0; i += 2 {
		in.spendOn(f.unit)
		term = f.mul(term, y2)
		term.Neg(term)
		sum.Add(sum, new(big.Int).Quo(term, big.NewInt(i)))
	}
	return fromBig(sum.Lsh(sum, doublings), digits).rescale(scale)
}

// maxOrder bounds the order of Bessel functions.
const maxOrder = 100_000

// bessel is J of a whole order.
func (in *interp) bessel(order, x num, scale int) num {
	n, ok := order.whole()
	if !ok || abs(n) > maxOrder {
		in.fail("order of j() too large")
	}
	neg := n < 0 && n%2 != 0
	n = abs(n)
	size, _ := x.whole()
	digits := scale + guardDigits + int(min(abs(size), maxOrder)) + max(x.length()-x.scale, 0)
	f := newFixed(digits)
	y := new(big.Int).Quo(x.rescale(digits).mant(), big.NewInt(2))
	term := new(big.Int).Set(f.unit)
	for i := int64(1); i <= n; i++ {
		in.spendOn(f.unit)
		term = f.mul(term, y)
		term.Quo(term, big.NewInt(i))
	}
	y2 := f.mul(y, y)
	sum := new(big.Int).Set(term)
	for i := int64(1); term.Sign() != 0; i++ {
		in.spendOn(f.unit)
		term = f.mul(term, y2)
		term.Quo(term, big.NewInt(-i*(i+n)))
		sum.Add(sum, term)
	}
	if neg {
		sum.Neg(sum)
	}
	return fromBig(sum, digits).rescale(scale)
}
