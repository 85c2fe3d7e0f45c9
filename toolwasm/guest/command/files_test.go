package command_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/sys"
)

func TestPathIsBelowTheDirectoryAndNotCleaned(t *testing.T) {
	for _, c := range []struct{ dir, name, want string }{
		{"/d", "a", "/d/a"},
		{"/d", "../a/", "/d/../a/"},
		{"/", "a", "/a"},
		{"/d", "/a/..", "/a/.."},
		{"/d", "", ""},
	} {
		p := &command.Proc{Dir: c.dir}
		if got := p.Path(c.name); got != c.want {
			t.Errorf("Path(%q) in %s = %q, want %q", c.name, c.dir, got, c.want)
		}
	}
}

func TestNamesOfStreamsOpenThem(t *testing.T) {
	var out, errs strings.Builder
	p := &command.Proc{
		Dir: t.TempDir(), Stdin: strings.NewReader("input"), Stdout: &out, Stderr: &errs,
		Files: map[int]command.Stream{7: strings.NewReader("seven")},
	}
	for name, want := range map[string]string{"/dev/stdin": "input", "/dev//fd/7": "seven"} {
		f, err := p.Open(name)
		must(t, err)
		got, err := io.ReadAll(f)
		if string(got) != want || err != nil {
			t.Errorf("%s reads %q, %v; want %q", name, got, err, want)
		}
		if _, err := f.Write([]byte("x")); err == nil {
			t.Errorf("%s can be written", name)
		}
		must(t, f.Close())
	}
	for _, name := range []string{"/dev/stdout", "/dev/fd/1", "/dev/stderr", "/dev/fd/2"} {
		f, err := p.Create(name)
		must(t, err)
		_, err = io.WriteString(f, name+";")
		must(t, err)
	}
	if out.String() != "/dev/stdout;/dev/fd/1;" || errs.String() != "/dev/stderr;/dev/fd/2;" {
		t.Errorf("standard output %q, error %q", out.String(), errs.String())
	}
	for _, name := range []string{"/dev/fd/8", "/dev/fd/x"} {
		if _, err := p.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%s) = %v, want ErrNotExist", name, err)
		}
		if _, err := p.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Stat(%s) = %v, want ErrNotExist", name, err)
		}
	}
}

func TestOnlyNamesBelowDevAreStreams(t *testing.T) {
	p := &command.Proc{Dir: "/", Stdin: strings.NewReader("input")}
	if runtime.GOOS == "linux" {
		for _, name := range []string{"/dev/.", "/dev/..", "/dev/", "/dev//", "/dev/../dev"} {
			if info, err := p.Lstat(name); err != nil || !info.Mode.IsDir() {
				t.Errorf("Lstat(%s) = %v, %v; want a directory", name, info.Mode, err)
			}
		}
	}
	if f, err := p.Open("/dev/../tmp/stdin"); err == nil {
		t.Errorf("/dev/../tmp/stdin is %v", f)
	}
}

func TestDashIsStandardInput(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "f"), []byte("file"), 0o644))
	p := &command.Proc{Dir: dir, Stdin: strings.NewReader("input")}
	for name, want := range map[string]string{"-": "input", "f": "file"} {
		if got, err := p.ReadFile(name); string(got) != want || err != nil {
			t.Errorf("ReadFile(%s) = %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestStatTellsPipesFromFiles(t *testing.T) {
	r, _ := pipe.New()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	must(t, err)
	defer f.Close()
	p := &command.Proc{Dir: "/", Stdin: r, Stdout: f}
	for name, want := range map[string]fs.FileMode{"/dev/stdin": fs.ModeNamedPipe, "/dev/stdout": 0} {
		for _, stat := range []func(string) (sys.Info, error){p.Stat, p.Lstat} {
			info, err := stat(name)
			if err != nil || info.Mode.Type() != want {
				t.Errorf("%s: %v, %v; want type %v", name, info.Mode, err, want)
			}
		}
	}
}

func TestUnwrapFindsTheFileBehindAStream(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	must(t, err)
	defer f.Close()
	start(func(p *command.Proc) int {
		opened, err := p.Create("/dev/stdout")
		must(t, err)
		for _, s := range []any{p.Stdout, opened} {
			if command.Unwrap(s) != command.Stream(f) {
				t.Errorf("Unwrap(%T) is not the file", s)
			}
		}
		return 0
	}, func(p *command.Proc) { p.Stdout = f })
}
