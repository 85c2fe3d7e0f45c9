//go:build !windows

package hostfs

import "openclaw/sandbox/internal/vfs"

// checkName has nothing to refuse here: a name is any bytes without slash and NUL.
func checkName(string) vfs.Errno { return vfs.OK }

// isAbsolute reports whether the target of a link does not start from where the link is.
func isAbsolute(target string) bool { return target != "" && target[0] == '/' }

func toSlash(target string) string { return target }
