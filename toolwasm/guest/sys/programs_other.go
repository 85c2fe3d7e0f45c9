//go:build !wasip1

package sys

import "runtime"

// Yield lets other goroutines run.
func Yield() { runtime.Gosched() }

// Umask is the mask that the program was started with. Natively it is set by who starts the toolbox.
func Umask() uint32 { return defaultUmask }
