package bundles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"openclaw/skills"
	"openclaw/skills/bundle"
	"openclaw/skills/manifest"
)

// markName is a file in the directory of a skill that was installed without being packed: only such a directory is ever removed.
const markName = ".installed"

// Plain is a skill of texts and scripts that was installed. It has no grant of its own: what it runs, a session runs.
type Plain struct {
	Name    string
	Dir     string
	Skipped []string // hidden files, which are not installed
}

// InstallPlain installs the skill that a directory is: a SKILL.md with what lies beside it. Nothing outside the directory is read, whatever links
// lie in it, and what it holds is bounded as the assets of a bundle are.
func (s *Store) InstallPlain(ctx context.Context, dir string) (*Plain, error) {
	found, err := skills.Discover(ctx, skills.Options{ExtraDirs: []string{dir}})
	if err != nil {
		return nil, err
	}
	at := -1
	for i, one := range found.Skills {
		if filepath.Dir(one.File) == filepath.Clean(dir) {
			at = i
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("bundles: install %s: %s", dir, noSkill(found))
	}
	p := &Plain{Name: found.Skills[at].Name}
	if err := manifest.CheckName(p.Name); err != nil {
		return nil, fmt.Errorf("bundles: install %s: %q: %w", dir, p.Name, err)
	}
	if err := os.MkdirAll(s.dir, dirMode); err != nil {
		return nil, fmt.Errorf("bundles: install: %w", err)
	}
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	p.Dir = filepath.Join(s.dir, p.Name)
	if _, err := os.Lstat(p.Dir); err == nil && !isPlain(p.Dir) {
		return nil, fmt.Errorf("bundles: install %s: %w", p.Name, errTakenPlain)
	}
	temp, err := os.MkdirTemp(s.dir, tempPrefix)
	if err != nil {
		return nil, fmt.Errorf("bundles: install %s: %w", p.Name, err)
	}
	defer os.RemoveAll(temp)
	if err := p.copy(ctx, dir, temp); err != nil {
		return nil, fmt.Errorf("bundles: install %s: %w", p.Name, err)
	}
	if err := put(temp, p.Dir); err != nil {
		return nil, fmt.Errorf("bundles: install %s: %w", p.Name, err)
	}
	return p, nil
}

var errTakenPlain = errors.New("there is a skill of this name that was not installed in this way")

// noSkill is why a directory is no skill.
func noSkill(found *skills.Found) string {
	for _, p := range found.All() {
		if p.Level == skills.LevelError {
			return p.Message
		}
	}
	return "there is neither a " + manifest.FileName + " nor a " + bundle.DocName + " in it"
}

func isPlain(dir string) bool {
	st, err := os.Lstat(filepath.Join(dir, markName))
	return err == nil && st.Mode().IsRegular()
}

// copy copies the files of a skill.
func (p *Plain) copy(ctx context.Context, from, to string) error {
	source, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer target.Close()
	c := copier{ctx: ctx, from: source, to: target, plain: p}
	if err := c.directory("."); err != nil {
		return err
	}
	return write(target, markName, nil, fileMode)
}

// copier counts what it copies.
type copier struct {
	ctx      context.Context
	from, to *os.Root
	plain    *Plain
	entries  int
	bytes    int64
}

func (c *copier) directory(dir string) error {
	f, err := c.from.Open(dir)
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(bundle.MaxEntries + 1)
	f.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if c.entries++; c.entries > bundle.MaxEntries {
			return fmt.Errorf("%w: more than %d files", bundle.ErrTooLarge, bundle.MaxEntries)
		}
		if err := c.ctx.Err(); err != nil {
			return context.Cause(c.ctx)
		}
		if strings.HasPrefix(e.Name(), ".") {
			c.plain.Skipped = append(c.plain.Skipped, name)
			continue
		}
		if err := c.entry(name); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) entry(name string) error {
	if err := manifest.CheckPath(name); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	st, err := c.from.Lstat(name)
	switch {
	case err != nil:
		return err
	case st.IsDir():
		if err := c.to.Mkdir(name, dirMode); err != nil {
			return err
		}
		return c.directory(name)
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s: %w: it is neither a file nor a directory", name, bundle.ErrSource)
	}
	data, err := bundle.ReadIn(c.from, name, bundle.MaxAsset)
	if err != nil {
		return err
	}
	if c.bytes += int64(len(data)); c.bytes > bundle.MaxUnpacked {
		return fmt.Errorf("%w: more than %d bytes", bundle.ErrTooLarge, bundle.MaxUnpacked)
	}
	mode := fs.FileMode(fileMode)
	if st.Mode()&0o111 != 0 {
		mode = scriptMode
	}
	return write(c.to, name, data, mode)
}
