package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Variables that say where things are. They are taken from the process's environment only.
const (
	EnvStateDir      = "OPENCLAW_STATE_DIR"
	EnvConfigPath    = "OPENCLAW_CONFIG_PATH"
	EnvProfile       = "OPENCLAW_PROFILE"
	EnvWorkspaceDir  = "OPENCLAW_WORKSPACE_DIR"
	EnvIncludeRoots  = "OPENCLAW_INCLUDE_ROOTS"
	EnvReadOnly      = "OPENCLAW_CONFIG_READONLY"
	EnvBundledSkills = "OPENCLAW_BUNDLED_SKILLS_DIR"
)

const (
	fileName        = "openclaw.json"
	dotEnvName      = ".env"
	defaultProfile  = "default"
	defaultStateDir = ".openclaw"
)

// Options say what the configuration is read from. The zero value is the process's own environment.
type Options struct {
	LookupEnv func(name string) (string, bool) // nil: os.LookupEnv
	Home      string                           // empty: the user's home directory
}

func (o Options) env(name string) string {
	lookup := o.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	v, _ := lookup(name)
	return strings.TrimSpace(v)
}

func (o Options) home() (string, error) {
	if o.Home != "" {
		return o.Home, nil
	}
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) {
		err = errors.New("is not absolute")
	}
	if err != nil {
		return "", fmt.Errorf("config: find the home directory: %w", err)
	}
	return home, nil
}

// Location is where the runtime keeps its things. All paths are absolute.
type Location struct {
	Profile      string // empty for the default one
	StateDir     string
	File         string   // the configuration, which need not exist
	Workspace    string   // the default agent's, unless the configuration names another
	IncludeRoots []string // directories besides File's own that $include may read
	// PersonalSkills are the user's own skills, which other programs share. Only the default state directory has them.
	PersonalSkills string
	BundledSkills  string // those that come with the program; empty when none do
}

var profileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// Locate finds the places without reading anything.
func Locate(o Options) (Location, error) {
	var l Location
	if l.Profile = o.env(EnvProfile); l.Profile == defaultProfile {
		l.Profile = ""
	}
	if l.Profile != "" && !profileName.MatchString(l.Profile) {
		return l, fmt.Errorf("config: %s %q: letters, digits, '-' and '_' only, at most 64", EnvProfile, l.Profile)
	}
	state, err := o.stateDir(l.Profile)
	if err != nil {
		return l, err
	}
	l.StateDir = state
	if l.File, err = o.pathFrom(EnvConfigPath, filepath.Join(state, fileName)); err != nil {
		return l, err
	}
	if l.Workspace, err = o.pathFrom(EnvWorkspaceDir, filepath.Join(state, "workspace")); err != nil {
		return l, err
	}
	if l.BundledSkills, err = o.pathFrom(EnvBundledSkills, ""); err != nil {
		return l, err
	}
	if home, err := o.home(); err == nil && state == filepath.Join(home, defaultStateDir) {
		l.PersonalSkills = filepath.Join(home, ".agents", "skills")
	}
	for _, root := range filepath.SplitList(o.env(EnvIncludeRoots)) {
		if root = strings.TrimSpace(root); root == "" {
			continue
		}
		if root, err = o.absolute(root); err != nil {
			return l, err
		}
		l.IncludeRoots = append(l.IncludeRoots, root)
	}
	return l, nil
}

func (o Options) stateDir(profile string) (string, error) {
	if dir := o.env(EnvStateDir); dir != "" {
		return o.absolute(dir)
	}
	home, err := o.home()
	if err != nil {
		return "", err
	}
	name := defaultStateDir
	if profile != "" {
		name += "-" + profile
	}
	return filepath.Join(home, name), nil
}

// pathFrom is the path that a variable holds, or the other one.
func (o Options) pathFrom(variable, otherwise string) (string, error) {
	if p := o.env(variable); p != "" {
		return o.absolute(p)
	}
	return otherwise, nil
}

func (o Options) absolute(path string) (string, error) {
	path, err := o.expandHome(path)
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("config: resolve %q: %w", path, err)
	}
	return abs, nil
}

// expandHome replaces a leading ~ by the home directory.
func (o Options) expandHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path, nil
	}
	home, err := o.home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, rest), nil
}
