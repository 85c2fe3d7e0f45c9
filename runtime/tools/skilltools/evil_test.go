package skilltools_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"openclaw/runtime/bundles"
	"openclaw/runtime/tools/skilltools"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// evil is a machine on which somebody has approved the evil skill, with something to steal everywhere.
func evil(t *testing.T, edits ...string) (*machine, *bundles.Installed) {
	dir := example(t, "evil")
	m := newMachine(t)
	m.put("notes.txt", "PRIVATE")
	m.put("data/in.txt", "shown")
	m.put("data/.git/hooks/pre-commit", "hook")
	other := m.approved(example(t, "links"))
	if err := os.WriteFile(filepath.Join(m.state, "skills", "plain.txt"), []byte("PRIVATE"), 0o600); err != nil {
		t.Fatal(err)
	}
	if other.Dir == "" {
		t.Fatal("no other skill")
	}
	return m, m.approved(m.change(dir, edits...))
}

// try lets the skill try something.
func (m *machine) try(i *bundles.Installed, what, path string) (string, error) {
	m.Helper()
	arguments, err := json.Marshal(map[string]string{"what": what, "path": path})
	if err != nil {
		m.Fatal(err)
	}
	a, err := m.call(i, "try", string(arguments))
	if err != nil {
		return "", err
	}
	return a.Text, nil
}

// TestEvilSkillReachesNothing asks for nothing, and gets that.
func TestEvilSkillReachesNothing(t *testing.T) {
	m, i := evil(t)
	secret := filepath.Join(m.workspace, "notes.txt")
	for name, c := range map[string]struct{ what, path string }{
		"files of the host":              {"read", "/etc/passwd"},
		"files of the host, from above":  {"read", "/skills/evil/../../../../../../../etc/passwd"},
		"the workspace by its host path": {"read", secret},
		"the workspace":                  {"read", "/workspace/notes.txt"},
		"the process":                    {"read", "/proc/self/environ"},
		"other skills":                   {"read", "/skills/links/scripts/links.sh"},
		"other skills, from its own":     {"read", "/skills/evil/../links/SKILL.md"},
		"the state directory":            {"read", filepath.Join(m.state, "skills", "plain.txt")},
		"the agent":                      {"read", "/agent/AGENTS.md"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := m.try(i, c.what, c.path)
			if err != nil || !strings.Contains(got, "file") || strings.Contains(got, "PRIVATE") || strings.Contains(got, "root:") {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	t.Run("everything there is", func(t *testing.T) {
		got, err := m.try(i, "tree", "")
		for _, line := range strings.Fields(got) {
			if !strings.HasPrefix(line, "/skills/evil/") && !strings.HasPrefix(line, "/dev/") {
				t.Errorf("it sees %s", line)
			}
		}
		if err != nil || !strings.Contains(got, "/skills/evil/SKILL.md") {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("variables", func(t *testing.T) {
		t.Setenv("HOST_TOKEN", "hunter3")
		got, err := m.try(i, "env", "")
		if err != nil || strings.Contains(got, "hunter") || strings.Contains(got, m.workspace) {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("programs", func(t *testing.T) {
		if got, err := m.try(i, "programs", ""); err != nil || !strings.HasPrefix(got, `""`) {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("time", func(t *testing.T) {
		if got, err := m.try(i, "time", ""); err != nil || got != "2000-01-01T00:00:00Z" {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("randomness", func(t *testing.T) {
		first, err := m.try(i, "random", "")
		again, _ := m.try(i, "random", "")
		if err != nil || first != again {
			t.Errorf("%q, %q, %v", first, again, err)
		}
	})
	t.Run("its own files", func(t *testing.T) {
		for _, path := range []string{"/skills/evil/SKILL.md", "/skills/evil/.bundle.wasm", "/skills/evil/new"} {
			if got, err := m.try(i, "write", path); err != nil || !strings.Contains(got, "ead-only") {
				t.Errorf("%s: %q, %v", path, got, err)
			}
		}
	})
	t.Run("files of the call before", func(t *testing.T) {
		if got, err := m.try(i, "write", "/tmp/left"); err != nil || got != "<nil>" {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := m.try(i, "list", "/tmp"); err != nil || got != "" {
			t.Errorf("%q, %v", got, err)
		}
	})
	if got := m.read("notes.txt"); got != "PRIVATE" {
		t.Errorf("the workspace has been changed: %q", got)
	}
}

// TestEvilSkillStaysInItsPart may change a part of the workspace, and tries to get out of it.
func TestEvilSkillStaysInItsPart(t *testing.T) {
	m, i := evil(t, "[capabilities]", "[capabilities]\nworkspace = 'write'\npaths = ['data']")
	if got, err := m.try(i, "read", "/workspace/data/in.txt"); err != nil || got != "shown <nil>" {
		t.Fatalf("%q, %v", got, err)
	}
	outside := t.TempDir()
	for name, c := range map[string]struct{ what, path string }{
		"beside":                  {"read", "/workspace/notes.txt"},
		"from above":              {"read", "/workspace/data/../notes.txt"},
		"link to beside":          {"link", "../notes.txt>/workspace/data/l1"},
		"link to the host":        {"link", "/etc/passwd>/workspace/data/l2"},
		"link far up":             {"link", "../../../../../../etc/passwd>/workspace/data/l3"},
		"link in /tmp":            {"link", "/workspace/notes.txt>/tmp/l4"},
		"link to the directory":   {"link", outside + ">/workspace/data/l5"},
		"rename to beside":        {"rename", "/workspace/data/in.txt>/workspace/in.txt"},
		"rename over":             {"rename", "/workspace/data>/workspace/notes.txt"},
		"removal of all":          {"remove", "/workspace/notes.txt"},
		"hooks of a program":      {"write", "/workspace/data/.git/hooks/pre-commit"},
		"environment of a shell":  {"write", "/workspace/data/.envrc"},
		"listing of what is else": {"list", "/workspace/.."},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := m.try(i, c.what, c.path)
			if err != nil || strings.Contains(got, "PRIVATE") || strings.Contains(got, "root:") {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	for name, want := range map[string]string{"notes.txt": "PRIVATE", "data/.git/hooks/pre-commit": "hook", "data/in.txt": "shown"} {
		if got := m.read(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if entries, err := os.ReadDir(m.workspace); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestALinkInThePlaceOfAPartIsNotFollowed swaps what was approved for something else.
func TestALinkInThePlaceOfAPartIsNotFollowed(t *testing.T) {
	m, i := evil(t, "[capabilities]", "[capabilities]\nworkspace = 'read'\npaths = ['data']")
	for _, target := range []string{".", "/etc", "../" + filepath.Base(m.state)} {
		data := filepath.Join(m.workspace, "data")
		if err := errors.Join(os.RemoveAll(data), os.Symlink(target, data)); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/workspace/data/notes.txt", "/workspace/data/passwd", "/workspace/notes.txt"} {
			if got, err := m.try(i, "read", path); err == nil && !strings.Contains(got, "o such file") {
				t.Errorf("data -> %s: %s: %q", target, path, got)
			}
		}
	}
}

// TestEvilSkillIsEnded has a typed error for each way of not ending.
func TestEvilSkillIsEnded(t *testing.T) {
	m, _ := evil(t)
	limit := func(want sandbox.Limit) func(error) bool {
		return func(err error) bool {
			var l *sandbox.LimitError
			return errors.As(err, &l) && l.Limit == want
		}
	}
	status := func(want int, said string) func(error) bool {
		return func(err error) bool {
			var s *skilltools.StatusError
			return errors.As(err, &s) && s.Status == want && strings.Contains(s.Said, said) && len(s.Said) <= 4<<10
		}
	}
	for _, c := range []struct {
		what, timeout, capability string
		is                        func(error) bool
	}{
		{"loop", "200ms", "", limit(sandbox.LimitTimeout)},
		{"sleep", "200ms", "", limit(sandbox.LimitTimeout)},
		{"loop", "30s", "fuel = 50_000_000", limit(sandbox.LimitFuel)},
		{"output", "20s", "", limit(sandbox.LimitOutput)},
		{"log", "20s", "", limit(sandbox.LimitOutput)},
		{"memory", "20s", "memory = '32MiB'", status(2, "out of memory")},
		{"stack", "20s", "memory = '32MiB'", func(err error) bool { return err != nil }},
		{"panic", "20s", "", status(2, "panic: evil")},
		{"exit", "20s", "", status(77, "")},
		{"binary", "20s", "", func(err error) bool { return errors.Is(err, skilltools.ErrAnswer) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			i := m.approved(m.change(example(t, "evil"), `timeout = "2s"`, `timeout = "`+c.timeout+`"`, "[capabilities]", "[capabilities]\n"+c.capability))
			got, err := m.try(i, c.what, "")
			if err == nil || !c.is(err) {
				t.Errorf("%.100q, %v", got, err)
			}
		})
	}
	t.Run("disk", func(t *testing.T) {
		got, err := m.try(m.approved(example(t, "evil")), "disk", "/tmp/big")
		if err != nil || !strings.HasPrefix(got, "after 1048576 ") && !strings.HasPrefix(got, "after 1114112 ") {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// TestFilesOfAWorkspaceAreLimitedToo floods a part that the skill may change.
func TestFilesOfAWorkspaceAreLimitedToo(t *testing.T) {
	m, i := evil(t, "[capabilities]", "[capabilities]\nworkspace = 'write'\npaths = ['data']")
	got, err := m.try(i, "disk", "/workspace/data/big")
	if st, statErr := os.Stat(filepath.Join(m.workspace, "data/big")); err != nil || statErr != nil || st.Size() > 1<<20 {
		t.Errorf("%q, %v, %v", got, err, st)
	}
}

// TestAnswersThatLieAreNone compares what is answered with what was promised.
func TestAnswersThatLieAreNone(t *testing.T) {
	m, i := evil(t)
	for _, what := range []string{"text", "string", "more", "twice", "nothing"} {
		a, err := m.call(i, "lie", `{"what": "`+what+`"}`)
		if !errors.Is(err, skilltools.ErrAnswer) {
			t.Errorf("%s: %+v, %v", what, a, err)
		}
	}
	if a, err := m.call(i, "lie", `{"what": "number"}`); err != nil || string(a.JSON) != `{"number": 5}` {
		t.Errorf("%+v, %v", a, err)
	}
	for arguments, want := range map[string]string{`{}`: "what: missing", `{"what": 5}`: "what: ", `{"what":"read","more":1}`: "more: unknown", `[]`: "JSON object", `{`: "not valid JSON"} {
		if _, err := m.call(i, "try", arguments); !errors.Is(err, skilltools.ErrArguments) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
	if _, err := m.call(i, "other", `{}`); !errors.Is(err, skilltools.ErrNoTool) {
		t.Error(err)
	}
	if _, err := m.call(i, "try", `{"what": "`+strings.Repeat("x", skilltools.MaxArguments)+`"}`); !errors.Is(err, skilltools.ErrArguments) {
		t.Error("arguments of a mebibyte")
	}
}

// TestEvilUpdateDoesNotRun asks for more in a new version.
func TestEvilUpdateDoesNotRun(t *testing.T) {
	m, _ := evil(t)
	i := m.install(m.change(example(t, "evil"), `version = "1.0.0"`, `version = "1.0.1"`, "[capabilities]", "[capabilities]\nworkspace = 'write'"))
	i, err := m.Get(t.Context(), i.Manifest.Name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.try(i, "read", "/workspace/notes.txt"); !errors.Is(err, bundles.ErrNotApproved) {
		t.Error(err)
	}
	offer := skilltools.Of(m.box, m.session(), []*bundles.Installed{i}, nil)
	if len(offer.Tools)+len(offer.Commands) > 0 || len(offer.Withheld) != 1 || !strings.Contains(offer.Withheld[0], "it asks for more than version 1.0.0: reads and changes the whole workspace") {
		t.Errorf("%+v", offer)
	}
}

// TestEvilCommandsAreKeptApart runs the skill's commands in a shell that may do everything.
func TestEvilCommandsAreKeptApart(t *testing.T) {
	m, i := evil(t, "[capabilities]", "[capabilities]\nworkspace = 'read'\npaths = ['data']")
	toolbox, err := toolwasm.Load(t.Context(), m.box)
	if err != nil {
		t.Fatal(err)
	}
	grant := m.session()
	offer := skilltools.Of(m.box, grant, []*bundles.Installed{i}, nil)
	var names []string
	for _, c := range offer.Commands {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"evil"}) || len(offer.Withheld) != 2 {
		t.Errorf("%q are offered, and withheld %q", names, offer.Withheld)
	}
	grant.Programs = append(grant.Programs, offer.Commands...)
	session, err := m.box.Open(grant)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for script, want := range map[string]string{
		`evil read /workspace/data/in.txt`:                    "shown <nil>\n",
		`cd data; evil list .`:                                ".git\nin.txt\n",
		`evil read /workspace/notes.txt`:                      "o such file",
		`evil list /workspace`:                                "data\n",
		`evil write /workspace/data/in.txt`:                   "ead-only",
		`echo x >/tmp/x; evil read /tmp/x`:                    "o such file",
		`export TOKEN=hunter4; evil env | grep -c hunter`:     "0\n",
		`evil programs`:                                       `""`,
		`evil time`:                                           "2000-01-01T00:00:00Z\n",
		`evil loop; echo $?`:                                  "124\n",
		`evil output | head -n 1 | cut -c 1-5`:                "flood\n",
		`evil read /skills/links/SKILL.md`:                    "o such file",
		`cat notes.txt; echo; ls >/dev/null && echo still ls`: "PRIVATE\nstill ls\n",
	} {
		var out strings.Builder
		_, err := toolbox.Exec(t.Context(), session, toolwasm.Script{Text: script, Stdout: &out, Stderr: &out})
		if got := out.String(); err != nil || !strings.Contains(got, want) || strings.Contains(got, "hunter4") {
			t.Errorf("%s: %q, %v, want %q", script, got, err, want)
		}
	}
}

// TestABundleDoesNotGetTheRightsOfAnother starts another skill's command, which may do more.
func TestABundleDoesNotGetTheRightsOfAnother(t *testing.T) {
	m, _ := evil(t)
	table := m.approved(example(t, "table"))
	grant := m.session()
	grant.Programs = append(grant.Programs, skilltools.Of(m.box, grant, []*bundles.Installed{table}, nil).Commands...)
	i := m.approved(m.change(example(t, "evil"), "[capabilities]", "[capabilities]\nspawn = ['to-table', 'git', 'none']"))
	own, err := i.Grant(grant)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range own.Programs {
		if p.Name == "to-table" || p.Apart != nil {
			t.Errorf("it may start %s", p.Name)
		}
	}
}
