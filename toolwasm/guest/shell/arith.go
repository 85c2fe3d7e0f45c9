package shell

import (
	"math"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/shell/syntax"
)

// arith evaluates an arithmetic expression of a script; when it fails, which is reported, the line is aborted.
func (sh *Shell) arith(a *syntax.ArithText) int64 {
	v, ok := sh.tryArith(a)
	if !ok {
		sh.abort()
	}
	return v
}

// tryArith evaluates and reports a mistake; ok is false then.
func (sh *Shell) tryArith(a *syntax.ArithText) (v int64, ok bool) {
	return sh.arithIn("", a)
}

// arithIn is tryArith for a command that messages name first.
func (sh *Shell) arithIn(prefix string, a *syntax.ArithText) (v int64, ok bool) {
	e := evaluator{sh: sh, prefix: prefix}
	if a.X != nil {
		v = e.eval(a.X)
		if !e.retry {
			return v, e.finish(a.Src)
		}
		e = evaluator{sh: sh, prefix: prefix}
	}
	if a.Word == nil {
		if a.Err != nil {
			e.err = a.Err
		}
		return 0, e.finish(a.Src)
	}
	src := sh.quotedStr(a.Word)
	if sh.ctl != ctlNone {
		return 0, true // an expansion has failed, and said so
	}
	v = e.text(src)
	return v, e.finish(src)
}

// evalString evaluates a value as an expression, as for an integer variable.
func (sh *Shell) evalString(s string) (int64, bool) { return sh.evalStringIn("", s) }

// evalStringIn is evalString for a command that messages name first.
func (sh *Shell) evalStringIn(prefix, s string) (int64, bool) {
	if v, ok := plainInt(s); ok {
		return v, true
	}
	e := evaluator{sh: sh, prefix: prefix}
	v := e.text(s)
	return v, e.finish(s)
}

// plainInt reads a decimal number without leading zeros, the usual case.
func plainInt(s string) (int64, bool) {
	const safe = 18 // digits that cannot overflow
	neg := false
	if len(s) > 1 && s[0] == '-' {
		neg = true
		s = s[1:]
	}
	if len(s) == 0 || len(s) > safe || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	var v int64
	for i := 0; i < len(s); i++ {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	if neg {
		v = -v
	}
	return v, true
}

// evaluator evaluates one expression.
type evaluator struct {
	prefix string // of messages
	sh     *Shell
	err    *syntax.ArithError
	depth  int
	// retry is set when an expansion did not yield a number: the text must be expanded as a whole.
	retry bool
}

// finish reports the error, if there is one.
func (e *evaluator) finish(src string) bool {
	if e.err == nil {
		return true
	}
	e.sh.errorf("%s%s: %s", e.prefix, strings.TrimLeft(src, " \t\n"), e.err.Error())
	return false
}

func (e *evaluator) fail(msg, token string) int64 {
	if e.err == nil {
		e.err = &syntax.ArithError{Msg: msg, Token: token}
	}
	return 0
}

// text parses and evaluates an expression that has been expanded.
func (e *evaluator) text(src string) int64 {
	a := e.sh.exprs[src]
	if a == nil {
		x, err := syntax.ParseArith(src)
		a = &syntax.ArithText{X: x, Err: err}
		if e.sh.exprs == nil {
			e.sh.exprs = map[string]*syntax.ArithText{}
		}
		if len(e.sh.exprs) >= cacheSize {
			clear(e.sh.exprs)
		}
		e.sh.exprs[src] = a
	}
	if a.Err != nil {
		e.err = a.Err
		return 0
	}
	if a.X == nil {
		return 0
	}
	return e.eval(a.X)
}

func (e *evaluator) stopped() bool { return e.err != nil || e.retry }

func (e *evaluator) eval(x syntax.Expr) int64 {
	switch x := x.(type) {
	case *syntax.Num:
		return x.V
	case *syntax.Var:
		return e.variable(x)
	case *syntax.Binary:
		return e.binary(x)
	case *syntax.IncDec:
		v := e.variable(x.V)
		if e.stopped() {
			return 0
		}
		e.store(x.V, v+x.Delta)
		if x.Post {
			return v
		}
		return v + x.Delta
	case *syntax.SetVar:
		return e.setVar(x)
	case *syntax.Unary:
		return unary(x.Op, e.eval(x.X))
	case *syntax.Logic:
		l := e.eval(x.X) != 0
		if e.stopped() || l == x.Or {
			return truth(l)
		}
		return truth(e.eval(x.Y) != 0)
	case *syntax.Ternary:
		c := e.eval(x.C)
		if e.stopped() {
			return 0
		}
		if c != 0 {
			return e.eval(x.X)
		}
		return e.eval(x.Y)
	case *syntax.ArithExpand:
		return e.expansion(x)
	}
	return 0
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func unary(op byte, v int64) int64 {
	switch op {
	case '-':
		return -v
	case '!':
		return truth(v == 0)
	case '~':
		return ^v
	}
	return v
}

// expansion is an operand that is expanded; what is not a plain number makes the whole text be expanded first.
func (e *evaluator) expansion(x *syntax.ArithExpand) int64 {
	s := strings.TrimSpace(e.sh.partStr(x.Part))
	if v, ok := plainInt(s); ok {
		return v
	}
	if e.sh.ctl == ctlNone && isOperand(s) {
		return e.text(s)
	}
	e.retry = true
	return 0
}

// isOperand reports whether a text is a name or a number, which means the same in every expression.
func isOperand(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c == '_' || c == '#' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return s != ""
}

func (e *evaluator) binary(x *syntax.Binary) int64 {
	l := e.eval(x.X)
	if e.stopped() {
		return 0
	}
	r := e.eval(x.Y)
	if e.stopped() {
		return 0
	}
	return e.apply(x.Op, l, r, x.Right)
}

// apply computes l op r; right is the text of r for messages.
func (e *evaluator) apply(op syntax.BinOp, l, r int64, right string) int64 {
	switch op {
	case syntax.Add:
		return l + r
	case syntax.Sub:
		return l - r
	case syntax.Mul:
		return l * r
	case syntax.Div, syntax.Mod:
		if r == 0 {
			return e.fail("division by 0", right)
		}
		if l == math.MinInt64 && r == -1 {
			if op == syntax.Div {
				return l
			}
			return 0
		}
		if op == syntax.Div {
			return l / r
		}
		return l % r
	case syntax.Pow:
		if r < 0 {
			return e.fail("exponent less than 0", right)
		}
		return power(l, r)
	case syntax.Shl:
		return l << (uint64(r) & 63)
	case syntax.Shr:
		return l >> (uint64(r) & 63)
	case syntax.BitAnd:
		return l & r
	case syntax.BitOr:
		return l | r
	case syntax.BitXor:
		return l ^ r
	case syntax.Lt:
		return truth(l < r)
	case syntax.Le:
		return truth(l <= r)
	case syntax.Gt:
		return truth(l > r)
	case syntax.Ge:
		return truth(l >= r)
	case syntax.Eq:
		return truth(l == r)
	case syntax.Ne:
		return truth(l != r)
	}
	return r // comma, plain assignment
}

func power(base, exp int64) int64 {
	v := int64(1)
	for exp > 0 {
		if exp&1 != 0 {
			v *= base
		}
		base *= base
		exp >>= 1
	}
	return v
}

func (e *evaluator) setVar(x *syntax.SetVar) int64 {
	var old int64
	if x.Op != syntax.Set {
		old = e.variable(x.V)
	}
	v := e.eval(x.X)
	if e.stopped() {
		return 0
	}
	v = e.apply(x.Op, old, v, x.Right)
	if e.stopped() {
		return 0
	}
	e.store(x.V, v)
	return v
}

// variable reads a variable, whose value may be an expression itself.
func (e *evaluator) variable(x *syntax.Var) int64 {
	var s string
	var set bool
	v, _, sub := e.sh.lookup(x.Name)
	switch {
	case x.Sub != nil:
		sub = x.Sub
		fallthrough
	case sub != nil:
		if v != nil {
			s, set = e.sh.element(v, sub)
		}
	case v != nil:
		s, set = e.sh.value(v)
	}
	if n, ok := plainInt(s); ok {
		return n
	}
	if !set && e.sh.opt.has(optNounset) {
		e.sh.unbound(x.Name)
		return 0
	}
	if s == "" {
		return 0
	}
	if e.depth >= maxArithDepth {
		return e.fail("expression recursion level exceeded", s)
	}
	e.depth++
	n := e.text(s)
	e.depth--
	return n
}

func (e *evaluator) store(x *syntax.Var, n int64) {
	s := strconv.FormatInt(n, 10)
	var err error
	if x.Sub != nil {
		err = e.sh.assignElement(x.Name, x.Sub, s, false)
	} else {
		err = e.sh.set(x.Name, s)
	}
	if err != nil {
		e.sh.abort()
	}
}
