package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Scope says who shares a directory under the root of session directories.
type Scope string

// The scopes.
const (
	ScopeSession Scope = "session"
	ScopeAgent   Scope = "agent"
	ScopeShared  Scope = "shared"
)

// Owner is whose a session directory is.
type Owner struct {
	Scope     Scope
	Agent     string
	Session   string // the key; it counts only in ScopeSession
	Workspace string // the agent's, with links resolved; it counts unless the directory is shared
}

const (
	slugLength = 32 // of the part of a name that is for people
	nameSep    = "-"
)

var nameEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// DirName is the name of an owner's directory: something to recognise it by, and a digest of everything that tells it from
// others. It is one path component of lower-case letters, digits and dashes, so it means the same on every filesystem.
func (o Owner) DirName() string {
	parts := []string{string(o.Scope)}
	label := string(ScopeShared)
	switch o.Scope {
	case ScopeSession:
		parts, label = append(parts, o.Agent, o.Workspace, o.Session), o.Session
	case ScopeAgent:
		parts, label = append(parts, o.Agent, o.Workspace), "agent-"+o.Agent
	}
	h := sha256.New()
	for _, p := range parts { // with their lengths, so that no two lists of parts look alike
		_ = binary.Write(h, binary.BigEndian, uint64(len(p)))
		h.Write([]byte(p))
	}
	return slug(label) + nameSep + strings.ToLower(nameEncoding.EncodeToString(h.Sum(nil)))
}

// slug is what of a text can be in a name.
func slug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		if b.Len() == slugLength {
			break
		}
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), nameSep):
			b.WriteString(nameSep)
		}
	}
	if s := strings.Trim(b.String(), nameSep); s != "" {
		return s
	}
	return "session"
}

// SessionDir is a session directory that is on record.
type SessionDir struct {
	Root   string // the directory that it is in
	Name   string
	Owner  Owner
	MadeAt time.Time
	UsedAt time.Time
}

// Path is where the directory is.
func (d SessionDir) Path() string { return filepath.Join(d.Root, d.Name) }

// Registry keeps record of session directories. Each method is one transaction.
type Registry interface {
	// SessionDirs lists what is on record, in the order of Root and Name.
	SessionDirs(ctx context.Context) ([]SessionDir, error)
	// SaveSessionDir records a directory. Of one that is on record only UsedAt changes, and MadeAt when made is true.
	SaveSessionDir(ctx context.Context, d SessionDir, made bool) error
	// ForgetSessionDir removes a directory from the record.
	ForgetSessionDir(ctx context.Context, d SessionDir) error
}

// ErrInUse reports a session directory that a session has open.
var ErrInUse = errors.New("in use")

// SessionDirs are the directories of sessions that do not work in their agent's workspace.
type SessionDirs struct {
	Registry Registry
	Now      func() time.Time // nil: time.Now
}

func (s *SessionDirs) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// Lease keeps a session directory from being removed. Release it when the session is closed.
type Lease struct {
	Path string
	Made bool // it is new
	held *os.File
}

// Release ends the lease.
func (l *Lease) Release() {
	if l != nil && l.held != nil {
		_ = l.held.Close()
	}
}

// Open makes an owner's directory below root when there is none, with mode 0700, and keeps it until the lease is released.
func (s *SessionDirs) Open(ctx context.Context, root string, owner Owner) (*Lease, error) {
	if err := os.MkdirAll(root, dirMode); err != nil {
		return nil, fmt.Errorf("workspace: make %s: %w", root, cause(err))
	}
	d, err := openDir(root)
	if err != nil {
		return nil, fmt.Errorf("workspace: open %s: %w", root, err)
	}
	defer d.close()
	name := owner.DirName()
	lease, err := d.lease(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("workspace: open %s: %w", filepath.Join(d.path, name), err)
	}
	now := s.now()
	record := SessionDir{Root: d.path, Name: name, Owner: owner, MadeAt: now, UsedAt: now}
	if err := s.Registry.SaveSessionDir(ctx, record, lease.Made); err != nil {
		lease.Release()
		return nil, fmt.Errorf("workspace: record %s: %w", lease.Path, err)
	}
	return lease, nil
}

// A directory that is being removed while it is opened is waited for.
const (
	leaseAttempts = 20
	leasePause    = 5 * time.Millisecond
)

// lease makes and opens a directory of the root.
func (d *dir) lease(ctx context.Context, name string) (*Lease, error) {
	lease := &Lease{Path: filepath.Join(d.path, name)}
	for range leaseAttempts {
		err := d.root.Mkdir(name, dirMode)
		lease.Made = lease.Made || err == nil
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, cause(err)
		}
		lease.held, err = d.hold(name)
		if err == nil {
			return lease, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrInUse) {
			return nil, cause(err)
		}
		select { // it is being removed
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(leasePause):
		}
	}
	return nil, errors.New("it is removed again and again")
}

// hold opens a directory, makes it private, and locks it against removal.
func (d *dir) hold(name string) (*os.File, error) {
	f, info, err := d.openOwn(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm() != dirMode {
		err = f.Chmod(dirMode)
	}
	if err == nil {
		err = lock(f, false)
	}
	if err == nil {
		err = d.still(name, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openOwn opens a real directory of the root: nobody puts a link in its place.
func (d *dir) openOwn(name string) (*os.File, fs.FileInfo, error) {
	seen, err := d.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !seen.IsDir() {
		return nil, nil, errors.New("not a directory")
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(seen, info) {
		err = fs.ErrNotExist // replaced meanwhile
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// still makes sure that a name means what was opened by it.
func (d *dir) still(name string, info fs.FileInfo) error {
	now, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(now, info) {
		return fs.ErrNotExist
	}
	return nil
}

// trashPrefix begins the name of a directory that is being removed.
const trashPrefix = ".removed-"

// Remove removes a session directory with all that is in it. It fails with [ErrInUse] while a session has it open.
func (s *SessionDirs) Remove(ctx context.Context, d SessionDir) error {
	if err := s.remove(d); err != nil {
		return fmt.Errorf("workspace: remove %s: %w", d.Path(), err)
	}
	if err := s.Registry.ForgetSessionDir(ctx, d); err != nil {
		return fmt.Errorf("workspace: remove %s: %w", d.Path(), err)
	}
	return nil
}

func (s *SessionDirs) remove(d SessionDir) error {
	if d.Name == "" || d.Name != filepath.Base(d.Name) || d.Name != d.Owner.DirName() {
		return errors.New("not the name of a session directory")
	}
	root, err := openDir(d.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.close()
	f, info, err := root.openOwn(d.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return cause(err)
	}
	defer f.Close()
	if err := lock(f, true); err != nil {
		return err
	}
	if err := root.still(d.Name, info); err != nil {
		return cause(err)
	}
	// The name is free at once, so that a session that begins meanwhile has an empty directory and not half of the old one.
	trash := trashPrefix + d.Name
	if err := root.root.RemoveAll(trash); err != nil {
		return cause(err)
	}
	if err := root.root.Rename(d.Name, trash); err != nil {
		return cause(err)
	}
	if err := root.root.RemoveAll(trash); err != nil {
		return cause(err)
	}
	return nil
}

// Prune says when session directories are removed. A zero duration is never.
type Prune struct {
	Idle time.Duration // without use
	Age  time.Duration // since it was made
}

func (p Prune) due(d SessionDir, now time.Time) bool {
	return p.Idle > 0 && now.Sub(d.UsedAt) > p.Idle || p.Age > 0 && now.Sub(d.MadeAt) > p.Age
}

// Prune removes the directories below root that are due. Only what is on record is ever removed, and nothing that is in use.
func (s *SessionDirs) Prune(ctx context.Context, root string, p Prune) (removed []SessionDir, err error) {
	all, err := s.Registry.SessionDirs(ctx)
	if err != nil {
		return nil, fmt.Errorf("workspace: prune %s: %w", root, err)
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	var failures []error
	now := s.now()
	for _, d := range all {
		if d.Root != root || !p.due(d, now) {
			continue
		}
		switch err := s.Remove(ctx, d); {
		case err == nil:
			removed = append(removed, d)
		case !errors.Is(err, ErrInUse):
			failures = append(failures, err)
		}
	}
	return removed, errors.Join(failures...)
}

// Copy makes the bootstrap files of a session directory those that the session is given, and removes the others: the session
// cannot change them, so they are always the agent's.
func (l *Lease) Copy(ctx context.Context, sources []Source) error {
	d, err := openDir(l.Path)
	if err != nil {
		return fmt.Errorf("workspace: open %s: %w", l.Path, err)
	}
	defer d.close()
	for _, name := range BootstrapFiles() {
		if err := d.copy(ctx, name, sources); err != nil {
			return fmt.Errorf("workspace: copy bootstrap files to %s: %w", l.Path, err)
		}
	}
	return nil
}

func (d *dir) copy(ctx context.Context, name string, sources []Source) error {
	i := slices.IndexFunc(sources, func(s Source) bool { return s.Name == name && s.Status == StatusPresent })
	if i < 0 {
		if err := d.root.RemoveAll(name); err != nil {
			return fmt.Errorf("remove %s: %w", name, cause(err))
		}
		return nil
	}
	info, err := d.root.Lstat(name)
	if err == nil && info.Mode().IsRegular() {
		if data, err := d.read(ctx, name); err == nil && string(data) == sources[i].Text {
			return nil
		}
	}
	if err == nil && info.IsDir() {
		if err := d.root.RemoveAll(name); err != nil {
			return fmt.Errorf("remove %s: %w", name, cause(err))
		}
	}
	return replace(d.root, name, []byte(sources[i].Text))
}

// Look tells whether the directory is there, and whether a session has it open.
func (d SessionDir) Look() (there, inUse bool, err error) {
	root, err := openDir(d.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("workspace: look at %s: %w", d.Path(), err)
	}
	defer root.close()
	f, _, err := root.openOwn(d.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("workspace: look at %s: %w", d.Path(), cause(err))
	}
	defer f.Close()
	err = lock(f, true)
	if err != nil && !errors.Is(err, ErrInUse) {
		return true, false, fmt.Errorf("workspace: look at %s: %w", d.Path(), err)
	}
	return true, err != nil, nil
}
