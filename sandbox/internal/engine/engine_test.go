package engine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"openclaw/sandbox/internal/engine"
	"openclaw/sandbox/internal/image"
	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasi"
	. "openclaw/sandbox/internal/wasm/wasmtest"
)

const pageSize = 64 << 10

// host hands out fuel until it is told to refuse.
type host struct {
	refills int
	refuse  error
}

func (h *host) Refill(int64) (int64, error) {
	h.refills++
	const plenty = 1 << 20
	return plenty, h.refuse
}

func (h *host) System() *wasi.System { return nil }

// engines runs a test on each way of executing modules.
func engines(t *testing.T, test func(t *testing.T, e engine.Engine)) {
	for name, opt := range map[string]engine.WazeroOptions{
		"in memory": {}, "with a cache": {CacheDir: t.TempDir()}, "interpreter": {Interpreter: true},
	} {
		t.Run(name, func(t *testing.T) { test(t, newEngine(t, opt)) })
	}
}

func newEngine(t *testing.T, opt engine.WazeroOptions) engine.Engine {
	t.Helper()
	e, err := engine.NewWazero(context.Background(), opt)
	must(t, err)
	t.Cleanup(func() { must(t, e.Close(context.Background())) })
	return e
}

// rewritten is a module with a memory and some functions.
func rewritten(t *testing.T) *meter.Module {
	t.Helper()
	var m Module
	m.Memory(1, 4)
	m.Func("answer", nil, Types{I32}, nil, Const(42))
	m.Func("nothing", nil, nil, nil)
	m.Func("trap", nil, nil, nil, Unreachable)
	m.Func("loop", nil, nil, nil, Loop(), Br(0), End)
	m.Func("grow", nil, Types{I32}, nil, Const(2), MemoryGrow)
	out, err := meter.Rewrite(m.Encode(), meter.Options{})
	must(t, err)
	return out
}

func start(t *testing.T, m engine.Module, h engine.Host) engine.Instance {
	t.Helper()
	img, err := image.New(image.Content{Size: pageSize, Segments: []image.Segment{{Offset: 8, Bytes: []byte("initial")}}})
	must(t, err)
	memory := img.NewMemory(3 * pageSize)
	i, err := m.Instantiate(context.Background(), memory, h)
	must(t, err)
	t.Cleanup(func() {
		must(t, i.Close(context.Background()))
		memory.Free()
		must(t, img.Close())
	})
	return i
}

func compile(t *testing.T, e engine.Engine, m *meter.Module) (engine.Module, *engine.Compiled) {
	t.Helper()
	module, compiled, err := e.Compile(context.Background(), m)
	must(t, err)
	t.Cleanup(func() { must(t, module.Close(context.Background())) })
	return module, compiled
}

func TestCallReturnsResults(t *testing.T) {
	ctx := context.Background()
	engines(t, func(t *testing.T, e engine.Engine) {
		module, _ := compile(t, e, rewritten(t))
		i := start(t, module, &host{})
		if got, err := i.Call(ctx, "answer"); got != 42 || err != nil {
			t.Errorf("answer = %d, %v", got, err)
		}
		if got, err := i.Call(ctx, "nothing"); got != 0 || err != nil {
			t.Errorf("nothing = %d, %v", got, err)
		}
		for _, export := range []string{"trap", "none"} {
			if _, err := i.Call(ctx, export); err == nil {
				t.Errorf("%s does not fail", export)
			}
		}
	})
}

func TestInstanceRunsOnTheMemoryItIsGiven(t *testing.T) {
	engines(t, func(t *testing.T, e engine.Engine) {
		module, _ := compile(t, e, rewritten(t))
		i := start(t, module, &host{})
		if got := i.Memory(); len(got) != pageSize || !bytes.Equal(got[8:15], []byte("initial")) {
			t.Errorf("the memory has %d bytes, %q", len(got), got[8:15])
		}
		if got, err := i.Call(context.Background(), "grow"); got != 1 || err != nil {
			t.Errorf("grow = %d, %v", got, err)
		}
		if got := i.Memory(); len(got) != 3*pageSize || !bytes.Equal(got[8:15], []byte("initial")) {
			t.Errorf("the grown memory has %d bytes", len(got))
		}
	})
}

func TestRefusedFuelEndsTheGuestWithItsCause(t *testing.T) {
	engines(t, func(t *testing.T, e engine.Engine) {
		module, _ := compile(t, e, rewritten(t))
		h := &host{refuse: errors.New("no more")}
		i := start(t, module, h)
		if _, err := i.Call(context.Background(), "loop"); !errors.Is(err, h.refuse) || h.refills != 1 {
			t.Errorf("Call = %v after %d refills, want the cause of the refusal", err, h.refills)
		}
	})
}

func TestGlobalsAreSeenByTheirBits(t *testing.T) {
	engines(t, func(t *testing.T, e engine.Engine) {
		m := rewritten(t)
		module, _ := compile(t, e, m)
		i := start(t, module, &host{})
		const fuel = 1 << 40
		must(t, i.SetGlobal(m.FuelGlobal, fuel))
		if got, err := i.Global(m.FuelGlobal); got != fuel || err != nil {
			t.Errorf("Global = %d, %v", got, err)
		}
		if _, err := i.Global("none"); err == nil {
			t.Error("a global that there is not was read")
		}
		if i.SetGlobal("none", 1) == nil {
			t.Error("a global that there is not was set")
		}
	})
}

func TestModuleWithoutMemory(t *testing.T) {
	var m Module
	m.Func("answer", nil, Types{I32}, nil, Const(7))
	out, err := meter.Rewrite(m.Encode(), meter.Options{})
	must(t, err)
	engines(t, func(t *testing.T, e engine.Engine) {
		module, _ := compile(t, e, out)
		i, err := module.Instantiate(context.Background(), nil, &host{})
		must(t, err)
		defer i.Close(context.Background())
		if got, err := i.Call(context.Background(), "answer"); got != 7 || err != nil || i.Memory() != nil {
			t.Errorf("answer = %d, %v; memory of %d bytes", got, err, len(i.Memory()))
		}
	})
}

func TestAnotherEngineRestoresWhatOneCompiled(t *testing.T) {
	dir := t.TempDir()
	_, compiled := compile(t, newEngine(t, engine.WazeroOptions{CacheDir: dir}), rewritten(t))
	if compiled.Code == "" {
		t.Fatal("the code was not kept")
	}
	module, err := newEngine(t, engine.WazeroOptions{CacheDir: dir}).Restore(context.Background(), compiled)
	must(t, err)
	if got, err := start(t, module, &host{}).Call(context.Background(), "answer"); got != 42 || err != nil {
		t.Errorf("answer = %d, %v", got, err)
	}
}

func TestRestoreNeedsTheCodeWhole(t *testing.T) {
	for name, damage := range map[string]func(file string) error{
		"missing": os.Remove,
		"cut off": func(file string) error { return os.Truncate(file, 10) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, compiled := compile(t, newEngine(t, engine.WazeroOptions{CacheDir: dir}), rewritten(t))
			must(t, damage(filepath.Join(dir, filepath.FromSlash(compiled.Code))))
			if _, err := newEngine(t, engine.WazeroOptions{CacheDir: dir}).Restore(context.Background(), compiled); err == nil {
				t.Error("Restore succeeded")
			}
		})
	}
}

func TestCompileRefusesWhatIsNoModule(t *testing.T) {
	engines(t, func(t *testing.T, e engine.Engine) {
		if _, _, err := e.Compile(context.Background(), &meter.Module{Wasm: []byte("not a module")}); err == nil {
			t.Error("Compile succeeded")
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
