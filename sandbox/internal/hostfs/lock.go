package hostfs

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"openclaw/sandbox/internal/vfs"
)

// treeLock orders the operations on one directory of the host: each holds it for reading, and renames for writing, so
// that what an operation decided about a path still holds when it acts. All mounts of the directory in this process
// share it, and a rename takes those of the directories above and below too; otherwise guests of two mounts could do
// together what neither may do alone.
type treeLock struct {
	sync.RWMutex
	id   inodeID
	path string // without links, as far as could be found out
	refs int    // guarded by treeLocks
}

// treeLocks are the locks in use, by the root of the mount.
var treeLocks = struct {
	sync.Mutex
	byRoot map[inodeID]*treeLock
}{byRoot: make(map[inodeID]*treeLock)}

// lockOf returns the lock of the directory root, which was opened at path. It is given back with release.
func lockOf(root dir, path string) (*treeLock, vfs.Errno) {
	h, errno := root.openSelf()
	if errno != vfs.OK {
		return nil, errno
	}
	defer h.close()
	st, errno := h.stat()
	if errno != vfs.OK {
		return nil, errno
	}
	l := sharedLock(idOf(st), path)
	// A rename above or below that began before this mount was known to it must end before its first operation.
	for _, other := range l.overlapping() {
		other.await()
	}
	return l, vfs.OK
}

// await returns when the rename that has the lock, if any, has ended.
func (l *treeLock) await() {
	l.RLock()
	defer l.RUnlock()
}

func sharedLock(id inodeID, path string) *treeLock {
	treeLocks.Lock()
	defer treeLocks.Unlock()
	l := treeLocks.byRoot[id]
	if l == nil {
		l = &treeLock{id: id, path: realPath(path)}
		treeLocks.byRoot[id] = l
	}
	l.refs++
	return l
}

// realPath is path without links, or as it is where that cannot be found out.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if links, err := filepath.EvalSymlinks(path); err == nil {
		path = links
	}
	return path
}

func (l *treeLock) release() {
	treeLocks.Lock()
	defer treeLocks.Unlock()
	if l.refs--; l.refs == 0 {
		delete(treeLocks.byRoot, l.id)
	}
}

// overlapping lists, in an order that all renames share, the locks of directories above and below that of l, and l.
func (l *treeLock) overlapping() []*treeLock {
	treeLocks.Lock()
	defer treeLocks.Unlock()
	list := []*treeLock{l}
	for _, other := range treeLocks.byRoot {
		if other != l && (contains(l.path, other.path) || contains(other.path, l.path)) {
			list = append(list, other)
		}
	}
	slices.SortFunc(list, func(a, b *treeLock) int {
		return cmp.Or(cmp.Compare(a.id.dev, b.id.dev), cmp.Compare(a.id.ino, b.id.ino))
	})
	return list
}

// contains reports whether the directory at path is below the one at dir, or is it.
func contains(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// lockRename keeps all other operations out of the directory, and out of those that overlap with it.
func (l *treeLock) lockRename() (unlock func()) {
	for {
		list := l.overlapping()
		for _, other := range list {
			other.Lock()
		}
		unlock = func() {
			for _, other := range list {
				other.Unlock()
			}
		}
		if slices.Equal(list, l.overlapping()) {
			return unlock
		}
		unlock() // something was mounted or given up meanwhile
	}
}
