package regex

import (
	"unicode/utf8"
)

// perlMachine runs a Perl pattern's program by backtracking.
type perlMachine struct {
	re     *Perl
	b      []byte
	origin int // where the search began, for \G
	keep   int // where the match begins, which \K moves
	slots  []int
	stack  []perlJob
	steps  int
	depth  int
}

// perlJob is what to do when a way fails.
type perlJob struct {
	kind perlJobKind
	pc   int32
	pos  int
	end  int // a run of characters: pos is where it may end at the least, end where it ends now
}

type perlJobKind uint8

const (
	jobTry     perlJobKind = iota
	jobRestore             // slot pc was pos
	jobKeep                // keep was pos
	jobShorter             // give back one character of a run, then go on at pc
	jobLonger              // take one more character, by the instruction before pc
)

func (vm *perlMachine) reset(pos int) {
	vm.keep = pos
	vm.stack = vm.stack[:0]
	vm.slots = vm.slots[:0]
	for range vm.re.prog.slots {
		vm.slots = append(vm.slots, -1)
	}
}

// run matches from pc at pos and returns the end of the match, or -1. What a match leaves on the stack, its ways not
// taken, is dropped, but for what restores slots when the caller fails later.
func (vm *perlMachine) run(pc int32, pos int) (int, error) {
	vm.depth++
	defer func() { vm.depth-- }()
	if vm.depth > maxPerlDepth {
		return -1, ErrTooManySteps
	}
	base := len(vm.stack)
	for {
		end, ok, err := vm.forward(pc, pos)
		if err != nil || ok {
			vm.commit(base)
			return end, err
		}
		if pc, pos, ok = vm.back(base); !ok {
			return -1, nil
		}
	}
}

// commit drops the choices above base and keeps what restores.
func (vm *perlMachine) commit(base int) {
	kept := vm.stack[:base]
	for _, j := range vm.stack[base:] {
		if j.kind == jobRestore || j.kind == jobKeep {
			kept = append(kept, j)
		}
	}
	vm.stack = kept
}

// back undoes up to the last choice and takes its other way.
func (vm *perlMachine) back(base int) (pc int32, pos int, ok bool) {
	for len(vm.stack) > base {
		j := &vm.stack[len(vm.stack)-1]
		switch j.kind {
		case jobRestore:
			vm.slots[j.pc] = j.pos
		case jobKeep:
			vm.keep = j.pos
		case jobTry:
			pc, pos = j.pc, j.pos
			vm.stack = vm.stack[:len(vm.stack)-1]
			return pc, pos, true
		case jobShorter:
			j.end -= lastWidth(vm.b[:j.end])
			pc, pos = j.pc, j.end
			if j.end <= j.pos {
				vm.stack = vm.stack[:len(vm.stack)-1]
			}
			return pc, pos, true
		case jobLonger:
			in := &vm.re.prog.insts[j.pc-1]
			n := text{b: vm.b}.atSet(in.set, j.pos)
			if n == 0 || j.end == 0 {
				break
			}
			j.pos += n
			j.end--
			return j.pc, j.pos, true
		}
		vm.stack = vm.stack[:len(vm.stack)-1]
	}
	return 0, 0, false
}

func lastWidth(b []byte) int {
	if c := b[len(b)-1]; c < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeLastRune(b)
	return n
}

func (vm *perlMachine) push(j perlJob) error {
	if len(vm.stack) >= maxPerlPending {
		return ErrTooManySteps
	}
	vm.stack = append(vm.stack, j)
	return nil
}

func (vm *perlMachine) save(slot, pos int) error {
	err := vm.push(perlJob{kind: jobRestore, pc: int32(slot), pos: vm.slots[slot]})
	vm.slots[slot] = pos
	return err
}

// forward follows one way until it fails or matches.
func (vm *perlMachine) forward(pc int32, pos int) (end int, ok bool, err error) {
	t := text{b: vm.b}
	for err == nil {
		if vm.steps++; vm.steps%yieldSteps == 0 {
			if vm.re.yield != nil {
				vm.re.yield()
			}
			if vm.steps > maxPerlSteps {
				return -1, false, ErrTooManySteps
			}
		}
		in := &vm.re.prog.insts[pc]
		pc++
		switch in.op {
		case plMatch, plReturn:
			return pos, true, nil
		case plSet:
			n := t.atSet(in.set, pos)
			if n == 0 {
				return -1, false, nil
			}
			pos += n
		case plAlt:
			err = vm.push(perlJob{kind: jobTry, pc: in.alt, pos: pos})
			pc = in.out
		case plJump:
			pc = in.out
		case plSave, plMark:
			err = vm.save(in.n, pos)
		case plProgress:
			pc = in.out
			if vm.slots[in.n] == pos {
				pc = in.alt
			}
		case plAssert:
			if !vm.holds(in.assert, pos) {
				return -1, false, nil
			}
		case plStarGreedy, plStarLazy, plStarAtomic:
			if pos, err = vm.star(in, pc, pos); pos < 0 {
				return -1, false, err
			}
		case plKeep:
			err = vm.push(perlJob{kind: jobKeep, pos: vm.keep})
			vm.keep = pos
		case plIfGroup:
			pc = in.out
			if vm.slots[2*(in.n-1)+1] < 0 {
				pc = in.alt
			}
		case plFail:
			return -1, false, nil
		default:
			if pc, pos, err = vm.rare(in, pc, pos); pos < 0 {
				return -1, false, err
			}
		}
	}
	return -1, false, err
}

// star takes a run of characters and returns where it ends, or -1.
func (vm *perlMachine) star(in *perlInst, pc int32, pos int) (int, error) {
	t := text{b: vm.b}
	count := 0
	for count < in.min {
		n := t.atSet(in.set, pos)
		if n == 0 {
			return -1, nil
		}
		pos += n
		count++
	}
	if in.op == plStarLazy {
		left := len(vm.b) - pos
		if in.max != unbounded {
			left = in.max - count
		}
		return pos, vm.push(perlJob{kind: jobLonger, pc: pc, pos: pos, end: left})
	}
	least := pos
	for in.max == unbounded || count < in.max {
		n := t.atSet(in.set, pos)
		if n == 0 {
			break
		}
		pos += n
		count++
	}
	vm.steps += count >> 3
	if in.op == plStarAtomic || pos == least {
		return pos, nil
	}
	return pos, vm.push(perlJob{kind: jobShorter, pc: pc, pos: least, end: pos})
}

// rare runs the instructions that are rare; a negative position is a failure.
func (vm *perlMachine) rare(in *perlInst, pc int32, pos int) (int32, int, error) {
	switch in.op {
	case plBackref:
		n := vm.repeated(in, pos)
		if n < 0 {
			return pc, -1, nil
		}
		return pc, pos + n, nil
	case plNewline:
		return pc, vm.newline(pos), nil
	case plAtomic:
		end, err := vm.run(in.out, pos)
		return in.alt, end, err
	case plCall:
		return vm.call(in, pos)
	}
	at := pos
	if in.op == plBehind {
		for range in.n {
			if at == 0 {
				at = -1
				break
			}
			at -= lastWidth(vm.b[:at])
		}
	}
	end := -1
	var err error
	if at >= 0 {
		end, err = vm.look(in, at, pos)
	}
	if err != nil || (end >= 0) == in.negate {
		return pc, -1, err
	}
	return in.alt, pos, nil
}

// look runs a lookaround; a negated one leaves no trace.
func (vm *perlMachine) look(in *perlInst, at, pos int) (int, error) {
	base := len(vm.stack)
	end, err := vm.run(in.out, at)
	if end >= 0 && in.op == plBehind && end != pos {
		end = -1
	}
	if in.negate && end >= 0 {
		for len(vm.stack) > base {
			j := vm.stack[len(vm.stack)-1]
			vm.stack = vm.stack[:len(vm.stack)-1]
			if j.kind == jobRestore {
				vm.slots[j.pc] = j.pos
			} else if j.kind == jobKeep {
				vm.keep = j.pos
			}
		}
	}
	return end, err
}

// call runs the subprogram of a group; what it sets is forgotten after it.
func (vm *perlMachine) call(in *perlInst, pos int) (int32, int, error) {
	saved := append([]int(nil), vm.slots...)
	keep := vm.keep
	base := len(vm.stack)
	end, err := vm.run(in.out, pos)
	copy(vm.slots, saved)
	vm.keep = keep
	vm.stack = vm.stack[:base]
	return in.alt, end, err
}

func (vm *perlMachine) newline(pos int) int {
	rest := vm.b[pos:]
	if len(rest) == 0 {
		return -1
	}
	if len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n' {
		return pos + 2
	}
	r, n := utf8.DecodeRune(rest)
	if r >= '\n' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029 {
		return pos + n
	}
	return -1
}

// repeated returns the length of the text at pos that repeats a group, or -1.
func (vm *perlMachine) repeated(in *perlInst, pos int) int {
	lo, hi := vm.slots[2*(in.n-1)], vm.slots[2*(in.n-1)+1]
	if lo < 0 || hi < lo {
		return -1
	}
	return repeats(vm.b[lo:hi], vm.b[pos:], in.fold)
}

func (vm *perlMachine) holds(a perlAssert, pos int) bool {
	b := vm.b
	switch a {
	case plLineStart, plTextStart:
		return pos == 0
	case plMultiStart:
		return pos == 0 || b[pos-1] == '\n'
	case plTextEnd:
		return pos == len(b)
	case plMultiEnd:
		return pos == len(b) || b[pos] == '\n'
	case plLineEnd, plTextEndNewline:
		return pos == len(b) || pos == len(b)-1 && b[pos] == '\n'
	case plSearchStart:
		return pos == vm.origin
	}
	before := pos > 0 && isWord(b[pos-1])
	after := pos < len(b) && isWord(b[pos])
	return (before != after) == (a == plWordBoundary)
}
