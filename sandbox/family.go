package sandbox

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// family is what the guests of one call share: the command itself, and the programs that it started.
type family struct {
	session  *Session
	ctx      context.Context // done when the call has ended
	end      context.CancelCauseFunc
	deadline *deadline
	fuel     fuelAccount
	memory   memoryAccount

	children sync.WaitGroup
	mu       sync.Mutex
	live     int
	pipes    int
	peak     int64 // the most memory that one guest had
	hit      map[Limit]bool
}

// fuelAccount is the work of a call.
type fuelAccount struct {
	budget int64 // zero is no bound
	used   atomic.Int64
}

// left is how much may still be used, and whether that is bounded.
func (a *fuelAccount) left() (int64, bool) { return a.budget - a.used.Load(), a.budget > 0 }

// memoryAccount is the memory of a call. It implements image.Account.
type memoryAccount struct {
	mu          sync.Mutex
	limit, used int64
}

// Take implements image.Account.
func (a *memoryAccount) Take(n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n > a.limit-a.used {
		return false
	}
	a.used += n
	return true
}

// Give implements image.Account.
func (a *memoryAccount) Give(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used -= n
}

// ran records how a guest has ended.
func (f *family) ran(s *started) {
	if s.memory == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.peak = max(f.peak, s.memory.Peak())
	if s.memory.Exceeded() {
		f.hit[LimitMemory] = true
	}
}

func (f *family) ranInto(l Limit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hit[l] = true
}

// programs is what one guest may start. It implements wasi.Programs.
type programs struct {
	family *family
	depth  int // of the guest
}

// Names implements wasi.Programs.
func (p programs) Names() []wasi.ProgramName {
	if p.depth >= MaxProgramDepth {
		return nil
	}
	list := make([]wasi.ProgramName, 0, len(p.family.session.grant.Programs))
	for _, n := range p.family.session.grant.Programs {
		list = append(list, wasi.ProgramName{Name: n.Name, First: n.First})
	}
	return list
}

// Pipe implements wasi.Programs.
func (p programs) Pipe(onDemand bool) (*stream.Pipe, vfs.Errno) {
	f := p.family
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pipes >= MaxPipes {
		return nil, vfs.EMFILE
	}
	f.pipes++
	pipe := stream.NewPipe()
	if onDemand {
		pipe = stream.NewDemandPipe()
	}
	pipe.OnClosed(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.pipes--
	})
	return pipe, vfs.OK
}

// Spawn implements wasi.Programs.
func (p programs) Spawn(_ context.Context, request wasi.Request) (wasi.Process, vfs.Errno) {
	c, errno := p.spawn(request)
	if errno != vfs.OK {
		wasi.CloseGiven(request.Files)
		return nil, errno
	}
	return c.process, vfs.OK
}

func (p programs) spawn(request wasi.Request) (*child, vfs.Errno) {
	f := p.family
	named, ok := f.session.named[request.Program]
	if !ok || p.depth >= MaxProgramDepth {
		return nil, vfs.ENOENT
	}
	if (Command{Args: request.Args, Dir: request.Dir}).check() != nil {
		return nil, vfs.EINVAL
	}
	if !f.enter() {
		f.ranInto(LimitPrograms)
		return nil, vfs.EAGAIN
	}
	f.fuel.used.Add(SpawnFuel)
	c, errno := f.newChild(named, request, p.depth+1)
	if errno != vfs.OK {
		f.leave()
		return nil, errno
	}
	f.children.Add(1)
	go c.live()
	return c, vfs.OK
}

// enter takes one of the places for programs that run.
func (f *family) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.live >= f.session.limits.Programs {
		return false
	}
	f.live++
	return true
}

func (f *family) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live--
}

// load makes a program ready. While that takes, the deadline of the call stands still.
func (f *family) load(ctx context.Context, named *NamedProgram) (*Program, error) {
	if err := f.session.failed(named.Name); err != nil {
		return nil, err
	}
	defer f.deadline.pause()()
	program, err := f.session.engine.Load(ctx, named.Source)
	if err != nil && ctx.Err() == nil {
		f.session.fail(named.Name, err)
	}
	return program, err
}

// failed returns why a program could not be loaded before.
func (s *Session) failed(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken[name]
}

// fail remembers that: who tries again and again would keep the deadline standing still.
func (s *Session) fail(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken[name] = fmt.Errorf("sandbox: start %s: %w", name, err)
}
