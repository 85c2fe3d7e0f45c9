package hostfs

import (
	"strings"
	"sync"

	"openclaw/sandbox/internal/vfs"
)

// ending is what the last component of a path was.
type ending uint8

const (
	endName   ending = iota // a name, in walk.leaf
	endDot                  // ".", or nothing but slashes
	endDotDot               // ".."
)

// walk is the resolution of one path. After begin it stands at the last component: at the name leaf in the directory
// parent(), or, with an empty leaf, at the directory parent() itself.
type walk struct {
	fs   *FS
	path string // as given

	// The directories from the root down. In a direct walk, where the path is its own canonical form, only the last
	// of them is held, in base.
	dirs   []dir
	names  []string
	direct bool
	base   dir

	rest    string // what is still to be resolved
	literal int    // how much of the end of rest is from path, not from a link
	links   int

	leaf  string
	slash bool // the leaf is followed by a slash
	end   ending
	out   string // see vfs.Expander
}

var walks = sync.Pool{New: func() any { return new(walk) }}

// enter begins the resolution of path under the lock for reading; leave ends it. It is called whatever the errno.
func (fs *FS) enter(path string) (*walk, vfs.Errno) {
	fs.mu.RLock()
	return fs.walk(path)
}

func (w *walk) leave() {
	fs := w.fs
	w.release()
	fs.mu.RUnlock()
}

// walk begins the resolution of path, for callers that hold the lock. The walk must be released.
func (fs *FS) walk(path string) (*walk, vfs.Errno) {
	w := walks.Get().(*walk)
	w.fs, w.path = fs, path
	if fs.closed {
		return w, vfs.EBADF
	}
	if errno := vfs.CheckPath(path); errno != vfs.OK {
		return w, errno
	}
	if done, errno := w.beginDirect(); done {
		return w, errno
	}
	return w, w.beginStepwise()
}

// release closes what the walk holds.
func (w *walk) release() {
	w.closeDirs()
	*w = walk{dirs: w.dirs[:0], names: w.names[:0]}
	walks.Put(w)
}

func (w *walk) closeDirs() {
	for _, d := range w.dirs {
		d.close()
	}
	clear(w.names)
	w.dirs, w.names = w.dirs[:0], w.names[:0]
	if w.direct && w.base != w.fs.root {
		w.base.close()
	}
	w.direct = false
}

// beginDirect reaches the parent in one step when no link is in the way and the path has nothing to resolve: then it
// is canonical as it stands. done is false when the long way must be gone.
func (w *walk) beginDirect() (done bool, errno vfs.Errno) {
	path := strings.TrimRight(w.path, "/")
	if !vfs.IsPlain(path) {
		return false, vfs.OK
	}
	base := w.fs.root
	cut := strings.LastIndexByte(path, '/')
	if cut >= 0 {
		base, errno = w.fs.root.openBeneath(path[:cut])
		if errno == vfs.ENOENT {
			return true, errno
		}
		if errno != vfs.OK {
			return false, vfs.OK
		}
	}
	w.direct, w.base = true, base
	w.leaf, w.slash, w.end = path[cut+1:], len(path) < len(w.path), endName
	if errno := checkName(w.leaf); errno != vfs.OK {
		return true, errno
	}
	return true, w.fs.options.Quota.CheckDepth(strings.Count(path, "/") + 1)
}

func (w *walk) beginStepwise() vfs.Errno {
	w.rest, w.literal = w.path, len(w.path)
	return w.run()
}

// run resolves the rest up to its last component.
func (w *walk) run() vfs.Errno {
	w.leaf = ""
	for {
		name, rest := vfs.NextName(w.rest)
		literal := len(name)+len(rest) <= w.literal
		w.rest, w.literal = rest, min(w.literal, len(rest))
		last := vfs.OnlySlashes(rest)
		switch {
		case name == "" || name == ".":
			if last {
				w.leaf, w.end = "", endDot
				return vfs.OK
			}
		case name == "..":
			if errno := w.up(literal); errno != vfs.OK {
				return errno
			}
			if last {
				w.leaf, w.end = "", endDotDot
				return vfs.OK
			}
		case last:
			w.leaf, w.slash, w.end = name, rest != "", endName
			if errno := checkName(name); errno != vfs.OK {
				return errno
			}
			return w.fs.options.Quota.CheckDepth(len(w.names) + 1)
		default:
			if errno := w.down(name); errno != vfs.OK {
				return errno
			}
		}
	}
}

// up goes back to the directory above, which is never looked up on the host.
func (w *walk) up(literal bool) vfs.Errno {
	top := len(w.dirs) - 1
	if top < 0 {
		if literal {
			w.out = ".." + w.rest
		}
		return vfs.EXDEV
	}
	w.dirs[top].close()
	w.dirs, w.names = w.dirs[:top], w.names[:top]
	return vfs.OK
}

// down enters the directory name, or puts the target of the link name before the rest.
func (w *walk) down(name string) vfs.Errno {
	if errno := checkName(name); errno != vfs.OK {
		return errno
	}
	if errno := w.fs.options.Quota.CheckDepth(len(w.names) + 1); errno != vfs.OK {
		return errno
	}
	d, errno := w.parent().openDir(name)
	switch errno {
	case vfs.OK:
		w.dirs, w.names = append(w.dirs, d), append(w.names, name)
		return vfs.OK
	case vfs.ENOTDIR, vfs.ELOOP:
	default:
		return errno
	}
	target, errno := w.parent().readlink(name)
	if errno == vfs.EINVAL {
		return vfs.ENOTDIR
	}
	if errno != vfs.OK {
		return errno
	}
	return w.splice(target, w.rest)
}

// maxExpanded bounds what the links of one resolution can make of a path.
const maxExpanded = 8 * vfs.MaxPath

// splice makes the target of a link and what came after the link the rest.
func (w *walk) splice(target, after string) vfs.Errno {
	if w.links++; w.links > vfs.MaxLinks {
		return vfs.ELOOP
	}
	switch {
	case target == "":
		return vfs.ENOENT
	case isAbsolute(target):
		return vfs.EXDEV
	case len(target)+len(after) > maxExpanded:
		return vfs.ENAMETOOLONG
	}
	w.rest = target + after
	return vfs.OK
}

// followLeaf goes on from the link that the leaf is. When it is none any more the walk stays, to be looked at again;
// that counts as a link, so that a busy host cannot keep a caller going round.
func (w *walk) followLeaf() vfs.Errno {
	if w.direct {
		w.closeDirs()
		if errno := w.beginStepwise(); errno != vfs.OK || w.leaf == "" {
			return errno
		}
	}
	target, errno := w.parent().readlink(w.leaf)
	if errno == vfs.EINVAL {
		if w.links++; w.links > vfs.MaxLinks {
			return vfs.ELOOP
		}
		return vfs.OK
	}
	if errno != vfs.OK {
		return errno
	}
	after := ""
	if w.slash {
		after = "/"
	}
	if errno := w.splice(target, after); errno != vfs.OK {
		return errno
	}
	w.slash, w.literal = false, 0
	return w.run()
}

// parent is the directory that the walk stands in.
func (w *walk) parent() dir {
	if w.direct {
		return w.base
	}
	if len(w.dirs) == 0 {
		return w.fs.root
	}
	return w.dirs[len(w.dirs)-1]
}

// depth is how many directories below the root the parent is.
func (w *walk) depth() int {
	if w.direct {
		return strings.Count(strings.TrimRight(w.path, "/"), "/")
	}
	return len(w.names)
}

// canonical is the path of what the walk stands at, without links and "..".
func (w *walk) canonical() string {
	if w.direct {
		return strings.TrimRight(w.path, "/")
	}
	parent := strings.Join(w.names, "/")
	switch {
	case w.leaf == "" && parent == "":
		return "."
	case w.leaf == "":
		return parent
	case parent == "":
		return w.leaf
	}
	return parent + "/" + w.leaf
}

// lookup describes what the path names, following a link in the last component when follow is set or a slash is after
// it. When that does not exist, the walk stands where it would be made.
func (w *walk) lookup(follow bool) (vfs.Stat, vfs.Errno) {
	for {
		if w.leaf == "" {
			return w.parent().stat()
		}
		st, errno := w.parent().lstat(w.leaf)
		if errno != vfs.OK {
			return st, errno
		}
		if st.Type != vfs.TypeSymlink || !follow && !w.slash {
			if w.slash && st.Type != vfs.TypeDirectory {
				return st, vfs.ENOTDIR
			}
			return st, vfs.OK
		}
		if errno := w.followLeaf(); errno != vfs.OK {
			return vfs.Stat{}, errno
		}
	}
}

// Expand implements [vfs.Expander]: a path may leave by its own ".." components, never by those of a link.
func (fs *FS) Expand(path string, follow bool) (string, bool) {
	w, errno := fs.enter(path)
	defer w.leave()
	if errno == vfs.OK && follow {
		_, errno = w.lookup(true)
	}
	return w.out, errno == vfs.EXDEV && w.out != ""
}

// Canonical implements [vfs.Canonicalizer].
func (fs *FS) Canonical(path string) (string, vfs.Errno) {
	w, errno := fs.enter(path)
	defer w.leave()
	if errno != vfs.OK {
		return "", errno
	}
	if _, errno := w.lookup(true); errno != vfs.OK {
		return "", errno
	}
	return w.canonical(), vfs.OK
}

// leaves reports whether a link with this target, in a directory depth levels below the root, may lead outside. A ".."
// after a name counts as if it did: the name may be a link, or become one, and then ".." leads up from wherever that
// is. This package would not follow there, but programs of the host do.
func leaves(target string, depth int) bool {
	if isAbsolute(target) {
		return true
	}
	named := false
	for target = toSlash(target); target != ""; {
		name, rest := vfs.NextName(target)
		switch name {
		case "", ".":
		case "..":
			if depth--; named || depth < 0 {
				return true
			}
		default:
			named = true
		}
		target = rest
	}
	return false
}
