package models_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/models/catalogue"
)

func TestTheCatalogueCanBeRead(t *testing.T) {
	ids, err := catalogue.Providers()
	if err != nil || len(ids) < 20 {
		t.Fatalf("%d providers, %v", len(ids), err)
	}
	conf := load(t, `{}`)
	known := newRegistry(t, conf, newWorld().options()).Providers()
	for _, id := range ids {
		list := catalogue.Models(id)
		if len(list) == 0 {
			t.Errorf("%s has no models", id)
		}
		if !slices.Contains(known, id) {
			t.Errorf("the models of %s are of a provider that the runtime does not know", id)
		}
		seen := map[string]bool{}
		for _, m := range list {
			if m.ID == "" || strings.ContainsAny(m.ID, " \t\n") || seen[m.ID] || m.Window <= 0 || m.MaxTokens <= 0 || m.Cost == nil || m.Cost.Input < 0 {
				t.Errorf("%s: %+v", id, m)
			}
			seen[m.ID] = true
			for _, level := range m.Levels {
				if _, err := models.ParseLevel(level); err != nil && level != "none" && level != "default" {
					t.Errorf("%s/%s: %v", id, m.ID, err)
				}
			}
		}
	}
	if list := catalogue.Models("nobody"); list != nil {
		t.Errorf("%v", list)
	}
}

func TestTheUsualModelIsKnown(t *testing.T) {
	conf := load(t, `{}`)
	r := newRegistry(t, conf, newWorld().options())
	info, err := r.Model(models.Ref{Provider: models.DefaultProvider, Model: models.DefaultModel})
	if err != nil || !info.Known || info.ContextWindow == 0 {
		t.Errorf("%+v, %v", info, err)
	}
	for _, name := range []string{"openai/gpt-5.6-luna", "anthropic/claude-haiku-4-5", "anthropic/claude-sonnet-5"} {
		ref, err := models.ParseRef(name)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := r.Model(ref); err != nil || !info.Known {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
}

func TestWhatIsKnownOfAModel(t *testing.T) {
	const text = `{ models: { MODE providers: {
		anthropic: { maxTokens: 9000, models: [{ id: "claude-opus-5", contextTokens: 150000, cost: { input: 7 } }, { id: "mine", reasoning: true, input: ["text", "image"], contextWindow: 9 }] },
		local: { baseUrl: "http://localhost:1/v1", models: [{ id: "m" }] },
		proxy: { baseUrl: "https://x.example", api: "anthropic-messages" },
		openai: { baseUrl: "https://mine.example/v1" },
	} } }`
	for _, c := range []struct{ mode, ref, want string }{
		{"", "anthropic/claude-opus-5", "anthropic-messages known window 1000000 uses 150000 answer 9000 thinks images 7/0"},
		{"", "anthropic/claude-opus-4-8", "anthropic-messages known window 1000000 uses 1000000 answer 9000 thinks images 5/25"},
		{"", "anthropic/mine", "anthropic-messages known window 9 uses 9 answer 9000 thinks images 0/0"},
		{"", "anthropic/what", "anthropic-messages window 0 uses 200000 answer 9000 ?"},
		{"", "local/m", "openai-completions known window 0 uses 200000 answer 0 0/0"},
		{"", "local/x", `models: "local/x": no such model: models.providers.local.models does not list it (did you mean local/m?)`},
		{"", "proxy/anything", "anthropic-messages window 0 uses 200000 answer 0 ?"},
		{"", "openai/gpt-5.5", "openai-completions known window 1050000 uses 1050000 answer 128000 thinks images 5/30"}, // elsewhere, so another protocol
		{"", "google/gemini-2.5-pro", "google-generative-ai known window 1048576 uses 1048576 answer 50000 thinks images 1.25/10"},
		{"", "nobody/x", `models: "nobody/x": no such provider: "nobody" is neither known nor in models.providers`},
		{"", "script/x", "script known window 200000 uses 200000 answer 0 images 0/0"},
		{`mode: "replace",`, "anthropic/claude-opus-5", "anthropic-messages known window 0 uses 150000 answer 9000 7/0"},
		{`mode: "replace",`, "anthropic/claude-opus-4-8", `models: "anthropic/claude-opus-4-8": no such model: models.providers.anthropic.models does not list it (did you mean anthropic/claude-opus-5?)`},
		{`mode: "replace",`, "google/gemini-2.5-pro", `models: "google/gemini-2.5-pro": no such provider: "google" is neither known nor in models.providers`},
	} {
		r := newRegistry(t, load(t, strings.Replace(text, "MODE", c.mode, 1)), newWorld().options())
		ref, err := models.ParseRef(c.ref)
		if err != nil {
			t.Fatal(err)
		}
		info, err := r.Model(ref)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = info.API
			if info.Known {
				got += " known"
			}
			got += fmt.Sprintf(" window %d uses %d answer %d", info.ContextWindow, info.ContextTokens, info.MaxTokens)
			if info.Reasoning {
				got += " thinks"
			}
			if info.Images {
				got += " images"
			}
			if info.Cost != nil {
				got += fmt.Sprintf(" %g/%g", info.Cost.Input, info.Cost.Output)
			} else {
				got += " ?"
			}
		}
		if got != c.want {
			t.Errorf("%s %s: %s\nwant %s", c.mode, c.ref, got, c.want)
		}
	}
}

func TestLevelsOfThinking(t *testing.T) {
	for text, want := range map[string]model.Level{
		"off": model.LevelOff, " High ": model.LevelHigh, "highest": model.LevelHigh, "x-high": model.LevelXHigh, "EXTRA-HIGH": model.LevelXHigh,
		"xhigh": model.LevelXHigh, "adaptive": model.LevelAdaptive, "ultra": model.LevelUltra, "minimal": model.LevelMinimal, "max": model.LevelMax,
	} {
		if got, err := models.ParseLevel(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	_, err := models.ParseLevel("hihg")
	if err == nil || !strings.HasSuffix(err.Error(), "(did you mean high?)") || !strings.Contains(err.Error(), `"hihg"`) {
		t.Error(err)
	}
}

// TestWhichLevelWins goes down the order from what somebody asked for to what the model does by itself.
func TestWhichLevelWins(t *testing.T) {
	for _, c := range []struct {
		name, defaults, own string
		asked               model.Level
		ref                 string
		want, sent          model.Level
	}{
		{"asked for", `thinkingDefault: "low"`, `thinkingDefault: "max"`, model.LevelHigh, "anthropic/claude-opus-5", model.LevelHigh, model.LevelHigh},
		{"the agent's", `thinkingDefault: "low"`, `thinkingDefault: "max", models: { "anthropic/claude-opus-5": { params: { thinking: "medium" } } }`, "", "anthropic/claude-opus-5", model.LevelMax, model.LevelMax},
		{"the agent's for the model", `thinkingDefault: "low", models: { "anthropic/claude-opus-5": { params: { thinking: "high" } } }`, `models: { "anthropic/claude-opus-5": { params: { thinking: "x-high" } } }`, "", "anthropic/claude-opus-5", model.LevelXHigh, model.LevelXHigh},
		{"everyone's for the model", `thinkingDefault: "low", models: { "anthropic/claude-opus-5": { params: { thinking: "high" } } }`, ``, "", "anthropic/claude-opus-5", model.LevelHigh, model.LevelHigh},
		{"everyone's for the provider", `thinkingDefault: "low", models: { "anthropic/*": { params: { thinking: "high" } } }`, ``, "", "anthropic/claude-opus-5", model.LevelHigh, model.LevelHigh},
		{"everyone's", `thinkingDefault: "low"`, ``, "", "anthropic/claude-opus-5", model.LevelLow, model.LevelLow},
		{"the model's", ``, ``, "", "openai/gpt-6-astra", model.LevelMedium, model.LevelMedium},
		{"of a model that thinks", ``, ``, "", "google/gemini-2.5-pro", model.LevelMedium, model.LevelMedium},
		{"of one that does not", ``, ``, "", "groq/qwen/qwen3-32b", model.LevelOff, ""},
		{"asked of one that does not", ``, ``, model.LevelHigh, "groq/qwen/qwen3-32b", model.LevelHigh, ""},
		{"of one that is not known", ``, ``, "", "groq/new", model.LevelOff, ""},
		{"asked of one that is not known", ``, ``, model.LevelHigh, "groq/new", model.LevelHigh, model.LevelHigh},
		{"more than the model has", ``, ``, model.LevelUltra, "groq/moonshotai/kimi-k2-instruct-0905", model.LevelUltra, model.LevelHigh},
		{"less than the model has", ``, ``, model.LevelMinimal, "anthropic/claude-opus-5", model.LevelMinimal, model.LevelLow},
		{"none at all", ``, ``, model.LevelOff, "anthropic/claude-opus-5", model.LevelOff, model.LevelOff},
	} {
		conf := load(t, `{ agents: { defaults: { `+c.defaults+` }, entries: { main: { `+c.own+` } } } }`, "GROQ_API_KEY=k", "ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=k", "GEMINI_API_KEY=k")
		agent := agentOf(t, conf, "main")
		w := newWorld().says(c.ref, "ok")
		r := newRegistry(t, conf, w.options())
		ref, err := models.ParseRef(c.ref)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Thinking(agent, ref, c.asked); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		chain, err := r.Chain(agent, models.Choice{Ref: c.ref, Source: models.SourceUser})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := chain.Stream(t.Context(), &model.Request{Thinking: c.asked}, nil, nil); err != nil || w.requests[0].Thinking != c.sent {
			t.Errorf("%s: %q is sent, want %q; %v", c.name, w.requests[0].Thinking, c.sent, err)
		}
	}
}

func TestParametersAreLayered(t *testing.T) {
	const text = `{ agents: {
		defaults: { params: { temperature: 0.1, top_p: 0.1, a: "defaults", maxTokens: 100 },
			models: { "groq/*": { params: { a: "provider", b: "provider" } }, "groq/m": { params: { temperature: 0.2, b: "model", c: "model" } } } },
		entries: {
			main: { params: { temperature: 0.4, d: "agent" }, models: { "groq/m": { params: { temperature: 0.3, c: "agent's model", cacheRetention: "long" } } } },
			other: {},
		} } }`
	conf := load(t, text, "GROQ_API_KEY=k")
	for _, c := range []struct {
		agent, ref string
		request    model.Request
		want       string
	}{
		{"main", "groq/m", model.Request{}, "0.4 100 long map[a:provider b:model c:agent's model d:agent top_p:0.1]"},
		{"other", "groq/m", model.Request{}, "0.2 100  map[a:provider b:model c:model top_p:0.1]"},
		{"other", "groq/n", model.Request{}, "0.1 100  map[a:provider b:provider top_p:0.1]"},
		{"other", "groq/m", model.Request{MaxTokens: 5, CacheRetention: model.CacheNone, Params: map[string]any{"a": "request"}}, "0.2 5 none map[a:request b:model c:model top_p:0.1]"},
	} {
		w := newWorld().says(c.ref, "ok")
		chain, err := newRegistry(t, conf, w.options()).Chain(agentOf(t, conf, c.agent), models.Choice{Ref: c.ref, Source: models.SourceUser})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := chain.Stream(t.Context(), &c.request, nil, nil); err != nil {
			t.Fatal(err)
		}
		q := w.requests[0]
		if got := fmt.Sprintf("%v %v %s %v", *q.Temperature, q.MaxTokens, q.CacheRetention, q.Params); got != c.want {
			t.Errorf("%s %s: %s\nwant %s", c.agent, c.ref, got, c.want)
		}
	}
}

func TestAnswersAreBoundedOnlyWhereThatIsWanted(t *testing.T) {
	for _, c := range []struct {
		name, text, ref string
		asked, want     int64
	}{
		{"more than the model can", `{ agents: { defaults: { params: { maxTokens: 999999 } } } }`, "anthropic/claude-haiku-4-5", 0, 64000},
		{"the protocol demands it", `{}`, "anthropic/claude-haiku-4-5", 0, 64000},
		{"nobody wants it", `{}`, "openai/gpt-5.5", 0, 0},
		{"the request wants it", `{}`, "openai/gpt-5.5", 77, 77},
		{"the request wants too much", `{}`, "openai/gpt-5.5", 999999, 128000},
		{"the parameters want it", `{ agents: { defaults: { params: { maxTokens: 5 } } } }`, "openai/gpt-5.5", 0, 5},
		{"the provider has a bound", `{ models: { providers: { openai: { maxTokens: 6 } } } }`, "openai/gpt-5.5", 0, 6},
		{"the model has a bound", `{ models: { providers: { openai: { models: [{ id: "own", maxTokens: 7 }] } } } }`, "openai/own", 0, 7},
		{"nothing is known", `{}`, "openai/own", 0, 0},
	} {
		w := newWorld().says(c.ref, "ok")
		conf := load(t, c.text, "ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=k")
		chain, err := newRegistry(t, conf, w.options()).Chain(agentOf(t, conf, "main"), models.Choice{Ref: c.ref, Source: models.SourceUser})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := chain.Stream(t.Context(), &model.Request{MaxTokens: c.asked}, nil, nil); err != nil || w.requests[0].MaxTokens != c.want {
			t.Errorf("%s: %d, want %d; %v", c.name, w.requests[0].MaxTokens, c.want, err)
		}
	}
}

func TestEndpoints(t *testing.T) {
	for _, c := range []struct{ provider, want string }{
		{`baseUrl: "https://x.example/v1", apiKey: "k"`, "2m0s 2m0s"},
		{`baseUrl: "http://192.168.1.5/v1", apiKey: "k"`, "5m0s 0s"},
		{`baseUrl: "http://box/v1", apiKey: "k"`, "5m0s 0s"},
		{`baseUrl: "http://box.local/v1", apiKey: "k"`, "5m0s 0s"},
		{`baseUrl: "http://127.0.0.1:1/v1"`, "5m0s 0s"},
		{`baseUrl: "http://[::1]:1/v1"`, "5m0s 0s"},
		{`baseUrl: "http://localhost/v1"`, "5m0s 0s"},
		{`baseUrl: "https://localhost.example/v1", apiKey: "k"`, "2m0s 2m0s"},
		{`baseUrl: "http://127.0.0.1:1/v1", timeoutSeconds: 7`, "7s 7s"},
		{`baseUrl: "http://10.0.0.1:1/v1", timeoutSeconds: 7, apiKey: "k"`, "7s 7s"},
	} {
		w := newWorld().says("p/m", "ok")
		a := newAsked(t, w, `{ models: { providers: { p: { `+c.provider+`, headers: { "X-Team": "t" } } } } }`, models.Choice{Ref: "p/m", Source: models.SourceUser})
		if _, err := a.stream(t.Context()); err != nil {
			t.Fatal(err)
		}
		e := w.seen[0]
		if got := fmt.Sprint(e.FirstTimeout, " ", e.IdleTimeout); got != c.want || e.Headers["X-Team"] != "t" || e.API != "openai-completions" {
			t.Errorf("%s: %s, want %s; %v", c.provider, got, c.want, e)
		}
	}
}
