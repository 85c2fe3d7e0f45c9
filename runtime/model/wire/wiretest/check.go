package wiretest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"openclaw/runtime/model/wire"
)

// check refuses what the providers of the protocol refuse.
func (s *Server) check(r *http.Request, body []byte) (int, error) {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, fmt.Errorf("the method is %s", r.Method)
	}
	if !s.hasKey(r) {
		return http.StatusUnauthorized, errors.New("the key is missing or wrong")
	}
	if s.api == wire.APIGoogle && (!strings.HasPrefix(r.URL.Path, "/v1beta/models/") || !strings.HasSuffix(r.URL.Path, ":streamGenerateContent") || r.URL.Query().Get("alt") != "sse") {
		return http.StatusNotFound, fmt.Errorf("there is nothing at %s", r.URL.RequestURI())
	}
	if want, ok := paths[s.api]; ok && r.URL.Path != want {
		return http.StatusNotFound, fmt.Errorf("there is nothing at %s", r.URL.Path)
	}
	var b map[string]any
	if err := json.Unmarshal(body, &b); err != nil {
		return http.StatusBadRequest, err
	}
	if s.api != wire.APIGoogle && b["stream"] != true {
		return http.StatusBadRequest, errors.New("no stream was asked for")
	}
	var err error
	switch s.api {
	case wire.APICompletions, wire.APIOllama:
		err = checkCompletions(b, s.api == wire.APIOllama)
	case wire.APIResponses:
		err = s.checkResponses(b)
	case wire.APIMessages:
		err = s.checkMessages(r, b)
	case wire.APIGoogle:
		err = s.checkGoogle(b)
	}
	return http.StatusBadRequest, err
}

var paths = map[string]string{
	wire.APICompletions: "/v1/chat/completions", wire.APIResponses: "/v1/responses", wire.APIMessages: "/v1/messages", wire.APIOllama: "/api/chat",
}

func (s *Server) hasKey(r *http.Request) bool {
	switch s.api {
	case wire.APIMessages:
		return r.Header.Get("X-Api-Key") == Key || r.Header.Get("Authorization") == "Bearer "+Key
	case wire.APIGoogle:
		return r.Header.Get("X-Goog-Api-Key") == Key
	case wire.APIOllama:
		return true
	}
	return r.Header.Get("Authorization") == "Bearer "+Key
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func obj(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// open are the calls by their ids, and whether they wait for their results.
type open map[string]bool

// toolName is what a tool can be called.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// call takes a call. Not all providers mind an id that comes twice, but some do.
func (o open) call(id, name string) error {
	if _, before := o[id]; before {
		return fmt.Errorf("the id %q comes twice", id)
	}
	if !toolName.MatchString(name) {
		return fmt.Errorf("no tool can be called %q", name)
	}
	o[id] = true
	return nil
}

func (o open) answer(id string) error {
	if !o[id] {
		return fmt.Errorf("there is a result of %q, which was not called", id)
	}
	o[id] = false
	return nil
}

func (o open) empty() error {
	for id, waits := range o {
		if waits {
			return fmt.Errorf("the call %q has no result", id)
		}
	}
	return nil
}

func checkCompletions(b object, isOllama bool) error {
	calls := open{}
	messages := list(b["messages"])
	if len(messages) == 0 {
		return errors.New("there are no messages")
	}
	for i, raw := range messages {
		m := obj(raw)
		role := str(m["role"])
		if role != "tool" {
			if err := calls.empty(); err != nil {
				return err
			}
		}
		switch role {
		case "system":
			if i != 0 {
				return errors.New("the system prompt is not in front")
			}
		case "user":
		case "assistant":
			if m["content"] == nil && m["tool_calls"] == nil {
				return errors.New("an assistant's message is empty")
			}
			for _, c := range list(m["tool_calls"]) {
				function := obj(obj(c)["function"])
				if _, isText := function["arguments"].(string); isText == isOllama {
					return errors.New("arguments are of the wrong type")
				}
				if err := calls.call(str(obj(c)["id"]), str(function["name"])); err != nil {
					return err
				}
			}
		case "tool":
			if _, ok := m["content"].(string); !ok {
				return errors.New("a result is no text")
			}
			if err := calls.answer(str(m["tool_call_id"])); err != nil {
				return err
			}
		default:
			return fmt.Errorf("there is no role %q", role)
		}
	}
	return calls.empty()
}

func (s *Server) checkResponses(b object) error {
	calls := open{}
	reasoning := false
	if b["store"] != false {
		return errors.New("the conversation would be stored")
	}
	for _, raw := range list(b["input"]) {
		item := obj(raw)
		kind := str(item["type"])
		if kind != "function_call" && kind != "function_call_output" && kind != "reasoning" {
			if err := calls.empty(); err != nil {
				return err
			}
		}
		if reasoning && kind != "message" && kind != "function_call" {
			return errors.New("reasoning is without the item that must follow it")
		}
		reasoning = false
		switch kind {
		case "reasoning":
			reasoning = true
			if err := s.signed(str(item["encrypted_content"]), str(obj(first(item["summary"]))["text"])); err != nil {
				return err
			}
		case "function_call":
			if _, ok := item["arguments"].(string); !ok {
				return errors.New("arguments are no text")
			}
			if err := calls.call(str(item["call_id"]), str(item["name"])); err != nil {
				return err
			}
		case "function_call_output":
			if err := calls.answer(str(item["call_id"])); err != nil {
				return err
			}
		}
	}
	if reasoning {
		return errors.New("reasoning is without the item that must follow it")
	}
	return calls.empty()
}

func first(v any) any {
	if l := list(v); len(l) > 0 {
		return l[0]
	}
	return nil
}

// signed tells whether the server has signed a text.
func (s *Server) signed(signature, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, ok := s.issued[signature]; !ok || signature == "" || was != text {
		return fmt.Errorf("the signature %q is not that of %q", signature, text)
	}
	return nil
}

// maxCacheMarks is how many marks a request may have.
const maxCacheMarks = 4

func (s *Server) checkMessages(r *http.Request, b object) error {
	if r.Header.Get("Anthropic-Version") == "" {
		return errors.New("anthropic-version is missing")
	}
	most, _ := b["max_tokens"].(float64)
	if most <= 0 {
		return errors.New("max_tokens is missing")
	}
	if budget, ok := obj(b["thinking"])["budget_tokens"].(float64); ok && (budget < 1024 || budget >= most || b["temperature"] != nil) {
		return errors.New("budget_tokens does not go with the rest")
	}
	if strings.Count(text(b), `"cache_control"`) > maxCacheMarks {
		return errors.New("there are too many marks of the cache")
	}
	calls := open{}
	role := "assistant"
	for _, raw := range list(b["messages"]) {
		m := obj(raw)
		if str(m["role"]) == role {
			return errors.New("roles do not alternate, beginning with the user")
		}
		role = str(m["role"])
		if err := s.checkBlocks(m, calls); err != nil {
			return err
		}
		if role == "user" {
			if err := calls.empty(); err != nil {
				return err
			}
		}
	}
	return calls.empty()
}

func (s *Server) checkBlocks(m object, calls open) error {
	content := list(m["content"])
	if len(content) == 0 {
		return errors.New("a message is empty")
	}
	for _, raw := range content {
		block := obj(raw)
		switch str(block["type"]) {
		case "text":
			if strings.TrimSpace(str(block["text"])) == "" {
				return errors.New("a text is empty")
			}
		case "thinking":
			if err := s.signed(str(block["signature"]), str(block["thinking"])); err != nil {
				return err
			}
		case "redacted_thinking":
			if err := s.signed(str(block["data"]), ""); err != nil {
				return err
			}
		case "tool_use":
			if obj(block["input"]) == nil {
				return errors.New("an input is no object")
			}
			if err := calls.call(str(block["id"]), str(block["name"])); err != nil {
				return err
			}
		case "tool_result":
			if err := calls.answer(str(block["tool_use_id"])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Server) checkGoogle(b object) error {
	calls := 0
	for _, raw := range list(b["contents"]) {
		parts := list(obj(raw)["parts"])
		if len(parts) == 0 {
			return errors.New("a content is empty")
		}
		results := 0
		for _, raw := range parts {
			part := obj(raw)
			if signature := str(part["thoughtSignature"]); signature != "" && signature != "skip_thought_signature_validator" {
				s.mu.Lock()
				_, ok := s.issued[signature]
				s.mu.Unlock()
				if !ok {
					return fmt.Errorf("the signature %q was never given", signature)
				}
			}
			if part["functionResponse"] != nil {
				results++
			}
		}
		if results != calls {
			return fmt.Errorf("%d calls have %d results", calls, results)
		}
		calls = 0
		for _, raw := range parts {
			call := obj(obj(raw)["functionCall"])
			if call == nil {
				continue
			}
			if calls++; !toolName.MatchString(str(call["name"])) {
				return fmt.Errorf("no tool can be called %q", call["name"])
			}
		}
	}
	if calls > 0 {
		return fmt.Errorf("%d calls have no results", calls)
	}
	return nil
}
