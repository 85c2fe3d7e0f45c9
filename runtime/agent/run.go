package agent

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/prompt"
	"openclaw/runtime/session"
	"openclaw/runtime/skillset"
	"openclaw/runtime/tools"
	"openclaw/runtime/tools/skilltools"
)

// settleTime bounds what is written after a run was cancelled.
const settleTime = 10 * time.Second

// run is one turn at work.
type run struct {
	*Runtime
	turn    Turn
	agent   *config.Agent
	key     session.Key
	store   *session.Store
	writer  *session.Writer
	chain   *models.Chain
	set     *tools.Set
	events  *events
	out     *Outcome
	request model.Request // without its messages
	history []model.Message

	meta  meta
	level model.Level // of thinking, when somebody asked for one

	// injected tells that the turn has the bootstrap files, and that later turns want to know.
	injected bool

	compacting
}

// Run runs a turn to its end. The outcome is there, with an error or without, as soon as the session was found.
func (r *Runtime) Run(ctx context.Context, t Turn) (*Outcome, error) {
	if strings.TrimSpace(t.Message) == "" && len(t.Images) == 0 {
		return nil, fmt.Errorf("agent: run: %w", ErrNoText)
	}
	id, key, err := r.address(ctx, &t)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	n, err := r.newRun(id, key, t)
	if err != nil {
		return nil, err
	}
	ctx, cancel := n.bound(ctx)
	defer cancel()
	err = n.whole(ctx)
	n.out.Status = statusOf(ctx, err)
	n.maintain(ctx)
	n.out.DurationMs = time.Since(started).Milliseconds()
	err = n.stopped(ctx, err)
	n.ended(err)
	return n.out, err
}

// stopped makes the error of a run that was ended from outside say what ended it. What it was about then comes behind that, unless
// it was the end of the context, too.
func (n *run) stopped(ctx context.Context, err error) error {
	if n.out.Status != StatusTimeout && n.out.Status != StatusAborted {
		return err
	}
	cause := context.Cause(ctx)
	var text string
	if n.out.Status == StatusTimeout {
		text = fmt.Sprintf(" (%s)", n.timeout())
	}
	if errors.Is(err, cause) && err.Error() != ctx.Err().Error() {
		return fmt.Errorf("%w%s", err, text)
	}
	return fmt.Errorf("agent: run in %s: %w%s", n.key, cause, text)
}

func (r *Runtime) newRun(agentID string, key session.Key, t Turn) (*run, error) {
	agent, err := r.options.Config.Agent(agentID)
	if err != nil {
		return nil, err
	}
	if t.RunID == "" {
		t.RunID = newRunID()
	}
	return &run{
		Runtime: r, turn: t, agent: agent, key: key,
		events: &events{runID: t.RunID, key: key.String(), on: t.On},
		out:    &Outcome{RunID: t.RunID, Agent: agent.ID, SessionKey: key.String(), Started: time.Now().UTC(), Payloads: []string{}, Tools: []ToolUse{}},
	}, nil
}

func newRunID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// timeout is how long the run may take; 0 is no bound.
func (n *run) timeout() time.Duration {
	if n.turn.Timeout != 0 {
		return max(n.turn.Timeout, 0)
	}
	return time.Duration(n.agent.TimeoutSeconds) * time.Second
}

func (n *run) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if d := n.timeout(); d > 0 {
		return context.WithTimeoutCause(ctx, d, ErrTimeout)
	}
	return context.WithCancel(ctx)
}

func statusOf(ctx context.Context, err error) Status {
	switch {
	case err == nil:
		return StatusOK
	case errors.Is(context.Cause(ctx), ErrTimeout):
		return StatusTimeout
	case ctx.Err() != nil:
		return StatusAborted
	}
	return StatusError
}

func (n *run) ended(err error) {
	l := Lifecycle{Phase: PhaseEnd, SessionID: n.out.SessionID, Status: n.out.Status}
	if err != nil {
		l.Phase, l.Error = PhaseError, err.Error()
	}
	n.events.send(StreamLifecycle, l)
}

// whole waits for the run's turn, claims the session and runs.
func (n *run) whole(ctx context.Context) (err error) {
	leave, err := n.lanes.enter(ctx, n.key, func() {})
	if err != nil {
		return fmt.Errorf("agent: run in %s: wait for its turn: %w", n.key, err)
	}
	defer leave()
	if n.level, err = level(n.turn.Thinking); err != nil {
		return err
	}
	choice := models.Choice{Ref: n.turn.Model}
	if n.turn.Model != "" {
		choice.Source = models.SourceExplicit
	}
	if n.chain, err = n.options.Models.Chain(n.agent, choice); err != nil {
		return err
	}
	if err = n.askable(); err != nil && !n.asksAnother() {
		return err
	}
	if n.store, err = n.Store(ctx, n.agent.ID); err != nil {
		return err
	}
	n.writer, err = n.store.Claim(ctx, session.ClaimOptions{
		Key: n.key.String(), RunID: n.turn.RunID, Wait: n.turn.Wait, Create: n.creation(),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-n.writer.Lost():
			cancel(session.ErrFenced)
		case <-ctx.Done():
		}
	}()
	defer func() {
		if released := n.writer.Release(ctx, n.leftAs(statusOf(ctx, err))); err == nil {
			err = released
		}
	}()
	n.out.SessionID = n.writer.Info().ID
	if n.work != nil {
		return n.work(ctx)
	}
	return n.claimed(ctx)
}

// askable makes sure that one of the models can be asked at all, before anything is written.
func (n *run) askable() error {
	var first error
	for _, c := range n.chain.Candidates() {
		err := n.options.Models.Ready(c.Ref)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

func level(text string) (model.Level, error) {
	if text == "" {
		return "", nil
	}
	return models.ParseLevel(text)
}

func sessionStatus(s Status) session.Status {
	switch s {
	case StatusOK:
		return session.StatusDone
	case StatusTimeout:
		return session.StatusTimeout
	case StatusAborted:
		return session.StatusKilled
	}
	return session.StatusFailed
}

// claimed runs with the session's claim in hand.
func (n *run) claimed(ctx context.Context) error {
	if info := n.writer.Info(); session.Due(&n.options.Config.Session, info, time.Now()) {
		info, err := n.writer.Rollover(ctx, session.ReasonReset, info.CWD)
		if err != nil {
			return err
		}
		n.out.SessionID = info.ID
	}
	if _, err := n.writer.Repair(ctx); err != nil {
		return err
	}
	n.meta = metaOf(n.writer.Info())
	if err := n.open(ctx); err != nil {
		return err
	}
	defer n.set.Close()
	if err := n.listen(ctx); err != nil {
		return err
	}
	n.events.send(StreamLifecycle, Lifecycle{Phase: PhaseStart, SessionID: n.out.SessionID, Model: n.chain.Current().Name()})
	err := n.loop(ctx)
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if remembered := n.remember(settle); err == nil {
		err = remembered
	}
	if err != nil {
		return n.broken(ctx, err)
	}
	n.events.send(StreamLifecycle, Lifecycle{Phase: PhaseFinishing, SessionID: n.out.SessionID})
	return n.finish(ctx)
}

// open makes the session's sandbox and the prompt.
func (n *run) open(ctx context.Context) error {
	current := n.chain.Current()
	request := confinement.Request{Agent: n.agent.ID, Key: n.key.String(), Model: current.Name()}
	found, err := skillset.Offer(ctx, n.options.Config, &request, skillset.Options{Bundle: n.bundles.Approved})
	if err != nil {
		return err
	}
	snapshot, changed := skillset.Refresh(n.meta.snapshot(), found, n.options.Config, n.agent, current.Info.ContextTokens)
	if changed {
		if err := n.meta.set(metaSnapshot, snapshot); err != nil {
			return err
		}
	}
	plan, err := confinement.Decide(n.options.Config, request)
	if err != nil {
		return err
	}
	opened, err := n.opener.Open(ctx, plan)
	if err != nil {
		return err
	}
	n.out.Warnings = append(n.out.Warnings, opened.Warnings...)
	n.writable = canRemember(plan)
	for _, name := range plan.Unknown() {
		n.out.Warnings = append(n.out.Warnings, fmt.Sprintf("the tool policy allows %q, which is the name of no tool", name))
	}
	box, toolbox, err := n.options.Toolbox(ctx)
	if err != nil {
		opened.Close()
		return err
	}
	offer, err := skilltools.Join(ctx, box, n.bundles, opened, request.Skills)
	if err != nil {
		opened.Close()
		return err
	}
	n.out.Warnings = append(n.out.Warnings, offer.Withheld...)
	guard, compaction := n.options.Config.LoopDetection(n.agent)
	n.set, err = tools.New(tools.Options{
		Sandbox: box, Toolbox: toolbox, Opened: opened, Exec: n.options.Config.Tools.Exec, Processes: n.processes, Hooks: n.options.Hooks,
		Guard: tools.GuardOptions{Enabled: guard, NoCompactionGuard: !compaction}, Limits: tools.Limits{ContextTokens: current.Info.ContextTokens},
		Steered: n.waiting, Extra: offer.Tools,
	})
	if err != nil {
		return err
	}
	n.instruct(ctx, opened, snapshot.Prompt)
	return nil
}

// instruct writes the system prompt, with the list of skills that the session has been shown.
func (n *run) instruct(ctx context.Context, opened *confinement.Opened, list string) {
	seeded := opened.Seeded
	pendingFirst := !seeded.SeededAt.IsZero() && seeded.Completed.IsZero()
	pending := prompt.PendingOf(opened.Plan, pendingFirst)
	n.injected = prompt.Inject(n.agent.ContextInjection, pending, n.store.Branch(ctx, session.Ref{Key: n.key.String()}, ""))
	sources := opened.Bootstrap
	if !n.injected {
		sources = nil
	}
	in := prompt.ForSession(opened.Plan, sources, pendingFirst)
	in.SkillsBudget.Context = n.chain.Current().Info.ContextTokens
	in.Skills, in.SkillsText = nil, list // also when that is none
	in.Now, in.SessionID, in.Channel = time.Now(), n.out.SessionID, n.turn.Channel
	in.Model = n.chain.Current().Name()
	in.Thinking = string(n.options.Models.Thinking(n.agent, n.chain.Current().Ref, n.level))
	for _, w := range prompt.Measure(in, prompt.Prompt{}).Warnings {
		n.out.Warnings = append(n.out.Warnings, w.String())
	}
	built := prompt.Build(in)
	n.request = model.Request{
		System: built.Stable(), SystemVolatile: built.Volatile(), Tools: n.set.Definitions(), Thinking: n.level, CacheKey: n.out.SessionID,
	}
	// Only this mode ever asks whether a turn has had the files.
	n.injected = n.injected && !n.agent.SkipBootstrap && n.agent.ContextInjection == config.InjectContinuationSkip
}

// listen puts the message into the transcript and reads what the model will be shown.
func (n *run) listen(ctx context.Context) error {
	if _, err := n.commit(ctx, Message{Inputs: n.turn.Inputs, Text: n.turn.Message, Images: n.turn.Images}); err != nil {
		return err
	}
	return n.reload(ctx)
}

// append commits messages to the transcript.
func (n *run) append(ctx context.Context, messages ...model.Message) error {
	entries := make([]session.Entry, len(messages))
	for i, m := range messages {
		e, err := messageEntry(m)
		if err != nil {
			return err
		}
		entries[i] = e
	}
	_, err := n.writer.Append(ctx, entries...)
	return err
}

// broken records why the run did not end by itself, as far as the transcript can still be written.
func (n *run) broken(ctx context.Context, cause error) error {
	if errors.Is(context.Cause(ctx), session.ErrFenced) {
		return fmt.Errorf("agent: run in %s: %w", n.key, session.ErrFenced)
	}
	if ctx.Err() == nil {
		return cause
	}
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if _, err := n.writer.Repair(settle); err != nil {
		return errors.Join(cause, err)
	}
	e, err := customEntry(abortedType, abortedText)
	if err == nil {
		_, err = n.writer.Append(settle, e)
	}
	return errors.Join(cause, err)
}

// maintain cleans up the agent's sessions, when the time for that has come. What goes wrong is no failure of the run.
func (n *run) maintain(ctx context.Context) {
	if n.store == nil || ctx.Err() != nil {
		return
	}
	done, ran, err := n.store.Maintain(ctx, n.options.Config.Session.Maintenance)
	switch {
	case err != nil:
		n.out.Warnings = append(n.out.Warnings, err.Error())
	case ran && n.options.Config.Session.Maintenance.Mode == config.MaintainWarn && len(done.Sessions) > 0:
		n.out.Warnings = append(n.out.Warnings, fmt.Sprintf("%d sessions are to be cleaned up, which session.maintenance.mode %q leaves to you: see 'openclaw sessions cleanup'",
			len(done.Sessions), config.MaintainWarn))
	case ran && done.Disk.Over():
		n.out.Warnings = append(n.out.Warnings, fmt.Sprintf("the agent's sessions take %d bytes, more than session.maintenance.maxDiskBytes, and none of them may be deleted: archive some with 'openclaw sessions archive'",
			done.Disk.After))
	}
}

// finish records what the next turns want to know of this one.
func (n *run) finish(ctx context.Context) error {
	if n.injected {
		e, err := prompt.FullContext{Timestamp: time.Now(), RunID: n.turn.RunID, SessionID: n.out.SessionID}.Entry()
		if err != nil {
			return err
		}
		if _, err := n.writer.Append(ctx, e); err != nil {
			return err
		}
	}
	return nil
}
