package skilltools_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"openclaw/runtime/bundles"
	"openclaw/runtime/tools/skilltools"
	"openclaw/sandbox"
	"openclaw/skills/bundle"
	"openclaw/skills/compile"
	"openclaw/skills/manifest"
	"openclaw/toolwasm"
)

// examples is where the skills are whose source comes with the repository.
const examples = "../../../examples/skills"

// memory keeps approvals.
type memory map[string]bundles.Approval

func (m memory) Approval(_ context.Context, name string) (bundles.Approval, bool, error) {
	a, ok := m[name]
	return a, ok, nil
}

func (m memory) SaveApproval(_ context.Context, a bundles.Approval) error {
	m[a.Name] = a
	return nil
}

func (m memory) ForgetApproval(_ context.Context, name string) (bool, error) {
	_, ok := m[name]
	delete(m, name)
	return ok, nil
}

// built compiles an example once for all tests, and returns a directory with its files.
var built = struct {
	sync.Mutex
	dirs map[string]string
	errs map[string]error
}{dirs: map[string]string{}, errs: map[string]error{}}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range built.dirs {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// example is the directory of an example, compiled. Without its compiler the test is skipped.
func example(tb testing.TB, name string) string {
	tb.Helper()
	built.Lock()
	defer built.Unlock()
	if _, ok := built.dirs[name]; !ok {
		built.dirs[name], built.errs[name] = compiled(tb.Context(), name)
	}
	err := built.errs[name]
	if errors.Is(err, compile.ErrNoCompiler) || err != nil && strings.Contains(err.Error(), "wasi") {
		tb.Skipf("the machine cannot build it: %v", err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return built.dirs[name]
}

func compiled(ctx context.Context, name string) (string, error) {
	dir, err := os.MkdirTemp("", "skill-")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(examples, name))); err != nil {
		return dir, err
	}
	text, err := os.ReadFile(filepath.Join(dir, manifest.FileName))
	if err != nil {
		return dir, err
	}
	m, err := manifest.Parse(text)
	if err != nil || m.Runtime != manifest.Wasm {
		return dir, err
	}
	return dir, compile.Build(ctx, dir, m)
}

// machine is a state directory, a workspace, and a sandbox.
type machine struct {
	testing.TB
	*bundles.Store
	box       *sandbox.Sandbox
	approvals memory
	state     string
	workspace string
}

func newMachine(tb testing.TB) *machine {
	tb.Helper()
	return newMachineOn(tb, sandbox.EngineOptions{}) // with the user's cache: compiling takes seconds
}

func newMachineOn(tb testing.TB, o sandbox.EngineOptions) *machine {
	tb.Helper()
	engine, err := sandbox.Wazero(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { engine.Close(context.Background()) })
	m := &machine{TB: tb, box: sandbox.New(engine), approvals: memory{}, state: tb.TempDir(), workspace: tb.TempDir()}
	m.Store = bundles.At(m.state, m.approvals)
	return m
}

// session is the grant of a session that may do everything in the workspace.
func (m *machine) session() sandbox.Grant {
	return sandbox.Grant{
		Mounts:   []sandbox.Mount{{Guest: toolwasm.Workspace, Host: m.workspace, Access: sandbox.ReadWrite}},
		Tmp:      true,
		Env:      []string{"SESSION_TOKEN=hunter2"},
		Programs: toolwasm.Programs(),
	}
}

// change rewrites the manifest in a copy of a skill's directory.
func (m *machine) change(dir string, edits ...string) string {
	m.Helper()
	to := m.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		m.Fatal(err)
	}
	name := filepath.Join(to, manifest.FileName)
	text, err := os.ReadFile(name)
	if err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.NewReplacer(edits...).Replace(string(text))), 0o600); err != nil {
		m.Fatal(err)
	}
	return to
}

func (m *machine) install(dir string) *bundles.Installed {
	m.Helper()
	p, err := bundle.Pack(dir)
	if err != nil {
		m.Fatal(err)
	}
	c, err := m.Install(m.Context(), p.File)
	if err != nil {
		m.Fatal(err)
	}
	return c.Installed
}

func (m *machine) approved(dir string) *bundles.Installed {
	m.Helper()
	i := m.install(dir)
	i, err := m.Approve(m.Context(), i.Manifest.Name, i.Digest.String())
	if err != nil {
		m.Fatal(err)
	}
	return i
}

// put makes a file in the workspace.
func (m *machine) put(name, text string) {
	m.Helper()
	name = filepath.Join(m.workspace, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		m.Fatal(err)
	}
}

// read is what a file in the workspace holds.
func (m *machine) read(name string) string {
	data, err := os.ReadFile(filepath.Join(m.workspace, name))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func (m *machine) call(i *bundles.Installed, tool, arguments string) (*skilltools.Answer, error) {
	return skilltools.Call(m.Context(), m.box, m.session(), i, tool, []byte(arguments))
}

// node is the path of Node.js; without it the test is skipped.
func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	return path
}
