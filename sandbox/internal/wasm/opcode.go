package wasm

// Opcodes that callers tell apart. Prefixed instructions are numbered
// prefix<<16 | sub-opcode.
const (
	OpUnreachable        uint32 = 0x00
	OpNop                uint32 = 0x01
	OpBlock              uint32 = 0x02
	OpLoop               uint32 = 0x03
	OpIf                 uint32 = 0x04
	OpElse               uint32 = 0x05
	OpEnd                uint32 = 0x0b
	OpBr                 uint32 = 0x0c
	OpBrIf               uint32 = 0x0d
	OpBrTable            uint32 = 0x0e
	OpReturn             uint32 = 0x0f
	OpCall               uint32 = 0x10
	OpCallIndirect       uint32 = 0x11
	OpReturnCall         uint32 = 0x12
	OpReturnCallIndirect uint32 = 0x13
	OpDrop               uint32 = 0x1a
	OpSelect             uint32 = 0x1b
	OpSelectTyped        uint32 = 0x1c
	OpLocalGet           uint32 = 0x20
	OpLocalSet           uint32 = 0x21
	OpLocalTee           uint32 = 0x22
	OpGlobalGet          uint32 = 0x23
	OpGlobalSet          uint32 = 0x24
	OpTableGet           uint32 = 0x25
	OpTableSet           uint32 = 0x26
	OpMemorySize         uint32 = 0x3f
	OpMemoryGrow         uint32 = 0x40
	OpI32Const           uint32 = 0x41
	OpI64Const           uint32 = 0x42
	OpF32Const           uint32 = 0x43
	OpF64Const           uint32 = 0x44
	OpI32GtU             uint32 = 0x4b
	OpI32LeU             uint32 = 0x4d
	OpI64LtS             uint32 = 0x53
	OpI64GtU             uint32 = 0x56
	OpI32Add             uint32 = 0x6a
	OpI32Sub             uint32 = 0x6b
	OpI32Mul             uint32 = 0x6c
	OpI32And             uint32 = 0x71
	OpI64Add             uint32 = 0x7c
	OpI64Sub             uint32 = 0x7d
	OpI64Mul             uint32 = 0x7e
	OpI64And             uint32 = 0x83
	OpI64Shl             uint32 = 0x86
	OpI64ShrU            uint32 = 0x88
	OpI64ExtendI32U      uint32 = 0xad
	OpRefNull            uint32 = 0xd0
	OpRefFunc            uint32 = 0xd2

	PrefixMisc   byte = 0xfc
	PrefixSIMD   byte = 0xfd
	prefixAtomic byte = 0xfe
	prefixGC     byte = 0xfb
	OpMemoryInit      = uint32(PrefixMisc)<<16 | 8
	OpDataDrop        = uint32(PrefixMisc)<<16 | 9
	OpMemoryCopy      = uint32(PrefixMisc)<<16 | 10
	OpMemoryFill      = uint32(PrefixMisc)<<16 | 11
	OpTableInit       = uint32(PrefixMisc)<<16 | 12
	OpElemDrop        = uint32(PrefixMisc)<<16 | 13
	OpTableCopy       = uint32(PrefixMisc)<<16 | 14
	OpTableGrow       = uint32(PrefixMisc)<<16 | 15
	OpTableSize       = uint32(PrefixMisc)<<16 | 16
	OpTableFill       = uint32(PrefixMisc)<<16 | 17
	OpV128Const       = uint32(PrefixSIMD)<<16 | 12
)

// BlockEmpty is the block type of a block without parameters and results.
const BlockEmpty byte = 0x40

// immediate says what follows an opcode.
type immediate byte

const (
	immInvalid immediate = iota
	immUnsupported
	immNone
	immBlock    // block type
	immIndex    // one index
	immIndices  // two indices
	immBrTable  // vector of labels and the default label
	immMemarg   // alignment and offset
	immZero     // the byte 0, reserved for a memory index
	immTwoZeros // the same twice
	immIndexZero
	immI32
	immI64
	imm4  // 4 raw bytes
	imm8  // 8 raw bytes
	imm16 // 16 raw bytes
	immRefType
	immTypes // vector of value types
	immLane
	immMemargLane
	immPrefix
)

// immediates is indexed by the first byte of an instruction.
var immediates = withRanges([256]immediate{
	0x00: immNone, 0x01: immNone, 0x02: immBlock, 0x03: immBlock, 0x04: immBlock, 0x05: immNone,
	0x06: immUnsupported, 0x07: immUnsupported, 0x08: immUnsupported, 0x09: immUnsupported, 0x0a: immUnsupported,
	0x0b: immNone, 0x0c: immIndex, 0x0d: immIndex, 0x0e: immBrTable, 0x0f: immNone,
	0x10: immIndex, 0x11: immIndices, 0x12: immIndex, 0x13: immIndices, 0x14: immUnsupported, 0x15: immUnsupported,
	0x18: immUnsupported, 0x19: immUnsupported, 0x1a: immNone, 0x1b: immNone, 0x1c: immTypes, 0x1f: immUnsupported,
	0x20: immIndex, 0x21: immIndex, 0x22: immIndex, 0x23: immIndex, 0x24: immIndex, 0x25: immIndex, 0x26: immIndex,
	0x3f: immZero, 0x40: immZero, 0x41: immI32, 0x42: immI64, 0x43: imm4, 0x44: imm8,
	0xd0: immRefType, 0xd1: immNone, 0xd2: immIndex,
	0xd3: immUnsupported, 0xd4: immUnsupported, 0xd5: immUnsupported, 0xd6: immUnsupported,
	prefixGC: immUnsupported, PrefixMisc: immPrefix, PrefixSIMD: immPrefix, prefixAtomic: immUnsupported,
})

// withRanges adds the loads, stores and numeric instructions.
func withRanges(table [256]immediate) [256]immediate {
	for op := 0x28; op <= 0x3e; op++ {
		table[op] = immMemarg
	}
	for op := 0x45; op <= 0xc4; op++ {
		table[op] = immNone
	}
	return table
}

// miscImmediate is for the instructions behind PrefixMisc.
func miscImmediate(sub uint32) immediate {
	switch {
	case sub <= 7: // saturating truncations
		return immNone
	case sub == 8:
		return immIndexZero
	case sub == 10:
		return immTwoZeros
	case sub == 11:
		return immZero
	case sub == 12 || sub == 14:
		return immIndices
	case sub == 9 || sub >= 13 && sub <= 17:
		return immIndex
	}
	return immUnsupported
}

// simdHoles are the sub-opcodes below 0x100 that SIMD leaves undefined.
var simdHoles = [...]byte{
	0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb,
	0xc2, 0xc5, 0xc6, 0xcf, 0xd0, 0xd2, 0xd3, 0xd4, 0xe2, 0xee,
}

// simdImmediate is for the instructions behind PrefixSIMD.
func simdImmediate(sub uint32) immediate {
	switch {
	case sub <= 11 || sub == 92 || sub == 93: // loads and stores
		return immMemarg
	case sub == 12 || sub == 13: // constant, shuffle
		return imm16
	case sub >= 21 && sub <= 34: // extract and replace lane
		return immLane
	case sub >= 84 && sub <= 91: // load and store lane
		return immMemargLane
	case sub > 0xff: // relaxed SIMD
		return immUnsupported
	}
	for _, hole := range simdHoles {
		if sub == uint32(hole) {
			return immUnsupported
		}
	}
	return immNone
}
