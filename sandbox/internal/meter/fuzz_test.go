package meter_test

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"pgregory.net/rapid"

	"openclaw/sandbox/internal/meter"
)

// FuzzRewrite: whatever an engine accepts it still accepts after rewriting, and
// what it refuses Rewrite either refuses too or leaves to be refused.
func FuzzRewrite(f *testing.F) {
	for _, build := range endless {
		var b builder
		build(&b)
		f.Add(b.Encode())
	}
	generated := rapid.Custom(func(t *rapid.T) []byte {
		module, _ := drawModule(t)
		return module
	})
	for seed := range 50 {
		f.Add(generated.Example(seed))
	}
	ctx := context.Background()
	config := wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(features).WithMemoryLimitPages(256)
	f.Fuzz(func(t *testing.T, module []byte) {
		m, err := meter.Rewrite(module, meter.Options{})
		if err != nil {
			return
		}
		r := wazero.NewRuntimeWithConfig(ctx, config)
		defer r.Close(ctx)
		_, plain := r.CompileModule(ctx, module)
		_, metered := r.CompileModule(ctx, m.Wasm)
		if plain == nil && metered != nil {
			t.Fatalf("compiles only before rewriting: %v", metered)
		}
		if _, err := meter.Rewrite(m.Wasm, meter.Options{}); err == nil {
			t.Fatal("a rewritten module can be rewritten again")
		}
	})
}

// FuzzBehaviour searches for modules that behave differently after rewriting.
func FuzzBehaviour(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(checkSameBehaviour))
}
