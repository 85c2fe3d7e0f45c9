// Package engine is the contract between the sandbox and what executes WebAssembly, and its default implementation on
// wazero.
//
// An engine is given modules that package meter has rewritten. It provides their imports from the functions of package
// wasi and the meter's refill, and starts each instance on a memory that it is handed.
package engine

import (
	"context"

	"openclaw/sandbox/internal/image"
	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasi"
)

// Engine compiles modules.
type Engine interface {
	// Name tells engine and version; it is part of the keys of caches.
	Name() string
	// Compile compiles a module. What it returns besides is for Restore, in this process or a later one.
	Compile(ctx context.Context, m *meter.Module) (Module, *Compiled, error)
	// Restore makes a module of what Compile returned. It fails when the compiled code is not there any more.
	Restore(ctx context.Context, c *Compiled) (Module, error)
	Close(ctx context.Context) error
}

// Compiled is what to keep of a compiled module in order to have it again.
type Compiled struct {
	Wasm []byte `json:"-"` // a module that stands for it
	// Code names the file that holds the native code, relative to the engine's cache, and its size. It is empty when the
	// code is found by Wasm alone.
	Code     string
	CodeSize int64
}

// Module is a compiled module, safe for concurrent use.
type Module interface {
	// Instantiate makes an instance on memory, which is nil when the module has none. Nothing of the guest runs yet.
	Instantiate(ctx context.Context, memory *image.Memory, host Host) (Instance, error)
	Close(ctx context.Context) error
}

// Host is what an instance calls back to.
type Host interface {
	// Refill is asked for fuel when remaining has fallen below zero. An error ends the guest.
	Refill(remaining int64) (int64, error)
	System() *wasi.System
}

// Instance is one instance of a module. It is used by one goroutine at a time.
type Instance interface {
	// Call runs an exported function without parameters to its end. result is what it returned, or zero. When a host
	// function has ended the guest, the error wraps what that function returned.
	Call(ctx context.Context, export string) (result int32, err error)
	// Global and SetGlobal access an exported mutable global by its bits.
	Global(export string) (uint64, error)
	SetGlobal(export string, bits uint64) error
	// Memory is the guest's memory as it is now.
	Memory() []byte
	Close(ctx context.Context) error
}
