package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// DefaultHookTimeout is how long a hook may take.
const DefaultHookTimeout = 15 * time.Second

// Decision is what a hook says of a call before it runs. The zero value lets it run as it is.
type Decision struct {
	Arguments json.RawMessage // in place of the call's; nil leaves them
	Block     bool
	Reason    string // shown to the model when the call is blocked
}

// Hooks look at calls. Those of a kind are asked one after the other; what one changes the next one sees.
type Hooks struct {
	// Before may change or block a call. One that fails, panics or does not answer in time blocks it.
	Before []func(ctx context.Context, c Call) (Decision, error)
	// After observes the result of a call that ran.
	After []func(ctx context.Context, c Call, r Result)
	// Persist rewrites the result of a call, whether it ran or not, before anyone keeps it. It must be quick.
	Persist []func(c Call, r Result) Result
	// Timeout bounds each call of Before and After; zero means DefaultHookTimeout.
	Timeout time.Duration
}

// ErrBlocked is the cause when a hook did not let a call run.
var ErrBlocked = errors.New("the call was blocked")

func (h *Hooks) timeout() time.Duration {
	if h.Timeout > 0 {
		return h.Timeout
	}
	return DefaultHookTimeout
}

// before asks the hooks whether a call may run, and with which arguments.
func (h *Hooks) before(ctx context.Context, c Call) (Call, error) {
	for i, hook := range h.Before {
		decision, err := bounded(ctx, h.timeout(), func(ctx context.Context) (Decision, error) { return hook(ctx, c) })
		switch {
		case err != nil && ctx.Err() != nil:
			return c, context.Cause(ctx)
		case err != nil:
			return c, fmt.Errorf("%w: hook %d: %w", ErrBlocked, i+1, err)
		case decision.Block && decision.Reason == "":
			return c, ErrBlocked
		case decision.Block:
			return c, fmt.Errorf("%w: %s", ErrBlocked, decision.Reason)
		case decision.Arguments != nil:
			c.Arguments = decision.Arguments
		}
	}
	return c, nil
}

// after tells the hooks what came out. They cannot change it, and what goes wrong in them changes nothing.
func (h *Hooks) after(ctx context.Context, c Call, r Result) {
	for _, hook := range h.After {
		_, _ = bounded(context.WithoutCancel(ctx), h.timeout(), func(ctx context.Context) (struct{}, error) {
			hook(ctx, c, r)
			return struct{}{}, nil
		})
	}
}

// persist lets the hooks rewrite a result. One that panics leaves nothing of it: it may have been about to take a secret out.
func (h *Hooks) persist(c Call, r Result) (out Result) {
	if len(h.Persist) == 0 {
		return r
	}
	defer func() {
		if p := recover(); p != nil {
			out = *ErrorResult("The result was dropped: a hook that had to rewrite it failed.")
		}
	}()
	for _, hook := range h.Persist {
		r = hook(c, r)
	}
	return r
}

// bounded calls a hook and waits for it as long as it may take. One that goes on is left alone.
func bounded[T any](ctx context.Context, limit time.Duration, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer in %s", limit))
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("panic: %v", p)
			}
			answers <- a
		}()
		a.value, a.err = call(ctx)
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
