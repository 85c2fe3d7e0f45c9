package sandbox

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"openclaw/sandbox/internal/engine"
	"openclaw/sandbox/internal/image"
	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasi"
	"openclaw/sandbox/internal/wasm"
)

type digest = [sha256.Size]byte

// Source is where a program comes from.
type Source struct {
	Name string // for messages
	// Digest is the SHA-256 of the module. With it a program that the cache holds is loaded without reading it.
	// It must be right: it is what the cache goes by.
	Digest [sha256.Size]byte
	// Open returns the module.
	Open func() ([]byte, error)
}

// Module is the source of a module that is in memory.
func Module(name string, wasm []byte) Source {
	return Source{Name: name, Digest: sha256.Sum256(wasm), Open: func() ([]byte, error) { return wasm, nil }}
}

// The exports that make a module a program. A command has startExport and runs from the beginning in each call. A
// reactor has initializeExport and runExport: it is initialised once, and each call starts from an image of what that left.
const (
	startExport      = "_start"
	initializeExport = "_initialize"
	runExport        = "openclaw_run"
)

// Program is a module that is ready to run. It is safe for concurrent use and stays loaded until its engine is closed.
type Program struct {
	name   string
	digest digest
	owner  *Engine
	*prepared
	module engine.Module
	image  *image.Image // nil when the module has no memory
}

// Name is the name that the program was loaded under.
func (p *Program) Name() string { return p.name }

// Digest is the SHA-256 of the module.
func (p *Program) Digest() [sha256.Size]byte { return p.digest }

func (p *Program) close() {
	_ = p.module.Close(context.Background())
	if p.image != nil {
		_ = p.image.Close()
	}
}

// prepared is what is known about a program beside its memory. It is kept in the cache.
type prepared struct {
	Version    string
	Entry      string   // the export that a call runs
	Before     []string // exports that a call runs before: start function, initialisation that could not be imaged
	HasMemory  bool
	MemoryMin  int64 // bytes
	ImageSize  int64
	FuelGlobal string
	Globals    []globalValue // what the image goes with
	Imaged     bool          // the guest was initialised before the image was taken
	engine.Compiled
}

type globalValue struct {
	Export string
	Bits   uint64
}

// loading is a program that is being loaded, or has been.
type loading struct {
	done      chan struct{}
	program   *Program
	err       error
	abandoned bool // the one who loaded it gave up: that is no answer for others
}

// Load makes a program ready to run. A program is loaded once: later calls return the same one.
func (e *Engine) Load(ctx context.Context, src Source) (*Program, error) {
	ctx, done, err := e.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("sandbox: load %s: %w", src.Name, err)
	}
	defer done()
	for {
		l, first := e.join(src)
		if first {
			e.loadFirst(ctx, src, l)
			return l.program, l.err
		}
		select {
		case <-l.done:
			if !l.abandoned {
				return l.program, l.err
			}
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("sandbox: load %s: %w", src.Name, context.Cause(ctx))
		}
	}
}

// join finds who loads a program, or has; first tells that the caller is to do it.
func (e *Engine) join(src Source) (l *loading, first bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l, ok := e.programs[src.Digest]; ok {
		return l, false
	}
	l = &loading{done: make(chan struct{})}
	if !e.closed {
		e.programs[src.Digest] = l
	}
	return l, true
}

// loadFirst loads a program for everybody who waits for it.
func (e *Engine) loadFirst(ctx context.Context, src Source, l *loading) {
	defer close(l.done)
	defer func() {
		if l.program == nil { // also when something panicked
			e.mu.Lock()
			delete(e.programs, src.Digest) // the next one tries again
			e.mu.Unlock()
		}
	}()
	l.abandoned = true
	l.program, l.err = e.load(ctx, src)
	l.abandoned = l.err != nil && ctx.Err() != nil
}

func (e *Engine) load(ctx context.Context, src Source) (*Program, error) {
	if p, ok := e.restore(ctx, src); ok {
		return p, nil
	}
	defer e.cache.lock(ctx, src.Digest, e.inner.Name())()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("sandbox: load %s: %w", src.Name, context.Cause(ctx))
	}
	if p, ok := e.restore(ctx, src); ok { // another process has made it meanwhile
		return p, nil
	}
	data, err := src.Open()
	if err != nil {
		return nil, fmt.Errorf("sandbox: load %s: %w", src.Name, err)
	}
	e.progress(Progress{Program: src.Name, Step: "compile", Bytes: len(data)})
	end := Progress{Program: src.Name, Step: "compile", Bytes: len(data), Done: true, Err: errInterrupted}
	defer func() { e.progress(end) }()
	p, err := e.build(ctx, src, data)
	if err != nil {
		end.Err = fmt.Errorf("sandbox: load %s: %w", src.Name, err)
		return nil, end.Err
	}
	end.Err = nil
	return p, nil
}

// restore makes a program of what the cache holds. What is not as it was stored is as good as nothing: it is made again.
func (e *Engine) restore(ctx context.Context, src Source) (*Program, bool) {
	prep, img, ok := e.cache.load(src.Digest, e.inner.Name())
	if !ok {
		return nil, false
	}
	module, err := e.inner.Restore(ctx, &prep.Compiled)
	if err != nil {
		return nil, false
	}
	prep.Wasm = nil
	return &Program{name: src.Name, digest: src.Digest, owner: e, prepared: prep, module: module, image: img}, true
}

// errInterrupted is what a step failed with that never returned: something in it panicked.
var errInterrupted = errors.New("sandbox: the step was interrupted")

// build rewrites and compiles a module, and takes the image that its calls start from.
func (e *Engine) build(ctx context.Context, src Source, data []byte) (*Program, error) {
	m, err := meter.Rewrite(data, meter.Options{})
	if errors.Is(err, wasm.ErrNotWasm) {
		return nil, fmt.Errorf("%w: %w", ErrNotWasm, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadModule, err)
	}
	prep, err := prepare(m)
	if err != nil {
		return nil, err
	}
	module, compiled, err := e.inner.Compile(ctx, m)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadModule, err)
	}
	p := &Program{name: src.Name, digest: src.Digest, owner: e, prepared: prep, module: module}
	content, err := p.takeImage(ctx, m)
	if err != nil {
		_ = module.Close(ctx)
		return nil, err
	}
	prep.Compiled = *compiled
	// A cache that cannot be written costs the next process time; it is no reason to fail this one.
	_ = e.cache.store(src.Digest, e.inner.Name(), prep, content)
	prep.Wasm = nil
	return p, nil
}

// prepare checks that the module can be a program here and finds out how it is run.
func prepare(m *meter.Module) (*prepared, error) {
	if err := checkImports(m.Imports); err != nil {
		return nil, err
	}
	p := &prepared{
		Version:    cacheVersion,
		HasMemory:  m.HasMemory,
		MemoryMin:  int64(m.MemoryMin) * MinMemory,
		FuelGlobal: m.FuelGlobal,
	}
	exports := func(name string) bool {
		return slices.ContainsFunc(m.Exports, func(x meter.Export) bool {
			return x.Name == name && x.Type.Kind == wasm.ExternFunc && len(x.Type.Func.Params) == 0
		})
	}
	if m.HasStart {
		p.Before = append(p.Before, m.StartExport)
	}
	switch {
	case exports(runExport):
		p.Entry = runExport
		if exports(initializeExport) {
			p.Before = append(p.Before, initializeExport)
		}
	case exports(startExport):
		p.Entry = startExport
	default:
		return nil, fmt.Errorf("%w: it exports neither %s nor %s, so it is not a program", ErrBadModule, startExport, runExport)
	}
	return p, nil
}

// checkImports refuses a module that asks for what does not exist here, naming the first such import.
func checkImports(imports []meter.Import) error {
	have := map[[2]string]wasi.Function{}
	for _, f := range wasi.Functions() {
		have[[2]string{f.Module, f.Name}] = f
	}
	for _, i := range imports {
		f, ok := have[[2]string{i.Module, i.Name}]
		if !ok || i.Type.Kind != wasm.ExternFunc {
			return fmt.Errorf("%w: it imports %s.%s, which does not exist here", ErrBadModule, i.Module, i.Name)
		}
		if !sameTypes(f.Params, i.Type.Func.Params) || !sameTypes(f.Results, i.Type.Func.Results) {
			return fmt.Errorf("%w: it imports %s.%s with another type than it has", ErrBadModule, i.Module, i.Name)
		}
	}
	return nil
}

func sameTypes(a []wasi.ValueType, b []wasm.ValueType) bool {
	return slices.EqualFunc(a, b, func(x wasi.ValueType, y wasm.ValueType) bool { return byte(x) == byte(y) })
}
