package wire_test

import (
	"strings"
	"testing"

	"openclaw/runtime/model"
	"openclaw/runtime/model/wire"
	"openclaw/runtime/model/wire/wiretest"
)

const tricky = "héllo, wörld — 日本語 🦀 \"quoted\" \\ \n<tag> & \u2028end"

// TestTurns plays the same turns in all protocols.
func TestTurns(t *testing.T) {
	two := []wiretest.Call{
		{Name: "exec", Arguments: `{"command":"ls -l 'ä' | wc","n":[1,2.50,-3e4]}`},
		{Name: "read", Arguments: `{"path":"🦀/b \"c\".txt"}`},
	}
	tests := []struct {
		name string
		turn wiretest.Turn
		stop model.StopReason
	}{
		{"text", wiretest.Turn{Text: "Hello."}, model.StopEnd},
		{"text in pieces", wiretest.Turn{Text: tricky, Fragment: 1}, model.StopEnd},
		{"each byte by itself", wiretest.Turn{Text: tricky, Fragment: 5, Write: 1}, model.StopEnd},
		{"three bytes at once", wiretest.Turn{Text: tricky, Thinking: tricky, Calls: two, Fragment: 4, Write: 3}, model.StopToolUse},
		{"lines with CR", wiretest.Turn{Text: tricky, Fragment: 2, Write: 7, CRLF: true}, model.StopEnd},
		{"kept alive", wiretest.Turn{Text: tricky, Thinking: "Hm.", Fragment: 3, KeepAlive: true}, model.StopEnd},
		{"kept alive with CR", wiretest.Turn{Text: tricky, Fragment: 3, KeepAlive: true, CRLF: true, Write: 1}, model.StopEnd},
		{"thinking", wiretest.Turn{Thinking: "I see: " + tricky, Text: "Yes.", Fragment: 4}, model.StopEnd},
		{"one call in many pieces", wiretest.Turn{Calls: two[:1], Fragment: 1}, model.StopToolUse},
		{"text and a call", wiretest.Turn{Text: "I look.", Calls: two[:1], Fragment: 3}, model.StopToolUse},
		{"two calls", wiretest.Turn{Calls: two, Fragment: 6}, model.StopToolUse},
		{"two calls interleaved", wiretest.Turn{Thinking: "Both.", Text: "So.", Calls: two, Fragment: 2, Interleave: true}, model.StopToolUse},
		{"a call without arguments", wiretest.Turn{Calls: []wiretest.Call{{Name: "list", Arguments: "{}"}}}, model.StopToolUse},
		{"an empty answer", wiretest.Turn{}, model.StopEnd},
		{"too long", wiretest.Turn{Text: "And so o", Stop: wiretest.StopLength}, model.StopLength},
		{"refused", wiretest.Turn{Text: "I cannot.", Stop: wiretest.StopRefusal}, model.StopRefusal},
		{"a long text", wiretest.Turn{Text: strings.Repeat(tricky, 20_000)}, model.StopEnd},
		{"usage", wiretest.Turn{Text: "x", Usage: wiretest.Usage{Input: 100, CacheRead: 2000, CacheWrite: 300, Output: 40}}, model.StopEnd},
	}
	eachAPI(t, func(t *testing.T, api string) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				if api == wire.APIOllama && test.stop == model.StopRefusal {
					t.Skip("the protocol has no refusals")
				}
				k := open(t, api, nil, test.turn)
				answer, err := k.ask(request())
				if err != nil {
					t.Fatal(err)
				}
				checkAnswer(t, api, answer, test.turn, test.stop)
			})
		}
	})
}

func checkAnswer(t *testing.T, api string, got *model.Message, want wiretest.Turn, stop model.StopReason) {
	t.Helper()
	if got.Role != model.RoleAssistant || got.API != api || got.Provider != "p" || got.Model != testModel || got.Time.IsZero() || got.Error != "" {
		t.Errorf("the answer is %+v", got)
	}
	if got.Text() != want.Text || thinkingOf(got) != want.Thinking {
		t.Errorf("the answer is %q after %q, not %q after %q", got.Text(), thinkingOf(got), want.Text, want.Thinking)
	}
	calls := got.Calls()
	if len(calls) != len(want.Calls) {
		t.Fatalf("there are %d calls, not %d", len(calls), len(want.Calls))
	}
	for i, c := range calls {
		if c.Name != want.Calls[i].Name || string(c.Arguments) != want.Calls[i].Arguments || c.Malformed != "" || c.ID == "" {
			t.Errorf("call %d is %+v (%s)", i, c, c.Arguments)
		}
	}
	if got.StopReason != stop {
		t.Errorf("the answer stopped because of %q, not %q", got.StopReason, stop)
	}
	u := model.Usage{Input: want.Usage.Input, Output: want.Usage.Output, CacheRead: want.Usage.CacheRead, CacheWrite: want.Usage.CacheWrite}
	u.Total = u.Input + u.Output + u.CacheRead + u.CacheWrite
	switch api { // what the protocols do not tell apart
	case wire.APIGoogle:
		u.Input, u.CacheWrite = u.Input+u.CacheWrite, 0
	case wire.APIOllama:
		u.Input, u.CacheWrite, u.CacheRead = u.Input+u.CacheWrite+u.CacheRead, 0, 0
	}
	if *got.Usage != u {
		t.Errorf("the usage is %+v, not %+v", *got.Usage, u)
	}
}

// TestRoundTrip shows an answer with its tools' results to the same model again; the server refuses what is not as it has sent it.
func TestRoundTrip(t *testing.T) {
	image := model.Block{Type: model.BlockImage, MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
	eachAPI(t, func(t *testing.T, api string) {
		k := open(t, api, nil,
			wiretest.Turn{
				Thinking: "Two files.\n\nI read both.", Redacted: "cmVkYWN0ZWQ=", Text: "I read.", Fragment: 3,
				Calls: []wiretest.Call{{Name: "read", Arguments: `{"path":"a"}`}, {Name: "read", Arguments: `{"path":"b"}`}},
			},
			wiretest.Turn{Text: "The image shows a crab.", Thinking: "A crab."},
			wiretest.Turn{Text: "Bye."},
		)
		r := request(model.Message{Role: model.RoleUser, Content: []model.Block{{Type: model.BlockText, Text: "What is this?"}, image}})
		r.System, r.SystemVolatile = "You help.", "It is Monday."
		r.Tools = []model.Tool{{Name: "read", Description: "Reads a file.", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
		r.CacheKey = "session-1"
		first, err := k.ask(r)
		if err != nil {
			t.Fatal(err)
		}
		calls := first.Calls()
		if len(calls) != 2 {
			t.Fatalf("there are %d calls", len(calls))
		}
		r.Messages = append(r.Messages, *first,
			model.Message{Role: model.RoleToolResult, ToolCallID: calls[0].ID, ToolName: "read", Content: []model.Block{{Type: model.BlockText, Text: "file a"}, image}},
			model.Message{Role: model.RoleToolResult, ToolCallID: calls[1].ID, ToolName: "read", IsError: true, Content: []model.Block{{Type: model.BlockText, Text: "no such file"}}},
		)
		second, err := k.ask(r)
		if err != nil {
			t.Fatal(err)
		}
		r.Messages = append(r.Messages, *second, model.User("Thanks."))
		if _, err := k.ask(r); err != nil {
			t.Fatal(err)
		}
		body := string(k.server.Requests()[2].Body)
		for _, want := range append(replayed[api], "What is this?", "iVBORw0KGgo=", "I read.", "file a", "no such file", "Thanks.", "You help.", "It is Monday.") {
			if !strings.Contains(body, want) {
				t.Errorf("the request has no %s:\n%s", want, body)
			}
		}
		if n := strings.Count(body, "iVBORw0KGgo="); n != 2 {
			t.Errorf("the request has %d images, not 2", n)
		}
	})
}

// replayed is what must go back as it came.
var replayed = map[string][]string{
	wire.APICompletions: {`"reasoning_content":"Two files.\n\nI read both."`, `"tool_call_id":"call_1_2"`, `"image_url"`},
	wire.APIResponses:   {`"encrypted_content":"sig+/1=="`, `"id":"rs_1"`, `"id":"fc_call_1_1"`, `"id":"msg_1"`, `"prompt_cache_key":"session-1"`},
	wire.APIMessages: {
		`"signature":"sig+/1=="`, `"thinking":"Two files.\n\nI read both."`, `{"data":"cmVkYWN0ZWQ=","type":"redacted_thinking"}`, `"is_error":true`,
		`{"cache_control":{"type":"ephemeral"},"text":"You help.","type":"text"}`, `{"cache_control":{"type":"ephemeral"},"text":"Thanks.","type":"text"}`,
	},
	wire.APIGoogle: {`"thoughtSignature":"sig+/1=="`, `"thoughtSignature":"Y2FsbA1="`, `"id":"call_1_2"`, `"thought":true`, `"error":"no such file"`, `"inlineData"`},
	wire.APIOllama: {`"thinking":"Two files.\n\nI read both."`, `"tool_name":"read"`, `"images":["iVBORw0KGgo="]`},
}
