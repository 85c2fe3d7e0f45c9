package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"openclaw/runtime/model"
)

// turn is a message as a protocol sends it. What cannot be sent is gone.
type turn struct {
	*model.Message
	// own tells that the same model said it through the same protocol: only then do signatures mean something, and only a whole
	// answer's do.
	own bool
}

// conversation is what a model is shown of a request's messages:
//   - calls without a result, results without a call, and messages without content are left out, which every provider refuses;
//   - thinking of other models is left out, which none of them can check;
//   - no two calls have the same id.
func conversation(c *client, r *model.Request) []turn {
	called, answered := pairs(r.Messages)
	ids := names{}
	var turns []turn
	for i := range r.Messages {
		m := r.Messages[i] // a copy, the blocks of which are others
		own := m.API == c.o.API && m.Provider == c.o.Provider && m.Model == r.Model && m.StopReason != model.StopError && m.StopReason != model.StopAborted
		m.Content = slices.DeleteFunc(slices.Clone(m.Content), func(b model.Block) bool {
			switch b.Type {
			case model.BlockText:
				return b.Text == "" && (!own || b.Signature == "")
			case model.BlockThinking:
				return !own || m.Role != model.RoleAssistant
			case model.BlockToolCall:
				return !answered[b.ID] || m.Role != model.RoleAssistant
			case model.BlockImage:
				return len(b.Data) == 0
			}
			return true
		})
		switch {
		case m.Role == model.RoleToolResult:
			if !called[m.ToolCallID] {
				continue
			}
		case len(m.Content) == 0 || m.Role == model.RoleAssistant && !saysAnything(m.Content):
			continue
		}
		ids.tellApart(&m)
		turns = append(turns, turn{Message: &m, own: own})
	}
	return turns
}

// names are how often each id of a call was given. Some servers begin anew in each answer, and others refuse an id that comes twice.
type names map[string]int

// tellApart gives calls whose ids were given before, and their results, which follow them, ids of their own.
func (n names) tellApart(m *model.Message) {
	own := func(id string) string {
		if n[id] < 2 {
			return id
		}
		return fmt.Sprintf("%s-%d", id, n[id])
	}
	if m.Role == model.RoleToolResult {
		m.ToolCallID = own(m.ToolCallID)
		return
	}
	for i, b := range m.Content {
		if b.Type == model.BlockToolCall {
			n[b.ID]++
			m.Content[i].ID = own(b.ID)
		}
	}
}

// saysAnything tells whether there is more than thinking: thinking alone is no answer, and no provider takes it for one.
func saysAnything(blocks []model.Block) bool {
	return slices.ContainsFunc(blocks, func(b model.Block) bool { return b.Type != model.BlockThinking })
}

// pairs are the ids of the calls, and of the calls that have a result after them.
func pairs(messages []model.Message) (called, answered map[string]bool) {
	called, answered = map[string]bool{}, map[string]bool{}
	for i := range messages {
		m := &messages[i]
		if m.Role == model.RoleToolResult {
			answered[m.ToolCallID] = called[m.ToolCallID]
			continue
		}
		for _, call := range m.Calls() {
			called[call.ID] = true
		}
	}
	return called, answered
}

// callID is an id that a protocol takes: those of other providers may be too long or of other characters.
func callID(id string, most int) string {
	plain := !slices.ContainsFunc([]byte(id), func(c byte) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-')
	})
	if plain && id != "" && len(id) <= most {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}

// maxToolName is the longest name of a tool that every protocol takes.
const maxToolName = 64

// toolName is a name that a protocol takes. Models also call what is no tool; where the call goes back under a name that no tool can
// have, providers refuse the whole conversation.
func toolName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if plain == "" {
		return "unnamed"
	}
	return plain[:min(len(plain), maxToolName)]
}

// emptyResult stands for a tool's result without content, which some providers refuse.
const emptyResult = "(no output)"

// resultText is the text of a tool's result, where a protocol takes nothing else.
func (t turn) resultText() string {
	text := t.Text()
	switch {
	case text == "" && len(t.images()) > 0:
		text = "(see the image below)"
	case text == "":
		text = emptyResult
	}
	return text
}

func (t turn) images() []model.Block {
	var images []model.Block
	for _, b := range t.Content {
		if b.Type == model.BlockImage {
			images = append(images, b)
		}
	}
	return images
}

// resultImages is the sentence in front of the images of tools' results, where they cannot be within the results.
const resultImages = "Images from the tools' results:"

func base64Of(b model.Block) string { return base64.StdEncoding.EncodeToString(b.Data) }

func dataURL(b model.Block) string { return "data:" + b.MIMEType + ";base64," + base64Of(b) }
