package sandbox

import (
	"context"
	"errors"
	"fmt"

	"openclaw/sandbox/internal/engine"
	"openclaw/sandbox/internal/image"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// slice is how much fuel a guest gets at a time. It comes back to the host for more, which is when deadline,
// cancellation and budget are looked at: about every millisecond.
const slice = 4 << 20

// call is the state of one running guest. It implements engine.Host.
type call struct {
	ctx    context.Context
	system *wasi.System
	family *family // nil while a program is initialised
	budget int64   // fuel of this guest alone; zero is no bound
	// granted is the fuel handed out so far; what remains is in the guest's counter.
	granted int64
	charged int64 // of it, what the family's account knows of
}

// System implements engine.Host.
func (c *call) System() *wasi.System { return c.system }

// Refill implements engine.Host.
func (c *call) Refill(remaining int64) (int64, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	used := c.granted - remaining
	c.charge(used)
	next, err := c.slice(used)
	if err != nil {
		c.granted = used // the guest's counter is as if zero from here on
		return 0, err
	}
	c.granted = used + next
	return next, nil
}

// slice is how much fuel a guest that has used so much may have next.
func (c *call) slice(used int64) (int64, error) {
	next := int64(slice)
	if c.budget > 0 {
		if used > c.budget {
			return 0, &LimitError{Limit: LimitFuel, Value: fmt.Sprint(c.budget)}
		}
		next = min(next, c.budget-used)
	}
	if c.family == nil {
		return next, nil
	}
	left, bounded := c.family.fuel.left()
	if !bounded {
		return next, nil
	}
	if left < 0 {
		return 0, &LimitError{Limit: LimitFuel, Value: fmt.Sprint(c.family.fuel.budget), ofCall: true}
	}
	return min(next, left), nil
}

// charge tells the family's account how much the guest has used. Programs that run at once may together go beyond the
// budget, by less than a slice each.
func (c *call) charge(used int64) {
	if c.family != nil {
		c.family.fuel.used.Add(used - c.charged)
		c.charged = used
	}
}

// used is the fuel that the guest has used.
func (c *call) used(inst engine.Instance, fuelGlobal string) int64 {
	bits, err := inst.Global(fuelGlobal)
	if err != nil {
		return c.granted
	}
	return c.granted - int64(bits)
}

// Dup implements devfs.Handles: a guest that opens /dev/fd/N gets its own file N again. A guest that has not begun has none.
func (c *call) Dup(fd int) (vfs.File, vfs.Errno) {
	if c.system == nil {
		return nil, vfs.EBADF
	}
	return c.system.Dup(fd)
}

// List implements devfs.Handles.
func (c *call) List() []int {
	if c.system == nil {
		return nil
	}
	return c.system.Files()
}

// errNoMemory is nobody's limit: the system that the sandbox runs on has no more.
var errNoMemory = errors.New("sandbox: the system has no address space for the guest's memory")

// start makes an instance of the program in the state in which every call begins.
func (p *Program) start(ctx context.Context, c *call, limit int64) (*started, error) {
	s := &started{}
	if p.image != nil {
		if p.image.Size() > limit {
			return nil, &LimitError{Limit: LimitMemory, Value: size(limit)}
		}
		s.memory = p.image.NewMemory(limit)
		if c.family != nil {
			s.memory.Account = &c.family.memory
		}
		if s.memory.Reallocate(0) == nil { // now, as an engine that gets none panics
			defer s.close(ctx)
			return nil, c.noMemory(s)
		}
		s.memory.OnExceed = p.onExceed(limit)
	}
	inst, err := p.module.Instantiate(ctx, s.memory, c)
	if err != nil {
		s.close(ctx)
		return nil, fmt.Errorf("%w: %w", ErrBadModule, err)
	}
	s.inst = inst
	for _, g := range p.Globals {
		if err := inst.SetGlobal(g.Export, g.Bits); err != nil {
			s.close(ctx)
			return nil, fmt.Errorf("sandbox: %w", err)
		}
	}
	return s, nil
}

// noMemory is why an instance has no memory to begin with.
func (c *call) noMemory(s *started) error {
	if s.memory.Exceeded() {
		return &LimitError{Limit: LimitMemory, Value: size(c.family.memory.limit)}
	}
	return errNoMemory
}

// onExceed ends a reactor that asks for more memory than it may have: such guests have no way to go on without, and would
// bury the reason under a trace of their own. A command is told that there is no more, as by a real system.
func (p *Program) onExceed(limit int64) func() {
	if p.Entry != runExport {
		return nil
	}
	return func() { panic(&LimitError{Limit: LimitMemory, Value: size(limit)}) }
}

// run runs the program to its end and returns its exit code, or why it did not end by itself.
func (p *Program) run(ctx context.Context, s *started) (code int, err error) {
	for _, f := range p.Before {
		if _, err = s.inst.Call(ctx, f); err != nil {
			return p.outcome(ctx, s, err)
		}
	}
	result, err := s.inst.Call(ctx, p.Entry)
	if err != nil {
		return p.outcome(ctx, s, err)
	}
	return int(result), nil
}

// outcome tells an exit from a limit, and a limit from a fault of the guest.
func (p *Program) outcome(ctx context.Context, s *started, err error) (int, error) {
	var exit wasi.ExitError
	if errors.As(err, &exit) {
		return int(exit.Code), nil
	}
	var limit *LimitError
	switch {
	case errors.As(err, &limit):
		return 0, limit
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return 0, fmt.Errorf("sandbox: run %s: %w", p.name, context.Cause(ctx))
	case errors.Is(err, engine.ErrStackOverflow):
		return 0, &LimitError{Limit: LimitStack}
	case s.memory != nil && s.memory.Exceeded():
		return 0, &LimitError{Limit: LimitMemory, Value: size(s.memory.Limit())}
	}
	return 0, &TrapError{Program: p.name, Cause: err}
}

// started is an instance with its memory.
type started struct {
	inst   engine.Instance
	memory *image.Memory
}

// close frees what the instance held.
func (s *started) close(ctx context.Context) {
	if s.inst != nil {
		_ = s.inst.Close(ctx)
	}
	if s.memory != nil {
		s.memory.Free()
	}
}
