package meter

import "openclaw/sandbox/internal/wasm"

// The price list, in units of fuel; a unit is roughly one simple machine
// instruction. Changing any of it changes Version.
const (
	CostEntry     = 1 // a function entry, on top of the body's instructions
	CostLoop      = 1 // a loop head, on top of the instructions in the loop
	CostStructure = 0 // block, loop, else, end, nop: no code of their own
	CostSimple    = 1 // everything that is not named here
	CostSlowMath  = 4 // division, remainder, square root
	// CostCall also pays for a callee that is too small to be metered itself.
	CostCall         = 10
	CostCallIndirect = 12
	CostBulk         = 10  // a bulk memory or table instruction, before its size
	CostGrow         = 100 // memory.grow or table.grow, before its size

	// Sizes, charged when the operand is known.
	BytesPerUnit     = 8  // memory.fill, memory.copy, memory.init
	CostPage         = 64 // memory.grow, per page of 64 KiB
	ElementsPerUnit  = 1  // table.fill, table.copy, table.init, table.grow
	LocalsPerUnit    = 8  // declared locals, which an entry sets to zero
	maxPriceableGrow = 1<<17 - 1

	// BulkChunk is how many bytes memory.fill and memory.copy handle before they
	// come back to the counter.
	BulkChunk = 16 << 20

	// Long code is rarely run whole: it is branches of which each pass takes a few.
	// What exceeds FullPrice in one charge is charged at 1/LongCodeRebate. One unit
	// so never buys more than LongCodeRebate simple instructions.
	FullPrice      = 64
	LongCodeRebate = 16

	// A loop-free function that calls nothing and costs no more than this is
	// left as it is: whoever calls it has paid at least CostCall.
	maxFreeLeaf = CostCall
	// An entry that runs straight into a loop is charged at the loop's head,
	// with each iteration, if it costs no more than this.
	maxFoldedEntry = 8
)

// costOf is the static cost of an instruction.
func costOf(op uint32) uint64 {
	if op <= 0xff {
		return uint64(opCosts[op])
	}
	if op == wasm.OpMemoryFill || op == wasm.OpMemoryCopy {
		return CostBulk
	}
	if price, ok := priceOf(op); ok {
		return uint64(price.base)
	}
	return CostSimple
}

// opCosts holds the costs of the instructions without a prefix.
var opCosts = func() (costs [256]uint8) {
	for i := range costs {
		costs[i] = CostSimple
	}
	for _, op := range []uint32{wasm.OpBlock, wasm.OpLoop, wasm.OpElse, wasm.OpEnd, wasm.OpNop} {
		costs[op] = CostStructure
	}
	for _, op := range []uint32{wasm.OpCall, wasm.OpReturnCall} {
		costs[op] = CostCall
	}
	for _, op := range []uint32{wasm.OpCallIndirect, wasm.OpReturnCallIndirect} {
		costs[op] = CostCallIndirect
	}
	const (
		i32DivS, i32RemU = 0x6d, 0x70
		i64DivS, i64RemU = 0x7f, 0x82
		f32Sqrt, f32Div  = 0x91, 0x95
		f64Sqrt, f64Div  = 0x9f, 0xa3
	)
	for op := i32DivS; op <= i32RemU; op++ {
		costs[op] = CostSlowMath
	}
	for op := i64DivS; op <= i64RemU; op++ {
		costs[op] = CostSlowMath
	}
	for _, op := range []int{f32Sqrt, f32Div, f64Sqrt, f64Div} {
		costs[op] = CostSlowMath
	}
	costs[wasm.OpMemoryGrow] = CostGrow
	return costs
}()

// priceOfCode is what a charge subtracts for code of a static cost.
func priceOfCode(cost uint64) uint64 {
	if cost <= FullPrice {
		return cost
	}
	return FullPrice + (cost-FullPrice)/LongCodeRebate
}

// sizePrice says how the size operand of an instruction turns into fuel:
// (size & mask) << shift, or >> -shift. The mask keeps a request that cannot
// succeed from costing more than the largest one that can.
type sizePrice struct {
	base  uint32
	mask  uint32
	shift int
}

const allBits = ^uint32(0)

// priceOf returns the price of an instruction whose cost depends on an operand,
// which is on top of the stack in every case. memory.fill and memory.copy are not
// among them: helpers.go prices those.
func priceOf(op uint32) (sizePrice, bool) {
	switch op {
	case wasm.OpMemoryGrow:
		return sizePrice{CostGrow, maxPriceableGrow, log2(CostPage)}, true
	case wasm.OpMemoryInit:
		return sizePrice{CostBulk, allBits, -log2(BytesPerUnit)}, true
	case wasm.OpTableGrow:
		return sizePrice{CostGrow, allBits, -log2(ElementsPerUnit)}, true
	case wasm.OpTableFill, wasm.OpTableCopy, wasm.OpTableInit:
		return sizePrice{CostBulk, allBits, -log2(ElementsPerUnit)}, true
	}
	return sizePrice{}, false
}

func log2(v int) int {
	n := 0
	for ; v > 1; v >>= 1 {
		n++
	}
	return n
}
