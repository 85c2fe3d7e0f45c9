// Package wasmtest assembles small modules for tests.
package wasmtest

import "openclaw/sandbox/internal/wasm"

// Module is a module being assembled. Imports come before functions.
type Module struct{ wasm.Module }

// Types of one parameter or result list.
type Types = []wasm.ValueType

// Short names for the value types.
const (
	I32 = wasm.I32
	I64 = wasm.I64
)

// AddType adds a function type and returns its index.
func (m *Module) AddType(params, results Types) uint32 {
	m.Types = append(m.Types, wasm.FuncType{Params: params, Results: results})
	return uint32(len(m.Types) - 1)
}

// Import adds an imported function and returns its index.
func (m *Module) Import(module, name string, params, results Types) uint32 {
	m.Imports = append(m.Imports, wasm.Import{Module: module, Name: name, Kind: wasm.ExternFunc, Func: m.AddType(params, results)})
	return uint32(len(m.Imports) - 1)
}

// Func adds a function, exported when name is not empty, and returns its index. The final end is added to the body.
func (m *Module) Func(name string, params, results Types, locals []wasm.LocalGroup, body ...[]byte) uint32 {
	m.Functions = append(m.Functions, m.AddType(params, results))
	m.Code = append(m.Code, wasm.Code{Locals: locals, Body: Cat(append(body, End)...)})
	index := uint32(m.NumFunctions() - 1)
	if name != "" {
		m.Exports = append(m.Exports, wasm.Export{Name: name, Kind: wasm.ExternFunc, Index: index})
	}
	return index
}

// Memory gives the module a memory, exported as "memory". max 0 means none is declared.
func (m *Module) Memory(minPages, maxPages uint32) {
	m.Memories = []wasm.TypeLimits{{Min: minPages, Max: maxPages, HasMax: maxPages > 0}}
	m.Exports = append(m.Exports, wasm.Export{Name: "memory", Kind: wasm.ExternMemory})
}

// AddData puts bytes into the initial memory.
func (m *Module) AddData(offset int32, data []byte) {
	m.Module.Data = append(m.Module.Data, wasm.Data{Mode: wasm.Active, Offset: append(Const(offset), End...), Bytes: data})
}

// Locals declares n locals of one type.
func Locals(t wasm.ValueType, n uint32) []wasm.LocalGroup {
	return []wasm.LocalGroup{{Count: n, Type: t}}
}

// Cat joins instructions.
func Cat(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// Op is an instruction with immediates that are unsigned integers. Codes above 0xff are a prefix byte and a 16-bit code.
func Op(code uint32, immediates ...uint32) []byte {
	var b []byte
	if code > 0xff {
		b = wasm.AppendU32(append(b, byte(code>>16)), code&0xffff)
	} else {
		b = append(b, byte(code))
	}
	for _, imm := range immediates {
		b = wasm.AppendU32(b, imm)
	}
	return b
}

// Const is i32.const.
func Const(v int32) []byte { return wasm.AppendS64([]byte{0x41}, int64(v)) }

// Const64 is i64.const.
func Const64(v int64) []byte { return wasm.AppendS64([]byte{0x42}, v) }

// Get, Set and Tee access a local.
func Get(local uint32) []byte { return Op(0x20, local) }
func Set(local uint32) []byte { return Op(0x21, local) }
func Tee(local uint32) []byte { return Op(0x22, local) }

// Call calls a function by index.
func Call(f uint32) []byte { return Op(0x10, f) }

// Block, Loop and If open a structure without parameters and results.
func Block() []byte { return []byte{0x02, wasm.BlockEmpty} }
func Loop() []byte  { return []byte{0x03, wasm.BlockEmpty} }
func If() []byte    { return []byte{0x04, wasm.BlockEmpty} }

// Br and BrIf branch out of depth structures.
func Br(depth uint32) []byte   { return Op(0x0c, depth) }
func BrIf(depth uint32) []byte { return Op(0x0d, depth) }

// Instructions without immediates.
var (
	End         = []byte{0x0b}
	Drop        = []byte{0x1a}
	Unreachable = []byte{0x00}
	Add         = []byte{0x6a}
	Sub         = []byte{0x6b}
	Mul         = []byte{0x6c}
	LtU         = []byte{0x49}
	Eqz         = []byte{0x45}
	Add64       = []byte{0x7c}
	Sub64       = []byte{0x7d}
	LtU64       = []byte{0x54}
	MemoryGrow  = []byte{0x40, 0x00}
	MemorySize  = []byte{0x3f, 0x00}
	MemoryFill  = []byte{0xfc, 0x0b, 0x00}
	MemoryCopy  = []byte{0xfc, 0x0a, 0x00, 0x00}
)
