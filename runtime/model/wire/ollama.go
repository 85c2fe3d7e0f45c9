package wire

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"openclaw/runtime/model"
)

// ollama is Ollama's own protocol: lines of JSON.
type ollama struct{}

// path leaves out what people append to the base for other protocols.
func (ollama) path(base *url.URL, _ *model.Request) string {
	if strings.HasSuffix(base.Path, "/api") {
		return "/chat"
	}
	return "/api/chat"
}

func (ollama) authorize(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

func (p ollama) body(c *client, r *model.Request) (object, error) {
	body := object{"model": r.Model, "stream": true, "messages": p.messages(c, r)}
	if len(r.Tools) > 0 {
		body["tools"] = completions{}.tools(r)
	}
	options := object{}
	if r.MaxTokens > 0 {
		options["num_predict"] = r.MaxTokens
	}
	if r.Temperature != nil {
		options["temperature"] = *r.Temperature
	}
	if len(options) > 0 {
		body["options"] = options
	}
	if think := ollamaThink(r); think != nil {
		body["think"] = think
	}
	return body, nil
}

// ollamaThink is yes or no, but for the models that know how much.
func ollamaThink(r *model.Request) any {
	switch {
	case r.Thinking == "":
		return nil
	case !strings.Contains(r.Model, "gpt-oss"):
		return r.Thinking != model.LevelOff
	}
	switch r.Thinking {
	case model.LevelOff, model.LevelMinimal, model.LevelLow:
		return "low"
	case model.LevelMedium, model.LevelAdaptive:
		return "medium"
	}
	return "high"
}

func (p ollama) messages(c *client, r *model.Request) []object {
	list := []object{}
	if s := system(r); s != "" {
		list = append(list, object{"role": "system", "content": s})
	}
	turns := conversation(c, r)
	for i, t := range turns {
		switch t.Role {
		case model.RoleUser:
			list = append(list, withImages(object{"role": "user", "content": t.Text()}, t.images()))
		case model.RoleAssistant:
			list = append(list, p.assistant(t))
		case model.RoleToolResult:
			list = append(list, object{"role": "tool", "content": t.resultText(), "tool_name": toolName(t.ToolName), "tool_call_id": t.ToolCallID})
			if images := groupImages(turns, i); len(images) > 0 {
				list = append(list, withImages(object{"role": "user", "content": resultImages}, images))
			}
		}
	}
	return list
}

func withImages(message object, images []model.Block) object {
	var list []string
	for _, b := range images {
		list = append(list, base64Of(b))
	}
	if list != nil {
		message["images"] = list
	}
	return message
}

func (ollama) assistant(t turn) object {
	message := object{"role": "assistant", "content": t.Text()}
	thinking := ""
	var calls []object
	for _, b := range t.Content {
		switch b.Type {
		case model.BlockThinking:
			thinking += b.Thinking
		case model.BlockToolCall:
			calls = append(calls, object{"id": b.ID, "type": "function", "function": object{"name": toolName(b.Name), "arguments": argumentsJSON(b)}})
		}
	}
	if thinking != "" {
		message["thinking"] = thinking
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return message
}

func (ollama) decoder(a *answer) decoder { return &ollamaDecoder{a: a} }

type ollamaDecoder struct{ a *answer }

type ollamaChunk struct {
	Error   json.RawMessage `json:"error"`
	Message struct {
		Content   string `json:"content"`
		Thinking  string `json:"thinking"`
		ToolCalls []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason"`
	Prompt     int64  `json:"prompt_eval_count"`
	Output     int64  `json:"eval_count"`
}

func (d *ollamaDecoder) event(data []byte) (bool, error) {
	var chunk ollamaChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return false, malformed(err)
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		return false, streamFault(data)
	}
	if err := d.a.say(model.BlockThinking, chunk.Message.Thinking); err != nil {
		return false, err
	}
	if err := d.a.say(model.BlockText, chunk.Message.Content); err != nil {
		return false, err
	}
	for _, call := range chunk.Message.ToolCalls {
		if err := d.call(call.ID, call.Function.Name, call.Function.Arguments); err != nil {
			return false, err
		}
	}
	if !chunk.Done {
		return false, nil
	}
	d.a.message.Usage.Input, d.a.message.Usage.Output = chunk.Prompt, chunk.Output
	d.a.message.StopReason = model.StopEnd
	if chunk.DoneReason == "length" {
		d.a.message.StopReason = model.StopLength
	}
	return true, nil
}

func (d *ollamaDecoder) call(id, name string, arguments json.RawMessage) error {
	d.a.endTexts()
	if id == "" {
		id = newID()
	}
	p, err := d.a.call(id, name)
	if err != nil {
		return err
	}
	text := string(arguments)
	var quoted string
	if json.Unmarshal(arguments, &quoted) == nil { // null, too
		text = quoted
	}
	if err := d.a.write(p, text); err != nil {
		return err
	}
	d.a.end(p)
	return nil
}

func (d *ollamaDecoder) end() error { return ErrIncomplete }
