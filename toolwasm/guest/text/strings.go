package text

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
)

const stringsHelp = `Usage: strings [OPTION]... [FILE]...
Write the runs of printable characters in each FILE. Without FILE read standard input.

  -a, --all                 look at the whole file, as is always done
  -e, --encoding=ENC        s 7-bit bytes (the default), S 8-bit bytes, b and l 16-bit, B and L 32-bit, big and little
                            endian
  -f, --print-file-name     write the name of the file before each string
  -n, --bytes=N, -N         runs of at least N characters (4)
  -o                        the same as -t o
  -s, --output-separator=S  end each string with S
  -t, --radix=R             write where each string begins: o octal, d decimal, x hexadecimal
  -w, --include-all-whitespace  all white space belongs to strings
`

type stringFinder struct {
	p        *command.Proc
	least    int
	radix    byte
	encoding byte
	names    bool
	space    bool
	sep      string
}

func stringsCommand(p *command.Proc) int {
	s := stringFinder{p: p, least: 4, encoding: 's', sep: "\n"}
	req := getopt.Required
	opts, operands := p.Options(1, getopt.Spec{
		Short: "ae:fn:os:t:wd", Digits: true,
		Long: []getopt.Long{
			{Name: "all", Short: 'a'},
			{Name: "encoding", Arg: req, Short: 'e'},
			{Name: "print-file-name", Short: 'f'},
			{Name: "bytes", Arg: req, Short: 'n'},
			{Name: "output-separator", Arg: req, Short: 's'},
			{Name: "radix", Arg: req, Short: 't'},
			{Name: "include-all-whitespace", Short: 'w'},
			{Name: "data", Short: 'd'},
		},
	})
	for _, o := range opts {
		switch o.Name {
		case "e":
			if len(o.Arg) != 1 || !isOneOf(o.Arg[0], "sSbBlL") {
				return p.Usage(1, "invalid encoding %s", quote.Locale(o.Arg))
			}
			s.encoding = o.Arg[0]
		case "f":
			s.names = true
		case "n", "NUM":
			n, err := strconv.Atoi(o.Arg)
			if err != nil {
				p.Errorf("invalid integer argument %s", o.Arg)
				return 1
			}
			if n < 1 {
				p.Errorf("invalid minimum string length %s", o.Arg)
				return 1
			}
			s.least = n
		case "o":
			s.radix = 'o'
		case "s":
			s.sep = o.Arg
		case "t":
			if len(o.Arg) != 1 || !isOneOf(o.Arg[0], "odx") {
				return p.Usage(1, "invalid radix %s", quote.Locale(o.Arg))
			}
			s.radix = o.Arg[0]
		case "w":
			s.space = true
		}
	}
	status := 0
	if len(operands) == 0 {
		return eachInput(p, nil, func(_ string, f command.File) error { return s.file("{standard input}", f) })
	}
	for _, name := range operands {
		f, err := p.Open(name)
		if err != nil {
			p.Errorf("'%s': No such file", name)
			status = 1
			continue
		}
		if info, err := p.Stat(name); err == nil && info.IsDir() {
			p.Errorf("Warning: '%s' is a directory", name)
			status = 1
			f.Close()
			continue
		}
		if err := s.file(name, f); err != nil {
			status = fail(p, name, err)
		}
		f.Close()
	}
	return status
}

func isOneOf(c byte, set string) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}

func (s *stringFinder) printable(c uint32) bool {
	switch {
	case c == '\t' || c >= ' ' && c < 0x7f:
		return true
	case s.space && (c == '\n' || c == '\r' || c == '\f' || c == '\v'):
		return true
	case s.encoding == 'S':
		return c > 0x7f
	}
	return false
}

// unit is the number of bytes of a character, and whether the highest comes first.
func (s *stringFinder) unit() (n int, big bool) {
	switch s.encoding {
	case 'b':
		return 2, true
	case 'l':
		return 2, false
	case 'B':
		return 4, true
	case 'L':
		return 4, false
	}
	return 1, false
}

func (s *stringFinder) file(name string, f io.Reader) error {
	in := bufio.NewReaderSize(f, copyBuffer)
	size, big := s.unit()
	var run, raw []byte
	open := false
	var at, start int64
	for n := 0; ; n++ {
		if n%copyBuffer == 0 {
			s.p.Yield()
		}
		c, err := s.next(in, size, big, &raw)
		if err != nil {
			if open {
				_, _ = s.p.Out().WriteString(s.sep)
			}
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return nil
			}
			return err
		}
		switch {
		case !s.printable(c):
			if open {
				_, _ = s.p.Out().WriteString(s.sep)
			}
			open, run = false, run[:0]
		case open:
			_ = s.p.Out().WriteByte(byte(c))
		default:
			if len(run) == 0 {
				start = at
			}
			run = append(run, byte(c))
			if len(run) == s.least {
				s.begin(name, start)
				_, _ = s.p.Out().Write(run)
				open = true
			}
		}
		at += int64(size)
	}
}

func (s *stringFinder) next(in *bufio.Reader, size int, big bool, raw *[]byte) (uint32, error) {
	if size == 1 {
		c, err := in.ReadByte()
		return uint32(c), err
	}
	b := append((*raw)[:0], make([]byte, size)...)
	*raw = b
	if _, err := io.ReadFull(in, b); err != nil {
		return 0, err
	}
	var c uint32
	for i := range b {
		if big {
			c = c<<8 | uint32(b[i])
		} else {
			c = c<<8 | uint32(b[size-1-i])
		}
	}
	return c, nil
}

func (s *stringFinder) begin(name string, at int64) {
	out := s.p.Out()
	if s.names {
		fmt.Fprintf(out, "%s: ", name)
	}
	if s.radix != 0 {
		fmt.Fprintf(out, "%7"+string(s.radix)+" ", at)
	}
}
