package models_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/config"
	"openclaw/runtime/models"
)

// TestEdits applies edits to a configuration and looks at the text.
func TestEdits(t *testing.T) {
	set := func(ref string) func(*models.Registry, models.Scope) (config.Edit, bool, error) {
		return func(r *models.Registry, s models.Scope) (config.Edit, bool, error) {
			found, err := r.Resolve(s.Agent, ref)
			return r.SetPrimary(s, found), true, err
		}
	}
	add := func(ref string) func(*models.Registry, models.Scope) (config.Edit, bool, error) {
		return func(r *models.Registry, s models.Scope) (config.Edit, bool, error) {
			found, err := r.Resolve(s.Agent, ref)
			if err != nil {
				return config.Edit{}, false, err
			}
			return r.AddFallback(s, found)
		}
	}
	remove := func(ref string) func(*models.Registry, models.Scope) (config.Edit, bool, error) {
		return func(r *models.Registry, s models.Scope) (config.Edit, bool, error) {
			found, err := r.Resolve(s.Agent, ref)
			if err != nil {
				return config.Edit{}, false, err
			}
			return r.RemoveFallback(s, found)
		}
	}
	name := func(alias, ref string) func(*models.Registry, models.Scope) (config.Edit, bool, error) {
		return func(r *models.Registry, s models.Scope) (config.Edit, bool, error) {
			found, err := r.Resolve(s.Agent, ref)
			if err != nil {
				return config.Edit{}, false, err
			}
			edit, err := r.AddAlias(s, alias, found)
			return edit, true, err
		}
	}
	unname := func(alias string) func(*models.Registry, models.Scope) (config.Edit, bool, error) {
		return func(r *models.Registry, s models.Scope) (config.Edit, bool, error) {
			edit, err := r.RemoveAlias(s, alias)
			return edit, true, err
		}
	}
	clear := func(r *models.Registry, s models.Scope) (config.Edit, bool, error) { return r.ClearFallbacks(s) }
	for _, c := range []struct {
		what  string
		text  string
		own   bool
		edit  func(*models.Registry, models.Scope) (config.Edit, bool, error)
		want  string // without blanks and line ends; empty: nothing to do
		error string
	}{
		{"set", `{}`, false, set("openai/gpt-5.5"), `{agents:{defaults:{model:"openai/gpt-5.5"}}}`, ""},
		{"set over a text", `{agents:{defaults:{model:"a/b"/*my*/}}}`, false, set("openai/x"), `{agents:{defaults:{model:"openai/x"/*my*/}}}`, ""},
		{"set keeps fallbacks", `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["xai/c"]}}}}`, false, set("openai/x"), `{agents:{defaults:{model:{primary:"openai/x",fallbacks:["xai/c"]}}}}`, ""},
		{"set an agent's own", `{agents:{defaults:{model:"groq/b"}}}`, true, set("openai/x"), `{agents:{defaults:{model:"groq/b"},entries:{main:{model:"openai/x"}}}}`, ""},
		{"set an agent's own in its entry", `{agents:{entries:{Main:{}}}}`, true, set("openai/x"), `{agents:{entries:{Main:{model:"openai/x"}}}}`, ""},
		{"set an agent's own in a list", `{agents:{list:[{id:"main"}]}}`, true, set("openai/x"), `{agents:{list:[{id:"main",model:"openai/x"}]}}`, ""},
		{"add to nothing", `{}`, false, add("xai/x"), `{agents:{defaults:{model:{primary:"openai/gpt-6-astra",fallbacks:["xai/x"]}}}}`, ""},
		{"add to a text", `{agents:{defaults:{model:"groq/b"}}}`, false, add("xai/x"), `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["xai/x"]}}}}`, ""},
		{"add behind others", `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["xai/c"/*c*/]}}}}`, false, add("xai/x"), `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["xai/c",/*c*/"xai/x"]}}}}`, ""},
		{"add what is there", `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["XAI/x"]}}}}`, false, add("xai/x"), ``, ""},
		{"add to an agent that takes the defaults'", `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["xai/c"]}}}}`, true, add("xai/x"), `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["xai/c"]}},entries:{main:{model:{primary:"groq/b",fallbacks:["xai/c","xai/x"]}}}}}`, ""},
		{"remove", `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["xai/c","xai/x"]}}}}`, false, remove("xai/c"), `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["xai/x"]}}}}`, ""},
		{"remove what is not there", `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["xai/c"]}}}}`, false, remove("xai/d"), ``, ""},
		{"clear", `{agents:{defaults:{model:{primary:"groq/b",fallbacks:["xai/c"]}}}}`, false, clear, `{agents:{defaults:{model:{primary:"groq/b",fallbacks:[]}}}}`, ""},
		{"clear nothing", `{}`, false, clear, ``, ""},
		{"name", `{}`, false, name("fast", "groq/qwen/x"), `{agents:{defaults:{models:{"groq/qwen/x":{alias:"fast"}}}}}`, ""},
		{"name a model with settings", `{agents:{defaults:{models:{"Groq/x":{params:{a:1}}}}}}`, false, name("fast", "groq/x"), `{agents:{defaults:{models:{"Groq/x":{params:{a:1},alias:"fast"}}}}}`, ""},
		{"a name that is taken", `{agents:{defaults:{models:{"groq/x":{alias:"fast"}}}}}`, false, name("FAST", "groq/y"), ``, `models: alias "FAST": it is the name of groq/x: remove it there first`},
		{"unname", `{agents:{defaults:{models:{"groq/x":{alias:"fast",params:{a:1}}}}}}`, false, unname("Fast"), `{agents:{defaults:{models:{"groq/x":{params:{a:1}}}}}}`, ""},
		{"unname a model with nothing else", `{agents:{defaults:{models:{"groq/x":{alias:"fast"},"groq/y":{}}}}}`, false, unname("fast"), `{agents:{defaults:{models:{"groq/y":{}}}}}`, ""},
		{"unname what has no name", `{agents:{defaults:{models:{"groq/x":{alias:"fast"}}}}}`, false, unname("fsat"), ``, `models: alias "fsat": agents.defaults.models has no such name (did you mean fast?)`},
		{"unname what is built in", `{agents:{defaults:{models:{"anthropic/claude-opus-5":{}}}}}`, false, unname("opus"), ``, `models: alias "opus": it is built in`},
	} {
		conf := load(t, c.text)
		r := newRegistry(t, conf, newWorld().options())
		edit, ok, err := c.edit(r, models.Scope{Agent: agentOf(t, conf, "main"), Own: c.own})
		if c.error != "" || err != nil {
			if err == nil || err.Error() != c.error {
				t.Errorf("%s: %v, want %s", c.what, err, c.error)
			}
			continue
		}
		if ok != (c.want != "") {
			t.Errorf("%s: there is something to do: %v", c.what, ok)
		}
		if !ok {
			continue
		}
		dir := filepath.Dir(conf.File)
		_, err = config.Change(t.Context(), config.Options{Home: "/home/u", LookupEnv: func(n string) (string, bool) {
			if n == config.EnvStateDir {
				return dir, true
			}
			return "", false
		}}, edit)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		got, err := os.ReadFile(conf.File)
		if err != nil {
			t.Fatal(err)
		}
		if text := squeezed(string(got)); text != squeezed(c.want) {
			t.Errorf("%s: %s\nwant %s", c.what, text, squeezed(c.want))
		}
	}
}

// squeezed is a text without blanks, quotes and commas at ends, which is all that editing may choose.
func squeezed(s string) string {
	s = strings.NewReplacer(" ", "", "\n", "", `"`, "").Replace(s)
	return strings.NewReplacer(",}", "}", ",]", "]").Replace(s)
}

func TestLists(t *testing.T) {
	conf := load(t, `{
	  models: { providers: { local: { baseUrl: "http://localhost:1/v1", models: [{ id: "a" }, { id: "b" }] } } },
	  agents: { defaults: { model: { primary: "local/b", fallbacks: ["xai/grok-4.5", "local/gone"] }, models: { "groq/q": { alias: "quick" }, "groq/*": {} } } },
	}`, "DEEPSEEK_API_KEY=k")
	r := newRegistry(t, conf, newWorld().options())
	agent := agentOf(t, conf, "main")
	show := func(list []models.Listed) string {
		var texts []string
		for _, l := range list {
			text := l.Ref.String()
			if l.Primary {
				text += " own"
			}
			if l.Fallback > 0 {
				text += " fallback"
			}
			if len(l.Aliases) > 0 {
				text += " " + strings.Join(l.Aliases, "+")
			}
			if !l.Ready {
				text += " no-key"
			}
			texts = append(texts, text)
		}
		return strings.Join(texts, ", ")
	}
	list, err := r.List(agent, "", false)
	if want := "local/b own, xai/grok-4.5 fallback no-key, groq/q quick no-key, local/a, deepseek/deepseek-v4-flash, deepseek/deepseek-v4-pro"; err != nil || show(list) != want {
		t.Errorf("%s, %v\nwant %s", show(list), err, want)
	}
	list, err = r.List(agent, "Grok", false)
	if err != nil || len(list) < 5 || list[0].Fallback != 1 {
		t.Errorf("%s, %v", show(list), err)
	}
	if list, err = r.List(agent, "", true); err != nil || len(list) < 900 {
		t.Errorf("%d models, %v", len(list), err)
	}
	if _, err = r.List(agent, "grqo", false); err == nil || !strings.HasSuffix(err.Error(), "(did you mean groq?)") {
		t.Error(err)
	}
}

func TestStatus(t *testing.T) {
	conf := load(t, `{
	  models: { providers: { lab: { baseUrl: "https://lab.example/v1" } } },
	  agents: { defaults: { model: { primary: "groq/x", fallbacks: ["ollama/y"] } }, entries: { main: {}, broken: { model: "opnai/x" }, bare: { model: "lab/x" } } },
	}`, "OPENAI_API_KEY=planted-1", "OPENAI_API_KEY_2=planted-2", "OPENAI_API_KEYS=planted-1,planted-3")
	r := newRegistry(t, conf, newWorld().options())
	var list []models.AgentStatus
	for _, c := range []struct{ agent, next, problem string }{
		{"main", "groq/x", ""}, // the fallback can be asked
		{"broken", "", "no such provider"},
		{"bare", "lab/x", "set the variable LAB_API_KEY"},
	} {
		s := r.AgentStatus(t.Context(), agentOf(t, conf, c.agent))
		list = append(list, s)
		if s.Next.String() != c.next || (s.Problem != nil) != (c.problem != "") || s.Problem != nil && !strings.Contains(s.Problem.Error(), c.problem) {
			t.Errorf("%s: %+v", c.agent, s)
		}
	}
	var got []string
	for _, p := range r.ProviderStatuses(list) {
		text := p.ID
		for _, key := range p.Profiles {
			text += " " + key.ID + "=" + key.Source
		}
		got = append(got, text+" "+p.Problem)
	}
	want := "lab no key for lab: set the variable LAB_API_KEY, or models.providers.lab.apiKey in the configuration|" +
		"openai openai:default=OPENAI_API_KEY openai:list-2=OPENAI_API_KEYS openai:2=OPENAI_API_KEY_2 |" +
		"groq no key for Groq: set the variable GROQ_API_KEY, or models.providers.groq.apiKey in the configuration|ollama ollama:none= "
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "|"), want)
	}
}
