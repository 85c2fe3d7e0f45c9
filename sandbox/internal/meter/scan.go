package meter

import (
	"fmt"

	"openclaw/sandbox/internal/wasm"
)

// space holds the sizes of the original module's index spaces. The rewritten
// module has more functions, globals, types and locals, so an index that was out
// of range must not become one of ours.
type space struct {
	types, functions, globals, tables uint32

	importedFuncs uint32

	arity     []uint64 // of each type: its parameters and results
	funcTypes []uint32 // the type of each function
}

// measureTypes fills in what the scanner needs to know about types.
func (sp *space) measureTypes(m *wasm.Module) {
	for _, t := range m.Types {
		sp.arity = append(sp.arity, uint64(len(t.Params)+len(t.Results)))
	}
	for i := range m.Imports {
		if m.Imports[i].Kind == wasm.ExternFunc {
			sp.funcTypes = append(sp.funcTypes, m.Imports[i].Func)
		}
	}
	sp.funcTypes = append(sp.funcTypes, m.Functions...)
}

type eventKind uint8

const (
	eventRefunc eventKind = iota // an instruction whose function index moves
	eventLoop
	eventSized // an instruction to be charged by the operand on top of the stack
	eventBulk  // an instruction that is replaced by a function; see helpers.go
)

// event is a place in a body where the rewritten code differs.
type event struct {
	kind       eventKind
	start, end int // of the instruction
	op         uint32
	index      uint32 // eventRefunc: the original function index

	loop    int32 // the event of the innermost loop around it, or noLoop
	cost    uint64
	hasCall bool // eventLoop: something in the loop may change the counter elsewhere
}

const noLoop = int32(-1)

type frame struct {
	op   byte
	loop int32
}

// scanner finds the events and static costs of one body after another.
type scanner struct {
	space      space
	maxNesting int
	reader     wasm.InstrReader

	// Results for the body scanned last.
	events    []event
	entryCost uint64
	foldInto  int32 // the loop whose head also pays for the entry, or noLoop
	sized     bool  // an eventSized exists
	calls     bool

	deepest       int    // how many blocks are open at once, at most
	blocks, loops uint64 // opened in the body
	passed        uint64 // values that calls and blocks take and return
	branches      uint64 // bytes of branch instructions, each of which has a target
	widest        uint64 // values that a branch may take along, at most

	// Results over all bodies.
	usesData     bool
	dropsSegment bool
	mutatesTable bool

	frames   []frame
	straight bool // nothing but simple instructions since the entry
}

// scan reads a body that has numLocals locals, parameters included, and returns so many results.
func (s *scanner) scan(code *wasm.Code, numLocals, results uint64) error {
	s.events, s.frames = s.events[:0], append(s.frames[:0], frame{op: byte(wasm.OpBlock), loop: noLoop})
	s.entryCost, s.foldInto = CostEntry+localsCost(code.Locals), noLoop
	s.sized, s.calls, s.straight = false, false, true
	s.blocks, s.loops, s.passed, s.branches, s.widest, s.deepest = 0, 0, 0, 0, max(results, 1), 0
	s.reader.Reset(code.Body, code.Offset)

	var in wasm.Instr
	for s.reader.Next(&in) {
		if len(s.frames) == 0 {
			return s.errorAt(code, &in, fmt.Errorf("%w: instruction after the end", wasm.ErrMalformed))
		}
		s.charge(costOf(in.Op))
		if err := s.instruction(&in, numLocals); err != nil {
			return s.errorAt(code, &in, err)
		}
	}
	if err := s.reader.Err(); err != nil {
		return &wasm.Error{Offset: s.reader.ErrOffset(), Err: err}
	}
	if len(s.frames) > 0 {
		in.Start = len(code.Body)
		return s.errorAt(code, &in, fmt.Errorf("%w: a block is not ended", wasm.ErrMalformed))
	}
	if err := s.compilable(numLocals); err != nil {
		in.Start = len(code.Body)
		return s.errorAt(code, &in, err)
	}
	s.fold()
	return nil
}

// compilable refuses the few lines of code that keep a compiler busy for hours.
func (s *scanner) compilable(numLocals uint64) error {
	if s.blocks*numLocals > maxBlockLocals || s.loops*numLocals > maxLoopLocals {
		return fmt.Errorf("%w: %d blocks, of them %d loops, with %d locals", wasm.ErrLimit, s.blocks, s.loops, numLocals)
	}
	if passed := s.passed + (s.widest-1)*s.branches; passed > maxPassed {
		return fmt.Errorf("%w: calls, blocks and branches that pass %d values", wasm.ErrLimit, passed)
	}
	return nil
}

// Compilers keep track of each local through each block and loop of a function, in time and memory that grow with the
// products of their numbers, or worse. These bounds allow several times what large interpreters have, and keep a function
// to some seconds and a few hundred megabytes.
const (
	maxBlockLocals = 1 << 21
	maxLoopLocals  = 1 << 17
	maxPassed      = 1 << 20
)

func (s *scanner) errorAt(code *wasm.Code, in *wasm.Instr, err error) error {
	return &wasm.Error{Offset: code.Offset + in.Start, Err: err}
}

func localsCost(groups []wasm.LocalGroup) uint64 {
	n := uint64(0)
	for _, g := range groups {
		n += uint64(g.Count)
	}
	return n / LocalsPerUnit
}

func (s *scanner) loop() int32 { return s.frames[len(s.frames)-1].loop }

func (s *scanner) charge(cost uint64) {
	if l := s.loop(); l != noLoop {
		s.events[l].cost += cost
		return
	}
	s.entryCost += cost
}

func (s *scanner) instruction(in *wasm.Instr, numLocals uint64) error {
	switch in.Op {
	case wasm.OpLocalGet, wasm.OpLocalSet, wasm.OpLocalTee:
		if uint64(in.X) >= numLocals {
			return outOfRange("local", in.X)
		}
	case wasm.OpGlobalGet, wasm.OpGlobalSet:
		return inRange("global", in.X, s.space.globals)
	case wasm.OpBlock, wasm.OpIf, wasm.OpLoop:
		return s.open(in)
	case wasm.OpElse:
		return s.alternative()
	case wasm.OpEnd:
		s.close()
	case wasm.OpBr, wasm.OpBrIf, wasm.OpBrTable, wasm.OpReturn, wasm.OpUnreachable:
		s.straight = false
		s.branches += uint64(in.End - in.Start)
	case wasm.OpCall, wasm.OpReturnCall:
		s.called()
		return s.function(in)
	case wasm.OpRefFunc:
		return s.function(in)
	case wasm.OpCallIndirect, wasm.OpReturnCallIndirect:
		s.called()
		if err := inRange("type", in.X, s.space.types); err != nil {
			return err
		}
		s.passed += s.space.arity[in.X]
		return inRange("table", in.Y, s.space.tables)
	case wasm.OpMemoryFill, wasm.OpMemoryCopy:
		s.called()
		s.events = append(s.events, event{
			kind: eventBulk, start: in.Start, end: in.End, op: in.Op, loop: s.loop(),
		})
	case wasm.OpTableSet:
		s.mutatesTable = true
	case wasm.OpDataDrop:
		s.usesData, s.dropsSegment = true, true
	case wasm.OpElemDrop:
		s.dropsSegment = true
	default:
		s.maybeSized(in)
	}
	return nil
}

func inRange(what string, index, size uint32) error {
	if index < size {
		return nil
	}
	return outOfRange(what, index)
}

func outOfRange(what string, index uint32) error {
	return fmt.Errorf("%w: %s index %d out of range", wasm.ErrMalformed, what, index)
}

func (s *scanner) open(in *wasm.Instr) error {
	if len(s.frames) >= s.maxNesting {
		return fmt.Errorf("%w: blocks nested more than %d deep", wasm.ErrLimit, s.maxNesting)
	}
	if in.X != wasm.NoTypeIndex && in.X >= s.space.types {
		return outOfRange("type", in.X)
	}
	if in.X != wasm.NoTypeIndex {
		s.passed += s.space.arity[in.X]
		s.widest = max(s.widest, s.space.arity[in.X])
	}
	f := frame{op: byte(in.Op), loop: s.loop()}
	s.blocks++
	if in.Op == wasm.OpLoop {
		s.loops++
		s.events = append(s.events, event{
			kind: eventLoop, start: in.Start, end: in.End, op: in.Op, loop: f.loop, cost: CostLoop,
		})
		f.loop = int32(len(s.events) - 1)
		if s.straight && f.loop == 0 {
			s.foldInto = f.loop
		}
	}
	if in.Op != wasm.OpBlock {
		s.straight = false
	}
	s.deepest = max(s.deepest, len(s.frames))
	s.frames = append(s.frames, f)
	return nil
}

func (s *scanner) alternative() error {
	top := &s.frames[len(s.frames)-1]
	if top.op != byte(wasm.OpIf) {
		return fmt.Errorf("%w: else without if", wasm.ErrMalformed)
	}
	top.op = byte(wasm.OpElse)
	return nil
}

func (s *scanner) close() {
	top := s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	if top.op != byte(wasm.OpLoop) {
		return
	}
	l := &s.events[top.loop]
	if l.loop != noLoop && l.hasCall {
		s.events[l.loop].hasCall = true
	}
}

// called notes that the counter may change behind the back of the enclosing loop.
func (s *scanner) called() {
	s.straight, s.calls = false, true
	if l := s.loop(); l != noLoop {
		s.events[l].hasCall = true
	}
}

func (s *scanner) function(in *wasm.Instr) error {
	if err := inRange("function", in.X, s.space.functions); err != nil {
		return err
	}
	s.passed += s.space.arity[s.space.funcTypes[in.X]]
	if in.X >= s.space.importedFuncs {
		s.events = append(s.events, event{
			kind: eventRefunc, start: in.Start, end: in.End, op: in.Op, index: in.X, loop: s.loop(),
		})
	}
	return nil
}

func (s *scanner) maybeSized(in *wasm.Instr) {
	if in.Op != wasm.OpMemoryGrow && in.Op>>16 != uint32(wasm.PrefixMisc) {
		return
	}
	if _, ok := priceOf(in.Op); !ok {
		return
	}
	s.sized, s.straight = true, false
	switch in.Op {
	case wasm.OpMemoryInit:
		s.usesData = true
	case wasm.OpTableInit, wasm.OpTableCopy, wasm.OpTableGrow, wasm.OpTableFill:
		s.mutatesTable = true
	}
	s.events = append(s.events, event{
		kind: eventSized, start: in.Start, end: in.End, op: in.Op, loop: s.loop(),
	})
}

// fold moves the entry's cost to the loop that it runs straight into, as compilers
// that put each function into one big loop would otherwise pay twice per call.
func (s *scanner) fold() {
	if s.foldInto == noLoop || s.entryCost > maxFoldedEntry {
		s.foldInto = noLoop
		return
	}
	s.events[s.foldInto].cost += s.entryCost
	s.entryCost = 0
}

// freeLeaf reports whether callers have paid for the whole function.
func (s *scanner) freeLeaf() bool {
	return !s.calls && !s.sized && s.entryCost <= maxFreeLeaf && !s.hasLoop()
}

func (s *scanner) hasLoop() bool {
	for i := range s.events {
		if s.events[i].kind == eventLoop {
			return true
		}
	}
	return false
}
