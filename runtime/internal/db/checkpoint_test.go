package db_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestCheckpointsBesideAWriterLoseNothing moves the WAL without a pause while a writer begins it anew all the time, and looks
// at what is there after each transaction. OPENCLAW_CHECKPOINT_SECONDS says for how long. A SQLite before 3.51.3 loses pages
// within a minute or two: its checkpoint can take a WAL that has been begun anew for one that has been moved.
func TestCheckpointsBesideAWriterLoseNothing(t *testing.T) {
	long := time.Second
	if n, err := strconv.Atoi(os.Getenv("OPENCLAW_CHECKPOINT_SECONDS")); err == nil {
		long = time.Duration(n) * time.Second
	}
	const script = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0"
	path := filepath.Join(t.TempDir(), "test.sqlite")
	writer := raw(t, path, script+"; CREATE TABLE t (n INTEGER PRIMARY KEY, text)")
	mover, reader := raw(t, path, script), raw(t, path, script)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = sqlitex.Execute(mover, "PRAGMA wal_checkpoint(PASSIVE)", nil)
			}
		}
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	const kept, most = 3000, 40 // rows in the table, and in a transaction
	written := int64(0)
	for end := time.Now().Add(long); time.Now().Before(end); {
		rows := 1 + written%most
		for _, statement := range []struct {
			text string
			args []any
		}{
			{"BEGIN IMMEDIATE", nil},
			{"WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < ?) INSERT INTO t (text) SELECT zeroblob(?) FROM k", []any{rows, written % kept}},
			{"DELETE FROM t WHERE n <= ?", []any{written - kept}},
			{"COMMIT", nil},
		} {
			if err := sqlitex.Execute(writer, statement.text, &sqlitex.ExecOptions{Args: statement.args}); err != nil {
				t.Fatalf("after %d rows: %s: %v", written, statement.text, err)
			}
		}
		written += rows
		found := int64(0)
		err := sqlitex.Execute(reader, "SELECT max(n) FROM t", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
			found = row.ColumnInt64(0)
			return nil
		}})
		if err != nil || found != written {
			t.Fatalf("%d rows of %d are seen, %v", found, written, err)
		}
	}
	err := sqlitex.ExecuteTransient(reader, "PRAGMA integrity_check", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		if text := row.ColumnText(0); text != "ok" {
			t.Error(text)
		}
		return nil
	}})
	if err != nil {
		t.Error(err)
	}
}
