package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/vfs"
)

// Access says what a guest may do in a mount. The zero value is the narrower one.
type Access int

const (
	ReadOnly Access = iota
	ReadWrite
)

func (a Access) String() string {
	if a == ReadWrite {
		return "rw"
	}
	return "ro"
}

// HardLinks says what happens to a file in a mount that has more than one name, one of which may lie outside.
type HardLinks int

const (
	// HardLinksCopy lets the guest read such a file and gives the path a copy of its own before the first change.
	HardLinksCopy HardLinks = iota
	// HardLinksRefuse fails every attempt to open such a file.
	HardLinksRefuse
)

// Mount lays a directory of the host into the guest's tree.
type Mount struct {
	Guest string // absolute path in the guest, such as "/workspace"
	Host  string // directory of the host
	// Below, when set, mounts a directory below Host instead, as a plain path: no link is followed on the way to it, and what Protect
	// keeps read-only in Host stays so.
	Below  string
	Access Access
	// Protect lists what stays read-only in a ReadWrite mount because programs outside would execute it. Nil means
	// [DefaultProtected]; an empty list protects nothing. An element matches that sequence of path components at
	// any depth, or only at the top of the mount when it begins with "/".
	Protect   []string
	HardLinks HardLinks
}

// DefaultProtected lists the paths that no guest may change by default: files that a program outside the sandbox would run
// or obey as soon as its user enters the directory.
func DefaultProtected() []string { return hostfs.DefaultProtection() }

// Grant is the complete list of what a guest may touch. The zero Grant gives it nothing but time, randomness and the
// default limits.
type Grant struct {
	Mounts []Mount
	// Tmp gives the session a private, empty /tmp in memory, counted against Limits.Disk.
	Tmp bool
	// Env is the whole environment, as "NAME=value".
	Env    []string
	Limits Limits
	// Programs are what the guests may start by name. There are none unless they are listed.
	Programs []NamedProgram
	// Clock, when set, replaces the host's wall clock.
	Clock func() time.Time
	// Random, when set, replaces the host's randomness. It must be safe for concurrent use if calls are.
	Random io.Reader
}

// Check validates everything that can be told without opening a file.
func (g Grant) Check() error {
	if err := g.Limits.check(); err != nil {
		return err
	}
	if e, ok := badVariable(g.Env); ok {
		return fmt.Errorf("sandbox: grant environment: %w: %q is not NAME=value", ErrBadGrant, e)
	}
	seen := map[string]bool{tmpDir: g.Tmp}
	for _, m := range g.Mounts {
		if err := m.check(); err != nil {
			return fmt.Errorf("sandbox: mount %q: %w: %w", m.Guest, ErrBadGrant, err)
		}
		if seen[m.Guest] {
			return fmt.Errorf("sandbox: mount %q: %w: mounted twice", m.Guest, ErrBadGrant)
		}
		seen[m.Guest] = true
	}
	return checkPrograms(g.Programs, seen)
}

func (m Mount) check() error {
	if err := m.checkPlace(); err != nil {
		return err
	}
	return checkDirectory(m.Host)
}

// place is the directory that is mounted.
func (m Mount) place() string { return filepath.Join(m.Host, filepath.FromSlash(m.Below)) }

// checkPlace validates what does not depend on the host's directory.
func (m Mount) checkPlace() error {
	switch {
	case !path.IsAbs(m.Guest) || path.Clean(m.Guest) != m.Guest || m.Guest == "/" || vfs.CheckPath(m.Guest) != vfs.OK:
		return errors.New("not a clean absolute path below /")
	case m.Guest == devDir || strings.HasPrefix(m.Guest, devDir+"/"):
		return errors.New("the guest's devices are there")
	case m.Access != ReadOnly && m.Access != ReadWrite:
		return fmt.Errorf("unknown access %d", m.Access)
	case m.Below != "" && !vfs.IsPlain(m.Below):
		return fmt.Errorf("%q is not a plain path", m.Below)
	case m.HardLinks != HardLinksCopy && m.HardLinks != HardLinksRefuse:
		return fmt.Errorf("unknown treatment of hard links %d", m.HardLinks)
	}
	return nil
}

func checkDirectory(name string) error {
	if name == "" {
		return fmt.Errorf("no directory given")
	}
	st, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return fmt.Errorf("%s is not a directory", name)
	}
	return nil
}
