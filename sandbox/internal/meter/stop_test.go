package meter_test

import (
	"context"
	"errors"
	"testing"

	"openclaw/sandbox/internal/wasm"
)

// endless are programs that never end by themselves, or not in a lifetime. Each
// exports a function named run.
var endless = map[string]func(*builder){
	"empty loop": func(b *builder) {
		b.Func("run", nil, nil, nil, void(wasm.OpLoop), op(wasm.OpBr, 0), end)
	},
	"loop through br_table": func(b *builder) {
		b.Func("run", nil, nil, nil, void(wasm.OpLoop), i32c(0), op(wasm.OpBrTable, 1, 0, 0), end)
	},
	"loop that calls nothing but a free leaf": func(b *builder) {
		leaf := b.Func("", nil, nil, nil, op(wasm.OpNop))
		b.Func("run", nil, nil, nil, void(wasm.OpLoop), op(wasm.OpCall, leaf), op(wasm.OpBr, 0), end)
	},
	"loop behind an inner loop": func(b *builder) {
		b.Func("run", nil, nil, nil,
			void(wasm.OpLoop), void(wasm.OpLoop), op(wasm.OpBr, 1), end, end)
	},
	"loop with parameters": func(b *builder) {
		t := b.AddType(valueTypes{wasm.I32}, nil)
		b.Func("run", nil, nil, nil, i32c(1), op(wasm.OpLoop, t), op(wasm.OpBr, 0), end)
	},
	"fib(60)": func(b *builder) {
		fib(b)
		b.Func("run", nil, nil, nil, i64c(60), op(wasm.OpCall, 0), op(wasm.OpDrop))
	},
	"mutual tail calls": func(b *builder) {
		b.Func("run", nil, nil, nil, op(wasm.OpReturnCall, 1))
		b.Func("", nil, nil, nil, op(wasm.OpReturnCall, 0))
	},
	"tail call through a table": func(b *builder) {
		b.Tables = []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 1}}}
		b.Elements = []wasm.Element{{Type: wasm.FuncRef, Offset: wasm.I32Const(0), Funcs: []uint32{0}}}
		b.Func("run", nil, nil, nil, i32c(0), op(wasm.OpReturnCallIndirect, 0, 0))
	},
	"memory.grow loop": func(b *builder) {
		b.Memory(1, 16)
		b.Func("run", nil, nil, nil,
			void(wasm.OpLoop), i32c(1), op(wasm.OpMemoryGrow, 0), op(wasm.OpDrop), op(wasm.OpBr, 0), end)
	},
	"memory.fill loop": func(b *builder) {
		b.Memory(16, 16)
		b.Func("run", nil, nil, nil,
			void(wasm.OpLoop), i32c(0), i32c(1), i32c(16*wasm.PageSize), op(wasm.OpMemoryFill, 0), op(wasm.OpBr, 0), end)
	},
	"memory.copy loop": func(b *builder) {
		b.Memory(16, 16)
		b.Func("run", nil, nil, nil,
			void(wasm.OpLoop), i32c(0), i32c(1), i32c(wasm.PageSize), op(wasm.OpMemoryCopy, 0, 0), op(wasm.OpBr, 0), end)
	},
	"table.grow loop": func(b *builder) {
		b.Tables = []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 1}}}
		b.Func("run", nil, nil, nil,
			void(wasm.OpLoop), op(wasm.OpRefNull, uint32(wasm.FuncRef)), i32c(100), op(wasm.OpTableGrow, 0),
			op(wasm.OpDrop), op(wasm.OpBr, 0), end)
	},
}

func TestEndlessProgramsStopWhenRefillPanics(t *testing.T) {
	const slice, refills = 1000, 20
	for name, build := range endless {
		for engine, config := range engines {
			t.Run(name+"/"+engine, func(t *testing.T) {
				var b builder
				build(&b)
				r := newRuntime(t, config)
				fuel := &tank{slice: slice, refills: refills}
				hostMeter(t, r, fuel)
				inst := instantiate(t, r, mustRewrite(t, b.Encode()))
				_, err := inst.ExportedFunction("run").Call(context.Background())
				if !errors.Is(err, errOutOfFuel) {
					t.Fatalf("ended with %v, want %v", err, errOutOfFuel)
				}
				if fuel.granted < slice*refills {
					t.Errorf("stopped after %d units, want at least %d", fuel.granted, slice*refills)
				}
			})
		}
	}
}

func TestInstanceGoesOnAfterItWasStopped(t *testing.T) {
	var b builder
	countdown(&b)
	fib(&b)
	r := newRuntime(t, engines["compiler"])
	fuel := &tank{slice: 1000, refills: 3}
	hostMeter(t, r, fuel)
	inst := instantiate(t, r, mustRewrite(t, b.Encode()))
	ctx := context.Background()
	if _, err := inst.ExportedFunction("countdown").Call(ctx, 1_000_000); !errors.Is(err, errOutOfFuel) {
		t.Fatalf("ended with %v, want %v", err, errOutOfFuel)
	}
	fuel.refills = -1
	got, err := inst.ExportedFunction("fib").Call(ctx, 20)
	if err != nil || got[0] != 6765 {
		t.Fatalf("fib(20) = %v, %v", got, err)
	}
}

// Work in proportion to an operand must cost in proportion to it.
func TestSizedInstructionsAreChargedBySize(t *testing.T) {
	i32 := valueTypes{wasm.I32}
	local := op(wasm.OpLocalGet, 0)
	table := func(b *builder) {
		b.Tables = []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 2000}}}
	}
	null := op(wasm.OpRefNull, uint32(wasm.FuncRef))
	for name, tc := range map[string]struct {
		build func(*builder)
		sizes [2]uint64
		want  int64
	}{
		"memory.fill": {func(b *builder) {
			b.Memory(1, 1)
			b.Func("run", i32, nil, nil, i32c(0), i32c(1), local, op(wasm.OpMemoryFill, 0))
		}, [2]uint64{0, 8000}, 1000},
		"memory.copy": {func(b *builder) {
			b.Memory(1, 1)
			b.Func("run", i32, nil, nil, i32c(0), i32c(1), local, op(wasm.OpMemoryCopy, 0, 0))
		}, [2]uint64{80, 8080}, 1000},
		"memory.init": {func(b *builder) {
			b.Memory(1, 1)
			n := uint32(1)
			b.DataCount, b.Data = &n, []wasm.Data{{Mode: wasm.Passive, Bytes: make([]byte, 100)}}
			b.Func("run", i32, nil, nil, i32c(0), i32c(0), local, op(wasm.OpMemoryInit, 0, 0))
		}, [2]uint64{0, 80}, 10},
		"memory.grow": {func(b *builder) {
			b.Memory(1, 20)
			b.Func("run", i32, nil, nil, local, op(wasm.OpMemoryGrow, 0), op(wasm.OpDrop))
		}, [2]uint64{0, 10}, 640},
		"memory.grow that cannot succeed": {func(b *builder) {
			b.Memory(1, 20)
			b.Func("run", i32, nil, nil, local, op(wasm.OpMemoryGrow, 0), op(wasm.OpDrop))
		}, [2]uint64{0, 0xffff_ffff}, 64 * (1<<17 - 1)},
		"table.grow": {func(b *builder) {
			table(b)
			b.Func("run", i32, nil, nil, null, local, op(wasm.OpTableGrow, 0), op(wasm.OpDrop))
		}, [2]uint64{0, 50}, 50},
		"table.fill": {func(b *builder) {
			table(b)
			b.Func("run", i32, nil, nil, i32c(0), null, local, op(wasm.OpTableFill, 0))
		}, [2]uint64{10, 1010}, 1000},
		"table.copy": {func(b *builder) {
			table(b)
			b.Func("run", i32, nil, nil, i32c(0), i32c(0), local, op(wasm.OpTableCopy, 0, 0))
		}, [2]uint64{10, 1010}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			var b builder
			tc.build(&b)
			module := b.Encode()
			var used [2]int64
			for i, size := range tc.sizes {
				used[i] = fuelUsed(t, module, "compiler", "run", size)
			}
			if got := used[1] - used[0]; got != tc.want {
				t.Errorf("costs %d more for %d instead of %d, want %d", got, tc.sizes[1], tc.sizes[0], tc.want)
			}
		})
	}
}

func fuelUsed(t *testing.T, module []byte, engine, function string, args ...uint64) int64 {
	t.Helper()
	r := newRuntime(t, engines[engine])
	fuel := &tank{slice: 100, refills: -1}
	hostMeter(t, r, fuel)
	inst := instantiate(t, r, mustRewrite(t, module))
	if _, err := inst.ExportedFunction(function).Call(context.Background(), args...); err != nil {
		t.Fatal(err)
	}
	return fuel.used(inst)
}

func TestFuelIsTheSameInEachRunAndEngine(t *testing.T) {
	for name, build := range map[string]func(*builder){
		"countdown": countdown, "fib": fib, "sum": sum, "leafcalls": leafcalls,
	} {
		t.Run(name, func(t *testing.T) {
			var b builder
			build(&b)
			module := b.Encode()
			want := fuelUsed(t, module, "compiler", name, 10)
			if want <= 0 {
				t.Fatalf("used %d units", want)
			}
			for _, engine := range []string{"compiler", "interpreter"} {
				if got := fuelUsed(t, module, engine, name, 10); got != want {
					t.Errorf("%s used %d units, want %d", engine, got, want)
				}
			}
		})
	}
}
