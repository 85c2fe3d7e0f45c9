package wasi_test

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox/internal/hostfs"
	"openclaw/sandbox/internal/quota"
	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/wasi"
)

const (
	fuzzMemory   = 64 << 10
	fuzzCalls    = 64      // calls made from one input
	fuzzAllocs   = 4 << 20 // bytes that one call may allocate, the filesystem's share included
	fuzzPatience = 2 * time.Millisecond
)

// FuzzCalls makes any call with any arguments on any memory: nothing panics, no
// error but an exit or the context's comes back, and no number that a guest
// writes makes the host allocate.
func FuzzCalls(f *testing.F) {
	fns := wasi.Functions()
	f.Add([]byte(nil), []byte("path"))
	for i := range fns {
		call := make([]byte, 1+8*len(fns[i].Params))
		call[0] = byte(i)
		f.Add(call, []byte("file"))
		f.Add(append([]byte{byte(i)}, slices.Repeat([]byte{0xff}, len(call)-1)...), []byte("a/../..\x00"))
		f.Add(append([]byte{byte(i)}, slices.Repeat([]byte{3, 0, 0, 0, 0, 0, 0, 0}, len(fns[i].Params))...), []byte("..."))
	}
	spawn := slices.IndexFunc(fns, func(fn wasi.Function) bool { return fn.Name == "spawn" })
	text := request(0o22, "one", "/", []string{"one", "x"}, []string{"A=1"}, 0, 0, 1, 1)
	f.Add([]byte{byte(spawn), 0, 0, 0, 0, 0, 0, 0, 0, byte(len(text))}, []byte(text))
	f.Fuzz(func(t *testing.T, calls, memory []byte) {
		tree, err := hostfs.New(t.TempDir(), hostfs.Options{
			Quota: quota.New(quota.Limits{Bytes: 1 << 20, Files: 100, Handles: 50, Depth: 20}, nil),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		s := wasi.New(wasi.Config{
			FS:     tree,
			Stdin:  stream.FromReader(context.Background(), strings.NewReader("input")),
			Stdout: stream.NewPipe().WriteEnd(),

			Programs: &fakePrograms{},
		})
		defer s.Close()
		mem := make([]byte, fuzzMemory)
		copy(mem, memory)
		for range fuzzCalls {
			if len(calls) == 0 {
				return
			}
			fn := fns[int(calls[0])%len(fns)]
			args := make([]uint64, len(fn.Params))
			for i := range args {
				var b [8]byte
				if at := 1 + 8*i; at < len(calls) {
					copy(b[:], calls[at:])
				}
				args[i] = binary.LittleEndian.Uint64(b[:])
				if fn.Params[i] == wasi.I32 {
					args[i] &= 1<<32 - 1
				}
			}
			calls = calls[min(len(calls), 1+8*len(args)):]
			fuzzCall(t, fn, s, mem, args)
		}
	})
}

func fuzzCall(t *testing.T, fn wasi.Function, s *wasi.System, mem []byte, args []uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), fuzzPatience)
	defer cancel()
	before := allocated()
	result, err := fn.Call(ctx, s, mem, args)
	var exit wasi.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%s%v: %v", fn.Name, args, err)
	}
	if fn.Name != "umask" && result > 76 {
		t.Fatalf("%s%v: errno %d", fn.Name, args, result)
	}
	if n := allocated() - before; n > fuzzAllocs {
		t.Fatalf("%s%v allocated %d bytes", fn.Name, args, n)
	}
}

// allocated is how many bytes the process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
