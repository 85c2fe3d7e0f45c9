package system

import (
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

const dateHelp = `Usage: date [OPTION]... [+FORMAT]
Write the time, or the time that an option says, in a FORMAT of strftime.

  -d, --date=STRING          the time that STRING says: 2024-01-31, yesterday 12:00, @0, 2 weeks ago, next friday ...
      --debug                accepted and without effect
  -f, --file=FILE            the times that the lines of FILE say
  -I[WHAT], --iso-8601[=WHAT]  in ISO 8601 form: date (the default), hours, minutes, seconds, ns
      --resolution           write the resolution of the clock
  -R, --rfc-email            as in mail: Mon, 14 Aug 2006 02:34:56 -0600
      --rfc-3339=WHAT        as RFC 3339 has it: date, seconds, ns
  -r, --reference=FILE       the time when FILE was changed last
  -s, --set=STRING           refused: the clock cannot be set
  -u, --utc, --universal     in UTC

The zone is that of the environment variable TZ, UTC when it is not set.
`

const defaultDate = "%a %b %e %H:%M:%S %Z %Y"

type dater struct {
	p      *command.Proc
	loc    *time.Location
	layout string
	now    time.Time
}

func dateCommand(p *command.Proc) int {
	d := dater{p: p, loc: datetime.Location(p.Env), now: time.Now()}
	req, opt := getopt.Required, getopt.Optional
	opts, operands := p.Options(1, getopt.Spec{
		Short: "d:f:I::r:Rs:u",
		Long: []getopt.Long{
			{Name: "date", Arg: req, Short: 'd'},
			{Name: "file", Arg: req, Short: 'f'},
			{Name: "iso-8601", Arg: opt, Short: 'I'},
			{Name: "reference", Arg: req, Short: 'r'},
			{Name: "rfc-822", Short: 'R'},
			{Name: "rfc-2822", Short: 'R'},
			{Name: "rfc-email", Short: 'R'},
			{Name: "rfc-3339", Arg: req},
			{Name: "set", Arg: req, Short: 's'},
			{Name: "utc", Short: 'u'},
			{Name: "uct", Short: 'u'},
			{Name: "universal", Short: 'u'},
			{Name: "resolution"},
			{Name: "debug"},
		},
	})
	source, text, set, hasLayout := "", "", "", false
	layout := func(s string) {
		if hasLayout {
			p.Errorf("multiple output formats specified")
			p.Exit(1)
		}
		d.layout, hasLayout = s, true
	}
	for _, o := range opts {
		switch o.Name {
		case "d", "f", "r", "resolution":
			if source != "" && source != o.Name {
				return p.Usage(1, "the options to specify dates for printing are mutually exclusive")
			}
			source, text = o.Name, o.Arg
		case "I":
			layout(d.isoLayout(o))
		case "R":
			layout("%a, %d %b %Y %H:%M:%S %z")
		case "rfc-3339":
			layout(d.rfc3339(o.Arg))
		case "s":
			set = o.Arg
		case "u":
			d.loc = time.UTC
		}
	}
	switch {
	case source != "" && set != "":
		return p.Usage(1, "the options to print and set the time may not be used together")
	case len(operands) > 1:
		return p.Usage(1, "extra operand %s", quote.Locale(operands[1]))
	case len(operands) == 1 && strings.HasPrefix(operands[0], "+"):
		layout(operands[0][1:])
	case len(operands) == 1 && (source != "" || set != ""):
		return p.Usage(1, "the argument %s lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'", quote.Locale(operands[0]))
	case len(operands) == 1:
		return d.refuse(operands[0], false)
	}
	if !hasLayout {
		d.layout = defaultDate
		if source == "resolution" {
			d.layout = "%s.%N"
		}
	}
	if set != "" {
		return d.refuse(set, true)
	}
	return d.show(source, text)
}

// refuse reports that the clock cannot be set, or that the text is no date.
func (d *dater) refuse(text string, free bool) int {
	if free {
		if _, err := datetime.Parse(text, d.now, d.loc); err != nil {
			d.p.Errorf("invalid date %s", quote.Locale(text))
			return 1
		}
	} else if len(text) < 8 || strings.Trim(text, "0123456789.") != "" {
		d.p.Errorf("invalid date %s", quote.Locale(text))
		return 1
	}
	d.p.Errorf("cannot set date: Operation not permitted")
	return 1
}

func (d *dater) isoLayout(o getopt.Option) string {
	what := "date"
	if o.HasArg {
		what = d.word(o.Arg, "--iso-8601", "hours", "minutes", "date", "seconds", "ns")
	}
	switch what {
	case "hours":
		return "%Y-%m-%dT%H%:z"
	case "minutes":
		return "%Y-%m-%dT%H:%M%:z"
	case "seconds":
		return "%Y-%m-%dT%H:%M:%S%:z"
	case "ns":
		return "%Y-%m-%dT%H:%M:%S,%N%:z"
	}
	return "%Y-%m-%d"
}

func (d *dater) rfc3339(arg string) string {
	switch d.word(arg, "--rfc-3339", "date", "seconds", "ns") {
	case "seconds":
		return "%Y-%m-%d %H:%M:%S%:z"
	case "ns":
		return "%Y-%m-%d %H:%M:%S.%N%:z"
	}
	return "%Y-%m-%d"
}

func (d *dater) word(arg, option string, words ...string) string {
	for _, w := range words {
		if arg != "" && strings.HasPrefix(w, arg) {
			return w
		}
	}
	d.p.Errorf("invalid argument %s for %s", quote.Locale(arg), quote.Locale(option))
	msg := "Valid arguments are:\n"
	for _, w := range words {
		msg += "  - " + quote.Locale(w) + "\n"
	}
	_, _ = d.p.Stderr.Write([]byte(msg + "Try 'date --help' for more information.\n"))
	d.p.Exit(1)
	return ""
}

func (d *dater) show(source, text string) int {
	switch source {
	case "":
		d.print(d.now)
	case "resolution":
		d.print(time.Unix(0, 1))
	case "d":
		if !d.printParsed(text) {
			return 1
		}
	case "r":
		info, err := d.p.Stat(text)
		if err != nil {
			return d.p.Fail(quote.File(text), err)
		}
		d.print(info.Mtime)
	case "f":
		return d.file(text)
	}
	return 0
}

func (d *dater) print(t time.Time) {
	_, _ = d.p.Out().Write(append(strftime.Append(nil, d.layout, t.In(d.loc)), '\n'))
}

func (d *dater) printParsed(text string) bool {
	t, err := datetime.Parse(text, d.now, d.loc)
	if err != nil {
		d.p.Errorf("invalid date %s", quote.Locale(text))
		return false
	}
	d.print(t)
	return true
}

func (d *dater) file(name string) int {
	f, err := d.p.OpenArg(name)
	if err != nil {
		d.p.Errorf("%s: %s", quote.File(name), sys.Strerror(err))
		return 1
	}
	defer f.Close()
	status := 0
	r := lines.New(d.p, f, '\n')
	for {
		line, ok := r.Next()
		if !ok {
			return status
		}
		if !d.printParsed(string(line)) {
			status = 1
		}
	}
}
