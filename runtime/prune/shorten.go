package prune

import (
	"fmt"
	"strings"

	"openclaw/runtime/model"
)

// Texts that stand for what was taken out.
const (
	imageMarker    = "[image removed to save context]"
	oldImageMarker = "[image of an earlier turn removed]"
	trimGap        = "\n...\n"
	trimNote       = "\n\n[Tool result trimmed: first %d and last %d of %d characters kept.]"
)

// units is the length of a text in UTF-16 units.
func units(text string) int64 {
	n := int64(0)
	for _, r := range text {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// chars is what a message takes of a window, in characters.
func chars(m *model.Message) int64 {
	n := int64(0)
	for i := range m.Content {
		b := &m.Content[i]
		n += units(b.Text) + units(b.Thinking)
		switch b.Type {
		case model.BlockImage:
			n += imageChars
		case model.BlockToolCall:
			n += units(b.Name) + int64(len(b.Arguments)) + units(b.Malformed)
		}
	}
	return n
}

// long tells whether a result is trimmed: for its text, or because it holds an image.
func long(m *model.Message) bool {
	n := int64(0)
	for _, b := range m.Content {
		if b.Type == model.BlockImage {
			return true
		}
		n += units(b.Text)
	}
	return n > trimAbove
}

// shorten is a result in another form.
func (r Round) shorten(m model.Message, f Form) model.Message {
	text := r.placeholder()
	if f == Trimmed {
		text = trimmed(&m)
	}
	m.Content = []model.Block{{Type: model.BlockText, Text: text}}
	return m
}

// trimmed is the beginning and the end of what a result says.
func trimmed(m *model.Message) string {
	var parts []string
	for _, b := range m.Content {
		switch b.Type {
		case model.BlockImage:
			parts = append(parts, imageMarker)
		case model.BlockText:
			parts = append(parts, b.Text)
		}
	}
	text := strings.Join(parts, "\n")
	n := units(text)
	if n <= trimAbove {
		return text
	}
	return head(text, keptHead) + trimGap + tail(text, n-keptTail) + fmt.Sprintf(trimNote, keptHead, keptTail, n)
}

// head is the beginning of a text, of at most so many units.
func head(text string, most int64) string {
	n := int64(0)
	for i, r := range text {
		if n += units(string(r)); n > most {
			return text[:i]
		}
	}
	return text
}

// tail is the end of a text, without at least its first units.
func tail(text string, without int64) string {
	n := int64(0)
	for i, r := range text {
		if n >= without {
			return text[i:]
		}
		n += units(string(r))
	}
	return ""
}

// keptImageTurns is how many completed turns images stay for.
const keptImageTurns = 3

// OldImages puts a marker in the place of each image that is older than three completed turns. A turn is completed by an answer
// without calls of tools. The messages themselves are not changed.
func OldImages(messages []model.Message) []model.Message {
	turns := 0
	out := messages
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if m.Role == model.RoleAssistant && len(m.Calls()) == 0 {
			turns++
		}
		if turns <= keptImageTurns || m.Role == model.RoleAssistant || !hasImage(m) {
			continue
		}
		if &out[0] == &messages[0] {
			out = append([]model.Message(nil), messages...)
		}
		out[i].Content = append([]model.Block(nil), m.Content...)
		for j, b := range m.Content {
			if b.Type == model.BlockImage {
				out[i].Content[j] = model.Block{Type: model.BlockText, Text: oldImageMarker}
			}
		}
	}
	return out
}

func hasImage(m *model.Message) bool {
	for _, b := range m.Content {
		if b.Type == model.BlockImage {
			return true
		}
	}
	return false
}

// What Anthropic's servers are told to clear by themselves.
const (
	serverTrigger   = 50_000 // tokens, or a share of the window
	serverKeep      = 3      // uses of tools
	serverClear     = 12_500 // tokens, or a share of the window
	triggerHundreds = 30
	clearHundreds   = 5
)

// ServerSide are the parameters of a request that have Anthropic's servers clear old results themselves, for keys of theirs. The
// request needs ServerSideBeta among its betas.
func ServerSide(window int64) map[string]any {
	return map[string]any{"context_management": map[string]any{"edits": []any{map[string]any{
		"type":           "clear_tool_uses_20250919",
		"trigger":        map[string]any{"type": "input_tokens", "value": max(serverTrigger, window*triggerHundreds/100)},
		"keep":           map[string]any{"type": "tool_uses", "value": serverKeep},
		"clear_at_least": map[string]any{"type": "input_tokens", "value": max(serverClear, window*clearHundreds/100)},
	}}}}
}

// ServerSideBeta is the beta that ServerSide is a part of.
const ServerSideBeta = "context-management-2025-06-27"
