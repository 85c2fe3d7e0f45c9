package setup_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/setup"
	"openclaw/workspace"
)

// options are those of a machine whose state directory is dir.
func options(t *testing.T, dir string) setup.Options {
	return setup.Options{Config: config.Options{Home: t.TempDir(), LookupEnv: func(name string) (string, bool) {
		if name == config.EnvStateDir {
			return dir, true
		}
		return "", false
	}}}
}

func TestSetupCanBeRunAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	first, err := setup.Run(t.Context(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if !first.ConfigMade || len(first.Agents) != 1 || !first.Agents[0].Workspace.BrandNew {
		t.Errorf("first: %+v", first)
	}
	for _, name := range []string{"", "state", "workspace", "agents/main/agent"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	second, err := setup.Run(t.Context(), options(t, dir))
	if err != nil || second.ConfigMade || second.ConfigChanged || len(second.Agents[0].Workspace.Made) > 0 {
		t.Errorf("second: %+v, %v", second, err)
	}
}

func TestSetupRefusesAReadOnlyConfiguration(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	lookup := o.Config.LookupEnv
	o.Config.LookupEnv = func(name string) (string, bool) {
		if name == config.EnvReadOnly {
			return "1", true
		}
		return lookup(name)
	}
	if _, err := setup.Run(t.Context(), o); !errors.Is(err, config.ErrReadOnly) {
		t.Errorf("error %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("%v was made", entries)
	}
}

func TestSetupSeesWhereLinksLead(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	o := options(t, dir)
	o.Workspace = link
	if _, err := setup.Run(t.Context(), o); !errors.Is(err, confinement.ErrNotApart) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "AGENTS.md")); err == nil {
		t.Error("the state directory is a workspace now")
	}
	if _, err := os.Stat(filepath.Join(dir, "openclaw.json")); err == nil {
		t.Error("the configuration says so")
	}
}

func TestSetupRefusesAVanishedWorkspace(t *testing.T) {
	dir := t.TempDir()
	if _, err := setup.Run(t.Context(), options(t, dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "workspace"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	_, err := setup.Run(t.Context(), options(t, dir))
	var vanished *workspace.VanishedError
	if !errors.As(err, &vanished) {
		t.Errorf("error %v", err)
	}
	o := options(t, dir)
	o.Reseed = true
	if r, err := setup.Run(t.Context(), o); err != nil || !r.Agents[0].Workspace.Pending {
		t.Errorf("%+v, %v", r, err)
	}
}
