package manifest_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"openclaw/skills/capability"
	"openclaw/skills/manifest"
)

const whole = `# a skill
name = "csv-report"
version = "1.2.3-rc.1"
description = "Sums up tables."
license = "MIT"
assets = ["scripts", "data/words.txt"]

[program]
module = "out/report.wasm"
language = "go"

[[tools]]
name = "summary"
description = "Counts rows."
args = ["summary", "-v"]
parameters = '''
{"type": "object", "properties": {"file": {"type": "string"}, "top": {"type": ["integer", "null"], "minimum": 1}},
 "required": ["file"], "additionalProperties": false}
'''
result = '{"type": "object"}'

[[tools]]
name = "plain"
description = "Says something."

[[commands]]
name = "csvreport"
args = ["report"]

[capabilities]
workspace = "write"
paths = ["reports", "data", "data/in"]
env = ["LANG"]
spawn = ["git"]
time = true
random = true
memory = "32MiB"
disk = "1MiB"
fuel = 5_000

[limits]
timeout = "5s"
output = "64KiB"
`

// minimal is the least that a manifest has.
const minimal = `name = "a"
version = "0.1.0"
description = "d"
[[commands]]
name = "a"
`

func TestAManifestSaysWhatASkillIs(t *testing.T) {
	m, err := manifest.Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "csv-report" || m.Runtime != manifest.Wasm || m.Module != "out/report.wasm" || m.Language != "go" || len(m.Tools) != 2 {
		t.Errorf("%+v", m)
	}
	want := capability.Set{
		Workspace: capability.Write, Paths: []string{"data", "reports"}, Env: []string{"LANG"}, Spawn: []string{"git"}, Time: true, Random: true,
		Memory: 32 << 20, Disk: 1 << 20, Fuel: 5000, Timeout: 5 * time.Second, Output: 64 << 10,
	}
	if !reflect.DeepEqual(m.Requests, want) {
		t.Errorf("asks for %+v", m.Requests)
	}
	tool, ok := m.Tool("summary")
	if !ok || m.ToolName(tool) != "csv-report__summary" || !strings.HasPrefix(string(tool.Parameters), `{"type":"object","properties":{"file"`) {
		t.Errorf("%+v", tool)
	}
	if plain, _ := m.Tool("plain"); plain.Result != nil || !strings.Contains(string(plain.Parameters), `"additionalProperties":false`) {
		t.Errorf("%+v", plain)
	}
}

func TestASkillThatAsksForNothingGetsLittle(t *testing.T) {
	m, err := manifest.Parse([]byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	s := m.Requests
	if s.Workspace != capability.None || s.Env != nil || s.Spawn != nil || s.Time || s.Random || s.Memory != manifest.DefaultMemory || m.Module != "a.wasm" {
		t.Errorf("%+v", m)
	}
}

// TestMistakesAreNamed wants each mistake told with its line and its key.
func TestMistakesAreNamed(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 20) + `{}` + strings.Repeat("}", 20)
	for name, c := range map[string]struct{ text, want string }{
		"no TOML":             {"name = \n", "skill.toml:1: "},
		"unknown key":         {"descripton = 'x'\n" + minimal, "skill.toml:1: descripton: unknown key: did you mean description?"},
		"unknown table":       {minimal + "[network]\nx = 1\n", "skill.toml:6: network: unknown key"},
		"key in a table":      {minimal + "[capabilities]\nworkspce = 'read'\n", "skill.toml:7: capabilities.workspce: unknown key: did you mean workspace?"},
		"key in one of many":  {minimal + "[[commands]]\nname = 'b'\nargv = []\n", "skill.toml:8: commands.argv: unknown key: did you mean args?"},
		"dotted key":          {minimal + "capabilitis.workspace = 'read'\n", "commands.capabilitis: unknown key"},
		"dotted table":        {"capabilitis.workspace = 'read'\n" + minimal, "skill.toml:1: capabilitis: unknown key: did you mean capabilities?"},
		"deeply dotted":       {strings.Repeat("a.", 2000) + "a = 1\n", "a: unknown key"},
		"below a value":       {"name.first = 'a'\n", "name"},
		"other case":          {"Name = 'b'\n" + minimal, "skill.toml:1: Name: unknown key: did you mean name?"},
		"key twice":           {"name = 'b'\n" + minimal, "skill.toml:2: name: "},
		"wrong type":          {"license = 5\n" + minimal, "license"},
		"no name":             {strings.Replace(minimal, `"a"`, `""`, 1), "skill.toml:1: name: "},
		"name that is a path": {strings.Replace(minimal, `"a"`, `"../a"`, 1), "skill.toml:1: name: "},
		"name in capitals":    {strings.Replace(minimal, `"a"`, `"A"`, 1), "skill.toml:1: name: "},
		"version":             {strings.Replace(minimal, "0.1.0", "1.0", 1), "skill.toml:2: version: "},
		"no description":      {strings.Replace(minimal, `"d"`, `" "`, 1), "skill.toml:3: description: missing"},
		"escape sequences":    {strings.Replace(minimal, `"d"`, `"\u001b[2J"`, 1), "description: it has control characters"},
		"bidi":                {strings.Replace(minimal, `"d"`, `"\u202Egnp.exe"`, 1), "description: it has control characters"},
		"long description":    {strings.Replace(minimal, `"d"`, `"`+strings.Repeat("d", 1025)+`"`, 1), "description: more than 1024 characters"},
		"nothing offered":     {"name='a'\nversion='1.0.0'\ndescription='d'\n", "neither a tool nor a command"},
		"asset above":         {"assets = ['../x']\n" + minimal, `skill.toml:1: assets: "../x": no part`},
		"asset absolute":      {"assets = ['/etc/passwd']\n" + minimal, "want a plain relative path"},
		"asset hidden":        {"assets = ['.env']\n" + minimal, "may be hidden"},
		"asset of Windows":    {"assets = ['a/Com1.txt']\n" + minimal, "means something else"},
		"asset backslash":     {`assets = ['a\b']` + "\n" + minimal, "want a plain relative path"},
		"runtime":             {minimal + "[program]\nruntime = 'python'\n", `skill.toml:7: program.runtime: "python": want wasm, shell or js`},
		"script not packed":   {minimal + "[program]\nruntime = 'shell'\nscript = 'main.sh'\n", "program.script: main.sh is not among the assets"},
		"script of a module":  {minimal + "[program]\nscript = 'main.sh'\n", "only shell and js"},
		"module of a script":  {"assets=['m.sh']\n" + minimal + "[program]\nruntime = 'shell'\nscript = 'm.sh'\nmodule = 'x.wasm'\n", "is packed with a launcher"},
		"language":            {minimal + "[program]\nlanguage = 'rust'\n", "want go or c"},
		"tool name":           {minimal + "[[tools]]\nname = 'Read File'\ndescription = 'x'\n", "skill.toml:7: tools.name: "},
		"second tool":         {minimal + "[[tools]]\nname = 'a'\ndescription = 'x'\n[[tools]]\nname = 'a'\ndescription = 'x'\n", "skill.toml:10: tools.name: a: there are two"},
		"tool not described":  {minimal + "[[tools]]\nname = 'a'\n", "tools.description: missing"},
		"command name":        {strings.Replace(minimal, "name = \"a\"\n[[", "name = \"a\"\n[[", 1) + "[[commands]]\nname = '-rf'\n", `skill.toml:7: commands.name: "-rf"`},
		"command path":        {minimal + "[[commands]]\nname = 'a/b'\n", "is not the name of a command"},
		"argument NUL":        {minimal + "args = [\"a\\u0000\"]\n", "or a NUL"},
		"workspace":           {minimal + "[capabilities]\nworkspace = 'all'\n", `capabilities.workspace: "all": want none, read or write`},
		"workspace empty":     {minimal + "[capabilities]\nworkspace = ''\n", "want none, read or write"},
		"paths alone":         {minimal + "[capabilities]\npaths = ['a']\n", "no access to the workspace"},
		"paths empty":         {minimal + "[capabilities]\nworkspace = 'read'\npaths = []\n", "the list is empty"},
		"paths above":         {minimal + "[capabilities]\nworkspace = 'read'\npaths = ['a/../../b']\n", "want a plain relative path"},
		"paths hidden":        {minimal + "[capabilities]\nworkspace = 'write'\npaths = ['.git']\n", "may be hidden"},
		"paths root":          {minimal + "[capabilities]\nworkspace = 'read'\npaths = ['.']\n", "may be hidden, or lead up"},
		"variable":            {minimal + "[capabilities]\nenv = ['A=B']\n", `"A=B" is not a name`},
		"memory":              {minimal + "[capabilities]\nmemory = 'lots'\n", "not a size"},
		"memory of 4 GiB":     {minimal + "[capabilities]\nmemory = '4GiB'\n", "want 1MiB to 2GiB"},
		"fuel":                {minimal + "[capabilities]\nfuel = 0\n", "not a positive number"},
		"timeout":             {minimal + "[limits]\ntimeout = '48h'\n", "limits.timeout: "},
		"schema is no JSON":   {minimal + "[[tools]]\nname = 'a'\ndescription = 'x'\nparameters = '{'\n", "skill.toml:9: tools.parameters: not valid JSON"},
		"schema of a string":  {minimal + "[[tools]]\nname = 'a'\ndescription = 'x'\nparameters = '{\"type\":\"string\"}'\n", "want the schema of an object"},
		"schema keyword":      {minimal + "[[tools]]\nname = 'a'\ndescription = 'x'\nparameters = '{\"type\":\"object\",\"patternProperties\":{}}'\n", `keyword "patternProperties": it is not checked here`},
		"schema keyword deep": {minimal + "[[tools]]\nname = 'a'\ndescription = 'x'\nparameters = '{\"type\":\"object\",\"properties\":{\"a\":{\"pattern\":\"x\"}}}'\n", `properties: a: keyword "pattern"`},
		"schema twice":        {minimal + "[[tools]]\nname = 'a'\ndescription = 'x'\nparameters = '{\"type\":\"object\",\"type\":\"object\"}'\n", `"type" is given twice`},
		"schema deep":         {minimal + "[[tools]]\nname = 'a'\ndescription = 'x'\nparameters = '{\"type\":\"object\",\"items\":" + deep + "}'\n", "too deep"},
		"two schemas":         {minimal + "[[tools]]\nname = 'a'\ndescription = 'x'\nparameters = '{\"type\":\"object\"} {}'\n", "something follows"},
		"deep brackets":       {"assets = " + strings.Repeat("[", 100) + "\n", "nested too deeply"},
		"long":                {strings.Repeat("# x\n", 20000), "bytes, more than 65536"},
		"not UTF-8":           {"name = \"\xff\"\n", "not valid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := manifest.Parse([]byte(c.text))
			var typed *manifest.Error
			if !errors.As(err, &typed) || len(typed.Mistakes) == 0 {
				t.Fatalf("%+v, %v", m, err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

// TestWhatIsNotEnforcedIsRefused keeps anybody from approving what nothing holds a skill to.
func TestWhatIsNotEnforcedIsRefused(t *testing.T) {
	for _, more := range []string{
		"[capabilities]\nnet = [{origin = 'https://a.example', methods = ['GET'], path = '/v1'}]\n",
		"[capabilities]\nsecrets = [{name = 'KEY', header = 'X: {}', origin = 'https://a.example'}]\n",
		"[capabilities]\nnet = []\n",
		"[[capabilities.net]]\norigin = 'https://a.example'\n",
	} {
		_, err := manifest.Parse([]byte(minimal + more))
		if !errors.Is(err, manifest.ErrUnenforced) {
			t.Errorf("%s: %v", more, err)
		}
	}
}

func TestManyMistakesAreToldInShort(t *testing.T) {
	text := minimal
	for i := range 100 {
		text += fmt.Sprintf("[[commands]]\nname = '-%d'\n", i%30)
		if i == 30 {
			break
		}
	}
	_, err := manifest.Parse([]byte(text))
	var typed *manifest.Error
	if !errors.As(err, &typed) || len(typed.Mistakes) > 20 {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(minimal))
	f.Add([]byte("[[tools]]\nparameters = '''\n{"))
	f.Add([]byte("a.b.c.d = {x = {y = [[[]]]}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := manifest.Parse(text)
		if err != nil {
			var typed *manifest.Error
			if !errors.As(err, &typed) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if manifest.CheckName(m.Name) != nil || len(m.Requests.Net)+len(m.Requests.Secrets) > 0 || !reflect.DeepEqual(m.Requests, m.Requests.Normal()) {
			t.Fatalf("%+v", m)
		}
		for _, p := range append(m.Assets, m.Requests.Paths...) {
			if manifest.CheckPath(p) != nil {
				t.Fatalf("path %q", p)
			}
		}
	})
}
