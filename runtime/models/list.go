package models

import (
	"slices"

	"openclaw/runtime/config"
	"openclaw/runtime/models/catalogue"
)

// Listed is a model of a list.
type Listed struct {
	Info
	Ready   bool     // its provider needs no key, or has one
	Primary bool     // it is the agent's own
	Aliases []string // of the agent
	// Fallback is its place among what stands in for the agent's own, from 1; 0: it does not.
	Fallback int
}

// List are the models that an agent can ask: its own, its fallbacks, those with settings, and those of each provider that is
// configured or has a key. With all, those of every provider. With provider, only that one's.
func (r *Registry) List(agent *config.Agent, provider string, all bool) ([]Listed, error) {
	only := ""
	if provider != "" {
		p, err := r.mustProvider(provider)
		if err != nil {
			return nil, err
		}
		only = p.id
	}
	var list []Listed
	add := func(ref Ref) {
		ref.Profile = ""
		if only != "" && ref.Provider != only || slices.ContainsFunc(list, func(l Listed) bool { return l.Same(ref) }) {
			return
		}
		if info, err := r.Model(ref); err == nil {
			list = append(list, Listed{Info: info})
		}
	}
	primary, fallbacks := r.named(agent)
	if primary != (Ref{}) {
		add(primary)
	}
	for _, ref := range fallbacks {
		add(ref)
	}
	for _, key := range sortedKeys(agent.Models) {
		if ref, ok := r.settingsRef(key); ok {
			add(ref)
		}
	}
	for _, id := range r.order {
		p := r.providers[id]
		if !all && only == "" && !r.available(p) || p.noKey && !p.configured && len(p.config.Models) == 0 && len(catalogue.Models(id)) == 0 {
			continue
		}
		for _, name := range r.models(p) {
			add(Ref{Provider: id, Model: name})
		}
	}
	r.mark(agent, list, primary, fallbacks)
	return list, nil
}

// named are an agent's own model and its fallbacks, without those that cannot be resolved.
func (r *Registry) named(agent *config.Agent) (primary Ref, fallbacks []Ref) {
	primary, err := r.own(agent)
	if err != nil {
		primary = Ref{}
	}
	for _, text := range agent.Model.Fallbacks {
		if ref, err := r.resolve(agent, text, typed); err == nil {
			fallbacks = append(fallbacks, ref)
		}
	}
	return primary, fallbacks
}

// mark says what the models of a list are to an agent.
func (r *Registry) mark(agent *config.Agent, list []Listed, primary Ref, fallbacks []Ref) {
	aliases := r.Aliases(agent)
	ready := map[string]bool{}
	for i := range list {
		l := &list[i]
		l.Primary = l.Same(primary)
		l.Fallback = slices.IndexFunc(fallbacks, l.Same) + 1
		for _, a := range aliases {
			if l.Same(a.Ref) {
				l.Aliases = append(l.Aliases, a.Name)
			}
		}
		is, known := ready[l.Provider]
		if !known {
			is = r.Ready(l.Ref) == nil
			ready[l.Provider] = is
		}
		l.Ready = is
	}
}
