package meter_test

import (
	"math"

	"pgregory.net/rapid"

	"openclaw/sandbox/internal/wasm"
)

// generator draws valid modules. Every function entry and every loop head counts
// down a global and traps at zero, so that all programs end, whatever they call
// and wherever they branch.
type generator struct {
	t   *rapid.T
	mod builder

	signatures []wasm.FuncType // of the defined functions
	budget     uint32          // index of the global that is counted down
	passive    []uint32        // passive data segments

	// State of the function being written.
	params  valueTypes
	locals  valueTypes
	results valueTypes
	labels  []valueTypes // what a branch to each enclosing label takes, outermost first
	out     []byte
}

var numeric = valueTypes{wasm.I32, wasm.I64, wasm.F32, wasm.F64}

const (
	genBudget     = 300
	genMaxDepth   = 4
	genTableMax   = 24
	genMemoryMax  = 4
	genElements   = 8
	hostCallType  = 0 // index in mod.Types, of the imported function
	numImported   = 1
	importedName  = "mix"
	importedSpace = "env"
)

// drawModule returns a valid module that exports each function as f0, f1 … It
// imports env.mix of type (i32 i64) -> (i32).
func drawModule(t *rapid.T) (module []byte, signatures []wasm.FuncType) {
	g := &generator{t: t}
	g.mod.AddType(valueTypes{wasm.I32, wasm.I64}, valueTypes{wasm.I32})
	g.mod.Imports = []wasm.Import{{Module: importedSpace, Name: importedName, Func: hostCallType}}
	for range g.int(1, 5) {
		g.signatures = append(g.signatures, wasm.FuncType{Params: g.types(3), Results: g.types(2)})
	}
	g.globals()
	g.memoryAndData()
	g.table()
	for i := range g.signatures {
		g.function(i)
	}
	g.start()
	return g.mod.Encode(), g.signatures
}

func (g *generator) int(lo, hi int) int      { return rapid.IntRange(lo, hi).Draw(g.t, "n") }
func (g *generator) chance(percent int) bool { return g.int(1, 100) <= percent }
func (g *generator) typ() wasm.ValueType     { return rapid.SampledFrom(numeric).Draw(g.t, "type") }

func (g *generator) types(most int) valueTypes {
	var ts valueTypes
	for range g.int(0, most) {
		ts = append(ts, g.typ())
	}
	return ts
}

func (g *generator) emit(parts ...[]byte) {
	for _, p := range parts {
		g.out = append(g.out, p...)
	}
}

func (g *generator) globals() {
	for range g.int(1, 4) {
		t := g.typ()
		g.mod.Globals = append(g.mod.Globals, wasm.Global{
			Type: wasm.GlobalType{Value: t, Mutable: g.chance(80)},
			Init: append(zero(t), end...),
		})
	}
	g.budget = uint32(len(g.mod.Globals))
	g.mod.Globals = append(g.mod.Globals, wasm.Global{
		Type: wasm.GlobalType{Value: wasm.I32, Mutable: true}, Init: wasm.I32Const(genBudget),
	})
}

func (g *generator) memoryAndData() {
	pages := uint32(g.int(1, 2))
	g.mod.Memory(pages, genMemoryMax)
	for i := range g.int(0, 6) {
		d := wasm.Data{Bytes: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(g.t, "data")}
		if g.chance(30) {
			d.Mode = wasm.Passive
			g.passive = append(g.passive, uint32(i))
		} else {
			at := int32(g.int(0, 300))
			if g.chance(20) {
				at = int32(pages*wasm.PageSize) - int32(len(d.Bytes))
			}
			d.Offset = wasm.I32Const(at)
			if g.chance(10) {
				d.Offset = cat(i32c(at-7), i32c(7), op(wasm.OpI32Add), end)
			}
		}
		g.mod.Data = append(g.mod.Data, d)
	}
	if n := uint32(len(g.mod.Data)); n > 0 {
		g.mod.DataCount = &n
	}
}

func (g *generator) table() {
	g.mod.Tables = []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 10, Max: genTableMax, HasMax: true}}}
	active := wasm.Element{Type: wasm.FuncRef, Offset: wasm.I32Const(1)}
	passive := wasm.Element{Type: wasm.FuncRef, Mode: wasm.Passive, UsesExprs: true}
	for range genElements {
		active.Funcs = append(active.Funcs, g.anyFunction())
		passive.Exprs = append(passive.Exprs, append(op(wasm.OpRefFunc, g.anyFunction()), end...))
	}
	declared := wasm.Element{Type: wasm.FuncRef, Mode: wasm.Declarative}
	for i := range uint32(len(g.signatures) + numImported) {
		declared.Funcs = append(declared.Funcs, i)
	}
	g.mod.Elements = []wasm.Element{active, passive, declared}
}

func (g *generator) anyFunction() uint32 { return uint32(g.int(0, len(g.signatures))) }

func (g *generator) start() {
	if !g.chance(30) {
		return
	}
	at := g.mod.Func("", nil, nil, nil, i32c(16), i32c(7), op(0x36, 2, 0)) // i32.store
	g.mod.Start = &at
}

func (g *generator) function(i int) {
	sig := g.signatures[i]
	g.params, g.results, g.locals = sig.Params, sig.Results, append(append(valueTypes{}, sig.Params...), g.types(3)...)
	g.labels, g.out = []valueTypes{sig.Results}, nil
	var declared []wasm.LocalGroup
	for _, t := range g.locals[len(sig.Params):] {
		declared = append(declared, wasm.LocalGroup{Count: 1, Type: t})
	}
	g.countDown()
	g.sequence(sig.Results, genMaxDepth)
	g.mod.Func("f"+string(rune('0'+i)), sig.Params, sig.Results, declared, g.out)
}

// countDown ends the program when the budget is used up.
func (g *generator) countDown() {
	g.emit(op(wasm.OpGlobalGet, g.budget), i32c(1), op(wasm.OpI32Sub), op(wasm.OpGlobalSet, g.budget),
		op(wasm.OpGlobalGet, g.budget), i32c(0), op(i32LtS), void(wasm.OpIf), op(wasm.OpUnreachable), end)
}

// sequence emits statements and then values of the given types.
func (g *generator) sequence(results valueTypes, depth int) {
	for range g.int(0, 4) {
		g.statement(depth)
	}
	if g.chance(15) {
		g.jump(depth)
		return
	}
	g.values(results, depth)
}

func (g *generator) values(ts valueTypes, depth int) {
	for _, t := range ts {
		g.value(t, depth)
	}
}

func (g *generator) drop(ts valueTypes) {
	for range ts {
		g.emit(op(wasm.OpDrop))
	}
}

// jump emits an unconditional transfer of control.
func (g *generator) jump(depth int) {
	switch g.int(0, 4) {
	case 0:
		g.values(g.results, depth-1)
		g.emit(op(wasm.OpReturn))
	case 1:
		l, takes := g.label()
		g.values(takes, depth-1)
		g.emit(op(wasm.OpBr, l))
	case 2:
		l, takes := g.label()
		g.values(takes, depth-1)
		g.value(wasm.I32, depth-1)
		g.brTable(l, takes)
	case 3:
		g.tailCall(depth)
	default:
		if g.chance(10) {
			g.emit(op(wasm.OpUnreachable))
			return
		}
		l, takes := g.label()
		g.values(takes, depth-1)
		g.emit(op(wasm.OpBr, l))
	}
}

// label draws a label and returns its depth and what a branch to it takes.
func (g *generator) label() (uint32, valueTypes) {
	i := g.int(0, len(g.labels)-1)
	return uint32(len(g.labels) - 1 - i), g.labels[i]
}

func (g *generator) brTable(l uint32, takes valueTypes) {
	same := []uint32{l}
	for i, other := range g.labels {
		if equal(other, takes) {
			same = append(same, uint32(len(g.labels)-1-i))
		}
	}
	n := g.int(0, 4)
	g.emit(op(wasm.OpBrTable, uint32(n)))
	for range n + 1 {
		g.emit(wasm.AppendU32(nil, rapid.SampledFrom(same).Draw(g.t, "target")))
	}
}

func equal(a, b valueTypes) bool { return string(asBytes(a)) == string(asBytes(b)) }

func asBytes(ts valueTypes) []byte {
	var b []byte
	for _, t := range ts {
		b = append(b, byte(t))
	}
	return b
}

func (g *generator) tailCall(depth int) {
	for i, sig := range g.signatures {
		if equal(sig.Results, g.results) && g.chance(60) {
			g.values(sig.Params, depth-1)
			g.emit(op(wasm.OpReturnCall, uint32(i+numImported)))
			return
		}
	}
	g.values(g.results, depth-1)
	g.emit(op(wasm.OpReturn))
}

func (g *generator) statement(depth int) {
	if depth <= 0 {
		g.emit(op(wasm.OpNop))
		return
	}
	switch g.int(0, 11) {
	case 0:
		g.setVariable(depth)
	case 1:
		g.block(g.types(2), depth, true)
	case 2:
		l, takes := g.label()
		g.values(takes, depth-1)
		g.value(wasm.I32, depth-1)
		g.emit(op(wasm.OpBrIf, l))
		g.drop(takes)
	case 3:
		g.call(depth)
	case 4:
		g.callIndirect(depth)
	case 5:
		g.value(wasm.I32, depth-1)
		g.emit(i32c(0xffff), op(wasm.OpI32And))
		g.value(wasm.I32, depth-1)
		g.emit(op(0x36, 2, uint32(g.int(0, 40)))) // i32.store
	case 6, 7:
		g.bulkMemory(depth)
	case 8:
		g.bulkTable(depth)
	case 9:
		g.value(wasm.I32, depth-1)
		g.emit(i32c(3), op(wasm.OpI32And), op(wasm.OpMemoryGrow, 0), op(wasm.OpDrop))
	default:
		t := g.typ()
		g.value(t, depth-1)
		g.emit(op(wasm.OpDrop))
	}
}

func (g *generator) setVariable(depth int) {
	if len(g.locals) > 0 && g.chance(60) {
		i := g.int(0, len(g.locals)-1)
		g.value(g.locals[i], depth-1)
		g.emit(op(wasm.OpLocalSet, uint32(i)))
		return
	}
	i := g.int(0, int(g.budget)-1)
	if !g.mod.Globals[i].Type.Mutable {
		return
	}
	g.value(g.mod.Globals[i].Type.Value, depth-1)
	g.emit(op(wasm.OpGlobalSet, uint32(i)))
}

// block emits a block, loop or if with parameters and results.
func (g *generator) block(results valueTypes, depth int, drop bool) {
	params := g.types(2)
	t := wasm.AppendS64(nil, int64(g.mod.AddType(params, results)))
	kind := rapid.SampledFrom([]uint32{wasm.OpBlock, wasm.OpLoop, wasm.OpLoop, wasm.OpIf}).Draw(g.t, "kind")
	g.values(params, depth-1)
	if kind == wasm.OpIf {
		g.value(wasm.I32, depth-1)
	}
	g.emit(op(kind), t)
	takes := results
	if kind == wasm.OpLoop {
		takes = params
		g.countDown()
	}
	g.labels = append(g.labels, takes)
	g.drop(params)
	g.sequence(results, depth-1)
	if kind == wasm.OpIf {
		g.emit(op(wasm.OpElse))
		g.drop(params)
		g.sequence(results, depth-1)
	}
	g.labels = g.labels[:len(g.labels)-1]
	g.emit(end)
	if drop {
		g.drop(results)
	}
}

func (g *generator) call(depth int) {
	if g.chance(20) {
		g.values(valueTypes{wasm.I32, wasm.I64}, depth-1)
		g.emit(op(wasm.OpCall, 0), op(wasm.OpDrop))
		return
	}
	i := g.int(0, len(g.signatures)-1)
	g.values(g.signatures[i].Params, depth-1)
	g.emit(op(wasm.OpCall, uint32(i+numImported)))
	g.drop(g.signatures[i].Results)
}

func (g *generator) callIndirect(depth int) {
	sig := rapid.SampledFrom(g.signatures).Draw(g.t, "signature")
	g.values(sig.Params, depth-1)
	g.emit(i32c(int32(g.int(0, 11))))
	g.emit(op(wasm.OpCallIndirect, g.mod.AddType(sig.Params, sig.Results), 0))
	g.drop(sig.Results)
}

func (g *generator) address(depth int) {
	g.value(wasm.I32, depth-1)
	g.emit(i32c(0x3ff), op(wasm.OpI32And))
}

func (g *generator) bulkMemory(depth int) {
	g.address(depth)
	if g.chance(5) { // out of bounds
		g.emit(i32c(math.MaxInt32), op(wasm.OpI32Add))
	}
	if len(g.passive) > 0 && g.chance(60) {
		segment := rapid.SampledFrom(g.passive).Draw(g.t, "segment")
		g.emit(i32c(int32(g.int(0, 3))), i32c(int32(g.int(0, 12))), op(wasm.OpMemoryInit, segment, 0))
		if g.chance(20) {
			g.emit(op(wasm.OpDataDrop, segment))
		}
		return
	}
	g.address(depth)
	g.address(depth)
	if g.chance(50) {
		g.emit(op(wasm.OpMemoryCopy, 0, 0))
		return
	}
	g.emit(op(wasm.OpMemoryFill, 0))
}

func (g *generator) bulkTable(depth int) {
	small := func() []byte { return i32c(int32(g.int(0, 6))) }
	fn := op(wasm.OpRefFunc, g.anyFunction())
	switch g.int(0, 6) {
	case 0:
		g.emit(small(), fn, op(wasm.OpTableSet, 0))
	case 1:
		g.emit(fn, small(), op(wasm.OpTableGrow, 0), op(wasm.OpDrop))
	case 2:
		g.emit(small(), fn, small(), op(wasm.OpTableFill, 0))
	case 3:
		g.emit(small(), small(), small(), op(wasm.OpTableCopy, 0, 0))
	case 4:
		g.emit(small(), small(), small(), op(wasm.OpTableInit, 1, 0))
	case 5:
		g.emit(op(wasm.OpElemDrop, 1))
	default:
		g.emit(op(wasm.OpTableSize, 0), op(wasm.OpDrop))
	}
}

// value emits code that pushes a value of type t.
func (g *generator) value(t wasm.ValueType, depth int) {
	if depth <= 0 || g.chance(25) {
		g.leaf(t)
		return
	}
	switch g.int(0, 5) {
	case 0:
		g.block(valueTypes{t}, depth, false)
	case 1:
		g.value(t, depth-1)
		g.value(t, depth-1)
		g.value(wasm.I32, depth-1)
		g.emit(op(wasm.OpSelect))
	case 2:
		g.conversion(t, depth)
	default:
		g.value(t, depth-1)
		g.value(t, depth-1)
		g.emit(op(rapid.SampledFrom(binaryOps[t]).Draw(g.t, "op")))
	}
}

// binaryOps include division, which can trap.
var binaryOps = map[wasm.ValueType][]uint32{
	wasm.I32: {0x6a, 0x6b, 0x6c, 0x6d, 0x70, 0x71, 0x73, 0x74, 0x77},
	wasm.I64: {0x7c, 0x7d, 0x7e, 0x80, 0x81, 0x84, 0x85, 0x87, 0x89},
	wasm.F32: {0x92, 0x93, 0x94},
	wasm.F64: {0xa0, 0xa1, 0xa2},
}

// conversion emits t computed from another type. Bits of floats are not
// reinterpreted, as those of a NaN may depend on register allocation.
func (g *generator) conversion(t wasm.ValueType, depth int) {
	from := map[wasm.ValueType]wasm.ValueType{
		wasm.I32: rapid.SampledFrom(valueTypes{wasm.I64, wasm.F64}).Draw(g.t, "from"),
		wasm.I64: wasm.I32, wasm.F32: wasm.I32, wasm.F64: wasm.I64,
	}[t]
	g.value(from, depth-1)
	switch {
	case t == wasm.I32 && from == wasm.F64:
		g.emit(op(uint32(wasm.PrefixMisc)<<16 | 2)) // i32.trunc_sat_f64_s
	case t == wasm.I32:
		g.emit(op(0xa7)) // i32.wrap_i64
	case t == wasm.I64:
		g.emit(op(wasm.OpI64ExtendI32U))
	case t == wasm.F32:
		g.emit(op(0xb2)) // f32.convert_i32_s
	default:
		g.emit(op(0xb9)) // f64.convert_i64_s
	}
}

func (g *generator) leaf(t wasm.ValueType) {
	if i, ok := g.variable(g.locals, t); ok && g.chance(50) {
		g.emit(op(wasm.OpLocalGet, i))
		return
	}
	var globals valueTypes
	for _, gl := range g.mod.Globals[:g.budget] {
		globals = append(globals, gl.Type.Value)
	}
	if i, ok := g.variable(globals, t); ok && g.chance(40) {
		g.emit(op(wasm.OpGlobalGet, i))
		return
	}
	switch {
	case t == wasm.I32 && g.chance(20):
		g.emit(op(wasm.OpMemorySize, 0))
	case t == wasm.I32 && g.chance(20):
		g.emit(i32c(int32(g.int(0, 1<<15))), op(i32Load, 2, 4))
	case t == wasm.I32 && g.chance(10):
		g.emit(i32c(int32(g.int(0, 99))), op(uint32(wasm.PrefixSIMD)<<16|17), op(uint32(wasm.PrefixSIMD)<<16|27), []byte{1})
	case t == wasm.I32:
		g.emit(i32c(rapid.Int32().Draw(g.t, "const")))
	case t == wasm.I64:
		g.emit(i64c(rapid.Int64().Draw(g.t, "const")))
	default:
		g.emit(zero(t))
	}
}

func (g *generator) variable(ts valueTypes, t wasm.ValueType) (uint32, bool) {
	for i := range ts {
		if ts[i] == t {
			return uint32(i), true
		}
	}
	return 0, false
}

// zero is a constant of type t, without the end of an initialiser.
func zero(t wasm.ValueType) []byte {
	switch t {
	case wasm.I32:
		return i32c(0)
	case wasm.I64:
		return i64c(0)
	case wasm.F32:
		return []byte{byte(wasm.OpF32Const), 0, 0, 0x80, 0x3f}
	}
	return []byte{byte(wasm.OpF64Const), 0, 0, 0, 0, 0, 0, 0, 0x40}
}
