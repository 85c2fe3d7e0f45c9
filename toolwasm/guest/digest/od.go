package digest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quantity"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const odHelp = `Usage: od [OPTION]... [FILE]...
  or:  od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]
Write the bytes of the FILEs, one after another, in octal or other forms. Without FILE, or where FILE is -, read standard
input.

  -A, --address-radix=R     offsets in d decimal, o octal, x hexadecimal, n not at all
      --endian=ORDER        big or little
  -j, --skip-bytes=N        leave out the first N bytes
  -N, --read-bytes=N        at most N bytes
  -S, --strings[=N]         only strings of at least N (3) printable characters that end with NUL
  -t, --format=TYPE         one or more of a named characters, c characters, d decimal, f floating point, o octal,
                            u unsigned, x hexadecimal; with a size (1 2 4 8, C S I L, F D) and z for the text
  -v, --output-duplicates   write lines that are equal to the one before too
  -w, --width[=N]           N bytes a line (16; without N 32)
      --traditional         accepted
  -a -b -c -d -f -i -l -o -s -x   the same as -t a, o1, c, u2, fF, dI, dL, o2, d2, x2
`

type dumper struct {
	p        *command.Proc
	formats  []odFormat
	radix    byte
	skip     int64
	limit    int64 // -1: none
	all      bool
	width    int
	widthSet bool
	big      bool
	strings  int
	in       *concat
}

func odCommand(p *command.Proc) int {
	d := dumper{p: p, radix: 'o', limit: -1}
	req, opt := getopt.Required, getopt.Optional
	opts, operands := p.Options(1, getopt.Spec{
		Short: "A:abBcdDefFhHiIj:lLN:oOsS:t:vw::xX",
		Long: []getopt.Long{
			{Name: "address-radix", Arg: req, Short: 'A'},
			{Name: "endian", Arg: req},
			{Name: "skip-bytes", Arg: req, Short: 'j'},
			{Name: "read-bytes", Arg: req, Short: 'N'},
			{Name: "strings", Arg: opt, Short: 'S'},
			{Name: "format", Arg: req, Short: 't'},
			{Name: "output-duplicates", Short: 'v'},
			{Name: "width", Arg: opt, Short: 'w'},
			{Name: "traditional"},
		},
	})
	traditional, forced := true, false
	for _, o := range opts {
		if strings.Contains("A j N S t v w endian", o.Name) {
			traditional = false
		}
		if o.Name == "traditional" {
			forced = true
		}
		d.set(o)
	}
	if traditional || forced {
		operands = d.oldOffset(operands, forced)
	}
	if forced && len(operands) > 1 {
		p.Errorf("extra operand %s", quote.Locale(operands[1]))
		return p.Usage(1, "compatibility mode supports at most one file")
	}
	return d.run(operands)
}

func (d *dumper) die(format string, args ...any) {
	d.p.Errorf(format, args...)
	d.p.Exit(1)
}

func (d *dumper) set(o getopt.Option) {
	switch o.Name {
	case "A":
		if o.Arg == "" || strings.IndexByte("doxn", o.Arg[0]) < 0 {
			d.die("invalid output address radix '%.1s'; it must be one character from [doxn]", o.Arg)
		}
		d.radix = o.Arg[0]
	case "endian":
		switch o.Arg {
		case "big":
			d.big = true
		case "little":
			d.big = false
		default:
			d.p.Exit(d.p.Usage(1, "invalid argument %s for %s", quote.Locale(o.Arg), quote.Locale("--endian")))
		}
	case "j":
		d.skip = d.number(o.Arg, "-j")
	case "N":
		d.limit = d.number(o.Arg, "-N")
	case "S":
		d.strings = 3
		if o.HasArg {
			d.strings = int(d.number(o.Arg, "-S"))
		}
	case "t":
		d.addTypes(o.Arg)
	case "v":
		d.all = true
	case "w":
		d.width, d.widthSet = 32, true
		if o.HasArg {
			d.width = int(min(d.number(o.Arg, "-w"), maxLineWidth))
		}
	case "traditional":
	default:
		d.addTypes(oldTypes(o.Name))
	}
}

// maxLineWidth bounds -w, for a line is held in memory.
const maxLineWidth = 1 << 20

// oldTypes gives the meaning of a letter from before -t.
func oldTypes(letter string) string {
	switch letter {
	case "a", "c":
		return letter
	case "b":
		return "o1"
	case "d":
		return "u2"
	case "D":
		return "u4"
	case "e", "F":
		return "fD"
	case "f":
		return "fF"
	case "h", "x":
		return "x2"
	case "H", "X":
		return "x4"
	case "i":
		return "dI"
	case "I", "l", "L":
		return "dL"
	case "O":
		return "o4"
	case "s":
		return "d2"
	}
	return "o2"
}

// number reads a count: decimal, octal (0…) or hexadecimal (0x…), with a suffix.
func (d *dumper) number(s, option string) int64 {
	digits := strings.TrimRight(s, "bkKmMGTPEZYRQBi")
	base := 0
	if !strings.HasPrefix(digits, "0") {
		base = 10
	}
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") {
		digits = s
		for digits != "" && !strings.ContainsRune("0123456789abcdefABCDEFxX", rune(digits[len(digits)-1])) {
			digits = digits[:len(digits)-1]
		}
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if err != nil || strings.ContainsAny(digits, "_oO") {
		d.die("invalid %s argument '%s'", option, s)
	}
	if suffix := s[len(digits):]; suffix != "" {
		factor, err := quantity.Parse("1"+suffix, quantity.Count)
		if err != nil {
			d.die("invalid suffix in %s argument '%s'", option, s)
		}
		n *= factor
	}
	return n
}

// oldOffset takes a last operand that is an offset, [+]N[b], off the operands. Without forced one that might be a file's
// name is none.
func (d *dumper) oldOffset(operands []string, forced bool) []string {
	n := len(operands)
	if n == 0 || n > 2 {
		return operands
	}
	last := operands[n-1]
	if last == "" || !forced && last[0] != '+' && (n == 1 || last[0] < '0' || last[0] > '9') {
		return operands
	}
	s := strings.TrimPrefix(last, "+")
	factor := int64(1)
	if t, ok := strings.CutSuffix(s, "b"); ok && !strings.HasPrefix(s, "0x") {
		s, factor = t, 512
	}
	base := 8
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		s, base = hex, 16
	}
	v, err := strconv.ParseUint(s, base, 62)
	if err != nil {
		return operands
	}
	d.skip = int64(v) * factor
	return operands[:n-1]
}

func (d *dumper) run(operands []string) int {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	d.in = &concat{p: d.p, names: operands}
	defer d.in.close()
	if len(d.formats) == 0 {
		d.addTypes("oS")
	}
	if !d.in.skip(d.skip) {
		if !d.in.failed {
			d.p.Errorf("cannot skip past end of combined input")
		}
		return 1
	}
	if d.limit >= 0 {
		d.in.limited, d.in.left = true, d.limit
	}
	if d.strings > 0 {
		d.dumpStrings()
	} else {
		d.dump()
	}
	if d.in.failed {
		return 1
	}
	return 0
}

func (d *dumper) dump() {
	unit := 1
	for i := range d.formats {
		unit = lcm(unit, d.formats[i].size)
	}
	const usual = 16
	width := unit
	if unit < usual {
		width = unit * (usual / unit)
	}
	if d.widthSet {
		if d.width > 0 && d.width%unit == 0 {
			width = d.width
		} else {
			d.p.Errorf("warning: invalid width %d; using %d instead", d.width, unit)
			width = unit
		}
	}
	d.align(width)
	at := d.skip
	block, last := make([]byte, width), make([]byte, width)
	first, starred := true, false
	for {
		n, err := io.ReadFull(d.in, block)
		if n == width && !first && !d.all && bytes.Equal(block, last) {
			if !starred {
				_, _ = d.p.Out().WriteString("*\n")
			}
			starred = true
		} else if n > 0 {
			clear(block[n:])
			d.line(at, block, n)
			starred = false
		}
		at += int64(n)
		if err != nil {
			break
		}
		first = false
		block, last = last, block
	}
	if d.radix != 'n' {
		_, _ = d.p.Out().WriteString(d.address(at) + "\n")
	}
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

func (d *dumper) address(at int64) string {
	switch d.radix {
	case 'd':
		return fmt.Sprintf("%07d", at)
	case 'x':
		return fmt.Sprintf("%06x", at)
	case 'n':
		return ""
	}
	return fmt.Sprintf("%07o", at)
}

func (d *dumper) dumpStrings() {
	var run []byte
	at, start := d.skip, d.skip
	var b [1]byte
	for {
		if _, err := io.ReadFull(d.in, b[:]); err != nil {
			return
		}
		at++
		switch c := b[0]; {
		case c >= ' ' && c < 0x7f || c >= '\a' && c <= '\r':
			if len(run) == 0 {
				start = at - 1
			}
			run = append(run, c)
			continue
		case c == 0 && len(run) >= d.strings:
			if d.radix != 'n' {
				_, _ = d.p.Out().WriteString(d.address(start) + " ")
			}
			for _, x := range run {
				_, _ = d.p.Out().WriteString(escapedChar(x))
			}
			_ = d.p.Out().WriteByte('\n')
		}
		run = run[:0]
	}
}

func escapedChar(c byte) string {
	if i := strings.IndexByte("\a\b\f\n\r\t\v", c); i >= 0 {
		return `\` + "abfnrtv"[i:i+1]
	}
	return string([]byte{c})
}

// concat reads files one after another. What cannot be opened or read is reported and left out.
type concat struct {
	p       *command.Proc
	names   []string
	cur     command.File
	name    string
	limited bool
	left    int64
	failed  bool
}

func (c *concat) close() {
	if c.cur != nil {
		_ = c.cur.Close()
		c.cur = nil
	}
}

// open makes the next file that can be opened the current one.
func (c *concat) open() bool {
	for c.cur == nil {
		if len(c.names) == 0 {
			return false
		}
		c.name, c.names = c.names[0], c.names[1:]
		f, err := c.p.OpenArg(c.name)
		if err != nil {
			c.fail(err)
			continue
		}
		c.cur = f
	}
	return true
}

func (c *concat) fail(err error) {
	c.p.Errorf("%s: %s", quote.File(c.name), sys.Strerror(err))
	c.failed = true
}

func (c *concat) Read(b []byte) (int, error) {
	if c.limited {
		if c.left == 0 {
			return 0, io.EOF
		}
		b = b[:min(int64(len(b)), c.left)]
	}
	for c.open() {
		c.p.Yield()
		n, err := c.cur.Read(b)
		if c.limited {
			c.left -= int64(n)
		}
		if err != nil && err != io.EOF {
			c.fail(err)
		}
		if err != nil {
			c.close()
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, io.EOF
}

// skip leaves out n bytes; false when there are not so many.
func (c *concat) skip(n int64) bool {
	for n > 0 && c.open() {
		if f, ok := command.Unwrap(c.cur).(*os.File); ok {
			if info, err := sys.Fstat(f); err == nil && info.IsRegular() && info.Size > 0 {
				if info.Size < n {
					n -= info.Size
					c.close()
					continue
				}
				if _, err := f.Seek(n, io.SeekCurrent); err == nil {
					return true
				}
			}
		}
		buf := make([]byte, min(n, readSize))
		k, err := c.Read(buf)
		n -= int64(k)
		if err != nil {
			break
		}
	}
	return n == 0
}
