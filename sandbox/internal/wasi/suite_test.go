package wasi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox/internal/devfs"
	"openclaw/sandbox/internal/memfs"
	"openclaw/sandbox/internal/namespace"
	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
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

// TestWasiTestsuite runs the prebuilt preview 1 programs of the public suite, on
// a directory of the host as docs/wasi.md says, and in memory.
func TestWasiTestsuite(t *testing.T) {
	dir := shared(t, "wasi-testsuite")
	programs, err := filepath.Glob(filepath.Join(dir, "*", "*.wasm"))
	if err != nil || len(programs) == 0 {
		t.Fatalf("no programs in %s: %v", dir, err)
	}
	e := newEngine(t)
	for kind, root := range map[string]func(t *testing.T, dir string) vfs.FS{"host": hostRoot, "memory": memoryRoot} {
		passed := map[string]bool{}
		for _, program := range programs {
			name := filepath.Base(filepath.Dir(program)) + "/" + strings.TrimSuffix(filepath.Base(program), ".wasm")
			passed[name] = t.Run(kind+"/"+name, func(t *testing.T) { runSuiteProgram(t, e, program, root) })
		}
		checkSuiteTable(t, passed)
	}
}

func runSuiteProgram(t *testing.T, e *testEngine, program string, root func(*testing.T, string) vfs.FS) {
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
		Stdout: stream.ToWriter(&stdout),
		Stderr: stream.ToWriter(&stderr),
	}
	for k, v := range c.Env {
		config.Env = append(config.Env, k+"="+v)
	}
	if c.Root != "" {
		config.FS = guestTree(t, root(t, filepath.Join(filepath.Dir(program), c.Root)))
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

// hostRoot is a fresh copy of a directory on the host.
func hostRoot(t *testing.T, dir string) vfs.FS {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return mount(t, root)
}

// memoryRoot is a fresh copy of a directory in memory.
func memoryRoot(t *testing.T, dir string) vfs.FS {
	t.Helper()
	root := memfs.New(memfs.Options{})
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		if d.IsDir() {
			return failure(path, root.Mkdir(path, 0o755))
		}
		content, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		f, e := root.Open(path, vfs.Write|vfs.Create, 0o644)
		if e != vfs.OK {
			return failure(path, e)
		}
		defer f.Close()
		_, e = f.Write(content)
		return failure(path, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func failure(path string, e vfs.Errno) error {
	if e == vfs.OK {
		return nil
	}
	return fmt.Errorf("copy %s: errno %d", path, e)
}

// guestTree is a tree as guests of the sandbox have it, with the suite's directory at its root.
func guestTree(t *testing.T, root vfs.FS) vfs.FS {
	t.Helper()
	tree, err := namespace.New([]namespace.Mount{
		{Path: "/", FS: root},
		{Path: "/dev", FS: devfs.New(devfs.Options{})},
		{Path: "/tmp", FS: memfs.New(memfs.Options{})},
	}, namespace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
