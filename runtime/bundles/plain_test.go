package bundles_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/runtime/bundles"
	"openclaw/skills/bundle"
)

const leaf = "---\nname: leaf\ndescription: Reads leaves.\n---\nRun go.sh.\n"

func TestASkillOfTextsIsInstalledAndRemoved(t *testing.T) {
	s := newShelf(t)
	dir := t.TempDir()
	put(t, dir, "SKILL.md", leaf)
	put(t, dir, "scripts/go.sh", "echo 1\n")
	put(t, dir, "scripts/.env", "SECRET")
	p, err := s.InstallPlain(t.Context(), dir)
	if err != nil || p.Name != "leaf" || len(p.Skipped) != 1 || p.Skipped[0] != "scripts/.env" {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "scripts/.env")); err == nil {
		t.Error("a hidden file was installed")
	}
	put(t, dir, "scripts/go.sh", "echo 2\n")
	if _, err = s.InstallPlain(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(p.Dir, "scripts/go.sh")); err != nil || string(text) != "echo 2\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := s.Remove(t.Context(), "leaf"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.Dir); err == nil {
		t.Error("it is still there")
	}
}

func TestADirectoryThatIsNoSkillIsNotInstalled(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *shelf, dir string) error
		want   string
		cause  error
	}{
		"no SKILL.md": {func(_ *shelf, d string) error { return os.Remove(filepath.Join(d, "SKILL.md")) }, "neither a skill.toml nor a SKILL.md", nil},
		"no description": {func(_ *shelf, d string) error {
			return os.WriteFile(filepath.Join(d, "SKILL.md"), []byte("---\nname: leaf\n---\n"), 0o600)
		}, "there is no description", nil},
		"skill below": {func(_ *shelf, d string) error {
			return errors.Join(os.Mkdir(filepath.Join(d, "leaf"), 0o700), os.Rename(filepath.Join(d, "SKILL.md"), filepath.Join(d, "leaf/SKILL.md")))
		}, "neither a skill.toml nor a SKILL.md", nil},
		"link": {func(_ *shelf, d string) error { return os.Symlink("/etc/passwd", filepath.Join(d, "leak")) }, "leak", bundle.ErrSource},
		"large": {func(_ *shelf, d string) error {
			return errors.Join(os.WriteFile(filepath.Join(d, "big"), nil, 0o600), os.Truncate(filepath.Join(d, "big"), 1<<40))
		}, "big", bundle.ErrTooLarge},
		"somebody's own": {func(s *shelf, _ string) error { return os.MkdirAll(filepath.Join(s.dir, "skills/leaf"), 0o700) }, "not installed in this way", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newShelf(t), t.TempDir()
			put(t, dir, "SKILL.md", leaf)
			if err := c.change(s, dir); err != nil {
				t.Fatal(err)
			}
			_, err := s.InstallPlain(t.Context(), dir)
			if err == nil || !strings.Contains(err.Error(), c.want) || c.cause != nil && !errors.Is(err, c.cause) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if left, _ := filepath.Glob(filepath.Join(s.dir, "skills/.bundle-*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
	s := newShelf(t)
	s.install(pack(t, skill("1.0.0", ""), ""))
	dir := t.TempDir()
	put(t, dir, "SKILL.md", strings.Replace(leaf, "leaf", "tea", 1))
	if _, err := s.InstallPlain(t.Context(), dir); err == nil {
		t.Error("a bundle was replaced by a text")
	}
	if _, err := s.Get(t.Context(), "tea"); err != nil || errors.Is(err, bundles.ErrNotInstalled) {
		t.Error(err)
	}
}
