package hostfs

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"

	"openclaw/sandbox/internal/vfs"
)

// systemErrno maps the errors of Windows that are no portable ones.
func systemErrno(err error) vfs.Errno {
	var host syscall.Errno
	if !errors.As(err, &host) {
		return vfs.OK
	}
	switch host {
	case windows.ERROR_DIR_NOT_EMPTY, syscall.ENOTEMPTY:
		return vfs.ENOTEMPTY
	case windows.ERROR_DIRECTORY, syscall.ENOTDIR:
		return vfs.ENOTDIR
	case syscall.EISDIR:
		return vfs.EISDIR
	case syscall.ELOOP, windows.ERROR_CANT_RESOLVE_FILENAME:
		return vfs.ELOOP
	case windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION, windows.ERROR_BUSY:
		return vfs.EBUSY
	case windows.ERROR_NOT_SAME_DEVICE:
		return vfs.EXDEV
	case windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL:
		return vfs.ENOSPC
	case windows.ERROR_TOO_MANY_OPEN_FILES:
		return vfs.ENFILE
	case windows.ERROR_FILENAME_EXCED_RANGE:
		return vfs.ENAMETOOLONG
	case windows.ERROR_INVALID_NAME, windows.ERROR_INVALID_PARAMETER:
		return vfs.EINVAL
	case windows.ERROR_PRIVILEGE_NOT_HELD:
		return vfs.EPERM
	case windows.ERROR_WRITE_PROTECT:
		return vfs.EROFS
	}
	return vfs.OK
}
