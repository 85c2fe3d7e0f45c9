package db_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"openclaw/runtime/internal/db"
)

var schema = db.Schema{Name: "test database", ApplicationID: 0x54657374, Migrations: []string{
	"CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;", "CREATE INDEX t_text ON t (text);",
}}

func open(t testing.TB, path string, o db.Options) *db.DB {
	t.Helper()
	o.Schema = schema
	d, err := db.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func insert(ctx context.Context, d *db.DB, text string) error {
	return d.Write(ctx, func(conn *sqlite.Conn) error { return db.Exec(conn, "INSERT INTO t (text) VALUES (?)", nil, text) })
}

func count(ctx context.Context, d *db.DB) (n int64, err error) {
	err = d.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Exec(conn, "SELECT count(*), sum(length(text)) FROM t", func(row *sqlite.Stmt) error {
			n = row.ColumnInt64(0)
			return nil
		})
	})
	return n, err
}

// filled makes a database with rows, and gives its path. Nobody has it open.
func filled(t *testing.T, rows int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state", "test.sqlite")
	d := open(t, path, db.Options{})
	for range rows {
		if err := insert(t.Context(), d, strings.Repeat("x", 2000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// snapshot is everything in a directory.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			files[path] += fmt.Sprintf(" %d %x", len(data), sha256.Sum256(data))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// raw runs a script on a file with SQLite itself, and leaves it open until the test ends.
func raw(t *testing.T, path, script string) *sqlite.Conn {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for _, statement := range strings.Split(script, ";") {
		if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

func TestADatabaseIsMadeOnceAndWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "test.sqlite")
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			d, err := db.Open(t.Context(), path, db.Options{Schema: schema})
			if err == nil {
				err = errors.Join(insert(t.Context(), d, fmt.Sprint(i)), d.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n, err := count(t.Context(), open(t, path, db.Options{})); n != 8 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if dir, err := os.Stat(filepath.Dir(path)); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("mode of the directory %v, %v", dir.Mode(), err)
	}
	if _, err := os.Stat(path + ".new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unfinished file: %v", err)
	}
}

func TestAnUnfinishedDatabaseIsMadeAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.sqlite")
	for _, name := range []string{".new", ".new-journal", ".new-wal"} {
		if err := os.WriteFile(path+name, []byte("of a process that was killed"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := insert(t.Context(), open(t, path, db.Options{}), "x"); err != nil {
		t.Error(err)
	}
}

func TestAnOlderDatabaseIsBroughtUpToDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.sqlite")
	old := schema
	old.Migrations = schema.Migrations[:1]
	d, err := db.Open(t.Context(), path, db.Options{Schema: old})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(insert(t.Context(), d, "kept"), d.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Open(t.Context(), path, db.Options{Schema: schema, ReadOnly: true}); !errors.Is(err, db.ErrOutdated) {
		t.Errorf("read-only: %v", err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			d, err := db.Open(t.Context(), path, db.Options{Schema: schema})
			if err != nil {
				t.Error(err)
				return
			}
			if n, err := count(t.Context(), d); n != 1 || err != nil {
				t.Errorf("%d rows, %v", n, err)
			}
			_ = d.Close()
		})
	}
	wait.Wait()
	if _, err := db.Open(t.Context(), path, db.Options{Schema: old}); !errors.Is(err, db.ErrNewer) {
		t.Errorf("with the older program: %v", err)
	}
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	path := filled(t, 1)
	broken := schema
	broken.Migrations = append(append([]string{}, schema.Migrations...), "CREATE TABLE u (n INTEGER); INSERT INTO nowhere VALUES (1);")
	if _, err := db.Open(t.Context(), path, db.Options{Schema: broken}); err == nil || !strings.Contains(err.Error(), "migrate from version 2") {
		t.Errorf("error %v", err)
	}
	if n, err := count(t.Context(), open(t, path, db.Options{})); n != 1 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}

// TestWhatIsNotOursIsNeverTouched opens files that must be refused, and compares every byte of the directory.
func TestWhatIsNotOursIsNeverTouched(t *testing.T) {
	write := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"another program's", func(t *testing.T, path string) {
			_ = raw(t, path, "PRAGMA user_version = 23; CREATE TABLE session_nodes (k TEXT)").Close()
		}, db.ErrForeign},
		{"another program's in WAL mode, in use", func(t *testing.T, path string) {
			raw(t, path, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE session_nodes (k TEXT); INSERT INTO session_nodes VALUES ('x')")
		}, db.ErrForeign},
		{"another program's in WAL mode, after a crash", func(t *testing.T, path string) {
			live := filepath.Join(t.TempDir(), "live.sqlite")
			raw(t, live, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE session_nodes (k TEXT)")
			for _, suffix := range []string{"", "-wal"} {
				data, err := os.ReadFile(live + suffix)
				if err != nil {
					t.Fatal(err)
				}
				write(string(data))(t, path+suffix)
			}
		}, db.ErrForeign},
		{"our name on another id", func(t *testing.T, path string) {
			_ = raw(t, path, "PRAGMA application_id = 1; CREATE TABLE t (n)").Close()
		}, db.ErrForeign},
		{"newer", func(t *testing.T, path string) {
			_ = raw(t, path, "PRAGMA application_id = 0x54657374; PRAGMA user_version = 3; CREATE TABLE t (n)").Close()
		}, db.ErrNewer},
		{"text", write(strings.Repeat("not a database\n", 1000)), db.ErrForeign},
		{"a little text", write("x"), db.ErrForeign},
		{"nothing", write(""), db.ErrDamaged},
		{"a directory", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, db.ErrForeign},
		{"a WAL without its database", func(t *testing.T, path string) { write("something")(t, path+"-wal") }, db.ErrDamaged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "test.sqlite")
			tt.make(t, path)
			before := snapshot(t, dir)
			for _, readOnly := range []bool{false, true} {
				if readOnly && strings.HasPrefix(tt.name, "a WAL") {
					continue
				}
				_, err := db.Open(t.Context(), path, db.Options{Schema: schema, ReadOnly: readOnly})
				if !errors.Is(err, tt.want) {
					t.Errorf("error %v, want %v", err, tt.want)
				}
				var typed *db.Error
				if !errors.As(err, &typed) || typed.Path != path || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %v", err)
				}
			}
			if after := snapshot(t, dir); !maps.Equal(before, after) {
				t.Errorf("the directory was changed:\n%v\n%v", before, after)
			}
		})
	}
}

func TestANewerVersionInTheWALIsSeen(t *testing.T) {
	path := filled(t, 1)
	raw(t, path, "PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 9")
	if _, err := db.Open(t.Context(), path, db.Options{Schema: schema}); !errors.Is(err, db.ErrNewer) {
		t.Errorf("error %v", err)
	}
}

// TestATruncatedDatabaseIsReported cuts a database at many places. What is left must stay as it is.
func TestATruncatedDatabaseIsReported(t *testing.T) {
	path := filled(t, 200)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 50, 100, 511, 4095, 4096, 5000, 8192, 40_960, len(whole) / 2, len(whole) - 4096, len(whole) - 1} {
		dir := t.TempDir()
		cut := filepath.Join(dir, "test.sqlite")
		if err := os.WriteFile(cut, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := db.Open(t.Context(), cut, db.Options{Schema: schema})
		if err == nil {
			_, err = count(t.Context(), d)
			_ = d.Close()
		}
		if !errors.Is(err, db.ErrDamaged) && !errors.Is(err, db.ErrForeign) {
			t.Errorf("cut at %d of %d: %v", size, len(whole), err)
		}
		if left, err := os.ReadFile(cut); err != nil || string(left) != string(whole[:size]) {
			t.Errorf("cut at %d: the file was changed, %v", size, err)
		}
	}
}

func TestALockedDatabaseIsReported(t *testing.T) {
	path := filled(t, 1)
	other := raw(t, path, "BEGIN IMMEDIATE; INSERT INTO t (text) VALUES ('mine')")
	d := open(t, path, db.Options{BusyTimeout: 50 * time.Millisecond})
	if err := insert(t.Context(), d, "x"); !errors.Is(err, db.ErrLocked) {
		t.Errorf("write: %v", err)
	}
	if n, err := count(t.Context(), d); n != 1 || err != nil {
		t.Errorf("read beside the writer: %d, %v", n, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("because")
	patient := open(t, path, db.Options{BusyTimeout: time.Hour})
	time.AfterFunc(10*time.Millisecond, func() { cancel(because) })
	if err := insert(ctx, patient, "x"); !errors.Is(err, because) {
		t.Errorf("cancelled: %v", err)
	}
	if err := sqlitex.ExecuteTransient(other, "COMMIT", nil); err != nil {
		t.Fatal(err)
	}
	if err := insert(t.Context(), d, "x"); err != nil {
		t.Errorf("write after the lock: %v", err)
	}
	if n, _ := count(t.Context(), d); n != 3 {
		t.Errorf("%d rows", n)
	}
}

func TestAFullDatabaseKeepsWhatItHas(t *testing.T) {
	path := filled(t, 10)
	d := open(t, path, db.Options{})
	err := d.Write(t.Context(), func(conn *sqlite.Conn) error { return db.Exec(conn, "PRAGMA max_page_count = 40", nil) })
	if err != nil {
		t.Fatal(err)
	}
	checkFull(t, path, d, 10)
}

// checkFull writes until there is no space left, and looks at what is there.
func checkFull(t *testing.T, path string, d *db.DB, written int64) {
	t.Helper()
	for {
		if written > 100_000 {
			t.Fatal("there is always space")
		}
		err := insert(t.Context(), d, strings.Repeat("x", 2000))
		if err == nil {
			written++
			continue
		}
		if !errors.Is(err, db.ErrFull) {
			t.Errorf("error %v", err)
		}
		break
	}
	if n, err := count(t.Context(), d); n != written || err != nil {
		t.Errorf("%d rows of %d, %v", n, written, err)
	}
	_ = d.Close() // cannot move the WAL where there is no space
	if n, err := count(t.Context(), open(t, path, db.Options{ReadOnly: true})); n != written || err != nil {
		t.Errorf("opened again: %d rows of %d, %v", n, written, err)
	}
}

// TestEveryReasonSaysWhatToDo wants the file, the reason and a way out in each message, in one line.
func TestEveryReasonSaysWhatToDo(t *testing.T) {
	for _, reason := range []error{db.ErrForeign, db.ErrNewer, db.ErrOutdated, db.ErrLocked, db.ErrReadOnly, db.ErrFull, db.ErrDamaged} {
		err := &db.Error{Op: "open", Path: "/p", Reason: reason, Detail: "what was found"}
		begin := "db: open /p: " + reason.Error() + " (what was found): "
		if text := err.Error(); !strings.HasPrefix(text, begin) || len(text) < len(begin)+20 || strings.Contains(text, "\n") {
			t.Errorf("message %q", text)
		}
	}
}

func TestReadOnlyMakesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "none", "test.sqlite")
	if _, err := db.Open(t.Context(), path, db.Options{Schema: schema, ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if files := snapshot(t, dir); len(files) != 1 {
		t.Errorf("files %v", files)
	}
	d := open(t, filled(t, 1), db.Options{ReadOnly: true})
	if err := insert(t.Context(), d, "x"); !errors.Is(err, db.ErrReadOnly) {
		t.Errorf("write: %v", err)
	}
}

func TestAFailedFunctionChangesNothing(t *testing.T) {
	d := open(t, filled(t, 1), db.Options{})
	because := errors.New("because")
	err := d.Write(t.Context(), func(conn *sqlite.Conn) error {
		return errors.Join(db.Exec(conn, "INSERT INTO t (text) VALUES ('x')", nil), because)
	})
	if !errors.Is(err, because) {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = d.Write(t.Context(), func(conn *sqlite.Conn) error {
			_ = db.Exec(conn, "INSERT INTO t (text) VALUES ('x')", nil)
			panic("in the middle")
		})
	}()
	ctx, cancel := context.WithCancel(t.Context())
	if err := d.Write(ctx, func(conn *sqlite.Conn) error {
		cancel()
		return db.Exec(conn, "INSERT INTO t (text) VALUES ('x')", nil)
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if n, err := count(t.Context(), d); n != 1 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	if err := insert(t.Context(), d, "x"); err != nil {
		t.Errorf("write after that: %v", err)
	}
}

func TestAClosedDatabaseSaysSo(t *testing.T) {
	d := open(t, filled(t, 1), db.Options{})
	if err := errors.Join(d.Sync(), d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	if err := insert(t.Context(), d, "x"); !errors.Is(err, db.ErrClosed) {
		t.Errorf("write: %v", err)
	}
	if _, err := count(t.Context(), d); !errors.Is(err, db.ErrClosed) {
		t.Errorf("read: %v", err)
	}
}

// TestTheWALIsMovedWhileWritersGoOn writes more than the WAL is meant to hold.
func TestTheWALIsMovedWhileWritersGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.sqlite")
	d := open(t, path, db.Options{})
	text := strings.Repeat("x", 100_000)
	for range 400 { // 40 MB
		if err := insert(t.Context(), d, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the WAL is left: %v", err)
	}
	if n, err := count(t.Context(), open(t, path, db.Options{})); n != 400 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}
