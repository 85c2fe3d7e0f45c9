package prompt

import (
	"slices"
	"sort"
	"strings"

	"openclaw/workspace"
)

// Skill is a skill as the prompt lists it.
type Skill struct {
	Name, Description string
	Location          string // of its SKILL.md, as the session's tools see it
}

// Limits of the list of skills.
const (
	DefaultSkillsChars  = 18_000 // units of workspace.Chars
	MaxSkillsInPrompt   = 150
	minSkillDescription = 4
	maxSkillDescription = 220 // when descriptions are shortened
)

const skillsHead = `## Skills
Before you answer, look through the descriptions below. When one clearly fits, read its SKILL.md with the tool read, and follow it. Read one at most to begin with; when none fits, read none.
`

func skillsSection(in *Input) string {
	canRead := slices.ContainsFunc(in.Tools, func(t Tool) bool { return t.Name == "read" })
	if !canRead || len(in.Skills) == 0 {
		return ""
	}
	limit := in.SkillsChars
	if limit <= 0 {
		limit = DefaultSkillsChars
	}
	return skillsHead + SkillsBlock(in.Skills, limit)
}

// Notices of a list that was shortened.
const (
	compactNotice = "The descriptions are shortened; 'openclaw skills check' shows them.\n"
	cutNotice     = "Not all skills are listed; 'openclaw skills check' shows them.\n"
)

// SkillsBlock lists skills in at most so many units: in full when they fit, else with descriptions as long as fit, else as many
// names as fit.
func SkillsBlock(skills []Skill, limit int) string {
	list := slices.Clone(skills)
	slices.SortFunc(list, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	note := ""
	if len(list) > MaxSkillsInPrompt {
		list, note = list[:MaxSkillsInPrompt], cutNotice
	}
	fits := func(text string) bool { return workspace.Chars(text) <= limit }
	if text := note + skillList(list, -1); fits(text) {
		return text
	}
	if text := note + compactNotice + skillList(list, minSkillDescription); fits(text) {
		longest := sort.Search(maxSkillDescription-minSkillDescription, func(i int) bool {
			return !fits(note + compactNotice + skillList(list, minSkillDescription+i+1))
		})
		return note + compactNotice + skillList(list, minSkillDescription+longest)
	}
	names := sort.Search(len(list), func(i int) bool { return !fits(cutNotice + skillList(list[:i+1], 0)) })
	if names == 0 {
		return ""
	}
	if names < len(list) {
		note = cutNotice
	} else if note == "" {
		note = compactNotice
	}
	return note + skillList(list[:names], 0)
}

var xmlEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

// skillList is the block with descriptions of at most so many units; none when it is 0, in full when it is negative.
func skillList(skills []Skill, description int) string {
	var b strings.Builder
	b.WriteString("<available_skills>\n")
	field := func(name, text string) {
		b.WriteString("    <" + name + ">" + xmlEscape.Replace(text) + "</" + name + ">\n")
	}
	for _, s := range skills {
		b.WriteString("  <skill>\n")
		field("name", s.Name)
		switch {
		case description < 0:
			field("description", s.Description)
		case description > 0:
			field("description", workspace.Clamp(s.Description, description))
		}
		field("location", s.Location)
		b.WriteString("  </skill>\n")
	}
	b.WriteString("</available_skills>\n")
	return b.String()
}
