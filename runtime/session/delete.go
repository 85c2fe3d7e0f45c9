package session

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// purgeBatch is how many entries are removed in one transaction, so that no writer waits long.
const purgeBatch = 1000

// Delete removes a session with all its windows and entries. A session that a run is writing is not deleted: the error is a
// *BusyError. The session is gone at once or not at all; its entries are removed behind that, and after a crash by the next
// Delete or Import.
func (s *Store) Delete(ctx context.Context, key string) error {
	err := s.db.Write(ctx, func(conn *sqlite.Conn) error {
		info, err := s.lookup(conn, Ref{Key: key})
		if err != nil {
			return err
		}
		if err := s.checkUnclaimed(conn, info); err != nil {
			return err
		}
		if err := db.Exec(conn, "UPDATE windows SET session = NULL, owner = NULL WHERE session = ?", nil, info.session); err != nil {
			return err
		}
		if err := db.Exec(conn, "DELETE FROM inputs WHERE session_key = ?", nil, key); err != nil {
			return err
		}
		return db.Exec(conn, "DELETE FROM sessions WHERE n = ?", nil, info.session)
	})
	if err != nil {
		return wrap(err, "delete", Ref{Key: key})
	}
	return s.purge(ctx)
}

// purge removes the windows that belong to no session, except those that a living process imports.
func (s *Store) purge(ctx context.Context) error {
	var windows []int64
	err := s.db.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Exec(conn, "SELECT n, owner FROM windows WHERE session IS NULL", func(row *sqlite.Stmt) error {
			if row.ColumnIsNull(1) || processEnded(row.ColumnText(1)) {
				windows = append(windows, row.ColumnInt64(0))
			}
			return nil
		})
	})
	for _, w := range windows {
		if err == nil {
			err = s.purgeWindow(ctx, w)
		}
	}
	if err != nil {
		return fmt.Errorf("session: remove what was deleted: %w", err)
	}
	return nil
}

func (s *Store) purgeWindow(ctx context.Context, window int64) error {
	for done := false; !done; {
		err := s.db.Write(ctx, func(conn *sqlite.Conn) error {
			last := int64(-1)
			err := db.Exec(conn, "SELECT max(n) FROM (SELECT n FROM entries WHERE n BETWEEN ? AND ? ORDER BY n LIMIT ?)", func(row *sqlite.Stmt) error {
				if !row.ColumnIsNull(0) {
					last = row.ColumnInt64(0)
				}
				return nil
			}, entryNumber(window, 1), entryNumber(window, maxEntries), purgeBatch)
			if err != nil {
				return err
			}
			if last < 0 {
				done = true
				return db.Exec(conn, "DELETE FROM windows WHERE n = ? AND session IS NULL", nil, window)
			}
			for _, table := range []string{"search WHERE rowid", "entries WHERE n"} {
				if err := db.Exec(conn, "DELETE FROM "+table+" BETWEEN ? AND ?", nil, entryNumber(window, 1), last); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
