package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"openclaw/sandbox"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// TestDirectoryOfACommandMustBeThere checks that no program starts in a directory that the guest's tree does not have, and
// that it is the guest's tree which counts.
func TestDirectoryOfACommandMustBeThere(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, exiting(7))
	host := t.TempDir()
	if err := os.MkdirAll(filepath.Join(host, "sub", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(host, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"in": "sub", "out": t.TempDir(), "dangling": "nothing", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(host, name)); err != nil {
			t.Skip(err)
		}
	}
	session, err := box.Open(sandbox.Grant{Tmp: true, Mounts: []sandbox.Mount{{Guest: "/workspace", Host: host}}})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	const missing, noDirectory = "No such file or directory", "Not a directory"
	for dir, reason := range map[string]string{
		"":                       "",
		"/":                      "",
		"//":                     "",
		"/tmp":                   "",
		"/workspace":             "",
		"/workspace/":            "",
		"/workspace/sub/../sub/": "",
		"/workspace/in/deep":     "",
		"/workspace/..":          "",
		"/nope":                  missing,
		"/workspace/nope":        missing,
		"/workspace/dangling":    missing,
		"/workspace/file":        noDirectory,
		"/workspace/file/x":      noDirectory,
		"/workspace/loop":        "Too many levels of symbolic links",
		host:                     missing,
		"/workspace/out":         "out\": bad command: ",
	} {
		result, err := session.Run(t.Context(), program, sandbox.Command{Dir: dir})
		if reason == "" {
			if err != nil || result.ExitCode != 7 {
				t.Errorf("%q: result %+v, error %v", dir, result, err)
			}
			continue
		}
		var typed *sandbox.DirectoryError
		if !errors.As(err, &typed) || !errors.Is(err, sandbox.ErrBadCommand) || !errors.Is(err, sandbox.ErrNoDirectory) || typed.Dir != dir {
			t.Errorf("%q: error %T %v", dir, err, err)
			continue
		}
		if !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%q: error %q does not say the directory and %q", dir, err, reason)
		}
	}
}

func TestNoProgramIsABadCommand(t *testing.T) {
	box := newSandbox(t)
	if _, err := box.Run(t.Context(), sandbox.Grant{}, nil, sandbox.Command{}); !errors.Is(err, sandbox.ErrBadCommand) {
		t.Errorf("error %v, want a bad command", err)
	}
}

// TestProgressTellsOfFailure checks that a caller can tell a program that compiled from one that did not.
func TestProgressTellsOfFailure(t *testing.T) {
	m := &Module{}
	exiting(0)(m)
	for name, c := range map[string]struct {
		module []byte
		want   error
	}{
		"a program":  {m.Encode(), nil},
		"no program": {[]byte("text"), sandbox.ErrNotWasm},
	} {
		t.Run(name, func(t *testing.T) {
			var steps []sandbox.Progress
			engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{
				CacheDir: sandbox.NoCache, Progress: func(p sandbox.Progress) { steps = append(steps, p) },
			})
			if err != nil {
				t.Fatal(err)
			}
			defer engine.Close(t.Context())
			_, failed := engine.Load(t.Context(), sandbox.Module(name, c.module))
			if len(steps) != 2 || steps[0].Done || steps[0].Err != nil || !steps[1].Done {
				t.Fatalf("progress %+v, want a beginning and an end", steps)
			}
			if err := steps[1].Err; !errors.Is(err, c.want) || err != failed {
				t.Errorf("ended with %v, Load with %v, want %v", err, failed, c.want)
			}
		})
	}
}

// telling is a guest that exits with the types of its first three descriptors, a bit for each that is a character device.
func telling(m *Module) {
	describe := wasi(m, "fd_fdstat_get", Types{I32, I32})
	exit := m.Import("wasi_snapshot_preview1", "proc_exit", Types{I32}, nil)
	load8 := []byte{0x2d, 0, 0}
	const characterDevice, size = 2, 32
	isTerminal := func(fd int32) []byte {
		return Cat(Const(fd), Const(fd*size), Call(describe), Drop, Const(fd*size), load8, Const(characterDevice), []byte{0x46}, Const(1<<fd), Mul)
	}
	m.Memory(1, 1)
	m.Func("_start", nil, nil, nil, isTerminal(0), isTerminal(1), Add, isTerminal(2), Add, Call(exit))
}

// TestOtherDevicesAreNoTerminals checks that a guest does not wait for a user where there is none.
func TestOtherDevicesAreNoTerminals(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, telling)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	var none *os.File
	for name, cmd := range map[string]sandbox.Command{
		"nothing":            {},
		"the null device":    {Stdin: null, Stdout: null, Stderr: null},
		"a reader in memory": {Stdin: strings.NewReader("")},
		"no file":            {Stdout: none},
	} {
		if result, err := box.Run(t.Context(), sandbox.Grant{}, program, cmd); err != nil || result.ExitCode != 0 {
			t.Errorf("%s: result %+v, error %v, want no terminals", name, result, err)
		}
	}
}

// TestMemoryEndsACommandOnlyThroughItsOwnFault checks what becomes of a command that asked for more memory than there is: its
// own exit stands, and its fault is told as what it is.
func TestMemoryEndsACommandOnlyThroughItsOwnFault(t *testing.T) {
	box := newSandbox(t)
	grant := sandbox.Grant{Limits: sandbox.Limits{Memory: sandbox.MinMemory}}
	greedy := func(then ...[]byte) func(m *Module) {
		return func(m *Module) {
			exit := m.Import("wasi_snapshot_preview1", "proc_exit", Types{I32}, nil)
			m.Memory(1, 0)
			m.Func("_start", nil, nil, nil, Const(100), MemoryGrow, Drop, Cat(then...), Const(3), Call(exit))
		}
	}
	result, err := box.Run(t.Context(), grant, load(t, box, greedy()), sandbox.Command{})
	if err != nil || result.ExitCode != 3 || !slices.Equal(result.Hit, []sandbox.Limit{sandbox.LimitMemory}) {
		t.Errorf("a command that exits: result %+v, error %v", result, err)
	}
	result, err = box.Run(t.Context(), grant, load(t, box, greedy(Unreachable)), sandbox.Command{})
	wantLimit(t, err, sandbox.LimitMemory)
	if !slices.Equal(result.Hit, []sandbox.Limit{sandbox.LimitMemory}) {
		t.Errorf("a command that traps: result %+v", result)
	}
}
