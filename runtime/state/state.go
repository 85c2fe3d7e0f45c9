// Package state is the database of what belongs to no single agent: <state>/state/openclaw.sqlite. It remembers workspaces, the
// directories of sessions, which models have failed, and what packed skills have been allowed.
//
// Each method is one transaction, and a method that returned nil has committed. A database that is not ours is never written;
// [Open] then fails with an *[Error] that says what to do.
package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
	"openclaw/workspace"
)

// schema is what the database holds. The application id reads "OCst".
var schema = db.Schema{
	Name:          "state database",
	ApplicationID: 0x4f437374,
	Migrations: []string{`
CREATE TABLE workspace_setup_state (
	workspace_key  TEXT PRIMARY KEY,
	workspace_path TEXT NOT NULL,
	bootstrap_seeded_at_ms INTEGER,
	setup_completed_at_ms  INTEGER,
	attested_at_ms         INTEGER,
	updated_at_ms          INTEGER NOT NULL
) STRICT;
CREATE TABLE workspace_generated_bootstrap_hashes (
	workspace_key TEXT NOT NULL REFERENCES workspace_setup_state ON DELETE CASCADE,
	filename      TEXT NOT NULL,
	sha256        TEXT NOT NULL,
	PRIMARY KEY (workspace_key, filename)
) STRICT, WITHOUT ROWID;
CREATE TABLE workspace_path_aliases (
	alias_key      TEXT PRIMARY KEY,
	alias_path     TEXT NOT NULL,
	workspace_key  TEXT NOT NULL,
	workspace_path TEXT NOT NULL,
	updated_at_ms  INTEGER NOT NULL
) STRICT;
CREATE TABLE sandbox_registry_entries (
	root           TEXT NOT NULL,
	name           TEXT NOT NULL,
	scope          TEXT NOT NULL,
	agent_id       TEXT NOT NULL,
	session_key    TEXT NOT NULL,
	workspace_path TEXT NOT NULL,
	made_at_ms     INTEGER NOT NULL,
	used_at_ms     INTEGER NOT NULL,
	PRIMARY KEY (root, name)
) STRICT;
`, `
CREATE TABLE model_standings (
	profile         TEXT NOT NULL,
	model           TEXT NOT NULL, -- empty: every model
	last_used_at_ms INTEGER,
	errors          INTEGER NOT NULL,
	rests_until_ms  INTEGER,
	kind            TEXT NOT NULL,
	PRIMARY KEY (profile, model)
) STRICT, WITHOUT ROWID;
`, `
ALTER TABLE model_standings ADD COLUMN key_mark TEXT NOT NULL DEFAULT '';
`, approvalsTable},
}

// Error is what is wrong with the database and what can be done about it.
type Error = db.Error

// Path is where the database of a state directory is.
func Path(stateDir string) string { return filepath.Join(stateDir, "state", "openclaw.sqlite") }

// DB is the open database. It may be used by many goroutines.
type DB struct {
	db  *db.DB
	now func() time.Time
}

var (
	_ workspace.Store    = (*DB)(nil)
	_ workspace.Registry = (*DB)(nil)
)

// Open opens the database of a state directory, and makes it when there is none.
func Open(ctx context.Context, stateDir string) (*DB, error) {
	return open(ctx, stateDir, false)
}

// OpenReadOnly opens the database for looking only. Where there is none it is an empty one.
func OpenReadOnly(ctx context.Context, stateDir string) (*DB, error) {
	d, err := open(ctx, stateDir, true)
	if errors.Is(err, fs.ErrNotExist) {
		return &DB{now: time.Now}, nil
	}
	return d, err
}

func open(ctx context.Context, stateDir string, readOnly bool) (*DB, error) {
	d, err := db.Open(ctx, Path(stateDir), db.Options{Schema: schema, ReadOnly: readOnly})
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	return &DB{d, time.Now}, nil
}

// Close closes the database.
func (d *DB) Close() error {
	if d.db == nil {
		return nil
	}
	return d.db.Close()
}

// read is Read of the database; of one that is not there nothing is read.
func (d *DB) read(ctx context.Context, what string, run func(*sqlite.Conn) error) error {
	if d.db == nil {
		return nil
	}
	if err := d.db.Read(ctx, run); err != nil {
		return fmt.Errorf("state: read %s: %w", what, err)
	}
	return nil
}

func (d *DB) write(ctx context.Context, what string, run func(*sqlite.Conn) error) error {
	if d.db == nil {
		return fmt.Errorf("state: write %s: %w", what, fs.ErrNotExist)
	}
	if err := d.db.Write(ctx, run); err != nil {
		return fmt.Errorf("state: write %s: %w", what, err)
	}
	return nil
}

// millis is a time as it is stored: NULL when it is zero.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

func timeAt(s *sqlite.Stmt, column string) time.Time {
	if s.IsNull(column) {
		return time.Time{}
	}
	return time.UnixMilli(s.GetInt64(column)).UTC()
}
