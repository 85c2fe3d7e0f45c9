package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/sqlite"
)

// A command that was killed has left its lock in a directory that takes no files now: it can be read all the same.
func TestStaleLockInADirectoryThatCannotBeWritten(t *testing.T) {
	r := commandtest.New(t, sqlite.Commands())
	r.Run("", "sqlite3", "a.db", "create table t(n); insert into t values(7)")
	r.Write("a.db-lock", "somebody")
	old := time.Now().Add(-time.Hour)
	commandtest.Must(t, os.Chtimes(filepath.Join(r.Dir, "a.db-lock"), old, old))
	commandtest.Must(t, os.Chmod(r.Dir, 0o555))
	defer os.Chmod(r.Dir, 0o755)
	if got := r.Run("", "sqlite3", "a.db", "select n from t"); got.Stdout != "7\n" {
		t.Errorf("%+v", got)
	}
}
