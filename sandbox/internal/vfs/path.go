package vfs

import "strings"

// Bounds on paths that every filesystem of the sandbox enforces. They are those of Linux, and hold on every host.
const (
	MaxPath  = 4096 // bytes in a path, and in the target of a link: longer is ENAMETOOLONG
	MaxName  = 255  // bytes in a component
	MaxLinks = 40   // symbolic links followed in one resolution: more is ELOOP
	MaxDepth = 256  // directories below the root of a mount; it bounds what one resolution holds open
)

// CheckPath refuses what no filesystem can hold: an empty path (ENOENT), a NUL byte (EINVAL), a path or component
// that is too long (ENAMETOOLONG).
func CheckPath(path string) Errno {
	if path == "" {
		return ENOENT
	}
	if len(path) >= MaxPath {
		return ENAMETOOLONG
	}
	run := 0
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case 0:
			return EINVAL
		case '/':
			run = 0
			continue
		}
		if run++; run > MaxName {
			return ENAMETOOLONG
		}
	}
	return OK
}

// NextName splits the first component off path: its name and what follows the slash after it. Leading slashes are
// skipped. name is empty when path holds nothing but slashes.
func NextName(path string) (name, rest string) {
	for path != "" && path[0] == '/' {
		path = path[1:]
	}
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// OnlySlashes reports whether s, the rest of a path, names nothing more.
func OnlySlashes(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != '/' {
			return false
		}
	}
	return true
}

// IsPlain reports whether path is its own canonical spelling as far as its text goes: no empty, "." or ".."
// component and no slash at either end.
func IsPlain(path string) bool {
	start := 0
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		switch path[start:i] {
		case "", ".", "..":
			return false
		}
		start = i + 1
	}
	return true
}

// Expander is implemented by a filesystem in which a path can lead out of the mount at its root: by ".." components
// of the path itself, or by a link that is meant for the whole guest tree. The operation itself fails with EXDEV.
type Expander interface {
	// Expand says where the resolution of path leaves the mount. The answer begins with ".." (relative to the root
	// of the mount) or "/" (the guest's root). ok is false when the path does not leave, or leaves by a link that
	// must not be followed.
	Expand(path string, follow bool) (out string, ok bool)
}

// Canonicalizer is implemented by a filesystem with links.
type Canonicalizer interface {
	// Canonical resolves every link and ".." of path, the last component included, which must exist. The root is ".".
	Canonical(path string) (string, Errno)
}
