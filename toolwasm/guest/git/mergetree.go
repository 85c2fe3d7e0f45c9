package git

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/xdiff"
)

// mergeLabels name the sides in conflicts and messages.
type mergeLabels struct{ ours, base, theirs string }

// mergeOptions are what -X says.
type mergeOptions struct {
	favor xdiff.Favor
	flags xdiff.Flags
}

// merged is what a merge of three trees came to.
type merged struct {
	r         *repo
	tree      object.ID // with conflicts as they are in the working tree
	conflicts map[string][4]*file
	messages  []mergeMessage
}

// mergeMessage tells of one path.
type mergeMessage struct{ path, text string }

func (m *merged) say(path, format string, args ...any) {
	m.messages = append(m.messages, mergeMessage{path, fmt.Sprintf(format, args...)})
}

// print tells of everything, by path.
func (m *merged) print() {
	slices.SortStableFunc(m.messages, func(a, b mergeMessage) int { return strings.Compare(a.path, b.path) })
	for _, msg := range m.messages {
		m.r.g.print(msg.text + "\n")
	}
}

// names lists the paths in conflict.
func (m *merged) names() []string {
	var names []string
	for n := range m.conflicts {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// stage puts the conflicts into the index.
func (m *merged) stage() {
	idx := m.r.index()
	for _, name := range m.names() {
		stages := m.conflicts[name]
		idx.Remove(name)
		for i := index.Base; i <= index.Theirs; i++ {
			if f := stages[i]; f != nil {
				idx.Put(index.Entry{Name: name, Mode: f.mode, ID: f.id, Stage: i})
			}
		}
	}
}

// merger merges three trees.
type merger struct {
	*merged
	base, ours, theirs map[string]file
	labels             mergeLabels
	opt                mergeOptions
	result             map[string]file
	done               map[string]bool
}

func (r *repo) fileMap(tree object.ID) map[string]file {
	m := map[string]file{}
	for _, f := range r.flatten(tree) {
		m[f.path] = f
	}
	return m
}

// mergeTrees merges what two trees made of a third.
func (r *repo) mergeTrees(base, ours, theirs object.ID, labels mergeLabels, opt mergeOptions) *merged {
	m := &merger{
		merged: &merged{r: r, conflicts: map[string][4]*file{}},
		base:   r.fileMap(base), ours: r.fileMap(ours), theirs: r.fileMap(theirs),
		labels: labels, opt: opt, result: map[string]file{}, done: map[string]bool{},
	}
	limit := renameLimit{score: defaultScore, limit: 7 * renameMatrix}
	oursRenamed := renamesOf(r.detectRenames(r.diffTrees(base, ours, nil), limit))
	theirsRenamed := renamesOf(r.detectRenames(r.diffTrees(base, theirs, nil), limit))
	m.renames(oursRenamed, theirsRenamed)
	m.rest()
	m.tree = m.build()
	return m.merged
}

// renamesOf maps old names to new ones.
func renamesOf(list []change) map[string]string {
	m := map[string]string{}
	for _, c := range list {
		if c.status == 'R' {
			m[c.old.path] = c.new.path
		}
	}
	return m
}

// renames merges files that one side has moved with what the other made of them.
func (m *merger) renames(ours, theirs map[string]string) {
	names := map[string]bool{}
	for n := range ours {
		names[n] = true
	}
	for n := range theirs {
		names[n] = true
	}
	sorted := make([]string, 0, len(names))
	for n := range names {
		sorted = append(sorted, n)
	}
	slices.Sort(sorted)
	for _, old := range sorted {
		a, byUs := ours[old]
		b, byThem := theirs[old]
		switch {
		case byUs && byThem && a == b:
			m.threeWay(a, m.get(m.base, old), m.get(m.ours, a), m.get(m.theirs, a), old)
		case byUs && byThem:
			m.bothRenamed(old, a, b)
		case byUs:
			m.oneRenamed(old, a, m.ours, m.theirs, true)
		default:
			m.oneRenamed(old, b, m.theirs, m.ours, false)
		}
		m.done[old] = true
	}
}

func (m *merger) get(side map[string]file, name string) *file {
	if f, ok := side[name]; ok {
		return &f
	}
	return nil
}

// oneRenamed merges a file that one side moved.
func (m *merger) oneRenamed(old, now string, mover, other map[string]file, byUs bool) {
	moved, kept := m.get(mover, now), m.get(other, old)
	base := m.get(m.base, old)
	if _, taken := other[now]; taken { // something else came to be there
		m.done[old] = false
		return
	}
	if kept == nil {
		stages := [4]*file{index.Base: base}
		side, away, other := index.Ours, m.labels.ours, m.labels.theirs
		if !byUs {
			side, away, other = index.Theirs, m.labels.theirs, m.labels.ours
		}
		stages[side] = moved
		m.conflict(now, stages, *moved)
		m.say(now, "CONFLICT (rename/delete): %s renamed to %s in %s, but deleted in %s.", old, now, away, other)
		if moved.id != base.id {
			m.say(now, "CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of %s left in tree.",
				now, other, away, away, now)
		}
		return
	}
	if byUs {
		m.threeWay(now, base, moved, kept, old)
	} else {
		m.threeWay(now, base, kept, moved, old)
	}
}

// bothRenamed is a file that has two new names.
func (m *merger) bothRenamed(old, a, b string) {
	base, x, y := m.get(m.base, old), m.get(m.ours, a), m.get(m.theirs, b)
	data, _, mode := m.mergeContent(old, base, x, y)
	f := file{mode: mode, id: m.store(data)}
	m.conflicts[old] = [4]*file{index.Base: base}
	m.conflict(a, [4]*file{index.Ours: {a, f.mode, f.id}}, file{a, f.mode, f.id})
	m.conflict(b, [4]*file{index.Theirs: {b, f.mode, f.id}}, file{b, f.mode, f.id})
	m.say(old, "CONFLICT (rename/rename): %s renamed to %s in %s and to %s in %s.", old, a, m.labels.ours, b, m.labels.theirs)
}

// rest merges everything that was not moved.
func (m *merger) rest() {
	names := map[string]bool{}
	for _, side := range []map[string]file{m.base, m.ours, m.theirs} {
		for n := range side {
			names[n] = true
		}
	}
	sorted := make([]string, 0, len(names))
	for n := range names {
		if !m.done[n] {
			sorted = append(sorted, n)
		}
	}
	slices.Sort(sorted)
	for _, n := range sorted {
		m.r.g.step()
		m.threeWay(n, m.get(m.base, n), m.get(m.ours, n), m.get(m.theirs, n), n)
	}
}

func sameFile(a, b *file) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.id == b.id && a.mode == b.mode
}

func (m *merger) put(name string, f *file) {
	m.done[name] = true
	if f != nil {
		m.result[name] = file{name, f.mode, f.id}
	}
}

func (m *merger) conflict(name string, stages [4]*file, shown file) {
	m.done[name] = true
	m.conflicts[name] = stages
	m.result[name] = file{name, shown.mode, shown.id}
}

// threeWay merges one file; it is at name in the result, and was at old.
func (m *merger) threeWay(name string, base, ours, theirs *file, old string) {
	switch {
	case sameFile(ours, theirs):
		m.put(name, ours)
	case sameFile(base, ours) && theirs == nil || sameFile(base, theirs) && ours == nil:
		m.done[name] = true
	case sameFile(base, ours):
		m.put(name, theirs)
	case sameFile(base, theirs):
		m.put(name, ours)
	case ours == nil:
		m.conflict(name, [4]*file{index.Base: base, index.Theirs: theirs}, *theirs)
		m.say(name, "CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of %s left in tree.",
			name, m.labels.ours, m.labels.theirs, m.labels.theirs, name)
	case theirs == nil:
		m.conflict(name, [4]*file{index.Base: base, index.Ours: ours}, *ours)
		m.say(name, "CONFLICT (modify/delete): %s deleted in %s and modified in %s.  Version %s of %s left in tree.",
			name, m.labels.theirs, m.labels.ours, m.labels.ours, name)
	default:
		m.bothChanged(name, base, ours, theirs, old)
	}
}

func (m *merger) bothChanged(name string, base, ours, theirs *file, old string) {
	if ours.mode.Type() != theirs.mode.Type() {
		m.conflict(name, [4]*file{index.Base: base, index.Ours: ours, index.Theirs: theirs}, *ours)
		m.say(name, "CONFLICT (distinct types): %s had different types on each side; ours was left in the tree.", name)
		return
	}
	if !ours.mode.IsRegular() {
		m.conflict(name, [4]*file{index.Base: base, index.Ours: ours, index.Theirs: theirs}, *ours)
		kind := "content"
		if base == nil {
			kind = "add/add"
		}
		if ours.mode.IsSubmodule() {
			kind = "submodule"
		}
		m.say(name, "CONFLICT (%s): Merge conflict in %s", kind, name)
		return
	}
	if ours.id == theirs.id { // modes alone differ
		mode := ours.mode
		if base != nil && base.mode == ours.mode {
			mode = theirs.mode
		}
		m.put(name, &file{name, mode, ours.id})
		return
	}
	if base != nil && base.id == ours.id || base != nil && base.id == theirs.id {
		data, _, mode := m.mergeContent(name, base, ours, theirs)
		m.put(name, &file{name, mode, m.store(data)})
		return
	}
	data, clean, mode := m.mergeContentAt(name, old, base, ours, theirs)
	m.say(name, "Auto-merging %s", name)
	f := file{name, mode, m.store(data)}
	if clean {
		m.put(name, &f)
		return
	}
	kind := "content"
	if base == nil {
		kind = "add/add"
	}
	m.conflict(name, [4]*file{index.Base: base, index.Ours: ours, index.Theirs: theirs}, f)
	m.say(name, "CONFLICT (%s): Merge conflict in %s", kind, name)
}

func (m *merger) store(data []byte) object.ID {
	id, err := m.r.db.Write(object.BlobKind, data)
	m.r.g.check(err)
	return id
}

func (m *merger) mergeContent(name string, base, ours, theirs *file) ([]byte, bool, object.Mode) {
	return m.mergeContentAt(name, name, base, ours, theirs)
}

// mergeContentAt merges the text of a file; when it moved, the sides are told apart by its names.
func (m *merger) mergeContentAt(name, old string, base, ours, theirs *file) ([]byte, bool, object.Mode) {
	read := func(f *file) []byte {
		if f == nil {
			return nil
		}
		data, err := m.r.db.Blob(f.id)
		m.r.g.check(err)
		return data
	}
	mode := ours.mode
	if base != nil && base.mode == ours.mode {
		mode = theirs.mode
	}
	a, x, y := read(base), read(ours), read(theirs)
	if isBinary(a) || isBinary(x) || isBinary(y) {
		switch {
		case base != nil && base.id == ours.id:
			return y, true, mode
		case base != nil && base.id == theirs.id:
			return x, true, mode
		}
		m.say(name, "warning: Cannot merge binary files: %s (%s vs. %s)", name, m.labels.ours, m.labels.theirs)
		switch m.opt.favor {
		case xdiff.FavorTheirs:
			return y, true, mode
		case xdiff.FavorOurs:
			return x, true, mode
		}
		return x, false, mode
	}
	labels := m.labels
	if old != name {
		if ours.path != theirs.path {
			labels.ours += ":" + ours.path
			labels.theirs += ":" + theirs.path
			labels.base += ":" + old
		}
	}
	data, conflicts := m.r.mergeText(a, x, y, labels, m.opt)
	return data, conflicts == 0, mode
}

// mergeText merges three texts, with conflicts shown as the configuration says.
func (r *repo) mergeText(base, ours, theirs []byte, labels mergeLabels, opt mergeOptions) ([]byte, int) {
	style := xdiff.StyleMerge
	if s := r.cfg.str("merge.conflictstyle", "merge"); s == "diff3" || s == "zdiff3" {
		style = xdiff.StyleDiff3
	}
	return xdiff.Merge(base, ours, theirs, xdiff.MergeOptions{
		Ours: labels.ours, Base: labels.base, Theirs: labels.theirs, Style: style, Favor: opt.favor, Flags: opt.flags,
	}, r.g.step)
}

// build stores the result as a tree. A file that stands where a directory is needed gets another name.
func (m *merger) build() object.ID {
	x := &index.Index{}
	names := make([]string, 0, len(m.result))
	for n := range m.result {
		names = append(names, n)
	}
	slices.Sort(names)
	dirs := map[string]bool{}
	for _, n := range names {
		for i := range len(n) {
			if n[i] == '/' {
				dirs[n[:i]] = true
			}
		}
	}
	for _, n := range names {
		f := m.result[n]
		if dirs[n] {
			side := m.labels.ours
			if sameFile(m.get(m.theirs, n), &f) {
				side = m.labels.theirs
			}
			to := n + "~" + strings.ReplaceAll(side, "/", "_")
			m.say(n, "CONFLICT (file/directory): directory in the way of %s from %s; moving it to %s instead.", n, side, to)
			stages := m.conflicts[n]
			delete(m.conflicts, n)
			if stages == ([4]*file{}) {
				stages[index.Ours] = &f
			}
			m.conflicts[to] = stages
			f.path = to
		}
		x.Entries = append(x.Entries, index.Entry{Name: f.path, Mode: f.mode, ID: f.id})
	}
	x.Sort()
	return m.r.buildTree(x.Entries, "", 0)
}

// mergeBase returns the tree that two commits come from. Of several common ancestors one is made.
func (r *repo) mergeBaseTree(bases []object.ID, depth int) (object.ID, string) {
	switch {
	case len(bases) == 0:
		return object.EmptyTree(), "empty tree"
	case len(bases) == 1:
		return r.treeOf(bases[0]), r.db.Abbrev(bases[0], r.abbrevLen())
	}
	const deepest = 10
	tree := r.treeOf(bases[0])
	for _, b := range bases[1:] {
		below := object.EmptyTree()
		if depth < deepest {
			below, _ = r.mergeBaseTree(r.mergeBases(bases[0], b), depth+1)
		}
		m := r.mergeTrees(below, tree, r.treeOf(b), mergeLabels{"Temporary merge branch 1", "merged common ancestors", "Temporary merge branch 2"}, mergeOptions{})
		tree = m.tree
	}
	return tree, "merged common ancestors"
}

// conflictNote lists conflicts at the end of a message.
func conflictNote(names []string) string {
	if len(names) == 0 {
		return ""
	}
	var b bytes.Buffer
	b.WriteString("\n# Conflicts:\n")
	for _, n := range names {
		b.WriteString("#\t" + n + "\n")
	}
	return b.String()
}
