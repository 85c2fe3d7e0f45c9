package regex

// maxVisited bounds, in bits, the table of states seen at each place.
const maxVisited = 1 << 23

// groups returns the bounds of the groups in a match whose bounds are known: those of the first way through the pattern, in
// order of preference, that ends where the match does.
func (re *Regexp) groups(t text, start, end int) []int {
	if len(re.prog.insts)*(end-start+1) > maxVisited {
		return re.groupsByThreads(t, start, end)
	}
	return re.bt.groups(re, t, start, end)
}

// backtracker walks through a program depth first.
type backtracker struct {
	stack   []job
	slots   []int
	best    []int
	visited []uint64
	memo    map[memoKey]struct{}
	steps   int
}

// job is a thing to do when the walk has come to a dead end: try pc at pos or, if pc is negative, put back slot ^pc.
type job struct {
	pc  int32
	pos int
}

func (bt *backtracker) reset(slots int) {
	bt.stack = bt.stack[:0]
	bt.slots = bt.slots[:0]
	for range slots {
		bt.slots = append(bt.slots, -1)
	}
}

// groups never sees a state at a place twice, so it takes time in proportion to the program and the match.
func (bt *backtracker) groups(re *Regexp, t text, start, end int) []int {
	prog := re.prog
	bt.reset(prog.slots)
	width := end - start + 1
	words := (len(prog.insts)*width + 63) / 64
	if cap(bt.visited) < words {
		bt.visited = make([]uint64, words)
	}
	bt.visited = bt.visited[:words]
	clear(bt.visited)
	bt.stack = append(bt.stack, job{prog.start, start})
	for len(bt.stack) > 0 {
		j := bt.stack[len(bt.stack)-1]
		bt.stack = bt.stack[:len(bt.stack)-1]
		if j.pc < 0 {
			bt.slots[^j.pc] = j.pos
			continue
		}
		if bt.walk(prog, t, j, start, end) {
			break
		}
		if bt.steps > yieldWork {
			bt.steps = 0
			if re.yield != nil {
				re.yield()
			}
		}
	}
	return bt.slots
}

// walk follows one way until it fails or ends the match.
func (bt *backtracker) walk(prog *program, t text, j job, start, end int) bool {
	pc, pos := j.pc, j.pos
	width := end - start + 1
	for {
		bit := int(pc)*width + pos - start
		if bt.visited[bit>>6]>>(bit&63)&1 != 0 {
			return false
		}
		bt.visited[bit>>6] |= 1 << (bit & 63)
		bt.steps++
		in := &prog.insts[pc]
		pc = in.out
		switch in.op {
		case opMatch:
			return pos == end
		case opSet:
			n := t.atSet(prog.sets[in.arg], pos)
			pos += n
			if n == 0 || pos > end {
				return false
			}
		case opByte:
			if pos >= end || !t.atByte(byte(in.arg), pos) {
				return false
			}
			pos++
		case opAlt:
			bt.stack = append(bt.stack, job{in.alt, pos})
		case opSave:
			bt.stack = append(bt.stack, job{^in.arg, bt.slots[in.arg]})
			bt.slots[in.arg] = pos
		case opAssert:
			if !t.assertAt(assertion(in.arg), pos, prog.newline) {
				return false
			}
		}
	}
}

// thread is a state of the simulation: an instruction and what goes with it.
type thread struct {
	pc    int32
	start int   // leftmost: where the match began
	slots []int // groups: their bounds so far
}

// simulation runs all ways through a program at once.
type simulation struct {
	seen      sparse
	cur, next []thread
	free      [][]int
	stack     []frame
}

// frame is a thing to do while a closure is followed: visit pc or, if pc is negative, put back slot ^pc.
type frame struct {
	pc  int32
	old int
}

// groupsByThreads does what backtracker.groups does where that would need too much memory.
func (re *Regexp) groupsByThreads(t text, start, end int) []int {
	s := re.simulation()
	prog := re.prog
	slots := make([]int, prog.slots)
	for i := range slots {
		slots[i] = -1
	}
	s.follow(prog, t, prog.start, start, slots)
	s.cur, s.next = s.next, s.cur[:0]
	for pos := start; ; {
		if pos == end {
			for _, th := range s.cur {
				if prog.insts[th.pc].op == opMatch {
					return th.slots
				}
			}
			return slots
		}
		s.seen.clear()
		w := t.width(pos)
		for _, th := range s.cur {
			if s.moves(prog, t, th.pc, pos) {
				s.follow(prog, t, prog.insts[th.pc].out, pos+w, th.slots)
			}
			s.free = append(s.free, th.slots)
		}
		s.cur, s.next = s.next, s.cur[:0]
		pos += w
		re.tick(&s.seen, pos)
	}
}

func (re *Regexp) simulation() *simulation {
	s := &re.nfa
	if s.seen.at == nil {
		s.seen.init(len(re.prog.insts))
	}
	s.seen.clear()
	s.cur, s.next = s.cur[:0], s.next[:0]
	return s
}

// tick yields now and then during a simulation.
func (re *Regexp) tick(seen *sparse, pos int) {
	if re.yield != nil && (pos&1023 == 0 || len(seen.dense) > 1024) {
		re.yield()
	}
}

func (s *simulation) moves(prog *program, t text, pc int32, pos int) bool {
	switch in := &prog.insts[pc]; in.op {
	case opSet:
		return t.atSet(prog.sets[in.arg], pos) > 0
	case opByte:
		return t.atByte(byte(in.arg), pos)
	}
	return false
}

// follow adds the threads that pc leads to at pos, in order of preference.
func (s *simulation) follow(prog *program, t text, pc int32, pos int, slots []int) {
	s.stack = append(s.stack[:0], frame{pc: pc})
	for len(s.stack) > 0 {
		f := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if f.pc < 0 {
			slots[^f.pc] = f.old
			continue
		}
		if s.seen.has(f.pc) {
			continue
		}
		s.seen.add(f.pc)
		switch in := &prog.insts[f.pc]; in.op {
		case opAlt:
			s.stack = append(s.stack, frame{pc: in.alt}, frame{pc: in.out})
		case opSave:
			s.stack = append(s.stack, frame{^in.arg, slots[in.arg]}, frame{pc: in.out})
			slots[in.arg] = pos
		case opAssert:
			if t.assertAt(assertion(in.arg), pos, prog.newline) {
				s.stack = append(s.stack, frame{pc: in.out})
			}
		default:
			s.next = append(s.next, thread{pc: f.pc, slots: s.copy(slots)})
		}
	}
}

func (s *simulation) copy(slots []int) []int {
	if n := len(s.free); n > 0 {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		return append(c[:0], slots...)
	}
	return append([]int(nil), slots...)
}

// leftmost finds the leftmost-longest match that begins at from or later in one pass, by simulation.
func (re *Regexp) leftmost(t text, from int) (start, end int) {
	s := re.simulation()
	prog := re.prog
	start, end = -1, -1
	for pos := from; pos <= len(t.b); {
		if start < 0 {
			s.spread(prog, t, prog.start, pos, pos)
		}
		s.cur, s.next = s.next, s.cur[:0]
		s.seen.clear()
		if start >= 0 && len(s.cur) == 0 {
			break
		}
		w := 1
		if pos < len(t.b) {
			w = t.width(pos)
		}
		for _, th := range s.cur {
			if start >= 0 && th.start > start {
				break
			}
			if prog.insts[th.pc].op == opMatch {
				start, end = th.start, pos
				continue
			}
			if s.moves(prog, t, th.pc, pos) {
				s.spread(prog, t, prog.insts[th.pc].out, pos+w, th.start)
			}
		}
		pos += w
		re.tick(&s.seen, pos)
	}
	return start, end
}

// spread is follow for threads that remember only where they began.
func (s *simulation) spread(prog *program, t text, pc int32, pos, start int) {
	s.stack = append(s.stack[:0], frame{pc: pc})
	for len(s.stack) > 0 {
		f := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if s.seen.has(f.pc) {
			continue
		}
		s.seen.add(f.pc)
		switch in := &prog.insts[f.pc]; in.op {
		case opAlt:
			s.stack = append(s.stack, frame{pc: in.alt}, frame{pc: in.out})
		case opSave:
			s.stack = append(s.stack, frame{pc: in.out})
		case opAssert:
			if t.assertAt(assertion(in.arg), pos, prog.newline) {
				s.stack = append(s.stack, frame{pc: in.out})
			}
		default:
			s.next = append(s.next, thread{pc: f.pc, start: start})
		}
	}
}
