package awk

import (
	"fmt"
	"math"
	"strings"
	"unsafe"
)

// load compiles reading a variable, element or field.
func (c *compiler) load(n *node) *expr {
	switch n.op {
	case opField:
		return c.loadField(n.kids[0])
	case opIndex:
		return loadElement(c.element(n))
	}
	if i, ok := c.locals[n.str]; ok {
		return loadLocal(i)
	}
	if _, ok := c.out.funcIndex[n.str]; ok {
		c.fail(n, "function `%s' used as a variable", n.str)
	}
	return loadGlobal(c.global(n.str))
}

// element compiles the place of an array's element.
func (c *compiler) element(n *node) func(*interp) *value {
	arr := c.array(n.kids[0])
	if len(n.kids) == 2 && isNumeric(n.kids[1]) {
		f := c.expr(n.kids[1]).num
		return func(in *interp) *value {
			x := f(in)
			if i := int32(x); float64(i) == x {
				return arr(in).atInt(i)
			}
			return arr(in).at(in.numberKey(x))
		}
	}
	if len(n.kids) == 2 {
		f := c.expr(n.kids[1]).val
		return func(in *interp) *value {
			v := f(in)
			if v.k == kNum {
				if i := int32(v.n); float64(i) == v.n {
					return arr(in).atInt(i)
				}
			}
			return arr(in).at(in.keyOf(&v))
		}
	}
	sub := c.subscript(n.kids[1:])
	return func(in *interp) *value {
		k := sub(in)
		return arr(in).at(k)
	}
}

func loadElement(at func(*interp) *value) *expr {
	return &expr{
		val: func(in *interp) value { return *at(in) },
		num: func(in *interp) float64 {
			v := at(in)
			if v.k == kNum {
				return v.n
			}
			return in.numOf(v)
		},
		str:   func(in *interp) string { return in.str(at(in)) },
		truth: func(in *interp) bool { return at(in).truth() },
	}
}

func loadLocal(i int) *expr {
	return &expr{
		val: func(in *interp) value { return in.frame[i] },
		num: func(in *interp) float64 {
			v := &in.frame[i]
			if v.k == kNum {
				return v.n
			}
			return in.numOf(v)
		},
		str:   func(in *interp) string { return in.str(&in.frame[i]) },
		truth: func(in *interp) bool { return in.frame[i].truth() },
	}
}

func loadGlobal(slot int) *expr {
	switch slot {
	case slotNF:
		return numExpr(func(in *interp) float64 { return float64(in.numFields()) })
	case slotNR:
		return numExpr(func(in *interp) float64 { return in.nr })
	case slotFNR:
		return numExpr(func(in *interp) float64 { return in.fnr })
	}
	return &expr{
		val: func(in *interp) value { return in.vars[slot] },
		num: func(in *interp) float64 {
			v := &in.vars[slot]
			if v.k == kNum {
				return v.n
			}
			return in.numOf(v)
		},
		str:   func(in *interp) string { return in.str(&in.vars[slot]) },
		truth: func(in *interp) bool { return in.vars[slot].truth() },
	}
}

func (c *compiler) loadField(index *node) *expr {
	if index.op == opNumber && index.num >= 0 && index.num <= maxFields {
		i := int(index.num)
		return &expr{
			val: func(in *interp) value { return in.field(i) },
			num: func(in *interp) float64 {
				if r := &in.rec; i > 0 && i <= r.nf && !r.owned {
					sp := r.spans[i-1]
					return toNumber(r.text[sp.start:sp.end])
				}
				return in.fieldNum(i)
			},
			str: func(in *interp) string { return in.fieldText(i) },
			truth: func(in *interp) bool {
				v := in.field(i)
				return v.truth()
			},
		}
	}
	at := c.expr(index).num
	return &expr{
		val: func(in *interp) value { return in.field(in.fieldIndex(at(in))) },
		num: func(in *interp) float64 { return in.fieldNum(in.fieldIndex(at(in))) },
		str: func(in *interp) string { return in.fieldText(in.fieldIndex(at(in))) },
		truth: func(in *interp) bool {
			v := in.field(in.fieldIndex(at(in)))
			return v.truth()
		},
	}
}

// array compiles a reference to a whole array, making it one when it is nothing yet.
func (c *compiler) array(n *node) func(*interp) *array {
	if n.op == opIndex {
		outer, sub := c.array(n.kids[0]), c.subscript(n.kids[1:])
		return func(in *interp) *array {
			k := sub(in)
			return in.arrayOf(outer(in).at(k), "element")
		}
	}
	name := n.str
	if i, ok := c.locals[name]; ok {
		return func(in *interp) *array {
			v := &in.frame[i]
			if v.k == kArray {
				return v.a
			}
			return in.arrayOf(v, name)
		}
	}
	if _, ok := c.out.funcIndex[name]; ok {
		c.fail(n, "function `%s' used as an array", name)
	}
	slot := c.global(name)
	return func(in *interp) *array {
		v := &in.vars[slot]
		if v.k == kArray {
			return v.a
		}
		return in.arrayOf(v, name)
	}
}

// arrayOf returns the array that a variable is or, being nothing yet, becomes.
func (in *interp) arrayOf(v *value, name string) *array {
	switch v.k {
	case kArray:
	case kUninit:
		*v = value{k: kArray, a: newArray()}
	case kUntyped:
		v.k = kArray
	default:
		in.fatal("attempt to use scalar `%s' as an array", name)
	}
	return v.a
}

// subscript compiles a subscript list into a key.
func (c *compiler) subscript(ns []*node) func(*interp) key {
	if len(ns) != 1 {
		subs := c.exprs(ns)
		return func(in *interp) key {
			var few [4]string
			strs := few[:0]
			for _, s := range subs {
				strs = append(strs, s.str(in))
			}
			return key{s: strings.Join(strs, in.subsep)}
		}
	}
	e := c.expr(ns[0])
	if isNumeric(ns[0]) {
		f := e.num
		return func(in *interp) key { return in.numberKey(f(in)) }
	}
	f := e.val
	return func(in *interp) key {
		v := f(in)
		return in.keyOf(&v)
	}
}

func (in *interp) numberKey(n float64) key {
	if n >= math.MinInt32 && n <= math.MaxInt32 && n == math.Trunc(n) {
		return intKey(int32(n))
	}
	return key{s: in.numStr(n)}
}

func (in *interp) keyOf(v *value) key {
	if v.k == kNum {
		return in.numberKey(v.n)
	}
	return stringKey(in.str(v))
}

// lvalue is something that can be assigned to. Where a place in memory can be had, at gives it; it stays valid until
// the next evaluation. For the rest, bind evaluates what index there is, once, for get and put.
type lvalue struct {
	at   func(*interp) *value
	bind func(*interp) int
	get  func(*interp, int) value
	put  func(*interp, int, value)
}

// set assigns.
func (l *lvalue) set(in *interp, v value) {
	if l.at == nil {
		l.put(in, l.bind(in), v)
		return
	}
	v = in.keep(v)
	*in.scalar(l.at(in)) = v
}

// scalar refuses a place that holds an array.
func (in *interp) scalar(v *value) *value {
	if v.k == kArray {
		in.fatal("attempt to use array in a scalar context")
	}
	return v
}

func (c *compiler) lvalue(n *node) *lvalue {
	switch n.op {
	case opGroup:
		return c.lvalue(n.kids[0])
	case opField:
		index := c.expr(n.kids[0]).num
		return &lvalue{
			bind: func(in *interp) int { return in.fieldIndex(index(in)) },
			get:  func(in *interp, i int) value { return in.field(i) },
			put:  func(in *interp, i int, v value) { in.setField(i, in.keep(v)) },
		}
	case opIndex:
		return &lvalue{at: c.element(n)}
	case opVar:
	default:
		c.fail(n, "cannot assign to this expression")
	}
	if i, ok := c.locals[n.str]; ok {
		return &lvalue{at: func(in *interp) *value { return &in.frame[i] }}
	}
	if _, ok := c.out.funcIndex[n.str]; ok {
		c.fail(n, "function `%s' used as a variable", n.str)
	}
	slot := c.global(n.str)
	if slot >= specialSlots {
		return &lvalue{at: func(in *interp) *value { return &in.vars[slot] }}
	}
	load := loadGlobal(slot)
	return &lvalue{
		bind: func(*interp) int { return 0 },
		get:  func(in *interp, _ int) value { return load.val(in) },
		put:  func(in *interp, _ int, v value) { in.assign(slot, v) },
	}
}

// assign compiles = and the operators that combine it with arithmetic.
func (c *compiler) assign(n *node) *expr {
	target := c.lvalue(n.kids[0])
	if n.str == "=" {
		if f := c.assignConcat(n); f != nil {
			return valExpr(f)
		}
		rhs := c.expr(n.kids[1]).val
		return valExpr(func(in *interp) value {
			v := rhs(in)
			if v.k == kUninit || v.k == kUntyped {
				v = value{}
			}
			target.set(in, v)
			return v
		})
	}
	rhs, op := c.expr(n.kids[1]).num, n.str[0]
	if at := target.at; at != nil {
		return numExpr(func(in *interp) float64 {
			y := rhs(in)
			v := in.scalar(at(in))
			x := combine(in, op, v.num(), y)
			*v = value{k: kNum, n: x}
			return x
		})
	}
	return numExpr(func(in *interp) float64 {
		y := rhs(in)
		i := target.bind(in)
		old := target.get(in, i)
		x := combine(in, op, old.num(), y)
		target.put(in, i, number(x))
		return x
	})
}

// assignEffect compiles the assignments that are frequent as statements, where nobody wants the result.
func (c *compiler) assignEffect(n *node) func(*interp) {
	target := c.lvalue(n.kids[0])
	if target.at == nil {
		return nil
	}
	at, sign := target.at, 1.0
	switch {
	case n.str == "=" && isNumeric(n.kids[1]):
		rhs := c.expr(n.kids[1]).num
		return func(in *interp) {
			y := rhs(in)
			v := at(in)
			if v.k == kNum {
				v.n = y
				return
			}
			*in.scalar(v) = value{k: kNum, n: y}
		}
	case n.str != "+=" && n.str != "-=":
		return nil
	}
	rhs := c.expr(n.kids[1]).num
	if n.str == "-=" {
		sign = -1
	}
	return func(in *interp) {
		y := rhs(in)
		v := at(in)
		if v.k == kNum {
			v.n += sign * y
			return
		}
		in.scalar(v)
		*v = value{k: kNum, n: v.num() + sign*y}
	}
}

// assignConcat compiles "v = v x …", which builds long strings in many programs, so that it appends in place: the
// string's buffer has room, and nobody who holds the shorter string sees what is behind its end.
func (c *compiler) assignConcat(n *node) func(*interp) value {
	if n.kids[0].op != opVar || n.kids[1].op != opConcat {
		return nil
	}
	parts := flatten(n.kids[1], nil)
	if parts[0].op != opVar || parts[0].str != n.kids[0].str {
		return nil
	}
	target := c.lvalue(n.kids[0])
	if target.at == nil {
		return nil
	}
	rest := c.exprs(parts[1:])
	var buf []byte
	return func(in *interp) value {
		v := in.scalar(target.at(in))
		s := in.str(v)
		var few [8]string
		strs := few[:0]
		for _, r := range rest {
			strs = append(strs, r.str(in))
		}
		if len(s) == 0 || len(s) != len(buf) || unsafe.StringData(s) != unsafe.SliceData(buf) {
			buf = append(make([]byte, 0, 2*len(s)+64), s...)
		}
		for _, t := range strs {
			buf = append(buf, t...)
		}
		out := text(stringOf(buf))
		*target.at(in) = out
		return out
	}
}

// increment compiles ++ and --.
func (c *compiler) increment(n *node) *expr {
	target, step, post := c.lvalue(n.kids[0]), n.num, n.op == opPostInc
	if at := target.at; at != nil {
		return numExpr(func(in *interp) float64 {
			v := in.scalar(at(in))
			old := v.num()
			if v.k == kNum {
				v.n = old + step
			} else {
				*v = value{k: kNum, n: old + step}
			}
			if post {
				return old
			}
			return old + step
		})
	}
	return numExpr(func(in *interp) float64 {
		i := target.bind(in)
		v := target.get(in, i)
		old := v.num()
		target.put(in, i, number(old+step))
		if post {
			return old
		}
		return old + step
	})
}

// call compiles a call of a user's function.
func (c *compiler) call(n *node) *expr {
	f := c.out.funcs[c.out.funcIndex[n.str]]
	args := c.callArgs(n.kids)
	if len(args) > f.params {
		c.out.warnings = append(c.out.warnings,
			fmt.Sprintf("%s:%d: warning: function `%s' called with more arguments than declared", n.src, n.line, f.name))
	}
	return valExpr(func(in *interp) value { return in.call(f, args) })
}

func (c *compiler) indirect(n *node) *expr {
	name := c.expr(n.kids[0])
	args := c.callArgs(n.kids[1:])
	return valExpr(func(in *interp) value {
		s := name.str(in)
		i, ok := in.code.funcIndex[s]
		if !ok {
			in.fatal("indirect function call requires a simple scalar value that names a function: `%s'", s)
		}
		f := in.code.funcs[i]
		if len(args) > f.params {
			in.fatal("function `%s' called with more arguments than declared", f.name)
		}
		return in.call(f, args)
	})
}

// argument evaluates an argument of a call: an array goes by reference.
type argument func(*interp) value

func (c *compiler) callArgs(ns []*node) []argument {
	out := make([]argument, len(ns))
	for i, n := range ns {
		out[i] = c.callArg(n)
	}
	return out
}

func (c *compiler) callArg(n *node) argument {
	if n.op == opIndex {
		arr, sub := c.array(n.kids[0]), c.subscript(n.kids[1:])
		return func(in *interp) value {
			k := sub(in)
			v := arr(in).at(k)
			if v.k == kUninit {
				return value{} // an element becomes an array only where it is used as one
			}
			return *v
		}
	}
	if n.op != opVar {
		return c.expr(n).val
	}
	var at func(*interp) *value
	if i, ok := c.locals[n.str]; ok {
		at = func(in *interp) *value { return &in.frame[i] }
	} else {
		slot := c.global(n.str)
		if slot <= slotFNR {
			return loadGlobal(slot).val
		}
		at = func(in *interp) *value { return &in.vars[slot] }
	}
	return func(in *interp) value {
		v := at(in)
		if v.k == kUninit {
			// The function may make an array of it, which must then be the caller's too.
			*v = value{k: kUntyped, a: newArray()}
		}
		return *v
	}
}

// call runs a user's function.
func (in *interp) call(f *compiledFunc, args []argument) value {
	in.tick()
	if in.depth >= maxCallDepth {
		in.fatal("function `%s': calls nest too deeply", f.name)
	}
	chunk, top, caller := in.chunk, in.top, in.frame
	frame := in.pushFrame(f.params)
	for i, a := range args {
		v := a(in)
		if v.k != kArray && v.k != kUntyped {
			v = in.keep(v)
		}
		if i < len(frame) {
			frame[i] = v
		}
	}
	in.frame = frame
	in.depth++
	in.ret = value{}
	switch c := f.body(in); c {
	case ctlNone, ctlReturn:
	default:
		panic(leave{c})
	}
	in.depth--
	in.frame = caller
	in.popFrame(chunk, top)
	v := in.ret
	in.ret = value{}
	return v
}
