package wire_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"openclaw/runtime/model"
	"openclaw/runtime/model/wire"
)

// sent is the body that a request becomes.
func sent(t *testing.T, o wire.Options, r *model.Request) map[string]any {
	t.Helper()
	transport := &recorder{}
	o.Transport, o.Provider = transport, "p"
	client, err := wire.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Stream(t.Context(), r, nil); len(transport.body) == 0 {
		t.Fatalf("nothing was sent: %v", err)
	}
	var body map[string]any
	if err := json.Unmarshal(transport.body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

type recorder struct {
	url  string
	body []byte
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.url = request.URL.String()
	r.body = make([]byte, request.ContentLength)
	if _, err := request.Body.Read(r.body); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	w.WriteHeader(http.StatusBadRequest)
	return w.Result(), nil
}

// part is a value within a body, by keys with dots. What is not there is nil.
func part(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestThinkingLevels(t *testing.T) {
	tests := []struct {
		api, model string
		level      model.Level
		path, want string
	}{
		{wire.APICompletions, "gpt-5", "", "reasoning_effort", `null`},
		{wire.APICompletions, "gpt-5", model.LevelOff, "reasoning_effort", `"minimal"`},
		{wire.APICompletions, "gpt-5.1", model.LevelOff, "reasoning_effort", `"none"`},
		{wire.APICompletions, "o4-mini", model.LevelOff, "reasoning_effort", `"low"`},
		{wire.APICompletions, "openai/gpt-oss-120b", model.LevelOff, "reasoning_effort", `"low"`},
		{wire.APICompletions, "qwen3", model.LevelOff, "reasoning_effort", `null`},
		{wire.APICompletions, "gpt-5", model.LevelMinimal, "reasoning_effort", `"minimal"`},
		{wire.APICompletions, "gpt-5.2", model.LevelMinimal, "reasoning_effort", `"low"`},
		{wire.APICompletions, "gpt-5", model.LevelMax, "reasoning_effort", `"high"`},
		{wire.APICompletions, "gpt-5.2", model.LevelUltra, "reasoning_effort", `"xhigh"`},
		{wire.APICompletions, "gpt-6-astra", model.LevelXHigh, "reasoning_effort", `"xhigh"`},
		{wire.APICompletions, "gpt-6-astra", model.LevelMax, "reasoning_effort", `"max"`},
		{wire.APICompletions, "gpt-6-astra", model.LevelOff, "reasoning_effort", `"low"`},
		{wire.APICompletions, "gpt-6-sol", model.LevelOff, "reasoning_effort", `"none"`},
		{wire.APICompletions, "gpt-6.1-sol", model.LevelOff, "reasoning_effort", `"low"`},
		{wire.APICompletions, "gpt-5", model.LevelAdaptive, "reasoning_effort", `null`},
		{wire.APIResponses, "gpt-5", model.LevelMedium, "reasoning", `{"effort":"medium","summary":"auto"}`},
		{wire.APIResponses, "gpt-5.1-codex-max", model.LevelXHigh, "reasoning", `{"effort":"xhigh","summary":"auto"}`},
		{wire.APIResponses, "gpt-5.4", model.LevelOff, "reasoning", `{"effort":"none"}`},
		{wire.APIResponses, "gpt-4o", model.LevelOff, "reasoning", `null`},
		{wire.APIMessages, "claude-3-7-sonnet-20250219", model.LevelOff, "thinking", `null`},
		{wire.APIMessages, "claude-3-7-sonnet-20250219", model.LevelMinimal, "thinking", `{"budget_tokens":1024,"type":"enabled"}`},
		{wire.APIMessages, "claude-3-7-sonnet-20250219", model.LevelHigh, "thinking", `{"budget_tokens":20480,"type":"enabled"}`},
		{wire.APIMessages, "claude-3-7-sonnet-20250219", model.LevelHigh, "max_tokens", `28672`},
		{wire.APIMessages, "claude-sonnet-4-5-20250929", model.LevelHigh, "max_tokens", `32000`},
		{wire.APIMessages, "claude-sonnet-4-20250514", model.LevelMax, "thinking", `{"budget_tokens":30976,"type":"enabled"}`},
		{wire.APIMessages, "claude-haiku-4-6", model.LevelLow, "thinking", `{"budget_tokens":4096,"type":"enabled"}`},
		{wire.APIMessages, "claude-opus-4-6", model.LevelLow, "thinking.type", `"adaptive"`},
		{wire.APIMessages, "claude-opus-4-6", model.LevelXHigh, "output_config.effort", `"max"`},
		{wire.APIMessages, "claude-opus-4-7", model.LevelXHigh, "output_config.effort", `"xhigh"`},
		{wire.APIMessages, "anthropic/claude-sonnet-5", model.LevelMedium, "output_config.effort", `"medium"`},
		{wire.APIMessages, "claude-sonnet-5", model.LevelAdaptive, "output_config", `null`},
		{wire.APIMessages, "claude-sonnet-5", model.LevelOff, "thinking", `{"type":"disabled"}`},
		{wire.APIMessages, "claude-opus-4-8", model.LevelOff, "thinking", `null`},
		{wire.APIMessages, "claude-opus-5", "", "thinking", `null`},
		{wire.APIMessages, "claude-opus-5-5", "", "thinking", `{"block_binding":{"prefix_mismatch_behavior":"drop_block"},"display":"summarized","type":"adaptive"}`},
		{wire.APIMessages, "claude-opus-5-5", "", "output_config", `null`},
		{wire.APIMessages, "claude-fable-5-1", model.LevelOff, "output_config.effort", `"low"`},
		{wire.APIMessages, "claude-fable-5", model.LevelHigh, "thinking", `{"display":"summarized","type":"adaptive"}`},
		{wire.APIGoogle, "gemini-2.5-flash", model.LevelOff, "generationConfig.thinkingConfig", `{"thinkingBudget":0}`},
		{wire.APIGoogle, "gemini-2.5-pro", model.LevelOff, "generationConfig.thinkingConfig", `{"thinkingBudget":128}`},
		{wire.APIGoogle, "gemini-2.5-flash", model.LevelMax, "generationConfig.thinkingConfig", `{"includeThoughts":true,"thinkingBudget":24576}`},
		{wire.APIGoogle, "gemini-2.5-flash", model.LevelAdaptive, "generationConfig.thinkingConfig", `{"includeThoughts":true,"thinkingBudget":-1}`},
		{wire.APIGoogle, "gemini-3-pro-preview", model.LevelMinimal, "generationConfig.thinkingConfig", `{"includeThoughts":true,"thinkingLevel":"LOW"}`},
		{wire.APIGoogle, "gemini-3.1-pro-preview", model.LevelMedium, "generationConfig.thinkingConfig.thinkingLevel", `"MEDIUM"`},
		{wire.APIGoogle, "gemini-4-argon", model.LevelOff, "generationConfig.thinkingConfig.thinkingLevel", `"LOW"`},
		{wire.APIGoogle, "gemini-3-flash", model.LevelOff, "generationConfig.thinkingConfig", `{"includeThoughts":false,"thinkingLevel":"MINIMAL"}`},
		{wire.APIOllama, "qwen3", model.LevelOff, "think", `false`},
		{wire.APIOllama, "qwen3", model.LevelHigh, "think", `true`},
		{wire.APIOllama, "gpt-oss:20b", model.LevelMax, "think", `"high"`},
		{wire.APIOllama, "qwen3", "", "think", `null`},
	}
	for _, test := range tests {
		t.Run(test.model+" "+string(test.level)+" "+test.path, func(t *testing.T) {
			r := request()
			r.Model, r.Thinking = test.model, test.level
			if got := jsonOf(t, part(sent(t, wire.Options{API: test.api}, r), test.path)); got != test.want {
				t.Errorf("%s is %s, not %s", test.path, got, test.want)
			}
		})
	}
}

func TestParameters(t *testing.T) {
	heat := 0.25
	r := request()
	r.Temperature, r.MaxTokens, r.CacheRetention, r.CacheKey = &heat, 500, model.CacheLong, strings.Repeat("k", 100)
	r.Params = map[string]any{
		"top_p": 0.5, "temperature": nil, "options": map[string]any{"num_ctx": 9000}, "generationConfig": map[string]any{"topK": 3}, "metadata": map[string]any{"user_id": "<u&1>"},
	}
	want := map[string]map[string]string{
		wire.APICompletions: {"max_completion_tokens": `500`, "top_p": `0.5`, "temperature": `null`, "prompt_cache_retention": `"24h"`, "metadata.user_id": `"\u003cu\u00261\u003e"`},
		wire.APIResponses:   {"max_output_tokens": `500`, "prompt_cache_retention": `"24h"`},
		wire.APIMessages:    {"max_tokens": `500`, "temperature": `null`},
		wire.APIGoogle:      {"generationConfig": `{"maxOutputTokens":500,"temperature":0.25,"topK":3}`},
		wire.APIOllama:      {"options": `{"num_ctx":9000,"num_predict":500,"temperature":0.25}`},
	}
	for api, paths := range want {
		body := sent(t, wire.Options{API: api}, r)
		for path, value := range paths {
			if got := jsonOf(t, part(body, path)); got != value {
				t.Errorf("%s: %s is %s, not %s", api, path, got, value)
			}
		}
		if key, ok := body["prompt_cache_key"].(string); ok && len(key) > 64 {
			t.Errorf("%s: the cache's key has %d bytes", api, len(key))
		}
	}
	r.Model = "gpt-6-sol"
	if got := jsonOf(t, part(sent(t, wire.Options{API: wire.APIResponses}, r), "prompt_cache_options")); got != `{"ttl":"12h"}` {
		t.Errorf("the options of the cache are %s", got)
	}
	compatible := sent(t, wire.Options{API: wire.APICompletions, BaseURL: "https://models.example/v1"}, r)
	if compatible["max_tokens"] != 500.0 || compatible["prompt_cache_key"] != nil || compatible["max_completion_tokens"] != nil {
		t.Errorf("a compatible server is sent %v", compatible)
	}
	if heat, ok := r.Params["options"].(map[string]any); !ok || len(heat) != 1 {
		t.Errorf("the request's parameters became %v", r.Params)
	}
}

func TestParametersThatAreNotForThem(t *testing.T) {
	for _, name := range []string{"messages", "stream", "model", "tools", "system", "input", "contents"} {
		client, err := wire.New(wire.Options{API: wire.APIMessages, Transport: &recorder{}})
		if err != nil {
			t.Fatal(err)
		}
		r := request()
		r.Params = map[string]any{name: "x"}
		if _, err := client.Stream(t.Context(), r, nil); model.KindOf(err) != model.KindInvalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

func TestTemperatureOfModelsThatTakeNone(t *testing.T) {
	heat := 0.5
	for name, want := range map[string]any{"claude-opus-4-6": heat, "claude-opus-4-7": nil, "claude-opus-5-5": nil} {
		r := request()
		r.Model, r.Temperature = name, &heat
		if got := sent(t, wire.Options{API: wire.APIMessages}, r)["temperature"]; got != want {
			t.Errorf("%s: the temperature is %v", name, got)
		}
	}
}

func TestPlacesOfRequests(t *testing.T) {
	tests := []struct{ api, base, model, want string }{
		{wire.APICompletions, "", "m", "https://api.openai.com/v1/chat/completions"},
		{wire.APICompletions, "http://h:1/x/v1/?tenant=3", "m", "http://h:1/x/v1/chat/completions?tenant=3"},
		{wire.APIResponses, "", "m", "https://api.openai.com/v1/responses"},
		{wire.APIMessages, "", "m", "https://api.anthropic.com/v1/messages"},
		{wire.APIMessages, "https://h/anthropic/v1", "m", "https://h/anthropic/v1/messages"},
		{wire.APIGoogle, "", "models/gemini-3", "https://generativelanguage.googleapis.com/v1beta/models/gemini-3:streamGenerateContent?alt=sse"},
		{wire.APIGoogle, "https://h", "a b/c?d", "https://h/v1beta/models/a%20b/c%3Fd:streamGenerateContent?alt=sse"},
		{wire.APIGoogle, "https://h/v1?x=1", "m", "https://h/v1/models/m:streamGenerateContent?x=1&alt=sse"},
		{wire.APIOllama, "", "m", "http://127.0.0.1:11434/api/chat"},
		{wire.APIOllama, "http://h/api/", "m", "http://h/api/chat"},
	}
	for _, test := range tests {
		transport := &recorder{}
		client, err := wire.New(wire.Options{API: test.api, BaseURL: test.base, Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		r := request()
		r.Model = test.model
		_, _ = client.Stream(t.Context(), r, nil)
		if transport.url != test.want {
			t.Errorf("the request went to %s, not to %s", transport.url, test.want)
		}
	}
}

// TestHistoryOfAnotherModel shows a model what another has said.
func TestHistoryOfAnotherModel(t *testing.T) {
	id := "toolu|with/odd=chars:" + strings.Repeat("x", 80)
	history := []model.Message{
		model.User("Go."),
		{Role: model.RoleAssistant, API: "elsewhere", Provider: "q", Model: "other", StopReason: model.StopToolUse, Content: []model.Block{
			{Type: model.BlockThinking, Thinking: "SECRETTHOUGHT", Signature: "FOREIGNSIG"},
			{Type: model.BlockThinking, Redacted: true, Signature: "FOREIGNDATA"},
			{Type: model.BlockText, Text: "I go.", Signature: "FOREIGNTEXT"},
			{Type: model.BlockToolCall, ID: id, Name: "walk", Arguments: json.RawMessage(`{}`), Malformed: `{"broken`, Signature: "FOREIGNCALL"},
			{Type: model.BlockToolCall, ID: "unanswered", Name: "NORESULT", Arguments: json.RawMessage(`{}`)},
		}},
		{Role: model.RoleToolResult, ToolCallID: id, ToolName: "walk", Content: nil},
		{Role: model.RoleToolResult, ToolCallID: "uncalled", ToolName: "walk", Content: []model.Block{{Type: model.BlockText, Text: "NOCALL"}}},
		{Role: model.RoleAssistant, API: "elsewhere", Content: []model.Block{{Type: model.BlockThinking, Thinking: "SECRETTHOUGHT"}}, StopReason: model.StopError},
		{Role: model.RoleUser, Content: []model.Block{{Type: model.BlockText}}},
		model.User("And?"),
	}
	eachAPI(t, func(t *testing.T, api string) {
		k := open(t, api, nil, textTurn("Fine."))
		if _, err := k.ask(request(history...)); err != nil {
			t.Fatal(err)
		}
		body := string(k.server.Requests()[0].Body)
		for _, no := range []string{"SECRETTHOUGHT", "FOREIGN", "NORESULT", "NOCALL", "broken", "odd="} {
			if strings.Contains(body, no) && (no != "odd=" || api != wire.APIOllama) {
				t.Errorf("the request has %s:\n%s", no, body)
			}
		}
		for _, want := range []string{"I go.", "walk", "(no output)", "And?"} {
			if !strings.Contains(body, want) {
				t.Errorf("the request has no %s:\n%s", want, body)
			}
		}
	})
}

// TestBrokenAnswersAreNotReplayed leaves out what only whole answers may send back.
func TestBrokenAnswersAreNotReplayed(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		k := open(t, api, nil, textTurn("Fine."))
		broken := model.Message{Role: model.RoleAssistant, API: api, Provider: "p", Model: testModel, StopReason: model.StopAborted, Content: []model.Block{
			{Type: model.BlockThinking, Thinking: "HALFTHOUGHT", Signature: `"HALFSIG"`}, {Type: model.BlockText, Text: "I be", Signature: `{"id":"HALFID"}`},
		}}
		if _, err := k.ask(request(model.User("a"), broken, model.User("b"))); err != nil {
			t.Fatal(err)
		}
		if body := string(k.server.Requests()[0].Body); strings.Contains(body, "HALF") || !strings.Contains(body, "I be") {
			t.Errorf("the request is %s", body)
		}
	})
}

func TestReasoningDetailsGoBack(t *testing.T) {
	k := open(t, wire.APICompletions, nil,
		rawTurn(sse(
			`{"choices":[{"delta":{"reasoning":"A","reasoning_details":[{"type":"reasoning.text","text":"A","index":0}]}}]}`,
			`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"ENC","index":1}]}}]}`,
			`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`)),
		textTurn("Fine."))
	first, err := k.ask(request())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.ask(request(model.User("Hi."), *first, model.User("b"))); err != nil {
		t.Fatal(err)
	}
	body := string(k.server.Requests()[1].Body)
	for _, want := range []string{`"reasoning":"A"`, `"reasoning_details":[{"type":"reasoning.text","text":"A","index":0},{"type":"reasoning.encrypted","data":"ENC","index":1}]`} {
		if !strings.Contains(body, want) {
			t.Errorf("the request has no %s: %s", want, body)
		}
	}
}

// TestMessagesSurviveTheTranscript stores an answer as sessions do and sends what was read.
func TestMessagesSurviveTheTranscript(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		k := open(t, api, nil, thinkingTurn(), textTurn("Fine."))
		first, err := k.ask(request())
		if err != nil {
			t.Fatal(err)
		}
		var read model.Message
		if err := json.Unmarshal([]byte(jsonOf(t, first)), &read); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(first.Content, read.Content) {
			t.Errorf("%+v was read as %+v", first.Content, read.Content)
		}
		if _, err := k.ask(request(model.User("Hi."), read, model.User("More."))); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTheSameRequestHasTheSameBytes is what caches of prompts need.
func TestTheSameRequestHasTheSameBytes(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		k := open(t, api, nil, thinkingTurn(), textTurn("1"), textTurn("2"))
		first, err := k.ask(request())
		if err != nil {
			t.Fatal(err)
		}
		r := request(model.User("Hi."), *first, model.User("More."))
		r.Params = map[string]any{"b": 1, "a": map[string]any{"z": 1, "y": 2}}
		for range 2 {
			if _, err := k.ask(r); err != nil {
				t.Fatal(err)
			}
		}
		requests := k.server.Requests()
		if string(requests[1].Body) != string(requests[2].Body) {
			t.Errorf("%s\n%s", requests[1].Body, requests[2].Body)
		}
	})
}

func TestCacheMarks(t *testing.T) {
	tests := []struct {
		keep   model.Retention
		system string
		marks  int
		mark   string
	}{
		{"", "You help.", 3, `{"type":"ephemeral"}`},
		{model.CacheShort, "", 3, `{"type":"ephemeral"}`},
		{model.CacheLong, "You help.", 3, `{"ttl":"1h","type":"ephemeral"}`},
		{model.CacheNone, "You help.", 0, ""},
	}
	for _, test := range tests {
		r := request(model.User("a"), model.Message{Role: model.RoleAssistant, Content: []model.Block{{Type: model.BlockText, Text: "b"}}}, model.User("c"))
		r.System, r.SystemVolatile, r.CacheRetention = test.system, "Monday.", test.keep
		r.Tools = []model.Tool{{Name: "x"}, {Name: "y"}}
		body := jsonOf(t, sent(t, wire.Options{API: wire.APIMessages}, r))
		if n := strings.Count(body, `"cache_control":`+test.mark); n != test.marks {
			t.Errorf("%q: there are %d marks in %s", test.keep, n, body)
		}
		if strings.Contains(body, `"cache_control":`+test.mark+`,"text":"Monday."`) {
			t.Error("what changes is marked")
		}
	}
}
