// Package jq is the jq language: a filter for JSON.
//
// It follows jq 1.8 (and so 1.7 where that is the same): a program is parsed, its names are resolved, and it becomes
// closures that pass outputs on to each other; those that always have exactly one output are called directly. Objects keep
// the order of their keys, numbers keep their digits until something is computed with them, and inputs are read one
// at a time. It promises jq's outputs, messages and exit statuses.
package jq

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
)

// version is the jq whose behaviour is followed.
const version = "jq-1.8.1"

// Exit statuses.
const (
	statusFalse   = 1 // -e: the last output was false or null
	statusUsage   = 2 // also: a file could not be opened
	statusCompile = 3
	statusNone    = 4 // -e: there was no output
	statusError   = 5
)

const help = `Usage: jq [OPTION]... FILTER [FILE]...
  or:  jq [OPTION]... --from-file FILE [FILE]...
  or:  jq [OPTION]... --args FILTER [STRING]...
  or:  jq [OPTION]... --jsonargs FILTER [JSON]...
Run FILTER on each JSON value of the FILEs or of standard input.

  -n, --null-input           run once, with null as input
  -R, --raw-input            each line is an input, as a string
  -s, --slurp                all inputs together are one, as an array
  -c, --compact-output       one line for each output
  -r, --raw-output           strings without quotes
      --raw-output0          like -r, with NUL after each output
  -j, --join-output          like -r, without newlines
  -a, --ascii-output         escape what is not ASCII
  -S, --sort-keys            sort the keys of objects
  -C, --color-output         colour the output (JQ_COLORS says how)
  -M, --monochrome-output    do not
      --tab                  indent with tabs
      --indent N             indent by N spaces (at most 7)
      --unbuffered           write each output at once
      --stream               inputs as events: [path, leaf] and [path]
      --stream-errors        likewise
      --seq                  write the record separator before each output
  -f, --from-file            the first operand names a file with the filter
  -L DIR                     look for modules in DIR
  -e, --exit-status          status 1 if the last output is false or null, 4 if there is none
      --arg NAME VALUE       set $NAME to a string
      --argjson NAME JSON    set $NAME to a value
      --slurpfile NAME FILE  set $NAME to the values in FILE, as an array
      --rawfile NAME FILE    set $NAME to the text of FILE
      --args                 the operands that follow are strings in $ARGS.positional
      --jsonargs             the operands that follow are values in $ARGS.positional
  -V, --version              print the version and exit
  -h, --help                 print this help and exit
`

// Commands lists what the package adds to the toolbox.
func Commands() []command.Command {
	return []command.Command{{Name: "jq", Run: runCommand, Help: help}}
}

// options are the options of the command line.
type options struct {
	null, raw, slurp, stream   bool
	rawOut, join, nul          bool
	seq, unbuffered            bool
	exitStatus, fromFile, done bool
	hadFiles                   bool
	style                      style
	libs                       []string
	filter                     string
	hasFilter                  bool
	files                      []string
	named                      *object
	positional                 []any
	operand                    func(string) error // what becomes of operands after --args
}

func runCommand(p *command.Proc) int {
	o := &options{style: style{indent: 2}, named: newObject(4)}
	r := &run{p: p, opts: o, regexps: regexpCache{}}
	if err := r.parseArgs(p.Args); err != nil {
		p.Errorf("error: %s", err)
		fmt.Fprintln(p.Stderr, "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq")
		return statusUsage
	}
	if o.done {
		return 0
	}
	return r.main()
}

// main compiles the filter and runs it on the inputs.
func (r *run) main() int {
	o := r.opts
	src := o.filter
	if o.fromFile {
		b, err := r.readFile(o.filter)
		if err != nil {
			r.p.Errorf("error: %s", err)
			return statusUsage
		}
		src = string(b)
	}
	vars := o.named.copy(nil)
	args := newObject(2)
	args.set("positional", newArray(o.positional))
	args.set("named", o.named)
	vars.set("ARGS", args)
	vars.set("__prog_args", newArray(o.positional))
	o.hadFiles = len(o.files) > 0
	r.in = &inputs{p: r.p, opts: o, files: o.files}
	prog, values, err := r.compileProgram(src, vars)
	if err != nil {
		r.p.Errorf("error: %s", err)
		r.p.Errorf("1 compile error")
		return statusCompile
	}
	return r.loop(prog, values)
}

// outcome is what a run has come to so far.
type outcome struct {
	status int
	last   any
	some   bool
}

func (r *run) loop(prog *code, values []any) int {
	var out outcome
	f := filtering{run: r, prog: prog, values: values, fr: frame{vars: make([]any, len(values))}, out: &out}
	f.print = func(x any) error {
		out.last, out.some = x, true
		return r.print(x)
	}
	if r.opts.null {
		if done := f.filter(nil); done {
			return out.status
		}
		return r.finish(&out)
	}
	for {
		v, err := r.in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			r.p.Errorf("error (at %s:%d): %s", r.where(), r.in.line(), err)
			out.status = statusError
			break
		}
		if done := f.filter(v); done {
			return out.status
		}
	}
	return r.finish(&out)
}

func (r *run) where() string {
	if r.in.name == "" {
		return "<stdin>"
	}
	return r.in.name
}

func (r *run) finish(out *outcome) int {
	switch {
	case out.status != 0:
		return out.status
	case r.in.failed:
		return statusUsage
	case !r.opts.exitStatus:
		return 0
	case !out.some:
		return statusNone
	case !truthy(out.last):
		return statusFalse
	}
	return 0
}

// filtering is the program at work on one input after the other.
type filtering struct {
	run    *run
	prog   *code
	values []any // of the variables in the beginning
	fr     frame
	print  func(any) error
	out    *outcome
}

// filter runs the program on one input. done is true when the whole run is over.
func (f *filtering) filter(v any) (done bool) {
	copy(f.fr.vars, f.values)
	err := f.prog.values(&f.fr, v, f.print)
	if err == nil {
		return false
	}
	r, out := f.run, f.out
	var halt *haltError
	if errors.As(err, &halt) {
		out.status = halt.status
		r.halt(halt)
		return true
	}
	var lost *breakError
	if errors.As(err, &lost) {
		r.p.Errorf("error (at %s:%d): break", r.where(), r.in.line())
		out.status = statusError
		return false
	}
	r.p.Errorf("error (at %s:%d)%s", r.where(), r.in.line(), errorMessage(err))
	out.status = statusError
	return false
}

// errorMessage is how an error that nobody caught is reported.
func errorMessage(err error) string {
	e, ok := err.(*valueError)
	if !ok {
		return ": " + err.Error()
	}
	switch v := e.v.(type) {
	case string:
		return ": " + v
	case nil:
		return " (not a string): null"
	}
	return " (not a string): " + encode(e.v)
}

func (r *run) halt(h *haltError) {
	if !h.print {
		return
	}
	_ = r.p.Flush()
	switch v := h.val.(type) {
	case nil: // the status says it all
	case string:
		fmt.Fprint(r.p.Stderr, v)
	default:
		fmt.Fprintln(r.p.Stderr, encode(v))
	}
}

// print writes an output.
func (r *run) print(v any) error {
	o, w := r.opts, r.p.Out()
	if o.seq {
		_ = w.WriteByte(recordSeparator)
	}
	s, isString := v.(string)
	text, copied := r.in.copied()
	switch {
	case copied:
		_, _ = w.Write(text)
	case (o.rawOut || o.join) && isString:
		if o.nul && strings.IndexByte(s, 0) >= 0 {
			return errorf("Cannot dump a string containing NUL with --raw-output0 option")
		}
		if o.style.ascii {
			b := appendString(nil, s, true)
			s = string(b[1 : len(b)-1])
		}
		_, _ = w.WriteString(s)
	default:
		b := appendValue(w.AvailableBuffer(), v, &o.style, 0)
		_, _ = w.Write(b)
	}
	var err error
	switch {
	case o.nul:
		err = w.WriteByte(0)
	case !o.join:
		err = w.WriteByte('\n')
	}
	if err == nil && o.unbuffered {
		err = w.Flush()
	}
	if err != nil {
		return &haltError{status: statusUsage}
	}
	return nil
}

// parseArgs reads the command line.
func (r *run) parseArgs(args []string) error {
	o := r.opts
	ended := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !ended && a == "--":
			ended = true
		case !ended && strings.HasPrefix(a, "--"):
			used, err := r.longOption(a[2:], args[i+1:])
			if err != nil {
				return err
			}
			i += used
		case !ended && len(a) > 1 && a[0] == '-' && isIdentStart(a[1]):
			used, err := r.shortOptions(a[1:], args[i+1:])
			if err != nil {
				return err
			}
			i += used
		default:
			if err := r.addOperand(a); err != nil {
				return err
			}
		}
		if o.done {
			return nil
		}
	}
	if !o.hasFilter {
		return errors.New("no filter given")
	}
	if color, ok := r.getenv("JQ_COLORS"); ok && o.style.colors != nil {
		o.style.colors = parseColors(color)
	}
	return nil
}

func (r *run) getenv(name string) (string, bool) {
	if r.p.Env == nil {
		return "", false
	}
	return r.p.Env.Get(name)
}

func (r *run) addOperand(a string) error {
	o := r.opts
	switch {
	case !o.hasFilter:
		o.filter, o.hasFilter = a, true
	case o.operand != nil:
		return o.operand(a)
	default:
		o.files = append(o.files, a)
	}
	return nil
}

// shortOptions reads bundled letters and returns how many of the following arguments they took.
func (r *run) shortOptions(letters string, rest []string) (used int, err error) {
	for i, l := range letters {
		if l == 'L' {
			if dir := letters[i+1:]; dir != "" {
				r.opts.libs = append(r.opts.libs, dir)
				return used, nil
			}
			if len(rest) == 0 {
				return 0, errors.New("-L takes a parameter: (e.g. -L /search/path or -L/search/path)")
			}
			r.opts.libs = append(r.opts.libs, rest[0])
			return 1, nil
		}
		name, ok := shortNames[l]
		if !ok {
			return 0, complain("Unknown option: -%s", letters)
		}
		if _, err := r.longOption(name, nil); err != nil {
			return 0, err
		}
	}
	return used, nil
}

var shortNames = map[rune]string{
	'n': "null-input", 'R': "raw-input", 's': "slurp", 'c': "compact-output", 'r': "raw-output", 'j': "join-output", 'a': "ascii-output",
	'S': "sort-keys", 'C': "color-output", 'M': "monochrome-output", 'f': "from-file", 'e': "exit-status", 'h': "help", 'V': "version",
}

// longOption applies an option and returns how many of the following arguments it took.
func (r *run) longOption(name string, rest []string) (used int, err error) {
	o := r.opts
	switch name {
	case "null-input":
		o.null = true
	case "raw-input":
		o.raw = true
	case "slurp":
		o.slurp = true
	case "compact-output":
		o.style.compact = true
	case "raw-output":
		o.rawOut = true
	case "raw-output0":
		o.rawOut, o.nul = true, true
	case "join-output":
		o.rawOut, o.join = true, true
	case "ascii-output":
		o.style.ascii = true
	case "sort-keys":
		o.style.sort = true
	case "color-output":
		o.style.colors = parseColors("")
	case "monochrome-output":
		o.style.colors = nil
	case "tab":
		o.style.tab, o.style.compact = true, false
	case "unbuffered":
		o.unbuffered = true
	case "stream", "stream-errors":
		o.stream = true
	case "seq":
		o.seq = true
	case "from-file":
		o.fromFile = true
	case "exit-status":
		o.exitStatus = true
	case "args":
		o.operand = func(s string) error {
			o.positional = append(o.positional, s)
			return nil
		}
	case "jsonargs":
		o.operand = func(s string) error {
			v, err := decodeString(s)
			if err != nil {
				return complain("Invalid JSON text passed to --jsonargs")
			}
			o.positional = append(o.positional, v)
			return nil
		}
	case "help":
		fmt.Fprint(r.p.Out(), help)
		o.done = true
	case "version":
		fmt.Fprintln(r.p.Out(), version)
		o.done = true
	case "build-configuration":
		fmt.Fprintln(r.p.Out(), "wasm32")
		o.done = true
	default:
		return r.parameterOption(name, rest)
	}
	return 0, nil
}

// parameterOption applies an option that takes arguments.
func (r *run) parameterOption(name string, rest []string) (used int, err error) {
	o := r.opts
	switch name {
	case "indent":
		if len(rest) < 1 {
			return 0, errors.New("--indent takes one parameter")
		}
		n, err := strconv.Atoi(rest[0])
		const most = 7
		switch {
		case err != nil || n < -1:
			return 0, complain("Cannot indent less than zero")
		case n > most:
			return 0, complain("Cannot indent more than 7 characters")
		}
		o.style.indent, o.style.tab, o.style.compact = n, false, false
		if n < 0 {
			o.style.indent, o.style.tab = 0, true
		}
		return 1, nil
	case "library-path":
		if len(rest) < 1 {
			return 0, errors.New("--library-path takes one parameter")
		}
		o.libs = append(o.libs, rest[0])
		return 1, nil
	case "arg", "argjson", "slurpfile", "rawfile":
		const params = 2
		if len(rest) < params {
			return 0, fmt.Errorf("--%s takes two parameters (e.g. --%s varname value)", name, name)
		}
		v, err := r.argument(name, rest[0], rest[1])
		if err != nil {
			return 0, err
		}
		if _, ok := o.named.get(rest[0]); !ok {
			o.named.set(rest[0], v)
		}
		return params, nil
	}
	return 0, complain("Unknown option: --%s", name)
}

// argument is the value of a variable given on the command line.
func (r *run) argument(option, name, text string) (any, error) {
	switch option {
	case "arg":
		return text, nil
	case "argjson":
		v, err := decodeString(text)
		if err != nil || strings.TrimSpace(text) == "" {
			return nil, complain("Invalid JSON text passed to --argjson")
		}
		return v, nil
	}
	b, err := r.p.ReadFile(text)
	if err != nil {
		return nil, complain("Bad JSON in --%s %s %s: Could not open %s: %s", option, name, text, text, strerror(err))
	}
	if option == "rawfile" {
		return strings.ToValidUTF8(string(b), "\uFFFD"), nil
	}
	d := newTextDecoder(b)
	var items []any
	for {
		v, err := d.next()
		if err == io.EOF {
			return newArray(items), nil
		}
		if err != nil {
			return nil, complain("Bad JSON in --%s %s %s: %s", option, name, text, err)
		}
		items = append(items, v)
	}
}
