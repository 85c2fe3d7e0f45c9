// Package sed is the stream editor, with GNU's extensions.
//
// It promises GNU sed 4.9's language but for two things: the commands that run programs (e, s///e) are
// refused, and --debug is not there. Input is streamed: only the pattern and hold spaces and one buffer are held in memory.
package sed

import (
	"fmt"
	"strconv"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
)

// Exit statuses of GNU sed.
const (
	statusUsage = 1 // a mistake in the command line or the script
	statusInput = 2 // a file could not be read
	statusPanic = 4 // an error at work
)

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{{Name: "sed", Run: run, Help: help}}
}

const help = `Usage: sed [OPTION]... SCRIPT [FILE]...
Edit text line by line and print it.

  -n, --quiet, --silent      print only what the script says
  -e, --expression=SCRIPT    add SCRIPT to the commands; may be given more than once
  -f, --file=FILE            add the commands in FILE
  -E, -r, --regexp-extended  use extended regular expressions
  -i[SUFFIX], --in-place[=SUFFIX]
                             edit files in place; with SUFFIX, keep the old file
  -l, --line-length=N        fold the output of l at N characters
  -s, --separate             count and address the lines of each file by themselves
  -u, --unbuffered           print each line at once
  -z, --null-data            lines end in NUL, not newline
      --posix                switch off what POSIX does not have
      --sandbox              refuse the commands e, r and w
      --follow-symlinks      edit in place what a link points to
      --help                 print this text
      --version              print the version
Without -e and -f the first operand is the script. No FILE, or -, is standard input.
`

const version = "sed (GNU sed) 4.9 compatible\n"

// options are what the command line asks for.
type options struct {
	quiet      bool
	extended   bool
	inPlace    bool
	suffix     string
	separate   bool
	unbuffered bool
	null       bool
	posix      bool
	sandbox    bool
	follow     bool
	lineLength int
}

// defaultLineLength is where the command l folds.
const defaultLineLength = 70

func run(p *command.Proc) int {
	opts, operands := p.Options(statusUsage, getopt.Spec{
		Short: "bsnrzuEe:f:l:i::V:s",
		Long: []getopt.Long{
			{Name: "binary", Short: 'b'},
			{Name: "regexp-extended", Short: 'E'},
			{Name: "in-place", Arg: getopt.Optional, Short: 'i'},
			{Name: "expression", Arg: getopt.Required, Short: 'e'},
			{Name: "file", Arg: getopt.Required, Short: 'f'},
			{Name: "line-length", Arg: getopt.Required, Short: 'l'},
			{Name: "null-data", Short: 'z'},
			{Name: "zero-terminated", Short: 'z'},
			{Name: "quiet", Short: 'n'},
			{Name: "silent", Short: 'n'},
			{Name: "posix"},
			{Name: "sandbox"},
			{Name: "separate", Short: 's'},
			{Name: "unbuffered", Short: 'u'},
			{Name: "follow-symlinks"},
			{Name: "help"},
			{Name: "version"},
		},
		UnsupLong: []string{"debug"},
	})
	o := options{lineLength: defaultLineLength}
	var chunks []chunk
	expressions := 0
	for _, opt := range opts {
		switch opt.Name {
		case "n":
			o.quiet = true
		case "E", "r":
			o.extended = true
		case "i":
			o.inPlace, o.separate, o.suffix = true, true, opt.Arg
		case "s":
			o.separate = true
		case "u":
			o.unbuffered = true
		case "z":
			o.null = true
		case "posix":
			o.posix = true
		case "sandbox":
			o.sandbox = true
		case "follow-symlinks":
			o.follow = true
		case "l":
			n, err := strconv.Atoi(opt.Arg)
			if err != nil || n < 0 {
				p.Errorf("invalid line length: %s", opt.Arg)
				return statusUsage
			}
			o.lineLength = n
		case "e":
			expressions++
			chunks = append(chunks, chunk{text: opt.Arg, expression: expressions})
		case "f":
			text, err := p.ReadFile(opt.Arg)
			if err != nil {
				p.Errorf("couldn't open file %s: %s", opt.Arg, sys.Strerror(err))
				return statusUsage
			}
			chunks = append(chunks, chunk{text: string(text), file: opt.Arg})
		case "help":
			fmt.Fprint(p.Out(), help)
			return 0
		case "version":
			fmt.Fprint(p.Out(), version)
			return 0
		}
	}
	if chunks == nil {
		if len(operands) == 0 {
			_ = p.Flush()
			fmt.Fprint(p.Stderr, help)
			return statusUsage
		}
		chunks = []chunk{{text: operands[0], expression: 1}}
		operands = operands[1:]
	}
	return edit(p, o, chunks, operands)
}

// edit reads the script and runs it over the files.
func edit(p *command.Proc, o options, chunks []chunk, files []string) int {
	outs := newOutputs(p, &o)
	prog, err := parseScript(chunks, &o, outs)
	if err != nil {
		outs.close()
		p.Errorf("%s", err.Error())
		return err.status
	}
	if prog.quiet {
		o.quiet = true
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	m := newMachine(p, &o, prog, outs, files)
	defer m.cleanUp()
	return m.run()
}
