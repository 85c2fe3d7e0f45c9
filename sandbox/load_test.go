package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"openclaw/sandbox"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// TestLoadRefuses checks what is said of modules that cannot be run.
func TestLoadRefuses(t *testing.T) {
	box := newSandbox(t)
	assemble := func(build func(m *Module)) []byte {
		m := &Module{}
		build(m)
		return m.Encode()
	}
	for name, c := range map[string]struct {
		module []byte
		want   error
		text   string
	}{
		"nothing":     {nil, sandbox.ErrNotWasm, "not a WebAssembly module"},
		"text":        {[]byte("#!/bin/sh\necho hello\n"), sandbox.ErrNotWasm, "not a WebAssembly module"},
		"a component": {[]byte("\x00asm\x0d\x00\x01\x00"), sandbox.ErrBadModule, "component"},
		"cut off":     {greeting()[:60], sandbox.ErrBadModule, ""},
		"unknown import": {
			assemble(func(m *Module) {
				m.Import("env", "system", nil, nil)
				m.Func("_start", nil, nil, nil)
			}),
			sandbox.ErrBadModule, "env.system, which does not exist here",
		},
		"import of another type": {
			assemble(func(m *Module) {
				m.Import("wasi_snapshot_preview1", "proc_exit", Types{I64}, nil)
				m.Func("_start", nil, nil, nil)
			}),
			sandbox.ErrBadModule, "proc_exit with another type",
		},
		"no program": {assemble(func(m *Module) { m.Func("add", nil, nil, nil) }), sandbox.ErrBadModule, "exports neither _start nor"},
		"invalid code": {
			assemble(func(m *Module) { m.Func("_start", nil, nil, nil, Add) }),
			sandbox.ErrBadModule, "",
		},
		"a name that is ours": {
			assemble(func(m *Module) {
				m.Func("_start", nil, nil, nil)
				m.Func("openclaw:meter.fuel", nil, nil, nil)
			}),
			sandbox.ErrBadModule, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := box.Load(t.Context(), sandbox.Module("guest", c.module))
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error = %v, want %v with %q", err, c.want, c.text)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("error has more than one line: %q", err)
			}
		})
	}
}

// TestCacheIsSharedByProcesses loads one program on several engines at once on one cache, as processes that start together
// do, and again afterwards.
func TestCacheIsSharedByProcesses(t *testing.T) {
	dir := t.TempDir()
	run := func() (compiled bool, err error) {
		engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{CacheDir: dir, Progress: func(sandbox.Progress) { compiled = true }})
		if err != nil {
			return false, err
		}
		defer engine.Close(context.Background())
		box := sandbox.New(engine)
		program, err := box.Load(t.Context(), sandbox.Module("greeting", greeting()))
		if err != nil {
			return compiled, err
		}
		var out bytes.Buffer
		_, err = box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{Stdout: &out})
		if err == nil && out.String() != "hello from inside\n" {
			err = errors.New("wrong output: " + out.String())
		}
		return compiled, err
	}
	var wg sync.WaitGroup
	var compilations atomic.Int32
	for range 8 {
		wg.Go(func() {
			compiled, err := run()
			if err != nil {
				t.Error(err)
			}
			if compiled {
				compilations.Add(1)
			}
		})
	}
	wg.Wait()
	if n := compilations.Load(); n != 1 && runtime.GOOS != "windows" {
		t.Errorf("%d of them compiled it, want that the others wait", n)
	}
	if compiled, err := run(); err != nil || compiled {
		t.Errorf("with a warm cache: compiled again %v, error %v", compiled, err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.tmp"))
	if len(files) > 0 {
		t.Errorf("temporary files are left: %q", files)
	}
}

// TestDamagedCacheIsMadeAgain cuts every cached file in half.
func TestDamagedCacheIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		box := sandbox.New(engine)
		program, err := box.Load(t.Context(), sandbox.Module("greeting", greeting()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{}); err != nil {
			t.Fatal(err)
		}
		engine.Close(context.Background())
		if halve(t, dir) == 0 {
			t.Fatal("nothing is cached")
		}
	}
}

// halve cuts every file below dir and returns how many there are.
func halve(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		n++
		return os.Truncate(name, st.Size()/2)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCacheThatOthersCanWriteIsRefused checks that code is not taken from where anyone could have put it.
func TestCacheThatOthersCanWriteIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{CacheDir: dir}); err == nil {
		t.Error("a cache that everyone can write was opened")
	}
}

// TestCacheIsNotTheGuests checks that no mount gives a guest the compiled code to change.
func TestCacheIsNotTheGuests(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".cache", "openclaw")
	engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close(context.Background())
	box := sandbox.New(engine)
	for _, inside := range []string{dir, filepath.Join(dir, "programs-2")} {
		_, err := box.Open(sandbox.Grant{Mounts: []sandbox.Mount{{Guest: "/workspace", Host: inside}}})
		if !errors.Is(err, sandbox.ErrBadGrant) {
			t.Errorf("mount of %s: error = %v, want that it is refused", inside, err)
		}
	}
}

// TestGrantsAreChecked checks each mistake before anything is opened.
func TestGrantsAreChecked(t *testing.T) {
	box := newSandbox(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mount := func(m ...sandbox.Mount) sandbox.Grant { return sandbox.Grant{Mounts: m} }
	for name, grant := range map[string]sandbox.Grant{
		"no such directory": mount(sandbox.Mount{Guest: "/w", Host: filepath.Join(dir, "absent")}),
		"a file":            mount(sandbox.Mount{Guest: "/w", Host: file}),
		"no directory":      mount(sandbox.Mount{Guest: "/w"}),
		"relative":          mount(sandbox.Mount{Guest: "w", Host: dir}),
		"not clean":         mount(sandbox.Mount{Guest: "/w/../x", Host: dir}),
		"the root":          mount(sandbox.Mount{Guest: "/", Host: dir}),
		"twice":             mount(sandbox.Mount{Guest: "/w", Host: dir}, sandbox.Mount{Guest: "/w", Host: dir}),
		"bad protection":    mount(sandbox.Mount{Guest: "/w", Host: dir, Protect: []string{"a/../b"}}),
		"environment":       {Env: []string{"=x"}},
		"negative":          {Limits: sandbox.Limits{Memory: -1}},
		"too little memory": {Limits: sandbox.Limits{Memory: 100}},
		"too much memory":   {Limits: sandbox.Limits{Memory: 1 << 40}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := box.Open(grant); !errors.Is(err, sandbox.ErrBadGrant) {
				t.Errorf("error = %v, want a bad grant", err)
			}
		})
	}
}

// TestMissingCodeIsMadeAgain removes, empties and replaces the compiled code behind a cached program: what stands for the
// program in the cache must never run in its place.
func TestMissingCodeIsMadeAgain(t *testing.T) {
	for name, spoil := range map[string]func(file string) error{
		"removed": os.Remove,
		"empty":   func(file string) error { return os.Truncate(file, 0) },
		"other":   func(file string) error { return os.WriteFile(file, []byte("WAZEVO nothing"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			wantGreeting(t, dir)
			files, err := filepath.Glob(filepath.Join(dir, "code-*", "wazero-*", "*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("compiled code: %q, %v", files, err)
			}
			for _, f := range files {
				if err := spoil(f); err != nil {
					t.Fatal(err)
				}
			}
			wantGreeting(t, dir)
			wantGreeting(t, dir)
		})
	}
}

// wantGreeting runs a program on an engine with the cache.
func wantGreeting(t *testing.T, dir string) {
	t.Helper()
	engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close(context.Background())
	box := sandbox.New(engine)
	program, err := box.Load(t.Context(), sandbox.Module("greeting", greeting()))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{Stdout: &out}); err != nil || out.String() != "hello from inside\n" {
		t.Fatalf("output %q, error %v", out.String(), err)
	}
}

// TestProgramsThatDifferOnlyInCodeAreApart caches two programs that are the same but for the body of one function.
func TestProgramsThatDifferOnlyInCodeAreApart(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		box := sandbox.New(engine)
		for code := range int32(3) {
			program := load(t, box, exiting(code))
			if result, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{}); err != nil || result.ExitCode != int(code) {
				t.Errorf("program %d exited with %d, %v", code, result.ExitCode, err)
			}
		}
		engine.Close(context.Background())
	}
}
