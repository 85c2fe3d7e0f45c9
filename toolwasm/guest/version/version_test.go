package version_test

import (
	"slices"
	"testing"

	"openclaw/toolwasm/guest/version"
)

func TestCompareOrdersNamesByVersion(t *testing.T) {
	// In ascending order.
	names := []string{
		"", ".", "..", ".a", ".b", "1", "01b", "2", "10", "a1~", "a1", "a2", "a10", "a-1.2.tar.gz", "a-1.10.tar.gz", "b~", "b", "b.c",
	}
	for i, a := range names {
		for j, b := range names {
			got := version.Compare(a, b)
			if want := compareInts(i, j); got != want && !(a == "1" && b == "01b" || a == "01b" && b == "1") {
				t.Errorf("Compare(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
	if !slices.IsSortedFunc(names[:5], func(a, b string) int { return version.Compare(a, b) }) {
		t.Error("hidden names do not come first")
	}
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
