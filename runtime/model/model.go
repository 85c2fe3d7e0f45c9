// Package model is how the runtime speaks of language models: what is asked of one, what it answers, and how it fails. It knows
// no provider: packages below it do (wire the network's protocols, script a scripted model).
//
// A Message is also what a session's transcript keeps. Its JSON is the transcript's format, so a message that was read back is the
// message that was stored, signatures of thinking included.
package model

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Client asks models of one provider. It may be used by many goroutines.
type Client interface {
	// Stream asks, gives each piece to on as it comes, and returns the whole answer. on may be nil; it is called from one goroutine at
	// a time and must not block. A failure is an *Error, or the context's. The answer is not nil even then: it holds what had
	// come, with StopError or StopAborted.
	Stream(ctx context.Context, r *Request, on func(Delta)) (*Message, error)
}

// Role is who a message is from.
type Role string

// The roles.
const (
	RoleUser       Role = "user"
	RoleAssistant  Role = "assistant"
	RoleToolResult Role = "toolResult"
)

// Message is one message of a conversation. Which of the fields have a meaning depends on the role.
type Message struct {
	Role    Role    `json:"role"`
	Content []Block `json:"content"`
	Time    Millis  `json:"timestamp,omitzero"`

	// Of an assistant.
	API        string     `json:"api,omitempty"`
	Provider   string     `json:"provider,omitempty"`
	Model      string     `json:"model,omitempty"`
	ResponseID string     `json:"responseId,omitempty"`
	Usage      *Usage     `json:"usage,omitempty"`
	StopReason StopReason `json:"stopReason,omitempty"`
	Error      string     `json:"errorMessage,omitempty"`

	// Of a tool's result.
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	Details    json.RawMessage `json:"details,omitempty"` // for people and programs; models are not shown it
}

// User is a user's message of text.
func User(text string) Message {
	return Message{Role: RoleUser, Content: []Block{{Type: BlockText, Text: text}}}
}

// Text is the text of a message, without its thinking.
func (m *Message) Text() string {
	var b strings.Builder
	for _, block := range m.Content {
		if block.Type == BlockText {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// Calls are the tool calls of a message, in order.
func (m *Message) Calls() []Block {
	var calls []Block
	for _, block := range m.Content {
		if block.Type == BlockToolCall {
			calls = append(calls, block)
		}
	}
	return calls
}

// BlockType is what a block is.
type BlockType string

// The types of blocks.
const (
	BlockText     BlockType = "text"     // Text, and Signature where the provider gives texts one
	BlockThinking BlockType = "thinking" // Thinking and Signature; Redacted when only the signature is there
	BlockToolCall BlockType = "toolCall" // ID, Name, Arguments
	BlockImage    BlockType = "image"    // MIMEType, Data
)

// Block is a part of a message.
type Block struct {
	Type BlockType `json:"type"`
	Text string    `json:"text,omitempty"`

	Thinking string `json:"thinking,omitempty"`
	// Signature is the provider's own mark of the block: it must go back as it came, and only to the model that it came from.
	Signature string `json:"signature,omitempty"`
	Redacted  bool   `json:"redacted,omitempty"`

	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	// Arguments is the JSON object that a tool is called with. When what the model wrote is none, it is {} and Malformed has the text.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Malformed string          `json:"malformedArguments,omitempty"`

	MIMEType string `json:"mimeType,omitempty"`
	Data     []byte `json:"data,omitempty"` // base64 in JSON
}

// Tool is a tool as a model is told of it.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON Schema of type object
}

// Request is what a model is asked.
type Request struct {
	Model string // the provider's name of it
	// System is the system prompt: a part that is the same in every turn of the session, so that providers can cache it, and the rest.
	System, SystemVolatile string
	Messages               []Message
	Tools                  []Tool // in an order that does not change from turn to turn
	Thinking               Level  // empty: the provider's default
	MaxTokens              int64  // 0: the client's default
	Temperature            *float64
	// Params are further parameters, which go into the request's body as they are, at its top level.
	Params map[string]any
	// CacheKey names the conversation for providers that route by it. CacheRetention is CacheShort when empty.
	CacheKey       string
	CacheRetention Retention
}

// Level is how much a model thinks before it answers.
type Level string

// The levels. A client uses the nearest one that its model has.
const (
	LevelOff      Level = "off"
	LevelMinimal  Level = "minimal"
	LevelLow      Level = "low"
	LevelMedium   Level = "medium"
	LevelHigh     Level = "high"
	LevelXHigh    Level = "xhigh"
	LevelAdaptive Level = "adaptive"
	LevelMax      Level = "max"
	LevelUltra    Level = "ultra"
)

// Retention is how long a provider is asked to keep a prompt in its cache.
type Retention string

// The retentions.
const (
	CacheNone  Retention = "none"
	CacheShort Retention = "short" // minutes
	CacheLong  Retention = "long"  // an hour or more
)

// Delta is a piece of an answer.
type Delta struct {
	Type  DeltaType
	Index int    // of the block in the answer's content
	Text  string // of text, of thinking, or of a call's arguments
	// ID and Name are those of a call that begins.
	ID, Name string
}

// DeltaType is what a piece belongs to.
type DeltaType string

// The types of pieces. Each block begins, has pieces, and ends; blocks may overlap.
const (
	DeltaText      DeltaType = "text"
	DeltaThinking  DeltaType = "thinking"
	DeltaCallStart DeltaType = "callStart"
	DeltaArguments DeltaType = "arguments"
	DeltaBlockEnd  DeltaType = "blockEnd"
)

// StopReason is why an answer ended.
type StopReason string

// The reasons.
const (
	StopEnd     StopReason = "stop"
	StopLength  StopReason = "length"
	StopToolUse StopReason = "toolUse"
	StopRefusal StopReason = "refusal"
	StopError   StopReason = "error"
	StopAborted StopReason = "aborted"
)

// Usage counts the tokens of an answer. Input are those that were neither read from the provider's cache nor written to it.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"` // with thinking
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Total      int64 `json:"totalTokens"`
	Cost       Cost  `json:"cost"`
}

// Add adds what another answer used.
func (u *Usage) Add(o *Usage) {
	if o == nil {
		return
	}
	u.Input += o.Input
	u.Output += o.Output
	u.CacheRead += o.CacheRead
	u.CacheWrite += o.CacheWrite
	u.Total += o.Total
	u.Cost.Input += o.Cost.Input
	u.Cost.Output += o.Cost.Output
	u.Cost.CacheRead += o.Cost.CacheRead
	u.Cost.CacheWrite += o.Cost.CacheWrite
	u.Cost.Total += o.Cost.Total
}

// Cost is in US dollars.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total"`
}

// Millis is a time that is written as milliseconds since 1970, as transcripts do.
type Millis struct{ time.Time }

// MarshalJSON implements json.Marshaler.
func (m Millis) MarshalJSON() ([]byte, error) { return json.Marshal(m.UnixMilli()) }

// UnmarshalJSON implements json.Unmarshaler.
func (m *Millis) UnmarshalJSON(text []byte) error {
	var ms int64
	if err := json.Unmarshal(text, &ms); err != nil {
		return err
	}
	m.Time = time.UnixMilli(ms)
	return nil
}

// IsZero tells that there is no time.
func (m Millis) IsZero() bool { return m.Time.IsZero() }
