package manifest

import (
	"errors"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// matcher is the form that names have.
type matcher = *regexp.Regexp

// The forms of names. None of them can be a path, an option, or anything to a shell.
var (
	skillName    = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	toolName     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)
	commandName  = regexp.MustCompile(`^[a-z0-9][a-z0-9_.+-]{0,63}$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	semver       = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)
)

// CheckName tells whether a text can be the name of a skill.
func CheckName(name string) error {
	if !skillName.MatchString(name) || len(name) > MaxName {
		return errors.New("not the name of a skill: want letters, digits and single hyphens, in lower case")
	}
	return nil
}

// Bounds of paths.
const (
	MaxPath      = 512 // bytes
	MaxComponent = 128
	MaxDepth     = 12
)

// CheckPath tells whether a text can be the path of a file of a skill, or of a part of a workspace: relative, plain, visible, and the same
// file on every system.
func CheckPath(p string) error {
	switch {
	case p == "" || len(p) > MaxPath || !utf8.ValidString(p):
		return errors.New("not a path, or too long")
	case path.IsAbs(p) || path.Clean(p) != p || strings.ContainsAny(p, "\\:*?\"<>|\n\t") || hasControl(p):
		return errors.New("want a plain relative path")
	}
	parts := strings.Split(p, "/")
	if len(parts) > MaxDepth {
		return errors.New("too deep")
	}
	for _, part := range parts {
		switch {
		case strings.HasPrefix(part, "."):
			return errors.New("no part of it may be hidden, or lead up")
		case len(part) > MaxComponent:
			return errors.New("a part of it is too long")
		case strings.HasSuffix(part, ".") || strings.TrimSpace(part) != part || reserved(part):
			return errors.New("a part of it means something else on some systems")
		}
	}
	return nil
}

// devices are names that are devices on Windows, whatever follows a full stop.
var devices = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)$`)

func reserved(part string) bool {
	stem, _, _ := strings.Cut(part, ".")
	return devices.MatchString(strings.TrimSpace(stem))
}

// hasControl tells whether a text has what could control a terminal, or make it read otherwise than it is.
func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool {
		return unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.Is(unicode.Bidi_Control, c) || c == utf8.RuneError
	})
}

// nearest is the name that was probably meant, or "".
func nearest(name string, names []string) string {
	best, least := "", 3 // so many letters may be wrong, less one
	for _, n := range names {
		if d := distance(strings.ToLower(name), n); d < least && d < len(n) {
			best, least = n, d
		}
	}
	return best
}

// maxDistance bounds the names that are compared.
const maxDistance = 64

// distance is how many letters must be changed, added, left out or swapped with the next to make b of a.
func distance(a, b string) int {
	if len(a) > maxDistance {
		return maxDistance
	}
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, old[j+1]+1, old[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
