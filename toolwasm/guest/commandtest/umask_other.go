//go:build !unix

package commandtest

// clearUmask does nothing where the system has no umask.
func clearUmask() {}
