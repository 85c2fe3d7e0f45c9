package archive

import (
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/regex"
)

// complaint is a mistake in the command line, in tar's words.
type complaint string

func (c complaint) Error() string { return string(c) }

func complain(format string, args ...any) error { return complaint(fmt.Sprintf(format, args...)) }

// names are the rules about member names: what is left out, what is wanted and what they become.
type names struct {
	exclude    []exclusion
	transforms []transform
	strip      int
	anchored   *bool
	wildcards  *bool
	slash      bool // wildcards match slashes
	fold       bool
	yield      func()
}

type exclusion struct {
	pattern  *glob.Pattern
	literal  string
	anchored bool
}

// transform is one s/RE/TEXT/FLAGS.
type transform struct {
	re     *regex.Regexp
	text   []part
	global bool
	nth    int
	// Which names are changed: members, targets of hard links and of symbolic links.
	members, hard, sym bool
}

// part is a piece of a replacement.
type part struct {
	text  string
	group int // -1 for text
	fold  byte
}

func newNames(yield func()) names { return names{slash: true, yield: yield} }

func (n *names) option(name string) bool {
	yes, no := true, false
	switch name {
	case "anchored":
		n.anchored = &yes
	case "no-anchored":
		n.anchored = &no
	case "wildcards":
		n.wildcards = &yes
	case "no-wildcards":
		n.wildcards = &no
	case "wildcards-match-slash":
		n.slash = true
	case "no-wildcards-match-slash":
		n.slash = false
	case "ignore-case":
		n.fold = true
	case "no-ignore-case":
		n.fold = false
	case "exclude-vcs":
		for _, s := range []string{
			"CVS", ".cvsignore", "RCS", "SCCS", ".svn", ".git", ".gitignore", ".gitattributes", ".gitmodules", ".arch-ids",
			"{arch}", "=RELEASE-ID", "=meta-update", "=update", ".bzr", ".bzrignore", ".bzrtags", ".hg", ".hgignore",
			".hgtags", "_darcs",
		} {
			n.exclude = append(n.exclude, exclusion{literal: s})
		}
	case "exclude-backups":
		for _, s := range []string{".#*", "*~", "#*#"} {
			n.addExclude(s)
		}
	default:
		return false
	}
	return true
}

func (n *names) flags() glob.Flags {
	var f glob.Flags
	if n.fold {
		f |= glob.IgnoreCase
	}
	if !n.slash {
		f |= glob.Pathname
	}
	return f
}

// addExclude adds a pattern by the rules that are in force where it stands.
func (n *names) addExclude(s string) {
	e := exclusion{literal: strings.TrimRight(s, "/"), anchored: n.anchored != nil && *n.anchored}
	if e.literal == "" {
		e.literal = s
	}
	if n.wildcards == nil || *n.wildcards {
		if g, err := glob.Compile(e.literal, n.flags()); err == nil {
			e.pattern = g
		}
	}
	n.exclude = append(n.exclude, e)
}

func (e *exclusion) match(s string) bool {
	if e.pattern != nil {
		return e.pattern.Match(s)
	}
	return e.literal == s
}

// excluded reports whether a name, or a directory that holds it, is left out. A pattern may match from any component on,
// unless it is anchored.
func (n *names) excluded(name string) bool {
	if len(n.exclude) == 0 {
		return false
	}
	name = strings.TrimRight(name, "/")
	for i := range n.exclude {
		e := &n.exclude[i]
		for from := 0; ; {
			if matchLeading(e.match, name[from:]) {
				return true
			}
			next := strings.IndexByte(name[from:], '/')
			if e.anchored || next < 0 {
				break
			}
			from += next + 1
		}
	}
	return false
}

// matchLeading reports whether match holds for s or a leading part of it that ends before a slash.
func matchLeading(match func(string) bool, s string) bool {
	if match(s) {
		return true
	}
	for i := 1; i < len(s); i++ {
		if s[i] == '/' && match(s[:i]) {
			return true
		}
	}
	return false
}

// matcher returns the test for an operand of -t, -x and -d.
func (n *names) matcher(operand string) func(string) bool {
	want := strings.TrimRight(operand, "/")
	match := func(s string) bool { return s == want }
	if n.wildcards != nil && *n.wildcards {
		if g, err := glob.Compile(want, n.flags()); err == nil {
			match = g.Match
		}
	}
	floating := n.anchored != nil && !*n.anchored
	return func(name string) bool {
		name = strings.TrimRight(name, "/")
		if matchLeading(match, name) {
			return true
		}
		for i := range len(name) {
			if floating && name[i] == '/' && matchLeading(match, name[i+1:]) {
				return true
			}
		}
		return false
	}
}

// addTransform reads one or more expressions separated by semicolons.
func (n *names) addTransform(s string) error {
	for s != "" {
		rest, err := n.oneTransform(s)
		if err != nil {
			return err
		}
		s = strings.TrimPrefix(rest, ";")
	}
	return nil
}

func (n *names) oneTransform(s string) (rest string, err error) {
	bad := complain("Invalid transform expression")
	if len(s) < 2 || s[0] != 's' {
		return "", bad
	}
	sep := s[1]
	pattern, s, ok := untilSeparator(s[2:], sep)
	if !ok {
		return "", bad
	}
	text, s, ok := untilSeparator(s, sep)
	if !ok {
		return "", bad
	}
	t := transform{members: true, hard: true, sym: true}
	flags := regex.Flags(0)
	end := strings.IndexByte(s, ';')
	if end < 0 {
		end = len(s)
	}
	for _, c := range s[:end] {
		switch {
		case c == 'g':
			t.global = true
		case c == 'i':
			flags |= regex.IgnoreCase
		case c == 'x':
			flags |= regex.ERE
		case c == 'r':
			t.members = true
		case c == 'R':
			t.members = false
		case c == 's':
			t.sym = true
		case c == 'S':
			t.sym = false
		case c == 'h':
			t.hard = true
		case c == 'H':
			t.hard = false
		case c >= '0' && c <= '9':
			t.nth = t.nth*10 + int(c-'0')
		default:
			return "", complain("Unknown flag in transform expression: %c", c)
		}
	}
	if t.re, err = regex.Compile(pattern, flags); err != nil {
		return "", complain("Invalid transform expression: %s", err)
	}
	t.re.SetYield(n.yield)
	t.text = replacement(text)
	n.transforms = append(n.transforms, t)
	return s[end:], nil
}

// untilSeparator cuts s at the separator; an escaped one stands for itself.
func untilSeparator(s string, sep byte) (before, after string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			if s[i+1] != sep {
				b.WriteByte('\\')
			}
			i++
			b.WriteByte(s[i])
		case s[i] == sep:
			return b.String(), s[i+1:], true
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
}

// replacement splits the text of a transform: & and \N are groups, \L \U \E change case.
func replacement(s string) []part {
	var parts []part
	var lit strings.Builder
	var fold byte
	flush := func() {
		if lit.Len() > 0 {
			parts = append(parts, part{text: lit.String(), group: -1, fold: fold})
			lit.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '&' {
			flush()
			parts = append(parts, part{group: 0, fold: fold})
			continue
		}
		if c != '\\' || i+1 >= len(s) {
			lit.WriteByte(c)
			continue
		}
		i++
		switch c = s[i]; {
		case c >= '0' && c <= '9':
			flush()
			parts = append(parts, part{group: int(c - '0'), fold: fold})
		case c == 'L' || c == 'U':
			flush()
			fold = c
		case c == 'E':
			flush()
			fold = 0
		case c == 'n':
			lit.WriteByte('\n')
		default:
			lit.WriteByte(c)
		}
	}
	flush()
	return parts
}

// kindOfName says what a name is, for transforms.
type kindOfName int

const (
	memberName kindOfName = iota
	hardTarget
	symTarget
)

func (t *transform) applies(kind kindOfName) bool {
	switch kind {
	case hardTarget:
		return t.hard
	case symTarget:
		return t.sym
	}
	return t.members
}

func (t *transform) apply(s string) string {
	var b strings.Builder
	src := []byte(s)
	at, count := 0, 0
	for at <= len(src) {
		m := t.re.Find(nil, src, at, false)
		if m == nil {
			break
		}
		count++
		b.Write(src[at:m[0]])
		if count >= max(t.nth, 1) {
			t.write(&b, src, m)
		} else {
			b.Write(src[m[0]:m[1]])
		}
		at = m[1]
		if m[0] == m[1] {
			if at < len(src) {
				b.WriteByte(src[at])
			}
			at++
		}
		if !t.global && count >= max(t.nth, 1) {
			break
		}
	}
	if at < len(src) {
		b.Write(src[at:])
	}
	return b.String()
}

func (t *transform) write(b *strings.Builder, src []byte, m []int) {
	for _, p := range t.text {
		s := p.text
		if p.group >= 0 {
			s = ""
			if 2*p.group+1 < len(m) && m[2*p.group] >= 0 {
				s = string(src[m[2*p.group]:m[2*p.group+1]])
			}
		}
		switch p.fold {
		case 'L':
			s = strings.ToLower(s)
		case 'U':
			s = strings.ToUpper(s)
		}
		b.WriteString(s)
	}
}

// rename applies the transforms.
func (n *names) rename(s string, kind kindOfName) string {
	for i := range n.transforms {
		if n.transforms[i].applies(kind) {
			s = n.transforms[i].apply(s)
		}
	}
	return s
}

// stripLeading removes components; "" means that nothing is left.
func (n *names) stripLeading(s string) string {
	for range n.strip {
		s = strings.TrimLeft(s, "/")
		i := strings.IndexByte(s, '/')
		if i < 0 {
			return ""
		}
		s = s[i+1:]
	}
	return strings.TrimLeft(s, "/")
}

// safePrefix is how much of a name has to go so that it leads nowhere outside: up to the last "..", and slashes.
func safePrefix(s string) int {
	cut := 0
	for i := 0; i < len(s); {
		end := strings.IndexByte(s[i:], '/')
		if end < 0 {
			end = len(s)
		} else {
			end += i
		}
		if s[i:end] == ".." {
			cut = end
		}
		i = end + 1
	}
	for cut < len(s) && s[cut] == '/' {
		cut++
	}
	return cut
}

// hasDotDot reports a component "..".
func hasDotDot(s string) bool {
	for c := range strings.SplitSeq(s, "/") {
		if c == ".." {
			return true
		}
	}
	return false
}
