package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"openclaw/sandbox"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// workspace is a grant of one directory.
func workspace(dir string, limits sandbox.Limits) sandbox.Grant {
	return sandbox.Grant{
		Mounts: []sandbox.Mount{{Guest: "/workspace", Host: dir, Access: sandbox.ReadWrite}},
		Limits: limits,
	}
}

// TestManyShortHostCallsEndAtTheDeadline runs guests that hardly work themselves, so that they come back for fuel long
// after their deadline: it is the host that does the work.
func TestManyShortHostCallsEndAtTheDeadline(t *testing.T) {
	const path, size = "workspace/a/b/c/../../../x", 26
	for name, build := range map[string]func(m *Module){
		"stat": func(m *Module) {
			stat := wasi(m, "path_filestat_get", Types{I32, I32, I32, I32, I32})
			m.Func("_start", nil, nil, nil, forever(Const(3), Const(1), Const(0), Const(size), Const(100), Call(stat), Drop))
		},
		"mkdir": func(m *Module) {
			mkdir := wasi(m, "path_create_directory", Types{I32, I32, I32})
			m.Func("_start", nil, nil, nil, forever(Const(3), Const(0), Const(size), Call(mkdir), Drop))
		},
		"readdir": func(m *Module) {
			readdir := wasi(m, "fd_readdir", Types{I32, I32, I32, I64, I32})
			m.Func("_start", nil, nil, nil, forever(Const(3), Const(200), Const(1000), Const64(0), Const(100), Call(readdir), Drop))
		},
	} {
		t.Run(name, func(t *testing.T) {
			box := newSandbox(t)
			program := load(t, box, func(m *Module) {
				m.Memory(1, 1)
				m.AddData(0, []byte(path))
				build(m)
			})
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "a/b/c"), 0o755); err != nil {
				t.Fatal(err)
			}
			const deadline, late = 50 * time.Millisecond, 50 * time.Millisecond
			var took time.Duration
			for range 3 {
				begun := time.Now()
				_, err := box.Run(t.Context(), workspace(dir, sandbox.Limits{Timeout: deadline}), program, sandbox.Command{})
				took = time.Since(begun)
				wantLimit(t, err, sandbox.LimitTimeout)
				if took < deadline+late {
					return
				}
			}
			t.Errorf("took %v", took)
		})
	}
}

// TestLongFileOperationsEndAtTheDeadline has the host do much for one call.
func TestLongFileOperationsEndAtTheDeadline(t *testing.T) {
	t.Run("a copy of a large file", func(t *testing.T) {
		const size = 16 << 30
		dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "large")
		if err := os.WriteFile(outside, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(outside, size); err != nil {
			t.Skip(err)
		}
		if err := os.Link(outside, filepath.Join(dir, "large")); err != nil {
			t.Skip(err)
		}
		grant := workspace(dir, sandbox.Limits{Timeout: 50 * time.Millisecond, Disk: 2 * size, FileSize: 2 * size})
		runToDeadline(t, grant, opening("workspace/large"))
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%d entries are left, %v; want the file alone", len(entries), err)
		}
	})
}

// runToDeadline runs a guest that is to end at its deadline.
func runToDeadline(t *testing.T, grant sandbox.Grant, build func(m *Module)) {
	t.Helper()
	box := newSandbox(t)
	program := load(t, box, build)
	inTime(t, grant.Limits.Timeout, func() {
		_, err := box.Run(t.Context(), grant, program, sandbox.Command{})
		wantLimit(t, err, sandbox.LimitTimeout)
	})
}

// opening is a guest that opens a path for writing and exits with the errno.
func opening(path string) func(m *Module) {
	return func(m *Module) {
		open := wasi(m, "path_open", Types{I32, I32, I32, I32, I32, I64, I64, I32, I32})
		exit := m.Import("wasi_snapshot_preview1", "proc_exit", Types{I32}, nil)
		m.Memory(1, 1)
		m.AddData(0, []byte(path))
		m.Func("_start", nil, nil, nil, Const(3), Const(0), Const(0), Const(int32(len(path))), Const(0),
			Const64(1<<6), Const64(0), Const(0), Const(1000), Call(open), Call(exit))
	}
}

// TestCoveredPlacesCannotBeChanged checks that what a mount shows read-only inside a writable one stays as it is, also by
// the ways around it.
func TestCoveredPlacesCannotBeChanged(t *testing.T) {
	dir := t.TempDir()
	covered := filepath.Join(dir, "deep", "skills")
	if err := os.MkdirAll(covered, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("deep", filepath.Join(dir, "way")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("deep/skills", filepath.Join(dir, "direct")); err != nil {
		t.Skip(err)
	}
	grant := workspace(dir, sandbox.Limits{})
	grant.Mounts = append(grant.Mounts, sandbox.Mount{Guest: "/workspace/deep/skills", Host: covered})
	grant.Mounts[0].Protect = []string{}
	box := newSandbox(t)
	for name, build := range map[string]func(m *Module){
		"mkdir":             pathCall("path_create_directory", "workspace/deep/skills/x"),
		"mkdir by a link":   pathCall("path_create_directory", "workspace/way/skills/x"),
		"mkdir by its link": pathCall("path_create_directory", "workspace/direct/x"),
		"rmdir by a link":   pathCall("path_remove_directory", "workspace/way/skills"),
		"rename":            renaming("workspace/deep", "workspace/other"),
		"rename by a link":  renaming("workspace/way/skills", "workspace/other"),
	} {
		result, err := box.Run(t.Context(), grant, load(t, box, build), sandbox.Command{})
		if err != nil || result.ExitCode == 0 {
			t.Errorf("%s: result %+v, %v; want an errno", name, result, err)
		}
	}
	if entries, err := os.ReadDir(covered); err != nil || len(entries) != 0 {
		t.Errorf("%d entries in the covered directory, %v", len(entries), err)
	}
}
