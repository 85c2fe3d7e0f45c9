package confinement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"openclaw/runtime/config"
	"openclaw/workspace"
)

// Directory is a session directory and how it stands.
type Directory struct {
	workspace.SessionDir
	There bool
	InUse bool
}

// Directories lists the session directories on record.
func Directories(ctx context.Context, record workspace.Registry) ([]Directory, error) {
	dirs, err := record.SessionDirs(ctx)
	if err != nil {
		return nil, err
	}
	var all []Directory
	for _, d := range dirs {
		there, inUse, err := d.Look()
		if err != nil {
			return nil, err
		}
		all = append(all, Directory{d, there, inUse})
	}
	return all, nil
}

// Selection says which session directories are meant; exactly one of the fields is set.
type Selection struct {
	All     bool
	Session string // the one that the session of this key uses
	Agent   string // those of an agent
}

// ErrSelection reports a selection that names nothing, or more than one thing.
var ErrSelection = errors.New("want exactly one of all, a session and an agent")

// Select lists the directories that are meant.
func Select(ctx context.Context, conf *config.Config, record workspace.Registry, s Selection) ([]workspace.SessionDir, error) {
	if n := count(s.All, s.Session != "", s.Agent != ""); n != 1 {
		return nil, fmt.Errorf("confinement: select directories: %w", ErrSelection)
	}
	match, err := s.matcher(conf)
	if err != nil {
		return nil, err
	}
	dirs, err := record.SessionDirs(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(dirs, func(d workspace.SessionDir) bool { return !match(d) }), nil
}

func count(set ...bool) int {
	return len(slices.DeleteFunc(set, func(b bool) bool { return !b }))
}

func (s Selection) matcher(conf *config.Config) (func(workspace.SessionDir) bool, error) {
	switch {
	case s.All:
		return func(workspace.SessionDir) bool { return true }, nil
	case s.Agent != "":
		if _, err := conf.Agent(s.Agent); err != nil && !errors.Is(err, config.ErrNoAgent) { // one that was removed has left some
			return nil, err
		}
		return func(d workspace.SessionDir) bool { return strings.EqualFold(d.Owner.Agent, s.Agent) }, nil
	}
	plan, err := Decide(conf, Request{Key: s.Session})
	if err != nil && !errors.Is(err, config.ErrNoAgent) {
		return nil, err
	}
	return func(d workspace.SessionDir) bool {
		uses := plan != nil && plan.Owner != nil && d.Name == plan.Owner.DirName()
		return uses || d.Owner.Scope == workspace.ScopeSession && d.Owner.Session == s.Session
	}, nil
}
