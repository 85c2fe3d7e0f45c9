package wasi_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"openclaw/sandbox/internal/stream"
	"openclaw/sandbox/internal/vfs"
	"openclaw/sandbox/internal/wasi"
)

// goGuestDir holds the Go guest once a test has wanted it.
var goGuestDir string

var goGuest = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "goguest")
	if err != nil {
		return "", err
	}
	goGuestDir = dir
	out := filepath.Join(dir, "goguest.wasm")
	cmd := exec.Command("go", "build", "-o", out, "./testdata/goguest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if b, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New(string(b))
	}
	return out, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if goGuestDir != "" {
		_ = os.RemoveAll(goGuestDir)
	}
	os.Exit(code)
}

// goRun is one run of the Go guest.
type goRun struct {
	stdin  vfs.File
	stdout io.Writer
	dir    string
	config wasi.Config
}

func (g goRun) run(ctx context.Context, t *testing.T, command string) {
	t.Helper()
	if err := g.start(ctx, t, command); err != nil {
		t.Fatal(err)
	}
}

func (g goRun) start(ctx context.Context, t *testing.T, command string) error {
	t.Helper()
	program, err := goGuest()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	c := g.config
	c.Args = []string{"goguest", command}
	c.Stdin, c.Stderr = g.stdin, stream.ToWriter(&stderr)
	if g.stdout != nil {
		c.Stdout = stream.ToWriter(g.stdout)
	}
	if g.dir != "" {
		c.FS = mount(t, g.dir)
	}
	status, err := newEngine(t).run(ctx, t, program, c)
	if err != nil {
		return err
	}
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, stderr.String())
	}
	return nil
}

// lineAfter ends a guest's wait for a line once it has seen some ticks.
type lineAfter struct {
	out   bytes.Buffer
	ticks int
	line  io.WriteCloser
}

func (l *lineAfter) Write(b []byte) (int, error) {
	l.out.Write(b)
	if l.ticks += bytes.Count(b, []byte("tick")); l.ticks >= 3 && l.line != nil {
		_, _ = io.WriteString(l.line, "typed\n")
		_ = l.line.Close()
		l.line = nil
	}
	return len(b), nil
}

func TestGoGuestRunsGoroutinesWhileOneWaitsForInput(t *testing.T) {
	p := stream.NewPipe()
	out := &lineAfter{line: p.Writer()}
	goRun{stdin: p.ReadEnd(), stdout: out}.run(context.Background(), t, "tick")
	if got := out.out.String(); !strings.HasPrefix(got, "tick\ntick\ntick\n") || !strings.HasSuffix(got, "line typed\n") {
		t.Errorf("output %q", got)
	}
}

func TestGoGuestRunsGoroutinesWhileAHostReaderIsAwaited(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := &lineAfter{line: w}
	goRun{stdin: stream.FromReader(context.Background(), r), stdout: out}.run(context.Background(), t, "tick")
	if got := out.out.String(); !strings.HasSuffix(got, "line typed\n") {
		t.Errorf("output %q", got)
	}
}

func TestGoGuestFileOperations(t *testing.T) {
	var out bytes.Buffer
	goRun{stdout: &out, dir: t.TempDir()}.run(context.Background(), t, "files")
	if out.String() != "ok\n" {
		t.Errorf("output %q", out.String())
	}
}

func TestGoGuestCopiesMoreThanAPipeHolds(t *testing.T) {
	const size = 5 * stream.Capacity
	p, want := stream.NewPipe(), bytes.Repeat([]byte("0123456789abcdef"), size/16)
	go func() {
		w := p.Writer()
		_, _ = w.Write(want)
		_ = w.Close()
	}()
	var out bytes.Buffer
	goRun{stdin: p.ReadEnd(), stdout: &out}.run(context.Background(), t, "cat")
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%d bytes came out of %d", out.Len(), len(want))
	}
}

func TestGoGuestEndsWithItsContext(t *testing.T) {
	cause := errors.New("time is up")
	for name, stdin := range map[string]vfs.File{"sleep": nil, "stdin": stream.NewPipe().ReadEnd()} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
			if err := (goRun{stdin: stdin}).start(ctx, t, name); !errors.Is(err, cause) {
				t.Errorf("error %v, want %v", err, cause)
			}
		})
	}
}

func TestCPythonPrintsJSON(t *testing.T) {
	program := shared(t, "programs", "python.wasm")
	lib, err := os.ReadFile(shared(t, "programs", "python311.zip"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for path, content := range map[string][]byte{"py/lib/python311.zip": lib, "data.txt": []byte("from a file\n")} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const script = `
import json, os, sys, time
json.dump({"in": sys.stdin.read(), "file": open("/data.txt").read()}, sys.stdout)
os.mkdir("/d"); open("/d/f", "w").write("x"); os.rename("/d/f", "/d/g")
print(json.dumps([sorted(os.listdir("/d")), os.stat("/d/g").st_size, sys.stdin.isatty()]))
os.symlink("g", "/d/l"); print(os.readlink("/d/l"), open("/d/l").read())
t = time.monotonic(); time.sleep(0.01); print(time.monotonic() - t >= 0.01)
sys.exit(3)
`
	var stdout, stderr bytes.Buffer
	status, err := newEngine(t).run(context.Background(), t, program, wasi.Config{
		Args:   []string{"python", "-c", script},
		Env:    []string{"PYTHONHOME=/py", "PYTHONPATH=/py/lib/python311.zip", "PYTHONDONTWRITEBYTECODE=1"},
		FS:     mount(t, dir),
		Stdin:  stream.FromReader(context.Background(), strings.NewReader("typed")),
		Stdout: stream.ToWriter(&stdout),
		Stderr: stream.ToWriter(&stderr),
	})
	if err != nil || status != 3 {
		t.Fatalf("exit status %d, error %v\n%s", status, err, stderr.String())
	}
	const want = `{"in": "typed", "file": "from a file\n"}[["g"], 1, false]` + "\ng x\nTrue\n"
	if stdout.String() != want {
		t.Errorf("stdout %q, want %q", stdout.String(), want)
	}
}
