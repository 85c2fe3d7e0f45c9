package text

import (
	"bytes"
	"strconv"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/regex"
)

const nlHelp = `Usage: nl [OPTION]... [FILE]...
Write the FILEs with numbered lines. Without FILE, or where FILE is -, read standard input.

  -b, --body-numbering=STYLE    which lines of the body are numbered (t)
  -d, --section-delimiter=CC    what begins a section (\:)
  -f, --footer-numbering=STYLE  which lines of the footer are numbered (n)
  -h, --header-numbering=STYLE  which lines of the header are numbered (n)
  -i, --line-increment=NUMBER   the step from line to line (1)
  -l, --join-blank-lines=N      count N empty lines as one (1)
  -n, --number-format=FORMAT    ln left, rn right, rz right with zeros (rn)
  -p, --no-renumber             go on counting in the next section
  -s, --number-separator=STR    write STR after the number (a tab)
  -v, --starting-line-number=N  the first number (1)
  -w, --number-width=NUMBER     the width of the numbers (6)

STYLE is a all lines, t lines that are not empty, n no lines, pBRE lines that match a basic regular expression. CC three
times, twice or once alone on a line begins a header, a body or a footer.
`

type nlStyle struct {
	kind byte // 'a', 't', 'n' or 'p'
	re   *regex.Regexp
}

type numberer struct {
	p                   *command.Proc
	header, body, foot  nlStyle
	current             nlStyle
	delim               string
	start, step, number int64
	overflow            bool
	blank, blanks       int
	format              string
	keep                bool
	sep                 string
	width               int
	scratch             []byte
}

func nlCommand(p *command.Proc) int {
	n := numberer{
		p: p, header: nlStyle{kind: 'n'}, body: nlStyle{kind: 't'}, foot: nlStyle{kind: 'n'}, delim: `\:`,
		start: 1, step: 1, blank: 1, format: "rn", sep: "\t", width: 6,
	}
	req := getopt.Required
	opts, operands := p.Options(1, getopt.Spec{
		Short: "b:d:f:h:i:l:n:ps:v:w:",
		Long: []getopt.Long{
			{Name: "body-numbering", Arg: req, Short: 'b'},
			{Name: "section-delimiter", Arg: req, Short: 'd'},
			{Name: "footer-numbering", Arg: req, Short: 'f'},
			{Name: "header-numbering", Arg: req, Short: 'h'},
			{Name: "line-increment", Arg: req, Short: 'i'},
			{Name: "join-blank-lines", Arg: req, Short: 'l'},
			{Name: "number-format", Arg: req, Short: 'n'},
			{Name: "no-renumber", Short: 'p'},
			{Name: "number-separator", Arg: req, Short: 's'},
			{Name: "starting-line-number", Arg: req, Short: 'v'},
			{Name: "number-width", Arg: req, Short: 'w'},
		},
	})
	for _, o := range opts {
		n.set(o)
	}
	n.current, n.number = n.body, n.start
	return eachLine(p, operands, '\n', func(line []byte, _ bool) { n.line(line) })
}

func (n *numberer) die(format string, args ...any) {
	n.p.Errorf(format, args...)
	n.p.Exit(1)
}

func (n *numberer) set(o getopt.Option) {
	switch o.Name {
	case "b":
		n.body = n.style(o.Arg, "body")
	case "f":
		n.foot = n.style(o.Arg, "footer")
	case "h":
		n.header = n.style(o.Arg, "header")
	case "d":
		n.delim = o.Arg
		if len(o.Arg) == 1 {
			n.delim += ":"
		}
	case "i":
		n.step = n.integer(o.Arg, "invalid line number increment")
	case "l":
		n.blank = int(n.integer(o.Arg, "invalid line number of blank lines"))
		if n.blank < 1 {
			n.die("invalid line number of blank lines: %s", quote.Locale(o.Arg))
		}
	case "n":
		if o.Arg != "ln" && o.Arg != "rn" && o.Arg != "rz" {
			n.p.Exit(n.p.Usage(1, "invalid line numbering format: %s", quote.Locale(o.Arg)))
		}
		n.format = o.Arg
	case "p":
		n.keep = true
	case "s":
		n.sep = o.Arg
	case "v":
		n.start = n.integer(o.Arg, "invalid starting line number")
	case "w":
		const widest = 1 << 16
		n.width = int(min(n.integer(o.Arg, "invalid line number field width"), widest))
		if n.width < 1 {
			n.die("invalid line number field width: %s: Numerical result out of range", quote.Locale(o.Arg))
		}
	}
}

func (n *numberer) integer(s, msg string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		n.die("%s: %s", msg, quote.Locale(s))
	}
	return v
}

func (n *numberer) style(s, section string) nlStyle {
	switch {
	case s == "a" || s == "t" || s == "n":
		return nlStyle{kind: s[0]}
	case s != "" && s[0] == 'p':
		re, err := regex.Compile(s[1:], regex.RepeatAny)
		if err != nil {
			n.die("%s", err)
		}
		return nlStyle{kind: 'p', re: re}
	}
	n.p.Exit(n.p.Usage(1, "invalid %s numbering style: %s", section, quote.Locale(s)))
	return nlStyle{}
}

func (n *numberer) line(line []byte) {
	if section, ok := n.section(line); ok {
		n.current = section
		if !n.keep {
			n.number, n.overflow = n.start, false
		}
		_ = n.p.Out().WriteByte('\n')
		return
	}
	if !n.numbered(line) {
		n.unnumbered(line)
		return
	}
	if n.overflow {
		n.die("line number overflow")
	}
	b := n.appendNumber(n.scratch[:0])
	b = append(append(b, n.sep...), line...)
	n.scratch = append(b, '\n')
	_, _ = n.p.Out().Write(n.scratch)
	next := n.number + n.step
	n.overflow = (n.step > 0) != (next > n.number) && n.step != 0
	n.number = next
}

// section recognises a line that begins a section.
func (n *numberer) section(line []byte) (nlStyle, bool) {
	d := []byte(n.delim)
	if len(d) == 0 || len(line)%len(d) != 0 || !bytes.HasPrefix(line, d) {
		return nlStyle{}, false
	}
	switch times := len(line) / len(d); {
	case !bytes.Equal(line, bytes.Repeat(d, times)):
	case times == 3:
		return n.header, true
	case times == 2:
		return n.body, true
	case times == 1:
		return n.foot, true
	}
	return nlStyle{}, false
}

func (n *numberer) numbered(line []byte) bool {
	switch n.current.kind {
	case 'a':
		if n.blank <= 1 || len(line) > 0 {
			n.blanks = 0
			return true
		}
		n.blanks++
		if n.blanks == n.blank {
			n.blanks = 0
			return true
		}
		return false
	case 't':
		return len(line) > 0
	case 'p':
		return n.current.re.Match(line, false)
	}
	return false
}

func (n *numberer) unnumbered(line []byte) {
	out := n.p.Out()
	for range n.width + len(n.sep) {
		_ = out.WriteByte(' ')
	}
	_, _ = out.Write(line)
	_ = out.WriteByte('\n')
}

func (n *numberer) appendNumber(b []byte) []byte {
	switch n.format {
	case "ln":
		start := len(b)
		b = strconv.AppendInt(b, n.number, 10)
		for len(b)-start < n.width {
			b = append(b, ' ')
		}
		return b
	case "rz":
		return appendZeroPadded(b, n.number, n.width)
	}
	return appendPadded(b, int(n.number), n.width)
}
