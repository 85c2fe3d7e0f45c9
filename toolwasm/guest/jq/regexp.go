package jq

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// matcher finds matches in a text of characters. Places count characters.
type matcher interface {
	// next returns the match at or after from, as pairs of bounds of the whole and its groups; nil if there is none.
	next(t *subject, from int) []int
	names() []string
}

// subject is a text with its characters.
type subject struct {
	s     string
	runes []rune // nil when the text is ASCII
}

func newSubject(s string) *subject {
	t := &subject{s: s}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			t.runes = []rune(s)
			break
		}
	}
	return t
}

func (t *subject) len() int {
	if t.runes == nil {
		return len(t.s)
	}
	return len(t.runes)
}

func (t *subject) cut(from, to int) string {
	if t.runes == nil {
		return t.s[from:to]
	}
	return string(t.runes[from:to])
}

// linear matches with Go's engine, whose time is bounded; it takes the patterns that mean the same there.
type linear struct {
	re *regexp.Regexp
}

func (m *linear) names() []string { return m.re.SubexpNames() }

func (m *linear) next(t *subject, from int) []int {
	// The engine has no notion of text before the start; assertions that look back are left to the other one.
	loc := m.re.FindStringSubmatchIndex(t.s[from:])
	for i := range loc {
		if loc[i] >= 0 {
			loc[i] += from
		}
	}
	return loc
}

// backtracking matches what needs more: look-around, back-references, Unicode classes.
type backtracking struct {
	re    *regexp2.Regexp
	group []string
}

func (m *backtracking) names() []string { return m.group }

func (m *backtracking) next(t *subject, from int) []int {
	rs := t.runes
	if rs == nil {
		t.runes = []rune(t.s)
		rs = t.runes
	}
	match, err := m.re.FindRunesMatchStartingAt(rs, from)
	if err != nil || match == nil {
		return nil
	}
	loc := make([]int, 0, 2*len(m.group))
	for i := range m.group {
		g := match.GroupByNumber(i)
		if g == nil || len(g.Captures) == 0 {
			loc = append(loc, -1, -1)
			continue
		}
		loc = append(loc, g.Index, g.Index+g.Length)
	}
	return loc
}

// flagSet are the flags of a match.
type flagSet struct {
	global, ignoreCase, extended, single, noEmpty, dotAll, longest bool
}

func parseFlags(v any) (flagSet, error) {
	var f flagSet
	if v == nil {
		return f, nil
	}
	s, ok := v.(string)
	if !ok {
		return f, errorf("%s is not a string", show(v))
	}
	for _, r := range s {
		switch r {
		case 'g':
			f.global = true
		case 'i':
			f.ignoreCase = true
		case 'x':
			f.extended = true
		case 's':
			f.single = true
		case 'n':
			f.noEmpty = true
		case 'p':
			f.dotAll, f.single = true, true
		case 'l':
			f.longest = true
		default:
			return f, errorf("%s is not a valid modifier string", s)
		}
	}
	return f, nil
}

// maxRegexps bounds the cache of compiled expressions.
const maxRegexps = 256

type regexpKey struct {
	pattern string
	flags   flagSet
	ascii   bool
}

type regexpCache map[regexpKey]matcher

// compileRegexp finds the engine for a pattern and text.
func (r regexpCache) compile(pattern string, f flagSet, ascii bool) (matcher, error) {
	k := regexpKey{pattern, f, ascii}
	k.flags.global, k.flags.noEmpty = false, false
	if m, ok := r[k]; ok {
		return m, nil
	}
	m, err := newMatcher(pattern, f, ascii)
	if err != nil {
		return nil, err
	}
	if len(r) >= maxRegexps {
		clear(r)
	}
	r[k] = m
	return m, nil
}

func newMatcher(pattern string, f flagSet, ascii bool) (matcher, error) {
	if ascii && !f.extended && isPlain(pattern) {
		prefix := ""
		if f.ignoreCase {
			prefix = "(?i)"
		}
		if f.dotAll {
			prefix += "(?s)"
		}
		if re, err := regexp.Compile(prefix + pattern); err == nil {
			if f.longest {
				re.Longest()
			}
			return &linear{re: re}, nil
		}
	}
	opts := regexp2.None
	if f.ignoreCase {
		opts |= regexp2.IgnoreCase
	}
	if f.extended {
		opts |= regexp2.IgnorePatternWhitespace
	}
	if f.dotAll {
		opts |= regexp2.Singleline
	}
	re, err := regexp2.Compile(nameGroups(translate(pattern)), regexp2.RegexOptions(opts))
	if err != nil {
		return nil, errorf("%s (at offset 0) is not a valid regex: %s", pattern, err)
	}
	m := &backtracking{re: re}
	for _, n := range re.GetGroupNumbers() {
		name := re.GroupNameFromNumber(n)
		if name == "" || isDigit(name[0]) || strings.HasPrefix(name, unnamedGroup) {
			name = ""
		}
		m.group = append(m.group, name)
	}
	return m, nil
}

// isPlain reports whether a pattern means the same to Go's engine on ASCII text, whatever stands before the place where the
// search begins: without anchors, assertions, and constructs that the engines disagree about.
func isPlain(p string) bool {
	for i := 0; i < len(p); i++ {
		switch c := p[i]; c {
		case '^', '$':
			return false
		case '\\':
			i++
			if i == len(p) || strings.IndexByte(`dDwWsSnrt.\/[](){}*+?|^$-"'`, p[i]) < 0 {
				return false
			}
		case '[':
			if i+1 < len(p) && p[i+1] == '^' {
				i++
			}
			if strings.Contains(p[i:], "&&") || i+1 < len(p) && p[i+1] == ']' {
				return false
			}
		case '(':
			if !strings.HasPrefix(p[i:], "(?") {
				continue
			}
			switch {
			case strings.HasPrefix(p[i:], "(?:"):
			case strings.HasPrefix(p[i:], "(?<") && i+3 < len(p) && isIdentStart(p[i+3]):
			default:
				return false
			}
		case '*', '+', '?', '}':
			if i+1 < len(p) && p[i+1] == '+' {
				return false // possessive
			}
		}
		if p[i%len(p)] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unnamedGroup begins the names that nameGroups gives.
const unnamedGroup = "unnamed_"

// nameGroups gives every group without a name one, where others have names: the engine would count them before the named ones,
// and not in the order in which they stand.
func nameGroups(p string) string {
	if !strings.Contains(p, "(?<") {
		return p
	}
	var b strings.Builder
	inClass := false
	for i := 0; i < len(p); i++ {
		b.WriteByte(p[i])
		switch c := p[i]; {
		case c == '\\' && i+1 < len(p):
			i++
			b.WriteByte(p[i])
		case c == '[' && !inClass:
			inClass = true
			if rest := strings.TrimPrefix(p[i+1:], "^"); strings.HasPrefix(rest, "]") { // it stands for itself
				n := len(p[i+1:]) - len(rest) + 1
				b.WriteString(p[i+1 : i+1+n])
				i += n
			}
		case c == ']':
			inClass = false
		case c == '(' && !inClass && !strings.HasPrefix(p[i+1:], "?"):
			fmt.Fprintf(&b, "?<%s%d>", unnamedGroup, i)
		}
	}
	return b.String()
}

// translate rewrites what the engine calls by other names.
func translate(p string) string {
	if !strings.Contains(p, `\h`) && !strings.Contains(p, `\H`) && !strings.Contains(p, "[[:") {
		return p
	}
	r := strings.NewReplacer(
		`\\`, `\\`, `\h`, `[0-9a-fA-F]`, `\H`, `[^0-9a-fA-F]`,
		"[:alpha:]", `\p{L}`, "[:digit:]", `\d`, "[:alnum:]", `\p{L}\d`, "[:upper:]", `\p{Lu}`, "[:lower:]", `\p{Ll}`,
		"[:space:]", `\s`, "[:punct:]", `\p{P}\p{S}`, "[:xdigit:]", "0-9a-fA-F", "[:word:]", `\w`, "[:blank:]", `\t `,
	)
	return r.Replace(p)
}

// match gives the matches in a string.
func (r regexpCache) match(v, re, flags any, each func(t *subject, m matcher, loc []int) error) error {
	s, ok := v.(string)
	if !ok {
		return errorf("%s cannot be matched, as it is not a string", show(v))
	}
	if a, ok := re.(*array); ok {
		var err error
		if re, flags, err = unpackPattern(a, flags); err != nil {
			return err
		}
	}
	pattern, ok := re.(string)
	if !ok {
		return errorf("%s not a string or array", typeName(re))
	}
	f, err := parseFlags(flags)
	if err != nil {
		return err
	}
	t := newSubject(s)
	m, err := r.compile(pattern, f, t.runes == nil)
	if err != nil {
		return err
	}
	for from := 0; from <= t.len(); {
		loc := m.next(t, from)
		if loc == nil {
			return nil
		}
		empty := loc[0] == loc[1]
		from = loc[1]
		if empty {
			from++
		}
		if empty && f.noEmpty {
			continue
		}
		if err := each(t, m, loc); err != nil {
			return err
		}
		if !f.global {
			return nil
		}
	}
	return nil
}

// unpackPattern takes [pattern, flags] apart.
func unpackPattern(a *array, flags any) (re, fl any, err error) {
	if flags != nil || len(a.items) == 0 || len(a.items) > 2 {
		return nil, nil, errorf("%s not a string or array", show(a))
	}
	if len(a.items) == 2 {
		flags = a.items[1]
	}
	return a.items[0], flags, nil
}

// matchObject describes a match.
func matchObject(t *subject, m matcher, loc []int) *object {
	names := m.names()
	captures := make([]any, 0, len(names))
	for i := 1; i < len(names); i++ {
		c := newObject(4)
		b, e := loc[2*i], loc[2*i+1]
		var text any
		length := 0
		if b >= 0 {
			text, length = t.cut(b, e), e-b
		}
		c.set("offset", float64(b))
		if length == 0 { // the order of the keys is jq's
			c.set("string", text)
		}
		c.set("length", float64(length))
		c.set("string", text)
		if names[i] == "" {
			c.set("name", nil)
		} else {
			c.set("name", names[i])
		}
		captures = append(captures, c)
	}
	o := newObject(4)
	o.set("offset", float64(loc[0]))
	o.set("length", float64(loc[1]-loc[0]))
	o.set("string", t.cut(loc[0], loc[1]))
	o.set("captures", newArray(captures))
	return o
}

func matchFunc(c *compiler, n *node) *code {
	re, flags, test := c.expr(n.kids[0]), c.expr(n.kids[1]), n.str == "test"
	cache := c.run.regexps
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return flags.values(fr, v, func(f any) error {
			return re.values(fr, v, func(r any) error {
				if !test {
					return cache.match(v, r, f, func(t *subject, m matcher, loc []int) error {
						c.run.tick()
						return out(p.made(), matchObject(t, m, loc))
					})
				}
				found := false
				done := &breakError{new(token)}
				err := cache.match(v, r, f, func(*subject, matcher, []int) error {
					found = true
					return done
				})
				if err != nil && err != error(done) {
					return err
				}
				return out(p.made(), found)
			})
		})
	})
}

// subFunc is sub(re; replacement; flags): an output for every combination of the replacement's outputs.
func subFunc(c *compiler, n *node) *code {
	re, repl, flags := c.expr(n.kids[0]), c.expr(n.kids[1]), c.expr(n.kids[2])
	cache := c.run.regexps
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return flags.values(fr, v, func(f any) error {
			return re.values(fr, v, func(r any) error {
				var t *subject
				var locs [][]int
				var objs []*object
				err := cache.match(v, r, f, func(s *subject, m matcher, loc []int) error {
					c.run.tick()
					t = s
					locs = append(locs, append([]int(nil), loc...))
					objs = append(objs, captureObject(s, m, loc))
					return nil
				})
				if err != nil {
					return err
				}
				if t == nil {
					return out(p.made(), v)
				}
				return substitute(t, locs, objs, repl, fr, func(s string) error { return out(p.made(), s) })
			})
		})
	})
}

func captureObject(t *subject, m matcher, loc []int) *object {
	o := newObject(2)
	for i, name := range m.names() {
		if name == "" || i == 0 {
			continue
		}
		var text any
		if loc[2*i] >= 0 {
			text = t.cut(loc[2*i], loc[2*i+1])
		}
		if old, ok := o.get(name); !ok || old == nil || text != nil {
			o.set(name, text)
		}
	}
	return o
}

// substitute gives one result for each way in which the first replacement comes out, the following ones going along.
func substitute(t *subject, locs [][]int, objs []*object, repl *code, fr *frame, out func(string) error) error {
	var streams [][]string
	most := 0
	for _, o := range objs {
		var outs []string
		err := repl.values(fr, o, func(x any) error {
			s, ok := x.(string)
			if !ok {
				return opError(o, x, "added")
			}
			outs = append(outs, s)
			return nil
		})
		if err != nil {
			return err
		}
		streams = append(streams, outs)
		most = max(most, len(outs))
	}
	for k := range most {
		var b strings.Builder
		last := 0
		for i, loc := range locs {
			b.WriteString(t.cut(last, loc[0]))
			if k < len(streams[i]) {
				b.WriteString(streams[i][k])
			}
			last = loc[1]
		}
		b.WriteString(t.cut(last, t.len()))
		if err := out(b.String()); err != nil {
			return err
		}
	}
	return nil
}

// split is split/2, which splits at matches.
func (r regexpCache) split(v, re, flags any) (any, error) {
	f, err := parseFlags(flags)
	if err != nil {
		return nil, err
	}
	if !f.global {
		if s, ok := flags.(string); ok {
			flags = s + "g"
		} else {
			flags = "g"
		}
	}
	var items []any
	last := 0
	var t *subject
	err = r.match(v, re, flags, func(s *subject, _ matcher, loc []int) error {
		t = s
		items = append(items, s.cut(last, loc[0]))
		last = loc[1]
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t == nil {
		return newArray([]any{v}), nil
	}
	return newArray(append(items, t.cut(last, t.len()))), nil
}
