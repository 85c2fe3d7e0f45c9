package bundles_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"openclaw/runtime/bundles"
	"openclaw/skills/bundle"
)

// memory keeps approvals.
type memory map[string]bundles.Approval

func (m memory) Approval(_ context.Context, name string) (bundles.Approval, bool, error) {
	a, ok := m[name]
	return a, ok, nil
}

func (m memory) SaveApproval(_ context.Context, a bundles.Approval) error {
	m[a.Name] = a
	return nil
}

func (m memory) ForgetApproval(_ context.Context, name string) (bool, error) {
	_, ok := m[name]
	delete(m, name)
	return ok, nil
}

// skill is a script's manifest, up to its capabilities.
func skill(version, capabilities string) string {
	return `name = "tea"
version = "` + version + `"
description = "Makes: \"tea\""
assets = ["scripts"]
[program]
runtime = "shell"
script = "scripts/main.sh"
[[tools]]
name = "brew"
description = "Brews."
[[commands]]
name = "brew-tea"
[capabilities]
` + capabilities
}

// pack packs a skill with a script.
func pack(t testing.TB, manifest, script string) []byte {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "skill.toml", manifest)
	put(t, dir, "scripts/main.sh", script)
	p, err := bundle.Pack(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p.File
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shelf is a store with its state directory.
type shelf struct {
	*testing.T
	*bundles.Store
	dir       string
	approvals memory
}

func newShelf(t *testing.T) *shelf {
	s := &shelf{T: t, dir: t.TempDir(), approvals: memory{}}
	s.reopen()
	return s
}

// reopen forgets what has been read, as another process would not know it.
func (s *shelf) reopen() { s.Store = bundles.At(s.dir, s.approvals) }

func (s *shelf) install(file []byte) *bundles.Change {
	s.Helper()
	c, err := s.Install(s.Context(), file)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

func (s *shelf) get(name string) *bundles.Installed {
	s.Helper()
	i, err := s.Get(s.Context(), name)
	if err != nil {
		s.Fatal(err)
	}
	return i
}

func (s *shelf) approve(name string) *bundles.Installed {
	s.Helper()
	i, err := s.Approve(s.Context(), name, s.get(name).Digest.String())
	if err != nil {
		s.Fatal(err)
	}
	return i
}
