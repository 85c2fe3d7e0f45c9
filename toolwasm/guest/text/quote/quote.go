// Package quote writes operands into messages in the two ways of GNU's commands.
package quote

import (
	"strings"
	"unicode/utf8"
)

// Curly quotes a value: ‘x’.
func Curly(s string) string { return "‘" + escape(s, "’") + "’" }

// Shell quotes a file name as a shell would read it: 'x', or with escapes $'a\nb'.
func Shell(s string) string {
	if printable(s) {
		if strings.Contains(s, "'") && !strings.ContainsAny(s, "\"`$\\!") {
			return `"` + s + `"`
		}
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteByte('\'')
	open := true
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if special := r == utf8.RuneError && n == 1 || r < ' ' || r == 0x7f; special != !open {
			if special {
				b.WriteString("'$'")
			} else {
				b.WriteString("''")
			}
			open = !special
		}
		switch {
		case open && r == '\'':
			b.WriteString(`'\''`)
		case open:
			b.WriteString(s[i : i+n])
		default:
			b.WriteString(escapeByte(s[i]))
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

// File writes the name of a file at the start of a message: as it is, or quoted when a shell would need it.
func File(s string) string {
	if s == "" || !printable(s) || strings.ContainsAny(s, " !\"$&()*;<=>[^`|\\'?") || s[0] == '#' || s[0] == '~' ||
		s == "{" || s == "}" {
		return Shell(s)
	}
	return s
}

func printable(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return true
}

func escape(s, closing string) string {
	if printable(s) && !strings.Contains(s, closing) && !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1, r < ' ', r == 0x7f:
			b.WriteString(escapeByte(s[i]))
		case r == '\\', s[i:i+n] == closing:
			b.WriteByte('\\')
			fallthrough
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func escapeByte(c byte) string {
	const names = "\aa\bb\tt\nn\vv\ff\rr"
	for i := 0; i < len(names); i += 2 {
		if names[i] == c {
			return `\` + names[i+1:i+2]
		}
	}
	return `\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7})
}
