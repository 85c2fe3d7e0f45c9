// Package models knows which language models the configuration offers, and asks them.
//
// A Registry turns what people write into a Ref, tells what is known of a model, and finds its keys. A Chain belongs to one run of
// an agent: it asks the run's model, and whatever may stand in for it when that one fails, by rules that the choice of the model
// decides: a model that somebody chose is never silently replaced by another.
//
// Keys come from the configuration and the environment, and leave this package only for the client that sends them. No error, no
// text and no state of this package holds one.
package models

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/model"
	"openclaw/runtime/models/catalogue"
)

// The model when nothing is configured.
const (
	DefaultProvider = "openai"
	DefaultModel    = "gpt-6-astra"
)

// Options are what a registry needs of the world. The zero value is the real one.
type Options struct {
	// NewClient makes the client of an endpoint.
	NewClient func(Endpoint) (model.Client, error)
	// LookupEnv finds a variable; nil is the configuration's own look-up.
	LookupEnv func(name string) (string, bool)
	Store     Store // nil: cooldowns are forgotten with the registry
	Now       func() time.Time
	// Sleep waits, or returns the context's error when that ends first.
	Sleep func(context.Context, time.Duration) error
	// Jitter is a number from 0 up to, not with, 1.
	Jitter func() float64
	// ScriptDir is where the relative paths of scripts begin; empty: the working directory.
	ScriptDir string
}

// Endpoint is where and with what a provider is asked.
type Endpoint struct {
	Provider, API, BaseURL string
	Key                    string // empty: none is needed
	Headers                map[string]string
	FirstTimeout           time.Duration // until the first piece of an answer; 0: no bound
	IdleTimeout            time.Duration // between two pieces; 0: no bound
	ScriptDir              string        // of the script provider
}

// String hides the key and the headers.
func (e Endpoint) String() string {
	return fmt.Sprintf("%s (%s %s)", e.Provider, e.API, e.BaseURL)
}

// GoString hides the key and the headers, too.
func (e Endpoint) GoString() string { return "models.Endpoint{" + e.String() + "}" }

// Registry is the models of one configuration. It may be used by many goroutines.
type Registry struct {
	conf      *config.Config
	o         Options
	providers map[string]provider
	order     []string // ids of providers: those of the configuration in its order, then the known ones
	standings standings

	mu      sync.Mutex
	clients map[string]model.Client // by profile
}

// provider is one that requests can go to: the configured one over the known one.
type provider struct {
	known
	configured bool // in models.providers
	config     config.Provider
	key        string // its name in the configuration
	closed     bool   // has only the models that are listed
}

// New makes a registry. It reads no file and asks nobody.
func New(conf *config.Config, o Options) (*Registry, error) {
	if o.LookupEnv == nil {
		o.LookupEnv = conf.LookupEnv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.NewClient == nil {
		o.NewClient = NewClient
	}
	if o.Store == nil {
		o.Store = &memory{}
	}
	r := &Registry{conf: conf, o: o, providers: map[string]provider{}, clients: map[string]model.Client{}}
	r.standings = standings{store: o.Store, now: o.Now}
	if err := r.addConfigured(); err != nil {
		return nil, err
	}
	if conf.Models.Mode != config.ModelsReplace {
		r.addKnown()
	}
	return r, nil
}

func (r *Registry) addConfigured() error {
	replace := r.conf.Models.Mode == config.ModelsReplace
	for _, name := range r.conf.Models.IDs {
		p := provider{configured: true, config: r.conf.Models.Providers[name], key: name}
		// A provider that is configured under another name of a known one is that one only if it says nowhere else where it is.
		id := strings.ToLower(name)
		if p.config.BaseURL == "" {
			id = canonicalProvider(name)
		}
		if other, twice := r.providers[id]; twice {
			return fmt.Errorf("models: models.providers.%s and models.providers.%s are the same provider", other.key, name)
		}
		var isKnown bool
		p.known, isKnown = knownProvider(id)
		p.id = id
		p.overlay()
		p.closed = replace || !isKnown && len(p.config.Models) > 0
		r.providers[id] = p
		r.order = append(r.order, id)
	}
	return nil
}

// overlay puts what is configured over what is known.
func (p *provider) overlay() {
	c := p.config
	if c.BaseURL != "" && c.BaseURL != p.baseURL {
		p.noKey = p.noKey || reachOf(c.BaseURL) == reachLoopback
		p.baseURL = c.BaseURL
		if c.API == "" && p.api == APIResponses {
			p.api = APICompletions // what speaks for others speaks this
		}
	}
	if c.API != "" {
		p.api = c.API
	}
	if p.api == "" {
		p.api = APICompletions
	}
	if p.name == "" {
		p.name = p.id
	}
	if len(p.env) == 0 {
		p.env = []string{envPrefix(p.id) + "_API_KEY"}
	}
}

// envPrefix is a provider's id as the beginning of a variable's name.
func envPrefix(id string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return c - 'a' + 'A'
		case c >= '0' && c <= '9':
			return c
		}
		return '_'
	}, id)
}

func (r *Registry) addKnown() {
	for _, k := range knownProviders {
		if _, ok := r.providers[k.id]; ok {
			continue
		}
		r.providers[k.id] = provider{known: k}
		r.order = append(r.order, k.id)
	}
}

// provider finds a provider by any of its names. A configured one goes before a known one of the same other name.
func (r *Registry) provider(name string) (provider, bool) {
	id := strings.ToLower(name)
	p, ok := r.providers[id]
	if !ok {
		p, ok = r.providers[canonicalProvider(id)]
	}
	return p, ok
}

// available tells whether a provider is configured, or has a key.
func (r *Registry) available(p provider) bool {
	return p.configured || len(r.profiles(p)) > 0
}

// Providers are the ids of all providers: those of the configuration in its order, then the known ones.
func (r *Registry) Providers() []string { return slices.Clone(r.order) }

// ErrNoAddress is the cause when a provider is neither known nor has a baseUrl.
var ErrNoAddress = errors.New("it is not a known provider, and has no baseUrl")

// client is the client of a profile, which is made when it is first used.
func (r *Registry) client(p provider, profile credential) (model.Client, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[profile.id]; c != nil {
		return c, nil
	}
	c, err := r.o.NewClient(r.endpoint(p, profile))
	if err != nil {
		return nil, err
	}
	r.clients[profile.id] = c
	return c, nil
}

// Time-outs of a provider's silence.
const (
	cloudTimeout = 120 * time.Second
	localTimeout = 300 * time.Second
)

func (r *Registry) endpoint(p provider, profile credential) Endpoint {
	e := Endpoint{
		Provider: p.id, API: p.api, BaseURL: p.baseURL, Key: profile.key, Headers: maps.Clone(p.config.Headers),
	}
	// Nobody knows how long a machine of one's own takes, between two pieces of an answer, either.
	switch k, _ := knownProvider(p.id); {
	case reachOf(p.baseURL) != reachCloud:
		e.FirstTimeout = localTimeout
	case k.noKey:
		e.FirstTimeout, e.IdleTimeout = localTimeout, localTimeout
	default:
		e.FirstTimeout, e.IdleTimeout = cloudTimeout, cloudTimeout
	}
	if s := time.Duration(p.config.TimeoutSeconds) * time.Second; s > 0 {
		e.FirstTimeout, e.IdleTimeout = s, s
	}
	if p.id == ScriptProvider {
		e = Endpoint{Provider: ScriptProvider, API: APIScript, ScriptDir: r.o.ScriptDir}
	}
	return e
}

// sleep is Options.Sleep.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// scripted is the provider of scripts, which every configuration has.
var scripted = provider{known: known{id: ScriptProvider, name: "scripted models", api: APIScript, noKey: true}}

// models are the models that a provider is known to offer: those of the configuration over those of the catalogue.
func (r *Registry) models(p provider) []string {
	var ids []string
	for _, m := range p.config.Models {
		ids = append(ids, m.ID)
	}
	if p.closed {
		return ids
	}
	for _, m := range catalogue.Models(p.id) {
		if !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// offers tells whether a provider is known to offer a model.
func (r *Registry) offers(p provider, id string) bool {
	if slices.ContainsFunc(p.config.Models, func(m config.ProviderModel) bool { return m.ID == id }) {
		return true
	}
	if p.closed {
		return false
	}
	_, ok := inCatalogue(p.id, id)
	return ok
}
