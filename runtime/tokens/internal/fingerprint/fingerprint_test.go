package fingerprint_test

import (
	"fmt"
	"testing"

	"openclaw/runtime/tokens/internal/fingerprint"
)

func TestLongest(t *testing.T) {
	s := fingerprint.Open(string(fingerprint.Build([]string{"a", "ab", "abcd", "é", "xyz", "xyzxyzxyz", "日本"})))
	for text, want := range map[string]int{
		"a": 1, "ab": 2, "abc": 2, "abcd": 4, "abcde": 4, "b": 1, "bcd": 1, "é": 2, "ééé": 2, "xy": 1, "xyzxyz": 3, "xyzxyzxyzxyz": 9, "日本語": 6, "日": 1, "\xff\xff\xff": 1,
	} {
		if got := s.Longest(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestNothingIsMissedAndLittleIsTakenForWhatItIsNot(t *testing.T) {
	texts := make([]string, 200_000)
	for i := range texts {
		texts[i] = fmt.Sprintf("in%06d", i)
	}
	s := fingerprint.Open(string(fingerprint.Build(texts)))
	for _, text := range texts {
		if s.Longest(text) != len(text) {
			t.Fatalf("%s is missed", text)
		}
	}
	wrong := 0
	for i := range 200_000 {
		if s.Longest(fmt.Sprintf("in%06dx", i+500_000)) != 1 {
			wrong++
		}
	}
	if wrong > 200 { // each asks seven times
		t.Errorf("%d of 200,000 are taken for one of them", wrong)
	}
}
