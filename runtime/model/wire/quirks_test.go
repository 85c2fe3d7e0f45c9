package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/model"
	"openclaw/runtime/model/wire"
	"openclaw/runtime/model/wire/wiretest"
)

// sse makes a stream of events.
func sse(data ...string) string {
	return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n"
}

// TestServersThatAreDifferent has streams that compatible servers send, and what is rare in those of the providers.
func TestServersThatAreDifferent(t *testing.T) {
	const finish = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	tests := []struct {
		name, api, raw string
		text, thinking string
		calls          string // name arguments malformed; …
		stop           model.StopReason
	}{
		{"no [DONE]", wire.APICompletions, sse(`{"choices":[{"delta":{"content":"a"}}]}`, finish), "a", "", "", model.StopEnd},
		{"no finish_reason", wire.APICompletions, sse(`{"choices":[{"delta":{"content":"a"}}]}`, "[DONE]"), "a", "", "", model.StopEnd},
		{"no blank line at the end", wire.APICompletions, "data:" + `{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`, "a", "", "", model.StopEnd},
		{"an event in lines", wire.APICompletions, "\xef\xbb\xbfdata: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\n" + sse("[DONE]"), "a", "", "", model.StopEnd},
		{"a null error", wire.APICompletions, sse(`{"error":null,"choices":[{"delta":{"content":"a","refusal":null,"tool_calls":null},"finish_reason":null}],"usage":null}`, finish), "a", "", "", model.StopEnd},
		{"calls without numbers", wire.APICompletions, sse(
			`{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":":1}"}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"g","arguments":"{}"}}]}}]}`, finish), "", "", `f {"x":1} ; g {} ;`, model.StopToolUse},
		{"arguments as an object", wire.APICompletions, sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":{"x":1}}}]}}]}`, finish), "", "", `f {"x":1} ;`, model.StopToolUse},
		{"a refusal", wire.APICompletions, sse(`{"choices":[{"delta":{"refusal":"No."}}]}`, finish), "No.", "", "", model.StopRefusal},
		{"Mistral's thinking", wire.APICompletions, sse(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Yes."}]}}]}`, finish), "Yes.", "Hm.", "", model.StopEnd},
		{"thinking under two names", wire.APICompletions, sse(`{"choices":[{"delta":{"reasoning":"Hm.","reasoning_content":"Hm."}}]}`, finish), "", "Hm.", "", model.StopEnd},
		{"a second choice", wire.APICompletions, sse(`{"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]}`, finish), "a", "", "", model.StopEnd},
		{"broken arguments", wire.APICompletions, sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\": "}}]}}]}`, finish), "", "", `f {} {"x":;`, model.StopToolUse},
		{"arguments that are a list", wire.APICompletions, sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"[1]"}}]}}]}`, finish), "", "", `f {} [1];`, model.StopToolUse},
		{"null arguments", wire.APICompletions, sse(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":null}}]}}]}`, finish), "", "", `f {} ;`, model.StopToolUse},

		{"items only at their end", wire.APIResponses, sse(
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"r","type":"reasoning","summary":[{"text":"A."},{"text":"B."}],"encrypted_content":"e"}}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"id":"m","type":"message","content":[{"type":"output_text","text":"Yes."}]}}`,
			`{"type":"response.output_item.done","output_index":2,"item":{"id":"w","type":"web_search_call"}}`,
			`{"type":"response.output_item.done","output_index":3,"item":{"id":"f","type":"function_call","call_id":"c","name":"f","arguments":"{\"x\":"}}`,
			`{"type":"response.completed","response":{"status":"completed"}}`), "Yes.", "A.\n\nB.", `f {} {"x":;`, model.StopToolUse},
		{"events that are new", wire.APIResponses, sse(`{"type":"response.something.new","delta":{"a":1}}`, `{"type":"response.output_text.delta","output_index":9,"delta":"?"}`, `{"type":"response.completed","response":{"status":"completed"}}`), "", "", "", model.StopEnd},
		{"cut inside a call", wire.APIResponses, sse(
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"x"}`,
			`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`), "", "", `f {} {"x;`, model.StopLength},

		{"no message_stop", wire.APIMessages, sse(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`), "", "", "", model.StopEnd},
		{"blocks that come whole", wire.APIMessages, sse(
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm.","signature":"s"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Yes."}}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c","name":"f","input":{"x":1}}}`,
			`{"type":"message_stop"}`), "Yes.", "Hm.", `f {"x":1} ;`, model.StopToolUse},
		{"broken input", wire.APIMessages, sse(
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x\": 1"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`, `{"type":"message_stop"}`), "", "", `f {} {"x": 1;`, model.StopLength},
		{"blocks that are new", wire.APIMessages, sse(
			`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"c","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
			`{"type":"content_block_stop","index":0}`, `{"type":"message_stop"}`), "", "", "", model.StopEnd},

		{"signed pieces", wire.APIGoogle, sse(
			`{"candidates":[{"content":{"parts":[{"text":"a","thoughtSignature":"s"},{"text":"b"}]}}]}`,
			`{"candidates":[{"content":{"parts":[{"text":"c"},{"functionCall":{"name":"f"}},{"text":"d"}]},"finishReason":"STOP"}]}`), "abcd", "", "f {} ;", model.StopToolUse},
		{"a recitation", wire.APIGoogle, sse(`{"candidates":[{"finishReason":"RECITATION"}]}`), "", "", "", model.StopRefusal},

		{"arguments as a text", wire.APIOllama, `{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":1}"}}]},"done":true}`, "", "", `f {"x":1} ;`, model.StopToolUse},
	}
	for _, test := range tests {
		t.Run(test.api+" "+test.name, func(t *testing.T) {
			k := open(t, test.api, nil, wiretest.Turn{Raw: test.raw})
			answer, err := k.ask(request())
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			for _, c := range answer.Calls() {
				if c.ID == "" {
					t.Errorf("the call %+v has no id", c)
				}
				calls = append(calls, fmt.Sprintf("%s %s %s;", c.Name, c.Arguments, strings.TrimSpace(c.Malformed)))
			}
			if got := strings.Join(calls, " "); answer.Text() != test.text || thinkingOf(answer) != test.thinking || got != test.calls || answer.StopReason != test.stop {
				t.Errorf("%q after %q, calls %q, stopped because of %q", answer.Text(), thinkingOf(answer), got, answer.StopReason)
			}
		})
	}
}

func TestFailuresInStreams(t *testing.T) {
	tests := []struct {
		name, api, raw string
		kind           model.Kind
	}{
		{"a window", wire.APIResponses, sse(`{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"Too long."}}}`), model.KindOverflow},
		{"a rate", wire.APIResponses, sse(`{"type":"error","code":"rate_limit_exceeded","message":"Slow down.","param":null}`), model.KindRateLimit},
		{"no reason", wire.APIResponses, sse(`{"type":"response.failed","response":{"status":"failed","error":null}}`), model.KindUnknown},
		{"a blocked prompt", wire.APIGoogle, sse(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`), model.KindRefused},
		{"a broken call", wire.APIGoogle, sse(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"f("}]}`), model.KindOverloaded},
		{"no money", wire.APIMessages, sse(`{"type":"error","error":{"type":"billing_error","message":"Pay."}}`), model.KindBilling},
		{"a number", wire.APICompletions, sse(`{"error":{"code":429,"message":"Upstream says no."},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`), model.KindRateLimit},
		{"a reason", wire.APICompletions, sse(`{"choices":[{"delta":{},"finish_reason":"error"}]}`, "[DONE]"), model.KindOverloaded},
		{"nothing at all", wire.APICompletions, ": hello\n\n", model.KindNetwork},
		{"a whole answer in place of a stream", wire.APIMessages, `{"id":"m","content":[{"type":"text","text":"a"}]}`, model.KindNetwork},
		{"a page", wire.APIOllama, "<html>\n", model.KindUnknown},
	}
	for _, test := range tests {
		t.Run(test.api+" "+test.name, func(t *testing.T) {
			k := open(t, test.api, nil, wiretest.Turn{Raw: test.raw})
			if _, e := k.failure(request()); e.Kind != test.kind {
				t.Errorf("the error is %v, not of kind %s", e, test.kind)
			}
		})
	}
}

// TestSuccessThatIsNoStream has servers that answer otherwise than they were asked.
func TestSuccessThatIsNoStream(t *testing.T) {
	tests := []struct {
		contentType, body, message string
		kind                       model.Kind
	}{
		{"application/json; charset=utf-8", `{"error":{"message":"Slow down.","code":429}}`, "Slow down.", model.KindRateLimit},
		{"application/json", `{"error":{"message":"No money.","type":"billing_error"}}`, "No money.", model.KindBilling},
		{"text/html", "<html>", "the server answers with a page of HTML", model.KindUnknown},
	}
	for _, test := range tests {
		k := open(t, wire.APICompletions, nil, wiretest.Turn{Status: 200, Header: map[string]string{"Content-Type": test.contentType}, Body: test.body})
		if _, e := k.failure(request()); e.Kind != test.kind || e.Message != test.message {
			t.Errorf("the error is %v, not %s: %s", e, test.kind, test.message)
		}
	}
}

// TestACompleteAnswerIsKept breaks the connection after the answer's end, but before the stream's.
func TestACompleteAnswerIsKept(t *testing.T) {
	ends := map[string]string{
		wire.APICompletions: sse(`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`),
		wire.APIMessages:    sse(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`),
		wire.APIGoogle:      sse(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`),
	}
	for api, raw := range ends {
		for _, how := range []wiretest.Break{wiretest.BreakReset, wiretest.BreakHold} {
			k := open(t, api, func(o *wire.Options) { o.Idle = 50 * time.Millisecond }, wiretest.Turn{Raw: raw, Break: how})
			if answer, err := k.ask(request()); err != nil || answer.Text() != "a" || answer.StopReason != model.StopEnd {
				t.Errorf("%s %s: the answer is %+v (%v)", api, how, answer, err)
			}
		}
	}
}

// TestAnswersAreBounded sends too much of everything.
func TestAnswersAreBounded(t *testing.T) {
	call := `{"choices":[{"delta":{"tool_calls":[{"id":"c%d","function":{"name":"f","arguments":"{}"}}]}}]}`
	block := `{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":"a"}}`
	many := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(sse(fmt.Sprintf(format, i)))
		}
		return b.String()
	}
	long := `{"message":{"content":"` + strings.Repeat("a", 1<<20) + `"}}` + "\n"
	tests := []struct{ name, api, raw string }{
		{"calls", wire.APICompletions, many(call, wire.MaxCalls+1)},
		{"blocks", wire.APIMessages, many(block, wire.MaxBlocks+1)},
		{"text", wire.APIOllama, strings.Repeat(long, wire.MaxAnswerBytes>>20+1)},
		{"signatures", wire.APIGoogle, strings.Repeat(sse(`{"candidates":[{"content":{"parts":[{"text":"a","thoughtSignature":"`+strings.Repeat("A", 1<<20)+`"}]}}]}`), wire.MaxAnswerBytes>>20+1)},
		{"lines of an event", wire.APIResponses, strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n", wire.MaxEventBytes/1000+1)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := open(t, test.api, nil, wiretest.Turn{Raw: test.raw})
			if _, e := k.failure(request()); !errors.Is(e, wire.ErrTooLarge) {
				t.Errorf("the error is %v", e)
			}
		})
	}
}

// FuzzStreams looks for streams that bring the client down or make pieces that are not those of the answer.
func FuzzStreams(f *testing.F) {
	for _, raw := range []string{
		sse(`{"choices":[{"delta":{"content":"a","reasoning":"b","reasoning_details":[{"x":1}],"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]},"finish_reason":"stop"}]}`, "[DONE]"),
		sse(`{"type":"response.output_item.added","output_index":0,"item":{"type":"message"}}`, `{"type":"response.output_text.delta","output_index":0,"delta":"a"}`, `{"type":"response.completed","response":{}}`),
		sse(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"a"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}`, `{"type":"message_stop"}`),
		sse(`{"candidates":[{"content":{"parts":[{"text":"a","thought":true},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"s"}]},"finishReason":"STOP"}]}`),
		`{"message":{"content":"a","thinking":"b","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":true}` + "\n",
	} {
		for api := range wiretest.APIs {
			f.Add(api, []byte(raw))
		}
	}
	f.Fuzz(func(t *testing.T, which int, raw []byte) {
		if which < 0 || which >= len(wiretest.APIs) || len(raw) == 0 {
			return
		}
		client, err := wire.New(wire.Options{API: wiretest.APIs[which], Provider: "p", Transport: canned(raw)})
		if err != nil {
			t.Fatal(err)
		}
		k := &talk{t: t, api: wiretest.APIs[which], client: client}
		answer, err := k.ask(request())
		if err == nil && answer.StopReason == model.StopError {
			t.Errorf("the answer is %+v without an error", answer)
		}
	})
}
