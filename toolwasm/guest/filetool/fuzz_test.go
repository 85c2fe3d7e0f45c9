package filetool

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzParsePatch(f *testing.F) {
	f.Add(patch("*** Update File: f", "@@ a", " b", "-c", "+d", "*** End of File"), "a\nb\nc\n")
	f.Add(patch("*** Update File: f", "*** Move to: g", "-x", "+y", "", "@@", "+z"), "x\r\n\r\ny")
	f.Add(patch("*** Add File: f", "+x", "*** Delete File: g"), "")
	f.Add("<<'EOF'\n"+patch("*** Update File: f", "@@", " “a” ", "-b")+"EOF\n", bom+"\"a\"\nb")
	f.Fuzz(func(t *testing.T, text, file string) {
		sections, err := parsePatch(text)
		if err != nil {
			return
		}
		p, _, _ := (&workdir{t, "/"}).proc(nil, "")
		for _, s := range sections {
			if s.path == "" || s.line < 2 || s.action == updateFile && len(s.chunks) == 0 {
				t.Fatalf("section %+v", s)
			}
			if s.action == updateFile {
				checkPatched(t, file, s.chunks, func() ([]byte, error) { return patched(p, []byte(file), s.chunks) })
			}
		}
	})
}

// checkPatched checks that a patched file has exactly the lines that it had and was given, less those removed.
func checkPatched(t *testing.T, file string, chunks []chunk, apply func() ([]byte, error)) {
	after, err := apply()
	if err != nil {
		return
	}
	added, removed := 0, 0
	may := map[string]int{}
	_, before := splitLines([]byte(file))
	for _, l := range before {
		may[l.text]++
	}
	for _, c := range chunks {
		for _, o := range c.ops {
			switch o.kind {
			case '+':
				added++
				may[o.text]++
			case '-':
				removed++
			}
		}
	}
	_, lines := splitLines(after)
	if len(lines) != len(before)+added-removed {
		t.Fatalf("%d lines became %d, with %d added and %d removed", len(before), len(lines), added, removed)
	}
	for _, l := range lines {
		if may[l.text]--; may[l.text] < 0 && !strings.ContainsAny(l.text+file, "\r"+bom) {
			t.Fatalf("the line %q is neither the file's nor the patch's", l.text)
		}
	}
}

func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\nc", "b\n", "x\ny\n")
	f.Add(bom+"“a”  \nb\u00a0c\n", "\"a\"\nb", "x")
	f.Add("cafe\u0301 ﬁ\n", "café fi", "")
	f.Add("aaa", "aa", "b")
	f.Fuzz(func(t *testing.T, file, oldText, newText string) {
		if oldText == "" || !utf8.ValidString(file) || !utf8.ValidString(oldText) || !utf8.ValidString(newText) {
			return
		}
		w := newWorkdir(t, map[string]string{"f": file})
		p, _, _ := w.proc(nil, "")
		_, err := newCall(p, journal{}).edit("f", []edit{{oldText, newText}})
		after := w.files()
		if len(after) != 1 {
			t.Fatalf("files %q", after)
		}
		if err != nil {
			if after["f"] != file {
				t.Fatalf("%v, but the file was changed", err)
			}
			return
		}
		checkEdited(t, file, after["f"], oldText, newText)
	})
}

// checkEdited checks that an edit replaced one stretch of the file that looks like oldText by newText, and nothing else.
func checkEdited(t *testing.T, before, after, oldText, newText string) {
	const tractable = 400
	if len(before)+len(after) > tractable {
		return
	}
	if strings.HasPrefix(before, bom) && !strings.HasPrefix(after, bom) {
		t.Fatalf("the byte order mark of %q is gone", before)
	}
	head, tail := 0, 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	for tail < len(before) && tail < len(after) && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for i := range head + 1 {
		for j := range tail + 1 {
			if i+j > min(len(before), len(after)) {
				break
			}
			was, is := before[i:len(before)-j], after[i:len(after)-j]
			if lf(is) == lf(newText) && alike(was, oldText) {
				return
			}
		}
	}
	t.Fatalf("%q became %q, which is no replacement of %q by %q", before, after, oldText, newText)
}

// alike reports whether two texts are the same once folded, white space at the end aside.
func alike(a, b string) bool {
	fold := func(s string) string { return strings.TrimRightFunc(string(foldText(s, false)), unicode.IsSpace) }
	return lf(a) == lf(b) || fold(a) == fold(b)
}

func FuzzViews(f *testing.F) {
	f.Add("a\r\nb  \n“c”\u00a0\ne\u0301 ﬁ\n")
	f.Fuzz(func(t *testing.T, text string) {
		src := []byte(text)
		for _, v := range []*view{plainView(src), foldedView(src)} {
			checkView(t, src, v)
		}
	})
}

// checkView checks that a view leads back to its source in order, and that what is between two places that have a
// counterpart is the same text in both, folded.
func checkView(t *testing.T, src []byte, v *view) {
	last, lastText := v.base, 0
	for n := range len(v.text) + 1 {
		at, ok := v.source(n, true)
		if !ok {
			continue
		}
		if at < last || at > len(src) {
			t.Fatalf("position %d of %q is %d in %q, after %d", n, v.text, at, src, last)
		}
		if was, is := string(src[last:at]), string(v.text[lastText:n]); !alike(was, is) {
			t.Fatalf("%q in %q became %q in %q", was, src, is, v.text)
		}
		last, lastText = at, n
	}
	if last != len(src) && (!v.folded || strings.TrimSpace(string(src[last:])) != "") {
		t.Fatalf("%q is not covered in %q", src[last:], src)
	}
}
