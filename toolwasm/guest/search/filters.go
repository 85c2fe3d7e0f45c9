package search

import (
	"path"
	"strings"

	"openclaw/toolwasm/guest/glob"
)

// filters decides by name which files and directories are searched.
type filters struct {
	files []filter // --include and --exclude, in order
	dirs  []filter
}

type filter struct {
	include bool
	pattern *glob.Pattern
	slashes int // in the pattern: it is matched against as many more of the last parts of a path
}

func (f *filters) add(option, pattern string) error {
	if option == "exclude-dir" {
		pattern = strings.TrimRight(pattern, "/")
	}
	g, err := glob.Compile(pattern, 0)
	if err != nil {
		return err
	}
	entry := filter{include: option == "include", pattern: g, slashes: strings.Count(pattern, "/")}
	if option == "exclude-dir" {
		f.dirs = append(f.dirs, entry)
		return nil
	}
	f.files = append(f.files, entry)
	return nil
}

func (f *filter) matches(name string) bool {
	if f.pattern.Match(name) {
		return true
	}
	parts := strings.Split(name, "/")
	keep := f.slashes + 1
	if keep >= len(parts) {
		return false
	}
	return f.pattern.Match(path.Join(parts[len(parts)-keep:]...))
}

// skipFile reports whether a file is left out: the last filter that matches decides, and without one a file is left out if
// the first filter is an include.
func (f *filters) skipFile(name string) bool {
	if len(f.files) == 0 {
		return false
	}
	for i := len(f.files) - 1; i >= 0; i-- {
		if f.files[i].matches(name) {
			return !f.files[i].include
		}
	}
	return f.files[0].include
}

func (f *filters) skipDir(name string) bool {
	for i := range f.dirs {
		if f.dirs[i].matches(name) {
			return true
		}
	}
	return false
}
