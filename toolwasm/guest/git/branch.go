package git

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

func cmdBranch(g *git) int {
	l := g.parse("all,a remotes,r list,l verbose,v delete,d D move,m M copy,c C force,f show-current contains? no-contains? merged? no-merged? " +
		"points-at= sort= format= track,t? no-track set-upstream-to,u= unset-upstream edit-description quiet,q abbrev? no-abbrev color? no-color " +
		"column? no-column ignore-case,i create-reflog create-reflog")
	r := g.open()
	args := l.operands()
	// --contains and its kin take the next word.
	switch {
	case l.has("show-current"):
		if b := r.branch(); b != "" {
			g.print(strings.TrimPrefix(b, refs.Heads) + "\n")
		}
		return 0
	case l.has("delete") || l.has("D"):
		return r.deleteBranches(args, l.has("D") || l.has("force"), l.has("remotes"), l.has("quiet"))
	case l.has("move") || l.has("M") || l.has("copy") || l.has("C"):
		return r.renameBranch(args, l.has("M") || l.has("C") || l.has("force"), l.has("copy") || l.has("C"))
	case l.has("set-upstream-to"):
		return r.setUpstream(first(args), l.str("set-upstream-to"))
	case l.has("unset-upstream"):
		return r.unsetUpstream(first(args))
	case l.has("edit-description"):
		g.die("there is no editor here: set branch.<name>.description with 'git config'")
	}
	filtered := l.has("contains") || l.has("no-contains") || l.has("merged") || l.has("no-merged") || l.has("points-at")
	if l.has("list") || len(args) == 0 || filtered {
		return r.listBranches(l, args)
	}
	if l.has("all") || l.has("remotes") {
		g.die("the -a, and -r, options to 'git branch' do not take a branch name\nDid you mean to use: -a|-r --list <pattern>?")
	}
	return r.newBranch(l, args)
}

func (r *repo) newBranch(l line, args []string) int {
	if len(args) > 2 {
		r.g.usageError("too many arguments")
	}
	start := "HEAD"
	if len(args) == 2 {
		start = args[1]
	}
	id, ok := r.tryCommit(start)
	if !ok {
		if start == "HEAD" {
			r.g.die("not a valid object name: '%s'", strings.TrimPrefix(r.branch(), refs.Heads))
		}
		r.g.die("not a valid object name: '%s'", start)
	}
	force := l.has("force")
	if force && r.branch() == refs.Heads+args[0] {
		r.g.die("cannot force update the branch '%s' used by worktree at '%s'", args[0], r.top)
	}
	if err := r.makeBranch(args[0], id, "branch: Created from "+start, force); err != nil {
		r.g.die("%v", err)
	}
	if full, ok := r.findRef(start); ok && !l.has("no-track") && start != "HEAD" &&
		(strings.HasPrefix(full, "refs/remotes/") || l.has("track")) && r.track(args[0], full) && !l.has("quiet") {
		r.g.printf("branch '%s' set up to track '%s'.\n", args[0], shortRef(full))
	}
	return 0
}

// makeBranch makes a branch, or moves one when force is set.
func (r *repo) makeBranch(name string, id object.ID, message string, force bool) error {
	full := refs.Heads + name
	if !refs.ValidName(full) || strings.HasPrefix(name, "-") || name == "HEAD" {
		return fmt.Errorf("'%s' is not a valid branch name", name)
	}
	before, _, err := r.refs.Resolve(full)
	if err == nil && !force {
		return fmt.Errorf("a branch named '%s' already exists", name)
	}
	if err == nil {
		message = strings.Replace(message, "branch: Created from", "branch: Reset to", 1)
	}
	if other, clash := r.refs.Conflict(full); clash {
		return fmt.Errorf("cannot lock ref '%s': '%s' exists; cannot create '%s'", full, other, full)
	}
	if err := r.refs.Set(full, id); err != nil {
		return err
	}
	r.logRef(full, before, id, message)
	if r.branch() == full {
		r.logRef(refs.Head, before, id, message)
	}
	return nil
}

// track notes which branch another follows; it reports whether the configuration could be written.
func (r *repo) track(name, full string) bool {
	remote, merge := ".", full
	if rest, ok := strings.CutPrefix(full, "refs/remotes/"); ok {
		var branch string
		remote, branch, _ = strings.Cut(rest, "/")
		merge = refs.Heads + branch
	}
	err := errors.Join(r.setLocal("branch."+name+".remote", remote), r.setLocal("branch."+name+".merge", merge))
	return err == nil
}

func (r *repo) setUpstream(branch, up string) int {
	if branch == "" {
		branch = strings.TrimPrefix(r.branch(), refs.Heads)
	}
	full, ok := r.findRef(up)
	if !ok {
		r.g.die("the requested upstream branch '%s' does not exist", up)
	}
	if !r.track(branch, full) {
		r.g.die("could not write the configuration of branch '%s': .git/config is kept as it is in this workspace", branch)
	}
	r.g.printf("branch '%s' set up to track '%s'.\n", branch, shortRef(full))
	return 0
}

func (r *repo) unsetUpstream(branch string) int {
	if branch == "" {
		branch = strings.TrimPrefix(r.branch(), refs.Heads)
	}
	if _, ok := r.upstreamRef(branch); !ok {
		r.g.die("Branch '%s' has no upstream information", branch)
	}
	r.g.check(errors.Join(r.unsetLocal("branch."+branch+".remote"), r.unsetLocal("branch."+branch+".merge")))
	return 0
}

func (r *repo) deleteBranches(names []string, force, remote, quiet bool) int {
	status := 0
	if len(names) == 0 {
		r.g.die("branch name required")
	}
	for _, name := range names {
		full := refs.Heads + name
		kind := "branch"
		if remote {
			full, kind = "refs/remotes/"+name, "remote-tracking branch"
		}
		id, _, err := r.refs.Resolve(full)
		if err != nil {
			r.g.errorf("error: %s '%s' not found.\n", kind, name)
			status = 1
			continue
		}
		if r.branch() == full {
			r.g.errorf("error: Cannot delete branch '%s' checked out at '%s'\n", name, r.top)
			status = 1
			continue
		}
		if !force && !remote && !r.mergedInto(name, id) {
			r.g.errorf("error: The branch '%s' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D %s'.\n", name, name)
			status = 1
			continue
		}
		r.g.check(r.refs.Delete(full))
		_ = r.removeSection("branch." + name)
		if !quiet {
			r.g.printf("Deleted %s %s (was %s).\n", kind, name, r.db.Abbrev(id, r.abbrevLen()))
		}
	}
	return status
}

// mergedInto reports whether a branch is part of its upstream, or of HEAD.
func (r *repo) mergedInto(name string, id object.ID) bool {
	if up, ok := r.upstream(name); ok && up.exists {
		return r.isAncestor(id, up.id)
	}
	head, ok := r.head()
	return ok && r.isAncestor(id, head)
}

func (r *repo) renameBranch(args []string, force, keep bool) int {
	from := strings.TrimPrefix(r.branch(), refs.Heads)
	to := ""
	switch len(args) {
	case 1:
		to = args[0]
	case 2:
		from, to = args[0], args[1]
	default:
		r.g.die("branch name required")
	}
	old, next := refs.Heads+from, refs.Heads+to
	if !refs.ValidName(next) || strings.HasPrefix(to, "-") {
		r.g.die("'%s' is not a valid branch name", to)
	}
	id, _, err := r.refs.Resolve(old)
	if err != nil {
		if r.branch() == old && !keep { // before the first commit
			r.g.check(r.refs.SetSymbolic(refs.Head, next))
			return 0
		}
		r.g.die("no branch named '%s'", from)
	}
	if r.refs.Exists(next) && !force && from != to {
		r.g.die("a branch named '%s' already exists", to)
	}
	verb := "renamed"
	if keep {
		verb = "copied"
	}
	r.g.check(r.refs.RenameLog(old, next))
	if !keep && from != to {
		isHead := r.branch() == old
		r.g.check(r.refs.Delete(old))
		if isHead {
			defer func() { r.g.check(r.refs.SetSymbolic(refs.Head, next)) }()
		}
	}
	r.g.check(r.refs.Set(next, id))
	r.logRef(next, id, id, fmt.Sprintf("Branch: %s %s to %s", verb, old, next))
	if r.branch() == old && !keep {
		r.logRef(refs.Head, id, object.ID{}, fmt.Sprintf("Branch: renamed %s to %s", old, next))
		r.logRef(refs.Head, object.ID{}, id, fmt.Sprintf("Branch: renamed %s to %s", old, next))
	}
	if !keep {
		_ = r.renameSection("branch."+from, "branch."+to)
	}
	return 0
}

// listBranches prints branches.
func (r *repo) listBranches(l line, patterns []string) int {
	commit := func(option string) (object.ID, bool) {
		rev, ok := l.get(option)
		if !ok {
			return object.ID{}, false
		}
		if rev == "" {
			if len(patterns) > 0 && option != "points-at" {
				rev, patterns = patterns[0], patterns[1:]
			} else {
				rev = "HEAD"
			}
		}
		id, found := r.tryCommit(rev)
		if !found {
			r.g.fail(statusUsage, "malformed object name %s", rev)
		}
		return id, true
	}
	var tests []func(id object.ID) bool
	if c, ok := commit("contains"); ok {
		tests = append(tests, func(id object.ID) bool { return r.isAncestor(c, id) })
	}
	if c, ok := commit("no-contains"); ok {
		tests = append(tests, func(id object.ID) bool { return !r.isAncestor(c, id) })
	}
	if c, ok := commit("merged"); ok {
		tests = append(tests, func(id object.ID) bool { return r.isAncestor(id, c) })
	}
	if c, ok := commit("no-merged"); ok {
		tests = append(tests, func(id object.ID) bool { return !r.isAncestor(id, c) })
	}
	if c, ok := commit("points-at"); ok {
		tests = append(tests, func(id object.ID) bool { return id == c })
	}
	var list []refs.Ref
	if !l.has("remotes") {
		list = append(list, r.refs.List(refs.Heads)...)
	}
	if l.has("remotes") || l.has("all") {
		list = append(list, r.refs.List("refs/remotes/")...)
	}
	list = slices.DeleteFunc(list, func(ref refs.Ref) bool {
		for _, t := range tests {
			if !t(ref.ID) {
				return true
			}
		}
		short := shortRef(ref.Name)
		return len(patterns) > 0 && !slices.ContainsFunc(patterns, func(p string) bool { return match.Glob(p, short, false, false) })
	})
	if keys := l.all("sort"); len(keys) > 0 {
		r.sortRefs(list, keys)
	}
	if format, ok := l.get("format"); ok {
		for _, ref := range list {
			r.g.print(r.formatRef(ref, format) + "\n")
		}
		return 0
	}
	verbose := len(l.all("verbose"))
	r.printBranches(list, verbose, l.has("all"), len(patterns) == 0 && len(tests) == 0 && !l.has("remotes"))
	return 0
}

func (r *repo) printBranches(list []refs.Ref, verbose int, all, detached bool) {
	head := r.branch()
	type row struct {
		mark, name string
		ref        refs.Ref
	}
	var rows []row
	if id, ok := r.head(); ok && head == "" && detached {
		rows = append(rows, row{"* ", "(" + r.detachedAt() + ")", refs.Ref{ID: id}})
	}
	for _, ref := range list {
		mark := "  "
		if ref.Name == head {
			mark = "* "
		}
		name := shortRef(ref.Name)
		if all && strings.HasPrefix(ref.Name, "refs/remotes/") {
			name = "remotes/" + name
		}
		rows = append(rows, row{mark, name, ref})
	}
	width := 0
	for _, x := range rows {
		width = max(width, textWidth(x.name))
	}
	for _, x := range rows {
		if _, target, err := r.refs.Raw(x.ref.Name); err == nil && target != "" && x.ref.Name != "" {
			pad := ""
			if verbose > 0 {
				pad = strings.Repeat(" ", width-textWidth(x.name))
			}
			r.g.print(x.mark + x.name + pad + " -> " + shortRef(target) + "\n")
			continue
		}
		if verbose == 0 {
			r.g.print(x.mark + x.name + "\n")
			continue
		}
		c, err := r.db.Commit(x.ref.ID)
		r.g.check(err)
		pad := strings.Repeat(" ", width-textWidth(x.name))
		r.g.print(x.mark + x.name + pad + " " + r.db.Abbrev(x.ref.ID, r.abbrevLen()) + " " + r.trackText(x.ref.Name, verbose) + c.Subject() + "\n")
	}
}

// trackText is what `branch -v` says of the upstream.
func (r *repo) trackText(full string, verbose int) string {
	name, ok := strings.CutPrefix(full, refs.Heads)
	if !ok {
		return ""
	}
	up, ok := r.upstream(name)
	if !ok {
		return ""
	}
	text := ""
	switch {
	case !up.exists:
		text = "gone"
	case up.ahead > 0 && up.behind > 0:
		text = fmt.Sprintf("ahead %d, behind %d", up.ahead, up.behind)
	case up.ahead > 0:
		text = fmt.Sprintf("ahead %d", up.ahead)
	case up.behind > 0:
		text = fmt.Sprintf("behind %d", up.behind)
	}
	if verbose > 1 {
		if text != "" {
			text = ": " + text
		}
		return "[" + up.short + text + "] "
	}
	if text == "" {
		return ""
	}
	return "[" + text + "] "
}
