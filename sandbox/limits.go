package sandbox

import (
	"fmt"
	"time"
)

// The limits of a call when [Limits] does not say otherwise.
const (
	DefaultTimeout  = 30 * time.Second
	DefaultMemory   = 256 << 20
	DefaultDisk     = 1 << 30
	DefaultFileSize = 1 << 30
	DefaultFiles    = 100_000
	DefaultHandles  = 1024
	DefaultDepth    = 64
	DefaultOutput   = 200_000
	DefaultPrograms = 32
	// DefaultMemoryTotal is that of Limits.MemoryTotal, or Limits.Memory when that is more.
	DefaultMemoryTotal = 1 << 30
)

// Bounds of what can be asked for.
const (
	// MaxMemory is the most that a 32-bit guest can address, less one page so that its size fits in 32 bits.
	MaxMemory = 4<<30 - MinMemory
	// MinMemory is the size of one WebAssembly page.
	MinMemory = 64 << 10
	// DiscardedOutput is how much a guest may write beyond Limits.Output before the call is ended: a
	// command that says a little too much still finishes its work, one that never stops talking does not.
	DiscardedOutput = 64 << 20
)

// Limits bounds one call, or for Disk, Files and Handles one session. A zero field means its default.
type Limits struct {
	Timeout  time.Duration // wall-clock time of a call
	Fuel     int64         // work of a call, in units that docs/limits.md explains; zero is no bound
	Memory   int64         // bytes of linear memory of a guest
	Disk     int64         // bytes by which the session's mounts and /tmp may grow
	FileSize int64         // bytes of a single file
	Files    int           // files, directories and links that a session may add
	Handles  int           // files open at once in a session
	Depth    int           // components of a path
	Output   int64         // bytes of standard output and standard error together that are kept
	Programs int           // programs that the guests of a call may have running at once
	// MemoryTotal is the linear memory of all guests of a call together, while Memory bounds each.
	MemoryTotal int64
}

// withDefaults fills zero fields in.
func (l Limits) withDefaults() Limits {
	fill(&l.Timeout, DefaultTimeout)
	fill(&l.Memory, DefaultMemory)
	fill(&l.Disk, DefaultDisk)
	fill(&l.FileSize, DefaultFileSize)
	fill(&l.Files, DefaultFiles)
	fill(&l.Handles, DefaultHandles)
	fill(&l.Depth, DefaultDepth)
	fill(&l.Output, DefaultOutput)
	fill(&l.Programs, DefaultPrograms)
	fill(&l.MemoryTotal, max(DefaultMemoryTotal, l.Memory))
	return l
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// check refuses limits that cannot be meant.
func (l Limits) check() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"timeout", int64(l.Timeout)},
		{"fuel", l.Fuel},
		{"memory", l.Memory},
		{"disk", l.Disk},
		{"file size", l.FileSize},
		{"files", int64(l.Files)},
		{"handles", int64(l.Handles)},
		{"depth", int64(l.Depth)},
		{"output", l.Output},
		{"programs", int64(l.Programs)},
		{"total memory", l.MemoryTotal},
	} {
		if f.value < 0 {
			return fmt.Errorf("sandbox: limit %s: %w: %d is negative", f.name, ErrBadGrant, f.value)
		}
	}
	if l.Memory > MaxMemory {
		return fmt.Errorf("sandbox: limit memory: %w: %d bytes are more than the %d that a guest can address", ErrBadGrant, l.Memory, int64(MaxMemory))
	}
	if l.Memory != 0 && l.Memory < MinMemory {
		return fmt.Errorf("sandbox: limit memory: %w: %d bytes are less than one page (%d)", ErrBadGrant, l.Memory, MinMemory)
	}
	return nil
}
