package git

import (
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/git/xdiff"
)

// merging is one run of merge.
type merging struct {
	g        *git
	r        *repo
	l        line
	head     object.ID
	name     string // what is merged, as given
	other    object.ID
	squash   bool
	noCommit bool
	quiet    bool
}

func cmdMerge(g *git) int {
	l := g.parse("n stat no-stat squash no-squash commit no-commit ff no-ff ff-only edit,e no-edit message,m= file,F= strategy,s= strategy-option,X= " +
		"quiet,q verbose,v abort continue quit log? no-log signoff no-signoff verify no-verify verify-signatures no-verify-signatures gpg-sign,S? " +
		"allow-unrelated-histories progress no-progress autostash no-autostash rerere-autoupdate no-rerere-autoupdate into-name= cleanup= overwrite-ignore")
	r := g.openTree()
	m := &merging{g: g, r: r, l: l, squash: l.on("squash", false), noCommit: !l.on("commit", true), quiet: l.has("quiet")}
	switch {
	case l.has("abort"):
		return r.abortMerge()
	case l.has("quit"):
		r.removeFiles("MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE")
		return 0
	case l.has("continue"):
		if _, ok := r.readFile("MERGE_HEAD"); !ok {
			g.die("There is no merge in progress (MERGE_HEAD missing).")
		}
		g.name, g.args = "commit", []string{"--no-edit", "--cleanup=strip"}
		return cmdCommit(g)
	}
	m.refuse()
	args := l.operands()
	if len(args) == 0 {
		up, ok := r.upstream(strings.TrimPrefix(r.branch(), refs.Heads))
		if !ok || !up.exists {
			g.die("No remote for the current branch.")
		}
		args = []string{up.short}
	}
	if len(args) > 1 {
		g.die("merging more than one branch at a time is not supported here; merge them one after the other")
	}
	return m.run(args[0])
}

// refuse ends the program when something is unfinished.
func (m *merging) refuse() {
	if len(m.r.index().Unmerged()) > 0 {
		m.g.errorf("error: Merging is not possible because you have unmerged files.\n")
		m.g.hint("Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.")
		m.g.die("Exiting because of an unresolved conflict.")
	}
	if _, ok := m.r.readFile("MERGE_HEAD"); ok {
		m.g.errorf("fatal: You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.\n")
		m.g.close()
		m.g.p.Exit(statusFatal)
	}
	if _, ok := m.r.readFile("CHERRY_PICK_HEAD"); ok {
		m.g.die("You have not concluded your cherry-pick (CHERRY_PICK_HEAD exists).\nPlease, commit your changes before you merge.")
	}
	if s := m.l.str("strategy"); s != "" && s != "ort" && s != "recursive" && s != "resolve" && s != "ours" {
		m.g.die("merge strategy '%s' is not supported here", s)
	}
}

func (r *repo) abortMerge() int {
	if _, ok := r.readFile("MERGE_HEAD"); !ok {
		r.g.die("There is no merge to abort (MERGE_HEAD missing).")
	}
	r.lockIndex()
	r.resetKeeping(r.headTree(), "merge")
	r.finishOperation()
	return 0
}

func (m *merging) run(name string) int {
	r, g := m.r, m.g
	id, ok := r.tryCommit(name)
	if !ok {
		g.errorf("merge: %s - not something we can merge\n", name)
		return 1
	}
	m.name, m.other = name, id
	head, born := r.head()
	if !born {
		r.resetHard(r.treeOf(id))
		r.updateHead(id, "initial pull")
		return 0
	}
	m.head = head
	bases := r.mergeBases(head, id)
	if len(bases) == 0 && !m.l.has("allow-unrelated-histories") {
		g.die("refusing to merge unrelated histories")
	}
	if len(bases) == 1 && bases[0] == id {
		if m.squash {
			g.print("Already up to date. (nothing to squash)\n")
		} else if !m.quiet {
			g.print("Already up to date.\n")
		}
		return 0
	}
	ff := m.r.cfg.str("merge.ff", "true")
	for _, o := range m.l.list {
		switch o.Name {
		case "ff":
			ff = "true"
		case "no-ff":
			ff = "false"
		case "ff-only":
			ff = "only"
		}
	}
	canFF := len(bases) == 1 && bases[0] == head
	kind, _ := r.resolve(name)
	isTag := false
	if k, _, err := r.peekObject(kind); err == nil && k == object.TagKind && !m.squash && ff == "true" {
		isTag = m.l.has("message")
	}
	switch {
	case canFF && ff != "false" && !isTag && m.l.str("strategy") != "ours":
		return m.fastForward()
	case ff == "only":
		g.hint("Diverging branches can't be fast-forwarded, you need to either:\n\n\tgit merge --no-ff\n\nor:\n\n\tgit rebase")
		g.die("Not possible to fast-forward, aborting.")
	}
	return m.three(bases)
}

func (m *merging) fastForward() int {
	r, g := m.r, m.g
	r.lockIndex()
	if !m.quiet {
		g.printf("Updating %s..%s\n", r.db.Abbrev(m.head, r.abbrevLen()), r.db.Abbrev(m.other, r.abbrevLen()))
	}
	t := r.newTransition(r.treeOf(m.head), r.treeOf(m.other), "merge", "merge")
	t.plan()
	t.refuse()
	t.apply()
	if !m.quiet {
		g.print("Fast-forward\n")
	}
	if m.squash {
		m.squashMessage()
	} else {
		r.moveHead(m.head, m.other, "merge "+m.name+": Fast-forward")
	}
	m.stat(m.other)
	return 0
}

// stat shows what a merge brought.
func (m *merging) stat(to object.ID) {
	if m.quiet || m.l.has("n") || !m.l.on("stat", m.r.cfg.on("merge.stat", true)) {
		return
	}
	o := diffOptions{stat: true, summary: true, renames: m.g.renames(m.l.flags)}
	m.r.showChanges(m.r.prepareChanges(m.r.diffTrees(m.r.treeOf(m.head), m.r.treeOf(to), nil), &o), &o)
}

func (m *merging) squashMessage() {
	var b strings.Builder
	b.WriteString("Squashed commit of the following:\n")
	p := pretty{r: m.r, format: "medium", date: "default"}
	for _, c := range m.r.reachable([]object.ID{m.other}, []object.ID{m.head}) {
		b.WriteString("\n" + p.render(c))
	}
	m.r.writeFile("SQUASH_MSG", b.String())
	if !m.quiet {
		m.g.print("Squash commit -- not updating HEAD\n")
	}
}

// message is what the merge commit says by default.
func (m *merging) message() string {
	if list := m.l.all("message"); len(list) > 0 {
		return strings.Join(list, "\n\n") + "\n"
	}
	if name, ok := m.l.get("file"); ok {
		data, err := m.g.p.ReadFile(name)
		if err != nil {
			m.g.die("could not read file '%s': %s", name, strerror(err))
		}
		return string(data)
	}
	what, tagMessage := m.describeOther()
	into := strings.TrimPrefix(m.r.branch(), refs.Heads)
	if m.r.branch() == "" {
		into = "HEAD"
	}
	if name, ok := m.l.get("into-name"); ok {
		into = name
	}
	text := "Merge " + what
	if into != "master" && into != "main" {
		text += " into " + into
	}
	if tagMessage != "" {
		text += "\n\n" + tagMessage
	}
	return text + "\n"
}

func (m *merging) describeOther() (what, tagMessage string) {
	full, ok := m.r.findRef(m.name)
	switch {
	case ok && strings.HasPrefix(full, refs.Heads):
		return "branch '" + m.name + "'", ""
	case ok && strings.HasPrefix(full, "refs/remotes/"):
		return "remote-tracking branch '" + m.name + "'", ""
	case ok && strings.HasPrefix(full, refs.Tags):
		id, _, err := m.r.refs.Resolve(full)
		if err == nil {
			if kind, data, err := m.r.peekObject(id); err == nil && kind == object.TagKind {
				if t, err := object.ParseTag(data); err == nil {
					return "tag '" + m.name + "'", strings.TrimRight(t.Message, "\n")
				}
			}
		}
		return "tag '" + m.name + "'", ""
	}
	return "commit '" + m.name + "'", ""
}

func (m *merging) options() mergeOptions {
	var o mergeOptions
	for _, x := range m.l.all("strategy-option") {
		switch x {
		case "ours":
			o.favor = xdiff.FavorOurs
		case "theirs":
			o.favor = xdiff.FavorTheirs
		case "ignore-all-space":
			o.flags |= xdiff.IgnoreAllSpace
		case "ignore-space-change":
			o.flags |= xdiff.IgnoreSpaceChange
		case "ignore-space-at-eol":
			o.flags |= xdiff.IgnoreSpaceAtEOL
		case "patience", "histogram", "no-renames", "find-renames":
		default:
			if !strings.HasPrefix(x, "find-renames=") && !strings.HasPrefix(x, "diff-algorithm=") {
				m.g.die("unknown strategy option: -X%s", x)
			}
		}
	}
	return o
}

// three makes a merge of two histories.
func (m *merging) three(bases []object.ID) int {
	r, g := m.r, m.g
	r.lockIndex()
	who, ok := g.identOrNone(committer)
	if !ok && !m.noCommit && !m.squash {
		g.unknownIdentity(committer)
	}
	_ = who
	ours, theirs := r.treeOf(m.head), r.treeOf(m.other)
	if staged := r.diffIndex(ours, nil); len(staged) > 0 {
		g.errorf("error: Your local changes to the following files would be overwritten by merge:\n")
		for _, c := range staged {
			g.errorf("  %s\n", c.path())
		}
		g.errorf("Merge with strategy ort failed.\n")
		return 2
	}
	var result *merged
	if m.l.str("strategy") == "ours" {
		result = &merged{r: r, tree: ours}
	} else {
		base, baseName := r.mergeBaseTree(bases, 0)
		result = r.mergeTrees(base, ours, theirs, mergeLabels{ours: "HEAD", base: baseName, theirs: m.name}, m.options())
	}
	t := r.newTransition(ours, result.tree, "merge", "merge")
	t.plan()
	t.refuseWith(2, "Aborting\nMerge with strategy ort failed.\n")
	result.print()
	t.apply()
	if len(result.conflicts) > 0 {
		return m.conflicts(result)
	}
	return m.conclude(result)
}

func (m *merging) conflicts(result *merged) int {
	result.stage()
	m.r.saveIndex()
	note := conflictNote(result.names())
	if m.squash {
		m.squashMessage()
	} else {
		m.r.writeFile("MERGE_HEAD", m.other.String()+"\n")
		m.r.writeFile("MERGE_MODE", m.modeText())
		m.g.check(m.r.refs.Set("ORIG_HEAD", m.head))
	}
	m.r.writeFile("MERGE_MSG", m.message()+note)
	m.g.print("Automatic merge failed; fix conflicts and then commit the result.\n")
	return 1
}

func (m *merging) modeText() string {
	if m.l.has("no-ff") {
		return "no-ff"
	}
	return ""
}

func (m *merging) conclude(result *merged) int {
	r, g := m.r, m.g
	if m.squash {
		m.squashMessage()
		g.errorf("Automatic merge went well; stopped before committing as requested\n")
		return 0
	}
	g.check(r.refs.Set("ORIG_HEAD", m.head))
	if m.noCommit {
		r.writeFile("MERGE_HEAD", m.other.String()+"\n")
		r.writeFile("MERGE_MODE", m.modeText())
		r.writeFile("MERGE_MSG", m.message())
		g.errorf("Automatic merge went well; stopped before committing as requested\n")
		return 0
	}
	text := cleanup(m.message(), false)
	if m.l.on("signoff", false) {
		who := g.ident(committer)
		text = strings.TrimRight(text, "\n") + fmt.Sprintf("\n\nSigned-off-by: %s <%s>\n", who.Name, who.Email)
	}
	commit := &object.Commit{
		Tree: result.tree, Parents: []object.ID{m.head, m.other}, Author: g.ident(author), Committer: g.ident(committer), Message: text,
	}
	id, err := r.db.Write(object.CommitKind, commit.Encode())
	g.check(err)
	strategy := "ort"
	if m.l.str("strategy") == "ours" {
		strategy = "ours"
	}
	r.updateHead(id, fmt.Sprintf("merge %s: Merge made by the '%s' strategy.", m.name, strategy))
	if !m.quiet {
		g.printf("Merge made by the '%s' strategy.\n", strategy)
	}
	m.stat(id)
	return 0
}
