// Package bundles keeps the packed skills that are installed, in the state directory, and decides what they may reach.
//
// A bundle is installed as a directory <state>/skills/NAME: its file, its assets, and a SKILL.md whose head is made from the manifest. It
// promises that
//
//   - a bundle is installed whole or not at all, and nothing that it holds decides where anything is written;
//   - what it is granted is what it asks for, the operator has approved, and the session that uses it may do itself: never more
//     than any of the three;
//   - an approval is for one file; another one that asks for more, or comes from another signer, does not run until it has been
//     approved, and one that asks for less gives up the rest;
//   - a file that has been changed since it was installed is not used.
package bundles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"openclaw/skills/bundle"
	"openclaw/skills/manifest"
)

// fileName is the bundle's own file in its directory.
const fileName = ".bundle.wasm"

// Permissions of what is installed.
const (
	dirMode    = 0o700
	fileMode   = 0o600
	scriptMode = 0o700
)

// Errors that a caller can decide on.
var (
	ErrNotInstalled = errors.New("no such bundle is installed")
	// ErrTaken reports a directory with the name of a bundle that is no bundle.
	ErrTaken = errors.New("there is a skill of this name that is no bundle")
	// ErrChanged reports files that are not as they were installed.
	ErrChanged = errors.New("the installed files have been changed")
)

// Store is the bundles of a state directory. It is safe for concurrent use.
type Store struct {
	dir       string
	approvals Approvals
	now       func() time.Time

	mu     sync.Mutex
	loaded map[string]loaded
}

// loaded is a bundle that has been read and compared with its files.
type loaded struct {
	info   fs.FileInfo
	bundle *bundle.Bundle
}

// At is the store of a state directory.
func At(stateDir string, approvals Approvals) *Store {
	return &Store{dir: filepath.Join(stateDir, "skills"), approvals: approvals, now: time.Now, loaded: map[string]loaded{}}
}

// Installed is a bundle that is installed.
type Installed struct {
	*bundle.Bundle
	Dir string // with its assets
	// Approval is the last one of the name; nil when there is none. Check tells whether it holds for this file.
	Approval *Approval

	info fs.FileInfo // of its file; nil when it has just been installed
}

// Current makes sure that the bundle has not been replaced since it was read.
func (i *Installed) Current() error {
	if i.info == nil {
		return nil
	}
	now, err := os.Lstat(filepath.Join(i.Dir, fileName))
	if err != nil || !sameFile(i.info, now) {
		return fmt.Errorf("bundles: skill %s: %w: another version has been installed", i.Manifest.Name, ErrChanged)
	}
	return nil
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// Signer is who vouches for the bundle.
func (i *Installed) Signer() string { return bundle.Unsigned }

// IsBundle tells whether the directory of a skill is that of an installed bundle.
func IsBundle(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, fileName))
	return err == nil
}

// Get reads an installed bundle.
func (s *Store) Get(ctx context.Context, name string) (*Installed, error) {
	if err := manifest.CheckName(name); err != nil {
		return nil, fmt.Errorf("bundles: skill %q: %w: %w", name, ErrNotInstalled, err)
	}
	dir := filepath.Join(s.dir, name)
	l, err := s.load(name, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("bundles: skill %s: %w", name, ErrNotInstalled)
	}
	if err != nil {
		return nil, fmt.Errorf("bundles: skill %s: %w", name, err)
	}
	i := &Installed{Bundle: l.bundle, Dir: dir, info: l.info}
	a, ok, err := s.approvals.Approval(ctx, name)
	if err != nil {
		return nil, err
	}
	if ok {
		i.Approval = &a
	}
	return i, nil
}

// load reads a bundle, unless the file is the one that was read before.
func (s *Store) load(name, dir string) (loaded, error) {
	file := filepath.Join(dir, fileName)
	info, err := os.Lstat(file)
	if err != nil {
		return loaded{}, err
	}
	s.mu.Lock()
	old, ok := s.loaded[name]
	s.mu.Unlock()
	if ok && sameFile(old.info, info) {
		return old, nil
	}
	b, err := bundle.Open(file)
	if err != nil {
		return loaded{}, err
	}
	if b.Manifest.Name != name {
		return loaded{}, fmt.Errorf("%w: it calls itself %s", ErrChanged, b.Manifest.Name)
	}
	if err := compare(b, dir); err != nil {
		return loaded{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := loaded{info, b}
	s.loaded[name] = l
	return l, nil
}

// Broken is a directory that cannot be used as the bundle that it was.
type Broken struct {
	Name string
	Err  error
}

// List reads all installed bundles, by name.
func (s *Store) List(ctx context.Context) ([]*Installed, []Broken, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("bundles: list: %w", err)
	}
	var list []*Installed
	var broken []Broken
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if manifest.CheckName(e.Name()) != nil || !IsBundle(filepath.Join(s.dir, e.Name())) {
			continue
		}
		i, err := s.Get(ctx, e.Name())
		if err != nil {
			broken = append(broken, Broken{e.Name(), err})
			continue
		}
		list = append(list, i)
	}
	return list, broken, nil
}

// compare makes sure that the files of a bundle are what its archive holds.
func compare(b *bundle.Bundle, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	known := map[string]bool{".": true, fileName: true, bundle.DocName: true}
	if err := same(root, bundle.DocName, []byte(document(b))); err != nil {
		return err
	}
	err = b.Assets(func(a bundle.Asset, content io.Reader) error {
		known[a.Path] = true
		if a.Mode.IsDir() {
			if st, err := root.Lstat(a.Path); err != nil || !st.IsDir() {
				return fmt.Errorf("%w: %s", ErrChanged, a.Path)
			}
			return nil
		}
		data, err := io.ReadAll(content) // bounded by the archive
		if err != nil {
			return err
		}
		return same(root, a.Path, data)
	})
	if err != nil {
		return err
	}
	return fs.WalkDir(root.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && !known[name] {
			err = fmt.Errorf("%w: %s has been added", ErrChanged, name)
		}
		return err
	})
}

// same makes sure that a file is a regular one with a certain content.
func same(root *os.Root, name string, want []byte) error {
	st, err := root.Lstat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() != int64(len(want)) {
		return fmt.Errorf("%w: %s", ErrChanged, name)
	}
	got, err := root.ReadFile(name)
	if err != nil || string(got) != string(want) {
		return fmt.Errorf("%w: %s", ErrChanged, name)
	}
	return nil
}
