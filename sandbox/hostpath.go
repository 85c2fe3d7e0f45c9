package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// clean is a host path without symbolic links, where it exists.
func clean(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(name)
}

// inside reports whether target lies in dir, and where, both with links resolved.
func inside(dir, target string) (rel string, ok bool) {
	d, err1 := clean(dir)
	t, err2 := clean(target)
	if err1 != nil || err2 != nil {
		return "", false
	}
	return below(d, t)
}

// below is inside for clean paths.
func below(dir, target string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, target)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// maxLinks bounds how many links lead to one path, as systems do.
const maxLinks = 40

// wayTo lists, as paths to protect, everything in dir that decides what the path target is: the directory that it leads
// to, and each link on the way. Whoever could change one of those could put something else in the place of target.
func wayTo(dir, target string) ([]string, error) {
	dir, err := clean(dir)
	if err != nil {
		return nil, err
	}
	if target, err = filepath.Abs(target); err != nil {
		return nil, err
	}
	var list []string
	add := func(name string) {
		if rel, ok := below(dir, name); ok {
			list = append(list, "/"+rel)
		}
	}
	at, rest := split(target)
	for links := 0; len(rest) > 0; {
		name := filepath.Join(at, rest[0]) // at has no links, so that ".." may be taken by its text
		rest = rest[1:]
		text, err := os.Readlink(name)
		if err != nil {
			at = name // no link
			continue
		}
		if links++; links > maxLinks {
			return nil, errors.New("too many links")
		}
		add(name)
		root, more := split(text)
		if root != "" {
			at = root
		}
		rest = append(more, rest...)
	}
	add(at)
	return list, nil
}

// split takes a path apart: its root, if it is absolute, and the names below.
func split(name string) (root string, names []string) {
	if filepath.IsAbs(name) {
		root = filepath.VolumeName(name) + string(filepath.Separator)
	}
	for _, part := range strings.Split(strings.TrimPrefix(name, root), string(filepath.Separator)) {
		if part != "" && part != "." {
			names = append(names, part)
		}
	}
	return root, names
}
