package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// maxOutput bounds what a command may write in all; it is ended some way beyond. What is kept of it is far less.
const maxOutput = 256 << 20

// idleInput is how long a command must have written nothing to be taken to wait for input.
const idleInput = 15 * time.Second

// scope is whose a process is. Nobody else sees it.
type scope struct{ agent, session string }

// process is a command that runs, or ran, in a guest of its own.
type process struct {
	scope
	id                  string // once it is in the background
	title, command, cwd string
	started             time.Time
	cleanup             time.Duration // how long it is remembered after its end; zero: as the registry has it
	in                  *input        // nil when it has none
	out                 *output
	now                 func() time.Time

	ctx  context.Context // of the command, not of a call
	kill context.CancelCauseFunc
	done chan struct{} // closed when it has ended
	left chan struct{} // closed when everybody who has to know has been told
	// These are set before done is closed.
	run   *sandbox.Result // nil when it did not begin
	err   error
	ended time.Time

	reported  atomic.Bool // the model has been told of the end
	announced bool        // Exits has told of it; guarded by the registry
}

// errAborted is the cause when the call of a command was aborted while it waited for it.
var errAborted = errors.New("aborted")

// errKilled is the cause when a command was ended because somebody asked for it.
var errKilled = errors.New("killed")

// prepare makes a command ready to be launched, and to be killed.
func (p *process) prepare() {
	p.ctx, p.kill = context.WithCancelCause(context.Background())
	p.done, p.left = make(chan struct{}), make(chan struct{})
}

// launch starts a command in a goroutine of its own, which nothing ends but its lifetime, its end and kill. finished is called
// when it has ended.
func (p *process) launch(box *toolwasm.Toolbox, session *share, script toolwasm.Script, lifetime time.Duration, finished func()) {
	script.Stdout, script.Stderr, script.MaxOutput = p.out.to(stdout), p.out.to(stderr), maxOutput
	script.Timeout = max(lifetime, 1) // not a deadline of the context, which would count the loading of programs
	if p.in != nil {
		script.Stdin = p.in
	}
	go func() {
		defer p.kill(nil)
		p.run, p.err = box.Exec(p.ctx, session.Session, script)
		p.ended = p.now()
		if p.in != nil {
			p.in.close()
		}
		session.release()
		close(p.done)
		finished()
		close(p.left)
	}()
}

// over tells whether the command has ended.
func (p *process) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Statuses of processes.
const (
	processRunning   = "running"
	processCompleted = "completed" // it ended by itself, or because somebody asked for it
	processFailed    = "failed"    // a limit or a fault ended it
)

func (p *process) status() string {
	switch {
	case !p.over():
		return processRunning
	case p.err == nil, errors.Is(p.err, errKilled):
		return processCompleted
	}
	return processFailed
}

// limit is what ended the command, if a limit did.
func (p *process) limit() *sandbox.LimitError {
	var limit *sandbox.LimitError
	if p.over() && errors.As(p.err, &limit) {
		return limit
	}
	return nil
}

// exitCode is nil for a command that has none.
func (p *process) exitCode() *int {
	if !p.over() || p.err != nil || p.run == nil {
		return nil
	}
	return &p.run.ExitCode
}

// note says in parentheses how the command ended, when not with status 0.
func (p *process) note() string {
	var missing *sandbox.DirectoryError
	switch limit := p.limit(); {
	case p.err == nil && p.run.ExitCode == 0:
		return ""
	case p.err == nil:
		return fmt.Sprintf("(exit code %d)", p.run.ExitCode)
	case errors.Is(p.err, errKilled):
		return "(killed)"
	case errors.Is(p.err, errAborted):
		return "(aborted)"
	case limit != nil && limit.Limit == sandbox.LimitTimeout:
		return fmt.Sprintf("(ended: it ran for longer than %s)", limit.Value)
	case limit != nil:
		return fmt.Sprintf("(ended: the %s limit was reached)", limit.Limit)
	case errors.As(p.err, &missing):
		return fmt.Sprintf("(workdir %q: %s)", p.cwd, missing.Reason)
	}
	return fmt.Sprintf("(ended: %s)", strings.TrimPrefix(p.err.Error(), "sandbox: run: "))
}

// duration is how long the command ran, or has been running.
func (p *process) duration() time.Duration {
	if p.over() {
		return p.ended.Sub(p.started)
	}
	return p.now().Sub(p.started)
}

// waiting tells whether a command seems to wait for input.
func (p *process) waiting() bool {
	return !p.over() && p.in != nil && p.in.open() && p.out.idle() >= idleInput
}

// what is the command for people: its title, or how it begins.
func (p *process) what() string {
	const most = 80
	text := p.title
	if text == "" {
		text = p.command
	}
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most-1]) + "…"
	}
	return text
}
