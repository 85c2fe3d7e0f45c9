package match

import (
	"strings"

	"openclaw/toolwasm/guest/sys"
)

// Attribute is the state of one attribute of a path.
type Attribute struct {
	Set   bool // "name"
	Unset bool // "-name"
	Value string
}

// Attributes answers what .gitattributes files say about paths.
type Attributes struct {
	root   string
	common []attrRule
	dirs   map[string][]attrRule
}

type attrRule struct {
	rule
	names  []string
	states []Attribute
}

// NewAttributes returns the attributes of a working tree; files are others that apply everywhere, the weakest first.
func NewAttributes(root string, files ...string) *Attributes {
	a := &Attributes{root: root, dirs: map[string][]attrRule{}}
	for _, f := range files {
		a.common = append(a.common, readAttributes(f, "")...)
	}
	return a
}

func readAttributes(file, base string) []attrRule {
	info, err := sys.Lstat(file)
	if err != nil || !info.IsRegular() || info.Size > maxFile {
		return nil
	}
	data, err := sys.ReadFile(file)
	if err != nil {
		return nil
	}
	var rules []attrRule
	for line := range strings.Lines(string(data)) {
		if r, ok := parseAttributes(line, base); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseAttributes(line, base string) (attrRule, bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' || strings.HasPrefix(line, "[attr]") {
		return attrRule{}, false
	}
	var pattern string
	if line[0] == '"' {
		end := strings.IndexByte(line[1:], '"')
		if end < 0 {
			return attrRule{}, false
		}
		pattern, line = line[1:end+1], line[end+2:]
	} else {
		n := strings.IndexAny(line, " \t")
		if n < 0 {
			return attrRule{}, false
		}
		pattern, line = line[:n], line[n:]
	}
	r, ok := parseRule(pattern, base)
	if !ok || r.negated || r.dirOnly {
		return attrRule{}, false
	}
	out := attrRule{rule: r}
	for _, word := range strings.Fields(line) {
		out.add(word)
	}
	return out, len(out.names) > 0
}

func (r *attrRule) add(word string) {
	name, state := word, Attribute{Set: true}
	switch {
	case word[0] == '-':
		name, state = word[1:], Attribute{Unset: true}
	case word[0] == '!':
		name, state = word[1:], Attribute{}
	default:
		if n, value, ok := strings.Cut(word, "="); ok {
			name, state = n, Attribute{Value: value}
		}
	}
	r.names, r.states = append(r.names, name), append(r.states, state)
	if name == "binary" && state.Set {
		r.names = append(r.names, "diff", "merge", "text")
		r.states = append(r.states, Attribute{Unset: true}, Attribute{Unset: true}, Attribute{Unset: true})
	}
}

func (a *Attributes) rules(dir string) []attrRule {
	if rules, ok := a.dirs[dir]; ok {
		return rules
	}
	base := dir
	if base != "" {
		base += "/"
	}
	rules := readAttributes(a.root+"/"+base+".gitattributes", base)
	a.dirs[dir] = rules
	return rules
}

// Get returns the state of an attribute of a path.
func (a *Attributes) Get(path, name string) Attribute {
	last := path[strings.LastIndexByte(path, '/')+1:]
	for parent := path; parent != ""; {
		parent = parent[:max(strings.LastIndexByte(parent, '/'), 0)]
		if s, ok := lastState(a.rules(parent), path, last, name); ok {
			return s
		}
	}
	s, _ := lastState(a.common, path, last, name)
	return s
}

func lastState(rules []attrRule, path, last, name string) (Attribute, bool) {
	for i := len(rules) - 1; i >= 0; i-- {
		r := &rules[i]
		for j := len(r.names) - 1; j >= 0; j-- {
			if r.names[j] == name && r.match(path, last, false, false) {
				return r.states[j], true
			}
		}
	}
	return Attribute{}, false
}
