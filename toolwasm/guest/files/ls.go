package files

import (
	"bufio"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/quote"
)

const lsHelp = `Usage: ls [OPTION]... [FILE]...
List files, and what directories hold (the working directory by default), sorted by name.

  -a, --all              include names that begin with .
  -A, --almost-all       like -a, without . and ..
      --author           with -l, the author too
  -b, --escape           C escapes for what cannot be printed
      --block-size=SIZE  count sizes in units of SIZE
  -B, --ignore-backups   leave out names that end in ~
  -c                     show and sort by the time of status change
  -C                     in columns, downwards
      --color[=WHEN]     colour names: always, auto or never
  -d, --directory        directories themselves, not what they hold
  -f                     do not sort; -a without -l, -s and colours
  -F, --classify[=WHEN]  append one of */=>@|
      --file-type        like -F without *
      --format=WORD      across, commas, horizontal, long, single-column, verbose, vertical
      --full-time        like -l --time-style=full-iso
  -g                     like -l without the owner
      --group-directories-first  directories before files
  -G, --no-group         with -l, without the group
  -h, --human-readable   sizes like 1K 234M 2G
      --si               the same in powers of 1000
  -H, --dereference-command-line  follow links among the operands
      --dereference-command-line-symlink-to-dir  follow those that lead to directories
      --hide=GLOB        leave out names that match, unless -a or -A
      --indicator-style=WORD  none, slash (-p), file-type, classify (-F)
  -i, --inode            inode numbers
  -I, --ignore=GLOB      leave out names that match
  -k, --kibibytes        blocks of 1024 bytes
  -l                     long format
  -L, --dereference      describe what links lead to
  -m                     separated by commas
  -n, --numeric-uid-gid  like -l with numbers for users
  -N, --literal          names as they are
  -o                     like -l without the group
  -p                     append / to directories
  -q, --hide-control-chars  ? for what cannot be printed
      --show-control-chars  such characters as they are
  -Q, --quote-name       names in double quotes
      --quoting-style=WORD  literal, locale, shell, shell-always, shell-escape, shell-escape-always, c, escape
  -r, --reverse          the other way round
  -R, --recursive        directories below too
  -s, --size             the blocks of each file
  -S                     sort by size
      --sort=WORD        none (-U), size (-S), time (-t), version (-v), extension (-X), name, width
      --time=WORD        atime access use, ctime status, mtime modification, birth
      --time-style=STYLE full-iso, long-iso, iso, locale, +FORMAT
  -t                     sort by time, newest first
  -T, --tabsize=COLS     tab stops
  -u                     show and sort by the time of access
  -U                     do not sort
  -v                     sort numbers within names by value
  -w, --width=COLS       the width of a line
  -x                     in columns, across
  -X                     sort by extension
      --zero             end lines with NUL
  -1                     one name a line
`

// The ways to arrange names.
type lsFormat int

const (
	formatSingle lsFormat = iota
	formatLong
	formatColumns
	formatAcross
	formatCommas
)

// The marks after names.
type indicator int

const (
	indicateNone indicator = iota
	indicateSlash
	indicateType
	indicateClass
)

// The defaults for a line.
const (
	defaultWidth = 80
	defaultTab   = 8
)

// lister is a running ls.
type lister struct {
	p   *command.Proc
	out *bufio.Writer
	loc *time.Location
	now time.Time

	all, almostAll, dirOnly, recursive, reverse, dirsFirst bool
	inode, blocks, numeric, noOwner, noGroup, author       bool
	followAll, followOps, followDirOps                     bool
	hideControl                                            bool
	format                                                 lsFormat
	indicators                                             indicator
	sort                                                   string
	time                                                   byte // m, a or c
	style                                                  string
	timeFormats                                            [2]string // old, recent
	width, tab                                             int
	unit                                                   sizeUnit // of -l's sizes
	blockUnit                                              sizeUnit // of -s and the total
	hide, ignore                                           []*glob.Pattern
	colors                                                 *palette
	end                                                    byte

	trail  []fileID
	shown  bool // something has been written: the next directory is set off by an empty line
	status int
}

func lsSpec() getopt.Spec {
	return getopt.Spec{
		Short:       "aAbBcCdfFgGhHiI:klLmnNopqQrRsStT:uUvw:xX1",
		Unsupported: "DZ", UnsupLong: []string{"dired", "context", "hyperlink"},
		Long: []getopt.Long{
			{Name: "all", Short: 'a'},
			{Name: "almost-all", Short: 'A'},
			{Name: "author"},
			{Name: "escape", Short: 'b'},
			{Name: "block-size", Arg: getopt.Required},
			{Name: "ignore-backups", Short: 'B'},
			{Name: "color", Arg: getopt.Optional},
			{Name: "directory", Short: 'd'},
			{Name: "classify", Arg: getopt.Optional},
			{Name: "file-type"},
			{Name: "format", Arg: getopt.Required},
			{Name: "full-time"},
			{Name: "group-directories-first"},
			{Name: "no-group", Short: 'G'},
			{Name: "human-readable", Short: 'h'},
			{Name: "si"},
			{Name: "dereference-command-line", Short: 'H'},
			{Name: "dereference-command-line-symlink-to-dir"},
			{Name: "hide", Arg: getopt.Required},
			{Name: "indicator-style", Arg: getopt.Required},
			{Name: "inode", Short: 'i'},
			{Name: "ignore", Arg: getopt.Required, Short: 'I'},
			{Name: "kibibytes", Short: 'k'},
			{Name: "dereference", Short: 'L'},
			{Name: "numeric-uid-gid", Short: 'n'},
			{Name: "literal", Short: 'N'},
			{Name: "hide-control-chars", Short: 'q'},
			{Name: "show-control-chars"},
			{Name: "quote-name", Short: 'Q'},
			{Name: "quoting-style", Arg: getopt.Required},
			{Name: "reverse", Short: 'r'},
			{Name: "recursive", Short: 'R'},
			{Name: "size", Short: 's'},
			{Name: "sort", Arg: getopt.Required},
			{Name: "time", Arg: getopt.Required},
			{Name: "time-style", Arg: getopt.Required},
			{Name: "tabsize", Arg: getopt.Required, Short: 'T'},
			{Name: "width", Arg: getopt.Required, Short: 'w'},
			{Name: "zero"},
		},
	}
}

func ls(p *command.Proc) int { return list(p, nil) }

// list is ls, with options that come before those that are given.
func list(p *command.Proc, defaults []getopt.Option) int {
	loc := datetime.Location(p.Env)
	l := &lister{
		p: p, out: p.Out(), loc: loc, now: time.Now().In(loc), sort: "name", time: 'm', style: "literal",
		width: defaultWidth, tab: defaultTab, unit: sizeUnit{size: 1}, blockUnit: sizeUnit{size: 1024}, end: '\n',
	}
	l.fromEnvironment()
	opts, operands := p.Options(2, lsSpec())
	l.options(append(defaults, opts...))
	if len(operands) == 0 {
		operands = []string{"."}
	}
	l.run(operands)
	return l.status
}

// fromEnvironment takes the defaults that variables give.
func (l *lister) fromEnvironment() {
	if v, ok := l.p.Env.Get("COLUMNS"); ok {
		if n, err := strconv.Atoi(v); err == nil && n > 0 {
			l.width = n
		}
	}
	l.setTimeStyle("locale")
	if v, ok := l.p.Env.Get("TIME_STYLE"); ok && v != "" {
		l.setTimeStyle(v)
	}
	if v, ok := l.p.Env.Get("QUOTING_STYLE"); ok && quotingStyles[v] {
		l.style = v
	}
}

// quotingStyles are the words of --quoting-style. It is never changed.
var quotingStyles = map[string]bool{
	"literal": true, "locale": true, "clocale": true, "shell": true, "shell-always": true, "shell-escape": true,
	"shell-escape-always": true, "c": true, "c-maybe": true, "escape": true,
}

// choice finds the word that arg abbreviates, or ends the command with the list of words.
func (l *lister) choice(option, arg string, words ...string) string {
	found := ""
	for _, w := range words {
		if w == arg {
			return w
		}
		if strings.HasPrefix(w, arg) && arg != "" && found == "" {
			found = w
		}
	}
	if found != "" {
		return found
	}
	l.p.Errorf("invalid argument %s for %s", quote.Locale(arg), quote.Locale("--"+option))
	_, _ = l.p.Stderr.Write([]byte("Valid arguments are:\n  - ‘" + strings.Join(words, "’\n  - ‘") +
		"’\nTry 'ls --help' for more information.\n"))
	l.p.Exit(1)
	return ""
}

// when reads the WHEN of --color and --classify; nothing is ever a terminal.
func (l *lister) when(option string, o getopt.Option) bool {
	if !o.HasArg {
		return true
	}
	switch l.choice(option, o.Arg, "always", "yes", "force", "never", "no", "none", "auto", "tty", "if-tty") {
	case "always", "yes", "force":
		return true
	}
	return false
}

func (l *lister) options(opts []getopt.Option) {
	color := false
	for _, o := range opts {
		if l.formatOption(o) || l.sortOption(o) || l.nameOption(o) {
			continue
		}
		switch o.Name {
		case "a":
			l.all, l.almostAll = true, false
		case "A":
			l.almostAll, l.all = true, false
		case "author":
			l.author = true
		case "color":
			color = l.when("color", o)
		case "d":
			l.dirOnly = true
		case "H":
			l.followOps = true
		case "dereference-command-line-symlink-to-dir":
			l.followDirOps = true
		case "L":
			l.followAll = true
		case "i":
			l.inode = true
		case "R":
			l.recursive = true
		case "s":
			l.blocks = true
		case "f":
			l.all, l.sort, l.blocks, color = true, "none", false, false
			if l.format == formatLong {
				l.format = formatSingle
			}
		}
	}
	if color && knowsColor(l.p.Env) {
		l.colors = newPalette(l.p.Env)
	}
	// A link to a directory among the operands is followed, unless it is links that the user wants to see.
	if !l.followOps && !l.followAll && !l.dirOnly && l.format != formatLong && l.indicators != indicateClass {
		l.followDirOps = true
	}
}

func (l *lister) formatOption(o getopt.Option) bool {
	switch o.Name {
	case "1":
		if l.format != formatLong {
			l.format = formatSingle
		}
	case "C":
		l.format = formatColumns
	case "x":
		l.format = formatAcross
	case "m":
		l.format = formatCommas
	case "l":
		l.format = formatLong
	case "g":
		l.format, l.noOwner = formatLong, true
	case "o":
		l.format, l.noGroup = formatLong, true
	case "n":
		l.format, l.numeric = formatLong, true
	case "G":
		l.noGroup = true
	case "full-time":
		l.format = formatLong
		l.setTimeStyle("full-iso")
	case "format":
		switch l.choice("format", o.Arg, "verbose", "long", "commas", "horizontal", "across", "vertical", "single-column") {
		case "verbose", "long":
			l.format = formatLong
		case "commas":
			l.format = formatCommas
		case "horizontal", "across":
			l.format = formatAcross
		case "vertical":
			l.format = formatColumns
		case "single-column":
			l.format = formatSingle
		}
	case "zero":
		l.end, l.style = 0, "literal"
		if l.format != formatLong {
			l.format = formatSingle
		}
		l.hideControl = false
	case "h":
		l.unit, l.blockUnit = sizeUnit{human: 1024}, sizeUnit{human: 1024}
	case "si":
		l.unit, l.blockUnit = sizeUnit{human: 1000}, sizeUnit{human: 1000}
	case "k":
		l.blockUnit = sizeUnit{size: 1024}
	case "block-size":
		u, ok := parseUnit(o.Arg)
		if !ok {
			l.p.Errorf("invalid --block-size argument %s", quote.Locale(o.Arg))
			l.p.Exit(2)
		}
		l.unit, l.blockUnit = u, u
	case "T":
		l.tab = l.number(o.Arg, "invalid tab size")
	case "w":
		l.width = l.number(o.Arg, "invalid line width")
	default:
		return false
	}
	return true
}

func (l *lister) number(s, msg string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		l.p.Errorf("%s: %s", msg, quote.Locale(s))
		l.p.Exit(2)
	}
	return n
}

func (l *lister) sortOption(o getopt.Option) bool {
	switch o.Name {
	case "c":
		l.setTime('c')
	case "u":
		l.setTime('a')
	case "time":
		switch l.choice("time", o.Arg, "atime", "access", "use", "ctime", "status", "mtime", "modification", "birth", "creation") {
		case "atime", "access", "use":
			l.setTime('a')
		case "ctime", "status":
			l.setTime('c')
		default:
			l.setTime('m')
		}
	case "time-style":
		l.setTimeStyle(o.Arg)
	case "S":
		l.sort = "size"
	case "t":
		l.sort = "time"
	case "U":
		l.sort = "none"
	case "v":
		l.sort = "version"
	case "X":
		l.sort = "extension"
	case "sort":
		l.sort = l.choice("sort", o.Arg, "none", "time", "size", "extension", "version", "width", "name")
	case "r":
		l.reverse = true
	case "group-directories-first":
		l.dirsFirst = true
	default:
		return false
	}
	return true
}

// setTime picks the time that is shown; without -l and another order it is also what is sorted by.
func (l *lister) setTime(which byte) { l.time = which }

func (l *lister) nameOption(o getopt.Option) bool {
	switch o.Name {
	case "b":
		l.style = "escape"
	case "N":
		l.style = "literal"
	case "Q":
		l.style = "c"
	case "quoting-style":
		l.style = l.choice("quoting-style", o.Arg, "literal", "shell", "shell-always", "shell-escape",
			"shell-escape-always", "c", "c-maybe", "escape", "locale", "clocale")
	case "q":
		l.hideControl = true
	case "show-control-chars":
		l.hideControl = false
	case "F":
		l.indicators = indicateClass
	case "classify":
		if l.when("classify", o) {
			l.indicators = indicateClass
		}
	case "file-type":
		l.indicators = indicateType
	case "p":
		l.indicators = indicateSlash
	case "indicator-style":
		l.indicators = map[string]indicator{
			"none": indicateNone, "slash": indicateSlash, "file-type": indicateType, "classify": indicateClass,
		}[l.choice("indicator-style", o.Arg, "none", "slash", "file-type", "classify")]
	case "B":
		l.ignore = append(l.ignore, l.pattern("*~"), l.pattern(".*~"))
	case "I":
		l.ignore = append(l.ignore, l.pattern(o.Arg))
	case "hide":
		l.hide = append(l.hide, l.pattern(o.Arg))
	default:
		return false
	}
	return true
}

func (l *lister) pattern(s string) *glob.Pattern {
	g, err := glob.Compile(s, glob.Period)
	if err != nil {
		l.p.Errorf("invalid pattern %s", quote.Locale(s))
		l.p.Exit(2)
	}
	return g
}

// setTimeStyle picks the layouts of old and recent times.
func (l *lister) setTimeStyle(style string) {
	if layout, ok := strings.CutPrefix(style, "+"); ok {
		old, recent, two := strings.Cut(layout, "\n")
		if !two {
			recent = old
		}
		l.timeFormats = [2]string{old, recent}
		return
	}
	style = strings.TrimPrefix(style, "posix-")
	switch l.choice("time-style", style, "full-iso", "long-iso", "iso", "locale") {
	case "full-iso":
		l.timeFormats = [2]string{"%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M:%S.%N %z"}
	case "long-iso":
		l.timeFormats = [2]string{"%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M"}
	case "iso":
		l.timeFormats = [2]string{"%Y-%m-%d ", "%m-%d %H:%M"}
	default:
		l.timeFormats = [2]string{"%b %e  %Y", "%b %e %H:%M"}
	}
}
