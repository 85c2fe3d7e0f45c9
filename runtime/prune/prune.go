// Package prune makes the results of tools that lie far back in a conversation shorter when the provider does not keep the
// conversation in its cache any more, so that it costs little to change what it has seen already.
//
// What is promised:
//
//   - The messages that are given are never changed. What is shortened is what a model is shown; the transcript keeps everything.
//   - Calls, their results' places, names and errors stay: only what results say is shortened, so that pairs are never broken.
//   - Between two rounds the same results are shortened in the same way, byte for byte, also in another process: what a round
//     decided is in State, which is kept with the session.
//   - The same input always gives the same output. There is no clock here.
package prune

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"strings"
	"time"

	"openclaw/runtime/model"
)

// EntryType is the custom type of the transcript's hidden entry that keeps a State.
const EntryType = "openclaw.cache-ttl"

// What a round goes by. Lengths are in UTF-16 units.
const (
	// DefaultTTL is how long providers keep a conversation.
	DefaultTTL = 5 * time.Minute
	// DefaultPlaceholder stands for a result that was cleared.
	DefaultPlaceholder = "[Old tool result content cleared]"

	charsPerToken  = 4
	trimShare      = 0.3 // of the window: less in use, and nothing is done
	clearShare     = 0.5 // of the window: less in use, and nothing is cleared
	keptAnswers    = 3   // they, and what comes after the first of them, stay as they are
	trimAbove      = 4000
	keptHead       = 1500
	keptTail       = 1500
	leastClearable = 50_000
	imageChars     = 2000 * charsPerToken
)

// Settings say when and what is pruned.
type Settings struct {
	TTL         time.Duration // 0: DefaultTTL
	NoClear     bool          // results are trimmed, never cleared
	Placeholder string        // empty: DefaultPlaceholder
	Allow, Deny []string      // names or patterns of tools whose results may be pruned; no Allow: all
}

// Form is what a model is shown of a result.
type Form string

// The forms.
const (
	Trimmed Form = "trimmed" // its beginning and its end
	Cleared Form = "cleared" // the placeholder
)

// State is what is kept of a session's pruning. Its JSON is the data of the entry EntryType.
type State struct {
	// Touched is when the provider last saw the conversation.
	Touched model.Millis `json:"timestamp,omitzero"`
	// Provider and Model are those that saw it.
	Provider string `json:"provider,omitempty"`
	Model    string `json:"modelId,omitempty"`
	// Results are those that are shown in another form, by Key.
	Results map[string]Form `json:"results,omitempty"`
}

// Round is one request to a model.
type Round struct {
	Settings
	Now    time.Time
	Window int64 // of the model, in tokens
}

// Apply is what a model is shown: the messages, with the results pruned as the state says. When the cache has run out, a round is
// held first; next is the state to keep then, and changed tells that it has other results than the given one.
//
// The caller sets Touched, Provider and Model when the provider has answered.
func (r Round) Apply(messages []model.Message, s State) (shown []model.Message, next State, changed bool) {
	next = s
	next.Results = present(messages, s.Results)
	changed = len(next.Results) != len(s.Results)
	shown = r.project(messages, next.Results)
	if r.idle(messages, s) && r.hold(shown, messages, &next) {
		shown, changed = r.project(messages, next.Results), true
	}
	return shown, next, changed
}

// idle tells whether the provider has forgotten the conversation. Without a note of when it saw it, that is when it answered last.
func (r Round) idle(messages []model.Message, s State) bool {
	touched := s.Touched.Time
	for i := len(messages) - 1; i >= 0 && touched.IsZero(); i-- {
		if messages[i].Role == model.RoleAssistant {
			touched = messages[i].Time.Time
		}
	}
	ttl := r.TTL
	if ttl <= 0 {
		ttl = DefaultTTL
	}
	return !touched.IsZero() && r.Now.Sub(touched) >= ttl
}

// hold is a round: it adds to the state's results those that are to be shortened, and tells whether there are any.
func (r Round) hold(shown, messages []model.Message, s *State) bool {
	window := r.Window * charsPerToken
	used := int64(0)
	for i := range shown {
		used += chars(&shown[i])
	}
	from, to := prunable(messages)
	if window <= 0 || float64(used) < trimShare*float64(window) || from >= to {
		return false
	}
	results := maps.Clone(s.Results)
	if results == nil {
		results = map[string]Form{}
	}
	mark := func(i int, f Form) {
		before := chars(&shown[i])
		results[Key(&messages[i])] = f
		shown[i] = r.shorten(messages[i], f)
		used += chars(&shown[i]) - before
	}
	clearable := int64(0)
	for i := from; i < to; i++ {
		if messages[i].Role != model.RoleToolResult || !r.allowed(messages[i].ToolName) {
			continue
		}
		if results[Key(&messages[i])] == "" && long(&messages[i]) {
			mark(i, Trimmed)
		}
		if results[Key(&messages[i])] != Cleared {
			clearable += chars(&shown[i])
		}
	}
	for i := from; i < to && !r.NoClear && clearable >= leastClearable && float64(used) >= clearShare*float64(window); i++ {
		m := &messages[i]
		if m.Role == model.RoleToolResult && r.allowed(m.ToolName) && results[Key(m)] != Cleared && chars(&shown[i]) > units(r.placeholder()) {
			mark(i, Cleared)
		}
	}
	changed := !maps.Equal(results, s.Results)
	if changed {
		s.Results = results
	}
	return changed
}

// prunable is the part of a conversation in which results may be pruned: from the first message of the user to the answers that
// stay.
func prunable(messages []model.Message) (from, to int) {
	for from < len(messages) && messages[from].Role != model.RoleUser {
		from++
	}
	answers := 0
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != model.RoleAssistant {
			continue
		}
		if answers++; answers == keptAnswers {
			return from, i
		}
	}
	return from, 0
}

// present are those of the results that the conversation still has.
func present(messages []model.Message, results map[string]Form) map[string]Form {
	if len(results) == 0 {
		return nil
	}
	kept := map[string]Form{}
	for i := range messages {
		if messages[i].Role == model.RoleToolResult {
			if f := results[Key(&messages[i])]; f != "" {
				kept[Key(&messages[i])] = f
			}
		}
	}
	return kept
}

// project shows results in the forms that were decided.
func (r Round) project(messages []model.Message, results map[string]Form) []model.Message {
	shown := append([]model.Message(nil), messages...)
	if len(results) == 0 {
		return shown
	}
	for i := range shown {
		if shown[i].Role == model.RoleToolResult {
			if f := results[Key(&shown[i])]; f != "" {
				shown[i] = r.shorten(shown[i], f)
			}
		}
	}
	return shown
}

// Key names a result. Providers use the names of calls again, so that what the result says is part of it.
func Key(m *model.Message) string {
	h := sha256.New()
	fmt.Fprintln(h, m.ToolName)
	for _, b := range m.Content {
		fmt.Fprintf(h, "%s %d %d\n%s", b.Type, len(b.Text), len(b.Data), b.Text)
		h.Write(b.Data)
	}
	const digest = 8
	return m.ToolCallID + " " + hex.EncodeToString(h.Sum(nil)[:digest])
}

// allowed tells whether a tool's results may be pruned. Deny wins.
func (r Round) allowed(tool string) bool {
	return !matches(r.Deny, tool) && (len(r.Allow) == 0 || matches(r.Allow, tool))
}

func matches(patterns []string, tool string) bool {
	tool = strings.ToLower(strings.TrimSpace(tool))
	for _, p := range patterns {
		if ok, err := path.Match(strings.ToLower(strings.TrimSpace(p)), tool); ok && err == nil {
			return true
		}
	}
	return false
}

func (r Round) placeholder() string {
	if r.Placeholder == "" {
		return DefaultPlaceholder
	}
	return r.Placeholder
}
