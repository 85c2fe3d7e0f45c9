package system

import (
	"bytes"
	"math/big"
	"sort"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/text/lines"
)

const factorHelp = `Usage: factor [OPTION]... [NUMBER]...
Write the prime factors of each NUMBER, or of those in standard input.

  -h, --exponents  write repeated factors as p^e
`

// maxFactorDigits bounds the numbers: larger ones would not be done in any time that is worth waiting for.
const maxFactorDigits = 512

func factorCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{Short: "h", Long: []getopt.Long{{Name: "exponents", Short: 'h'}}})
	powers := len(opts) > 0
	status := 0
	each := func(word string) {
		if !writeFactors(p, word, powers) {
			status = 1
		}
	}
	if len(operands) > 0 {
		for _, w := range operands {
			each(w)
		}
		return status
	}
	r := lines.New(p, p.Stdin, '\n')
	for {
		line, ok := r.Next()
		if !ok {
			return status
		}
		for _, w := range bytes.Fields(line) {
			each(string(w))
		}
	}
}

func writeFactors(p *command.Proc, word string, powers bool) bool {
	digits := strings.TrimPrefix(strings.TrimLeft(word, " "), "+")
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok || len(digits) > maxFactorDigits || strings.Trim(digits, "0123456789") != "" {
		p.Errorf("%s is not a valid positive integer", quote.Locale(word))
		return false
	}
	factors := factorize(p, n)
	out := p.Out()
	_, _ = out.WriteString(n.String() + ":")
	for i := 0; i < len(factors); {
		k := 1
		for powers && i+k < len(factors) && factors[i+k].Cmp(factors[i]) == 0 {
			k++
		}
		_, _ = out.WriteString(" " + factors[i].String())
		if k > 1 {
			_, _ = out.WriteString("^" + strconv.Itoa(k))
		}
		i += k
	}
	_ = out.WriteByte('\n')
	return true
}

// factorize returns the prime factors in ascending order.
func factorize(p *command.Proc, n *big.Int) []*big.Int {
	var out []*big.Int
	n = new(big.Int).Set(n)
	if n.Sign() == 0 {
		return nil
	}
	const small = 10000
	q, r := new(big.Int), new(big.Int)
	for d := int64(2); d < small && n.Cmp(big.NewInt(d*d)) >= 0; d++ {
		div := big.NewInt(d)
		for {
			q.QuoRem(n, div, r)
			if r.Sign() != 0 {
				break
			}
			out = append(out, div)
			n.Set(q)
		}
	}
	out = append(out, primesOf(p, n)...)
	sort.Slice(out, func(i, j int) bool { return out[i].Cmp(out[j]) < 0 })
	return out
}

const primeRounds = 20

func primesOf(p *command.Proc, n *big.Int) []*big.Int {
	if n.Cmp(big.NewInt(1)) == 0 {
		return nil
	}
	if n.ProbablyPrime(primeRounds) {
		return []*big.Int{n}
	}
	d := rho(p, n)
	return append(primesOf(p, d), primesOf(p, new(big.Int).Quo(n, d))...)
}

// rho finds a factor of a composite number by Pollard's method, in the form of Brent.
func rho(p *command.Proc, n *big.Int) *big.Int {
	if root := new(big.Int).Sqrt(n); new(big.Int).Mul(root, root).Cmp(n) == 0 {
		return root
	}
	one := big.NewInt(1)
	for c := int64(1); ; c++ {
		if d := rhoWalk(p, n, big.NewInt(c)); d.Cmp(one) != 0 && d.Cmp(n) != 0 {
			return d
		}
	}
}

// rhoWalk walks x → x²+c until a difference has a factor in common with n. Differences are multiplied in batches, for
// one greatest common divisor each.
func rhoWalk(p *command.Proc, n, c *big.Int) *big.Int {
	const batch = 128
	one := big.NewInt(1)
	y, x, ys := big.NewInt(2), new(big.Int), new(big.Int)
	q, d, diff := big.NewInt(1), big.NewInt(1), new(big.Int)
	step := func(v *big.Int) {
		v.Mul(v, v)
		v.Add(v, c)
		v.Mod(v, n)
	}
	for r := 1; d.Cmp(one) == 0; r *= 2 {
		x.Set(y)
		for range r {
			step(y)
		}
		for k := 0; k < r && d.Cmp(one) == 0; k += batch {
			p.Yield()
			ys.Set(y)
			for range min(batch, r-k) {
				step(y)
				diff.Sub(x, y)
				diff.Abs(diff)
				q.Mul(q, diff)
				q.Mod(q, n)
			}
			d.GCD(nil, nil, q, n)
		}
	}
	if d.Cmp(n) != 0 {
		return d
	}
	// The batch held all factors at once: go through it again, step by step.
	for {
		step(ys)
		diff.Sub(x, ys)
		diff.Abs(diff)
		d.GCD(nil, nil, diff, n)
		if d.Cmp(one) != 0 {
			return d
		}
	}
}
