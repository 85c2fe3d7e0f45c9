package shell

import (
	"slices"
	"sort"
)

// indexed is an array with integer subscripts. It is dense (keys nil: 0, 1, 2 …) until a gap is made.
type indexed struct {
	keys []int64
	vals []string
}

func newIndexed(vals []string) *indexed { return &indexed{vals: vals} }

func (a *indexed) clone() *indexed {
	return &indexed{keys: slices.Clone(a.keys), vals: slices.Clone(a.vals)}
}

func (a *indexed) len() int { return len(a.vals) }

// find returns the place of a subscript.
func (a *indexed) find(i int64) (int, bool) {
	if a.keys == nil {
		if i >= 0 && i < int64(len(a.vals)) {
			return int(i), true
		}
		return len(a.vals), false
	}
	return slices.BinarySearch(a.keys, i)
}

func (a *indexed) get(i int64) (string, bool) {
	at, ok := a.find(i)
	if !ok {
		return "", false
	}
	return a.vals[at], true
}

// next returns the subscript after the last.
func (a *indexed) next() int64 {
	if a.keys == nil {
		return int64(len(a.vals))
	}
	if len(a.keys) == 0 {
		return 0
	}
	return a.keys[len(a.keys)-1] + 1
}

func (a *indexed) set(i int64, v string) {
	at, ok := a.find(i)
	if ok {
		a.vals[at] = v
		return
	}
	if a.keys == nil {
		if i == int64(len(a.vals)) {
			a.vals = append(a.vals, v)
			return
		}
		a.sparse()
		at = len(a.keys)
	}
	a.keys = slices.Insert(a.keys, at, i)
	a.vals = slices.Insert(a.vals, at, v)
}

// sparse gives every element an explicit subscript.
func (a *indexed) sparse() {
	a.keys = make([]int64, len(a.vals), len(a.vals)+1)
	for i := range a.keys {
		a.keys[i] = int64(i)
	}
}

func (a *indexed) unset(i int64) {
	at, ok := a.find(i)
	if !ok {
		return
	}
	if a.keys == nil {
		if at == len(a.vals)-1 {
			a.vals = a.vals[:at]
			return
		}
		a.sparse()
	}
	a.keys = slices.Delete(a.keys, at, at+1)
	a.vals = slices.Delete(a.vals, at, at+1)
}

// key returns the subscript of the element at a place.
func (a *indexed) key(at int) int64 {
	if a.keys == nil {
		return int64(at)
	}
	return a.keys[at]
}

// assoc is an associative array. Its elements are listed in the order in which bash's hash table holds them, which
// scripts come to depend on.
type assoc struct {
	vals  map[string]string
	born  map[string]int // when a key was made, for keys in one bucket
	clock int
	order []string // nil when it must be made again
}

func newAssoc() *assoc { return &assoc{vals: map[string]string{}, born: map[string]int{}} }

func (a *assoc) clone() *assoc {
	b := newAssoc()
	b.clock = a.clock
	for k, v := range a.vals {
		b.vals[k] = v
		b.born[k] = a.born[k]
	}
	return b
}

func (a *assoc) set(k, v string) {
	if _, ok := a.vals[k]; !ok {
		a.clock++
		a.born[k] = a.clock
		a.order = nil
	}
	a.vals[k] = v
}

func (a *assoc) unset(k string) {
	if _, ok := a.vals[k]; ok {
		delete(a.vals, k)
		delete(a.born, k)
		a.order = nil
	}
}

// bash's hash table begins with this many buckets and grows fourfold when it holds twice as many entries.
const (
	assocBuckets = 1024
	assocGrowth  = 4
	assocLoad    = 2
)

func bashHash(s string) uint32 {
	const offset, prime = 2166136261, 16777619
	h := uint32(offset)
	for i := 0; i < len(s); i++ {
		h *= prime
		h ^= uint32(int8(s[i]))
	}
	return h
}

// keys lists the keys in bash's order.
func (a *assoc) keys() []string {
	if a.order != nil {
		return a.order
	}
	buckets := uint32(assocBuckets)
	for len(a.vals) >= int(buckets)*assocLoad {
		buckets *= assocGrowth
	}
	type entry struct {
		key    string
		bucket uint32
		born   int
	}
	list := make([]entry, 0, len(a.vals))
	for k := range a.vals {
		list = append(list, entry{k, bashHash(k) & (buckets - 1), a.born[k]})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].bucket != list[j].bucket {
			return list[i].bucket < list[j].bucket
		}
		return list[i].born > list[j].born
	})
	a.order = make([]string, len(list))
	for i, e := range list {
		a.order[i] = e.key
	}
	return a.order
}
