package quote_test

import (
	"testing"

	"openclaw/toolwasm/guest/text/quote"
)

func TestQuoting(t *testing.T) {
	for _, c := range []struct{ in, curly, shell, file string }{
		{"a", "‘a’", "'a'", "a"},
		{"a b", "‘a b’", "'a b'", "'a b'"},
		{"it's", "‘it's’", `"it's"`, `"it's"`},
		{"a\nb", `‘a\nb’`, `'a'$'\n''b'`, `'a'$'\n''b'`},
		{`a\b`, `‘a\\b’`, `'a\b'`, `'a\b'`},
		{"", "‘’", "''", "''"},
		{"\xff", `‘\377’`, `''$'\377'`, `''$'\377'`},
		{"é", "‘é’", "'é'", "é"},
	} {
		if got := quote.Curly(c.in); got != c.curly {
			t.Errorf("Curly(%q) = %s, want %s", c.in, got, c.curly)
		}
		if got := quote.Shell(c.in); got != c.shell {
			t.Errorf("Shell(%q) = %s, want %s", c.in, got, c.shell)
		}
		if got := quote.File(c.in); got != c.file {
			t.Errorf("File(%q) = %s, want %s", c.in, got, c.file)
		}
	}
}
