package models_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"openclaw/runtime/model"
	"openclaw/runtime/models"
)

// TestKeysAreInNothingThatIsShown plants keys in every place, has providers and transports repeat them, and looks at all that comes
// out.
func TestKeysAreInNothingThatIsShown(t *testing.T) {
	const text = `{
	  env: { vars: { GROQ_API_KEY: "planted-groq" } },
	  models: { providers: {
	    p: { baseUrl: "https://p.example/v1", apiKey: "planted-p", headers: { "X-Api-Key": "planted-header" }, models: [{ id: "m" }] },
	    q: { baseUrl: "https://q.example/v1", apiKey: "${Q}" },
	  } },
	  auth: { profiles: { "p:b": { provider: "p", apiKey: "planted-b" } } },
	  agents: { defaults: { model: { primary: "p/m", fallbacks: ["q/m", "groq/m"] } } },
	}`
	w := newWorld()
	w.says("p/m@planted-p", answer{text: "part", err: &model.Error{Kind: model.KindAuth, Provider: "p", Model: "m", Message: "wrong key: planted-p, X-Api-Key: planted-header"}})
	w.says("p/m@planted-b", &model.Error{Kind: model.KindNetwork, Provider: "p", Model: "m", Err: fmt.Errorf(`get "https://p.example/?key=planted-b": %w`, errors.New("refused"))})
	w.says("q/m", errors.New("panic: planted-q"))
	w.says("groq/m", &model.Error{Kind: model.KindInvalid, Provider: "groq", Model: "m", Message: "Bearer planted-groq"})
	a := newAsked(t, w, text, models.Choice{}, "Q=planted-q")
	m, err := a.stream(t.Context())
	if err == nil || len(a.notes) < 4 {
		t.Fatalf("%v, %d notes", err, len(a.notes))
	}
	shown := []string{err.Error(), fmt.Sprintf("%+v %#v", m, m), m.Error}
	for _, n := range a.notes {
		shown = append(shown, fmt.Sprintf("%+v", n), n.Err.Error())
	}
	for _, e := range w.seen {
		if e.Key == "" {
			t.Errorf("%v was given no key", e)
		}
		shown = append(shown, fmt.Sprintf("%v %+v %#v %s", e, e, e, e))
	}
	agent := agentOf(t, a.conf, "main")
	status := a.r.AgentStatus(t.Context(), agent)
	resting, _ := a.r.Resting(t.Context())
	list, _ := a.r.List(agent, "", false)
	profiles, _ := a.r.Profiles("p")
	_, unknown := a.r.Resolve(agent, "p/m@planted")
	shown = append(shown, fmt.Sprintf("%+v %+v %+v %+v %+v %v", status, a.r.ProviderStatuses([]models.AgentStatus{status}), resting, list, profiles, unknown))
	for _, s := range shown {
		for _, key := range []string{"planted-p", "planted-b", "planted-q", "planted-groq", "planted-header"} {
			if strings.Contains(s, key) {
				t.Errorf("%s is in %.300s", key, s)
			}
		}
	}
	if !strings.Contains(err.Error(), "wrong key: ***") && !strings.Contains(fmt.Sprint(a.notes[0].Err), "wrong key: ***") {
		t.Errorf("%v", a.notes[0].Err)
	}
}
