package regex_test

import (
	"strings"
	"testing"

	"openclaw/toolwasm/guest/regex"
)

// Searching for a string in either case finds it wherever it stands, at every distance from the ends of the text.
func TestIgnoreCaseFindsLiteralAtEveryPlace(t *testing.T) {
	for _, c := range []struct{ pattern, text string }{
		{"needle", "NeEdLe"},
		{"a", "A"},
		{"ab", "aB"},
		{"x-1_@", "X-1_@"},
		{"aaab", "AaAb"},
		{"Kelvin s", "kELVIN S"},
		{"é9z", "é9Z"},
	} {
		re, err := regex.Compile(c.pattern, regex.IgnoreCase|regex.Lines|regex.NoSub)
		if err != nil {
			t.Fatal(err)
		}
		for before := range 40 {
			for after := range 12 {
				text := strings.Repeat("a ", before)[:before] + c.text + strings.Repeat("-`", after)
				loc := re.Find(nil, []byte(text), 0, false)
				want := strings.Index(strings.ToLower(text), strings.ToLower(c.pattern))
				if loc == nil || loc[0] != want || loc[1] != want+len(c.pattern) {
					t.Fatalf("%q in %q: %v, want %d", c.pattern, text, loc, want)
				}
			}
		}
	}
}

// A byte that differs from a letter in the bit that tells the cases apart is no letter's other case.
func TestIgnoreCaseTellsPunctuationApart(t *testing.T) {
	for pattern, text := range map[string]string{"a@": "a`", "[": "{", "z{": "z[", "a_b": "a\x7fb", "1a": "\x11a"} {
		re, err := regex.Compile(pattern, regex.IgnoreCase|regex.Fixed)
		if err != nil {
			t.Fatal(err)
		}
		if re.Match([]byte(text), false) {
			t.Errorf("%q matches %q", pattern, text)
		}
	}
}

// Whether the string that every match holds is rare or in every line, the same lines are found.
func TestLinesWithCommonStringAreAllFound(t *testing.T) {
	const lines = 500
	var text []byte
	for i := range lines {
		text = append(text, "some fox here"...)
		if i%7 == 0 {
			text = append(text, " 12 fox"...)
		}
		text = append(text, '\n')
	}
	re, err := regex.Compile("[0-9]+ fox", regex.ERE|regex.Lines|regex.NoSub)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for at := re.MatchEnd(text, 0, false); at >= 0; at = re.MatchEnd(text, at, false) {
		found++
	}
	if want := (lines + 6) / 7; found != want {
		t.Errorf("%d lines, want %d", found, want)
	}
}
