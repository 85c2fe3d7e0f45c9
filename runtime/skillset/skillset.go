// Package skillset finds the skills that an agent's sessions are offered, as the configuration has it, and hands them to what mounts and
// shows them.
//
// It promises that what a session's prompt lists is what the session is mounted: both are made of one [confinement.Request].
package skillset

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"openclaw/runtime/bundles"
	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
	"openclaw/runtime/confinement"
	"openclaw/runtime/programs"
	"openclaw/runtime/prompt"
	"openclaw/skills"
	"openclaw/toolwasm"
)

// Options are what the configuration does not say.
type Options struct {
	// HasProgram tells whether a program is installed that commands can run by name. Nil means what the state directory has.
	HasProgram func(name string) bool
	// Bundle tells why the skill of a packed one is not offered; nil: it is. Without it no packed skill is offered.
	Bundle func(ctx context.Context, name string) error
}

// Find looks for the skills of an agent.
func Find(ctx context.Context, conf *config.Config, agent *config.Agent, o Options) (*skills.Found, error) {
	hasProgram := o.HasProgram
	if hasProgram == nil {
		hasProgram = installed(conf.StateDir)
	}
	return skills.Discover(ctx, skills.Options{
		Workspace: agent.Workspace, Personal: conf.PersonalSkills, Managed: filepath.Join(conf.StateDir, "skills"), Bundled: conf.BundledSkills,
		ExtraDirs: conf.Skills.Load.ExtraDirs, LinkTargets: conf.Skills.Load.AllowSymlinkTargets,
		Private: private(conf, agent), Workspaces: workspaces(conf),
		Entries: entries(conf), Allow: agent.Skills, Bundles: conf.Skills.AllowBundled,
		HasCommand: func(name string) bool {
			return toolwasm.HasCommand(name) || hasProgram(name)
		},
		HasConfig: func(path string) bool { return configured(conf, path) },
		Veto:      func(s *skills.Skill) string { return o.veto(ctx, s) },
	})
}

// installed looks for programs in a state directory. An index that cannot be read offers nothing here; sessions are told why.
func installed(stateDir string) func(name string) bool {
	names := sync.OnceValue(func() map[string]bool {
		list, _ := programs.At(stateDir).List()
		names := map[string]bool{}
		for _, p := range list {
			for _, n := range p.Names() {
				names[n] = true
			}
		}
		return names
	})
	return func(name string) bool { return names()[name] }
}

// veto keeps a packed skill from being offered that has not been approved as it is: its text is a stranger's, too.
func (o Options) veto(ctx context.Context, s *skills.Skill) string {
	if s.Source != skills.SourceManaged || !bundles.IsBundle(s.Dir) {
		return ""
	}
	if o.Bundle == nil {
		return "it is packed, and its approval is not known here"
	}
	err := o.Bundle(ctx, s.Name)
	var not *bundles.NotApprovedError
	switch {
	case errors.As(err, &not):
		return not.Reason()
	case err != nil:
		return strings.TrimPrefix(err.Error(), "bundles: skill "+s.Name+": ")
	}
	return ""
}

// private are the runtime's own places, which no tool may read.
func private(conf *config.Config, agent *config.Agent) []string {
	list := []string{conf.File, conf.Agents.Defaults.Sandbox.WorkspaceRoot, agent.Sandbox.WorkspaceRoot}
	for _, own := range confinement.OwnDirs() {
		list = append(list, filepath.Join(conf.StateDir, own))
	}
	return list
}

func workspaces(conf *config.Config) []string {
	list := []string{conf.Agents.Defaults.Workspace}
	for _, id := range conf.Agents.IDs {
		list = append(list, conf.Agents.Entries[id].Workspace)
	}
	return list
}

func entries(conf *config.Config) map[string]skills.Entry {
	all := make(map[string]skills.Entry, len(conf.Skills.Entries))
	for key, e := range conf.Skills.Entries {
		all[key] = skills.Entry{Disabled: !e.Enabled, Env: e.Env, Config: e.Config}
	}
	return all
}

// configured tells whether a path of the configuration is set to something else than nothing.
func configured(conf *config.Config, path string) bool {
	steps, err := json5.ParsePath(path)
	if err != nil {
		return false
	}
	n := conf.Value(steps)
	if n == nil {
		return false
	}
	switch n.Kind {
	case json5.Null:
		return false
	case json5.Bool:
		return n.Bool
	case json5.Number:
		return n.Float64() != 0
	case json5.String:
		return strings.TrimSpace(n.Str) != ""
	}
	return true
}

// Offer finds the skills of the agent that a request is about, and puts those that it is offered into the request, with their variables.
func Offer(ctx context.Context, conf *config.Config, r *confinement.Request, o Options) (*skills.Found, error) {
	agent, err := confinement.AgentOf(conf, *r)
	if err != nil {
		return nil, err
	}
	found, err := Find(ctx, conf, agent, o)
	if err != nil {
		return nil, err
	}
	r.Skills, r.Env = offered(found), env(conf, found)
	return found, nil
}

func offered(found *skills.Found) []confinement.Skill {
	var list []confinement.Skill
	for _, s := range found.Eligible() {
		list = append(list, confinement.Skill{Name: s.Name, Dir: s.Dir, File: s.Base(), Description: s.Description, Hidden: s.Hidden})
	}
	return list
}

// env are the variables of the skills that are offered. What the sandbox sets itself stays as it is, and the first of two skills that set
// one variable has it.
func env(conf *config.Config, found *skills.Found) []string {
	taken := map[string]bool{}
	for _, v := range toolwasm.BaseEnv() {
		name, _, _ := strings.Cut(v, "=")
		taken[name] = true
	}
	var list []string
	for _, s := range found.Eligible() {
		vars := conf.Skills.Entries[s.Key].Env
		for _, name := range slices.Sorted(maps.Keys(vars)) {
			if !taken[name] {
				taken[name] = true
				list = append(list, name+"="+vars[name])
			}
		}
	}
	return list
}

// Listed are the skills that a model is shown, as a prompt has them.
func Listed(found *skills.Found) []prompt.Skill {
	return prompt.SkillsOf(&confinement.Plan{Skills: offered(found)})
}
