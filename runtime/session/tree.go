package session

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// walkBatch is how many entries of a branch are read at a time.
const walkBatch = 256

// entryColumns are what scanNode reads; e is the entry.
const entryColumns = `e.n, e.parent, e.id, e.type, e.role, e.time, e.body`

// parentColumn is the id of the parent, behind entryColumns.
const parentColumn = `, (SELECT p.id FROM entries p WHERE p.n = e.window << 32 | e.parent)`

// node is an entry with the place of its parent, and its role as it was stored.
type node struct {
	Entry
	role   string
	parent int64
}

// scanNode reads a row of entryColumns. The parent's id is left to the caller.
func scanNode(row *sqlite.Stmt) node {
	return node{
		Entry: Entry{
			Seq: seqOf(row.ColumnInt64(0)), ID: row.ColumnText(2), Type: Type(row.ColumnText(3)),
			Time: timeOf(row.ColumnInt64(5)), Body: columnBytes(row, 6),
		},
		role:   row.ColumnText(4),
		parent: row.ColumnInt64(1),
	}
}

func columnBytes(row *sqlite.Stmt, column int) json.RawMessage {
	b := make(json.RawMessage, row.ColumnLen(column))
	return b[:row.ColumnBytes(column, b)]
}

// scanWithParent reads a row of entryColumns and parentColumn.
func scanWithParent(row *sqlite.Stmt) Entry {
	n := scanNode(row)
	n.ParentID = row.ColumnText(7)
	return n.Entry
}

// errStop ends a query early.
var errStop = fmt.Errorf("stop")

// walk visits the branch that ends in seq, newest first, until visit says that it is enough. A parent is always older than its
// child, and most often it is the entry right before it: as long as that is so, one query reads on. An entry is visited when its
// parent has been read, which has the id that the entry lacks.
func walk(conn *sqlite.Conn, window, seq int64, visit func(node) bool) error {
	var child *node
	for want := seq; want > 0; {
		at := want
		err := db.Exec(conn, "SELECT "+entryColumns+" FROM entries e WHERE e.n BETWEEN ? AND ? ORDER BY e.n DESC", func(row *sqlite.Stmt) error {
			if seqOf(row.ColumnInt64(0)) != want {
				return errStop
			}
			if child != nil {
				child.ParentID = row.ColumnText(2)
				if !visit(*child) {
					want = 0
					return errStop
				}
			}
			n := scanNode(row)
			child, want = &n, n.parent
			if want > 0 {
				return nil
			}
			visit(n) // the root
			return errStop
		}, entryNumber(window, 1), entryNumber(window, want))
		if err != nil && err != errStop {
			return err
		}
		if want == at { // not even the first was there
			return fmt.Errorf("%w: entry %d of the window is missing", ErrDamaged, want)
		}
	}
	return nil
}

// entryAt reads the entry at a place.
func entryAt(conn *sqlite.Conn, window, seq int64) (e Entry, err error) {
	err = db.Exec(conn, "SELECT "+entryColumns+parentColumn+" FROM entries e WHERE e.n = ?", func(row *sqlite.Stmt) error {
		e = scanWithParent(row)
		return nil
	}, entryNumber(window, seq))
	if err == nil && e.Seq == 0 {
		err = fmt.Errorf("%w: entry %d of the window is missing", ErrDamaged, seq)
	}
	return e, err
}

// seqOfID finds an entry of a window.
func seqOfID(conn *sqlite.Conn, window int64, id string) (seq int64, err error) {
	err = db.Exec(conn, "SELECT n FROM entries WHERE id = ? AND window = ?", func(row *sqlite.Stmt) error {
		seq = seqOf(row.ColumnInt64(0))
		return nil
	}, id, window)
	if err == nil && seq == 0 {
		err = fmt.Errorf("%w: %s", ErrNoEntry, id)
	}
	return seq, err
}

// onBranch finds an entry that must be on the branch that ends in leaf.
func onBranch(conn *sqlite.Conn, window, leaf int64, id string) (int64, error) {
	seq, err := seqOfID(conn, window, id)
	if err != nil {
		return 0, err
	}
	at := leaf
	err = walkSeqs(conn, window, leaf, func(here int64) bool {
		at = here
		return here > seq
	})
	if err != nil {
		return 0, err
	}
	if at != seq {
		return 0, fmt.Errorf("%w on this branch: %s", ErrNoEntry, id)
	}
	return seq, nil
}

// branchSeqs are the places of a branch, newest first.
func branchSeqs(conn *sqlite.Conn, window, leaf int64) (list []int64, err error) {
	err = walkSeqs(conn, window, leaf, func(seq int64) bool {
		list = append(list, seq)
		return true
	})
	return list, err
}

// walkSeqs is walk for the places alone; bodies can be large.
func walkSeqs(conn *sqlite.Conn, window, leaf int64, visit func(seq int64) bool) error {
	for want := leaf; want > 0; {
		at := want
		err := db.Exec(conn, "SELECT n, parent FROM entries WHERE n BETWEEN ? AND ? ORDER BY n DESC", func(row *sqlite.Stmt) error {
			if seqOf(row.ColumnInt64(0)) != want {
				return errStop
			}
			here := want
			want = row.ColumnInt64(1)
			if !visit(here) {
				want = 0
			}
			if want == 0 {
				return errStop
			}
			return nil
		}, entryNumber(window, 1), entryNumber(window, want))
		if err != nil && err != errStop {
			return err
		}
		if want == at { // not even the first was there
			return fmt.Errorf("%w: entry %d of the window is missing", ErrDamaged, want)
		}
	}
	return nil
}

// pendingCalls are the calls of the newest message of a branch that have no result yet.
func pendingCalls(conn *sqlite.Conn, window, leaf int64) (pending []Call, err error) {
	answered := map[string]bool{}
	err = walk(conn, window, leaf, func(n node) bool {
		if n.Type == TypeReset {
			return false
		}
		if !inContext(n.Type) {
			return true
		}
		f, factsErr := readFacts(n.Type, n.Body)
		if factsErr != nil || f.role != RoleToolResult {
			pending = f.calls
			return false
		}
		answered[f.resultFor] = true
		return true
	})
	return slices.DeleteFunc(pending, func(c Call) bool { return answered[c.ID] }), err
}

// Branch visits the entries from one to the root, newest first. An empty id is the leaf.
func (s *Store) Branch(ctx context.Context, ref Ref, id string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var window, next int64
		err := s.db.Read(ctx, func(conn *sqlite.Conn) error {
			info, err := s.lookup(conn, ref)
			if err != nil {
				return err
			}
			window, next = info.window, info.leaf
			if id != "" {
				next, err = seqOfID(conn, window, id)
			}
			return err
		})
		for err == nil && next > 0 {
			// Entries never change, so that batches need not be of one transaction.
			var batch []Entry
			batch, next, err = s.walkBatch(ctx, window, next)
			for _, e := range batch {
				if !yield(e, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(Entry{}, wrap(err, "read", ref))
		}
	}
}

func (s *Store) walkBatch(ctx context.Context, window, from int64) (batch []Entry, next int64, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return walk(conn, window, from, func(n node) bool {
			batch, next = append(batch, n.Entry), n.parent
			return len(batch) < walkBatch
		})
	})
	return batch, next, err
}

// EntriesOptions choose entries of a window in the order of writing, whatever branch they are on.
type EntriesOptions struct {
	After int64 // the place behind which to begin
	Limit int   // 0: DefaultPage
}

// Limits of pages.
const (
	DefaultPage = 100
	MaxPage     = 10_000
)

func pageSize(limit int) int {
	if limit <= 0 {
		return DefaultPage
	}
	return min(limit, MaxPage)
}

// Entries reads a page of a window's entries. The next page begins after the Seq of the last; an empty page is the end.
func (s *Store) Entries(ctx context.Context, ref Ref, o EntriesOptions) (page []Entry, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		info, err := s.lookup(conn, ref)
		if err != nil {
			return err
		}
		page, err = entriesAfter(conn, info.window, o.After, pageSize(o.Limit))
		return err
	})
	return page, wrap(err, "read", ref)
}

func entriesAfter(conn *sqlite.Conn, window, after int64, limit int) (page []Entry, err error) {
	err = db.Exec(conn, "SELECT "+entryColumns+parentColumn+" FROM entries e WHERE e.n BETWEEN ? AND ? ORDER BY e.n LIMIT ?", func(row *sqlite.Stmt) error {
		page = append(page, scanWithParent(row))
		return nil
	}, entryNumber(window, max(after, 0)+1), entryNumber(window, maxEntries), limit)
	return page, err
}

// Entry reads one entry.
func (s *Store) Entry(ctx context.Context, ref Ref, id string) (e Entry, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		info, err := s.lookup(conn, ref)
		if err != nil {
			return err
		}
		seq, err := seqOfID(conn, info.window, id)
		if err != nil {
			return err
		}
		e, err = entryAt(conn, info.window, seq)
		return err
	})
	return e, wrap(err, "read", ref)
}
