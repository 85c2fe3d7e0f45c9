package text

import (
	"strconv"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
)

const foldHelp = `Usage: fold [OPTION]... [FILE]...
Break the lines of the FILEs so that none is wider than 80 columns. Without FILE, or where FILE is -, read standard
input.

  -b, --bytes        count bytes, not columns
  -s, --spaces       break after a blank where there is one
  -w, --width=WIDTH  use WIDTH columns
`

func foldCommand(p *command.Proc) int {
	p.Args = obsoleteWidth(p.Args)
	opts, operands := p.Options(1, getopt.Spec{
		Short: "bsw:",
		Long: []getopt.Long{
			{Name: "bytes", Short: 'b'}, {Name: "spaces", Short: 's'}, {Name: "width", Arg: getopt.Required, Short: 'w'},
		},
	})
	f := folder{width: 80, bytes: hasOption(opts, "b"), spaces: hasOption(opts, "s")}
	for _, o := range opts {
		if o.Name != "w" {
			continue
		}
		n, err := strconv.Atoi(o.Arg)
		if err != nil || n < 1 {
			why := ""
			if err == nil {
				why = outOfRange
			}
			p.Errorf("invalid number of columns: %s%s", quote.Locale(o.Arg), why)
			return 1
		}
		f.width = n
	}
	return eachLine(p, operands, '\n', func(line []byte, terminated bool) {
		b := f.line(line)
		if terminated {
			b = append(b, '\n')
		}
		f.scratch = b
		_, _ = p.Out().Write(b)
	})
}

// obsoleteWidth turns -N into -w N.
func obsoleteWidth(args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 1 && a[0] == '-' && trimDigits(a[1:]) == "" {
			a = "-w" + a[1:]
		}
		out = append(out, a)
	}
	return out
}

type folder struct {
	width   int
	bytes   bool
	spaces  bool
	scratch []byte
}

func (f *folder) line(line []byte) []byte {
	b := f.scratch[:0]
	column := 0
	start := 0 // of the output line, in b
	for i := 0; i < len(line); i++ {
		c := line[i]
		next := f.advance(column, c)
		if next > f.width && len(b) > start {
			if cut := f.lastBlank(b[start:]); cut > 0 {
				cut += start
				b = append(b, 0)
				copy(b[cut+1:], b[cut:])
				b[cut] = '\n'
				start = cut + 1
				column = 0
				for _, k := range b[start:] {
					column = f.advance(column, k)
				}
			} else {
				b = append(b, '\n')
				start, column = len(b), 0
			}
			i-- // look at the character again, in its new place
			continue
		}
		column = next
		b = append(b, c)
	}
	return b
}

// lastBlank returns the place after the last blank of an output line, 0 when it is not wanted or there is none.
func (f *folder) lastBlank(b []byte) int {
	if !f.spaces {
		return 0
	}
	for i := len(b) - 1; i >= 0; i-- {
		if isBlank(b[i]) {
			return i + 1
		}
	}
	return 0
}

func (f *folder) advance(column int, c byte) int {
	if f.bytes {
		return column + 1
	}
	switch c {
	case '\b':
		return max(column-1, 0)
	case '\r':
		return 0
	case '\t':
		return column + 8 - column%8
	}
	return column + 1
}
