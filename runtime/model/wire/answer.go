package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"openclaw/runtime/model"
)

// answer collects what a model says.
type answer struct {
	message *model.Message
	blocks  []*part // as they were begun
	shown   []*part // as they got something in them: only these are in the answer
	on      func(model.Delta)
	size    int
	calls   int
	secret  string // it is in nothing that comes out; empty: there is none
}

// part is a block that is being written.
type part struct {
	block model.Block
	index int // in the answer, notShown before anything is in the block
	text  strings.Builder
	held  string // the end of what came, which may be the beginning of a secret
	veils bool   // a secret was taken out
	ended bool
}

const notShown = -1

func newAnswer(c *client, r *model.Request, on func(model.Delta)) *answer {
	if on == nil {
		on = func(model.Delta) {}
	}
	return &answer{on: on, secret: spoken(c.o.Key), message: &model.Message{
		Role: model.RoleAssistant, Content: []model.Block{}, API: c.o.API, Provider: c.o.Provider, Model: r.Model,
		Time: model.Millis{Time: time.Now()}, Usage: &model.Usage{},
	}}
}

// grow counts what the answer holds.
func (a *answer) grow(n int) error {
	if a.size += n; a.size > MaxAnswerBytes {
		return fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, MaxAnswerBytes)
	}
	return nil
}

func (a *answer) begin(b model.Block) (*part, error) {
	if len(a.blocks) >= MaxBlocks {
		return nil, fmt.Errorf("%w: it has more than %d blocks", ErrTooLarge, MaxBlocks)
	}
	p := &part{block: b, index: notShown}
	a.blocks = append(a.blocks, p)
	return p, nil
}

// show gives a block its place in the answer. One that was begun for nothing gets none: it would be in the way of later requests.
func (a *answer) show(p *part) {
	if p.index == notShown {
		p.index = len(a.shown)
		a.shown = append(a.shown, p)
	}
}

// last is the newest block if it is of a type and has not ended.
func (a *answer) last(t model.BlockType) *part {
	if len(a.blocks) == 0 {
		return nil
	}
	if p := a.blocks[len(a.blocks)-1]; p.block.Type == t && !p.ended {
		return p
	}
	return nil
}

// run is the open block of a type at the end of the answer: protocols without blocks of their own just go on. What is open
// there of another type has ended with that; calls may go on beside others.
func (a *answer) run(t model.BlockType) (*part, error) {
	if p := a.last(t); p != nil {
		return p, nil
	}
	a.endTexts()
	return a.begin(model.Block{Type: t})
}

// endTexts ends blocks of text and thinking.
func (a *answer) endTexts() {
	for _, p := range a.blocks {
		if p.block.Type != model.BlockToolCall {
			a.end(p)
		}
	}
}

// call begins a call. One without an id, or with that of another call of the answer, gets an id of its own: results could not be
// told apart.
func (a *answer) call(id, name string) (*part, error) {
	if a.calls++; a.calls > MaxCalls {
		return nil, fmt.Errorf("%w: it has more than %d calls of tools", ErrTooLarge, MaxCalls)
	}
	if id == "" || slices.ContainsFunc(a.shown, func(p *part) bool { return p.block.Type == model.BlockToolCall && p.block.ID == id }) {
		id = newID()
	}
	if err := a.grow(len(id) + len(name)); err != nil {
		return nil, err
	}
	p, err := a.begin(model.Block{Type: model.BlockToolCall, ID: id, Name: name})
	if err == nil {
		a.show(p)
		a.on(model.Delta{Type: model.DeltaCallStart, Index: p.index, ID: id, Name: name})
	}
	return p, err
}

// write adds to a block. Arguments that come as JSON within JSON may hold what is no UTF-8, which nothing after this takes.
func (a *answer) write(p *part, s string) error {
	if s == "" {
		return nil
	}
	s = a.veil(p, strings.ToValidUTF8(s, "\uFFFD"))
	if s == "" {
		return nil
	}
	return a.put(p, s)
}

// veil takes the secret out of what is written to a block, and holds back what may be the beginning of one.
func (a *answer) veil(p *part, s string) string {
	if a.secret == "" {
		return s
	}
	s = p.held + s
	if strings.Contains(s, a.secret) {
		s, p.veils = strings.ReplaceAll(s, a.secret, redacted), true
	}
	most := min(len(s), len(a.secret)-1)
	for !strings.HasSuffix(s, a.secret[:most]) {
		most--
	}
	p.held = s[len(s)-most:]
	return s[:len(s)-most]
}

// release writes what was held back: nothing more comes.
func (a *answer) release(p *part) error {
	s := p.held
	p.held = ""
	if s == "" {
		return nil
	}
	return a.put(p, s)
}

func (a *answer) put(p *part, s string) error {
	if err := a.grow(len(s)); err != nil {
		return err
	}
	a.show(p)
	p.text.WriteString(s)
	kind := model.DeltaText
	switch p.block.Type {
	case model.BlockThinking:
		kind = model.DeltaThinking
	case model.BlockToolCall:
		kind = model.DeltaArguments
	}
	a.on(model.Delta{Type: kind, Index: p.index, Text: s})
	return nil
}

// sign sets what a provider marks a block with.
func (a *answer) sign(p *part, signature string) error {
	if signature != "" {
		a.show(p)
	}
	p.block.Signature = signature
	return a.grow(len(signature))
}

func (a *answer) end(p *part) {
	if p == nil || p.ended {
		return
	}
	p.ended = true
	_ = a.release(p) // a secret's length more or less
	if p.index != notShown {
		a.on(model.Delta{Type: model.DeltaBlockEnd, Index: p.index})
	}
}

// say writes text where the protocol has no blocks.
func (a *answer) say(t model.BlockType, s string) error {
	if s == "" {
		return nil
	}
	p, err := a.run(t)
	if err != nil {
		return err
	}
	return a.write(p, s)
}

// finish is the whole answer.
func (a *answer) finish() *model.Message {
	for _, p := range a.blocks {
		a.end(p)
	}
	a.collect()
	if a.message.StopReason == "" {
		a.message.StopReason = model.StopEnd
	}
	if a.calls > 0 && a.message.StopReason == model.StopEnd { // some servers say so
		a.message.StopReason = model.StopToolUse
	}
	return a.message
}

// failed is what had come of an answer.
func (a *answer) failed(reason model.StopReason, err error) *model.Message {
	for _, p := range a.blocks {
		_ = a.release(p) // it has failed already
	}
	a.collect()
	a.message.StopReason, a.message.Error = reason, err.Error()
	return a.message
}

func (a *answer) collect() {
	for _, p := range a.shown {
		a.message.Content = append(a.message.Content, p.whole())
	}
	if u := a.message.Usage; u.Total == 0 {
		u.Total = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
}

// empty tells whether nothing has been written to the block.
func (p *part) empty() bool { return p.text.Len() == 0 && p.held == "" }

func (p *part) whole() model.Block {
	b := p.block
	switch b.Type {
	case model.BlockText:
		b.Text = p.text.String()
	case model.BlockThinking:
		b.Thinking = p.text.String()
		if p.veils { // it is not what was signed any more
			b.Signature = ""
		}
	case model.BlockToolCall:
		b.Arguments, b.Malformed = arguments(p.text.String())
	}
	return b
}

// arguments is a JSON object, or {} and the text that is none, or that nests too deep to be kept and sent as one.
func arguments(text string) (json.RawMessage, string) {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}"), ""
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil || members == nil || deep(text) {
		return json.RawMessage("{}"), text
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return json.RawMessage("{}"), text
	}
	return b.Bytes(), ""
}

// deep tells whether a JSON text nests deeper than MaxDepth.
func deep(text string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
