package namespace

import (
	"sort"
	"sync/atomic"

	"openclaw/sandbox/internal/vfs"
)

// directory is an open virtual directory.
type directory struct {
	vfs.DirectoryBase
	fs     *FS
	node   *node
	closed atomic.Bool
}

func (d *directory) Stat() (vfs.Stat, vfs.Errno) {
	if d.closed.Load() {
		return vfs.Stat{}, vfs.EBADF
	}
	return d.fs.stat(d.node), vfs.OK
}

func (d *directory) Readdir() ([]vfs.Dirent, vfs.Errno) {
	if d.closed.Load() {
		return nil, vfs.EBADF
	}
	return d.node.dirents(), vfs.OK
}

func (d *directory) Chmod(uint32) vfs.Errno                      { return vfs.EROFS }
func (d *directory) Utimes(int64, int64, vfs.TimeFlag) vfs.Errno { return vfs.EROFS }

func (d *directory) Close() vfs.Errno {
	if d.closed.Swap(true) {
		return vfs.EBADF
	}
	return vfs.OK
}

// dirents lists the children of n in the order of their names. The inode number of a mount point is that of what is
// mounted.
func (n *node) dirents() []vfs.Dirent {
	entries := make([]vfs.Dirent, 0, len(n.children))
	for name, child := range n.children {
		ino := child.ino
		if child.fs != nil {
			if st, errno := child.fs.Stat(".", true); errno == vfs.OK {
				ino = st.Ino
			}
		}
		entries = append(entries, vfs.Dirent{Name: name, Ino: ino, Type: vfs.TypeDirectory})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
	return entries
}

// merged is an open directory of a mount with the mount points in it.
type merged struct {
	vfs.File
	node *node
}

func (m *merged) Readdir() ([]vfs.Dirent, vfs.Errno) {
	entries, errno := m.File.Readdir()
	if errno != vfs.OK {
		return nil, errno
	}
	visible := entries[:0]
	for _, entry := range entries {
		if m.node.children[entry.Name] == nil {
			visible = append(visible, entry)
		}
	}
	return append(visible, m.node.dirents()...), vfs.OK
}
