package models_test

import (
	"errors"
	"strings"
	"testing"

	"openclaw/runtime/models"
)

// offered is a configuration in which each step of the ladder has something to find.
const offered = `{
  models: { providers: {
    local: { baseUrl: "http://127.0.0.1:8000/v1", models: [
      { id: "tiny" }, { id: "shared" }, { id: "team/big" }, { id: "odd@v2" }, { id: "odd" }, { id: "Case" }, { id: "opus-like" } ] },
    Lab: { baseUrl: "https://lab.example/v1", apiKey: "k", models: [{ id: "shared" }, { id: "lab-1" }] },
    grok: { baseUrl: "https://mine.example/v1", apiKey: "k" },
  } },
  auth: { profiles: { "anthropic:work": { provider: "anthropic", apiKey: "w1" }, "anthropic:me@example.com": { provider: "anthropic", apiKey: "w2" } } },
  agents: { defaults: {
    model: "anthropic/claude-sonnet-5",
    models: {
      "openai/gpt-5.5": { alias: "Fast" },
      "openrouter/moonshotai/kimi-k3": { alias: "kimi" },
      "anthropic/claude-opus-5": {}, "anthropic/claude-opus-4-6": {},
      "openai/gpt-5.4-mini": {}, "local/tiny": { alias: "openai/gpt-5.5" }, "lab/lab-1": { alias: "team/x" },
      "script//srv/demo.json": { alias: "demo" }, "local/gone": { alias: "lost" },
    },
  } },
}`

func TestReferences(t *testing.T) {
	conf := load(t, offered, "OPENROUTER_API_KEY=k-openrouter", "ANTHROPIC_API_KEY=k-anthropic", "GEMINI_API_KEY=k-gemini")
	r := newRegistry(t, conf, newWorld().options())
	agent := agentOf(t, conf, "main")
	for _, c := range []struct{ text, want string }{
		// provider/model
		{"openai/gpt-5.5", "openai/gpt-5.5"}, // is an alias of another model, too
		{"OpenAI/gpt-5.5", "openai/gpt-5.5"},
		{" openai/gpt-5.5\n", "openai/gpt-5.5"},
		{"openai/GPT-5.5", "openai/GPT-5.5"}, // ids are the provider's
		{"openai/not-known-yet", "openai/not-known-yet"},
		{"openrouter/moonshotai/kimi-k2", "openrouter/moonshotai/kimi-k2"},
		{"openrouter/a/b/c", "openrouter/a/b/c"},
		{"local/team/big", "local/team/big"},
		{"LOCAL/tiny", "local/tiny"},
		{"lab/lab-1", "lab/lab-1"},
		{"gemini/gemini-2.5-pro", "google/gemini-2.5-pro"},
		{"x-ai/grok-4.5", "xai/grok-4.5"},
		{"z.ai/glm-5.2", "zai/glm-5.2"},
		{"grok/anything", "grok/anything"}, // configured, and so not xai
		{"hf/Qwen/Qwen3.8-27B:cerebras", "huggingface/Qwen/Qwen3.8-27B:cerebras"},
		{"ollama/qwen3:8b", "ollama/qwen3:8b"},
		{"openrouter/openai/gpt-5.5:free", "openrouter/openai/gpt-5.5:free"},
		{"anthropic/claude-haiku-4-5", "anthropic/claude-haiku-4-5"},
		{"mistral/mistral-large-latest", "mistral/mistral-large-latest"},
		// scripts
		{"script/demo.json", "script/demo.json"},
		{"script//abs/path/to/x.json", "script//abs/path/to/x.json"},
		{"script/a b/c@d.json", "script/a b/c@d.json"},
		{"SCRIPT/./x", "script/./x"},
		{"script/../x/", "script/../x/"},
		// aliases
		{"fast", "openai/gpt-5.5"},
		{"FAST", "openai/gpt-5.5"},
		{"kimi", "openrouter/moonshotai/kimi-k3"},
		{"team/x", "lab/lab-1"}, // no provider is called team
		{"demo", "script//srv/demo.json"},
		{"opus", "anthropic/claude-opus-5"},
		{"Opus", "anthropic/claude-opus-5"},
		{"gpt-mini", "openai/gpt-5.4-mini"},
		{"gpt", "openai/gpt-5.5"},
		// the only provider that has it
		{"tiny", "local/tiny"},
		{"lab-1", "lab/lab-1"},
		{"Case", "local/Case"},
		{"claude-opus-4-8", "anthropic/claude-opus-4-8"},
		{"gemini-2.5-flash", "google/gemini-2.5-flash"},
		// the agent's provider
		{"shared", "anthropic/shared"}, // of two, so of neither
		{"case", "anthropic/case"},     // ids differ by case
		{"claude-new", "anthropic/claude-new"},
		{"gpt-5.4", "anthropic/gpt-5.4"}, // openai has no key here
		// keys
		{"anthropic/claude-opus-5@work", "anthropic/claude-opus-5@work"},
		{"anthropic/claude-opus-5@anthropic:work", "anthropic/claude-opus-5@work"},
		{"claude/claude-opus-5@Claude:work", "anthropic/claude-opus-5@work"},
		{"anthropic/claude-opus-5@me@example.com", "anthropic/claude-opus-5@me@example.com"},
		{"anthropic/claude-opus-5@default", "anthropic/claude-opus-5@default"},
		{"claude-opus-5@work", "anthropic/claude-opus-5@work"},
		{"opus@work", "anthropic/claude-opus-5@work"},
		{"anthropic/brand-new@work", "anthropic/brand-new@work"},
		{"lab/lab-1@config", "lab/lab-1@config"},
		// an @ that belongs to the model
		{"local/odd@v2", "local/odd@v2"},
		{"odd@v2", "local/odd@v2"},
		{"local/odd@none", "local/odd@none"}, // the key of a provider that needs none
		{"openrouter/@cf/meta/llama", "openrouter/@cf/meta/llama"},
		{"openrouter/x/@cf", "openrouter/x/@cf"},
		{"anthropic/claude-x@20260101", "anthropic/claude-x@20260101"},
		{"anthropic/claude-x@20260101@work", "anthropic/claude-x@20260101@work"},
		{"openrouter/m@q8_0", "openrouter/m@q8_0"},
		// the agent's own
		{"", "anthropic/claude-sonnet-5"},
	} {
		got, err := r.Resolve(agent, c.text)
		if err != nil {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
			continue
		}
		if got.String() != c.want {
			t.Errorf("%q is %s, want %s", c.text, got, c.want)
		}
		if c.text == "local/odd@v2" && got.Profile != "" || strings.Contains(c.text, "@work") && got.Profile != "anthropic:work" {
			t.Errorf("%q: model %q, profile %q", c.text, got.Model, got.Profile)
		}
	}
}

func TestReferencesThatAreRefused(t *testing.T) {
	conf := load(t, offered, "OPENROUTER_API_KEY=k-openrouter", "ANTHROPIC_API_KEY=k-anthropic")
	r := newRegistry(t, conf, newWorld().options())
	agent := agentOf(t, conf, "main")
	for _, c := range []struct {
		text  string
		cause error
		want  string
	}{
		{" ", models.ErrBadRef, `models: " ": bad model reference: it is empty`},
		{"/", models.ErrBadRef, `models: "/": bad model reference: the provider before the / is missing`},
		{"/gpt-5.5", models.ErrBadRef, `models: "/gpt-5.5": bad model reference: the provider before the / is missing`},
		{"openai/", models.ErrBadRef, `models: "openai/": bad model reference: the model behind the / is missing`},
		{"script/", models.ErrBadRef, `models: "script/": bad model reference: the model behind the / is missing`},
		{"openrouter/moonshotai/", models.ErrBadRef, `models: "openrouter/moonshotai/": bad model reference: the model ends with a /`},
		{"openai/gpt 5", models.ErrBadRef, `models: "openai/gpt 5": bad model reference: it holds a blank`},
		{"gpt 5", models.ErrBadRef, `models: "gpt 5": bad model reference: it holds a blank`},
		{"open ai/gpt", models.ErrBadRef, `models: "open ai/gpt": bad model reference: "open ai" is no provider: it holds a blank, '@', ':' or '*'`},
		{"a@b/c", models.ErrBadRef, `models: "a@b/c": bad model reference: "a@b" is no provider: it holds a blank, '@', ':' or '*'`},
		{"openai/*", models.ErrBadRef, `models: "openai/*": bad model reference: a pattern names no single model`},
		{"openrouter/moonshotai/*", models.ErrBadRef, `models: "openrouter/moonshotai/*": bad model reference: a pattern names no single model`},
		{"gpt-*", models.ErrBadRef, `models: "gpt-*": bad model reference: a pattern names no single model`},
		{"openai/gpt\x1b[2J", models.ErrBadRef, `models: "openai/gpt\x1b[2J": bad model reference: it holds a control character`},
		{"openai/\xff", models.ErrBadRef, `models: "openai/\xff": bad model reference: it is not UTF-8`},
		{"openai/" + strings.Repeat("x", 5000), models.ErrBadRef, `models: "openai/` + strings.Repeat("x", 113) + `…": bad model reference: it has more than 4096 bytes`},
		{"anthropic/claude-opus-5@", models.ErrBadRef, `models: "anthropic/claude-opus-5@": bad model reference: the profile behind the @ is missing`},
		{"opus@", models.ErrBadRef, `models: "opus@": bad model reference: the profile behind the @ is missing`},
		{"openai", models.ErrBadRef, `models: "openai": bad model reference: it is a provider, want provider/model (did you mean openai/gpt-6-astra?)`},
		{"local", models.ErrBadRef, `models: "local": bad model reference: it is a provider, want provider/model (did you mean local/tiny?)`},
		{"anthropic/claude-opus-5@wrok", models.ErrNoProfile, `models: "anthropic/claude-opus-5@wrok": no such key: Anthropic has me@example.com, work, default (did you mean work?)`},
		{"openai/gpt-5.5@work", models.ErrNoProfile, `models: "openai/gpt-5.5@work": no such key: OpenAI has no key at all`},
		{"opus@nobody", models.ErrNoProfile, `models: "opus@nobody": no such key: Anthropic has me@example.com, work, default`},
		{"opnai/gpt-5.5", models.ErrNoProvider, `models: "opnai/gpt-5.5": no such provider: "opnai" is neither known nor in models.providers (did you mean openai/gpt-5.5?)`},
		{"gemni/x", models.ErrNoProvider, `models: "gemni/x": no such provider: "gemni" is neither known nor in models.providers (did you mean google/x?)`},
		{"moonshotai-x/y", models.ErrNoProvider, `models: "moonshotai-x/y": no such provider: "moonshotai-x" is neither known nor in models.providers (did you mean moonshot/y?)`},
		{"qwen/qwen3.8-27b", models.ErrNoProvider, `models: "qwen/qwen3.8-27b": no such provider: "qwen" is neither known nor in models.providers (did you mean openrouter/qwen/qwen3.8-27b?)`},
		{"team/big", models.ErrNoProvider, `models: "team/big": no such provider: "team" is neither known nor in models.providers (did you mean local/team/big?)`},
		{"zzzzzz/y", models.ErrNoProvider, `models: "zzzzzz/y": no such provider: "zzzzzz" is neither known nor in models.providers`},
		{"local/tniy", models.ErrNoModel, `models: "local/tniy": no such model: models.providers.local.models does not list it (did you mean local/tiny?)`},
		{"lab/shard", models.ErrNoModel, `models: "lab/shard": no such model: models.providers.Lab.models does not list it (did you mean lab/shared?)`},
		{"lost", models.ErrNoModel, `models: "lost": no such model: models.providers.local.models does not list it`},
	} {
		got, err := r.Resolve(agent, c.text)
		var e *models.RefError
		if !errors.As(err, &e) || !errors.Is(err, c.cause) || e.Text != c.text || !got.IsZero() {
			t.Errorf("%.40q: %v, %v", c.text, got, err)
			continue
		}
		if err.Error() != c.want {
			t.Errorf("%.40q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

// TestTheAgentsOwnModel goes through what holds when somebody typed nothing.
func TestTheAgentsOwnModel(t *testing.T) {
	const two = `models: { providers: { one: { baseUrl: "http://localhost:1/v1", models: [{ id: "m1" }, { id: "m2" }] }, two: { baseUrl: "http://localhost:2/v1", models: [{ id: "m3" }] } } }`
	for _, c := range []struct{ name, text, env, want string }{
		{"nothing is configured", `{}`, "", "openai/gpt-6-astra"},
		{"a key of the usual provider", `{}`, "OPENAI_API_KEY=k", "openai/gpt-6-astra"},
		{"a key of another", `{}`, "ANTHROPIC_API_KEY=k", "anthropic/claude-sonnet-5"},
		{"keys of both", `{}`, "ANTHROPIC_API_KEY=k OPENAI_API_KEY=k", "openai/gpt-6-astra"},
		{"a provider of one's own", `{` + two + `}`, "", "one/m1"},
		{"a provider of one's own before a key", `{` + two + `}`, "ANTHROPIC_API_KEY=k", "one/m1"},
		{"only the configured providers", `{` + strings.Replace(two, "{ providers", `{ mode: "replace", providers`, 1) + `}`, "OPENAI_API_KEY=k", "one/m1"},
		{"a reference", `{ agents: { defaults: { model: "groq/x" } } }`, "", "groq/x"},
		{"an agent's own", `{ agents: { defaults: { model: "groq/x" }, entries: { main: { model: { primary: "mistral/y" } } } } }`, "", "mistral/y"},
		{"an alias", `{ agents: { defaults: { model: "quick", models: { "xai/grok-4.5": { alias: "Quick" } } } } }`, "", "xai/grok-4.5"},
		{"the only one of this name", `{ ` + two + `, agents: { defaults: { model: "m3" } } }`, "", "two/m3"},
		{"of the usual provider, which has a key", `{ ` + two + `, agents: { defaults: { model: "gpt-5.4" } } }`, "OPENAI_API_KEY=k", "openai/gpt-5.4"},
		{"of no provider any more", `{ ` + two + `, agents: { defaults: { model: "gone" } } }`, "", "one/m1"},
		{"of the usual provider, and nothing else is configured", `{ agents: { defaults: { model: "gpt-5.4" } } }`, "", "openai/gpt-5.4"},
	} {
		conf := load(t, c.text, strings.Fields(c.env)...)
		r := newRegistry(t, conf, newWorld().options())
		got, err := r.Resolve(agentOf(t, conf, "main"), "")
		if err != nil || got.String() != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
		}
	}
	conf := load(t, `{ models: { mode: "replace" } }`, "OPENAI_API_KEY=k")
	_, err := newRegistry(t, conf, newWorld().options()).Resolve(agentOf(t, conf, "main"), "")
	if err == nil || !strings.Contains(err.Error(), "set agents.defaults.model") {
		t.Errorf("no provider at all: %v", err)
	}
	conf = load(t, `{ agents: { defaults: { model: "opnai/x" } } }`)
	_, err = newRegistry(t, conf, newWorld().options()).Resolve(agentOf(t, conf, "main"), "")
	if err == nil || !strings.Contains(err.Error(), `models: agent main: models: "opnai/x": no such provider`) {
		t.Errorf("a configured mistake: %v", err)
	}
}

func TestReferencesAreReadWithoutAConfiguration(t *testing.T) {
	for _, c := range []struct{ text, provider, model, profile string }{
		{"openai/gpt-5.5", "openai", "gpt-5.5", ""},
		{"Gemini/a/b@work", "google", "a/b", "google:work"},
		{"script//a@b", "script", "/a@b", ""},
		{"own/m@20260101", "own", "m@20260101", ""},
		{"own/m@20260101@x", "own", "m@20260101", "own:x"},
	} {
		got, err := models.ParseRef(c.text)
		if want := (models.Ref{Provider: c.provider, Model: c.model, Profile: c.profile}); err != nil || got != want {
			t.Errorf("%q: %+v, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", "gpt", "/x", "x/", "x/y@", "x/*"} {
		if got, err := models.ParseRef(text); !errors.Is(err, models.ErrBadRef) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func TestTwoProvidersWithOneNameAreAMistake(t *testing.T) {
	conf := load(t, `{ models: { providers: { google: {}, gemini: {} } } }`)
	_, err := models.New(conf, newWorld().options())
	if err == nil || err.Error() != "models: models.providers.google and models.providers.gemini are the same provider" {
		t.Error(err)
	}
}

func FuzzReferences(f *testing.F) {
	for _, text := range []string{"openai/gpt-5.5@work", "opus@x", "script//x", "a/@b/c@d", "", "///", "@@@/@@"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ref, err := models.ParseRef(text)
		if err != nil {
			return
		}
		again, err := models.ParseRef(ref.String())
		if err != nil || again != ref {
			t.Errorf("%q is %+v, and that is %+v, %v", text, ref, again, err)
		}
	})
}

// FuzzResolve wants that what a text means has a text that means the same, and that a refusal repeats the text.
func FuzzResolve(f *testing.F) {
	for _, text := range []string{"openai/gpt-5.5", "opus@work", "odd@v2", "team/x", "lost", "gpt-*", "local/odd@none", "shared", "script//x@y", "anthropic/x@q8_0@work"} {
		f.Add(text)
	}
	conf := load(f, offered, "OPENROUTER_API_KEY=k-openrouter", "ANTHROPIC_API_KEY=k-anthropic")
	r, err := models.New(conf, newWorld().options())
	if err != nil {
		f.Fatal(err)
	}
	agent, err := conf.Agent("main")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ref, err := r.Resolve(agent, text)
		var e *models.RefError
		if errors.As(err, &e) {
			if e.Text != text {
				t.Errorf("%q is refused as %q", text, e.Text)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := r.Resolve(agent, ref.String())
		if err != nil || again != ref {
			t.Errorf("%q is %+v, and that is %+v, %v", text, ref, again, err)
		}
	})
}
