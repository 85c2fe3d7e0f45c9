package workspace

import (
	"strings"
	"unicode/utf8"
)

// Chars counts a text as budgets do: in UTF-16 code units, so that a letter is one and an emoji two.
func Chars(s string) int {
	n := 0
	for _, r := range s {
		n += width(r)
	}
	return n
}

const lastOfOneUnit = 0xFFFF

func width(r rune) int {
	if r > lastOfOneUnit {
		return 2
	}
	return 1
}

// cut is the longest beginning of a text that has at most n units. It never splits a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	units := 0
	for i, r := range s {
		if units += width(r); units > n {
			return s[:i]
		}
	}
	return s
}

// cutLeft is the longest end of a text that has at most n units.
func cutLeft(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at, units := len(s), 0
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:at])
		if units += width(r); units > n {
			break
		}
		at -= size
	}
	return s[at:]
}

const byteOrderMark = "\uFEFF"

// decode makes text of a file's bytes. What is no UTF-8 is replaced, and valid is false.
func decode(data []byte) (text string, valid bool) {
	valid = utf8.Valid(data)
	return strings.TrimPrefix(strings.ToValidUTF8(string(data), "\uFFFD"), byteOrderMark), valid
}
