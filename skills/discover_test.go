package skills_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"openclaw/skills"
)

// machine is a user's home with a workspace in it.
type machine struct {
	testing.TB
	dir string
	o   skills.Options
}

func newMachine(t testing.TB) *machine {
	t.Helper()
	dir := t.TempDir()
	return &machine{t, dir, skills.Options{
		Workspace: filepath.Join(dir, "ws"), Personal: filepath.Join(dir, "home", ".agents", "skills"),
		Managed: filepath.Join(dir, "state", "skills"), Bundled: filepath.Join(dir, "bundled"),
		ExtraDirs: []string{filepath.Join(dir, "extra")}, Private: []string{filepath.Join(dir, "state", "agents")},
	}}
}

func (m *machine) put(name, text string) {
	m.Helper()
	name = filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
}

func (m *machine) link(target, name string) {
	m.Helper()
	name = filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		m.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		m.Fatal(err)
	}
}

func (m *machine) discover() *skills.Found {
	m.Helper()
	found, err := skills.Discover(m.Context(), m.o)
	if err != nil {
		m.Fatal(err)
	}
	return found
}

// head is a SKILL.md with further lines in its head.
func head(name string, lines ...string) string {
	return "---\nname: " + name + "\ndescription: of " + name + "\n" + strings.Join(append(lines, ""), "\n") + "---\nDo it.\n"
}

func names(found *skills.Found) string {
	var list []string
	for _, s := range found.Skills {
		list = append(list, s.Name)
	}
	return strings.Join(list, " ")
}

// problems lists those of errors and warnings, with the machine's directory cut off.
func (m *machine) problems(found *skills.Found) []string {
	list := []string{}
	for _, p := range found.All() {
		if p.Level != skills.LevelNote {
			name, _ := filepath.Rel(m.dir, p.File)
			list = append(list, fmt.Sprintf("%s:%d: %s: %s", name, p.Line, p.Level, strings.ReplaceAll(p.Message, m.dir+"/", "")))
		}
	}
	return list
}

func (m *machine) wantProblem(found *skills.Found, want string) {
	m.Helper()
	list := m.problems(found)
	if !slices.ContainsFunc(list, func(p string) bool { return strings.Contains(p, want) }) {
		m.Errorf("no problem %q in %q", want, list)
	}
}

func TestTheHighestPlaceWins(t *testing.T) {
	places := []struct {
		dir    string
		source skills.Source
	}{
		{"ws/skills", skills.SourceWorkspace},
		{"ws/.agents/skills", skills.SourceProject},
		{"home/.agents/skills", skills.SourcePersonal},
		{"state/skills", skills.SourceManaged},
		{"bundled", skills.SourceBundled},
		{"extra", skills.SourceExtra},
	}
	for first := range places {
		m := newMachine(t)
		for _, p := range places[first:] {
			m.put(p.dir+"/same/SKILL.md", "---\nname: same\ndescription: from "+p.dir+"\n---\n")
		}
		found := m.discover()
		if len(found.Skills) != 1 {
			t.Fatalf("%d entries for one name", len(found.Skills))
		}
		s, top := found.Skills[0], places[first]
		if s.Source != top.source || s.Description != "from "+top.dir || s.Dir != filepath.Join(m.dir, top.dir, "same") {
			t.Errorf("%s: got %+v", top.dir, s)
		}
		if len(s.Overrides) != len(places)-first-1 {
			t.Errorf("%s: overrides %+v", top.dir, s.Overrides)
		}
		for i, o := range s.Overrides {
			if o.Source != places[first+1+i].source {
				t.Errorf("%s: overrides %+v", top.dir, s.Overrides)
			}
		}
	}
}

func TestSkillsLieInGroups(t *testing.T) {
	m := newMachine(t)
	m.put("ws/skills/group/inner/SKILL.md", head("inner"))
	m.put("ws/skills/root/SKILL.md", head("root"))
	m.put("ws/skills/root/child/SKILL.md", head("child"))
	m.put("ws/skills/1/2/3/4/5/six/SKILL.md", head("six"))
	m.put("ws/skills/1/2/3/4/5/6/seven/SKILL.md", head("seven"))
	m.put("ws/skills/.hidden/h/SKILL.md", head("hidden"))
	m.put("ws/skills/node_modules/n/SKILL.md", head("modules"))
	m.put("ws/skills/nameless/SKILL.md", "---\ndescription: has its directory's name\n---\n")
	m.put("ws/skills/small/skill.md", head("small"))
	if got, want := names(m.discover()), "inner nameless root six small"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

func TestAnExtraDirectoryMayBeASkill(t *testing.T) {
	m := newMachine(t)
	m.put("extra/SKILL.md", head("extra"))
	m.put("ws/skills/SKILL.md", head("ws"))
	m.put("ws/skills/a/SKILL.md", head("a"))
	found := m.discover()
	if names(found) != "a extra" {
		t.Errorf("found %s", names(found))
	}
	m.wantProblem(found, "ws/skills/SKILL.md:0: warning: a skill lies in a directory of its own")
}

// TestABadSkillIsNamedAndTheOthersLoad has the mistakes that people make.
func TestABadSkillIsNamedAndTheOthersLoad(t *testing.T) {
	for _, c := range []struct {
		name, text, problem string
		loads               bool
	}{
		{"no opening", "# Title\n\nname: x\n", "bad/SKILL.md:1: error: the file must begin with a line ---", false},
		{"empty", "", "bad/SKILL.md:1: error: the file must begin with a line ---", false},
		{"not closed", "---\nname: bad\ndescription: d\n", "bad/SKILL.md:1: error: the front matter that begins here has no closing line ---", false},
		{"no description", "---\nname: bad\n---\n", "bad/SKILL.md:1: error: there is no description", false},
		{"unquoted colon", "---\nname: bad\ndescription: Use when: x\n---\n", "bad/SKILL.md:3: warning: not valid YAML", true},
		{"tabs", "---\nname: bad\ndescription: d\nmetadata:\n\ta: b\n---\n", "bad/SKILL.md:5: warning: not valid YAML", true},
		{"byte order mark", "\uFEFF" + head("bad"), "bad/SKILL.md:1: warning: the file begins with a byte order mark", true},
		{"empty line", "\n" + head("bad"), "bad/SKILL.md:1: warning: there are empty lines", true},
		{"unreadable requirements", "---\nname: bad\ndescription: a: b\nmetadata:\n  openclaw:\n    always: true\n---\n", "bad/SKILL.md:4: error: metadata cannot be read", false},
		{"name of a path", "---\nname: ../../etc\ndescription: d\n---\n", `bad/SKILL.md:2: error: the name "../../etc" cannot be used`, false},
		{"another directory's name", head("other"), `bad/SKILL.md:2: warning: the name "other" is not that of its directory, "bad"`, true},
		{"alias", "---\nname: &a bad\ndescription: *a\n---\n", "bad/SKILL.md:2: error: anchors and aliases", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.put("ws/skills/bad/SKILL.md", c.text)
			m.put("ws/skills/good/SKILL.md", head("good"))
			found := m.discover()
			m.wantProblem(found, c.problem)
			if _, ok := found.Skill("good"); !ok {
				t.Error("the other skill is gone")
			}
			if loads := len(found.Skills) == 2; loads != c.loads {
				t.Errorf("loads: %v, want %v", loads, c.loads)
			}
			if found.Sound() {
				t.Error("nothing is said to be wrong")
			}
		})
	}
}

func TestLinks(t *testing.T) {
	m := newMachine(t)
	m.put("outside/out/SKILL.md", head("out"))
	m.put("ws/skills/real/SKILL.md", head("real"))
	m.link("../../outside/out", "ws/skills/leak")
	m.link(filepath.Join(m.dir, "outside"), "ws/.agents/skills/absolute")
	m.link("real", "ws/skills/again")
	m.link("..", "ws/skills/group/loop")
	m.link("nowhere", "ws/skills/dangling")
	m.link(filepath.Join(m.dir, "outside", "out"), "extra/leak")
	found := m.discover()
	if names(found) != "real" {
		t.Errorf("found %s", names(found))
	}
	m.wantProblem(found, "ws/skills/leak:0: error: the link leads out, to outside/out, and is not followed")
	m.wantProblem(found, "ws/.agents/skills/absolute:0: error: the link leads out")
	m.wantProblem(found, "extra/leak:0: error: the link leads out")
	m.wantProblem(found, "ws/skills/dangling:0: warning: the link leads nowhere")

	m.o.LinkTargets = []string{filepath.Join(m.dir, "outside")}
	found = m.discover()
	s, ok := found.Skill("out")
	if !ok || s.Source != skills.SourceWorkspace || s.Dir != filepath.Join(m.dir, "outside", "out") {
		t.Errorf("allowed: %+v", s)
	}
}

func TestAPlaceMayNotBeALinkOutOfTheWorkspace(t *testing.T) {
	m := newMachine(t)
	m.put("outside/out/SKILL.md", head("out"))
	m.link("../outside", "ws/skills")
	found := m.discover()
	if len(found.Skills) != 0 {
		t.Errorf("found %s", names(found))
	}
	m.wantProblem(found, "ws/skills:0: error: cannot be looked through")
}

func TestLinksOfManagedSkillsMayLeadAnywhere(t *testing.T) {
	m := newMachine(t)
	m.put("outside/out/SKILL.md", head("out"))
	m.put("outside/secret.md", head("secret"))
	m.link("../../outside/out", "state/skills/linked")
	m.link("../../../outside/secret.md", "state/skills/thief/SKILL.md")
	m.link("../agents", "state/skills/private")
	m.put("state/agents/a/SKILL.md", head("a"))
	found := m.discover()
	if names(found) != "out" {
		t.Errorf("found %s", names(found))
	}
	m.wantProblem(found, "state/skills/thief/SKILL.md:0: error: cannot be read: it is a link to ../../../outside/secret.md, which leads nowhere or out of its directory")
	m.wantProblem(found, "state/skills/private/a/SKILL.md:0: error: the skill's directory holds, or lies in, what is the runtime's own")
}

func TestNoSkillHoldsTheWorkspace(t *testing.T) {
	m := newMachine(t)
	m.put("SKILL.md", head("all"))
	m.put("ws/x", "")
	m.o.ExtraDirs = []string{m.dir}
	m.o.Private = nil
	found := m.discover()
	if len(found.Skills) != 0 {
		t.Errorf("found %s", names(found))
	}
	m.wantProblem(found, "SKILL.md:0: error: the skill's directory holds an agent's workspace: ws")
}

func TestHostileFiles(t *testing.T) {
	m := newMachine(t)
	m.put("ws/skills/good/SKILL.md", head("good"))
	m.put("ws/skills/dir/SKILL.md/x", "")
	m.put("ws/skills/huge/SKILL.md", "")
	if err := os.Truncate(filepath.Join(m.dir, "ws/skills/huge/SKILL.md"), 1<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	m.put("ws/skills/fifo/x", "")
	if err := syscall.Mkfifo(filepath.Join(m.dir, "ws/skills/fifo/SKILL.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.link("/dev/zero", "ws/skills/zero/SKILL.md")
	m.put("ws/skills/endless/SKILL.md", "---\n"+strings.Repeat("a: b\n", 20_000))
	m.put("ws/skills/blank/SKILL.md", strings.Repeat("\n", 100_000))
	m.put("ws/skills/line/SKILL.md", strings.Repeat("x", 100_000))
	m.put("ws/skills/deep/SKILL.md", "---\ndescription: "+strings.Repeat("[", 10_000)+"\n---\n")
	m.put("ws/skills/bomb/SKILL.md", "---\na: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\ndescription: *c\n---\n")
	m.put("ws/skills/binary/SKILL.md", "---\nname: \xff\xfe\x00\n---\n")
	found := m.discover()
	if names(found) != "good" {
		t.Errorf("found %s", names(found))
	}
	for _, want := range []string{
		"dir/SKILL.md:0: error: cannot be read: it is not a regular file",
		"huge/SKILL.md:0: error: cannot be read: it is larger than 1048576 bytes",
		"fifo/SKILL.md:0: error: cannot be read: it is not a regular file",
		"zero/SKILL.md:0: error: cannot be read: it is a link to /dev/zero",
		"endless/SKILL.md:1: error: the front matter has more than",
		"blank/SKILL.md:",
		"line/SKILL.md:1: error: the file must begin",
		"deep/SKILL.md:2: error: the front matter is nested too deep",
		"bomb/SKILL.md:2: error: anchors and aliases",
		"binary/SKILL.md:2: error: the line is not UTF-8",
	} {
		m.wantProblem(found, want)
	}
}

func TestManyDirectoriesAreBounded(t *testing.T) {
	m := newMachine(t)
	m.put("ws/.agents/skills/good/SKILL.md", head("good"))
	for i := range skills.MaxListed + 10 {
		if err := os.MkdirAll(filepath.Join(m.dir, "ws/skills/many", fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m.put("ws/skills/top/SKILL.md", head("top"))
	found := m.discover()
	if names(found) != "good top" {
		t.Errorf("found %s", names(found))
	}
	m.wantProblem(found, fmt.Sprintf("ws/skills/many:0: error: has more than %d entries", skills.MaxListed))
}

func TestDiscoverEndsWithItsContext(t *testing.T) {
	m := newMachine(t)
	m.put("ws/skills/a/SKILL.md", head("a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := skills.Discover(ctx, m.o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
