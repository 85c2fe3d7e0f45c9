package files

import "strings"

// compareVersions orders names so that numbers within them count by value. A file's suffixes (".tar.gz") are
// looked at only when the rest is equal; "." and ".." come first, then hidden names.
func compareVersions(a, b string) int {
	if a == b {
		return 0
	}
	if c := rankHidden(a) - rankHidden(b); c != 0 {
		return c
	}
	stemA, stemB := stripSuffix(a), stripSuffix(b)
	if stemA == stemB {
		stemA, stemB = a, b
	}
	if c := compareRuns(stemA, stemB); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

func rankHidden(s string) int {
	switch {
	case s == "":
		return 0
	case s == ".":
		return 1
	case s == "..":
		return 2
	case s[0] == '.':
		return 3
	}
	return 4
}

// stripSuffix cuts (\.[A-Za-z~][A-Za-z0-9~]*)*$ off.
func stripSuffix(s string) string {
	for {
		i := strings.LastIndexByte(s, '.')
		if i <= 0 || i+1 >= len(s) || !isAlphaTilde(s[i+1]) {
			return s
		}
		for j := i + 1; j < len(s); j++ {
			if !isAlphaTilde(s[j]) && !isDigit(s[j]) {
				return s
			}
		}
		s = s[:i]
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlphaTilde(c byte) bool {
	return c == '~' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}

// compareRuns compares runs of other characters and runs of digits in turn.
func compareRuns(a, b string) int {
	for a != "" || b != "" {
		for (a != "" && !isDigit(a[0])) || (b != "" && !isDigit(b[0])) {
			ra, rb := orderOf(a), orderOf(b)
			if ra != rb {
				return ra - rb
			}
			a, b = tail(a), tail(b)
		}
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		na, nb := digits(a), digits(b)
		if na != nb {
			return na - nb
		}
		if c := strings.Compare(a[:na], b[:nb]); c != 0 {
			return c
		}
		a, b = a[na:], b[nb:]
	}
	return 0
}

// orderOf ranks the first character: ~ before the end of the text, then digits, letters, and the others.
func orderOf(s string) int {
	const others = 256
	switch {
	case s == "":
		return -1
	case s[0] == '~':
		return -2
	case isDigit(s[0]):
		return 0
	case isAlphaTilde(s[0]):
		return int(s[0])
	}
	return int(s[0]) + others
}

func tail(s string) string {
	if s == "" {
		return s
	}
	return s[1:]
}

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}
