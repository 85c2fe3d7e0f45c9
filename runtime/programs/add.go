package programs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"openclaw/sandbox"
)

// Install is what to install.
type Install struct {
	Program // without what is found out: digest, size, origin and time
	File    string
	// Sources are what the program can read: a guest's path, and the directory or zip archive of the host that is there.
	Sources []Source
	// Preset fills in what a well-known program needs.
	Preset string
	// Stubs accepts that the module imports functions that do not exist here: they say so when they are called, and end the program.
	Stubs bool
	// Load checks that the module can be run, before anything is changed. It may take as long as a compilation.
	Load func(ctx context.Context, src sandbox.Source) error
}

// Source is a mount that is to be.
type Source struct{ Guest, Host string }

const (
	moduleExt  = ".wasm"
	archiveExt = ".zip"
)

// Add installs a program.
func (s *Store) Add(ctx context.Context, in Install) (Program, error) {
	p := in.Program
	if err := applyPreset(&p, in.Preset); err != nil {
		return p, err
	}
	module, err := readFile(in.File, MaxModule)
	if err != nil {
		return p, fmt.Errorf("programs: add %s: %w", p.Name, err)
	}
	p.From, p.Added = absolute(in.File), time.Now().UTC().Truncate(time.Second)
	if in.needsAdapting() {
		p.Original = digestOf(module)
		if module, p.Stubs, err = in.adapted(module); err != nil {
			return p, fmt.Errorf("programs: add %s: %w", p.Name, err)
		}
	}
	p.Digest, p.Size = digestOf(module), int64(len(module))
	archives, err := p.mount(in.Sources, in.Preset)
	if err != nil {
		return p, fmt.Errorf("programs: add %s: %w", p.Name, err)
	}
	if in.Load != nil {
		if err := in.Load(ctx, sandbox.Module(p.Name, module)); err != nil {
			return p, err
		}
	}
	return p, s.change(ctx, func(list []Program) ([]Program, error) {
		if err := s.check(list, p); err != nil {
			return nil, err
		}
		if err := s.keep(p.Digest+moduleExt, module); err != nil {
			return nil, err
		}
		for name, data := range archives {
			if err := s.keep(name+archiveExt, data); err != nil {
				return nil, err
			}
		}
		list = append(list, p)
		slices.SortFunc(list, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
		return list, nil
	})
}

func digestOf(data []byte) string {
	d := sha256.Sum256(data)
	return hex.EncodeToString(d[:])
}

// mount fills in the mounts, and returns the archives to copy by their digests.
func (p *Program) mount(sources []Source, preset string) (archives map[string][]byte, err error) {
	archives = map[string][]byte{}
	archive := func(guest, from string, data []byte) {
		name := digestOf(data)
		archives[name] = data
		p.Mounts = append(p.Mounts, Mount{Guest: guest, Archive: name, From: from})
	}
	for _, m := range sources {
		st, err := os.Stat(m.Host)
		if err != nil {
			return nil, err
		}
		if st.IsDir() {
			p.Mounts = append(p.Mounts, Mount{Guest: m.Guest, Dir: absolute(m.Host)})
			continue
		}
		data, err := readFile(m.Host, MaxArchive)
		if err != nil {
			return nil, err
		}
		archive(m.Guest, absolute(m.Host), data)
	}
	if guest, data := presetArchive(preset); data != nil {
		archive(guest, "", data)
	}
	return archives, nil
}

// absolute is where a file is, for people.
func absolute(name string) string {
	if full, err := filepath.Abs(name); err == nil {
		return full
	}
	return name
}

func readFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: more than %d bytes", name, most)
	}
	return data, err
}

var errChanged = errors.New("the copy is not what was installed")

// readBlob reads a copied module, and makes sure that it is the one.
func readBlob(file string, digest [sha256.Size]byte) ([]byte, error) {
	data, err := readFile(file, MaxModule)
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(data) != digest {
		return nil, fmt.Errorf("programs: read %s: %w", file, errChanged)
	}
	return data, nil
}

// blob is the file of a copy. A digest comes from the index, and so is checked before it becomes a path.
func (s *Store) blob(digest, ext string) (string, error) {
	if b, err := hex.DecodeString(digest); err != nil || len(b) != sha256.Size {
		return "", fmt.Errorf("programs: %q is not a SHA-256", digest)
	}
	return filepath.Join(s.dir, digest+ext), nil
}

// keep writes a copy that is not there yet.
func (s *Store) keep(name string, data []byte) error {
	full := filepath.Join(s.dir, name)
	if old, err := os.ReadFile(full); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return s.write(full, data, 0o400)
}

// write makes a file appear whole under its name.
func (s *Store) write(full string, data []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(s.dir, ".new-*")
	if err != nil {
		return fmt.Errorf("programs: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), full)
	}
	if err != nil {
		return fmt.Errorf("programs: write %s: %w", full, err)
	}
	return nil
}

// change replaces the list under the lock, and then removes the copies that nothing in it needs.
func (s *Store) change(ctx context.Context, edit func([]Program) ([]Program, error)) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("programs: %w", err)
	}
	unlock, err := lock(ctx, s.dir)
	if err != nil {
		return fmt.Errorf("programs: %w", err)
	}
	defer unlock()
	list, err := s.List()
	if err != nil {
		return err
	}
	if list, err = edit(list); err != nil {
		s.sweep(nil, err)
		return err
	}
	text, err := json.MarshalIndent(index{Version: indexVersion, Programs: list}, "", "  ")
	if err != nil {
		return fmt.Errorf("programs: %w", err)
	}
	if err := s.write(filepath.Join(s.dir, indexFile), append(text, '\n'), 0o600); err != nil {
		return err
	}
	s.sweep(list, nil)
	return nil
}

// sweep removes copies that no program has. What cannot be removed is only space.
func (s *Store) sweep(list []Program, failed error) {
	if failed != nil {
		var err error
		if list, err = s.List(); err != nil {
			return
		}
	}
	needed := map[string]bool{}
	for _, p := range list {
		needed[p.Digest+moduleExt] = true
		for _, m := range p.Mounts {
			needed[m.Archive+archiveExt] = true
		}
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); (ext == moduleExt || ext == archiveExt) && !needed[e.Name()] {
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
}
