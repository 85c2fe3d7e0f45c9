package text

import (
	"bufio"
	"math"
	"math/big"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/format"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
)

const seqHelp = `Usage: seq [OPTION]... [FIRST [INCREMENT]] LAST
Write the numbers from FIRST (1) to LAST in steps of INCREMENT (1).

  -f, --format=FORMAT     write each number by FORMAT, one of printf's %a %e %f %g with flags, width and precision
  -s, --separator=STRING  put STRING between the numbers, instead of a newline
  -w, --equal-width       give all numbers the same width with leading zeros
`

// seqNumber is an operand: a decimal number n·10^-prec, or a value that is not one (infinity, a hexadecimal float).
type seqNumber struct {
	n      *big.Int
	prec   int
	width  int
	value  float64
	binary bool // only value holds
	minus0 bool // it is -0, which is written so
}

type sequence struct {
	p             *command.Proc
	out           *bufio.Writer
	first, step   seqNumber
	last          seqNumber
	sep           string
	equal         bool
	before, after string
	spec          *format.Spec
}

func seqCommand(p *command.Proc) int {
	p.Args = negativeOperands(p.Args)
	s := sequence{p: p, out: p.Out(), sep: "\n"}
	opts, operands := p.Options(1, getopt.Spec{
		Short: "+f:s:w",
		Long: []getopt.Long{
			{Name: "format", Arg: getopt.Required, Short: 'f'},
			{Name: "separator", Arg: getopt.Required, Short: 's'},
			{Name: "equal-width", Short: 'w'},
		},
	})
	layout, hasLayout := "", false
	for _, o := range opts {
		switch o.Name {
		case "f":
			layout, hasLayout = o.Arg, true
		case "s":
			s.sep = o.Arg
		case "w":
			s.equal = true
		}
	}
	switch {
	case len(operands) == 0:
		return p.Usage(1, "missing operand")
	case len(operands) > 3:
		return p.Usage(1, "extra operand %s", quote.Locale(operands[3]))
	case hasLayout && s.equal:
		return p.Usage(1, "format string may not be specified when printing equal width strings")
	}
	if hasLayout {
		s.layout(layout)
	}
	if !s.numbers(operands) {
		return 1
	}
	return s.run()
}

// layout reads the FORMAT of -f: one directive among other text.
func (s *sequence) layout(layout string) {
	var before strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' {
			before.WriteByte(layout[i])
			continue
		}
		if strings.HasPrefix(layout[i+1:], "%") {
			before.WriteByte('%')
			i++
			continue
		}
		if s.spec != nil {
			s.die("format %s has too many %% directives", quote.Locale(layout))
		}
		spec, n, ok := format.Parse(layout[i+1:])
		if !ok {
			s.die("format %s ends in %%", quote.Locale(layout))
		}
		if strings.IndexByte("aefgAEFG", spec.Verb) < 0 {
			s.die("format %s has unknown %%%c directive", quote.Locale(layout), spec.Verb)
		}
		s.spec, s.before = &spec, before.String()
		before.Reset()
		i += n
	}
	if s.spec == nil {
		s.die("format %s has no %% directive", quote.Locale(layout))
	}
	s.after = before.String()
}

func (s *sequence) die(msg string, args ...any) {
	s.p.Errorf(msg, args...)
	s.p.Exit(1)
}

func (s *sequence) numbers(operands []string) bool {
	one := seqNumber{n: big.NewInt(1), width: 1, value: 1}
	s.first, s.step = one, one
	targets := [][]*seqNumber{{&s.last}, {&s.first, &s.last}, {&s.first, &s.step, &s.last}}[len(operands)-1]
	for i, text := range operands {
		n, ok := parseSeqNumber(text)
		if !ok {
			s.p.Exit(s.p.Usage(1, "invalid floating point argument: %s", quote.Locale(text)))
		}
		if math.IsNaN(n.value) {
			s.p.Exit(s.p.Usage(1, "invalid %s argument: %s", quote.Locale("not-a-number"), quote.Locale(text)))
		}
		*targets[i] = n
	}
	if s.step.value == 0 && (s.step.binary || s.step.n.Sign() == 0) {
		s.p.Exit(s.p.Usage(1, "invalid Zero increment value: %s", quote.Locale(operands[1])))
	}
	return true
}

// maxExponent bounds 1e999999999, which would be a number of a billion digits.
const maxExponent = 4000

func parseSeqNumber(text string) (seqNumber, bool) {
	t := strings.TrimLeft(text, " \t\n\v\f\r")
	t = strings.TrimPrefix(t, "+")
	mantissa, exponent, hasExp := cutExponent(t)
	neg := strings.HasPrefix(mantissa, "-")
	digits := strings.TrimPrefix(mantissa, "-")
	whole, frac, _ := strings.Cut(digits, ".")
	if whole+frac == "" || trimDigits(whole) != "" || trimDigits(frac) != "" {
		return parseBinary(t)
	}
	exp := 0
	if hasExp {
		var err error
		if exp, err = strconv.Atoi(exponent); err != nil || exp > maxExponent || exp < -maxExponent {
			return parseBinary(t)
		}
	}
	n, ok := new(big.Int).SetString(whole+frac, 10)
	if !ok {
		return seqNumber{}, false
	}
	prec := len(frac) - exp
	if prec < 0 {
		n.Mul(n, pow10(-prec))
		prec = 0
	}
	if neg {
		n.Neg(n)
	}
	v, _ := strconv.ParseFloat(t, 64)
	width := len(mantissa)
	if strings.HasPrefix(digits, ".") {
		width++
	}
	if hasExp {
		width = len(decimal(n, prec))
	} else if strings.HasSuffix(mantissa, ".") {
		width--
	}
	return seqNumber{n: n, prec: prec, width: width, value: v, minus0: neg && n.Sign() == 0}, true
}

func cutExponent(s string) (mantissa, exponent string, ok bool) {
	if strings.ContainsAny(s, "xXnN") {
		return s, "", false
	}
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func parseBinary(s string) (seqNumber, bool) {
	v, ok := leadingFloat([]byte(s))
	if !ok || strings.TrimRight(s, "0123456789abcdefxptyinABCDEFXPTYIN.+-") != "" {
		return seqNumber{}, false
	}
	return seqNumber{value: v, binary: true, n: new(big.Int)}, true
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// decimal writes n·10^-prec.
func decimal(n *big.Int, prec int) string {
	s := new(big.Int).Abs(n).String()
	if len(s) <= prec {
		s = strings.Repeat("0", prec+1-len(s)) + s
	}
	if prec > 0 {
		s = s[:len(s)-prec] + "." + s[len(s)-prec:]
	}
	if n.Sign() < 0 {
		s = "-" + s
	}
	return s
}

// scaled is the number as a multiple of 10^-prec; digits beyond are cut off.
func (n seqNumber) scaled(prec int) *big.Int {
	if prec >= n.prec {
		return new(big.Int).Mul(n.n, pow10(prec-n.prec))
	}
	return new(big.Int).Quo(n.n, pow10(n.prec-prec))
}

func (s *sequence) run() int {
	if s.first.binary || s.step.binary || s.last.binary {
		s.floats()
		return 0
	}
	prec := max(s.first.prec, s.step.prec)
	scale := max(prec, s.last.prec)
	from, by, to := s.first.scaled(scale), s.step.scaled(scale), s.last.scaled(scale)
	width := 0
	if s.equal {
		width = s.equalWidth(prec)
	}
	if s.spec == nil && scale == 0 && !s.first.minus0 && from.IsInt64() && by.IsInt64() && to.IsInt64() {
		s.integers(from.Int64(), by.Int64(), to.Int64(), width)
		return 0
	}
	s.decimals(from, by, to, scale, prec, width)
	return 0
}

func (s *sequence) equalWidth(prec int) int {
	first := s.first.width + prec - s.first.prec
	last := s.last.width + prec - s.last.prec
	if s.last.prec > 0 && prec == 0 {
		last--
	}
	if s.last.prec == 0 && prec > 0 {
		last++
	}
	if s.first.prec == 0 && prec > 0 {
		first++
	}
	return max(first, last)
}

// yieldEvery is how many short steps may pass before other commands get their turn.
const yieldEvery = 1 << 14

func (s *sequence) integers(from, by, to int64, width int) {
	if by > 0 && from > to || by < 0 && from < to {
		return
	}
	sep := []byte(s.sep)
	buf := make([]byte, 0, copyBuffer)
	for i := 0; ; i++ {
		if len(buf) > copyBuffer-64-len(sep) {
			_, _ = s.out.Write(buf)
			buf = buf[:0]
			s.p.Yield()
		}
		if i > 0 {
			buf = append(buf, sep...)
		}
		buf = appendZeroPadded(buf, from, width)
		next := from + by
		if by > 0 && (next > to || next < from) || by < 0 && (next < to || next > from) {
			break
		}
		from = next
	}
	_, _ = s.out.Write(append(buf, '\n'))
}

func appendZeroPadded(b []byte, n int64, width int) []byte {
	if width == 0 {
		return strconv.AppendInt(b, n, 10)
	}
	var digits [24]byte
	d := strconv.AppendInt(digits[:0], n, 10)
	if n < 0 {
		b = append(b, '-')
		d = d[1:]
		width--
	}
	for i := len(d); i < width; i++ {
		b = append(b, '0')
	}
	return append(b, d...)
}

// decimals counts in exact multiples of 10^-scale and writes prec digits.
func (s *sequence) decimals(from, by, to *big.Int, scale, prec, width int) {
	cur := new(big.Int).Set(from)
	wrote := false
	for i := 0; ; i++ {
		if i%yieldEvery == 0 {
			s.p.Yield()
		}
		if c := cur.Cmp(to); by.Sign() > 0 && c > 0 || by.Sign() < 0 && c < 0 {
			break
		}
		if wrote {
			_, _ = s.out.WriteString(s.sep)
		}
		wrote = true
		_, _ = s.out.WriteString(s.text(cur, scale, prec, width, i == 0 && s.first.minus0))
		cur.Add(cur, by)
	}
	if wrote {
		_ = s.out.WriteByte('\n')
	}
}

func (s *sequence) text(n *big.Int, scale, prec, width int, minus0 bool) string {
	if s.spec != nil {
		f, _ := strconv.ParseFloat(decimal(n, scale), 64)
		if minus0 {
			f = math.Copysign(0, -1)
		}
		return s.before + string(s.spec.AppendFloat(nil, f)) + s.after
	}
	t := decimal(new(big.Int).Quo(n, pow10(scale-prec)), prec)
	if minus0 {
		t = "-" + t
	}
	if len(t) >= width {
		return t
	}
	zeros := strings.Repeat("0", width-len(t))
	if strings.HasPrefix(t, "-") {
		return "-" + zeros + t[1:]
	}
	return zeros + t
}

// floats counts in floating point, for operands that are not decimal numbers.
func (s *sequence) floats() {
	spec := s.spec
	if spec == nil {
		spec = &format.Spec{Prec: -1, Verb: 'g'}
	}
	first, step, last := s.first.value, s.step.value, s.last.value
	wrote := false
	for i := 0; ; i++ {
		if i%yieldEvery == 0 {
			s.p.Yield()
		}
		x := first + float64(i)*step
		if step > 0 && x > last || step < 0 && x < last {
			break
		}
		if wrote {
			_, _ = s.out.WriteString(s.sep)
		}
		wrote = true
		_, _ = s.out.WriteString(s.before)
		_, _ = s.out.Write(spec.AppendFloat(nil, x))
		_, _ = s.out.WriteString(s.after)
	}
	if wrote {
		_ = s.out.WriteByte('\n')
	}
}

// negativeOperands puts "--" before a first operand that is a negative number, which is not an option.
func negativeOperands(args []string) []string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-s" || a == "-f" || a == "--separator" || a == "--format":
			i++
		case a == "--" || a == "" || a[0] != '-':
			return args
		case len(a) > 1 && (a[1] >= '0' && a[1] <= '9' || a[1] == '.'):
			return append(append(append([]string{}, args[:i]...), "--"), args[i:]...)
		}
	}
	return args
}
