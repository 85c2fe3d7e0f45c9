package wasi

import (
	"bytes"
	"hash/maphash"
	"strings"

	"openclaw/sandbox/internal/vfs"
)

// last says what happens to a symbolic link in the last component of a path.
type last uint8

const (
	// lastEntry acts on the name itself, trailing slash or not: unlink, rename, mkdir.
	lastEntry last = iota
	// lastNoFollow acts on the link, but a trailing slash follows it: stat, open.
	lastNoFollow
	// lastFollow acts on what the link leads to.
	lastFollow
)

func lookup(flags uint32) last {
	if flags&1 != 0 {
		return lastFollow
	}
	return lastNoFollow
}

// at turns a path of the guest, relative to an open directory, into one for
// the FS. The result never leaves that directory: an absolute path, or one that
// climbs above the directory, by itself or through a link, is EPERM. Only the places
// of Config.Dir can be left, for others in the tree that is open as a whole.
//
// The FS alone is what confines the guest. This rule of preview 1 comes on top,
// and holds as long as nobody moves directories while a path is being resolved.
func (s *System) at(m memory, fd, ptr, n uint32, right uint64, l last) (string, *descriptor, vfs.Errno) {
	d, e := s.directory(fd, right)
	if e != vfs.OK {
		return "", nil, e
	}
	path, e := s.resolve(d, m, ptr, n, l)
	return path, d, e
}

func (s *System) resolve(d *descriptor, m memory, ptr, n uint32, l last) (string, vfs.Errno) {
	raw, e := pathBytes(m, ptr, n)
	if e != vfs.OK {
		return "", e
	}
	if raw[0] == '/' {
		return "", vfs.EPERM
	}
	if d.path == "." {
		if !climbs(raw) {
			return s.paths.join("", raw), vfs.OK
		}
		return s.walk("", string(raw), l)
	}
	if isName(raw) && l != lastFollow {
		return s.paths.join(d.path, raw), vfs.OK
	}
	if d.open {
		path := s.paths.join(d.path, raw)
		if !climbs([]byte(path)) {
			return path, vfs.OK
		}
		return s.walk("", path, l)
	}
	return s.walk(d.path, string(raw), l)
}

// pathBytes checks a path that the guest gave. It is still the guest's memory.
func pathBytes(m memory, ptr, n uint32) ([]byte, vfs.Errno) {
	if n >= vfs.MaxPath {
		return nil, vfs.ENAMETOOLONG
	}
	raw, ok := m.bytes(ptr, n)
	if !ok {
		return nil, vfs.EFAULT
	}
	if n == 0 {
		return nil, vfs.ENOENT
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		return nil, vfs.EINVAL
	}
	return raw, vfs.OK
}

// climbs reports whether a relative path goes above where it starts when no
// link is crossed.
func climbs(path []byte) bool {
	if !bytes.Contains(path, []byte("..")) {
		return false
	}
	depth := 0
	for len(path) > 0 {
		name, rest, _ := bytes.Cut(path, []byte{'/'})
		path = rest
		switch string(name) {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}

// isName reports whether a path is a single ordinary name.
func isName(path []byte) bool {
	return bytes.IndexByte(path, '/') < 0 && string(path) != "." && string(path) != ".."
}

// walk resolves rel below base one component at a time, following links
// itself, so that the result crosses none below base.
func (s *System) walk(base, rel string, l last) (string, vfs.Errno) {
	w := walker{s: s, base: base}
	rest := rel
	for rest != "" {
		name, tail, more := strings.Cut(rest, "/")
		tail = strings.TrimLeft(tail, "/")
		final := tail == ""
		switch {
		case final && l == lastEntry:
			return w.entry(name, more)
		case name == "" || name == ".":
		case name == "..":
			if e := w.up(); e != vfs.OK {
				return "", e
			}
		case final && l == lastNoFollow && !more:
			return w.path(name), vfs.OK
		default:
			target, e := w.enter(name, final, more)
			if e != vfs.OK {
				return "", e
			}
			if target != "" {
				if more {
					target += "/" + tail
				}
				rest = target
				continue
			}
		}
		rest = tail
	}
	return w.finish(rel)
}

// walker is where a walk has got to.
type walker struct {
	s     *System
	base  string
	names []string // below base, none of them a link
	links int
}

func (w *walker) path(name string) string {
	parts := make([]string, 0, len(w.names)+2)
	if w.base != "" {
		parts = append(parts, w.base)
	}
	parts = append(parts, w.names...)
	if name != "" {
		parts = append(parts, name)
	}
	if len(parts) == 0 {
		return "."
	}
	return strings.Join(parts, "/")
}

// entry ends a walk for an operation on the name itself.
func (w *walker) entry(name string, slash bool) (string, vfs.Errno) {
	if name == ".." && len(w.names) == 0 {
		return "", vfs.EPERM
	}
	path := w.path(name)
	if slash {
		path += "/"
	}
	return path, vfs.OK
}

// finish ends a walk that has followed everything.
func (w *walker) finish(rel string) (string, vfs.Errno) {
	path := w.path("")
	if strings.HasSuffix(rel, "/") && len(w.names) > 0 {
		path += "/"
	}
	return path, vfs.OK
}

func (w *walker) up() vfs.Errno {
	if len(w.names) == 0 {
		return vfs.EPERM
	}
	w.names = w.names[:len(w.names)-1]
	return vfs.OK
}

// enter goes down into name. For a link it returns what the link holds instead.
// A last component need not exist: the operation will say what it thinks of that.
func (w *walker) enter(name string, final, slash bool) (string, vfs.Errno) {
	path := w.path(name)
	st, e := w.s.fs.Stat(path, false)
	if e == vfs.ENOENT && final {
		w.names = append(w.names, name)
		return "", vfs.OK
	}
	if e != vfs.OK {
		return "", e
	}
	if st.Type != vfs.TypeSymlink {
		if !final && st.Type != vfs.TypeDirectory {
			return "", vfs.ENOTDIR
		}
		w.names = append(w.names, name)
		return "", vfs.OK
	}
	if w.links++; w.links > vfs.MaxLinks {
		return "", vfs.ELOOP
	}
	target, e := w.s.fs.Readlink(path)
	switch {
	case e != vfs.OK:
		return "", e
	case target == "":
		return "", vfs.ENOENT
	case target[0] == '/':
		return w.absolute(target)
	case len(target) >= vfs.MaxPath:
		return "", vfs.ENAMETOOLONG
	}
	return target, vfs.OK
}

// absolute rewrites an absolute link that leads to base or below it as one
// relative to base, and refuses any other.
func (w *walker) absolute(target string) (string, vfs.Errno) {
	rel, ok := strings.CutPrefix(strings.TrimLeft(target, "/"), w.base)
	if !ok || w.base != "" && rel != "" && rel[0] != '/' {
		return "", vfs.EPERM
	}
	w.names = w.names[:0]
	if rel = strings.TrimLeft(rel, "/"); rel == "" {
		rel = "."
	}
	return rel, vfs.OK
}

// interner remembers paths, so that naming a file again does not allocate. The
// FS must never be handed the guest's memory itself: it may keep the string.
type interner struct {
	seed  maphash.Seed
	buf   []byte
	slots []string
}

// internSlots is how many paths are remembered; a newer one takes the place of
// an older one with the same hash.
const internSlots = 64

func (t *interner) join(dir string, name []byte) string {
	buf := t.buf[:0]
	if dir != "" {
		buf = append(append(buf, dir...), '/')
	}
	buf = append(buf, name...)
	t.buf = buf
	if t.slots == nil {
		t.seed, t.slots = maphash.MakeSeed(), make([]string, internSlots)
	}
	slot := &t.slots[maphash.Bytes(t.seed, buf)%internSlots]
	if *slot != string(buf) {
		*slot = string(buf)
	}
	return *slot
}
