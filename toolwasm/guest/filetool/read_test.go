package filetool

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// numbered is a text of n lines that say their number.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\n", i+1)
	}
	return b.String()
}

func TestReadShowsAPage(t *testing.T) {
	tests := []struct {
		name, file string
		args       args
		want       string
	}{
		{"a whole file", "a\nb\n", nil, "a\nb\n"},
		{"without a final newline", "a\nb", nil, "a\nb"},
		{"lines as they are", "a\r\n\tb \n", nil, "a\r\n\tb \n"},
		{"an empty file", "", nil, "[f is empty: 0 lines]"},
		{"from a line on", "a\nb\nc\n", args{"offset": 2}, "b\nc\n"},
		{"some lines", "a\nb\nc\n", args{"limit": 2}, "a\nb\n[lines 1-2 of 3; go on with offset=3]"},
		{"lines from the middle", "a\nb\nc\nd\n", args{"offset": 2, "limit": 1}, "b\n[lines 2-2 of 4; go on with offset=3]"},
		{"exactly all lines", "a\nb\n", args{"limit": 2}, "a\nb\n"},
		{"the last line, unended", "a\nb", args{"offset": 2, "limit": 1}, "b"},
		{"past the end", "a\nb\nc\n", args{"offset": 99, "limit": 10}, "[no lines from 99 on: f has 3 lines]"},
		{"right past the end", "a\n", args{"offset": 2}, "[no lines from 2 on: f has 1 line]"},
		{"from inside a line", "abc\nd\n", args{"cursor": 2}, "c\nd\n"},
		{"from inside another line", "abc\nde\n", args{"offset": 2, "cursor": 1}, "e\n"},
		{"from the end of a line", "abc", args{"cursor": 3}, "[nothing from byte 3 of line 1 on: the line is shorter]"},
		{"from inside a letter", "aéb\n", args{"cursor": 2}, "b\n"},
		{"bytes that are no UTF-8", "a\xffb\xc3\n\xe2\x82", nil, "a\uFFFDb\uFFFD\n\uFFFD\uFFFD"},
		{"2000 lines at most", numbered(2001), nil, numbered(2000) + "[lines 1-2000 of 2001; go on with offset=2001]"},
		{"a limit beyond that", numbered(2001), args{"limit": 5000}, numbered(2000) + "[lines 1-2000 of 2001; go on with offset=2001]"},
		{"whole numbers in another form", "a\nb\n", args{"offset": 2.0}, "b\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkdir(t, map[string]string{"f": tt.file})
			a := args{"path": "f"}
			for k, v := range tt.args {
				a[k] = v
			}
			if got := w.call("read", a); got.status != statusDone || got.Text != tt.want {
				t.Errorf("status %d: %q, want %q", got.status, got.Text, tt.want)
			}
		})
	}
}

// pages reads a file page by page, as the notices say, and returns what was shown.
func pages(t *testing.T, w *workdir, name string) (all string, n int) {
	t.Helper()
	a := args{"path": name}
	for n = 1; n < 100; n++ {
		got := w.call("read", a)
		if got.status != statusDone || len(got.Text) > defaultPage+200 {
			t.Fatalf("page %d: status %d, %d bytes", n, got.status, len(got.Text))
		}
		if !utf8.ValidString(got.Text) {
			t.Fatalf("page %d is no valid UTF-8", n)
		}
		next, more := got.detail("nextOffset").(float64)
		if !more {
			return all + got.Text, n
		}
		all += strings.TrimSuffix(got.Text[:strings.LastIndexByte(got.Text, '[')], "\n")
		if !strings.HasSuffix(got.Text, "]") {
			t.Fatalf("page %d has no notice", n)
		}
		a = args{"path": name, "offset": next}
		if cursor, ok := got.detail("nextCursor").(float64); ok {
			a["cursor"] = cursor
		} else {
			all += "\n"
		}
	}
	t.Fatal("reading does not end")
	return "", 0
}

func TestReadGoesOnThroughLongLinesAndFiles(t *testing.T) {
	long := strings.Repeat("0123456789é€😀", 10_000)
	tests := []struct {
		name, file string
		pages      int
	}{
		{"one huge line", long, 4},
		{"a huge line between short ones", "a\n" + long + "\nb\n", 6},
		{"many lines of middle length", strings.Repeat(strings.Repeat("x", 500)+"\n", 400), 4},
		{"a line that just fits", strings.Repeat("x", defaultPage-1) + "\n", 1},
		{"a line that just does not", strings.Repeat("x", defaultPage) + "\n", 2},
		{"letters across the pieces that are read", "x" + strings.Repeat("é", 100_000) + "\n" + strings.Repeat("y\n", 10), 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkdir(t, map[string]string{"f": tt.file})
			all, n := pages(t, w, "f")
			if all != tt.file {
				t.Errorf("%d bytes came back of %d", len(all), len(tt.file))
			}
			if n > tt.pages+1 {
				t.Errorf("%d pages, want about %d", n, tt.pages)
			}
		})
	}
}

func TestReadShowsNoBinary(t *testing.T) {
	w := newWorkdir(t, map[string]string{"early": "a\x00b", "late": strings.Repeat("text\n", 3000) + "\x00"})
	if a := w.call("read", args{"path": "early"}); a.status != statusDone || a.detail("binary") != true || strings.Contains(a.Text, "\x00") {
		t.Errorf("status %d: %q", a.status, a.Text)
	}
	if a := w.call("read", args{"path": "late", "offset": 2500}); a.status != statusDone || a.detail("binary") != true || len(a.Text) > 200 {
		t.Errorf("status %d: %q", a.status, a.Text)
	}
}

func TestReadAttachesImages(t *testing.T) {
	for magic, mime := range map[string]string{
		"\x89PNG\r\n\x1a\n": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a": "image/gif",
		"RIFF\x00\x00\x00\x00WEBP": "image/webp", "BM\x10\x00\x00\x00\x00\x00\x00\x00": "image/bmp",
	} {
		w := newWorkdir(t, map[string]string{"f": magic + "rest"})
		a := w.call("read", args{"path": "f"})
		if len(a.Images) != 1 || a.Images[0].MIMEType != mime || string(a.Images[0].Data) != magic+"rest" {
			t.Errorf("%q: status %d: %s, %d images", magic, a.status, a.Text, len(a.Images))
		}
	}
	w := newWorkdir(t, map[string]string{"f": "BMW is no picture\n", "big": "GIF89a" + strings.Repeat("x", maxImage)})
	if a := w.call("read", args{"path": "f"}); a.Text != "BMW is no picture\n" {
		t.Errorf("%q", a.Text)
	}
	if a := w.call("read", args{"path": "big"}); len(a.Images) != 0 || a.status != statusDone || !strings.Contains(a.Text, "not shown") {
		t.Errorf("status %d: %s", a.status, a.Text)
	}
}

func TestReadOfAMissingFile(t *testing.T) {
	w := newWorkdir(t, map[string]string{"d/f": "x"})
	if a := w.call("read", args{"path": "no"}); a.status != statusFailed || a.Text != "read no: No such file or directory" {
		t.Errorf("status %d: %s", a.status, a.Text)
	}
	for _, name := range []string{"no", "no/where"} {
		if a := w.call("read", args{"path": name, "optional": true}); a.status != statusDone || a.detail("notFound") != true {
			t.Errorf("optional %s: status %d: %s %s", name, a.status, a.Text, a.Details)
		}
	}
	for name, want := range map[string]string{"d": "it is a directory", "d/f/x": "Not a directory"} {
		if a := w.call("read", args{"path": name, "optional": true}); a.status != statusFailed || !strings.Contains(a.Text, want) {
			t.Errorf("%s: status %d: %s", name, a.status, a.Text)
		}
	}
}

func TestReadFindsOtherSpellingsOfAName(t *testing.T) {
	w := newWorkdir(t, map[string]string{
		"cafe\u0301.txt": "1", "it’s.txt": "2", "Shot at 9.41\u202fPM.txt": "3",
		"“a”": "4", "„a‟": "5",
	})
	for name, want := range map[string]string{"café.txt": "1", "it's.txt": "2", "Shot at 9.41 PM.txt": "3"} {
		if a := w.call("read", args{"path": name}); a.status != statusDone || a.Text != want {
			t.Errorf("%s: status %d: %s", name, a.status, a.Text)
		}
	}
	a := w.call("read", args{"path": `"a"`})
	if a.status != statusFailed || !strings.Contains(a.Text, `"\u201ca\u201d"`) || !strings.Contains(a.Text, `"\u201ea\u201f"`) {
		t.Errorf("ambiguous name: status %d: %s", a.status, a.Text)
	}
}
