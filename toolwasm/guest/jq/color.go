package jq

import "strings"

// colors are the escape sequences of the kinds of values, in the order of JQ_COLORS.
type colors [8]string

const colorReset = "\x1b[0m"

// The fields of JQ_COLORS.
const (
	colorNull = iota
	colorFalse
	colorTrue
	colorNumber
	colorString
	colorArray
	colorObject
	colorKey
)

// parseColors reads JQ_COLORS over the defaults.
func parseColors(spec string) *colors {
	c := colors{"0;90", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "34;1"}
	if strings.Trim(spec, "0123456789;:") == "" {
		for i, f := range strings.Split(spec, ":") {
			if i < len(c) && spec != "" {
				c[i] = f
			}
		}
	}
	for i, f := range c {
		c[i] = "\x1b[" + f + "m"
	}
	return &c
}

func (c *colors) of(v any) string {
	switch v := v.(type) {
	case nil:
		return c[colorNull]
	case bool:
		if v {
			return c[colorTrue]
		}
		return c[colorFalse]
	case string:
		return c[colorString]
	case *array:
		return c[colorArray]
	case *object:
		return c[colorObject]
	}
	return c[colorNumber]
}

// appendColored writes a value with colours, in jq's order of escape sequences.
func appendColored(dst []byte, v any, st *style, depth int) []byte {
	color := st.colors.of(v)
	dst = append(dst, color...)
	switch v := v.(type) {
	case *array:
		dst = appendColoredArray(dst, v, st, depth, color)
	case *object:
		dst = appendColoredObject(dst, v, st, depth, color)
	default:
		dst = appendScalar(dst, v, st)
	}
	return append(dst, colorReset...)
}

func appendColoredArray(dst []byte, a *array, st *style, depth int, color string) []byte {
	dst = append(dst, '[')
	if len(a.items) == 0 {
		return append(dst, ']')
	}
	for i, v := range a.items {
		if i > 0 {
			dst = append(dst, color...)
			dst = append(dst, ',')
		}
		dst = st.newline(dst, depth+1)
		dst = appendColored(dst, v, st, depth+1)
	}
	dst = append(dst, color...)
	dst = st.newline(dst, depth)
	dst = append(dst, color...)
	return append(dst, ']')
}

func appendColoredObject(dst []byte, o *object, st *style, depth int, color string) []byte {
	dst = append(dst, '{')
	if len(o.keys) == 0 {
		return append(dst, '}')
	}
	order := make([]int, len(o.keys))
	for i := range order {
		order[i] = i
	}
	if st.sort {
		order = o.sortedIndex()
	}
	for i, at := range order {
		if i > 0 {
			dst = append(dst, color...)
			dst = append(dst, ',')
		}
		dst = st.newline(dst, depth+1)
		dst = append(dst, colorReset...)
		dst = append(dst, st.colors[colorKey]...)
		dst = appendString(dst, o.keys[at], st.ascii)
		dst = append(dst, colorReset...)
		dst = append(dst, color...)
		dst = append(dst, ':')
		if !st.compact {
			dst = append(dst, ' ')
		}
		dst = append(dst, colorReset...)
		dst = appendColored(dst, o.vals[at], st, depth+1)
	}
	dst = append(dst, color...)
	dst = st.newline(dst, depth)
	dst = append(dst, color...)
	return append(dst, '}')
}
