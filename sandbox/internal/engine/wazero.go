package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"openclaw/sandbox/internal/image"
	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasi"
)

// features are the WebAssembly features that guests may use; they match what package wasm reads.
const features = api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall | experimental.CoreFeaturesExtendedConst

// WazeroOptions configures the wazero engine.
type WazeroOptions struct {
	// CacheDir keeps compiled code between processes. Empty keeps it in memory.
	CacheDir string
	// Interpreter runs guests without native code, many times slower: for systems that forbid it, or distrust it.
	Interpreter bool
}

// NewWazero returns an engine on wazero.
func NewWazero(ctx context.Context, opt WazeroOptions) (Engine, error) {
	config := wazero.NewRuntimeConfigCompiler()
	if opt.Interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	cache := wazero.NewCompilationCache()
	if opt.CacheDir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(opt.CacheDir); err != nil {
			return nil, fmt.Errorf("engine: open compilation cache: %w", err)
		}
	}
	config = config.WithCoreFeatures(features).WithDebugInfoEnabled(false)
	e := &wazeroEngine{
		runtime: wazero.NewRuntimeWithConfig(ctx, config.WithCompilationCache(cache)),
		cache:   cache, dir: opt.CacheDir, config: config, interpreted: opt.Interpreter,
	}
	if err := e.bindHost(ctx); err != nil {
		e.Close(ctx)
		return nil, err
	}
	return e, nil
}

type wazeroEngine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	dir     string // of the cache

	config      wazero.RuntimeConfig // without the cache
	interpreted bool
}

// Name implements [Engine].
func (e *wazeroEngine) Name() string { return "wazero-" + wazeroVersion() }

// wazeroVersion is the version of the module that this binary was built with.
func wazeroVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, d := range info.Deps {
		if d.Path == "github.com/tetratelabs/wazero" {
			if d.Replace != nil {
				return d.Replace.Version
			}
			return d.Version
		}
	}
	return "unknown"
}

// hostKey finds the caller of a host function in the context of the call.
type hostKey struct{}

// caller is the instance that a host function was called by.
type caller struct {
	Host
	hasMemory bool
}

func callerOf(ctx context.Context) *caller { return ctx.Value(hostKey{}).(*caller) }

// bindHost provides what guests import. The bindings hold nothing of a call: that comes with the call's context.
func (e *wazeroEngine) bindHost(ctx context.Context) error {
	builders := map[string]wazero.HostModuleBuilder{}
	builder := func(module string) wazero.HostModuleBuilder {
		if builders[module] == nil {
			builders[module] = e.runtime.NewHostModuleBuilder(module)
		}
		return builders[module]
	}
	builder(meter.ImportModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(refill), []api.ValueType{api.ValueTypeI64}, []api.ValueType{api.ValueTypeI64}).
		Export(meter.ImportName)
	for _, f := range wasi.Functions() {
		builder(f.Module).NewFunctionBuilder().
			WithGoModuleFunction(bind(f), valueTypes(f.Params), valueTypes(f.Results)).
			Export(f.Name)
	}
	for name, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("engine: bind %s: %w", name, err)
		}
	}
	return nil
}

func refill(ctx context.Context, stack []uint64) {
	fuel, err := callerOf(ctx).Refill(int64(stack[0]))
	if err != nil {
		panic(err) // unwinds the guest; wazero returns it from Call
	}
	stack[0] = uint64(fuel)
}

func bind(f wasi.Function) api.GoModuleFunc {
	hasResult := len(f.Results) > 0
	return func(ctx context.Context, m api.Module, stack []uint64) {
		c := callerOf(ctx)
		var memory []byte
		if c.hasMemory {
			memory = memoryOf(m)
		}
		result, err := f.Call(ctx, c.System(), memory, stack)
		if err != nil {
			panic(err)
		}
		if hasResult {
			stack[0] = result
		}
	}
}

// memoryOf returns the whole memory of a module that has one.
func memoryOf(m api.Module) []byte {
	mem := m.Memory()
	b, _ := mem.Read(0, mem.Size())
	return b
}

func valueTypes(types []wasi.ValueType) []api.ValueType {
	list := make([]api.ValueType, len(types))
	for i, t := range types {
		list[i] = api.ValueTypeI32
		if t == wasi.I64 {
			list[i] = api.ValueTypeI64
		}
	}
	return list
}

// Close implements [Engine].
func (e *wazeroEngine) Close(ctx context.Context) error {
	err := e.runtime.Close(ctx)
	if cerr := e.cache.Close(ctx); err == nil {
		err = cerr
	}
	return err
}

type wazeroModule struct {
	engine   *wazeroEngine
	compiled wazero.CompiledModule
}

// Close implements [Module].
func (m *wazeroModule) Close(ctx context.Context) error { return m.compiled.Close(ctx) }

// instanceConfig instantiates without a name, so that many instances of a module can live at once, and runs nothing.
func instanceConfig() wazero.ModuleConfig {
	return wazero.NewModuleConfig().WithName("").WithStartFunctions()
}

// Instantiate implements [Module].
func (m *wazeroModule) Instantiate(ctx context.Context, memory *image.Memory, host Host) (Instance, error) {
	c := &caller{Host: host, hasMemory: memory != nil}
	ctx = context.WithValue(ctx, hostKey{}, c)
	if memory != nil {
		ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
			func(_, _ uint64) experimental.LinearMemory { return memory },
		))
	}
	mod, err := m.engine.runtime.InstantiateModule(ctx, m.compiled, instanceConfig())
	if err != nil {
		return nil, fmt.Errorf("engine: instantiate: %w", err)
	}
	return &wazeroInstance{mod: mod, caller: c}, nil
}

type wazeroInstance struct {
	mod    api.Module
	caller *caller
}

// Call implements [Instance].
func (i *wazeroInstance) Call(ctx context.Context, export string) (int32, error) {
	f := i.mod.ExportedFunction(export)
	if f == nil {
		return 0, fmt.Errorf("engine: call %s: no such export", export)
	}
	results, err := f.Call(context.WithValue(ctx, hostKey{}, i.caller))
	if err != nil {
		return 0, trapError(err)
	}
	if len(results) == 0 {
		return 0, nil
	}
	return int32(results[0]), nil
}

// ErrStackOverflow reports a guest whose calls nest deeper than the engine's stack.
var ErrStackOverflow = fmt.Errorf("engine: call: stack overflow")

// ErrOutOfBounds reports a guest that used memory which it does not have.
var ErrOutOfBounds = errors.New("engine: call: out of bounds memory access")

// trapError keeps what a host function ended the guest with, and the first line of everything else: the rest is a trace of
// the guest's functions.
func trapError(err error) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	if strings.HasSuffix(first, "stack overflow") {
		return ErrStackOverflow
	}
	if strings.HasSuffix(first, "out of bounds memory access") {
		err = errors.Join(ErrOutOfBounds, err)
	}
	return &callError{text: strings.TrimSuffix(first, " (recovered by wazero)"), cause: err}
}

type callError struct {
	text  string
	cause error
}

func (e *callError) Error() string { return e.text }
func (e *callError) Unwrap() error { return e.cause }

// Global implements [Instance].
func (i *wazeroInstance) Global(export string) (uint64, error) {
	g := i.mod.ExportedGlobal(export)
	if g == nil {
		return 0, fmt.Errorf("engine: global %s: no such export", export)
	}
	return g.Get(), nil
}

// SetGlobal implements [Instance].
func (i *wazeroInstance) SetGlobal(export string, bits uint64) error {
	g, ok := i.mod.ExportedGlobal(export).(api.MutableGlobal)
	if !ok {
		return fmt.Errorf("engine: set global %s: not a mutable export", export)
	}
	g.Set(bits)
	return nil
}

// Memory implements [Instance].
func (i *wazeroInstance) Memory() []byte {
	if !i.caller.hasMemory {
		return nil
	}
	return slices.Clip(memoryOf(i.mod))
}

// Close implements [Instance].
func (i *wazeroInstance) Close(ctx context.Context) error { return i.mod.Close(ctx) }
