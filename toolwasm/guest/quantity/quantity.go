// Package quantity reads counts and sizes with the multipliers of GNU's commands: 10K, 5MB, 1GiB, 2b.
package quantity

import (
	"errors"
	"math"
	"strings"
)

// Errors of [Parse].
var (
	ErrSyntax = errors.New("quantity: parse: not a number")
	ErrSuffix = errors.New("quantity: parse: invalid suffix")
	ErrRange  = errors.New("quantity: parse: too large")
)

// The suffixes that commands take.
const (
	Count = "b" + Units + "mRQ" // commands that count lines or bytes: head, tail, split, od
	Units = "kKMGTPEZY"         // what every command takes: kB is 1000, K and KiB 1024, and so on
	Loose = Units + "gmt"       // block sizes, truncate
)

// Parse reads a decimal number with one of the given suffix letters. A letter may be followed by B or D (powers of
// 1000) or iB; "b" means 512, "c" and "B" 1 and "w" 2. A value that does not fit is returned as the largest with ErrRange.
func Parse(s, suffixes string) (int64, error) {
	n, i := uint64(0), 0
	over := false
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		d := uint64(s[i] - '0')
		if n > (math.MaxInt64-d)/10 {
			over = true
			continue
		}
		n = n*10 + d
	}
	suffix := s[i:]
	if i == 0 {
		if suffix == "" || !strings.ContainsRune(suffixes, rune(suffix[0])) {
			return 0, ErrSyntax
		}
		n = 1
	}
	factor, ok := multiplier(suffix, suffixes)
	if !ok {
		return 0, ErrSuffix
	}
	if over || n != 0 && factor > math.MaxInt64/n {
		return math.MaxInt64, ErrRange
	}
	return int64(n * factor), nil
}

// Cause is what GNU's messages add to an invalid number: that it is too large, or nothing.
func Cause(err error) string {
	if errors.Is(err, ErrRange) {
		return ": Value too large for defined data type"
	}
	return ""
}

// multiplier is what a suffix stands for; what is out of range comes out as the largest number.
func multiplier(s, allowed string) (uint64, bool) {
	if s == "" {
		return 1, true
	}
	if strings.IndexByte(allowed, s[0]) < 0 {
		return 0, false
	}
	switch s {
	case "b":
		return 512, true
	case "c", "B":
		return 1, true
	case "w":
		return 2, true
	}
	power := strings.IndexByte("KMGTPEZYRQ", s[0]&^0x20) + 1
	if power == 0 {
		return 0, false
	}
	base := uint64(1024)
	switch s[1:] {
	case "", "iB":
	case "B", "D":
		base = 1000
	default:
		return 0, false
	}
	f := uint64(1)
	for range power {
		if f > math.MaxUint64/base {
			return math.MaxUint64, true
		}
		f *= base
	}
	return f, true
}
