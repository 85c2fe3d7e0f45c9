package confinement_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
)

// decided is what a session has, in short: "all", or the tools it has, or "all but" those it has not.
func decided(p *confinement.Plan) string {
	var has, not []string
	for _, d := range p.Tools {
		if d.Allowed {
			has = append(has, d.Tool)
		} else {
			not = append(not, d.Tool)
		}
	}
	switch {
	case len(not) == 0:
		return "all"
	case len(has) == 0:
		return "none"
	case len(not) < len(has):
		return "all but " + strings.Join(not, " ")
	}
	return strings.Join(has, " ")
}

func layerOf(p *confinement.Plan, tool string) string {
	d := p.Tool(tool)
	return fmt.Sprintf("%s: %s", d.Layer, d.Rule)
}

const fable = "anthropic/fable"

// policyCases say what a configuration leaves of the tools, and which layer decides on one of them.
var policyCases = []struct {
	name, config, key, model string
	want                     string
	tool, layer              string
}{
	{"nothing configured", ``, mainKey, "", "all", "exec", "default: nothing denies it"},
	{"nothing configured, sandboxed", ``, eve, "", "all", "grep", "default of sandboxed sessions: grep"},

	// One list.
	{"deny", `tools: {deny: ["exec"]}`, mainKey, "", "all but exec", "exec", "tools.deny: exec"},
	{"deny in another case", `tools: {deny: ["EXEC"]}`, mainKey, "", "all but exec", "exec", "tools.deny: EXEC"},
	{"deny of a name that is none", `tools: {deny: ["exe"]}`, mainKey, "", "all", "exec", "default: nothing denies it"},
	{"deny by pattern", `tools: {deny: ["[ep]*e*"]}`, mainKey, "", "all but exec process", "process", "tools.deny: [ep]*e*"},
	{"deny of everything", `tools: {deny: ["*"]}`, mainKey, "", "none", "read", "tools.deny: *"},
	{"deny of a group", `tools: {deny: ["group:fs"]}`, mainKey, "", "exec process", "find", "tools.deny: group:fs"},
	{"deny of the other group", `tools: {deny: ["group:runtime"]}`, mainKey, "", "all but exec process", "process", "tools.deny: group:runtime"},
	{"deny of an alias", `tools: {deny: ["bash"]}`, mainKey, "", "all but exec", "exec", "tools.deny: bash"},
	{"deny of an alias of a patch", `tools: {deny: ["apply-patch"]}`, mainKey, "", "all but apply_patch", "apply_patch", "tools.deny: apply-patch"},
	{"deny of write leaves patches", `tools: {deny: ["write"]}`, mainKey, "", "all but write", "apply_patch", "default: nothing denies it"},
	{"an empty deny", `tools: {deny: []}`, mainKey, "", "all", "exec", "default: nothing denies it"},
	{"allow", `tools: {allow: ["read", "ls"]}`, mainKey, "", "read ls", "exec", "tools.allow: not in the list"},
	{"allow tells the pattern", `tools: {allow: ["r*", "ls"]}`, mainKey, "", "read ls", "read", "tools.allow: r*"},
	{"an empty allow is all", `tools: {allow: []}`, mainKey, "", "all", "exec", "default: nothing denies it"},
	{"allow of everything", `tools: {allow: ["*"]}`, mainKey, "", "all", "exec", "tools.allow: *"},
	{"allow of a group", `tools: {allow: ["group:runtime"]}`, mainKey, "", "exec process", "exec", "tools.allow: group:runtime"},
	{"allow of a group in another case", `tools: {allow: ["Group:Runtime"]}`, mainKey, "", "exec process", "exec", "tools.allow: Group:Runtime"},
	{"allow of write admits patches", `tools: {allow: ["write"]}`, mainKey, "", "write apply_patch", "apply_patch", "tools.allow: write"},
	{"allow of a patch does not admit write", `tools: {allow: ["apply_patch"]}`, mainKey, "", "apply_patch", "write", "tools.allow: not in the list"},
	{"allow of what is no tool", `tools: {allow: ["web_search"]}`, mainKey, "", "none", "read", "tools.allow: not in the list"},
	{"a pattern in brackets is no pattern of ours to break on", `tools: {allow: ["["]}`, mainKey, "", "none", "read", "tools.allow: not in the list"},
	{"deny wins over allow", `tools: {allow: ["*"], deny: ["exec"]}`, mainKey, "", "all but exec", "exec", "tools.deny: exec"},
	{"deny wins over the same name", `tools: {allow: ["exec", "read"], deny: ["exec"]}`, mainKey, "", "read", "exec", "tools.deny: exec"},

	// Profiles.
	{"profile minimal", `tools: {profile: "minimal"}`, mainKey, "", "none", "exec", "tools.profile=minimal: not in the list"},
	{"profile coding", `tools: {profile: "coding"}`, mainKey, "", "all", "exec", "tools.profile=coding: group:runtime"},
	{"profile messaging", `tools: {profile: "messaging"}`, mainKey, "", "none", "read", "tools.profile=messaging: not in the list"},
	{"profile full", `tools: {profile: "full"}`, mainKey, "", "all", "exec", "tools.profile=full: *"},
	{"a profile and more", `tools: {profile: "minimal", alsoAllow: ["read", "ls"]}`, mainKey, "", "read ls", "read", "tools.profile=minimal: read"},
	{"more without a profile", `tools: {alsoAllow: ["read"]}`, mainKey, "", "all", "exec", "default: nothing denies it"},
	{"a profile and a deny", `tools: {profile: "coding", deny: ["process"]}`, mainKey, "", "all but process", "process", "tools.deny: process"},
	{"a profile and a list narrow each other", `tools: {profile: "coding", allow: ["exec"]}`, mainKey, "", "exec", "read", "tools.allow: not in the list"},
	{"an agent's profile takes the place", `tools: {profile: "minimal"}, agents: {entries: {main: {tools: {profile: "coding"}}}}`, mainKey, "", "all", "exec", "agents.entries.main.tools.profile=coding: group:runtime"},
	{"an agent's profile, smaller", `tools: {profile: "coding"}, agents: {entries: {main: {tools: {profile: "minimal"}}}}`, mainKey, "", "none", "exec", "agents.entries.main.tools.profile=minimal: not in the list"},
	{"an agent's additions to the profile of all", `tools: {profile: "minimal"}, agents: {entries: {main: {tools: {alsoAllow: ["ls"]}}}}`, mainKey, "", "ls", "ls", "tools.profile=minimal: ls"},

	// Agents.
	{"an agent's deny", `agents: {entries: {main: {tools: {deny: ["write"]}}}}`, mainKey, "", "all but write", "write", "agents.entries.main.tools.deny: write"},
	{"an agent's allow narrows", `tools: {allow: ["read", "exec"]}, agents: {entries: {main: {tools: {allow: ["exec", "ls"]}}}}`, mainKey, "", "exec", "ls", "tools.allow: not in the list"},
	{"an agent cannot lift a deny", `tools: {deny: ["exec"]}, agents: {entries: {main: {tools: {allow: ["exec", "read"]}}}}`, mainKey, "", "read", "exec", "tools.deny: exec"},
	{"another agent's does not matter", `agents: {entries: {main: {}, other: {tools: {deny: ["*"]}}}}`, mainKey, "", "all", "exec", "default: nothing denies it"},

	// Providers and models.
	{"a provider's deny", `tools: {byProvider: {anthropic: {deny: ["exec"]}}}`, mainKey, fable, "all but exec", "exec", "tools.byProvider.anthropic.deny: exec"},
	{"another provider's", `tools: {byProvider: {openai: {deny: ["exec"]}}}`, mainKey, fable, "all", "exec", "default: nothing denies it"},
	{"a provider while none is known", `tools: {byProvider: {anthropic: {deny: ["exec"]}}}`, mainKey, "", "all", "exec", "default: nothing denies it"},
	{"a model's", `tools: {byProvider: {"anthropic/fable": {allow: ["read"]}}}`, mainKey, fable, "read", "ls", "tools.byProvider.anthropic/fable.allow: not in the list"},
	{"a model's in place of its provider's", `tools: {byProvider: {anthropic: {deny: ["*"]}, "anthropic/fable": {deny: ["ls"]}}}`, mainKey, fable, "all but ls", "ls", "tools.byProvider.anthropic/fable.deny: ls"},
	{"a model with slashes", `tools: {byProvider: {"router/a/b": {deny: ["ls"]}}}`, mainKey, "router/a/b", "all but ls", "ls", "tools.byProvider.router/a/b.deny: ls"},
	{"a provider's profile narrows", `tools: {profile: "coding", byProvider: {anthropic: {profile: "minimal"}}}`, mainKey, fable, "none", "exec", "tools.byProvider.anthropic.profile=minimal: not in the list"},
	{"a provider's profile cannot widen", `tools: {profile: "minimal", byProvider: {anthropic: {profile: "full"}}}`, mainKey, fable, "none", "exec", "tools.profile=minimal: not in the list"},
	{"a provider cannot lift a deny", `tools: {deny: ["exec"], byProvider: {anthropic: {allow: ["exec"]}}}`, mainKey, fable, "none", "exec", "tools.deny: exec"},
	{"an agent's provider", `agents: {entries: {main: {tools: {byProvider: {anthropic: {deny: ["ls"]}}}}}}`, mainKey, fable, "all but ls", "ls", "agents.entries.main.tools.byProvider.anthropic.deny: ls"},
	{"an agent's provider narrows all", `tools: {byProvider: {anthropic: {allow: ["read", "ls"]}}}, agents: {entries: {main: {tools: {byProvider: {anthropic: {allow: ["ls", "exec"]}}}}}}`, mainKey, fable, "ls", "exec", "tools.byProvider.anthropic.allow: not in the list"},

	// Patches.
	{"patches off", `tools: {exec: {applyPatch: {enabled: false}}}`, mainKey, "", "all but apply_patch", "apply_patch", "tools.exec.applyPatch.enabled=false: apply_patch"},
	{"patches on", `tools: {exec: {applyPatch: {enabled: true, workspaceOnly: true}}}`, mainKey, "", "all", "apply_patch", "default: nothing denies it"},
	{"patches for a model", `tools: {exec: {applyPatch: {allowModels: ["anthropic/FABLE"]}}}`, mainKey, fable, "all", "apply_patch", "default: nothing denies it"},
	{"patches for a bare model", `tools: {exec: {applyPatch: {allowModels: ["fable"]}}}`, mainKey, fable, "all", "apply_patch", "default: nothing denies it"},
	{"patches for another model", `tools: {exec: {applyPatch: {allowModels: ["openai/fable", "able"]}}}`, mainKey, fable, "all but apply_patch", "apply_patch", "tools.exec.applyPatch.allowModels: apply_patch"},
	{"patches for a model while none is known", `tools: {exec: {applyPatch: {allowModels: ["fable"]}}}`, mainKey, "", "all but apply_patch", "apply_patch", "tools.exec.applyPatch.allowModels: apply_patch"},
	{"patches for no list of models", `tools: {exec: {applyPatch: {allowModels: []}}}`, mainKey, fable, "all", "apply_patch", "default: nothing denies it"},
	{"patches that are on and denied", `tools: {deny: ["apply_patch"], exec: {applyPatch: {enabled: true}}}`, mainKey, "", "all but apply_patch", "apply_patch", "tools.deny: apply_patch"},

	// Sub-agents.
	{"a sub-agent", ``, subagent, "", "all", "exec", "default of sandboxed sessions: exec"},
	{"sub-agents' deny", `tools: {subagents: {tools: {deny: ["exec"]}}}`, subagent, "", "all but exec", "exec", "tools.subagents.tools.deny: exec"},
	{"sub-agents' allow", `tools: {subagents: {tools: {allow: ["read", "ls"]}}}`, subagent, "", "read ls", "exec", "tools.subagents.tools.allow: not in the list"},
	{"sub-agents' lists are for no one else", `tools: {subagents: {tools: {deny: ["exec"]}}}`, eve, "", "all", "exec", "default of sandboxed sessions: exec"},

	// Sandboxed sessions.
	{"sandboxed deny", `tools: {sandbox: {tools: {deny: ["exec"]}}}`, eve, "", "all but exec", "exec", "tools.sandbox.tools.deny: exec"},
	{"sandboxed deny is not for the main session", `tools: {sandbox: {tools: {deny: ["exec"]}}}`, mainKey, "", "all", "exec", "default: nothing denies it"},
	{"sandboxed allow", `tools: {sandbox: {tools: {allow: ["ls"]}}}`, eve, "", "ls", "exec", "tools.sandbox.tools.allow: not in the list"},
	{"sandboxed allow of nothing", `tools: {sandbox: {tools: {allow: []}}}`, eve, "", "none", "read", "tools.sandbox.tools.allow: not in the list"},
	{"sandboxed additions", `tools: {sandbox: {tools: {alsoAllow: ["web_search"]}}}`, eve, "", "all", "read", "tools.sandbox.tools.allow: read"},
	{"sandboxed default deny of what is elsewhere", ``, eve, "", "all", "gateway", "default of sandboxed sessions: gateway"},
	{"an explicit allow lifts it", `tools: {sandbox: {tools: {alsoAllow: ["gateway"]}}}`, eve, "", "all", "gateway", "tools.sandbox.tools.allow: gateway"},
	{"sandboxed layers cannot widen", `tools: {allow: ["read"], sandbox: {tools: {allow: ["exec", "read"]}}}`, eve, "", "read", "exec", "tools.allow: not in the list"},
	{"an agent's sandboxed tools take the place", `tools: {sandbox: {tools: {deny: ["exec"]}}}, agents: {entries: {main: {tools: {sandbox: {tools: {deny: ["ls"]}}}}}}`, eve, "", "all but ls", "ls", "agents.entries.main.tools.sandbox.tools.deny: ls"},
	{"no sandbox, no layer", `tools: {sandbox: {tools: {allow: []}}}, agents: {defaults: {sandbox: {mode: "off"}}}`, eve, "", "all", "exec", "default: nothing denies it"},
	{"the main session in mode all", `tools: {sandbox: {tools: {allow: ["ls"]}}}, agents: {defaults: {sandbox: {mode: "all"}}}`, mainKey, "", "ls", "exec", "tools.sandbox.tools.allow: not in the list"},
	{"read-only", `agents: {defaults: {sandbox: {workspaceAccess: "ro"}}}`, eve, "", "all but write edit apply_patch", "edit", "sandbox.workspaceAccess=ro: edit"},
	{"read-only, main", `agents: {defaults: {sandbox: {workspaceAccess: "ro"}}}`, mainKey, "", "all", "edit", "default: nothing denies it"},
	{"read-only cannot be lifted", `tools: {sandbox: {tools: {allow: ["write"]}}}, agents: {defaults: {sandbox: {workspaceAccess: "ro"}}}`, eve, "", "none", "write", "sandbox.workspaceAccess=ro: write"},

	// Tools of the caller.
	{"a tool that the catalogue does not have", `tools: {deny: ["my_*"]}`, mainKey, "", "all", "my_tool", "tools.deny: my_*"},
	{"which is allowed like any other", `tools: {allow: ["my_tool"]}`, mainKey, "", "none", "my_tool", "tools.allow: my_tool"},
}

func TestToolPolicy(t *testing.T) {
	if len(policyCases) < 60 {
		t.Errorf("only %d cases", len(policyCases))
	}
	for _, c := range policyCases {
		t.Run(c.name, func(t *testing.T) {
			conf, err := load(t, t.TempDir(), "{"+c.config+"}")
			if err != nil {
				t.Fatal(err)
			}
			p, err := confinement.Decide(conf, confinement.Request{Key: c.key, Model: c.model})
			if err != nil {
				t.Fatal(err)
			}
			if got := decided(p); got != c.want {
				t.Errorf("tools: %s, want %s", got, c.want)
			}
			if got := layerOf(p, c.tool); got != c.layer {
				t.Errorf("%s: decided by %s, want %s", c.tool, got, c.layer)
			}
		})
	}
}

// TestMoreLayersNeverWiden adds filters to a configuration, one at a time: no tool comes back.
func TestMoreLayersNeverWiden(t *testing.T) {
	patterns := append(confinement.Catalogue(), "*", "group:fs", "group:runtime", "r*", "bash", "nothing")
	conf, err := load(t, t.TempDir(), "{}")
	if err != nil {
		t.Fatal(err)
	}
	base := *conf
	rapid.Check(t, func(t *rapid.T) {
		list := func() []string { return rapid.SliceOfN(rapid.SampledFrom(patterns), 0, 4).Draw(t, "patterns") }
		filter := func() config.ToolPolicy { return config.ToolPolicy{Allow: list(), Deny: list()} }
		c := base
		c.Agents.Defaults.Sandbox.Mode = rapid.SampledFrom([]config.SandboxMode{config.SandboxAll, config.SandboxNonMain}).Draw(t, "mode")
		key := rapid.SampledFrom([]string{mainKey, eve, subagent}).Draw(t, "key")
		had := func() []string {
			p, err := confinement.Decide(&c, confinement.Request{Key: key, Model: fable})
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, d := range p.Tools {
				if d.Allowed {
					names = append(names, d.Tool)
				}
			}
			return names
		}
		steps := []func(){
			func() { c.Tools.Allow = list() },
			func() { c.Tools.Deny = list() },
			func() { c.Tools.ByProvider = map[string]config.ToolPolicy{"anthropic": filter()} },
			func() { c.Agents.Defaults.Tools.ToolPolicy = filter() },
			func() { c.Agents.Defaults.Tools.ByProvider = map[string]config.ToolPolicy{fable: filter()} },
			func() { c.Tools.SubagentsTools = filter() },
			func() { c.Tools.Exec.ApplyPatch.Enabled = false },
			func() {
				c.Tools.Profile = rapid.SampledFrom([]string{"minimal", "coding", "messaging", "full"}).Draw(t, "profile")
			},
			func() { c.Agents.Defaults.Sandbox.WorkspaceAccess = config.AccessReadOnly },
		}
		before := had()
		for _, step := range rapid.Permutation(steps).Draw(t, "steps") {
			step()
			after := had()
			for _, name := range after {
				if !slices.Contains(before, name) {
					t.Fatalf("%s came back: %v, then %v", name, before, after)
				}
			}
			before = after
		}
	})
}

func TestUnknownToolsAreNoted(t *testing.T) {
	conf, err := load(t, t.TempDir(), `{tools: {allow: ["read", "raed", "group:fs", "web_*", "bash", "raed", "mine"], deny: ["nonsense"]}}`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := confinement.Decide(conf, confinement.Request{Key: mainKey})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.Unknown("mine")); got != "[raed web_*]" {
		t.Errorf("%s", got)
	}
	if got := fmt.Sprint(p.Unknown()); got != "[raed web_* mine]" {
		t.Errorf("%s", got)
	}
}

// TestRefusedToolSettings names what cannot be had.
func TestRefusedToolSettings(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{tools: {exec: {applyPatch: {workspaceOnly: false}}}}`, "tools.exec.applyPatch.workspaceOnly: cannot be false: tools never leave the workspace"},
		{`{tools: {fs: {workspaceOnly: false}}}`, "tools.fs.workspaceOnly: cannot be false: tools never leave the workspace"},
		{`{tools: {exec: {host: "gateway"}}}`, "tools.exec.host: is not supported: commands run inside the sandbox only"},
		{`{tools: {elevated: {enabled: true}}}`, "tools.elevated: is not supported: nothing runs outside the sandbox"},
		{`{tools: {sessions: {visibility: "all"}}}`, "tools.sessions: is not supported by this version, which has no session tools yet"},
		{`{tools: {allow: ["read"], alsoAllow: ["ls"]}}`, "tools.alsoAllow: cannot stand beside allow"},
		{`{agents: {entries: {a: {tools: {sandbox: {tools: {allow: [], alsoAllow: []}}}}}}}`, "agents.entries.a.tools.sandbox.tools.alsoAllow: cannot stand beside allow"},
		{`{tools: {profile: "codign"}}`, `(did you mean "coding"?)`},
	} {
		if _, err := load(t, t.TempDir(), c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestLoopDetectionIsTheAgentsOrAlls(t *testing.T) {
	for _, c := range []struct {
		text                string
		enabled, compaction bool
	}{
		{`{}`, false, true},
		{`{tools: {loopDetection: {enabled: true}}}`, true, true},
		{`{tools: {loopDetection: {enabled: false}}}`, false, false},
		{`{tools: {loopDetection: {enabled: false}}, agents: {entries: {main: {tools: {loopDetection: {enabled: true}}}}}}`, true, true},
		{`{tools: {loopDetection: {enabled: true}}, agents: {entries: {main: {tools: {loopDetection: {enabled: false}}}}}}`, false, false},
	} {
		conf, err := load(t, t.TempDir(), c.text)
		if err != nil {
			t.Fatal(err)
		}
		agent, err := conf.Agent("main")
		if err != nil {
			t.Fatal(err)
		}
		if enabled, compaction := conf.LoopDetection(agent); enabled != c.enabled || compaction != c.compaction {
			t.Errorf("%s: %v %v", c.text, enabled, compaction)
		}
	}
}
