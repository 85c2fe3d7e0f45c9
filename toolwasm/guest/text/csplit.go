package text

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/format"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/regex"
	"openclaw/toolwasm/guest/sys"
)

const csplitHelp = `Usage: csplit [OPTION]... FILE PATTERN...
Write the parts of FILE that the PATTERNs divide it into to xx00, xx01, ... and the size of each to standard output. A FILE
of - is standard input.

  -b, --suffix-format=FORMAT  make the number of a name by a printf FORMAT (%02d)
  -f, --prefix=PREFIX         names begin with PREFIX (xx)
  -k, --keep-files            leave the files when something fails
      --suppress-matched      leave out the lines that match
  -n, --digits=DIGITS         numbers of DIGITS digits (2)
  -s, --quiet, --silent       do not write the sizes
  -z, --elide-empty-files     make no empty files

PATTERN: INTEGER, up to before that line; /REGEXP/[OFFSET], up to before a line that matches; %REGEXP%[OFFSET], the same,
leaving out what is before; {INTEGER} or {*}, repeat the pattern before it so many times or to the end.
`

// divider is a PATTERN.
type divider struct {
	text    string // for messages
	line    int
	re      *regex.Regexp
	skip    bool
	offset  int
	repeat  int
	forever bool
}

type csplitter struct {
	p        *command.Proc
	prefix   string
	format   string
	digits   int
	keep     bool
	suppress bool
	quiet    bool
	elide    bool
	lines    [][]byte // with their newlines
	head     int      // the first line that has not been written
	current  int      // the number of the line that was looked at last
	created  []string
	count    int
	buf      bytes.Buffer
	open     bool
}

func csplitCommand(p *command.Proc) int {
	c := csplitter{p: p, prefix: "xx", digits: 2}
	req := getopt.Required
	opts, operands := p.Options(1, getopt.Spec{
		Short: "b:f:kn:sqz",
		Long: []getopt.Long{
			{Name: "suffix-format", Arg: req, Short: 'b'},
			{Name: "prefix", Arg: req, Short: 'f'},
			{Name: "keep-files", Short: 'k'},
			{Name: "suppress-matched"},
			{Name: "digits", Arg: req, Short: 'n'},
			{Name: "quiet", Short: 's'},
			{Name: "silent", Short: 's'},
			{Name: "elide-empty-files", Short: 'z'},
		},
	})
	for _, o := range opts {
		switch o.Name {
		case "b":
			c.format = o.Arg
		case "f":
			c.prefix = o.Arg
		case "k":
			c.keep = true
		case "n":
			n, err := strconv.Atoi(o.Arg)
			const longest = 100
			if err != nil || n < 0 || n > longest {
				p.Errorf("invalid number: %s", quote.Locale(o.Arg))
				return 1
			}
			c.digits = n
		case "s", "q":
			c.quiet = true
		case "z":
			c.elide = true
		case "suppress-matched":
			c.suppress = true
		}
	}
	switch len(operands) {
	case 0:
		return p.Usage(1, "missing operand")
	case 1:
		return p.Usage(1, "missing operand after %s", quote.Locale(operands[0]))
	}
	dividers := c.parse(operands[1:])
	data, err := p.ReadFile(operands[0])
	if err != nil {
		if isDirectory(err) {
			p.Errorf("read error: %s", sys.Strerror(err))
		} else {
			p.Errorf("cannot open %s for reading: %s", quote.Always(operands[0]), sys.Strerror(err))
		}
		return 1
	}
	c.lines = bytes.SplitAfter(data, []byte{'\n'})
	if n := len(c.lines); n > 0 && len(c.lines[n-1]) == 0 {
		c.lines = c.lines[:n-1]
	}
	return c.run(dividers)
}

func (c *csplitter) die(format string, args ...any) {
	c.p.Errorf(format, args...)
	if !c.keep {
		for _, name := range c.created {
			_ = sys.Unlink(c.p.Path(name))
		}
	}
	c.p.Exit(1)
}

func (c *csplitter) parse(args []string) []divider {
	var out []divider
	for _, a := range args {
		switch {
		case a != "" && (a[0] == '/' || a[0] == '%'):
			out = append(out, c.pattern(a))
		case strings.HasPrefix(a, "{"):
			c.repetition(a, out)
		default:
			n, err := strconv.Atoi(a)
			if err != nil || n < 0 {
				c.die("%s: invalid pattern", quote.Locale(a))
			}
			if n == 0 {
				c.die("%s: line number must be greater than zero", a)
			}
			if len(out) > 0 && out[len(out)-1].re == nil && out[len(out)-1].line > n {
				c.die("line number %s is smaller than preceding line number, %d", quote.Locale(a), out[len(out)-1].line)
			}
			if len(out) > 0 && out[len(out)-1].re == nil && out[len(out)-1].line == n {
				c.p.Errorf("warning: line number %s is the same as preceding line number", quote.Locale(a))
			}
			out = append(out, divider{text: a, line: n})
		}
	}
	return out
}

func (c *csplitter) pattern(a string) divider {
	end := strings.LastIndexByte(a, a[0])
	if end == 0 {
		c.die("%s: closing delimiter '%c' missing", a, a[0])
	}
	re, err := regex.Compile(a[1:end], regex.RepeatAny)
	if err != nil {
		c.die("%s: invalid regular expression: %s", quote.Locale(a), err)
	}
	d := divider{text: a, re: re, skip: a[0] == '%'}
	if rest := a[end+1:]; rest != "" {
		if d.offset, err = strconv.Atoi(rest); err != nil {
			c.die("%s: integer expected after delimiter", quote.Locale(a))
		}
	}
	return d
}

func (c *csplitter) repetition(a string, ds []divider) {
	if len(ds) == 0 {
		c.die("%s: invalid pattern", quote.Locale(a))
	}
	d := &ds[len(ds)-1]
	inner, closed := strings.CutSuffix(a[1:], "}")
	n, err := strconv.Atoi(inner)
	switch {
	case !closed:
		c.die("%s: '}' is required in repeat count", a)
	case inner == "*":
		d.forever = true
	case err != nil || n < 0:
		c.die("%s}: integer required between '{' and '}'", quote.Locale(a[:len(a)-1]))
	default:
		d.repeat = n
	}
}

func (c *csplitter) run(dividers []divider) int {
	for i := range dividers {
		d := &dividers[i]
		for rep := 0; d.forever || rep <= d.repeat; rep++ {
			c.p.Yield()
			if d.re == nil {
				if !c.byNumber(d, rep) {
					return 0
				}
				continue
			}
			if !c.byPattern(d, rep) {
				return 0
			}
		}
	}
	c.begin()
	c.takeRest()
	c.end()
	return 0
}

// line returns line number n, nil behind the last.
func (c *csplitter) line(n int) []byte {
	if n < 1 || n > len(c.lines) {
		return nil
	}
	return c.lines[n-1]
}

// take moves the next line to the open file.
func (c *csplitter) take(keep bool) bool {
	if c.head >= len(c.lines) {
		return false
	}
	if keep {
		c.buf.Write(c.lines[c.head])
	}
	c.head++
	return true
}

func (c *csplitter) takeRest() {
	for c.take(true) {
	}
}

// byNumber handles a line number; false ends the command.
func (c *csplitter) byNumber(d *divider, rep int) bool {
	c.begin()
	last := d.line * (rep + 1)
	if c.suppress && c.head >= len(c.lines) {
		return c.numberError(d, rep)
	}
	for n := c.head + 1; n < last; n++ {
		if !c.take(true) {
			return c.numberError(d, rep)
		}
	}
	c.end()
	if c.suppress {
		c.take(false)
	} else if c.head >= len(c.lines) {
		return c.numberError(d, rep)
	}
	return true
}

func (c *csplitter) numberError(d *divider, rep int) bool {
	c.end()
	c.die("%s: line number out of range%s", quote.Locale(d.text), repetitionText(rep))
	return false
}

func repetitionText(rep int) string {
	if rep == 0 {
		return ""
	}
	return fmt.Sprintf(" on repetition %d", rep)
}

// byPattern handles a regular expression; false ends the command.
func (c *csplitter) byPattern(d *divider, rep int) bool {
	if !d.skip {
		c.begin()
	}
	for {
		c.current++
		line := c.line(c.current)
		if line == nil {
			return c.patternError(d, rep)
		}
		if d.re.Match(bytes.TrimSuffix(line, []byte{'\n'}), false) {
			break
		}
		if d.offset >= 0 && c.head < c.current {
			c.take(!d.skip)
		}
	}
	at := c.current + d.offset
	if c.head+1 > at {
		c.end()
		c.die("%s: line number out of range", quote.Locale(d.text))
	}
	for c.head+1 < at {
		if !c.take(!d.skip) {
			c.end()
			c.die("%s: line number out of range", quote.Locale(d.text))
		}
	}
	if !d.skip {
		c.end()
	}
	if d.offset > 0 {
		c.current = at
	}
	if c.suppress {
		c.take(false)
	}
	return true
}

func (c *csplitter) patternError(d *divider, rep int) bool {
	if !d.skip {
		c.takeRest()
		c.end()
	}
	if d.forever {
		return false
	}
	c.die("%s: match not found%s", quote.Locale(d.text), repetitionText(rep))
	return false
}

// begin starts a part.
func (c *csplitter) begin() {
	c.buf.Reset()
	c.open = true
}

// end writes the part that is open to its file.
func (c *csplitter) end() {
	if !c.open {
		return
	}
	c.open = false
	if c.elide && c.buf.Len() == 0 {
		return
	}
	name := c.prefix + c.suffix()
	c.count++
	f, err := createOutput(c.p, name)
	if err == nil {
		c.created = append(c.created, name)
		_, err = f.Write(c.buf.Bytes())
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		c.die("%s: %s", name, sys.Strerror(err))
	}
	if !c.quiet {
		_, _ = io.WriteString(c.p.Out(), strconv.Itoa(c.buf.Len())+"\n")
	}
}

func (c *csplitter) suffix() string {
	if c.format == "" {
		return fmt.Sprintf("%0*d", c.digits, c.count)
	}
	var b []byte
	used := 0
	for i := 0; i < len(c.format); i++ {
		if c.format[i] != '%' {
			b = append(b, c.format[i])
			continue
		}
		if strings.HasPrefix(c.format[i+1:], "%") {
			b = append(b, '%')
			i++
			continue
		}
		spec, n, ok := format.Parse(c.format[i+1:])
		switch {
		case !ok:
			c.die("missing conversion specifier in suffix")
		case strings.IndexByte("diouxX", spec.Verb) < 0:
			c.die("invalid conversion specifier in suffix: %c", spec.Verb)
		}
		if used++; used > 1 {
			c.die("too many %% conversion specifications in suffix")
		}
		b = spec.AppendUint(b, uint64(c.count))
		i += n
	}
	if used == 0 {
		c.die("missing %% conversion specification in suffix")
	}
	return string(b)
}
