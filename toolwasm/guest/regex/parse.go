package regex

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxRepeat is POSIX's RE_DUP_MAX: the largest bound of an interval.
	maxRepeat = 32767
	// maxDepth bounds the nesting of groups.
	maxDepth = 1000
	// unbounded is the upper bound of * and {n,}.
	unbounded = -1
)

type nodeKind uint8

const (
	nodeEmpty   nodeKind = iota
	nodeSet              // one character of a set
	nodeByte             // one byte that is not valid UTF-8
	nodeConcat           // subs one after the other
	nodeAlt              // one of subs
	nodeRepeat           // subs[0], min to max times
	nodeGroup            // subs[0], remembered as group n
	nodeBackref          // what group n matched
	nodeAssert           // a place
)

type node struct {
	kind     nodeKind
	assert   assertion
	set      *set
	n        int // group, or byte
	min, max int
	subs     []*node
}

// assertion is a condition on a place between characters.
type assertion uint8

const (
	assertLineStart assertion = iota
	assertLineEnd
	assertTextStart
	assertTextEnd
	assertBoundary
	assertNotBoundary
	assertWordStart
	assertWordEnd
	assertNoWordBefore
	assertNoWordAfter
)

type tokenKind uint8

const (
	tokEnd    tokenKind = iota
	tokChar             // an ordinary character
	tokByte             // an invalid byte
	tokDot              // .
	tokOpen             // (
	tokClose            // )
	tokAlt              // |
	tokStar             // *
	tokPlus             // +
	tokQuest            // ?
	tokBrace            // {
	tokSet              // [
	tokAssert           // a place
	tokClass            // \w and its kind
	tokBackref
)

type token struct {
	kind   tokenKind
	r      rune
	assert assertion
	class  class
	negate bool
	len    int // bytes in the pattern
}

type parser struct {
	src     string
	pos     int
	flags   Flags
	ngroups int    // groups so far
	base    int    // groups of the patterns before this one
	closed  []bool // by group of this pattern: its end has been read, so it may be referred to
	depth   int
	start   bool // an operand may begin here: after ( or | or at the beginning
}

// parse reads one pattern; groups counts those of the patterns before it and then its own too.
func parse(src string, flags Flags, groups *int) (root *node, err error) {
	p := &parser{src: src, flags: flags, start: true, ngroups: *groups, base: *groups, closed: make([]bool, 1)}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			root, err = nil, e
		default:
			panic(e)
		}
	}()
	if p.has(Fixed) {
		return p.literal(), nil
	}
	root = p.alternatives()
	*groups = p.ngroups
	return root, nil
}

// literal takes the whole pattern as a string.
func (p *parser) literal() *node {
	n := &node{kind: nodeConcat}
	for i := 0; i < len(p.src); {
		r, w := utf8.DecodeRuneInString(p.src[i:])
		if r == utf8.RuneError && w == 1 {
			n.subs = append(n.subs, &node{kind: nodeByte, n: int(p.src[i])})
		} else {
			n.subs = append(n.subs, p.charNode(r))
		}
		i += w
	}
	if len(n.subs) == 0 {
		return &node{kind: nodeEmpty}
	}
	return n
}

func fail(msg string) { panic(&Error{msg}) }

func (p *parser) has(f Flags) bool { return p.flags&f != 0 }

func (p *parser) alternatives() *node {
	p.depth++
	if p.depth > maxDepth {
		fail(msgTooBig)
	}
	defer func() { p.depth-- }()
	var subs []*node
	// A back-reference cannot refer to a group of another alternative.
	before := slices.Clone(p.closed)
	after := before
	for {
		p.start = true
		p.closed = append(slices.Clone(before), make([]bool, p.ngroups+1-p.base-len(before))...)
		subs = append(subs, p.branch())
		after = either(after, p.closed)
		t := p.peek()
		if t.kind != tokAlt {
			break
		}
		p.pos += t.len
	}
	p.closed = after
	if len(subs) == 1 {
		return subs[0]
	}
	return factor(&node{kind: nodeAlt, subs: subs})
}

// either combines two lists of groups that have been read.
func either(a, b []bool) []bool {
	out := make([]bool, max(len(a), len(b)))
	for i := range out {
		out[i] = i < len(a) && a[i] || i < len(b) && b[i]
	}
	return out
}

func (p *parser) branch() *node {
	var subs []*node
	for {
		t := p.peek()
		if t.kind == tokEnd || t.kind == tokAlt || t.kind == tokClose && p.depth > 1 {
			break
		}
		if t.kind == tokClose && !p.closeIsLiteral() {
			fail(msgUnmatchedClose)
		}
		n, repeatable := p.atom(t)
		if n == nil {
			continue
		}
		// A place is not repeated: in a basic pattern the star after it is a character.
		p.start = n.kind == nodeAssert
		if repeatable {
			n = p.repeats(n)
		}
		subs = append(subs, n)
	}
	switch len(subs) {
	case 0:
		return &node{kind: nodeEmpty}
	case 1:
		return subs[0]
	}
	return &node{kind: nodeConcat, subs: subs}
}

// closeIsLiteral reports whether a ) without ( stands for itself.
func (p *parser) closeIsLiteral() bool {
	return p.has(ERE) && p.has(Lenient)
}

// atom reads one operand. It returns nil when what stood there counts for nothing.
func (p *parser) atom(t token) (n *node, repeatable bool) {
	switch t.kind {
	case tokStar, tokPlus, tokQuest, tokBrace:
		return p.strayRepeat(t)
	case tokSet:
		p.pos += t.len
		return p.bracket(), true
	case tokOpen:
		p.pos += t.len
		return p.group(), true
	}
	p.pos += t.len
	switch t.kind {
	case tokByte:
		return &node{kind: nodeByte, n: int(t.r)}, true
	case tokDot:
		s := &set{}
		s.negate()
		if p.has(Newline) {
			s.remove('\n')
		}
		return &node{kind: nodeSet, set: s}, true
	case tokClass:
		return p.classNode(t), true
	case tokAssert:
		return &node{kind: nodeAssert, assert: t.assert}, false
	case tokBackref:
		g := int(t.r)
		if g >= len(p.closed) || !p.closed[g] {
			fail(msgBadBackref)
		}
		return &node{kind: nodeBackref, n: p.base + g}, true
	}
	return p.charNode(t.r), true
}

func (p *parser) charNode(r rune) *node {
	s := &set{}
	s.addRange(r, r)
	return p.setNode(s, false)
}

// setNode finishes a set by the flags.
func (p *parser) setNode(s *set, negate bool) *node {
	if p.has(IgnoreCase) && (!s.caseless() || len(s.spans) > 0) {
		s.foldCase()
	}
	if negate {
		s.negate()
		if p.has(Newline) {
			s.remove('\n')
		}
	}
	if p.has(Lines) {
		s.remove('\n')
	}
	return &node{kind: nodeSet, set: s}
}

// caseless reports whether folding would change nothing in ASCII and there is no letter beyond it to fold.
func (s *set) caseless() bool {
	const letters = 0x07fffffe
	return s.ascii[1]&(letters|letters<<32) == 0 && len(s.classes) == 0
}

func (p *parser) classNode(t token) *node {
	s := &set{}
	s.addClass(t.class)
	if t.negate {
		s.negate()
	}
	if p.has(Lines) {
		s.remove('\n')
	}
	return &node{kind: nodeSet, set: s}
}

func (p *parser) group() *node {
	p.ngroups++
	g := p.ngroups
	p.closed = append(p.closed, false)
	sub := p.alternatives()
	t := p.peek()
	if t.kind != tokClose {
		fail(msgUnmatchedOpen)
	}
	p.pos += t.len
	p.closed[g-p.base] = true // alternatives has made room for it
	return &node{kind: nodeGroup, n: g, subs: []*node{sub}}
}

// strayRepeat handles a repetition that has nothing to repeat.
func (p *parser) strayRepeat(t token) (*node, bool) {
	switch {
	case t.kind == tokBrace && p.has(Lenient) && p.has(ERE):
		p.pos += t.len
		if _, _, ok := p.interval(); ok {
			return nil, false
		}
		return p.charNode('{'), true
	case p.has(Awk):
		p.pos += t.len
		return p.charNode(t.r), true
	case p.has(ERE) && !p.has(Lenient):
		fail(msgBadRepeat)
	case p.has(ERE):
		p.pos += t.len // as grep has it: the operator counts for nothing
		return nil, false
	case t.kind == tokBrace && !p.has(Lenient|RepeatAny):
		fail(msgBadRepeat)
	}
	p.pos += t.len
	return p.charNode(t.r), true
}

// repeats applies the repetitions that follow n.
func (p *parser) repeats(n *node) *node {
	for first := true; ; first = false {
		t := p.peek()
		lo, hi := 0, unbounded
		switch t.kind {
		case tokStar:
			p.pos += t.len
		case tokPlus:
			p.pos += t.len
			lo = 1
		case tokQuest:
			p.pos += t.len
			hi = 1
		case tokBrace:
			p.pos += t.len
			var ok bool
			if lo, hi, ok = p.interval(); !ok {
				p.pos -= t.len
				return n
			}
		default:
			return n
		}
		strict := !p.has(ERE|Lenient|Emacs|RepeatAny) && (t.kind == tokStar || t.kind == tokBrace)
		if !first && strict {
			fail(msgBadRepeat)
		}
		n = repeat(n, lo, hi)
	}
}

func repeat(n *node, lo, hi int) *node {
	if n.kind == nodeRepeat && n.min == 0 && n.max == unbounded && lo <= 1 && hi == unbounded {
		return n // x** is x*, and would only cost
	}
	return &node{kind: nodeRepeat, min: lo, max: hi, subs: []*node{n}}
}

// interval reads what follows {. It reports false, having read nothing, when the brace is to stand for itself.
func (p *parser) interval() (lo, hi int, ok bool) {
	lo, hi, n, msg := scanInterval(p.src[p.pos:], p.has(ERE))
	if msg == "" {
		p.pos += n
		return lo, hi, true
	}
	if msg != msgTooBig && p.has(ERE) && p.has(Lenient|Awk) {
		return 0, 0, false
	}
	fail(msg)
	return 0, 0, false
}

func scanInterval(s string, ere bool) (lo, hi, n int, msg string) {
	var haveLo, haveHi bool
	lo, haveLo, n = scanNumber(s)
	hi = lo
	if n < len(s) && s[n] == ',' {
		n++
		var k int
		hi, haveHi, k = scanNumber(s[n:])
		n += k
		if !haveHi {
			hi = unbounded
		}
	} else if !haveLo {
		if n == len(s) {
			return 0, 0, 0, msgUnmatchedBrace
		}
		return 0, 0, 0, intervalError(s, ere)
	}
	closer := `\}`
	if ere {
		closer = "}"
	}
	switch {
	case !strings.HasPrefix(s[n:], closer):
		return 0, 0, 0, intervalError(s, ere)
	case hi != unbounded && lo > hi:
		return 0, 0, 0, msgBadInterval
	case lo > maxRepeat || hi > maxRepeat:
		return 0, 0, 0, msgTooBig
	}
	return lo, hi, n + len(closer), ""
}

func intervalError(s string, ere bool) string {
	if ere && !strings.Contains(s, "}") || !ere && !strings.Contains(s, `\}`) {
		return msgUnmatchedBrace
	}
	return msgBadInterval
}

// scanNumber reads digits; a number too large for any use stays just above maxRepeat.
func scanNumber(s string) (v int, ok bool, n int) {
	for n < len(s) && isDigit(s[n]) {
		v = min(v*10+int(s[n]-'0'), maxRepeat+1)
		n++
	}
	return v, n > 0, n
}

// peek returns the token at the current place, by the dialect and by what stands around it.
func (p *parser) peek() token {
	if p.pos >= len(p.src) {
		return token{kind: tokEnd}
	}
	c := p.src[p.pos]
	if c >= utf8.RuneSelf {
		r, n := utf8.DecodeRuneInString(p.src[p.pos:])
		if r == utf8.RuneError && n == 1 {
			return token{kind: tokByte, r: rune(c), len: 1}
		}
		return token{kind: tokChar, r: r, len: n}
	}
	if c == '\\' {
		return p.escaped()
	}
	t := token{kind: tokChar, r: rune(c), len: 1}
	switch c {
	case '.':
		t.kind = tokDot
	case '[':
		t.kind = tokSet
	case '*':
		t.kind = tokStar
		if p.start && !p.has(ERE) {
			t.kind = tokChar
		}
	case '^':
		if p.has(ERE) || p.caretIsAnchor() {
			t.kind, t.assert = tokAssert, assertLineStart
		}
	case '$':
		if p.has(ERE) || p.dollarIsAnchor() {
			t.kind, t.assert = tokAssert, assertLineEnd
		}
	case '(', ')', '|', '{':
		if p.has(ERE) {
			t.kind = operator(c)
		}
	case '+', '?':
		if p.has(ERE) || p.has(Emacs) && !p.start {
			t.kind = operator(c)
		}
	}
	return t
}

func operator(c byte) tokenKind {
	switch c {
	case '(':
		return tokOpen
	case ')':
		return tokClose
	case '|':
		return tokAlt
	case '{':
		return tokBrace
	case '+':
		return tokPlus
	}
	return tokQuest
}

// caretIsAnchor tells, in a basic pattern, a ^ at the beginning of an alternative from one that is a character.
func (p *parser) caretIsAnchor() bool {
	if p.pos == 0 {
		return true
	}
	before := p.src[:p.pos]
	return strings.HasSuffix(before, `\(`) && !escapedAt(before, 2) || strings.HasSuffix(before, `\|`) && !escapedAt(before, 2)
}

// escapedAt reports whether the backslash n bytes before the end of s is itself escaped.
func escapedAt(s string, n int) bool {
	k := 0
	for i := len(s) - n - 1; i >= 0 && s[i] == '\\'; i-- {
		k++
	}
	return k%2 == 1
}

func (p *parser) dollarIsAnchor() bool {
	rest := p.src[p.pos+1:]
	return rest == "" || strings.HasPrefix(rest, `\)`) || strings.HasPrefix(rest, `\|`)
}

// escaped returns the token of a backslash and what follows it.
func (p *parser) escaped() token {
	rest := p.src[p.pos+1:]
	if rest == "" {
		fail(msgTrailing)
	}
	c := rest[0]
	if c >= utf8.RuneSelf {
		r, n := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && n == 1 {
			return token{kind: tokByte, r: rune(c), len: 2}
		}
		return token{kind: tokChar, r: r, len: 1 + n}
	}
	if p.has(Awk) {
		if r, n, ok := cEscape(rest); ok {
			return token{kind: tokChar, r: r, len: 1 + n}
		}
	}
	t := token{kind: tokChar, r: rune(c), len: 2}
	switch c {
	case '(', ')', '|':
		if !p.has(ERE) {
			t.kind = operator(c)
		}
	case '{':
		if !p.has(ERE) && !p.has(Emacs) {
			t.kind = tokBrace
		}
	case '+', '?':
		if !p.has(ERE) && !p.has(Emacs) {
			t.kind = operator(c)
			if p.start {
				t.kind = tokChar
			}
		}
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if !p.has(Awk) {
			t.kind, t.r = tokBackref, rune(c-'0')
		}
	case 'w', 'W':
		t.kind, t.class, t.negate = tokClass, wordClass, c == 'W'
	case 's', 'S':
		t.kind, t.class, t.negate = tokClass, spaceClass, c == 'S'
	default:
		if a, ok := escapedAssertion(c, p.has(Awk)); ok {
			t.kind, t.assert = tokAssert, a
		}
	}
	return t
}

func escapedAssertion(c byte, awk bool) (assertion, bool) {
	switch c {
	case 'b':
		return assertBoundary, !awk
	case 'y':
		return assertBoundary, awk
	case 'B':
		return assertNotBoundary, true
	case '<':
		return assertWordStart, true
	case '>':
		return assertWordEnd, true
	case '`':
		return assertTextStart, true
	case '\'':
		return assertTextEnd, true
	}
	return 0, false
}

// cEscape reads an escape of the C language, as awk has them in patterns, after the backslash.
func cEscape(s string) (r rune, n int, ok bool) {
	switch c := s[0]; c {
	case 'n':
		return '\n', 1, true
	case 't':
		return '\t', 1, true
	case 'r':
		return '\r', 1, true
	case 'f':
		return '\f', 1, true
	case 'v':
		return '\v', 1, true
	case 'a':
		return '\a', 1, true
	case 'b':
		return '\b', 1, true
	case 'x':
		v := 0
		for n = 1; n < len(s) && n < 3; n++ {
			d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
			if d < 0 {
				break
			}
			v = v<<4 | d
		}
		return rune(v), n, n > 1
	}
	v := 0
	for n = 0; n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '7'; n++ {
		v = v<<3 | int(s[n]-'0')
	}
	return rune(v & 0xff), n, n > 0
}
