package sandbox

import (
	"context"
	"os"
	"time"
)

const (
	// lockTimeout is how long a process waits for another that compiles the same program before it does so itself.
	lockTimeout = time.Minute
	// lockInterval is how often it looks whether the other has done.
	lockInterval = 20 * time.Millisecond
)

// lock makes the caller the one who prepares a program, among all processes that use the cache. It waits while another does;
// afterwards there may be something to load. The lock only saves work. It is the system's, which takes it back
// from a process that dies, and where it cannot be had everybody goes on without.
func (c *cache) lock(ctx context.Context, d digest, engineName string) (unlock func()) {
	free := func() {}
	if c.dir == "" {
		return free
	}
	file, err := os.OpenFile(c.key(d, engineName)+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return free
	}
	unlock = func() { _ = file.Close() }
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	ticks := time.NewTicker(lockInterval)
	defer ticks.Stop()
	for {
		if taken, err := tryLock(file); taken || err != nil {
			return unlock
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return unlock
		}
	}
}
