package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/sandbox"
	"openclaw/sandbox/internal/wasm"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// TestEngineCloseEndsCalls closes an engine while guests run on it: they end, with that as the reason, and Close waits for it.
func TestEngineCloseEndsCalls(t *testing.T) {
	engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{CacheDir: sandbox.NoCache})
	if err != nil {
		t.Fatal(err)
	}
	box := sandbox.New(engine)
	program := load(t, box, tellsAndLoops)
	const calls = 8
	running := &barrier{want: calls, reached: make(chan struct{})}
	failed := make(chan error, calls)
	for range calls {
		go func() {
			_, err := box.Run(context.Background(), sandbox.Grant{}, program, sandbox.Command{Stdout: running})
			failed <- err
		}()
	}
	<-running.reached
	if err := engine.Close(t.Context()); err != nil {
		t.Errorf("close: %v", err)
	}
	for range calls {
		if err := <-failed; !errors.Is(err, sandbox.ErrClosed) {
			t.Errorf("a call that ran: %v, want that the engine was closed", err)
		}
	}
	if _, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{}); !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("a call afterwards: %v", err)
	}
	if _, err := box.Load(t.Context(), sandbox.Module("x", nil)); !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("a load afterwards: %v", err)
	}
	if err := engine.Close(t.Context()); err != nil {
		t.Errorf("close again: %v", err)
	}
}

// tellsAndLoops is a guest that writes one byte and then loops.
func tellsAndLoops(m *Module) {
	write := wasi(m, "fd_write", Types{I32, I32, I32, I32})
	m.Memory(1, 1)
	m.AddData(0, iovec(64, 1))
	m.Func("_start", nil, nil, nil, Const(1), Const(0), Const(1), Const(32), Call(write), Drop, forever())
}

// barrier is a writer that tells when it has been written to often enough.
type barrier struct {
	mu      sync.Mutex
	n, want int
	reached chan struct{}
}

func (b *barrier) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n++; b.n == b.want {
		close(b.reached)
	}
	return len(p), nil
}

// TestSessionCloseDuringCalls closes a session while 64 guests use its files: they end in an orderly way, whatever their
// files tell them.
func TestSessionCloseDuringCalls(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, fileLoop(100))
	goroutines := runtime.NumGoroutine()
	files := openFiles(t)
	for range 4 {
		session, err := box.Open(sandbox.Grant{Tmp: true, Mounts: []sandbox.Mount{
			{Guest: "/workspace", Host: t.TempDir(), Access: sandbox.ReadWrite},
		}})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				if i == 32 {
					if err := session.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
				}
				_, err := session.Run(t.Context(), program, sandbox.Command{})
				if err != nil && !errors.Is(err, sandbox.ErrClosed) {
					t.Errorf("error %v", err)
				}
			})
		}
		wg.Wait()
	}
	wantGoroutines(t, goroutines)
	if now := openFiles(t); now > files {
		t.Errorf("%d files are open, before there were %d", now, files)
	}
}

// fileLoop is a guest that makes, writes, renames, lists and removes a file over and over, and does not mind errors.
func fileLoop(rounds int32) func(m *Module) {
	return func(m *Module) {
		open := wasi(m, "path_open", Types{I32, I32, I32, I32, I32, I64, I64, I32, I32})
		write := wasi(m, "fd_write", Types{I32, I32, I32, I32})
		closing := wasi(m, "fd_close", Types{I32})
		rename := wasi(m, "path_rename", Types{I32, I32, I32, I32, I32, I32})
		unlink := wasi(m, "path_unlink_file", Types{I32, I32, I32})
		stat := wasi(m, "path_filestat_get", Types{I32, I32, I32, I32, I32})
		const from, to, size = 0, 64, 15
		m.Memory(1, 1)
		m.AddData(from, []byte("workspace/one/x"))
		m.AddData(to, []byte("workspace/two/y"))
		m.AddData(128, iovec(0, 100))
		m.Func("_start", nil, nil, Locals(I32, 1),
			Loop(),
			Const(3), Const(0), Const(from+0), Const(size-4), Const(1), Const64(1<<6), Const64(0), Const(0), Const(200), Call(open), Drop,
			Const(200), []byte{0x28, 2, 0}, Const(128), Const(1), Const(204), Call(write), Drop,
			Const(200), []byte{0x28, 2, 0}, Call(closing), Drop,
			Const(3), Const(from), Const(size-4), Const(3), Const(to), Const(size-4), Call(rename), Drop,
			Const(3), Const(0), Const(to), Const(size-4), Const(256), Call(stat), Drop,
			Const(3), Const(to), Const(size-4), Call(unlink), Drop,
			Get(0), Const(1), Add, Tee(0), Const(rounds), LtU, BrIf(0), End)
	}
}

// openFiles counts this process's descriptors, where the system tells.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// TestErrorOfACallIsTheCauseOfItsContext checks that a caller gets back the reason it gave for ending a call.
func TestErrorOfACallIsTheCauseOfItsContext(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, tellsAndLoops)
	why := errors.New("the user has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	running := &barrier{want: 1, reached: make(chan struct{})}
	go func() {
		<-running.reached
		cancel(why)
	}()
	result, err := box.Run(ctx, sandbox.Grant{}, program, sandbox.Command{Stdout: running})
	var trap *sandbox.TrapError
	if !errors.Is(err, why) || errors.As(err, &trap) || result == nil || result.Fuel == 0 {
		t.Errorf("result %+v, error %T %v; want the cause", result, err, err)
	}
}

// TestLoadIsNotSpoiltByWhoGivesUp checks that a program loads for one caller when another, who began to load it, gives up.
func TestLoadIsNotSpoiltByWhoGivesUp(t *testing.T) {
	box := newSandbox(t)
	m := &Module{}
	exiting(7)(m)
	src := sandbox.Module("guest", m.Encode())
	open := src.Open
	opened, goOn := make(chan struct{}), make(chan struct{})
	slow := src
	ctx, cancel := context.WithCancel(t.Context())
	slow.Open = func() ([]byte, error) {
		close(opened)
		<-goOn
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return open()
	}
	first := make(chan error, 1)
	go func() {
		_, err := box.Load(ctx, slow)
		first <- err
	}()
	<-opened
	second := make(chan error, 1)
	go func() {
		_, err := box.Load(t.Context(), src)
		second <- err
	}()
	cancel()
	close(goOn)
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up: %v", err)
	}
	if err := <-second; err != nil {
		t.Errorf("who did not: %v", err)
	}
}

// TestGreedyModulesAtLoad checks modules that ask for more than there is before they are given anything.
func TestGreedyModulesAtLoad(t *testing.T) {
	box := newSandbox(t)
	t.Run("a reactor with much memory", func(t *testing.T) {
		m := &Module{}
		m.Memory(5000, 0)
		m.Func("_initialize", nil, nil, nil)
		m.Func("openclaw_run", nil, Types{I32}, nil, Const(0))
		_, err := box.Load(t.Context(), sandbox.Module("guest", m.Encode()))
		if !errors.Is(err, sandbox.ErrBadModule) || !strings.Contains(err.Error(), "memory") {
			t.Errorf("error %v, want that it needs too much memory", err)
		}
	})
	t.Run("a command with all memory", func(t *testing.T) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		program := load(t, box, func(m *Module) {
			m.Memory(wasm.MaxPages, 0)
			m.AddData(1000, []byte("some data"))
			m.Func("_start", nil, nil, nil)
		})
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
			t.Errorf("loading took %d bytes of memory", took)
		}
		_, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{})
		wantLimit(t, err, sandbox.LimitMemory)
	})
	wantHealthy(t, box)
}

// TestLaterVariableCounts checks that a guest finds each variable once: libraries differ in which of two they take.
func TestLaterVariableCounts(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, func(m *Module) {
		get := wasi(m, "environ_get", Types{I32, I32})
		write := wasi(m, "fd_write", Types{I32, I32, I32, I32})
		m.Memory(1, 1)
		m.AddData(0, iovec(1000, 60))
		m.Func("_start", nil, nil, nil, Const(500), Const(1000), Call(get), Drop,
			Const(1), Const(0), Const(1), Const(32), Call(write), Drop)
	})
	var out bytes.Buffer
	grant := sandbox.Grant{Env: []string{"A=grant", "B=grant", "PWD=/elsewhere"}}
	_, err := box.Run(t.Context(), grant, program, sandbox.Command{Env: []string{"A=command"}, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimRight(out.String(), "\x00"); got != "A=command\x00B=grant\x00PWD=/" {
		t.Errorf("environment %q", got)
	}
}

// TestBadCommands checks what is refused before anything runs.
func TestBadCommands(t *testing.T) {
	box := newSandbox(t)
	program := load(t, box, exiting(0))
	for name, cmd := range map[string]sandbox.Command{
		"argument with NUL":  {Args: []string{"a\x00b"}},
		"variable without =": {Env: []string{"NAME"}},
		"variable with NUL":  {Env: []string{"NAME=a\x00B=c"}},
		"relative directory": {Dir: "work"},
		"directory with NUL": {Dir: "/work\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := box.Run(t.Context(), sandbox.Grant{}, program, cmd); !errors.Is(err, sandbox.ErrBadCommand) {
				t.Errorf("error %v, want a bad command", err)
			}
		})
	}
}

// TestBadMounts checks grants whose mounts cannot be meant, all at the latest when the session is opened.
func TestBadMounts(t *testing.T) {
	box := newSandbox(t)
	dir := t.TempDir()
	for name, grant := range map[string]sandbox.Grant{
		"over the devices":       {Mounts: []sandbox.Mount{{Guest: "/dev", Host: dir}}},
		"among the devices":      {Mounts: []sandbox.Mount{{Guest: "/dev/null", Host: dir}}},
		"over /tmp":              {Tmp: true, Mounts: []sandbox.Mount{{Guest: "/tmp", Host: dir}}},
		"NUL":                    {Mounts: []sandbox.Mount{{Guest: "/a\x00b", Host: dir}}},
		"unknown access":         {Mounts: []sandbox.Mount{{Guest: "/a", Host: dir, Access: 7}}},
		"unknown hard links":     {Mounts: []sandbox.Mount{{Guest: "/a", Host: dir, HardLinks: 256}}},
		"protection with ..":     {Mounts: []sandbox.Mount{{Guest: "/a", Host: dir, Protect: []string{"../x"}}}},
		"protection of nothing":  {Mounts: []sandbox.Mount{{Guest: "/a", Host: dir, Protect: []string{""}}}},
		"mounted twice":          {Mounts: []sandbox.Mount{{Guest: "/a", Host: dir}, {Guest: "/a", Host: dir}}},
		"a name that is no name": {Mounts: []sandbox.Mount{{Guest: "/" + strings.Repeat("x", 300), Host: dir}}},
	} {
		t.Run(name, func(t *testing.T) {
			session, err := box.Open(grant)
			if err == nil {
				session.Close()
			}
			if !errors.Is(err, sandbox.ErrBadGrant) {
				t.Errorf("error %v, want a bad grant", err)
			}
		})
	}
}

// TestCacheIsOutOfReachThroughLinks checks that no guest can put its own code where the next process looks for compiled
// programs, whichever way that place is named.
func TestCacheIsOutOfReachThroughLinks(t *testing.T) {
	home := t.TempDir()
	for _, d := range []string{"real", "way"} {
		if err := os.Mkdir(filepath.Join(home, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{".cache": "way/there", "way/there": "../real"} {
		if err := os.Symlink(target, filepath.Join(home, name)); err != nil {
			t.Skip(err)
		}
	}
	cache := filepath.Join(home, ".cache", "openclaw")
	engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close(t.Context())
	box := sandbox.New(engine)
	grant := sandbox.Grant{Mounts: []sandbox.Mount{{Guest: "/home", Host: home, Access: sandbox.ReadWrite, Protect: []string{}}}}
	for _, name := range []string{".cache", "way/there", "real/openclaw"} {
		removing := load(t, box, pathCall("path_unlink_file", "home/"+name))
		moving := load(t, box, renaming("home/"+name, "home/away"))
		for what, program := range map[string]*sandbox.Program{"unlink": removing, "rename": moving} {
			result, err := box.Run(t.Context(), grant, program, sandbox.Command{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(filepath.Join(home, name)); err != nil || result.ExitCode == 0 {
				t.Errorf("%s %s: exit code %d, %v", what, name, result.ExitCode, err)
			}
		}
	}
	for _, name := range []string{"way", "real"} {
		if result, err := box.Run(t.Context(), grant, load(t, box, renaming("home/"+name, "home/away")), sandbox.Command{}); err != nil || result.ExitCode == 0 {
			t.Errorf("rename %s: result %+v, %v", name, result, err)
		}
	}
}

// pathCall is a guest that makes one call on a path and exits with its errno.
func pathCall(name, path string) func(m *Module) {
	return func(m *Module) {
		call := wasi(m, name, Types{I32, I32, I32})
		exit := m.Import("wasi_snapshot_preview1", "proc_exit", Types{I32}, nil)
		m.Memory(1, 1)
		m.AddData(0, []byte(path))
		m.Func("_start", nil, nil, nil, Const(3), Const(0), Const(int32(len(path))), Call(call), Call(exit))
	}
}

// renaming is a guest that renames a path and exits with the errno.
func renaming(from, to string) func(m *Module) {
	return func(m *Module) {
		rename := wasi(m, "path_rename", Types{I32, I32, I32, I32, I32, I32})
		exit := m.Import("wasi_snapshot_preview1", "proc_exit", Types{I32}, nil)
		m.Memory(1, 1)
		m.AddData(0, []byte(from))
		m.AddData(1000, []byte(to))
		m.Func("_start", nil, nil, nil, Const(3), Const(0), Const(int32(len(from))),
			Const(3), Const(1000), Const(int32(len(to))), Call(rename), Call(exit))
	}
}

// TestLoadEndsWithItsContext checks that a module that takes long to compile need not be waited for.
func TestLoadEndsWithItsContext(t *testing.T) {
	box := newSandbox(t)
	m := &Module{}
	const loops, locals = 100, 400
	body := []byte{}
	for range loops {
		body = append(body, Loop()...)
	}
	for i := range uint32(locals) {
		body = append(body, Cat(Get(i), Const(1), Add, Set(i))...)
	}
	for range loops {
		body = append(body, Cat(Const(0), BrIf(0), End)...)
	}
	m.Func("_start", nil, nil, Locals(I32, locals), body)
	for range 200 {
		m.Func("", nil, nil, Locals(I32, locals), body)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	_, err := box.Load(ctx, sandbox.Module("slow", m.Encode()))
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sandbox.ErrBadModule) {
		t.Errorf("error %v, want that of the context", err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}
