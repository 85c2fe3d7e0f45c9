package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/model"
	"openclaw/runtime/model/script"
)

func client(t *testing.T, text string) *script.Client {
	t.Helper()
	s, err := script.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &script.Client{Open: func(string) (*script.Script, error) { return s, nil }}
}

func TestPlaysTurnAfterTurn(t *testing.T) {
	c := client(t, `{"turns":[
		{"expect":{"last":"hi","tools":["exec"],"notTools":["git"],"system":"You are"},"thinking":"so","text":"I look at the files.","calls":[{"name":"exec","arguments":{"command":"ls"}}]},
		{"expect":{"role":"toolResult","results":["a.txt"]},"text":"One file."}]}`)
	r := &model.Request{Model: "m", System: "You are", Messages: []model.Message{model.User("hi")}, Tools: []model.Tool{{Name: "exec"}}}
	var text, arguments string
	answer, err := c.Stream(t.Context(), r, func(d model.Delta) {
		switch d.Type {
		case model.DeltaText:
			text += d.Text
		case model.DeltaArguments:
			arguments += d.Text
		}
	})
	if err != nil || answer.StopReason != model.StopToolUse || text != "I look at the files." || arguments != `{"command":"ls"}` {
		t.Fatalf("answer %+v, error %v, text %q, arguments %q", answer, err, text, arguments)
	}
	calls := answer.Calls()
	if len(calls) != 1 || calls[0].ID != "call_1_1" || answer.Content[0].Thinking != "so" {
		t.Fatalf("content %+v", answer.Content)
	}
	r.Messages = append(r.Messages, *answer, model.Message{
		Role: model.RoleToolResult, ToolCallID: calls[0].ID, Content: []model.Block{{Type: model.BlockText, Text: "a.txt\n"}},
	})
	answer, err = c.Stream(t.Context(), r, nil)
	if err != nil || answer.Text() != "One file." || answer.StopReason != model.StopEnd {
		t.Fatalf("answer %+v, error %v", answer, err)
	}
	r.Messages = append(r.Messages, *answer, model.User("more"))
	if answer, err = c.Stream(t.Context(), r, nil); !errors.Is(err, script.ErrEnded) || answer.StopReason != model.StopError {
		t.Fatalf("after the end: %+v, %v", answer, err)
	}
}

func TestAnswersThatFailedDoNotCount(t *testing.T) {
	c := client(t, `{"turns":[{"text":"one"},{"text":"two"}]}`)
	r := &model.Request{Model: "m", Messages: []model.Message{
		model.User("hi"),
		{Role: model.RoleAssistant, Provider: script.Provider, Model: "m", StopReason: model.StopAborted},
		{Role: model.RoleAssistant, Provider: "other", Model: "m", StopReason: model.StopEnd},
	}}
	if answer, err := c.Stream(t.Context(), r, nil); err != nil || answer.Text() != "one" {
		t.Fatalf("answer %+v, error %v", answer, err)
	}
}

func TestExpectationsThatAreNotMet(t *testing.T) {
	for expect, want := range map[string]string{
		`{"last":"bye"}`:        `expected "bye" in the newest message, which is "hi"`,
		`{"role":"assistant"}`:  `expected the newest message to be of role "assistant", it is of "user"`,
		`{"results":["x"]}`:     `expected "x" in a tool's result`,
		`{"system":"zebra"}`:    `expected "zebra" in the system prompt`,
		`{"tools":["exec"]}`:    `expected the tool exec to be offered`,
		`{"notTools":["read"]}`: `expected the tool read not to be offered`,
		`{"messages":7}`:        `expected 7 messages, there are 1`,
	} {
		c := client(t, `{"turns":[{"expect":`+expect+`}]}`)
		_, err := c.Stream(t.Context(), &model.Request{Messages: []model.Message{model.User("hi")}, Tools: []model.Tool{{Name: "read"}}}, nil)
		if err == nil || !strings.Contains(err.Error(), "turn 1 of the script: "+want) {
			t.Errorf("%s: %v", expect, err)
		}
	}
}

func TestFailuresAndBrokenArguments(t *testing.T) {
	c := client(t, `{"turns":[{"text":"half","fail":{"kind":"rate_limit","message":"slow down","retryAfterMs":1500}},{"calls":[{"name":"read","arguments":"{\"path\":"}]}]}`)
	r := &model.Request{Messages: []model.Message{model.User("hi")}}
	answer, err := c.Stream(t.Context(), r, nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.KindRateLimit || e.RetryAfter != 1500*time.Millisecond || answer.Text() != "half" {
		t.Fatalf("answer %+v, error %v", answer, err)
	}
	r.Messages = append(r.Messages, model.Message{Role: model.RoleAssistant, Provider: script.Provider, StopReason: model.StopEnd})
	answer, err = c.Stream(t.Context(), r, nil)
	if call := answer.Calls()[0]; err != nil || call.Malformed != `{"path":` || string(call.Arguments) != "{}" {
		t.Fatalf("answer %+v, error %v", answer, err)
	}
}

func TestDelaysEndWithTheContext(t *testing.T) {
	c := client(t, `{"chunk":1,"turns":[{"text":"ab","chunkDelayMs":600000}]}`)
	ctx, cancel := context.WithCancel(t.Context())
	answer, err := c.Stream(ctx, &model.Request{Messages: []model.Message{model.User("hi")}}, func(model.Delta) { cancel() })
	if !errors.Is(err, context.Canceled) || answer.StopReason != model.StopAborted || answer.Text() != "a" {
		t.Fatalf("answer %+v, error %v", answer, err)
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		``:                                  `script: parse: line 1`,
		`{}`:                                `"turns" is missing or empty`,
		"{\n\"turns\": [\n{\"txt\":\"\"}]}": `line 3: json: unknown field "txt"`,
		"{\"turns\":[\n{\"text\":1}]}":      `line 2`,
		`{"turns":[{}]} x`:                  `there is more after the script`,
		`{"turns":[{},{"calls":[{}]}]}`:     `turn 2: call 1 has no name`,
		`{"turns":[{"delayMs":-1}]}`:        `turn 1: a delay is not between`,
	} {
		if _, err := script.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s.json")
	if _, err := script.Load(name); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(`{"turns":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := script.Load(name); err == nil || !strings.Contains(err.Error(), name) {
		t.Fatal(err)
	}
}

func TestMessagesKeepWhatTheyHold(t *testing.T) {
	in := model.Message{
		Role: model.RoleAssistant, Time: model.Millis{Time: time.UnixMilli(1_700_000_000_123)}, StopReason: model.StopToolUse,
		Content: []model.Block{
			{Type: model.BlockThinking, Thinking: "hm", Signature: "c2ln"},
			{Type: model.BlockThinking, Redacted: true, Signature: "x"},
			{Type: model.BlockToolCall, ID: "1", Name: "exec", Arguments: json.RawMessage(`{"command":"<&>"}`)},
			{Type: model.BlockImage, MIMEType: "image/png", Data: []byte{0, 255}},
		},
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out model.Message
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(out)
	if string(text) != string(again) || out.Content[0].Signature != "c2ln" || !out.Time.Equal(in.Time.Time) {
		t.Errorf("%s\n%s", text, again)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"turns":[{"text":"hi","calls":[{"name":"exec","arguments":{}}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := script.Parse(text)
		if err != nil {
			return
		}
		for i := range s.Turns {
			s.Turns[i].DelayMs, s.Turns[i].ChunkDelayMs = 0, 0
		}
		c := &script.Client{Open: func(string) (*script.Script, error) { return s, nil }}
		if answer, _ := c.Stream(t.Context(), &model.Request{Messages: []model.Message{model.User("x")}}, nil); answer == nil {
			t.Error("no answer")
		}
	})
}
