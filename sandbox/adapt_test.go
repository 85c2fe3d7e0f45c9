package sandbox_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"openclaw/sandbox"
	"openclaw/sandbox/internal/wasm"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

// asking is a guest that has functions of its own around one that does not exist, reaches some through a table, and calls the
// missing one when it has been started with an argument.
func asking(m *Module) {
	argsSizes := m.Import("wasi_snapshot_preview1", "args_sizes_get", Types{I32, I32}, Types{I32})
	missing := m.Import("env", "js: func(x: s32) -> s32", Types{I32, wasm.F64}, Types{I32})
	exit := m.Import("wasi_snapshot_preview1", "proc_exit", Types{I32}, nil)
	m.Memory(1, 0)
	m.Tables = append(m.Tables, tableOf(2))
	leaf := m.Func("", nil, Types{I32}, nil, Const(5))
	leaving := m.AddType(Types{I32}, nil)
	m.Elements = append(m.Elements, wasm.Element{Mode: wasm.Active, Offset: append(Const(0), End...), Type: wasm.FuncRef, Funcs: []uint32{exit, leaf}})
	m.Func("_start", nil, nil, nil,
		Const(64), Const(68), Call(argsSizes), Op(wasm.OpDrop),
		Const(64), Op(0x28, 2, 0), Const(1), Op(wasm.OpI32GtU), If(),
		Const(1), []byte{0x44, 0, 0, 0, 0, 0, 0, 0, 0}, Call(missing), Op(wasm.OpDrop), End,
		Call(leaf), Const(0), Op(wasm.OpCallIndirect, leaving, 0))
}

func encoded(build func(m *Module)) []byte {
	m := &Module{}
	build(m)
	return m.Encode()
}

// TestMissingImportsAreRefusedUnlessAskedFor runs a program that imports what does not exist, with and without calling it.
func TestMissingImportsAreRefusedUnlessAskedFor(t *testing.T) {
	box := newSandbox(t)
	module := encoded(asking)
	if _, err := box.Load(t.Context(), sandbox.Module("prog", module)); !errors.Is(err, sandbox.ErrBadModule) {
		t.Errorf("as it is: %v, want ErrBadModule", err)
	}
	adapted, stubs, err := sandbox.Adapt(module, sandbox.Adaptation{Name: "prog", Stubs: true})
	if err != nil || !slices.Equal(stubs, []string{"env.js: func(x: s32) -> s32"}) {
		t.Fatalf("Adapt: %q, %v", stubs, err)
	}
	program, err := box.Load(t.Context(), sandbox.Module("prog", adapted))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		text string
	}{{[]string{"prog"}, 5, ""}, {[]string{"prog", "x"}, 134, "prog: env.js is not available\n"}} {
		var stderr bytes.Buffer
		result, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{Args: c.args, Stderr: &stderr})
		if err != nil || result.ExitCode != c.code || stderr.String() != c.text {
			t.Errorf("%q: %+v, %v, %q; want %d, %q", c.args, result, err, stderr.String(), c.code, c.text)
		}
	}
}

// TestAdaptWithoutNeedChangesNothing checks that a module to which nothing is done runs as before.
func TestAdaptWithoutNeedChangesNothing(t *testing.T) {
	box := newSandbox(t)
	adapted, stubs, err := sandbox.Adapt(encoded(exiting(7)), sandbox.Adaptation{Name: "prog", Stubs: true})
	if err != nil || len(stubs) != 0 {
		t.Fatalf("%q, %v", stubs, err)
	}
	program, err := box.Load(t.Context(), sandbox.Module("prog", adapted))
	if err != nil {
		t.Fatal(err)
	}
	if result, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{}); err != nil || result.ExitCode != 7 {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestStubsLeaveOtherImportsToBeRefused checks that memories, tables and globals, and functions of another type, are no stubs.
func TestStubsLeaveOtherImportsToBeRefused(t *testing.T) {
	box := newSandbox(t)
	for name, build := range map[string]func(m *Module){
		"global": func(m *Module) {
			m.Imports = append(m.Imports, wasm.Import{Module: "env", Name: "g", Kind: wasm.ExternGlobal, Global: wasm.GlobalType{Value: I32}})
			m.Func("_start", nil, nil, nil)
		},
		"another type": func(m *Module) {
			m.Import("wasi_snapshot_preview1", "proc_exit", Types{I64}, nil)
			m.Func("_start", nil, nil, nil)
		},
	} {
		adapted, _, err := sandbox.Adapt(encoded(build), sandbox.Adaptation{Name: "prog", Stubs: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := box.Load(t.Context(), sandbox.Module("prog", adapted)); !errors.Is(err, sandbox.ErrBadModule) {
			t.Errorf("%s: %v, want ErrBadModule", name, err)
		}
	}
}

// interpreter is a module to be called by a host: it evaluates a text by writing it out, and fails for an empty one.
func interpreter(m *Module) {
	const top, answer, vector = 16, 32, 40
	write := m.Import("wasi_snapshot_preview1", "fd_write", Types{I32, I32, I32, I32}, Types{I32})
	m.Import("js", "call", nil, nil)
	m.Memory(2, 0)
	m.Func("_initialize", nil, nil, nil, Const(top), Const(1024), Op(0x36, 2, 0))
	m.Func("alloc", Types{I32, I32, I32, I32}, Types{I32}, nil,
		Const(top), Op(0x28, 2, 0),
		Const(top), Const(top), Op(0x28, 2, 0), Get(3), Add, Op(0x36, 2, 0))
	put := Cat(Const(vector), Get(0), Op(0x36, 2, 0), Const(vector+4), Get(1), Op(0x36, 2, 0),
		Const(1), Const(vector), Const(1), Const(vector+8), Call(write), Op(wasm.OpDrop))
	m.Func("start", Types{I32, I32}, nil, nil,
		Const(answer), Const(0), Op(0x36, 2, 0),
		Const(answer+4), Const(0), Op(0x36, 2, 0))
	m.Func("eval", Types{I32, I32}, Types{I32}, nil,
		put, Const(answer+4), Get(1), Op(0x45), Op(0x36, 2, 0), Const(answer))
}

func launcher() *sandbox.Launcher {
	return &sandbox.Launcher{
		Initialize: "_initialize", Alloc: "alloc", Start: "start", Eval: "eval",
		Args: []string{"prog", "-q"}, Prelude: "prelude", Run: [3]string{"run(", ",", ")\n"},
	}
}

// letters is a text in the letters that launchers write.
func letters(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte('a' + s[i]>>4)
		b.WriteByte('a' + s[i]&15)
	}
	return b.String()
}

// TestLauncherStartsWhatWasBuiltToBeCalled runs an interpreter that has no start of its own with arguments and environment.
func TestLauncherStartsWhatWasBuiltToBeCalled(t *testing.T) {
	box := newSandbox(t)
	adapted, stubs, err := sandbox.Adapt(encoded(interpreter), sandbox.Adaptation{Name: "prog", Stubs: true, Launcher: launcher()})
	if err != nil || !slices.Equal(stubs, []string{"js.call"}) {
		t.Fatalf("%q, %v", stubs, err)
	}
	program, err := box.Load(t.Context(), sandbox.Module("prog", adapted))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"prog"}, {"prog", "é\n", "", strings.Repeat("long ", 5000)}} {
		var stdout bytes.Buffer
		env := []string{"A=1", "B=\xff"}
		result, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{Args: args, Env: env, Stdout: &stdout})
		want := "run(" + letters(strings.Join(args, "\x00")+"\x00") + "," + letters(strings.Join(append(env, "PWD=/"), "\x00")+"\x00") + ")\n"
		if err != nil || result.ExitCode != 0 || stdout.String() != want {
			t.Errorf("%d arguments: %+v, %v\ngot  %.200q\nwant %.200q", len(args), result, err, stdout.String(), want)
		}
	}
}

// TestPreludeMustNotFail checks that a launcher whose interpreter does not come up is refused when it is loaded.
func TestPreludeMustNotFail(t *testing.T) {
	l := launcher()
	l.Prelude = ""
	adapted, _, err := sandbox.Adapt(encoded(interpreter), sandbox.Adaptation{Name: "prog", Stubs: true, Launcher: l})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newSandbox(t).Load(t.Context(), sandbox.Module("prog", adapted)); !errors.Is(err, sandbox.ErrBadModule) {
		t.Errorf("%v, want ErrBadModule", err)
	}
}

// TestAdaptRefuses checks what is said of modules that a launcher cannot start, and of what is none.
func TestAdaptRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		module []byte
		change func(l *sandbox.Launcher)
		text   string
	}{
		"no module":         {[]byte("no"), func(*sandbox.Launcher) {}, "not a WebAssembly module"},
		"no such function":  {encoded(interpreter), func(l *sandbox.Launcher) { l.Eval = "none" }, `exports no function "none"`},
		"an import":         {encoded(func(m *Module) { m.Import("js", "f", nil, nil); m.Memory(1, 0) }), func(*sandbox.Launcher) {}, "exports no function"},
		"another type":      {encoded(interpreter), func(l *sandbox.Launcher) { l.Eval = "start" }, `"start" has another type`},
		"no memory":         {encoded(func(m *Module) { m.Func("_initialize", nil, nil, nil) }), func(*sandbox.Launcher) {}, "no memory"},
		"a bad index":       {encoded(func(m *Module) { m.Memory(1, 0); m.Func("_initialize", nil, nil, nil, Call(9)) }), func(*sandbox.Launcher) {}, "out of range"},
		"a bad export":      {encoded(func(m *Module) { m.Exports = append(m.Exports, wasm.Export{Name: "f", Index: 3}) }), func(*sandbox.Launcher) {}, "out of range"},
		"a memory as start": {encoded(func(m *Module) { m.Memory(1, 0) }), func(l *sandbox.Launcher) { l.Initialize = "memory" }, "exports no function"},
	} {
		l := launcher()
		c.change(l)
		_, _, err := sandbox.Adapt(c.module, sandbox.Adaptation{Name: "prog", Launcher: l})
		if !errors.Is(err, sandbox.ErrBadModule) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", name, err, c.text)
		}
	}
}

// FuzzAdapt adapts any bytes. What comes of them is a module or an error.
func FuzzAdapt(f *testing.F) {
	f.Add(encoded(asking), true)
	f.Add(encoded(interpreter), false)
	f.Fuzz(func(t *testing.T, module []byte, launch bool) {
		a := sandbox.Adaptation{Name: "prog", Stubs: true}
		if launch {
			a.Launcher = launcher()
		}
		adapted, _, err := sandbox.Adapt(module, a)
		if err != nil {
			return
		}
		if _, err := wasm.Decode(adapted, wasm.Limits{}); err != nil {
			t.Errorf("what it made cannot be read: %v", err)
		}
	})
}
