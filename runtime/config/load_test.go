package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
)

// home is a state directory for a test, with the environment that leads to it.
type home struct {
	t   *testing.T
	dir string
	env map[string]string
}

// newHome has openclaw.json with the given text, and the other files beside it. An empty text is no file.
func newHome(t *testing.T, text string, files map[string]string) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir(), env: map[string]string{}}
	h.env[config.EnvStateDir] = h.dir
	if text != "" {
		h.write("openclaw.json", text)
	}
	for name, content := range files {
		h.write(name, content)
	}
	return h
}

func (h *home) write(name, text string) {
	h.t.Helper()
	file := filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) read(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

func (h *home) options() config.Options {
	return config.Options{Home: "/home/u", LookupEnv: func(name string) (string, bool) {
		v, ok := h.env[name]
		return v, ok
	}}
}

func (h *home) load() *config.Config {
	h.t.Helper()
	c, err := config.Load(h.t.Context(), h.options())
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// problems are the messages of a configuration that is not valid, without the directory.
func (h *home) problems(err error) []string {
	h.t.Helper()
	var invalid *config.InvalidError
	if err == nil {
		return nil
	}
	if !errors.As(err, &invalid) {
		h.t.Fatalf("%v is no InvalidError", err)
	}
	var list []string
	for _, p := range invalid.Problems {
		list = append(list, strings.ReplaceAll(p.String(), h.dir+"/", ""))
	}
	return list
}

func path(t *testing.T, text string) json5.Path {
	t.Helper()
	p, err := json5.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDefaults(t *testing.T) {
	h := newHome(t, "", nil)
	c := h.load()
	if c.Exists || c.File != filepath.Join(h.dir, "openclaw.json") {
		t.Errorf("file %s, exists %v", c.File, c.Exists)
	}
	agent, err := c.Agent("Main")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%+v", agent.Sandbox)
	want := fmt.Sprintf("{Mode:non-main Scope:session WorkspaceAccess:none WorkspaceRoot:%s/sandboxes Backend:wasm Prune:{IdleHours:24 MaxAgeDays:7}}", h.dir)
	if got != want {
		t.Errorf("sandbox %s, want %s", got, want)
	}
	if agent.ID != "main" || agent.Workspace != filepath.Join(h.dir, "workspace") || agent.ContextInjection != config.InjectAlways ||
		agent.BootstrapMaxChars != 20000 || agent.BootstrapTotalMaxChars != 60000 || agent.SkipBootstrap {
		t.Errorf("agent %+v", agent)
	}
	s := c.Session
	if s.Scope != "per-sender" || s.Reset.Mode != "none" || s.Reset.AtHour != 4 ||
		s.Maintenance.MaxEntries != 5000 || s.Maintenance.MaxDiskBytes != 10<<30 || s.Maintenance.HighWaterBytes != (10<<30)/100*80 ||
		s.Maintenance.PruneAfter.Hours() != 30*24 {
		t.Errorf("session %+v", s)
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		env                    string
		state, file, workspace string
	}{
		{"", "/home/u/.openclaw", "/home/u/.openclaw/openclaw.json", "/home/u/.openclaw/workspace"},
		{"OPENCLAW_PROFILE=default", "/home/u/.openclaw", "/home/u/.openclaw/openclaw.json", "/home/u/.openclaw/workspace"},
		{"OPENCLAW_PROFILE=work", "/home/u/.openclaw-work", "/home/u/.openclaw-work/openclaw.json", "/home/u/.openclaw-work/workspace"},
		{"OPENCLAW_PROFILE=work OPENCLAW_STATE_DIR=/s", "/s", "/s/openclaw.json", "/s/workspace"},
		{"OPENCLAW_STATE_DIR=~/x", "/home/u/x", "/home/u/x/openclaw.json", "/home/u/x/workspace"},
		{"OPENCLAW_CONFIG_PATH=/etc/o.json", "/home/u/.openclaw", "/etc/o.json", "/home/u/.openclaw/workspace"},
		{"OPENCLAW_WORKSPACE_DIR=~/w OPENCLAW_STATE_DIR=/s", "/s", "/s/openclaw.json", "/home/u/w"},
	} {
		env := map[string]string{}
		for _, v := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		l, err := config.Locate(config.Options{Home: "/home/u", LookupEnv: func(n string) (string, bool) { v, ok := env[n]; return v, ok }})
		if err != nil || l.StateDir != c.state || l.File != c.file || l.Workspace != c.workspace {
			t.Errorf("%s: %+v, %v", c.env, l, err)
		}
	}
	for _, profile := range []string{"../x", "a/b", "a b", "-x", strings.Repeat("x", 65)} {
		_, err := config.Locate(config.Options{Home: "/home/u", LookupEnv: func(n string) (string, bool) { return profile, n == config.EnvProfile }})
		if err == nil {
			t.Errorf("profile %q is accepted", profile)
		}
	}
}

func TestAgentsStandOverTheDefaults(t *testing.T) {
	h := newHome(t, `{
  agents: {
    entries: {
      Ops: { sandbox: { mode: "all", prune: { idleHours: 0 } }, contextInjection: "never" },
      play: { workspace: "~/play" },
    },
    // after the entries, which still begin from here
    defaults: { workspace: "/srv/agents", sandbox: { scope: "agent", prune: { maxAgeDays: 3 } }, bootstrapMaxChars: 100 },
  },
}`, nil)
	c := h.load()
	ops, err := c.Agent("ops")
	if err != nil {
		t.Fatal(err)
	}
	if ops.Sandbox.Mode != "all" || ops.Sandbox.Scope != "agent" || ops.Sandbox.Prune != (config.Prune{IdleHours: 0, MaxAgeDays: 3}) ||
		ops.Workspace != "/srv/agents/ops" || ops.ContextInjection != "never" || ops.BootstrapMaxChars != 100 {
		t.Errorf("ops is %+v", ops)
	}
	play, err := c.Agent("PLAY")
	if err != nil {
		t.Fatal(err)
	}
	if play.Workspace != "/home/u/play" || play.Sandbox.Mode != "non-main" || play.Sandbox.Prune.IdleHours != 24 || play.ContextInjection != "always" {
		t.Errorf("play is %+v", play)
	}
	if _, err := c.Agent("main"); !errors.Is(err, config.ErrNoAgent) || err.Error() != `config: agent "main": no such agent (configured: ops, play)` {
		t.Errorf("an agent that is not configured: %v", err)
	}
	if _, ok := c.DefaultAgent(); ok {
		t.Error("one of several agents is the default")
	}
	for _, id := range []string{"", " ", "../x", "a b"} {
		if _, err := c.Agent(id); err == nil {
			t.Errorf("the id %q is accepted", id)
		}
	}
}

func TestWorkspacesOfAgents(t *testing.T) {
	for _, c := range []struct{ name, text, env, agent, want string }{
		{"no entry", `{}`, "", "main", "$/workspace"},
		{"no entry, variable", `{}`, "/w", "main", "/w"},
		{"defaults beat the variable", `{agents: {defaults: {workspace: "/d"}}}`, "/w", "main", "/d"},
		{"only agent", `{agents: {entries: {a: {}}}}`, "", "a", "$/workspace"},
		{"only agent with its own", `{agents: {entries: {a: {workspace: "/own"}}}}`, "", "a", "/own"},
		{"several", `{agents: {entries: {a: {}, main: {}}}}`, "", "main", "$/workspace-main"},
		{"several below a root", `{agents: {defaults: {workspace: "/d"}, entries: {a: {}, b: {}}}}`, "", "b", "/d/b"},
		{"older list", `{agents: {list: [{id: "a"}, {id: "B", workspace: "/b"}]}}`, "", "b", "/b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, c.text, nil)
			if c.env != "" {
				h.env[config.EnvWorkspaceDir] = c.env
			}
			agent, err := h.load().Agent(c.agent)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.ReplaceAll(c.want, "$", h.dir); agent.Workspace != want {
				t.Errorf("workspace %s, want %s", agent.Workspace, want)
			}
		})
	}
}

func TestIncludesAreMerged(t *testing.T) {
	h := newHome(t, `{
  session: { $include: ["one.json5", "sub/two.json5"], scope: "global" },
  agents: { $include: "./sub/agents.json5" },
}`, map[string]string{
		"one.json5":         `{ scope: "per-sender", reset: { mode: "daily", atHour: 3 } }`,
		"sub/two.json5":     `{ reset: { atHour: 5 } }`,
		"sub/agents.json5":  `{ defaults: { $include: ["../deeper.json5", "../more.json5"] } }`,
		"deeper.json5":      `{ userTimezone: "${ZONE}", skills: ["a"] }`,
		"more.json5":        `{ skills: ["b"] }`,
		".env":              "# zone\nexport ZONE='Europe/Berlin'\n",
		"unrelated/x.json5": `{`,
	})
	c := h.load()
	s := c.Session
	if s.Scope != "global" || s.Reset.AtHour != 5 || s.Reset.Mode != "daily" {
		t.Errorf("session %+v", s)
	}
	if zone := c.Agents.Defaults.UserTimezone; zone != "Europe/Berlin" {
		t.Errorf("the zone is %q", zone)
	}
	if v := c.Value(path(t, "agents.defaults.skills")); v == nil || strings.Join(strings.Fields(v.JSON()), "") != `["a","b"]` {
		t.Errorf("the skills are %v", v)
	}
}

func TestIncludeRootsWidenWhatCanBeIncluded(t *testing.T) {
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "s.json"), []byte(`{scope: "global"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHome(t, `{session: {$include: "`+other+`/s.json"}}`, nil)
	if _, err := config.Load(t.Context(), h.options()); err == nil {
		t.Error("a file outside the configuration's directory is included")
	}
	h.env[config.EnvIncludeRoots] = "/nonexistent:" + other
	if c := h.load(); c.Session.Scope != "global" {
		t.Errorf("scope %q", c.Session.Scope)
	}
}

func TestVariables(t *testing.T) {
	h := newHome(t, `{
  env: { vars: { FROM_FILE: "file", BOTH: "file" } },
  agents: { defaults: { params: { a: ["${SET}-x", "$${SET}", "${lower} $SET $", "${FROM_FILE}", "${BOTH}"] } } },
}`, nil)
	h.env["SET"], h.env["BOTH"] = "v", "process"
	c := h.load()
	got := strings.Trim(fmt.Sprintf("%q", c.Agents.Defaults.Params["a"]), "[]")
	if want := `"v-x" "${SET}" "${lower} $SET $" "file" "process"`; got != want {
		t.Errorf("values %s, want %s", got, want)
	}
	if v, ok := c.LookupEnv("FROM_FILE"); v != "file" || !ok {
		t.Errorf("FROM_FILE is %q", v)
	}
	// What is shown and written has the placeholders.
	if v := c.Value(path(t, "agents.defaults.params.a[0]")); v.Str != "${SET}-x" {
		t.Errorf("shown as %q", v.Str)
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	h := newHome(t, `{ env: { vars: { A: "planted-1", B: "${SET}" } } }`, nil)
	h.env["SET"] = "planted-2"
	c := h.load()
	for _, p := range []string{"env", "env.vars", "env.vars.A", "env.vars.B"} {
		if text := c.Value(path(t, p)).JSON(); strings.Contains(text, "planted") {
			t.Errorf("%s is shown as %s", p, text)
		}
	}
	if v := c.Value(path(t, "env.vars.B")); v.Str != "${SET}" {
		t.Errorf("a placeholder is shown as %q", v.Str)
	}
	h = newHome(t, `{ models: { providers: { p: { apiKey: "planted-3", headers: { X: "planted-4" }, api: "${SET}" } } },
  tools: { params: "planted-5" }, agents: { defaults: { params: { myToken: "planted-6" } } } }`, nil)
	h.env["SET"] = "planted-7"
	_, err := config.LoadFuture(h.options())
	if err == nil || strings.Contains(err.Error(), "planted") {
		t.Errorf("a secret is in %v", err)
	}
}

func TestOriginsNameWhatDecided(t *testing.T) {
	h := newHome(t, "{ agents: {\n  defaults: { sandbox: { mode: 'all', scope: 'agent' } },\n  list: [{ id: 'Ops', sandbox: { mode: 'off' } }],\n} }", nil)
	c := h.load()
	for _, check := range []struct{ key, want string }{
		{"mode", "agents.list[0].sandbox.mode openclaw.json:3:40"},
		{"scope", "agents.defaults.sandbox.scope openclaw.json:2:46"},
		{"workspaceAccess", ""},
	} {
		got := ""
		if path, position, ok := c.AgentOrigin("ops", "sandbox", check.key); ok {
			got = path.String() + " " + strings.ReplaceAll(position.String(), h.dir+"/", "")
		}
		if got != check.want {
			t.Errorf("%s comes from %q, want %q", check.key, got, check.want)
		}
	}
	if _, _, ok := newHome(t, "", nil).load().AgentOrigin("main", "sandbox", "mode"); ok {
		t.Error("a default has a place")
	}
}

func TestTheVariableOfTheWorkspaceIsCheckedToo(t *testing.T) {
	h := newHome(t, "{}", nil)
	h.env[config.EnvWorkspaceDir] = "/"
	_, err := config.Load(t.Context(), h.options())
	if want := "openclaw.json:1:1: the workspace / holds the state directory, which tools must not reach"; strings.Join(h.problems(err), "") != want {
		t.Errorf("%v", err)
	}
}

func TestTheDefaultAgent(t *testing.T) {
	for _, c := range []struct{ entries, want string }{
		{`{}`, "main"},
		{`{ops: {}}`, "ops"},
		{`{ops: {}, Main: {}}`, "main"},
		{`{ops: {}, play: {}}`, ""},
	} {
		h := newHome(t, "{agents: {entries: "+c.entries+"}}", nil)
		if id, ok := h.load().DefaultAgent(); id != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v", c.entries, id, ok)
		}
	}
}

func TestSafeAgentIDs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Ops", "ops"},
		{" My  Agent! ", "my-agent"},
		{"../../etc", "etc"},
		{"日本", ""},
		{"_x_", "x"},
		{strings.Repeat("a", 63) + "-b", strings.Repeat("a", 63)},
	} {
		if got := config.SafeAgentID(c.text); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}

func TestDotEnv(t *testing.T) {
	vars, wrong := config.ParseDotEnv("# c\n\nA=1\r\nexport B = 'x # y' # z\nC=\"q\"\nD=v # note\nE=\n")
	if got := fmt.Sprint(vars, wrong); got != "map[A:1 B:x # y C:q D:v E:] 0" {
		t.Error(got)
	}
	for _, text := range []string{"A", "1A=2", "A B=3", "=x"} {
		if _, wrong := config.ParseDotEnv("OK=1\n" + text); wrong != 2 {
			t.Errorf("%q: line %d", text, wrong)
		}
	}
}
