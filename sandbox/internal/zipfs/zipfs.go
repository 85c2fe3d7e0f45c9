// Package zipfs shows the files of a zip archive as a read-only [vfs.FS].
//
// Nothing is unpacked to a disk. Files that are stored are read in place; compressed ones are unpacked into memory while
// they are open, once for everybody who has them open, and bounded in size, one by one and together. What an archive says is not trusted:
// names that are no paths inside it refuse the archive, links and devices in it do not exist, sizes and checksums that
// are wrong make the file unreadable.
package zipfs

import (
	"archive/zip"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

// Bounds of what an archive can be.
const (
	// MaxEntries is the most files and directories of an archive.
	MaxEntries = 100_000
	// MaxUnpacked is the most bytes of compressed files that are open at once.
	MaxUnpacked = 256 << 20
)

// FS is an open archive. It is safe for concurrent use.
type FS struct {
	archive io.ReaderAt
	size    uint64 // of the archive
	close   func() error
	quota   *quota.Quota
	root    *node
	dev     uint64

	mu       sync.Mutex
	unpacked int64
}

var (
	_ vfs.FS            = (*FS)(nil)
	_ vfs.Expander      = (*FS)(nil)
	_ vfs.Canonicalizer = (*FS)(nil)
)

// node is a file or a directory.
type node struct {
	name   string
	parent *node
	ino    uint64
	entry  *zip.File        // of a file
	kids   map[string]*node // of a directory
	mtime  int64

	// Guarded by FS.mu.
	open int    // how often the file is open
	data []byte // of a compressed file that is open
}

func (n *node) isDir() bool { return n.entry == nil }

// Open opens the archive of the host that name names. Open files are charged to q.
func Open(name string, q *quota.Quota) (*FS, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("zipfs: %w", err)
	}
	fsys, err := openFile(f, q)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("zipfs: open %s: %w", name, err)
	}
	return fsys, nil
}

func openFile(f *os.File, q *quota.Quota) (*FS, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(f.Name()))
	fsys := &FS{archive: f, size: uint64(st.Size()), close: f.Close, quota: q, dev: h.Sum64()}
	return fsys, fsys.read(st.ModTime())
}

// read reads the archive's directory and makes the tree.
func (f *FS) read(modified time.Time) error {
	r, err := zip.NewReader(f.archive, int64(f.size))
	if err != nil {
		return err
	}
	if len(r.File) > MaxEntries {
		return fmt.Errorf("%d entries, more than %d", len(r.File), MaxEntries)
	}
	f.root = &node{ino: 1, kids: map[string]*node{}, mtime: modified.UnixNano()}
	b := builder{nodes: 1}
	for _, e := range r.File {
		if err := b.add(f.root, e); err != nil {
			return fmt.Errorf("entry %q: %w", e.Name, err)
		}
	}
	return nil
}

// builder makes the tree.
type builder struct{ nodes uint64 }

func (b *builder) add(at *node, e *zip.File) error {
	mode := e.Mode()
	if !mode.IsRegular() && !mode.IsDir() {
		return nil
	}
	name := strings.TrimSuffix(e.Name, "/")
	if !fs.ValidPath(name) || name == "." || strings.Contains(name, "\\") || vfs.CheckPath(name) != vfs.OK || strings.Count(name, "/") >= vfs.MaxDepth {
		return fmt.Errorf("not a path inside the archive")
	}
	dir, base := path.Split(name)
	for part := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		if part == "" {
			continue
		}
		next, err := b.child(at, part, nil)
		if err != nil {
			return err
		}
		at = next
	}
	if mode.IsDir() {
		e = nil
	}
	n, err := b.child(at, base, e)
	if err == nil && e != nil {
		n.mtime = e.Modified.UnixNano()
	}
	return err
}

// child finds or makes an entry of a directory: a directory when file is nil.
func (b *builder) child(dir *node, name string, file *zip.File) (*node, error) {
	if n := dir.kids[name]; n != nil {
		if !n.isDir() || file != nil {
			return nil, fmt.Errorf("the name is there twice")
		}
		return n, nil
	}
	if b.nodes++; b.nodes > MaxEntries {
		return nil, fmt.Errorf("more than %d files and directories", MaxEntries)
	}
	n := &node{name: name, parent: dir, ino: b.nodes, entry: file, mtime: dir.mtime}
	if file == nil {
		n.kids = map[string]*node{}
	}
	dir.kids[name] = n
	return n, nil
}

// Close closes the archive; files that are still open cannot be read any more.
func (f *FS) Close() error { return f.close() }

// find resolves a path. With ENOENT, at is the directory in which the last component is missing, or nil when another is.
// With EXDEV, out is where the path leads.
func (f *FS) find(name string) (at *node, out string, errno vfs.Errno) {
	if errno := vfs.CheckPath(name); errno != vfs.OK {
		return nil, "", errno
	}
	at, slash := f.root, false
	for rest := name; !vfs.OnlySlashes(rest); {
		part, after := vfs.NextName(rest)
		if !at.isDir() {
			return nil, "", vfs.ENOTDIR
		}
		switch part {
		case ".":
		case "..":
			if at.parent == nil {
				return nil, ".." + after, vfs.EXDEV
			}
			at = at.parent
		default:
			next := at.kids[part]
			if next == nil {
				if !vfs.OnlySlashes(after) {
					at = nil
				}
				return at, "", vfs.ENOENT
			}
			at = next
		}
		rest, slash = after, after != ""
	}
	if slash && !at.isDir() {
		return nil, "", vfs.ENOTDIR
	}
	return at, "", vfs.OK
}

const blockSize = 4096

func (f *FS) stat(n *node) vfs.Stat {
	st := vfs.Stat{Dev: f.dev, Ino: n.ino, Nlink: 1, Atime: n.mtime, Mtime: n.mtime, Ctime: n.mtime, Mode: 0o444, Type: vfs.TypeRegular}
	if n.isDir() {
		st.Mode, st.Type, st.Nlink = 0o555, vfs.TypeDirectory, 2
		return st
	}
	st.Size = int64(n.entry.UncompressedSize64)
	st.Blocks = (st.Size + 511) / 512
	return st
}

// Stat implements [vfs.FS].
func (f *FS) Stat(name string, _ bool) (vfs.Stat, vfs.Errno) {
	n, _, errno := f.find(name)
	if errno != vfs.OK {
		return vfs.Stat{}, errno
	}
	return f.stat(n), vfs.OK
}

// Open implements [vfs.FS].
func (f *FS) Open(name string, flags vfs.OpenFlag, _ uint32) (vfs.File, vfs.Errno) {
	n, _, errno := f.find(name)
	create, directory := flags&vfs.Create != 0, flags&vfs.Directory != 0
	switch {
	case create && directory:
		return nil, vfs.EINVAL
	case errno == vfs.ENOENT && create && n != nil:
		return nil, vfs.EROFS
	case errno != vfs.OK:
		return nil, errno
	case create && flags&vfs.Exclusive != 0:
		return nil, vfs.EEXIST
	case n.isDir() && flags&(vfs.Create|vfs.Write|vfs.Truncate) != 0:
		return nil, vfs.EISDIR
	case directory && !n.isDir():
		return nil, vfs.ENOTDIR
	case flags&(vfs.Write|vfs.Truncate) != 0:
		return nil, vfs.EROFS
	}
	if errno := f.quota.OpenHandle(); errno != vfs.OK {
		return nil, errno
	}
	opened, errno := f.open(n, flags&vfs.Read != 0)
	if errno != vfs.OK {
		f.quota.CloseHandle()
	}
	return opened, errno
}

func (f *FS) open(n *node, readable bool) (vfs.File, vfs.Errno) {
	if n.isDir() {
		return &directory{fs: f, node: n}, vfs.OK
	}
	return f.openEntry(n, readable)
}

// Expand implements [vfs.Expander].
func (f *FS) Expand(name string, _ bool) (string, bool) {
	_, out, errno := f.find(name)
	return out, errno == vfs.EXDEV
}

// Canonical implements [vfs.Canonicalizer].
func (f *FS) Canonical(name string) (string, vfs.Errno) {
	n, _, errno := f.find(name)
	if errno != vfs.OK {
		return "", errno
	}
	var parts []string
	for ; n.parent != nil; n = n.parent {
		parts = append(parts, n.name)
	}
	if len(parts) == 0 {
		return ".", vfs.OK
	}
	slices.Reverse(parts)
	return strings.Join(parts, "/"), vfs.OK
}

// existing is errno for what exists.
func (f *FS) existing(name string, errno vfs.Errno) vfs.Errno {
	if _, _, missing := f.find(name); missing != vfs.OK {
		return missing
	}
	return errno
}

// vacant is EROFS where something could be made, were it allowed.
func (f *FS) vacant(name string) vfs.Errno {
	n, _, errno := f.find(name)
	switch {
	case errno == vfs.OK:
		return vfs.EEXIST
	case errno == vfs.ENOENT && n != nil:
		return vfs.EROFS
	}
	return errno
}

// Readlink implements [vfs.FS]. There are no links.
func (f *FS) Readlink(name string) (string, vfs.Errno) { return "", f.existing(name, vfs.EINVAL) }

// Mkdir implements [vfs.FS].
func (f *FS) Mkdir(name string, _ uint32) vfs.Errno { return f.vacant(name) }

// Symlink implements [vfs.FS].
func (f *FS) Symlink(_, name string) vfs.Errno { return f.vacant(name) }

// Rmdir implements [vfs.FS].
func (f *FS) Rmdir(name string) vfs.Errno {
	if n, _, errno := f.find(name); errno == vfs.OK && !n.isDir() {
		return vfs.ENOTDIR
	}
	return f.existing(name, vfs.EROFS)
}

// Unlink implements [vfs.FS].
func (f *FS) Unlink(name string) vfs.Errno {
	if n, _, errno := f.find(name); errno == vfs.OK && n.isDir() {
		return vfs.EISDIR
	}
	return f.existing(name, vfs.EROFS)
}

// Rename implements [vfs.FS].
func (f *FS) Rename(oldName, newName string) vfs.Errno {
	if _, _, errno := f.find(newName); errno == vfs.EXDEV {
		return errno
	}
	return f.existing(oldName, vfs.EROFS)
}

// Link implements [vfs.FS].
func (f *FS) Link(oldName, newName string, _ bool) vfs.Errno {
	if errno := f.existing(oldName, vfs.OK); errno != vfs.OK {
		return errno
	}
	return f.vacant(newName)
}

// Chmod implements [vfs.FS].
func (f *FS) Chmod(name string, _ uint32, _ bool) vfs.Errno { return f.existing(name, vfs.EROFS) }

// Utimes implements [vfs.FS].
func (f *FS) Utimes(name string, _, _ int64, flags vfs.TimeFlag, _ bool) vfs.Errno {
	if !flags.Valid() {
		return vfs.EINVAL
	}
	return f.existing(name, vfs.EROFS)
}

// Statfs implements [vfs.FS].
func (f *FS) Statfs(name string) (vfs.Statfs, vfs.Errno) {
	return vfs.Statfs{BlockSize: blockSize}, f.existing(name, vfs.OK)
}
