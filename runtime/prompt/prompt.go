// Package prompt builds the system prompt of a session.
//
// A prompt is a list of named parts in a fixed order. Those before the boundary are stable: the same session with the same files,
// tools and skills gets the same bytes in every turn, so that providers can cache them; nothing in them depends on the time, the
// turn, the session's id or, but for a list of skills that a small context shortens, the model. What changes from turn to turn
// comes after the boundary. No path of the host is in a prompt: it speaks of places as the session's tools see them.
package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"openclaw/workspace"
)

// Mode says how much of a prompt there is.
type Mode string

// The modes.
const (
	Full    Mode = "full"
	Minimal Mode = "minimal" // sub-agents
	None    Mode = "none"    // who it is and which model, nothing else
)

// Pending says whether the agent's first conversation is still to come, and whether this session can hold it.
type Pending string

// The ways in which the first conversation can be pending.
const (
	NotPending     Pending = ""
	PendingLimited Pending = "limited" // the session cannot finish it
	PendingFull    Pending = "full"
)

// Tool is a tool that the session has.
type Tool struct{ Name, Summary string }

// Alias is another name of a model.
type Alias struct{ Name, Model string }

// Place is what the session's tools see of the machine.
type Place struct {
	Workspace string // where the session's files are, such as /workspace
	Own       bool   // the workspace is the session's and not the agent's
	Shared    bool   // others work in it at the same time
	AgentDir  string // where the agent's workspace can be read; empty when it cannot
	Protected bool   // the bootstrap files there cannot be changed
}

// Overrides are texts that a model's provider has for parts; nil leaves a part as it is, an empty one removes it.
type Overrides struct {
	InteractionStyle, ToolCallStyle, ExecutionBias *string
	StablePrefix, DynamicSuffix                    string
}

// Input is everything that a prompt is made of.
type Input struct {
	Mode      Mode
	Tools     []Tool
	Skills    []Skill
	Aliases   []Alias
	Place     Place
	Bootstrap workspace.Fitted // of the files to be injected; without files there is no project context
	Pending   Pending
	// SkillsBudget bounds the list of skills.
	SkillsBudget SkillsBudget
	// SkillsText, when it is not empty, is the list as the session's snapshot has it.
	SkillsText string
	// ReasoningTags tells that the model thinks in <think> and answers in <final>.
	ReasoningTags bool
	Overrides     Overrides

	// What may change from turn to turn.
	Now       time.Time
	Zone      *time.Location // nil: the host's
	Agent     string
	Session   string
	SessionID string
	Model     string
	Default   string // the agent's model when it is another one
	Thinking  string
	Channel   string
	Extra     string // what this conversation is about
}

// Part is a named piece of a prompt.
type Part struct {
	Name   string
	Stable bool
	Text   string
}

// Prompt is a system prompt.
type Prompt struct{ Parts []Part }

const between = "\n\n" // parts

// Build makes a prompt. It depends on nothing but its input.
func Build(in Input) Prompt {
	var p Prompt
	add := func(stable bool, sections []section) {
		for _, s := range sections {
			if in.Mode == None && !s.always || in.Mode == Minimal && s.fullOnly {
				continue
			}
			if text := strings.TrimSpace(s.text(&in)); text != "" {
				p.Parts = append(p.Parts, Part{s.name, stable, text})
			}
		}
	}
	add(true, stableSections)
	add(false, volatileSections)
	return p
}

// section is a part before it is written.
type section struct {
	name     string
	text     func(*Input) string
	fullOnly bool // not for sub-agents
	always   bool // in every mode
}

func (p Prompt) join(keep func(Part) bool) string {
	var texts []string
	for _, part := range p.Parts {
		if keep(part) {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, between)
}

// Stable is what comes before the boundary.
func (p Prompt) Stable() string { return p.join(func(part Part) bool { return part.Stable }) }

// Volatile is what comes after the boundary.
func (p Prompt) Volatile() string { return p.join(func(part Part) bool { return !part.Stable }) }

// String is the whole prompt.
func (p Prompt) String() string { return p.join(func(Part) bool { return true }) }

// Hash names the stable part.
func (p Prompt) Hash() string {
	sum := sha256.Sum256([]byte(p.Stable()))
	return hex.EncodeToString(sum[:])
}

// Part is the text of a part; empty when the prompt has none of the name.
func (p Prompt) Part(name string) string {
	i := slices.IndexFunc(p.Parts, func(part Part) bool { return part.Name == name })
	if i < 0 {
		return ""
	}
	return p.Parts[i].Text
}
