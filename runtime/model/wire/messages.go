package wire

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"openclaw/runtime/model"
)

// messages is Anthropic's Messages protocol.
type messages struct{}

const (
	messagesVersion   = "2023-06-01"
	messagesMaxCallID = 64
	// interleaved lets models with a budget think between calls of tools.
	interleaved = "interleaved-thinking-2025-05-14"
	// binding lets a request say what becomes of thinking when what was before it has changed.
	binding = "thinking-binding-controls-2026-08-01"
	// minThinking is the least budget that there is.
	minThinking = 1024
	// modernMaxTokens is what every Claude from version 4 on can answer.
	modernMaxTokens = 32000
)

func (messages) path(base *url.URL, _ *model.Request) string {
	if strings.HasSuffix(base.Path, "/v1") {
		return "/messages"
	}
	return "/v1/messages"
}

func (messages) authorize(h http.Header, key string) { h.Set("X-Api-Key", key) }

// fixed adds the headers that the protocol wants.
func (messages) fixed(h http.Header, r *model.Request) {
	h.Set("Anthropic-Version", messagesVersion)
	switch {
	case claudeBinds(r.Model):
		h.Set("Anthropic-Beta", binding)
	case !claudeAdapts(r.Model):
		h.Set("Anthropic-Beta", interleaved)
	}
}

func (p messages) body(c *client, r *model.Request) (object, error) {
	body := object{"model": r.Model, "stream": true, "max_tokens": p.maxTokens(c, r)}
	mark := cacheMark(r.CacheRetention)
	if s := p.system(r, mark); len(s) > 0 {
		body["system"] = s
	}
	if len(r.Tools) > 0 {
		tools := make([]object, len(r.Tools))
		for i, t := range r.Tools {
			tools[i] = object{"name": t.Name, "description": t.Description, "input_schema": schema(t)}
		}
		if mark != nil && r.System == "" { // the mark of the system prompt has the tools before it
			tools[len(tools)-1]["cache_control"] = mark
		}
		body["tools"] = tools
	}
	if !p.think(body, r) && r.Temperature != nil && !claudeVersion(r.Model).since(4, 7) { // who thinks, and who is newer, takes none
		body["temperature"] = *r.Temperature
	}
	body["messages"] = p.messages(c, r, mark)
	return body, nil
}

func (messages) maxTokens(c *client, r *model.Request) int64 {
	switch {
	case r.MaxTokens > 0:
		return r.MaxTokens
	case c.o.MaxTokens > 0:
		return c.o.MaxTokens
	case claudeVersion(r.Model).since(4, 0):
		return modernMaxTokens
	}
	return DefaultMaxTokens + budgets[r.Thinking]
}

// think sets how much the model thinks, and tells whether it does.
func (messages) think(body object, r *model.Request) bool {
	if claudeBinds(r.Model) {
		// These think always. What they thought is void once anything before it has changed, such as the system prompt; without
		// block_binding that would be an error.
		body["thinking"] = object{"type": "adaptive", "display": "summarized", "block_binding": object{"prefix_mismatch_behavior": "drop_block"}}
		setEffort(body, r)
		return true
	}
	switch {
	case r.Thinking == model.LevelOff && claudeVersion(r.Model).since(5, 0): // these think if they are told nothing
		body["thinking"] = object{"type": "disabled"}
		return false
	case r.Thinking == "" || r.Thinking == model.LevelOff:
		return false
	case claudeAdapts(r.Model):
		body["thinking"] = object{"type": "adaptive", "display": "summarized"}
		setEffort(body, r)
		return true
	}
	most := body["max_tokens"].(int64)
	budget := min(budgets[r.Thinking], most-minThinking) // some are left for the answer
	if budget < minThinking {
		return false
	}
	body["thinking"] = object{"type": "enabled", "budget_tokens": budget}
	return true
}

func setEffort(body object, r *model.Request) {
	if effort := claudeEffort(r.Model, r.Thinking); effort != "" {
		body["output_config"] = object{"effort": effort}
	}
}

// cacheMark asks for the prompt up to a block to be kept.
func cacheMark(keep model.Retention) object {
	switch keep {
	case model.CacheNone:
		return nil
	case model.CacheLong:
		return object{"type": "ephemeral", "ttl": "1h"}
	}
	return object{"type": "ephemeral"}
}

func (messages) system(r *model.Request, mark object) []object {
	var list []object
	for i, text := range []string{r.System, r.SystemVolatile} {
		if text == "" {
			continue
		}
		block := object{"type": "text", "text": text}
		if i == 0 && mark != nil {
			block["cache_control"] = mark
		}
		list = append(list, block)
	}
	return list
}

// messages alternate between the roles: results and what a user says after them are one message.
func (p messages) messages(c *client, r *model.Request, mark object) []object {
	list := []object{}
	var content []object
	role := ""
	flush := func() {
		if len(content) > 0 {
			list = append(list, object{"role": role, "content": content})
		}
		content = nil
	}
	for _, t := range conversation(c, r) {
		next := "user"
		if t.Role == model.RoleAssistant {
			next = "assistant"
		}
		if next != role {
			flush()
			role = next
		}
		content = append(content, p.blocks(t)...)
	}
	flush()
	p.mark(list, mark)
	return list
}

// markedMessages is how many of the user's newest messages end with a mark: the newest one for the next request, the one before for
// this request to find.
const markedMessages = 2

func (messages) mark(list []object, mark object) {
	if mark == nil {
		return
	}
	left := markedMessages
	for i := len(list) - 1; i >= 0 && left > 0; i-- {
		if list[i]["role"] != "user" {
			continue
		}
		content := list[i]["content"].([]object)
		content[len(content)-1]["cache_control"] = mark
		left--
	}
}

func (p messages) blocks(t turn) []object {
	if t.Role == model.RoleToolResult {
		result := object{"type": "tool_result", "tool_use_id": callID(t.ToolCallID, messagesMaxCallID), "content": emptyResult}
		if content := p.content(t.Content); len(content) > 0 {
			result["content"] = content
		}
		if t.IsError {
			result["is_error"] = true
		}
		return []object{result}
	}
	return p.content(t.Content)
}

func (messages) content(blocks []model.Block) []object {
	list := make([]object, 0, len(blocks))
	for _, b := range blocks {
		switch b.Type {
		case model.BlockText:
			if strings.TrimSpace(b.Text) != "" { // others are refused
				list = append(list, object{"type": "text", "text": b.Text})
			}
		case model.BlockThinking:
			if block := thinkingBlock(b); block != nil {
				list = append(list, block)
			}
		case model.BlockToolCall:
			list = append(list, object{"type": "tool_use", "id": callID(b.ID, messagesMaxCallID), "name": toolName(b.Name), "input": argumentsJSON(b)})
		case model.BlockImage:
			list = append(list, object{"type": "image", "source": object{"type": "base64", "media_type": b.MIMEType, "data": base64Of(b)}})
		}
	}
	return list
}

// thinkingBlock is thinking as it came, or nil when it cannot go back: without its signature it is refused.
func thinkingBlock(b model.Block) object {
	switch {
	case b.Signature == "":
		return nil
	case b.Redacted:
		return object{"type": "redacted_thinking", "data": b.Signature}
	}
	return object{"type": "thinking", "thinking": b.Thinking, "signature": b.Signature}
}

func (messages) decoder(a *answer) decoder {
	return &messagesDecoder{a: a, blocks: map[int]*part{}}
}

type messagesDecoder struct {
	a      *answer
	blocks map[int]*part
}

type messagesEvent struct {
	Type         string `json:"type"`
	Index        int    `json:"index"`
	ContentBlock struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Data      string          `json:"data"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
	} `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Message struct {
		ID    string        `json:"id"`
		Usage messagesUsage `json:"usage"`
	} `json:"message"`
	Usage messagesUsage `json:"usage"`
}

// messagesUsage comes at the beginning, and again at the end with what has changed.
type messagesUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
}

func (u *messagesUsage) into(m *model.Usage) {
	for _, f := range []struct {
		from *int64
		to   *int64
	}{{u.Input, &m.Input}, {u.Output, &m.Output}, {u.CacheRead, &m.CacheRead}, {u.CacheWrite, &m.CacheWrite}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
}

func (d *messagesDecoder) event(data []byte) (bool, error) {
	var e messagesEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return false, malformed(err)
	}
	switch e.Type {
	case "message_start":
		d.a.message.ResponseID = e.Message.ID
		e.Message.Usage.into(d.a.message.Usage)
	case "content_block_start":
		return false, d.start(&e)
	case "content_block_delta":
		return false, d.delta(&e)
	case "content_block_stop":
		d.a.end(d.blocks[e.Index])
	case "message_delta":
		e.Usage.into(d.a.message.Usage)
		if e.Delta.StopReason != "" {
			d.a.message.StopReason = messagesStop(e.Delta.StopReason)
		}
	case "message_stop":
		return true, nil
	case "error":
		return false, streamFault(data)
	}
	return false, nil // pings, and what is new
}

func (d *messagesDecoder) start(e *messagesEvent) error {
	b := &e.ContentBlock
	var p *part
	var err error
	switch b.Type {
	case "text":
		p, err = d.a.begin(model.Block{Type: model.BlockText})
	case "thinking":
		p, err = d.a.begin(model.Block{Type: model.BlockThinking})
	case "redacted_thinking":
		if p, err = d.a.begin(model.Block{Type: model.BlockThinking, Redacted: true}); err == nil {
			err = d.a.sign(p, b.Data)
		}
	case "tool_use":
		p, err = d.a.call(b.ID, b.Name)
	default:
		return nil // what a tool on the server does
	}
	if err != nil {
		return err
	}
	d.blocks[e.Index] = p
	if b.Signature != "" {
		if err := d.a.sign(p, b.Signature); err != nil {
			return err
		}
	}
	return d.a.write(p, b.Text+b.Thinking+startInput(b.Input))
}

// startInput is the input of a call that comes whole. Anthropic's own begin with {} and come in pieces.
func startInput(raw json.RawMessage) string {
	var members map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &members) != nil || len(members) == 0 {
		return ""
	}
	return string(raw)
}

func (d *messagesDecoder) delta(e *messagesEvent) error {
	p := d.blocks[e.Index]
	if p == nil {
		return nil
	}
	switch e.Delta.Type {
	case "text_delta":
		return d.a.write(p, e.Delta.Text)
	case "thinking_delta":
		return d.a.write(p, e.Delta.Thinking)
	case "signature_delta":
		return d.a.sign(p, p.block.Signature+e.Delta.Signature)
	case "input_json_delta":
		return d.a.write(p, e.Delta.PartialJSON)
	}
	return nil
}

func messagesStop(reason string) model.StopReason {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return model.StopLength
	case "tool_use":
		return model.StopToolUse
	case "refusal":
		return model.StopRefusal
	}
	return model.StopEnd // end_turn, stop_sequence, pause_turn
}

// end accepts a stream without its last event when the reason of the answer's end has come.
func (d *messagesDecoder) end() error {
	if d.a.message.StopReason == "" {
		return ErrIncomplete
	}
	return nil
}
