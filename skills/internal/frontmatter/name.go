package frontmatter

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of the specification, in characters.
const (
	MaxName          = 64
	MaxDescription   = 1024
	MaxCompatibility = 500
)

// maxNameBytes is what a component of a path can have.
const maxNameBytes = 255

// usable is what a name must match to be used as one: it is a component of a path in the sandbox and nothing else.
var usable = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$`)

// PlainName is a name in the one form in which names are compared and mounted, or not ok when it cannot be one.
func PlainName(name string) (string, bool) {
	plain := norm.NFKC.String(strings.TrimSpace(name))
	if !usable.MatchString(plain) || strings.Contains(plain, "..") || chars(plain) > MaxName || len(plain) > maxNameBytes {
		return "", false
	}
	return plain, true
}

// checkName compares a name with the specification. A name that differs is used, unless it could mean something in a path.
func (r *reader) checkName(dir string) {
	line := r.find("name").line
	name := norm.NFKC.String(r.Name)
	say := func(level Level, code Code, format string, args ...any) {
		r.add(Problem{line, level, code, "name", fmt.Sprintf("the name "+format, args...)})
	}
	if n := chars(name); n > MaxName {
		say(Warning, CodeNameLength, "has %d characters, more than %d", n, MaxName)
	}
	if name != strings.ToLower(name) {
		say(Warning, CodeNameCase, "%s must be in lower case", quote(name))
	}
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
		say(Warning, CodeNameEdge, "%s must not begin or end with a hyphen", quote(name))
	}
	if strings.Contains(name, "--") {
		say(Warning, CodeNameHyphens, "%s must not have two hyphens in a row", quote(name))
	}
	if strings.ContainsFunc(name, func(c rune) bool { return c != '-' && !unicode.IsLetter(c) && !unicode.IsNumber(c) }) {
		say(Warning, CodeNameChars, "%s must have letters, digits and hyphens only", quote(name))
	}
	if dir != "" && norm.NFKC.String(dir) != name {
		say(Warning, CodeNameDir, "%s is not that of its directory, %s", quote(name), quote(dir))
	}
	if _, ok := PlainName(name); !ok {
		say(Error, CodeNameUnsafe, "%s cannot be used: it must begin with a letter or digit, have letters, digits, '-', '_' and single '.' only, and at most %d characters", quote(name), MaxName)
	}
}

func tooLong(what string, n, most int) string {
	return fmt.Sprintf("%s has %d characters, more than %d", what, n, most)
}

func chars(text string) int { return utf8.RuneCountInString(text) }
