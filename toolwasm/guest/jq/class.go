package jq

import "strings"

// recordSeparator may stand before each value (RFC 7464).
const recordSeparator = 0x1e

// Kinds of bytes in JSON text.
const (
	blankByte = 1 << iota // between tokens
	tokenByte             // in a number, a word or what is mistaken for one
	plainByte             // in strings: stands for itself, written and read
)

// class holds the kinds of each byte.
var class = newClasses()

func newClasses() (c [256]byte) {
	for i := range c {
		b := byte(i)
		switch b {
		case ' ', '\t', '\n', '\r', recordSeparator:
			c[i] |= blankByte
		}
		if b > ' ' && strings.IndexByte("[]{},:\"'", b) < 0 {
			c[i] |= tokenByte
		}
		if b >= ' ' && b < 0x7f && b != '"' && b != '\\' {
			c[i] |= plainByte
		}
	}
	return c
}
