package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"openclaw/runtime/confinement"
	"openclaw/runtime/model"
)

// EventType is what happened to a call.
type EventType string

// The types of events. Each call has a start and an end, also one that did not run.
const (
	EventStart  EventType = "start"
	EventUpdate EventType = "update"
	EventEnd    EventType = "end"
)

// Event tells of a call while a batch runs.
type Event struct {
	Type     EventType
	Index    int // of the call in the batch
	Call     Call
	Text     string        // of an update: what came since the one before
	Result   *Result       // of an end
	Duration time.Duration // of an end
}

// Status is how a call went.
type Status string

// The statuses of calls.
const (
	StatusRan     Status = "ran"     // it was executed; its result may still be an error
	StatusRefused Status = "refused" // no such tool, not the session's, arguments that are not the tool's
	StatusBlocked Status = "blocked" // by a hook, or because the agent repeats itself
	StatusSkipped Status = "skipped" // a message for the model came before it
	StatusAborted Status = "aborted" // before it began or while it ran
)

// Outcome is a call with its result.
type Outcome struct {
	Call     Call // as it ran
	Result   Result
	Status   Status
	Duration time.Duration
	// Warning is what the detection of loops has to say to the model. It is no part of the result, which was told of before.
	Warning string
}

// Message is the result as a message of the conversation.
func (o *Outcome) Message(at time.Time) model.Message {
	return model.Message{
		Role: model.RoleToolResult, Content: o.Result.Content, Time: model.Millis{Time: at},
		ToolCallID: o.Call.ID, ToolName: o.Call.Name, IsError: o.Result.IsError, Details: o.Result.Details,
	}
}

// Terminates tells whether a batch ends the run: it is not empty, and every result says so.
func Terminates(batch []Outcome) bool {
	return len(batch) > 0 && !slices.ContainsFunc(batch, func(o Outcome) bool { return !o.Result.Terminate })
}

// Texts of results of calls that did not run.
const (
	textAborted = "Operation aborted"
	textSkipped = "Skipped to process an incoming message."
)

// defaultGrace is how long a tool may take to end after an abort. What it does after that is not waited for.
const defaultGrace = 10 * time.Second

// StartRun forgets what the detection of loops knows: a new run begins.
func (s *Set) StartRun() { s.guard.reset() }

// Compacted tells that the conversation was shortened and the model asked again.
func (s *Set) Compacted() { s.guard.compacted() }

// Stopped tells that the run must end because the agent repeats itself, and how.
func (s *Set) Stopped() (Loop, bool) { return s.guard.end() }

// Batch runs the calls of one answer of a model and returns an outcome for each, in their order. on, which may be nil, is told
// what happens, by one goroutine at a time.
func (s *Set) Batch(ctx context.Context, calls []Call, on func(Event)) []Outcome {
	b := &batch{set: s, on: on, jobs: make([]job, len(calls)), outcomes: make([]Outcome, len(calls))}
	signs := make([]seen, len(calls))
	for i, c := range calls {
		b.jobs[i] = s.prepare(c)
		signs[i] = b.jobs[i].seen
	}
	if reason := s.guard.admit(signs); reason != "" {
		b.block(reason)
		return b.outcomes
	}
	if b.sequential() {
		for i := range b.jobs {
			b.run(ctx, i)
		}
	} else {
		b.parallel(ctx)
	}
	for i := range b.outcomes {
		b.observe(i)
	}
	return b.outcomes
}

// job is a call that is ready to run, or that has been refused.
type job struct {
	seen
	call    Call
	tool    *Tool
	refused *Result
}

// prepare finds the tool of a call and checks the arguments.
func (s *Set) prepare(c Call) job {
	j := job{call: c, tool: s.named(c.Name)}
	j.seen = seen{tool: c.Name, call: signature(c.Name, c.Arguments), unknown: j.tool == nil}
	if j.tool == nil {
		j.refused = s.noTool(c.Name)
		return j
	}
	j.poll = j.tool.Definition.Name == toolProcess && isPoll(c.Arguments)
	if c.Malformed != "" {
		j.refused = ErrorResult(malformedText(c))
		return j
	}
	var err error
	if j.call.Arguments, err = j.tool.check(c.Arguments); err != nil {
		j.refused = ErrorResult(fmt.Sprintf("%s: %s", c.Name, err))
	}
	return j
}

// noTool says that a name is no tool of the session, and what there is.
func (s *Set) noTool(name string) *Result {
	if d, ok := s.denied[confinement.ToolName(name)]; ok {
		return ErrorResult((&confinement.DeniedError{ToolDecision: d}).Plain())
	}
	names := s.Names()
	text := fmt.Sprintf("There is no tool %q.", name)
	if near := nearest(name, names); near != "" {
		text += fmt.Sprintf(" Did you mean %s?", near)
	}
	if len(names) == 0 {
		return ErrorResult(text + " This session has no tools.")
	}
	return ErrorResult(text + " There are " + list(names) + ".")
}

// batch is the calls of one answer.
type batch struct {
	set      *Set
	jobs     []job
	outcomes []Outcome
	skipping bool // a message for the model has come

	mu sync.Mutex // one event at a time
	on func(Event)
}

func (b *batch) sequential() bool {
	return slices.ContainsFunc(b.jobs, func(j job) bool { return j.tool != nil && j.tool.Sequential })
}

// maxParallel is how many calls of one answer run at once: each may take as much memory as its session has.
const maxParallel = 8

func (b *batch) parallel(ctx context.Context) {
	b.skipping = b.steered()
	if b.skipping || ctx.Err() != nil { // none begins: their results come in the order of the calls
		for i := range b.jobs {
			b.finish(ctx, i)
		}
		return
	}
	places := make(chan struct{}, maxParallel)
	var wait sync.WaitGroup
	for i := range b.jobs {
		places <- struct{}{} // in their order; one that waits begins with the abort of the batch at the latest
		wait.Go(func() {
			defer func() { <-places }()
			b.finish(ctx, i)
		})
	}
	wait.Wait()
}

// run runs a call of a sequential batch.
func (b *batch) run(ctx context.Context, i int) {
	b.skipping = b.skipping || b.steered()
	b.finish(ctx, i)
}

func (b *batch) steered() bool {
	steered := b.set.options.Steered
	return steered != nil && steered()
}

// block gives every call of the batch the reason why none of them ran.
func (b *batch) block(reason string) {
	_, last := b.set.guard.end()
	text := "Not run: " + reason + ". No call of this answer ran. Do something else, or answer with what there is."
	if last {
		text = "Not run: " + reason + ". The run ends here."
	}
	for i, j := range b.jobs {
		b.emit(Event{Type: EventStart, Index: i, Call: j.call})
		r := ErrorResult(text).with(notRun{string(StatusBlocked), "loop"})
		b.conclude(i, j.call, r, StatusBlocked, time.Now())
	}
}

// notRun are the details of a call that did not run.
type notRun struct {
	Status string `json:"status"`
	Reason string `json:"deniedReason,omitempty"`
}

// finish takes a call to its outcome.
func (b *batch) finish(ctx context.Context, i int) {
	j := b.jobs[i]
	begun := time.Now()
	b.emit(Event{Type: EventStart, Index: i, Call: j.call})
	var r *Result
	status := StatusRefused
	switch {
	case ctx.Err() != nil:
		r, status = ErrorResult(textAborted).with(notRun{Status: string(StatusAborted)}), StatusAborted
	case b.skipping:
		r, status = ErrorResult(textSkipped).with(notRun{string(StatusSkipped), "steering"}), StatusSkipped
	case j.refused != nil:
		r = j.refused
	default:
		r, status = b.execute(ctx, i, &j)
	}
	b.conclude(i, j.call, r, status, begun)
}

// conclude lets the hooks rewrite a result, keeps it within the limits and tells of it.
func (b *batch) conclude(i int, c Call, r *Result, status Status, begun time.Time) {
	kept := b.set.options.Hooks.persist(c, *r)
	b.set.options.Limits.clip(&kept)
	b.outcomes[i] = Outcome{Call: c, Result: kept, Status: status, Duration: time.Since(begun)}
	b.emit(Event{Type: EventEnd, Index: i, Call: c, Result: &kept, Duration: b.outcomes[i].Duration})
}

// observe lets the guard compare a call that ran, and adds what it has to say to the result.
func (b *batch) observe(i int) {
	o := &b.outcomes[i]
	if o.Status != StatusRan && o.Status != StatusRefused {
		return
	}
	s := b.jobs[i].seen
	s.result = resultHash(&o.Result)
	if warning := b.set.guard.observe(s); warning != "" {
		o.Warning = "[" + warning + ": try something else]"
	}
}

func (b *batch) emit(e Event) {
	if b.on == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.on(e)
}

// execute asks the hooks and runs the tool.
func (b *batch) execute(ctx context.Context, i int, j *job) (*Result, Status) {
	hooks := &b.set.options.Hooks
	c, err := hooks.before(ctx, j.call)
	switch {
	case errors.Is(err, ErrBlocked):
		return ErrorResult(sentence(err.Error())).with(notRun{string(StatusBlocked), "hook"}), StatusBlocked
	case err != nil:
		return ErrorResult(textAborted).with(notRun{Status: string(StatusAborted)}), StatusAborted
	}
	if c.Arguments, err = j.tool.check(c.Arguments); err != nil {
		return ErrorResult(fmt.Sprintf("%s: a hook changed the arguments: %s", c.Name, err)), StatusBlocked
	}
	j.call = c
	r, err := b.invoke(ctx, i, j)
	if err != nil && ctx.Err() != nil {
		r = ErrorResult(textAborted).with(notRun{Status: string(StatusAborted)})
		hooks.after(ctx, c, *r)
		return r, StatusAborted
	}
	if err != nil {
		r = ErrorResult(err.Error())
	}
	hooks.after(ctx, c, *r)
	if ctx.Err() != nil && r.IsError {
		return r, StatusAborted
	}
	return r, StatusRan
}

// invoke runs a tool in a goroutine of its own: one that does not come back after an abort is left alone, and a panic is its
// result.
func (b *batch) invoke(ctx context.Context, i int, j *job) (*Result, error) {
	type answer struct {
		r   *Result
		err error
	}
	answers := make(chan answer, 1)
	call := j.call
	u := &updates{b: b, index: i, call: call}
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				a = answer{nil, fmt.Errorf("%s: the tool broke down: %v", call.Name, p)}
			}
			answers <- a
		}()
		a.r, a.err = j.tool.Run(ctx, call, u.send)
		if a.r == nil && a.err == nil {
			a.err = fmt.Errorf("%s: the tool gave no result", call.Name)
		}
	}()
	defer u.close()
	select {
	case a := <-answers:
		return a.r, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-answers:
		return a.r, a.err
	case <-time.After(b.set.grace):
		return nil, context.Cause(ctx)
	}
}

// updates passes the progress of a call on, until the call has ended.
type updates struct {
	b     *batch
	index int
	call  Call

	mu     sync.Mutex
	closed bool
}

func (u *updates) send(text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.closed {
		u.b.emit(Event{Type: EventUpdate, Index: u.index, Call: u.call, Text: text})
	}
}

func (u *updates) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
}
