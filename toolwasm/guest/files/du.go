package files

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
)

const duHelp = `Usage: du [OPTION]... [FILE]...
Show how much space files and what directories hold take.

  -0, --null             end lines with NUL
  -a, --all              files too, not only directories
      --apparent-size    sizes instead of disk usage
  -b, --bytes            like --apparent-size --block-size=1
  -B, --block-size=SIZE  count in units of SIZE
  -c, --total            a total
  -d, --max-depth=N      show only down to N levels
      --exclude=GLOB     leave out files that match
  -h, --human-readable   sizes like 1K 234M 2G;  --si in powers of 1000
      --inodes           count files
  -H, -D, --dereference-args  follow links among the operands
  -k  -m                 count in KiB, in MiB
  -l, --count-links      count a file as often as it has names
  -L, --dereference      follow links;  -P, --no-dereference (the default)
  -s, --summarize        only a total for each operand
  -S, --separate-dirs    directories without those below
  -t, --threshold=SIZE   leave out what is smaller (or with -SIZE larger)
      --time             show the time of the last change
  -x, --one-file-system  stay on one filesystem
  -X, --exclude-from=FILE  leave out files that match a line of FILE
`

// diskUsage is a running du.
type diskUsage struct {
	p         *command.Proc
	unit      sizeUnit
	all       bool
	apparent  bool
	total     bool
	inodes    bool
	maxDepth  int
	follow    follow
	links     bool
	separate  bool
	oneDevice bool
	threshold int64
	showTime  bool
	loc       *time.Location
	exclude   []*glob.Pattern
	end       byte
	seen      map[fileID]bool
	failed    bool
}

// amount is what a file or tree takes.
type amount struct {
	bytes  int64
	newest time.Time
}

func du(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "0abB:cd:hHDkmlLPsSt:xX:", UnsupLong: []string{"files0-from", "time-style"},
		Long: []getopt.Long{
			{Name: "null", Short: '0'},
			{Name: "all", Short: 'a'},
			{Name: "apparent-size"},
			{Name: "bytes", Short: 'b'},
			{Name: "block-size", Arg: getopt.Required, Short: 'B'},
			{Name: "total", Short: 'c'},
			{Name: "max-depth", Arg: getopt.Required, Short: 'd'},
			{Name: "exclude", Arg: getopt.Required},
			{Name: "human-readable", Short: 'h'},
			{Name: "si"},
			{Name: "inodes"},
			{Name: "dereference-args", Short: 'D'},
			{Name: "count-links", Short: 'l'},
			{Name: "dereference", Short: 'L'},
			{Name: "no-dereference", Short: 'P'},
			{Name: "summarize", Short: 's'},
			{Name: "separate-dirs", Short: 'S'},
			{Name: "threshold", Arg: getopt.Required, Short: 't'},
			{Name: "time", Arg: getopt.Optional},
			{Name: "one-file-system", Short: 'x'},
			{Name: "exclude-from", Arg: getopt.Required, Short: 'X'},
		},
	})
	d := &diskUsage{
		p: p, unit: sizeUnit{size: 1024}, maxDepth: -1, end: '\n', seen: map[fileID]bool{}, loc: datetime.Location(p.Env),
	}
	summarize := false
	for _, o := range opts {
		if o.Name == "s" {
			summarize = true
		}
		d.option(o)
	}
	if summarize && d.all {
		return p.Usage(1, "cannot both summarize and show all entries")
	}
	if summarize {
		d.maxDepth = 0
	}
	if len(operands) == 0 {
		operands = []string{"."}
	}
	var sum int64
	for _, name := range operands {
		a, ok := d.measure(name, 0, nil)
		if ok {
			sum += a.bytes
		}
	}
	if d.total {
		d.show(amount{bytes: sum}, "total")
	}
	return statusOf(d.failed)
}

func (d *diskUsage) option(o getopt.Option) {
	p := d.p
	switch o.Name {
	case "0":
		d.end = 0
	case "a":
		d.all = true
	case "apparent-size":
		d.apparent = true
	case "b":
		d.apparent, d.unit = true, sizeUnit{size: 1}
	case "B":
		u, ok := parseUnit(o.Arg)
		if !ok {
			p.Errorf("invalid -B argument %s", quote.Locale(o.Arg))
			p.Exit(1)
		}
		d.unit = u
	case "c":
		d.total = true
	case "d":
		n, err := strconv.Atoi(o.Arg)
		if err != nil || n < 0 {
			p.Exit(p.Usage(1, "invalid maximum depth %s", quote.Locale(o.Arg)))
		}
		d.maxDepth = n
	case "exclude":
		d.addExclude(o.Arg)
	case "X":
		data, err := p.ReadFile(o.Arg)
		if err != nil {
			p.Exit(p.Fail(o.Arg, err))
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			if line != "" {
				d.addExclude(line)
			}
		}
	case "h":
		d.unit = sizeUnit{human: 1024}
	case "si":
		d.unit = sizeUnit{human: 1000}
	case "inodes":
		d.inodes, d.unit = true, sizeUnit{size: 1}
	case "H", "D":
		d.follow = followOperands
	case "L":
		d.follow = followAlways
	case "P":
		d.follow = followNever
	case "k":
		d.unit = sizeUnit{size: 1 << 10}
	case "m":
		d.unit = sizeUnit{size: 1 << 20}
	case "l":
		d.links = true
	case "S":
		d.separate = true
	case "t":
		c, msg := parseSizeChange(o.Arg)
		if msg != "" {
			p.Errorf("invalid --threshold argument %s", quote.Locale(o.Arg))
			p.Exit(1)
		}
		d.threshold = c.n
		if c.op == '-' {
			d.threshold = -c.n
		}
	case "time":
		d.showTime = true
	case "x":
		d.oneDevice = true
	}
}

func (d *diskUsage) addExclude(s string) {
	g, err := glob.Compile(s, 0)
	if err != nil {
		d.p.Exit(d.p.Usage(1, "invalid pattern %s", quote.Locale(s)))
	}
	d.exclude = append(d.exclude, g)
}

// excluded matches the whole name and what follows any slash in it.
func (d *diskUsage) excluded(name string) bool {
	for _, g := range d.exclude {
		for rest := name; ; {
			if g.Match(rest) {
				return true
			}
			i := strings.IndexByte(rest, '/')
			if i < 0 {
				break
			}
			rest = rest[i+1:]
		}
	}
	return false
}

// measure adds up a tree and shows it. ok is false for what does not count.
func (d *diskUsage) measure(name string, depth int, parent *sys.Info) (a amount, ok bool) {
	p := d.p
	p.Yield()
	if d.excluded(name) {
		return a, false
	}
	info, err := stat(p, name, d.follow == followAlways || (d.follow == followOperands && depth == 0))
	if err != nil {
		d.failed = true
		p.Errorf("cannot access %s: %s", quote.Always(name), sys.Strerror(err))
		return a, false
	}
	if parent != nil && d.oneDevice && info.Dev != parent.Dev {
		return a, false
	}
	if !d.links && (info.Nlink > 1 || info.IsDir() || d.follow != followNever || depth == 0) {
		if d.seen[idOf(info)] {
			return a, false
		}
		d.seen[idOf(info)] = true
	}
	a = amount{bytes: d.own(info), newest: info.Mtime}
	shown := a
	if info.IsDir() {
		shown = d.entries(name, depth, &info, &a)
	}
	if (info.IsDir() || d.all || depth == 0) && (d.maxDepth < 0 || depth <= d.maxDepth) {
		d.show(shown, name)
	}
	return a, true
}

// own is what the file itself takes.
func (d *diskUsage) own(i sys.Info) int64 {
	switch {
	case d.inodes:
		return 1
	case !d.apparent:
		return i.Blocks * 512
	}
	return i.Size
}

// entries adds what a directory holds to sum, and returns what is shown for it.
func (d *diskUsage) entries(name string, depth int, info *sys.Info, sum *amount) amount {
	shown := *sum
	entries, err := sys.ReadDir(d.p.Path(name))
	if err != nil {
		d.failed = true
		d.p.Errorf("cannot read directory %s: %s", quote.Always(name), sys.Strerror(err))
		return shown
	}
	for _, e := range entries {
		child, ok := d.measure(joinPath(name, e.Name()), depth+1, info)
		if !ok {
			continue
		}
		sum.bytes += child.bytes
		if child.newest.After(sum.newest) {
			sum.newest = child.newest
		}
		if !d.separate || !e.IsDir() {
			shown.bytes += child.bytes
			shown.newest = sum.newest
		}
	}
	return shown
}

func (d *diskUsage) show(a amount, name string) {
	if (d.threshold > 0 && a.bytes < d.threshold) || (d.threshold < 0 && a.bytes > -d.threshold) {
		return
	}
	out := d.p.Out()
	_, _ = out.WriteString(d.unit.format(a.bytes) + "\t")
	if d.showTime {
		when := ""
		if !a.newest.IsZero() {
			when = strftime.Format("%Y-%m-%d %H:%M", a.newest.In(d.loc))
		}
		_, _ = out.WriteString(when + "\t")
	}
	fmt.Fprintf(out, "%s%c", name, d.end)
}
