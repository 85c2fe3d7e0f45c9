package text

import (
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
)

const expandHelp = `Usage: expand [OPTION]... [FILE]...
Write the FILEs with tabs replaced by spaces. Without FILE, or where FILE is -, read standard input.

  -i, --initial    only tabs before the first other character
  -t, --tabs=LIST  tab stops: every N columns, or at the columns of LIST; a last /N or +N goes on every N columns
`

const unexpandHelp = `Usage: unexpand [OPTION]... [FILE]...
Write the FILEs with blanks at the start of lines replaced by tabs. Without FILE, or where FILE is -, read standard
input.

  -a, --all         blanks anywhere, where two or more stand before a tab stop
      --first-only  only those at the start of a line, even with -t
  -t, --tabs=LIST   tab stops: every N columns, or at the columns of LIST; a last /N or +N goes on every N columns;
                    implies -a
`

// tabStops are the columns that a tab leads to.
type tabStops struct {
	every  int // when there is no list
	list   []int
	extend int // after the list: every so many columns from 0
	step   int // after the list: every so many columns from its last
}

// next returns the first stop after column; ok is false behind the last one.
func (t *tabStops) next(column int) (stop int, ok bool) {
	if len(t.list) == 0 {
		return column + t.every - column%t.every, true
	}
	for _, s := range t.list {
		if s > column {
			return s, true
		}
	}
	last := t.list[len(t.list)-1]
	switch {
	case t.extend > 0:
		return column + t.extend - column%t.extend, true
	case t.step > 0:
		return column + t.step - (column-last)%t.step, true
	}
	return 0, false
}

type tabParser struct {
	p     *command.Proc
	stops tabStops
}

func (t *tabParser) die(format string, args ...any) {
	t.p.Errorf(format, args...)
	t.p.Exit(1)
}

// parse reads the LIST of -t; several -t add up.
func (t *tabParser) parse(list string) {
	for _, w := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		kind := byte(0)
		digits := w
		if w[0] == '/' || w[0] == '+' {
			kind, digits = w[0], w[1:]
		}
		rest := trimDigits(digits)
		if rest != "" {
			if rest[0] == '/' || rest[0] == '+' {
				t.die("%s specifier not at start of number: %s", quote.Locale(rest[:1]), quote.Locale(rest))
			}
			t.die("tab size contains invalid character(s): %s", quote.Locale(rest))
		}
		if digits == "" {
			continue
		}
		n := atoi(digits)
		if n >= lineEnd {
			t.die("tab stop is too large %s", quote.Locale(digits))
		}
		switch kind {
		case '/':
			t.stops.extend = n
		case '+':
			t.stops.step = n
		default:
			t.add(n)
		}
	}
}

func (t *tabParser) add(n int) {
	if n == 0 {
		t.die("tab size cannot be 0")
	}
	if l := t.stops.list; len(l) > 0 && l[len(l)-1] >= n {
		t.die("tab sizes must be ascending")
	}
	t.stops.list = append(t.stops.list, n)
}

func (t *tabParser) finish() tabStops {
	const usual = 8
	s := t.stops
	if s.extend > 0 && s.step > 0 {
		t.die("'/' specifier is mutually exclusive with '+'")
	}
	switch {
	case len(s.list) == 0:
		if s.extend == 0 && s.step == 0 {
			return tabStops{every: usual}
		}
		return tabStops{every: max(s.extend, s.step)}
	case len(s.list) == 1 && s.extend == 0 && s.step == 0:
		return tabStops{every: s.list[0]}
	}
	return s
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// obsoleteTabs turns -N and -N,M into -t.
func obsoleteTabs(args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 1 && a[0] == '-' && a[1] >= '0' && a[1] <= '9' {
			out = append(out, "-t", a[1:])
			continue
		}
		out = append(out, a)
	}
	return out
}

func expandCommand(p *command.Proc) int {
	p.Args = obsoleteTabs(p.Args)
	opts, operands := p.Options(1, getopt.Spec{
		Short: "it:",
		Long:  []getopt.Long{{Name: "initial", Short: 'i'}, {Name: "tabs", Arg: getopt.Required, Short: 't'}},
	})
	t := tabParser{p: p}
	for _, o := range opts {
		if o.Name == "t" {
			t.parse(o.Arg)
		}
	}
	stops := t.finish()
	initial := hasOption(opts, "i")
	var b []byte
	return eachLine(p, operands, '\n', func(line []byte, terminated bool) {
		b = expandLine(b[:0], line, &stops, initial)
		if terminated {
			b = append(b, '\n')
		}
		_, _ = p.Out().Write(b)
	})
}

func expandLine(b, line []byte, stops *tabStops, initial bool) []byte {
	column := 0
	for i, c := range line {
		switch {
		case c == '\t':
			stop, ok := stops.next(column)
			if !ok {
				stop = column + 1
			}
			for ; column < stop; column++ {
				b = append(b, ' ')
			}
			continue
		case c == '\b':
			column = max(column-1, 0)
		default:
			column++
		}
		b = append(b, c)
		if initial && !isBlank(c) {
			return append(b, line[i+1:]...)
		}
	}
	return b
}

func unexpandCommand(p *command.Proc) int {
	p.Args = obsoleteTabs(p.Args)
	opts, operands := p.Options(1, getopt.Spec{
		Short: "at:",
		Long: []getopt.Long{
			{Name: "all", Short: 'a'}, {Name: "first-only"}, {Name: "tabs", Arg: getopt.Required, Short: 't'},
		},
	})
	t := tabParser{p: p}
	all := false
	for _, o := range opts {
		switch o.Name {
		case "t":
			t.parse(o.Arg)
			all = true
		case "a":
			all = true
		}
	}
	all = all && !hasOption(opts, "first-only")
	u := unexpander{stops: t.finish(), all: all}
	return eachLine(p, operands, '\n', func(line []byte, terminated bool) {
		b := u.line(line)
		if terminated {
			b = append(b, '\n')
		}
		_, _ = p.Out().Write(b)
	})
}

type unexpander struct {
	stops tabStops
	all   bool
	out   []byte

	column    int
	convert   bool
	prevBlank bool
	pending   []byte // blanks that may become a tab
	oneBefore bool   // the first of them stands alone before a tab stop
}

// line replaces runs of blanks. A single space before a tab stop stays a space unless more blanks follow it.
func (u *unexpander) line(line []byte) []byte {
	u.out = u.out[:0]
	u.column, u.convert, u.prevBlank = 0, true, true
	for i, c := range line {
		if !u.convert {
			u.flush()
			u.out = append(u.out, line[i:]...)
			return u.out
		}
		u.char(c)
	}
	u.flush()
	return u.out
}

func (u *unexpander) char(c byte) {
	blank := isBlank(c)
	switch {
	case blank:
		var wait bool
		if c, wait = u.blank(c); wait {
			return
		}
	case c == '\b':
		u.column = max(u.column-1, 0)
	default:
		u.column++
	}
	u.flush()
	u.prevBlank = blank
	u.convert = u.convert && (u.all || blank)
	u.out = append(u.out, c)
}

// blank takes a blank: it is kept for later, or becomes a tab that stands for those kept.
func (u *unexpander) blank(c byte) (now byte, wait bool) {
	stop, ok := u.stops.next(u.column)
	if !ok {
		u.convert = false
		return c, false
	}
	if c == '\t' {
		u.column = stop
	} else {
		u.column++
		if !u.prevBlank || u.column != stop {
			u.oneBefore = u.oneBefore || u.column == stop
			u.pending = append(u.pending, c)
			u.prevBlank = true
			return 0, true
		}
	}
	if len(u.pending) > 0 {
		u.pending[0] = '\t'
	}
	u.pending = u.pending[:min(len(u.pending), boolInt(u.oneBefore))]
	return '\t', false
}

func (u *unexpander) flush() {
	if len(u.pending) > 1 && u.oneBefore {
		u.pending[0] = '\t'
	}
	u.out = append(u.out, u.pending...)
	u.pending, u.oneBefore = u.pending[:0], false
}
