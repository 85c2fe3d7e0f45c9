package scaffold_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/skills/manifest"
	"openclaw/skills/scaffold"
)

func TestEachTemplateIsAValidSkill(t *testing.T) {
	for _, language := range scaffold.Languages() {
		dir := filepath.Join(t.TempDir(), "x")
		if err := scaffold.New(dir, "my-skill", language); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, manifest.FileName))
		if err != nil {
			t.Fatal(err)
		}
		m, err := manifest.Parse(text)
		if err != nil || m.Name != "my-skill" || m.Commands[0].Name != "my-skill" {
			t.Errorf("%s: %+v, %v", language, m, err)
		}
		err = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			if strings.Contains(string(text), "SKILLNAME") || strings.HasSuffix(name, ".tmpl") {
				t.Errorf("%s is still a template", name)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if err := scaffold.New(dir, "my-skill", language); !errors.Is(err, scaffold.ErrExists) {
			t.Error(err)
		}
	}
	if err := scaffold.New(filepath.Join(t.TempDir(), "x"), "My Skill", "go"); err == nil {
		t.Error("a name that is none")
	}
	if err := scaffold.New(filepath.Join(t.TempDir(), "x"), "x", "cobol"); err == nil || !strings.Contains(err.Error(), "c, go, js, shell") {
		t.Error(err)
	}
}
