package skillset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/prompt"
	"openclaw/runtime/skillset"
	"openclaw/runtime/state"
	"openclaw/sandbox"
	"openclaw/skills"
	"openclaw/toolwasm"
)

const (
	mainKey  = "agent:main:main"
	eve      = "agent:main:telegram:group:eve"
	subagent = "agent:main:subagent:0b9f8e2c-3f6f-4f0e-9c63-1d2f6f3a7b11"
)

// machine is a state directory with skills.
type machine struct {
	*testing.T
	dir  string
	conf *config.Config
}

func newMachine(t *testing.T, text string) *machine {
	t.Helper()
	m := &machine{T: t, dir: t.TempDir()}
	m.put("openclaw.json", text)
	m.load()
	return m
}

func (m *machine) load() {
	m.Helper()
	var err error
	m.conf, err = config.Load(m.Context(), config.Options{Home: m.dir, LookupEnv: func(name string) (string, bool) {
		if name == config.EnvStateDir {
			return m.dir, true
		}
		return "", false
	}})
	if err != nil {
		m.Fatal(err)
	}
}

func (m *machine) put(name, text string) {
	m.Helper()
	name = filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
}

func head(name, description string, lines ...string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n" + strings.Join(append(lines, ""), "\n") + "---\nRun {baseDir}/scripts/go.sh and say what it says.\n"
}

func (m *machine) offer(key string) (confinement.Request, *skills.Found) {
	m.Helper()
	r := confinement.Request{Key: key}
	found, err := skillset.Offer(m.Context(), m.conf, &r, skillset.Options{})
	if err != nil {
		m.Fatal(err)
	}
	return r, found
}

// location finds a skill's place in a prompt, as a model does.
func location(text, skill string) string {
	m := regexp.MustCompile(`<name>` + skill + `</name>(?s:.*?)<location>(.*?)</location>`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// TestAModelUsesSkills goes a model's way: it finds a skill in the prompt, reads its SKILL.md, and runs its script.
func TestAModelUsesSkills(t *testing.T) {
	m := newMachine(t, `{skills: {entries: {tea: {env: {KETTLE: "hot", HOME: "/nowhere"}}}}}`)
	m.put("workspace/skills/drinks/tea/SKILL.md", head("tea", "makes tea"))
	m.put("workspace/skills/drinks/tea/scripts/go.sh", `echo "tea $1 $KETTLE $HOME"; cat "$(dirname "$0")/../leaf.txt"; grep -c . /skills/tea/SKILL.md`+"\n")
	m.put("workspace/skills/drinks/tea/leaf.txt", "leaf\n")
	m.put("skills/cake/SKILL.md", head("cake", "makes cake"))
	m.put("skills/cake/scripts/go.sh", "echo cake\n")
	m.put("skills/tea/SKILL.md", head("tea", "the wrong tea"))
	m.put("skills/secret/SKILL.md", head("secret", "for users", "disable-model-invocation: true"))
	m.put("agents/private.txt", "PRIVATE\n")
	if err := os.Symlink("../../../../agents/private.txt", filepath.Join(m.dir, "workspace/skills/drinks/tea/leak")); err != nil {
		t.Fatal(err)
	}
	db, err := state.Open(t.Context(), m.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
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
	opener := confinement.NewOpener(db)
	for _, key := range []string{mainKey, eve, subagent} {
		t.Run(key, func(t *testing.T) {
			r, _ := m.offer(key)
			plan, err := confinement.Decide(m.conf, r)
			if err != nil {
				t.Fatal(err)
			}
			opened, err := opener.Open(t.Context(), plan)
			if err != nil {
				t.Fatal(err)
			}
			defer opened.Close()
			session, err := box.Open(opened.Grant)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()

			text := prompt.Build(prompt.ForSession(plan, opened.Bootstrap, false)).String()
			if strings.Contains(text, "wrong tea") || strings.Contains(text, "for users") || strings.Contains(text, m.dir) {
				t.Errorf("the prompt has what it must not:\n%s", text)
			}
			call := func(tool string, arguments map[string]any) string {
				data, err := json.Marshal(arguments)
				if err != nil {
					t.Fatal(err)
				}
				result, err := toolbox.Call(t.Context(), session, tool, data)
				if err != nil {
					return err.Error()
				}
				return result.Text
			}
			exec := func(script string) string {
				var out strings.Builder
				if _, err := toolbox.Exec(t.Context(), session, toolwasm.Script{Text: script, Stdout: &out, Stderr: &out}); err != nil {
					t.Error(err)
				}
				return out.String()
			}
			for skill, want := range map[string]string{"tea": "tea green hot /workspace\nleaf\n5\n", "cake": "cake\n"} {
				at := location(text, skill)
				if at != "/skills/"+skill+"/SKILL.md" {
					t.Fatalf("%s is at %q", skill, at)
				}
				if got := call(toolwasm.ToolRead, map[string]any{"path": at}); !strings.Contains(got, "Run {baseDir}/scripts/go.sh") {
					t.Errorf("read %s: %s", at, got)
				}
				if got := exec("bash " + strings.TrimSuffix(at, "SKILL.md") + "scripts/go.sh green"); got != want {
					t.Errorf("%s: %q, want %q", skill, got, want)
				}
			}
			if got := exec("sh /skills/secret/scripts/none.sh; cat /skills/secret/SKILL.md | sed -n 2p"); !strings.Contains(got, "name: secret") {
				t.Errorf("a skill that users call: %q", got)
			}
			for script, want := range map[string]string{
				"echo x >> /skills/tea/SKILL.md":        "Read-only file system",
				"rm /skills/cake/scripts/go.sh":         "Read-only file system",
				"mkdir /skills/new":                     "Read-only file system",
				"cat /skills/tea/leak":                  "leak",
				"cat /skills/tea/../../agents/*":        "No such file",
				"ls /skills | tr '\\n' ' '":             "cake secret tea ",
				"cat /skills/cake/../tea/leaf.txt | wc": "1",
			} {
				if got := exec(script); !strings.Contains(got, want) || strings.Contains(got, "PRIVATE") {
					t.Errorf("%s: %q, want %q", script, got, want)
				}
			}
			if got := call(toolwasm.ToolWrite, map[string]any{"path": "/skills/tea/SKILL.md", "content": "x"}); !strings.Contains(got, "ead-only") {
				t.Errorf("write: %s", got)
			}
		})
	}
}

// TestOnlyTheMainSessionChangesSkills has other sessions that work in the agent's workspace.
func TestOnlyTheMainSessionChangesSkills(t *testing.T) {
	m := newMachine(t, `{agents: {defaults: {sandbox: {mode: "off"}}}}`)
	for key, want := range map[string]bool{mainKey: false, eve: true} {
		r, _ := m.offer(key)
		plan, err := confinement.Decide(m.conf, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range []string{"/skills", "/.agents"} {
			if slices.Contains(plan.Mounts[0].Protect, place) != want {
				t.Errorf("%s: %s is protected: %v", key, place, !want)
			}
		}
	}
}

func TestWhatTheConfigurationSays(t *testing.T) {
	m := newMachine(t, `{
  session: { maintenance: { pruneAfter: "9d" } },
  skills: { load: { extraDirs: ["~/more"] }, entries: { off: { enabled: false }, "its-key": { env: { A: "1", B: "2" } }, other: { env: { A: "3", C: "4" } } } },
  agents: { defaults: { skills: ["a", "off", "keyed", "other", "set"] }, entries: { main: {}, ops: { skills: [] } } },
}`)
	m.put("more/a/SKILL.md", head("a", "d"))
	m.put("more/b/SKILL.md", head("b", "d"))
	m.put("more/off/SKILL.md", head("off", "d"))
	m.put("more/keyed/SKILL.md", head("keyed", "d", `metadata: {openclaw: {skillKey: its-key, requires: {env: [A], bins: [jq, "["]}}}`))
	m.put("more/other/SKILL.md", head("other", "d"))
	m.put("more/set/SKILL.md", head("set", "d", `metadata: {openclaw: {requires: {config: [session.maintenance.pruneAfter, skills.entries.off.enabled]}}}`))
	m.put("openclaw-root/x", "")
	r, found := m.offer(mainKey)
	var names []string
	for _, s := range r.Skills {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "a keyed other" {
		t.Errorf("offered %s", got)
	}
	if got := fmt.Sprint(r.Env); got != "[A=1 B=2 C=4]" {
		t.Errorf("variables %s", got)
	}
	if s, _ := found.Skill("set"); !slices.Equal(s.Missing.Config, []string{"skills.entries.off.enabled"}) {
		t.Errorf("missing %+v", s.Missing)
	}
	if r, _ := m.offer("agent:ops:main"); len(r.Skills) != 0 || len(r.Env) != 0 {
		t.Errorf("the other agent is offered %+v", r)
	}
}

func TestProgramsCountAsCommands(t *testing.T) {
	m := newMachine(t, "{}")
	m.put("skills/py/SKILL.md", head("py", "d", "metadata: {openclaw: {requires: {bins: [python3]}}}"))
	for _, installed := range []bool{false, true} {
		r := confinement.Request{}
		_, err := skillset.Offer(t.Context(), m.conf, &r, skillset.Options{HasProgram: func(name string) bool { return installed && name == "python3" }})
		if err != nil || (len(r.Skills) == 1) != installed {
			t.Errorf("installed %v: %+v, %v", installed, r.Skills, err)
		}
	}
}

// TestTheStateIsNoSkill has a configuration that would mount the runtime's own directories.
func TestTheStateIsNoSkill(t *testing.T) {
	m := newMachine(t, `{skills: {load: {extraDirs: ["~", "~/agents", "~/sandboxes"]}}, agents: {entries: {main: {}, b: {}}}}`)
	m.put("SKILL.md", head("all", "d"))
	m.put("agents/a/SKILL.md", head("agents", "d"))
	m.put("sandboxes/s/SKILL.md", head("sandboxes", "d"))
	m.put("workspace-b/SKILL.md", head("b", "d"))
	if err := os.MkdirAll(filepath.Join(m.dir, "skills"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../workspace-b", filepath.Join(m.dir, "skills", "b")); err != nil {
		t.Fatal(err)
	}
	r, found := m.offer("agent:main:main")
	if len(r.Skills) != 0 {
		t.Errorf("offered %+v", r.Skills)
	}
	if n := len(found.Problems); n < 4 {
		t.Errorf("problems %+v", found.Problems)
	}
}

func TestSnapshots(t *testing.T) {
	m := newMachine(t, "{}")
	m.put("skills/tea/SKILL.md", head("tea", "makes tea", "metadata: {openclaw: {always: true, primaryEnv: KETTLE, requires: {env: [KETTLE]}}}"))
	m.put("skills/secret/SKILL.md", head("secret", "hidden", "disable-model-invocation: true"))
	refresh := func(old *skills.Snapshot) (*skills.Snapshot, bool) {
		t.Helper()
		_, found := m.offer(mainKey)
		agent, err := m.conf.Agent("main")
		if err != nil {
			t.Fatal(err)
		}
		return skillset.Refresh(old, found, m.conf, agent, 0)
	}
	first, changed := refresh(nil)
	if !changed || !strings.Contains(first.Prompt, "makes tea") || strings.Contains(first.Prompt, "secret") || len(first.Skills) != 2 {
		t.Errorf("%+v", first)
	}
	data, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	stored := new(skills.Snapshot)
	if err := json.Unmarshal(data, stored); err != nil {
		t.Fatal(err)
	}
	if s := stored.Skills[1]; s.Name != "tea" || s.PrimaryEnv != "KETTLE" || !slices.Equal(s.RequiredEnv, []string{"KETTLE"}) {
		t.Errorf("%s", data)
	}
	if _, changed := refresh(stored); changed {
		t.Error("nothing changed")
	}
	m.put("skills/tea/SKILL.md", head("tea", "makes green tea", "metadata: {openclaw: {always: true}}"))
	if s, changed := refresh(stored); !changed || !strings.Contains(s.Prompt, "green") {
		t.Errorf("a change is missed: %+v", s)
	}
	m.put("openclaw.json", "{skills: {load: {watch: false}}}")
	m.load()
	if s, changed := refresh(stored); changed || s != stored {
		t.Error("the session does not keep its list")
	}
	m.put("openclaw.json", "{skills: {load: {watch: false}}, agents: {defaults: {skills: []}}}")
	m.load()
	if s, changed := refresh(stored); !changed || s.Prompt != "" || s.Filter == nil {
		t.Errorf("a new list of the agent's: %+v", s)
	}
}
