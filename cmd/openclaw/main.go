// Openclaw runs the tools of an AI agent inside WebAssembly. See the README for what it promises.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(run(untilSignal(), os.Args, streams{os.Stdin, os.Stdout, os.Stderr}))
}

// signalError is why a context ended when a signal ended it.
type signalError struct{ signal syscall.Signal }

func (signalError) Error() string { return "interrupted" }

// untilSignal returns a context that the first signal ends. The second one ends the process, should the first not do.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		s, _ := (<-received).(syscall.Signal)
		signal.Stop(received)
		cancel(signalError{s})
	}()
	return ctx
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
