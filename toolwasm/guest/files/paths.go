package files

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// joinPath puts name below dir without cleaning either, as messages show them.
func joinPath(dir, name string) string {
	if dir == "" || strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// baseName is the last component of name, trailing slashes ignored; "/" for a name of slashes only.
func baseName(name string) string {
	trimmed := trimSlashes(name)
	if i := strings.LastIndexByte(trimmed, '/'); i >= 0 && trimmed != "/" {
		return trimmed[i+1:]
	}
	return trimmed
}

// dirName is name without its last component: "." when there is no other.
func dirName(name string) string {
	trimmed := trimSlashes(name)
	i := strings.LastIndexByte(trimmed, '/')
	switch {
	case trimmed == "/":
		return "/"
	case i < 0:
		return "."
	}
	if d := trimSlashes(trimmed[:i]); d != "" {
		return d
	}
	return "/"
}

// trimSlashes removes trailing slashes, but keeps "/".
func trimSlashes(name string) string {
	for len(name) > 1 && name[len(name)-1] == '/' {
		name = name[:len(name)-1]
	}
	return name
}

func isDotOrDotDot(name string) bool { return name == "." || name == ".." }

// isDirectory reports whether name is a directory or a link to one.
func isDirectory(p *command.Proc, name string) bool {
	info, err := p.Stat(name)
	return err == nil && info.IsDir()
}

// exists reports whether there is anything with that name.
func exists(p *command.Proc, name string) bool {
	_, err := p.Lstat(name)
	return err == nil
}

// stat describes name, through a link when follow is set.
func stat(p *command.Proc, name string, follow bool) (sys.Info, error) {
	if follow {
		return p.Stat(name)
	}
	return p.Lstat(name)
}

// relativeTo returns the way from the directory base to target, both absolute and clean.
func relativeTo(base, target string) string {
	b := strings.Split(strings.Trim(path.Clean(base), "/"), "/")
	t := strings.Split(strings.Trim(path.Clean(target), "/"), "/")
	if b[0] == "" {
		b = nil
	}
	if t[0] == "" {
		t = nil
	}
	same := 0
	for same < len(b) && same < len(t) && b[same] == t[same] {
		same++
	}
	var parts []string
	for range b[same:] {
		parts = append(parts, "..")
	}
	parts = append(parts, t[same:]...)
	if len(parts) == 0 {
		return "."
	}
	return strings.Join(parts, "/")
}

// printable replaces what a terminal could not show.
func printable(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if (r == utf8.RuneError && n == 1) || !unicode.IsPrint(r) {
			b.WriteByte('?')
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
