package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/model"
	"openclaw/runtime/model/wire"
	"openclaw/runtime/model/wire/wiretest"
)

func TestStatusesBecomeKinds(t *testing.T) {
	tests := []struct {
		status int
		kind   model.Kind
	}{
		{400, model.KindInvalid},
		{401, model.KindAuth},
		{402, model.KindBilling},
		{403, model.KindAuth},
		{404, model.KindNotFound},
		{408, model.KindTimeout},
		{413, model.KindOverflow},
		{422, model.KindInvalid},
		{429, model.KindRateLimit},
		{500, model.KindOverloaded},
		{502, model.KindOverloaded},
		{503, model.KindOverloaded},
		{504, model.KindTimeout},
		{529, model.KindOverloaded},
	}
	eachAPI(t, func(t *testing.T, api string) {
		for _, test := range tests {
			t.Run(fmt.Sprint(test.status), func(t *testing.T) {
				k := open(t, api, nil, wiretest.Turn{Status: test.status, Message: "Nope, sorry."})
				answer, e := k.failure(request())
				if e.Kind != test.kind || e.Status != test.status || e.Message != "Nope, sorry." || e.RetryAfter != 0 {
					t.Errorf("the error is %+v, not of kind %s", e, test.kind)
				}
				if len(answer.Content) != 0 {
					t.Errorf("the answer has %+v", answer.Content)
				}
				if n := len(k.server.Requests()); n != 1 {
					t.Errorf("there were %d requests", n)
				}
			})
		}
	})
}

func TestRetryAfterIsRead(t *testing.T) {
	date := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		header map[string]string
		body   string
		want   time.Duration
	}{
		{"seconds", map[string]string{"Retry-After": "17"}, "", 17 * time.Second},
		{"a fraction", map[string]string{"Retry-After": "0.5"}, "", 500 * time.Millisecond},
		{"milliseconds", map[string]string{"Retry-After-Ms": "250", "Retry-After": "1"}, "", 250 * time.Millisecond},
		{"a date by the server's clock", map[string]string{"Retry-After": date.Add(90 * time.Second).Format(http.TimeFormat), "Date": date.Format(http.TimeFormat)}, "", 90 * time.Second},
		{"a date that is past", map[string]string{"Retry-After": date.Add(-time.Hour).Format(http.TimeFormat), "Date": date.Format(http.TimeFormat)}, "", 0},
		{"nonsense", map[string]string{"Retry-After": "soon"}, "", 0},
		{"negative", map[string]string{"Retry-After": "-5"}, "", 0},
		{"not a number", map[string]string{"Retry-After": "NaN"}, "", 0},
		{"far too much", map[string]string{"Retry-After": "1e300"}, "", 24 * time.Hour},
		{"in the body", nil, `{"error":{"code":429,"message":"Quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x/QuotaFailure"},{"@type":"x/RetryInfo","retryDelay":"36.5s"}]}}`, 36*time.Second + 500*time.Millisecond},
	}
	eachAPI(t, func(t *testing.T, api string) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				k := open(t, api, nil, wiretest.Turn{Status: 429, Message: "Slow down.", Header: test.header, Body: test.body})
				if _, e := k.failure(request()); e.Kind != model.KindRateLimit || e.RetryAfter != test.want {
					t.Errorf("the error is %v, after %s, not after %s", e, e.RetryAfter, test.want)
				}
			})
		}
	})
}

// TestWordsTellTheKind has bodies as providers and compatible servers write them.
func TestWordsTellTheKind(t *testing.T) {
	openAI := func(kind, code, message string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":"messages","code":%q}}`, message, kind, code)
	}
	anthropic := func(kind, message string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, kind, message)
	}
	google := func(status, message, reason string) string {
		return fmt.Sprintf(`{"error":{"code":400,"message":%q,"status":%q,"details":[{"@type":"x/ErrorInfo","reason":%q}]}}`, message, status, reason)
	}
	tests := []struct {
		name, api string
		status    int
		body      string
		kind      model.Kind
	}{
		{"OpenAI's window", wire.APICompletions, 400, openAI("invalid_request_error", "context_length_exceeded", "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens."), model.KindOverflow},
		{"Responses' window", wire.APIResponses, 400, openAI("invalid_request_error", "context_length_exceeded", "Your input exceeds the context window of this model."), model.KindOverflow},
		{"Anthropic's window", wire.APIMessages, 400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), model.KindOverflow},
		{"Anthropic's window with the answer", wire.APIMessages, 400, anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"), model.KindOverflow},
		{"Anthropic's size", wire.APIMessages, 413, anthropic("request_too_large", "Request exceeds the maximum size"), model.KindOverflow},
		{"Gemini's window", wire.APIGoogle, 400, google("INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", ""), model.KindOverflow},
		{"Ollama's window", wire.APIOllama, 400, `{"error":"the input length exceeds the context length"}`, model.KindOverflow},
		{"llama.cpp's window", wire.APICompletions, 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}}`, model.KindOverflow},
		{"vLLM's window", wire.APICompletions, 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`, model.KindOverflow},
		{"xAI's window", wire.APICompletions, 400, `{"code":"invalid-argument","error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`, model.KindOverflow},
		{"a rate in tokens", wire.APIMessages, 429, anthropic("rate_limit_error", "This request would exceed your rate limit of 30,000 input tokens per minute; reduce the prompt length or the context window."), model.KindRateLimit},
		{"OpenAI's empty account", wire.APICompletions, 429, openAI("insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."), model.KindBilling},
		{"Anthropic's empty account", wire.APIMessages, 400, anthropic("invalid_request_error", "Your credit balance is too low to access the API."), model.KindBilling},
		{"DeepSeek's empty account", wire.APICompletions, 402, openAI("unknown_error", "invalid_request_error", "Insufficient Balance"), model.KindBilling},
		{"OpenAI's key", wire.APIResponses, 401, openAI("invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-ab***yz."), model.KindAuth},
		{"Gemini's key", wire.APIGoogle, 400, google("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "API_KEY_INVALID"), model.KindAuth},
		{"Gemini's list", wire.APIGoogle, 503, `[{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]`, model.KindOverloaded},
		{"OpenAI's missing model", wire.APICompletions, 404, openAI("invalid_request_error", "model_not_found", "The model `m` does not exist or you do not have access to it."), model.KindNotFound},
		{"a missing model as 400", wire.APICompletions, 400, openAI("invalid_request_error", "", "Model m does not exist."), model.KindNotFound},
		{"Ollama's missing model", wire.APIOllama, 404, `{"error":"model 'm' not found"}`, model.KindNotFound},
		{"Ollama's model without tools", wire.APIOllama, 400, `{"error":"registry.ollama.ai/library/m does not support tools"}`, model.KindInvalid},
		{"a filter", wire.APICompletions, 400, openAI("invalid_request_error", "content_filter", "The response was filtered."), model.KindRefused},
		{"FastAPI's", wire.APICompletions, 400, `{"detail":"messages: wrong"}`, model.KindInvalid},
		{"OpenRouter's", wire.APICompletions, 502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream says no"}}}`, model.KindOverloaded},
		{"a page", wire.APICompletions, 502, "<html><body>Bad gateway</body></html>", model.KindOverloaded},
		{"nothing", wire.APIMessages, 500, " ", model.KindOverloaded},
		{"text", wire.APIOllama, 500, "boom", model.KindOverloaded},
		{"broken JSON", wire.APIGoogle, 400, `{"error":`, model.KindInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := open(t, test.api, nil, wiretest.Turn{Status: test.status, Body: test.body})
			if _, e := k.failure(request()); e.Kind != test.kind {
				t.Errorf("the error is %v, not of kind %s", e, test.kind)
			}
		})
	}
}

func TestMessagesOfErrorsAreCut(t *testing.T) {
	k := open(t, wire.APICompletions, nil, wiretest.Turn{Status: 400, Body: strings.Repeat("é", 5<<20)})
	_, e := k.failure(request())
	if len(e.Message) > model.MaxErrorText || len(e.Message) < model.MaxErrorText-4 || strings.ContainsRune(e.Message, '\uFFFD') {
		t.Errorf("the message has %d bytes", len(e.Message))
	}
}

// TestStreamsThatBreak ends streams in all ways but the right one. What had come is kept.
func TestStreamsThatBreak(t *testing.T) {
	tests := []struct {
		end   wiretest.Break
		kind  model.Kind
		cause error
	}{
		{wiretest.BreakHalf, model.KindNetwork, wire.ErrIncomplete},
		{wiretest.BreakReset, model.KindNetwork, nil},
		{wiretest.BreakError, model.KindOverloaded, nil},
		{wiretest.BreakGarbage, model.KindUnknown, wire.ErrFormat},
		{wiretest.BreakHuge, model.KindUnknown, wire.ErrTooLarge},
		{wiretest.BreakHold, model.KindTimeout, wire.ErrSilent},
		{wiretest.BreakDrip, model.KindTimeout, wire.ErrSilent},
	}
	eachAPI(t, func(t *testing.T, api string) {
		for _, test := range tests {
			t.Run(string(test.end), func(t *testing.T) {
				idle := func(o *wire.Options) {
					if test.cause == wire.ErrSilent {
						o.Idle = 100 * time.Millisecond
					}
				}
				k := open(t, api, idle, wiretest.Turn{
					Thinking: "Well.", Text: "I begin", Fragment: 2, Break: test.end, Message: "Too much to do.",
					Calls: []wiretest.Call{{Name: "read", Arguments: `{"path":"a"}`}},
				})
				answer, e := k.failure(request())
				if api == wire.APIOllama && test.end == wiretest.BreakError {
					test.kind = model.KindUnknown // the protocol has only a text
				}
				if e.Kind != test.kind || test.cause != nil && !errors.Is(e, test.cause) {
					t.Errorf("the error is %v, not of kind %s because of %v", e, test.kind, test.cause)
				}
				if test.end == wiretest.BreakError && e.Message != "Too much to do." {
					t.Errorf("the message is %q", e.Message)
				}
				if answer.Text() != "I begin" || thinkingOf(answer) != "Well." || len(answer.Calls()) != 1 {
					t.Errorf("the answer has %+v", answer.Content)
				}
			})
		}
	})
}

func TestTheFirstEventIsWaitedForOnlySoLong(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		gone := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			// The body is read, because only then the server notices that the client goes.
			_, _ = r.Body.Read(make([]byte, 1<<20))
			<-r.Context().Done()
			close(gone)
		}))
		defer server.Close()
		transport := wire.NewTransport()
		defer transport.CloseIdleConnections()
		client, err := wire.New(wire.Options{API: api, Provider: "p", BaseURL: server.URL, FirstEvent: 50 * time.Millisecond, Idle: time.Hour, Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Stream(t.Context(), request(), nil)
		if model.KindOf(err) != model.KindTimeout || !errors.Is(err, wire.ErrSilent) {
			t.Errorf("the error is %v", err)
		}
		<-gone
	})
}

func TestNobodyListens(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	address := server.URL
	server.Close()
	eachAPI(t, func(t *testing.T, api string) {
		client, err := wire.New(wire.Options{API: api, Provider: "p", BaseURL: address, Key: wiretest.Key})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Stream(t.Context(), request(), nil)
		if model.KindOf(err) != model.KindNetwork || answer == nil || answer.StopReason != model.StopError {
			t.Errorf("the error is %v, the answer %+v", err, answer)
		}
	})
}

// TestServersThatAreNotWhoTheyShouldBe are no use to ask again.
func TestServersThatAreNotWhoTheyShouldBe(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	open := httptest.NewServer(http.NotFoundHandler())
	defer open.Close()
	for _, address := range []string{secure.URL, strings.Replace(open.URL, "http:", "https:", 1)} {
		client, err := wire.New(wire.Options{API: wire.APICompletions, Provider: "p", BaseURL: address, Key: wiretest.Key})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Stream(t.Context(), request(), nil); model.KindOf(err) != model.KindInvalid {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestCancelling ends requests in the middle of a stream, and before.
func TestCancelling(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		k := open(t, api, nil, wiretest.Turn{Text: "I begin", Break: wiretest.BreakHold})
		ctx, cancel := context.WithCancel(t.Context())
		answer, err := k.client.Stream(ctx, request(), func(model.Delta) { cancel() })
		if !errors.Is(err, context.Canceled) || answer.StopReason != model.StopAborted || answer.Text() != "I begin" {
			t.Errorf("the error is %v, the answer %+v", err, answer)
		}
		answer, err = k.client.Stream(ctx, request(), nil)
		if !errors.Is(err, context.Canceled) || answer.StopReason != model.StopAborted {
			t.Errorf("the error is %v, the answer %+v", err, answer)
		}
	})
	t.Run("by a deadline", func(t *testing.T) {
		k := open(t, wire.APIMessages, nil, wiretest.Turn{Text: "I begin", Break: wiretest.BreakHold})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := k.client.Stream(ctx, request(), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		k := open(t, api, nil, wiretest.Turn{Text: "1"}, wiretest.Turn{Status: 500, Message: "no"}, wiretest.Turn{Text: "3"})
		for range 3 {
			_, _ = k.ask(request())
		}
		peers := map[string]bool{}
		for _, r := range k.server.Requests() {
			peers[r.Peer] = true
		}
		if len(peers) != 1 {
			t.Errorf("there were %d connections", len(peers))
		}
	})
}
