package text

import (
	"bytes"
	"math"
	"sort"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
)

const cutHelp = `Usage: cut OPTION... [FILE]...
Write parts of each line of the FILEs. Without FILE, or where FILE is -, read standard input.

  -b, --bytes=LIST            these bytes
  -c, --characters=LIST       these characters; the same as -b
  -d, --delimiter=DELIM       fields are parted by DELIM instead of a tab
  -f, --fields=LIST           these fields, and whole lines that have no delimiter
  -n                          accepted and without effect
      --complement            all but the parts in LIST
  -s, --only-delimited        with -f, leave out lines without a delimiter
      --output-delimiter=STR  put STR between the parts
  -z, --zero-terminated       lines end with NUL

LIST is one or more of N, N-, N-M and -M, with commas between.
`

// span is a range of positions, counted from 1, both ends included.
type span struct{ from, to int }

type cutter struct {
	p          *command.Proc
	mode       string // the option that gave the list
	list       string
	complement bool
	delimGiven bool

	spans     []span
	delim     byte
	out       []byte // between fields
	between   bool   // --output-delimiter was given
	delimited bool
	eol       byte
	scratch   []byte
}

func cutCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "b:c:d:f:nsz",
		Long: []getopt.Long{
			{Name: "bytes", Arg: getopt.Required, Short: 'b'},
			{Name: "characters", Arg: getopt.Required, Short: 'c'},
			{Name: "delimiter", Arg: getopt.Required, Short: 'd'},
			{Name: "fields", Arg: getopt.Required, Short: 'f'},
			{Name: "complement"},
			{Name: "only-delimited", Short: 's'},
			{Name: "output-delimiter", Arg: getopt.Required},
			{Name: "zero-terminated", Short: 'z'},
		},
	})
	c := cutter{p: p, delim: '\t', eol: '\n'}
	for _, o := range opts {
		c.option(o)
	}
	c.settle()
	if c.mode == "f" {
		return c.cutFields(operands)
	}
	return eachBlock(p, operands, c.eol, func(out, block []byte) []byte {
		for len(block) > 0 {
			end := lineEndFrom(block, 0, c.eol)
			out = c.bytes(out, block[:end])
			block = block[min(end+1, len(block)):]
		}
		return out
	})
}

func (c *cutter) option(o getopt.Option) {
	switch o.Name {
	case "b", "c", "f":
		if c.mode != "" {
			c.die("only one list may be specified")
		}
		c.mode, c.list = o.Name, o.Arg
	case "d":
		if len(o.Arg) > 1 {
			c.die("the delimiter must be a single character")
		}
		c.delim, c.delimGiven = 0, true
		if o.Arg != "" {
			c.delim = o.Arg[0]
		}
	case "s":
		c.delimited = true
	case "complement":
		c.complement = true
	case "output-delimiter":
		c.out, c.between = []byte(o.Arg), true
		if o.Arg == "" {
			c.out = []byte{0}
		}
	case "z":
		c.eol = 0
	}
}

// settle checks what the options say together, and reads the list.
func (c *cutter) settle() {
	fields := c.mode == "f"
	switch {
	case c.mode == "":
		c.die("you must specify a list of bytes, characters, or fields")
	case !fields && c.delimGiven:
		c.die("an input delimiter may be specified only when operating on fields")
	case !fields && c.delimited:
		c.die("suppressing non-delimited lines makes sense\n\tonly when operating on fields")
	}
	words := bytePositions
	if fields {
		words = fieldNumbers
	}
	spans, msg := parseSpans(c.list, words)
	if msg != "" {
		c.die(msg)
	}
	c.spans = merge(spans, !fields && c.between)
	if c.complement {
		c.spans = invert(merge(spans, false))
	}
}

func (c *cutter) die(msg string) { c.p.Exit(c.p.Usage(1, "%s", msg)) }

func (c *cutter) cutFields(operands []string) int {
	if !c.between {
		c.out = []byte{c.delim}
	}
	if c.delim == c.eol {
		return c.lineFields(c.p, operands)
	}
	if c.between {
		out := c.p.Out()
		return eachLine(c.p, operands, c.eol, func(line []byte, _ bool) { _, _ = out.Write(c.fields(line)) })
	}
	return c.fieldBlocks(c.p, operands)
}

// listWords are the messages about a LIST.
type listWords struct{ invalid, tooLarge, fromOne, missing string }

var (
	fieldNumbers = listWords{
		invalid: "invalid field value", tooLarge: "field number",
		fromOne: "fields are numbered from 1", missing: "fields are numbered from 1",
	}
	bytePositions = listWords{
		invalid: "invalid byte/character position", tooLarge: "byte/character offset",
		fromOne: "byte/character positions are numbered from 1", missing: "missing list of byte/character positions",
	}
)

// parseSpans reads LIST; msg is the mistake in it, if any.
func parseSpans(list string, words listWords) (spans []span, msg string) {
	for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		s, msg := parseSpan(part, words)
		if msg != "" {
			return nil, msg
		}
		spans = append(spans, s)
	}
	if len(spans) == 0 {
		return nil, words.missing
	}
	return spans, ""
}

// parseSpan reads N, N-, N-M or -M.
func parseSpan(text string, words listWords) (s span, msg string) {
	from, to, dash := strings.Cut(text, "-")
	for _, end := range []string{from, to} {
		if end != "" && trimDigits(end) != "" {
			return s, words.invalid + " " + quote.Locale(end)
		}
	}
	if dash && from == "" && to == "" {
		return s, "invalid range with no endpoint: -"
	}
	s = span{1, math.MaxInt}
	for _, end := range []struct {
		text string
		at   *int
	}{{from, &s.from}, {to, &s.to}} {
		if end.text == "" {
			continue
		}
		n, err := strconv.Atoi(end.text)
		if err != nil {
			return s, words.tooLarge + " " + quote.Locale(end.text) + " is too large"
		}
		*end.at = n
	}
	if !dash {
		s.to = s.from
	}
	switch {
	case s.from == 0, s.to == 0 && from == "":
		return s, words.fromOne
	case s.to < s.from:
		return s, "invalid decreasing range"
	}
	return s, ""
}

// merge sorts spans and joins those that overlap; those that only touch are kept apart when they are to be written
// with a delimiter between them.
func merge(spans []span, apart bool) []span {
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	out := spans[:1:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		touches := s.from <= last.to || !apart && last.to != math.MaxInt && s.from == last.to+1
		if !touches {
			out = append(out, s)
			continue
		}
		last.to = max(last.to, s.to)
	}
	return out
}

func invert(spans []span) []span {
	var out []span
	next := 1
	for _, s := range spans {
		if s.from > next {
			out = append(out, span{next, s.from - 1})
		}
		if s.to == math.MaxInt {
			return out
		}
		next = s.to + 1
	}
	return append(out, span{next, math.MaxInt})
}

func (c *cutter) bytes(b, line []byte) []byte {
	for i, s := range c.spans {
		if s.from > len(line) {
			break
		}
		if i > 0 && c.between {
			b = append(b, c.out...)
		}
		b = append(b, line[s.from-1:min(s.to, len(line))]...)
	}
	return append(b, c.eol)
}

func (c *cutter) fields(line []byte) []byte {
	b := c.scratch[:0]
	at := bytes.IndexByte(line, c.delim)
	if at < 0 {
		if c.delimited {
			return nil
		}
		b = append(append(b, line...), c.eol)
		c.scratch = b
		return b
	}
	field, start, end, first := 1, 0, at, true
	last := false
	for _, s := range c.spans {
		for field < s.from && !last {
			field++
			start = end + 1
			end, last = c.next(line, start)
			if start > len(line) {
				break
			}
		}
		if field < s.from {
			break
		}
		if s.to == math.MaxInt && !c.between {
			if !first {
				b = append(b, c.out...)
			}
			b = append(b, line[start:]...)
			break
		}
		for field <= s.to {
			if !first {
				b = append(b, c.out...)
			}
			first = false
			b = append(b, line[start:end]...)
			if last || end >= len(line) {
				last = true
				break
			}
			if field == s.to {
				break
			}
			field++
			start = end + 1
			end, last = c.next(line, start)
		}
		if last {
			break
		}
	}
	b = append(b, c.eol)
	c.scratch = b
	return b
}

// next returns the end of the field that begins at start, and whether it is the last of the line.
func (c *cutter) next(line []byte, start int) (end int, last bool) {
	// Fields are short: a loop beats a call of IndexByte.
	d := c.delim
	for i := start; i < len(line); i++ {
		if line[i] == d {
			return i, false
		}
	}
	return len(line), true
}

// lineFields handles -d $'\n', where the fields are the lines of the file.
func (c *cutter) lineFields(p *command.Proc, operands []string) int {
	n, first := 0, true
	out := p.Out()
	status := eachLine(p, operands, c.eol, func(line []byte, _ bool) {
		n++
		for _, s := range c.spans {
			if n >= s.from && n <= s.to {
				if !first {
					_, _ = out.Write(c.out)
				}
				first = false
				_, _ = out.Write(line)
				return
			}
		}
	})
	if !first {
		_ = out.WriteByte(c.eol)
	}
	return status
}
