package sandbox

import (
	"context"
	"fmt"
	"sync"

	"openclaw/sandbox/internal/engine"
)

// EngineOptions configures [Wazero]. The zero value works.
type EngineOptions struct {
	// CacheDir keeps compiled programs between processes. Empty means "openclaw" in the user's cache directory;
	// [NoCache] keeps nothing. Everything in it is trusted as code, so a directory that others can write is refused,
	// and it is read-only to every guest even when a mount contains it.
	CacheDir string
	// Progress, when set, is told when something that takes long begins and ends.
	Progress func(Progress)
	// Interpreter runs guests without native code, many times slower.
	Interpreter bool
}

// NoCache, as EngineOptions.CacheDir, turns the cache on disk off.
const NoCache = "-"

// Progress tells of a step that takes long. It is reported once with Done false and, whatever happens, once with Done true.
type Progress struct {
	Program string // the name that the program was loaded under
	Step    string // "compile"
	Bytes   int    // size of the program
	Done    bool
	Err     error // with Done: why the step failed, nil when it did not
}

// Engine executes programs. One engine serves any number of sandboxes, sessions and calls at once.
type Engine struct {
	inner    engine.Engine
	cache    *cache
	progress func(Progress)

	mu       sync.Mutex
	programs map[digest]*loading
	closed   bool
	running  sync.WaitGroup // calls and loads
	life     context.Context
	end      context.CancelCauseFunc
}

// Wazero returns an engine on wazero, a WebAssembly compiler in pure Go. Close it to give its memory back.
func Wazero(ctx context.Context, opt EngineOptions) (*Engine, error) {
	c, err := openCache(opt.CacheDir)
	if err != nil {
		return nil, err
	}
	inner, err := engine.NewWazero(ctx, engine.WazeroOptions{CacheDir: c.codeDir(), Interpreter: opt.Interpreter})
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	progress := opt.Progress
	if progress == nil {
		progress = func(Progress) {}
	}
	life, end := context.WithCancelCause(context.Background())
	return &Engine{inner: inner, cache: c, progress: progress, programs: map[digest]*loading{}, life: life, end: end}, nil
}

// Close ends the engine and every program that it has loaded. Calls and loads that still run are ended with [ErrClosed];
// Close waits for that, as nothing may run code that is being given back.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	programs := e.programs
	e.programs, e.closed = nil, true
	e.mu.Unlock()
	e.end(fmt.Errorf("engine %w", ErrClosed))
	e.running.Wait()
	for _, l := range programs {
		if l.program != nil {
			l.program.close()
		}
	}
	return e.inner.Close(ctx)
}

// begin counts something that uses the engine, and returns a context that ends with it. done must be called.
func (e *Engine) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, nil, fmt.Errorf("engine %w", ErrClosed)
	}
	e.running.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	detach := context.AfterFunc(e.life, func() { cancel(context.Cause(e.life)) })
	return ctx, func() {
		detach()
		cancel(nil)
		e.running.Done()
	}, nil
}
