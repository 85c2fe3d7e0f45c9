package wire

import (
	"encoding/json"
	"net/http"
	"net/url"

	"openclaw/runtime/model"
)

// responses is OpenAI's Responses protocol, used without state on the server: reasoning comes encrypted and goes back as it came.
type responses struct{}

const responsesMaxCallID = 64

// itemMark is the signature of a text or call: what the server calls its item.
type itemMark struct {
	ID    string `json:"id"`
	Phase string `json:"phase,omitempty"`
}

func (responses) path(*url.URL, *model.Request) string { return "/responses" }

func (responses) authorize(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

func (p responses) body(c *client, r *model.Request) (object, error) {
	body := object{"model": r.Model, "stream": true, "store": false, "input": p.input(c, r), "include": []string{"reasoning.encrypted_content"}}
	if s := system(r); s != "" {
		body["instructions"] = s
	}
	if len(r.Tools) > 0 {
		tools := make([]object, len(r.Tools))
		for i, t := range r.Tools {
			tools[i] = object{"type": "function", "name": t.Name, "description": t.Description, "parameters": schema(t), "strict": false}
		}
		body["tools"] = tools
	}
	if r.MaxTokens > 0 {
		body["max_output_tokens"] = r.MaxTokens
	}
	if r.Temperature != nil {
		body["temperature"] = *r.Temperature
	}
	if effort := openAIEffort(r.Model, r.Thinking); effort != "" {
		body["reasoning"] = object{"effort": effort, "summary": "auto"}
		if r.Thinking == model.LevelOff {
			body["reasoning"] = object{"effort": effort}
		}
	}
	openAICache(body, c, r)
	return body, nil
}

func (p responses) input(c *client, r *model.Request) []any {
	list := []any{}
	for _, t := range conversation(c, r) {
		switch t.Role {
		case model.RoleUser:
			list = append(list, object{"role": "user", "content": p.content(t.Content)})
		case model.RoleAssistant:
			list = append(list, p.items(t)...)
		case model.RoleToolResult:
			list = append(list, object{"type": "function_call_output", "call_id": callID(t.ToolCallID, responsesMaxCallID), "output": p.output(t)})
		}
	}
	return list
}

func (responses) content(blocks []model.Block) []object {
	list := make([]object, 0, len(blocks))
	for _, b := range blocks {
		if b.Type == model.BlockImage {
			list = append(list, object{"type": "input_image", "detail": "auto", "image_url": dataURL(b)})
			continue
		}
		list = append(list, object{"type": "input_text", "text": b.Text})
	}
	return list
}

// output is a result: text, or a list where it has images.
func (p responses) output(t turn) any {
	if len(t.images()) == 0 {
		return t.resultText()
	}
	return p.content(t.Content)
}

// items are an assistant's message. Reasoning is only sent with the item that it led to: alone it is refused.
func (p responses) items(t turn) []any {
	var list, reasoning []any
	for _, b := range t.Content {
		if b.Type == model.BlockThinking {
			if json.Valid([]byte(b.Signature)) {
				reasoning = append(reasoning, json.RawMessage(b.Signature))
			}
			continue
		}
		list = append(list, reasoning...)
		reasoning = nil
		var mark itemMark
		if t.own {
			_ = json.Unmarshal([]byte(b.Signature), &mark) // without it the item has no id, which is allowed
		}
		list = append(list, p.item(b, mark))
	}
	return list
}

func (responses) item(b model.Block, mark itemMark) object {
	item := object{"type": "message", "role": "assistant", "status": "completed", "content": []object{{"type": "output_text", "text": b.Text, "annotations": []any{}}}}
	if b.Type == model.BlockToolCall {
		item = object{"type": "function_call", "call_id": callID(b.ID, responsesMaxCallID), "name": toolName(b.Name), "arguments": argumentsText(b)}
	}
	if mark.ID != "" {
		item["id"] = mark.ID
	}
	if mark.Phase != "" {
		item["phase"] = mark.Phase
	}
	return item
}

func (responses) decoder(a *answer) decoder {
	return &responsesDecoder{a: a, items: map[int]*part{}}
}

type responsesDecoder struct {
	a       *answer
	items   map[int]*part // by the place in the output
	refused bool
}

type responsesEvent struct {
	Type        string            `json:"type"`
	OutputIndex int               `json:"output_index"`
	Delta       json.RawMessage   `json:"delta"`
	Item        json.RawMessage   `json:"item"`
	Arguments   string            `json:"arguments"`
	Response    responsesResponse `json:"response"`
}

type responsesResponse struct {
	ID                string          `json:"id"`
	Status            string          `json:"status"`
	Error             json.RawMessage `json:"error"`
	IncompleteDetails struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *struct {
		Input        int64 `json:"input_tokens"`
		InputDetails struct {
			Cached     int64 `json:"cached_tokens"`
			CacheWrite int64 `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		Output int64 `json:"output_tokens"`
		Total  int64 `json:"total_tokens"`
	} `json:"usage"`
}

type responsesItem struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Phase     string `json:"phase"`
	Summary   []struct {
		Text string `json:"text"`
	} `json:"summary"`
	Content []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

func (d *responsesDecoder) event(data []byte) (bool, error) {
	if string(data) == "[DONE]" {
		return false, nil
	}
	var e responsesEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return false, malformed(err)
	}
	if e.Response.ID != "" {
		d.a.message.ResponseID = e.Response.ID
	}
	switch e.Type {
	case "response.output_item.added":
		return false, d.added(&e)
	case "response.output_text.delta", "response.reasoning_summary_text.delta", "response.reasoning_text.delta", "response.function_call_arguments.delta":
		return false, d.write(e.OutputIndex, word(e.Delta))
	case "response.refusal.delta":
		d.refused = true
		return false, d.write(e.OutputIndex, word(e.Delta))
	case "response.reasoning_summary_part.added":
		return false, d.separate(e.OutputIndex)
	case "response.output_item.done":
		return false, d.done(&e)
	case "response.completed", "response.incomplete", "response.failed":
		return true, d.finish(&e.Response)
	case "error":
		return false, streamFault(data)
	}
	return false, nil // there are many more, which say nothing new
}

func (d *responsesDecoder) added(e *responsesEvent) error {
	var item responsesItem
	if err := json.Unmarshal(e.Item, &item); err != nil {
		return malformed(err)
	}
	_, err := d.begin(e.OutputIndex, &item)
	return err
}

// begin starts the block of an item, if it has one: results of tools on the server have none.
func (d *responsesDecoder) begin(index int, item *responsesItem) (*part, error) {
	if p := d.items[index]; p != nil {
		return p, nil
	}
	var p *part
	var err error
	switch item.Type {
	case "message":
		p, err = d.a.begin(model.Block{Type: model.BlockText})
	case "reasoning":
		p, err = d.a.begin(model.Block{Type: model.BlockThinking})
	case "function_call":
		id := item.CallID
		if id == "" {
			id = newID()
		}
		p, err = d.a.call(id, item.Name)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d.items[index] = p
	return p, nil
}

func (d *responsesDecoder) write(index int, text string) error {
	p := d.items[index]
	if p == nil {
		return nil
	}
	return d.a.write(p, text)
}

// separate puts an empty line between the parts of a summary.
func (d *responsesDecoder) separate(index int) error {
	if p := d.items[index]; p != nil && !p.empty() {
		return d.a.write(p, "\n\n")
	}
	return nil
}

// done takes what an item became. It may have what no delta has had, such as encrypted reasoning.
func (d *responsesDecoder) done(e *responsesEvent) error {
	var item responsesItem
	if err := json.Unmarshal(e.Item, &item); err != nil {
		return malformed(err)
	}
	p, err := d.begin(e.OutputIndex, &item)
	if err != nil || p == nil {
		return err
	}
	if p.empty() {
		if err := d.a.write(p, d.textOf(&item)); err != nil {
			return err
		}
	}
	if err := d.seal(p, &item, e.Item); err != nil {
		return err
	}
	d.a.end(p)
	return nil
}

// textOf is the text of a whole item.
func (d *responsesDecoder) textOf(item *responsesItem) string {
	text := item.Arguments
	for i, s := range item.Summary {
		if i > 0 {
			text += "\n\n"
		}
		text += s.Text
	}
	for _, c := range item.Content {
		text += c.Text + c.Refusal
		d.refused = d.refused || c.Refusal != ""
	}
	return text
}

// seal keeps what the item must go back with: reasoning whole and as it is.
func (d *responsesDecoder) seal(p *part, item *responsesItem, raw json.RawMessage) error {
	if item.Type == "reasoning" {
		return d.a.sign(p, string(raw))
	}
	if item.ID == "" && item.Phase == "" || item.Type == "message" && p.empty() {
		return nil
	}
	mark, err := json.Marshal(itemMark{ID: item.ID, Phase: item.Phase})
	if err != nil {
		return malformed(err)
	}
	return d.a.sign(p, string(mark))
}

func (d *responsesDecoder) finish(r *responsesResponse) error {
	if u := r.Usage; u != nil {
		m := d.a.message.Usage
		m.CacheRead, m.CacheWrite, m.Output, m.Total = u.InputDetails.Cached, u.InputDetails.CacheWrite, u.Output, u.Total
		m.Input = max(0, u.Input-m.CacheRead-m.CacheWrite)
	}
	switch r.Status {
	case "failed", "cancelled":
		f := fault{message: "the response has failed"}
		if len(r.Error) > 0 && string(r.Error) != "null" {
			f = parseFault(r.Error)
		}
		return &model.Error{Kind: kindOf(f.status, f), Status: f.status, RetryAfter: f.retryAfter, Message: f.message}
	case "incomplete":
		d.a.message.StopReason = model.StopLength
		if r.IncompleteDetails.Reason == "content_filter" {
			d.a.message.StopReason = model.StopRefusal
		}
		return nil
	}
	d.a.message.StopReason = model.StopEnd
	if d.refused {
		d.a.message.StopReason = model.StopRefusal
	}
	return nil
}

func (d *responsesDecoder) end() error { return ErrIncomplete }
