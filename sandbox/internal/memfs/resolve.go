package memfs

import (
	"strings"

	"openclaw/sandbox/internal/vfs"
)

// walk is the resolution of one path. After begin it stands at the name leaf in dir or, with an empty leaf, at dir
// itself. The caller holds the lock of the tree.
type walk struct {
	fs      *FS
	dir     *node
	depth   int    // of dir
	rest    string // what is still to be resolved
	literal int    // how much of the end of rest is from the path, not from a link
	links   int

	leaf   string
	slash  bool // the leaf is followed by a slash
	dotdot bool // the last component was ".."
	out    string
}

func (fs *FS) walk(path string) (walk, vfs.Errno) {
	w := walk{fs: fs, dir: fs.root, rest: path, literal: len(path)}
	if errno := vfs.CheckPath(path); errno != vfs.OK {
		return w, errno
	}
	return w, w.run()
}

func (w *walk) run() vfs.Errno {
	for {
		name, rest := vfs.NextName(w.rest)
		literal := len(name)+len(rest) <= w.literal
		w.rest, w.literal = rest, min(w.literal, len(rest))
		last := vfs.OnlySlashes(rest)
		w.leaf, w.slash, w.dotdot = "", rest != "", name == ".."
		switch {
		case name == "" || name == ".":
		case name == "..":
			if errno := w.up(literal); errno != vfs.OK {
				return errno
			}
		case last:
			w.leaf = name
			return w.fs.options.Quota.CheckDepth(w.depth + 1)
		default:
			if errno := w.down(name); errno != vfs.OK {
				return errno
			}
		}
		if last {
			return vfs.OK
		}
	}
}

func (w *walk) up(literal bool) vfs.Errno {
	if w.dir.parent == nil {
		if literal || w.fs.options.OutsideLinks {
			w.out = ".." + w.rest
		}
		return vfs.EXDEV
	}
	w.dir = w.dir.parent
	w.depth--
	return vfs.OK
}

func (w *walk) down(name string) vfs.Errno {
	n := w.dir.entries[name]
	switch {
	case n == nil:
		return vfs.ENOENT
	case n.kind == vfs.TypeSymlink:
		return w.splice(n.target, w.rest)
	case n.kind != vfs.TypeDirectory:
		return vfs.ENOTDIR
	}
	w.dir = n
	w.depth++
	return w.fs.options.Quota.CheckDepth(w.depth)
}

// maxExpanded bounds what the links of one resolution can make of a path.
const maxExpanded = 8 * vfs.MaxPath

// splice makes the target of a link and what came after the link the rest.
func (w *walk) splice(target, after string) vfs.Errno {
	if w.links++; w.links > vfs.MaxLinks {
		return vfs.ELOOP
	}
	if len(target)+len(after) > maxExpanded {
		return vfs.ENAMETOOLONG
	}
	if strings.HasPrefix(target, "/") {
		w.out = target + after
		return vfs.EXDEV
	}
	w.rest = target + after
	return vfs.OK
}

// lookup finds what the path names, following a link in the last component when follow is set or a slash is after it.
// With ENOENT the walk stands where it would be made.
func (w *walk) lookup(follow bool) (*node, vfs.Errno) {
	for {
		if w.leaf == "" {
			return w.dir, vfs.OK
		}
		n := w.dir.entries[w.leaf]
		if n == nil {
			return nil, vfs.ENOENT
		}
		if n.kind != vfs.TypeSymlink || !follow && !w.slash {
			if w.slash && n.kind != vfs.TypeDirectory {
				return n, vfs.ENOTDIR
			}
			return n, vfs.OK
		}
		after := ""
		if w.slash {
			after = "/"
		}
		if errno := w.splice(n.target, after); errno != vfs.OK {
			return nil, errno
		}
		w.literal = 0
		if errno := w.run(); errno != vfs.OK {
			return nil, errno
		}
	}
}

// Expand implements [vfs.Expander].
func (fs *FS) Expand(path string, follow bool) (string, bool) {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	w, errno := fs.walk(path)
	if errno == vfs.OK && (follow || w.slash) {
		_, errno = w.lookup(true)
	}
	return w.out, errno == vfs.EXDEV && w.out != ""
}

// Canonical implements [vfs.Canonicalizer].
func (fs *FS) Canonical(path string) (string, vfs.Errno) {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	w, errno := fs.walk(path)
	if errno != vfs.OK {
		return "", errno
	}
	if _, errno := w.lookup(true); errno != vfs.OK {
		return "", errno
	}
	parent := w.dir.path()
	switch {
	case w.leaf == "":
		return parent, vfs.OK
	case parent == ".":
		return w.leaf, vfs.OK
	}
	return parent + "/" + w.leaf, vfs.OK
}

// path is the canonical path of a directory.
func (n *node) path() string {
	if n.parent == nil {
		return "."
	}
	if n.parent.parent == nil {
		return n.name
	}
	return n.parent.path() + "/" + n.name
}

// leaves reports whether a link with this target, in a directory depth levels below the root, leads outside by its
// text.
func leaves(target string, depth int) bool {
	if strings.HasPrefix(target, "/") {
		return true
	}
	for target != "" {
		name, rest := vfs.NextName(target)
		switch name {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
		target = rest
	}
	return false
}
