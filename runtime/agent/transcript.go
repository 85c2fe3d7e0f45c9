package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"openclaw/runtime/model"
	"openclaw/runtime/session"
)

// abortedType is the custom message that tells the next turn that the one before was broken off.
const abortedType = "openclaw:turn-aborted"

const abortedText = "The turn before was stopped before it ended. Tools that it had begun may have done all, some or nothing of their work: " +
	"look at how things are before you go on."

// lostType is the custom message with the last output of background commands that ended with the runtime.
const lostType = "openclaw:processes-ended"

// customMessage is the body of an entry that the runtime adds for the model to read.
type customMessage struct {
	CustomType string        `json:"customType"`
	Content    []model.Block `json:"content"`
	Display    bool          `json:"display"`
}

func customEntry(kind, text string) (session.Entry, error) {
	return session.NewEntry(session.TypeCustomMessage, customMessage{kind, []model.Block{{Type: model.BlockText, Text: text}}, false})
}

// messageEntry is the entry that keeps a message, which may have been made of inputs. Pictures that would make it too large give way
// to a note.
func messageEntry(m model.Message, inputs ...string) (session.Entry, error) {
	e, err := newMessageEntry(m, inputs)
	if err != nil || len(e.Body) <= session.MaxEntryBytes {
		return e, err
	}
	m.Content = append([]model.Block(nil), m.Content...)
	for i, b := range m.Content {
		if b.Type == model.BlockImage {
			m.Content[i] = model.Block{Type: model.BlockText, Text: fmt.Sprintf("[picture of %d bytes, too large to keep]", len(b.Data))}
		}
	}
	return newMessageEntry(m, inputs)
}

// newMessageEntry says beside a message which inputs it was made of. A single one lends the entry its id: so the store knows later
// that it was there.
func newMessageEntry(m model.Message, inputs []string) (session.Entry, error) {
	if len(inputs) == 0 {
		return session.NewMessage(m)
	}
	e, err := session.NewEntry(session.TypeMessage, map[string]any{"message": m, "inputs": inputs})
	if len(inputs) == 1 {
		e.ID = inputs[0]
	}
	return e, err
}

// Messages are what a model is shown of a session's context. Results stand in the order of their calls, whenever they came.
func Messages(entries []session.Entry) ([]model.Message, error) {
	list := make([]model.Message, 0, len(entries))
	for _, e := range entries {
		m, err := messageOf(e)
		if err != nil {
			return nil, fmt.Errorf("agent: entry %s: %w", e.ID, err)
		}
		if m != nil {
			list = append(list, *m)
		}
	}
	for i := range list {
		orderResults(&list[i], list[i+1:])
	}
	return list, nil
}

// orderResults puts the results that follow an answer into the order of its calls.
func orderResults(answer *model.Message, rest []model.Message) {
	calls := answer.Calls()
	if answer.Role != model.RoleAssistant || len(calls) < 2 {
		return
	}
	end := 0
	for end < len(rest) && rest[end].Role == model.RoleToolResult {
		end++
	}
	place := func(m model.Message) int {
		return slices.IndexFunc(calls, func(c model.Block) bool { return c.ID == m.ToolCallID })
	}
	slices.SortStableFunc(rest[:end], func(a, b model.Message) int { return place(a) - place(b) })
}

// Texts in front of what the runtime tells a model about its own past.
const (
	compactionLead = "What happened in this conversation until now, in short:\n\n"
	branchLead     = "The conversation went another way before and came back to this point. In short, that was:\n\n"
)

// messageOf is the message that an entry stands for, nil when it is none.
func messageOf(e session.Entry) (*model.Message, error) {
	switch e.Type {
	case session.TypeMessage:
		return plainMessage(e.Body)
	case session.TypeCustomMessage:
		var c struct {
			Content json.RawMessage `json:"content"`
		}
		if err := json.Unmarshal(e.Body, &c); err != nil {
			return nil, err
		}
		blocks, err := contentOf(c.Content)
		return &model.Message{Role: model.RoleUser, Content: blocks}, err
	case session.TypeCompaction, session.TypeBranchSummary:
		var c session.Compaction
		if err := json.Unmarshal(e.Body, &c); err != nil {
			return nil, err
		}
		lead := compactionLead
		if e.Type == session.TypeBranchSummary {
			lead = branchLead
		}
		m := model.User(lead + c.Summary)
		return &m, nil
	}
	return nil, nil
}

// stored is a message whose content may be a plain string, as imported transcripts have it.
type stored struct {
	model.Message
	Content json.RawMessage `json:"content"`
	Command string          `json:"command"`
	Output  string          `json:"output"`
}

func plainMessage(body []byte) (*model.Message, error) {
	var wrapped struct {
		Message stored `json:"message"`
	}
	if err := json.Unmarshal(body, &wrapped); err != nil {
		return nil, err
	}
	s := wrapped.Message
	m := s.Message
	var err error
	if m.Content, err = contentOf(s.Content); err != nil {
		return nil, err
	}
	switch string(m.Role) {
	case session.RoleBash:
		m = model.User("$ " + s.Command + "\n" + s.Output)
	case session.RoleCustom:
		m.Role = model.RoleUser
	}
	return &m, nil
}

// contentOf reads a string or a list of blocks. Blocks of kinds that no model is shown are left out.
func contentOf(text json.RawMessage) ([]model.Block, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	if text[0] == '"' {
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, err
		}
		return []model.Block{{Type: model.BlockText, Text: s}}, nil
	}
	var blocks []storedBlock
	if err := json.Unmarshal(text, &blocks); err != nil {
		return nil, errors.Join(errors.New("its content is neither a string nor a list of blocks"), err)
	}
	list := make([]model.Block, 0, len(blocks))
	for _, b := range blocks {
		if block, ok := b.block(); ok {
			list = append(list, block)
		}
	}
	return list, nil
}

// storedBlock also reads the names that older transcripts have for the same things.
type storedBlock struct {
	model.Block
	ThinkingSignature string `json:"thinkingSignature"`
	TextSignature     string `json:"textSignature"`
	ThoughtSignature  string `json:"thoughtSignature"`
}

func (b storedBlock) block() (model.Block, bool) {
	for _, s := range []string{b.ThinkingSignature, b.TextSignature, b.ThoughtSignature} {
		if b.Signature == "" {
			b.Signature = s
		}
	}
	switch b.Type {
	case model.BlockText, model.BlockThinking, model.BlockImage:
		return b.Block, true
	case model.BlockToolCall:
		if len(b.Arguments) == 0 {
			b.Arguments = json.RawMessage("{}")
		}
		return b.Block, true
	}
	return model.Block{}, false
}
