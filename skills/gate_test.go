package skills_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"openclaw/skills"
)

func TestWhatASkillRequires(t *testing.T) {
	requires := func(text string) string { return "metadata: {openclaw: " + text + "}" }
	for _, c := range []struct {
		name   string
		meta   string
		entry  *skills.Entry
		reason string // empty: eligible
	}{
		{"nothing", "license: MIT", nil, ""},
		{"a command that is there", requires("{requires: {bins: [jq]}}"), nil, ""},
		{"a command that is not", requires("{requires: {bins: [jq, ffmpeg, brew]}}"), nil, "the sandbox has no command ffmpeg, brew"},
		{"one of several", requires("{requires: {anyBins: [ffmpeg, jq]}}"), nil, ""},
		{"none of several", requires("{requires: {anyBins: [ffmpeg, brew]}}"), nil, "the sandbox has none of the commands ffmpeg, brew"},
		{"a variable", requires("{requires: {env: [TOKEN]}}"), nil, "no value for TOKEN (skills.entries.it.env)"},
		{"a variable of its entry", requires("{requires: {env: [TOKEN]}}"), &skills.Entry{Env: map[string]string{"TOKEN": "x"}}, ""},
		{"a variable of another key's entry", requires("{skillKey: other, requires: {env: [TOKEN]}}"), &skills.Entry{Env: map[string]string{"TOKEN": "x"}}, "no value for TOKEN (skills.entries.other.env)"},
		{"the configuration", requires("{requires: {config: [a.b]}}"), nil, ""},
		{"what the configuration lacks", requires("{requires: {config: [a.b, c.d]}}"), nil, "the configuration does not have c.d"},
		{"always", requires("{always: true, requires: {bins: [ffmpeg]}}"), nil, ""},
		{"another system", requires("{os: [darwin]}"), nil, "it is for darwin, and commands here are those of linux"},
		{"another system, always", requires("{always: true, os: [darwin, win32]}"), nil, "it is for darwin, win32, and commands here are those of linux"},
		{"this system", requires("{os: [darwin, linux]}"), nil, ""},
		{"switched off", requires("{always: true}"), &skills.Entry{Disabled: true}, "it is switched off (skills.entries.it.enabled)"},
		{"the older name", "metadata: {clawdbot: {requires: {bins: [ffmpeg]}}}", nil, "the sandbox has no command ffmpeg"},
		{"as a text", `metadata: '{"openclaw": {"requires": {"bins": ["ffmpeg"]}}}'`, nil, "the sandbox has no command ffmpeg"},
		{"on lines", "metadata:\n  openclaw:\n    requires:\n      bins:\n        - ffmpeg", nil, "the sandbox has no command ffmpeg"},
		{"one name for a list", requires("{requires: {bins: ffmpeg}}"), nil, "the sandbox has no command ffmpeg"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.o.HasCommand = func(name string) bool { return name == "jq" }
			m.o.HasConfig = func(path string) bool { return path == "a.b" }
			if c.entry != nil {
				m.o.Entries = map[string]skills.Entry{"it": *c.entry}
			}
			m.put("ws/skills/it/SKILL.md", head("it", c.meta))
			s, ok := m.discover().Skill("it")
			if !ok {
				t.Fatal("it is not found")
			}
			if got := strings.Join(s.Reasons, "; "); got != c.reason || s.Eligible != (c.reason == "") {
				t.Errorf("eligible %v, %q, want %q", s.Eligible, got, c.reason)
			}
		})
	}
}

func TestRequirementsThatCannotBeReadAreAnError(t *testing.T) {
	for text, want := range map[string]string{
		"metadata: {openclaw: {requires: {bins: {a: b}}}}": "metadata.openclaw.requires.bins must be a list",
		"metadata: {openclaw: {requires: [a]}}":            "metadata.openclaw.requires must be keys and lists",
		"metadata: {openclaw: {always: perhaps}}":          "metadata.openclaw.always must be true or false",
		"metadata: {openclaw: yes}":                        "metadata.openclaw must be keys and values",
		"metadata: [a]":                                    "metadata must be keys and values",
		"metadata: '{broken'":                              "metadata cannot be read",
		"disable-model-invocation: perhaps":                "disable-model-invocation must be true or false",
		"metadata: {openclaw: {os: [" + strings.TrimSuffix(strings.Repeat("x,", 70), ",") + "]}}": "metadata.openclaw.os must be a list of at most 64 names",
	} {
		m := newMachine(t)
		m.put("ws/skills/it/SKILL.md", head("it", text))
		found := m.discover()
		if len(found.Skills) != 0 {
			t.Errorf("%s: it is used", text)
		}
		m.wantProblem(found, "it/SKILL.md:4: error: "+want)
	}
}

func TestUnknownRequirementsAreSaid(t *testing.T) {
	m := newMachine(t)
	m.put("ws/skills/it/SKILL.md", head("it", "metadata: {openclaw: {requires: {bin: [x]}}}"))
	m.wantProblem(m.discover(), `it/SKILL.md:4: warning: metadata.openclaw.requires has an unknown key "bin"`)
}

func TestAllowlists(t *testing.T) {
	for _, c := range []struct {
		allow, bundles []string
		want           string
	}{
		{nil, nil, "a b c"},
		{[]string{}, nil, ""},
		{[]string{"b", "key-of-c"}, nil, "b c"},
		{nil, []string{}, "a b"},
		{nil, []string{"c"}, "a b c"},
		{[]string{"a", "c"}, []string{}, "a"},
	} {
		m := newMachine(t)
		m.o.Allow, m.o.Bundles = c.allow, c.bundles
		m.put("ws/skills/a/SKILL.md", head("a"))
		m.put("extra/b/SKILL.md", head("b"))
		m.put("bundled/c/SKILL.md", head("c", "metadata: {openclaw: {skillKey: key-of-c}}"))
		var got []string
		for _, s := range m.discover().Eligible() {
			got = append(got, s.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q, %q: %q, want %q", c.allow, c.bundles, got, c.want)
		}
	}
}

func TestAllowedSkillsThatAreNotThereAreSaid(t *testing.T) {
	m := newMachine(t)
	m.o.Allow = []string{"tea"}
	if list := m.problems(m.discover()); !slices.ContainsFunc(list, func(p string) bool {
		return strings.Contains(p, `the agent is allowed a skill "tea", and there is none`)
	}) {
		t.Errorf("problems %q", list)
	}
}

func TestSurplusSkillsAreNotOffered(t *testing.T) {
	m := newMachine(t)
	m.o.MaxUsed = 2
	for i := range 4 {
		m.put(fmt.Sprintf("ws/skills/s%d/SKILL.md", i), head(fmt.Sprint("s", i)))
	}
	found := m.discover()
	if len(found.Eligible()) != 2 || !found.Skills[3].Surplus || found.Skills[3].Reasons[0] != "there are more than 2 skills" {
		t.Errorf("%+v", found.Skills[3])
	}
}
