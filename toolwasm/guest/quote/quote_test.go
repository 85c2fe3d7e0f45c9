package quote_test

import (
	"testing"

	"openclaw/toolwasm/guest/quote"
)

func TestStylesQuoteAsGNU(t *testing.T) {
	for _, c := range []struct{ in, file, always, locale, c, escape string }{
		{"", "''", "''", "‘’", `""`, ""},
		{"a", "a", "'a'", "‘a’", `"a"`, "a"},
		{"a b", "'a b'", "'a b'", "‘a b’", `"a b"`, `a\ b`},
		{"it's", `"it's"`, `"it's"`, "‘it's’", `"it's"`, "it's"},
		{"it's&", `'it'\''s&'`, `'it'\''s&'`, "‘it's&’", `"it's&"`, "it's&"},
		{"a'{b", `'a'\''{b'`, `'a'\''{b'`, "‘a'{b’", `"a'{b"`, "a'{b"},
		{"#a'b", `"#a'b"`, `"#a'b"`, "‘#a'b’", `"#a'b"`, "#a'b"},
		{"a#'b", `'a#'\''b'`, `'a#'\''b'`, "‘a#'b’", `"a#'b"`, "a#'b"},
		{"a~", "a~", "'a~'", "‘a~’", `"a~"`, "a~"},
		{"~a", "'~a'", "'~a'", "‘~a’", `"~a"`, "~a"},
		{"{", "'{'", "'{'", "‘{’", `"{"`, "{"},
		{"a}", "a}", "'a}'", "‘a}’", `"a}"`, "a}"},
		{"a\nb", `'a'$'\n''b'`, `'a'$'\n''b'`, `‘a\nb’`, `"a\nb"`, `a\nb`},
		{"a'\n", `'a'\'''$'\n'`, `'a'\'''$'\n'`, `‘a'\n’`, `"a'\n"`, `a'\n`},
		{`a\b`, `'a\b'`, `'a\b'`, `‘a\\b’`, `"a\\b"`, `a\\b`},
		{"a’b", "a’b", "'a’b'", `‘a\’b’`, `"a’b"`, "a’b"},
		{`a"b`, `'a"b'`, `'a"b'`, `‘a"b’`, `"a\"b"`, `a"b`},
		{"\xff", `''$'\377'`, `''$'\377'`, `‘\377’`, `"\377"`, `\377`},
		{"x\x7f\v", `'x'$'\177\v'`, `'x'$'\177\v'`, `‘x\177\v’`, `"x\177\v"`, `x\177\v`},
		{"é", "é", "'é'", "‘é’", `"é"`, "é"},
		{"a\u00a0b\u200b", "a\u00a0b\u200b", "'a\u00a0b\u200b'", "‘a\u00a0b\u200b’", "\"a\u00a0b\u200b\"", "a\u00a0b\u200b"},
		{"\u2028", `''$'\342\200\250'`, `''$'\342\200\250'`, `‘\342\200\250’`, `"\342\200\250"`, `\342\200\250`},
	} {
		for _, style := range []struct {
			name      string
			got, want string
		}{
			{"File", quote.File(c.in), c.file},
			{"Always", quote.Always(c.in), c.always},
			{"Locale", quote.Locale(c.in), c.locale},
			{"C", quote.C(c.in), c.c},
			{"Escape", quote.Escape(c.in), c.escape},
		} {
			if style.got != style.want {
				t.Errorf("%s(%q) = %s, want %s", style.name, c.in, style.got, style.want)
			}
		}
	}
}

func TestLiteralStylesKeepControlCharacters(t *testing.T) {
	for _, c := range []struct {
		in     string
		always bool
		want   string
	}{
		{"a\nb", false, "'a\nb'"},
		{"a\x01b", false, "a\x01b"},
		{"a\x01b", true, "'a\x01b'"},
		{"a\n'b", false, "'a\n'\\''b'"},
	} {
		if got := quote.ShellLiteral(c.in, c.always); got != c.want {
			t.Errorf("ShellLiteral(%q, %v) = %q, want %q", c.in, c.always, got, c.want)
		}
	}
	if got, want := quote.Tar("a b\\\n"), `a b\\\n`; got != want {
		t.Errorf("Tar = %s, want %s", got, want)
	}
}
