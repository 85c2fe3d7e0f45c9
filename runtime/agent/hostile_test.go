package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"openclaw/runtime/agent"
	"openclaw/runtime/model/wire"
	"openclaw/runtime/model/wire/wiretest"
	"openclaw/runtime/session"
)

// wireHome is a home whose agent asks a server.
func wireHome(t *testing.T, s *wiretest.Server, api string) *home {
	t.Helper()
	return newHome(t, fmt.Sprintf(`{
		agents: {defaults: {model: "test/m"}},
		models: {providers: {test: {baseUrl: %q, api: %q, apiKey: %q, models: [{id: "m", reasoning: true, input: ["text", "image"], contextWindow: 200000}]}}},
	}`, s.URL, api, wiretest.Key))
}

// goOn runs a turn that must end with an answer.
func (h *home) goOn(message, want string) {
	h.t.Helper()
	out, err := h.runtime.Run(h.t.Context(), agent.Turn{Message: message})
	if err != nil {
		h.t.Fatalf("%s: %.500v", message, err)
	}
	if out.Final != want {
		h.t.Errorf("%s: the answer is %.100q, want %q", message, out.Final, want)
	}
}

func wideArguments(bytes int) string {
	return `{"path":"big","content":"` + strings.Repeat("x", bytes) + `"}`
}

func nestedArguments(levels int) string {
	return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
}

// absurd are answers that no model should give, in any protocol. The run goes on after each.
func absurd() map[string]wiretest.Turn {
	calls := func(list ...wiretest.Call) wiretest.Turn { return wiretest.Turn{Calls: list} }
	const fine = `{"command":"echo fine"}`
	var many []wiretest.Call
	for i := range 200 {
		many = append(many, wiretest.Call{ID: fmt.Sprintf("c%d", i), Name: "nope", Arguments: "{}"})
	}
	return map[string]wiretest.Turn{
		"a tool without a name":        calls(wiretest.Call{Arguments: fine}),
		"control characters in a name": calls(wiretest.Call{Name: "ex\x1b[31mec\n\x00", Arguments: fine}),
		"a long name":                  calls(wiretest.Call{Name: strings.Repeat("n", 5000), Arguments: fine}),
		"a name in another language":   calls(wiretest.Call{Name: "ausführen!", Arguments: fine}),
		"an id twice":                  calls(wiretest.Call{ID: "same", Name: "exec", Arguments: fine}, wiretest.Call{ID: "same", Name: "exec", Arguments: fine}),
		"a long id of strange bytes":   calls(wiretest.Call{ID: strings.Repeat("\x00 ", 500), Name: "exec", Arguments: fine}),
		"200 calls":                    {Calls: many},
		"arguments nested 9990 deep":   calls(wiretest.Call{Name: "exec", Arguments: nestedArguments(9990)}),
	}
}

// large are answers that the transcript cannot keep, in whichever protocol they come.
func large() map[string]wiretest.Turn {
	write := func(bytes int) wiretest.Call { return wiretest.Call{Name: "write", Arguments: wideArguments(bytes)} }
	return map[string]wiretest.Turn{
		"arguments of 5 MB":             {Calls: []wiretest.Call{write(5 << 20)}},
		"calls of 5 MB together":        {Calls: []wiretest.Call{write(5 << 19), write(5 << 19)}},
		"malformed arguments of 5 MB":   {Calls: []wiretest.Call{{Name: "write", Arguments: strings.Repeat("x", 5<<20)}}},
		"thinking of 5 MB before calls": {Thinking: strings.Repeat("hm, ", 5<<18), Calls: []wiretest.Call{write(1)}},
	}
}

// TestAbsurdAnswersAreOvercome has models call tools as none should: the run goes on to its end, and so does the next one, whatever the
// provider minds in the conversation.
func TestAbsurdAnswersAreOvercome(t *testing.T) {
	overcome := func(name, api string, turn wiretest.Turn) {
		t.Run(name+"/"+api, func(t *testing.T) {
			t.Parallel()
			s := wiretest.New(api, turn, wiretest.Turn{Text: "I go on."}, wiretest.Turn{Text: "And on."})
			defer s.Close()
			h := wireHome(t, s, api)
			h.goOn("begin", "I go on.")
			h.goOn("again", "And on.")
		})
	}
	for name, turn := range absurd() {
		for _, api := range wiretest.APIs {
			overcome(name, api, turn)
		}
	}
	for name, turn := range large() {
		overcome(name, wire.APIMessages, turn)
	}
}

// TestAnAnswerThatIsTooLargeToKeepIsShortened has an answer that is larger than an entry of the transcript, without calls: people see
// all of it, the transcript keeps its beginning.
func TestAnAnswerThatIsTooLargeToKeepIsShortened(t *testing.T) {
	long := strings.Repeat("wörd ", 1<<20)
	s := wiretest.New(wire.APIMessages, wiretest.Turn{Text: long, Fragment: 1 << 16}, wiretest.Turn{Text: "And on."})
	defer s.Close()
	h := wireHome(t, s, wire.APIMessages)
	h.goOn("begin", long)
	h.goOn("again", "And on.")
	text := h.entries(mainKey)[1].Text()
	if !strings.HasPrefix(text, "wörd wörd ") || !strings.Contains(text, "left out") || len(text) > 1<<20 {
		t.Errorf("%d bytes are kept: %.50q", len(text), text)
	}
}

// TestAModelThatOnlyGivesTooMuchEndsTheRun has one that does not learn.
func TestAModelThatOnlyGivesTooMuchEndsTheRun(t *testing.T) {
	turn := wiretest.Turn{Calls: []wiretest.Call{{Name: "write", Arguments: wideArguments(5 << 20)}}}
	s := wiretest.New(wire.APIOllama, turn, turn, turn, turn)
	defer s.Close()
	h := wireHome(t, s, wire.APIOllama)
	_, err := h.runtime.Run(t.Context(), agent.Turn{Message: "go"})
	if err == nil || !strings.Contains(err.Error(), "too large") || s.Left() != 1 {
		t.Errorf("%.300v, %d turns are left", err, s.Left())
	}
}

// TestArgumentsThatAreNoUTF8 has servers that send raw bytes within JSON.
func TestArgumentsThatAreNoUTF8(t *testing.T) {
	for api, text := range map[string]string{
		wire.APIOllama: `{"message":{"role":"assistant","content":"a","tool_calls":[{"function":{"name":"exec","arguments":{"command":"echo ` + "\xff\xfe" + `"}}}]},"done":false}` +
			"\n" + `{"done":true,"done_reason":"stop"}` + "\n",
		wire.APIGoogle: `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"exec","args":{"command":"echo ` + "\xff" + `"}}}]},"finishReason":"STOP"}]}` + "\n\n",
	} {
		t.Run(api, func(t *testing.T) {
			s := wiretest.New(api, wiretest.Turn{Raw: text}, wiretest.Turn{Text: "I go on."})
			defer s.Close()
			wireHome(t, s, api).goOn("begin", "I go on.")
		})
	}
}

// TestIdsThatComeAgainAreToldApart has a server that counts its calls from the beginning in each answer.
func TestIdsThatComeAgainAreToldApart(t *testing.T) {
	for _, api := range wiretest.APIs {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			turn := func(text string) wiretest.Turn {
				return wiretest.Turn{Calls: []wiretest.Call{{ID: "call_0", Name: "exec", Arguments: `{"command":"echo ` + text + `"}`}}}
			}
			s := wiretest.New(api, turn("one"), turn("two"), turn("three"), wiretest.Turn{Text: "Done."})
			defer s.Close()
			h := wireHome(t, s, api)
			h.goOn("begin", "Done.")
			var results []string
			for _, e := range h.entries(mainKey) {
				if e.Role() == session.RoleToolResult {
					results = append(results, strings.TrimSpace(e.Text()))
				}
			}
			if got, _ := json.Marshal(results); string(got) != `["one","two","three"]` {
				t.Errorf("results %s", got)
			}
		})
	}
}
