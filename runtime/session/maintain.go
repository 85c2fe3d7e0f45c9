package session

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/config"
	"openclaw/runtime/internal/db"
)

// MaintainEvery is how often Maintain cleans up, whichever process calls it.
const MaintainEvery = 30 * time.Minute

// Maintain is Clean now and then: it does nothing, and ran is false, when any process has done it within MaintainEvery.
func (s *Store) Maintain(ctx context.Context, policy config.Maintenance) (done Cleanup, ran bool, err error) {
	if ran, err = s.takeMaintenance(ctx); err != nil || !ran {
		return done, false, err
	}
	done, err = s.Clean(ctx, policy, false)
	return done, true, err
}

// takeMaintenance finds out whether the time has come, and takes the work over if it has. Most often it only reads.
func (s *Store) takeMaintenance(ctx context.Context) (taken bool, err error) {
	err = s.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		taken, err = s.maintenanceDue(conn)
		return err
	})
	if err == nil && taken {
		err = s.db.Write(ctx, func(conn *sqlite.Conn) (err error) {
			if taken, err = s.maintenanceDue(conn); err != nil || !taken {
				return err
			}
			return db.Exec(conn, "INSERT OR REPLACE INTO upkeep (one, cleaned_at) VALUES (1, ?)", nil, s.now().UnixMilli())
		})
	}
	if err != nil {
		return false, fmt.Errorf("session: clean up: %w", err)
	}
	return taken, nil
}

func (s *Store) maintenanceDue(conn *sqlite.Conn) (due bool, err error) {
	due = true
	err = db.Exec(conn, "SELECT cleaned_at FROM upkeep", func(row *sqlite.Stmt) error {
		since := s.now().Sub(time.UnixMilli(row.ColumnInt64(0)))
		due = since < 0 || since >= MaintainEvery // a clock that was set back makes it due, too
		return nil
	})
	return due, err
}
