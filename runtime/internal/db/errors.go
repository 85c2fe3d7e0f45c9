package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"zombiezen.com/go/sqlite"
)

// Reasons why a database cannot be used. An *Error matches its reason with errors.Is.
var (
	ErrForeign  = errors.New("it belongs to another program")
	ErrNewer    = errors.New("it was written by a newer version of this program")
	ErrOutdated = errors.New("it was written by an older version of this program and cannot be brought up to date read-only")
	ErrLocked   = errors.New("another process has locked it for too long")
	ErrReadOnly = errors.New("it cannot be written: the file, its directory or the file system is read-only")
	ErrFull     = errors.New("there is no space left for it; nothing of the failed change was kept")
	ErrDamaged  = errors.New("it is damaged")
)

// ways says what a user can do about a reason.
var ways = map[error]string{
	ErrForeign:  "set OPENCLAW_STATE_DIR to a directory of this program's own; transcripts can be brought over with 'openclaw sessions import'",
	ErrNewer:    "use that version, or set OPENCLAW_STATE_DIR to another directory",
	ErrOutdated: "a command that changes something there brings it up to date, such as 'openclaw sessions cleanup'",
	ErrLocked:   "try again when that process is done, or end it",
	ErrReadOnly: "make them writable, or set OPENCLAW_STATE_DIR to another directory",
	ErrFull:     "make some space on its file system and try again",
	ErrDamaged:  "nothing was changed; put a backup in its place, or move it away with the files beside it",
}

// Error is a failure of a database.
type Error struct {
	Op     string // open, read, write or sync
	Path   string
	Reason error  // one of the package's reasons, or nil
	Detail string // what was found, or empty
	Err    error  // what SQLite or the system said, or nil
}

func (e *Error) Error() string {
	var parts []string
	if e.Op != "" {
		parts = append(parts, "db: "+e.Op+" "+e.Path)
	}
	if e.Reason != nil {
		parts = append(parts, e.Reason.Error())
	}
	text := strings.Join(parts, ": ")
	switch {
	case e.Detail != "":
		text += " (" + e.Detail + ")"
	case e.Err != nil && e.Reason != nil:
		text += " (" + e.Err.Error() + ")"
	case e.Err != nil && text != "":
		text += ": " + e.Err.Error()
	case e.Err != nil:
		text = e.Err.Error()
	}
	if way := ways[e.Reason]; way != "" {
		text += ": " + way
	}
	return text
}

// Unwrap gives the reason and the cause.
func (e *Error) Unwrap() []error {
	var list []error
	for _, err := range []error{e.Reason, e.Err} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

func newerError(s Schema, version int64) error {
	return &Error{Reason: ErrNewer, Detail: fmt.Sprintf("the %s has version %d, this program knows version %d", s.Name, version, s.version())}
}

// openError completes an error of opening.
func openError(path string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		if e.Op != "" {
			return err
		}
		return &Error{Op: "open", Path: path, Reason: e.Reason, Detail: e.Detail, Err: e.Err}
	}
	reason := reasonOf(code(err))
	if code(err).ToPrimary() == sqlite.ResultCantOpen {
		// The database itself could be opened: the files that SQLite needs beside it could not be.
		return &Error{Op: "open", Path: path, Reason: ErrReadOnly, Detail: "the files that SQLite needs beside it cannot be made", Err: err}
	}
	return &Error{Op: "open", Path: path, Reason: reason, Err: err}
}

// failure makes an *Error of what SQLite said in a transaction, and leaves the errors of its function as they are.
func (d *DB) failure(ctx context.Context, op string, err error) error {
	var typed *Error
	switch {
	case err == nil, errors.As(err, &typed):
		return err
	case ctx.Err() != nil && (code(err).ToPrimary() == sqlite.ResultInterrupt || isBusy(code(err))):
		return context.Cause(ctx)
	case !fromSQLite(err):
		return err
	}
	return &Error{Op: op, Path: d.path, Reason: reasonOf(code(err)), Err: err}
}

// fileError gives an error of the file system its reason.
func fileError(err error) error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &Error{Reason: ErrFull, Err: err}
	case errors.Is(err, syscall.EROFS), errors.Is(err, os.ErrPermission):
		return &Error{Reason: ErrReadOnly, Err: err}
	}
	return &Error{Err: err}
}

func reasonOf(c sqlite.ResultCode) error {
	switch c.ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		return ErrLocked
	case sqlite.ResultReadOnly, sqlite.ResultPerm:
		return ErrReadOnly
	case sqlite.ResultFull:
		return ErrFull
	case sqlite.ResultCorrupt:
		return ErrDamaged
	case sqlite.ResultNotADB:
		return ErrForeign
	case sqlite.ResultIOErr:
		return ioReason(c)
	}
	return nil
}

// ioReason knows the errors of reading and writing that have a plain reason.
func ioReason(c sqlite.ResultCode) error {
	switch c {
	case sqlite.ResultIOErrShortRead:
		return ErrDamaged
	case sqlite.ResultIOErrSHMSize: // the index of the WAL could not grow
		return ErrFull
	}
	return nil
}

func isBusy(c sqlite.ResultCode) bool { return c.ToPrimary() == sqlite.ResultBusy }

// code is the result code of SQLite in an error, or ResultOK.
func code(err error) sqlite.ResultCode {
	if err == nil || !fromSQLite(err) {
		return sqlite.ResultOK
	}
	return sqlite.ErrCode(err)
}

// fromSQLite tells errors of SQLite from all others, which ErrCode takes for plain errors.
func fromSQLite(err error) bool {
	c := sqlite.ErrCode(err)
	return c != sqlite.ResultError || strings.Contains(err.Error(), "sqlite")
}

// IsDuplicate says whether an error is that a value which must be unique exists already.
func IsDuplicate(err error) bool {
	c := code(err)
	return c == sqlite.ResultConstraintUnique || c == sqlite.ResultConstraintPrimaryKey
}
