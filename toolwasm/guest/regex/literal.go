package regex

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// literals is what is known of a pattern's matches without running it.
type literals struct {
	whole  *finder    // the pattern is this string; nil if it is more than a string
	prefix *finder    // each match begins with this
	need   *finder    // each match contains this
	first  *[256]bool // each match begins with one of these bytes; nil if it may be empty or begin with any
	bol    bool       // each match begins where a line (or the text) begins
	edge   edge       // the pattern is a place alone
}

// edge is a place that makes a pattern by itself.
type edge uint8

const (
	noEdge edge = iota
	lineStartEdge
	lineEndEdge
)

// maxLiteral bounds the strings that are searched for ahead of the automaton.
const maxLiteral = 64

func findLiterals(root *node, prog *program) literals {
	var l literals
	var runs literalRuns
	exact := runs.walk(root)
	runs.cut()
	if len(runs.best) > 0 {
		l.need = newFinder(runs.best)
	}
	if exact && prog.groups == 0 && runs.count == 1 {
		l.whole = l.need
	}
	if len(runs.prefix) > 0 {
		l.prefix = newFinder(runs.prefix)
	}
	if len(prog.rawBytes) == 0 { // else a candidate could lie inside a character
		l.first = firstBytes(prog)
	}
	l.bol = beginsLine(root)
	switch {
	case root.kind != nodeAssert:
	case root.assert == assertLineStart:
		l.edge = lineStartEdge
	case root.assert == assertLineEnd:
		l.edge = lineEndEdge
	}
	return l
}

// literal is a string, of which letters may stand in either case.
type literal []literalByte

// literalByte stands for the bytes that are c once caseBit is set in them.
type literalByte struct{ c, caseBit byte }

// caseBit is what tells the two cases of an ASCII letter apart.
const caseBit = 0x20

// literalRuns collects the strings of single characters that every match contains.
type literalRuns struct {
	run, best, prefix literal
	count             int
	moved             bool // something came before the current run
}

// cut ends the current run.
func (l *literalRuns) cut() {
	if len(l.run) == 0 {
		l.moved = true
		return
	}
	l.count++
	if !l.moved {
		l.prefix = slices.Clone(l.run)
	}
	if len(l.run) > len(l.best) {
		l.best = slices.Clone(l.run)
	}
	l.run = l.run[:0]
	l.moved = true
}

// walk goes through n in order. It reports whether n is but a string.
func (l *literalRuns) walk(n *node) bool {
	switch n.kind {
	case nodeSet:
		if len(l.run) >= maxLiteral || !l.run.add(n.set) {
			l.cut()
			return false
		}
		return true
	case nodeByte:
		// An invalid byte could pair with its neighbours in the text; the automaton decides.
		l.cut()
		return false
	case nodeConcat:
		exact := true
		for _, s := range n.subs {
			if !l.walk(s) {
				exact = false
			}
		}
		return exact
	case nodeGroup:
		l.walk(n.subs[0])
		return false
	case nodeRepeat:
		if n.min >= 1 {
			l.walk(n.subs[0])
		}
		l.cut()
		return false
	case nodeAssert:
		// What follows a place still begins the match.
		return false
	case nodeEmpty:
		return false
	}
	l.cut()
	return false
}

// add appends what a set stands for, if that is one character or an ASCII letter in either case.
func (l *literal) add(s *set) bool {
	if c, ok := s.letter(); ok {
		*l = append(*l, literalByte{c, caseBit})
		return true
	}
	r, ok := s.single()
	if !ok {
		return false
	}
	for _, c := range utf8.AppendRune(nil, r) {
		*l = append(*l, literalByte{c: c})
	}
	return true
}

// letter returns the lower case of the ASCII letter that the set consists of in both cases, if it does.
func (s *set) letter() (lower byte, ok bool) {
	if s.negated || len(s.spans) > 0 || len(s.classes) > 0 || s.ascii[0] != 0 || bits.OnesCount64(s.ascii[1]) != len("aA") {
		return 0, false
	}
	lower = byte(utf8.RuneSelf - 1 - bits.LeadingZeros64(s.ascii[1]))
	return lower, isLower(lower) && s.hasASCII(lower&^caseBit)
}

// beginsLine reports whether every match must begin at ^ or \`.
func beginsLine(n *node) bool {
	switch n.kind {
	case nodeAssert:
		return n.assert == assertLineStart || n.assert == assertTextStart
	case nodeConcat:
		return len(n.subs) > 0 && beginsLine(n.subs[0])
	case nodeGroup:
		return beginsLine(n.subs[0])
	case nodeAlt:
		for _, s := range n.subs {
			if !beginsLine(s) {
				return false
			}
		}
		return true
	}
	return false
}

// firstBytes returns the bytes that a match can begin with, or nil when it can be empty.
func firstBytes(prog *program) *[256]bool {
	var first [256]bool
	seen := make([]bool, len(prog.insts))
	stack := []int32{prog.start}
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch in := &prog.insts[pc]; in.op {
		case opMatch, opBackref:
			return nil
		case opAlt:
			stack = append(stack, in.alt, in.out)
		case opSave, opMark, opProgress, opAssert:
			stack = append(stack, in.out)
		case opByte:
			first[in.arg] = true
		case opSet:
			prog.sets[in.arg].addFirst(&first)
		}
	}
	return &first
}

// addFirst adds the bytes that the characters of the set begin with.
func (s *set) addFirst(first *[256]bool) {
	for c := range utf8.RuneSelf {
		if s.hasASCII(byte(c)) {
			first[c] = true
		}
	}
	if r, ok := s.single(); ok && r >= utf8.RuneSelf {
		first[utf8.AppendRune(nil, r)[0]] = true
		return
	}
	if s.negated || s.fold || len(s.classes) > 0 || len(s.spans) > 0 {
		const firstLead, lastLead = 0xc2, 0xf4
		for c := firstLead; c <= lastLead; c++ {
			first[c] = true
		}
	}
}
