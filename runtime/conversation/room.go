package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"openclaw/runtime/agent"
	"openclaw/runtime/config"
	"openclaw/runtime/directive"
	"openclaw/runtime/queue"
	"openclaw/runtime/session"
)

// room is a session that people talk in. What waits is in the store; the room mirrors it, so that a run can ask at each boundary.
type room struct {
	*Service
	agent *config.Agent
	key   string
	store *session.Store

	// storing is held by whoever changes what is stored and the mirror with it, so that both have the same order. It is taken before mu.
	storing sync.Mutex

	mu      sync.Mutex
	items   []entry
	taken   []string // those that a run is about to put into the transcript: they give way to no others any more
	active  *active
	held    int           // runs must not begin
	working bool          // a goroutine looks after the room
	idle    chan struct{} // closed when it has nothing more to do; nil: nobody waits for that
	wake    chan struct{} // something has changed
}

// active is a run at work.
type active struct {
	cancel  context.CancelCauseFunc
	begun   time.Time
	heard   bool  // its first message is in the transcript
	ending  error // why it is being ended; no message is shown to it any more
	message []string
	done    chan struct{} // closed when it has ended
}

// settings are those for a message: its own, else the session's, else what is configured.
func (r *room) settings(ctx context.Context, channel string, own queue.Override) (queue.Settings, error) {
	kept, err := r.override(ctx)
	if err != nil {
		return queue.Settings{}, err
	}
	return queue.For(&r.options.Config.Messages.Queue, channel, own.Over(kept)), nil
}

// accept stores a message and lets it do what its mode says. reply is for the receipt.
func (r *room) accept(ctx context.Context, m Message, reply string) (Receipt, error) {
	s, err := r.settings(ctx, m.From.Channel, m.Queue)
	if err != nil {
		return Receipt{}, err
	}
	e := entry{
		Item:   queue.Item{ID: m.ID, Text: m.Text, Sender: m.Sender, From: m.From, Mode: s.Mode, Debounce: s.Debounce},
		images: m.Images, model: m.Model, levels: m.Levels,
	}
	receipt := Receipt{SessionKey: r.key, State: StateWaiting, Reply: reply, Mode: s.Mode}
	r.storing.Lock()
	defer r.storing.Unlock()
	if r.quiet() {
		receipt.State, e.Mode = StateStarted, queue.Steer // it comes to no run and waits for none
	}
	dropped, err := r.put(ctx, &e, s)
	if err != nil {
		return Receipt{}, err
	}
	receipt.ID, receipt.Dropped = e.ID, dropped
	r.mu.Lock()
	defer r.mu.Unlock()
	receipt.Waiting = len(r.items)
	if a := r.active; s.Mode == queue.Interrupt && a != nil && a.heard {
		a.end(ErrInterrupted) // one that has not begun yet reads the message first
	}
	r.work()
	return receipt, nil
}

// quiet tells that nobody works in the session, and that nothing waits.
func (r *room) quiet() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active == nil && !r.working && len(r.items) == 0
}

// put stores a message, and what becomes of others for it.
func (r *room) put(ctx context.Context, e *entry, s queue.Settings) (dropped int, err error) {
	body, err := e.body()
	if err != nil {
		return 0, err
	}
	var admitted queue.Admission
	in, err := r.store.Accept(ctx, session.Input{ID: e.ID, Key: r.key, Body: body}, func(waiting []session.Input) session.Admission {
		admitted = queue.Admit(s, r.untaken(waiting))
		return admission(admitted, waiting)
	})
	switch {
	case errors.Is(err, session.ErrInputRefused):
		return 0, fmt.Errorf("conversation: send: %w: %d of %d", ErrRefused, s.Cap, s.Cap)
	case err != nil:
		return 0, err
	}
	e.ID, e.Accepted = in.ID, in.Accepted
	r.mu.Lock()
	defer r.mu.Unlock()
	live := func() (n int) {
		for _, e := range r.items {
			if e.Dropped == 0 {
				n++
			}
		}
		return n
	}
	before := live()
	r.forget(admitted.Drop)
	for _, i := range admitted.Replace {
		if at := slices.IndexFunc(r.items, func(e entry) bool { return e.ID == i.ID }); at >= 0 {
			r.items[at] = entry{Item: i}
		}
	}
	dropped = before - live()
	r.items = append(r.items, *e)
	return dropped, nil
}

// untaken are those that wait and that no run is about to take. What cannot be read is left out.
func (r *room) untaken(inputs []session.Input) []queue.Item {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []queue.Item
	for _, in := range inputs {
		if e, err := entryOf(in); err == nil && !slices.Contains(r.taken, e.ID) {
			list = append(list, e.Item)
		}
	}
	return list
}

// admission is what the store does with what waits.
func admission(a queue.Admission, waiting []session.Input) session.Admission {
	out := session.Admission{Refuse: a.Refuse, Drop: a.Drop, Replace: map[string]json.RawMessage{}}
	for _, i := range a.Replace {
		e := entry{Item: i}
		body, err := e.body()
		if err == nil && slices.ContainsFunc(waiting, func(in session.Input) bool { return in.ID == i.ID }) {
			out.Replace[i.ID] = body
		}
	}
	return out
}

// forget takes messages out of the mirror. The caller holds mu.
func (r *room) forget(ids []string) {
	r.items = slices.DeleteFunc(r.items, func(e entry) bool { return slices.Contains(ids, e.ID) })
}

// load makes the mirror what is stored. The caller holds storing, and no run is at work or the caller is the run.
func (r *room) load(ctx context.Context) error {
	inputs, err := r.store.Inputs(ctx, r.key)
	if err != nil {
		return err
	}
	items := make([]entry, 0, len(inputs))
	for _, in := range inputs {
		if e, err := entryOf(in); err == nil {
			items = append(items, e)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.items = items
	return nil
}

// resume lets go on what waits.
func (r *room) resume(ctx context.Context) (int, error) {
	r.storing.Lock()
	defer r.storing.Unlock()
	inputs, err := r.store.Inputs(ctx, r.key)
	if err != nil || len(inputs) == 0 {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.work()
	return len(inputs), nil
}

// Stopped is what Stop found.
type Stopped struct {
	Running   bool     // a run is being ended
	Withdrawn []string // messages that waited
}

// stop takes back what waits, and then ends the run.
func (r *room) stop(ctx context.Context) (Stopped, error) {
	var s Stopped
	inputs, err := r.store.Inputs(ctx, r.key)
	if err != nil {
		return s, err
	}
	ids := make([]string, len(inputs))
	for i, in := range inputs {
		ids[i] = in.ID
	}
	if s.Withdrawn, err = r.withdraw(ctx, ids...); err != nil {
		return s, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active != nil {
		s.Running = true
		r.active.end(ErrStopped)
	}
	return s, nil
}

func (r *room) withdraw(ctx context.Context, ids ...string) ([]string, error) {
	r.storing.Lock()
	defer r.storing.Unlock()
	taken, err := r.store.Withdraw(ctx, r.key, ids...)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(taken)
	r.nudge()
	return taken, nil
}

// end ends a run. The caller holds the room's mu.
func (a *active) end(cause error) {
	if a.ending == nil {
		a.ending = cause
		a.cancel(cause)
	}
}

// work makes sure that somebody looks after the room. The caller holds mu.
func (r *room) work() {
	r.nudge()
	if r.working || r.ctx.Err() != nil {
		return
	}
	r.working = true
	r.workers.Go(r.look)
}

// nudge tells whoever looks after the room that something has changed.
func (r *room) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// wait waits until nobody looks after the room any more.
func (r *room) wait(ctx context.Context) error {
	for {
		r.mu.Lock()
		if !r.working {
			r.mu.Unlock()
			return nil
		}
		if r.idle == nil {
			r.idle = make(chan struct{})
		}
		idle := r.idle
		r.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// look begins runs as long as something waits.
func (r *room) look() {
	for {
		begin, pause, err := r.next()
		switch {
		case err != nil:
			r.leave()
			r.tell(Ended{Err: err})
			return
		case begin != nil:
			r.run(begin.turn, begin.levels)
		case pause == 0:
			if r.leaveIdle() {
				return
			}
		default:
			if !r.pause(pause) {
				r.leave()
				return
			}
		}
	}
}

// pause waits for so long, or until something changes; less than 0 is only that. It is false when the service closes.
func (r *room) pause(d time.Duration) bool {
	var after <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		after = timer.C
	}
	select {
	case <-after:
	case <-r.wake:
	case <-r.ctx.Done():
		return false
	}
	return true
}

// leave tells that nobody looks after the room any more.
func (r *room) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left()
}

func (r *room) left() {
	r.working = false
	if r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
}

// leaveIdle is leave, unless something has come meanwhile.
func (r *room) leaveIdle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.items) > 0 && r.ctx.Err() == nil {
		return false
	}
	r.left()
	return true
}

// whenHeld is the pause while runs must not begin: until something changes.
const whenHeld = -1

// beginning is a run that is to begin.
type beginning struct {
	turn   *agent.Turn
	levels directive.Levels
}

// next makes the next run, or tells how long to wait for it. Without either there is nothing to do.
func (r *room) next() (*beginning, time.Duration, error) {
	r.storing.Lock()
	defer r.storing.Unlock()
	if r.ctx.Err() != nil {
		return nil, whenHeld, nil
	}
	if err := r.load(r.ctx); err != nil {
		if r.ctx.Err() != nil {
			return nil, whenHeld, nil
		}
		return nil, 0, err
	}
	chosen, _, err := r.chosenModel(r.ctx)
	if err != nil {
		return nil, 0, err
	}
	kept, err := r.levels(r.ctx)
	if err != nil {
		return nil, 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held > 0 {
		return nil, whenHeld, nil
	}
	p, pause, ok := queue.Begin(r.waiting(), time.Now())
	if !ok || pause > 0 {
		return nil, pause, nil
	}
	t := &agent.Turn{
		Agent: r.agent.ID, Session: r.key, Message: p.Text, Inputs: p.IDs, Inbox: r, Wait: claimWait, Model: chosen,
		Timeout: r.options.Timeout,
	}
	r.taken = p.IDs
	var hints directive.Levels
	for _, e := range r.of(p.IDs) {
		t.Images = append(t.Images, e.images...)
		if e.model != "" {
			t.Model = e.model
		}
		if e.levels != (directive.Levels{}) {
			hints = e.levels
		}
		if e.From.Channel != "" {
			t.Channel = e.From.Channel
		}
	}
	b := &beginning{turn: t, levels: directive.Choose(hints, kept)}
	t.Thinking = b.levels.Thinking
	return b, 0, nil
}

// waiting are the items of the mirror. The caller holds mu.
func (r *room) waiting() []queue.Item {
	list := make([]queue.Item, len(r.items))
	for i := range r.items {
		list[i] = r.items[i].Item
	}
	return list
}

// of are the entries that have the ids. The caller holds mu.
func (r *room) of(ids []string) []entry {
	var list []entry
	for _, e := range r.items {
		if slices.Contains(ids, e.ID) {
			list = append(list, e)
		}
	}
	return list
}

// run runs a turn to its end.
func (r *room) run(t *agent.Turn, levels directive.Levels) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	a := &active{cancel: cancel, begun: time.Now(), message: t.Inputs, done: make(chan struct{})}
	defer close(a.done)
	t.On = func(e agent.Event) {
		if l, ok := e.Data.(agent.Lifecycle); ok && l.Phase == agent.PhaseStart {
			r.mu.Lock()
			a.heard = true
			r.forget(a.message)
			r.taken = nil
			r.mu.Unlock()
		}
		r.options.On(Event{SessionKey: r.key, Run: &e, Levels: levels})
	}
	r.mu.Lock()
	r.active = a
	r.mu.Unlock()
	outcome, err := r.options.Runtime.Run(ctx, *t)
	r.mu.Lock()
	r.active, r.taken = nil, nil
	ended := Ended{Outcome: outcome, Err: err, Cause: a.ending}
	r.mu.Unlock()
	if r.ctx.Err() != nil {
		ended.Cause = ErrClosed
	}
	if err != nil && ended.Cause == nil && !errors.Is(err, session.ErrNoInput) {
		ended.Returned = r.giveBack(t.Inputs)
	}
	if errors.Is(err, session.ErrNoInput) && ended.Cause == nil {
		return // it was withdrawn, or gave way, while the run was waiting for its turn
	}
	r.options.On(Event{SessionKey: r.key, Ended: &ended, Levels: levels})
}

// giveBack takes back what a run could not begin with. What is in the transcript does not wait any more, and is not touched.
func (r *room) giveBack(ids []string) []string {
	returned, err := r.withdraw(r.ctx, ids...)
	if err != nil {
		r.tell(Ended{Err: err})
	}
	return returned
}

func (r *room) tell(e Ended) { r.options.On(Event{SessionKey: r.key, Ended: &e}) }

// Waiting tells the run that there is a message for it.
func (r *room) Waiting() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.forRun()
	return ok
}

// forRun is what the run is shown next. The caller holds mu.
func (r *room) forRun() (queue.Prompt, bool) {
	if r.active == nil || r.active.ending != nil {
		return queue.Prompt{}, false
	}
	return queue.Next(r.waiting())
}

// Deliver gives the run the next message.
func (r *room) Deliver(commit func(agent.Message) error) (bool, error) {
	for {
		m, ok := r.take()
		if !ok {
			return false, nil
		}
		err := commit(m)
		r.mu.Lock()
		r.taken = nil
		if err == nil {
			r.forget(m.Inputs)
		}
		r.mu.Unlock()
		if err == nil || !errors.Is(err, session.ErrNoInput) {
			return err == nil, err
		}
		if err := r.reload(); err != nil {
			return false, err
		}
	}
}

// take chooses the next message for the run. Nothing is stored meanwhile: otherwise what is chosen could be giving way.
func (r *room) take() (agent.Message, bool) {
	if !r.Waiting() {
		return agent.Message{}, false
	}
	r.storing.Lock()
	defer r.storing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.forRun()
	m := agent.Message{Inputs: p.IDs, Text: p.Text}
	for _, e := range r.of(p.IDs) {
		m.Images = append(m.Images, e.images...)
	}
	r.taken = p.IDs
	return m, ok
}

// reload looks at what is stored when the mirror was wrong: another process has taken something that was nobody's.
func (r *room) reload() error {
	r.storing.Lock()
	defer r.storing.Unlock()
	return r.load(r.ctx)
}
