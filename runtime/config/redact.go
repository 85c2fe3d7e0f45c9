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
