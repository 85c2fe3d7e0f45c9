package config_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/config"
)

func TestSkills(t *testing.T) {
	h := newHome(t, `{
  skills: { allowBundled: [], load: { extraDirs: ["/srv/skills"], allowSymlinkTargets: ["~/links"], watch: false },
    limits: { maxSkillsInPrompt: 9, maxSkillsPromptChars: 5000 },
    entries: { tea: { env: { KETTLE: "${K}" }, config: { sugar: 2 } }, coffee: { enabled: false } } },
  agents: { defaults: { skills: ["tea"] }, entries: { a: {}, b: { skills: [], skillsLimits: { maxSkillsPromptChars: 70 } } } },
}`, nil)
	h.env["K"] = "hot"
	c := h.load()
	a, b := c.Agents.Entries["a"], c.Agents.Entries["b"]
	for _, check := range []struct{ what, got, want string }{
		{"bundled", fmt.Sprint(c.Skills.AllowBundled != nil, len(c.Skills.AllowBundled)), "true 0"},
		{"load", fmt.Sprint(c.Skills.Load.ExtraDirs, filepath.Base(c.Skills.Load.AllowSymlinkTargets[0]), c.Skills.Load.Watch), "[/srv/skills]linksfalse"},
		{"entries", fmt.Sprint(c.Skills.Entries), "map[coffee:{false map[] map[]} tea:{true map[KETTLE:hot] map[sugar:2]}]"},
		{"agent a", fmt.Sprint(a.Skills, a.SkillsLimits), "[tea] {9 5000}"},
		{"agent b", fmt.Sprint(a.Skills != nil, len(b.Skills), b.SkillsLimits), "true 0 {9 70}"},
	} {
		if check.got != check.want {
			t.Errorf("%s is %s, want %s", check.what, check.got, check.want)
		}
	}
	d := newHome(t, "{}", nil).load()
	if d.Skills.AllowBundled != nil || !d.Skills.Load.Watch || d.Agents.Defaults.Skills != nil || d.Agents.Defaults.SkillsLimits != (config.SkillsLimits{MaxSkillsInPrompt: 150, MaxSkillsPromptChars: 18_000}) {
		t.Errorf("defaults %+v", d.Skills)
	}
}

func TestMistakesInSkills(t *testing.T) {
	for text, want := range map[string]string{
		`{skills: {entries: {a: {apiKey: "k"}}}}`:                  "skills.entries.a.apiKey: is not supported by this version, which has no rules for secrets yet",
		`{skills: {entries: {a: {env: {"A-B": "x"}}}}}`:            "skills.entries.a.env.A-B: must be the name of a variable",
		`{skills: {entries: {a: {env: {OPENCLAW_X: "x"}}}}}`:       "skills.entries.a.env.OPENCLAW_X: must not begin with OPENCLAW_",
		`{skills: {load: {extraDirs: ["skills"]}}}`:                "skills.load.extraDirs[0]: must be an absolute path",
		`{skills: {install: {}}}`:                                  "skills.install: is not supported by this version",
		`{skills: {load: {watchDebounceMs: 5}}}`:                   "skills.load.watchDebounceMs: is not supported",
		`{skills: {limits: {maxSkillsInPrompt: 0}}}`:               "skills.limits.maxSkillsInPrompt: must be a whole number from 1, not 0",
		`{agents: {defaults: {skills: [""]}}}`:                     "agents.defaults.skills[0]: must",
		`{agents: {entries: {a: {skillsLimits: {maxSkills: 1}}}}}`: "agents.entries.a.skillsLimits.maxSkills: unknown key",
	} {
		h := newHome(t, text, nil)
		_, err := config.Load(t.Context(), h.options())
		if got := strings.Join(h.problems(err), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestPersonalSkillsBelongToTheDefaultStateDirectory(t *testing.T) {
	env := map[string]string{}
	o := config.Options{Home: t.TempDir(), LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	for _, c := range []struct{ name, value, want string }{
		{"", "", filepath.Join(o.Home, ".agents", "skills")},
		{config.EnvStateDir, filepath.Join(o.Home, ".openclaw"), filepath.Join(o.Home, ".agents", "skills")},
		{config.EnvStateDir, filepath.Join(o.Home, "other"), ""},
		{config.EnvProfile, "work", ""},
	} {
		clear(env)
		env[c.name] = c.value
		l, err := config.Locate(o)
		if err != nil || l.PersonalSkills != c.want {
			t.Errorf("%s=%s: %q, %v", c.name, c.value, l.PersonalSkills, err)
		}
	}
}
