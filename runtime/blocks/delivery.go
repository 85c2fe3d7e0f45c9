package blocks

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Clock is what a Delivery knows of time.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in a goroutine of its own after a while, unless it is stopped before.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// SystemClock is the clock of the machine.
var SystemClock Clock = systemClock{}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

// Pause is how long a person would need for the next message: a time between two bounds. Its zero value is no pause.
type Pause struct{ Min, Max time.Duration }

// NaturalPause is that of somebody who types fast.
var NaturalPause = Pause{Min: 800 * time.Millisecond, Max: 2500 * time.Millisecond}

func (p Pause) draw(random func(int64) int64) time.Duration {
	if p.Max <= p.Min {
		return p.Min
	}
	return p.Min + time.Duration(random(int64(p.Max-p.Min)+1))
}

// DeliveryOptions say how blocks are sent.
type DeliveryOptions struct {
	// Send sends a block. It is called from one goroutine at a time, in the blocks' order. An error ends the delivery.
	Send       func(ctx context.Context, b Block) error
	Coalescing *Coalescing // nil: blocks are sent as they come
	Pause      Pause       // before each block but the first
	Clock      Clock       // nil: SystemClock
	Random     func(n int64) int64
}

// Delivery sends blocks in the background. Close it.
type Delivery struct {
	options DeliveryOptions
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{}

	mu        sync.Mutex
	coalescer *Coalescer
	stop      func() bool // of the coalescer's timer
	queue     []Block
	changed   chan struct{} // has room for one
	closed    bool
	err       error
}

// NewDelivery begins a delivery. It ends when it is closed, or with the context.
func NewDelivery(ctx context.Context, o DeliveryOptions) *Delivery {
	if o.Clock == nil {
		o.Clock = SystemClock
	}
	if o.Random == nil {
		o.Random = rand.Int64N
	}
	d := &Delivery{options: o, done: make(chan struct{}), changed: make(chan struct{}, 1)}
	d.ctx, d.cancel = context.WithCancel(ctx)
	if o.Coalescing != nil {
		d.coalescer = NewCoalescer(*o.Coalescing)
	}
	go d.run()
	return d
}

// Put takes a block. It does not wait for anything.
func (d *Delivery) Put(b Block) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.err != nil {
		return
	}
	if d.coalescer == nil {
		d.enqueue([]Block{b})
		return
	}
	d.enqueue(d.coalescer.Add(d.options.Clock.Now(), b))
	d.schedule()
}

// Flush sends what waits to be joined, as before a tool's message that must come behind it.
func (d *Delivery) Flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.flush()
}

func (d *Delivery) flush() {
	if d.coalescer != nil {
		d.enqueue(d.coalescer.Flush())
		d.schedule()
	}
}

// Close sends what is left and waits until all was sent, or the context ends: then the rest is not sent.
func (d *Delivery) Close(ctx context.Context) error {
	d.mu.Lock()
	d.flush()
	d.closed = true
	d.wake()
	d.mu.Unlock()
	defer d.cancel()
	select {
	case <-d.done:
		return d.err
	case <-ctx.Done():
		d.cancel()
		<-d.done
		return ctx.Err()
	}
}

// schedule sets the timer to when the coalescer wants it.
func (d *Delivery) schedule() {
	if d.stop != nil {
		d.stop()
		d.stop = nil
	}
	due, ok := d.coalescer.Due()
	if !ok || d.closed {
		return
	}
	d.stop = d.options.Clock.AfterFunc(due.Sub(d.options.Clock.Now()), func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.enqueue(d.coalescer.Tick(d.options.Clock.Now()))
		d.schedule()
	})
}

func (d *Delivery) enqueue(list []Block) {
	if len(list) == 0 {
		return
	}
	d.queue = append(d.queue, list...)
	d.wake()
}

func (d *Delivery) wake() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// run sends what is in the queue.
func (d *Delivery) run() {
	defer close(d.done)
	for first := true; ; first = false {
		b, ok := d.next()
		if !ok {
			return
		}
		if !first && !d.wait(d.options.Pause.draw(d.options.Random)) {
			d.fail(d.ctx.Err())
			return
		}
		if err := d.options.Send(d.ctx, b); err != nil {
			d.fail(err)
			return
		}
	}
}

// next waits for a block; not ok when there will be none.
func (d *Delivery) next() (Block, bool) {
	for {
		d.mu.Lock()
		if len(d.queue) > 0 {
			b := d.queue[0]
			d.queue = d.queue[1:]
			d.mu.Unlock()
			return b, true
		}
		closed := d.closed
		d.mu.Unlock()
		if closed {
			return Block{}, false
		}
		select {
		case <-d.changed:
		case <-d.ctx.Done():
			d.fail(d.ctx.Err())
			return Block{}, false
		}
	}
}

func (d *Delivery) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err, d.queue = err, nil
	if d.stop != nil {
		d.stop()
	}
}

// wait is a pause; false when the context ended first.
func (d *Delivery) wait(pause time.Duration) bool {
	if pause <= 0 {
		return d.ctx.Err() == nil
	}
	over := make(chan struct{})
	stop := d.options.Clock.AfterFunc(pause, func() { close(over) })
	select {
	case <-over:
		return true
	case <-d.ctx.Done():
		stop()
		return false
	}
}
