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
	c := cutter{delim: '\t', eol: '\n'}
	mode, list := "", ""
	complement, delimGiven := false, false
	for _, o := range opts {
		switch o.Name {
		case "b", "c", "f":
			if mode != "" {
				return p.Usage(1, "only one list may be specified")
			}
			mode, list = o.Name, o.Arg
		case "d":
			if len(o.Arg) > 1 {
				return p.Usage(1, "the delimiter must be a single character")
			}
			c.delim, delimGiven = 0, true
			if o.Arg != "" {
				c.delim = o.Arg[0]
			}
		case "s":
			c.delimited = true
		case "complement":
			complement = true
		case "output-delimiter":
			c.out, c.between = []byte(o.Arg), true
			if o.Arg == "" {
				c.out = []byte{0}
			}
		case "z":
			c.eol = 0
		}
	}
	switch {
	case mode == "":
		return p.Usage(1, "you must specify a list of bytes, characters, or fields")
	case mode != "f" && delimGiven:
		return p.Usage(1, "an input delimiter may be specified only when operating on fields")
	case mode != "f" && c.delimited:
		return p.Usage(1, "suppressing non-delimited lines makes sense\n\tonly when operating on fields")
	}
	spans, msg := parseSpans(list, mode == "f")
	if msg != "" {
		return p.Usage(1, "%s", msg)
	}
	c.spans = merge(spans, mode != "f" && c.between)
	if complement {
		c.spans = invert(merge(spans, false))
	}
	if mode != "f" {
		return eachBlock(p, operands, c.eol, func(out, block []byte) []byte {
			for len(block) > 0 {
				end := lineEndFrom(block, 0, c.eol)
				out = c.bytes(out, block[:end])
				block = block[min(end+1, len(block)):]
			}
			return out
		})
	}
	if !c.between {
		c.out = []byte{c.delim}
	}
	if c.delim == c.eol {
		return c.lineFields(p, operands)
	}
	if c.between {
		out := p.Out()
		return eachLine(p, operands, c.eol, func(line []byte, _ bool) { _, _ = out.Write(c.fields(line)) })
	}
	return c.fieldBlocks(p, operands)
}

// parseSpans reads LIST; msg is the mistake in it, if any.
func parseSpans(list string, fields bool) (spans []span, msg string) {
	position, value := "byte/character position", "byte/character position"
	if fields {
		position, value = "fields", "field value"
	}
	if fields {
		position = "field"
	}
	for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		from, to, dash := strings.Cut(part, "-")
		s := span{1, math.MaxInt}
		for _, end := range []string{from, to} {
			if end == "" {
				continue
			}
			if trimDigits(end) != "" {
				if fields {
					return nil, "invalid field value " + quote.Locale(end)
				}
				return nil, "invalid " + value + " " + quote.Locale(end)
			}
		}
		if dash && from == "" && to == "" {
			return nil, "invalid range with no endpoint: -"
		}
		if from != "" {
			n, err := strconv.Atoi(from)
			if err != nil {
				return nil, numberTooLarge(fields, from)
			}
			s.from = n
			if !dash {
				s.to = n
			}
		}
		if to != "" {
			n, err := strconv.Atoi(to)
			if err != nil {
				return nil, numberTooLarge(fields, to)
			}
			s.to = n
		}
		if s.from == 0 || s.to == 0 && from == "" {
			if fields {
				return nil, "fields are numbered from 1"
			}
			return nil, "byte/character positions are numbered from 1"
		}
		if s.to < s.from {
			return nil, "invalid decreasing range"
		}
		spans = append(spans, s)
	}
	if len(spans) == 0 {
		if fields {
			return nil, "fields are numbered from 1"
		}
		return nil, "missing list of " + position + "s"
	}
	return spans, ""
}

func numberTooLarge(fields bool, s string) string {
	if fields {
		return "field number " + quote.Locale(s) + " is too large"
	}
	return "byte/character offset " + quote.Locale(s) + " is too large"
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
