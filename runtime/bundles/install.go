package bundles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"openclaw/skills/bundle"
	"openclaw/skills/manifest"
)

// tempPrefix begins the names of directories that are being made, or taken away. They are hidden: nobody takes them for skills.
const tempPrefix = ".bundle-"

// Change is what an installation did.
type Change struct {
	*Installed
	// Before is the version that was replaced; empty: there was none.
	Before string
	// Carried tells that an approval holds for the new version, too.
	Carried bool
}

// Install installs a bundle, or replaces the one of its name.
func (s *Store) Install(ctx context.Context, file []byte) (*Change, error) {
	b, err := bundle.Read(file)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.dir, dirMode); err != nil {
		return nil, fmt.Errorf("bundles: install: %w", err)
	}
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	name := b.Manifest.Name
	change := &Change{Installed: &Installed{Bundle: b, Dir: filepath.Join(s.dir, name)}}
	if change.Before, err = s.replaceable(ctx, name); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(s.dir, tempPrefix)
	if err != nil {
		return nil, fmt.Errorf("bundles: install %s: %w", name, err)
	}
	defer os.RemoveAll(temp) // what is in it now is what is not wanted
	if err := unpack(b, file, temp); err != nil {
		return nil, fmt.Errorf("bundles: install %s: %w", name, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if err := put(temp, change.Dir); err != nil {
		return nil, fmt.Errorf("bundles: install %s: %w", name, err)
	}
	return change, s.carryOver(ctx, change)
}

// replaceable tells which version there is, and refuses what is no bundle.
func (s *Store) replaceable(ctx context.Context, name string) (string, error) {
	dir := filepath.Join(s.dir, name)
	_, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("bundles: install %s: %w", name, err)
	case !IsBundle(dir):
		return "", fmt.Errorf("bundles: install %s: %w", name, ErrTaken)
	}
	old, err := s.Get(ctx, name)
	if err != nil { // it is being replaced because it is broken
		return "(unreadable)", nil
	}
	return old.Manifest.Version, nil
}

// carryOver keeps an approval that holds for the new version, too.
func (s *Store) carryOver(ctx context.Context, c *Change) error {
	a, ok, err := s.approvals.Approval(ctx, c.Manifest.Name)
	if err != nil || !ok {
		return err
	}
	c.Approval = &a
	next, ok := c.carry()
	if !ok {
		return nil
	}
	if err := s.approvals.SaveApproval(ctx, next); err != nil {
		return err
	}
	c.Approval, c.Carried = &next, true
	return nil
}

// Remove removes an installed skill, and its approval.
func (s *Store) Remove(ctx context.Context, name string) error {
	if err := manifest.CheckName(name); err != nil {
		return fmt.Errorf("bundles: remove %q: %w: %w", name, ErrNotInstalled, err)
	}
	unlock, err := s.lock()
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("bundles: remove %s: %w", name, ErrNotInstalled)
	}
	if err != nil {
		return err
	}
	defer unlock()
	dir := filepath.Join(s.dir, name)
	if !IsBundle(dir) && !isPlain(dir) {
		return fmt.Errorf("bundles: remove %s: %w", name, ErrNotInstalled)
	}
	// The approval first: what is left of a bundle must not be approved.
	if _, err := s.approvals.ForgetApproval(ctx, name); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(s.dir, tempPrefix)
	if err != nil {
		return fmt.Errorf("bundles: remove %s: %w", name, err)
	}
	defer os.RemoveAll(temp)
	if err := os.Rename(dir, filepath.Join(temp, name)); err != nil {
		return fmt.Errorf("bundles: remove %s: %w", name, err)
	}
	return nil
}

// put gives a directory its name, in one step where there is another one of the name already.
func put(temp, dir string) error {
	err := exchange(temp, dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if errors.Is(err, errors.ErrUnsupported) {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return os.Rename(temp, dir)
}

// unpack writes the files of a bundle into an empty directory.
func unpack(b *bundle.Bundle, file []byte, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := write(root, fileName, file, fileMode); err != nil {
		return err
	}
	if err := write(root, bundle.DocName, []byte(document(b)), fileMode); err != nil {
		return err
	}
	return Unpack(b, root)
}

// Unpack writes the assets of a bundle into a directory.
func Unpack(b *bundle.Bundle, root *os.Root) error {
	return b.Assets(func(a bundle.Asset, content io.Reader) error {
		if a.Mode.IsDir() {
			return root.Mkdir(a.Path, dirMode)
		}
		data, err := io.ReadAll(content) // bounded by the archive
		if err != nil {
			return err
		}
		mode := fs.FileMode(fileMode)
		if a.Mode&0o100 != 0 {
			mode = scriptMode
		}
		return write(root, a.Path, data, mode)
	})
}

func write(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if synced := f.Sync(); err == nil {
		err = synced
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// document is the SKILL.md of a bundle. Its head says what the manifest says, and nothing else.
func document(b *bundle.Bundle) string {
	quoted := func(text string) string { // a text in JSON is one in YAML
		raw, err := json.Marshal(text)
		if err != nil { // no text is refused
			return `""`
		}
		return string(raw)
	}
	m := b.Manifest
	var text strings.Builder
	fmt.Fprintf(&text, "---\nname: %s\ndescription: %s\n---\n", m.Name, quoted(m.Description))
	if strings.TrimSpace(b.Doc) != "" {
		text.WriteString("\n" + b.Doc)
		return text.String()
	}
	text.WriteString("\n# " + m.Name + "\n")
	for _, t := range m.Tools {
		fmt.Fprintf(&text, "\nThe tool `%s`: %s\n", m.ToolName(t), t.Description)
	}
	for _, c := range m.Commands {
		fmt.Fprintf(&text, "\nThe command `%s` can be run by the shell.\n", c.Name)
	}
	return text.String()
}
