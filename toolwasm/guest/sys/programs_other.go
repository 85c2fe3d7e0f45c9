//go:build !wasip1

package sys

import (
	"os"
	"runtime"
	"syscall"
)

// Programs lists the programs that can be started: none natively, where there is no host to start them.
func Programs() []ProgramName { return nil }

// Pipe makes a pipe between the guest and a program.
func Pipe(bool) (r, w *os.File, err error) { return nil, nil, syscall.ENOSYS }

// Spawn starts a program.
func Spawn(SpawnSpec) (*Process, error) { return nil, syscall.ENOSYS }

// Wait returns the exit status of the program once it has ended.
func (p *Process) Wait() (int, error) { return 0, syscall.ENOSYS }

// Kill ends the program as the signal would.
func (p *Process) Kill(int) error { return syscall.ENOSYS }

// Wanted waits until a reader of an on-demand pipe waits, and returns for how many bytes.
func Wanted(*os.File) (int, error) { return 0, syscall.ENOSYS }

// Yield lets other goroutines run.
func Yield() { runtime.Gosched() }

// Umask is the mask that the program was started with. Natively it is set by who starts the toolbox.
func Umask() uint32 { return defaultUmask }
