package agent_test

import (
	"strings"
	"testing"

	"openclaw/runtime/agent"
	"openclaw/runtime/model"
	"openclaw/runtime/session"
)

func entry(t *testing.T, kind session.Type, body string) session.Entry {
	t.Helper()
	return session.Entry{ID: "e", Type: kind, Body: []byte(body)}
}

func TestWhatAModelIsShownOfATranscript(t *testing.T) {
	list, err := agent.Messages([]session.Entry{
		entry(t, session.TypeCompaction, `{"summary":"we met"}`),
		entry(t, session.TypeMessage, `{"message":{"role":"user","content":"plain text, as older transcripts have it"}}`),
		entry(t, session.TypeMessage, `{"message":{"role":"assistant","content":[
			{"type":"thinking","thinking":"hm","thinkingSignature":"sig"},{"type":"unknown","x":1},
			{"type":"toolCall","id":"1","name":"exec","arguments":{"command":"a"}},{"type":"toolCall","id":"2","name":"exec"}],"stopReason":"toolUse"}}`),
		entry(t, session.TypeMessage, `{"message":{"role":"toolResult","toolCallId":"2","toolName":"exec","content":[{"type":"text","text":"second"}]}}`),
		entry(t, session.TypeMessage, `{"message":{"role":"toolResult","toolCallId":"1","toolName":"exec","content":[{"type":"text","text":"first"}],"isError":true}}`),
		entry(t, session.TypeCustom, `{"customType":"x","data":1}`),
		entry(t, session.TypeCustomMessage, `{"customType":"x","content":"by the way","display":false}`),
		entry(t, session.TypeMessage, `{"message":{"role":"bashExecution","command":"ls","output":"a.txt"}}`),
		entry(t, session.TypeBranchSummary, `{"summary":"elsewhere","fromId":"x"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, string(m.Role)+":"+m.ToolCallID+":"+m.Text())
	}
	want := []string{
		"user::What happened in this conversation until now, in short:\n\nwe met", "user::plain text, as older transcripts have it", "assistant::",
		"toolResult:1:first", "toolResult:2:second", "user::by the way", "user::$ ls\na.txt",
	}
	if len(got) != len(want)+1 || strings.Join(got[:len(want)], "|") != strings.Join(want, "|") || !strings.HasSuffix(got[len(want)], "elsewhere") {
		t.Errorf("%q", got)
	}
	if a := list[2]; a.Content[0].Signature != "sig" || len(a.Calls()) != 2 || string(a.Calls()[1].Arguments) != "{}" || a.StopReason != model.StopToolUse {
		t.Errorf("%+v", a)
	}
}

func TestEntriesThatNoModelCanRead(t *testing.T) {
	for _, body := range []string{`{"message":{"role":"user","content":7}}`, `{"message":3}`, `[`} {
		if _, err := agent.Messages([]session.Entry{entry(t, session.TypeMessage, body)}); err == nil || !strings.Contains(err.Error(), "agent: entry e: ") {
			t.Errorf("%s: %v", body, err)
		}
	}
}
