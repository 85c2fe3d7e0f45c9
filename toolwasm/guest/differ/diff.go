package differ

import (
	"bufio"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/regex"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
)

const diffHelp = `Usage: diff [OPTION]... FILES
Compare files line by line, or directories file by file. FILES are two names; - is standard input.
The status is 0 when they are the same, 1 when they differ, 2 in trouble.

      --normal                  the format without options
  -q, --brief                   only tell that files differ
  -s, --report-identical-files  tell when files are the same
  -c, -C N, --context[=N]       N (3) lines of context
  -u, -U N, --unified[=N]       N (3) lines of unified context
  -e, --ed                      a script for ed
  -n, --rcs                     the format of RCS
  -y, --side-by-side            in two columns
  -W, --width=N                 at most N (130) columns
      --left-column             only the left one of common lines
      --suppress-common-lines   no common lines
  -p, --show-c-function         name the C function of each change
  -F, --show-function-line=RE   name the last line that matches RE
      --label=LABEL             use LABEL instead of a name and time (can be repeated)
  -t, --expand-tabs             tabs as blanks
  -T, --initial-tab             a tab in front, so that tabs line up
  -r, --recursive               compare directories below too
      --no-dereference          do not follow symbolic links
  -N, --new-file                treat absent files as empty
      --unidirectional-new-file treat absent first files as empty
      --ignore-file-name-case   ignore case in names
  -x, --exclude=GLOB            leave out names that match
  -X, --exclude-from=FILE       leave out names that match a line of FILE
  -S, --starting-file=NAME      begin with NAME
  -i, --ignore-case             ignore case
  -E, --ignore-tab-expansion    tabs equal the blanks they stand for
  -Z, --ignore-trailing-space   ignore white space at the end
  -b, --ignore-space-change     ignore changes in the amount of white space
  -w, --ignore-all-space        ignore all white space
  -B, --ignore-blank-lines      ignore changes whose lines are all blank
  -I, --ignore-matching-lines=RE  ignore changes whose lines all match RE
  -a, --text                    treat all files as text
      --strip-trailing-cr       ignore a carriage return at the end of a line
  -D, --ifdef=NAME              both files merged, with #ifdef NAME
      --GTYPE-group-format=F    groups of lines by F; GTYPE is old, new, unchanged or changed
      --line-format=F           lines by F
      --LTYPE-line-format=F     lines by F; LTYPE is old, new or unchanged
  -d, --minimal                 look harder for a smaller set of changes
      --horizon-lines=N         keep N lines of the common beginning and end
      --speed-large-files       accepted
      --color[=WHEN]            colour the output: always, auto or never
`

// Exit statuses.
const (
	same    = 0
	differs = 1
	trouble = 2
)

// style is the format of the output.
type style int

const (
	styleNormal style = iota
	styleUnified
	styleContext
	styleEd
	styleRCS
	styleSide
	styleFormats
)

const (
	defaultContext = 3
	defaultWidth   = 130
)

// differ is a running diff.
type differ struct {
	p   *command.Proc
	out *bufio.Writer
	loc *time.Location

	style      style
	styleSet   bool
	context    int
	brief      bool
	identical  bool
	recursive  bool
	newFile    bool
	newFirst   bool
	noDeref    bool
	text       bool
	minimal    bool
	foldNames  bool
	color      bool
	expand     bool
	initTab    bool
	horizon    int
	space      whitespace
	blankLines bool
	ignore     []*regex.Regexp
	function   *regex.Regexp
	labels     []string
	exclude    []*glob.Pattern
	start      string
	columns    columns
	formats    formats
	args       string // the options, as the header between files repeats them
}

func diffSpec() getopt.Spec {
	return getopt.Spec{
		Short: "abBcC:dD:eEF:hiI:nNpqrsS:tTuU:wW:x:X:yZ", Digits: true,
		Unsupported: "lf", UnsupLong: []string{"paginate", "from-file", "to-file", "suppress-blank-empty", "palette"},
		Long: []getopt.Long{
			{Name: "normal"},
			{Name: "brief", Short: 'q'},
			{Name: "report-identical-files", Short: 's'},
			{Name: "context", Arg: getopt.Optional},
			{Name: "unified", Arg: getopt.Optional},
			{Name: "ed", Short: 'e'},
			{Name: "rcs", Short: 'n'},
			{Name: "side-by-side", Short: 'y'},
			{Name: "width", Arg: getopt.Required, Short: 'W'},
			{Name: "left-column"},
			{Name: "suppress-common-lines"},
			{Name: "show-c-function", Short: 'p'},
			{Name: "show-function-line", Arg: getopt.Required, Short: 'F'},
			{Name: "label", Arg: getopt.Required},
			{Name: "expand-tabs", Short: 't'},
			{Name: "initial-tab", Short: 'T'},
			{Name: "recursive", Short: 'r'},
			{Name: "no-dereference"},
			{Name: "new-file", Short: 'N'},
			{Name: "unidirectional-new-file"},
			{Name: "ignore-file-name-case"},
			{Name: "no-ignore-file-name-case"},
			{Name: "exclude", Arg: getopt.Required, Short: 'x'},
			{Name: "exclude-from", Arg: getopt.Required, Short: 'X'},
			{Name: "starting-file", Arg: getopt.Required, Short: 'S'},
			{Name: "ignore-case", Short: 'i'},
			{Name: "ignore-tab-expansion", Short: 'E'},
			{Name: "ignore-trailing-space", Short: 'Z'},
			{Name: "ignore-space-change", Short: 'b'},
			{Name: "ignore-all-space", Short: 'w'},
			{Name: "ignore-blank-lines", Short: 'B'},
			{Name: "ignore-matching-lines", Arg: getopt.Required, Short: 'I'},
			{Name: "text", Short: 'a'},
			{Name: "strip-trailing-cr"},
			{Name: "ifdef", Arg: getopt.Required, Short: 'D'},
			{Name: "old-group-format", Arg: getopt.Required},
			{Name: "new-group-format", Arg: getopt.Required},
			{Name: "unchanged-group-format", Arg: getopt.Required},
			{Name: "changed-group-format", Arg: getopt.Required},
			{Name: "line-format", Arg: getopt.Required},
			{Name: "old-line-format", Arg: getopt.Required},
			{Name: "new-line-format", Arg: getopt.Required},
			{Name: "unchanged-line-format", Arg: getopt.Required},
			{Name: "minimal", Short: 'd'},
			{Name: "horizon-lines", Arg: getopt.Required},
			{Name: "speed-large-files"},
			{Name: "color", Arg: getopt.Optional},
			{Name: "tabsize", Arg: getopt.Required},
		},
	}
}

func diff(p *command.Proc) int {
	opts, operands := parseOptions(p, diffSpec())
	d := &differ{
		p: p, out: p.Out(), loc: datetime.Location(p.Env), context: defaultContext,
		columns: columns{width: defaultWidth}, args: repeatedOptions(p.Args, operands),
	}
	for _, o := range opts {
		d.option(o)
	}
	switch {
	case len(operands) == 0:
		return usage(p, "missing operand after %s", quoteLast(p))
	case len(operands) == 1:
		return usage(p, "missing operand after '%s'", operands[0])
	case len(operands) > 2:
		return usage(p, "extra operand '%s'", operands[2])
	}
	return d.operands(operands[0], operands[1])
}

// quoteLast is the last argument, or the command's own name when there is none.
func quoteLast(p *command.Proc) string {
	last := p.Name
	if len(p.Args) > 0 {
		last = p.Args[len(p.Args)-1]
	}
	return "'" + last + "'"
}

// repeatedOptions is the command line without its operands, quoted for a shell.
func repeatedOptions(args, operands []string) string {
	var b strings.Builder
	rest := operands
	for _, a := range args {
		if len(rest) > 0 && a == rest[0] {
			rest = rest[1:]
			continue
		}
		b.WriteString(" " + quote.File(a))
	}
	return b.String()
}

func (d *differ) fail(format string, args ...any) {
	d.p.Exit(usage(d.p, format, args...))
}

func (d *differ) setStyle(s style) {
	if d.styleSet && d.style != s {
		d.fail("conflicting output style options")
	}
	d.style, d.styleSet = s, true
}

func (d *differ) number(what, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		d.fail("invalid %s '%s'", what, s)
	}
	return n
}

func (d *differ) option(o getopt.Option) {
	if d.styleOption(o) || d.spaceOption(o) || d.formats.option(d, o) {
		return
	}
	switch o.Name {
	case "q":
		d.brief = true
	case "s":
		d.identical = true
	case "W":
		d.columns.width = d.number("width", o.Arg)
	case "left-column":
		d.columns.leftColumn = true
	case "suppress-common-lines":
		d.columns.suppressCommon = true
	case "p":
		d.function = d.regexp("^[[:alpha:]$_]")
		d.needContext()
	case "F":
		d.function = d.regexp(o.Arg)
		d.needContext()
	case "label":
		d.labels = append(d.labels, o.Arg)
	case "t":
		d.expand = true
	case "T":
		d.initTab = true
	case "r":
		d.recursive = true
	case "no-dereference":
		d.noDeref = true
	case "N":
		d.newFile = true
	case "unidirectional-new-file":
		d.newFirst = true
	case "ignore-file-name-case":
		d.foldNames = true
	case "no-ignore-file-name-case":
		d.foldNames = false
	case "x":
		d.addExclude(o.Arg)
	case "X":
		data, err := d.p.ReadFile(o.Arg)
		if err != nil {
			d.p.Exit(d.p.Fail(o.Arg, err) + 1)
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			if line != "" {
				d.addExclude(line)
			}
		}
	case "S":
		d.start = o.Arg
	case "a":
		d.text = true
	case "d":
		d.minimal = true
	case "horizon-lines":
		d.horizon = d.number("horizon length", o.Arg)
	case "color":
		switch o.Arg {
		case "always", "":
			d.color = o.Arg == "always"
		case "never", "auto":
			d.color = false
		default:
			d.fail("invalid color '%s'", o.Arg)
		}
	case "NUM":
		d.context = d.number("context length", o.Arg)
	}
}

// needContext makes -p and -F imply a format that has a place for what they show.
func (d *differ) needContext() {
	if !d.styleSet {
		d.style = styleContext
	}
}

func (d *differ) styleOption(o getopt.Option) bool {
	switch o.Name {
	case "normal":
		d.setStyle(styleNormal)
	case "c", "C", "context":
		d.setStyle(styleContext)
		if o.HasArg {
			d.context = d.number("context length", o.Arg)
		}
	case "u", "U", "unified":
		d.setStyle(styleUnified)
		if o.HasArg {
			d.context = d.number("context length", o.Arg)
		}
	case "e":
		d.setStyle(styleEd)
	case "n":
		d.setStyle(styleRCS)
	case "y":
		d.setStyle(styleSide)
	default:
		return false
	}
	return true
}

func (d *differ) spaceOption(o getopt.Option) bool {
	switch o.Name {
	case "i":
		d.space.ignoreCase = true
	case "E":
		d.space.ignoreTabs = true
	case "Z":
		d.space.ignoreTrailing = true
	case "b":
		d.space.ignoreChange = true
	case "w":
		d.space.ignoreAll = true
	case "strip-trailing-cr":
		d.space.stripCR = true
	case "B":
		d.blankLines = true
	case "I":
		d.ignore = append(d.ignore, d.regexp(o.Arg))
	default:
		return false
	}
	return true
}

func (d *differ) regexp(s string) *regex.Regexp {
	re, err := regex.Compile(s, regex.NoSub|regex.Lenient)
	if err != nil {
		d.p.Errorf("%s: %s", s, err)
		d.p.Exit(trouble)
	}
	re.SetYield(d.p.Yield)
	return re
}

func (d *differ) addExclude(s string) {
	g, err := glob.Compile(s, 0)
	if err != nil {
		d.fail("invalid pattern '%s'", s)
	}
	d.exclude = append(d.exclude, g)
}

func join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// node is one name that is compared.
type node struct {
	name string
	info sys.Info
	ok   bool // it exists
}

func (d *differ) look(name string) (node, error) {
	if name == "-" {
		return node{name: name, ok: true}, nil
	}
	n := node{name: name}
	var err error
	if d.noDeref {
		n.info, err = d.p.Lstat(name)
	} else {
		n.info, err = d.p.Stat(name)
	}
	n.ok = err == nil
	return n, err
}

// operands compares the two names of the command line. A directory stands for the file in it with the other's name.
func (d *differ) operands(a, b string) int {
	na, errA := d.look(a)
	nb, errB := d.look(b)
	switch {
	case errA == nil && errB == nil && na.info.IsDir() != nb.info.IsDir():
		if a == "-" || b == "-" {
			d.p.Errorf("cannot compare '-' to a directory")
			return trouble
		}
		if na.info.IsDir() {
			a = join(a, path.Base(b))
			na, errA = d.look(a)
		} else {
			b = join(b, path.Base(a))
			nb, errB = d.look(b)
		}
	case errA != nil && errB == nil && d.mayMiss(true):
		errA = nil
	case errB != nil && errA == nil && d.newFile:
		errB = nil
	}
	status := same
	for _, e := range []struct {
		name string
		err  error
	}{{a, errA}, {b, errB}} {
		if e.err != nil {
			d.p.Errorf("%s: %s", e.name, sys.Strerror(e.err))
			status = trouble
		}
	}
	if status != same {
		return status
	}
	return d.compare(na, nb, false)
}

// mayMiss reports whether an absent file counts as an empty one.
func (d *differ) mayMiss(first bool) bool { return d.newFile || (first && d.newFirst) }

// compare compares two nodes; inside says that they were found in directories.
func (d *differ) compare(a, b node, inside bool) int {
	d.p.Yield()
	dirA, dirB := a.ok && a.info.IsDir(), b.ok && b.info.IsDir()
	if (dirA || !a.ok) && (dirB || !b.ok) && (dirA || dirB) {
		if inside && !d.recursive {
			fmt.Fprintf(d.out, "Common subdirectories: %s and %s\n", a.name, b.name)
			return same
		}
		return d.directories(a, b)
	}
	if a.ok && b.ok && (dirA != dirB || kind(a) != kind(b) && (special(a) || special(b))) && a.name != "-" && b.name != "-" {
		if inside || !dirA && !dirB {
			fmt.Fprintf(d.out, "File %s is a %s while file %s is a %s\n", a.name, kind(a), b.name, kind(b))
			return differs
		}
	}
	if d.noDeref && a.info.IsLink() && b.info.IsLink() {
		return d.links(a, b)
	}
	return d.files(a, b, inside)
}

func special(n node) bool { return n.info.IsLink() || n.info.IsDir() }

func kind(n node) string {
	m := n.info.Mode
	switch {
	case n.info.IsDir():
		return "directory"
	case n.info.IsLink():
		return "symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "fifo"
	case m&fs.ModeCharDevice != 0:
		return "character special file"
	case n.ok && n.name != "-" && n.info.Size == 0 && m.IsRegular():
		return "regular empty file"
	}
	return "regular file"
}

func (d *differ) links(a, b node) int {
	ta, _ := sys.Readlink(d.p.Path(a.name))
	tb, _ := sys.Readlink(d.p.Path(b.name))
	if ta == tb {
		return same
	}
	fmt.Fprintf(d.out, "Symbolic links %s and %s differ\n", a.name, b.name)
	return differs
}

func (d *differ) read(n node) (*source, error) {
	s := &source{name: n.name, label: n.name}
	if !n.ok {
		s.none = true
		s.stamp = d.stamp(time.Unix(0, 0))
		return s, nil
	}
	when := n.info.Mtime
	if n.name == "-" {
		when = time.Now()
	}
	s.stamp = d.stamp(when)
	var err error
	s.data, err = d.p.ReadFile(n.name)
	return s, err
}

func (d *differ) stamp(t time.Time) string {
	return strftime.Format("%Y-%m-%d %H:%M:%S.%N %z", t.In(d.loc))
}

// files compares two files.
func (d *differ) files(a, b node, inside bool) int {
	twice := a.name == "-" && b.name == "-"
	if a.ok && b.ok && a.name != "-" && b.name != "-" {
		twice = a.info.Same(b.info)
	}
	if twice && d.style != styleSide && d.style != styleFormats {
		return d.identicalFiles(a, b)
	}
	if answer, known := d.binaryFiles(a, b); known {
		return answer
	}
	sa, err := d.read(a)
	if err == nil {
		var sb *source
		if sb, err = d.read(b); err == nil {
			return d.sources(a, b, sa, sb, inside)
		}
		a = b
	}
	d.p.Errorf("%s: %s", a.name, sys.Strerror(err))
	return trouble
}

func (d *differ) identicalFiles(a, b node) int {
	if d.identical {
		fmt.Fprintf(d.out, "Files %s and %s are identical\n", d.label(0, a.name), d.label(1, b.name))
	}
	return same
}

func (d *differ) label(i int, name string) string {
	if i < len(d.labels) {
		return d.labels[i]
	}
	return name
}

func (d *differ) sources(a, b node, sa, sb *source, inside bool) int {
	for i, s := range []*source{sa, sb} {
		if i < len(d.labels) {
			s.label, s.stamp = d.labels[i], ""
		}
	}
	if string(sa.data) == string(sb.data) && a.ok == b.ok {
		if d.style == styleSide || d.style == styleFormats {
			sa.split()
			sb.split()
			d.write(sa, sb, nil, nil)
		}
		return d.identicalFiles(a, b)
	}
	if !d.text && (isBinary(sa.data) || isBinary(sb.data)) {
		if d.brief {
			fmt.Fprintf(d.out, "Files %s and %s differ\n", sa.label, sb.label)
			return differs
		}
		fmt.Fprintf(d.out, "Binary files %s and %s differ\n", sa.label, sb.label)
		return differs
	}
	sa.split()
	sb.split()
	x, y, classes := classify(sa, sb, d.space, d.p.Yield)
	changes := script(x, y, classes, max(d.horizon, d.contextLines()), d.minimal, d.p.Yield)
	ignorable := d.ignorable(sa, sb)
	changed := false
	for _, c := range changes {
		changed = changed || ignorable == nil || !ignorable(c)
	}
	if !changed && d.style != styleSide && d.style != styleFormats {
		if a.ok == b.ok {
			return d.identicalFiles(a, b)
		}
		return same
	}
	if d.brief {
		if changed {
			fmt.Fprintf(d.out, "Files %s and %s differ\n", sa.label, sb.label)
		}
		return statusOf(changed)
	}
	if inside {
		fmt.Fprintf(d.out, "diff%s %s %s\n", d.args, quote.File(a.name), quote.File(b.name))
	}
	d.write(sa, sb, changes, ignorable)
	if d.style == styleEd && d.incomplete(sa, sb) {
		return trouble
	}
	return statusOf(changed)
}

// incomplete reports last lines without a newline, which a script for ed cannot make.
func (d *differ) incomplete(sources ...*source) bool {
	found := false
	for _, s := range sources {
		if n := len(s.lines); n > 0 && !complete(s.lines[n-1]) {
			d.p.Errorf("%s: No newline at end of file\n", s.label)
			found = true
		}
	}
	return found
}

func statusOf(changed bool) int {
	if changed {
		return differs
	}
	return same
}

func (d *differ) contextLines() int {
	if d.style == styleUnified || d.style == styleContext {
		return d.context
	}
	return 0
}

// ignorable returns the test for changes that -B and -I leave out, or nil.
func (d *differ) ignorable(a, b *source) func(change) bool {
	if !d.blankLines && len(d.ignore) == 0 {
		return nil
	}
	line := func(l []byte) bool {
		l = text(l)
		blank := len(l) == 0
		if d.space.ignoreAll || d.space.ignoreChange || d.space.ignoreTrailing {
			blank = strings.TrimSpace(string(l)) == ""
		}
		if d.blankLines && blank {
			return true
		}
		for _, re := range d.ignore {
			if re.Match(l, false) {
				return true
			}
		}
		return false
	}
	return func(c change) bool {
		for _, l := range a.lines[c.a : c.a+c.na] {
			if !line(l) {
				return false
			}
		}
		for _, l := range b.lines[c.b : c.b+c.nb] {
			if !line(l) {
				return false
			}
		}
		return true
	}
}

func (d *differ) write(a, b *source, changes []change, ignorable func(change) bool) {
	f := &formatter{
		w: d.out, a: a, b: b, context: d.context, function: d.function, color: d.color, expand: d.expand,
		initTab: d.initTab, ignorable: ignorable,
	}
	switch d.style {
	case styleUnified:
		f.unified(changes)
	case styleContext:
		f.contextual(changes)
	case styleEd:
		f.ed(changes)
	case styleRCS:
		f.rcs(changes)
	case styleSide:
		newSideBySide(f, d.columns).write(changes)
	case styleFormats:
		d.formats.write(f, changes)
	default:
		f.normal(changes)
	}
}
