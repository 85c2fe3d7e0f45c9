package skilltools_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/bundles"
	"openclaw/runtime/confinement"
	"openclaw/runtime/tools"
	"openclaw/runtime/tools/skilltools"
	"openclaw/sandbox"
	"openclaw/skills/bundle"
	"openclaw/skills/compile"
	"openclaw/skills/manifest"
	"openclaw/skills/scaffold"
	"openclaw/toolwasm"
)

// TestExamplesDoWhatTheySay calls a tool of each.
func TestExamplesDoWhatTheySay(t *testing.T) {
	for _, c := range []struct{ skill, tool, arguments, want string }{
		{"csv-report", "summary", `{"file": "sales.csv"}`, `{"rows":2,"columns":[{"name":"what","numbers":0,"empty":0},{"name":"n","numbers":2,"empty":0,"sum":5,"least":2,"most":3,"mean":2.5}]}`},
		{"csv-report", "summary", `{"file": "none.csv"}`, "exit status 1: csv-report: open /workspace/none.csv: "},
		{"histogram", "bars", `{"numbers": [1, 1, 11]}`, "           1      2 ##########"},
		{"links", "find", ``, "a.md:2: gone.md\nsub/b.md:1: a.md"},
		{"table", "markdown", `{"rows": [{"a": 1, "b": "x|y"}, {"c": null}]}`, "| a | b | c |\n| --- | --- | --- |\n| 1 | x\\|y |  |\n|  |  |  |"},
	} {
		t.Run(c.skill, func(t *testing.T) {
			dir := example(t, c.skill)
			m := newMachine(t)
			m.put("sales.csv", "what,n\ntea,2\ncake,3\n")
			m.put("docs/a.md", "[here](sub/b.md) [there](https://example.com)\n[gone](gone.md#x)\n")
			m.put("docs/sub/b.md", "[up](../a.md) [wrong](a.md)\n")
			a, err := m.call(m.approved(dir), c.tool, c.arguments)
			got := ""
			if a != nil {
				got = a.Text
			}
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// TestTemplatesWork makes a skill of each template, as a user would, and calls its tool and its command.
func TestTemplatesWork(t *testing.T) {
	for language, c := range map[string]struct{ tool, arguments, answer, script, out string }{
		"go":    {"count", `{"text": "a b\nc\n"}`, `{"lines":2,"words":3}`, `printf 'a b\n' | my-skill`, "1 lines, 2 words\n"},
		"c":     {"sum", `{"numbers": [1, 2.5, -3e2]}`, `{"sum": -296.5}`, `seq 10 | my-skill`, "55\n"},
		"shell": {"words", `{"text": "tea and Tea", "top": 1}`, "tea 2", `echo b a b | my-skill 1`, "b 2\n"},
		"js":    {"slug", `{"text": "Ärger & Öl!"}`, `{"slug":"arger-ol"}`, `echo Some Title | my-skill`, "some-title\n"},
	} {
		t.Run(language, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "my-skill")
			if err := scaffold.New(dir, "my-skill", language); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, manifest.FileName))
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := manifest.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if parsed.Runtime == manifest.Wasm {
				if err := compile.Build(t.Context(), dir, parsed); err != nil {
					t.Skipf("the machine cannot build it: %v", err)
				}
			}
			m := newMachine(t)
			i := m.approved(dir)
			if a, err := m.call(i, c.tool, c.arguments); err != nil || a.Text != c.answer {
				t.Errorf("%+v, %v", a, err)
			}
			toolbox, err := toolwasm.Load(t.Context(), m.box)
			if err != nil {
				t.Fatal(err)
			}
			grant := m.session()
			grant.Programs = append(grant.Programs, skilltools.Of(m.box, grant, []*bundles.Installed{i}, nil).Commands...)
			session, err := m.box.Open(grant)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			var out strings.Builder
			if _, err := toolbox.Exec(t.Context(), session, toolwasm.Script{Text: c.script, Stdout: &out, Stderr: &out}); err != nil || out.String() != c.out {
				t.Errorf("%q, %v", out.String(), err)
			}
		})
	}
}

// TestAPackedSkillRunsElsewhere runs one under another host of WASI, by the arguments that a call here gives it.
func TestAPackedSkillRunsElsewhere(t *testing.T) {
	path := node(t)
	dir := example(t, "csv-report")
	p, err := bundle.Pack(dir)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "skill.wasm")
	if err := os.WriteFile(file, p.File, 0o600); err != nil {
		t.Fatal(err)
	}
	workspace := t.TempDir()
	if err := os.WriteFile(filepath.Join(workspace, "sales.csv"), []byte("n\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const script = `const {WASI} = require("node:wasi"), fs = require("fs");
const [file, workspace] = process.argv.slice(1);
const wasi = new WASI({version: "preview1", args: ["csv-report", "summary"], env: {}, preopens: {"/workspace": workspace}, returnOnExit: true});
WebAssembly.instantiate(fs.readFileSync(file), wasi.getImportObject()).then(r => process.exit(wasi.start(r.instance)));`
	cmd := exec.Command(path, "--no-warnings", "-e", script, file, workspace)
	cmd.Stdin = strings.NewReader(`{"file": "sales.csv"}`)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != `{"rows":2,"columns":[{"name":"n","numbers":2,"empty":0,"sum":3,"least":1,"most":2,"mean":1.5}]}`+"\n" {
		t.Errorf("%s, %v", out, err)
	}
}

// TestAModelCallsATool goes through the tools of a session, where its policy holds.
func TestAModelCallsATool(t *testing.T) {
	m := newMachine(t)
	i := m.approved(example(t, "table"))
	toolbox, err := toolwasm.Load(t.Context(), m.box)
	if err != nil {
		t.Fatal(err)
	}
	offer := skilltools.Of(m.box, m.session(), []*bundles.Installed{i}, nil)
	set, err := tools.New(tools.Options{
		Sandbox: m.box, Toolbox: toolbox, Opened: &confinement.Opened{Plan: &confinement.Plan{Limits: sandbox.Limits{}}, Grant: m.session()}, Extra: offer.Tools,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if !set.Has("table__markdown") {
		t.Fatalf("tools: %q", set.Names())
	}
	outcomes := set.Batch(context.Background(), []tools.Call{
		{ID: "1", Name: "table__markdown", Arguments: json.RawMessage(`{"rows": [{"a": 1}]}`)},
		{ID: "2", Name: "table__markdown", Arguments: json.RawMessage(`{"rows": 5}`)},
		{ID: "3", Name: "table__markdown", Arguments: json.RawMessage(`{"rows": [5]}`)},
	}, nil)
	for n, want := range []string{"| a |\n| --- |\n| 1 |", "rows: an array is expected", "rows[0]: an object is expected"} {
		if got := outcomes[n].Result.Text(); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if outcomes[0].Result.IsError || !outcomes[1].Result.IsError {
		t.Errorf("%+v", outcomes)
	}
}

// TestOnlyWhatASessionIsOfferedIsThere asks for the tools of one of two skills.
func TestOnlyWhatASessionIsOfferedIsThere(t *testing.T) {
	m := newMachine(t)
	list := []*bundles.Installed{m.approved(example(t, "table")), m.approved(example(t, "links"))}
	offer := skilltools.Of(m.box, m.session(), list, func(name string) bool { return name == "links" })
	if len(offer.Tools) != 1 || offer.Tools[0].Definition.Name != "links__find" || len(offer.Commands) != 0 {
		t.Errorf("%+v", offer)
	}
}
