package meter_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"pgregory.net/rapid"

	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasm"
)

// outcome is everything that can be observed of a run.
type outcome struct {
	calls   []string
	globals []string
	memory  []byte
	fuel    int64
}

// observe calls every function of a generated module, twice, in one instance.
func observe(tb rapid.TB, config wazero.RuntimeConfig, original *wasm.Module, metered *meter.Module, code []byte, signatures []wasm.FuncType) outcome {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config.WithCoreFeatures(features))
	defer r.Close(ctx)
	must := func(err error) {
		if err != nil {
			tb.Fatalf("%v", err)
		}
	}
	_, err := r.NewHostModuleBuilder(importedSpace).NewFunctionBuilder().
		WithFunc(func(a uint32, b uint64) uint32 { return a*31 + uint32(b>>7) }).Export(importedName).Instantiate(ctx)
	must(err)
	fuel := &tank{slice: 64, refills: -1}
	_, err = r.NewHostModuleBuilder(meter.ImportModule).
		NewFunctionBuilder().WithFunc(fuel.refill).Export(meter.ImportName).Instantiate(ctx)
	must(err)
	inst, err := r.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig().WithName(""))
	must(err)

	var o outcome
	if metered != nil {
		for _, d := range metered.Data {
			inst.Memory().Write(d.Offset, d.Bytes)
		}
		if metered.HasStart {
			_, err := inst.ExportedFunction(metered.StartExport).Call(ctx)
			must(err)
		}
	}
	for i := range 2 * len(signatures) {
		i %= len(signatures)
		budget := inst.ExportedGlobal(fmt.Sprintf("g%d", len(original.Globals)-1))
		budget.(api.MutableGlobal).Set(genBudget)
		o.calls = append(o.calls, call(ctx, inst, i, signatures[i]))
	}
	for i := range original.Globals {
		name := fmt.Sprintf("g%d", i)
		g := inst.ExportedGlobal(name)
		o.globals = append(o.globals, format(original.Globals[i].Type.Value, g.Get()))
	}
	view, _ := inst.Memory().Read(0, inst.Memory().Size())
	o.memory = bytes.Clone(view)
	if metered != nil {
		o.fuel = fuel.used(inst)
	}
	return o
}

func call(ctx context.Context, inst api.Module, i int, sig wasm.FuncType) string {
	args := make([]uint64, len(sig.Params))
	for j := range args {
		args[j] = uint64(j * 3)
	}
	results, err := inst.ExportedFunction(fmt.Sprintf("f%d", i)).Call(ctx, args...)
	if err != nil {
		trap, _, _ := strings.Cut(err.Error(), "\n")
		return trap
	}
	var b strings.Builder
	for j, v := range results {
		fmt.Fprintf(&b, "%s ", format(sig.Results[j], v))
	}
	return b.String()
}

// format makes all NaNs equal.
func format(t wasm.ValueType, v uint64) string {
	if t == wasm.F32 && math.IsNaN(float64(api.DecodeF32(v))) || t == wasm.F64 && math.IsNaN(api.DecodeF64(v)) {
		return "nan"
	}
	if t == wasm.I32 || t == wasm.F32 {
		v = uint64(uint32(v))
	}
	return fmt.Sprintf("%s:%x", t, v)
}

// exportGlobals makes all globals of a module observable under g0, g1 …
func exportGlobals(tb rapid.TB, module []byte) ([]byte, *wasm.Module) {
	m, err := wasm.Decode(module, wasm.Limits{})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	for i := range m.Globals {
		m.Exports = append(m.Exports, wasm.Export{Name: fmt.Sprintf("g%d", i), Kind: wasm.ExternGlobal, Index: uint32(i)})
	}
	return m.Encode(), m
}

func checkSameBehaviour(t *rapid.T) {
	module, signatures := drawModule(t)
	module, original := exportGlobals(t, module)
	metered, err := meter.Rewrite(module, meter.Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	plain := observe(t, wazero.NewRuntimeConfigCompiler(), original, nil, module, signatures)
	compiled := observe(t, wazero.NewRuntimeConfigCompiler(), original, metered, metered.Wasm, signatures)
	again := observe(t, wazero.NewRuntimeConfigCompiler(), original, metered, metered.Wasm, signatures)
	interpreted := observe(t, wazero.NewRuntimeConfigInterpreter(), original, metered, metered.Wasm, signatures)

	requireSame(t, "metered and plain", compiled, plain)
	requireSame(t, "interpreted and compiled", interpreted, compiled)
	if compiled.fuel != again.fuel || compiled.fuel != interpreted.fuel {
		t.Fatalf("fuel used: %d compiled, %d again, %d interpreted", compiled.fuel, again.fuel, interpreted.fuel)
	}
}

func requireSame(t *rapid.T, what string, got, want outcome) {
	for i := range want.calls {
		if got.calls[i] != want.calls[i] {
			t.Fatalf("%s: call %d: %q, want %q", what, i, got.calls[i], want.calls[i])
		}
	}
	for i := range want.globals {
		if got.globals[i] != want.globals[i] {
			t.Fatalf("%s: global %d: %q, want %q", what, i, got.globals[i], want.globals[i])
		}
	}
	if !bytes.Equal(got.memory, want.memory) {
		t.Fatalf("%s: memory differs", what)
	}
}

func TestRandomModulesBehaveTheSameAfterRewriting(t *testing.T) {
	rapid.Check(t, checkSameBehaviour)
}
