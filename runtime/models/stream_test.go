package models_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"openclaw/runtime/config"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/state"
)

// streamed has two providers on this machine, each with a key and one without.
const streamed = `{
  models: { providers: {
    p: { baseUrl: "http://127.0.0.1:1/v1", apiKey: "p-key", models: [{ id: "m", cost: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 4 } }, { id: "n" }] },
    q: { baseUrl: "http://127.0.0.1:2/v1", apiKey: "q-key", models: [{ id: "m" }] },
  } },
  auth: { profiles: {} },
  agents: { defaults: { model: { primary: "p/m", fallbacks: ["q/m"] } } },
}`

// asked is a world, a chain in it, and what the chain told.
type asked struct {
	*world
	t     *testing.T
	conf  *config.Config
	r     *models.Registry
	chain *models.Chain
	notes []models.Attempt
	text  string
}

func newAsked(t *testing.T, w *world, text string, choice models.Choice, env ...string) *asked {
	t.Helper()
	a := &asked{world: w, t: t, conf: load(t, text, env...)}
	a.r = newRegistry(t, a.conf, w.options())
	a.again(choice)
	return a
}

// again begins another run of the same process.
func (a *asked) again(choice models.Choice) {
	a.t.Helper()
	chain, err := a.r.Chain(agentOf(a.t, a.conf, "main"), choice)
	if err != nil {
		a.t.Fatal(err)
	}
	a.chain = chain
}

func (a *asked) stream(ctx context.Context) (*model.Message, error) {
	a.asked, a.slept, a.notes, a.text = nil, nil, nil, ""
	m, err := a.chain.Stream(ctx, &model.Request{Messages: []model.Message{model.User("hello")}}, func(d model.Delta) { a.text += d.Text }, func(n models.Attempt) {
		if a.notes = append(a.notes, n); n.Discard {
			a.text = ""
		}
	})
	if m == nil {
		a.t.Error("no answer at all")
	}
	return m, err
}

// path is whom was asked, without repetitions.
func (a *asked) path() string {
	var list []string
	for i, one := range a.asked {
		if i == 0 || one != a.asked[i-1] {
			list = append(list, one)
		}
	}
	return strings.Join(list, " ")
}

func TestAnAnswerIsSignedAndPriced(t *testing.T) {
	w := newWorld().says("p/m", answer{text: "hi", usage: model.Usage{Input: 1_000_000, Output: 500_000, CacheRead: 2_000_000, CacheWrite: 250_000}})
	a := newAsked(t, w, streamed, models.Choice{})
	m, err := a.stream(t.Context())
	if err != nil || m.Provider != "p" || m.Model != "m" || m.API != "openai-completions" || m.Text() != "hi" || a.text != "hi" {
		t.Fatalf("%+v, %v", m, err)
	}
	if want := (model.Cost{Input: 1, Output: 1, CacheRead: 1, CacheWrite: 1, Total: 4}); m.Usage.Cost != want {
		t.Errorf("cost %+v, want %+v", m.Usage.Cost, want)
	}
	if len(a.notes) != 0 || a.path() != "p/m@p-key" {
		t.Errorf("notes %v, asked %v", a.notes, a.asked)
	}
}

func TestWhatHappensAfterEachKindOfFailure(t *testing.T) {
	for _, c := range []struct {
		kind     model.Kind
		attempts int // with the first model
		fallback bool
	}{
		{model.KindRateLimit, 10, true},
		{model.KindOverloaded, 9, true},
		{model.KindTimeout, 9, true},
		{model.KindNetwork, 9, true},
		{model.KindAuth, 1, true},
		{model.KindBilling, 1, true},
		{model.KindNotFound, 1, true},
		{model.KindUnknown, 1, true},
		{model.KindInvalid, 1, true},
		{model.KindOverflow, 1, false},
		{model.KindRefused, 1, false},
	} {
		w := newWorld().says("p/m", failure(c.kind)).says("q/m", "from q")
		o := w.options()
		o.Jitter = func() float64 { return 0 }
		conf := load(t, streamed)
		chain, err := newRegistry(t, conf, o).Chain(agentOf(t, conf, "main"), models.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := chain.Stream(t.Context(), &model.Request{}, nil, nil)
		first := 0
		for _, one := range w.asked {
			if one == "p/m@p-key" {
				first++
			}
		}
		if first != c.attempts || (err == nil) != c.fallback || err == nil && m.Provider != "q" {
			t.Errorf("%s: %d attempts, want %d; %v, %v", c.kind, first, c.attempts, m, err)
		}
		if err != nil && (model.KindOf(err) != c.kind || m.StopReason != model.StopError) {
			t.Errorf("%s: %v, answer %+v", c.kind, err, m)
		}
	}
}

func TestWaitsGrowAndAreBounded(t *testing.T) {
	seconds := func(list []time.Duration) string {
		var s []string
		for _, d := range list {
			s = append(s, fmt.Sprint(d.Seconds()))
		}
		return strings.Join(s, " ")
	}
	limited := func(after time.Duration) error {
		e := failure(model.KindRateLimit)
		e.RetryAfter = after
		return e
	}
	for _, c := range []struct {
		name   string
		err    error
		took   time.Duration
		strict bool
		want   string
	}{
		{"rate limit", limited(0), 0, false, "1 2 4 8 16 30 30 30 30"},
		{"overloaded, within 90 s", failure(model.KindOverloaded), 0, false, "0.5 1 2 4 8 16 30"},
		{"slow failures", failure(model.KindTimeout), 50 * time.Second, false, "0.5 1"},
		{"the provider wants more", limited(20 * time.Second), 0, false, "20 20 20 20 20 30 30 30 30"},
		{"the provider wants less", limited(time.Second), 0, false, "1 2 4 8 16 30 30 30 30"},
		{"the provider wants too much, and there is another", limited(time.Hour), 0, false, ""},
		{"the provider wants too much, and there is no other", limited(time.Hour), 0, true, "60 60 60 60 60 60 60 60 60"},
	} {
		w := newWorld().says("p/m", c.err).says("q/m", "from q")
		w.took = c.took
		choice := models.Choice{}
		if c.strict {
			choice = models.Choice{Ref: "p/m", Source: models.SourceUser}
		}
		a := newAsked(t, w, streamed, choice)
		_, err := a.stream(t.Context())
		if got := seconds(a.slept); got != c.want || (err != nil) != c.strict {
			t.Errorf("%s: %s, want %s; %v", c.name, got, c.want, err)
		}
	}
}

func TestChanceShortensWaitsByHalfAtMost(t *testing.T) {
	w := newWorld().says("p/m", failure(model.KindRateLimit), failure(model.KindRateLimit), "at last")
	o := w.options()
	o.Jitter = func() float64 { return 0 }
	conf := load(t, streamed)
	chain, err := newRegistry(t, conf, o).Chain(agentOf(t, conf, "main"), models.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chain.Stream(t.Context(), &model.Request{}, nil, nil); err != nil || fmt.Sprint(w.slept) != "[500ms 1s]" {
		t.Errorf("%v, %v", w.slept, err)
	}
}

func TestTheRunsDeadlineBoundsTheWaits(t *testing.T) {
	w := newWorld().says("p/m", failure(model.KindRateLimit)).says("q/m", "from q")
	w.now = time.Now()
	a := newAsked(t, w, streamed, models.Choice{})
	ctx, cancel := context.WithDeadline(t.Context(), w.now.Add(5*time.Second))
	defer cancel()
	m, err := a.stream(ctx)
	if err != nil || m.Provider != "q" || fmt.Sprint(a.slept) != "[1s 2s]" {
		t.Errorf("%v, %v, %v", m, a.slept, err)
	}
}

func TestNothingIsAskedAfterAnAbort(t *testing.T) {
	for _, when := range []string{"before", "in the answer", "in a wait"} {
		ctx, cancel := context.WithCancel(t.Context())
		w := newWorld().says("p/m", failure(model.KindNetwork)).says("q/m", "from q")
		a := newAsked(t, w, streamed, models.Choice{})
		if when == "before" {
			cancel()
		}
		m, err := a.chain.Stream(ctx, &model.Request{}, nil, func(models.Attempt) {
			if when != "before" {
				cancel()
			}
		})
		cancel()
		if !errors.Is(err, context.Canceled) || m.StopReason != model.StopAborted || a.path() != "p/m@p-key" || len(a.asked) != 1 {
			t.Errorf("%s: %+v, %v, asked %v", when, m, err, a.asked)
		}
		if all, _ := a.r.Resting(t.Context()); len(all) != 0 {
			t.Errorf("%s: an abort is held against %v", when, all)
		}
	}
}

func TestPiecesBeforeARetryAreVoid(t *testing.T) {
	w := newWorld().says("p/m", answer{text: "half an ", err: failure(model.KindNetwork), usage: model.Usage{Output: 500_000}}, failure(model.KindOverloaded), "whole")
	a := newAsked(t, w, streamed, models.Choice{})
	m, err := a.stream(t.Context())
	if err != nil || m.Text() != "whole" || a.text != "whole" {
		t.Fatalf("%q, %v, %v", a.text, m, err)
	}
	got := ""
	for _, n := range a.notes {
		got += fmt.Sprintf("%s#%d %s %s discard=%v\n", n.Ref, n.Number, n.Kind, n.Next, n.Discard)
	}
	if want := "p/m@config#1 network retry discard=true\np/m@config#2 overloaded retry discard=false\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if n := a.notes[0]; n.Usage == nil || n.Usage.Cost.Total != 1 {
		t.Errorf("the failed attempt cost %+v", n.Usage)
	}
}

func TestABrokenAnswerIsKeptWhenNothingFollows(t *testing.T) {
	w := newWorld().says("p/m", answer{text: "half", err: failure(model.KindInvalid)})
	a := newAsked(t, w, streamed, models.Choice{Ref: "p/m", Source: models.SourceUser})
	m, err := a.stream(t.Context())
	if err == nil || m.Text() != "half" || a.text != "half" || m.StopReason != model.StopError || m.Provider != "p" {
		t.Errorf("%+v, %q, %v", m, a.text, err)
	}
	if len(a.notes) != 1 || a.notes[0].Next != models.NextNothing || a.notes[0].Discard {
		t.Errorf("%+v", a.notes)
	}
}

// keyed is a provider with three keys.
const keyed = `{
  models: { providers: { p: { baseUrl: "https://p.example/v1", apiKey: "key-one", models: [{ id: "m" }, { id: "n" }] } } },
  auth: { profiles: { "p:b": { provider: "p", apiKey: "key-two" }, "p:c": { provider: "P", apiKey: "key-three" } } },
  agents: { defaults: { model: "p/m" } },
}`

func TestKeysTakeTurns(t *testing.T) {
	for _, c := range []struct {
		name string
		kind model.Kind
		want string
	}{
		{"refused keys are all tried", model.KindAuth, "p/m@key-one p/m@key-two p/m@key-three"},
		{"and those without money", model.KindBilling, "p/m@key-one p/m@key-two p/m@key-three"},
		{"one turn when there are too many requests", model.KindRateLimit, "p/m@key-one p/m@key-two"},
		{"one turn when there is too much to do", model.KindOverloaded, "p/m@key-one p/m@key-two"},
		{"no other key helps against silence", model.KindTimeout, "p/m@key-one"},
		{"nor when there is no such model", model.KindNotFound, "p/m@key-one"},
	} {
		a := newAsked(t, newWorld().says("p/m", failure(c.kind)), keyed, models.Choice{})
		_, err := a.stream(t.Context())
		if a.path() != c.want || model.KindOf(err) != c.kind {
			t.Errorf("%s: %s, want %s; %v", c.name, a.path(), c.want, err)
		}
	}
}

func TestAKeyThatAnsweredIsKept(t *testing.T) {
	w := newWorld().says("p/m@key-one", failure(model.KindAuth)).says("p/m", "ok")
	a := newAsked(t, w, keyed, models.Choice{})
	for i, want := range []string{"p/m@key-one p/m@key-two", "p/m@key-two", "p/m@key-two"} {
		if _, err := a.stream(t.Context()); err != nil || a.path() != want {
			t.Errorf("request %d: %s, want %s; %v", i, a.path(), want, err)
		}
	}
	// Another run takes the one that has rested longest, unless it is told which one the session used.
	a.now = a.now.Add(time.Minute)
	a.again(models.Choice{})
	if _, err := a.stream(t.Context()); err != nil || a.path() != "p/m@key-three" {
		t.Errorf("another run: %s, %v", a.path(), err)
	}
	if got := a.chain.Profile(); got != "p:c" {
		t.Errorf("it answered with %q", got)
	}
	a.again(models.Choice{Profile: "p:b"})
	if _, err := a.stream(t.Context()); err != nil || a.path() != "p/m@key-two" {
		t.Errorf("another run of the session: %s, %v", a.path(), err)
	}
	a.again(models.Choice{Ref: "p/m@c", Source: models.SourceUser})
	w.says("p/m@key-three", failure(model.KindAuth))
	if _, err := a.stream(t.Context()); err == nil || a.path() != "p/m@key-three" {
		t.Errorf("a key that somebody chose: %s, %v", a.path(), err)
	}
}

func TestTheConfiguredOrderOfKeysHolds(t *testing.T) {
	text := strings.Replace(keyed, "auth: {", `auth: { order: { p: ["p:c", "p:config"] },`, 1)
	a := newAsked(t, newWorld().says("p/m", failure(model.KindAuth)), text, models.Choice{})
	if _, err := a.stream(t.Context()); err == nil || a.path() != "p/m@key-three p/m@key-one" {
		t.Errorf("%s, %v", a.path(), err)
	}
	text = strings.Replace(keyed, "auth: {", `auth: { order: { p: ["p:x"] },`, 1)
	a = newAsked(t, newWorld(), text, models.Choice{})
	_, err := a.stream(t.Context())
	if err == nil || !strings.Contains(err.Error(), "auth.order names none of those that there are (it has p:x)") {
		t.Error(err)
	}
}

func TestWhatFailedRests(t *testing.T) {
	w := newWorld().says("p/m", failure(model.KindNetwork)).says("p/n", "other").says("q/m", "from q")
	a := newAsked(t, w, streamed, models.Choice{})
	next := func(want string) {
		t.Helper()
		if got := a.chain.Next(t.Context()).Name(); got != want {
			t.Errorf("next is %s, want %s", got, want)
		}
	}
	for i, rest := range []time.Duration{30 * time.Second, time.Minute, 5 * time.Minute, 5 * time.Minute} {
		a.again(models.Choice{})
		next("p/m")
		if m, err := a.stream(t.Context()); err != nil || m.Provider != "q" {
			t.Fatalf("failure %d: %v, %v", i, m, err)
		}
		resting, err := a.r.Resting(t.Context())
		if err != nil || len(resting) != 1 || resting[0].Slot != (models.Slot{Profile: "p:config", Model: "m"}) || resting[0].Kind != model.KindNetwork ||
			!resting[0].Until.Equal(a.now.Add(rest)) {
			t.Fatalf("failure %d: %+v, now %v, %v", i, resting, a.now, err)
		}
		a.again(models.Choice{})
		next("q/m")
		if _, err := a.stream(t.Context()); err != nil || a.path() != "q/m@q-key" {
			t.Errorf("failure %d: %s is asked, %v", i, a.path(), err)
		}
		// The other model of the provider is not held to account.
		a.again(models.Choice{Ref: "p/n", Source: models.SourceExplicit, Fallbacks: &[]string{"q/m"}})
		next("p/n")
		a.now = a.now.Add(rest)
	}
	w.answers["p/m"] = []answer{{text: "back"}}
	a.again(models.Choice{Ref: "q/m", Source: models.SourceAuto})
	if m, err := a.stream(t.Context()); err != nil || m.Text() != "back" {
		t.Errorf("%v, %v", m, err)
	}
	w.answers["p/m"] = []answer{{err: failure(model.KindNetwork)}}
	a.again(models.Choice{})
	if _, err := a.stream(t.Context()); err != nil {
		t.Fatal(err)
	}
	if resting, _ := a.r.Resting(t.Context()); len(resting) != 1 || !resting[0].Until.Equal(a.now.Add(30*time.Second)) {
		t.Errorf("after an answer the first rest is short again: %+v", resting)
	}
}

func TestAKeyThatIsRefusedRestsWithAllModels(t *testing.T) {
	w := newWorld().says("p/m", failure(model.KindBilling)).says("p/n", "other").says("q/m", "from q")
	a := newAsked(t, w, streamed, models.Choice{})
	if _, err := a.stream(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.now = a.now.Add(10*time.Minute - time.Second)
	a.again(models.Choice{Ref: "p/n", Source: models.SourceExplicit, Fallbacks: &[]string{"q/m"}})
	if _, err := a.stream(t.Context()); err != nil || a.path() != "q/m@q-key" {
		t.Errorf("within ten minutes: %s, %v", a.path(), err)
	}
	a.now = a.now.Add(2 * time.Second)
	a.again(models.Choice{Ref: "p/n", Source: models.SourceExplicit, Fallbacks: &[]string{"q/m"}})
	if _, err := a.stream(t.Context()); err != nil || a.path() != "p/n@p-key" {
		t.Errorf("after ten minutes: %s, %v", a.path(), err)
	}
}

// TestANewKeyDoesNotRest repairs a key, as another process with the same state sees it.
func TestANewKeyDoesNotRest(t *testing.T) {
	w := newWorld().says("p/m@p-key", failure(model.KindAuth)).says("p/m", "repaired").says("q/m", "from q")
	w.store = newStore(t)
	a := newAsked(t, w, streamed, models.Choice{})
	if m, err := a.stream(t.Context()); err != nil || m.Provider != "q" {
		t.Fatalf("%v, %v", m, err)
	}
	a = newAsked(t, w, streamed, models.Choice{})
	if _, err := a.stream(t.Context()); err != nil || a.path() != "q/m@q-key" {
		t.Errorf("the same key: %s, %v", a.path(), err)
	}
	a = newAsked(t, w, strings.Replace(streamed, "p-key", "p-new", 1), models.Choice{})
	if resting, err := a.r.Resting(t.Context()); len(resting) != 0 || err != nil {
		t.Errorf("%v, %v", resting, err)
	}
	if m, err := a.stream(t.Context()); err != nil || m.Text() != "repaired" || a.path() != "p/m@p-new" {
		t.Errorf("another key: %s, %v", a.path(), err)
	}
}

// newStore is a store that several registries share.
func newStore(t *testing.T) models.Store {
	t.Helper()
	db, err := state.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestRestIsNoRefusal wants that what rests is asked when there is nothing else.
func TestRestIsNoRefusal(t *testing.T) {
	w := newWorld().says("p/m", failure(model.KindAuth), "now it works")
	a := newAsked(t, w, streamed, models.Choice{Ref: "p/m", Source: models.SourceUser})
	if _, err := a.stream(t.Context()); model.KindOf(err) != model.KindAuth {
		t.Fatal(err)
	}
	if m, err := a.stream(t.Context()); err != nil || m.Text() != "now it works" {
		t.Errorf("%v, %v", m, err)
	}
	if all, _ := a.r.Resting(t.Context()); len(all) != 0 {
		t.Errorf("%+v rests after it answered", all)
	}
}

func TestARunStaysWithWhatAnswered(t *testing.T) {
	w := newWorld().says("p/m", failure(model.KindOverloaded)).says("q/m", "one", "two", failure(model.KindNotFound))
	a := newAsked(t, w, streamed, models.Choice{})
	if _, err := a.stream(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.now = a.now.Add(time.Hour)
	w.answers["p/m"] = []answer{{text: "p again"}}
	if m, err := a.stream(t.Context()); err != nil || m.Provider != "q" || a.chain.Current().Provider != "q" {
		t.Errorf("%v, %v", m, err)
	}
	// When that one fails, the first is worth another try.
	if m, err := a.stream(t.Context()); err != nil || m.Text() != "p again" || a.path() != "q/m@q-key p/m@p-key" {
		t.Errorf("%v, %v, %s", m, err, a.path())
	}
}

func TestWhenNothingAnswersEachReasonIsTold(t *testing.T) {
	w := newWorld().says("p/m", &model.Error{Kind: model.KindNotFound, Provider: "p", Model: "m", Status: 404, Message: "gone"}).
		says("q/m", &model.Error{Kind: model.KindAuth, Provider: "q", Model: "m", Status: 401, Message: "who?"})
	a := newAsked(t, w, streamed, models.Choice{})
	m, err := a.stream(t.Context())
	var failed *models.FailedError
	if !errors.As(err, &failed) || len(failed.Attempts) != 2 || model.KindOf(err) != model.KindNotFound {
		t.Fatalf("%v", err)
	}
	if want := "model: p/m: model_not_found (HTTP 404): gone; then model: q/m: auth (HTTP 401): who?"; err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	if m.StopReason != model.StopError || m.Provider != "q" {
		t.Errorf("%+v", m)
	}
}

func TestAMissingKeyNamesWhereToPutOne(t *testing.T) {
	for _, c := range []struct{ text, ref, want string }{
		{`{}`, "openai/x", "model: openai/x: auth: no key for OpenAI: set the variable OPENAI_API_KEY, or models.providers.openai.apiKey in the configuration"},
		{`{}`, "google/x", "model: google/x: auth: no key for Google Gemini: set the variable GEMINI_API_KEY or GOOGLE_API_KEY, or models.providers.google.apiKey in the configuration"},
		{`{ models: { providers: { My_Lab: { baseUrl: "https://lab.example" } } } }`, "my_lab/x", "model: my_lab/x: auth: no key for my_lab: set the variable MY_LAB_API_KEY, or models.providers.My_Lab.apiKey in the configuration"},
		{`{ models: { providers: { lab: { apiKey: "k" } } } }`, "lab/x", "model: lab/x: invalid_request: models.providers.lab: it is not a known provider, and has no baseUrl"},
	} {
		a := newAsked(t, newWorld(), c.text, models.Choice{Ref: c.ref, Source: models.SourceUser})
		ref := a.chain.Current().Ref
		_, err := a.stream(t.Context())
		if err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
		if ready := a.r.Ready(ref); ready == nil || ready.Error() != c.want {
			t.Errorf("ready: %v", ready)
		}
	}
	for _, c := range []struct{ text, ref, env string }{
		{`{}`, "ollama/x", ""},
		{`{ models: { providers: { mine: { baseUrl: "http://localhost:1/v1" } } } }`, "mine/x", ""},
		{`{ models: { providers: { mine: { baseUrl: "https://gw.example/v1", headers: { Authorization: "Bearer z" } } } } }`, "mine/x", ""},
		{`{}`, "script/x", ""},
		{`{}`, "my-lab-is-none/x", "-"},
		{`{}`, "google/x", "GOOGLE_API_KEY=k"},
		{`{ env: { vars: { GROQ_API_KEY: "k" } } }`, "groq/x", ""},
	} {
		conf := load(t, c.text, c.env)
		r := newRegistry(t, conf, newWorld().options())
		ref, err := r.Resolve(agentOf(t, conf, "main"), c.ref)
		if c.env == "-" {
			if err == nil {
				t.Errorf("%s is %v", c.ref, ref)
			}
			continue
		}
		if err != nil || r.Ready(ref) != nil {
			t.Errorf("%s %s: %v, %v", c.text, c.ref, err, r.Ready(ref))
		}
	}
}

func TestAModelThatIsNotThereComesWithAGuess(t *testing.T) {
	for _, c := range []struct{ ref, want string }{
		{"openai/gpt-6-asrta", "model: openai/gpt-6-asrta: model_not_found: no (did you mean openai/gpt-6-astra?)"},
		{"openai/claude-opus-5", "model: openai/claude-opus-5: model_not_found: no (did you mean anthropic/claude-opus-5?)"},
		{"openai/zzzzzzzzzzz", "model: openai/zzzzzzzzzzz: model_not_found: no"},
	} {
		_, id, _ := strings.Cut(c.ref, "/")
		w := newWorld().says(c.ref, &model.Error{Kind: model.KindNotFound, Provider: "openai", Model: id, Message: "no"})
		a := newAsked(t, w, `{}`, models.Choice{Ref: c.ref, Source: models.SourceUser}, "OPENAI_API_KEY=k")
		if _, err := a.stream(t.Context()); err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// TestRetriesAreBoundedWhateverFails has a provider fail in any order of ways, and adds up.
func TestRetriesAreBoundedWhateverFails(t *testing.T) {
	conf := load(t, streamed)
	kinds := []model.Kind{model.KindRateLimit, model.KindOverloaded, model.KindTimeout, model.KindNetwork}
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld()
		w.took = time.Duration(rapid.IntRange(0, 20).Draw(rt, "seconds of a request")) * time.Second
		for range 40 {
			e := failure(rapid.SampledFrom(kinds).Draw(rt, "kind"))
			e.RetryAfter = time.Duration(rapid.SampledFrom([]int{0, 0, 1, 25, 59, 61, 3600}).Draw(rt, "after")) * time.Second
			w.says("p/m", e)
		}
		jitter := rapid.Float64Range(0, 0.999).Draw(rt, "jitter")
		o := w.options()
		o.Jitter = func() float64 { return jitter }
		r, err := models.New(conf, o)
		if err != nil {
			rt.Fatal(err)
		}
		agent, err := conf.Agent("main")
		if err != nil {
			rt.Fatal(err)
		}
		chain, err := r.Chain(agent, models.Choice{Ref: "p/m", Source: models.SourceUser})
		if err != nil {
			rt.Fatal(err)
		}
		var notes []models.Attempt
		_, err = chain.Stream(t.Context(), &model.Request{}, nil, func(a models.Attempt) { notes = append(notes, a) })
		if err == nil || len(w.asked) > 18 || len(notes) != len(w.asked) || notes[len(notes)-1].Next != models.NextNothing {
			rt.Fatalf("%d attempts, %d notes, %v", len(w.asked), len(notes), err)
		}
		limited := 0
		for _, n := range notes {
			var e *model.Error
			if errors.As(n.Err, &e); n.Next == models.NextRetry && (n.Wait > time.Minute || n.Wait < min(e.RetryAfter, time.Minute) || n.Wait <= 0) {
				rt.Fatalf("a wait of %v after %+v", n.Wait, e)
			}
			if n.Kind == model.KindRateLimit {
				limited++
			}
		}
		if limited > 10 || len(notes)-limited > 9 {
			rt.Fatalf("%d of %d are rate limits", limited, len(notes))
		}
	})
}
