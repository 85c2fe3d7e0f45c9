package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Type is what an entry is.
type Type string

// Types of entries. Of these, message, custom_message, compaction and branch_summary can be in a model's context. An import may
// bring types that this version does not know; they are kept and mean nothing.
const (
	TypeMessage       Type = "message"        // message: of a user, the assistant or a tool
	TypeCustomMessage Type = "custom_message" // customType, content, display: from the runtime, enters the context
	TypeCustom        Type = "custom"         // customType, data: state only
	TypeCompaction    Type = "compaction"     // summary, firstKeptEntryId, tokensBefore
	TypeReset         Type = "reset"          // reason, firstKeptEntryId
	TypeBranchSummary Type = "branch_summary" // fromId, summary
	TypeThinking      Type = "thinking_level_change"
	TypeModel         Type = "model_change"
	TypeLabel         Type = "label"
	TypeInfo          Type = "session_info"
	TypeLeaf          Type = "leaf" // targetId: the leaf was moved
)

// appendable are the types that Append takes. Resets and moves of the leaf have methods of their own.
var appendable = []Type{
	TypeMessage, TypeCustomMessage, TypeCustom, TypeCompaction, TypeBranchSummary, TypeThinking, TypeModel, TypeLabel, TypeInfo,
}

// MaxEntryBytes bounds the body of an entry.
const MaxEntryBytes = 4 << 20

// ErrInvalidEntry is the cause when an entry cannot be stored, whoever writes it.
var ErrInvalidEntry = errors.New("the entry is not valid")

// ErrDuplicate is the cause when the window has an entry of the id already.
var ErrDuplicate = errors.New("the entry exists already")

// Entry is one record of a transcript. It is written as one JSON object, in which the body's fields stand beside the others.
type Entry struct {
	ID       string    // empty: Append makes one
	ParentID string    // empty at the root; Append sets it
	Type     Type      //
	Time     time.Time // zero: Append's
	Seq      int64     // place in the window, from 1, by the time of writing; Append sets it
	Body     json.RawMessage
}

// NewEntry makes an entry of a type's fields, which marshal to a JSON object.
func NewEntry(t Type, fields any) (Entry, error) {
	body, err := marshal(fields)
	if err != nil {
		return Entry{}, fmt.Errorf("session: entry %s: %w", t, err)
	}
	return Entry{Type: t, Body: body}, nil
}

// NewMessage makes a message of anything that marshals to a JSON object with a role.
func NewMessage(message any) (Entry, error) {
	return NewEntry(TypeMessage, map[string]any{"message": message})
}

// Compaction are the fields of a compaction: the context is the summary, then what FirstKeptEntryID begins.
type Compaction struct {
	Summary          string `json:"summary"`
	FirstKeptEntryID string `json:"firstKeptEntryId,omitempty"`
	TokensBefore     int64  `json:"tokensBefore"`
	TokensAfter      int64  `json:"tokensAfter,omitempty"`
	Details          any    `json:"details,omitempty"`
	FromHook         bool   `json:"fromHook,omitempty"`
}

// timeLayout is RFC 3339 with milliseconds, which is what the store keeps.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// head holds the fields that every entry has.
type head struct {
	Type      Type    `json:"type"`
	ID        string  `json:"id"`
	ParentID  *string `json:"parentId"`
	Timestamp string  `json:"timestamp"`
}

// headKeys are the names of head's fields, which a body cannot have.
var headKeys = []string{"type", "id", "parentId", "timestamp"}

// MarshalJSON writes the entry as one object.
func (e Entry) MarshalJSON() ([]byte, error) {
	h := head{Type: e.Type, ID: e.ID, Timestamp: e.Time.UTC().Format(timeLayout)}
	if e.ParentID != "" {
		h.ParentID = &e.ParentID
	}
	text, err := marshal(h)
	if err != nil {
		return nil, err
	}
	body := bytes.TrimSpace(e.Body)
	if len(body) <= len("{}") {
		return text, nil
	}
	text[len(text)-1] = ','
	return append(text, body[1:]...), nil
}

// check makes sure that an entry can be stored and says what it is for the store.
func (e *Entry) check() (facts, error) {
	if len(e.Body) == 0 {
		e.Body = json.RawMessage("{}")
	}
	if len(e.Body) > MaxEntryBytes {
		return facts{}, fmt.Errorf("%w: its body has %d bytes, the most is %d", ErrInvalidEntry, len(e.Body), MaxEntryBytes)
	}
	if err := checkObject(e.Body); err != nil {
		return facts{}, fmt.Errorf("%w: body: %w", ErrInvalidEntry, err)
	}
	f, err := readFacts(e.Type, e.Body)
	if err != nil {
		return facts{}, fmt.Errorf("%w: %s: %w", ErrInvalidEntry, e.Type, err)
	}
	return f, nil
}

// checkObject wants the text of a JSON object, in UTF-8, without the fields of head.
func checkObject(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("is not UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return errors.Join(errors.New("is not a JSON object"), err)
	}
	for _, key := range headKeys {
		if _, taken := fields[key]; taken {
			return fmt.Errorf("has the field %q, which is not the body's", key)
		}
	}
	return nil
}

func isAppendable(t Type) bool { return slices.Contains(appendable, t) }

// marshal is json.Marshal without the escapes for HTML.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
