package adapt

import (
	"encoding/binary"
	"slices"
	"strings"

	"openclaw/sandbox/internal/wasm"
)

// stubStatus is what a program ends with that calls a stub: the status of one that aborts, or traps.
const stubStatus = 134

// maxStubName is how much of a function's name is told.
const maxStubName = 200

// The early canonical ABI left the tables of resources to its hosts. Where nobody looks into them, a handle can be the resource.
const handles = "canonical_abi"

// stubBody is what a function does that does not exist: it says so on standard error and ends the program.
func (a *adapter) stubBody(s *stub, n needs) []byte {
	t := a.m.Types[s.Func]
	if s.Module == handles && slices.Equal(t.Params, []wasm.ValueType{wasm.I32}) {
		switch {
		case strings.HasPrefix(s.Name, "resource_drop_") && len(t.Results) == 0:
			return nil
		case !strings.HasPrefix(s.Name, "resource_drop_") && slices.Equal(t.Results, t.Params):
			return wasm.AppendU32([]byte{byte(wasm.OpLocalGet)}, 0)
		}
	}
	var b asm
	if a.m.NumMemories() > 0 {
		b.complain(a.opt.Name+": "+stubName(s)+" is not available\n", n)
	}
	b.i32(stubStatus)
	b.op(wasm.OpCall, n["proc_exit"])
	b.op(wasm.OpUnreachable)
	return b.code
}

// stubName is a function as people read it: without the signature that some have in their names.
func stubName(s *stub) string {
	name, _, _ := strings.Cut(s.Name, ": ")
	name = s.Module + "." + name
	if len(name) > maxStubName {
		name = name[:maxStubName] + "..."
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
}

// complain writes a text to standard error. It lies at the beginning of the memory, over what was there: the program has
// ended, and there is no other place that is surely not in use.
func (b *asm) complain(text string, n needs) {
	const vector, written, at = 0, 8, 16
	b.i32(vector)
	b.i32(at)
	b.op(opI32Store, 2, 0)
	b.i32(vector + 4)
	b.i32(int32(len(text)))
	b.op(opI32Store, 2, 0)
	padded := append([]byte(text), 0, 0, 0, 0, 0, 0, 0)
	for i := 0; i+8 <= len(padded); i += 8 {
		b.i32(int32(at + i))
		b.op(wasm.OpI64Const)
		b.code = wasm.AppendS64(b.code, int64(binary.LittleEndian.Uint64(padded[i:])))
		b.op(opI64Store, 3, 0)
	}
	const standardError = 2
	b.i32(standardError)
	b.i32(vector)
	b.i32(1)
	b.i32(written)
	b.op(wasm.OpCall, n["fd_write"])
	b.op(wasm.OpDrop)
}

// Opcodes that only added code needs.
const (
	opI32Load    = 0x28
	opI32Load8U  = 0x2d
	opI32Load16U = 0x2f
	opI32Store   = 0x36
	opI64Store   = 0x37
	opI32Store8  = 0x3a
	opI32Eqz     = 0x45
	opI32ShrU    = 0x76
)

// asm assembles code.
type asm struct{ code []byte }

func (b *asm) op(op uint32, immediates ...uint32) {
	b.code = wasm.AppendOp(b.code, op)
	for _, imm := range immediates {
		b.code = wasm.AppendU32(b.code, imm)
	}
}

func (b *asm) i32(v int32) {
	b.op(wasm.OpI32Const)
	b.code = wasm.AppendS64(b.code, int64(v))
}

func (b *asm) get(local uint32) { b.op(wasm.OpLocalGet, local) }
func (b *asm) set(local uint32) { b.op(wasm.OpLocalSet, local) }

// block begins a block without parameters and results.
func (b *asm) block(op uint32) { b.code = append(b.code, byte(op), wasm.BlockEmpty) }
