package awk

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// array is an associative array.
//
// "for (k in a)" visits elements in gawk's order, which scripts and their expected output silently depend on. That
// order follows from the layout, so the layout is gawk's: an array that began with a non-negative integer
// keeps such subscripts in dense leaves in ascending order, the rest in an overflow table that is visited first; one that
// began with another integer hashes integers; any other hashes strings.
type array struct {
	mode  mode
	dense dense
	ints  intTable
	strs  strTable
	over  *array // subscripts that the mode does not take
	size  int    // of all elements
}

type mode uint8

const (
	modeEmpty mode = iota
	modeDense
	modeInts
	modeStrs
)

// absent marks a place that holds no element.
const absent = kindCount

// key is a subscript: an integer in canonical form, or a string.
type key struct {
	s     string
	n     int32
	isInt bool
}

func intKey(n int32) key { return key{n: n, isInt: true} }

// stringKey recognises the integers that are written as print writes them.
func stringKey(s string) key {
	if len(s) == 0 || len(s) > 11 || s[0] > '9' {
		return key{s: s}
	}
	digits := s
	if s[0] == '-' {
		digits = s[1:]
	}
	if digits == "" || digits[0] == '0' && len(s) > 1 {
		return key{s: s}
	}
	var v int64
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return key{s: s}
		}
		v = v*10 + int64(digits[i]-'0')
	}
	if s[0] == '-' {
		v = -v
	}
	if v < math.MinInt32 || v > math.MaxInt32 {
		return key{s: s}
	}
	return key{n: int32(v), isInt: true}
}

func (k key) String() string {
	if k.isInt {
		return strconv.Itoa(int(k.n))
	}
	return k.s
}

func newArray() *array { return &array{} }

func (a *array) len() int { return a.size }

// clear removes all elements. The one leaf that a short list has is kept for the next, as split() fills many.
func (a *array) clear() {
	small := a.dense.capacity == 1<<(denseBits/2) && len(a.dense.levels[denseBits]) > 0 && a.dense.levels[denseBits][0] != nil
	if a.mode != modeDense || a.over != nil || !small {
		*a = array{}
		return
	}
	lf := a.dense.levels[denseBits][0]
	for i := range lf.vals {
		lf.vals[i] = value{k: absent}
	}
	lf.used, a.dense.count, a.size = 0, 0, 0
	a.mode = modeEmpty
}

// find returns the element, or nil.
func (a *array) find(k key) *value {
	switch a.mode {
	case modeDense:
		if k.isInt && k.n >= 0 {
			if v := a.dense.find(int(k.n)); v != nil {
				return v
			}
		}
	case modeInts:
		if k.isInt {
			return a.ints.find(k.n)
		}
	case modeStrs:
		return a.strs.find(k.String())
	default:
		return nil
	}
	if a.over == nil {
		return nil
	}
	return a.over.find(k)
}

// atInt is at for a subscript that is a number, which mostly is in the first leaves.
func (a *array) atInt(n int32) *value {
	if a.mode == modeDense && uint32(n) < 1<<denseBits {
		if v := a.dense.find(int(n)); v != nil {
			return v
		}
	}
	return a.at(intKey(n))
}

// at returns the element, making it when there is none.
func (a *array) at(k key) *value {
	if v := a.find(k); v != nil {
		return v
	}
	if a.mode == modeEmpty {
		a.begin(k)
	}
	switch {
	case a.mode == modeStrs:
		a.size++
		return a.strs.insert(strings.Clone(k.String()))
	case a.mode == modeInts && k.isInt:
		a.size++
		return a.ints.insert(k.n)
	case a.mode == modeDense && k.isInt && k.n >= 0 && a.dense.takes(int(k.n)):
		a.size++
		return a.dense.insert(int(k.n))
	}
	if a.over == nil {
		a.over = &array{mode: modeStrs}
		if k.isInt {
			a.over.mode = modeInts
		}
	}
	a.size++
	return a.over.at(k)
}

func (a *array) begin(k key) {
	if !k.isInt || k.n < 0 {
		a.dense = dense{}
	}
	switch {
	case k.isInt && k.n >= 0:
		a.mode = modeDense
	case k.isInt:
		a.mode = modeInts
	default:
		a.mode = modeStrs
	}
}

// remove deletes an element and reports whether there was one.
func (a *array) remove(k key) bool {
	removed := false
	switch {
	case a.mode == modeStrs:
		removed = a.strs.remove(k.String())
	case a.mode == modeInts && k.isInt:
		removed = a.ints.remove(k.n)
	case a.mode == modeDense && k.isInt && k.n >= 0:
		removed = a.dense.remove(int(k.n))
	}
	if !removed && a.over != nil {
		removed = a.over.remove(k)
		if removed && a.over.size == 0 {
			a.over = nil
		}
	}
	if !removed {
		return false
	}
	a.size--
	switch {
	case a.size == 0:
		a.clear()
	case a.over != nil && a.over.size == a.size:
		*a = *a.over
	}
	return true
}

// keys lists the subscripts in the order in which "for in" visits them.
func (a *array) keys() []key {
	return a.appendKeys(make([]key, 0, a.size))
}

func (a *array) appendKeys(ks []key) []key {
	if a.over != nil {
		ks = a.over.appendKeys(ks)
	}
	switch a.mode {
	case modeDense:
		return a.dense.appendKeys(ks)
	case modeInts:
		return a.ints.appendKeys(ks)
	case modeStrs:
		for _, b := range a.strs.buckets {
			for ; b != nil; b = b.next {
				ks = append(ks, key{s: b.key})
			}
		}
	}
	return ks
}

// dense holds non-negative integers in leaves whose size grows with the integers.
type dense struct {
	levels   [32][]*leaf   // by the number of bits of the integer; level 10 takes all below
	large    map[int]*leaf // by base
	count    int
	capacity int
}

type leaf struct {
	base int
	vals []value
	used int
}

const (
	denseBits = 10                   // integers below 1<<denseBits share a level
	denseIdle = 1 << (denseBits + 1) // places that may be empty
	sliceBits = 20                   // from here on leaves are found through a map
)

// level returns the level of n and the binary logarithm of the size of its leaves.
func level(n int) (l, leafBits int) {
	l = max(bits.Len(uint(n)), denseBits)
	b := max(l-1, denseBits)
	for {
		b = (b + 1) / 2
		if b <= denseBits {
			return l, b
		}
	}
}

// place finds the leaf of n within its level.
func place(n int) (l, leafBits, index int) {
	l, leafBits = level(n)
	base := 0
	if n >= 1<<denseBits {
		base = 1 << (l - 1)
	}
	return l, leafBits, (n - base) >> leafBits
}

func (d *dense) leaf(n int) *leaf {
	l, leafBits, i := place(n)
	if l > sliceBits {
		return d.large[n>>leafBits<<leafBits]
	}
	if i >= len(d.levels[l]) {
		return nil
	}
	return d.levels[l][i]
}

func (d *dense) find(n int) *value {
	var lf *leaf
	if n < 1<<denseBits { // nearly always
		const small = denseBits / 2
		if n>>small >= len(d.levels[denseBits]) {
			return nil
		}
		lf = d.levels[denseBits][n>>small]
	} else {
		lf = d.leaf(n)
	}
	if lf == nil {
		return nil
	}
	if v := &lf.vals[n-lf.base]; v.k != absent {
		return v
	}
	return nil
}

// takes reports whether there is room for n without wasting too much.
func (d *dense) takes(n int) bool {
	l, _ := level(n)
	size := max(l-1, denseBits)
	for size >= denseBits {
		size = (size + 1) / 2
	}
	return d.capacity+1<<size-d.count <= denseIdle
}

func (d *dense) insert(n int) *value {
	lf := d.leaf(n)
	if lf == nil {
		lf = d.grow(n)
	}
	v := &lf.vals[n-lf.base]
	*v = value{}
	lf.used++
	d.count++
	return v
}

func (d *dense) grow(n int) *leaf {
	l, leafBits, i := place(n)
	lf := &leaf{base: n >> leafBits << leafBits, vals: make([]value, 1<<leafBits)}
	for j := range lf.vals {
		lf.vals[j].k = absent
	}
	d.capacity += len(lf.vals)
	if l > sliceBits {
		if d.large == nil {
			d.large = map[int]*leaf{}
		}
		d.large[lf.base] = lf
		return lf
	}
	for i >= len(d.levels[l]) {
		d.levels[l] = append(d.levels[l], nil)
	}
	d.levels[l][i] = lf
	return lf
}

func (d *dense) remove(n int) bool {
	v := d.find(n)
	if v == nil {
		return false
	}
	*v = value{k: absent}
	d.count--
	lf := d.leaf(n)
	lf.used--
	if lf.used > 0 {
		return true
	}
	d.capacity -= len(lf.vals)
	l, _, i := place(n)
	if l > sliceBits {
		delete(d.large, lf.base)
	} else {
		d.levels[l][i] = nil
	}
	return true
}

func (d *dense) appendKeys(ks []key) []key {
	for _, level := range d.levels {
		for _, lf := range level {
			ks = lf.appendKeys(ks)
		}
	}
	large := make([]*leaf, 0, len(d.large))
	for _, lf := range d.large {
		large = append(large, lf)
	}
	slices.SortFunc(large, func(a, b *leaf) int { return a.base - b.base })
	for _, lf := range large {
		ks = lf.appendKeys(ks)
	}
	return ks
}

func (lf *leaf) appendKeys(ks []key) []key {
	if lf == nil {
		return ks
	}
	for i := range lf.vals {
		if lf.vals[i].k != absent {
			ks = append(ks, intKey(int32(lf.base+i)))
		}
	}
	return ks
}

// maxChain is the average length of a chain beyond which a table grows.
const maxChain = 2

// tableSizes are the sizes that tables grow through: gawk's, as the order of elements depends on them.
var tableSizes = [...]int{
	13, 127, 1021, 8191, 16381, 32749, 65497, 131101, 262147, 524309, 1048583, 2097169, 4194319, 8388617, 16777259,
	33554467, 67108879, 134217757, 268435459, 536870923, 1073741827,
}

func nextSize(size int) int {
	for _, s := range tableSizes {
		if s > size {
			return s
		}
	}
	return size
}

// strTable is a hash table of strings with chains, the newest element first.
type strTable struct {
	buckets []*strNode
	count   int
}

type strNode struct {
	next *strNode
	key  string
	hash uint32
	val  value
}

// hashString is the sdbm hash over signed bytes.
func hashString(s string) uint32 {
	var h uint32
	for i := range len(s) {
		h = uint32(int32(int8(s[i]))) + h*65599
	}
	return h
}

func (t *strTable) find(s string) *value {
	if len(t.buckets) == 0 {
		return nil
	}
	h := hashString(s)
	for b := t.buckets[h%uint32(len(t.buckets))]; b != nil; b = b.next {
		if b.hash == h && b.key == s {
			return &b.val
		}
	}
	return nil
}

func (t *strTable) insert(s string) *value {
	if len(t.buckets) == 0 {
		t.grow()
	}
	t.count++
	if t.count/len(t.buckets) > maxChain {
		t.grow()
	}
	b := &strNode{key: s, hash: hashString(s)}
	head := &t.buckets[b.hash%uint32(len(t.buckets))]
	b.next, *head = *head, b
	return &b.val
}

func (t *strTable) grow() {
	old := t.buckets
	t.buckets = make([]*strNode, nextSize(len(old)))
	for _, b := range old {
		for b != nil {
			next := b.next
			head := &t.buckets[b.hash%uint32(len(t.buckets))]
			b.next, *head = *head, b
			b = next
		}
	}
}

func (t *strTable) remove(s string) bool {
	if len(t.buckets) == 0 {
		return false
	}
	for at := &t.buckets[hashString(s)%uint32(len(t.buckets))]; *at != nil; at = &(*at).next {
		if (*at).key == s {
			*at = (*at).next
			t.count--
			return true
		}
	}
	return false
}

// intTable is a hash table of integers with chains of pairs.
type intTable struct {
	buckets []*intNode
	count   int
}

type intNode struct {
	next *intNode
	used int
	keys [2]int32
	vals [2]*value
}

// hashInt is the final mixing of Hsieh's hash.
func hashInt(n int32, size int) uint32 {
	k := uint32(n)
	k ^= k << 3
	k += k >> 5
	k ^= k << 4
	k += k >> 17
	k ^= k << 25
	k += k >> 6
	return k % uint32(size)
}

func (t *intTable) find(n int32) *value {
	if len(t.buckets) == 0 {
		return nil
	}
	for b := t.buckets[hashInt(n, len(t.buckets))]; b != nil; b = b.next {
		for i := range b.used {
			if b.keys[i] == n {
				return b.vals[i]
			}
		}
	}
	return nil
}

func (t *intTable) insert(n int32) *value {
	if len(t.buckets) == 0 {
		t.grow()
	}
	t.count++
	if t.count/len(t.buckets) > maxChain {
		t.grow()
	}
	v := new(value)
	t.put(n, v)
	return v
}

func (t *intTable) put(n int32, v *value) {
	head := &t.buckets[hashInt(n, len(t.buckets))]
	if *head == nil || (*head).used == 2 {
		*head = &intNode{next: *head}
	}
	b := *head
	b.keys[b.used], b.vals[b.used] = n, v
	b.used++
}

func (t *intTable) grow() {
	old := t.buckets
	t.buckets = make([]*intNode, nextSize(len(old)))
	for _, b := range old {
		for ; b != nil; b = b.next {
			for i := range b.used {
				t.put(b.keys[i], b.vals[i])
			}
		}
	}
}

func (t *intTable) remove(n int32) bool {
	if len(t.buckets) == 0 {
		return false
	}
	head := &t.buckets[hashInt(n, len(t.buckets))]
	for b := *head; b != nil; b = b.next {
		for i := range b.used {
			if b.keys[i] == n {
				t.take(head, b, i)
				return true
			}
		}
	}
	return false
}

// take removes the i-th element of b. The hole is filled from the head of the chain, which alone may be half full.
func (t *intTable) take(head **intNode, b *intNode, i int) {
	t.count--
	if i == 0 && b.used == 2 {
		b.keys[0], b.vals[0] = b.keys[1], b.vals[1]
	}
	b.used--
	h := *head
	if b != h {
		h.used--
		b.keys[b.used], b.vals[b.used] = h.keys[h.used], h.vals[h.used]
		b.used++
	}
	if h.used == 0 {
		*head = h.next
	}
}

func (t *intTable) appendKeys(ks []key) []key {
	for _, b := range t.buckets {
		for ; b != nil; b = b.next {
			for i := range b.used {
				ks = append(ks, intKey(b.keys[i]))
			}
		}
	}
	return ks
}
