package awk

import (
	"slices"
	"strings"
)

// element is a subscript with its value, while sorting.
type element struct {
	k   key
	sub value
	val value
}

// ordering compares two elements.
type ordering func(a, b *element) int

// ordering returns the comparison that a name such as "@ind_str_asc" stands for, or one that calls a user's function.
// nil means unsorted.
func (in *interp) ordering(name string) ordering {
	switch name {
	case "", "@unsorted":
		return nil
	}
	if !strings.HasPrefix(name, "@") {
		return in.userOrdering(name)
	}
	base, desc := name, false
	if b, ok := strings.CutSuffix(name, "_desc"); ok {
		base, desc = b, true
	} else {
		base = strings.TrimSuffix(name, "_asc")
	}
	var less ordering
	switch base {
	case "@ind_str":
		less = func(a, b *element) int { return in.order(a.sub.s, b.sub.s) }
	case "@ind_num":
		less = func(a, b *element) int {
			if c := orderNumbers(a.sub.num(), b.sub.num()); c != 0 {
				return c
			}
			return in.order(a.sub.s, b.sub.s)
		}
	case "@val_str":
		less = func(a, b *element) int { return in.orderValues(a, b, in.orderStrings) }
	case "@val_num":
		less = func(a, b *element) int { return in.orderValues(a, b, in.orderNums) }
	case "@val_type":
		less = func(a, b *element) int { return in.orderValues(a, b, in.orderTypes) }
	default:
		in.fatal("`%s' is not a valid sort order", name)
	}
	if !desc {
		return less
	}
	return func(a, b *element) int { return less(b, a) }
}

func (in *interp) order(s, t string) int {
	if in.ignoreCase {
		return compareFold(s, t)
	}
	return strings.Compare(s, t)
}

func orderNumbers(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	return compareNaN(x, y)
}

// orderValues puts arrays after everything else, and orders equal values by subscript.
func (in *interp) orderValues(a, b *element, f func(x, y *value) int) int {
	xa, ya := a.val.k == kArray, b.val.k == kArray
	switch {
	case xa && ya:
	case xa:
		return 1
	case ya:
		return -1
	default:
		if c := f(&a.val, &b.val); c != 0 {
			return c
		}
	}
	if a.k.isInt && b.k.isInt {
		return int(a.k.n) - int(b.k.n)
	}
	return in.order(a.sub.s, b.sub.s)
}

func (in *interp) orderStrings(x, y *value) int { return in.order(in.str(x), in.str(y)) }

func (in *interp) orderNums(x, y *value) int { return orderNumbers(x.num(), y.num()) }

// orderTypes puts numbers before strings.
func (in *interp) orderTypes(x, y *value) int {
	a, b := x.settle(), y.settle()
	switch {
	case a.isNumber() && b.isNumber():
		return orderNumbers(a.num(), b.num())
	case a.isNumber():
		return -1
	case b.isNumber():
		return 1
	}
	return in.orderStrings(&a, &b)
}

// userOrdering calls f(i1, v1, i2, v2).
func (in *interp) userOrdering(name string) ordering {
	i, ok := in.code.funcIndex[name]
	if !ok {
		in.fatal("sort comparison function `%s' is not defined", name)
	}
	f := in.code.funcs[i]
	return func(a, b *element) int {
		args := make([]argument, 0, 4)
		for _, v := range []value{a.sub, a.val, b.sub, b.val} {
			args = append(args, func(*interp) value { return v })
		}
		v := in.call(f, args[:min(len(args), f.params)])
		return int(orderNumbers(v.num(), 0))
	}
}

func (in *interp) elements(a *array) []element {
	keys := a.keys()
	es := make([]element, len(keys))
	for i, k := range keys {
		es[i] = element{k: k, sub: text(k.String()), val: *a.find(k)}
	}
	return es
}

// sortedKeys lists the subscripts in the order that PROCINFO["sorted_in"] asks for.
func (in *interp) sortedKeys(a *array) []key {
	how := in.vars[slotPROCINFO].a.find(key{s: "sorted_in"})
	if how == nil {
		return a.keys()
	}
	less := in.ordering(in.str(how))
	if less == nil {
		return a.keys()
	}
	es := in.elements(a)
	slices.SortStableFunc(es, func(x, y element) int { return less(&x, &y) })
	keys := make([]key, len(es))
	for i := range es {
		keys[i] = es[i].k
	}
	return keys
}

// sortCall compiles asort and asorti.
func (c *compiler) sortCall(n *node) *expr {
	src := c.array(n.kids[0])
	dst := src
	if len(n.kids) > 1 {
		dst = c.array(n.kids[1])
	}
	var how *expr
	if len(n.kids) > 2 {
		how = c.expr(n.kids[2])
	}
	byIndex := n.str == "asorti"
	return numExpr(func(in *interp) float64 {
		name := "@val_type_asc"
		if byIndex {
			name = "@ind_str_asc"
		}
		if how != nil {
			name = how.str(in)
		}
		es := in.elements(src(in))
		if less := in.ordering(name); less != nil {
			slices.SortStableFunc(es, func(x, y element) int { return less(&x, &y) })
		}
		out := dst(in)
		out.clear()
		for i := range es {
			v := es[i].val
			if byIndex {
				v = es[i].sub
			}
			*out.at(intKey(int32(i + 1))) = v
		}
		return float64(len(es))
	})
}
