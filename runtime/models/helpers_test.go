package models_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
)

// load is a configuration with an environment of NAME=VALUE words.
func load(t testing.TB, text string, env ...string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "openclaw.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{config.EnvStateDir: dir}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		vars[name] = value
	}
	conf, err := config.Load(context.Background(), config.Options{Home: "/home/u", LookupEnv: func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}})
	if err != nil {
		t.Fatal(err)
	}
	return conf
}

func agentOf(t *testing.T, conf *config.Config, id string) *config.Agent {
	t.Helper()
	agent, err := conf.Agent(id)
	if err != nil {
		t.Fatal(err)
	}
	return agent
}

// world is a clock that only sleeping moves, and providers that answer as a test says.
type world struct {
	mu       sync.Mutex
	now      time.Time
	slept    []time.Duration
	asked    []string // provider/model@name of the key
	requests []model.Request
	answers  map[string][]answer // by the same, or provider/model; used up from the front, the last stays
	took     time.Duration       // by each request
	store    models.Store
	seen     []models.Endpoint
}

// answer is what a provider answers: an error, or a text.
type answer struct {
	err   error
	text  string
	usage model.Usage
}

func newWorld() *world {
	return &world{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), answers: map[string][]answer{}}
}

// says makes a model answer with errors and texts, in turn.
func (w *world) says(name string, what ...any) *world {
	for _, one := range what {
		a := answer{}
		switch one := one.(type) {
		case error:
			a.err = one
		case string:
			a.text = one
		case answer:
			a = one
		}
		w.answers[name] = append(w.answers[name], a)
	}
	return w
}

func (w *world) options() models.Options {
	return models.Options{
		NewClient: func(e models.Endpoint) (model.Client, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.seen = append(w.seen, e)
			return &client{w, e}, nil
		},
		Now:    func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now },
		Jitter: func() float64 { return 1 },
		Sleep: func(ctx context.Context, d time.Duration) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.now = w.now.Add(d)
			w.slept = append(w.slept, d)
			return ctx.Err()
		},
		Store: w.store,
	}
}

type client struct {
	w *world
	e models.Endpoint
}

func (c *client) Stream(ctx context.Context, r *model.Request, on func(model.Delta)) (*model.Message, error) {
	c.w.mu.Lock()
	name := c.e.Provider + "/" + r.Model
	keyed := name + "@" + c.e.Key
	c.w.asked = append(c.w.asked, keyed)
	c.w.requests = append(c.w.requests, *r)
	c.w.now = c.w.now.Add(c.w.took)
	which := keyed
	if len(c.w.answers[which]) == 0 {
		which = name
	}
	list := c.w.answers[which]
	if len(list) > 1 {
		c.w.answers[which] = list[1:]
	}
	c.w.mu.Unlock()
	m := &model.Message{Role: model.RoleAssistant, Content: []model.Block{}, StopReason: model.StopEnd}
	if err := ctx.Err(); err != nil {
		m.StopReason = model.StopAborted
		return m, err
	}
	if len(list) == 0 {
		return nil, errors.New("the test has no answer for " + keyed)
	}
	a := list[0]
	m.Usage = &a.usage
	if a.text != "" {
		on(model.Delta{Type: model.DeltaText, Text: a.text})
		m.Content = []model.Block{{Type: model.BlockText, Text: a.text}}
	}
	if a.err != nil {
		m.StopReason, m.Error = model.StopError, a.err.Error()
	}
	return m, a.err
}

func newRegistry(t *testing.T, conf *config.Config, o models.Options) *models.Registry {
	t.Helper()
	r, err := models.New(conf, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func failure(kind model.Kind) *model.Error {
	return &model.Error{Kind: kind, Provider: "p", Model: "m", Message: "no"}
}
