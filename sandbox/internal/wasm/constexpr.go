package wasm

// ConstExpr is the encoded form of an initialiser, including its final end.
type ConstExpr []byte

// I32Const is the initialiser `i32.const v`.
func I32Const(v int32) ConstExpr {
	return append(AppendS64([]byte{byte(OpI32Const)}, int64(v)), byte(OpEnd))
}

// I64Const is the initialiser `i64.const v`.
func I64Const(v int64) ConstExpr {
	return append(AppendS64([]byte{byte(OpI64Const)}, v), byte(OpEnd))
}

// readConstExpr reads instructions up to an end and refuses those that are
// constant in no version of WebAssembly.
func readConstExpr(c *cursor) ConstExpr {
	if c.err != nil {
		return nil
	}
	r := InstrReader{c: cursor{b: c.b[c.pos:], base: c.offset()}}
	var in Instr
	for r.Next(&in) {
		if in.Op == OpEnd {
			return c.take(in.End)
		}
		if !constant(in.Op) {
			r.c.pos = in.Start
			r.c.fail(malformed("instruction 0x%02x in an initialiser", in.Op))
		}
	}
	if r.c.err == nil {
		c.fail(malformed("unexpected end of an initialiser"))
		return nil
	}
	c.fail(r.c.err)
	c.at = r.c.at
	return nil
}

func constant(op uint32) bool {
	switch op {
	case OpI32Const, OpI64Const, OpF32Const, OpF64Const, OpV128Const, OpGlobalGet, OpRefNull, OpRefFunc,
		OpI32Add, OpI32Sub, OpI32Mul, OpI64Add, OpI64Sub, OpI64Mul:
		return true
	}
	return false
}

// I32 evaluates an i32 initialiser. It reports false if the value depends on a
// global or the expression is not a valid one of that type.
func (x ConstExpr) I32() (uint32, bool) {
	var stack []uint32
	var in Instr
	r := InstrReader{c: cursor{b: x}}
	for r.Next(&in) {
		n := len(stack)
		switch {
		case in.Op == OpI32Const:
			stack = append(stack, uint32(in.Value))
		case in.Op == OpEnd && n == 1:
			return stack[0], true
		case n < 2:
			return 0, false
		case in.Op == OpI32Add:
			stack = append(stack[:n-2], stack[n-2]+stack[n-1])
		case in.Op == OpI32Sub:
			stack = append(stack[:n-2], stack[n-2]-stack[n-1])
		case in.Op == OpI32Mul:
			stack = append(stack[:n-2], stack[n-2]*stack[n-1])
		default:
			return 0, false
		}
	}
	return 0, false
}
