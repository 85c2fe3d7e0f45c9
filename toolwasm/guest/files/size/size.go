// Package size reads numbers of bytes with the suffixes that GNU programs share.
package size

import (
	"math"
	"strings"
)

// sizeUnits are the letters of size suffixes, each a further factor of 1024 (or 1000 with B).
const sizeUnits = "KMGTPEZY"

// Parse reads a number with one of the suffixes that GNU programs share: K, KiB = 1024, KB = 1000, and so on.
func Parse(s string) (int64, bool) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n := int64(1)
	if end > 0 {
		n = 0
		for i := range end {
			d := int64(s[i] - '0')
			if n > (math.MaxInt64-d)/10 {
				return 0, false
			}
			n = n*10 + d
		}
	}
	if s == "" {
		return 0, false
	}
	return scale(n, s[end:], end > 0)
}

func scale(n int64, suffix string, haveNumber bool) (int64, bool) {
	switch {
	case suffix == "":
		return n, haveNumber
	case suffix == "c" && haveNumber:
		return n, true
	case suffix == "w" && haveNumber:
		return multiply(n, 2)
	case suffix == "b":
		return multiply(n, 512)
	case suffix == "B":
		return n, haveNumber
	}
	letter := suffix[0]
	if letter >= 'a' && letter <= 'z' {
		letter -= 'a' - 'A'
	}
	power := strings.IndexByte(sizeUnits, letter)
	factor := int64(1024)
	switch suffix[1:] {
	case "", "iB", "i":
	case "B", "D":
		factor = 1000
	default:
		return 0, false
	}
	if power < 0 {
		return 0, false
	}
	ok := true
	for range power + 1 {
		if n, ok = multiply(n, factor); !ok {
			return 0, false
		}
	}
	return n, true
}

func multiply(a, b int64) (int64, bool) {
	if a != 0 && a > math.MaxInt64/b {
		return 0, false
	}
	return a * b, true
}
