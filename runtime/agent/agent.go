// Package agent runs turns: a message goes to a model, the tools that the model asks for run in the session's sandbox, their results
// go back, until the model has answered.
//
// What is promised:
//
//   - Everything is in the transcript before the model is asked again: after kill -9 at any moment the next turn goes on from
//     there. A call whose result was not stored is not run again; the model reads that it was interrupted.
//   - One run at a time writes a session, in this process and in others.
//   - A run that is cancelled ends soon, with its guests, and leaves a transcript that the next turn can go on from.
//   - The model is told of the tools that the session has, and can call no others.
package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"openclaw/runtime/bundles"
	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/session"
	"openclaw/runtime/tools"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// Options are what a runtime works with. All but the hooks are needed.
type Options struct {
	Config  *config.Config
	State   Store
	Models  *models.Registry
	Toolbox func(ctx context.Context) (*sandbox.Sandbox, *toolwasm.Toolbox, error) // called when a run needs it first
	Hooks   tools.Hooks

	Compaction CompactionHooks
}

// Store is what a runtime keeps record in.
type Store interface {
	confinement.Store
	bundles.Approvals
}

// Runtime runs turns. It may be used by many goroutines; Close it.
type Runtime struct {
	options   Options
	opener    *confinement.Opener
	lanes     *lanes
	processes *tools.Registry
	bundles   *bundles.Store

	mu     sync.Mutex
	stores map[string]*session.Store
	closed bool
}

// New returns a runtime.
func New(o Options) *Runtime {
	return &Runtime{
		options: o, opener: confinement.NewOpener(o.State), lanes: newLanes(o.Config.Agents.Defaults.MaxConcurrent),
		processes: tools.NewRegistry(tools.RegistryOptions{}), stores: map[string]*session.Store{},
		bundles: bundles.At(o.Config.StateDir, o.State),
	}
}

// Turn is a message to an agent.
type Turn struct {
	Agent     string // empty: the session's, or else the default agent
	Session   string // the session's key, or a name for one; empty: the agent's main session
	SessionID string // instead of Session: one that exists
	Message   string
	Images    []model.Block
	Inputs    []string // what the message was made of: see Message

	Model    string // a reference; empty: the agent's
	Thinking string // a level; empty: the agent's
	Channel  string // where the message came from

	// Timeout bounds the run; 0 is the configuration's, and less is no bound.
	Timeout time.Duration
	// Wait bounds how long a run of another process in the same session is waited for; 0 is not at all.
	Wait  time.Duration
	RunID string // empty: a new one
	// Inbox is where messages come from while the run works; nil: none do.
	Inbox Inbox
	// On is told what happens. It is called from one goroutine at a time and must not block.
	On func(Event)
}

// Status is how a run ended.
type Status string

// The statuses.
const (
	StatusOK      Status = "ok"
	StatusError   Status = "error"
	StatusTimeout Status = "timeout"
	StatusAborted Status = "aborted"
)

// Outcome is what came of a run.
type Outcome struct {
	RunID      string           `json:"runId"`
	Agent      string           `json:"agentId"`
	SessionKey string           `json:"sessionKey"`
	SessionID  string           `json:"sessionId"`
	Status     Status           `json:"status"`
	Final      string           `json:"final"`    // the text of the last answer
	Payloads   []string         `json:"payloads"` // the texts of all answers
	StopReason model.StopReason `json:"stopReason,omitempty"`
	Provider   string           `json:"provider,omitempty"`
	Model      string           `json:"model,omitempty"`
	Answers    int              `json:"assistantTurns"`
	Tools      []ToolUse        `json:"toolSummary"`
	Usage      model.Usage      `json:"usage"`
	Started    time.Time        `json:"startedAt"`
	DurationMs int64            `json:"durationMs"`
	Warnings   []string         `json:"warnings,omitempty"`
	// Compactions is how often the conversation was shortened during the run.
	Compactions int `json:"compactions,omitempty"`
}

// ToolUse is how often a run used a tool.
type ToolUse struct {
	Name   string `json:"name"`
	Calls  int    `json:"calls"`
	Failed int    `json:"failed"`
}

func (o *Outcome) used(name string, failed bool) {
	for i := range o.Tools {
		if o.Tools[i].Name == name {
			o.Tools[i].add(failed)
			return
		}
	}
	o.Tools = append(o.Tools, ToolUse{Name: name})
	o.Tools[len(o.Tools)-1].add(failed)
}

func (u *ToolUse) add(failed bool) {
	u.Calls++
	if failed {
		u.Failed++
	}
}

// Causes of errors that callers tell apart.
var (
	ErrTimeout = errors.New("the run took longer than it may")
	ErrClosed  = errors.New("the runtime is closed")
	ErrNoText  = errors.New("the message is blank")
	ErrAgent   = errors.New("the session is another agent's")
	// ErrNoDefault is the cause when a turn does not say whose it is, and no agent is the default one.
	ErrNoDefault = errors.New("several agents are configured and none is called \"main\"")
)

// address finds out whose session a turn is for.
func (r *Runtime) address(ctx context.Context, t *Turn) (agentID string, key session.Key, err error) {
	if t.SessionID != "" {
		return r.byID(ctx, t)
	}
	request := confinement.Request{Agent: t.Agent, Key: t.Session}
	if _, err := session.ParseKey(t.Session); err != nil && !strings.HasPrefix(t.Session, "agent:") { // a name, or nothing
		var ok bool
		if request.Agent, ok = r.named(t.Agent); !ok {
			return "", key, fmt.Errorf("agent: %w: name one of %s", ErrNoDefault, strings.Join(r.agentIDs(), ", "))
		}
		if t.Session != "" {
			request.Key = session.NamedKey(request.Agent, t.Session)
		}
	}
	plan, err := confinement.Decide(r.options.Config, request)
	if err != nil {
		return "", key, err
	}
	return plan.Agent.ID, plan.Key, nil
}

// named is the agent of that name, or the default one.
func (r *Runtime) named(id string) (string, bool) {
	if id != "" {
		return id, true
	}
	return r.options.Config.DefaultAgent()
}

// byID looks for a session's id in the agents' stores.
func (r *Runtime) byID(ctx context.Context, t *Turn) (string, session.Key, error) {
	ids := []string{t.Agent}
	if t.Agent == "" {
		ids = r.agentIDs()
	}
	for _, id := range ids {
		store, err := r.Store(ctx, id)
		if err != nil {
			return "", session.Key{}, err
		}
		info, err := store.Get(ctx, session.Ref{ID: t.SessionID})
		if errors.Is(err, session.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", session.Key{}, err
		}
		key, err := session.ParseKey(info.Key)
		return id, key, err
	}
	return "", session.Key{}, fmt.Errorf("agent: session id %s: %w", t.SessionID, session.ErrNotFound)
}

func (r *Runtime) agentIDs() []string {
	if ids := r.options.Config.Agents.IDs; len(ids) > 0 {
		return ids
	}
	return []string{config.DefaultAgentID}
}

// Store is an agent's sessions. The runtime closes it.
func (r *Runtime) Store(ctx context.Context, agentID string) (*session.Store, error) {
	agent, err := r.options.Config.Agent(agentID)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, fmt.Errorf("agent: open sessions of %s: %w", agent.ID, ErrClosed)
	}
	if s := r.stores[agent.ID]; s != nil {
		return s, nil
	}
	s, err := session.Open(ctx, session.Options{Path: session.Path(r.options.Config.StateDir, agent.ID)})
	if err != nil {
		return nil, err
	}
	r.stores[agent.ID] = s
	return s, nil
}
