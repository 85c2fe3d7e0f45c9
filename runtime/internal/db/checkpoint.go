package db

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// requestMove asks for a checkpoint when there is enough in the WAL. What moves it to the database flushes the disk, which
// takes as long as a hundred transactions: writers do not wait for that.
//
// What counts is what has not been moved yet, and not the size of the WAL's file, which stays as large as it has ever been: a
// request for each transaction from then on would flush the disk without end, and checkpoints of a WAL that is wholly moved are
// the ones that race with the writer that begins it anew.
func (d *DB) requestMove(conn *sqlite.Conn) {
	frames, moved, err := walFrames(conn)
	if err != nil || (frames-moved)*d.pageSize < walMoveBytes {
		return
	}
	select {
	case d.moves <- struct{}{}:
	default: // there is a request
	}
}

// walFrames says how many pages are in the WAL, and how many of them have been moved to the database. It takes no lock and
// reads no file.
func walFrames(conn *sqlite.Conn) (frames, moved int64, err error) {
	err = Exec(conn, "PRAGMA wal_checkpoint(NOOP)", func(row *sqlite.Stmt) error {
		frames, moved = row.ColumnInt64(1), row.ColumnInt64(2)
		return nil
	})
	return frames, moved, err
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
		_ = execAll(conn, moveScript)
		d.moved.Add(1)
		d.catchUp(conn)
	}
}

const moveScript = "PRAGMA wal_checkpoint(PASSIVE)"

// catchUp moves what writers of this process have added meanwhile while they wait, once the WAL is large. It begins anew only
// when all of it has been moved, which otherwise would not happen before they pause.
func (d *DB) catchUp(conn *sqlite.Conn) {
	frames, moved, err := walFrames(conn)
	if err != nil || frames == moved || frames*d.pageSize < walKeepBytes {
		return
	}
	select {
	case writer := <-d.writer:
		_ = execAll(conn, moveScript)
		d.writer <- writer
	case <-d.closed:
	}
}

// Size is what a database takes on the disk.
type Size struct {
	Bytes int64 // of the files
	Used  int64 // of the pages that hold something: what Bytes is after Shrink
}

// Size measures the database.
func (d *DB) Size(ctx context.Context) (size Size, err error) {
	err = d.Read(ctx, func(conn *sqlite.Conn) error {
		pages, err := pragmaInt(conn, "page_count")
		if err != nil {
			return err
		}
		free, err := pragmaInt(conn, "freelist_count")
		size.Used = (pages - free) * d.pageSize
		return err
	})
	if err != nil {
		return Size{}, err
	}
	size.Bytes, err = fileSizes(d.path, d.path+walSuffix)
	return size, err
}

// Shrink gives the pages that hold nothing back to the file system, a few in each transaction, so that writers go on. What
// another process is reading at the time stays in the WAL until the next Shrink or Close.
func (d *DB) Shrink(ctx context.Context) error {
	mode := int64(0)
	err := d.Read(ctx, func(conn *sqlite.Conn) (err error) {
		mode, err = pragmaInt(conn, "auto_vacuum")
		return err
	})
	if err != nil {
		return err
	}
	if mode == vacuumNever {
		err = d.exclusively(ctx, func(conn *sqlite.Conn) error {
			return execAll(conn, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
		})
	}
	for left := int64(1); left > 0 && err == nil; {
		err = d.Write(ctx, func(conn *sqlite.Conn) error {
			before, err := pragmaInt(conn, "freelist_count")
			if err != nil {
				return err
			}
			if err := execAll(conn, shrinkStep); err != nil {
				return err
			}
			left, err = pragmaInt(conn, "freelist_count")
			if left == before { // there is no progress to be made
				left = 0
			}
			return err
		})
	}
	if err != nil {
		return err
	}
	return d.exclusively(ctx, func(conn *sqlite.Conn) error { return emptyWAL(ctx, conn) })
}

// emptyWAL moves everything in the WAL and cuts its file to nothing, unless somebody reads from it for longer than
// emptyPatience.
func emptyWAL(ctx context.Context, conn *sqlite.Conn) error {
	deadline := time.Now().Add(emptyPatience)
	for {
		busy := false
		err := sqlitex.ExecuteTransient(conn, "PRAGMA wal_checkpoint(TRUNCATE)", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
			busy = row.ColumnBool(0)
			return nil
		}})
		if err != nil || !busy || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
	}
}

// emptyPatience is how long Shrink waits for readers and for other checkpoints. SQLite waits in between.
const emptyPatience = 2 * time.Second

// Values of a database's auto_vacuum.
const vacuumNever = 0 // of the first databases

// shrinkStep gives back so many pages that it takes about as long as a few appends.
const shrinkStep = "PRAGMA incremental_vacuum(128)"

// exclusively runs what cannot run in a transaction on the writing connection.
func (d *DB) exclusively(ctx context.Context, run func(*sqlite.Conn) error) error {
	select {
	case conn := <-d.writer:
		defer func() { d.writer <- conn }()
		conn.SetInterrupt(ctx.Done())
		defer conn.SetInterrupt(nil)
		return d.failure(ctx, "write", d.patiently(ctx, func() error { return run(conn) }))
	case <-d.closed:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
