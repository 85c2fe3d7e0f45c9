package wire

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"openclaw/runtime/model"
)

// google is the Generative Language protocol of Google's Gemini.
type google struct{}

const googleMaxCallID = 64

// unsigned stands for the signature of a call that a Gemini model has not made itself: those from version 3 on refuse calls without.
const unsigned = "skip_thought_signature_validator"

func (google) path(base *url.URL, r *model.Request) string {
	name := strings.TrimPrefix(r.Model, "models/")
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	path := "/models/" + strings.Join(segments, "/") + ":streamGenerateContent?alt=sse"
	if base.Path == "" {
		return "/v1beta" + path
	}
	return path
}

func (google) authorize(h http.Header, key string) { h.Set("X-Goog-Api-Key", key) }

func (p google) body(c *client, r *model.Request) (object, error) {
	body := object{"contents": p.contents(c, r)}
	if s := system(r); s != "" {
		body["systemInstruction"] = object{"parts": []object{{"text": s}}}
	}
	if len(r.Tools) > 0 {
		functions := make([]object, len(r.Tools))
		for i, t := range r.Tools {
			functions[i] = object{"name": t.Name, "description": t.Description, "parametersJsonSchema": schema(t)}
		}
		body["tools"] = []object{{"functionDeclarations": functions}}
	}
	config := object{}
	if r.MaxTokens > 0 {
		config["maxOutputTokens"] = r.MaxTokens
	}
	if r.Temperature != nil {
		config["temperature"] = *r.Temperature
	}
	if thinking := geminiThinking(r.Model, r.Thinking); thinking != nil {
		config["thinkingConfig"] = thinking
	}
	if len(config) > 0 {
		body["generationConfig"] = config
	}
	return body, nil
}

// geminiThinking is a level as the model is told it: a word from version 3 on, a budget before.
func geminiThinking(name string, level model.Level) object {
	if level == "" {
		return nil
	}
	name = strings.ToLower(name)
	v := geminiVersion(name)
	pro := strings.Contains(name, "pro")
	if v.since(3, 0) {
		return geminiLevel(v, level, pro)
	}
	switch {
	case level == model.LevelOff && v.since(2, 5) && pro:
		return object{"thinkingBudget": 128} // it cannot be stopped
	case level == model.LevelOff:
		return object{"thinkingBudget": 0}
	case level == model.LevelAdaptive:
		return object{"thinkingBudget": -1, "includeThoughts": true}
	}
	most := int64(24576)
	if pro {
		most = 32768
	}
	return object{"thinkingBudget": min(budgets[level], most), "includeThoughts": true}
}

// geminiLevel is the nearest word that a model has: only the small ones up to 3.6 have the least, the first large one has no medium.
func geminiLevel(v version, level model.Level, pro bool) object {
	word := "HIGH"
	switch level {
	case model.LevelAdaptive:
		return object{"includeThoughts": true}
	case model.LevelOff, model.LevelMinimal:
		if word = "MINIMAL"; pro || v.since(3, 7) {
			word = "LOW"
		}
	case model.LevelLow:
		word = "LOW"
	case model.LevelMedium:
		if word = "MEDIUM"; pro && !v.since(3, 1) {
			word = "HIGH"
		}
	}
	return object{"thinkingLevel": word, "includeThoughts": level != model.LevelOff}
}

func geminiVersion(name string) version {
	m := geminiName().FindStringSubmatch(name)
	if m == nil {
		return version{}
	}
	return parseVersion(m[1], m[2])
}

func (p google) contents(c *client, r *model.Request) []object {
	list := []object{}
	turns := conversation(c, r)
	strict := geminiVersion(strings.ToLower(r.Model)).since(3, 0)
	sent := sentIDs(turns)
	var results []object // of the group that is being read: they are one message, in the order of the calls
	for i, t := range turns {
		switch t.Role {
		case model.RoleUser:
			list = append(list, object{"role": "user", "parts": p.parts(t.Content)})
		case model.RoleAssistant:
			list = append(list, object{"role": "model", "parts": p.said(t, strict)})
		case model.RoleToolResult:
			results = append(results, p.result(t, sent))
			if i+1 < len(turns) && turns[i+1].Role == model.RoleToolResult {
				continue
			}
			list = append(list, object{"role": "user", "parts": results})
			results = nil
			if images := groupImages(turns, i); len(images) > 0 {
				parts := append([]object{{"text": resultImages}}, p.parts(images)...)
				list = append(list, object{"role": "user", "parts": parts})
			}
		}
	}
	return list
}

// sentIDs are the ids of the calls that the same model has given: only these go back.
func sentIDs(turns []turn) map[string]bool {
	ids := map[string]bool{}
	for _, t := range turns {
		for _, call := range t.Calls() {
			if t.own && !strings.HasPrefix(call.ID, localID) {
				ids[call.ID] = true
			}
		}
	}
	return ids
}

func (google) parts(blocks []model.Block) []object {
	list := make([]object, 0, len(blocks))
	for _, b := range blocks {
		if b.Type == model.BlockImage {
			list = append(list, object{"inlineData": object{"mimeType": b.MIMEType, "data": base64Of(b)}})
			continue
		}
		list = append(list, object{"text": b.Text})
	}
	return list
}

// said are the parts of a model's message. strict tells that the model wants its calls signed.
func (google) said(t turn, strict bool) []object {
	list := make([]object, 0, len(t.Content))
	signedCall := false
	for _, b := range t.Content {
		part := object{}
		switch b.Type {
		case model.BlockText:
			part["text"] = b.Text
		case model.BlockThinking:
			part["text"], part["thought"] = b.Thinking, true
		case model.BlockToolCall:
			call := object{"name": toolName(b.Name), "args": argumentsJSON(b)}
			if t.own && !strings.HasPrefix(b.ID, localID) {
				call["id"] = callID(b.ID, googleMaxCallID)
			}
			part["functionCall"] = call
		}
		switch {
		case t.own && b.Signature != "":
			part["thoughtSignature"] = b.Signature
		case strict && b.Type == model.BlockToolCall && !signedCall:
			part["thoughtSignature"] = unsigned
		}
		signedCall = signedCall || b.Type == model.BlockToolCall // only the first of parallel calls needs one
		list = append(list, part)
	}
	return list
}

func (google) result(t turn, sent map[string]bool) object {
	key := "output"
	if t.IsError {
		key = "error"
	}
	response := object{"name": toolName(t.ToolName), "response": object{key: t.resultText()}}
	if sent[t.ToolCallID] {
		response["id"] = callID(t.ToolCallID, googleMaxCallID)
	}
	return object{"functionResponse": response}
}

func (google) decoder(a *answer) decoder { return &googleDecoder{a: a} }

type googleDecoder struct {
	a      *answer
	reason string
}

type googleChunk struct {
	ResponseID string          `json:"responseId"`
	Error      json.RawMessage `json:"error"`
	Candidates []struct {
		Index   int `json:"index"`
		Content struct {
			Parts []googlePart `json:"parts"`
		} `json:"content"`
		FinishReason  string `json:"finishReason"`
		FinishMessage string `json:"finishMessage"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason        string `json:"blockReason"`
		BlockReasonMessage string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt     int64 `json:"promptTokenCount"`
		Cached     int64 `json:"cachedContentTokenCount"`
		Candidates int64 `json:"candidatesTokenCount"`
		Thoughts   int64 `json:"thoughtsTokenCount"`
		ToolPrompt int64 `json:"toolUsePromptTokenCount"`
		Total      int64 `json:"totalTokenCount"`
	} `json:"usageMetadata"`
}

type googlePart struct {
	Text         string `json:"text"`
	Thought      bool   `json:"thought"`
	Signature    string `json:"thoughtSignature"`
	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
}

func (d *googleDecoder) event(data []byte) (bool, error) {
	var chunk googleChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return false, malformed(err)
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		return false, streamFault(data)
	}
	if chunk.ResponseID != "" {
		d.a.message.ResponseID = chunk.ResponseID
	}
	d.usage(&chunk)
	if reason := chunk.PromptFeedback.BlockReason; reason != "" {
		return false, &model.Error{Kind: model.KindRefused, Message: strings.TrimSpace("the prompt was blocked: " + reason + " " + chunk.PromptFeedback.BlockReasonMessage)}
	}
	for _, candidate := range chunk.Candidates {
		if candidate.Index != 0 {
			continue
		}
		for i := range candidate.Content.Parts {
			if err := d.part(&candidate.Content.Parts[i]); err != nil {
				return false, err
			}
		}
		if candidate.FinishReason != "" {
			d.reason = candidate.FinishReason
			if err := d.stop(candidate.FinishMessage); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

func (d *googleDecoder) usage(chunk *googleChunk) {
	u := chunk.Usage
	if u == nil {
		return
	}
	m := d.a.message.Usage
	m.CacheRead, m.Output, m.Total = u.Cached, u.Candidates+u.Thoughts, u.Total
	m.Input = max(0, u.Prompt+u.ToolPrompt-u.Cached)
}

// part takes a piece. Signatures belong to the part that they come with; one that comes alone belongs to the text before.
func (d *googleDecoder) part(g *googlePart) error {
	if g.FunctionCall != nil {
		return d.call(g)
	}
	kind := model.BlockText
	if g.Thought {
		kind = model.BlockThinking
	}
	if g.Text == "" && g.Signature == "" {
		return nil
	}
	p := d.a.last(kind)
	if p == nil || p.block.Signature != "" && g.Text != "" { // what is signed is whole
		d.a.endTexts()
		begun, err := d.a.begin(model.Block{Type: kind})
		if err != nil {
			return err
		}
		p = begun
	}
	if err := d.a.write(p, g.Text); err != nil {
		return err
	}
	if g.Signature == "" {
		return nil
	}
	return d.a.sign(p, g.Signature)
}

func (d *googleDecoder) call(g *googlePart) error {
	d.a.endTexts()
	id := g.FunctionCall.ID
	if id == "" {
		id = newID()
	}
	p, err := d.a.call(id, g.FunctionCall.Name)
	if err != nil {
		return err
	}
	if args := string(g.FunctionCall.Args); args != "null" {
		if err := d.a.write(p, args); err != nil {
			return err
		}
	}
	if g.Signature != "" {
		if err := d.a.sign(p, g.Signature); err != nil {
			return err
		}
	}
	d.a.end(p)
	return nil
}

func (d *googleDecoder) stop(message string) error {
	switch d.reason {
	case "STOP", "FINISH_REASON_UNSPECIFIED":
		d.a.message.StopReason = model.StopEnd
	case "MAX_TOKENS":
		d.a.message.StopReason = model.StopLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "MODEL_ARMOR":
		d.a.message.StopReason = model.StopRefusal
	default: // MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER …: the model failed, and another attempt may succeed
		return &model.Error{Kind: model.KindOverloaded, Message: strings.TrimSpace("the model ended with " + d.reason + " " + message)}
	}
	return nil
}

func (d *googleDecoder) end() error {
	if d.reason == "" {
		return ErrIncomplete
	}
	return nil
}
