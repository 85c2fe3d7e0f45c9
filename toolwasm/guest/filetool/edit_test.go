package filetool

import (
	"os"
	"strings"
	"testing"
)

func TestEditReplacesWhatMatches(t *testing.T) {
	tests := []struct {
		name, file string
		edits      []args
		want       string
	}{
		{"a word", "one two three\n", edits("two", "2"), "one 2 three\n"},
		{"the start of the file", "ab", edits("a", "x"), "xb"},
		{"several places at once", "a b c\n", edits("c", "C", "a", "A"), "A b C\n"},
		{"neighbours", "abcd", edits("ab", "1", "cd", "2"), "12"},
		{"each against the original", "a b\n", edits("a", "b", "b", "a"), "b a\n"},
		{"text removed", "keep drop keep2", edits("drop ", ""), "keep keep2"},

		{"CRLF in the file only", "a\r\nb\r\nc\r\n", edits("a\nb\n", "1\n2\n3\n"), "1\r\n2\r\n3\r\nc\r\n"},
		{"CRLF in the texts only", "a\nb\nc\n", edits("a\r\nb", "x\r\ny"), "x\ny\nc\n"},
		{"mixed endings stay where they were", "a\r\nb\nc\r\nd\n", edits("a\nb\nc\n", "A\nB\nC\n"), "A\r\nB\nC\r\nd\n"},
		{"more lines than before take the last ending", "a\nb\r\nc", edits("a\nb\n", "1\n2\n3\n"), "1\n2\r\n3\r\nc"},
		{"new lines take the ending of their own line", "a\r\nb\nc\n", edits("a", "a1\na2"), "a1\r\na2\r\nb\nc\n"},
		{"or of the line before when it has none", "a\r\nb", edits("b", "b\nc"), "a\r\nb\r\nc"},
		{"a lone carriage return is text", "a\rb\n", edits("a\rb", "c\rd"), "c\rd\n"},
		{"an edit that begins inside a CRLF line", "one two\r\nthree\r\n", edits("two\nthree", "2\n3"), "one 2\r\n3\r\n"},

		{"a byte order mark stays", bom + "a\nb\n", edits("a\n", "A\n"), bom + "A\nb\n"},
		{"typographic quotes", "say “yes” and ‘no’\n", edits(`say "yes" and 'no'`, "silence"), "silence\n"},
		{"dashes", "1–2 — 3\n", edits("1-2 - 3", "x"), "x\n"},
		{"special spaces", "a\u00a0b\u2003c\u3000d\n", edits("a b c d", "x"), "x\n"},
		{"full width and ligatures", "ＡＢ ﬁne\n", edits("AB fine", "x"), "x\n"},
		{"decomposed letters", "cafe\u0301 au lait\n", edits("café au", "tea au"), "tea au lait\n"},
		{"composed letters", "café\n", edits("cafe\u0301", "tea"), "tea\n"},
		{"white space at line ends of the file", "a  \nb\t\nc\n", edits("a\nb\n", "x\n"), "x\nc\n"},
		{"white space at line ends of the text", "a\nb\nc\n", edits("a  \nb \n", "x\n"), "x\nc\n"},
		{"white space at the end of the last line", "f(\u00a0)  \nnext\n", edits("f( )", "g()"), "g()\nnext\n"},
		{"a line of white space after the match stays", "a \n   \nb\n", edits("a\n", "x\n"), "x\n   \nb\n"},
		{"a blank line with white space", "a\n   \nb\n", edits("a\n\nb", "x"), "x\n"},
		{"only the matched part changes", "“a” – “b”  \n“c”\u00a0\n", edits(`"a" -`, "x"), "x “b”  \n“c”\u00a0\n"},
		{"CRLF and fuzzy together", "“a”\r\nb \r\nc\r\n", edits("\"a\"\nb\n", "x\ny\n"), "x\r\ny\r\nc\r\n"},
		{"exact beats fuzzy", "'a'\n‘a’\n", edits("'a'", "x"), "x\n‘a’\n"},
		{"exact beats fuzzy, the other way round", "'a'\n‘a’\n", edits("‘a’", "x"), "'a'\nx\n"},
		{"no expansion of the new text", "x\n", edits("x", `$1 \1 $& %s`), `$1 \1 $& %s` + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkdir(t, map[string]string{"f": tt.file})
			if a := w.call("edit", args{"path": "f", "edits": tt.edits}); a.status != statusDone {
				t.Errorf("status %d: %s", a.status, a.Text)
			}
			w.wantFiles(map[string]string{"f": tt.want})
		})
	}
}

func TestEditRefuses(t *testing.T) {
	tests := []struct {
		name, file string
		edits      []args
		want       string // in the answer
	}{
		{"text that is not there", "a\n", edits("zzz", "x"), "oldText was not found"},
		{"one of several that is not there", "a\n", edits("a", "b", "zzz", "x"), "edits[1].oldText was not found"},
		{"text that is there twice", "a\nb\na\n", edits("a", "x"), "occurs 2 times in the file, at lines 1 and 3"},
		{"occurrences that overlap", "aaa", edits("aa", "x"), "occurs 2 times"},
		{"text that is there very often", strings.Repeat("a\n", 1000), edits("a", "x"), "more than 20 times"},
		{"several fuzzy matches", "“a”\n„a‟\n", edits(`"a"`, "x"), "occurs 2 times in the file, at lines 1 and 2"},
		{"edits that overlap", "abcdef", edits("abcd", "1", "cdef", "2"), "edits[0] and edits[1] overlap"},
		{"the same edit twice", "abc", edits("b", "1", "b", "2"), "edits[0] and edits[1] overlap"},
		{"no change", "a\n", edits("a", "a"), "no change"},
		{"no change but for line endings", "a\r\nb\r\n", edits("a\nb\n", "a\r\nb\r\n"), "no change"},
		{"bytes that are no UTF-8", "a\xff\n", edits("a", "b"), "not UTF-8"},
		{"a byte order mark in the text", bom + "a\n", edits(bom+"a", "b"), "not found"},
		{"half of a ligature", "oﬁ\n", edits("of", "x"), "not found"},
		{"white space at the end where the line goes on", "foo\u00a0bar\n", edits("foo  ", "x"), "not found"},
		{"indentation that differs", "\tx = 1\n", edits("    x = 1", "x"), "only white space differs"},
		{"a line ending that is not there", "a\nb", edits("b\n", "c\n"), "not found"},
		{"nothing but white space", "a\n", edits("   ", "x"), "not found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkdir(t, map[string]string{"f": tt.file})
			a := w.call("edit", args{"path": "f", "edits": tt.edits})
			if a.status != statusFailed || !strings.Contains(a.Text, tt.want) || !strings.Contains(a.Text, "nothing was changed") {
				t.Errorf("status %d: %s\nwant status 1 and %q", a.status, a.Text, tt.want)
			}
			w.wantFiles(map[string]string{"f": tt.file})
		})
	}
}

func TestEditRefusesWhatIsNoFile(t *testing.T) {
	w := newWorkdir(t, map[string]string{"d/f": "x"})
	for name, want := range map[string]string{
		"missing": "No such file", "d": "directory", "d/f/g": "Not a directory", "missing/": "No such file",
	} {
		a := w.call("edit", args{"path": name, "edits": edits("x", "y")})
		if want == "No such file" && strings.HasSuffix(name, "/") {
			want = "not of a directory"
		}
		if a.status != statusFailed || !strings.Contains(a.Text, want) {
			t.Errorf("%s: status %d, %q; want %q", name, a.status, a.Text, want)
		}
	}
	w.wantFiles(map[string]string{"d/f": "x"})
}

func TestEditKeepsTheModeAndTellsTheLines(t *testing.T) {
	w := newWorkdir(t, map[string]string{"f": "1\n2\n3\n4\n"})
	if err := os.Chmod(w.path("f"), 0o751); err != nil {
		t.Fatal(err)
	}
	a := w.call("edit", args{"path": "f", "edits": edits("4", "four", "1\n", "one\nand a half\n")})
	if a.status != statusDone || !strings.Contains(a.Text, "at lines 5 and 1") {
		t.Errorf("status %d: %s", a.status, a.Text)
	}
	info, err := os.Stat(w.path("f"))
	if err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("mode %v, %v; want 0751", info.Mode(), err)
	}
}

func TestEditHintIsShort(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		b.WriteString(strings.Repeat("wörd ", 100) + string(rune('a'+i%26)) + "\n")
	}
	w := newWorkdir(t, map[string]string{"f": b.String()})
	a := w.call("edit", args{"path": "f", "edits": edits(strings.Repeat("wörd ", 99)+"word a\n"+strings.Repeat("wörd ", 99)+"werd b\n", "x")})
	const fixed = 80 // "edit f: nothing was changed: oldText was not found in the file"
	if a.status != statusFailed || len(a.Text) > maxHint+fixed || !strings.Contains(a.Text, "line 1 ") {
		t.Errorf("status %d, %d bytes: %s", a.status, len(a.Text), a.Text)
	}
}
