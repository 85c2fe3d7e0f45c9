package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/state"
	"openclaw/runtime/tools"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// machine is what all tests share: an engine and the toolbox on it.
var machine struct {
	box     *sandbox.Sandbox
	toolbox *toolwasm.Toolbox
}

func TestMain(m *testing.M) {
	ctx := context.Background()
	engine, err := sandbox.Wazero(ctx, sandbox.EngineOptions{})
	if err != nil {
		panic(err)
	}
	machine.box = sandbox.New(engine)
	if machine.toolbox, err = toolwasm.Load(ctx, machine.box); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := engine.Close(ctx); err != nil {
		panic(err)
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}

// bench is a session of an agent of its own.
type bench struct {
	testing.TB
	set       *tools.Set
	registry  *tools.Registry
	workspace string
	conf      *config.Config
	failure   error             // of opening a session
	begun     map[string]string // what exec answered, by the name of the process
}

// newBench opens the agent's main session, or another one, under a configuration.
func newBench(t testing.TB, text string, change ...func(*tools.Options)) *bench {
	t.Helper()
	dir := t.TempDir()
	stateDir := filepath.Join(dir, "state")
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stateDir, "openclaw.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	conf, err := config.Load(t.Context(), config.Options{LookupEnv: func(name string) (string, bool) {
		switch name {
		case "OPENCLAW_STATE_DIR":
			return stateDir, true
		case "HOME":
			return dir, true
		}
		return "", false
	}})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, conf: conf, registry: tools.NewRegistry(tools.RegistryOptions{})}
	if b.set = b.open(confinement.Request{}, change...); b.set == nil {
		t.Fatal(b.failure)
	}
	t.Cleanup(func() { b.registry.Close(context.Background()) })
	return b
}

// open opens a session of the bench's configuration.
func (b *bench) open(r confinement.Request, change ...func(*tools.Options)) *tools.Set {
	b.Helper()
	db, err := state.Open(b.Context(), b.conf.StateDir)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	plan, err := confinement.Decide(b.conf, r)
	if err != nil {
		b.Fatal(err)
	}
	opened, err := confinement.NewOpener(db).Open(b.Context(), plan)
	if err != nil {
		b.Fatal(err)
	}
	b.workspace = opened.Mounts[0].Host
	o := tools.Options{Sandbox: machine.box, Toolbox: machine.toolbox, Opened: opened, Exec: b.conf.Tools.Exec, Processes: b.registry}
	for _, c := range change {
		c(&o)
	}
	set, err := tools.New(o)
	if err != nil {
		b.failure = err
		return nil
	}
	b.Cleanup(set.Close)
	return set
}

// fails opens a session that cannot be opened.
func (b *bench) fails(change ...func(*tools.Options)) error {
	b.Helper()
	b.failure = nil
	if b.open(confinement.Request{}, change...) != nil {
		b.Error("it was opened")
	}
	return b.failure
}

// args is a JSON object of names and values.
func args(pairs ...any) json.RawMessage {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return raw
}

// call runs one call.
func (b *bench) call(name string, pairs ...any) tools.Result {
	b.Helper()
	return b.raw(name, string(args(pairs...)))
}

func (b *bench) raw(name, arguments string) tools.Result {
	b.Helper()
	return b.set.Batch(b.Context(), []tools.Call{{ID: "1", Name: name, Arguments: json.RawMessage(arguments)}}, nil)[0].Result
}

// ok is call for a tool that must do what it is asked.
func (b *bench) ok(name string, pairs ...any) string {
	b.Helper()
	r := b.call(name, pairs...)
	if r.IsError {
		b.Fatalf("%s %v: %s", name, pairs, r.Text())
	}
	return r.Text()
}

func (b *bench) put(name, text string) {
	b.Helper()
	full := filepath.Join(b.workspace, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) get(name string) string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.workspace, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// field is a member of a result's details.
func field(t testing.TB, r tools.Result, name string) any {
	t.Helper()
	m := map[string]any{}
	if err := json.Unmarshal(r.Details, &m); err != nil {
		t.Fatalf("details %s: %v", r.Details, err)
	}
	return m[name]
}

// background starts a command in the background and returns its name.
func (b *bench) background(command string) string {
	b.Helper()
	r := b.call("exec", "command", command, "background", true)
	id, _ := field(b, r, "sessionId").(string)
	if id == "" {
		b.Fatalf("%s: %s", command, r.Text())
	}
	if b.begun == nil {
		b.begun = map[string]string{}
	}
	b.begun[id] = r.Text() // what was written at once is shown there, and not by a poll
	return id
}

// later is background for a command that writes nothing before the answer that it is in the background.
func (b *bench) later(command string) string {
	b.Helper()
	r := b.call("exec", "command", "sleep 0.1; "+command, "title", command, "background", true)
	return field(b, r, "sessionId").(string)
}

// until polls a process until its output so far, or its result, holds a text.
func (b *bench) until(id, want string) string {
	b.Helper()
	var all strings.Builder
	all.WriteString(b.begun[id])
	if strings.Contains(all.String(), want) {
		return all.String()
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		r := b.call("process", "action", "poll", "sessionId", id, "timeout", 2000)
		all.WriteString(r.Text())
		if strings.Contains(all.String(), want) {
			return all.String()
		}
		if r.IsError {
			break
		}
	}
	b.Fatalf("%s: no %q in %q", id, want, all.String())
	return ""
}

// events keeps what a batch tells.
type events struct {
	mu   sync.Mutex
	list []tools.Event
}

func (e *events) add(event tools.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, event)
}
