package confinement_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/state"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// machine is a state directory under test.
type machine struct {
	*testing.T
	state  string
	conf   *config.Config
	db     *state.DB
	opener *confinement.Opener
}

func load(t *testing.T, stateDir, text string) (*config.Config, error) {
	t.Helper()
	if text != "" {
		put(t, filepath.Join(stateDir, "openclaw.json"), text)
	}
	return config.Load(t.Context(), config.Options{Home: t.TempDir(), LookupEnv: func(name string) (string, bool) {
		if name == config.EnvStateDir {
			return stateDir, true
		}
		return "", false
	}})
}

func newMachine(t *testing.T, text string) *machine {
	t.Helper()
	m := &machine{T: t, state: t.TempDir()}
	var err error
	if m.conf, err = load(t, m.state, text); err != nil {
		t.Fatal(err)
	}
	if m.db, err = state.Open(t.Context(), m.state); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.db.Close() })
	m.opener = confinement.NewOpener(m.db)
	return m
}

func (m *machine) decide(key string) *confinement.Plan {
	m.Helper()
	p, err := confinement.Decide(m.conf, confinement.Request{Key: key})
	if err != nil {
		m.Fatal(err)
	}
	return p
}

func (m *machine) open(key string) *confinement.Opened {
	m.Helper()
	o, err := m.opener.Open(m.Context(), m.decide(key))
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(o.Close)
	return o
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	mainKey  = "agent:main:main"
	eve      = "agent:main:telegram:group:eve"
	mallory  = "agent:main:telegram:direct:mallory"
	subagent = "agent:main:subagent:0b9f8e2c-3f6f-4f0e-9c63-1d2f6f3a7b11"
)

// mounts is what a session sees, in short.
func mounts(p *confinement.Plan) string {
	var list []string
	for _, m := range p.Mounts {
		host := "own"
		if m.Host == p.Agent.Workspace {
			host = "agent"
		}
		text := m.Guest + "=" + host + ":" + m.Access.String()
		if len(m.Protect) > 0 {
			text += "+"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

func TestWhatIsMounted(t *testing.T) {
	const (
		own, agent, guarded = "/workspace=own:rw+", "/workspace=agent:rw", "/workspace=agent:rw+"
	)
	for _, c := range []struct{ mode, access, main, other string }{
		{"", "", agent, own},
		{"non-main", "none", agent, own},
		{"non-main", "ro", agent, own + " /agent=agent:ro"},
		{"non-main", "rw", agent, guarded},
		{"off", "none", agent, guarded},
		{"off", "ro", agent, guarded},
		{"all", "none", own, own},
		{"all", "ro", own + " /agent=agent:ro", own + " /agent=agent:ro"},
		{"all", "rw", agent, guarded},
	} {
		t.Run(c.mode+" "+c.access, func(t *testing.T) {
			text := fmt.Sprintf(`{agents: {defaults: {sandbox: {mode: %q, workspaceAccess: %q}}}}`, c.mode, c.access)
			if c.mode == "" {
				text = "{}"
			}
			m := newMachine(t, text)
			if got := mounts(m.decide(mainKey)); got != c.main {
				t.Errorf("main: %s, want %s", got, c.main)
			}
			for _, key := range []string{eve, mallory, subagent, "agent:main:cron:nightly", "agent:main:discord:channel:general", mainKey + ":thread:7", "agent:main:work"} {
				if got := mounts(m.decide(key)); got != c.other {
					t.Errorf("%s: %s, want %s", key, got, c.other)
				}
			}
		})
	}
}

func TestScopesShareDirectories(t *testing.T) {
	for _, c := range []struct {
		scope        string
		same, agents bool // sessions of one agent share; agents share
	}{{"session", false, false}, {"agent", true, false}, {"shared", true, true}} {
		m := newMachine(t, fmt.Sprintf(`{agents: {defaults: {sandbox: {scope: %q}}, entries: {main: {}, ops: {}}}}`, c.scope))
		a, b, other := m.decide(eve), m.decide(mallory), m.decide("agent:ops:telegram:group:eve")
		if same := a.Mounts[0].Host == b.Mounts[0].Host; same != c.same {
			t.Errorf("%s: two sessions share: %v", c.scope, same)
		}
		if same := a.Mounts[0].Host == other.Mounts[0].Host; same != c.agents {
			t.Errorf("%s: two agents share: %v", c.scope, same)
		}
	}
}

func TestSettingsNameTheirSource(t *testing.T) {
	m := newMachine(t, `{agents: {defaults: {sandbox: {mode: "all"}}, entries: {Ops: {sandbox: {workspaceAccess: "ro"}}, main: {}}}}`)
	p := m.decide("agent:ops:main")
	for _, c := range []struct {
		got         confinement.Setting
		value, from string
	}{
		{p.Mode, "all", "agents.defaults.sandbox.mode"},
		{p.Access, "ro", "agents.entries.Ops.sandbox.workspaceAccess"},
		{p.Scope, "session", "default"},
	} {
		if c.got.Value != c.value || c.got.Source != c.from {
			t.Errorf("%+v, want %s from %s", c.got, c.value, c.from)
		}
	}
}

func TestContainersAreRefused(t *testing.T) {
	for _, backend := range []string{"docker", "podman", "ssh"} {
		_, err := load(t, t.TempDir(), fmt.Sprintf(`{agents: {defaults: {sandbox: {backend: %q}}}}`, backend))
		if err == nil || !strings.Contains(err.Error(), "tools run inside WebAssembly") {
			t.Errorf("%s: %v", backend, err)
		}
	}
	m := newMachine(t, "{}")
	m.conf.Agents.Defaults.Sandbox.Backend = "docker" // whatever the configuration lets through
	if _, err := confinement.Decide(m.conf, confinement.Request{}); err == nil || !strings.Contains(err.Error(), "docker") {
		t.Errorf("error %v", err)
	}
}

func TestSessionsOfOthersAreRefused(t *testing.T) {
	m := newMachine(t, `{agents: {entries: {main: {}, ops: {}}}}`)
	for _, r := range []confinement.Request{
		{Agent: "ops", Key: mainKey}, {Key: "agent:none:main"}, {Key: "agent:main:../../x\x00"}, {Key: "x"}, {Agent: "none"},
	} {
		if _, err := confinement.Decide(m.conf, r); err == nil {
			t.Errorf("%+v: no error", r)
		}
	}
}

func TestStateIsNeverMounted(t *testing.T) {
	m := newMachine(t, "{}")
	outside := filepath.Join(t.TempDir(), "ws")
	for name, target := range map[string]string{"the state directory": m.state, "its database": filepath.Join(m.state, "state"), "above it": filepath.Dir(m.state)} {
		os.Remove(outside)
		if err := os.Symlink(target, outside); err != nil {
			t.Fatal(err)
		}
		m.conf.Agents.Defaults.Workspace = outside
		if _, err := m.opener.Open(t.Context(), m.decide(mainKey)); err == nil || !strings.Contains(err.Error(), "tools must not reach it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	link := filepath.Join(t.TempDir(), "boxes")
	if err := os.Symlink(filepath.Join(m.state, "workspace", "boxes"), link); err != nil {
		t.Fatal(err)
	}
	m = newMachine(t, fmt.Sprintf(`{agents: {defaults: {sandbox: {workspaceRoot: %q}}}}`, link))
	m.conf.Agents.Defaults.Workspace = filepath.Dir(func() string { s, _ := os.Readlink(link); return s }())
	if _, err := m.opener.Open(t.Context(), m.decide(eve)); err == nil {
		t.Error("session directories inside the workspace")
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, strings.TrimSuffix(e.Name(), ".md"))
	}
	return list
}

func TestSessionDirectoriesHoldTheirBootstrapFiles(t *testing.T) {
	for _, c := range []struct{ scope, key, want string }{
		{"session", eve, "AGENTS IDENTITY SOUL USER"},
		{"session", mallory, "AGENTS IDENTITY SOUL USER"},
		{"session", subagent, "AGENTS"},
		{"session", "agent:main:cron:nightly", "AGENTS IDENTITY SOUL USER"},
		{"agent", subagent, "AGENTS IDENTITY SOUL USER"},
		{"shared", eve, ""},
	} {
		m := newMachine(t, fmt.Sprintf(`{agents: {defaults: {sandbox: {scope: %q}}}}`, c.scope))
		put(t, filepath.Join(m.state, "workspace", "MEMORY.md"), "the user's secret\n")
		o := m.open(c.key)
		if got := strings.Join(names(t, o.Grant.Mounts[0].Host), " "); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.scope, c.key, got, c.want)
		}
	}
}

func TestAMainSessionOfItsOwnHasItsMemory(t *testing.T) {
	m := newMachine(t, `{agents: {defaults: {sandbox: {mode: "all"}}}}`)
	put(t, filepath.Join(m.state, "workspace", "MEMORY.md"), "tea at five\n")
	if got := names(t, m.open(mainKey).Grant.Mounts[0].Host); !slices.Contains(got, "MEMORY") {
		t.Errorf("files %q", got)
	}
}

func TestAVanishedWorkspaceIsRefused(t *testing.T) {
	m := newMachine(t, "{}")
	m.open(mainKey).Close()
	os.RemoveAll(filepath.Join(m.state, "workspace"))
	for _, key := range []string{mainKey, eve} {
		_, err := m.opener.Open(t.Context(), m.decide(key))
		if err == nil || !strings.Contains(err.Error(), "missing or empty") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestSkillsAreMountedReadOnly(t *testing.T) {
	m := newMachine(t, "{}")
	p, err := confinement.Decide(m.conf, confinement.Request{
		Key: eve, Skills: []confinement.Skill{{Name: "tea", Dir: t.TempDir(), File: "SKILL.md"}}, Env: []string{"KETTLE=hot"},
	})
	if err != nil || p.Mounts[1].Guest != "/skills/tea" || p.Mounts[1].Access != sandbox.ReadOnly || p.Skills[0].Location() != "/skills/tea/SKILL.md" {
		t.Errorf("%+v, %v", p, err)
	}
	o, err := m.opener.Open(t.Context(), p)
	if err != nil || !slices.Equal(o.Grant.Env, []string{"KETTLE=hot"}) {
		t.Fatalf("grant %+v, %v", o, err)
	}
	o.Close()
	for _, name := range []string{"", "..", "a/b", "/etc"} {
		if _, err := confinement.Decide(m.conf, confinement.Request{Skills: []confinement.Skill{{Name: name, Dir: "/"}}}); err == nil {
			t.Errorf("skill %q", name)
		}
	}
}

// room is a session with its tools.
type room struct {
	*testing.T
	toolbox *toolwasm.Toolbox
	session *sandbox.Session
	dir     string
}

func (r *room) exec(script string) (output string, status int) {
	r.Helper()
	var out strings.Builder
	result, err := r.toolbox.Exec(r.Context(), r.session, toolwasm.Script{Text: script, Stdout: &out, Stderr: &out})
	if err != nil {
		r.Error(err)
		return "", -1
	}
	return out.String(), result.ExitCode
}

func (r *room) call(tool string, arguments map[string]any) *toolwasm.ToolResult {
	r.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		r.Fatal(err)
	}
	result, err := r.toolbox.Call(r.Context(), r.session, tool, data)
	if err != nil {
		r.Error(err)
		return &toolwasm.ToolResult{Failed: true}
	}
	return result
}

// TestStrangersAndMainSeeOnlyTheirOwn runs three sessions at once, through every tool.
func TestStrangersAndMainSeeOnlyTheirOwn(t *testing.T) {
	m := newMachine(t, "{}")
	engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close(context.Background()) })
	box := sandbox.New(engine)
	toolbox, err := toolwasm.Load(t.Context(), box)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(m.state, "workspace", "MEMORY.md"), "PRIVATE memory\n")
	rooms := map[string]*room{}
	for _, key := range []string{mainKey, eve, mallory} {
		o := m.open(key)
		s, err := box.Open(o.Grant)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		rooms[key] = &room{t, toolbox, s, o.Grant.Mounts[0].Host}
	}
	var group sync.WaitGroup
	for key, r := range rooms {
		group.Go(func() { live(r, key) })
	}
	group.Wait()
	for key, r := range rooms {
		peek(r, key, rooms)
	}
	if data, err := os.ReadFile(filepath.Join(m.state, "workspace", "AGENTS.md")); err != nil || !strings.HasPrefix(string(data), "changed by the owner") {
		t.Errorf("AGENTS.md is %.40q, %v", data, err)
	}
}

// live writes what only this session may have.
func live(r *room, key string) {
	mark := "MARK-" + key
	for i := range 10 {
		name := fmt.Sprintf("notes/%d.txt", i)
		if result := r.call(toolwasm.ToolWrite, map[string]any{"path": name, "content": mark + "\n"}); result.Failed {
			r.Errorf("%s: write: %s", key, result.Text)
		}
		if result := r.call(toolwasm.ToolEdit, map[string]any{"path": name, "edits": []map[string]string{{"oldText": "MARK", "newText": "MARK2"}}}); result.Failed {
			r.Errorf("%s: edit: %s", key, result.Text)
		}
	}
	if out, status := r.exec("echo " + mark + " > /tmp/private; echo " + mark + " > same-name.txt; cat notes/*.txt | sort -u"); status != 0 || strings.TrimSpace(out) != "MARK2-"+key {
		r.Errorf("%s: status %d, %q", key, status, out)
	}
	protected := []string{"AGENTS.md", "MEMORY.md", "BOOTSTRAP.md", "TOOLS.md"}
	for _, name := range protected {
		result := r.call(toolwasm.ToolWrite, map[string]any{"path": name, "content": "changed by the owner\n"})
		if owner := key == mainKey; result.Failed == owner {
			r.Errorf("%s: write %s: failed is %v: %s", key, name, result.Failed, result.Text)
		}
	}
	if key == mainKey {
		return
	}
	for _, script := range []string{
		"echo x >> AGENTS.md", "rm -f AGENTS.md", "mv AGENTS.md a", "ln -sf /tmp/private SOUL.md", "chmod 777 USER.md", "mkdir MEMORY.md", "echo x > agents.md",
		"touch BOOTSTRAP.md", "ln AGENTS.md b", "sed -i s/a/b/ IDENTITY.md", "truncate -s 0 SOUL.md", "mkdir d && mv d TOOLS.md",
	} {
		if out, status := r.exec(script); status == 0 {
			r.Errorf("%s: %s succeeded: %s", key, script, out)
		}
	}
	if result := r.call(toolwasm.ToolApplyPatch, map[string]any{"input": "*** Begin Patch\n*** Delete File: AGENTS.md\n*** End Patch"}); !result.Failed {
		r.Errorf("%s: a patch deleted AGENTS.md", key)
	}
}

// peek looks for what belongs to others.
func peek(r *room, key string, rooms map[string]*room) {
	out, status := r.exec("cat AGENTS.md; grep -rl . / 2>/dev/null | grep -v ^/dev/ | sort; cat same-name.txt /tmp/private; find / -name '*.sqlite' -o -name openclaw.json; ls -a /")
	if status != 0 {
		r.Errorf("%s: status %d: %s", key, status, out)
	}
	for other, theirs := range rooms {
		if other == key {
			continue
		}
		if strings.Contains(out, "MARK-"+other) || strings.Contains(out, "MARK2-"+other) {
			r.Errorf("%s sees what %s wrote:\n%s", key, other, out)
		}
		for _, path := range []string{theirs.dir + "/same-name.txt", "../sandboxes/" + filepath.Base(theirs.dir) + "/same-name.txt", "../../workspace/../" + filepath.Base(filepath.Dir(theirs.dir))} {
			if result := r.call(toolwasm.ToolRead, map[string]any{"path": path}); !result.Failed {
				r.Errorf("%s reads %s", key, path)
			}
			if _, status := r.exec("cat '" + path + "'"); status == 0 {
				r.Errorf("%s reads %s with cat", key, path)
			}
		}
		r.exec("ln -s " + theirs.dir + " link; cat link/same-name.txt > stolen")
		if data, err := os.ReadFile(filepath.Join(r.dir, "stolen")); err == nil && len(data) > 0 {
			r.Errorf("%s stole %q", key, data)
		}
	}
	if key != mainKey && strings.Contains(out, "PRIVATE") || strings.Contains(out, "sqlite") || strings.Contains(out, "openclaw.json") {
		r.Errorf("%s sees:\n%s", key, out)
	}
	if key == mainKey && !strings.Contains(out, "changed by the owner") {
		r.Errorf("the main session does not see its own file:\n%s", out)
	}
}

func TestReadOnlyAgentIsVisibleAndFixed(t *testing.T) {
	m := newMachine(t, `{agents: {defaults: {sandbox: {workspaceAccess: "ro"}}}}`)
	engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close(context.Background())
	box := sandbox.New(engine)
	toolbox, err := toolwasm.Load(t.Context(), box)
	if err != nil {
		t.Fatal(err)
	}
	o := m.open(eve)
	put(t, filepath.Join(m.state, "workspace", "plan.txt"), "the plan\n")
	s, err := box.Open(o.Grant)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := &room{t, toolbox, s, o.Grant.Mounts[0].Host}
	if out, status := r.exec("cat /agent/plan.txt && echo own > own.txt && ls"); status != 0 || !strings.HasPrefix(out, "the plan\n") {
		t.Errorf("status %d, %s", status, out)
	}
	if out, status := r.exec("echo x > /agent/plan.txt"); status == 0 {
		t.Errorf("changed: %s", out)
	}
}

func TestOpeningPrunes(t *testing.T) {
	m := newMachine(t, `{agents: {defaults: {sandbox: {prune: {idleHours: 1}}}}}`)
	now := time.Now()
	m.opener.Dirs.Now = func() time.Time { return now }
	old := m.open(eve)
	old.Close()
	now = now.Add(2 * time.Hour)
	m.opener = confinement.NewOpener(m.db) // another process
	m.opener.Dirs.Now = func() time.Time { return now }
	m.open(mallory)
	if _, err := os.Stat(old.Grant.Mounts[0].Host); err == nil {
		t.Error("an idle directory is still there")
	}
	if dirs, err := confinement.Directories(t.Context(), m.db); err != nil || len(dirs) != 1 || !dirs[0].InUse || !dirs[0].There {
		t.Errorf("%+v, %v", dirs, err)
	}
}

func TestSelect(t *testing.T) {
	m := newMachine(t, `{agents: {entries: {main: {}, ops: {sandbox: {scope: "agent"}}}}}`)
	for _, key := range []string{eve, mallory, "agent:ops:telegram:group:eve"} {
		m.open(key).Close()
	}
	for _, c := range []struct {
		s    confinement.Selection
		want int
	}{
		{confinement.Selection{All: true}, 3},
		{confinement.Selection{Agent: "main"}, 2},
		{confinement.Selection{Session: eve}, 1},
		{confinement.Selection{Session: "agent:ops:telegram:group:other"}, 1}, // it uses the agent's
		{confinement.Selection{Session: mainKey}, 0},
	} {
		dirs, err := confinement.Select(t.Context(), m.conf, m.db, c.s)
		if err != nil || len(dirs) != c.want {
			t.Errorf("%+v: %d, %v", c.s, len(dirs), err)
		}
	}
	if _, err := confinement.Select(t.Context(), m.conf, m.db, confinement.Selection{}); err == nil {
		t.Error("nothing selects something")
	}
}
