package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPipelinesLeaveTheInputAlone runs loops whose bodies are pipelines: only what reads standard input consumes it.
func TestPipelinesLeaveTheInputAlone(t *testing.T) {
	b := newBench(t, "{}")
	got := b.ok("exec", "command", `printf 'L1\nL2\nL3\n' > in
{ read a; echo "a=[$a]"; true | true; read b; echo "b=[$b]"; } < in
n=0; while read x; do n=$((n+1)); echo hi | head -1 >/dev/null; done < in; echo n=$n`)
	if want := "a=[L1]\nb=[L2]\nn=3\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLongOutputIsCutAndKept names the file that holds all of it, and leaves alone what fits.
func TestLongOutputIsCutAndKept(t *testing.T) {
	b := newBench(t, "{}")
	r := b.call("exec", "command", "seq 1 3000")
	name, _ := field(t, r, "outputFile").(string)
	text := r.Text()
	if name == "" || !strings.Contains(text, "1000 of 3000 lines left out here; the whole output is in "+name) {
		t.Fatalf("%s\n%s", text, r.Details)
	}
	if !strings.HasPrefix(text, "1\n2\n") || !strings.HasSuffix(text, "2999\n3000\n") {
		t.Errorf("begins %q, ends %q", text[:20], text[len(text)-20:])
	}
	if got := b.ok("exec", "command", "wc -l < "+name); got != "3000\n" {
		t.Errorf("the file has %q lines", got)
	}
	if got := b.ok("read", "path", name, "offset", 1500, "limit", 1); !strings.HasPrefix(got, "1500\n") {
		t.Errorf("read of the file: %q", got)
	}
	got := b.ok("exec", "command", "for i in $(seq 200); do printf 'x%.0s' $(seq 200); echo; done")
	if want := strings.Repeat(strings.Repeat("x", 200)+"\n", 200); got != want {
		t.Errorf("40 KB came back as %d bytes", len(got))
	}
}

// TestReadAtTheEdges reads past the end, before the beginning, and a line that is longer than a page.
func TestReadAtTheEdges(t *testing.T) {
	b := newBench(t, "{}")
	b.put("three", "1\n2\n3\n")
	b.put("empty", "")
	b.put("huge.json", `{"a":"`+strings.Repeat("äöü", 20_000)+`"}`)
	if got := b.ok("read", "path", "three", "offset", 99, "limit", 10); !strings.Contains(got, "3 lines") {
		t.Errorf("past the end: %q", got)
	}
	if got := b.ok("read", "path", "empty"); !strings.Contains(got, "0 lines") {
		t.Errorf("an empty file: %q", got)
	}
	for _, offset := range []int{0, -1} {
		r := b.call("read", "path", "three", "offset", offset)
		if want := fmt.Sprintf("read: offset: must be at least 1, is %d", offset); !r.IsError || r.Text() != want {
			t.Errorf("offset %d: %v %q", offset, r.IsError, r.Text())
		}
	}
	var whole strings.Builder
	at := []any{"path", "huge.json"}
	for range 20 {
		r := b.call("read", at...)
		text, _, _ := strings.Cut(r.Text(), "\n[line ")
		if r.IsError || !utf8.ValidString(text) || len(text) > 64_000*4 {
			t.Fatalf("a page of %d bytes, error %v", len(text), r.IsError)
		}
		whole.WriteString(text)
		cursor, more := field(t, r, "nextCursor").(float64)
		if !more {
			break
		}
		at = []any{"path", "huge.json", "offset", 1, "cursor", cursor}
	}
	if whole.String() != b.get("huge.json") {
		t.Errorf("the pages together have %d bytes, the file %d", whole.Len(), len(b.get("huge.json")))
	}
}

// TestWriteOfNothing writes what it is given and changes nothing when something is missing.
func TestWriteOfNothing(t *testing.T) {
	b := newBench(t, "{}")
	b.ok("write", "path", "a.jsonl", "content", "")
	if got := b.get("a.jsonl"); got != "" {
		t.Errorf("%q", got)
	}
	b.ok("write", "path", "a.jsonl", "content", "\n")
	for _, c := range []struct{ arguments, want string }{
		{`{"path":"a.jsonl"}`, "write: content: missing"},
		{`{"path":"a.jsonl","content":null}`, "write: content: missing (null)"},
		{`{"path":"","content":"x"}`, "write: path: missing (empty)"},
		{`{"content":"x"}`, "write: path: missing"},
		{`{"path":"a.jsonl","content":5}`, "write: content: a string is expected, not a number"},
		{`{"file_path":"a.jsonl","content":"x"}`, "write: file_path: unknown argument; there are path, content (did you mean path?)"},
	} {
		if r := b.raw("write", c.arguments); !r.IsError || r.Text() != c.want {
			t.Errorf("%s: %v %q, want %q", c.arguments, r.IsError, r.Text(), c.want)
		}
	}
	if got := b.get("a.jsonl"); got != "\n" {
		t.Errorf("afterwards it holds %q", got)
	}
}
