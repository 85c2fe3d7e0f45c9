//go:build unix && !aix && !solaris

package sandbox

import (
	"os"
	"syscall"
)

// tryLock takes the lock of a file until that is closed, unless somebody else has it.
func tryLock(file *os.File) (bool, error) {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case nil:
			return true, nil
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return false, nil
		default:
			return false, err
		}
	}
}
