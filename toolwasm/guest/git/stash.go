package git

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

func cmdStash(g *git) int {
	args := g.args
	verb := "push"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, args = args[0], args[1:]
	}
	switch verb {
	case "push", "save":
		return g.stashPush(verb, args)
	case "list":
		return g.stashList(args)
	case "show":
		return g.stashShow(args)
	case "pop", "apply":
		return g.stashApply(verb == "pop", args)
	case "drop":
		return g.stashDrop(args)
	case "clear":
		r := g.openTree()
		_ = r.refs.Delete(refs.Stash)
		return 0
	case "branch":
		return g.stashBranch(args)
	case "create", "store":
		g.die("'git stash %s' is not supported here", verb)
	}
	g.die("subcommand wasn't specified; 'push' can't be assumed due to unexpected token '%s'", verb)
	return 1
}

func (g *git) stashPush(verb string, args []string) int {
	l := g.parseArgs(args, "message,m= include-untracked,u no-include-untracked all,a keep-index,k no-keep-index patch,p quiet,q staged,S pathspec-from-file= pathspec-file-nul")
	if l.has("patch") || l.has("staged") {
		g.die("'git stash' with -p or --staged is not supported here")
	}
	r := g.openTree()
	paths := append(l.operands(), g.specFile(l.flags)...)
	message := l.str("message")
	if verb == "save" {
		message, paths = strings.Join(paths, " "), nil
	}
	specs := r.specs(paths)
	head, ok := r.head()
	if !ok {
		g.errorf("You do not have the initial commit yet\n")
		return 1
	}
	if len(r.index().Unmerged()) > 0 {
		for _, n := range r.index().Unmerged() {
			g.printf("%s: needs merge\n", n)
		}
		g.errorf("error: could not write index\n")
		return 1
	}
	r.lockIndex()
	s := &stashing{r: r, g: g, head: head, specs: specs}
	if l.has("include-untracked") || l.has("all") {
		s.findUntracked(l.has("all"))
	}
	if len(r.diffTreeWork(r.treeOf(head), specs)) == 0 && len(r.diffIndex(r.treeOf(head), specs)) == 0 && len(s.untracked) == 0 {
		if !l.has("quiet") {
			g.print("No local changes to save\n")
		}
		return 0
	}
	id, text := s.save(message)
	if !l.has("quiet") {
		g.printf("Saved working directory and index state %s\n", text)
	}
	_ = id
	s.clean(l.has("keep-index"))
	return 0
}

// stashing puts changes away.
type stashing struct {
	r         *repo
	g         *git
	head      object.ID
	specs     []match.Spec
	untracked []string
}

func (s *stashing) findUntracked(ignored bool) {
	look := scan{r: s.r, specs: s.specs, all: true, everything: ignored}
	look.run()
	for _, n := range look.files {
		if !strings.HasSuffix(n, "/") {
			s.untracked = append(s.untracked, n)
		}
	}
}

// save stores the commits of a stash: the index, untracked files, and the working tree.
func (s *stashing) save(message string) (object.ID, string) {
	r, g := s.r, s.g
	branch := strings.TrimPrefix(r.branch(), refs.Heads)
	if branch == "" {
		branch = "(no branch)"
	}
	about := fmt.Sprintf("%s: %s", branch, r.oneLine(s.head))
	who := g.logIdent()
	commit := func(tree object.ID, parents []object.ID, text string) object.ID {
		c := &object.Commit{Tree: tree, Parents: parents, Author: s.person(author, who), Committer: s.person(committer, who), Message: text}
		id, err := r.db.Write(object.CommitKind, c.Encode())
		g.check(err)
		return id
	}
	indexTree := r.writeTree()
	indexCommit := commit(indexTree, []object.ID{s.head}, "index on "+about+"\n")
	parents := []object.ID{s.head, indexCommit}
	if len(s.untracked) > 0 {
		parents = append(parents, commit(s.untrackedTree(), nil, "untracked files on "+about+"\n"))
	}
	text := "WIP on " + about
	if message != "" {
		text = fmt.Sprintf("On %s: %s", branch, message)
	}
	id := commit(s.workTree(), parents, text)
	before, _, _ := r.refs.Resolve(refs.Stash)
	g.check(r.refs.Log(refs.Stash, refs.LogEntry{Old: before, New: id, Who: who, Message: text}))
	g.check(r.refs.Set(refs.Stash, id))
	return id, text
}

func (s *stashing) person(role string, otherwise object.Signature) object.Signature {
	if who, ok := s.g.identOrNone(role); ok {
		return who
	}
	return otherwise
}

func (s *stashing) untrackedTree() object.ID {
	a := adder{r: s.r}
	x := &index.Index{}
	for _, n := range s.untracked {
		info, err := s.r.lstat(n)
		s.g.check(err)
		x.Entries = append(x.Entries, a.entry(n, info, 0))
	}
	x.Sort()
	return s.r.buildTree(x.Entries, "", 0)
}

// workTree is the tree of the working tree, as far as it is tracked.
func (s *stashing) workTree() object.ID {
	saved := slices.Clone(s.r.index().Entries)
	a := adder{r: s.r, specs: s.specs}
	a.update()
	tree := s.r.writeTree()
	s.r.idx.Entries = saved
	if len(s.specs) > 0 {
		// Outside of the pathspecs, HEAD stays.
		part := &index.Index{}
		for _, f := range s.r.flatten(tree) {
			if match.Match(s.specs, f.path) {
				part.Entries = append(part.Entries, index.Entry{Name: f.path, Mode: f.mode, ID: f.id})
			}
		}
		for _, f := range s.r.flatten(s.r.treeOf(s.head)) {
			if !match.Match(s.specs, f.path) {
				part.Entries = append(part.Entries, index.Entry{Name: f.path, Mode: f.mode, ID: f.id})
			}
		}
		part.Sort()
		return s.r.buildTree(part.Entries, "", 0)
	}
	return tree
}

// clean takes the changes out of the working tree.
func (s *stashing) clean(keepIndex bool) {
	r := s.r
	for _, n := range s.untracked {
		s.g.check(r.removeWork(n))
	}
	tree := r.treeOf(s.head)
	if len(s.specs) > 0 {
		r.restoreMatching(tree, s.specs)
		r.saveIndex()
		return
	}
	if keepIndex {
		tree = r.writeTree()
	}
	r.resetHard(tree)
}

// restoreMatching makes index and working tree those of a tree for some paths.
func (r *repo) restoreMatching(tree object.ID, specs []match.Spec) {
	files := map[string]file{}
	for _, f := range r.flatten(tree) {
		if match.Match(specs, f.path) {
			files[f.path] = f
		}
	}
	var gone []string
	for n := range r.indexNames {
		if _, ok := files[n]; !ok && match.Match(specs, n) {
			gone = append(gone, n)
		}
	}
	for _, n := range gone {
		r.g.check(r.removeWork(n))
		r.index().Remove(n)
	}
	for _, f := range files {
		r.restoreOne(f, true, true)
	}
}

func (g *git) stashList(args []string) int {
	l := g.parseArgs(args, logSpec+diffSpec)
	r := g.openTree()
	o := g.logOptions(r, l)
	if !l.has("pretty") && !l.has("format") && !l.has("oneline") {
		o.pretty.format, o.pretty.user, o.pretty.terminator = "user", "%gd: %gs", true
	}
	o.showMerges = "first"
	list, err := r.refs.ReadLog(refs.Stash)
	if err != nil {
		return 0
	}
	o.revs = &revisions{}
	p := &logPrinter{o: o, r: r}
	left := o.limit
	for i := range list {
		if left == 0 {
			break
		}
		left--
		e := list[len(list)-1-i]
		c, err := r.db.Commit(e.New)
		g.check(err)
		o.pretty.reflog = &reflogItem{fmt.Sprintf("stash@{%d}", i), e.Message, e.Who}
		p.reflogCommit(c)
	}
	return 0
}

// stash is one entry of the stash.
type stash struct {
	n       int // -1 when it was named by a commit
	name    string
	id      object.ID
	commit  *object.Commit
	entries []refs.LogEntry
}

func (g *git) findStash(r *repo, args []string) stash {
	s := stash{name: "refs/stash@{0}"}
	if len(args) > 1 {
		g.die("Too many revisions specified: %s", strings.Join(args, " "))
	}
	list, _ := r.refs.ReadLog(refs.Stash)
	s.entries = list
	if len(args) == 1 {
		s.name = args[0]
		text := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(args[0], "refs/"), "stash@{"), "}")
		if args[0] == "stash" || args[0] == refs.Stash {
			text = "0"
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			id, ok := r.tryCommit(args[0])
			if !ok {
				g.fail(1, "%s is not a valid reference", args[0])
			}
			s.n, s.id = -1, id
		} else {
			s.n = n
			s.name = fmt.Sprintf("stash@{%d}", n)
		}
	}
	if s.n >= 0 {
		if len(list) == 0 {
			g.errorf("No stash entries found.\n")
			g.close()
			g.p.Exit(1)
		}
		if s.n >= len(list) {
			g.fail(1, "stash@{%d} is not a valid reference", s.n)
		}
		s.id = list[len(list)-1-s.n].New
	}
	c, err := r.db.Commit(s.id)
	g.check(err)
	if len(c.Parents) < 2 {
		g.die("'%s' is not a stash-like commit", s.name)
	}
	s.commit = c
	return s
}

func (g *git) stashShow(args []string) int {
	l := g.parseArgs(args, diffSpec+"include-untracked no-include-untracked only-untracked")
	r := g.openTree()
	s := g.findStash(r, l.operands())
	o := g.diffOptions(l.flags)
	if !o.chosen() {
		o.stat = true
	}
	list := r.diffTrees(r.treeOf(s.commit.Parents[0]), s.commit.Tree, nil)
	if (l.has("include-untracked") || l.has("only-untracked")) && len(s.commit.Parents) > 2 {
		if l.has("only-untracked") {
			list = nil
		}
		list = append(list, r.diffTrees(object.ID{}, r.treeOf(s.commit.Parents[2]), nil)...)
		sortChanges(list)
	}
	return r.finishDiff(r.prepareChanges(list, &o), &o)
}

func (g *git) stashApply(pop bool, args []string) int {
	l := g.parseArgs(args, "index quiet,q")
	r := g.openTree()
	s := g.findStash(r, l.operands())
	if pop && s.n < 0 {
		g.fail(1, "'%s' is not a stash reference", s.name)
	}
	ok := g.restoreStash(r, s, l.has("index"), l.has("quiet"))
	if !ok {
		if pop {
			g.print("The stash entry is kept in case you need it again.\n")
		}
		return 1
	}
	if pop {
		g.dropStash(r, s, l.has("quiet"))
	}
	return 0
}

// restoreStash brings changes back; it reports whether there was no conflict.
func (g *git) restoreStash(r *repo, s stash, withIndex, quiet bool) bool {
	r.lockIndex()
	if names := r.index().Unmerged(); len(names) > 0 {
		for _, n := range names {
			g.printf("%s: needs merge\n", n)
		}
		g.fail(1, "could not write index")
	}
	base := r.treeOf(s.commit.Parents[0])
	ours := r.writeTree()
	stagedTree := object.ID{}
	if withIndex {
		m := r.mergeTrees(base, ours, r.treeOf(s.commit.Parents[1]), mergeLabels{"Updated upstream", "Stash base", "Stashed changes"}, mergeOptions{})
		if len(m.conflicts) > 0 {
			g.errorf("error: conflicts in index. Try without --index.\n")
			return false
		}
		stagedTree = m.tree
	}
	var untracked []file
	if len(s.commit.Parents) > 2 {
		untracked = r.flatten(r.treeOf(s.commit.Parents[2]))
		g.refuseUntracked(r, untracked)
	}
	m := r.mergeTrees(base, ours, s.commit.Tree, mergeLabels{"Updated upstream", "Stash base", "Stashed changes"}, mergeOptions{})
	t := r.newTransition(ours, m.tree, "merge", "merge")
	t.plan()
	if t.blocked() {
		t.report()
		g.errorf("Aborting\n")
		if !quiet {
			r.status(nil, "normal", false).long()
		}
		return false
	}
	m.print()
	before := slices.Clone(r.index().Entries)
	t.apply()
	for _, f := range untracked {
		_, err := r.writeWork(f.path, f.mode, f.id)
		g.check(err)
	}
	if len(m.conflicts) > 0 {
		m.stage()
		r.saveIndex()
		if !quiet {
			r.status(nil, "normal", false).long()
		}
		return false
	}
	r.unstage(before, ours, m.tree)
	if withIndex {
		r.readTree(stagedTree)
		r.refreshAll()
	}
	r.saveIndex()
	if !quiet {
		r.status(nil, r.cfg.str("status.showuntrackedfiles", "normal"), false).long()
	}
	return true
}

// refuseUntracked ends the program when stashed untracked files would replace others.
func (g *git) refuseUntracked(r *repo, list []file) {
	found := false
	for _, f := range list {
		if _, err := r.lstat(f.path); !errors.Is(err, fs.ErrNotExist) {
			g.errorf("%s already exists, no checkout\n", f.path)
			found = true
		}
	}
	if found {
		g.fail(1, "could not restore untracked files from stash")
	}
}

// unstage makes the index what it was; only files that came newly stay in it.
func (r *repo) unstage(before []index.Entry, ours, tree object.ID) {
	old := r.fileMap(ours)
	var entries []index.Entry
	entries = append(entries, before...)
	for _, e := range r.index().Entries {
		if _, ok := old[e.Name]; !ok && !slices.ContainsFunc(before, func(b index.Entry) bool { return b.Name == e.Name }) {
			entries = append(entries, e)
		}
	}
	r.idx.Entries = entries
	r.idx.Sort()
}

func (g *git) stashDrop(args []string) int {
	l := g.parseArgs(args, "quiet,q")
	r := g.openTree()
	s := g.findStash(r, l.operands())
	if s.n < 0 {
		g.fail(1, "'%s' is not a stash reference", s.name)
	}
	g.dropStash(r, s, l.has("quiet"))
	return 0
}

func (g *git) dropStash(r *repo, s stash, quiet bool) {
	at := len(s.entries) - 1 - s.n
	list := slices.Delete(slices.Clone(s.entries), at, at+1)
	if len(list) == 0 {
		g.check(r.refs.Delete(refs.Stash))
	} else {
		if at < len(list) {
			list[at].Old = object.ID{}
			if at > 0 {
				list[at].Old = list[at-1].New
			}
		}
		g.check(r.refs.WriteLog(refs.Stash, list))
		g.check(r.refs.Set(refs.Stash, list[len(list)-1].New))
	}
	if !quiet {
		g.printf("Dropped %s (%s)\n", s.name, s.id)
	}
}

func (g *git) stashBranch(args []string) int {
	if len(args) == 0 {
		g.die("No branch name specified")
	}
	r := g.openTree()
	s := g.findStash(r, args[1:])
	c := &switching{g: g, r: r, l: line{flags: flags{g: g}}, create: args[0]}
	c.run(s.commit.Parents[0].String())
	if !g.restoreStash(r, s, true, false) {
		return 1
	}
	if s.n >= 0 {
		g.dropStash(r, s, false)
	}
	return 0
}
