package db

import (
	"context"

	"zombiezen.com/go/sqlite"
)

// WALFrames says how many pages are in the WAL, and how many of them have been moved.
func WALFrames(ctx context.Context, d *DB) (frames, moved int64, err error) {
	err = d.exclusively(ctx, func(conn *sqlite.Conn) error {
		frames, moved, err = walFrames(conn)
		return err
	})
	return frames, moved, err
}

// MoveWAL moves the WAL while nobody writes, so that the next writer begins it anew.
func MoveWAL(ctx context.Context, d *DB) error {
	return d.exclusively(ctx, func(conn *sqlite.Conn) error { return execAll(conn, "PRAGMA wal_checkpoint(RESTART)") })
}
