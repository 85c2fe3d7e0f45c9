package models

import (
	"fmt"
	"slices"
	"strings"

	"openclaw/runtime/config"
	"openclaw/runtime/models/catalogue"
)

// shorthands are names for the newest model of a family that has settings in agents.*.models.
var shorthands = []struct{ name, provider, prefix, without string }{
	{"opus", "anthropic", "claude-opus-", ""},
	{"sonnet", "anthropic", "claude-sonnet-", ""},
	{"gpt-mini", "openai", "gpt-", ""},
	{"gpt-nano", "openai", "gpt-", ""},
	{"gpt", "openai", "gpt-", "-mini -nano -codex -pro"},
	{"gemini-flash-lite", "google", "gemini-", ""},
	{"gemini-flash", "google", "gemini-", "-lite"},
	{"gemini", "google", "gemini-", "-flash"},
}

// Alias is another name of a model.
type Alias struct {
	Name    string
	Ref     Ref
	BuiltIn bool
}

// Aliases are an agent's other names of models, sorted. Its own go before those that are built in.
func (r *Registry) Aliases(agent *config.Agent) []Alias {
	var list []Alias
	has := func(name string) bool {
		return slices.ContainsFunc(list, func(a Alias) bool { return strings.EqualFold(a.Name, name) })
	}
	for _, key := range sortedKeys(agent.Models) {
		name := agent.Models[key].Alias
		if ref, ok := r.settingsRef(key); ok && name != "" && !has(name) {
			list = append(list, Alias{Name: name, Ref: ref})
		}
	}
	for _, s := range shorthands {
		if has(s.name) {
			continue
		}
		if ref, ok := r.newest(agent, s.name, s.provider, s.prefix, s.without); ok {
			list = append(list, Alias{Name: s.name, Ref: ref, BuiltIn: true})
		}
	}
	slices.SortStableFunc(list, func(a, b Alias) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// newest is the model of a family that has settings and comes first in the catalogue.
func (r *Registry) newest(agent *config.Agent, name, providerID, prefix, without string) (Ref, bool) {
	suffix := ""
	if _, kind, ok := strings.Cut(name, "-"); ok {
		suffix = "-" + kind
	}
	var best Ref
	rank := -1
	for key := range agent.Models {
		ref, ok := r.settingsRef(key)
		if !ok || ref.Provider != providerID || !strings.HasPrefix(ref.Model, prefix) || !strings.Contains(ref.Model, suffix) ||
			slices.ContainsFunc(strings.Fields(without), func(w string) bool { return strings.Contains(ref.Model, w) }) {
			continue
		}
		at := slices.IndexFunc(catalogue.Models(providerID), func(m catalogue.Model) bool { return m.ID == ref.Model })
		if at < 0 {
			at = len(catalogue.Models(providerID))
		}
		if rank < 0 || at < rank || at == rank && ref.Model > best.Model {
			best, rank = ref, at
		}
	}
	return best, rank >= 0
}

// settingsRef is the model that a key of agents.*.models is for; not ok for provider/*.
func (r *Registry) settingsRef(key string) (Ref, bool) {
	name, model, ok := strings.Cut(key, "/")
	if !ok || model == "*" || strings.HasSuffix(model, "/*") {
		return Ref{}, false
	}
	return Ref{Provider: r.providerID(name), Model: model}, true
}

// providerID is the id of a provider, known or not.
func (r *Registry) providerID(name string) string {
	if p, ok := r.provider(name); ok {
		return p.id
	}
	return canonicalProvider(name)
}

// Resolve finds the model that a text means for an agent. In this order it is
//
//   - provider/model, cut at the first slash;
//   - an alias, in any case;
//   - the id of a model of exactly one provider that is configured or has a key;
//   - the id of a model of the agent's provider, as older configurations write it.
//
// An empty text is the agent's own model, or where none is configured the first that can be asked.
func (r *Registry) Resolve(agent *config.Agent, text string) (Ref, error) {
	if text == "" {
		return r.own(agent)
	}
	return r.resolve(agent, text, typed)
}

// own is the agent's configured model.
func (r *Registry) own(agent *config.Agent) (Ref, error) {
	if agent.Model.Primary == "" {
		return r.first()
	}
	ref, err := r.resolve(agent, agent.Model.Primary, configured)
	if err != nil {
		return Ref{}, fmt.Errorf("models: agent %s: %w", agent.ID, err)
	}
	return ref, nil
}

// first is the model when none is configured: the usual one if its provider can be asked, else the first of the first provider
// that can be.
func (r *Registry) first() (Ref, error) {
	usual := Ref{Provider: DefaultProvider, Model: DefaultModel}
	p, ok := r.provider(DefaultProvider)
	if ok && r.available(p) && (!p.closed || r.offers(p, DefaultModel)) {
		return usual, nil
	}
	for _, id := range r.order {
		p := r.providers[id]
		if !r.available(p) || p.noKey && !p.configured {
			continue
		}
		if ref, ok := r.firstOf(p); ok {
			return ref, nil
		}
	}
	if !ok {
		return Ref{}, &RefError{Cause: ErrNoModel, Reason: "no model is configured: set agents.defaults.model"}
	}
	return usual, nil
}

// firstOf is the model of a provider to begin with.
func (r *Registry) firstOf(p provider) (Ref, bool) {
	if len(p.config.Models) > 0 {
		return Ref{Provider: p.id, Model: p.config.Models[0].ID}, true
	}
	if p.closed {
		return Ref{}, false
	}
	if p.known.first != "" {
		return Ref{Provider: p.id, Model: p.known.first}, true
	}
	if list := catalogue.Models(p.id); len(list) > 0 {
		return Ref{Provider: p.id, Model: list[0].ID}, true
	}
	return Ref{}, false
}

// origin is where a text comes from.
type origin bool

const (
	typed      origin = false
	configured origin = true // the agent's own model
)

// resolve is Resolve of a text that is not empty.
func (r *Registry) resolve(agent *config.Agent, text string, from origin) (Ref, error) {
	trimmed, err := checkText(text)
	if err != nil {
		return Ref{}, err
	}
	if !strings.Contains(trimmed, "/") {
		return r.short(agent, text, trimmed, from)
	}
	ref, err := splitProvider(text, trimmed)
	if err != nil {
		return Ref{}, err
	}
	if ref.Provider == ScriptProvider {
		return ref, nil
	}
	p, ok := r.provider(ref.Provider)
	if !ok {
		// An alias may hold a slash, and its profile an @.
		if found, err, ok := r.alias(agent, text, trimmed); ok {
			return found, err
		}
		return Ref{}, r.noProvider(text, ref.Provider, ref.Model)
	}
	ref.Provider = p.id
	return r.complete(text, p, ref)
}

// complete takes the profile off a model's name, and wants both to be there as far as that can be known.
func (r *Registry) complete(text string, p provider, ref Ref) (Ref, error) {
	ref, err := splitProfile(text, ref, func(id string) bool { return r.offers(p, id) })
	if err != nil {
		return Ref{}, err
	}
	if p.closed && !r.offers(p, ref.Model) {
		return Ref{}, r.noModel(text, p, ref.Model)
	}
	if err := r.checkProfile(text, p, ref); err != nil {
		return Ref{}, err
	}
	return ref, nil
}

// checkProfile wants that a profile which is named exists.
func (r *Registry) checkProfile(text string, p provider, ref Ref) error {
	if ref.Profile == "" {
		return nil
	}
	var names []string
	for _, c := range r.allProfiles(p) {
		if c.id == ref.Profile {
			return nil
		}
		names = append(names, strings.TrimPrefix(c.id, p.id+":"))
	}
	e := &RefError{Text: text, Cause: ErrNoProfile, Reason: p.name + " has no key at all"}
	if len(names) > 0 {
		e.Reason = p.name + " has " + strings.Join(names, ", ")
		e.Hint = nearest(strings.TrimPrefix(ref.Profile, p.id+":"), names)
	}
	return e
}

// alias finds a model by another name of it, with a profile behind or without.
func (r *Registry) alias(agent *config.Agent, text, trimmed string) (Ref, error, bool) {
	name, profile, hasProfile := strings.Cut(trimmed, "@")
	for _, a := range r.Aliases(agent) {
		if !strings.EqualFold(a.Name, name) {
			continue
		}
		p, ok := r.provider(a.Ref.Provider)
		switch {
		case a.Ref.Provider == ScriptProvider:
			return a.Ref, nil, true
		case !ok:
			return Ref{}, r.noProvider(text, a.Ref.Provider, ""), true
		case hasProfile && profile == "":
			return Ref{}, badRef(text, "the profile behind the @ is missing"), true
		}
		ref := a.Ref
		if hasProfile {
			ref.Profile = profileID(p.id, profile)
		}
		if p.closed && !r.offers(p, ref.Model) {
			return Ref{}, r.noModel(text, p, ref.Model), true
		}
		if err := r.checkProfile(text, p, ref); err != nil {
			return Ref{}, err, true
		}
		return ref, nil, true
	}
	return Ref{}, nil, false
}

// short resolves a text without a provider.
func (r *Registry) short(agent *config.Agent, text, trimmed string, from origin) (Ref, error) {
	switch {
	case strings.ContainsAny(trimmed, " \t"):
		return Ref{}, badRef(text, "it holds a blank")
	case strings.Contains(trimmed, "*"):
		return Ref{}, badRef(text, "a pattern names no single model")
	}
	if ref, err, ok := r.alias(agent, text, trimmed); ok {
		return ref, err
	}
	if p, ref, ok := r.unique(agent, trimmed); ok {
		return r.complete(text, p, ref)
	}
	if p, ok := r.provider(trimmed); ok {
		e := &RefError{Text: text, Cause: ErrBadRef, Reason: "it is a provider, want provider/model"}
		if first, ok := r.firstOf(p); ok {
			e.Hint = first.Name()
		}
		return Ref{}, e
	}
	if name, _, _ := strings.Cut(strings.ToLower(trimmed), "@"); isShorthand(name) {
		return Ref{}, &RefError{Text: text, Cause: ErrNoModel, Reason: "it is the name of the newest such model that agents.defaults.models has, and that has none"}
	}
	return r.ofDefault(agent, text, trimmed, from)
}

func isShorthand(name string) bool {
	for _, s := range shorthands {
		if s.name == name {
			return true
		}
	}
	return false
}

// ofDefault takes the text for a model of the agent's provider. Only the agent's own model, when that provider does not have it any
// more, gives way to the first that is configured: what somebody typed is never taken for another model.
func (r *Registry) ofDefault(agent *config.Agent, text, trimmed string, from origin) (Ref, error) {
	p, ok := r.defaultProvider(agent, from)
	if ok && (!p.closed || r.offers(p, trimmed)) && (from == typed || r.available(p)) {
		return r.complete(text, p, Ref{Provider: p.id, Model: trimmed})
	}
	if from == configured {
		for _, id := range r.conf.Models.IDs {
			p, _ := r.provider(id)
			if first, ok := r.firstOf(p); ok {
				return first, nil
			}
		}
		if ok && !p.closed {
			return r.complete(text, p, Ref{Provider: p.id, Model: trimmed})
		}
	}
	return Ref{}, &RefError{Text: text, Cause: ErrNoModel, Reason: "write provider/model", Hint: r.near(agent, trimmed)}
}

// defaultProvider is the provider of the agent's own model, or the usual one.
func (r *Registry) defaultProvider(agent *config.Agent, from origin) (provider, bool) {
	if from == typed {
		if own, err := r.own(agent); err == nil && own.Provider != ScriptProvider {
			return r.provider(own.Provider)
		}
	}
	return r.provider(DefaultProvider)
}

// unique finds the one provider that can be asked and is known to offer a model. What the agent's settings name counts as offered.
func (r *Registry) unique(agent *config.Agent, text string) (provider, Ref, bool) {
	var found []Ref
	for _, id := range r.order {
		p := r.providers[id]
		if !r.available(p) {
			continue
		}
		ref, err := splitProfile(text, Ref{Provider: id, Model: text}, func(name string) bool { return r.exact(p, agent, name) })
		if err == nil && r.exact(p, agent, ref.Model) {
			found = append(found, ref)
		}
	}
	if len(found) != 1 {
		return provider{}, Ref{}, false
	}
	return r.providers[found[0].Provider], Ref{Provider: found[0].Provider, Model: text}, true
}

// exact tells whether a provider offers exactly this id.
func (r *Registry) exact(p provider, agent *config.Agent, id string) bool {
	if slices.Contains(r.models(p), id) {
		return true
	}
	for key := range agent.Models {
		if ref, ok := r.settingsRef(key); ok && !p.closed && ref.Provider == p.id && ref.Model == id {
			return true
		}
	}
	return false
}

// noProvider is the error of an unknown provider. A model id with a slash in it may have lost its provider.
func (r *Registry) noProvider(text, name, model string) error {
	e := &RefError{Text: text, Cause: ErrNoProvider, Reason: fmt.Sprintf("%q is neither known nor in models.providers", name)}
	if e.Hint = r.withProvider(name + "/" + model); e.Hint != "" {
		return e
	}
	names := append(slices.Clone(r.order), ScriptProvider)
	for _, k := range knownProviders {
		if _, ok := r.providers[k.id]; ok {
			names = append(names, k.aliases...)
		}
	}
	if near := nearest(name, names); near != "" {
		e.Hint = r.providerID(near)
		if model != "" {
			e.Hint += "/" + model
		}
	}
	return e
}

// withProvider puts the provider before a model id that has a slash in it.
func (r *Registry) withProvider(id string) string {
	for _, provider := range r.order {
		if p := r.providers[provider]; r.available(p) && slices.Contains(r.models(p), id) {
			return provider + "/" + id
		}
	}
	for _, provider := range r.order {
		if slices.Contains(r.models(r.providers[provider]), id) {
			return provider + "/" + id
		}
	}
	return ""
}

func (r *Registry) noModel(text string, p provider, name string) error {
	e := &RefError{Text: text, Cause: ErrNoModel, Reason: "models.providers." + p.key + ".models does not list it"}
	if near := nearest(name, r.models(p)); near != "" {
		e.Hint = p.id + "/" + near
	}
	return e
}

// near is the alias or the model of a provider that can be asked which is most like a text.
func (r *Registry) near(agent *config.Agent, text string) string {
	full := map[string]string{}
	var names []string
	for _, a := range r.Aliases(agent) {
		full[a.Name] = a.Name
		names = append(names, a.Name)
	}
	for _, id := range r.order {
		p := r.providers[id]
		if !r.available(p) {
			continue
		}
		for _, m := range r.models(p) {
			if full[m] == "" {
				full[m] = id + "/" + m
				names = append(names, m)
			}
		}
	}
	return full[nearest(text, names)]
}
