package skills

import (
	"path/filepath"

	"openclaw/skills/internal/frontmatter"
)

// Problem is something about a file that a user should know.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // counted from 1; 0: the file itself
	// Level is error when nothing of the file is used, warning when it is used, and note when other readers may refuse it.
	Level   frontmatter.Level `json:"level"`
	Message string            `json:"message"`
	Source  Source            `json:"source,omitempty"`
}

// The levels of problems.
const (
	LevelError   = frontmatter.Error
	LevelWarning = frontmatter.Warning
	LevelNote    = frontmatter.Note
)

// Requires is what must be there for a skill to be offered.
type Requires = frontmatter.Requires

// Missing is what a skill requires and is not there.
type Missing struct {
	Requires
	OS []string `json:"os,omitempty"`
}

// Overridden is a skill that another one of the same name, from a higher place, stands for.
type Overridden struct {
	Source      Source `json:"source"`
	File        string `json:"file"`
	Description string `json:"description"`
}

// Skill is a skill that was found.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      Source `json:"source"`
	Dir         string `json:"dir"`  // with links resolved
	File        string `json:"file"` // the SKILL.md in it, as it was found
	Key         string `json:"skillKey"`
	Homepage    string `json:"homepage,omitempty"`
	Emoji       string `json:"emoji,omitempty"`
	PrimaryEnv  string `json:"primaryEnv,omitempty"`

	License       string         `json:"license,omitempty"`
	Compatibility string         `json:"compatibility,omitempty"`
	AllowedTools  []string       `json:"allowedTools,omitempty"` // what the skill would like to use; nothing is granted by it
	Metadata      map[string]any `json:"metadata,omitempty"`

	Always   bool     `json:"always"`
	OS       []string `json:"os,omitempty"`
	Requires Requires `json:"requires"`

	// UserInvocable tells that a user may call the skill by name, Hidden that the model is not shown it.
	UserInvocable bool `json:"userInvocable"`
	Hidden        bool `json:"disableModelInvocation"`

	// Eligible tells that the agent is offered the skill. Otherwise Reasons say why not.
	Eligible bool     `json:"eligible"`
	Disabled bool     `json:"disabled"`           // by the configuration
	Blocked  bool     `json:"blockedByAllowlist"` // of the agent, or of bundled skills
	Surplus  bool     `json:"overLimit"`          // there are too many
	Vetoed   bool     `json:"vetoed,omitempty"`   // by whoever looks for skills
	Missing  Missing  `json:"missing"`
	Reasons  []string `json:"reasons"`

	Overrides []Overridden `json:"overrides"`
	Problems  []Problem    `json:"problems"`

	digest [32]byte // of what was read
}

// Base is the name of the SKILL.md in its directory.
func (s *Skill) Base() string { return filepath.Base(s.File) }

// Found is what Discover found.
type Found struct {
	Skills   []Skill   // by name
	Problems []Problem // about files that are no skills, and places that were not looked through, in the order of places
}

// Skill finds one by name.
func (f *Found) Skill(name string) (*Skill, bool) {
	plain, _ := frontmatter.PlainName(name)
	for i := range f.Skills {
		if s := &f.Skills[i]; s.Name == name || s.Name == plain {
			return s, true
		}
	}
	return nil, false
}

// Eligible lists those that the agent is offered.
func (f *Found) Eligible() []Skill {
	var list []Skill
	for _, s := range f.Skills {
		if s.Eligible {
			list = append(list, s)
		}
	}
	return list
}

// Sound tells that there is no problem that a user should do something about.
func (f *Found) Sound() bool {
	for _, p := range f.All() {
		if p.Level != LevelNote {
			return false
		}
	}
	return true
}

// All lists every problem: those of the files that are no skills, and those of skills.
func (f *Found) All() []Problem {
	list := append([]Problem{}, f.Problems...)
	for _, s := range f.Skills {
		list = append(list, s.Problems...)
	}
	return list
}
