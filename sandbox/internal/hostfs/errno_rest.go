//go:build !linux && !darwin && !windows

package hostfs

import "openclaw/sandbox/internal/vfs"

// systemErrno knows no errors beyond the portable ones here.
func systemErrno(error) vfs.Errno { return vfs.OK }
