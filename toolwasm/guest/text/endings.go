package text

import (
	"io"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

const endingsOptions = `
  -n, --newfile        write the second FILE of each pair, not the first
  -o, --oldfile        change the FILEs themselves (the default)
  -q, --quiet          say nothing
  -f, --force          accepted
  -k, --keepdate, -s, --safe   accepted
`

const dos2unixHelp = `Usage: dos2unix [OPTION]... [FILE]...
Make lines that end in CR LF end in LF. Without FILE copy standard input.
` + endingsOptions

const unix2dosHelp = `Usage: unix2dos [OPTION]... [FILE]...
Make lines that end in LF end in CR LF. Without FILE copy standard input.
` + endingsOptions

const spongeHelp = `Usage: sponge [-a] [FILE]
Read standard input to its end, then write FILE: a pipeline may so change a file that it reads. Without FILE write
standard output.

  -a   append to FILE
`

func dos2unixCommand(p *command.Proc) int { return convertEndings(p, "Unix", false) }

func unix2dosCommand(p *command.Proc) int { return convertEndings(p, "DOS", true) }

func convertEndings(p *command.Proc, format string, dos bool) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "noqfks",
		Long: []getopt.Long{
			{Name: "newfile", Short: 'n'},
			{Name: "oldfile", Short: 'o'},
			{Name: "quiet", Short: 'q'},
			{Name: "force", Short: 'f'},
			{Name: "keepdate", Short: 'k'},
			{Name: "safe", Short: 's'},
		},
	})
	if len(operands) == 0 {
		return eachInput(p, nil, func(_ string, f command.File) error { return copyEndings(p, p.Out(), f, dos) })
	}
	pairs := hasOption(opts, "n")
	if pairs && len(operands)%2 != 0 {
		p.Errorf("target of file %s not specified in new-file mode", operands[len(operands)-1])
		return 1
	}
	status := 0
	for len(operands) > 0 {
		from, to := operands[0], operands[0]
		operands = operands[1:]
		if pairs {
			to, operands = operands[0], operands[1:]
		}
		if err := rewriteEndings(p, from, to, dos); err != nil {
			p.Errorf("%s: %s", from, sys.Strerror(err))
			status = 1
			continue
		}
		if !hasOption(opts, "q") {
			p.Errorf("converting file %s to %s format...", from, format)
		}
	}
	return status
}

func rewriteEndings(p *command.Proc, from, to string, dos bool) error {
	in, err := p.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := p.Replace(to)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := copyEndings(p, out, in, dos); err != nil {
		return err
	}
	return out.Commit()
}

// copyEndings copies lines with the ends that are asked for. A CR elsewhere stays, and so does one before LF when it is DOS'.
func copyEndings(p *command.Proc, w io.Writer, in io.Reader, dos bool) error {
	r := lines.New(p, in, '\n')
	buf := make([]byte, 0, copyBuffer)
	for {
		line, ok := r.Next()
		if !ok {
			break
		}
		ended := r.Terminated()
		cr := ended && len(line) > 0 && line[len(line)-1] == '\r'
		if cr {
			line = line[:len(line)-1]
		}
		buf = append(buf, line...)
		if ended && dos {
			buf = append(buf, '\r')
		}
		if ended {
			buf = append(buf, '\n')
		}
		if len(buf) >= copyBuffer/2 {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	_, err := w.Write(buf)
	return err
}

func spongeCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{Short: "a"})
	if len(operands) > 1 {
		return p.Usage(1, "extra operand %s", operands[1])
	}
	data, err := io.ReadAll(p.Stdin)
	if err != nil {
		return fail(p, "standard input", err)
	}
	if len(operands) == 0 {
		_, _ = p.Out().Write(data)
		return 0
	}
	name := operands[0]
	if hasOption(opts, "a") {
		old, err := p.ReadFile(name)
		if err == nil {
			data = append(old, data...)
		}
	}
	out, err := p.Replace(name)
	if err != nil {
		return fail(p, name, err)
	}
	defer out.Abort()
	if _, err := out.Write(data); err != nil {
		return fail(p, name, err)
	}
	if err := out.Commit(); err != nil {
		return fail(p, name, err)
	}
	return 0
}
