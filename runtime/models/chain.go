package models

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"openclaw/runtime/config"
	"openclaw/runtime/model"
)

// Source is who chose a model. It decides what happens when the model fails.
type Source string

// The sources.
const (
	// SourceConfigured is the agent's own model, with the fallbacks that belong to it.
	SourceConfigured Source = "configured"
	// SourceAuto is a model that an earlier run fell back to. The agent's own goes first as soon as it does not rest any more.
	SourceAuto Source = "auto"
	// SourceUser is a model that somebody chose for a session: nothing stands in for it.
	SourceUser Source = "user"
	// SourceExplicit is a model of one command: only the fallbacks that came with it stand in for it.
	SourceExplicit Source = "explicit"
	// SourceJob is a model of a scheduled job: the agent's fallbacks stand in for it, unless the job has its own.
	SourceJob Source = "job"
)

// Choice is which model a run asks.
type Choice struct {
	Ref       string // a text for Resolve; empty: the agent's own
	Source    Source // empty: SourceConfigured
	Fallbacks *[]string
	// Profile is the key that the session's last run used, as provider:name: it goes first.
	Profile string
}

// Candidate is a model that a chain may ask.
type Candidate struct {
	Ref
	Info Info
}

// covers tells that another reference adds nothing: it is the same model, and with no key that would not have been tried.
func (c Candidate) covers(ref Ref) bool {
	return c.Same(ref) && (c.Profile == "" || c.Profile == ref.Profile)
}

// Chain is what one run asks: a model, and what may stand in for it. It stays with the one that answered last. It may be used by
// many goroutines.
type Chain struct {
	r          *Registry
	agent      *config.Agent
	candidates []Candidate
	profile    string

	mu      sync.Mutex
	current int               // the candidate to begin with
	used    map[string]string // the profile that answered last, by provider
}

// Chain is the chain of a choice. A model that the agent's policy does not allow is a *PolicyError.
func (r *Registry) Chain(agent *config.Agent, choice Choice) (*Chain, error) {
	refs, err := r.chainRefs(agent, choice)
	if err != nil {
		return nil, err
	}
	c := &Chain{r: r, agent: agent, profile: choice.Profile, used: map[string]string{}}
	for _, ref := range refs {
		if slices.ContainsFunc(c.candidates, func(have Candidate) bool { return have.covers(ref) }) {
			continue
		}
		info, err := r.Model(ref)
		if err != nil {
			return nil, err
		}
		c.candidates = append(c.candidates, Candidate{Ref: ref, Info: info})
	}
	return c, nil
}

// chainRefs are the models of a choice in order: the requested one, the fallbacks, the agent's own.
func (r *Registry) chainRefs(agent *config.Agent, choice Choice) ([]Ref, error) {
	if choice.Source == "" {
		choice.Source = SourceConfigured
	}
	requested, err := r.Resolve(agent, choice.Ref)
	if err != nil {
		return nil, err
	}
	chosen := choice.Ref != "" && (choice.Source == SourceUser || choice.Source == SourceExplicit || choice.Source == SourceJob)
	if chosen {
		if err := r.Allowed(agent, requested); err != nil {
			return nil, err
		}
	}
	var refs []Ref
	if choice.Source == SourceAuto {
		// While it rests it is not asked; that is how often it is tried again.
		own, err := r.own(agent)
		if err != nil {
			return nil, err
		}
		refs = append(refs, own)
	}
	refs = append(refs, requested)
	fallbacks, withOwn := r.fallbacks(agent, choice)
	for _, text := range fallbacks {
		ref, err := r.resolve(agent, text, typed)
		if err != nil {
			return nil, fmt.Errorf("models: fallback of agent %s: %w", agent.ID, err)
		}
		refs = append(refs, ref)
	}
	if !withOwn {
		return refs, nil
	}
	own, err := r.own(agent)
	if err != nil {
		return nil, err
	}
	return append(refs, own), nil
}

// fallbacks are the texts of what may stand in, and whether the agent's own model may, too.
func (r *Registry) fallbacks(agent *config.Agent, choice Choice) (texts []string, withOwn bool) {
	switch {
	case choice.Fallbacks != nil:
		return *choice.Fallbacks, false
	case choice.Source == SourceConfigured || choice.Source == SourceAuto || choice.Source == SourceJob:
		return agent.Model.Fallbacks, true
	}
	return nil, false
}

// Candidates are the models that the chain may ask, in order.
func (c *Chain) Candidates() []Candidate { return slices.Clone(c.candidates) }

// Next is the model that is asked next: the current one, or while that rests another.
func (c *Chain) Next(ctx context.Context) Candidate {
	return c.candidates[c.order(ctx)[0]]
}

// Current is the model that answered last, at first the one that was asked for.
func (c *Chain) Current() Candidate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.candidates[c.current]
}

// Profile is the key that the current model answered with, as provider:name, for Choice.Profile of the session's next run. It is
// empty as long as nothing has answered.
func (c *Chain) Profile() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used[c.candidates[c.current].Provider]
}

// request is what a candidate is asked. What the caller set stays.
func (c *Chain) request(r *model.Request, candidate Candidate) *model.Request {
	s := c.r.Settings(c.agent, candidate.Ref)
	q := *r
	q.Model = candidate.Model
	q.Thinking = candidate.Info.level(c.r.Thinking(c.agent, candidate.Ref, r.Thinking))
	if q.Temperature == nil {
		q.Temperature = s.Temperature
	}
	if q.MaxTokens == 0 {
		q.MaxTokens = s.MaxTokens
	}
	q.MaxTokens = candidate.Info.bound(q.MaxTokens)
	if q.CacheRetention == "" {
		q.CacheRetention = s.Retention
	}
	if len(s.Params) > 0 {
		params := make(map[string]any, len(s.Params)+len(r.Params))
		for k, v := range s.Params {
			params[k] = v
		}
		for k, v := range r.Params {
			params[k] = v
		}
		q.Params = params
	}
	return &q
}
