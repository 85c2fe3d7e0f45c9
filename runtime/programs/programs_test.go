package programs_test

import (
	"archive/zip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"openclaw/runtime/programs"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func archive(t *testing.T) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "lib.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	if _, err := w.Create("file"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func install(name, file string) programs.Install {
	return programs.Install{Program: programs.Program{Name: name}, File: file}
}

// installed are the named programs that do not come with the toolbox.
func installed(t *testing.T, s *programs.Store) []sandbox.NamedProgram {
	t.Helper()
	all, err := s.Named()
	if err != nil {
		t.Fatal(err)
	}
	return all[:len(all)-len(toolwasm.Programs())]
}

func TestInstalledProgramsAreCopies(t *testing.T) {
	state := t.TempDir()
	s := programs.At(state)
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Fatalf("before anything is installed: %v, %v", list, err)
	}
	module, lib, dir := write(t, "m.wasm", "module"), archive(t), t.TempDir()
	in := install("prog", module)
	in.Aliases, in.Env, in.Args = []string{"p"}, []string{"A=1"}, []string{"-x"}
	in.Sources = []programs.Source{{Guest: "/lib", Host: lib}, {Guest: "/data", Host: dir}}
	if _, err := s.Add(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{module, lib} {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	named := installed(t, programs.At(state))
	if len(named) != 2 || named[0].Name != "prog" || named[1].Name != "p" {
		t.Fatalf("the programs are %+v", named)
	}
	for _, n := range named {
		if data, err := n.Source.Open(); err != nil || string(data) != "module" {
			t.Errorf("%s: %q, %v", n.Name, data, err)
		}
		if len(n.Mounts) != 2 || n.Mounts[1].Host != dir || !slices.Equal(n.Args, in.Args) || !slices.Equal(n.Env, in.Env) {
			t.Errorf("%s: %+v", n.Name, n)
		}
		if _, err := os.Stat(n.Mounts[0].Host); err != nil {
			t.Errorf("the archive: %v", err)
		}
	}
	if err := (sandbox.Grant{Tmp: true, Programs: named}).Check(); err != nil {
		t.Error(err)
	}
}

func TestChangedCopiesAreNotRun(t *testing.T) {
	state := t.TempDir()
	s := programs.At(state)
	p, err := s.Add(t.Context(), install("prog", write(t, "m.wasm", "module")))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(programs.Dir(state), p.Digest+".wasm")
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := installed(t, s)[0].Source.Open(); err == nil || !strings.Contains(err.Error(), "not what was installed") {
		t.Errorf("error = %v", err)
	}
}

func TestRemoveLeavesWhatOthersNeed(t *testing.T) {
	state := t.TempDir()
	s := programs.At(state)
	module, lib := write(t, "m.wasm", "module"), archive(t)
	for _, name := range []string{"one", "two"} {
		in := install(name, module)
		in.Sources = []programs.Source{{Guest: "/lib", Host: lib}}
		if _, err := s.Add(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	files := func() int {
		list, err := os.ReadDir(programs.Dir(state))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	for name, want := range map[string]int{"one": 3} { // index, module, archive
		if _, err := s.Remove(t.Context(), name); err != nil || files() != want {
			t.Errorf("after %s: %v, %d files, want %d", name, err, files(), want)
		}
	}
	if _, err := s.Remove(t.Context(), "two"); err != nil || files() != 1 {
		t.Errorf("after both: %v, %d files", err, files())
	}
	if _, err := s.Remove(t.Context(), "two"); !errors.Is(err, programs.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
}

func TestAddRefuses(t *testing.T) {
	module := write(t, "m.wasm", "module")
	for name, c := range map[string]struct {
		change func(in *programs.Install)
		want   string
	}{
		"a name that is there":    {func(in *programs.Install) { in.Name = "there" }, "is installed already"},
		"an alias that is there":  {func(in *programs.Install) { in.Aliases = []string{"there"} }, "is installed already"},
		"an alias twice":          {func(in *programs.Install) { in.Aliases = []string{"prog"} }, "named twice"},
		"a name that is a path":   {func(in *programs.Install) { in.Name = "../x" }, "not the name of a command"},
		"no module":               {func(in *programs.Install) { in.File = filepath.Join(t.TempDir(), "none") }, "none"},
		"a directory as module":   {func(in *programs.Install) { in.File = t.TempDir() }, "not a regular file"},
		"a preset that is none":   {func(in *programs.Install) { in.Preset = "perl" }, "there is python, ruby"},
		"a variable that is none": {func(in *programs.Install) { in.Env = []string{"X"} }, "NAME=value"},
		"a mount at the root":     {func(in *programs.Install) { in.Sources = []programs.Source{{Guest: "/", Host: t.TempDir()}} }, "not a clean absolute path"},
		"a mount in the workspace": {
			func(in *programs.Install) { in.Sources = []programs.Source{{Guest: "/workspace/x", Host: t.TempDir()}} }, "the workspace is there",
		},
		"a mount that is not there": {func(in *programs.Install) { in.Sources = []programs.Source{{Guest: "/x", Host: "/no/where"}} }, "/no/where"},
		"a module that does not load": {
			func(in *programs.Install) {
				in.Load = func(context.Context, sandbox.Source) error { return errors.New("it is none") }
			}, "it is none",
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			s := programs.At(state)
			if _, err := s.Add(t.Context(), install("there", module)); err != nil {
				t.Fatal(err)
			}
			in := install("prog", module)
			c.change(&in)
			if _, err := s.Add(t.Context(), in); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want %q in it", err, c.want)
			}
			if list, err := s.List(); err != nil || len(list) != 1 {
				t.Errorf("afterwards: %+v, %v", list, err)
			}
			if files, _ := os.ReadDir(programs.Dir(state)); len(files) != 2 {
				t.Errorf("%d files are left, want index and module", len(files))
			}
		})
	}
}

func TestIndexIsStrict(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown key":  `{"version": 1, "programs": [{"name": "x", "digest": "00", "network": "none"}]}`,
		"a later version": `{"version": 2, "programs": []}`,
		"no JSON":         `programs`,
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			if err := os.Mkdir(programs.Dir(state), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(programs.Dir(state), "index.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := programs.At(state).Named(); err == nil {
				t.Error("it was read")
			}
		})
	}
	state := t.TempDir()
	_ = os.Mkdir(programs.Dir(state), 0o700)
	text := `{"version": 1, "programs": [{"name": "x", "digest": "../../../etc/passwd", "size": 1, "from": "", "added": "2026-01-01T00:00:00Z"}]}`
	if err := os.WriteFile(filepath.Join(programs.Dir(state), "index.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := programs.At(state).Named(); err == nil || !strings.Contains(err.Error(), "not a SHA-256") {
		t.Errorf("a digest that is a path: %v", err)
	}
}

func TestWritersWaitForEachOther(t *testing.T) {
	state := t.TempDir()
	module := write(t, "m.wasm", "module")
	names := []string{"a", "b", "c", "d", "e", "f"}
	var wg sync.WaitGroup
	for _, n := range names {
		wg.Go(func() {
			if _, err := programs.At(state).Add(t.Context(), install(n, module)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := programs.At(state).List()
	if err != nil || len(list) != len(names) {
		t.Errorf("%d programs, %v", len(list), err)
	}
}

func TestPresetOfPython(t *testing.T) {
	state := t.TempDir()
	in := install("python3", write(t, "m.wasm", "module"))
	in.Preset, in.Env = "python", []string{"PYTHONUTF8=0"}
	p, err := programs.At(state).Add(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !p.ReadsPWD || p.Script != "cm" || !slices.Contains(p.Env, "PYTHONHOME=/py") || p.Env[len(p.Env)-1] != "PYTHONUTF8=0" {
		t.Errorf("the program is %+v", p)
	}
	if len(p.Mounts) != 1 || p.Mounts[0].Guest != "/py/site" {
		t.Errorf("its mounts are %+v", p.Mounts)
	}
}

// asking is a module that imports env.f, and has a start that does nothing.
const asking = "\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x02\x09\x01\x03env\x01f\x00\x00" +
	"\x03\x02\x01\x00" + "\x07\x0a\x01\x06_start\x00\x01" + "\x0a\x04\x01\x02\x00\x0b"

// TestStubsAreAskedFor installs a module that imports what does not exist, as it is and with stubs, which are recorded.
func TestStubsAreAskedFor(t *testing.T) {
	engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{CacheDir: sandbox.NoCache})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close(context.Background())
	in := install("prog", write(t, "m.wasm", asking))
	in.Load = func(ctx context.Context, src sandbox.Source) error {
		_, err := engine.Load(ctx, src)
		return err
	}
	s := programs.At(t.TempDir())
	if _, err := s.Add(t.Context(), in); !errors.Is(err, sandbox.ErrBadModule) || !strings.Contains(err.Error(), "env.f") {
		t.Errorf("as it is: %v, want that env.f does not exist", err)
	}
	in.Stubs = true
	p, err := s.Add(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Stubs, []string{"env.f"}) || p.Original == "" || p.Original == p.Digest {
		t.Errorf("it is recorded as %+v", p)
	}
	if _, err := installed(t, s)[0].Source.Open(); err != nil {
		t.Errorf("the copy: %v", err)
	}
}

// TestPresetOfRubyWantsRuby checks that a module that is not built as the preset expects is not installed.
func TestPresetOfRubyWantsRuby(t *testing.T) {
	in := install("ruby", write(t, "m.wasm", asking))
	in.Preset = "ruby"
	if _, err := programs.At(t.TempDir()).Add(t.Context(), in); !errors.Is(err, sandbox.ErrBadModule) {
		t.Errorf("%v, want ErrBadModule", err)
	}
}
