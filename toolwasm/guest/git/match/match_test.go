package match_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"openclaw/toolwasm/guest/git/match"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*.c", "a.c", true},
		{"*.c", "d/a.c", false},
		{"**/a", "a", true},
		{"**/a", "x/y/a", true},
		{"a/**", "a/b/c", true},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/x/y/b", true},
		{"a**b", "axb", true},
		{"a**b", "a/b", false},
		{"[a-c]?", "b1", true},
		{"[!a-c]?", "b1", false},
		{`\*`, "*", true},
		{`\*`, "x", false},
		{"[[:digit:]]", "7", true},
		{"[", "[", false},
	} {
		if got := match.Glob(c.pattern, c.text, true, false); got != c.want {
			t.Errorf("%q %q: %v", c.pattern, c.text, got)
		}
	}
}

func TestPatternsThatCouldTakeForeverEnd(t *testing.T) {
	start := time.Now()
	match.Glob(strings.Repeat("*a", 60)+"b", strings.Repeat("a", 2000), true, false)
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestTheLastRuleDecides(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".gitignore": "*.o\n!keep.o\nbuild/\n/top\na/b\n", "d/.gitignore": "!x.o\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g := match.NewIgnores(dir, false)
	for name, want := range map[string]bool{
		"a.o": true, "keep.o": false, "d/x.o": false, "d/y.o": true, "top": true, "d/top": false, "a/b": true, "d/a/b": false,
		"build/x": true, "d/build/x": true,
	} {
		if got := g.Path(name, false); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if g.Path("build", false) || !g.Path("build", true) {
		t.Error("a pattern with a slash at its end means directories alone")
	}
}
