package straighten

type opKind uint8

const (
	kindPlain  opKind = iota // instructions to be copied
	kindOpen                 // the beginning of a block inside a basic block
	kindClose                // its end
	kindJump                 // to target
	kindJumpIf               // to target when the value on the stack is not zero
	kindUnwind               // out of the function, as the instruction says
)

// op is a part of a basic block.
type op struct {
	kind   opKind
	code   []byte // kindPlain, kindOpen; of kindUnwind the opcode
	target int    // of a jump: the basic block
}

// basicBlock is a run of instructions that is entered at its beginning only.
type basicBlock struct {
	ops  []op
	fall int // the block that follows without a jump, or -1
	// entered says that the jump table must lead here, because the runtime may.
	entered bool
}

// goFunction is a function as Go's compiler lays it out.
type goFunction struct {
	head   []byte // before the outermost block
	unwind bool   // there is a block around all others, to leave the function by
	table  []int  // by value of the variable: the basic block, of which the last is for all others
	blocks []basicBlock
	tail   []byte // behind the loop
}

// parse takes a function's code apart. It returns nil if it is not of the form that is known.
func parse(code []byte) *goFunction {
	r := &reader{b: code}
	f := &goFunction{}
	if r.byte() != opGlobalGet {
		return nil
	}
	r.skipLEB()
	if r.byte() != opLocalSet {
		return nil
	}
	r.skipLEB()
	f.head = code[:r.pos]
	if r.follows(opBlock, typeVoid, opLoop, typeVoid) {
		f.unwind = true
		r.pos += 2
	}
	if !r.follows(opLoop, typeVoid) {
		return nil
	}
	r.pos += 2
	n := 0
	for r.follows(opBlock, typeVoid) {
		n++
		r.pos += 2
	}
	if n == 0 || !r.follows(opLocalGet, 0, opBrTable) {
		return nil
	}
	r.pos += 3
	for range r.u32() + 1 {
		t := r.u32()
		if t >= n || r.bad {
			return nil
		}
		f.table = append(f.table, t)
	}
	if r.byte() != opEnd {
		return nil
	}
	f.blocks = make([]basicBlock, n)
	f.blocks[0].entered = true
	for i := range f.blocks {
		if !f.block(r, i) {
			return nil
		}
	}
	f.tail = code[r.pos:]
	return f
}

func (r *reader) follows(code ...byte) bool {
	return r.pos+len(code) <= len(r.b) && string(r.b[r.pos:r.pos+len(code)]) == string(code)
}

// block reads basic block i and the end behind it.
func (f *goFunction) block(r *reader, i int) bool {
	b := &f.blocks[i]
	b.fall = i + 1
	depth := 0
	plain := r.pos // where instructions begin that are to be copied
	flush := func(to int) {
		if to > plain {
			b.ops = append(b.ops, op{kind: kindPlain, code: r.b[plain:to]})
		}
		plain = r.pos
	}
	ended, resumes := false, false
	for {
		start := r.pos
		loop := depth + len(f.blocks) - 1 - i // the label of the loop
		if target, ok := f.jump(r, opIf, loop+1); ok {
			flush(start)
			b.ops = append(b.ops, op{kind: kindJumpIf, target: target})
			ended, resumes = false, false
			continue
		}
		if target, ok := f.jump(r, opBr, loop); ok {
			flush(start)
			b.ops = append(b.ops, op{kind: kindJump, target: target})
			ended = depth == 0
			continue
		}
		code := r.byte()
		label := 0
		if code == opBr || code == opBrIf {
			label = r.u32()
		} else {
			r.operands(code)
		}
		if r.bad {
			return false
		}
		switch code {
		case opBlock, opLoop, opIf:
			flush(start)
			b.ops = append(b.ops, op{kind: kindOpen, code: r.b[start:r.pos]})
			plain = r.pos
			depth++
		case opEnd:
			flush(start)
			if depth == 0 {
				f.close(i, ended, resumes)
				return true
			}
			b.ops = append(b.ops, op{kind: kindClose})
			depth--
		case opBrTable:
			return false
		case opBr, opBrIf:
			if label < depth {
				break
			}
			if !f.unwind || label != loop+1 {
				return false
			}
			flush(start)
			b.ops = append(b.ops, op{kind: kindUnwind, code: r.b[start : start+1]})
		case opCall, opCallIndirect:
			if depth == 0 {
				// After a call on the outermost level a goroutine may go on; and such blocks are where a panic
				// that was recovered from leads.
				b.entered = true
				resumes = true
			}
		}
		ended = depth == 0 && (code == opReturn || code == opUnreachable || code == opBr)
	}
}

// close notes how basic block i ends.
func (f *goFunction) close(i int, ended, resumes bool) {
	b := &f.blocks[i]
	last := i+1 == len(f.blocks)
	if resumes && !last {
		f.blocks[i+1].entered = true
	}
	if ended {
		b.fall = -1
		return
	}
	if last {
		b.ops = append(b.ops, op{kind: kindPlain, code: []byte{opUnreachable}})
		b.fall = -1
	}
}

// jump reads what Go makes of a jump, if it is one: to the loop, which has the given label. With opIf it is one that depends.
func (f *goFunction) jump(r *reader, form byte, label int) (target int, ok bool) {
	start := r.pos
	defer func() {
		if !ok {
			r.pos, r.bad = start, false
		}
	}()
	if form == opIf {
		if !r.follows(opIf, typeVoid) {
			return 0, false
		}
		r.pos += 2
	}
	if !r.follows(opI32Const) {
		return 0, false
	}
	r.pos++
	at, shift := 0, 0
	for {
		c := r.byte()
		at |= int(c&0x7f) << shift
		shift += 7
		if c&0x80 == 0 {
			break
		}
	}
	if !r.follows(opLocalSet, 0, opBr) {
		return 0, false
	}
	r.pos += 3
	if r.u32() != label || r.bad {
		return 0, false
	}
	if form == opIf {
		if !r.follows(opEnd) {
			return 0, false
		}
		r.pos++
	}
	return f.table[min(at, len(f.table)-1)], true
}
