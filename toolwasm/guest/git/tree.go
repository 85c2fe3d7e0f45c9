package git

import (
	"io/fs"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
)

func isFileType(mode fs.FileMode) bool { return mode.IsRegular() || mode&fs.ModeSymlink != 0 }

// file is one file of a tree.
type file struct {
	path string
	mode object.Mode
	id   object.ID
}

// flatten lists the files of a tree and those below it, in order of their paths.
func (r *repo) flatten(tree object.ID) []file {
	var list []file
	r.walkTree(tree, "", 0, func(f file) bool {
		if !f.mode.IsDir() {
			list = append(list, f)
		}
		return true
	})
	return list
}

// walkTree calls f for every entry below a tree; directories are entered when f says so.
func (r *repo) walkTree(tree object.ID, prefix string, depth int, f func(file) bool) {
	if depth > object.MaxTreeDepth {
		r.g.die("exceeded maximum allowed tree depth")
	}
	entries, err := r.db.Tree(tree)
	r.g.check(err)
	for _, e := range entries {
		r.g.step()
		entry := file{prefix + e.Name, e.Mode, e.ID}
		if f(entry) && e.Mode.IsDir() {
			r.walkTree(e.ID, entry.path+"/", depth+1, f)
		}
	}
}

// lookup finds what a path names in a tree.
func (r *repo) lookup(tree object.ID, name string) (file, bool) {
	if name == "" {
		return file{"", object.DirMode, tree}, true
	}
	at := file{"", object.DirMode, tree}
	for part := range strings.SplitSeq(name, "/") {
		if !at.mode.IsDir() {
			return file{}, false
		}
		entries, err := r.db.Tree(at.id)
		if err != nil {
			return file{}, false
		}
		found := false
		for _, e := range entries {
			if e.Name == part {
				at, found = file{name, e.Mode, e.ID}, true
				break
			}
		}
		if !found {
			return file{}, false
		}
	}
	return at, true
}

// treeOf returns the tree of a commit.
func (r *repo) treeOf(commit object.ID) object.ID {
	c, err := r.db.Commit(commit)
	r.g.check(err)
	return c.Tree
}

// headTree returns the tree of HEAD, or the empty one before the first commit.
func (r *repo) headTree() object.ID {
	if id, ok := r.head(); ok {
		return r.treeOf(id)
	}
	return object.EmptyTree()
}

// diffTrees lists the changes between two trees, without looking into what is equal.
func (r *repo) diffTrees(a, b object.ID, specs []match.Spec) []change {
	var list []change
	r.diffTree(a, b, "", 0, specs, &list)
	return list
}

func (r *repo) diffTree(a, b object.ID, prefix string, depth int, specs []match.Spec, list *[]change) {
	if a == b {
		return
	}
	if depth > object.MaxTreeDepth {
		r.g.die("exceeded maximum allowed tree depth")
	}
	x, err := r.entries(a)
	r.g.check(err)
	y, err := r.entries(b)
	r.g.check(err)
	for len(x) > 0 || len(y) > 0 {
		r.g.step()
		c := 0
		switch {
		case len(x) == 0:
			c = 1
		case len(y) == 0:
			c = -1
		default:
			c = compareEntries(x[0], y[0])
		}
		switch {
		case c < 0:
			r.oneSided(x[0], prefix, depth, specs, list, true)
			x = x[1:]
		case c > 0:
			r.oneSided(y[0], prefix, depth, specs, list, false)
			y = y[1:]
		default:
			r.pair(x[0], y[0], prefix, depth, specs, list)
			x, y = x[1:], y[1:]
		}
	}
}

func (r *repo) entries(id object.ID) ([]object.Entry, error) {
	if id.IsZero() {
		return nil, nil
	}
	return r.db.Tree(id)
}

// compareEntries orders entries as trees do.
func compareEntries(a, b object.Entry) int {
	x, y := a.Name, b.Name
	if a.Mode.IsDir() {
		x += "/"
	}
	if b.Mode.IsDir() {
		y += "/"
	}
	return strings.Compare(x, y)
}

func (r *repo) oneSided(e object.Entry, prefix string, depth int, specs []match.Spec, list *[]change, gone bool) {
	name := prefix + e.Name
	if e.Mode.IsDir() {
		if !match.MayMatchUnder(specs, name) {
			return
		}
		if gone {
			r.diffTree(e.ID, object.ID{}, name+"/", depth+1, specs, list)
		} else {
			r.diffTree(object.ID{}, e.ID, name+"/", depth+1, specs, list)
		}
		return
	}
	if !match.Match(specs, name) {
		return
	}
	side := version{path: name, mode: e.Mode, id: e.ID}
	if gone {
		*list = append(*list, change{status: 'D', old: side, new: version{path: name}})
	} else {
		*list = append(*list, change{status: 'A', old: version{path: name}, new: side})
	}
}

func (r *repo) pair(a, b object.Entry, prefix string, depth int, specs []match.Spec, list *[]change) {
	if a.ID == b.ID && a.Mode == b.Mode {
		return
	}
	name := prefix + a.Name
	if a.Mode.IsDir() && b.Mode.IsDir() {
		if match.MayMatchUnder(specs, name) {
			r.diffTree(a.ID, b.ID, name+"/", depth+1, specs, list)
		}
		return
	}
	if !match.Match(specs, name) {
		return
	}
	*list = append(*list, modified(
		version{path: name, mode: a.Mode, id: a.ID}, version{path: name, mode: b.Mode, id: b.ID}))
}

func modified(a, b version) change {
	status := byte('M')
	if a.mode.Type() != b.mode.Type() {
		status = 'T'
	}
	return change{status: status, old: a, new: b}
}

// diffIndex lists how the index differs from a tree. Unmerged entries are left to the caller.
func (r *repo) diffIndex(tree object.ID, specs []match.Spec) []change {
	files := r.flatten(tree)
	idx := r.index()
	var list []change
	i, j := 0, 0
	for i < len(files) || j < len(idx.Entries) {
		r.g.step()
		if j < len(idx.Entries) && idx.Entries[j].IntentToAdd {
			j++
			continue
		}
		c := 0
		switch {
		case i == len(files):
			c = 1
		case j == len(idx.Entries):
			c = -1
		default:
			c = strings.Compare(files[i].path, idx.Entries[j].Name)
		}
		switch {
		case c < 0:
			f := files[i]
			i++
			if match.Match(specs, f.path) {
				list = append(list, change{status: 'D', old: version{path: f.path, mode: f.mode, id: f.id}, new: version{path: f.path}})
			}
		case c > 0:
			e := &idx.Entries[j]
			j++
			if e.Stage == index.Merged && match.Match(specs, e.Name) {
				list = append(list, change{status: 'A', old: version{path: e.Name}, new: entryVersion(e)})
			}
		default:
			f, e := files[i], &idx.Entries[j]
			i++
			j++
			if e.Stage != index.Merged {
				for j < len(idx.Entries) && idx.Entries[j].Name == f.path {
					j++
				}
				continue
			}
			if (f.id != e.ID || f.mode != e.Mode) && match.Match(specs, f.path) {
				list = append(list, modified(version{path: f.path, mode: f.mode, id: f.id}, entryVersion(e)))
			}
		}
	}
	return list
}

func entryVersion(e *index.Entry) version { return version{path: e.Name, mode: e.Mode, id: e.ID} }

// diffWork lists how the working tree differs from the index.
func (r *repo) diffWork(specs []match.Spec) []change {
	idx := r.index()
	var list []change
	save := false
	for i := range idx.Entries {
		e := &idx.Entries[i]
		if !match.Match(specs, e.Name) {
			continue
		}
		if e.Stage != index.Merged {
			if len(list) == 0 || list[len(list)-1].new.path != e.Name || list[len(list)-1].status != 'U' {
				list = append(list, change{status: 'U', old: version{path: e.Name, mode: e.Mode}, new: version{path: e.Name}})
			}
			continue
		}
		state, info, touched := r.compareWork(e)
		save = save || touched
		old := entryVersion(e)
		if e.IntentToAdd && state != deleted {
			list = append(list, change{status: 'A', old: version{path: e.Name}, new: version{path: e.Name, mode: r.modeOf(info, e.Mode), work: true}})
			continue
		}
		switch state {
		case deleted:
			list = append(list, change{status: 'D', old: old, new: version{path: e.Name}})
		case changed, retyped:
			list = append(list, modified(old, version{path: e.Name, mode: r.modeOf(info, e.Mode), work: true}))
		}
	}
	if save {
		r.trySaveIndex()
	}
	return list
}

// diffTreeWork lists how the working tree differs from a tree, for what the index has or the tree does.
func (r *repo) diffTreeWork(tree object.ID, specs []match.Spec) []change {
	staged := r.diffIndex(tree, specs)
	byPath := map[string]int{}
	for i, c := range staged {
		byPath[c.new.path] = i
	}
	gone := map[int]bool{}
	var extra []change
	for _, w := range r.diffWork(specs) {
		i, ok := byPath[w.new.path]
		if !ok {
			if w.status == 'U' {
				if f, found := r.lookup(tree, w.new.path); found {
					w.old = version{path: f.path, mode: f.mode, id: f.id}
				}
			}
			extra = append(extra, w)
			continue
		}
		c := &staged[i]
		switch {
		case w.status == 'D' && c.status == 'A':
			gone[i] = true
		case w.status == 'D':
			c.status, c.new = 'D', version{path: w.new.path}
		case c.status == 'A':
			c.new = w.new
		default:
			*c = modified(c.old, w.new)
			if data, err := r.content(&c.new); err == nil && c.old.mode == c.new.mode &&
				object.Hash(object.BlobKind, data) == c.old.id {
				gone[i] = true
			}
		}
	}
	var list []change
	for i, c := range staged {
		if !gone[i] {
			list = append(list, c)
		}
	}
	list = append(list, extra...)
	sortChanges(list)
	return list
}

// writeTree stores the index as trees and returns the name of the top one.
func (r *repo) writeTree() object.ID {
	idx := r.index()
	if names := idx.Unmerged(); len(names) > 0 {
		r.g.die("error building trees: %s: unmerged", names[0])
	}
	return r.buildTree(idx.Entries, "", 0)
}

// buildTree stores the entries below a directory, which are given in order.
func (r *repo) buildTree(entries []index.Entry, prefix string, depth int) object.ID {
	if depth > object.MaxTreeDepth {
		r.g.die("exceeded maximum allowed tree depth")
	}
	var list []object.Entry
	for i := 0; i < len(entries); {
		r.g.step()
		e := &entries[i]
		rest := e.Name[len(prefix):]
		dir, _, nested := strings.Cut(rest, "/")
		if !nested {
			if !e.IntentToAdd {
				list = append(list, object.Entry{Mode: e.Mode, Name: rest, ID: e.ID})
			}
			i++
			continue
		}
		below := prefix + dir + "/"
		j := i
		for j < len(entries) && strings.HasPrefix(entries[j].Name, below) {
			j++
		}
		id := r.buildTree(entries[i:j], below, depth+1)
		if id != object.EmptyTree() {
			list = append(list, object.Entry{Mode: object.DirMode, Name: dir, ID: id})
		}
		i = j
	}
	id, err := r.db.Write(object.TreeKind, object.EncodeTree(list))
	r.g.check(err)
	return id
}

// withUnmerged adds the conflicts of the index to changes.
func (r *repo) withUnmerged(list []change, specs []match.Spec) []change {
	for _, name := range r.index().Unmerged() {
		if match.Match(specs, name) {
			list = append(list, change{status: 'U', old: version{path: name}, new: version{path: name}})
		}
	}
	sortChanges(list)
	return list
}
