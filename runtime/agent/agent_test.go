package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"openclaw/runtime/agent"
	"openclaw/runtime/config"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/session"
	"openclaw/runtime/state"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

var shared struct {
	box     *sandbox.Sandbox
	toolbox *toolwasm.Toolbox
}

func TestMain(m *testing.M) {
	engine, err := sandbox.Wazero(context.Background(), sandbox.EngineOptions{})
	if err != nil {
		panic(err)
	}
	shared.box = sandbox.New(engine)
	if shared.toolbox, err = toolwasm.Load(context.Background(), shared.box); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = engine.Close(context.Background())
	if err := goleak.Find(); err != nil && status == 0 {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		status = 1
	}
	os.Exit(status)
}

// home is a state directory with a runtime on it.
type home struct {
	t       *testing.T
	dir     string
	conf    *config.Config
	runtime *agent.Runtime
	models  models.Options
	hooks   agent.CompactionHooks
}

// newHome makes a state directory with a configuration, which may be empty.
func newHome(t *testing.T, configuration string) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir()}
	if configuration != "" {
		h.write("openclaw.json", configuration)
	}
	h.open()
	return h
}

func (h *home) write(name, text string) string {
	h.t.Helper()
	name = filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return name
}

func (h *home) open() {
	h.t.Helper()
	env := func(name string) (string, bool) {
		if name == config.EnvStateDir {
			return h.dir, true
		}
		return "", false
	}
	conf, err := config.Load(h.t.Context(), config.Options{LookupEnv: env, Home: h.dir})
	if err != nil {
		h.t.Fatal(err)
	}
	db, err := state.Open(h.t.Context(), conf.StateDir)
	if err != nil {
		h.t.Fatal(err)
	}
	registry, err := models.New(conf, h.models)
	if err != nil {
		h.t.Fatal(err)
	}
	h.conf = conf
	h.runtime = agent.New(agent.Options{
		Config: conf, State: db, Models: registry,
		Toolbox: func(context.Context) (*sandbox.Sandbox, *toolwasm.Toolbox, error) {
			return shared.box, shared.toolbox, nil
		},
		Compaction: h.hooks,
	})
	r := h.runtime
	h.t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			h.t.Error(err)
		}
		_ = db.Close()
	})
}

// script makes a script and returns the reference of its model.
func (h *home) script(text string) string { return "script/" + h.write("script.json", text) }

func (h *home) entries(key string) []session.Entry {
	h.t.Helper()
	store, err := h.runtime.Store(h.t.Context(), "main")
	if err != nil {
		h.t.Fatal(err)
	}
	list, err := store.Entries(h.t.Context(), session.Ref{Key: key}, session.EntriesOptions{Limit: session.MaxPage})
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

// shape is a transcript in short: the roles of messages, and the types of other entries.
func (h *home) shape(key string) string {
	var list []string
	for _, e := range h.entries(key) {
		name := e.Role()
		if name == "" {
			var custom struct {
				CustomType string `json:"customType"`
			}
			_ = json.Unmarshal(e.Body, &custom)
			name = string(e.Type) + ":" + custom.CustomType
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

const mainKey = "agent:main:main"

func TestARunGoesToItsEnd(t *testing.T) {
	h := newHome(t, "")
	ref := h.script(`{"turns":[
		{"expect":{"last":"count","system":"/workspace","tools":["exec","process","read","write","edit","apply_patch"]},
		 "thinking":"hm","text":"I count.","calls":[
			{"name":"write","arguments":{"path":"a.txt","content":"1\n2\n"}},
			{"name":"exec","arguments":{"command":"cat nothing; exit 3"}}]},
		{"expect":{"results":["a.txt","exit code 3"]},"calls":[{"name":"exec","arguments":{"command":"wc -l < a.txt"}}]},
		{"expect":{"results":["2"]},"text":"Two lines.","usage":{"input":10,"output":5,"cacheRead":1,"cacheWrite":0,"totalTokens":16,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5}}}]}`)
	var mu sync.Mutex
	var events []agent.Event
	outcome, err := h.runtime.Run(t.Context(), agent.Turn{Message: "count the lines", Model: ref, On: func(e agent.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if outcome.Status != agent.StatusOK || outcome.Final != "Two lines." || outcome.Answers != 3 || len(outcome.Payloads) != 2 || outcome.Usage.Total != 16 || outcome.Usage.Cost.Total != 0.5 {
		t.Errorf("outcome %+v", outcome)
	}
	want := []agent.ToolUse{{Name: "write", Calls: 1}, {Name: "exec", Calls: 2}}
	if len(outcome.Tools) != 2 || outcome.Tools[0] != want[0] && outcome.Tools[1] != want[0] {
		t.Errorf("tools %+v", outcome.Tools)
	}
	if got := h.shape(mainKey); got != "user assistant toolResult toolResult assistant toolResult assistant" {
		t.Errorf("transcript %s", got)
	}
	checkEvents(t, events)
}

// checkEvents wants numbers without a gap, a beginning and an end.
func checkEvents(t *testing.T, events []agent.Event) {
	t.Helper()
	var text string
	starts, results := map[string]bool{}, 0
	for i, e := range events {
		if e.Seq != int64(i+1) || e.SessionKey != mainKey || e.RunID == "" {
			t.Fatalf("event %d: %+v", i, e)
		}
		switch d := e.Data.(type) {
		case agent.Piece:
			if e.Stream == agent.StreamAssistant {
				text += d.Delta
			}
		case agent.ToolEvent:
			if d.Phase == agent.PhaseStart {
				starts[d.CallID] = true
			}
			if d.Phase == agent.PhaseResult {
				results++
				if !starts[d.CallID] {
					t.Errorf("the call %s ended and had not begun", d.CallID)
				}
			}
		}
	}
	if text != "I count.Two lines." || len(starts) != 3 || results != 3 {
		t.Errorf("text %q, %d starts, %d results", text, len(starts), results)
	}
	first, last := events[0].Data.(agent.Lifecycle), events[len(events)-1].Data.(agent.Lifecycle)
	if first.Phase != agent.PhaseStart || last.Phase != agent.PhaseEnd || last.Status != agent.StatusOK {
		t.Errorf("from %+v to %+v", first, last)
	}
}

func TestTheNextTurnSeesTheOneBefore(t *testing.T) {
	h := newHome(t, "")
	ref := h.script(`{"turns":[{"text":"Hello."},{"expect":{"messages":3,"last":"again"},"text":"Hello again."}]}`)
	for _, message := range []string{"hi", "again"} {
		if _, err := h.runtime.Run(t.Context(), agent.Turn{Message: message, Model: ref}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheModelThatFailsEndsTheRun(t *testing.T) {
	h := newHome(t, "")
	ref := h.script(`{"turns":[{"text":"I am about to","fail":{"kind":"auth","message":"no such key"}}]}`)
	outcome, err := h.runtime.Run(t.Context(), agent.Turn{Message: "hi", Model: ref})
	if model.KindOf(err) != model.KindAuth || outcome.Status != agent.StatusError {
		t.Fatalf("%+v, %v", outcome, err)
	}
	if got := h.shape(mainKey); got != "user assistant" {
		t.Errorf("transcript %s", got)
	}
	store, _ := h.runtime.Store(t.Context(), "main")
	info, err := store.Get(t.Context(), session.Ref{Key: mainKey})
	if err != nil || info.Status != session.StatusFailed || info.RunID != "" {
		t.Errorf("session %+v, %v", info, err)
	}
}

func TestWhatIsWrongIsSaidBeforeAnythingIsWritten(t *testing.T) {
	h := newHome(t, "")
	for _, test := range []struct {
		turn agent.Turn
		want string
	}{
		{agent.Turn{}, "the message is blank"},
		{agent.Turn{Message: "hi", Thinking: "lots"}, `"lots"`},
		{agent.Turn{Message: "hi", Model: "no/such/model@"}, "no/such/model@"},
		{agent.Turn{Message: "hi", Agent: "nobody"}, "no such agent"},
		{agent.Turn{Message: "hi", SessionID: "nothing"}, "no such session"},
	} {
		_, err := h.runtime.Run(t.Context(), test.turn)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.turn, err, test.want)
		}
	}
	store, _ := h.runtime.Store(t.Context(), "main")
	if page, err := store.List(t.Context(), session.ListOptions{}); err != nil || len(page.Sessions) != 0 {
		t.Errorf("sessions %+v, %v", page.Sessions, err)
	}
}

func TestACancelledRunLeavesATranscriptToGoOnFrom(t *testing.T) {
	h := newHome(t, "")
	ref := h.script(`{"turns":[
		{"calls":[{"name":"exec","arguments":{"command":"echo begun > f; sleep 600"}}]},
		{"expect":{"last":"go on","messages":5},"text":"I go on."}]}`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := time.Now()
	outcome, err := h.runtime.Run(ctx, agent.Turn{Message: "work", Model: ref, On: func(e agent.Event) {
		if d, ok := e.Data.(agent.ToolEvent); ok && d.Phase == agent.PhaseStart {
			go h.cancelWhenThere("f", cancel)
		}
	}})
	if !errors.Is(err, context.Canceled) || outcome.Status != agent.StatusAborted || time.Since(begun) > 20*time.Second {
		t.Fatalf("%+v, %v", outcome, err)
	}
	if got := h.shape(mainKey); got != "user assistant toolResult custom_message:openclaw:turn-aborted" {
		t.Errorf("transcript %s", got)
	}
	if outcome, err = h.runtime.Run(t.Context(), agent.Turn{Message: "go on", Model: ref}); err != nil || outcome.Final != "I go on." {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// cancelWhenThere waits for a file of the workspace.
func (h *home) cancelWhenThere(name string, cancel func()) {
	for range 1000 {
		if _, err := os.Stat(filepath.Join(h.conf.Workspace, name)); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
}

func TestARunThatTakesTooLongSaysSo(t *testing.T) {
	h := newHome(t, "")
	ref := h.script(`{"turns":[{"text":"soon","delayMs":600000}]}`)
	outcome, err := h.runtime.Run(t.Context(), agent.Turn{Message: "hi", Model: ref, Timeout: 50 * time.Millisecond})
	if !errors.Is(err, agent.ErrTimeout) || outcome.Status != agent.StatusTimeout {
		t.Fatalf("%+v, %v", outcome, err)
	}
}

func TestRunsInOneSessionFollowEachOther(t *testing.T) {
	h := newHome(t, "")
	ref := h.script(`{"repeat":true,"turns":[{"calls":[{"name":"exec","arguments":{"command":"echo x >> log"}}]},{"text":"done"}]}`)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := h.runtime.Run(t.Context(), agent.Turn{Message: "log", Model: ref}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got, want := h.shape(mainKey), strings.TrimSpace(strings.Repeat("user assistant toolResult assistant ", 8)); got != want {
		t.Errorf("transcript %s", got)
	}
	if text, _ := os.ReadFile(filepath.Join(h.conf.Workspace, "log")); string(text) != strings.Repeat("x\n", 8) {
		t.Errorf("log %q", text)
	}
}

func TestSessionsOfStrangersSeeOnlyTheirOwn(t *testing.T) {
	h := newHome(t, "")
	ref := h.script(`{"repeat":true,"turns":[{"calls":[{"name":"exec","arguments":{"command":"cat * 2>/dev/null | grep -c SECRET; echo SECRET > mine; ls /agent /workspace/.. 2>&1"}}]},{"text":"done"}]}`)
	var wait sync.WaitGroup
	for _, key := range []string{mainKey, "agent:main:chat:group:1", "agent:main:chat:group:2"} {
		wait.Go(func() {
			if _, err := h.runtime.Run(t.Context(), agent.Turn{Message: "look", Session: key, Model: ref}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, key := range []string{mainKey, "agent:main:chat:group:1", "agent:main:chat:group:2"} {
		for _, e := range h.entries(key) {
			if e.Role() == session.RoleToolResult && !strings.HasPrefix(e.Text(), "0\n") {
				t.Errorf("%s read %q", key, e.Text())
			}
		}
	}
}

func TestTheLastOutputOfABackgroundCommandIsNeverLost(t *testing.T) {
	h := newHome(t, "")
	ref := h.script(`{"turns":[
		{"calls":[{"name":"exec","arguments":{"command":"echo early; while :; do sleep 0.01; done","background":true}}]},
		{"text":"It runs."},
		{"expect":{"messages":6},"text":"I see."}]}`)
	if _, err := h.runtime.Run(t.Context(), agent.Turn{Message: "start", Model: ref}); err != nil {
		t.Fatal(err)
	}
	if err := h.runtime.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	h.open()
	list := h.entries(mainKey)
	last := list[len(list)-1]
	if last.Type != session.TypeCustomMessage || !strings.Contains(last.Text(), "early") || !strings.Contains(last.Text(), "Background command") {
		t.Fatalf("last entry %s %q", last.Type, last.Text())
	}
	if outcome, err := h.runtime.Run(t.Context(), agent.Turn{Message: "and?", Model: ref}); err != nil || outcome.Final != "I see." {
		t.Errorf("%+v, %v", outcome, err)
	}
}

func TestTheModelHearsOfABackgroundCommandThatEnded(t *testing.T) {
	h := newHome(t, "")
	ref := h.script(`{"turns":[
		{"calls":[{"name":"exec","arguments":{"command":"while [ ! -e go ]; do sleep 0.01; done; echo built; echo x > ended","background":true}}]},
		{"calls":[{"name":"exec","arguments":{"command":"touch go; while [ ! -e ended ]; do sleep 0.01; done; sleep 0.2"}}]},
		{"expect":{"last":"ended with exit code 0"},"text":"Good."}]}`)
	if _, err := h.runtime.Run(t.Context(), agent.Turn{Message: "build", Model: ref}); err != nil {
		t.Fatal(err)
	}
}

// recorder is a client that plays a script and keeps what it was asked.
type recorder struct {
	model.Client
	mu       sync.Mutex
	requests []model.Request
}

func (r *recorder) Stream(ctx context.Context, q *model.Request, on func(model.Delta)) (*model.Message, error) {
	r.mu.Lock()
	r.requests = append(r.requests, *q)
	r.mu.Unlock()
	return r.Client.Stream(ctx, q, on)
}

func TestWhatProvidersCacheIsTheSameInEveryTurn(t *testing.T) {
	r := &recorder{}
	h := &home{t: t, dir: t.TempDir(), models: models.Options{NewClient: func(e models.Endpoint) (model.Client, error) {
		client, err := models.NewClient(e)
		r.Client = client
		return r, err
	}}}
	h.open()
	ref := h.script(`{"repeat":true,"turns":[{"calls":[{"name":"exec","arguments":{"command":"echo x >> log; seq 1 2000"}}]},{"text":"ok"}]}`)
	const turns = 50
	for range turns {
		if _, err := h.runtime.Run(t.Context(), agent.Turn{Message: "hi", Model: ref}); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.requests) != 2*turns {
		t.Fatalf("%d requests", len(r.requests))
	}
	before := ""
	for i, q := range r.requests {
		if q.System != r.requests[0].System || !reflect.DeepEqual(q.Tools, r.requests[0].Tools) {
			t.Fatalf("request %d has another stable part", i+1)
		}
		text, err := json.Marshal(q.Messages)
		if err != nil {
			t.Fatal(err)
		}
		begin := strings.TrimSuffix(before, "]")
		if !strings.HasPrefix(strip(text), begin) && i < 20 { // later ones have older results left out
			t.Fatalf("request %d does not begin as the one before", i+1)
		}
		before = strip(text)
	}
}

// strip takes the times out of messages: providers are not told them.
func strip(text []byte) string {
	return regexp.MustCompile(`,"timestamp":\d+`).ReplaceAllString(string(text), "")
}

func TestAnAbortSaysWhatEndedTheRun(t *testing.T) {
	h := newHome(t, "")
	ref := h.script(`{"chunk":1,"turns":[{"text":"as slow as can be","chunkDelayMs":600000}]}`)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	quit := errors.New("somebody has had enough")
	out, err := h.runtime.Run(ctx, agent.Turn{Message: "hi", Model: ref, On: func(e agent.Event) {
		if _, piece := e.Data.(agent.Piece); piece {
			cancel(quit)
		}
	}})
	if !errors.Is(err, quit) || err.Error() != "agent: run in "+mainKey+": somebody has had enough" || out.Status != agent.StatusAborted {
		t.Errorf("%v, %+v", err, out)
	}
}

func TestSessionsHaveNames(t *testing.T) {
	for configuration, names := range map[string]map[string]string{
		"":                               {"": mainKey, "Notes": "agent:main:notes", "work:today": "agent:main:work:today", "hook:x": "hook:x", "agent:main:a": "agent:main:a"},
		`{"session":{"scope":"global"}}`: {"": "global"},
	} {
		h := newHome(t, configuration)
		ref := h.script(`{"repeat":true,"turns":[{"text":"hello"}]}`)
		for name, want := range names {
			out, err := h.runtime.Run(t.Context(), agent.Turn{Session: name, Message: "hi", Model: ref})
			if err != nil || out.SessionKey != want {
				t.Errorf("%q is %+v, %v; want %s", name, out, err, want)
			}
		}
		if out, err := h.runtime.Run(t.Context(), agent.Turn{Session: "agent:main:", Message: "hi", Model: ref}); err == nil {
			t.Errorf("a key that is none is %s", out.SessionKey)
		}
	}
}
