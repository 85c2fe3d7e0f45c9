package config

import (
	"strings"

	"openclaw/runtime/config/json5"
)

// Redacted stands for a secret wherever a value is shown. It is never taken for a value.
const Redacted = "***"

// Value is what the files set at a path, with $include resolved, placeholders as they are, and secrets redacted. It is nil
// when the path is not set.
func (c *Config) Value(path json5.Path) *json5.Node {
	n := c.tree
	name := ""
	for _, step := range path {
		if n = n.At(json5.Path{step}); n == nil {
			return nil
		}
		if _, index := step.Index(); !index {
			name = step.Name()
		}
	}
	return c.redact(name, n)
}

// Origin is the place that sets a path. It is not ok when the path is not set, and has its default.
func (c *Config) Origin(path json5.Path) (json5.Position, bool) {
	n := c.tree.At(path)
	if n == nil {
		return json5.Position{}, false
	}
	return n.Position(), true
}

// AgentOrigin is the path and the place that decide a key of an agent, such as sandbox.mode: its own entry, else
// agents.defaults. It is not ok when neither sets the key, which then has its default.
func (c *Config) AgentOrigin(id string, keys ...string) (json5.Path, json5.Position, bool) {
	for _, path := range []json5.Path{c.entryPath(id), {json5.Key("agents"), json5.Key("defaults")}} {
		if path == nil {
			continue
		}
		for _, k := range keys {
			path = path.Join(json5.Key(k))
		}
		if position, ok := c.Origin(path); ok {
			return path, position, true
		}
	}
	return nil, json5.Position{}, false
}

// AgentEntry is where an agent's own entry is. It is not ok when the agent has none.
func (c *Config) AgentEntry(id string) (path json5.Path, ok bool) {
	path = c.entryPath(id)
	return path, path != nil
}

// entryPath is where an agent's entry is, or nil.
func (c *Config) entryPath(id string) json5.Path {
	agents := c.tree.Get("agents")
	if agents == nil {
		return nil
	}
	path := json5.Path{json5.Key("agents")}
	if entries := agents.Get("entries"); entries != nil {
		for _, m := range entries.Members {
			if strings.EqualFold(m.Name, id) {
				return path.Join(json5.Key("entries")).Join(json5.Key(m.Name))
			}
		}
	}
	if list := agents.Get("list"); list != nil {
		for i, item := range list.Items {
			if strings.EqualFold(item.Get("id").Str, id) {
				return path.Join(json5.Key("list")).Join(json5.At(i))
			}
		}
	}
	return nil
}

func (c *Config) redact(name string, n *json5.Node) *json5.Node {
	copied := json5.Node{Span: n.Span, Kind: n.Kind, Bool: n.Bool, Str: n.Str}
	switch n.Kind {
	case json5.String:
		if (c.secrets[n] || namesSecret(name)) && !isPlaceholder(n.Str) {
			copied.Str = Redacted
		}
	case json5.Array:
		copied.Items = make([]*json5.Node, len(n.Items))
		for i, item := range n.Items {
			copied.Items[i] = c.redact(name, item)
		}
	case json5.Object:
		copied.Members = make([]*json5.Member, len(n.Members))
		for i, m := range n.Members {
			copied.Members[i] = &json5.Member{Name: m.Name, Key: m.Key, Value: c.redact(m.Name, m.Value)}
		}
	}
	return &copied
}

// secretNames end the names of keys that hold a secret where the table of keys does not say: in objects of the user's own.
var secretNames = []string{"apikey", "api_key", "api-key", "token", "secret", "password", "passwd", "authorization"}

func namesSecret(name string) bool {
	name = strings.ToLower(name)
	for _, suffix := range secretNames {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
