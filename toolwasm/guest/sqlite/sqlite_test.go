package sqlite_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/sqlite"
)

var update = flag.Bool("update", false, "write what the real sqlite3 says into testdata")

// fixture is the database that scripts find.
const fixture = `create table t(a integer primary key, b text, c real); insert into t values(1,'x',1.5),(2,'y y',2),(3,null,3e20);
create index i on t(b); create view v as select a from t; create table "q t"(x blob);`

const archive = "testdata/shell.txtar"

// eachScript calls f for each script of the archive, in a directory with the fixture.
func eachScript(t *testing.T, f func(t *testing.T, a *txtar.Archive, name, script string)) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	commandtest.Must(t, err)
	for _, file := range a.Files {
		if name, ok := strings.CutSuffix(file.Name, ".sh"); ok {
			t.Run(name, func(t *testing.T) { f(t, a, name, string(file.Data)) })
		}
	}
	if *update {
		commandtest.Must(t, os.WriteFile(archive, txtar.Format(a), 0o644))
	}
}

func said(dir, stdout, stderr string) string {
	return strings.ReplaceAll(stdout+"-- stderr\n"+stderr, dir, "DIR")
}

// TestShellSaysWhatSQLitesShellSays compares output and messages with those of the real one, which are kept in NAME.out.
func TestShellSaysWhatSQLitesShellSays(t *testing.T) {
	eachScript(t, func(t *testing.T, a *txtar.Archive, name, script string) {
		r := commandtest.New(t, sqlite.Commands())
		if got := r.Run("", "sqlite3", "a.db", fixture); got.Status != 0 {
			t.Fatalf("fixture: %+v", got)
		}
		got := r.Run("", "bash", "-c", script)
		if text, want := said(r.Dir, got.Stdout, got.Stderr), expected(t, a, name); text != want {
			t.Errorf("got\n%s\nwant\n%s", text, want)
		}
	})
}

// TestExpectationsAreSQLites asks the real sqlite3 for what testdata says of it.
func TestExpectationsAreSQLites(t *testing.T) {
	real, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("there is no sqlite3 on this machine to compare with")
	}
	if version, err := exec.Command(real, "-version").Output(); err != nil || !strings.HasPrefix(string(version), "3.40.") {
		t.Skipf("the expectations are those of sqlite3 3.40, this is %.20s", version)
	}
	eachScript(t, func(t *testing.T, a *txtar.Archive, name, script string) {
		dir := t.TempDir()
		run := func(args ...string) (string, string) {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir}
			var out, errs strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errs
			var exit *exec.ExitError
			if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			return out.String(), errs.String()
		}
		run(real, "a.db", fixture)
		out, errs := run("bash", "-c", script)
		got := said(dir, out, errs)
		if *update {
			setExpected(a, name, got)
			return
		}
		if want := expected(t, a, name); got != want {
			t.Errorf("sqlite3 says\n%s\ntestdata says\n%s", got, want)
		}
	})
}

func expected(t *testing.T, a *txtar.Archive, name string) string {
	t.Helper()
	for _, f := range a.Files {
		if f.Name == name+".out" {
			return string(f.Data)
		}
	}
	t.Fatalf("testdata has no %s.out", name)
	return ""
}

func setExpected(a *txtar.Archive, name, text string) {
	for i := range a.Files {
		if a.Files[i].Name == name+".out" {
			a.Files[i].Data = []byte(text)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name + ".out", Data: []byte(text)})
}
