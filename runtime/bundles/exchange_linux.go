package bundles

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange swaps two directories in one step; it fails with ErrNotExist when there is only one.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}
