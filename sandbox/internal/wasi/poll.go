package wasi

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"openclaw/sandbox/internal/vfs"
)

// The kinds of events.
const (
	eventClock uint8 = iota
	eventFDRead
	eventFDWrite
)

const (
	subscriptionSize = 48
	eventSize        = 32

	clockAbstime  = 1 // the timeout is a time, not a duration
	eventHangup   = 1 // the other end of the stream is gone
	never         = time.Duration(math.MaxInt64)
	regularVolume = 64 << 10 // bytes said to be ready in a file that never waits
)

// subscription is one thing to wait for, copied out of the guest's memory: the
// events that are written may overlap it there.
type subscription struct {
	userdata uint64
	kind     uint8
	fd       uint32
	wait     time.Duration // clock: how long from the start of the call
	err      vfs.Errno     // found while reading it; an event of its own
}

// poller is what waiting needs, kept from one call to the next.
type poller struct {
	subs  []subscription
	stops []func()
	wake  chan struct{}
	timer *time.Timer
}

// release ends what could still hold a resource.
func (p *poller) release() {
	p.unsubscribe()
	if p.timer != nil {
		p.timer.Stop()
	}
}

// subscribe asks a stream to report changes of its readiness.
func (p *poller) subscribe(stream vfs.Poller) {
	if p.wake == nil {
		p.wake = make(chan struct{}, 1)
	}
	p.stops = append(p.stops, stream.Notify(p.wake))
}

func (p *poller) unsubscribe() {
	for i, stop := range p.stops {
		stop()
		p.stops[i] = nil
	}
	p.stops = p.stops[:0]
}

// waitFor waits until a stream is ready, as ready reports it, or ctx is done.
func (p *poller) waitFor(ctx context.Context, stream vfs.Poller, ready func(vfs.Poller) (bool, int)) error {
	p.subscribe(stream)
	defer p.unsubscribe()
	for {
		if ok, _ := ready(stream); ok {
			return nil
		}
		select {
		case <-p.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// timeout starts the timer and returns its channel; never has none.
func (p *poller) timeout(d time.Duration) <-chan time.Time {
	if d == never {
		return nil
	}
	if p.timer == nil {
		p.timer = time.NewTimer(d)
	} else {
		p.timer.Reset(d)
	}
	return p.timer.C
}

func pollOneoff(ctx context.Context, s *System, m memory, a args) (vfs.Errno, error) {
	count := a.u32(2)
	if count == 0 || count > maxSubscriptions {
		return vfs.EINVAL, nil
	}
	in, ok := m.array(a.u32(0), count, subscriptionSize)
	if !ok {
		return vfs.EFAULT, nil
	}
	out, ok := m.array(a.u32(1), count, eventSize)
	if !ok {
		return vfs.EFAULT, nil
	}
	if _, ok := m.bytes(a.u32(3), 4); !ok {
		return vfs.EFAULT, nil
	}
	s.readSubscriptions(in)
	n, err := s.pollEvents(ctx, out)
	if err != nil {
		return vfs.OK, err
	}
	return m.putU32(a.u32(3), uint32(n)), nil
}

func (s *System) readSubscriptions(in []byte) {
	s.poll.subs = s.poll.subs[:0]
	for ; len(in) > 0; in = in[subscriptionSize:] {
		sub := subscription{
			userdata: binary.LittleEndian.Uint64(in),
			kind:     in[8],
			wait:     never,
		}
		switch sub.kind {
		case eventClock:
			sub.wait, sub.err = s.clockWait(
				binary.LittleEndian.Uint32(in[16:]),
				binary.LittleEndian.Uint64(in[24:]),
				binary.LittleEndian.Uint16(in[40:]),
			)
		case eventFDRead, eventFDWrite:
			sub.fd = binary.LittleEndian.Uint32(in[16:])
		default:
			sub.err = vfs.EINVAL
		}
		s.poll.subs = append(s.poll.subs, sub)
	}
}

// clockWait is how long from now a clock subscription has to wait.
func (s *System) clockWait(id uint32, timeout uint64, flags uint16) (time.Duration, vfs.Errno) {
	now, e := s.clock(id)
	if e != vfs.OK || flags&^clockAbstime != 0 {
		return never, vfs.EINVAL
	}
	if timeout > math.MaxInt64 {
		return never, vfs.OK
	}
	wait := int64(timeout)
	if flags&clockAbstime != 0 {
		wait -= now
	}
	return time.Duration(max(wait, 0)), vfs.OK
}

// pollEvents waits until at least one subscription has an event and writes all
// that are there.
func (s *System) pollEvents(ctx context.Context, out []byte) (int, error) {
	if n := s.collect(out, 0); n > 0 {
		return n, nil
	}
	wait := never
	for i := range s.poll.subs {
		sub := &s.poll.subs[i]
		wait = min(wait, sub.wait)
		if sub.kind == eventClock {
			continue
		}
		if d := s.table.get(sub.fd); d != nil && d.stream != nil {
			s.poll.subscribe(d.stream)
		}
	}
	defer s.poll.unsubscribe()
	timeout := s.poll.timeout(wait)
	if timeout != nil {
		defer s.poll.timer.Stop()
	}
	for {
		// Readiness may have changed before the subscription stood.
		if n := s.collect(out, 0); n > 0 {
			return n, nil
		}
		select {
		case <-s.poll.wake:
		case <-timeout:
			return s.collect(out, wait), nil
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// collect writes the events that are there once elapsed has gone by.
func (s *System) collect(out []byte, elapsed time.Duration) int {
	n := 0
	for i := range s.poll.subs {
		sub := &s.poll.subs[i]
		ev, ok := s.eventOf(sub, elapsed)
		if !ok {
			continue
		}
		buf := out[n*eventSize:][:eventSize]
		clear(buf)
		binary.LittleEndian.PutUint64(buf, sub.userdata)
		binary.LittleEndian.PutUint16(buf[8:], uint16(ev.err))
		buf[10] = sub.kind
		binary.LittleEndian.PutUint64(buf[16:], ev.bytes)
		binary.LittleEndian.PutUint16(buf[24:], ev.flags)
		n++
	}
	return n
}

type event struct {
	err   vfs.Errno
	bytes uint64
	flags uint16
}

// eventOf reports whether a subscription has an event now.
func (s *System) eventOf(sub *subscription, elapsed time.Duration) (event, bool) {
	if sub.err != vfs.OK {
		return event{err: sub.err}, true
	}
	if sub.kind == eventClock {
		return event{}, sub.wait <= elapsed
	}
	d := s.table.get(sub.fd)
	if d == nil {
		return event{err: vfs.EBADF}, true
	}
	if d.granted&rightPollFDReadwrite == 0 {
		return event{err: vfs.ENOTCAPABLE}, true
	}
	if d.stream == nil {
		return event{bytes: s.volume(d, sub.kind)}, true
	}
	ready, n := d.stream.Readable()
	if sub.kind == eventFDWrite {
		ready, n = d.stream.Writable()
	}
	if !ready {
		return event{}, false
	}
	ev := event{bytes: uint64(max(n, 0))}
	if n <= 0 {
		ev.flags = eventHangup
	}
	return ev, true
}

// volume is how much can be read from, or written to, a file that never waits.
func (s *System) volume(d *descriptor, kind uint8) uint64 {
	if kind == eventFDWrite {
		return regularVolume
	}
	t, e := s.typeOf(d)
	if e != vfs.OK || t != vfs.TypeRegular {
		return regularVolume
	}
	st, e := d.file.Stat()
	if e != vfs.OK {
		return 0
	}
	pos, e := d.file.Seek(0, 1)
	if e != vfs.OK || pos >= st.Size {
		return 0
	}
	return uint64(st.Size - pos)
}
