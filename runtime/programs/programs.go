// Package programs keeps the programs that the operator has installed, in the state directory, and says which programs the
// sessions of this machine can start.
//
// A program is a WebAssembly module for WASI preview 1. Its file, and the archives that it reads, are copied under the
// names of their digests, so that what was installed stays what it was, whatever becomes of the files it came from; a directory stays where
// it is. The index is strict JSON: a key that this version does not know is an error, as it may be a restriction that would be lost.
// It is written whole, by one process at a time.
package programs

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// Bounds of what can be installed.
const (
	// MaxModule is the largest module, in bytes.
	MaxModule = 256 << 20
	// MaxArchive is the largest archive that is copied, in bytes.
	MaxArchive = 1 << 30
	maxIndex   = 16 << 20
)

// Errors that a caller can decide on.
var (
	ErrExists   = errors.New("is installed already")
	ErrNotFound = errors.New("is not installed")
)

// Mount is something that a program can read.
type Mount struct {
	Guest string `json:"guest"` // absolute path in the guest
	// Dir is a directory of the host, and Archive the digest of a copied zip archive: one of them is set.
	Dir     string `json:"dir,omitempty"`
	Archive string `json:"archive,omitempty"`
	// From is where the archive was copied from.
	From string `json:"from,omitempty"`
}

// Program is an installed program.
type Program struct {
	Name    string    `json:"name"`
	Aliases []string  `json:"aliases,omitempty"`
	Digest  string    `json:"digest"` // SHA-256 of the module
	Size    int64     `json:"size"`
	From    string    `json:"from"` // where the module was copied from
	Added   time.Time `json:"added"`
	// Original is the SHA-256 of the file that the module was made from, when that was changed to be a program. Stubs are
	// the functions that it imports and that do not exist here.
	Original string   `json:"original,omitempty"`
	Stubs    []string `json:"stubs,omitempty"`
	// First puts it before a command of the toolbox with the same name.
	First    bool     `json:"first,omitempty"`
	Args     []string `json:"args,omitempty"`
	Env      []string `json:"env,omitempty"`
	Mounts   []Mount  `json:"mounts,omitempty"`
	ReadsPWD bool     `json:"readsPwd,omitempty"`
	Script   string   `json:"script,omitempty"`
	// Timeout in milliseconds, Fuel and Memory narrow what it may use; 0 is the session's limit.
	Timeout int64 `json:"timeoutMs,omitempty"`
	Fuel    int64 `json:"fuel,omitempty"`
	Memory  int64 `json:"memory,omitempty"`
}

// Names are all names that the program is started by.
func (p Program) Names() []string { return append([]string{p.Name}, p.Aliases...) }

// index is the file that lists the programs.
type index struct {
	Version  int       `json:"version"`
	Programs []Program `json:"programs"`
}

const (
	indexVersion = 1
	indexFile    = "index.json"
)

// Store is the directory of installed programs.
type Store struct{ dir string }

// Dir is where the programs of a state directory are.
func Dir(stateDir string) string { return filepath.Join(stateDir, "programs") }

// At is the store of a state directory. Nothing is made before something is installed.
func At(stateDir string) *Store { return &Store{dir: Dir(stateDir)} }

// List lists the installed programs by name.
func (s *Store) List() ([]Program, error) {
	f, err := os.Open(filepath.Join(s.dir, indexFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("programs: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil && st.Size() > maxIndex {
		err = fmt.Errorf("%d bytes are more than %d", st.Size(), maxIndex)
	}
	if err != nil {
		return nil, fmt.Errorf("programs: read index: %w", err)
	}
	var x index
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		return nil, fmt.Errorf("programs: read %s: %w", f.Name(), err)
	}
	if x.Version != indexVersion {
		return nil, fmt.Errorf("programs: read %s: version %d, this is for version %d", f.Name(), x.Version, indexVersion)
	}
	return x.Programs, nil
}

// Get returns the program that has a name, or an alias.
func (s *Store) Get(name string) (Program, error) {
	list, err := s.List()
	if err != nil {
		return Program{}, err
	}
	for _, p := range list {
		if slices.Contains(p.Names(), name) {
			return p, nil
		}
	}
	return Program{}, fmt.Errorf("programs: %q %w", name, ErrNotFound)
}

// Remove removes the program of a name, and the copies that no other has.
func (s *Store) Remove(ctx context.Context, name string) (Program, error) {
	p, err := s.Get(name)
	if err != nil {
		return p, err
	}
	return p, s.change(ctx, func(list []Program) ([]Program, error) {
		return slices.DeleteFunc(list, func(o Program) bool { return o.Name == p.Name }), nil
	})
}

// Named are the programs as a session's grant has them: first those that are installed, then those that come with the toolbox,
// apart from the names that are taken.
func (s *Store) Named() ([]sandbox.NamedProgram, error) {
	list, err := s.List()
	if err != nil {
		return nil, err
	}
	var named []sandbox.NamedProgram
	taken := map[string]bool{}
	for _, p := range list {
		for _, n := range p.Names() {
			n, err := s.named(p, n)
			if err != nil {
				return nil, err
			}
			named = append(named, n)
			taken[n.Name] = true
		}
	}
	for _, n := range toolwasm.Programs() {
		if !taken[n.Name] {
			named = append(named, n)
		}
	}
	return named, nil
}

func (s *Store) named(p Program, name string) (sandbox.NamedProgram, error) {
	n := sandbox.NamedProgram{
		Name: name, First: p.First, Args: p.Args, Env: p.Env, ReadsPWD: p.ReadsPWD, Script: p.Script,
		Limits: sandbox.Limits{Timeout: time.Duration(p.Timeout) * time.Millisecond, Fuel: p.Fuel, Memory: p.Memory},
	}
	n.Source.Name = p.Name
	file, err := s.blob(p.Digest, moduleExt)
	if err != nil {
		return n, err
	}
	if _, err := hex.Decode(n.Source.Digest[:], []byte(p.Digest)); err != nil {
		return n, fmt.Errorf("programs: %s: digest: %w", p.Name, err)
	}
	n.Source.Open = func() ([]byte, error) { return readBlob(file, n.Source.Digest) }
	for _, m := range p.Mounts {
		host := m.Dir
		if m.Archive != "" {
			if host, err = s.blob(m.Archive, archiveExt); err != nil {
				return n, err
			}
		}
		n.Mounts = append(n.Mounts, sandbox.Mount{Guest: m.Guest, Host: host})
	}
	return n, nil
}

// check refuses names that clash, and whatever a grant would refuse.
func (s *Store) check(list []Program, p Program) error {
	named := make([]sandbox.NamedProgram, 0, 1+len(p.Aliases))
	for _, name := range p.Names() {
		for _, o := range list {
			if slices.Contains(o.Names(), name) {
				return fmt.Errorf("programs: %q %w", name, ErrExists)
			}
		}
		n, err := s.named(p, name)
		if err != nil {
			return err
		}
		named = append(named, n)
	}
	grant := sandbox.Grant{Tmp: true, Programs: named}
	if err := grant.Check(); err != nil {
		return fmt.Errorf("programs: %s: %w", p.Name, err)
	}
	for _, n := range named[0].Mounts {
		if n.Guest == toolwasm.Workspace || strings.HasPrefix(n.Guest, toolwasm.Workspace+"/") {
			return fmt.Errorf("programs: %s: mount %s: the workspace is there", p.Name, n.Guest)
		}
	}
	return nil
}
