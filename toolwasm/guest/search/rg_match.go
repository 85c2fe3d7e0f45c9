package search

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/regex"
)

// rgMatcher finds matches of rg's patterns.
type rgMatcher interface {
	matcher
	// all returns the bounds of all matches in text, and of their groups.
	all(text []byte) [][]int
	// expand appends a replacement for a match.
	expand(dst []byte, template string, text []byte, loc []int) []byte
}

// rustMatcher matches patterns as the library of the Go language reads them, which is nearly as rg does. Lines are found by
// our own automaton.
type rustMatcher struct {
	*lineMatcher
	re *regexp.Regexp
}

func newRgMatcher(p *command.Proc, o *rgOptions) rgMatcher {
	pattern, err := joinPatterns(o)
	if err == nil && o.perl {
		return newRgPerl(p, o, pattern)
	}
	var re *regexp.Regexp
	if err == nil {
		re, err = regexp.Compile(rgFlags(o) + pattern)
	}
	if err != nil {
		p.Errorf("regex parse error:\n    %s\nerror: %s", strings.Join(o.patterns, "|"), strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		p.Exit(statusTrouble)
	}
	tree, err := syntax.Parse(rgFlags(o)+pattern, syntax.Perl)
	if err == nil && !o.multiline && strings.Contains(tree.String(), `\n`) && mentionsNewline(tree) {
		p.Errorf("the literal \"\\n\" is not allowed in a regex\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).")
		p.Exit(statusTrouble)
	}
	m := &rustMatcher{lineMatcher: &lineMatcher{matcher: rustLine{re}, delim: '\n'}, re: re}
	if scan := lineScanner(p, tree); scan != nil {
		m.candidate = func(b []byte, from int) (int, bool) { return scan.MatchFrom(b, from), false }
	}
	return m
}

// lineScanner makes an automaton that finds the lines in which the pattern can match; nil when it cannot.
func lineScanner(p *command.Proc, tree *syntax.Regexp) *regex.Regexp {
	scan, err := regex.FromSyntax(tree)
	if err != nil {
		return nil
	}
	scan.SetYield(p.Yield)
	return scan
}

func mentionsNewline(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral {
		return strings.ContainsRune(string(re.Rune), '\n')
	}
	for _, s := range re.Sub {
		if mentionsNewline(s) {
			return true
		}
	}
	return false
}

func rgFlags(o *rgOptions) string {
	flags := "m"
	if o.ignoreCase {
		flags += "i"
	}
	if o.dotAll && o.multiline {
		flags += "s"
	}
	return "(?" + flags + ")"
}

// joinPatterns makes one pattern of all.
func joinPatterns(o *rgOptions) (string, error) {
	var alts []string
	for _, p := range o.patterns {
		if o.fixed {
			p = regexp.QuoteMeta(p)
		} else if !o.perl {
			if _, err := syntax.Parse(p, syntax.Perl); err != nil {
				return "", err
			}
		}
		alts = append(alts, "(?:"+p+")")
	}
	pattern := strings.Join(alts, "|")
	if len(o.patterns) == 1 && !o.fixed {
		pattern = o.patterns[0]
	}
	switch {
	case o.line:
		pattern = `^(?:` + pattern + `)$`
	case o.word && o.perl:
		pattern = `(?<!\w)(?:` + pattern + `)(?!\w)`
	}
	return pattern, nil
}

// rustLine is the matcher of one line.
type rustLine struct{ re *regexp.Regexp }

func (m rustLine) scan(line []byte, _ int) int {
	if m.re.Match(line) {
		return 0
	}
	return -1
}

func (m rustLine) find(line []byte, from int) (start, end int) {
	loc := m.re.FindIndex(line[from:])
	if loc == nil {
		return -1, -1
	}
	return from + loc[0], from + loc[1]
}

func (m *rustMatcher) all(text []byte) [][]int { return m.re.FindAllSubmatchIndex(text, -1) }

func (m *rustMatcher) expand(dst []byte, template string, text []byte, loc []int) []byte {
	return m.re.Expand(dst, []byte(template), text, loc)
}

// rgPerl matches Perl's patterns for rg -P.
type rgPerl struct {
	*lineMatcher
	p  *command.Proc
	re *regex.Perl
}

func newRgPerl(p *command.Proc, o *rgOptions, pattern string) rgMatcher {
	flags := regex.Newline
	if o.ignoreCase {
		flags |= regex.IgnoreCase
	}
	re, err := regex.CompilePerl(pattern, flags)
	if err != nil {
		p.Errorf("PCRE2: error compiling pattern: %s", err.Error())
		p.Exit(statusTrouble)
	}
	re.SetYield(p.Yield)
	inner := &perlMatcher{p: p, re: re}
	return &rgPerl{lineMatcher: &lineMatcher{matcher: inner, delim: '\n', candidate: re.CandidateLine}, p: p, re: re}
}

func (m *rgPerl) all(text []byte) [][]int {
	var out [][]int
	for from := 0; from <= len(text); {
		loc, err := m.re.Find(nil, text, from)
		if err != nil {
			m.p.Errorf("%s", err.Error())
			m.p.Exit(statusTrouble)
		}
		if loc == nil {
			break
		}
		out = append(out, loc)
		from = loc[1]
		if loc[0] == loc[1] {
			from++
		}
	}
	return out
}

// expand understands $1, ${1}, $name and ${name}.
func (m *rgPerl) expand(dst []byte, template string, text []byte, loc []int) []byte {
	group := func(name string) {
		n := m.re.SubexpIndex(name)
		if v, ok := parseCount(name); ok {
			n = v
		}
		if n >= 0 && 2*n+1 < len(loc) && loc[2*n] >= 0 {
			dst = append(dst, text[loc[2*n]:loc[2*n+1]]...)
		}
	}
	for template != "" {
		i := strings.IndexByte(template, '$')
		if i < 0 || i+1 == len(template) {
			break
		}
		dst = append(dst, template[:i]...)
		template = template[i+1:]
		switch {
		case template[0] == '$':
			dst = append(dst, '$')
			template = template[1:]
		case template[0] == '{' && strings.Contains(template, "}"):
			end := strings.IndexByte(template, '}')
			group(template[1:end])
			template = template[end+1:]
		default:
			n := 0
			for n < len(template) && isNameByte(template[n]) {
				n++
			}
			if n == 0 {
				dst = append(dst, '$')
			}
			group(template[:n])
			template = template[n:]
		}
	}
	return append(dst, template...)
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// wordMatcher accepts the matches of another matcher that stand between places where no word goes on.
type wordMatcher struct{ rgMatcher }

func (m wordMatcher) all(text []byte) [][]int {
	var out [][]int
	for _, loc := range m.rgMatcher.all(text) {
		if wordBounded(text, loc[0], loc[1]) {
			out = append(out, loc)
		}
	}
	return out
}

func (m wordMatcher) scan(b []byte, from int) int {
	for from < len(b) {
		at := m.rgMatcher.scan(b, from)
		if at < 0 {
			return -1
		}
		start := from + bytes.LastIndexByte(b[from:at], '\n') + 1
		end := len(b)
		if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
			end = at + i
		}
		if len(m.all(b[start:end])) > 0 {
			return start
		}
		from = end + 1
	}
	return -1
}
