package text

import (
	"bytes"
	"fmt"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/text/lines"
)

const commHelp = `Usage: comm [OPTION]... FILE1 FILE2
Compare two sorted files line by line: the first column holds the lines that only FILE1 has, the second those that only
FILE2 has, the third those of both. A FILE of - is standard input.

  -1, -2, -3              leave out that column
      --check-order       fail when an input is not sorted
      --nocheck-order     do not look whether the inputs are sorted
      --output-delimiter=STR  part the columns by STR
      --total             write how many lines each column has
  -z, --zero-terminated   lines end with NUL
`

// orderCheck says what happens to input that is not sorted.
type orderCheck int

const (
	checkDefault orderCheck = iota // report it when the inputs differ
	checkAlways
	checkNever
)

type commer struct {
	p       *command.Proc
	hide    [3]bool
	delim   []byte
	eol     byte
	check   orderCheck
	total   bool
	counts  [3]int
	warned  [2]bool
	unequal bool
	status  int
}

func commCommand(p *command.Proc) int {
	c := commer{p: p, delim: []byte{'\t'}, eol: '\n'}
	opts, operands := p.Options(1, getopt.Spec{
		Short: "123z",
		Long: []getopt.Long{
			{Name: "check-order"},
			{Name: "nocheck-order"},
			{Name: "output-delimiter", Arg: getopt.Required},
			{Name: "total"},
			{Name: "zero-terminated", Short: 'z'},
		},
	})
	for _, o := range opts {
		switch o.Name {
		case "1", "2", "3":
			c.hide[o.Name[0]-'1'] = true
		case "check-order":
			c.check = checkAlways
		case "nocheck-order":
			c.check = checkNever
		case "output-delimiter":
			c.delim = []byte(o.Arg)
			if o.Arg == "" {
				c.delim = []byte{0}
			}
		case "total":
			c.total = true
		case "z":
			c.eol = 0
		}
	}
	if status := twoOperands(p, operands); status != 0 {
		return status
	}
	return c.run(operands)
}

// twoOperands checks the operands of a command that compares two files.
func twoOperands(p *command.Proc, operands []string) int {
	switch {
	case len(operands) == 0:
		return p.Usage(1, "missing operand")
	case len(operands) == 1:
		return p.Usage(1, "missing operand after %s", quote.Locale(operands[0]))
	case len(operands) > 2:
		return p.Usage(1, "extra operand %s", quote.Locale(operands[2]))
	}
	return 0
}

// side is one of two sorted inputs.
type side struct {
	r    *lines.Reader
	line []byte
	prev []byte
	ok   bool
	n    int
}

func (s *side) next() {
	s.prev = append(s.prev[:0], s.line...)
	s.line, s.ok = s.r.Next()
	s.n++
}

func (c *commer) run(names []string) int {
	var in [2]side
	for i, name := range names {
		f, err := c.p.OpenArg(name)
		if err != nil {
			return fail(c.p, name, err)
		}
		defer f.Close()
		in[i].r = lines.New(c.p, f, c.eol)
		in[i].next()
	}
	for in[0].ok || in[1].ok {
		if !c.step(&in) {
			return 1
		}
	}
	for i, name := range names {
		if err := in[i].r.Err(); err != nil {
			return fail(c.p, name, err)
		}
	}
	if c.total {
		fmt.Fprintf(c.p.Out(), "%d%s%d%s%d%stotal%c", c.counts[0], c.delim, c.counts[1], c.delim, c.counts[2], c.delim, c.eol)
	}
	if c.warned[0] || c.warned[1] {
		if c.check == checkDefault {
			c.p.Errorf("input is not in sorted order")
		}
		return 1
	}
	return c.status
}

// step writes one line and moves on.
func (c *commer) step(in *[2]side) bool {
	column := 2
	switch {
	case !in[1].ok:
		column = 0
	case !in[0].ok:
		column = 1
	default:
		if d := bytes.Compare(in[0].line, in[1].line); d < 0 {
			column = 0
		} else if d > 0 {
			column = 1
		}
	}
	c.unequal = c.unequal || column != 2
	c.write(column, in[column&1].line)
	for i := range in {
		if column != 2 && column != i {
			continue
		}
		in[i].next()
		if !c.inOrder(i, &in[i]) {
			return false
		}
	}
	return true
}

// inOrder looks whether a new line is not before the one it follows; false ends the command.
func (c *commer) inOrder(i int, s *side) bool {
	if c.check == checkNever || c.warned[i] || !s.ok || s.n < 2 || bytes.Compare(s.prev, s.line) <= 0 {
		return true
	}
	if c.check == checkDefault && !c.unequal {
		return true
	}
	c.warned[i] = true
	c.p.Errorf("file %d is not in sorted order", i+1)
	return c.check != checkAlways
}

func (c *commer) write(column int, line []byte) {
	c.counts[column]++
	if c.hide[column] {
		return
	}
	out := c.p.Out()
	for i := range column {
		if !c.hide[i] {
			_, _ = out.Write(c.delim)
		}
	}
	_, _ = out.Write(line)
	_ = out.WriteByte(c.eol)
}
