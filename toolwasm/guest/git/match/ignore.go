package match

import (
	"strings"

	"openclaw/toolwasm/guest/sys"
)

// maxFile bounds an ignore or attributes file.
const maxFile = 4 << 20

// rule is one line of an ignore file.
type rule struct {
	pattern  string // without marks
	base     string // the directory that it stands in, with a slash after it, or ""
	negated  bool
	dirOnly  bool
	anywhere bool // no slash inside: the name alone counts
	literal  bool
	source   string
	line     int
	original string
}

// Ignores answers which paths are ignored. Files of directories are read when they are first asked about.
type Ignores struct {
	root   string // of the working tree
	common []rule // of the command line, info/exclude and the user's file, the weakest first
	extra  []rule // of the command line: stronger than all
	dirs   map[string][]rule
	fold   bool
}

// NewIgnores returns the rules of a working tree. files are others that apply everywhere, the weakest first.
func NewIgnores(root string, fold bool, files ...string) *Ignores {
	g := &Ignores{root: root, dirs: map[string][]rule{}, fold: fold}
	for _, f := range files {
		g.common = append(g.common, readRules(f, f, "")...)
	}
	return g
}

// Add adds a pattern of the command line.
func (g *Ignores) Add(pattern string) {
	if r, ok := parseRule(pattern, ""); ok {
		g.extra = append(g.extra, r)
	}
}

func readRules(file, source, base string) []rule {
	info, err := sys.Lstat(file)
	if err != nil || !info.IsRegular() || info.Size > maxFile {
		return nil
	}
	data, err := sys.ReadFile(file)
	if err != nil {
		return nil
	}
	var rules []rule
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		n++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if r, ok := parseRule(line, base); ok {
			r.source, r.line = source, n
			rules = append(rules, r)
		}
	}
	return rules
}

func parseRule(line, base string) (rule, bool) {
	r := rule{base: base, original: line}
	line = trimTrailing(line)
	if line == "" || line[0] == '#' {
		return r, false
	}
	if line[0] == '!' {
		r.negated, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirOnly, line = true, line[:len(line)-1]
	}
	r.anywhere = !strings.Contains(line, "/")
	r.pattern = strings.TrimPrefix(line, "/")
	r.literal = !strings.ContainsAny(r.pattern, `*?[\`)
	return r, r.pattern != ""
}

// trimTrailing removes blanks at the end that no backslash protects.
func trimTrailing(s string) string {
	for strings.HasSuffix(s, " ") && !strings.HasSuffix(s, `\ `) {
		s = s[:len(s)-1]
	}
	return s
}

func (r *rule) match(path, name string, dir, fold bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	rest, ok := strings.CutPrefix(path, r.base)
	if !ok {
		return false
	}
	if r.anywhere {
		if r.literal && !fold {
			return r.pattern == name
		}
		return Glob(r.pattern, name, true, fold)
	}
	if r.literal && !fold {
		return r.pattern == rest
	}
	return Glob(r.pattern, rest, true, fold)
}

// decide returns what the strongest rule about a path says, of those that are about it and not its parents.
func (g *Ignores) decide(path string, dir bool) (ignored, decided bool) {
	r := g.find(path, dir)
	if r == nil {
		return false, false
	}
	return !r.negated, true
}

func (g *Ignores) find(path string, dir bool) *rule {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if r := lastMatch(g.extra, path, name, dir, g.fold); r != nil {
		return r
	}
	for parent := path; parent != ""; {
		i := strings.LastIndexByte(parent, '/')
		parent = parent[:max(i, 0)]
		if r := lastMatch(g.rules(parent), path, name, dir, g.fold); r != nil {
			return r
		}
	}
	return lastMatch(g.common, path, name, dir, g.fold)
}

func lastMatch(rules []rule, path, name string, dir, fold bool) *rule {
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].match(path, name, dir, fold) {
			return &rules[i]
		}
	}
	return nil
}

// rules returns those of the ignore file in a directory.
func (g *Ignores) rules(dir string) []rule {
	if rules, ok := g.dirs[dir]; ok {
		return rules
	}
	base := dir
	if base != "" {
		base += "/"
	}
	rules := readRules(g.root+"/"+base+".gitignore", base+".gitignore", base)
	g.dirs[dir] = rules
	return rules
}

// Entry reports whether a path is ignored, given that its parent directory is not.
func (g *Ignores) Entry(path string, dir bool) bool {
	ignored, _ := g.decide(path, dir)
	return ignored
}

// Path reports whether a path is ignored, itself or by a directory above it.
func (g *Ignores) Path(path string, dir bool) bool {
	for i := 0; i < len(path); i++ {
		if path[i] == '/' && g.Entry(path[:i], true) {
			return true
		}
	}
	return g.Entry(path, dir)
}

// Source is where a rule stands that decides about a path.
type Source struct {
	File    string
	Line    int
	Pattern string
	Negated bool
}

// Explain returns the rule that decides about a path, itself or by a directory above it.
func (g *Ignores) Explain(path string, dir bool) (Source, bool) {
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		r := g.find(path[:i], dir || i < len(path))
		if r != nil && (i == len(path) || !r.negated) {
			return Source{r.source, r.line, r.original, r.negated}, true
		}
	}
	return Source{}, false
}
