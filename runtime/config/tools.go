package config

import (
	"slices"

	"openclaw/runtime/config/json5"
)

// ToolPolicy allows and denies tools by name or pattern.
type ToolPolicy struct {
	Profile   string
	Allow     []string // nil: all
	AlsoAllow []string
	Deny      []string
}

// ToolPolicies are a policy and those of single providers or models.
type ToolPolicies struct {
	ToolPolicy
	ByProvider map[string]ToolPolicy
}

// Tools says which tools there are and how they behave.
type Tools struct {
	ToolPolicies
	Exec           Exec
	LoopDetection  bool
	SandboxTools   ToolPolicy // of sandboxed sessions
	SubagentsTools ToolPolicy
	Visibility     string // which sessions the session tools see

	loopDetection *bool // as it is written; nil: not at all
	workspaceOnly bool  // always true
}

// AgentTools are what an agent has of its own: policies, which narrow those of Tools, and settings, which replace them.
type AgentTools struct {
	ToolPolicies
	SandboxTools ToolPolicy // in place of those of Tools, when it says anything

	loopDetection *bool
}

// Set tells whether the policy says anything.
func (p ToolPolicy) Set() bool {
	return p.Profile != "" || p.Allow != nil || p.AlsoAllow != nil || p.Deny != nil
}

// LoopDetection tells how an agent that repeats itself is dealt with: whether at all, and whether after a compaction, which it is
// unless the configuration says no.
func (c *Config) LoopDetection(a *Agent) (enabled, compaction bool) {
	set := a.Tools.loopDetection
	if set == nil {
		set = c.Tools.loopDetection
	}
	if set == nil {
		return false, true
	}
	return *set, *set
}

// Exec is the behaviour of the tools exec and process.
type Exec struct {
	BackgroundMs        int64
	TimeoutSeconds      int64
	CleanupMs           int64
	NotifyOnExit        bool
	NotifyOnEmptyOutput bool
	ApplyPatch          ApplyPatch
}

// ApplyPatch says who has the tool apply_patch.
type ApplyPatch struct {
	Enabled       bool
	WorkspaceOnly bool     // always true
	AllowModels   []string // empty: every model
}

func patterns() rule[[]string] { return listOf(text("name, group or pattern of tools", checkNotBlank)) }

var policyFields = []field[ToolPolicy]{
	key("allow", patterns(), func(p *ToolPolicy) *[]string { return &p.Allow }, nil, "Only these tools. Without it all."),
	key("alsoAllow", patterns(), func(p *ToolPolicy) *[]string { return &p.AlsoAllow }, nil, "These tools besides those of the profile."),
	key("deny", patterns(), func(p *ToolPolicy) *[]string { return &p.Deny }, nil, "Never these; it wins over everything else."),
}

func noAllowTwice[T any](d *decoder, at json5.Path, n *json5.Node, _ *T) {
	if m := n.Member("alsoAllow"); m != nil && n.Get("allow") != nil {
		d.at(m.Key, at.Join(json5.Key("alsoAllow")), ReasonConflict, "cannot stand beside allow: put its tools there, or use a profile")
	}
}

var plainPolicyKeys = object[ToolPolicy]{fields: policyFields, check: noAllowTwice[ToolPolicy]}

var profiledPolicyKeys = object[ToolPolicy]{
	fields: slices.Concat([]field[ToolPolicy]{
		key("profile", oneOf("minimal", "coding", "messaging", "full"), func(p *ToolPolicy) *string { return &p.Profile }, "", "A set of tools to begin with."),
	}, policyFields),
	check: noAllowTwice[ToolPolicy],
}

// lift makes keys of a part the keys of the whole.
func lift[T, V any](part func(*T) *V, fields []field[V]) []field[T] {
	lifted := make([]field[T], len(fields))
	for i, f := range fields {
		lifted[i] = field[T]{
			name: f.name, doc: f.doc, refused: f.refused, need: f.need, kind: f.kind, initial: f.initial, schema: f.schema, keys: f.keys, open: f.open,
			reset: func(owner *T) { f.reset(part(owner)) },
			read:  func(d *decoder, at json5.Path, n *json5.Node, owner *T) { f.read(d, at, n, part(owner)) },
		}
	}
	return lifted
}

var policiesFields = slices.Concat(
	lift(func(p *ToolPolicies) *ToolPolicy { return &p.ToolPolicy }, profiledPolicyKeys.fields),
	[]field[ToolPolicies]{
		key("byProvider", mapOf("provider or model", checkNotBlank, profiledPolicyKeys.fresh()), func(p *ToolPolicies) *map[string]ToolPolicy { return &p.ByProvider }, nil,
			"Policies for a provider or provider/model; they only narrow."),
	},
)

var agentToolKeys = object[AgentTools]{
	fields: slices.Concat(lift(func(a *AgentTools) *ToolPolicies { return &a.ToolPolicies }, policiesFields), []field[AgentTools]{
		group("loopDetection", loopDetectionKeys(func(a *AgentTools) **bool { return &a.loopDetection }, func(*AgentTools, bool) {}), self[AgentTools],
			"In place of `tools.loopDetection`."),
		group("sandbox", soleGroup("tools", plainPolicyKeys, func(a *AgentTools) *ToolPolicy { return &a.SandboxTools }, "The policy."), self[AgentTools],
			"In place of `tools.sandbox`."),
	}),
	check: noAllowTwice[AgentTools],
}

// loopDetectionKeys are the same for all agents and for one.
func loopDetectionKeys[T any](place func(*T) **bool, set func(*T, bool)) object[T] {
	enabled := boolean()
	return object[T]{fields: []field[T]{{
		name: "enabled", kind: enabled.kind, schema: enabled.schema, initial: "false",
		doc:   "Stop an agent that repeats itself. Written as false it also stops looking after a compaction, where it otherwise does.",
		reset: func(owner *T) { *place(owner) = nil; set(owner, false) },
		read: func(d *decoder, at json5.Path, n *json5.Node, owner *T) {
			var value bool
			enabled.read(d, at, n, &value)
			*place(owner) = &value
			set(owner, value)
		},
	}}}
}

// always is true or false where only true can be met.
func always(why string) rule[bool] {
	r := boolean()
	r.kind, r.schema = "true", map[string]any{"const": true}
	read := r.read
	r.read = func(d *decoder, at json5.Path, n *json5.Node, into *bool) {
		if n.Kind == json5.Bool && !n.Bool {
			d.at(n.Span, at, ReasonNotSupported, "cannot be false: %s", why)
			return
		}
		read(d, at, n, into)
	}
	return r
}

const neverOutside = "tools never leave the workspace"

var applyPatchKeys = object[ApplyPatch]{fields: []field[ApplyPatch]{
	key("enabled", boolean(), func(a *ApplyPatch) *bool { return &a.Enabled }, true, "Offer the tool."),
	key("workspaceOnly", always(neverOutside), func(a *ApplyPatch) *bool { return &a.WorkspaceOnly }, true, "Patch files of the workspace only. It is always so."),
	key("allowModels", listOf(text("model or provider/model", checkNotBlank)), func(a *ApplyPatch) *[]string { return &a.AllowModels }, nil, "Only for these models."),
}}

var fsKeys = object[Tools]{fields: []field[Tools]{
	key("workspaceOnly", always(neverOutside), func(t *Tools) *bool { return &t.workspaceOnly }, true, "Keep the file tools to what the session's sandbox mounts. It is always so."),
}}

var execKeys = object[Exec]{fields: slices.Concat([]field[Exec]{
	key("backgroundMs", integer(10, 120000), func(e *Exec) *int64 { return &e.BackgroundMs }, 10000, "How long a command is waited for before it goes on in the background."),
	key("timeoutSeconds", integer(0, noLimit), func(e *Exec) *int64 { return &e.TimeoutSeconds }, 1800, "How long a command may take. 0: no bound."),
	key("cleanupMs", integer(60_000, 3*3_600_000), func(e *Exec) *int64 { return &e.CleanupMs }, 1_800_000, "How long a finished command's output is kept."),
	key("notifyOnExit", boolean(), func(e *Exec) *bool { return &e.NotifyOnExit }, true, "Tell the agent when a background command ends."),
	key("notifyOnExitEmptySuccess", boolean(), func(e *Exec) *bool { return &e.NotifyOnEmptyOutput }, false, "Also when it succeeds without output."),
	group("applyPatch", applyPatchKeys, func(e *Exec) *ApplyPatch { return &e.ApplyPatch }, "The tool apply_patch."),
}, reserved[Exec]("is not supported: commands run inside the sandbox only",
	"host", "mode", "security", "ask", "node", "pathPrepend", "safeBins", "safeBinTrustedDirs", "safeBinProfiles", "reviewer", "strictInlineEval"))}

func soleGroup[T, V any](name string, o object[V], place func(*T) *V, doc string) object[T] {
	return object[T]{fields: []field[T]{group(name, o, place, doc)}}
}

func self[T any](v *T) *T { return v }

var toolsKeys = object[Tools]{
	fields: slices.Concat(
		lift(func(t *Tools) *ToolPolicies { return &t.ToolPolicies }, policiesFields),
		[]field[Tools]{
			group("exec", execKeys, func(t *Tools) *Exec { return &t.Exec }, "The tools exec and process."),
			group("loopDetection", loopDetectionKeys(func(t *Tools) **bool { return &t.loopDetection }, func(t *Tools, on bool) { t.LoopDetection = on }), self[Tools],
				"Agents that repeat themselves."),
			group("fs", fsKeys, self[Tools], "The tools that work on files."),
			group("sandbox", soleGroup("tools", plainPolicyKeys, func(t *Tools) *ToolPolicy { return &t.SandboxTools }, "The policy."), self[Tools], "Tools of sandboxed sessions."),
			group("subagents", soleGroup("tools", plainPolicyKeys, func(t *Tools) *ToolPolicy { return &t.SubagentsTools }, "The policy."), self[Tools], "Tools of sub-agents."),
		},
		later("session tools", group("sessions", object[Tools]{fields: []field[Tools]{
			key("visibility", oneOf("self", "tree", "agent", "all"), func(t *Tools) *string { return &t.Visibility }, "all", "Which sessions the session tools see."),
		}}, self[Tools], "The session tools.")),
		reserved[Tools]("is not supported: nothing runs outside the sandbox", "elevated"),
		reserved[Tools](notYet("such tools"), "web", "media", "links", "message", "agentToAgent", "toolSearch", "codeMode", "swarm", "github", "toolsBySender"),
	),
	check: noAllowTwice[Tools],
}

// oneOfNamed is oneOf with other names for the same value.
func oneOfNamed(aliases map[string]string, values ...string) rule[string] {
	r := oneOf(values...)
	names := slices.Clone(values)
	for alias := range aliases {
		if !slices.Contains(names, alias) {
			names = append(names, alias)
		}
	}
	slices.Sort(names[len(values):])
	r.schema = map[string]any{"type": "string", "enum": names}
	read := r.read
	r.read = func(d *decoder, at json5.Path, n *json5.Node, into *string) {
		if canonical, ok := aliases[n.Str]; ok && n.Kind == json5.String {
			*into = canonical
			return
		}
		read(d, at, n, into)
	}
	return r
}
