package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"openclaw/runtime/config/json5"
)

// Config is a valid configuration with every default in place. It must not be changed.
type Config struct {
	Location
	Exists   bool // the file was there
	Env      map[string]string
	Agents   Agents
	Session  Session
	Models   Models
	Auth     Auth
	Tools    Tools
	Skills   Skills
	Messages Messages
	Channels map[string]Channel

	tree    *json5.Node // the files' content with $include resolved, placeholders as they are
	lookup  func(string) (string, bool)
	secrets map[*json5.Node]bool
}

// rootKeys is the table of keys. Everything that the configuration may hold begins here.
var rootKeys = keysOf([]field[Config]{
	{
		name: "$schema", doc: "For editors; it means nothing to the runtime.", kind: "string", schema: map[string]any{"type": "string"},
		reset: func(*Config) {}, read: func(*decoder, json5.Path, *json5.Node, *Config) {},
	},
	group("env", object[Config]{fields: slices.Concat([]field[Config]{
		key("vars", mapOf("NAME", checkVariable, secret()), func(c *Config) *map[string]string { return &c.Env }, nil,
			"Variables for `${NAME}` that neither the environment nor `<state>/.env` sets."),
	}, reserved[Config]("is not supported: no host process is started to read an environment", "shellEnv"))}, self[Config], "Variables."),
	{
		name: "agents", doc: "The agents.", kind: "object", schema: agentsKeys.rule().schema, keys: agentsKeys.keys,
		reset: func(c *Config) {
			c.Agents = Agents{Entries: map[string]*Agent{}}
			defaultsKeys.reset(&c.Agents.Defaults)
		},
		read: func(d *decoder, at json5.Path, n *json5.Node, c *Config) { c.Agents.read(d, at, n) },
	},
	group("session", sessionKeys, func(c *Config) *Session { return &c.Session }, "Sessions."),
	group("models", modelsKeys, func(c *Config) *Models { return &c.Models }, "Providers of models."),
	group("auth", authKeys, func(c *Config) *Auth { return &c.Auth }, "Keys of providers that have several."),
},
	[]field[Config]{group("tools", toolsKeys, func(c *Config) *Tools { return &c.Tools }, "Tools.")},
	[]field[Config]{group("messages", messagesKeys, func(c *Config) *Messages { return &c.Messages }, "Messages.")},
	channelsKeys,
	[]field[Config]{group("skills", skillsKeys, func(c *Config) *Skills { return &c.Skills }, "Skills.")},
	reserved[Config](notYet("gateway"), "gateway", "hooks", "cron", "ui", "update"),
	reserved[Config](notYet("plug-ins"), "plugins", "memory", "mcp"),
	reserved[Config](notYet("keys for the protection of files"), "sandbox", "security"),
	reserved[Config](notYet("secret stores"), "secrets"),
	reserved[Config](notYet("logs"), "logging"),
	reserved[Config]("is not supported: there are no chat channels", "accessGroups", "bindings", "commands"),
	reserved[Config]("is from an older version: use agents.defaults", "agent"),
)

func checkVariable(name string) error {
	if !variableName.MatchString(name) {
		return errors.New("must be the name of a variable: letters, digits and '_'")
	}
	if strings.HasPrefix(name, "OPENCLAW_") {
		return errors.New("must be set in the process's environment, not here")
	}
	return nil
}

// Load finds, reads and validates the configuration. A file that does not exist is an empty one. What is wrong with the
// configuration is an *InvalidError; any other error means that not even its place is known.
func Load(ctx context.Context, o Options) (*Config, error) {
	location, err := Locate(o)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("config: load %s: %w", location.File, err)
	}
	p := newProblems()
	data, err := readFile(location.File)
	if err != nil {
		p.add(Problem{Position: json5.Position{File: location.File}, Reason: ReasonFile, Message: err.Error()})
		return nil, p.err(location.File)
	}
	return parseConfig(o, location, p, data, false)
}

// parseConfig validates a text as the configuration; nil is a file that does not exist.
func parseConfig(o Options, location Location, p *problems, data []byte, future bool) (*Config, error) {
	c := &Config{Location: location, Exists: data != nil, secrets: map[*json5.Node]bool{}}
	text := string(data)
	if data == nil {
		text = "{}"
	}
	s := &source{problems: p, file: location.File, roots: append([]string{filepath.Dir(location.File)}, location.IncludeRoots...)}
	doc := s.parse(location.File, text)
	if doc == nil {
		return nil, p.err(location.File)
	}
	c.tree = s.resolve(nil, doc.Root, []string{location.File})
	c.lookup = lookupFrom(o, location, p, envVars(c.tree))
	d := &decoder{problems: p, lookup: c.lookup, options: o, secrets: c.secrets, future: future}
	rootKeys.reset(c)
	rootKeys.read(d, nil, c.tree, c)
	if len(p.list) == 0 {
		c.finish(d)
	}
	if err := p.err(location.File); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Config) finish(d *decoder) {
	if m := &c.Session.Maintenance; m.HighWaterBytes == 0 {
		m.HighWaterBytes = m.MaxDiskBytes / 100 * highWaterPercent
	}
	if providers := c.tree.At(json5.Path{json5.Key("models"), json5.Key("providers")}); providers != nil {
		for _, m := range providers.Members {
			c.Models.IDs = append(c.Models.IDs, m.Name)
		}
	}
	c.resolveSkills()
	c.Agents.resolve(c.Location)
	c.Agents.separate(d, c.tree, c.Location)
}

// envVars is the content of env.vars, which placeholders elsewhere may use. Its own mistakes are found when it is read.
func envVars(root *json5.Node) map[string]string {
	vars := map[string]string{}
	n := root.At(json5.Path{json5.Key("env"), json5.Key("vars")})
	if n == nil {
		return vars
	}
	for _, m := range n.Members {
		if m.Value.Kind == json5.String && checkVariable(m.Name) == nil {
			vars[m.Name] = m.Value.Str
		}
	}
	return vars
}

// lookupFrom finds a variable in the environment, in <state>/.env or in env.vars; the first that has it wins.
func lookupFrom(o Options, l Location, p *problems, vars map[string]string) func(string) (string, bool) {
	file := readDotEnv(l, p)
	process := o.LookupEnv
	if process == nil {
		process = os.LookupEnv
	}
	return func(name string) (string, bool) {
		if v, ok := process(name); ok {
			return v, true
		}
		if v, ok := file[name]; ok {
			return v, true
		}
		if v, ok := vars[name]; ok && !placeholder.MatchString(v) {
			return v, true
		}
		return "", false
	}
}

func readDotEnv(l Location, p *problems) map[string]string {
	name := filepath.Join(l.StateDir, dotEnvName)
	fail := func(line int, message string) {
		position := json5.Position{File: name}
		if line > 0 {
			position.Line, position.Column = line, 1
		}
		p.add(Problem{Position: position, Reason: ReasonFile, Message: message, order: maxIncludes + 1})
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		fail(0, cause(err).Error())
		return nil
	case !info.Mode().IsRegular() || info.Size() > json5.MaxSize:
		fail(0, "is not a regular file of at most 2 MiB")
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		fail(0, cause(err).Error())
		return nil
	}
	vars, wrong := parseDotEnv(string(data))
	if wrong > 0 {
		fail(wrong, "is not NAME=VALUE")
	}
	return vars
}

// LookupEnv finds a variable where ${NAME} does: in the process's environment, in <state>/.env, in env.vars.
func (c *Config) LookupEnv(name string) (string, bool) { return c.lookup(name) }

// DefaultAgent is the agent that is meant when none is named: the only one, or "main". It is not ok when several are
// configured and none of them is "main".
func (c *Config) DefaultAgent() (id string, ok bool) {
	switch {
	case len(c.Agents.IDs) == 0, c.Agents.Entries[DefaultAgentID] != nil:
		return DefaultAgentID, true
	case len(c.Agents.IDs) == 1:
		return c.Agents.IDs[0], true
	}
	return "", false
}

// ErrNoAgent is the cause when an agent is not configured.
var ErrNoAgent = errors.New("no such agent")

// Agent is the configuration of one agent. Ids do not differ by case. Where no agent is configured there is "main".
func (c *Config) Agent(id string) (*Agent, error) {
	if err := checkAgentID(id); err != nil {
		return nil, fmt.Errorf("config: agent %q: the id %w", id, err)
	}
	id = strings.ToLower(id)
	if agent := c.Agents.Entries[id]; agent != nil {
		return agent, nil
	}
	if len(c.Agents.IDs) == 0 && id == DefaultAgentID {
		agent := c.Agents.fresh()
		agent.ID, agent.Workspace = id, c.Agents.Defaults.Workspace
		return agent, nil
	}
	known := c.Agents.IDs
	if len(known) == 0 {
		known = []string{DefaultAgentID}
	}
	return nil, fmt.Errorf("config: agent %q: %w (configured: %s)", id, ErrNoAgent, strings.Join(known, ", "))
}

// Keys lists every key, in the order of the reference.
func Keys() []Key {
	var keys []Key
	rootKeys.keys("", func(k Key) { keys = append(keys, k) })
	return keys
}

// KeyAt is the key of the reference that a path names.
func KeyAt(path json5.Path) (Key, bool) {
	for _, k := range Keys() {
		if matches(k.Path, path) {
			return k, true
		}
	}
	return Key{}, false
}

// matches reports whether a path is an instance of a key's path, where <name> is any key and [] any index.
func matches(pattern string, path json5.Path) bool {
	steps := strings.Split(strings.ReplaceAll(pattern, "[]", ".[]"), ".")
	if len(steps) != len(path) {
		return false
	}
	for i, step := range path {
		_, index := step.Index()
		if steps[i] != step.Name() && !strings.HasPrefix(steps[i], "<") && (steps[i] != "[]" || !index) {
			return false
		}
	}
	return true
}

// Schema is the JSON Schema (2020-12) of a configuration without $include.
func Schema() ([]byte, error) {
	schema := map[string]any{}
	for k, v := range rootKeys.rule().schema {
		schema[k] = v
	}
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "openclaw.json"
	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("config: write the schema: %w", err)
	}
	return append(out, '\n'), nil
}
