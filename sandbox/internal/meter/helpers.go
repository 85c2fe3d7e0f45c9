package meter

import (
	"slices"

	"openclaw/sandbox/internal/wasm"
)

// The functions added behind the module's own, in this order. Those that touch
// memory are there only if the module has one.
const (
	helperRefill = iota
	helperFill
	helperCopy
)

var helperFunctionNames = [...]string{
	helperRefill: ReservedPrefix + ImportName,
	helperFill:   ReservedPrefix + "memory.fill",
	helperCopy:   ReservedPrefix + "memory.copy",
}

// bulk is the function that stands in for memory.fill or memory.copy.
func (e *emitter) bulk(op uint32) uint32 {
	if op == wasm.OpMemoryFill {
		return e.refill + helperFill
	}
	return e.refill + helperCopy
}

// addHelpers adds the imported function, after all other imported functions and
// before all defined ones, and the helpers after those. It returns the helpers'
// bodies as entries of the code section.
func addHelpers(m *wasm.Module, sp space, e *emitter) []byte {
	i64 := []wasm.ValueType{wasm.I64}
	m.Imports = append(m.Imports, wasm.Import{
		Module: ImportModule, Name: ImportName, Kind: wasm.ExternFunc, Func: typeIndex(m, i64, i64),
	})
	m.Functions = append(m.Functions, typeIndex(m, nil, nil))
	code := wasm.AppendCode(nil, nil, e.refillBody(sp.importedFuncs))
	if m.NumMemories() == 0 {
		return code
	}
	threeI32 := typeIndex(m, []wasm.ValueType{wasm.I32, wasm.I32, wasm.I32}, nil)
	m.Functions = append(m.Functions, threeI32, threeI32)
	code = wasm.AppendCode(code, nil, e.fillBody())
	return wasm.AppendCode(code, nil, e.copyBody())
}

// helperNames lists what addHelpers added, for the name section.
func helperNames(m *wasm.Module, sp space) []wasm.FunctionName {
	names := []wasm.FunctionName{{Index: sp.importedFuncs, Name: ImportModule + "." + ImportName}}
	for index := sp.functions + 1; index < uint32(m.NumFunctions()); index++ {
		names = append(names, wasm.FunctionName{Index: index, Name: helperFunctionNames[len(names)-1]})
	}
	return names
}

// typeIndex finds or adds a function type.
func typeIndex(m *wasm.Module, params, results []wasm.ValueType) uint32 {
	for i, t := range m.Types {
		if slices.Equal(t.Params, params) && slices.Equal(t.Results, results) {
			return uint32(i)
		}
	}
	m.Types = append(m.Types, wasm.FuncType{Params: params, Results: results})
	return uint32(len(m.Types) - 1)
}

// refillBody passes the counter to the host and stores what it returns.
func (e *emitter) refillBody(imported uint32) []byte {
	b := e.globalGet(nil)
	b = wasm.AppendU32(append(b, byte(wasm.OpCall)), imported)
	return append(e.globalSet(b), byte(wasm.OpEnd))
}

// The parameters of fillBody and copyBody.
const (
	bulkTo = iota
	bulkFrom
	bulkSize

	bulkValue = bulkFrom
)

// fillBody is memory.fill in chunks, so that a deadline need not wait for
// gigabytes. A range that is out of bounds goes to the instruction whole, which
// then traps before it writes anything:
//
//	if size > chunk && inBounds(to, size) {
//		for {
//			fill(to, value, chunk); to += chunk; size -= chunk
//			if size <= chunk { break }
//		}
//	}
//	fill(to, value, size)
func (e *emitter) fillBody() []byte {
	var b asm
	b.block(wasm.OpBlock)
	b.leaveIfSmall()
	b.leaveIfOutside(bulkTo)
	b.block(wasm.OpLoop)
	b.code = e.charge(b.code, chunkCost, false)
	b.locals(wasm.OpLocalGet, bulkTo, bulkValue)
	b.i32(BulkChunk)
	b.op(wasm.OpMemoryFill, 0)
	b.advance(bulkTo, wasm.OpI32Add)
	b.advance(bulkSize, wasm.OpI32Sub)
	b.repeatIfLarge()
	b.op(wasm.OpEnd)
	b.op(wasm.OpEnd)
	return e.bulkRest(b, wasm.OpMemoryFill, 0)
}

// copyBody is memory.copy in chunks, from the end where the ranges may overlap
// such that the front would overwrite what is still to be read:
//
//	if size > chunk && inBounds(to, size) && inBounds(from, size) {
//		if to <= from {
//			for { copy(to, from, chunk); advance all; if size <= chunk { break } }
//		} else {
//			for { size -= chunk; copy(to+size, from+size, chunk); if size <= chunk { break } }
//		}
//	}
//	copy(to, from, size)
func (e *emitter) copyBody() []byte {
	var b asm
	b.block(wasm.OpBlock)
	b.leaveIfSmall()
	b.leaveIfOutside(bulkTo)
	b.leaveIfOutside(bulkFrom)
	b.locals(wasm.OpLocalGet, bulkTo, bulkFrom)
	b.op(wasm.OpI32LeU)
	b.block(wasm.OpIf)

	b.block(wasm.OpLoop)
	b.code = e.charge(b.code, chunkCost, false)
	b.locals(wasm.OpLocalGet, bulkTo, bulkFrom)
	b.i32(BulkChunk)
	b.op(wasm.OpMemoryCopy, 0, 0)
	b.advance(bulkTo, wasm.OpI32Add)
	b.advance(bulkFrom, wasm.OpI32Add)
	b.advance(bulkSize, wasm.OpI32Sub)
	b.repeatIfLarge()
	b.op(wasm.OpEnd)

	b.op(wasm.OpElse)
	b.block(wasm.OpLoop)
	b.code = e.charge(b.code, chunkCost, false)
	b.advance(bulkSize, wasm.OpI32Sub)
	for _, start := range []uint32{bulkTo, bulkFrom} {
		b.locals(wasm.OpLocalGet, start, bulkSize)
		b.op(wasm.OpI32Add)
	}
	b.i32(BulkChunk)
	b.op(wasm.OpMemoryCopy, 0, 0)
	b.repeatIfLarge()
	b.op(wasm.OpEnd)

	b.op(wasm.OpEnd)
	b.op(wasm.OpEnd)
	return e.bulkRest(b, wasm.OpMemoryCopy, 0, 0)
}

// chunkCost is what BulkChunk bytes cost. It is charged in full: the rebate for
// long code is for code.
const chunkCost = BulkChunk / BytesPerUnit

// bulkRest charges for what is left and hands it to the instruction.
func (e *emitter) bulkRest(b asm, op uint32, memories ...uint32) []byte {
	b.code = e.globalGet(b.code)
	b.locals(wasm.OpLocalGet, bulkSize)
	b.op(wasm.OpI64ExtendI32U)
	b.i64(int64(log2(BytesPerUnit)))
	b.op(wasm.OpI64ShrU)
	b.code = e.settle(b.code, false)
	b.locals(wasm.OpLocalGet, bulkTo, bulkFrom, bulkSize)
	b.op(op, memories...)
	b.op(wasm.OpEnd)
	return b.code
}

// asm assembles the code of helpers.
type asm struct{ code []byte }

func (a *asm) op(op uint32, immediates ...uint32) {
	a.code = wasm.AppendOp(a.code, op)
	for _, imm := range immediates {
		a.code = wasm.AppendU32(a.code, imm)
	}
}

func (a *asm) block(op uint32) { a.code = append(a.code, byte(op), wasm.BlockEmpty) }

func (a *asm) locals(op uint32, indices ...uint32) {
	for _, i := range indices {
		a.op(op, i)
	}
}

func (a *asm) i32(v int32) {
	a.op(wasm.OpI32Const)
	a.code = wasm.AppendS64(a.code, int64(v))
}

func (a *asm) i64(v int64) {
	a.op(wasm.OpI64Const)
	a.code = wasm.AppendS64(a.code, v)
}

// advance adds a chunk to a local, or subtracts it.
func (a *asm) advance(local, op uint32) {
	a.op(wasm.OpLocalGet, local)
	a.i32(BulkChunk)
	a.op(op)
	a.op(wasm.OpLocalSet, local)
}

// leaveIfSmall leaves the innermost block if one chunk is enough.
func (a *asm) leaveIfSmall() {
	a.op(wasm.OpLocalGet, bulkSize)
	a.i32(BulkChunk)
	a.op(wasm.OpI32LeU)
	a.op(wasm.OpBrIf, 0)
}

// leaveIfOutside leaves the innermost block if the range that starts at a local
// exceeds the memory.
func (a *asm) leaveIfOutside(start uint32) {
	for _, local := range []uint32{start, bulkSize} {
		a.op(wasm.OpLocalGet, local)
		a.op(wasm.OpI64ExtendI32U)
	}
	a.op(wasm.OpI64Add)
	a.op(wasm.OpMemorySize, 0)
	a.op(wasm.OpI64ExtendI32U)
	a.i64(int64(log2(wasm.PageSize)))
	a.op(wasm.OpI64Shl)
	a.op(wasm.OpI64GtU)
	a.op(wasm.OpBrIf, 0)
}

// repeatIfLarge continues the innermost loop if more than a chunk is left.
func (a *asm) repeatIfLarge() {
	a.op(wasm.OpLocalGet, bulkSize)
	a.i32(BulkChunk)
	a.op(wasm.OpI32GtU)
	a.op(wasm.OpBrIf, 0)
}
