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

// Limits that end a call: Run fails with a [LimitError], and Result.Hit begins with it.
const (
	LimitTimeout Limit = "timeout"
	LimitFuel    Limit = "fuel"
	LimitStack   Limit = "stack"
)

// Limits that end some calls. Result.Hit names them whether they ended the call or not.
const (
	// LimitMemory ends a reactor that asks for more memory, and every program that has more to begin with. A command is
	// told that there is no more, as by a system: when it goes on, or exits with a status of its own, Run has no error; when
	// it traps then, the error is this limit's and no [TrapError].
	LimitMemory Limit = "memory"
	// LimitOutput drops what is written beyond it, which Result.Truncated tells, and ends a call that wrote
	// [DiscardedOutput] more.
	LimitOutput Limit = "output"
)

// Limits that never end a call. The operation fails in the guest as on a system that has no more of it, and only
// Result.Hit names the limit: how the guest exits is up to the guest.
const (
	LimitDisk     Limit = "disk"       // EDQUOT
	LimitFiles    Limit = "files"      // EDQUOT
	LimitFileSize Limit = "file-size"  // EFBIG
	LimitHandles  Limit = "open-files" // EMFILE
	LimitDepth    Limit = "path-depth" // ENAMETOOLONG
	LimitPrograms Limit = "programs"   // EAGAIN
)

// LimitError reports that a limit ended a call.
type LimitError struct {
	Limit Limit
	// Value is the limit as it was set, for people: "30s", "256MiB".
	Value string

	ofCall bool // the whole call's, met by one of its programs
}

func (e *LimitError) Error() string { return "sandbox: run: " + e.reason() }

func (e *LimitError) reason() string {
	if e.Value == "" {
		return fmt.Sprintf("%s limit reached", e.Limit)
	}
	return fmt.Sprintf("%s limit of %s reached", e.Limit, e.Value)
}

// TrapError reports that a guest ended by a fault of its own: an unreachable instruction, an access outside its memory.
type TrapError struct {
	Program string
	Cause   error
}

func (e *TrapError) Error() string { return fmt.Sprintf("sandbox: run %s: %v", e.Program, e.Cause) }

func (e *TrapError) Unwrap() error { return e.Cause }
