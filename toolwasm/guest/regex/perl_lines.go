package regex

// perlLines makes an automaton that finds the lines of a buffer in which a Perl pattern may match. It knows less than the pattern
// does, so some lines that it finds hold no match; but it misses none. It is nil when the pattern is beyond it.
//
// exact says that every line it finds does hold a match.
func perlLines(root *perlNode) (re *Regexp, exact bool) {
	r := regularizer{exact: true}
	n, ok := r.node(root, true)
	if !ok {
		return nil, false
	}
	prog, err := compile(n, 0, Newline)
	if err != nil {
		return nil, false // too large
	}
	return &Regexp{prog: prog, noSub: true, lines: true, lit: findLiterals(n, prog)}, r.exact
}

// regularizer turns Perl patterns into regular ones.
type regularizer struct{ exact bool }

// inexact stands for what is not regular.
func (r *regularizer) inexact() (*node, bool) {
	r.exact = false
	return &node{kind: nodeEmpty}, true
}

// node makes a pattern that matches wherever n does, within a line. last says that nothing follows n.
func (r *regularizer) node(n *perlNode, last bool) (*node, bool) {
	switch n.kind {
	case pnEmpty, pnKeep:
		return &node{kind: nodeEmpty}, true
	case pnBehind:
		return r.inexact()
	case pnSet:
		s := *n.set
		return setOf(&s), true
	case pnConcat, pnAlt:
		return r.subs(n, last)
	case pnGroup, pnAtomic:
		r.exact = r.exact && n.kind == pnGroup
		return r.node(n.subs[0], last)
	case pnLook:
		if n.negate || !last {
			return r.inexact()
		}
		return r.node(n.subs[0], last)
	case pnRepeat:
		r.exact = r.exact && !n.possessive
		sub, ok := r.node(n.subs[0], false)
		if !ok {
			return nil, false
		}
		return &node{kind: nodeRepeat, min: n.min, max: n.max, subs: []*node{sub}}, true
	case pnAssert:
		return r.place(n.assert)
	}
	return nil, false
}

func (r *regularizer) subs(n *perlNode, last bool) (*node, bool) {
	out := &node{kind: nodeConcat}
	if n.kind == pnAlt {
		out.kind = nodeAlt
	}
	for i, s := range n.subs {
		sub, ok := r.node(s, last && (n.kind == pnAlt || i == len(n.subs)-1))
		if !ok {
			return nil, false
		}
		out.subs = append(out.subs, sub)
	}
	return out, true
}

// place is the place that an assertion asks for, or any.
func (r *regularizer) place(a perlAssert) (*node, bool) {
	switch a {
	case plLineStart, plMultiStart:
		return &node{kind: nodeAssert, assert: assertLineStart}, true
	case plLineEnd, plMultiEnd:
		return &node{kind: nodeAssert, assert: assertLineEnd}, true
	}
	return r.inexact()
}
