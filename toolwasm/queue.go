package toolwasm

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"openclaw/sandbox"
)

// queues let the calls that change files through one workspace pass one after the other: each sees what the one before
// has left, so that two edits of one file at once both take effect. The zero value is ready.
type queues struct {
	mu sync.Mutex
	m  map[string]*queue
}

// queue is a workspace that calls wait for.
type queue struct {
	turn  chan struct{} // holds the one token while a call is under way
	calls int           // under way or waiting
}

// enter waits for the turn of a call; leave ends it.
func (q *queues) enter(ctx context.Context, key string) (leave func(), err error) {
	w := q.join(key)
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		q.part(key, w)
		return nil, context.Cause(ctx)
	}
	return func() {
		<-w.turn
		q.part(key, w)
	}, nil
}

func (q *queues) join(key string) *queue {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.m == nil {
		q.m = map[string]*queue{}
	}
	w := q.m[key]
	if w == nil {
		w = &queue{turn: make(chan struct{}, 1)}
		q.m[key] = w
	}
	w.calls++
	return w
}

func (q *queues) part(key string, w *queue) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.calls--; w.calls == 0 {
		delete(q.m, key)
	}
}

// workspaceOf tells sessions on different directories apart. Two sessions on one directory share a queue.
func workspaceOf(session *sandbox.Session) string {
	for _, m := range session.Mounts() {
		if m.Guest != Workspace {
			continue
		}
		if real, err := filepath.EvalSymlinks(m.Host); err == nil {
			if abs, err := filepath.Abs(real); err == nil {
				return abs
			}
		}
		return m.Host
	}
	return fmt.Sprintf("session %p", session) // without a workspace the files that it can change are its own
}
