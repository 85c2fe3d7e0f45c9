package hostfs

import (
	"sync"

	"openclaw/sandbox/internal/vfs"
)

// treeLock orders the operations on one directory of the host: each holds it for reading, and renames for writing, so
// that what an operation decided about a path still holds when it acts. All mounts of the directory in this process
// share it; otherwise guests of two sessions could do together what neither may do alone.
type treeLock struct {
	sync.RWMutex
	id   inodeID
	refs int // guarded by treeLocks
}

// treeLocks are the locks in use, by the root of the mount.
var treeLocks = struct {
	sync.Mutex
	byRoot map[inodeID]*treeLock
}{byRoot: make(map[inodeID]*treeLock)}

// lockOf returns the lock of the directory root. It is given back with release.
func lockOf(root dir) (*treeLock, vfs.Errno) {
	h, errno := root.openSelf()
	if errno != vfs.OK {
		return nil, errno
	}
	defer h.close()
	st, errno := h.stat()
	if errno != vfs.OK {
		return nil, errno
	}
	treeLocks.Lock()
	defer treeLocks.Unlock()
	l := treeLocks.byRoot[idOf(st)]
	if l == nil {
		l = &treeLock{id: idOf(st)}
		treeLocks.byRoot[l.id] = l
	}
	l.refs++
	return l, vfs.OK
}

func (l *treeLock) release() {
	treeLocks.Lock()
	defer treeLocks.Unlock()
	if l.refs--; l.refs == 0 {
		delete(treeLocks.byRoot, l.id)
	}
}
