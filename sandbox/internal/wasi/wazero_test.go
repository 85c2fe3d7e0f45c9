package wasi_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// testEngine is the plainest binding of the functions to an engine.
type testEngine struct {
	runtime wazero.Runtime
	mu      sync.Mutex
	modules map[string]wazero.CompiledModule
}

type systemKey struct{}

// engine is shared: compiled programs are kept, and what a call has is in its context.
var engine = sync.OnceValues(func() (*testEngine, error) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler())
	builders := map[string]wazero.HostModuleBuilder{}
	for _, f := range wasi.Functions() {
		if builders[f.Module] == nil {
			builders[f.Module] = r.NewHostModuleBuilder(f.Module)
		}
		builders[f.Module].NewFunctionBuilder().
			WithGoModuleFunction(bind(f), types(f.Params), types(f.Results)).Export(f.Name)
	}
	for _, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return nil, err
		}
	}
	return &testEngine{runtime: r, modules: map[string]wazero.CompiledModule{}}, nil
})

func newEngine(t *testing.T) *testEngine {
	t.Helper()
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func types(list []wasi.ValueType) []api.ValueType {
	out := make([]api.ValueType, len(list))
	for i, t := range list {
		out[i] = api.ValueType(t)
	}
	return out
}

func bind(f wasi.Function) api.GoModuleFunc {
	return func(ctx context.Context, m api.Module, stack []uint64) {
		mem, _ := m.Memory().Read(0, m.Memory().Size())
		result, err := f.Call(ctx, ctx.Value(systemKey{}).(*wasi.System), mem, stack)
		if err != nil {
			panic(err)
		}
		if len(f.Results) > 0 {
			stack[0] = result
		}
	}
}

// run runs a command module to its end and returns its exit status.
func (e *testEngine) run(ctx context.Context, t *testing.T, path string, c wasi.Config) (uint32, error) {
	t.Helper()
	s := wasi.New(c)
	defer s.Close()
	ctx = context.WithValue(ctx, systemKey{}, s)
	m, err := e.runtime.InstantiateModule(ctx, e.compile(t, path), wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return 0, err
	}
	defer m.Close(context.Background())
	_, err = m.ExportedFunction("_start").Call(ctx)
	if exit := (wasi.ExitError{}); errors.As(err, &exit) {
		return exit.Code, nil
	}
	return 0, err
}

func (e *testEngine) compile(t *testing.T, path string) wazero.CompiledModule {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if m, ok := e.modules[path]; ok {
		return m
	}
	bin, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.runtime.CompileModule(context.Background(), bin)
	if err != nil {
		t.Fatalf("compile %s: %v", path, err)
	}
	e.modules[path] = m
	return m
}

// shared finds the material that tests measure with.
func shared(t *testing.T, elem ...string) string {
	t.Helper()
	dir := os.Getenv("OPENCLAW_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s: set OPENCLAW_SHARED to where it lies", filepath.Join(elem...))
	}
	return path
}

// mount gives a guest a directory of the host.
func mount(t testing.TB, dir string) vfs.FS {
	t.Helper()
	fs, err := hostfs.New(dir, hostfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fs.Close() })
	return fs
}
