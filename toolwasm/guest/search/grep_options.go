package search

import (
	"fmt"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
)

// statusTrouble is grep's exit status after an error; 0 says that a line was selected, 1 that none was.
const statusTrouble = 2

const grepHelp = `Usage: grep [OPTION]... PATTERNS [FILE]...
Print the lines of each FILE that match one of PATTERNS, one a line.

Patterns:
  -G, --basic-regexp         basic regular expressions (the default)
  -E, --extended-regexp      extended regular expressions
  -F, --fixed-strings        strings
  -P, --perl-regexp          Perl's regular expressions
  -e, --regexp=PATTERNS      use PATTERNS; may be given more than once
  -f, --file=FILE            take patterns from FILE
  -i, -y, --ignore-case      letters match in either case
      --no-ignore-case       they do not (the default)
  -w, --word-regexp          match whole words only
  -x, --line-regexp          match whole lines only
  -z, --null-data            lines end in NUL, not newline
Selection and output:
  -v, --invert-match         select the lines that do not match
  -m, --max-count=NUM        stop after NUM selected lines
  -c, --count                print how many lines are selected
  -l, --files-with-matches   print the names of files with selected lines
  -L, --files-without-match  print the names of files without
  -q, --quiet, --silent      print nothing, end at the first selected line
  -o, --only-matching        print the parts that match only
  -n, --line-number          print line numbers
  -b, --byte-offset          print byte offsets
  -H, --with-filename        print file names
  -h, --no-filename          print no file names
      --label=LABEL          name standard input LABEL
  -T, --initial-tab          align lines at a tab
  -Z, --null                 end file names with NUL
  -s, --no-messages          be silent about files that cannot be read
      --line-buffered        write each line at once
      --color[=WHEN]         mark matches: always, never or auto
Context:
  -B, --before-context=NUM   print NUM lines before each selected line
  -A, --after-context=NUM    print NUM lines after
  -C, -NUM, --context=NUM    print NUM lines around
      --group-separator=SEP  print SEP between groups of lines
      --no-group-separator   print nothing between them
Files:
  -r, --recursive            search directories
  -R, --dereference-recursive
                             search directories and follow links
  -d, --directories=ACTION   read, recurse or skip directories
  -D, --devices=ACTION       read or skip devices
      --include=GLOB         search files whose names match only
      --exclude=GLOB         leave out files whose names match
      --exclude-from=FILE    leave out files that match a glob in FILE
      --exclude-dir=GLOB     leave out directories whose names match
  -a, --text                 take binary files for text
  -I                         take binary files for files without a match
      --binary-files=TYPE    binary, text or without-match
  -U, --binary               accepted; lines are never changed
Exit status: 0 when a line is selected, 1 when none is, 2 after an error.
`

// dialect is the kind of the patterns.
type dialect uint8

const (
	basic dialect = iota
	extended
	fixed
	perl
)

// listing says which file names are printed in place of lines.
type listing uint8

const (
	listNone listing = iota
	listMatching
	listOthers
)

// directories says what is done with one.
type directories uint8

const (
	dirRead directories = iota
	dirRecurse
	dirSkip
)

// binaryFiles says how a binary file is taken.
type binaryFiles uint8

const (
	binaryMessage binaryFiles = iota
	binaryText
	binaryWithout
)

// unlimited is the value of maxCount when there is no limit.
const unlimited = -1

// grepOptions is what the command line asks for.
type grepOptions struct {
	dialect      dialect
	chosen       bool // by an option or the command's name
	patterns     []string
	havePatterns bool
	ignoreCase   bool
	word, line   bool
	null         bool
	invert       bool
	maxCount     int
	count        bool
	list         listing
	quiet        bool
	only         bool
	number       bool
	offset       bool
	names        int // -1 never, 1 always, 0 when there is more than one file
	label        string
	tab          bool
	nameNull     bool
	silent       bool
	flush        bool
	color        bool
	context      bool // context was asked for, be it of no lines: groups are separated
	before       int
	after        int
	separator    string
	noSeparator  bool
	dirs         directories
	follow       bool
	skipDevices  bool
	binary       binaryFiles
	filters      filters
}

var grepLong = []getopt.Long{
	{Name: "basic-regexp", Short: 'G'},
	{Name: "extended-regexp", Short: 'E'},
	{Name: "fixed-regexp", Short: 'F'},
	{Name: "fixed-strings", Short: 'F'},
	{Name: "perl-regexp", Short: 'P'},
	{Name: "after-context", Arg: getopt.Required, Short: 'A'},
	{Name: "before-context", Arg: getopt.Required, Short: 'B'},
	{Name: "context", Arg: getopt.Required, Short: 'C'},
	{Name: "binary-files", Arg: getopt.Required},
	{Name: "binary", Short: 'U'},
	{Name: "byte-offset", Short: 'b'},
	{Name: "color", Arg: getopt.Optional},
	{Name: "colour", Arg: getopt.Optional},
	{Name: "count", Short: 'c'},
	{Name: "devices", Arg: getopt.Required, Short: 'D'},
	{Name: "directories", Arg: getopt.Required, Short: 'd'},
	{Name: "exclude", Arg: getopt.Required},
	{Name: "exclude-dir", Arg: getopt.Required},
	{Name: "exclude-from", Arg: getopt.Required},
	{Name: "file", Arg: getopt.Required, Short: 'f'},
	{Name: "files-with-matches", Short: 'l'},
	{Name: "files-without-match", Short: 'L'},
	{Name: "group-separator", Arg: getopt.Required},
	{Name: "help"},
	{Name: "include", Arg: getopt.Required},
	{Name: "ignore-case", Short: 'i'},
	{Name: "no-ignore-case"},
	{Name: "initial-tab", Short: 'T'},
	{Name: "label", Arg: getopt.Required},
	{Name: "line-buffered"},
	{Name: "line-number", Short: 'n'},
	{Name: "line-regexp", Short: 'x'},
	{Name: "max-count", Arg: getopt.Required, Short: 'm'},
	{Name: "no-filename", Short: 'h'},
	{Name: "no-group-separator"},
	{Name: "no-messages", Short: 's'},
	{Name: "null", Short: 'Z'},
	{Name: "null-data", Short: 'z'},
	{Name: "only-matching", Short: 'o'},
	{Name: "quiet", Short: 'q'},
	{Name: "recursive", Short: 'r'},
	{Name: "dereference-recursive", Short: 'R'},
	{Name: "regexp", Arg: getopt.Required, Short: 'e'},
	{Name: "invert-match", Short: 'v'},
	{Name: "silent", Short: 'q'},
	{Name: "text", Short: 'a'},
	{Name: "unix-byte-offsets", Short: 'u'},
	{Name: "version", Short: 'V'},
	{Name: "with-filename", Short: 'H'},
	{Name: "word-regexp", Short: 'w'},
}

// grepSpec is made on each call: packages hold no state.
func grepSpec() getopt.Spec {
	return getopt.Spec{
		Short:  "GEFPA:B:C:D:d:e:f:m:HILTUVZabchilnoqRrsuvwxyz",
		Long:   grepLong,
		Digits: true,
	}
}

func parseGrep(p *command.Proc, d dialect, dirs directories) (*grepOptions, []string) {
	opts, operands := p.Options(statusTrouble, grepSpec())
	o := &grepOptions{dialect: d, dirs: dirs, chosen: d != basic, maxCount: unlimited, label: "(standard input)", separator: "--"}
	context := -1
	digits := "" // -1 -2 is context 12, as getopt gives it digit by digit
	before, after := -1, -1
	for _, opt := range opts {
		switch opt.Name {
		case "A":
			after = contextLength(p, opt.Arg)
		case "B":
			before = contextLength(p, opt.Arg)
		case "C":
			context = contextLength(p, opt.Arg)
		case "NUM":
			digits += opt.Arg
			context = contextLength(p, digits)
		case "e":
			o.addPatterns(opt.Arg)
		case "f":
			o.patternFile(p, opt.Arg)
		case "V":
			fmt.Fprint(p.Out(), "grep (GNU grep) 3.8 compatible\n")
			p.Exit(0)
		case "help":
			fmt.Fprint(p.Out(), grepHelp)
			p.Exit(0)
		case "G", "E", "F", "P":
			o.choose(p, opt.Name)
		default:
			if !o.flag(opt.Name) {
				o.valued(p, opt)
			}
		}
	}
	if context >= 0 {
		o.before, o.after = context, context
	}
	if before >= 0 {
		o.before = before
	}
	if after >= 0 {
		o.after = after
	}
	o.context = context >= 0 || before >= 0 || after >= 0
	if !o.havePatterns {
		if len(operands) == 0 {
			_ = p.Flush()
			fmt.Fprintf(p.Stderr, "Usage: %s [OPTION]... PATTERNS [FILE]...\nTry '%s --help' for more information.\n", p.Name, p.Name)
			p.Exit(statusTrouble)
		}
		o.addPatterns(operands[0])
		operands = operands[1:]
	}
	o.settle()
	return o, operands
}

// settle resolves options that decide about others.
func (o *grepOptions) settle() {
	if o.list != listNone || o.quiet {
		o.count = false
	}
	if o.list != listNone || o.quiet || o.count {
		o.before, o.after, o.context = 0, 0, false
	}
}

// choose sets the dialect, which can only be done once.
func (o *grepOptions) choose(p *command.Proc, name string) {
	d := map[string]dialect{"G": basic, "E": extended, "F": fixed, "P": perl}[name]
	if o.chosen && d != o.dialect {
		p.Errorf("conflicting matchers specified")
		p.Exit(statusTrouble)
	}
	o.dialect, o.chosen = d, true
}

// flag handles options without an argument.
func (o *grepOptions) flag(name string) bool {
	switch name {
	case "i", "y":
		o.ignoreCase = true
	case "no-ignore-case":
		o.ignoreCase = false
	case "w":
		o.word = true
	case "x":
		o.line = true
	case "z":
		o.null = true
	case "v":
		o.invert = true
	case "c":
		o.count = true
	case "l":
		o.list = listMatching
	case "L":
		o.list = listOthers
	case "q":
		o.quiet = true
	case "o":
		o.only = true
	case "n":
		o.number = true
	case "b":
		o.offset = true
	case "H":
		o.names = 1
	case "h":
		o.names = -1
	case "T":
		o.tab = true
	case "Z":
		o.nameNull = true
	case "s":
		o.silent = true
	case "line-buffered":
		o.flush = true
	case "no-group-separator":
		o.noSeparator = true
	case "r":
		o.dirs, o.follow = dirRecurse, false
	case "R":
		o.dirs, o.follow = dirRecurse, true
	case "a":
		o.binary = binaryText
	case "I":
		o.binary = binaryWithout
	case "U", "u":
	default:
		return false
	}
	return true
}

// valued handles options with an argument.
func (o *grepOptions) valued(p *command.Proc, opt getopt.Option) {
	switch opt.Name {
	case "m":
		n, ok := parseCount(opt.Arg)
		if !ok {
			p.Errorf("invalid max count")
			p.Exit(statusTrouble)
		}
		o.maxCount = n
	case "label":
		o.label = opt.Arg
	case "group-separator":
		o.separator, o.noSeparator = opt.Arg, false
	case "color", "colour":
		switch opt.Arg {
		case "always", "yes", "force":
			o.color = true
		case "never", "no", "none", "", "auto", "tty", "if-tty":
			o.color = false // standard output is never a terminal here
		default:
			p.Exit(p.Usage(statusTrouble, "invalid argument '%s' for '--color'", opt.Arg))
		}
	case "binary-files":
		switch opt.Arg {
		case "binary":
			o.binary = binaryMessage
		case "text":
			o.binary = binaryText
		case "without-match":
			o.binary = binaryWithout
		default:
			p.Errorf("unknown binary-files type")
			p.Exit(statusTrouble)
		}
	case "d":
		switch opt.Arg {
		case "read":
			o.dirs = dirRead
		case "recurse":
			o.dirs = dirRecurse
		case "skip":
			o.dirs = dirSkip
		default:
			p.Exit(p.Usage(statusTrouble, "invalid argument '%s' for '--directories'", opt.Arg))
		}
	case "D":
		switch opt.Arg {
		case "read", "skip":
			o.skipDevices = opt.Arg == "skip"
		default:
			p.Errorf("unknown devices method")
			p.Exit(statusTrouble)
		}
	case "include", "exclude", "exclude-dir":
		if err := o.filters.add(opt.Name, opt.Arg); err != nil {
			p.Errorf("%s: %v", opt.Arg, err)
			p.Exit(statusTrouble)
		}
	case "exclude-from":
		text, err := p.ReadFile(opt.Arg)
		if err != nil {
			p.Exit(max(p.Fail(opt.Arg, err), statusTrouble))
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" {
				_ = o.filters.add("exclude", line)
			}
		}
	}
}

func (o *grepOptions) addPatterns(list string) {
	o.havePatterns = true
	o.patterns = append(o.patterns, strings.Split(list, "\n")...)
}

func (o *grepOptions) patternFile(p *command.Proc, name string) {
	text, err := p.ReadFile(name)
	if err != nil {
		p.Errorf("%s: %s", name, sys.Strerror(err))
		p.Exit(statusTrouble)
	}
	o.havePatterns = true
	if len(text) == 0 {
		return
	}
	o.addPatterns(strings.TrimSuffix(string(text), "\n"))
}

func contextLength(p *command.Proc, arg string) int {
	n, ok := parseCount(arg)
	if !ok || n < 0 {
		p.Errorf("%s: invalid context length argument", arg)
		p.Exit(statusTrouble)
	}
	return n
}

// parseCount reads a number; one too large for any use counts as the largest.
func parseCount(arg string) (int, bool) {
	n, err := strconv.Atoi(arg)
	if err == nil {
		return max(n, unlimited), true
	}
	if strings.Trim(arg, "0123456789") == "" && arg != "" {
		const huge = 1 << 40
		return huge, true
	}
	return 0, false
}
