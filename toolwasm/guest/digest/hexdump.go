package digest

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quantity"
	"openclaw/toolwasm/guest/sys"
)

const hexdumpHelp = `Usage: hexdump [OPTION]... [FILE]...
Write the bytes of the FILEs, one after another, in hexadecimal or other forms. Without FILE read standard input.

  -b, --one-byte-octal     bytes in octal
  -c, --one-byte-char      bytes as characters
  -C, --canonical          bytes in hexadecimal, with their text
  -d, --two-bytes-decimal  two-byte words in decimal
  -o, --two-bytes-octal    two-byte words in octal
  -x, --two-bytes-hex      two-byte words in hexadecimal
  -e, --format=FORMAT      by a FORMAT: [REPEAT][/BYTES] "TEXT" ... with printf directives, %_c %_p %_u for characters and
                           %_ad %_ao %_ax (at the end %_Ad ...) for offsets
  -f, --format-file=FILE   FORMATs from the lines of FILE
  -n, --length=N           at most N bytes
  -s, --skip=N             leave out the first N bytes
  -v, --no-squeezing       write lines that are equal to the one before too
`

// builtinDump gives the formats that the letters stand for.
func builtinDump(letter string) []string {
	word := func(directive string) []string {
		return []string{`"%07.7_Ax\n"`, `"%07.7_ax " 8/2 "` + directive + `" "\n"`}
	}
	switch letter {
	case "b":
		return []string{`"%07.7_Ax\n"`, `"%07.7_ax " 16/1 "%03o " "\n"`}
	case "c":
		return []string{`"%07.7_Ax\n"`, `"%07.7_ax " 16/1 "%3_c " "\n"`}
	case "C":
		return []string{
			`"%08.8_Ax\n"`, `"%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x " `, `"  |" 16/1 "%_p" "|\n"`,
		}
	case "d":
		return word("  %05u ")
	case "o":
		return word(" %06o ")
	case "x":
		return word("   %04x ")
	}
	return word("%04x ")
}

func hexdumpCommand(p *command.Proc) int {
	req := getopt.Required
	opts, operands := p.Options(1, getopt.Spec{
		Short: "bcCde:f:n:os:vx",
		Long: []getopt.Long{
			{Name: "one-byte-octal", Short: 'b'},
			{Name: "one-byte-char", Short: 'c'},
			{Name: "canonical", Short: 'C'},
			{Name: "two-bytes-decimal", Short: 'd'},
			{Name: "two-bytes-octal", Short: 'o'},
			{Name: "two-bytes-hex", Short: 'x'},
			{Name: "format", Arg: req, Short: 'e'},
			{Name: "format-file", Arg: req, Short: 'f'},
			{Name: "length", Arg: req, Short: 'n'},
			{Name: "skip", Arg: req, Short: 's'},
			{Name: "no-squeezing", Short: 'v'},
		},
	})
	h := hexdumper{p: p, limit: -1}
	for _, o := range opts {
		switch o.Name {
		case "e":
			h.addFormat(o.Arg)
		case "f":
			h.addFile(o.Arg)
		case "n":
			h.limit = h.number(o.Arg)
		case "s":
			h.skip = h.number(o.Arg)
		case "v":
			h.all = true
		default:
			for _, f := range builtinDump(o.Name) {
				h.addFormat(f)
			}
		}
	}
	if len(h.formats) == 0 {
		for _, f := range builtinDump("") {
			h.addFormat(f)
		}
	}
	return h.run(operands)
}

// hdCommand is hexdump -C under another name.
func hdCommand(p *command.Proc) int {
	p.Args = append([]string{"-C"}, p.Args...)
	return hexdumpCommand(p)
}

type hexdumper struct {
	p       *command.Proc
	formats []*dumpFormat
	skip    int64
	limit   int64
	all     bool
	end     int64 // where the input ends, -1 while unknown
}

func (h *hexdumper) die(format string, args ...any) {
	h.p.Errorf(format, args...)
	h.p.Exit(1)
}

func (h *hexdumper) number(s string) int64 {
	if n, err := strconv.ParseInt(s, 0, 64); err == nil && n >= 0 {
		return n
	}
	n, err := quantity.Parse(s, quantity.Count)
	if err != nil {
		h.die("failed to parse number: '%s'", s)
	}
	return n
}

func (h *hexdumper) addFile(name string) {
	data, err := h.p.ReadFile(name)
	if err != nil {
		h.die("can't read %s: %s", name, sys.Strerror(err))
	}
	for _, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			h.addFormat(line)
		}
	}
}

func (h *hexdumper) addFormat(s string) {
	f, msg := parseDumpFormat(s)
	if msg != "" {
		h.die("%s", msg)
	}
	h.formats = append(h.formats, f)
}

func (h *hexdumper) run(operands []string) int {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	in := &concat{p: h.p, names: operands}
	defer in.close()
	size := 0
	for _, f := range h.formats {
		size = max(size, f.bytes())
	}
	for _, f := range h.formats {
		f.fill(size)
	}
	if !in.open() {
		h.p.Errorf("all input file arguments failed")
		return 1
	}
	if h.skip > 0 {
		in.skip(h.skip)
	}
	if h.limit >= 0 {
		in.limited, in.left = true, h.limit
	}
	if size == 0 {
		return 0
	}
	h.blocks(in, size)
	if in.failed {
		return 1
	}
	return 0
}

func (h *hexdumper) blocks(in io.Reader, size int) {
	at := h.skip
	block, last := make([]byte, size), make([]byte, size)
	h.end = -1
	starred := false
	for first := true; ; first = false {
		n, err := io.ReadFull(in, block)
		if n == 0 {
			break
		}
		if n == size && !first && !h.all && bytes.Equal(block, last) {
			if !starred {
				_, _ = h.p.Out().WriteString("*\n")
			}
			starred = true
			at += int64(n)
			continue
		}
		starred = false
		clear(block[n:])
		if n < size {
			h.end = at + int64(n)
		}
		var line []byte
		for _, f := range h.formats {
			line = f.append(line, block, at, h.end)
		}
		_, _ = h.p.Out().Write(line)
		at += int64(n)
		block, last = last, block
		if err != nil {
			break
		}
	}
	if at == h.skip {
		return
	}
	for _, f := range h.formats {
		_, _ = h.p.Out().Write(f.appendEnd(nil, at))
	}
}
