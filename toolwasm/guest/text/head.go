package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quantity"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const headHelp = `Usage: head [OPTION]... [FILE]...
Write the first 10 lines of each FILE, with a header when there are several. Without FILE, or where FILE is -, read
standard input.

  -c, --bytes=[-]NUM     the first NUM bytes; with - all but the last NUM
  -n, --lines=[-]NUM     the first NUM lines; with - all but the last NUM
  -q, --quiet, --silent  never write headers
  -v, --verbose          always write headers
  -z, --zero-terminated  lines end with NUL

NUM may have a multiplier: b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on. -NUM means -n NUM.
`

// headBuffer is small, because what is read beyond the lines asked for is lost when the input is a pipe.
const headBuffer = 8 << 10

// piece says which end of a file head and tail are asked for.
type piece struct {
	n        int64
	bytes    bool
	flipped  bool // head: all but the last n; tail: from the nth on
	delim    byte
	quiet    bool
	verbose  bool
	multiple bool
	first    bool
}

func headCommand(p *command.Proc) int {
	sel := piece{n: 10, delim: '\n', first: true}
	if len(p.Args) > 0 {
		p.Args = obsoleteHead(p, p.Args)
	}
	opts, operands := p.Options(1, getopt.Spec{
		Short: "c:n:qvz",
		Long: []getopt.Long{
			{Name: "bytes", Arg: getopt.Required, Short: 'c'},
			{Name: "lines", Arg: getopt.Required, Short: 'n'},
			{Name: "quiet", Short: 'q'},
			{Name: "silent", Short: 'q'},
			{Name: "verbose", Short: 'v'},
			{Name: "zero-terminated", Short: 'z'},
		},
	})
	for _, o := range opts {
		switch o.Name {
		case "c", "n":
			sel.bytes = o.Name == "c"
			num := o.Arg
			sel.flipped = strings.HasPrefix(num, "-")
			sel.n = count(p, strings.TrimPrefix(num, "-"), strings.TrimPrefix(num, "-"), sel.bytes)
		case "q":
			sel.quiet, sel.verbose = true, false
		case "v":
			sel.quiet, sel.verbose = false, true
		case "z":
			sel.delim = 0
		}
	}
	return sel.each(p, operands, headFile)
}

// count reads the NUM of head and tail, which the message shows as it was written.
func count(p *command.Proc, num, shown string, inBytes bool) int64 {
	n, err := quantity.Parse(num, quantity.Count)
	if err == nil {
		return n
	}
	unit := "lines"
	if inBytes {
		unit = "bytes"
	}
	p.Errorf("invalid number of %s: %s%s", unit, quote.Locale(shown), quantity.Cause(err))
	p.Exit(1)
	return 0
}

// obsoleteHead turns a first argument such as -5, -5c or -20qv into options.
func obsoleteHead(p *command.Proc, args []string) []string {
	a := args[0]
	if len(a) < 2 || a[0] != '-' || a[1] < '0' || a[1] > '9' {
		return args
	}
	i := 1
	for i < len(a) && a[i] >= '0' && a[i] <= '9' {
		i++
	}
	unit, suffix := "-n", ""
	var more []string
	for _, c := range a[i:] {
		switch c {
		case 'c':
			unit = "-c"
		case 'b', 'k', 'm':
			unit, suffix = "-c", strings.Replace(string(c), "m", "M", 1)
		case 'l':
			unit = "-n"
		case 'q', 'v', 'z':
			more = append(more, "-"+string(c))
		default:
			p.Exit(p.Usage(1, "invalid trailing option -- %c", c))
		}
	}
	return append(append([]string{unit, a[1:i] + suffix}, more...), args[1:]...)
}

// each shows every operand, with headers where they are wanted.
func (s *piece) each(p *command.Proc, operands []string, show func(*command.Proc, *piece, command.File) error) int {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	s.multiple = len(operands) > 1
	status := 0
	for _, name := range operands {
		f, err := p.OpenArg(name)
		shown := operandName(name)
		if err != nil {
			p.Errorf("cannot open %s for reading: %s", quote.Always(shown), sys.Strerror(err))
			status = 1
			continue
		}
		s.header(p, shown)
		if err := show(p, s, f); err != nil {
			p.Errorf("error reading %s: %s", quote.Always(shown), sys.Strerror(err))
			status = 1
		}
		f.Close()
	}
	return status
}

func operandName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func (s *piece) header(p *command.Proc, name string) {
	if s.quiet || !s.verbose && !s.multiple {
		return
	}
	if !s.first {
		_ = p.Out().WriteByte('\n')
	}
	s.first = false
	fmt.Fprintf(p.Out(), "==> %s <==\n", name)
}

func headFile(p *command.Proc, s *piece, f command.File) error {
	switch {
	case s.flipped && s.bytes:
		return headButLastBytes(p, f, s.n)
	case s.flipped:
		return headButLastLines(p, f, s.n, s.delim)
	case s.bytes:
		return headBytes(p, f, s.n)
	}
	return headLines(p, f, s.n, s.delim)
}

func headBytes(p *command.Proc, f io.Reader, n int64) error {
	buf := make([]byte, min(n, copyBuffer))
	for n > 0 {
		p.Yield()
		k, err := f.Read(buf[:min(n, int64(len(buf)))])
		_, _ = p.Out().Write(buf[:k])
		n -= int64(k)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func headLines(p *command.Proc, f io.Reader, n int64, delim byte) error {
	buf := make([]byte, headBuffer)
	for n > 0 {
		p.Yield()
		k, err := f.Read(buf)
		used := 0
		for n > 0 && used < k {
			i := bytes.IndexByte(buf[used:k], delim)
			if i < 0 {
				used = k
				break
			}
			used += i + 1
			n--
		}
		_, _ = p.Out().Write(buf[:used])
		giveBack(f, k-used)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// headButLastBytes holds n bytes back.
func headButLastBytes(p *command.Proc, f io.Reader, n int64) error {
	var held []byte
	buf := make([]byte, copyBuffer)
	for {
		p.Yield()
		k, err := f.Read(buf)
		held = append(held, buf[:k]...)
		if extra := int64(len(held)) - n; extra > 0 && (extra > int64(len(held))/2 || err != nil) {
			_, _ = p.Out().Write(held[:extra])
			held = append(held[:0], held[extra:]...)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// headButLastLines holds n lines back, and what has been read of the next one.
func headButLastLines(p *command.Proc, f io.Reader, n int64, delim byte) error {
	var held []byte
	var complete int64
	buf := make([]byte, copyBuffer)
	for {
		p.Yield()
		k, err := f.Read(buf)
		complete += int64(bytes.Count(buf[:k], []byte{delim}))
		held = append(held, buf[:k]...)
		atEnd := err != nil
		if atEnd && len(held) > 0 && held[len(held)-1] != delim {
			complete++ // the last line has no newline, and is one all the same
		}
		used := 0
		for complete > n {
			i := bytes.IndexByte(held[used:], delim)
			if i < 0 {
				used = len(held)
			} else {
				used += i + 1
			}
			complete--
		}
		_, _ = p.Out().Write(held[:used])
		held = append(held[:0], held[used:]...)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
