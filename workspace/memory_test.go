package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"openclaw/workspace"
)

// memory is a Store and a Registry without a database.
type memory struct {
	mu      sync.Mutex
	records map[string]workspace.Record
	aliases map[string]string
	dirs    map[string]workspace.SessionDir
}

func newMemory() *memory {
	return &memory{records: map[string]workspace.Record{}, aliases: map[string]string{}, dirs: map[string]workspace.SessionDir{}}
}

func (m *memory) Workspace(_ context.Context, id workspace.Identity) (workspace.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.records[id.Key], nil
}

func (m *memory) Known(_ context.Context, id workspace.Identity) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.aliases[id.Alias], nil
}

func (m *memory) SaveWorkspace(_ context.Context, id workspace.Identity, merge func(workspace.Record) workspace.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records[id.Key] = merge(m.records[id.Key])
	m.aliases[id.Alias] = id.Path
	return nil
}

func (m *memory) ForgetWorkspace(_ context.Context, id workspace.Identity, unlessAfter time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[id.Key].AttestedAt.After(unlessAfter) {
		return false, nil
	}
	delete(m.records, id.Key)
	delete(m.aliases, id.Alias)
	return true, nil
}

func (m *memory) SessionDirs(context.Context) ([]workspace.SessionDir, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []workspace.SessionDir
	for _, d := range m.dirs {
		all = append(all, d)
	}
	return all, nil
}

func (m *memory) SaveSessionDir(_ context.Context, d workspace.SessionDir, made bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, ok := m.dirs[d.Path()]; ok && !made {
		d.MadeAt = old.MadeAt
	}
	m.dirs[d.Path()] = d
	return nil
}

func (m *memory) ForgetSessionDir(_ context.Context, d workspace.SessionDir) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.dirs, d.Path())
	return nil
}

// clock is a time that tests move.
type clock struct{ at time.Time }

func newClock() *clock { return &clock{time.Date(2031, 5, 17, 9, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time        { return c.at }
func (c *clock) pass(by time.Duration) { c.at = c.at.Add(by) }
func exists(name string) bool          { _, err := os.Lstat(name); return err == nil }
func isVanished(err error) bool        { var v *workspace.VanishedError; return errors.As(err, &v) }

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
