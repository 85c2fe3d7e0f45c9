package wasi_test

import (
	"slices"
	"testing"
	"time"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

const (
	onClock, onRead, onWrite = 0, 1, 2
	realtime, monotonic      = 0, 1
	abstime                  = 1
	hangup                   = 1
)

func TestPollReportsWhatIsReady(t *testing.T) {
	empty := func(*stream.Pipe) {}
	filled := func(p *stream.Pipe) { _, _ = p.Writer().Write([]byte("abc")) }
	ended := func(p *stream.Pipe) { _ = p.Writer().Close() }
	later := subscription{userdata: 9, kind: onClock, fd: monotonic, timeout: uint64(time.Hour)}
	tests := []struct {
		name  string
		stdin func(*stream.Pipe)
		subs  []subscription
		want  []event
	}{
		{"a clock that has run out", empty, []subscription{
			{userdata: 1, kind: onClock, fd: monotonic},
			later,
		}, []event{{userdata: 1}}},
		{"a clock that runs out", empty, []subscription{
			{userdata: 1, kind: onRead, fd: 0},
			{userdata: 2, kind: onClock, fd: realtime, timeout: uint64(time.Millisecond)},
		}, []event{{userdata: 2}}},
		{"a time that has gone by", empty, []subscription{
			{userdata: 1, kind: onClock, fd: realtime, timeout: 5, flags: abstime},
		}, []event{{userdata: 1}}},
		{
			"data", filled,
			[]subscription{later, {userdata: 1, kind: onRead, fd: 0}},
			[]event{{userdata: 1, kind: onRead, bytes: 3}},
		},
		{
			"an end", ended,
			[]subscription{later, {userdata: 1, kind: onRead, fd: 0}},
			[]event{{userdata: 1, kind: onRead, flags: hangup}},
		},
		{"a bad descriptor and a good one", empty, []subscription{
			{userdata: 1, kind: onRead, fd: 55},
			{userdata: 2, kind: onWrite, fd: 1},
		}, []event{{userdata: 1, kind: onRead, err: vfs.EBADF}, {userdata: 2, kind: onWrite, bytes: 1 << 20}}},
		{
			"an unknown clock", empty,
			[]subscription{{userdata: 1, kind: onClock, fd: 7}},
			[]event{{userdata: 1, err: vfs.EINVAL}},
		},
		{
			"an unknown kind", empty,
			[]subscription{{userdata: 1, kind: 3}},
			[]event{{userdata: 1, kind: 3, err: vfs.EINVAL}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := stream.NewPipe()
			tt.stdin(p)
			g := newGuest(t, wasi.Config{Stdin: p.ReadEnd()})
			if got := g.poll(tt.subs...); !slices.Equal(got, tt.want) {
				t.Errorf("events %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestPollOnFilesIsAlwaysReady(t *testing.T) {
	g, dir := onDir(t)
	tree(t, dir, map[string]string{"file": "12345"})
	fd := g.open(firstPreopen, "file", 0, 0, rightRead, 0)
	if _, e := g.read(fd, 2); e != vfs.OK {
		t.Fatal(e)
	}
	got := g.poll(subscription{userdata: 1, kind: onRead, fd: uint32(fd)})
	if want := []event{{userdata: 1, kind: onRead, bytes: 3}}; !slices.Equal(got, want) {
		t.Errorf("events %+v, want %+v", got, want)
	}
}

func TestPollWakesWhenDataComes(t *testing.T) {
	p := stream.NewPipe()
	g := newGuest(t, wasi.Config{Stdin: p.ReadEnd()})
	go func() { _, _ = p.Writer().Write([]byte("x")) }()
	got := g.poll(subscription{userdata: 1, kind: onRead, fd: 0})
	if want := []event{{userdata: 1, kind: onRead, bytes: 1}}; !slices.Equal(got, want) {
		t.Errorf("events %+v, want %+v", got, want)
	}
}

func TestPollBoundsItsArguments(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	out, end := g.space(4), uint64(len(g.mem))
	g.want(vfs.EINVAL, "poll_oneoff", 0, 0, 0, out)
	g.want(vfs.EINVAL, "poll_oneoff", 0, 0, 4097, out)
	g.want(vfs.EINVAL, "poll_oneoff", 0, 0, 1<<32-1, out)
	g.want(vfs.EFAULT, "poll_oneoff", end-47, 0, 1, out)
	g.want(vfs.EFAULT, "poll_oneoff", 0, end-31, 1, out)
	g.want(vfs.EFAULT, "poll_oneoff", 0, 0, 1, end-3)
}

func TestPollWritesEventsOverItsSubscriptions(t *testing.T) {
	g := newGuest(t, wasi.Config{})
	in, _, n := g.subscribe([]subscription{
		{userdata: 1, kind: onClock, fd: monotonic},
		{userdata: 2, kind: onWrite, fd: 1},
		{userdata: 3, kind: onWrite, fd: 2},
	})
	count := g.space(4)
	g.want(vfs.OK, "poll_oneoff", in, in, n, count)
	if g.u32(count) != 3 || g.u64(in) != 1 || g.u64(in+32) != 2 || g.u64(in+64) != 3 {
		t.Errorf("%d events, userdata %d %d %d", g.u32(count), g.u64(in), g.u64(in+32), g.u64(in+64))
	}
}

func TestPollOnAStoppedClockStillEnds(t *testing.T) {
	g := newGuest(t, wasi.Config{Monotonic: func() int64 { return 1 }})
	got := g.poll(subscription{userdata: 1, kind: onClock, fd: monotonic, timeout: 1000})
	if len(got) != 1 || got[0].userdata != 1 {
		t.Errorf("events %+v", got)
	}
}
