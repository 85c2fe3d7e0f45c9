package jq

import (
	"strconv"
	"unicode/utf8"
)

// style says how values are written.
type style struct {
	indent  int  // per level; -1 compact
	tab     bool // indent with tabs
	sort    bool // keys
	ascii   bool
	colors  *colors
	compact bool
}

// canCopy reports whether values can be written in this style while they are read.
func (st *style) canCopy() bool { return !st.sort && st.colors == nil }

// encode is the compact text of a value.
func encode(v any) string {
	if s, ok := v.(string); ok {
		return string(appendString(make([]byte, 0, len(s)+2), s, false))
	}
	return string(appendValue(nil, v, &style{compact: true}, 0))
}

// appendValue writes a value.
func appendValue(dst []byte, v any, st *style, depth int) []byte {
	if depth > maxDepth {
		return append(dst, "<skipped: too deep>"...)
	}
	if st.colors != nil {
		return appendColored(dst, v, st, depth)
	}
	switch v := v.(type) {
	case *array:
		return appendArray(dst, v, st, depth)
	case *object:
		return appendObject(dst, v, st, depth)
	}
	return appendScalar(dst, v, st)
}

func appendScalar(dst []byte, v any, st *style) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case float64:
		return appendFloat(dst, v)
	case *literal:
		return append(dst, v.text...)
	case string:
		return appendString(dst, v, st.ascii)
	}
	return dst
}

func (st *style) newline(dst []byte, depth int) []byte {
	if st.compact {
		return dst
	}
	dst = append(dst, '\n')
	if st.tab {
		for range depth {
			dst = append(dst, '\t')
		}
		return dst
	}
	for range depth * st.indent {
		dst = append(dst, ' ')
	}
	return dst
}

func appendArray(dst []byte, a *array, st *style, depth int) []byte {
	if len(a.items) == 0 {
		return append(dst, "[]"...)
	}
	dst = append(dst, '[')
	for i, v := range a.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = st.newline(dst, depth+1)
		dst = appendValue(dst, v, st, depth+1)
	}
	dst = st.newline(dst, depth)
	return append(dst, ']')
}

func appendObject(dst []byte, o *object, st *style, depth int) []byte {
	if len(o.keys) == 0 {
		return append(dst, "{}"...)
	}
	dst = append(dst, '{')
	var order []int
	if st.sort {
		order = o.sortedIndex()
	}
	for i := range o.keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		at := i
		if order != nil {
			at = order[i]
		}
		dst = st.newline(dst, depth+1)
		dst = appendString(dst, o.keys[at], st.ascii)
		dst = append(dst, ':')
		if !st.compact {
			dst = append(dst, ' ')
		}
		dst = appendValue(dst, o.vals[at], st, depth+1)
	}
	dst = st.newline(dst, depth)
	return append(dst, '}')
}

const hexDigits = "0123456789abcdef"

// appendString writes a string with its escapes. A byte that is no UTF-8 is written as U+FFFD.
func appendString(dst []byte, s string, ascii bool) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		size := 1
		r := rune(c)
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if !ascii && (r != utf8.RuneError || size != 1) {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, r, ascii)
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, r rune, ascii bool) []byte {
	switch r {
	case '"':
		return append(dst, '\\', '"')
	case '\\':
		return append(dst, '\\', '\\')
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	switch {
	case r >= 0x10000:
		const surrogate, low = 0xd800, 0xdc00
		r -= 0x10000
		dst = appendUnicode(dst, surrogate+(r>>10))
		return appendUnicode(dst, low+(r&0x3ff))
	case r > 0x7f && !ascii:
		return utf8.AppendRune(dst, r)
	}
	return appendUnicode(dst, r)
}

func appendUnicode(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
