package hostfs

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"openclaw/sandbox/internal/vfs"
)

// Protection lists paths that can be read but not changed, with all that is below them. A pattern is a path: its
// components match, however they are spelt (case, ligatures, width), at any depth; with a leading "/" only from the root of the
// mount. What counts is the canonical path, so links do not help.
//
//   - A protected path cannot be created, written, removed, renamed, linked, or given another mode or time (EROFS).
//   - A directory on the way to one (".git" for ".git/hooks") can only be a real directory: no file or link can be put
//     or changed in its place (EROFS).
//   - Such a directory cannot be renamed while it holds a protected path (EBUSY), and no directory can be renamed to
//     where something in it would become protected (EROFS).
type Protection []string

// guard is one compiled pattern.
type guard struct {
	names    []string // folded
	anchored bool
}

// guards are compiled patterns by their first component.
type guards map[string][]guard

func compile(p Protection) (guards, error) {
	if len(p) == 0 {
		return nil, nil
	}
	g := make(guards, len(p))
	for _, pattern := range p {
		plain, anchored := strings.CutPrefix(pattern, "/")
		plain = strings.TrimSuffix(plain, "/")
		if !vfs.IsPlain(plain) || strings.ContainsRune(plain, 0) {
			return nil, fmt.Errorf("protected path %q: not a plain path", pattern)
		}
		names := strings.Split(plain, "/")
		for i, name := range names {
			names[i] = fold(name)
		}
		g[names[0]] = append(g[names[0]], guard{names, anchored})
	}
	return g, nil
}

// addTargets protects also what the host has put behind a link in the place of a protected path, or on the way to it, in
// the root of the mount: a .git that is a link to another directory, say. The guest could not make such a link.
func (fs *FS) addTargets() {
	var behind []guard
	for first, patterns := range fs.guards {
		names := fs.target(first)
		if names == nil {
			continue
		}
		for _, pattern := range patterns {
			behind = append(behind, guard{append(slices.Clone(names), pattern.names[1:]...), true})
		}
	}
	for _, g := range behind {
		fs.guards[g.names[0]] = append(fs.guards[g.names[0]], g)
	}
}

// target is where the link name in the root leads, in folded components; nil when it is no link, or leads nowhere that
// matters. What does not exist yet is where its text says.
func (fs *FS) target(name string) []string {
	text, errno := fs.Readlink(name)
	if errno != vfs.OK {
		return nil
	}
	place, errno := fs.Canonical(name)
	if errno == vfs.ENOENT && !isAbsolute(text) {
		place, errno = path.Clean(toSlash(text)), vfs.OK
	}
	if errno != vfs.OK || place == "." || strings.HasPrefix(place+"/", "../") {
		return nil
	}
	return strings.Split(fold(place), "/")
}

// guarding is how a canonical path relates to the protected ones.
type guarding uint8

const (
	unguarded guarding = iota
	leading            // a protected path may be below it
	protected          // it is one, or below one
)

// state classifies a canonical path.
func (g guards) state(path string) guarding {
	state := unguarded
	g.match(path, func(names []string, complete bool) bool {
		if complete {
			state = protected
			return false
		}
		state = leading
		return true
	})
	return state
}

// below returns what would be protected below the canonical path of a directory, as folded components.
func (g guards) below(path string) [][]string {
	var tails [][]string
	g.match(path, func(tail []string, complete bool) bool {
		if !complete {
			tails = append(tails, tail)
		}
		return true
	})
	return tails
}

// match calls found for each guard that path leads to, with what is left of it, or that it completes. It stops when
// found returns false.
func (g guards) match(path string, found func(tail []string, complete bool) bool) {
	if len(g) == 0 {
		return
	}
	for start := path; start != ""; {
		name, rest := vfs.NextName(start)
		for _, guard := range g[fold(name)] {
			if guard.anchored && len(start) != len(path) {
				continue
			}
			tail, matched := afterPath(guard.names[1:], rest)
			if matched && !found(tail, len(tail) == 0) {
				return
			}
		}
		start = strings.TrimLeft(rest, "/")
	}
}

// afterPath takes the components of path off names as long as both last. It reports a match when the shorter is a
// prefix of the longer, and what is left of names.
func afterPath(names []string, path string) (tail []string, matched bool) {
	for len(names) > 0 {
		name, rest := vfs.NextName(path)
		if name == "" {
			return names, true
		}
		if fold(name) != names[0] {
			return nil, false
		}
		names, path = names[1:], rest
	}
	return nil, true
}

// fold maps the spellings of a name that some filesystem of some host takes for the same file to one: it drops the code
// points that HFS+ ignores, takes compatible characters for one, and all cases. "ﬁ" is "fi", "K" is "k".
func fold(name string) string {
	ascii := true
	for i := 0; i < len(name) && ascii; i++ {
		ascii = name[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(name)
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, name)
	return norm.NFKD.String(cases.Fold().String(norm.NFKD.String(name)))
}

// mayChange fails with EROFS when the entry that w stands at, of the given kind before or after the change, must stay
// as it is.
func (w *walk) mayChange(kind vfs.FileType) vfs.Errno {
	fs := w.fs
	if fs.options.ReadOnly {
		return vfs.EROFS
	}
	if fs.guards == nil {
		return vfs.OK
	}
	switch fs.guards.state(w.canonical()) {
	case protected:
		return vfs.EROFS
	case leading:
		if kind != vfs.TypeDirectory {
			return vfs.EROFS
		}
	}
	return vfs.OK
}

// holds reports whether the directory name in d has one of the paths below it, or something other than a directory on
// the way to one.
func (fs *FS) holds(d dir, name string, paths [][]string) (bool, vfs.Errno) {
	if len(paths) == 0 {
		return false, vfs.OK
	}
	sub, errno := d.openDir(name)
	if errno != vfs.OK {
		return false, errno
	}
	defer sub.close()
	entries, errno := fs.list(sub)
	if errno != vfs.OK {
		return false, errno
	}
	for _, entry := range entries {
		deeper, found := tailsAfter(paths, fold(entry.Name))
		if found || len(deeper) > 0 && entry.Type != vfs.TypeDirectory {
			return true, vfs.OK
		}
		if found, errno := fs.holds(sub, entry.Name, deeper); found || errno != vfs.OK {
			return found, errno
		}
	}
	return false, vfs.OK
}

// tailsAfter returns what is left of the paths that begin with name, and whether one of them is just that.
func tailsAfter(paths [][]string, name string) (tails [][]string, complete bool) {
	for _, path := range paths {
		if path[0] != name {
			continue
		}
		if len(path) == 1 {
			return nil, true
		}
		tails = append(tails, path[1:])
	}
	return tails, false
}

// list reads a whole directory.
func (fs *FS) list(d dir) ([]vfs.Dirent, vfs.Errno) {
	h, errno := d.openSelf()
	if errno != vfs.OK {
		return nil, errno
	}
	defer h.close()
	return h.readdir(fs.ctx)
}
