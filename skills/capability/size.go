package capability

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// units are the units of sizes, largest first.
var units = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// ErrSize reports a text that is no size.
var ErrSize = errors.New("not a size such as 65536, 64KiB, 64MiB or 1GiB")

// ParseSize reads a number of bytes: a whole number, with or without a unit.
func ParseSize(text string) (int64, error) {
	unit := int64(1)
	for _, u := range units {
		if digits, ok := strings.CutSuffix(text, u.name); ok {
			text, unit = digits, u.size
			break
		}
	}
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, ErrSize
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return 0, ErrSize
	}
	return n * unit, nil
}
