package git

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/index"
	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/sys"
)

func cmdRm(g *git) int {
	l := g.parse("cached force,f r dry-run,n quiet,q ignore-unmatch sparse pathspec-from-file= pathspec-file-nul")
	r := g.openTree()
	args := append(l.operands(), g.specFile(l.flags)...)
	if len(args) == 0 {
		g.die("No pathspec was given. Which files should I remove?")
	}
	r.lockIndex()
	specs := r.specs(args)
	names := r.removable(l, specs)
	if !l.has("force") {
		r.refuseRemoval(names, l.has("cached"))
	}
	for _, n := range names {
		if !l.has("quiet") {
			g.printf("rm '%s'\n", n)
		}
	}
	if l.has("dry-run") {
		return 0
	}
	for _, n := range names {
		if !l.has("cached") {
			if e := r.index().Get(n); e != nil && e.Mode.IsSubmodule() {
				g.die("'%s' is a submodule, which is not entered here; remove it outside of the sandbox", n)
			}
			g.check(r.removeWork(n))
		}
		r.index().Remove(n)
	}
	r.saveIndex()
	return 0
}

// removable lists what the specs mean.
func (r *repo) removable(l line, specs []match.Spec) []string {
	var names []string
	for i := range specs {
		s := &specs[i]
		found := false
		for n := range r.indexNames {
			if !s.Match(n) || !match.Match(specs, n) {
				continue
			}
			found = true
			if n != s.Path && !l.has("r") && strings.HasPrefix(n, s.Path+"/") || s.Path == "" && !l.has("r") {
				r.g.die("not removing '%s' recursively without -r", s.Original)
			}
			names = append(names, n)
		}
		if !found && !l.has("ignore-unmatch") && !s.Excludes() {
			r.g.die("pathspec '%s' did not match any files", s.Original)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// refuseRemoval ends the program when content would be lost that is nowhere else.
func (r *repo) refuseRemoval(names []string, cached bool) {
	head := map[string]file{}
	for _, f := range r.flatten(r.headTree()) {
		head[f.path] = f
	}
	var both, staged, local []string
	for _, n := range names {
		e := r.index().Get(n)
		if e == nil {
			continue
		}
		state, _, _ := r.compareWork(e)
		if state == deleted {
			continue
		}
		f, ok := head[n]
		isStaged := !ok || f.id != e.ID || f.mode != e.Mode
		isLocal := state != same
		switch {
		case isLocal && isStaged && !(cached && e.IntentToAdd):
			both = append(both, n)
		case cached:
		case isStaged:
			staged = append(staged, n)
		case isLocal:
			local = append(local, n)
		}
	}
	if len(both)+len(staged)+len(local) == 0 {
		return
	}
	tell := func(names []string, one, many, hint string) {
		if len(names) == 0 {
			return
		}
		text := one
		if len(names) > 1 {
			text = many
		}
		r.g.errorf("error: %s\n", text)
		for _, n := range names {
			r.g.errorf("    %s\n", n)
		}
		r.g.errorf("(%s)\n", hint)
	}
	tell(both, "the following file has staged content different from both the\nfile and the HEAD:",
		"the following files have staged content different from both the\nfile and the HEAD:", "use -f to force removal")
	tell(staged, "the following file has changes staged in the index:", "the following files have changes staged in the index:",
		"use --cached to keep the file, or -f to force removal")
	tell(local, "the following file has local modifications:", "the following files have local modifications:",
		"use --cached to keep the file, or -f to force removal")
	r.g.close()
	r.g.p.Exit(1)
}

func cmdMv(g *git) int {
	l := g.parse("force,f k dry-run,n verbose,v sparse")
	r := g.openTree()
	args := l.operands()
	if len(args) < 2 {
		g.usageError("wrong number of arguments")
	}
	r.lockIndex()
	sources, target := args[:len(args)-1], args[len(args)-1]
	into := false
	if info, err := g.p.Stat(strings.TrimSuffix(target, "/")); err == nil && info.IsDir() {
		into = true
	} else if len(sources) > 1 {
		g.die("destination '%s' is not a directory", target)
	}
	for _, s := range sources {
		from := r.specs([]string{s})[0].Path
		to := r.specs([]string{target})[0].Path
		if into {
			to = strings.TrimPrefix(to+"/"+path.Base(from), "/")
		} else if strings.HasSuffix(target, "/") {
			g.die("destination directory does not exist, source=%s, destination=%s", from, to+"/")
		}
		if problem := r.cannotMove(from, to, l.has("force")); problem != "" {
			if l.has("k") {
				continue
			}
			g.die("%s, source=%s, destination=%s", problem, from, to)
		}
		if l.has("verbose") || l.has("dry-run") {
			if l.has("dry-run") {
				g.printf("Checking rename of '%s' to '%s'\n", from, to)
			}
			g.printf("Renaming %s to %s\n", from, to)
		}
		if !l.has("dry-run") {
			r.move(from, to)
		}
	}
	if !l.has("dry-run") {
		r.saveIndex()
	}
	return 0
}

func (r *repo) cannotMove(from, to string, force bool) string {
	info, err := sys.Lstat(r.path(from))
	switch {
	case err != nil:
		return "bad source"
	case !object.ValidPath(to):
		return "invalid destination"
	case from == to || strings.HasPrefix(to, from+"/"):
		return "can not move directory into itself"
	case info.IsDir() && !r.index().HasUnder(from):
		return "source directory is empty"
	case !info.IsDir() && !r.index().Has(from):
		return "not under version control"
	case !info.IsDir() && r.index().Get(from) == nil:
		return "conflicted"
	}
	if _, err := sys.Lstat(r.path(to)); err == nil && !force {
		return "destination exists"
	}
	if dir, err := sys.Stat(path.Dir(r.path(to))); errors.Is(err, fs.ErrNotExist) || err == nil && !dir.IsDir() {
		return "destination directory does not exist"
	}
	return ""
}

func (r *repo) move(from, to string) {
	if info, err := sys.Lstat(r.path(to)); err == nil && !info.IsDir() {
		r.g.check(sys.Unlink(r.path(to)))
		r.index().Remove(to)
	}
	r.g.check(sys.Rename(r.path(from), r.path(to)))
	clear(r.known)
	var moved []index.Entry
	for _, e := range r.index().Entries {
		if e.Name == from || strings.HasPrefix(e.Name, from+"/") {
			e.Name = to + e.Name[len(from):]
			moved = append(moved, e)
		}
	}
	r.index().Remove(from)
	r.index().RemoveUnder(from)
	for i := range moved {
		if info, err := sys.Lstat(r.path(moved[i].Name)); err == nil && info.Size == int64(moved[i].Size) &&
			moved[i].Mtime == (index.Time{Sec: uint32(info.Mtime.Unix()), Nsec: uint32(info.Mtime.Nanosecond())}) {
			moved[i].SetStat(info)
		}
		r.index().Put(moved[i])
	}
}

func cmdClean(g *git) int {
	l := g.parse("d force,f interactive,i dry-run,n quiet,q exclude,e= x X")
	r := g.openTree()
	if l.has("interactive") {
		g.die("there is no terminal to ask on: use 'git clean -n' to see and 'git clean -f' to remove")
	}
	if !l.has("force") && !l.has("dry-run") && r.cfg.on("clean.requireforce", true) {
		if _, set := r.cfg.get("clean.requireforce"); set {
			g.die("clean.requireForce set to true and neither -i, -n, nor -f given; refusing to clean")
		}
		g.die("clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean")
	}
	args := l.operands()
	specs := r.specs(args)
	if len(args) == 0 && r.prefix != "" {
		specs = r.specs([]string{"."})
	}
	for _, p := range l.all("exclude") {
		r.ignore().Add(p)
	}
	for _, n := range r.cleanable(l, specs) {
		r.cleanOne(l, n)
	}
	return 0
}

// cleanable lists what is to go.
func (r *repo) cleanable(l line, specs []match.Spec) []string {
	dirs := l.has("d") || len(specs) > 0 && len(l.operands()) > 0
	look := scan{r: r, specs: specs, emptyDirs: dirs, ignored: l.has("X") || l.has("x")}
	if !dirs {
		look.all = false
	}
	look.run()
	list := look.files
	switch {
	case l.has("X"):
		list = look.skipped
	case l.has("x"):
		list = append(list, look.skipped...)
	}
	var names []string
	for _, n := range list {
		dir, isDir := strings.CutSuffix(n, "/")
		if isDir && !dirs {
			continue
		}
		if isDir && isRepository(r.path(dir)) && len(l.all("force")) < 2 {
			continue
		}
		if isDir && !l.has("x") && !l.has("X") && r.holdsIgnored(dir) {
			inner := scan{r: r, specs: []match.Spec{match.Exact(dir)}, all: true}
			inner.dir(dir+"/", 0)
			names = append(names, inner.files...)
			continue
		}
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func (r *repo) holdsIgnored(dir string) bool {
	inner := scan{r: r, all: true, ignored: true}
	inner.dir(dir+"/", 0)
	return len(inner.skipped) > 0
}

func (r *repo) cleanOne(l line, name string) {
	verb := "Removing"
	if l.has("dry-run") {
		verb = "Would remove"
	}
	if !l.has("quiet") || l.has("dry-run") {
		r.g.printf("%s %s\n", verb, r.quote(r.display(name)))
	}
	if l.has("dry-run") {
		return
	}
	var err error
	if dir, ok := strings.CutSuffix(name, "/"); ok {
		err = r.removeDir(dir, 0)
	} else {
		err = sys.Unlink(r.path(name))
	}
	if err != nil {
		r.g.errorf("warning: failed to remove %s: %s\n", r.display(name), strerror(err))
	}
}
