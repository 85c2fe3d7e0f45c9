package jq

import "slices"

// quick reads the values that nearly all are: whole in the buffer, and without mistakes. It keeps what is needed of them and
// checks the rest, and can copy them to text at the same time. Whatever is unusual it leaves to the decoder, which starts again at
// the beginning of the value and knows how to complain; so it never has to say why it gave up.
type quick struct {
	b      []byte
	d      *decoder
	style  *style // of the copy; nil: make none
	text   []byte // the copy
	keys   int    // of the decoder's stack, in use before
	values int
}

// Where the text ends that cannot be read. Other ends are offsets in the buffer.
const (
	unusual    = -1 // it is left to the decoder
	incomplete = -2 // more of it is needed
)

const (
	// quickDepth bounds how deeply what is read here nests.
	quickDepth = 64
	// quickTries bounds how often a value is begun again after more of it has been read.
	quickTries = 8
	// shapeSlots is at how many levels of nesting the keys of the last object are remembered, for the next one to share.
	shapeSlots = 8
	// fewKeys is up to how many keys are compared with each other to find the same twice.
	fewKeys = 16
)

// quick reads the array or object at the decoder's position, and copies it to the decoder's text if it is given a style.
func (d *decoder) quick(n *need, st *style) (any, bool) {
	if d.unusual || d.depth+quickDepth > maxDepth {
		return nil, false
	}
	for range quickTries {
		q := quick{b: d.buf, d: d, style: st, text: d.text[:0], keys: len(d.keys), values: len(d.stack)}
		v, end := q.value(d.pos, n, 0)
		if st != nil {
			d.text = q.text
		}
		if end >= 0 {
			d.pos = end
			return v, true
		}
		d.keys, d.stack = d.keys[:q.keys], d.stack[:q.values]
		if end == unusual || d.eof {
			d.unusual = true
			return nil, false
		}
		if !d.more() {
			return nil, false
		}
	}
	return nil, false
}

// value reads a value, of which n is needed, and returns where it ends.
func (q *quick) value(i int, n *need, depth int) (any, int) {
	if n == nil && q.style == nil {
		return nil, skip(q.b, i)
	}
	i = skipBlanks(q.b, i)
	if i == len(q.b) {
		return nil, incomplete
	}
	switch q.b[i] {
	case '{':
		return q.object(i+1, n, depth)
	case '[':
		return q.array(i+1, n, depth)
	case '"':
		return q.string(i+1, n)
	}
	return q.scalar(i, n)
}

// scalar reads a number or a word.
func (q *quick) scalar(i int, n *need) (any, int) {
	b := q.b
	end := i
	for end < len(b) && class[b[end]]&tokenByte != 0 {
		end++
	}
	switch {
	case end == len(b):
		return nil, incomplete
	case end == i:
		return nil, unusual
	}
	if q.style != nil && isPlainInteger(b[i:end]) {
		q.text = append(q.text, b[i:end]...)
		if n == nil {
			return nil, end
		}
	}
	var v any
	switch token := b[i:end]; string(token) {
	case "null":
	case "true":
		v = true
	case "false":
		v = false
	default:
		if !isNumber(token) {
			return nil, unusual
		}
		if f, ok := smallInteger(token); ok {
			v = f
			break
		}
		var ok bool
		if v, ok = parseJSONNumber(string(token)); !ok {
			return nil, unusual
		}
	}
	if q.style != nil && !isPlainInteger(b[i:end]) {
		q.text = appendScalar(q.text, v, q.style)
	}
	return v, end
}

// isPlainInteger recognises integers that are written as they are read.
func isPlainInteger(b []byte) bool {
	if len(b) == 0 || len(b) > exactDigits || b[0] == '0' && len(b) > 1 {
		return false
	}
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// string reads a string after its opening quote.
func (q *quick) string(i int, n *need) (any, int) {
	end, plain := stringEnd(q.b, i)
	if end < 0 {
		return nil, end
	}
	s := q.b[i:end]
	switch {
	case q.style == nil:
	case plain:
		q.text = append(q.text, q.b[i-1:end+1]...)
	default:
		s = q.unescape(i)
		q.text = appendString(q.text, string(s), q.style.ascii)
	}
	if n == nil {
		return nil, end + 1
	}
	if !plain && q.style == nil {
		s = q.unescape(i)
	}
	return string(s), end + 1
}

// unescape is what a string stands for that stringEnd has checked.
func (q *quick) unescape(i int) []byte {
	d := q.d
	at := d.pos
	d.pos = i
	s, _ := d.string()
	d.pos = at
	return s
}

func (q *quick) array(i int, n *need, depth int) (any, int) {
	if depth == quickDepth {
		return nil, unusual
	}
	b, d, st := q.b, q.d, q.style
	var elements *need
	if n != nil {
		elements = n.elements()
	}
	if elements == nil && st == nil {
		return newArray(nil), skip(b, i-1)
	}
	base := len(d.stack)
	i = skipBlanks(b, i)
	if i < len(b) && b[i] == ']' {
		if st != nil {
			q.text = append(q.text, "[]"...)
		}
		return newArray(nil), i + 1
	}
	if st != nil {
		q.text = st.newline(append(q.text, '['), depth+1)
	}
	for {
		v, end := q.value(i, elements, depth+1)
		if end < 0 {
			return nil, end
		}
		if elements != nil {
			d.stack = append(d.stack, v)
		}
		i = skipBlanks(b, end)
		switch {
		case i == len(b):
			return nil, incomplete
		case b[i] == ']':
			if st != nil {
				q.text = append(st.newline(q.text, depth), ']')
			}
			if n == nil {
				return nil, i + 1
			}
			return newArray(d.pop(base)), i + 1
		case b[i] != ',':
			return nil, unusual
		}
		i++
		if st != nil {
			q.text = st.newline(append(q.text, ','), depth+1)
		}
	}
}

// members are the keys of an object that is being read, and their values. As long as the keys are those of the object before,
// only their number is kept.
type members struct {
	shape []string // the keys of the object before
	same  int      // how many of them this object has, in their order
	other bool     // it has others as well; all its keys are on the decoder's stack
	base  int      // of the stacks
	vals  int
}

func (d *decoder) members(depth int) members {
	return members{shape: d.shapes[depth%shapeSlots], base: len(d.keys), vals: len(d.stack)}
}

// addKey adds a key.
func (m *members) addKey(d *decoder, key []byte) {
	if !m.other {
		if m.same < len(m.shape) && m.shape[m.same] == string(key) {
			m.same++
			return
		}
		m.other = true
		d.keys = append(d.keys, m.shape[:m.same]...)
	}
	d.keys = append(d.keys, d.intern(key))
}

// list returns the keys, and whether some are the same; it takes them off the stack.
func (m *members) list(d *decoder, depth int) (keys []string, twice bool) {
	if !m.other {
		return m.shape[:m.same:m.same], false
	}
	keys = slices.Clone(d.keys[m.base:])
	d.keys = d.keys[:m.base]
	if hasTwice(keys) {
		return keys, true
	}
	d.shapes[depth%shapeSlots] = keys
	return keys[:len(keys):len(keys)], false
}

func hasTwice(keys []string) bool {
	if len(keys) > fewKeys {
		sorted := slices.Sorted(slices.Values(keys))
		return len(slices.Compact(sorted)) < len(keys)
	}
	for i, k := range keys {
		if slices.Contains(keys[:i], k) {
			return true
		}
	}
	return false
}

func (q *quick) object(i int, n *need, depth int) (any, int) {
	if depth == quickDepth {
		return nil, unusual
	}
	b, d, st := q.b, q.d, q.style
	if n != nil && n.typeOnly() {
		if st == nil {
			return newObject(0), skip(b, i-1)
		}
		_, end := q.object(i, nil, depth)
		return newObject(0), end
	}
	i = skipBlanks(b, i)
	if i < len(b) && b[i] == '}' {
		if st != nil {
			q.text = append(q.text, "{}"...)
		}
		return newObject(0), i + 1
	}
	if st != nil {
		q.text = st.newline(append(q.text, '{'), depth+1)
	}
	m := d.members(depth)
	for {
		if i == len(b) {
			return nil, incomplete
		}
		if b[i] != '"' {
			return nil, unusual
		}
		member, end := q.key(i+1, n, &m)
		if end < 0 {
			return nil, end
		}
		v, end := q.value(end, member, depth+1)
		if end < 0 {
			return nil, end
		}
		if n != nil && (member != nil || st != nil) {
			d.stack = append(d.stack, v)
		}
		i = skipBlanks(b, end)
		switch {
		case i == len(b):
			return nil, incomplete
		case b[i] == '}':
			return q.endObject(i+1, n, &m, depth)
		case b[i] != ',':
			return nil, unusual
		}
		i = skipBlanks(b, i+1)
		if st != nil {
			q.text = st.newline(append(q.text, ','), depth+1)
		}
	}
}

// key reads a key after its opening quote, and the colon. It returns what is needed of its value and where that begins. A copied
// object has all its keys, so that none is copied twice.
func (q *quick) key(i int, n *need, m *members) (*need, int) {
	end, plain := stringEnd(q.b, i)
	if end < 0 {
		return nil, end
	}
	key := q.b[i:end]
	if !plain {
		key = q.unescape(i)
	}
	var member *need
	if n != nil {
		member = n.member(key)
	}
	if member != nil || q.style != nil {
		m.addKey(q.d, key)
	}
	if q.style != nil {
		if plain {
			q.text = append(q.text, q.b[i-1:end+1]...)
		} else {
			q.text = appendString(q.text, string(key), q.style.ascii)
		}
		q.text = append(q.text, ':')
		if !q.style.compact {
			q.text = append(q.text, ' ')
		}
	}
	i = skipBlanks(q.b, end+1)
	switch {
	case i == len(q.b):
		return nil, incomplete
	case q.b[i] != ':':
		return nil, unusual
	}
	return member, i + 1
}

func (q *quick) endObject(i int, n *need, m *members, depth int) (any, int) {
	d := q.d
	keys, twice := m.list(d, depth)
	if q.style != nil {
		if twice {
			return nil, unusual // the last value counts, which has the place of the first
		}
		q.text = append(q.style.newline(q.text, depth), '}')
	}
	if n == nil {
		return nil, i
	}
	if twice {
		o := objectOf(keys, d.stack[m.vals:])
		d.stack = d.stack[:m.vals]
		return o, i
	}
	return &object{keys: keys, vals: d.pop(m.vals)}, i
}
