package text

import (
	"bytes"
	"io"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/regex"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

const tacHelp = `Usage: tac [OPTION]... [FILE]...
Write each FILE to standard output, last line first. Without FILE, or where FILE is -, read standard input.

  -b, --before             the separator stands before a record, not after it
  -r, --regex              the separator is a regular expression
  -s, --separator=STRING   what parts the records, instead of a newline
`

func tacCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "brs:",
		Long:  []getopt.Long{{Name: "before", Short: 'b'}, {Name: "regex", Short: 'r'}, {Name: "separator", Arg: getopt.Required, Short: 's'}},
	})
	sep, before, asRegex := "\n", false, false
	for _, o := range opts {
		switch o.Name {
		case "b":
			before = true
		case "r":
			asRegex = true
		case "s":
			sep = o.Arg
		}
	}
	find := literalEnds(sep)
	if asRegex {
		if sep == "" {
			p.Errorf("separator cannot be empty")
			return 1
		}
		re, err := regex.Compile(sep, regex.Newline|regex.RepeatAny)
		if err != nil {
			p.Errorf("%s", err)
			return 1
		}
		find = regexEnds(re)
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	status := 0
	for _, name := range operands {
		if s := tacFile(p, name, find, before); s != 0 {
			status = s
		}
	}
	return status
}

func tacFile(p *command.Proc, name string, find func([]byte, int) (int, int), before bool) int {
	f, err := p.OpenArg(name)
	if err != nil {
		p.Errorf("failed to open %s for reading: %s", quote.Always(name), sys.Strerror(err))
		return 1
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		p.Errorf("%s: read error: %s", name, sys.Strerror(err))
		return 1
	}
	writeReversed(p, data, find, before)
	return 0
}

// writeReversed writes the records of data from the last to the first. find gives the last separator before end.
func writeReversed(p *command.Proc, data []byte, find func([]byte, int) (int, int), before bool) {
	out := p.Out()
	end := len(data)
	limit := end
	for {
		from, to := find(data, limit)
		if from < 0 {
			_, _ = out.Write(data[:end])
			return
		}
		cut := to
		if before {
			cut = from
		}
		_, _ = out.Write(data[cut:end])
		end = cut
		limit = from
	}
}

func literalEnds(sep string) func([]byte, int) (int, int) {
	if sep == "" {
		sep = "\x00"
	}
	s := []byte(sep)
	return func(data []byte, limit int) (int, int) {
		i := bytes.LastIndex(data[:limit], s)
		return i, i + len(s)
	}
}

// regexEnds looks for the match that begins last, as GNU does: from the end backwards.
func regexEnds(re *regex.Regexp) func([]byte, int) (int, int) {
	var loc []int
	return func(data []byte, limit int) (int, int) {
		for at := limit - 1; at >= 0; at-- {
			loc = re.Find(loc[:0], data[:limit], at, false)
			if len(loc) > 0 && loc[0] == at && loc[1] > at {
				return loc[0], loc[1]
			}
		}
		return -1, -1
	}
}

const revHelp = `Usage: rev [FILE]...
Write each line of the FILEs with its characters in the opposite order. Without FILE read standard input.
`

func revCommand(p *command.Proc) int {
	_, operands := p.Options(1, getopt.Spec{})
	var scratch []byte
	open := p.Open // "-" is the name of a file here
	if len(operands) == 0 {
		operands, open = []string{"-"}, p.OpenArg
	}
	status := 0
	for _, name := range operands {
		f, err := open(name)
		if err != nil {
			p.Errorf("cannot open %s: %s", name, sys.Strerror(err))
			status = 1
			continue
		}
		r := lines.New(p, f, '\n')
		for {
			line, ok := r.Next()
			if !ok {
				break
			}
			scratch = appendReversed(scratch[:0], line)
			if r.Terminated() {
				scratch = append(scratch, '\n')
			}
			_, _ = p.Out().Write(scratch)
		}
		f.Close()
		if err := r.Err(); err != nil {
			status = fail(p, name, err)
		}
	}
	return status
}
