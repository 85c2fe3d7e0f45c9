//go:build !unix || aix || solaris

package sandbox

import (
	"errors"
	"os"
)

// tryLock knows of no locks: processes that start at once do the same work.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
