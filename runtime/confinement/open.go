package confinement

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/programs"
	"openclaw/sandbox"
	"openclaw/workspace"
)

// pruneEvery is how often the directories of sessions are looked through at most.
const pruneEvery = 5 * time.Minute

// Opener makes what plans say. It may be used by many goroutines.
type Opener struct {
	Seeder *workspace.Seeder
	Dirs   *workspace.SessionDirs

	mu     sync.Mutex
	pruned map[string]time.Time // by root
}

// Store is what an Opener keeps record in.
type Store interface {
	workspace.Store
	workspace.Registry
}

// NewOpener returns an opener that keeps its records in a store.
func NewOpener(store Store) *Opener {
	return &Opener{Seeder: &workspace.Seeder{Store: store}, Dirs: &workspace.SessionDirs{Registry: store}}
}

// Opened is a session whose directories are there. Close it when the sandbox's session is closed.
type Opened struct {
	*Plan
	Grant sandbox.Grant
	// Bootstrap are the bootstrap files for the session's prompt, read anew.
	Bootstrap []workspace.Source
	// Seeded is how the agent's workspace stands.
	Seeded *workspace.Seeded
	// Warnings are what went wrong without keeping the session from being opened.
	Warnings []string

	lease *workspace.Lease
}

// Close lets the session's directory be removed when its time has come.
func (o *Opened) Close() {
	if o != nil {
		o.lease.Release()
	}
}

// SeedOptions are how the configuration wants an agent's workspace to be set up.
func SeedOptions(agent *config.Agent) workspace.SeedOptions {
	o := workspace.SeedOptions{Skip: agent.SkipBootstrap}
	for _, name := range agent.SkipOptionalBootstrapFiles {
		o.SkipOptional = append(o.SkipOptional, string(name))
	}
	return o
}

// LoadBootstrap reads the bootstrap files that a session gets in its prompt, none when the configuration says so. completed tells
// that the agent's first conversation is over.
func (p *Plan) LoadBootstrap(ctx context.Context, completed bool) ([]workspace.Source, error) {
	if p.Agent.SkipBootstrap {
		return nil, nil
	}
	return workspace.Load(ctx, p.Agent.Workspace, workspace.LoadOptions{
		Kind: p.Kind, Completed: completed, Optional: SeedOptions(p.Agent).SkipOptional,
	})
}

// Open makes the directories of a plan: the agent's workspace is set up as far as it lacks something, the session's own is made
// and given its bootstrap files. Directories of other sessions whose time has come are removed.
func (o *Opener) Open(ctx context.Context, p *Plan) (*Opened, error) {
	if err := p.apart(); err != nil {
		return nil, err
	}
	seeded, err := o.Seeder.Seed(ctx, p.Agent.Workspace, SeedOptions(p.Agent))
	if err != nil {
		return nil, err
	}
	opened := &Opened{Plan: p, Seeded: seeded}
	if opened.Bootstrap, err = p.LoadBootstrap(ctx, !seeded.Completed.IsZero()); err != nil {
		return nil, err
	}
	if err := o.enter(ctx, opened); err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
}

// Use decides and opens for one call of a tool, which the session must have.
func (o *Opener) Use(ctx context.Context, conf *config.Config, r Request, tool string) (*Opened, error) {
	p, err := Decide(conf, r)
	if err != nil {
		return nil, err
	}
	if err := p.Require(tool); err != nil {
		return nil, err
	}
	return o.Open(ctx, p)
}

// enter opens the session's own directory, when it has one, and writes the grant.
func (o *Opener) enter(ctx context.Context, opened *Opened) error {
	p := opened.Plan
	if p.Owner != nil {
		lease, err := o.Dirs.Open(ctx, p.Root.Value, *p.Owner)
		if err != nil {
			return err
		}
		opened.lease = lease
		copies, err := p.copies(ctx, opened)
		if err != nil {
			return err
		}
		if err := lease.Copy(ctx, copies); err != nil {
			return err
		}
		if err := o.prune(ctx, p); err != nil { // a directory that cannot be removed is no reason to refuse this session
			opened.Warnings = append(opened.Warnings, err.Error())
		}
	}
	opened.Grant = p.grant()
	var err error
	if opened.Grant.Programs, err = programs.At(p.stateDir).Named(); err != nil {
		return err
	}
	return p.apart() // with the directories there, links on the way to them are, too
}

// copies are the bootstrap files that lie in the session's own directory. What an agent's sessions share has no memory in it, whoever
// opens it; what all agents share has none at all, because each agent has its own.
func (p *Plan) copies(ctx context.Context, opened *Opened) ([]workspace.Source, error) {
	switch {
	case p.Owner.Scope == workspace.ScopeShared || p.Agent.SkipBootstrap:
		return nil, nil
	case p.Owner.Scope == workspace.ScopeSession:
		return opened.Bootstrap, nil
	}
	return workspace.Load(ctx, p.Agent.Workspace, workspace.LoadOptions{Kind: workspace.KindGroup, Completed: !opened.Seeded.Completed.IsZero()})
}

// prune removes directories whose time has come, now and then.
func (o *Opener) prune(ctx context.Context, p *Plan) error {
	root, now := p.Root.Value, time.Now()
	o.mu.Lock()
	due := now.Sub(o.pruned[root]) >= pruneEvery
	if due {
		if o.pruned == nil {
			o.pruned = map[string]time.Time{}
		}
		o.pruned[root] = now
	}
	o.mu.Unlock()
	if !due {
		return nil
	}
	_, err := o.Dirs.Prune(ctx, root, p.PrunePolicy())
	return err
}

// PrunePolicy says when directories of sessions are removed.
func (p *Plan) PrunePolicy() workspace.Prune {
	prune := p.Agent.Sandbox.Prune
	return workspace.Prune{Idle: time.Duration(prune.IdleHours) * time.Hour, Age: time.Duration(prune.MaxAgeDays) * 24 * time.Hour}
}

func (p *Plan) grant() sandbox.Grant {
	g := sandbox.Grant{Tmp: true, Limits: p.Limits, Env: slices.Clone(p.Env)}
	for _, m := range p.Mounts {
		mount := sandbox.Mount{Guest: m.Guest, Host: m.Host, Access: m.Access}
		if m.Access == sandbox.ReadWrite {
			mount.Protect = append(sandbox.DefaultProtected(), m.Protect...)
		}
		g.Mounts = append(g.Mounts, mount)
	}
	return g
}

// ErrNotApart reports a directory that tools would use and that holds, or lies in, what they must not reach.
var ErrNotApart = errors.New("tools must not reach it")

// ownDirs are the directories of the state directory that no tool may reach.
var ownDirs = []string{"agents", "state", "credentials", "programs"}

// OwnDirs are the directories of the state directory that no tool may reach.
func OwnDirs() []string { return slices.Clone(ownDirs) }

// Apart makes sure, with links resolved, that a workspace is apart from what confines it, and from where session directories are
// made. The configuration has compared the names.
func Apart(conf *config.Config, dir, sandboxes string) error {
	p := &Plan{stateDir: conf.StateDir, configFile: conf.File}
	if err := p.clear(dir); err != nil {
		return err
	}
	return disjoint(dir, "the directory of sessions", sandboxes, false)
}

// apart is Apart for everything that a session mounts.
func (p *Plan) apart() error {
	for _, m := range p.Mounts {
		if m.Access != sandbox.ReadWrite && m.Guest != AgentDir {
			continue // a skill, which may come from the state directory and is never written
		}
		if err := p.clear(m.Host); err != nil {
			return err
		}
	}
	return disjoint(p.Agent.Workspace, "the directory of sessions", p.Root.Value, false)
}

// clear makes sure that a directory holds neither the configuration nor the runtime's state, and lies in none of its own directories.
func (p *Plan) clear(dir string) error {
	if err := disjoint(dir, "the state directory", p.stateDir, true); err != nil {
		return err
	}
	if err := disjoint(dir, "the configuration", p.configFile, false); err != nil {
		return err
	}
	for _, own := range ownDirs {
		if err := disjoint(dir, "the runtime's own directory", filepath.Join(p.stateDir, own), false); err != nil {
			return err
		}
	}
	return nil
}

// disjoint makes sure that a directory for tools does not hold another path, and, unless mayLieIn is true, does not lie in it.
func disjoint(dir, what, other string, mayLieIn bool) error {
	a, err := workspace.Identify(dir)
	if err != nil {
		return err
	}
	b, err := workspace.Identify(other)
	if err != nil {
		return err
	}
	relation := ""
	switch {
	case within(b.Path, a.Path):
		relation = "holds"
	case !mayLieIn && within(a.Path, b.Path):
		relation = "lies in"
	default:
		return nil
	}
	return fmt.Errorf("confinement: %s %s %s %s: %w", shown(a), relation, what, shown(b), ErrNotApart)
}

// shown is a path as it is configured, and where it leads.
func shown(id workspace.Identity) string {
	if id.Named == id.Path {
		return id.Named
	}
	return fmt.Sprintf("%s (%s)", id.Named, id.Path)
}

// within reports whether a path is a directory or lies below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
