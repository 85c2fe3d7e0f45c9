package db

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Names of what SQLite keeps beside a database, and of a database that is not complete.
const (
	walSuffix      = "-wal"
	shmSuffix      = "-shm"
	journalSuffix  = "-journal"
	unfinishedName = ".new"
)

// Permissions: what an agent was told is private.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// create makes a database and gives it its name when it is complete. Whoever comes first wins; the others use that one.
func create(ctx context.Context, path string, s Schema) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return fileError(err)
	}
	unlock, err := lockDirectory(ctx, dir)
	if err != nil {
		return fileError(err)
	}
	defer unlock()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	// SQLite would replay an orphan's contents into the new database.
	for _, suffix := range []string{walSuffix, journalSuffix} {
		if _, err := os.Lstat(path + suffix); err == nil {
			return &Error{Reason: ErrDamaged, Detail: fmt.Sprintf("there is %s, but not the database that it belongs to", path+suffix)}
		}
	}
	unfinished := path + unfinishedName
	defer removeDatabase(unfinished)
	removeDatabase(unfinished) // of a process that was killed
	if err := build(unfinished, s); err != nil {
		return err
	}
	return publish(unfinished, path)
}

// build writes an empty database of the newest version and flushes it to the disk.
func build(path string, s Schema) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, fileMode)
	if err != nil {
		return fileError(err)
	}
	if err := file.Close(); err != nil {
		return err
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := execAll(conn, "PRAGMA synchronous = FULL; PRAGMA auto_vacuum = INCREMENTAL; BEGIN IMMEDIATE; PRAGMA application_id = "+strconv.Itoa(int(s.ApplicationID))); err != nil {
		return err
	}
	if err := migrateFrom(conn, s, 0); err != nil {
		return err
	}
	return execAll(conn, "COMMIT; PRAGMA journal_mode = WAL")
}

// publish gives a finished database its name without ever replacing a file.
func publish(from, to string) error {
	err := os.Link(from, to)
	switch {
	case errors.Is(err, os.ErrExist):
		return nil
	case err != nil: // a file system without hard links; other creators are locked out
		err = os.Rename(from, to)
	}
	if err != nil {
		return fileError(err)
	}
	return syncDirectory(filepath.Dir(to))
}

func removeDatabase(path string) {
	for _, suffix := range []string{"", walSuffix, shmSuffix, journalSuffix} {
		_ = os.Remove(path + suffix)
	}
}

func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fileError(err)
	}
	defer d.Close()
	return d.Sync()
}

// identify refuses a file that is not ours, without a trace on the disk.
//
// It must not open the file itself: when a file is closed, a process loses all its POSIX locks on it, among them those of its
// other SQLite connections. SQLite knows how to avoid that. Opened as immutable, it takes no locks and ignores and leaves alone
// the files beside the database. The application id is in the main file from the beginning (see build), so that what is still
// in the WAL does not matter for it.
func identify(path string, s Schema) (err error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileError(err)
	}
	if !info.Mode().IsRegular() {
		return &Error{Reason: ErrForeign, Detail: "it is not a regular file"}
	}
	if info.Size() == 0 {
		return &Error{Reason: ErrDamaged, Detail: "it is empty"}
	}
	conn, err := sqlite.OpenConn(uri(path, "mode=ro&immutable=1"), sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return unreadable(path, err)
	}
	defer conn.Close()
	// While another process moves the WAL into the file, it may be shorter than its header says; this makes SQLite accept that.
	if err := sqlitex.ExecuteTransient(conn, "PRAGMA writable_schema = ON", nil); err != nil {
		return unreadable(path, err)
	}
	id, err := pragmaInt(conn, "application_id")
	if err != nil {
		return unreadable(path, err)
	}
	version, err := pragmaInt(conn, "user_version")
	if err != nil {
		return unreadable(path, err)
	}
	if int32(id) != s.ApplicationID {
		return &Error{Reason: ErrForeign, Detail: fmt.Sprintf("application id %#x, schema version %d", uint32(id), version)}
	}
	if version > s.version() {
		return newerError(s, version)
	}
	return checkLength(conn, path, info.Size())
}

// checkLength finds a database that was cut off within a page; SQLite finds one that lacks whole pages when it opens it. While
// there is a WAL, the missing part may be in it.
func checkLength(conn *sqlite.Conn, path string, size int64) error {
	pages, err := pragmaInt(conn, "page_count")
	if err != nil {
		return err
	}
	pageSize, err := pragmaInt(conn, "page_size")
	if err != nil {
		return err
	}
	if wal, err := os.Stat(path + walSuffix); err == nil && wal.Size() > 0 {
		return nil
	}
	// Another process may have moved its WAL and removed it since the size was read.
	info, err := os.Stat(path)
	if err != nil {
		return fileError(err)
	}
	if want := pages * pageSize; max(size, info.Size()) < want {
		return &Error{Reason: ErrDamaged, Detail: fmt.Sprintf("it has %d bytes and ends in the middle of a page", info.Size())}
	}
	return nil
}

// fileSizes is the size of several files together. Those that are missing take nothing.
func fileSizes(paths ...string) (sum int64, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, fileError(err)
		}
		sum += info.Size()
	}
	return sum, nil
}

// unreadable tells a file that cannot be opened from one that is no database.
func unreadable(path string, err error) error {
	if code(err).ToPrimary() != sqlite.ResultCantOpen {
		return err
	}
	if accessErr := readable(path); accessErr != nil {
		return &Error{Err: accessErr}
	}
	return err
}

// uri is a file's name with parameters for SQLite.
func uri(path, query string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: query}).String()
}
