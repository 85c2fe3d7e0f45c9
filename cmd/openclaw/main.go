// Openclaw runs the tools of an AI agent inside WebAssembly. See the README for what it promises.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

func main() {
	os.Exit(run(untilSignal(), os.Args, streams{os.Stdin, os.Stdout, os.Stderr}))
}

// signalError is why a context ended when a signal ended it.
type signalError struct{ signal syscall.Signal }

func (signalError) Error() string { return "interrupted" }

// untilSignal returns a context that the first signal ends, unless a command has something else to do at Ctrl-C. The next one ends
// the process, should the first not do.
func untilSignal() context.Context {
	i := &interrupts{}
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), interruptsKey{}, i))
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		s, _ := (<-received).(syscall.Signal)
		for s == syscall.SIGINT && i.handled() {
			s, _ = (<-received).(syscall.Signal)
		}
		signal.Stop(received)
		cancel(signalError{s})
	}()
	return ctx
}

// interrupts is what a command does at Ctrl-C.
type interrupts struct {
	mu     sync.Mutex
	handle func() bool
}

type interruptsKey struct{}

func (i *interrupts) handled() bool {
	i.mu.Lock()
	handle := i.handle
	i.mu.Unlock()
	return handle != nil && handle()
}

// onInterrupt has a function called at Ctrl-C, which must not block, until undo is called. It tells whether the command goes on.
func onInterrupt(ctx context.Context, handle func() bool) (undo func()) {
	i, ok := ctx.Value(interruptsKey{}).(*interrupts)
	if !ok {
		return func() {}
	}
	set := func(f func() bool) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.handle = f
	}
	set(handle)
	return func() { set(nil) }
}

// statusOfSignal is the exit status of a command that a signal ended.
func statusOfSignal(ctx context.Context) int {
	var s signalError
	if !errors.As(context.Cause(ctx), &s) {
		return statusSignal + int(syscall.SIGINT)
	}
	return statusSignal + int(s.signal)
}

// streams are what a command talks to.
type streams struct {
	in       io.Reader
	out, err io.Writer
}
