package agent

import (
	"encoding/json"
	"sync"
	"time"

	"openclaw/runtime/model"
)

// Stream is what an event is about.
type Stream string

// The streams.
const (
	StreamLifecycle Stream = "lifecycle" // Lifecycle
	StreamAssistant Stream = "assistant" // Piece of text
	StreamThinking  Stream = "thinking"  // Piece of thinking
	StreamTool      Stream = "tool"      // ToolEvent
	StreamModel     Stream = "model"     // ModelEvent
	StreamUsage     Stream = "usage"     // model.Usage of one answer
	StreamInput     Stream = "input"     // InputEvent
)

// Event is something that happens during a run. Seq rises by one from each event of a run to the next.
type Event struct {
	RunID      string       `json:"runId"`
	Seq        int64        `json:"seq"`
	Stream     Stream       `json:"stream"`
	Time       model.Millis `json:"ts"`
	SessionKey string       `json:"sessionKey,omitempty"`
	Data       any          `json:"data"`
}

// Phase is a step of a run, or of a tool call.
type Phase string

// The phases of runs, and of tool calls.
const (
	PhaseStart     Phase = "start"
	PhaseFinishing Phase = "finishing" // the answer is there, and is being recorded
	PhaseEnd       Phase = "end"
	PhaseError     Phase = "error"

	PhaseUpdate Phase = "update" // a tool has something to show
	PhaseResult Phase = "result"
)

// Lifecycle is the data of StreamLifecycle.
type Lifecycle struct {
	Phase     Phase  `json:"phase"`
	SessionID string `json:"sessionId,omitempty"`
	Model     string `json:"model,omitempty"`
	Status    Status `json:"status,omitempty"`
	Error     string `json:"error,omitempty"`
}

// Piece is the data of StreamAssistant and StreamThinking. Message counts the answers of a run, from 1.
type Piece struct {
	Message int    `json:"message"`
	Delta   string `json:"delta,omitempty"`
	// Discard tells that what came of this answer so far is void: the model is asked again.
	Discard bool `json:"discard,omitempty"`
	// Done tells that the block has ended.
	Done bool `json:"done,omitempty"`
}

// ToolEvent is the data of StreamTool.
type ToolEvent struct {
	Phase      Phase           `json:"phase"`
	CallID     string          `json:"toolCallId"`
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"args,omitempty"`       // at the start
	Text       string          `json:"text,omitempty"`       // of an update or a result, as the model sees it
	IsError    bool            `json:"isError,omitempty"`    // of a result
	DurationMs int64           `json:"durationMs,omitempty"` // of a result
}

// ModelEvent is the data of StreamModel: a model is asked again, or another one is.
type ModelEvent struct {
	Model   string `json:"model"`
	Next    string `json:"next,omitempty"` // when it is another one
	Attempt int    `json:"attempt,omitempty"`
	WaitMs  int64  `json:"waitMs,omitempty"`
	Reason  string `json:"reason"`
}

// InputEvent is the data of StreamInput: a message that came while the run worked is in the transcript, and the model reads it next.
type InputEvent struct {
	Inputs []string `json:"inputs,omitempty"`
	Text   string   `json:"text"`
}

// events numbers the events of a run and hands them on, one at a time.
type events struct {
	runID, key string
	on         func(Event)

	mu  sync.Mutex
	seq int64
}

func (e *events) send(stream Stream, data any) {
	if e.on == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seq++
	e.on(Event{RunID: e.runID, Seq: e.seq, Stream: stream, Time: model.Millis{Time: time.Now()}, SessionKey: e.key, Data: data})
}
