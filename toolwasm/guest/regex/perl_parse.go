package regex

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type perlKind uint8

const (
	pnEmpty perlKind = iota
	pnSet
	pnConcat
	pnAlt
	pnRepeat
	pnGroup   // captures as group n
	pnAtomic  // (?>…)
	pnLook    // (?=…) (?!…)
	pnBehind  // (?<=…) (?<!…)
	pnAssert  // a place
	pnBackref // group n
	pnCall    // (?n)
	pnKeep    // \K
	pnIf      // (?(n)yes|no); subs[2] is a condition that looks around
	pnFail    // (*FAIL)
	pnNewline // \R
)

type perlNode struct {
	kind       perlKind
	set        *set
	n          int
	name       string // of a group that is referred to
	min, max   int
	lazy       bool
	possessive bool
	negate     bool
	fold       bool
	assert     perlAssert
	subs       []*perlNode
}

// perlFlags are the options that (?imsx) change.
type perlFlags struct{ fold, multi, dotAll, extended, ungreedy bool }

type perlParser struct {
	src     string
	pos     int
	f       perlFlags
	ngroups int
	names   map[string]int
	maxRef  int
	depth   int
	quoted  bool // inside \Q…\E
	look    int  // lookarounds that are open
}

func perlFail(format string, args ...any) { panic(&Error{fmt.Sprintf(format, args...)}) }

func parsePerl(src string, flags Flags) (root *perlNode, ps *perlParser, err error) {
	ps = &perlParser{src: src, names: map[string]int{}}
	ps.f = perlFlags{fold: flags&IgnoreCase != 0, multi: flags&Newline != 0}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			err = e
		default:
			panic(e)
		}
	}()
	root = ps.alternatives()
	if ps.pos < len(ps.src) {
		perlFail("unmatched closing parenthesis")
	}
	if ps.maxRef > ps.ngroups {
		perlFail("reference to non-existent subpattern")
	}
	switch {
	case flags&WholeLine != 0:
		root = perlSeq(perlPlace(plMultiStart), root, perlPlace(plMultiEnd))
	case flags&WholeWord != 0:
		word := &perlNode{kind: pnSet, set: classSet(asciiWord)}
		root = perlSeq(&perlNode{kind: pnBehind, negate: true, subs: []*perlNode{word}}, root,
			&perlNode{kind: pnLook, negate: true, subs: []*perlNode{word}})
	}
	return root, ps, nil
}

func perlSeq(subs ...*perlNode) *perlNode { return &perlNode{kind: pnConcat, subs: subs} }

func perlPlace(a perlAssert) *perlNode { return &perlNode{kind: pnAssert, assert: a} }

// Without UCP, PCRE's \w, \d and \s and the POSIX classes are about ASCII.
var (
	asciiWord  = class{isWord, nil}
	asciiSpace = class{isSpace, nil}
	asciiDigit = class{isDigit, nil}
)

func classSet(c class) *set {
	s := &set{}
	s.addClass(c)
	return s
}

func (p *perlParser) rest(prefix string) bool { return strings.HasPrefix(p.src[p.pos:], prefix) }

func (p *perlParser) more() bool { return p.pos < len(p.src) }

// alternatives reads up to a closing parenthesis or the end. Options set inside end with it.
func (p *perlParser) alternatives() *perlNode {
	p.depth++
	if p.depth > maxDepth/4 {
		perlFail("parentheses are too deeply nested")
	}
	saved := p.f
	defer func() { p.f, p.depth = saved, p.depth-1 }()
	subs := []*perlNode{p.branch()}
	for p.rest("|") {
		p.pos++
		subs = append(subs, p.branch())
	}
	if len(subs) == 1 {
		return subs[0]
	}
	return &perlNode{kind: pnAlt, subs: subs}
}

func (p *perlParser) branch() *perlNode {
	n := &perlNode{kind: pnConcat}
	for p.more() {
		if !p.quoted && (p.rest("|") || p.rest(")")) {
			break
		}
		item := p.item()
		if item == nil {
			continue
		}
		n.subs = append(n.subs, p.quantified(item))
	}
	return n
}

// item reads one element, or something that is none (nil).
func (p *perlParser) item() *perlNode {
	if p.quoted {
		if p.rest(`\E`) {
			p.pos += 2
			p.quoted = false
			return nil
		}
		return p.char(p.rune())
	}
	if p.f.extended && p.skipExtended() {
		return nil
	}
	switch c := p.src[p.pos]; c {
	case '(':
		p.pos++
		return p.group()
	case '[':
		p.pos++
		return p.bracket()
	case '.':
		p.pos++
		s := &set{}
		s.negate()
		if !p.f.dotAll {
			s.remove('\n')
		}
		return &perlNode{kind: pnSet, set: s}
	case '^':
		p.pos++
		if p.f.multi {
			return perlPlace(plMultiStart)
		}
		return perlPlace(plLineStart)
	case '$':
		p.pos++
		if p.f.multi {
			return perlPlace(plMultiEnd)
		}
		return perlPlace(plLineEnd)
	case '\\':
		p.pos++
		return p.escape()
	case '*', '+', '?':
		perlFail("quantifier does not follow a repeatable item")
	}
	return p.char(p.rune())
}

// skipExtended passes white space and comments under (?x).
func (p *perlParser) skipExtended() bool {
	c := p.src[p.pos]
	if isSpace(c) {
		p.pos++
		return true
	}
	if c != '#' {
		return false
	}
	for p.more() && p.src[p.pos] != '\n' {
		p.pos++
	}
	return true
}

// rune reads a character; a byte that is not UTF-8 is refused.
func (p *perlParser) rune() rune {
	r, w := utf8.DecodeRuneInString(p.src[p.pos:])
	if r == utf8.RuneError && w == 1 {
		perlFail("UTF-8 error: illegal byte")
	}
	p.pos += w
	return r
}

func (p *perlParser) char(r rune) *perlNode {
	s := &set{}
	s.addRange(r, r)
	return p.setNode(s, false)
}

func (p *perlParser) setNode(s *set, negate bool) *perlNode {
	if p.f.fold {
		s.foldCase()
	}
	if negate {
		s.negate()
	}
	return &perlNode{kind: pnSet, set: s}
}

// quantified applies the quantifier that follows an item.
func (p *perlParser) quantified(n *perlNode) *perlNode {
	if p.quoted && p.rest(`\E`) {
		p.pos += 2
		p.quoted = false // what follows quantifies the last character
	}
	for !p.quoted {
		for p.f.extended && p.more() && p.skipExtended() {
		}
		lo, hi, ok := p.quantifier()
		if !ok {
			return n
		}
		if n.kind == pnAssert || n.kind == pnKeep {
			n = perlSeq(n) // harmless: a place repeated is the place, or nothing
		}
		n = &perlNode{kind: pnRepeat, min: lo, max: hi, lazy: p.f.ungreedy, subs: []*perlNode{n}}
		switch {
		case p.rest("?"):
			p.pos++
			n.lazy = !p.f.ungreedy
		case p.rest("+"):
			p.pos++
			n.possessive = true
		}
		if lo, _, again := p.peekQuantifier(); again && lo >= 0 {
			perlFail("quantifier does not follow a repeatable item")
		}
	}
	return n
}

func (p *perlParser) peekQuantifier() (lo, hi int, ok bool) {
	at := p.pos
	defer func() { p.pos = at }()
	return p.quantifier()
}

func (p *perlParser) quantifier() (lo, hi int, ok bool) {
	if !p.more() {
		return 0, 0, false
	}
	switch p.src[p.pos] {
	case '*':
		p.pos++
		return 0, unbounded, true
	case '+':
		p.pos++
		return 1, unbounded, true
	case '?':
		p.pos++
		return 0, 1, true
	case '{':
		return p.interval()
	}
	return 0, 0, false
}

// interval reads {n}, {n,} or {n,m}; anything else is text.
func (p *perlParser) interval() (lo, hi int, ok bool) {
	s := p.src[p.pos+1:]
	lo, ok, n := scanNumber(s)
	if !ok {
		return 0, 0, false
	}
	hi = lo
	if strings.HasPrefix(s[n:], ",") {
		n++
		v, have, k := scanNumber(s[n:])
		n += k
		hi = v
		if !have {
			hi = unbounded
		}
	}
	if !strings.HasPrefix(s[n:], "}") {
		return 0, 0, false
	}
	if lo > maxRepeat || hi > maxRepeat {
		perlFail("number too big in {} quantifier")
	}
	if hi != unbounded && lo > hi {
		perlFail("numbers out of order in {} quantifier")
	}
	p.pos += 1 + n + 1
	return lo, hi, true
}

// until reads up to a closing character, which is passed too.
func (p *perlParser) until(end string) string {
	i := strings.Index(p.src[p.pos:], end)
	if i < 0 {
		perlFail("missing terminator")
	}
	s := p.src[p.pos : p.pos+i]
	p.pos += i + len(end)
	return s
}

// group reads what follows an opening parenthesis.
func (p *perlParser) group() *perlNode {
	if p.rest("*") {
		return p.verb()
	}
	if !p.rest("?") {
		return p.capture("")
	}
	p.pos++
	for _, g := range []struct {
		prefix string
		node   perlNode
	}{
		{":", perlNode{kind: pnConcat}},
		{"|", perlNode{kind: pnConcat, n: -1}},
		{">", perlNode{kind: pnAtomic}},
		{"=", perlNode{kind: pnLook}},
		{"!", perlNode{kind: pnLook, negate: true}},
		{"<=", perlNode{kind: pnBehind}},
		{"<!", perlNode{kind: pnBehind, negate: true}},
	} {
		if p.rest(g.prefix) {
			p.pos += len(g.prefix)
			n := g.node
			around := n.kind == pnLook || n.kind == pnBehind
			if around {
				p.look++
			}
			if n.n < 0 {
				n.subs = []*perlNode{p.resetBranches()}
			} else {
				n.subs = []*perlNode{p.alternatives()}
			}
			p.close()
			if around {
				p.look--
			}
			return &n
		}
	}
	switch {
	case p.rest("#"):
		p.until(")")
		return nil
	case p.rest("P<"), p.rest("<"):
		p.pos = p.pos + strings.IndexByte(p.src[p.pos:], '<') + 1
		return p.capture(p.until(">"))
	case p.rest("'"):
		p.pos++
		return p.capture(p.until("'"))
	case p.rest("P="):
		p.pos += 2
		return &perlNode{kind: pnBackref, name: p.until(")"), fold: p.f.fold}
	case p.rest("P>"), p.rest("&"):
		p.pos += 1 + strings.Count(p.src[p.pos:p.pos+1], "P")
		return &perlNode{kind: pnCall, name: p.until(")")}
	case p.rest("R"):
		p.until(")")
		return p.call(0)
	case p.rest("("):
		return p.conditional()
	}
	if n, ok := p.callNumber(); ok {
		return p.call(n)
	}
	return p.options()
}

func (p *perlParser) close() {
	if !p.rest(")") {
		perlFail("missing closing parenthesis")
	}
	p.pos++
}

func (p *perlParser) capture(name string) *perlNode {
	p.ngroups++
	n := &perlNode{kind: pnGroup, n: p.ngroups}
	if name != "" {
		p.names[name] = n.n
	}
	n.subs = []*perlNode{p.alternatives()}
	p.close()
	return n
}

// resetBranches reads (?|…): each alternative numbers its groups from the same number.
func (p *perlParser) resetBranches() *perlNode {
	saved := p.f
	defer func() { p.f = saved }()
	base, most := p.ngroups, p.ngroups
	n := &perlNode{kind: pnAlt}
	for {
		p.ngroups = base
		n.subs = append(n.subs, p.branch())
		most = max(most, p.ngroups)
		if !p.rest("|") {
			break
		}
		p.pos++
	}
	p.ngroups = most
	return n
}

func (p *perlParser) verb() *perlNode {
	p.pos++
	switch name := p.until(")"); name {
	case "FAIL", "F":
		return &perlNode{kind: pnFail}
	case "UTF", "UTF8", "UCP", "ANYCRLF", "LF", "NO_JIT":
		return nil
	default:
		perlFail("(*%s) is not supported", name)
	}
	return nil
}

func (p *perlParser) call(n int) *perlNode {
	if n < 0 {
		perlFail("reference to non-existent subpattern")
	}
	p.maxRef = max(p.maxRef, n)
	return &perlNode{kind: pnCall, n: n}
}

// callNumber reads the number of (?n) (?+n) (?-n).
func (p *perlParser) callNumber() (int, bool) {
	i := p.pos
	if i < len(p.src) && (p.src[i] == '+' || p.src[i] == '-') {
		i++
	}
	v, ok, k := scanNumber(p.src[i:])
	if !ok || !strings.HasPrefix(p.src[i+k:], ")") {
		return 0, false
	}
	switch p.src[p.pos] {
	case '+':
		v += p.ngroups
	case '-':
		v = p.ngroups + 1 - v
	}
	p.pos = i + k + 1
	return v, true
}

// options reads (?imsx-imsx) or (?imsx:…).
func (p *perlParser) options() *perlNode {
	f := p.f
	on := true
	for p.more() {
		c := p.src[p.pos]
		p.pos++
		switch c {
		case 'i':
			f.fold = on
		case 'm':
			f.multi = on
		case 's':
			f.dotAll = on
		case 'x':
			f.extended = on
		case 'U':
			f.ungreedy = on
		case 'n', 'J':
		case '-':
			on = false
		case '^':
			f = perlFlags{}
		case ')':
			p.f = f
			return nil
		case ':':
			saved := p.f
			p.f = f
			n := perlSeq(p.alternatives())
			p.f = saved
			p.close()
			return n
		default:
			perlFail("unrecognized character after (? or (?-")
		}
	}
	perlFail("missing closing parenthesis")
	return nil
}

// conditional reads (?(condition)yes|no) after its (?.
func (p *perlParser) conditional() *perlNode {
	n := &perlNode{kind: pnIf}
	if strings.HasPrefix(p.src[p.pos:], "(?=") || strings.HasPrefix(p.src[p.pos:], "(?!") || strings.HasPrefix(p.src[p.pos:], "(?<") {
		p.pos++
		n.subs = append(n.subs, nil, nil, p.group())
	} else {
		p.pos++
		ref := strings.Trim(p.until(")"), "<>'")
		if v, err := strconv.Atoi(ref); err == nil {
			n.n = v
			p.maxRef = max(p.maxRef, v)
		} else {
			n.name = ref
		}
		n.subs = append(n.subs, nil, nil, nil)
	}
	body := p.alternatives()
	p.close()
	n.subs[0], n.subs[1] = body, perlSeq()
	if body.kind == pnAlt {
		if len(body.subs) > 2 {
			perlFail("conditional subpattern contains more than two branches")
		}
		n.subs[0], n.subs[1] = body.subs[0], body.subs[1]
	}
	return n
}

// escape reads what follows a backslash outside brackets.
func (p *perlParser) escape() *perlNode {
	if !p.more() {
		perlFail(`\ at end of pattern`)
	}
	c := p.src[p.pos]
	if s, negate, ok := p.classEscape(); ok {
		n := &perlNode{kind: pnSet, set: s}
		if negate {
			s.negate()
		}
		return n
	}
	if a, ok := perlAssertion(c); ok {
		p.pos++
		return perlPlace(a)
	}
	switch c {
	case 'K':
		if p.look > 0 {
			perlFail(`\K is not allowed in lookarounds (but see PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)`)
		}
		p.pos++
		return &perlNode{kind: pnKeep}
	case 'R':
		p.pos++
		return &perlNode{kind: pnNewline}
	case 'X':
		p.pos++
		s := &set{}
		s.negate()
		mark := &set{classes: []func(rune) bool{unicode.IsMark}}
		return perlSeq(&perlNode{kind: pnSet, set: s},
			&perlNode{kind: pnRepeat, max: unbounded, possessive: true, subs: []*perlNode{{kind: pnSet, set: mark}}})
	case 'Q':
		p.pos++
		p.quoted = true
		return nil
	case 'E':
		p.pos++
		return nil
	case 'g':
		p.pos++
		return p.reference()
	case 'k':
		p.pos++
		open := p.src[p.pos:min(p.pos+1, len(p.src))]
		end, ok := map[string]string{"{": "}", "<": ">", "'": "'"}[open]
		if !ok {
			perlFail(`\k is not followed by a braced, angle-bracketed, or quoted name`)
		}
		p.pos++
		return &perlNode{kind: pnBackref, name: p.until(end), fold: p.f.fold}
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		v, _, k := scanNumber(p.src[p.pos:])
		if v < 10 || v <= p.ngroups {
			p.pos += k
			return p.backref(v)
		}
	}
	return p.char(p.charEscape())
}

func (p *perlParser) backref(n int) *perlNode {
	p.maxRef = max(p.maxRef, n)
	return &perlNode{kind: pnBackref, n: n, fold: p.f.fold}
}

// reference reads \g1 \g{1} \g{-1} \g{name} \g<n>.
func (p *perlParser) reference() *perlNode {
	ref := ""
	call := false
	switch {
	case p.rest("{"):
		p.pos++
		ref = p.until("}")
	case p.rest("<"):
		p.pos++
		ref, call = p.until(">"), true
	case p.rest("'"):
		p.pos++
		ref, call = p.until("'"), true
	default:
		i := p.pos
		if p.rest("-") {
			i++
		}
		_, _, k := scanNumber(p.src[i:])
		ref = p.src[p.pos : i+k]
		p.pos = i + k
	}
	v, err := strconv.Atoi(ref)
	switch {
	case err != nil && call:
		return &perlNode{kind: pnCall, name: ref}
	case err != nil:
		return &perlNode{kind: pnBackref, name: ref, fold: p.f.fold}
	case v < 0:
		v += p.ngroups + 1
	}
	if v < 0 || v == 0 && !call {
		perlFail("reference to non-existent subpattern")
	}
	if call {
		return p.call(v)
	}
	return p.backref(v)
}

func perlAssertion(c byte) (perlAssert, bool) {
	switch c {
	case 'A':
		return plTextStart, true
	case 'z':
		return plTextEnd, true
	case 'Z':
		return plTextEndNewline, true
	case 'b':
		return plWordBoundary, true
	case 'B':
		return plNoWordBoundary, true
	case 'G':
		return plSearchStart, true
	}
	return 0, false
}
