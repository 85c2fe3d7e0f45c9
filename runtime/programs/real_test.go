package programs_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"openclaw/runtime/programs"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// Programs that nobody made for this place, as the operator installs them.

// rubyPackage is where CRuby is from, by version: what it prints is compared.
const rubyPackage = "@ruby/3.4-wasm-wasi@2.10.1"

// fetchTime bounds a download.
const fetchTime = 2 * time.Minute

// rubyModule is the file of CRuby. OPENCLAW_RUBY names it, or else it is fetched, once for this user.
var rubyModule = sync.OnceValues(func() (string, error) {
	if name := os.Getenv("OPENCLAW_RUBY"); name != "" {
		return name, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(cache, "openclaw-tests", path.Base(rubyPackage)+".wasm")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	return file, fetchRuby(file)
})

func fetchRuby(file string) error {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	dir, err := os.MkdirTemp("", "ruby-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", "--pack-destination", dir, rubyPackage)
	if text, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(string(text)))
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return errors.Join(errors.New("npm left no package"), err)
	}
	module, err := packed(found[0], "package/dist/ruby+stdlib.wasm")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	whole := filepath.Join(dir, "whole")
	if err := os.WriteFile(whole, module, 0o600); err != nil {
		return err
	}
	if err := os.Rename(whole, file); err != nil { // on another file system, perhaps
		return os.WriteFile(file, module, 0o600)
	}
	return nil
}

// packed reads a file of a package.
func packed(archive, name string) ([]byte, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			return nil, err
		}
		if h.Name == name {
			return io.ReadAll(r)
		}
	}
}

func addRuby(tb testing.TB, s *programs.Store) {
	tb.Helper()
	file, err := rubyModule()
	if err != nil {
		tb.Skipf("no CRuby: %v", err)
	}
	in := install("ruby", file)
	in.Preset = "ruby"
	if _, err := s.Add(tb.Context(), in); err != nil {
		tb.Fatal(err)
	}
}

// addPython installs CPython. OPENCLAW_PROGRAMS names the directory that holds it.
func addPython(tb testing.TB, s *programs.Store) {
	tb.Helper()
	dir := os.Getenv("OPENCLAW_PROGRAMS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "programs")
	}
	in := install("python3", filepath.Join(dir, "python.wasm"))
	in.Preset = "python"
	in.Sources = []programs.Source{{Guest: "/py/lib", Host: filepath.Join(dir, "python311.zip")}}
	if _, err := os.Stat(in.File); err != nil {
		tb.Skipf("no CPython: %v", err)
	}
	if _, err := s.Add(tb.Context(), in); err != nil {
		tb.Fatal(err)
	}
}

// addC compiles and installs a program in C that copies, and takes part in pipelines otherwise.
func addC(tb testing.TB, s *programs.Store) {
	tb.Helper()
	out := filepath.Join(tb.TempDir(), "stage.wasm")
	if text, err := exec.Command("clang", "--target=wasm32-wasi", "-O2", "-o", out, "testdata/stage.c").CombinedOutput(); err != nil {
		tb.Skipf("nothing that compiles C: %v\n%s", err, text)
	}
	if _, err := s.Add(tb.Context(), install("cstage", out)); err != nil {
		tb.Fatal(err)
	}
}

// shell is a session that has what a store holds.
type shell struct {
	toolbox *toolwasm.Toolbox
	session *sandbox.Session
}

// outcome is what a script did.
type outcome struct {
	Out, Err string
	Status   int
}

// newShell opens a session with the programs that are installed in a new store.
func newShell(tb testing.TB, limits sandbox.Limits, add ...func(testing.TB, *programs.Store)) *shell {
	tb.Helper()
	if testing.Short() {
		tb.Skip("large programs take seconds to compile")
	}
	store := programs.At(tb.TempDir())
	for _, a := range add {
		a(tb, store)
	}
	named, err := store.Named()
	if err != nil {
		tb.Fatal(err)
	}
	engine, err := sandbox.Wazero(tb.Context(), sandbox.EngineOptions{}) // with the user's cache: compiling takes seconds
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = engine.Close(context.Background()) })
	box := sandbox.New(engine)
	s := &shell{}
	if s.toolbox, err = toolwasm.Load(tb.Context(), box); err != nil {
		tb.Fatal(err)
	}
	s.session, err = box.Open(sandbox.Grant{
		Mounts: []sandbox.Mount{{Guest: toolwasm.Workspace, Host: tb.TempDir(), Access: sandbox.ReadWrite}},
		Tmp:    true, Limits: limits, Programs: named,
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.session.Close() })
	return s
}

func (s *shell) run(ctx context.Context, script string) (outcome, error) {
	var out, errs bytes.Buffer
	result, err := s.toolbox.Exec(ctx, s.session, toolwasm.Script{Text: script, Stdout: &out, Stderr: &errs})
	o := outcome{Out: out.String(), Err: errs.String()}
	if result != nil {
		o.Status = result.ExitCode
	}
	return o, err
}

type scriptCase struct {
	script string
	want   outcome
}

func (s *shell) test(t *testing.T, cases map[string]scriptCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := s.run(t.Context(), c.script)
			if err != nil || got != c.want {
				t.Errorf("%s\ngot  %+v, %v\nwant %+v", c.script, got, err, c.want)
			}
		})
	}
}
