package columns_test

import (
	"testing"

	"openclaw/toolwasm/guest/columns"
)

func TestTextCountsColumns(t *testing.T) {
	for text, want := range map[string]int{
		"":               0,
		"abc":            3,
		"a\tb\x7f":       2, // control characters count nothing
		"é":              1,
		"e\u0301":        1, // a combining accent
		"日本":             4,
		"한":              2,
		"\u1112\u1161":   2, // a vowel joins the consonant before it
		"😀x":             3,
		"\xff\xfea":      1, // invalid bytes
		"a\u200bb":       2,
		"\ue000":         1, // private use
		"a\u2028b":       2,
		"\U0010ffff":     0,
		"ｆｕｌｌ half":      13,
		"\xe6\x97":       0, // cut off
		"\u00adsoft":     5,
		"\u0085\u009fab": 2,
	} {
		if got := columns.Text(text); got != want {
			t.Errorf("Text(%q) = %d, want %d", text, got, want)
		}
		if got := columns.Text([]byte(text)); got != want {
			t.Errorf("Text of the bytes of %q = %d, want %d", text, got, want)
		}
	}
}

func TestRuneTellsWhatCannotBePrinted(t *testing.T) {
	for r, want := range map[rune]int{'a': 1, '\n': -1, 0x80: -1, 0x2028: -1, 0xd800: -1, 0x300: 0, 0x4e00: 2} {
		if got := columns.Rune(r); got != want {
			t.Errorf("Rune(%#x) = %d, want %d", r, got, want)
		}
	}
}
