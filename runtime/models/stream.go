package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"openclaw/runtime/model"
)

// Limits of what is done for one request.
const (
	maxRateAttempts = 10 // with one key, when there are too many requests
	maxRetries      = 8  // after other failures that pass
	retryWindow     = 90 * time.Second
	maxBackoff      = 30 * time.Second
	maxRetryAfter   = 60 * time.Second // a provider that wants more is not waited for while another can be asked
	rateBackoff     = time.Second      // the first wait
	otherBackoff    = 500 * time.Millisecond
)

// Next is what follows a failed attempt.
type Next string

// What may follow.
const (
	NextRetry    Next = "retry"    // the same again, after Wait
	NextProfile  Next = "profile"  // another key
	NextFallback Next = "fallback" // another model
	NextNothing  Next = ""         // the request failed
)

// Attempt is one request to a provider that failed.
type Attempt struct {
	Ref
	Number  int // of the attempts with this model and key, from 1
	Err     error
	Kind    model.Kind
	Next    Next
	Wait    time.Duration
	NextRef Ref // of the next attempt
	// Discard tells that pieces of this attempt were handed on, which are void: another attempt follows.
	Discard bool
	// Usage is what the attempt used as far as the provider said so, with its cost.
	Usage *model.Usage
}

// FailedError is a request that no model of a chain answered. It wraps the error of each.
type FailedError struct {
	Attempts []Attempt // the last one with each model and key
}

func (e *FailedError) Error() string {
	texts := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		texts[i] = a.Err.Error()
	}
	return strings.Join(texts, "; then ")
}

// Unwrap has the error of the model that was asked first in front.
func (e *FailedError) Unwrap() []error {
	list := make([]error, len(e.Attempts))
	for i, a := range e.Attempts {
		list[i] = a.Err
	}
	return list
}

// streaming is one request on its way through a chain.
type streaming struct {
	*Chain
	ctx     context.Context
	request *model.Request
	on      func(model.Delta)
	note    func(Attempt)
	failed  []Attempt
	answer  *model.Message // the newest, when it failed
	more    []Candidate    // what can be asked after the present one
}

// Stream asks the chain's models until one answers. on has each piece as it comes. note is told of each attempt that failed and what
// happens next; where it says so, the pieces so far are void. Both may be nil. The answer names the model that gave it and what it
// cost. It is not nil after a failure, either, which is the context's error, the *model.Error of a request that no other model
// would be asked, or a *FailedError.
func (c *Chain) Stream(ctx context.Context, r *model.Request, on func(model.Delta), note func(Attempt)) (*model.Message, error) {
	if on == nil {
		on = func(model.Delta) {}
	}
	if note == nil {
		note = func(Attempt) {}
	}
	s := &streaming{Chain: c, ctx: ctx, request: r, on: on, note: note}
	order := c.order(ctx)
	for i, at := range order {
		s.more = nil
		for _, next := range order[i+1:] {
			s.more = append(s.more, c.candidates[next])
		}
		answer, err := s.candidate(c.candidates[at])
		if err == nil {
			c.stay(at)
			return answer, nil
		}
		if !errors.Is(err, errGoOn) {
			return s.stopped(c.candidates[at], err)
		}
	}
	return s.stopped(c.candidates[order[len(order)-1]], &FailedError{Attempts: s.failed})
}

// errGoOn says that another model may be asked.
var errGoOn = errors.New("go on")

// stopped is the answer of a request that failed.
func (s *streaming) stopped(candidate Candidate, err error) (*model.Message, error) {
	if s.answer == nil {
		s.answer = &model.Message{Role: model.RoleAssistant, Content: []model.Block{}, Time: model.Millis{Time: s.r.o.Now()}, Error: err.Error()}
		s.sign(candidate, s.answer)
	}
	s.answer.StopReason = model.StopError
	if s.ctx.Err() != nil {
		s.answer.StopReason = model.StopAborted
	}
	return s.answer, err
}

// sign names the model that an answer is from and what it cost.
func (s *streaming) sign(candidate Candidate, answer *model.Message) {
	answer.API, answer.Provider, answer.Model = candidate.Info.API, candidate.Provider, candidate.Model
	if u := answer.Usage; u != nil && u.Cost == (model.Cost{}) {
		u.Cost = candidate.Info.Price(u)
	}
}

// stay makes the chain begin with a candidate from now on.
func (c *Chain) stay(at int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = at
}

// order is which candidates are asked, by their places: from the current one on. Those that rest are left out, unless all do.
func (c *Chain) order(ctx context.Context) []int {
	c.mu.Lock()
	current := c.current
	c.mu.Unlock()
	all := c.r.standings.load(ctx)
	var awake, every []int
	for i := range c.candidates {
		at := (current + i) % len(c.candidates)
		every = append(every, at)
		if !c.rests(all, c.candidates[at]) {
			awake = append(awake, at)
		}
	}
	if len(awake) == 0 {
		return every
	}
	return awake
}

// rests tells whether every key of a candidate rests. One without any does not: why it cannot be asked must be said.
func (c *Chain) rests(all map[Slot]Standing, candidate Candidate) bool {
	profiles := c.profilesOf(candidate, all)
	for _, p := range profiles {
		if !c.r.standings.rests(all, p, candidate.Model) {
			return false
		}
	}
	return len(profiles) > 0
}

// profilesOf are the keys that a candidate may be asked with, in order: those that rest last, else the one that the session used
// before, else those that were used longest ago; where the configuration has an order, in that one.
func (c *Chain) profilesOf(candidate Candidate, all map[Slot]Standing) []credential {
	p, err := c.r.mustProvider(candidate.Provider)
	if err != nil {
		return nil
	}
	if candidate.Profile != "" {
		one := slices.DeleteFunc(c.r.allProfiles(p), func(o credential) bool { return o.id != candidate.Profile })
		return one
	}
	list := slices.Clone(c.r.profiles(p))
	c.mu.Lock()
	before := c.used[p.id]
	c.mu.Unlock()
	if before == "" {
		before = c.profile
	}
	_, fixed := c.r.authOrder(p)
	rank := func(o credential) int {
		switch {
		case c.r.standings.rests(all, o, candidate.Model):
			return 2
		case o.id == before:
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b credential) int {
		if d := rank(a) - rank(b); d != 0 || fixed {
			return d
		}
		return lastUsed(all, a.id).Compare(lastUsed(all, b.id))
	})
	return list
}

// lastUsed is when a key was used last, with whichever model.
func lastUsed(all map[Slot]Standing, profile string) time.Time {
	var last time.Time
	for slot, one := range all {
		if slot.Profile == profile && one.LastUsed.After(last) {
			last = one.LastUsed
		}
	}
	return last
}

// candidate asks one model, with one key after the other.
func (s *streaming) candidate(candidate Candidate) (*model.Message, error) {
	p, err := s.r.mustProvider(candidate.Provider)
	if err != nil {
		return nil, err
	}
	if err := s.r.addressOf(p, candidate.Ref); err != nil {
		return nil, s.gaveUp(candidate, "", err)
	}
	profiles := s.profilesOf(candidate, s.r.standings.load(s.ctx))
	if len(profiles) == 0 {
		return nil, s.gaveUp(candidate, "", s.r.missingKey(p, candidate.Ref))
	}
	rotated := false
	for i, profile := range profiles {
		last := i == len(profiles)-1 || rotated
		answer, err := s.profile(p, candidate, profile, !last)
		if err == nil {
			return answer, nil
		}
		kind := model.KindOf(err)
		if stops(s.ctx, kind) {
			return nil, untried(err)
		}
		s.r.standings.failed(s.ctx, profile, candidate.Model, kind)
		if last || !rotates(kind) {
			return nil, s.gaveUp(candidate, profile.id, err)
		}
		rotated = rotated || kind == model.KindRateLimit || kind == model.KindOverloaded
		s.fail(candidate, profile.id, err, NextProfile, withProfile(candidate.Ref, profiles[i+1].id))
	}
	return nil, errGoOn
}

func withProfile(ref Ref, profile string) Ref {
	ref.Profile = profile
	return ref
}

// stops tells what no other model is asked after: the run has ended, or another model would be no better.
func stops(ctx context.Context, kind model.Kind) bool {
	return ctx.Err() != nil || kind == model.KindOverflow || kind == model.KindRefused
}

// rotates tells what another key of the same provider may help against.
func rotates(kind model.Kind) bool {
	switch kind {
	case model.KindAuth, model.KindBilling, model.KindRateLimit, model.KindOverloaded:
		return true
	}
	return false
}

// gaveUp notes that a candidate failed. What is returned says whether there is another.
func (s *streaming) gaveUp(candidate Candidate, profile string, err error) error {
	if len(s.more) == 0 {
		s.fail(candidate, profile, err, NextNothing, Ref{})
		return errGoOn
	}
	s.fail(candidate, profile, err, NextFallback, s.more[0].Ref)
	return errGoOn
}

// fail completes the attempt that is on its way.
func (s *streaming) fail(candidate Candidate, profile string, err error, next Next, ref Ref) {
	a := Attempt{Ref: withProfile(candidate.Ref, profile), Number: 1, Err: err, Kind: model.KindOf(err), Next: next, NextRef: ref}
	if tried := (*triedError)(nil); errors.As(err, &tried) {
		a.Number, a.Discard, a.Usage, a.Err = tried.number, tried.discard && next != NextNothing, tried.usage, tried.error
	}
	s.failed = append(s.failed, a)
	s.note(a)
}

// triedError is an error with what is known of the attempt that met it.
type triedError struct {
	error
	number  int
	discard bool
	usage   *model.Usage
}

func (e *triedError) Unwrap() error { return e.error }

// untried is the error that an attempt met.
func untried(err error) error {
	if tried := (*triedError)(nil); errors.As(err, &tried) {
		return tried.error
	}
	return err
}

// profile asks one model with one key, again and again while that may help. others tells that there is another key.
func (s *streaming) profile(p provider, candidate Candidate, profile credential, others bool) (*model.Message, error) {
	client, err := s.r.client(p, profile)
	if err != nil {
		return nil, &model.Error{Kind: model.KindInvalid, Provider: p.id, Model: candidate.Model, Err: scrubbed(err, secretsOf(p, profile))}
	}
	request := s.Chain.request(s.request, candidate)
	retries := retries{r: s.r, patient: !others && len(s.more) == 0}
	for number := 1; ; number++ {
		var given bool
		answer, err := client.Stream(s.ctx, request, func(d model.Delta) {
			given = true
			s.on(d)
		})
		if err == nil {
			s.sign(candidate, answer)
			s.r.standings.worked(s.ctx, profile, candidate.Model, len(s.r.profiles(p)) > 1)
			s.mu.Lock()
			s.used[p.id] = profile.id
			s.mu.Unlock()
			return answer, nil
		}
		tried := &triedError{number: number, discard: given}
		tried.error = s.r.explained(scrubbed(err, secretsOf(p, profile)), candidate.Ref)
		if answer != nil {
			s.sign(candidate, answer)
			answer.Error = scrubText(answer.Error, secretsOf(p, profile))
			s.answer, tried.usage = answer, answer.Usage
		}
		if s.ctx.Err() != nil {
			return nil, s.ended(tried.error)
		}
		wait, again := retries.after(s.ctx, err)
		if !again {
			return nil, tried
		}
		ref := withProfile(candidate.Ref, profile.id)
		s.note(Attempt{
			Ref: ref, Number: number, Err: tried.error, Kind: model.KindOf(err), Next: NextRetry, Wait: wait, NextRef: ref, Discard: given, Usage: tried.usage,
		})
		if s.r.o.Sleep(s.ctx, wait) != nil {
			return nil, s.ended(tried.error)
		}
	}
}

// ended is the context's error, with what happened before.
func (s *streaming) ended(err error) error {
	if cause := s.ctx.Err(); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("models: %w; before that: %w", cause, err)
	}
	return err
}

// retries counts how often the same is tried again.
type retries struct {
	r       *Registry
	patient bool // there is nothing else that could be asked
	rate    int
	other   int
	since   time.Time // of the first failure
}

// after tells whether a request may be made again, and when.
func (t *retries) after(ctx context.Context, err error) (time.Duration, bool) {
	kind := model.KindOf(err)
	if !kind.Transient() {
		return 0, false
	}
	now := t.r.o.Now()
	if t.since.IsZero() {
		t.since = now
	}
	var wait time.Duration
	if kind == model.KindRateLimit {
		if t.rate++; t.rate >= maxRateAttempts {
			return 0, false
		}
		wait = t.backoff(rateBackoff, t.rate)
	} else {
		if t.other++; t.other > maxRetries {
			return 0, false
		}
		wait = t.backoff(otherBackoff, t.other)
	}
	var e *model.Error
	if errors.As(err, &e) {
		if e.RetryAfter > maxRetryAfter && !t.patient {
			return 0, false
		}
		wait = max(wait, min(e.RetryAfter, maxRetryAfter))
	}
	until := now.Add(wait)
	if kind != model.KindRateLimit && until.Sub(t.since) > retryWindow {
		return 0, false
	}
	if deadline, ok := ctx.Deadline(); ok && !until.Before(deadline) {
		return 0, false
	}
	return wait, true
}

// backoff doubles with each failure up to a bound, and is shortened by chance to half of that at most.
func (t *retries) backoff(first time.Duration, failures int) time.Duration {
	d := maxBackoff
	if shift := failures - 1; shift < 10 {
		d = min(first<<shift, maxBackoff)
	}
	return d/2 + time.Duration(t.r.o.Jitter()*float64(d/2))
}

// explained adds to an error that the provider has no such model what was probably meant.
func (r *Registry) explained(err error, ref Ref) error {
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.KindNotFound {
		return err
	}
	guess := r.Guess(ref)
	if guess == "" {
		return err
	}
	with := *e
	with.Message = strings.TrimSpace(e.Message + guess)
	return &with
}

// Guess is what was probably meant by a model that nothing is known of, in words and with a blank in front, or nothing.
func (r *Registry) Guess(ref Ref) string {
	p, ok := r.provider(ref.Provider)
	if !ok || r.offers(p, ref.Model) {
		return ""
	}
	near := r.withProvider(ref.Model)
	if near == "" {
		if near = nearest(ref.Model, r.models(p)); near == "" {
			return ""
		}
		near = p.id + "/" + near
	}
	return fmt.Sprintf(" (did you mean %s?)", near)
}
