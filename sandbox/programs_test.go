package sandbox_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"openclaw/sandbox"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// assemble encodes a guest.
func assemble(build func(m *Module)) []byte {
	m := &Module{}
	build(m)
	return m.Encode()
}

// named makes a program of a guest.
func named(name string, build func(m *Module)) sandbox.NamedProgram {
	return sandbox.NamedProgram{Name: name, Source: sandbox.Module(name, assemble(build))}
}

// spawnRequest asks for a program with the guest's own standard streams.
func spawnRequest(name string, args ...string) []byte {
	var b []byte
	for _, n := range []int{0o22, len(name), 0, 1 + len(args), 0, 3, 0, 0, 1, 1, 2, 2} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, name...)
	for _, a := range append([]string{name}, args...) {
		b = append(b, a+"\x00"...)
	}
	return b
}

// Where spawner keeps what it works with.
const (
	atRequest = 1024
	atProcess = 16
	atStatus  = 24
	atVector  = 32
	atCount   = 40
	atSub     = 64
	atEvent   = 128
)

// spawner starts a program some times, then waits for the last one and exits with its status, or with the error number of a spawn
// that failed. With wait false it exits at once, with 0.
func spawner(name string, times int32, wait bool) func(m *Module) {
	return requesting(spawnRequest(name), times, wait)
}

func requesting(request []byte, times int32, wait bool) func(m *Module) {
	return func(m *Module) {
		spawn := m.Import("openclaw_v1", "spawn", Types{I32, I32, I32}, Types{I32})
		poll := wasi(m, "poll_oneoff", Types{I32, I32, I32, I32})
		read := wasi(m, "fd_read", Types{I32, I32, I32, I32})
		exit := m.Import("wasi_snapshot_preview1", "proc_exit", Types{I32}, nil)
		m.Memory(1, 1)
		m.AddData(atRequest, request)
		m.AddData(atVector, iovec(atStatus, 4))
		m.AddData(atSub+8, []byte{1}) // fd_read
		load, store := Op(0x28, 2, 0), Op(0x36, 2, 0)
		body := Cat(
			Const(times), Set(0),
			Loop(),
			Const(atRequest), Const(int32(len(request))), Const(atProcess), Call(spawn), Tee(1),
			If(), Get(1), Call(exit), End,
			Get(0), Const(1), Sub, Tee(0), BrIf(0),
			End,
		)
		if wait {
			body = Cat(body,
				Const(atSub+16), Const(atProcess), load, store,
				Const(atSub), Const(atEvent), Const(1), Const(atCount), Call(poll), Drop,
				Const(atProcess), load, Const(atVector), Const(1), Const(atCount), Call(read), Drop,
				Const(atStatus), load, Call(exit),
			)
		}
		m.Func("_start", nil, nil, Locals(I32, 2), body)
	}
}

// family runs a guest that may start the given programs.
func family(t *testing.T, limits sandbox.Limits, root func(m *Module), programs ...sandbox.NamedProgram) (*sandbox.Result, string, error) {
	t.Helper()
	box := newSandbox(t)
	program := load(t, box, root)
	var out bytes.Buffer
	result, err := box.Run(t.Context(), sandbox.Grant{Limits: limits, Programs: programs}, program, sandbox.Command{Stdout: &out, Stderr: &out})
	return result, out.String(), err
}

func TestStatusOfAProgram(t *testing.T) {
	trap := func(body ...[]byte) func(m *Module) {
		return func(m *Module) {
			m.Memory(1, 1)
			m.Func("_start", nil, nil, nil, body...)
		}
	}
	for name, c := range map[string]struct {
		program func(m *Module)
		change  func(p *sandbox.NamedProgram)
		status  int
		says    string
		hit     []sandbox.Limit
	}{
		"exit":                    {program: exiting(7), status: 7},
		"exit beyond a byte":      {program: exiting(0x103), status: 3},
		"end":                     {program: trap(), status: 0},
		"trap":                    {program: trap(Unreachable), status: 134, says: "prog: "},
		"access out of bounds":    {program: trap(Const(-1), Op(0x28, 2, 0), Drop), status: 139, says: "prog: out of bounds memory access"},
		"recursion without bound": {program: endless, status: 125, says: "prog: stack limit reached", hit: []sandbox.Limit{sandbox.LimitStack}},
		"memory of a reactor":     {program: greedyReactor, status: 125, says: "prog: memory limit of 4MiB reached", hit: []sandbox.Limit{sandbox.LimitMemory}},
		"own timeout": {
			program: func(m *Module) { m.Func("_start", nil, nil, nil, forever()) },
			change:  func(p *sandbox.NamedProgram) { p.Limits.Timeout = 50 * time.Millisecond },
			status:  124, says: "prog: timeout limit of 50ms reached", hit: []sandbox.Limit{sandbox.LimitTimeout},
		},
		"own fuel": {
			program: func(m *Module) { m.Func("_start", nil, nil, nil, forever()) },
			change:  func(p *sandbox.NamedProgram) { p.Limits.Fuel = 1 << 20 },
			status:  125, says: "prog: fuel limit of 1048576 reached", hit: []sandbox.Limit{sandbox.LimitFuel},
		},
		"own memory": {
			program: greedyReactor,
			change:  func(p *sandbox.NamedProgram) { p.Limits.Memory = 2 << 20 },
			status:  125, says: "memory limit of 2MiB", hit: []sandbox.Limit{sandbox.LimitMemory},
		},
		"no module": {
			program: exiting(0),
			change:  func(p *sandbox.NamedProgram) { p.Source = sandbox.Module("prog", []byte("#!/bin/sh")) },
			status:  126, says: "prog: cannot be run: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := named("prog", c.program)
			if c.change != nil {
				c.change(&p)
			}
			result, out, err := family(t, sandbox.Limits{Memory: 4 << 20}, spawner("prog", 1, true), p)
			if err != nil || result.ExitCode != c.status || !strings.Contains(out, c.says) {
				t.Fatalf("status %+v, %v, output %q; want %d and %q", result, err, out, c.status, c.says)
			}
			if (c.says == "") != (out == "") || strings.Count(out, "\n") > 1 {
				t.Errorf("output %q", out)
			}
			if !slices.Equal(result.Hit, c.hit) {
				t.Errorf("it ran into %v, want %v", result.Hit, c.hit)
			}
		})
	}
}

// endless calls itself.
func endless(m *Module) { m.Func("_start", nil, nil, nil, Call(0)) }

func TestProgramsEndWithTheirCall(t *testing.T) {
	spinning := named("spin", func(m *Module) { m.Func("_start", nil, nil, nil, forever()) })
	runtime.GC()
	goroutines := runtime.NumGoroutine()
	for name, c := range map[string]struct {
		limits sandbox.Limits
		wait   bool
		limit  sandbox.Limit
	}{
		"that is over":             {},
		"that its deadline ended":  {limits: sandbox.Limits{Timeout: 100 * time.Millisecond}, wait: true, limit: sandbox.LimitTimeout},
		"whose fuel they used up":  {limits: sandbox.Limits{Fuel: 50 << 20}, wait: true, limit: sandbox.LimitFuel},
		"whose memory is not more": {limits: sandbox.Limits{Memory: 1 << 20, MemoryTotal: 1 << 20}, limit: ""},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, 5*time.Second, func() {
				result, _, err := family(t, c.limits, spawner("spin", 8, c.wait), spinning)
				if c.limit != "" {
					wantLimit(t, err, c.limit)
					return
				}
				if err != nil || result.ExitCode != 0 {
					t.Errorf("result %+v, %v", result, err)
				}
			})
		})
	}
	wantGoroutines(t, goroutines+2) // the engine's, of the last run
}

func TestNumberAndDepthOfProgramsAreLimited(t *testing.T) {
	const eagain, enoent = 6, 44
	spinning := named("spin", func(m *Module) { m.Func("_start", nil, nil, nil, forever()) })
	result, _, err := family(t, sandbox.Limits{Programs: 3}, spawner("spin", 4, true), spinning)
	if err != nil || result.ExitCode != eagain || !slices.Equal(result.Hit, []sandbox.Limit{sandbox.LimitPrograms}) {
		t.Errorf("the fourth of three: %+v, %v", result, err)
	}
	result, _, err = family(t, sandbox.Limits{}, spawner("self", 1, true), named("self", spawner("self", 1, true)))
	if err != nil || result.ExitCode != enoent {
		t.Errorf("a program that starts itself: %+v, %v; want status %d from the deepest", result, err, enoent)
	}
	result, _, err = family(t, sandbox.Limits{}, spawner("other", 1, true), spinning)
	if err != nil || result.ExitCode != enoent {
		t.Errorf("a program that is not granted: %+v, %v", result, err)
	}
}

func TestMemoryOfAllGuestsTogetherIsLimited(t *testing.T) {
	big := named("big", func(m *Module) {
		m.Memory(64, 0) // 4 MiB
		m.Func("_start", nil, nil, nil, forever())
	})
	limits := sandbox.Limits{MemoryTotal: 10 << 20, Memory: 8 << 20, Timeout: 500 * time.Millisecond}
	result, out, err := family(t, limits, spawner("big", 3, true), big) // whichever comes last is not let in
	if result.ExitCode != 125 {                                         // else the one that the guest waits for came last; the two others run on
		wantLimit(t, err, sandbox.LimitTimeout)
	}
	if out != "big: memory limit of 10MiB reached\n" || !slices.Contains(result.Hit, sandbox.LimitMemory) {
		t.Errorf("result %+v, output %q", result, out)
	}
}

// TestLoadingIsNotTheCallsTime loads a program for longer than the call may take.
func TestLoadingIsNotTheCallsTime(t *testing.T) {
	const timeout = 100 * time.Millisecond
	var opened atomic.Int32
	slow := named("slow", exiting(5))
	open := slow.Source.Open
	slow.Source.Open = func() ([]byte, error) {
		opened.Add(1)
		time.Sleep(3 * timeout) // what a compilation takes
		return open()
	}
	result, _, err := family(t, sandbox.Limits{Timeout: timeout}, spawner("slow", 1, true), slow)
	if err != nil || result.ExitCode != 5 || opened.Load() != 1 {
		t.Errorf("result %+v, %v", result, err)
	}
	broken := slow
	broken.Source = sandbox.Source{Name: "slow", Open: func() ([]byte, error) {
		opened.Add(1)
		return nil, errors.New("it is gone")
	}}
	opened.Store(0)
	result, out, err := family(t, sandbox.Limits{Timeout: timeout}, spawner("slow", 4, true), broken)
	if err != nil || result.ExitCode != 126 || !strings.Contains(out, "slow: cannot be run: ") {
		t.Errorf("result %+v, %v, output %q", result, err, out)
	}
}

func TestGrantOfPrograms(t *testing.T) {
	good := named("prog", exiting(0))
	change := func(f func(p *sandbox.NamedProgram)) []sandbox.NamedProgram {
		p := good
		f(&p)
		return []sandbox.NamedProgram{p}
	}
	for name, programs := range map[string][]sandbox.NamedProgram{
		"no name":                         change(func(p *sandbox.NamedProgram) { p.Name = "" }),
		"a path":                          change(func(p *sandbox.NamedProgram) { p.Name = "a/b" }),
		"an option":                       change(func(p *sandbox.NamedProgram) { p.Name = "-x" }),
		"twice":                           {good, good},
		"no source":                       change(func(p *sandbox.NamedProgram) { p.Source = sandbox.Source{} }),
		"a bad variable":                  change(func(p *sandbox.NamedProgram) { p.Env = []string{"X"} }),
		"a NUL":                           change(func(p *sandbox.NamedProgram) { p.Args = []string{"\x00"} }),
		"a limit that is not a program's": change(func(p *sandbox.NamedProgram) { p.Limits.Disk = 1 }),
		"a negative limit":                change(func(p *sandbox.NamedProgram) { p.Limits.Fuel = -1 }),
		"a writable mount": change(func(p *sandbox.NamedProgram) {
			p.Mounts = []sandbox.Mount{{Guest: "/lib", Host: t.TempDir(), Access: sandbox.ReadWrite}}
		}),
		"a mount over the session's": change(func(p *sandbox.NamedProgram) {
			p.Mounts = []sandbox.Mount{{Guest: "/tmp", Host: t.TempDir()}}
		}),
		"too many": slices.Repeat([]sandbox.NamedProgram{good}, sandbox.MaxPrograms+1),
	} {
		t.Run(name, func(t *testing.T) {
			grant := sandbox.Grant{Tmp: true, Programs: programs}
			if err := grant.Check(); !errors.Is(err, sandbox.ErrBadGrant) {
				t.Errorf("Check = %v, want ErrBadGrant", err)
			}
		})
	}
	if err := (sandbox.Grant{Programs: []sandbox.NamedProgram{good}}).Check(); err != nil {
		t.Errorf("Check = %v", err)
	}
}

// TestPathsOfTheGuestsOwnFilesBeforeItHasAny names files of /dev/fd where the host looks for a path before the guest begins.
func TestPathsOfTheGuestsOwnFilesBeforeItHasAny(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, exiting(0))
	for _, dir := range []string{"/dev/fd/0", "/dev/fd/0/..", "/dev/stdin"} {
		if _, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{Dir: dir}); !errors.Is(err, sandbox.ErrNoDirectory) {
			t.Errorf("%s: %v, want ErrNoDirectory", dir, err)
		}
	}
	interpreter := named("prog", exiting(4))
	interpreter.Script = "c"
	for _, script := range []string{"dev/fd/0", "../dev/fd/3", "dev/stdin"} {
		result, _, err := family(t, sandbox.Limits{}, requesting(spawnRequest("prog", script), 1, true), interpreter)
		if err != nil || result.ExitCode != 4 {
			t.Errorf("script %s: %+v, %v", script, result, err)
		}
	}
}

func TestPanicOfASourceEndsTheCall(t *testing.T) {
	bad := named("bad", exiting(0))
	bad.Source.Open = func() ([]byte, error) { panic("out of order") }
	_, _, err := family(t, sandbox.Limits{}, spawner("bad", 1, true), bad)
	if err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("error = %v, want the panic", err)
	}
}
