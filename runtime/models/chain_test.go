package models_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"openclaw/runtime/config"
	"openclaw/runtime/models"
)

// chained has an agent with fallbacks, one without, and one whose users may choose from a list.
const chained = `{
  agents: {
    defaults: {
      model: { primary: "openai/a", fallbacks: ["anthropic/b", "google/c", "openai/a", "quick"] },
      models: { "groq/q": { alias: "quick" } },
      modelPolicy: { allow: ["openai/*", "openrouter/moonshotai/*", "quick"] },
    },
    entries: { main: {}, own: { model: "mistral/m" }, both: { model: { primary: "mistral/m", fallbacks: ["xai/x"] } },
      free: { modelPolicy: { allow: [] } }, tight: { modelPolicy: { allow: ["xai/x"] } } },
  },
}`

func names(c *models.Chain) string {
	var list []string
	for _, one := range c.Candidates() {
		list = append(list, one.Ref.String())
	}
	return strings.Join(list, " ")
}

func TestWhoChoseDecidesWhatStandsIn(t *testing.T) {
	conf := load(t, chained, "OPENAI_API_KEY=k")
	conf.Auth.Profiles = map[string]config.AuthProfile{"openai:one": {Provider: "openai", APIKey: "k1"}, "openai:two": {Provider: "openai", APIKey: "k2"}}
	r := newRegistry(t, conf, newWorld().options())
	list := func(refs ...string) *[]string { return &refs }
	for _, c := range []struct {
		agent  string
		choice models.Choice
		want   string
	}{
		{"main", models.Choice{}, "openai/a anthropic/b google/c groq/q"},
		{"main", models.Choice{Source: models.SourceConfigured}, "openai/a anthropic/b google/c groq/q"},
		{"own", models.Choice{}, "mistral/m"},
		{"both", models.Choice{}, "mistral/m xai/x"},
		{"main", models.Choice{Ref: "openai/z", Source: models.SourceUser}, "openai/z"},
		{"main", models.Choice{Ref: "openai/a", Source: models.SourceUser}, "openai/a"},
		{"main", models.Choice{Ref: "openai/z", Source: models.SourceExplicit}, "openai/z"},
		{"main", models.Choice{Ref: "openai/z", Source: models.SourceExplicit, Fallbacks: list("xai/x", "openai/z", "xai/x")}, "openai/z xai/x"},
		{"main", models.Choice{Ref: "openai/z", Source: models.SourceExplicit, Fallbacks: list()}, "openai/z"},
		{"main", models.Choice{Ref: "openai/z", Source: models.SourceJob}, "openai/z anthropic/b google/c openai/a groq/q"},
		{"main", models.Choice{Ref: "openai/z", Source: models.SourceJob, Fallbacks: list()}, "openai/z"},
		{"main", models.Choice{Ref: "openai/z", Source: models.SourceJob, Fallbacks: list("quick")}, "openai/z groq/q"},
		{"own", models.Choice{Ref: "openai/z", Source: models.SourceJob}, "openai/z mistral/m"},
		{"main", models.Choice{Ref: "google/c", Source: models.SourceAuto}, "openai/a google/c anthropic/b groq/q"},
		{"main", models.Choice{Fallbacks: list("xai/x")}, "openai/a xai/x"},
		{"main", models.Choice{Fallbacks: list("openai/a@one")}, "openai/a"},
		{"main", models.Choice{Ref: "openai/a@one", Source: models.SourceExplicit, Fallbacks: list("openai/a@two", "openai/a@one", "openai/a")}, "openai/a@one openai/a@two openai/a"},
	} {
		chain, err := r.Chain(agentOf(t, conf, c.agent), c.choice)
		if err != nil {
			t.Errorf("%s %+v: %v", c.agent, c.choice, err)
			continue
		}
		if got := names(chain); got != c.want {
			t.Errorf("%s %+v: %s, want %s", c.agent, c.choice, got, c.want)
		}
	}
}

func TestThePolicyHoldsForWhatPeopleChoose(t *testing.T) {
	conf := load(t, chained)
	r := newRegistry(t, conf, newWorld().options())
	for _, c := range []struct {
		agent, ref string
		source     models.Source
		key        string // of the refusal; empty: allowed
	}{
		{"main", "openai/anything", models.SourceUser, ""},
		{"main", "openrouter/moonshotai/kimi-k3", models.SourceUser, ""},
		{"main", "openrouter/moonshotai-not/kimi", models.SourceUser, "agents.defaults.modelPolicy.allow"},
		{"main", "quick", models.SourceUser, ""},
		{"main", "groq/q", models.SourceExplicit, ""},
		{"main", "groq/q2", models.SourceExplicit, "agents.defaults.modelPolicy.allow"},
		{"main", "google/c", models.SourceJob, "agents.defaults.modelPolicy.allow"}, // a fallback does not extend the policy
		{"main", "google/c", models.SourceAuto, ""},
		{"own", "mistral/m", models.SourceUser, "agents.defaults.modelPolicy.allow"}, // nor does the agent's own
		{"own", "", models.SourceConfigured, ""},
		{"free", "mistral/m", models.SourceUser, ""},
		{"tight", "openai/a", models.SourceUser, "agents.entries.tight.modelPolicy.allow"},
		{"tight", "xai/x", models.SourceUser, ""},
	} {
		_, err := r.Chain(agentOf(t, conf, c.agent), models.Choice{Ref: c.ref, Source: c.source})
		var refused *models.PolicyError
		if errors.As(err, &refused); c.key == "" && err != nil || c.key != "" && (refused == nil || refused.Key != c.key) {
			t.Errorf("%s %s %s: %v, want key %q", c.agent, c.ref, c.source, err, c.key)
		}
	}
	_, err := r.Chain(agentOf(t, conf, "tight"), models.Choice{Ref: "openai/a", Source: models.SourceUser})
	want := `models: openai/a is not in agents.entries.tight.modelPolicy.allow: choose one of xai/x, or add "openai/a" or "openai/*" to it, or remove the key to allow every model`
	if err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

func TestMistakesInAChain(t *testing.T) {
	conf := load(t, `{ agents: { defaults: { model: { primary: "openai/a", fallbacks: ["opnai/b"] } } } }`)
	r := newRegistry(t, conf, newWorld().options())
	_, err := r.Chain(agentOf(t, conf, "main"), models.Choice{})
	if want := `models: fallback of agent main: models: "opnai/b": no such provider`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	if _, err := r.Chain(agentOf(t, conf, "main"), models.Choice{Ref: "openai/b", Source: models.SourceUser}); err != nil {
		t.Errorf("a choice that needs no fallback: %v", err)
	}
}

func TestTheModelOfSmallJobs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{}`, "openai/gpt-5.6-luna true"},
		{`{ agents: { defaults: { model: "anthropic/claude-opus-5@work" } }, auth: { profiles: { "anthropic:work": { provider: "anthropic", apiKey: "k" } } } }`, "anthropic/claude-haiku-4-5@work true"},
		{`{ agents: { defaults: { model: "groq/x" } } }`, "groq/x true"},
		{`{ agents: { defaults: { utilityModel: "" } } }`, " false"},
		{`{ agents: { defaults: { utilityModel: "xai/s" } } }`, "xai/s true"},
		{`{ agents: { defaults: { utilityModel: "xai/s" }, entries: { main: { utilityModel: "" } } } }`, " false"},
		{`{ models: { providers: { openai: { baseUrl: "http://localhost:9/v1" } } } }`, "openai/gpt-6-astra true"}, // who knows what is there
		{`{ agents: { defaults: { model: "script/x.json" } } }`, "script/x.json true"},
	} {
		conf := load(t, c.text)
		ref, ok, err := newRegistry(t, conf, newWorld().options()).Utility(agentOf(t, conf, "main"))
		if got := fmt.Sprint(ref, " ", ok); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.text, got, err, c.want)
		}
	}
}
