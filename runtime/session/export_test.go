package session

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// CheckIntegrity lets SQLite look for damage in the whole database, the full-text index with it.
func CheckIntegrity(ctx context.Context, s *Store) error {
	return s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Exec(conn, "PRAGMA integrity_check", func(row *sqlite.Stmt) error {
			if text := row.ColumnText(0); text != "ok" {
				return fmt.Errorf("integrity check: %s", text)
			}
			return nil
		})
	})
}

// Limits that tests reach.
const (
	ImportBatch   = importBatch
	MaxLineErrors = maxLineErrors
	MaxLineBytes  = maxLineBytes
)

// WriteOnDatabase runs a statement on the writing connection, for what no user can do.
func WriteOnDatabase(ctx context.Context, s *Store, script string) error {
	return s.db.Write(ctx, func(conn *sqlite.Conn) error {
		return db.Exec(conn, script, nil)
	})
}

// NoOrphans wants nothing in the database that belongs to no session.
func NoOrphans(ctx context.Context, s *Store) error {
	return s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Exec(conn, `SELECT (SELECT count(*) FROM windows WHERE session IS NULL), (SELECT count(*) FROM entries WHERE window NOT IN (SELECT n FROM windows)),
			(SELECT count(*) FROM search WHERE rowid NOT IN (SELECT n FROM entries))`, func(row *sqlite.Stmt) error {
			if row.ColumnInt64(0)+row.ColumnInt64(1)+row.ColumnInt64(2) > 0 {
				return fmt.Errorf("%d windows, %d entries and %d texts belong to nothing", row.ColumnInt64(0), row.ColumnInt64(1), row.ColumnInt64(2))
			}
			return nil
		})
	})
}

// RenewClaimsEvery changes how often claims are renewed.
func RenewClaimsEvery(s *Store, d time.Duration) { s.renewEvery = d }

// Size measures the database.
func Size(ctx context.Context, s *Store) (db.Size, error) { return s.db.Size(ctx) }

// Shrink gives the database's free pages back.
func Shrink(ctx context.Context, s *Store) error { return s.db.Shrink(ctx) }
