package session

import (
	"context"
	"fmt"

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
