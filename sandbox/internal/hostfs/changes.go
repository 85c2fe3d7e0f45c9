package hostfs

import (
	"sort"
	"sync"
)

// ChangeKind says what became of a path.
type ChangeKind uint8

const (
	Created ChangeKind = iota + 1
	Modified
	Removed
)

func (k ChangeKind) String() string {
	switch k {
	case Created:
		return "created"
	case Modified:
		return "modified"
	case Removed:
		return "removed"
	}
	return "unknown"
}

// Change is one path that is not as it was.
type Change struct {
	Path string // canonical, relative to the root of the mount
	Kind ChangeKind
}

// Changes is a bounded set of what was changed, as net effects: a file made and removed again is not in it, a file
// removed and made again is modified. A renamed directory counts as one path removed and one created; what is in it is
// not listed. Changes is safe for concurrent use.
type Changes struct {
	mu      sync.Mutex
	limit   int
	kinds   map[string]ChangeKind
	dropped bool
	watches map[*Changes]struct{}
}

// NewChanges makes a set that holds at most limit paths.
func NewChanges(limit int) *Changes {
	return &Changes{limit: limit, kinds: make(map[string]ChangeKind)}
}

// List returns the changes so far in the order of their paths; complete is false when some found no room.
func (c *Changes) List() (changes []Change, complete bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	changes = make([]Change, 0, len(c.kinds))
	for path, kind := range c.kinds {
		changes = append(changes, Change{path, kind})
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].Path < changes[j].Path })
	return changes, !c.dropped
}

// Watch returns a set of its own, of at most limit paths, for the changes from now on until stop is called: those of one
// call among many in a session. Changes of calls that run at the same time are in both's.
func (c *Changes) Watch(limit int) (watch *Changes, stop func()) {
	watch = NewChanges(limit)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watches == nil {
		c.watches = make(map[*Changes]struct{})
	}
	c.watches[watch] = struct{}{}
	return watch, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watches, watch)
	}
}

func (c *Changes) record(kind ChangeKind, path string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watches {
		w.record(kind, path)
	}
	before, known := c.kinds[path]
	if !known && len(c.kinds) >= c.limit {
		c.dropped = true
		return
	}
	switch {
	case before == Created && kind == Removed:
		delete(c.kinds, path)
	case before == Created && kind == Modified:
		// It is still a new file.
	case before == Removed && kind == Created:
		c.kinds[path] = Modified
	default:
		c.kinds[path] = kind
	}
}
