package text

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/text/lines"
)

const numfmtHelp = `Usage: numfmt [OPTION]... [NUMBER]...
Write the NUMBERs, or those in the lines of standard input, in another form.

  -d, --delimiter=X    fields are parted by X, not by blanks
      --field=FIELDS   convert these fields (1); as cut -f
      --format=FORMAT  a printf %f with flags, width and precision
      --from=UNIT      what suffixes of the input mean: none, auto, si, iec, iec-i
      --from-unit=N    the input is in units of N
      --grouping       accepted; the locale has no groups of digits
      --header[=N]     copy the first N (1) lines as they are
      --invalid=MODE   what to do with what is no number: abort, fail, warn, ignore
      --padding=N      a width of N, to the left when N is negative
      --round=METHOD   up, down, from-zero, towards-zero, nearest
      --suffix=SUFFIX  put SUFFIX behind the numbers; it may be in the input
      --to=UNIT        write with suffixes: none, si, iec, iec-i
      --to-unit=N      write in units of N
  -z, --zero-terminated  lines end with NUL
`

// The precision of a long double, which GNU computes with.
const numfmtPrecision = 64

type numfmter struct {
	p                *command.Proc
	delim            int // -1: blanks
	fields           []span
	from, to         string
	fromUnit, toUnit *big.Float
	header           int
	invalid          string
	padding          int
	zeroPad          int
	round            string
	suffix           string
	before, after    string
	precision        int // -1: that of the input
	eol              byte
	failed           bool
	autoPad          bool
}

func numfmtCommand(p *command.Proc) int {
	n := numfmter{
		p: p, delim: -1, fields: []span{{1, 1}}, from: "none", to: "none", invalid: "abort", round: "from-zero",
		precision: -1, eol: '\n', fromUnit: ldFloat(1), toUnit: ldFloat(1),
	}
	req := getopt.Required
	p.Args = negativeOperands(p.Args)
	opts, operands := p.Options(1, getopt.Spec{
		Short: "d:z",
		Long: []getopt.Long{
			{Name: "delimiter", Arg: req, Short: 'd'},
			{Name: "field", Arg: req},
			{Name: "format", Arg: req},
			{Name: "from", Arg: req},
			{Name: "from-unit", Arg: req},
			{Name: "grouping"},
			{Name: "header", Arg: getopt.Optional},
			{Name: "invalid", Arg: req},
			{Name: "padding", Arg: req},
			{Name: "round", Arg: req},
			{Name: "suffix", Arg: req},
			{Name: "to", Arg: req},
			{Name: "to-unit", Arg: req},
			{Name: "zero-terminated", Short: 'z'},
		},
		UnsupLong: []string{"debug"},
	})
	for _, o := range opts {
		n.set(o)
	}
	n.autoPad = n.padding == 0 && n.delim < 0
	if len(operands) > 0 {
		for _, a := range operands {
			n.line([]byte(a), true)
		}
	} else {
		n.stdin()
	}
	if n.failed && n.invalid != "warn" && n.invalid != "ignore" {
		return statusTrouble
	}
	return 0
}

func ldFloat(v float64) *big.Float { return new(big.Float).SetPrec(numfmtPrecision).SetFloat64(v) }

func (n *numfmter) die(format string, args ...any) {
	n.p.Errorf(format, args...)
	n.p.Exit(1)
}

func (n *numfmter) set(o getopt.Option) {
	switch o.Name {
	case "d":
		if len(o.Arg) > 1 {
			n.die("the delimiter must be a single character")
		}
		n.delim = 0
		if o.Arg != "" {
			n.delim = int(o.Arg[0])
		}
	case "field":
		n.setFields(o.Arg)
	case "format":
		n.setFormat(o.Arg)
	case "from":
		n.from = choice(n.p, o, "--from", "", "none", "auto", "si", "iec", "iec-i")
	case "to":
		n.to = choice(n.p, o, "--to", "", "none", "si", "iec", "iec-i")
	case "from-unit":
		n.fromUnit = n.unit(o.Arg)
	case "to-unit":
		n.toUnit = n.unit(o.Arg)
	case "header":
		n.header = 1
		if o.HasArg {
			h, err := strconv.Atoi(o.Arg)
			if err != nil || h < 1 {
				n.die("invalid header value %s", quote.Locale(o.Arg))
			}
			n.header = h
		}
	case "invalid":
		n.invalid = choice(n.p, o, "--invalid", "", "abort", "fail", "warn", "ignore")
	case "padding":
		w, err := strconv.Atoi(o.Arg)
		const widest = 1 << 16
		if err != nil || w == 0 || w > widest || w < -widest {
			n.die("invalid padding value %s", quote.Locale(o.Arg))
		}
		n.padding = w
	case "round":
		n.round = choice(n.p, o, "--round", "", "up", "down", "from-zero", "towards-zero", "nearest")
	case "suffix":
		n.suffix = o.Arg
	case "z":
		n.eol = 0
	}
}

func (n *numfmter) setFields(list string) {
	if list == "-" {
		n.fields = []span{{1, lineEnd}}
		return
	}
	spans, msg := parseSpans(list, fieldNumbers)
	if msg != "" {
		n.p.Exit(n.p.Usage(1, "%s", msg))
	}
	n.fields = spans
}

func (n *numfmter) unit(s string) *big.Float {
	v, _, rest, ok := scanNumber(s)
	if ok && rest != "" {
		v, rest, ok = n.scale(v, rest, "auto")
	}
	if !ok || rest != "" || v.Sign() <= 0 {
		n.die("invalid unit size: %s", quote.Locale(s))
	}
	return v
}

// setFormat reads a FORMAT: one %f among other text.
func (n *numfmter) setFormat(f string) {
	i := 0
	for i = 0; i < len(f); i++ {
		if f[i] != '%' {
			continue
		}
		if !strings.HasPrefix(f[i+1:], "%") {
			break
		}
		i++
	}
	if i >= len(f) {
		n.die("format %s has no %% directive", quote.Locale(f))
	}
	n.before = strings.ReplaceAll(f[:i], "%%", "%")
	j := i + 1
	left, zero := false, false
	for ; j < len(f) && strings.IndexByte("'-0 ", f[j]) >= 0; j++ {
		left = left || f[j] == '-'
		zero = zero || f[j] == '0'
	}
	start := j
	for j < len(f) && f[j] >= '0' && f[j] <= '9' {
		j++
	}
	width := min(atoi(f[start:j]), 1<<16)
	if j < len(f) && f[j] == '.' {
		start = j + 1
		for j++; j < len(f) && f[j] >= '0' && f[j] <= '9'; j++ {
		}
		n.precision = min(atoi(f[start:j]), 1<<10)
	}
	if j >= len(f) || f[j] != 'f' {
		n.die("invalid format %s, directive must be %%[0]['][-][N][.][N]f", quote.Locale(f))
	}
	switch {
	case width > 0 && zero && !left:
		n.zeroPad = width
	case width > 0 && left:
		n.padding = -width
	case width > 0:
		n.padding = width
	}
	rest := f[j+1:]
	if strings.Contains(strings.ReplaceAll(rest, "%%", ""), "%") {
		n.die("format %s has too many %% directives", quote.Locale(f))
	}
	n.after = rest // GNU does not look for %% here
}

func (n *numfmter) stdin() {
	r := lines.New(n.p, n.p.Stdin, n.eol)
	for i := 0; ; i++ {
		line, ok := r.Next()
		if !ok {
			break
		}
		if i < n.header {
			_, _ = n.p.Out().Write(line)
			_ = n.p.Out().WriteByte(n.eol)
			continue
		}
		n.line(line, r.Terminated())
	}
	if err := r.Err(); err != nil {
		n.p.Fail("error reading input", err)
		n.failed = true
	}
}

func (n *numfmter) selected(field int) bool {
	for _, s := range n.fields {
		if field >= s.from && field <= s.to {
			return true
		}
	}
	return false
}

// line converts the fields of a line. A field parted by blanks begins with all blanks but the first.
func (n *numfmter) line(line []byte, terminated bool) {
	out := n.p.Out()
	for field := 1; ; field++ {
		end := n.fieldEnd(line)
		text := string(line[:end])
		if n.selected(field) {
			text = n.field(text, field)
		}
		_, _ = out.WriteString(text)
		if end >= len(line) {
			break
		}
		if n.delim >= 0 {
			_ = out.WriteByte(byte(n.delim))
		} else {
			_ = out.WriteByte(' ')
		}
		line = line[end+1:]
	}
	if terminated {
		_ = out.WriteByte(n.eol)
	}
}

func (n *numfmter) fieldEnd(line []byte) int {
	if n.delim >= 0 {
		if i := bytes.IndexByte(line, byte(n.delim)); i >= 0 {
			return i
		}
		return len(line)
	}
	i := skipBlanks(line, 0)
	for i < len(line) && !isBlank(line[i]) {
		i++
	}
	return i
}

// field converts one field; what is not a number is reported and stays as it is.
func (n *numfmter) field(text string, field int) string {
	trimmed := strings.TrimLeft(text, " \t\n\v\f\r")
	number := trimmed
	if n.suffix != "" {
		number = strings.TrimSuffix(number, n.suffix)
	}
	v, prec, msg := n.parse(number)
	if msg != "" {
		n.complain(msg)
		return text
	}
	v = new(big.Float).SetPrec(numfmtPrecision).Mul(v, n.fromUnit)
	v = v.Quo(v, n.toUnit)
	if n.precision >= 0 {
		prec = n.precision
	}
	s := n.human(v, prec)
	if n.zeroPad > len(s) {
		zeros := strings.Repeat("0", n.zeroPad-len(s))
		if strings.HasPrefix(s, "-") {
			s = "-" + zeros + s[1:]
		} else {
			s = zeros + s
		}
	}
	s += n.suffix
	pad := n.padding
	if n.autoPad && (len(trimmed) < len(text) || field > 1) {
		pad = len(text)
	}
	return n.before + padTo(s, pad) + n.after
}

func padTo(s string, width int) string {
	switch w := len([]rune(s)); {
	case width > w:
		return strings.Repeat(" ", width-w) + s
	case -width > w:
		return s + strings.Repeat(" ", -width-w)
	}
	return s
}

func (n *numfmter) complain(msg string) {
	n.failed = true
	if n.invalid == "ignore" {
		return
	}
	n.p.Errorf("%s", msg)
	if n.invalid == "abort" {
		n.p.Exit(statusTrouble)
	}
}

// scanNumber reads a decimal number and returns its value, the digits after the point and what follows.
func scanNumber(s string) (v *big.Float, prec int, rest string, ok bool) {
	i := 0
	if strings.HasPrefix(s, "-") {
		i++
	}
	start := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	digits := i - start
	if i < len(s) && s[i] == '.' {
		point := i
		for i++; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		}
		prec = i - point - 1
	}
	const longest = 60
	if digits+prec == 0 || digits+prec > longest {
		return nil, 0, s, false
	}
	v, _, err := big.ParseFloat(strings.TrimSuffix(s[:i], "."), 10, numfmtPrecision, big.ToNearestEven)
	return v, prec, s[i:], err == nil
}

const numfmtSuffixes = "KMGTPEZY"

// scale applies a suffix; rest is what follows it.
func (n *numfmter) scale(v *big.Float, s, unit string) (*big.Float, string, bool) {
	power := strings.IndexByte(numfmtSuffixes, s[0]) + 1
	if power == 0 {
		return v, s, false
	}
	s = s[1:]
	base := 1024.0
	switch unit {
	case "si":
		base = 1000
	case "auto":
		base = 1000
		if strings.HasPrefix(s, "i") {
			base, s = 1024, s[1:]
		}
	case "iec-i":
		if !strings.HasPrefix(s, "i") {
			return v, s, false
		}
		s = s[1:]
	}
	out := new(big.Float).Copy(v)
	for range power {
		out.Mul(out, ldFloat(base))
	}
	return out, s, true
}

func (n *numfmter) parse(s string) (v *big.Float, prec int, msg string) {
	v, prec, rest, ok := scanNumber(s)
	if !ok {
		digits := strings.TrimLeft(strings.TrimPrefix(s, "-"), "0123456789.")
		if digits == "" && len(s) > 1 {
			return nil, 0, "value too large to be converted: " + quote.Locale(s)
		}
		return nil, 0, "invalid number: " + quote.Locale(s)
	}
	const maxDigits = 27
	if whole, _, _ := strings.Cut(strings.TrimLeft(strings.TrimPrefix(s, "-"), "0"), "."); len(whole)-len(rest) > maxDigits {
		return nil, 0, "value too large to be converted: " + quote.Locale(s)
	}
	if rest == "" {
		return v, prec, ""
	}
	rest = strings.TrimLeft(rest, " \t")
	if rest == "" {
		return v, prec, ""
	}
	if strings.IndexByte(numfmtSuffixes, rest[0]) < 0 {
		return nil, 0, "invalid suffix in input: " + quote.Locale(s)
	}
	if n.from == "none" {
		return nil, 0, "rejecting suffix in input: " + quote.Locale(s) + " (consider using --from)"
	}
	v, rest, ok = n.scale(v, rest, n.from)
	if !ok {
		return nil, 0, "missing 'i' suffix in input: " + quote.Locale(s) + " (e.g Ki/Mi/Gi)"
	}
	if rest != "" {
		return nil, 0, "invalid suffix in input " + quote.Locale(s) + ": " + quote.Locale(rest)
	}
	return v, 0, ""
}

// human writes a value in the units of --to.
func (n *numfmter) human(v *big.Float, prec int) string {
	if n.to == "none" {
		return n.rounded(v, prec).Text('f', prec)
	}
	base := ldFloat(1024)
	if n.to == "si" {
		base = ldFloat(1000)
	}
	power := 0
	v = new(big.Float).Copy(v)
	for new(big.Float).Abs(v).Cmp(base) >= 0 {
		v.Quo(v, base)
		power++
	}
	ten := ldFloat(10)
	adjust := 0
	if n.precision >= 0 {
		adjust = min(power*3, n.precision)
	} else if new(big.Float).Abs(v).Cmp(ten) < 0 {
		adjust = 1
	}
	v = n.rounded(v, adjust)
	if new(big.Float).Abs(v).Cmp(base) >= 0 {
		v.Quo(v, base)
		power++
	}
	digits := 0
	if n.precision >= 0 {
		digits = n.precision
	} else if v.Sign() != 0 && new(big.Float).Abs(v).Cmp(ten) < 0 && power > 0 {
		digits = 1
	}
	s := v.Text('f', digits)
	if power == 0 {
		return s
	}
	if power > len(numfmtSuffixes) {
		return s
	}
	s += numfmtSuffixes[power-1 : power]
	if n.to == "iec-i" {
		s += "i"
	}
	return s
}

// rounded rounds to digits decimals by --round.
func (n *numfmter) rounded(v *big.Float, digits int) *big.Float {
	scale := ldFloat(1)
	for range digits {
		scale.Mul(scale, ldFloat(10))
	}
	x := new(big.Float).SetPrec(numfmtPrecision).Mul(v, scale)
	i, acc := x.Int(nil) // towards zero
	if acc != big.Exact {
		away := false
		switch n.round {
		case "up":
			away = v.Sign() > 0
		case "down":
			away = v.Sign() < 0
		case "from-zero":
			away = true
		case "nearest":
			frac := new(big.Float).Sub(x, new(big.Float).SetPrec(numfmtPrecision).SetInt(i))
			away = frac.Abs(frac).Cmp(ldFloat(0.5)) >= 0
		}
		if away {
			i.Add(i, big.NewInt(int64(v.Sign())))
		}
	}
	r := new(big.Float).SetPrec(numfmtPrecision).SetInt(i)
	return r.Quo(r, scale)
}
