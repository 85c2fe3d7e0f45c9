package shell

import (
	"context"
	"sync"
	"sync/atomic"

	"openclaw/toolwasm/guest/command"
)

// system is what all shells of one guest share: the numbering of processes and the way to signal them.
type system struct {
	table command.Table

	mu      sync.Mutex
	nextPID int
	live    int
	procs   map[int]*process
}

func newSystem(table command.Table) *system {
	const firstFree = 100
	return &system{table: table, nextPID: firstFree, procs: map[int]*process{}}
}

// process is a shell, subshell or background command, seen from outside.
type process struct {
	pid    int
	ppid   int
	cancel context.CancelCauseFunc
	// done is closed when the process has ended; status is valid then.
	done   chan struct{}
	status int

	// caught and ignored are the signals for which the process has a trap, and those it ignores: bit n is signal n.
	caught, ignored atomic.Uint64
	pending         atomic.Uint64
	killed          atomic.Int32
	// wake is sent to when a signal is pending.
	wake chan struct{}
}

// start registers a process; nil when there are too many.
func (s *system) start(ppid int, cancel context.CancelCauseFunc) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live >= maxProcesses {
		return nil
	}
	s.live++
	s.nextPID++
	p := &process{pid: s.nextPID, ppid: ppid, cancel: cancel, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	s.procs[p.pid] = p
	return p
}

// end records that a process is over.
func (s *system) end(p *process, status int) {
	s.mu.Lock()
	delete(s.procs, p.pid)
	s.live--
	s.mu.Unlock()
	p.status = status
	close(p.done)
}

// adopt registers a process whose number is given.
func (s *system) adopt(pid int, cancel context.CancelCauseFunc) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &process{pid: pid, ppid: 1, cancel: cancel, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	s.live++
	s.procs[pid] = p
	return p
}

// pid takes a process number for a command that nobody can signal by it.
func (s *system) pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextPID++
	return s.nextPID
}

func (s *system) find(pid int) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.procs[pid]
}

// signal delivers a signal.
func (p *process) signal(n int) {
	const chld, cont, urg, winch, kill, stop, tstp, ttin, ttou = 17, 18, 23, 28, 9, 19, 20, 21, 22
	if n == 0 {
		return
	}
	bit := uint64(1) << n
	if n != kill && n != stop {
		if p.ignored.Load()&bit != 0 {
			return
		}
		if p.caught.Load()&bit != 0 {
			p.pending.Or(bit)
			select {
			case p.wake <- struct{}{}:
			default:
			}
			return
		}
	}
	switch n {
	case chld, cont, urg, winch, stop, tstp, ttin, ttou:
		return // ignored by default, or job control, which a guest without terminal does not have
	}
	p.killed.CompareAndSwap(0, int32(n))
	p.cancel(&command.Signal{Number: n})
}
