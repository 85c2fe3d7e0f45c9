// Package namespace is the whole tree that a guest sees, as one [vfs.FS]: mounts, and the virtual read-only directories
// that lead to them. What is not mounted does not exist.
//
// A path belongs to the mount with the longest matching prefix, and is resolved there. It leaves a mount only at the
// mount's root: by a ".." of its own, or by a link in a mount that allows links to the rest of the tree; then it goes
// on in the tree as if it had been given that way. Links of other mounts, such as the host's directories, lead
// nowhere but to their own mount.
//
// Mount points, and directories on the way to them, cannot be removed or renamed (EBUSY). Renames and links between
// mounts are EXDEV.
//
// A mount inside another mount covers what is there; links of the outer one that lead to the covered place reach the
// inner mount. That is a matter of view, not a protection: a guest that changes the outer mount at the same moment can
// see what is covered.
package namespace

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"openclaw/sandbox/internal/vfs"
)

// Mount puts a filesystem at an absolute guest path.
type Mount struct {
	Path string
	FS   vfs.FS
}

// Options say what the virtual directories look like.
type Options struct {
	// Now is the time they were made, in nanoseconds since the Unix epoch.
	Now int64
}

// FS is a tree of mounts. It is immutable, and safe for concurrent use as far as the mounts are.
type FS struct {
	options Options
	root    *node
}

var (
	_ vfs.FS            = (*FS)(nil)
	_ vfs.Canonicalizer = (*FS)(nil)
)

// node is a mount point or a directory on the way to one.
type node struct {
	name     string
	path     string // guest path without the leading slash
	ino      uint64
	parent   *node // of the root: the root
	children map[string]*node

	// The mount that the node is in, if any: the mount point, and the path of the node in it, empty for its root.
	mount *node
	rel   string
	fs    vfs.FS // what is mounted, at a mount point
	inner bool   // at a mount point: there are mounts inside
}

// deviceNumber is the virtual directories', away from those that hosts use.
const deviceNumber = 0x6e730000_00000000

// New makes a tree.
func New(mounts []Mount, options Options) (*FS, error) {
	fs := &FS{options: options, root: &node{ino: 1}}
	fs.root.parent = fs.root
	sorted := append([]Mount(nil), mounts...)
	sort.SliceStable(sorted, func(i, j int) bool { return len(sorted[i].Path) < len(sorted[j].Path) })
	inodes := uint64(1)
	for _, m := range sorted {
		if err := fs.add(m, &inodes); err != nil {
			return nil, err
		}
	}
	fs.root.settle(nil)
	return fs, nil
}

func (fs *FS) add(m Mount, inodes *uint64) error {
	if !strings.HasPrefix(m.Path, "/") || path.Clean(m.Path) != m.Path || strings.ContainsRune(m.Path, 0) {
		return fmt.Errorf("namespace: mount %q: not a clean absolute path", m.Path)
	}
	if m.FS == nil {
		return fmt.Errorf("namespace: mount %s: no filesystem", m.Path)
	}
	at := fs.root
	for rest := m.Path; !vfs.OnlySlashes(rest); {
		name, after := vfs.NextName(rest)
		rest = after
		next := at.children[name]
		if next == nil {
			*inodes++
			next = &node{name: name, path: strings.TrimPrefix(at.path+"/"+name, "/"), ino: *inodes, parent: at}
			if at.children == nil {
				at.children = make(map[string]*node)
			}
			at.children[name] = next
		}
		at = next
	}
	if at.fs != nil {
		return fmt.Errorf("namespace: mount %s: something is mounted there", m.Path)
	}
	at.fs = m.FS
	return nil
}

// settle tells the nodes below which mount they are in.
func (n *node) settle(mount *node) {
	switch {
	case n.fs != nil:
		if mount != nil {
			mount.inner = true
		}
		n.mount = n
	case mount != nil:
		n.mount = mount
		n.rel = strings.TrimPrefix(strings.TrimPrefix(n.path, mount.path), "/")
	}
	for _, child := range n.children {
		child.settle(n.mount)
	}
}

// place is where a path leads: to a node itself, when path is empty, or to path in a mount, or, with neither, to a
// name that does not exist in a virtual directory.
type place struct {
	node    *node // the last one on the way
	path    string
	missing string // what does not exist, with what follows it
	slash   bool
}

// exact reports whether the place is a node itself.
func (p place) exact() bool { return p.path == "" && p.missing == "" }

// mount is the mount point of the mount that the place is in, or nil.
func (p place) mount() *node { return p.node.mount }

// inMount is the path to give to the mount.
func (p place) inMount() string {
	switch {
	case p.path != "":
		return p.path
	case p.node.rel != "":
		return p.node.rel
	}
	return "."
}

// locate finds the place of a path by its text.
func (fs *FS) locate(guest string) (place, vfs.Errno) {
	if errno := vfs.CheckPath(guest); errno != vfs.OK {
		return place{}, errno
	}
	at, slash := fs.root, false
	for rest := guest; !vfs.OnlySlashes(rest); {
		name, after := vfs.NextName(rest)
		switch {
		case name == ".":
		case name == "..":
			at = at.parent
		case at.children[name] != nil:
			at = at.children[name]
		case at.mount == nil:
			return place{node: at, missing: strings.TrimLeft(rest, "/")}, vfs.OK
		default:
			return place{node: at, path: inside(at.rel, strings.TrimLeft(rest, "/"))}, vfs.OK
		}
		rest, slash = after, after != ""
	}
	return place{node: at, slash: slash}, vfs.OK
}

func inside(rel, rest string) string {
	if rel == "" {
		return rest
	}
	return rel + "/" + rest
}

// resolve finds the place of a path, looking through links of a mount that has others inside.
func (fs *FS) resolve(guest string, follow bool) (place, vfs.Errno) {
	p, errno := fs.locate(guest)
	if errno != vfs.OK || p.path == "" || !p.mount().inner {
		return p, errno
	}
	canonical, ok := canonicalIn(p.mount().fs, p.path, follow)
	if !ok {
		return p, vfs.OK
	}
	deeper, errno := fs.locate(strings.TrimPrefix(p.mount().path+"/"+canonical, "/"))
	if errno != vfs.OK || deeper.node == p.node {
		return p, vfs.OK // it is not covered; the mount resolves the path itself, safe from races
	}
	return deeper, vfs.OK
}

// canonicalIn is the canonical form of a path in a mount, of which the last component need not exist.
func canonicalIn(mount vfs.FS, inMount string, follow bool) (string, bool) {
	c, ok := mount.(vfs.Canonicalizer)
	if !ok {
		return "", false
	}
	if follow {
		if canonical, errno := c.Canonical(inMount); errno == vfs.OK {
			return canonical, true
		}
	}
	trimmed := strings.TrimRight(inMount, "/")
	dir, leaf := ".", trimmed
	if i := strings.LastIndexByte(trimmed, '/'); i >= 0 {
		dir, leaf = trimmed[:i], trimmed[i+1:]
	}
	canonical, errno := c.Canonical(dir)
	if errno != vfs.OK || leaf == ".." {
		return "", false
	}
	return canonical + "/" + leaf + inMount[len(trimmed):], true
}

// expand says where a path goes on that leaves the mount at p, as a guest path.
func (p place) expand(follow bool) (string, bool) {
	if p.path == "" {
		return "", false
	}
	expander, ok := p.mount().fs.(vfs.Expander)
	if !ok {
		return "", false
	}
	out, ok := expander.Expand(p.path, follow)
	if !ok {
		return "", false
	}
	if !strings.HasPrefix(out, "/") {
		out = p.mount().path + "/" + out
	}
	if out = strings.TrimLeft(out, "/"); out == "" {
		return ".", true
	}
	return out, true
}

// at calls do with the place of a path, and again where it goes on as long as it leaves a mount.
func at[T any](fs *FS, guest string, follow bool, do func(p place) (T, vfs.Errno)) (T, vfs.Errno) {
	var none T
	for range vfs.MaxLinks {
		p, errno := fs.resolve(guest, follow)
		if errno != vfs.OK {
			return none, errno
		}
		result, errno := do(p)
		if errno != vfs.EXDEV {
			return result, errno
		}
		next, ok := p.expand(follow)
		if !ok {
			return none, errno
		}
		guest = next
	}
	return none, vfs.ELOOP
}

// lacking is the errno for a place that does not exist in a virtual directory: EROFS when it could be made there, if
// that is what is wanted.
func (p place) lacking(create bool) vfs.Errno {
	if create && !p.lacksParent() {
		return vfs.EROFS
	}
	return vfs.ENOENT
}

// lacksParent reports whether not even the directory exists that the place is in.
func (p place) lacksParent() bool {
	_, rest := vfs.NextName(p.missing)
	return !vfs.OnlySlashes(rest)
}

func (fs *FS) stat(n *node) vfs.Stat {
	return vfs.Stat{
		Dev: deviceNumber, Ino: n.ino, Nlink: 2 + uint64(len(n.children)),
		Size: 4096, Atime: fs.options.Now, Mtime: fs.options.Now, Ctime: fs.options.Now,
		Mode: 0o555, Type: vfs.TypeDirectory,
	}
}
