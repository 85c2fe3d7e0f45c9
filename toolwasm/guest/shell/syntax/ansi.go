package syntax

import (
	"strings"
	"unicode/utf8"
)

// UnescapeANSI replaces the backslash escapes of $'…'.
func UnescapeANSI(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		n, stop := ansiEscape(&b, s[i+1:])
		if stop {
			break
		}
		i += 1 + n
	}
	return b.String()
}

// ansiEscape writes what the escape after a backslash stands for and returns its length. A NUL ends the string.
func ansiEscape(b *strings.Builder, s string) (n int, stop bool) {
	switch c := s[0]; c {
	case 'a':
		b.WriteByte(7)
	case 'b':
		b.WriteByte(8)
	case 'e', 'E':
		b.WriteByte(27)
	case 'f':
		b.WriteByte(12)
	case 'n':
		b.WriteByte(10)
	case 'r':
		b.WriteByte(13)
	case 't':
		b.WriteByte(9)
	case 'v':
		b.WriteByte(11)
	case '\\', '\'', '"', '?':
		b.WriteByte(c)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v, n := digits(s, 3, 8)
		if v&0xff == 0 {
			return n, true
		}
		b.WriteByte(byte(v))
		return n, false
	case 'x':
		v, n := digits(s[1:], 2, 16)
		if n == 0 {
			b.WriteString("\\x")
			return 1, false
		}
		if v == 0 {
			return n, true
		}
		b.WriteByte(byte(v))
		return 1 + n, false
	case 'u', 'U':
		width := 4
		if c == 'U' {
			width = 8
		}
		v, n := digits(s[1:], width, 16)
		if n == 0 {
			b.WriteByte('\\')
			b.WriteByte(c)
			return 1, false
		}
		if v == 0 {
			return n, true
		}
		b.Write(utf8.AppendRune(nil, rune(v)))
		return 1 + n, false
	case 'c':
		if len(s) < 2 {
			b.WriteString("\\c")
			return 1, false
		}
		b.WriteByte(s[1] & 0x1f)
		return 2, false
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
	return 1, false
}

// digits reads up to width digits of the base.
func digits(s string, width, base int) (v, n int) {
	for n < len(s) && n < width {
		d := digit(s[n])
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return v, n
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
