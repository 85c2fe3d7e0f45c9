package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// Session is a grant with its mounts opened and its /tmp made: what the calls of one conversation share. It is safe for
// concurrent use.
type Session struct {
	engine *Engine
	grant  Grant
	limits Limits
	tree   *tree
	named  map[string]*NamedProgram
	closed atomic.Bool

	mu     sync.Mutex
	broken map[string]error // programs that could not be loaded
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
	grant.Mounts, grant.Env, grant.Programs = slices.Clone(grant.Mounts), slices.Clone(grant.Env), slices.Clone(grant.Programs) // the caller's to change
	session := &Session{engine: s.engine, grant: grant, limits: limits, tree: tree, named: map[string]*NamedProgram{}, broken: map[string]error{}}
	for i := range grant.Programs {
		session.named[grant.Programs[i].Name] = &grant.Programs[i]
	}
	return session, nil
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
	timeout := s.limits.Timeout
	if cmd.Timeout > 0 {
		timeout = min(timeout, cmd.Timeout)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	deadline := newDeadline(timeout, func() { end(&LimitError{Limit: LimitTimeout, Value: timeout.String()}) })
	defer deadline.stop()
	f := &family{session: s, ctx: ctx, end: end, deadline: deadline, hit: map[Limit]bool{}}
	f.fuel.budget, f.memory.limit = s.limits.Fuel, s.limits.MemoryTotal

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
	c := &call{ctx: ctx, family: f}
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
		Programs: programs{family: f},
	})
	result := &Result{}
	result.ExitCode, err = program.call(ctx, c, s.limits.Memory)
	end(errCallOver)
	f.children.Wait()
	_ = c.system.Close()
	result.Duration = time.Since(begun)
	result.Fuel, result.PeakMemory = f.fuel.used.Load(), f.peak
	result.Truncated = out.wasTruncated()
	result.Changed, result.ChangedMore = changed()
	result.Hit = s.hit(before, f.hit, result, err)
	return result, err
}

// errCallOver ends the programs that a call leaves behind.
var errCallOver = errors.New("sandbox: the call is over")

// spareHandles is the room that a guest's table of descriptors has beyond what the session may have open, for its streams,
// its root and their duplicates: so that it is the session's limit that is met, and named.
const spareHandles = 64

// call runs the program once on a fresh instance.
func (p *Program) call(ctx context.Context, c *call, memory int64) (code int, err error) {
	s, err := p.start(ctx, c, memory)
	if err != nil {
		return 0, err
	}
	defer s.close(context.WithoutCancel(ctx))
	code, err = p.run(ctx, s)
	c.charge(c.used(s.inst, p.FuelGlobal))
	c.family.ran(s)
	return code, err
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
	return mergeEnv(s.grant.Env, cmd.Env, []string{"PWD=" + dir})
}

// mergeEnv puts variables together; of two values the later one counts.
func mergeEnv(lists ...[]string) []string {
	all := slices.Concat(lists...)
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
func (s *Session) hit(before map[Limit]int64, ran map[Limit]bool, result *Result, err error) []Limit {
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
	for _, l := range slices.Sorted(maps.Keys(ran)) {
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
