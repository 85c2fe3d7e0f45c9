package git

import (
	"bytes"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/regex"
)

// lineMatcher finds a match in a line.
type lineMatcher interface {
	find(line []byte, from int) []int
}

type posixMatcher struct{ re *regex.Regexp }

func (m posixMatcher) find(line []byte, from int) []int { return m.re.Find(nil, line, from, false) }

type perlMatcher struct {
	re *regex.Perl
	g  *git
}

func (m perlMatcher) find(line []byte, from int) []int {
	loc, err := m.re.Find(nil, line, from)
	if err != nil {
		m.g.die("%v", err)
	}
	return loc
}

// grepping is one run of grep.
type grepping struct {
	g       *git
	r       *repo
	l       line
	re      lineMatcher
	number  bool
	before  int
	after   int
	found   bool
	started bool // something has been shown, for the marks between groups
	limit   int
}

func cmdGrep(g *git) int {
	l := g.parse("line-number,n no-line-number ignore-case,i invert-match,v word-regexp,w extended-regexp,E basic-regexp,G fixed-strings,F perl-regexp,P " +
		"files-with-matches,l,name-only files-without-match,L count,c quiet,q e= f= H h only-matching,o context,C= before-context,B= after-context,A= NUM " +
		"cached untracked no-index no-exclude-standard exclude-standard text,a I max-depth= recursive,r no-recursive column full-name null,z break heading all-match and or not " +
		"color? no-color max-count,m= p show-function W function-context threads= textconv no-textconv recurse-submodules")
	for _, o := range []string{"and", "or", "not", "all-match", "p", "W", "function-context", "show-function"} {
		if l.has(o) {
			g.die("option --%s is not supported here", o)
		}
	}
	r := g.open()
	k := &grepping{g: g, r: r, l: l, number: l.on("line-number", r.cfg.on("grep.linenumber", false)), limit: -1}
	args := l.args
	patterns := l.all("e")
	if name, ok := l.get("f"); ok {
		data, err := g.p.ReadFile(name)
		if err != nil {
			g.die("cannot open '%s': %s", name, strerror(err))
		}
		patterns = append(patterns, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")...)
	}
	if len(patterns) == 0 {
		if len(args) == 0 {
			g.die("no pattern given")
		}
		patterns, args = args[:1], args[1:]
	}
	k.compile(patterns)
	k.context()
	var trees []string
	for len(args) > 0 {
		if _, err := r.resolve(args[0]); err != nil || r.exists(args[0]) && !l.dash {
			break
		}
		trees, args = append(trees, args[0]), args[1:]
	}
	k.run(trees, append(append([]string{}, args...), l.paths...))
	if k.found {
		return 0
	}
	return 1
}

func (k *grepping) context() {
	if n, ok := k.l.get("max-count"); ok {
		k.limit = k.g.number(n)
	}
	for _, o := range k.l.list {
		switch o.Name {
		case "context", "NUM":
			k.before, k.after = k.g.number(o.Arg), k.g.number(o.Arg)
		case "before-context":
			k.before = k.g.number(o.Arg)
		case "after-context":
			k.after = k.g.number(o.Arg)
		}
	}
}

func (k *grepping) compile(patterns []string) {
	var f regex.Flags
	if k.l.has("ignore-case") {
		f |= regex.IgnoreCase
	}
	if k.l.has("word-regexp") {
		f |= regex.WholeWord
	}
	perl, ere, fixed := false, false, false
	for _, o := range k.l.list {
		switch o.Name {
		case "perl-regexp", "extended-regexp", "fixed-strings", "basic-regexp":
			perl, ere, fixed = o.Name == "perl-regexp", o.Name == "extended-regexp", o.Name == "fixed-strings"
		}
	}
	if perl {
		re, err := regex.CompilePerl(strings.Join(patterns, "|"), f)
		if err != nil {
			k.g.die("command line, '%s': %v", patterns[0], err)
		}
		re.SetYield(k.g.step)
		k.re = perlMatcher{re, k.g}
		return
	}
	switch {
	case ere:
		f |= regex.ERE
	case fixed:
		f |= regex.Fixed
	}
	re, err := regex.CompileList(patterns, f|regex.Lenient)
	if err != nil {
		k.g.die("command line, '%s': %v", patterns[0], err)
	}
	re.SetYield(k.g.step)
	k.re = posixMatcher{re}
}

// run searches trees, or the working tree.
func (k *grepping) run(trees, paths []string) {
	r := k.r
	specs := r.specs(paths)
	if len(specs) == 0 && r.prefix != "" && r.top != "" {
		specs = r.specs([]string{"."})
	}
	for _, name := range trees {
		id, err := r.resolve(name)
		if err == nil {
			id, err = r.peel(id, object.TreeKind)
		}
		if err != nil {
			k.g.die("unable to resolve revision: %s", name)
		}
		for _, f := range r.flatten(id) {
			if match.Match(specs, f.path) && f.mode.IsRegular() {
				data, err := r.db.Blob(f.id)
				k.g.check(err)
				k.file(name+":"+k.shown(f.path), data)
			}
		}
	}
	if len(trees) > 0 {
		return
	}
	for _, e := range r.index().Entries {
		if !match.Match(specs, e.Name) || !e.Mode.IsRegular() || e.Stage > index.Ours || e.SkipWorktree {
			continue
		}
		if k.l.has("cached") {
			data, err := r.db.Blob(e.ID)
			k.g.check(err)
			k.file(k.shown(e.Name), data)
			continue
		}
		k.workFile(e.Name)
	}
	if k.l.has("untracked") {
		look := scan{r: r, specs: specs, all: true, everything: k.l.has("no-exclude-standard")}
		look.run()
		for _, n := range look.files {
			k.workFile(n)
		}
	}
}

func (k *grepping) shown(name string) string {
	if k.l.has("full-name") {
		return name
	}
	return k.r.display(name)
}

func (k *grepping) workFile(name string) {
	info, err := k.r.lstat(name)
	if err != nil || !info.IsRegular() {
		return
	}
	data, err := k.r.readWork(name, info)
	if err == nil {
		k.file(k.shown(name), data)
	}
}

// file searches one file.
func (k *grepping) file(name string, data []byte) {
	k.g.step()
	name = k.r.quote(name)
	binary := isBinary(data) && !k.l.has("text")
	if binary && k.l.has("I") {
		return
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	if len(data) == 0 {
		lines = nil
	}
	invert := k.l.has("invert-match")
	var hits []int
	for i, line := range lines {
		if (k.re.find(line, 0) != nil) != invert {
			hits = append(hits, i)
			if k.limit > 0 && len(hits) >= k.limit {
				break
			}
		}
	}
	end := "\n"
	if k.l.has("null") {
		end = "\x00"
	}
	switch {
	case k.l.has("files-without-match"):
		if len(hits) == 0 {
			k.found = true
			k.g.print(name + end)
		}
		return
	case len(hits) == 0:
		return
	}
	k.found = true
	switch {
	case k.l.has("quiet"):
		k.g.close()
		k.g.p.Exit(0)
	case k.l.has("files-with-matches"):
		k.g.print(name + end)
	case k.l.has("count"):
		k.g.printf("%s%d\n", k.prefix(name, ':'), len(hits))
	case binary:
		k.g.printf("Binary file %s matches\n", name)
	default:
		k.show(name, lines, hits)
	}
}

func (k *grepping) prefix(name string, sep byte) string {
	if k.l.has("h") {
		return ""
	}
	return name + string(sep)
}

func (k *grepping) show(name string, lines [][]byte, hits []int) {
	if k.l.has("break") && k.started {
		k.g.print("\n")
	}
	if k.l.has("heading") {
		k.g.print(name + "\n")
	}
	isHit := map[int]bool{}
	for _, h := range hits {
		isHit[h] = true
	}
	last := -1
	for _, h := range hits {
		from := max(h-k.before, last+1)
		if (k.before > 0 || k.after > 0) && k.started && (from > last+1 || last < 0) && !k.l.has("break") {
			k.g.print("--\n")
		}
		k.started = true
		for i := from; i <= min(h+k.after, len(lines)-1); i++ {
			if i > h && isHit[i] {
				break
			}
			if i <= last {
				continue
			}
			k.line(name, lines[i], i, isHit[i])
			last = i
		}
	}
}

func (k *grepping) line(name string, text []byte, n int, hit bool) {
	sep := byte('-')
	if hit {
		sep = ':'
	}
	head := k.prefix(name, sep)
	if k.l.has("heading") {
		head = ""
	}
	if k.number {
		head += itoa(n+1) + string(sep)
	}
	if k.l.has("only-matching") && hit && !k.l.has("invert-match") {
		for at := 0; at <= len(text); {
			loc := k.re.find(text, at)
			if loc == nil {
				return
			}
			if loc[1] > loc[0] {
				column := ""
				if k.l.has("column") {
					column = itoa(loc[0]+1) + ":"
				}
				k.g.printf("%s%s%s\n", head, column, text[loc[0]:loc[1]])
			}
			at = max(loc[1], at+1)
		}
		return
	}
	if k.l.has("column") && hit {
		if loc := k.re.find(text, 0); loc != nil {
			head += itoa(loc[0]+1) + string(sep)
		}
	}
	k.g.print(head)
	k.g.out.Write(text)
	k.g.print("\n")
}
