package models

import (
	"context"
	"errors"

	"openclaw/runtime/config"
	"openclaw/runtime/model"
)

// ProviderStatus is how a provider stands.
type ProviderStatus struct {
	ID, Name   string
	API        string
	BaseURL    string
	Configured bool      // in models.providers
	Profiles   []Profile // its keys; one without a source when it needs none
	Problem    string    // why it cannot be asked; empty: it can
}

// AgentStatus is which models an agent asks.
type AgentStatus struct {
	Agent      string
	Model      Ref   // its own
	Configured bool  // in the configuration, and not taken because nothing is
	Candidates []Ref // that, and what stands in for it
	Next       Ref   // what the next turn would ask: the first that does not rest
	Utility    Ref   // of small jobs; zero: there are none
	Problem    error // why the next turn would fail
	Aliases    []Alias
}

// ProviderStatuses are the providers that are configured, have a key or are needed by an agent.
func (r *Registry) ProviderStatuses(agents []AgentStatus) []ProviderStatus {
	needed := map[string]bool{}
	for _, a := range agents {
		for _, ref := range a.Candidates {
			needed[ref.Provider] = true
		}
	}
	var list []ProviderStatus
	for _, id := range r.order {
		p := r.providers[id]
		profiles := r.profiles(p)
		hasKey := len(profiles) > 0 && profiles[0].source != ""
		if !p.configured && !hasKey && !needed[id] {
			continue
		}
		s := ProviderStatus{ID: id, Name: p.name, API: p.api, BaseURL: p.baseURL, Configured: p.configured}
		if err := r.Ready(Ref{Provider: id}); err != nil {
			s.Problem = reason(err)
		}
		for _, c := range profiles {
			s.Profiles = append(s.Profiles, Profile{c.id, c.source})
		}
		list = append(list, s)
	}
	return list
}

// AgentStatus is which models an agent asks.
func (r *Registry) AgentStatus(ctx context.Context, agent *config.Agent) AgentStatus {
	s := AgentStatus{Agent: agent.ID, Configured: agent.Model.Primary != "", Aliases: r.Aliases(agent)}
	s.Model, s.Problem = r.own(agent)
	if s.Problem != nil {
		return s
	}
	chain, err := r.Chain(agent, Choice{})
	if err != nil {
		s.Problem = err
		return s
	}
	for _, c := range chain.candidates {
		s.Candidates = append(s.Candidates, c.Ref)
	}
	s.Next = chain.Next(ctx).Ref
	s.Problem = r.anyReady(s.Candidates)
	s.Utility, _, err = r.Utility(agent)
	if s.Problem == nil {
		s.Problem = err
	}
	return s
}

// anyReady is nil when one of the models can be asked, else why the first cannot.
func (r *Registry) anyReady(refs []Ref) error {
	var first error
	for _, ref := range refs {
		err := r.Ready(ref)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// reason is why something cannot be asked, without what it is.
func reason(err error) string {
	var e *model.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}
