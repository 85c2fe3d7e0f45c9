package sandbox_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"openclaw/sandbox"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// greedyReactor grows its memory until it is ended, some calls deep.
func greedyReactor(m *Module) {
	m.Memory(1, 0)
	deep := uint32(0)
	m.Func("", Types{I32}, nil, nil, Get(0), If(), Get(0), Const(1), Sub, Call(deep), End, forever(Const(16), MemoryGrow, Drop))
	m.Func("openclaw_run", nil, Types{I32}, nil, Const(50), Call(deep), Const(0))
}

// hoarder opens its workspace until that fails, and then faults with everything open.
func hoarder(m *Module) {
	open := wasi(m, "path_open", Types{I32, I32, I32, I32, I32, I64, I64, I32, I32})
	m.Memory(1, 1)
	m.AddData(0, []byte("workspace"))
	m.Func("_start", nil, nil, nil,
		Loop(), Const(3), Const(0), Const(0), Const(9), Const(2), Const64(0), Const64(0), Const(0), Const(100), Call(open),
		Eqz, BrIf(0), End,
		Unreachable)
}

// TestAbruptEndsLeaveNothing ends guests in the middle of things, many times in one session, and counts what is left:
// descriptors, mappings, goroutines, and places among the session's open files.
func TestAbruptEndsLeaveNothing(t *testing.T) {
	box := newSandbox(t)
	reactor, hoarding := load(t, box, greedyReactor), load(t, box, hoarder)
	session, err := box.Open(workspace(t.TempDir(), sandbox.Limits{Memory: 4 << 20, Handles: 100}))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	round := func() {
		_, err := session.Run(t.Context(), reactor, sandbox.Command{})
		wantLimit(t, err, sandbox.LimitMemory)
		result, err := session.Run(t.Context(), hoarding, sandbox.Command{})
		if err == nil || len(result.Hit) != 1 || result.Hit[0] != sandbox.LimitHandles {
			t.Fatalf("result %+v, error %v; want a fault, after as many open files as are allowed", result, err)
		}
	}
	round()
	runtime.GC()
	goroutines, files, maps := runtime.NumGoroutine(), openFiles(t), mappings()
	for range 50 {
		round()
	}
	runtime.GC()
	wantGoroutines(t, goroutines)
	if now := openFiles(t); now > files {
		t.Errorf("%d files are open, before there were %d", now, files)
	}
	if now := mappings(); now > maps+20 {
		t.Errorf("%d mappings, before there were %d", now, maps)
	}
}

// mappings counts the ranges of memory that this process has from the system, where the system tells.
func mappings() int {
	data, _ := os.ReadFile("/proc/self/maps")
	return bytes.Count(data, []byte("\n"))
}

// TestEveryCallSeesTheSameFuel runs one guest many times at once: what it takes does not depend on who else runs.
func TestEveryCallSeesTheSameFuel(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, fileLoop(50))
	session, err := box.Open(workspace(t.TempDir(), sandbox.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	const calls = 64
	fuel := make(chan int64, calls)
	for range calls {
		go func() {
			result, err := session.Run(t.Context(), program, sandbox.Command{})
			if err != nil {
				t.Error(err)
				fuel <- 0
				return
			}
			fuel <- result.Fuel
		}()
	}
	want := <-fuel
	for range calls - 1 {
		if got := <-fuel; got != want {
			t.Errorf("fuel %d and %d", got, want)
		}
	}
}

// TestChangesOfAMountInAMount checks the paths in a result where mounts nest.
func TestChangesOfAMountInAMount(t *testing.T) {
	outer := t.TempDir()
	inner := filepath.Join(t.TempDir(), "inner")
	must(t, os.Mkdir(inner, 0o755))
	grant := workspace(outer, sandbox.Limits{})
	grant.Mounts = append(grant.Mounts, sandbox.Mount{Guest: "/workspace/in", Host: inner, Access: sandbox.ReadWrite})
	box := newSandbox(t)
	result, err := box.Run(t.Context(), grant, load(t, box, pathCall("path_create_directory", "workspace/in/made")), sandbox.Command{})
	if err != nil || result.ExitCode != 0 || len(result.Changed) != 1 || result.Changed[0] != "/workspace/in/made" {
		t.Errorf("result %+v, %v", result, err)
	}
}
