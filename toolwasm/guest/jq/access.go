package jq

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// access compiles t.name, t[key], t[from:to] and t[].
func (c *compiler) access(n *node) *code {
	target := c.expr(n.kids[0])
	switch n.op {
	case opEach:
		return multi(func(fr *frame, p *path, v any, out yield) error {
			return target.gen(fr, p, v, func(p *path, v any) error { return each(p, v, out) })
		})
	case opSlice:
		return c.slice(n, target)
	}
	if k := n.kids[1]; k.op == opLiteral {
		if name, ok := k.val.(string); ok {
			return field(target, name)
		}
	}
	key := c.expr(n.kids[1])
	gen := func(fr *frame, p *path, v any, out yield) error {
		return key.values(fr, v, func(k any) error {
			return target.gen(fr, p, v, func(p *path, v any) error { return step(p, v, k, out) })
		})
	}
	if key.one == nil || target.one == nil {
		return multi(gen)
	}
	return &code{gen: gen, one: func(fr *frame, v any) (any, error) {
		k, err := key.one(fr, v)
		if err != nil {
			return nil, err
		}
		t, err := target.one(fr, v)
		if err != nil {
			return nil, err
		}
		return index(t, k)
	}}
}

// field is .name, the most frequent of all filters.
func field(target *code, name string) *code {
	var key any = name
	get := func(v any) (any, error) {
		switch o := v.(type) {
		case *object:
			r, _ := o.get(name)
			return r, nil
		case nil:
			return nil, nil
		}
		return index(v, key)
	}
	out := &code{gen: func(fr *frame, p *path, v any, out yield) error {
		return target.gen(fr, p, v, func(p *path, v any) error { return step(p, v, key, out) })
	}}
	if target.one == nil {
		return out
	}
	f := target.one
	out.one = func(fr *frame, v any) (any, error) {
		t, err := f(fr, v)
		if err != nil {
			return nil, err
		}
		return get(t)
	}
	return out
}

// step goes from a value to what a key leads to.
func step(p *path, v, k any, out yield) error {
	if p != nil && p.bad {
		return errorf("Invalid path expression near attempt to access element %s of %s", encode(k), shortPath(v))
	}
	r, err := index(v, k)
	if err != nil {
		return err
	}
	return out(p.with(k), r)
}

// shortPath is a value in the message about paths.
func shortPath(v any) string {
	const limit = 30
	s := encode(v)
	if len(s) < limit {
		return s
	}
	return s[:limit-4] + "..."
}

// each gives the elements of an array or object.
func each(p *path, v any, out yield) error {
	if p != nil && p.bad {
		return errorf("Invalid path expression near attempt to iterate through %s", shortPath(v))
	}
	switch v := v.(type) {
	case *array:
		for i, x := range v.items {
			var at *path
			if p != nil {
				at = p.with(float64(i))
			}
			if err := out(at, x); err != nil {
				return err
			}
		}
		return nil
	case *object:
		// The object may be changed by an update that goes through it; its keys at the start are what counts.
		keys, vals := v.keys, v.vals
		for i, x := range vals {
			var at *path
			if p != nil {
				at = p.with(keys[i])
			}
			if err := out(at, x); err != nil {
				return err
			}
		}
		return nil
	}
	return errorf("Cannot iterate over %s", show(v))
}

func (c *compiler) slice(n *node, target *code) *code {
	bound := func(k *node) *code {
		if k == nil {
			return c.expr(&node{op: opLiteral})
		}
		return c.expr(k)
	}
	from, to := bound(n.kids[1]), bound(n.kids[2])
	return multi(func(fr *frame, p *path, v any, out yield) error {
		return from.values(fr, v, func(a any) error {
			return to.values(fr, v, func(b any) error {
				return target.gen(fr, p, v, func(p *path, v any) error {
					if p == nil {
						r, err := sliceOf(v, a, b)
						if err != nil {
							return err
						}
						return out(nil, r)
					}
					k := newObject(2)
					k.set("start", a)
					k.set("end", b)
					return step(p, v, k, out)
				})
			})
		})
	})
}

// index is v[k].
func index(v, k any) (any, error) {
	switch k := k.(type) {
	case string:
		switch v := v.(type) {
		case *object:
			r, _ := v.get(k)
			return r, nil
		case nil:
			return nil, nil
		}
		return nil, errorf("Cannot index %s with string \"%s\"", typeName(v), k)
	case float64, *literal:
		f, _ := toFloat(k)
		switch v := v.(type) {
		case *array:
			if i, ok := place(f, len(v.items)); ok {
				return v.items[i], nil
			}
			return nil, nil
		case nil:
			return nil, nil
		}
	case *object:
		switch v.(type) {
		case *array, string, nil:
			a, b, err := sliceKey(k)
			if err != nil {
				return nil, err
			}
			return sliceOf(v, a, b)
		}
	case *array:
		if v, ok := v.(*array); ok {
			return indicesOf(v, k), nil
		}
		if v == nil {
			return nil, nil
		}
	case nil:
		if v == nil {
			return nil, nil
		}
	}
	return nil, errorf("Cannot index %s with %s", typeName(v), typeName(k))
}

// sliceKey takes the bounds out of an object that stands for a slice.
func sliceKey(k *object) (from, to any, err error) {
	from, ok1 := k.get("start")
	to, ok2 := k.get("end")
	if !ok1 || !ok2 {
		return nil, nil, errorf("Start and end indices of an array slice must be numbers")
	}
	return from, to, nil
}

// place turns a number into an index of n items; a negative one counts from the end.
func place(f float64, n int) (int, bool) {
	if math.IsNaN(f) {
		return 0, false
	}
	f = math.Trunc(f)
	if f < 0 {
		f += float64(n)
	}
	if f < 0 || f >= float64(n) {
		return 0, false
	}
	return int(f), true
}

// bounds are the limits of a slice of n items.
func bounds(a, b any, n int) (from, to int, err error) {
	x, okx := toFloat(a)
	y, oky := toFloat(b)
	if a != nil && !okx || b != nil && !oky {
		return 0, 0, errorf("Start and end indices of an array slice must be numbers")
	}
	limit := func(f float64, round func(float64) float64) int {
		if f < 0 {
			f += float64(n)
		}
		if math.IsNaN(f) {
			return 0
		}
		return int(math.Max(0, math.Min(float64(n), round(f))))
	}
	to = n
	if okx {
		from = limit(x, math.Floor)
	}
	if oky && !math.IsNaN(y) {
		to = limit(y, math.Ceil)
	}
	return from, max(from, to), nil
}

func sliceOf(v, a, b any) (any, error) {
	switch v := v.(type) {
	case nil:
		if _, _, err := bounds(a, b, 0); err != nil {
			return nil, err
		}
		return nil, nil
	case *array:
		from, to, err := bounds(a, b, len(v.items))
		if err != nil {
			return nil, err
		}
		return newArray(slices.Clone(v.items[from:to])), nil
	case string:
		from, to, err := bounds(a, b, utf8.RuneCountInString(v))
		if err != nil {
			return nil, err
		}
		start := runeOffset(v, from)
		return v[start : start+runeOffset(v[start:], to-from)], nil
	}
	return nil, errorf("Cannot index %s with object", typeName(v))
}

// runeOffset is the offset of the n-th character.
func runeOffset(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

// indicesOf finds where b occurs in a.
func indicesOf(a, b *array) any {
	if len(b.items) == 0 {
		return nil
	}
	var out []any
	for i := 0; i+len(b.items) <= len(a.items); i++ {
		if slices.EqualFunc(a.items[i:i+len(b.items)], b.items, equal) {
			out = append(out, float64(i))
		}
	}
	return newArray(out)
}

// stringIndices finds where t occurs in s, overlapping, counted in characters.
func stringIndices(s, t string) any {
	if t == "" {
		return newArray(nil)
	}
	var out []any
	chars, last := 0, 0
	for i := 0; ; {
		j := strings.Index(s[i:], t)
		if j < 0 {
			return newArray(out)
		}
		i += j
		chars += utf8.RuneCountInString(s[last:i])
		last = i
		out = append(out, float64(chars))
		i++
	}
}

// getpath follows keys; what is not there is null.
func getpath(v any, keys []any) (any, error) {
	for _, k := range keys {
		if v == nil {
			return nil, nil
		}
		var err error
		if v, err = index(v, k); err != nil {
			return nil, err
		}
	}
	return v, nil
}
