package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/config"
)

// mistakes are configurations and everything that is said about them. $ stands for the state directory.
var mistakes = []struct {
	name, text string
	files      map[string]string
	want       []string
}{
	{"unknown key at the root", `{ agent5: {} }`, nil, []string{`openclaw.json:1:3: agent5: unknown key (did you mean "agents"?)`}},
	{"unknown key, nothing near", `{ zzz: 1 }`, nil, []string{`openclaw.json:1:3: zzz: unknown key (known here: $schema, env, agents, session, models, auth, tools, messages, skills)`}},
	{"unknown key in defaults", "{\n  agents: {\n    defaults: { sandbx: {} },\n  },\n}", nil, []string{`openclaw.json:3:17: agents.defaults.sandbx: unknown key (did you mean "sandbox"?)`}},
	{"unknown key in an entry", `{ agents: { entries: { a: { sandbox: { modus: "all" } } } } }`, nil, []string{`openclaw.json:1:40: agents.entries.a.sandbox.modus: unknown key (did you mean "mode"?)`}},
	{"unknown key with another case", `{ session: { Scope: "main" } }`, nil, []string{`openclaw.json:1:14: session.Scope: unknown key (did you mean "scope"?)`}},
	{"unknown key that needs quotes", `{ "a.b": 1 }`, nil, []string{`openclaw.json:1:3: ["a.b"]: unknown key (known here: $schema, env, agents, session, models, auth, tools, messages, skills)`}},
	{"two letters swapped", `{ sesison: {} }`, nil, []string{`openclaw.json:1:3: sesison: unknown key (did you mean "session"?)`}},
	{"older root key", `{ agent: { skipBootstrap: true } }`, nil, []string{`openclaw.json:1:3: agent: is from an older version: use agents.defaults`}},
	{"section of a later version", `{ gateway: { port: 1 } }`, nil, []string{`openclaw.json:1:3: gateway: is not supported by this version, which has no gateway yet`}},
	{"key of a later version", `{ models: { providers: { p: { request: {} } } } }`, nil, []string{`openclaw.json:1:31: models.providers.p.request: is not supported by this version, which has no settings of connections yet`}},
	{"parameter of a later version", `{ agents: { defaults: { params: { fastMode: "auto" } } } }`, nil, []string{`openclaw.json:1:35: agents.defaults.params.fastMode: is not supported by this version, which has no such parameter yet`}},
	{"parameter out of range", `{ agents: { defaults: { models: { "a/b": { params: { temperature: 3, maxTokens: "5" } } } } } }`, nil, []string{
		`openclaw.json:1:67: agents.defaults.models.a/b.params.temperature: must be a number from 0 to 2, not 3`,
		`openclaw.json:1:81: agents.defaults.models.a/b.params.maxTokens: must be a whole number from 1, not a string`,
	}},
	{"level of thinking", `{ agents: { defaults: { thinkingDefault: "hihg" } } }`, nil, []string{`openclaw.json:1:42: agents.defaults.thinkingDefault: must be "off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max" or "ultra", not "hihg" (did you mean "high"?)`}},
	{"provider of scripts", `{ models: { providers: { Script: {} } } }`, nil, []string{`openclaw.json:1:26: models.providers.Script: is the built-in provider of scripted models`}},
	{"alias with a blank", `{ agents: { defaults: { models: { "a/b": { alias: "my model" } } } } }`, nil, []string{`openclaw.json:1:51: agents.defaults.models.a/b.alias: must be a name without blanks and '@'`}},
	{"key without its provider", `{ auth: { profiles: { work: { provider: "openai", apiKey: "planted" } } } }`, nil, []string{`openclaw.json:1:23: auth.profiles.work: must be provider:name, without blanks and '/'`}},
	{"key of another provider", `{ auth: { profiles: { "groq:work": { provider: "openai", apiKey: "planted" } } } }`, nil, []string{`openclaw.json:1:23: auth.profiles.groq:work: must begin with its provider: openai:…`}},
	{"key that is shown only", `{ models: { providers: { openai: { apiKey: "***" } } } }`, nil, []string{`openclaw.json:1:44: models.providers.openai.apiKey: is "***", which stands for a secret when it is shown, not a secret`}},
	{"tools of an agent", `{ agents: { entries: { a: { tools: { elevated: {} } } } } }`, nil, []string{`openclaw.json:1:38: agents.entries.a.tools.elevated: unknown key (known here: profile, allow, alsoAllow, deny, byProvider, loopDetection, sandbox)`}},
	{"container back end", `{ agents: { defaults: { sandbox: { backend: "docker" } } } }`, nil, []string{`openclaw.json:1:45: agents.defaults.sandbox.backend: there is no back end "docker": tools run inside WebAssembly, and nothing runs outside it instead`}},
	{"container settings", `{ agents: { defaults: { sandbox: { docker: { image: "x" } } } } }`, nil, []string{`openclaw.json:1:36: agents.defaults.sandbox.docker: is not supported: there are no containers, tools run inside WebAssembly`}},
	{"unknown back end", `{ agents: { defaults: { sandbox: { backend: "wasn" } } } }`, nil, []string{`openclaw.json:1:45: agents.defaults.sandbox.backend: must be "wasm", not "wasn" (did you mean "wasm"?)`}},
	{"working directory", `{ agents: { defaults: { cwd: "/x" } } }`, nil, []string{`openclaw.json:1:25: agents.defaults.cwd: is not supported: tools work in /workspace and know no other directory`}},
	{"key for all agents in an entry", `{ agents: { entries: { a: { skipBootstrap: true } } } }`, nil, []string{`openclaw.json:1:29: agents.entries.a.skipBootstrap: is set for all agents: use agents.defaults`}},
	{"object wanted", `{ session: [] }`, nil, []string{`openclaw.json:1:12: session: must be an object, not a list`}},
	{"root is a list", `[]`, nil, []string{`openclaw.json:1:1: must be an object, not a list`}},
	{"root is null", `null`, nil, []string{`openclaw.json:1:1: must be an object, not null`}},
	{"boolean wanted", `{ agents: { defaults: { skipBootstrap: "yes" } } }`, nil, []string{`openclaw.json:1:40: agents.defaults.skipBootstrap: must be true or false, not a string`}},
	{"number wanted", `{ agents: { defaults: { bootstrapMaxChars: "20000" } } }`, nil, []string{`openclaw.json:1:44: agents.defaults.bootstrapMaxChars: must be a whole number from 1, not a string`}},
	{"keys of chat channels", `{ session: { dmScope: "main", groupScope: "main", identityLinks: {} } }`, nil, []string{
		`openclaw.json:1:14: session.dmScope: is not supported: there are no chat channels`,
		`openclaw.json:1:31: session.groupScope: is not supported: there are no chat channels`,
		`openclaw.json:1:51: session.identityLinks: is not supported: there are no chat channels`,
	}},
	{"blank message that begins anew", `{ session: { resetTriggers: ["/new", " "] } }`, nil, []string{`openclaw.json:1:38: session.resetTriggers[1]: must not be blank`}},
	{"list wanted", `{ agents: { defaults: { skills: "x" } } }`, nil, []string{`openclaw.json:1:33: agents.defaults.skills: must be a list, not a string`}},
	{"string wanted in a list", `{ agents: { defaults: { skills: ["xy", 5] } } }`, nil, []string{`openclaw.json:1:40: agents.defaults.skills[1]: must be a string, not a number`}},
	{"string wanted in a map", `{ agents: { entries: { anna: { skills: [null] } } } }`, nil, []string{`openclaw.json:1:41: agents.entries.anna.skills[0]: must be a string, not null`}},
	{"word wanted", `{ session: { scope: true } }`, nil, []string{`openclaw.json:1:21: session.scope: must be "per-sender" or "global", not a boolean`}},
	{"number too small", `{ agents: { defaults: { bootstrapMaxChars: 0 } } }`, nil, []string{`openclaw.json:1:44: agents.defaults.bootstrapMaxChars: must be a whole number from 1, not 0`}},
	{"number too large", `{ session: { reset: { mode: "daily", atHour: 24 } } }`, nil, []string{`openclaw.json:1:46: session.reset.atHour: must be a whole number from 0 to 23, not 24`}},
	{"fraction", `{ agents: { defaults: { bootstrapTotalMaxChars: 1.5 } } }`, nil, []string{`openclaw.json:1:49: agents.defaults.bootstrapTotalMaxChars: must be a whole number from 1, not 1.5`}},
	{"infinity", `{ agents: { defaults: { sandbox: { prune: { idleHours: +Infinity } } } } }`, nil, []string{`openclaw.json:1:56: agents.defaults.sandbox.prune.idleHours: must be a whole number from 0, not +Infinity`}},
	{"word not among them", `{ agents: { defaults: { sandbox: { mode: "nonmain" } } } }`, nil, []string{`openclaw.json:1:42: agents.defaults.sandbox.mode: must be "off", "non-main" or "all", not "nonmain" (did you mean "non-main"?)`}},
	{"word like none", `{ agents: { defaults: { contextInjection: "sometimes" } } }`, nil, []string{`openclaw.json:1:43: agents.defaults.contextInjection: must be "always", "continuation-skip" or "never", not "sometimes"`}},
	{"file that seeding always makes", `{ agents: { defaults: { skipOptionalBootstrapFiles: ["SOUL.md", "AGENTS.md"] } } }`, nil, []string{`openclaw.json:1:65: agents.defaults.skipOptionalBootstrapFiles[1]: must be "SOUL.md", "IDENTITY.md" or "USER.md", not "AGENTS.md"`}},
	{"duration without unit", `{ session: { maintenance: { pruneAfter: "30" } } }`, nil, []string{`openclaw.json:1:41: session.maintenance.pruneAfter: must be a duration such as "30d", "12h", "90s" or "500ms", not "30"`}},
	{"duration as number", `{ session: { maintenance: { preserveRecent: 7 } } }`, nil, []string{`openclaw.json:1:45: session.maintenance.preserveRecent: must be a duration such as "30d", "12h", "90s" or "500ms", or false, not a number`}},
	{"size", `{ session: { maintenance: { maxDiskBytes: "10 parsec" } } }`, nil, []string{`openclaw.json:1:43: session.maintenance.maxDiskBytes: must be a size such as "500mb" or "10gb", or false, not "10 parsec"`}},
	{"relative workspace", `{ agents: { defaults: { workspace: "ws" } } }`, nil, []string{`openclaw.json:1:36: agents.defaults.workspace: must be an absolute path, or one that begins with ~/`}},
	{"time zone", `{ agents: { defaults: { userTimezone: "Europe/Berlim" } } }`, nil, []string{`openclaw.json:1:39: agents.defaults.userTimezone: must be the name of a time zone such as "Europe/Berlin"`}},
	{"id of an agent", `{ agents: { entries: { "My Agent": {} } } }`, nil, []string{`openclaw.json:1:24: agents.entries["My Agent"]: the id of an agent must be letters, digits, '-' and '_', at most 64, such as "my-agent"`}},
	{"ids that differ by case", "{ agents: { entries: { ops: {},\n OPS: {} } } }", nil, []string{`openclaw.json:2:2: agents.entries.OPS: there is an agent "ops" already: ids do not differ by case`}},
	{"entries and list", `{ agents: { entries: {}, list: [] } }`, nil, []string{`openclaw.json:1:26: agents.list: cannot stand beside agents.entries: move its agents there`}},
	{"required key", `{ agents: { list: [{ workspace: "/x" }] } }`, nil, []string{`openclaw.json:1:20: agents.list[0]: has no key "id"`}},
	{"kind of session", `{ session: { resetByType: { dm: { mode: "daily" } } } }`, nil, []string{`openclaw.json:1:29: session.resetByType.dm: must be "direct", "group" or "thread"`}},
	{"idle without minutes", `{ session: { reset: { mode: "idle" } } }`, nil, []string{`openclaw.json:1:21: session.reset: has no key "idleMinutes", which the mode "idle" needs`}},
	{"setting without effect", `{ session: { reset: { idleMinutes: 5 } } }`, nil, []string{`openclaw.json:1:23: session.reset.idleMinutes: does nothing while the mode is "none"`}},
	{"target over the bound", `{ session: { maintenance: { maxDiskBytes: "1gb", highWaterBytes: "2gb" } } }`, nil, []string{`openclaw.json:1:66: session.maintenance.highWaterBytes: is more than maxDiskBytes`}},
	{"workspace with the state in it", `{ agents: { entries: { a: { workspace: "/" } } } }`, nil, []string{`openclaw.json:1:40: agents.entries.a.workspace: the workspace / holds the state directory, which tools must not reach`}},
	{"workspace with the sandboxes in it", `{ agents: { defaults: { workspace: "/x", sandbox: { workspaceRoot: "/x/s" } } } }`, nil, []string{`openclaw.json:1:36: agents.defaults.workspace: the workspace /x and the sandboxes' directory /x/s must not hold one another`}},
	{"workspace in the state", `{ agents: { defaults: { workspace: "${STATE}/agents/x" } } }`, nil, []string{`openclaw.json:1:36: agents.defaults.workspace: the workspace agents/x is in the runtime's own directory agents`}},
	{"long value", `{ session: { scope: "` + strings.Repeat("x", 5000) + `" } }`, nil, []string{`openclaw.json:1:21: session.scope: must be "per-sender" or "global", not "` + strings.Repeat("x", 120) + `…"`}},
	{"variable that is not set", `{ agents: { defaults: { userTimezone: "${NO_SUCH}" } } }`, nil, []string{`openclaw.json:1:39: agents.defaults.userTimezone: the variable NO_SUCH is not set in the environment`}},
	{"variable that is empty", `{ agents: { defaults: { skills: ["${EMPTY}"] } } }`, nil, []string{`openclaw.json:1:34: agents.defaults.skills[0]: the variable EMPTY is not set in the environment`}},
	{"value of a variable", `{ session: { scope: "${SECRET}" } }`, nil, []string{`openclaw.json:1:21: session.scope: must be "per-sender" or "global", not "${SECRET}"`}},
	{"variable of our own", `{ env: { vars: { OPENCLAW_STATE_DIR: "/x" } } }`, nil, []string{`openclaw.json:1:18: env.vars.OPENCLAW_STATE_DIR: must be set in the process's environment, not here`}},
	{"redacted secret", `{ env: { vars: { KEY: "***" } } }`, nil, []string{`openclaw.json:1:23: env.vars.KEY: is "***", which stands for a secret when it is shown, not a secret`}},
	{"syntax", "{\n  session: {\n    scope \"global\"\n  }\n}", nil, []string{`openclaw.json:3:11: '"' where ':' is wanted`}},
	{"empty file", " ", nil, []string{`openclaw.json:1:2: a value is missing at the end of the text`}},
	{"key twice", "{\n  session: {},\n  session: {},\n}", nil, []string{`openclaw.json:3:3: session: is set twice: first at line 2, column 3`}},
	{"included file that is not there", `{ session: { $include: "none.json" } }`, nil, []string{`openclaw.json:1:24: session.$include: "none.json" no such file or directory`}},
	{"included file outside", `{ $include: ["/etc/hostname"] }`, nil, []string{`openclaw.json:1:14: $include[0]: "/etc/hostname" is outside $ (other directories: OPENCLAW_INCLUDE_ROOTS)`}},
	{"included file above", `{ $include: "../x.json" }`, nil, []string{`openclaw.json:1:13: $include: "../x.json" is outside $ (other directories: OPENCLAW_INCLUDE_ROOTS)`}},
	{"include in a circle", `{ $include: "a.json" }`, map[string]string{"a.json": `{ session: { $include: "a.json" } }`}, []string{`a.json:1:24: session.$include: "a.json" includes itself`}},
	{"include of a directory", `{ $include: "d" }`, map[string]string{"d/x": ""}, []string{`openclaw.json:1:13: $include: "d" is not a regular file`}},
	{"include of a number", `{ $include: 5 }`, nil, []string{`openclaw.json:1:13: $include: must be the path of a file or a list of paths, not a number`}},
	{"include that cannot be merged", `{ agents: { defaults: { skills: { $include: "l.json", a: 1 } } } }`, map[string]string{"l.json": `["/x"]`}, []string{
		`openclaw.json:1:33: agents.defaults.skills: must be a list, not an object`,
		`openclaw.json:1:45: agents.defaults.skills.$include: "l.json" holds a list, which cannot be merged with the keys beside it`,
	}},
	{"mistake in an included file", `{ session: { $include: "s.json" }, zzzz: 1 }`, map[string]string{"s.json": "{\n\n  scop: \"global\"\n}"}, []string{
		`openclaw.json:1:36: zzzz: unknown key (known here: $schema, env, agents, session, models, auth, tools, messages, skills)`,
		`s.json:3:3: session.scop: unknown key (did you mean "scope"?)`,
	}},
	{"syntax of an included file", `{ session: { $include: "s.json" } }`, map[string]string{"s.json": "{\n"}, []string{`s.json:2:1: the end of the text where a key is wanted`}},
	{"line of .env", `{}`, map[string]string{".env": "A=1\nnonsense\n"}, []string{`.env:2:1: is not NAME=VALUE`}},
	{"many at once, in order", "{\n  session: { scope: 1, resetByTyp: 2 },\n  agents: { defaults: { skipBootstrap: 3 }, entrys: {} },\n}", nil, []string{
		`openclaw.json:2:21: session.scope: must be "per-sender" or "global", not a number`,
		`openclaw.json:2:24: session.resetByTyp: unknown key (did you mean "resetByType"?)`,
		`openclaw.json:3:40: agents.defaults.skipBootstrap: must be true or false, not a number`,
		`openclaw.json:3:45: agents.entrys: unknown key (did you mean "entries"?)`,
	}},
}

func TestMistakesAreNamedWithPlaceReasonAndNearestKey(t *testing.T) {
	for _, c := range mistakes {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, c.text, c.files)
			h.env["EMPTY"], h.env["SECRET"], h.env["STATE"] = "", "planted", h.dir
			_, err := config.Load(t.Context(), h.options())
			got := strings.ReplaceAll(strings.Join(h.problems(err), "\n"), h.dir, "$")
			if want := strings.Join(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestTheFileItselfCanBeWrong(t *testing.T) {
	h := newHome(t, "", map[string]string{"real.json": "{}"})
	file := filepath.Join(h.dir, "openclaw.json")
	if err := os.Symlink("real.json", file); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(t.Context(), h.options())
	if want := "openclaw.json: is a symbolic link: put the file itself there, or name it with OPENCLAW_CONFIG_PATH"; strings.Join(h.problems(err), "") != want {
		t.Errorf("a link: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = config.Load(t.Context(), h.options())
	if want := "openclaw.json: is not a regular file"; strings.Join(h.problems(err), "") != want {
		t.Errorf("a directory: %v", err)
	}
}

func TestALinkIsIncludedOnlyWithinTheDirectory(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.json")
	if err := os.WriteFile(outside, []byte(`{scope: "global"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHome(t, `{session: {$include: "link.json"}}`, map[string]string{"sub/in.json": `{scope: "global"}`})
	link := filepath.Join(h.dir, "link.json")
	if err := os.Symlink("sub/in.json", link); err != nil {
		t.Fatal(err)
	}
	if c := h.load(); c.Session.Scope != "global" {
		t.Errorf("scope %q", c.Session.Scope)
	}
	if err := errors.Join(os.Remove(link), os.Symlink(outside, link)); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(t.Context(), h.options())
	if want := `openclaw.json:1:22: session.$include: "link.json" path escapes from parent`; strings.Join(h.problems(err), "") != want {
		t.Errorf("a link that leads out: %v", err)
	}
}

func TestMistakesAndIncludesAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("{\n")
	for i := range 60 {
		fmt.Fprintf(&text, "  key%d: 1,\n", i)
	}
	text.WriteString("}\n")
	h := newHome(t, text.String(), nil)
	_, err := config.Load(t.Context(), h.options())
	var invalid *config.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Problems) != 50 || invalid.More != 10 || !strings.HasSuffix(err.Error(), "\n  and 10 more") {
		t.Errorf("%v", err)
	}

	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("f%d.json", i)] = fmt.Sprintf(`{$include: "f%d.json"}`, i+1)
	}
	h = newHome(t, `{$include: "f0.json"}`, files)
	_, err = config.Load(t.Context(), h.options())
	if want := `f9.json:1:12: $include: "f10.json" is included more than 10 levels deep`; strings.Join(h.problems(err), "") != want {
		t.Errorf("%v, want %s", err, want)
	}

	list := strings.Repeat(`"x.json",`, 101)
	h = newHome(t, `{$include: [`+list+`]}`, map[string]string{"x.json": "{}"})
	_, err = config.Load(t.Context(), h.options())
	if got := h.problems(err); len(got) != 1 || !strings.HasSuffix(got[0], `$include[100]: "x.json" is one of more than 100 included files`) {
		t.Errorf("%v", got)
	}
}
