package git

import (
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
)

func cmdLsFiles(g *git) int {
	l := g.parse("cached,c deleted,d modified,m others,o ignored,i stage,s unmerged,u killed,k directory no-empty-directory eol z t v f " +
		"exclude,x= exclude-from,X= exclude-per-directory= exclude-standard error-unmatch full-name abbrev? deduplicate recurse-submodules with-tree= format= debug")
	r := g.openTree()
	specs := r.specs(l.operands())
	if len(specs) == 0 && r.prefix != "" {
		specs = r.specs([]string{"."})
	}
	ls := &lister{r: r, l: l, specs: specs}
	if l.has("others") {
		ls.others()
	}
	if l.has("cached") || l.has("stage") || l.has("unmerged") || !l.has("others") && !l.has("modified") && !l.has("deleted") {
		ls.cached()
	}
	if l.has("modified") || l.has("deleted") {
		ls.changed()
	}
	if l.has("error-unmatch") {
		for i := range specs {
			if !slices.ContainsFunc(ls.shown, specs[i].Match) {
				g.errorf("error: pathspec '%s' did not match any file(s) known to git\nDid you forget to 'git add'?\n", specs[i].Original)
				return 1
			}
		}
	}
	return 0
}

// lister prints files of the index or the working tree.
type lister struct {
	r     *repo
	l     line
	specs []match.Spec
	shown []string
}

func (ls *lister) print(tag, before, name string) {
	ls.shown = append(ls.shown, name)
	shown := name
	if !ls.l.has("full-name") {
		shown = ls.r.display(name)
	}
	end := "\n"
	if ls.l.has("z") {
		end = "\x00"
	} else {
		shown = ls.r.quote(shown)
	}
	if ls.l.has("t") {
		before = tag + " " + before
	}
	ls.r.g.print(before + shown + end)
}

func (ls *lister) others() {
	look := scan{r: ls.r, specs: ls.specs, all: !ls.l.has("directory"), everything: true}
	rules := ls.l.has("exclude-standard") || ls.l.has("exclude") || ls.l.has("exclude-from") || ls.l.has("exclude-per-directory")
	if rules {
		if !ls.l.has("exclude-standard") {
			ls.r.ignores = match.NewIgnores("/nonexistent", false)
		}
		for _, p := range ls.l.all("exclude") {
			ls.r.ignore().Add(p)
		}
		for _, name := range ls.l.all("exclude-from") {
			data, err := ls.r.g.p.ReadFile(name)
			if err != nil {
				ls.r.g.die("cannot use %s as exclude file", name)
			}
			for line := range strings.Lines(string(data)) {
				ls.r.ignore().Add(strings.TrimSuffix(line, "\n"))
			}
		}
		look.everything, look.ignored = false, ls.l.has("ignored")
	}
	look.run()
	list := look.files
	if ls.l.has("ignored") {
		list = look.skipped
	}
	for _, n := range list {
		ls.print("?", "", n)
	}
}

func (ls *lister) cached() {
	idx := ls.r.index()
	last := ""
	for i := range idx.Entries {
		e := &idx.Entries[i]
		if !match.Match(ls.specs, e.Name) || ls.l.has("unmerged") && e.Stage == index.Merged {
			continue
		}
		if ls.l.has("ignored") && !ls.r.ignore().Path(e.Name, false) {
			continue
		}
		if ls.l.has("deduplicate") && e.Name == last {
			continue
		}
		last = e.Name
		before := ""
		if ls.l.has("stage") || ls.l.has("unmerged") {
			id := e.ID.String()
			if a, ok := ls.l.get("abbrev"); ok {
				n := 0
				if a != "" {
					n = ls.r.g.number(a)
				}
				id = ls.r.db.Abbrev(e.ID, n)
			}
			before = e.Mode.String() + " " + id + " " + string(rune('0'+e.Stage)) + "\t"
		}
		tag := "H"
		if e.Stage != index.Merged {
			tag = "M"
		}
		ls.print(tag, before, e.Name)
	}
}

func (ls *lister) changed() {
	idx := ls.r.index()
	for i := range idx.Entries {
		e := &idx.Entries[i]
		if !match.Match(ls.specs, e.Name) {
			continue
		}
		state, _, _ := ls.r.compareWork(e)
		if state == deleted && ls.l.has("deleted") {
			ls.print("R", "", e.Name)
		}
		if state != same && ls.l.has("modified") || e.Stage != index.Merged && ls.l.has("modified") {
			ls.print("C", "", e.Name)
		}
	}
}

func cmdLsTree(g *git) int {
	l := g.parse("r d t long,l z name-only,name-status object-only full-name full-tree abbrev? format=")
	r := g.open()
	args := l.operands()
	if len(args) == 0 {
		g.usageError("no tree given")
	}
	id, err := r.resolve(args[0])
	if err == nil {
		id, err = r.peel(id, object.TreeKind)
	}
	if err != nil {
		g.die("Not a valid object name %s", args[0])
	}
	paths := args[1:]
	prefix := r.prefix
	if l.has("full-tree") {
		prefix = ""
	}
	var specs []match.Spec
	if len(paths) > 0 || prefix != "" {
		if len(paths) == 0 {
			paths = []string{"./"}
		}
		if specs, err = match.ParseSpecs(paths, prefix, r.top); err != nil {
			g.die("%v", err)
		}
	}
	r.walkTree(id, "", 0, func(f file) bool { return r.lsTreeEntry(l, f, specs, prefix) })
	return 0
}

// lsTreeEntry prints an entry and reports whether to enter it.
func (r *repo) lsTreeEntry(l line, f file, specs []match.Spec, prefix string) bool {
	enter, show := l.has("r"), true
	if len(specs) > 0 {
		show = false
		for i := range specs {
			s := &specs[i]
			switch {
			case s.Path == "":
				show = true
			case f.path == s.Path:
				show = true
				if f.mode.IsDir() && strings.HasSuffix(s.Original, "/") {
					show, enter = false, true
				}
			case strings.HasPrefix(f.path, s.Path+"/"):
				show = true
			case strings.HasPrefix(s.Path, f.path+"/"):
				enter = true
			}
		}
	}
	if f.mode.IsDir() && enter && !l.has("t") && !l.has("d") {
		show = false
	}
	if l.has("d") && !f.mode.IsDir() {
		show = false
	}
	if show {
		r.printTreeEntry(l, f, prefix)
	}
	return enter
}

func (r *repo) printTreeEntry(l line, f file, prefix string) {
	name, end := f.path, "\n"
	if !l.has("full-name") {
		name = relative(prefix, name)
	}
	if l.has("z") {
		end = "\x00"
	} else {
		name = r.quote(name)
	}
	if l.has("name-only") {
		r.g.print(name + end)
		return
	}
	id := f.id.String()
	if a, ok := l.get("abbrev"); ok {
		n := 0
		if a != "" {
			n = r.g.number(a)
		}
		id = r.db.Abbrev(f.id, n)
	}
	if l.has("object-only") {
		r.g.print(id + end)
		return
	}
	r.g.printf("%s %s %s", f.mode, f.mode.Kind(), id)
	if l.has("long") {
		if kind, size, err := r.db.Info(f.id); err == nil && kind == object.BlobKind {
			r.g.printf(" %7d", size)
		} else {
			r.g.printf(" %7s", "-")
		}
	}
	r.g.print("\t" + name + end)
}
