package git

import (
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/match"
	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/sys"
)

// ignore returns the ignore rules of the working tree.
func (r *repo) ignore() *match.Ignores {
	if r.ignores == nil {
		user, ok := r.cfg.get("core.excludesfile")
		home, _ := r.g.p.Env.Get("HOME")
		if !ok {
			user = home + "/.config/git/ignore"
			if xdg, ok := r.g.p.Env.Get("XDG_CONFIG_HOME"); ok && xdg != "" {
				user = xdg + "/git/ignore"
			}
		}
		if rest, ok := strings.CutPrefix(user, "~/"); ok {
			user = home + "/" + rest
		}
		r.ignores = match.NewIgnores(r.top, r.cfg.on("core.ignorecase", false), user, r.common+"/info/exclude")
	}
	return r.ignores
}

// scan says what is looked for among the files that are not tracked.
type scan struct {
	r       *repo
	specs   []match.Spec
	all     bool // files of directories that hold nothing tracked, too
	ignored bool // list what is ignored as well
	files   []string
	skipped []string // what is ignored
	// everything lists files whether they are ignored or not, as `ls-files -o` without rules does.
	everything bool
	collapse   bool // list ignored directories as one even so
	emptyDirs  bool // list directories without files, for clean -d
}

func (s *scan) run() {
	s.dir("", 0)
	slices.Sort(s.files)
	slices.Sort(s.skipped)
}

// dir lists a directory that has tracked files, or is the top.
func (s *scan) dir(dir string, depth int) {
	if depth > object.MaxTreeDepth {
		return
	}
	entries, err := sys.ReadDir(joinPath(s.r.top, strings.TrimSuffix(dir, "/")))
	if err != nil {
		return
	}
	idx := s.r.index()
	for _, e := range entries {
		s.r.g.step()
		name := dir + e.Name()
		if e.Name() == ".git" {
			continue
		}
		if !e.IsDir() {
			if !idx.Has(name) && isFileType(e.Type()) {
				s.file(name)
			}
			continue
		}
		if idx.Has(name) || !match.MayMatchUnder(s.specs, name) { // a submodule
			continue
		}
		if idx.HasUnder(name) {
			s.dir(name+"/", depth+1)
			continue
		}
		s.untrackedDir(name, depth)
	}
}

func (s *scan) file(name string) {
	if !match.Match(s.specs, name) {
		return
	}
	if !s.everything && s.r.ignore().Path(name, false) {
		if s.ignored {
			s.skipped = append(s.skipped, name)
		}
		return
	}
	s.files = append(s.files, name)
}

// untrackedDir handles a directory without tracked files.
func (s *scan) untrackedDir(name string, depth int) {
	nested := isRepository(s.r.path(name))
	if !s.everything && s.r.ignore().Path(name, true) {
		if s.ignored && s.all && !s.collapse && !nested {
			s.allFiles(name, depth)
		} else if s.ignored && s.matchDir(name) && (nested || s.holdsFile(name, depth)) {
			s.skipped = append(s.skipped, name+"/")
		}
		return
	}
	if nested {
		if s.matchDir(name) {
			s.files = append(s.files, name+"/")
		}
		return
	}
	if s.all || !s.whole(name) {
		s.dir(name+"/", depth+1)
		return
	}
	inner := scan{r: s.r, all: true, ignored: true, collapse: true, everything: s.everything}
	inner.dir(name+"/", depth+1)
	switch {
	case len(inner.files) > 0:
		s.files = append(s.files, name+"/")
		if s.ignored {
			s.skipped = append(s.skipped, inner.skipped...)
		}
	case len(inner.skipped) > 0:
		if s.ignored {
			s.skipped = append(s.skipped, name+"/")
		}
	case s.emptyDirs && s.matchDir(name):
		s.files = append(s.files, name+"/")
	}
}

// matchDir reports whether specs mean a directory as a whole.
func (s *scan) matchDir(name string) bool {
	return match.Match(s.specs, name) || match.Match(s.specs, name+"/")
}

// whole reports whether a directory can be listed as one: no spec means only a part of it.
func (s *scan) whole(name string) bool {
	for i := range s.specs {
		if s.specs[i].Excludes() || strings.HasPrefix(s.specs[i].Path, name+"/") {
			return false
		}
	}
	return s.matchDir(name)
}

// allFiles lists what is in an ignored directory.
func (s *scan) allFiles(dir string, depth int) {
	inner := scan{r: s.r, specs: s.specs, all: true, everything: true}
	inner.dir(dir+"/", depth+1)
	s.skipped = append(s.skipped, inner.files...)
}

func (s *scan) holdsFile(dir string, depth int) bool {
	if depth > object.MaxTreeDepth {
		return false
	}
	entries, _ := sys.ReadDir(s.r.path(dir))
	for _, e := range entries {
		s.r.g.step()
		if isFileType(e.Type()) || e.IsDir() && s.holdsFile(dir+"/"+e.Name(), depth+1) {
			return true
		}
	}
	return false
}

// isRepository reports whether a directory is the working tree of another repository.
func isRepository(dir string) bool {
	if isGitDir(dir + "/.git") {
		return true
	}
	_, ok := followLink(dir + "/.git")
	return ok
}
