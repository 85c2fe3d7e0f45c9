package config

import (
	"errors"
	"strings"
)

// Skills are the settings of skills, whoever's they are.
type Skills struct {
	AllowBundled []string // nil: all
	Load         SkillsLoad
	Limits       SkillsLimits
	Entries      map[string]SkillEntry // by the skill's key
}

// SkillsLoad says where skills are looked for, besides where they always are.
type SkillsLoad struct {
	ExtraDirs           []string // absolute
	AllowSymlinkTargets []string // absolute
	Watch               bool
}

// SkillsLimits bound the list of skills in a prompt.
type SkillsLimits struct {
	MaxSkillsInPrompt    int64
	MaxSkillsPromptChars int64
}

// SkillEntry is the settings of one skill.
type SkillEntry struct {
	Enabled bool
	Env     map[string]string
	Config  map[string]any
}

func skillName() rule[string] { return text("name of a skill", checkNotBlank) }

// checkSkillVariable accepts the name of a variable that a skill's commands may be given.
func checkSkillVariable(name string) error {
	if !variableName.MatchString(name) {
		return errors.New("must be the name of a variable: letters, digits and '_'")
	}
	if strings.HasPrefix(name, "OPENCLAW_") {
		return errors.New("must not begin with OPENCLAW_: such variables are the runtime's own")
	}
	return nil
}

const noSecretRules = "is not supported by this version, which has no rules for secrets yet: a variable in env is readable by every command of the session"

var skillEntryKeys = object[SkillEntry]{fields: append([]field[SkillEntry]{
	key("enabled", boolean(), func(e *SkillEntry) *bool { return &e.Enabled }, true, "Offer the skill."),
	key("env", mapOf("NAME", checkSkillVariable, secret()), func(e *SkillEntry) *map[string]string { return &e.Env }, nil,
		"Variables of the commands of sessions that are offered the skill. They are readable there, and are no place for secrets; those that the sandbox sets itself stay as they are."),
	key("config", free(), func(e *SkillEntry) *map[string]any { return &e.Config }, nil,
		"Settings of the skill's own, which it can require by their paths."),
}, reserved[SkillEntry](noSecretRules, "apiKey")...)}

var skillsLoadKeys = object[SkillsLoad]{fields: append([]field[SkillsLoad]{
	key("extraDirs", listOf(directory()), func(l *SkillsLoad) *[]string { return &l.ExtraDirs }, nil,
		"More directories with skills, or of one skill, which come last."),
	key("allowSymlinkTargets", listOf(directory()), func(l *SkillsLoad) *[]string { return &l.AllowSymlinkTargets }, nil,
		"Directories that links in a workspace's skills, in bundled skills and in extraDirs may lead to."),
	key("watch", boolean(), func(l *SkillsLoad) *bool { return &l.Watch }, true,
		"Look for changes before each turn. Otherwise a session keeps the list of skills that it began with."),
}, reserved[SkillsLoad]("is not supported: changes are looked for before each turn, not waited for", "watchDebounceMs")...)}

var skillsLimitsKeys = object[SkillsLimits]{fields: []field[SkillsLimits]{
	key("maxSkillsInPrompt", integer(1, noLimit), func(l *SkillsLimits) *int64 { return &l.MaxSkillsInPrompt }, 150,
		"How many skills a prompt lists."),
	key("maxSkillsPromptChars", integer(1, noLimit), func(l *SkillsLimits) *int64 { return &l.MaxSkillsPromptChars }, 18_000,
		"How much of a prompt the list of skills takes, in UTF-16 units. Descriptions are shortened first, then skills left out."),
}}

// agentSkillsLimitsKeys are those that an agent can have its own of.
var agentSkillsLimitsKeys = object[SkillsLimits]{fields: []field[SkillsLimits]{
	key("maxSkillsPromptChars", integer(1, noLimit), func(l *SkillsLimits) *int64 { return &l.MaxSkillsPromptChars }, 0,
		"How much of the agent's prompt the list of skills takes, in UTF-16 units. Without it, skills.limits.maxSkillsPromptChars."),
}}

var skillsKeys = keysOf([]field[Skills]{
	key("allowBundled", listOf(skillName()), func(s *Skills) *[]string { return &s.AllowBundled }, nil,
		"Which of the skills that come with the program are offered. Without it all."),
	group("load", skillsLoadKeys, func(s *Skills) *SkillsLoad { return &s.Load }, "Where skills are looked for."),
	group("limits", skillsLimitsKeys, func(s *Skills) *SkillsLimits { return &s.Limits }, "The list of skills in prompts."),
	key("entries", mapOf("key", checkNotBlank, skillEntryKeys.fresh()), func(s *Skills) *map[string]SkillEntry { return &s.Entries }, nil,
		"Settings of skills, by name, or by the skillKey that a skill says."),
}, reserved[Skills](notYet("installation of skills"), "install", "workshop"))

// agentSkillKeys are the keys of an agent.
var agentSkillKeys = []field[Agent]{
	key("skills", listOf(skillName()), func(a *Agent) *[]string { return &a.Skills }, nil,
		"The skills that the agent is offered, by name. Without it all, with an empty list none."),
	group("skillsLimits", agentSkillsLimitsKeys, func(a *Agent) *SkillsLimits { return &a.SkillsLimits }, "The list of skills in the agent's prompts."),
}

// resolveSkills gives agents the limits that they do not have their own of.
func (c *Config) resolveSkills() {
	of := func(a *Agent) {
		a.SkillsLimits.MaxSkillsInPrompt = c.Skills.Limits.MaxSkillsInPrompt
		if a.SkillsLimits.MaxSkillsPromptChars == 0 {
			a.SkillsLimits.MaxSkillsPromptChars = c.Skills.Limits.MaxSkillsPromptChars
		}
	}
	of(&c.Agents.Defaults)
	for _, agent := range c.Agents.Entries {
		of(agent)
	}
}
