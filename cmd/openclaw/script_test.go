package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"openclaw/sandbox"
	"openclaw/toolwasm"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"openclaw": main})
}

// TestScripts runs the command as a user does. The compiled toolbox is shared between scripts, and with the user, through
// the ordinary cache; a script that wants a fresh one sets XDG_CACHE_HOME itself.
func TestScripts(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	compileToolbox(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "device" {
				return mknod(filepath.Join(t.TempDir(), "device")) == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"hostile":   makeHostile,
			"status":    wantStatus,
			"signalled": wantSignalled,
		},
	})
}

// compileToolbox makes sure that no script is the first to need the toolbox, which tells that it compiles.
func compileToolbox(t *testing.T) {
	t.Helper()
	engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close(t.Context())
	if _, err := toolwasm.Load(t.Context(), sandbox.New(engine)); err != nil {
		t.Fatal(err)
	}
}

// makeHostile fills a workspace with everything that could lead out of it. "hostile WS OUT" makes both directories.
func makeHostile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hostile workspace outside")
	}
	ws, out := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(ws, 0o755))
	ts.Check(os.MkdirAll(out, 0o755))
	ts.Check(os.WriteFile(filepath.Join(out, "secret.txt"), []byte("SECRET\n"), 0o644))
	ts.Check(os.Symlink("/etc/passwd", filepath.Join(ws, "evil")))
	ts.Check(os.Symlink("..", filepath.Join(ws, "up")))
	ts.Check(os.Symlink("../"+filepath.Base(out), filepath.Join(ws, "leak")))
	ts.Check(os.Symlink("../"+filepath.Base(out)+"/new.txt", filepath.Join(ws, "dangling")))
	ts.Check(os.Link(filepath.Join(out, "secret.txt"), filepath.Join(ws, "hard")))
	ts.Check(syscall.Mkfifo(filepath.Join(ws, "fifo"), 0o644))
	// The path of a socket is short on every system: make it by a relative name.
	back, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ws))
	l, err := net.Listen("unix", "sock")
	ts.Check(os.Chdir(back))
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	if err := mknod(filepath.Join(ws, "device")); err != nil {
		ts.Logf("no device in the workspace: %v", err) // scripts ask the condition [device]
	}
}

// wantStatus is "status N command…": the command must end with exit status N.
func wantStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command args...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if want := args[0]; want != strconv.Itoa(code) {
		ts.Fatalf("exit status %d, want %s", code, want)
	}
}

// wantSignalled is "signalled SIGNAL N arguments…": openclaw exec, which is sent the signal when it has written something,
// must end with exit status N and say no more than that it was interrupted.
func wantSignalled(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	if neg || len(args) < 3 || signals[args[0]] == 0 {
		ts.Fatalf("usage: signalled INT|TERM|HUP N arguments...")
	}
	program, err := exec.LookPath("openclaw")
	ts.Check(err)
	cmd := exec.Command(program, append([]string{"exec"}, args[2:]...)...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+ts.Getenv("XDG_CACHE_HOME"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	_, err = stdout.Read(make([]byte, 1))
	ts.Check(err)
	ts.Check(cmd.Process.Signal(signals[args[0]]))
	_ = cmd.Wait() // the status says it
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[1] || stderr.String() != "openclaw: interrupted\n" {
		ts.Fatalf("exit status %s, stderr %q, want %s and that it was interrupted", got, stderr.String(), args[1])
	}
}
