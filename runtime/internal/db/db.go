// Package db opens the SQLite databases of the runtime and runs transactions on them.
//
// A database is only ever opened for writing when it carries the application id of its Schema: a file of another program, or of
// a newer version of this one, is recognised without a single write, lock or file beside it, and refused with a typed error. A
// new database appears whole under its name or not at all. Every failure that a user can do something about (no space, read-only,
// locked, damaged, foreign, newer) is an *Error with one of the package's reasons.
//
// Databases are in WAL mode: readers and the one writer do not wait for each other. The synchronous mode is NORMAL: a
// transaction that has been committed survives the end of the process at any moment, by kill -9 too, and no crash of the
// machine damages the database; but after a loss of power the newest transactions may be missing. Sync closes that gap where it
// matters, at the cost of one flush for any number of transactions.
package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Schema is one kind of database.
type Schema struct {
	Name          string   // in messages, such as "agent database"
	ApplicationID int32    // of files of this kind; never 0
	Migrations    []string // the script at index n brings version n to n+1; version 0 is empty
}

func (s Schema) version() int64 { return int64(len(s.Migrations)) }

// Options say how a database is opened.
type Options struct {
	Schema Schema
	// ReadOnly never creates, changes or migrates anything. A database on read-only media can be opened only so.
	ReadOnly bool
	// BusyTimeout bounds how long a transaction waits for the writer of another process. Zero is DefaultBusyTimeout.
	BusyTimeout time.Duration
}

// Limits.
const (
	DefaultBusyTimeout = 10 * time.Second
	busyStep           = 20 * time.Millisecond // how long SQLite waits before it is asked again, and the context looked at
	maxReaders         = 4                     // connections for reading
	cacheKiB           = 8 << 10               // page cache of a connection
	walKeepBytes       = 16 << 20              // the WAL file is cut to this size when it is reset
	walMoveBytes       = 4 << 20               // from this size on its contents are moved to the database, beside what runs
	walMaxPages        = 16_000                // from this size on a writer moves them itself, which it has to wait for
)

// DB is an open database: one connection that writes, and a few that read. It may be used by many goroutines.
type DB struct {
	path    string
	options Options
	source  string // what SQLite is given, a path or a URI
	flags   sqlite.OpenFlags

	pageSize int64

	writer  chan *sqlite.Conn // holds the writing connection while nobody uses it
	readers chan *sqlite.Conn // holds idle connections, and nil for each that may still be opened

	moves  chan struct{} // asks for a checkpoint
	movers sync.WaitGroup
	moved  atomic.Int64 // checkpoints that were asked for

	closing sync.Once
	closed  chan struct{}
}

// Open opens the database at a path, which it makes when it is not there. With ReadOnly, a missing one is an error that
// matches fs.ErrNotExist.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("db: open %s: %w", path, err)
	}
	if o.BusyTimeout <= 0 {
		o.BusyTimeout = DefaultBusyTimeout
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && !o.ReadOnly {
		if err := create(ctx, path, o.Schema); err != nil {
			return nil, openError(path, err)
		}
	}
	if err := identify(path, o.Schema); err != nil {
		return nil, openError(path, err)
	}
	d := &DB{
		path: path, options: o, source: path, flags: sqlite.OpenReadWrite,
		writer: make(chan *sqlite.Conn, 1), readers: make(chan *sqlite.Conn, maxReaders),
		moves: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	for range maxReaders {
		d.readers <- nil
	}
	if err := d.start(ctx); err != nil {
		_ = d.Close()
		return nil, openError(path, err)
	}
	if !o.ReadOnly {
		d.movers.Go(d.moveWAL)
	}
	return d, nil
}

// start opens the first connection and makes sure that the database is of the version that this program knows.
func (d *DB) start(ctx context.Context) error {
	conn, err := d.connect(ctx)
	if err != nil && d.options.ReadOnly && code(err) != sqlite.ResultBusy {
		conn, err = d.connectReadOnlyMedia(ctx)
	}
	d.writer <- conn // nil when there is none, for Close
	if err != nil {
		return err
	}
	if d.pageSize, err = pragmaInt(conn, "page_size"); err != nil {
		return err
	}
	version, err := d.version(ctx, conn)
	switch {
	case err != nil:
		return err
	case version > d.options.Schema.version():
		return newerError(d.options.Schema, version)
	case version == d.options.Schema.version():
		return nil
	case d.options.ReadOnly:
		return &Error{Reason: ErrOutdated, Detail: fmt.Sprintf("it has version %d, this program reads version %d", version, d.options.Schema.version())}
	}
	return d.Write(ctx, d.migrate)
}

func (d *DB) version(ctx context.Context, conn *sqlite.Conn) (version int64, err error) {
	err = d.patiently(ctx, func() error {
		version, err = pragmaInt(conn, "user_version")
		return err
	})
	return version, err
}

// connect opens a connection as the database's options want it.
func (d *DB) connect(ctx context.Context) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(d.source, d.flags)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(busyStep)
	if err := d.prepare(ctx, conn); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// connectReadOnlyMedia tries what works where nothing can be written: SQLite's own read-only mode, and for a database that
// nobody has open, one that needs no files beside it.
func (d *DB) connectReadOnlyMedia(ctx context.Context) (*sqlite.Conn, error) {
	d.flags = sqlite.OpenReadOnly | sqlite.OpenURI
	d.source = uri(d.path, "mode=ro")
	conn, err := d.connect(ctx)
	if err == nil {
		return conn, nil
	}
	if info, statErr := os.Stat(d.path + walSuffix); statErr == nil && info.Size() > 0 {
		return nil, err
	}
	d.source = uri(d.path, "mode=ro&immutable=1")
	return d.connect(ctx)
}

// prepare sets what holds for every connection. Reading the schema comes last, so that what is wrong with the database is
// found here.
func (d *DB) prepare(ctx context.Context, conn *sqlite.Conn) error {
	settings := fmt.Sprintf(`PRAGMA synchronous = NORMAL; PRAGMA cache_size = -%d; PRAGMA journal_size_limit = %d;
		PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = FAST;
		PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = %d;`, cacheKiB, walKeepBytes, walMaxPages)
	if d.options.ReadOnly {
		settings += "PRAGMA query_only = ON;"
	}
	return d.patiently(ctx, func() error {
		if err := execAll(conn, settings); err != nil {
			return err
		}
		if err := conn.SetDefensive(true); err != nil {
			return err
		}
		_, err := sqlitex.ResultInt64(conn.Prep("SELECT count(*) FROM sqlite_schema"))
		return err
	})
}

// migrate brings the database to the newest version, unless another process has done so meanwhile.
func (d *DB) migrate(conn *sqlite.Conn) error {
	version, err := pragmaInt(conn, "user_version")
	if err != nil {
		return err
	}
	if version > d.options.Schema.version() {
		return newerError(d.options.Schema, version)
	}
	return migrateFrom(conn, d.options.Schema, version)
}

func migrateFrom(conn *sqlite.Conn, s Schema, version int64) error {
	for _, script := range s.Migrations[version:] {
		if err := execAll(conn, script); err != nil {
			return fmt.Errorf("migrate from version %d: %w", version, err)
		}
		version++
	}
	return execAll(conn, fmt.Sprintf("PRAGMA user_version = %d", version))
}

// Path is where the database is, absolute.
func (d *DB) Path() string { return d.path }

// Sync makes sure that every committed transaction survives a loss of power, too.
func (d *DB) Sync() error {
	// What is not in the WAL file any more has been flushed before it was moved to the database. SQLite holds no locks on the
	// WAL file, so closing it here takes none away.
	wal, err := os.OpenFile(d.path+walSuffix, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &Error{Op: "sync", Path: d.path, Err: err}
	}
	defer wal.Close()
	if err := wal.Sync(); err != nil {
		return &Error{Op: "sync", Path: d.path, Err: err}
	}
	return nil
}

// Close waits for transactions that run and closes every connection.
func (d *DB) Close() (err error) {
	d.closing.Do(func() {
		close(d.closed)
		d.movers.Wait()
		for range maxReaders {
			err = errors.Join(err, closeConn(<-d.readers))
		}
		err = errors.Join(err, closeConn(<-d.writer))
	})
	return err
}

func closeConn(conn *sqlite.Conn) error {
	if conn == nil {
		return nil
	}
	return conn.Close()
}
