package sys

import "os"

// ProgramName is a program outside of the guest that can be started.
type ProgramName struct {
	Name string
	// First tells that it goes before a command of the guest's own with the same name.
	First bool
}

// SpawnSpec says what to start, and how.
type SpawnSpec struct {
	Program string
	Dir     string
	Args    []string // the program's own name first
	Env     []string
	Umask   uint32
	// Files are what the program has open, by its numbers. What is not in it is closed.
	Files map[int]*os.File
}

// Process is a program that has been started.
type Process struct{ status *os.File }
