package wasi_test

import (
	"context"
	"testing"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// BenchmarkCalls measures what the calls that programs make most cost the host.
func BenchmarkCalls(b *testing.B) {
	g := newGuest(b, wasi.Config{FS: mount(b, b.TempDir()), Stdout: stream.ToWriter(discard{})})
	fd := g.open(firstPreopen, "file", 0, oCreat, rightRead|rightWrite, 0)
	if _, e := g.write(fd, "some text"); e != vfs.OK {
		b.Fatal(e)
	}
	iov, out := g.iovec(g.space(64), 64), g.space(128)
	path, n := g.text("file")
	sub, _, _ := g.subscribe([]subscription{{kind: onWrite, fd: 1}, {kind: onClock, fd: monotonic}})
	for _, c := range []struct {
		name string
		args []uint64
	}{
		{"clock_time_get", []uint64{1, 0, out}},
		{"fd_write", []uint64{1, iov, 1, out}},
		{"fd_pread", []uint64{fd, iov, 1, 0, out}},
		{"poll_oneoff", []uint64{sub, sub, 2, out}},
		{"path_filestat_get", []uint64{firstPreopen, 1, path, n, out}},
	} {
		b.Run(c.name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			f := functions[c.name]
			args := make([]uint64, len(c.args))
			b.ReportAllocs()
			for b.Loop() {
				copy(args, c.args)
				if e, err := f.Call(ctx, g.s, g.mem, args); e != 0 || err != nil {
					b.Fatal(e, err)
				}
			}
		})
	}
	b.Run("New", func(b *testing.B) {
		tree := mount(b, b.TempDir())
		b.ReportAllocs()
		for b.Loop() {
			s := wasi.New(wasi.Config{FS: tree})
			_ = s.Close()
		}
	})
}

// discard is a writer that any other would be slower than.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
