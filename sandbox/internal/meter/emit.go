package meter

import "openclaw/sandbox/internal/wasm"

// emitter writes metered bodies. The counter is a global, so that calls need not
// pass it on and the host can read and set it.
//
// Each metered function also has a local, fuel. In a loop that calls nothing the
// local always equals the global: heads subtract from the local and store the
// result in both, so that no iteration waits for the previous one's store to come
// back from memory. Elsewhere a callee may have changed the global, and charges
// start by reading it.
type emitter struct {
	fuelGlobal uint32
	refill     uint32 // the first function of ours; see addHelpers
	shiftFrom  uint32 // functions from here on moved up by one

	fuel, size uint32 // scratch locals of the current function: i64 and i32
}

// body appends the metered form of a body.
func (e *emitter) body(b, body []byte, s *scanner) []byte {
	if s.entryCost > 0 {
		b = e.charge(b, priceOfCode(s.entryCost), false)
	}
	pos := 0
	for i := range s.events {
		ev := &s.events[i]
		switch ev.kind {
		case eventRefunc:
			b = append(b, body[pos:ev.start]...)
			b = wasm.AppendU32(append(b, byte(ev.op)), e.newIndex(ev.index))
		case eventLoop:
			b = append(b, body[pos:ev.start]...)
			mirrored := !ev.hasCall
			if mirrored && !s.mirrored(ev.loop) {
				b = e.localSet(e.globalGet(b), e.fuel)
			}
			b = append(b, body[ev.start:ev.end]...)
			b = e.charge(b, priceOfCode(ev.cost), mirrored)
		case eventBulk:
			b = append(b, body[pos:ev.start]...)
			b = wasm.AppendU32(append(b, byte(wasm.OpCall)), e.bulk(ev.op))
		case eventSized:
			b = append(b, body[pos:ev.start]...)
			b = e.chargeSized(b, ev.op, s.mirrored(ev.loop))
			b = append(b, body[ev.start:ev.end]...)
		}
		pos = ev.end
	}
	return append(b, body[pos:]...)
}

// mirrored reports whether the fuel local equals the global inside a loop.
func (s *scanner) mirrored(loop int32) bool { return loop != noLoop && !s.events[loop].hasCall }

func (e *emitter) newIndex(function uint32) uint32 {
	if function >= e.shiftFrom {
		return function + 1
	}
	return function
}

// charge subtracts a constant and asks for more fuel if the result is negative.
func (e *emitter) charge(b []byte, price uint64, mirrored bool) []byte {
	b = e.counter(b, mirrored)
	b = wasm.AppendS64(append(b, byte(wasm.OpI64Const)), int64(price))
	return e.settle(b, mirrored)
}

// chargeSized does the same by the operand on top of the stack, which it keeps.
func (e *emitter) chargeSized(b []byte, op uint32, mirrored bool) []byte {
	price, _ := priceOf(op)
	b = localOp(b, wasm.OpLocalTee, e.size)
	b = e.counter(b, mirrored)
	b = localOp(b, wasm.OpLocalGet, e.size)
	b = append(b, byte(wasm.OpI64ExtendI32U))
	if price.mask != allBits {
		b = wasm.AppendS64(append(b, byte(wasm.OpI64Const)), int64(price.mask))
		b = append(b, byte(wasm.OpI64And))
	}
	switch {
	case price.shift > 0:
		b = wasm.AppendS64(append(b, byte(wasm.OpI64Const)), int64(price.shift))
		b = append(b, byte(wasm.OpI64Shl))
	case price.shift < 0:
		b = wasm.AppendS64(append(b, byte(wasm.OpI64Const)), int64(-price.shift))
		b = append(b, byte(wasm.OpI64ShrU))
	}
	return e.settle(b, mirrored)
}

// counter pushes the current fuel.
func (e *emitter) counter(b []byte, mirrored bool) []byte {
	if mirrored {
		return localOp(b, wasm.OpLocalGet, e.fuel)
	}
	return e.globalGet(b)
}

// settle expects the fuel and the amount to subtract on the stack. Refilling is a
// call of a function without parameters, as that is the least code for a path that
// is hardly ever taken; loops got a third slower when it was inlined.
func (e *emitter) settle(b []byte, mirrored bool) []byte {
	b = append(b, byte(wasm.OpI64Sub))
	if mirrored {
		b = localOp(b, wasm.OpLocalTee, e.fuel)
	}
	b = e.globalSet(b)
	b = e.counter(b, mirrored)
	b = append(b, byte(wasm.OpI64Const), 0, byte(wasm.OpI64LtS), byte(wasm.OpIf), wasm.BlockEmpty)
	b = wasm.AppendU32(append(b, byte(wasm.OpCall)), e.refill)
	if mirrored {
		b = e.localSet(e.globalGet(b), e.fuel)
	}
	return append(b, byte(wasm.OpEnd))
}

func (e *emitter) globalGet(b []byte) []byte {
	return wasm.AppendU32(append(b, byte(wasm.OpGlobalGet)), e.fuelGlobal)
}

func (e *emitter) globalSet(b []byte) []byte {
	return wasm.AppendU32(append(b, byte(wasm.OpGlobalSet)), e.fuelGlobal)
}

func (e *emitter) localSet(b []byte, local uint32) []byte {
	return localOp(b, wasm.OpLocalSet, local)
}

func localOp(b []byte, op, local uint32) []byte {
	return wasm.AppendU32(append(b, byte(op)), local)
}
