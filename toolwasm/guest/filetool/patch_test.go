package filetool

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestPatchUpdatesLines(t *testing.T) {
	tests := []struct {
		name, file string
		lines      []string // of the chunks
		want       string
	}{
		{"a line", "a\nb\nc\n", []string{"@@", " a", "-b", "+B", " c"}, "a\nB\nc\n"},
		{"without the first @@", "a\nb\n", []string{"-a", "+A"}, "A\nb\n"},
		{"the first place of several", "a\nx\nb\nx\n", []string{"@@", "-x", "+y"}, "a\ny\nb\nx\n"},
		{"chunks go on after each other", "x\nx\nx\n", []string{"@@", "-x", "+1", "@@", "-x", "+2"}, "1\n2\nx\n"},
		{"an anchor", "def a\n  x\ndef b\n  x\n", []string{"@@ def b", "-  x", "+  y"}, "def a\n  x\ndef b\n  y\n"},
		{"an anchor without its indentation", "a\n  def b\n  x\n", []string{"@@ def b", "-  x", "+  y"}, "a\n  def b\n  y\n"},
		{"an anchor far above", "def b\n1\n2\nx\n", []string{"@@ def b", "-x", "+y"}, "def b\n1\n2\ny\n"},
		{"the end of the file", "x\na\nx\n", []string{"@@", "-x", "+y", "*** End of File"}, "x\na\ny\n"},
		{"the end of the file, fuzzily", "x \na\nx \n", []string{"@@", "-x", "+y", "*** End of File"}, "x \na\ny\n"},
		{"lines added after an anchor", "a\nb\nc\n", []string{"@@ b", "+new"}, "a\nb\nnew\nc\n"},
		{"lines added at the end", "a\nb\n", []string{"@@", "+c", "+d"}, "a\nb\nc\nd\n"},
		{"lines added at the end, then more", "a\n", []string{"@@", "+c", "@@", "+d"}, "a\nc\nd\n"},
		{"lines added to an empty file", "", []string{"@@", "+a"}, "a\n"},
		{"a blank line that was given bare", "a\n\nb\n", []string{"@@", " a", "", "-b", "+B"}, "a\n\nB\n"},
		{"a blank line that only separates", "a\nb\n", []string{"@@", "-a", "+A", ""}, "A\nb\n"},
		{"blank lines between chunks", "a\nb\n", []string{"@@", "-a", "+A", "", "", "@@", "-b", "+B"}, "A\nB\n"},
		{"only white space on a line", "a\n  \nb\n", []string{"@@", " a", " ", "-b", "+B"}, "a\n  \nB\n"},
		{"kept lines keep their own text", "if “x”:  \n\told\n", []string{"@@", ` if "x":`, "-\told", "+\tnew"}, "if “x”:  \n\tnew\n"},
		{"composed and decomposed letters", "cafe\u0301\nold\n", []string{"@@", " café", "-old", "+new"}, "cafe\u0301\nnew\n"},
		{"exact beats fuzzy further up", "  x\nx\n", []string{"@@", "-x", "+y"}, "  x\ny\n"},
		{"trailing white space beats indentation", "  x\nx  \n", []string{"@@", "-x", "+y"}, "  x\ny\n"},
		{"a fuzzy match after an anchor", "def a\n\tx\ndef b\n\tx\n", []string{"@@ def b", "-    x", "+\ty"}, "def a\n\tx\ndef b\n\ty\n"},
		{"all lines removed", "a\nb\n", []string{"@@", "-a", "-b"}, ""},
		{"nothing but kept lines", "a\nb", []string{"@@", " a", " b"}, "a\nb"},
		{"lines that look like headers", "*** Add File: x\n@@\n", []string{"@@", "-*** Add File: x", "+*** End Patch", " @@"}, "*** End Patch\n@@\n"},

		{"CRLF", "a\r\nb\r\nc\r\n", []string{"@@", " a", "-b", "+1", "+2"}, "a\r\n1\r\n2\r\nc\r\n"},
		{"mixed endings", "a\nb\r\nc\nd\r\n", []string{"@@", " a", "-b", "+B", " c", "+x", " d"}, "a\nB\r\nc\nx\nd\r\n"},
		{"CRLF at the end", "a\r\nb\r\n", []string{"@@", "+c"}, "a\r\nb\r\nc\r\n"},
		{"CRLF at the top", "a\r\nb\r\n", []string{"@@", "+0", " a"}, "0\r\na\r\nb\r\n"},
		{"CRLF in the patch", "a\nb\n", []string{"@@\r", "-a\r", "+A\r"}, "A\nb\n"},
		{"no final newline", "a\nb", []string{"@@", "-b", "+B"}, "a\nB\n"},
		{"no final newline, changed above", "a\r\nb", []string{"@@", "-a", "+A"}, "A\r\nb\r\n"},
		{"no final newline, added to", "a\r\nb", []string{"@@", "+c"}, "a\r\nb\r\nc\r\n"},
		{"a byte order mark", bom + "a\nb\n", []string{"@@", "-a", "+A"}, bom + "A\nb\n"},
		{"bytes that are no UTF-8", "\xff\xfe\na\n", []string{"@@", "-a", "+A"}, "\xff\xfe\nA\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkdir(t, map[string]string{"f": tt.file})
			a := w.call("apply_patch", args{"input": patch(append([]string{"*** Update File: f"}, tt.lines...)...)})
			if a.status != statusDone || !strings.HasSuffix(a.Text, "\nM f") {
				t.Errorf("status %d: %s", a.status, a.Text)
			}
			w.wantFiles(map[string]string{"f": tt.want})
		})
	}
}

func TestPatchRefusesWhatDoesNotFit(t *testing.T) {
	tests := []struct {
		name, file string
		lines      []string
		want       string
	}{
		{"lines that are not there", "alpha\nbeta\n", []string{"@@", "-alpha", "-betta", "+x"}, "line 3 of the patch: these lines were not found; nearest:\nline 1 "},
		{"chunks in the wrong order", "a\nb\n", []string{"@@", "-b", "+B", "@@", "-a", "+A"}, "not found after line 2"},
		{"an anchor that is not there", "a\nb\n", []string{"@@ zzz", "-a", "+A"}, `the line after @@ ("zzz") was not found`},
		{"lines only above the anchor", "x\nanchor\n", []string{"@@ anchor", "-x", "+y"}, "not found after line 2"},
		{"several fuzzy places", "\tx\n  x\n", []string{"@@", "-x", "+y"}, "several places resemble them, at lines 1 and 2; name a line before the right one after @@"},
		{"several fuzzy anchors", "\tdef f\nx\n  def f\nx\n", []string{"@@ def f", "-x", "+y"}, "several resemble it, at lines 1 and 3"},
		{"not the end of the file", "x\na\n", []string{"@@", "-x", "+y", "*** End of File"}, "not at the end of the file"},
		{"a missing blank line in the middle", "a\nb\n", []string{"@@", " a", "", "-b"}, "not found"},
		{"more lines than the file has", "a\n", []string{"@@", " a", "-b"}, "not found"},
		{"lines of an empty file", "", []string{"@@", "-a"}, "not found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkdir(t, map[string]string{"f": tt.file})
			a := w.call("apply_patch", args{"input": patch(append([]string{"*** Update File: f"}, tt.lines...)...)})
			if a.status != statusFailed || !strings.Contains(a.Text, tt.want) || !strings.Contains(a.Text, "nothing was changed") {
				t.Errorf("status %d: %s\nwant %q", a.status, a.Text, tt.want)
			}
			w.wantFiles(map[string]string{"f": tt.file})
		})
	}
}

func TestPatchOfSeveralFiles(t *testing.T) {
	files := map[string]string{"a": "a\n", "b": "b\n", "d/c": "c\n"}
	tests := []struct {
		name  string
		lines []string
		want  map[string]string
		list  string
	}{
		{
			"every action",
			[]string{"*** Add File: n/e/w", "+1", "+", "*** Delete File: a", "*** Update File: b", "@@", "-b", "+B"},
			map[string]string{"n/e/w": "1\n\n", "b": "B\n", "d/c": "c\n"},
			"A n/e/w\nD a\nM b",
		},
		{
			"a move",
			[]string{"*** Update File: d/c", "*** Move to: x/y", "@@", "-c", "+C"},
			map[string]string{"a": "a\n", "b": "b\n", "x/y": "C\n", "d/": ""},
			"M x/y",
		},
		{
			"a move onto another file",
			[]string{"*** Update File: a", "*** Move to: b", "@@", " a"},
			map[string]string{"b": "a\n", "d/c": "c\n"},
			"M b",
		},
		{
			"two files change places",
			[]string{
				"*** Update File: a", "*** Move to: t", "@@", " a", "*** Update File: b", "*** Move to: a", "@@", " b",
				"*** Update File: t", "*** Move to: b", "@@", " a",
			},
			map[string]string{"a": "b\n", "b": "a\n", "d/c": "c\n"},
			"M t\nM a\nM b",
		},
		{
			"a move onto itself by another name",
			[]string{"*** Update File: a", "*** Move to: d/../a", "@@", "-a", "+A"},
			map[string]string{"a": "A\n", "b": "b\n", "d/c": "c\n"},
			"M a",
		},
		{
			"one file twice",
			[]string{"*** Update File: a", "@@", "-a", "+1", "+2", "*** Update File: ./a", "@@", "-2", "+3"},
			map[string]string{"a": "1\n3\n", "b": "b\n", "d/c": "c\n"},
			"M a\nM ./a",
		},
		{
			"a new file is updated and moved",
			[]string{
				"*** Add File: n", "+1", "*** Update File: n", "*** Move to: m", "@@", "-1", "+2",
			},
			map[string]string{"a": "a\n", "b": "b\n", "d/c": "c\n", "m": "2\n"},
			"A n\nM m",
		},
		{
			"a deleted file is added again",
			[]string{"*** Delete File: a", "*** Add File: a", "+new"},
			map[string]string{"a": "new\n", "b": "b\n", "d/c": "c\n"},
			"D a\nA a",
		},
		{
			"a new file is deleted again",
			[]string{"*** Add File: n", "+1", "*** Delete File: n"},
			map[string]string{"a": "a\n", "b": "b\n", "d/c": "c\n"},
			"A n\nD n",
		},
		{
			"a file is replaced",
			[]string{"*** Add File: a", "+1"},
			map[string]string{"a": "1\n", "b": "b\n", "d/c": "c\n"},
			"A a",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkdir(t, files)
			a := w.call("apply_patch", args{"input": patch(tt.lines...)})
			if a.status != statusDone || !strings.HasSuffix(a.Text, ":\n"+tt.list) {
				t.Errorf("status %d: %s", a.status, a.Text)
			}
			w.wantFiles(tt.want)
		})
	}
}

func TestPatchIsAllOrNothing(t *testing.T) {
	files := map[string]string{"a": "a\n", "b": "b\n", "d/c": "c\n"}
	good := []string{"*** Delete File: a", "*** Add File: n/e/w", "+1", "*** Update File: b", "*** Move to: m/b", "@@", "-b", "+B"}
	tests := []struct {
		name string
		bad  []string
		want string
	}{
		{"a missing file updated", []string{"*** Update File: no", "@@", "-a"}, "no: line 10 of the patch: there is no such file"},
		{"a missing file deleted", []string{"*** Delete File: no"}, "no such file"},
		{"a deleted file updated", []string{"*** Update File: a", "@@", " a"}, "no such file"},
		{"a deleted file deleted", []string{"*** Delete File: ./a"}, "no such file"},
		{"a moved file updated", []string{"*** Update File: b", "@@", " B"}, "no such file"},
		{"lines that are not there", []string{"*** Update File: d/c", "@@", "-x"}, "not found"},
		{"a directory deleted", []string{"*** Delete File: d"}, "directory"},
		{"a directory replaced", []string{"*** Add File: d", "+x"}, "directory"},
		{"a move onto a directory", []string{"*** Update File: d/c", "*** Move to: d", "@@", " c"}, "directory"},
		{"a file below a file", []string{"*** Add File: d/c/x", "+x"}, "Not a directory"},
		{"a file below a new file", []string{"*** Add File: n/e/w/x", "+x"}, "n/e/w"},
		{"a path outside", []string{"*** Add File: ../x", "+x"}, "outside the workspace"},
		{"a path that leaves and comes back", []string{"*** Add File: nowhere/../x", "+x"}, "No such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkdir(t, files)
			a := w.call("apply_patch", args{"input": patch(append(good[:len(good):len(good)], tt.bad...)...)})
			if a.status != statusFailed || !strings.Contains(a.Text, tt.want) {
				t.Errorf("status %d: %s\nwant %q", a.status, a.Text, tt.want)
			}
			w.wantFiles(files)
		})
	}
}

func TestPatchSyntaxIsStrict(t *testing.T) {
	tests := []struct{ name, patch, want string }{
		{"nothing", "", "the patch is empty"},
		{"blank lines", "\n \n", "the patch is empty"},
		{"no begin", "*** Update File: f\n@@\n-a\n*** End Patch", "line 1 of the patch: the first line"},
		{"no end", "\n*** Begin Patch\n*** Delete File: f\n", "line 3 of the patch: the last line"},
		{"only a begin", "*** Begin Patch", "the last line"},
		{"no file", patch(""), "is no header"},
		{"no file at all", "*** Begin Patch\n*** End Patch", "names no file"},
		{"text after the end", patch("*** Delete File: f") + "done", "the last line"},
		{"an end in the middle", patch("*** Delete File: f", "*** End Patch", "*** Delete File: g"), "line 3 of the patch: \"*** End Patch\" is no header"},
		{"an unknown header", patch("*** Rename File: f"), "line 2 of the patch: \"*** Rename File: f\" is no header"},
		{"an unknown header after a chunk", patch("*** Update File: f", "@@", "-a", "*** Replace with:"), "line 5 of the patch"},
		{"no path to add", patch("*** Add File:", "+x"), "line 2 of the patch: the path is missing"},
		{"no path to move to", patch("*** Update File: f", "*** Move to: ", "@@", "-a"), "line 3 of the patch: the path is missing"},
		{"a line without plus", patch("*** Add File: n", "x"), "line 3 of the patch"},
		{"no chunk", patch("*** Update File: f", "*** Delete File: f"), "line 2 of the patch: the update of f has no lines"},
		{"an empty chunk", patch("*** Update File: f", "@@"), "has no lines"},
		{"an empty chunk at the end of the file", patch("*** Update File: f", "@@", "*** End of File"), "has no lines"},
		{"two anchors", patch("*** Update File: f", "@@ a", "@@ b", "-c"), "line 4 of the patch: \"@@ b\" is no line of a chunk"},
		{"a line that begins with a letter", patch("*** Update File: f", "@@", "-a", "b"), "line 5 of the patch: \"b\" begins no chunk"},
		{"a NUL byte", patch("*** Delete File: a\x00"), "NUL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkdir(t, map[string]string{"f": "a\n"})
			a := w.call("apply_patch", args{"input": tt.patch})
			if a.status != statusFailed || !strings.Contains(a.Text, tt.want) {
				t.Errorf("status %d: %s\nwant %q", a.status, a.Text, tt.want)
			}
			w.wantFiles(map[string]string{"f": "a\n"})
		})
	}
}

func TestPatchSyntaxIsTolerantWhereItIsClear(t *testing.T) {
	body := "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch"
	for name, text := range map[string]string{
		"plain":              body,
		"blank lines around": "\n\n" + body + "\n \n",
		"padded markers":     strings.NewReplacer("Begin Patch", "Begin Patch  ", "*** End", "  *** End", "*** Update", " *** Update", "@@", "@@ ").Replace(body),
		"CRLF":               strings.ReplaceAll(body, "\n", "\r\n"),
		"a here-document":    "<<EOF\n" + body + "\nEOF\n",
		"a quoted one":       "<<'PATCH'\n" + body + "\nPATCH",
		"no blank in path":   strings.Replace(body, "File: f", "File:f", 1),
	} {
		w := newWorkdir(t, map[string]string{"f": "a\n"})
		if a := w.call("apply_patch", args{"input": text}); a.status != statusDone {
			t.Errorf("%s: %s", name, a.Text)
		}
		w.wantFiles(map[string]string{"f": "b\n"})
	}
}

func TestPatchTellsWhatItDid(t *testing.T) {
	w := newWorkdir(t, map[string]string{"f": "a\n", "g": ""})
	a := w.call("apply_patch", args{"input": patch("*** Update File: f", "@@", "-a", "+b", "*** Delete File: g")})
	const want = `{"summary":{"added":[],"modified":["f"],"deleted":["g"]}}`
	if got := string(a.Details); got != want || !json.Valid(a.Details) {
		t.Errorf("details %s, want %s", got, want)
	}
}

func TestPatchFollowsAndRemovesLinks(t *testing.T) {
	w := newWorkdir(t, map[string]string{"real": "a\nb\n", "d/": ""})
	for link, target := range map[string]string{"one": "real", "two": "real", "gone": "real", "away": "d/../real"} {
		if err := os.Symlink(target, w.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	a := w.call("apply_patch", args{"input": patch(
		"*** Update File: one", "@@", "-a", "+A", // one file under two names
		"*** Update File: two", "@@", " A", "-b", "+B",
		"*** Delete File: gone", // the link, not what it leads to
		"*** Update File: away", "*** Move to: moved", "@@", " B",
	)})
	if a.status != statusDone {
		t.Error(a.Text)
	}
	w.wantFiles(map[string]string{"real": "A\nB\n", "one": "-> real", "two": "-> real", "moved": "A\nB\n", "d/": ""})
}

func TestPatchMakesAFileOfADeletedLink(t *testing.T) {
	w := newWorkdir(t, map[string]string{"real": "a\n"})
	if err := os.Symlink("real", w.path("link")); err != nil {
		t.Fatal(err)
	}
	a := w.call("apply_patch", args{"input": patch("*** Delete File: link", "*** Add File: link", "+new")})
	if a.status != statusDone {
		t.Error(a.Text)
	}
	w.wantFiles(map[string]string{"real": "a\n", "link": "new\n"})
}

func TestPatchKeepsModes(t *testing.T) {
	w := newWorkdir(t, map[string]string{"a": "a\n", "b": "b\n"})
	for _, name := range []string{"a", "b"} {
		if err := os.Chmod(w.path(name), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	a := w.call("apply_patch", args{"input": patch(
		"*** Update File: a", "@@", "-a", "+A", "*** Update File: b", "*** Move to: c", "@@", "-b", "+B", "*** Add File: n", "+n")})
	if a.status != statusDone {
		t.Fatal(a.Text)
	}
	for name, want := range map[string]os.FileMode{"a": 0o750, "c": 0o750, "n": 0o644} {
		if info, err := os.Stat(w.path(name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v (%v), want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

func TestPatchAsACommand(t *testing.T) {
	text := patch("*** Add File: n", "+x")
	for _, tt := range []struct {
		stdin string
		args  []string
	}{{stdin: text}, {args: []string{text}}} {
		w := newWorkdir(t, nil)
		if status, out, errs := w.run("apply_patch", tt.stdin, tt.args...); status != 0 || !strings.HasSuffix(out, "A n\n") {
			t.Errorf("status %d: %q %q", status, out, errs)
		}
		w.wantFiles(map[string]string{"n": "x\n"})
	}
	w := newWorkdir(t, nil)
	if status, out, errs := w.run("apply_patch", "nonsense"); status != 1 || out != "" || !strings.HasPrefix(errs, "apply_patch: nothing was changed") {
		t.Errorf("status %d: %q %q", status, out, errs)
	}
	if status, _, errs := w.run("apply_patch", "", "a", "b"); status != 1 || !strings.Contains(errs, "one patch") {
		t.Errorf("status %d: %q", status, errs)
	}
}
