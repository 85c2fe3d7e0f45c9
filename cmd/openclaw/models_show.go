package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/model"
	"openclaw/runtime/models"
)

// modelsListed is a model as list --json prints it. Zero numbers are unknown.
type modelsListed struct {
	Model         string        `json:"model"`
	Name          string        `json:"name,omitempty"`
	API           string        `json:"api"`
	Ready         bool          `json:"ready"`
	Default       bool          `json:"default,omitempty"`
	Fallback      int           `json:"fallback,omitempty"`
	Aliases       []string      `json:"aliases,omitempty"`
	ContextWindow int64         `json:"contextWindow,omitempty"`
	ContextTokens int64         `json:"contextTokens"`
	MaxTokens     int64         `json:"maxTokens,omitempty"`
	Reasoning     bool          `json:"reasoning"`
	Levels        []model.Level `json:"thinkingLevels,omitempty"`
	Images        bool          `json:"images"`
	Cost          *modelsCost   `json:"cost,omitempty"`
}

// modelsCost is in US dollars for a million tokens.
type modelsCost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

func modelsList(c *cli.Context, m *modelsCall) error {
	list, err := m.registry.List(m.scope.Agent, c.String("provider"), c.Bool("all"))
	if err != nil {
		return err
	}
	if c.Bool("json") {
		out := []modelsListed{}
		for _, l := range list {
			one := modelsListed{
				Model: l.Ref.Name(), Name: l.Name, API: l.API, Ready: l.Ready, Default: l.Primary, Fallback: l.Fallback, Aliases: l.Aliases,
				ContextWindow: l.ContextWindow, ContextTokens: l.ContextTokens, MaxTokens: l.MaxTokens, Reasoning: l.Reasoning, Levels: l.Levels, Images: l.Images,
			}
			if l.Cost != nil {
				cost := modelsCost(*l.Cost)
				one.Cost = &cost
			}
			out = append(out, one)
		}
		return printJSON(m.out, struct {
			Models []modelsListed `json:"models"`
		}{out})
	}
	t := table{header: []string{"MODEL", "CONTEXT", "ANSWER", "INPUT", "$/M IN", "$/M OUT", "NOTES"}}
	for _, l := range list {
		input := "text"
		if l.Images {
			input = "text+image"
		}
		in, out := "?", "?"
		if l.Cost != nil {
			in, out = fmt.Sprintf("%g", l.Cost.Input), fmt.Sprintf("%g", l.Cost.Output)
		}
		t.add(l.Ref.Name(), tokensText(l.ContextWindow), tokensText(l.MaxTokens), input, in, out, modelNotes(l))
	}
	return t.write(m.out)
}

// tokensText is a number of tokens in a few characters.
func tokensText(n int64) string {
	const thousand, tenThousand, million = 1000, 10_000, 1_000_000
	switch {
	case n == 0:
		return "?"
	case n >= million:
		return strconv.FormatFloat(float64(n/tenThousand)/100, 'g', -1, 64) + "M"
	case n >= thousand:
		return fmt.Sprintf("%dk", n/thousand)
	}
	return fmt.Sprint(n)
}

func modelNotes(l models.Listed) string {
	var notes []string
	if l.Primary {
		notes = append(notes, "default")
	}
	if l.Fallback > 0 {
		notes = append(notes, fmt.Sprintf("fallback %d", l.Fallback))
	}
	if len(l.Aliases) > 0 {
		notes = append(notes, "alias "+strings.Join(l.Aliases, " "))
	}
	if l.Reasoning {
		notes = append(notes, "thinks")
	}
	if !l.Ready {
		notes = append(notes, "no key")
	}
	return strings.Join(notes, ", ")
}

// modelsState is what status --json prints.
type modelsState struct {
	OK        bool             `json:"ok"` // every agent has a model that can be asked
	Config    string           `json:"config"`
	Agents    []modelsAgent    `json:"agents"`
	Providers []modelsProvider `json:"providers"`
	Resting   []modelsResting  `json:"resting"`
}

type modelsAgent struct {
	Agent      string        `json:"agent"`
	Model      string        `json:"model"`
	Configured bool          `json:"configured"`
	Fallbacks  []string      `json:"fallbacks"`
	Next       string        `json:"next"`
	Utility    string        `json:"utilityModel"`
	Aliases    []modelsAlias `json:"aliases"`
	Problem    string        `json:"problem,omitempty"`
}

type modelsProvider struct {
	Provider   string      `json:"provider"`
	API        string      `json:"api"`
	BaseURL    string      `json:"baseUrl,omitempty"`
	Configured bool        `json:"configured"`
	Keys       []modelsKey `json:"keys"`
	NeedsKey   bool        `json:"needsKey"`
	Problem    string      `json:"problem,omitempty"`
}

// modelsKey is a key without the key.
type modelsKey struct {
	Profile string `json:"profile"`
	Source  string `json:"source"` // the variable or the path in the configuration that has it
}

type modelsResting struct {
	Profile string `json:"profile"`
	Model   string `json:"model,omitempty"` // empty: every model
	Reason  string `json:"reason"`
	Errors  int64  `json:"errors"`
	Until   string `json:"until"`
}

func modelsStatus(c *cli.Context, m *modelsCall) error {
	statuses, err := m.agentStatuses(c)
	if err != nil {
		return err
	}
	out := modelsState{OK: true, Config: m.conf.File, Agents: []modelsAgent{}, Providers: []modelsProvider{}, Resting: []modelsResting{}}
	for _, s := range statuses {
		a := shownAgent(s)
		out.OK = out.OK && a.Problem == ""
		out.Agents = append(out.Agents, a)
	}
	for _, p := range m.registry.ProviderStatuses(statuses) {
		out.Providers = append(out.Providers, shownProvider(p))
	}
	resting, err := m.registry.Resting(c.Context)
	if err != nil {
		return err
	}
	for _, r := range resting {
		out.Resting = append(out.Resting, modelsResting{r.Profile, r.Model, string(r.Kind), r.Errors, r.Until.UTC().Format(time.RFC3339)})
	}
	switch {
	case c.Bool("json"):
		err = printJSON(m.out, out)
	case c.Bool("plain"):
		for _, a := range out.Agents {
			fmt.Fprintln(m.out, printable(a.Model))
		}
	default:
		m.printState(&out)
	}
	if err == nil && c.Bool("check") && !out.OK {
		return exitStatus(statusConfigFailed)
	}
	return err
}

// agentStatuses are those of the agent that is asked for, or of every one.
func (m *modelsCall) agentStatuses(c *cli.Context) ([]models.AgentStatus, error) {
	ids := m.conf.Agents.IDs
	if m.scope.Own || len(ids) == 0 || c.Bool("plain") && m.scope.Agent.ID != "" {
		return []models.AgentStatus{m.registry.AgentStatus(c.Context, m.scope.Agent)}, nil
	}
	var list []models.AgentStatus
	for _, id := range ids {
		agent, err := m.conf.Agent(id)
		if err != nil {
			return nil, err
		}
		list = append(list, m.registry.AgentStatus(c.Context, agent))
	}
	return list, nil
}

func shownAgent(s models.AgentStatus) modelsAgent {
	a := modelsAgent{
		Agent: s.Agent, Model: s.Model.String(), Configured: s.Configured, Fallbacks: []string{}, Next: s.Next.String(), Utility: s.Utility.String(),
		Aliases: []modelsAlias{},
	}
	for i, ref := range s.Candidates {
		if i > 0 {
			a.Fallbacks = append(a.Fallbacks, ref.String())
		}
	}
	for _, one := range s.Aliases {
		a.Aliases = append(a.Aliases, modelsAlias{one.Name, one.Ref.String(), one.BuiltIn})
	}
	if s.Problem != nil {
		a.Problem = s.Problem.Error()
	}
	return a
}

func shownProvider(p models.ProviderStatus) modelsProvider {
	shown := modelsProvider{Provider: p.ID, API: p.API, BaseURL: p.BaseURL, Configured: p.Configured, Keys: []modelsKey{}, NeedsKey: true, Problem: p.Problem}
	for _, key := range p.Profiles {
		if key.Source == "" {
			shown.NeedsKey = false
			continue
		}
		shown.Keys = append(shown.Keys, modelsKey{key.ID, key.Source})
	}
	return shown
}

func (m *modelsCall) printState(s *modelsState) {
	line := func(format string, args ...any) { fmt.Fprintln(m.out, printable(fmt.Sprintf(format, args...))) }
	for _, a := range s.Agents {
		origin := ""
		if !a.Configured {
			origin = " (nothing is configured)"
		}
		line("agent %s: %s%s", a.Agent, a.Model, origin)
		if len(a.Fallbacks) > 0 {
			line("  fallbacks: %s", strings.Join(a.Fallbacks, ", "))
		}
		if a.Next != a.Model && a.Next != "" {
			line("  next turn: %s", a.Next)
		}
		if a.Utility != "" && a.Utility != a.Model {
			line("  small jobs: %s", a.Utility)
		}
		if a.Problem != "" {
			line("  problem: %s", a.Problem)
		}
	}
	for _, p := range s.Providers {
		line("provider %s: %s", p.Provider, keysText(p))
		if p.BaseURL != "" {
			line("  %s, %s", p.BaseURL, p.API)
		}
	}
	for _, r := range s.Resting {
		what := r.Profile
		if r.Model != "" {
			what += " with " + r.Model
		}
		line("rests until %s: %s, after %s", r.Until, what, r.Reason)
	}
}

func keysText(p modelsProvider) string {
	switch {
	case len(p.Keys) == 0 && !p.NeedsKey:
		return "needs no key"
	case len(p.Keys) == 0:
		return "no key"
	}
	var texts []string
	for _, k := range p.Keys {
		_, name, _ := strings.Cut(k.Profile, ":")
		texts = append(texts, fmt.Sprintf("key %s from %s", name, k.Source))
	}
	return strings.Join(texts, ", ")
}
