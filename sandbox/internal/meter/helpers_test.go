package meter_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasm"
	"openclaw/sandbox/internal/wasm/wasmtest"
)

const features = api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall | experimental.CoreFeaturesExtendedConst

var errOutOfFuel = errors.New("out of fuel")

// engines are the configurations that must agree on results and fuel.
var engines = map[string]func() wazero.RuntimeConfig{
	"compiler":    wazero.NewRuntimeConfigCompiler,
	"interpreter": wazero.NewRuntimeConfigInterpreter,
}

func newRuntime(tb testing.TB, config func() wazero.RuntimeConfig) wazero.Runtime {
	tb.Helper()
	r := wazero.NewRuntimeWithConfig(context.Background(), config().WithCoreFeatures(features))
	tb.Cleanup(func() { r.Close(context.Background()) })
	return r
}

// tank hands out fuel in slices, like a host does, and keeps count.
type tank struct {
	slice   int64
	refills int // left; a negative number means no limit
	granted int64
}

func (t *tank) refill(remaining int64) int64 {
	if t.refills == 0 {
		panic(errOutOfFuel)
	}
	t.refills--
	// A debt may be larger than one slice.
	for fuel := remaining; ; {
		fuel += t.slice
		t.granted += t.slice
		if fuel >= 0 {
			return fuel
		}
	}
}

func (t *tank) used(m api.Module) int64 {
	return t.granted - int64(m.ExportedGlobal(fuelName).Get())
}

const fuelName = meter.ReservedPrefix + "fuel"

func hostMeter(tb testing.TB, r wazero.Runtime, t *tank) {
	tb.Helper()
	_, err := r.NewHostModuleBuilder(meter.ImportModule).
		NewFunctionBuilder().WithFunc(t.refill).Export(meter.ImportName).
		Instantiate(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
}

// instantiate does what a host does with a rewritten module.
func instantiate(tb testing.TB, r wazero.Runtime, m *meter.Module) api.Module {
	tb.Helper()
	ctx := context.Background()
	inst, err := r.InstantiateWithConfig(ctx, m.Wasm, wazero.NewModuleConfig().WithStartFunctions().WithName(""))
	if err != nil {
		tb.Fatal(err)
	}
	writeData(tb, inst, m)
	return inst
}

func writeData(tb testing.TB, inst api.Module, m *meter.Module) {
	tb.Helper()
	for _, d := range m.Data {
		if !inst.Memory().Write(d.Offset, d.Bytes) {
			tb.Fatalf("data at %d does not fit", d.Offset)
		}
	}
}

func mustRewrite(tb testing.TB, module []byte) *meter.Module {
	tb.Helper()
	m, err := meter.Rewrite(module, meter.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// The instructions of wasmtest under shorter names: the tests spell whole functions with them.
var (
	cat    = wasmtest.Cat
	op     = wasmtest.Op
	i32c   = wasmtest.Const
	i64c   = wasmtest.Const64
	locals = wasmtest.Locals
	end    = wasmtest.End
)

// void opens a block, loop or if without parameters and results.
func void(code uint32) []byte { return []byte{byte(code), wasm.BlockEmpty} }

type (
	valueTypes = wasmtest.Types
	builder    = wasmtest.Module
)

func withMeter(tb testing.TB) wazero.Runtime {
	tb.Helper()
	r := newRuntime(tb, wazero.NewRuntimeConfigCompiler)
	hostMeter(tb, r, &tank{slice: 1_000_000, refills: -1})
	return r
}
