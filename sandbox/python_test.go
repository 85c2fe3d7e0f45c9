package sandbox_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox"
)

// sharedPath is a file of the data that tests may use when it is there.
func sharedPath(t *testing.T, elem ...string) string {
	t.Helper()
	dir := os.Getenv("OPENCLAW_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	name := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	return name
}

// escapes is a program that tries what it can to get out of /workspace, and prints what it got.
const escapes = `
import os, errno
found = []
def attempt(what, f):
    try:
        found.append((what, f()))
    except OSError as e:
        pass
def read(p):
    with open(p, "rb") as f: return f.read(100)
def write(p):
    with open(p, "wb") as f: return f.write(b"guest")
ws = "/workspace"
os.mkdir(ws + "/in")
fd = os.open(ws + "/in", os.O_RDONLY)
names = ["evil", "up/OUT/secret", "updir", "abs/secret", "in/../up/OUT/secret", "/../../etc/passwd", "evil/", "abs/.", "hole/../OUT/secret"]
for n in names:
    p = ws + "/" + n
    attempt("read " + n, lambda: read(p))
    attempt("write " + n, lambda: write(p))
    attempt("list " + n, lambda: os.listdir(p))
    attempt("chmod " + n, lambda: os.chmod(p, 0o777))
    attempt("utime " + n, lambda: os.utime(p, (1, 1)))
    attempt("truncate " + n, lambda: os.truncate(p, 0))
    attempt("link " + n, lambda: os.link(p, ws + "/stolen", follow_symlinks=True) or read(ws + "/stolen"))
    attempt("stat " + n, lambda: os.stat(p))
    attempt("dirfd " + n, lambda: os.stat("../" + n, dir_fd=fd))
for t in ["/etc/passwd", "..", "../OUT", "in/../../OUT", "up/../OUT", "/workspace/../etc", "//etc"]:
    def make():
        os.symlink(t, ws + "/made"); 
        try: return os.stat(ws + "/made")
        finally: os.unlink(ws + "/made")
    attempt("symlink " + t, make)
# Moved while open, and named from there.
os.mkdir(ws + "/a"); os.mkdir(ws + "/a/b"); os.mkdir(ws + "/a/b/c")
deep = os.open(ws + "/a/b/c", os.O_RDONLY)
os.rename(ws + "/a/b/c", ws + "/c")
for p in ["../../..", "../../../OUT/secret", "../..", ".."]:
    attempt("moved " + p, lambda: os.stat(p, dir_fd=deep))
attempt("proc", lambda: os.listdir("/proc"))
attempt("fd", lambda: read("/dev/fd/3"))
attempt("fds", lambda: os.stat("/dev/fd/3/../../etc/passwd"))
for p in ["fifo", "hard"]:
    attempt("open " + p, lambda: os.open(ws + "/" + p, os.O_RDONLY) if p == "fifo" else None)
write(ws + "/hard")
os.chmod(ws + "/hard", 0o700)
found = [x for x in found if x[1] is not None]
print("FOUND", found)
print("ENV", sorted(os.environ))
`

// TestPythonCannotGetOut runs a real program that tries.
func TestPythonCannotGetOut(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling CPython takes seconds")
	}
	module, err := os.ReadFile(sharedPath(t, "programs", "python.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	library, err := os.ReadFile(sharedPath(t, "programs", "python311.zip"))
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	ws, out, lib := filepath.Join(base, "WS"), filepath.Join(base, "OUT"), filepath.Join(base, "py")
	for _, d := range []string{ws, out, filepath.Join(lib, "lib")} {
		must(t, os.MkdirAll(d, 0o755))
	}
	must(t, os.WriteFile(filepath.Join(lib, "lib", "python311.zip"), library, 0o644))
	secret := filepath.Join(out, "secret")
	must(t, os.WriteFile(secret, []byte("SECRET"), 0o640))
	must(t, os.Chtimes(secret, time.Unix(1000, 0), time.Unix(1000, 0)))
	must(t, os.Link(secret, filepath.Join(ws, "hard")))
	for name, target := range map[string]string{"evil": "/etc/passwd", "up": "..", "updir": "../OUT", "abs": out, "hole": "../missing"} {
		must(t, os.Symlink(target, filepath.Join(ws, name)))
	}
	engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{}) // with the user's cache: compiling takes seconds
	must(t, err)
	defer engine.Close(t.Context())
	box := sandbox.New(engine)
	program, err := box.Load(t.Context(), sandbox.Module("python", module))
	must(t, err)
	grant := workspace(ws, sandbox.Limits{})
	grant.Mounts = append(grant.Mounts, sandbox.Mount{Guest: "/py", Host: lib})
	grant.Env = []string{"PYTHONHOME=/py", "PYTHONPATH=/py/lib/python311.zip", "PYTHONDONTWRITEBYTECODE=1"}
	var stdout, stderr bytes.Buffer
	result, err := box.Run(t.Context(), grant, program, sandbox.Command{
		Args: []string{"python", "-c", escapes}, Stdout: &stdout, Stderr: &stderr,
	})
	if err != nil || result.ExitCode != 0 {
		t.Fatalf("result %+v, %v\n%s%s", result, err, stdout.String(), stderr.String())
	}
	if !strings.Contains(stdout.String(), "FOUND []\n") {
		t.Errorf("it got out:\n%s", stdout.String())
	}
	if !strings.Contains(stdout.String(), "ENV ['PWD', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHOME', 'PYTHONPATH']") {
		t.Errorf("it sees more of the environment than it was given:\n%s", stdout.String())
	}
	st, err := os.Stat(secret)
	must(t, err)
	if data, _ := os.ReadFile(secret); string(data) != "SECRET" || st.Mode().Perm() != 0o640 || st.ModTime().Unix() != 1000 {
		t.Errorf("the file outside is %q, %v, %v", data, st.Mode(), st.ModTime())
	}
	if entries, _ := os.ReadDir(out); len(entries) != 1 {
		t.Errorf("%d entries outside, want one", len(entries))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
