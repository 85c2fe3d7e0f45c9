package meter_test

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"

	"openclaw/sandbox/internal/wasm"
)

const (
	i64Eqz  = 0x50
	i64LtS  = 0x53
	i64Xor  = 0x85
	i32Eqz  = 0x45
	i32LtS  = 0x48
	i32Load = 0x28
)

// countdown loops n times and does next to nothing in between.
func countdown(b *builder) {
	i64 := valueTypes{wasm.I64}
	b.Func("countdown", i64, i64, locals(wasm.I64, 1),
		void(wasm.OpLoop),
		op(wasm.OpLocalGet, 1), op(wasm.OpLocalGet, 0), op(i64Xor), op(wasm.OpLocalSet, 1),
		op(wasm.OpLocalGet, 0), i64c(1), op(wasm.OpI64Sub), op(wasm.OpLocalTee, 0),
		op(i64Eqz), op(i32Eqz), op(wasm.OpBrIf, 0),
		end,
		op(wasm.OpLocalGet, 1))
}

func fib(b *builder) {
	i64 := valueTypes{wasm.I64}
	self := uint32(b.NumFunctions())
	b.Func("fib", i64, i64, nil,
		op(wasm.OpLocalGet, 0), i64c(2), op(i64LtS),
		void(wasm.OpIf), op(wasm.OpLocalGet, 0), op(wasm.OpReturn), end,
		op(wasm.OpLocalGet, 0), i64c(1), op(wasm.OpI64Sub), op(wasm.OpCall, self),
		op(wasm.OpLocalGet, 0), i64c(2), op(wasm.OpI64Sub), op(wasm.OpCall, self),
		op(wasm.OpI64Add))
}

// sum adds up memory in two nested loops: n rounds over 16 KiB.
func sum(b *builder) {
	i64 := valueTypes{wasm.I64}
	b.Memory(1, 1)
	b.Func("sum", i64, i64, []wasm.LocalGroup{{Count: 1, Type: wasm.I64}, {Count: 1, Type: wasm.I32}},
		void(wasm.OpLoop),
		i32c(0), op(wasm.OpLocalSet, 2),
		void(wasm.OpLoop),
		op(wasm.OpLocalGet, 2), op(i32Load, 2, 0), op(wasm.OpI64ExtendI32U),
		op(wasm.OpLocalGet, 1), op(wasm.OpI64Add), op(wasm.OpLocalSet, 1),
		op(wasm.OpLocalGet, 2), i32c(4), op(wasm.OpI32Add), op(wasm.OpLocalTee, 2),
		i32c(16<<10), op(i32LtS), op(wasm.OpBrIf, 0),
		end,
		op(wasm.OpLocalGet, 0), i64c(1), op(wasm.OpI64Sub), op(wasm.OpLocalTee, 0),
		op(i64Eqz), op(i32Eqz), op(wasm.OpBrIf, 0),
		end,
		op(wasm.OpLocalGet, 1))
}

// leafcalls calls a tiny function n times.
func leafcalls(b *builder) {
	i64 := valueTypes{wasm.I64}
	leaf := b.Func("", i64, i64, nil, op(wasm.OpLocalGet, 0), i64c(3), op(wasm.OpI64Add))
	b.Func("leafcalls", i64, i64, locals(wasm.I64, 1),
		void(wasm.OpLoop),
		op(wasm.OpLocalGet, 1), op(wasm.OpCall, leaf), op(wasm.OpLocalSet, 1),
		op(wasm.OpLocalGet, 0), i64c(1), op(wasm.OpI64Sub), op(wasm.OpLocalTee, 0),
		op(i64Eqz), op(i32Eqz), op(wasm.OpBrIf, 0),
		end,
		op(wasm.OpLocalGet, 1))
}

// copies copies 64 bytes n times.
func copies(b *builder) {
	i64 := valueTypes{wasm.I64}
	b.Memory(1, 1)
	b.Func("copies", i64, i64, nil,
		void(wasm.OpLoop),
		i32c(1024), i32c(8), i32c(64), op(wasm.OpMemoryCopy, 0, 0),
		op(wasm.OpLocalGet, 0), i64c(1), op(wasm.OpI64Sub), op(wasm.OpLocalTee, 0),
		op(i64Eqz), op(i32Eqz), op(wasm.OpBrIf, 0),
		end,
		op(wasm.OpLocalGet, 0))
}

// BenchmarkGuest runs each program as it was and metered; compare the pairs.
func BenchmarkGuest(b *testing.B) {
	for _, bench := range []struct {
		name  string
		build func(*builder)
		arg   uint64
	}{
		{"countdown", countdown, 100_000_000},
		{"fib", fib, 35},
		{"sum", sum, 20_000},
		{"leafcalls", leafcalls, 50_000_000},
		{"copies", copies, 10_000_000},
	} {
		var mod builder
		bench.build(&mod)
		module := mod.Encode()
		run := func(metered bool) func(b *testing.B) {
			return func(b *testing.B) {
				ctx := context.Background()
				r := newRuntime(b, wazero.NewRuntimeConfigCompiler)
				code := module
				if metered {
					hostMeter(b, r, &tank{slice: 10_000_000, refills: -1})
					code = mustRewrite(b, module).Wasm
				}
				inst, err := r.Instantiate(ctx, code)
				if err != nil {
					b.Fatal(err)
				}
				f := inst.ExportedFunction(bench.name)
				for b.Loop() {
					if _, err := f.Call(ctx, bench.arg); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
		b.Run(bench.name+"/plain", run(false))
		b.Run(bench.name+"/metered", run(true))
	}
}
