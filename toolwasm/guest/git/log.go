package git

import (
	"fmt"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/regex"
)

// The options that choose commits and show them.
const logSpec = "max-count,n= NUM skip= since,after= until,before= author= committer= grep= invert-grep regexp-ignore-case,i " +
	"extended-regexp,E fixed-strings,F perl-regexp,P basic-regexp all-match all branches? tags? remotes? glob= exclude= not merges no-merges " +
	"min-parents= max-parents= first-parent reverse oneline pretty? format= abbrev-commit no-abbrev-commit date= " +
	"decorate? no-decorate decorate-refs= decorate-refs-exclude= graph no-graph follow topo-order date-order author-date-order " +
	"parents children left-right left-only right-only cherry-pick cherry-mark cherry walk-reflogs,g show-signature no-show-signature " +
	"source full-history simplify-merges dense sparse ancestry-path? show-notes? no-notes notes? encoding= relative-date " +
	"count quiet-list no-walk? do-walk objects timestamp expand-tabs? no-expand-tabs log-size mailmap no-mailmap use-mailmap L= boundary remove-empty reflog stdin simplify-by-decoration "

// logOptions say which commits are shown, and how.
type logOptions struct {
	pretty      pretty
	diff        diffOptions
	revs        *revisions
	specs       []match.Spec
	limit, skip int
	since       int64
	until       int64
	filters     []filter
	greps       []*regex.Regexp
	allMatch    bool
	invert      bool
	minParents  int
	maxParents  int // -1: any number
	firstParent bool
	reverse     bool
	graph       bool
	order       string
	follow      bool
	leftOnly    bool
	rightOnly   bool
	walkReflogs bool
	noWalk      bool
	showMerges  string // how merges are compared: "", "first", "each" or "combined"
	byDecorated bool
}

// filter is a condition on a person.
type filter struct {
	committer bool
	re        *regex.Regexp
}

// logOptions reads the command line.
func (g *git) logOptions(r *repo, l line) *logOptions {
	o := &logOptions{diff: g.diffOptions(l.flags), maxParents: -1, limit: -1}
	o.pretty = pretty{r: r, format: "medium", date: r.cfg.str("log.date", "default")}
	if f, ok := r.cfg.get("format.pretty"); ok && g.name != "rev-list" {
		o.pretty.setFormat(g, f)
	}
	if r.cfg.on("log.abbrevcommit", false) {
		o.pretty.abbrev = true
	}
	if v, ok := r.cfg.get("log.decorate"); ok && v != "auto" && v != "no" && v != "false" {
		o.pretty.decorate = "short"
		if v == "full" {
			o.pretty.decorate = "full"
		}
	}
	o.follow = r.cfg.on("log.follow", false)
	var f regex.Flags
	for _, opt := range l.list {
		switch opt.Name {
		case "regexp-ignore-case":
			f |= regex.IgnoreCase
		case "extended-regexp", "perl-regexp":
			f |= regex.ERE
		case "fixed-strings":
			f |= regex.Fixed
		}
	}
	for _, opt := range l.list {
		o.read(g, opt.Name, opt.Arg, f|regex.Newline)
	}
	o.pretty.abbrevLen = 0
	if o.diff.abbrev > 0 {
		o.pretty.abbrevLen = o.diff.abbrev
	}
	if o.diff.quiet { // of a log it means no differences
		o.diff.quiet, o.diff.exitCode, o.diff.none = false, false, true
	}
	return o
}

func (o *logOptions) read(g *git, name, arg string, f regex.Flags) {
	switch name {
	case "max-count", "NUM":
		if arg == "-1" {
			o.limit = -1
			return
		}
		o.limit = g.number(arg)
	case "skip":
		o.skip = g.number(arg)
	case "since":
		o.since = g.parseLimit(arg)
	case "until":
		o.until = g.parseLimit(arg)
	case "author":
		o.filters = append(o.filters, filter{false, g.compile(arg, f)})
	case "committer":
		o.filters = append(o.filters, filter{true, g.compile(arg, f)})
	case "grep":
		o.greps = append(o.greps, g.compile(arg, f))
	case "all-match":
		o.allMatch = true
	case "invert-grep":
		o.invert = true
	case "merges":
		o.minParents = 2
	case "no-merges":
		o.maxParents = 1
	case "min-parents":
		o.minParents = g.number(arg)
	case "max-parents":
		o.maxParents = g.number(arg)
	case "first-parent":
		o.firstParent = true
		if o.showMerges == "" {
			o.showMerges = "first"
		}
	case "reverse":
		o.reverse = true
	case "topo-order", "date-order", "author-date-order":
		o.order = name
	case "follow":
		o.follow = true
	case "left-only":
		o.leftOnly = true
	case "right-only":
		o.rightOnly = true
	case "walk-reflogs":
		o.walkReflogs = true
	case "no-walk":
		o.noWalk = true
	case "m":
		o.showMerges = "each"
	case "cc", "c":
		o.showMerges = "combined"
		o.diff.patch = o.diff.patch || !o.diff.chosen()
	case "simplify-by-decoration":
		o.byDecorated = true
	case "L":
		g.die("option -L is not supported by 'git %s' here; 'git blame -L' and 'git log -S' are", g.name)
	case "stdin", "cherry", "cherry-mark", "cherry-pick", "children", "boundary", "objects", "perl-regexp":
		if name != "perl-regexp" {
			g.die("option --%s is not supported here", name)
		}
	default:
		o.readPretty(g, name, arg)
	}
}

func (o *logOptions) readPretty(g *git, name, arg string) {
	p := &o.pretty
	switch name {
	case "oneline":
		p.format, p.terminator, p.abbrev = "oneline", true, true
	case "pretty", "format":
		if name == "format" && !strings.Contains(arg, ":") && !strings.Contains(arg, "%") && arg == "" {
			p.format, p.user, p.terminator = "user", "", true
			return
		}
		p.setFormat(g, arg)
	case "abbrev-commit":
		p.abbrev = true
	case "no-abbrev-commit":
		p.abbrev = false
	case "date":
		p.date = g.checkDateMode(arg)
	case "relative-date":
		p.date = "relative"
	case "decorate":
		switch arg {
		case "", "short", "true", "yes", "1":
			p.decorate = "short"
		case "full":
			p.decorate = "full"
		case "auto", "no", "false", "0":
			p.decorate = ""
		default:
			g.die("invalid --decorate option: %s", arg)
		}
	case "no-decorate":
		p.decorate = ""
	case "graph":
		o.graph = true
	case "parents":
		p.parents = true
	case "left-right":
		p.mark = func(c *object.Commit) string {
			if o.revs.left[c.ID] {
				return "< "
			}
			return "> "
		}
	}
}

// choose finds the revisions and paths of the command line.
func (o *logOptions) choose(r *repo, l line) {
	v, paths := r.splitRevisions(l)
	all := false
	for _, opt := range l.list {
		prefix := map[string]string{"all": "refs/", "branches": refs.Heads, "tags": refs.Tags, "remotes": "refs/remotes/", "glob": "refs/"}[opt.Name]
		if prefix == "" {
			continue
		}
		all = true
		for _, ref := range r.refs.List(prefix) {
			if opt.Arg != "" && !globRef(opt, prefix, ref.Name) {
				continue
			}
			if id, err := r.peel(ref.ID, object.CommitKind); err == nil {
				v.tips = append(v.tips, id)
			}
		}
		if opt.Name == "all" {
			if id, ok := r.head(); ok {
				v.tips = append(v.tips, id)
			}
		}
	}
	if len(v.tips) == 0 && !all {
		id, ok := r.head()
		if !ok {
			branch := strings.TrimPrefix(r.branch(), refs.Heads)
			r.g.die("your current branch '%s' does not have any commits yet", branch)
		}
		v.tips = append(v.tips, id)
	}
	o.revs = v
	o.specs = r.specs(paths)
	if len(o.specs) != 1 {
		o.follow = false
	}
}

// negate turns the revisions after --not into "^revision".
func (g *git) negate() {
	not := false
	var args []string
	for i, a := range g.args {
		switch {
		case a == "--":
			g.args = append(args, g.args[i:]...)
			return
		case a == "--not":
			not = !not
			continue
		case not && !strings.HasPrefix(a, "-"):
			a = "^" + a
		}
		args = append(args, a)
	}
	g.args = args
}

func cmdLog(g *git) int {
	g.negate()
	l := g.parse(logSpec + diffSpec)
	r := g.open()
	o := g.logOptions(r, l)
	o.choose(r, l)
	if o.walkReflogs {
		return o.reflogs(r, l)
	}
	o.show(r)
	return 0
}

// show prints the commits.
func (o *logOptions) show(r *repo) {
	p := &logPrinter{o: o, r: r}
	if o.graph {
		p.graph = newGraph(r.g)
		p.showGraph()
		return
	}
	if o.reverse || o.order != "" {
		for _, c := range o.list(r) {
			p.commit(c)
		}
		return
	}
	o.each(r, func(c *object.Commit) bool {
		p.commit(c)
		return true
	})
}

// list returns the chosen commits in the order in which they are shown.
func (o *logOptions) list(r *repo) []*object.Commit {
	var list []*object.Commit
	if o.order == "" {
		o.each(r, func(c *object.Commit) bool {
			list = append(list, c)
			return true
		})
	} else {
		limit, skip := o.limit, o.skip
		o.limit, o.skip = -1, 0
		o.each(r, func(c *object.Commit) bool {
			list = append(list, c)
			return true
		})
		list = topological(list, o.order == "date-order")
		list = list[min(skip, len(list)):]
		if limit >= 0 {
			list = list[:min(limit, len(list))]
		}
	}
	if o.reverse {
		slices.Reverse(list)
	}
	return list
}

// each calls f for the chosen commits, the youngest first, until it says no.
func (o *logOptions) each(r *repo, f func(c *object.Commit) bool) {
	if o.limit == 0 {
		return
	}
	skip, left := o.skip, o.limit
	take := func(c *object.Commit) bool {
		if !o.matches(c) {
			return true
		}
		if skip > 0 {
			skip--
			return true
		}
		if !f(c) {
			return false
		}
		left--
		return left != 0
	}
	if o.noWalk {
		for _, id := range o.revs.tips {
			c, err := r.db.Commit(id)
			r.g.check(err)
			if !take(c) {
				return
			}
		}
		return
	}
	w := o.start(r)
	for c := w.next(); c != nil; c = w.next() {
		if o.since > 0 && c.Committer.When < o.since && !o.graph {
			continue
		}
		if !take(c) {
			return
		}
	}
}

// source yields commits.
type commitSource interface{ next() *object.Commit }

func (o *logOptions) start(r *repo) commitSource {
	if o.follow && len(o.specs) == 1 {
		return &followWalk{w: o.plainWalk(r), r: r, o: o}
	}
	if len(o.specs) > 0 {
		return &pathWalk{r: r, o: o, touched: map[object.ID]bool{}, queue: o.plainWalk(r)}
	}
	return o.plainWalk(r)
}

func (o *logOptions) plainWalk(r *repo) *walk {
	w := r.newWalk(o.revs.tips, o.revs.hidden)
	w.firstParent = o.firstParent
	return w
}

func (o *logOptions) matches(c *object.Commit) bool {
	if o.since > 0 && c.Committer.When < o.since || o.until > 0 && c.Committer.When > o.until {
		return false
	}
	if len(c.Parents) < o.minParents || o.maxParents >= 0 && len(c.Parents) > o.maxParents {
		return false
	}
	if o.leftOnly && !o.revs.left[c.ID] || o.rightOnly && o.revs.left[c.ID] {
		return false
	}
	if o.byDecorated && o.pretty.decoration(c.ID) == "" {
		return false
	}
	return o.matchesPeople(c) && o.matchesMessage(c)
}

func (o *logOptions) matchesPeople(c *object.Commit) bool {
	authors, committers := 0, 0
	authorOK, committerOK := false, false
	for _, f := range o.filters {
		if f.committer {
			committers++
			committerOK = committerOK || f.re.Match([]byte(c.Committer.Name+" <"+c.Committer.Email+">"), false)
		} else {
			authors++
			authorOK = authorOK || f.re.Match([]byte(c.Author.Name+" <"+c.Author.Email+">"), false)
		}
	}
	return (authors == 0 || authorOK) && (committers == 0 || committerOK)
}

func (o *logOptions) matchesMessage(c *object.Commit) bool {
	if len(o.greps) == 0 {
		return true
	}
	matched := 0
	for _, re := range o.greps {
		if re.Match([]byte(c.Message), false) {
			matched++
		}
	}
	ok := matched > 0 && (!o.allMatch || matched == len(o.greps))
	return ok != o.invert
}

// logPrinter prints commits one after the other.
type logPrinter struct {
	o     *logOptions
	r     *repo
	shown bool
	graph *graph
	// missing says that the last commit did not end its line.
	missing bool
}

// commit prints a commit with its differences.
func (p *logPrinter) commit(c *object.Commit) {
	p.r.g.step()
	o := p.o
	wantsDiff := o.diff.chosen() && !o.diff.none
	var list []change
	if wantsDiff {
		list = p.changes(c)
		if o.pickaxed() && len(list) == 0 {
			return
		}
	} else if o.pickaxed() {
		if len(p.changes(c)) == 0 {
			return
		}
	}
	p.head(c)
	switch {
	case wantsDiff && p.combined(c):
		p.combinedDiff(c, list)
	case wantsDiff && len(list) > 0:
		p.diff(list)
	}
}

// combined reports whether a merge is compared with all of its parents at once.
func (p *logPrinter) combined(c *object.Commit) bool {
	return len(c.Parents) > 1 && p.o.showMerges == "combined"
}

// combinedDiff shows statistics against the first parent, and as a patch what differs from every parent.
func (p *logPrinter) combinedDiff(c *object.Commit, list []change) {
	d := p.o.diff
	patch := d.patch
	d.patch = false
	if p.o.pretty.format != "oneline" {
		if patch && d.stat {
			p.r.g.print("---")
		}
		p.r.g.print("\n")
	}
	if d.chosen() {
		p.r.showChanges(list, &d)
		if patch {
			p.r.g.print("\n")
		}
	}
	if patch {
		p.r.combinedCommit(c, &p.o.diff)
	}
}

func (o *logOptions) pickaxed() bool {
	return o.diff.pickaxe != "" || o.diff.pickaxeRegex != "" || o.diff.filter != ""
}

func (p *logPrinter) head(c *object.Commit) {
	g := p.r.g
	if p.shown && !p.o.pretty.terminator {
		g.print("\n")
	}
	p.shown = true
	text := p.o.pretty.render(c)
	g.print(text)
	if p.o.pretty.terminator && p.o.pretty.format == "user" && p.o.pretty.user != "" {
		g.print("\n")
	}
}

// diff prints the differences of a commit below it.
func (p *logPrinter) diff(list []change) {
	d := &p.o.diff
	if p.o.pretty.format != "oneline" && !(p.o.pretty.format == "user" && p.o.pretty.user == "") {
		if d.patch && d.stat {
			p.r.g.print("---")
		}
		p.r.g.print("\n")
	}
	p.r.showChanges(list, d)
}

// changes lists what a commit changed.
func (p *logPrinter) changes(c *object.Commit) []change {
	return p.r.commitChanges(c, p.o)
}

// commitChanges compares a commit with its first parent; merges only if that is asked for.
func (r *repo) commitChanges(c *object.Commit, o *logOptions) []change {
	var before object.ID
	switch {
	case len(c.Parents) == 0:
		before = object.ID{}
	case len(c.Parents) == 1 || o.showMerges != "":
		before = r.treeOf(c.Parents[0])
	default:
		return nil
	}
	specs := o.specs
	list := r.diffTrees(before, c.Tree, specs)
	if o.follow {
		list = r.followChange(r.diffTrees(before, c.Tree, nil), o)
	}
	return r.prepareChanges(list, &o.diff)
}

// followChange picks the change of the one file whose history is followed.
func (r *repo) followChange(list []change, o *logOptions) []change {
	limit := o.diff.renames
	limit.off = false
	for _, c := range r.detectRenames(list, limit) {
		if c.path() == o.specs[0].Path {
			return []change{c}
		}
	}
	return nil
}

// pathWalk visits the commits that changed something below paths. At a merge that is the same as one of its parents, only that
// parent is followed.
type pathWalk struct {
	r       *repo
	o       *logOptions
	queue   *walk
	touched map[object.ID]bool // commits that changed something
}

func (w *pathWalk) next() *object.Commit {
	for {
		c := w.queue.nextThrough(w.follow)
		if c == nil {
			return nil
		}
		if w.touched[c.ID] {
			return c
		}
	}
}

// follow returns the parents that matter, and marks a commit that changed something.
func (w *pathWalk) follow(c *object.Commit) []object.ID {
	if len(c.Parents) == 0 {
		w.touched[c.ID] = w.differs(object.ID{}, c.Tree)
		return nil
	}
	parents := c.Parents
	if w.o.firstParent {
		parents = parents[:1]
	}
	for _, id := range parents {
		if !w.differs(w.r.treeOf(id), c.Tree) {
			return []object.ID{id}
		}
	}
	w.touched[c.ID] = true
	return parents
}

func (w *pathWalk) differs(a, b object.ID) bool {
	return w.r.treesDiffer(a, b, "", 0, w.o.specs)
}

// nextThrough is next with a choice of parents.
func (w *walk) nextThrough(parents func(c *object.Commit) []object.ID) *object.Commit {
	c := w.pop()
	if c == nil {
		return nil
	}
	for _, id := range parents(c) {
		w.push(id)
	}
	return c
}

// treesDiffer reports whether two trees differ in what the specs mean.
func (r *repo) treesDiffer(a, b object.ID, prefix string, depth int, specs []match.Spec) bool {
	if a == b {
		return false
	}
	if len(specs) == 1 && prefix == "" && specs[0].Plain() {
		x, okX := r.lookupIn(a, specs[0].Path)
		y, okY := r.lookupIn(b, specs[0].Path)
		return okX != okY || x.id != y.id || x.mode != y.mode
	}
	return len(r.diffTrees(a, b, specs)) > 0
}

func (r *repo) lookupIn(tree object.ID, name string) (file, bool) {
	if tree.IsZero() {
		return file{}, false
	}
	return r.lookup(tree, name)
}

// followWalk visits the commits that changed one file, under the names that it had.
type followWalk struct {
	w    *walk
	r    *repo
	o    *logOptions
	last *object.Commit
}

func (w *followWalk) next() *object.Commit {
	if w.last != nil && len(w.last.Parents) == 1 {
		for _, c := range w.r.followChange(w.r.diffTrees(w.r.treeOf(w.last.Parents[0]), w.last.Tree, nil), w.o) {
			w.o.renamed(c)
		}
	}
	for {
		c := w.w.next()
		if c == nil {
			return nil
		}
		if len(c.Parents) > 1 {
			continue
		}
		before := object.ID{}
		if len(c.Parents) == 1 {
			before = w.r.treeOf(c.Parents[0])
		}
		if !w.r.treesDiffer(before, c.Tree, "", 0, w.o.specs) {
			continue
		}
		w.last = c
		return c
	}
}

// renamed goes over to the name that the file had before a commit that has been shown.
func (o *logOptions) renamed(c change) {
	if c.status == 'R' {
		o.specs[0] = match.Exact(c.old.path)
	}
}

func cmdRevList(g *git) int {
	g.negate()
	l := g.parse(logSpec + diffSpec)
	r := g.open()
	o := g.logOptions(r, l)
	if len(l.args) == 0 && !l.has("all") && !l.has("branches") && !l.has("tags") {
		g.usageError("no revision given")
	}
	o.choose(r, l)
	if l.has("count") {
		list := o.list(r)
		if l.has("left-right") {
			left := 0
			for _, c := range list {
				if o.revs.left[c.ID] {
					left++
				}
			}
			g.printf("%d\t%d\n", left, len(list)-left)
			return 0
		}
		g.printf("%d\n", len(list))
		return 0
	}
	for _, c := range o.list(r) {
		if l.has("pretty") || l.has("format") {
			g.printf("commit %s\n", o.pretty.marked(c)+o.pretty.id(c.ID))
			g.print(strings.TrimSuffix(o.pretty.render(c), "\n") + "\n")
			continue
		}
		if l.has("timestamp") {
			g.printf("%d ", c.Committer.When)
		}
		text := strings.TrimSpace(o.pretty.marked(c)) + o.pretty.id(c.ID) + o.pretty.parentNames(c)
		if l.has("oneline") {
			text += " " + c.Subject()
		}
		fmt.Fprintln(g.out, text)
	}
	return 0
}

// globRef reports whether a reference is one that --branches=…, --tags=…, --remotes=… or --glob=… means.
func globRef(opt getopt.Option, prefix, name string) bool {
	pattern := opt.Arg
	if opt.Name == "glob" && !strings.HasPrefix(pattern, "refs/") {
		pattern = "refs/" + pattern
	} else if opt.Name != "glob" {
		pattern = prefix + pattern
	}
	if !strings.ContainsAny(pattern, "*?[") {
		pattern = strings.TrimSuffix(pattern, "/") + "/*"
	}
	return match.Glob(pattern, name, false, false)
}
