package sandbox

import (
	"sync"
	"time"
)

// deadline ends a call when its time is over. It stands still while something is done that is not the call's to pay for.
type deadline struct {
	mu     sync.Mutex
	timer  *time.Timer
	left   time.Duration // when the timer was last started
	since  time.Time
	paused int
}

func newDeadline(d time.Duration, end func()) *deadline {
	return &deadline{timer: time.AfterFunc(d, end), left: d, since: time.Now()}
}

// pause stops the time until the function that it returns is called.
func (d *deadline) pause() (resume func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.paused++; d.paused == 1 && d.timer.Stop() {
		d.left -= time.Since(d.since)
	}
	return sync.OnceFunc(d.resume)
}

func (d *deadline) resume() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.paused--; d.paused > 0 {
		return
	}
	d.since = time.Now()
	d.timer.Reset(max(d.left, 0))
}

// stop ends the deadline for good. Nobody may have it paused.
func (d *deadline) stop() { d.timer.Stop() }
