package regex

// maxProgram bounds the instructions of a program, and with them the copies that intervals make.
const maxProgram = 200_000

type opcode uint8

const (
	opMatch    opcode = iota
	opSet             // a character of sets[arg], then out
	opByte            // the byte arg, then out
	opAlt             // out is preferred to alt
	opMark            // the position goes to slot arg, then out; for opProgress
	opProgress        // out when the position has moved since opMark, else alt
	opSave            // the position goes to slot arg, then out
	opAssert          // the place is as assertion arg says, then out
	opBackref         // what group arg matched, then out
)

type inst struct {
	op       opcode
	arg      int32
	out, alt int32
}

// program is a nondeterministic automaton.
type program struct {
	insts     []inst
	sets      []*set
	start     int32
	slots     int // positions of groups, two each without the whole match, and of marks
	groups    int
	newline   bool
	fold      bool
	backrefs  bool
	backGroup []bool                      // by group: something refers back to it
	asserts   bool                        // there is an assertion
	words     bool                        // one of them looks at words
	raw       *[256]bool                  // the same as a table; nil when there are none
	rawBytes  []byte                      // bytes beyond ASCII that the pattern names by themselves
	kinds     [assertNoWordAfter + 1]bool // by assertion: it occurs
	wordSet   *set
}

type compiler struct {
	prog *program
	// singles finds the set of an ASCII character, so that equal ones are one.
	singles map[rune]int32
	// marks makes loops watch for rounds that match nothing. Matchers that see each state once at each place need
	// no such watch; the backtracker of patterns with back-references does.
	marks bool
}

func compile(root *node, groups int, flags Flags) (p *program, err error) {
	c := &compiler{prog: &program{
		slots: 2 * groups, groups: groups, newline: flags&Newline != 0, fold: flags&IgnoreCase != 0,
		backGroup: make([]bool, groups+1),
	}, singles: map[rune]int32{}, marks: hasBackref(root)}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			p, err = nil, e
		default:
			panic(e)
		}
	}()
	match := c.emit(inst{op: opMatch})
	c.prog.start = c.node(root, match)
	return c.prog, nil
}

func (c *compiler) emit(i inst) int32 {
	if len(c.prog.insts) >= maxProgram {
		fail(msgTooBig)
	}
	c.prog.insts = append(c.prog.insts, i)
	return int32(len(c.prog.insts) - 1)
}

// node compiles n so that next follows, and returns where it begins. Code is made back to front, which spares patching
// except in loops.
func (c *compiler) node(n *node, next int32) int32 {
	switch n.kind {
	case nodeSet:
		return c.emit(inst{op: opSet, arg: c.set(n.set), out: next})
	case nodeByte:
		c.rawByte(byte(n.n))
		return c.emit(inst{op: opByte, arg: int32(n.n), out: next})
	case nodeConcat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			next = c.node(n.subs[i], next)
		}
	case nodeAlt:
		at := c.node(n.subs[len(n.subs)-1], next)
		for i := len(n.subs) - 2; i >= 0; i-- {
			at = c.emit(inst{op: opAlt, out: c.node(n.subs[i], next), alt: at})
		}
		return at
	case nodeRepeat:
		return c.repeat(n, next)
	case nodeGroup:
		slot := int32(2 * (n.n - 1))
		end := c.emit(inst{op: opSave, arg: slot + 1, out: next})
		return c.emit(inst{op: opSave, arg: slot, out: c.node(n.subs[0], end)})
	case nodeBackref:
		c.prog.backrefs = true
		c.prog.backGroup[n.n] = true
		return c.emit(inst{op: opBackref, arg: int32(n.n), out: next})
	case nodeAssert:
		c.prog.asserts = true
		c.prog.kinds[n.assert] = true
		if n.assert >= assertBoundary {
			c.prog.words = true
			c.wordSet()
		}
		return c.emit(inst{op: opAssert, arg: int32(n.assert), out: next})
	}
	return next
}

func (c *compiler) repeat(n *node, next int32) int32 {
	sub := n.subs[0]
	at := next
	switch {
	case n.max == unbounded && n.min == 0 && nullable(sub):
		// The first round is taken even when it is empty, so that its groups are set.
		at = c.emit(inst{op: opAlt, out: c.plus(sub, next), alt: next})
	case n.max == unbounded && n.min == 0:
		loop := c.emit(inst{op: opAlt, alt: next})
		body := c.node(sub, loop)
		c.prog.insts[loop].out = body
		at = loop
	case n.max == unbounded:
		at = c.plus(sub, next)
	default:
		for range n.max - n.min {
			at = c.emit(inst{op: opAlt, out: c.node(sub, at), alt: next})
		}
	}
	copies := n.min
	if n.max == unbounded && n.min > 0 {
		copies--
	}
	for range copies {
		at = c.node(sub, at)
	}
	return at
}

// plus compiles sub once or more.
func (c *compiler) plus(sub *node, next int32) int32 {
	loop := c.emit(inst{op: opAlt, alt: next})
	if !c.marks || !nullable(sub) {
		body := c.node(sub, loop)
		c.prog.insts[loop].out = body
		return body
	}
	slot := int32(c.prog.slots)
	c.prog.slots++
	end := c.emit(inst{op: opProgress, arg: slot, out: loop, alt: next})
	body := c.emit(inst{op: opMark, arg: slot, out: c.node(sub, end)})
	c.prog.insts[loop].out = body
	return body
}

func hasBackref(n *node) bool {
	if n.kind == nodeBackref {
		return true
	}
	for _, s := range n.subs {
		if hasBackref(s) {
			return true
		}
	}
	return false
}

// nullable reports whether n can match nothing.
func nullable(n *node) bool {
	switch n.kind {
	case nodeSet, nodeByte:
		return false
	case nodeConcat:
		for _, s := range n.subs {
			if !nullable(s) {
				return false
			}
		}
		return true
	case nodeAlt:
		for _, s := range n.subs {
			if nullable(s) {
				return true
			}
		}
		return false
	case nodeRepeat:
		return n.min == 0 || nullable(n.subs[0])
	case nodeGroup:
		return nullable(n.subs[0])
	}
	return true
}

// set returns the number of a set; sets of the same one character share it.
func (c *compiler) set(s *set) int32 {
	r, one := s.single()
	if one {
		if i, ok := c.singles[r]; ok {
			return i
		}
	} else {
		for i, o := range c.prog.sets {
			if o == s || i < maxShared && o.equal(s) {
				return int32(i)
			}
		}
	}
	c.prog.sets = append(c.prog.sets, s)
	i := int32(len(c.prog.sets) - 1)
	if one {
		c.singles[r] = i
	}
	return i
}

// maxShared is how many sets are looked through for an equal one.
const maxShared = 32

func (c *compiler) wordSet() {
	if c.prog.wordSet != nil {
		return
	}
	s := &set{}
	s.addClass(wordClass)
	c.prog.wordSet = s
}

func (c *compiler) rawByte(b byte) {
	for _, r := range c.prog.rawBytes {
		if r == b {
			return
		}
	}
	c.prog.rawBytes = append(c.prog.rawBytes, b)
	if c.prog.raw == nil {
		c.prog.raw = new([256]bool)
	}
	c.prog.raw[b] = true
}
