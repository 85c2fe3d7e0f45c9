// Package quota counts what one session takes from its filesystems, and says no before a limit is passed.
//
// A Quota is shared by every mount of a session and safe for concurrent use. A filesystem charges it before it acts
// and gives back what the action did not need. Bytes are logical sizes: a hole counts as if it were written, so a
// sparse file cannot promise more than the limit. What a guest frees beyond what it was charged (a file that was
// there before) is not a gain: usage never falls below zero.
//
// A nil *Quota limits nothing and counts nothing.
package quota

import (
	"sync"
	"sync/atomic"

	"openclaw/sandbox/internal/vfs"
)

// Limits are the bounds of one session. Zero means no bound.
type Limits struct {
	Bytes    int64 // logical bytes in files, over all writable mounts
	Files    int64 // names made, of files, directories and links
	FileSize int64 // logical size of one file
	Handles  int64 // files and directories open at once
	Depth    int64 // components in a canonical path below the root of its mount
}

// A Kind names one of the limits. Its text is what a result shows to the user.
type Kind string

// The kinds of limit, in the order in which Hit lists them.
const (
	Bytes    Kind = "disk"
	Files    Kind = "files"
	FileSize Kind = "file-size"
	Handles  Kind = "open-files"
	Depth    Kind = "path-depth"
)

var kinds = [...]Kind{Bytes, Files, FileSize, Handles, Depth}

// Usage is what is taken at one moment.
type Usage struct {
	Bytes, Files, Handles int64
}

// Quota is the account of one session.
type Quota struct {
	limits  Limits
	onHit   func(Kind)
	bytes   counter
	files   counter
	handles counter
	hit     [len(kinds)]atomic.Bool
	within  *Quota // nil: it stands alone
}

// New makes an account with nothing taken. onHit, when not nil, is called each time an operation is refused; it must
// not block and must not call back into the filesystem.
func New(limits Limits, onHit func(Kind)) *Quota {
	return &Quota{limits: limits, onHit: onHit}
}

// Within makes an account whose charges are another one's, too: what either refuses is refused. Both are told of it as onHit is.
func (q *Quota) Within(limits Limits) *Quota {
	part := &Quota{limits: limits, within: q}
	if q != nil {
		part.onHit = q.onHit
	}
	return part
}

// Grow charges n logical bytes, or fails with EDQUOT and charges nothing.
func (q *Quota) Grow(n int64) vfs.Errno {
	if q == nil || n <= 0 {
		return vfs.OK
	}
	if !q.bytes.take(n, q.limits.Bytes) {
		q.refused(Bytes)
		return vfs.EDQUOT
	}
	errno := q.within.Grow(n)
	if errno != vfs.OK {
		q.bytes.give(n)
	}
	return errno
}

// Shrink gives n bytes back.
func (q *Quota) Shrink(n int64) {
	if q != nil && n > 0 {
		q.bytes.give(n)
		q.within.Shrink(n)
	}
}

// AddFile charges one name, or fails with EDQUOT.
func (q *Quota) AddFile() vfs.Errno {
	if q == nil {
		return vfs.OK
	}
	if !q.files.take(1, q.limits.Files) {
		q.refused(Files)
		return vfs.EDQUOT
	}
	errno := q.within.AddFile()
	if errno != vfs.OK {
		q.files.give(1)
	}
	return errno
}

// RemoveFile gives one name back.
func (q *Quota) RemoveFile() {
	if q != nil {
		q.files.give(1)
		q.within.RemoveFile()
	}
}

// OpenHandle charges one open file, or fails with EMFILE.
func (q *Quota) OpenHandle() vfs.Errno {
	if q == nil {
		return vfs.OK
	}
	if !q.handles.take(1, q.limits.Handles) {
		q.refused(Handles)
		return vfs.EMFILE
	}
	errno := q.within.OpenHandle()
	if errno != vfs.OK {
		q.handles.give(1)
	}
	return errno
}

// CloseHandle gives one open file back.
func (q *Quota) CloseHandle() {
	if q != nil {
		q.handles.give(1)
		q.within.CloseHandle()
	}
}

// CheckSize fails with EFBIG when a file may not be size bytes long. A size that is no size, because the sum that made
// it overflowed, is too big too.
func (q *Quota) CheckSize(size int64) vfs.Errno {
	if size < 0 {
		return vfs.EFBIG
	}
	if q == nil || q.limits.FileSize == 0 || size <= q.limits.FileSize {
		return q.wholeSize(size)
	}
	q.refused(FileSize)
	return vfs.EFBIG
}

// wholeSize asks the account around, if there is one.
func (q *Quota) wholeSize(size int64) vfs.Errno {
	if q == nil || q.within == nil {
		return vfs.OK
	}
	return q.within.CheckSize(size)
}

// CheckDepth fails with ENAMETOOLONG when a canonical path may not have n components.
func (q *Quota) CheckDepth(n int) vfs.Errno {
	if n > vfs.MaxDepth {
		return vfs.ENAMETOOLONG
	}
	if q == nil {
		return vfs.OK
	}
	if q.limits.Depth == 0 || int64(n) <= q.limits.Depth {
		return q.within.CheckDepth(n)
	}
	q.refused(Depth)
	return vfs.ENAMETOOLONG
}

// Hit lists the limits that refused something so far.
func (q *Quota) Hit() []Kind {
	if q == nil {
		return nil
	}
	var out []Kind
	for i, k := range kinds {
		if q.hit[i].Load() {
			out = append(out, k)
		}
	}
	return out
}

// Usage says what is taken now.
func (q *Quota) Usage() Usage {
	if q == nil {
		return Usage{}
	}
	return Usage{Bytes: q.bytes.load(), Files: q.files.load(), Handles: q.handles.load()}
}

func (q *Quota) refused(k Kind) {
	for i := range kinds {
		if kinds[i] == k {
			q.hit[i].Store(true)
		}
	}
	if q.onHit != nil {
		q.onHit(k)
	}
}

// What Statfs shows where there is no limit, and the size of the block it counts in.
const (
	blockSize       = 4096
	unlimitedBytes  = 1 << 40
	unlimitedInodes = 1 << 20
)

// Statfs shows the account as the space of a filesystem, which is all that a guest gets to see of the host's disk.
func (q *Quota) Statfs() vfs.Statfs {
	bytes, files := int64(unlimitedBytes), int64(unlimitedInodes)
	var used Usage
	if q != nil {
		used = q.Usage()
		bytes = orElse(q.limits.Bytes, bytes)
		files = orElse(q.limits.Files, files)
	}
	return vfs.Statfs{
		BlockSize:  blockSize,
		Blocks:     uint64(bytes / blockSize),
		BlocksFree: uint64(max(bytes-used.Bytes, 0) / blockSize),
		Files:      uint64(files),
		FilesFree:  uint64(max(files-used.Files, 0)),
	}
}

func orElse(n, unlimited int64) int64 {
	if n == 0 {
		return unlimited
	}
	return n
}

// counter is a sum between zero and a limit. A mutex, not an atomic: both ends clamp, and it is never contended long.
type counter struct {
	mu sync.Mutex
	n  int64
}

// take adds n unless that passes limit; zero is no limit.
func (c *counter) take(n, limit int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := c.n + n
	if sum < c.n || (limit != 0 && sum > limit) {
		return false
	}
	c.n = sum
	return true
}

func (c *counter) give(n int64) {
	c.mu.Lock()
	c.n = max(c.n-n, 0)
	c.mu.Unlock()
}

func (c *counter) load() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}
