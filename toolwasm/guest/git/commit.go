package git

import (
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

const commitSpec = "message,m= file,F= all,a amend allow-empty allow-empty-message no-edit edit,e author= date= quiet,q verbose,v " +
	"signoff,s no-signoff reuse-message,C= reedit-message,c= fixup= squash= reset-author no-verify,n verify only,o include,i dry-run " +
	"short long porcelain branch z patch,p interactive gpg-sign,S? no-gpg-sign trailer= cleanup= template,t= untracked-files,u? status no-status " +
	"no-post-rewrite pathspec-from-file= pathspec-file-nul"

// committing is one run of commit.
type committing struct {
	g       *git
	r       *repo
	l       line
	amended *object.Commit
	reused  *object.Commit
	parents []object.ID
	action  string // in the log of references
}

func cmdCommit(g *git) int {
	l := g.parse(commitSpec)
	if l.has("patch") || l.has("interactive") {
		g.die("there is no terminal to ask on: stage with 'git add FILE', then 'git commit -m MESSAGE'")
	}
	r := g.openTree()
	c := &committing{g: g, r: r, l: l, action: "commit"}
	r.lockIndex()
	c.refuseUnmerged()
	c.findParents()
	paths := append(l.operands(), g.specFile(l.flags)...)
	if l.has("all") && len(paths) > 0 {
		g.die("paths '%s ...' with -a does not make sense", paths[0])
	}
	if l.has("dry-run") || l.has("short") || l.has("porcelain") {
		return c.dryRun(paths)
	}
	tree := c.stage(paths)
	message, ok := c.message()
	if status, stop := c.nothing(tree); stop {
		return status
	}
	if !ok {
		g.errorf("Aborting commit due to empty commit message.\n")
		return 1
	}
	author := c.author()
	id := c.write(tree, author, message)
	c.summary(id)
	return 0
}

func (c *committing) refuseUnmerged() {
	names := c.r.index().Unmerged()
	if len(names) == 0 || c.l.has("all") || len(c.l.operands()) > 0 {
		if len(names) > 0 && len(c.l.operands()) > 0 && !c.l.has("include") {
			if _, merging := c.r.readFile("MERGE_HEAD"); merging {
				c.g.die("cannot do a partial commit during a merge.")
			}
		}
		return
	}
	for _, n := range names {
		c.g.printf("U\t%s\n", n)
	}
	c.g.errorf("error: Committing is not possible because you have unmerged files.\n")
	c.g.hint("Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.")
	c.g.die("Exiting because of an unresolved conflict.")
}

func (c *committing) findParents() {
	head, ok := c.r.head()
	if c.l.has("amend") {
		if !ok {
			c.g.die("You have nothing to amend.")
		}
		if _, merging := c.r.readFile("MERGE_HEAD"); merging {
			c.g.die("You are in the middle of a merge -- cannot amend.")
		}
		commit, err := c.r.db.Commit(head)
		c.g.check(err)
		c.amended, c.parents, c.action = commit, commit.Parents, "commit (amend)"
		return
	}
	if !ok {
		c.action = "commit (initial)"
		return
	}
	c.parents = []object.ID{head}
	if text, ok := c.r.readFile("MERGE_HEAD"); ok {
		c.action = "commit (merge)"
		for line := range strings.Lines(text) {
			if id, ok := object.ParseID(strings.TrimSpace(line)); ok {
				c.parents = append(c.parents, id)
			}
		}
	} else if _, ok := c.r.readFile("CHERRY_PICK_HEAD"); ok {
		c.action = "commit (cherry-pick)"
	}
}

func (c *committing) dryRun(paths []string) int {
	if c.l.has("all") {
		a := adder{r: c.r}
		a.update()
	}
	s := c.r.status(c.r.specs(paths), "normal", false)
	s.commit, s.amend = true, c.l.has("amend")
	switch {
	case c.l.has("porcelain"):
		s.relative = false
		s.short(c.l.has("branch"), c.l.has("z"))
	case c.l.has("short"):
		s.short(c.l.has("branch"), c.l.has("z"))
	default:
		s.long()
	}
	if len(s.staged) == 0 {
		return 1
	}
	return 0
}

// stage brings the index to what is to be committed and returns its tree.
func (c *committing) stage(paths []string) object.ID {
	if len(paths) == 0 {
		if c.l.has("all") {
			a := adder{r: c.r}
			a.update()
			c.r.saveIndex()
		}
		return c.r.writeTree()
	}
	specs := c.r.specs(paths)
	for i := range specs {
		if !slices.ContainsFunc(c.r.index().Entries, func(e index.Entry) bool { return specs[i].Match(e.Name) }) &&
			!slices.ContainsFunc(c.r.flatten(c.r.headTree()), func(f file) bool { return specs[i].Match(f.path) }) {
			c.g.fail(1, "pathspec '%s' did not match any file(s) known to git", specs[i].Original)
		}
	}
	a := adder{r: c.r, specs: specs}
	a.update()
	if c.l.has("include") {
		c.r.saveIndex()
		return c.r.writeTree()
	}
	tree := c.partialTree(specs)
	c.r.saveIndex()
	return tree
}

// partialTree is the tree of HEAD with what the index has of some paths.
func (c *committing) partialTree(specs []match.Spec) object.ID {
	part := &index.Index{}
	for _, f := range c.r.flatten(c.r.headTree()) {
		if !match.Match(specs, f.path) {
			part.Entries = append(part.Entries, index.Entry{Name: f.path, Mode: f.mode, ID: f.id})
		}
	}
	for _, e := range c.r.index().Entries {
		if match.Match(specs, e.Name) {
			part.Entries = append(part.Entries, e)
		}
	}
	part.Sort()
	return c.r.buildTree(part.Entries, "", 0)
}

// nothing stops when the tree is that of the parent.
func (c *committing) nothing(tree object.ID) (status int, stop bool) {
	if c.l.has("allow-empty") || len(c.parents) > 1 {
		return 0, false
	}
	before := object.EmptyTree()
	if len(c.parents) == 1 {
		before = c.r.treeOf(c.parents[0])
	}
	if tree != before || len(c.parents) == 0 && len(c.r.index().Entries) > 0 {
		return 0, false
	}
	if c.amended != nil && (len(c.parents) == 0 || c.amended.Tree == before) {
		return 0, false
	}
	s := c.r.status(nil, c.r.cfg.str("status.showuntrackedfiles", "normal"), false)
	s.commit, s.amend = true, c.amended != nil
	if s.amend {
		c.g.errorf("You asked to amend the most recent commit, but doing so would make\n" +
			"it empty. You can repeat your command with --allow-empty, or you can\n" +
			"remove the commit entirely with \"git reset HEAD^\".\n")
	}
	s.long()
	if c.action == "commit (cherry-pick)" {
		c.g.errorf("The previous cherry-pick is now empty, possibly due to conflict resolution.\n" +
			"If you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\n")
	}
	return 1, true
}

// message finds the message; ok is false when it is empty.
func (c *committing) message() (string, bool) {
	text, strip := c.rawMessage()
	mode := c.l.str("cleanup")
	if mode == "" {
		mode = c.r.cfg.str("commit.cleanup", "default")
	}
	switch mode {
	case "verbatim":
	case "strip", "scissors":
		text = cleanup(text, true)
	case "default", "whitespace":
		text = cleanup(text, strip && mode == "default")
	default:
		c.g.die("Invalid cleanup mode %s", mode)
	}
	text = c.trailers(text)
	if strings.TrimSpace(text) == "" && !c.l.has("allow-empty-message") {
		return "", false
	}
	return text, true
}

// rawMessage returns the message before it is cleaned, and whether it may hold comments.
func (c *committing) rawMessage() (text string, comments bool) {
	if list := c.l.all("message"); len(list) > 0 {
		if c.l.has("file") {
			c.g.die("options '-m' and '-F' cannot be used together")
		}
		for i, m := range list {
			if i > 0 {
				m = "\n" + m
			}
			if !strings.HasSuffix(m, "\n") {
				m += "\n"
			}
			list[i] = m
		}
		text = strings.Join(list, "")
		if target, ok := c.l.get("fixup"); ok {
			return c.fixup("fixup! ", target) + "\n" + text, false
		}
		if target, ok := c.l.get("squash"); ok {
			return c.fixup("squash! ", target) + "\n" + text, false
		}
		return text, false
	}
	if name, ok := c.l.get("file"); ok {
		data, err := c.g.p.ReadFile(name)
		if err != nil {
			c.g.die("could not read log file '%s': %s", name, strerror(err))
		}
		return string(data), false
	}
	for _, option := range []string{"reuse-message", "reedit-message"} {
		if rev, ok := c.l.get(option); ok {
			commit, err := c.r.db.Commit(c.r.commitOf(rev))
			c.g.check(err)
			c.reused = commit
			return commit.Message, false
		}
	}
	if target, ok := c.l.get("fixup"); ok {
		return c.fixup("fixup! ", target), false
	}
	if target, ok := c.l.get("squash"); ok {
		return c.fixup("squash! ", target), false
	}
	if c.amended != nil && (c.l.has("no-edit") || c.l.has("reset-author") || c.l.has("author") || c.l.has("date")) {
		return c.amended.Message, false
	}
	if c.amended == nil {
		for _, name := range []string{"MERGE_MSG", "SQUASH_MSG"} {
			if text, ok := c.r.readFile(name); ok {
				return text, !c.l.has("no-edit")
			}
		}
	}
	return c.noMessage(), false
}

func (c *committing) noMessage() string {
	if c.amended != nil {
		c.g.errorf("error: there is no editor here: keep the message with 'git commit --amend --no-edit', or give a new one with -m MESSAGE\n")
	} else {
		c.g.errorf("error: there is no editor here: give the message with 'git commit -m MESSAGE', or in a file with -F FILE\n")
	}
	c.g.close()
	c.g.p.Exit(1)
	return ""
}

func (c *committing) fixup(prefix, rev string) string {
	for _, kind := range []string{"amend:", "reword:"} {
		if strings.HasPrefix(rev, kind) {
			c.g.die("--fixup=%s needs an editor, which there is not here", kind)
		}
	}
	commit, err := c.r.db.Commit(c.r.commitOf(rev))
	c.g.check(err)
	return prefix + commit.Subject() + "\n"
}

// trailers adds what -s and --trailer ask for.
func (c *committing) trailers(text string) string {
	var add []string
	for _, t := range c.l.all("trailer") {
		key, value, ok := strings.Cut(t, "=")
		if k, v, colon := strings.Cut(t, ":"); colon && (!ok || len(k) < len(key)) {
			key, value = k, v
		}
		add = append(add, strings.TrimSpace(key)+": "+strings.TrimSpace(value))
	}
	if c.l.on("signoff", false) {
		who := c.g.ident(committer)
		add = append(add, "Signed-off-by: "+who.Name+" <"+who.Email+">")
	}
	for _, t := range add {
		have := trailers(text)
		if strings.HasPrefix(t, "Signed-off-by: ") && len(have) > 0 && have[len(have)-1] == t {
			continue
		}
		if len(have) == 0 {
			text = strings.TrimRight(text, "\n") + "\n\n"
		}
		text += t + "\n"
	}
	return text
}

// cleanup removes blanks at the ends of lines and blank lines at both ends, makes several blank lines one, and takes
// comments out when asked to.
func cleanup(text string, comments bool) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if comments && strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimRight(line, " \t\r\v\f")
		if line == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, line)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, "\n") + "\n"
}

func (c *committing) author() object.Signature {
	var who object.Signature
	from := c.reused
	if from == nil && c.amended != nil {
		from = c.amended
	}
	if from == nil {
		if text, ok := c.r.readFile("CHERRY_PICK_HEAD"); ok {
			if id, ok := object.ParseID(strings.TrimSpace(text)); ok {
				from, _ = c.r.db.Commit(id)
			}
		}
	}
	if from != nil && !c.l.has("reset-author") {
		who = from.Author
	} else if c.l.has("author") {
		who, _ = c.g.identOrNone(author)
	} else {
		who = c.g.ident(author)
	}
	if text, ok := c.l.get("author"); ok {
		name, rest, hasMail := strings.Cut(text, "<")
		email, _, closed := strings.Cut(rest, ">")
		if !hasMail || !closed {
			who = c.findAuthor(text, who)
		} else {
			who.Name, who.Email = crud(name), crud(email)
		}
	}
	if text, ok := c.l.get("date"); ok {
		if text == "now" {
			who.When, who.Zone = c.g.now()
			return who
		}
		when, zone, err := c.g.parseDate(text)
		if err != nil {
			c.g.die("invalid date format: %s", text)
		}
		who.When, who.Zone = when, zone
	}
	return who
}

// findAuthor finds the author that a pattern means among the commits.
func (c *committing) findAuthor(pattern string, who object.Signature) object.Signature {
	re := c.g.compile(pattern, 0)
	w := c.r.newWalk(c.r.allTips(), nil)
	for commit := w.next(); commit != nil; commit = w.next() {
		if re.Match([]byte(commit.Author.Name+" <"+commit.Author.Email+">"), false) {
			who.Name, who.Email = commit.Author.Name, commit.Author.Email
			return who
		}
	}
	c.g.die("--author '%s' is not 'Name <email>' and matches no existing author", pattern)
	return who
}

// write stores the commit and moves the branch to it.
func (c *committing) write(tree object.ID, who object.Signature, message string) object.ID {
	commit := &object.Commit{Tree: tree, Parents: c.parents, Author: who, Committer: c.g.ident(committer), Message: message}
	id, err := c.r.db.Write(object.CommitKind, commit.Encode())
	c.g.check(err)
	c.r.updateHead(id, c.action+": "+object.Subject(message))
	c.r.finishOperation()
	return id
}

// finishOperation forgets a merge, cherry-pick or revert that a commit has concluded.
func (r *repo) finishOperation() {
	r.removeFiles("MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG", "AUTO_MERGE")
}

// updateHead moves the current branch, or HEAD when it is detached, and logs it.
func (r *repo) updateHead(id object.ID, message string) {
	before, _ := r.head()
	name := r.branch()
	if name == "" {
		r.g.check(r.refs.Set(refs.Head, id))
	} else {
		if other, clash := r.refs.Conflict(name); clash {
			r.g.die("cannot lock ref 'HEAD': '%s' exists; cannot create '%s'", other, name)
		}
		r.g.check(r.refs.Set(name, id))
		r.logRef(name, before, id, message)
	}
	r.logRef(refs.Head, before, id, message)
}

// logRef notes a change of a reference.
func (r *repo) logRef(name string, before, after object.ID, message string) {
	if r.top == "" && !r.cfg.on("core.logallrefupdates", false) || !r.cfg.on("core.logallrefupdates", true) {
		return
	}
	_ = r.refs.Log(name, refs.LogEntry{Old: before, New: after, Who: r.g.logIdent(), Message: message})
}

// summary tells what was committed.
func (c *committing) summary(id object.ID) {
	if c.l.has("quiet") {
		return
	}
	commit, err := c.r.db.Commit(id)
	c.g.check(err)
	date := (c.amended != nil || c.reused != nil) && !c.l.has("reset-author") || c.l.has("date") || c.action == "commit (cherry-pick)"
	c.r.printSummary(commit, date, c.amended == nil && len(commit.Parents) == 0)
}

// printSummary tells of a new commit in a few lines.
func (r *repo) printSummary(commit *object.Commit, date, initial bool) {
	g := r.g
	where := strings.TrimPrefix(r.branch(), refs.Heads)
	if where == "" {
		where = "detached HEAD"
	}
	root := ""
	if initial {
		root = " (root-commit)"
	}
	g.printf("[%s%s %s] %s\n", where, root, r.db.Abbrev(commit.ID, r.abbrevLen()), commit.Subject())
	if commit.Author.Name != commit.Committer.Name || commit.Author.Email != commit.Committer.Email {
		g.printf(" Author: %s <%s>\n", commit.Author.Name, commit.Author.Email)
	}
	if date {
		g.printf(" Date: %s\n", g.formatDate(commit.Author, "default"))
	}
	if len(commit.Parents) > 1 {
		return
	}
	before := object.ID{}
	if len(commit.Parents) == 1 {
		before = r.treeOf(commit.Parents[0])
	}
	o := diffOptions{shortstat: true, summary: true, renames: renameLimit{score: defaultScore, limit: renameMatrix}}
	list := r.prepareChanges(r.diffTrees(before, commit.Tree, nil), &o)
	r.showChanges(list, &o)
}
