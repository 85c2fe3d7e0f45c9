// Package awk is the awk language as gawk 5.2 has it.
//
// A program is parsed, its names are resolved, and each expression becomes a set of closures, one for every kind of
// result that is asked of it; records and fields are substrings of the input buffers, found when they are used. It
// promises gawk's results, messages and exit statuses for POSIX awk and gawk's everyday extensions, including the order in
// which "for (k in a)" visits an array. Commands that a program runs are run by the shell of the toolbox.
// What it leaves out it refuses: @include, @load, -i, -M, the debugger, networking.
package awk

import (
	"errors"
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
)

// gawkVersion is the version whose behaviour is followed.
const gawkVersion = "5.2.1"

const help = `Usage: awk [OPTION]... 'PROGRAM' [FILE | NAME=VALUE]...
  or:  awk [OPTION]... -f PROGRAM-FILE [FILE | NAME=VALUE]...
Scan text for patterns and process it, record by record and field by field.

  -f, --file=FILE              read the program from FILE; may be given more than once
  -e, --source=TEXT            TEXT is (a part of) the program
  -F, --field-separator=FS     set FS, what separates fields
  -v, --assign=NAME=VALUE      set a variable before the program begins
  -b, --characters-as-bytes    count bytes, not characters
  -E, --exec=FILE              like -f, and end the options
  -c, --traditional, -P, --posix, -r, --re-interval, -S, --sandbox, -O, --optimize,
  -n, --non-decimal-data, -t, --lint-old, -L, --lint, -C, -N, -s
                               accepted; the language stays the same
  -V, --version                print the version and exit
      --help                   print this help and exit
`

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{
		{Name: "awk", Run: run, Help: help},
		{Name: "gawk", Run: run, Help: help},
	}
}

var options = getopt.Spec{
	Short: "+f:e:F:v:bE:cPrSOntL::CNshV",
	Long: []getopt.Long{
		{Name: "file", Arg: getopt.Required, Short: 'f'},
		{Name: "source", Arg: getopt.Required, Short: 'e'},
		{Name: "field-separator", Arg: getopt.Required, Short: 'F'},
		{Name: "assign", Arg: getopt.Required, Short: 'v'},
		{Name: "characters-as-bytes", Short: 'b'},
		{Name: "exec", Arg: getopt.Required, Short: 'E'},
		{Name: "traditional", Short: 'c'},
		{Name: "posix", Short: 'P'},
		{Name: "re-interval", Short: 'r'},
		{Name: "sandbox", Short: 'S'},
		{Name: "optimize", Short: 'O'},
		{Name: "non-decimal-data", Short: 'n'},
		{Name: "lint-old", Short: 't'},
		{Name: "lint", Arg: getopt.Optional, Short: 'L'},
		{Name: "copyright", Short: 'C'},
		{Name: "use-lc-numeric", Short: 'N'},
		{Name: "no-optimize", Short: 's'},
		{Name: "help", Short: 'h'},
		{Name: "version", Short: 'V'},
	},
	Unsupported: "iMdDolpgI",
	UnsupLong: []string{
		"include", "bignum", "dump-variables", "debug", "pretty-print", "load", "profile", "gen-pot", "trace", "csv",
	},
}

// invocation is a parsed command line.
type invocation struct {
	sources  []source
	assigns  []string
	fs       string
	hasFS    bool
	bytes    bool
	posix    bool
	operands []string
}

func run(p *command.Proc) int {
	inv, status, ok := parseArgs(p)
	if !ok {
		return status
	}
	prog, err := parse(inv.sources)
	if err != nil {
		return report(p, err)
	}
	c, err := compile(prog)
	if err != nil {
		return report(p, err)
	}
	for _, w := range c.warnings {
		p.Errorf("%s", w)
	}
	in := newInterp(p, c)
	in.bytes = inv.bytes
	if in.guard(func() control { return in.setUp(inv) }) == ctlFatal {
		return statusFatal
	}
	return in.run()
}

// setUp gives the variables what the command line says.
func (in *interp) setUp(inv *invocation) control {
	argv := in.vars[slotARGV].a
	*argv.at(intKey(0)) = text(in.p.Name)
	for i, a := range inv.operands {
		*argv.at(intKey(int32(i + 1))) = input(a)
	}
	in.vars[slotARGC] = number(float64(len(inv.operands) + 1))
	in.useFS()
	if inv.hasFS {
		fs := unescape(inv.fs)
		if fs == "t" && inv.posix {
			fs = "\t"
		}
		in.assign(slotFS, text(fs))
	}
	for _, a := range inv.assigns {
		name, val, ok := assignment(a)
		if !ok {
			in.fatal("`%s' argument to `-v' not in `var=value' form", a)
		}
		in.assignOperand(name, val)
	}
	return ctlNone
}

// parseArgs reads the command line. ok is false when the command is over.
func parseArgs(p *command.Proc) (inv *invocation, status int, ok bool) {
	opts, operands := p.Options(statusFatal, options)
	inv = &invocation{}
	for _, o := range opts {
		switch o.Name {
		case "f", "E":
			src, err := readSource(p, o.Arg)
			if err != nil {
				p.Errorf("fatal: cannot open source file `%s' for reading: %s", o.Arg, sys.Strerror(err))
				return nil, statusFatal, false
			}
			inv.sources = append(inv.sources, src)
		case "e":
			inv.sources = append(inv.sources, source{name: "cmd. line", text: o.Arg})
		case "F":
			inv.fs, inv.hasFS = o.Arg, true
		case "v":
			inv.assigns = append(inv.assigns, o.Arg)
		case "b":
			inv.bytes = true
		case "P":
			inv.posix = true
		case "V":
			fmt.Fprintf(p.Out(), "GNU Awk %s compatible awk\n", gawkVersion)
			return nil, 0, false
		case "C":
			fmt.Fprintln(p.Out(), "MIT licence")
			return nil, 0, false
		case "h":
			fmt.Fprint(p.Out(), help)
			return nil, 0, false
		}
	}
	if len(inv.sources) == 0 {
		if len(operands) == 0 {
			fmt.Fprint(p.Stderr, help)
			return nil, statusSyntax, false
		}
		inv.sources = []source{{name: "cmd. line", text: operands[0]}}
		operands = operands[1:]
	}
	inv.operands = operands
	return inv, 0, true
}

func readSource(p *command.Proc, name string) (source, error) {
	b, err := p.ReadFile(name)
	if err != nil {
		return source{}, err
	}
	return source{name: name, text: string(b)}, nil
}

// report prints a mistake in the program with the line it is in.
func report(p *command.Proc, err error) int {
	var se *syntaxError
	if !errors.As(err, &se) {
		p.Errorf("%s", err)
		return statusSyntax
	}
	if se.line == "" {
		p.Errorf("%s: %s", se.where, se.msg)
		if se.fatal {
			return statusFatal
		}
		return statusSyntax
	}
	line := strings.TrimRight(se.line, "\r")
	p.Errorf("%s: %s", se.where, line)
	pad := []byte(line[:min(se.col, len(line))])
	for i := range pad {
		if pad[i] != '\t' {
			pad[i] = ' '
		}
	}
	p.Errorf("%s: %s^ %s", se.where, pad, se.msg)
	return statusSyntax
}
