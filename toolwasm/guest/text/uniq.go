package text

import (
	"bytes"
	"strconv"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/text/lines"
)

const uniqHelp = `Usage: uniq [OPTION]... [INPUT [OUTPUT]]
Write the lines of INPUT (or standard input) to OUTPUT (or standard output), of equal lines in a row only the first.

  -c, --count                 write how often each line came before it
  -d, --repeated              only lines that came more than once
  -D, --all-repeated[=HOW]    all lines that came more than once; HOW parts the groups by an empty line:
                              none, prepend, separate
  -f, --skip-fields=N         do not compare the first N fields
      --group[=HOW]           all lines, the groups parted: separate, prepend, append, both
  -i, --ignore-case           capitals and small letters are the same
  -s, --skip-chars=N          do not compare the first N characters
  -u, --unique                only lines that came once
  -w, --check-chars=N         compare at most N characters
  -z, --zero-terminated       lines end with NUL
`

type uniqOptions struct {
	count, repeated, unique, fold bool
	all                           bool // -D and --group: write every line of a group
	group                         bool
	how                           string
	fields, skip, check           int
	delim                         byte
}

func uniqCommand(p *command.Proc) int {
	o := uniqOptions{check: -1, delim: '\n'}
	p.Args = obsoleteUniq(p.Args)
	opts, operands := p.Options(1, getopt.Spec{
		Short: "cdDf:is:uw:z",
		Long: []getopt.Long{
			{Name: "count", Short: 'c'},
			{Name: "repeated", Short: 'd'},
			{Name: "all-repeated", Arg: getopt.Optional, Short: 'D'},
			{Name: "skip-fields", Arg: getopt.Required, Short: 'f'},
			{Name: "group", Arg: getopt.Optional},
			{Name: "ignore-case", Short: 'i'},
			{Name: "skip-chars", Arg: getopt.Required, Short: 's'},
			{Name: "unique", Short: 'u'},
			{Name: "check-chars", Arg: getopt.Required, Short: 'w'},
			{Name: "zero-terminated", Short: 'z'},
		},
	})
	for _, opt := range opts {
		o.set(p, opt)
	}
	if len(operands) > 2 {
		return p.Usage(1, "extra operand %s", quote.Locale(operands[2]))
	}
	if o.group && (o.count || o.repeated || o.unique) {
		return p.Usage(1, "--group is mutually exclusive with -c/-d/-D/-u")
	}
	if o.all && o.count && !o.group {
		return p.Usage(1, "printing all duplicated lines and repeat counts is meaningless")
	}
	return o.run(p, operands)
}

// obsoleteUniq turns -N and +N, which skip fields and characters, into options.
func obsoleteUniq(args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		digits := len(a) > 1 && len(trimDigits(a[1:])) == 0
		switch {
		case digits && a[0] == '-':
			out = append(out, "-f", a[1:])
		case digits && a[0] == '+':
			out = append(out, "-s", a[1:])
		default:
			out = append(out, a)
		}
	}
	return out
}

func trimDigits(s string) string {
	for s != "" && s[0] >= '0' && s[0] <= '9' {
		s = s[1:]
	}
	return s
}

func (o *uniqOptions) set(p *command.Proc, opt getopt.Option) {
	switch opt.Name {
	case "c":
		o.count = true
	case "d":
		o.repeated = true
	case "D":
		o.repeated, o.all = true, true
		o.how = choice(p, opt, "--all-repeated", "none", "none", "prepend", "separate")
	case "group":
		o.group, o.all = true, true
		o.how = choice(p, opt, "--group", "separate", "prepend", "append", "separate", "both")
	case "f":
		o.fields = uniqNumber(p, opt.Arg, "invalid number of fields to skip")
	case "i":
		o.fold = true
	case "s":
		o.skip = uniqNumber(p, opt.Arg, "invalid number of bytes to skip")
	case "u":
		o.unique = true
	case "w":
		o.check = uniqNumber(p, opt.Arg, "invalid number of bytes to compare")
	case "z":
		o.delim = 0
	}
}

// choice checks the argument of an option against the words it may be, which may be abbreviated.
func choice(p *command.Proc, o getopt.Option, option, absent string, words ...string) string {
	if !o.HasArg {
		return absent
	}
	found := ""
	for _, w := range words {
		if w == o.Arg {
			return w
		}
		if o.Arg != "" && len(o.Arg) < len(w) && w[:len(o.Arg)] == o.Arg {
			found = w
		}
	}
	if found != "" {
		return found
	}
	_ = p.Flush()
	p.Errorf("invalid argument %s for %s", quote.Locale(o.Arg), quote.Locale(option))
	msg := "Valid arguments are:\n"
	for _, w := range words {
		msg += "  - " + quote.Locale(w) + "\n"
	}
	_, _ = p.Stderr.Write([]byte(msg + "Try '" + p.Name + " --help' for more information.\n"))
	p.Exit(1)
	return ""
}

func uniqNumber(p *command.Proc, s, msg string) int {
	if s == "" || trimDigits(s) != "" {
		p.Errorf("%s: %s", s, msg)
		p.Exit(1)
	}
	const largest = 1 << 40
	n, err := strconv.Atoi(s)
	if err != nil {
		return largest
	}
	return n
}

// key is the part of a line that is compared.
func (o *uniqOptions) key(line []byte) []byte {
	for range o.fields {
		i := 0
		for i < len(line) && (isBlank(line[i]) || line[i] == '\n') {
			i++
		}
		for i < len(line) && !isBlank(line[i]) && line[i] != '\n' {
			i++
		}
		line = line[i:]
		if len(line) == 0 {
			break
		}
	}
	line = line[min(o.skip, len(line)):]
	if o.check >= 0 {
		line = line[:min(o.check, len(line))]
	}
	return line
}

func (o *uniqOptions) equal(a, b []byte) bool {
	if !o.fold {
		return bytes.Equal(a, b)
	}
	return equalFold(a, b)
}

func equalFold(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if c != b[i] && lowerByte(c) != lowerByte(b[i]) {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func (o *uniqOptions) run(p *command.Proc, operands []string) int {
	in := "-"
	if len(operands) > 0 {
		in = operands[0]
	}
	f, err := p.OpenArg(in)
	if err != nil {
		return fail(p, in, err)
	}
	defer f.Close()
	w := uniqWriter{o: o, out: p.Out()}
	var file *outputFile
	if len(operands) > 1 && operands[1] != "-" {
		file, err = newOutputFile(p, operands[1])
		if err != nil {
			return fail(p, operands[1], err)
		}
		w.out = file.buf
	}
	r := lines.New(p, f, o.delim)
	if o.plain() {
		o.scanPlain(r, &w)
	} else {
		o.scan(r, &w)
	}
	if file != nil {
		if err := file.close(); err != nil {
			return fail(p, operands[1], err)
		}
	}
	if err := r.Err(); err != nil {
		return p.Fail("error reading "+quote.Always(in), err)
	}
	return 0
}

// plain reports whether whole lines are compared and only one line of a group is written.
func (o *uniqOptions) plain() bool {
	return !o.all && !o.fold && o.fields == 0 && o.skip == 0 && o.check < 0
}

// scanPlain is scan for the plain options: it works on blocks, and copies a line only when it is the last of its block.
func (o *uniqOptions) scanPlain(r *lines.Reader, w *uniqWriter) {
	var held, prev []byte
	out := make([]byte, 0, copyBuffer)
	n := 0
	for {
		block, ok := r.NextBlock()
		if !ok {
			break
		}
		for len(block) > 0 {
			line, rest := block, []byte(nil)
			if i := bytes.IndexByte(block, o.delim); i >= 0 {
				line, rest = block[:i], block[i+1:]
			}
			block = rest
			if n > 0 && len(line) == len(prev) && bytes.Equal(line, prev) {
				n++
				continue
			}
			if n > 0 {
				out = o.appendGroup(out, prev, n)
			}
			prev, n = line, 1
		}
		held = append(held[:0], prev...)
		prev = held
		_, _ = w.out.Write(out)
		out = out[:0]
	}
	if n > 0 {
		_, _ = w.out.Write(o.appendGroup(out, prev, n))
	}
}

// appendGroup appends what is written of a group of n equal lines.
func (o *uniqOptions) appendGroup(out, line []byte, n int) []byte {
	if o.repeated && n == 1 || o.unique && n > 1 {
		return out
	}
	if o.count {
		const width = 7
		out = append(appendPadded(out, n, width), ' ')
	}
	return append(append(out, line...), o.delim)
}

// scan groups equal lines. Only the first of a group is kept.
func (o *uniqOptions) scan(r *lines.Reader, w *uniqWriter) {
	first, ok := r.Next()
	if !ok {
		return
	}
	held := append(make([]byte, 0, 256), first...)
	key := o.key(held)
	n := 1
	for {
		line, ok := r.Next()
		if !ok {
			break
		}
		if k := o.key(line); len(k) == len(key) && o.equal(k, key) {
			n++
			if o.all {
				w.member(held)
				held = append(held[:0], line...)
				key = o.key(held)
			}
			continue
		}
		w.end(held, n)
		held = append(held[:0], line...)
		key = o.key(held)
		n = 1
	}
	w.end(held, n)
	w.finish()
}

// uniqWriter writes groups of equal lines.
type uniqWriter struct {
	o      *uniqOptions
	out    byteWriter
	groups int
	open   bool // members of the current group have been written

	scratch []byte
}

type byteWriter interface {
	Write(b []byte) (int, error)
	WriteByte(c byte) error
}

// member writes one line of a group that is not its last.
func (w *uniqWriter) member(line []byte) {
	w.part()
	w.line(line)
}

// part writes the empty line that stands before a group.
func (w *uniqWriter) part() {
	if w.open {
		return
	}
	w.open = true
	if w.o.how == "prepend" || w.o.how == "both" || w.groups > 0 && (w.o.how == "separate" || w.o.how == "append") {
		_ = w.out.WriteByte(w.o.delim)
	}
	w.groups++
}

func (w *uniqWriter) line(line []byte) {
	_, _ = w.out.Write(line)
	_ = w.out.WriteByte(w.o.delim)
}

// end writes the last line of a group of n.
func (w *uniqWriter) end(line []byte, n int) {
	defer func() { w.open = false }()
	o := w.o
	if o.all {
		if o.group || n > 1 && !o.unique {
			w.member(line)
		}
		return
	}
	w.scratch = o.appendGroup(w.scratch[:0], line, n)
	_, _ = w.out.Write(w.scratch)
}

func (w *uniqWriter) finish() {
	if w.o.group && w.groups > 0 && (w.o.how == "append" || w.o.how == "both") {
		_ = w.out.WriteByte(w.o.delim)
	}
}
