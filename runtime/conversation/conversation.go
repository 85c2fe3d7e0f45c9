// Package conversation takes messages for sessions while agents work: it stores what it accepts, begins runs, shows messages to runs
// that are at work, and ends runs for messages that interrupt. What a message does is decided by package queue.
//
// What is promised:
//
//   - A message is stored before Send returns. After kill -9 at any moment it waits, or it is in the transcript, and never both.
//   - A message that waits is told to the model once. One that no run could begin with is given back, and the event says so.
//   - One run at a time works in a session. A message for another session waits for none of this one.
//   - Ending a run, by a message or by Stop, leaves a transcript that the next run can go on from.
//   - Commands in messages never reach the model; what looks like one and is none does.
package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"openclaw/runtime/agent"
	"openclaw/runtime/config"
	"openclaw/runtime/directive"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/queue"
	"openclaw/runtime/session"
)

// claimWait bounds how long a run waits for one of another process in the same session.
const claimWait = 24 * time.Hour

// Why runs end before they are done.
var (
	ErrStopped     = errors.New("the run was stopped")
	ErrInterrupted = errors.New("a message interrupted the run")
	ErrClosed      = errors.New("the conversations are closed")
)

// Errors of messages.
var (
	ErrBlank   = errors.New("the message is blank")
	ErrRefused = errors.New("too many messages wait")
)

// Options are what conversations are made of. The first three are needed.
type Options struct {
	Config  *config.Config
	Runtime *agent.Runtime
	Models  *models.Registry
	Model   string        // asked where nobody has chosen one for the session; empty: the agent's own
	Timeout time.Duration // of each run; 0 is the configuration's, and less is no bound
	// On is told what happens. It is called by one goroutine at a time for each session, and must not block.
	On func(Event)
}

// Event is something that happens in a session.
type Event struct {
	SessionKey string       `json:"sessionKey"`
	Run        *agent.Event `json:"run,omitempty"`
	Ended      *Ended       `json:"ended,omitempty"`
	// Levels are what was said about the run: what of it is to be shown.
	Levels directive.Levels `json:"levels,omitzero"`
}

// Ended tells that a run has ended.
type Ended struct {
	Outcome *agent.Outcome `json:"outcome,omitempty"`
	Err     error          `json:"-"`
	// Cause is ErrStopped, ErrInterrupted or ErrClosed when the run was ended from here.
	Cause error `json:"-"`
	// Returned are messages that no run could begin with, for the reason in Err. They wait no more.
	Returned []string `json:"returned,omitempty"`
}

// Message is something that is said to an agent.
type Message struct {
	ID      string // so that it is taken once however often it is sent; empty: a new one
	Agent   string // empty: the session's, or else the default agent
	Session string // the session's key, or a name for one; empty: the agent's main session
	Text    string
	Images  []model.Block
	Sender  string // as people call them
	From    queue.Origin

	Model  string           // a reference, for the run that the message begins; empty: the session's
	Levels directive.Levels // likewise; what is empty is the session's
	Queue  queue.Override   // of the session's settings
	// Plain tells that the sender may not give commands: what looks like one is text.
	Plain bool
}

// State is what became of a message.
type State string

// The states.
const (
	StateStarted  State = "started"  // a run begins with it
	StateWaiting  State = "waiting"  // for the run, or the next one
	StateAnswered State = "answered" // it was a command
)

// Receipt tells that a message was taken.
type Receipt struct {
	ID         string `json:"id,omitempty"`
	SessionKey string `json:"sessionKey"`
	State      State  `json:"state"`
	// Reply is the answer to a command, which may have stood in a message.
	Reply string `json:"reply,omitempty"`
	// Waiting is how many messages wait now, and Dropped how many gave way to this one.
	Waiting int        `json:"waiting"`
	Dropped int        `json:"dropped,omitempty"`
	Mode    queue.Mode `json:"mode,omitempty"`
}

// Service is the conversations of a process. It may be used by many goroutines; Close it before its runtime.
type Service struct {
	options Options
	ctx     context.Context // ends with the service
	cancel  context.CancelCauseFunc
	workers sync.WaitGroup

	mu     sync.Mutex
	rooms  map[string]*room
	closed bool
}

// New makes conversations.
func New(o Options) *Service {
	if o.On == nil {
		o.On = func(Event) {}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Service{options: o, ctx: ctx, cancel: cancel, rooms: map[string]*room{}}
}

// Close ends the runs and waits for them. What waits stays stored, for the next process.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel(ErrClosed)
	s.workers.Wait()
}

// Send takes a message. When it returns without an error the message is stored, or was a command that has been carried out.
func (s *Service) Send(ctx context.Context, m Message) (Receipt, error) {
	if strings.TrimSpace(m.Text) == "" && len(m.Images) == 0 {
		return Receipt{}, fmt.Errorf("conversation: send: %w", ErrBlank)
	}
	r, err := s.room(ctx, m.Agent, m.Session)
	if err != nil {
		return Receipt{}, err
	}
	if m.Plain {
		return r.accept(ctx, m, "")
	}
	return r.hear(ctx, m)
}

// Resume lets what waits for a session go on: messages that a process accepted which has ended since. It tells how many there are.
func (s *Service) Resume(ctx context.Context, agentID, key string) (int, error) {
	r, err := s.room(ctx, agentID, key)
	if err != nil {
		return 0, err
	}
	return r.resume(ctx)
}

// Stop takes back what waits for a session and ends its run.
func (s *Service) Stop(ctx context.Context, agentID, key string) (Stopped, error) {
	r, err := s.room(ctx, agentID, key)
	if err != nil {
		return Stopped{}, err
	}
	return r.stop(ctx)
}

// Withdraw takes back one message, if it still waits.
func (s *Service) Withdraw(ctx context.Context, agentID, key, id string) (bool, error) {
	r, err := s.room(ctx, agentID, key)
	if err != nil {
		return false, err
	}
	taken, err := r.withdraw(ctx, id)
	return len(taken) > 0, err
}

// Wait waits until nothing runs or waits in a session, or ctx ends.
func (s *Service) Wait(ctx context.Context, agentID, key string) error {
	r, err := s.room(ctx, agentID, key)
	if err != nil {
		return err
	}
	return r.wait(ctx)
}

// room finds the place of a session.
func (s *Service) room(ctx context.Context, agentID, key string) (*room, error) {
	id, parsed, err := s.options.Runtime.Address(ctx, agent.Turn{Agent: agentID, Session: key})
	if err != nil {
		return nil, err
	}
	found, err := s.options.Config.Agent(id)
	if err != nil {
		return nil, err
	}
	store, err := s.options.Runtime.Store(ctx, found.ID)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("conversation: %w", ErrClosed)
	}
	name := parsed.String()
	r := s.rooms[found.ID+"\x00"+name] // agents may share a key where session.scope is global
	if r == nil {
		r = &room{Service: s, agent: found, key: name, store: store, wake: make(chan struct{}, 1)}
		s.rooms[found.ID+"\x00"+name] = r
	}
	return r, nil
}

// stored is what is kept of a message that waits.
type stored struct {
	Text       string        `json:"text"`
	Images     []model.Block `json:"images,omitempty"`
	Sender     string        `json:"sender,omitempty"`
	From       queue.Origin  `json:"from,omitzero"`
	Mode       queue.Mode    `json:"mode"`
	DebounceMs int64         `json:"debounceMs"`
	Dropped    int           `json:"dropped,omitempty"`
	Model      string        `json:"model,omitempty"`

	Levels directive.Levels `json:"levels,omitzero"`
}

// entry is a message that waits.
type entry struct {
	queue.Item
	images []model.Block
	model  string
	levels directive.Levels
}

func entryOf(in session.Input) (entry, error) {
	var b stored
	if err := json.Unmarshal(in.Body, &b); err != nil {
		return entry{}, fmt.Errorf("conversation: input %s: %w", in.ID, err)
	}
	return entry{
		Item: queue.Item{
			ID: in.ID, Accepted: in.Accepted, Text: b.Text, Sender: b.Sender, Mode: b.Mode, From: b.From, Dropped: b.Dropped,
			Debounce: time.Duration(b.DebounceMs) * time.Millisecond,
		},
		images: b.Images, model: b.Model, levels: b.Levels,
	}, nil
}

func (e *entry) body() (json.RawMessage, error) {
	text, err := json.Marshal(stored{
		Text: e.Text, Images: e.images, Sender: e.Sender, From: e.From, Mode: e.Mode, DebounceMs: e.Debounce.Milliseconds(),
		Dropped: e.Dropped, Model: e.model, Levels: e.levels,
	})
	if err != nil {
		return nil, fmt.Errorf("conversation: message: %w", err)
	}
	return text, nil
}
