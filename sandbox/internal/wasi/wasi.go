// Package wasi is an engine-neutral host of WASI preview 1, and of the few
// calls that preview 1 lacks (module "openclaw_v1", described in docs/abi.md).
//
// An engine binds every entry of [Functions] under its module and name, and
// hands each call the guest's whole linear memory as it is at that moment. What
// the guest can touch is exactly what its [Config] holds: one filesystem tree,
// three streams, a clock and a source of randomness.
//
// Promises:
//
//   - Every pointer, length and count from the guest is checked against its
//     memory before use, and bounded before anything is allocated for it.
//   - A call that can wait ends promptly once its context is done, and long
//     transfers look at the context between chunks; the error returned then
//     is the context's cause and has to unwind the guest.
//   - Reading, writing, telling the time and opening a path seen before
//     allocate nothing beyond what the filesystem itself needs.
//   - No goroutine is started here, so none is left after Close.
package wasi

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"time"

	"openclaw/sandbox/internal/vfs"
)

// The bounds on what one guest may ask for.
const (
	// DefaultMaxFiles is the size of the descriptor table when Config gives none.
	DefaultMaxFiles = 1024
	// DefaultUmask is the file mode creation mask when Config gives none.
	DefaultUmask = 0o022

	maxIovecs        = 1024      // vectors in one read or write
	maxTransfer      = 1<<31 - 1 // bytes moved by one read or write
	maxSubscriptions = 4096      // subscriptions in one poll_oneoff
	maxEntries       = 64 << 10  // directory entries kept for going on with fd_readdir, besides the last directory read
	ioChunk          = 1 << 20   // bytes moved between two looks at the context
	randomChunk      = 64 << 10  // bytes of randomness between two looks at the context
	maxBrokenWrites  = 16        // writes to pipes without readers, with Config.SIGPIPE

	// monotonicStart is what the real monotonic clock shows when a System is
	// made: more than a run with a stopped clock, continued with this one, can have seen.
	monotonicStart = time.Second
)

// Config is all that a guest is given.
type Config struct {
	// Args holds the arguments, the program's name first; Env holds "KEY=value" strings.
	Args, Env []string

	// FS is the guest's tree, and the boundary of what it can reach. Nil means
	// that there is no filesystem.
	FS vfs.FS
	// Preopens are the absolute guest paths that are open from the start, from
	// descriptor 3 on. Nil means {"/"}.
	Preopens []string
	// Dir is the absolute path of a working directory, for a guest that does not know of working directories by itself: C
	// libraries begin at "/", and look for a relative path, as for an absolute one, in the directory with the longest name that
	// it begins with, of equals in the last. So each directory of Places is open too, and after them Dir, as ".". Paths
	// relative to these may lead anywhere in the FS, which is open as a whole anyway.
	Dir    string
	Places []string

	// Stdin, Stdout and Stderr belong to the System, which closes them. The
	// same File may be given more than once. Nil reads as empty and discards
	// what is written.
	Stdin, Stdout, Stderr vfs.File
	// NonblockStdio starts the three streams with the non-blocking flag set: for
	// a guest whose memory was saved after it had set the flag itself.
	NonblockStdio bool

	// Rand, Now and Monotonic replace the sources of randomness and time, so
	// that a run can be repeated exactly. Monotonic counts nanoseconds and must
	// not return zero. Nil means the real ones; the real monotonic clock starts
	// at one second with each System and so tells nothing of the host.
	Rand      io.Reader
	Now       func() time.Time
	Monotonic func() int64

	// MaxFiles bounds the open descriptors, the three streams and the preopens
	// included. Zero means DefaultMaxFiles.
	MaxFiles int
	// MemoryLimit is the most that the guest's memory may grow to, in bytes, for it to know. Zero means that it is not told.
	MemoryLimit int64
	// Umask is taken off the mode of new files and directories. Nil means DefaultUmask.
	Umask *uint32

	// SIGPIPE ends a guest that goes on writing to pipes without readers.
	SIGPIPE bool

	// Programs starts other programs for the guest. Nil means that there are none.
	Programs Programs
	// Given are files of another guest that this one has from the start, by number. When it is not nil it takes the place of
	// Stdin, Stdout and Stderr: a stream that is not in it is closed.
	Given []Given
}

// System is the state of one call of one guest. It is not safe for concurrent use.
type System struct {
	fs        vfs.FS
	args, env []string
	table     table
	paths     interner
	rand      io.Reader
	now       func() time.Time
	monotonic func() int64
	started   int64 // monotonic, for the CPU time clocks
	umask     uint32

	memoryLimit int64
	programs    Programs
	sigpipe     bool
	given       *descriptor // the file that was given under the number of the root directory
	calls       uint64
	poll        poller

	brokenWrites int
}

// ExitError is what proc_exit, and a fatal proc_raise, return.
type ExitError struct{ Code uint32 }

func (e ExitError) Error() string { return fmt.Sprintf("wasi: exit status %d", e.Code) }

// New makes the state for one call. Preopened directories are opened when they
// are first used as files, so making a System touches nothing.
func New(c Config) *System {
	s := &System{
		fs:        c.FS,
		args:      c.Args,
		env:       c.Env,
		rand:      c.Rand,
		now:       c.Now,
		monotonic: c.Monotonic,
		umask:     DefaultUmask,

		memoryLimit: c.MemoryLimit,
		programs:    c.Programs,
		sigpipe:     c.SIGPIPE,
	}
	if c.Umask != nil {
		s.umask = *c.Umask & 0o777
	}
	if s.rand == nil {
		s.rand = rand.Reader
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.monotonic == nil {
		epoch := time.Now()
		s.monotonic = func() int64 { return int64(time.Since(epoch) + monotonicStart) }
	}
	s.started = s.monotonic()
	s.table.limit = c.MaxFiles
	if s.table.limit <= 0 {
		s.table.limit = DefaultMaxFiles
	}
	var flags uint16
	if c.NonblockStdio {
		flags = fdflagNonblock
	}
	if c.Given == nil {
		s.addStdio(c, flags)
		s.addPreopens(c)
		return s
	}
	s.table.slots = make([]*descriptor, rootFD)
	s.table.free = rootFD
	s.addPreopens(c)
	s.take(c.Given, flags)
	s.table.free = 0
	return s
}

func (s *System) addStdio(c Config, flags uint16) {
	for i, f := range [...]vfs.File{c.Stdin, c.Stdout, c.Stderr} {
		if f == nil {
			f = nullFile{}
		}
		granted := rightsAll &^ rightFDRead
		if i == 0 {
			granted = rightsAll &^ rightFDWrite
		}
		d := newDescriptor(f, granted, 0, flags)
		for _, other := range s.table.slots {
			if d.share(other) {
				break
			}
		}
		s.table.put(d)
	}
}

func (s *System) addPreopens(c Config) {
	if c.FS == nil {
		return
	}
	preopens := c.Preopens
	if preopens == nil {
		preopens = []string{"/"}
	}
	for _, name := range preopens {
		s.addPreopen(name, name, false)
	}
	if strings.Trim(c.Dir, "/") == "" {
		return
	}
	for _, name := range c.Places {
		s.addPreopen(name, name, true)
	}
	s.addPreopen(".", c.Dir, true)
}

// addPreopen opens the directory at path under a name.
func (s *System) addPreopen(name, path string, open bool) {
	path = strings.Trim(path, "/")
	if path == "" {
		path = "."
	}
	s.table.put(&descriptor{
		path:       path,
		preopen:    name,
		open:       open,
		kind:       vfs.TypeDirectory,
		kindKnown:  true,
		granted:    rightsAll &^ (rightFDRead | rightFDWrite),
		inheriting: rightsAll,
	})
}

// Calls is the number of host calls the guest has made. Like every method it is
// for the goroutine that runs the guest.
func (s *System) Calls() uint64 { return s.calls }

// Close closes everything the guest left open, the three streams included.
func (s *System) Close() error {
	var first error
	for fd, d := range s.table.slots {
		if d == nil {
			continue
		}
		if e := s.table.drop(uint32(fd)); e != vfs.OK && first == nil {
			first = fmt.Errorf("wasi: close descriptor %d: errno %d", fd, e)
		}
	}
	if s.given != nil {
		s.given.close()
		s.given = nil
	}
	s.poll.release()
	return first
}

// done returns the cause when ctx is done. Looking at Err first keeps the common case cheap.
func done(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
