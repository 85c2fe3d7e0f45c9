package regex

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// Bounds of the automaton's memory; when one is reached it begins anew with what it needs now.
const (
	maxStates      = 1 << 16
	maxTransitions = 4 << 20
	maxStateInsts  = 1 << 20
)

// Columns of the transition table that are no character of their own.
const (
	symSlow    = iota // a byte beyond ASCII: to be decoded. Its transitions are never filled in.
	symEnd            // the end of the text
	symInvalid        // a byte that is not UTF-8 and that the pattern does not name
	symFirst          // the first of the classes of characters
)

// spareSymbols is how many columns are kept for classes of characters beyond ASCII as they turn up.
const spareSymbols = 6

// yieldBytes is how much text is read, and yieldWork how many instructions are looked at, between calls of the yield function.
const (
	yieldBytes = 1 << 16
	yieldWork  = 1 << 16
)

// symbol is a class of characters that no part of the pattern tells apart, by one of them.
type symbol struct {
	r     rune // or the byte, when raw
	raw   bool // an invalid byte
	after after
}

// dfa is the deterministic automaton of a program, made while it runs. Each state is a set of instructions and what
// stands before them. A match is noticed one character late, because the assertions at its end depend on that character.
type dfa struct {
	prog     *program
	floating bool // a match may begin at any place from the first on

	class   [256]uint8 // by byte: its column
	symbols []symbol   // by column
	runes   map[rune]int
	nclass  int // columns in use

	stride int
	trans  []int32 // by state and column: 0 unknown, negative a state that is special: it is reached with a match or it is dead
	states []state
	index  map[string]int32
	starts [8]int32 // by what is before; 0 unknown
	held   int      // instructions in all states
	asked  before   // what the program asks for of what is before

	cur, next sparse
	key       []byte
	startSet  []int32 // where a match begins, when floating
	startStep map[int][]int32
	startNull bool // a match may be empty
	work      int
	read      int
	yield     func()
}

type state struct {
	insts  []int32
	before before
	match  bool
}

// Numbers of the states that every automaton has, in units of the stride.
const (
	stateDead = 1 + iota
	stateDeadMatch
	stateFirst
)

// sparse is a set of instructions in order of insertion.
type sparse struct {
	dense []int32
	at    []int32
}

func (s *sparse) init(n int) {
	s.dense = make([]int32, 0, min(n, 64))
	s.at = make([]int32, n)
}

func (s *sparse) has(pc int32) bool {
	i := s.at[pc]
	return int(i) < len(s.dense) && s.dense[i] == pc
}

func (s *sparse) add(pc int32) {
	s.at[pc] = int32(len(s.dense))
	s.dense = append(s.dense, pc)
}

func (s *sparse) clear() { s.dense = s.dense[:0] }

func newDFA(prog *program, floating bool, yield func()) *dfa {
	d := &dfa{prog: prog, floating: floating, yield: yield, runes: map[rune]int{}}
	d.cur.init(len(prog.insts))
	d.next.init(len(prog.insts))
	d.classify()
	d.stride = d.nclass + spareSymbols
	d.asked = d.relevant()
	d.reset()
	if floating {
		d.closure(&d.next, prog.start, nil)
		d.startSet = slices.Clone(d.next.dense)
		d.next.clear()
		d.startStep = map[int][]int32{}
		d.startNull = d.hasMatch(d.startSet)
	}
	return d
}

// classify divides ASCII into classes of characters that all sets of the program treat alike.
func (d *dfa) classify() {
	var class [utf8.RuneSelf]uint8
	n := 1
	split := func(s *set) {
		var renamed [utf8.RuneSelf]uint8
		for c := range class {
			if !s.hasASCII(byte(c)) {
				continue
			}
			k := class[c]
			if renamed[k] == 0 {
				renamed[k] = uint8(n)
				n++
			}
			class[c] = renamed[k]
		}
	}
	var singles [utf8.RuneSelf]bool
	var rest []*set
	for _, s := range d.prog.sets {
		if r, ok := s.single(); ok {
			if r < utf8.RuneSelf {
				singles[r] = true
			}
			continue
		}
		rest = append(rest, s)
	}
	if d.prog.words {
		rest = append(rest, d.prog.wordSet)
	}
	for _, s := range rest {
		split(s)
		class, n = compact(class)
	}
	if d.prog.newline {
		singles['\n'] = true
	}
	for c, one := range singles {
		if one {
			class[c] = uint8(n)
			n++
		}
		if n == utf8.RuneSelf {
			class, n = compact(class)
		}
	}
	class, n = compact(class)
	d.symbols = make([]symbol, symFirst+n)
	for c := utf8.RuneSelf - 1; c >= 0; c-- {
		d.class[c] = class[c] + symFirst
		d.symbols[class[c]+symFirst] = d.describe(rune(c))
	}
	d.symbols[symEnd] = symbol{r: -1, after: afterText | afterLine}
	d.symbols[symInvalid] = symbol{r: -1}
	for _, b := range d.prog.rawBytes {
		d.symbols = append(d.symbols, symbol{r: rune(b), raw: true})
	}
	d.nclass = len(d.symbols)
}

// compact numbers the classes in use from 0.
func compact(class [utf8.RuneSelf]uint8) ([utf8.RuneSelf]uint8, int) {
	var number [256]int16
	n := 0
	for c, k := range class {
		if number[k] == 0 {
			n++
			number[k] = int16(n)
		}
		class[c] = uint8(number[k] - 1)
	}
	return class, n
}

func (d *dfa) describe(r rune) symbol {
	s := symbol{r: r}
	if r == '\n' && d.prog.newline {
		s.after |= afterLine
	}
	if d.prog.words && d.prog.wordSet.has(r) {
		s.after |= afterWord
	}
	return s
}

// symbolAt returns the column of the character at i, which is beyond ASCII, and its width.
func (d *dfa) symbolAt(b []byte, i int) (sym, width int) {
	r, n := utf8.DecodeRune(b[i:])
	raw := d.prog.raw != nil && d.prog.raw[b[i]]
	if raw || r == utf8.RuneError && n == 1 {
		for k, s := range d.symbols {
			if s.raw && s.r == rune(b[i]) {
				return k, 1
			}
		}
		return symInvalid, 1
	}
	if k, ok := d.runes[r]; ok {
		return k, n
	}
	k := d.runeSymbol(r)
	if len(d.runes) >= maxRunes {
		clear(d.runes)
	}
	d.runes[r] = k
	return k, n
}

// maxRunes bounds the table of characters whose class is known.
const maxRunes = 1 << 14

// runeSymbol finds or makes the class of a character beyond ASCII.
func (d *dfa) runeSymbol(r rune) int {
	s := d.describe(r)
	for k := d.nclass; k < len(d.symbols); k++ {
		if o := d.symbols[k]; o.after == s.after && d.alike(o.r, r) {
			return k
		}
	}
	d.symbols = append(d.symbols, s)
	return len(d.symbols) - 1
}

// alike reports whether every set of the program treats two characters alike.
func (d *dfa) alike(a, b rune) bool {
	for _, s := range d.prog.sets {
		if s.has(a) != s.has(b) {
			return false
		}
	}
	return true
}

// reset forgets all states.
func (d *dfa) reset() {
	if len(d.symbols) > d.stride {
		d.stride = len(d.symbols) + spareSymbols
	}
	d.trans = make([]int32, stateFirst*d.stride)
	d.states = make([]state, stateFirst, 16)
	d.states[stateDeadMatch].match = true
	d.index = map[string]int32{}
	d.starts = [8]int32{}
	d.held = 0
}

// closure adds pc and what can be reached from it without reading a character. When holds is nil, assertions stay
// in the set unanswered.
func (d *dfa) closure(to *sparse, pc int32, holds func(assertion) bool) {
	var buf [32]int32
	stack := append(buf[:0], pc)
	for len(stack) > 0 {
		pc = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if to.has(pc) {
			continue
		}
		to.add(pc)
		d.work++
		switch in := &d.prog.insts[pc]; in.op {
		case opAlt, opProgress:
			stack = append(stack, in.alt, in.out)
		case opSave, opMark, opBackref:
			stack = append(stack, in.out)
		case opAssert:
			if holds != nil && holds(assertion(in.arg)) {
				stack = append(stack, in.out)
			}
		}
	}
}

func (d *dfa) hasMatch(set []int32) bool {
	for _, pc := range set {
		if d.prog.insts[pc].op == opMatch {
			return true
		}
	}
	return false
}

// startState returns the state before the character at from.
func (d *dfa) startState(t text, from int) int32 {
	var l before
	if d.asked != 0 {
		l = t.before(from, d.prog.newline) & d.asked
	}
	if s := d.starts[l]; s != 0 {
		return s
	}
	d.next.clear()
	if !d.floating {
		d.closure(&d.next, d.prog.start, nil)
	}
	s := d.add(d.next.dense, l, false)
	if s < 0 {
		s = -s
	}
	d.starts[l] = s
	return s
}

// relevant masks what is before a place by what the program asks for.
func (d *dfa) relevant() before {
	var m before
	if d.prog.kinds[assertLineStart] {
		m |= beforeLine
	}
	if d.prog.kinds[assertTextStart] {
		m |= beforeText
	}
	if d.prog.words {
		m |= beforeWord
	}
	return m
}

// add returns the number of the state of a set as it stands in the table, making the state if it is new.
func (d *dfa) add(set []int32, l before, match bool) int32 {
	kept := set[:0]
	for _, pc := range set {
		switch d.prog.insts[pc].op {
		case opAlt, opProgress, opSave, opMark:
		default:
			kept = append(kept, pc)
		}
	}
	if len(kept) == 0 && !d.floating {
		if match {
			return int32(-stateDeadMatch * d.stride)
		}
		return int32(-stateDead * d.stride)
	}
	slices.Sort(kept)
	d.key = d.key[:0]
	for _, pc := range kept {
		d.key = binary.LittleEndian.AppendUint32(d.key, uint32(pc))
	}
	d.key = append(d.key, byte(l)<<1)
	if match {
		d.key[len(d.key)-1] |= 1
	}
	s, ok := d.index[string(d.key)]
	if !ok {
		s = int32(len(d.states) * d.stride)
		d.states = append(d.states, state{insts: slices.Clone(kept), before: l, match: match})
		d.trans = append(d.trans, make([]int32, d.stride)...)
		d.held += len(kept)
		d.index[string(d.key)] = s
	}
	if match {
		return -s
	}
	return s
}

func (d *dfa) full() bool {
	return len(d.states) >= maxStates || len(d.trans)+d.stride > maxTransitions || d.held > maxStateInsts ||
		len(d.symbols) > d.stride
}

// step returns the transition of state s by a column, working it out if it is unknown.
func (d *dfa) step(s int32, sym int) int32 {
	if sym < d.stride {
		if t := d.trans[int(s)+sym]; t != 0 {
			return t
		}
	}
	set, l, match := d.advance(&d.states[int(s)/d.stride], sym)
	if d.full() {
		d.reset()
		return d.add(set, l, match)
	}
	t := d.add(set, l, match)
	d.trans[int(s)+sym] = t
	if d.work > yieldWork {
		d.work = 0
		if d.yield != nil {
			d.yield()
		}
	}
	return t
}

// advance computes what follows a state by a character.
func (d *dfa) advance(st *state, sym int) (set []int32, l before, match bool) {
	c := d.symbols[sym]
	d.cur.clear()
	d.next.clear()
	for _, pc := range st.insts {
		d.cur.add(pc)
	}
	if d.prog.asserts {
		d.answer(st, c)
	}
	match = d.hasMatch(d.cur.dense) || d.floating && d.startNull
	if sym == symEnd {
		return d.next.dense, 0, match
	}
	for _, pc := range d.cur.dense {
		d.move(pc, c)
	}
	if d.floating && !d.prog.asserts {
		for _, pc := range d.startMoves(sym) {
			if !d.next.has(pc) {
				d.next.add(pc)
			}
		}
	}
	if c.after&afterLine != 0 {
		l |= beforeLine
	}
	if c.after&afterWord != 0 {
		l |= beforeWord
	}
	d.work += len(d.cur.dense)
	return d.next.dense, l & d.asked, match
}

// answer extends the current set through the assertions that hold before character c.
func (d *dfa) answer(st *state, c symbol) {
	holds := func(a assertion) bool { return a.holds(st.before, c.after) }
	if d.floating {
		for _, pc := range d.startSet {
			if !d.cur.has(pc) {
				d.cur.add(pc)
			}
		}
	}
	for i := 0; i < len(d.cur.dense); i++ {
		in := &d.prog.insts[d.cur.dense[i]]
		if in.op == opAssert && holds(assertion(in.arg)) {
			d.closure(&d.cur, in.out, holds)
		}
	}
}

// move adds to the next set where instruction pc goes by character c.
func (d *dfa) move(pc int32, c symbol) {
	switch in := &d.prog.insts[pc]; in.op {
	case opSet:
		if !c.raw && c.r >= 0 && d.prog.sets[in.arg].has(c.r) {
			d.closure(&d.next, in.out, nil)
		}
	case opByte:
		if c.raw && c.r == in.arg {
			d.closure(&d.next, in.out, nil)
		}
	case opBackref:
		// What a group matched is not known here: anything is let through, and the backtracker looks closer.
		d.closure(&d.next, pc, nil)
	}
}

// startMoves returns where a match that begins at character sym goes.
func (d *dfa) startMoves(sym int) []int32 {
	if m, ok := d.startStep[sym]; ok {
		return m
	}
	saved := d.next
	d.next = sparse{at: make([]int32, len(d.prog.insts))}
	for _, pc := range d.startSet {
		d.move(pc, d.symbols[sym])
	}
	m := d.next.dense
	d.next = saved
	d.startStep[sym] = m
	return m
}

// longest returns the end of the longest match that begins at from, or -1, and how far it had to look.
func (d *dfa) longest(t text, from int) (end, reach int) {
	end = -1
	b := t.b
	s := d.startState(t, from)
	dead, deadMatch := int32(-stateDead*d.stride), int32(-stateDeadMatch*d.stride)
	i := from
	for i < len(b) {
		at := i
		n := d.trans[int(s)+int(d.class[b[i]])]
		i++
		if n <= 0 {
			if n == 0 {
				sym := int(d.class[b[at]])
				if sym == symSlow {
					var w int
					sym, w = d.symbolAt(b, at)
					i = at + w
				}
				n = d.step(s, sym)
				dead, deadMatch = int32(-stateDead*d.stride), int32(-stateDeadMatch*d.stride)
			}
			if n < 0 {
				if n == dead {
					return end, i
				}
				end = at
				if n == deadMatch {
					return end, i
				}
				n = -n
			}
		}
		s = n
		if i&(yieldBytes-1) == 0 && d.yield != nil {
			d.yield()
		}
	}
	if n := d.step(s, symEnd); n < 0 && n != int32(-stateDead*d.stride) {
		end = len(b)
	}
	return end, len(b)
}

// first returns the end of the match that ends first of those that begin at from or later, or -1.
func (d *dfa) first(t text, from int) int {
	b := t.b
	s := d.startState(t, from)
	for i := from; i < len(b); {
		stop := min(len(b), i+yieldBytes)
		at, last, n := d.run(b[:stop], i, s)
		d.passed(at - i)
		i, s = at, last
		if i == stop {
			continue
		}
		i++
		if n == 0 {
			sym := int(d.class[b[at]])
			if sym == symSlow {
				var w int
				sym, w = d.symbolAt(b, at)
				i = at + w
			}
			n = d.step(s, sym)
		}
		if n < 0 {
			return at
		}
		s = n
	}
	if d.step(s, symEnd) < 0 {
		return len(b)
	}
	return -1
}

// run follows known transitions through b from i on and state s, as long as they lead to no match. It returns where it stopped, the
// state there, and the transition by the character there, which is not positive, unless b is at its end.
func (d *dfa) run(b []byte, i int, s int32) (at int, last, n int32) {
	trans, class := d.trans, &d.class
	for i < len(b)-3 {
		// Several characters in each round: a round costs as much as a character.
		if n = trans[int(s)+int(class[b[i]])]; n <= 0 {
			return i, s, n
		}
		if s = trans[int(n)+int(class[b[i+1]])]; s <= 0 {
			return i + 1, n, s
		}
		if n = trans[int(s)+int(class[b[i+2]])]; n <= 0 {
			return i + 2, s, n
		}
		if s = trans[int(n)+int(class[b[i+3]])]; s <= 0 {
			return i + 3, n, s
		}
		i += 4
	}
	for ; i < len(b); i++ {
		if n = trans[int(s)+int(class[b[i]])]; n <= 0 {
			return i, s, n
		}
		s = n
	}
	return i, s, s
}

// passed counts text that has been read, and yields when it is time.
func (d *dfa) passed(n int) {
	if d.read += n; d.read < yieldBytes {
		return
	}
	d.read = 0
	if d.yield != nil {
		d.yield()
	}
}
