// Package setup makes what an agent needs to begin: the configuration, the state directory with its database, and the workspaces with
// their bootstrap files. It can be run again at any time: what is there stays as it is, and what is missing is made.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
	"openclaw/runtime/confinement"
	"openclaw/runtime/session"
	"openclaw/runtime/state"
	"openclaw/workspace"
)

// dirMode is that of directories in the state directory: what an agent is told is private.
const dirMode = 0o700

// Options say what is wanted.
type Options struct {
	Config    config.Options
	Workspace string // put into the configuration as agents.defaults.workspace; empty leaves it
	Reseed    bool   // begin anew with a workspace that has vanished or moved
}

// Report is what there is now.
type Report struct {
	ConfigFile    string
	ConfigMade    bool
	ConfigChanged bool
	StateDir      string
	Database      string
	Agents        []Agent
}

// Agent is what there is of an agent.
type Agent struct {
	ID        string
	Workspace *workspace.Seeded
	Sessions  string // the directory of its sessions
}

// Run sets everything up.
func Run(ctx context.Context, o Options) (*Report, error) {
	// A configuration with mistakes is left alone.
	conf, err := config.Load(ctx, o.Config)
	if err != nil {
		return nil, err
	}
	r := &Report{ConfigFile: conf.File, StateDir: conf.StateDir, Database: state.Path(conf.StateDir)}
	if err := r.configure(ctx, o, conf); err != nil {
		return nil, err
	}
	if conf, err = config.Load(ctx, o.Config); err != nil {
		return nil, err
	}
	db, err := state.Open(ctx, conf.StateDir)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for _, id := range agentIDs(conf) {
		agent, err := conf.Agent(id)
		if err != nil {
			return nil, err
		}
		made, err := prepare(ctx, conf, agent, db, o.Reseed)
		if err != nil {
			return nil, err
		}
		r.Agents = append(r.Agents, made)
	}
	return r, nil
}

func agentIDs(conf *config.Config) []string {
	if len(conf.Agents.IDs) == 0 {
		return []string{config.DefaultAgentID}
	}
	return slices.Clone(conf.Agents.IDs)
}

// configure writes the configuration where there is none, and the workspace that was asked for.
func (r *Report) configure(ctx context.Context, o Options, conf *config.Config) error {
	dir := o.Workspace
	if dir == "" {
		if conf.Exists {
			return nil
		}
		dir = conf.Agents.Defaults.Workspace
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("setup: workspace %s: %w", o.Workspace, err)
	}
	if err := confinement.Apart(conf, dir, conf.Agents.Defaults.Sandbox.WorkspaceRoot); err != nil {
		return err
	}
	value, err := json5.Parse("workspace", json5.Quote(dir))
	if err != nil {
		return fmt.Errorf("setup: workspace %s: %w", dir, err)
	}
	path := json5.Path{json5.Key("agents"), json5.Key("defaults"), json5.Key("workspace")}
	outcome, err := config.Change(ctx, o.Config, config.Edit{Path: path, Value: value.Root})
	if err != nil {
		return err
	}
	r.ConfigMade, r.ConfigChanged = !conf.Exists, outcome.Changed
	return nil
}

// prepare makes an agent's directories.
func prepare(ctx context.Context, conf *config.Config, agent *config.Agent, db *state.DB, reseed bool) (Agent, error) {
	made := Agent{ID: agent.ID, Sessions: filepath.Dir(session.Path(conf.StateDir, agent.ID))}
	if err := confinement.Apart(conf, agent.Workspace, agent.Sandbox.WorkspaceRoot); err != nil {
		return made, err
	}
	if err := os.MkdirAll(made.Sessions, dirMode); err != nil {
		return made, fmt.Errorf("setup: agent %s: %w", agent.ID, plain(err))
	}
	options := confinement.SeedOptions(agent)
	options.Reseed = reseed
	seeded, err := (&workspace.Seeder{Store: db}).Seed(ctx, agent.Workspace, options)
	made.Workspace = seeded
	return made, err
}

// plain is an error of the system with its path and without the name of the call.
func plain(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return err
}
