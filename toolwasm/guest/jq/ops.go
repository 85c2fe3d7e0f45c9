package jq

import (
	"math"
	"strings"
)

// operators returns the function of a binary operator.
func operators(op string) binaryFunc {
	switch op {
	case "+":
		return add
	case "-":
		return subtract
	case "*":
		return multiply
	case "/":
		return divide
	case "%":
		return modulo
	case "==":
		return func(a, b any) (any, error) { return equal(a, b), nil }
	case "!=":
		return func(a, b any) (any, error) { return !equal(a, b), nil }
	case "<":
		return func(a, b any) (any, error) { return compare(a, b) < 0, nil }
	case "<=":
		return func(a, b any) (any, error) { return compare(a, b) <= 0, nil }
	case ">":
		return func(a, b any) (any, error) { return compare(a, b) > 0, nil }
	}
	return func(a, b any) (any, error) { return compare(a, b) >= 0, nil }
}

func numbers(a, b any) (x, y float64, ok bool) {
	x, ok = toFloat(a)
	if !ok {
		return 0, 0, false
	}
	y, ok = toFloat(b)
	return x, y, ok
}

func opError(a, b any, what string) error {
	return errorf("%s and %s cannot be %s", show(a), show(b), what)
}

func add(a, b any) (any, error) {
	if a == nil {
		return b, nil
	}
	if b == nil {
		return a, nil
	}
	if x, y, ok := numbers(a, b); ok {
		return x + y, nil
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			if len(x)+len(y) > maxSize {
				return nil, errorf("String too long")
			}
			return x + y, nil
		}
	case *array:
		if y, ok := b.(*array); ok {
			switch {
			case len(y.items) == 0:
				return x, nil
			case len(x.items) == 0:
				return y, nil
			}
			return x.appended(y.items), nil
		}
	case *object:
		if y, ok := b.(*object); ok {
			o := x.copy(nil)
			for i, k := range y.keys {
				o.set(k, y.vals[i])
			}
			return o, nil
		}
	}
	return nil, opError(a, b, "added")
}

func subtract(a, b any) (any, error) {
	if x, y, ok := numbers(a, b); ok {
		return x - y, nil
	}
	x, okx := a.(*array)
	y, oky := b.(*array)
	if !okx || !oky {
		return nil, opError(a, b, "subtracted")
	}
	var items []any
next:
	for _, v := range x.items {
		for _, w := range y.items {
			if equal(v, w) {
				continue next
			}
		}
		items = append(items, v)
	}
	return newArray(items), nil
}

func multiply(a, b any) (any, error) {
	if x, y, ok := numbers(a, b); ok {
		return x * y, nil
	}
	if s, ok := b.(string); ok {
		a, b = s, a
	}
	switch x := a.(type) {
	case string:
		if n, ok := toFloat(b); ok {
			return repeat(x, n)
		}
	case *object:
		if y, ok := b.(*object); ok {
			return merge(x, y), nil
		}
	}
	return nil, opError(a, b, "multiplied")
}

// repeat repeats a string; a negative number of times gives null.
func repeat(s string, n float64) (any, error) {
	if n < 0 || math.IsNaN(n) {
		return nil, nil
	}
	count := int(math.Min(n, maxSize))
	if len(s) > 0 && count > maxSize/len(s) {
		return nil, errorf("Repeat string result too long")
	}
	return strings.Repeat(s, count), nil
}

// merge combines objects recursively.
func merge(a, b *object) *object {
	o := a.copy(nil)
	for i, k := range b.keys {
		v := b.vals[i]
		if old, ok := o.get(k); ok {
			if x, ok := old.(*object); ok {
				if y, ok := v.(*object); ok {
					v = merge(x, y)
				}
			}
		}
		o.set(k, v)
	}
	return o
}

func divide(a, b any) (any, error) {
	if x, y, ok := numbers(a, b); ok {
		if y == 0 {
			return nil, opError(a, b, "divided because the divisor is zero")
		}
		return x / y, nil
	}
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return splitString(s, t), nil
		}
	}
	return nil, opError(a, b, "divided")
}

func splitString(s, sep string) any {
	if s == "" {
		return newArray(nil)
	}
	parts := strings.Split(s, sep)
	items := make([]any, len(parts))
	for i, p := range parts {
		items[i] = p
	}
	return newArray(items)
}

func modulo(a, b any) (any, error) {
	x, y, ok := numbers(a, b)
	if !ok {
		return nil, opError(a, b, "divided")
	}
	if math.IsNaN(x) || math.IsNaN(y) {
		return math.NaN(), nil
	}
	m, n := toInt64(x), toInt64(y)
	if n == 0 {
		return nil, opError(a, b, "divided because the divisor is zero")
	}
	if n < 0 && n != math.MinInt64 {
		n = -n
	}
	if m == math.MinInt64 || n == math.MinInt64 {
		return math.Mod(float64(m), math.Abs(float64(n))), nil
	}
	r := m % n
	return float64(r), nil
}

// toInt64 truncates and saturates.
func toInt64(f float64) int64 {
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}
