package glob_test

import (
	"strings"
	"testing"

	"openclaw/toolwasm/guest/glob"
)

func TestPatternMatchesWholeText(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		flags         glob.Flags
		want          bool
	}{
		{"", "", 0, true},
		{"", "a", 0, false},
		{"a*c", "abbbc", 0, true},
		{"a*c", "abbb", 0, false},
		{"*", "", 0, true},
		{"?", "é", 0, true},
		{"?", "", 0, false},
		{"[a-c]x", "bx", 0, true},
		{"[!a-c]x", "bx", 0, false},
		{"[]a]", "]", 0, true},
		{"[a", "[a", 0, true},
		{"[[:digit:]]*", "7up", 0, true},
		{"[[:upper:]]", "É", 0, true},
		{`\*`, "*", 0, true},
		{`\*`, "x", 0, false},
		{`[\]]`, "]", 0, true},
		{`\*`, `\abc`, glob.NoEscape, true},
		{"HeLLo*", "hello world", glob.IgnoreCase, true},
		{"[A-Z]", "q", glob.IgnoreCase, true},
		{"*", ".x", glob.Period, false},
		{".*", ".x", glob.Period, true},
		{"*/b", "a/b", glob.Pathname, true},
		{"*b", "a/b", glob.Pathname, false},
		{"@(a|bc)d", "bcd", glob.Extglob, true},
		{"@(a|bc)d", "abcd", glob.Extglob, false},
		{"+(ab)", "ababab", glob.Extglob, true},
		{"*(ab)", "", glob.Extglob, true},
		{"?(x)y", "y", glob.Extglob, true},
		{"!(*.c)", "a.h", glob.Extglob, true},
		{"!(*.c)", "a.c", glob.Extglob, false},
		{"a!(b)c", "abc", glob.Extglob, false},
		{"a!(b)c", "axxc", glob.Extglob, true},
		{"+(a|+(b|c))d", "abcabcd", glob.Extglob, true},
		{"@(a", "@(a", glob.Extglob, true},
		{"@(a)", "@(a)", 0, true},
	} {
		p, err := glob.Compile(c.pattern, c.flags)
		if err != nil {
			t.Fatalf("Compile(%q): %v", c.pattern, err)
		}
		if got := p.Match(c.text); got != c.want {
			t.Errorf("Compile(%q, %v).Match(%q) = %v, want %v", c.pattern, c.flags, c.text, got, c.want)
		}
	}
}

func TestPrefixAndSuffix(t *testing.T) {
	for _, c := range []struct {
		pattern, text  string
		sp, lp, ss, ls int
	}{
		{"*a", "banana", 2, 6, 5, 0},
		{"a*", "banana", -1, -1, 5, 1},
		{"na", "banana", -1, -1, 4, 4},
		{"ba", "banana", 2, 2, -1, -1},
		{"?", "éa", 2, 2, 2, 2},
		{"+(a|n)", "anan", 1, 4, 3, 0},
		{"", "x", 0, 0, 1, 1},
	} {
		p, err := glob.Compile(c.pattern, glob.Extglob)
		if err != nil {
			t.Fatal(err)
		}
		got := [4]int{p.ShortestPrefix(c.text), p.LongestPrefix(c.text), p.ShortestSuffix(c.text), p.LongestSuffix(c.text)}
		if want := [4]int{c.sp, c.lp, c.ss, c.ls}; got != want {
			t.Errorf("%q with %q: got %v, want %v", c.text, c.pattern, got, want)
		}
	}
}

func TestFindIsLeftmostLongest(t *testing.T) {
	p, _ := glob.Compile("a*b", 0)
	if s, e := p.Find("xxaabab-", 0); s != 2 || e != 7 {
		t.Errorf("Find = %d, %d", s, e)
	}
}

func TestHostilePatternsEndQuickly(t *testing.T) {
	text := strings.Repeat("a", 2000)
	for _, pattern := range []string{strings.Repeat("*a", 50) + "b", "+(+(+(a|aa)|a)|aaa)b", "!(!(!(a)b)c)d"} {
		p, err := glob.Compile(pattern, glob.Extglob)
		if err != nil {
			t.Fatal(err)
		}
		p.Match(text)
	}
	if _, err := glob.Compile(strings.Repeat("@(", 10000)+strings.Repeat(")", 10000), glob.Extglob); err == nil {
		t.Error("10,000 nested patterns compile")
	}
}

func FuzzCompileAndMatch(f *testing.F) {
	f.Add("a*[b-c]?(x|y)", "aabx", uint8(1))
	f.Fuzz(func(t *testing.T, pattern, text string, flags uint8) {
		if len(pattern) > 60 || len(text) > 60 {
			return
		}
		p, err := glob.Compile(pattern, glob.Flags(flags&31))
		if err != nil {
			return
		}
		p.Match(text)
		p.LongestPrefix(text)
		p.ShortestSuffix(text)
		p.Find(text, 0)
	})
}
