package regex

import (
	"bytes"
	"unicode/utf8"
)

// Limits of the memory of places that have been tried in vain; it is only kept when a search goes on for long.
const (
	memoAfter  = 20_000
	maxMemo    = 1 << 17
	memoGroups = 3
)

// yieldSteps is how many steps the backtracker takes between calls of the yield function.
const yieldSteps = 1 << 12

// memoKey is all that the rest of a match depends on.
type memoKey struct {
	pc, pos int32
	groups  [2 * memoGroups]int32
}

// backtrack finds the leftmost-longest match at from or later of a pattern with back-references, or any match of the leftmost
// beginning when any will do. The groups are left in re.bt.best.
func (re *Regexp) backtrack(t text, from int, anyMatch bool) (start, end int) {
	scan := re.scanner()
	if scan.first(t, from) < 0 {
		return -1, -1
	}
	for p := re.candidate(t, from); p >= 0; {
		if end := re.backtrackAt(t, p, anyMatch); end >= 0 {
			return p, end
		}
		next := p + 1
		if p < len(t.b) {
			next = p + t.width(p)
		}
		p = re.candidate(t, next)
	}
	return -1, -1
}

// backtrackAt finds the end of the longest match that begins at from, or of any, or -1.
func (re *Regexp) backtrackAt(t text, from int, anyMatch bool) int {
	// The automaton, which lets a back-reference match anything, rules most places out and bounds the match.
	limit, _ := re.matcher().longest(t, from)
	if limit < 0 {
		return -1
	}
	bt := &re.bt
	bt.reset(re.prog.slots)
	bt.memo = nil
	bt.steps = 0
	best := -1
	bt.stack = append(bt.stack, job{re.prog.start, from})
	for len(bt.stack) > 0 {
		j := bt.stack[len(bt.stack)-1]
		bt.stack = bt.stack[:len(bt.stack)-1]
		if j.pc < 0 {
			bt.slots[^j.pc] = j.pos
			continue
		}
		end := re.try(t, j)
		if end <= best {
			continue
		}
		best = end
		bt.best = append(bt.best[:0], bt.slots...)
		if anyMatch || end == limit {
			break
		}
	}
	return best
}

// try follows one way until it fails, which gives -1, or matches, which gives the end.
func (re *Regexp) try(t text, j job) int {
	bt, prog := &re.bt, re.prog
	pc, pos := j.pc, j.pos
	for {
		if bt.steps++; bt.steps%yieldSteps == 0 && re.yield != nil {
			re.yield()
		}
		in := &prog.insts[pc]
		pc = in.out
		switch in.op {
		case opMatch:
			return pos
		case opSet:
			n := t.atSet(prog.sets[in.arg], pos)
			if n == 0 {
				return -1
			}
			pos += n
		case opByte:
			if !t.atByte(byte(in.arg), pos) {
				return -1
			}
			pos++
		case opAlt:
			if bt.steps > memoAfter && re.tried(in.alt, pos) {
				return -1
			}
			bt.stack = append(bt.stack, job{in.alt, pos})
		case opSave, opMark:
			bt.stack = append(bt.stack, job{^in.arg, bt.slots[in.arg]})
			bt.slots[in.arg] = pos
		case opProgress:
			if bt.slots[in.arg] == pos {
				pc = in.alt
			}
		case opAssert:
			if !t.assertAt(assertion(in.arg), pos, prog.newline) {
				return -1
			}
		case opBackref:
			n := re.repeated(t, int(in.arg), pos)
			if n < 0 {
				return -1
			}
			pos += n
		}
	}
}

// tried reports whether the choice before alternative pc has been met at pos with the same groups, and notes it.
func (re *Regexp) tried(pc int32, pos int) bool {
	bt := &re.bt
	k := memoKey{pc: pc, pos: int32(pos)}
	n := 0
	for g, used := range re.prog.backGroup {
		if !used {
			continue
		}
		if n == memoGroups {
			return false
		}
		k.groups[2*n] = int32(bt.slots[2*(g-1)])
		k.groups[2*n+1] = int32(bt.slots[2*(g-1)+1])
		n++
	}
	if _, ok := bt.memo[k]; ok {
		return true
	}
	if len(bt.memo) < maxMemo {
		if bt.memo == nil {
			bt.memo = map[memoKey]struct{}{}
		}
		bt.memo[k] = struct{}{}
	}
	return false
}

// repeated returns how long the text at pos is that repeats group g, or -1.
func (re *Regexp) repeated(t text, g, pos int) int {
	lo, hi := re.bt.slots[2*(g-1)], re.bt.slots[2*(g-1)+1]
	if lo < 0 || hi < lo {
		return -1
	}
	return repeats(t.b[lo:hi], t.b[pos:], re.prog.fold)
}

// repeats returns how long the beginning of rest is that is the same as want, or -1.
func repeats(want, rest []byte, fold bool) int {
	if !fold {
		if !bytes.HasPrefix(rest, want) {
			return -1
		}
		return len(want)
	}
	n := 0
	for len(want) > 0 {
		if n >= len(rest) {
			return -1
		}
		a, wa := utf8.DecodeRune(want)
		b, wb := utf8.DecodeRune(rest[n:])
		if a != b && !sameFold(a, b) || a == utf8.RuneError && want[0] != rest[n] {
			return -1
		}
		want = want[wa:]
		n += wb
	}
	return n
}
