package sys_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"openclaw/toolwasm/guest/sys"
)

func TestStatTellsFilesApart(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(at("file"), []byte("12345"), 0o600))
	must(t, sys.Link(at("file"), at("other")))
	must(t, sys.Mkdir(at("dir"), 0o750))
	must(t, sys.Symlink("file", at("link")))

	file, err := sys.Stat(at("file"))
	must(t, err)
	if !file.IsRegular() || file.IsDir() || file.IsLink() || file.Size != 5 || file.Nlink != 2 || file.Name != "file" || file.UID != sys.UID {
		t.Errorf("file: %+v", file)
	}
	other, err := sys.Stat(at("other"))
	must(t, err)
	if !file.Same(other) {
		t.Errorf("two names of a file are not the same: %+v %+v", file, other)
	}
	link, err := sys.Lstat(at("link"))
	must(t, err)
	if !link.IsLink() || file.Same(link) {
		t.Errorf("link: %+v", link)
	}
	through, err := sys.Stat(at("link"))
	must(t, err)
	if !through.Same(file) || through.Name != "link" {
		t.Errorf("through the link: %+v", through)
	}
	d, err := sys.Stat(at("dir"))
	must(t, err)
	if !d.IsDir() || d.Mode.Perm() != 0o750 {
		t.Errorf("dir: %+v", d)
	}
	f, err := sys.OpenFile(at("file"), os.O_RDONLY, 0)
	must(t, err)
	defer f.Close()
	if open, err := sys.Fstat(f); err != nil || !open.Same(file) {
		t.Errorf("open: %+v, %v", open, err)
	}
	if target, err := sys.Readlink(at("link")); target != "file" || err != nil {
		t.Errorf("Readlink = %q, %v", target, err)
	}
}

func TestChmodSetsSpecialBits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	must(t, os.WriteFile(name, nil, 0o600))
	want := 0o755 | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	must(t, sys.Chmod(name, want))
	if info, err := sys.Stat(name); err != nil || info.Mode != want {
		t.Errorf("mode %v, %v; want %v", info.Mode, err, want)
	}
}

func TestZeroTimesAreLeftAsTheyAre(t *testing.T) {
	dir := t.TempDir()
	first, second := time.Unix(1000, 5000), time.Unix(2000, 0)
	must(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o600))
	must(t, os.Symlink("f", filepath.Join(dir, "l")))
	for name, set := range map[string]func(string, time.Time, time.Time) error{"f": sys.Chtimes, "l": sys.Lchtimes} {
		full := filepath.Join(dir, name)
		must(t, set(full, first, first))
		must(t, set(full, time.Time{}, second))
		if info, err := sys.Lstat(full); err != nil || !info.Atime.Equal(first) || !info.Mtime.Equal(second) {
			t.Errorf("%s: accessed %v, changed %v, %v", name, info.Atime, info.Mtime, err)
		}
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for op, call := range map[string]func() error{
		"stat":    func() error { _, err := sys.Stat(none); return err },
		"lstat":   func() error { _, err := sys.Lstat(none); return err },
		"unlink":  func() error { return sys.Unlink(none) },
		"rmdir":   func() error { return sys.Rmdir(none) },
		"rename":  func() error { return sys.Rename(none, none+"2") },
		"statfs":  func() error { _, err := sys.Statfs(none); return err },
		"utimes":  func() error { return sys.Lchtimes(none, time.Now(), time.Now()) },
		"readdir": func() error { _, err := sys.ReadDir(none); return err },
	} {
		err := call()
		var path *fs.PathError
		if !errors.As(err, &path) || !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(path.Path, none) {
			t.Errorf("%s: %v", op, err)
		}
	}
}

func TestNamesAreRemovedByTheirKind(t *testing.T) {
	dir := t.TempDir()
	must(t, sys.Mkdir(filepath.Join(dir, "d"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o600))
	if sys.Unlink(filepath.Join(dir, "d")) == nil {
		t.Error("Unlink removed a directory")
	}
	if sys.Rmdir(filepath.Join(dir, "f")) == nil {
		t.Error("Rmdir removed a file")
	}
	must(t, sys.Rmdir(filepath.Join(dir, "d")))
	must(t, sys.Unlink(filepath.Join(dir, "f")))
	if list, err := sys.ReadDir(dir); len(list) != 0 || err != nil {
		t.Errorf("left: %v, %v", list, err)
	}
}

func TestStrerrorSpeaksGNU(t *testing.T) {
	for err, want := range map[error]string{
		syscall.ENOENT:                                                    "No such file or directory",
		fmt.Errorf("x: %w", syscall.ENOTEMPTY):                            "Directory not empty",
		&fs.PathError{Op: "open", Path: "p", Err: syscall.EACCES}:         "Permission denied",
		&os.LinkError{Op: "link", Old: "a", New: "b", Err: syscall.EXDEV}: "Invalid cross-device link",
		io.ErrUnexpectedEOF:                                               "Unexpected end of file",
		errors.New("of our own"):                                          "of our own",
	} {
		if got := sys.Strerror(err); got != want {
			t.Errorf("Strerror(%v) = %q, want %q", err, got, want)
		}
	}
}

func TestCreateTempMakesFilesOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]bool{}
	for range 10 {
		f, name, err := sys.CreateTemp(dir+"/", "a*b", 0o600)
		must(t, err)
		must(t, f.Close())
		base := filepath.Base(name)
		if seen[name] || filepath.Dir(name) != dir || !strings.HasPrefix(base, "a") || !strings.HasSuffix(base, "b") {
			t.Errorf("made %s", name)
		}
		seen[name] = true
	}
	if f, name, err := sys.CreateTemp(filepath.Join(dir, "none"), "x*", 0o600); err == nil || f != nil || name == "" {
		t.Errorf("in no directory: %v, %q, %v", f, name, err)
	}
	if got := sys.TempName("/", "x"); got != "/x" {
		t.Errorf("TempName = %q", got)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
