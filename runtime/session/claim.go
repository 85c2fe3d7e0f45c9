package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// Limits of claims.
const (
	// ClaimTTL is how long a claim holds after its writer was last heard of. A writer that lives renews it; a writer whose
	// process is seen to have ended on this machine loses it at once.
	ClaimTTL = 60 * time.Second

	renewEvery    = ClaimTTL / 4          // so that a renewal that fails may be tried again
	claimPauseMin = 2 * time.Millisecond  // between two tries for a claim that another run holds
	claimPauseMax = 50 * time.Millisecond //
)

// ErrFenced is the cause when a writer's claim was taken over or given back: nothing that it writes is stored any more.
var ErrFenced = errors.New("the claim on the session is lost")

// BusyError is the failure of a claim that another run holds.
type BusyError struct {
	Key   string
	RunID string
	Until time.Time // when the claim ends unless it is renewed
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("session: claim %s: the run %s is writing the session", e.Key, e.RunID)
}

// claim is what a session's row says of its writer.
type claim struct {
	run, owner string
	until      time.Time
}

// scanClaim reads writer, writer_owner and writer_until from a column on.
func scanClaim(row *sqlite.Stmt, column int) claim {
	if row.ColumnIsNull(column) {
		return claim{}
	}
	return claim{run: row.ColumnText(column), owner: row.ColumnText(column + 1), until: timeOf(row.ColumnInt64(column + 2))}
}

// held says whether somebody holds the claim.
func (c claim) held(now time.Time) bool {
	return c.run != "" && now.Before(c.until) && !processEnded(c.owner)
}

// ClaimOptions say who wants to write which session.
type ClaimOptions struct {
	Key   string
	RunID string
	// Wait bounds how long to wait for another run. Zero: not at all; the failure is then a *BusyError.
	Wait time.Duration
	// Create makes the session when it is missing. Its key is set to Key.
	Create *CreateOptions
}

// Claim makes a run the only writer of a session until Release. The session must not be archived.
func (s *Store) Claim(ctx context.Context, o ClaimOptions) (*Writer, error) {
	if o.RunID == "" {
		o.RunID = newEntryID()
	}
	waiting, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	for pause := claimPauseMin; ; pause = min(2*pause, claimPauseMax) {
		w, err := s.tryClaim(ctx, o)
		var busy *BusyError
		if !errors.As(err, &busy) || o.Wait <= 0 {
			return w, err
		}
		select {
		case <-time.After(pause):
		case <-waiting.Done():
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, err
		}
	}
}

func (s *Store) tryClaim(ctx context.Context, o ClaimOptions) (*Writer, error) {
	w := &Writer{store: s, run: o.RunID, lost: make(chan struct{})}
	err := s.db.Write(ctx, func(conn *sqlite.Conn) (err error) {
		w.info, err = s.lookup(conn, Ref{Key: o.Key})
		if errors.Is(err, ErrNotFound) && o.Create != nil {
			create := *o.Create
			create.Key = o.Key
			w.info, err = s.create(conn, create)
		}
		switch {
		case err != nil:
			return err
		case w.info.Archived != nil:
			return ErrArchived
		}
		if err := s.checkUnclaimed(conn, w.info); err != nil {
			return err
		}
		w.info.fence++
		w.info.RunID, w.info.Status = o.RunID, StatusRunning
		if w.pending, err = pendingCalls(conn, w.info.window, w.info.leaf); err != nil {
			return err
		}
		return db.Exec(conn, "UPDATE sessions SET fence = ?, writer = ?, writer_owner = ?, writer_until = ?, status = ? WHERE n = ?", nil,
			w.info.fence, o.RunID, s.owner, s.now().Add(ClaimTTL).UnixMilli(), string(StatusRunning), w.info.session)
	})
	if err != nil {
		var busy *BusyError
		if errors.As(err, &busy) {
			return nil, err
		}
		return nil, wrap(err, "claim", Ref{Key: o.Key})
	}
	w.renewer.Add(1)
	released, release := context.WithCancel(context.Background())
	w.stop = release
	go w.renew(released, w.info.session, w.info.fence)
	return w, nil
}

// checkUnclaimed fails when a run holds the session.
func (s *Store) checkUnclaimed(conn *sqlite.Conn, info Info) error {
	var c claim
	err := db.Exec(conn, "SELECT writer, writer_owner, writer_until FROM sessions WHERE n = ?", func(row *sqlite.Stmt) error {
		c = scanClaim(row, 0)
		return nil
	}, info.session)
	if err == nil && c.held(s.now()) {
		err = &BusyError{Key: info.Key, RunID: c.run, Until: c.until}
	}
	return err
}

// Writer is a run's claim on a session. Its methods may be called by several goroutines; they run one after the other.
type Writer struct {
	store *Store
	run   string

	mu      sync.Mutex
	info    Info
	pending []Call

	stop    context.CancelFunc
	renewer sync.WaitGroup
	lost    chan struct{}
	losing  sync.Once
}

// Lost is closed when the claim is found to be lost. The run should end then.
func (w *Writer) Lost() <-chan struct{} { return w.lost }

// renew keeps the claim while the writer lives, however long a tool takes. It waits for no append, and so it does not look at
// what appends change.
func (w *Writer) renew(released context.Context, session, fence int64) {
	defer w.renewer.Done()
	ticker := time.NewTicker(w.store.renewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-released.Done():
			return
		case <-ticker.C:
		}
		err := w.store.db.Write(released, func(conn *sqlite.Conn) error {
			err := db.Exec(conn, "UPDATE sessions SET writer_until = ? WHERE n = ? AND fence = ? AND writer IS NOT NULL", nil,
				w.store.now().Add(ClaimTTL).UnixMilli(), session, fence)
			if err == nil && conn.Changes() == 0 {
				err = ErrFenced
			}
			return err
		})
		if w.noteLoss(err) {
			return
		}
		// Any other failure may pass; until then each append is still checked.
	}
}

// noteLoss says whether an error means that the claim is lost.
func (w *Writer) noteLoss(err error) bool {
	if !errors.Is(err, ErrFenced) {
		return false
	}
	w.losing.Do(func() { close(w.lost) })
	return true
}

// Release gives the claim back and says how the run ended. It is an error when the claim has been lost. A context that has
// ended does not prevent it.
func (w *Writer) Release(ctx context.Context, status Status) error {
	w.stop()
	w.renewer.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.store.db.Write(context.WithoutCancel(ctx), func(conn *sqlite.Conn) error {
		if err := w.check(conn); err != nil {
			return err
		}
		return db.Exec(conn, "UPDATE sessions SET writer = NULL, writer_owner = NULL, writer_until = NULL, status = ? WHERE n = ?", nil,
			string(status), w.info.session)
	})
	w.noteLoss(err)
	return wrap(err, "release", Ref{Key: w.info.Key})
}

// check makes sure, within a transaction, that the claim holds and that the transcript is where the writer left it.
func (w *Writer) check(conn *sqlite.Conn) error {
	holds := false
	err := db.Exec(conn, `SELECT s.writer, s.fence, s.window, w.leaf, w.last FROM sessions s JOIN windows w ON w.n = s.window WHERE s.n = ?`,
		func(row *sqlite.Stmt) error {
			holds = row.ColumnText(0) == w.run && row.ColumnInt64(1) == w.info.fence && row.ColumnInt64(2) == w.info.window &&
				row.ColumnInt64(3) == w.info.leaf && row.ColumnInt64(4) == w.info.Entries
			return nil
		}, w.info.session)
	if err == nil && !holds {
		err = ErrFenced
	}
	return err
}
