package filetool

import (
	"fmt"
	"strings"
	"testing"
)

// typographic is a text in which every line has something to fold.
func typographic(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "this is line number %d, “as it were”  \r\n", i)
	}
	return b.String()
}

func BenchmarkFold(b *testing.B) {
	text := []byte(typographic(20_000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		foldedView(text)
	}
}

func BenchmarkHint(b *testing.B) {
	w := newWorkdir(b, map[string]string{"f": typographic(20_000)})
	p, _, _ := w.proc(nil, "")
	m := &matcher{call: newCall(p, journal{}), plain: plainView([]byte(typographic(20_000)))}
	for b.Loop() {
		m.hint("this is line nomber 9, \"as\nthis is lime number 10, \"as")
	}
}

func BenchmarkPatchFuzzily(b *testing.B) {
	text := []byte(typographic(20_000))
	sections, err := parsePatch(patch("*** Update File: f", "@@", ` this is line number 19997, "as it were"`, `-this is line number 19998, "as it were"`))
	if err != nil {
		b.Fatal(err)
	}
	p, _, _ := newWorkdir(b, nil).proc(nil, "")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := patched(p, text, sections[0].chunks); err != nil {
			b.Fatal(err)
		}
	}
}
