package skillset

import (
	"slices"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/prompt"
	"openclaw/skills"
)

// Snapshot makes what a session is shown from now on. context is how many tokens the model's context has; 0 when that is not known.
func Snapshot(found *skills.Found, agent *config.Agent, context int64) *skills.Snapshot {
	budget := prompt.BudgetOf(agent)
	budget.Context = context
	s := &skills.Snapshot{
		Version: found.Version(budget), PromptFormat: prompt.SkillsFormat, Prompt: prompt.SkillsBlock(Listed(found), budget),
		Skills: []skills.SnapshotSkill{}, Filter: slices.Clone(agent.Skills), Resolved: []skills.ResolvedSkill{},
	}
	for _, skill := range found.Eligible() {
		s.Skills = append(s.Skills, skills.SnapshotSkill{
			Name: skill.Name, Key: skill.Key, PrimaryEnv: skill.PrimaryEnv, RequiredEnv: skill.Requires.Env,
		})
		s.Resolved = append(s.Resolved, skills.ResolvedSkill{
			Name: skill.Name, Description: skill.Description, Source: skill.Source, File: skill.File,
			Location: confinement.Skill{Name: skill.Name, File: skill.Base()}.Location(), Hidden: skill.Hidden,
		})
	}
	return s
}

// Refresh is Snapshot for a session that has one: it stays as it is unless its form is an older one, the agent's list of skills is another
// one, or, where the configuration watches skills, something about them has changed. old may be nil.
func Refresh(old *skills.Snapshot, found *skills.Found, conf *config.Config, agent *config.Agent, context int64) (s *skills.Snapshot, changed bool) {
	now := Snapshot(found, agent, context)
	if old != nil && old.PromptFormat == now.PromptFormat && sameFilter(old.Filter, now.Filter) && (!conf.Skills.Load.Watch || old.Version == now.Version) {
		return old, false
	}
	return now, true
}

// sameFilter tells an empty list, which allows nothing, from none.
func sameFilter(a, b []string) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }
