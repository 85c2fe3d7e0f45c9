package json5

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote writes a string as JSON does, so that JSON5 and JSON read it.
func Quote(s string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f || r == '\u2028' || r == '\u2029' || r == '\uFEFF':
			b.WriteString(`\u`)
			for shift := 12; shift >= 0; shift -= 4 {
				b.WriteByte(hex[r>>shift&0xf])
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// style is how a piece of text is written.
type style struct {
	indent  string // of the line that holds the value
	unit    string // one more level
	newline string
	bare    bool // keys without quotes where they can be
	compact bool // short lists of plain values on one line
}

// jsonStyle writes what every JSON reader accepts.
var jsonStyle = style{unit: "  ", newline: "\n"}

// JSON writes a value as JSON, with two spaces a level. JSON has no infinities and no NaN: they become null.
func (n *Node) JSON() string {
	var b strings.Builder
	n.write(&b, jsonStyle, true)
	return b.String()
}

func (n *Node) write(b *strings.Builder, s style, strict bool) {
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Bool:
		b.WriteString(strconv.FormatBool(n.Bool))
	case Number:
		b.WriteString(n.numberText(strict))
	case String:
		b.WriteString(Quote(n.Str))
	case Array:
		if s.compact && n.short() {
			n.writeShort(b, strict)
			return
		}
		writeList(b, s, '[', ']', len(n.Items), func(i int, in style) { n.Items[i].write(b, in, strict) })
	case Object:
		writeList(b, s, '{', '}', len(n.Members), func(i int, in style) {
			b.WriteString(in.key(n.Members[i].Name) + ": ")
			n.Members[i].Value.write(b, in, strict)
		})
	}
}

// maxShortList bounds the text of a list that is written on one line.
const maxShortList = 80

// short reports whether a list holds few and plain values.
func (n *Node) short() bool {
	length := 0
	for _, item := range n.Items {
		if length += len(item.Str) + len(`"", `); item.Kind == Array || item.Kind == Object || length > maxShortList {
			return false
		}
	}
	return true
}

func (n *Node) writeShort(b *strings.Builder, strict bool) {
	b.WriteByte('[')
	for i, item := range n.Items {
		if i > 0 {
			b.WriteString(", ")
		}
		item.write(b, style{}, strict)
	}
	b.WriteByte(']')
}

func writeList(b *strings.Builder, s style, opening, closing byte, n int, element func(int, style)) {
	in := s
	in.indent += s.unit
	b.WriteByte(opening)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.newline + in.indent)
		element(i, in)
	}
	if n > 0 {
		b.WriteString(s.newline + s.indent)
	}
	b.WriteByte(closing)
}

func (s style) key(name string) string {
	if _, width := identifier(name); s.bare && width > 0 && width == len(name) && !strings.Contains(name, `\`) && utf8.ValidString(name) {
		return name
	}
	return Quote(name)
}

// numberText is the number as it was written, or as JSON has it.
func (n *Node) numberText(strict bool) string {
	if !strict {
		return n.Str
	}
	if v, ok := n.Int64(); ok {
		return strconv.FormatInt(v, 10)
	}
	v := n.Float64()
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "null"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
