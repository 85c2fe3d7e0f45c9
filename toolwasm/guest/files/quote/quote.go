// Package quote writes file names in messages and listings as GNU programs do.
//
// [Always] and [Shell] produce text that a POSIX shell with $'…' reads back as the same bytes; [Locale] is the
// typographic form that messages use for arguments.
package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Always quotes s for a shell, with quotes even where none are needed.
func Always(s string) string { return shell(s, true, true) }

// Shell quotes s for a shell where that is necessary.
func Shell(s string) string { return shell(s, false, true) }

// ShellLiteral is Shell, or with always Always, except that control characters stand for themselves.
func ShellLiteral(s string, always bool) string { return shell(s, always, false) }

// Locale puts s between typographic quotes, with C escapes for what cannot be printed.
func Locale(s string) string { return "‘" + escape(s, '\'', false) + "’" }

// C writes s as a C string with its double quotes.
func C(s string) string { return `"` + escape(s, '"', false) + `"` }

// Escape writes what cannot be printed, blanks and backslashes as C escapes.
func Escape(s string) string { return escape(s, 0, true) }

// Tar is the quoting of tar's listings: C escapes for control characters and backslashes, no quotes.
func Tar(s string) string { return escape(s, 0, false) }

func shell(s string, always, escapes bool) string {
	if s == "" {
		return "''"
	}
	needs, control, plain := inspect(s)
	if control && escapes {
		return ansi(s)
	}
	switch {
	case !strings.Contains(s, "'"):
		if needs || always {
			return "'" + s + "'"
		}
		return s
	case plain:
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// inspect reports whether s needs quotes, has something that cannot be printed, and could stand between double quotes.
func inspect(s string) (needs, control, plain bool) {
	plain = true
	for i, r := range s {
		switch {
		case r == utf8.RuneError:
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				control, plain = true, false
			}
		case r < ' ' || !unicode.IsPrint(r):
			control, plain = true, false
			needs = needs || r == '\t' || r == '\n' || r == '\r'
		case r == '{' || r == '}':
			needs = needs || len(s) == 1
		case r == '#' || r == '~':
			needs = needs || i == 0
		case r == ' ' || r == '\'':
			needs = true
		case strings.ContainsRune("!\"$&()*;<=>[^`|?\\", r):
			needs, plain = true, false
		}
	}
	return needs, control, plain
}

// ansi is the form for names that hold control characters: quoted runs, with $'…' for the others.
func ansi(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	special := false
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		bad := (r == utf8.RuneError && n == 1) || !unicode.IsPrint(r)
		switch {
		case bad && !special:
			b.WriteString("'$'")
			special = true
		case !bad && special:
			b.WriteString("''")
			special = false
		}
		switch {
		case bad:
			for i := range n {
				escapeByte(&b, s[i])
			}
		case r == '\'':
			b.WriteString(`'\''`)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	b.WriteByte('\'')
	return b.String()
}

func escapeByte(b *strings.Builder, c byte) {
	const letters = "abtnvfr" // 7 to 13
	if c >= 7 && c <= 13 {
		b.WriteByte('\\')
		b.WriteByte(letters[c-7])
		return
	}
	b.WriteByte('\\')
	b.WriteByte('0' + c>>6)
	b.WriteByte('0' + c>>3&7)
	b.WriteByte('0' + c&7)
}

func escape(s string, quote rune, blanks bool) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case (r == utf8.RuneError && n == 1) || !unicode.IsPrint(r):
			for i := range n {
				escapeByte(&b, s[i])
			}
		case r == '\\' || (r == quote && quote == '"') || (r == ' ' && blanks):
			b.WriteByte('\\')
			b.WriteString(s[:n])
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
