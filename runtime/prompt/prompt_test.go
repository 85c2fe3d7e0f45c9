package prompt_test

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/prompt"
	"openclaw/runtime/session"
	"openclaw/runtime/state"
	"openclaw/workspace"
)

// machine is a state directory under test.
type machine struct {
	*testing.T
	state string
	conf  *config.Config
}

func newMachine(t *testing.T, text string) *machine {
	t.Helper()
	m := &machine{T: t, state: t.TempDir()}
	m.put("openclaw.json", text)
	conf, err := config.Load(t.Context(), config.Options{Home: t.TempDir(), LookupEnv: func(name string) (string, bool) {
		if name == config.EnvStateDir {
			return m.state, true
		}
		return "", false
	}})
	if err != nil {
		t.Fatal(err)
	}
	m.conf = conf
	return m
}

func (m *machine) put(name, text string) {
	m.Helper()
	name = filepath.Join(m.state, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		m.Fatal(err)
	}
}

// seed sets the default workspace up.
func (m *machine) seed() {
	m.Helper()
	db, err := state.Open(m.Context(), m.state)
	if err != nil {
		m.Fatal(err)
	}
	defer db.Close()
	agent, err := m.conf.Agent("main")
	if err != nil {
		m.Fatal(err)
	}
	if _, err := (&workspace.Seeder{Store: db}).Seed(m.Context(), agent.Workspace, confinement.SeedOptions(agent)); err != nil {
		m.Fatal(err)
	}
}

func (m *machine) look(key string) *prompt.Preview {
	m.Helper()
	p, err := prompt.Look(m.Context(), m.conf, confinement.Request{Key: key})
	if err != nil {
		m.Fatal(err)
	}
	return p
}

const (
	mainKey = "agent:main:main"
	group   = "agent:main:telegram:group:7"
)

func partNames(p prompt.Prompt) []string {
	var names []string
	for _, part := range p.Parts {
		names = append(names, part.Name)
	}
	return names
}

// everything is an input that has every part.
func everything() prompt.Input {
	style := "Be brief."
	return prompt.Input{
		Mode:          prompt.Full,
		Tools:         []prompt.Tool{{Name: "zoom", Summary: "z"}, {Name: "exec", Summary: "run"}, {Name: "read", Summary: "look"}, {Name: "alarm", Summary: "a"}},
		Skills:        []prompt.Skill{{Name: "tea", Description: "makes tea", Location: "/skills/tea/SKILL.md"}},
		Aliases:       []prompt.Alias{{Name: "small", Model: "acme/s"}, {Name: "big", Model: "acme/b"}},
		Place:         prompt.Place{Workspace: "/workspace", Protected: true, AgentDir: "/agent"},
		Bootstrap:     workspace.Fit([]workspace.Source{{Name: "SOUL.md", Status: workspace.StatusPresent, Text: strings.Repeat("calm ", 9000)}}, "/workspace", workspace.Budget{}),
		Pending:       prompt.PendingFull,
		ReasoningTags: true,
		Overrides:     prompt.Overrides{InteractionStyle: &style, StablePrefix: "Prefix.", DynamicSuffix: "Suffix."},
		Now:           time.Date(2031, 5, 17, 23, 30, 0, 0, time.UTC),
		Zone:          time.FixedZone("Europe/Nowhere", 3600),
		Agent:         "main", Session: group, SessionID: "id", Model: "acme/b", Channel: "telegram", Extra: "A group of gardeners.", Thinking: "low",
	}
}

func TestPartsHaveAFixedOrder(t *testing.T) {
	p := prompt.Build(everything())
	want := []string{
		prompt.PartIdentity, prompt.PartTooling, prompt.PartInteraction, prompt.PartToolCalls, prompt.PartExecution, prompt.PartPromises, prompt.PartPrefix,
		prompt.PartSafety, prompt.PartSkills, prompt.PartAliases, prompt.PartWorkspace, prompt.PartSandbox, prompt.PartPending, prompt.PartNotice,
		prompt.PartFiles, prompt.PartReasoning, prompt.PartProjectContext, prompt.PartTime, prompt.PartConversation, prompt.PartSuffix, prompt.PartRuntime,
	}
	if got := partNames(p); !slices.Equal(got, want) {
		t.Errorf("parts %q", got)
	}
	if p.String() != p.Stable()+"\n\n"+p.Volatile() {
		t.Error("the stable part is not the beginning of the prompt")
	}
	if got := p.Part(prompt.PartTooling); !strings.Contains(got, "- read: look\n- exec: run\n- alarm: a\n- zoom: z") {
		t.Errorf("tools:\n%s", got)
	}
	if got := p.Part(prompt.PartTime); !strings.Contains(got, "Sunday, 2031-05-18 (Europe/Nowhere)") || strings.Contains(got, ":30") {
		t.Errorf("time: %s", got)
	}
	if !strings.Contains(p.Volatile(), "agent=main | session="+group) || !strings.Contains(p.Part(prompt.PartNotice), "shortened") {
		t.Errorf("prompt:\n%s", p)
	}
}

func TestModesLeavePartsOut(t *testing.T) {
	in := everything()
	in.Mode = prompt.Minimal
	p := prompt.Build(in)
	for _, name := range []string{prompt.PartExecution, prompt.PartAliases} {
		if p.Part(name) != "" {
			t.Errorf("a sub-agent has %s", name)
		}
	}
	if !strings.Contains(p.Part(prompt.PartConversation), "Subagent Context") {
		t.Error("the context of a sub-agent has another name")
	}
	in.Mode = prompt.None
	if got := partNames(prompt.Build(in)); !slices.Equal(got, []string{prompt.PartIdentity, prompt.PartRuntime}) {
		t.Errorf("none: %q", got)
	}
	in = everything()
	in.Tools = nil
	if prompt.Build(in).Part(prompt.PartSkills) != "" {
		t.Error("skills are listed for a session that cannot read them")
	}
}

// TestStablePartIsTheSameOverManyTurns changes everything that changes between turns.
func TestStablePartIsTheSameOverManyTurns(t *testing.T) {
	m := newMachine(t, "{}")
	m.seed()
	m.put("workspace/MEMORY.md", strings.Repeat("remember 😀 ", 4000))
	for _, key := range []string{mainKey, group} {
		var first string
		hashes := map[string]bool{}
		for turn := range 50 {
			p := m.look(key)
			p.Input.Now = time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(turn) * 31 * time.Hour)
			p.Input.Model, p.Input.Thinking = fmt.Sprintf("acme/%d", turn%3), []string{"low", "high"}[turn%2]
			p.Input.SessionID, p.Input.Extra = fmt.Sprint("id-", turn), fmt.Sprint("message ", turn)
			slices.Reverse(p.Input.Tools) // the order of a map, say
			built := prompt.Build(p.Input)
			if turn == 0 {
				first = built.Stable()
			}
			if built.Stable() != first || !strings.HasPrefix(built.String(), first) {
				t.Fatalf("%s: turn %d has another stable part", key, turn)
			}
			hashes[built.Hash()] = true
		}
		if len(hashes) != 1 || len(first) < 2000 {
			t.Errorf("%s: %d hashes, %d bytes", key, len(hashes), len(first))
		}
	}
}

func TestNoHostPathIsInThePrompt(t *testing.T) {
	m := newMachine(t, `{agents: {defaults: {sandbox: {workspaceAccess: "ro"}}}}`)
	m.seed()
	os.Symlink("/etc/passwd", filepath.Join(m.state, "workspace", "MEMORY.md"))
	os.Remove(filepath.Join(m.state, "workspace", "SOUL.md"))
	for _, key := range []string{mainKey, group} {
		if p := m.look(key).Prompt.String(); strings.Contains(p, m.state) || strings.Contains(p, "root:") {
			t.Errorf("%s:\n%s", key, p)
		}
	}
}

func TestBootstrapFilesOfEachSession(t *testing.T) {
	m := newMachine(t, "{}")
	m.seed()
	m.put("workspace/MEMORY.md", "PRIVATE\n")
	m.put("workspace/TOOLS.md", "the old tools\n")
	for key, want := range map[string][]string{
		mainKey:                     {"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "BOOTSTRAP.md", "MEMORY.md"},
		group:                       {"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "BOOTSTRAP.md"},
		"agent:main:cron:nightly":   {"AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md"},
		"agent:main:subagent:1-2-3": {"AGENTS.md"},
	} {
		p := m.look(key)
		context := p.Prompt.Part(prompt.PartProjectContext)
		at := 0
		for _, name := range workspace.BootstrapFiles() {
			i := strings.Index(context, "\n## /workspace/"+name+"\n")
			if slices.Contains(want, name) != (i >= 0) || i >= 0 && i < at {
				t.Errorf("%s: %s at %d after %d", key, name, i, at)
			}
			at = max(at, i)
		}
	}
}

func TestPendingFollowsTheSession(t *testing.T) {
	m := newMachine(t, "{}")
	m.seed()
	for key, want := range map[string]prompt.Pending{mainKey: prompt.PendingFull, group: prompt.PendingLimited, "agent:main:cron:x": prompt.NotPending} {
		if p := m.look(key); p.Input.Pending != want || (p.Prompt.Part(prompt.PartPending) == "") != (want == prompt.NotPending) {
			t.Errorf("%s: %q", key, p.Input.Pending)
		}
	}
	os.Remove(filepath.Join(m.state, "workspace", "BOOTSTRAP.md"))
	m.seed()
	if p := m.look(mainKey); p.Input.Pending != prompt.NotPending || strings.Contains(p.Prompt.String(), "BOOTSTRAP.md\n") {
		t.Errorf("after the end: %q", p.Input.Pending)
	}
}

func TestSkipMeansNothingIsInjected(t *testing.T) {
	for _, text := range []string{`{agents: {defaults: {skipBootstrap: true}}}`, `{agents: {defaults: {contextInjection: "never"}}}`} {
		m := newMachine(t, text)
		for _, name := range workspace.BootstrapFiles() {
			m.put("workspace/"+name, "SECRET")
		}
		p := m.look(mainKey)
		if p.Injected || strings.Contains(p.Prompt.String(), "SECRET") || p.Prompt.Part(prompt.PartFiles) != "" || len(p.Input.Bootstrap.Warnings) > 0 {
			t.Errorf("%s:\n%s", text, p.Prompt)
		}
	}
}

func TestTrimmingIsInThePromptEveryTime(t *testing.T) {
	m := newMachine(t, `{agents: {defaults: {bootstrapMaxChars: 12000}}}`)
	m.seed()
	m.put("workspace/MEMORY.md", strings.Repeat("m", 14_000))
	for range 3 {
		p := m.look(mainKey)
		if !strings.Contains(p.Prompt.Part(prompt.PartProjectContext), "[…truncated: read MEMORY.md") || p.Prompt.Part(prompt.PartNotice) == "" {
			t.Error("the cut is silent")
		}
		s := prompt.Measure(p.Input, p.Prompt)
		if len(s.Warnings) != 1 || s.Warnings[0].Name != "MEMORY.md" || s.FileLimit != 12_000 {
			t.Errorf("%+v", s.Warnings)
		}
	}
}

func TestSizesAddUp(t *testing.T) {
	in := everything()
	p := prompt.Build(in)
	s := prompt.Measure(in, p)
	sum := 0
	for _, part := range s.Parts {
		sum += part.Chars
	}
	if s.Chars != workspace.Chars(p.String()) || sum+2*(len(s.Parts)-1) != s.Chars || s.StableHash != p.Hash() || s.ContextPart < 19_000 {
		t.Errorf("%+v", s)
	}
}

func branch(entries ...session.Entry) iter.Seq2[session.Entry, error] {
	return func(yield func(session.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestFullContextIsFoundOnTheBranch(t *testing.T) {
	mark, err := prompt.FullContext{Timestamp: time.Now(), RunID: "r", SessionID: "s"}.Entry()
	if err != nil {
		t.Fatal(err)
	}
	other, err := session.NewEntry(session.TypeCustom, map[string]string{"customType": "something"})
	if err != nil {
		t.Fatal(err)
	}
	message := session.Entry{Type: session.TypeMessage}
	compaction, reset := session.Entry{Type: session.TypeCompaction}, session.Entry{Type: session.TypeReset}
	failing := func(yield func(session.Entry, error) bool) {
		if yield(session.Entry{}, errors.New("damaged")) {
			yield(mark, nil)
		}
	}
	for _, c := range []struct {
		name   string
		branch iter.Seq2[session.Entry, error]
		want   bool
	}{
		{"nothing", branch(), false},
		{"newest", branch(mark), true},
		{"behind others", branch(message, other, message, mark, reset), true},
		{"behind a compaction", branch(message, compaction, mark), false},
		{"behind a reset", branch(reset, mark), false},
		{"the 500th", branch(append(slices.Repeat([]session.Entry{message}, 499), mark)...), true},
		{"the 501st", branch(append(slices.Repeat([]session.Entry{message}, 500), mark)...), false},
		{"cannot be read", failing, false},
	} {
		if got := prompt.HasFullContext(c.branch); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if got := prompt.Inject(config.InjectContinuationSkip, prompt.NotPending, c.branch); got == c.want {
			t.Errorf("%s: injected is %v", c.name, got)
		}
		if !prompt.Inject(config.InjectContinuationSkip, prompt.PendingFull, c.branch) || !prompt.Inject(config.InjectAlways, prompt.NotPending, c.branch) ||
			prompt.Inject(config.InjectNever, prompt.PendingFull, c.branch) {
			t.Errorf("%s: wrong in another mode", c.name)
		}
	}
}

func TestContinuationSkipReadsTheTranscript(t *testing.T) {
	m := newMachine(t, `{agents: {defaults: {contextInjection: "continuation-skip"}}}`)
	m.seed()
	os.Remove(filepath.Join(m.state, "workspace", "BOOTSTRAP.md"))
	m.seed()
	if !m.look(mainKey).Injected {
		t.Error("the first turn has no files")
	}
	store, err := session.Open(t.Context(), session.Options{Path: session.Path(m.state, "main")})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Create(t.Context(), session.CreateOptions{Key: mainKey}); err != nil {
		t.Fatal(err)
	}
	w, err := store.Claim(t.Context(), session.ClaimOptions{Key: mainKey})
	if err != nil {
		t.Fatal(err)
	}
	mark, err := prompt.FullContext{Timestamp: time.Now(), RunID: "r", SessionID: "s"}.Entry()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Append(t.Context(), mark); err != nil {
		t.Fatal(err)
	}
	if m.look(mainKey).Injected {
		t.Error("the next turn has the files again")
	}
	if !m.look(group).Injected {
		t.Error("another session has none")
	}
}
