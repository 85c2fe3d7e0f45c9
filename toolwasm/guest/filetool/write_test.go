package filetool

import (
	"os"
	"strings"
	"testing"
)

func TestWriteMakesTheFileAndItsDirectories(t *testing.T) {
	w := newWorkdir(t, nil)
	for _, name := range []string{"a", "d/e/f/b", "./c", "d/../g", w.path("h/i")} {
		if a := w.call("write", args{"path": name, "content": "x\n"}); a.status != statusDone || a.detail("created") != true {
			t.Errorf("write %s: status %d: %s", name, a.status, a.Text)
		}
	}
	w.wantFiles(map[string]string{"a": "x\n", "d/e/f/b": "x\n", "c": "x\n", "g": "x\n", "h/i": "x\n"})
	for name, want := range map[string]os.FileMode{"a": 0o644, "d/e": 0o755} {
		if info, err := os.Stat(w.path(name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s is %v (%v), want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

func TestWriteReplacesAFileAndKeepsItsMode(t *testing.T) {
	w := newWorkdir(t, map[string]string{"run.sh": "old, and longer than the new one\n"})
	if err := os.Chmod(w.path("run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	a := w.call("write", args{"path": "run.sh", "content": "new\r\n"})
	if a.status != statusDone || a.detail("created") != false || a.detail("changed") != true {
		t.Errorf("status %d: %s %s", a.status, a.Text, a.Details)
	}
	w.wantFiles(map[string]string{"run.sh": "new\r\n"})
	if info, err := os.Stat(w.path("run.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestWriteOfTheSameContentTouchesNothing(t *testing.T) {
	w := newWorkdir(t, map[string]string{"f": "same"})
	before, err := os.Stat(w.path("f"))
	if err != nil {
		t.Fatal(err)
	}
	a := w.call("write", args{"path": "f", "content": "same"})
	after, err := os.Stat(w.path("f"))
	if err != nil || !os.SameFile(before, after) || a.status != statusDone || !strings.Contains(a.Text, "No change") {
		t.Errorf("status %d: %s (%v)", a.status, a.Text, err)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	w := newWorkdir(t, map[string]string{"real": "old", "d/": ""})
	for link, target := range map[string]string{"link": "real", "dangling": "d/new", "dir": "d"} {
		if err := os.Symlink(target, w.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"link": "1", "dangling": "2", "dir/below": "3"} {
		if a := w.call("write", args{"path": name, "content": content}); a.status != statusDone {
			t.Errorf("write %s: %s", name, a.Text)
		}
	}
	w.wantFiles(map[string]string{
		"real": "1", "link": "-> real", "d/new": "2", "dangling": "-> d/new", "dir": "-> d", "d/below": "3",
	})
}

func TestWriteLeavesOtherHardLinksAlone(t *testing.T) {
	w := newWorkdir(t, map[string]string{"a": "old"})
	if err := os.Link(w.path("a"), w.path("b")); err != nil {
		t.Skip(err)
	}
	if a := w.call("write", args{"path": "a", "content": "new"}); a.status != statusDone {
		t.Error(a.Text)
	}
	w.wantFiles(map[string]string{"a": "new", "b": "old"})
}

func TestWriteRefuses(t *testing.T) {
	files := map[string]string{"f": "x", "d/g": "y", "locked": "z"}
	w := newWorkdir(t, files)
	if err := os.Chmod(w.path("locked"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", w.path("loop")); err != nil {
		t.Fatal(err)
	}
	files["loop"] = "-> loop"
	for name, want := range map[string]string{
		"d": "directory", "new/": "directory", "f/g": "Not a directory", "loop": "Too many levels of symbolic links",
		"locked": "read-only", "nowhere/../x": "No such file", strings.Repeat("n", 300): "File name too long",
	} {
		a := w.call("write", args{"path": name, "content": "new"})
		if a.status != statusFailed || !strings.Contains(a.Text, want) || !strings.Contains(a.Text, "nothing was changed") {
			t.Errorf("write %s: status %d: %q, want %q", name, a.status, a.Text, want)
		}
	}
	w.wantFiles(files)
}

func TestArgumentsAreStrict(t *testing.T) {
	tests := []struct{ tool, arguments, want string }{
		{"write", ``, "a JSON object is expected"},
		{"write", `[]`, "a JSON object is expected"},
		{"write", `{"path":"a","content":"x"`, "ends too early"},
		{"write", `{"path":"a","content":"x"} {}`, "something follows"},
		{"write", `{"path":"a","content":"x",}`, "not valid JSON"},
		{"write", `{"path":"a","content":"x","mode":7}`, "mode: unknown argument"},
		{"write", `{"Path":"a","content":"x"}`, "Path: unknown argument"},
		{"write", `{"path":"a","path":"b","content":"x"}`, "path: given twice"},
		{"write", `{"content":"x"}`, "path: missing"},
		{"write", `{"path":"","content":"x"}`, "path: missing"},
		{"write", `{"path":7,"content":"x"}`, "path: a string is expected, not a number"},
		{"write", `{"path":"a\u0000b","content":"x"}`, "path: holds a NUL byte"},
		{"write", `{"path":"a"}`, "content: missing"},
		{"write", `{"path":"a","content":null}`, "content: missing"},
		{"write", `{"path":"a","content":["x"]}`, "content: a string is expected, not an array"},
		{"write", `{"path":"a","content":"\ud83d"}`, "surrogate"},
		{"write", `{"path":"a","content":"\udc00\ud800"}`, "surrogate"},
		{"write", "{\"path\":\"a\",\"content\":\"\xff\"}", "not valid UTF-8"},
		{"read", `{"path":"a","offset":0}`, "offset: must be at least 1, is 0"},
		{"read", `{"path":"a","offset":1.5}`, "offset: a whole number is expected"},
		{"read", `{"path":"a","offset":"1"}`, "offset: a whole number is expected, not a string"},
		{"read", `{"path":"a","limit":0}`, "limit: must be at least 1"},
		{"read", `{"path":"a","cursor":-1}`, "cursor: must be at least 0"},
		{"read", `{"path":"a","optional":"yes"}`, "optional: true or false is expected, not a string"},
		{"edit", `{"path":"a"}`, "edits: missing"},
		{"edit", `{"path":"a","edits":[]}`, "edits: at least one"},
		{"edit", `{"path":"a","edits":{}}`, "edits: an array is expected, not an object"},
		{"edit", `{"path":"a","edits":["x"]}`, "edits[0]: a JSON object is expected"},
		{"edit", `{"path":"a","edits":[{"oldText":"x"}]}`, "edits[0].newText: missing"},
		{"edit", `{"path":"a","edits":[{"oldText":"","newText":"x"}]}`, "edits[0].oldText: must not be empty"},
		{"edit", `{"path":"a","edits":[{"oldText":"x","newText":"y","all":true}]}`, "edits[0].all: unknown argument"},
		{"apply_patch", `{}`, "input: missing"},
		{"apply_patch", `{"input":3}`, "input: a string is expected"},
		{"erase", `{}`, "no such tool"},
	}
	w := newWorkdir(t, nil)
	for _, tt := range tests {
		if a := w.raw(tt.tool, tt.arguments); a.status != statusBadArguments || !strings.Contains(a.Text, tt.want) {
			t.Errorf("%s %s: status %d: %q, want status 2 and %q", tt.tool, tt.arguments, a.status, a.Text, tt.want)
		}
	}
	w.wantFiles(nil)
}

func TestArgumentsMayEscapeWhatTheyLike(t *testing.T) {
	w := newWorkdir(t, nil)
	if a := w.raw("write", ` {"\u0070ath":"a","content":"\ud83d\ude00 \\ud800 \u0000"} `); a.status != statusDone {
		t.Error(a.Text)
	}
	w.wantFiles(map[string]string{"a": "😀 \\ud800 \x00"})
}

func TestOneToolIsNamed(t *testing.T) {
	w := newWorkdir(t, nil)
	if status, _, errs := w.run("openclaw-tool", "{}"); status != statusBadArguments || !strings.Contains(errs, "name of a tool") {
		t.Errorf("status %d: %s", status, errs)
	}
}
