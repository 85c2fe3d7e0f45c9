package json5_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"openclaw/runtime/config/json5"
)

func parse(t interface{ Fatalf(string, ...any) }, text string) *json5.Document {
	doc, err := json5.Parse("f", text)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return doc
}

func TestSetKeepsTheRest(t *testing.T) {
	for _, c := range []struct{ name, text, path, value, want string }{
		{"value", "{\n  a: 1, // one\n  b: 2\n}\n", "a", "5", "{\n  a: 5, // one\n  b: 2\n}\n"},
		{"empty root", "{}", "a.b", "1", "{\n  \"a\": {\n    \"b\": 1\n  }\n}"},
		{"only a comment", "{\n  // nothing yet\n}\n", "a", "1", "{\n  // nothing yet\n  \"a\": 1\n}\n"},
		{"append with trailing comma", "{\n  a: 1,\n}\n", "b", "'x'", "{\n  a: 1,\n  b: \"x\",\n}\n"},
		{"append without trailing comma", "{\n  a: 1\n}\n", "b", "2", "{\n  a: 1,\n  b: 2\n}\n"},
		{"append after a line comment", "{\n  a: 1 // one\n}\n", "b", "2", "{\n  a: 1, // one\n  b: 2\n}\n"},
		{"append on one line", "{ a: 1 /* one */ }", "b", "{c: [1]}", "{ a: 1, /* one */ b: { c: [1] } }"},
		{"quoted keys", "{\n\t\"a\": 1\n}", "b.c", "2", "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": 2\n\t}\n}"},
		{"windows lines", "{\r\n  a: 1,\r\n}\r\n", "b", "2", "{\r\n  a: 1,\r\n  b: 2,\r\n}\r\n"},
		{"key that needs quotes", "{\n  a: 1\n}", `["b/c"]`, "2", "{\n  a: 1,\n  \"b/c\": 2\n}"},
		{"nested", "{\n  a: {\n    b: 1 }\n}", "a.c", "2", "{\n  a: {\n    b: 1,\n    c: 2 }\n}"},
		{"list item", "{a: [1, 2, 3]}", "a[1]", "9", "{a: [1, 9, 3]}"},
		{"list append", "{a: [\n  1,\n  2,\n]}", "a[2]", "3", "{a: [\n  1,\n  2,\n  3,\n]}"},
		{"list made", "{a: 1}", "b[0]", "3", "{a: 1, b: [3]}"},
		{"empty object on a line", "{ a: {} }", "a.b", "3", "{ a: { b: 3 } }"},
		{"object over several lines", "{\n  a: 1,\n}", "a", "{x: 1, y: [true, null]}", "{\n  a: {\n    x: 1,\n    y: [true, null]\n  },\n}"},
		{"number as written", "{a: 1}", "a", "0xFF", "{a: 0xFF}"},
		{"the later of duplicates", "{a: 1, a: 2}", "a", "3", "{a: 1, a: 3}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, err := json5.ParsePath(c.path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json5.Set(parse(t, c.text), path, parse(t, c.value).Root)
			if err != nil || got != c.want {
				t.Errorf("got  %q, %v\nwant %q", got, err, c.want)
			}
		})
	}
}

func TestUnsetKeepsTheRest(t *testing.T) {
	for _, c := range []struct{ name, text, path, want string }{
		{"line", "{\n  a: 1,\n  b: 2,\n}\n", "a", "{\n  b: 2,\n}\n"},
		{"last line without comma", "{\n  a: 1,\n  b: 2\n}\n", "b", "{\n  a: 1\n}\n"},
		{"comments stay", "{\n  // above\n  a: 1, // beside\n  b: 2\n}", "a", "{\n  // above\n  // beside\n  b: 2\n}"},
		{"comment before the comma", "{ a: 1 /* x */, b: 2 }", "a", "{ /* x */ b: 2 }"},
		{"first on a line", "{ a: 1, b: 2 }", "a", "{ b: 2 }"},
		{"last on a line", "{ a: 1, b: 2 }", "b", "{ a: 1 }"},
		{"middle on a line", "{a: 1, b: 2, c: 3}", "b", "{a: 1, c: 3}"},
		{"only", "{ a: 1 }", "a", "{ }"},
		{"several lines", "{\n  a: {\n    x: 1\n  },\n  b: 2\n}", "a", "{\n  b: 2\n}"},
		{"item", "[1, 2, 3]", "[0]", "[2, 3]"},
		{"duplicates", "{a: 1, a: 2, b: 3}", "a", "{b: 3}"},
		{"windows lines", "{\r\n  a: 1,\r\n  b: 2\r\n}", "a", "{\r\n  b: 2\r\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, err := json5.ParsePath(c.path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json5.Unset(parse(t, c.text), path)
			if err != nil || got != c.want {
				t.Errorf("got  %q, %v\nwant %q", got, err, c.want)
			}
		})
	}
}

func TestEditsThatCannotBe(t *testing.T) {
	for _, c := range []struct{ text, path, want string }{
		{"{a: 1}", "a.b", "json5: edit a.b: a is a number"},
		{"{a: [1]}", "a[3]", "json5: edit a[3]: a is a list of 1: the next index is 1"},
		{"{a: [1]}", "a.x", "json5: edit a.x: a is a list of 1: the next index is 1"},
		{"{a: {}}", "a[0]", "json5: edit a[0]: a is an object, not a list"},
		{"{}", "a[1]", "json5: edit a[1]: a does not exist, and a new list begins at 0"},
		{"5", "a", "json5: edit a: the whole is a number"},
	} {
		path, err := json5.ParsePath(c.path)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := json5.Set(parse(t, c.text), path, parse(t, "1").Root); err == nil || err.Error() != c.want {
			t.Errorf("Set(%s, %s) = %q, %v; want %s", c.text, c.path, text, err, c.want)
		}
	}
	if _, err := json5.Unset(parse(t, "{a: 1}"), json5.Path{json5.Key("b")}); !errors.Is(err, json5.ErrNotFound) {
		t.Errorf("Unset of what is not there: %v", err)
	}
}

// drawing makes random documents with comments and blanks in every gap.
type drawing struct {
	t        *rapid.T
	comments int
	text     strings.Builder
}

func (d *drawing) gap() {
	for range rapid.IntRange(0, 2).Draw(d.t, "gaps") {
		switch rapid.IntRange(0, 5).Draw(d.t, "gap") {
		case 0:
			d.comments++
			fmt.Fprintf(&d.text, "// c%d, \"}\n", d.comments)
		case 1:
			d.comments++
			fmt.Fprintf(&d.text, "/* c%d */", d.comments)
		case 2:
			d.comments++
			fmt.Fprintf(&d.text, "/* c%d\n  {*/", d.comments)
		default:
			d.text.WriteString(rapid.SampledFrom([]string{" ", "\n", "\n  ", "\t", "\r\n", "\r\n    ", "\u2028"}).Draw(d.t, "blank"))
		}
	}
}

var scalars = []string{"1", "-0x1F", ".5", "Infinity", "null", "true", `"a // b"`, `'it\'s'`, `"/* x */"`, `""`}

func (d *drawing) value(depth int) {
	kind := rapid.IntRange(0, 2).Draw(d.t, "kind")
	if depth == 0 {
		kind = 1
	} else if depth > 3 {
		kind = 0
	}
	switch kind {
	case 0:
		d.text.WriteString(rapid.SampledFrom(scalars).Draw(d.t, "scalar"))
	case 1:
		d.elements('{', '}', func(i int) {
			fmt.Fprintf(&d.text, rapid.SampledFrom([]string{"k%d", `"k%d"`, "'k%d'"}).Draw(d.t, "key"), i)
			d.gap()
			d.text.WriteByte(':')
			d.gap()
			d.value(depth + 1)
		})
	case 2:
		d.elements('[', ']', func(int) { d.value(depth + 1) })
	}
}

func (d *drawing) elements(opening, closing byte, element func(int)) {
	d.text.WriteByte(opening)
	n := rapid.IntRange(0, 3).Draw(d.t, "n")
	for i := range n {
		d.gap()
		element(i)
		d.gap()
		if i < n-1 || rapid.Bool().Draw(d.t, "trailing") {
			d.text.WriteByte(',')
		}
	}
	d.gap()
	d.text.WriteByte(closing)
}

func drawDocument(t *rapid.T) string {
	d := &drawing{t: t}
	d.gap()
	d.value(0)
	d.gap()
	return d.text.String()
}

// comments lists the comments of a text, except those between two offsets.
func comments(text string, from, to int) []string {
	var list []string
	for at := 0; at < len(text); {
		rest := text[at:]
		width := 1
		switch {
		case rest[0] == '"' || rest[0] == '\'':
			for width < len(rest) && rest[width] != rest[0] {
				if rest[width] == '\\' {
					width++
				}
				width++
			}
			width++
		case strings.HasPrefix(rest, "//"):
			if width = strings.IndexAny(rest, "\r\n\u2028\u2029"); width < 0 {
				width = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			width = strings.Index(rest, "*/") + 2
		}
		if rest[0] == '/' && (at < from || at >= to) {
			list = append(list, rest[:width])
		}
		at += width
	}
	return list
}

// drawPath leads to a value of the document, or one step past it.
func drawPath(t *rapid.T, root *json5.Node) (path json5.Path, exists bool) {
	n := root
	for {
		size := len(n.Items) + len(n.Members)
		if len(path) > 0 && (size == 0 || rapid.Bool().Draw(t, "stop")) {
			return path, true
		}
		pick := rapid.IntRange(0, size).Draw(t, "pick")
		var step json5.Step
		switch {
		case n.Kind == json5.Array:
			step = json5.At(pick)
		case pick < size:
			step = json5.Key(n.Members[pick].Name)
		default:
			step = json5.Key(rapid.SampledFrom([]string{"new", "b/c", "0", "ünï", ""}).Draw(t, "name"))
		}
		path = append(path, step)
		if pick == size {
			return path, false
		}
		n = n.At(json5.Path{step})
	}
}

func TestEditsKeepEveryCommentOutsideTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawDocument(t)
		for range 3 {
			doc := parse(t, text)
			path, exists := drawPath(t, doc.Root)
			from, to := 0, 0
			if exists {
				from, to = doc.Root.At(path).Start, doc.Root.At(path).End
			}
			if exists && rapid.Bool().Draw(t, "unset") {
				text = checkUnset(t, doc, path, to)
				continue
			}
			value := parse(t, rapid.SampledFrom(append(scalars, "{}", "[]", "{x: {y: [1, {z: 2}]}}")).Draw(t, "value")).Root
			got, err := json5.Set(doc, path, value)
			if err != nil {
				t.Fatalf("Set(%q, %v): %v", text, path, err)
			}
			if !parse(t, got).Root.At(path).Equal(value) {
				t.Fatalf("Set(%q, %v) = %q", text, path, got)
			}
			wantComments(t, comments(text, from, to), got)
			text = got
		}
	})
}

// checkUnset removes a value; the comments between its key and itself may go too.
func checkUnset(t *rapid.T, doc *json5.Document, path json5.Path, to int) string {
	parent := doc.Root.At(path[:len(path)-1])
	from := doc.Root.At(path).Start
	size := len(parent.Items) + len(parent.Members)
	if parent.Kind == json5.Object {
		from = parent.Member(path[len(path)-1].Name()).Key.Start
	}
	got, err := json5.Unset(doc, path)
	if err != nil {
		t.Fatalf("Unset(%q, %v): %v", doc.Text, path, err)
	}
	after := parse(t, got).Root.At(path[:len(path)-1])
	if len(after.Items)+len(after.Members) != size-1 {
		t.Fatalf("Unset(%q, %v) = %q", doc.Text, path, got)
	}
	wantComments(t, comments(doc.Text, from, to), got)
	return got
}

func wantComments(t *rapid.T, want []string, text string) {
	if got := comments(text, 0, 0); !slices.Equal(got, want) {
		t.Fatalf("comments %q, want %q, in %q", got, want, text)
	}
}

// TestSetTwiceIsSetOnce holds the text still when nothing changes.
func TestSetTwiceIsSetOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := parse(t, drawDocument(t))
		path, _ := drawPath(t, doc.Root)
		value := parse(t, rapid.SampledFrom(scalars).Draw(t, "value")).Root
		once, err := json5.Set(doc, path, value)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := json5.Set(parse(t, once), path, value)
		if err != nil || once != twice {
			t.Fatalf("%q became %q: %v", once, twice, err)
		}
	})
}

// FuzzEdit wants of any document and path that an edit is right or refused: never a panic, never a fault that verification finds.
func FuzzEdit(f *testing.F) {
	f.Add("{a: 1, // x\n b: [1,],}", "b[1]", "{c: 2}", false)
	f.Add("{a: 1, /* x */ b: {c: 2}}", "b.c", "1", true)
	f.Fuzz(func(t *testing.T, text, at, replacement string, unset bool) {
		doc, err := json5.Parse("f", text)
		if err != nil {
			return
		}
		path, err := json5.ParsePath(at)
		if err != nil {
			return
		}
		value, err := json5.Parse("v", replacement)
		if err != nil {
			return
		}
		if unset {
			_, err = json5.Unset(doc, path)
		} else {
			_, err = json5.Set(doc, path, value.Root)
		}
		if err != nil && strings.Contains(err.Error(), "the result") && !strings.Contains(err.Error(), "levels") && !strings.Contains(err.Error(), "bytes") {
			t.Fatalf("%q, %s, %q: %v", text, at, replacement, err)
		}
	})
}
