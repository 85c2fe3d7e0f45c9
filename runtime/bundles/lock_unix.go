//go:build unix

package bundles

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock keeps other processes from installing, removing and approving until it is unlocked, or its process ends. Nothing is left on the
// disk.
func (s *Store) lock() (unlock func(), err error) {
	d, err := os.Open(s.dir)
	if err != nil {
		return nil, fmt.Errorf("bundles: lock: %w", err)
	}
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX)
		if err == nil {
			return func() { d.Close() }, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			d.Close()
			return nil, fmt.Errorf("bundles: lock %s: %w", s.dir, err)
		}
	}
}
