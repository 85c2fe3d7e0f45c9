package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/sqlite"
)

// TestCommandsThatWriteAtOnceAreKeptApart lets several write to one table at once; none of their rows may be lost.
func TestCommandsThatWriteAtOnceAreKeptApart(t *testing.T) {
	r := commandtest.New(t, sqlite.Commands())
	r.Run("", "sqlite3", "a.db", "create table t(n)")
	const writers, rows = 4, 5
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range rows {
				sql := fmt.Sprintf("begin; insert into t select count(*) from t; insert into t values(%d); commit", w*rows+i)
				if got := r.Run("", "sqlite3", "-cmd", ".timeout 60000", "a.db", sql); got.Status != 0 {
					t.Errorf("writer %d: %+v", w, got)
				}
			}
		})
	}
	group.Wait()
	got := r.Run("", "sqlite3", "a.db", "select count(*) from t; pragma integrity_check")
	if want := fmt.Sprintf("%d\nok\n", 2*writers*rows); got.Stdout != want {
		t.Errorf("%+v, want %q", got, want)
	}
	if left, _ := filepath.Glob(filepath.Join(r.Dir, "*-*")); len(left) > 0 {
		t.Errorf("files were left behind: %v", left)
	}
}

func TestLockOfAnotherCommandIsRespected(t *testing.T) {
	r := commandtest.New(t, sqlite.Commands())
	r.Run("", "sqlite3", "a.db", "create table t(n)")
	r.Write("a.db-lock", "somebody")
	got := r.Run("", "sqlite3", "a.db", "insert into t values(1)")
	const busy = 5
	if got.Status != busy || !strings.Contains(got.Stderr, "database is locked") {
		t.Errorf("%+v, want status %d", got, busy)
	}
	// Whoever made the lock has not touched it for long: it is gone.
	old := time.Now().Add(-time.Hour)
	commandtest.Must(t, os.Chtimes(filepath.Join(r.Dir, "a.db-lock"), old, old))
	if got := r.Run("", "sqlite3", "a.db", "insert into t values(1); select count(*) from t"); got.Stdout != "1\n" {
		t.Errorf("a lock that was left behind: %+v", got)
	}
}

func TestTransactionWithoutEndIsRolledBack(t *testing.T) {
	r := commandtest.New(t, sqlite.Commands())
	r.Run("", "sqlite3", "a.db", "create table t(n); insert into t values(1)")
	r.Run("", "sqlite3", "a.db", "pragma cache_size=1; begin; insert into t select value from generate_series(1,5000); update t set n=n+1")
	if got := r.Run("", "sqlite3", "a.db", "select count(*) from t; pragma integrity_check"); got.Stdout != "1\nok\n" {
		t.Errorf("%+v", got)
	}
}

// TestHostileDatabasesAreErrors opens files that are almost databases.
func TestHostileDatabasesAreErrors(t *testing.T) {
	r := commandtest.New(t, sqlite.Commands())
	r.Run("", "sqlite3", "a.db", "create table t(a,b); create index i on t(b); insert into t select value, hex(value) from generate_series(1,500)")
	good := r.Read("a.db")
	for at := 0; at < len(good); at += 97 {
		bad := []byte(good)
		for i := at; i < min(at+8, len(bad)); i++ {
			bad[i] ^= 0xff
		}
		r.Write("bad.db", string(bad))
		got := r.Run("", "sqlite3", "bad.db", "select count(*), sum(length(b)) from t where b>'1'; pragma integrity_check; update t set a=a+1 where a<10")
		if got.Status == command.StatusInternal {
			t.Fatalf("damage at %d: %+v", at, got)
		}
	}
}

func TestDatabaseWithALogIsOpened(t *testing.T) {
	r := commandtest.New(t, sqlite.Commands())
	r.Run("", "sqlite3", "a.db", "create table t(n); insert into t values(1)")
	b := []byte(r.Read("a.db"))
	b[18], b[19] = 2, 2 // as PRAGMA journal_mode=wal leaves it
	r.Write("a.db", string(b))
	if got := r.Run("", "sqlite3", "a.db", "insert into t values(2); select count(*) from t; pragma journal_mode=delete"); got.Stdout != "2\ndelete\n" {
		t.Errorf("%+v", got)
	}
}

func TestFunctionsReadAndWriteFiles(t *testing.T) {
	r := commandtest.New(t, sqlite.Commands())
	r.Write("in.txt", "content")
	got := r.Run("", "sqlite3", ":memory:", "select writefile('out.txt', upper(readfile('in.txt'))), readfile('none') is null")
	if got.Stdout != "7|1\n" || r.Read("out.txt") != "CONTENT" {
		t.Errorf("%+v", got)
	}
}
