package regex_test

import (
	goregexp "regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"openclaw/toolwasm/guest/regex"
)

// genPattern draws an ERE that Go's regexp reads alike.
func genPattern(depth int) *rapid.Generator[string] {
	atom := rapid.SampledFrom([]string{"a", "b", "c", ".", "[ab]", "[^a]", "é", "^", "$", "[a-bé-ü]", "x"})
	if depth == 0 {
		return atom
	}
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 4).Draw(t, "form") {
		case 0:
			return atom.Draw(t, "atom")
		case 1:
			return "(" + genPattern(depth-1).Draw(t, "group") + ")"
		case 2:
			sub := genPattern(depth-1).Draw(t, "repeated")
			return "(" + sub + ")" + rapid.SampledFrom([]string{"*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}"}).Draw(t, "times")
		case 3:
			return "(" + genPattern(depth-1).Draw(t, "left") + "|" + genPattern(depth-1).Draw(t, "right") + ")"
		}
		return genPattern(depth-1).Draw(t, "first") + genPattern(depth-1).Draw(t, "second")
	})
}

func genText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "é", "x", "ab", "aa"}), 0, 12).Draw(t, "pieces"), "")
	})
}

func TestBoundsAgreeWithGoRegexpLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := genPattern(4).Draw(t, "pattern")
		text := genText().Draw(t, "text")
		want, err := goregexp.CompilePOSIX(pattern)
		if err != nil {
			t.Skip("not a pattern of both dialects")
		}
		re, err := regex.Compile(pattern, regex.ERE)
		if err != nil {
			t.Fatalf("%q: %v", pattern, err)
		}
		w := want.FindStringIndex(text)
		g := re.Find(nil, []byte(text), 0, false)
		if (w == nil) != (g == nil) || w != nil && (w[0] != g[0] || w[1] != g[1]) {
			t.Fatalf("%q in %q: got %v, want %v", pattern, text, g, w)
		}
		if re.Match([]byte(text), false) != (w != nil) {
			t.Fatalf("%q in %q: Match disagrees", pattern, text)
		}
		if g == nil {
			return
		}
		for i := 2; i < len(g); i += 2 {
			if g[i] > g[i+1] || g[i] >= 0 && (g[i] < g[0] || g[i+1] > g[1]) {
				t.Fatalf("%q in %q: group %d lies at %v", pattern, text, i/2, g[i:i+2])
			}
		}
	})
}

// TestLineSearchAgreesWithSearchByLine checks that a buffer of lines is searched as each line by itself would be.
func TestLineSearchAgreesWithSearchByLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := genPattern(3).Draw(t, "pattern")
		flags := regex.ERE | rapid.SampledFrom([]regex.Flags{0, regex.IgnoreCase, regex.WholeWord, regex.WholeLine}).Draw(t, "flags")
		lines := rapid.SliceOfN(genText(), 1, 6).Draw(t, "lines")
		re, err := regex.Compile(pattern, flags|regex.Lines)
		if err != nil {
			t.Skip("not a pattern of both dialects")
		}
		single, err := regex.Compile(pattern, flags)
		if err != nil {
			t.Fatal(err)
		}
		want, at := -1, 0
		for i, l := range lines {
			if single.Match([]byte(l), false) {
				want = i
				break
			}
		}
		text := strings.Join(lines, "\n") + "\n"
		got := re.MatchEnd([]byte(text), 0, false)
		if got >= len(text) {
			got = -1 // after the last line
		}
		if got >= 0 {
			at = strings.Count(text[:got], "\n")
		} else {
			at = -1
		}
		if at != want {
			t.Fatalf("%q in %q: got line %d, want %d", pattern, text, at, want)
		}
	})
}

// nested finds loops whose body may match nothing.
var nested = goregexp.MustCompile(`[*?}][^(]*\)[*+?{]|[\^$]\)*[*+?{]|\|[^(]*\)[*+?{]`)

func TestPerlAgreesWithGoRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := genPattern(3).Draw(t, "pattern")
		text := genText().Draw(t, "text")
		want, err := goregexp.Compile(pattern)
		if err != nil || nested.MatchString(pattern) {
			t.Skip("a round of a loop that matches nothing is taken differently")
		}
		re, err := regex.CompilePerl(pattern, 0)
		if err != nil {
			t.Fatalf("%q: %v", pattern, err)
		}
		g, err := re.Find(nil, []byte(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		w := want.FindStringIndex(text)
		if (w == nil) != (g == nil) || w != nil && (w[0] != g[0] || w[1] != g[1]) {
			t.Fatalf("%q in %q: got %v, want %v", pattern, text, g, w)
		}
	})
}

func TestHostilePatternsTakeLinearTime(t *testing.T) {
	text := []byte(strings.Repeat("a", 200_000))
	for _, pattern := range []string{`(a+)+[bx]`, `(a|a)*[bx]`, `(a*)*[bx]`, `(.*)(.*)(.*)(.*)[bx]`, `a*a*a*a*a*[bx]`, `(a?){50}a{50}[bx]`, `[ab]*c|[ab]*d`} {
		re, err := regex.Compile(pattern, regex.ERE)
		if err != nil {
			t.Fatal(err)
		}
		if m := re.Find(nil, text, 0, false); m != nil {
			t.Errorf("%s: got %v", pattern, m)
		}
	}
}

type cancelled struct{}

// runUntil calls f with a yield function that ends it after n calls.
func runUntil(n int, f func(yield func())) (ended bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(cancelled); !ok {
				panic(r)
			}
			ended = true
		}
	}()
	f(func() {
		if n--; n < 0 {
			panic(cancelled{})
		}
	})
	return false
}

func TestHostileBackReferencesCanBeEnded(t *testing.T) {
	text := []byte(strings.Repeat("a", 2000))
	ended := runUntil(50, func(yield func()) {
		re, err := regex.Compile(`\(a*\)*\(a*\)*\(a*\)*\1\2\3b`, 0)
		if err != nil {
			t.Error(err)
			return
		}
		re.SetYield(yield)
		re.Match(append(text, 'b', 'c'), false)
		re.Find(nil, append(text, 'b'), 0, false)
	})
	_ = ended // it may also be quick enough
	ended = runUntil(50, func(yield func()) {
		re, err := regex.CompilePerl(`(a+)+\1x`, 0)
		if err != nil {
			t.Error(err)
			return
		}
		re.SetYield(yield)
		_, _ = re.Find(nil, text, 0)
	})
	if !ended {
		t.Error("the Perl search was not ended")
	}
}

func FuzzRegexp(f *testing.F) {
	for _, seed := range []string{`a*\(b\|c\)\{2,3\}`, `^[[:alpha:]_]+$`, `\(.\)\1`, `[]a-z[.x.]]`, `\<\w\+\>`, "\xff*", `((a|b)*c){1,3}`, `\`, `[[=`, `a{1,2}{3}`} {
		f.Add(seed, "aabbcc ab\nxyz\xff é", uint8(0))
		f.Add(seed, "aabbcc", uint8(3))
	}
	f.Fuzz(func(t *testing.T, pattern, text string, bits uint8) {
		if len(pattern) > 60 || len(text) > 200 {
			return
		}
		flags := regex.Flags(bits) & (regex.ERE | regex.IgnoreCase | regex.Newline | regex.Lenient | regex.Awk | regex.Emacs)
		re, err := regex.Compile(pattern, flags)
		if err != nil {
			return
		}
		steps := 0
		runUntil(200, func(yield func()) {
			re.SetYield(yield)
			b := []byte(text)
			for from := 0; from <= len(b) && steps < 20; steps++ {
				m := re.Find(nil, b, from, false)
				if m == nil {
					break
				}
				if m[0] < from || m[1] < m[0] || m[1] > len(b) {
					t.Fatalf("%q in %q from %d: %v", pattern, text, from, m)
				}
				from = m[1] + 1
			}
			first := re.Find(nil, b, 0, false)
			if re.Match(b, false) != (first != nil) {
				t.Fatalf("%q in %q: Match and Find disagree", pattern, text)
			}
		})
	})
}

func FuzzPerl(f *testing.F) {
	for _, seed := range []string{`(?<=a)b\K\w+?`, `(?i)[^\W\d_]+(?!x)`, `(a(?:b|(?1))c)`, `\Q.*\E`, `(?|(a)|(b))\1`, `(?<n>a)\k<n>`, `(?>a+)b`, `a{2,3}+`, `(?(1)a|b)`, `[[:]`, `(?-2)`, `\g`} {
		f.Add(seed, "aabbcc ab xyz é")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 60 || len(text) > 200 {
			return
		}
		re, err := regex.CompilePerl(pattern, 0)
		if err != nil {
			return
		}
		runUntil(200, func(yield func()) {
			re.SetYield(yield)
			m, err := re.Find(nil, []byte(text), 0)
			if err == nil && m != nil && (m[1] > len(text) || m[0] < 0) {
				t.Fatalf("%q in %q: %v", pattern, text, m)
			}
		})
	})
}
