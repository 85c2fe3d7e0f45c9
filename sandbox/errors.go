package sandbox

import (
	"errors"
	"fmt"
)

// Errors that a caller can decide on with errors.Is.
var (
	// ErrBadGrant reports a grant that cannot be given: a limit out of range, a mount that is not there.
	ErrBadGrant = errors.New("bad grant")
	// ErrBadCommand reports a command that cannot be given to a guest: no program, an argument with a NUL byte, a relative
	// directory.
	ErrBadCommand = errors.New("bad command")
	// ErrNoDirectory reports a command whose directory is none in the guest's tree; the error is a *[DirectoryError], and an
	// ErrBadCommand too.
	ErrNoDirectory = errors.New("no such working directory")
	// ErrNotWasm reports a program that is not a WebAssembly module.
	ErrNotWasm = errors.New("not a WebAssembly module")
	// ErrBadModule reports a WebAssembly module that cannot be run here: malformed, or asking for imports that do not exist.
	ErrBadModule = errors.New("module cannot be run")
	// ErrClosed reports the use of something that has been closed.
	ErrClosed = errors.New("closed")
)

// DirectoryError reports a [Command] that did not start because the guest could not work in its directory.
type DirectoryError struct {
	Dir    string // as a path in the guest
	Reason string // in the words of the system: "No such file or directory"
}

func (e *DirectoryError) Error() string {
	return fmt.Sprintf("directory %q: %v: %s", e.Dir, ErrBadCommand, e.Reason)
}

// Is makes it an [ErrNoDirectory] and an [ErrBadCommand].
func (e *DirectoryError) Is(target error) bool {
	return target == ErrNoDirectory || target == ErrBadCommand
}

// Limit names a bound of a call.
type Limit string

// The limits that can end a call or fail one of its operations.
const (
	LimitTimeout  Limit = "timeout"
	LimitFuel     Limit = "fuel"
	LimitMemory   Limit = "memory"
	LimitOutput   Limit = "output"
	LimitDisk     Limit = "disk"
	LimitFiles    Limit = "files"
	LimitFileSize Limit = "file-size"
	LimitHandles  Limit = "open-files"
	LimitDepth    Limit = "path-depth"
	LimitStack    Limit = "stack"
)

// LimitError reports that a limit ended a call.
type LimitError struct {
	Limit Limit
	// Value is the limit as it was set, for people: "30s", "256MiB".
	Value string
}

func (e *LimitError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("sandbox: run: %s limit reached", e.Limit)
	}
	return fmt.Sprintf("sandbox: run: %s limit of %s reached", e.Limit, e.Value)
}

// TrapError reports that a guest ended by a fault of its own: an unreachable instruction, an access outside its memory.
type TrapError struct {
	Program string
	Cause   error
}

func (e *TrapError) Error() string { return fmt.Sprintf("sandbox: run %s: %v", e.Program, e.Cause) }

func (e *TrapError) Unwrap() error { return e.Cause }
