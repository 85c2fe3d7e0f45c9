package db

import (
	"context"
	"os"

	"zombiezen.com/go/sqlite"
)

// requestMove asks for a checkpoint when there is enough in the WAL. What moves it to the database flushes the disk, which
// takes as long as a hundred transactions: writers do not wait for that.
func (d *DB) requestMove() {
	info, err := os.Stat(d.path + walSuffix)
	if err != nil || info.Size() < walMoveBytes {
		return
	}
	select {
	case d.moves <- struct{}{}:
	default: // there is a request
	}
}

// moveWAL runs checkpoints, on a connection of its own, until the database is closed. One that fails is tried again after a
// later transaction; nothing is lost when none succeeds.
func (d *DB) moveWAL() {
	var conn *sqlite.Conn
	defer func() { _ = closeConn(conn) }()
	for {
		select {
		case <-d.closed:
			return
		case <-d.moves:
		}
		if conn == nil {
			opened, err := d.connect(context.Background())
			if err != nil {
				continue
			}
			conn = opened
		}
		_ = execAll(conn, "PRAGMA wal_checkpoint(PASSIVE)")
	}
}
