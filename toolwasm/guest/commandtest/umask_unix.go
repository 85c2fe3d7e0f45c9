//go:build unix

package commandtest

import "syscall"

// clearUmask makes the modes that commands ask for the ones that files get: they take their own umask off.
func clearUmask() { syscall.Umask(0) }
