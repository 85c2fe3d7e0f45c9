package jq

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A jq value is one of: nil, bool, float64, *literal, string, *array, *object.
//
// Values are immutable, so that they can be shared freely, with one exception: an array or object whose owner is the
// token of an update that is going on may be changed in place, because nothing else has seen it yet.
type (
	// token identifies an update; see [owned].
	token struct{ _ byte }

	array struct {
		items []any
		// tail is how many items of the shared backing array are in use by anybody: who has them all may append.
		tail  *int
		owner *token
	}

	// object keeps its keys in the order in which they were added.
	object struct {
		keys  []string
		vals  []any
		index map[string]int // nil while the object is small, or little has been looked for in it
		finds int            // how often something was looked for without an index
		owner *token
	}
)

// An object with indexFrom keys or more gets an index when something has been looked for in it indexAfter times.
const (
	indexFrom  = 12
	indexAfter = 8
)

// maxSize bounds arrays, strings and repetitions that a program can ask for out of the blue.
const maxSize = 1 << 27

// maxDepth bounds how deeply values nest in input and output.
const maxDepth = 10_000

func newArray(items []any) *array { return &array{items: items} }

func newObject(size int) *object {
	return &object{keys: make([]string, 0, size), vals: make([]any, 0, size)}
}

func (o *object) find(k string) int {
	if o.index == nil && len(o.keys) >= indexFrom {
		if o.finds++; o.finds > indexAfter {
			o.reindex()
		}
	}
	if o.index != nil {
		if i, ok := o.index[k]; ok {
			return i
		}
		return -1
	}
	for i := range o.keys {
		if o.keys[i] == k {
			return i
		}
	}
	return -1
}

func (o *object) get(k string) (any, bool) {
	if i := o.find(k); i >= 0 {
		return o.vals[i], true
	}
	return nil, false
}

// set changes the object: only its maker may call it.
func (o *object) set(k string, v any) {
	if i := o.find(k); i >= 0 {
		o.vals[i] = v
		return
	}
	o.keys = append(o.keys, k)
	o.vals = append(o.vals, v)
	if o.index != nil {
		o.index[k] = len(o.keys) - 1
	}
}

func (o *object) reindex() {
	o.index = make(map[string]int, len(o.keys)*2)
	for i, k := range o.keys {
		o.index[k] = i
	}
}

func (o *object) copy(owner *token) *object {
	return &object{keys: slices.Clone(o.keys), vals: slices.Clone(o.vals), owner: owner}
}

// remove deletes the keys that drop selects.
func (o *object) remove(drop func(string) bool) {
	n := 0
	for i, k := range o.keys {
		if drop(k) {
			continue
		}
		o.keys[n], o.vals[n] = k, o.vals[i]
		n++
	}
	clear(o.vals[n:])
	o.keys, o.vals, o.index = o.keys[:n], o.vals[:n], nil
}

// sortedIndex lists the places of the keys in sorted order.
func (o *object) sortedIndex() []int {
	order := make([]int, len(o.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(o.keys[a], o.keys[b]) })
	return order
}

func (o *object) sortedKeys() []string {
	ks := slices.Clone(o.keys)
	slices.Sort(ks)
	return ks
}

// appended returns the array with more items. It shares the backing array when nobody else has used the room behind it.
func (a *array) appended(items []any) *array {
	if a.tail != nil && *a.tail == len(a.items) && cap(a.items) >= len(a.items)+len(items) {
		out := append(a.items, items...)
		*a.tail = len(out)
		return &array{items: out, tail: a.tail}
	}
	n := len(a.items) + len(items)
	out := make([]any, 0, n+n/2+2)
	out = append(append(out, a.items...), items...)
	return &array{items: out, tail: &n}
}

func (a *array) copy(owner *token) *array {
	return &array{items: slices.Clone(a.items), owner: owner}
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64, *literal:
		return "number"
	case string:
		return "string"
	case *array:
		return "array"
	}
	return "object"
}

// rank orders the types: null, false, true, numbers, strings, arrays, objects.
func rank(v any) int {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return 2
		}
		return 1
	case float64, *literal:
		return 3
	case string:
		return 4
	case *array:
		return 5
	}
	return 6
}

// compare orders two values as sort does.
func compare(a, b any) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case float64, *literal:
		return compareNumbers(a, b)
	case string:
		return strings.Compare(a, b.(string))
	case *array:
		return slices.CompareFunc(a.items, b.(*array).items, compare)
	case *object:
		return compareObjects(a, b.(*object))
	}
	return 0
}

// compareObjects compares the sets of keys first, then the values key by key.
func compareObjects(a, b *object) int {
	if a == b {
		return 0
	}
	ka, kb := a.sortedKeys(), b.sortedKeys()
	if c := slices.Compare(ka, kb); c != 0 {
		return c
	}
	for _, k := range ka {
		x, _ := a.get(k)
		y, _ := b.get(k)
		if c := compare(x, y); c != 0 {
			return c
		}
	}
	return 0
}

func equal(a, b any) bool { return compare(a, b) == 0 }

func truthy(v any) bool { return v != nil && v != false }

// valueError is an error that carries any value, as error() raises.
type valueError struct{ v any }

func (e *valueError) Error() string {
	if s, ok := e.v.(string); ok {
		return s
	}
	return encode(e.v)
}

func errorf(format string, args ...any) error {
	return &valueError{fmt.Sprintf(format, args...)}
}

// shownBytes is how much of a value an error message shows.
const shownBytes = 29

// show is a value as error messages show it: its type and the beginning of its text.
func show(v any) string { return fmt.Sprintf("%s (%s)", typeName(v), shorten(v)) }

func shorten(v any) string {
	s := encode(v)
	if len(s) <= shownBytes {
		return s
	}
	cut := shownBytes - len("...")
	tail := "..."
	if _, ok := v.(string); ok {
		cut, tail = cut-1, `..."`
	}
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + tail
}
