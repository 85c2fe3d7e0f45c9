package db

import (
	"context"
	"errors"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// ErrClosed is the cause when a database is used after Close.
var ErrClosed = errors.New("the database is closed")

// Write runs a function in a transaction that may write. When Write returns nil, the transaction is committed; when it returns
// an error, nothing of it has happened. The context can end the wait for other writers, and the transaction when its function has
// returned; statements are not broken off, and the commit is not.
func (d *DB) Write(ctx context.Context, run func(*sqlite.Conn) error) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	select {
	case conn := <-d.writer:
		defer func() { d.writer <- conn }()
		err := d.transact(ctx, conn, "BEGIN IMMEDIATE", func(conn *sqlite.Conn) error {
			// A statement of the full-text index that is broken off leaves the connection interrupted for good: the index keeps
			// something open, and SQLite forgets an interruption only when nothing is.
			conn.SetInterrupt(nil)
			err := run(conn)
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return err
		})
		if err == nil {
			d.requestMove(conn)
		}
		return d.failure(ctx, "write", err)
	case <-d.closed:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Read runs a function that sees one state of the database throughout.
func (d *DB) Read(ctx context.Context, run func(*sqlite.Conn) error) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	select {
	case conn := <-d.readers:
		defer func() { d.readers <- conn }()
		if conn == nil {
			opened, err := d.connect(ctx)
			if err != nil {
				return d.failure(ctx, "read", err)
			}
			conn = opened
		}
		err := d.transact(ctx, conn, "BEGIN", run)
		return d.failure(ctx, "read", err)
	case <-d.closed:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// transact leaves the connection outside any transaction, whatever happens.
func (d *DB) transact(ctx context.Context, conn *sqlite.Conn, begin string, run func(*sqlite.Conn) error) (err error) {
	conn.SetInterrupt(ctx.Done())
	finished := false
	defer func() {
		conn.SetInterrupt(nil)
		if finished && err == nil {
			err = sqlitex.Execute(conn, "COMMIT", nil)
		}
		// Also when run panics. SQLite itself may have rolled back already.
		if !conn.AutocommitEnabled() {
			err = errors.Join(err, sqlitex.Execute(conn, "ROLLBACK", nil))
		}
	}()
	if err := d.patiently(ctx, func() error { return sqlitex.Execute(conn, begin, nil) }); err != nil {
		return err
	}
	err = run(conn)
	finished = true
	return err
}

// patiently repeats what SQLite refuses because another process is at work, until the timeout or the context's end.
func (d *DB) patiently(ctx context.Context, run func() error) error {
	deadline := time.Now().Add(d.options.BusyTimeout)
	for {
		err := run()
		if err == nil || !isBusy(code(err)) || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
	}
}

// Exec runs one statement. Its text is prepared once for each connection; row is called for each row of the result.
func Exec(conn *sqlite.Conn, query string, row func(*sqlite.Stmt) error, args ...any) error {
	return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: row})
}

// execAll runs a script without a transaction of its own.
func execAll(conn *sqlite.Conn, script string) error {
	for script = strings.TrimSpace(script); script != ""; script = strings.TrimSpace(script) {
		stmt, rest, err := conn.PrepareTransient(script)
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			more, err = stmt.Step()
		}
		if finalErr := stmt.Finalize(); err == nil {
			err = finalErr
		}
		if err != nil {
			return err
		}
		script = script[len(script)-rest:]
	}
	return nil
}

func pragmaInt(conn *sqlite.Conn, name string) (value int64, err error) {
	err = sqlitex.ExecuteTransient(conn, "PRAGMA "+name, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		value = s.ColumnInt64(0)
		return nil
	}})
	return value, err
}
