package wiretest

import (
	"encoding/json"
	"fmt"
	"slices"

	"openclaw/runtime/model/wire"
)

type object = map[string]any

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test has put what is no JSON into a turn
	}
	return string(b)
}

// pieces cuts a text into pieces of so many characters; 0 is all.
func pieces(s string, size int) []string {
	if s == "" {
		return nil
	}
	if size <= 0 {
		return []string{s}
	}
	var list []string
	for c := range slices.Chunk([]rune(s), size) {
		list = append(list, string(c))
	}
	return list
}

// events are those of a turn: of its content, and of its end.
func (s *Server) events(t Turn, number int) (content, end []event) {
	if t.Thinking != "" && t.Signature == "" {
		t.Signature = fmt.Sprintf("sig+/%d==", number)
	}
	t.Calls = slices.Clone(t.Calls)
	for i := range t.Calls {
		if t.Calls[i].ID == "" {
			t.Calls[i].ID = fmt.Sprintf("call_%d_%d", number, i+1)
		}
		if s.api == wire.APIGoogle && t.Calls[i].Signature == "" && i == 0 {
			t.Calls[i].Signature = fmt.Sprintf("Y2FsbA%d=", number)
		}
	}
	s.issue(t)
	switch s.api {
	case wire.APICompletions:
		return completionsEvents(t)
	case wire.APIResponses:
		return responsesEvents(t)
	case wire.APIMessages:
		return messagesEvents(t)
	case wire.APIGoogle:
		return googleEvents(t)
	}
	return ollamaEvents(t)
}

// issue remembers what the server has signed.
func (s *Server) issue(t Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.issued[t.Signature] = t.Thinking
	s.issued[t.Redacted] = ""
	for _, c := range t.Calls {
		s.issued[c.Signature] = ""
	}
}

// callPiece is a piece of one of the calls.
type callPiece struct {
	call  int
	text  string
	first bool
}

// callPieces are the pieces of all calls in the order in which they are sent.
func callPieces(t Turn) []callPiece {
	each := make([][]callPiece, len(t.Calls))
	for i, c := range t.Calls {
		each[i] = []callPiece{{call: i, first: true}}
		for _, p := range pieces(c.Arguments, t.Fragment) {
			each[i] = append(each[i], callPiece{call: i, text: p})
		}
	}
	if !t.Interleave {
		return slices.Concat(each...)
	}
	var list []callPiece
	for round := 0; ; round++ {
		before := len(list)
		for i := range each {
			if round < len(each[i]) {
				list = append(list, each[i][round])
			}
		}
		if len(list) == before {
			return list
		}
	}
}

func (t Turn) reason(stop, length, refusal, calls string) string {
	switch {
	case t.Stop == StopLength:
		return length
	case t.Stop == StopRefusal:
		return refusal
	case len(t.Calls) > 0:
		return calls
	}
	return stop
}

func completionsEvents(t Turn) (content, end []event) {
	chunk := func(delta object, reason any) event {
		return event{data: text(object{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "system_fingerprint": "fp",
			"choices": []object{{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}},
		})}
	}
	content = append(content, chunk(object{"role": "assistant", "content": ""}, nil))
	for _, p := range pieces(t.Thinking, t.Fragment) {
		content = append(content, chunk(object{"reasoning_content": p}, nil))
	}
	for _, p := range pieces(t.Text, t.Fragment) {
		content = append(content, chunk(object{"content": p}, nil))
	}
	for _, p := range callPieces(t) {
		call := object{"index": p.call, "function": object{"arguments": p.text}}
		if p.first {
			c := t.Calls[p.call]
			call["id"], call["type"] = c.ID, "function"
			call["function"] = object{"name": c.Name, "arguments": ""}
		}
		content = append(content, chunk(object{"tool_calls": []object{call}}, nil))
	}
	u := t.Usage
	usage := object{
		"prompt_tokens": u.Input + u.CacheRead + u.CacheWrite, "completion_tokens": u.Output, "total_tokens": u.Input + u.CacheRead + u.CacheWrite + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
	}
	end = []event{
		chunk(object{}, t.reason("stop", "length", "content_filter", "tool_calls")),
		{data: text(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": []any{}, "usage": usage})},
		{data: "[DONE]"},
	}
	return content, end
}

func responsesEvents(t Turn) (content, end []event) {
	sequence := 0
	add := func(name string, fields object) {
		fields["type"], fields["sequence_number"] = name, sequence
		sequence++
		content = append(content, event{name, text(fields)})
	}
	add("response.created", object{"response": object{"id": "resp_1", "status": "in_progress", "output": []any{}}})
	index := 0
	if t.Thinking != "" {
		id := "rs_1"
		add("response.output_item.added", object{"output_index": index, "item": object{"id": id, "type": "reasoning", "summary": []any{}}})
		add("response.reasoning_summary_part.added", object{"item_id": id, "output_index": index, "summary_index": 0})
		for _, p := range pieces(t.Thinking, t.Fragment) {
			add("response.reasoning_summary_text.delta", object{"item_id": id, "output_index": index, "summary_index": 0, "delta": p})
		}
		add("response.output_item.done", object{"output_index": index, "item": object{
			"id": id, "type": "reasoning", "summary": []object{{"type": "summary_text", "text": t.Thinking}}, "encrypted_content": t.Signature,
		}})
		index++
	}
	if t.Text != "" {
		id := "msg_1"
		add("response.output_item.added", object{"output_index": index, "item": object{"id": id, "type": "message", "role": "assistant", "content": []any{}}})
		part, delta := object{"type": "output_text", "text": t.Text}, "response.output_text.delta"
		if t.Stop == StopRefusal {
			part, delta = object{"type": "refusal", "refusal": t.Text}, "response.refusal.delta"
		}
		add("response.content_part.added", object{"item_id": id, "output_index": index, "content_index": 0, "part": object{"type": "output_text", "text": ""}})
		for _, p := range pieces(t.Text, t.Fragment) {
			add(delta, object{"item_id": id, "output_index": index, "content_index": 0, "delta": p})
		}
		add("response.output_item.done", object{"output_index": index, "item": object{
			"id": id, "type": "message", "role": "assistant", "status": "completed", "content": []object{part},
		}})
		index++
	}
	for _, p := range callPieces(t) {
		c := t.Calls[p.call]
		at := object{"item_id": "fc_" + c.ID, "output_index": index + p.call}
		if p.first {
			at["item"] = object{"id": "fc_" + c.ID, "type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": ""}
			add("response.output_item.added", at)
			continue
		}
		at["delta"] = p.text
		add("response.function_call_arguments.delta", at)
	}
	for i, c := range t.Calls {
		add("response.function_call_arguments.done", object{"output_index": index + i, "arguments": c.Arguments})
		add("response.output_item.done", object{"output_index": index + i, "item": object{
			"id": "fc_" + c.ID, "type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": c.Arguments, "status": "completed",
		}})
	}
	return content, []event{responsesEnd(t, sequence)}
}

func responsesEnd(t Turn, sequence int) event {
	u := t.Usage
	in := u.Input + u.CacheRead + u.CacheWrite
	response := object{"id": "resp_1", "status": "completed", "error": nil, "incomplete_details": nil, "usage": object{
		"input_tokens": in, "input_tokens_details": object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite}, "output_tokens": u.Output, "total_tokens": in + u.Output,
	}}
	name := "response.completed"
	if t.Stop == StopLength {
		name = "response.incomplete"
		response["status"], response["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	}
	if t.Stop == StopRefusal && t.Text == "" {
		name = "response.incomplete"
		response["status"], response["incomplete_details"] = "incomplete", object{"reason": "content_filter"}
	}
	return event{name, text(object{"type": name, "sequence_number": sequence, "response": response})}
}

func messagesEvents(t Turn) (content, end []event) {
	add := func(name string, fields object) {
		fields["type"] = name
		content = append(content, event{name, text(fields)})
	}
	u := t.Usage
	add("message_start", object{"message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite, "output_tokens": 1, "service_tier": "standard"},
	}})
	index := 0
	block := func(start object, deltas ...object) {
		add("content_block_start", object{"index": index, "content_block": start})
		add("ping", object{})
		for _, d := range deltas {
			add("content_block_delta", object{"index": index, "delta": d})
		}
		add("content_block_stop", object{"index": index})
		index++
	}
	deltas := func(kind, field, s string) []object {
		var list []object
		for _, p := range pieces(s, t.Fragment) {
			list = append(list, object{"type": kind, field: p})
		}
		return list
	}
	if t.Thinking != "" {
		block(object{"type": "thinking", "thinking": "", "signature": ""}, append(deltas("thinking_delta", "thinking", t.Thinking), object{"type": "signature_delta", "signature": t.Signature})...)
	}
	if t.Redacted != "" {
		block(object{"type": "redacted_thinking", "data": t.Redacted})
	}
	if t.Text != "" {
		block(object{"type": "text", "text": ""}, deltas("text_delta", "text", t.Text)...)
	}
	for _, p := range callPieces(t) {
		at := index + p.call
		if p.first {
			c := t.Calls[p.call]
			add("content_block_start", object{"index": at, "content_block": object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}})
			continue
		}
		add("content_block_delta", object{"index": at, "delta": object{"type": "input_json_delta", "partial_json": p.text}})
	}
	for i := range t.Calls {
		add("content_block_stop", object{"index": index + i})
	}
	end = []event{
		{"message_delta", text(object{"type": "message_delta", "usage": object{"output_tokens": u.Output}, "delta": object{
			"stop_reason": t.reason("end_turn", "max_tokens", "refusal", "tool_use"), "stop_sequence": nil,
		}})},
		{"message_stop", text(object{"type": "message_stop"})},
	}
	return content, end
}

func googleEvents(t Turn) (content, end []event) {
	add := func(part object) {
		content = append(content, event{data: text(object{
			"candidates": []object{{"index": 0, "content": object{"role": "model", "parts": []object{part}}}}, "modelVersion": "m", "responseId": "g1",
		})})
	}
	for _, p := range pieces(t.Thinking, t.Fragment) {
		add(object{"text": p, "thought": true})
	}
	for _, p := range pieces(t.Text, t.Fragment) {
		add(object{"text": p})
	}
	if t.Thinking != "" && t.Text != "" {
		add(object{"text": "", "thoughtSignature": t.Signature}) // it comes alone, after the text that it is of
	}
	for _, c := range t.Calls {
		part := object{"functionCall": object{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.Arguments)}}
		if c.Signature != "" {
			part["thoughtSignature"] = c.Signature
		}
		add(part)
	}
	u := t.Usage
	in := u.Input + u.CacheRead + u.CacheWrite
	end = []event{{data: text(object{
		"candidates": []object{{"index": 0, "content": object{"role": "model"}, "finishReason": t.reason("STOP", "MAX_TOKENS", "SAFETY", "STOP")}},
		"usageMetadata": object{
			"promptTokenCount": in, "cachedContentTokenCount": u.CacheRead, "candidatesTokenCount": u.Output - u.Output/2, "thoughtsTokenCount": u.Output / 2, "totalTokenCount": in + u.Output,
		},
	})}}
	return content, end
}

func ollamaEvents(t Turn) (content, end []event) {
	add := func(message object) {
		message["role"] = "assistant"
		content = append(content, event{data: text(object{"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false})})
	}
	for _, p := range pieces(t.Thinking, t.Fragment) {
		add(object{"content": "", "thinking": p})
	}
	for _, p := range pieces(t.Text, t.Fragment) {
		add(object{"content": p})
	}
	for i, c := range t.Calls {
		add(object{"content": "", "tool_calls": []object{{"id": c.ID, "function": object{"index": i, "name": c.Name, "arguments": json.RawMessage(c.Arguments)}}}})
	}
	u := t.Usage
	end = []event{{data: text(object{
		"model": "m", "message": object{"role": "assistant", "content": ""}, "done": true, "done_reason": t.reason("stop", "length", "stop", "stop"),
		"total_duration": 1, "prompt_eval_count": u.Input + u.CacheRead + u.CacheWrite, "eval_count": u.Output,
	})}}
	return content, end
}

// errorEvent is the event by which a provider says in the middle of a stream that it has too much to do.
func (s *Server) errorEvent(message string) event {
	switch s.api {
	case wire.APIMessages:
		return event{"error", text(object{"type": "error", "error": object{"type": "overloaded_error", "message": message}})}
	case wire.APIResponses:
		return event{"response.failed", text(object{"type": "response.failed", "response": object{
			"id": "resp_1", "status": "failed", "error": object{"code": "server_error", "message": message},
		}})}
	case wire.APIGoogle:
		return event{data: text(object{"error": object{"code": 503, "message": message, "status": "UNAVAILABLE"}})}
	case wire.APIOllama:
		return event{data: text(object{"error": message})}
	}
	return event{data: text(object{"error": object{"message": message, "type": "server_error", "code": "overloaded"}})}
}
