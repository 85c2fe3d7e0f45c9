package search

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
)

const rgHelp = `Usage: rg [OPTION]... PATTERN [PATH]...
       rg [OPTION]... -e PATTERN... [PATH]...
       rg --files [OPTION]... [PATH]...
Search directories for lines that match a regular expression; hidden, ignored and binary files are left out.

Patterns:
  -e, --regexp PATTERN       search for PATTERN; may be given more than once
  -f, --file FILE            take patterns from FILE
  -F, --fixed-strings        patterns are strings
  -P, --pcre2                patterns are Perl's
  -i, --ignore-case          letters match in either case
  -S, --smart-case           they do when the pattern has no capital
  -s, --case-sensitive       they do not (the default)
  -w, --word-regexp          match whole words
  -x, --line-regexp          match whole lines
  -U, --multiline            matches may span lines
      --multiline-dotall     and . matches a newline
  -v, --invert-match         select the lines that do not match
Files:
  -g, --glob GLOB            search what GLOB names, or with ! leave it out
      --iglob GLOB           the same in either case
  -t, --type TYPE            search files of a type; -T, --type-not leaves them out
      --type-list            print the types
      --type-add SPEC        add a glob to a type, as NAME:GLOB
  -., --hidden               search hidden files
      --no-ignore            search ignored files (also --no-ignore-vcs, --no-ignore-dot, --no-ignore-parent)
      --ignore-file FILE     take ignore rules from FILE
  -u, -uu, -uuu              --no-ignore; with --hidden; with --binary
      --binary               search binary files;  -a, --text takes them for text
  -L, --follow               follow symbolic links
  -d, --max-depth NUM        go no deeper
      --max-filesize NUM     leave out larger files (K, M and G are understood)
      --files                print the files that would be searched
      --sort KEY, --sortr KEY  path, modified, accessed, created or none; the order is always the path's unless asked otherwise
Output:
  -n, --line-number; -N, --no-line-number
  -H, --with-filename; -I, --no-filename
  -A, -B, -C NUM             lines of context after, before, around
  -c, --count                the number of matching lines of each file
      --count-matches        the number of matches
  -l, --files-with-matches; --files-without-match
  -o, --only-matching        print the matches only
  -r, --replace TEXT         print TEXT for each match; $1 and $name are groups
  -m, --max-count NUM        at most NUM lines of each file
  -q, --quiet                print nothing
  -b, --byte-offset; --column; --vimgrep; --trim; --passthru
      --heading, --no-heading, -p, --pretty
  -M, --max-columns NUM      leave out longer lines
      --color WHEN           always or never
  -0, --null                 end file names with NUL
      --json                 print JSON messages
      --stats                print statistics
Exit status: 0 when something matched, 1 when not, 2 after an error.
`

// rgOptions is what the command line asks for.
type rgOptions struct {
	patterns     []string
	fixed, perl  bool
	ignoreCase   bool
	word, line   bool
	multiline    bool
	dotAll       bool
	invert       bool
	walk         walkOptions
	text         bool // binary files are text
	binary       bool // binary files are searched wherever they were found
	listFiles    bool
	typeList     bool
	number       bool
	names        int // -1 never, 1 always, 0 by what is searched
	before       int
	after        int
	count        bool
	countMatches bool
	list         listing
	only         bool
	replace      *string
	maxCount     int
	quiet        bool
	offset       bool
	column       bool
	vimgrep      bool
	trim         bool
	passthru     bool
	heading      bool
	maxColumns   int
	color        bool
	null         bool
	json         bool
	stats        bool
	silent       bool
	separator    string
	noSeparator  bool
}

var rgLong = []getopt.Long{
	{Name: "regexp", Arg: getopt.Required, Short: 'e'},
	{Name: "file", Arg: getopt.Required, Short: 'f'},
	{Name: "fixed-strings", Short: 'F'},
	{Name: "no-fixed-strings"},
	{Name: "pcre2", Short: 'P'},
	{Name: "no-pcre2"},
	{Name: "engine", Arg: getopt.Required},
	{Name: "ignore-case", Short: 'i'},
	{Name: "smart-case", Short: 'S'},
	{Name: "case-sensitive", Short: 's'},
	{Name: "word-regexp", Short: 'w'},
	{Name: "line-regexp", Short: 'x'},
	{Name: "multiline", Short: 'U'},
	{Name: "no-multiline"},
	{Name: "multiline-dotall"},
	{Name: "invert-match", Short: 'v'},
	{Name: "glob", Arg: getopt.Required, Short: 'g'},
	{Name: "iglob", Arg: getopt.Required},
	{Name: "glob-case-insensitive"},
	{Name: "type", Arg: getopt.Required, Short: 't'},
	{Name: "type-not", Arg: getopt.Required, Short: 'T'},
	{Name: "type-list"},
	{Name: "type-add", Arg: getopt.Required},
	{Name: "type-clear", Arg: getopt.Required},
	{Name: "hidden", Short: '.'},
	{Name: "no-hidden"},
	{Name: "no-ignore"},
	{Name: "ignore"},
	{Name: "no-ignore-vcs"},
	{Name: "no-ignore-dot"},
	{Name: "no-ignore-parent"},
	{Name: "no-ignore-global"},
	{Name: "no-ignore-exclude"},
	{Name: "no-ignore-files"},
	{Name: "no-ignore-messages"},
	{Name: "no-require-git"},
	{Name: "ignore-file", Arg: getopt.Required},
	{Name: "unrestricted", Short: 'u'},
	{Name: "binary"},
	{Name: "no-binary"},
	{Name: "text", Short: 'a'},
	{Name: "follow", Short: 'L'},
	{Name: "max-depth", Arg: getopt.Required, Short: 'd'},
	{Name: "maxdepth", Arg: getopt.Required, Short: 'd'},
	{Name: "max-filesize", Arg: getopt.Required},
	{Name: "one-file-system"},
	{Name: "files"},
	{Name: "sort", Arg: getopt.Required},
	{Name: "sortr", Arg: getopt.Required},
	{Name: "sort-files"},
	{Name: "line-number", Short: 'n'},
	{Name: "no-line-number", Short: 'N'},
	{Name: "with-filename", Short: 'H'},
	{Name: "no-filename", Short: 'I'},
	{Name: "after-context", Arg: getopt.Required, Short: 'A'},
	{Name: "before-context", Arg: getopt.Required, Short: 'B'},
	{Name: "context", Arg: getopt.Required, Short: 'C'},
	{Name: "count", Short: 'c'},
	{Name: "count-matches"},
	{Name: "files-with-matches", Short: 'l'},
	{Name: "files-without-match"},
	{Name: "only-matching", Short: 'o'},
	{Name: "replace", Arg: getopt.Required, Short: 'r'},
	{Name: "max-count", Arg: getopt.Required, Short: 'm'},
	{Name: "quiet", Short: 'q'},
	{Name: "byte-offset", Short: 'b'},
	{Name: "column"},
	{Name: "no-column"},
	{Name: "vimgrep"},
	{Name: "trim"},
	{Name: "passthru"},
	{Name: "passthrough"},
	{Name: "heading"},
	{Name: "no-heading"},
	{Name: "pretty", Short: 'p'},
	{Name: "max-columns", Arg: getopt.Required, Short: 'M'},
	{Name: "color", Arg: getopt.Required},
	{Name: "colors", Arg: getopt.Required},
	{Name: "null", Short: '0'},
	{Name: "json"},
	{Name: "stats"},
	{Name: "no-messages"},
	{Name: "context-separator", Arg: getopt.Required},
	{Name: "no-context-separator"},
	{Name: "no-config"},
	{Name: "line-buffered"},
	{Name: "block-buffered"},
	{Name: "mmap"},
	{Name: "no-mmap"},
	{Name: "threads", Arg: getopt.Required, Short: 'j'},
	{Name: "no-unicode"},
	{Name: "help", Short: 'h'},
	{Name: "version", Short: 'V'},
}

func rgSpec() getopt.Spec {
	return getopt.Spec{
		Short:       "e:f:FPiSswxUvg:t:T:.uaLd:nNHIA:B:C:clor:m:qbpM:0j:hV",
		Long:        rgLong,
		Unsupported: "zE",
		UnsupLong: []string{
			"search-zip", "encoding", "pre", "pre-glob", "crlf", "null-data", "hyperlink-format", "debug", "trace",
			"generate", "hostname-bin", "path-separator", "field-match-separator", "field-context-separator",
		},
	}
}

func parseRg(p *command.Proc) (*rgOptions, []string) {
	opts, operands := p.Options(statusTrouble, rgSpec())
	o := &rgOptions{maxCount: unlimited, separator: "--"}
	o.walk = walkOptions{maxDepth: math.MaxInt, maxSize: math.MaxInt64}
	smart := false
	for _, opt := range opts {
		switch opt.Name {
		case "i":
			o.ignoreCase, smart = true, false
		case "S":
			o.ignoreCase, smart = false, true
		case "s":
			o.ignoreCase, smart = false, false
		case "h":
			fmt.Fprint(p.Out(), rgHelp)
			p.Exit(0)
		case "V":
			fmt.Fprint(p.Out(), "ripgrep 14.1 compatible\n")
			p.Exit(0)
		default:
			if !o.flag(opt.Name) && !o.display(opt.Name) && !o.walk.flag(opt.Name) {
				o.valued(p, opt)
			}
		}
	}
	if o.patterns == nil && !o.listFiles && !o.typeList {
		if len(operands) == 0 {
			p.Exit(p.Usage(statusTrouble, "the following required arguments were not provided: PATTERN"))
		}
		o.patterns, operands = operands[:1], operands[1:]
	}
	if smart {
		o.ignoreCase = !hasCapital(o.patterns)
	}
	o.settle()
	return o, operands
}

// settle resolves options that decide about others.
func (o *rgOptions) settle() {
	if o.only && o.count {
		o.count, o.countMatches = false, true
	}
	if o.vimgrep {
		o.column, o.number, o.names = true, true, 1
	}
	if o.column {
		o.number = true
	}
	if o.list != listNone || o.quiet || o.count || o.countMatches {
		o.before, o.after = 0, 0
	}
}

// hasCapital reports whether a pattern has a capital letter that stands for itself.
func hasCapital(patterns []string) bool {
	for _, p := range patterns {
		escaped := false
		for _, r := range p {
			if !escaped && unicode.IsUpper(r) {
				return true
			}
			escaped = r == '\\' && !escaped
		}
	}
	return false
}

func (o *rgOptions) flag(name string) bool {
	switch name {
	case "F":
		o.fixed = true
	case "no-fixed-strings":
		o.fixed = false
	case "P":
		o.perl = true
	case "no-pcre2":
		o.perl = false
	case "w":
		o.word = true
	case "x":
		o.line = true
	case "U":
		o.multiline = true
	case "no-multiline":
		o.multiline = false
	case "multiline-dotall":
		o.dotAll = true
	case "v":
		o.invert = true
	case "a":
		o.text = true
	case "binary":
		o.binary = true
	case "no-binary":
		o.binary = false
	case "u":
		switch {
		case !o.walk.noIgnore:
			o.walk.noIgnore = true
		case !o.walk.hidden:
			o.walk.hidden = true
		default:
			o.binary = true
		}
	case "files":
		o.listFiles = true
	case "type-list":
		o.typeList = true
	default:
		return false
	}
	return true
}

// display handles options about the output.
func (o *rgOptions) display(name string) bool {
	switch name {
	case "n":
		o.number = true
	case "N":
		o.number = false
	case "H":
		o.names = 1
	case "I":
		o.names = -1
	case "c":
		o.count = true
	case "count-matches":
		o.countMatches = true
	case "l":
		o.list = listMatching
	case "files-without-match":
		o.list = listOthers
	case "o":
		o.only = true
	case "q":
		o.quiet = true
	case "b":
		o.offset = true
	case "column":
		o.column = true
	case "no-column":
		o.column = false
	case "vimgrep":
		o.vimgrep = true
	case "trim":
		o.trim = true
	case "passthru", "passthrough":
		o.passthru = true
	case "heading":
		o.heading = true
	case "no-heading":
		o.heading = false
	case "p":
		o.heading, o.number, o.color = true, true, true
	case "0":
		o.null = true
	case "json":
		o.json = true
	case "stats":
		o.stats = true
	case "no-messages":
		o.silent = true
	case "no-context-separator":
		o.noSeparator = true
	case "no-config", "line-buffered", "block-buffered", "mmap", "no-mmap", "no-unicode", "no-ignore-messages", "one-file-system":
	default:
		return false
	}
	return true
}

func (o *rgOptions) valued(p *command.Proc, opt getopt.Option) {
	number := func() int {
		n, err := strconv.Atoi(opt.Arg)
		if err != nil || n < 0 {
			p.Exit(p.Usage(statusTrouble, "error parsing flag --%s: value is not a valid number: %s", opt.Name, opt.Arg))
		}
		return n
	}
	switch opt.Name {
	case "e":
		o.patterns = append(o.patterns, opt.Arg)
	case "f":
		text, err := p.ReadFile(opt.Arg)
		if err != nil {
			p.Errorf("%s: %s", opt.Arg, sys.Strerror(err))
			p.Exit(statusTrouble)
		}
		o.patterns = append(o.patterns, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
	case "A":
		o.after = number()
	case "B":
		o.before = number()
	case "C":
		o.before = number()
		o.after = o.before
	case "m":
		o.maxCount = number()
	case "M":
		o.maxColumns = number()
	case "d":
		o.walk.maxDepth = number()
	case "r":
		o.replace = &opt.Arg
	case "context-separator":
		o.separator = opt.Arg
	case "engine":
		o.perl = opt.Arg == "pcre2"
	case "color":
		o.color = opt.Arg == "always" || opt.Arg == "ansi"
	case "j", "colors":
	default:
		if err := o.walk.valued(p, opt); err != nil {
			p.Errorf("%v", err)
			p.Exit(statusTrouble)
		}
	}
}
