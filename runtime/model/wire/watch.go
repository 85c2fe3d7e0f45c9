package wire

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// watch ends a request whose provider is silent. What counts as life is a whole line of the stream, be it a comment that only
// keeps the connection open: providers think for minutes and send nothing else meanwhile.
type watch struct {
	ctx   context.Context
	first time.Duration
	idle  time.Duration

	mu    sync.Mutex
	timer *time.Timer // nil: no bound at the moment
	begun bool
	stop  context.CancelCauseFunc
}

// silence is the cause of a request that was ended.
type silence struct {
	bound time.Duration
	begun bool
}

func (s *silence) Error() string {
	if s.begun {
		return fmt.Sprintf("%s: nothing came for %s", ErrSilent, s.bound)
	}
	return fmt.Sprintf("%s: no answer began within %s", ErrSilent, s.bound)
}

func (s *silence) Unwrap() error { return ErrSilent }

func newWatch(parent context.Context, first, idle time.Duration) (*watch, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	w := &watch{ctx: ctx, first: first, idle: idle, stop: cancel}
	if first > 0 {
		w.timer = time.AfterFunc(first, func() { cancel(&silence{bound: first}) })
	}
	return w, w.end
}

// alive notes that something came.
func (w *watch) alive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	w.begun = true
	if w.idle > 0 {
		bound := w.idle
		w.timer = time.AfterFunc(bound, func() { w.stop(&silence{bound: bound, begun: true}) })
	}
}

// hurry shortens the bound of silences.
func (w *watch) hurry(most time.Duration) {
	w.mu.Lock()
	if w.idle <= 0 || w.idle > most {
		w.idle = most
	}
	w.mu.Unlock()
	w.alive()
}

func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.stop(nil)
}

// explain puts the reason in place of an error that ending the request has led to.
func (w *watch) explain(err error) error {
	var s *silence
	if err != nil && errors.As(context.Cause(w.ctx), &s) {
		return s
	}
	return err
}
