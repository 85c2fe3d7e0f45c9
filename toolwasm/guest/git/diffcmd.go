package git

import (
	"path"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/object"
)

func cmdDiff(g *git) int {
	l := g.parse("cached,staged no-index merge-base base,1 ours,2 theirs,3 0 " + diffSpec)
	r, err := g.discover()
	g.check(err)
	if r == nil || l.has("no-index") {
		return g.diffNoIndex(l)
	}
	o := g.diffOptions(l.flags)
	if !o.chosen() {
		o.patch = true
	}
	list := r.diffList(l)
	list = r.prepareChanges(list, &o)
	return r.finishDiff(list, &o)
}

// finishDiff shows changes, or only tells whether there are any.
func (r *repo) finishDiff(list []change, o *diffOptions) int {
	if o.check {
		if r.checkSpace(list, o) {
			return 2
		}
		return 0
	}
	if !o.quiet {
		r.showChanges(list, o)
	}
	if o.exitCode && len(list) > 0 {
		return 1
	}
	return 0
}

// diffList compares what the command line names.
func (r *repo) diffList(l line) []change {
	if list, ok := r.diffBlobs(l); ok {
		return list
	}
	v, paths := r.splitRevisions(l)
	if r.top == "" && len(v.tips) == 0 && len(v.ranges) == 0 {
		r.g.die("this operation must be run in a work tree")
	}
	specs := r.specs(paths)
	if len(v.ranges) > 0 {
		p := v.ranges[0]
		a := p.a
		if p.dots == 3 {
			bases := r.mergeBases(p.a, p.b)
			if len(bases) == 0 {
				r.g.die("%s: no merge base", l.args[0])
			}
			a = bases[0]
		}
		return r.diffTrees(r.treeOf(a), r.treeOf(p.b), specs)
	}
	if l.has("cached") {
		tree := r.headTree()
		if len(v.tips) > 0 {
			tree = r.treeOf(v.tips[0])
		}
		return r.withUnmerged(r.diffIndex(tree, specs), specs)
	}
	if len(v.hidden) > 0 && len(v.tips) > 0 { // "^a b", "b^!"
		return r.diffTrees(r.treeOf(v.hidden[0]), r.treeOf(v.tips[0]), specs)
	}
	switch len(v.tips) {
	case 0:
		return r.diffConflicts(r.diffWork(specs), l)
	case 1:
		tip := v.tips[0]
		if l.has("merge-base") {
			if head, ok := r.head(); ok {
				if bases := r.mergeBases(tip, head); len(bases) > 0 {
					tip = bases[0]
				}
			}
		}
		return r.diffTreeWork(r.treeOf(tip), specs)
	}
	return r.diffTrees(r.treeOf(v.tips[0]), r.treeOf(v.tips[1]), specs)
}

// diffConflicts adds how files in conflict differ from one side.
func (r *repo) diffConflicts(list []change, l line) []change {
	stage, combined := index.Ours, true
	for i, option := range []string{"base", "ours", "theirs"} {
		if l.has(option) {
			stage, combined = i+1, false
		}
	}
	o := r.g.diffOptions(l.flags)
	combined = combined && (o.patch || !o.chosen())
	var out []change
	for _, c := range list {
		if c.status == 'U' {
			c.combined = combined
		}
		out = append(out, c)
		if c.status != 'U' || combined {
			continue
		}
		info, err := r.lstat(c.path())
		e := r.index().Stages(c.path())[stage]
		if err == nil && e != nil {
			out = append(out, modified(entryVersion(e), version{path: c.path(), mode: r.modeOf(info, e.Mode), work: true}))
		}
	}
	return out
}

// diffBlobs compares two objects that are no commits: "a:file b:file", or two trees.
func (r *repo) diffBlobs(l line) ([]change, bool) {
	if len(l.args) != 2 {
		return nil, false
	}
	var sides [2]version
	for i, arg := range l.args {
		if strings.Contains(arg, "..") || r.exists(arg) && !strings.Contains(arg, ":") {
			return nil, false
		}
		id, err := r.resolve(arg)
		if err != nil {
			return nil, false
		}
		kind, _, err := r.db.Info(id)
		if err != nil || kind != object.BlobKind && kind != object.TreeKind {
			return nil, false
		}
		sides[i] = version{path: arg, mode: object.FileMode, id: id}
		if _, name, ok := cutPath(arg); ok && name != "" {
			sides[i].path = name
		}
		if kind == object.TreeKind {
			sides[i].mode = object.DirMode
		}
	}
	if sides[0].mode.IsDir() && sides[1].mode.IsDir() {
		return r.diffTrees(sides[0].id, sides[1].id, r.specs(l.paths)), true
	}
	if sides[0].id == sides[1].id {
		return nil, true
	}
	return []change{{status: 'M', old: sides[0], new: sides[1]}}, true
}

func cmdDiffTree(g *git) int {
	l := g.parse("r t root stdin no-commit-id v always " + strings.Replace(diffSpec, "no-textconv", "no-textconv", 1) + " pretty? format=")
	r := g.open()
	o := g.diffOptions(l.flags)
	if !o.chosen() {
		o.raw = true
	}
	if o.abbrev == 0 && o.raw {
		o.abbrev = object.HexLen
	}
	o.renames.off = !l.has("find-renames") && !l.has("find-copies")
	if len(l.args) == 0 {
		g.usageError("no tree given")
	}
	id, err := r.resolve(l.args[0])
	if err != nil {
		r.badRevision(l.args[0], err)
	}
	if len(l.args) > 1 {
		if other, err := r.resolve(l.args[1]); err == nil {
			a, err := r.peel(id, object.TreeKind)
			g.check(err)
			b, err := r.peel(other, object.TreeKind)
			g.check(err)
			return r.finishDiff(r.prepareChanges(r.diffTrees(a, b, r.specs(append(l.args[2:], l.paths...))), &o), &o)
		}
	}
	c, err := r.db.Commit(r.commitOf(l.args[0]))
	g.check(err)
	if len(c.Parents) > 1 || len(c.Parents) == 0 && !l.has("root") {
		return 0
	}
	before := object.ID{}
	if len(c.Parents) == 1 {
		before = r.treeOf(c.Parents[0])
	}
	list := r.prepareChanges(r.diffTrees(before, c.Tree, r.specs(append(l.args[1:], l.paths...))), &o)
	if len(list) > 0 && !l.has("no-commit-id") {
		g.printf("%s\n", c.ID)
	}
	return r.finishDiff(list, &o)
}

// diffNoIndex compares two files or directories whether they are in a repository or not.
func (g *git) diffNoIndex(l line) int {
	o := g.diffOptions(l.flags)
	if !o.chosen() {
		o.patch = true
	}
	o.exitCode = true
	args := l.operands()
	if len(args) != 2 {
		if !l.has("no-index") {
			g.errorf("warning: Not a git repository. Use --no-index to compare two paths outside a working tree\n")
		}
		g.errorf("usage: git diff --no-index [<options>] <path> <path>\n")
		return statusUsage
	}
	r := &repo{g: g, cfg: g.anyConfig(), db: object.Open("/dev/null", 0, g.step)}
	if g.repo == nil {
		g.repo = r
	}
	list, err := g.compareFiles(args[0], args[1], 0)
	if err != nil {
		g.fail(statusFatal, "Could not access '%s'", pathOf(err))
	}
	return r.finishDiff(r.prepareChanges(list, &o), &o)
}

// compareFiles lists the changes between two paths.
func (g *git) compareFiles(a, b string, depth int) ([]change, error) {
	x, err := g.fileVersion(a)
	if err != nil {
		return nil, err
	}
	y, err := g.fileVersion(b)
	if err != nil {
		return nil, err
	}
	if x.mode.IsDir() && y.mode.IsDir() && depth < object.MaxTreeDepth {
		return g.compareDirs(a, b, depth)
	}
	if x.mode.IsDir() && !y.mode.IsDir() && depth == 0 {
		return g.compareFiles(a+"/"+path.Base(b), b, 1)
	}
	if y.mode.IsDir() && !x.mode.IsDir() && depth == 0 {
		return g.compareFiles(a, b+"/"+path.Base(a), 1)
	}
	if x.id == y.id && x.mode == y.mode {
		return nil, nil
	}
	switch {
	case x.mode == 0:
		return []change{{status: 'A', old: version{path: y.path}, new: y}}, nil
	case y.mode == 0:
		return []change{{status: 'D', old: x, new: version{path: x.path}}}, nil
	}
	return []change{modified(x, y)}, nil
}
