//go:build unix

package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockPause is how long a creator waits before it looks again whether another one is done, which takes milliseconds.
const lockPause = 5 * time.Millisecond

// lockDirectory keeps other creators out until it is unlocked, or its process ends. Nothing is left on the disk.
func lockDirectory(ctx context.Context, dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, DefaultBusyTimeout, &Error{Reason: ErrLocked, Detail: "another process is making it"})
	defer cancel()
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { d.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			d.Close()
			return nil, fmt.Errorf("lock %s: %w", dir, err)
		}
		select {
		case <-ctx.Done():
			d.Close()
			return nil, context.Cause(ctx)
		case <-time.After(lockPause):
		}
	}
}

const mayRead = 4 // R_OK

// readable says why a file cannot be read, without opening it.
func readable(path string) error {
	if err := syscall.Access(path, mayRead); err != nil {
		return &os.PathError{Op: "access", Path: path, Err: err}
	}
	return nil
}
