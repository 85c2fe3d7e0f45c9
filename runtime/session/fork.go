package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// ForkOptions say where a session branches off, and into what.
type ForkOptions struct {
	EntryID string // the last entry of the copy; empty: the leaf
	Key     string // of the new session; empty: agent:AGENT:fork:ID
	Label   string
	Agent   string // whose session it is when Key is empty
}

// Fork makes a new session of a copy of a branch, from its root to an entry. The entries keep their ids and times. The session
// appears when everything has been copied. It is independent of the first one, which it names as its parent.
func (s *Store) Fork(ctx context.Context, ref Ref, o ForkOptions) (info Info, err error) {
	f := forker{store: s, options: o}
	info, err = f.run(ctx, ref)
	return info, wrap(err, "fork", ref)
}

// forker copies into a window that nobody sees before it is complete.
type forker struct {
	store   *Store
	options ForkOptions
	source  Info
	branch  []int64 // places in the source, from the root on
	id      string  // of the new window
	window  int64
	copied  int64
}

func (f *forker) run(ctx context.Context, ref Ref) (info Info, err error) {
	if err := f.store.purge(ctx); err != nil {
		return info, err
	}
	if err := f.store.db.Write(ctx, func(conn *sqlite.Conn) error { return f.begin(conn, ref) }); err != nil {
		return info, err
	}
	for len(f.branch) > 0 && err == nil {
		err = f.store.db.Write(ctx, f.copyBatch)
	}
	if err == nil {
		err = f.store.db.Write(ctx, func(conn *sqlite.Conn) (err error) {
			info, err = f.finish(conn)
			return err
		})
	}
	if err != nil { // what is left where that fails, too, is removed by the next import or deletion
		_ = f.store.purgeWindow(context.WithoutCancel(ctx), f.window)
		return Info{}, err
	}
	return info, nil
}

// begin finds the branch and makes the window.
func (f *forker) begin(conn *sqlite.Conn, ref Ref) (err error) {
	if f.source, err = f.store.lookup(conn, ref); err != nil {
		return err
	}
	leaf := f.source.leaf
	if f.options.EntryID != "" {
		if leaf, err = seqOfID(conn, f.source.window, f.options.EntryID); err != nil {
			return err
		}
	}
	if f.branch, err = branchSeqs(conn, f.source.window, leaf); err != nil {
		return err
	}
	slices.Reverse(f.branch)
	f.id = newSessionID(f.store.now())
	if f.options.Key == "" {
		f.options.Key = agentKey(f.options.Agent, "fork", f.id)
	}
	if err := f.checkKey(conn); err != nil {
		return err
	}
	f.window, err = f.store.newWindow(conn, windowOptions{
		id: f.id, previous: f.source.ID, reason: ReasonFork, cwd: f.source.CWD, owner: f.store.owner,
	})
	return err
}

// checkKey makes sure that there is no such session yet.
func (f *forker) checkKey(conn *sqlite.Conn) error {
	if _, err := ParseKey(f.options.Key); err != nil {
		return err
	}
	_, err := f.store.lookup(conn, Ref{Key: f.options.Key})
	if err == nil {
		return fmt.Errorf("%w: %s", ErrExists, f.options.Key)
	}
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// copyBatch copies the next entries. Entries never change, so that batches need not be of one transaction; but the session
// that they are read from can be deleted meanwhile.
func (f *forker) copyBatch(conn *sqlite.Conn) error {
	batch := f.branch[:min(len(f.branch), importBatch)]
	size := 0
	for i, seq := range batch {
		if size >= importBatchSize {
			batch = batch[:i]
			break
		}
		e, err := entryAt(conn, f.source.window, seq)
		if err != nil {
			return err
		}
		facts, _ := readFacts(e.Type, e.Body) // what an import kept without understanding it is kept
		e.Seq = f.copied + 1
		if err := insertEntry(conn, f.window, f.copied, e, facts); err != nil {
			return err
		}
		f.copied++
		size += len(e.Body)
	}
	f.branch = f.branch[len(batch):]
	return nil
}

// finish shows the session.
func (f *forker) finish(conn *sqlite.Conn) (Info, error) {
	if err := f.checkKey(conn); err != nil { // it may have been made meanwhile
		return Info{}, err
	}
	if err := db.Exec(conn, "UPDATE windows SET leaf = ?, last = ? WHERE n = ?", nil, f.copied, f.copied, f.window); err != nil {
		return Info{}, err
	}
	return f.store.createWith(conn, CreateOptions{Key: f.options.Key, Label: f.options.Label, ParentKey: f.source.Key}, f.window)
}
