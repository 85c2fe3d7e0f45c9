package text

import (
	"unicode"
	"unicode/utf8"
)

// appendReversed appends the characters of line to dst from the last to the first.
func appendReversed(dst, line []byte) []byte {
	for end := len(line); end > 0; {
		n := 1
		if line[end-1] >= utf8.RuneSelf {
			_, n = utf8.DecodeLastRune(line[:end])
		}
		dst = append(dst, line[end-n:end]...)
		end -= n
	}
	return dst
}

// isSpaceRune is iswspace of C.UTF-8: white space that allows a line to break.
func isSpaceRune(r rune) bool {
	switch r {
	case 0xa0, 0x2007, 0x202f, 0x85:
		return false
	}
	return unicode.IsSpace(r)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
