package js

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// textBindings turn strings into bytes and back.
func (e *engine) textBindings() map[string]any {
	return map[string]any{
		"encode":     func(s goja.Value, encoding string) goja.Value { return e.buffer(encode(s.ToString(), encoding)) },
		"decode":     func(data goja.Value, encoding string) goja.Value { return e.decode(e.bytes(data), encoding) },
		"validUTF8":  func(data goja.Value) bool { return utf8.Valid(e.bytes(data)) },
		"utf8Length": func(s string) int { return len(s) },
		"indexOf": func(data, part goja.Value, from int) int {
			b := e.bytes(data)
			if from < 0 || from > len(b) {
				return -1
			}
			n := strings.Index(string(b[from:]), string(e.bytes(part)))
			if n < 0 {
				return -1
			}
			return from + n
		},
	}
}

// encode writes a string in one of node's encodings.
func encode(v goja.Value, encoding string) []byte {
	s, ok := v.(goja.String)
	if !ok {
		return []byte(v.String())
	}
	switch encoding {
	case "latin1":
		b := make([]byte, s.Length())
		for i := range b {
			b[i] = byte(s.CharAt(i))
		}
		return b
	case "utf16le":
		b := make([]byte, 0, 2*s.Length())
		for i := range s.Length() {
			u := s.CharAt(i)
			b = append(b, byte(u), byte(u>>8))
		}
		return b
	case "hex":
		return decodeHex(s.String())
	case "base64":
		return decodeBase64(s.String())
	}
	return []byte(s.String())
}

// decodeHex reads pairs of digits up to the first that is none.
func decodeHex(s string) []byte {
	b := make([]byte, len(s)/2)
	n, _ := hex.Decode(b, []byte(s[:len(s)&^1]))
	return b[:n]
}

// decodeBase64 reads both alphabets, skips what is in neither and ends at the padding.
func decodeBase64(s string) []byte {
	var clean []byte
	for i := 0; i < len(s) && s[i] != '='; i++ {
		switch c := s[i]; {
		case c == '-':
			clean = append(clean, '+')
		case c == '_':
			clean = append(clean, '/')
		case c == '+' || c == '/' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
			clean = append(clean, c)
		}
	}
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1]
	}
	b := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, _ := base64.RawStdEncoding.Decode(b, clean)
	return b[:n]
}

func (e *engine) decode(b []byte, encoding string) goja.Value {
	switch encoding {
	case "latin1", "ascii":
		r := make([]rune, len(b))
		for i, c := range b {
			r[i] = rune(c)
			if encoding == "ascii" {
				r[i] &= 0x7f
			}
		}
		return e.vm.ToValue(string(r))
	case "utf16le":
		u := make([]uint16, len(b)/2)
		for i := range u {
			u[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
		}
		return e.vm.ToValue(string(utf16.Decode(u)))
	case "hex":
		return e.vm.ToValue(hex.EncodeToString(b))
	case "base64":
		return e.vm.ToValue(base64.StdEncoding.EncodeToString(b))
	case "base64url":
		return e.vm.ToValue(base64.RawURLEncoding.EncodeToString(b))
	}
	return e.vm.ToValue(validUTF8(b))
}

// validUTF8 replaces what is not UTF-8 as the standard for the web says: one replacement character for each maximal
// part of a sequence.
func validUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = brokenLength(b)
		}
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String()
}

// brokenLength is how many bytes at the beginning of b could have begun a character.
func brokenLength(b []byte) int {
	lo, hi, need := byte(0x80), byte(0xbf), 0
	switch c := b[0]; {
	case c >= 0xc2 && c <= 0xdf:
		need = 1
	case c >= 0xe0 && c <= 0xef:
		need = 2
		if c == 0xe0 {
			lo = 0xa0
		}
		if c == 0xed {
			hi = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		need = 3
		if c == 0xf0 {
			lo = 0x90
		}
		if c == 0xf4 {
			hi = 0x8f
		}
	}
	n := 1
	for ; n <= need && n < len(b) && b[n] >= lo && b[n] <= hi; n++ {
		lo, hi = 0x80, 0xbf
	}
	return n
}
