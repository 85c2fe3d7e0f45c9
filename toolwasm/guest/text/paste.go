package text

import (
	"bufio"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/text/lines"
)

const pasteHelp = `Usage: paste [OPTION]... [FILE]...
Write lines made of the lines of each FILE, side by side with tabs between. Without FILE, or where FILE is -, read
standard input.

  -d, --delimiters=LIST  use the characters of LIST in turn instead of tabs
  -s, --serial           one line of each FILE, made of all its lines
  -z, --zero-terminated  lines end with NUL
`

func pasteCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "d:sz",
		Long: []getopt.Long{
			{Name: "delimiters", Arg: getopt.Required, Short: 'd'},
			{Name: "serial", Short: 's'},
			{Name: "zero-terminated", Short: 'z'},
		},
	})
	delims := []string{"\t"}
	serial, eol := false, byte('\n')
	for _, o := range opts {
		switch o.Name {
		case "d":
			var ok bool
			if delims, ok = pasteDelimiters(o.Arg); !ok {
				p.Errorf("delimiter list ends with an unescaped backslash: %s", o.Arg)
				return 1
			}
		case "s":
			serial = true
		case "z":
			eol = 0
		}
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	if serial {
		return pasteSerial(p, operands, delims, eol)
	}
	return pasteParallel(p, operands, delims, eol)
}

// pasteDelimiters reads the LIST of -d, in which \0 is no character at all.
func pasteDelimiters(s string) ([]string, bool) {
	if s == "" {
		return []string{""}, true
	}
	var list []string
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			list = append(list, s[i:i+1])
			continue
		}
		i++
		if i == len(s) {
			return nil, false
		}
		switch s[i] {
		case '0':
			list = append(list, "")
		case 'b':
			list = append(list, "\b")
		case 'f':
			list = append(list, "\f")
		case 'n':
			list = append(list, "\n")
		case 'r':
			list = append(list, "\r")
		case 't':
			list = append(list, "\t")
		case 'v':
			list = append(list, "\v")
		default:
			list = append(list, s[i:i+1])
		}
	}
	return list, true
}

func pasteSerial(p *command.Proc, operands, delims []string, eol byte) int {
	out := p.Out()
	return eachInput(p, operands, func(_ string, f command.File) error {
		r := lines.New(p, f, eol)
		for i := 0; ; i++ {
			line, ok := r.Next()
			if !ok {
				break
			}
			if i > 0 {
				_, _ = out.WriteString(delims[(i-1)%len(delims)])
			}
			_, _ = out.Write(line)
		}
		_ = out.WriteByte(eol)
		return r.Err()
	})
}

func pasteParallel(p *command.Proc, operands, delims []string, eol byte) int {
	readers := make([]*lines.Reader, len(operands))
	var stdin *lines.Reader
	for i, name := range operands {
		if name == "-" {
			if stdin == nil {
				stdin = lines.New(p, p.Stdin, eol)
			}
			readers[i] = stdin
			continue
		}
		f, err := p.Open(name)
		if err != nil {
			return fail(p, name, err)
		}
		defer f.Close()
		readers[i] = lines.New(p, f, eol)
	}
	status := 0
	for live := len(readers); live > 0; {
		live = pasteRow(p.Out(), readers, delims, eol, func(i int, err error) { status = fail(p, operands[i], err) })
	}
	return status
}

// pasteRow writes one line and returns how many readers gave something to it. Delimiters are held back until some
// reader has a line, so that the end of all files writes nothing.
func pasteRow(out *bufio.Writer, readers []*lines.Reader, delims []string, eol byte, fail func(int, error)) int {
	live, owed := 0, 0
	for i, r := range readers {
		if r != nil {
			if line, ok := r.Next(); ok {
				for ; owed < i; owed++ {
					_, _ = out.WriteString(delims[owed%len(delims)])
				}
				_, _ = out.Write(line)
				live++
				continue
			}
			if err := r.Err(); err != nil {
				fail(i, err)
			}
			readers[i] = nil
		}
	}
	if live == 0 {
		return 0
	}
	for ; owed < len(readers)-1; owed++ {
		_, _ = out.WriteString(delims[owed%len(delims)])
	}
	_ = out.WriteByte(eol)
	return live
}
