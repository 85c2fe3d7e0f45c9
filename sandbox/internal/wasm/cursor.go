package wasm

import "unicode/utf8"

// cursor reads a byte slice from front to back. Its error is sticky: after the
// first failure every read yields zero and nothing moves, so callers check once.
type cursor struct {
	b    []byte
	pos  int
	base int // offset of b[0] in the module, for error positions
	err  error
	at   int // module offset of the failure
}

func (c *cursor) remaining() int { return len(c.b) - c.pos }

func (c *cursor) offset() int { return c.base + c.pos }

func (c *cursor) fail(err error) {
	if c.err != nil {
		return
	}
	c.err, c.at = err, c.offset()
	c.pos = len(c.b)
}

func (c *cursor) byte() byte {
	if c.pos >= len(c.b) {
		c.fail(malformed("unexpected end"))
		return 0
	}
	v := c.b[c.pos]
	c.pos++
	return v
}

// take returns the next n bytes without copying them.
func (c *cursor) take(n int) []byte {
	if n < 0 || n > c.remaining() {
		c.fail(malformed("%d bytes wanted, %d left", n, c.remaining()))
		return nil
	}
	s := c.b[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return s
}

func (c *cursor) u32() uint32 {
	if c.pos < len(c.b) && c.b[c.pos] < 0x80 {
		v := c.b[c.pos]
		c.pos++
		return uint32(v)
	}
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		b := c.byte()
		if c.err != nil {
			return 0
		}
		if shift == 28 && b > 0x0f {
			break
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	c.fail(malformed("integer too long for 32 bits"))
	return 0
}

// signed reads a signed LEB128 of at most bits bits.
func (c *cursor) signed(bits int) int64 {
	var v int64
	for shift := 0; shift < bits; shift += 7 {
		b := c.byte()
		if c.err != nil {
			return 0
		}
		v |= int64(b&0x7f) << shift
		if left := bits - shift; left < 7 && !signExtended(b, left) {
			break
		}
		if b < 0x80 {
			return v << max(0, 57-shift) >> max(0, 57-shift)
		}
	}
	c.fail(malformed("integer too long for %d bits", bits))
	return 0
}

// signExtended reports whether a final LEB128 byte ends the number and its
// unused bits all equal the sign bit.
func signExtended(b byte, used int) bool {
	if b >= 0x80 {
		return false
	}
	top := int8(b<<1) >> used // the sign bit and all unused bits, sign-extended
	return top == 0 || top == -1
}

// count reads the length of a vector whose items take at least itemSize bytes,
// and refuses one that the remaining bytes cannot hold.
func (c *cursor) count(itemSize int) int {
	n := c.u32()
	if c.err == nil && int64(n)*int64(itemSize) > int64(c.remaining()) {
		c.fail(malformed("%d items declared, %d bytes left", n, c.remaining()))
		return 0
	}
	return int(n)
}

func (c *cursor) name() string {
	b := c.take(c.count(1))
	if !utf8.Valid(b) {
		c.fail(malformed("name is not UTF-8"))
		return ""
	}
	return string(b)
}

func (c *cursor) valueType() ValueType {
	t := ValueType(c.byte())
	if c.err == nil && !t.valid() {
		c.fail(badType(t))
	}
	return t
}

func (c *cursor) refType() ValueType {
	t := ValueType(c.byte())
	if c.err == nil && !t.IsReference() {
		c.fail(badType(t))
	}
	return t
}

// badType tells types of later proposals from nonsense.
func badType(t ValueType) error {
	if t >= 0x62 && t <= 0x78 {
		return unsupported("type 0x%02x (garbage collection, typed references or exceptions)", byte(t))
	}
	return malformed("0x%02x is not a type", byte(t))
}
