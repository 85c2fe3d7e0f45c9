package git

import (
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

// describeOptions say which names a commit may be described by.
type describeOptions struct {
	tags, all   bool // light-weight tags as well; every reference
	long        bool
	exact       bool
	abbrev      int // -1: the default
	noAbbrev    bool
	patterns    []string
	excludes    []string
	firstParent bool
}

// named is a name that a commit has; annotated tags go first.
type named struct {
	text     string
	priority int
	when     int64
}

// describe names a commit by the nearest tag that it comes after.
func (r *repo) describe(id object.ID, o describeOptions) (string, bool) {
	names := r.describers(o)
	if n, ok := names[id]; ok {
		if o.long {
			return fmt.Sprintf("%s-0-g%s", n.text, r.db.Abbrev(id, max(o.abbrev, 0))), true
		}
		return n.text, true
	}
	if o.exact {
		return "", false
	}
	w := r.newWalk([]object.ID{id}, nil)
	w.firstParent = o.firstParent
	best, bestDepth := "", -1
	const candidates = 10
	found := 0
	for c := w.next(); c != nil && found < candidates; c = w.next() {
		n, ok := names[c.ID]
		if !ok {
			continue
		}
		found++
		depth := len(r.reachable([]object.ID{id}, []object.ID{c.ID}))
		if bestDepth < 0 || depth < bestDepth {
			best, bestDepth = n.text, depth
		}
	}
	if bestDepth < 0 {
		return "", false
	}
	if o.noAbbrev {
		return best, true
	}
	return fmt.Sprintf("%s-%d-g%s", best, bestDepth, r.db.Abbrev(id, max(o.abbrev, 0))), true
}

func (r *repo) describers(o describeOptions) map[object.ID]named {
	names := map[object.ID]named{}
	for _, ref := range r.refs.List("refs/") {
		tag, isTag := strings.CutPrefix(ref.Name, refs.Tags)
		if !isTag && !o.all || isTag && !describable(tag, o) {
			continue
		}
		n := named{text: tag, priority: 1}
		if !isTag {
			n = named{text: strings.TrimPrefix(ref.Name, "refs/")}
		} else if o.all {
			n.text = "tags/" + tag
		}
		id := ref.ID
		if kind, data, err := r.peekObject(id); err == nil && kind == object.TagKind {
			n.priority = 2
			if t, err := object.ParseTag(data); err == nil {
				n.when = t.Tagger.When
			}
		} else if isTag && !o.tags && !o.all {
			continue
		}
		commit, err := r.peel(id, object.CommitKind)
		if err != nil {
			continue
		}
		old, ok := names[commit]
		if !ok || n.priority > old.priority || n.priority == old.priority && n.when > old.when {
			names[commit] = n
		}
	}
	return names
}

func describable(tag string, o describeOptions) bool {
	for _, p := range o.excludes {
		if match.Glob(p, tag, false, false) {
			return false
		}
	}
	for _, p := range o.patterns {
		if match.Glob(p, tag, false, false) {
			return true
		}
	}
	return len(o.patterns) == 0
}

func cmdDescribe(g *git) int {
	l := g.parse("tags all long abbrev? exact-match always dirty? match= exclude= candidates= contains first-parent broken? debug")
	if l.has("contains") {
		g.die("option --contains is not supported here; 'git tag --contains' is")
	}
	r := g.open()
	o := describeOptions{
		tags: l.has("tags"), all: l.has("all"), long: l.has("long"), exact: l.has("exact-match"), firstParent: l.has("first-parent"),
		patterns: l.all("match"), excludes: l.all("exclude"), abbrev: -1,
	}
	if a, ok := l.get("abbrev"); ok && a != "" {
		o.abbrev = g.number(a)
		o.noAbbrev = o.abbrev == 0
	}
	args := l.operands()
	if len(args) == 0 {
		args = []string{"HEAD"}
	}
	for _, a := range args {
		id, ok := r.tryCommit(a)
		if !ok {
			g.die("Not a valid object name %s", a)
		}
		text, ok := r.describe(id, o)
		switch {
		case ok:
		case l.has("always"):
			text = r.db.Abbrev(id, max(o.abbrev, 0))
		default:
			g.dieUndescribed(r, id, o)
		}
		if mark, ok := l.get("dirty"); ok && r.top != "" {
			if mark == "" {
				mark = "-dirty"
			}
			if len(r.diffTreeWork(r.headTree(), nil)) > 0 {
				text += mark
			}
		}
		g.print(text + "\n")
	}
	return 0
}

func (g *git) dieUndescribed(r *repo, id object.ID, o describeOptions) {
	if o.exact {
		g.die("no tag exactly matches '%s'", id)
	}
	if len(r.refs.List(refs.Tags)) == 0 {
		g.die("No names found, cannot describe anything.")
	}
	g.errorf("fatal: No annotated tags can describe '%s'.\nHowever, there were unannotated tags: try --tags.\n", id)
	g.close()
	g.p.Exit(statusFatal)
}
