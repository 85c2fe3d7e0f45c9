package hostfs

import (
	"sync"

	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/vfs"
)

// inodeID is what makes two names the same file.
type inodeID struct{ dev, ino uint64 }

func idOf(st vfs.Stat) inodeID { return inodeID{st.Dev, st.Ino} }

// inode is a regular file that is open at least once. All its handles share it, so that growth is charged once and a
// file that lost its last name is given back when its last handle closes, not before.
type inode struct {
	id     inodeID
	refs   int  // guarded by the table
	orphan bool // guarded by the table

	mu   sync.Mutex
	size int64 // logical, when it was last measured or changed
}

// inodeTable knows the open files.
type inodeTable struct {
	quota *quota.Quota
	mu    sync.Mutex
	open  map[inodeID]*inode
}

// acquire adds a handle to the file that st describes.
func (t *inodeTable) acquire(st vfs.Stat) *inode {
	id := idOf(st)
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.open[id]
	if n == nil {
		n = &inode{id: id, size: st.Size}
		if id.ino != 0 { // systems that do not number files share nothing
			t.open[id] = n
		}
	}
	n.refs++
	return n
}

// release takes a handle away.
func (t *inodeTable) release(n *inode) {
	t.mu.Lock()
	n.refs--
	last := n.refs == 0
	if last && t.open[n.id] == n {
		delete(t.open, n.id)
	}
	orphan := n.orphan
	t.mu.Unlock()
	if last && orphan {
		t.quota.Shrink(n.size)
		t.quota.RemoveFile()
	}
}

// unlinked gives back what st, of which one name was just removed, took: the name, and with the last one the content.
// st is from before the removal.
func (t *inodeTable) unlinked(st vfs.Stat) {
	if st.Type != vfs.TypeRegular || st.Nlink > 1 {
		t.quota.RemoveFile()
		return
	}
	t.mu.Lock()
	n := t.open[idOf(st)]
	if n != nil {
		n.orphan = true
	}
	t.mu.Unlock()
	if n == nil {
		t.quota.Shrink(st.Size)
		t.quota.RemoveFile()
	}
}

// measure makes size what the file really has. It may have been cut or extended by someone else: a program of the host,
// or a guest through another mount; what they did is theirs to be charged for.
func (n *inode) measure(h handle) vfs.Errno {
	st, errno := h.stat()
	if errno == vfs.OK {
		n.size = st.Size
	}
	return errno
}

// extend charges what makes the file end bytes long. settle must follow, with the inode still locked.
func (n *inode) extend(q *quota.Quota, end int64) vfs.Errno {
	if end <= n.size {
		return vfs.OK
	}
	if errno := q.CheckSize(end); errno != vfs.OK {
		return errno
	}
	return q.Grow(end - n.size)
}

// settle makes size what was reached of end, and gives the rest back.
func (n *inode) settle(q *quota.Quota, end, reached int64) {
	charged := max(end, n.size)
	n.size = max(reached, n.size)
	q.Shrink(charged - n.size)
}
