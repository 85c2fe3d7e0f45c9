package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"openclaw/runtime/model"
)

// completions is OpenAI's Chat Completions protocol, which most other servers speak, too.
type completions struct{}

const (
	completionsMaxCallID = 40
	maxCacheKey          = 64
	completionsPath      = "/chat/completions"
)

// reasoningFields are what servers call a model's thinking, which the protocol itself does not have.
var reasoningFields = []string{"reasoning_content", "reasoning", "reasoning_text"}

// reasoningMark is the signature of thinking: how the server called it, and what it wants back as it was.
type reasoningMark struct {
	Field   string            `json:"field"`
	Details []json.RawMessage `json:"details,omitempty"`
}

func (completions) path(*url.URL, *model.Request) string { return completionsPath }

func (completions) authorize(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

// onPlatform tells whether a server is OpenAI's own: some parameters are refused by those that are only like it.
func onPlatform(base *url.URL) bool {
	host := base.Hostname()
	return host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com")
}

func (p completions) body(c *client, r *model.Request) (object, error) {
	body := object{
		"model": r.Model, "stream": true, "stream_options": object{"include_usage": true}, "messages": p.messages(c, r),
	}
	if len(r.Tools) > 0 {
		body["tools"] = p.tools(r)
	}
	if r.MaxTokens > 0 {
		field := "max_tokens"
		if onPlatform(c.base) {
			field = "max_completion_tokens"
		}
		body[field] = r.MaxTokens
	}
	if r.Temperature != nil {
		body["temperature"] = *r.Temperature
	}
	if effort := openAIEffort(r.Model, r.Thinking); effort != "" {
		body["reasoning_effort"] = effort
	}
	if onPlatform(c.base) {
		openAICache(body, c, r)
	}
	return body, nil
}

// openAICache names the conversation, so that its requests meet the same cache.
func openAICache(body object, c *client, r *model.Request) {
	if r.CacheRetention == model.CacheNone || r.CacheKey == "" {
		return
	}
	body["prompt_cache_key"] = r.CacheKey
	if len(r.CacheKey) > maxCacheKey {
		body["prompt_cache_key"] = callID(r.CacheKey, maxCacheKey)
	}
	if r.CacheRetention != model.CacheLong || !onPlatform(c.base) {
		return
	}
	if gptVersion(r.Model).since(5, 6) {
		body["prompt_cache_options"] = object{"ttl": "12h"}
		return
	}
	body["prompt_cache_retention"] = "24h"
}

func (completions) tools(r *model.Request) []object {
	tools := make([]object, len(r.Tools))
	for i, t := range r.Tools {
		tools[i] = object{"type": "function", "function": object{"name": t.Name, "description": t.Description, "parameters": schema(t)}}
	}
	return tools
}

// schema is that of a tool's parameters, which must not be missing.
func schema(t model.Tool) json.RawMessage {
	if len(t.Parameters) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}

// system is the whole system prompt, where a protocol has one text for it.
func system(r *model.Request) string {
	if r.System == "" || r.SystemVolatile == "" {
		return r.System + r.SystemVolatile
	}
	return r.System + "\n\n" + r.SystemVolatile
}

func (p completions) messages(c *client, r *model.Request) []object {
	list := []object{}
	if s := system(r); s != "" {
		list = append(list, object{"role": "system", "content": s})
	}
	turns := conversation(c, r)
	for i, t := range turns {
		switch t.Role {
		case model.RoleUser:
			list = append(list, object{"role": "user", "content": p.content(t.Content)})
		case model.RoleAssistant:
			list = append(list, p.assistant(t))
		case model.RoleToolResult:
			list = append(list, object{"role": "tool", "tool_call_id": callID(t.ToolCallID, completionsMaxCallID), "content": t.resultText()})
			list = append(list, p.imagesAfter(turns, i)...)
		}
	}
	return list
}

// imagesAfter are the images of a group of results, as a message of the user: a result has only text.
func (p completions) imagesAfter(turns []turn, last int) []object {
	images := groupImages(turns, last)
	if len(images) == 0 {
		return nil
	}
	return []object{{"role": "user", "content": p.content(append([]model.Block{{Type: model.BlockText, Text: resultImages}}, images...))}}
}

// groupImages are the images of a group of results when the turn is the group's last one.
func groupImages(turns []turn, last int) []model.Block {
	if last+1 < len(turns) && turns[last+1].Role == model.RoleToolResult {
		return nil
	}
	first := last
	for first > 0 && turns[first-1].Role == model.RoleToolResult {
		first--
	}
	var images []model.Block
	for _, t := range turns[first : last+1] {
		images = append(images, t.images()...)
	}
	return images
}

// content is plain text where that is all: some servers know nothing else.
func (completions) content(blocks []model.Block) any {
	if len(blocks) == 1 && blocks[0].Type == model.BlockText {
		return blocks[0].Text
	}
	list := make([]object, 0, len(blocks))
	for _, b := range blocks {
		if b.Type == model.BlockImage {
			list = append(list, object{"type": "image_url", "image_url": object{"url": dataURL(b)}})
			continue
		}
		list = append(list, object{"type": "text", "text": b.Text})
	}
	return list
}

func (completions) assistant(t turn) object {
	message := object{"role": "assistant", "content": nil}
	if text := t.Text(); text != "" {
		message["content"] = text
	}
	var calls []object
	for _, b := range t.Content {
		switch b.Type {
		case model.BlockToolCall:
			calls = append(calls, object{
				"id": callID(b.ID, completionsMaxCallID), "type": "function", "function": object{"name": toolName(b.Name), "arguments": argumentsText(b)},
			})
		case model.BlockThinking:
			replayReasoning(message, b)
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return message
}

// replayReasoning gives thinking back under the name that it came by.
func replayReasoning(message object, b model.Block) {
	var mark reasoningMark
	if json.Unmarshal([]byte(b.Signature), &mark) != nil {
		return
	}
	if slices.Contains(reasoningFields, mark.Field) && b.Thinking != "" {
		before, _ := message[mark.Field].(string)
		message[mark.Field] = before + b.Thinking
	}
	if len(mark.Details) > 0 {
		before, _ := message["reasoning_details"].([]json.RawMessage)
		message["reasoning_details"] = append(before, mark.Details...)
	}
}

func argumentsText(b model.Block) string {
	if len(b.Arguments) == 0 {
		return "{}"
	}
	return string(b.Arguments)
}

func argumentsJSON(b model.Block) json.RawMessage { return json.RawMessage(argumentsText(b)) }

func (completions) decoder(a *answer) decoder {
	return &completionsDecoder{a: a, calls: map[int]*part{}}
}

type completionsDecoder struct {
	a       *answer
	calls   map[int]*part
	newest  *part
	mark    reasoningMark
	thought *part
	reason  string
	refused bool
	over    bool // the server has said that this is all
}

type completionsChunk struct {
	ID      string          `json:"id"`
	Error   json.RawMessage `json:"error"`
	Usage   *openAIUsage    `json:"usage"`
	Choices []struct {
		Index        int              `json:"index"`
		FinishReason string           `json:"finish_reason"`
		Delta        completionsDelta `json:"delta"`
		Usage        *openAIUsage     `json:"usage"` // where some servers put it
	} `json:"choices"`
}

type completionsDelta struct {
	Content          json.RawMessage   `json:"content"`
	Refusal          string            `json:"refusal"`
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        string            `json:"reasoning"`
	ReasoningText    string            `json:"reasoning_text"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ToolCalls        []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// openAIUsage counts what was read from the cache among the prompt.
type openAIUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	Details    struct {
		Cached     int64 `json:"cached_tokens"`
		CacheWrite int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit int64 `json:"prompt_cache_hit_tokens"` // DeepSeek's word
}

func (u *openAIUsage) into(m *model.Usage) {
	if u == nil {
		return
	}
	read := max(u.Details.Cached, u.CacheHit)
	m.CacheRead, m.CacheWrite, m.Output, m.Total = read, u.Details.CacheWrite, u.Completion, u.Total
	m.Input = max(0, u.Prompt-read-u.Details.CacheWrite)
}

func (d *completionsDecoder) event(data []byte) (bool, error) {
	if bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) {
		d.over = true
		return true, d.end()
	}
	var chunk completionsChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return false, malformed(err)
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		return false, streamFault(data)
	}
	if chunk.ID != "" {
		d.a.message.ResponseID = chunk.ID
	}
	chunk.Usage.into(d.a.message.Usage)
	for _, choice := range chunk.Choices {
		if choice.Index != 0 { // only one was asked for
			continue
		}
		choice.Usage.into(d.a.message.Usage)
		if err := d.delta(&choice.Delta); err != nil {
			return false, err
		}
		if choice.FinishReason != "" {
			d.reason = choice.FinishReason
		}
	}
	return false, nil
}

func (d *completionsDecoder) delta(delta *completionsDelta) error {
	if err := d.reasoning(delta); err != nil {
		return err
	}
	thinking, text := completionsContent(delta.Content)
	if err := d.a.say(model.BlockThinking, thinking); err != nil {
		return err
	}
	if err := d.a.say(model.BlockText, text); err != nil {
		return err
	}
	if delta.Refusal != "" {
		d.refused = true
		if err := d.a.say(model.BlockText, delta.Refusal); err != nil {
			return err
		}
	}
	for _, call := range delta.ToolCalls {
		if err := d.call(call.Index, call.ID, call.Function.Name, call.Function.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// completionsContent is a text, or a list with thinking in it (Mistral's).
func completionsContent(raw json.RawMessage) (thinking, text string) {
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return "", text
	}
	var items []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking []struct {
			Text string `json:"text"`
		} `json:"thinking"`
	}
	if json.Unmarshal(raw, &items) != nil {
		return "", ""
	}
	for _, item := range items {
		text += item.Text
		for _, t := range item.Thinking {
			thinking += t.Text
		}
	}
	return thinking, text
}

func (d *completionsDecoder) reasoning(delta *completionsDelta) error {
	field, text := "", ""
	for i, s := range []string{delta.ReasoningContent, delta.Reasoning, delta.ReasoningText} {
		if s != "" && text == "" { // some servers send the same under two names
			field, text = reasoningFields[i], s
		}
	}
	if text == "" && len(delta.ReasoningDetails) == 0 {
		return nil
	}
	p, err := d.a.run(model.BlockThinking)
	if err != nil {
		return err
	}
	if p != d.thought {
		if err := d.writeMark(); err != nil {
			return err
		}
		d.thought, d.mark = p, reasoningMark{}
	}
	if field != "" {
		d.mark.Field = field
	}
	for _, raw := range delta.ReasoningDetails {
		if err := d.a.grow(len(raw)); err != nil {
			return err
		}
		d.mark.Details = append(d.mark.Details, raw)
	}
	if len(delta.ReasoningDetails) > 0 {
		d.a.show(p) // the text may be hidden
	}
	return d.a.write(p, text)
}

// writeMark writes the mark of the newest thinking.
func (d *completionsDecoder) writeMark() error {
	if d.thought == nil {
		return nil
	}
	mark, err := json.Marshal(d.mark)
	if err != nil {
		return malformed(err)
	}
	d.thought.block.Signature = string(mark)
	return nil
}

// call takes a piece of a call. Servers count calls from 0, or not at all and begin each with an id.
func (d *completionsDecoder) call(index *int, id, name string, arguments json.RawMessage) error {
	p := d.newest
	if index != nil {
		p = d.calls[*index]
	} else if id != "" && (p == nil || p.block.ID != id) {
		p = nil
	}
	if p == nil {
		if id == "" {
			id = newID()
		}
		d.a.endTexts()
		started, err := d.a.call(id, name)
		if err != nil {
			return err
		}
		p = started
		if index != nil {
			d.calls[*index] = p
		}
	}
	d.newest = p
	var text string
	if len(arguments) > 0 && json.Unmarshal(arguments, &text) != nil {
		text = string(arguments) // an object where the protocol says text
	}
	if string(arguments) == "null" {
		text = ""
	}
	return d.a.write(p, text)
}

func (d *completionsDecoder) end() error {
	if d.reason == "" && !d.over {
		return ErrIncomplete
	}
	if err := d.writeMark(); err != nil {
		return err
	}
	if d.refused && d.reason != "error" {
		d.reason = "content_filter"
	}
	switch d.reason {
	case "length", "max_tokens":
		d.a.message.StopReason = model.StopLength
	case "content_filter":
		d.a.message.StopReason = model.StopRefusal
	case "tool_calls", "function_call":
		d.a.message.StopReason = model.StopToolUse
	case "error":
		return &model.Error{Kind: model.KindOverloaded, Message: "the provider ended the answer with an error"}
	default:
		d.a.message.StopReason = model.StopEnd
	}
	return nil
}
