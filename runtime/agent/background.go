package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"openclaw/runtime/session"
	"openclaw/runtime/tools"
)

// exitType is the custom message that tells a model of a background command that has ended.
const exitType = "openclaw:process-exit"

// closeWait bounds how long Close waits for commands in the background to end, and for sessions to be free.
const closeWait = 5 * time.Second

// tellExits tells the model of background commands of its session that have ended since it was asked last.
func (n *run) tellExits(ctx context.Context) error {
	var lines []string
	for _, l := range n.processes.Leftovers(n.agent.ID, n.key.String()) {
		lines = append(lines, leftoverText(l))
	}
	for _, e := range n.processes.Exits(n.agent.ID, n.key.String()) {
		if n.announced(e) {
			lines = append(lines, exitText(e)+fmt.Sprintf(" What it wrote: process {\"action\": \"poll\", \"sessionId\": %q}.", e.ID))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return n.tell(ctx, exitType, strings.Join(lines, "\n"))
}

// announced tells whether the configuration wants the model to hear of an end.
func (n *run) announced(e tools.Exit) bool {
	exec := &n.options.Config.Tools.Exec
	if !exec.NotifyOnExit || e.Killed {
		return false
	}
	return !e.Quiet || exec.NotifyOnEmptyOutput || e.ExitCode == nil || *e.ExitCode != 0
}

func exitText(e tools.Exit) string {
	how := "was ended"
	switch {
	case e.ExitCode != nil:
		how = fmt.Sprintf("ended with exit code %d", *e.ExitCode)
	case e.Status == "running":
		how = "was still running and was ended with the runtime"
	}
	return fmt.Sprintf("[Background command %s (%s) %s after %s.", e.ID, e.Title, how, e.Duration.Round(time.Millisecond))
}

func leftoverText(l tools.Leftover) string {
	text := exitText(l.Exit)
	if l.Dropped > 0 {
		text += fmt.Sprintf(" %d bytes of what it wrote were dropped.", l.Dropped)
	}
	if l.Output == "" {
		return text + " It had written nothing more.]"
	}
	return text + " The last that it wrote:]\n" + l.Output
}

// Settle waits until no command runs in the background any more, or ctx ends.
func (r *Runtime) Settle(ctx context.Context) error { return r.processes.Wait(ctx) }

// Close ends every command in the background and records, in the transcripts of their sessions, what they had written that no model
// had been shown. Runs must have ended.
func (r *Runtime) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWait)
	defer cancel()
	var errs []error
	left := r.processes.Close(ctx)
	for len(left) > 0 {
		agent, key := left[0].Agent, left[0].Session
		var lines []string
		left = slices.DeleteFunc(left, func(l tools.Leftover) bool {
			if l.Agent != agent || l.Session != key {
				return false
			}
			lines = append(lines, leftoverText(l))
			return true
		})
		if err := r.leave(ctx, agent, key, strings.Join(lines, "\n")); err != nil {
			errs = append(errs, fmt.Errorf("agent: record what commands of %s wrote last: %w", key, err))
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, s := range r.stores {
		errs = append(errs, s.Close())
	}
	r.stores = nil
	return errors.Join(errs...)
}

// leave adds a message to a session for its next run.
func (r *Runtime) leave(ctx context.Context, agentID, key, text string) (err error) {
	store, err := r.Store(ctx, agentID)
	if err != nil {
		return err
	}
	e, err := customEntry(lostType, text)
	if err != nil {
		return err
	}
	w, err := store.Claim(ctx, session.ClaimOptions{Key: key, RunID: newRunID(), Wait: closeWait})
	if err != nil {
		return err
	}
	status := w.Info().Status
	defer func() { err = errors.Join(err, w.Release(ctx, status)) }()
	if _, err := w.Repair(ctx); err != nil {
		return err
	}
	_, err = w.Append(ctx, e)
	return err
}
