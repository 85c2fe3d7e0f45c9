package tools

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// What a registry keeps.
const (
	// DefaultCleanup is how long a command that has ended is remembered.
	DefaultCleanup = 30 * time.Minute
	// maxFinished is how many commands that have ended are remembered, of all sessions together.
	maxFinished = 50
	// maxRetained is how many bytes of their output are.
	maxRetained = 2_000_000
	// maxRunning bounds the commands of one session in the background.
	maxRunning = 64
)

// ErrClosed reports that a registry takes no more commands.
var ErrClosed = errors.New("closed")

// errEnded is the cause when a command has ended before it could go into the background.
var errEnded = errors.New("it has ended")

var errTooMany = errors.New("too many commands run in the background: end some of them first")

// RegistryOptions configure a registry.
type RegistryOptions struct {
	Cleanup time.Duration // for sessions whose configuration says nothing; zero means DefaultCleanup
	// OnExit, when set, is told of each command that ends in the background. It must not wait, nor call the registry.
	OnExit func(Exit)
	// Now, when set, replaces the clock.
	Now func() time.Time
}

// Exit is a command that has ended in the background.
type Exit struct {
	Agent, Session string
	ID             string // of the process
	Title          string // or how the command begins
	Status         string // completed or failed
	ExitCode       *int   // nil when it was ended
	Killed         bool   // somebody asked for the end
	Quiet          bool   // it wrote nothing that has not been shown
	Duration       time.Duration
}

// Leftover is what a command had written that nobody had been shown, when its registry was closed or had no room for it any more.
type Leftover struct {
	Exit
	Output  string
	Dropped int64 // bytes before Output that there was no room for
}

// Registry knows the commands in the background, of all sessions of a process of the runtime. It is safe for concurrent use.
// Close it.
type Registry struct {
	options RegistryOptions

	mu        sync.Mutex
	closed    bool
	running   map[*process]bool // also those in the foreground
	processes []*process        // those that have a name, the oldest first
	leftovers []Leftover
}

// NewRegistry returns a registry of no commands.
func NewRegistry(o RegistryOptions) *Registry {
	if o.Cleanup <= 0 {
		o.Cleanup = DefaultCleanup
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Registry{options: o, running: map[*process]bool{}}
}

// enter makes a command known that is about to run, so that Close ends it.
func (r *Registry) enter(p *process) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	r.running[p] = true
	return nil
}

// adopt gives a command a name: it is in the background from now on.
func (r *Registry) adopt(p *process) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return ErrClosed
	case p.over():
		return errEnded
	}
	r.sweep()
	n := 0
	for _, q := range r.processes {
		if q.scope == p.scope && !q.over() {
			n++
		}
	}
	if n >= maxRunning {
		return errTooMany
	}
	p.id = newName(func(name string) bool {
		return slices.ContainsFunc(r.processes, func(q *process) bool { return q.id == name })
	})
	p.out.background()
	r.processes = append(r.processes, p)
	return nil
}

// leave is called when a command has ended.
func (r *Registry) leave(p *process) {
	r.mu.Lock()
	delete(r.running, p)
	background := p.id != ""
	r.mu.Unlock()
	if !background {
		return
	}
	p.out.settle()
	if r.options.OnExit != nil {
		r.options.OnExit(exitOf(p))
	}
}

func exitOf(p *process) Exit {
	e := Exit{
		Agent: p.agent, Session: p.session, ID: p.id, Title: p.what(), Status: processCompleted,
		Killed: errors.Is(p.err, errKilled), Quiet: p.out.delivered(), Duration: p.ended.Sub(p.started),
	}
	switch {
	case p.err == nil:
		e.ExitCode = &p.run.ExitCode
	case !e.Killed:
		e.Status = processFailed
	}
	return e
}

// find returns a session's process by its name.
func (r *Registry) find(s scope, id string) *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	for _, p := range r.processes {
		if p.scope == s && p.id == id {
			return p
		}
	}
	return nil
}

// list returns the processes of a session, the oldest first.
func (r *Registry) list(s scope) []*process {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	var list []*process
	for _, p := range r.processes {
		if p.scope == s {
			list = append(list, p)
		}
	}
	return list
}

// forget removes a process that has ended.
func (r *Registry) forget(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.processes = slices.DeleteFunc(r.processes, func(q *process) bool { return q == p })
}

// sweep forgets processes whose time is over, or that there is no room for: those of which everything has been shown first, then
// the oldest. What nobody has been shown of the others becomes a leftover.
func (r *Registry) sweep() {
	now := r.options.Now()
	r.drop(func(p *process) bool {
		limit := r.options.Cleanup
		if p.cleanup > 0 {
			limit = p.cleanup
		}
		return now.Sub(p.ended) >= limit
	})
	finished, retained := 0, 0
	for _, p := range r.processes {
		if p.over() {
			finished++
			retained += p.out.retained()
		}
	}
	for _, shown := range []bool{true, false} {
		r.drop(func(p *process) bool {
			if finished <= maxFinished && retained <= maxRetained || p.out.delivered() != shown {
				return false
			}
			finished--
			retained -= p.out.retained()
			return true
		})
	}
}

// drop forgets those of the processes that have ended for which it is wanted.
func (r *Registry) drop(wanted func(*process) bool) {
	r.processes = slices.DeleteFunc(r.processes, func(p *process) bool {
		if !p.over() || !wanted(p) {
			return false
		}
		if !p.out.delivered() {
			r.keep(p)
		}
		return true
	})
}

// keep makes a leftover of what nobody has been shown of a process.
func (r *Registry) keep(p *process) {
	e := exitOf(p)
	out := p.out.drain(2*maxPending, true)
	r.leftovers = append(r.leftovers, Leftover{Exit: e, Output: out.text, Dropped: out.dropped})
	if over := len(r.leftovers) - maxFinished; over > 0 {
		r.leftovers = slices.Delete(r.leftovers, 0, over)
	}
}

// Leftovers takes what sweeping had to put aside of a session's processes.
func (r *Registry) Leftovers(agent, session string) []Leftover {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	var taken []Leftover
	r.leftovers = slices.DeleteFunc(r.leftovers, func(l Leftover) bool {
		if l.Agent != agent || l.Session != session {
			return false
		}
		taken = append(taken, l)
		return true
	})
	return taken
}

// Exits tells, once of each, which commands of a session have ended in the background without the model having been shown that.
func (r *Registry) Exits(agent, session string) []Exit {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Exit
	for _, p := range r.processes {
		if p.scope == (scope{agent, session}) && p.over() && !p.announced && !p.reported.Load() {
			p.announced = true
			list = append(list, exitOf(p))
		}
	}
	return list
}

// Wait waits until no command runs, or ctx ends. Who is about to close a registry lets commands end by themselves that way.
func (r *Registry) Wait(ctx context.Context) error {
	for {
		r.mu.Lock()
		var next *process
		for p := range r.running {
			next = p
			break
		}
		r.mu.Unlock()
		if next == nil {
			return nil
		}
		select {
		case <-next.left:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Close ends every command, waits for that as long as ctx lasts, and returns, for each that nobody had been shown the end of, what it
// had written and nobody had been shown, in the order in which they went into the background. The registry takes no more commands; closing it again returns nothing.
func (r *Registry) Close(ctx context.Context) []Leftover {
	r.mu.Lock()
	r.closed = true
	running := make([]*process, 0, len(r.running))
	for p := range r.running {
		running = append(running, p)
	}
	r.mu.Unlock()
	for _, p := range running {
		p.kill(errKilled)
	}
	for _, p := range running {
		select {
		case <-p.left:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.processes {
		switch {
		case p.over() && p.reported.Load() && p.out.delivered():
			continue
		case p.over():
			r.keep(p)
			continue
		}
		out := p.out.drain(2*maxPending, false)
		r.leftovers = append(r.leftovers, Leftover{
			Exit:   Exit{Agent: p.agent, Session: p.session, ID: p.id, Title: p.what(), Status: processRunning, Duration: p.duration()},
			Output: out.text, Dropped: out.dropped,
		})
	}
	left := r.leftovers
	r.processes, r.leftovers = nil, nil
	return left
}
