package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasm"
)

// wazero finds compiled code by the digest of the module, but decodes and validates the module each time before it looks:
// for a large one that is most of what a process does before its first call. So the code is kept under the name of
// another module, the stub: the same in everything but the bodies of its functions, which are empty. It is small, and is
// never run: it is only given to wazero when the code that belongs to its name is there, and checked to be still there
// afterwards.

// Compile implements [Engine].
func (e *wazeroEngine) Compile(ctx context.Context, m *meter.Module) (Module, *Compiled, error) {
	if e.dir == "" || e.interpreted {
		module, err := e.compile(ctx, m.Wasm)
		return module, &Compiled{Wasm: m.Wasm}, err
	}
	c, err := e.keep(ctx, m.Wasm)
	if err != nil {
		return nil, nil, err
	}
	module, err := e.Restore(ctx, c)
	return module, c, err
}

// Restore implements [Engine].
func (e *wazeroEngine) Restore(ctx context.Context, c *Compiled) (Module, error) {
	if c.Code == "" {
		return e.compile(ctx, c.Wasm)
	}
	if err := e.hasCode(c); err != nil {
		return nil, err
	}
	module, err := e.compile(ctx, c.Wasm)
	if err != nil {
		return nil, err
	}
	// Had the code gone missing, wazero would have compiled the stub and written that in its place.
	if err := e.hasCode(c); err != nil {
		_ = module.Close(ctx)
		return nil, err
	}
	return module, nil
}

// errNoCode reports compiled code that is not where it was put.
var errNoCode = errors.New("compiled code is missing")

func (e *wazeroEngine) hasCode(c *Compiled) error {
	st, err := os.Stat(filepath.Join(e.dir, filepath.FromSlash(c.Code)))
	if err != nil {
		return fmt.Errorf("engine: restore: %w: %w", errNoCode, err)
	}
	if st.Size() != c.CodeSize {
		return fmt.Errorf("engine: restore: %w: it has %d bytes and not %d", errNoCode, st.Size(), c.CodeSize)
	}
	return nil
}

// compile has wazero compile a module, or find its code in the cache.
func (e *wazeroEngine) compile(ctx context.Context, module []byte) (Module, error) {
	compiled, err := e.runtime.CompileModule(withWorkers(ctx), module)
	if err != nil {
		return nil, fmt.Errorf("engine: compile: %w", err)
	}
	return &wazeroModule{engine: e, compiled: compiled}, nil
}

// withWorkers lets wazero use every processor. With more than one worker it looks at the context between functions.
func withWorkers(ctx context.Context) context.Context {
	return experimental.WithCompilationWorkers(ctx, max(2, runtime.GOMAXPROCS(0)))
}

// keep compiles a module and puts its code into the cache under the name of its stub.
func (e *wazeroEngine) keep(ctx context.Context, module []byte) (*Compiled, error) {
	stub, err := stubOf(module)
	if err != nil {
		return nil, fmt.Errorf("engine: compile: %w", err)
	}
	work, err := os.MkdirTemp(e.dir, "compiling-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("engine: compile: %w", err)
	}
	defer os.RemoveAll(work)
	code, err := e.compileTo(ctx, filepath.Join(work, "module"), module)
	if err != nil {
		return nil, err
	}
	name, err := e.compileTo(ctx, filepath.Join(work, "stub"), stub)
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(code)
	if err != nil {
		return nil, fmt.Errorf("engine: compile: %w", err)
	}
	// The last two elements are wazero's: a directory for its version and the system, and the name of the module.
	place := filepath.Join(filepath.Base(filepath.Dir(name)), filepath.Base(name))
	if err := os.MkdirAll(filepath.Join(e.dir, filepath.Dir(place)), 0o700); err != nil {
		return nil, fmt.Errorf("engine: compile: %w", err)
	}
	if err := os.Rename(code, filepath.Join(e.dir, place)); err != nil {
		return nil, fmt.Errorf("engine: compile: %w", err)
	}
	return &Compiled{Wasm: stub, Code: filepath.ToSlash(place), CodeSize: st.Size()}, nil
}

// compileTo compiles a module with a cache of its own and returns the file that holds the code.
func (e *wazeroEngine) compileTo(ctx context.Context, dir string, module []byte) (string, error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return "", fmt.Errorf("engine: compile: %w", err)
	}
	defer cache.Close(context.WithoutCancel(ctx))
	rt := wazero.NewRuntimeWithConfig(ctx, e.config.WithCompilationCache(cache))
	defer rt.Close(context.WithoutCancel(ctx))
	if _, err := rt.CompileModule(withWorkers(ctx), module); err != nil {
		return "", fmt.Errorf("engine: compile: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(files) != 1 {
		return "", fmt.Errorf("engine: compile: found %d files of compiled code, want one (%v)", len(files), err)
	}
	return files[0], nil
}

// stubSection makes stubs of modules that differ only in their code differ.
const stubSection = "openclaw.stub"

// stubOf returns the module with empty bodies and without custom sections.
func stubOf(module []byte) ([]byte, error) {
	m, err := wasm.Decode(module, wasm.Limits{})
	if err != nil {
		return nil, err
	}
	const unreachable, end = 0x00, 0x0b
	for i := range m.Code {
		m.Code[i].Locals, m.Code[i].Body = nil, []byte{unreachable, end}
	}
	digest := sha256.Sum256(module)
	m.Customs = []wasm.Custom{{Name: stubSection, Bytes: digest[:]}}
	return m.Encode(), nil
}
