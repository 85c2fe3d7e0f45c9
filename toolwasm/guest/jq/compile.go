package jq

import (
	"fmt"
	"slices"
	"strings"
)

// path is where in the input of path(…) a value was found: a list of keys, the last one first. The nil path means that nobody
// asks.
type path struct {
	up  *path
	key any
	bad bool // the value was made, not found
}

// noPath is the path of a value that was made.
func (p *path) made() *path {
	if p == nil {
		return nil
	}
	return &path{bad: true}
}

func (p *path) with(key any) *path {
	if p == nil {
		return nil
	}
	return &path{up: p, key: key}
}

// keys lists a path from its root.
func (p *path) keys() []any {
	n := 0
	for q := p; q.up != nil; q = q.up {
		n++
	}
	out := make([]any, n)
	for q := p; q.up != nil; q = q.up {
		n--
		out[n] = q.key
	}
	return out
}

// yield takes an output of a filter. An error ends the filter that produces.
type yield func(p *path, v any) error

// filter produces outputs for an input.
type filter func(fr *frame, p *path, v any, out yield) error

// code is a compiled filter. one, when there is one, computes the output of a filter that always has exactly one (or an
// error), which most have; it knows nothing of paths.
type code struct {
	gen filter
	one func(fr *frame, v any) (any, error)
}

// closure is an argument of a function: code in the frame it was written in.
type closure struct {
	code *code
	fr   *frame
}

// frame holds the variables and arguments of a call. up is the frame of the function that the called one is defined in.
//
// A variable is bound by setting its slot while the outputs that see it are produced, and restoring it after.
type frame struct {
	vars []any
	args []closure
	up   *frame
}

// fn is a defined function.
type fn struct {
	name   string
	params []string
	level  int // how many functions it is nested in
	vars   int // slots
	code   *code
}

// scope is a chain of names.
type scope struct {
	up    *scope
	name  string // "$x" for variables, "f/1" for functions and arguments, "*x" for labels
	level int
	slot  int
	fn    *fn
}

// compiler turns trees into closures.
type compiler struct {
	run     *run
	scope   *scope
	fn      *fn
	defined map[string]*fn // built-in functions written in the language itself
	libs    map[string]*library
}

// compileError is a mistake that is found after parsing.
type compileError struct{ msg string }

func (e *compileError) Error() string { return e.msg }

func (c *compiler) fail(n *node, format string, args ...any) {
	panic(bail{&compileError{fmt.Sprintf(format, args...)}})
}

func (c *compiler) slot() int {
	c.fn.vars++
	return c.fn.vars - 1
}

// bind adds a variable to the scope and returns its slot.
func (c *compiler) bind(name string) int {
	s := c.slot()
	c.scope = &scope{up: c.scope, name: name, level: c.fn.level, slot: s}
	return s
}

func (c *compiler) lookup(name string) *scope {
	for s := c.scope; s != nil; s = s.up {
		if s.name == name {
			return s
		}
	}
	return nil
}

// frameAt returns a function that finds the frame of a level from one of the current level.
func (c *compiler) frameAt(level int) func(*frame) *frame {
	switch up := c.fn.level - level; up {
	case 0:
		return func(fr *frame) *frame { return fr }
	case 1:
		return func(fr *frame) *frame { return fr.up }
	default:
		return func(fr *frame) *frame {
			for range up {
				fr = fr.up
			}
			return fr
		}
	}
}

// single makes code of a function with exactly one output, which is a value that was made.
func single(f func(fr *frame, v any) (any, error)) *code {
	return &code{one: f, gen: func(fr *frame, p *path, v any, out yield) error {
		r, err := f(fr, v)
		if err != nil {
			return err
		}
		return out(p.made(), r)
	}}
}

func multi(f filter) *code { return &code{gen: f} }

// values calls f for each output of a filter, when nobody asks for paths.
func (c *code) values(fr *frame, v any, f func(any) error) error {
	if c.one != nil {
		r, err := c.one(fr, v)
		if err != nil {
			return err
		}
		return f(r)
	}
	return c.gen(fr, nil, v, func(_ *path, v any) error { return f(v) })
}

// expr compiles a tree.
func (c *compiler) expr(n *node) *code {
	switch n.op {
	case opIdentity:
		return &code{
			one: func(_ *frame, v any) (any, error) { return v, nil },
			gen: func(_ *frame, p *path, v any, out yield) error { return out(p, v) },
		}
	case opLiteral, opLoc:
		v := n.val
		return single(func(*frame, any) (any, error) { return v, nil })
	case opRecurse:
		return c.call(&node{op: opCall, str: "recurse", pos: n.pos})
	case opFormat:
		f := c.format(n, n.str)
		return single(func(_ *frame, v any) (any, error) { return f(v) })
	case opString:
		return c.interpolation(n)
	case opIndex, opSlice, opEach:
		return c.access(n)
	case opArray:
		return c.array(n)
	case opObject:
		return c.object(n)
	case opNeg:
		return c.negation(n)
	case opPipe:
		return c.pipe(n)
	case opComma:
		return c.comma(n)
	case opBinary:
		return c.binary(n)
	case opAlt:
		return c.alternative(n)
	case opAnd, opOr:
		return c.logic(n)
	case opUpdate:
		return c.update(n)
	case opIf:
		return c.condition(n)
	case opTry:
		return c.try(n)
	case opReduce:
		return c.reduce(n)
	case opForeach:
		return c.foreach(n)
	case opBind:
		return c.binding(n)
	case opLabel:
		return c.label(n)
	case opBreak:
		return c.breakOut(n)
	case opVar:
		return c.variable(n)
	case opCall:
		return c.call(n)
	case opDef:
		defer func(s *scope) { c.scope = s }(c.scope)
		c.define(n.def)
		return c.expr(n.kids[0])
	}
	c.fail(n, "unexpected construct")
	return nil
}

// define compiles a function and adds it to the scope.
func (c *compiler) define(d *definition) {
	f := &fn{name: d.name, params: d.params, level: c.fn.level + 1}
	c.scope = &scope{up: c.scope, name: signature(d.name, len(d.params)), level: c.fn.level, fn: f}
	c.body(f, d.body)
}

func signature(name string, arity int) string { return fmt.Sprintf("%s/%d", name, arity) }

// body compiles the body of a function in the current scope.
func (c *compiler) body(f *fn, body *node) {
	defer func(s *scope, outer *fn) { c.scope, c.fn = s, outer }(c.scope, c.fn)
	c.fn = f
	for i, p := range f.params {
		c.scope = &scope{up: c.scope, name: strings.TrimPrefix(p, "$") + "/0", level: f.level, slot: i}
	}
	type param struct{ arg, slot int }
	var vars []param
	for i, p := range f.params {
		if p[0] == '$' {
			vars = append(vars, param{i, c.bind(p)})
		}
	}
	code := c.expr(body)
	for _, p := range slices.Backward(vars) {
		code = bindArgument(p.arg, p.slot, code)
	}
	f.code = code
}

// bindArgument makes a variable of an argument, once for each of its outputs.
func bindArgument(arg, slot int, body *code) *code {
	return multi(func(fr *frame, p *path, v any, out yield) error {
		a := fr.args[arg]
		old := fr.vars[slot]
		err := a.code.values(a.fr, v, func(x any) error {
			fr.vars[slot] = x
			return body.gen(fr, p, v, out)
		})
		fr.vars[slot] = old
		return err
	})
}

func (c *compiler) interpolation(n *node) *code {
	format := n.str
	if format == "" {
		format = "@text"
	}
	f := c.format(n, format)
	parts := make([]*code, len(n.kids))
	simple := true
	for i, k := range n.kids {
		parts[i] = c.expr(k)
		if k.op != opLiteral {
			parts[i] = mapOutput(parts[i], f)
		}
		simple = simple && parts[i].one != nil
	}
	if simple {
		return single(func(fr *frame, v any) (any, error) {
			var b strings.Builder
			for _, p := range parts {
				s, err := p.one(fr, v)
				if err != nil {
					return nil, err
				}
				b.WriteString(s.(string))
			}
			return b.String(), nil
		})
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return joinParts(parts, fr, v, "", func(s string) error { return out(p.made(), s) })
	})
}

// joinParts combines the outputs of the parts; those of the last part change slowest.
func joinParts(parts []*code, fr *frame, v any, tail string, out func(string) error) error {
	if len(parts) == 0 {
		return out(tail)
	}
	last := len(parts) - 1
	return parts[last].values(fr, v, func(s any) error {
		return joinParts(parts[:last], fr, v, s.(string)+tail, out)
	})
}

// mapOutput applies a function to the outputs of a filter.
func mapOutput(c *code, f func(any) (any, error)) *code {
	if c.one != nil {
		g := c.one
		return single(func(fr *frame, v any) (any, error) {
			r, err := g(fr, v)
			if err != nil {
				return nil, err
			}
			return f(r)
		})
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return c.gen(fr, nil, v, func(_ *path, r any) error {
			r, err := f(r)
			if err != nil {
				return err
			}
			return out(p.made(), r)
		})
	})
}

func (c *compiler) array(n *node) *code {
	if len(n.kids) == 0 {
		empty := newArray(nil)
		return single(func(*frame, any) (any, error) { return empty, nil })
	}
	body := c.expr(n.kids[0])
	if body.one != nil {
		return single(func(fr *frame, v any) (any, error) {
			r, err := body.one(fr, v)
			if err != nil {
				return nil, err
			}
			return newArray([]any{r}), nil
		})
	}
	return single(func(fr *frame, v any) (any, error) {
		var items []any
		err := body.gen(fr, nil, v, func(_ *path, r any) error {
			items = append(items, r)
			return nil
		})
		if err != nil {
			return nil, err
		}
		return newArray(items), nil
	})
}

func (c *compiler) object(n *node) *code {
	kids := make([]*code, len(n.kids))
	simple := true
	for i, k := range n.kids {
		kids[i] = c.expr(k)
		simple = simple && kids[i].one != nil
	}
	if simple {
		return single(func(fr *frame, v any) (any, error) {
			o := newObject(len(kids) / 2)
			for i := 0; i < len(kids); i += 2 {
				k, err := kids[i].one(fr, v)
				if err != nil {
					return nil, err
				}
				key, ok := k.(string)
				if !ok {
					return nil, errorf("Object keys must be strings")
				}
				x, err := kids[i+1].one(fr, v)
				if err != nil {
					return nil, err
				}
				o.set(key, x)
			}
			return o, nil
		})
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return entries(kids, fr, v, newObject(len(kids)/2), func(o *object) error { return out(p.made(), o) })
	})
}

// entries combines the outputs of keys and values; those of the first entry change slowest.
func entries(kids []*code, fr *frame, v any, o *object, out func(*object) error) error {
	if len(kids) == 0 {
		return out(o)
	}
	return kids[0].values(fr, v, func(k any) error {
		key, ok := k.(string)
		if !ok {
			return errorf("Object keys must be strings")
		}
		return kids[1].values(fr, v, func(x any) error {
			next := o.copy(nil)
			next.set(key, x)
			return entries(kids[2:], fr, v, next, out)
		})
	})
}

func (c *compiler) negation(n *node) *code {
	return mapOutput(c.expr(n.kids[0]), func(v any) (any, error) {
		r, ok := negate(v)
		if !ok {
			return nil, errorf("%s cannot be negated", show(v))
		}
		return r, nil
	})
}

func (c *compiler) pipe(n *node) *code {
	a, b := c.expr(n.kids[0]), c.expr(n.kids[1])
	if a.one != nil && b.one != nil {
		f, g := a.one, b.one
		return &code{
			one: func(fr *frame, v any) (any, error) {
				r, err := f(fr, v)
				if err != nil {
					return nil, err
				}
				return g(fr, r)
			},
			gen: chain(a, b),
		}
	}
	if a.one != nil {
		f := a.one
		slow := chain(a, b)
		return multi(func(fr *frame, p *path, v any, out yield) error {
			if p != nil {
				return slow(fr, p, v, out)
			}
			r, err := f(fr, v)
			if err != nil {
				return err
			}
			return b.gen(fr, nil, r, out)
		})
	}
	if b.one != nil {
		g := b.one
		slow := chain(a, b)
		return multi(func(fr *frame, p *path, v any, out yield) error {
			if p != nil {
				return slow(fr, p, v, out)
			}
			return a.gen(fr, nil, v, func(_ *path, r any) error {
				r, err := g(fr, r)
				if err != nil {
					return err
				}
				return out(nil, r)
			})
		})
	}
	return multi(chain(a, b))
}

func chain(a, b *code) filter {
	return func(fr *frame, p *path, v any, out yield) error {
		return a.gen(fr, p, v, func(p *path, v any) error { return b.gen(fr, p, v, out) })
	}
}

func (c *compiler) comma(n *node) *code {
	list := make([]*code, len(n.kids))
	for i, k := range n.kids {
		list[i] = c.expr(k)
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		for _, f := range list {
			if err := f.gen(fr, p, v, out); err != nil {
				return err
			}
		}
		return nil
	})
}

// binaryFunc applies an operator to two values.
type binaryFunc func(a, b any) (any, error)

func (c *compiler) binary(n *node) *code {
	f := operators(n.str)
	a, b := c.expr(n.kids[0]), c.expr(n.kids[1])
	if a.one != nil && b.one != nil {
		return single(func(fr *frame, v any) (any, error) {
			y, err := b.one(fr, v)
			if err != nil {
				return nil, err
			}
			x, err := a.one(fr, v)
			if err != nil {
				return nil, err
			}
			return f(x, y)
		})
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return b.values(fr, v, func(y any) error {
			return a.values(fr, v, func(x any) error {
				r, err := f(x, y)
				if err != nil {
					return err
				}
				return out(p.made(), r)
			})
		})
	})
}

func (c *compiler) alternative(n *node) *code {
	a, b := c.expr(n.kids[0]), c.expr(n.kids[1])
	slow := func(fr *frame, p *path, v any, out yield) error {
		some := false
		id := new(token)
		err := a.gen(fr, p, v, func(p *path, v any) error {
			if !truthy(v) {
				return nil
			}
			some = true
			return pass(id, out(p, v))
		})
		if passed, err := unpass(id, err); passed || isFatal(err) {
			return err
		}
		if some {
			return nil
		}
		return b.gen(fr, p, v, out)
	}
	if a.one == nil || b.one == nil {
		return multi(slow)
	}
	return &code{gen: slow, one: func(fr *frame, v any) (any, error) {
		r, err := a.one(fr, v)
		if isFatal(err) {
			return nil, err
		}
		if err == nil && truthy(r) {
			return r, nil
		}
		return b.one(fr, v)
	}}
}

func (c *compiler) logic(n *node) *code {
	a, b, and := c.expr(n.kids[0]), c.expr(n.kids[1]), n.op == opAnd
	if a.one != nil && b.one != nil {
		return single(func(fr *frame, v any) (any, error) {
			x, err := a.one(fr, v)
			if err != nil || truthy(x) != and {
				return !and, err
			}
			y, err := b.one(fr, v)
			return truthy(y), err
		})
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return a.values(fr, v, func(x any) error {
			if truthy(x) != and {
				return out(p.made(), !and)
			}
			return b.values(fr, v, func(y any) error { return out(p.made(), truthy(y)) })
		})
	})
}

func (c *compiler) condition(n *node) *code {
	cond, then := c.expr(n.kids[0]), c.expr(n.kids[1])
	other := c.expr(&node{op: opIdentity})
	if n.kids[2] != nil {
		other = c.expr(n.kids[2])
	}
	pick := func(x any) *code {
		if truthy(x) {
			return then
		}
		return other
	}
	gen := func(fr *frame, p *path, v any, out yield) error {
		return cond.values(fr, v, func(x any) error { return pick(x).gen(fr, p, v, out) })
	}
	if cond.one == nil || then.one == nil || other.one == nil {
		return multi(gen)
	}
	return &code{gen: gen, one: func(fr *frame, v any) (any, error) {
		x, err := cond.one(fr, v)
		if err != nil {
			return nil, err
		}
		return pick(x).one(fr, v)
	}}
}

// passed is an error that came from whoever takes the outputs: it is none of the filter's own.
type passed struct {
	id  *token
	err error
}

func (e *passed) Error() string { return e.err.Error() }

func pass(id *token, err error) error {
	if err == nil {
		return nil
	}
	return &passed{id, err}
}

// unpass takes the mark off.
func unpass(id *token, err error) (bool, error) {
	if e, ok := err.(*passed); ok && e.id == id {
		return true, e.err
	}
	return false, err
}

// breakError unwinds to a label.
type breakError struct{ label any }

func (*breakError) Error() string { return "break" }

// haltError ends the program.
type haltError struct {
	status int
	val    any
	print  bool
}

func (*haltError) Error() string { return "halt" }

// isFatal reports whether try must not catch the error.
func isFatal(err error) bool {
	switch err.(type) {
	case nil:
		return false
	case *valueError:
		return false
	}
	return true
}

// errorValue is the value that catch sees.
func errorValue(err error) any {
	if e, ok := err.(*valueError); ok {
		return e.v
	}
	return err.Error()
}

func (c *compiler) try(n *node) *code {
	body := c.expr(n.kids[0])
	var handler *code
	if n.kids[1] != nil {
		handler = c.expr(n.kids[1])
	}
	return multi(func(fr *frame, p *path, v any, out yield) error {
		id := new(token)
		err := body.gen(fr, p, v, func(p *path, v any) error { return pass(id, out(p, v)) })
		if err == nil {
			return nil
		}
		if passed, err := unpass(id, err); passed || isFatal(err) {
			return err
		}
		x := errorValue(err)
		if o, ok := x.(*object); ok && len(o.keys) == 1 && o.keys[0] == "__jq" {
			return nil
		}
		if handler == nil {
			return nil
		}
		return handler.gen(fr, p.made(), x, out)
	})
}

func (c *compiler) label(n *node) *code {
	defer func(s *scope) { c.scope = s }(c.scope)
	slot := c.bind("*" + n.str)
	body := c.expr(n.kids[0])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		old := fr.vars[slot]
		id := new(token)
		fr.vars[slot] = id
		err := body.gen(fr, p, v, out)
		fr.vars[slot] = old
		if e, ok := err.(*breakError); ok && e.label == any(id) {
			return nil
		}
		return err
	})
}

func (c *compiler) breakOut(n *node) *code {
	s := c.lookup("*" + n.str)
	if s == nil {
		c.fail(n, "$*label-%s is not defined at <top-level>, line 1:", n.str)
	}
	at, slot := c.frameAt(s.level), s.slot
	return multi(func(fr *frame, _ *path, _ any, _ yield) error {
		return &breakError{at(fr).vars[slot]}
	})
}

func (c *compiler) variable(n *node) *code {
	s := c.lookup("$" + n.str)
	if s == nil {
		if n.str == "ENV" {
			return single(func(*frame, any) (any, error) { return c.run.environment(), nil })
		}
		c.fail(n, "$%s is not defined at <top-level>, line 1:", n.str)
	}
	slot := s.slot
	if s.level == c.fn.level {
		return single(func(fr *frame, _ any) (any, error) { return fr.vars[slot], nil })
	}
	at := c.frameAt(s.level)
	return single(func(fr *frame, _ any) (any, error) { return at(fr).vars[slot], nil })
}
