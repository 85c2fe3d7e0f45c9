//go:build !linux && !darwin

package hostfs

import (
	"errors"
	"io/fs"
	"strings"

	"openclaw/sandbox/internal/vfs"
)

// errnoOf maps what the host said, as far as the portable errors and, for [os.Root]'s own, the texts tell. What has no
// counterpart is EIO.
func errnoOf(err error) vfs.Errno {
	switch {
	case err == nil:
		return vfs.OK
	case errors.Is(err, fs.ErrNotExist):
		return vfs.ENOENT
	case errors.Is(err, fs.ErrExist):
		return vfs.EEXIST
	case errors.Is(err, fs.ErrPermission):
		return vfs.EACCES
	case errors.Is(err, fs.ErrClosed):
		return vfs.EBADF
	case errors.Is(err, fs.ErrInvalid):
		return vfs.EINVAL
	case errors.Is(err, errors.ErrUnsupported):
		return vfs.ENOTSUP
	}
	if errno := systemErrno(err); errno != vfs.OK {
		return errno
	}
	if strings.Contains(err.Error(), "escapes from parent") {
		return vfs.EXDEV
	}
	return vfs.EIO
}
