package files

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/version"
)

const treeHelp = `Usage: tree [OPTION]... [DIRECTORY]...
Draw what directories hold.

  -a          include names that begin with .
  -C, -n      colours, no colours
  -d          only directories
  -D          the date of the last change
  -f          the whole path of each file
  -F          append */=@| as ls -F does
  -h          sizes for people;  -s in bytes
  -i          no lines
  -I GLOB     leave out what matches (GLOBs separated by |)
  -J          as JSON
  -l          follow links to directories
  -L LEVEL    only LEVEL levels
  -p          permissions
  -P GLOB     only files that match
  -r          in reverse;  -t by time;  -U unsorted;  -S by size;  -v by version
      --charset=NAME, -A, -S accepted
      --dirsfirst --filelimit=N --matchdirs --noreport --prune --gitignore(unsupported) --du(unsupported)
  -o FILE     write to FILE
  -Q          names in double quotes
`

// drawer is a running tree.
type drawer struct {
	p                                        *command.Proc
	all, dirsOnly, fullPath, noLines, follow bool
	classify, perms, bytes, human, dates     bool
	json, dirsFirst, noReport, prune, quoted bool
	matchDirs                                bool
	sort                                     string
	reverse                                  bool
	level, limit                             int
	include, exclude                         []*glob.Pattern
	colors                                   *palette
	dirs, files                              int
	trail                                    []fileID
	status                                   int
}

// branch is a file with what it holds.
type branch struct {
	name     string
	path     string
	info     sys.Info
	target   string
	isDir    bool
	toDir    bool // a link to a directory, which counts as one
	children []*branch
	failure  string
}

func tree(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "aACdDfFhiI:JlL:no:pP:QrsStUvN", Unsupported: "gHqRTuxXcy",
		UnsupLong: []string{"gitignore", "du", "fromfile", "info", "metafirst", "si", "timefmt"},
		Long: []getopt.Long{
			{Name: "charset", Arg: getopt.Required},
			{Name: "dirsfirst"},
			{Name: "filelimit", Arg: getopt.Required},
			{Name: "filesfirst"},
			{Name: "matchdirs"},
			{Name: "noreport"},
			{Name: "prune"},
			{Name: "sort", Arg: getopt.Required},
			{Name: "ignore-case"},
		},
	})
	d := &drawer{p: p, sort: "name"}
	for _, o := range opts {
		d.option(o)
	}
	if len(operands) == 0 {
		operands = []string{"."}
	}
	var roots []*branch
	for _, name := range operands {
		roots = append(roots, d.root(name))
	}
	if d.json {
		d.writeJSON(roots)
		return d.status
	}
	for _, r := range roots {
		d.line("", r)
		d.draw("", r)
	}
	if !d.noReport {
		_, _ = p.Out().WriteString("\n" + d.report() + "\n")
	}
	return d.status
}

func (d *drawer) option(o getopt.Option) {
	switch o.Name {
	case "a":
		d.all = true
	case "C":
		d.colors = newPalette(d.p.Env)
	case "n":
		d.colors = nil
	case "d":
		d.dirsOnly = true
	case "D":
		d.dates = true
	case "f":
		d.fullPath = true
	case "F":
		d.classify = true
	case "h":
		d.human, d.bytes = true, true
	case "s":
		d.bytes = true
	case "i":
		d.noLines = true
	case "I":
		d.exclude = append(d.exclude, d.patterns(o.Arg)...)
	case "P":
		d.include = append(d.include, d.patterns(o.Arg)...)
	case "J":
		d.json = true
	case "l":
		d.follow = true
	case "L":
		n, err := strconv.Atoi(o.Arg)
		if err != nil || n <= 0 {
			d.p.Errorf("Invalid level, must be greater than 0.")
			d.p.Exit(1)
		}
		d.level = n
	case "p":
		d.perms = true
	case "Q":
		d.quoted = true
	case "r":
		d.reverse = true
	case "t":
		d.sort = "mtime"
	case "v":
		d.sort = "version"
	case "U":
		d.sort = "none"
	case "sort":
		d.sort = o.Arg
	case "dirsfirst":
		d.dirsFirst = true
	case "filelimit":
		d.limit, _ = strconv.Atoi(o.Arg)
	case "matchdirs":
		d.matchDirs = true
	case "noreport":
		d.noReport = true
	case "prune":
		d.prune = true
	}
}

func (d *drawer) patterns(s string) []*glob.Pattern {
	var out []*glob.Pattern
	for part := range strings.SplitSeq(s, "|") {
		g, err := glob.Compile(strings.TrimSuffix(part, "/"), 0)
		if err != nil {
			d.p.Errorf("invalid pattern %s", part)
			d.p.Exit(1)
		}
		out = append(out, g)
	}
	return out
}

func (d *drawer) root(name string) *branch {
	b := &branch{name: name, path: name}
	info, err := d.p.Stat(name)
	b.info = info
	if err != nil || !info.IsDir() {
		b.failure = "error opening dir"
		d.status = 2
		return b
	}
	b.isDir = true
	d.dirs++ // the root counts too
	d.read(b, 1)
	return b
}

// read fills in what a directory holds.
func (d *drawer) read(b *branch, depth int) {
	d.p.Yield()
	entries, err := sys.ReadDir(d.p.Path(b.path))
	if err != nil {
		b.failure = "error opening dir"
		d.status = 2
		return
	}
	if d.limit > 0 && len(entries) > d.limit {
		b.failure = fmt.Sprintf("%d entries exceeds filelimit, not opening dir", len(entries))
		return
	}
	d.trail = append(d.trail, idOf(b.info))
	defer func() { d.trail = d.trail[:len(d.trail)-1] }()
	for _, e := range entries {
		if c := d.child(b, e.Name(), depth); c != nil {
			b.children = append(b.children, c)
		}
	}
	d.order(b.children)
}

// child describes one entry; nil when it is left out.
func (d *drawer) child(b *branch, name string, depth int) *branch {
	if strings.HasPrefix(name, ".") && !d.all {
		return nil
	}
	c := &branch{name: name, path: joinPath(b.path, name)}
	info, err := d.p.Lstat(c.path)
	if err != nil {
		return nil
	}
	c.info, c.isDir = info, info.IsDir()
	if info.IsLink() {
		c.target, _ = sys.Readlink(d.p.Path(c.path))
		if target, err := d.p.Stat(c.path); err == nil && target.IsDir() {
			c.toDir = true
			if d.dirsOnly || d.follow {
				c.isDir = true
			}
			if d.follow {
				c.info.Dev, c.info.Ino = target.Dev, target.Ino
			}
		}
	}
	if matchAny(d.exclude, name) || (d.dirsOnly && !c.isDir) {
		return nil
	}
	if !c.isDir && len(d.include) > 0 && !matchAny(d.include, name) {
		return nil
	}
	if c.isDir && (!info.IsLink() || d.follow) && (d.level == 0 || depth < d.level) && !d.loop(c) {
		d.read(c, depth+1)
	}
	if c.isDir && d.prune && len(c.children) == 0 {
		return nil
	}
	if c.isDir || c.toDir {
		d.dirs++
	} else {
		d.files++
	}
	return c
}

func (d *drawer) loop(c *branch) bool {
	for _, id := range d.trail {
		if id == idOf(c.info) {
			c.failure = "recursive, not followed"
			return true
		}
	}
	return false
}

func (d *drawer) order(list []*branch) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if d.dirsFirst && a.isDir != b.isDir {
			return a.isDir
		}
		c := 0
		switch d.sort {
		case "mtime":
			c = a.info.Mtime.Compare(b.info.Mtime)
		case "size":
			c = compareInts(b.info.Size, a.info.Size)
		case "version":
			c = version.Compare(a.name, b.name)
		}
		if c == 0 {
			c = strings.Compare(a.name, b.name)
		}
		if d.reverse {
			return c > 0
		}
		return c < 0
	})
}

// line writes one file.
func (d *drawer) line(prefix string, b *branch) {
	out := d.p.Out()
	_, _ = out.WriteString(prefix)
	if attrs := d.attributes(b); attrs != "" {
		_, _ = out.WriteString("[" + attrs + "]  ")
	}
	name := b.name
	if d.fullPath {
		name = b.path
	}
	if d.quoted {
		name = strconv.Quote(name)
	}
	e := &lsEntry{name: b.name, info: b.info, target: b.target}
	_, _ = out.WriteString(d.colors.paint(name, e))
	if b.target != "" {
		_, _ = out.WriteString(" -> " + b.target)
		if d.classify && b.toDir {
			_ = out.WriteByte('/')
		}
	} else if d.classify {
		_, _ = out.WriteString(classMark(b.info))
	}
	if b.failure != "" {
		_, _ = out.WriteString("  [" + b.failure + "]")
	}
	_ = out.WriteByte('\n')
}

func classMark(i sys.Info) string {
	switch {
	case i.IsDir():
		return "/"
	case i.Mode&fs.ModeNamedPipe != 0:
		return "|"
	case i.Mode&fs.ModeSocket != 0:
		return "="
	case i.IsRegular() && perm.Bits(i.Mode)&perm.AnyX != 0:
		return "*"
	}
	return ""
}

func (d *drawer) attributes(b *branch) string {
	var parts []string
	if d.perms {
		parts = append(parts, perm.String(b.info.Mode))
	}
	switch {
	case d.human:
		parts = append(parts, fmt.Sprintf("%4s", humanSize(b.info.Size, 1024)))
	case d.bytes:
		parts = append(parts, fmt.Sprintf("%11d", b.info.Size))
	}
	if d.dates {
		parts = append(parts, strftime.Format("%b %e %H:%M", b.info.Mtime.In(datetime.Location(d.p.Env))))
	}
	return strings.Join(parts, " ")
}

// The lines of the drawing; the blanks after the bars are no-break spaces, as tree has them.
const (
	barTee   = "├── "
	barEnd   = "└── "
	barDown  = "│\u00a0\u00a0 "
	barBlank = "    "
)

func (d *drawer) draw(prefix string, b *branch) {
	for i, c := range b.children {
		mark, next := barTee, barDown
		if i == len(b.children)-1 {
			mark, next = barEnd, barBlank
		}
		if d.noLines {
			d.line("", c)
			d.draw("", c)
			continue
		}
		d.line(prefix+mark, c)
		d.draw(prefix+next, c)
	}
}

func (d *drawer) report() string {
	dirs := "directories"
	if d.dirs == 1 {
		dirs = "directory"
	}
	if d.dirsOnly {
		return fmt.Sprintf("%d %s", d.dirs, dirs)
	}
	files := "files"
	if d.files == 1 {
		files = "file"
	}
	return fmt.Sprintf("%d %s, %d %s", d.dirs, dirs, d.files, files)
}

func (d *drawer) writeJSON(roots []*branch) {
	out := d.p.Out()
	_, _ = out.WriteString("[\n")
	for i, r := range roots {
		if i > 0 {
			_, _ = out.WriteString("\n  ,\n")
		}
		d.jsonNode(r, "  ")
	}
	if !d.noReport {
		_, _ = out.WriteString("\n,\n")
		fmt.Fprintf(out, "  {\"type\":\"report\",\"directories\":%d", d.dirs)
		if !d.dirsOnly {
			fmt.Fprintf(out, ",\"files\":%d", d.files)
		}
		_, _ = out.WriteString("}\n")
	}
	_, _ = out.WriteString("]\n")
}

func (d *drawer) jsonNode(b *branch, indent string) {
	out := d.p.Out()
	kind := "file"
	switch {
	case b.info.IsLink():
		kind = "link"
	case b.isDir:
		kind = "directory"
	}
	name := b.name
	if d.fullPath {
		name = b.path
	}
	text, _ := json.Marshal(name)
	fmt.Fprintf(out, "%s{\"type\":%q,\"name\":%s", indent, kind, text)
	if b.target != "" {
		target, _ := json.Marshal(b.target)
		fmt.Fprintf(out, ",\"target\":%s", target)
	}
	if d.perms {
		fmt.Fprintf(out, ",\"mode\":\"%04o\",\"prot\":%q", perm.Bits(b.info.Mode), perm.String(b.info.Mode))
	}
	if d.bytes {
		fmt.Fprintf(out, ",\"size\":%d", b.info.Size)
	}
	if !b.isDir || (b.info.IsLink() && len(b.children) == 0) {
		_, _ = out.WriteString("}")
		return
	}
	_, _ = out.WriteString(",\"contents\":[")
	for i, c := range b.children {
		if i > 0 {
			_, _ = out.WriteString(",")
		}
		_, _ = out.WriteString("\n")
		d.jsonNode(c, indent+"  ")
	}
	if len(b.children) > 0 {
		_, _ = out.WriteString("\n" + indent)
	}
	_, _ = out.WriteString("]}")
}
