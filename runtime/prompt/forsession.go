package prompt

import (
	"slices"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/session"
	"openclaw/sandbox"
	"openclaw/toolwasm"
	"openclaw/workspace"
)

// summaries say what tools do.
var summaries = map[string]string{
	toolwasm.ToolRead:       "read a file, or a part of it; pictures are shown",
	toolwasm.ToolWrite:      "create a file or replace its content",
	toolwasm.ToolEdit:       "replace exact pieces of text in a file",
	toolwasm.ToolApplyPatch: "change several files at once with a patch",
	toolwasm.ToolExec:       "run a shell script",
}

// ForSession is the input for a session's prompt as its plan and configuration have it. sources are the bootstrap files to be
// injected; pendingFirst tells that the agent's first conversation is still to come. The caller adds what belongs to a turn.
func ForSession(plan *confinement.Plan, sources []workspace.Source, pendingFirst bool) Input {
	agent := plan.Agent
	in := Input{
		Mode: Full,
		Bootstrap: workspace.Fit(sources, plan.BootstrapDir(), workspace.Budget{
			File: int(agent.BootstrapMaxChars), Total: int(agent.BootstrapTotalMaxChars),
		}),
		Place:   placeOf(plan),
		Agent:   agent.ID,
		Session: plan.Key.String(),
		Zone:    zone(agent),
	}
	if plan.Kind == workspace.KindSubagent {
		in.Mode = Minimal
	}
	for _, t := range plan.Tools {
		if t.Allowed {
			in.Tools = append(in.Tools, Tool{t.Tool, summaries[t.Tool]})
		}
	}
	in.Skills = SkillsOf(plan)
	in.SkillsBudget = BudgetOf(agent)
	in.Pending = PendingOf(plan, pendingFirst)
	return in
}

// SkillsOf are the skills that a session's model is shown.
func SkillsOf(plan *confinement.Plan) []Skill {
	var list []Skill
	for _, s := range plan.Skills {
		if !s.Hidden {
			list = append(list, Skill{s.Name, s.Description, s.Location()})
		}
	}
	return list
}

// BudgetOf is what an agent's configuration gives the list of skills.
func BudgetOf(agent *config.Agent) SkillsBudget {
	limits := agent.SkillsLimits
	return SkillsBudget{Chars: int(limits.MaxSkillsPromptChars), Count: int(limits.MaxSkillsInPrompt)}
}

// PendingOf tells whether the first conversation can be held in a session.
func PendingOf(plan *confinement.Plan, pendingFirst bool) Pending {
	switch {
	case !pendingFirst, plan.Agent.SkipBootstrap, plan.Key.Kind == session.KindCron, plan.Key.Kind == session.KindSubagent, plan.Key.Kind == session.KindHook:
		return NotPending
	case plan.Main && plan.Owner == nil && canRead(plan):
		return PendingFull
	}
	return PendingLimited
}

func canRead(plan *confinement.Plan) bool {
	return slices.ContainsFunc(plan.Tools, func(t confinement.ToolDecision) bool { return t.Tool == toolwasm.ToolRead && t.Allowed })
}

func placeOf(plan *confinement.Plan) Place {
	p := Place{Workspace: toolwasm.Workspace, Own: plan.Owner != nil}
	p.Shared = plan.Owner != nil && plan.Owner.Scope != workspace.ScopeSession
	for _, m := range plan.Mounts {
		if m.Guest == confinement.AgentDir {
			p.AgentDir = m.Guest
		}
		if m.Guest == toolwasm.Workspace && m.Access == sandbox.ReadWrite {
			p.Protected = len(m.Protect) > 0
		}
	}
	return p
}

func zone(agent *config.Agent) *time.Location {
	if agent.UserTimezone == "" {
		return nil
	}
	location, err := time.LoadLocation(agent.UserTimezone)
	if err != nil {
		return nil // the configuration has been checked; the host's zone is what it has otherwise
	}
	return location
}
