// Package straighten makes the jumps of WebAssembly that Go's compiler made direct.
//
// Go leaves a function as a list of basic blocks in a loop around a jump table: each jump, even to the next block but one,
// sets a variable and goes through the table. This package replaces jumps by branches where WebAssembly has one for
// them, and turns the loops in which nothing is called into loops. The table stays for what enters a function in the
// middle: a goroutine that goes on after a call. What a function computes, and which places the runtime knows it by, stays the same;
// a function that is not of the expected form is left alone.
package straighten

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrMalformed is returned for what is no WebAssembly module.
var ErrMalformed = errors.New("malformed module")

const (
	headerSize  = 8
	sectionCode = 10
)

// Module returns the module with its functions' jumps made direct.
func Module(module []byte) ([]byte, error) {
	if len(module) < headerSize || string(module[:4]) != "\x00asm" {
		return nil, fmt.Errorf("straighten: %w", ErrMalformed)
	}
	out := append(make([]byte, 0, len(module)), module[:headerSize]...)
	for r := (reader{b: module, pos: headerSize}); r.pos < len(r.b); {
		start := r.pos
		id := r.byte()
		content := r.bytes(r.u32())
		if r.bad {
			return nil, fmt.Errorf("straighten: section at %#x: %w", start, ErrMalformed)
		}
		if id != sectionCode {
			out = append(out, module[start:r.pos]...)
			continue
		}
		code, err := codeSection(content)
		if err != nil {
			return nil, err
		}
		out = binary.AppendUvarint(append(out, sectionCode), uint64(len(code)))
		out = append(out, code...)
	}
	return out, nil
}

func codeSection(content []byte) ([]byte, error) {
	r := reader{b: content}
	n := r.u32()
	out := binary.AppendUvarint(make([]byte, 0, len(content)), uint64(n))
	for i := range n {
		entry := r.bytes(r.u32())
		body := reader{b: entry}
		for range body.u32() {
			body.u32()
			body.byte()
		}
		if r.bad || body.bad {
			return nil, fmt.Errorf("straighten: function[%d]: %w", i, ErrMalformed)
		}
		code := entry[body.pos:]
		if direct := function(code); direct != nil {
			code = direct
		}
		out = binary.AppendUvarint(out, uint64(body.pos+len(code)))
		out = append(out, entry[:body.pos]...)
		out = append(out, code...)
	}
	return out, nil
}

// reader reads WebAssembly's binary format. After a mistake it is bad and reads zeros.
type reader struct {
	b   []byte
	pos int
	bad bool
}

func (r *reader) byte() byte {
	if r.pos >= len(r.b) {
		r.bad = true
		return 0
	}
	r.pos++
	return r.b[r.pos-1]
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b)-r.pos {
		r.bad = true
		r.pos = len(r.b)
		return nil
	}
	r.pos += n
	return r.b[r.pos-n : r.pos]
}

func (r *reader) u32() int {
	v, n := binary.Uvarint(r.b[r.pos:])
	if n <= 0 || v > 1<<32-1 {
		r.bad = true
		r.pos = len(r.b)
		return 0
	}
	r.pos += n
	return int(v)
}

// skipLEB passes a number of any kind.
func (r *reader) skipLEB() {
	for r.byte()&0x80 != 0 {
	}
}

// The instructions that this package looks at.
const (
	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opSelectTyped  = 0x1c
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opGlobalGet    = 0x23
	opTableSet     = 0x26
	opFirstMemory  = 0x28
	opLastMemory   = 0x3e
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opRefNull      = 0xd0
	opRefFunc      = 0xd2
	opMisc         = 0xfc
	opSIMD         = 0xfd

	typeVoid = 0x40
)

// operands passes the operands of an instruction.
func (r *reader) operands(op byte) {
	switch {
	case op >= opBlock && op <= opIf, op == opBr, op == opBrIf, op == opCall, op >= opLocalGet && op <= opTableSet,
		op > opLastMemory && op <= opI64Const, op == opRefNull, op == opRefFunc:
		r.skipLEB()
	case op == opCallIndirect, op >= opFirstMemory && op <= opLastMemory:
		r.skipLEB()
		r.skipLEB()
	case op == opBrTable:
		for range r.u32() + 1 {
			r.u32()
			if r.bad {
				return
			}
		}
	case op == opSelectTyped:
		r.bytes(r.u32())
	case op == opF32Const:
		r.bytes(4)
	case op == opF64Const:
		r.bytes(8)
	case op == opMisc:
		r.misc()
	case op == opSIMD:
		r.bad = true // Go makes none
	}
}

// misc passes the rest of an instruction with prefix 0xfc.
func (r *reader) misc() {
	const (
		lastTrunc  = 7
		memoryInit = 8
		memoryCopy = 10
		tableInit  = 12
		tableCopy  = 14
	)
	switch sub := r.u32(); {
	case sub <= lastTrunc:
	case sub == memoryInit, sub == memoryCopy, sub == tableInit, sub == tableCopy:
		r.skipLEB()
		r.skipLEB()
	default:
		r.skipLEB()
	}
}
