package jq

import (
	"encoding/base32"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// format finds the function of @name.
func (c *compiler) format(n *node, name string) func(any) (any, error) {
	switch name {
	case "@text":
		return func(v any) (any, error) { return toText(v), nil }
	case "@json":
		return func(v any) (any, error) { return encode(v), nil }
	case "@csv":
		return func(v any) (any, error) { return row(v, "csv", ",", csvField) }
	case "@tsv":
		return func(v any) (any, error) { return row(v, "tsv", "\t", tsvField) }
	case "@html":
		return func(v any) (any, error) { return escapeHTML(toText(v)), nil }
	case "@uri":
		return func(v any) (any, error) { return escapeURI(toText(v)), nil }
	case "@urid":
		return unescapeURI
	case "@sh":
		return shellQuote
	case "@base64":
		return func(v any) (any, error) { return base64.StdEncoding.EncodeToString([]byte(toText(v))), nil }
	case "@base64d":
		return decodeBase64
	case "@base32":
		return func(v any) (any, error) { return base32.StdEncoding.EncodeToString([]byte(toText(v))), nil }
	case "@base32d":
		return decodeBase32
	}
	c.fail(n, "%s is not a valid format at <top-level>, line 1:", strings.TrimPrefix(name, "@"))
	return nil
}

func row(v any, name, sep string, field func(v any) (string, bool)) (any, error) {
	a, ok := v.(*array)
	if !ok {
		return nil, errorf("%s cannot be %s-formatted, only an array can be", show(v), name)
	}
	var b strings.Builder
	for i, x := range a.items {
		if i > 0 {
			b.WriteString(sep)
		}
		s, ok := field(x)
		if !ok {
			return nil, errorf("%s is not valid in a csv row", show(x))
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

func csvField(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return `"` + strings.ReplaceAll(v, `"`, `""`) + `"`, true
	case bool, float64, *literal:
		return encode(v), true
	}
	return "", false
}

func tsvField(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		if !strings.ContainsAny(v, "\t\n\r\\") {
			return v, true
		}
		return strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`).Replace(v), true
	case bool, float64, *literal:
		return encode(v), true
	}
	return "", false
}

func escapeHTML(s string) string {
	if !strings.ContainsAny(s, "<>&'\"") {
		return s
	}
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "'", "&#39;", `"`, "&quot;").Replace(s)
}

func escapeURI(s string) string {
	const upperHex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if isIdent(c) || c == '-' || c == '.' || c == '~' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(upperHex[c>>4])
		b.WriteByte(upperHex[c&15])
	}
	return b.String()
}

func unescapeURI(v any) (any, error) {
	s := toText(v)
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		hi, lo := -1, -1
		if i+2 < len(s) {
			hi, lo = hexValue(s[i+1]), hexValue(s[i+2])
		}
		if hi < 0 || lo < 0 {
			return nil, describe(s, "is not a valid uri encoding")
		}
		b = append(b, byte(hi<<4|lo))
		i += 2
	}
	if !utf8.Valid(b) {
		return nil, describe(s, "is not a valid uri encoding")
	}
	return string(b), nil
}

func hexValue(c byte) int {
	if isDigit(c) {
		return int(c - '0')
	}
	if c |= 0x20; c >= 'a' && c <= 'f' {
		return int(c-'a') + 10
	}
	return -1
}

func shellQuote(v any) (any, error) {
	items := []any{v}
	if a, ok := v.(*array); ok {
		items = a.items
	}
	var b strings.Builder
	for i, x := range items {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch x := x.(type) {
		case string:
			b.WriteString(`'` + strings.ReplaceAll(x, `'`, `'\''`) + `'`)
		case *array, *object:
			return nil, errorf("%s can not be escaped for shell", show(x))
		default:
			b.WriteString(encode(x))
		}
	}
	return b.String(), nil
}

// decodeBase64 passes over what is not of the alphabet's end and takes missing padding.
func decodeBase64(v any) (any, error) {
	s := toText(v)
	t := strings.TrimRight(s, "=")
	if strings.Trim(t, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") != "" {
		return nil, describe(s, "is not valid base64 data")
	}
	const group = 4
	if len(t)%group == 1 {
		return nil, describe(s, "trailing base64 byte found")
	}
	b, err := base64.RawStdEncoding.DecodeString(t)
	if err != nil {
		return nil, describe(s, "is not valid base64 data")
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), nil
}

func decodeBase32(v any) (any, error) {
	s := toText(v)
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(s, "="))
	if err != nil {
		return nil, describe(s, "is not valid base32 data")
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), nil
}
