package jq

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// functions0 are the functions without arguments.
func functions0(name string) (func(any) (any, error), bool) {
	f, ok := map[string]func(any) (any, error){
		"length/0":         length,
		"utf8bytelength/0": utf8ByteLength,
		"not/0":            func(v any) (any, error) { return !truthy(v), nil },
		"type/0":           func(v any) (any, error) { return typeName(v), nil },
		"keys/0":           func(v any) (any, error) { return keysOf(v, true) },
		"keys_unsorted/0":  func(v any) (any, error) { return keysOf(v, false) },
		"to_entries/0":     toEntries,
		"from_entries/0":   fromEntries,
		"add/0":            addAll,
		"reverse/0":        reverse,
		"sort/0":           sortArray,
		"unique/0":         func(v any) (any, error) { return uniqueBy(v, nil) },
		"min/0":            func(v any) (any, error) { return extreme(v, nil, -1) },
		"max/0":            func(v any) (any, error) { return extreme(v, nil, 1) },
		"tostring/0":       func(v any) (any, error) { return toText(v), nil },
		"tonumber/0":       toNumber,
		"toarray/0":        toArray,
		"tojson/0":         func(v any) (any, error) { return encode(v), nil },
		"fromjson/0":       fromJSON,
		"ascii_downcase/0": func(v any) (any, error) { return mapString(v, "ascii_downcase", asciiLower) },
		"ascii_upcase/0":   func(v any) (any, error) { return mapString(v, "ascii_upcase", asciiUpper) },
		"explode/0":        explode,
		"implode/0":        implode,
		"trim/0":           func(v any) (any, error) { return trim(v, true, true) },
		"ltrim/0":          func(v any) (any, error) { return trim(v, true, false) },
		"rtrim/0":          func(v any) (any, error) { return trim(v, false, true) },
		"transpose/0":      transpose,
		"infinite/0":       func(any) (any, error) { return math.Inf(1), nil },
		"nan/0":            func(any) (any, error) { return math.NaN(), nil },
		"isinfinite/0":     func(v any) (any, error) { return numberTest(v, func(f float64) bool { return math.IsInf(f, 0) }) },
		"isnan/0":          func(v any) (any, error) { return numberTest(v, math.IsNaN) },
		"isnormal/0":       func(v any) (any, error) { return numberTest(v, isNormal) },
		"abs/0":            absolute,
		"gmtime/0":         gmtime,
		"mktime/0":         mktime,
	}[name]
	return f, ok
}

// functionsN are the functions of values with arguments.
func functionsN(name string) (function, bool) {
	f, ok := map[string]function{
		"has/1":        func(v any, a []any) (any, error) { return has(v, a[0]) },
		"contains/1":   func(v any, a []any) (any, error) { return contains(v, a[0]) },
		"startswith/1": func(v any, a []any) (any, error) { return affix(v, a[0], "startswith", strings.HasPrefix) },
		"endswith/1":   func(v any, a []any) (any, error) { return affix(v, a[0], "endswith", strings.HasSuffix) },
		"ltrimstr/1":   func(v any, a []any) (any, error) { return trimAffix(v, a[0], true, false) },
		"rtrimstr/1":   func(v any, a []any) (any, error) { return trimAffix(v, a[0], false, true) },
		"trimstr/1":    func(v any, a []any) (any, error) { return trimAffix(v, a[0], true, true) },
		"join/1":       func(v any, a []any) (any, error) { return join(v, a[0]) },
		"split/1":      func(v any, a []any) (any, error) { return split(v, a[0]) },
		"flatten/1":    func(v any, a []any) (any, error) { return flatten(v, a[0]) },
		"indices/1":    func(v any, a []any) (any, error) { return indices(v, a[0]) },
		"index/1":      func(v any, a []any) (any, error) { return firstIndex(v, a[0], false) },
		"rindex/1":     func(v any, a []any) (any, error) { return firstIndex(v, a[0], true) },
		"setpath/2":    setpathFunc,
		"delpaths/1":   delpathsFunc,
		"bsearch/1":    func(v any, a []any) (any, error) { return bsearch(v, a[0]) },
		"_sort_by/1":   func(v any, a []any) (any, error) { return sortBy(v, a[0]) },
		"_group_by/1":  func(v any, a []any) (any, error) { return groupBy(v, a[0]) },
		"_unique_by/1": func(v any, a []any) (any, error) { return uniqueBy(v, a[0]) },
		"_min_by/1":    func(v any, a []any) (any, error) { return extreme(v, a[0], -1) },
		"_max_by/1":    func(v any, a []any) (any, error) { return extreme(v, a[0], 1) },
		"strptime/1":   func(v any, a []any) (any, error) { return strptime(v, a[0]) },
	}[name]
	return f, ok
}

func length(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return 0.0, nil
	case bool:
		return nil, errorf("%s has no length", show(v))
	case string:
		return float64(utf8.RuneCountInString(v)), nil
	case *array:
		return float64(len(v.items)), nil
	case *object:
		return float64(len(v.keys)), nil
	}
	return absolute(v)
}

func absolute(v any) (any, error) {
	f, ok := toFloat(v)
	if !ok {
		return nil, errorf("%s has no absolute value", show(v))
	}
	if f < 0 {
		r, _ := negate(v)
		return r, nil
	}
	if f == 0 {
		return math.Abs(f), nil
	}
	return v, nil
}

func utf8ByteLength(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, errorf("%s only strings have UTF-8 byte length", show(v))
	}
	return float64(len(s)), nil
}

func stringArray(ss []string) *array {
	items := make([]any, len(ss))
	for i, s := range ss {
		items[i] = s
	}
	return newArray(items)
}

func keysOf(v any, sorted bool) (any, error) {
	switch v := v.(type) {
	case *object:
		if sorted {
			return stringArray(v.sortedKeys()), nil
		}
		return stringArray(v.keys), nil
	case *array:
		items := make([]any, len(v.items))
		for i := range items {
			items[i] = float64(i)
		}
		return newArray(items), nil
	}
	return nil, errorf("%s has no keys", show(v))
}

func toEntries(v any) (any, error) {
	entry := func(k, x any) any {
		return &object{keys: []string{"key", "value"}, vals: []any{k, x}}
	}
	switch v := v.(type) {
	case *object:
		items := make([]any, len(v.keys))
		for i, k := range v.keys {
			items[i] = entry(k, v.vals[i])
		}
		return newArray(items), nil
	case *array:
		items := make([]any, len(v.items))
		for i, x := range v.items {
			items[i] = entry(float64(i), x)
		}
		return newArray(items), nil
	}
	return nil, errorf("%s has no keys", show(v))
}

func fromEntries(v any) (any, error) {
	out := newObject(4)
	err := each(nil, v, func(_ *path, e any) error {
		k, x, err := entryParts(e)
		if err != nil {
			return err
		}
		switch k := k.(type) {
		case string:
			out.set(k, x)
		case nil, bool, float64, *literal:
			out.set(encode(k), x)
		default:
			return errorf("Cannot use %s as object key", show(k))
		}
		return nil
	})
	return out, err
}

// entryParts takes the key and the value of an entry from under any of the names that they may have.
func entryParts(e any) (k, v any, err error) {
	o, ok := e.(*object)
	if !ok {
		if e == nil {
			return nil, nil, nil
		}
		return nil, nil, errorf("Cannot index %s with string \"key\"", typeName(e))
	}
	k, _ = o.get("key")
	if k == nil {
		for _, name := range []string{"k", "name", "Name", "K", "Key"} {
			if k, _ = o.get(name); truthy(k) {
				break
			}
		}
	}
	for _, name := range []string{"value", "v", "Value"} {
		if x, ok := o.get(name); ok {
			return k, x, nil
		}
	}
	return k, nil, nil
}

func addAll(v any) (any, error) {
	var sum any
	if a, ok := v.(*array); ok {
		if s, ok := concatStrings(a.items); ok {
			return s, nil
		}
	}
	own := new(token)
	err := each(nil, v, func(_ *path, x any) error {
		var err error
		sum, err = addOwned(sum, x, own)
		return err
	})
	return sum, err
}

// concatStrings adds strings in one go.
func concatStrings(items []any) (string, bool) {
	n := 0
	for _, x := range items {
		s, ok := x.(string)
		if !ok {
			return "", false
		}
		n += len(s)
	}
	if len(items) < 2 || n > maxSize {
		return "", false
	}
	var b strings.Builder
	b.Grow(n)
	for _, x := range items {
		b.WriteString(x.(string))
	}
	return b.String(), true
}

// addOwned is add, but changes an object that own has made.
func addOwned(a, b any, own *token) (any, error) {
	x, okx := a.(*object)
	y, oky := b.(*object)
	if !okx || !oky {
		return add(a, b)
	}
	o := ownedObject(x, own)
	for i, k := range y.keys {
		o.set(k, y.vals[i])
	}
	return o, nil
}

func reverse(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return newArray(nil), nil
	case string:
		rs := []rune(v)
		slices.Reverse(rs)
		return string(rs), nil
	case *array:
		items := slices.Clone(v.items)
		slices.Reverse(items)
		return newArray(items), nil
	}
	return nil, errorf("Cannot reverse %s", show(v))
}

func sortArray(v any) (any, error) {
	a, ok := v.(*array)
	if !ok {
		return nil, errorf("%s cannot be sorted, as it is not an array", show(v))
	}
	items := slices.Clone(a.items)
	slices.SortStableFunc(items, compare)
	return newArray(items), nil
}

// keyed is an element with what it is sorted by.
type keyed struct{ key, val any }

func keyedItems(v, keys any, what string) ([]keyed, error) {
	a, ok := v.(*array)
	if !ok {
		return nil, errorf("%s cannot be %s, as it is not an array", show(v), what)
	}
	out := make([]keyed, len(a.items))
	for i, x := range a.items {
		out[i] = keyed{x, x}
		if keys != nil {
			out[i].key = keys.(*array).items[i]
		}
	}
	return out, nil
}

func sortedItems(v, keys any, what string) ([]keyed, error) {
	items, err := keyedItems(v, keys, what)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(items, func(a, b keyed) int { return compare(a.key, b.key) })
	return items, nil
}

func sortBy(v, keys any) (any, error) {
	items, err := sortedItems(v, keys, "sorted")
	if err != nil {
		return nil, err
	}
	out := make([]any, len(items))
	for i, x := range items {
		out[i] = x.val
	}
	return newArray(out), nil
}

func groupBy(v, keys any) (any, error) {
	items, err := sortedItems(v, keys, "grouped")
	if err != nil {
		return nil, err
	}
	var groups []any
	for i := 0; i < len(items); {
		j := i
		var group []any
		for j < len(items) && equal(items[i].key, items[j].key) {
			group = append(group, items[j].val)
			j++
		}
		if j == i { // nan equals nothing, not even itself
			group = append(group, items[i].val)
			j++
		}
		groups = append(groups, newArray(group))
		i = j
	}
	return newArray(groups), nil
}

func uniqueBy(v, keys any) (any, error) {
	items, err := sortedItems(v, keys, "sorted")
	if err != nil {
		return nil, err
	}
	var out []any
	for i, x := range items {
		if i == 0 || !equal(items[i-1].key, x.key) {
			out = append(out, x.val)
		}
	}
	return newArray(out), nil
}

// extreme is the least (sign -1) or greatest element; of equal ones the first least and the last greatest.
func extreme(v, keys any, sign int) (any, error) {
	items, err := keyedItems(v, keys, "searched")
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, nil
	}
	best := items[0]
	for _, x := range items[1:] {
		c := compare(x.key, best.key)
		if c*sign > 0 || c == 0 && sign > 0 {
			best = x
		}
	}
	return best.val, nil
}

func toText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return encode(v)
}

func toNumber(v any) (any, error) {
	switch v := v.(type) {
	case float64, *literal:
		return v, nil
	case string:
		if n, ok := strictNumber(v); ok {
			return n, nil
		}
		return nil, errorf("%s cannot be parsed as a number", show(v))
	}
	return nil, errorf("%s cannot be parsed as a number", show(v))
}

// strictNumber reads a text that is nothing but a number.
func strictNumber(s string) (any, bool) {
	switch strings.TrimPrefix(s, "-") {
	case "nan":
		return math.NaN(), true
	}
	if s == "" || strings.HasPrefix(s, "+") {
		return nil, false
	}
	return parseJSONNumber(s)
}

func toArray(v any) (any, error) {
	if a, ok := v.(*array); ok {
		return a, nil
	}
	return newArray([]any{v}), nil
}

func fromJSON(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, errorf("%s cannot be parsed as JSON", show(v))
	}
	r, err := decodeString(s)
	if err != nil {
		return nil, errorf("%s", err)
	}
	return r, nil
}

func mapString(v any, name string, f func(string) string) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, errorf("%s input must be a string", name)
	}
	return f(s), nil
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func asciiUpper(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

func explode(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, errorf("explode input must be a string")
	}
	items := make([]any, 0, len(s))
	for _, r := range s {
		items = append(items, float64(r))
	}
	return newArray(items), nil
}

func implode(v any) (any, error) {
	a, ok := v.(*array)
	if !ok {
		return nil, errorf("implode input must be an array")
	}
	var b strings.Builder
	for _, x := range a.items {
		f, ok := toFloat(x)
		if !ok {
			return nil, errorf("Unicode codepoint must be numeric")
		}
		r := utf8.RuneError
		if f >= 0 && f <= unicode.MaxRune && utf8.ValidRune(rune(f)) {
			r = rune(f)
		}
		b.WriteRune(r)
	}
	return b.String(), nil
}

func trim(v any, left, right bool) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, errorf("%s cannot be trimmed", show(v))
	}
	if left {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
	}
	if right {
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	}
	return s, nil
}

func transpose(v any) (any, error) {
	a, ok := v.(*array)
	if !ok {
		return nil, errorf("Cannot iterate over %s", show(v))
	}
	width := 0
	for _, row := range a.items {
		r, ok := row.(*array)
		if !ok {
			return nil, errorf("Cannot index %s with number", typeName(row))
		}
		width = max(width, len(r.items))
	}
	out := make([]any, width)
	for i := range out {
		col := make([]any, len(a.items))
		for j, row := range a.items {
			if r := row.(*array); i < len(r.items) {
				col[j] = r.items[i]
			}
		}
		out[i] = newArray(col)
	}
	return newArray(out), nil
}

func numberTest(v any, f func(float64) bool) (any, error) {
	x, ok := toFloat(v)
	if !ok {
		return nil, errorf("%s number required", show(v))
	}
	return f(x), nil
}

func isNormal(f float64) bool {
	const smallest = 0x1p-1022
	return !math.IsNaN(f) && !math.IsInf(f, 0) && math.Abs(f) >= smallest
}

func has(v, k any) (any, error) {
	switch v := v.(type) {
	case *object:
		if s, ok := k.(string); ok {
			return v.find(s) >= 0, nil
		}
	case *array:
		if f, ok := toFloat(k); ok {
			return f >= 0 && f < float64(len(v.items)), nil
		}
	case nil:
		switch k.(type) {
		case string, float64, *literal:
			return false, nil
		}
	}
	return nil, errorf("Cannot check whether %s has a %s key", typeName(v), typeName(k))
}

func contains(a, b any) (any, error) {
	switch x := a.(type) {
	case *object:
		y, ok := b.(*object)
		if !ok {
			break
		}
		for i, k := range y.keys {
			v, ok := x.get(k)
			if !ok {
				return false, nil
			}
			if r, err := containsItem(v, y.vals[i]); !r || err != nil {
				return false, err
			}
		}
		return true, nil
	case *array:
		y, ok := b.(*array)
		if !ok {
			break
		}
		for _, want := range y.items {
			found := false
			for _, v := range x.items {
				if r, err := containsItem(v, want); err == nil && r {
					found = true
					break
				}
			}
			if !found {
				return false, nil
			}
		}
		return true, nil
	case string:
		if y, ok := b.(string); ok {
			return strings.Contains(x, y), nil
		}
	}
	if typeName(a) == typeName(b) {
		return equal(a, b), nil
	}
	return nil, errorf("%s and %s cannot have their containment checked", show(a), show(b))
}

func containsItem(a, b any) (bool, error) {
	if typeName(a) != typeName(b) {
		return false, nil
	}
	r, err := contains(a, b)
	return err == nil && r == true, err
}

func affix(v, a any, name string, f func(s, t string) bool) (any, error) {
	s, ok1 := v.(string)
	t, ok2 := a.(string)
	if !ok1 || !ok2 {
		return nil, errorf("%s() requires string inputs", name)
	}
	return f(s, t), nil
}

func trimAffix(v, a any, left, right bool) (any, error) {
	s, ok1 := v.(string)
	t, ok2 := a.(string)
	if !ok1 || !ok2 {
		return v, nil
	}
	if left {
		s = strings.TrimPrefix(s, t)
	}
	if right {
		s = strings.TrimSuffix(s, t)
	}
	return s, nil
}

func join(v, sep any) (any, error) {
	if a, ok := v.(*array); ok && len(a.items) == 0 {
		return "", nil
	}
	var b strings.Builder
	first := true
	err := each(nil, v, func(_ *path, x any) error {
		if !first {
			s, ok := sep.(string)
			if !ok {
				if sep != nil {
					return opError(b.String(), sep, "added")
				}
			}
			b.WriteString(s)
		}
		first = false
		switch x := x.(type) {
		case nil:
		case string:
			b.WriteString(x)
		case bool, float64, *literal:
			b.WriteString(encode(x))
		default:
			return opError(b.String(), x, "added")
		}
		return nil
	})
	return b.String(), err
}

func split(v, sep any) (any, error) {
	s, ok1 := v.(string)
	t, ok2 := sep.(string)
	if !ok1 || !ok2 {
		return nil, errorf("split input and separator must be strings")
	}
	return splitString(s, t), nil
}

func flatten(v, depth any) (any, error) {
	d, ok := toFloat(depth)
	if !ok {
		return nil, errorf("flatten depth must not be negative")
	}
	if d < 0 {
		return nil, errorf("flatten depth must not be negative")
	}
	var out []any
	var walk func(v any, d float64) error
	walk = func(v any, d float64) error {
		return each(nil, v, func(_ *path, x any) error {
			if a, ok := x.(*array); ok && d > 0 {
				return walk(a, d-1)
			}
			out = append(out, x)
			return nil
		})
	}
	err := walk(v, d)
	return newArray(out), err
}

func indices(v, k any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if t, ok := k.(string); ok {
			return stringIndices(v, t), nil
		}
		return nil, errorf("Cannot determine indices of %s in %s", typeName(k), typeName(v))
	case *array:
		if a, ok := k.(*array); ok {
			return indicesOf(v, a), nil
		}
		return indicesOf(v, newArray([]any{k})), nil
	}
	return index(v, k)
}

func firstIndex(v, k any, last bool) (any, error) {
	r, err := indices(v, k)
	a, ok := r.(*array)
	if err != nil || !ok || len(a.items) == 0 {
		return nil, err
	}
	if last {
		return a.items[len(a.items)-1], nil
	}
	return a.items[0], nil
}

func setpathFunc(v any, a []any) (any, error) {
	p, ok := a[0].(*array)
	if !ok {
		return nil, errorf("Path must be specified as an array")
	}
	if len(p.items) > maxDepth {
		return nil, errorf("Path too deep")
	}
	return setpath(v, p.items, a[1], nil)
}

func delpathsFunc(v any, a []any) (any, error) {
	p, ok := a[0].(*array)
	if !ok {
		return nil, errorf("Paths must be specified as an array")
	}
	return deletePaths(v, p.items)
}

func bsearch(v, want any) (any, error) {
	a, ok := v.(*array)
	if !ok {
		return nil, errorf("%s cannot be searched from", show(v))
	}
	i, found := slices.BinarySearchFunc(a.items, want, compare)
	if found {
		return float64(i), nil
	}
	return float64(-1 - i), nil
}

// describe is used by messages about formats.
func describe(v any, format string, args ...any) error {
	return errorf("%s %s", show(v), fmt.Sprintf(format, args...))
}
