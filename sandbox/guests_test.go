package sandbox_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"openclaw/sandbox"
	"openclaw/sandbox/internal/wasm"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// newSandbox returns a sandbox on an engine of its own, with nothing cached on disk.
func newSandbox(tb testing.TB) *sandbox.Sandbox {
	tb.Helper()
	engine, err := sandbox.Wazero(context.Background(), sandbox.EngineOptions{CacheDir: sandbox.NoCache})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			tb.Errorf("close engine: %v", err)
		}
	})
	return sandbox.New(engine)
}

// load assembles a guest and loads it.
func load(tb testing.TB, box *sandbox.Sandbox, build func(m *Module)) *sandbox.Program {
	tb.Helper()
	m := &Module{}
	build(m)
	program, err := box.Load(tb.Context(), sandbox.Module("guest", m.Encode()))
	if err != nil {
		tb.Fatal(err)
	}
	return program
}

func wantLimit(tb testing.TB, err error, want sandbox.Limit) {
	tb.Helper()
	var limit *sandbox.LimitError
	if !errors.As(err, &limit) || limit.Limit != want {
		tb.Fatalf("error = %v, want that the %s limit was reached", err, want)
	}
}

// wantHealthy checks that the next call works.
func wantHealthy(tb testing.TB, box *sandbox.Sandbox) {
	tb.Helper()
	program := load(tb, box, exiting(7))
	result, err := box.Run(tb.Context(), sandbox.Grant{}, program, sandbox.Command{})
	if err != nil || result.ExitCode != 7 {
		tb.Fatalf("the next call: result %+v, error %v", result, err)
	}
}

// exiting is a guest that exits with a code.
func exiting(code int32) func(m *Module) {
	return func(m *Module) {
		exit := m.Import("wasi_snapshot_preview1", "proc_exit", Types{I32}, nil)
		m.Func("_start", nil, nil, nil, Const(code), Call(exit))
	}
}

// wantGoroutines waits for goroutines to end that were told to.
func wantGoroutines(tb testing.TB, want int) {
	tb.Helper()
	deadline := time.Now().Add(2 * time.Second)
	for runtime.NumGoroutine() > want {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			tb.Fatalf("%d goroutines, want %d:\n%s", runtime.NumGoroutine(), want, buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
	}
}

func tableOf(minimum uint32) wasm.TableType {
	return wasm.TableType{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: minimum}}
}

// iovec is one vector of a read or write.
func iovec(offset, size uint32) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, offset), size)
}

// clockSubscription is a subscription of poll_oneoff to the monotonic clock.
func clockSubscription(d time.Duration) []byte {
	b := make([]byte, 48)
	binary.LittleEndian.PutUint32(b[16:], 1)
	binary.LittleEndian.PutUint64(b[24:], uint64(d))
	return b
}

// residentBytes is the memory that this process has from the system, where the system tells.
func residentBytes() (int64, bool) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	var total, resident int64
	if _, err := fmt.Sscan(string(data), &total, &resident); err != nil {
		return 0, false
	}
	return resident * int64(os.Getpagesize()), true
}

// TestNothingIsLeftBehind runs many calls that take memory, files and time, and looks at what the process holds afterwards.
func TestNothingIsLeftBehind(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, func(m *Module) {
		m.Memory(1, 0)
		m.Func("_start", nil, nil, nil,
			Loop(), Const(16), MemoryGrow, Const(-1), []byte{0x47}, BrIf(0), End,
			Const(0), Const(1), MemorySize, Const(65536), Mul, MemoryFill, Unreachable)
	})
	run := func(n int) {
		for range n {
			_, err := box.Run(t.Context(), sandbox.Grant{Limits: sandbox.Limits{Memory: 32 << 20}}, program, sandbox.Command{})
			var trap *sandbox.TrapError
			var limit *sandbox.LimitError
			if !errors.As(err, &trap) && !errors.As(err, &limit) {
				t.Fatal(err)
			}
		}
	}
	run(5)
	runtime.GC()
	before, ok := residentBytes()
	goroutines := runtime.NumGoroutine()
	run(50)
	runtime.GC()
	after, _ := residentBytes()
	if ok && after > before+64<<20 {
		t.Errorf("resident memory went from %d to %d bytes over 50 calls of 32 MiB", before, after)
	}
	wantGoroutines(t, goroutines)
}
