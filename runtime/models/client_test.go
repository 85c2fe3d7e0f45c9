package models_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/model"
	"openclaw/runtime/models"
)

// TestAChainOverTheNetwork has one server fail and another answer, with the clients that are used outside of tests.
func TestAChainOverTheNetwork(t *testing.T) {
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies = append(bodies, r.Header.Get("Authorization")+" "+r.URL.Path+" "+string(body))
		if strings.HasPrefix(r.URL.Path, "/bad/") {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error": {"message": "Incorrect API key provided: %s"}}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"hel"}}]}`+"\n\n")
		fmt.Fprint(w, `data: {"id":"1","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}`+"\n\n")
		fmt.Fprint(w, `data: {"id":"1","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	conf := load(t, `{
	  models: { providers: {
	    bad: { baseUrl: "`+server.URL+`/bad/v1", apiKey: "sk-planted-bad" },
	    good: { baseUrl: "`+server.URL+`/good/v1", apiKey: "sk-planted-good", models: [{ id: "m", cost: { input: 1, output: 2 } }] },
	  } },
	  agents: { defaults: { model: { primary: "bad/m", fallbacks: ["good/m"] }, params: { temperature: 0.5, seed: 7 } } },
	}`)
	r := newRegistry(t, conf, models.Options{})
	chain, err := r.Chain(agentOf(t, conf, "main"), models.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	text, notes := "", ""
	m, err := chain.Stream(t.Context(), &model.Request{Messages: []model.Message{model.User("hi")}}, func(d model.Delta) { text += d.Text }, func(a models.Attempt) {
		notes += fmt.Sprintf("%s %s %s: %v", a.Ref, a.Kind, a.Next, a.Err)
	})
	if err != nil || text != "hello" || m.Text() != "hello" || m.Provider != "good" || m.Usage.Cost.Total != 20e-6 {
		t.Errorf("%q, %+v, %v", text, m, err)
	}
	if !strings.HasPrefix(notes, "bad/m@config auth fallback: ") || strings.Contains(notes, "planted") {
		t.Error(notes)
	}
	if len(bodies) != 2 || !strings.HasPrefix(bodies[1], "Bearer sk-planted-good /good/v1/chat/completions ") ||
		!strings.Contains(bodies[1], `"temperature":0.5`) || !strings.Contains(bodies[1], `"seed":7`) {
		t.Error(bodies)
	}
}

func TestScriptsArePlayedFromTheirDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.json"), []byte(`{"turns": [{"text": "played"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	conf := load(t, `{}`)
	r := newRegistry(t, conf, models.Options{ScriptDir: dir})
	for _, ref := range []string{"script/s.json", "script/" + dir + "/s.json"} {
		chain, err := r.Chain(agentOf(t, conf, "main"), models.Choice{Ref: ref, Source: models.SourceExplicit})
		if err != nil {
			t.Fatal(err)
		}
		m, err := chain.Stream(t.Context(), &model.Request{Messages: []model.Message{model.User("hi")}}, nil, nil)
		if err != nil || m.Text() != "played" || m.Provider != models.ScriptProvider || "script/"+m.Model != ref {
			t.Errorf("%s: %+v, %v", ref, m, err)
		}
	}
}
