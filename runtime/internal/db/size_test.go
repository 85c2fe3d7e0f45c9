package db_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"openclaw/runtime/internal/db"
)

// fill writes rows of 100 KB.
func fill(t *testing.T, d *db.DB, rows int) {
	t.Helper()
	text := strings.Repeat("x", 100_000)
	for range rows {
		if err := insert(t.Context(), d, text); err != nil {
			t.Fatal(err)
		}
	}
}

func deleteRows(t *testing.T, d *db.DB, from, to int) {
	t.Helper()
	err := d.Write(t.Context(), func(conn *sqlite.Conn) error {
		return db.Exec(conn, "DELETE FROM t WHERE n BETWEEN ? AND ?", nil, from, to)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// onDisk is what the file system says.
func onDisk(t *testing.T, path string) (sum int64) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// older makes a database as the first versions did: its pages are never given back.
func older(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "test.sqlite")
	script := "PRAGMA application_id = 0x54657374; PRAGMA user_version = 2; PRAGMA journal_mode = WAL; " + strings.Join(schema.Migrations, "")
	if err := raw(t, path, strings.TrimSuffix(script, ";")).Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestShrinkGivesPagesBack(t *testing.T) {
	for name, path := range map[string]string{"today's": filepath.Join(t.TempDir(), "test.sqlite"), "older": older(t)} {
		t.Run(name, func(t *testing.T) {
			d := open(t, path, db.Options{})
			fill(t, d, 60) // and keep some from the end, which have to be moved
			deleteRows(t, d, 1, 50)
			before, err := d.Size(t.Context())
			if err != nil || before.Bytes != onDisk(t, path) || before.Bytes < 12_000_000 || before.Used > 2_500_000 {
				t.Errorf("size %+v, %v; on the disk %d", before, err, onDisk(t, path))
			}
			if err := d.Shrink(t.Context()); err != nil {
				t.Fatal(err)
			}
			after, err := d.Size(t.Context())
			if err != nil || after.Bytes != onDisk(t, path) || after.Bytes > before.Used+64<<10 || after.Bytes != after.Used {
				t.Errorf("size %+v, %v; on the disk %d", after, err, onDisk(t, path))
			}
			if n, err := count(t.Context(), d); n != 10 || err != nil {
				t.Errorf("%d rows, %v", n, err)
			}
			if err := d.Shrink(t.Context()); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// TestShrinkGoesOnBesideReaders shrinks while another process's reader, here another connection, looks at an old state.
func TestShrinkGoesOnBesideReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.sqlite")
	d := open(t, path, db.Options{})
	fill(t, d, 20)
	reader := raw(t, path, "BEGIN; SELECT count(*) FROM t")
	deleteRows(t, d, 1, 15)
	if err := d.Shrink(t.Context()); err != nil {
		t.Errorf("beside a reader: %v", err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Shrink(t.Context()); err != nil {
		t.Fatal(err)
	}
	if size, err := d.Size(t.Context()); err != nil || size.Bytes > 1_200_000 {
		t.Errorf("size %+v, %v", size, err)
	}
}

func TestAReadOnlyDatabaseIsNotShrunk(t *testing.T) {
	d := open(t, filled(t, 1), db.Options{ReadOnly: true})
	if size, err := d.Size(t.Context()); err != nil || size.Bytes == 0 {
		t.Errorf("size %+v, %v", size, err)
	}
	if err := d.Shrink(t.Context()); err == nil {
		t.Error("it is shrunk")
	}
}

// TestSQLiteIsOneThatKeepsWhatIsCommitted wants a version in which a checkpoint that runs while a writer begins the WAL anew
// does not take what is new for moved: 3.51.3 is the first.
func TestSQLiteIsOneThatKeepsWhatIsCommitted(t *testing.T) {
	d := open(t, filled(t, 1), db.Options{})
	version := ""
	err := d.Read(t.Context(), func(conn *sqlite.Conn) error {
		return db.Exec(conn, "SELECT sqlite_version()", func(row *sqlite.Stmt) error {
			version = row.ColumnText(0)
			return nil
		})
	})
	var major, minor, patch int
	if _, scanErr := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil || scanErr != nil {
		t.Fatal(version, err, scanErr)
	}
	if (major*1000+minor)*1000+patch < 3_051_003 {
		t.Errorf("SQLite is %s", version)
	}
}

// TestCheckpointsWaitForSomethingToMove counts how often the WAL is moved: once for so many bytes that are new, and not once
// for each transaction after its file has become large.
func TestCheckpointsWaitForSomethingToMove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.sqlite")
	d := open(t, path, db.Options{})
	fill(t, d, 40) // twice what makes it move
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() < 4<<20 {
		t.Errorf("the WAL's file is not large: %v, %v", info, err)
	}
	before := db.Moves(d)
	for range 300 { // 2 MB of pages
		if err := insert(t.Context(), d, "small"); err != nil {
			t.Fatal(err)
		}
	}
	const late = 2 // of those that were asked for before, one was on its way and one waited
	if moves := db.Moves(d) - before; moves > late+1 {
		t.Errorf("the WAL was moved %d times", moves)
	}
}
