package prompt

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	"openclaw/workspace"
)

// Skill is a skill as the prompt lists it.
type Skill struct {
	Name, Description string
	Location          string // of its SKILL.md, as the session's tools see it
}

// SkillsBudget bounds the list of skills. A zero is the default.
type SkillsBudget struct {
	Chars   int   // units of workspace.Chars
	Count   int   // how many skills
	Context int64 // tokens that the model's context has; 0: not known
}

// Limits of the list of skills.
const (
	DefaultSkillsChars = 18_000 // units of workspace.Chars
	DefaultSkillsCount = 150

	minSkillDescription = 4
	maxSkillDescription = 220 // when descriptions are shortened
	// MaxSkillDescription is what any description is cut at. It is what the Agent Skills specification allows.
	MaxSkillDescription = 1024

	// In a small context the list takes at most one unit for so many tokens, as far as shorter descriptions can do it.
	tokensPerUnit         = 5
	leastSmallDescription = 64
)

// SkillsFormat is the version of the list's form. A list of another one is written anew.
const SkillsFormat = 1

const skillsHead = `## Skills
Before you answer, look through the descriptions below. When one clearly fits, read its SKILL.md with the tool read, and follow it. Read one at most to begin with; when none fits, read none.
Skills are read-only. In a SKILL.md, {baseDir} is the directory that it lies in, and its relative paths begin there.
`

func skillsSection(in *Input) string {
	canRead := slices.ContainsFunc(in.Tools, func(t Tool) bool { return t.Name == "read" })
	text := in.SkillsText
	if text == "" {
		text = SkillsBlock(in.Skills, in.SkillsBudget)
	}
	if !canRead || text == "" {
		return ""
	}
	return skillsHead + text
}

// Notices of a list that was shortened.
const (
	compactNotice = "The descriptions are shortened; 'openclaw skills check' tells why.\n"
	cutNotice     = "Not all skills are listed; 'openclaw skills check' tells which.\n"
)

// SkillsBlock lists skills within a budget: in full when they fit, else with descriptions as long as fit, else as many names as fit. It is
// empty when there is nothing to list.
func SkillsBlock(skills []Skill, b SkillsBudget) string {
	text, _ := skillsBlock(skills, b)
	return text
}

// SkillsNotice says how the list of skills is shortened within a budget, for people; empty when it is not.
func SkillsNotice(skills []Skill, b SkillsBudget) string {
	text, listed := skillsBlock(skills, b)
	switch {
	case listed < len(skills):
		return fmt.Sprintf("%d of %d skills are in the prompt: the list is bounded by skills.limits, and lacks %s", listed, len(skills), lacking(skills, listed))
	case strings.HasPrefix(text, compactNotice):
		return "descriptions are shortened in the prompt: the list is bounded by skills.limits"
	}
	return ""
}

// maxLacking bounds how many names a notice has.
const maxLacking = 20

// lacking names the skills that come behind those that are listed.
func lacking(skills []Skill, listed int) string {
	var names []string
	for _, s := range skills {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	names = names[listed:]
	if more := len(names) - maxLacking; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxLacking], ", "), more)
	}
	return strings.Join(names, ", ")
}

func skillsBlock(skills []Skill, b SkillsBudget) (text string, listed int) {
	if b.Chars <= 0 {
		b.Chars = DefaultSkillsChars
	}
	if b.Count <= 0 {
		b.Count = DefaultSkillsCount
	}
	if len(skills) == 0 {
		return "", 0
	}
	list := slices.Clone(skills)
	for i := range list {
		list[i].Description = workspace.Clamp(plainLine(list[i].Description), MaxSkillDescription)
	}
	slices.SortFunc(list, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	note := ""
	if len(list) > b.Count {
		list, note = list[:b.Count], cutNotice
	}
	within := func(limit int) func(string) bool {
		return func(text string) bool { return workspace.Chars(text) <= limit }
	}
	text, listed = fitSkills(list, note, within(b.Chars))
	small := int(b.Context / tokensPerUnit)
	if b.Context <= 0 || within(small)(text) || listed < len(list) {
		return text, listed
	}
	// Descriptions give way to a small context, names do not.
	if shorter := shortest(list, note, leastSmallDescription, within(small)); within(b.Chars)(shorter) {
		text = shorter
	}
	return text, listed
}

// fitSkills writes as much of a list as fits.
func fitSkills(list []Skill, note string, fits func(string) bool) (text string, listed int) {
	if text := note + skillList(list, -1); fits(text) {
		return text, len(list)
	}
	if fits(note + compactNotice + skillList(list, minSkillDescription)) {
		return shortest(list, note, minSkillDescription, fits), len(list)
	}
	names := sort.Search(len(list), func(i int) bool { return !fits(cutNotice + skillList(list[:i+1], 0)) })
	if names == 0 {
		return "", 0
	}
	if names < len(list) {
		note = cutNotice
	} else if note == "" {
		note = compactNotice
	}
	return note + skillList(list[:names], 0), names
}

// shortest writes all of a list, with descriptions as long as fit between a length and maxSkillDescription.
func shortest(list []Skill, note string, least int, fits func(string) bool) string {
	longest := sort.Search(maxSkillDescription-least, func(i int) bool {
		return !fits(note + compactNotice + skillList(list, least+i+1))
	})
	return note + compactNotice + skillList(list, least+longest)
}

// plainLine folds a text into one line and drops what cannot be seen: the description is somebody else's, and must look like nothing else.
func plainLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d': // the joiner of emoji
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return oneLine(text)
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
