package prompt

import "openclaw/workspace"

// charsPerToken is how many units a token has, about.
const charsPerToken = 4

// Size is how much a part takes.
type Size struct {
	Name   string `json:"name"`
	Stable bool   `json:"stable"`
	Chars  int    `json:"chars"`
	Tokens int    `json:"tokens"` // about
}

// FileSize is how much a bootstrap file takes.
type FileSize struct {
	Name          string            `json:"name"`
	Path          string            `json:"path"`
	Status        workspace.Status  `json:"status"`
	Reason        string            `json:"reason,omitempty"`
	RawChars      int               `json:"rawChars"`
	InjectedChars int               `json:"injectedChars"`
	Truncated     bool              `json:"truncated"`
	Causes        []workspace.Cause `json:"causes,omitempty"`
	NearLimit     bool              `json:"nearLimit,omitempty"`
}

// Sizes is how much a prompt takes, in UTF-16 units.
type Sizes struct {
	Chars       int                 `json:"chars"`
	Tokens      int                 `json:"tokens"`
	StableChars int                 `json:"stableChars"`
	StableHash  string              `json:"stableHash"`
	ContextPart int                 `json:"projectContextChars"`
	Parts       []Size              `json:"parts"`
	FileLimit   int                 `json:"bootstrapMaxChars"`
	TotalLimit  int                 `json:"bootstrapTotalMaxChars"`
	TotalNear   bool                `json:"totalNearLimit,omitempty"`
	Files       []FileSize          `json:"injectedWorkspaceFiles"`
	Warnings    []workspace.Warning `json:"warnings"`
}

// Measure tells how much the parts of a prompt take. in is what it was built from.
func Measure(in Input, p Prompt) Sizes {
	s := Sizes{
		Chars: workspace.Chars(p.String()), StableChars: workspace.Chars(p.Stable()), StableHash: p.Hash(),
		ContextPart: workspace.Chars(p.Part(PartProjectContext)),
		FileLimit:   in.Bootstrap.Budget.File, TotalLimit: in.Bootstrap.Budget.Total, TotalNear: in.Bootstrap.NearTotal,
		Warnings: append([]workspace.Warning{}, in.Bootstrap.Warnings...), Files: []FileSize{}, Parts: []Size{},
	}
	s.Tokens = tokens(s.Chars)
	for _, part := range p.Parts {
		n := workspace.Chars(part.Text)
		s.Parts = append(s.Parts, Size{part.Name, part.Stable, n, tokens(n)})
	}
	for _, f := range in.Bootstrap.Files {
		s.Files = append(s.Files, FileSize{f.Name, f.Path, f.Status, f.Reason, f.RawChars, f.InjectedChars, f.Truncated, f.Causes, f.Near})
	}
	return s
}

func tokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }
