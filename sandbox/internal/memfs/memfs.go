// Package memfs is a [vfs.FS] in memory: a session's /tmp, and read-only trees that exist nowhere else.
//
// It behaves as a Linux filesystem does for a user who may do everything: directories, symbolic and hard links, files
// that live on while they are open, renames over what is there. Mode bits are kept but nobody is refused by them.
// Reading does not change access times. What is stored is charged to the quota by its logical size.
//
// A path cannot leave the tree: too many ".." are EXDEV, and so is a link out of it. Such a link can only be made with
// [Options.OutsideLinks], which is for a tree that is part of a larger one: [FS.Expand] then says where it leads.
package memfs

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

// maxFileSize bounds a file whatever the quota says, so that the table of its chunks stays small.
const maxFileSize = 64 << 30

// Options say what a tree may do. The zero value is a tree without limits.
type Options struct {
	// Quota is charged for what is stored. Nil is no limit.
	Quota *quota.Quota
	// OutsideLinks allows links with an absolute target, or one that leaves the tree. They lead nowhere by themselves.
	OutsideLinks bool
	// Now is the clock, in nanoseconds since the Unix epoch. Nil is the host's.
	Now func() int64
	// RootMode is the mode of the root directory; zero is 0755.
	RootMode uint32
}

// FS is a tree in memory. It is safe for concurrent use.
type FS struct {
	options Options
	dev     uint64

	mu      sync.RWMutex // guards every node
	root    *node
	lastIno uint64
	frozen  bool
}

var (
	_ vfs.FS            = (*FS)(nil)
	_ vfs.Expander      = (*FS)(nil)
	_ vfs.Canonicalizer = (*FS)(nil)
)

// firstDevice begins the numbers of devices of this package, away from those that hosts use.
const firstDevice = 0x6d656d00_00000000

var devices atomic.Uint64

// New makes an empty tree.
func New(options Options) *FS {
	if options.Now == nil {
		options.Now = func() int64 { return time.Now().UnixNano() }
	}
	if options.RootMode == 0 {
		options.RootMode = 0o755
	}
	fs := &FS{options: options, dev: firstDevice + devices.Add(1)}
	fs.root = fs.newNode(vfs.TypeDirectory, options.RootMode)
	return fs
}

// Freeze makes the tree read-only for good: each change is EROFS.
func (fs *FS) Freeze() {
	fs.mu.Lock()
	fs.frozen = true
	fs.mu.Unlock()
}

// WriteFile puts a file with the given content at path, and makes the directories that are missing. The tree keeps
// data, which must not change; it copies it before a guest writes to the file.
func (fs *FS) WriteFile(path string, data []byte, mode uint32) vfs.Errno {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		if errno := fs.MkdirAll(path[:i], 0o755); errno != vfs.OK {
			return errno
		}
	}
	f, errno := fs.Open(path, vfs.Write|vfs.Create|vfs.Truncate, mode)
	if errno != vfs.OK {
		return errno
	}
	defer f.Close()
	return f.(*file).adopt(data)
}

// MkdirAll makes the directory path and those above it, unless they exist.
func (fs *FS) MkdirAll(path string, perm uint32) vfs.Errno {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if errno := fs.Mkdir(path[:i], perm); errno != vfs.OK && errno != vfs.EEXIST {
			return errno
		}
	}
	st, errno := fs.Stat(path, true)
	if errno == vfs.OK && st.Type != vfs.TypeDirectory {
		return vfs.ENOTDIR
	}
	return errno
}

// node is one file, directory or link.
type node struct {
	ino                 uint64
	kind                vfs.FileType
	mode                uint32
	nlink               uint64
	opened              int // handles
	atime, mtime, ctime int64

	content content // of a file
	target  string  // of a link

	entries map[string]*node // of a directory, as are:
	parent  *node            // nil for the root and for what was removed
	name    string
}

// newNode makes a node that has no name yet.
func (fs *FS) newNode(kind vfs.FileType, mode uint32) *node {
	now := fs.options.Now()
	fs.lastIno++
	n := &node{ino: fs.lastIno, kind: kind, mode: mode & modeMask, nlink: 1, atime: now, mtime: now, ctime: now}
	if kind == vfs.TypeDirectory {
		n.entries = make(map[string]*node)
		n.nlink = 2
	}
	return n
}

const (
	modeMask  = 0o1777 // nobody to be set-user-ID or set-group-ID for
	blockUnit = 512
)

func (fs *FS) stat(n *node) vfs.Stat {
	st := vfs.Stat{
		Dev: fs.dev, Ino: n.ino, Nlink: n.nlink,
		Atime: n.atime, Mtime: n.mtime, Ctime: n.ctime,
		Mode: n.mode, Type: n.kind,
	}
	switch n.kind {
	case vfs.TypeRegular:
		st.Size = n.content.size
		st.Blocks = (n.content.stored() + blockUnit - 1) / blockUnit
	case vfs.TypeSymlink:
		st.Size = int64(len(n.target))
	case vfs.TypeDirectory:
		st.Size = 4096
	}
	return st
}

// attach gives n a name in d.
func (fs *FS) attach(d *node, name string, n *node) {
	d.entries[name] = n
	if n.kind == vfs.TypeDirectory {
		n.parent, n.name = d, name
		d.nlink++
	}
	fs.modified(d)
}

// detach takes a name away from d, and not yet from what it names.
func (fs *FS) detach(d *node, name string) {
	n := d.entries[name]
	delete(d.entries, name)
	if n.kind == vfs.TypeDirectory {
		n.parent = nil
		d.nlink--
	}
	fs.modified(d)
}

func (fs *FS) modified(n *node) {
	n.mtime = fs.options.Now()
	n.ctime = n.mtime
}

// drop counts one name of n less, and frees it when that was the last and it is not open. Each name is charged as a file.
func (fs *FS) drop(n *node) {
	if n.kind == vfs.TypeDirectory {
		n.nlink = 0
	} else if n.nlink--; n.nlink > 0 {
		fs.options.Quota.RemoveFile()
	}
	n.ctime = fs.options.Now()
	fs.reap(n)
}

func (fs *FS) reap(n *node) {
	if n.nlink > 0 || n.opened > 0 {
		return
	}
	fs.options.Quota.Shrink(n.content.size + int64(len(n.target)))
	fs.options.Quota.RemoveFile()
	n.content = content{}
}
