package config

import (
	"regexp"
	"strings"

	"openclaw/runtime/config/json5"
)

// placeholder is ${NAME}, or $${NAME} for the text itself. Other uses of $ stand for themselves.
var placeholder = regexp.MustCompile(`\$?\$\{([A-Z_][A-Z0-9_]*)\}`)

// expand replaces the placeholders of a string. A variable that is not set, or is empty, is a mistake.
func (d *decoder) expand(at json5.Path, n *json5.Node) (string, bool) {
	ok := true
	missing := map[string]bool{}
	s := placeholder.ReplaceAllStringFunc(n.Str, func(match string) string {
		if rest, escaped := strings.CutPrefix(match, "$$"); escaped {
			return "$" + rest
		}
		name := match[len("${") : len(match)-len("}")]
		value, _ := d.lookup(name)
		if value == "" && !missing[name] {
			missing[name], ok = true, false
			d.at(n.Span, at, ReasonEnvironment, "the variable %s is not set in the environment", name)
		}
		return value
	})
	return s, ok
}

// isPlaceholder reports whether a string is nothing but one placeholder, which is no secret.
func isPlaceholder(s string) bool {
	m := placeholder.FindString(s)
	return m != "" && m == s
}

// parseDotEnv reads NAME=VALUE lines. It returns the number of the first line that is none, or 0.
func parseDotEnv(text string) (vars map[string]string, wrong int) {
	vars = map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		if !ok || !variableName.MatchString(name) {
			return vars, i + 1
		}
		vars[name] = dotEnvValue(strings.TrimSpace(value))
	}
	return vars, 0
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// dotEnvValue removes quotes, or a comment behind a value without quotes.
func dotEnvValue(s string) string {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		if end := strings.IndexByte(s[1:], s[0]); end >= 0 {
			return s[1 : 1+end]
		}
	}
	value, _, _ := strings.Cut(s, " #")
	return strings.TrimSpace(value)
}
