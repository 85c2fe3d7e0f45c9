package git

import (
	"fmt"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/git/xdiff"
	"openclaw/toolwasm/guest/sys"
)

// Files below the git directory that say what a sequence of picks has still to do. They are not git's own to-do list, which the
// workspace protects since it may hold commands; they are looked at by this program alone.
const (
	pickTodo   = "OPENCLAW_PICK_TODO"
	pickHead   = "OPENCLAW_PICK_HEAD"
	rebaseInfo = "OPENCLAW_REBASE"
)

// picking applies commits, or takes them back.
type picking struct {
	g        *git
	r        *repo
	l        line
	revert   bool
	noCommit bool
}

func (p *picking) verb() string {
	if p.revert {
		return "revert"
	}
	return "cherry-pick"
}

func (p *picking) marker() string {
	if p.revert {
		return "REVERT_HEAD"
	}
	return "CHERRY_PICK_HEAD"
}

func cmdCherryPick(g *git) int { return g.pick(false) }
func cmdRevert(g *git) int     { return g.pick(true) }

func (g *git) pick(revert bool) int {
	l := g.parse("no-commit,n edit,e no-edit mainline,m= x signoff,s abort continue quit skip allow-empty allow-empty-message keep-redundant-commits " +
		"ff strategy= strategy-option,X= gpg-sign,S? no-gpg-sign cleanup= reference r rerere-autoupdate")
	r := g.openTree()
	p := &picking{g: g, r: r, l: l, revert: revert, noCommit: l.has("no-commit")}
	switch {
	case l.has("abort"):
		return p.abort()
	case l.has("quit"):
		p.forget()
		return 0
	case l.has("skip"):
		p.needProgress()
		r.resetHard(r.headTree())
		r.finishOperation()
		return p.rest()
	case l.has("continue"):
		return p.resume()
	}
	args := l.operands()
	if len(args) == 0 {
		g.usageError("no commit given")
	}
	if _, busy := r.readFile(p.marker()); busy {
		g.errorf("error: a %s is already in progress\n", p.verb())
		g.hint("try \"git " + p.verb() + " (--continue | --skip | --abort | --quit)\"")
		g.die("%s failed", p.verb())
	}
	list := p.commits(args)
	head, ok := r.head()
	if ok {
		r.writeFile(pickHead, head.String()+"\n")
	}
	return p.all(list)
}

// commits lists what is to be applied, in order.
func (p *picking) commits(args []string) []object.ID {
	var list []object.ID
	for _, a := range args {
		if !strings.Contains(a, "..") {
			list = append(list, p.r.commitOf(a))
			continue
		}
		v := &revisions{}
		if !p.r.addRevision(v, a) {
			p.g.die("bad revision '%s'", a)
		}
		commits := p.r.reachable(v.tips, v.hidden)
		if !p.revert {
			slices.Reverse(commits)
		}
		for _, c := range commits {
			list = append(list, c.ID)
		}
		if len(commits) == 0 {
			p.g.fail(statusFatal, "empty commit set passed")
		}
	}
	return list
}

// all applies commits one after the other, until one does not go in.
func (p *picking) all(list []object.ID) int {
	for i, id := range list {
		var todo strings.Builder
		for _, rest := range list[i+1:] {
			todo.WriteString(rest.String() + "\n")
		}
		p.r.writeFile(pickTodo, todo.String())
		if status := p.one(id); status != 0 {
			return status
		}
	}
	p.forget()
	return 0
}

func (p *picking) forget() {
	p.r.removeFiles(pickTodo, pickHead, p.marker())
}

// todo is what is still to be applied.
func (p *picking) todo() []object.ID {
	text, _ := p.r.readFile(pickTodo)
	var list []object.ID
	for line := range strings.Lines(text) {
		if id, ok := object.ParseID(strings.TrimSpace(line)); ok {
			list = append(list, id)
		}
	}
	return list
}

func (p *picking) rest() int { return p.all(p.todo()) }

func (p *picking) needProgress() {
	_, marked := p.r.readFile(p.marker())
	_, todo := p.r.readFile(pickTodo)
	if !marked && !todo {
		p.g.errorf("error: no cherry-pick or revert in progress\n")
		p.g.die("%s failed", p.verb())
	}
}

func (p *picking) resume() int {
	p.needProgress()
	if names := p.r.index().Unmerged(); len(names) > 0 {
		p.g.errorf("error: Committing is not possible because you have unmerged files.\n")
		p.g.hint("Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.")
		p.g.die("Exiting because of an unresolved conflict.")
	}
	if _, marked := p.r.readFile(p.marker()); marked {
		g := *p.g
		g.name, g.args = "commit", []string{"--no-edit", "--cleanup=strip"}
		if status := cmdCommit(&g); status != 0 {
			return status
		}
	}
	return p.rest()
}

func (p *picking) abort() int {
	p.needProgress()
	text, ok := p.r.readFile(pickHead)
	id, valid := object.ParseID(strings.TrimSpace(text))
	if !ok || !valid {
		id, _ = p.r.head()
	}
	head, _ := p.r.head()
	p.r.resetKeeping(p.r.treeOf(id), "merge")
	if head != id {
		p.r.moveHead(head, id, "reset: moving to "+id.String())
	}
	p.r.finishOperation()
	p.forget()
	return 0
}

// one applies one commit.
func (p *picking) one(id object.ID) int {
	r, g := p.r, p.g
	c, err := r.db.Commit(id)
	g.check(err)
	parent := p.parent(c)
	head, born := r.head()
	ours := object.EmptyTree()
	if born {
		ours = r.treeOf(head)
	}
	if p.noCommit {
		ours = r.writeTree()
	} else if staged := r.diffIndex(ours, nil); len(staged) > 0 {
		g.errorf("error: your local changes would be overwritten by %s.\n", p.verb())
		g.hint("commit your changes or stash them to proceed.")
		g.die("%s failed", p.verb())
	}
	if p.l.has("ff") && parent == head && !p.revert {
		t := r.newTransition(ours, c.Tree, "merge", "merge")
		t.plan()
		t.refuse()
		t.apply()
		r.moveHead(head, id, "cherry-pick: fast-forward")
		return 0
	}
	before := object.EmptyTree()
	if parent != (object.ID{}) {
		before = r.treeOf(parent)
	}
	short := r.db.Abbrev(id, r.abbrevLen())
	label := short + " (" + c.Subject() + ")"
	var m *merged
	if p.revert {
		m = r.mergeTrees(c.Tree, ours, before, mergeLabels{"HEAD", label, "parent of " + label}, p.options())
	} else {
		m = r.mergeTrees(before, ours, c.Tree, mergeLabels{"HEAD", "parent of " + label, label}, p.options())
	}
	r.lockIndex()
	t := r.newTransition(ours, m.tree, "merge", "merge")
	t.plan()
	if t.blocked() {
		p.blocked(t)
	}
	m.print()
	t.apply()
	message := p.message(c, parent)
	if len(m.conflicts) > 0 {
		return p.conflicts(m, id, c, message)
	}
	if p.noCommit {
		return 0
	}
	return p.commit(m.tree, ours, head, c, message)
}

func (p *picking) options() mergeOptions {
	m := merging{g: p.g, l: p.l}
	return m.options()
}

func (p *picking) blocked(t *transition) {
	p.g.errorf("error: your local changes would be overwritten by %s.\n", p.verb())
	for _, n := range append(t.dirty, t.untracked...) {
		p.g.errorf("\t%s\n", n)
	}
	p.g.hint("commit your changes or stash them to proceed.")
	p.g.die("%s failed", p.verb())
}

// parent returns the parent that a commit is compared with.
func (p *picking) parent(c *object.Commit) object.ID {
	n, given := p.l.get("mainline")
	if len(c.Parents) > 1 {
		if !given {
			p.g.errorf("error: commit %s is a merge but no -m option was given.\n", c.ID)
			p.g.die("%s failed", p.verb())
		}
		i := p.g.number(n)
		if i < 1 || i > len(c.Parents) {
			p.g.errorf("error: commit %s does not have parent %d\n", c.ID, i)
			p.g.die("%s failed", p.verb())
		}
		return c.Parents[i-1]
	}
	if given && n != "1" {
		p.g.errorf("error: mainline was specified but commit %s is not a merge.\n", c.ID)
		p.g.die("%s failed", p.verb())
	}
	if len(c.Parents) == 0 {
		return object.ID{}
	}
	return c.Parents[0]
}

func (p *picking) message(c *object.Commit, parent object.ID) string {
	text := c.Message
	if p.revert {
		text = "Revert \"" + c.Subject() + "\"\n\nThis reverts commit " + c.ID.String()
		if len(c.Parents) > 1 {
			text += ", reversing\nchanges made to " + parent.String()
		}
		text += ".\n"
	}
	if p.l.has("x") {
		if len(trailers(text)) == 0 {
			text = strings.TrimRight(text, "\n") + "\n\n"
		}
		text += "(cherry picked from commit " + c.ID.String() + ")\n"
	}
	if p.l.has("signoff") {
		who := p.g.ident(committer)
		if len(trailers(text)) == 0 && !p.l.has("x") {
			text = strings.TrimRight(text, "\n") + "\n\n"
		}
		text += "Signed-off-by: " + who.Name + " <" + who.Email + ">\n"
	}
	return text
}

func (p *picking) conflicts(m *merged, id object.ID, c *object.Commit, message string) int {
	m.stage()
	p.r.saveIndex()
	p.r.writeFile("MERGE_MSG", message+conflictNote(m.names()))
	if !p.noCommit {
		p.r.writeFile(p.marker(), id.String()+"\n")
	}
	what := "apply"
	if p.revert {
		what = "revert"
	}
	p.g.errorf("error: could not %s %s... %s\n", what, p.r.db.Abbrev(id, p.r.abbrevLen()), c.Subject())
	p.g.hint(fmt.Sprintf("After resolving the conflicts, mark them with\n\"git add/rm <pathspec>\", then run\n\"git %s --continue\".\n"+
		"You can instead skip this commit with \"git %s --skip\".\nTo abort and get back to the state before \"git %s\",\nrun \"git %s --abort\".",
		p.verb(), p.verb(), p.verb(), p.verb()))
	return 1
}

func (p *picking) commit(tree, ours object.ID, head object.ID, c *object.Commit, message string) int {
	r, g := p.r, p.g
	if tree == ours && !p.l.has("keep-redundant-commits") && !(p.l.has("allow-empty") && len(c.Parents) == 1 && r.treeOf(c.Parents[0]) == c.Tree) {
		if !p.revert {
			r.writeFile(p.marker(), c.ID.String()+"\n")
			r.writeFile("MERGE_MSG", message)
		}
		s := r.status(nil, "normal", false)
		s.commit = true
		s.long()
		if !p.revert {
			g.errorf("The previous cherry-pick is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n" +
				"    git commit --allow-empty\n\nOtherwise, please use 'git cherry-pick --skip'\n")
		}
		return 1
	}
	who := c.Author
	if p.revert {
		who = g.ident(author)
	}
	commit := &object.Commit{Tree: tree, Author: who, Committer: g.ident(committer), Message: message}
	if head != (object.ID{}) {
		commit.Parents = []object.ID{head}
	}
	id, err := r.db.Write(object.CommitKind, commit.Encode())
	g.check(err)
	r.updateHead(id, p.verb()+": "+object.Subject(message))
	r.finishOperation()
	stored, err := r.db.Commit(id)
	g.check(err)
	r.printSummary(stored, true, head == (object.ID{}))
	return 0
}

// rebasing replays commits on another base.
type rebasing struct {
	g *git
	r *repo
	l line
}

func cmdRebase(g *git) int {
	l := g.parse("onto= interactive,i abort continue skip quit edit-todo root autostash no-autostash autosquash no-autosquash quiet,q verbose,v " +
		"merge,m keep-empty no-keep-empty force-rebase,f,no-ff exec,x= strategy= strategy-option,X= rebase-merges,r? committer-date-is-author-date " +
		"reset-author-date ignore-date signoff stat no-stat,n fork-point no-fork-point update-refs no-update-refs apply empty= keep-base whitespace=")
	r := g.openTree()
	if l.has("interactive") || l.has("edit-todo") {
		g.die("there is no editor here: 'git rebase -i' does not work; use 'git reset --soft', 'git commit --amend' and 'git cherry-pick'")
	}
	if l.has("exec") {
		g.die("'git rebase --exec' runs programs, which is not done here")
	}
	if l.has("rebase-merges") || l.has("root") {
		g.die("'git rebase' with --root or --rebase-merges is not supported here")
	}
	b := &rebasing{g, r, l}
	if _, err := sys.Stat(r.dir + "/rebase-merge"); err == nil {
		g.die("a rebase of another git is in progress, which is not continued here")
	}
	switch {
	case l.has("abort") || l.has("quit"):
		return b.abort(l.has("quit"))
	case l.has("continue") || l.has("skip"):
		return b.resume(l.has("skip"))
	}
	if _, busy := r.readFile(rebaseInfo); busy {
		g.die("a rebase is in progress: use 'git rebase (--continue | --skip | --abort)'")
	}
	return b.start()
}

// start checks out the new base and applies what is not in it.
func (b *rebasing) start() int {
	r, g := b.r, b.g
	args := b.l.operands()
	if len(args) > 1 {
		c := &switching{g: g, r: r, l: line{flags: flags{g: g}}, quiet: true}
		if status := c.run(args[1]); status != 0 {
			return status
		}
	}
	name := first(args)
	if name == "" {
		up, ok := r.upstream(strings.TrimPrefix(r.branch(), refs.Heads))
		if !ok || !up.exists {
			g.errorf("There is no tracking information for the current branch.\nPlease specify which branch you want to rebase against.\n")
			return 1
		}
		name = up.short
	}
	upstream, ok := r.tryCommit(name)
	if !ok {
		g.die("invalid upstream '%s'", name)
	}
	onto, ontoName := upstream, name
	if o, ok := b.l.get("onto"); ok {
		onto, ontoName = r.commitOf(o), o
	}
	b.refuseDirty()
	head, born := r.head()
	if !born {
		g.die("there is no commit to rebase")
	}
	branch := strings.TrimPrefix(r.branch(), refs.Heads)
	list := r.reachable([]object.ID{head}, []object.ID{upstream})
	slices.Reverse(list)
	list = b.withoutMerges(list, upstream, head)
	if onto == upstream && r.isAncestor(upstream, head) && b.linear(list, onto) && !b.l.has("force-rebase") {
		if branch == "" {
			g.print("HEAD is up to date.\n")
		} else {
			g.printf("Current branch %s is up to date.\n", branch)
		}
		return 0
	}
	r.lockIndex()
	t := r.newTransition(r.treeOf(head), r.treeOf(onto), "checkout", "switch branches")
	t.plan()
	t.refuse()
	t.apply()
	g.check(r.refs.Set("ORIG_HEAD", head))
	info := branch + "\n" + head.String() + "\n" + onto.String() + "\n"
	r.writeFile(rebaseInfo, info)
	g.check(r.refs.Set(refs.Head, onto))
	r.logRef(refs.Head, head, onto, "rebase (start): checkout "+ontoName)
	var ids []object.ID
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return b.run(ids, len(ids), 0)
}

func (b *rebasing) refuseDirty() {
	if len(b.r.diffWork(nil)) > 0 {
		b.g.errorf("error: cannot rebase: You have unstaged changes.\n")
		if len(b.r.diffIndex(b.r.headTree(), nil)) > 0 {
			b.g.errorf("error: additionally, your index contains uncommitted changes.\n")
		}
		b.g.errorf("error: Please commit or stash them.\n")
		b.g.close()
		b.g.p.Exit(1)
	}
	if len(b.r.diffIndex(b.r.headTree(), nil)) > 0 {
		b.g.errorf("error: cannot rebase: Your index contains uncommitted changes.\nerror: Please commit or stash them.\n")
		b.g.close()
		b.g.p.Exit(1)
	}
}

// withoutMerges leaves out merges, and commits whose change the upstream has already.
func (b *rebasing) withoutMerges(list []*object.Commit, upstream, head object.ID) []*object.Commit {
	known := map[object.ID]bool{}
	for _, c := range b.r.reachable([]object.ID{upstream}, []object.ID{head}) {
		if id, ok := b.patchID(c); ok {
			known[id] = true
		}
	}
	return slices.DeleteFunc(list, func(c *object.Commit) bool {
		if len(c.Parents) > 1 {
			return true
		}
		id, ok := b.patchID(c)
		if ok && known[id] {
			b.g.errorf("warning: skipped previously applied commit %s\n", b.r.db.Abbrev(c.ID, b.r.abbrevLen()))
			return true
		}
		return false
	})
}

// patchID is the same for commits that make the same change.
func (b *rebasing) patchID(c *object.Commit) (object.ID, bool) {
	if len(c.Parents) != 1 {
		return object.ID{}, false
	}
	o := diffOptions{patch: true, renames: renameLimit{off: true}, lines: xdiff.Options{Context: 3}, fullIndex: true}
	list := b.r.diffTrees(b.r.treeOf(c.Parents[0]), c.Tree, nil)
	if len(list) == 0 {
		return object.ID{}, false
	}
	text := b.g.capture(func() { b.r.showChanges(list, &o) })
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, "index ") {
			kept = append(kept, line)
		}
	}
	return object.Hash(object.BlobKind, []byte(strings.Join(kept, ""))), true
}

// linear reports whether commits stand on the new base as they are.
func (b *rebasing) linear(list []*object.Commit, onto object.ID) bool {
	at := onto
	for _, c := range list {
		if len(c.Parents) != 1 || c.Parents[0] != at {
			return false
		}
		at = c.ID
	}
	head, _ := b.r.head()
	return at == head
}

// run applies what is left.
func (b *rebasing) run(ids []object.ID, total, done int) int {
	p := &picking{g: b.g, r: b.r, l: line{flags: flags{g: b.g}}}
	for i, id := range ids {
		var todo strings.Builder
		for _, rest := range ids[i+1:] {
			todo.WriteString(rest.String() + "\n")
		}
		b.r.writeFile(pickTodo, todo.String())
		if status := b.one(p, id); status != 0 {
			return status
		}
	}
	return b.finish()
}

// one applies a commit; what has become empty is dropped.
func (b *rebasing) one(p *picking, id object.ID) int {
	r, g := b.r, b.g
	c, err := r.db.Commit(id)
	g.check(err)
	head, _ := r.head()
	if len(c.Parents) == 1 && c.Parents[0] == head && !b.l.has("force-rebase") {
		t := r.newTransition(r.treeOf(head), c.Tree, "checkout", "switch branches")
		t.plan()
		t.refuse()
		t.apply()
		g.check(r.refs.Set(refs.Head, id))
		r.logRef(refs.Head, head, id, "rebase (pick): "+c.Subject())
		return 0
	}
	before := object.EmptyTree()
	if len(c.Parents) > 0 {
		before = r.treeOf(c.Parents[0])
	}
	ours := r.treeOf(head)
	short := r.db.Abbrev(id, r.abbrevLen())
	label := short + " (" + c.Subject() + ")"
	m := r.mergeTrees(before, ours, c.Tree, mergeLabels{"HEAD", "parent of " + label, label}, p.options())
	t := r.newTransition(ours, m.tree, "merge", "merge")
	t.plan()
	t.refuse()
	m.print()
	t.apply()
	if len(m.conflicts) > 0 {
		p.conflictsQuietly(m, id, c)
		g.errorf("error: could not apply %s... %s\n", short, c.Subject())
		g.hint("Resolve all conflicts manually, mark them as resolved with\n\"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\n" +
			"You can instead skip this commit: run \"git rebase --skip\".\n" +
			"To abort and get back to the state before \"git rebase\", run \"git rebase --abort\".")
		g.errorf("Could not apply %s... %s\n", short, c.Subject())
		return 1
	}
	if m.tree == ours && before != c.Tree {
		g.errorf("dropping %s %s -- patch contents already upstream\n", id, c.Subject())
		return 0
	}
	b.write(m.tree, head, c, c.Message)
	return 0
}

func (p *picking) conflictsQuietly(m *merged, id object.ID, c *object.Commit) {
	m.stage()
	p.r.saveIndex()
	p.r.writeFile("MERGE_MSG", c.Message+conflictNote(m.names()))
	p.r.writeFile("CHERRY_PICK_HEAD", id.String()+"\n")
}

func (b *rebasing) write(tree, head object.ID, c *object.Commit, message string) {
	commit := &object.Commit{Tree: tree, Parents: []object.ID{head}, Author: c.Author, Committer: b.g.ident(committer), Message: message}
	id, err := b.r.db.Write(object.CommitKind, commit.Encode())
	b.g.check(err)
	b.g.check(b.r.refs.Set(refs.Head, id))
	b.r.logRef(refs.Head, head, id, "rebase (pick): "+object.Subject(message))
}

// info reads what start has noted.
func (b *rebasing) info() (branch string, orig, onto object.ID) {
	text, ok := b.r.readFile(rebaseInfo)
	lines := strings.Split(text, "\n")
	if !ok || len(lines) < 3 {
		b.g.die("No rebase in progress?")
	}
	orig, _ = object.ParseID(lines[1])
	onto, _ = object.ParseID(lines[2])
	return lines[0], orig, onto
}

// finish puts the branch where HEAD has come to.
func (b *rebasing) finish() int {
	branch, orig, onto := b.info()
	head, _ := b.r.head()
	if branch != "" {
		full := refs.Heads + branch
		b.g.check(b.r.refs.Set(full, head))
		b.r.logRef(full, orig, head, "rebase (finish): "+full+" onto "+onto.String())
		b.g.check(b.r.refs.SetSymbolic(refs.Head, full))
		b.r.logRef(refs.Head, head, head, "rebase (finish): returning to "+full)
	}
	b.r.finishOperation()
	b.r.removeFiles(rebaseInfo, pickTodo)
	if !b.l.has("quiet") {
		name := "refs/heads/" + branch
		if branch == "" {
			name = "detached HEAD"
		}
		b.g.errorf("Successfully rebased and updated %s.\n", name)
	}
	return 0
}

func (b *rebasing) abort(quit bool) int {
	branch, orig, _ := b.info()
	if !quit {
		head, _ := b.r.head()
		b.r.resetHard(b.r.treeOf(orig))
		if branch != "" {
			b.g.check(b.r.refs.SetSymbolic(refs.Head, refs.Heads+branch))
		} else {
			b.g.check(b.r.refs.Set(refs.Head, orig))
		}
		b.r.logRef(refs.Head, head, orig, "rebase (abort): returning to "+refs.Heads+branch)
	}
	b.r.finishOperation()
	b.r.removeFiles(rebaseInfo, pickTodo)
	return 0
}

func (b *rebasing) resume(skip bool) int {
	b.info()
	p := &picking{g: b.g, r: b.r, l: line{flags: flags{g: b.g}}}
	todo := p.todo()
	if skip {
		b.r.resetHard(b.r.headTree())
		b.r.finishOperation()
		return b.run(todo, 0, 0)
	}
	if len(b.r.index().Unmerged()) > 0 || len(b.r.diffWork(nil)) > 0 {
		for _, n := range b.r.index().Unmerged() {
			b.g.printf("%s: needs merge\n", n)
		}
		b.g.errorf("You must edit all merge conflicts and then\nmark them as resolved using git add\n")
		return 1
	}
	if text, ok := b.r.readFile("CHERRY_PICK_HEAD"); ok {
		id, _ := object.ParseID(strings.TrimSpace(text))
		c, err := b.r.db.Commit(id)
		b.g.check(err)
		head, _ := b.r.head()
		message, _ := b.r.readFile("MERGE_MSG")
		if tree := b.r.writeTree(); tree != b.r.treeOf(head) {
			b.write(tree, head, c, cleanup(message, true))
			stored, _ := b.r.head()
			commit, err := b.r.db.Commit(stored)
			b.g.check(err)
			b.r.printSummary(commit, false, false)
		}
		b.r.finishOperation()
	}
	return b.run(todo, 0, 0)
}
