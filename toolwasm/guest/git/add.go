package git

import (
	"errors"
	"path"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/sys"
)

func cmdAdd(g *git) int {
	l := g.parse("all,A no-all,ignore-removal update,u dry-run,n verbose,v force,f intent-to-add,N patch,p interactive,i edit,e " +
		"refresh ignore-errors ignore-missing renormalize chmod= sparse pathspec-from-file= pathspec-file-nul")
	if l.has("patch") || l.has("interactive") || l.has("edit") {
		g.die("there is no terminal to ask on: 'git add' with -p, -i or -e does not work here; name the files to add")
	}
	r := g.openTree()
	args := append(l.operands(), g.specFile(l.flags)...)
	if len(args) == 0 {
		if !l.has("all") && !l.has("update") {
			g.errorf("Nothing specified, nothing added.\n")
			g.hint("Maybe you wanted to say 'git add .'?\nTurn this message off by running\n\"git config advice.addEmptyPathspec false\"")
			return 0
		}
	}
	r.lockIndex()
	a := adder{r: r, specs: r.specs(args), dry: l.has("dry-run"), verbose: l.has("verbose") || l.has("dry-run"), force: l.has("force")}
	a.intent = l.has("intent-to-add")
	a.update()
	if !l.has("update") && !l.has("refresh") {
		if status := a.newFiles(); status != 0 {
			return status
		}
	}
	if mode := l.str("chmod"); mode != "" {
		a.chmod(mode)
	}
	if !a.dry {
		r.saveIndex()
	}
	return 0
}

// specFile reads the pathspecs that --pathspec-from-file names.
func (g *git) specFile(f flags) []string {
	name, ok := f.get("pathspec-from-file")
	if !ok {
		return nil
	}
	data, err := g.p.ReadFile(name)
	if err != nil {
		g.die("could not open '%s' for reading: %s", name, strerror(err))
	}
	sep := "\n"
	if f.has("pathspec-file-nul") {
		sep = "\x00"
	}
	return slices.DeleteFunc(strings.Split(string(data), sep), func(s string) bool { return s == "" })
}

// adder brings the index up to date with the working tree.
type adder struct {
	r                           *repo
	specs                       []match.Spec
	dry, verbose, force, intent bool
	tracked                     []string // what the specs meant before
}

func (a *adder) say(verb, name string) {
	if a.verbose {
		a.r.g.printf("%s '%s'\n", verb, name)
	}
}

// update takes over changes and removals of tracked files.
func (a *adder) update() {
	idx := a.r.index()
	var names []string
	for i := range idx.Entries {
		if n := idx.Entries[i].Name; match.Match(a.specs, n) && (len(names) == 0 || names[len(names)-1] != n) {
			names = append(names, n)
		}
	}
	a.tracked = names
	type staged struct {
		name   string
		remove bool
		entry  index.Entry
	}
	var work []staged
	for _, name := range names {
		e := idx.Get(name)
		if e == nil { // a conflict: what is in the working tree settles it
			if info, err := a.r.lstat(name); err != nil || info.IsDir() {
				work = append(work, staged{name: name, remove: true})
			} else {
				work = append(work, staged{name: name, entry: a.entry(name, info, 0)})
			}
			continue
		}
		state, info, _ := a.r.compareWork(e)
		switch state {
		case deleted:
			work = append(work, staged{name: name, remove: true})
		case changed, retyped:
			if e.IntentToAdd && a.intent {
				continue
			}
			work = append(work, staged{name: name, entry: a.entry(name, info, e.Mode)})
		}
	}
	for _, w := range work {
		if w.remove {
			a.say("remove", w.name)
			if !a.dry {
				idx.Remove(w.name)
			}
			continue
		}
		a.say("add", w.name)
		if !a.dry {
			idx.Put(w.entry)
		}
	}
}

// entry stores a file of the working tree and returns its entry.
func (a *adder) entry(name string, info sys.Info, before object.Mode) index.Entry {
	e := index.Entry{Name: name, Mode: a.r.modeOf(info, before)}
	data, err := a.r.readWork(name, info)
	if errors.Is(err, object.ErrTooLarge) {
		a.r.g.die("%s: file is too large to be added (the limit is %d MiB)", name, object.MaxSize>>20)
	}
	if err != nil {
		a.r.g.errorf("error: open(\"%s\"): %s\n", name, strerror(err))
		a.r.g.errorf("error: unable to index file '%s'\n", name)
		a.r.g.die("adding files failed")
	}
	if a.dry {
		return e
	}
	if e.ID, err = a.r.db.Write(object.BlobKind, data); err != nil {
		a.r.g.dieErr(err)
	}
	e.SetStat(info)
	return e
}

// newFiles adds what was not tracked.
func (a *adder) newFiles() int {
	look := scan{r: a.r, specs: a.specs, all: true, everything: a.force}
	look.run()
	if status := a.checkSpecs(look.files); status != 0 {
		return status
	}
	var entries []index.Entry
	for _, name := range look.files {
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			entries = append(entries, a.nested(dir)...)
			continue
		}
		if !object.ValidPath(name) {
			a.r.g.die("invalid path '%s'", name)
		}
		info, err := a.r.lstat(name)
		if err != nil {
			continue
		}
		a.say("add", name)
		if a.intent {
			empty := index.Entry{Name: name, Mode: a.r.modeOf(info, 0), IntentToAdd: true, ID: object.Hash(object.BlobKind, nil)}
			_, err := a.r.db.Write(object.BlobKind, nil)
			a.r.g.check(err)
			entries = append(entries, empty)
			continue
		}
		entries = append(entries, a.entry(name, info, 0))
	}
	if !a.dry {
		a.putAll(entries)
	}
	return 0
}

// putAll adds entries; many at once are sorted in rather than inserted one by one.
func (a *adder) putAll(entries []index.Entry) {
	const few = 64
	idx := a.r.index()
	if len(entries) <= few {
		for _, e := range entries {
			idx.Put(e)
		}
		return
	}
	fresh := map[string]bool{}
	dirs := map[string]bool{}
	for i := range entries {
		fresh[entries[i].Name] = true
		for d := path.Dir(entries[i].Name); d != "." && !dirs[d]; d = path.Dir(d) {
			dirs[d] = true
		}
	}
	idx.Entries = slices.DeleteFunc(idx.Entries, func(e index.Entry) bool {
		if fresh[e.Name] || dirs[e.Name] {
			return true
		}
		for d := path.Dir(e.Name); d != "."; d = path.Dir(d) {
			if fresh[d] {
				return true
			}
		}
		return false
	})
	idx.Entries = append(idx.Entries, entries...)
	idx.Sort()
}

// nested adds another repository in the working tree as git does: by the commit that it is at.
func (a *adder) nested(dir string) []index.Entry {
	gitDir := a.r.path(dir) + "/.git"
	if link, ok := followLink(gitDir); ok {
		gitDir = link
	}
	other, err := a.r.g.peek(gitDir)
	if err != nil {
		a.r.g.errorf("error: '%s/' does not have a commit checked out\n", dir)
		a.r.g.die("adding files failed")
	}
	a.r.g.errorf("warning: adding embedded git repository: %s\n", dir)
	a.say("add", dir)
	info, err := sys.Lstat(a.r.path(dir))
	a.r.g.check(err)
	e := index.Entry{Name: dir, Mode: object.SubmoduleMode, ID: other}
	e.SetStat(info)
	return []index.Entry{e}
}

// checkSpecs makes sure that every pathspec meant something.
func (a *adder) checkSpecs(found []string) int {
	var ignored []string
	for i := range a.specs {
		s := &a.specs[i]
		if s.Path == "" || s.Excludes() || a.specMatches(s, found) {
			continue
		}
		info, err := sys.Lstat(a.r.path(s.Path))
		if err == nil && a.r.ignore().Path(s.Path, info.IsDir()) {
			ignored = append(ignored, a.ignoredName(s.Path))
			continue
		}
		if err == nil && info.IsDir() {
			continue
		}
		if dir := path.Dir(s.Path); err == nil && !a.r.realDir(dir) {
			a.r.g.die("pathspec '%s' is beyond a symbolic link", s.Original)
		}
		a.r.g.die("pathspec '%s' did not match any files", s.Original)
	}
	if len(ignored) == 0 {
		return 0
	}
	a.r.g.errorf("The following paths are ignored by one of your .gitignore files:\n")
	for _, name := range slices.Compact(ignored) {
		a.r.g.errorf("%s\n", name)
	}
	a.r.g.hint("Use -f if you really want to add them.\nTurn this message off by running\n\"git config advice.addIgnoredFile false\"")
	return 1
}

// ignoredName is the path, or the directory above it, that the rule is about.
func (a *adder) ignoredName(name string) string {
	for i := range len(name) {
		if name[i] == '/' && a.r.ignore().Entry(name[:i], true) {
			return name[:i]
		}
	}
	return name
}

func (a *adder) specMatches(s *match.Spec, found []string) bool {
	for _, f := range found {
		if s.Match(f) || s.Match(strings.TrimSuffix(f, "/")) {
			return true
		}
	}
	return slices.ContainsFunc(a.tracked, s.Match)
}

// chmod makes files executable in the index, or not.
func (a *adder) chmod(mode string) {
	if mode != "+x" && mode != "-x" {
		a.r.g.die("--chmod param '%s' must be either -x or +x", mode)
	}
	idx := a.r.index()
	for i := range idx.Entries {
		e := &idx.Entries[i]
		if e.Mode.IsRegular() && match.Match(a.specs, e.Name) {
			e.Mode = object.FileMode
			if mode == "+x" {
				e.Mode = object.ExecMode
			}
		}
	}
}
