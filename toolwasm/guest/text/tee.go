package text

import (
	"io"
	"os"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
)

const teeHelp = `Usage: tee [OPTION]... [FILE]...
Copy standard input to standard output and to each FILE.

  -a, --append             append to the FILEs
  -i, --ignore-interrupts  accepted and without effect
  -p, --output-error[=MODE]  accepted; the end of a pipe ends the command
`

func teeCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "aip",
		Long: []getopt.Long{
			{Name: "append", Short: 'a'},
			{Name: "ignore-interrupts", Short: 'i'},
			{Name: "output-error", Arg: getopt.Optional, Short: 'p'},
		},
	})
	mode := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if hasOption(opts, "a") {
		mode = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	status := 0
	var files []teeFile
	for _, name := range operands {
		f, err := p.OpenFile(name, mode, 0o666)
		if err != nil {
			status = fail(p, name, err)
			continue
		}
		defer f.Close()
		files = append(files, teeFile{name, f})
	}
	buf := make([]byte, copyBuffer)
	for {
		n, err := p.Stdin.Read(buf)
		if n > 0 {
			if _, werr := p.Stdout.Write(buf[:n]); werr != nil && status == 0 {
				p.Errorf("standard output: %s", sys.Strerror(werr))
				status = 1
			}
			files, status = teeWrite(p, files, buf[:n], status)
		}
		if err == io.EOF {
			return status
		}
		if err != nil {
			p.Errorf("read error: %s", sys.Strerror(err))
			return 1
		}
	}
}

type teeFile struct {
	name string
	w    io.Writer
}

// teeWrite writes b to the files and drops those that cannot be written.
func teeWrite(p *command.Proc, files []teeFile, b []byte, status int) ([]teeFile, int) {
	kept := files[:0]
	for _, f := range files {
		if _, err := f.w.Write(b); err != nil {
			status = fail(p, f.name, err)
			continue
		}
		kept = append(kept, f)
	}
	return kept, status
}

const yesHelp = `Usage: yes [STRING]...
Write a line of the STRINGs, or y, again and again until the command is ended.
`

func yesCommand(p *command.Proc) int {
	_, operands := p.Options(1, getopt.Spec{})
	line := []byte("y\n")
	if len(operands) > 0 {
		line = line[:0]
		for i, s := range operands {
			if i > 0 {
				line = append(line, ' ')
			}
			line = append(line, s...)
		}
		line = append(line, '\n')
	}
	block := line
	for len(block) < copyBuffer/4 {
		block = append(block, line...)
	}
	for {
		if _, err := p.Stdout.Write(block); err != nil {
			p.Errorf("standard output: %s", sys.Strerror(err))
			return 1
		}
	}
}
