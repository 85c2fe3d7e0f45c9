package straighten

import "encoding/binary"

// Labels that lead to no basic block.
const (
	labelOther  = -1 // a block inside a basic block
	labelTable  = -2 // the loop around the jump table
	labelUnwind = -3
	labelNone   = -4 // what the table leads to where nothing can enter
)

// emitter writes a function anew.
type emitter struct {
	*layout
	out    []byte
	labels []int // where branches lead, the innermost last: to a basic block, or one of the above
	failed bool
}

// function returns code with its jumps made direct, or nil if it is not of a known form.
func function(code []byte) []byte {
	f := parse(code)
	if f == nil {
		return nil
	}
	l := newLayout(f)
	l.findLoops()
	e := &emitter{layout: l, out: append(make([]byte, 0, len(code)), f.head...)}
	e.function()
	if e.failed {
		return nil
	}
	return e.out
}

func (e *emitter) function() {
	if e.f.unwind {
		e.open(opBlock, labelUnwind)
	}
	e.open(opLoop, labelTable)
	e.open(opBlock, labelNone)
	items := e.items(region{0, len(e.order) - 1}, nil)
	for i := len(items) - 1; i >= 0; i-- {
		e.open(opBlock, e.order[items[i].lo])
	}
	e.table()
	for _, g := range items {
		e.close()
		e.item(g, nil)
	}
	e.close()
	e.out = append(e.out, opUnreachable)
	e.close()
	e.out = append(e.out, e.f.tail...)
}

// table writes the jump table.
func (e *emitter) table() {
	e.out = append(e.out, opLocalGet, 0, opBrTable)
	e.out = binary.AppendUvarint(e.out, uint64(len(e.f.table)-1))
	for _, b := range e.f.table {
		depth, ok := e.find(b)
		if !ok {
			if e.f.blocks[b].entered {
				e.failed = true
			}
			depth, _ = e.find(labelNone)
		}
		e.out = binary.AppendUvarint(e.out, uint64(depth))
	}
}

// items divides r into the loops that are directly in it and the blocks between. around is r itself when it is a loop.
func (e *emitter) items(r region, around *region) []region {
	var items []region
	for p := r.lo; p <= r.hi; p++ {
		item := region{p, p}
		found := false
		for _, o := range e.loops {
			if o.lo == p && o.within(r) && (around == nil || o != *around) && (!found || o.size() > item.size()) {
				item, found = o, true
			}
		}
		items = append(items, item)
		p = item.hi
	}
	return items
}

// isLoop reports whether an item is a loop other than the one it is in.
func (e *emitter) isLoop(g region, around *region) bool {
	if around != nil && g == *around {
		return false
	}
	for _, o := range e.loops {
		if o == g {
			return true
		}
	}
	return false
}

func (e *emitter) item(g region, around *region) {
	if !e.isLoop(g, around) {
		e.block(g.lo)
		return
	}
	e.open(opLoop, e.order[g.lo])
	items := e.items(g, &g)
	for i := len(items) - 1; i > 0; i-- {
		e.open(opBlock, e.order[items[i].lo])
	}
	for i, sub := range items {
		if i > 0 {
			e.close()
		}
		e.item(sub, &g)
	}
	e.close()
}

func (e *emitter) open(op byte, block int) {
	e.out = append(e.out, op, typeVoid)
	e.labels = append(e.labels, block)
}

func (e *emitter) close() {
	e.out = append(e.out, opEnd)
	e.labels = e.labels[:len(e.labels)-1]
}

// find returns the distance of a label.
func (e *emitter) find(block int) (depth int, ok bool) {
	for i := len(e.labels) - 1; i >= 0; i-- {
		if e.labels[i] == block {
			return len(e.labels) - 1 - i, true
		}
	}
	return 0, false
}

// block writes the basic block at place p.
func (e *emitter) block(p int) {
	b := &e.f.blocks[e.order[p]]
	for _, o := range b.ops {
		switch o.kind {
		case kindPlain:
			e.out = append(e.out, o.code...)
		case kindOpen:
			e.out = append(e.out, o.code...)
			e.labels = append(e.labels, labelOther)
		case kindClose:
			e.close()
		case kindUnwind:
			depth, _ := e.find(labelUnwind)
			e.branch(o.code[0], depth)
		case kindJump:
			e.jump(o.target)
		case kindJumpIf:
			e.jumpIf(o.target)
		}
	}
	if b.fall >= 0 && (p+1 == len(e.order) || e.order[p+1] != b.fall) {
		e.jump(b.fall) // its place was taken by another
	}
}

func (e *emitter) branch(op byte, depth int) {
	e.out = binary.AppendUvarint(append(e.out, op), uint64(depth))
}

func (e *emitter) jump(target int) {
	if depth, ok := e.find(target); ok {
		e.branch(opBr, depth)
		return
	}
	e.throughTable(target)
}

func (e *emitter) jumpIf(target int) {
	if depth, ok := e.find(target); ok {
		e.branch(opBrIf, depth)
		return
	}
	e.out = append(e.out, opIf, typeVoid)
	e.labels = append(e.labels, labelOther)
	e.throughTable(target)
	e.close()
}

// throughTable writes a jump by way of the table, which must lead to target.
func (e *emitter) throughTable(target int) {
	at := e.value(target)
	for _, o := range e.loops {
		if p := e.place[target]; o.has(p) && o.lo != p {
			e.failed = true // in the middle of a loop
		}
	}
	depth, _ := e.find(labelTable)
	e.out = appendSigned(append(e.out, opI32Const), at)
	e.out = append(e.out, opLocalSet, 0)
	e.branch(opBr, depth)
}

// value returns what the variable is to be for the table to lead to block.
func (e *emitter) value(block int) int {
	for v, b := range e.f.table {
		if b == block {
			return v
		}
	}
	e.failed = true
	return 0
}

// appendSigned appends a number that is not negative in the signed form.
func appendSigned(b []byte, v int) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
