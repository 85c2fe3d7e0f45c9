package syntax

import (
	"fmt"
	"strings"
)

// ArithText is an arithmetic expression as it stands in a script.
//
// Bash expands the text first and parses the result. Where every expansion is a whole operand the text is parsed
// once, here, with the expansions as operands ([ArithExpand]); an evaluator falls back on Word when one of those does not
// yield a number.
type ArithText struct {
	Src string
	// X is the parsed expression, nil when it is empty or must be expanded before it can be parsed.
	X Expr
	// Err says why Src is not an expression; set only when nothing in it expands.
	Err *ArithError
	// Word is the text with its expansions; nil when it has none.
	Word *Word
}

// ArithError is a mistake in an arithmetic expression, in bash's words.
type ArithError struct {
	Msg   string
	Token string
}

func (e *ArithError) Error() string { return fmt.Sprintf("%s (error token is \"%s\")", e.Msg, e.Token) }

// Expr is an arithmetic expression: *Num, *Var, *Unary, *Binary, *Logic, *Ternary, *SetVar, *IncDec, *ArithExpand.
type Expr interface{ expr() }

// Num is a number.
type Num struct{ V int64 }

// Var is a variable or an element of an array.
type Var struct {
	Name string
	Sub  *Subscript
}

// Unary is - + ! ~ applied to X.
type Unary struct {
	Op byte
	X  Expr
}

// BinOp is a binary operator.
type BinOp uint8

// The binary operators.
const (
	Add BinOp = iota
	Sub
	Mul
	Div
	Mod
	Pow
	Shl
	Shr
	BitAnd
	BitOr
	BitXor
	Lt
	Le
	Gt
	Ge
	Eq
	Ne
	Comma
	Set // plain assignment, in SetVar only
)

// Binary is X op Y.
type Binary struct {
	Op   BinOp
	X, Y Expr
	// Right is the text of Y, for the message about a division by zero.
	Right string
}

// Logic is X && Y or X || Y.
type Logic struct {
	Or   bool
	X, Y Expr
}

// Ternary is C ? X : Y.
type Ternary struct{ C, X, Y Expr }

// SetVar is V op= X.
type SetVar struct {
	Op    BinOp
	V     *Var
	X     Expr
	Right string
}

// IncDec is ++V, V++, --V or V--.
type IncDec struct {
	V     *Var
	Delta int64
	Post  bool
}

// ArithExpand is an operand that is an expansion.
type ArithExpand struct{ Part Part }

func (*Num) expr()         {}
func (*Var) expr()         {}
func (*Unary) expr()       {}
func (*Binary) expr()      {}
func (*Logic) expr()       {}
func (*Ternary) expr()     {}
func (*SetVar) expr()      {}
func (*IncDec) expr()      {}
func (*ArithExpand) expr() {}

// NewArith prepares an arithmetic expression.
func NewArith(src string, line int) *ArithText {
	a := &ArithText{Src: src}
	expands := strings.ContainsAny(src, "$`\"\\'")
	if !expands {
		a.X, a.Err = ParseArith(src)
		return a
	}
	a.Word = arithWord(src, line)
	ap := arithParser{src: src, line: line, expand: true}
	if x, err := ap.parse(); err == nil && ap.steps <= 1 {
		a.X = x
	}
	return a
}

// arithWord parses the text for expansion: as in double quotes, with double quotes themselves removed.
func arithWord(src string, line int) *Word {
	w := &Word{Src: src, Line: line}
	p := New(src, line, Options{})
	var parts []Part
	err := func() (err error) {
		defer recoverError(&err)
		for !p.atEnd() {
			if p.peek() == '"' {
				p.pos++
				continue
			}
			parts = append(parts, p.quotedParts(func(c byte) bool { return c == '"' }, func() {}, false)...)
		}
		return nil
	}()
	if err != nil {
		parts = []Part{&Quoted{Text: src}}
	}
	w.Parts = []Part{&DblQuoted{Parts: parts}}
	return w
}

// ParseArith parses an expression whose expansions have been made. A blank one yields nil.
func ParseArith(src string) (Expr, *ArithError) {
	p := arithParser{src: src}
	return p.parse()
}

// arithParser parses by precedence climbing.
type arithParser struct {
	src    string
	pos    int
	line   int
	depth  int
	expand bool
	// steps counts what has an effect. An evaluator that finds in the middle that an expansion is not a number begins
	// again, which is safe only when nothing has happened yet: a single assignment comes last.
	steps int
}

func (p *arithParser) parse() (x Expr, err *ArithError) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *ArithError:
			x, err = nil, e
		default:
			panic(e)
		}
	}()
	p.blank()
	if p.pos == len(p.src) {
		return nil, nil
	}
	x = p.comma()
	if p.pos < len(p.src) {
		p.fail("syntax error in expression", p.pos)
	}
	return x, nil
}

func (p *arithParser) fail(msg string, at int) {
	panic(&ArithError{Msg: msg, Token: p.src[at:]})
}

func (p *arithParser) blank() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		case '\\':
			if !strings.HasPrefix(p.src[p.pos:], "\\\n") {
				return
			}
			p.pos += 2
		default:
			return
		}
	}
}

func (p *arithParser) comma() Expr {
	x := p.assign()
	for {
		p.blank()
		if p.pos >= len(p.src) || p.src[p.pos] != ',' {
			return x
		}
		p.pos++
		x = &Binary{Op: Comma, X: x, Y: p.assign()}
	}
}

// assignOps are the assignment operators, longest first.
var assignOps = [...]struct {
	text string
	op   BinOp
}{
	{"<<=", Shl}, {">>=", Shr}, {"+=", Add}, {"-=", Sub}, {"*=", Mul}, {"/=", Div}, {"%=", Mod}, {"&=", BitAnd}, {"^=", BitXor}, {"|=", BitOr}, {"=", Set},
}

func (p *arithParser) assign() Expr {
	p.enter()
	defer p.leave()
	x := p.ternary()
	p.blank()
	op, n := p.assignOp()
	if n == 0 {
		return x
	}
	v, ok := x.(*Var)
	if !ok {
		p.fail("attempted assignment to non-variable", p.pos)
	}
	p.steps++
	p.pos += n
	p.blank()
	from := p.pos
	y := p.assign()
	return &SetVar{Op: op, V: v, X: y, Right: p.src[from:p.pos]}
}

func (p *arithParser) assignOp() (BinOp, int) {
	rest := p.src[p.pos:]
	for _, a := range assignOps {
		if !strings.HasPrefix(rest, a.text) {
			continue
		}
		if a.op == Set && strings.HasPrefix(rest, "==") {
			return 0, 0
		}
		return a.op, len(a.text)
	}
	return 0, 0
}

func (p *arithParser) enter() {
	p.depth++
	if p.depth > MaxDepth {
		p.fail("expression recursion level exceeded", p.pos)
	}
}

func (p *arithParser) leave() { p.depth-- }

func (p *arithParser) ternary() Expr {
	c := p.logicOr()
	p.blank()
	if p.pos >= len(p.src) || p.src[p.pos] != '?' {
		return c
	}
	p.pos++
	p.blank()
	if p.pos < len(p.src) && p.src[p.pos] == ':' {
		p.fail("expression expected", p.pos)
	}
	x := p.comma()
	p.blank()
	if p.pos >= len(p.src) || p.src[p.pos] != ':' {
		p.fail("`:' expected for conditional expression", p.pos)
	}
	p.pos++
	p.enter()
	y := p.ternary()
	p.leave()
	return &Ternary{C: c, X: x, Y: y}
}

func (p *arithParser) logicOr() Expr {
	x := p.logicAnd()
	for {
		p.blank()
		if !strings.HasPrefix(p.src[p.pos:], "||") {
			return x
		}
		p.pos += 2
		x = &Logic{Or: true, X: x, Y: p.logicAnd()}
	}
}

func (p *arithParser) logicAnd() Expr {
	x := p.binary(0)
	for {
		p.blank()
		if !strings.HasPrefix(p.src[p.pos:], "&&") {
			return x
		}
		p.pos += 2
		x = &Logic{X: x, Y: p.binary(0)}
	}
}

// binaryOp returns the operator at the position, its precedence and its length; length 0 when there is none.
func (p *arithParser) binaryOp() (op BinOp, prec, n int) {
	rest := p.src[p.pos:]
	if rest == "" {
		return 0, 0, 0
	}
	next := byte(0)
	if len(rest) > 1 {
		next = rest[1]
	}
	switch rest[0] {
	case '|':
		if next != '|' && next != '=' {
			return BitOr, 1, 1
		}
	case '^':
		if next != '=' {
			return BitXor, 2, 1
		}
	case '&':
		if next != '&' && next != '=' {
			return BitAnd, 3, 1
		}
	case '=':
		if next == '=' {
			return Eq, 4, 2
		}
	case '!':
		if next == '=' {
			return Ne, 4, 2
		}
	case '<':
		switch next {
		case '<':
			if !strings.HasPrefix(rest, "<<=") {
				return Shl, 6, 2
			}
		case '=':
			return Le, 5, 2
		default:
			return Lt, 5, 1
		}
	case '>':
		switch next {
		case '>':
			if !strings.HasPrefix(rest, ">>=") {
				return Shr, 6, 2
			}
		case '=':
			return Ge, 5, 2
		default:
			return Gt, 5, 1
		}
	case '+', '-':
		if next == '=' {
			return 0, 0, 0
		}
		if rest[0] == '+' {
			return Add, 7, 1
		}
		return Sub, 7, 1
	case '*':
		if next == '*' {
			return Pow, 9, 2
		}
		if next != '=' {
			return Mul, 8, 1
		}
	case '/':
		if next != '=' {
			return Div, 8, 1
		}
	case '%':
		if next != '=' {
			return Mod, 8, 1
		}
	}
	return 0, 0, 0
}

func (p *arithParser) binary(min int) Expr {
	p.enter()
	defer p.leave()
	x := p.unary()
	for {
		p.blank()
		op, prec, n := p.binaryOp()
		if n == 0 || prec < min {
			return x
		}
		p.pos += n
		p.blank()
		from := p.pos
		var y Expr
		if op == Pow {
			y = p.binary(prec)
		} else {
			y = p.binary(prec + 1)
		}
		x = &Binary{Op: op, X: x, Y: y, Right: p.src[from:p.pos]}
	}
}

func (p *arithParser) unary() Expr {
	p.enter()
	defer p.leave()
	p.blank()
	if p.pos >= len(p.src) {
		p.operandExpected()
	}
	c := p.src[p.pos]
	switch c {
	case '+', '-':
		if p.pos+1 < len(p.src) && p.src[p.pos+1] == c {
			if v := p.prefixIncDec(c); v != nil {
				return v
			}
		}
		p.pos++
		return &Unary{Op: c, X: p.unary()}
	case '!', '~':
		p.pos++
		return &Unary{Op: c, X: p.unary()}
	}
	return p.postfix(p.primary())
}

// prefixIncDec parses ++name; nil when no name follows, in which case the signs are unary operators.
func (p *arithParser) prefixIncDec(c byte) Expr {
	save := p.pos
	p.pos += 2
	p.blank()
	if p.pos < len(p.src) && isNameStart(p.src[p.pos]) {
		v := p.variable()
		p.steps += 2
		return &IncDec{V: v, Delta: delta(c)}
	}
	p.pos = save
	return nil
}

func delta(c byte) int64 {
	if c == '-' {
		return -1
	}
	return 1
}

func (p *arithParser) postfix(x Expr) Expr {
	v, ok := x.(*Var)
	if !ok {
		return x
	}
	save := p.pos
	p.blank()
	rest := p.src[p.pos:]
	if strings.HasPrefix(rest, "++") || strings.HasPrefix(rest, "--") {
		p.pos += 2
		p.steps += 2
		return &IncDec{V: v, Delta: delta(rest[0]), Post: true}
	}
	p.pos = save
	return x
}

func (p *arithParser) operandExpected() {
	at := p.pos
	if at >= len(p.src) {
		// bash names the last token, with the blanks around it
		at = len(strings.TrimRight(p.src, " \t\n"))
		if at > 0 {
			at--
		}
	}
	p.fail("syntax error: operand expected", at)
}

func (p *arithParser) primary() Expr {
	c := p.src[p.pos]
	switch {
	case c == '(':
		p.pos++
		x := p.comma()
		p.blank()
		if p.pos >= len(p.src) || p.src[p.pos] != ')' {
			p.fail("missing `)'", max(p.pos-1, 0))
		}
		p.pos++
		return x
	case c >= '0' && c <= '9':
		return p.number()
	case isNameStart(c):
		return p.variable()
	case p.expand && (c == '$' || c == '`'):
		return p.expansion()
	}
	p.operandExpected()
	return nil
}

// expansion parses an expansion that is a whole operand.
func (p *arithParser) expansion() Expr {
	sub := New(p.src, p.line, Options{})
	sub.pos = p.pos
	part, err := func() (part Part, err error) {
		defer recoverError(&err)
		if p.src[p.pos] == '`' {
			sub.pos++
			return sub.backquote(false), nil
		}
		return sub.dollar(true), nil
	}()
	if err != nil || part == nil {
		p.operandExpected()
	}
	end := sub.pos
	if end < len(p.src) && (isNameChar(p.src[end]) || strings.IndexByte("$`#[\"'\\@", p.src[end]) >= 0) {
		p.fail("expansion is part of an operand", p.pos)
	}
	p.pos = end
	return &ArithExpand{Part: part}
}

func (p *arithParser) variable() *Var {
	start := p.pos
	for p.pos < len(p.src) && isNameChar(p.src[p.pos]) {
		p.pos++
	}
	v := &Var{Name: p.src[start:p.pos]}
	if p.pos < len(p.src) && (p.src[p.pos] == '$' || p.src[p.pos] == '`') {
		p.fail("syntax error in expression", p.pos)
	}
	if p.pos >= len(p.src) || p.src[p.pos] != '[' {
		return v
	}
	sub := New(p.src, p.line, Options{})
	end, ok := sub.subscriptEnd(p.pos + 1)
	if !ok {
		p.fail("bad array subscript", start)
	}
	v.Sub = NewSubscript(p.src[p.pos+1:end], p.line)
	p.pos = end + 1
	return v
}

func (p *arithParser) number() Expr {
	start := p.pos
	for p.pos < len(p.src) && (isNameChar(p.src[p.pos]) || p.src[p.pos] == '#' || p.src[p.pos] == '@') {
		p.pos++
	}
	if p.pos < len(p.src) && p.expand && strings.IndexByte("$`", p.src[p.pos]) >= 0 {
		p.fail("expansion is part of an operand", p.pos)
	}
	v, msg := ParseNumber(p.src[start:p.pos])
	if msg != "" {
		panic(&ArithError{Msg: msg, Token: p.src[start:p.pos]})
	}
	return &Num{V: v}
}

// ParseNumber reads a number as arithmetic does: decimal, 0octal, 0xhex or base#digits, wrapping at 64 bits. The
// message is not empty when it is not a number.
func ParseNumber(s string) (v int64, msg string) {
	base := int64(10)
	switch at := strings.IndexByte(s, '#'); {
	case at > 0:
		base = 0
		for _, c := range []byte(s[:at]) {
			if c < '0' || c > '9' {
				return 0, "invalid number"
			}
			base = base*10 + int64(c-'0')
			if base > 64 {
				return 0, "invalid arithmetic base"
			}
		}
		if base < 2 {
			return 0, "invalid arithmetic base"
		}
		s = s[at+1:]
		if s == "" {
			return 0, "invalid integer constant"
		}
	case len(s) > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'):
		base, s = 16, s[2:]
	case len(s) > 1 && s[0] == '0':
		base, s = 8, s[1:]
	}
	for i := 0; i < len(s); i++ {
		d := baseDigit(s[i], base)
		if d < 0 {
			return 0, "invalid number"
		}
		if d >= base {
			return 0, "value too great for base"
		}
		v = v*base + d
	}
	return v, ""
}

func baseDigit(c byte, base int64) int64 {
	switch {
	case c >= '0' && c <= '9':
		return int64(c - '0')
	case c >= 'a' && c <= 'z':
		return int64(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		if base <= 36 {
			return int64(c-'A') + 10
		}
		return int64(c-'A') + 36
	case c == '@':
		return 62
	case c == '_':
		return 63
	}
	return -1
}
