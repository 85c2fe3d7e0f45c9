package git

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/sys"
)

// status is everything that `git status` tells.
type status struct {
	r         *repo
	staged    []change
	unstaged  []change
	unmerged  []string
	untracked []string
	ignored   []string
	noWhat    bool // untracked files were not looked for
	initial   bool
	amend     bool
	commit    bool // shown by a commit that has nothing to do
	relative  bool
	hints     bool
}

func (r *repo) status(specs []match.Spec, untracked string, ignored bool) *status {
	return r.statusWith(flags{g: r.g}, specs, untracked, ignored)
}

// statusWith is status with the command line's say in the search for renames.
func (r *repo) statusWith(f flags, specs []match.Spec, untracked string, ignored bool) *status {
	s := &status{r: r, relative: r.cfg.on("status.relativepaths", true), hints: r.cfg.on("advice.statushints", true)}
	_, ok := r.head()
	s.initial = !ok
	limit := r.g.renames(f)
	if v, ok := r.cfg.boolean("status.renames"); ok && len(f.list) == 0 {
		limit.off = !v
	}
	s.unstaged = slices.DeleteFunc(r.diffWork(specs), func(c change) bool { return c.status == 'U' })
	s.staged = r.detectRenames(r.diffIndex(r.headTree(), specs), limit)
	s.unstaged = r.detectRenames(s.unstaged, limit)
	for _, name := range r.index().Unmerged() {
		if match.Match(specs, name) {
			s.unmerged = append(s.unmerged, name)
		}
	}
	switch untracked {
	case "no", "false":
		s.noWhat = true
		if !ignored {
			return s
		}
	}
	look := scan{r: r, specs: specs, all: untracked == "all", ignored: ignored}
	look.run()
	if !s.noWhat {
		s.untracked = look.files
	}
	s.ignored = look.skipped
	return s
}

func cmdStatus(g *git) int {
	l := g.parse("short,s branch,b no-branch porcelain? long verbose,v untracked-files,u? ignored? z column? no-column " +
		"show-stash no-show-stash ahead-behind no-ahead-behind renames no-renames find-renames? ignore-submodules?")
	r := g.openTree()
	untracked := r.cfg.str("status.showuntrackedfiles", "normal")
	if v, ok := l.get("untracked-files"); ok {
		untracked = v
		if v == "" {
			untracked = "all"
		}
	}
	switch untracked {
	case "no", "normal", "all", "true", "false":
	default:
		g.die("Invalid untracked files mode '%s'", untracked)
	}
	s := r.statusWith(l.flags, r.specs(l.operands()), untracked, l.has("ignored") && l.str("ignored") != "no")
	nul := l.has("z")
	format, hasFormat := l.get("porcelain")
	short := l.has("short") || !l.has("long") && !hasFormat && r.cfg.on("status.short", false)
	branch := l.on("branch", r.cfg.on("status.branch", false) && !hasFormat)
	switch {
	case hasFormat && (format == "v2" || format == "2"):
		s.porcelain2(branch, nul)
	case hasFormat && format != "" && format != "v1" && format != "1":
		g.die("unsupported porcelain version '%s'", format)
	case hasFormat || short || nul:
		s.relative = s.relative && !hasFormat && !nul
		s.short(branch, nul)
	default:
		s.long()
	}
	return 0
}

// name is a path as the short formats show it.
func (s *status) name(p string, nul bool) string {
	if nul {
		return p
	}
	if s.relative {
		p = s.r.display(p)
	}
	q := s.r.quote(p)
	if q == p && strings.Contains(p, " ") {
		return `"` + p + `"`
	}
	return q
}

// line is what the short formats know of one path.
type statusLine struct {
	x, y    byte
	path    string
	from    string // of a rename
	staged  *change
	work    *change
	isMerge bool
}

func (s *status) lines() []*statusLine {
	byPath := map[string]*statusLine{}
	at := func(p string) *statusLine {
		l, ok := byPath[p]
		if !ok {
			l = &statusLine{x: ' ', y: ' ', path: p}
			byPath[p] = l
		}
		return l
	}
	for i := range s.staged {
		c := &s.staged[i]
		l := at(c.path())
		l.x, l.staged = c.status, c
		if c.status == 'R' || c.status == 'C' {
			l.from = c.old.path
		}
	}
	for i := range s.unstaged {
		c := &s.unstaged[i]
		l := at(c.path())
		l.y, l.work = c.status, c
		if c.status == 'R' || c.status == 'C' {
			l.from = c.old.path
		}
	}
	for _, name := range s.unmerged {
		l := at(name)
		l.x, l.y = unmergedLetters(s.r.index().Stages(name))
		l.isMerge = true
	}
	list := make([]*statusLine, 0, len(byPath))
	for _, l := range byPath {
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b *statusLine) int { return strings.Compare(a.path, b.path) })
	return list
}

// unmergedLetters says what each side of a conflict did.
func unmergedLetters(stages [4]*index.Entry) (x, y byte) {
	mask := 0
	for i := index.Base; i <= index.Theirs; i++ {
		if stages[i] != nil {
			mask |= 1 << (i - 1)
		}
	}
	letters := map[int]string{1: "DD", 2: "AU", 3: "UD", 4: "UA", 5: "DU", 6: "AA", 7: "UU"}[mask]
	return letters[0], letters[1]
}

func (s *status) short(branch, nul bool) {
	end := "\n"
	if nul {
		end = "\x00"
	}
	out := s.r.g.out
	if branch {
		out.WriteString("## " + s.shortBranch() + end)
	}
	for _, l := range s.lines() {
		out.WriteByte(l.x)
		out.WriteByte(l.y)
		out.WriteByte(' ')
		switch {
		case l.from != "" && nul:
			out.WriteString(l.path + "\x00" + l.from)
		case l.from != "":
			out.WriteString(s.name(l.from, false) + " -> " + s.name(l.path, false))
		default:
			out.WriteString(s.name(l.path, nul))
		}
		out.WriteString(end)
	}
	for _, p := range s.untracked {
		out.WriteString("?? " + s.name(p, nul) + end)
	}
	for _, p := range s.ignored {
		out.WriteString("!! " + s.name(p, nul) + end)
	}
}

func (s *status) shortBranch() string {
	full := s.r.branch()
	name := strings.TrimPrefix(full, refs.Heads)
	switch {
	case s.initial:
		return "No commits yet on " + name
	case full == "":
		return "HEAD (no branch)"
	}
	up, ok := s.r.upstream(name)
	if !ok {
		return name
	}
	text := name + "..." + up.short
	if !up.exists {
		return text + " [gone]"
	}
	switch {
	case up.ahead > 0 && up.behind > 0:
		text += fmt.Sprintf(" [ahead %d, behind %d]", up.ahead, up.behind)
	case up.ahead > 0:
		text += fmt.Sprintf(" [ahead %d]", up.ahead)
	case up.behind > 0:
		text += fmt.Sprintf(" [behind %d]", up.behind)
	}
	return text
}

// porcelain2 prints the second version of the format for programs.
func (s *status) porcelain2(branch, nul bool) {
	s.relative = false
	end, sep := "\n", "\t"
	if nul {
		end, sep = "\x00", "\x00"
	}
	name := func(p string) string {
		if nul {
			return p
		}
		return s.r.quote(p)
	}
	g := s.r.g
	if branch {
		s.porcelain2Branch(end)
	}
	lines := s.lines()
	for _, l := range lines {
		if l.isMerge {
			continue
		}
		letter := func(c byte) byte {
			if c == ' ' {
				return '.'
			}
			return c
		}
		var head, idx version
		work := object.Mode(0)
		switch {
		case l.staged != nil:
			head, idx = l.staged.old, l.staged.new
			work = idx.mode
		case l.work != nil:
			head, idx = l.work.old, l.work.old
			work = head.mode
		}
		if l.work != nil {
			work = l.work.new.mode
		}
		kind, score := "1", ""
		if l.from != "" {
			kind = "2"
			c := l.staged
			if c == nil || c.status != 'R' && c.status != 'C' {
				c = l.work
			}
			score = fmt.Sprintf(" %c%d", c.status, c.percent())
		}
		g.printf("%s %c%c N... %s %s %s %s %s%s %s", kind, letter(l.x), letter(l.y), head.mode, idx.mode, work, head.id, idx.id, score, name(l.path))
		if l.from != "" {
			g.print(sep + name(l.from))
		}
		g.print(end)
	}
	for _, l := range lines {
		if !l.isMerge {
			continue
		}
		stages := s.r.index().Stages(l.path)
		mode := func(e *index.Entry) object.Mode {
			if e == nil {
				return 0
			}
			return e.Mode
		}
		id := func(e *index.Entry) object.ID {
			if e == nil {
				return object.ID{}
			}
			return e.ID
		}
		work := object.Mode(0)
		if info, err := s.r.lstat(l.path); err == nil {
			work = s.r.modeOf(info, 0)
		}
		g.printf("u %c%c N... %s %s %s %s %s %s %s %s%s", l.x, l.y, mode(stages[1]), mode(stages[2]), mode(stages[3]), work,
			id(stages[1]), id(stages[2]), id(stages[3]), name(l.path), end)
	}
	for _, p := range s.untracked {
		g.print("? " + name(p) + end)
	}
	for _, p := range s.ignored {
		g.print("! " + name(p) + end)
	}
}

func (s *status) porcelain2Branch(end string) {
	g := s.r.g
	if id, ok := s.r.head(); ok {
		g.print("# branch.oid " + id.String() + end)
	} else {
		g.print("# branch.oid (initial)" + end)
	}
	full := s.r.branch()
	if full == "" {
		g.print("# branch.head (detached)" + end)
		return
	}
	name := strings.TrimPrefix(full, refs.Heads)
	g.print("# branch.head " + name + end)
	if up, ok := s.r.upstream(name); ok {
		g.print("# branch.upstream " + up.short + end)
		if up.exists && !s.initial {
			g.printf("# branch.ab +%d -%d%s", up.ahead, up.behind, end)
		}
	}
}

// long prints what people read.
func (s *status) long() {
	g := s.r.g
	full := s.r.branch()
	switch {
	case full == "":
		g.print(s.detached() + "\n")
	default:
		g.printf("On branch %s\n", strings.TrimPrefix(full, refs.Heads))
		s.tracking(strings.TrimPrefix(full, refs.Heads))
	}
	s.state()
	if s.initial {
		if s.commit {
			g.print("\nInitial commit\n\n")
		} else {
			g.print("\nNo commits yet\n\n")
		}
	}
	s.section(len(s.staged) > 0, "Changes to be committed:", s.stagedHint(), func() {
		for i := range s.staged {
			s.changeLine(&s.staged[i])
		}
	})
	s.unmergedSection()
	hint := `  (use "git add <file>..." to update what will be committed)`
	if slices.ContainsFunc(s.unstaged, func(c change) bool { return c.status == 'D' }) {
		hint = `  (use "git add/rm <file>..." to update what will be committed)`
	}
	s.section(len(s.unstaged) > 0, "Changes not staged for commit:",
		hint+"\n"+`  (use "git restore <file>..." to discard changes in working directory)`, func() {
			for i := range s.unstaged {
				s.changeLine(&s.unstaged[i])
			}
		})
	s.names(s.untracked, "Untracked files:", `  (use "git add <file>..." to include in what will be committed)`)
	s.names(s.ignored, "Ignored files:", `  (use "git add -f <file>..." to include in what will be committed)`)
	if s.noWhat && len(s.staged) > 0 {
		s.r.g.print("Untracked files not listed")
		if s.hints {
			s.r.g.print(` (use -u option to show untracked files)`)
		}
		s.r.g.print("\n")
	}
	s.conclusion()
}

func (s *status) detached() string {
	if s.r.inRebase() {
		if onto, ok := s.r.readFile("rebase-merge/onto"); ok {
			if id, ok := object.ParseID(strings.TrimSpace(onto)); ok {
				return "interactive rebase in progress; onto " + s.r.db.Abbrev(id, s.r.abbrevLen())
			}
		}
	}
	return s.r.detachedAt()
}

// detachedAt says where HEAD was put when it was detached.
func (r *repo) detachedAt() string {
	id, ok := r.head()
	if !ok {
		return "Not currently on any branch."
	}
	list, _ := r.refs.ReadLog(refs.Head)
	for _, e := range slices.Backward(list) {
		rest, ok := strings.CutPrefix(e.Message, "checkout: moving from ")
		if !ok {
			continue
		}
		_, to, _ := strings.Cut(rest, " to ")
		name := r.db.Abbrev(e.New, r.abbrevLen())
		if full, ok := r.findRef(to); ok && to != refs.Head {
			if ref, _, err := r.refs.Resolve(full); err == nil && (ref == e.New || r.peelsTo(ref, e.New)) {
				name = strings.TrimPrefix(strings.TrimPrefix(full, refs.Tags), "refs/remotes/")
			}
		}
		if e.New == id {
			return "HEAD detached at " + name
		}
		return "HEAD detached from " + name
	}
	return "Not currently on any branch."
}

// peelsTo reports whether an object is a tag of a commit.
func (r *repo) peelsTo(id, commit object.ID) bool {
	peeled, err := r.peel(id, object.CommitKind)
	return err == nil && peeled == commit
}

// tracking tells how a branch and its upstream differ.
func (s *status) tracking(name string) {
	if s.initial {
		return
	}
	if up, ok := s.r.upstream(name); ok {
		s.r.g.print(up.text(s.hints) + "\n")
	}
}

// state tells of operations that are not finished.
func (s *status) state() {
	g := s.r.g
	tell := func(text string, hints ...string) {
		g.print(text + "\n")
		if s.hints {
			for _, h := range hints {
				g.print("  (" + h + ")\n")
			}
		}
		g.print("\n")
	}
	conflicts := len(s.unmerged) > 0
	if _, ok := s.r.readFile("MERGE_HEAD"); ok {
		if conflicts {
			tell("You have unmerged paths.", `fix conflicts and run "git commit"`, `use "git merge --abort" to abort the merge`)
		} else {
			tell("All conflicts fixed but you are still merging.", `use "git commit" to conclude merge`)
		}
	}
	s.sequence(tell, conflicts, "CHERRY_PICK_HEAD", "cherry-pick", "cherry-picking")
	s.sequence(tell, conflicts, "REVERT_HEAD", "revert", "reverting")
}

func (s *status) sequence(tell func(string, ...string), conflicts bool, file, command, doing string) {
	text, ok := s.r.readFile(file)
	if !ok {
		return
	}
	id, _ := object.ParseID(strings.TrimSpace(text))
	next := fmt.Sprintf(`all conflicts fixed: run "git %s --continue"`, command)
	if conflicts {
		next = fmt.Sprintf(`fix conflicts and run "git %s --continue"`, command)
	}
	operation := map[string]string{"cherry-pick": "cherry-pick", "revert": "revert"}[command]
	tell(fmt.Sprintf("You are currently %s commit %s.", doing, s.r.db.Abbrev(id, s.r.abbrevLen())), next,
		fmt.Sprintf(`use "git %s --skip" to skip this patch`, command),
		fmt.Sprintf(`use "git %s --abort" to cancel the %s operation`, command, operation))
}

func (s *status) section(show bool, title, hint string, body func()) {
	if !show {
		return
	}
	g := s.r.g
	g.print(title + "\n")
	if s.hints && hint != "" {
		g.print(hint + "\n")
	}
	body()
	g.print("\n")
}

func (s *status) stagedHint() string {
	if s.concluding() {
		return ""
	}
	if s.initial {
		return `  (use "git rm --cached <file>..." to unstage)`
	}
	return `  (use "git restore --staged <file>..." to unstage)`
}

// concluding reports whether the next commit concludes a merge or a cherry-pick: what that staged is not to be taken back.
func (s *status) concluding() bool {
	_, merging := s.r.readFile("MERGE_HEAD")
	_, picking := s.r.readFile("CHERRY_PICK_HEAD")
	return merging || picking
}

// shown is a path in the long format.
func (s *status) shown(p string) string {
	if s.relative {
		p = s.r.display(p)
	}
	return s.r.quote(p)
}

func (s *status) changeLine(c *change) {
	label := map[byte]string{'A': "new file", 'D': "deleted", 'M': "modified", 'T': "typechange", 'R': "renamed", 'C': "copied"}[c.status]
	name := s.shown(c.path())
	if c.status == 'R' || c.status == 'C' {
		name = s.shown(c.old.path) + " -> " + name
	}
	s.r.g.printf("\t%-12s%s\n", label+":", name)
}

func (s *status) unmergedSection() {
	how := map[string]string{
		"DD": "both deleted", "AU": "added by us", "UD": "deleted by them", "UA": "added by them",
		"DU": "deleted by us", "AA": "both added", "UU": "both modified",
	}
	var letters []string
	gone, kept := false, false
	for _, name := range s.unmerged {
		x, y := unmergedLetters(s.r.index().Stages(name))
		l := string([]byte{x, y})
		letters = append(letters, l)
		if l == "UU" || l == "AA" {
			kept = true
		} else if l == "DD" {
			gone = true
		} else {
			gone, kept = true, true
		}
	}
	hint := `  (use "git add <file>..." to mark resolution)`
	switch {
	case gone && kept:
		hint = `  (use "git add/rm <file>..." as appropriate to mark resolution)`
	case gone:
		hint = `  (use "git rm <file>..." to mark resolution)`
	}
	if !s.concluding() {
		hint = `  (use "git restore --staged <file>..." to unstage)` + "\n" + hint
	}
	s.section(len(s.unmerged) > 0, "Unmerged paths:", hint, func() {
		for i, name := range s.unmerged {
			s.r.g.printf("\t%-17s%s\n", how[letters[i]]+":", s.shown(name))
		}
	})
}

func (s *status) names(list []string, title, hint string) {
	s.section(len(list) > 0, title, hint, func() {
		for _, p := range list {
			s.r.g.print("\t" + s.shown(p) + "\n")
		}
	})
}

// conclusion says what a commit would do when nothing is staged.
func (s *status) conclusion() {
	g := s.r.g
	if len(s.staged) > 0 {
		return
	}
	if s.amend {
		g.print("No changes\n")
		return
	}
	hint := func(h string) string {
		if s.hints {
			return " (" + h + ")"
		}
		return ""
	}
	switch {
	case len(s.unstaged) > 0 || len(s.unmerged) > 0:
		if s.hints {
			g.print(`no changes added to commit (use "git add" and/or "git commit -a")` + "\n")
		} else {
			g.print("no changes added to commit\n")
		}
	case len(s.untracked) > 0:
		g.print("nothing added to commit but untracked files present" + hint(`use "git add" to track`) + "\n")
	case s.initial:
		g.print("nothing to commit" + hint(`create/copy files and use "git add" to track`) + "\n")
	case s.noWhat:
		g.print("nothing to commit" + hint("use -u to show untracked files") + "\n")
	default:
		g.print("nothing to commit, working tree clean\n")
	}
}

// inRebase reports whether git has left a rebase unfinished.
func (r *repo) inRebase() bool {
	for _, name := range []string{"/rebase-merge", "/rebase-apply"} {
		if _, err := sys.Stat(r.dir + name); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}
