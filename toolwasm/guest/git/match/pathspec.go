package match

import (
	"fmt"
	"path"
	"strings"
)

// Spec is one pathspec, relative to the top of the working tree.
type Spec struct {
	Original string
	Path     string // cleaned; "" is the whole tree
	dir      bool   // a slash at its end: only a directory or what is in it
	exclude  bool
	literal  bool
	glob     bool // "*" stops at slashes
	fold     bool
}

// ParseSpecs reads the pathspecs of a command line. prefix is the current directory below the top, "" or with a slash at its
// end; top is the absolute path of the working tree.
func ParseSpecs(args []string, prefix, top string) ([]Spec, error) {
	specs := make([]Spec, 0, len(args))
	for _, arg := range args {
		s, err := parseSpec(arg, prefix, top)
		if err != nil {
			return nil, err
		}
		specs = append(specs, s)
	}
	return specs, nil
}

func parseSpec(arg, prefix, top string) (Spec, error) {
	s := Spec{Original: arg}
	rest := arg
	if strings.HasPrefix(arg, ":") {
		var err error
		if rest, prefix, err = s.magic(arg, prefix); err != nil {
			return s, err
		}
	}
	s.dir = strings.HasSuffix(rest, "/")
	if strings.HasPrefix(rest, "/") {
		clean := path.Clean(rest)
		below, ok := strings.CutPrefix(clean+"/", strings.TrimSuffix(top, "/")+"/")
		if !ok {
			return s, fmt.Errorf("%s: '%s' is outside repository at '%s'", arg, arg, top)
		}
		s.Path = strings.TrimSuffix(below, "/")
	} else {
		clean := path.Clean(prefix + rest)
		if clean == ".." || strings.HasPrefix(clean, "../") {
			return s, fmt.Errorf("%s: '%s' is outside repository at '%s'", arg, arg, top)
		}
		s.Path = clean
	}
	if s.Path == "." {
		s.Path, s.dir = "", false
	}
	if !strings.ContainsAny(s.Path, `*?[\`) {
		s.literal = true
	}
	return s, nil
}

// magic reads ":(words)", ":!", ":^" and ":/" and returns what follows and the prefix that applies.
func (s *Spec) magic(arg, prefix string) (rest, base string, err error) {
	if long, ok := strings.CutPrefix(arg, ":("); ok {
		words, after, ok := strings.Cut(long, ")")
		if !ok {
			return "", "", fmt.Errorf("missing ')' at the end of pathspec magic in '%s'", arg)
		}
		for word := range strings.SplitSeq(words, ",") {
			switch word {
			case "top":
				prefix = ""
			case "exclude":
				s.exclude = true
			case "literal":
				s.literal = true
			case "glob":
				s.glob = true
			case "icase":
				s.fold = true
			case "":
			default:
				return "", "", fmt.Errorf("invalid pathspec magic '%s' in '%s'", word, arg)
			}
		}
		return after, prefix, nil
	}
	i := 1
	for ; i < len(arg); i++ {
		switch arg[i] {
		case '/':
			prefix = ""
			continue
		case '!', '^':
			s.exclude = true
			continue
		case ':':
			i++
		}
		break
	}
	return arg[i:], prefix, nil
}

// Match reports whether a spec means a path; what is in a directory that it means counts too.
func (s *Spec) Match(name string) bool {
	if s.Path == "" {
		return true
	}
	if strings.HasPrefix(name, s.Path) && !s.fold {
		if len(name) == len(s.Path) {
			return !s.dir
		}
		if name[len(s.Path)] == '/' {
			return true
		}
	}
	if s.literal && !s.fold {
		return false
	}
	if s.dir {
		return Glob(s.Path+"/*", name, s.glob, s.fold)
	}
	return Glob(s.Path, name, s.glob, s.fold) || s.fold && Glob(s.Path+"/*", name, false, true)
}

// Match reports whether specs mean a path: one that includes does, and none that excludes. No specs mean all.
func Match(specs []Spec, name string) bool {
	included, any := false, false
	for i := range specs {
		if specs[i].exclude {
			if specs[i].Match(name) {
				return false
			}
			continue
		}
		any = true
		included = included || specs[i].Match(name)
	}
	return included || !any
}

// MayMatchUnder reports whether specs can mean something below a directory.
func MayMatchUnder(specs []Spec, dir string) bool {
	any := false
	for i := range specs {
		s := &specs[i]
		if s.exclude {
			continue
		}
		any = true
		if s.Path == "" || s.fold || s.Path == dir || strings.HasPrefix(dir, s.Path+"/") || strings.HasPrefix(s.Path, dir+"/") {
			return true
		}
		if !s.literal {
			fixed := s.Path[:strings.IndexAny(s.Path, `*?[\`)]
			if strings.HasPrefix(dir+"/", fixed) || strings.HasPrefix(fixed, dir+"/") {
				return true
			}
		}
	}
	return !any
}

// Excludes reports whether a spec takes paths out.
func (s *Spec) Excludes() bool { return s.exclude }

// Plain reports whether a spec is a path without wildcards.
func (s *Spec) Plain() bool { return s.literal && !s.fold && !s.exclude && !s.dir }

// Exact returns the spec of one path.
func Exact(name string) Spec { return Spec{Original: name, Path: name, literal: true} }
