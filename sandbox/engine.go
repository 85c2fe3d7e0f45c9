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
}

// Engine executes programs. One engine serves any number of sandboxes, sessions and calls at once.
type Engine struct {
	inner    engine.Engine
	cache    *cache
	progress func(Progress)

	mu       sync.Mutex
	programs map[digest]*loading
	closed   bool
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
	return &Engine{inner: inner, cache: c, progress: progress, programs: map[digest]*loading{}}, nil
}

// Close ends the engine and every program that it has loaded. No call may be running.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	programs := e.programs
	e.programs, e.closed = nil, true
	e.mu.Unlock()
	for _, l := range programs {
		<-l.done
		if l.program != nil {
			l.program.close()
		}
	}
	return e.inner.Close(ctx)
}
