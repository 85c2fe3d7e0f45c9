package digest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

const xxdHelp = `Usage: xxd [OPTION]... [INFILE [OUTFILE]]
Write INFILE (or standard input) in hexadecimal, or with -r back from it.

  -a          write a * instead of lines of NULs
  -b          bits instead of hexadecimal digits
  -C          with -i, names in capitals
  -c COLS     COLS bytes a line (16; 12 with -i, 30 with -p, 6 with -b)
  -d          offsets in decimal
  -e          groups are little-endian numbers
  -g BYTES    groups of BYTES bytes (2; 4 with -e, 1 with -b); 0 for none
  -i          a C array
  -l LEN      at most LEN bytes
  -n NAME     the name of the array
  -o OFF      add OFF to the offsets
  -p          nothing but hexadecimal digits
  -r          back from a dump; with -p from plain digits
  -s [+][-]N  begin N bytes from the start, with - from the end
  -u          capital hexadecimal digits
`

type xxd struct {
	p                        *command.Proc
	autoskip, bits, caps     bool
	decimal, little, include bool
	plain, revert, upper     bool
	cols, group              int
	colsSet, groupSet        bool
	length                   int64
	offset                   int64
	seek                     string
	name                     string
}

func xxdCommand(p *command.Proc) int {
	x := xxd{p: p, length: -1}
	operands := x.options(p.Args)
	if len(operands) > 2 {
		return x.usage()
	}
	x.settle()
	in := "-"
	if len(operands) > 0 {
		in = operands[0]
	}
	f, err := p.OpenArg(in)
	if err != nil {
		p.Errorf("%s: %s", in, sys.Strerror(err))
		return 2
	}
	defer f.Close()
	out := p.Out()
	if len(operands) > 1 && operands[1] != "-" {
		mode := os.O_WRONLY | os.O_CREATE
		if !x.revert {
			mode |= os.O_TRUNC
		}
		o, err := p.OpenFile(operands[1], mode, 0o666)
		if err != nil {
			p.Errorf("%s: %s", operands[1], sys.Strerror(err))
			return 3
		}
		defer o.Close()
		out = bufio.NewWriterSize(o, readSize)
	}
	status := x.run(in, f, out)
	if err := out.Flush(); err != nil {
		p.Errorf("%s", sys.Strerror(err))
		return 3
	}
	return status
}

func (x *xxd) usage() int {
	_, _ = io.WriteString(x.p.Stderr, "Usage:\n       xxd [options] [infile [outfile]]\nTry 'xxd --help' for more information.\n")
	return 1
}

// options reads the command line. Options are words of their own; a value may follow its letter at once.
func (x *xxd) options(args []string) []string {
	for len(args) > 0 {
		a := args[0]
		if len(a) < 2 || a[0] != '-' {
			break
		}
		args = args[1:]
		if a == "--" {
			break
		}
		name := strings.TrimPrefix(a[1:], "-")
		if x.flag(name) {
			continue
		}
		letter, value := name[:1], name[1:]
		if long := map[string]string{
			"cols": "c", "groupsize": "g", "len": "l", "seek": "s", "skip": "s", "offset": "o", "name": "n",
		}[name]; long != "" {
			letter, value = long, ""
		}
		if strings.IndexByte("cglosn", letter[0]) < 0 {
			x.p.Exit(x.usage())
		}
		if value == "" {
			if len(args) == 0 {
				x.p.Exit(x.usage())
			}
			value, args = args[0], args[1:]
		}
		x.value(letter, value)
	}
	return args
}

func (x *xxd) flag(name string) bool {
	switch name {
	case "a", "autoskip":
		x.autoskip = true
	case "b", "bits":
		x.bits = true
	case "C", "capitalize":
		x.caps = true
	case "d":
		x.decimal = true
	case "e":
		x.little = true
	case "i", "include":
		x.include = true
	case "p", "ps", "postscript", "plain":
		x.plain = true
	case "r", "revert":
		x.revert = true
	case "u", "upper", "uppercase":
		x.upper = true
	case "pr", "rp":
		x.plain, x.revert = true, true
	default:
		return false
	}
	return true
}

func (x *xxd) value(letter, value string) {
	n, err := strconv.ParseInt(strings.TrimPrefix(value, "+"), 0, 64)
	if err != nil && letter != "n" && letter != "s" {
		x.p.Exit(x.usage())
	}
	switch letter {
	case "c":
		x.cols, x.colsSet = int(n), true
	case "g":
		x.group, x.groupSet = int(n), true
	case "l":
		x.length = n
	case "o":
		x.offset = n
	case "s":
		x.seek = value
	case "n":
		x.name = value
	}
}

const xxdMaxCols = 256

func (x *xxd) settle() {
	if x.cols < 0 || !x.plain && !x.include && x.cols > xxdMaxCols {
		x.p.Errorf("invalid number of columns (max. %d).", xxdMaxCols)
		x.p.Exit(1)
	}
	if !x.colsSet || x.cols == 0 {
		x.cols = 16
		switch {
		case x.plain:
			x.cols = 30
			if x.colsSet {
				x.cols = 0
			}
		case x.include:
			x.cols = 12
		case x.bits:
			x.cols = 6
		}
	}
	if !x.groupSet {
		x.group = 2
		switch {
		case x.bits:
			x.group = 1
		case x.little:
			x.group = 4
		}
	}
	if x.group <= 0 || x.group > x.cols {
		x.group = max(x.cols, 1)
	}
	if x.little && x.group&(x.group-1) != 0 {
		x.p.Errorf("number of octets per group must be a power of 2 with -e.")
		x.p.Exit(1)
	}
}

func (x *xxd) run(name string, f command.File, out *bufio.Writer) int {
	if x.revert {
		return x.back(f, out)
	}
	start, ok := x.skip(f)
	if !ok {
		x.p.Errorf("Sorry, cannot seek.")
		return 4
	}
	var r io.Reader = bufio.NewReaderSize(f, readSize)
	if x.length >= 0 {
		r = io.LimitReader(r, x.length)
	}
	switch {
	case x.include:
		return x.writeArray(name, r, out)
	case x.plain:
		return x.writePlain(r, out)
	}
	return x.dump(start, r, out)
}

// skip moves to where -s says and returns the offset.
func (x *xxd) skip(f command.File) (int64, bool) {
	if x.seek == "" {
		return 0, true
	}
	s := strings.TrimPrefix(x.seek, "+")
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		x.p.Exit(x.usage())
	}
	file, seekable := command.Unwrap(f).(*os.File)
	if n < 0 {
		if !seekable {
			return 0, false
		}
		at, err := file.Seek(n, io.SeekEnd)
		return at, err == nil
	}
	if seekable {
		if at, err := file.Seek(n, io.SeekCurrent); err == nil {
			return at, true
		}
	}
	_, err = io.CopyN(io.Discard, f, n)
	return n, err == nil || err == io.EOF
}

func (x *xxd) digits() string {
	if x.upper {
		return "0123456789ABCDEF"
	}
	return "0123456789abcdef"
}

func (x *xxd) dump(at int64, r io.Reader, out *bufio.Writer) int {
	block := make([]byte, x.cols)
	zeros := 0
	var held []byte
	for {
		x.p.Yield()
		n, err := io.ReadFull(r, block)
		if n > 0 {
			line := x.line(at+x.offset, block[:n])
			if x.autoskip && isZero(block[:n]) {
				// The first line of NULs is written, the others become one star; the last line of all is always written.
				zeros++
				switch zeros {
				case 1:
					_, _ = out.Write(line)
				case 2:
					held = append(held[:0], line...)
				case 3:
					_, _ = out.WriteString("*\n")
					fallthrough
				default:
					held = append(held[:0], line...)
				}
			} else {
				if zeros == 2 {
					_, _ = out.Write(held)
				}
				zeros = 0
				held = held[:0]
				_, _ = out.Write(line)
			}
			at += int64(n)
		}
		if err != nil {
			break
		}
	}
	_, _ = out.Write(held)
	return 0
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// line is one line of a dump.
func (x *xxd) line(at int64, block []byte) []byte {
	var b []byte
	if x.decimal {
		b = fmt.Appendf(b, "%08d: ", at)
	} else {
		b = fmt.Appendf(b, "%08x: ", at)
	}
	per := 2
	if x.bits {
		per = 8
	}
	groups := (x.cols + x.group - 1) / x.group
	start := len(b)
	for i := range x.cols {
		if i > 0 && i%x.group == 0 {
			b = append(b, ' ')
		}
		k := i
		if x.little {
			g := i / x.group * x.group
			k = g + x.group - 1 - i%x.group
		}
		if k >= len(block) {
			b = append(b, "        "[:per]...)
			continue
		}
		b = x.appendByte(b, block[k])
	}
	width := x.cols*per + groups - 1
	for len(b)-start < width {
		b = append(b, ' ')
	}
	b = append(b, "  "...)
	for _, c := range block {
		if c < ' ' || c > '~' {
			c = '.'
		}
		b = append(b, c)
	}
	return append(b, '\n')
}

func (x *xxd) appendByte(b []byte, c byte) []byte {
	if x.bits {
		for i := 7; i >= 0; i-- {
			b = append(b, '0'+c>>i&1)
		}
		return b
	}
	d := x.digits()
	return append(b, d[c>>4], d[c&15])
}

func (x *xxd) writePlain(r io.Reader, out *bufio.Writer) int {
	d := x.digits()
	column := 0
	buf := make([]byte, readSize)
	for {
		x.p.Yield()
		n, err := r.Read(buf)
		for _, c := range buf[:n] {
			if x.cols > 0 && column == x.cols {
				_ = out.WriteByte('\n')
				column = 0
			}
			_ = out.WriteByte(d[c>>4])
			_ = out.WriteByte(d[c&15])
			column++
		}
		if err != nil {
			break
		}
	}
	if column > 0 {
		_ = out.WriteByte('\n')
	}
	return 0
}

func (x *xxd) writeArray(name string, r io.Reader, out *bufio.Writer) int {
	if x.name != "" {
		name = x.name
	}
	named := name != "-"
	ident := identifier(name)
	if x.caps {
		ident = strings.ToUpper(ident)
	}
	if named {
		fmt.Fprintf(out, "unsigned char %s[] = {\n", ident)
	}
	d := x.digits()
	prefix := "0x"
	if x.upper {
		prefix = "0X"
	}
	n := 0
	buf := bufio.NewReader(r)
	for {
		c, err := buf.ReadByte()
		if err != nil {
			break
		}
		switch {
		case n == 0:
			_, _ = out.WriteString("  ")
		case n%x.cols == 0:
			_, _ = out.WriteString(",\n  ")
		default:
			_, _ = out.WriteString(", ")
		}
		_, _ = out.WriteString(prefix)
		_ = out.WriteByte(d[c>>4])
		_ = out.WriteByte(d[c&15])
		n++
	}
	if n > 0 {
		_ = out.WriteByte('\n')
	}
	if named {
		length := "_len"
		if x.caps {
			length = "_LEN"
		}
		fmt.Fprintf(out, "};\nunsigned int %s%s = %d;\n", ident, length, n)
	}
	return 0
}

func identifier(name string) string {
	b := []byte(name)
	for i, c := range b {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			b[i] = '_'
		}
	}
	if len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
		return "__" + string(b)
	}
	return string(b)
}
