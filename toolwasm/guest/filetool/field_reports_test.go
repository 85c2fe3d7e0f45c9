package filetool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tests in this file try mistakes that comparable tools are known to have made.

func TestADanglingLinkIsNoNewFileOutside(t *testing.T) {
	w := newWorkdir(t, nil)
	outside := filepath.Join(filepath.Dir(w.dir), "OUT")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../OUT/new.txt", w.path("a")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"add":    patch("*** Add File: a", "+x"),
		"update": patch("*** Update File: a", "@@", "+x"),
		"move":   patch("*** Add File: b", "+x", "*** Update File: b", "*** Move to: a", "@@", " x"),
	} {
		if a := w.call("apply_patch", args{"input": text}); a.status != statusFailed || !strings.Contains(a.Text, "outside the workspace") {
			t.Errorf("%s: status %d: %s", name, a.status, a.Text)
		}
	}
	if a := w.call("edit", args{"path": "a", "edits": edits("x", "y")}); a.status != statusFailed {
		t.Errorf("edit: status %d: %s", a.status, a.Text)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside: %v, %v", entries, err)
	}
	w.wantFiles(map[string]string{"a": "-> ../OUT/new.txt"})
}

func TestEveryToolTakesTheSamePaths(t *testing.T) {
	w := newWorkdir(t, map[string]string{"f": "old\n"})
	for _, name := range []string{"f", "./f", w.path("f"), "new/deep/x.txt", w.path("other/x.txt")} {
		if a := w.call("write", args{"path": name, "content": "1\n"}); a.status != statusDone {
			t.Errorf("write %s: %s", name, a.Text)
		}
		if a := w.call("edit", args{"path": name, "edits": edits("1", "2")}); a.status != statusDone {
			t.Errorf("edit %s: %s", name, a.Text)
		}
		if a := w.call("apply_patch", args{"input": patch("*** Update File: "+name, "@@", "-2", "+3")}); a.status != statusDone {
			t.Errorf("apply_patch %s: %s", name, a.Text)
		}
		if a := w.call("read", args{"path": name}); a.status != statusDone || a.Text != "3\n" {
			t.Errorf("read %s: %s", name, a.Text)
		}
	}
}

func TestReadAtOddOffsets(t *testing.T) {
	w := newWorkdir(t, map[string]string{"three": "a\nb\nc\n", "json": `{"x":"` + strings.Repeat("é", 60<<10) + `"}`, "empty": ""})
	if a := w.call("read", args{"path": "three", "offset": 99, "limit": 10}); a.status != statusDone || !strings.Contains(a.Text, "3 lines") {
		t.Errorf("past the end: status %d: %s", a.status, a.Text)
	}
	for _, offset := range []int{0, -1} {
		if a := w.call("read", args{"path": "three", "offset": offset}); a.status != statusBadArguments || !strings.Contains(a.Text, "offset") {
			t.Errorf("offset %d: status %d: %s", offset, a.status, a.Text)
		}
	}
	if all, n := pages(t, w, "json"); n != 3 || len(all) != 120<<10+len(`{"x":""}`) {
		t.Errorf("huge line: %d pages, %d bytes", n, len(all))
	}
	if a := w.call("read", args{"path": "empty"}); a.status != statusDone || !strings.Contains(a.Text, "empty") {
		t.Errorf("empty: status %d: %s", a.status, a.Text)
	}
}

func TestWriteTakesEmptyContent(t *testing.T) {
	w := newWorkdir(t, nil)
	for name, content := range map[string]string{"a.jsonl": "", "b.jsonl": "\n"} {
		if a := w.call("write", args{"path": name, "content": content}); a.status != statusDone {
			t.Errorf("%q: %s", content, a.Text)
		}
	}
	for arguments, want := range map[string]string{
		`{"path":"c"}`: "content", `{"path":"c","content":null}`: "content", `{"path":"","content":"x"}`: "path",
	} {
		if a := w.raw("write", arguments); a.status != statusBadArguments || !strings.Contains(a.Text, want+": missing") {
			t.Errorf("%s: status %d: %s", arguments, a.status, a.Text)
		}
	}
	w.wantFiles(map[string]string{"a.jsonl": "", "b.jsonl": "\n"})
}

func TestStatusIsWhatIsOnDisk(t *testing.T) {
	w := newWorkdir(t, map[string]string{"f": "a\n"})
	if a := w.call("edit", args{"path": "f", "edits": edits("a", "a")}); a.status != statusFailed || !strings.Contains(a.Text, "no change") {
		t.Errorf("edit without a change: status %d: %s", a.status, a.Text)
	}
	// A disk that loses a byte without saying so.
	p, _, _ := w.proc(nil, "")
	c := newCall(p, journal{})
	c.disk = &faultyDisk{short: true, fails: 1}
	if _, err := c.write("f", []byte("longer\n")); err == nil || !strings.Contains(err.Error(), "does not read back") {
		t.Errorf("write that lost a byte: %v", err)
	}
	w.wantFiles(map[string]string{"f": "a\n"})
}

func TestReadOnlyDirectoriesMakeWritesFail(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	w := newWorkdir(t, map[string]string{"d/f": "a\n"})
	if err := os.Chmod(w.path("d"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(w.path("d"), 0o755) })
	for tool, a := range map[string]args{
		"write": {"path": "d/f", "content": "x"}, "edit": {"path": "d/f", "edits": edits("a", "b")},
		"apply_patch": {"input": patch("*** Update File: d/f", "@@", "-a", "+b")},
	} {
		if got := w.call(tool, a); got.status != statusFailed || !strings.Contains(got.Text, "Permission denied") {
			t.Errorf("%s: status %d: %s", tool, got.status, got.Text)
		}
	}
	w.wantFiles(map[string]string{"d/f": "a\n"})
}

func TestEditLeavesOtherLinesAlone(t *testing.T) {
	for before, want := range map[string]string{
		"a\r\nb\r\nc\r\n":       "a\r\nB\r\nc\r\n",
		bom + "a\nb\nc\n":       bom + "a\nB\nc\n",
		"a\r\nb\nc\r\n":         "a\r\nB\nc\r\n",
		"“q”  \r\nb\nc\u00a0\n": "“q”  \r\nB\nc\u00a0\n",
	} {
		w := newWorkdir(t, map[string]string{"f": before})
		if a := w.call("edit", args{"path": "f", "edits": edits("b\n", "B\n")}); a.status != statusDone {
			t.Errorf("%q: %s", before, a.Text)
		}
		w.wantFiles(map[string]string{"f": want})
	}
}

func TestAMismatchShowsTheNearestLines(t *testing.T) {
	file := "package p\n\nfunc f() {\n\treturn 1\n}\n\nfunc g() {\n\treturn 2\n}\n"
	w := newWorkdir(t, map[string]string{"f.go": file})
	a := w.call("edit", args{"path": "f.go", "edits": edits("func g() {\n    return 2\n}", "x")})
	for _, want := range []string{"not found", "line 7 (", "only white space differs", "\n\treturn 2\n"} {
		if !strings.Contains(a.Text, want) {
			t.Errorf("%q is missing in: %s", want, a.Text)
		}
	}
	w.wantFiles(map[string]string{"f.go": file})
}

func TestAFailedPatchLeavesNothingBehind(t *testing.T) {
	files := map[string]string{"important.txt": "keep me\n"}
	w := newWorkdir(t, files)
	a := w.call("apply_patch", args{"input": patch("*** Delete File: important.txt", "*** Update File: missing.txt", "@@", "-a", "+b")})
	if a.status != statusFailed || !strings.Contains(a.Text, "nothing was changed") {
		t.Errorf("status %d: %s", a.status, a.Text)
	}
	w.wantFiles(files)
}

func TestALookAlikeBlockIsNotPatched(t *testing.T) {
	file := "if a {\n\tx = 1\n\ty = 2\n}\nif b {\n\t\tx = 1\n\t\ty = 2\n}\n"
	w := newWorkdir(t, map[string]string{"f": file})
	chunk := []string{"        x = 1", "-        y = 2", "+        y = 3"}
	a := w.call("apply_patch", args{"input": patch(append([]string{"*** Update File: f", "@@"}, chunk...)...)})
	if a.status != statusFailed || !strings.Contains(a.Text, "lines 2 and 6") || !strings.Contains(a.Text, "@@") {
		t.Errorf("status %d: %s", a.status, a.Text)
	}
	w.wantFiles(map[string]string{"f": file})
	a = w.call("apply_patch", args{"input": patch(append([]string{"*** Update File: f", "@@ if b {"}, chunk...)...)})
	if a.status != statusDone {
		t.Errorf("anchored: %s", a.Text)
	}
	w.wantFiles(map[string]string{"f": strings.Replace(file, "\t\ty = 2", "        y = 3", 1)})
}
