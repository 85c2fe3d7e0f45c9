package search

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// walkAll are the options of walks for other commands: hidden files count, ignore files do in and outside of repositories, and what
// is git's own is left out.
func walkAll() walkOptions {
	return walkOptions{hidden: true, noGitCheck: true, maxDepth: math.MaxInt, maxSize: math.MaxInt64, globs: []globOption{{text: "!.git"}}}
}

// Entry is a file, a link or a directory that a walk has come to.
type Entry struct {
	Name string // beginning with the path that was walked, unless that is "."
	Rel  string // below that path
	Dir  bool
}

// Walk visits what lies below a directory, or a file itself, in the order of the paths, without what ignore files name. Links are
// visited and not followed. visit ends the walk when it is done; fail is told of what cannot be read.
func Walk(p *command.Proc, root string, visit func(Entry) (done bool), fail func(name string, err error)) {
	o := walkAll()
	w := newWalker(p, &o)
	w.fail = fail
	w.entries = visit
	w.visit = func(name string, _ sys.Info) bool { // the root itself
		return visit(Entry{Name: name, Rel: name})
	}
	w.root(root, root == ".")
}

// Names is a set of file names.
type Names struct{ rules rules }

// CompileNames reads a glob as -g of rg has it: one without a slash names files in any directory, and so does one with slashes as to
// the directory that it begins in. {a,b} is one of both.
func CompileNames(text string) (*Names, error) {
	n := &Names{}
	for _, alt := range expandBraces(text) {
		if strings.Contains(strings.TrimSuffix(alt, "/"), "/") && !strings.HasPrefix(alt, "/") {
			alt = "**/" + alt
		}
		if strings.HasPrefix(alt, "#") || strings.HasPrefix(alt, "!") { // they mean something in an ignore file only
			alt = `\` + alt
		}
		r, ok := parseRule(alt, 0)
		if !ok {
			return nil, fmt.Errorf("%q is not a pattern of file names", text)
		}
		n.rules = append(n.rules, r)
	}
	return n, nil
}

// Match reports whether a path, relative to where the search began, is one of the set.
func (n *Names) Match(rel string, dir bool) bool { return n.rules.decide(rel, dir) != noVerdict }

// Query is a search for other commands.
type Query struct {
	Pattern    string // a regular expression as rg has it
	Literal    bool   // the pattern is a text
	IgnoreCase bool
	Context    int    // lines around each match
	Glob       string // only files of these names; empty: all
}

// Found is a line that a search has come to.
type Found struct {
	File     string
	Line     int64
	Text     []byte // without the end of the line; it is valid during the call only
	Selected bool   // it matches, and is not only around one that does
	Gap      bool   // in its file lines were left out before it
}

// ErrPattern reports a pattern that is none.
var ErrPattern = errors.New("not a regular expression")

// Run searches what is below a path, or a file, without what is ignored and what is binary. visit ends the search when it is done.
func (q Query) Run(p *command.Proc, root string, visit func(Found) (done bool), fail func(name string, err error)) error {
	o := &rgOptions{patterns: []string{q.Pattern}, fixed: q.Literal, ignoreCase: q.IgnoreCase, walk: walkAll()}
	if q.Glob != "" {
		o.walk.globs = append(o.walk.globs, globOption{text: q.Glob})
	}
	if err := q.check(o); err != nil {
		return err
	}
	run := &queryRun{visit: visit, engine: grepOptions{
		maxCount: -1, before: q.Context, after: q.Context, context: q.Context > 0, number: true, binary: binaryText,
	}}
	g := &grep{p: p, o: &run.engine, m: newRgMatcher(p, o), out: p.Out(), delim: '\n'}
	w := newWalker(p, &o.walk)
	w.fail = fail
	w.visit = func(name string, _ sys.Info) bool {
		f, err := p.Open(name)
		if err != nil {
			fail(name, err)
			return false
		}
		defer f.Close()
		p.Yield()
		if err := run.file(g, name, f); err != nil {
			fail(name, err)
		}
		return run.done
	}
	w.root(root, root == ".")
	return nil
}

// check finds out what newRgMatcher would end the command for.
func (q Query) check(o *rgOptions) error {
	pattern, err := joinPatterns(o)
	if err == nil {
		_, err = regexp.Compile(rgFlags(o) + pattern)
	}
	if err != nil {
		return fmt.Errorf("%w: %s", ErrPattern, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if strings.Contains(q.Pattern, "\n") || !q.Literal && strings.Contains(strings.ReplaceAll(q.Pattern, `\\`, ""), `\n`) {
		return fmt.Errorf("%w: lines are searched one by one, so that it cannot hold a newline", ErrPattern)
	}
	return nil
}

// queryRun is a search under way.
type queryRun struct {
	engine grepOptions
	visit  func(Found) bool
	done   bool
}

func (r *queryRun) file(g *grep, name string, f command.File) error {
	s := &search{g: g, o: &r.engine, name: name, r: f}
	gap := false
	s.emit = func(rec record, selected bool) {
		if r.done {
			return
		}
		r.done = r.visit(Found{File: name, Line: rec.line, Text: rec.text, Selected: selected, Gap: gap})
		s.stopped = s.stopped || r.done
		gap = false
	}
	s.gapped = func() { gap = true }
	s.onNUL = func(int64) bool { return true }
	return s.run()
}
