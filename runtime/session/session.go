// Package session stores what an agent has been told and has done: sessions, and in each a transcript.
//
// A session has a key, which says whose conversation it is, and one or more windows, each with an id of its own; the newest window
// is the one that is written. The entries of a window are a tree: each has a parent, and the window's leaf is the entry that the
// next one follows. Entries are only ever added. To go back is to move the leaf, which is an entry, too; so is a reset.
//
// What is promised:
//
//   - An entry is committed when Append returns. After kill -9 at any moment every committed entry is there, and no part of any
//     other. (A loss of power may take the newest entries with it unless Sync came after them; see runtime/internal/db.)
//   - One writer at a time. A run claims a session, and every append of it is checked against the claim in its own transaction:
//     a run whose claim was taken over cannot write any more, wherever it runs.
//   - A tool call always has its result in front of the next message. While one is missing, Append refuses everything else,
//     and Repair adds a result that says that the tool was interrupted.
//   - A database of another program or of a newer version is never written, and neither is one that is damaged.
//
// A Store is one agent's database and may be used by many goroutines and processes at once. Nothing about a session is kept in
// the process, except in a Writer while it holds its claim.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// Reasons why a database cannot be used; errors match them with errors.Is. Each error says what can be done about it.
var (
	ErrForeignDatabase = db.ErrForeign
	ErrNewerDatabase   = db.ErrNewer
	ErrOutdated        = db.ErrOutdated
	ErrLocked          = db.ErrLocked
	ErrReadOnly        = db.ErrReadOnly
	ErrFull            = db.ErrFull
	ErrDamaged         = db.ErrDamaged
)

// Errors about sessions.
var (
	ErrNotFound = errors.New("no such session")
	ErrNoEntry  = errors.New("no such entry")
	ErrExists   = errors.New("there is such a session already")
	ErrArchived = errors.New("the session is archived")
)

// Path is where an agent's sessions are kept in a state directory.
func Path(stateDir, agent string) string {
	return filepath.Join(stateDir, "agents", agent, "agent", "openclaw-agent.sqlite")
}

// Options say how a store is opened.
type Options struct {
	Path string
	// ReadOnly changes nothing, and does not make a database that is missing: the error then matches fs.ErrNotExist.
	ReadOnly bool
	// BusyTimeout bounds how long a change waits for that of another process. Zero is 10 s.
	BusyTimeout time.Duration
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// Store is one agent's sessions.
type Store struct {
	db    *db.DB
	now   func() time.Time
	owner string

	renewEvery time.Duration // of claims
}

// Open opens an agent's sessions. The database is made when it is missing.
func Open(ctx context.Context, o Options) (*Store, error) {
	database, err := db.Open(ctx, o.Path, db.Options{Schema: schema(), ReadOnly: o.ReadOnly, BusyTimeout: o.BusyTimeout})
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	s := &Store{db: database, now: o.Now, owner: processOwner(), renewEvery: renewEvery}
	if s.now == nil {
		s.now = time.Now
	}
	return s, nil
}

// Close ends the use of the store. Writers must have been released.
func (s *Store) Close() error { return s.db.Close() }

// Sync makes everything that has been committed survive a loss of power, too. It costs one flush to the disk.
func (s *Store) Sync() error {
	if err := s.db.Sync(); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	return nil
}

// Status is how the newest run of a session ended, or that it has not.
type Status string

// Statuses.
const (
	StatusIdle    Status = "idle"
	StatusRunning Status = "running"
	StatusDone    Status = "done"
	StatusFailed  Status = "failed"
	StatusKilled  Status = "killed"
	StatusTimeout Status = "timeout"
)

// Via is what made a session.
type Via string

// What makes sessions.
const (
	ViaOperator Via = "operator"
	ViaSpawn    Via = "spawn"
	ViaChannel  Via = "channel"
	ViaCron     Via = "cron"
	ViaRun      Via = "run"
	ViaHook     Via = "hook"
	ViaImport   Via = "import"
)

// Reason is why a window was begun.
type Reason string

// Reasons of windows.
const (
	ReasonInitial  Reason = "initial"
	ReasonReset    Reason = "reset"
	ReasonRollover Reason = "rollover"
	ReasonFork     Reason = "fork"
	ReasonImport   Reason = "import"
)

// Info is a session without its entries.
type Info struct {
	Key           string          `json:"key"`
	ID            string          `json:"sessionId"` // of the current window, or of the one that was asked for
	Kind          Kind            `json:"kind"`
	Status        Status          `json:"status"`
	Via           Via             `json:"createdVia"`
	Label         string          `json:"label,omitempty"`
	ParentKey     string          `json:"parentKey,omitempty"`
	Created       time.Time       `json:"createdAt"`
	Updated       time.Time       `json:"updatedAt"`
	Started       time.Time       `json:"sessionStartedAt"` // of the window
	Interaction   time.Time       `json:"lastInteractionAt"`
	Archived      *time.Time      `json:"archivedAt,omitempty"`
	ArchiveReason string          `json:"archiveReason,omitempty"`
	Entries       int64           `json:"entries"` // of the window, on every branch
	LeafID        string          `json:"leafId,omitempty"`
	CWD           string          `json:"cwd,omitempty"`
	RunID         string          `json:"runId,omitempty"` // the run that holds the claim, if it still does
	Meta          json.RawMessage `json:"meta,omitempty"`

	session, window, leaf int64
	fence                 int64
}

// Ref names a session by its key, or one window by its id. One of them is enough; the id wins.
type Ref struct{ Key, ID string }

func (r Ref) String() string {
	if r.ID != "" {
		return r.ID
	}
	return r.Key
}

// infoQuery is completed by a condition on s, the session, and w, one of its windows.
const infoQuery = `SELECT s.n, s.key, s.status, s.via, s.label, s.parent_key, s.created_at, s.updated_at, s.interaction_at,
	s.archived_at, s.archive_reason, s.fence, s.writer, s.writer_owner, s.writer_until, s.meta,
	w.n, w.id, w.created_at, w.cwd, w.last, w.leaf, (SELECT id FROM entries WHERE n = w.n << 32 | w.leaf)
	FROM sessions s JOIN windows w `

// scanInfo reads a row of infoQuery.
func (s *Store) scanInfo(row *sqlite.Stmt) Info {
	i := Info{
		session: row.ColumnInt64(0), Key: row.ColumnText(1), Status: Status(row.ColumnText(2)), Via: Via(row.ColumnText(3)),
		Label: row.ColumnText(4), ParentKey: row.ColumnText(5), Created: timeOf(row.ColumnInt64(6)), Updated: timeOf(row.ColumnInt64(7)),
		Interaction: timeOf(row.ColumnInt64(8)), ArchiveReason: row.ColumnText(10), fence: row.ColumnInt64(11),
		window: row.ColumnInt64(16), ID: row.ColumnText(17), Started: timeOf(row.ColumnInt64(18)), CWD: row.ColumnText(19),
		Entries: row.ColumnInt64(20), leaf: row.ColumnInt64(21), LeafID: row.ColumnText(22),
	}
	if key, err := ParseKey(i.Key); err == nil {
		i.Kind = key.Kind
	}
	if !row.ColumnIsNull(9) {
		t := timeOf(row.ColumnInt64(9))
		i.Archived = &t
	}
	if meta := row.ColumnText(15); meta != "" && meta != "{}" {
		i.Meta = json.RawMessage(meta)
	}
	if c := scanClaim(row, 12); c.held(s.now()) {
		i.RunID = c.run
	} else if i.Status == StatusRunning {
		i.Status = StatusKilled // its process is gone
	}
	return i
}

// lookup finds a session within a transaction.
func (s *Store) lookup(conn *sqlite.Conn, ref Ref) (info Info, err error) {
	condition, arg := "ON w.n = s.window WHERE s.key = ?", ref.Key
	if ref.ID != "" {
		condition, arg = "ON w.session = s.n WHERE w.id = ?", ref.ID
	}
	found := false
	err = db.Exec(conn, infoQuery+condition, func(row *sqlite.Stmt) error {
		info, found = s.scanInfo(row), true
		return nil
	}, arg)
	if err == nil && !found {
		err = ErrNotFound
	}
	return info, err
}

// Get finds a session.
func (s *Store) Get(ctx context.Context, ref Ref) (info Info, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) error {
		info, err = s.lookup(conn, ref)
		return err
	})
	return info, wrap(err, "get", ref)
}

// CreateOptions are what a session begins with. Only the key is needed.
type CreateOptions struct {
	Key       string
	Via       Via // empty: ViaOperator
	Label     string
	ParentKey string
	CWD       string
	Meta      json.RawMessage // a JSON object
}

// Create makes an empty session.
func (s *Store) Create(ctx context.Context, o CreateOptions) (info Info, err error) {
	err = s.db.Write(ctx, func(conn *sqlite.Conn) error {
		if _, err := s.lookup(conn, Ref{Key: o.Key}); err == nil {
			return ErrExists
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		info, err = s.create(conn, o)
		return err
	})
	return info, wrap(err, "create", Ref{Key: o.Key})
}

// create makes a session that is known not to exist.
func (s *Store) create(conn *sqlite.Conn, o CreateOptions) (Info, error) {
	window, err := s.newWindow(conn, windowOptions{reason: ReasonInitial, cwd: o.CWD})
	if err != nil {
		return Info{}, err
	}
	return s.createWith(conn, o, window)
}

// createWith makes a session of a window that belongs to none.
func (s *Store) createWith(conn *sqlite.Conn, o CreateOptions, window int64) (Info, error) {
	if _, err := ParseKey(o.Key); err != nil {
		return Info{}, err
	}
	meta, err := checkMeta(o.Meta)
	if err != nil {
		return Info{}, err
	}
	if o.Via == "" {
		o.Via = ViaOperator
	}
	now := s.now().UnixMilli()
	err = db.Exec(conn, `INSERT INTO sessions (key, window, status, via, label, parent_key, meta, created_at, updated_at, interaction_at, fence)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`, nil,
		o.Key, window, string(StatusIdle), string(o.Via), o.Label, o.ParentKey, meta, now, now, now)
	if err != nil {
		return Info{}, err
	}
	err = db.Exec(conn, "UPDATE windows SET session = ?, owner = NULL WHERE n = ?", nil, conn.LastInsertRowID(), window)
	if err != nil {
		return Info{}, err
	}
	return s.lookup(conn, Ref{Key: o.Key})
}

type windowOptions struct {
	id       string // empty: a new one
	session  int64  // 0: none yet
	previous string
	reason   Reason
	cwd      string
	created  time.Time // zero: now
	owner    string
}

// newWindow adds a window and gives its number.
func (s *Store) newWindow(conn *sqlite.Conn, o windowOptions) (int64, error) {
	if o.created.IsZero() {
		o.created = s.now()
	}
	if o.id == "" {
		o.id = newSessionID(o.created)
	}
	var owned, owner any
	if o.session != 0 {
		owned = o.session
	}
	if o.owner != "" {
		owner = o.owner
	}
	err := db.Exec(conn, `INSERT INTO windows (id, session, previous, reason, cwd, created_at, leaf, last, owner) VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?)`,
		nil, o.id, owned, o.previous, string(o.reason), o.cwd, o.created.UnixMilli(), owner)
	return conn.LastInsertRowID(), err
}

func checkMeta(meta json.RawMessage) (string, error) {
	if len(meta) == 0 {
		return "{}", nil
	}
	if err := checkObject(meta); err != nil {
		return "", fmt.Errorf("meta: %w", err)
	}
	return string(meta), nil
}

func timeOf(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// wrap gives an error its operation and subject.
func wrap(err error, op string, subject fmt.Stringer) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("session: %s %s: %w", op, subject, err)
}
