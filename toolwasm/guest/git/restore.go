package git

import (
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

func cmdRestore(g *git) int {
	l := g.parse("source,s= staged,S worktree,W ours,2 theirs,3 merge,m conflict= quiet,q patch,p progress no-progress " +
		"ignore-unmerged overlay no-overlay recurse-submodules? pathspec-from-file= pathspec-file-nul ignore-skip-worktree-bits")
	if l.has("patch") {
		g.die("there is no terminal to ask on: 'git restore -p' does not work here; name the files")
	}
	r := g.openTree()
	args := append(l.operands(), g.specFile(l.flags)...)
	if len(args) == 0 {
		g.die("you must specify path(s) to restore")
	}
	specs := r.specs(args)
	staged := l.has("staged")
	work := l.has("worktree") || !staged
	r.lockIndex()
	source, hasSource := l.get("source")
	if !hasSource && !staged {
		stage := index.Merged
		if l.has("ours") {
			stage = index.Ours
		} else if l.has("theirs") {
			stage = index.Theirs
		}
		r.restoreIndexFiles(specs, stage, l.has("merge"), l.has("ignore-unmerged"))
		r.saveIndex()
		return 0
	}
	tree := r.headTree()
	if hasSource {
		id, err := r.resolve(source)
		if err == nil {
			id, err = r.peel(id, object.TreeKind)
		}
		if err != nil {
			g.die("could not resolve %s", source)
		}
		tree = id
	}
	r.restore(tree, specs, staged, work)
	r.saveIndex()
	return 0
}

// restore takes what specs mean from a tree: files that it does not have go.
func (r *repo) restore(tree object.ID, specs []match.Spec, staged, work bool) {
	files := map[string]file{}
	for _, f := range r.flatten(tree) {
		if match.Match(specs, f.path) {
			files[f.path] = f
		}
	}
	var names []string
	for n := range files {
		names = append(names, n)
	}
	for n := range r.indexNames {
		if match.Match(specs, n) && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	r.checkSpecs(specs, slices.Values(names))
	slices.Sort(names)
	for _, n := range names {
		f, ok := files[n]
		if !ok {
			if work {
				r.g.check(r.removeWork(n))
			}
			if staged {
				r.index().Remove(n)
			}
			continue
		}
		r.restoreOne(f, staged, work)
	}
}

func (r *repo) restoreOne(f file, staged, work bool) {
	e := index.Entry{Name: f.path, Mode: f.mode, ID: f.id}
	old := r.index().Get(f.path)
	if work {
		info, err := r.writeWork(f.path, f.mode, f.id)
		r.g.check(err)
		e.SetStat(info)
	} else if old != nil && old.ID == f.id && old.Mode == f.mode && !old.IntentToAdd {
		return
	}
	if staged {
		r.index().Put(e)
	}
}

func cmdReset(g *git) int {
	l := g.parse("soft mixed hard merge keep quiet,q no-quiet patch,p intent-to-add,N refresh no-refresh recurse-submodules? pathspec-from-file= pathspec-file-nul")
	if l.has("patch") {
		g.die("there is no terminal to ask on: 'git reset -p' does not work here; name the files")
	}
	r := g.open()
	rev, paths := r.resetTarget(l)
	paths = append(paths, g.specFile(l.flags)...)
	mode := "mixed"
	for _, m := range []string{"soft", "mixed", "hard", "merge", "keep"} {
		if l.has(m) {
			mode = m
		}
	}
	if len(paths) > 0 {
		if l.has("soft") || l.has("hard") || l.has("merge") || l.has("keep") {
			g.die("Cannot do %s reset with paths.", mode)
		}
		return r.resetPaths(rev, paths, l.has("quiet"))
	}
	return r.resetTo(rev, mode, l.has("quiet"))
}

// resetTarget splits the words into a revision and paths.
func (r *repo) resetTarget(l line) (rev string, paths []string) {
	if len(l.args) == 0 {
		return "HEAD", l.paths
	}
	if _, err := r.resolve(l.args[0]); err == nil {
		if !l.dash && len(l.args) == 1 && r.exists(l.args[0]) && !strings.ContainsAny(l.args[0], "~^@") {
			r.g.die("ambiguous argument '%s': both revision and filename", l.args[0])
		}
		return l.args[0], append(append([]string{}, l.args[1:]...), l.paths...)
	}
	if l.dash {
		r.g.die("Failed to resolve '%s' as a valid revision.", l.args[0])
	}
	for _, a := range l.args {
		if !r.exists(a) && !r.index().Has(cleanPath(r.prefix+a)) && !r.index().HasUnder(cleanPath(r.prefix+a)) && !strings.ContainsAny(a, "*?[") {
			r.ambiguous(a)
		}
	}
	return "HEAD", l.args
}

// resetPaths makes the index that of a tree for some paths.
func (r *repo) resetPaths(rev string, paths []string, quiet bool) int {
	tree := r.headTree()
	if _, born := r.head(); rev != "HEAD" || born {
		id, err := r.resolve(rev)
		if err == nil {
			id, err = r.peel(id, object.TreeKind)
		}
		if err != nil {
			r.badRevision(rev, err)
		}
		tree = id
	}
	specs := r.specs(paths)
	r.lockIndex()
	wanted := map[string]file{}
	for _, f := range r.flatten(tree) {
		if match.Match(specs, f.path) {
			wanted[f.path] = f
		}
	}
	var gone []string
	for n := range r.indexNames {
		if _, ok := wanted[n]; !ok && match.Match(specs, n) {
			gone = append(gone, n)
		}
	}
	for _, n := range gone {
		r.index().Remove(n)
	}
	for _, f := range wanted {
		r.restoreOne(f, true, false)
	}
	r.refreshAll()
	r.saveIndex()
	if !quiet {
		r.unstagedReport()
	}
	return 0
}

// unstagedReport lists what the working tree has otherwise than the index.
func (r *repo) unstagedReport() {
	list := r.diffWork(nil)
	if len(list) == 0 {
		return
	}
	r.g.print("Unstaged changes after reset:\n")
	for _, c := range list {
		r.g.printf("%c\t%s\n", c.status, c.path())
	}
}

// resetTo moves the branch, and the index and the working tree as the mode says.
func (r *repo) resetTo(rev, mode string, quiet bool) int {
	head, born := r.head()
	var target object.ID
	tree := object.EmptyTree()
	if born || rev != "HEAD" {
		target = r.commitOf(rev)
		tree = r.treeOf(target)
	}
	if mode != "soft" && mode != "mixed" && r.top == "" {
		r.g.die("%s reset is not allowed in a bare repository", mode)
	}
	if mode != "soft" {
		r.lockIndex()
	}
	switch mode {
	case "soft":
		if len(r.index().Unmerged()) > 0 {
			r.g.die("Cannot do a soft reset in the middle of a merge.")
		}
	case "mixed":
		r.readTree(tree)
		if r.top != "" {
			r.refreshAll()
		}
		r.saveIndex()
	case "hard":
		r.resetHard(tree)
	default:
		r.resetKeeping(tree, mode)
	}
	if target != (object.ID{}) {
		r.moveHead(head, target, "reset: moving to "+rev)
	}
	r.finishOperation()
	if quiet {
		return 0
	}
	switch mode {
	case "hard":
		if born {
			r.g.printf("HEAD is now at %s\n", r.oneLine(target))
		}
	case "mixed":
		if r.top != "" {
			r.unstagedReport()
		}
	}
	return 0
}

// resetKeeping resets files that differ between the commits, and keeps the user's changes of others.
func (r *repo) resetKeeping(tree object.ID, mode string) {
	if mode == "merge" {
		// What is staged goes; conflicts go as well.
		for _, n := range r.index().Unmerged() {
			r.index().Remove(n)
			if f, ok := r.lookup(r.headTree(), n); ok {
				info, err := r.writeWork(n, f.mode, f.id)
				r.g.check(err)
				e := index.Entry{Name: n, Mode: f.mode, ID: f.id}
				e.SetStat(info)
				r.index().Put(e)
			} else {
				r.g.check(r.removeWork(n))
			}
		}
		staged := r.diffIndex(r.headTree(), nil)
		for _, c := range staged {
			if f, ok := r.lookup(r.headTree(), c.path()); ok {
				r.restoreOne(f, true, true)
			} else {
				r.g.check(r.removeWork(c.path()))
				r.index().Remove(c.path())
			}
		}
	}
	t := r.newTransition(r.headTree(), tree, "reset", "reset")
	t.plan()
	if t.blocked() {
		for _, n := range t.dirty {
			r.g.errorf("error: Entry '%s' not uptodate. Cannot merge.\n", n)
		}
		r.g.die("Could not reset index file to revision.")
	}
	t.apply()
}

// moveHead sets the current branch, remembering where it was.
func (r *repo) moveHead(head, target object.ID, message string) {
	if head != (object.ID{}) {
		r.g.check(r.refs.Set("ORIG_HEAD", head))
	}
	name := r.branch()
	if name == "" {
		r.g.check(r.refs.Set(refs.Head, target))
	} else {
		r.g.check(r.refs.Set(name, target))
		if head != target {
			r.logRef(name, head, target, message)
		}
	}
	r.logRef(refs.Head, head, target, message)
}
