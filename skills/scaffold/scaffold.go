// Package scaffold writes the first files of a skill that is going to be packed: small, complete, and working as they are.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"openclaw/skills/manifest"
)

//go:embed templates
var templates embed.FS

const (
	templateDir = "templates"
	// suffix keeps other tools from taking the templates for source.
	suffix = ".tmpl"
	// placeholder stands for the name of the skill.
	placeholder = "SKILLNAME"
)

// ErrExists reports a directory that is there already.
var ErrExists = errors.New("it exists already")

// Languages lists the languages that there are templates for.
func Languages() []string {
	entries, err := fs.ReadDir(templates, templateDir)
	if err != nil {
		return nil // the directory is embedded
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// New writes the files of a skill into a directory that it makes.
func New(dir, name, language string) error {
	if err := manifest.CheckName(name); err != nil {
		return fmt.Errorf("scaffold: %q: %w", name, err)
	}
	if !slices.Contains(Languages(), language) {
		return fmt.Errorf("scaffold: there is no template for %q; there are %s", language, strings.Join(Languages(), ", "))
	}
	if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("scaffold: %s: %w", dir, ErrExists)
	} else if err != nil {
		return fmt.Errorf("scaffold: %w", err)
	}
	from := path.Join(templateDir, language)
	return fs.WalkDir(templates, from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(p, from), "/"), suffix))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(templates, p)
		if err != nil {
			return err
		}
		return os.WriteFile(to, []byte(strings.ReplaceAll(string(text), placeholder, name)), 0o644)
	})
}
