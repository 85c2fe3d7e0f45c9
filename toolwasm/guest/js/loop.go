package js

import (
	"container/heap"
	"time"

	"github.com/dop251/goja"
)

// loop is the event loop: timers, what is done in the background, and immediates. Each callback is a turn of its own.
type loop struct {
	e          *engine
	timers     timerHeap
	byID       map[int64]*timer
	seq        int64
	immediates []int64
	cancelled  map[int64]bool // immediates that were cleared
	pending    []int64        // calls of asynchronous functions that have been carried out
	arrived    chan chunk     // what a reader of standard input has read
	reading    bool           // a read of standard input is on its way
	wantsInput bool           // the script waits for what is read
}

// chunk is a piece of standard input; it is the last one when err is set.
type chunk struct {
	data []byte
	err  error
}

type timer struct {
	id      int64
	when    time.Time
	seq     int64
	every   time.Duration // 0 for once
	ref     bool          // keeps the script alive
	index   int
	removed bool // is due and no longer in the heap
}

func newLoop(e *engine) *loop {
	return &loop{e: e, byID: map[int64]*timer{}, cancelled: map[int64]bool{}, arrived: make(chan chunk, 1)}
}

// maxDelay is the longest delay of a timer in milliseconds; longer ones count as minDelay, as in node.
const (
	maxDelay = 1<<31 - 1
	minDelay = 1
)

// start makes a timer that calls the library back with its id.
func (l *loop) start(id int64, delay float64, repeat, ref bool) {
	if !(delay >= minDelay && delay <= maxDelay) {
		delay = minDelay
	}
	l.stop(id)
	d := time.Duration(delay) * time.Millisecond
	l.seq++
	// A delay of one millisecond is over by the time that node looks for the first time.
	t := &timer{id: id, when: time.Now().Add(d - time.Millisecond), seq: l.seq, ref: ref}
	if repeat {
		t.every = d
	}
	l.byID[id] = t
	heap.Push(&l.timers, t)
}

func (l *loop) stop(id int64) {
	if t := l.byID[id]; t != nil {
		delete(l.byID, id)
		if !t.removed {
			heap.Remove(&l.timers, t.index)
		}
	}
}

func (l *loop) setRef(id int64, ref bool) {
	if t := l.byID[id]; t != nil {
		t.ref = ref
	}
}

// alive reports whether something is left that keeps the script running.
func (l *loop) alive() bool {
	if len(l.immediates) > 0 || len(l.pending) > 0 || l.wantsInput {
		return true
	}
	for _, t := range l.timers {
		if t.ref {
			return true
		}
	}
	return false
}

// next does one round: the timers that are due, what has arrived, the immediates. It waits when there is nothing else
// to do, and reports false when the script has nothing to wait for.
func (l *loop) next() (bool, error) {
	if !l.alive() {
		return false, nil
	}
	l.e.p.Yield()
	if err := l.runTimers(); err != nil {
		return false, err
	}
	if err := l.runPending(); err != nil {
		return false, err
	}
	if err := l.poll(); err != nil {
		return false, err
	}
	return true, l.runImmediates()
}

func (l *loop) runTimers() error {
	now := time.Now()
	var due []*timer
	for len(l.timers) > 0 && !l.timers[0].when.After(now) {
		t := heap.Pop(&l.timers).(*timer)
		t.removed = true
		due = append(due, t)
	}
	for _, t := range due {
		if l.byID[t.id] != t {
			continue // cleared by one before it
		}
		if t.every > 0 {
			l.again(t, now)
		} else {
			delete(l.byID, t.id)
		}
		if err := l.e.turn("fireTimer", l.e.vm.ToValue(t.id)); err != nil {
			return err
		}
	}
	return nil
}

func (l *loop) again(t *timer, now time.Time) {
	l.seq++
	t.when, t.seq, t.removed = now.Add(t.every), l.seq, false
	heap.Push(&l.timers, t)
}

func (l *loop) runPending() error {
	list := l.pending
	l.pending = nil
	for _, id := range list {
		if err := l.e.turn("firePending", l.e.vm.ToValue(id)); err != nil {
			return err
		}
	}
	return nil
}

func (l *loop) runImmediates() error {
	list := l.immediates
	l.immediates = nil
	for _, id := range list {
		if l.cancelled[id] {
			delete(l.cancelled, id)
			continue
		}
		if err := l.e.turn("fireImmediate", l.e.vm.ToValue(id)); err != nil {
			return err
		}
	}
	return nil
}

// poll takes what has arrived, and waits for it when nothing else can be done.
func (l *loop) poll() error {
	l.read()
	if len(l.immediates) > 0 || len(l.pending) > 0 {
		return l.take(0)
	}
	wait := time.Duration(-1)
	if len(l.timers) > 0 {
		wait = max(time.Until(l.timers[0].when), 0)
	}
	if !l.alive() {
		return nil
	}
	return l.take(wait)
}

// take waits for a piece of standard input, for as long as given or without end.
func (l *loop) take(wait time.Duration) error {
	var alarm <-chan time.Time
	if wait != 0 {
		_ = l.e.p.Flush()
	}
	if wait >= 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		alarm = t.C
	}
	var done <-chan struct{}
	if l.e.p.Ctx != nil {
		done = l.e.p.Ctx.Done()
	}
	select {
	case c := <-l.arrived:
		l.reading = false
		return l.deliver(c)
	case <-alarm:
	case <-done:
		l.e.p.Yield()
	}
	return nil
}

func (l *loop) deliver(c chunk) error {
	data := goja.Null()
	if len(c.data) > 0 {
		data = l.e.vm.ToValue(l.e.vm.NewArrayBuffer(c.data))
		if c.err != nil {
			if err := l.e.turn("input", data); err != nil {
				return err
			}
			data = goja.Null()
		}
	}
	if data == goja.Null() {
		l.wantsInput = false
	}
	return l.e.turn("input", data)
}

// inputSize is how much standard input is read at a time.
const inputSize = 64 << 10

// read begins to read standard input when the script waits for it. The read is a goroutine's, so that timers run while
// it waits; there is never more than one.
func (l *loop) read() {
	if !l.wantsInput || l.reading {
		return
	}
	l.reading = true
	in := l.e.files.input()
	go func() {
		b := make([]byte, inputSize)
		n, err := in.Read(b)
		l.arrived <- chunk{b[:n], err}
	}()
}

// timerHeap orders timers by time, and those of one time by when they were made.
type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if h[i].when.Equal(h[j].when) {
		return h[i].seq < h[j].seq
	}
	return h[i].when.Before(h[j].when)
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return t
}
