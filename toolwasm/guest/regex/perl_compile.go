package regex

// compilePerl turns a pattern's tree into instructions. Instruction 0 is its beginning. Bodies of groups that are called, of
// lookarounds and of atomic groups are subprograms that end in plReturn.
func compilePerl(prog *perlProgram, root *perlNode, ps *perlParser) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			err = e
		default:
			panic(e)
		}
	}()
	c := &perlCompiler{prog: prog, ps: ps, groups: map[int]*perlNode{0: root}}
	prog.slots = 2 * ps.ngroups
	c.collect(root)
	c.node(root)
	c.emit(perlInst{op: plMatch})
	for len(c.todo) > 0 {
		t := c.todo[0]
		c.todo = c.todo[1:]
		at := c.here()
		if t.group >= 0 {
			prog.groups[t.group] = at
		} else {
			prog.insts[t.inst].out = at
		}
		c.node(t.body)
		c.emit(perlInst{op: plReturn})
	}
	for i := range prog.insts {
		if in := &prog.insts[i]; in.op == plCall {
			in.out = prog.groups[in.n]
		}
	}
	return nil
}

// subprogram is a body that is still to be compiled: that of an instruction, or of a group that is called.
type subprogram struct {
	body  *perlNode
	inst  int32
	group int
}

type perlCompiler struct {
	prog   *perlProgram
	ps     *perlParser
	groups map[int]*perlNode
	todo   []subprogram
}

// collect finds the groups, and resolves names.
func (c *perlCompiler) collect(n *perlNode) {
	if n == nil {
		return
	}
	if n.name != "" {
		g, ok := c.ps.names[n.name]
		if !ok {
			perlFail("reference to non-existent subpattern")
		}
		n.n = g
	}
	if n.n <= 0 && (n.kind == pnBackref || n.kind == pnIf && n.subs[2] == nil) {
		perlFail("reference to non-existent subpattern")
	}
	if n.kind == pnGroup {
		c.groups[n.n] = n
	}
	for _, s := range n.subs {
		c.collect(s)
	}
}

func (c *perlCompiler) here() int32 { return int32(len(c.prog.insts)) }

func (c *perlCompiler) emit(in perlInst) int32 {
	if len(c.prog.insts) >= maxProgram {
		perlFail("regular expression is too large")
	}
	c.prog.insts = append(c.prog.insts, in)
	return c.here() - 1
}

func (c *perlCompiler) node(n *perlNode) {
	switch n.kind {
	case pnSet:
		c.emit(perlInst{op: plSet, set: n.set})
	case pnConcat:
		for _, s := range n.subs {
			c.node(s)
		}
	case pnAlt:
		c.alt(n)
	case pnRepeat:
		c.repeat(n)
	case pnGroup:
		c.emit(perlInst{op: plSave, n: 2 * (n.n - 1)})
		c.node(n.subs[0])
		c.emit(perlInst{op: plSave, n: 2*(n.n-1) + 1})
	case pnAtomic:
		c.sub(perlInst{op: plAtomic}, n.subs[0])
	case pnLook:
		c.sub(perlInst{op: plLook, negate: n.negate}, n.subs[0])
	case pnBehind:
		c.behind(n)
	case pnAssert:
		c.emit(perlInst{op: plAssert, assert: n.assert})
	case pnBackref:
		c.emit(perlInst{op: plBackref, n: n.n, fold: n.fold})
	case pnCall:
		c.call(n.n)
	case pnKeep:
		c.emit(perlInst{op: plKeep})
	case pnIf:
		c.conditional(n)
	case pnFail:
		c.emit(perlInst{op: plFail})
	case pnNewline:
		c.emit(perlInst{op: plNewline})
	}
}

func (c *perlCompiler) alt(n *perlNode) {
	var ends []int32
	for i, s := range n.subs {
		if i == len(n.subs)-1 {
			c.node(s)
			break
		}
		split := c.emit(perlInst{op: plAlt})
		c.prog.insts[split].out = c.here()
		c.node(s)
		ends = append(ends, c.emit(perlInst{op: plJump}))
		c.prog.insts[split].alt = c.here()
	}
	for _, e := range ends {
		c.prog.insts[e].out = c.here()
	}
}

// sub emits an instruction with a subprogram; what follows it is its alt.
func (c *perlCompiler) sub(in perlInst, body *perlNode) {
	at := c.emit(in)
	c.prog.insts[at].alt = c.here()
	c.todo = append(c.todo, subprogram{body: body, inst: at, group: -1})
}

func (c *perlCompiler) call(n int) {
	for len(c.prog.groups) <= c.ps.ngroups {
		c.prog.groups = append(c.prog.groups, -1)
	}
	at := c.emit(perlInst{op: plCall, n: n})
	c.prog.insts[at].alt = c.here()
	if c.prog.groups[n] == -1 {
		const claimed = -2
		c.prog.groups[n] = claimed
		c.todo = append(c.todo, subprogram{body: c.groups[n], group: n})
	}
}

// behind compiles a lookbehind: each alternative has a length of its own, by which to go back.
func (c *perlCompiler) behind(n *perlNode) {
	body := n.subs[0]
	alts := []*perlNode{body}
	if body.kind == pnAlt {
		alts = body.subs
	}
	inner := &perlNode{kind: pnAlt}
	lengths := make([]int, len(alts))
	same := true
	for i, a := range alts {
		length, ok := fixedLength(a, 0)
		if !ok {
			perlFail("lookbehind assertion is not fixed length")
		}
		lengths[i] = length
		same = same && length == lengths[0]
		inner.subs = append(inner.subs, a)
	}
	if same {
		c.sub(perlInst{op: plBehind, n: lengths[0], negate: n.negate}, body)
		return
	}
	// Alternatives of different lengths are tried one by one: all must fail, or one must match.
	if n.negate {
		for i, a := range alts {
			c.sub(perlInst{op: plBehind, n: lengths[i], negate: true}, a)
		}
		return
	}
	choice := &perlNode{kind: pnAlt}
	for _, a := range alts {
		choice.subs = append(choice.subs, &perlNode{kind: pnBehind, subs: []*perlNode{perlSeq(a)}})
	}
	c.sub(perlInst{op: plLook}, choice)
}

// fixedLength returns how many characters a node always matches.
func fixedLength(n *perlNode, depth int) (int, bool) {
	if depth > maxDepth {
		return 0, false
	}
	switch n.kind {
	case pnSet:
		return 1, true
	case pnEmpty, pnLook, pnBehind, pnAssert, pnKeep, pnFail:
		return 0, true
	case pnConcat:
		total := 0
		for _, s := range n.subs {
			k, ok := fixedLength(s, depth+1)
			if !ok {
				return 0, false
			}
			total += k
		}
		return total, true
	case pnAlt:
		first, ok := fixedLength(n.subs[0], depth+1)
		for _, s := range n.subs[1:] {
			k, o := fixedLength(s, depth+1)
			ok = ok && o && k == first
		}
		return first, ok
	case pnRepeat:
		k, ok := fixedLength(n.subs[0], depth+1)
		return k * n.min, ok && n.min == n.max
	case pnGroup, pnAtomic:
		return fixedLength(n.subs[0], depth+1)
	}
	return 0, false
}

func (c *perlCompiler) conditional(n *perlNode) {
	var at int32
	if look := n.subs[2]; look != nil {
		// (?(?=x)yes|no) is (?:(?=x)yes|(?!x)no).
		inverse := *look
		inverse.negate = !look.negate
		c.alt(&perlNode{kind: pnAlt, subs: []*perlNode{perlSeq(look, n.subs[0]), perlSeq(&inverse, n.subs[1])}})
		return
	}
	at = c.emit(perlInst{op: plIfGroup, n: n.n})
	c.prog.insts[at].out = c.here()
	c.node(n.subs[0])
	jump := c.emit(perlInst{op: plJump})
	c.prog.insts[at].alt = c.here()
	c.node(n.subs[1])
	c.prog.insts[jump].out = c.here()
}

func (c *perlCompiler) repeat(n *perlNode) {
	body := n.subs[0]
	if body.kind == pnSet {
		op := plStarGreedy
		switch {
		case n.possessive:
			op = plStarAtomic
		case n.lazy:
			op = plStarLazy
		}
		c.emit(perlInst{op: op, set: body.set, min: n.min, max: n.max})
		return
	}
	if n.possessive {
		plain := *n
		plain.possessive = false
		c.sub(perlInst{op: plAtomic}, &plain)
		return
	}
	for range n.min {
		c.node(body)
	}
	if n.max == unbounded {
		c.loop(n)
		return
	}
	var splits []int32
	for range n.max - n.min {
		splits = append(splits, c.emit(perlInst{op: plAlt}))
		c.node(body)
	}
	for _, s := range splits {
		c.choose(s, s+1, c.here(), n.lazy)
	}
}

// choose sets the ways of a split: into a round of a loop first, unless it is lazy.
func (c *perlCompiler) choose(split, round, exit int32, lazy bool) {
	in := &c.prog.insts[split]
	in.out, in.alt = round, exit
	if lazy {
		in.out, in.alt = exit, round
	}
}

func (c *perlCompiler) loop(n *perlNode) {
	slot := c.prog.slots
	c.prog.slots++
	split := c.emit(perlInst{op: plAlt})
	round := c.emit(perlInst{op: plMark, n: slot})
	c.node(n.subs[0])
	end := c.emit(perlInst{op: plProgress, n: slot, out: split})
	c.prog.insts[end].alt = c.here()
	c.choose(split, round, c.here(), n.lazy)
}
