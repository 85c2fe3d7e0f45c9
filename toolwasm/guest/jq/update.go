package jq

import (
	"math"
	"slices"
)

// owned returns the array or object as one that the holder of own may change: itself, if the holder has made it, or a copy.
//
// That is how a chain of updates (|=, reduce) costs one copy and not one for each step.
func ownedArray(v *array, own *token) *array {
	if own != nil && v.owner == own {
		return v
	}
	return v.copy(own)
}

func ownedObject(v *object, own *token) *object {
	if own != nil && v.owner == own {
		return v
	}
	return v.copy(own)
}

// modify replaces the value at a path by what f makes of it.
func modify(v any, keys []any, own *token, f func(any) (any, error)) (any, error) {
	if len(keys) == 0 {
		return f(v)
	}
	switch k := keys[0].(type) {
	case string:
		return modifyField(v, k, keys[1:], own, f)
	case float64, *literal:
		n, _ := toFloat(k)
		return modifyItem(v, n, keys[1:], own, f)
	case *object:
		return modifySlice(v, k, keys[1:], own, f)
	case *array:
		if _, ok := v.(*array); ok {
			return nil, errorf("Cannot update field at array index of array")
		}
	}
	if v == nil {
		return nil, errorf("Invalid path component: %s", show(keys[0]))
	}
	return nil, errorf("Cannot index %s with %s", typeName(v), typeName(keys[0]))
}

func modifyField(v any, k string, rest []any, own *token, f func(any) (any, error)) (any, error) {
	var o *object
	switch v := v.(type) {
	case nil:
		o = newObject(1)
		o.owner = own
	case *object:
		o = v
	default:
		return nil, errorf("Cannot index %s with string \"%s\"", typeName(v), k)
	}
	old, _ := o.get(k)
	x, err := modify(old, rest, own, f)
	if err != nil {
		return nil, err
	}
	o = ownedObject(o, own)
	o.set(k, x)
	return o, nil
}

func modifyItem(v any, n float64, rest []any, own *token, f func(any) (any, error)) (any, error) {
	var a *array
	switch v := v.(type) {
	case nil:
		a = &array{owner: own}
	case *array:
		a = v
	default:
		return nil, errorf("Cannot index %s with number", typeName(v))
	}
	if math.IsNaN(n) {
		return nil, errorf("Cannot set array element at NaN index")
	}
	n = math.Trunc(n)
	if n < 0 {
		n += float64(len(a.items))
		if n < 0 {
			return nil, errorf("Out of bounds negative array index")
		}
	}
	if n >= 1<<29 {
		return nil, errorf("Array index too large")
	}
	i := int(n)
	if i > maxSize {
		return nil, errorf("Array index too large")
	}
	var old any
	if i < len(a.items) {
		old = a.items[i]
	}
	x, err := modify(old, rest, own, f)
	if err != nil {
		return nil, err
	}
	a = ownedArray(a, own)
	if i >= len(a.items) {
		a.items = append(a.items, make([]any, i+1-len(a.items))...)
	}
	a.items[i] = x
	return a, nil
}

func modifySlice(v any, k *object, rest []any, own *token, f func(any) (any, error)) (any, error) {
	var a *array
	switch v := v.(type) {
	case nil:
		a = newArray(nil)
	case *array:
		a = v
	case string:
		return nil, errorf("Cannot update string slices")
	default:
		return nil, errorf("Cannot update field at object index of %s", typeName(v))
	}
	start, end, err := sliceKey(k)
	if err != nil {
		return nil, err
	}
	from, to, err := bounds(start, end, len(a.items))
	if err != nil {
		return nil, err
	}
	var old any
	if v != nil {
		old = newArray(slices.Clone(a.items[from:to]))
	}
	x, err := modify(old, rest, own, f)
	if err != nil {
		return nil, err
	}
	part, ok := x.(*array)
	if !ok {
		return nil, errorf("A slice of an array can only be assigned another array")
	}
	items := make([]any, 0, len(a.items)-(to-from)+len(part.items))
	items = append(append(append(items, a.items[:from]...), part.items...), a.items[to:]...)
	return &array{items: items, owner: own}, nil
}

func setpath(v any, keys []any, x any, own *token) (any, error) {
	return modify(v, keys, own, func(any) (any, error) { return x, nil })
}

// deletePaths removes paths, the last ones first, so that the earlier stay valid.
func deletePaths(v any, paths []any) (any, error) {
	paths = slices.Clone(paths)
	slices.SortStableFunc(paths, compare)
	own := new(token)
	for _, p := range slices.Backward(paths) {
		a, ok := p.(*array)
		if !ok {
			return nil, errorf("Path must be specified as an array")
		}
		if len(a.items) > maxDepth {
			return nil, errorf("Path too deep")
		}
		var err error
		if v, err = deletePath(v, a.items, own); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func deletePath(v any, keys []any, own *token) (any, error) {
	if len(keys) == 0 || v == nil {
		return nil, nil
	}
	if len(keys) == 1 {
		return deleteKey(v, keys[0], own)
	}
	next, err := index(v, keys[0])
	if err != nil || next == nil {
		return v, err
	}
	x, err := deletePath(next, keys[1:], own)
	if err != nil {
		return nil, err
	}
	return setpath(v, keys[:1], x, own)
}

func deleteKey(v, k any, own *token) (any, error) {
	switch v := v.(type) {
	case *object:
		name, ok := k.(string)
		if !ok {
			return nil, errorf("Cannot delete field at object index of %s", typeName(k))
		}
		if v.find(name) < 0 {
			return v, nil
		}
		o := ownedObject(v, own)
		o.remove(func(s string) bool { return s == name })
		return o, nil
	case *array:
		switch k := k.(type) {
		case float64, *literal:
			f, _ := toFloat(k)
			i, ok := place(f, len(v.items))
			if !ok {
				return v, nil
			}
			a := ownedArray(v, own)
			a.items = slices.Delete(a.items, i, i+1)
			return a, nil
		case *object:
			start, end, err := sliceKey(k)
			if err != nil {
				return nil, err
			}
			from, to, err := bounds(start, end, len(v.items))
			if err != nil {
				return nil, err
			}
			a := ownedArray(v, own)
			a.items = slices.Delete(a.items, from, to)
			return a, nil
		}
		return nil, errorf("Cannot delete field at array index of array")
	}
	return nil, errorf("Cannot delete fields from %s", typeName(v))
}

// collectPaths lists the paths that a filter gives for an input.
func collectPaths(f *code, fr *frame, v any, each func(keys []any) error) error {
	root := &path{}
	return f.gen(fr, root, v, func(p *path, v any) error {
		if p.bad {
			return errorf("Invalid path expression with result %s", shortPath(v))
		}
		return each(p.keys())
	})
}

// updater applies an assignment to a value, for each value of its right side, changing in place what own owns.
type updater func(fr *frame, v any, own *token, out func(any) error) error

// update compiles = |= += … //=.
func (c *compiler) update(n *node) *code {
	do := c.updater(n)
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return do(fr, v, nil, func(r any) error { return out(p.made(), r) })
	})
}

func (c *compiler) updater(n *node) updater {
	lhs, rhs := c.expr(n.kids[0]), c.expr(n.kids[1])
	if n.str == "|=" {
		return func(fr *frame, v any, own *token, out func(any) error) error {
			r, err := c.modifyAll(lhs, rhs, fr, v, own)
			if err != nil {
				return err
			}
			return out(r)
		}
	}
	op := n.str[:len(n.str)-1]
	return func(fr *frame, v any, own *token, out func(any) error) error {
		return rhs.values(fr, v, func(x any) error {
			id := own
			if id == nil {
				id = new(token)
			}
			r := v
			err := collectPaths(lhs, fr, v, func(keys []any) error {
				c.run.tick()
				var err error
				r, err = modify(r, keys, id, func(old any) (any, error) { return assigned(op, old, x) })
				return err
			})
			if err != nil {
				return err
			}
			return out(r)
		})
	}
}

// assigned is what an assignment makes of the old value.
func assigned(op string, old, x any) (any, error) {
	switch op {
	case "":
		return x, nil
	case "//":
		if truthy(old) {
			return old, nil
		}
		return x, nil
	}
	return operators(op)(old, x)
}

// modifyAll is lhs |= f: the first output of f counts, and where there is none the path is deleted.
func (c *compiler) modifyAll(lhs, f *code, fr *frame, v any, own *token) (any, error) {
	if own == nil {
		own = new(token)
	}
	var gone []any
	r := v
	done := &breakError{new(token)}
	err := collectPaths(lhs, fr, v, func(keys []any) error {
		c.run.tick()
		old, err := getpath(r, keys)
		if err != nil {
			return err
		}
		found := false
		var x any
		if f.one != nil {
			x, err = f.one(fr, old)
			found = true
		} else {
			err = f.gen(fr, nil, old, func(_ *path, y any) error {
				x, found = y, true
				return done
			})
			if err == error(done) {
				err = nil
			}
		}
		if err != nil {
			return err
		}
		if !found {
			gone = append(gone, newArray(keys))
			return nil
		}
		r, err = setpath(r, keys, x, own)
		return err
	})
	if err != nil || len(gone) == 0 {
		return r, err
	}
	return deletePaths(r, gone)
}

// linear compiles the body of a reduction for changing the state in place, when it is made of updates whose right sides do not
// look at the state: then nothing else can hold what the reduction has made. nil when it is not.
func (c *compiler) linear(n *node) func(fr *frame, v any, own *token) (any, error) {
	switch n.op {
	case opIdentity:
		return func(_ *frame, v any, _ *token) (any, error) { return v, nil }
	case opPipe:
		a, b := c.linear(n.kids[0]), c.linear(n.kids[1])
		if a == nil || b == nil {
			return nil
		}
		return func(fr *frame, v any, own *token) (any, error) {
			r, err := a(fr, v, own)
			if err != nil {
				return nil, err
			}
			return b(fr, r, own)
		}
	case opUpdate:
		if n.str == "|=" && !scalarOnly(n.kids[1]) || n.str != "|=" && !ignoresInput(n.kids[1]) || !plainPath(n.kids[0]) {
			return nil
		}
		if c.expr(n.kids[1]).one == nil { // a second value would start from what the first has changed
			return nil
		}
		do := c.updater(n)
		return func(fr *frame, v any, own *token) (any, error) {
			var last any
			err := do(fr, v, own, func(r any) error {
				last = r
				return nil
			})
			return last, err
		}
	case opIf:
		return c.linearIf(n)
	}
	return nil
}

func (c *compiler) linearIf(n *node) func(fr *frame, v any, own *token) (any, error) {
	other := &node{op: opIdentity}
	if n.kids[2] != nil {
		other = n.kids[2]
	}
	then, alt := c.linear(n.kids[1]), c.linear(other)
	if then == nil || alt == nil {
		return nil
	}
	cond := c.expr(n.kids[0])
	if cond.one == nil {
		return nil
	}
	return func(fr *frame, v any, own *token) (any, error) {
		x, err := cond.one(fr, v)
		if err != nil {
			return nil, err
		}
		if truthy(x) {
			return then(fr, v, own)
		}
		return alt(fr, v, own)
	}
}

// ignoresInput reports whether a filter's outputs cannot hold a part of its input.
func ignoresInput(n *node) bool {
	switch n.op {
	case opLiteral, opVar, opLoc:
		return true
	case opIndex, opSlice, opEach, opArray, opObject, opNeg, opPipe, opComma, opBinary, opAlt, opString, opAnd, opOr:
		if n.op == opPipe {
			return ignoresInput(n.kids[0])
		}
		for _, k := range n.kids {
			if k != nil && !ignoresInput(k) {
				return false
			}
		}
		return true
	}
	return false
}

// scalarOnly reports whether what a filter of one value gives is a new scalar, or a value that its input is not part of.
func scalarOnly(n *node) bool {
	if n.op != opBinary || n.str == "+" {
		return n.op == opBinary && (scalarLiteral(n.kids[0]) || scalarLiteral(n.kids[1])) || ignoresInput(n)
	}
	return n.str != "-" && n.str != "*"
}

func scalarLiteral(n *node) bool {
	if n.op != opLiteral {
		return false
	}
	switch n.val.(type) {
	case float64, string:
		return true
	}
	return false
}

// plainPath reports whether a path expression only looks at its input to find places.
func plainPath(n *node) bool {
	switch n.op {
	case opIdentity:
		return true
	case opIndex, opEach:
		if !plainPath(n.kids[0]) {
			return false
		}
		return n.op == opEach || ignoresInput(n.kids[1])
	case opPipe:
		return plainPath(n.kids[0]) && plainPath(n.kids[1])
	}
	return false
}
