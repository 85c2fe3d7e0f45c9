package awk

import (
	"math"
	"strings"
)

// The constructors below make an expression of the one function that is natural to it.

func valExpr(f func(*interp) value) *expr {
	return &expr{
		val: f,
		num: func(in *interp) float64 {
			v := f(in)
			return in.numOf(&v)
		},
		str: func(in *interp) string {
			v := f(in)
			return in.str(&v)
		},
		truth: func(in *interp) bool {
			v := f(in)
			return v.truth()
		},
	}
}

func numExpr(f func(*interp) float64) *expr {
	return &expr{
		num:   f,
		val:   func(in *interp) value { return value{k: kNum, n: f(in)} },
		str:   func(in *interp) string { return in.numStr(f(in)) },
		truth: func(in *interp) bool { return f(in) != 0 },
	}
}

func strExpr(f func(*interp) string) *expr {
	return &expr{
		str:   f,
		val:   func(in *interp) value { return value{k: kStr, s: f(in)} },
		num:   func(in *interp) float64 { return toNumber(f(in)) },
		truth: func(in *interp) bool { return f(in) != "" },
	}
}

func boolExpr(f func(*interp) bool) *expr {
	return &expr{
		truth: f,
		val:   func(in *interp) value { return boolean(f(in)) },
		num: func(in *interp) float64 {
			if f(in) {
				return 1
			}
			return 0
		},
		str: func(in *interp) string {
			if f(in) {
				return "1"
			}
			return "0"
		},
	}
}

// numOf is the numeric value; an array has none.
func (in *interp) numOf(v *value) float64 {
	if v.k == kArray {
		in.fatal("attempt to use array in a scalar context")
	}
	return v.num()
}

func (c *compiler) exprs(ns []*node) []*expr {
	out := make([]*expr, len(ns))
	for i, n := range ns {
		out[i] = c.expr(n)
	}
	return out
}

// expr compiles an expression.
func (c *compiler) expr(n *node) *expr {
	switch n.op {
	case opNumber:
		v := n.num
		e := numExpr(func(*interp) float64 { return v })
		e.konst = true
		return e
	case opString:
		s := n.str
		e := strExpr(func(*interp) string { return s })
		e.konst = true
		return e
	case opRegex:
		return c.matchRecord(n)
	case opTyped:
		v := value{k: kRegex, s: n.str}
		return valExpr(func(*interp) value { return v })
	case opVar, opIndex, opField:
		return c.load(n)
	case opGroup:
		return c.expr(n.kids[0])
	case opCond:
		return c.cond(n)
	case opAnd:
		a, b := c.expr(n.kids[0]).truth, c.expr(n.kids[1]).truth
		return boolExpr(func(in *interp) bool { return a(in) && b(in) })
	case opOr:
		a, b := c.expr(n.kids[0]).truth, c.expr(n.kids[1]).truth
		return boolExpr(func(in *interp) bool { return a(in) || b(in) })
	case opNot:
		a := c.expr(n.kids[0]).truth
		return boolExpr(func(in *interp) bool { return !a(in) })
	case opNeg:
		a := c.expr(n.kids[0]).num
		return numExpr(func(in *interp) float64 { return -a(in) })
	case opPlus:
		return numExpr(c.expr(n.kids[0]).num)
	case opBinary:
		c.checkDivision(n)
		return numExpr(arithmetic(n.str, c.expr(n.kids[0]).num, c.expr(n.kids[1]).num))
	case opCompare:
		return c.comparison(n)
	case opMatch:
		return c.match(n)
	case opConcat:
		return c.concat(n)
	case opIn:
		return c.in(n)
	case opAssign:
		return c.assign(n)
	case opPreInc, opPostInc:
		return c.increment(n)
	case opCall:
		return c.call(n)
	case opIndirect:
		return c.indirect(n)
	case opBuiltin:
		return c.builtin(n)
	case opGetline:
		return c.getline(n)
	}
	c.fail(n, "unexpected expression")
	return nil
}

// checkDivision refuses a division of constants by zero, which gawk finds when it folds constants.
func (c *compiler) checkDivision(n *node) {
	l, r := n.kids[0], n.kids[1]
	if l.op != opNumber || r.op != opNumber || r.num != 0 {
		return
	}
	switch n.str {
	case "/":
		c.fail(n, "division by zero attempted")
	case "%":
		c.fail(n, "division by zero attempted in `%%'")
	}
}

// arithmetic combines two numeric functions.
func arithmetic(op string, a, b func(*interp) float64) func(*interp) float64 {
	switch op {
	case "+":
		return func(in *interp) float64 { return a(in) + b(in) }
	case "-":
		return func(in *interp) float64 { return a(in) - b(in) }
	case "*":
		return func(in *interp) float64 { return a(in) * b(in) }
	case "/":
		return func(in *interp) float64 {
			x := a(in)
			return in.divide(x, b(in))
		}
	case "%":
		return func(in *interp) float64 {
			x := a(in)
			return in.modulo(x, b(in))
		}
	}
	return func(in *interp) float64 {
		x := a(in)
		return power(x, b(in))
	}
}

func (in *interp) divide(x, y float64) float64 {
	if y == 0 {
		in.fatal("division by zero attempted")
	}
	return x / y
}

func (in *interp) modulo(x, y float64) float64 {
	if y == 0 {
		in.fatal("division by zero attempted in `%%'")
	}
	const limit = 1 << 52
	if x > 0 && x < limit && y > 0 && y < limit {
		if i, j := int64(x), int64(y); float64(i) == x && float64(j) == y {
			return float64(i % j)
		}
	}
	return math.Mod(x, y)
}

// power multiplies for small integral exponents, which is exact where the result is.
func power(x, y float64) float64 {
	const few = 1024
	if y != math.Trunc(y) || y < 0 || y > few {
		return math.Pow(x, y)
	}
	r := 1.0
	for n := int(y); n > 0; n >>= 1 {
		if n&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}

func combine(in *interp, op byte, x, y float64) float64 {
	switch op {
	case '+':
		return x + y
	case '-':
		return x - y
	case '*':
		return x * y
	case '/':
		return in.divide(x, y)
	case '%':
		return in.modulo(x, y)
	}
	return power(x, y)
}

func (c *compiler) cond(n *node) *expr {
	test, yes, no := c.expr(n.kids[0]).truth, c.expr(n.kids[1]), c.expr(n.kids[2])
	pick := func(in *interp) *expr {
		if test(in) {
			return yes
		}
		return no
	}
	return &expr{
		val:   func(in *interp) value { return pick(in).val(in) },
		num:   func(in *interp) float64 { return pick(in).num(in) },
		str:   func(in *interp) string { return pick(in).str(in) },
		truth: func(in *interp) bool { return pick(in).truth(in) },
	}
}

func isNumeric(n *node) bool {
	switch n.op {
	case opNumber, opBinary, opNeg, opPlus, opPreInc, opPostInc, opCompare, opNot, opAnd, opOr, opMatch, opIn:
		return true
	case opGroup:
		return isNumeric(n.kids[0])
	case opBuiltin:
		return n.str == "length" || n.str == "index" || n.str == "int"
	case opVar:
		return n.str == "NR" || n.str == "FNR" || n.str == "NF"
	}
	return false
}

func (c *compiler) comparison(n *node) *expr {
	l, r := c.expr(n.kids[0]), c.expr(n.kids[1])
	if isNumeric(n.kids[0]) && isNumeric(n.kids[1]) {
		return boolExpr(compareNumbers(n.str, l.num, r.num))
	}
	a, b := l.val, r.val
	accept := acceptOrder(n.str)
	unordered := n.str == "!="
	slow := func(in *interp) bool {
		x := a(in)
		order, ok := in.compare(x, b(in))
		if !ok {
			return unordered
		}
		return accept[order+1]
	}
	if quick := c.fieldComparison(n, r, slow); quick != nil {
		return boolExpr(quick)
	}
	at := c.plainVariable(n.kids[0])
	if at == nil {
		return boolExpr(slow)
	}
	// The condition of most loops: a variable that holds a number.
	cmp := numberComparison(n.str)
	if isNumeric(n.kids[1]) {
		y := r.num
		return boolExpr(func(in *interp) bool {
			if v := at(in); v.k == kNum {
				x := v.n
				return cmp(x, y(in))
			}
			return slow(in)
		})
	}
	bt := c.plainVariable(n.kids[1])
	if bt == nil {
		return boolExpr(slow)
	}
	return boolExpr(func(in *interp) bool {
		if v, w := at(in), bt(in); v.k == kNum && w.k == kNum {
			return cmp(v.n, w.n)
		}
		return slow(in)
	})
}

// fieldComparison compiles the patterns of most programs: a field as it was read beside a number, or beside a string that it is or is not.
// It is nil for other comparisons.
func (c *compiler) fieldComparison(n *node, right *expr, slow func(*interp) bool) func(*interp) bool {
	i, ok := constantField(n.kids[0])
	if !ok {
		return nil
	}
	switch {
	case isNumeric(n.kids[1]):
		cmp, y := numberComparison(n.str), right.num
		return func(in *interp) bool {
			if in.rec.owned {
				return slow(in)
			}
			x, ok := looksNumeric(in.fieldText(i))
			if !ok {
				return slow(in)
			}
			return cmp(x, y(in))
		}
	case n.kids[1].op == opString && (n.str == "==" || n.str == "!="):
		want, same := n.kids[1].str, n.str == "=="
		return func(in *interp) bool {
			if in.rec.owned || in.ignoreCase {
				return slow(in)
			}
			return (in.fieldText(i) == want) == same
		}
	}
	return nil
}

// plainVariable returns where an ordinary variable is; nil for other expressions.
func (c *compiler) plainVariable(n *node) func(*interp) *value {
	if n.op != opVar {
		return nil
	}
	if i, ok := c.locals[n.str]; ok {
		return func(in *interp) *value { return &in.frame[i] }
	}
	slot := c.global(n.str)
	if slot < specialSlots {
		return nil
	}
	return func(in *interp) *value { return &in.vars[slot] }
}

func numberComparison(op string) func(x, y float64) bool {
	switch op {
	case "<":
		return func(x, y float64) bool { return x < y }
	case "<=":
		return func(x, y float64) bool { return x <= y }
	case "==":
		return func(x, y float64) bool { return x == y }
	case "!=":
		return func(x, y float64) bool { return x != y }
	case ">":
		return func(x, y float64) bool { return x > y }
	}
	return func(x, y float64) bool { return x >= y }
}

// acceptOrder says for the orders -1, 0 and 1 whether the operator holds.
func acceptOrder(op string) [3]bool {
	switch op {
	case "<":
		return [3]bool{true, false, false}
	case "<=":
		return [3]bool{true, true, false}
	case "==":
		return [3]bool{false, true, false}
	case "!=":
		return [3]bool{true, false, true}
	case ">":
		return [3]bool{false, false, true}
	}
	return [3]bool{false, true, true}
}

func compareNumbers(op string, a, b func(*interp) float64) func(*interp) bool {
	switch op {
	case "<":
		return func(in *interp) bool { return a(in) < b(in) }
	case "<=":
		return func(in *interp) bool { return a(in) <= b(in) }
	case "==":
		return func(in *interp) bool { return a(in) == b(in) }
	case "!=":
		return func(in *interp) bool { return a(in) != b(in) }
	case ">":
		return func(in *interp) bool { return a(in) > b(in) }
	}
	return func(in *interp) bool { return a(in) >= b(in) }
}

// pattern compiles an operand that is a regular expression: a constant is compiled once.
func (c *compiler) pattern(n *node) func(*interp) *regexp {
	if n.op == opRegex || n.op == opTyped {
		return constantPattern(n.str)
	}
	e := c.expr(n)
	return func(in *interp) *regexp { return in.compileRegexp(e.str(in)) }
}

func constantPattern(source string) func(*interp) *regexp {
	var re *regexp
	var fold bool
	return func(in *interp) *regexp {
		if re == nil || fold != in.ignoreCase {
			re, fold = in.compileRegexp(source), in.ignoreCase
		}
		return re
	}
}

func (c *compiler) matchRecord(n *node) *expr {
	re := constantPattern(n.str)
	return boolExpr(func(in *interp) bool { return re(in).match(in.recordText()) })
}

func (c *compiler) match(n *node) *expr {
	subject, re, want := c.expr(n.kids[0]).str, c.pattern(n.kids[1]), n.str == "~"
	return boolExpr(func(in *interp) bool {
		s := subject(in)
		return re(in).match(s) == want
	})
}

// concat joins its operands with one allocation.
func (c *compiler) concat(n *node) *expr {
	var parts []*expr
	for _, k := range flatten(n, nil) {
		parts = append(parts, c.expr(k))
	}
	if len(parts) == 2 {
		a, b := parts[0].str, parts[1].str
		return strExpr(func(in *interp) string {
			s := a(in)
			return s + b(in)
		})
	}
	return strExpr(func(in *interp) string {
		var few [8]string
		strs := few[:0]
		for _, p := range parts {
			strs = append(strs, p.str(in))
		}
		return strings.Join(strs, "")
	})
}

// flatten lists the operands of nested concatenations.
func flatten(n *node, out []*node) []*node {
	if n.op != opConcat {
		return append(out, n)
	}
	for _, k := range n.kids {
		out = flatten(k, out)
	}
	return out
}

func (c *compiler) in(n *node) *expr {
	var sub func(*interp) key
	if n.kids[0].op == opList {
		sub = c.subscript(n.kids[0].kids)
	} else {
		sub = c.subscript(n.kids[:1])
	}
	arr := c.array(n.kids[1])
	return boolExpr(func(in *interp) bool {
		k := sub(in)
		return arr(in).find(k) != nil
	})
}

// getline compiles the reading expressions.
func (c *compiler) getline(n *node) *expr {
	var target *lvalue
	if n.kids[0] != nil {
		target = c.lvalue(n.kids[0])
	}
	if n.str == "" {
		return numExpr(func(in *interp) float64 { return in.getlineMain(target) })
	}
	name := c.expr(n.kids[1])
	way := map[string]string{"<": "<", "|": "|<", "|&": "|&"}[n.str]
	return numExpr(func(in *interp) float64 {
		rec, result := in.getline(in.io.reader(name.str(in), way))
		if result <= 0 {
			return result
		}
		if target != nil {
			target.set(in, input(rec))
		} else {
			in.setRecord(rec)
		}
		return result
	})
}

// getlineMain is plain getline, with or without a variable.
func (in *interp) getlineMain(target *lvalue) float64 {
	rec, ok := in.readMain()
	if !ok {
		return 0
	}
	if target != nil {
		target.set(in, input(rec))
	} else {
		in.setRecord(rec)
	}
	return 1
}
