package sandbox

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"
)

// Bounds of what is granted to start programs with.
const (
	// MaxPrograms is the most programs that a grant can name.
	MaxPrograms = 1000
	// MaxProgramDepth is how deep programs can start programs: the command of a call is at depth 0.
	MaxProgramDepth = 4
	// MaxPipes is the most pipes that the guests of a call can have at once.
	MaxPipes = 256
	// SpawnFuel is what starting a program costs its call, beside the work of the program.
	SpawnFuel = 1 << 20
)

// NamedProgram is a program that the guests of a session may start by its name, with real pipes between them. The program
// gets an instance of its own. It sees the session's files, may do with them what every guest of the session may, and shares
// what the call has left: deadline, fuel and output. A guest knows of it the name alone.
type NamedProgram struct {
	Name string
	// Source is loaded when the program is first started, which for a new one takes seconds. That time is not taken from the
	// call's deadline, as a call that ends halfway through a compilation would meet it again the next time; the engine's
	// Progress tells of it. A program that cannot be loaded is not tried again in the session.
	Source Source
	// First puts the program before a command of the guest's own with the same name.
	First bool
	// Args stand before the arguments that the program is started with, behind its name.
	Args []string
	// Env is added to what the guest gives the program, and wins.
	Env []string
	// Mounts are seen by this program alone, and read-only unless it is kept apart. Host may be a zip archive, whose files are shown then.
	Mounts []Mount
	// Apart, when set, keeps the program apart from the session.
	Apart *Apart
	// ReadsPWD tells that the program goes by itself to the directory that PWD names, as programs in Go do. For any other the
	// working directory is what C libraries find as ".", which they call "/".
	ReadsPWD bool
	// Script is for interpreters that look for their script before they can go to the working directory: the first operand, if
	// it is a relative path, is given to them as an absolute one. It lists the letters of the options that take the script's
	// place ("cm" for Python), and is empty for programs that need no such help.
	Script string
	// Limits narrow what the program may use by itself: Timeout, Fuel and Memory. Reaching one ends the program and
	// not the call.
	Limits Limits
}

// Apart keeps a program apart from the session that starts it: its Mounts, which may be writable, are all that it sees, and it
// starts no programs. It shares the streams that it is given, and the limits of the call.
type Apart struct {
	// Name, when set, is the name that the program is told it was started by.
	Name string
	// Env names the variables that are passed on to it. Those of NamedProgram.Env it has in any case.
	Env []string
	// Disk, when set, bounds the bytes by which the program's mounts may grow, beside the session's own bound.
	Disk int64
	// Clock and Random are as in a [Grant].
	Clock  func() time.Time
	Random io.Reader
}

// nameForm is what a program can be called: nothing that would be a path or an option.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9_\[][A-Za-z0-9_.+\[\]-]{0,63}$`)

// checkPrograms validates the programs of a grant whose mounts are at the given places.
func checkPrograms(list []NamedProgram, mounted map[string]bool) error {
	if len(list) > MaxPrograms {
		return fmt.Errorf("sandbox: grant programs: %w: %d are more than %d", ErrBadGrant, len(list), MaxPrograms)
	}
	seen := map[string]bool{}
	for _, p := range list {
		if err := p.check(mounted); err != nil {
			return fmt.Errorf("sandbox: program %q: %w: %w", p.Name, ErrBadGrant, err)
		}
		if seen[p.Name] {
			return fmt.Errorf("sandbox: program %q: %w: named twice", p.Name, ErrBadGrant)
		}
		seen[p.Name] = true
	}
	return nil
}

func (p NamedProgram) check(mounted map[string]bool) error {
	switch {
	case !nameForm.MatchString(p.Name):
		return fmt.Errorf("not the name of a command")
	case p.Source.Open == nil:
		return fmt.Errorf("no source")
	}
	if e, ok := badVariable(p.Env); ok {
		return fmt.Errorf("%q is not NAME=value", e)
	}
	if err := (Command{Args: p.Args}).check(); err != nil {
		return err
	}
	l := p.Limits
	if l.Disk|l.FileSize|l.Output|l.MemoryTotal != 0 || l.Files|l.Handles|l.Depth|l.Programs != 0 {
		return fmt.Errorf("only timeout, fuel and memory can be limited by program")
	}
	if err := l.check(); err != nil {
		return err
	}
	if p.Apart != nil && p.Apart.Disk < 0 {
		return fmt.Errorf("disk: %d is negative", p.Apart.Disk)
	}
	for i, m := range p.Mounts {
		if err := m.checkPlace(); err != nil {
			return fmt.Errorf("mount %q: %w", m.Guest, err)
		}
		if m.Access != ReadOnly && p.Apart == nil {
			return fmt.Errorf("mount %q: programs' own mounts are read-only", m.Guest)
		}
		if mounted[m.Guest] && p.Apart == nil || slices.ContainsFunc(p.Mounts[:i], func(o Mount) bool { return o.Guest == m.Guest }) {
			return fmt.Errorf("mount %q: mounted twice", m.Guest)
		}
	}
	return nil
}
