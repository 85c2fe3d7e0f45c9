package models

import (
	"maps"
	"strings"

	"openclaw/runtime/config"
	"openclaw/runtime/model"
)

// Settings are how a model is asked for an agent.
type Settings struct {
	Temperature *float64
	MaxTokens   int64           // 0: the model's
	Retention   model.Retention // empty: the usual one
	Thinking    model.Level     // empty: nothing is configured
	Params      map[string]any  // further ones, for the provider
}

// The parameters that the runtime acts on.
const (
	paramTemperature = "temperature"
	paramMaxTokens   = "maxTokens"
	paramRetention   = "cacheRetention"
	paramThinking    = "thinking"
)

// Settings are the configured ones of a model for an agent. Later ones win: those of the defaults, of the model, of the agent.
func (r *Registry) Settings(agent *config.Agent, ref Ref) Settings {
	defaults := &r.conf.Agents.Defaults
	merged := map[string]any{}
	maps.Copy(merged, without(defaults.Params, paramThinking))
	maps.Copy(merged, r.modelParams(agent, ref))
	own, _ := merged[paramThinking].(string)
	maps.Copy(merged, without(agent.Params, paramThinking))
	s := Settings{Thinking: r.thinking(agent, own)}
	if v, ok := merged[paramTemperature].(float64); ok {
		s.Temperature = &v
	}
	s.MaxTokens, _ = merged[paramMaxTokens].(int64)
	if v, ok := merged[paramRetention].(string); ok {
		s.Retention = model.Retention(v)
	}
	for _, name := range []string{paramTemperature, paramMaxTokens, paramRetention, paramThinking} {
		delete(merged, name)
	}
	if len(merged) > 0 {
		s.Params = merged
	}
	return s
}

// modelParams are those of agents.*.models for a model, with the provider's below them. An agent's own entry is already over the
// defaults'.
func (r *Registry) modelParams(agent *config.Agent, ref Ref) map[string]any {
	merged := map[string]any{}
	for _, pattern := range []bool{true, false} {
		for _, key := range sortedKeys(agent.Models) {
			if isPattern(key) == pattern && r.matches(key, ref) {
				maps.Copy(merged, agent.Models[key].Params)
			}
		}
	}
	return merged
}

// thinking is the configured level: the agent's, that of the model's parameters, that of all agents.
func (r *Registry) thinking(agent *config.Agent, ofModel string) model.Level {
	for _, text := range []string{agent.ThinkingDefault, textOf(agent.Params[paramThinking]), ofModel, textOf(r.conf.Agents.Defaults.Params[paramThinking]), r.conf.Agents.Defaults.ThinkingDefault} {
		if level, err := ParseLevel(text); text != "" && err == nil {
			return level
		}
	}
	return ""
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

func without(m map[string]any, name string) map[string]any {
	m = maps.Clone(m)
	delete(m, name)
	return m
}

// Thinking is how much a model thinks for an agent: what somebody asked for, what is configured, what the model does by itself, else
// medium for a model that thinks and off for another.
func (r *Registry) Thinking(agent *config.Agent, ref Ref, asked model.Level) model.Level {
	if asked != "" {
		return asked
	}
	if level := r.Settings(agent, ref).Thinking; level != "" {
		return level
	}
	info, err := r.Model(ref)
	switch {
	case err != nil || !info.Reasoning:
		return model.LevelOff
	case info.Level != "":
		return info.Level
	}
	return model.LevelMedium
}

// isPattern tells provider/* and provider/part/* from a model.
func isPattern(key string) bool { return strings.HasSuffix(key, "/*") }

// matches tells whether a reference or pattern of the configuration means a model.
func (r *Registry) matches(key string, ref Ref) bool {
	name, rest, ok := strings.Cut(key, "/")
	if !ok || r.providerID(name) != ref.Provider {
		return false
	}
	if prefix, ok := strings.CutSuffix(rest, "*"); ok && (prefix == "" || strings.HasSuffix(prefix, "/")) {
		return strings.HasPrefix(ref.Model, prefix)
	}
	return rest == ref.Model
}

// Utility is the model of an agent's small jobs: the configured one, a small one of the agent's provider if it can be asked, else
// the agent's own. It is not ok when the configuration wants none.
func (r *Registry) Utility(agent *config.Agent) (ref Ref, ok bool, err error) {
	if agent.UtilityModel != "" {
		ref, err = r.resolve(agent, agent.UtilityModel, typed)
		return ref, err == nil, err
	}
	if _, _, set := r.conf.AgentOrigin(agent.ID, "utilityModel"); set {
		return Ref{}, false, nil
	}
	own, err := r.own(agent)
	if err != nil {
		return Ref{}, false, err
	}
	p, known := r.provider(own.Provider)
	if !known || p.small == "" || p.closed && !r.offers(p, p.small) || p.baseURL != knownURL(p.id) {
		return own, true, nil
	}
	return Ref{Provider: p.id, Model: p.small, Profile: own.Profile}, true, nil
}

// knownURL is where a known provider is asked when nothing is configured.
func knownURL(id string) string {
	k, _ := knownProvider(id)
	return k.baseURL
}
