// Package script is a model that plays a script: what it answers is written in a JSON file. It needs no key and no network, and
// the same conversation always gets the same answer, also in another process: the place in the script is the number of answers of
// the script that the conversation already holds.
//
// A script is an object with the key turns, a list of answers:
//
//	{
//	  "turns": [
//	    {
//	      "expect": {"last": "hello", "tools": ["exec"]},
//	      "thinking": "I look.",
//	      "text": "Let me see.",
//	      "calls": [{"name": "exec", "arguments": {"command": "ls"}}]
//	    },
//	    {"text": "There are no files."}
//	  ]
//	}
//
// All keys are optional, and others are mistakes. See Turn for what each means.
package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"openclaw/runtime/model"
)

// Provider is the name of the provider in references: script/PATH.
const Provider = "script"

// API is the protocol that its messages name.
const API = "script"

// Limits of a script.
const (
	MaxFileBytes = 16 << 20
	// DefaultChunk is how many characters a piece of an answer has.
	DefaultChunk = 16
	// MaxDelayMs bounds each delay of a turn.
	MaxDelayMs = 600_000
)

// ErrEnded is the cause when the conversation has more turns than the script.
var ErrEnded = errors.New("the script has no further turn")

// Script is what the model answers, turn by turn.
type Script struct {
	Turns []Turn `json:"turns"`
	// Repeat begins anew after the last turn.
	Repeat bool `json:"repeat,omitempty"`
	// Chunk is how many characters a piece of an answer has; 0 is DefaultChunk.
	Chunk int `json:"chunk,omitempty"`
}

// Turn is one answer.
type Turn struct {
	Expect   *Expect `json:"expect,omitempty"` // what the model must have been sent; else the answer is an error that says the difference
	Thinking string  `json:"thinking,omitempty"`
	Text     string  `json:"text,omitempty"`
	Calls    []Call  `json:"calls,omitempty"`

	// Stop is why the answer ends; empty is toolUse with calls and stop without.
	Stop model.StopReason `json:"stop,omitempty"`
	// Fail makes the turn fail instead, after the text and before the calls.
	Fail *Fail `json:"fail,omitempty"`
	// DelayMs passes before the first piece, ChunkDelayMs before each further one.
	DelayMs      int64 `json:"delayMs,omitempty"`
	ChunkDelayMs int64 `json:"chunkDelayMs,omitempty"`

	Usage *model.Usage `json:"usage,omitempty"` // what the answer is said to have used
}

// Call is a call of a tool.
type Call struct {
	ID        string          `json:"id,omitempty"` // empty: made of the turn's and the call's place
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Fail is a failure of the model.
type Fail struct {
	Kind         model.Kind `json:"kind"`
	Message      string     `json:"message,omitempty"`
	RetryAfterMs int64      `json:"retryAfterMs,omitempty"`
}

// Expect is what a request must hold. Texts are looked for anywhere in what they are compared with.
type Expect struct {
	Last     string   `json:"last,omitempty"`     // in the newest message, of whatever role
	Role     string   `json:"role,omitempty"`     // of the newest message
	Results  []string `json:"results,omitempty"`  // each in one of the tools' results since the last answer
	System   string   `json:"system,omitempty"`   // in the system prompt
	Tools    []string `json:"tools,omitempty"`    // all of which are offered
	NotTools []string `json:"notTools,omitempty"` // none of which is offered
	Messages int      `json:"messages,omitempty"` // how many there are
}

// Parse reads a script.
func Parse(text []byte) (*Script, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var s Script
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("script: parse: %s: %w", position(text, d.InputOffset(), err), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("script: parse: there is more after the script")
	}
	if len(s.Turns) == 0 {
		return nil, errors.New(`script: parse: "turns" is missing or empty`)
	}
	for i, t := range s.Turns {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("script: parse: turn %d: %w", i+1, err)
		}
	}
	return &s, nil
}

func position(text []byte, at int64, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	at = min(at, int64(len(text)))
	return fmt.Sprintf("line %d", 1+bytes.Count(text[:at], []byte("\n")))
}

func (t *Turn) check() error {
	if t.DelayMs < 0 || t.DelayMs > MaxDelayMs || t.ChunkDelayMs < 0 || t.ChunkDelayMs > MaxDelayMs {
		return fmt.Errorf("a delay is not between 0 and %d ms", MaxDelayMs)
	}
	for i, c := range t.Calls {
		if c.Name == "" {
			return fmt.Errorf("call %d has no name", i+1)
		}
	}
	return nil
}

// Load reads the script of a file.
func Load(path string) (*Script, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("script: open: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("script: read %s: %w", path, err)
	}
	if len(text) > MaxFileBytes {
		return nil, fmt.Errorf("script: read %s: it has more than %d bytes", path, MaxFileBytes)
	}
	s, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Client plays scripts.
type Client struct {
	// Open finds the script that a request's model names; nil loads the file.
	Open func(name string) (*Script, error)
}

// Stream implements model.Client.
func (c *Client) Stream(ctx context.Context, r *model.Request, on func(model.Delta)) (*model.Message, error) {
	open := c.Open
	if open == nil {
		open = Load
	}
	answer := &model.Message{
		Role: model.RoleAssistant, Content: []model.Block{}, API: API, Provider: Provider, Model: r.Model, Time: model.Millis{Time: time.Now()},
		Usage: &model.Usage{},
	}
	s, err := open(r.Model)
	if err != nil {
		return failed(ctx, answer, &model.Error{Kind: model.KindNotFound, Provider: Provider, Model: r.Model, Err: err})
	}
	if on == nil {
		on = func(model.Delta) {}
	}
	place := played(r)
	if s.Repeat {
		place %= len(s.Turns)
	}
	if place >= len(s.Turns) {
		return failed(ctx, answer, &model.Error{Kind: model.KindInvalid, Provider: Provider, Model: r.Model, Err: fmt.Errorf("%w: it has %d", ErrEnded, len(s.Turns))})
	}
	p := player{ctx: ctx, turn: &s.Turns[place], place: place, chunk: s.Chunk, answer: answer, on: on}
	if err := p.play(r); err != nil {
		return failed(ctx, answer, err)
	}
	return answer, nil
}

func failed(ctx context.Context, answer *model.Message, err error) (*model.Message, error) {
	answer.StopReason, answer.Error = model.StopError, err.Error()
	if ctx.Err() != nil {
		answer.StopReason = model.StopAborted
	}
	return answer, err
}

// played counts the script's whole answers in a conversation.
func played(r *model.Request) int {
	n := 0
	for i := range r.Messages {
		m := &r.Messages[i]
		if m.Role == model.RoleAssistant && m.Provider == Provider && m.Model == r.Model && m.StopReason != model.StopError && m.StopReason != model.StopAborted {
			n++
		}
	}
	return n
}

// player is one turn being played.
type player struct {
	ctx    context.Context // it lives as long as the call
	turn   *Turn
	place  int
	chunk  int
	answer *model.Message
	on     func(model.Delta)
	begun  bool
}

func (p *player) play(r *model.Request) error {
	if err := p.turn.Expect.check(r); err != nil {
		return &model.Error{Kind: model.KindInvalid, Provider: Provider, Model: r.Model, Err: fmt.Errorf("turn %d of the script: %w", p.place+1, err)}
	}
	if err := p.text(model.BlockThinking, p.turn.Thinking); err != nil {
		return err
	}
	if err := p.text(model.BlockText, p.turn.Text); err != nil {
		return err
	}
	if f := p.turn.Fail; f != nil {
		if err := p.wait(); err != nil {
			return err
		}
		return &model.Error{
			Kind: f.Kind, Provider: Provider, Model: r.Model, Message: f.Message, RetryAfter: time.Duration(f.RetryAfterMs) * time.Millisecond,
		}
	}
	for i, c := range p.turn.Calls {
		if err := p.call(i, c); err != nil {
			return err
		}
	}
	if err := p.wait(); err != nil { // a turn without text has its delay, too
		return err
	}
	p.finish()
	return nil
}

func (p *player) finish() {
	if p.answer.StopReason = p.turn.Stop; p.answer.StopReason == "" {
		p.answer.StopReason = model.StopEnd
		if len(p.turn.Calls) > 0 {
			p.answer.StopReason = model.StopToolUse
		}
	}
	if p.turn.Usage != nil {
		p.answer.Usage = p.turn.Usage
	}
}

// text plays a block of text or thinking.
func (p *player) text(kind model.BlockType, text string) error {
	if text == "" {
		return nil
	}
	index := len(p.answer.Content)
	p.answer.Content = append(p.answer.Content, model.Block{Type: kind})
	block := &p.answer.Content[index]
	for _, piece := range pieces(text, p.chunk) {
		if err := p.wait(); err != nil {
			return err
		}
		delta := model.Delta{Type: model.DeltaText, Index: index, Text: piece}
		if kind == model.BlockThinking {
			delta.Type = model.DeltaThinking
			block.Thinking += piece
		} else {
			block.Text += piece
		}
		p.on(delta)
	}
	p.on(model.Delta{Type: model.DeltaBlockEnd, Index: index})
	return nil
}

// call plays a call. What is not an object goes out as a model's broken arguments would.
func (p *player) call(i int, c Call) error {
	index := len(p.answer.Content)
	block := model.Block{Type: model.BlockToolCall, ID: c.ID, Name: c.Name, Arguments: c.Arguments}
	if block.ID == "" {
		block.ID = fmt.Sprintf("call_%d_%d", p.place+1, i+1)
	}
	text := string(c.Arguments)
	switch {
	case len(c.Arguments) == 0:
		block.Arguments = json.RawMessage("{}")
		text = "{}"
	case c.Arguments[0] == '"': // a text in place of the object: what a model wrote
		_ = json.Unmarshal(c.Arguments, &text) // it was parsed with the script
		block.Arguments, block.Malformed = json.RawMessage("{}"), text
	}
	if err := p.wait(); err != nil {
		return err
	}
	p.answer.Content = append(p.answer.Content, block)
	p.on(model.Delta{Type: model.DeltaCallStart, Index: index, ID: block.ID, Name: block.Name})
	for _, piece := range pieces(text, p.chunk) {
		p.on(model.Delta{Type: model.DeltaArguments, Index: index, Text: piece})
	}
	p.on(model.Delta{Type: model.DeltaBlockEnd, Index: index})
	return nil
}

// wait lets the delay before the next piece pass.
func (p *player) wait() error {
	delay := p.turn.ChunkDelayMs
	if !p.begun {
		delay, p.begun = p.turn.DelayMs, true
	}
	if delay == 0 {
		return p.ctx.Err()
	}
	timer := time.NewTimer(time.Duration(delay) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// pieces cuts a text into pieces of so many characters.
func pieces(text string, chunk int) []string {
	if chunk <= 0 {
		chunk = DefaultChunk
	}
	var all []string
	for piece := range slices.Chunk([]rune(text), chunk) {
		all = append(all, string(piece))
	}
	return all
}

// check compares a request with what was expected.
func (e *Expect) check(r *model.Request) error {
	if e == nil {
		return nil
	}
	if e.Messages != 0 && e.Messages != len(r.Messages) {
		return fmt.Errorf("expected %d messages, there are %d", e.Messages, len(r.Messages))
	}
	if len(r.Messages) == 0 {
		return errors.New("expected a message, there is none")
	}
	last := r.Messages[len(r.Messages)-1]
	if e.Role != "" && e.Role != string(last.Role) {
		return fmt.Errorf("expected the newest message to be of role %q, it is of %q", e.Role, last.Role)
	}
	if !strings.Contains(last.Text(), e.Last) {
		return fmt.Errorf("expected %q in the newest message, which is %q", e.Last, last.Text())
	}
	if !strings.Contains(r.System+r.SystemVolatile, e.System) {
		return fmt.Errorf("expected %q in the system prompt", e.System)
	}
	if err := e.checkResults(r); err != nil {
		return err
	}
	return e.checkTools(r)
}

func (e *Expect) checkResults(r *model.Request) error {
	var results []string
	for i := len(r.Messages) - 1; i >= 0 && r.Messages[i].Role != model.RoleAssistant; i-- {
		if r.Messages[i].Role == model.RoleToolResult {
			results = append(results, r.Messages[i].Text())
		}
	}
	for _, want := range e.Results {
		if !slices.ContainsFunc(results, func(text string) bool { return strings.Contains(text, want) }) {
			return fmt.Errorf("expected %q in a tool's result, the results are %q", want, results)
		}
	}
	return nil
}

func (e *Expect) checkTools(r *model.Request) error {
	offered := func(name string) bool {
		return slices.ContainsFunc(r.Tools, func(t model.Tool) bool { return t.Name == name })
	}
	for _, name := range e.Tools {
		if !offered(name) {
			return fmt.Errorf("expected the tool %s to be offered", name)
		}
	}
	for _, name := range e.NotTools {
		if offered(name) {
			return fmt.Errorf("expected the tool %s not to be offered", name)
		}
	}
	return nil
}
