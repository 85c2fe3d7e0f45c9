package jq

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const readSize = 64 << 10

// maxRead bounds what is read ahead of a value for the quick reader.
const maxRead = 1 << 20

// nameSlots is how many keys are remembered.
const nameSlots = 256

// decoder reads JSON values one after the other from a stream.
type decoder struct {
	src     io.Reader
	buf     []byte
	pos     int
	counted int // bytes of buf that lines and col account for
	eof     bool
	err     error // of the stream
	lines   int   // newlines so far
	col     int   // bytes of the current line so far
	depth   int
	begun   bool              // a byte order mark has been looked for
	names   [nameSlots]string // keys seen before, so that they are allocated once
	scratch []byte
	stack   []any // items of the arrays and values of the objects that are being read
	keys    []string

	need    *need  // what of the values is wanted
	copying *style // copy each value to text while it is read, in this style; nil: do not
	text    []byte
	copied  bool // text is the last value
	unusual bool // the value that is being read is nothing for the quick reader
	shapes  [shapeSlots][]string
}

func newDecoder(src io.Reader) *decoder { return &decoder{src: src, need: needAll()} }

// newTextDecoder reads values from b.
func newTextDecoder(b []byte) *decoder { return &decoder{buf: b, eof: true, need: needAll()} }

func decodeString(s string) (any, error) {
	d := newTextDecoder([]byte(s))
	v, err := d.next()
	if err == io.EOF {
		err = complain("Expected JSON value")
	}
	if err != nil {
		return nil, fmt.Errorf("%w (while parsing '%s')", err, s)
	}
	if d.blanks() {
		return nil, complain("Unexpected extra JSON values (while parsing '%s')", s)
	}
	return v, nil
}

// fill reads more, in place of what has been read; false at the end.
func (d *decoder) fill() bool {
	d.pos = len(d.buf)
	return d.more()
}

// more reads more behind what has not been read yet; false when there is none, or no room for it.
func (d *decoder) more() bool {
	if d.eof {
		return false
	}
	d.countLines()
	rest := copy(d.buf, d.buf[d.pos:])
	d.buf, d.pos, d.counted = d.buf[:rest], 0, 0
	if rest == cap(d.buf) {
		if rest >= maxRead {
			return false
		}
		d.buf = slices.Grow(d.buf, max(readSize, rest))
	}
	for {
		n, err := d.src.Read(d.buf[rest:cap(d.buf)])
		d.buf = d.buf[:rest+n]
		if err != nil {
			d.eof = true
			if err != io.EOF {
				d.err = err
			}
			return n > 0
		}
		if n > 0 {
			return true
		}
	}
}

// countLines brings lines and col up to date.
func (d *decoder) countLines() {
	seen := d.buf[d.counted:d.pos]
	d.counted = d.pos
	last := bytes.LastIndexByte(seen, '\n')
	if last < 0 {
		d.col += len(seen)
		return
	}
	d.lines += bytes.Count(seen, []byte{'\n'})
	d.col = len(seen) - last - 1
}

// linesRead is how many lines have been read when the one that is being read is read to its end.
func (d *decoder) linesRead() int {
	d.countLines()
	if d.col == 0 {
		return d.lines
	}
	for from := d.pos; ; {
		if bytes.IndexByte(d.buf[from:], '\n') >= 0 {
			return d.lines + 1
		}
		ahead := len(d.buf) - d.pos
		if !d.more() {
			return d.lines
		}
		from = d.pos + ahead
	}
}

func (d *decoder) peek() (byte, bool) {
	if d.pos == len(d.buf) && !d.fill() {
		return 0, false
	}
	return d.buf[d.pos], true
}

// blanks skips white space and reports whether something follows. A record separator counts as white space.
func (d *decoder) blanks() bool {
	for {
		for d.pos < len(d.buf) {
			if class[d.buf[d.pos]]&blankByte == 0 {
				return true
			}
			d.pos++
		}
		if !d.fill() {
			return false
		}
	}
}

// fail makes an error with the place it is at.
func (d *decoder) fail(format string, args ...any) error {
	d.countLines()
	return fmt.Errorf("%s at line %d, column %d", fmt.Sprintf(format, args...), d.lines+1, d.col)
}

func (d *decoder) failEOF(format string, args ...any) error {
	d.countLines()
	return fmt.Errorf("%s at EOF at line %d, column %d", fmt.Sprintf(format, args...), d.lines+1, d.col)
}

// next returns the next value, or io.EOF.
func (d *decoder) next() (any, error) {
	d.byteOrderMark()
	if !d.blanks() {
		if d.err != nil {
			return nil, d.err
		}
		return nil, io.EOF
	}
	d.unusual, d.copied = false, false
	if d.copying != nil {
		return d.copy()
	}
	return d.value(d.need)
}

// copy reads a value and copies it to text, if it is an array or object.
func (d *decoder) copy() (any, error) {
	if c := d.buf[d.pos]; c == '[' || c == '{' {
		if v, ok := d.quick(d.need, d.copying); ok {
			d.copied = true
			return v, nil
		}
	}
	return d.value(needAll())
}

// byteOrderMark skips a UTF-8 byte order mark at the very beginning.
func (d *decoder) byteOrderMark() {
	const mark = "\xef\xbb\xbf"
	if d.begun {
		return
	}
	d.begun = true
	for len(d.buf) < len(mark) && strings.HasPrefix(mark, string(d.buf)) && d.more() {
	}
	d.pos = len(d.buf) - len(bytes.TrimPrefix(d.buf, []byte(mark)))
}

// value reads a value, of which what is needed is kept.
func (d *decoder) value(n *need) (any, error) {
	c, ok := d.peek()
	if !ok {
		return nil, d.failEOF("Unfinished JSON term")
	}
	switch c {
	case '"':
		d.pos++
		b, err := d.string()
		return string(b), err
	case '[':
		if v, ok := d.quick(n, nil); ok {
			return v, nil
		}
		d.pos++
		return d.array(n)
	case '{':
		if v, ok := d.quick(n, nil); ok {
			return v, nil
		}
		d.pos++
		return d.object(n)
	}
	return d.token()
}

func (d *decoder) enter() error {
	d.depth++
	if d.depth > maxDepth {
		return d.fail("Exceeds depth limit for parsing")
	}
	return nil
}

// array reads an array after its opening bracket. After an error nothing more is read, so that nothing is tidied up.
func (d *decoder) array(n *need) (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	base := len(d.stack)
	var elements *need
	if n != nil {
		elements = n.elements()
	}
	for first := true; ; first = false {
		if !d.blanks() {
			return nil, d.failEOF("Unfinished JSON term")
		}
		c := d.buf[d.pos]
		if c == ']' && first {
			d.pos++
			d.depth--
			return newArray(nil), nil
		}
		if err := d.expectValue(c); err != nil {
			return nil, err
		}
		v, err := d.value(elements)
		if err != nil {
			return nil, err
		}
		if elements != nil {
			d.stack = append(d.stack, v)
		}
		if !d.blanks() {
			return nil, d.failEOF("Unfinished JSON term")
		}
		switch c := d.buf[d.pos]; c {
		case ',':
			d.pos++
		case ']':
			d.pos++
			d.depth--
			return newArray(d.pop(base)), nil
		case '}':
			d.pos++
			return nil, d.fail("Unmatched '}'")
		case ':':
			d.pos++
			return nil, d.fail("':' not as part of an object")
		default:
			return nil, d.misplaced("Expected separator between values")
		}
	}
}

// expectValue refuses punctuation where a value must begin.
func (d *decoder) expectValue(c byte) error {
	switch c {
	case ']', '}', ',', ':':
		d.pos++
		switch c {
		case ',':
			return d.fail("Expected value before ','")
		case ':':
			return d.fail("Expected string key before ':'")
		case ']':
			return d.fail("Expected another array element")
		}
		return d.fail("Unmatched '}'")
	}
	return nil
}

// pop takes the values from base on off the stack.
func (d *decoder) pop(base int) []any {
	items := slices.Clone(d.stack[base:])
	d.stack = d.stack[:base]
	return items
}

// object reads an object after its opening brace.
func (d *decoder) object(n *need) (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	base, keyBase := len(d.stack), len(d.keys)
	for first := true; ; first = false {
		if !d.blanks() {
			return nil, d.failEOF("Unfinished JSON term")
		}
		c := d.buf[d.pos]
		if c == '}' && first {
			d.pos++
			d.depth--
			return newObject(0), nil
		}
		if c != '"' {
			if strings.IndexByte("}],:", c) >= 0 {
				d.pos++
				return nil, d.fail("Objects must consist of key:value pairs")
			}
			return nil, d.misplaced("Object keys must be strings")
		}
		d.pos++
		b, err := d.string()
		if err != nil {
			return nil, err
		}
		k := d.intern(b)
		var member *need
		if n != nil {
			member = n.member(b)
		}
		if err := d.colon(); err != nil {
			return nil, err
		}
		v, err := d.value(member)
		if err != nil {
			return nil, err
		}
		if member != nil {
			d.keys, d.stack = append(d.keys, k), append(d.stack, v)
		}
		done, err := d.separator()
		if err != nil {
			return nil, err
		}
		if done {
			o := objectOf(d.keys[keyBase:], d.stack[base:])
			d.depth--
			d.stack, d.keys = d.stack[:base], d.keys[:keyBase]
			return o, nil
		}
	}
}

func (d *decoder) colon() error {
	if !d.blanks() {
		return d.failEOF("Unfinished JSON term")
	}
	if c := d.buf[d.pos]; c != ':' {
		if strings.IndexByte("}],", c) < 0 {
			return d.misplaced("Expected separator between values")
		}
		d.pos++
		return d.fail("Objects must consist of key:value pairs")
	}
	d.pos++
	if !d.blanks() {
		return d.failEOF("Unfinished JSON term")
	}
	return d.expectValue(d.buf[d.pos])
}

// separator reads what follows a value of an object.
func (d *decoder) separator() (done bool, err error) {
	if !d.blanks() {
		return false, d.failEOF("Unfinished JSON term")
	}
	c := d.buf[d.pos]
	d.pos++
	switch c {
	case ',':
		return false, nil
	case '}':
		return true, nil
	case ']':
		return false, d.fail("Unmatched ']'")
	}
	d.pos--
	return false, d.misplaced("Expected separator between values")
}

// misplaced reads the value that stands where none may, and then complains of it: so the place in the message is its end.
func (d *decoder) misplaced(what string) error {
	switch d.buf[d.pos] {
	case '[', '{':
		d.pos++
		return d.fail("%s", what)
	case '"':
		d.pos++
		if _, err := d.string(); err != nil {
			return err
		}
		return d.fail("%s", what)
	}
	if _, err := d.token(); err != nil {
		return err
	}
	if _, ok := d.peek(); !ok {
		return d.failEOF("%s", what)
	}
	d.pos++
	return d.fail("%s", what)
}

func (d *decoder) intern(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	slot := &d.names[(uint(len(b))*31+uint(b[0])*7+uint(b[len(b)-1]))%nameSlots]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}

// objectOf makes an object of keys and values; of equal keys the last value counts.
func objectOf(keys []string, vals []any) *object {
	o := newObject(len(keys))
	for i, k := range keys {
		o.set(k, vals[i])
	}
	return o
}

// string reads a string after its opening quote. The result is valid until the next call.
func (d *decoder) string() ([]byte, error) {
	start := d.pos
	ascii := byte(0)
	for i := start; i < len(d.buf); i++ { // the usual string: in the buffer as a whole, without escapes
		c := d.buf[i]
		ascii |= c
		if c == '"' {
			d.pos = i + 1
			if s := d.buf[start:i]; ascii < utf8.RuneSelf || utf8.Valid(s) {
				return s, nil
			}
			d.scratch = append(d.scratch[:0], strings.ToValidUTF8(string(d.buf[start:i]), "\uFFFD")...)
			return d.scratch, nil
		}
		if c == '\\' {
			break
		}
	}
	d.scratch = d.scratch[:0]
	for {
		c, ok := d.peek()
		if !ok {
			return nil, d.failEOF("Unfinished string")
		}
		d.pos++
		switch c {
		case '"':
			if !utf8.Valid(d.scratch) {
				d.scratch = []byte(strings.ToValidUTF8(string(d.scratch), "\uFFFD"))
			}
			return d.scratch, nil
		case '\\':
			if err := d.escape(); err != nil {
				return nil, err
			}
		default:
			d.scratch = append(d.scratch, c)
		}
	}
}

func (d *decoder) escape() error {
	c, ok := d.peek()
	if !ok {
		return d.failEOF("Unfinished string")
	}
	d.pos++
	if c == 'u' {
		return d.unicode()
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		return d.fail("Invalid escape")
	}
	d.scratch = append(d.scratch, "\"\\/\b\f\n\r\t"[i])
	return nil
}

func hexDigit(c byte) (int, bool) {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0'), true
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10, true
	}
	return 0, false
}

func (d *decoder) hex4() (rune, error) {
	var r rune
	for range 4 {
		c, ok := d.peek()
		if !ok {
			return 0, d.failEOF("Unfinished string")
		}
		i, ok := hexDigit(c)
		if !ok {
			return 0, d.fail("Invalid escape")
		}
		d.pos++
		r = r<<4 | rune(i)
	}
	return r, nil
}

// unicode reads \uXXXX; halves of surrogate pairs that stand alone become U+FFFD.
func (d *decoder) unicode() error {
	const high, low, end = 0xd800, 0xdc00, 0xe000
	r, err := d.hex4()
	if err != nil {
		return err
	}
	for r >= high && r < low {
		if c, ok := d.peek(); !ok || c != '\\' {
			break
		}
		d.pos++
		if c, ok := d.peek(); !ok || c != 'u' {
			d.scratch = utf8.AppendRune(d.scratch, utf8.RuneError)
			return d.escape()
		}
		d.pos++
		second, err := d.hex4()
		if err != nil {
			return err
		}
		if second >= low && second < end {
			r = (r-high)<<10 | (second - low) + 0x10000
			break
		}
		d.scratch = utf8.AppendRune(d.scratch, utf8.RuneError)
		r = second
	}
	if r >= high && r < end {
		r = utf8.RuneError
	}
	d.scratch = utf8.AppendRune(d.scratch, r)
	return nil
}

// token reads a number or a word.
func (d *decoder) token() (any, error) {
	start := d.pos
	i := start
	for i < len(d.buf) && class[d.buf[i]]&tokenByte != 0 {
		i++
	}
	d.pos = i
	b := d.buf[start:i]
	if i == len(d.buf) && !d.eof {
		d.scratch = append(d.scratch[:0], b...)
		for {
			c, ok := d.peek()
			if !ok || class[c]&tokenByte == 0 {
				break
			}
			d.scratch = append(d.scratch, c)
			d.pos++
		}
		b = d.scratch
	}
	if len(b) == 0 {
		c := d.buf[d.pos]
		d.pos++
		switch c {
		case ']', '}':
			return nil, d.fail("Unmatched '%c'", c)
		case ',':
			return nil, d.fail("Expected value before ','")
		case ':':
			return nil, d.fail("':' not as part of an object")
		}
		return nil, d.fail("Invalid string literal; expected \", but got %c", c)
	}
	return d.word(b)
}

func (d *decoder) word(b []byte) (any, error) {
	if c := b[0]; isDigit(c) || c == '-' || c == '.' || c == '+' {
		if v, ok := parseJSONNumber(string(b)); ok {
			return v, nil
		}
	}
	switch string(b) {
	case "null":
		return nil, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "nan", "NaN", "-nan", "-NaN":
		return math.NaN(), nil
	case "Infinity", "infinity", "+Infinity":
		return math.Inf(1), nil
	case "-Infinity", "-infinity":
		return math.Inf(-1), nil
	}
	what := "Invalid numeric literal"
	if strings.IndexByte("ntf", b[0]) >= 0 && len(b) > 1 && b[1] != 'a' {
		what = "Invalid literal"
	}
	if _, ok := d.peek(); !ok {
		return nil, d.failEOF("%s", what)
	}
	d.pos++
	return nil, d.fail("%s", what)
}

// parseJSONNumber reads a number as leniently as jq: with a plus sign, leading zeros, without digits on one side of the point.
func parseJSONNumber(s string) (any, bool) {
	if n, ok := smallInteger(s); ok {
		return n, true
	}
	t := strings.TrimPrefix(s, "+")
	digits := strings.TrimPrefix(t, "-")
	if digits == "" || strings.Trim(digits, "0123456789.eE+-") != "" || digits[0] == '+' || digits[0] == '-' {
		return nil, false
	}
	if digits[0] == '.' {
		t = strings.Replace(t, ".", "0.", 1)
	}
	return parseNumber(t)
}
