package shell

import (
	"io/fs"
	"sort"
	"strings"

	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/sys"
)

// pathnames adds the file names that match a field, which has marks before quoted characters; the field itself when
// none does.
func (sh *Shell) pathnames(dst []string, field []byte) []string {
	pattern := globText(field)
	if !glob.HasMeta(pattern, sh.shopt.has(shoptExtglob)) {
		return append(dst, unmark(field))
	}
	w := globber{sh: sh}
	names := w.expand(pattern)
	if len(names) == 0 {
		switch {
		case sh.shopt.has(shoptFailglob):
			sh.errorf("no match: %s", unmark(field))
			sh.abort()
			return dst
		case sh.shopt.has(shoptNullglob):
			return dst
		}
		return append(dst, unmark(field))
	}
	sort.Strings(names)
	return append(dst, names...)
}

// globText turns the marks of a field into backslashes.
func globText(field []byte) string {
	b := make([]byte, 0, len(field)+8)
	for i := 0; i < len(field); i++ {
		if field[i] == mark && i+1 < len(field) {
			i++
			b = append(b, '\\')
		}
		b = append(b, field[i])
	}
	return string(b)
}

// globber walks the directories that a pattern names.
type globber struct {
	sh     *Shell
	ignore []*glob.Pattern
	found  []string
	star   bool
	depth  int
}

func (w *globber) flags() glob.Flags {
	f := glob.Flags(0)
	if w.sh.shopt.has(shoptExtglob) {
		f |= glob.Extglob
	}
	if w.sh.shopt.has(shoptNocaseglob) {
		f |= glob.IgnoreCase
	}
	return f
}

func (w *globber) expand(pattern string) []string {
	w.loadIgnore()
	dir := ""
	for strings.HasPrefix(pattern, "/") {
		dir += "/"
		pattern = pattern[1:]
	}
	w.walk(dir, splitPath(pattern))
	if w.ignore == nil {
		return w.found
	}
	kept := w.found[:0]
	for _, n := range w.found {
		if !w.ignored(n) {
			kept = append(kept, n)
		}
	}
	return kept
}

// loadIgnore compiles GLOBIGNORE.
func (w *globber) loadIgnore() {
	list, set := w.sh.get("GLOBIGNORE")
	if !set || list == "" {
		return
	}
	for _, p := range splitIgnore(list) {
		w.ignore = append(w.ignore, w.sh.compile(p, w.flags()))
	}
}

// splitIgnore splits GLOBIGNORE at colons outside of sets.
func splitIgnore(s string) []string {
	var parts []string
	start, open := 0, false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if i+1 < len(s) && s[i+1] == ':' && open {
				if n := strings.Index(s[i+2:], ":]"); n >= 0 {
					i += n + 3
				}
				continue
			}
			open = true
		case ']':
			open = false
		case ':':
			if !open {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}

func (w *globber) ignored(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	if base == "." || base == ".." {
		return true
	}
	for _, p := range w.ignore {
		if p.Match(name) {
			return true
		}
	}
	return false
}

// splitPath splits a pattern at slashes outside of sets and extended patterns.
func splitPath(p string) []string {
	var parts []string
	start, depth := 0, 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth > 0 {
				depth--
			}
		case '/':
			if depth > 0 {
				continue
			}
			parts = append(parts, p[start:i])
			start = i + 1
		}
	}
	return append(parts, p[start:])
}

func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}

// walk matches the components of a pattern below dir, which is "" or ends in a slash.
func (w *globber) walk(dir string, parts []string) {
	if len(w.found) > maxGlobResults || !w.sh.step() {
		return
	}
	part, rest := parts[0], parts[1:]
	if part == "" {
		if len(rest) == 0 {
			if dir != "" {
				w.found = append(w.found, dir)
			}
			return
		}
		w.walk(dir+"/", rest)
		return
	}
	if !glob.HasMeta(part, w.sh.shopt.has(shoptExtglob)) {
		w.plain(dir, unescape(part), rest)
		return
	}
	if part == "**" && w.sh.shopt.has(shoptGlobstar) {
		w.globstar(dir, rest)
		return
	}
	w.match(dir, part, rest)
}

// plain follows a component without pattern characters.
func (w *globber) plain(dir, name string, rest []string) {
	full := dir + name
	if len(rest) == 0 {
		if _, err := sys.Lstat(w.sh.path(full)); err == nil {
			w.found = append(w.found, full)
		}
		return
	}
	if info, err := sys.Stat(w.sh.path(full)); err == nil && info.IsDir() {
		w.walk(full+"/", rest)
	}
}

func (w *globber) list(dir string) []fs.DirEntry {
	if dir == "" {
		dir = "."
	}
	entries, _ := sys.ReadDir(w.sh.path(dir))
	return entries
}

// match lists a directory and follows the names that match.
func (w *globber) match(dir, part string, rest []string) {
	p := w.sh.compile(part, w.flags())
	dots := w.sh.shopt.has(shoptDotglob) || w.ignore != nil
	explicit := strings.HasPrefix(part, ".") || strings.HasPrefix(part, `\.`)
	for _, name := range w.dotDirs(explicit) {
		if p.Match(name) {
			w.follow(dir, name, nil, rest)
		}
	}
	for _, e := range w.list(dir) {
		name := e.Name()
		if name[0] == '.' && !dots && !explicit && !extDot(part) {
			continue
		}
		if p.Match(name) {
			w.follow(dir, name, e, rest)
		}
	}
}

// extDot reports whether an extended pattern has an alternative with an explicit dot.
func extDot(part string) bool {
	return len(part) > 2 && strings.IndexByte("?*+@", part[0]) >= 0 && part[1] == '(' && (part[2] == '.' || strings.Contains(part, "|."))
}

// dotDirs lists . and .. when a pattern may match them.
func (w *globber) dotDirs(explicit bool) []string {
	if !explicit || w.sh.shopt.has(shoptGlobskipdots) {
		return nil
	}
	return []string{".", ".."}
}

func (w *globber) follow(dir, name string, e fs.DirEntry, rest []string) {
	full := dir + name
	if len(rest) == 0 {
		w.found = append(w.found, full)
		return
	}
	if e != nil && !e.IsDir() {
		if e.Type()&fs.ModeSymlink == 0 {
			return
		}
		if info, err := sys.Stat(w.sh.path(full)); err != nil || !info.IsDir() {
			return
		}
	}
	w.walk(full+"/", rest)
}

// globstar matches ** : any number of directories.
func (w *globber) globstar(dir string, rest []string) {
	const deepest = 200
	for len(rest) > 0 && rest[0] == "**" {
		rest = rest[1:]
	}
	if w.depth >= deepest {
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	if len(rest) == 0 {
		if dir != "" && !w.star {
			w.found = append(w.found, dir)
		}
	} else if !(len(rest) == 1 && rest[0] == "") {
		w.walk(dir, rest)
	} else if dir != "" {
		w.found = append(w.found, dir)
	}
	for _, e := range w.list(dir) {
		name := e.Name()
		if name[0] == '.' && !w.sh.shopt.has(shoptDotglob) {
			continue
		}
		full := dir + name
		if len(rest) == 0 {
			w.found = append(w.found, full)
		}
		if e.IsDir() {
			w.inner(full+"/", rest)
		}
	}
}

// inner continues ** in a directory whose own name has been added.
func (w *globber) inner(dir string, rest []string) {
	was := w.star
	w.star = true
	w.globstar(dir, rest)
	w.star = was
}

// path makes a name absolute.
func (sh *Shell) path(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	if name == "" {
		return ""
	}
	return strings.TrimSuffix(sh.dir, "/") + "/" + name
}
