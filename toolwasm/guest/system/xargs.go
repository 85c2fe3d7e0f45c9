package system

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"sync"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const xargsHelp = `Usage: xargs [OPTION]... COMMAND [INITIAL-ARGS]...
Run COMMAND (echo) with arguments read from standard input. Blanks and newlines part them, quotes and backslashes guard.

  -0, --null                  arguments end with NUL, nothing else is special
  -a, --arg-file=FILE         read from FILE
  -d, --delimiter=CHAR        arguments end with CHAR, nothing else is special
  -E END, -e[END]             stop at the argument END
  -I R, -i[R], --replace[=R]  run COMMAND for each line, in place of R ({}) in its arguments
  -L N, -l[N], --max-lines[=N]  at most N lines for each COMMAND
  -n, --max-args=N            at most N arguments for each COMMAND
  -o, --open-tty              accepted
  -P, --max-procs=N           up to N COMMANDs at a time
      --process-slot-var=V    set V to a number that no other COMMAND running has
  -r, --no-run-if-empty       do not run COMMAND without arguments
  -s, --max-chars=N           command lines of at most N characters
  -t, --verbose               write each command line to standard error
  -x, --exit                  end when a command line would be longer than -s allows
`

const (
	xargsMaxChars = 128 << 10
	xargsMaxProcs = 64

	statusSomeFailed = 123
)

type xargs struct {
	p          *command.Proc
	delim      int // -1: blanks, with quotes
	eof        string
	hasEOF     bool
	replace    string
	replacing  bool
	lines      int
	args       int
	procs      int
	noEmpty    bool
	chars      int
	verbose    bool
	exit       bool
	slotVar    string
	stdin      io.Reader
	command    []string
	in         *bufio.Reader
	batch      []string
	size       int // of the command line
	baseSize   int
	lineCount  int
	ran        bool
	mu         sync.Mutex
	status     int
	stop       bool
	slots      chan int
	group      sync.WaitGroup
	terminated bool // the last argument ended its line
}

func xargsCommand(p *command.Proc) int {
	x := xargs{p: p, delim: -1, procs: 1, chars: xargsMaxChars, stdin: strings.NewReader("")}
	req, opt := getopt.Required, getopt.Optional
	opts, operands := p.Options(1, getopt.Spec{
		Short: "+0a:d:E:e::I:i::L:l::n:oP:rs:tx",
		Long: []getopt.Long{
			{Name: "null", Short: '0'},
			{Name: "arg-file", Arg: req, Short: 'a'},
			{Name: "delimiter", Arg: req, Short: 'd'},
			{Name: "eof", Arg: opt, Short: 'e'},
			{Name: "replace", Arg: opt, Short: 'i'},
			{Name: "max-lines", Arg: opt, Short: 'l'},
			{Name: "max-args", Arg: req, Short: 'n'},
			{Name: "open-tty", Short: 'o'},
			{Name: "max-procs", Arg: req, Short: 'P'},
			{Name: "process-slot-var", Arg: req},
			{Name: "no-run-if-empty", Short: 'r'},
			{Name: "max-chars", Arg: req, Short: 's'},
			{Name: "verbose", Short: 't'},
			{Name: "exit", Short: 'x'},
		},
		Unsupported: "p", UnsupLong: []string{"interactive", "show-limits"},
	})
	file := "-"
	for _, o := range opts {
		if o.Name == "a" {
			file = o.Arg
			x.stdin = nil
			continue
		}
		x.set(o)
	}
	x.command = operands
	if len(operands) == 0 {
		x.command = []string{"echo"}
	}
	f, err := p.OpenArg(file)
	if err != nil {
		p.Errorf("Cannot open input file %s: %s", quote.Locale(file), sys.Strerror(err))
		return 1
	}
	defer f.Close()
	const buffer = 16 << 10
	x.in = bufio.NewReaderSize(f, buffer)
	return x.run()
}

func (x *xargs) set(o getopt.Option) {
	switch o.Name {
	case "0":
		x.delim = 0
	case "d":
		x.delim = x.delimiter(o.Arg)
	case "E", "e":
		x.eof, x.hasEOF = o.Arg, o.Arg != ""
	case "I", "i":
		x.replace, x.replacing = o.Arg, true
		if o.Arg == "" {
			x.replace = "{}"
		}
		x.args, x.lines = 0, 0
	case "L", "l":
		x.lines = 1
		if o.HasArg {
			x.lines = x.number(o.Arg, o.Name, 1)
		}
		x.args, x.replacing = 0, false
	case "n":
		n := x.number(o.Arg, "n", 1)
		if n == 1 && x.replacing {
			return // -I takes one argument at a time anyway
		}
		x.args, x.lines, x.replacing = n, 0, false
	case "P":
		x.procs = x.number(o.Arg, "P", 0)
		if x.procs == 0 || x.procs > xargsMaxProcs {
			x.procs = xargsMaxProcs
		}
	case "process-slot-var":
		x.slotVar = o.Arg
	case "r":
		x.noEmpty = true
	case "s":
		x.chars = min(x.number(o.Arg, "s", 1), xargsMaxChars)
	case "t":
		x.verbose = true
	case "x":
		x.exit = true
	}
}

func (x *xargs) die(format string, args ...any) {
	x.p.Errorf(format, args...)
	x.p.Exit(1)
}

func (x *xargs) number(s, option string, least int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		x.p.Exit(x.p.Usage(1, "invalid number \"%s\" for -%s option", s, option))
	}
	if n < least {
		x.p.Exit(x.p.Usage(1, "value %s for -%s option should be >= %d", s, option, least))
	}
	return n
}

func (x *xargs) delimiter(s string) int {
	if len(s) == 1 {
		return int(s[0])
	}
	if len(s) > 1 && s[0] == '\\' {
		if at := strings.IndexByte(`abfnrtv\`, s[1]); at >= 0 && len(s) == 2 {
			return int("\a\b\f\n\r\t\v\\"[at])
		}
		base, digits := 8, s[1:]
		if s[1] == 'x' {
			base, digits = 16, s[2:]
		}
		if n, err := strconv.ParseUint(digits, base, 8); err == nil {
			return int(n)
		}
		x.die("Invalid escape sequence %s in input delimiter specification.", s)
	}
	x.die("Invalid input delimiter specification %s: the delimiter must be either a single character or an escape sequence starting with \\.", s)
	return 0
}

func (x *xargs) run() int {
	x.slots = make(chan int, x.procs)
	for i := range x.procs {
		x.slots <- i
	}
	if x.replacing {
		x.exit = true
	}
	for _, a := range x.command {
		x.baseSize += len(a) + 1
	}
	x.size = x.baseSize
	if x.size > x.chars {
		x.die("cannot fit single argument within argument list size limit")
	}
	x.feed()
	if len(x.batch) > 0 || !x.ran && !x.noEmpty && !x.replacing {
		x.flush()
	}
	x.group.Wait()
	x.p.Yield()
	return x.status
}

// feed reads arguments and runs a command whenever there are enough.
func (x *xargs) feed() {
	for !x.stopped() {
		arg, ok := x.next()
		if !ok {
			return
		}
		if x.hasEOF && x.delim < 0 && arg == x.eof {
			return
		}
		if x.replacing {
			x.start(x.replaced(arg))
			continue
		}
		x.add(arg)
	}
}

func (x *xargs) add(arg string) {
	if x.size+len(arg)+1 > x.chars {
		if len(x.batch) == 0 || x.exit && (x.args > 0 || x.lines > 0) {
			x.p.Errorf("argument line too long")
			x.group.Wait()
			x.p.Exit(1)
		}
		x.flush()
	}
	x.batch = append(x.batch, arg)
	x.size += len(arg) + 1
	if x.terminated {
		x.lineCount++
	}
	if x.args > 0 && len(x.batch) == x.args || x.lines > 0 && x.lineCount == x.lines {
		x.flush()
	}
}

func (x *xargs) flush() {
	argv := append(append(make([]string, 0, len(x.command)+len(x.batch)), x.command...), x.batch...)
	x.batch, x.size, x.lineCount = x.batch[:0], x.baseSize, 0
	x.start(argv)
}

func (x *xargs) replaced(arg string) []string {
	argv := make([]string, 0, len(x.command))
	size := 0
	for i, a := range x.command {
		if i > 0 {
			a = strings.ReplaceAll(a, x.replace, arg)
		}
		argv = append(argv, a)
		size += len(a) + 1
	}
	if size > x.chars {
		x.p.Errorf("argument list too long")
		x.group.Wait()
		x.p.Exit(1)
	}
	return argv
}

func (x *xargs) stopped() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.stop
}

// start runs a command line as soon as a slot is free.
func (x *xargs) start(argv []string) {
	x.ran = true
	_ = x.p.Flush()
	if x.verbose {
		_, _ = io.WriteString(x.p.Stderr, verboseLine(argv)+"\n")
	}
	if status, cause := findCommand(x.p, argv[0]); status != 0 {
		x.p.Errorf("%s: %s", argv[0], cause)
		x.group.Wait()
		x.p.Exit(status)
	}
	var slot int
	select {
	case slot = <-x.slots:
	case <-x.p.Ctx.Done():
		x.p.Yield()
		return
	}
	if x.stopped() {
		x.slots <- slot
		return
	}
	spec := command.Spec{Argv: argv, Stdin: x.stdin}
	if x.slotVar != "" {
		vars := unset(x.p.Env.List(), x.slotVar)
		spec.Env = command.Vars(append(vars, x.slotVar+"="+strconv.Itoa(slot)))
	}
	if x.procs == 1 {
		x.finish(argv[0], x.p.Spawn(x.p, spec))
		x.slots <- slot
		return
	}
	x.group.Add(1)
	go func() {
		defer x.group.Done()
		x.finish(argv[0], x.p.Spawn(x.p, spec))
		x.slots <- slot
	}()
}

func verboseLine(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = quote.File(a)
	}
	return strings.Join(words, " ")
}

// finish takes the status of a command into account. 255 stops everything.
func (x *xargs) finish(name string, status int) {
	const stopNow = 255
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case status == 0:
	case status == stopNow:
		x.p.Errorf("%s: exited with status 255; aborting", name)
		x.status, x.stop = statusTimedOut, true
	case x.status == 0:
		x.status = statusSomeFailed
	}
}

// next reads one argument.
func (x *xargs) next() (string, bool) {
	if x.delim >= 0 {
		return x.nextDelimited()
	}
	if x.replacing {
		return x.nextLine()
	}
	return x.nextWord()
}

func (x *xargs) nextDelimited() (string, bool) {
	x.terminated = true
	s, err := x.in.ReadString(byte(x.delim))
	if err != nil {
		return s, s != ""
	}
	return s[:len(s)-1], true
}

// nextWord reads a word; blanks and newlines part words.
func (x *xargs) nextWord() (string, bool) {
	var b strings.Builder
	open := false
	for {
		c, err := x.in.ReadByte()
		switch {
		case err != nil:
			x.terminated = true
			return b.String(), open
		case c == '\n':
			if open {
				x.terminated = true
				return b.String(), true
			}
		case c == ' ' || c == '\t':
			if open {
				x.terminated = x.atLineEnd(c)
				return b.String(), true
			}
		default:
			open = true
			x.char(&b, c)
		}
	}
}

// atLineEnd looks whether only a newline follows. With -L a blank at the end of a line joins it to the next.
func (x *xargs) atLineEnd(byte) bool {
	for {
		next, err := x.in.Peek(1)
		if err != nil {
			return true
		}
		if next[0] != ' ' && next[0] != '\t' {
			if next[0] == '\n' {
				_, _ = x.in.ReadByte()
			}
			return false
		}
		_, _ = x.in.ReadByte()
	}
}

// char takes a character that is not a blank, with what it guards.
func (x *xargs) char(b *strings.Builder, c byte) {
	switch c {
	case '\\':
		if next, err := x.in.ReadByte(); err == nil {
			b.WriteByte(next)
		}
	case '\'', '"':
		for {
			next, err := x.in.ReadByte()
			if err != nil || next == '\n' {
				kind := "single"
				if c == '"' {
					kind = "double"
				}
				// What came before the quote is run first, as GNU's xargs does.
				if len(x.batch) > 0 {
					x.flush()
				}
				x.group.Wait()
				x.die("unmatched %s quote; by default quotes are special to xargs unless you use the -0 option", kind)
			}
			if next == c {
				return
			}
			b.WriteByte(next)
		}
	default:
		b.WriteByte(c)
	}
}

// nextLine reads a line for -I: blanks at its start do not count, empty lines are left out.
func (x *xargs) nextLine() (string, bool) {
	var b strings.Builder
	open := false
	for {
		c, err := x.in.ReadByte()
		switch {
		case err != nil:
			return b.String(), open
		case c == '\n':
			if open {
				return b.String(), true
			}
		case !open && (c == ' ' || c == '\t'):
		default:
			open = true
			x.char(&b, c)
		}
	}
}
