// Package confinement decides what the tools of a session can touch: which directory is the session's workspace, what of the agent's
// own it sees, which files it cannot change, which limits hold and which tools there are.
//
// [Decide] only reads the configuration, so that a decision can be explained without making anything; [Opener.Open] makes the
// directories and gives the [sandbox.Grant]. It promises that
//
//   - tools run inside the sandbox in every mode, and nothing runs outside it because a setting cannot be met;
//   - a session that has a directory of its own reaches no other session's and, unless it is told so, not the agent's;
//   - only the main session changes the agent's bootstrap files and skills;
//   - no directory that it grants holds the runtime's state or the configuration, whatever links lead to it.
package confinement

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
	"openclaw/runtime/session"
	"openclaw/sandbox"
	"openclaw/toolwasm"
	"openclaw/workspace"
)

// Where things are in a session's tree, besides [toolwasm.Workspace].
const (
	AgentDir  = "/agent"  // the agent's workspace, read-only
	SkillsDir = "/skills" // a directory for each skill, read-only
)

// Setting is a value and where it comes from: a path of the configuration, or "default".
type Setting struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Mount is a directory that the session's tools see.
type Mount struct {
	Guest   string         `json:"guest"`
	Host    string         `json:"host"`
	Access  sandbox.Access `json:"-"`
	Protect []string       `json:"protect,omitempty"` // read-only paths besides the sandbox's own
	Reason  string         `json:"reason"`
}

// Skill is a skill that the session is offered.
type Skill struct {
	Name        string // of its directory below SkillsDir
	Dir         string // on the host
	File        string // its SKILL.md, in the directory
	Description string
	Hidden      bool // the prompt does not list it
}

// Location is where the session's tools find the skill's instructions.
func (s Skill) Location() string { return SkillsDir + "/" + s.Name + "/" + s.File }

// Request is whose tools are asked about.
type Request struct {
	Agent string // empty: the key's, or else the default agent
	Key   string // empty: the agent's main session
	Model string // provider/model, when it is known
	// Skills are mounted below SkillsDir. Whoever names them has made sure that what they hold is for tools to read.
	Skills []Skill
	// Env are variables of the session's commands, as NAME=value.
	Env []string
}

// Plan is a decision.
type Plan struct {
	Agent *config.Agent
	Key   session.Key
	Kind  workspace.Kind // which bootstrap files the session gets
	Main  bool

	Mode, Scope, Access, Root, Backend Setting

	// Sandboxed tells that the mode holds for this session.
	Sandboxed bool
	// Owner is whose directory is the session's workspace; nil when it is the agent's.
	Owner  *workspace.Owner
	Mounts []Mount
	Skills []Skill  // of the request; they are among the mounts
	Env    []string // of the request
	Limits sandbox.Limits
	Tools  []ToolDecision

	layers               []layer // what decides on tools
	stateDir, configFile string
}

// ErrSession reports a session that cannot be the agent's.
var ErrSession = errors.New("not a session of this agent")

// AgentOf is the agent whose tools are asked about.
func AgentOf(conf *config.Config, r Request) (*config.Agent, error) {
	agent, _, err := resolve(conf, r)
	return agent, err
}

// Decide finds out what a session's tools can touch. It touches nothing itself.
func Decide(conf *config.Config, r Request) (*Plan, error) {
	agent, key, err := resolve(conf, r)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Agent: agent, Key: key, Main: key.Main(), Limits: limits(), Skills: r.Skills, Env: r.Env,
		stateDir: conf.StateDir, configFile: conf.File,
	}
	box := agent.Sandbox
	if box.Backend != config.BackendWasm { // the configuration refuses it, too
		return nil, fmt.Errorf("confinement: agent %s: there is no back end %q: tools run inside WebAssembly, and nothing runs outside it instead", agent.ID, box.Backend)
	}
	if box.Scope == config.ScopeShared { // what all agents share cannot be each one's to place
		box.WorkspaceRoot = conf.Agents.Defaults.Sandbox.WorkspaceRoot
	}
	source := func(name string) string { return sourceOf(conf, agent.ID, name) }
	p.Mode = Setting{string(box.Mode), source("mode")}
	p.Scope = Setting{string(box.Scope), source("scope")}
	p.Access = Setting{string(box.WorkspaceAccess), source("workspaceAccess")}
	p.Root = Setting{box.WorkspaceRoot, source("workspaceRoot")}
	p.Backend = Setting{string(box.Backend), source("backend")}
	p.Sandboxed = box.Mode == config.SandboxAll || box.Mode == config.SandboxNonMain && !p.Main
	if err := p.place(box); err != nil {
		return nil, err
	}
	p.Kind = kindOf(key, p.Owner == nil)
	if err := p.mount(box, r.Skills); err != nil {
		return nil, err
	}
	p.layers = toolLayers(conf, agent, p, r.Model)
	p.Tools = p.decideTools()
	return p, nil
}

// resolve finds the agent and the session that are meant.
func resolve(conf *config.Config, r Request) (*config.Agent, session.Key, error) {
	id := r.Agent
	var key session.Key
	if r.Key != "" {
		var err error
		if key, err = session.ParseKey(r.Key); err != nil {
			return nil, key, err
		}
		if id == "" {
			id = key.Agent
		}
	}
	if id == "" {
		var ok bool
		if id, ok = conf.DefaultAgent(); !ok {
			return nil, key, fmt.Errorf("confinement: several agents are configured and none is called %q: name one", config.DefaultAgentID)
		}
	}
	agent, err := conf.Agent(id)
	if err != nil {
		return nil, key, err
	}
	if r.Key == "" {
		key, err = session.ParseKey(mainKey(conf, agent.ID))
		return agent, key, err
	}
	if key.Agent != "" && !strings.EqualFold(key.Agent, agent.ID) {
		return nil, key, fmt.Errorf("confinement: session %s: %w %q", key, ErrSession, agent.ID)
	}
	return agent, key, nil
}

func mainKey(conf *config.Config, agent string) string {
	if conf.Session.Scope == config.ScopeGlobal {
		return session.GlobalKey
	}
	return session.MainKey(agent)
}

// sourceOf is the path of the configuration that sets a key of an agent's sandbox.
func sourceOf(conf *config.Config, agent, name string) string {
	const fallback = "default"
	at := func(steps ...json5.Step) (string, bool) {
		path := append(json5.Path{json5.Key("agents")}, steps...)
		path = append(path, json5.Key("sandbox"), json5.Key(name))
		return path.String(), conf.Value(path) != nil
	}
	for _, id := range entryNames(conf) {
		if !strings.EqualFold(id, agent) {
			continue
		}
		if path, ok := at(json5.Key("entries"), json5.Key(id)); ok {
			return path
		}
	}
	for i, id := range conf.Agents.IDs { // the older form keeps the order
		if path, ok := at(json5.Key("list"), json5.At(i)); ok && id == agent {
			return path
		}
	}
	if path, ok := at(json5.Key("defaults")); ok {
		return path
	}
	return fallback
}

// entryNames are the agents as the file spells them.
func entryNames(conf *config.Config) []string {
	node := conf.Value(json5.Path{json5.Key("agents"), json5.Key("entries")})
	if node == nil {
		return nil
	}
	var names []string
	for _, m := range node.Members {
		names = append(names, m.Name)
	}
	return names
}

// place decides whose directory the session's workspace is.
func (p *Plan) place(box config.Sandbox) error {
	if !p.Sandboxed || box.WorkspaceAccess == config.AccessReadWrite {
		return nil
	}
	id, err := workspace.Identify(p.Agent.Workspace)
	if err != nil {
		return err
	}
	p.Owner = &workspace.Owner{Scope: workspace.Scope(box.Scope)}
	if box.Scope != config.ScopeShared {
		p.Owner.Agent, p.Owner.Workspace = p.Agent.ID, id.Path
	}
	if box.Scope == config.ScopeSession {
		p.Owner.Session = p.Key.String()
	}
	return nil
}

// mount decides what the session's tools see.
func (p *Plan) mount(box config.Sandbox, skills []Skill) error {
	if p.Owner == nil {
		m := Mount{Guest: toolwasm.Workspace, Host: p.Agent.Workspace, Access: sandbox.ReadWrite, Reason: "the agent's workspace"}
		if !p.Main {
			m.Protect = append(protected(), skillPlaces...)
		}
		p.Mounts = append(p.Mounts, m)
	} else {
		p.Mounts = append(p.Mounts, Mount{
			Guest: toolwasm.Workspace, Host: filepath.Join(box.WorkspaceRoot, p.Owner.DirName()), Access: sandbox.ReadWrite,
			Protect: protected(), Reason: "the session's own directory" + sharing(p.Owner.Scope),
		})
		if box.WorkspaceAccess == config.AccessReadOnly {
			p.Mounts = append(p.Mounts, Mount{Guest: AgentDir, Host: p.Agent.Workspace, Access: sandbox.ReadOnly, Reason: "the agent's workspace"})
		}
	}
	for _, s := range skills {
		if s.Name == "" || s.Name != filepath.Base(s.Name) || !filepath.IsLocal(s.Name) {
			return fmt.Errorf("confinement: mount skill %q: not a plain name", s.Name)
		}
		p.Mounts = append(p.Mounts, Mount{Guest: SkillsDir + "/" + s.Name, Host: s.Dir, Access: sandbox.ReadOnly, Reason: "skill"})
	}
	return nil
}

func sharing(s workspace.Scope) string {
	switch s {
	case workspace.ScopeAgent:
		return ", shared by the agent's sessions"
	case workspace.ScopeShared:
		return ", shared by all sessions of all agents"
	}
	return ""
}

// skillPlaces are where skills lie in an agent's workspace: what is written there comes into the prompts of all its sessions.
var skillPlaces = []string{"/skills", "/.agents"}

// protected are the bootstrap files, present or not, as paths that stay read-only at the top of a mount.
func protected() []string {
	names := workspace.BootstrapFiles()
	for i, name := range names {
		names[i] = "/" + name
	}
	return names
}

// kindOf decides which bootstrap files a session gets. A session that works in the agent's own workspace and has no other readers
// gets what the main one gets: it can read the files anyway.
func kindOf(key session.Key, inAgentWorkspace bool) workspace.Kind {
	switch key.Kind {
	case session.KindGroup, session.KindChannel:
		return workspace.KindGroup
	case session.KindSubagent:
		return workspace.KindSubagent
	case session.KindCron:
		return workspace.KindCron
	}
	if key.Main() || inAgentWorkspace && key.Kind != session.KindHook {
		return workspace.KindMain
	}
	return workspace.KindOther
}

// limits are those of the sandbox, spelt out so that they can be shown.
func limits() sandbox.Limits {
	return sandbox.Limits{
		Timeout: sandbox.DefaultTimeout, Memory: sandbox.DefaultMemory, Disk: sandbox.DefaultDisk, FileSize: sandbox.DefaultFileSize,
		Files: sandbox.DefaultFiles, Handles: sandbox.DefaultHandles, Depth: sandbox.DefaultDepth, Output: sandbox.DefaultOutput,
	}
}

// BootstrapDir is where the session finds its bootstrap files; empty when it cannot read them. In a directory that agents share
// there are none, because each agent has its own.
func (p *Plan) BootstrapDir() string {
	switch {
	case p.Owner == nil || p.Owner.Scope != workspace.ScopeShared:
		return toolwasm.Workspace
	case len(p.Mounts) > 1 && p.Mounts[1].Guest == AgentDir:
		return AgentDir
	}
	return ""
}
