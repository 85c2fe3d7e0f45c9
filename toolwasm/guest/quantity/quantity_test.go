package quantity_test

import (
	"math"
	"testing"

	"openclaw/toolwasm/guest/quantity"
)

func TestParseReadsMultipliers(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		err  error
	}{
		{"5", 5, nil},
		{"2b", 1024, nil},
		{"1K", 1024, nil},
		{"1k", 1024, nil},
		{"1kB", 1000, nil},
		{"3MiB", 3 << 20, nil},
		{"1GB", 1e9, nil},
		{"K", 1024, nil},
		{"", 0, quantity.ErrSyntax},
		{"x", 0, quantity.ErrSyntax},
		{"5x", 0, quantity.ErrSuffix},
		{"5Kx", 0, quantity.ErrSuffix},
		{"9Y", math.MaxInt64, quantity.ErrRange},
		{"99999999999999999999", math.MaxInt64, quantity.ErrRange},
	} {
		got, err := quantity.Parse(c.text, quantity.Count)
		if got != c.want || err != c.err {
			t.Errorf("Parse(%q) = %d, %v; want %d, %v", c.text, got, err, c.want, c.err)
		}
	}
}
