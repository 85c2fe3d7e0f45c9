// Package quote writes file names and operands in messages and listings as GNU programs do.
//
// [Always] and [File] produce text that a POSIX shell with $'…' reads back as the same bytes; [Locale] is the
// typographic form that messages use for arguments. What counts as printable is what it is in C.UTF-8.
package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Always quotes s for a shell, with quotes even where none are needed.
func Always(s string) string { return shell(s, true, true) }

// File quotes s for a shell where that is necessary.
func File(s string) string { return shell(s, false, true) }

// ShellLiteral is File, or with always Always, except that control characters stand for themselves.
func ShellLiteral(s string, always bool) string { return shell(s, always, false) }

// Locale puts s between typographic quotes, with C escapes for what cannot be printed.
func Locale(s string) string { return "‘" + escape(s, "’\\") + "’" }

// C writes s as a C string with its double quotes.
func C(s string) string { return `"` + escape(s, `"\`) + `"` }

// Escape writes what cannot be printed, blanks and backslashes as C escapes.
func Escape(s string) string { return escape(s, ` \`) }

// Tar is the quoting of tar's listings: C escapes for control characters and backslashes, no quotes.
func Tar(s string) string { return escape(s, `\`) }

func shell(s string, always, escapes bool) string {
	if s == "" {
		return "''"
	}
	form := inspect(s)
	if form.control && escapes {
		return ansi(s)
	}
	switch {
	case !strings.Contains(s, "'"):
		if form.needs || always {
			return "'" + s + "'"
		}
		return s
	case form.plain:
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// form is what decides how a shell has to see a name.
type form struct {
	needs   bool // quotes of some kind
	control bool // has something that cannot be printed
	plain   bool // could stand between double quotes
}

func inspect(s string) form {
	f := form{plain: true}
	for i, r := range s {
		switch {
		case unprintable(s[i:], r):
			f.control, f.plain = true, false
			f.needs = f.needs || r == '\t' || r == '\n' || r == '\r'
		case r == '{' || r == '}':
			f.needs = f.needs || len(s) == 1
			f.plain = f.plain && len(s) == 1
		case r == '#' || r == '~':
			f.needs = f.needs || i == 0
			f.plain = f.plain && i == 0
		case r == ' ' || r == '\'':
			f.needs = true
		case strings.ContainsRune("!\"$&()*;<=>[^`|?\\", r):
			f.needs, f.plain = true, false
		}
	}
	return f
}

// unprintable reports whether r, with which s begins, is an invalid byte or a character that C.UTF-8 does not print.
func unprintable(s string, r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	if r == utf8.RuneError {
		_, n := utf8.DecodeRuneInString(s)
		return n == 1
	}
	return !unicode.IsGraphic(r) && !unicode.In(r, unicode.Cf, unicode.Co)
}

// ansi is the form for names that hold control characters: quoted runs, with $'…' for the others.
func ansi(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	special := false
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		bad := unprintable(s, r)
		switch {
		case bad && !special:
			b.WriteString("'$'")
		case !bad && special:
			b.WriteString("''")
		}
		special = bad
		switch {
		case bad:
			escapeBytes(&b, s[:n])
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

// escape writes s with C escapes for what cannot be printed and a backslash before the special characters.
func escape(s, special string) string {
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case unprintable(s, r):
			escapeBytes(&b, s[:n])
		case strings.ContainsRune(special, r):
			b.WriteByte('\\')
			fallthrough
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func escapeBytes(b *strings.Builder, s string) {
	const first, letters = 7, "abtnvfr" // \a is 7, \r is 13
	for i := range len(s) {
		b.WriteByte('\\')
		c := s[i]
		if k := int(c) - first; k >= 0 && k < len(letters) {
			b.WriteByte(letters[k])
			continue
		}
		b.WriteByte('0' + c>>6)
		b.WriteByte('0' + c>>3&7)
		b.WriteByte('0' + c&7)
	}
}
