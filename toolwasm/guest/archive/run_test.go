package archive_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"openclaw/toolwasm/guest/archive"
	"openclaw/toolwasm/guest/command"
)

func TestMain(m *testing.M) {
	syscall.Umask(0) // commands take their own umask off
	os.Exit(m.Run())
}

type outcome struct {
	stdout, stderr string
	status         int
}

func run(t testing.TB, dir, stdin string, args ...string) outcome {
	t.Helper()
	table := command.NewTable(archive.Commands())
	c, ok := table[args[0]]
	if !ok {
		t.Fatalf("no command %s", args[0])
	}
	var out, errs bytes.Buffer
	status := command.Start(&command.Proc{
		Ctx: context.Background(), Name: c.Name, Args: args[1:], Dir: dir, Env: command.Vars{"TZ=UTC"},
		Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Umask: 0o022, Table: table,
	}, c)
	return outcome{out.String(), errs.String(), status}
}

// fill makes the files of a case: "name/" is a directory, "name -> target" a link, "name = text" a file.
func fill(t testing.TB, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, l := range lines {
		if name, target, ok := strings.Cut(l, " -> "); ok {
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			must(t, os.Symlink(target, filepath.Join(dir, name)))
			continue
		}
		name, text, _ := strings.Cut(l, " = ")
		full := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(full, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, []byte(text), 0o644))
	}
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// step is one command of a case with what it says.
type step struct {
	args   string // split at blanks; "_" stands for a blank
	stdin  string
	stdout string
	stderr string
	status int
}

func check(t *testing.T, dir string, steps []step) {
	t.Helper()
	for _, s := range steps {
		args := strings.Fields(s.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		got := run(t, dir, s.stdin, args...)
		want := outcome{s.stdout, s.stderr, s.status}
		if got != want {
			t.Errorf("%s\n got %+v\nwant %+v", s.args, got, want)
		}
	}
}
