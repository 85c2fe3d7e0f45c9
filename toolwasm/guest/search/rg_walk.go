package search

import (
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/sys"
)

// walkOptions say which files rg searches.
type walkOptions struct {
	hidden     bool
	noIgnore   bool
	noVCS      bool // .gitignore does not count
	noDot      bool // .ignore and .rgignore do not count
	noParent   bool // the ignore files of parent directories do not count
	noGitCheck bool // .gitignore counts outside a repository too
	follow     bool
	foldGlobs  bool
	maxDepth   int
	maxSize    int64
	globs      []globOption
	ignoreText []string // texts of --ignore-file
	types      map[string][]string
	typeGlobs  []*glob.Pattern
	notGlobs   []*glob.Pattern
	sortKey    string
	reverse    bool
}

type globOption struct {
	text string
	fold bool
}

func (w *walkOptions) flag(name string) bool {
	switch name {
	case ".":
		w.hidden = true
	case "no-hidden":
		w.hidden = false
	case "no-ignore":
		w.noIgnore = true
	case "ignore":
		w.noIgnore = false
	case "no-ignore-vcs":
		w.noVCS = true
	case "no-ignore-dot":
		w.noDot = true
	case "no-ignore-parent":
		w.noParent = true
	case "no-ignore-global", "no-ignore-exclude", "no-ignore-files":
	case "no-require-git":
		w.noGitCheck = true
	case "L":
		w.follow = true
	case "glob-case-insensitive":
		w.foldGlobs = true
	case "sort-files":
		w.sortKey = "path"
	default:
		return false
	}
	return true
}

func (w *walkOptions) valued(p *command.Proc, opt getopt.Option) error {
	switch opt.Name {
	case "g", "iglob":
		w.globs = append(w.globs, globOption{opt.Arg, opt.Name == "iglob"})
	case "t", "T":
		return w.addType(opt.Arg, opt.Name == "T")
	case "type-add":
		name, pattern, ok := strings.Cut(opt.Arg, ":")
		if !ok {
			return fmt.Errorf("invalid definition (format is type:glob, e.g., html:*.html)")
		}
		w.loadTypes()
		w.types[name] = append(w.types[name], pattern)
	case "type-clear":
		w.loadTypes()
		delete(w.types, opt.Arg)
	case "max-filesize":
		n, err := parseSize(opt.Arg)
		if err != nil {
			return err
		}
		w.maxSize = n
	case "ignore-file":
		text, err := p.ReadFile(opt.Arg)
		if err != nil {
			return fmt.Errorf("%s: %s", opt.Arg, sys.Strerror(err))
		}
		w.ignoreText = append(w.ignoreText, string(text))
	case "sort", "sortr":
		switch opt.Arg {
		case "path", "modified", "accessed", "created", "none":
		default:
			return fmt.Errorf("error parsing flag --%s: choice '%s' is unrecognized", opt.Name, opt.Arg)
		}
		w.sortKey, w.reverse = opt.Arg, opt.Name == "sortr"
	}
	return nil
}

func (w *walkOptions) loadTypes() {
	if w.types == nil {
		w.types = fileTypes()
	}
}

func (w *walkOptions) addType(name string, not bool) error {
	w.loadTypes()
	globs, ok := w.types[name]
	if name == "all" {
		for _, g := range w.types {
			globs = append(globs, g...)
		}
		ok = true
	}
	if !ok {
		return fmt.Errorf("unrecognized file type: %s", name)
	}
	for _, g := range globs {
		pattern, err := glob.Compile(g, 0)
		if err != nil {
			continue
		}
		if not {
			w.notGlobs = append(w.notGlobs, pattern)
		} else {
			w.typeGlobs = append(w.typeGlobs, pattern)
		}
	}
	return nil
}

// parseSize reads a size with an optional suffix K, M or G.
func parseSize(s string) (int64, error) {
	digits := strings.TrimRight(s, "KMGkmg")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || len(s)-len(digits) > 1 {
		return 0, fmt.Errorf("invalid format for size '%s'", s)
	}
	switch strings.ToUpper(s[len(digits):]) {
	case "K":
		n <<= 10
	case "M":
		n <<= 20
	case "G":
		n <<= 30
	}
	return n, nil
}

// layer is a directory on the way down with its ignore rules.
type layer struct {
	dir  string // absolute
	sets []rules
}

// walker visits files in the order of their paths.
type walker struct {
	p     *command.Proc
	o     *walkOptions
	globs rules
	only  bool // a -g without ! was given: what no glob names is left out
	extra []rules
	visit func(name string, info sys.Info) (done bool)
	// entries, when set, is told of everything below the root, and visit of nothing there.
	entries func(Entry) (done bool)
	fail    func(name string, err error)
	layers  []layer
	git     bool
	above   []sys.Info // directories on the way down, against loops of links
}

func newWalker(p *command.Proc, o *walkOptions) *walker {
	w := &walker{p: p, o: o}
	for _, g := range o.globs {
		var flags glob.Flags
		if g.fold || o.foldGlobs {
			flags = glob.IgnoreCase
		}
		text, not := g.text, false
		if strings.HasPrefix(text, "!") {
			text, not = text[1:], true
		}
		for _, alt := range expandBraces(text) {
			r, ok := parseRule(alt, flags)
			if !ok {
				continue
			}
			// A glob names what is to be searched, an ignore rule what is not.
			r.negated = !not
			w.globs = append(w.globs, r)
			w.only = w.only || !not
		}
	}
	for _, text := range o.ignoreText {
		w.extra = append(w.extra, parseRules(text, 0))
	}
	return w
}

// maxBraces bounds what the braces of a glob expand to.
const maxBraces = 1000

// expandBraces expands {a,b}, which globs of rg have and patterns of ignore files do not.
func expandBraces(s string) []string {
	open := strings.IndexByte(s, '{')
	if open < 0 {
		return []string{s}
	}
	depth, at := 0, open
	var parts []string
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '{':
			if depth++; depth == 1 {
				at = i + 1
			}
		case ',':
			if depth == 1 {
				parts = append(parts, s[at:i])
				at = i + 1
			}
		case '}':
			if depth--; depth > 0 {
				continue
			}
			parts = append(parts, s[at:i])
			var out []string
			for _, part := range parts {
				for _, rest := range expandBraces(part + s[i+1:]) {
					if len(out) >= maxBraces {
						return out
					}
					out = append(out, s[:open]+rest)
				}
			}
			return out
		}
	}
	return []string{s}
}

// root walks one path that was named on the command line, or the current directory when implicit.
func (w *walker) root(name string, implicit bool) (done bool) {
	info, err := w.p.Stat(name)
	if err != nil {
		w.fail(name, err)
		return false
	}
	if !info.IsDir() {
		return w.visit(name, info)
	}
	full := path.Clean(w.p.Path(name))
	w.layers, w.above = nil, nil
	w.git = w.o.noGitCheck || w.inRepository(full)
	if !w.o.noParent {
		w.parents(full)
	}
	prefix := strings.TrimSuffix(name, "/") + "/"
	if implicit {
		prefix = ""
	}
	return w.directory(full, prefix, "", 1)
}

func (w *walker) inRepository(dir string) bool {
	for {
		if _, err := sys.Lstat(dir + "/.git"); err == nil {
			return true
		}
		if dir == "/" {
			return false
		}
		dir = path.Dir(dir)
	}
}

// parents loads the ignore files of the directories above one.
func (w *walker) parents(dir string) {
	var above []string
	for dir != "/" {
		dir = path.Dir(dir)
		above = append(above, dir)
	}
	for i := len(above) - 1; i >= 0; i-- {
		w.push(above[i])
	}
}

// push loads the ignore files of a directory.
func (w *walker) push(dir string) {
	l := layer{dir: dir}
	load := func(name string) {
		text, err := sys.ReadFile(strings.TrimSuffix(dir, "/") + "/" + name)
		if err != nil {
			return
		}
		if rs := parseRules(string(text), 0); len(rs) > 0 {
			l.sets = append(l.sets, rs)
		}
	}
	if !w.o.noIgnore {
		if w.git && !w.o.noVCS {
			load(".git/info/exclude")
			load(".gitignore")
		}
		if !w.o.noDot {
			load(".ignore")
			load(".rgignore")
		}
	}
	w.layers = append(w.layers, l)
}

// directory walks the entries of a directory. full is its absolute path, prefix what is printed before its names, rel its
// path below the root.
func (w *walker) directory(full, prefix, rel string, depth int) (done bool) {
	if depth > w.o.maxDepth {
		return false
	}
	info, err := sys.Stat(full)
	if err == nil {
		for _, a := range w.above {
			if a.Same(info) && info.Ino != 0 {
				return false
			}
		}
		w.above = append(w.above, info)
		defer func() { w.above = w.above[:len(w.above)-1] }()
	}
	entries, err := sys.ReadDir(full)
	if err != nil {
		w.fail(strings.TrimSuffix(prefix, "/"), err)
		return false
	}
	w.p.Yield()
	w.push(full)
	defer func() { w.layers = w.layers[:len(w.layers)-1] }()
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	for _, e := range entries {
		if w.entry(e, full, prefix, rel, depth) {
			return true
		}
	}
	return false
}

func (w *walker) entry(e fs.DirEntry, full, prefix, rel string, depth int) (done bool) {
	name := e.Name()
	path := strings.TrimSuffix(full, "/") + "/" + name
	link := e.Type()&fs.ModeSymlink != 0
	if w.entries != nil {
		return w.listed(e, full, prefix, strings.TrimPrefix(rel+"/"+name, "/"), depth)
	}
	if link && !w.o.follow {
		return false
	}
	dir := e.IsDir()
	var info sys.Info
	var err error
	if link {
		if info, err = sys.Stat(path); err != nil {
			w.fail(prefix+name, err)
			return false
		}
		dir = info.IsDir()
	}
	rel = strings.TrimPrefix(rel+"/"+name, "/")
	if w.skips(path, rel, name, dir) {
		return false
	}
	if dir {
		return w.directory(path, prefix+name+"/", rel, depth+1)
	}
	if !link {
		if info, err = sys.Lstat(path); err != nil {
			w.fail(prefix+name, err)
			return false
		}
	}
	if !info.IsRegular() || info.Size > w.o.maxSize || w.wrongType(name) {
		return false
	}
	return w.visit(prefix+name, info)
}

// listed tells of an entry, whatever it is, and goes on below it.
func (w *walker) listed(e fs.DirEntry, full, prefix, rel string, depth int) (done bool) {
	path := strings.TrimSuffix(full, "/") + "/" + e.Name()
	if w.skips(path, rel, e.Name(), e.IsDir()) {
		return false
	}
	if w.entries(Entry{Name: prefix + e.Name(), Rel: rel, Dir: e.IsDir()}) {
		return true
	}
	return e.IsDir() && w.directory(path, prefix+e.Name()+"/", rel, depth+1)
}

// skips reports whether an entry is left out: by -g, else by ignore files, else because it is hidden.
func (w *walker) skips(full, rel, name string, dir bool) bool {
	switch w.globs.decide(rel, dir) {
	case ignored:
		return true
	case wanted:
		return false
	}
	if w.only && !dir {
		return true
	}
	switch w.ignoreVerdict(full, rel, dir) {
	case ignored:
		return true
	case wanted:
		return false
	}
	return name[0] == '.' && !w.o.hidden
}

// ignoreVerdict asks the ignore files from the innermost directory outwards.
func (w *walker) ignoreVerdict(full, rel string, dir bool) verdictOf {
	for i := len(w.layers) - 1; i >= 0; i-- {
		l := &w.layers[i]
		below := strings.TrimPrefix(strings.TrimPrefix(full, strings.TrimSuffix(l.dir, "/")), "/")
		for k := len(l.sets) - 1; k >= 0; k-- {
			if v := l.sets[k].decide(below, dir); v != noVerdict {
				return v
			}
		}
	}
	for i := len(w.extra) - 1; i >= 0; i-- {
		if v := w.extra[i].decide(rel, dir); v != noVerdict {
			return v
		}
	}
	return noVerdict
}

func (w *walker) wrongType(name string) bool {
	for _, g := range w.o.notGlobs {
		if g.Match(name) {
			return true
		}
	}
	if len(w.o.typeGlobs) == 0 {
		return false
	}
	for _, g := range w.o.typeGlobs {
		if g.Match(name) {
			return false
		}
	}
	return true
}
