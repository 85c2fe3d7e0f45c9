package wasi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/wasi"
)

// suiteCase is how the suite says to run a program.
type suiteCase struct {
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Root     string            `json:"root"`
	Stdout   *string           `json:"stdout"`
	ExitCode uint32            `json:"exit_code"`
}

const suiteTimeout = 20 * time.Second

// TestWasiTestsuite runs the prebuilt preview 1 programs of the public suite.
func TestWasiTestsuite(t *testing.T) {
	dir := shared(t, "wasi-testsuite")
	programs, err := filepath.Glob(filepath.Join(dir, "*", "*.wasm"))
	if err != nil || len(programs) == 0 {
		t.Fatalf("no programs in %s: %v", dir, err)
	}
	e := newEngine(t)
	passed := map[string]bool{}
	for _, program := range programs {
		name := filepath.Base(filepath.Dir(program)) + "/" + strings.TrimSuffix(filepath.Base(program), ".wasm")
		passed[name] = t.Run(name, func(t *testing.T) { runSuiteProgram(t, e, program) })
	}
	checkSuiteTable(t, passed)
}

func runSuiteProgram(t *testing.T, e *testEngine, program string) {
	var c suiteCase
	spec, err := os.ReadFile(strings.TrimSuffix(program, ".wasm") + ".json")
	if err == nil {
		err = json.Unmarshal(spec, &c)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	config := wasi.Config{
		Args:   append([]string{filepath.Base(program)}, c.Args...),
		Stdout: stream.ToWriter(&stdout, nil),
		Stderr: stream.ToWriter(&stderr, nil),
	}
	for k, v := range c.Env {
		config.Env = append(config.Env, k+"="+v)
	}
	if c.Root != "" {
		root := t.TempDir()
		if err := os.CopyFS(root, os.DirFS(filepath.Join(filepath.Dir(program), c.Root))); err != nil {
			t.Fatal(err)
		}
		config.FS = mount(t, root)
	}
	ctx, cancel := context.WithTimeout(context.Background(), suiteTimeout)
	defer cancel()
	status, err := e.run(ctx, t, program, config)
	if err != nil || status != c.ExitCode {
		t.Errorf("exit status %d, want %d (error %v)\n%s", status, c.ExitCode, err, stderr.String())
	}
	if c.Stdout != nil && stdout.String() != *c.Stdout {
		t.Errorf("stdout %q, want %q", stdout.String(), *c.Stdout)
	}
}
