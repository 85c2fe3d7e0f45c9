package conversation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"openclaw/runtime/agent"
	"openclaw/runtime/config"
	"openclaw/runtime/conversation"
	"openclaw/runtime/model"
	"openclaw/runtime/models"
	"openclaw/runtime/session"
	"openclaw/runtime/state"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

const mainKey = "agent:main:main"

// patience bounds every wait of a test.
const patience = 20 * time.Second

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

// fataler is a test, or a run of a property.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// home is a state directory with conversations on it.
type home struct {
	t       fataler
	dir     string
	conf    *config.Config
	models  models.Options
	runtime *agent.Runtime
	talk    *conversation.Service
	state   *state.DB

	mu     sync.Mutex
	events []conversation.Event
	on     func(conversation.Event)
}

// newHome makes a state directory with a configuration, which may be empty, and a script as the model of every agent.
func newHome(t *testing.T, script, configuration string) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir()}
	if script != "" {
		h.write("script.json", script)
	}
	h.configure(configuration)
	h.open()
	t.Cleanup(h.close)
	return h
}

// configure writes the configuration: the script is the model, and members may be added.
func (h *home) configure(members string) {
	h.t.Helper()
	h.write("openclaw.json", fmt.Sprintf(`{agents: {defaults: {model: %q}}, %s}`, "script/"+filepath.Join(h.dir, "script.json"), members))
}

func (h *home) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
		h.t.Fatalf("%v", err)
	}
}

// open begins as a process does.
func (h *home) open() {
	h.t.Helper()
	env := func(name string) (string, bool) {
		if name == config.EnvStateDir {
			return h.dir, true
		}
		return "", false
	}
	conf, err := config.Load(context.Background(), config.Options{LookupEnv: env, Home: h.dir})
	if err != nil {
		h.t.Fatalf("%v", err)
	}
	if h.state, err = state.Open(context.Background(), conf.StateDir); err != nil {
		h.t.Fatalf("%v", err)
	}
	registry, err := models.New(conf, h.models)
	if err != nil {
		h.t.Fatalf("%v", err)
	}
	h.conf = conf
	h.runtime = agent.New(agent.Options{
		Config: conf, State: h.state, Models: registry,
		Toolbox: func(context.Context) (*sandbox.Sandbox, *toolwasm.Toolbox, error) {
			return shared.box, shared.toolbox, nil
		},
	})
	h.talk = conversation.New(conversation.Options{Config: conf, Runtime: h.runtime, Models: registry, On: h.note})
}

func (h *home) close() {
	h.talk.Close()
	if err := h.runtime.Close(context.Background()); err != nil {
		h.t.Fatalf("%v", err)
	}
	_ = h.state.Close()
}

// note keeps what happens, and lets the test do something in that moment.
func (h *home) note(e conversation.Event) {
	h.mu.Lock()
	h.events = append(h.events, e)
	on := h.on
	h.mu.Unlock()
	if on != nil {
		on(e)
	}
}

// send sends a message to the main session.
func (h *home) send(text string) conversation.Receipt {
	h.t.Helper()
	return h.sendAs(conversation.Message{Text: text})
}

func (h *home) sendAs(m conversation.Message) conversation.Receipt {
	h.t.Helper()
	r, err := h.talk.Send(context.Background(), m)
	if err != nil {
		h.t.Fatalf("send %q: %v", m.Text, err)
	}
	return r
}

// settle waits until nothing is left to do in the main session.
func (h *home) settle() {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.talk.Wait(ctx, "", ""); err != nil {
		var stacks strings.Builder // what it waits for
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 2)
		h.t.Fatalf("it does not come to rest: %v\n%s\n%s", err, h.transcript(), stacks.String())
	}
}

func (h *home) store() *session.Store {
	h.t.Helper()
	store, err := h.runtime.Store(context.Background(), "main")
	if err != nil {
		h.t.Fatalf("%v", err)
	}
	return store
}

func (h *home) entries() []session.Entry {
	h.t.Helper()
	list, err := h.store().Entries(context.Background(), session.Ref{Key: mainKey}, session.EntriesOptions{Limit: session.MaxPage})
	if err != nil {
		h.t.Fatalf("%v", err)
	}
	return list
}

// transcript is the main session, a line for each entry.
func (h *home) transcript() string {
	h.t.Helper()
	var lines []string
	for _, e := range h.entries() {
		lines = append(lines, entryText(e))
	}
	return strings.Join(lines, "\n")
}

// entryText is an entry in a line: whose it is, its text, its calls, and the status of a call that did not run.
func entryText(e session.Entry) string {
	var body struct {
		CustomType string `json:"customType"`
		Reason     string `json:"reason"`
		Message    struct {
			model.Message
			Details struct{ Status string } `json:"details"`
		} `json:"message"`
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return err.Error()
	}
	m := &body.Message
	text := strings.ReplaceAll(strings.TrimSpace(e.Text()), "\n", "⏎")
	switch e.Role() {
	case session.RoleUser:
		return "user: " + text
	case session.RoleAssistant:
		text = "assistant: " + m.Text()
		for _, c := range m.Calls() {
			text += " [" + c.ID + "]"
		}
		return strings.ReplaceAll(text, "  ", " ")
	case session.RoleToolResult:
		if m.Details.Status == "skipped" || m.IsError {
			return "result " + m.ToolCallID + ": " + text
		}
		return "result " + m.ToolCallID
	}
	if body.CustomType != "" {
		return "note: " + body.CustomType
	}
	return string(e.Type) + ": " + body.Reason
}

// whenThere waits for a file of the workspace.
func (h *home) whenThere(name string) {
	h.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(h.conf.Workspace, name)); err == nil {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("%s is never there\n%s", name, h.transcript())
		}
	}
}
