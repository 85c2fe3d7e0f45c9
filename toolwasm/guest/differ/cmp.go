package differ

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quantity"
	"openclaw/toolwasm/guest/sys"
)

const cmpHelp = `Usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
Compare two files byte by byte. FILE2 is standard input when it is missing or -.
The status is 0 when they are the same, 1 when they differ, 2 in trouble.

  -b, --print-bytes          print the bytes that differ
  -i, --ignore-initial=SKIP  skip that many bytes of both files; SKIP1:SKIP2 of each
  -l, --verbose              print the place and value of every byte that differs
  -n, --bytes=LIMIT          compare at most LIMIT bytes
  -s, --quiet, --silent      print nothing
`

// byteComparison is a running cmp.
type byteComparison struct {
	p       *command.Proc
	print   bool
	verbose bool
	silent  bool
	limit   int64
	skip    [2]int64
	names   [2]string
}

func cmp(p *command.Proc) int {
	opts, operands := parseOptions(p, getopt.Spec{
		Short: "bi:ln:s",
		Long: []getopt.Long{
			{Name: "print-bytes", Short: 'b'},
			{Name: "ignore-initial", Arg: getopt.Required, Short: 'i'},
			{Name: "verbose", Short: 'l'},
			{Name: "bytes", Arg: getopt.Required, Short: 'n'},
			{Name: "quiet", Short: 's'},
			{Name: "silent", Short: 's'},
		},
	})
	c := &byteComparison{p: p, limit: math.MaxInt64, names: [2]string{"", "-"}}
	for _, o := range opts {
		switch o.Name {
		case "b":
			c.print = true
		case "i":
			first, second, two := strings.Cut(o.Arg, ":")
			if !two {
				second = first
			}
			c.skip = [2]int64{c.number("--ignore-initial", first), c.number("--ignore-initial", second)}
		case "l":
			c.verbose = true
		case "n":
			c.limit = c.number("--bytes", o.Arg)
		case "s":
			c.silent = true
		}
	}
	switch {
	case c.verbose && c.silent:
		return usage(p, "options -l and -s are incompatible")
	case len(operands) == 0:
		return usage(p, "missing operand after '%s'", p.Name)
	case len(operands) > 4:
		return usage(p, "extra operand '%s'", operands[4])
	}
	c.names[0] = operands[0]
	if len(operands) > 1 {
		c.names[1] = operands[1]
	}
	for i := 2; i < len(operands); i++ {
		c.skip[i-2] = c.number("SKIP"+string(rune('0'+i-1)), operands[i])
	}
	return c.run()
}

func (c *byteComparison) number(option, s string) int64 {
	n, err := quantity.Parse(s, quantity.Units)
	if err != nil {
		c.p.Exit(usage(c.p, "invalid %s value '%s'", option, s))
	}
	return n
}

func (c *byteComparison) run() int {
	if c.names[0] == c.names[1] && c.skip[0] == c.skip[1] {
		return same
	}
	var readers [2]*bufio.Reader
	for i, name := range c.names {
		f, err := c.p.OpenArg(name)
		if err != nil {
			return c.trouble(name, err)
		}
		defer f.Close()
		readers[i] = bufio.NewReaderSize(f, 64<<10)
		if _, err := io.CopyN(io.Discard, readers[i], c.skip[i]); err != nil && !errors.Is(err, io.EOF) {
			return c.trouble(name, err)
		}
	}
	return c.compare(readers)
}

func (c *byteComparison) trouble(name string, err error) int {
	if !c.silent {
		c.p.Errorf("%s: %s", name, sys.Strerror(err))
	}
	return trouble
}

// compare goes through both files, a buffer at a time.
func (c *byteComparison) compare(r [2]*bufio.Reader) int {
	offset, line := int64(0), int64(1)
	lineStart := true // at the beginning of a line
	status := same
	width := c.offsetWidth()
	for offset < c.limit {
		c.p.Yield()
		a, errA := peek(r[0])
		b, errB := peek(r[1])
		if errA != nil {
			return c.trouble(c.names[0], errA)
		}
		if errB != nil {
			return c.trouble(c.names[1], errB)
		}
		n := min(len(a), len(b), int(min(c.limit-offset, int64(math.MaxInt32))))
		if n == 0 {
			if len(a) != len(b) {
				return c.endOfFile(len(a) == 0, offset, line, lineStart)
			}
			return status
		}
		for i := range n {
			if a[i] != b[i] {
				status = differs
				if c.silent {
					return status
				}
				if !c.verbose {
					c.first(offset+int64(i)+1, line, a[i], b[i])
					return status
				}
				c.every(width, offset+int64(i)+1, a[i], b[i])
			}
			lineStart = a[i] == '\n'
			if lineStart {
				line++
			}
		}
		offset += int64(n)
		_, _ = r[0].Discard(n)
		_, _ = r[1].Discard(n)
	}
	return status
}

// peek returns what can be had without copying; nothing at the end.
func peek(r *bufio.Reader) ([]byte, error) {
	if _, err := r.Peek(1); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return r.Peek(r.Buffered())
}

// offsetWidth is the width of places in -l: the digits of the larger file's size.
func (c *byteComparison) offsetWidth() int {
	largest := int64(-1)
	for i, name := range c.names {
		info, err := c.p.Stat(name)
		if name == "-" || err != nil || !info.IsRegular() {
			continue
		}
		n := info.Size - c.skip[i]
		if largest < 0 || n < largest {
			largest = n
		}
	}
	if largest < 0 {
		largest = math.MaxInt64
	}
	return len(fmt.Sprint(min(largest, c.limit)))
}

func (c *byteComparison) first(at, line int64, a, b byte) {
	fmt.Fprintf(c.p.Out(), "%s %s differ: ", c.names[0], c.names[1])
	if !c.print {
		fmt.Fprintf(c.p.Out(), "byte %d, line %d\n", at, line)
		return
	}
	fmt.Fprintf(c.p.Out(), "byte %d, line %d is %3o %s %3o %s\n", at, line, a, visible(a), b, visible(b))
}

func (c *byteComparison) every(width int, at int64, a, b byte) {
	if c.print {
		fmt.Fprintf(c.p.Out(), "%*d %3o %-4s %3o %s\n", width, at, a, visible(a), b, visible(b))
		return
	}
	fmt.Fprintf(c.p.Out(), "%*d %3o %3o\n", width, at, a, b)
}

// visible writes a byte as cat -v does.
func visible(b byte) string {
	s := ""
	if b >= 128 {
		s = "M-"
		b -= 128
	}
	switch {
	case b < ' ':
		return s + "^" + string(rune(b+'@'))
	case b == 127:
		return s + "^?"
	}
	return s + string(rune(b))
}

func (c *byteComparison) endOfFile(first bool, offset, line int64, lineStart bool) int {
	if c.silent {
		return differs
	}
	name := c.names[1]
	if first {
		name = c.names[0]
	}
	_ = c.p.Flush()
	switch {
	case offset == 0:
		fmt.Fprintf(c.p.Stderr, "cmp: EOF on %s which is empty\n", name)
	case c.verbose:
		fmt.Fprintf(c.p.Stderr, "cmp: EOF on %s after byte %d\n", name, offset)
	case lineStart:
		fmt.Fprintf(c.p.Stderr, "cmp: EOF on %s after byte %d, line %d\n", name, offset, line-1)
	default:
		fmt.Fprintf(c.p.Stderr, "cmp: EOF on %s after byte %d, in line %d\n", name, offset, line)
	}
	return differs
}
