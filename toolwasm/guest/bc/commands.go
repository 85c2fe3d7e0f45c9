// Package bc is the calculator language bc with arbitrary precision, as GNU bc 1.07 has it.
//
// Each line is parsed into closures and run before the next is read. It promises GNU's results digit by digit, its
// rules for the scale of results, and its line breaking; the functions of the math library are computed with guard digits and
// cut off, so that all their digits are right.
package bc

import (
	"bufio"
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
)

const help = `Usage: bc [OPTION]... [FILE]...
Calculate with numbers of any precision: first what the FILEs say, then standard input.

  -l, --mathlib      set scale to 20 and define s(x) c(x) a(x) l(x) e(x) j(n,x)
  -q, --quiet        accepted; there is no greeting
  -s, --standard     accepted
  -w, --warn         accepted
  -i, --interactive  accepted
  -h, --help         print this help and exit
  -v, --version      print the version and exit

BC_LINE_LENGTH sets the length of output lines; 0 never breaks them.
`

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{{Name: "bc", Run: run, Help: help}}
}

var options = getopt.Spec{
	Short: "lqswihv",
	Long: []getopt.Long{
		{Name: "mathlib", Short: 'l'},
		{Name: "quiet", Short: 'q'},
		{Name: "standard", Short: 's'},
		{Name: "warn", Short: 'w'},
		{Name: "interactive", Short: 'i'},
		{Name: "help", Short: 'h'},
		{Name: "version", Short: 'v'},
	},
}

func run(p *command.Proc) int {
	opts, files := p.Options(1, options)
	math := false
	for _, o := range opts {
		switch o.Name {
		case "l":
			math = true
		case "h":
			fmt.Fprint(p.Out(), help)
			return 0
		case "v":
			fmt.Fprintln(p.Out(), "bc 1.07.1")
			return 0
		}
	}
	in := newInterp(p, math)
	ps := &parser{in: in}
	for _, name := range files {
		f, err := p.Open(name)
		if err != nil {
			fmt.Fprintf(p.Stderr, "File %s is unavailable.\n", name)
			return 1
		}
		defer f.Close()
		ps.sources = append(ps.sources, source{name, bufio.NewReader(f)})
	}
	stdin := bufio.NewReader(strings.NewReader(""))
	if p.Stdin != nil {
		stdin = bufio.NewReader(p.Stdin)
	}
	in.stdin = stdin
	ps.sources = append(ps.sources, source{"(standard_in)", stdin})
	ps.run()
	return 0
}

// run reads and runs lines until the end.
func (p *parser) run() {
	for !p.step() {
	}
}

// step reads and runs one line or definition. It returns true when the program is over.
func (p *parser) step() (over bool) {
	p.depth, p.loops, p.fn = 0, 0, nil
	in := p.in
	defer func() {
		switch e := recover().(type) {
		case nil:
		case syntaxError:
			_ = in.p.Flush()
			fmt.Fprintf(in.p.Stderr, "%s %d: %s\n", p.sourceName(), p.line+1, e.msg)
			p.skipLine()
		case runtimeError:
			_ = in.p.Flush()
			fmt.Fprintf(in.p.Stderr, "Runtime error (func=%s, adr=0): %s\n", in.where(), e.msg)
			in.calls = nil
		case quit, halt:
			over = true
		default:
			panic(e)
		}
	}()
	p.next()
	p.newlinesOnce()
	if p.tok == tEOF {
		return true
	}
	for p.isName("define") { // more may follow on its line
		p.definition()
		for p.is(";") {
			p.next()
		}
	}
	list := p.line1()
	for _, s := range list {
		if s(in) == ctlHalt {
			return true
		}
	}
	return p.tok == tEOF
}

// newlinesOnce skips an empty line's end.
func (p *parser) newlinesOnce() {
	for p.tok == tNewline {
		p.next()
	}
}

func (p *parser) sourceName() string {
	if len(p.sources) == 0 {
		return "(standard_in)"
	}
	return p.sources[0].name
}
