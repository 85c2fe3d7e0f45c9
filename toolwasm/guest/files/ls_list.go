package files

import (
	"errors"
	"io/fs"
	"sort"
	"strings"

	"openclaw/toolwasm/guest/columns"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/version"
)

// lsEntry is one name of a listing.
type lsEntry struct {
	name   string // as it is shown
	path   string // how to reach it
	info   sys.Info
	err    error // why there is no info
	target string
	dir    bool // it is a directory, or is to be listed as one
	// referent describes what a symbolic link leads to, when that matters.
	referent *sys.Info
}

func (l *lister) fail(status int, format string, args ...any) {
	l.status = max(l.status, status)
	l.p.Errorf(format, args...)
}

func (l *lister) run(operands []string) {
	var files, dirs []*lsEntry
	for _, name := range operands {
		e, ok := l.operand(name)
		if !ok {
			continue
		}
		if e.dir && !l.dirOnly {
			dirs = append(dirs, e)
		} else {
			files = append(files, e)
		}
	}
	l.order(files)
	l.order(dirs)
	if len(files) > 0 {
		// GNU's field widths are those of all operands, the directories among them too.
		l.show(files, l.widths(append(dirs[:len(dirs):len(dirs)], files...)), false)
		l.shown = true
	}
	header := l.recursive || len(operands) > 1
	for _, d := range dirs {
		l.directory(d.path, d.info, header)
	}
}

func (l *lister) operand(name string) (*lsEntry, bool) {
	e := &lsEntry{name: name, path: name}
	var err error
	switch {
	case l.followAll || l.followOps:
		e.info, err = l.p.Stat(name)
		if errors.Is(err, fs.ErrNotExist) && l.followOps && !l.followAll {
			e.info, err = l.p.Lstat(name)
		}
	case l.followDirOps:
		// A link that leads nowhere is shown itself; one that must not be followed is an error.
		e.info, err = l.p.Stat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !e.info.IsDir() {
			e.info, err = l.p.Lstat(name)
		}
	default:
		e.info, err = l.p.Lstat(name)
	}
	if err != nil {
		l.fail(2, "cannot access %s: %s", quote.Always(name), sys.Strerror(err))
		return nil, false
	}
	e.dir = e.info.IsDir()
	l.complete(e)
	return e, true
}

// complete reads what a link leads to, when it is shown.
func (l *lister) complete(e *lsEntry) {
	if !e.info.IsLink() {
		return
	}
	if l.format == formatLong {
		e.target, _ = sys.Readlink(l.p.Path(e.path))
	}
	if l.format == formatLong || l.colors != nil || l.dirsFirst {
		if info, err := l.p.Stat(e.path); err == nil {
			e.referent = &info
		}
	}
}

// directory lists one directory, and those below it with -R.
func (l *lister) directory(name string, info sys.Info, header bool) {
	l.p.Yield()
	entries, err := sys.ReadDir(l.p.Path(name))
	if err != nil {
		status := 1
		if !l.recursive || len(l.trail) == 0 {
			status = 2
		}
		l.fail(status, "cannot open directory %s: %s", quote.Always(name), sys.Strerror(err))
		return
	}
	if l.recursive {
		for _, id := range l.trail {
			if id == idOf(info) {
				l.fail(2, "%s: not listing already-listed directory", quote.File(name))
				return
			}
		}
		l.trail = append(l.trail, idOf(info))
		defer func() { l.trail = l.trail[:len(l.trail)-1] }()
	}
	if header {
		if l.shown {
			_ = l.out.WriteByte('\n')
		}
		_, _ = l.out.WriteString(l.quoted(name) + ":\n")
	}
	l.shown = true
	var list []*lsEntry
	if l.all {
		list = append(list, l.entry(name, "."), l.entry(name, ".."))
	}
	for _, e := range entries {
		if l.wanted(e.Name()) {
			list = append(list, l.entry(name, e.Name()))
		}
	}
	l.order(list)
	l.show(list, l.widths(list), true)
	if !l.recursive {
		return
	}
	for _, e := range list {
		if e.dir && e.name != "." && e.name != ".." {
			l.directory(e.path, e.info, true)
		}
	}
}

func (l *lister) wanted(name string) bool {
	if strings.HasPrefix(name, ".") && !l.all && !l.almostAll {
		return false
	}
	if !l.all && !l.almostAll && matchAny(l.hide, name) {
		return false
	}
	return !matchAny(l.ignore, name)
}

func matchAny(patterns []*glob.Pattern, name string) bool {
	for _, g := range patterns {
		if g.Match(name) {
			return true
		}
	}
	return false
}

func (l *lister) entry(dir, name string) *lsEntry {
	e := &lsEntry{name: name, path: joinPath(dir, name)}
	if !l.needsInfo() {
		return e
	}
	e.info, e.err = stat(l.p, e.path, l.followAll)
	if e.err != nil && l.followAll {
		l.fail(1, "cannot access %s: %s", quote.Always(e.path), sys.Strerror(e.err))
	}
	e.dir = e.err == nil && e.info.IsDir()
	l.complete(e)
	return e
}

// needsInfo reports whether anything but the names is asked for. A plain ls reads no attributes.
func (l *lister) needsInfo() bool {
	return l.format == formatLong || l.recursive || l.dirsFirst || l.inode || l.blocks || l.colors != nil ||
		l.indicators != indicateNone || l.sort == "time" || l.sort == "size" || l.time != 'm' || l.followAll
}

// order sorts entries. Names decide between equals, in the same direction.
func (l *lister) order(list []*lsEntry) {
	by := l.sort
	if by == "name" && l.time != 'm' && l.format != formatLong {
		by = "time"
	}
	if by != "none" {
		sort.SliceStable(list, func(i, j int) bool {
			c := l.compare(by, list[i], list[j])
			if l.reverse {
				return c > 0
			}
			return c < 0
		})
	}
	if l.dirsFirst && by != "none" {
		sort.SliceStable(list, func(i, j int) bool { return isDirLike(list[i]) && !isDirLike(list[j]) })
	}
}

func isDirLike(e *lsEntry) bool {
	return e.dir || (e.referent != nil && e.referent.IsDir())
}

func (l *lister) compare(by string, a, b *lsEntry) int {
	c := 0
	switch by {
	case "time":
		c = fileTime(b.info, l.time).Compare(fileTime(a.info, l.time))
	case "size":
		c = compareInts(b.info.Size, a.info.Size)
	case "extension":
		c = strings.Compare(extension(a.name), extension(b.name))
	case "version":
		c = version.Compare(a.name, b.name)
	case "width":
		c = columns.Text(a.name) - columns.Text(b.name)
	}
	if c == 0 {
		c = strings.Compare(a.name, b.name)
	}
	return c
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// extension is what follows the last dot, with the dot.
func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// quoted is the name in the quoting style of the listing.
func (l *lister) quoted(name string) string {
	var q string
	switch l.style {
	case "shell":
		q = quote.ShellLiteral(name, false)
	case "shell-always":
		q = quote.ShellLiteral(name, true)
	case "shell-escape":
		return quote.File(name)
	case "shell-escape-always":
		return quote.Always(name)
	case "c":
		return quote.C(name)
	case "c-maybe":
		if c := quote.C(name); c != `"`+name+`"` {
			return c
		}
		return name
	case "escape":
		return quote.Escape(name)
	case "locale", "clocale":
		return quote.Locale(name)
	default:
		q = name
	}
	if l.hideControl {
		q = printable(q)
	}
	return q
}

// mark is the indicator after a name, or 0.
func (l *lister) mark(info *sys.Info, ok bool) byte {
	if l.indicators == indicateNone || !ok {
		return 0
	}
	switch k := perm.TypeLetter(info.Mode); {
	case k == 'd':
		return '/'
	case l.indicators == indicateSlash:
		return 0
	case k == 'l':
		return '@'
	case k == 'p':
		return '|'
	case k == 's':
		return '='
	case k == '-' && l.indicators == indicateClass && perm.Bits(info.Mode)&perm.AnyX != 0:
		return '*'
	}
	return 0
}
