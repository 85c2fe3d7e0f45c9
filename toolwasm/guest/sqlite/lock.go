package sqlite

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"openclaw/toolwasm/guest/sys"
)

// lockSuffix makes the name of a lock from that of its database.
const lockSuffix = "-lock"

// The times of locks. A command that is killed leaves its lock behind; one that works touches it.
const (
	lockRefresh = time.Second
	lockStale   = 30 * time.Second
)

// lockFile is the lock on a database: a file beside it that one connection makes. Guests have no locks of the system, so
// there is one lock for reading and writing, held from the beginning of a transaction to its end. It keeps the commands
// of all sandboxes on a workspace apart; programs outside of a sandbox do not know it.
type lockFile struct {
	path    string
	token   string // what the file holds when the lock is ours
	level   vfs.LockLevel
	touched time.Time
	// useless tells that the directory takes no files: then nobody in this sandbox can write the database either.
	useless bool
}

// raise takes the lock, or makes sure that it is still ours before the database is written.
func (l *lockFile) raise(level vfs.LockLevel) error {
	if l.level == vfs.LOCK_NONE {
		if err := l.acquire(); err != nil {
			return err
		}
	} else if level > l.level && !l.ours() {
		return sqlite3.IOERR_LOCK
	}
	l.level = max(l.level, level)
	return nil
}

func (l *lockFile) lower(level vfs.LockLevel) {
	if level == vfs.LOCK_NONE {
		l.release()
	}
	l.level = min(l.level, level)
}

func (l *lockFile) acquire() error {
	var b [16]byte
	_, _ = rand.Read(b[:])
	l.token = hex.EncodeToString(b[:])
	err := l.create()
	if errors.Is(err, fs.ErrExist) && l.stale() {
		if err = sys.Unlink(l.path); err == nil || errors.Is(err, fs.ErrNotExist) {
			err = l.create()
		}
	}
	switch {
	case err == nil:
		l.touched = time.Now()
		return nil
	case errors.Is(err, fs.ErrExist):
		return sqlite3.BUSY
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		l.useless = true
		return nil
	}
	return systemError(err, sqlite3.IOERR_LOCK)
}

func (l *lockFile) create() error {
	f, err := sys.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, databaseMode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(l.token)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = sys.Unlink(l.path)
	}
	return err
}

// stale reports whether whoever made the lock has gone without taking it away.
func (l *lockFile) stale() bool {
	info, err := sys.Stat(l.path)
	return err == nil && time.Since(info.Mtime) > lockStale
}

// ours reports whether nobody has taken the lock for stale.
func (l *lockFile) ours() bool {
	if l.useless {
		return true
	}
	b, err := sys.ReadFile(l.path)
	return err == nil && string(b) == l.token
}

func (l *lockFile) release() {
	if l.level != vfs.LOCK_NONE && !l.useless && l.ours() {
		_ = sys.Unlink(l.path)
	}
	l.level = vfs.LOCK_NONE
}

// refresh tells others that the lock is in use.
func (l *lockFile) refresh() {
	if l.level == vfs.LOCK_NONE || l.useless {
		return
	}
	if now := time.Now(); now.Sub(l.touched) > lockRefresh {
		l.touched = now
		_ = sys.Chtimes(l.path, now, now)
	}
}

func (l *lockFile) heldByOther() bool {
	if l.level != vfs.LOCK_NONE {
		return false
	}
	_, err := sys.Stat(l.path)
	return err == nil && !l.stale()
}
