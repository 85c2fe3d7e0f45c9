package db_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"openclaw/runtime/internal/db"
)

// TestAPipeIsNotWaitedFor opens what would block whoever opens it.
func TestAPipeIsNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.sqlite")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Open(t.Context(), path, db.Options{Schema: schema}); !errors.Is(err, db.ErrForeign) {
		t.Errorf("error %v", err)
	}
}

// tiny mounts a file system of a size.
func tiny(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestAFullDiskKeepsWhatItHas(t *testing.T) {
	for _, size := range []int{256 << 10, 1 << 20, 12 << 20} {
		path := filepath.Join(tiny(t, size), "test.sqlite")
		checkFull(t, path, open(t, path, db.Options{}), 0)
	}
}

func TestADiskWithoutSpaceForANewDatabase(t *testing.T) {
	for pages := range 8 {
		dir := tiny(t, 4096*(pages+1))
		path := filepath.Join(dir, "test.sqlite")
		d, err := db.Open(t.Context(), path, db.Options{Schema: schema})
		if err == nil {
			_ = d.Close()
			continue
		}
		if !errors.Is(err, db.ErrFull) {
			t.Errorf("%d pages: %v", pages+1, err)
		}
	}
}

func TestReadOnlyMedia(t *testing.T) {
	dir := tiny(t, 4<<20)
	path := filepath.Join(dir, "test.sqlite")
	d := open(t, path, db.Options{})
	if err := errors.Join(insert(t.Context(), d, "x"), d.Close()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("cannot remount: %v", err)
	}
	checkReadOnly(t, path)
	if _, err := db.Open(t.Context(), filepath.Join(dir, "other.sqlite"), db.Options{Schema: schema}); !errors.Is(err, db.ErrReadOnly) {
		t.Errorf("a new one: %v", err)
	}
}

func checkReadOnly(t *testing.T, path string) {
	t.Helper()
	d, err := db.Open(t.Context(), path, db.Options{Schema: schema})
	if err == nil {
		err = insert(t.Context(), d, "y")
		_ = d.Close()
	}
	if !errors.Is(err, db.ErrReadOnly) {
		t.Errorf("write: %v", err)
	}
	if n, err := count(t.Context(), open(t, path, db.Options{ReadOnly: true})); n != 1 || err != nil {
		t.Errorf("read: %d, %v", n, err)
	}
}

// TestReadOnlyDirectory takes the rights of an ordinary user, for the thread of this test alone.
func TestReadOnlyDirectory(t *testing.T) {
	path := filled(t, 1)
	dir := filepath.Dir(path)
	for p := dir; p != filepath.Dir(p); p = filepath.Dir(p) {
		if info, err := os.Stat(p); err == nil && info.Mode().Perm()&0o005 != 0o005 {
			if err := os.Chmod(p, info.Mode().Perm()|0o055); err != nil {
				t.Skip(err)
			}
		}
	}
	for _, mode := range []os.FileMode{0o444, 0o666} {
		if err := errors.Join(os.Chmod(path, mode), os.Chmod(dir, 0o555)); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() != 0 {
			checkReadOnly(t, path)
			continue
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and never unlock: the thread ends with its rights
			const nobody = 65534
			if err := syscall.Setfsuid(nobody); err != nil {
				t.Error(err)
			}
			checkReadOnly(t, path)
		}()
		<-done
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}
