package agent

import (
	"context"
	"runtime"
	"sync"

	"openclaw/runtime/session"
)

// Lanes of runs that do not belong to the main one.
const (
	// MaxSubagents is how many sub-agents work at once.
	MaxSubagents = 8
	// MaxUnattended is how many cron and hook runs work at once.
	MaxUnattended = 1

	minConcurrent          = 8
	concurrentPerProcessor = 4
)

// lanes keep runs apart: one in each session, and so many in all. A run waits first for its session, so that a conversation with
// many messages takes one place only.
type lanes struct {
	mu       sync.Mutex
	sessions map[string]*lane
	shared   map[string]*lane
	main     int64 // the cap of the main lane
}

// lane lets so many at a time pass, in the order in which they came.
type lane struct {
	places chan struct{}
	users  int // those in it and those that wait; guarded by lanes.mu
}

func newLanes(maxConcurrent int64) *lanes {
	if maxConcurrent <= 0 {
		maxConcurrent = int64(max(minConcurrent, concurrentPerProcessor*runtime.NumCPU()))
	}
	return &lanes{sessions: map[string]*lane{}, shared: map[string]*lane{}, main: maxConcurrent}
}

// enter waits until a run may begin. leave must be called when it has ended. waiting is called when it is not its turn at once.
func (l *lanes) enter(ctx context.Context, key session.Key, waiting func()) (leave func(), err error) {
	own := l.take(l.sessions, key.String(), 1)
	if err := own.pass(ctx, waiting); err != nil {
		l.give(l.sessions, key.String(), own)
		return nil, err
	}
	name, size := sharedLane(key, l.main)
	all := l.take(l.shared, name, size)
	if err := all.pass(ctx, waiting); err != nil {
		l.give(l.shared, name, all)
		<-own.places
		l.give(l.sessions, key.String(), own)
		return nil, err
	}
	return func() {
		<-all.places
		l.give(l.shared, name, all)
		<-own.places
		l.give(l.sessions, key.String(), own)
	}, nil
}

// sharedLane is the lane that runs of a kind of session share.
func sharedLane(key session.Key, main int64) (name string, size int64) {
	switch key.Kind {
	case session.KindSubagent:
		return "subagent", MaxSubagents
	case session.KindCron, session.KindHook:
		return string(key.Kind), MaxUnattended
	}
	return "main", main
}

func (l *lanes) take(all map[string]*lane, name string, size int64) *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := all[name]
	if one == nil {
		one = &lane{places: make(chan struct{}, size)}
		all[name] = one
	}
	one.users++
	return one
}

func (l *lanes) give(all map[string]*lane, name string, one *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(all, name)
	}
}

func (l *lane) pass(ctx context.Context, waiting func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case l.places <- struct{}{}:
		return nil
	default:
	}
	waiting()
	select {
	case l.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
