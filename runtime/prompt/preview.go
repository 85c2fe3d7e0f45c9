package prompt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/session"
	"openclaw/runtime/state"
	"openclaw/workspace"
)

// Preview is the prompt that the next turn of a session would have.
type Preview struct {
	Plan   *confinement.Plan
	Input  Input
	Prompt Prompt
	// Injected tells that the bootstrap files are in it.
	Injected bool
}

// Look makes a preview. It changes nothing, not even a workspace that is not set up.
func Look(ctx context.Context, conf *config.Config, r confinement.Request) (*Preview, error) {
	plan, err := confinement.Decide(conf, r)
	if err != nil {
		return nil, err
	}
	pendingFirst, completed, err := milestones(ctx, conf, plan)
	if err != nil {
		return nil, err
	}
	injected, err := injects(ctx, conf, plan, PendingOf(plan, pendingFirst))
	if err != nil {
		return nil, err
	}
	var sources []workspace.Source
	if injected {
		sources, err = plan.LoadBootstrap(ctx, completed)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w (try 'openclaw setup')", err)
		}
		if err != nil {
			return nil, err
		}
	}
	in := ForSession(plan, sources, pendingFirst)
	in.Now = time.Now()
	return &Preview{plan, in, Build(in), injected && !plan.Agent.SkipBootstrap}, nil
}

// milestones are those of the agent's workspace.
func milestones(ctx context.Context, conf *config.Config, plan *confinement.Plan) (pending, completed bool, err error) {
	db, err := state.OpenReadOnly(ctx, conf.StateDir)
	if err != nil {
		return false, false, err
	}
	defer db.Close()
	id, err := workspace.Identify(plan.Agent.Workspace)
	if err != nil {
		return false, false, err
	}
	r, err := db.Workspace(ctx, id)
	if err != nil {
		return false, false, err
	}
	completed = !r.CompletedAt.IsZero()
	return !r.SeededAt.IsZero() && !completed, completed, nil
}

// injects decides about the bootstrap files by what the session's transcript holds.
func injects(ctx context.Context, conf *config.Config, plan *confinement.Plan, pending Pending) (bool, error) {
	mode := plan.Agent.ContextInjection
	if mode != config.InjectContinuationSkip {
		return Inject(mode, pending, nil), nil
	}
	store, err := session.Open(ctx, session.Options{Path: session.Path(conf.StateDir, plan.Agent.ID), ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer store.Close()
	return Inject(mode, pending, branch(ctx, store, plan.Key)), nil
}

func branch(ctx context.Context, store *session.Store, key session.Key) iter.Seq2[session.Entry, error] {
	return store.Branch(ctx, session.Ref{Key: key.String()}, "")
}
