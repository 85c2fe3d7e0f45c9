// Package tools runs the tool calls of an agent: those of the toolbox, exec and process over running guests, and whatever tools
// the caller adds.
//
// A [Set] is what one session has. It promises that
//
//   - a tool that the session's policy denies cannot be called, and a model is not told of it;
//   - every call of a batch has a result, in the order of the calls, whatever happens to it: a name that is no tool, arguments
//     that are none, a hook that does not answer, a panic, an abort;
//   - what a command wrote last is never lost, also when it goes on in the background and ends there, is killed, or reaches a
//     limit;
//   - a result is never larger than the model's window allows, and is cut the same way every time.
package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/model"
	"openclaw/runtime/tools/internal/schema"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// Call is a call that a model asks for.
type Call struct {
	ID, Name  string
	Arguments json.RawMessage
	Malformed string // what the model wrote, when it is no JSON object
}

// CallOf is the call that a block of a model's answer asks for.
func CallOf(b model.Block) Call {
	return Call{ID: b.ID, Name: b.Name, Arguments: b.Arguments, Malformed: b.Malformed}
}

// Result is the answer of a tool.
type Result struct {
	Content   []model.Block
	IsError   bool
	Details   json.RawMessage // for people and programs; models are not shown it
	Terminate bool            // a batch of which every result says so ends the run
}

// TextResult is a result of text.
func TextResult(text string) *Result {
	return &Result{Content: []model.Block{{Type: model.BlockText, Text: text}}}
}

// ErrorResult is a result that says why a call failed.
func ErrorResult(text string) *Result {
	r := TextResult(text)
	r.IsError = true
	return r
}

// Text is the text of a result.
func (r *Result) Text() string {
	var b strings.Builder
	for _, block := range r.Content {
		b.WriteString(block.Text)
	}
	return b.String()
}

// with puts details into a result. They are ours and always JSON.
func (r *Result) with(details any) *Result {
	if raw, err := json.Marshal(details); err == nil {
		r.Details = raw
	}
	return r
}

// Tool is a tool that can be called.
type Tool struct {
	Definition model.Tool
	// Sequential makes a batch that calls the tool run its calls one after the other.
	Sequential bool
	// Run does the work. The arguments have been checked against the definition. An error is shown to the model, as a result
	// with IsError is. update, which may be called from any goroutine until Run returns, tells of progress.
	Run func(ctx context.Context, c Call, update func(text string)) (*Result, error)

	// prepare reads arguments that the definition does not tell of; nil: there are none.
	prepare func(json.RawMessage) (json.RawMessage, error)
	// described is the description that the definition was made from; nil for tools of the caller.
	described *toolwasm.Tool
	schema    *schema.Schema
}

// Options say what a set of tools is made of.
type Options struct {
	Sandbox *sandbox.Sandbox
	Toolbox *toolwasm.Toolbox
	// Opened is the session, with its plan. The set takes it over, even when New fails, and closes it when nothing uses it
	// any more.
	Opened *confinement.Opened

	Exec config.Exec
	// Processes is where commands go on that are put into the background. Without it there is no process, and exec waits for
	// every command.
	Processes *Registry
	Hooks     Hooks
	Guard     GuardOptions
	Limits    Limits
	// Extra are tools besides those of the toolbox. The policy holds for them, too.
	Extra []Tool
	// Steered, when set, is asked before each call of a sequential batch and once before a parallel one. When it tells that
	// there is a message for the model, what has not begun is skipped.
	Steered func() bool
}

// Set is the tools of a session. It is safe for concurrent use; Close it.
type Set struct {
	options Options
	tools   []*Tool // those that the session has, in order
	denied  map[string]confinement.ToolDecision
	session *share
	guard   *guard
	outputs outputFiles
	grace   time.Duration // for tools, after an abort
	closing sync.Once
}

// ErrDuplicate reports a tool whose name is taken.
var ErrDuplicate = errors.New("there is a tool of this name already")

// New makes the tools of a session.
func New(o Options) (*Set, error) {
	grant := o.Opened.Grant
	grant.Limits.Timeout = maxLifetime // each call has a deadline of its own
	session, err := o.Sandbox.Open(grant)
	if err != nil {
		o.Opened.Close()
		return nil, fmt.Errorf("tools: open session %s: %w", o.Opened.Key, err)
	}
	s := &Set{options: o, denied: map[string]confinement.ToolDecision{}, guard: newGuard(o.Guard), grace: defaultGrace}
	s.session = newShare(session, o.Opened.Close)
	if err := s.assemble(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close lets the session go. Commands in the background keep it until they end.
func (s *Set) Close() { s.closing.Do(s.session.release) }

// assemble lists the tools that the policy leaves.
func (s *Set) assemble() error {
	all := s.builtin()
	for _, t := range s.options.Extra {
		if slices.ContainsFunc(all, func(u *Tool) bool { return u.Definition.Name == t.Definition.Name }) {
			return fmt.Errorf("tools: add %q: %w", t.Definition.Name, ErrDuplicate)
		}
		all = append(all, &t)
	}
	for _, t := range all {
		if err := t.parseSchema(); err != nil {
			return err
		}
		name := t.Definition.Name
		if d := s.options.Opened.Tool(name); !d.Allowed {
			s.denied[name] = d
			continue
		}
		s.tools = append(s.tools, t)
	}
	return nil
}

// Definitions describes the tools to a model, always in the same order.
func (s *Set) Definitions() []model.Tool {
	list := make([]model.Tool, len(s.tools))
	for i, t := range s.tools {
		list[i] = t.Definition
	}
	return list
}

// Names lists the tools, in the order of Definitions.
func (s *Set) Names() []string {
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.Definition.Name
	}
	return names
}

// Has tells whether the session has a tool.
func (s *Set) Has(name string) bool { return s.named(name) != nil }

// named finds a tool by its name or another one that it goes by.
func (s *Set) named(name string) *Tool {
	name = confinement.ToolName(name)
	i := slices.IndexFunc(s.tools, func(t *Tool) bool { return t.Definition.Name == name })
	if i < 0 {
		return nil
	}
	return s.tools[i]
}
