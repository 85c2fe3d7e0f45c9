package sandbox

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// Sandbox runs programs on an engine. It holds nothing else, so any number can share an engine.
type Sandbox struct{ engine *Engine }

// New returns a sandbox on an engine.
func New(engine *Engine) *Sandbox { return &Sandbox{engine: engine} }

// Load makes a program ready to run; see [Engine.Load].
func (s *Sandbox) Load(ctx context.Context, src Source) (*Program, error) {
	return s.engine.Load(ctx, src)
}

// Run runs one command in a session of its own.
func (s *Sandbox) Run(ctx context.Context, grant Grant, program *Program, cmd Command) (*Result, error) {
	session, err := s.Open(grant)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	return session.Run(ctx, program, cmd)
}

// Command is what to run. The zero value runs a program without arguments and streams in the grant's first mount.
type Command struct {
	Args []string // Args[0] is the program's own name
	// Env is added to the grant's environment; of two values the later one counts.
	Env []string
	// Dir is the working directory as a path in the guest, which must be there. Empty means that of the first mount, or "/".
	Dir string

	// Stdin is read only as far as the guest reads; nil is empty. A stream that is the *os.File of a terminal is a terminal
	// to the guest too.
	Stdin io.Reader
	// Stdout and Stderr are written to by one goroutine at a time, also when they are the same writer; nil discards. They
	// are not used after the call, except that a Write which does not return may still be in progress.
	Stdout, Stderr io.Writer
	// MaxOutput, when set, takes the place of Limits.Output for callers that read a protocol and not a text.
	MaxOutput int64
	// Timeout, when set, takes the place of Limits.Timeout where it is less. Unlike a deadline of the context it stands still
	// while a program is loaded that the command started.
	Timeout time.Duration
}

// check refuses what no guest can be given.
func (c Command) check() error {
	for _, a := range c.Args {
		if strings.IndexByte(a, 0) >= 0 {
			return fmt.Errorf("argument %q: %w: it has a NUL byte", a, ErrBadCommand)
		}
	}
	if e, ok := badVariable(c.Env); ok {
		return fmt.Errorf("environment: %w: %q is not NAME=value", ErrBadCommand, e)
	}
	if c.Dir != "" && (!path.IsAbs(c.Dir) || strings.IndexByte(c.Dir, 0) >= 0) {
		return fmt.Errorf("directory %q: %w: not an absolute path", c.Dir, ErrBadCommand)
	}
	return nil
}

// badVariable finds the first that is not of the form NAME=value.
func badVariable(env []string) (string, bool) {
	for _, e := range env {
		if i := strings.IndexByte(e, '='); i <= 0 || strings.IndexByte(e, 0) >= 0 {
			return e, true
		}
	}
	return "", false
}

// Result is how a call ended. A call that a limit ended has one too.
type Result struct {
	ExitCode int
	// Fuel is the work done, in units that are comparable with each other and no measure of time: a simple instruction in
	// short code costs one, and long stretches of code less for each; docs/limits.md has figures. The same call uses the
	// same fuel on every machine, as long as it does not depend on time.
	Fuel int64
	// PeakMemory is the most linear memory that the guest had, or one of the programs that it started, in bytes.
	PeakMemory int64
	Duration   time.Duration
	// Truncated tells that the guest wrote more than Limits.Output.
	Truncated bool
	// Hit lists the limits that the call ran into, whether they ended it or only failed an operation of the guest. Limits
	// of the session (Disk, Files, FileSize, Handles, Depth) are in it too when another call ran into them at the same time.
	Hit []Limit
	// Changed lists the files below mounts that the call created, wrote or removed, as guest paths in sorted order. It is cut
	// at MaxChanged, and ChangedMore tells that it was.
	Changed     []string
	ChangedMore bool
}

// MaxChanged bounds Result.Changed.
const MaxChanged = 1000
