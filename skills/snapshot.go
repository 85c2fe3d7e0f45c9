package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Snapshot is what a session is shown of the skills, as it is kept with the session: the list in the prompt stays the same until there is
// a reason to change it.
type Snapshot struct {
	// Version tells one state of the skills from another.
	Version      string          `json:"version"`
	PromptFormat int             `json:"promptFormatVersion"`
	Prompt       string          `json:"prompt"` // the list; empty when there are no skills
	Skills       []SnapshotSkill `json:"skills"`
	Filter       []string        `json:"skillFilter"` // the agent's allowlist; null: none
	Resolved     []ResolvedSkill `json:"resolvedSkills"`
}

// SnapshotSkill is a skill that the session is offered.
type SnapshotSkill struct {
	Name        string   `json:"name"`
	Key         string   `json:"skillKey"`
	PrimaryEnv  string   `json:"primaryEnv,omitempty"`
	RequiredEnv []string `json:"requiredEnv,omitempty"`
}

// ResolvedSkill says where one comes from, and where the session finds it.
type ResolvedSkill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      Source `json:"source"`
	File        string `json:"filePath"`
	Location    string `json:"location"`
	Hidden      bool   `json:"disableModelInvocation,omitempty"`
}

// Version tells one state of the skills that are offered from another: it depends on the heads of their files and on where they lie. More
// are values that it shall depend on, too.
func (f *Found) Version(more ...any) string {
	h := sha256.New()
	add := func(v any) {
		data, err := json.Marshal(v) // each value is a text of its own, so that none runs into the next
		if err != nil {
			data = fmt.Append(nil, v)
		}
		h.Write(append(data, '\n'))
	}
	for _, s := range f.Skills {
		if s.Eligible {
			add([]any{s.Name, s.Source, s.Dir, s.File, hex.EncodeToString(s.digest[:])})
		}
	}
	add(more)
	return hex.EncodeToString(h.Sum(nil))
}
