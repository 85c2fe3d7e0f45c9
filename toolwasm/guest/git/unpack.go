package git

import (
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/sys"
)

// transition takes the index and the working tree from one tree to another, keeping changes of the user's that it does not
// touch. Nothing is changed when something would be lost.
type transition struct {
	r         *repo
	from, to  map[string]file
	operation string // in messages: checkout, merge
	before    string // what the user does when changes are out of the way
	force     bool   // changes may be lost

	dirty, untracked []string
	lost             []string // directories with untracked files where a file is to be
	writes           []file
	removes          []string
}

// newTransition prepares to go from one tree to another.
func (r *repo) newTransition(from, to object.ID, operation, before string) *transition {
	t := &transition{r: r, operation: operation, before: before, from: map[string]file{}, to: map[string]file{}}
	for _, f := range r.flatten(from) {
		t.from[f.path] = f
	}
	for _, f := range r.flatten(to) {
		t.to[f.path] = f
	}
	return t
}

// names lists every path that either tree or the index has.
func (t *transition) names() []string {
	set := map[string]bool{}
	for n := range t.from {
		set[n] = true
	}
	for n := range t.to {
		set[n] = true
	}
	if t.force {
		for i := range t.r.index().Entries {
			set[t.r.idx.Entries[i].Name] = true
		}
	}
	names := make([]string, 0, len(set))
	for n := range set {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// plan decides what is to be done, and what stands in the way.
func (t *transition) plan() {
	for _, name := range t.names() {
		t.r.g.step()
		if t.force {
			t.planForced(name)
			continue
		}
		a, inFrom := t.from[name]
		b, inTo := t.to[name]
		if inFrom && inTo && a.id == b.id && a.mode == b.mode {
			continue
		}
		t.planOne(name, a, inFrom, b, inTo)
	}
}

func (t *transition) planOne(name string, a file, inFrom bool, b file, inTo bool) {
	e := t.r.index().Get(name)
	switch {
	case e == nil && t.r.index().Has(name): // a conflict
		t.dirty = append(t.dirty, name)
	case e == nil && !inTo:
	case e == nil && inFrom:
		t.dirty = append(t.dirty, name) // removed from the index by the user
	case e == nil:
		if t.inTheWay(name) {
			t.untracked = append(t.untracked, name)
		}
		t.writes = append(t.writes, b)
	case inTo && e.ID == b.id && e.Mode == b.mode:
	case inFrom && e.ID == a.id && e.Mode == a.mode:
		if state, _, _ := t.r.compareWork(e); state != same && state != deleted {
			t.dirty = append(t.dirty, name)
		}
		if inTo {
			t.writes = append(t.writes, b)
		} else {
			t.removes = append(t.removes, name)
		}
	default:
		t.dirty = append(t.dirty, name)
	}
}

// inTheWay reports whether a file that is not tracked would be lost.
func (t *transition) inTheWay(name string) bool {
	info, err := t.r.lstat(name)
	if err != nil {
		return t.fileAbove(name)
	}
	if info.IsDir() { // its tracked files go; what is not tracked would be lost
		look := scan{r: t.r, specs: []match.Spec{match.Exact(name)}, all: true}
		look.run()
		if len(look.files) > 0 {
			t.lost = append(t.lost, name)
		}
		return false
	}
	if !t.r.index().Has(name) && t.r.ignore().Path(name, false) {
		return false
	}
	return true
}

// fileAbove reports whether an untracked file stands where a directory is to be.
func (t *transition) fileAbove(name string) bool {
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		info, err := sys.Lstat(t.r.path(name[:i]))
		if err == nil {
			return !info.IsDir() && !t.r.index().Has(name[:i])
		}
	}
	return false
}

func (t *transition) planForced(name string) {
	b, inTo := t.to[name]
	e := t.r.index().Get(name)
	if !inTo {
		t.removes = append(t.removes, name)
		return
	}
	if e != nil && e.ID == b.id && e.Mode == b.mode {
		if state, _, _ := t.r.compareWork(e); state == same {
			return
		}
	}
	t.writes = append(t.writes, b)
}

// report tells what stands in the way.
func (t *transition) report() {
	g := t.r.g
	tell := func(names []string, what, hint string) {
		if len(names) == 0 {
			return
		}
		g.errorf("error: %s would be overwritten by %s:\n", what, t.operation)
		for _, n := range names {
			g.errorf("\t%s\n", n)
		}
		g.errorf("%s before you %s.\n", hint, t.before)
	}
	tell(t.dirty, "Your local changes to the following files", "Please commit your changes or stash them")
	tell(t.untracked, "The following untracked working tree files", "Please move or remove them")
	if len(t.lost) > 0 {
		g.errorf("error: Updating the following directories would lose untracked files in them:\n\t%s\n\n", strings.Join(t.lost, "\n\t"))
	}
}

// refuse ends the program when something stands in the way.
func (t *transition) refuse() { t.refuseWith(1, "Aborting\n") }

// refuseWith is refuse with a status and a last word.
func (t *transition) refuseWith(status int, last string) {
	if !t.blocked() {
		return
	}
	t.report()
	t.r.g.errorf("%s", last)
	t.r.g.close()
	t.r.g.p.Exit(status)
}

// blocked reports whether something stands in the way.
func (t *transition) blocked() bool { return len(t.dirty)+len(t.untracked)+len(t.lost) > 0 }

// apply does what was planned, and saves the index.
func (t *transition) apply() {
	r := t.r
	idx := r.index()
	for _, f := range t.writes {
		if !object.ValidPath(f.path) {
			r.g.errorf("error: invalid path '%s'\n", f.path)
			r.g.close()
			r.g.p.Exit(statusFatal)
		}
	}
	gone := map[string]bool{}
	for _, name := range t.removes {
		r.g.check(r.removeWork(name))
		gone[name] = true
	}
	fresh := map[string]bool{}
	var entries []index.Entry
	for _, f := range t.writes {
		info, err := r.writeWork(f.path, f.mode, f.id)
		r.g.check(err)
		e := index.Entry{Name: f.path, Mode: f.mode, ID: f.id}
		e.SetStat(info)
		entries = append(entries, e)
		fresh[f.path] = true
	}
	idx.Entries = slices.DeleteFunc(idx.Entries, func(e index.Entry) bool { return gone[e.Name] || fresh[e.Name] })
	idx.Entries = append(idx.Entries, entries...)
	idx.Sort()
	r.saveIndex()
}

// resetHard makes the index and the working tree those of a tree.
func (r *repo) resetHard(tree object.ID) {
	r.lockIndex()
	t := r.newTransition(object.EmptyTree(), tree, "reset", "")
	t.force = true
	t.plan()
	t.apply()
}

// readTree makes the index that of a tree; what the working tree has is not touched.
func (r *repo) readTree(tree object.ID) {
	old := map[string]index.Entry{}
	for _, e := range r.index().Entries {
		if e.Stage == index.Merged {
			old[e.Name] = e
		}
	}
	var entries []index.Entry
	for _, f := range r.flatten(tree) {
		e, ok := old[f.path]
		if !ok || e.ID != f.id || e.Mode != f.mode || e.IntentToAdd {
			e = index.Entry{Name: f.path, Mode: f.mode, ID: f.id}
		}
		entries = append(entries, e)
	}
	r.idx.Entries = entries
}

// refreshAll takes over what the filesystem says of files that are as their entries say.
func (r *repo) refreshAll() {
	idx := r.index()
	for i := range idx.Entries {
		if e := &idx.Entries[i]; e.Stage == index.Merged {
			r.compareWork(e)
		}
	}
}
