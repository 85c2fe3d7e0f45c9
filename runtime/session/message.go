package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Roles of messages.
const (
	RoleUser       = "user"
	RoleAssistant  = "assistant"
	RoleToolResult = "toolResult"
	RoleCustom     = "custom"
	RoleBash       = "bashExecution"
)

// Call is an assistant's request to run a tool.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// facts are what the store itself wants to know of an entry.
type facts struct {
	role      string
	calls     []Call // of an assistant's message
	resultFor string // call id of a tool's result
	firstKept string // of a compaction or a reset
	target    string // of a move of the leaf
	text      string // what the search finds it by
}

// inContext says whether the entry is one of those that a model is shown.
func inContext(t Type) bool {
	switch t {
	case TypeMessage, TypeCustomMessage, TypeCompaction, TypeBranchSummary:
		return true
	}
	return false
}

// body is the part of the known types' fields that the store reads.
type body struct {
	Message          json.RawMessage `json:"message"`
	Content          json.RawMessage `json:"content"`
	Summary          string          `json:"summary"`
	FirstKeptEntryID string          `json:"firstKeptEntryId"`
	TargetID         *string         `json:"targetId"`
	AppendParentID   *string         `json:"appendParentId"`
	Label            string          `json:"label"`
	Name             string          `json:"name"`
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"toolCallId"`
	Command    string          `json:"command"`
	Output     string          `json:"output"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

func readFacts(t Type, text []byte) (f facts, err error) {
	switch t {
	case TypeMessage, TypeCustomMessage, TypeCompaction, TypeReset, TypeBranchSummary, TypeLeaf, TypeLabel, TypeInfo:
	default:
		return facts{}, nil
	}
	var b body
	if err := json.Unmarshal(text, &b); err != nil {
		return facts{}, err
	}
	switch t {
	case TypeMessage:
		return messageFacts(b.Message)
	case TypeCustomMessage:
		_, f.text, err = readContent(b.Content)
	case TypeCompaction:
		f.firstKept, f.text = b.FirstKeptEntryID, b.Summary
		if b.Summary == "" {
			err = errors.New("has no summary")
		}
	case TypeReset:
		f.firstKept = b.FirstKeptEntryID
	case TypeBranchSummary:
		f.text = b.Summary
	case TypeLabel, TypeInfo:
		f.text = strings.TrimSpace(b.Label + " " + b.Name)
	case TypeLeaf:
		f.target = leafTarget(b)
	}
	return f, err
}

// leafTarget is the entry that the next one follows; empty is the root.
func leafTarget(b body) string {
	for _, id := range []*string{b.AppendParentID, b.TargetID} {
		if id != nil {
			return *id
		}
	}
	return ""
}

func messageFacts(text json.RawMessage) (f facts, err error) {
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return facts{}, errors.Join(errors.New("has no message that is an object"), err)
	}
	f.role = m.Role
	switch m.Role {
	case RoleUser, RoleAssistant, RoleCustom:
	case RoleToolResult:
		if f.resultFor = m.ToolCallID; f.resultFor == "" {
			return facts{}, errors.New("is a tool's result without toolCallId")
		}
	case RoleBash:
		f.text = m.Command + "\n" + m.Output
		return f, nil
	default:
		return facts{}, fmt.Errorf("has the unknown role %q", m.Role)
	}
	calls, found, err := readContent(m.Content)
	if err != nil {
		return facts{}, err
	}
	f.text = found
	if m.Role == RoleAssistant {
		f.calls = calls
	}
	return f, checkCalls(f.calls)
}

// checkCalls wants an id in each call and no id twice: a result could not be told apart.
func checkCalls(calls []Call) error {
	seen := map[string]bool{}
	for _, c := range calls {
		switch {
		case c.ID == "":
			return errors.New("has a tool call without an id")
		case seen[c.ID]:
			return fmt.Errorf("has the tool call %q twice", c.ID)
		}
		seen[c.ID] = true
	}
	return nil
}

// readContent takes content, a string or a list of blocks, apart: the calls of tools, and the text for the search.
func readContent(content json.RawMessage) (calls []Call, text string, err error) {
	content = bytes.TrimSpace(content)
	if len(content) == 0 || string(content) == "null" {
		return nil, "", nil
	}
	if content[0] == '"' {
		err = json.Unmarshal(content, &text)
		return nil, text, err
	}
	var blocks []block
	if err := json.Unmarshal(content, &blocks); err != nil {
		return nil, "", errors.Join(errors.New("has content that is neither a string nor a list of blocks"), err)
	}
	var b strings.Builder
	for _, block := range blocks {
		switch block.Type {
		case "text":
			b.WriteString(block.Text + "\n")
		case "toolCall":
			calls = append(calls, Call{ID: block.ID, Name: block.Name})
			b.WriteString(block.Name + " " + string(block.Arguments) + "\n")
		}
	}
	return calls, strings.TrimSuffix(b.String(), "\n"), nil
}

// interruptedText is what a model reads in place of a result that was never stored.
const interruptedText = "Interrupted: the run ended before this tool gave a result. " +
	"What the tool had done by then stays done; look before you repeat it."

// interruptedResult is the result of a call that has none.
func interruptedResult(c Call) Entry {
	e, _ := NewMessage(map[string]any{ // plain strings marshal
		"role": RoleToolResult, "toolCallId": c.ID, "toolName": c.Name, "isError": true,
		"content": []any{map[string]string{"type": "text", "text": interruptedText}},
		"details": map[string]string{"status": "interrupted"},
	})
	return e
}

// Text is what a person would read of an entry: of messages and summaries their text, of everything else nothing.
func (e Entry) Text() string {
	f, err := readFacts(e.Type, e.Body)
	if err != nil {
		return ""
	}
	return f.text
}

// Role is the role of a message, and empty for every other entry.
func (e Entry) Role() string {
	if e.Type != TypeMessage {
		return ""
	}
	f, _ := readFacts(e.Type, e.Body)
	return f.role
}

// Calls are the tool calls of an assistant's message.
func (e Entry) Calls() []Call {
	if e.Type != TypeMessage {
		return nil
	}
	f, _ := readFacts(e.Type, e.Body)
	return f.calls
}

// cut shortens a text to at most n bytes, between characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
