package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// grace is how long after its limit a guest may still run.
const grace = 250 * time.Millisecond

// inTime runs a guest until it has ended within grace of its limit, three times at most: a machine that is busy with
// something else may be late once, a guest that cannot be stopped is late each time.
func inTime(t *testing.T, limit time.Duration, run func()) {
	t.Helper()
	var took time.Duration
	for range 3 {
		begun := time.Now()
		run()
		if took = time.Since(begun); took <= limit+grace {
			return
		}
	}
	t.Errorf("took %v, more than %v after its limit of %v", took, grace, limit)
}

// wasi imports a function of WASI preview 1.
func wasi(m *Module, name string, params Types) uint32 {
	return m.Import("wasi_snapshot_preview1", name, params, Types{I32})
}

// forever is a loop without an end around body.
func forever(body ...[]byte) []byte {
	return Cat(Loop(), Cat(body...), Br(0), End)
}

// hostileGuests are programs that do not end by themselves, or ask for more than anyone has.
var hostileGuests = map[string]func(m *Module){
	"endless loop": func(m *Module) {
		m.Func("_start", nil, nil, nil, forever())
	},
	"endless loop with work": func(m *Module) {
		m.Func("_start", nil, nil, Locals(I64, 1), forever(Get(0), Const64(1), Add64, Set(0)))
	},
	"fib(60)": func(m *Module) {
		fib := uint32(0)
		m.Func("", Types{I64}, Types{I64}, nil,
			Get(0), Const64(2), LtU64, []byte{0x04, byte(I64)}, Get(0), []byte{0x05},
			Get(0), Const64(1), Sub64, Call(fib), Get(0), Const64(2), Sub64, Call(fib), Add64, End)
		m.Func("_start", nil, nil, nil, Const64(60), Call(fib), Drop)
	},
	"mutual tail calls": func(m *Module) {
		returnCall := func(f uint32) []byte { return Op(0x12, f) }
		m.Func("", nil, nil, nil, returnCall(1))
		m.Func("", nil, nil, nil, returnCall(0))
		m.Func("_start", nil, nil, nil, returnCall(0))
	},
	"tree of calls without a loop": func(m *Module) {
		// Each function calls the next one twice: 2^60 calls and not one loop or recursion.
		const depth = 60
		for i := range uint32(depth) {
			m.Func("", nil, nil, nil, Call(i+1), Call(i+1))
		}
		m.Func("", nil, nil, nil)
		m.Func("_start", nil, nil, nil, Call(0))
	},
	"memory.grow": func(m *Module) {
		m.Memory(1, 0)
		m.Func("_start", nil, nil, nil, forever(Const(1), MemoryGrow, Drop))
	},
	"memory.fill of all memory": func(m *Module) {
		m.Memory(1, 0)
		m.Func("_start", nil, nil, nil,
			Loop(), Const(64), MemoryGrow, Const(-1), []byte{0x47}, BrIf(0), End,
			forever(Const(0), Const(7), MemorySize, Const(65536), Mul, MemoryFill))
	},
	"memory.copy of all memory": func(m *Module) {
		m.Memory(1, 0)
		m.Func("_start", nil, nil, nil,
			Loop(), Const(64), MemoryGrow, Const(-1), []byte{0x47}, BrIf(0), End,
			forever(Const(8), Const(0), MemorySize, Const(65536), Mul, Const(8), Sub, MemoryCopy))
	},
	"table.grow": func(m *Module) {
		m.Tables = append(m.Tables, tableOf(1))
		m.Func("_start", nil, nil, nil, forever([]byte{0xd0, 0x70}, Const(1000), []byte{0xfc, 0x0f, 0x00}, Drop))
	},
	"poll_oneoff of an hour": func(m *Module) {
		poll := wasi(m, "poll_oneoff", Types{I32, I32, I32, I32})
		m.Memory(1, 1)
		m.AddData(0, clockSubscription(time.Hour))
		m.Func("_start", nil, nil, nil, forever(Const(0), Const(64), Const(1), Const(128), Call(poll), Drop))
	},
	"random without end": func(m *Module) {
		random := wasi(m, "random_get", Types{I32, I32})
		m.Memory(1000, 1000)
		m.Func("_start", nil, nil, nil, forever(Const(0), Const(65_000_000), Call(random), Drop))
	},
	"sched_yield without end": func(m *Module) {
		yield := wasi(m, "sched_yield", nil)
		m.Func("_start", nil, nil, nil, forever(Call(yield), Drop))
	},
	"standard input that never comes": func(m *Module) {
		read := wasi(m, "fd_read", Types{I32, I32, I32, I32})
		m.Memory(1, 1)
		m.AddData(0, iovec(64, 1000))
		m.Func("_start", nil, nil, nil, Const(0), Const(0), Const(1), Const(32), Call(read), Drop)
	},
}

// TestHostileGuestsEndAtTheirDeadline runs each guest against a short deadline and checks that it ends in time and that
// nothing of it is left.
func TestHostileGuestsEndAtTheirDeadline(t *testing.T) {
	box := newSandbox(t)
	for name, build := range hostileGuests {
		t.Run(name, func(t *testing.T) {
			program := load(t, box, build)
			never, w := io.Pipe()
			defer w.Close()
			goroutines := runtime.NumGoroutine()
			const deadline = 100 * time.Millisecond
			grant := sandbox.Grant{Limits: sandbox.Limits{Timeout: deadline, Memory: 1 << 30}}
			inTime(t, deadline, func() {
				result, err := box.Run(t.Context(), grant, program, sandbox.Command{Stdin: never})
				wantLimit(t, err, sandbox.LimitTimeout)
				if result == nil || len(result.Hit) == 0 || result.Hit[0] != sandbox.LimitTimeout {
					t.Errorf("result = %+v, want the timeout among the limits hit", result)
				}
			})
			never.Close()
			wantGoroutines(t, goroutines)
			wantHealthy(t, box)
		})
	}
}

// TestHostileGuestsEndWhenCancelled is the same for a caller that gives up.
func TestHostileGuestsEndWhenCancelled(t *testing.T) {
	box := newSandbox(t)
	for name, build := range hostileGuests {
		t.Run(name, func(t *testing.T) {
			program := load(t, box, build)
			never, w := io.Pipe()
			defer w.Close()
			defer never.Close()
			const after = 50 * time.Millisecond
			grant := sandbox.Grant{Limits: sandbox.Limits{Memory: 1 << 30}}
			inTime(t, after, func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				defer time.AfterFunc(after, cancel).Stop()
				if _, err := box.Run(ctx, grant, program, sandbox.Command{Stdin: never}); !errors.Is(err, context.Canceled) {
					t.Fatalf("error = %v, want that of the context", err)
				}
			})
		})
	}
}

// TestFuelEndsAGuest checks that the budget of work is kept, and is the same each time.
func TestFuelEndsAGuest(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, hostileGuests["endless loop with work"])
	const fuel = 5_000_000
	grant := sandbox.Grant{Limits: sandbox.Limits{Fuel: fuel}}
	var used []int64
	for range 3 {
		result, err := box.Run(t.Context(), grant, program, sandbox.Command{})
		wantLimit(t, err, sandbox.LimitFuel)
		used = append(used, result.Fuel)
	}
	if used[0] < fuel || used[0] > fuel+100 || used[0] != used[1] || used[1] != used[2] {
		t.Errorf("fuel used = %v, want three times the same, just over %d", used, int64(fuel))
	}
}

// TestMemoryLimit checks what a guest finds that asks for more memory than it may have.
func TestMemoryLimit(t *testing.T) {
	box := newSandbox(t)
	t.Run("memory.grow fails at the limit", func(t *testing.T) {
		exit := uint32(0)
		program := load(t, box, func(m *Module) {
			exit = m.Import("wasi_snapshot_preview1", "proc_exit", Types{I32}, nil)
			m.Memory(1, 0)
			// Grow page by page until that fails, then exit with the number of pages.
			m.Func("_start", nil, nil, nil,
				Loop(), Const(1), MemoryGrow, Const(-1), []byte{0x47}, BrIf(0), End, MemorySize, Call(exit))
		})
		result, err := box.Run(t.Context(), sandbox.Grant{Limits: sandbox.Limits{Memory: 2 << 20}}, program, sandbox.Command{})
		if err != nil {
			t.Fatal(err)
		}
		if result.ExitCode != 32 || result.PeakMemory != 2<<20 {
			t.Errorf("exit code %d, peak %d; want 32 pages and 2 MiB", result.ExitCode, result.PeakMemory)
		}
		if len(result.Hit) != 1 || result.Hit[0] != sandbox.LimitMemory {
			t.Errorf("limits hit = %v, want memory", result.Hit)
		}
	})
	t.Run("a guest that needs more from the start does not start", func(t *testing.T) {
		program := load(t, box, func(m *Module) {
			m.Memory(100, 0)
			m.Func("_start", nil, nil, nil)
		})
		_, err := box.Run(t.Context(), sandbox.Grant{Limits: sandbox.Limits{Memory: 1 << 20}}, program, sandbox.Command{})
		wantLimit(t, err, sandbox.LimitMemory)
	})
}

// TestOutputWithoutEnd checks that talking on is bounded in what is kept and in time.
func TestOutputWithoutEnd(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, func(m *Module) {
		write := wasi(m, "fd_write", Types{I32, I32, I32, I32})
		m.Memory(1, 1)
		m.AddData(0, iovec(64, 60_000))
		m.Func("_start", nil, nil, nil, forever(Const(1), Const(0), Const(1), Const(32), Call(write), Drop))
	})
	var out bytes.Buffer
	grant := sandbox.Grant{Limits: sandbox.Limits{Output: 1000}}
	result, err := box.Run(t.Context(), grant, program, sandbox.Command{Stdout: &out})
	wantLimit(t, err, sandbox.LimitOutput)
	if out.Len() != 1000 || !result.Truncated {
		t.Errorf("kept %d bytes, truncated %v; want 1000 and true", out.Len(), result.Truncated)
	}
}

// TestOutputBeyondItsLimitIsDropped checks that a guest that says a little too much still finishes.
func TestOutputBeyondItsLimitIsDropped(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, func(m *Module) {
		write := wasi(m, "fd_write", Types{I32, I32, I32, I32})
		m.Memory(1, 1)
		m.AddData(0, iovec(64, 50_000))
		m.Func("_start", nil, nil, nil, Const(1), Const(0), Const(1), Const(32), Call(write), Drop)
	})
	var out bytes.Buffer
	grant := sandbox.Grant{Limits: sandbox.Limits{Output: 1000}}
	result, err := box.Run(t.Context(), grant, program, sandbox.Command{Stdout: &out})
	if err != nil || result.ExitCode != 0 {
		t.Fatalf("exit code %d, error %v", result.ExitCode, err)
	}
	if out.Len() != 1000 || !result.Truncated || len(result.Hit) != 1 || result.Hit[0] != sandbox.LimitOutput {
		t.Errorf("kept %d bytes, result %+v", out.Len(), result)
	}
}

// TestFaultsAreTraps checks the error for guests that fail by themselves.
func TestFaultsAreTraps(t *testing.T) {
	box := newSandbox(t)
	for name, body := range map[string][]byte{
		"unreachable":   Unreachable,
		"out of bounds": Cat(Const(-8), []byte{0x28, 0x02, 0x00}, Drop),
		"divide":        Cat(Const(1), Const(0), []byte{0x6d}, Drop),
	} {
		t.Run(name, func(t *testing.T) {
			program := load(t, box, func(m *Module) {
				m.Memory(1, 1)
				m.Func("_start", nil, nil, nil, body)
			})
			_, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{})
			var trap *sandbox.TrapError
			if !errors.As(err, &trap) {
				t.Fatalf("error = %v, want a trap", err)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error has more than one line: %q", err)
			}
			wantHealthy(t, box)
		})
	}
}

// TestUnboundedRecursionIsAStackLimit checks that the host's stack is not the guest's to use up.
func TestUnboundedRecursionIsAStackLimit(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, func(m *Module) {
		m.Func("_start", nil, nil, nil, Call(0))
	})
	_, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{})
	wantLimit(t, err, sandbox.LimitStack)
	wantHealthy(t, box)
}

// TestOutputThatNobodyReads checks that the deadline holds against a host that has stopped reading.
func TestOutputThatNobodyReads(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, func(m *Module) {
		write := wasi(m, "fd_write", Types{I32, I32, I32, I32})
		m.Memory(1, 1)
		m.AddData(0, iovec(64, 1000))
		m.Func("_start", nil, nil, nil, Const(1), Const(0), Const(1), Const(32), Call(write), Drop)
	})
	r, w := io.Pipe()
	goroutines := runtime.NumGoroutine()
	const deadline = 100 * time.Millisecond
	inTime(t, deadline, func() {
		grant := sandbox.Grant{Limits: sandbox.Limits{Timeout: deadline}}
		_, err := box.Run(t.Context(), grant, program, sandbox.Command{Stdout: w})
		wantLimit(t, err, sandbox.LimitTimeout)
	})
	r.Close()
	wantGoroutines(t, goroutines)
}
