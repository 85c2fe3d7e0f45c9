package prompt

import (
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/session"
)

// FullContextEntry is the type of the custom entry that says that a turn has had the bootstrap files in full.
const FullContextEntry = "openclaw:bootstrap-context:full"

// maxScan bounds how far back the entry is looked for.
const maxScan = 500

// FullContext is the data of a FullContextEntry.
type FullContext struct {
	Timestamp time.Time `json:"timestamp"`
	RunID     string    `json:"runId"`
	SessionID string    `json:"sessionId"`
}

// Entry is the transcript entry that records it. It is appended after a turn that injected the files and ended well.
func (f FullContext) Entry() (session.Entry, error) {
	f.Timestamp = f.Timestamp.UTC()
	e, err := session.NewEntry(session.TypeCustom, struct {
		CustomType string      `json:"customType"`
		Data       FullContext `json:"data"`
	}{FullContextEntry, f})
	if err != nil {
		return e, fmt.Errorf("prompt: full context entry: %w", err)
	}
	return e, nil
}

// HasFullContext looks for the entry on a session's branch, newest entry first. Behind a compaction or a reset it does not count:
// the model has lost what it says. An entry that cannot be read means "no", which costs only a longer prompt.
func HasFullContext(branch iter.Seq2[session.Entry, error]) bool {
	scanned := 0
	for e, err := range branch {
		if scanned++; err != nil || scanned > maxScan {
			return false
		}
		switch e.Type {
		case session.TypeCompaction, session.TypeReset:
			return false
		case session.TypeCustom:
			var body struct {
				CustomType string `json:"customType"`
			}
			if json.Unmarshal(e.Body, &body) == nil && body.CustomType == FullContextEntry {
				return true
			}
		}
	}
	return false
}

// Inject decides whether a turn gets the bootstrap files. pending is that of the turn: as long as the first conversation is to be
// held here, nothing is skipped.
func Inject(mode config.ContextInjection, pending Pending, branch iter.Seq2[session.Entry, error]) bool {
	switch mode {
	case config.InjectNever:
		return false
	case config.InjectContinuationSkip:
		return pending == PendingFull || branch == nil || !HasFullContext(branch)
	}
	return true
}
