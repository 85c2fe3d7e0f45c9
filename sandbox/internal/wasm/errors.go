package wasm

import (
	"errors"
	"fmt"
)

// The causes that a decoding error wraps; compare with errors.Is.
var (
	// ErrNotWasm: the bytes do not begin with a WebAssembly preamble.
	ErrNotWasm = errors.New("not a WebAssembly module")
	// ErrMalformed: the bytes contradict the binary format.
	ErrMalformed = errors.New("malformed module")
	// ErrUnsupported: the module is well formed but uses a feature that is
	// deliberately left out (components, threads, memory64, exceptions, GC …).
	ErrUnsupported = errors.New("unsupported feature")
	// ErrLimit: the module exceeds one of the caller's Limits.
	ErrLimit = errors.New("limit exceeded")
)

// Error says where in a module decoding stopped, and why.
type Error struct {
	Subject string // what was being read: "header", "type section", "code[17]" …
	Offset  int    // byte offset from the start of the module
	Err     error  // wraps one of the sentinels above
}

func (e *Error) Error() string {
	return fmt.Sprintf("wasm: decode %s at 0x%x: %v", e.Subject, e.Offset, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// cause is a sentinel with a detail.
type cause struct {
	sentinel error
	detail   string
}

func (c *cause) Error() string { return c.sentinel.Error() + ": " + c.detail }
func (c *cause) Unwrap() error { return c.sentinel }

func malformed(format string, args ...any) error {
	return &cause{ErrMalformed, fmt.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) error {
	return &cause{ErrUnsupported, fmt.Sprintf(format, args...)}
}

func limitExceeded(format string, args ...any) error {
	return &cause{ErrLimit, fmt.Sprintf(format, args...)}
}
