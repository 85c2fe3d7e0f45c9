package js_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/js"
)

var update = flag.Bool("update", false, "write what the real node says into testdata")

// script is a case: a main file with the files beside it.
type script struct {
	name  string
	main  string
	files []txtar.File
	stdin string
}

// scripts reads the cases of an archive: NAME.js with NAME.in, or NAME/main.js with the files of NAME.
func scripts(a *txtar.Archive) []script {
	var list []script
	for _, f := range a.Files {
		dir, base := path.Split(f.Name)
		ext := path.Ext(base)
		switch {
		case dir == "" && (ext == ".js" || ext == ".mjs"):
			s := script{name: strings.TrimSuffix(base, ext), main: base, files: []txtar.File{{Name: base, Data: f.Data}}}
			for _, in := range a.Files {
				if in.Name == s.name+".in" {
					s.stdin = string(in.Data)
				}
			}
			list = append(list, s)
		case strings.HasPrefix(base, "main.") && strings.Count(f.Name, "/") == 1:
			s := script{name: strings.TrimSuffix(dir, "/"), main: base}
			for _, other := range a.Files {
				if rel, ok := strings.CutPrefix(other.Name, dir); ok {
					s.files = append(s.files, txtar.File{Name: rel, Data: other.Data})
				}
			}
			list = append(list, s)
		}
	}
	return list
}

func (s script) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range s.files {
		full := filepath.Join(dir, filepath.FromSlash(f.Name))
		commandtest.Must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		commandtest.Must(t, os.WriteFile(full, f.Data, 0o644))
	}
	return dir
}

func said(stdout string, status int) string {
	if stdout != "" && !strings.HasSuffix(stdout, "\n") {
		stdout += "\n"
	}
	return fmt.Sprintf("%sstatus %d\n", stdout, status)
}

// TestScriptsSayWhatNodeSays compares output and status with what the real node gave, which is kept in NAME.out of
// testdata.
func TestScriptsSayWhatNodeSays(t *testing.T) {
	eachArchive(t, func(t *testing.T, a *txtar.Archive, s script) {
		dir := s.write(t)
		r := commandtest.In(t, dir, js.Commands())
		got := r.Run(s.stdin, "node", s.main)
		if want := expected(t, a, s.name); said(got.Stdout, got.Status) != want {
			t.Errorf("got\n%s\nwant\n%s\nstderr\n%s", said(got.Stdout, got.Status), want, got.Stderr)
		}
	})
}

// TestExpectationsAreNodes asks the real node, which OPENCLAW_NODE names, for what testdata says of it. It starts node for each script, and
// timers are late on a busy machine, so it does not run by itself.
func TestExpectationsAreNodes(t *testing.T) {
	node := os.Getenv("OPENCLAW_NODE")
	if node == "" {
		t.Skip("OPENCLAW_NODE names no node to compare with")
	}
	version, err := exec.Command(node, "--version").Output()
	if err != nil || !strings.HasPrefix(string(version), "v20.") {
		t.Skipf("the expectations are those of node 20, this is %s", bytes.TrimSpace(version))
	}
	eachArchive(t, func(t *testing.T, a *txtar.Archive, s script) {
		// Tests clear the umask for the commands, which have their own.
		cmd := exec.Command("sh", "-c", `umask 022; exec "$0" "$@"`, node, s.main)
		cmd.Dir = s.write(t)
		cmd.Env = []string{"PATH=/usr/bin", "HOME=/home/agent", "TZ=UTC"}
		cmd.Stdin = strings.NewReader(s.stdin)
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		got := said(string(out), cmd.ProcessState.ExitCode())
		if *update {
			setExpected(a, s.name, got)
			return
		}
		if want := expected(t, a, s.name); got != want {
			t.Errorf("node says\n%s\ntestdata says\n%s", got, want)
		}
	})
}

func eachArchive(t *testing.T, f func(*testing.T, *txtar.Archive, script)) {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	commandtest.Must(t, err)
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		commandtest.Must(t, err)
		topic := strings.TrimSuffix(filepath.Base(name), ".txtar")
		for _, s := range scripts(a) {
			t.Run(topic+"/"+s.name, func(t *testing.T) { f(t, a, s) })
		}
		if *update {
			commandtest.Must(t, os.WriteFile(name, txtar.Format(a), 0o644))
		}
	}
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
