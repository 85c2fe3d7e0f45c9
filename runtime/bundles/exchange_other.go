//go:build !linux

package bundles

import (
	"errors"
	"os"
)

// exchange is not known on this system.
func exchange(_, b string) error {
	if _, err := os.Lstat(b); err != nil {
		return err
	}
	return errors.ErrUnsupported
}
