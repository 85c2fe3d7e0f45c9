// Package manifest reads skill.toml, which says what a packed skill is, what it offers, and what it asks for.
//
// It is read on the machine that packs a skill and on the one that loads it, by the same rules, and it promises that
//
//   - a key that it does not know is an error, with its line and the key that was probably meant;
//   - every value is bounded, and every name is one that can neither be a path nor an option;
//   - what this build cannot enforce is an error, so that nothing is asked for, approved and then not kept;
//   - whatever the text holds, reading it takes bounded time and memory.
package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"openclaw/skills/capability"
)

// FileName is how a manifest is called in the directory of a skill.
const FileName = "skill.toml"

// Bounds of a manifest.
const (
	MaxSize        = 64 << 10 // bytes of the file
	MaxName        = 48       // of a skill: with the name of a tool it is a tool's name for a model
	MaxVersion     = 64
	MaxDescription = 1024
	MaxTools       = 32
	MaxCommands    = 32
	MaxArgs        = 32
	MaxArg         = 256 // bytes of one argument
	MaxAssets      = 64  // entries of the list; what they name is bounded by the archive
	MaxPaths       = 32
	MaxNames       = 64 // variables, programs
	// MaxToolName is the longest name of a tool that providers of models take.
	MaxToolName = 64
)

// Runtime says what runs a skill's code.
type Runtime string

// The runtimes.
const (
	// Wasm is the module itself.
	Wasm Runtime = "wasm"
	// Shell and JS are the sandbox's own shell and JavaScript, which run a script among the assets. The module is a
	// launcher that says so wherever there are none.
	Shell Runtime = "shell"
	JS    Runtime = "js"
)

// Manifest is a skill.toml that has been checked.
type Manifest struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	License     string   `json:"license,omitempty"`
	Homepage    string   `json:"homepage,omitempty"`
	Assets      []string `json:"assets,omitempty"` // files and directories beside the manifest

	Runtime  Runtime `json:"runtime"`
	Script   string  `json:"script,omitempty"`   // one of the assets, for Shell and JS
	Module   string  `json:"module,omitempty"`   // the file to pack, for Wasm
	Language string  `json:"language,omitempty"` // what builds it: "go", "c" or nothing

	Tools    []Tool         `json:"tools"`
	Commands []Command      `json:"commands"`
	Requests capability.Set `json:"requests"`
}

// Tool is something that a model can call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Result      json.RawMessage `json:"result,omitempty"` // nothing: the answer is text
	Args        []string        `json:"args,omitempty"`   // behind the program's name
}

// Command is something that a shell can run.
type Command struct {
	Name string   `json:"name"`
	Args []string `json:"args,omitempty"` // before those that it is called with
}

// ToolName is what a model calls a tool of the skill. No tool can take the name of another skill's, or of one that does not
// come from a skill.
func (m *Manifest) ToolName(t Tool) string { return m.Name + toolSeparator + t.Name }

const toolSeparator = "__"

// Tool finds a tool by its name.
func (m *Manifest) Tool(name string) (Tool, bool) {
	for _, t := range m.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// ErrUnenforced reports a capability that this build cannot hold a skill to. It is refused rather than granted.
var ErrUnenforced = errors.New("this build cannot enforce it")

// Mistake is one thing that is wrong with a manifest.
type Mistake struct {
	Line   int // counted from 1; 0: of the file
	Key    string
	Reason string
	Cause  error // ErrUnenforced, or nil
}

func (m Mistake) String() string {
	text := m.Reason
	if m.Key != "" {
		text = m.Key + ": " + text
	}
	if m.Line > 0 {
		text = fmt.Sprintf("%s:%d: %s", FileName, m.Line, text)
	}
	return text
}

// maxMistakes is how many are told of at once.
const maxMistakes = 20

// Error is what is wrong with a manifest.
type Error struct{ Mistakes []Mistake }

func (e *Error) Error() string {
	lines := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		lines[i] = m.String()
	}
	return "manifest: " + strings.Join(lines, "\n")
}

// Unwrap lists the causes.
func (e *Error) Unwrap() []error {
	var list []error
	for _, m := range e.Mistakes {
		if m.Cause != nil {
			list = append(list, m.Cause)
		}
	}
	return list
}
