package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones are valid or not whatever the machine has

	"openclaw/runtime/config/json5"
)

// DefaultAgentID is the agent that exists when none is configured.
const DefaultAgentID = "main"

// ContextInjection says when the bootstrap files go into the prompt.
type ContextInjection string

// When the bootstrap files are injected.
const (
	InjectAlways           ContextInjection = "always"
	InjectContinuationSkip ContextInjection = "continuation-skip"
	InjectNever            ContextInjection = "never"
)

// OptionalFile is a bootstrap file that seeding can leave out.
type OptionalFile string

// Agent is what is configured for one agent: its own entry over agents.defaults.
type Agent struct {
	ID                         string
	Workspace                  string // absolute
	SkipBootstrap              bool
	SkipOptionalBootstrapFiles []OptionalFile
	ContextInjection           ContextInjection
	BootstrapMaxChars          int64
	BootstrapTotalMaxChars     int64
	UserTimezone               string // empty: the host's
	Sandbox                    Sandbox
	AgentModels
	Tools        AgentTools // the agent's own; they narrow Config.Tools
	Skills       []string   // those that it is offered; nil: all
	SkillsLimits SkillsLimits
	AgentStreaming
	Compaction Compaction // the same for all agents
}

// SandboxMode says which sessions get a directory of their own.
type SandboxMode string

// Which sessions work in a directory of their own. Tools run inside the sandbox in every mode.
const (
	SandboxOff     SandboxMode = "off"      // none: every session mounts the agent's workspace
	SandboxNonMain SandboxMode = "non-main" // every session but the main one
	SandboxAll     SandboxMode = "all"
)

// SandboxScope says who shares a directory.
type SandboxScope string

// Who shares a directory under the workspace root.
const (
	ScopeSession SandboxScope = "session"
	ScopeAgent   SandboxScope = "agent"
	ScopeShared  SandboxScope = "shared"
)

// WorkspaceAccess says what a sandboxed session sees of the agent's workspace.
type WorkspaceAccess string

// What a sandboxed session sees of the agent's workspace.
const (
	AccessNone      WorkspaceAccess = "none"
	AccessReadOnly  WorkspaceAccess = "ro" // at /agent
	AccessReadWrite WorkspaceAccess = "rw" // at /workspace
)

// Backend is what tools run in.
type Backend string

// BackendWasm is the only back end.
const BackendWasm Backend = "wasm"

// Sandbox says what sessions mount.
type Sandbox struct {
	Mode            SandboxMode
	Scope           SandboxScope
	WorkspaceAccess WorkspaceAccess
	WorkspaceRoot   string // absolute
	Backend         Backend
	Prune           Prune
}

// Prune says when a session's directory is removed. Zero is never.
type Prune struct {
	IdleHours  int64
	MaxAgeDays int64
}

var pruneKeys = object[Prune]{fields: []field[Prune]{
	key("idleHours", integer(0, noLimit), func(p *Prune) *int64 { return &p.IdleHours }, 24,
		"Remove a session's directory after so many hours without use. 0: never."),
	key("maxAgeDays", integer(0, noLimit), func(p *Prune) *int64 { return &p.MaxAgeDays }, 7,
		"Remove a session's directory so many days after it was made. 0: never."),
}}

const noContainers = "is not supported: there are no containers, tools run inside WebAssembly"

var sandboxKeys = keysOf(
	[]field[Sandbox]{
		key("mode", oneOf(SandboxOff, SandboxNonMain, SandboxAll), func(s *Sandbox) *SandboxMode { return &s.Mode }, SandboxNonMain,
			`Which sessions work in a directory of their own: "non-main" all but the main session, "all" the main one too, "off" none, so that every session mounts the agent's workspace. Tools run inside the sandbox in every mode.`),
		key("scope", oneOf(ScopeSession, ScopeAgent, ScopeShared), func(s *Sandbox) *SandboxScope { return &s.Scope }, ScopeSession,
			"Who shares such a directory: nobody, all sessions of the agent, or all sessions of all agents."),
		key("workspaceAccess", oneOf(AccessNone, AccessReadOnly, AccessReadWrite), func(s *Sandbox) *WorkspaceAccess { return &s.WorkspaceAccess }, AccessNone,
			"What such a session sees of the agent's workspace: nothing, the files read-only at `/agent`, or the workspace itself at `/workspace`."),
		shown("<state>/sandboxes", key("workspaceRoot", directory(), func(s *Sandbox) *string { return &s.WorkspaceRoot }, "",
			"Where the directories of sessions are made.")),
		key("backend", backend(), func(s *Sandbox) *Backend { return &s.Backend }, BackendWasm,
			"What tools run in. There is one back end; the names of container back ends are refused."),
		group("prune", pruneKeys, func(s *Sandbox) *Prune { return &s.Prune }, "When directories of sessions are removed."),
	},
	reserved[Sandbox](noContainers, "docker", "ssh", "browser"),
	reserved[Sandbox](notYet("sub-agents"), "sessionToolsVisibility"),
)

// backend is oneOf with a clearer message for what other products have.
func backend() rule[Backend] {
	r := oneOf(BackendWasm)
	read := r.read
	r.read = func(d *decoder, at json5.Path, n *json5.Node, into *Backend) {
		switch n.Str {
		case "docker", "podman", "ssh", "openshell", "crabbox":
			d.at(n.Span, at, ReasonNotSupported, "there is no back end %s: tools run inside WebAssembly, and nothing runs outside it instead", shownText(n.Str))
		default:
			read(d, at, n, into)
		}
	}
	return r
}

// shown gives a default that depends on the machine its text in the reference.
func shown[T any](initial string, f field[T]) field[T] {
	f.initial = initial
	return f
}

// sharedKeys are the keys of agents.defaults and of an entry.
var sharedKeys = slices.Concat([]field[Agent]{
	shown("<state>/workspace", key("workspace", directory(), func(a *Agent) *string { return &a.Workspace }, "",
		"The agent's workspace. With several agents, one without its own gets a directory named as the agent below this one, or `<state>/workspace-<id>`.")),
	key("contextInjection", oneOf(InjectAlways, InjectContinuationSkip, InjectNever), func(a *Agent) *ContextInjection { return &a.ContextInjection }, InjectAlways,
		"When the bootstrap files go into the prompt: in every turn, only until a turn has had them in full, or never."),
	key("bootstrapMaxChars", integer(1, noLimit), func(a *Agent) *int64 { return &a.BootstrapMaxChars }, 20000,
		"How much of one bootstrap file goes into the prompt, in UTF-16 units."),
	key("bootstrapTotalMaxChars", integer(1, noLimit), func(a *Agent) *int64 { return &a.BootstrapTotalMaxChars }, 60000,
		"How much of all bootstrap files together goes into the prompt, in UTF-16 units."),
	group("sandbox", sandboxKeys, func(a *Agent) *Sandbox { return &a.Sandbox }, "What sessions mount."),
},
	modelKeys,
	agentSkillKeys,
	reserved[Agent]("is not supported: tools work in /workspace and know no other directory", "cwd", "repoRoot"),
	reserved[Agent](notYet("sub-agents"), "subagents"),
	reserved[Agent](notYet("compaction and context limits"), "contextLimits"),
	streamingKeys,
	reserved[Agent](notYet("streaming"), "typingMode", "fastModeDefault"),
	reserved[Agent](notYet("heartbeats"), "heartbeat"),
)

var defaultsKeys = keysOf(sharedKeys, []field[Agent]{
	key("skipBootstrap", boolean(), func(a *Agent) *bool { return &a.SkipBootstrap }, false,
		"Make no bootstrap files in a workspace, and inject none."),
	key("skipOptionalBootstrapFiles", listOf(oneOf[OptionalFile]("SOUL.md", "IDENTITY.md", "USER.md")),
		func(a *Agent) *[]OptionalFile { return &a.SkipOptionalBootstrapFiles }, nil,
		"Bootstrap files that are not made in a new workspace."),
	key("userTimezone", text("time zone such as Europe/Berlin", checkTimezone), func(a *Agent) *string { return &a.UserTimezone }, "",
		"The zone of the date in the prompt. Without it the host's."),
},
	modelDefaultsKeys,
	[]field[Agent]{group("compaction", compactionKeys, func(a *Agent) *Compaction { return &a.Compaction }, "How conversations that outgrow the model's window are shortened.")},
	streamingDefaultsKeys,
	reserved[Agent](notYet("pruning and context limits"), "startupContext"),
	reserved[Agent]("is not supported: nothing runs outside the sandbox", "elevatedDefault"),
	reserved[Agent](notYet("image tools"), "imageModel", "pdfModel", "mediaModels", "imageMaxDimensionPx"),
	reserved[Agent]("is not supported: there is no system agent", "systemAgent"),
)

var entryFields = slices.Concat(sharedKeys,
	[]field[Agent]{group("tools", agentToolKeys, func(a *Agent) *AgentTools { return &a.Tools }, "The agent's own tool policy.")},
	reserved[Agent]("is set for all agents: use agents.defaults", setForAll...),
	reserved[Agent]("is set for all agents: use agents.defaults", "compaction", "skipBootstrap", "skipOptionalBootstrapFiles", "userTimezone"),
	reserved[Agent](notYet("names of agents"), "name", "identity"),
	reserved[Agent](`is not supported: the agent "main", or the only one, is the default`, "default"),
	reserved[Agent]("is not supported: there are no chat channels", "groupChat", "tts"),
)

var entryKeys = keysOf(entryFields)

// listedKeys are those of an item of the older agents.list, which has its id within.
var listedKeys = keysOf([]field[Agent]{
	needed(key("id", text("id of an agent", checkAgentID), func(a *Agent) *string { return &a.ID }, "", "The agent's id.")),
}, entryFields)

// directory is a path that does not depend on where the command was started.
func directory() rule[string] {
	r := text("absolute path, or one that begins with ~/", func(s string) error {
		switch {
		case strings.ContainsRune(s, 0):
			return errors.New("must be a path, and holds a NUL character")
		case filepath.IsAbs(s) || s == "~" || strings.HasPrefix(s, "~/"):
			return nil
		}
		return errors.New("must be an absolute path, or one that begins with ~/")
	})
	read := r.read
	r.read = func(d *decoder, at json5.Path, n *json5.Node, into *string) {
		before := *into
		read(d, at, n, into)
		if *into == before {
			return
		}
		path, err := d.options.expandHome(*into)
		if err != nil {
			d.at(n.Span, at, ReasonValue, "%v", err)
			return
		}
		*into = filepath.Clean(path)
	}
	return r
}

func checkTimezone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return errors.New(`must be the name of a time zone such as "Europe/Berlin"`)
	}
	return nil
}

const maxAgentID = 64

var agentID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

func checkAgentID(id string) error {
	if agentID.MatchString(id) {
		return nil
	}
	if safe := SafeAgentID(id); safe != "" {
		return fmt.Errorf("must be letters, digits, '-' and '_', at most %d, such as %q", maxAgentID, safe)
	}
	return fmt.Errorf("must be letters, digits, '-' and '_', at most %d", maxAgentID)
}

var unsafeRun = regexp.MustCompile(`[^a-z0-9_-]+`)

// SafeAgentID makes an id of any text. It is empty when nothing of the text can be in one.
func SafeAgentID(text string) string {
	id := strings.Trim(unsafeRun.ReplaceAllString(strings.ToLower(text), "-"), "-_")
	if len(id) > maxAgentID {
		id = strings.TrimRight(id[:maxAgentID], "-_")
	}
	return id
}

// Agents are the configured ones.
type Agents struct {
	Defaults Agent             // of an agent without an entry; ID is empty
	Entries  map[string]*Agent // by id in lower case; each already stands over Defaults
	IDs      []string          // of Entries, in the order of the file
}

// agentNodes remembers where agents were written until the defaults are known.
type agentNodes struct {
	defaults, entries, list       *json5.Node
	defaultsAt, entriesAt, listAt json5.Path
}

func nodeField(name string, keep func(*agentNodes) (**json5.Node, *json5.Path), r rule[struct{}], doc string) field[agentNodes] {
	return field[agentNodes]{
		name: name, doc: doc, kind: r.kind, schema: r.schema, keys: r.keys, open: r.open, reset: func(*agentNodes) {},
		read: func(_ *decoder, at json5.Path, n *json5.Node, owner *agentNodes) {
			node, path := keep(owner)
			*node, *path = n, at
		},
	}
}

// described is a rule's description without its reader.
func described[V any](r rule[V]) rule[struct{}] {
	return rule[struct{}]{kind: r.kind, schema: r.schema, keys: r.keys, open: r.open}
}

var agentsKeys = keysOf([]field[agentNodes]{
	nodeField("defaults", func(a *agentNodes) (**json5.Node, *json5.Path) { return &a.defaults, &a.defaultsAt },
		described(defaultsKeys.rule()), "What holds for every agent that says nothing else."),
	nodeField("entries", func(a *agentNodes) (**json5.Node, *json5.Path) { return &a.entries, &a.entriesAt },
		described(mapOf("id", nil, entryKeys.rule())), "The agents, by id. Without any there is one, called `main`."),
	nodeField("list", func(a *agentNodes) (**json5.Node, *json5.Path) { return &a.list, &a.listAt },
		described(listOf(listedKeys.rule())), "The older form of entries: a list of the same objects, each with its `id`."),
}, reserved[agentNodes]("is not supported: agents never share a workspace that is not theirs", "ownership"))

// read reads the defaults first, whatever the order in the file, then each agent over a copy of them.
func (a *Agents) read(d *decoder, at json5.Path, n *json5.Node) {
	var nodes agentNodes
	agentsKeys.read(d, at, n, &nodes)
	if nodes.defaults != nil {
		defaultsKeys.read(d, nodes.defaultsAt, nodes.defaults, &a.Defaults)
	}
	switch {
	case nodes.entries != nil && nodes.list != nil:
		d.at(n.Member("list").Key, nodes.listAt, ReasonConflict, "cannot stand beside agents.entries: move its agents there")
	case nodes.entries != nil:
		a.readEntries(d, nodes.entriesAt, nodes.entries)
	case nodes.list != nil:
		a.readList(d, nodes.listAt, nodes.list)
	}
}

func (a *Agents) readEntries(d *decoder, at json5.Path, n *json5.Node) {
	if n.Kind != json5.Object {
		d.wrongType(at, n, "an object with an entry for each agent")
		return
	}
	for _, m := range n.Members {
		path := at.Join(json5.Key(m.Name))
		if err := checkAgentID(m.Name); err != nil {
			d.at(m.Key, path, ReasonValue, "the id of an agent %v", err)
			continue
		}
		agent := a.fresh()
		entryKeys.read(d, path, m.Value, agent)
		a.add(d, path, m.Key, m.Name, agent)
	}
}

func (a *Agents) readList(d *decoder, at json5.Path, n *json5.Node) {
	if n.Kind != json5.Array {
		d.wrongType(at, n, "a list")
		return
	}
	for i, item := range n.Items {
		path := at.Join(json5.At(i))
		agent := a.fresh()
		listedKeys.read(d, path, item, agent)
		if agent.ID != "" {
			a.add(d, path.Join(json5.Key("id")), item.Get("id").Span, agent.ID, agent)
		}
	}
}

// fresh is a copy of the defaults for an entry to be read over.
func (a *Agents) fresh() *Agent {
	agent := a.Defaults
	agent.Workspace = ""
	agent.Models = maps.Clone(agent.Models)
	// What is the model's lies between the defaults and the agent's own.
	agent.Params, agent.ThinkingDefault = nil, ""
	return &agent
}

func (a *Agents) add(d *decoder, at json5.Path, span json5.Span, id string, agent *Agent) {
	id = strings.ToLower(id)
	if a.Entries[id] != nil {
		d.at(span, at, ReasonConflict, "there is an agent %q already: ids do not differ by case", id)
		return
	}
	agent.ID = id
	a.Entries[id] = agent
	a.IDs = append(a.IDs, id)
}

// resolve fills in the paths that depend on the machine.
func (a *Agents) resolve(l Location) {
	root := a.Defaults.Workspace
	if root == "" {
		a.Defaults.Workspace = l.Workspace
	}
	if a.Defaults.Sandbox.WorkspaceRoot == "" {
		a.Defaults.Sandbox.WorkspaceRoot = filepath.Join(l.StateDir, "sandboxes")
	}
	for id, agent := range a.Entries {
		switch {
		case agent.Workspace != "":
		case len(a.Entries) == 1:
			agent.Workspace = a.Defaults.Workspace
		case root != "":
			agent.Workspace = filepath.Join(root, id)
		default:
			agent.Workspace = filepath.Join(l.StateDir, "workspace-"+id)
		}
		if agent.Sandbox.WorkspaceRoot == "" {
			agent.Sandbox.WorkspaceRoot = a.Defaults.Sandbox.WorkspaceRoot
		}
	}
}

// stateDirs are the directories of the state directory that belong to the runtime.
var stateDirs = []string{"agents", "state", "credentials", "skills", "programs"}

// separate wants the directories apart: tools that could reach the state directory could change this configuration, and
// sessions that could reach each other's directories would not be apart.
func (a *Agents) separate(d *decoder, root *json5.Node, l Location) {
	check := func(agent *Agent, steps ...string) {
		span, path := nearestSpan(root, append(steps, "workspace"))
		for _, own := range stateDirs {
			if within(agent.Workspace, filepath.Join(l.StateDir, own)) {
				d.at(span, path, ReasonConflict, "the workspace %s is in the runtime's own directory %s", agent.Workspace, filepath.Join(l.StateDir, own))
				return
			}
		}
		switch {
		case within(l.StateDir, agent.Workspace):
			d.at(span, path, ReasonConflict, "the workspace %s holds the state directory, which tools must not reach", agent.Workspace)
		case within(l.File, agent.Workspace):
			d.at(span, path, ReasonConflict, "the workspace %s holds the configuration, which tools must not reach", agent.Workspace)
		case within(agent.Sandbox.WorkspaceRoot, agent.Workspace) || within(agent.Workspace, agent.Sandbox.WorkspaceRoot):
			d.at(span, path, ReasonConflict, "the workspace %s and the sandboxes' directory %s must not hold one another",
				agent.Workspace, agent.Sandbox.WorkspaceRoot)
		}
	}
	if len(a.Entries) == 0 {
		check(&a.Defaults, "agents", "defaults")
	}
	for _, id := range a.IDs {
		check(a.Entries[id], "agents", "entries", id)
	}
}

// nearestSpan is the deepest value on the way to a path, with its path.
func nearestSpan(root *json5.Node, names []string) (json5.Span, json5.Path) {
	var path json5.Path
	for _, name := range names {
		next := root.Get(name)
		if next == nil {
			break
		}
		root, path = next, path.Join(json5.Key(name))
	}
	return root.Span, path
}

// within reports whether a path is a directory or lies below it, by name.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
