package schema_test

import (
	"encoding/json"
	"testing"

	"openclaw/runtime/tools/internal/schema"
)

func TestCheck(t *testing.T) {
	const text = `{"type":"object","properties":{
		"path":{"type":"string","minLength":1,"maxLength":5},"n":{"type":"integer","minimum":1,"maximum":9},"f":{"type":"number"},
		"b":{"type":"boolean"},"word":{"enum":["a","b",3]},"fixed":{"const":"x"},"either":{"type":["string","null"]},
		"list":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"],"additionalProperties":false}},
		"env":{"type":"object","additionalProperties":{"type":"string"}},
		"any":{"anyOf":[{"type":"string"},{"type":"integer"}]},"free":{}
	},"required":["path"],"additionalProperties":false}`
	s, err := schema.Parse(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ arguments, want string }{
		{`{"path":"x"}`, ""},
		{`{"path":"x","n":3,"f":1.5,"b":true,"word":"a","fixed":"x","either":null,"list":[{"x":"y"}],"env":{"A":"b"},"any":5,"free":[null]}`, ""},
		{`{"path":"x","n":3.0,"word":3}`, ""},
		{`{"path":"x","n":1e0}`, ""},
		{`{"path":"x","n":null,"b":null,"list":null,"word":null}`, ""},
		{`{}`, "path: missing"},
		{`{"path":null}`, "path: missing (null)"},
		{`{"path":""}`, "path: at least 1 characters are expected, not 0"},
		{`{"path":"äöüäöü"}`, "path: at most 5 characters are expected, not 6"},
		{`{"path":5}`, "path: a string is expected, not a number"},
		{`{"path":"x","n":"3"}`, "n: a whole number is expected, not a string"},
		{`{"path":"x","n":1.5}`, "n: a whole number is expected, not 1.5"},
		{`{"path":"x","n":0}`, "n: must be at least 1, is 0"},
		{`{"path":"x","n":10}`, "n: must be at most 9, is 10"},
		{`{"path":"x","f":"1"}`, "f: a number is expected, not a string"},
		{`{"path":"x","b":"true"}`, "b: true or false is expected, not a string"},
		{`{"path":"x","word":"c"}`, `word: one of "a", "b", 3 is expected, not "c"`},
		{`{"path":"x","fixed":"y"}`, `fixed: must be "x", not "y"`},
		{`{"path":"x","either":5}`, "either: a string or null is expected, not a number"},
		{`{"path":"x","list":[]}`, "list: at least 1 elements are expected, not 0"},
		{`{"path":"x","list":[{"x":"1"},{"x":"2"},{"x":"3"}]}`, "list: at most 2 elements are expected, not 3"},
		{`{"path":"x","list":{}}`, "list: an array is expected, not an object"},
		{`{"path":"x","list":[5]}`, "list[0]: an object is expected, not a number"},
		{`{"path":"x","list":[{"x":"1"},{}]}`, "list[1].x: missing"},
		{`{"path":"x","list":[{"x":"1","y":1}]}`, "list[0].y: unknown argument"},
		{`{"path":"x","env":{"A":1}}`, "env.A: a string is expected, not a number"},
		{`{"path":"x","env":{"A":null}}`, "env.A: a string is expected, not null"},
		{`{"path":"x","any":true}`, "any: a whole number is expected, not true or false"},
		{`{"path":"x","other":1}`, "other: unknown argument"},
		{`[]`, "arguments: a JSON object is expected"},
		{`"x"`, "arguments: a JSON object is expected"},
		{`null`, "arguments: a JSON object is expected"},
		{``, "arguments: not valid JSON: it ends too early"},
		{`{"path":`, "arguments: not valid JSON: it ends too early"},
		{`{"path":"x"} {}`, "arguments: something follows the JSON object"},
		{`{"path":"x",}`, "arguments: not valid JSON: invalid character '}'"},
		{"{\"path\":\"\xff\"}", "arguments: not valid UTF-8"},
		{`{"path":"x","f":1e999}`, "f: 1e999 is too large"},
	} {
		got := ""
		if err := s.Check(json.RawMessage(c.arguments)); err != nil {
			got = err.Error()
		}
		if got != c.want && (c.want == "" || len(got) < len(c.want) || got[:len(c.want)] != c.want) {
			t.Errorf("%s: %q, want %q", c.arguments, got, c.want)
		}
	}
}

func TestASchemaOfNothingTakesAnyObject(t *testing.T) {
	for _, text := range []string{"", "{}", `{"type":"object"}`, `{"additionalProperties":true}`} {
		s, err := schema.Parse(json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(json.RawMessage(`{"a":[1,{"b":null}]}`)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := schema.Parse(json.RawMessage(`{"type":5}`)); err == nil {
		t.Error("a schema that is none was taken")
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":1}`)
	f.Add(`{"anyOf":[{"required":["a"]}],"items":{}}`, `{"a":[]}`)
	f.Fuzz(func(_ *testing.T, text, arguments string) {
		if s, err := schema.Parse(json.RawMessage(text)); err == nil {
			_ = s.Check(json.RawMessage(arguments))
		}
	})
}
