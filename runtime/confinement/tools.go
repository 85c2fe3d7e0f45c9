package confinement

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"openclaw/runtime/config"
	"openclaw/toolwasm"
	"openclaw/workspace"
)

// ToolDecision says whether a session has a tool, and what decided.
type ToolDecision struct {
	Tool    string `json:"tool"`
	Allowed bool   `json:"allowed"`
	Layer   string `json:"layer"` // the path of the configuration, or the rule, that decided
	Rule    string `json:"rule"`  // the pattern that matched, or why none did
}

// DeniedError reports a tool that a session does not have.
type DeniedError struct{ ToolDecision }

func (e *DeniedError) Error() string {
	return fmt.Sprintf("confinement: tool %s: the session does not have it (%s: %s)", e.Tool, e.Layer, e.Rule)
}

// Plain is the error without the name of the package, for a model.
func (e *DeniedError) Plain() string {
	return fmt.Sprintf("The tool %s is not available in this session (%s: %s).", e.Tool, e.Layer, e.Rule)
}

// ToolName is the name of a tool that may go by another one.
func ToolName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if real, ok := aliases[name]; ok {
		return real
	}
	return name
}

// Tool decides on a tool by its name, also on one that is not in Tools.
func (p *Plan) Tool(name string) ToolDecision { return decideTool(ToolName(name), p.layers) }

// Unknown lists what the configuration allows in the session's layers and is no tool: neither of ours nor one of the others. A
// name that is not known may be a slip.
func (p *Plan) Unknown(others ...string) []string {
	names := slices.Concat(Catalogue(), others)
	var unknown []string
	for _, l := range p.layers {
		for _, pattern := range l.extra {
			if _, group := groups[ToolName(pattern)]; group || slices.Contains(unknown, pattern) {
				continue
			}
			if !slices.ContainsFunc(names, func(tool string) bool { _, ok := match([]string{pattern}, tool); return ok }) {
				unknown = append(unknown, pattern)
			}
		}
	}
	return unknown
}

// Require makes sure that the session has a tool. What is no tool at all is for the one who calls it to say.
func (p *Plan) Require(tool string) error {
	for _, d := range p.Tools {
		if d.Tool == tool && !d.Allowed {
			return &DeniedError{d}
		}
	}
	return nil
}

// layer is one filter. Each only narrows what the ones before have left.
type layer struct {
	name        string
	allow, deny []string
	extra       []string // what the configuration allows in it, besides what is ours
	all         bool     // everything is allowed that is not denied
	builtin     bool     // it is a rule of ours and no key of the configuration
}

// of names a list of the layer.
func (l layer) of(list string) string {
	if l.builtin {
		return l.name
	}
	return l.name + "." + list
}

// Groups of tools, as far as there are tools in them.
var groups = map[string][]string{
	"group:fs":       {"ls", "grep", "find", toolwasm.ToolRead, toolwasm.ToolWrite, toolwasm.ToolEdit, toolwasm.ToolApplyPatch},
	"group:runtime":  {toolwasm.ToolExec, ToolProcess, "code_execution", "secrets"},
	"group:sessions": sessionTools,
}

var sessionTools = []string{
	"sessions", "sessions_list", "sessions_history", "sessions_search", "sessions_send", "sessions_spawn", "sessions_yield", "agents_wait",
	"subagents", "session_status", "conversations_list", "conversations_send", "conversations_turn", "suggest_task", "dismiss_task",
}

// profiles are sets to begin with.
var profiles = map[string][]string{
	"minimal":   {"session_status"},
	"coding":    {"group:fs", "group:runtime", "group:sessions"},
	"messaging": {"group:sessions", "message", "ask_user", "secrets"},
	"full":      {"*"},
}

// aliases are other names of tools.
var aliases = map[string]string{"bash": toolwasm.ToolExec, "apply-patch": toolwasm.ToolApplyPatch, "cron": "automations"}

// What sandboxed sessions have when the configuration says nothing else.
var (
	sandboxAllow = []string{
		toolwasm.ToolExec, ToolProcess, toolwasm.ToolRead, "ls", "grep", "find", toolwasm.ToolWrite, toolwasm.ToolEdit, toolwasm.ToolApplyPatch, "view_image", "sessions_list",
		"sessions_history", "sessions_search", "sessions_send", "sessions_spawn", "sessions_yield", "subagents", "session_status",
	}
	sandboxDeny = []string{"browser", "canvas", "computer", "mobile_ui", "nodes", "automations", "gateway"}
	// subagentDeny is what a session that works for another one never has.
	subagentDeny = []string{
		"gateway", "agents_list", "openclaw", "session_status", "progress_card", "automations", "message", "sessions_send", "conversations_*",
	}
	// readOnlyDeny are the tools that change files by name.
	readOnlyDeny = []string{toolwasm.ToolWrite, toolwasm.ToolEdit, toolwasm.ToolApplyPatch}
)

// decideTools puts every tool through the layers.
func (p *Plan) decideTools() []ToolDecision {
	var all []ToolDecision
	for _, tool := range Catalogue() {
		all = append(all, decideTool(tool, p.layers))
	}
	return all
}

// Catalogue lists the tools that there are, in the order in which they are shown.
func Catalogue() []string {
	var names []string
	for _, name := range toolwasm.ToolNames() {
		names = append(names, name)
		if name == toolwasm.ToolExec {
			names = append(names, ToolProcess)
		}
	}
	return names
}

// ToolProcess is the tool that looks after commands in the background. It is the runtime's own: the toolbox has only exec.
const ToolProcess = "process"

func decideTool(tool string, layers []layer) ToolDecision {
	d := ToolDecision{Tool: tool, Allowed: true, Layer: "default", Rule: "nothing denies it"}
	for _, l := range layers {
		if rule, ok := match(l.deny, tool); ok {
			return ToolDecision{tool, false, l.of("deny"), rule}
		}
		if l.all {
			continue
		}
		rule, ok := match(l.allow, tool)
		if !ok && tool == toolwasm.ToolApplyPatch { // who may write may also patch
			rule, ok = match(l.allow, toolwasm.ToolWrite)
		}
		if !ok {
			return ToolDecision{tool, false, l.of("allow"), "not in the list"}
		}
		d.Layer, d.Rule = l.of("allow"), rule
	}
	return d
}

// match finds the first pattern that a tool matches: a name, a group or a glob, in any case.
func match(patterns []string, tool string) (rule string, ok bool) {
	for _, pattern := range patterns {
		name := ToolName(pattern)
		if members, ok := groups[name]; ok {
			if slices.Contains(members, tool) {
				return pattern, true
			}
			continue
		}
		if ok, err := path.Match(name, tool); err == nil && ok {
			return pattern, true
		}
	}
	return "", false
}

// toolLayers lists the filters that hold for a session, in their order.
func toolLayers(conf *config.Config, agent *config.Agent, p *Plan, model string) []layer {
	own := "agents.entries." + agent.ID + ".tools"
	var layers []layer
	add := func(l layer) {
		if !l.all || len(l.deny) > 0 {
			layers = append(layers, l)
		}
	}
	addProfile := func(name string, policy config.ToolPolicy) {
		if policy.Profile != "" {
			add(layer{
				name: name + ".profile=" + policy.Profile, allow: slices.Concat(profiles[policy.Profile], policy.AlsoAllow), extra: policy.AlsoAllow,
				builtin: true,
			})
		}
	}
	profiled, name := conf.Tools.ToolPolicy, "tools"
	switch {
	case agent.Tools.Profile != "":
		profiled, name = agent.Tools.ToolPolicy, own
	case agent.Tools.AlsoAllow != nil:
		profiled.AlsoAllow = agent.Tools.AlsoAllow
	}
	addProfile(name, profiled)
	for _, of := range []struct {
		name     string
		policies config.ToolPolicies
	}{{"tools", conf.Tools.ToolPolicies}, {own, agent.Tools.ToolPolicies}} {
		add(plain(of.name, of.policies.ToolPolicy))
		if key, policy, ok := byProvider(of.policies.ByProvider, model); ok {
			name := of.name + ".byProvider." + key
			addProfile(name, policy)
			add(plain(name, policy))
		}
	}
	add(patchLayer(conf.Tools.Exec.ApplyPatch, model))
	if p.Kind == workspace.KindSubagent {
		add(layer{name: "sub-agents", deny: subagentDeny, all: true, builtin: true})
		add(plain("tools.subagents.tools", conf.Tools.SubagentsTools))
	}
	if p.Sandboxed {
		policy, name := conf.Tools.SandboxTools, "tools"
		if agent.Tools.SandboxTools.Set() {
			policy, name = agent.Tools.SandboxTools, own
		}
		add(sandboxLayer(name+".sandbox.tools", policy))
	}
	if p.Sandboxed && agent.Sandbox.WorkspaceAccess == config.AccessReadOnly {
		add(layer{name: "sandbox.workspaceAccess=ro", deny: readOnlyDeny, all: true, builtin: true})
	}
	return layers
}

// patchLayer says whether a session with a model has apply_patch. While no model is known, one that only some have it has not.
func patchLayer(p config.ApplyPatch, model string) layer {
	l := layer{all: true, builtin: true}
	_, bare, _ := strings.Cut(model, "/")
	switch {
	case !p.Enabled:
		l.name, l.deny = "tools.exec.applyPatch.enabled=false", []string{toolwasm.ToolApplyPatch}
	case len(p.AllowModels) > 0 && !slices.ContainsFunc(p.AllowModels, func(allowed string) bool {
		return strings.EqualFold(allowed, model) && model != "" || strings.EqualFold(allowed, bare) && bare != ""
	}):
		l.name, l.deny = "tools.exec.applyPatch.allowModels", []string{toolwasm.ToolApplyPatch}
	}
	return l
}

// plain is a policy as a filter: an empty list of what is allowed allows everything.
func plain(name string, policy config.ToolPolicy) layer {
	return layer{name: name, allow: policy.Allow, deny: policy.Deny, extra: policy.Allow, all: len(policy.Allow) == 0}
}

// byProvider finds the policy of a model, or else of its provider.
func byProvider(policies map[string]config.ToolPolicy, model string) (key string, policy config.ToolPolicy, ok bool) {
	provider, _, _ := strings.Cut(model, "/")
	for _, key := range []string{model, provider} {
		if policy, ok := policies[key]; ok && key != "" {
			return key, policy, true
		}
	}
	return "", policy, false
}

// sandboxLayer is the filter of sandboxed sessions. Unlike elsewhere, an empty list of what is allowed allows nothing.
func sandboxLayer(name string, policy config.ToolPolicy) layer {
	l := layer{name: name, allow: sandboxAllow, deny: sandboxDeny, extra: slices.Concat(policy.Allow, policy.AlsoAllow)}
	if !policy.Set() {
		l.name, l.builtin = "default of sandboxed sessions", true
	}
	if policy.Allow != nil {
		l.allow = policy.Allow
	}
	if policy.Deny != nil {
		l.deny = policy.Deny
	} else {
		explicit := slices.Concat(policy.Allow, policy.AlsoAllow)
		l.deny = slices.DeleteFunc(slices.Clone(l.deny), func(tool string) bool { _, ok := match(explicit, tool); return ok })
	}
	l.allow = slices.Concat(l.allow, policy.AlsoAllow)
	return l
}
