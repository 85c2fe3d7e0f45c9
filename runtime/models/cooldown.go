package models

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"openclaw/runtime/model"
)

// Cooldowns after the first, the second, and each further failure in a row.
var cooldowns = []time.Duration{30 * time.Second, time.Minute, 5 * time.Minute}

// disabledFor is how long a key rests that was refused, or has no money left.
const disabledFor = 10 * time.Minute

// Slot is what rests after a failure: one key with one model, or with all of them.
type Slot struct {
	Profile string // provider:name
	Model   string // empty: every model
}

// Standing is what is remembered of a slot.
type Standing struct {
	Slot
	LastUsed time.Time
	Errors   int64 // in a row
	Until    time.Time
	Kind     model.Kind // why it rests
	// KeyMark tells the key from another one under the same name, which does not rest. The key cannot be made of it.
	KeyMark string
}

// Store keeps standings, so that runs and processes know of each other's failures.
type Store interface {
	// Standings are all that are kept.
	Standings(context.Context) ([]Standing, error)
	// SaveStanding replaces that of its slot.
	SaveStanding(context.Context, Standing) error
}

// memory is a Store for one process.
type memory struct {
	mu  sync.Mutex
	all map[Slot]Standing
}

func (m *memory) Standings(context.Context) ([]Standing, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]Standing, 0, len(m.all))
	for _, s := range m.all {
		list = append(list, s)
	}
	return list, nil
}

func (m *memory) SaveStanding(_ context.Context, s Standing) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[Slot]Standing{}
	}
	m.all[s.Slot] = s
	return nil
}

// standings decide what rests. What cannot be read or written is as if it were not there: a model can be asked without its past.
type standings struct {
	store Store
	now   func() time.Time
}

// load reads all standings.
func (s standings) load(ctx context.Context) map[Slot]Standing {
	all := map[Slot]Standing{}
	list, err := s.store.Standings(ctx)
	if err != nil {
		return all
	}
	for _, one := range list {
		all[one.Slot] = one
	}
	return all
}

// rests tells that a key should not be used with a model now.
func (s standings) rests(all map[Slot]Standing, key credential, name string) bool {
	now := s.now()
	for _, slot := range []Slot{{Profile: key.id}, {key.id, name}} {
		if one := all[slot]; one.Until.After(now) && one.KeyMark == key.mark() {
			return true
		}
	}
	return false
}

// failed lets a slot rest after a failure that the next request would meet, too.
func (s standings) failed(ctx context.Context, key credential, name string, kind model.Kind) {
	slot := Slot{key.id, name}
	rest := time.Duration(0)
	switch {
	case kind == model.KindAuth || kind == model.KindBilling:
		slot.Model, rest = "", disabledFor
	case !kind.Transient():
		return
	}
	one := s.load(ctx)[slot]
	if one.KeyMark != key.mark() {
		one = Standing{KeyMark: key.mark()}
	}
	one.Slot, one.Kind, one.LastUsed = slot, kind, s.now()
	if rest == 0 {
		rest = cooldowns[min(int(one.Errors), len(cooldowns)-1)]
	}
	one.Errors++
	one.Until = one.LastUsed.Add(rest)
	// A run that goes on is better than one that fails because its past cannot be kept.
	_ = s.store.SaveStanding(context.WithoutCancel(ctx), one)
}

// worked ends the rest of a slot. When a key was used need only be known where there are others.
func (s standings) worked(ctx context.Context, key credential, name string, others bool) {
	all := s.load(ctx)
	for _, slot := range []Slot{{Profile: key.id}, {key.id, name}} {
		if all[slot].Errors == 0 && (slot.Model == "" || !others) {
			continue
		}
		_ = s.store.SaveStanding(context.WithoutCancel(ctx), Standing{Slot: slot, LastUsed: s.now(), KeyMark: key.mark()})
	}
}

// Resting are the standings whose rest is not over.
func (r *Registry) Resting(ctx context.Context) ([]Standing, error) {
	all, err := r.o.Store.Standings(ctx)
	if err != nil {
		return nil, err
	}
	var list []Standing
	for _, s := range all {
		if s.Until.After(r.o.Now()) && r.marks(s) {
			list = append(list, s)
		}
	}
	sortStandings(list)
	return list, nil
}

// marks tells whether a standing is that of a key which is still there.
func (r *Registry) marks(s Standing) bool {
	name, _, _ := strings.Cut(s.Profile, ":")
	p, err := r.mustProvider(name)
	return err == nil && slices.ContainsFunc(r.allProfiles(p), func(c credential) bool { return c.id == s.Profile && c.mark() == s.KeyMark })
}

func sortStandings(list []Standing) {
	slices.SortFunc(list, func(a, b Standing) int {
		return cmp.Or(strings.Compare(a.Profile, b.Profile), strings.Compare(a.Model, b.Model))
	})
}
