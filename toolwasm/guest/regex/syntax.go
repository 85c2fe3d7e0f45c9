package regex

import (
	"errors"
	"regexp/syntax"
)

var errSyntax = errors.New("regex: convert pattern: not supported")

// FromSyntax makes a Regexp of a pattern in Go's syntax that finds the lines it matches: with [Regexp.MatchFrom], in a buffer of
// lines. It prefers the longest match, so the bounds of matches may differ from Go's.
func FromSyntax(re *syntax.Regexp) (*Regexp, error) {
	root, err := fromSyntax(re)
	if err != nil {
		return nil, err
	}
	prog, err := compile(root, 0, Newline)
	if err != nil {
		return nil, err
	}
	return &Regexp{prog: prog, noSub: true, lines: true, lit: findLiterals(root, prog)}, nil
}

// MatchFrom is MatchEnd for use as a callback.
func (re *Regexp) MatchFrom(b []byte, from int) int { return re.MatchEnd(b, from, false) }

func fromSyntax(re *syntax.Regexp) (*node, error) {
	var subs []*node
	for _, s := range re.Sub {
		n, err := fromSyntax(s)
		if err != nil {
			return nil, err
		}
		subs = append(subs, n)
	}
	fold := re.Flags&syntax.FoldCase != 0
	switch re.Op {
	case syntax.OpEmptyMatch:
		return &node{kind: nodeEmpty}, nil
	case syntax.OpNoMatch:
		return setOf(&set{}), nil
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			s := &set{}
			s.addRange(r, r)
			if fold {
				s.foldCase()
			}
			subs = append(subs, setOf(s))
		}
		return &node{kind: nodeConcat, subs: subs}, nil
	case syntax.OpCharClass:
		s := &set{}
		for i := 0; i+1 < len(re.Rune); i += 2 {
			s.addRange(re.Rune[i], re.Rune[i+1])
		}
		return setOf(s), nil
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		s := &set{}
		s.negate()
		return setOf(s), nil
	case syntax.OpBeginLine, syntax.OpBeginText:
		return &node{kind: nodeAssert, assert: assertLineStart}, nil
	case syntax.OpEndLine, syntax.OpEndText:
		return &node{kind: nodeAssert, assert: assertLineEnd}, nil
	case syntax.OpWordBoundary:
		return &node{kind: nodeAssert, assert: assertBoundary}, nil
	case syntax.OpNoWordBoundary:
		return &node{kind: nodeAssert, assert: assertNotBoundary}, nil
	case syntax.OpCapture:
		return subs[0], nil
	case syntax.OpStar:
		return &node{kind: nodeRepeat, max: unbounded, subs: subs}, nil
	case syntax.OpPlus:
		return &node{kind: nodeRepeat, min: 1, max: unbounded, subs: subs}, nil
	case syntax.OpQuest:
		return &node{kind: nodeRepeat, max: 1, subs: subs}, nil
	case syntax.OpRepeat:
		return &node{kind: nodeRepeat, min: re.Min, max: re.Max, subs: subs}, nil
	case syntax.OpConcat:
		return &node{kind: nodeConcat, subs: subs}, nil
	case syntax.OpAlternate:
		return &node{kind: nodeAlt, subs: subs}, nil
	}
	return nil, errSyntax
}

// setOf makes a node of a set, in which a line's end has no place.
func setOf(s *set) *node {
	s.remove('\n')
	return &node{kind: nodeSet, set: s}
}
