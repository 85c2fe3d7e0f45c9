package wasm

import "encoding/binary"

// Instr is one decoded instruction.
type Instr struct {
	Op    uint32 // opcode; prefixed ones are prefix<<16 | sub-opcode
	Start int    // offsets in the body: Body[Start:End] is the whole instruction
	End   int

	// Immediates, as far as the instruction has them. X is an index (label,
	// function, type, local, global, table, segment), the block type (see
	// InstrReader.Next) or the memory offset; Y is a second index.
	X, Y uint32
	// Value is an integer constant, sign-extended, or the bits of a float.
	Value int64
	// Labels is the number of labels of br_table, without the default one.
	Labels int
}

// InstrReader walks the instructions of a function body or an initialiser.
type InstrReader struct {
	c cursor
}

// NewInstrReader returns a reader of body. base is the offset of body in its
// module and serves for error positions only.
func NewInstrReader(body []byte, base int) *InstrReader {
	r := &InstrReader{}
	r.Reset(body, base)
	return r
}

// Reset makes r read another body.
func (r *InstrReader) Reset(body []byte, base int) { r.c = cursor{b: body, base: base} }

// Err returns the first error, without a position.
func (r *InstrReader) Err() error { return r.c.err }

// ErrOffset is the offset in the module at which Err was found.
func (r *InstrReader) ErrOffset() int { return r.c.at }

// Next reads the next instruction into in. It returns false at the end of the
// body and after an error. Block types are checked for their form; in.X is the
// type index, or NoTypeIndex for the short forms.
func (r *InstrReader) Next(in *Instr) bool {
	c := &r.c
	if c.pos >= len(c.b) {
		return false
	}
	in.Start = c.pos
	op := c.b[c.pos]
	c.pos++
	in.Op = uint32(op)
	switch imm := immediates[op]; imm {
	case immNone:
	case immIndex:
		in.X = c.u32()
	default:
		r.immediate(in, imm)
	}
	in.End = c.pos
	return c.err == nil
}

func (r *InstrReader) immediate(in *Instr, imm immediate) {
	c := &r.c
	switch imm {
	case immNone:
	case immIndex:
		in.X = c.u32()
	case immIndices:
		in.X, in.Y = c.u32(), c.u32()
	case immMemarg:
		r.memarg(in)
	case immI32:
		in.Value = c.signed(32)
	case immI64:
		in.Value = c.signed(64)
	case imm4:
		if b := c.take(4); b != nil {
			in.Value = int64(binary.LittleEndian.Uint32(b))
		}
	case imm8:
		if b := c.take(8); b != nil {
			in.Value = int64(binary.LittleEndian.Uint64(b))
		}
	case imm16:
		c.take(16)
	case immBlock:
		r.blockType(in)
	case immBrTable:
		r.brTable(in)
	case immZero:
		r.zero()
	case immTwoZeros:
		r.zero()
		r.zero()
	case immIndexZero:
		in.X = c.u32()
		r.zero()
	case immRefType:
		c.refType()
	case immTypes:
		for range c.count(1) {
			c.valueType()
		}
	case immLane:
		c.byte()
	case immMemargLane:
		r.memarg(in)
		c.byte()
	case immPrefix:
		r.prefixed(in)
	case immUnsupported:
		c.fail(unsupported("instruction 0x%02x", in.Op))
	default:
		c.fail(malformed("0x%02x is not an instruction", in.Op))
	}
}

func (r *InstrReader) prefixed(in *Instr) {
	prefix := byte(in.Op)
	sub := r.c.u32()
	imm := immUnsupported
	switch {
	case sub > 0xffff:
	case prefix == PrefixMisc:
		imm = miscImmediate(sub)
	default:
		imm = simdImmediate(sub)
	}
	if imm == immUnsupported {
		r.c.fail(unsupported("instruction 0x%02x 0x%02x", prefix, sub))
		return
	}
	in.Op = uint32(prefix)<<16 | sub
	r.immediate(in, imm)
}

// maxAlign is the largest exponent an alignment can have; the next bit would
// announce a memory index.
const (
	maxAlign       = 31
	memargHasIndex = 0x40
)

func (r *InstrReader) memarg(in *Instr) {
	align := r.c.u32()
	switch {
	case r.c.err != nil:
	case align&memargHasIndex != 0 && align <= memargHasIndex|maxAlign:
		r.c.fail(unsupported("multiple memories"))
	case align > maxAlign:
		r.c.fail(malformed("alignment 2^%d", align))
	}
	in.X = r.c.u32()
}

func (r *InstrReader) zero() {
	if b := r.c.byte(); r.c.err == nil && b != 0 {
		r.c.fail(unsupported("multiple memories"))
	}
}

// NoTypeIndex is the X of a block whose type is not a type index.
const NoTypeIndex = ^uint32(0)

func (r *InstrReader) blockType(in *Instr) {
	in.X = NoTypeIndex
	if r.c.remaining() == 0 {
		r.c.fail(malformed("unexpected end"))
		return
	}
	first := r.c.b[r.c.pos]
	if first == BlockEmpty || ValueType(first).valid() {
		r.c.pos++
		return
	}
	index := r.c.signed(33)
	if r.c.err != nil {
		return
	}
	if index < 0 {
		r.c.fail(badType(ValueType(first)))
		return
	}
	in.X = uint32(index)
}

func (r *InstrReader) brTable(in *Instr) {
	in.Labels = r.c.count(1)
	for range in.Labels {
		r.c.u32()
	}
	in.X = r.c.u32()
}
