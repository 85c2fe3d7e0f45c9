package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// PendingError is the refusal of an entry that would come between a tool call and its result.
type PendingError struct{ Calls []Call }

func (e *PendingError) Error() string {
	ids := make([]string, len(e.Calls))
	for i, c := range e.Calls {
		ids[i] = c.Name + " " + c.ID
	}
	return "tool calls wait for their results: " + strings.Join(ids, ", ")
}

// ErrNoCall is the cause when a tool's result belongs to no call that waits for one.
var ErrNoCall = errors.New("no tool call waits for this result")

// Info is the session as the writer left it.
func (w *Writer) Info() Info {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.info
}

// Pending are the tool calls that wait for their results, in the order of the message.
func (w *Writer) Pending() []Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.pending)
}

// Append adds entries behind the leaf, all or none, and gives them back with their ids, parents, times and places. They are
// committed when it returns. Only the entries' Type and Body need to be set.
func (w *Writer) Append(ctx context.Context, entries ...Entry) (stored []Entry, err error) {
	err = w.change(ctx, "append to", func(t *turn) error {
		for _, e := range entries {
			if !isAppendable(e.Type) {
				return fmt.Errorf("%w: a %q is not appended", ErrInvalidEntry, e.Type)
			}
		}
		stored, err = t.append(entries)
		return err
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// Repair gives each tool call that waits for a result one that says that the tool was interrupted. It is what a run does
// first with a session whose last run did not end by itself.
func (w *Writer) Repair(ctx context.Context) (added []Entry, err error) {
	err = w.change(ctx, "repair", func(t *turn) error {
		for _, call := range slices.Clone(t.pending) {
			stored, err := t.append([]Entry{interruptedResult(call)})
			if err != nil {
				return err
			}
			added = append(added, stored...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// Rewind moves the leaf to an entry of any branch, so that the next entry follows that one. An empty id is the root: the next
// entry begins a new tree. Nothing is removed.
func (w *Writer) Rewind(ctx context.Context, id string) error {
	return w.change(ctx, "rewind", func(t *turn) error {
		return t.moveLeaf(id)
	})
}

// Branch is Rewind with a summary of the branch that is left, which the model is shown in its place.
func (w *Writer) Branch(ctx context.Context, id, summary string) (stored Entry, err error) {
	err = w.change(ctx, "branch", func(t *turn) error {
		from := t.info.LeafID
		if err := t.moveLeaf(id); err != nil {
			return err
		}
		e, err := NewEntry(TypeBranchSummary, map[string]string{"fromId": from, "summary": summary})
		if err != nil {
			return err
		}
		added, err := t.append([]Entry{e})
		if err == nil {
			stored = added[0]
		}
		return err
	})
	if err != nil {
		return Entry{}, err
	}
	return stored, nil
}

// ResetOptions say what a reset leaves of the context.
type ResetOptions struct {
	Reason           string
	FirstKeptEntryID string // the beginning of what stays in the context; empty: nothing stays
}

// Reset begins the context anew in the same window. What was there before stays in the transcript. Tool calls that wait for a
// result are forgotten with everything else.
func (w *Writer) Reset(ctx context.Context, o ResetOptions) (stored Entry, err error) {
	err = w.change(ctx, "reset", func(t *turn) error {
		fields := map[string]string{"reason": o.Reason}
		if o.FirstKeptEntryID != "" {
			fields["firstKeptEntryId"] = o.FirstKeptEntryID
		}
		e, err := NewEntry(TypeReset, fields)
		if err != nil {
			return err
		}
		t.pending = nil
		added, err := t.append([]Entry{e})
		if err == nil {
			stored = added[0]
		}
		return err
	})
	if err != nil {
		return Entry{}, err
	}
	return stored, nil
}

// Rollover ends the window and begins an empty one with a new session id under the same key.
func (w *Writer) Rollover(ctx context.Context, reason Reason, cwd string) (Info, error) {
	err := w.change(ctx, "roll over", func(t *turn) error {
		s, now := w.store, w.store.now().UnixMilli()
		window, err := s.newWindow(t.conn, windowOptions{session: t.info.session, previous: t.info.ID, reason: reason, cwd: cwd})
		if err != nil {
			return err
		}
		if err := db.Exec(t.conn, "UPDATE windows SET ended_at = ? WHERE n = ?", nil, now, t.info.window); err != nil {
			return err
		}
		if err := db.Exec(t.conn, "UPDATE sessions SET window = ?, updated_at = ? WHERE n = ?", nil, window, now, t.info.session); err != nil {
			return err
		}
		t.pending = nil
		t.info, err = s.lookup(t.conn, Ref{Key: t.info.Key})
		return err
	})
	return w.Info(), err
}

// turn is one transaction of a writer. What it learns becomes the writer's when the transaction is committed.
type turn struct {
	conn    *sqlite.Conn
	now     time.Time
	info    Info
	pending []Call
}

// change runs a function in a transaction that has checked the claim.
func (w *Writer) change(ctx context.Context, op string, run func(*turn) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var t *turn
	err := w.store.db.Write(ctx, func(conn *sqlite.Conn) error {
		if err := w.check(conn); err != nil {
			return err
		}
		t = &turn{conn: conn, now: timeOf(w.store.now().UnixMilli()), info: w.info, pending: slices.Clone(w.pending)}
		if err := run(t); err != nil {
			return err
		}
		return t.save()
	})
	if err != nil {
		w.noteLoss(err)
		return wrap(err, op, Ref{Key: w.info.Key})
	}
	w.info, w.pending = t.info, t.pending
	return nil
}

// save writes where the transcript stands, and renews the claim.
func (t *turn) save() error {
	err := db.Exec(t.conn, "UPDATE windows SET leaf = ?, last = ? WHERE n = ?", nil, t.info.leaf, t.info.Entries, t.info.window)
	if err != nil {
		return err
	}
	return db.Exec(t.conn, "UPDATE sessions SET updated_at = ?, interaction_at = ?, writer_until = ? WHERE n = ?", nil,
		t.info.Updated.UnixMilli(), t.info.Interaction.UnixMilli(), t.now.Add(ClaimTTL).UnixMilli(), t.info.session)
}

// append adds entries behind the leaf.
func (t *turn) append(entries []Entry) ([]Entry, error) {
	stored := slices.Clone(entries)
	for i := range stored {
		if err := t.appendOne(&stored[i]); err != nil {
			return nil, err
		}
	}
	return stored, nil
}

func (t *turn) appendOne(e *Entry) error {
	f, err := e.check()
	if err != nil {
		return err
	}
	if err := t.pair(e.Type, f); err != nil {
		return err
	}
	if f.firstKept != "" {
		if _, err := onBranch(t.conn, t.info.window, t.info.leaf, f.firstKept); err != nil {
			return fmt.Errorf("firstKeptEntryId: %w", err)
		}
	}
	if err := t.insert(e, f); err != nil {
		return err
	}
	t.info.leaf, t.info.LeafID = e.Seq, e.ID
	return nil
}

// insert stores an entry whose parent is the leaf.
func (t *turn) insert(e *Entry, f facts) error {
	if t.info.Entries >= maxEntries {
		return fmt.Errorf("%w: the session has %d entries, the most there can be", ErrInvalidEntry, t.info.Entries)
	}
	if e.ID == "" {
		e.ID = newEntryID()
	}
	if e.Time.IsZero() {
		e.Time = t.now
	}
	e.Time = timeOf(e.Time.UnixMilli())
	e.ParentID, e.Seq = t.info.LeafID, t.info.Entries+1
	if err := insertEntry(t.conn, t.info.window, t.info.leaf, *e, f); err != nil {
		return err
	}
	t.info.Entries = e.Seq
	t.info.Updated = t.now
	if f.role == RoleUser {
		t.info.Interaction = t.now
	}
	return nil
}

// insertEntry adds an entry and what the search finds it by.
func insertEntry(conn *sqlite.Conn, window, parent int64, e Entry, f facts) error {
	number := entryNumber(window, e.Seq)
	err := db.Exec(conn, "INSERT INTO entries (n, window, parent, id, type, role, time, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", nil,
		number, window, parent, e.ID, string(e.Type), f.role, e.Time.UnixMilli(), string(e.Body))
	if db.IsDuplicate(err) {
		return fmt.Errorf("%w: %s", ErrDuplicate, e.ID)
	}
	if err != nil || f.text == "" {
		return err
	}
	return db.Exec(conn, "INSERT INTO search (rowid, text) VALUES (?, ?)", nil, number, indexed(f.text))
}

// pair keeps tool calls and their results together: see the package comment.
func (t *turn) pair(kind Type, f facts) error {
	switch {
	case f.role == RoleToolResult:
		i := slices.IndexFunc(t.pending, func(c Call) bool { return c.ID == f.resultFor })
		if i < 0 {
			return fmt.Errorf("%w: %s", ErrNoCall, f.resultFor)
		}
		t.pending = slices.Delete(t.pending, i, i+1)
	case inContext(kind) && len(t.pending) > 0:
		return &PendingError{Calls: slices.Clone(t.pending)}
	case f.role == RoleAssistant:
		t.pending = f.calls
	}
	return nil
}

// moveLeaf records that the leaf was moved, and moves it.
func (t *turn) moveLeaf(id string) error {
	var target any
	seq := int64(0)
	if id != "" {
		found, err := seqOfID(t.conn, t.info.window, id)
		if err != nil {
			return err
		}
		target, seq = id, found
	}
	e, err := NewEntry(TypeLeaf, map[string]any{"targetId": target})
	if err != nil {
		return err
	}
	if err := t.insert(&e, facts{}); err != nil {
		return err
	}
	t.info.leaf, t.info.LeafID = seq, id
	t.pending, err = pendingCalls(t.conn, t.info.window, seq)
	return err
}
