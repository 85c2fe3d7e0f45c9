package regex_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/regex"
)

// find returns the match and its groups as text: "whole|group1|group2", "-" for a group that is not set.
func find(t *testing.T, re *regex.Regexp, s string) string {
	t.Helper()
	m := re.Find(nil, []byte(s), 0, false)
	if m == nil {
		return "no match"
	}
	var parts []string
	for i := 0; i < len(m); i += 2 {
		if m[i] < 0 {
			parts = append(parts, "-")
			continue
		}
		parts = append(parts, s[m[i]:m[i+1]])
	}
	return strings.Join(parts, "|")
}

func TestFind(t *testing.T) {
	const none = "no match"
	tests := []struct {
		pattern string
		flags   regex.Flags
		text    string
		want    string
	}{
		// Basic syntax.
		{`a*`, 0, "aaab", "aaa"},
		{`*b`, 0, "a*b", "*b"},
		{`^*b`, 0, "*b", "*b"},
		{`\(*a\)`, 0, "*a", "*a|*a"},
		{`x\|*a`, 0, "*a", "*a"},
		{`a+`, 0, "aa+", "a+"},
		{`a\+`, 0, "xaa+", "aa"},
		{`\+a`, 0, "+a", "+a"},
		{`a\?b`, 0, "ab", "ab"},
		{`a\{2,3\}`, 0, "aaaa", "aaa"},
		{`a\{2\}`, 0, "aaaa", "aa"},
		{`a\{,2\}b`, 0, "aaab", "aab"},
		{`a{2}`, 0, "a{2}", "a{2}"},
		{`a\|b`, 0, "b", "b"},
		{`a|b`, 0, "a|b", "a|b"},
		{`\(a\)\(b\)`, 0, "ab", "ab|a|b"},
		{`(a)`, 0, "(a)", "(a)"},
		{`a^b$c`, 0, "a^b$c", "a^b$c"},
		{`a\(^b\)`, 0, "ab", none},
		{`\(^a\)`, 0, "a", "a|a"},
		{`\(a$\)`, 0, "ba", "a|a"},
		{`\^a`, 0, "^a", "^a"},
		{`^$`, 0, "", ""},
		{`x*`, 0, "b", ""},
		{`\.`, 0, "a.", "."},
		{`a.c`, 0, "a\nc", "a\nc"},

		// Extended syntax.
		{`(a|b)+c`, regex.ERE, "xabac", "abac|a"},
		{`a{2,}`, regex.ERE, "aaaa", "aaaa"},
		{`a{1}{2}`, regex.ERE, "aaa", "aa"},
		{`()`, regex.ERE, "a", "|"},
		{`a||b`, regex.ERE, "b", "b"},
		{`a\{1\}`, regex.ERE, "a{1}", "a{1}"},
		{`a+?`, regex.ERE, "aa", "aa"},
		{`x|ab|abcd`, regex.ERE, "abcd", "abcd"},
		{`a{x`, regex.ERE | regex.Lenient, "a{x", "a{x"},
		{`a{1,2`, regex.ERE | regex.Lenient, "a{1,2", "a{1,2"},
		{`a)`, regex.ERE | regex.Lenient, "a)", "a)"},
		{`*a`, regex.ERE | regex.Lenient, "*a", "a"},
		{`a**`, regex.Lenient, "aa", "aa"},

		// Groups are set by preference among the ways to the longest match.
		{`(a|ab)(c|bcd)(d*)`, regex.ERE, "abcd", "abcd|a|bcd|"},
		{`(x|xy)(z|yz)`, regex.ERE, "xyz", "xyz|x|yz"},
		{`((a?)(ab)?)(b?)`, regex.ERE, "ab", "ab|a|a|-|b"},
		{`((a)|b)*`, regex.ERE, "ab", "ab|b|a"},
		{`(a*)+`, regex.ERE, "aa", "aa|aa"},
		{`(a*)*`, regex.ERE, "b", "|"},
		{`(a|b)*`, regex.ERE, "c", "|-"},
		{`(.*)=(.*)`, regex.ERE, "a=b=c", "a=b=c|a=b|c"},

		// Places.
		{`\bb`, 0, "ab b", "b"},
		{`\<b.`, 0, "ab bc", "bc"},
		{`.b\>`, 0, "abc ab", "ab"},
		{`\Bb`, 0, "b ab", "b"},
		{"\\`a", 0, "ba", none},
		{`a\'`, 0, "ab", none},
		{`^b`, 0, "a\nb", none},
		{`^b$`, regex.Newline, "a\nb\nc", "b"},
		{`a.b`, regex.Newline, "a\nb", none},
		{`a[^x]b`, regex.Newline, "a\nb", none},
		{`a\Wb`, regex.Newline, "a\nb", "a\nb"},
		{`a\sb`, regex.Lines, "a\nb", none},
		{`\w\+`, 0, "- a_1é -", "a_1é"},
		{`\W\+`, 0, "a -b", " -"},
		{`\S\+`, 0, " ab ", "ab"},

		// Brackets.
		{`[]]`, 0, "a]", "]"},
		{`[^]]`, 0, "]a", "a"},
		{`[a-]`, 0, "-", "-"},
		{`[a\]`, 0, `\`, `\`},
		{`[[:digit:][:upper:]]*`, 0, "1Ab", "1A"},
		{`[[.-.]]`, 0, "a-", "-"},
		{`[[=a=]b]*`, 0, "ab", "ab"},
		{`[[.a.]-c]*`, 0, "abcd", "abc"},
		{`[à-ü]`, 0, "aé", "é"},
		{`[^a]`, 0, "aé", "é"},

		// Case.
		{`AbC`, regex.IgnoreCase, "xaBc", "aBc"},
		{`[a-c]*`, regex.IgnoreCase, "ABc", "ABc"},
		{`[^a]`, regex.IgnoreCase, "aAb", "b"},
		{`É`, regex.IgnoreCase, "é", "é"},
		{`[[:upper:]]`, regex.IgnoreCase, "a", "a"},

		// What is not UTF-8 matches itself only.
		{`.`, 0, "\xe9", none},
		{`[^a]`, 0, "\xe9b", "b"},
		{"\xe9", 0, "a\xe9", "\xe9"},
		{"a\xe9b", 0, "xa\xe9b", "a\xe9b"},
		{"\xc3", 0, "é", "\xc3"},
		{"\xa9", 0, "é", none},
		{"[\x80-\xff]*", 0, "éxé", "é"},
		{"x[\xff\xc3].", regex.ERE, "xéy", none},
		{"(x[\xff\xc3])\xa9", regex.ERE, "xé", "xé|x\xc3"},
		{`.*`, 0, "a\xffb", "a"},
		{`..`, 0, "é", none},

		// Back-references.
		{`\(.\)\1`, 0, "abccd", "cc|c"},
		{`(.)(.)\2\1`, regex.ERE, "xabba", "abba|a|b"},
		{`^\(.*\)\n\1$`, 0, "ab\nab", none}, // \n is an n here
		{`\(a*\)*\1`, 0, "aaa", "aaa|"},
		{`(a|ab)(c|bcd)\1`, regex.ERE, "abcda", "abcda|a|bcd"},
		{`(a)\1`, regex.ERE | regex.IgnoreCase, "aA", "aA|a"},
		{`([a-z]+) \1`, regex.ERE, "this is is", "is is|is"},

		// awk.
		{`*a`, regex.Awk, "*a", "*a"},
		{`a\tb`, regex.Awk, "a\tb", "a\tb"},
		{`[\t\]]+`, regex.Awk, "\t]", "\t]"},
		{`\ya`, regex.Awk, "ba a", "a"},
		{`\/\"\.`, regex.Awk, `/".`, `/".`},
		{`\101\x42`, regex.Awk, "AB", "AB"},
		{`a{2}`, regex.Awk, "aa", "aa"},

		// find -regex.
		{`a+\(b\|c\)?`, regex.Emacs, "aac", "aac|c"},
		{`a{2}`, regex.Emacs, "a{2}", "a{2}"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %q", tt.pattern, tt.text), func(t *testing.T) {
			re, err := regex.Compile(tt.pattern, tt.flags)
			if err != nil {
				t.Fatal(err)
			}
			if got := find(t, re, tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if re.Match([]byte(tt.text), false) != (tt.want != none) {
				t.Errorf("Match disagrees with Find")
			}
		})
	}
}

func TestCompileErrors(t *testing.T) {
	tests := []struct {
		pattern string
		flags   regex.Flags
		want    string
	}{
		{`\(a`, 0, `Unmatched ( or \(`},
		{`a\)`, 0, `Unmatched ) or \)`},
		{`(a`, regex.ERE, `Unmatched ( or \(`},
		{`a)`, regex.ERE, `Unmatched ) or \)`},
		{`(a`, regex.ERE | regex.Lenient, `Unmatched ( or \(`},
		{`[a`, 0, `Unmatched [, [^, [:, [., or [=`},
		{`[[:alpha:`, 0, `Unmatched [, [^, [:, [., or [=`},
		{`[b-a]`, 0, `Invalid range end`},
		{`[[:foo:]]`, 0, `Invalid character class name`},
		{`[[.foo.]]`, 0, `Invalid collation character`},
		{`a\{1`, 0, `Unmatched \{`},
		{`a\{x\}`, 0, `Invalid content of \{\}`},
		{`a{2,1}`, regex.ERE, `Invalid content of \{\}`},
		{`a{40000}`, regex.ERE, `Regular expression too big`},
		{`((a{1,30000}){1,30000}){1,30000}`, regex.ERE, `Regular expression too big`},
		{strings.Repeat("(", 5000), regex.ERE, `Regular expression too big`},
		{`\(a\)\2`, 0, `Invalid back reference`},
		{`(\1a)`, regex.ERE, `Invalid back reference`},
		{`(a)|b\1`, regex.ERE, `Invalid back reference`},
		{`a\`, 0, `Trailing backslash`},
		{`*a`, regex.ERE, `Invalid preceding regular expression`},
		{`^*a`, regex.ERE, `Invalid preceding regular expression`},
		{`a|*b`, regex.ERE, `Invalid preceding regular expression`},
		{`a**`, 0, `Invalid preceding regular expression`},
		{`\{1\}`, 0, `Invalid preceding regular expression`},
	}
	for _, tt := range tests {
		_, err := regex.Compile(tt.pattern, tt.flags)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%.40q: got %v, want %q", tt.pattern, err, tt.want)
		}
	}
}

func TestFindFromSeesWhatStandsBefore(t *testing.T) {
	tests := []struct {
		pattern string
		text    string
		from    int
		notBOL  bool
		want    []int
	}{
		{`^a`, "aa", 1, false, nil},
		{`^a`, "aa", 0, true, nil},
		{`\<b`, "ab", 1, false, nil},
		{`\Bb`, "ab", 1, false, []int{1, 2}},
		{`b*`, "abb", 3, false, []int{3, 3}},
		{`$`, "ab", 1, false, []int{2, 2}},
		{`\ba`, "a", 0, true, []int{0, 1}},
	}
	for _, tt := range tests {
		re, err := regex.Compile(tt.pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := re.Find(nil, []byte(tt.text), tt.from, tt.notBOL); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s in %q from %d: got %v, want %v", tt.pattern, tt.text, tt.from, got, tt.want)
		}
	}
}

func TestFindPrefixMatchesAtOnePlaceOnly(t *testing.T) {
	re, err := regex.Compile(`\(b\)\?c*`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := re.FindPrefix(nil, []byte("abcc"), 1, false), []int{1, 4, 1, 2}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := re.FindPrefix(nil, []byte("abcc"), 0, false), []int{0, 0, -1, -1}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMatchEndLiesInTheFirstMatchingLine(t *testing.T) {
	text := []byte("one\ntwo\nthree\ntwo\n")
	for pattern, want := range map[string]int{`^tw`: 6, `t$`: -1, `e$`: 3, `thr\|o$`: 7, `w`: 6, `^$`: 18, `x*`: 0, `h\b`: -1} {
		re, err := regex.Compile(pattern, regex.Lines)
		if err != nil {
			t.Fatal(err)
		}
		if got := re.MatchEnd(text, 0, false); got != want {
			t.Errorf("%s: got %d, want %d", pattern, got, want)
		}
	}
}

func TestQuoteMatchesTheTextInBothDialects(t *testing.T) {
	for _, s := range []string{`a.b*c`, `^a$`, `[x]\{1\}`, `(a|b)+?{2}`, `\`, `]`, `é-`, `^`, `\w`} {
		for _, flags := range []regex.Flags{0, regex.ERE, regex.Awk} {
			re, err := regex.Compile(regex.Quote(s), flags)
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			if got := find(t, re, "- "+s+" -"); got != s {
				t.Errorf("%q as %q: got %q", s, regex.Quote(s), got)
			}
		}
	}
}

func TestManyWordsAreSearchedLikeOne(t *testing.T) {
	var words []string
	for i := range 3000 {
		words = append(words, fmt.Sprintf("w%dx", i*7919%100_000))
	}
	words = append(words, "", "w")
	re, err := regex.CompileList(words, regex.Fixed|regex.NoSub)
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("- w7919x -" + strings.Repeat("w1w2w3w7919 ", 100_000))
	if got := re.Find(nil, text, 1, false); !reflect.DeepEqual(got, []int{1, 1}) {
		t.Errorf("got %v", got)
	}
	if got := re.Find(nil, text, 2, false); !reflect.DeepEqual(got, []int{2, 8}) {
		t.Errorf("got %v", got)
	}
	re, err = regex.Compile(`(ab|c|ad|abc|a|b|d|e|abd)(c?)`, regex.ERE)
	if err != nil {
		t.Fatal(err)
	}
	if got := find(t, re, "abc"); got != "abc|ab|c" {
		t.Errorf("got %s", got)
	}
}
