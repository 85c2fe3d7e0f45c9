package hostfs

import (
	"strings"

	"openclaw/sandbox/internal/vfs"
)

// checkName refuses with EINVAL what Windows does not take for the plain name of a file: devices, with any extension
// and in any spelling, streams, separators, names that it would trim, and short (8.3) names.
func checkName(name string) vfs.Errno {
	if badName(name) {
		return vfs.EINVAL
	}
	return vfs.OK
}

// isAbsolute reports whether the target of a link does not start from where the link is.
func isAbsolute(target string) bool {
	return target != "" && (target[0] == '/' || target[0] == '\\' || strings.Contains(target, ":"))
}

func toSlash(target string) string { return strings.ReplaceAll(target, `\`, "/") }
