package git

import (
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

const switchSpec = "detach,d force,f,discard-changes merge,m conflict= quiet,q progress no-progress track,t? no-track guess no-guess orphan= " +
	"ignore-other-worktrees recurse-submodules? no-recurse-submodules overwrite-ignore no-overwrite-ignore "

func cmdCheckout(g *git) int {
	l := g.parse(switchSpec + "b= B= ours,2 theirs,3 patch,p l ignore-skip-worktree-bits overlay no-overlay pathspec-from-file= pathspec-file-nul")
	r := g.openTree()
	if l.has("patch") {
		g.die("there is no terminal to ask on: 'git checkout -p' does not work here; name the files")
	}
	c := &switching{g: g, r: r, l: l, quiet: l.has("quiet")}
	for _, o := range []string{"b", "B"} {
		if name, ok := l.get(o); ok {
			c.create, c.reset = name, o == "B"
		}
	}
	if name, ok := l.get("orphan"); ok {
		return c.orphan(name)
	}
	if c.create != "" || l.has("detach") {
		if len(l.args) > 1 {
			g.die("Cannot update paths and switch to branch '%s' at the same time.", c.create)
		}
		return c.run(first(l.args))
	}
	if len(l.args) == 0 && len(l.paths) == 0 && !l.has("pathspec-from-file") {
		if l.has("ours") || l.has("theirs") {
			g.die("'--ours/--theirs' cannot be used with switching branches")
		}
		return c.run("")
	}
	return c.ambiguous()
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// switching is one switch to another branch or commit.
type switching struct {
	g      *git
	r      *repo
	l      line
	create string // the branch to make
	reset  bool   // it may exist
	quiet  bool
	// guessed is set when the branch has just been made after one of a remote.
	guessed bool
}

// ambiguous tells whether the words of `git checkout` name a branch or files.
func (c *switching) ambiguous() int {
	args := c.l.args
	paths := append(append([]string{}, c.l.paths...), c.g.specFile(c.l.flags)...)
	if c.l.dash || len(paths) > 0 {
		if len(args) == 0 {
			return c.files("", paths)
		}
		if len(paths) == 0 {
			return c.run(args[0])
		}
		if len(args) > 1 {
			c.g.die("only one reference expected, %d given.", len(args))
		}
		return c.files(args[0], paths)
	}
	_, err := c.r.resolve(c.target(args[0]))
	isRev := err == nil
	if len(args) == 1 {
		if isRev {
			if c.r.exists(args[0]) && !strings.ContainsAny(args[0], "~^@:") {
				if _, isBranch := c.r.findRef(args[0]); isBranch && !c.tracked(args[0]) {
					return c.run(args[0])
				}
				c.r.g.errorf("fatal: ambiguous argument '%s': both revision and filename\n"+
					"Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'\n", args[0])
				c.g.close()
				c.g.p.Exit(statusFatal)
			}
			return c.run(args[0])
		}
		if c.guess(args[0]) {
			return c.run(c.create)
		}
		return c.files("", args)
	}
	if isRev && !(c.r.exists(args[0]) && c.tracked(args[0])) {
		return c.files(args[0], args[1:])
	}
	return c.files("", args)
}

func (c *switching) tracked(name string) bool {
	specs := c.r.specs([]string{name})
	for i := range c.r.index().Entries {
		if specs[0].Match(c.r.idx.Entries[i].Name) {
			return true
		}
	}
	return false
}

// guess makes a branch that follows one of the same name of the only remote that has it.
func (c *switching) guess(name string) bool {
	if c.l.has("no-guess") || !refs.ValidName(refs.Heads+name) {
		return false
	}
	var found []string
	for _, ref := range c.r.refs.List("refs/remotes/") {
		if _, short, ok := strings.Cut(strings.TrimPrefix(ref.Name, "refs/remotes/"), "/"); ok && short == name {
			found = append(found, ref.Name)
		}
	}
	if len(found) != 1 {
		return false
	}
	id, _, err := c.r.refs.Resolve(found[0])
	if err != nil {
		return false
	}
	c.r.makeBranch(name, id, "branch: Created from "+found[0], false)
	if c.r.track(name, found[0]) {
		c.g.printf("branch '%s' set up to track '%s'.\n", name, shortRef(found[0]))
	}
	c.create, c.guessed = name, true
	return true
}

// target replaces "-" by the branch before.
func (c *switching) target(name string) string {
	if name == "-" {
		return "@{-1}"
	}
	return name
}

// run switches to a branch, a commit, or stays where it is.
func (c *switching) run(name string) int {
	r := c.r
	if c.guessed {
		c.create = ""
	}
	name = c.target(name)
	if strings.HasPrefix(name, "@{-") {
		if before, err := r.previousBranch(strings.TrimSuffix(strings.TrimPrefix(name, "@{-"), "}")); err == nil {
			name = before
		}
	}
	head, born := r.head()
	target, branch := head, ""
	switch {
	case name == "" || name == "HEAD" && !born:
		branch = strings.TrimPrefix(r.branch(), refs.Heads)
	default:
		id, ok := r.tryCommit(c.threeDots(name))
		if !ok {
			c.badTarget(name)
		}
		target = id
		if r.refs.Exists(refs.Heads + name) {
			branch = name
			if id, _, err := r.refs.Resolve(refs.Heads + name); err == nil {
				target = id
			}
		}
	}
	if c.create != "" {
		c.checkNew()
	}
	if !born && name == "" {
		return c.unborn()
	}
	if c.l.has("detach") {
		branch = ""
	}
	r.lockIndex()
	c.move(head, born, target)
	c.finish(name, branch, head, target)
	return 0
}

// threeDots resolves "A...B" to the best common ancestor.
func (c *switching) threeDots(name string) string {
	a, b, ok := strings.Cut(name, "...")
	if !ok {
		return name
	}
	if a == "" {
		a = "HEAD"
	}
	if b == "" {
		b = "HEAD"
	}
	x, ok1 := c.r.tryCommit(a)
	y, ok2 := c.r.tryCommit(b)
	if !ok1 || !ok2 {
		return name
	}
	if bases := c.r.mergeBases(x, y); len(bases) == 1 {
		return bases[0].String()
	}
	return name
}

func (c *switching) badTarget(name string) {
	if c.g.name == "switch" {
		c.g.die("invalid reference: %s", name)
	}
	if c.create != "" {
		c.g.die("'%s' is not a commit and a branch '%s' cannot be created from it", name, c.create)
	}
	c.g.fail(1, "pathspec '%s' did not match any file(s) known to git", name)
}

func (c *switching) checkNew() {
	if !refs.ValidName(refs.Heads+c.create) || strings.HasPrefix(c.create, "-") || c.create == "HEAD" {
		c.g.die("'%s' is not a valid branch name", c.create)
	}
	if !c.reset && c.r.refs.Exists(refs.Heads+c.create) {
		c.g.die("a branch named '%s' already exists", c.create)
	}
}

// unborn names the branch that the first commit will make.
func (c *switching) unborn() int {
	if c.create == "" {
		if c.r.branch() == "" {
			c.g.die("You are on a branch yet to be born")
		}
		return 0
	}
	c.g.check(c.r.refs.SetSymbolic(refs.Head, refs.Heads+c.create))
	if !c.quiet {
		c.g.errorf("Switched to a new branch '%s'\n", c.create)
	}
	return 0
}

// move brings index and working tree to the target.
func (c *switching) move(head object.ID, born bool, target object.ID) {
	r := c.r
	to := r.treeOf(target)
	if c.l.has("force") {
		r.resetHard(to)
		return
	}
	if names := r.index().Unmerged(); len(names) > 0 {
		for _, n := range names {
			c.g.printf("%s: needs merge\n", n)
		}
		c.g.errorf("error: you need to resolve your current index first\n")
		c.g.close()
		c.g.p.Exit(1)
	}
	from := object.EmptyTree()
	if born {
		from = r.treeOf(head)
	}
	if from == to {
		return
	}
	t := r.newTransition(from, to, "checkout", "switch branches")
	t.plan()
	if t.blocked() && c.l.has("merge") {
		c.mergeChanges(from, to)
		return
	}
	t.refuse()
	t.apply()
}

// mergeChanges carries changes over to the target as `checkout -m` does.
func (c *switching) mergeChanges(from, to object.ID) {
	r := c.r
	a := adder{r: r}
	a.update()
	work := r.writeTree()
	r.resetHard(to)
	m := r.mergeTrees(from, to, work, mergeLabels{ours: "target", theirs: "local"}, mergeOptions{})
	t := r.newTransition(to, m.tree, "checkout", "switch branches")
	t.plan()
	t.apply()
	r.readTree(to)
	m.stage()
	r.saveIndex()
}

// finish moves HEAD and tells about it.
func (c *switching) finish(name, branch string, head, target object.ID) {
	r, g := c.r, c.g
	from := c.where(head)
	old := r.branch()
	if c.create != "" {
		existed := r.refs.Exists(refs.Heads + c.create)
		base := name
		if base == "" {
			base = "HEAD"
		}
		if err := r.makeBranch(c.create, target, "branch: Created from "+base, c.reset); err != nil {
			g.die("%v", err)
		}
		g.check(r.refs.SetSymbolic(refs.Head, refs.Heads+c.create))
		r.logRef(refs.Head, head, target, "checkout: moving from "+from+" to "+c.create)
		c.setUp(name)
		if !c.quiet {
			switch {
			case existed && old == refs.Heads+c.create:
				g.errorf("Reset branch '%s'\n", c.create)
			case existed:
				g.errorf("Switched to and reset branch '%s'\n", c.create)
			default:
				g.errorf("Switched to a new branch '%s'\n", c.create)
			}
			c.local()
		}
		return
	}
	if branch != "" {
		if old != refs.Heads+branch {
			c.leaving(head, target, old)
			g.check(r.refs.SetSymbolic(refs.Head, refs.Heads+branch))
		}
		if old != refs.Heads+branch || name != "" {
			r.logRef(refs.Head, head, target, "checkout: moving from "+from+" to "+branch)
		}
		if c.quiet {
			return
		}
		c.local()
		if name != "" {
			if old == refs.Heads+branch {
				g.errorf("Already on '%s'\n", branch)
			} else if c.guessed {
				g.errorf("Switched to a new branch '%s'\n", branch)
			} else {
				g.errorf("Switched to branch '%s'\n", branch)
			}
		}
		if up, ok := r.upstream(branch); ok && !c.guessed {
			g.print(up.text(true))
		}
		return
	}
	if name == "" && !c.l.has("detach") && old == "" {
		if !c.quiet {
			c.local()
		}
		return
	}
	c.detach(name, from, old, head, target)
}

func (c *switching) detach(name, from, old string, head, target object.ID) {
	r, g := c.r, c.g
	c.leaving(head, target, old)
	g.check(r.refs.Set(refs.Head, target))
	if name == "" {
		name = "HEAD"
	}
	to := name
	if name == "HEAD" || name == "@" {
		to = target.String()
	}
	r.logRef(refs.Head, head, target, "checkout: moving from "+from+" to "+to)
	if c.quiet {
		return
	}
	c.local()
	if old != "" && r.cfg.on("advice.detachedhead", true) && !c.l.has("detach") {
		g.errorf(detachedAdvice, name)
	}
	g.errorf("HEAD is now at %s\n", r.oneLine(target))
}

const detachedAdvice = `Note: switching to '%s'.

You are in 'detached HEAD' state. You can look around, make experimental
changes and commit them, and you can discard any commits you make in this
state without impacting any branches by switching back to a branch.

If you want to create a new branch to retain commits you create, you may
do so (now or later) by using -c with the switch command. Example:

  git switch -c <new-branch-name>

Or undo this operation with:

  git switch -

Turn off this advice by setting config variable advice.detachedHead to false

`

// oneLine is a commit as messages name it.
func (r *repo) oneLine(id object.ID) string {
	c, err := r.db.Commit(id)
	r.g.check(err)
	return fmt.Sprintf("%s %s", r.db.Abbrev(id, r.abbrevLen()), c.Subject())
}

// leaving says what a detached HEAD was at.
func (c *switching) leaving(head, target object.ID, old string) {
	if old == "" && head != target && !c.quiet {
		c.g.errorf("Previous HEAD position was %s\n", c.r.oneLine(head))
	}
}

// where names what HEAD was at, for the log.
func (c *switching) where(head object.ID) string {
	if b := c.r.branch(); b != "" {
		return strings.TrimPrefix(b, refs.Heads)
	}
	return head.String()
}

// local lists the changes that were carried over.
func (c *switching) local() {
	o := diffOptions{nameStatus: true, renames: renameLimit{off: true}}
	c.r.showChanges(c.r.diffTreeWork(c.r.headTree(), nil), &o)
}

// setUp makes a new branch follow what it was made from.
func (c *switching) setUp(from string) {
	if c.l.has("no-track") || from == "" {
		return
	}
	full, ok := c.r.findRef(from)
	if !ok || !strings.HasPrefix(full, "refs/remotes/") && !c.l.has("track") {
		return
	}
	if c.r.track(c.create, full) && strings.HasPrefix(full, "refs/remotes/") {
		c.g.printf("branch '%s' set up to track '%s'.\n", c.create, shortRef(full))
	}
}

// orphan starts a branch without history.
func (c *switching) orphan(name string) int {
	c.create = name
	c.checkNew()
	if c.g.name == "switch" {
		c.r.lockIndex()
		t := c.r.newTransition(c.r.headTree(), object.EmptyTree(), "checkout", "switch branches")
		t.plan()
		t.refuse()
		t.apply()
	} else if start := first(c.l.args); start != "" {
		head, born := c.r.head()
		c.move(head, born, c.r.commitOf(start))
	}
	c.g.check(c.r.refs.SetSymbolic(refs.Head, refs.Heads+name))
	c.g.errorf("Switched to a new branch '%s'\n", name)
	return 0
}

func cmdSwitch(g *git) int {
	l := g.parse(switchSpec + "create,c= force-create,C=")
	r := g.openTree()
	c := &switching{g: g, r: r, l: l, quiet: l.has("quiet")}
	for _, o := range []string{"create", "force-create"} {
		if name, ok := l.get(o); ok {
			c.create, c.reset = name, o == "force-create"
		}
	}
	if name, ok := l.get("orphan"); ok {
		return c.orphan(name)
	}
	args := l.operands()
	if len(args) > 1 {
		g.die("only one reference expected, %d given.", len(args))
	}
	if len(args) == 0 {
		if c.create == "" && !l.has("detach") {
			g.die("missing branch or commit argument")
		}
		return c.run("")
	}
	c.refuseSwitch(args[0])
	return c.run(args[0])
}

// refuseSwitch keeps `git switch` from detaching HEAD unasked.
func (c *switching) refuseSwitch(name string) {
	if c.create != "" || c.l.has("detach") || name == "-" || strings.HasPrefix(name, "@{-") || c.r.refs.Exists(refs.Heads+name) {
		return
	}
	if _, ok := c.r.tryCommit(name); !ok {
		if c.guess(name) {
			return
		}
		c.g.die("invalid reference: %s", name)
	}
	kind := "commit"
	if full, ok := c.r.findRef(name); ok {
		switch {
		case strings.HasPrefix(full, refs.Tags):
			kind = "tag"
		case strings.HasPrefix(full, "refs/remotes/"):
			kind = "remote branch"
		}
	}
	c.g.errorf("fatal: a branch is expected, got %s '%s'\n", kind, name)
	c.g.hint("If you want to detach HEAD at the commit, try again with the --detach option.")
	c.g.close()
	c.g.p.Exit(statusFatal)
}

// files takes files from the index, or from a tree.
func (c *switching) files(rev string, paths []string) int {
	specs := c.r.specs(paths)
	c.r.lockIndex()
	stage := index.Merged
	if c.l.has("ours") {
		stage = index.Ours
	}
	if c.l.has("theirs") {
		stage = index.Theirs
	}
	n := 0
	if rev == "" {
		n = c.r.restoreIndexFiles(specs, stage, c.l.has("merge"), c.l.has("force"))
	} else {
		id, err := c.r.resolve(rev)
		if err == nil {
			id, err = c.r.peel(id, object.TreeKind)
		}
		if err != nil {
			c.r.badRevision(rev, err)
		}
		n = c.r.restoreTreeFiles(id, specs)
	}
	c.r.saveIndex()
	if !c.quiet && rev == "" {
		c.g.errorf("Updated %d path%s from the index\n", n, plural(n))
	} else if !c.quiet {
		id, _ := c.r.resolve(rev)
		c.g.errorf("Updated %d path%s from %s\n", n, plural(n), c.r.db.Abbrev(id, c.r.abbrevLen()))
	}
	return 0
}

// checkSpecs ends the program when a spec means none of the names.
func (r *repo) checkSpecs(specs []match.Spec, names func(yield func(string) bool)) {
	for i := range specs {
		if specs[i].Excludes() {
			continue
		}
		found := false
		for n := range names {
			if specs[i].Match(n) {
				found = true
				break
			}
		}
		if !found && specs[i].Path != "" {
			r.g.fail(1, "pathspec '%s' did not match any file(s) known to git", specs[i].Original)
		}
	}
}

func (r *repo) indexNames(yield func(string) bool) {
	for i := range r.index().Entries {
		if !yield(r.idx.Entries[i].Name) {
			return
		}
	}
}

// restoreIndexFiles writes files of the index to the working tree; of a conflict the given side.
func (r *repo) restoreIndexFiles(specs []match.Spec, stage int, again, force bool) int {
	r.checkSpecs(specs, r.indexNames)
	n := 0
	idx := r.index()
	for i := range idx.Entries {
		e := &idx.Entries[i]
		if !match.Match(specs, e.Name) {
			continue
		}
		if e.Stage != index.Merged {
			if e.Stage == stage {
				_, err := r.writeWork(e.Name, e.Mode, e.ID)
				r.g.check(err)
				n++
			} else if stage == index.Merged && !again && !force {
				r.g.fail(1, "path '%s' is unmerged", e.Name)
			} else if again && e.Stage == index.Ours {
				r.conflictAgain(e.Name)
				n++
			}
			continue
		}
		if state, _, _ := r.compareWork(e); state == same {
			continue
		}
		info, err := r.writeWork(e.Name, e.Mode, e.ID)
		r.g.check(err)
		e.SetStat(info)
		n++
	}
	return n
}

// conflictAgain writes a conflict as the merge left it.
func (r *repo) conflictAgain(name string) {
	s := r.index().Stages(name)
	if s[index.Ours] == nil || s[index.Theirs] == nil {
		return
	}
	var base []byte
	if s[index.Base] != nil {
		base, _ = r.db.Blob(s[index.Base].ID)
	}
	ours, err := r.db.Blob(s[index.Ours].ID)
	r.g.check(err)
	theirs, err := r.db.Blob(s[index.Theirs].ID)
	r.g.check(err)
	data, _ := r.mergeText(base, ours, theirs, mergeLabels{ours: "ours", base: "base", theirs: "theirs"}, mergeOptions{})
	_, err = r.writeData(name, s[index.Ours].Mode, data)
	r.g.check(err)
}

// restoreTreeFiles writes files of a tree to the index and the working tree.
func (r *repo) restoreTreeFiles(tree object.ID, specs []match.Spec) int {
	files := r.flatten(tree)
	r.checkSpecs(specs, func(yield func(string) bool) {
		for _, f := range files {
			if !yield(f.path) {
				return
			}
		}
	})
	n := 0
	for _, f := range files {
		if !match.Match(specs, f.path) {
			continue
		}
		if e := r.index().Get(f.path); e != nil && e.ID == f.id && e.Mode == f.mode {
			if state, _, _ := r.compareWork(e); state == same {
				continue
			}
		}
		info, err := r.writeWork(f.path, f.mode, f.id)
		r.g.check(err)
		e := index.Entry{Name: f.path, Mode: f.mode, ID: f.id}
		e.SetStat(info)
		r.index().Put(e)
		n++
	}
	return n
}
