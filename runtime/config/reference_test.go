package config_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
)

var update = flag.Bool("update", false, "write docs/configuration.md")

const referenceHead = `# Configuration

The runtime reads one file, ` + "`<state>/openclaw.json`" + `, in JSON5: comments, trailing commas, single quotes and keys without quotes
are fine. The file is optional. ` + "`openclaw config`" + ` reads, checks and edits it.

## Where

| variable | meaning |
|---|---|
| ` + "`OPENCLAW_STATE_DIR`" + ` | the state directory ` + "`<state>`" + `; otherwise ` + "`~/.openclaw`" + `, or ` + "`~/.openclaw-<profile>`" + ` |
| ` + "`OPENCLAW_PROFILE`" + ` | a name for a separate state directory |
| ` + "`OPENCLAW_CONFIG_PATH`" + ` | another configuration file; it must be a regular file, not a link |
| ` + "`OPENCLAW_WORKSPACE_DIR`" + ` | the default workspace, where ` + "`agents.defaults.workspace`" + ` says nothing |
| ` + "`OPENCLAW_INCLUDE_ROOTS`" + ` | more directories that ` + "`$include`" + ` may read, separated as in ` + "`PATH`" + ` |
| ` + "`OPENCLAW_CONFIG_READONLY`" + ` | refuse every write, unless it is empty or 0 |

## How it is read

- **` + "`$include`" + `** in any object takes the content of another file, or of a list of files, below the configuration's directory. Later files
  win over earlier ones and the keys beside it over all of them; objects are merged, lists joined. At most 10 levels, 100 files, 2 MiB each.
- **` + "`${NAME}`" + `** in any string is the variable's value, from the process's environment, else ` + "`<state>/.env`" + `, else ` + "`env.vars`" + `. A variable that is
  not set or is empty is a mistake. ` + "`$${NAME}`" + ` is the text itself. Names are upper-case letters, digits and ` + "`_`" + `.
- **Strict.** An unknown key, a wrong value, a key twice, or a key that this version does not act on is a mistake. Every command then stops
  with status 78 and lists all mistakes with file, line, column, path, reason and the nearest key; ` + "`openclaw config validate`" + ` does the same.
- **Agents.** An agent's entry stands over ` + "`agents.defaults`" + `, key by key. Ids do not differ by case. A workspace that holds the state directory or
  the configuration is refused, because an agent's tools could then change what confines them.

## How it is written

` + "`openclaw config set`" + ` and ` + "`unset`" + ` change one value in the text and keep comments, order and formatting. The result is validated first; a
mistake is refused before anything is written. The file is replaced as a whole, private to its user, and the last five versions are kept as
` + "`openclaw.json.bak`" + `, ` + "`.bak.1`" + ` … ` + "`.bak.4`" + `. Values of included files are edited in those files.

Statuses of ` + "`openclaw config`" + `: 0 done; 1 the path is not set, or the edit or the write was refused; 78 the configuration is not valid;
125 the command line is wrong.

## Keys

Lengths of bootstrap files count UTF-16 units. ` + "`<name>`" + ` stands for a key of your own and ` + "`[]`" + ` for the items of a list. An entry of an agent has the same
keys as ` + "`agents.defaults`" + `, except those that are set for all agents, and takes their values from there. Reset policies by type and channel have the keys of
` + "`session.reset`" + `.

`

// reference is docs/configuration.md.
func reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	b.WriteString("| key | value | default | meaning |\n|---|---|---|---|\n")
	refused := map[string][]string{}
	var reasons []string
	known := map[string]bool{}
	for _, k := range config.Keys() {
		if known[sameAs(k.Path)] {
			continue
		}
		known[k.Path] = true
		if k.Refused == "" {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Path, cell(k.Kind), code(k.Default), cell(k.Doc))
			continue
		}
		if refused[k.Refused] == nil {
			reasons = append(reasons, k.Refused)
		}
		refused[k.Refused] = append(refused[k.Refused], "`"+k.Path+"`")
	}
	b.WriteString("\n## Keys that are refused\n\nKeys of the format that this version does not act on, with what is said about them.\n\n| keys | message |\n|---|---|\n")
	for _, reason := range reasons {
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(refused[reason], ", "), cell(reason))
	}
	return b.String()
}

// sameAs is the key whose meaning another one shares.
func sameAs(path string) string {
	for prefix, original := range map[string]string{
		"agents.entries.<id>.":              "agents.defaults.",
		"agents.list[].":                    "agents.defaults.",
		"session.resetByType.<type>.":       "session.reset.",
		"session.resetByChannel.<channel>.": "session.reset.",
	} {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			return original + rest
		}
	}
	return ""
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + cell(s) + "`"
}

func TestTheReferenceIsMadeFromTheTable(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "configuration.md")
	if *update {
		if err := os.WriteFile(file, []byte(reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != reference() {
		t.Error("docs/configuration.md is not made from the table of keys: go test ./runtime/config -run Reference -update")
	}
}

func TestEveryKeyIsExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range config.Keys() {
		if seen[k.Path] {
			t.Errorf("%s is twice in the table", k.Path)
		}
		seen[k.Path] = true
		if k.Refused == "" && (k.Doc == "" || k.Kind == "") {
			t.Errorf("%+v has no explanation", k)
		}
	}
}

// TestDefaultsAreValid wants that each default, written out, is accepted and changes nothing.
func TestDefaultsAreValid(t *testing.T) {
	for _, k := range config.Keys() {
		if k.Refused != "" || k.Default == "" || strings.ContainsAny(k.Path, "<[") || strings.HasPrefix(k.Default, "<") || strings.Contains(k.Default, "%") {
			continue
		}
		if _, err := json5.Parse("", k.Default); err != nil {
			continue // is told in words
		}
		if k.Path == "session.reset.atHour" {
			continue // does nothing without a mode
		}
		h := newHome(t, "", nil)
		want := fmt.Sprintf("%+v %+v", h.load().Agents.Defaults, h.load().Session)
		if _, err := h.change(k.Path, k.Default); err != nil {
			t.Errorf("%s: %v", k.Path, err)
			continue
		}
		if got := fmt.Sprintf("%+v %+v", h.load().Agents.Defaults, h.load().Session); got != want {
			t.Errorf("%s: the default %s makes a difference", k.Path, k.Default)
		}
	}
}

// TestSchemaHasTheAcceptedKeys walks the schema and wants what the table has, and nothing that is refused.
func TestSchemaHasTheAcceptedKeys(t *testing.T) {
	data, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	for _, k := range config.Keys() {
		found := inSchema(schema, strings.ReplaceAll(k.Path, "[]", ".[]"))
		if found != (k.Refused == "") {
			t.Errorf("%s: in the schema %v, refused %q", k.Path, found, k.Refused)
		}
	}
}

func inSchema(schema map[string]any, path string) bool {
	step, rest, more := strings.Cut(path, ".")
	var next any
	switch {
	case step == "[]":
		next = schema["items"]
	case strings.HasPrefix(step, "<"):
		next = schema["additionalProperties"]
	default:
		properties, _ := schema["properties"].(map[string]any)
		next = properties[step]
	}
	if below, ok := next.(map[string]any); ok && below["anyOf"] != nil && more {
		for _, option := range below["anyOf"].([]any) {
			if inSchema(option.(map[string]any), rest) {
				return true
			}
		}
	}
	below, ok := next.(map[string]any)
	return ok && (!more || inSchema(below, rest))
}

func TestNearestFindsSlipsOfThePen(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"mod", "mode"},
		{"mdoe", "mode"},
		{"MODE", "mode"},
		{"workspacAcess", "workspaceAccess"},
		{"workspaceaccess", "workspaceAccess"},
		{"prnue", "prune"},
		{"xyz", ""},
		{"", ""},
		{"completelyDifferent", ""},
	} {
		if got := config.Nearest(c.name, []string{"mode", "scope", "workspaceAccess", "workspaceRoot", "prune"}); got != c.want {
			t.Errorf("nearest to %q is %q, want %q", c.name, got, c.want)
		}
	}
}

// TestWhatChangeWritesLoadAccepts makes random edits: each is refused and changes nothing, or is what Load then reads.
func TestWhatChangeWritesLoadAccepts(t *testing.T) {
	var paths []string
	for _, k := range config.Keys() {
		paths = append(paths, strings.NewReplacer("<id>", "a", "<name>", "n", "<NAME>", "N", "<type>", "group", "<channel>", "irc", "[]", "[0]").Replace(k.Path))
	}
	values := []string{`"all"`, `"main"`, `5`, `0`, `true`, `null`, `{}`, `[]`, `"30d"`, `["USER.md"]`, `"~/x"`, `"/"`, `{mode: "daily"}`, `"${SET}"`, `"${UNSET}"`, `"***"`}
	h := newHome(t, commented, nil)
	h.env["SET"] = "planted"
	rapid.Check(t, func(t *rapid.T) {
		at, value := rapid.SampledFrom(paths).Draw(t, "path"), rapid.SampledFrom(append(values, "")).Draw(t, "value")
		before := h.read("openclaw.json")
		_, err := h.change(at, value)
		after := h.read("openclaw.json")
		if err != nil && after != before {
			t.Fatalf("%s=%s was refused, and the file changed: %v", at, value, err)
		}
		if err != nil && strings.Contains(err.Error(), "planted") || strings.Contains(after, "planted") {
			t.Fatalf("%s=%s shows a secret: %v", at, value, err)
		}
		if _, err := config.Load(h.t.Context(), h.options()); err != nil {
			t.Fatalf("%s=%s was written and is not valid: %v", at, value, err)
		}
	})
}

// FuzzLoad wants of any text that it is read or refused with places.
func FuzzLoad(f *testing.F) {
	for _, c := range mistakes {
		f.Add(c.text)
	}
	f.Add(commented)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "include") {
			return // reads no files of the machine that fuzzes
		}
		h := &home{t: t, dir: dir, env: map[string]string{config.EnvStateDir: dir}}
		h.write("openclaw.json", text)
		c, err := config.Load(t.Context(), h.options())
		if err != nil {
			h.problems(err)
			return
		}
		for _, id := range c.Agents.IDs {
			if _, err := c.Agent(id); err != nil {
				t.Errorf("an agent of the file: %v", err)
			}
		}
		c.Value(json5.Path{json5.Key("agents")})
	})
}
