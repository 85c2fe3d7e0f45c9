package session

import (
	"bytes"
	"context"
	"slices"

	"zombiezen.com/go/sqlite"
)

// Context is what a model is shown of a session, oldest first: the branch of the leaf since its last compaction or reset. After
// a compaction that is the compaction itself, for its summary, then what it kept, then what came later.
//
// Tool calls and results always come in pairs, whatever was imported: a call without a result is followed by one that says that
// the tool was interrupted (it has no id and is not stored), and a result without a call is left out.
func (s *Store) Context(ctx context.Context, ref Ref) (entries []Entry, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		info, err := s.lookup(conn, ref)
		if err != nil {
			return err
		}
		entries, err = contextOf(conn, info.window, info.leaf)
		return err
	})
	return entries, wrap(err, "read", ref)
}

func contextOf(conn *sqlite.Conn, window, leaf int64) ([]Entry, error) {
	var newer, kept []node // newest first
	var boundary *node     // the last compaction or reset
	var firstKept string
	complete := true
	err := walk(conn, window, leaf, func(n node) bool {
		switch {
		case boundary == nil && (n.Type == TypeCompaction || n.Type == TypeReset):
			f, err := readFacts(n.Type, n.Body)
			boundary, firstKept = &n, f.firstKept
			complete = err != nil || firstKept == ""
			return !complete
		case boundary == nil:
			newer = append(newer, n)
			return true
		case n.Type != TypeCompaction: // the summary of an older one is part of the newer one's
			kept = append(kept, n)
		}
		complete = n.ID == firstKept
		return !complete
	})
	if err != nil {
		return nil, err
	}
	var list []node
	if boundary != nil && boundary.Type == TypeCompaction {
		list = append(list, *boundary)
	}
	if complete { // else what should have been kept is not on this branch
		slices.Reverse(kept)
		list = append(list, kept...)
	}
	slices.Reverse(newer)
	list = append(list, newer...)
	return paired(slices.DeleteFunc(list, func(n node) bool { return !inContext(n.Type) })), nil
}

// paired puts a result behind each call that has none, and leaves out results without a call.
func paired(nodes []node) []Entry {
	list := make([]Entry, 0, len(nodes))
	var open []Call
	settle := func() {
		for _, c := range open {
			e := interruptedResult(c)
			e.Time = list[len(list)-1].Time
			list = append(list, e)
		}
		open = nil
	}
	for _, n := range nodes {
		f, err := n.pairing()
		if err != nil {
			continue // no model could read it
		}
		if f.role == RoleToolResult {
			i := slices.IndexFunc(open, func(c Call) bool { return c.ID == f.resultFor })
			if i < 0 {
				continue
			}
			open = slices.Delete(open, i, i+1)
			list = append(list, n.Entry)
			continue
		}
		settle()
		list = append(list, n.Entry)
		open = f.calls
	}
	settle()
	return list
}

// pairing is what is to be known of an entry for pairing calls with results. Most entries have neither, which can be seen
// without taking them apart: that is most of what a long context costs. Bodies with escapes are always taken apart, as they can
// hide a word; a role is stored only of entries that were understood.
func (n node) pairing() (facts, error) {
	switch n.role {
	case RoleUser, RoleCustom, RoleBash:
		return facts{role: n.role}, nil
	case RoleAssistant:
		if !bytes.Contains(n.Body, []byte("toolCall")) && !bytes.Contains(n.Body, []byte(`\u`)) {
			return facts{role: n.role}, nil
		}
	}
	return readFacts(n.Type, n.Body)
}
