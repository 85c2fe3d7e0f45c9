package text

import (
	"io"
	"strconv"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/text/lines"
)

const catHelp = `Usage: cat [OPTION]... [FILE]...
Write the FILEs one after another to standard output. Without FILE, or where FILE is -, read standard input.

  -A, --show-all          the same as -vET
  -b, --number-nonblank   number the lines that are not empty
  -e                      the same as -vE
  -E, --show-ends         show $ at the end of each line
  -n, --number            number all lines
  -s, --squeeze-blank     write at most one empty line in a row
  -t                      the same as -vT
  -T, --show-tabs         show tabs as ^I
  -u                      accepted and without effect
  -v, --show-nonprinting  show other control characters as ^X and M-X
`

type catOptions struct {
	number, nonblank, squeeze, ends, tabs, nonprinting bool
}

func (o catOptions) plain() bool { return o == catOptions{} }

func catCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "AbeEnstTuv",
		Long: []getopt.Long{
			{Name: "show-all", Short: 'A'},
			{Name: "number-nonblank", Short: 'b'},
			{Name: "show-ends", Short: 'E'},
			{Name: "number", Short: 'n'},
			{Name: "squeeze-blank", Short: 's'},
			{Name: "show-tabs", Short: 'T'},
			{Name: "show-nonprinting", Short: 'v'},
		},
	})
	var o catOptions
	for _, opt := range opts {
		o.set(opt.Name)
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	c := catter{p: p, o: o}
	status := 0
	for _, name := range operands {
		if err := c.file(name); err != nil {
			status = fail(p, name, err)
		}
		if c.refused {
			c.refused, status = false, 1
		}
	}
	return status
}

func (o *catOptions) set(letter string) {
	switch letter {
	case "A":
		o.nonprinting, o.ends, o.tabs = true, true, true
	case "b":
		o.nonblank, o.number = true, true
	case "e":
		o.nonprinting, o.ends = true, true
	case "E":
		o.ends = true
	case "n":
		o.number = true
	case "s":
		o.squeeze = true
	case "t":
		o.nonprinting, o.tabs = true, true
	case "T":
		o.tabs = true
	case "v":
		o.nonprinting = true
	}
}

// catter carries line numbers and the state of the last line from file to file.
type catter struct {
	p       *command.Proc
	o       catOptions
	line    int
	blanks  int
	midLine bool
	refused bool
	scratch []byte
}

func (c *catter) file(name string) error {
	f, err := c.p.OpenArg(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if c.feedsItself(f) {
		c.p.Errorf("%s: input file is output file", name)
		c.refused = true
		return nil
	}
	if c.o.plain() {
		return pass(c.p, f)
	}
	r := lines.New(c.p, f, '\n')
	for {
		line, ok := r.Next()
		if !ok {
			return r.Err()
		}
		c.show(line, r.Terminated())
	}
}

// feedsItself reports whether reading f to its end would never end, because the output is appended to it.
func (c *catter) feedsItself(f command.File) bool {
	out, outInfo, ok := regular(c.p.Stdout)
	if !ok {
		return false
	}
	in, inInfo, ok := regular(f)
	if !ok || !inInfo.Same(outInfo) || out == in {
		return false
	}
	at, err := in.Seek(0, io.SeekCurrent)
	return err == nil && at < inInfo.Size
}

func (c *catter) show(line []byte, terminated bool) {
	if c.squeezed(line) {
		return
	}
	b := c.scratch[:0]
	if c.o.number && !c.midLine && !(c.o.nonblank && len(line) == 0 && terminated) {
		c.line++
		b = appendPadded(b, c.line, 6)
		b = append(b, '\t')
	}
	b = c.visible(b, line)
	if terminated {
		if c.o.ends {
			b = endVisible(b, line)
		}
		b = append(b, '\n')
	}
	c.midLine = !terminated
	c.scratch = b
	_, _ = c.p.Out().Write(b)
}

// endVisible marks the end of a line; a carriage return before it is shown too.
func endVisible(b, line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' && b[len(b)-1] == '\r' {
		b = append(b[:len(b)-1], "^M"...)
	}
	return append(b, '$')
}

func (c *catter) squeezed(line []byte) bool {
	if !c.o.squeeze {
		return false
	}
	if len(line) > 0 || c.midLine {
		c.blanks = 0
		return false
	}
	c.blanks++
	return c.blanks > 1
}

func appendPadded(b []byte, n, width int) []byte {
	if n >= 0 && n < 10 && width > 1 {
		for i := 1; i < width; i++ {
			b = append(b, ' ')
		}
		return append(b, byte('0'+n))
	}
	var digits [20]byte
	s := strconv.AppendInt(digits[:0], int64(n), 10)
	for i := len(s); i < width; i++ {
		b = append(b, ' ')
	}
	return append(b, s...)
}

func (c *catter) visible(b, line []byte) []byte {
	if !c.o.nonprinting && !c.o.tabs {
		return append(b, line...)
	}
	for _, ch := range line {
		switch {
		case ch == '\t' && c.o.tabs:
			b = append(b, "^I"...)
		case ch == '\t' || !c.o.nonprinting:
			b = append(b, ch)
		default:
			b = appendVisible(b, ch)
		}
	}
	return b
}

// appendVisible writes a byte in the notation of cat -v.
func appendVisible(b []byte, ch byte) []byte {
	if ch >= 0x80 {
		b = append(b, "M-"...)
		ch -= 0x80
	}
	switch {
	case ch == 0x7f:
		return append(b, "^?"...)
	case ch < ' ':
		return append(b, '^', ch+'@')
	}
	return append(b, ch)
}
