package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// Session is a grant with its mounts opened and its /tmp made: what the calls of one conversation share. It is safe for
// concurrent use.
type Session struct {
	grant  Grant
	limits Limits
	tree   *tree
	closed atomic.Bool
}

// Open checks a grant and opens what it holds.
func (s *Sandbox) Open(grant Grant) (*Session, error) {
	if err := grant.Check(); err != nil {
		return nil, err
	}
	limits := grant.Limits.withDefaults()
	tree, err := openTree(grant, limits, s.engine.cache.dir)
	if err != nil {
		return nil, err
	}
	grant.Mounts, grant.Env = slices.Clone(grant.Mounts), slices.Clone(grant.Env) // the caller's to change
	return &Session{grant: grant, limits: limits, tree: tree}, nil
}

// Close gives back what the session holds; its /tmp is gone. Calls that still run lose their files.
func (s *Session) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.tree.close()
}

// Run runs one command to its end. A command that exits, with whatever code, is no error. When a limit ended it the error is a
// *[LimitError] (which limits do is told at [LimitMemory] and around it), when a fault of its own did a *[TrapError], and the result says what it had used until then. When ctx ended it,
// the error wraps the context's cause.
func (s *Session) Run(ctx context.Context, program *Program, cmd Command) (*Result, error) {
	if program == nil {
		return nil, fmt.Errorf("sandbox: run: %w: no program", ErrBadCommand)
	}
	if s.closed.Load() {
		return nil, fmt.Errorf("sandbox: run %s: session %w", program.name, ErrClosed)
	}
	if err := cmd.check(); err != nil {
		return nil, fmt.Errorf("sandbox: run %s: %w", program.name, err)
	}
	ctx, done, err := program.owner.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("sandbox: run %s: %w", program.name, err)
	}
	defer done()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("sandbox: run %s: %w", program.name, context.Cause(ctx))
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.Timeout, &LimitError{Limit: LimitTimeout, Value: s.limits.Timeout.String()})
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)

	maxOutput := s.limits.Output
	if cmd.MaxOutput > 0 {
		maxOutput = cmd.MaxOutput
	}
	out := newOutput(maxOutput, end)
	stdout, stderr := stream.Interruptible(ctx, cmd.Stdout), stream.Interruptible(ctx, cmd.Stderr)
	defer stdout.Close()
	defer stderr.Close()
	before := s.tree.hits()
	changed := s.tree.watch()
	c := &call{ctx: ctx, budget: s.limits.Fuel}
	root, err := s.tree.root(ctx, c)
	if err == nil {
		err = checkDir(root, cmd.Dir)
	}
	if err != nil {
		changed()
		return nil, fmt.Errorf("sandbox: run %s: %w", program.name, err)
	}
	c.system = wasi.New(wasi.Config{
		Args: cmd.Args, Env: s.environment(cmd), FS: root,
		Stdin:         stdinFile(ctx, cmd.Stdin),
		Stdout:        stream.ToWriter(outputWriter{out, stdout}, kindOf(cmd.Stdout)...),
		Stderr:        stream.ToWriter(outputWriter{out, stderr}, kindOf(cmd.Stderr)...),
		NonblockStdio: program.Imaged,
		Rand:          s.grant.Random, Now: s.grant.Clock,
		MaxFiles: s.limits.Handles + spareHandles, MemoryLimit: s.limits.Memory,
	})
	result := &Result{}
	err = program.call(ctx, c, s.limits.Memory, result)
	_ = c.system.Close()
	result.Duration = time.Since(begun)
	result.Truncated = out.wasTruncated()
	result.Changed, result.ChangedMore = changed()
	result.Hit = s.hit(before, result, err)
	return result, err
}

// spareHandles is the room that a guest's table of descriptors has beyond what the session may have open, for its streams,
// its root and their duplicates: so that it is the session's limit that is met, and named.
const spareHandles = 64

// call runs the program once on a fresh instance.
func (p *Program) call(ctx context.Context, c *call, memory int64, result *Result) error {
	s, err := p.start(ctx, c, memory)
	if err != nil {
		return err
	}
	defer s.close(context.WithoutCancel(ctx))
	result.ExitCode, err = p.run(ctx, s)
	result.Fuel = c.used(s.inst, p.FuelGlobal)
	if s.memory != nil {
		result.PeakMemory = s.memory.Peak()
		if s.memory.Exceeded() {
			result.Hit = append(result.Hit, LimitMemory)
		}
	}
	return err
}

// stdinFile is the guest's end of a host's reader.
func stdinFile(ctx context.Context, r io.Reader) vfs.File {
	if r == nil {
		return nil
	}
	return stream.FromReader(ctx, r, kindOf(r)...)
}

// kindOf tells a guest of a terminal. Nothing else can be told from a pipe.
func kindOf(readerOrWriter any) []stream.Option {
	if !isTerminal(readerOrWriter) {
		return nil
	}
	return []stream.Option{stream.TTY()}
}

// environment is the grant's, the command's and the working directory. No name is in it twice: which of two values counts
// differs from program to program.
func (s *Session) environment(cmd Command) []string {
	dir := cmd.Dir
	if dir == "" && len(s.grant.Mounts) > 0 {
		dir = s.grant.Mounts[0].Guest
	}
	if dir == "" {
		dir = "/"
	}
	all := append(slices.Concat(s.grant.Env, cmd.Env), "PWD="+dir)
	env, index := make([]string, 0, len(all)), make(map[string]int, len(all))
	for _, e := range all {
		name, _, _ := strings.Cut(e, "=")
		if i, ok := index[name]; ok {
			env[i] = e
			continue
		}
		index[name] = len(env)
		env = append(env, e)
	}
	return env
}

// hit lists the limits that the call ran into, the one that ended it first.
func (s *Session) hit(before map[Limit]int64, result *Result, err error) []Limit {
	var hit []Limit
	add := func(l Limit) {
		if !slices.Contains(hit, l) {
			hit = append(hit, l)
		}
	}
	var ended *LimitError
	if errors.As(err, &ended) {
		add(ended.Limit)
	}
	for _, l := range result.Hit {
		add(l)
	}
	if result.Truncated {
		add(LimitOutput)
	}
	for l, n := range s.tree.hits() {
		if n > before[l] {
			add(l)
		}
	}
	return hit
}
