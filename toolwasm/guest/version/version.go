// Package version orders names with version numbers as GNU does for sort -V and ls -v: digits by
// their value, letters before other characters, "~" before everything, file suffixes last.
package version

// Compare orders a before b (-1), after it (1) or equal (0).
func Compare[T ~string | ~[]byte](a, b T) int {
	if r, done := compareDots(a, b); done {
		return r
	}
	pa, pb := prefixLen(a), prefixLen(b)
	r := compareVersions(a[:pa], b[:pb])
	if r != 0 || pa == len(a) && pb == len(b) {
		return sign(r)
	}
	return sign(compareVersions(a, b))
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// compareDots settles empty names, ".", ".." and hidden files, which come first in this order.
func compareDots[T ~string | ~[]byte](a, b T) (r int, done bool) {
	ra, rb := dotRank(a), dotRank(b)
	if ra != rb {
		return sign(ra - rb), true
	}
	return 0, ra < hidden
}

const (
	empty = iota
	dot
	dotdot
	hidden
	visible
)

func dotRank[T ~string | ~[]byte](s T) int {
	switch {
	case len(s) == 0:
		return empty
	case s[0] != '.':
		return visible
	case len(s) == 1:
		return dot
	case len(s) == 2 && s[1] == '.':
		return dotdot
	}
	return hidden
}

// prefixLen is the length of s without suffixes such as ".tar.gz".
func prefixLen[T ~string | ~[]byte](s T) int {
	n := 0
	for i := 0; i < len(s); {
		i++
		n = i
		for i+1 < len(s) && s[i] == '.' && (isAlpha(s[i+1]) || s[i+1] == '~') {
			for i += 2; i < len(s) && (isAlpha(s[i]) || isDigit(s[i]) || s[i] == '~'); {
				i++
			}
		}
	}
	return n
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func order[T ~string | ~[]byte](s T, i int) int {
	if i >= len(s) {
		return -1
	}
	switch c := s[i]; {
	case isDigit(c):
		return 0
	case isAlpha(c):
		return int(c)
	case c == '~':
		return -2
	default:
		return int(c) + 256
	}
}

func compareVersions[T ~string | ~[]byte](a, b T) int {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		for i < len(a) && !isDigit(a[i]) || j < len(b) && !isDigit(b[j]) {
			if x, y := order(a, i), order(b, j); x != y {
				return x - y
			}
			i++
			j++
		}
		for i < len(a) && a[i] == '0' {
			i++
		}
		for j < len(b) && b[j] == '0' {
			j++
		}
		diff := 0
		for i < len(a) && j < len(b) && isDigit(a[i]) && isDigit(b[j]) {
			if diff == 0 {
				diff = int(a[i]) - int(b[j])
			}
			i++
			j++
		}
		switch {
		case i < len(a) && isDigit(a[i]):
			return 1
		case j < len(b) && isDigit(b[j]):
			return -1
		case diff != 0:
			return diff
		}
	}
	return 0
}
