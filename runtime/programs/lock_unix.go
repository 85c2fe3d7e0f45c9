//go:build unix

package programs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Waiting for another writer. A write takes milliseconds.
const (
	lockWait  = 10 * time.Second
	lockPause = 5 * time.Millisecond
)

var errLocked = errors.New("another process is writing the index of programs")

// lock keeps other writers out until it is unlocked, or its process ends. Nothing is left on the disk.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, errLocked)
	defer cancel()
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { d.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			d.Close()
			return nil, fmt.Errorf("lock the directory: %w", err)
		}
		select {
		case <-ctx.Done():
			d.Close()
			return nil, context.Cause(ctx)
		case <-time.After(lockPause):
		}
	}
}
