package regex_test

import (
	"bytes"
	"testing"

	"openclaw/toolwasm/guest/regex"
)

// The line that a Perl pattern's automaton finds is never behind the first line that matches, and is that line when it is sure.
func TestPerlCandidateLineMissesNoLine(t *testing.T) {
	lines := []string{
		"", "a", "ab", "aab", "abc", "foo", "foobar", "barfoo", "12 fox", "12 dog", "fox", "FOX", "a\xffb", "é", "xéy", "word boundary",
		"abab", "(a)", "end", " end", "a1b2", "aaa", "price 100$", "\tx",
	}
	for _, pattern := range []string{
		`a+b`, `^a`, `b$`, `^$`, `\d+ (?=fox)`, `(?=foo)f`, `foo(?!bar)`, `(?<=bar)foo`, `(?<!bar)foo`, `a*?b`, `a++b`, `(?>a+)b`, `(?>a|ab)c`,
		`(a|b)*c`, `(?i)fox`, `\bend\b`, `\Aa`, `a\z`, `bar\Kfoo`, `[[:digit:]]{2}`, `.{5,}`, `é`, `[^a]b`, `(ab)\1`, `x?`, `(?:foo|fox)$`, `a{2}b|é`,
		`(?=.*b)a`, `\W\w`, `a(?=b(?=c))`, `(?=a)(?=.*c)`, `\s`, `(?s)a.b`, `(?m)^e`,
	} {
		re, err := regex.CompilePerl(pattern, regex.Newline)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		text := []byte{}
		for _, l := range lines {
			text = append(append(text, l...), '\n')
		}
		for from := 0; from < len(text); from += bytes.IndexByte(text[from:], '\n') + 1 {
			want := firstLine(t, re, text, from)
			at, sure := re.CandidateLine(text, from)
			got := len(text)
			if at >= 0 && at < len(text) {
				got = from + bytes.LastIndexByte(text[from:at], '\n') + 1
			}
			if got > want || sure && got != want {
				t.Errorf("%s from %d: line at %d (sure %v), want %d", pattern, from, got, sure, want)
			}
		}
	}
}

// firstLine returns where the first line at from or later begins that the pattern matches in, or the end of the text.
func firstLine(t *testing.T, re *regex.Perl, text []byte, from int) int {
	t.Helper()
	for from < len(text) {
		end := from + bytes.IndexByte(text[from:], '\n')
		loc, err := re.Find(nil, text[from:end], 0)
		if err != nil {
			t.Fatal(err)
		}
		if loc != nil {
			return from
		}
		from = end + 1
	}
	return len(text)
}
