package config_test

import (
	"fmt"
	"strings"
	"testing"

	"openclaw/runtime/config"
)

// TestSectionsOfLaterVersionsAreReady reads what Load refuses as long as nothing acts on it.
func TestSectionsOfLaterVersionsAreReady(t *testing.T) {
	h := newHome(t, `{
  models: { mode: "replace", providers: { local: {
    baseUrl: "http://127.0.0.1:1234/v1", apiKey: "${KEY}", headers: { "X-Team": "t" }, timeoutSeconds: 5,
    models: [{ id: "m", reasoning: true, input: ["text", "image"], cost: { input: 0.25 }, contextWindow: 8192 }],
  } } },
  tools: { profile: "coding", deny: ["process"], byProvider: { "local/m": { allow: ["read"] } },
    exec: { backgroundMs: 50, applyPatch: { allowModels: ["m"] } }, sandbox: { tools: { allow: [] } }, loopDetection: { enabled: true } },
  messages: { queue: { mode: "steer-backlog", drop: "oldest", byChannel: { irc: "abort" } } },
  agents: { defaults: { model: { primary: "local/m", fallbacks: ["local/n"] }, params: { temperature: 0.5 }, timeoutSeconds: 0,
      modelPolicy: { allow: ["local/*"] }, models: { "local/m": { alias: "mm" } } },
    entries: { a: { model: "x/y", params: { maxTokens: 5 }, tools: { alsoAllow: ["exec"] }, models: { "local/*": { params: { a: ["${KEY}"] } } } } } },
}`, nil)
	h.env["KEY"] = "k"
	c, err := config.LoadFuture(h.options())
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Agent("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range []struct{ what, got, want string }{
		{"provider", fmt.Sprint(c.Models), `{replace map[local:{http://127.0.0.1:1234/v1 k  map[X-Team:t] 0 5 [{m  true [text image] {0.25 0 0 0} 8192 0 0}]}] [local]}`},
		{"policy", fmt.Sprint(c.Tools.ToolPolicies), `{{coding [] [] [process]} map[local/m:{ [read] [] []}]}`},
		{"exec", fmt.Sprint(c.Tools.Exec), `{50 1800 1800000 true false {true true [m]}}`},
		{"sandbox allows nothing", fmt.Sprint(c.Tools.SandboxTools.Allow != nil, len(c.Tools.SandboxTools.Allow), c.Tools.LoopDetection), "true 0 true"},
		{"queue", fmt.Sprint(c.Messages.Queue), "{followup 20 old map[irc:interrupt] 500 map[]}"},
		{"model", fmt.Sprint(a.Model, a.ModelAllow, a.TimeoutSeconds), "{x/y []} [local/*] 0"},
		{"params", fmt.Sprint(a.Params), "map[maxTokens:5]"},
		{"settings", fmt.Sprint(a.Models), "map[local/*:{ map[a:[k]]} local/m:{mm map[]}]"},
		{"tools of the agent", fmt.Sprint(a.Tools.AlsoAllow), "[exec]"},
		{"defaults", fmt.Sprint(c.Agents.Defaults.Models, c.Agents.Defaults.Params), "map[local/m:{mm map[]}] map[temperature:0.5]"},
	} {
		if check.got != check.want {
			t.Errorf("%s is %s, want %s", check.what, check.got, check.want)
		}
	}
}

func TestMistakesInSectionsOfLaterVersions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{tools: {allow: [], alsoAllow: []}}`, "tools.alsoAllow: cannot stand beside allow: put its tools there, or use a profile"},
		{`{agents: {entries: {a: {tools: {allow: [], alsoAllow: []}}}}}`, "agents.entries.a.tools.alsoAllow: cannot stand beside allow: put its tools there, or use a profile"},
		{`{tools: {sandbox: {tools: {alsoAllow: [], allow: []}}}}`, "tools.sandbox.tools.alsoAllow: cannot stand beside allow: put its tools there, or use a profile"},
		{`{models: {providers: {p: {baseUrl: "file:///x"}}}}`, "models.providers.p.baseUrl: must be an http or https URL"},
		{`{models: {providers: {p: {baseUrl: "http://u:planted@h/"}}}}`, "models.providers.p.baseUrl: must not hold a user or a password"},
		{`{models: {providers: {p: {apiKey: 5}}}}`, "models.providers.p.apiKey: must be a string, not a number"},
		{`{models: {providers: {p: {models: [{}]}}}}`, `models.providers.p.models[0]: has no key "id"`},
		{`{models: {providers: {p: {models: [{id: "a"}, {id: "a"}]}}}}`, `models.providers.p.models[1]: there is a model with this id already`},
		{`{models: {providers: {p: {headers: {"a b": "x"}}}}}`, `models.providers.p.headers["a b"]: must be the name of an HTTP header`},
		{`{models: {providers: {p: {api: "openai-completion"}}}}`, `models.providers.p.api: must be "openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai" or "ollama", not "openai-completion" (did you mean "openai-completions"?)`},
		{`{agents: {defaults: {model: {fallbacks: []}}}}`, `agents.defaults.model: has no key "primary"`},
		{`{agents: {defaults: {model: 5}}}`, `agents.defaults.model: must be a model reference or an object, not a number`},
		{`{agents: {defaults: {models: {gpt: {}}}}}`, `agents.defaults.models.gpt: must be provider/model or provider/*`},
		{`{agents: {defaults: {params: {x: [NaN]}}}}`, `agents.defaults.params.x[0]: must be a finite number, not NaN`},
		{`{messages: {queue: {mode: "stear"}}}`, `messages.queue.mode: must be "steer", "followup", "collect" or "interrupt", not "stear" (did you mean "steer"?)`},
		{`{messages: {queue: {cap: 0}}}`, `messages.queue.cap: must be a whole number from 1, not 0`},
		{`{tools: {exec: {cleanupMs: 5}}}`, `tools.exec.cleanupMs: must be a whole number from 60000 to 10800000, not 5`},
	} {
		h := newHome(t, c.text, nil)
		_, err := config.LoadFuture(h.options())
		got := strings.Join(h.problems(err), "\n")
		if _, message, _ := strings.Cut(got, ": "); message != c.want {
			t.Errorf("%s: %s\nwant %s", c.text, got, c.want)
		}
	}
}
